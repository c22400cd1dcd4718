#include "device/lookback.h"

#include "device/workspace.h"

static volatile uint32_t *flag_of(const lg_context *context)
{
    const lg_workspace *work = context->workspace;
    return work && work->slot[LG_SCRATCH_FLAG] ? work->slot[LG_SCRATCH_FLAG]->map : NULL;
}

lg_status lg_lookback_flag(lg_context *context, uint64_t *address, lg_error *error)
{
    const bool first = !flag_of(context);
    lg_vk_buffer *flag;
    const lg_status status =
        lg_workspace_slot(context, LG_SCRATCH_FLAG, sizeof(uint32_t), &flag, error);
    if (status)
        return status;
    *address = flag->address;
    if (first)
        lg_lookback_begin(context);
    return LG_OK;
}

bool lg_lookback_is_multi_pass(const lg_context *context)
{
    return context->workspace && context->workspace->multi_pass;
}

void lg_lookback_begin(const lg_context *context)
{
    volatile uint32_t *flag = flag_of(context);
    if (flag)
        *flag = context->workspace->giving_up;
}

bool lg_lookback_gave_up(lg_context *context)
{
    const volatile uint32_t *flag = flag_of(context);
    if (!flag || !*flag)
        return false;
    lg_log(&context->log, LG_LOG_WARN,
           "workgroups of this device have waited for each other in vain; the work is repeated");
    context->workspace->multi_pass = true;
    context->workspace->giving_up = 0;
    return true;
}
