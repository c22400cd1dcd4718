// Percentiles and probabilities of boxes, and shapes through layers, against loops over the samples.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 31, HEIGHT = 23, LAYERS = 5, BOXES = 40, ALL = WIDTH * HEIGHT * LAYERS };

static int32_t bounds[BOXES * 6];

// Boxes of a `dims`-dimensional array; the first is all of it.
static void draw_boxes(int dims)
{
    static const int extent[3] = {WIDTH, HEIGHT, LAYERS};
    for (int i = 0; i < BOXES; i++)
        for (int d = 0; d < dims; d++) {
            const int first = i ? (int)random_below((uint32_t)extent[d]) : 0;
            bounds[2 * dims * i + d] = first;
            bounds[2 * dims * i + dims + d] =
                i ? first + 1 + (int)random_below((uint32_t)(extent[d] - first)) : extent[d];
        }
}

static bool is_in(const int32_t *box, int dims, int x, int y, int z)
{
    const int at[3] = {x, y, z};
    for (int d = 0; d < dims; d++)
        if (at[d] < box[d] || at[d] >= box[dims + d])
            return false;
    return true;
}

// ---- percentiles --------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// As NumPy has it; the samples of a box of the first layer, sorted.
static double exact_percentile(const double *samples, const int32_t *box, double p)
{
    static double sorted[WIDTH * HEIGHT];
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        if (is_in(box, 2, i % WIDTH, i / WIDTH, 0))
            sorted[count++] = samples[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    const double t = p * (count - 1) / 100;
    const int k = (int)t < count - 1 ? (int)t : count - 1;
    return sorted[k] + (t - k) * (sorted[k + 1 < count ? k + 1 : k] - sorted[k]);
}

static void percentiles(lg_context *context, lg_type type, int bins, double high, double allowed)
{
    static double values[WIDTH * HEIGHT];
    static uint16_t words[WIDTH * HEIGHT];
    static float floats[WIDTH * HEIGHT];
    uint8_t *bytes = (uint8_t *)words;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const double v = type == LG_F32 ? random_unit() : (double)random_below((uint32_t)high + 1);
        floats[i] = (float)v;
        values[i] = type == LG_F32 ? (double)floats[i] : v;
        if (type == LG_U8)
            bytes[i] = (uint8_t)v;
        else
            words[i] = (uint16_t)v;
    }
    lg_area_array array = {.data = type == LG_F32 ? (const void *)floats : words,
                           .type = type,
                           .dims = 2,
                           .channels = 1,
                           .extent = {WIDTH, HEIGHT}};
    lg_area_array_pack(&array);
    const lg_areasum_params params = WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP,
                                          it.bins = bins, it.low = 0, it.high = high);
    lg_areasum *areasum = NULL;
    lg_error error = {0};
    NEED(lg_areasum_create(context, &array, &params, &areasum, &error) == LG_OK, "%s",
         error.message);
    draw_boxes(2);
    static const double wanted[] = {0, 10, 33.3, 50, 99.9, 100};
    for (size_t w = 0; w < LG_COUNT(wanted); w++) {
        double got[BOXES];
        CHECK(lg_areasum_query_percentile(context, areasum, wanted[w], bounds, BOXES, got,
                                          &error) == LG_OK,
              "%s", error.message);
        for (int i = 0; i < BOXES; i++) {
            const double want = exact_percentile(values, bounds + 4 * i, wanted[w]);
            CHECK(fabs(got[i] - want) <= allowed + 1e-12 * want,
                  "%s, %d bins: p%g is %.9g, not %.9g", lg_type_name(type), bins, wanted[w], got[i],
                  want);
        }
    }
    double out = 7;
    CHECK(lg_areasum_query_percentile(context, areasum, 101, bounds, 1, &out, &error) ==
                  LG_ERROR_ARGUMENT &&
              out == 7,
          "a percentile beyond 100");
    bounds[4 * (BOXES - 1) + 2] = WIDTH + 1;
    double all[BOXES] = {7};
    CHECK(lg_areasum_query_percentile(context, areasum, 50, bounds, BOXES, all, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "box 39") && all[0] == 7,
          "a box outside: %s", error.message);
    lg_areasum_destroy(&areasum);
}

// ---- probabilities ------------------------------------------------------------------------------

static void probabilities(lg_context *context)
{
    static float samples[2 * ALL];
    for (int i = 0; i < 2 * ALL; i++)
        samples[i] = (float)random_below(4096) / 4096;
    lg_area_array array = {.data = samples,
                           .type = LG_F32,
                           .dims = 3,
                           .channels = 2,
                           .extent = {WIDTH, HEIGHT, LAYERS}};
    lg_area_array_pack(&array);
    lg_areasum *areasum = NULL;
    lg_error error = {0};
    NEED(lg_areasum_create(context, &array, NULL, &areasum, &error) == LG_OK, "%s", error.message);
    draw_boxes(3);
    double got[2 * BOXES];
    CHECK(lg_areasum_query_probability(context, areasum, bounds, BOXES, got, &error) == LG_OK, "%s",
          error.message);
    for (int i = 0; i < 2 * BOXES; i++) {
        double sum = 0, total = 0;
        for (int k = 0; k < ALL; k++) {
            const int z = k / (WIDTH * HEIGHT), y = k / WIDTH % HEIGHT;
            total += (double)samples[2 * k + i % 2];
            if (is_in(bounds + 6 * (i / 2), 3, k % WIDTH, y, z))
                sum += (double)samples[2 * k + i % 2];
        }
        CHECK(fabs(got[i] - sum / total) <= 1e-15, "probability %.17g, not %.17g", got[i],
              sum / total);
    }
    CHECK(got[0] == 1 && got[1] == 1, "everything has the probability 1");
    lg_areasum_destroy(&areasum);
    memset(samples, 0, sizeof samples);
    NEED(lg_areasum_create(context, &array, NULL, &areasum, &error) == LG_OK, "%s", error.message);
    got[0] = 7;
    CHECK(lg_areasum_query_probability(context, areasum, bounds, BOXES, got, &error) ==
                  LG_ERROR_DATA &&
              got[0] == 7,
          "nothing is no density: %s", error.message);
    lg_areasum_destroy(&areasum);
}

// ---- shapes through layers ----------------------------------------------------------------------

// Sum, count and extremes of the pixels of `picture` in some layers.
static double plain_figure(lg_area_figure figure, const uint16_t *samples, const uint8_t *picture,
                           int first, int layers)
{
    double sum = 0, count = 0, min = NAN, max = NAN;
    for (int z = first; z < first + layers; z++)
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const double v = samples[z * WIDTH * HEIGHT + i];
            if (!picture[i])
                continue;
            sum += v;
            count++;
            min = fmin(min, v);
            max = fmax(max, v);
        }
    return figure == LG_AREA_SUM     ? sum
           : figure == LG_AREA_COUNT ? count
           : figure == LG_AREA_MIN   ? min
                                     : max;
}

static void shapes(lg_context *context)
{
    static const lg_area_figure figures[] = {LG_AREA_SUM, LG_AREA_COUNT, LG_AREA_MIN, LG_AREA_MAX};
    static uint16_t samples[ALL];
    static uint8_t picture[WIDTH * HEIGHT];
    for (int i = 0; i < ALL; i++)
        samples[i] = (uint16_t)random_u64();
    lg_area_array array = {.data = samples,
                           .type = LG_U16,
                           .dims = 3,
                           .channels = 1,
                           .extent = {WIDTH, HEIGHT, LAYERS}};
    lg_area_array_pack(&array);
    const lg_areasum_params params =
        WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.extremes = true);
    lg_areasum *areasum = NULL;
    lg_error error = {0};
    NEED(lg_areasum_create(context, &array, &params, &areasum, &error) == LG_OK, "%s",
         error.message);
    // A triangle whose pixels are known: those with x + y < 12.
    const double points[6] = {0, 0, 12.5, 0, 0, 12.5};
    const size_t ring = 3;
    const lg_area_polygon polygon = {points, &ring, 1, LG_AREA_EVEN_ODD};
    const lg_image mask = {{.width = WIDTH,
                            .height = HEIGHT,
                            .layers = 1,
                            .channels = 1,
                            .type = LG_U8,
                            .row_stride = WIDTH,
                            .layer_stride = WIDTH * HEIGHT},
                           picture};
    for (int run = 0; run < 60; run++) {
        const int first = run % LAYERS, layers = 1 + run / LAYERS % (LAYERS - first);
        const lg_area_figure figure = figures[run % 4];
        double got = -1;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            picture[i] = i % WIDTH + i / WIDTH < 12;
        lg_status status = lg_areasum_query_polygon_layers(context, areasum, figure, &polygon,
                                                           first, layers, &got, &error);
        double want = plain_figure(figure, samples, picture, first, layers);
        CHECK(status == LG_OK && got == want, "polygon, %s of %d layers from %d: %g, not %g",
              lg_area_figure_name(figure), layers, first, got, want);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            picture[i] = (uint8_t)random_below(2);
        status = lg_areasum_query_mask_layers(context, areasum, figure, &mask, first, layers, &got,
                                              &error);
        want = plain_figure(figure, samples, picture, first, layers);
        CHECK(status == LG_OK && got == want, "mask, %s of %d layers from %d: %g, not %g",
              lg_area_figure_name(figure), layers, first, got, want);
    }
    static const int64_t bad[][2] = {{0, 0}, {-1, 1}, {0, LAYERS + 1}, {LAYERS, 1}, {0, INT64_MAX}};
    for (size_t i = 0; i < LG_COUNT(bad); i++) {
        double out = 7;
        CHECK(lg_areasum_query_polygon_layers(context, areasum, LG_AREA_SUM, &polygon, bad[i][0],
                                              bad[i][1], &out, &error) == LG_ERROR_ARGUMENT &&
                  strstr(error.message, "layers") && out == 7,
              "layers outside: %s", error.message);
    }
    lg_areasum_destroy(&areasum);
    array.dims = 2;
    lg_area_array_pack(&array);
    NEED(lg_areasum_create(context, &array, NULL, &areasum, &error) == LG_OK, "%s", error.message);
    double out = 7;
    CHECK(lg_areasum_query_mask_layers(context, areasum, LG_AREA_SUM, &mask, 0, 1, &out, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "3 dimensions") && out == 7,
          "a plane has no layers: %s", error.message);
    lg_areasum_destroy(&areasum);
}

static void run(lg_context *context)
{
    percentiles(context, LG_U8, 256, 255, 0);
    percentiles(context, LG_U8, 16, 255, 16);
    percentiles(context, LG_U16, 64, 65535, 1024);
    percentiles(context, LG_F32, 100, 1, 0.01);
    probabilities(context);
    shapes(context);
}

int main(void)
{
    random_seed(61);
    lg_context *context = device_open_cpu();
    run(context);
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context)
        run(context);
    device_close(&context);
    return check_finish("areasum_derived");
}
