// A curve measured on an image: histogram_equalization is made of it.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, type, 0, "rgb|red|green|blue|luminance", "what goes through the curve")              \
    X(INTEGER, downsampling_factor, "px", 1, 1, LG_MOST_STEP,                                      \
      "every so many pixels along both axes one is counted")                                       \
    X(CURVE, curve, "the share of samples below a value, of an image or one of its channels")

LG_PARAMETERS(measured_curve)

// A curve is its lowest value, the steps in 1 (0: it leaves everything as it is), a power of
// two that values are multiplied by first, a number that nothing reads, and an entry per step.
// A table has one curve, or one per channel.
LG_KERNEL(
    measured_curve,
    LG_FUNCTION float measured_curve_of(lg_table t, lg_int channel, float v) {
        lg_int first = t.height > 1 ? channel * t.row : 0;
        LG_FLOAT scale = lg_at(t, first + 1);
        LG_FLOAT scaled = v * lg_at(t, first + 2);
        LG_FLOAT x = (scaled - lg_at(t, first)) * scale;
        lg_int i = lg_to_int(fminf(fmaxf(x, 0.0f), 65535.0f));
        i = i > t.width - 1 ? t.width - 1 : i;
        i = i < 0 ? 0 : i;
        LG_FLOAT y = lg_at(t, first + 4 + i);
        return scale > 0.0f ? y : v;
    } LG_FUNCTION color measured_curve_kernel(color c, place at, measured_curve_params p) {
        if (p.type == 4.0f) {
            LG_FLOAT l = lg_luminance(c);
            LG_FLOAT more = measured_curve_of(p.curve, 0, l) - l;
            LG_COLOR lifted =
                rgba(lg_clamp01(c.r + more), lg_clamp01(c.g + more), lg_clamp01(c.b + more), c.a);
            return lifted;
        }
        LG_COLOR y = c;
        if (p.type == 0.0f || p.type == 1.0f)
            y.r = measured_curve_of(p.curve, 0, c.r);
        if (p.type == 0.0f || p.type == 2.0f)
            y.g = measured_curve_of(p.curve, 1, c.g);
        if (p.type == 0.0f || p.type == 3.0f)
            y.b = measured_curve_of(p.curve, 2, c.b);
        return y;
    })

LG_POINT(measured_curve)

// One channel of a grey image makes it coloured.
static lg_status measured_curve_shape(float *values, lg_image_params *shape, lg_error *error)
{
    (void)error;
    const bool grey =
        shape->channels == 1 || (shape->channels == 2 && (shape->alpha == LG_ALPHA_STRAIGHT ||
                                                          shape->alpha == LG_ALPHA_PREMULTIPLIED));
    if (values[0] < 1 || values[0] > 3 || !grey)
        return LG_OK;
    shape->alpha = shape->channels == 1 ? LG_ALPHA_OPAQUE : shape->alpha;
    shape->channels = 4;
    return LG_OK;
}

static bool measured_curve_keeps_apart(const float *values)
{
    return values[0] != 4; // all but luminance
}

// An image of one colour has nothing to equalise.
LG_EXAMPLES(measured_curve,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"type=luminance:curve=@luma.cdf", .in = {0.25f, 0.5f, 0.75f, 1},
             .out = {0.25f, 0.5f, 0.75f, 1}})

LG_FILTER_APART(
    measured_curve, measured_curve_shape, measured_curve_keeps_apart,
    .summary = "puts channels through the cumulative histogram of an image",
    .formula = "m(v) = (samples of v's bin and all lower ones - s) / (all samples - s), s samples "
               "in the lowest bin that has any; c' = m(c), or with luminance clamp(c + m(l) - l)",
    .source = "equalisation as in R. C. Gonzalez, R. E. Woods, Digital Image Processing, and "
              "OpenCV's equalizeHist",
    .notes = "curve=@cdf measures r, g and b, @luma.cdf luma, @#NAME.cdf another image; several "
             "channels through one curve when it is of one. 8 bits have 256 bins, 16 bits 65536, "
             "floats 65536 between their extremes. An image of one value stays as it is");
