#include "filter/native/native_vulkan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define UNITS 16 // compute units of a device that does not tell

static int put_words(uint32_t own[LG_PASS_WORDS], const lg_pass *pass)
{
    int count = 0;
    for (int i = 0; i < pass->words.count; i++)
        own[count++] = (uint32_t)pass->words.at[i];
    for (int i = 0; i < pass->more.count; i++)
        own[count++] = (uint32_t)pass->more.at[i];
    return count;
}

static void declare(lg_vk_commands *commands, const lg_pass *pass)
{
    for (size_t i = 0; i < LG_COUNT(pass->reads); i++)
        lg_vk_reads(commands, pass->reads[i], 0);
    for (size_t i = 0; i < LG_COUNT(pass->writes); i++)
        lg_vk_writes(commands, pass->writes[i], 0);
    for (size_t i = 0; i < LG_COUNT(pass->adds); i++)
        lg_vk_adds(commands, pass->adds[i], 0);
}

static void dispatch(lg_device_call *call, const lg_pass *pass, const lg_vk_pipeline *pipeline,
                     const lg_glsl_params *params)
{
    const lg_image_params *s = &pass->views[params->count - 1]->shape;
    const int span = params->span ? params->span : lg_thread_span(params->views, params->count);
    const int32_t height = pass->row_count ? pass->row_count : s->height;
    const int32_t rows = pass->rows ? pass->rows : height;
    uint32_t own[LG_PASS_WORDS];
    put_words(own, pass);
    for (int32_t y = 0; y < height; y += rows) {
        const int32_t end = LG_MIN(rows, height - y) + y;
        const int32_t each = pass->group_rows ? pass->group_rows : params->group_y;
        uint32_t groups[] = {lg_native_groups(s->width, (int64_t)params->group_x * span),
                             lg_native_groups(end - y, each), lg_native_groups(s->layers, 1)};
        for (int i = 0; i < 3; i++)
            groups[i] = pass->groups[i] ? pass->groups[i] : groups[i];
        if (pass->rows) {
            own[1] = (uint32_t)y;
            own[2] = (uint32_t)end;
        }
        declare(call->commands, pass);
        lg_device_dispatch(call, pipeline, pass->views, params->count, own, params->extra, groups,
                           pass->rows > 0);
    }
}

// A kernel that reads address 0 hangs some devices for good. The CPU does the work instead: the line in the
// log is what tells of the defect.
static bool has_images(lg_device_call *call, const lg_pass *pass, int count)
{
    for (int i = 0; i < count; i++)
        if (!pass->views[i]->address) {
            lg_log(&call->context->log, LG_LOG_ERROR, "a defect of lumagraph: %s lacks an image",
                   pass->name);
            call->status = lg_fail(call->error, LG_ERROR_UNSUPPORTED,
                                   "a defect of lumagraph: %s lacks an image", pass->name);
            return false;
        }
    return true;
}

void lg_pass_run(lg_device_call *call, const lg_pass *pass, const char *before, ...)
{
    if (call->status)
        return;
    lg_format formats[LG_MAX_VIEWS];
    uint32_t own[LG_PASS_WORDS];
    char lines[900];
    va_list arguments;
    va_start(arguments, before);
    vsnprintf(lines, sizeof lines, before, arguments);
    va_end(arguments);
    lg_glsl_params params = {.views = formats,
                             .group_x = pass->group_x ? pass->group_x : 32,
                             .group_y = pass->group_y ? pass->group_y : 4,
                             .extra = put_words(own, pass),
                             .span = pass->span,
                             .before = lines,
                             .shared = pass->shared,
                             .parts = {pass->parts[0], pass->parts[1]}};
    for (; params.count < LG_MAX_VIEWS && pass->views[params.count]; params.count++)
        formats[params.count] = lg_format_of(&pass->views[params.count]->shape);
    if (pass->span == LG_SPAN_WORDS)
        params.span = LG_MAX(1, 4 / (int)lg_pixel_size(&pass->views[params.count - 1]->shape));
    const lg_vk_pipeline *pipeline;
    lg_vk_barrier(call->commands);
    if (!has_images(call, pass, params.count))
        return;
    call->status = lg_device_kernel(call, pass->name, pass->text, &params, &pipeline);
    if (!call->status)
        dispatch(call, pass, pipeline, &params);
}

uint32_t lg_native_index(const lg_filter *filter, const char *name)
{
    int i = 0;
    while (i < filter->param_count - 1 && strcmp(filter->params[i].name, name) != 0)
        i++;
    return (uint32_t)(LG_STAGE_HEADER + lg_filter_offset(filter, i));
}

uint32_t lg_native_groups(int64_t size, int64_t each)
{
    const int64_t groups = (size + each - 1) / each;
    return (uint32_t)LG_MIN(LG_MAX(groups, 1), 65535);
}

int32_t lg_native_band(const lg_context *context, int64_t columns, int32_t height, int32_t least,
                       int32_t at_once)
{
    const uint32_t units = lg_vk_get_limits(context->vk)->compute_units;
    const int64_t groups = (int64_t)(units ? units : UNITS) * at_once;
    const int64_t bands = LG_MAX(groups / LG_MAX(columns, 1), 1);
    return LG_MAX(height / (int32_t)bands + 1, least);
}

lg_image_params lg_native_shape(const lg_image_params *like, lg_type type, int32_t channels,
                                lg_alpha alpha)
{
    return (lg_image_params){.width = like->width,
                             .height = like->height,
                             .layers = like->layers,
                             .channels = channels,
                             .type = type,
                             .alpha = alpha};
}
