// Histograms: an oracle equals the reference, and that every CPU level, variant and number of threads.
#include "check.h"
#include "histograms.h"

#include <math.h>
#include <stdlib.h>

static void compare(const char *title, const lg_image *image, const lg_histogram_params *params)
{
    measure_compare(&histogram_case, &(measured){.title = title,
                                                 .image = image,
                                                 .select = params->select,
                                                 .stack = params->stack,
                                                 .params = params});
}

static void test_ranges(void)
{
    static const struct {
        double lo, hi;
        int32_t bins;
    } ranges[] = {{0, 255, 256},    {0, 255, 100}, {10, 20, 11},      {10, 20, 3},
                  {-5, 300, 65536}, {0, 65535, 1}, {100, 40000, 777}, {0, 1, 2}},
      of_floats[] = {{0, 1, 10},    {0, 1, 65536},     {-0.25, 1.5, 7}, {0.1, 0.7, 300},
                     {0.5, 0.6, 1}, {-1e30, 1e30, 64}, {0, 0.3, 3}};
    for (int type = 0; type < LG_TYPES; type++) {
        const bool real = type >= LG_F16;
        lg_image *image =
            content_image(kernel_context(), SHAPE(301, 41, 1, 1, type, 0), CONTENT_SPECIAL);
        for (size_t i = 0; i < (real ? LG_COUNT(of_floats) : LG_COUNT(ranges)); i++)
            compare("range", image,
                    WITH_REF(lg_histogram_params, it.type_range = false,
                             it.lo = real ? of_floats[i].lo : ranges[i].lo,
                             it.hi = real ? of_floats[i].hi : ranges[i].hi,
                             it.bins = real ? of_floats[i].bins : ranges[i].bins));
        lg_image_destroy(&image);
    }
}

// Values on every edge and next to it, of a range whose width is not a power of two.
static void test_edges(void)
{
    const double lo = 0.1, hi = 0.9;
    const int32_t bins = 37;
    lg_image *image = image_zeros(kernel_context(), SHAPE(3 * (bins + 1), 1, 1, 1, LG_F32, 0));
    float *v = image->data;
    for (int32_t i = 0; i <= bins; i++) {
        const float edge = (float)(lo + i * (hi - lo) / bins);
        v[3 * i] = nextafterf(edge, -1);
        v[3 * i + 1] = edge;
        v[3 * i + 2] = nextafterf(edge, 2);
    }
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.bins = bins, it.lo = lo, it.hi = hi, it.type_range = false);
    compare("edges", image, &params);
    lg_histogram *h = NULL;
    NEED(!lg_measure_histogram(kernel_context(), image, &params, &h, NULL), "edges");
    CHECK(h->channel[0].below == 1 && h->channel[0].above == 1, "one value just outside each end");
    CHECK(h->channel[0].total == 3 * (uint64_t)bins + 1, "the rest is in bins");
    lg_histogram_destroy(&h);
    lg_image_destroy(&image);
}

static void test_spaces(void)
{
    static const content kinds[] = {CONTENT_UNIT, CONTENT_SIGNED, CONTENT_CONSTANT,
                                    CONTENT_SPECIAL};
    for (int i = 0; i < LG_TYPES * LG_SPACES * (int)LG_COUNT(kinds); i++) {
        const int type = i % LG_TYPES, space = i / LG_TYPES % LG_SPACES;
        const size_t kind = (size_t)(i / LG_TYPES / LG_SPACES);
        const int alpha = space % 2 ? LG_ALPHA_OPAQUE : LG_ALPHA_STRAIGHT;
        lg_image *image =
            content_image(kernel_context(), SHAPE(1031, 5, 1, 4, type, alpha), kinds[kind]);
        const int lumas = space == LG_SPACE_LUMA || space == LG_SPACE_RGBL ? LG_LUMAS : 1;
        for (int luma = 0; luma < lumas; luma++)
            compare("space", image,
                    WITH_REF(lg_histogram_params, it.space = (lg_space)space,
                             it.luma = (lg_luma)luma, it.select.skip_transparent = luma % 2,
                             it.automatic_range = kind == 1));
        lg_image_destroy(&image);
    }
}

// ---- large images of bytes, counted by pairs where neighbours are alike ---------------------------

#define LARGE_SAMPLES (1 << 22)

// Slow walks with jumps, noise in the lower half; alphas of a few blocks of rows are not 255.
static void fill_large(lg_image *image)
{
    const int channels = image->shape.channels;
    uint8_t walk[LG_MAX_CHANNELS] = {0};
    const int32_t rows = image->shape.height * image->shape.layers; // one behind the other
    for (int32_t y = 0; y < rows; y++) {
        uint8_t *row = (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
        for (int64_t i = 0; i < (int64_t)image->shape.width * channels; i++) {
            const uint64_t r = random_u64();
            uint8_t *at = &walk[i % channels];
            *at = (uint8_t)(*at + (r >> 8 & 7) - 3);
            if ((r >> 16 & 255) == 0 || (y > rows / 2 && y % 2))
                *at = (uint8_t)r;
            const bool full = channels == 4 && i % 4 == 3 && (y / 16 % 3 || (r >> 24 & 3));
            row[i] = full ? 255 : *at;
        }
    }
}

static void test_large(int channels, lg_alpha alpha, int layers, size_t padding)
{
    const int width = 2051, height = LARGE_SAMPLES / channels / width + 9;
    lg_image_params shape = SHAPE(width, height, layers, channels, LG_U8, alpha);
    shape.row_stride = (size_t)(width * channels) + padding;
    shape.layer_stride = shape.row_stride * (size_t)height;
    uint8_t *pixels = malloc(shape.layer_stride * (size_t)layers);
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    NEED(pixels && !lg_image_wrap(kernel_context(), &shape, pixels, &image, &error),
         "a large image: %s", error.message);
    fill_large(image);
    // Where it lies: what is counted by pairs depends on how rows follow each other. The second time other
    // threads meet other blocks.
    const measured m = {.title = "large", .image = image, .select = lg_select_default()};
    measure_in_place(&histogram_case, &m);
    measure_in_place(&histogram_case, &m);
    lg_image_destroy(&image);
    free(pixels);
}

static void test_more(void)
{
    test_ranges();
    test_edges();
    test_spaces();
    test_large(1, LG_ALPHA_NONE, 1, 0);
    test_large(1, LG_ALPHA_NONE, 1, 5);
    test_large(2, LG_ALPHA_STRAIGHT, 2, 0);
    test_large(4, LG_ALPHA_STRAIGHT, 1, 12);
    test_large(4, LG_ALPHA_STRAIGHT, 2, 0);
    test_large(4, LG_ALPHA_OPAQUE, 2, 0);
}

int main(void)
{
    return measure_main("histogram", &histogram_case, 1, test_more);
}
