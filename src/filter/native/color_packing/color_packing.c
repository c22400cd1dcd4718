// Four reds of a 2 x 2 block in one pixel: the entry.
#include "filter/native/color_packing/color_packing.h"
#include "filter/native/tiles.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_pixel_tiles, color_packing);

static lg_status color_packing_cpu(const lg_native_call *call)
{
    lg_pixel_tiles tiles = *LG_CPU_SELECT(color_packing, call->context->cpu_level);
    tiles.job = lg_stage_get(call->context->cpu_level);
    const lg_image_params *s = &call->out->shape;
    tiles.strip = s->width;
    tiles.band = LG_MAX(1, LG_MIN(s->height, 65536 / s->width));
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_status color_packing_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->width = (shape->width + 1) / 2;
    shape->height = (shape->height + 1) / 2;
    shape->channels = 4;
    shape->alpha = LG_ALPHA_NONE;
    return LG_OK;
}

#define PARAMETERS(X)

LG_ROWS(color_packing)

static const lg_native color_packing_native = {color_packing_cpu,
                                               LG_VULKAN(lg_color_packing_vulkan)};

LG_NATIVE_FILTER_SHAPED(
    color_packing, &color_packing_native, color_packing_shape, 1,
    .summary = "half the size: the reds of 2 x 2 pixels as r, g, b, a",
    .formula =
        "(r, g, b, a) at (x, y) = red at (2x, 2y), (2x + 1, 2y), (2x, 2y + 1), (2x + 1, 2y + 1)",
    .source = "GPUImageColorPackingFilter",
    .notes = "an odd last column or row is repeated; all four channels are data");
