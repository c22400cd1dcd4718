// The Vulkan side of labelling: not yet.
#include "measure/components/components.h"

bool lg_label_fits_device(const lg_context *context, const lg_label_task *task, const char **why)
{
    *why = "labels are made on the CPU in this version";
    return false;
}

lg_status lg_label_vulkan(lg_context *context, const lg_label_task *task, lg_labels **labels,
                          lg_components *components, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "labels are made on the CPU in this version");
}
