// Sums and counts of components against loops over pixels: second moments, intensities of every type, shapes;
// taken while labelling and from labels, with one thread and several, and on a Vulkan device.
#include "check.h"
#include "label_content.h"
#include "labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *vulkan; // or NULL

static lg_image *new_image(lg_type type, int32_t width, int32_t height, int32_t layers)
{
    return label_content_image(kernel_context(), type, width, height, layers);
}

static void run(const lg_image *image, lg_foreground foreground, int connectivity,
                const lg_image *intensity, bool shape, const char *what)
{
    const label_params params = {.of = WITH(lg_label_params, it.foreground = foreground,
                                            it.connectivity = connectivity, it.moments = true,
                                            it.shape = shape),
                                 .intensity = intensity};
    label_check(what, image, &params);
    if (vulkan)
        label_check_on(vulkan, what, image, &params, label_case.device_variants);
}

static void fill_intensity(lg_image *image, bool wild)
{
    const lg_image_params *s = &image->shape;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++) {
            char *row =
                (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
            if (s->type <= LG_U16 || wild)
                random_bytes(row, (size_t)s->width * lg_type_size(s->type));
            for (int32_t x = 0; x < s->width && s->type >= LG_F16 && !wild; x++) {
                const float v = (float)(random_unit() * 3 - 1);
                const uint16_t half = lg_float_to_half(v);
                memcpy(row + (size_t)x * lg_type_size(s->type),
                       s->type == LG_F16 ? (const void *)&half : &v, lg_type_size(s->type));
            }
        }
}

static void test_sums(void)
{
    // The last two have rows with more than 64 runs, most of them of one component or not.
    static const int32_t sizes[][3] = {{61, 43, 1}, {19, 17, 7},  {1, 31, 1},
                                       {130, 3, 2}, {419, 13, 1}, {300, 5, 2}};
    static const int connectivities[] = {4, 8, 6, 18, 26};
    for (size_t s = 0; s < LG_COUNT(sizes); s++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int round = 0; round < test_extent(2, 5, 40); round++) {
                random_seed((uint64_t)(1000 * type + 10 * round + (int)s));
                const bool values = round % 3 == 2;
                lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
                lg_image *intensity =
                    new_image((lg_type)type, sizes[s][0], sizes[s][1], sizes[s][2]);
                label_content_fill(image, LABEL_NOISE, 30 + 12 * round % 70, 1 + round % 4, 0,
                                   values);
                fill_intensity(intensity, round % 2 == 1);
                run(image, values ? LG_FOREGROUND_VALUES : LG_FOREGROUND_NONZERO,
                    connectivities[(round + type + (int)s) % 5], intensity, true, "noise");
                lg_image_destroy(&image);
                lg_image_destroy(&intensity);
            }
}

// Large enough for several bands: a component has parts in each of them, and several where they only meet in
// another band.
static void test_bands(void)
{
    for (int percent = 41; percent <= 61; percent += 4) {
        random_seed((uint64_t)percent);
        lg_image *image = new_image(LG_U8, 391, 701, 1);
        label_content_fill(image, LABEL_NOISE, percent, 1, 0, false);
        run(image, LG_FOREGROUND_NONZERO, percent < 57 ? 8 : 4, image, false, "bands of noise");
        lg_image_destroy(&image);
    }
}

static void test_shapes(void)
{
    for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++)
        for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
            lg_image *image = new_image(LG_U8, 71, 37, 1);
            label_content_fill(image, (label_content)kind, 0, 1, 0, false);
            run(image, LG_FOREGROUND_NONZERO, connectivity, image, true,
                label_content_name((label_content)kind));
            lg_image_destroy(&image);
        }
}

// Floats that have no smaller exponent, and zeros alone: units are far below all of them, or 1.
static void test_tiny(void)
{
    for (int type = LG_F16; type <= LG_F32; type++)
        for (uint32_t max = 0; max < 200; max = 3 * max + 1) {
            lg_image *image = new_image(LG_U8, 140, 67, 1);
            lg_image *intensity = new_image((lg_type)type, 140, 67, 1);
            random_seed(max + 1);
            label_content_fill(image, LABEL_NOISE, 70, 3, 0, false);
            for (int32_t y = 0; y < 67; y++)
                for (int32_t x = 0; x < 140; x++) {
                    const uint32_t v = random_below(max + 1), sign = random_below(2);
                    const uint16_t half = (uint16_t)(v | sign << 15);
                    const uint32_t word = v | sign << 31;
                    memcpy((char *)intensity->data + (size_t)y * intensity->shape.row_stride +
                               (size_t)x * lg_type_size((lg_type)type),
                           type == LG_F16 ? (const void *)&half : &word,
                           lg_type_size((lg_type)type));
                }
            run(image, LG_FOREGROUND_NONZERO, 8, intensity, false, "tiny");
            lg_image_destroy(&image);
            lg_image_destroy(&intensity);
        }
}

// Far from the origin, where sums of x^2 and of sample times x are largest.
static void test_wide(void)
{
    lg_image *image = new_image(LG_U16, LG_MAX_SIDE, 2, 1);
    memset(image->data, 255, image->shape.layer_stride);
    lg_components *c = NULL;
    lg_labels *labels = NULL;
    const lg_label_params params = WITH(lg_label_params, it.moments = true);
    NEED(lg_label_image(kernel_best_context(), image, &params, image, &labels, &c, NULL) == LG_OK,
         "wide");
    const lg_u128 n = LG_MAX_SIDE;
    CHECK(c->count == 1 && c->basic[0].area == 2 * n && c->basic[0].sum[0] == n * (n - 1) &&
              c->second[0].xx == n * (n - 1) * (2 * n - 1) / 3 &&
              c->second[0].xy == n * (n - 1) / 2 && c->second[0].yy == n,
          "sums of all pixels of two rows");
    CHECK(c->intensity[0].sum == (__int128)(2 * n * 65535) &&
              c->intensity[0].squares == 2 * n * 65535 * 65535 &&
              c->intensity[0].moment[0] == (__int128)(n * (n - 1) * 65535),
          "intensities of all pixels of two rows");
    lg_components_destroy(&c);
    lg_labels_destroy(&labels);
    lg_image_destroy(&image);
}

// A square of 10 pixels has a perimeter of 36 straight pixels, and one of each corner; a diagonal line counts
// as diagonal but for its ends.
static void test_known(void)
{
    lg_image *image = new_image(LG_U8, 30, 30, 1);
    uint8_t *data = image->data;
    const size_t stride = image->shape.row_stride;
    for (size_t y = 0; y < 10; y++)
        memset(data + (3 + y) * stride + 2, 1, 10);
    for (size_t i = 0; i < 9; i++)
        data[(16 + i) * stride + 15 + i] = 1;
    const lg_label_params params = WITH(lg_label_params, it.shape = true);
    lg_components *c = NULL;
    NEED(lg_label_image(kernel_context(), image, &params, NULL, NULL, &c, NULL) == LG_OK, "known");
    const lg_component_shape *s = c->shape;
    CHECK(c->count == 2 && s[0].border[0] == 36 && !s[0].border[1] && !s[0].border[2] &&
              s[0].windows[15] == 81 && s[0].windows[1] == 1 && s[0].windows[8] == 1 &&
              s[0].windows[3] == 9 && s[0].windows[10] == 9,
          "a square");
    CHECK(s[1].border[0] == 0 && s[1].border[1] == 7 && s[1].windows[9] == 8 &&
              s[1].windows[2] == 9 && s[1].windows[4] == 9,
          "a diagonal line");
    lg_components_destroy(&c);
    lg_image_destroy(&image);
}

int main(void)
{
    vulkan = measure_device();
    test_sums();
    test_bands();
    test_shapes();
    test_known();
    test_tiny();
    if (!test_is_short())
        test_wide();
    return check_finish("label_figures");
}
