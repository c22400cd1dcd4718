// Moments: the plain reference equals every instruction set at every number of threads, bit for
// bit.
#include "measure/moments/moments.h"
#include "check.h"
#include "cpu/cpu.h"
#include "states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS  3
#define MAX_CONTEXTS (LG_CPU_LEVELS * MAX_THREADS + 1)

static lg_context *contexts[MAX_CONTEXTS];
static int context_count;

static void open_contexts(void)
{
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        if (lg_cpu_built((lg_cpu_level)level) != (lg_cpu_level)level ||
            !lg_cpu_runs((lg_cpu_level)level)) {
            char reason[64];
            snprintf(reason, sizeof reason, "CPU level %s does not run here",
                     lg_cpu_level_name((lg_cpu_level)level));
            check_skip(reason);
            continue;
        }
        for (int threads = 1; threads <= MAX_THREADS; threads++) {
            if (test_is_short() && threads != 2)
                continue;
            lg_error error = {LG_OK, ""};
            lg_context *context = NULL;
            const lg_status status = lg_context_create(
                WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = threads,
                         it.cpu_level = (lg_cpu_level)level),
                &context, &error);
            CHECK(status == LG_OK, "%s", error.message);
            if (context)
                contexts[context_count++] = context;
        }
    }
}

static void open_vulkan(void)
{
    lg_error error = {LG_OK, ""};
    lg_context *context = NULL;
    if (!test_wants_vulkan())
        check_skip("Vulkan is turned off");
    else if (lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), &context,
                               &error) == LG_OK)
        contexts[context_count++] = context;
    else
        check_skip(error.message);
}

// The name of what a context computes on.
static const char *engine(const lg_context *context)
{
    return context->vk ? context->info.name : lg_cpu_level_name(context->cpu_level);
}

// ---- contents -----------------------------------------------------------------------------------

typedef enum content {
    UNIT,     // uniform 0..1, or all integer values
    SIGNED,   // both signs, many magnitudes
    SPECIAL,  // NaN, infinities, zeros of both signs, denormals, the largest values
    ALL_BITS, // any bit pattern
    HUGE_1E30,
    TINY_1E30,
    DENORMAL,
    CONSTANT,
    OFFSET, // mean / sigma = 1e4
    CONTENTS
} content;

static float float_content(content kind)
{
    static const float special[] = {
        NAN,      INFINITY, -INFINITY, 0.0f, -0.0f,    1e-45f,  -1e-40f,        3.4e38f,
        -3.4e38f, 1e30f,    -1e-30f,   1.0f, 0x1p-30f, 0x1p30f, 0x1.fffffep29f, 0x1.fffffep-31f};
    const float unit = (float)random_unit();
    switch (kind) {
    case SIGNED:
        return ldexpf(unit - 0.5f, (int)random_below(20) - 10);
    case SPECIAL:
        return random_below(64) ? unit : special[random_below(LG_COUNT(special))];
    case ALL_BITS:
        return lg_from_bits((uint32_t)random_u64());
    case HUGE_1E30:
        return unit * 1e30f;
    case TINY_1E30:
        return unit * 1e-30f;
    case DENORMAL:
        return lg_from_bits((uint32_t)random_u64() & 0x800fffffu);
    case CONSTANT:
        return 0.1f;
    case OFFSET:
        return 10000.0f + 3.46f * (unit - 0.5f);
    default:
        return unit;
    }
}

static void fill(lg_image *image, content kind)
{
    const lg_image_params *s = &image->shape;
    for (int32_t layer = 0; layer < s->layers; layer++) {
        for (int32_t y = 0; y < s->height; y++) {
            uint8_t *row = (uint8_t *)image->data + (size_t)layer * s->layer_stride +
                           (size_t)y * s->row_stride;
            const size_t samples = (size_t)s->width * (size_t)s->channels;
            for (size_t i = 0; i < samples; i++) {
                if (s->type == LG_U8)
                    row[i] = kind == CONSTANT ? 255 : (uint8_t)random_u64();
                else if (s->type == LG_U16)
                    ((uint16_t *)row)[i] = kind == CONSTANT ? 65535 : (uint16_t)random_u64();
                else if (s->type == LG_F32)
                    ((float *)row)[i] = float_content(kind);
                else
                    ((uint16_t *)row)[i] = kind == ALL_BITS ? (uint16_t)random_u64()
                                                            : lg_float_to_half(float_content(kind));
            }
            if (s->alpha != LG_ALPHA_NONE && s->channels > 1) { // some transparent pixels
                const size_t size = lg_type_size(s->type);
                for (int32_t x = 0; x < s->width; x++) {
                    const size_t at = ((size_t)x * (size_t)s->channels + (size_t)s->channels - 1);
                    if (random_below(3) == 0)
                        memset(row + at * size, 0, size);
                }
            }
        }
    }
}

// ---- comparison ---------------------------------------------------------------------------------

static void compare(const char *what, const lg_image *image, const lg_select *select, bool stack)
{
    lg_scan scan;
    lg_error error = {LG_OK, ""};
    lg_status status = lg_scan_init(&scan, image, select, &error);
    CHECK(status == LG_OK, "%s: %s", what, error.message);
    if (status != LG_OK)
        return;
    const size_t count = (size_t)(stack ? 1 : scan.layers) * (size_t)scan.measured;
    lg_moments_state *expected = calloc(count, sizeof *expected);
    lg_moments_state *got = calloc(count, sizeof *got);
    status = lg_moments_ref(&scan, stack, expected, &error);
    CHECK(status == LG_OK, "%s: %s", what, error.message);
    // Software Vulkan makes a pipeline for nearly every case; vulkan_moments has its own.
    static unsigned calls;
    const bool device = calls++ % (unsigned)test_extent(25, 12, 1) == 0;
    for (int i = 0; i < context_count; i++) {
        if (contexts[i]->vk && !device)
            continue;
        memset(got, 0, count * sizeof *got);
        status = (contexts[i]->vk ? lg_moments_vulkan : lg_moments_cpu)(contexts[i], &scan, stack,
                                                                        got, &error);
        if (contexts[i]->vk && status == LG_ERROR_UNSUPPORTED) {
            check_skip(error.message);
            continue;
        }
        bool same = status == LG_OK;
        size_t k = 0;
        while (same && k < count && (same = same_state(&expected[k], &got[k])))
            k++;
        char a[640], b[640];
        CHECK(same,
              "%s: %s, %d threads, %lldx%lldx%d step %d, type %s, channel %zu of %d\n  %s\n  %s",
              what, engine(contexts[i]), lg_pool_threads(contexts[i]->pool), (long long)scan.width,
              (long long)scan.height, scan.layers, scan.step, lg_type_name(scan.type), k,
              scan.measured, k < count ? state_text(&expected[k], a) : "",
              k < count ? state_text(&got[k], b) : "");
    }
    free(expected);
    free(got);
}

static lg_image *image_of(lg_image_params shape, content kind)
{
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    NEED(lg_image_create(contexts[0], &shape, &image, &error) == LG_OK, "%s", error.message);
    if (image)
        fill(image, kind);
    return image;
}

static void run(const char *what, lg_image_params shape, content kind, const lg_select *select,
                bool stack)
{
    lg_image *image = image_of(shape, kind);
    if (image)
        compare(what, image, select, stack);
    lg_image_destroy(&image);
}

#define SHAPE(w, h, n, c, t, a)                                                                    \
    ((lg_image_params){                                                                            \
        .width = (w), .height = (h), .layers = (n), .channels = (c), .type = (t), .alpha = (a)})

// ---- cases --------------------------------------------------------------------------------------

static void test_sizes(void)
{
    static const int32_t sizes[][2] = {
        {1, 1},    {1, 77},   {131, 1},  {2, 2},   {3, 5},    {7, 31},   {127, 32}, {128, 32},
        {129, 32}, {128, 31}, {128, 33}, {64, 24}, {257, 65}, {97, 101}, {255, 7},  {384, 48}};
    static const int channels[] = {1, 2, 4};
    for (size_t i = 0; i < LG_COUNT(sizes); i += test_is_short() ? 3 : 1) {
        for (int type = 0; type < LG_TYPES; type++) {
            for (size_t c = 0; c < LG_COUNT(channels); c++)
                run("sizes", SHAPE(sizes[i][0], sizes[i][1], 1, channels[c], (lg_type)type, 0),
                    UNIT, NULL, false);
        }
    }
}

static void test_wide(void)
{
    static const int32_t widths[] = {4095, 4096, 4097};
    for (size_t i = 0; i < LG_COUNT(widths); i++) {
        run("wide", SHAPE(widths[i], 33, 1, 1, LG_F32, 0), SIGNED, NULL, false);
        run("wide", SHAPE(widths[i], 5, 1, 4, LG_U8, 0), UNIT, NULL, false);
        run("wide", SHAPE(widths[i], 5, 1, 2, LG_U16, 0), UNIT, NULL, false);
        run("wide", SHAPE(widths[i], 3, 1, 2, LG_F16, 0), UNIT, NULL, false);
    }
    run("several blocks", SHAPE(8192 * 3 + 129, 34, 1, 1, LG_F32, 0), SIGNED, NULL, false);
    run("very wide", SHAPE(65536 * 2 + 77, 3, 1, 1, LG_U8, 0), UNIT, NULL, false);
    run("very wide", SHAPE(65536 + 1, 2, 1, 4, LG_U8, 0), CONSTANT, NULL, false);
    run("very wide", SHAPE(65536, 2, 1, 4, LG_U16, 0), CONSTANT, NULL, false);
    run("very wide", SHAPE(65536, 2, 1, 1, LG_U16, 0), UNIT, NULL, false);
    run("zeros", SHAPE(65536, 1, 1, 1, LG_U16, 0), UNIT, NULL, false);
    run("high", SHAPE(3, 4097, 1, 1, LG_F32, 0), SIGNED, NULL, false);
    run("high", SHAPE(5, 3001, 1, 1, LG_U8, 0), UNIT, NULL, false);
}

static void test_contents(void)
{
    for (int kind = 0; kind < CONTENTS; kind++) {
        for (int type = LG_F16; type <= LG_F32; type++) {
            run("contents", SHAPE(300, 70, 1, 1, (lg_type)type, 0), (content)kind, NULL, false);
            run("contents", SHAPE(131, 40, 2, 2, (lg_type)type, 0), (content)kind, NULL, true);
            run("contents", SHAPE(129, 64, 1, 4, (lg_type)type, LG_ALPHA_OPAQUE), (content)kind,
                NULL, false);
        }
    }
    // Blocks of many magnitudes.
    lg_image *image = image_of(SHAPE(128 * 16, 64, 1, 1, LG_F32, 0), UNIT);
    for (int32_t x = 0; image && x < 128 * 16; x++) {
        for (size_t y = 0; y < 64; y++) {
            float *v = (float *)((uint8_t *)image->data + y * image->shape.row_stride) + x;
            *v = ldexpf(*v, (x / 128 * 37 + (int)(y / 32) * 11) % 270 - 145);
            if (x / 128 == 7)
                *v = 0;
        }
    }
    if (image)
        compare("scales", image, NULL, false);
    lg_image_destroy(&image);
}

static void test_selections(void)
{
    static const int channels[] = {1, 2, 4};
    for (int type = 0; type < LG_TYPES; type++) {
        for (size_t c = 0; c < LG_COUNT(channels); c++) {
            for (int alpha = 0; alpha <= LG_ALPHA_PREMULTIPLIED; alpha++) {
                if (alpha == LG_ALPHA_OPAQUE && channels[c] != 4)
                    continue;
                if (channels[c] == 1 && alpha != LG_ALPHA_NONE)
                    continue;
                const lg_image_params shape =
                    SHAPE(301, 83, 2, channels[c], (lg_type)type, (lg_alpha)alpha);
                lg_image *image = image_of(shape, SPECIAL);
                lg_image *mask = image_of(SHAPE(301, 83, 1 + (int)c % 2, 1, LG_U8, 0), UNIT);
                if (!image || !mask)
                    continue;
                for (size_t i = 0; i < mask->shape.layer_stride * (size_t)mask->shape.layers; i++) {
                    uint8_t *m = (uint8_t *)mask->data + i;
                    *m = i % mask->shape.row_stride >= 128 && i % mask->shape.row_stride < 256
                             ? (uint8_t)(c == 1 ? 0 : 7)
                             : *m & 1;
                }
                const lg_region region = {7, 3, 290, 71};
                lg_select select = lg_select_default();
                select.skip_transparent = true;
                compare("alpha", image, &select, false);
                select.region = &region;
                compare("region", image, &select, true);
                select.mask = mask;
                compare("mask", image, &select, false);
                for (select.step = 2; select.step < 5; select.step++)
                    compare("mask and step", image, &select, true);
                select = (lg_select){.region = &region, .step = 3};
                compare("step", image, &select, false);
                lg_image_destroy(&mask);
                lg_image_destroy(&image);
            }
        }
    }
    run("stack", SHAPE(130, 35, 7, 1, LG_F32, 0), SIGNED, NULL, true);
    run("stack", SHAPE(130, 35, 7, 4, LG_U8, 0), UNIT, NULL, true);
}

// Memory of the caller, aligned to nothing but a sample.
static void test_unaligned(void)
{
    static const struct {
        lg_type type;
        int channels;
    } kinds[] = {{LG_U8, 1},  {LG_U8, 2},  {LG_U8, 4}, {LG_U16, 1},
                 {LG_U16, 4}, {LG_F16, 2}, {LG_F32, 4}};
    lg_image *mask = image_of(SHAPE(277, 45, 1, 1, LG_U8, 0), UNIT);
    if (!mask)
        return;
    for (size_t i = 0; i < mask->shape.layer_stride; i++)
        ((uint8_t *)mask->data)[i] &= 1;
    for (size_t k = 0; k < LG_COUNT(kinds); k++) {
        lg_image_params shape = SHAPE(277, 45, 1, kinds[k].channels, kinds[k].type, 0);
        const size_t sample = lg_type_size(shape.type);
        shape.row_stride = (size_t)(277 * shape.channels + 1) * sample;
        shape.layer_stride = shape.row_stride * 45;
        uint8_t *memory = aligned_alloc(64, (shape.layer_stride + 127) / 64 * 64);
        lg_image *image = NULL;
        lg_error error = {LG_OK, ""};
        lg_select select = lg_select_default();
        NEED(lg_image_wrap(contexts[0], &shape, memory + sample, &image, &error) == LG_OK, "%s",
             error.message);
        if (image) {
            fill(image, UNIT);
            compare("unaligned", image, &select, false);
            select.mask = mask;
            compare("unaligned, masked", image, &select, false);
            select.step = 2;
            compare("unaligned, masked, step", image, &select, false);
        }
        lg_image_destroy(&image);
        free(memory);
    }
    lg_image_destroy(&mask);
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
    NEED(lg_image_wrap(contexts[0], &shape, copy, &image, &error) == LG_OK, "%s", error.message);
    lg_moments_params params = lg_moments_params_default();
    params.select.nan = nan;
    lg_moments m;
    const lg_status status = lg_measure_moments(contexts[0], image, &params, &m, 1, &error);
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
    lg_image *image = image_of(SHAPE(20, 10, 2, 1, LG_F32, 0), SPECIAL);
    lg_image *mask = image_of(SHAPE(20, 9, 1, 1, LG_U8, 0), UNIT);
    if (!image || !mask)
        return;
    ((float *)image->data)[3] = NAN;
    lg_error error = {LG_OK, ""};
    lg_moments m[2], before[2];
    memset(m, 0x5a, sizeof m);
    memcpy(before, m, sizeof m);
    lg_moments_params params = lg_moments_params_default();
    CHECK(lg_measure_moments(contexts[0], image, NULL, m, 1, &error) == LG_ERROR_ARGUMENT,
          "capacity: %s", error.message);
    params.select.nan = LG_NAN_ERROR;
    CHECK(lg_measure_moments(contexts[0], image, &params, m, 2, &error) == LG_ERROR_DATA, "nan: %s",
          error.message);
    params.select.nan = LG_NAN_IGNORE;
    params.select.mask = mask;
    CHECK(lg_measure_moments(contexts[0], image, &params, m, 2, &error) == LG_ERROR_ARGUMENT,
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
        CHECK(lg_measure_moments(contexts[0], image, &params, m, 2, &error) == LG_ERROR_ARGUMENT,
              "region: %s", error.message);
    }
    params.select.region = NULL;
    params.select.step = 0;
    CHECK(lg_measure_moments(contexts[0], image, &params, m, 2, &error) == LG_ERROR_ARGUMENT,
          "step: %s", error.message);
    params.select.step = 1;
    for (int i = 0; i < 4; i++) {
        lg_alloc_fail_after(i);
        const lg_status status = lg_measure_moments(contexts[0], image, &params, m, 2, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY, "allocation %d: status %d", i, status);
    }
    CHECK(memcmp(m, before, sizeof m) == 0, "a failed call wrote figures");
    CHECK(lg_measure_moments(contexts[0], image, &params, m, 2, &error) == LG_OK, "%s",
          error.message);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

int main(void)
{
    random_seed(20240607);
    open_contexts();
    open_vulkan();
    if (context_count) {
        test_sizes();
        test_wide();
        test_contents();
        test_selections();
        test_unaligned();
        test_policies();
        test_errors();
    }
    for (int i = 0; i < context_count; i++)
        lg_context_destroy(&contexts[i]);
    return check_finish("moments");
}
