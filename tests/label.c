// Labels against a flood fill: identical numbers and sums on every instruction-set level and with any number
// of threads, for every connectivity, foreground and sample type.
#include "check.h"
#include "flood_fill.h"
#include "label_content.h"
#include "labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int connectivities[] = {4, 8, 6, 18, 26};

static void compare_all(const lg_image *image, lg_foreground foreground, double level,
                        int connectivity, const char *what)
{
    const label_params params = {.of = WITH(lg_label_params, it.foreground = foreground,
                                            it.level = level, it.connectivity = connectivity)};
    label_check(what, image, &params);
}

static lg_image *new_image(lg_type type, int32_t width, int32_t height, int32_t layers)
{
    return label_content_image(kernel_context(), type, width, height, layers);
}

static void test_noise(void)
{
    static const int32_t sizes[][3] = {{131, 37, 1}, {67, 23, 5}, {320, 431, 1}};
    const int seeds = test_extent(1, 1, 8), step = test_extent(50, 20, 5);
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int density = 0; density <= 100; density += step)
            for (int grain = 1; grain <= 16; grain += grain < 3 || test_is_full() ? 1 : 6)
                for (int seed = 0; seed < seeds; seed++) {
                    char what[64];
                    snprintf(what, sizeof what, "noise %d %% of cells of %d, seed %d", density,
                             grain, seed);
                    random_seed((uint64_t)(density * 1000 + grain * 10 + seed + 1));
                    label_content_fill(image, LABEL_NOISE, density, grain, 0, false);
                    // All in small images, one in large ones.
                    for (size_t c = 0; c < LG_COUNT(connectivities); c++)
                        if (test_is_full() || s < 2 ||
                            c == (size_t)(density / step + grain) % LG_COUNT(connectivities))
                            compare_all(image, LG_FOREGROUND_NONZERO, 0, connectivities[c], what);
                }
        lg_image_destroy(&image);
    }
}

static void test_shapes(void)
{
    static const int32_t sizes[][3] = {{1, 1, 1},    {1, 97, 1},    {61, 1, 1},    {64, 5, 2},
                                       {63, 7, 3},   {65, 64, 1},   {128, 2, 4},   {2, 129, 3},
                                       {1021, 7, 1}, {257, 509, 1}, {4099, 41, 1}, {1, 1, 67}};
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++) {
            const bool large = sizes[s][0] * sizes[s][1] > 100000;
            label_content_fill(image, (label_content)kind, 0, 1, 0, false);
            for (size_t c = 0; c < (large && !test_is_full() ? 2 : LG_COUNT(connectivities)); c++)
                compare_all(image, LG_FOREGROUND_NONZERO, 0, connectivities[c],
                            label_content_name((label_content)kind));
        }
        lg_image_destroy(&image);
    }
}

// Types, thresholds and label images; some samples are special.
static void test_foregrounds(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = new_image((lg_type)type, 197, 29, 3);
        for (int grain = 1; grain <= 3; grain++) {
            random_seed((uint64_t)(100 * type + grain));
            for (int foreground = 0; foreground < LG_FOREGROUNDS; foreground++) {
                const double level = foreground == LG_FOREGROUND_ABOVE ? 7 : 0;
                label_content_fill(image, LABEL_NOISE, 60, grain, level,
                                   foreground == LG_FOREGROUND_VALUES);
                if (type >= LG_F16)
                    for (int i = 0; i < 400; i++) {
                        static const uint32_t bits[] = {0x7fc00000, 0xff800000, 0x7f800000,
                                                        0x80000000, 1,          0xffc00001,
                                                        0x40e00001, 0x80000001};
                        static const uint16_t halves[] = {0x7e00, 0xfc00, 0x7c00, 0x8000,
                                                          1,      0xfe01, 0x4701, 0x8001};
                        const uint32_t which = random_below(8);
                        uint8_t *p = (uint8_t *)image->data +
                                     random_below(3) * image->shape.layer_stride +
                                     random_below(29) * image->shape.row_stride +
                                     random_below(197) * lg_type_size((lg_type)type);
                        memcpy(p, type == LG_F16 ? (const void *)&halves[which] : &bits[which],
                               lg_type_size((lg_type)type));
                    }
                static const double levels[] = {7, 6.5, -1, 254.5, 255, 65535, 0};
                for (size_t l = 0; l < (foreground == LG_FOREGROUND_ABOVE ? 7 : 1); l++)
                    for (size_t c = 0; c < (l ? 1 : LG_COUNT(connectivities)); c++)
                        compare_all(image, (lg_foreground)foreground,
                                    foreground == LG_FOREGROUND_ABOVE ? levels[l] : 0,
                                    connectivities[c],
                                    lg_foreground_name((lg_foreground)foreground));
            }
        }
        lg_image_destroy(&image);
    }
}

// Labels that are written past the caches.
static void test_large(void)
{
    lg_image *image = new_image(LG_U8, 2111, 1031, 1);
    random_seed(3);
    label_content_fill(image, LABEL_NOISE, 45, 1, 0, false);
    compare_all(image, LG_FOREGROUND_NONZERO, 0, 8, "large");
    lg_image_destroy(&image);
}

static void test_holes(void)
{
    static const int32_t sizes[][3] = {{129, 67, 1}, {41, 37, 5}, {1, 9, 1}, {9, 1, 2}};
    for (size_t s = 0; s < LG_COUNT(sizes); s++)
        for (int round = 0; round < 12; round++) {
            lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
            random_seed((uint64_t)round + 1);
            label_content_fill(image, round == 0 ? LABEL_NESTED : LABEL_NOISE, 40 + 5 * round,
                               1 + round % 3, 3, false);
            for (size_t c = 0; c < LG_COUNT(connectivities); c++) {
                const label_params params = {
                    .of = WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 3,
                               it.connectivity = connectivities[c], it.fill_holes = true)};
                label_check("holes", image, &params);
            }
            lg_image_destroy(&image);
        }
}

// ---- what is refused ------------------------------------------------------------------------------

static void refuse(const lg_image *image, lg_label_params params, const lg_image *intensity,
                   lg_status want)
{
    lg_labels *labels = (lg_labels *)(uintptr_t)16;
    lg_components *components = (lg_components *)(uintptr_t)32;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        lg_label_image(kernel_context(), image, &params, intensity, &labels, &components, &error);
    CHECK(status == want && error.message[0], "status %s, not %s: %s", lg_status_name(status),
          lg_status_name(want), error.message);
    CHECK(labels == (lg_labels *)(uintptr_t)16 && components == (lg_components *)(uintptr_t)32,
          "outputs were touched");
}

#define PARAMS(...) WITH(lg_label_params, __VA_ARGS__)

static void test_refusals(void)
{
    lg_image *image = new_image(LG_U8, 30, 20, 1), *other = new_image(LG_U8, 31, 20, 1);
    lg_image *colors = NULL;
    const lg_image_params shape = {
        .width = 30, .height = 20, .layers = 1, .channels = 4, .type = LG_U8};
    NEED(lg_image_create(kernel_context(), &shape, &colors, NULL) == LG_OK, "an image");
    refuse(colors, PARAMS(it.level = 0), NULL, LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.level = 0), colors, LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.level = 0), other, LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.foreground = LG_FOREGROUNDS), NULL, LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.foreground = LG_FOREGROUND_ABOVE, it.level = NAN), NULL,
           LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.foreground = LG_FOREGROUND_VALUES, it.fill_holes = true), NULL,
           LG_ERROR_ARGUMENT);
    refuse(image, PARAMS(it.memory_limit = 100), NULL, LG_ERROR_LIMIT);
    for (int c = 0; c < 30; c++)
        if (c != 4 && c != 8 && c != 6 && c != 18 && c != 26)
            refuse(image, PARAMS(it.connectivity = c), NULL, LG_ERROR_ARGUMENT);
    label_content_fill(image, LABEL_CHECKER, 0, 1, 0, false);
    const lg_label_params four =
        PARAMS(it.connectivity = 4, it.moments = true, it.shape = true, it.fill_holes = true);
    for (int64_t n = 0;; n++) { // an allocation that fails leaves nothing behind
        lg_labels *labels = NULL;
        lg_components *components = NULL;
        lg_alloc_fail_after(n);
        const lg_status status =
            lg_label_image(kernel_context(), image, &four, image, &labels, &components, NULL);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_OK || (status == LG_ERROR_MEMORY && !labels && !components),
              "allocation %lld: %s", (long long)n, lg_status_name(status));
        lg_labels_destroy(&labels);
        lg_components_destroy(&components);
        if (status != LG_ERROR_MEMORY)
            break;
    }
    lg_image_destroy(&image);
    lg_image_destroy(&other);
    lg_image_destroy(&colors);
}

static void test_again(void)
{
    lg_image *image = new_image(LG_U8, 300, 200, 1), *other = new_image(LG_U8, 300, 199, 1);
    lg_labels *labels = NULL;
    random_seed(1);
    label_content_fill(image, LABEL_NOISE, 50, 2, 0, false);
    NEED(lg_label_image(kernel_context(), image, NULL, NULL, &labels, NULL, NULL) == LG_OK,
         "label");
    const uint32_t *data = labels->data;
    label_content_fill(image, LABEL_NOISE, 50, 3, 0, false);
    flood *f = flood_fill(image, LG_FOREGROUND_NONZERO, 0, 8);
    CHECK(lg_label_update(kernel_context(), image, NULL, NULL, labels, NULL, NULL) == LG_OK,
          "again");
    CHECK(labels->data == data && flood_same_labels(f, labels), "labels that are written again");
    CHECK(lg_label_update(kernel_context(), other, NULL, NULL, labels, NULL, NULL) ==
              LG_ERROR_ARGUMENT,
          "labels of another size");
    lg_components *components = NULL;
    labels->count--;
    CHECK(lg_labels_measure(kernel_context(), labels, NULL, NULL, &components, NULL) ==
              LG_ERROR_ARGUMENT,
          "a label above the count");
    flood_free(&f);
    lg_labels_destroy(&labels);
    lg_image_destroy(&image);
    lg_image_destroy(&other);
}

static void test_more(void)
{
    test_noise();
    test_shapes();
    test_foregrounds();
    if (!test_is_short())
        test_large();
    test_holes();
    test_refusals();
    test_again();
}

int main(void)
{
    return measure_main("label", &label_case, 1, test_more);
}
