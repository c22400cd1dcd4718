// The histogram of an image as a row of pixels.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, type, 0, "rgb|red|green|blue|luminance", "which channel the curve is of")            \
    X(NUMBER, scale, "", 1, 1, 1e6f, "factor of all columns; what becomes larger than 1 is 1")     \
    X(INTEGER, downsampling_factor, "px", 1, 1, LG_MOST_STEP,                                      \
      "every so many pixels along both axes one is counted")                                       \
    X(ECDF, curve, "the share of samples up to a value, of an image or one of its channels")

LG_PARAMETERS(histogram_strip)

// A table has one curve, or one per channel; of each the first four numbers are something else.
LG_KERNEL(
    histogram_strip,
    LG_FUNCTION float histogram_strip_up_to(lg_table t, lg_int channel, lg_int column) {
        lg_int first = t.height > 1 ? channel * t.row : 0;
        lg_int per_column = t.width >> 8;
        lg_int last = per_column * (column + 1) - 1;
        LG_FLOAT share = lg_at(t, first + 4 + (last < 0 ? 0 : last));
        return last < 0 ? 0.0f : share;
    } LG_FUNCTION float histogram_strip_share(lg_table t, lg_int channel, lg_int column) {
        LG_FLOAT share = histogram_strip_up_to(t, channel, column) -
                         histogram_strip_up_to(t, channel, column - 1);
        return share;
    } LG_FUNCTION color histogram_strip_kernel(place at, histogram_strip_params p) {
        lg_table t = p.curve;
        LG_FLOAT most = 0.0f;
        for (lg_int channel = 0; channel < t.height; channel += 1)
            for (lg_int column = 0; column < 256; column += 1)
                most = fmaxf(most, histogram_strip_share(t, channel, column));
        LG_FLOAT scale = lg_div(1.0f, most > 0.0f ? most : 1.0f);
        lg_int here = lg_to_int(floorf(at.x * 256.0f));
        LG_COLOR y = rgba(histogram_strip_share(t, 0, here) * scale,
                          histogram_strip_share(t, 1, here) * scale,
                          histogram_strip_share(t, 2, here) * scale, 1.0f);
        y.r = lg_choose(p.scale > 1.0f, fminf(y.r * p.scale, 1.0f), y.r);
        y.g = lg_choose(p.scale > 1.0f, fminf(y.g * p.scale, 1.0f), y.g);
        y.b = lg_choose(p.scale > 1.0f, fminf(y.b * p.scale, 1.0f), y.b);
        bool all = p.type == 0.0f || p.type == 4.0f;
        y.r = lg_choose(all || p.type == 1.0f, y.r, 0.0f);
        y.g = lg_choose(all || p.type == 2.0f, y.g, 0.0f);
        y.b = lg_choose(all || p.type == 3.0f, y.b, 0.0f);
        return y;
    })

LG_GENERATE(histogram_strip)

static lg_status histogram_strip_shape(float *values, lg_image_params *shape, lg_error *error)
{
    (void)values, (void)error;
    shape->width = 256;
    shape->height = shape->layers = 1;
    return LG_OK;
}

// An image of one colour: every channel has one column, 0.25, 0.5 and 0.75 of 255 as whole numbers, or
// for floats, which have one range, the first one.
LG_EXAMPLES(histogram_strip,
            {"type=red:curve=@red.ecdf", .in = {0.25f, 0.5f, 0.75f, 1}, .x = 0.5f / 256,
             .y = 0.5f / 512, .out = {1, 0, 0, 1}},
            {"type=luminance:curve=@luma.ecdf", .in = {0.25f, 0.5f, 0.75f, 1}, .x = 1.5f / 256,
             .y = 0.5f / 512, .out = {0, 0, 0, 1}})

LG_FILTER_WITH(
    histogram_strip, GENERATE, 1, NULL, histogram_strip_shape, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "the histogram of an image as a row of 256 pixels",
    .formula =
        "column k of 256: samples of the values k (of 65536 values 256 each) by the most "
        "that a column of the picture has, times scale and at most 1, each channel in its own",
    .source = "GPUImageHistogramFilter; VkHistogramLayer of aoce",
    .notes = "all pixels count, with 32 bits. GPUImage counts every 16th pixel, in 8 bits that are "
             "full at 255, so that peaks are cut off: scale does that. Floats have 256 columns "
             "between their extremes. `histogram_picture` "
             "draws it; the command `histogram` prints the counts");
