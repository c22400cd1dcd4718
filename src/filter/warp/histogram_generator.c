// A row of numbers as a picture of bars.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, height, "px", 256, 1, 4096, "of the picture")                                       \
    X(COLOR, background_color, 0, 0, 0, 0, "where no bar is")                                      \
    X(ALIAS, background, background_color)

LG_PARAMETERS(histogram_generator)

LG_KERNEL(
    histogram_generator,
    LG_FUNCTION point histogram_generator_kernel(place at, histogram_generator_params p) {
        return xy(at.x, 0.5f);
    } LG_FUNCTION color histogram_generator_finish(color c, place at,
                                                   histogram_generator_params p) {
        LG_FLOAT level = 1.0f - at.y;
        LG_COLOR y = p.background_color;
        LG_FLOAT r = c.r * c.a;
        LG_FLOAT g = c.g * c.a;
        LG_FLOAT b = c.b * c.a;
        LG_FLOAT most = fmaxf(fmaxf(r, g), b);
        y.r = most >= level ? lg_step(level, r) : y.r;
        y.g = most >= level ? lg_step(level, g) : y.g;
        y.b = most >= level ? lg_step(level, b) : y.b;
        y.a = most >= level ? 1.0f : y.a;
        return y;
    })

LG_WARP(histogram_generator)
LG_FINISH(histogram_generator)

static lg_status histogram_generator_shape(float *values, lg_image_params *shape, lg_error *error)
{
    (void)error;
    shape->height = (int32_t)values[0];
    return LG_OK;
}

LG_EXAMPLES(histogram_generator, {"height=1", .in = {0.25f, 0.75f, 1, 0.75f}, .out = {0, 1, 1, 1}},
            {"height=1:background=0.25,0.5,0.75,0.5", .in = {0.25f, 0.4375f, 0, 1},
             .out = {0.25f, 0.5f, 0.75f, 0.5f}})

LG_FILTER_WITH(
    histogram_generator, WARP, 1, NULL, histogram_generator_shape,
    .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
    .summary = "a row of numbers as bars, as histogram_strip makes one",
    .formula =
        "r, g, b = 1 where r a, g a, b a of the middle row at x are >= 1 - y, else 0, opaque; "
        "background_color where all are 0",
    .source = "GPUImageHistogramGenerator",
    .notes = "the middle row of any image: a profile of grey values. GPUImage adds the background "
             "up where two or three bars are");
