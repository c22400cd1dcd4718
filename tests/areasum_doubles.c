// Area sums of f64 against sums in integers of 128 bits: every sample is rounded to a unit, once, and the
// rest is exact.
#include "area_words.h"
#include "check.h"
#include "device.h"
#include "kernel.h"

#include "measure/areasum/areasum_planes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum doubles { ORDINARY, WHOLE, SPREAD, TINY, HUGE_ONES, BROKEN, KINDS } doubles;

static const char *const names[KINDS] = {"ordinary", "whole", "spread", "tiny", "huge", "broken"};

static double sample_of(doubles kind)
{
    const double unit = random_unit() * 2 - 1;
    switch (kind) {
    case WHOLE:
        return (double)(int64_t)(random_u64() >> 10) - 0x1p53;
    case SPREAD: // most are rounded
        return ldexp(unit, -(int)random_below(200));
    case TINY:
        return ldexp(unit, -1040 - (int)random_below(34));
    case HUGE_ONES:
        return ldexp(unit, 1023);
    case BROKEN:
        return random_below(5)   ? unit
               : random_below(2) ? NAN
               : random_below(2) ? INFINITY
                                 : -INFINITY;
    default:
        return unit;
    }
}

typedef struct figures {
    uint64_t count, above, bins[4];
    lg_i128 sum, upper, squares;
    double min, max;
} figures;

static const double bin_low = -0.5, bin_high = 0.5, above = 0.25;

static void add_sample(figures *f, double v, int unit, int upper_unit)
{
    if (!isfinite(v))
        return;
    const lg_i128 upper = (lg_i128)rintl(ldexpl((long double)v, -upper_unit));
    const float near = (float)v;
    f->count++;
    f->above += v > above;
    f->sum += (lg_i128)rintl(ldexpl((long double)v, -unit));
    f->upper += upper;
    f->squares += upper * upper;
    f->min = fmin(f->min, v);
    f->max = fmax(f->max, v);
    if (near >= -0.5f && near <= 0.5f)
        f->bins[LG_MIN((int)((near + 0.5f) * 4), 3)]++;
}

static figures measure(const lg_area_array *a, const int32_t *bounds, int channel, int unit,
                       int below)
{
    figures f = {.min = INFINITY, .max = -INFINITY};
    int32_t at[LG_AREA_DIMS];
    memcpy(at, bounds, sizeof(int32_t) * (size_t)a->dims);
    for (int d = 0; d < a->dims;) {
        const char *from = (const char *)a->data + 8 * channel;
        double v;
        for (int k = 0; k < a->dims; k++)
            from += at[k] * a->stride[k];
        memcpy(&v, from, sizeof v);
        add_sample(&f, v, unit, unit + below);
        for (d = 0; d < a->dims && ++at[d] == bounds[a->dims + d]; d++)
            at[d] = bounds[d];
    }
    return f;
}

// Integers below 2^106 or so divided in long doubles of 64 bits: within a little more than half a last place.
static bool near(double got, lg_i128 wanted, lg_i128 by, int exponent)
{
    const long double w = ldexpl((long double)wanted / (long double)by, exponent);
    return fabsl((long double)got - w) <= fabsl(w) * 0x1.01p-53L + (long double)DBL_TRUE_MIN;
}

static void compare_box(lg_context *context, const lg_area_array *array, const lg_areasum *sums,
                        const int32_t *bounds, const char *what)
{
    double got[LG_AREA_FIGURES][LG_MAX_CHANNELS];
    uint64_t bins[4 * LG_MAX_CHANNELS] = {0};
    lg_error error = {0};
    const int below = lg_area_below(sums->elements), unit = sums->planes[0].exponent - below;
    const bool ripmap = sums->params.kind == LG_AREASUM_RIPMAP;
    for (int f = 0; f < LG_AREA_FIGURES; f++)
        if (ripmap || (f != LG_AREA_MIN && f != LG_AREA_MAX))
            CHECK(!lg_areasum_query(context, sums, (lg_area_figure)f, bounds, 1, got[f], &error),
                  "%s: %s", what, error.message);
    if (ripmap)
        CHECK(!lg_areasum_query_histogram(context, sums, bounds, 1, bins, &error), "%s: %s", what,
              error.message);
    for (int c = 0; c < array->channels; c++) {
        const figures f = measure(array, bounds, c, unit, below);
        const double sum = ldexp((double)f.sum, unit);
        CHECK(got[LG_AREA_SUM][c] == sum, "%s: sum %.17g, not %.17g", what, got[LG_AREA_SUM][c],
              sum);
        CHECK(got[LG_AREA_COUNT][c] == (double)f.count &&
                  got[LG_AREA_COUNT_ABOVE][c] == (double)f.above,
              "%s: counts", what);
        if (ripmap)
            CHECK(!memcmp(bins + 4 * c, f.bins, sizeof f.bins), "%s: bins", what);
        if (!f.count) {
            CHECK(isnan(got[LG_AREA_MEAN][c]) && isnan(got[LG_AREA_VARIANCE][c]), "%s: none", what);
            continue;
        }
        const lg_i128 n = (lg_i128)f.count;
        CHECK(near(got[LG_AREA_MEAN][c], f.sum, n, unit), "%s: mean %.17g", what,
              got[LG_AREA_MEAN][c]);
        const long double variance = ldexpl((long double)(n * f.squares - f.upper * f.upper) /
                                                (long double)n / (long double)n,
                                            2 * (unit + below));
        CHECK(isinf((double)variance) ? isinf(got[LG_AREA_VARIANCE][c])
                                      : fabsl((long double)got[LG_AREA_VARIANCE][c] - variance) <=
                                            variance * 0x1.01p-53L + (long double)DBL_TRUE_MIN,
              "%s: variance %.17g, not %.17Lg", what, got[LG_AREA_VARIANCE][c], variance);
        if (ripmap)
            CHECK(got[LG_AREA_MIN][c] == f.min && got[LG_AREA_MAX][c] == f.max, "%s: extremes",
                  what);
    }
}

// Random samples with gaps between them.
static lg_area_array make_array(doubles kind, int dims, int channels, const int64_t *extent)
{
    lg_area_array a = {.type = LG_F64, .dims = dims, .channels = channels};
    memcpy(a.extent, extent, sizeof(int64_t) * (size_t)dims);
    lg_area_array_pack(&a);
    const int64_t gap = 4 * (int64_t)random_below(3); // samples are not always aligned
    size_t elements = 1;
    for (int d = 0; d < dims; d++) {
        a.stride[d] = d ? a.stride[d - 1] * a.extent[d - 1] + gap : a.stride[0] + gap * (gap > 4);
        elements *= (size_t)extent[d];
    }
    char *data = malloc((size_t)(a.stride[dims - 1] * extent[dims - 1]));
    NEED(data, "no memory");
    a.data = data;
    for (size_t i = 0; i < elements; i++) {
        size_t rest = i, at = 0;
        for (int d = 0; d < dims; d++) {
            at += rest % (size_t)extent[d] * (size_t)a.stride[d];
            rest /= (size_t)extent[d];
        }
        for (int c = 0; c < channels; c++) {
            const double v = sample_of(kind);
            memcpy(data + at + 8 * (size_t)c, &v, sizeof v);
        }
    }
    return a;
}

static lg_areasum *create(lg_context *context, const lg_area_array *array, lg_areasum_kind kind)
{
    const bool ripmap = kind == LG_AREASUM_RIPMAP;
    lg_areasum *sums = NULL;
    lg_error error = {0};
    NEED(
        !lg_areasum_create(context, array,
                           WITH_REF(lg_areasum_params, it.kind = kind, it.squares = true,
                                    it.counts_above = true, it.above = above, it.extremes = ripmap,
                                    it.bins = ripmap ? 4 : 0, it.low = bin_low, it.high = bin_high),
                           &sums, &error),
        "%s", error.message);
    return sums;
}

// The whole array, and random boxes.
static void compare_boxes(lg_context *context, const lg_area_array *array, const lg_areasum *sums,
                          int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        int32_t bounds[2 * LG_AREA_DIMS];
        for (int d = 0; d < array->dims; d++) {
            const int32_t n = (int32_t)array->extent[d], first = (int32_t)random_below((uint32_t)n);
            bounds[d] = i ? first : 0;
            bounds[array->dims + d] =
                i ? first + 1 + (int32_t)random_below((uint32_t)(n - first)) : n;
        }
        compare_box(context, array, sums, bounds, what);
    }
}

static void compare_array(lg_context *context, const lg_area_array *array, lg_areasum_kind kind,
                          const char *what)
{
    char text[AREA_TEXT] = "";
    lg_areasum *sums = create(context, array, kind), *other = create(kernel_context(), array, kind);
    CHECK(area_same_words(sums, other, text), "%s: between instruction sets: %s", what, text);
    lg_areasum_info info;
    lg_areasum_get_info(sums, &info);
    CHECK(info.type == LG_F64 && !info.exact && info.unit > 0, "%s: what is known of it", what);
    compare_boxes(context, array, sums, 6, what);
    lg_areasum_destroy(&other);
    lg_areasum_destroy(&sums);
}

static void random_arrays(lg_context *context)
{
    static const int64_t most[] = {0, 3000, 70, 19, 9, 6, 5};
    for (int i = 0; i < test_extent(60, 360, 2000); i++) {
        const doubles kind = (doubles)(i % KINDS);
        const int dims = 1 + (int)random_below(LG_AREA_DIMS), channels = 1 + (int)random_below(4);
        int64_t extent[LG_AREA_DIMS];
        char what[80];
        for (int d = 0; d < dims; d++)
            extent[d] = 1 + (int64_t)random_below((uint32_t)most[dims]);
        lg_area_array array = make_array(kind, dims, channels, extent);
        snprintf(what, sizeof what, "%s samples of %d axes, %d channels", names[kind], dims,
                 channels);
        compare_array(context, &array, i / KINDS % 2 ? LG_AREASUM_RIPMAP : LG_AREASUM_TABLE, what);
        free((void *)(uintptr_t)array.data);
    }
}

// Known figures: integers up to 2^53, what cancels, what is too large.
static void known(lg_context *context)
{
    static const struct {
        double sample[4], sum, mean;
    } cases[] = {{{0x1p53, 1, 1, 0x1p53 - 1}, 0x1p54 + 1, 0x1p52 + 0.25},
                 {{1e300, 1e-300, -1e300, 0}, 0, 0}, // 10^-300 is far below the unit
                 {{1e16, 1, -1e16, 0}, 1, 0.25},
                 {{0.1, 0.2, 0.3, 0.4}, 1, 0.25},
                 {{DBL_MAX, DBL_MAX, -1, 0}, INFINITY, DBL_MAX / 2},
                 {{DBL_TRUE_MIN, DBL_TRUE_MIN, 0, DBL_TRUE_MIN}, 3 * DBL_TRUE_MIN, DBL_TRUE_MIN},
                 {{-0.0, 0, NAN, INFINITY}, 0, 0}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_area_array array = {
            .data = cases[i].sample, .type = LG_F64, .dims = 1, .channels = 1, .extent = {4}};
        lg_area_array_pack(&array);
        for (int kind = 0; kind < 2; kind++) {
            lg_areasum *sums = create(context, &array, (lg_areasum_kind)kind);
            double sum = 0, mean = 0;
            lg_error error = {0};
            CHECK(
                !lg_areasum_query(context, sums, LG_AREA_SUM, (int32_t[]){0, 4}, 1, &sum, &error) &&
                    !lg_areasum_query(context, sums, LG_AREA_MEAN, (int32_t[]){0, 4}, 1, &mean,
                                      &error),
                "%s", error.message);
            CHECK(sum == cases[i].sum && mean == cases[i].mean, "case %zu: %.17g, %.17g", i, sum,
                  mean);
            lg_areasum_destroy(&sums);
        }
    }
}

static void refusals(lg_context *context)
{
    const double samples[2] = {1, NAN};
    lg_area_array array = {
        .data = samples, .type = LG_F64, .dims = 1, .channels = 1, .extent = {2}};
    lg_areasum *sums = NULL;
    lg_error error = {0};
    int64_t integer;
    lg_area_array_pack(&array);
    CHECK(lg_areasum_create(context, &array,
                            WITH_REF(lg_areasum_params, it.precision = LG_AREA_PLAIN), &sums,
                            &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "samples of f64"),
          "%s", error.message);
    CHECK(lg_areasum_create(context, &array, WITH_REF(lg_areasum_params, it.nan = LG_NAN_ERROR),
                            &sums, &error) == LG_ERROR_DATA,
          "%s", error.message);
    sums = create(context, &array, LG_AREASUM_TABLE);
    CHECK(lg_areasum_query_integers(context, sums, (int32_t[]){0, 2}, 1, &integer, &error) ==
              LG_ERROR_UNSUPPORTED,
          "%s", error.message);
    lg_areasum_destroy(&sums);
}

// A device makes tables, the same as the CPU; it leaves ripmaps and more axes to the CPU, with the reason.
static void on_device(lg_context *context)
{
    static const int64_t most[] = {0, 3000, 70, 19};
    for (int i = 0; i < test_extent(18, 48, 400); i++) {
        const doubles kind = (doubles)(i % KINDS);
        const int dims = 1 + i / 2 % 3, channels = 1 + (int)random_below(4);
        int64_t extent[LG_AREA_DIMS];
        char what[80];
        for (int d = 0; d < dims; d++)
            extent[d] = 1 + (int64_t)random_below(i % 2 ? 2 : (uint32_t)most[dims]);
        lg_area_array array = make_array(kind, dims, channels, extent);
        snprintf(what, sizeof what, "%s samples of %d axes, %d channels on a device", names[kind],
                 dims, channels);
        lg_areasum *sums = create(context, &array, LG_AREASUM_TABLE);
        CHECK(sums->device, "%s: not there", what);
        compare_boxes(context, &array, sums, 6, what);
        lg_areasum_destroy(&sums);
        free((void *)(uintptr_t)array.data);
    }
}

static void left_to_cpu(lg_context *context)
{
    const double samples[4] = {1, 2, 3, 4.5};
    lg_area_array array = {
        .data = samples, .type = LG_F64, .dims = 2, .channels = 1, .extent = {2, 2}};
    double sum = 0;
    lg_error error = {0};
    lg_area_array_pack(&array);
    lg_areasum *sums = create(context, &array, LG_AREASUM_RIPMAP);
    lg_engine_report report = {0};
    lg_context_report(context, &report);
    CHECK(strstr(report.fallback, "f64"), "%s", report.fallback);
    CHECK(!lg_areasum_query(context, sums, LG_AREA_SUM, (int32_t[]){0, 0, 2, 2}, 1, &sum, &error) &&
              sum == 10.5,
          "%s", error.message);
    lg_areasum_destroy(&sums);
}

int main(void)
{
    random_seed(64);
    lg_context *context = device_open_cpu();
    random_arrays(context);
    known(context);
    refusals(context);
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context) {
        on_device(context);
        left_to_cpu(context);
    }
    device_close(&context);
    return check_finish("areasum_doubles");
}
