// Measured parameters of every type of image: the same bits on both devices, and without the host.
#include "check.h"
#include "device_filter.h"

#include <math.h>
#include <stdio.h>

#include "core/u1024.h"
#include "graph/figure_sums.h"
#include "graph/plan.h"

static device_pair pair;

// ---- what they are ------------------------------------------------------------------------------

// Quotients, against those of doubles, whose second rounding may meet a tie that the first one made.
static void test_quotients(void)
{
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        lg_u1024 a = lg_u1024_of(0);
        lg_u768 limbs = {{0}};
        const int words = 1 + (int)random_below(12);
        for (int k = 0; k < words; k++)
            a.limb[k] = random_u64() >> random_below(64);
        for (int k = 0; k < LG_U768_LIMBS; k++)
            limbs.at[k] = (uint32_t)(a.limb[k / 2] >> 32 * (k % 2));
        const uint64_t b = (random_u64() >> random_below(64)) | 1;
        const int unit = 100 - 64 * words + (int)random_below(20);
        const double near = lg_u1024_quotient(&a, b, unit);
        const float wanted = (float)near;
        const float got = lg_exact_quotient(limbs, (uint32_t)(b >> 32), (uint32_t)b, unit);
        CHECK(got == wanted || fabs(near - (double)got) == fabs(near - (double)wanted) ||
                  fabsf(wanted) < 2e-38f,
              "quotient %g, wanted %g", (double)got, (double)wanted);
    }
}

// Ranks of percentiles against a product in 128 bits; whole percents, which often leave nothing over, too.
static void test_places(void)
{
    for (int i = 0; i < test_extent(2000, 20000, 200000); i++) {
        const uint32_t n = i % 50 ? (uint32_t)random_u64() >> random_below(32) : UINT32_MAX;
        const uint32_t part = i % 3 ? random_below(101) * 10000000u : random_below(1000000001);
        const unsigned __int128 product = (unsigned __int128)(n ? n - 1 : 0) * part;
        const lg_figure_place got = lg_figure_place_of(n, part);
        CHECK(got.rank == product / 1000000000 && got.rest == product % 1000000000,
              "%u samples, %u: rank %u and %u", n, part, got.rank, got.rest);
    }
}

static double figure_of(const lg_moments *m, lg_figure_kind kind)
{
    return kind == LG_FIGURE_MEAN       ? m->mean
           : kind == LG_FIGURE_MIN      ? m->min
           : kind == LG_FIGURE_MAX      ? m->max
           : kind == LG_FIGURE_RANGE    ? m->max - m->min
           : kind == LG_FIGURE_VARIANCE ? m->variance
                                        : sqrt(m->variance);
}

// Figures, against the moments of `stats`.
static void test_values(void)
{
    for (int i = 0; i < test_extent(20, 200, 2000); i++) {
        const lg_image_params shape =
            device_any_shape(1 + (int)random_below(200), 1 + (int)random_below(80));
        lg_image *image = content_image(pair.cpu, shape, device_any_content(&shape));
        lg_moments m[LG_MAX_CHANNELS];
        const lg_moments_params params = {
            .size = sizeof(lg_moments_params), .select = lg_select_default(), .stack = true};
        lg_error error = {LG_OK, ""};
        const lg_figure_kind kind = (lg_figure_kind)(LG_FIGURE_MEAN + random_below(6));
        const lg_figure figure = {.kind = kind,
                                  .channel = LG_CHANNEL_DEFAULT,
                                  .factor = 1,
                                  .min = -INFINITY,
                                  .max = INFINITY};
        lg_figure_task task = {.figure = &figure, .image = image};
        const float *got = task.number;
        CHECK(!lg_measure_moments(pair.cpu, image, &params, m, LG_MAX_CHANNELS, &error) &&
                  !lg_figures_measure(pair.cpu, &task, 1, 1, &error),
              "%s", error.message);
        const double unit = shape.type == LG_U8 ? 255 : shape.type == LG_U16 ? 65535 : 1;
        const double scale = kind == LG_FIGURE_VARIANCE ? unit * unit : unit;
        for (int k = 0; k < 4; k++) {
            const int channel = lg_figure_channel(&shape, k);
            const double wanted = channel < 0 ? 1 : figure_of(&m[channel], kind) / scale;
            CHECK(fabs((double)got[k] - wanted) <= 3e-7 * fabs(wanted) + (scale > 1 ? 1e-7 : 1e-30),
                  "figure %d of %s: %.9g, wanted %.9g", (int)kind, lg_type_name(shape.type),
                  (double)got[k], wanted);
        }
        lg_image_destroy(&image);
    }
}

// Which figures of an image are made from one measurement: the device counts bytes, the host adds them up.
static void test_sharing(void)
{
    static const struct {
        lg_figure a, b;
        bool bytes_here, bytes_there; // on the host, on the device
        bool floats_here, floats_there;
    } pairs[] = {
#define F(KIND, ...) {.kind = LG_FIGURE_##KIND, __VA_ARGS__}
        {F(MEAN, .channel = -1), F(STDDEV, .channel = 1), true, true, true, true},
        {F(MEAN, .channel = -1), F(MEDIAN, .channel = -1), false, true, false, false},
        {F(MEAN, .channel = -1), F(MEAN, .channel = LG_CHANNEL_LUMA), false, false, false, false},
        {F(MEDIAN, .channel = 0), F(PERCENTILE, .channel = 2, .billionths = 7), true, true, true,
         true},
        {F(MEDIAN, .channel = 0), F(CDF, .channel = -1), true, true, false, false},
        {F(OTSU, .channel = 0), F(OTSU, .channel = 1), true, true, false, true},
        {F(PICK, .channel = 0), F(PICK, .channel = 1), true, true, true, true},
        {F(PICK, .channel = 0), F(MAX, .channel = 0), false, false, false, false},
        {F(LARGEST_X, .connectivity = 8), F(COMPONENTS, .connectivity = 8), true, true, true, true},
        {F(LARGEST_X, .connectivity = 8), F(LARGEST_X, .connectivity = 4), false, false, false,
         false},
#undef F
    };
    const lg_image bytes = {.shape = SHAPE(9, 9, 1, 4, LG_U8, LG_ALPHA_STRAIGHT)};
    const lg_image floats = {.shape = SHAPE(9, 9, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)};
    for (size_t i = 0; i < LG_COUNT(pairs); i++)
        for (int on_device = 0; on_device < 2; on_device++)
            for (int k = 0; k < 2; k++) {
                const bool wanted = k && on_device ? pairs[i].floats_there
                                    : k            ? pairs[i].floats_here
                                    : on_device    ? pairs[i].bytes_there
                                                   : pairs[i].bytes_here;
                const lg_image *image = k ? &floats : &bytes;
                const lg_figure_task a = {.figure = &pairs[i].a, .image = image},
                                     b = {.figure = &pairs[i].b, .image = image},
                                     other = {.figure = &pairs[i].a, .image = image, .slot = 1};
                CHECK(lg_figures_share(&a, &b, on_device) == wanted &&
                          lg_figures_share(&b, &a, on_device) == wanted &&
                          lg_figures_share(&a, &a, on_device) &&
                          !lg_figures_share(&a, &other, on_device),
                      "pair %zu, on the device %d, of floats %d: should be %d", i, on_device, k,
                      wanted);
            }
}

// Of more samples than 32 bits count: half of the bytes are 10, the others 250.
static void test_many(void)
{
    static const struct {
        lg_figure_kind kind;
        double value;
    } wanted[] = {{LG_FIGURE_MEAN, 130 / 255.0},   {LG_FIGURE_MIN, 10 / 255.0},
                  {LG_FIGURE_MAX, 250 / 255.0},    {LG_FIGURE_RANGE, 240 / 255.0},
                  {LG_FIGURE_STDDEV, 120 / 255.0}, {LG_FIGURE_VARIANCE, 14400 / 65025.0}};
    const uint64_t half = (uint64_t)1 << 32;
    const lg_image_params shape = SHAPE(1 << 17, 1 << 16, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_moments_state state = lg_moments_state_empty(LG_U8);
    state.integers = (lg_integer_moments){.n = 2 * half,
                                          .sum = (lg_u128)half * 260,
                                          .squares = (lg_u128)half * (100 + 62500),
                                          .min = 10,
                                          .max = 250};
    for (size_t i = 0; i < LG_COUNT(wanted); i++) {
        const float got = lg_figure_of_state(&state, &shape, wanted[i].kind);
        CHECK(got == (float)wanted[i].value, "figure %d of many samples: %.9g, wanted %.9g",
              (int)wanted[i].kind, (double)got, wanted[i].value);
    }
}

// ---- on the device ------------------------------------------------------------------------------

static void test_pick(void)
{
    static const char *const texts[] = {
        "brightness:brightness=@pick*0.3", "chroma_key:color_to_replace=@pick",
        "color_invert | brightness:brightness=@luma.pick*0.2-0.1", "contrast:contrast=@prev.a.pick",
        "gamma | chroma_key:color_to_replace=@prev.pick"};
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        for (int k = 0; k < test_extent(1, 2, 40); k++) {
            const lg_image_params shape =
                device_any_shape(1 + (int)random_below(40), 1 + (int)random_below(9));
            device_compare(&pair, texts[i], shape, LG_F32, device_any_content(&shape));
        }
        device_one_submission(&pair, texts[i], device_any_shape(30, 7));
    }
}

static void test_moments(void)
{
    static const char *const figures[] = {"mean",   "min",   "max",       "stddev", "variance",
                                          "g.mean", "a.max", "luma.mean", "range",  "luma.range"};
    static const char *const staying[] = {"mean",     "g.min",      "r.max",
                                          "b.stddev", "g.variance", "range"};
    // Parameters with one number and with four, of the input, of an image between stages, of the last run.
    static const char *const texts[][2] = {
        {"brightness:brightness=@", "*0.3-0.1"},
        {"color_invert #c | chroma_key:color_to_replace=@#c.", ""},
        {"contrast | sobel_edge_detection | gamma:gamma=@", ""},
        {"contrast:contrast=@prev.", ""}};
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        char text[120];
        for (int k = 0; k < test_extent(1, 4, 60); k++) {
            const lg_image_params shape =
                device_any_shape(1 + (int)random_below(150), 1 + (int)random_below(70));
            snprintf(text, sizeof text, "%s%s%s", texts[i][0],
                     figures[random_below(LG_COUNT(figures))], texts[i][1]);
            device_compare(&pair, text, shape, LG_F32, device_any_content(&shape));
        }
        for (int k = 0; k < test_extent(1, 2, 10); k++) {
            snprintf(text, sizeof text, "%s%s%s", texts[i][0],
                     staying[random_below(LG_COUNT(staying))], texts[i][1]);
            device_one_submission(&pair, text, device_any_shape(30, 7));
        }
    }
}

// Luma of floats is an image in scratch memory for as long as its moments take.
static void test_luma(void)
{
    static const char last[] = "contrast | gamma:gamma=@luma.max+0.5 | box_blur | "
                               "brightness:brightness=@prev.luma.variance";
    static const char *const texts[] = {"luminance_threshold:threshold=@luma.mean",
                                        "gaussian_blur | brightness:brightness=@luma.stddev", last};
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        const lg_type type = i == 0 ? LG_F16 : LG_F32;
        const lg_image_params shape = SHAPE(70, 33, 1 + (int)i, 4, type, LG_ALPHA_STRAIGHT);
        device_compare(&pair, texts[i], shape, LG_F32, CONTENT_UNIT);
        device_one_submission(&pair, texts[i], shape);
    }
}

int main(void)
{
    random_seed(61);
    pair.cpu = device_open_threads(2);
    test_quotients();
    test_places();
    test_values();
    test_many();
    test_sharing();
    pair.vulkan = device_open(NULL, NULL);
    if (pair.vulkan) {
        test_pick();
        test_moments();
        test_luma();
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("device_figures");
}
