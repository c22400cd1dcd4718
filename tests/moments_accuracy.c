// Moments against exact arithmetic: integers are rounded once, floats stay within stated bounds.
#include "check.h"
#include "exact.h"
#include "measure/moments/moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lg_context *context;
static lg_error error;

#define WIDTH  517
#define HEIGHT 203

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
    const lg_image_params shape = {
        .width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1, .type = type};
    lg_image *image = NULL;
    CHECK(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    uint64_t sum = 0, squares = 0;
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < WIDTH; x++) {
            const uint32_t v = low + random_below(range);
            uint8_t *row = (uint8_t *)image->data + y * image->shape.row_stride;
            if (type == LG_U8)
                row[x] = (uint8_t)v;
            else
                ((uint16_t *)row)[x] = (uint16_t)v;
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

// Samples as integers times 2^-149.
#define SHIFT 149

static double worst_mean, worst_variance;

static void check_floats(const char *what, const lg_image *image, const lg_select *select,
                         double limit)
{
    totals t = {exact_u64(0), exact_u64(0), exact_u64(0)};
    exact magnitude = exact_u64(0);
    uint64_t n = 0;
    float min = INFINITY, max = -INFINITY;
    for (size_t y = 0; y < (size_t)image->shape.height; y++) {
        const float *row =
            (const void *)((const uint8_t *)image->data + y * image->shape.row_stride);
        for (size_t x = 0; x < (size_t)image->shape.width; x++) {
            if (select && select->mask &&
                ((const uint8_t *)select->mask->data)[y * select->mask->shape.row_stride + x] == 0)
                continue;
            const exact v = exact_double((double)row[x], SHIFT);
            t.sum = exact_add(t.sum, v);
            magnitude = exact_add(magnitude, exact_abs(v));
            t.squares = exact_add(t.squares, exact_mul(v, v));
            min = row[x] < min ? row[x] : min;
            max = row[x] > max ? row[x] : max;
            n++;
        }
    }
    t.n = exact_u64(n);
    const double mean = exact_ratio(t.sum, t.n, -SHIFT);
    const double scale = exact_ratio(magnitude, t.n, -SHIFT);
    const double variance = exact_ratio(spread(&t), exact_mul(t.n, t.n), -2 * SHIFT);
    lg_moments_params params = {LG_MOMENTS_DEFAULTS};
    if (select)
        params.select = *select;
    lg_moments m;
    CHECK(lg_measure_moments(context, image, &params, &m, 1, &error) == LG_OK, "%s", error.message);
    const double mean_error = scale > 0 ? fabs(m.mean - mean) / scale : fabs(m.mean);
    const double variance_error =
        variance > 0 ? fabs(m.variance - variance) / variance : fabs(m.variance);
    CHECK(m.count == n && m.min == (double)min && m.max == (double)max, "%s: count, min, max",
          what);
    CHECK(mean_error <= 1e-7, "%s: mean %.17g, exactly %.17g, error %g of the mean magnitude", what,
          m.mean, mean, mean_error);
    CHECK(variance_error <= limit, "%s: variance %.17g, exactly %.17g, error %g", what, m.variance,
          variance, variance_error);
    worst_mean = fmax(worst_mean, mean_error);
    worst_variance = fmax(worst_variance, variance_error);
    printf("%-28s mean %.1e variance %.1e\n", what, mean_error, variance_error);
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit();
    return sum;
}

static float sample(int kind, size_t x, size_t y)
{
    switch (kind) {
    case 0:
        return (float)random_unit();
    case 1:
        return (float)normal();
    case 2:
        return (float)(10000 + normal()); // mean / sigma = 1e4
    case 3:
        return (float)(random_unit() * 1e-20);
    case 4:
        return (float)(random_unit() * 1e30);
    case 5:
        return (float)((1e4 + normal()) * 1e-20);
    case 6:
        return (float)((1e4 + normal()) * 1e30);
    case 7:
        return (float)ldexp(normal(), (int)random_below(60) - 30); // many magnitudes
    case 8:
        return (float)(normal() * 1e-42); // denormal
    case 9:
        return random_below(2) ? 0x1.fffffep127f : -0x1.fffffep127f;
    case 10:
        return 0.1f;
    case 11:
        return (float)(x * 0.001 + y * 3); // a ramp
    case 12:
        return x == 400 && y == 100 ? 1.0f : 0.0f;
    case 13:
        return (float)ldexp(random_unit(), (int)(x / 128) * 20 - 60); // leaves of many scales
    case 14:
        return 0x1p30f * (float)(1.0 + 0.001 * normal()); // around a scale limit
    case 15:
        return x < 256 ? 0.0f : (float)(random_unit() * 1e-35);
    case 16:
        return (float)(8200 + 8.2 * normal()); // mean / sigma = 1e3, just above a power of two
    default:
        return (float)random_below(256);
    }
}

static void test_floats(void)
{
    static const char *const names[] = {
        "uniform",      "normal",         "mean/sigma 1e4", "1e-20",    "1e30",
        "1e-16, 1e4",   "1e34, 1e4",      "magnitudes",     "denormal", "largest",
        "constant",     "ramp",           "one of many",    "scales",   "limit of a scale",
        "zeros, 1e-35", "mean/sigma 1e3", "bytes"};
    const lg_image_params shape = {
        .width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1, .type = LG_F32};
    lg_image_params mask_shape = shape;
    mask_shape.type = LG_U8;
    lg_image *image = NULL, *mask = NULL;
    CHECK(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    CHECK(lg_image_create(context, &mask_shape, &mask, &error) == LG_OK, "%s", error.message);
    if (!image || !mask)
        return;
    uint8_t *taken = mask->data;
    for (size_t i = 0; i < mask->shape.row_stride * HEIGHT; i++)
        taken[i] = random_below(3) > 0;
    lg_select select = {LG_SELECT_DEFAULTS};
    select.mask = mask;
    for (int kind = 0; kind < (int)LG_COUNT(names); kind++) {
        for (size_t y = 0; y < HEIGHT; y++) {
            for (size_t x = 0; x < WIDTH; x++)
                ((float *)((uint8_t *)image->data + y * image->shape.row_stride))[x] =
                    sample(kind, x, y);
        }
        const double limit = 1e-6;
        char name[64];
        snprintf(name, sizeof name, "%s, masked", names[kind]);
        check_floats(names[kind], image, NULL, limit);
        check_floats(name, image, &select, limit);
    }
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

// ---- quotients ----------------------------------------------------------------------------------

// Rounded once, whatever the sizes; some are ties or next to one.
static void test_quotients(void)
{
    for (int i = 0; i < 100000; i++) {
        lg_wide a = lg_wide_of(0);
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
        const double value = lg_wide_quotient(&a, b, 0);
        CHECK(exact_is_nearest(value, numerator, denominator), "a quotient of %d limbs: %a", limbs,
              value);
        CHECK(lg_wide_quotient(&a, b, -300) == ldexp(value, -300), "its exponent");
    }
}

int main(void)
{
    random_seed(4711);
    if (lg_context_create(lg_context_params(.device = LG_DEVICE_CPU, .threads = 2), &context,
                          &error) != LG_OK) {
        CHECK(false, "%s", error.message);
        return check_finish("moments_accuracy");
    }
    for (int i = 0; i < 3; i++) {
        test_images(LG_U8, 0, 256);
        test_images(LG_U8, 254, 2);
        test_images(LG_U16, 0, 65536);
        test_images(LG_U16, 65535, 1);
        test_images(LG_U16, 65500, 36);
    }
    test_large_counts();
    test_floats();
    test_quotients();
    lg_context_destroy(&context);
    return check_finish("moments_accuracy");
}
