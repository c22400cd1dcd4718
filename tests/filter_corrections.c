// What is wrong in GPUImage and its ports, and right here: one small case each.
#include "filtering.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "device.h"

static lg_context *cpu;

typedef struct rgba4 {
    float v[4];
} rgba4;

static const rgba4 nothing = {{NAN, NAN, NAN, NAN}};

// One pixel through a pipeline, with one pixel as the second image.
static rgba4 apply(const char *pipeline, rgba4 in, rgba4 over)
{
    lg_image *images[2] = {filtering_image(cpu, 1, 1, 1), filtering_image(cpu, 1, 1, 1)};
    filtering_fill(images[0], in.v);
    filtering_fill(images[1], over.v);
    lg_image *out = filtering_run(cpu, pipeline, images, 2);
    rgba4 result = nothing;
    if (out)
        memcpy(&result, filtering_pixel(out, 0, 0, 0), sizeof result);
    lg_image_destroy(&images[0]);
    lg_image_destroy(&images[1]);
    lg_image_destroy(&out);
    return result;
}

static rgba4 color_of(float r, float g, float b, float a)
{
    return (rgba4){{r, g, b, a}};
}

static bool near(rgba4 a, rgba4 b)
{
    for (int k = 0; k < 4; k++)
        if (!(fabsf(a.v[k] - b.v[k]) <= 2e-6f))
            return false;
    return true;
}

#define SHOW(c) (double)(c).v[0], (double)(c).v[1], (double)(c).v[2], (double)(c).v[3]

static void expect(const char *pipeline, rgba4 in, rgba4 over, rgba4 wanted)
{
    const rgba4 got = apply(pipeline, in, over);
    CHECK(near(got, wanted), "%s: %g %g %g %g, not %g %g %g %g", pipeline, SHOW(got), SHOW(wanted));
}

static void expect_error(const char *pipeline, const char *part)
{
    lg_image *image = filtering_image(cpu, 4, 4, 1), *out = NULL;
    lg_image *images[2] = {image, image};
    lg_error error = {0};
    const lg_status status = filtering_try(cpu, pipeline, images, 2, &out, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, part), "%s: %s: %s", pipeline,
          lg_status_name(status), error.message);
    lg_image_destroy(&image);
    lg_image_destroy(&out);
}

// ---- alpha --------------------------------------------------------------------------------------

// Filters of one image that GPUImage lets change alpha, or take it from elsewhere.
static void test_alpha_kept(void)
{
    static const char *const pipelines[] = {
        "haze",   "skin_tone:skin_tone_adjust=0.2", "median",     "sharpen:sharpness=1",
        "emboss", "sobel_edge_detection",           "crosshatch", "convolution_3x3"};
    lg_image *in = filtering_image(cpu, 67, 5, 1);
    filtering_noise(in);
    for (size_t i = 0; i < LG_COUNT(pipelines); i++) {
        lg_image *out = filtering_run(cpu, pipelines[i], &in, 1);
        int different = 0;
        for (int k = 0; out && k < 67 * 5; k++)
            different += filtering_pixel(in, k % 67, k / 67, 0)[3] !=
                         filtering_pixel(out, k % 67, k / 67, 0)[3];
        CHECK(!different, "%s changes %d alphas", pipelines[i], different);
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
}

static void test_blend_alpha(void)
{
    static const char *const names[] = {"overlay_blend",    "darken_blend",    "color_dodge_blend",
                                        "hard_light_blend", "exclusion_blend", "difference_blend",
                                        "subtract_blend",   "color_blend"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        const rgba4 y =
            apply(names[i], color_of(0.25f, 0.5f, 0.75f, 0.5f), color_of(0.5f, 0.25f, 1, 0.5f));
        CHECK(y.v[3] == 0.75f, "%s: alpha %g, not 0.75", names[i], (double)y.v[3]);
    }
    // Alpha once, not squared; and the base's own counts.
    expect("mask", color_of(0.25f, 0.5f, 1, 0.5f), color_of(1, 0.5f, 0, 0.5f),
           color_of(0.25f, 0.5f, 1, 0.125f));
    // A transparent overlay has no colour to give, a transparent base none to keep.
    expect("dissolve_blend", color_of(0.25f, 0.5f, 1, 1), color_of(1, 1, 1, 0),
           color_of(0.25f, 0.5f, 1, 0.5f));
    expect("source_over_blend", color_of(1, 1, 1, 0), color_of(0.25f, 0.5f, 1, 0.5f),
           color_of(0.25f, 0.5f, 1, 0.5f));
}

// ---- divisions by zero --------------------------------------------------------------------------

static void test_zero(void)
{
    const rgba4 black = color_of(0, 0, 0, 1), white = color_of(1, 1, 1, 1);
    const rgba4 grey = color_of(0.5f, 0.5f, 0.5f, 1);
    expect("highlight_shadow:shadows=1:highlights=0", black, black, black);
    expect("levels:min=@min:max=@max:max_out=0.5", color_of(0.25f, 0, 1, 1), black,
           color_of(0.25f, 0, 1, 1));
    expect("levels:min=0.5:max=@max", color_of(0.25f, 0.5f, 0.75f, 1), black,
           color_of(0.25f, 0.5f, 1, 1));
    expect("divide_blend", black, black, black);
    expect("divide_blend", grey, black, white);
    expect("color_burn_blend", grey, black, black);
    expect("color_burn_blend", white, black, white);
    expect("color_dodge_blend", black, white, black);
    expect("color_dodge_blend", grey, white, white);
    expect("hue_blend", color_of(1, 0, 0, 1), grey, color_of(0.3f, 0.3f, 0.3f, 1));
    expect("posterize:color_levels=1", color_of(0, 0.4f, 0.6f, 1), black, color_of(0, 0, 1, 1));
    const rgba4 matte = apply("chroma_key_matting:alpha_exponent=0", black, black);
    CHECK(matte.v[0] == 0 && matte.v[3] == 1, "black has a matte of %g", (double)matte.v[3]);
    expect("chroma_key:smoothing=0:threshold_sensitivity=0", color_of(0, 1, 0, 1), black,
           color_of(0, 1, 0, 1));
}

// Nothing in 0..1 becomes NaN or infinite, with any example's parameters.
static void test_finite(void)
{
    lg_image *in[2] = {filtering_image(cpu, 97, 7, 1), filtering_image(cpu, 97, 7, 1)};
    lg_image *table = filtering_image(cpu, 3, 3, 3);
    filtering_noise(in[0]);
    filtering_noise(in[1]);
    filtering_noise(table);
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const bool reads_table = f->kind == LG_FILTER_POINT && f->inputs == 2;
        for (int k = -1; k < f->example_count; k++) {
            char pipeline[1024];
            const char *params = k < 0 ? "" : f->examples[k].params;
            snprintf(pipeline, sizeof pipeline, "%s%s%s", f->name, params[0] ? ":" : "", params);
            if (f->kind == LG_FILTER_NATIVE || f->kind == LG_FILTER_PIPELINE)
                continue;
            lg_image *pair[2] = {in[0], reads_table ? table : in[1]};
            lg_image *out = filtering_run(cpu, pipeline, pair, f->inputs == 2 ? 2 : 1);
            int wrong = 0;
            const int32_t samples = out ? out->shape.width * out->shape.channels : 0;
            for (int y = 0; out && y < out->shape.height; y++)
                for (int n = 0; n < samples; n++)
                    wrong += !isfinite(filtering_pixel(out, 0, y, 0)[n]);
            CHECK(!wrong, "%s: %d samples are no numbers", pipeline, wrong);
            lg_image_destroy(&out);
        }
    }
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
    lg_image_destroy(&table);
}

// ---- colours ------------------------------------------------------------------------------------

static double luminosity(rgba4 c)
{
    return 0.3 * (double)c.v[0] + 0.59 * (double)c.v[1] + 0.11 * (double)c.v[2];
}

static double spread(rgba4 c)
{
    return (double)fmaxf(c.v[0], fmaxf(c.v[1], c.v[2])) -
           (double)fminf(c.v[0], fminf(c.v[1], c.v[2]));
}

// SetSat for all six orders of r, g and b: the right saturation and luminosity come out.
static void test_saturation_orders(void)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const float values[3] = {0.4f, 0.5f, 0.65f};
    const rgba4 base = color_of(0.5f, 0.45f, 0.55f, 1);
    for (int i = 0; i < 6; i++) {
        rgba4 o = color_of(0, 0, 0, 1);
        for (int k = 0; k < 3; k++)
            o.v[k] = values[orders[i][k]];
        const rgba4 hue = apply("hue_blend", base, o), sat = apply("saturation_blend", o, base);
        CHECK(fabs(luminosity(hue) - luminosity(base)) < 1e-6 &&
                  fabs(spread(hue) - spread(base)) < 1e-6,
              "hue_blend, order %d: luminosity %g, saturation %g", i, luminosity(hue), spread(hue));
        CHECK(fabs(luminosity(sat) - luminosity(o)) < 1e-6 &&
                  fabs(spread(sat) - spread(base)) < 1e-6,
              "saturation_blend, order %d: luminosity %g, saturation %g", i, luminosity(sat),
              spread(sat));
        for (int k = 0; k < 3; k++) // the hue's order is kept
            CHECK((hue.v[k] > hue.v[(k + 1) % 3]) == (o.v[k] > o.v[(k + 1) % 3]),
                  "hue_blend, order %d: channel %d", i, k);
    }
}

static void test_colors(void)
{
    const rgba4 none = color_of(0, 0, 0, 1), grey = color_of(0.4f, 0.4f, 0.4f, 1);
    // Degrees, not radians: a whole turn is none.
    expect("hue:hue=360", color_of(0.2f, 0.5f, 0.9f, 1), none, color_of(0.2f, 0.5f, 0.9f, 1));
    expect("hue:hue=123", grey, none, grey);
    expect("hsb:hue=77", grey, none, grey);
    // The intended matrices: a tint leaves 0.299 r + 0.587 g + 0.114 b about as it was.
    const rgba4 tinted = apply("white_balance:tint=100", grey, none);
    const double y =
        0.299 * (double)tinted.v[0] + 0.587 * (double)tinted.v[1] + 0.114 * (double)tinted.v[2];
    CHECK(fabs(y - 0.4) < 1e-3 && tinted.v[0] > 0.42f && tinted.v[1] < 0.38f,
          "tint of grey: %g %g %g", (double)tinted.v[0], (double)tinted.v[1], (double)tinted.v[2]);
    const rgba4 transposed = apply("white_balance:tint=100:transposed=yes", grey, none);
    CHECK(fabsf(transposed.v[0] - 0.45226f) < 1e-5f, "as GPUImage: %g", (double)transposed.v[0]);
    // 2500 K above 5000 K are 0.15 of the way to warm, not 1.5.
    expect("white_balance:temperature=7500", color_of(0.25f, 0.25f, 0.25f, 1), none,
           color_of(0.28225f, 0.253f, 0.2125f, 1));
    // White reads its luminance with a weight of 1.
    expect("luminance_threshold:threshold=1", color_of(1, 1, 1, 1), none, color_of(1, 1, 1, 1));
}

static void test_tone_curve(void)
{
    const rgba4 none = color_of(0, 0, 0, 1);
    // Neither shifted by an entry where the first x is not 0, nor by half an entry.
    expect("tone_curve:composite='0.25,0;0.75,1'", color_of(0.5f, 0.375f, 0.3f, 1), none,
           color_of(0.5f, 0.25f, 0.1f, 1));
    // Constant beyond its points.
    expect("tone_curve:red='0.25,0.5;0.75,0.75'", color_of(0.1f, 0.1f, 0.9f, 1), none,
           color_of(0.5f, 0.1f, 0.9f, 1));
    // Finer than 8 bits.
    expect("tone_curve:composite='0,0.5;1,0.501'", color_of(0.1f, 0.2f, 0.3f, 1), none,
           color_of(0.5001f, 0.5002f, 0.5003f, 1));
    expect_error("tone_curve:red='0,0;0.5,0.2;0.5,0.4;1,1'", "two control points at x = 0.5");
    expect_error("tone_curve:blue='0,0'", "at least 2");
    expect_error("tone_curve:green='0,0;1.5,1'", "allowed is 0 to 1");
    expect_error("tone_curve:composite='0,0;1'", "x,y with ; between them");
}

// ---- tables -------------------------------------------------------------------------------------

// The identity: as a picture of tiles, or with `levels` layers.
static lg_image *identity_table(int levels)
{
    lg_image *table =
        levels ? filtering_image(cpu, levels, levels, levels) : filtering_image(cpu, 512, 512, 1);
    const int n = levels ? levels : 64;
    for (int b = 0; b < n; b++)
        for (int g = 0; g < n; g++)
            for (int r = 0; r < n; r++) {
                float *p = levels ? filtering_pixel(table, r, g, b)
                                  : filtering_pixel(table, b % 8 * 64 + r, b / 8 * 64 + g, 0);
                p[0] = (float)r / (float)(n - 1);
                p[1] = (float)g / (float)(n - 1);
                p[2] = (float)b / (float)(n - 1);
            }
    return table;
}

static void test_lookup(void)
{
    static const int levels[] = {0, 2, 3, 17, 33, 64};
    lg_image *in = filtering_image(cpu, 203, 7, 1);
    filtering_noise(in);
    for (size_t i = 0; i < LG_COUNT(levels); i++)
        for (int kind = 0; kind < 2; kind++) {
            lg_image *images[2] = {in, identity_table(levels[i])};
            lg_image *out =
                filtering_run(cpu, kind ? "lookup:interpolation=tetrahedral" : "lookup", images, 2);
            int x = 0, y = 0;
            const double worst = out ? filtering_distance(in, out, &x, &y) : INFINITY;
            CHECK(worst < 1e-6, "identity of %d levels, %s: %g off at %d,%d", levels[i],
                  kind ? "tetrahedral" : "trilinear", worst, x, y);
            lg_image_destroy(&images[1]);
            lg_image_destroy(&out);
        }
    lg_image_destroy(&in);
}

// Between the entries of 2 x 2 x 2 noise: eight corners against the definition.
static void test_lookup_between(void)
{
    lg_image *in = filtering_image(cpu, 101, 3, 1), *table = filtering_image(cpu, 2, 2, 2);
    filtering_noise(in);
    filtering_noise(table);
    lg_image *images[2] = {in, table};
    lg_image *linear = filtering_run(cpu, "lookup", images, 2);
    lg_image *tetra = filtering_run(cpu, "lookup:interpolation=tetrahedral", images, 2);
    double worst = 0, worst_tetra = 0;
    for (int i = 0; linear && tetra && i < 303; i++) {
        const float *c = filtering_pixel(in, i % 101, i / 101, 0);
        int order[3] = {0, 1, 2};
        for (int a = 0; a < 3; a++)
            for (int b = a + 1; b < 3; b++)
                if (c[order[b]] > c[order[a]]) {
                    const int kept = order[a];
                    order[a] = order[b], order[b] = kept;
                }
        for (int k = 0; k < 3; k++) {
            double sum = 0, walked = 0;
            for (int corner = 0; corner < 8; corner++) {
                double w = 1;
                for (int axis = 0; axis < 3; axis++)
                    w *= corner >> axis & 1 ? (double)c[axis] : 1 - (double)c[axis];
                sum +=
                    w * (double)filtering_pixel(table, corner & 1, corner >> 1 & 1, corner >> 2)[k];
            }
            // From black along the axes in falling order of the colour's components.
            int at[3] = {0, 0, 0};
            double left = 1;
            for (int step = 0; step < 4; step++) {
                const double next = step < 3 ? (double)c[order[step]] : 0;
                walked += (left - next) * (double)filtering_pixel(table, at[0], at[1], at[2])[k];
                left = next;
                if (step < 3)
                    at[order[step]] = 1;
            }
            worst =
                fmax(worst, fabs(sum - (double)filtering_pixel(linear, i % 101, i / 101, 0)[k]));
            worst_tetra = fmax(
                worst_tetra, fabs(walked - (double)filtering_pixel(tetra, i % 101, i / 101, 0)[k]));
        }
    }
    CHECK(worst < 1e-6, "trilinear: %g off", worst);
    CHECK(worst_tetra < 1e-6, "tetrahedral: %g off", worst_tetra);
    lg_image_destroy(&in);
    lg_image_destroy(&table);
    lg_image_destroy(&linear);
    lg_image_destroy(&tetra);
    expect_error("lookup", "512 x 512");
}

int main(void)
{
    random_seed(5);
    cpu = device_open_level(LG_CPU_BEST, 2);
    test_alpha_kept();
    test_blend_alpha();
    test_zero();
    test_finite();
    test_saturation_orders();
    test_colors();
    test_tone_curve();
    test_lookup();
    test_lookup_between();
    lg_context_destroy(&cpu);
    return check_finish("filter_corrections");
}
