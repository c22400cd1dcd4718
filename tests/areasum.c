// Area sums against plain loops over the samples of a box, in wide integers or long doubles.
#include "area_sums.h"
#include "area_words.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_context *best;

// ---- arrays ---------------------------------------------------------------------------------------

typedef struct sample_array {
    lg_area_array array;
    double *values; // [element][channel], as they are stored
} sample_array;

static double random_value(lg_type type, double *stored, void *to)
{
    const double unit = random_unit();
    switch (type) {
    case LG_U8:
        *(uint8_t *)to = (uint8_t)random_below(256);
        return *stored = *(uint8_t *)to;
    case LG_U16:
        *(uint16_t *)to = (uint16_t)random_below(65536);
        return *stored = *(uint16_t *)to;
    case LG_I32: {
        const int32_t v = (int32_t)random_below(2000001) - 1000000;
        memcpy(to, &v, 4);
        return *stored = v;
    }
    case LG_F16: {
        const uint16_t v = lg_float_to_half((float)(unit * 4 - 1));
        memcpy(to, &v, 2);
        return *stored = (double)lg_half_to_float(v);
    }
    default: {
        const float v = (float)ldexp(unit * 2 - 0.5, (int)random_below(6));
        memcpy(to, &v, 4);
        return *stored = (double)v;
    }
    }
}

// A random array with gaps between its lines.
static sample_array make_array(lg_type type, int dims, int channels, const int64_t *extent)
{
    sample_array s = {.array = {.type = type, .dims = dims, .channels = channels}};
    size_t elements = 1, bytes;
    for (int d = 0; d < dims; d++) {
        s.array.extent[d] = extent[d];
        elements *= (size_t)extent[d];
    }
    lg_area_array_pack(&s.array);
    for (int d = dims - 1, gap = 0; d >= 0; d--) { // wider from the last axis on
        gap = (int)random_below(3) * (int)lg_type_size(type);
        for (int k = d + 1; k < dims; k++)
            s.array.stride[k] += gap * (k > 0);
        if (gap && d + 1 < dims)
            for (int k = d + 2; k < dims; k++)
                s.array.stride[k] = s.array.stride[k - 1] * s.array.extent[k - 1] + gap;
    }
    bytes = lg_type_size(type) * (size_t)channels;
    for (int d = 0; d < dims; d++)
        bytes += (size_t)s.array.stride[d] * (size_t)(extent[d] - 1);
    char *data = malloc(bytes);
    s.values = malloc(elements * (size_t)channels * sizeof *s.values);
    s.array.data = data;
    for (size_t i = 0; i < elements; i++) {
        size_t rest = i, at = 0;
        for (int d = 0; d < dims; d++) {
            at += rest % (size_t)extent[d] * (size_t)s.array.stride[d];
            rest /= (size_t)extent[d];
        }
        for (int c = 0; c < channels; c++) {
            uint8_t sample[8];
            random_value(type, &s.values[i * (size_t)channels + (size_t)c], sample);
            memcpy(data + at + (size_t)c * lg_type_size(type), sample, lg_type_size(type));
        }
    }
    return s;
}

static void drop_array(sample_array *s)
{
    free((void *)(uintptr_t)s->array.data);
    free(s->values);
}

static void random_box(const lg_area_array *array, int32_t *bounds)
{
    for (int d = 0; d < array->dims; d++) {
        const int32_t n = (int32_t)array->extent[d], kind = (int32_t)random_below(4);
        const int32_t a = (int32_t)random_below((uint64_t)n),
                      b = (int32_t)random_below((uint64_t)n);
        bounds[d] = kind == 0 ? 0 : LG_MIN(a, b);
        bounds[array->dims + d] = kind < 2 ? n : LG_MAX(a, b) + 1;
    }
}

// ---- the plain definition -------------------------------------------------------------------------

typedef struct plain {
    uint64_t count, above, bins[16];
    lg_i128 sum, squares; // integers
    long double real, magnitudes;
    double min, max;
} plain;

// As histograms define it: of integers in exact arithmetic, of floats two operations of floats.
static int bin_of(lg_type type, const lg_areasum_params *p, double v)
{
    if (!lg_area_is_float(type) && floor(p->low) == p->low && floor(p->high) == p->high)
        return (int)floor((v - p->low) * p->bins / (p->high - p->low + 1));
    if (!lg_area_is_float(type))
        return LG_MIN((int)((v - p->low) * p->bins / (p->high - p->low)), p->bins - 1);
    const float low = (float)p->low, high = (float)p->high;
    const float scale = (float)(p->bins / ((double)high - (double)low));
    return LG_MIN((int)(((float)v - low) * scale), p->bins - 1);
}

static plain measure(const sample_array *s, const int32_t *bounds, int channel,
                     const lg_areasum *sums)
{
    const lg_area_array *a = &s->array;
    const lg_areasum_params *p = &sums->params;
    plain r = {.min = INFINITY, .max = -INFINITY};
    int32_t at[LG_AREA_DIMS];
    memcpy(at, bounds, sizeof(int32_t) * (size_t)a->dims);
    for (;;) {
        size_t index = 0;
        for (int d = a->dims - 1; d >= 0; d--)
            index = index * (size_t)a->extent[d] + (size_t)at[d];
        const double v = s->values[index * (size_t)a->channels + (size_t)channel];
        if (isfinite(v)) {
            r.count++;
            r.above += v > p->above;
            r.real += (long double)v;
            r.magnitudes += fabsl((long double)v);
            if (lg_area_is_float(a->type)) {
                const lg_i128 q = (lg_i128)rint(ldexp(v, -sums->planes[0].exponent));
                r.sum += q;
                r.squares += q * q;
            } else {
                r.sum += (lg_i128)v;
                r.squares += (lg_i128)v * (lg_i128)v;
            }
            r.min = fmin(r.min, v);
            r.max = fmax(r.max, v);
            for (int bin = 0; bin < p->bins && p->bins <= 16; bin++) {
                r.bins[bin] += v >= p->low && v <= p->high && bin_of(a->type, p, v) == bin;
            }
        }
        int d = 0;
        while (d < a->dims && ++at[d] == bounds[a->dims + d])
            at[d] = bounds[d], d++;
        if (d == a->dims)
            break;
    }
    return r;
}

// ---- comparing ------------------------------------------------------------------------------------

static double query(lg_context *context, const lg_areasum *sums, lg_area_figure figure,
                    const int32_t *bounds, int channel)
{
    double out[LG_MAX_CHANNELS];
    lg_error error = {LG_OK, ""};
    CHECK(!lg_areasum_query(context, sums, figure, bounds, 1, out, &error), "%s", error.message);
    return out[channel];
}

static bool near(double got, long double wanted, long double bound)
{
    return fabsl((long double)got - wanted) <= bound;
}

static long double sum_bound(const lg_areasum *sums, const plain *p)
{
    const long double n = (long double)p->count;
    if (sums->planes[0].word == LG_AREA_F32)
        return log2l(n + 1) * 0x1p-24L * p->magnitudes + 0x1p-60L;
    return sums->floats ? n * ldexpl(1, sums->planes[0].exponent - 1) + fabsl(p->real) * 0x1p-53L
                        : 0;
}

// Of integers of the unit, but for roundings to double.
static void compare_moments(const lg_areasum *sums, const plain *p, const int32_t *bounds,
                            int channel, const char *what)
{
    const long double n = (long double)p->count;
    const int unit = sums->planes[0].exponent;
    const double mean = query(best, sums, LG_AREA_MEAN, bounds, channel);
    const long double wanted_mean = ldexpl((long double)p->sum / n, unit);
    CHECK(near(mean, wanted_mean, fabsl(wanted_mean) * 0x1.01p-53L),
          "%s: mean %.17g, wanted %.17Lg", what, mean, wanted_mean);
    if (!sums->params.squares)
        return;
    const double variance = query(best, sums, LG_AREA_VARIANCE, bounds, channel);
    const lg_i128 numerator = (lg_i128)p->count * p->squares - p->sum * p->sum;
    const long double wanted = ldexpl((long double)numerator / n / n, 2 * unit);
    CHECK(near(variance, wanted, wanted * 0x1.01p-53L), "%s: variance %.17g, wanted %.17Lg", what,
          variance, wanted);
}

static void compare_box(const sample_array *s, const lg_areasum *sums, const int32_t *bounds,
                        int channel)
{
    const lg_areasum_params *params = &sums->params;
    const plain p = measure(s, bounds, channel, sums);
    char what[100];
    snprintf(what, sizeof what, "%s of %d in %d dimensions", params->kind ? "ripmap" : "table",
             (int)s->array.type, s->array.dims);
    if (params->precision != LG_AREA_PLAIN) {
        const double sum = query(best, sums, LG_AREA_SUM, bounds, channel);
        CHECK(sum == ldexp((double)p.sum, sums->planes[0].exponent), "%s: sum %.17g", what, sum);
        CHECK(sums->floats ? near(sum, p.real, sum_bound(sums, &p)) : sum == (double)p.sum,
              "%s: sum %.17g, wanted %.17Lg", what, sum, p.real);
    }
    CHECK(query(best, sums, LG_AREA_COUNT, bounds, channel) == (double)p.count, "%s: count", what);
    if (params->precision != LG_AREA_PLAIN && p.count)
        compare_moments(sums, &p, bounds, channel, what);
    if (params->extremes && p.count)
        CHECK(query(best, sums, LG_AREA_MIN, bounds, channel) == p.min &&
                  query(best, sums, LG_AREA_MAX, bounds, channel) == p.max,
              "%s: extremes", what);
    if (params->counts_above)
        CHECK(query(best, sums, LG_AREA_COUNT_ABOVE, bounds, channel) == (double)p.above,
              "%s: above", what);
    if (params->bins) {
        uint64_t bins[LG_MAX_CHANNELS * 16];
        lg_error error = {LG_OK, ""};
        CHECK(!lg_areasum_query_histogram(best, sums, bounds, 1, bins, &error), "%s",
              error.message);
        CHECK(memcmp(bins + channel * params->bins, p.bins, (size_t)params->bins * sizeof *bins) ==
                  0,
              "%s: histogram", what);
    }
}

static lg_areasum *create(lg_context *context, const lg_area_array *array,
                          const lg_areasum_params *params)
{
    lg_areasum *sums = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_areasum_create(context, array, params, &sums, &error), "%s", error.message);
    return sums;
}

// The same words on the lowest instruction set with one thread, where nothing is guessed.
static void compare_levels(const sample_array *s, const lg_areasum *sums)
{
    char text[AREA_TEXT] = "";
    const size_t guess = lg_area_guess_least;
    lg_area_guess_least = SIZE_MAX;
    lg_areasum *other = create(kernel_context(), &s->array, &sums->params);
    lg_area_guess_least = guess;
    CHECK(area_same_words(sums, other, text), "between instruction sets: %s", text);
    lg_areasum_destroy(&other);
}

static void compare_array(const sample_array *s, const lg_areasum_params *params, int boxes)
{
    lg_areasum *sums = create(best, &s->array, params);
    if (!sums)
        return;
    compare_levels(s, sums);
    for (int i = 0; i < boxes; i++) {
        int32_t bounds[2 * LG_AREA_DIMS];
        random_box(&s->array, bounds);
        compare_box(s, sums, bounds, (int)random_below((uint64_t)s->array.channels));
    }
    lg_areasum_destroy(&sums);
}

static void test_random(void)
{
    static const int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  13,  15,  16,
                                    17, 31, 32, 33, 37, 63, 64, 65, 127, 128, 129};
    static const int64_t max[] = {0, 300, 9000, 4000, 3000, 3000, 3000};
    for (int i = 0; i < test_extent(60, 400, 4000); i++) {
        const lg_type type = (lg_type)(i % LG_F64);
        const int dims = 1 + (int)random_below(LG_AREA_DIMS), channels = 1 + (int)random_below(4);
        int64_t extent[LG_AREA_DIMS], elements = 1;
        for (int d = 0; d < dims; d++) {
            do
                extent[d] = sizes[random_below(LG_COUNT(sizes))];
            while (elements * extent[d] > max[dims] && extent[d] > 1);
            elements *= extent[d];
        }
        sample_array s = make_array(type, dims, channels, extent);
        const lg_areasum_params params = area_any_params(type);
        compare_array(&s, &params, 6);
        drop_array(&s);
    }
}

// ---- what random arrays do not reach ---------------------------------------------------------------

// Words that go past the caches are the same, in rows that begin at whole vectors and in those that do not.
static void test_streams(void)
{
    static const int64_t extents[][2] = {{96, 70}, {1600, 37}, {1027, 40}, {8209, 3}, {2500, 99}};
    const size_t min = lg_area_stream_least;
    for (int i = 0; i < test_extent(10, 40, 200); i++) {
        const lg_type type = i % 2 ? LG_F32 : LG_U8;
        const int channels = i % 3 ? 1 : 1 + (int)random_below(4);
        sample_array s = make_array(type, 2, channels, extents[i / 2 % LG_COUNT(extents)]);
        const lg_areasum_params params =
            WITH(lg_areasum_params, it.kind = i / 2 % 3 ? LG_AREASUM_TABLE : LG_AREASUM_RIPMAP,
                 it.precision = i % 4 == 3 ? LG_AREA_PLAIN : LG_AREA_EXACT,
                 it.squares = i % 5 == 1 && i % 4 != 3);
        lg_area_stream_least = 0;
        lg_areasum *sums = create(best, &s.array, &params);
        lg_area_stream_least = min;
        if (sums)
            compare_levels(&s, sums);
        for (int k = 0; sums && k < 2; k++) {
            int32_t bounds[4];
            random_box(&s.array, bounds);
            compare_box(&s, sums, bounds, (int)random_below((uint64_t)channels));
        }
        lg_areasum_destroy(&sums);
        drop_array(&s);
    }
}

// Sums of more bytes than 32 bits hold.
static void test_wrapping(void)
{
    enum { WIDTH = 5000, HEIGHT = 4000 };
    uint8_t *data = malloc((size_t)WIDTH * HEIGHT);
    memset(data, 255, (size_t)WIDTH * HEIGHT);
    lg_area_array array = {
        .data = data, .type = LG_U8, .dims = 2, .channels = 1, .extent = {WIDTH, HEIGHT}};
    lg_area_array_pack(&array);
    lg_areasum *sums = create(best, &array, NULL);
    static const int32_t boxes[][4] = {
        {0, 0, WIDTH, HEIGHT}, {1, 0, WIDTH, HEIGHT}, {3, 500, 4999, 3999}};
    for (size_t i = 0; sums && i < LG_COUNT(boxes); i++) {
        const int64_t wanted =
            255 * (int64_t)(boxes[i][2] - boxes[i][0]) * (boxes[i][3] - boxes[i][1]);
        int64_t got = 0;
        CHECK(!lg_areasum_query_integers(best, sums, boxes[i], 1, &got, NULL) && got == wanted,
              "%lld, wanted %lld", (long long)got, (long long)wanted);
    }
    CHECK(sums && sums->planes[0].word == LG_AREA_U32, "bytes have words of 32 bits");
    lg_areasum_destroy(&sums);
    free(data);
}

// ---- plain tables, entry by entry ------------------------------------------------------------------

// Element i of a block after the step of d.
static float by_halves(const float *x, size_t stride, size_t i, size_t d)
{
    const float own = d == 1 ? x[i * stride] : by_halves(x, stride, i, d / 2);
    if (!(i & d))
        return own;
    const size_t last = i / d * d - 1;
    return (d == 1 ? x[last * stride] : by_halves(x, stride, last, d / 2)) + own;
}

// Sums along a line of the first axis, in place.
static void sum_first_line(float *line, size_t length, size_t stride, size_t block)
{
    float before = 0, sum[128];
    for (size_t start = 0; start < length; start += block) {
        const size_t count = LG_MIN(block, length - start);
        for (size_t i = 0; i < count; i++)
            sum[i] = by_halves(line + start * stride, stride, i, block / 2);
        for (size_t i = 0; i < count; i++)
            line[(start + i) * stride] = before + sum[i];
        before += sum[count - 1];
    }
}

static void sum_other_line(float *line, size_t length, size_t stride)
{
    float blocks = 0;
    for (size_t block = 0; block < length; block += 64) {
        float groups = 0;
        for (size_t group = block; group < LG_MIN(block + 64, length); group += 8) {
            float sum = line[group * stride];
            for (size_t i = group; i < LG_MIN(group + 8, length); i++) {
                sum = i > group ? sum + line[i * stride] : sum;
                line[i * stride] = blocks + (groups + sum);
            }
            groups += sum;
        }
        blocks += groups;
    }
}

static void sum_one(float *line, const lg_area_array *a, int axis, size_t stride)
{
    static const size_t blocks[] = {128, 64, 32, 32};
    if (axis == 0)
        sum_first_line(line, (size_t)a->extent[0], stride, blocks[a->channels - 1]);
    else
        sum_other_line(line, (size_t)a->extent[axis], stride);
}

static void sum_lines(float *x, const lg_area_array *a)
{
    size_t inner = (size_t)a->channels;
    const size_t words = (size_t)a->stride[a->dims - 1] / 4 * (size_t)a->extent[a->dims - 1];
    for (int d = 0; d < a->dims; inner *= (size_t)a->extent[d++])
        for (size_t i = 0; i < words; i++)
            if (i / inner % (size_t)a->extent[d] == 0)
                sum_one(x + i, a, d, inner);
}

static void compare_plain(const lg_area_array *array, const float *table, const lg_areasum *sums)
{
    const size_t channels = (size_t)array->channels, row = (size_t)array->extent[0] * channels;
    for (int i = 0; i < 8; i++) {
        int32_t b[4];
        random_box(array, b);
        const size_t c = random_below(channels);
        const float *top = b[1] ? table + (size_t)(b[1] - 1) * row : NULL,
                    *bottom = table + (size_t)(b[3] - 1) * row;
        const size_t left = (size_t)(b[0] - 1) * channels + c,
                     right = (size_t)(b[2] - 1) * channels + c;
        float wanted = bottom[right];
        if (b[0])
            wanted = wanted - bottom[left];
        if (top)
            wanted = wanted - top[right];
        if (top && b[0])
            wanted = wanted + top[left];
        const double got = query(best, sums, LG_AREA_SUM, b, (int)c);
        CHECK(got == (double)wanted, "plain sum %.9g, wanted %.9g", got, (double)wanted);
    }
}

static float plain_sample(bool halves)
{
    const float special[] = {-0.0f, 0, (float)NAN, INFINITY, -INFINITY, -1e-42f};
    if (random_below(6) == 0)
        return special[random_below(halves ? 5 : 6)];
    return (float)(int)random_below(1 << (halves ? 10 : 24)) * (halves ? 0x1p-5f : 0x1p-24f) -
           0.25f;
}

static void test_plain(void)
{
    static const int64_t extents[][3] = {{1, 1, 1},     {31, 70, 1}, {32, 32, 1},  {33, 64, 1},
                                         {100, 7, 9},   {300, 1, 1}, {65, 300, 2}, {17, 3, 20},
                                         {1700, 70, 1}, {2100, 9, 2}};
    for (size_t k = 0; k < LG_COUNT(extents) * 3; k++) {
        const int64_t *n = extents[k / 3];
        const bool halves = k % 3 == 2;
        lg_area_array array = {.type = halves ? LG_F16 : LG_F32,
                               .dims = n[2] > 1   ? 3
                                       : n[1] > 1 ? 2
                                                  : 1,
                               .channels = k % 3 == 0 ? 1 : 1 + (int)random_below(4),
                               .extent = {n[0], n[1], n[2]}};
        const size_t words = (size_t)(n[0] * n[1] * n[2] * array.channels);
        float *x = malloc(words * sizeof *x);
        uint16_t *half = malloc(words * sizeof *half);
        for (size_t i = 0; i < words; i++) {
            x[i] = plain_sample(halves);
            half[i] = lg_float_to_half(x[i]);
        }
        array.data = halves ? (const void *)half : x;
        lg_area_array_pack(&array);
        lg_areasum *sums =
            create(best, &array, WITH_REF(lg_areasum_params, it.precision = LG_AREA_PLAIN));
        if (sums) {
            const sample_array s = {.array = array};
            compare_levels(&s, sums);
        }
        for (size_t i = 0; i < words; i++)
            x[i] = isfinite(x[i]) ? x[i] : 0;
        array.stride[array.dims - 1] *= halves ? 2 : 1;
        sum_lines(x, &array);
        for (size_t i = 0; sums && i < words; i++)
            CHECK(memcmp((const float *)sums->planes[0].data + i, x + i, 4) == 0,
                  "plain entry %zu of %lld x %lld x %lld, %d channels: %.9g, wanted %.9g", i,
                  (long long)n[0], (long long)n[1], (long long)n[2], array.channels,
                  (double)((const float *)sums->planes[0].data)[i], (double)x[i]);
        if (sums && array.dims == 2)
            compare_plain(&array, x, sums);
        lg_areasum_destroy(&sums);
        free(x);
        free(half);
    }
}

// ---- what is not finite ----------------------------------------------------------------------------

// Samples that are not finite are left out, and counted.
static void test_not_finite(void)
{
    const int64_t extent[] = {37, 23};
    for (int kind = 0; kind < 2; kind++) {
        sample_array s = make_array(LG_F32, 2, 1, extent);
        float *data = malloc(37 * 23 * sizeof *data);
        for (int i = 0; i < 37 * 23; i++) {
            if (random_below(5) == 0)
                s.values[i] = random_below(2)   ? (double)NAN
                              : random_below(2) ? (double)INFINITY
                                                : -(double)INFINITY;
            data[i] = (float)s.values[i];
        }
        free((void *)(uintptr_t)s.array.data);
        s.array.data = data;
        lg_area_array_pack(&s.array);
        const lg_areasum_params params =
            WITH(lg_areasum_params, it.kind = (lg_areasum_kind)kind, it.squares = true,
                 it.extremes = kind, it.counts_above = true, it.above = 0.2);
        compare_array(&s, &params, 60);
        lg_areasum *sums = create(best, &s.array, &params);
        lg_areasum_info info = {0};
        uint64_t ignored = 0;
        for (int i = 0; i < 37 * 23; i++)
            ignored += !isfinite(s.values[i]);
        lg_areasum_get_info(sums, &info);
        CHECK(info.ignored == ignored && ignored > 50, "%llu ignored",
              (unsigned long long)info.ignored);
        lg_areasum_destroy(&sums);
        drop_array(&s);
    }
}

// One thousand boxes of uniform samples: the sum of the errors, as the tables of bench areasum have it.
static double total_error(lg_area_precision precision, const float *x, const lg_area_array *array)
{
    lg_areasum *sums =
        create(best, array,
               WITH_REF(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.precision = precision));
    const int32_t n = (int32_t)array->extent[0];
    double total = 0;
    for (int i = 0; sums && i < 1000; i++) {
        const int32_t w = 30 + (int32_t)random_below(21), h = 30 + (int32_t)random_below(21);
        const int32_t left = (int32_t)random_below((uint64_t)(n - w + 1)),
                      top = (int32_t)random_below((uint64_t)(n - h + 1));
        const int32_t b[4] = {left, top, left + w, top + h};
        double wanted = 0;
        for (int32_t y = top; y < top + h; y++)
            for (int32_t c = left; c < left + w; c++)
                wanted += (double)x[y * n + c];
        total += fabs(query(best, sums, LG_AREA_SUM, b, 0) - wanted);
    }
    lg_areasum_destroy(&sums);
    return total;
}

static void test_precision(void)
{
    enum { N = 512 };
    float *x = malloc(sizeof *x * N * N);
    for (int i = 0; i < N * N; i++)
        x[i] = (float)random_unit();
    lg_area_array array = {.data = x, .type = LG_F32, .dims = 2, .channels = 1, .extent = {N, N}};
    lg_area_array_pack(&array);
    const double exact = total_error(LG_AREA_EXACT, x, &array),
                 rough = total_error(LG_AREA_PLAIN, x, &array);
    // The unit is 2^-44, and boxes have up to 2500 samples.
    CHECK(exact <= 1000 * 2500 * 0x1p-45 && rough <= 0.146,
          "errors of 1000 boxes of ripmaps: %g, plain %g", exact, rough);
    free(x);
}

// ---- what is refused ------------------------------------------------------------------------------

static void expect(lg_status got, const lg_error *error, lg_status wanted, const char *words)
{
    CHECK(got == wanted && strstr(error->message, words), "status %d, %s; wanted %d, %s", (int)got,
          error->message, (int)wanted, words);
}

static void test_refusals(void)
{
    uint8_t data[64] = {0};
    float floats[4] = {1, (float)NAN, 2, 3};
    lg_areasum *sums = NULL;
    lg_error error = {LG_OK, ""};
    lg_area_array array = {.data = data, .type = LG_U8, .dims = 2, .channels = 1, .extent = {8, 8}},
                  other;
    lg_area_array_pack(&array);
#define REFUSED(status, words, change, ...)                                                        \
    other = array;                                                                                 \
    change;                                                                                        \
    expect(                                                                                        \
        lg_areasum_create(best, &other, WITH_REF(lg_areasum_params, __VA_ARGS__), &sums, &error),  \
        &error, status, words)
    REFUSED(LG_ERROR_ARGUMENT, "7 dimensions", other.dims = 7, it.squares = false);
    REFUSED(LG_ERROR_ARGUMENT, "5 channels", other.channels = 5, it.squares = false);
    REFUSED(LG_ERROR_ARGUMENT, "axis 1", other.extent[1] = 0, it.squares = false);
    REFUSED(LG_ERROR_LIMIT, "2^32", other.extent[1] = 1 << 30, it.squares = false);
    REFUSED(LG_ERROR_ARGUMENT, "negative", other.stride[0] = -1, it.squares = false);
    REFUSED(LG_ERROR_ARGUMENT, "need a ripmap", (void)0, it.extremes = true);
    REFUSED(LG_ERROR_ARGUMENT, "need a ripmap", (void)0, it.bins = 4);
    REFUSED(LG_ERROR_ARGUMENT, "first must be below", (void)0, it.kind = LG_AREASUM_RIPMAP,
            it.bins = 4, it.low = 2);
    REFUSED(LG_ERROR_ARGUMENT, "plain precision", (void)0, it.precision = LG_AREA_PLAIN);
    REFUSED(LG_ERROR_ARGUMENT, "plain precision", (void)0, it.precision = LG_AREA_PLAIN,
            it.kind = LG_AREASUM_RIPMAP);
    REFUSED(LG_ERROR_ARGUMENT, "f32 with squares", other.type = LG_F32,
            it.precision = LG_AREA_PLAIN, it.squares = true);
    REFUSED(LG_ERROR_LIMIT, "A table of sums needs", (void)0, it.kind = LG_AREASUM_RIPMAP,
            it.memory_limit = 100);
    other =
        (lg_area_array){.data = floats, .type = LG_F32, .dims = 1, .channels = 1, .extent = {4}};
    lg_area_array_pack(&other);
    expect(lg_areasum_create(best, &other, WITH_REF(lg_areasum_params, it.nan = LG_NAN_ERROR),
                             &sums, &error),
           &error, LG_ERROR_DATA, "1 samples");
    sums = create(best, &array, NULL);
    double out[4] = {7, 7, 7, 7};
    static const int32_t boxes[][8] = {{0, 0, 8, 8, 1, 2, 1, 5},
                                       {0, 0, 8, 8, 3, 2, 1, 5},
                                       {0, 0, 8, 8, 0, 0, 8, 9},
                                       {0, 0, 8, 8, -1, 0, 8, 8}};
    static const char *const words[] = {"box 1 is empty", "box 1 is inverted",
                                        "box 1 reaches outside", "box 1 reaches outside"};
    for (size_t i = 0; i < LG_COUNT(boxes); i++)
        expect(lg_areasum_query(best, sums, LG_AREA_SUM, boxes[i], 2, out, &error), &error,
               LG_ERROR_ARGUMENT, words[i]);
    expect(lg_areasum_query(best, sums, LG_AREA_VARIANCE, boxes[0], 1, out, &error), &error,
           LG_ERROR_ARGUMENT, "without squares");
    expect(lg_areasum_query(best, sums, LG_AREA_MIN, boxes[0], 1, out, &error), &error,
           LG_ERROR_ARGUMENT, "without extremes");
    CHECK(out[0] == 7 && out[1] == 7, "a refused query writes nothing");
    CHECK(!lg_areasum_query(best, sums, LG_AREA_SUM, NULL, 0, NULL, &error), "no boxes are fine");
    lg_areasum_destroy(&sums);
    lg_areasum_destroy(&sums);
}

static void test_more(void)
{
    best = kernel_best_context();
    random_seed(20261121); // how much was drawn before depends on the levels that run
    lg_area_guess_least = 0;
    lg_area_cached = 0;
    test_random();
    test_streams();
    test_wrapping();
    test_plain();
    test_not_finite();
    test_precision();
    test_refusals();
}

int main(void)
{
    return measure_main("areasum", &areasum_case, 1, test_more);
}
