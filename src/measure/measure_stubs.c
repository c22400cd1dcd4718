// The Vulkan side of the measurements in a build without Vulkan. No context has a device there, so
// nothing calls these; they keep the callers free of conditions.
#include "measure/areasum/areasum_planes.h"
#include "measure/components/component_sums.h"
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

bool lg_area_fits_device(const lg_context *context, const lg_areasum *a, const char **why)
{
    *why = "this build is without Vulkan";
    return false;
}

lg_status lg_area_build_vulkan(lg_context *context, lg_areasum *a, const lg_area_array *array,
                               lg_error *error)
{
    return missing(error);
}

void lg_area_device_destroy(lg_area_device **device)
{
    *device = NULL;
}

lg_status lg_area_states_vulkan(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds,
                                size_t count, void *arg, lg_area_states_fn *each, lg_error *error)
{
    return missing(error);
}

lg_status lg_area_histograms_vulkan(const lg_areasum *a, const int32_t *bounds, size_t count,
                                    uint64_t *out, lg_error *error)
{
    return missing(error);
}

bool lg_label_fits_device(const lg_context *context, const lg_label_task *task, const char **why)
{
    *why = "this build is without Vulkan";
    return false;
}

lg_status lg_label_vulkan(lg_context *context, const lg_label_task *task, lg_labels **labels,
                          lg_components *components, lg_error *error)
{
    return missing(error);
}
