// Thresholds on a Vulkan context: levels, counts and pixels of the CPU, whichever way they are
// reached.
#include "check.h"
#include "device.h"
#include "thresholds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_context *cpu, *vulkan;

static void compare(const char *title, const lg_image *image, const lg_threshold_params *params)
{
    const measured m = threshold_try(title, image, params);
    void *want = measure_figures(&threshold_case, cpu, &m);
    if (want)
        measure_check(&threshold_case, vulkan, &m, threshold_case.device_variants, want);
    measure_release(&threshold_case, want);
}

static lg_image *make(lg_image_params shape, content kind, bool upload)
{
    return (upload ? content_on_device : content_image)(vulkan, shape, kind);
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
    for (size_t i = 0; i < LG_COUNT(pairs); i++) {
        for (uint32_t odds = 2; odds <= 5000; odds *= 50) {
            for (int y = 0; y < 41; y++)
                for (int x = 0; x < 200; x++)
                    ((uint8_t *)image->data)[(size_t)y * image->shape.row_stride + (size_t)x] =
                        pairs[i][odds == 2 ? (x + y) % 2 : random_below(odds) == 0];
            compare_quick("two values", image, params);
        }
    }
    lg_image_destroy(&image);
    for (int i = 0; i < test_extent(4, 14, 2000); i++) {
        image = make(SHAPE(1 + (int)random_below(90), 1 + (int)random_below(90), 1, 1, LG_U8, 0),
                     CONTENT_UNIT, random_below(2));
        for (int64_t k = 0; k < image->shape.height; k++)
            for (int64_t x = 0; x < image->shape.width; x++) {
                uint8_t *v = (uint8_t *)image->data + (size_t)k * image->shape.row_stride + x;
                *v = (uint8_t)(*v % (1 + i % 7 * 40) + (x % 3 == 0 ? i % 50 : 0));
            }
        if (((lg_image_private *)image)->device)
            CHECK(lg_image_upload(vulkan, image, NULL) == LG_OK, "upload");

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
            for (int x = 0; x < test_extent(3, 4, 40); x++) {
                const lg_region region = {x % 5, x % 3, 113 - 4 * (x % 28), 7 - x % 4};
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
        for (int k = first; k < first + count; k++) {
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
        for (int method = 0; method < LG_THRESHOLD_METHODS; method++) {
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
