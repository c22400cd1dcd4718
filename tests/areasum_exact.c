// Sums, means and variances of floats from area sums against exact rationals: any magnitude,
// cancellation, subnormal samples, both types, up to four channels. Tables and ripmaps, the CPU's
// levels and Vulkan have the same bits; where samples are multiples of the unit these are the
// nearest doubles, otherwise within the bounds of the definition.
#include "check.h"
#include "device.h"
#include "exact.h"

#include <lumagraph/lumagraph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/areasum/areasum_planes.h"

static lg_context *best, *base, *vulkan;

// ---- samples ------------------------------------------------------------------------------------

typedef enum content {
    SPREAD,    // of any sign, over some binades below the largest
    FAR,       // 10^5 deviations from zero
    CANCELLED, // pairs that leave little or nothing
    SUBNORMAL, // all of them
    MIXED,     // a few subnormal ones among larger ones
    CONSTANT,
    CONTENTS
} content;

typedef struct picture {
    lg_area_array array;
    size_t elements;
    uint32_t *bits; // of floats, [element][channel]
    int unit;       // exponent of the unit, by the definition
} picture;

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float any_sample(content what, int top, size_t i, float before)
{
    static const int spreads[] = {0, 3, 20, 30, 60, 200};
    const double size = ldexp(1 - 0x1p-25, top), sign = random_below(2) ? -1 : 1;
    switch (what) {
    case FAR:
        return (float)(size / 2 * (1 + 1e-5 * random_normal()));
    case CANCELLED:
        return i % 2 ? -before : (float)(sign * size * random_unit());
    case SUBNORMAL:
        return (float)(sign * ldexp(1 + random_below(1u << 20), -149));
    case MIXED:
        return (float)(sign * (i % 3 ? ldexp(1 + random_below(1u << 20), -149)
                                     : ldexp(1 + random_unit(), -126 + (int)random_below(20))));
    case CONSTANT:
        return (float)(size * 0.7);
    default:
        return (float)(sign *
                       ldexp(size * (0.5 + random_unit() / 2),
                             -(int)random_below(1 + (uint32_t)spreads[top & 1 ? 5 : i % 5])));
    }
}

// E - F, from the bits.
static int unit_of(const picture *p)
{
    uint32_t max = 0;
    int f = 62, e = 0;
    for (size_t i = 0; i < p->elements * (size_t)p->array.channels; i++) {
        const uint32_t magnitude = p->bits[i] & 0x7fffffff;
        max = magnitude < 0x7f800000 && magnitude > max ? magnitude : max;
    }
    if (max)
        for (e = -149; e < 128 && max >= float_bits((float)ldexp(1, e)); e++)
            ;
    while ((size_t)1 << (62 - f) < p->elements)
        f--;
    return e - f;
}

static picture make_picture(lg_type type, int channels, const int64_t *n, content what, int top,
                            bool gaps)
{
    picture p = {.array = {.type = type,
                           .dims = n[2] > 1 ? 3 : 2,
                           .channels = channels,
                           .extent = {n[0], n[1], n[2]}},
                 .elements = (size_t)(n[0] * n[1] * n[2])};
    const size_t words = p.elements * (size_t)channels;
    uint16_t *halves = malloc(words * 4);
    p.bits = malloc(words * sizeof *p.bits);
    float before = 0;
    for (size_t i = 0; i < words; i++) {
        before = any_sample(what, top, i, before);
        if (type == LG_F16) { // any finite ones, many subnormal
            const uint16_t exponent = (uint16_t)(what == SUBNORMAL ? 0 : random_below(31) << 10);
            halves[i] = (uint16_t)(exponent | random_below(1024) | random_below(2) << 15);
            before = lg_half_to_float(halves[i]);
        }
        p.bits[i] = float_bits(before);
        if (gaps && random_below(9) == 0) {
            p.bits[i] = float_bits(random_below(2) ? (float)NAN : INFINITY);
            halves[i] = random_below(2) ? 0x7e00 : 0xfc00;
        }
    }
    p.unit = unit_of(&p);
    if (type == LG_F32)
        memcpy(halves, p.bits, words * 4);
    p.array.data = halves;
    lg_area_array_pack(&p.array);
    return p;
}

static void drop_picture(picture *p)
{
    free((void *)(uintptr_t)p->array.data);
    free(p->bits);
}

// ---- exact figures ------------------------------------------------------------------------------

typedef struct truth {
    uint64_t count;
    exact sum, squares; // in units of 2^-149 and of their square
    bool multiples;     // all samples, of the unit
} truth;

static void add_sample(truth *t, uint32_t bits, int unit)
{
    const int field = (int)(bits >> 23 & 255);
    const uint32_t digits = (bits & 0x7fffff) | (field ? 0x800000u : 0);
    if (field == 255)
        return;
    const int up = field ? field - 1 : 0;
    const exact v = exact_shift(exact_u64(digits), up);
    t->count++;
    t->sum = bits >> 31 ? exact_sub(t->sum, v) : exact_add(t->sum, v);
    t->squares = exact_add(t->squares, exact_shift(exact_u64((uint64_t)digits * digits), 2 * up));
    t->multiples &= digits == 0 || up + __builtin_ctz(digits) >= unit + 149;
}

static truth truth_of(const picture *p, const uint8_t *inside, int channel)
{
    truth t = {.multiples = true};
    for (size_t i = 0; i < p->elements; i++)
        if (inside[i])
            add_sample(&t, p->bits[i * (size_t)p->array.channels + (size_t)channel], p->unit);
    return t;
}

// n Σx² - (Σx)²
static exact spread_of(const truth *t)
{
    return exact_sub(exact_mul(exact_u64(t->count), t->squares), exact_mul(t->sum, t->sum));
}

typedef struct figures {
    double of[3]; // sum, mean, variance
} figures;

static bool is_nearest(double value, exact numerator, uint64_t denominator, int shift)
{
    return exact_is_nearest(value, numerator, exact_shift(exact_u64(denominator), -shift));
}

static void judge(const truth *t, const figures *f, int unit, const char *what)
{
    const double u = ldexp(1, unit), n = (double)t->count;
    const exact spread = spread_of(t), one = exact_u64(t->count), square = exact_mul(one, one);
    if (t->count == 0) {
        CHECK(f->of[0] == 0 && isnan(f->of[1]) && isnan(f->of[2]), "%s: of nothing", what);
        return;
    }
    if (t->multiples) {
        const bool good = is_nearest(f->of[0], t->sum, 1, -149) &&
                          is_nearest(f->of[1], t->sum, t->count, -149) &&
                          is_nearest(f->of[2], spread, t->count * t->count, -298);
        CHECK(good, "%s: %.17g, %.17g, %.17g; of %g samples %.17g, %.17g, %.17g", what, f->of[0],
              f->of[1], f->of[2], n, exact_value(t->sum, -149), exact_ratio(t->sum, one, -149),
              exact_ratio(spread, square, -298));
        return;
    }
    // |sum - S| and |n mean - S| <= n u / 2, and a rounding
    const exact wanted = exact_shift(t->sum, 900 - 149);
    for (int i = 0; i < 2; i++) {
        const exact got = exact_mul(exact_double(f->of[i], 900), i ? one : exact_u64(1));
        const double off = exact_value(exact_abs(exact_sub(got, wanted)), -900);
        CHECK(off <= n * u / 2 + fabs(f->of[i]) * (i ? n : 1) * 0x1p-53, "%s: figure %d is %g off",
              what, i, off);
    }
    const double variance = exact_ratio(spread, square, -298), off = fabs(f->of[2] - variance);
    CHECK(off <= u * sqrt(variance) + u * u / 4 + variance * 0x1p-48,
          "%s: variance %.17g, wanted %.17g", what, f->of[2], variance);
}

// ---- structures ---------------------------------------------------------------------------------

#define MOST_SUMS 6

typedef struct structures {
    lg_areasum *of[MOST_SUMS];
    lg_context *with[MOST_SUMS];
    int count;
} structures;

static void build(structures *s, const picture *p, lg_context *context, lg_areasum_kind kind,
                  bool more)
{
    const lg_areasum_params params =
        WITH(lg_areasum_params, it.kind = kind, it.squares = true, it.extremes = more,
             it.bins = more, it.low = -1e30, it.high = 1e30);
    lg_error error = {LG_OK, ""};
    lg_areasum_info info = {0};
    lg_areasum *sums = NULL;
    NEED(!lg_areasum_create(context, &p->array, &params, &sums, &error), "%s", error.message);
    if (!sums)
        return;
    lg_areasum_get_info(sums, &info);
    CHECK(info.unit == ldexp(1, p->unit), "unit %g, wanted %g", info.unit, ldexp(1, p->unit));
    s->with[s->count] = context;
    s->of[s->count++] = sums;
}

static structures build_all(const picture *p, bool on_device)
{
    structures s = {.count = 0};
    for (int kind = 0; kind < 2; kind++) {
        build(&s, p, best, (lg_areasum_kind)kind, kind && !on_device);
        build(&s, p, base, (lg_areasum_kind)kind, false);
        if (on_device)
            build(&s, p, vulkan, (lg_areasum_kind)kind, false);
    }
    return s;
}

typedef lg_status (*query_fn)(lg_context *context, const lg_areasum *sums, lg_area_figure figure,
                              const void *shape, double *out, lg_error *error);

// The same bits from all structures, and which: for each channel.
static void compare(const structures *s, const picture *p, query_fn query, const void *shape,
                    const uint8_t *inside, const char *what)
{
    static const lg_area_figure asked[3] = {LG_AREA_SUM, LG_AREA_MEAN, LG_AREA_VARIANCE};
    figures first[LG_MAX_CHANNELS];
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            double out[LG_MAX_CHANNELS];
            lg_error error = {LG_OK, ""};
            CHECK(!query(s->with[i], s->of[i], asked[k], shape, out, &error), "%s", error.message);
            for (int c = 0; c < p->array.channels; c++) {
                if (i == 0)
                    first[c].of[k] = out[c];
                CHECK(memcmp(&first[c].of[k], &out[c], sizeof out[c]) == 0,
                      "%s: %s is %.17g of structure %d, %.17g of the first", what,
                      lg_area_figure_name(asked[k]), out[c], i, first[c].of[k]);
            }
        }
    for (int c = 0; c < p->array.channels && s->count; c++) {
        const truth t = truth_of(p, inside, c);
        judge(&t, &first[c], p->unit, what);
    }
}

// ---- shapes -------------------------------------------------------------------------------------

static lg_status query_box(lg_context *context, const lg_areasum *sums, lg_area_figure figure,
                           const void *shape, double *out, lg_error *error)
{
    return lg_areasum_query(context, sums, figure, shape, 1, out, error);
}

static lg_status query_mask(lg_context *context, const lg_areasum *sums, lg_area_figure figure,
                            const void *shape, double *out, lg_error *error)
{
    return lg_areasum_query_mask(context, sums, figure, shape, out, error);
}

static lg_status query_polygon(lg_context *context, const lg_areasum *sums, lg_area_figure figure,
                               const void *shape, double *out, lg_error *error)
{
    return lg_areasum_query_polygon(context, sums, figure, shape, out, error);
}

static void compare_box(const structures *s, const picture *p, uint8_t *inside, bool whole,
                        const char *what)
{
    const lg_area_array *a = &p->array;
    int32_t b[6] = {0}, low[3] = {0}, end[3] = {1, 1, 1};
    for (int d = 0; d < a->dims; d++) {
        const int32_t n = (int32_t)a->extent[d], x = (int32_t)random_below((uint32_t)n),
                      y = (int32_t)random_below((uint32_t)n);
        b[d] = low[d] = whole ? 0 : LG_MIN(x, y);
        b[a->dims + d] = end[d] = whole ? n : LG_MAX(x, y) + 1;
    }
    for (size_t i = 0; i < p->elements; i++) {
        const int64_t at[3] = {(int64_t)i % a->extent[0], (int64_t)i / a->extent[0] % a->extent[1],
                               (int64_t)i / a->extent[0] / a->extent[1]};
        inside[i] = 1;
        for (int d = 0; d < a->dims; d++)
            inside[i] &= at[d] >= low[d] && at[d] < end[d];
    }
    compare(s, p, query_box, b, inside, what);
}

// A mask of any pixels, and an L of pixels whose corners are the polygon's.
static void compare_shapes(const structures *s, const picture *p, uint8_t *inside, const char *what)
{
    const int32_t w = (int32_t)p->array.extent[0], h = (int32_t)p->array.extent[1];
    const lg_image mask = {.shape = {.width = w,
                                     .height = h,
                                     .layers = 1,
                                     .channels = 1,
                                     .type = LG_U8,
                                     .row_stride = (size_t)w,
                                     .layer_stride = (size_t)w * (size_t)h},
                           .data = inside};
    for (size_t i = 0; i < p->elements; i++)
        inside[i] = random_below(3) == 0;
    compare(s, p, query_mask, &mask, inside, what);
    const int32_t x = (int32_t)random_below((uint32_t)w), y = (int32_t)random_below((uint32_t)h);
    const double points[] = {0, 0, w, 0, w, y, x, y, x, h, 0, h};
    const size_t ring = 6;
    const lg_area_polygon polygon = {points, &ring, 1, LG_AREA_EVEN_ODD};
    for (int32_t i = 0; i < w * h; i++)
        inside[i] = i / w < y || i % w < x;
    compare(s, p, query_polygon, &polygon, inside, what);
}

static void compare_picture(lg_type type, int channels, const int64_t *n, content what, int top,
                            bool on_device)
{
    char name[100];
    picture p = make_picture(type, channels, n, what, top, random_below(4) == 0);
    uint8_t *inside = malloc(p.elements);
    const structures s = build_all(&p, on_device);
    snprintf(name, sizeof name, "%s %lld x %lld x %lld of %d, content %d up to 2^%d",
             type == LG_F16 ? "f16" : "f32", (long long)n[0], (long long)n[1], (long long)n[2],
             channels, (int)what, top);
    compare_box(&s, &p, inside, true, name);
    for (int i = 0; i < 3; i++)
        compare_box(&s, &p, inside, false, name);
    if (n[2] == 1)
        compare_shapes(&s, &p, inside, name);
    for (int i = 0; i < s.count; i++)
        lg_areasum_destroy((lg_areasum **)&s.of[i]);
    free(inside);
    drop_picture(&p);
}

// ---- what is tested -----------------------------------------------------------------------------

static const int64_t shapes[][3] = {{1, 2, 1},   {2, 1, 1},    {1, 1, 1},  {2, 2, 1},
                                    {7, 5, 1},   {64, 3, 1},   {33, 9, 1}, {5, 4, 3},
                                    {256, 9, 1}, {128, 17, 1}, {1, 99, 1}, {1000, 3, 1}};
static const int tops[] = {128, 127, 100,  33,   17,   1,    0,   -30,
                           -75, -76, -100, -125, -126, -140, -148};

static void test_host(void)
{
    for (int i = 0; i < test_extent(100, 400, 6000); i++) {
        const content what = (content)(i % CONTENTS);
        lg_area_guess_least = random_below(2) ? 0 : SIZE_MAX;
        lg_area_stream_least = random_below(2) ? 0 : SIZE_MAX;
        compare_picture(i % 5 == 4 ? LG_F16 : LG_F32,
                        random_below(2) ? 1 : 1 + (int)random_below(4),
                        shapes[random_below(LG_COUNT(shapes))], what,
                        tops[random_below(LG_COUNT(tops))], false);
    }
}

// Few types and channels: software compiles kernels for each of them.
static void test_device(void)
{
    for (int i = 0; i < test_extent(6, 24, 400); i++) {
        const bool halves = i % 3 == 2;
        const int channels = test_is_full() ? 1 + i / 3 % 4 : halves ? 3 : 1;
        compare_picture(
            halves ? LG_F16 : LG_F32, channels, shapes[(unsigned)i / 3 % LG_COUNT(shapes)],
            (content)((unsigned)i % CONTENTS), tops[random_below(LG_COUNT(tops))], true);
    }
}

// Ordinary pictures: relative errors that users may count on.
static void test_ordinary(void)
{
    static const struct {
        double mean, deviation, max;
    } rows[] = {
        {0, 1, 1e-12}, {1, 0.2, 1e-12}, {1e5, 1, 1e-9}, {-3e-40, 1e-41, 1e-9}, {1e38, 1e37, 1e-12}};
    const int64_t n[3] = {200, 200, 1};
    for (size_t k = 0; k < LG_COUNT(rows); k++) {
        picture p = make_picture(LG_F32, 1, n, CONSTANT, 0, false);
        uint8_t inside[200 * 200];
        memset(inside, 1, sizeof inside);
        for (size_t i = 0; i < p.elements; i++)
            p.bits[i] = float_bits((float)(rows[k].mean + rows[k].deviation * random_normal()));
        memcpy((void *)(uintptr_t)p.array.data, p.bits, p.elements * 4);
        p.unit = unit_of(&p);
        const truth t = truth_of(&p, inside, 0);
        const structures s = build_all(&p, false);
        const exact one = exact_u64(t.count);
        const double wanted = exact_ratio(spread_of(&t), exact_mul(one, one), -298);
        for (int i = 0; i < s.count; i++) {
            double got = 0;
            lg_areasum_query(s.with[i], s.of[i], LG_AREA_VARIANCE,
                             (const int32_t[]){0, 0, 200, 200}, 1, &got, NULL);
            CHECK(fabs(got - wanted) <= rows[k].max * wanted,
                  "%g, %g: variance %.17g, wanted %.17g", rows[k].mean, rows[k].deviation, got,
                  wanted);
            lg_areasum_destroy((lg_areasum **)&s.of[i]);
        }
        drop_picture(&p);
    }
}

int main(void)
{
    random_seed(1649);
    best = device_open_threads(3);
    base = device_open_level(LG_CPU_BASE, 1);
    test_ordinary();
    test_host();
    vulkan = device_open(NULL, NULL);
    if (vulkan)
        test_device();
    device_close(&vulkan);
    lg_context_destroy(&best);
    lg_context_destroy(&base);
    return check_finish("areasum_exact");
}
