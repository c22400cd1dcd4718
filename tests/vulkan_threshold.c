// Thresholds on a Vulkan context: levels, counts and pixels of the CPU, whichever way they are
// reached.
#include "check.h"
#include "content.h"
#include "device.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_context *cpu, *vulkan;

#define MOST_LAYERS 4

static bool same_pixels(const lg_image *a, const lg_image *b)
{
    bool same = a->shape.width == b->shape.width && a->shape.height == b->shape.height &&
                a->shape.layers == b->shape.layers && a->data && b->data;
    for (int64_t i = 0; same && i < (int64_t)a->shape.layers * a->shape.height; i++) {
        const size_t layer = (size_t)(i / a->shape.height), y = (size_t)(i % a->shape.height);
        same = memcmp((uint8_t *)a->data + layer * a->shape.layer_stride + y * a->shape.row_stride,
                      (uint8_t *)b->data + layer * b->shape.layer_stride + y * b->shape.row_stride,
                      (size_t)a->shape.width) == 0;
    }
    return same;
}

static bool same_bits(double a, double b)
{
    return a == b || (a != a && b != b);
}

static bool same_threshold(const lg_threshold *a, const lg_threshold *b)
{
    bool same = a->levels == b->levels && same_bits(a->separability, b->separability) &&
                a->foreground == b->foreground && a->total == b->total;
    for (int32_t i = 0; same && i < a->levels; i++)
        same = same_bits(a->level[i], b->level[i]) && a->bin[i] == b->bin[i];
    return same;
}

// Whether every pass over these pixels is the device's. One that takes subnormal floats for zero leaves
// luma next to zero to the CPU.
static bool device_alone(const lg_image *image, const lg_threshold_params *params)
{
    const bool near = params->method == LG_THRESHOLD_VALUE && fabs(params->value) < 0x1p-100;
    return ((const lg_image_private *)image)->device &&
           (image->shape.type != LG_F32 || image->shape.channels < 4 || !near ||
            lg_vk_get_limits(vulkan->vk)->denorm_preserve);
}

// The threshold of the device, without the host pixels where it has no need of them.
static lg_status threshold_there(const lg_image *image, const lg_threshold_params *params,
                                 lg_threshold *out, lg_image **pixels, lg_error *error)
{
    lg_image *shown = (lg_image *)image;
    void *data = shown->data;
    if (device_alone(image, params))
        shown->data = NULL;
    const lg_status status =
        lg_threshold_image(vulkan, shown, params, out, MOST_LAYERS, pixels, error);
    shown->data = data;
    return status;
}

// Once with pixels and once for the levels alone.
static void compare(const char *what, const lg_image *image, const lg_threshold_params *params)
{
    const int32_t entries = params->stack ? 1 : image->shape.layers;
    for (int pixels = 1; pixels >= 0; pixels--) {
        lg_threshold want[MOST_LAYERS] = {{0}}, got[MOST_LAYERS] = {{0}};
        lg_image *want_image = NULL, *got_image = NULL;
        lg_error error = {LG_OK, ""}, device_error = {LG_OK, ""};
        const lg_status expected = lg_threshold_image(cpu, image, params, want, MOST_LAYERS,
                                                      pixels ? &want_image : NULL, &error);
        const lg_status status =
            threshold_there(image, params, got, pixels ? &got_image : NULL, &device_error);
        const lg_image_params *s = &image->shape;
        CHECK(status == expected, "%s: %s x%d %s: status %d, CPU %d: %s", what,
              lg_type_name(s->type), s->channels, lg_threshold_method_name(params->method), status,
              expected, device_error.message);
        if (got_image && !got_image->data)
            CHECK(lg_image_download(vulkan, got_image, &error) == LG_OK, "%s", error.message);
        for (int32_t i = 0; status == LG_OK && expected == LG_OK && i < entries; i++)
            CHECK(
                same_threshold(&got[i], &want[i]),
                "%s: %s x%d alpha %d %dx%dx%d %s %s layer %d, pixels %d: level %.17g bin %d above "
                "%llu of %llu separability %.17g, CPU %.17g %d %llu %llu %.17g",
                what, lg_type_name(s->type), s->channels, (int)s->alpha, s->width, s->height,
                s->layers, lg_threshold_method_name(params->method), lg_luma_name(params->luma), i,
                pixels, got[i].level[0], got[i].bin[0], (unsigned long long)got[i].foreground,
                (unsigned long long)got[i].total, got[i].separability, want[i].level[0],
                want[i].bin[0], (unsigned long long)want[i].foreground,
                (unsigned long long)want[i].total, want[i].separability);
        if (got_image && want_image)
            CHECK(same_pixels(got_image, want_image), "%s: %s x%d %dx%dx%d %s: pixels differ", what,
                  lg_type_name(s->type), s->channels, s->width, s->height, s->layers,
                  lg_threshold_method_name(params->method));
        lg_image_destroy(&got_image);
        lg_image_destroy(&want_image);
    }
}

static lg_image *make(lg_image_params shape, content kind, bool upload)
{
    lg_image *image = content_image(vulkan, shape, kind);
    if (image && upload)
        CHECK(lg_image_upload(vulkan, image, NULL) == LG_OK, "upload");
    return image;
}

static const lg_threshold_method quick[] = {LG_THRESHOLD_OTSU, LG_THRESHOLD_MEAN,
                                            LG_THRESHOLD_VALUE};

static void compare_quick(const char *what, const lg_image *image, lg_threshold_params params)
{
    static const double values[] = {127, 0.5, -1, 255, 1e9, 99.5};
    static size_t turn;
    for (size_t m = 0; m < LG_COUNT(quick); m++) {
        params.method = quick[m];
        params.value = values[turn++ % LG_COUNT(values)];
        compare(what, image, &params);
    }
}

static void test_shapes(void)
{
    static const int sizes[][3] = {{1, 1, 1},    {1, 77, 1},  {131, 1, 2},    {127, 33, 1},
                                   {128, 32, 4}, {16, 50, 1}, {4095, 3, 1},   {4097, 2, 1},
                                   {333, 61, 3}, {64, 64, 2}, {1500, 1400, 1}};
    static const int kinds[][2] = {
        {1, LG_ALPHA_NONE}, {4, LG_ALPHA_OPAQUE}, {2, LG_ALPHA_STRAIGHT}, {4, LG_ALPHA_STRAIGHT}};
    for (int type = 0; type < test_extent(2, LG_TYPES, LG_TYPES); type++) {
        for (size_t k = 0; k < (size_t)test_extent(1, type == LG_U8 ? 4 : 1, 4); k++) {
            for (size_t i = 0; i < LG_COUNT(sizes);
                 i += (size_t)test_extent(4, type == LG_U8 ? 2 : 4, 1)) {
                lg_image *image = make(
                    SHAPE(sizes[i][0], sizes[i][1], sizes[i][2], kinds[k][0], type, kinds[k][1]),
                    i % 4 == 3 ? CONTENT_CONSTANT : CONTENT_UNIT, i % 2);
                const lg_threshold_params params = WITH(lg_threshold_params, it.stack = (i + k) % 2,
                                                        it.luma = (lg_luma)(i % LG_LUMAS));
                if (image)
                    compare_quick("shapes", image, params);
                lg_image_destroy(&image);
            }
        }
    }
}

static void test_selections(void)
{
    for (int channels = 1; channels <= test_extent(1, 4, 4); channels *= 2) {
        const lg_image_params shape =
            SHAPE(301, 47, 2, channels, LG_U8, channels > 1 ? LG_ALPHA_STRAIGHT : 0);
        lg_image *image = make(shape, CONTENT_UNIT, true);
        lg_image *mask = content_mask(vulkan, &shape, channels == 2 ? 2 : 1);
        if (!image || !mask)
            continue;
        for (int x = 1; x <= 17; x += test_extent(8, 2, 1)) {
            const lg_region region = {x, x % 4, 301 - x * 9, 40};
            lg_threshold_params params = WITH(lg_threshold_params, it.stack = x % 4 == 1);
            params.select.region = &region;
            compare_quick("region", image, params);
            params.select.mask = x % 3 ? mask : NULL;
            params.select.skip_transparent = x % 2;
            params.select.step = 1 + x % 3;
            compare_quick("selection", image, params);
        }
        // Nothing is selected: the same refusal.
        memset(mask->data, 0, (size_t)mask->shape.layers * mask->shape.layer_stride);
        lg_threshold_params none = lg_threshold_params_default();
        none.select.mask = mask;
        compare_quick("empty", image, none);
        lg_image_destroy(&mask);
        lg_image_destroy(&image);
    }
}

// Otsu where maxima tie, classes are far apart, or a level lies at an end of the values.
static void test_hard_levels(void)
{
    static const uint8_t pairs[][2] = {{0, 255}, {0, 1}, {254, 255}, {7, 7}, {100, 200}, {0, 128}};
    lg_image *image = make(SHAPE(200, 41, 1, 1, LG_U8, 0), CONTENT_UNIT, false);
    const lg_threshold_params params = lg_threshold_params_default();
    for (size_t i = 0; image && i < LG_COUNT(pairs); i++) {
        for (uint32_t odds = 2; odds <= 5000; odds *= 50) {
            for (int y = 0; y < 41; y++)
                for (int x = 0; x < 200; x++)
                    ((uint8_t *)image->data)[(size_t)y * image->shape.row_stride + (size_t)x] =
                        pairs[i][odds == 2 ? (x + y) % 2 : random_below(odds) == 0];
            compare_quick("two values", image, params);
        }
    }
    lg_image_destroy(&image);
    for (int i = 0; i < test_extent(4, 20, 2000); i++) {
        image = make(SHAPE(1 + (int)random_below(90), 1 + (int)random_below(90), 1, 1, LG_U8, 0),
                     CONTENT_UNIT, random_below(2));
        for (int64_t k = 0; image && k < image->shape.height; k++)
            for (int64_t x = 0; x < image->shape.width; x++) {
                uint8_t *v = (uint8_t *)image->data + (size_t)k * image->shape.row_stride + x;
                *v = (uint8_t)(*v % (1 + i % 7 * 40) + (x % 3 == 0 ? i % 50 : 0));
            }
        if (image && ((lg_image_private *)image)->device)
            CHECK(lg_image_upload(vulkan, image, NULL) == LG_OK, "upload");
        if (image)
            compare_quick("levels", image, params);
        lg_image_destroy(&image);
    }
}

// Every type against levels at the ends of its values, on pixels that are not numbers, too; rows that
// start anywhere.
static void test_values(void)
{
    static const double values[] = {0,      -0.0,  0x1p-149, -0x1p-149, 0x1p-24,   0.5,     -1,
                                    65504,  65534, 65535,    254.5,     -INFINITY, 1e-310,  254,
                                    3.4e38, 1e39,  -1e39,    INFINITY,  255,       -1e-310, 65520};
    static const content kinds[] = {CONTENT_ALL_BITS, CONTENT_SPECIAL, CONTENT_ZEROS,
                                    CONTENT_DENORMAL};
    static size_t turn;
    for (int i = 0; i < LG_TYPES * 3; i++) {
        const int type = i % LG_TYPES, channels = 1 << i / LG_TYPES;
        for (size_t k = 0; k < LG_COUNT(kinds); k++) {
            lg_image *image = make(SHAPE(117, 9, 2, channels, type, 0), kinds[k], k != 1);
            for (int x = 0; image && x < test_extent(3, 4, 40); x++) {
                const lg_region region = {x % 5, x % 3, 117 - 4 * (x % 29), 9 - x % 4};
                const lg_threshold_params params =
                    WITH(lg_threshold_params, it.method = LG_THRESHOLD_VALUE,
                         it.value = values[turn % LG_COUNT(values)],
                         it.luma = (lg_luma)(turn % LG_LUMAS), it.stack = x % 2,
                         it.select.region = x ? &region : NULL);
                compare("values", image, &params);
                turn++;
            }
            lg_image_destroy(&image);
        }
    }
}

// Levels that the host finds from what the device measured: ranges and means of floats by layer, under
// masks, by luma; several levels.
static void test_found_levels(void)
{
    static const lg_threshold_method methods[] = {LG_THRESHOLD_OTSU, LG_THRESHOLD_MEAN,
                                                  LG_THRESHOLD_MULTI_OTSU, LG_THRESHOLD_TRIANGLE};
    for (int i = 0; i < LG_TYPES * 3; i++) {
        const int type = i % LG_TYPES, channels = 1 << i / LG_TYPES;
        const lg_image_params shape =
            SHAPE(203, 41, 3, channels, type, channels > 1 ? LG_ALPHA_STRAIGHT : 0);
        lg_image *image = make(shape, CONTENT_SPRINKLED, true);
        lg_image *mask = content_mask(vulkan, &shape, i % 2 ? 3 : 1);
        const int first = test_is_full() ? 0 : i, count = test_extent(1, 1, 24);
        for (int k = first; image && mask && k < first + count; k++) {
            const lg_region region = {1 + k, k % 3, 190 - k, 37};
            lg_threshold_params params =
                WITH(lg_threshold_params, it.classes = 2 + k % 4, it.luma = (lg_luma)(k % LG_LUMAS),
                     it.stack = k % 3 == 1);
            params.select.nan = LG_NAN_IGNORE;
            params.select.region = k % 2 ? &region : NULL;
            params.select.mask = k % 3 ? mask : NULL;
            params.select.skip_transparent = k % 4 > 1;
            params.select.step = 1 + k % 5 / 3;
            for (size_t m = 0; m < LG_COUNT(methods); m++) {
                params.method = methods[m];
                compare("found", image, &params);
            }
        }
        lg_image_destroy(&mask);
        lg_image_destroy(&image);
    }
}

static void test_methods(void)
{
    for (int type = LG_U8; type < LG_TYPES; type += test_extent(4, 3, 1)) {
        lg_image *image = make(SHAPE(211, 37, 2, 1, type, 0), CONTENT_UNIT, true);
        for (int method = 0; image && method < LG_THRESHOLD_METHODS; method++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = (lg_threshold_method)method, it.value = 0.5);
            compare("methods", image, &params);
        }
        lg_image_destroy(&image);
    }
}

int main(void)
{
    random_seed(20250313);
    cpu = device_open_cpu();
    vulkan = device_open(NULL, NULL);
    if (cpu && vulkan) {
        test_shapes();
        test_selections();
        test_hard_levels();
        test_values();
        test_found_levels();
        test_methods();
        device_close(&vulkan);
    }
    lg_context_destroy(&cpu);
    return check_finish("vulkan_threshold");
}
