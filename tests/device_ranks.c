// Percentiles and Otsu's levels of samples that are no bytes: their arithmetic against exact numbers, the
// same bits on the CPU and on Vulkan for every type, and no wait for the host.
#include "check.h"
#include "device_filter.h"
#include "exact.h"
#include "pipeline.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/figure.h"
#include "graph/figure_ranks.h"
#include "graph/figure_sums.h"
#include "graph/plan.h"
#include "measure/histogram/histogram.h"
#include "vulkan/vk.h"

static device_pair pair;

// ---- arithmetic ---------------------------------------------------------------------------------

// Any finite float, of both signs; subnormal ones, powers of two and zeros too.
static float any_float(void)
{
    uint32_t bits = (uint32_t)random_u64();
    if (random_below(8) == 0)
        bits &= 0xff800000u;
    if (random_below(8) == 0)
        bits &= 0x807fffffu;
    float x;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 1.5f;
}

static bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a == 0 && b == 0);
}

// Rules by which floats find their bins: those of the host, which are made of doubles.
static void test_rules(void)
{
    for (int i = 0; i < test_extent(20000, 200000, 2000000); i++) {
        const uint32_t bins = i % 2   ? LG_RANK_BINS
                              : i % 4 ? LG_LEVEL_BINS
                                      : 1 + random_below(65536);
        float low = any_float(), high = i % 5 ? any_float() : nextafterf(low, INFINITY);
        if (i % 3 == 0)
            high = low + fabsf(low) * (float)random_unit();
        if (!isfinite(high) || high == low)
            continue;
        const float least = fminf(low, high), most = fmaxf(low, high);
        lg_histogram_rule wanted;
        lg_error error;
        NEED(!lg_histogram_set_rule((double)least, (double)most, (int32_t)bins, &wanted, &error),
             "%s", error.message);
        const lg_rank_rule got = lg_rank_rule_of(least, most, bins);
        CHECK(same_bits(got.low, wanted.lo) && same_bits(got.high, wanted.hi) &&
                  same_bits(got.factor, wanted.factor) && same_bits(got.start, wanted.start) &&
                  same_bits(got.scale, wanted.scale),
              "%a .. %a in %u bins: factor %a, start %a, scale %a; wanted %a, %a, %a",
              (double)least, (double)most, bins, (double)got.factor, (double)got.start,
              (double)got.scale, (double)wanted.factor, (double)wanted.start, (double)wanted.scale);
    }
}

// The range of one value.
static void test_widening(void)
{
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        const float value = i == 0 ? FLT_MAX : i == 1 ? -FLT_MAX : any_float();
        const float half_width = lg_rank_half_width(value);
        double low = (double)value, high = (double)value;
        lg_histogram_widen(&low, &high);
        CHECK(same_bits(lg_rank_widened(value, -half_width), (float)low) &&
                  same_bits(lg_rank_widened(value, half_width), (float)high),
              "%a: %a .. %a, wanted %a .. %a", (double)value,
              (double)lg_rank_widened(value, -half_width),
              (double)lg_rank_widened(value, half_width), low, high);
    }
}

// Whether no float is nearer to numerator / denominator, both in units of 2^-200.
static bool is_nearest(float got, const exact *numerator, const exact *denominator)
{
    exact away[3];
    for (int i = 0; i < 3; i++) {
        const float near = i == 0 ? got : nextafterf(got, i == 1 ? -INFINITY : INFINITY);
        away[i] = exact_abs(
            exact_sub(exact_mul(exact_double((double)near, 200), *denominator), *numerator));
    }
    const exact below = exact_sub(away[1], away[0]), above = exact_sub(away[2], away[0]);
    return exact_sign(&below) >= 0 && exact_sign(&above) >= 0;
}

static uint32_t any_rest(int i)
{
    return i % 4 == 0 ? 0 : random_below(1000000000);
}

// (first (10^9 - rest) + second rest) / (scale 10^9).
static void check_between(float got, double first, double second, uint32_t rest, uint32_t scale)
{
    const exact a = exact_mul(exact_double(first, 200), exact_u64(1000000000 - rest));
    const exact b = exact_mul(exact_double(second, 200), exact_u64(rest));
    const exact numerator = exact_add(a, b);
    const exact denominator = exact_u64(UINT64_C(1000000000) * scale);
    CHECK(is_nearest(got, &numerator, &denominator), "%a and %a, %u of a billion, by %u: %a", first,
          second, rest, scale, (double)got);
}

static void test_values(void)
{
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        const uint32_t a = random_below(LG_RANK_HALVES), rest = any_rest(i);
        const uint32_t b = a + random_below(LG_RANK_HALVES - a);
        CHECK(lg_rank_half_value(a) == lg_half_to_float((uint16_t)lg_rank_half(a)) &&
                  lg_rank_half_value(a) <= lg_rank_half_value(b),
              "half %u is %a, wanted %a", a, (double)lg_rank_half_value(a),
              (double)lg_half_to_float((uint16_t)lg_rank_half(a)));
        const float low = lg_rank_half_value(a), high = lg_rank_half_value(b);
        check_between(lg_rank_between(low, high, rest), (double)low, (double)high, rest, 1);
        const uint32_t first = random_below(65536), second = first + random_below(65536 - first);
        check_between(lg_figure_between(first, second, rest, 65535), first, second, rest, 65535);
    }
}

// low + (high - low) / bins * place, between two places.
static void test_bins(void)
{
    const exact range = exact_u64(2 * (uint64_t)LG_RANK_BINS);
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        float low = any_float(), high = any_float();
        const uint32_t rest = any_rest(i);
        if (low > high) {
            const float other = low;
            low = high, high = other;
        }
        lg_rank_spot s[2];
        exact depth[2]; // times 2 bins count
        for (int k = 0; k < 2; k++) {
            s[k].count = 1 + ((uint32_t)random_u64() >> random_below(32)) / 2;
            s[k].before = random_below(s[k].count);
            s[k].bin = random_below(LG_RANK_BINS);
            depth[k] =
                exact_u64(2 * (uint64_t)s[k].bin * s[k].count + 2 * (uint64_t)s[k].before + 1);
        }
        const exact counts = exact_mul(exact_u64(s[0].count), exact_u64(s[1].count));
        const exact whole = exact_mul(exact_mul(counts, range), exact_u64(1000000000));
        const exact a =
            exact_mul(exact_mul(depth[0], exact_u64(s[1].count)), exact_u64(1000000000 - rest));
        const exact b = exact_mul(exact_mul(depth[1], exact_u64(s[0].count)), exact_u64(rest));
        const exact wide =
            exact_sub(exact_double((double)high, 200), exact_double((double)low, 200));
        const exact numerator = exact_add(exact_mul(exact_double((double)low, 200), whole),
                                          exact_mul(wide, exact_add(a, b)));
        const float got = lg_rank_between_bins(low, high, s[0], s[1], rest);
        CHECK(is_nearest(got, &numerator, &whole), "%a .. %a, bins %u and %u, %u of a billion: %a",
              (double)low, (double)high, s[0].bin, s[1].bin, rest, (double)got);
    }
}

// The next float, which a device may not take for zero.
static void test_above(void)
{
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        const float level = i == 0 ? 0.0f : i == 1 ? -0.0f : i == 2 ? FLT_MAX : any_float();
        const float next = level < FLT_MAX ? nextafterf(level, INFINITY) : INFINITY;
        CHECK(same_bits(lg_rank_above(level, 0), next), "above %a: %a", (double)level,
              (double)lg_rank_above(level, 0));
        CHECK(same_bits(lg_rank_above(level, 1), level >= 0 && level < FLT_MIN ? FLT_MIN : next),
              "above %a: %a", (double)level, (double)lg_rank_above(level, 1));
    }
}

// ---- on the device ------------------------------------------------------------------------------

static bool flushes(void)
{
    return !lg_vk_get_limits(pair.vulkan->vk)->denorm_preserve;
}

static const char *const figures[] = {"p1",        "median",      "p99",      "otsu",
                                      "p0",        "p100",        "g.p40",    "luma.p10",
                                      "luma.otsu", "r.otsu",      "a.p50",    "b.median",
                                      "luma.mean", "luma.stddev", "luma.max", "p33.3333333"};

// Of the last three, levels may be 0, from where a device that flushes moves up further than the CPU does,
// and luma may be subnormal, which is computed.
static content any_content(lg_type type, const char *figure, int i)
{
    static const content floats[] = {CONTENT_UNIT,     CONTENT_SIGNED, CONTENT_SPRINKLED,
                                     CONTENT_CONSTANT, CONTENT_OFFSET, CONTENT_TINY,
                                     CONTENT_SCALES,   CONTENT_ZEROS};
    const bool computed = strstr(figure, "otsu") || strstr(figure, "luma");
    const size_t count = LG_COUNT(floats) - (computed && flushes() ? 3 : 0);
    return type <= LG_U16 ? (i % 4 ? CONTENT_UNIT : CONTENT_CONSTANT) : floats[(size_t)i % count];
}

// The level of zeros: docs/definitions.md.
static void test_level_of_zeros(void)
{
    const lg_image_params shape = SHAPE(20, 5, 1, 1, LG_F32, LG_ALPHA_NONE);
    for (int k = 0; k < 2; k++) {
        lg_context *context = k ? pair.vulkan : pair.cpu;
        const float wanted = k && flushes() ? 0x1p-126f : 0x1p-149f;
        lg_image *in = content_image(context, shape, CONTENT_ZEROS);
        lg_image *out = device_run(context, "solid_color:color=@otsu", in, NULL, LG_F32);
        CHECK(out && same_bits(*(float *)out->data, wanted), "the level of zeros is not %a",
              (double)wanted);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

// Of an input of each type, and of an image between stages; parameters of one number and of four.
static void test_types(void)
{
    static const char *const texts[][2] = {{"solid_color:color=@", ""},
                                           {"gamma #g | brightness:brightness=@#g.", "*0.3-0.1"}};
    static const lg_type types[] = {LG_U16, LG_F16, LG_F32};
    for (int i = 0; i < test_extent(6, 18, 1000); i++) {
        const lg_type type = types[i % 3];
        lg_image_params shape =
            device_any_shape(1 + (int)random_below(150), 1 + (int)random_below(70));
        char text[120];
        shape.type = type;
        shape.row_stride = shape.layer_stride = 0;
        shape.layers = i % 4 ? 1 : 1 + (int)random_below(3);
        const int way = i % 5 == 4;
        const char *figure = figures[random_below(LG_COUNT(figures))];
        snprintf(text, sizeof text, "%s%s%s", texts[way][0], figure, texts[way][1]);
        device_compare(&pair, text, shape, LG_F32,
                       way ? CONTENT_UNIT : any_content(type, figure, i / 3));
    }
}

// Samples of 10 bits, whose values leave most counters empty; many levels that are nearly as good.
static void test_levels(void)
{
    for (int i = 0; i < test_extent(3, 6, 200); i++) {
        const lg_image_params shape = SHAPE(90 + i, 41, 1, 1, LG_U16, LG_ALPHA_NONE);
        lg_image *image = content_image(pair.cpu, shape, CONTENT_UNIT), *out[2] = {NULL};
        for (int y = 0; y < shape.height; y++) {
            uint16_t *row = (void *)((char *)image->data + (size_t)y * image->shape.row_stride);
            for (int x = 0; x < shape.width; x++)
                row[x] = (uint16_t)(i % 3 == 0   ? row[x] & 1023
                                    : i % 3 == 1 ? 30000 + 1000 * (row[x] & 1) + row[x] % 3
                                                 : (x + y * shape.width) * 17);
        }
        for (int k = 0; k < 2; k++) {
            lg_context *context = k ? pair.vulkan : pair.cpu;
            lg_image *in = NULL;
            lg_error error;
            NEED(!lg_image_create(context, &shape, &in, &error), "%s", error.message);
            memcpy(in->data, image->data, image->shape.layer_stride);
            out[k] = device_run(context, "solid_color:color=@otsu | brightness:brightness=@#in.p50",
                                in, NULL, LG_F32);
            lg_image_destroy(&in);
        }
        CHECK(out[0] && out[1] && memcmp(out[0]->data, out[1]->data, sizeof(float)) == 0,
              "levels of image %d: %a on the device, wanted %a", i, (double)*(float *)out[1]->data,
              (double)*(float *)out[0]->data);
        lg_image_destroy(&out[0]);
        lg_image_destroy(&out[1]);
        lg_image_destroy(&image);
    }
}

// The common pipelines wait for no one, of images of all types.
static void test_submissions(void)
{
    static const char *const texts[] = {
        "gaussian_blur | levels:min=@p1:max=@p99", "levels:min=@p1:max=@p99",
        "threshold:level=@otsu", "brightness:brightness=@luma.mean*-0.1 | gamma:gamma=@median+0.5",
        "box_blur | luminance_threshold:threshold=@luma.otsu"};
    static const lg_type types[] = {LG_U8, LG_U16, LG_F16, LG_F32};
    for (size_t i = 0; i < (test_is_short() ? 3 : LG_COUNT(texts)); i++)
        for (size_t k = i % 2; k < LG_COUNT(types); k += test_is_full() ? 1 : 2) {
            const lg_image_params shape =
                SHAPE(37, 11, 1, k % 2 ? 4 : 1, types[k], k % 2 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
            device_one_submission(&pair, texts[i], shape);
            device_compare(&pair, texts[i], shape, LG_F32, CONTENT_UNIT);
        }
}

// Without a finite sample there is no percentile: on both devices the run fails and the next one does not.
static void test_no_samples(void)
{
    static const char *const texts[] = {"levels:min=@p1:max=@p99", "threshold:level=@otsu",
                                        "gamma:gamma=@luma.median"};
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        for (int c = 0; c < 2; c++) {
            lg_context *context = c ? pair.vulkan : pair.cpu;
            const lg_image_params shape =
                SHAPE(19, 5, 1, 4, i == 1 ? LG_F16 : LG_F32, LG_ALPHA_OPAQUE);
            lg_image *good = content_image(context, shape, CONTENT_UNIT), *out = NULL;
            lg_image *bad = content_image(context, shape, CONTENT_UNIT);
            pipeline p;
            lg_error error = {LG_OK, ""};
            memset(bad->data, 0xff, bad->shape.layer_stride); // NaN
            NEED(pipeline_open(&p, context, texts[i], &shape, 1, NULL) &&
                     !lg_image_create(context, &p.out, &out, &error),
                 "%s %s", texts[i], error.message);
            for (int run = 0; run < 3; run++) {
                const lg_status status = lg_plan_run(p.plan, run == 1 ? &bad : &good, &out, &error);
                CHECK(status == (run == 1 ? LG_ERROR_DATA : LG_OK), "%s, run %d on %s: %d, %s",
                      texts[i], run, context->info.name, (int)status, error.message);
            }
            pipeline_close(&p);
            lg_image_destroy(&out);
            lg_image_destroy(&bad);
            lg_image_destroy(&good);
        }
}

// What still ends a submission is named, and how frames of a stream are computed.
static void test_explanations(void)
{
    static const struct {
        const char *text, *says;
        lg_type type;
    } cases[] = {
        {"gaussian_blur | levels:min=@p1:max=@p99", "several on the device at once", LG_U16},
        {"measured_curve:curve=@cdf", "the host measures @cdf", LG_U16},
        {"gaussian_blur:sigma=@p10*4+1", "the host measures @p10", LG_U8},
        {"gaussian_blur:sigma=@p10*4+1", "one after another, as the host measures", LG_U8},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const lg_image_params shape = SHAPE(37, 11, 1, 1, cases[i].type, LG_ALPHA_NONE);
        pipeline p;
        NEED(pipeline_open(&p, pair.vulkan, cases[i].text, &shape, 1, NULL), "%s", cases[i].text);
        CHECK(strstr(lg_plan_explain(p.plan), cases[i].says), "%s: %s", cases[i].text,
              lg_plan_explain(p.plan));
        pipeline_close(&p);
    }
}

int main(void)
{
    random_seed(97);
    pair.cpu = device_open_threads(2);
    test_rules();
    test_widening();
    test_values();
    test_bins();
    test_above();
    pair.vulkan = device_open(NULL, NULL);
    if (pair.vulkan) {
        test_types();
        test_level_of_zeros();
        test_levels();
        test_submissions();
        test_no_samples();
        test_explanations();
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("device_ranks");
}
