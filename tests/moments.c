// Moments: the plain reference equals every instruction set at every number of threads, bit for
// bit.
#include "check.h"
#include "states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Long rows and columns: several blocks of floats, and more samples than partial sums of 32 bits hold.
static void test_long(void)
{
    static const struct {
        int width, height, channels, type;
        content kind;
    } cases[] = {{8192 * 3 + 129, 34, 1, LG_F32, CONTENT_SIGNED},
                 {65536 * 2 + 77, 3, 1, LG_U8, CONTENT_UNIT},
                 {65536 + 1, 2, 4, LG_U8, CONTENT_CONSTANT},
                 {65536, 2, 4, LG_U16, CONTENT_CONSTANT},
                 {65536, 2, 1, LG_U16, CONTENT_UNIT},
                 {65536, 1, 1, LG_U16, CONTENT_UNIT},
                 {3, 4097, 1, LG_F32, CONTENT_SIGNED},
                 {5, 3001, 1, LG_U8, CONTENT_UNIT},
                 {2048, 64, 1, LG_F32, CONTENT_SCALES}};
    for (size_t i = 0; i < LG_COUNT(cases); i++)
        measure_try(&moments_case, "long",
                    SHAPE(cases[i].width, cases[i].height, 1, cases[i].channels, cases[i].type, 0),
                    cases[i].kind, false);
    for (int width = 4095; width <= 4097; width++) {
        measure_try(&moments_case, "wide", SHAPE(width, 33, 1, 1, LG_F32, 0), CONTENT_SIGNED,
                    false);
        measure_try(&moments_case, "wide", SHAPE(width, 5, 1, 4, LG_U8, 0), CONTENT_UNIT, false);
        measure_try(&moments_case, "wide", SHAPE(width, 5, 1, 2, LG_U16, 0), CONTENT_UNIT, false);
        measure_try(&moments_case, "wide", SHAPE(width, 3, 1, 2, LG_F16, 0), CONTENT_UNIT, false);
    }
}

// ---- the public call ----------------------------------------------------------------------------

static bool same_double(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_policy(const float *values, int count, lg_nan nan, double min, double max,
                         double mean, double variance, uint64_t n)
{
    lg_image *image = NULL;
    const lg_image_params shape = {.width = count,
                                   .height = 1,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_F32,
                                   .row_stride = (size_t)count * 4,
                                   .layer_stride = (size_t)count * 4};
    float copy[8];
    memcpy(copy, values, (size_t)count * sizeof *copy);
    lg_error error = {LG_OK, ""};
    NEED(lg_image_wrap(kernel_context(), &shape, copy, &image, &error) == LG_OK, "%s",
         error.message);
    lg_moments_params params = lg_moments_params_default();
    params.select.nan = nan;
    lg_moments m;
    const lg_status status = lg_measure_moments(kernel_context(), image, &params, &m, 1, &error);
    CHECK(status == LG_OK, "%s", error.message);
    CHECK(m.count == n, "count %llu", (unsigned long long)m.count);
    CHECK(same_double(m.min, min) && same_double(m.max, max), "min %g max %g", m.min, m.max);
    CHECK(same_double(m.mean, mean), "mean %g, expected %g", m.mean, mean);
    CHECK(same_double(m.variance, variance), "variance %g, expected %g", m.variance, variance);
    lg_image_destroy(&image);
}

static void test_policies(void)
{
    const float plain[] = {1, 3}, nan[] = {1, NAN, 3}, up[] = {1, INFINITY, 3};
    const float both[] = {-INFINITY, 2, INFINITY}, only[] = {INFINITY, INFINITY}, none[] = {NAN};
    const float zero[] = {-0.0f, -0.0f};
    for (int policy = 0; policy <= LG_NAN_ERROR; policy++)
        check_policy(plain, 2, (lg_nan)policy, 1, 3, 2, 1, 2);
    check_policy(nan, 3, LG_NAN_IGNORE, 1, 3, 2, 1, 2);
    check_policy(nan, 3, LG_NAN_PROPAGATE, NAN, NAN, NAN, NAN, 3);
    check_policy(up, 3, LG_NAN_IGNORE, 1, 3, 2, 1, 2);
    check_policy(up, 3, LG_NAN_PROPAGATE, 1, INFINITY, INFINITY, NAN, 3);
    check_policy(both, 3, LG_NAN_PROPAGATE, -INFINITY, INFINITY, NAN, NAN, 3);
    check_policy(only, 2, LG_NAN_PROPAGATE, INFINITY, INFINITY, INFINITY, NAN, 2);
    check_policy(only, 2, LG_NAN_IGNORE, NAN, NAN, NAN, NAN, 0);
    check_policy(none, 1, LG_NAN_IGNORE, NAN, NAN, NAN, NAN, 0);
    check_policy(zero, 2, LG_NAN_IGNORE, 0, 0, 0, 0, 2);
}

static void test_errors(void)
{
    lg_image *image =
        content_image(kernel_context(), SHAPE(20, 10, 2, 1, LG_F32, 0), CONTENT_SPECIAL);
    lg_image *mask = content_image(kernel_context(), SHAPE(20, 9, 1, 1, LG_U8, 0), CONTENT_UNIT);
    if (!image || !mask)
        return;
    ((float *)image->data)[3] = NAN;
    lg_error error = {LG_OK, ""};
    lg_moments m[2], before[2];
    memset(m, 0x5a, sizeof m);
    memcpy(before, m, sizeof m);
    lg_moments_params params = lg_moments_params_default();
    CHECK(lg_measure_moments(kernel_context(), image, NULL, m, 1, &error) == LG_ERROR_ARGUMENT,
          "capacity: %s", error.message);
    params.select.nan = LG_NAN_ERROR;
    CHECK(lg_measure_moments(kernel_context(), image, &params, m, 2, &error) == LG_ERROR_DATA,
          "nan: %s", error.message);
    params.select.nan = LG_NAN_IGNORE;
    params.select.mask = mask;
    CHECK(lg_measure_moments(kernel_context(), image, &params, m, 2, &error) == LG_ERROR_ARGUMENT,
          "mask: %s", error.message);
    params.select.mask = NULL;
    const lg_region outside[] = {{0, 0, 21, 1},
                                 {-1, 0, 2, 2},
                                 {0, 10, 1, 1},
                                 {3, 3, 0, 1},
                                 {INT64_MAX, 0, INT64_MAX, 1},
                                 {5, 5, INT64_MAX, 1}};
    for (size_t i = 0; i < LG_COUNT(outside); i++) {
        params.select.region = &outside[i];
        CHECK(lg_measure_moments(kernel_context(), image, &params, m, 2, &error) ==
                  LG_ERROR_ARGUMENT,
              "region: %s", error.message);
    }
    params.select.region = NULL;
    params.select.step = 0;
    CHECK(lg_measure_moments(kernel_context(), image, &params, m, 2, &error) == LG_ERROR_ARGUMENT,
          "step: %s", error.message);
    params.select.step = 1;
    for (int i = 0; i < 4; i++) {
        lg_alloc_fail_after(i);
        const lg_status status = lg_measure_moments(kernel_context(), image, &params, m, 2, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY, "allocation %d: status %d", i, status);
    }
    CHECK(memcmp(m, before, sizeof m) == 0, "a failed call wrote figures");
    CHECK(lg_measure_moments(kernel_context(), image, &params, m, 2, &error) == LG_OK, "%s",
          error.message);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

static void test_more(void)
{
    test_long();
    test_policies();
    test_errors();
}

int main(void)
{
    return measure_main("moments", &moments_case, 1, test_more);
}
