// Percentile, mode, entropy, ranges, merging and errors of histograms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "samples.h"

static lg_context *context;

static lg_image *make(lg_type type, int channels, int width, int height, int layers)
{
    return image_zeros(context, SHAPE(width, height, layers, channels, type,
                                      channels > 1 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE));
}

static lg_histogram *measure(const lg_image *image, const lg_histogram_params *params)
{
    lg_histogram *h = NULL;
    lg_error error = {0};
    lg_status status = lg_measure_histogram(context, image, params, &h, &error);
    CHECK(status == LG_OK, "measure: %s", error.message);
    return h;
}

// Fills one row with `values` (as the type stores them) and gives back what is stored, as doubles.
static void store(lg_image *image, const double *values, double *stored)
{
    for (int32_t i = 0; i < image->shape.width; i++) {
        sample_store(image, i, 0, 0, 0, values[i]);
        stored[i] = sample_stored(image, i, 0, 0, 0);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// NumPy's "linear" on the sorted values.
static double sorted_percentile(const double *sorted, int n, double p)
{
    const double position = p / 100 * (n - 1);
    const int k = (int)floor(position);
    if (k >= n - 1)
        return sorted[n - 1];
    return sorted[k] + (sorted[k + 1] - sorted[k]) * (position - k);
}

static void check_percentiles(lg_type type, int n, const double *values)
{
    static const double ps[] = {0, 0.1, 1, 12.5, 25, 33.3, 50, 66.6, 75, 90, 99, 99.9, 100};
    lg_image *image = make(type, 1, n, 1, 1);
    double *sorted = malloc((size_t)n * sizeof *sorted);
    store(image, values, sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    lg_histogram_params params = WITH(lg_histogram_params, it.automatic_range = true);
    lg_histogram *h = measure(image, &params);
    const lg_histogram_channel *c = &h->channel[0];
    const double width = type == LG_F32 ? (c->hi - c->lo) / c->bins * 1.0001 : 0;
    for (size_t i = 0; i < LG_COUNT(ps); i++) {
        const double got = lg_histogram_percentile(c, ps[i]);
        const double want = sorted_percentile(sorted, n, ps[i]);
        CHECK(fabs(got - want) <= width + 1e-12 * fabs(want), "%s n=%d p%g: %.17g, sorted %.17g",
              lg_type_name(type), n, ps[i], got, want);
    }
    lg_histogram_destroy(&h);
    lg_image_destroy(&image);
    free(sorted);
}

static void test_percentiles(void)
{
    static const int sizes[] = {1, 2, 3, 10, 101, 5000};
    double values[5000];
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        for (int i = 0; i < sizes[s]; i++)
            values[i] = floor(256 * random_unit() * random_unit());
        check_percentiles(LG_U8, sizes[s], values);
        for (int i = 0; i < sizes[s]; i++)
            values[i] = floor(65536 * random_unit());
        check_percentiles(LG_U16, sizes[s], values);
        for (int i = 0; i < sizes[s]; i++)
            values[i] = (random_unit() - 0.4) * 100;
        check_percentiles(LG_F16, sizes[s], values);
        check_percentiles(LG_F32, sizes[s], values);
    }
}

static void test_mode_and_entropy(void)
{
    static const double values[] = {7, 3, 3, 9, 7, 200, 7, 3};
    double stored[8];
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make((lg_type)type, 1, 8, 1, 1);
        store(image, values, stored);
        lg_histogram_params p = WITH(lg_histogram_params, it.lo = 0, it.hi = 256, it.bins = 256);
        p.type_range = false;
        lg_histogram *h = measure(image, &p);
        const double shift = type == LG_F32 ? 0.5 : 0; // the middle of the bin
        CHECK(lg_histogram_mode(&h->channel[0]) == 3 + shift, "%s: the lower of two modes, %g",
              lg_type_name((lg_type)type), lg_histogram_mode(&h->channel[0]));
        // 3/8, 3/8, 1/8, 1/8
        const double entropy = 2 * (0.375 * log2(8.0 / 3)) + 2 * (0.125 * 3);
        CHECK(fabs(lg_histogram_entropy(&h->channel[0]) - entropy) < 1e-12, "entropy %g",
              lg_histogram_entropy(&h->channel[0]));
        lg_histogram_destroy(&h);
        p.hi = 5; // figures follow the range
        p.bins = 5;
        h = measure(image, &p);
        CHECK(lg_histogram_percentile(&h->channel[0], 100) <= 4 && h->channel[0].above == 5,
              "%s: outside the range", lg_type_name((lg_type)type));
        lg_histogram_destroy(&h);
        lg_image_destroy(&image);
    }
}

static void test_empty(void)
{
    lg_image *image = make(LG_F32, 1, 3, 1, 1);
    const double values[] = {NAN, INFINITY, -1};
    double stored[3];
    store(image, values, stored);
    lg_histogram *h = measure(image, NULL);
    const lg_histogram_channel *c = &h->channel[0];
    CHECK(c->total == 0 && c->nan_count == 1 && c->inf_count == 1 && c->below == 1, "all outside");
    CHECK(isnan(lg_histogram_percentile(c, 50)) && isnan(lg_histogram_mode(c)) &&
              isnan(lg_histogram_entropy(c)),
          "figures of nothing are NaN");
    lg_histogram_destroy(&h);
    lg_histogram_params p = lg_histogram_params_default();
    p.select.nan = LG_NAN_ERROR;
    lg_error error = {0};
    CHECK(lg_measure_histogram(context, image, &p, &h, &error) == LG_ERROR_DATA && !h,
          "a NaN under LG_NAN_ERROR");
    lg_image_destroy(&image);
}

static void test_automatic_range(void)
{
    static const double values[] = {20, 40, 30, 35};
    double stored[4];
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make((lg_type)type, 1, 4, 1, 1);
        store(image, values, stored);
        lg_histogram_params p = WITH(lg_histogram_params, it.automatic_range = true);
        lg_histogram *h = measure(image, &p);
        const lg_histogram_channel *c = &h->channel[0];
        CHECK(c->lo == 20 && c->hi == 40 && c->total == 4 && c->counts[0] == 1 &&
                  c->counts[type == LG_U16 ? 243 : c->bins - 1] == 1 &&
                  c->bins == (type == LG_U8 ? 21 : 256),
              "%s: %g:%g", lg_type_name((lg_type)type), c->lo, c->hi);
        lg_histogram_destroy(&h);
        for (int i = 0; i < 4; i++)
            stored[i] = 50;
        store(image, stored, stored);
        h = measure(image, &p);
        c = &h->channel[0];
        const double spread = type < LG_F16 ? 0 : 0.5;
        CHECK(c->lo == 50 - spread && c->hi == 50 + spread && c->total == 4, "%s constant: %g:%g",
              lg_type_name((lg_type)type), c->lo, c->hi);
        CHECK(type == LG_F32 ? fabs(lg_histogram_percentile(c, 50) - 50) <= (c->hi - c->lo) / 256
                             : lg_histogram_percentile(c, 50) == 50,
              "median of a constant");
        lg_histogram_destroy(&h);
        lg_image_destroy(&image);
    }
}

// A stack is the sum of its layers.
static void test_stack(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make((lg_type)type, 4, 101, 10, 3);
        random_bytes(image->data, image->shape.layer_stride * 3);
        lg_histogram_params p = WITH(lg_histogram_params, it.space = LG_SPACE_RGBL);
        lg_histogram *whole = measure(image, &p);
        p.stack = true;
        lg_histogram *stack = measure(image, &p);
        bool summed = true;
        for (int c = 0; c < 5; c++)
            for (int32_t i = 0; i < whole->channel[c].bins; i++) {
                uint64_t sum = 0;
                for (int layer = 0; layer < 3; layer++)
                    sum += whole->channel[layer * 5 + c].counts[i];
                summed = summed && stack->channel[c].counts[i] == sum;
            }
        CHECK(summed && stack->layers == 1 && stack->channel[0].layer == -1, "%s: stack",
              lg_type_name((lg_type)type));
        lg_histogram_destroy(&whole);
        lg_histogram_destroy(&stack);
        lg_image_destroy(&image);
    }
}

static void test_grey_luma(void)
{
    lg_image *image = make(LG_U8, 2, 64, 8, 1);
    random_bytes(image->data, image->shape.layer_stride);
    lg_histogram_params p = WITH(lg_histogram_params, it.space = LG_SPACE_RGBL);
    lg_histogram *all = measure(image, &p);
    p.space = LG_SPACE_LUMA;
    lg_histogram *luma = measure(image, &p);
    CHECK(all->channels == 3 && luma->channels == 1, "grey, a, y and y");
    CHECK(strcmp(all->channel[0].name, "grey") == 0 && strcmp(all->channel[1].name, "a") == 0 &&
              strcmp(all->channel[2].name, "y") == 0 && strcmp(luma->channel[0].name, "y") == 0,
          "names");
    CHECK(memcmp(all->channel[0].counts, all->channel[2].counts, 256 * sizeof(uint64_t)) == 0 &&
              memcmp(all->channel[0].counts, luma->channel[0].counts, 256 * sizeof(uint64_t)) == 0,
          "luma of grey is grey");
    lg_histogram_destroy(&all);
    lg_histogram_destroy(&luma);
    lg_image_destroy(&image);
}

// A colour image: channel names, a pixel of known colour in its bin, weights of the integer luma.
static void test_known_pixel(void)
{
    lg_image *image = make(LG_U8, 4, 1, 1, 1);
    memcpy(image->data, (uint8_t[]){255, 128, 0, 255}, 4);
    static const struct {
        lg_space space;
        const char *names[3];
        int bins[3];
    } known[] = {{LG_SPACE_HSV, {"h", "s", "v"}, {21, 255, 255}}, // 30.1 degrees
                 {LG_SPACE_HSL, {"h", "s", "l"}, {21, 255, 128}},
                 {LG_SPACE_LINEAR, {"r", "g", "b"}, {255, 55, 0}},
                 {LG_SPACE_LAB, {"L", "a", "b"}, {171, 170, 202}},       // 67.05, 42.82, 74.03
                 {LG_SPACE_YCBCR601, {"Y", "Cb", "Cr"}, {151, 42, 202}}, // 0.5937, -0.335, 0.2899
                 {LG_SPACE_XYZ, {"X", "Y", "Z"}, {131, 93, 10}}};        // 0.4896, 0.3671, 0.0451
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        lg_histogram_params p = WITH(lg_histogram_params, it.space = known[i].space);
        lg_histogram *h = measure(image, &p);
        for (int c = 0; c < 3; c++)
            CHECK(strcmp(h->channel[c].name, known[i].names[c]) == 0 &&
                      h->channel[c].counts[known[i].bins[c]] == 1,
                  "%s: channel %s", lg_space_name(known[i].space), h->channel[c].name);
        lg_histogram_destroy(&h);
    }
    // 0.2126 255 + 0.7152 128 = 145.76; 0.299 255 + 0.587 128 = 151.38; 127.67; 255
    static const int luma[LG_LUMAS] = {
        [LG_LUMA_BT709] = 146,    [LG_LUMA_BT601] = 151, [LG_LUMA_BT2020] = 154,
        [LG_LUMA_GPUIMAGE] = 146, [LG_LUMA_MEAN] = 128,  [LG_LUMA_MAX] = 255};
    for (int l = 0; l < LG_LUMAS; l++) {
        lg_histogram_params p =
            WITH(lg_histogram_params, it.space = LG_SPACE_LUMA, it.luma = (lg_luma)l);
        lg_histogram *h = measure(image, &p);
        CHECK(h->channel[0].counts[luma[l]] == 1, "luma %s is %g", lg_luma_name((lg_luma)l),
              lg_histogram_mode(&h->channel[0]));
        lg_histogram_destroy(&h);
    }
    lg_image_destroy(&image);
}

static void refuse(const lg_image *image, lg_histogram_params p, lg_status want, const char *what)
{
    lg_histogram *h = NULL;
    lg_error error = {0};
    const lg_status status = lg_measure_histogram(context, image, &p, &h, &error);
    CHECK(status == want && !h && error.message[0], "%s: status %s, %s", what,
          lg_status_name(status), error.message);
    lg_histogram_destroy(&h);
}

static void test_errors(void)
{
    lg_image *image = make(LG_F32, 1, 4, 4, 1);
    const lg_histogram_params good = lg_histogram_params_default();
    lg_histogram_params p = good;
    p.bins = 0;
    refuse(image, p, LG_ERROR_ARGUMENT, "no bins");
    p.bins = LG_MAX_BINS + 1;
    refuse(image, p, LG_ERROR_ARGUMENT, "too many bins");
    p = good;
    p.type_range = false;
    p.lo = p.hi = 1;
    refuse(image, p, LG_ERROR_ARGUMENT, "lo = hi");
    p.hi = 1 + 1e-12; // the same float
    refuse(image, p, LG_ERROR_ARGUMENT, "a range that float cannot hold");
    p.lo = -3e38;
    p.hi = 3.5e38;
    refuse(image, p, LG_ERROR_ARGUMENT, "an end beyond float");
    p.lo = NAN;
    refuse(image, p, LG_ERROR_ARGUMENT, "NaN");
    p = good;
    p.space = LG_SPACE_HSV;
    refuse(image, p, LG_ERROR_ARGUMENT, "hsv of grey");
    p = good;
    p.variant = LG_HISTOGRAM_VK_GLOBAL;
    refuse(image, p, LG_ERROR_UNSUPPORTED, "a Vulkan variant on the CPU");
    p = good;
    p.variant = LG_HISTOGRAM_VARIANTS;
    refuse(image, p, LG_ERROR_ARGUMENT, "no such variant");
    for (int64_t i = 0; i < 200; i++) { // every allocation in turn
        lg_histogram *h = NULL;
        lg_error error = {0};
        lg_alloc_fail_after(i);
        const lg_status status = lg_measure_histogram(context, image, NULL, &h, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_OK || (status == LG_ERROR_MEMORY && !h), "allocation %d: %s", (int)i,
              error.message);
        lg_histogram_destroy(&h);
        if (status == LG_OK)
            break;
    }
    lg_image_destroy(&image);
    for (int i = 0; i < LG_SPACES; i++)
        CHECK(strcmp(lg_space_name((lg_space)i), "unknown") != 0, "space %d has a name", i);
    for (int i = 0; i < LG_HISTOGRAM_VARIANTS; i++)
        CHECK(strcmp(lg_histogram_variant_name((lg_histogram_variant)i), "unknown") != 0,
              "variant %d has a name", i);
}

int main(void)
{
    random_seed(22);
    context = device_open_threads(2);
    if (!context)
        return check_finish("histogram_figures");
    test_percentiles();
    test_mode_and_entropy();
    test_empty();
    test_automatic_range();
    test_stack();
    test_grey_luma();
    test_known_pixel();
    test_errors();
    lg_context_destroy(&context);
    return check_finish("histogram_figures");
}
