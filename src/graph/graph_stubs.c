// The Vulkan side of plans in a build without Vulkan: no context has a device there.
#include "graph/plan.h"

lg_status lg_plan_prepare_vulkan(lg_plan *plan, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build of lumagraph is without Vulkan");
}

lg_status lg_plan_run_vulkan(lg_plan *plan, const struct lg_plan_band *band,
                             lg_image *const *inputs, lg_image *const *outputs, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build of lumagraph is without Vulkan");
}

lg_status lg_plan_update_vulkan(lg_plan *plan, int node, bool compiled, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build of lumagraph is without Vulkan");
}

lg_status lg_plan_fetch_vulkan(lg_plan *plan, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build of lumagraph is without Vulkan");
}

void lg_plan_release_vulkan(lg_plan *plan)
{
}
