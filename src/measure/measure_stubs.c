// The Vulkan side of the measurements in a build without Vulkan. No context has a device there, so
// nothing calls these; they keep the callers free of conditions.
#include "measure/histogram/histogram.h"
#include "measure/moments/moments.h"
#include "measure/threshold/threshold.h"

static lg_status missing(lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this build of lumagraph is without Vulkan");
}

lg_status lg_histogram_vulkan(lg_context *context, const lg_histogram_task *task,
                              lg_histogram_counts *out, lg_error *error)
{
    return missing(error);
}

lg_status lg_moments_vulkan(lg_context *context, const lg_scan *scan, bool stack,
                            lg_moments_state *out, lg_error *error)
{
    return missing(error);
}

lg_status lg_threshold_vulkan(lg_context *context, const lg_scan *scan,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_image **binary, lg_error *error)
{
    return missing(error);
}

lg_status lg_threshold_binarise_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                       bool stack, lg_threshold *levels, lg_image **binary,
                                       lg_error *error)
{
    return missing(error);
}

lg_status lg_threshold_luma_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   lg_image **values, lg_image **mask, lg_error *error)
{
    return missing(error);
}
