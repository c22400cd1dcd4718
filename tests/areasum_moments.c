// Moments of boxes against loops over the samples in 128-bit integers.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lumagraph/areasum.h>

typedef __int128 wide;

enum { BOXES = 60 };

static int32_t bounds[4 * BOXES];

// The first box is all of the array, the second its last element.
static void draw_boxes(int width, int height)
{
    const int extent[2] = {width, height};
    for (int i = 0; i < BOXES; i++)
        for (int d = 0; d < 2; d++) {
            const int n = extent[d];
            int32_t *first = &bounds[4 * i + d], *end = first + 2;
            *first = i == 0 ? 0 : i == 1 ? n - 1 : (int32_t)random_below((uint32_t)n);
            *end = i < 2 ? n : *first + 1 + (int32_t)random_below((uint32_t)(n - *first));
        }
}

static double rounded(wide numerator, wide divisor)
{
    return (double)((long double)numerator / (long double)divisor);
}

// Rounded once here and there; the long double in between may round a tie the other way.
static bool is_near(double got, double want)
{
    return got == want || fabs(got - want) <= 2.3e-16 * fabs(want) || (isnan(got) && isnan(want));
}

static void compare(const char *title, const wide s[6], const lg_area_moment *got)
{
    const double sums[6] = {got->sum, got->x, got->y, got->xx, got->xy, got->yy};
    for (int k = 0; k < 6; k++)
        CHECK(is_near(sums[k], rounded(s[k], 1)), "%s: sum %d is %.17g, not %.17g", title, k,
              sums[k], rounded(s[k], 1));
    const wide square = s[0] * s[0];
    const double figures[5] = {got->mean_x, got->mean_y, got->variance_x, got->covariance,
                               got->variance_y};
    const double wanted[5] = {s[0] ? rounded(s[1], s[0]) : NAN, s[0] ? rounded(s[2], s[0]) : NAN,
                              s[0] ? rounded(s[0] * s[3] - s[1] * s[1], square) : NAN,
                              s[0] ? rounded(s[0] * s[4] - s[1] * s[2], square) : NAN,
                              s[0] ? rounded(s[0] * s[5] - s[2] * s[2], square) : NAN};
    for (int k = 0; k < 5; k++)
        CHECK(is_near(figures[k], wanted[k]), "%s: figure %d is %.17g, not %.17g", title, k,
              figures[k], wanted[k]);
}

// Samples of every size; `gap` bytes lie between the rows.
static void moments_of(lg_context *context, lg_type type, int channels, int width, int height,
                       int gap, bool largest)
{
    const size_t size = lg_type_size(type), row = (size_t)(width * channels) * size + (size_t)gap;
    uint8_t *data = malloc(row * (size_t)height);
    NEED(data, "memory");
    for (size_t i = 0; i < row * (size_t)height; i++)
        data[i] = largest ? 255 : random_below(4) ? (uint8_t)random_u64() : 0;
    lg_area_array array = {.data = data,
                           .type = type,
                           .dims = 2,
                           .channels = channels,
                           .extent = {width, height},
                           .stride = {(int64_t)size * channels, (int64_t)row}};
    lg_area_moments *moments = NULL;
    lg_error error = {0};
    char title[100];
    snprintf(title, sizeof title, "%s, %d channels, %d x %d", lg_type_name(type), channels, width,
             height);
    NEED(lg_area_moments_create(context, &array, 0, &moments, &error) == LG_OK, "%s: %s", title,
         error.message);
    draw_boxes(width, height);
    static lg_area_moment got[4 * BOXES];
    CHECK(lg_area_moments_query(context, moments, bounds, BOXES, got, &error) == LG_OK, "%s: %s",
          title, error.message);
    for (int i = 0; i < BOXES * channels; i++) {
        const int32_t *b = bounds + (ptrdiff_t)4 * (i / channels);
        wide s[6] = {0};
        for (wide y = b[1]; y < b[3]; y++)
            for (wide x = b[0]; x < b[2]; x++) {
                const uint8_t *at = data + (size_t)y * row +
                                    ((size_t)x * (size_t)channels + (size_t)(i % channels)) * size;
                uint16_t word;
                memcpy(&word, at, size);
                const wide v = type == LG_U8 ? *at : word,
                           weights[6] = {1, x, y, x * x, x * y, y * y};
                for (int k = 0; k < 6; k++)
                    s[k] += v * weights[k];
            }
        compare(title, s, &got[i]);
    }
    bounds[4 * 7 + 2] = width + 1;
    got[0].sum = 77;
    CHECK(lg_area_moments_query(context, moments, bounds, BOXES, got, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "box 7") && got[0].sum == 77,
          "%s: a box outside: %s", title, error.message);
    lg_area_moments_destroy(&moments);
    CHECK(!moments, "%s: destroyed", title);
    free(data);
}

static void refused(lg_context *context, lg_area_array array, lg_status want, const char *text)
{
    lg_area_moments *moments = (lg_area_moments *)(uintptr_t)8;
    lg_error error = {0};
    lg_area_array_pack(&array);
    const lg_status status = lg_area_moments_create(context, &array, 0, &moments, &error);
    CHECK(status == want && strstr(error.message, text) && moments == (void *)(uintptr_t)8,
          "%s: %d %s", text, (int)status, error.message);
}

static void refusals(lg_context *context)
{
    static uint8_t data[70000];
    const lg_area_array good = {
        .data = data, .type = LG_U8, .dims = 2, .channels = 1, .extent = {5, 4}};
    lg_area_array array = good;
    array.type = LG_F32;
    refused(context, array, LG_ERROR_UNSUPPORTED, "2 dimensions of f32");
    array = good;
    array.dims = 3;
    array.extent[2] = 2;
    refused(context, array, LG_ERROR_UNSUPPORTED, "3 dimensions of u8");
    array = good;
    array.extent[0] = 65537;
    array.extent[1] = 1;
    refused(context, array, LG_ERROR_LIMIT, "axis 0 has 65537 elements");
    array = good;
    array.data = NULL;
    refused(context, array, LG_ERROR_ARGUMENT, "data");
    lg_area_moments_destroy(NULL);
    for (int64_t fail = 0; fail < 40; fail++) { // every allocation in turn
        lg_area_moments *moments = NULL;
        lg_error error = {0};
        array = good;
        lg_area_array_pack(&array);
        lg_alloc_fail_after(fail);
        const lg_status status = lg_area_moments_create(context, &array, 0, &moments, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_OK ? moments != NULL
                              : status == LG_ERROR_MEMORY && error.message[0] && !moments,
              "allocation %d: %s", (int)fail, error.message);
        lg_area_moments_destroy(&moments);
    }
}

static void run(lg_context *context)
{
    moments_of(context, LG_U8, 1, 37, 29, 0, false);
    moments_of(context, LG_U8, 3, 20, 31, 5, false);
    moments_of(context, LG_U16, 2, 33, 17, 6, false);
    moments_of(context, LG_U8, 1, 3001, 2, 0, true); // squares of two digits
    moments_of(context, LG_U16, 1, 40000, 2, 0, false);
    moments_of(context, LG_U16, 1, 3, 65536, 0, true); // three digits, and the largest sums
    moments_of(context, LG_U8, 1, 1, 1, 0, false);
}

int main(void)
{
    random_seed(9);
    lg_context *context = device_open_cpu();
    run(context);
    refusals(context);
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context)
        run(context);
    device_close(&context);
    return check_finish("areasum_moments");
}
