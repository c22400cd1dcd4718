// Moments on a Vulkan device.
#include "measure/moments/moments.h"

lg_status lg_moments_vulkan(lg_context *context, const lg_scan *scan, bool stack,
                            lg_moments_state *out, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "moments of this image are computed on the CPU");
}
