// Sharper, by what a blur takes away. Bytes are mixed where they are blurred; of other images the CPU has the
// blurred one in memory, and mixes in a stage.
#include "filter/native/unsharp_mask/unsharp_mask.h"

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/inner.h"
#include "filter/native/planes.h"
#include "filter/native/tiles.h"
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

// Opaque bytes and grey ones, of which nothing but the result is in memory. *done: whether it was so.
static lg_status mix_bytes(const lg_native_call *call, bool *done)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const float sigma = lg_native_value(call->filter, call->values, "sigma");
    lg_gaussian g;
    *done = false;
    if (in.type != LG_U8 || !lg_pixels_same_kind(&in, &out) ||
        !(in.channels == 1 || in.alpha == LG_ALPHA_OPAQUE) || sigma == 0)
        return LG_OK;
    lg_status status = lg_gaussian_create(sigma, 0, LG_GAUSSIAN_AUTO, &g, call->error);
    if (status)
        return status;
    *done = g.levels == 0;
    if (*done)
        status = lg_gaussian_mix_bytes(call, &g, border,
                                       lg_native_value(call->filter, call->values, "intensity"));
    lg_gaussian_destroy(&g);
    return status;
}

static lg_status unsharp_mask(const lg_native_call *call)
{
    bool done;
    lg_status status = mix_bytes(call, &done);
    if (done || status)
        return status;
    const lg_image_params shape = lg_inner_shape(&call->in[0]->shape);
    const lg_inner_blur blur = {lg_native_value(call->filter, call->values, "sigma"),
                                lg_native_value(call->filter, call->values, "border")};
    lg_image *soft = NULL;
    status = lg_image_create_uninit(call->context, &shape, &soft, call->error);
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
