// Sharper, by what a blur takes away. The CPU has the blurred image in memory, and mixes in a stage; a device
// mixes where it blurs bytes.
#include "filter/native/unsharp_mask/unsharp_mask.h"

#include "filter/native/inner.h"
#include "filter/stage.h"

extern const lg_filter_entry lg_filter_extrapolate;

static lg_status mix(const lg_native_call *call, const lg_image *soft)
{
    const lg_filter *f = &lg_filter_extrapolate.filter;
    float values[LG_INNER_VALUES];
    lg_inner_defaults(f, values);
    lg_inner_set(f, values, "amount", lg_native_value(call->filter, call->values, "intensity"));
    const lg_inner_stage stage = {.filter = f,
                                  .values = values,
                                  .in = call->in[0],
                                  .over = soft,
                                  .out = call->out,
                                  .what = "the rows of unsharp_mask"};
    return lg_inner_stage_run(call, &stage);
}

static lg_status unsharp_mask(const lg_native_call *call)
{
    const lg_image_params shape = lg_inner_shape(&call->in[0]->shape);
    const lg_inner_blur blur = {lg_native_value(call->filter, call->values, "sigma"),
                                lg_native_value(call->filter, call->values, "border")};
    lg_image *soft = NULL;
    lg_status status = lg_image_create_uninit(call->context, &shape, &soft, call->error);
    if (!status)
        status = lg_inner_blur_run(call, blur, call->in[0], soft);
    if (!status)
        status = mix(call, soft);
    lg_image_destroy(&soft);
    return status;
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_inner_blur_reach(lg_native_value(filter, values, "sigma"), in);
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 4, 0, 256, "of the Gaussian blur")                                      \
    X(NUMBER, intensity, "", 1.5f, 0, 10, "1 leaves the image as it is, above 1 sharpens")         \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(unsharp_mask)

static const lg_native unsharp_native = {.cpu = unsharp_mask,
                                         .vulkan = LG_VULKAN(lg_unsharp_mask_vulkan),
                                         .recorded = "sigma",
                                         .reach = reach};

LG_NATIVE_FILTER(unsharp_mask, &unsharp_native, 1, .summary = "sharper, by what a blur takes away",
                 .formula = "c' = c intensity + gaussian_blur(c, sigma) (1 - intensity); alpha "
                            "stays",
                 .source = "GPUImageUnsharpMaskFilter",
                 .notes = "GPUImage's intensity of 1 does nothing");
