// Accumulators: tiles in any order, merged and saved ones end in the figures of one pass.
#include "check.h"
#include "device.h"
#include "measure/moments/moments_accumulator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_context *context;
static lg_error error;

static bool same_figures(const lg_moments *a, const lg_moments *b)
{
    return a->count == b->count && a->nan_count == b->nan_count && a->inf_count == b->inf_count &&
           memcmp(&a->min, &b->min, 6 * sizeof(double)) == 0 && a->exact == b->exact &&
           a->sum_hi == b->sum_hi && a->sum_lo == b->sum_lo;
}

static lg_image *random_image(int32_t width, int32_t height, int32_t layers, int32_t channels,
                              lg_type type)
{
    const lg_image_params shape = {
        .width = width, .height = height, .layers = layers, .channels = channels, .type = type};
    lg_image *image = NULL;
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    if (!image)
        exit(check_finish("accumulator"));
    uint8_t *bytes = image->data;
    const size_t size = image->shape.layer_stride * (size_t)layers;
    random_bytes(bytes, size);
    if (type == LG_F32) {
        for (size_t i = 0; i < size / 4; i++) {
            float v = (float)(random_unit() - 0.3) * (random_below(1000) ? 1.0f : 1e36f);
            if (random_below(500) == 0)
                v = NAN;
            memcpy(bytes + 4 * i, &v, 4);
        }
    }
    return image;
}

// The part of an image as an image of its own over the same memory.
static lg_image *view(const lg_image *image, int64_t x, int64_t y, int32_t layer, int64_t width,
                      int64_t height, int32_t layers)
{
    lg_image_params shape = image->shape;
    shape.width = (int32_t)width;
    shape.height = (int32_t)height;
    shape.layers = layers;
    const size_t pixel = lg_type_size(shape.type) * (size_t)shape.channels;
    uint8_t *data = (uint8_t *)image->data + (size_t)layer * shape.layer_stride +
                    (size_t)y * shape.row_stride + (size_t)x * pixel;
    lg_image *out = NULL;
    NEED(lg_image_wrap(context, &shape, data, &out, &error) == LG_OK, "%s", error.message);
    return out;
}

typedef struct tile {
    int64_t x, y, width, height;
    int32_t layer, layers;
} tile;

static size_t cut(const lg_image *image, int64_t step_x, int64_t step_y, tile *tiles)
{
    size_t count = 0;
    for (int32_t layer = 0; layer < image->shape.layers; layer++) {
        for (int64_t y = 0; y < image->shape.height; y += step_y) {
            for (int64_t x = 0; x < image->shape.width; x += step_x)
                tiles[count++] = (tile){x,
                                        y,
                                        LG_MIN(step_x, image->shape.width - x),
                                        LG_MIN(step_y, image->shape.height - y),
                                        layer,
                                        1};
        }
    }
    for (size_t i = count; i > 1; i--) { // in any order
        const size_t j = random_below((uint32_t)i);
        const tile swap = tiles[i - 1];
        tiles[i - 1] = tiles[j];
        tiles[j] = swap;
    }
    return count;
}

static lg_moments_accumulator *create(const lg_image *image)
{
    lg_moments_accumulator *a = NULL;
    const lg_status status = lg_moments_accumulator_create(
        image->shape.type, lg_image_measured_channels(&image->shape), image->shape.width,
        image->shape.height, image->shape.layers, &a, &error);
    CHECK(status == LG_OK, "%s", error.message);
    return a;
}

static lg_status add(lg_moments_accumulator *a, const lg_image *image, tile t)
{
    lg_image *part = view(image, t.x, t.y, t.layer, t.width, t.height, t.layers);
    const lg_status status =
        lg_moments_accumulator_add(context, a, part, NULL, t.x, t.y, t.layer, &error);
    lg_image_destroy(&part);
    return status;
}

static void one_pass(const lg_image *image, lg_moments *out)
{
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    CHECK(lg_measure_moments(context, image, &params, out, LG_MAX_CHANNELS, &error) == LG_OK, "%s",
          error.message);
}

static void check_same(const char *what, const lg_moments_accumulator *a,
                       const lg_moments *expected)
{
    lg_moments got[LG_MAX_CHANNELS];
    const lg_status status =
        lg_moments_accumulator_finish(a, LG_NAN_IGNORE, got, LG_MAX_CHANNELS, &error);
    CHECK(status == LG_OK, "%s: %s", what, error.message);
    for (int c = 0; status == LG_OK && c < a->region.channels; c++)
        CHECK(same_figures(&expected[c], &got[c]),
              "%s, channel %d: n %llu mean %a var %a, n %llu "
              "mean %a var %a",
              what, c, (unsigned long long)expected[c].count, expected[c].mean,
              expected[c].variance, (unsigned long long)got[c].count, got[c].mean, got[c].variance);
}

static lg_moments_accumulator *through_file(const lg_moments_accumulator *a)
{
    size_t size = 0, again = 0;
    lg_moments_accumulator *out = NULL;
    CHECK(lg_moments_accumulator_save(a, NULL, 0, &size, &error) == LG_OK, "%s", error.message);
    uint8_t *bytes = malloc(size), *copy = malloc(size);
    CHECK(lg_moments_accumulator_save(a, bytes, size - 1, &again, &error) == LG_ERROR_ARGUMENT,
          "no room");
    CHECK(lg_moments_accumulator_save(a, bytes, size, &again, &error) == LG_OK && again == size,
          "%s", error.message);
    NEED(lg_moments_accumulator_load(bytes, size, &out, &error) == LG_OK, "%s", error.message);
    if (out && lg_moments_accumulator_save(out, copy, size, &again, &error) == LG_OK)
        CHECK(memcmp(bytes, copy, size) == 0, "saved again the bytes differ");
    free(bytes);
    free(copy);
    return out;
}

// ---- cases --------------------------------------------------------------------------------------

static void test_tiles(lg_image *image, int64_t step_x, int64_t step_y)
{
    tile *tiles = calloc(100000, sizeof *tiles);
    const size_t count = cut(image, step_x, step_y, tiles);
    lg_moments expected[LG_MAX_CHANNELS];
    one_pass(image, expected);

    lg_moments_accumulator *whole = create(image),
                           *parts[3] = {create(image), create(image), create(image)};
    for (size_t i = 0; i < count; i++) {
        CHECK(add(whole, image, tiles[i]) == LG_OK, "%s", error.message);
        CHECK(add(parts[random_below(3)], image, tiles[i]) == LG_OK, "%s", error.message);
    }
    check_same("tiles", whole, expected);
    CHECK(add(whole, image, tiles[0]) == LG_ERROR_ARGUMENT, "more pixels than there are");
    CHECK(lg_moments_accumulator_merge(whole, parts[0], &error) == LG_ERROR_ARGUMENT ||
              parts[0]->region.covered == 0,
          "more pixels than there are were merged");
    check_same("after refusals", whole, expected);
    // Saved, loaded and merged in another order.
    lg_moments_accumulator *loaded = through_file(parts[1]);
    CHECK(lg_moments_accumulator_merge(loaded, parts[2], &error) == LG_OK, "%s", error.message);
    CHECK(lg_moments_accumulator_merge(parts[0], loaded, &error) == LG_OK, "%s", error.message);
    check_same("merged", parts[0], expected);
    lg_moments_accumulator_destroy(&loaded);
    loaded = through_file(parts[0]);
    check_same("loaded", loaded, expected);
    lg_moments_accumulator_destroy(&loaded);
    lg_moments_accumulator_destroy(&whole);
    for (int i = 0; i < 3; i++)
        lg_moments_accumulator_destroy(&parts[i]);
    free(tiles);
}

// What was not added counts as empty: the same as a mask.
static void test_partial(void)
{
    lg_image *image = random_image(128 * 9 + 5, 32 * 5 + 3, 3, 1, LG_F32);
    lg_image *mask = random_image(128 * 9 + 5, 32 * 5 + 3, 3, 1, LG_U8);
    memset(mask->data, 0, mask->shape.layer_stride * 3);
    tile tiles[1000];
    const size_t count = cut(image, 128, 32, tiles);
    lg_moments_accumulator *a = create(image);
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    params.select.mask = mask;
    for (size_t i = 0; i < count; i++) {
        const tile t = tiles[i];
        CHECK(add(a, image, t) == LG_OK, "%s", error.message);
        for (int64_t y = t.y; y < t.y + t.height; y++)
            memset((uint8_t *)mask->data + (size_t)t.layer * mask->shape.layer_stride +
                       (size_t)y * mask->shape.row_stride + (size_t)t.x,
                   1, (size_t)t.width);
        if (i % 7 == 0 || i + 1 == count) {
            lg_moments expected;
            CHECK(lg_measure_moments(context, image, &params, &expected, 1, &error) == LG_OK, "%s",
                  error.message);
            check_same("partial", a, &expected);
            lg_moments_accumulator *loaded = through_file(a);
            check_same("partial, loaded", loaded, &expected);
            lg_moments_accumulator_destroy(&loaded);
        }
    }
    lg_moments_accumulator_destroy(&a);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

static void test_placement(void)
{
    lg_image *image = random_image(1024, 64, 1, 1, LG_F32);
    lg_moments_accumulator *a = create(image);
    CHECK(add(a, image, (tile){384, 32, 128, 32, 0, 1}) == LG_OK, "%s", error.message);
    CHECK(add(a, image, (tile){0, 0, 1024, 64, 0, 1}) == LG_ERROR_ARGUMENT, "too many pixels");
    lg_image *part = view(image, 0, 0, 0, 128, 32, 1);
    const int64_t places[][3] = {{-128, 0, 0}, {1024, 0, 0}, {0, 64, 0},
                                 {0, 0, 1},    {0, 0, -1},   {INT64_MAX - 127, 0, 0}};
    for (size_t i = 0; i < LG_COUNT(places); i++)
        CHECK(lg_moments_accumulator_add(context, a, part, NULL, places[i][0], places[i][1],
                                         places[i][2], &error) == LG_ERROR_ARGUMENT,
              "outside %zu", i);
    lg_image_destroy(&part);
    lg_moments_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

static void test_damaged(void)
{
    for (int type = 0; type < 2; type++) {
        lg_image *image = random_image(300, 70, 2, 2, type ? LG_F32 : LG_U16);
        lg_moments_accumulator *a = create(image), *out = NULL;
        CHECK(add(a, image, (tile){0, 32, 256, 32, 0, 1}) == LG_OK, "%s", error.message);
        CHECK(add(a, image, (tile){0, 64, 128, 6, 1, 1}) == LG_OK, "%s", error.message);
        size_t size;
        lg_moments_accumulator_save(a, NULL, 0, &size, &error);
        uint8_t *bytes = malloc(size + 8), *bad = malloc(size + 8);
        lg_moments_accumulator_save(a, bytes, size, &size, &error);
        for (size_t i = 0; i < size; i++) {
            memcpy(bad, bytes, size);
            bad[i] ^= (uint8_t)(1u << random_below(8));
            CHECK(lg_moments_accumulator_load(bad, size, &out, &error) != LG_OK && !out,
                  "byte %zu was changed unnoticed", i);
            CHECK(lg_moments_accumulator_load(bytes, i, &out, &error) != LG_OK && !out,
                  "%zu of %zu bytes were accepted", i, size);
            // With a check sum that fits, nothing may break: refused, or usable.
            const uint64_t sum = lg_saved_sum(bad, size - 8);
            for (int k = 0; k < 8; k++)
                bad[size - 8 + (size_t)k] = (uint8_t)(sum >> (8 * k));
            if (lg_moments_accumulator_load(bad, size, &out, &error) == LG_OK) {
                lg_moments figures[LG_MAX_CHANNELS];
                CHECK(lg_moments_accumulator_finish(out, LG_NAN_IGNORE, figures, LG_MAX_CHANNELS,
                                                    &error) == LG_OK,
                      "%s", error.message);
                lg_moments_accumulator_destroy(&out);
            }
        }
        for (int i = 0; i < 8; i++) {
            lg_alloc_fail_after(i);
            const lg_status status = lg_moments_accumulator_load(bytes, size, &out, &error);
            lg_alloc_fail_after(-1);
            CHECK((status == LG_OK) == (out != NULL), "allocation %d", i);
            CHECK(status == LG_OK || status == LG_ERROR_MEMORY, "allocation %d: %d", i, status);
            lg_moments_accumulator_destroy(&out);
        }
        free(bytes);
        free(bad);
        lg_moments_accumulator_destroy(&a);
        lg_image_destroy(&image);
    }
}

static void test_arguments(void)
{
    lg_moments_accumulator *a = NULL;
    CHECK(lg_moments_accumulator_create(LG_F32, 0, 1, 1, 1, &a, &error) == LG_ERROR_ARGUMENT, "0");
    CHECK(lg_moments_accumulator_create(LG_F32, 5, 1, 1, 1, &a, &error) == LG_ERROR_ARGUMENT, "5");
    CHECK(lg_moments_accumulator_create(LG_F32, 1, 0, 1, 1, &a, &error) == LG_ERROR_ARGUMENT, "w");
    CHECK(lg_moments_accumulator_create(LG_F32, 1, INT64_MAX, 2, 1, &a, &error) == LG_ERROR_LIMIT,
          "size");
    NEED(lg_moments_accumulator_create(LG_F32, 1, INT64_C(1) << 40, INT64_C(1) << 22, 1, &a,
                                       &error) == LG_OK,
         "%s", error.message);
    lg_moments m;
    CHECK(lg_moments_accumulator_finish(a, LG_NAN_IGNORE, &m, 1, &error) == LG_OK && m.count == 0 &&
              isnan(m.mean) && isnan(m.min),
          "an empty accumulator");
    CHECK(lg_moments_accumulator_finish(a, LG_NAN_IGNORE, &m, 0, &error) == LG_ERROR_ARGUMENT,
          "capacity");
    CHECK(lg_moments_accumulator_merge(a, a, &error) == LG_ERROR_ARGUMENT, "itself");
    lg_moments_accumulator_destroy(&a);
    lg_moments_accumulator_destroy(&a);

    lg_image *image = random_image(128, 32, 1, 1, LG_F32);
    lg_select select = lg_select_default();
    select.nan = LG_NAN_ERROR;
    ((float *)image->data)[5] = NAN;
    a = create(image);
    CHECK(lg_moments_accumulator_add(context, a, image, &select, 0, 0, 0, &error) == LG_ERROR_DATA,
          "NaN");
    for (int i = 0; i < 2; i++) {
        lg_alloc_fail_after(i);
        const lg_status status =
            lg_moments_accumulator_add(context, a, image, NULL, 0, 0, 0, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY, "allocation %d: %d", i, status);
    }
    CHECK(lg_moments_accumulator_add(context, a, image, NULL, 0, 0, 0, &error) == LG_OK, "%s",
          error.message);
    lg_moments_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

// 2^33 + 1 pixels: more than 32 bits count.
static void test_many(void)
{
    const lg_image_params shape = {
        .width = 4096, .height = 1024, .layers = 1, .channels = 1, .type = LG_U16};
    lg_image *image = NULL;
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    for (size_t y = 0; y < 1024; y++) {
        for (size_t x = 0; x < 4096; x++)
            ((uint16_t *)((uint8_t *)image->data + y * image->shape.row_stride))[x] =
                x & 1 ? 65535 : 65533;
    }
    // 2^22 pixels, doubled 11 times by merging a copy.
    lg_moments_accumulator *a = NULL, *b = NULL;
    lg_moments_accumulator_create(LG_U16, 1, INT64_C(1) << 33, 1, 2, &a, &error);
    lg_image *line = view(image, 0, 0, 0, 4096, 1, 1);
    for (int i = 0; i < 1024; i++)
        CHECK(lg_moments_accumulator_add(context, a, line, NULL, i * 4096, 0, 0, &error) == LG_OK,
              "%s", error.message);
    for (int i = 0; i < 11; i++) {
        b = through_file(a);
        CHECK(lg_moments_accumulator_merge(a, b, &error) == LG_OK, "%s", error.message);
        lg_moments_accumulator_destroy(&b);
    }
    lg_image *pixel = view(image, 0, 0, 0, 1, 1, 1);
    *(uint16_t *)pixel->data = 0;
    CHECK(lg_moments_accumulator_add(context, a, pixel, NULL, 0, 0, 1, &error) == LG_OK, "%s",
          error.message);
    lg_moments m;
    CHECK(lg_moments_accumulator_finish(a, LG_NAN_IGNORE, &m, 1, &error) == LG_OK, "%s",
          error.message);
    const uint64_t half = UINT64_C(1) << 33, sum = half * 65534;
    CHECK(m.count == half + 1 && m.sum_lo == sum && m.sum_hi == 0 && m.exact, "sum %llu of %llu",
          (unsigned long long)m.sum_lo, (unsigned long long)m.count);
    CHECK(m.min == 0 && m.max == 65535, "min %g max %g", m.min, m.max);
    // n = 2^33, mean 65534, M2 = n, and one 0: M2 = n + 65534^2 n / (n + 1).
    const long double n = (long double)half;
    const long double m2 = n + 65534.0L * 65534.0L * (n / (n + 1));
    CHECK(fabsl(m.variance - m2 / (n + 1)) < 1e-15L * 2, "variance %.17g", m.variance);
    lg_moments_accumulator_destroy(&a);
    lg_image_destroy(&pixel);
    lg_image_destroy(&line);
    lg_image_destroy(&image);

    // Floats: two samples, doubled by merging, then one sample more.
    lg_moments_state state = lg_moments_state_empty(LG_F32);
    lg_float_sums *sums = &state.floats;
    sums->n = 2;
    lg_float_sums_add(sums, 2, 0); // 0.75 + 1.25
    lg_float_sums_add_squares(sums, 34, -4);
    lg_float_sums_extend(sums, 0.75f, 1.25f);
    for (int i = 1; i < 33; i++) {
        const lg_moments_state copy = state;
        lg_moments_state_merge(&state, &copy);
    }
    sums->n++;
    sums->nans++;
    lg_float_sums_add(sums, 9, 0);
    lg_float_sums_add_squares(sums, 81, 0);
    lg_float_sums_extend(sums, 9.0f, 9.0f);
    CHECK(lg_moments_finish(&state, LG_NAN_IGNORE, &m, &error) == LG_OK, "%s", error.message);
    const long double q = n * 0.0625L + 64.0L * (n / (n + 1));
    CHECK(m.count == half + 1, "count %llu", (unsigned long long)m.count);
    CHECK(fabsl(m.mean - (n + 9) / (n + 1)) < 1e-15L, "mean %.17g", m.mean);
    CHECK(fabsl(m.variance - q / (n + 1)) < 1e-16L, "variance %.17g", m.variance);
    CHECK(m.nan_count == 1 && m.min == 0.75 && m.max == 9, "min %g max %g", m.min, m.max);
}

int main(void)
{
    random_seed(77);
    context = device_open_threads(2);
    if (!context)
        return check_finish("accumulator");
    static const int64_t steps[][2] = {{128, 32}, {255, 61},     {384, 32},
                                       {97, 96},  {1 << 20, 31}, {9001, 1}};
    for (size_t i = 0; i < LG_COUNT(steps); i++) {
        for (int type = 0; type < LG_TYPES; type++) {
            lg_image *image =
                random_image(128 * 11 + 77, 32 * 6 + 5, 3, type == LG_F32 ? 1 : 4, (lg_type)type);
            test_tiles(image, steps[i][0], steps[i][1]);
            lg_image_destroy(&image);
        }
    }
    lg_image *wide = random_image(128 * 150 + 1, 40, 1, 1, LG_F32);
    test_tiles(wide, 128 * 33, 32);
    test_tiles(wide, 1001, 7);
    lg_image_destroy(&wide);
    test_partial();
    test_placement();
    test_damaged();
    test_arguments();
    test_many();
    lg_context_destroy(&context);
    return check_finish("accumulator");
}
