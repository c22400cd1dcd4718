// Graphs: what is accepted and refused, how they are cut into stages, what measured parameters do.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vulkan/vk.h"

static lg_error error;

// ---- building -----------------------------------------------------------------------------------

typedef struct fixture {
    lg_graph *graph;
    lg_node in, second;
} fixture;

static fixture open_graph(void)
{
    fixture f = {0};
    NEED(!lg_graph_create(&f.graph, &error) && !lg_graph_input(f.graph, "in", &f.in, &error) &&
             !lg_graph_input(f.graph, "second", &f.second, &error),
         "%s", error.message);
    return f;
}

static void expect_refusal(const char *text, const char *part)
{
    fixture f = open_graph();
    lg_node out;
    error.message[0] = '\0';
    const lg_status status = lg_graph_parse(f.graph, text, f.in, &out, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, part), "%s: %d '%s' lacks '%s'",
          text, (int)status, error.message, part);
    CHECK(!strchr(error.message, '\n'), "%s: more than one line", text);
    lg_graph_destroy(&f.graph);
}

static void expect_accepted(const char *text)
{
    fixture f = open_graph();
    lg_node out;
    CHECK(!lg_graph_parse(f.graph, text, f.in, &out, &error), "%s: %s", text, error.message);
    lg_graph_destroy(&f.graph);
}

static void test_refusals(void)
{
    expect_refusal("contrats", "did you mean 'contrast'");
    expect_refusal("contrast | gama", "character 12");
    expect_refusal("contrast:contrasst=1", "did you mean 'contrast'");
    expect_refusal("contrast:contrast=5", "0 to 4");
    expect_refusal("contrast:contrast=", "a number");
    expect_refusal("contrast:contrast=1x", "a number");
    expect_refusal("contrast:contrast=nan", "a number");
    expect_refusal("contrast:contrast=1,2", "a number");
    expect_refusal("contrast:contrast", "FILTER:NAME=VALUE");
    expect_refusal("contrast |", "missing");
    expect_refusal("", "missing");
    expect_refusal("| contrast", "missing");
    expect_refusal("contrast and more", "expected |");
    expect_refusal("contrast #a | #b", "called #b");
    expect_refusal("contrast #a | contrast #a", "two images");
    expect_refusal("contrast #prev", "no name");
    expect_refusal("contrast:contrast=@men", "did you mean @mean");
    expect_refusal("contrast:contrast=@p101", "unknown figure");
    expect_refusal("contrast:contrast=@mean*", "behind a figure");
    expect_refusal("contrast:contrast=@second.mean", "written @#second.mean");
    expect_refusal("contrast:contrast=@luma", "which figure of it");
    expect_refusal("contrast:contrast=0.5*@mean", "@mean*0.5");
    expect_refusal("crop:width=@mean", "size of the result");
    expect_refusal("crop:box=@mean", "can be measured");
    expect_refusal("crop:box=640x480+10", "WxH+X+Y in pixels");
    expect_refusal("crop:box=0x480+10+20", "WxH+X+Y in pixels");
    expect_refusal("crop:box=-3x480", "WxH+X+Y in pixels");
    expect_refusal("crop:box=99999999x480", "out of range");
    expect_refusal("crop:box=4x4:x=1", "box and x exclude each other");
    expect_refusal("crop:unit=size:box=4x4", "unit and box exclude each other");
    expect_refusal("contrast:contrast=@component", "did you mean @components");
    expect_refusal("contrast:contrast=@largest", "@largest.area .x .y");
    expect_refusal("contrast:contrast=@largest.size", "@largest.area .x .y");
    expect_refusal("contrast:contrast=@largest.center", "is a point");
    expect_refusal("contrast:contrast=@luma.components", "not of one of its channels");
    expect_refusal("vignette:center=@largest.area", "or @largest.center");
    expect_refusal("vignette:center=@mean", "@largest.center a point");
    expect_refusal("fill:color=@components", "is a number");
    expect_refusal("measured_curve:curve=@components", "a curve is wanted");
    expect_refusal("label:connectivity=5", "4|8|6|18|26");
    expect_refusal("label:connectivity=@components", "can be measured");
    expect_refusal("label:type=u8", "u16|f32");
    expect_refusal("threshold:level=high", "a number");
    expect_refusal("contrast contrast=2", "NAME=VALUE");
    expect_refusal("soft_elegance:first=look", "a table");
    expect_refusal("soft_elegance:second=#look", "called #look");
    expect_refusal("contrast:over=#second", "no second image");
    expect_refusal("contrast:contrast=@#x.mean", "called #x");
    expect_refusal("contrast:over=#second", "no second image");
    expect_refusal("false_color:first_color=1,2", "a colour");
    expect_refusal("false_color:first_color=#12345", "a colour");
    expect_refusal("hue:hue=1e999", "a number");
}

// Both ends of a range are allowed, also where no float is that number.
static void test_ranges(void)
{
    static const char *const texts[] = {"bilateral:sigma_space=0.1", "bilateral:sigma_space=1000",
                                        "bilateral:sigma_color=0.001", "contrast:contrast=0",
                                        "contrast:contrast=4"};
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        expect_accepted(texts[i]);
    expect_refusal("bilateral:sigma_space=0.0999", "0.1 to 1000");
    expect_refusal("bilateral:sigma_space=1000.1", "0.1 to 1000");
    expect_refusal("contrast:contrast=1e300", "0 to 4");
}

// ---- older spellings ----------------------------------------------------------------------------

static lg_image *result_of(lg_context *context, const char *text)
{
    const lg_image_params shape = SHAPE(61, 43, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = content_image(context, shape, CONTENT_UNIT), *out = NULL;
    pipeline p;
    if (pipeline_open(&p, context, text, &shape, 1, NULL)) {
        NEED(!lg_image_create(context, &p.out, &out, &error), "%s", error.message);
        CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s: %s", text, error.message);
    }
    pipeline_close(&p);
    lg_image_destroy(&in);
    return out;
}

// A word that has become a filter of its own: the same pixels, parameters and figures of both spellings.
static void test_older_spellings(void)
{
    static const char *const pairs[][2] = {
        {"bilateral:method=grid", "bilateral_grid"},
        {"bilateral:radius=9:sigma_space=4.5:method=grid:sigma_color=0.3:border=wrap",
         "bilateral_grid:sigma_space=4.5:sigma_color=0.3:border=wrap"},
        {"bilateral:method=grid:sigma_space=@mean*9+2", "bilateral_grid:sigma_space=@mean*9+2"},
        {"bilateral:method=grid:radius=@mean*9:sigma_color=@stddev",
         "bilateral_grid:sigma_color=@stddev"}};
    const lg_image_params shape = SHAPE(9, 9, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_context *cpu = device_open_cpu();
    pipeline p;
    for (size_t i = 0; i < LG_COUNT(pairs); i++) {
        random_seed(11);
        lg_image *older = result_of(cpu, pairs[i][0]);
        random_seed(11);
        lg_image *own = result_of(cpu, pairs[i][1]);
        random_seed(11);
        lg_image *exact = result_of(cpu, "bilateral");
        CHECK(samples_equal(older, own) && !samples_equal(own, exact), "%s is not %s", pairs[i][0],
              pairs[i][1]);
        lg_image_destroy(&older);
        lg_image_destroy(&own);
        lg_image_destroy(&exact);
    }
    const lg_status status =
        pipeline_try(&p, cpu, "bilateral:method=grid:sigma_space=1.9", &shape, 1, NULL, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, "sigma_space=1.9 is out of range"),
          "%s", error.message);
    pipeline_close(&p);
    // Every value but one may be a filter of its own, a measured one as well.
    static const char *const medians[][2] = {
        {"median:radius=4", "wide_median:radius=4"},
        {"median:border=wrap:radius=0", "wide_median:radius=0:border=wrap"},
        {"median:radius=@mean*0+3", "wide_median:radius=3"},
        {"median:radius=1:border=mirror", "median:border=mirror"},
        {"median:border=mirror", "wide_median:radius=1:border=mirror"}};
    for (size_t i = 0; i < LG_COUNT(medians); i++) {
        random_seed(12);
        lg_image *one = result_of(cpu, medians[i][0]);
        random_seed(12);
        lg_image *other = result_of(cpu, medians[i][1]);
        CHECK(samples_equal(one, other), "%s is not %s", medians[i][0], medians[i][1]);
        lg_image_destroy(&one);
        lg_image_destroy(&other);
    }
    expect_refusal("median:radius=1025", "0 to 1024");
    expect_refusal("bilateral_grid:radius=3", "no parameter 'radius'");
    expect_refusal("bilateral_grid:sigma_space=1.9", "2 to 1000");
    lg_context_destroy(&cpu);
}

// ---- lengths --------------------------------------------------------------------------------------

// The longest words that are read, and those that are one character longer.
static void test_longest_words(void)
{
    char text[700], word[600];
    memset(word, 'x', sizeof word);
    snprintf(text, sizeof text, "%.63s", word);
    expect_refusal(text, "there is no filter");
    snprintf(text, sizeof text, "%.64s", word);
    expect_refusal(text, "this is no name of a filter");
    snprintf(text, sizeof text, "contrast:%.63s=1", word);
    expect_refusal(text, "has no parameter");
    snprintf(text, sizeof text, "contrast:%.64s=1", word);
    expect_refusal(text, "this parameter is too long");
    snprintf(text, sizeof text, "contrast:contrast=%.511s", word);
    expect_refusal(text, "a number is wanted");
    snprintf(text, sizeof text, "contrast:contrast=%.512s", word);
    expect_refusal(text, "this parameter is too long");
    snprintf(text, sizeof text, "contrast #%.47s | gamma | #%.47s", word, word);
    expect_accepted(text);
    snprintf(text, sizeof text, "contrast #%.48s", word);
    expect_refusal(text, "this name is too long");
}

static void test_limits(void)
{
    fixture f = open_graph();
    lg_node at = f.in;
    lg_status status = LG_OK;
    int added = 0;
    while (!status && added < LG_MAX_NODES + 2)
        status = lg_graph_filter(f.graph, "contrast", &at, 1, NULL, &at, &error), added += !status;
    CHECK(status == LG_ERROR_LIMIT && added == LG_MAX_NODES - 2, "%d nodes, status %d", added,
          (int)status);
    lg_node none;
    CHECK(lg_graph_filter(f.graph, "contrast", &f.in, 2, NULL, &none, &error) == LG_ERROR_ARGUMENT,
          "two images for one");
    CHECK(lg_graph_output(f.graph, 1 << 20, &error) == LG_ERROR_ARGUMENT,
          "a node that is not there");
    lg_graph_destroy(&f.graph);
}

// ---- plans --------------------------------------------------------------------------------------

static lg_image *make(lg_context *context, lg_type type, int channels, lg_alpha alpha,
                      int32_t width, int32_t height, int32_t layers)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = alpha};
    lg_image *image = NULL;
    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    random_seed(5);
    for (int32_t z = 0; z < layers; z++)
        for (int32_t y = 0; y < height; y++) {
            char *row = (char *)image->data + (size_t)z * image->shape.layer_stride +
                        (size_t)y * image->shape.row_stride;
            for (int32_t i = 0; i < width * channels; i++) {
                const double v = random_unit() * random_unit();
                if (type == LG_U8)
                    ((uint8_t *)row)[i] = (uint8_t)(20 + v * 200);
                else if (type == LG_U16)
                    ((uint16_t *)(void *)row)[i] = (uint16_t)(v * 60000);
                else
                    ((float *)(void *)row)[i] = (float)v;
            }
        }
    return image;
}

static lg_plan *make_plan(lg_context *context, const char *text, const lg_image *in,
                          const lg_image *second, const lg_type *type)
{
    fixture f = open_graph();
    lg_node out;
    lg_plan *plan = NULL;
    const lg_image_params shapes[] = {in->shape, second->shape};
    NEED(!lg_graph_parse(f.graph, text, f.in, &out, &error) &&
             !lg_graph_output(f.graph, out, &error) &&
             !lg_plan_create(context, f.graph, shapes, 2, type, &plan, &error),
         "%s: %s", text, error.message);
    lg_graph_destroy(&f.graph); // a plan does not need it any more
    return plan;
}

static lg_image *run(lg_plan *plan, lg_context *context, lg_image *in, lg_image *second)
{
    lg_image_params shape;
    lg_image *out = NULL;
    lg_image *const inputs[] = {in, second};
    NEED(plan && !lg_plan_output(plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &out, &error) &&
             !lg_plan_run(plan, inputs, &out, &error),
         "%s", error.message);
    return out;
}

static void expect_stages(lg_context *context, const char *text, int stages, int images)
{
    lg_image *in = make(context, LG_U8, 4, LG_ALPHA_OPAQUE, 8, 4, 1);
    lg_plan *plan = make_plan(context, text, in, in, NULL);
    char end[80];
    snprintf(end, sizeof end, "%d stage%s, %d image%s between them\n", stages,
             stages == 1 ? "" : "s", images, images == 1 ? "" : "s");
    CHECK(plan && strstr(lg_plan_explain(plan), end), "%s:\n%s", text, lg_plan_explain(plan));
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
}

static void test_stages(lg_context *context)
{
    expect_stages(context, "contrast | gamma | hue", 1, 0);
    expect_stages(context, "contrast | luminance_threshold:threshold=@mean | gamma", 2, 1);
    expect_stages(context, "luminance_threshold:threshold=@mean", 1, 0);
    expect_stages(context, "contrast #a | gamma | #a | hue", 1, 0); // nobody wants the gamma
    expect_stages(context, "contrast #a | gamma:gamma=@#a.max | hue", 2, 1);
    // Each image is free again when the next but one is made.
    expect_stages(context,
                  "contrast:contrast=@mean | gamma:gamma=@mean | contrast:contrast=@mean | "
                  "gamma:gamma=@mean | contrast:contrast=@mean",
                  5, 2);
    // Many of the same are several stages, since a stage has an end.
    char text[64 * 12] = "contrast";
    for (int i = 1; i < 40; i++)
        strcat(text, " | contrast");
    expect_stages(context, text, 2, 1);
}

static void test_shapes(lg_context *context)
{
    lg_image *in = make(context, LG_U8, 1, LG_ALPHA_NONE, 5, 3, 1);
    lg_image *other = make(context, LG_U8, 1, LG_ALPHA_NONE, 5, 4, 1);
    lg_image_params shape;
    lg_plan *plan = make_plan(context, "false_color", in, in, NULL);
    CHECK(plan && !lg_plan_output(plan, 0, &shape, &error) && shape.channels == 4 &&
              shape.alpha == LG_ALPHA_OPAQUE && shape.type == LG_U8,
          "a grey image in colours has %d channels", shape.channels);
    CHECK(lg_plan_output(plan, 1, &shape, &error) == LG_ERROR_ARGUMENT, "there is one output");
    lg_image *const wrong[] = {other, other};
    lg_image *out = NULL;
    NEED(!lg_image_create(context, &shape, &out, &error), "%s", error.message);
    CHECK(lg_plan_run(plan, wrong, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "was made for"),
          "%s", error.message);
    lg_plan_destroy(&plan);
    lg_image_destroy(&out);
    lg_image_destroy(&in);
    lg_image_destroy(&other);
}

static bool measures(const char *text, const char *figure)
{
    fixture f = open_graph();
    lg_node last;
    NEED(!lg_graph_parse(f.graph, text, f.in, &last, &error) &&
             (!figure || !lg_graph_figure(f.graph, last, figure, NULL, &error)),
         "%s", error.message);
    const bool found = lg_graph_measures(f.graph);
    lg_graph_destroy(&f.graph);
    return found;
}

static void test_measures(void)
{
    CHECK(!measures("contrast:contrast=2 | box_blur", NULL) && measures("contrast", "mean") &&
              measures("contrast | contrast:contrast=@mean", NULL) &&
              measures("auto_levels", NULL) && measures("equalize_histogram", NULL),
          "which graphs have figures");
}

// An output of other channels than its image has.
static void test_output_channels(lg_context *context)
{
    lg_image *in = make(context, LG_U8, 4, LG_ALPHA_STRAIGHT, 5, 3, 1), *out[3] = {NULL};
    static const int channels[] = {1, 3, 4};
    lg_image_params shape;
    for (int i = 0; i < 3; i++) {
        fixture f = open_graph();
        lg_node last;
        lg_plan *plan = NULL;
        const lg_image_params shapes[] = {in->shape, in->shape};
        NEED(!lg_graph_parse(f.graph, "brightness:brightness=0.05 #mine", f.in, &last, &error) &&
                 !lg_graph_output(f.graph, last, &error) &&
                 !lg_graph_figure(f.graph, last, "a.max", NULL, &error),
             "%s", error.message);
        CHECK(lg_graph_output_channels(f.graph, 1, 1, &error) == LG_ERROR_ARGUMENT &&
                  lg_graph_output_channels(f.graph, 0, 2, &error) == LG_ERROR_ARGUMENT,
              "another output, and two channels");
        NEED(!lg_graph_output_channels(f.graph, 0, channels[i], &error) &&
                 !lg_plan_create(context, f.graph, shapes, 2, NULL, &plan, &error),
             "%s", error.message);
        CHECK(strcmp(lg_graph_output_name(f.graph, 0), "mine") == 0, "it keeps its name");
        out[i] = run(plan, context, in, in);
        CHECK(!lg_plan_output(plan, 0, &shape, &error) &&
                  lg_image_measured_channels(&shape) == channels[i],
              "%d channels: %d", channels[i], lg_image_measured_channels(&shape));
        lg_figure_value v = {0};
        size_t count;
        CHECK(!lg_plan_figures(plan, &v, 1, &count, &error) && v.value[0] < 1,
              "the figure is of the image: alpha %g", (double)v.value[0]);
        lg_plan_destroy(&plan);
        lg_graph_destroy(&f.graph);
    }
    for (int i = 0; i < 15 && out[0] && out[1] && out[2]; i++) {
        const uint8_t *p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (const uint8_t *)out[k]->data + (size_t)(i / 5) * out[k]->shape.row_stride +
                   (size_t)(i % 5 * out[k]->shape.channels);
        const double luma = 0.2125 * p[2][0] + 0.7154 * p[2][1] + 0.0721 * p[2][2];
        CHECK(memcmp(p[1], p[2], 3) == 0 && p[1][3] == 255 && fabs(p[0][0] - luma) <= 1,
              "pixel %d: grey %d, %g expected", i, p[0][0], luma);
    }
    for (int i = 0; i < 3; i++)
        lg_image_destroy(&out[i]);
    lg_image_destroy(&in);
}

// ---- figures ------------------------------------------------------------------------------------

// The first pixel of opacity:opacity=@FIGURE of an opaque pixel is the figure itself, in alpha.
static float figure_of(lg_context *context, lg_image *image, const char *figure)
{
    char text[128];
    const lg_type type = LG_F32;
    snprintf(text, sizeof text, "false_color:first_color=%s:second_color=%s", figure, figure);
    lg_plan *plan = make_plan(context, text, image, image, &type);
    lg_image *out = run(plan, context, image, image);
    const float value = out ? *(const float *)out->data : NAN;
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    return value;
}

static void expect_figure(lg_context *cpu, lg_context *vulkan, lg_image *image, const char *figure,
                          double wanted, double tolerance)
{
    const float a = figure_of(cpu, image, figure);
    CHECK(fabs((double)a - wanted) <= tolerance, "%s of %s x %d: %.9g instead of %.9g", figure,
          lg_type_name(image->shape.type), image->shape.channels, (double)a, wanted);
    if (!vulkan)
        return;
    const float b = figure_of(vulkan, image, figure);
    CHECK(memcmp(&a, &b, sizeof a) == 0, "%s of %s x %d: %.9g on the CPU, %.9g on Vulkan", figure,
          lg_type_name(image->shape.type), image->shape.channels, (double)a, (double)b);
}

static void test_figures(lg_context *cpu, lg_context *vulkan)
{
    lg_image *rgb = make(cpu, LG_U8, 4, LG_ALPHA_OPAQUE, 67, 41, 1);
    double mean[3] = {0, 0, 0}, squares = 0, luma = 0;
    uint64_t counts[256] = {0};
    int min = 255;
    const double n = 67 * 41;
    for (int y = 0; y < 41; y++)
        for (int x = 0; x < 67; x++) {
            const uint8_t *p =
                (const uint8_t *)rgb->data + (size_t)y * rgb->shape.row_stride + 4 * x;
            for (int c = 0; c < 3; c++)
                mean[c] += p[c] / 255.0 / n;
            luma += floor((13926 * p[0] + 46885 * p[1] + 4725 * p[2] + 32768) / 65536.0) / 255 / n;
            squares += p[0] / 255.0 * (p[0] / 255.0) / n;
            min = p[1] < min ? p[1] : min;
            counts[p[2]]++;
        }
    int rank = 0, median = 0;
    while ((rank += (int)counts[median]) <= (67 * 41 - 1) / 2)
        median++;
    expect_figure(cpu, vulkan, rgb, "@r.mean", mean[0], 1e-6);
    expect_figure(cpu, vulkan, rgb, "@mean", mean[0], 1e-6); // a colour: red's is in red
    expect_figure(cpu, vulkan, rgb, "@luma.mean", luma, 1e-6);
    expect_figure(cpu, vulkan, rgb, "@luma.mean*2-0.125", 2 * luma - 0.125, 1e-6);
    expect_figure(cpu, vulkan, rgb, "@r.variance", squares - mean[0] * mean[0], 1e-5);
    expect_figure(cpu, vulkan, rgb, "@r.stddev", sqrt(squares - mean[0] * mean[0]), 1e-5);
    expect_figure(cpu, vulkan, rgb, "@g.min", min / 255.0, 1e-7);
    expect_figure(cpu, vulkan, rgb, "@b.median", median / 255.0, 1e-6);
    expect_figure(cpu, vulkan, rgb, "@b.p50", median / 255.0, 1e-6);
    expect_figure(cpu, vulkan, rgb, "@a.mean", 1, 0);
    expect_figure(cpu, vulkan, rgb, "@r.pick", ((const uint8_t *)rgb->data)[0] / 255.0, 1e-7);
    lg_image_destroy(&rgb);

    lg_image *grey = make(cpu, LG_U8, 1, LG_ALPHA_NONE, 131, 17, 2);
    lg_threshold t;
    const lg_threshold_params params = {.size = sizeof(lg_threshold_params),
                                        .select = lg_select_default(),
                                        .bins = -1,
                                        .stack = true};
    NEED(!lg_threshold_image(cpu, grey, &params, &t, 1, NULL, &error), "%s", error.message);
    expect_figure(cpu, vulkan, grey, "@otsu", (t.level[0] + 0.5) / 255, 1e-6);
    expect_figure(cpu, vulkan, grey, "@luma.otsu", (t.level[0] + 0.5) / 255, 1e-6);
    lg_image_destroy(&grey);

    lg_image *floats = make(cpu, LG_F32, 1, LG_ALPHA_NONE, 31, 9, 1);
    lg_moments m;
    CHECK(!lg_measure_moments(cpu, floats, NULL, &m, 1, &error), "%s", error.message);
    expect_figure(cpu, vulkan, floats, "@mean", m.mean, 1e-7);
    expect_figure(cpu, vulkan, floats, "@max", m.max, 2e-7);
    expect_figure(cpu, vulkan, floats, "@stddev", sqrt(m.variance), 1e-7);
    lg_image_destroy(&floats);
}

// @prev: the first run takes its own figure, later ones that of the run before.
static void test_previous(lg_context *context, const char *name)
{
    lg_image *dark = make(context, LG_U8, 1, LG_ALPHA_NONE, 9, 9, 1);
    lg_image *light = make(context, LG_U8, 1, LG_ALPHA_NONE, 9, 9, 1);
    memset(dark->data, 51, light->shape.layer_stride);
    memset(light->data, 204, light->shape.layer_stride);
    const lg_type type = LG_F32;
    lg_plan *plan = make_plan(context, "false_color:first_color=@prev.mean:second_color=@prev.mean",
                              dark, dark, &type);
    lg_image *frames[] = {dark, light, dark, light};
    const float wanted[] = {0.2f, 0.2f, 0.8f, 0.2f};
    for (int i = 0; i < 4; i++) {
        lg_image *out = run(plan, context, frames[i], dark);
        const float value = out ? *(const float *)out->data : NAN;
        CHECK(fabsf(value - wanted[i]) < 1e-6f, "%s: frame %d got %g", name, i, (double)value);
        lg_image_destroy(&out);
    }
    lg_plan_destroy(&plan);
    lg_image_destroy(&dark);
    lg_image_destroy(&light);
}

// With images on the device a run is one submission and no transfer, measured parameters and all.
static void test_one_submission(lg_context *vulkan)
{
    lg_image *in = make(vulkan, LG_U8, 4, LG_ALPHA_OPAQUE, 64, 32, 1), *out = NULL;
    lg_image_params shape;
    lg_plan *plan = make_plan(vulkan, "luminance_threshold:threshold=@otsu | contrast:contrast=0.5",
                              in, in, NULL);
    NEED(!lg_image_upload(vulkan, in, &error) && !lg_plan_output(plan, 0, &shape, &error) &&
             !lg_image_create_device(vulkan, &shape, &out, &error),
         "%s", error.message);
    lg_image *const inputs[] = {in, in};
    CHECK(!lg_plan_run(plan, inputs, &out, &error), "%s", error.message);
    const uint32_t before = lg_vk_submissions(vulkan->vk),
                   texts = lg_vk_shaders_compiled(vulkan->vk),
                   pipelines = lg_vk_pipelines_compiled(vulkan->vk);
    for (int i = 0; i < 3; i++)
        CHECK(!lg_plan_run(plan, inputs, &out, &error), "%s", error.message);
    CHECK(lg_vk_submissions(vulkan->vk) - before == 3, "%d submissions for 3 runs",
          (int)(lg_vk_submissions(vulkan->vk) - before));
    CHECK(lg_vk_shaders_compiled(vulkan->vk) == texts &&
              lg_vk_pipelines_compiled(vulkan->vk) == pipelines,
          "a later run compiles");
    lg_plan_destroy(&plan);
    plan = make_plan(vulkan, "luminance_threshold:threshold=@otsu | contrast:contrast=0.25", in, in,
                     NULL);
    CHECK(lg_vk_shaders_compiled(vulkan->vk) == texts, "the same filters are compiled twice");
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Copies that a run reports took no longer than the run.
static void test_seconds(lg_context *vulkan)
{
    lg_image *in = make(vulkan, LG_U8, 4, LG_ALPHA_OPAQUE, 64, 32, 1);
    lg_plan *plan = make_plan(vulkan, "contrast | box_blur", in, in, NULL);
    const double start = lg_time_seconds();
    lg_image *out = run(plan, vulkan, in, in);
    const double whole = lg_time_seconds() - start;
    lg_engine_report report;
    lg_context_report(vulkan, &report);
    if (report.fallback[0])
        check_skip(report.fallback);
    else
        CHECK(report.upload >= 0 && report.download >= 0 &&
                  report.upload + report.download <= whole,
              "a run of %g s copied for %g s and %g s", whole, report.upload, report.download);
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    test_refusals();
    test_ranges();
    test_older_spellings();
    test_longest_words();
    test_measures();
    test_limits();
    lg_context *cpu = device_open_cpu();
    test_stages(cpu);
    test_shapes(cpu);
    test_output_channels(cpu);
    test_previous(cpu, "cpu");
    lg_context *vulkan = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    test_figures(cpu, vulkan);
    if (vulkan) {
        test_previous(vulkan, "vulkan");
        test_one_submission(vulkan);
        test_seconds(vulkan);
        device_close(&vulkan);
    } else {
        check_skip("graphs on Vulkan");
    }
    lg_context_destroy(&cpu);
    return check_finish("graph");
}
