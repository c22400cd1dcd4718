// Counting on Vulkan.
#include "measure/histogram/histogram.h"

lg_status lg_histogram_vulkan(lg_context *context, const lg_histogram_task *task,
                              lg_histogram_counts *out, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "histogram on Vulkan is not in this build; use the CPU device");
}
