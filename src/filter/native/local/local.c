// Local means, deviations and thresholds: the entries, and what they compute on an image.
#include "filter/native/local/local.h"

#include "filter/native/luminance.h"
#include "filter/native/planes.h"

static bool has_parameter(const lg_filter *filter, const char *name)
{
    for (int i = 0; i < filter->param_count; i++)
        if (strcmp(filter->params[i].name, name) == 0)
            return true;
    return false;
}

static void choose_radii(lg_local_stats *l, const lg_filter *filter, const float *values,
                         const lg_image_params *in)
{
    if (l->windows == LG_LOCAL_ANISOTROPIC) {
        l->radius_x = (int32_t)lg_native_value(filter, values, "radius_x");
        l->radius_y = (int32_t)lg_native_value(filter, values, "radius_y");
    } else {
        l->radius_x = l->radius_y = (int32_t)lg_native_value(filter, values, "radius");
        if (has_parameter(filter, "radius_y") && lg_native_value(filter, values, "radius_y") >= 0)
            l->radius_y = (int32_t)lg_native_value(filter, values, "radius_y");
    }
    if (l->windows == LG_LOCAL_CONSTANT) {
        l->radius_x = LG_MIN(l->radius_x, in->width - 1);
        l->radius_y = LG_MIN(l->radius_y, in->height - 1);
    }
    const uint64_t columns = LG_MIN(2 * (uint64_t)l->radius_x + 1, (uint64_t)in->width);
    const uint64_t rows = LG_MIN(2 * (uint64_t)l->radius_y + 1, (uint64_t)in->height);
    l->widest = (uint32_t)LG_MIN(columns * rows, (uint64_t)UINT32_MAX);
}

static int ceil_log2(uint32_t n)
{
    int bits = 0;
    while (bits < 32 && ((uint64_t)1 << bits) < n)
        bits++;
    return bits;
}

static void choose_samples(lg_local_stats *l, const lg_image_params *in)
{
    const lg_pixels p = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    const bool alpha = lg_pixels_have_alpha(&p), integers = in->type == LG_U8 || in->type == LG_U16;
    const bool squares = lg_local_has_squares(l);
    lg_pixels colour = p; // without its alpha
    colour.alpha = alpha ? LG_ALPHA_OPAQUE : p.alpha;
    l->kind = lg_local_is_threshold(l)              ? LG_LOCAL_LUMA
              : alpha && l->figure == LG_LOCAL_MEAN ? LG_LOCAL_WEIGHTED
                                                    : LG_LOCAL_COMPONENTS;
    l->planes = l->kind == LG_LOCAL_LUMA         ? 1
                : l->kind == LG_LOCAL_COMPONENTS ? lg_plane_count(&colour)
                                                 : in->channels;
    const bool premultiplied = in->alpha == LG_ALPHA_PREMULTIPLIED && in->channels != 1;
    if (l->kind == LG_LOCAL_LUMA && lg_luminance_is_byte(in))
        l->samples = in->channels == 1 ? LG_LOCAL_STORED : LG_LOCAL_BYTES;
    else if (l->kind != LG_LOCAL_LUMA && integers &&
             premultiplied == (l->kind == LG_LOCAL_WEIGHTED))
        l->samples = LG_LOCAL_STORED;
    else if (l->kind == LG_LOCAL_WEIGHTED && in->type == LG_U8)
        l->samples = LG_LOCAL_PRODUCTS;
    else
        l->samples = LG_LOCAL_UNITS;
    l->channels = l->samples == LG_LOCAL_STORED ? in->channels : l->planes == 3 ? 4 : l->planes;
    if (l->samples != LG_LOCAL_UNITS) {
        const bool products = l->samples == LG_LOCAL_PRODUCTS;
        const uint64_t max = products ? 255 * 255 : in->type == LG_U8 ? 255 : 65535;
        l->unit = products ? LG_LOCAL_UNIT_PRODUCT : in->type == LG_U8 ? LG_UNIT_U8 : LG_UNIT_U16;
        l->narrow = (squares ? max * max : max) * l->widest <= UINT32_MAX;
        // Then a sum is a float.
        l->small = max * l->widest < (1 << 24);
        return;
    }
    // Sums of squares fit 64 bits.
    l->bits = squares ? LG_MIN(LG_LOCAL_SQUARES_BITS, (63 - ceil_log2(l->widest)) / 2)
                      : LG_LOCAL_MEAN_BITS;
    // Premultiplied colours may lie above their alpha.
    l->measured = !integers || premultiplied;
    l->unit = local_power(1 - l->bits);
}

lg_local_stats lg_local_of(const lg_filter *filter, const float *values, lg_local_figure figure,
                           lg_local_windows windows, const lg_image_params *in)
{
    lg_local_stats l = {.figure = figure, .windows = windows};
    if (lg_local_is_threshold(&l))
        l.k = lg_native_value(filter, values, "k");
    if (figure == LG_LOCAL_SAUVOLA)
        l.range = lg_native_value(filter, values, "dynamic_range");
    choose_radii(&l, filter, values, in);
    choose_samples(&l, in);
    return l;
}

int32_t lg_local_band(const lg_local_stats *local, const lg_image_params *shape, int32_t layers,
                      uint64_t bytes)
{
    const uint64_t row = (uint64_t)shape->width * (uint64_t)local->channels * lg_local_word(local) *
                         (uint64_t)layers;
    const uint64_t rows = bytes / row, height = (uint64_t)shape->height;
    if (rows >= height)
        return shape->height;
    // Bands of less than their reach would cost more than the memory is worth.
    const int64_t reach = 2 * (int64_t)local->radius_y;
    return (int32_t)LG_MIN(LG_MAX((int64_t)rows - reach, 2 * reach + 64), (int64_t)height);
}

// ---- entries ------------------------------------------------------------------------------------

#ifdef LG_HAVE_VULKAN
#define ON_DEVICE(name, figure, windows)                                                           \
    static void name##_vulkan(struct lg_device_call *call)                                         \
    {                                                                                              \
        lg_local_vulkan(call, LG_LOCAL_##figure, LG_LOCAL_##windows);                              \
    }
#else
#define ON_DEVICE(name, figure, windows)
#endif

#define ENTRY(name, figure, windows, recorded_)                                                    \
    LG_ROWS(name)                                                                                  \
    static lg_status name##_cpu(const lg_native_call *call)                                        \
    {                                                                                              \
        return lg_local_cpu(call, LG_LOCAL_##figure, LG_LOCAL_##windows);                          \
    }                                                                                              \
    static lg_row_reach name##_reach(const lg_filter *filter, const float *values,                 \
                                     const lg_image_params *in)                                    \
    {                                                                                              \
        const lg_local_stats l =                                                                   \
            lg_local_of(filter, values, LG_LOCAL_##figure, LG_LOCAL_##windows, in);                \
        return l.measured ? lg_row_reach_whole("its sums are in units of the largest sample")      \
                          : lg_row_reach_of(l.radius_y);                                           \
    }                                                                                              \
    ON_DEVICE(name, figure, windows)                                                               \
    static const lg_native name##_native = {.cpu = name##_cpu,                                     \
                                            .vulkan = LG_VULKAN(name##_vulkan),                    \
                                            .recorded = recorded_,                                 \
                                            .reach = name##_reach};

#define WINDOW_PARAMETERS(X)                                                                       \
    X(INTEGER, radius, "px", 7, 0, LG_LOCAL_RADIUS,                                                \
      "the window has 2 radius + 1 pixels on a side, as far as they lie inside the image")         \
    X(INTEGER, radius_y, "px", -1, -1, LG_LOCAL_RADIUS,                                            \
      "the same from top to bottom where it differs; -1: as radius")

#define NOTES                                                                                      \
    "the cost does not depend on the window; sums of 8-bit and 16-bit samples are exact. Samples " \
    "that are not finite count as 0"

#define PARAMETERS WINDOW_PARAMETERS
ENTRY(local_mean, MEAN, CONSTANT, "radius radius_y")
ENTRY(local_stddev, DEVIATION, CONSTANT, "radius radius_y")
#undef PARAMETERS

#define PARAMETERS(X)                                                                              \
    WINDOW_PARAMETERS(X)                                                                           \
    X(NUMBER, k, "", 0.2f, -10, 10, "deviations that the threshold lies below the mean")
ENTRY(niblack, NIBLACK, CONSTANT, "radius radius_y")
#undef PARAMETERS

#define PARAMETERS(X)                                                                              \
    WINDOW_PARAMETERS(X)                                                                           \
    X(NUMBER, k, "", 0.2f, -10, 10, "how far the threshold falls where there is no contrast")      \
    X(NUMBER, dynamic_range, "", 0.5f, 1e-6f, 1e6f,                                                \
      "the deviation r at which the threshold is the mean: half of the range of luminances")
ENTRY(sauvola, SAUVOLA, CONSTANT, "radius radius_y")
#undef PARAMETERS

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 16, 0, LG_LOCAL_RADIUS, "radius where the second image's red is 1")   \
    LG_FIT_PARAMETER(X)
ENTRY(variable_box_blur, MEAN, VARIABLE, "radius")
#undef PARAMETERS

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius_x, "px", 16, 0, LG_LOCAL_RADIUS,                                             \
      "radius along rows where the second image's red is 1")                                       \
    X(INTEGER, radius_y, "px", 16, 0, LG_LOCAL_RADIUS,                                             \
      "radius along columns where the second image's green is 1")                                  \
    LG_FIT_PARAMETER(X)
ENTRY(anisotropic_box, MEAN, ANISOTROPIC, "radius_x radius_y")

LG_NATIVE_FILTER(local_mean, &local_mean_native, 1,
                 .summary = "mean over a window that ends at the image's edges",
                 .formula = "c' = mean of c over the pixels with |dx| <= radius, |dy| <= radius_y "
                            "inside the image; where there is alpha, of c a and a",
                 .source = "integral images: Crow 1984, Viola and Jones 2001", .notes = NOTES);
LG_NATIVE_FILTER(local_stddev, &local_stddev_native, 1,
                 .summary = "standard deviation within a window",
                 .formula = "c' = sqrt(mean of c^2 - (mean of c)^2) over the pixels with |dx| <= "
                            "radius, |dy| <= radius_y inside the image; opaque",
                 .source = "integral images: Crow 1984, Viola and Jones 2001", .notes = NOTES);
LG_NATIVE_FILTER(niblack, &niblack_native, 1,
                 .summary = "white where a pixel is not much darker than its window: for text",
                 .formula = "c' = 1 where l >= m - k s, else 0; m and s are mean and standard "
                            "deviation of l = 0.2125 r + 0.7154 g + 0.0721 b over the window",
                 .source = "Niblack 1986; scikit-image threshold_niblack", .notes = NOTES);
LG_NATIVE_FILTER(sauvola, &sauvola_native, 1,
                 .summary = "white where a pixel is not much darker than its window: for pages",
                 .formula = "c' = 1 where l >= m (1 + k (s / dynamic_range - 1)), else 0; m and s "
                            "are mean and standard deviation of l = 0.2125 r + 0.7154 g + 0.0721 b "
                            "over the window",
                 .source = "Sauvola and Pietikainen 2000; scikit-image threshold_sauvola",
                 .notes = NOTES);

#define BLUR_NOTES                                                                                 \
    "the window ends at the image's edges; the second image is cut off at 0 and 1, its alpha is "  \
    "not looked at; " NOTES

LG_NATIVE_FILTER(variable_box_blur, &variable_box_blur_native, 2,
                 .summary = "mean over a square whose size the second image tells",
                 .formula = "c' = mean of c over the pixels with |dx|, |dy| <= floor(o.r radius + "
                            "1/2) inside the image; where there is alpha, of c a and a",
                 .source = "summed-area tables: Crow 1984", .notes = BLUR_NOTES);
LG_NATIVE_FILTER(anisotropic_box, &anisotropic_box_native, 2,
                 .summary = "mean over a rectangle whose sides the second image tells",
                 .formula =
                     "c' = mean of c over the pixels with |dx| <= floor(o.r radius_x + 1/2), "
                     "|dy| <= floor(o.g radius_y + 1/2) inside the image; where there is "
                     "alpha, of c a and a",
                 .source = "summed-area tables: Crow 1984", .notes = BLUR_NOTES);
