// Moments against exact arithmetic: every figure is the exact quotient, rounded once. Whatever the
// magnitudes, the shape, the channels, what is left out, and how the image lies in memory.
#include "check.h"
#include "device.h"
#include "exact.h"
#include "measure/moments/moments.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_context *context;
static lg_error error;

#define WIDTH  517
#define HEIGHT 203

static lg_image *make(int64_t width, int64_t height, int channels, lg_type type)
{
    return image_zeros(context, SHAPE(width, height, 1, channels, type, 0));
}

// ---- integers -----------------------------------------------------------------------------------

typedef struct totals {
    exact n, sum, squares;
} totals;

static exact spread(const totals *t) // n * squares - sum^2
{
    return exact_sub(exact_mul(t->n, t->squares), exact_mul(t->sum, t->sum));
}

static void check_integers(const char *what, const lg_moments *m, const totals *t)
{
    const exact one = exact_u64(1), n1 = exact_sub(t->n, one);
    CHECK(exact_is_nearest(m->sum, t->sum, one), "%s: sum %.17g", what, m->sum);
    CHECK(exact_is_nearest(m->mean, t->sum, t->n), "%s: mean %.17g", what, m->mean);
    CHECK(exact_is_nearest(m->variance, spread(t), exact_mul(t->n, t->n)), "%s: variance %.17g",
          what, m->variance);
    if (exact_sign(&n1) > 0)
        CHECK(exact_is_nearest(m->variance_sample, spread(t), exact_mul(t->n, n1)),
              "%s: sample variance %.17g", what, m->variance_sample);
    else
        CHECK(isnan(m->variance_sample), "%s: sample variance of one", what);
    const exact sum = exact_add(exact_u64(m->sum_lo), exact_shift(exact_u64(m->sum_hi), 64));
    const exact difference = exact_sub(sum, t->sum);
    CHECK(exact_sign(&difference) == 0, "%s: exact sum", what);
}

static void test_images(lg_type type, uint32_t low, uint32_t range)
{
    lg_image *image = make(WIDTH, HEIGHT, 1, type);
    uint64_t sum = 0, squares = 0;
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < WIDTH; x++) {
            const uint32_t v = low + random_below(range);
            sample_store(image, (int64_t)x, (int64_t)y, 0, 0, v);
            sum += v;
            squares += (uint64_t)v * v;
        }
    }
    const totals t = {exact_u64(WIDTH * HEIGHT), exact_u64(sum), exact_u64(squares)};
    lg_moments m;
    CHECK(lg_measure_moments(context, image, NULL, &m, 1, &error) == LG_OK, "%s", error.message);
    check_integers("image", &m, &t);
    lg_image_destroy(&image);
}

// States no image of this machine reaches: up to 2^62 samples.
static void test_large_counts(void)
{
    for (int i = 0; i < 3000; i++) {
        const uint64_t n = (random_u64() >> (2 + random_below(60))) + 1;
        const uint64_t a = n - random_u64() % (n + 1), b = n - a; // a samples of p, b of q
        const uint64_t p = random_below(65536), q = random_below(65536);
        lg_moments_state state = lg_moments_state_empty(LG_U16);
        state.integers.n = n;
        state.integers.sum = (lg_u128)a * p + (lg_u128)b * q;
        state.integers.squares = (lg_u128)a * (p * p) + (lg_u128)b * (q * q);
        state.integers.min = (uint32_t)LG_MIN(p, q);
        state.integers.max = (uint32_t)LG_MAX(p, q);
        const exact ap = exact_mul(exact_u64(a), exact_u64(p));
        const exact bq = exact_mul(exact_u64(b), exact_u64(q));
        const totals t = {exact_u64(n), exact_add(ap, bq),
                          exact_add(exact_mul(ap, exact_u64(p)), exact_mul(bq, exact_u64(q)))};
        lg_moments m;
        CHECK(lg_moments_finish(&state, LG_NAN_IGNORE, &m, &error) == LG_OK, "%s", error.message);
        check_integers("large", &m, &t);
    }
}

// ---- floats -------------------------------------------------------------------------------------

#define UNIT 149 // samples are integers times 2^-149

static float sample(int kind, int64_t x, int64_t y)
{
    switch (kind) {
    case 0:
        return (float)random_unit();
    case 1:
        return (float)random_normal();
    case 2:
        return (float)(10000 + random_normal()); // mean / sigma = 1e4
    case 3:
        return (float)(random_unit() * 1e-20);
    case 4:
        return (float)(random_unit() * 1e30);
    case 5:
        return (float)((1e5 + random_normal()) * 1e-20);
    case 6:
        return (float)((1e5 + random_normal()) * 1e30);
    case 7:
        return (float)ldexp(random_normal(), (int)random_below(60) - 30); // many magnitudes
    case 8:
        return (float)(random_normal() * 1e-42); // subnormal
    case 9:
        return random_below(2) ? 0x1.fffffep127f : -0x1.fffffep127f;
    case 10:
        return 0.1f;
    case 11:
        return (float)((double)x * 0.001 + (double)y * 3); // a ramp
    case 12:
        return x == 400 && y == 100 ? 1.0f : 0.0f;
    case 13:
        return (float)ldexp(random_unit(), (int)(x / 128) * 20 - 60);
    case 14:
        return (float)ldexp(1.0 + 0.001 * random_normal(),
                            (int)(y % 3) * 20 - 22); // at the ends of windows
    case 15:
        return x < 256 ? 0.0f : (float)(random_unit() * 1e-35);
    case 16:
        return (float)(x % 2 ? -1e30 : 1e30) +
               (float)random_normal(); // cancels, but for what is lost in it
    case 17:
        return x % 3 == 2 ? (float)random_normal()
               : x % 3    ? -1e25f
                          : 1e25f; // cancels beside ordinary samples
    case 18:
        return random_below(9) ? (float)random_unit() : 0x1p-149f * (float)(1 + random_below(99));
    case 19:
        return (float)ldexp(1.0, (int)random_below(277) - 149) * (random_below(2) ? 1.0f : -1.0f);
    case 20:
        return random_below(2) ? -0.0f : 0.0f;
    default:
        return (float)random_below(256);
    }
}

static const char *const kinds[] = {
    "uniform",      "normal",       "mean/sigma 1e4", "1e-20",          "1e30",
    "1e-15, 1e5",   "1e35, 1e5",    "magnitudes",     "subnormal",      "largest",
    "constant",     "ramp",         "one of many",    "scales",         "ends of windows",
    "zeros, 1e-35", "cancellation", "spikes",         "some subnormal", "powers of two",
    "zeros",        "bytes"};

// Every channel has samples of a kind of its own.
static void fill(lg_image *image, int kind)
{
    for (int64_t y = 0; y < image->shape.height; y++) {
        for (int64_t x = 0; x < image->shape.width; x++) {
            for (int c = 0; c < image->shape.channels; c++)
                sample_store(image, x, y, 0, c,
                             (double)sample((kind + 5 * c) % (int)LG_COUNT(kinds), x, y));
        }
    }
}

static bool taken(const lg_select *select, int64_t x, int64_t y)
{
    const lg_image *mask = select ? select->mask : NULL;
    if (select && (x % select->step || y % select->step))
        return false;
    return !mask || ((const uint8_t *)mask->data)[(size_t)y * mask->shape.row_stride + (size_t)x];
}

static void check_channel(const char *what, const lg_image *image, const lg_select *select,
                          int channel, const lg_moments *m)
{
    totals t = {exact_u64(0), exact_u64(0), exact_u64(0)};
    uint64_t n = 0;
    float min = INFINITY, max = -INFINITY;
    for (int64_t y = 0; y < image->shape.height; y++) {
        for (int64_t x = 0; x < image->shape.width; x++) {
            const float f = (float)sample_stored(image, x, y, 0, channel);
            if (!taken(select, x, y) || isinf(f))
                continue;
            const exact v = exact_double((double)f, UNIT);
            t.sum = exact_add(t.sum, v);
            t.squares = exact_add(t.squares, exact_mul(v, v));
            min = f < min ? f : min;
            max = f > max ? f : max;
            n++;
        }
    }
    CHECK(m->count == n, "%s: count %llu of %llu", what, (unsigned long long)m->count,
          (unsigned long long)n);
    if (n == 0)
        return;
    const exact one = exact_u64(1), n1 = exact_u64(n - 1);
    t.n = exact_u64(n);
    CHECK(m->min == (double)min && m->max == (double)max, "%s: %g .. %g", what, m->min, m->max);
    CHECK((m->min != 0 || !signbit(m->min)) && (m->max != 0 || !signbit(m->max)), "%s: -0", what);
    CHECK(exact_is_nearest(ldexp(m->sum, UNIT), t.sum, one), "%s: sum %.17g", what, m->sum);
    CHECK(exact_is_nearest(ldexp(m->mean, UNIT), t.sum, t.n), "%s: mean %.17g", what, m->mean);
    CHECK(exact_is_nearest(ldexp(m->variance, 2 * UNIT), spread(&t), exact_mul(t.n, t.n)),
          "%s: variance %.17g", what, m->variance);
    CHECK(n == 1 ? isnan(m->variance_sample)
                 : exact_is_nearest(ldexp(m->variance_sample, 2 * UNIT), spread(&t),
                                    exact_mul(t.n, n1)),
          "%s: sample variance %.17g", what, m->variance_sample);
}

static void check_image(const char *what, const lg_image *image, const lg_select *select,
                        lg_moments *m)
{
    lg_moments_params params = lg_moments_params_default();
    if (select)
        params.select = *select;
    CHECK(lg_measure_moments(context, image, &params, m, LG_MAX_CHANNELS, &error) == LG_OK, "%s",
          error.message);
    for (int c = 0; c < image->shape.channels; c++) {
        char name[96];
        snprintf(name, sizeof name, "%s, %lldx%lld %s, channel %d of %d", what,
                 (long long)image->shape.width, (long long)image->shape.height,
                 lg_type_name(image->shape.type), c, image->shape.channels);
        check_channel(name, image, select, c, &m[c]);
    }
}

// Transposed, the same figures.
static void check_transposed(const char *what, const lg_image *image, const lg_moments *want)
{
    const lg_image_params *s = &image->shape;
    lg_image *turned = make(s->height, s->width, s->channels, s->type);
    for (int64_t y = 0; y < s->height; y++) {
        for (int64_t x = 0; x < s->width; x++) {
            for (int c = 0; c < s->channels; c++)
                sample_store(turned, y, x, 0, c, sample_stored(image, x, y, 0, c));
        }
    }
    lg_moments m[LG_MAX_CHANNELS];
    CHECK(lg_measure_moments(context, turned, NULL, m, LG_MAX_CHANNELS, &error) == LG_OK, "%s",
          error.message);
    CHECK(memcmp(m, want, (size_t)s->channels * sizeof *m) == 0, "%s, transposed", what);
    lg_image_destroy(&turned);
}

static void test_kind(int kind, int64_t width, int64_t height, int channels, lg_type type)
{
    lg_image *image = make(width, height, channels, type), *mask = make(width, height, 1, LG_U8);
    lg_select select = lg_select_default();
    lg_moments m[LG_MAX_CHANNELS], other[LG_MAX_CHANNELS];
    char name[64];
    fill(image, kind);
    for (size_t i = 0; i < mask->shape.row_stride * (size_t)height; i++)
        ((uint8_t *)mask->data)[i] = random_below(3) > 0;
    check_image(kinds[kind], image, NULL, m);
    check_transposed(kinds[kind], image, m);
    snprintf(name, sizeof name, "%s, masked", kinds[kind]);
    select.mask = mask;
    check_image(name, image, &select, other);
    snprintf(name, sizeof name, "%s, every third", kinds[kind]);
    select = lg_select_default();
    select.step = 3;
    check_image(name, image, &select, other);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

static void test_floats(lg_cpu_level level)
{
    static const int64_t shapes[][2] = {{1, 1},   {2, 1},   {1, 2},  {2, 2},   {3, 5},
                                        {10, 10}, {1, 300}, {97, 3}, {64, 64}, {1031, 2}};
    static const int channels[] = {1, 2, 4};
    context = device_open_level(level, 2);
    if (!context)
        return;
    for (int kind = 0; kind < (int)LG_COUNT(kinds); kind++) {
        for (size_t i = 0; i < LG_COUNT(shapes); i++) {
            for (size_t c = 0; c < LG_COUNT(channels); c++) {
                test_kind(kind, shapes[i][0], shapes[i][1], channels[c], LG_F32);
                test_kind(kind, shapes[i][0], shapes[i][1], channels[c], LG_F16);
            }
        }
        if (!test_is_short())
            test_kind(kind, WIDTH, HEIGHT, kind % 4 == 3 ? 2 : 1, LG_F32);
    }
    lg_context_destroy(&context);
}

// ---- quotients ----------------------------------------------------------------------------------

// Rounded once, whatever the sizes; some are ties or next to one.
static void test_quotients(void)
{
    for (int i = 0; i < 100000; i++) {
        lg_u1024 a = lg_u1024_of(0);
        exact numerator = exact_u64(0);
        const int limbs = 1 + (int)random_below(10);
        for (int k = limbs - 1; k >= 0; k--) {
            a.limb[k] = random_below(3) ? random_u64() : random_below(2) ? 0 : UINT64_MAX;
            numerator = exact_add(exact_shift(numerator, 64), exact_u64(a.limb[k]));
        }
        const uint64_t low = random_u64() >> random_below(64),
                       high = random_u64() >> (1 + random_below(63));
        const lg_u128 b = random_below(2) ? (lg_u128)(low | 1) << random_below(60)
                                          : ((lg_u128)high << 63 | low >> 1) + 1;
        const exact denominator =
            exact_add(exact_shift(exact_u64((uint64_t)(b >> 64)), 64), exact_u64((uint64_t)b));
        const double value = lg_u1024_quotient(&a, b, 0);
        CHECK(exact_is_nearest(value, numerator, denominator), "a quotient of %d limbs: %a", limbs,
              value);
        CHECK(lg_u1024_quotient(&a, b, -300) == ldexp(value, -300), "its exponent");
    }
}

int main(void)
{
    random_seed(4711);
    context = device_open_threads(2);
    for (int i = 0; i < 3; i++) {
        test_images(LG_U8, 0, 256);
        test_images(LG_U8, 254, 2);
        test_images(LG_U16, 0, 65536);
        test_images(LG_U16, 65535, 1);
        test_images(LG_U16, 65500, 36);
    }
    lg_context_destroy(&context);
    test_large_counts();
    for (int level = LG_CPU_BASE; level < LG_CPU_LEVELS; level++)
        test_floats((lg_cpu_level)level);
    test_quotients();
    return check_finish("moments_accuracy");
}
