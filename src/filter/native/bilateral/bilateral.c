// Bilateral filter: a mean over a disc, with less weight the farther away and the more different a
// pixel is.
#include "filter/native/bilateral/bilateral.h"
#include "filter/native/bilateral/bilateral_weight.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 5, 0, LG_BILATERAL_RADIUS, "of the disc")                             \
    X(NUMBER, sigma_space, "px", 3, 0.1f, 1000, "standard deviation of distances")                 \
    X(NUMBER, sigma_color, "", 0.1f, 0.001f, 1000, "standard deviation of differences of colours") \
    X(CHOICE, method, 0, "exact|grid", "grid: another spelling of bilateral_grid, without radius") \
    LG_BORDER_PARAMETER(X)

LG_ROWS(bilateral)

LG_CPU_DECLARE(lg_bilateral_run_fn, bilateral);

#define STRIP_BYTES (160 << 10) // of the rows of a tile
#define KEPT_BYTES  (512 << 10) // of weights in a narrow tile; more of them are computed anew

lg_bilateral lg_bilateral_describe(const lg_filter *filter, const float *values,
                                   const lg_pixels *in, const lg_pixels *out)
{
    lg_bilateral b = {.border = (lg_border)lg_native_value(filter, values, "border")};
    b.bytes = in->type == LG_U8 && !lg_pixels_have_alpha(in);
    b.rounded = b.bytes && lg_pixels_same_kind(in, out);
    b.unit = b.bytes && !b.rounded ? LG_UNIT_U8 : 1;
    b.planes = lg_plane_count(in);
    const bool alpha = lg_pixels_have_alpha(in);
    b.distance = alpha ? b.planes : LG_MIN(b.planes, 3);
    // Grey is a colour with three equal components. Alpha is one component more.
    const bool grey = in->channels == 1 || (in->channels == 2 && in->alpha != LG_ALPHA_NONE);
    b.scale = grey && !alpha ? 3 : 1;
    b.first = grey && alpha ? 3 : 1;
    b.factor = bilateral_factor(lg_native_value(filter, values, "sigma_color"), b.scale,
                                b.bytes ? 255 : 1);
    return b;
}

static void find_taps(lg_bilateral *b, float sigma)
{
    const int r = b->radius;
    const float decay = bilateral_factor(sigma, 1, 1);
    for (int y = 0; y <= r; y++)
        for (int x = -r; x <= r; x++)
            if (x * x + y * y <= r * r && (y > 0 || x > 0)) {
                const float weight = bilateral_weight((float)(x * x + y * y) * decay);
                b->taps[b->count++] = (lg_bilateral_tap){(int16_t)x, (int16_t)y, weight, b->rows};
                b->rows += y + 1;
            }
}

lg_status lg_bilateral_create(const lg_filter *filter, const float *values, const lg_pixels *in,
                              const lg_pixels *out, lg_bilateral *b, lg_error *error)
{
    *b = lg_bilateral_describe(filter, values, in, out);
    b->radius = (int)lg_native_value(filter, values, "radius");
    const size_t side = 2 * (size_t)b->radius + 1;
    b->taps = lg_alloc_array(side * side / 2 + 1, sizeof *b->taps);
    if (!b->taps)
        return lg_fail_memory(error, side * side / 2 * sizeof *b->taps, "the weights of bilateral");
    find_taps(b, lg_native_value(filter, values, "sigma_space"));
    return LG_OK;
}

void lg_bilateral_destroy(lg_bilateral *b)
{
    lg_free(b->taps);
    b->taps = NULL;
}

static size_t pitch_of(const lg_bilateral *b, size_t width)
{
    return lg_align_up(width + 2 * (size_t)b->radius + 96, 16);
}

size_t lg_bilateral_scratch(const lg_bilateral *b, size_t width)
{
    const size_t rows = (2 * (size_t)b->radius + 1 + 1) * (size_t)b->planes + (size_t)b->rows + 8;
    return rows * pitch_of(b, width) * sizeof(float) + 5 * (size_t)b->count * sizeof(void *) + 4096;
}

static lg_status bilateral(const lg_native_call *call)
{
    const lg_pixels in = lg_layer_pixels(call->in[0], 0), out = lg_layer_pixels(call->out, 0);
    lg_bilateral b;
    lg_status status = lg_bilateral_create(call->filter, call->values, &in, &out, &b, call->error);
    if (status)
        return status;
    if ((size_t)b.rows * pitch_of(&b, 64) * sizeof(float) > KEPT_BYTES)
        b.rows = 0;
    lg_pixel_tiles tiles = {.run = *LG_CPU_SELECT(bilateral, call->context->cpu_level), .job = &b};
    const size_t rows = (size_t)b.rows + (2 * (size_t)b.radius + 1) * (size_t)b.planes;
    const size_t width = STRIP_BYTES / (rows * sizeof(float));
    lg_pixel_tiles_cut(&tiles, call, 1, 1, 1, 8 * (b.radius + 1), b.border);
    if (b.border != LG_BORDER_WRAP)
        tiles.strip = LG_MIN(tiles.strip, (int32_t)LG_MAX(width / 64 * 64, 64));
    b.pitch = pitch_of(&b, (size_t)tiles.strip);
    tiles.scratch = lg_bilateral_scratch(&b, (size_t)tiles.strip);
    status = lg_pixel_tiles_run(call, &tiles);
    lg_bilateral_destroy(&b);
    return status;
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of((int64_t)lg_native_value(filter, values, "radius"));
}

#define TAP_COST 0.12 // nanoseconds

static double cost(const lg_filter *filter, const float *values)
{
    const double radius = (double)lg_native_value(filter, values, "radius");
    return TAP_COST * (3.14 * radius * radius + 1);
}

static const lg_native bilateral_native = {.cpu = bilateral,
                                           .vulkan = LG_VULKAN(lg_bilateral_vulkan),
                                           .recorded = "radius",
                                           .reach = reach,
                                           .cost = cost};

LG_NATIVE_FILTER(
    bilateral, &bilateral_native, 1, .summary = "smooths, but not across edges",
    .formula = "c' = sum of w c / sum of w over a disc of radius px, w = exp(-d^2 / (2 "
               "sigma_space^2)) exp(-n^2 / (2 sigma_color^2)), d the distance in "
               "pixels, n that of r, g, b and, in images that have it, alpha",
    .source = "GPUImageBilateralFilter; Tomasi and Manduchi 1998",
    .notes = "a true two-dimensional filter; GPUImage's two passes of nine taps, with "
             "its parameters, are bilateral_taps. Colours are compared premultiplied. A grey is "
             "three equal "
             "components: on grey images sigma_color=s is "
             "OpenCV's sigmaColor 255 s / sqrt(3), so 0.1 is 14.7 and OpenCV's 25.5 is "
             "0.173. On colour OpenCV adds absolute differences, and no sigma gives the same");
