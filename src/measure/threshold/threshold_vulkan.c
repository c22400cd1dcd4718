#include "measure/threshold/threshold.h"

lg_status lg_threshold_vulkan(lg_context *context, const lg_scan *scan,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_image **binary, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "this threshold is not computed on the device");
}
