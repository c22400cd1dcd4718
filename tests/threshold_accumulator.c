// Levels of an image in tiles are those of the image, for every type, number of channels, method, selection
// and cut; comparing the tiles with them gives the binary image.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *context;
static lg_error error;

enum { WIDTH = 83, HEIGHT = 61 };

static lg_image *random_image(lg_type type, int channels, int spread)
{
    const lg_image_params shape = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 1   ? LG_ALPHA_NONE
                                            : channels == 2 ? LG_ALPHA_STRAIGHT
                                                            : LG_ALPHA_OPAQUE};
    lg_image *image = NULL;
    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t i = 0; i < WIDTH * channels; i++) {
            char *at = (char *)image->data + (size_t)y * image->shape.row_stride +
                       (size_t)i * lg_type_size(type);
            const uint32_t v = spread ? random_below((uint32_t)spread) + (i % 3 ? 0 : 90) : 7;
            const float real = spread ? (float)(random_normal() + (i % 3 ? 0 : 5)) : 7;
            const uint16_t wide = (uint16_t)(v * 131), half = (uint16_t)(0x3000 + v);
            if (type == LG_U8)
                *(uint8_t *)at = (uint8_t)v;
            else if (type == LG_F32)
                memcpy(at, &real, sizeof real);
            else
                memcpy(at, type == LG_U16 ? &wide : &half, sizeof wide);
        }
    return image;
}

static lg_image *random_mask(void)
{
    const lg_image_params shape = {
        .width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1, .type = LG_U8};
    lg_image *mask = NULL;
    NEED(!lg_image_create(context, &shape, &mask, &error), "%s", error.message);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            ((uint8_t *)mask->data)[(size_t)y * mask->shape.row_stride + (size_t)x] =
                random_below(3) ? 255 : 0;
    return mask;
}

static lg_threshold_accumulator *new_parts(const lg_image *image, const lg_threshold_params *params)
{
    lg_threshold_accumulator *a = NULL;
    NEED(!lg_threshold_accumulator_create(params, image->shape.type, image->shape.channels,
                                          image->shape.alpha, WIDTH, HEIGHT, 1, &a, &error),
         "%s", error.message);
    return a;
}

// What a process sends to another one.
static lg_threshold_accumulator *sent(const lg_threshold_accumulator *a)
{
    lg_threshold_accumulator *copy = NULL;
    size_t size = 0, again = 0;
    NEED(!lg_threshold_accumulator_save(a, NULL, 0, &size, &error), "%s", error.message);
    uint8_t *data = malloc(size);
    NEED(data && !lg_threshold_accumulator_save(a, data, size, &again, &error) && again == size,
         "%s", error.message);
    CHECK(lg_threshold_accumulator_save(a, data, size - 1, &again, &error) == LG_ERROR_ARGUMENT,
          "a place that is too small");
    CHECK(!lg_threshold_accumulator_load(data, size, &copy, &error), "%s", error.message);
    lg_threshold_accumulator *damaged = NULL;
    const uint32_t at = random_below((uint32_t)size);
    data[at] ^= 1;
    CHECK(lg_threshold_accumulator_load(data, size, &damaged, &error) && !damaged, "damage");
    data[at] ^= 1;
    CHECK(lg_threshold_accumulator_load(data, size - 8, &damaged, &error) == LG_ERROR_DATA, "cut");
    free(data);
    NEED(copy, "nothing was loaded");
    return copy;
}

// Both get what the other one has seen.
static lg_status exchange(lg_threshold_accumulator *a[2])
{
    lg_threshold_accumulator *b[2] = {sent(a[0]), sent(a[1])};
    lg_status status = lg_threshold_accumulator_merge(a[0], b[1], &error);
    if (!status)
        status = lg_threshold_accumulator_merge(a[1], b[0], &error);
    lg_threshold_accumulator_destroy(&b[0]);
    lg_threshold_accumulator_destroy(&b[1]);
    return status;
}

// Bands of the image go to two accumulators in turn, which are merged.
static lg_status level_in_bands(const lg_image *image, const lg_threshold_params *params, int rows,
                                lg_threshold *out)
{
    lg_threshold_accumulator *a[2] = {new_parts(image, params), new_parts(image, params)};
    lg_status status = LG_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int y = 0, i = 0; y < HEIGHT && !status; y += rows, i++) {
            const lg_region part = {0, y, WIDTH, LG_MIN(rows, HEIGHT - y)};
            lg_select select = params->select;
            select.region = &part;
            if (pass == 0 && lg_threshold_accumulator_looks(a[i % 2]))
                status = lg_threshold_accumulator_look(context, a[i % 2], image, &select, &error);
            if (pass == 1)
                status = lg_threshold_accumulator_add(context, a[i % 2], image, &select, 0, y, 0,
                                                      &error);
        }
        if (pass == 0 && !status)
            status = exchange(a);
    }
    if (!status) {
        lg_threshold_accumulator *other = sent(a[1]);
        status = lg_threshold_accumulator_merge(a[0], other, &error);
        lg_threshold_accumulator_destroy(&other);
    }
    if (!status)
        status = lg_threshold_accumulator_finish(a[0], params->select.nan, out, &error);
    lg_threshold_accumulator_destroy(&a[0]);
    lg_threshold_accumulator_destroy(&a[1]);
    return status;
}

static bool same_rows(const lg_image *part, const lg_image *whole, int y)
{
    bool same = true;
    for (int32_t r = 0; r < part->shape.height; r++)
        same &= memcmp((char *)part->data + (size_t)r * part->shape.row_stride,
                       (char *)whole->data + (size_t)(y + r) * whole->shape.row_stride, WIDTH) == 0;
    return same;
}

static void compare(const lg_image *image, const lg_threshold_params *params, int rows,
                    const char *what)
{
    lg_threshold want, got = {0};
    lg_image *binary = NULL;
    const lg_status whole = lg_threshold_image(context, image, params, &want, 1, &binary, &error);
    const lg_status parts = level_in_bands(image, params, rows, &got);
    CHECK(whole == parts, "%s: status %d, not %d: %s", what, (int)parts, (int)whole, error.message);
    for (int y = 0; y < HEIGHT && !whole && !parts; y += rows) {
        const lg_region part = {0, y, WIDTH, LG_MIN(rows, HEIGHT - y)};
        lg_image *rows_of = NULL;
        CHECK(!lg_threshold_apply(context, image, &part, params->luma, &got, &rows_of, &error),
              "%s: %s", what, error.message);
        CHECK(rows_of && same_rows(rows_of, binary, y), "%s: pixels of rows %d and on", what, y);
        lg_image_destroy(&rows_of);
    }
    if (!whole && !parts) {
        bool same = got.levels == want.levels && got.foreground == want.foreground &&
                    got.total == want.total &&
                    memcmp(&got.separability, &want.separability, sizeof got.separability) == 0;
        for (int i = 0; i < want.levels; i++)
            same &= got.level[i] == want.level[i] && got.bin[i] == want.bin[i];
        CHECK(same, "%s: level %g bin %d, %llu of %llu; not %g bin %d, %llu of %llu", what,
              got.level[0], got.bin[0], (unsigned long long)got.foreground,
              (unsigned long long)got.total, want.level[0], want.bin[0],
              (unsigned long long)want.foreground, (unsigned long long)want.total);
    }
    lg_image_destroy(&binary);
}

static void test_levels(void)
{
    static const int rows[] = {1, 7, 32, 100}, channels[] = {1, 2, 4};
    char what[120];
    lg_image *mask = random_mask();
    for (int type = 0; type <= LG_F32; type++)
        for (size_t c = 0; c < LG_COUNT(channels); c++)
            for (int spread = 0; spread <= 120; spread += 120) {
                lg_image *image = random_image((lg_type)type, channels[c], spread);
                for (int method = 0; method < LG_THRESHOLD_METHODS; method++) {
                    const int which = method + type + (int)c;
                    const lg_threshold_params params =
                        WITH(lg_threshold_params, it.method = (lg_threshold_method)method,
                             it.value = 0.3, it.bins = which % 3 ? -1 : 40, it.stack = true,
                             it.luma = which % 2 ? LG_LUMA_BT709 : LG_LUMA_MEAN,
                             it.select.mask = which % 4 ? NULL : mask);
                    snprintf(what, sizeof what, "%s of %s in %d channels, spread %d",
                             lg_threshold_method_name((lg_threshold_method)method),
                             lg_type_name((lg_type)type), channels[c], spread);
                    compare(image, &params, rows[which % 4], what);
                }
                lg_image_destroy(&image);
            }
    lg_image_destroy(&mask);
}

// NaN and infinities, with every rule; nothing finite.
static void test_special(void)
{
    for (int channels = 1; channels <= 4; channels += 3)
        for (int nan = 0; nan <= LG_NAN_ERROR; nan++)
            for (int all = 0; all < 2; all++)
                for (int mean = 0; mean < 2; mean++) {
                    lg_image *image = random_image(LG_F32, channels, 50);
                    for (int i = 0; i < WIDTH * channels; i++) {
                        const float v = i % 2 ? NAN : -INFINITY;
                        for (int y = 0; y < (all ? HEIGHT : 1); y++)
                            memcpy((char *)image->data + (size_t)y * image->shape.row_stride +
                                       (size_t)i * sizeof v,
                                   &v, sizeof v);
                    }
                    compare(image,
                            WITH_REF(lg_threshold_params, it.select.nan = (lg_nan)nan,
                                     it.stack = true,
                                     it.method = mean ? LG_THRESHOLD_MEAN : LG_THRESHOLD_OTSU),
                            7, "special samples");
                    lg_image_destroy(&image);
                }
}

static void test_refused(void)
{
    lg_image *image = random_image(LG_F32, 1, 50), *bytes = random_image(LG_U8, 1, 50);
    const lg_threshold_params params = lg_threshold_params_default();
    lg_threshold_accumulator *a = new_parts(image, &params), *b = NULL;
    lg_threshold found;
    CHECK(lg_threshold_accumulator_looks(a) && !lg_threshold_accumulator_looks(NULL), "looks");
    CHECK(lg_threshold_accumulator_finish(a, LG_NAN_IGNORE, &found, &error) == LG_ERROR_DATA,
          "a level of nothing");
    CHECK(lg_threshold_accumulator_add(context, a, bytes, NULL, 0, 0, 0, &error) ==
              LG_ERROR_ARGUMENT,
          "another type");
    CHECK(!lg_threshold_accumulator_look(context, a, image, NULL, &error) &&
              !lg_threshold_accumulator_add(context, a, image, NULL, 0, 0, 0, &error),
          "%s", error.message);
    CHECK(lg_threshold_accumulator_add(context, a, image, NULL, 0, 0, 0, &error) ==
              LG_ERROR_ARGUMENT,
          "pixels twice");
    CHECK(lg_threshold_accumulator_look(context, a, image, NULL, &error) == LG_ERROR_ARGUMENT,
          "a look behind the first tile");
    b = new_parts(image, WITH_REF(lg_threshold_params, it.bins = 9));
    CHECK(lg_threshold_accumulator_merge(a, b, &error) == LG_ERROR_ARGUMENT, "other bins");
    found = (lg_threshold){.levels = 0};
    CHECK(lg_threshold_apply(context, image, NULL, LG_LUMA_BT709, &found, NULL, &error) ==
              LG_ERROR_ARGUMENT,
          "no level");
    lg_threshold_accumulator_destroy(&a);
    lg_threshold_accumulator_destroy(&b);
    lg_image_destroy(&image);
    lg_image_destroy(&bytes);
}

int main(void)
{
    random_seed(5);
    context = device_open_cpu();
    test_levels();
    test_special();
    test_refused();
    lg_context_destroy(&context);
    return check_finish("threshold_accumulator");
}
