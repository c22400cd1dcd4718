// Histogram equalisation: each value by sorting the samples, which is its definition; the same bits on
// every CPU level and on Vulkan; curves of other images and of the frame before.
#include "check.h"
#include "content.h"
#include "device.h"
#include "filtering.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/vk.h"

static lg_error error;
static lg_context *contexts[LG_CPU_LEVELS + 1];
// The last context may be Vulkan, which compiles for half a second per kind of image.
static int context_count, used;
static bool has_vulkan;

// ---- samples ------------------------------------------------------------------------------------

// A sample as the histogram sees it, and its colour. Contents are finite.
static double sample(const lg_image *image, size_t pixel, int channel, double *color)
{
    const lg_image_params *s = &image->shape;
    const size_t width = (size_t)s->width, rows = (size_t)s->height;
    const char *row = (const char *)image->data + pixel / (width * rows) * s->layer_stride +
                      pixel / width % rows * s->row_stride;
    const size_t i = pixel % width * (size_t)s->channels + (size_t)channel;
    double v = 0;
    switch (s->type) {
    case LG_U8:
        v = ((const uint8_t *)row)[i];
        *color = v / 255;
        return v;
    case LG_U16:
        v = ((const uint16_t *)(const void *)row)[i];
        *color = v / 65535;
        return v;
    case LG_F16:
        return *color = (double)lg_half_to_float(((const uint16_t *)(const void *)row)[i]);
    default:
        return *color = (double)((const float *)(const void *)row)[i];
    }
}

static size_t pixels_of(const lg_image *image)
{
    return (size_t)image->shape.width * (size_t)image->shape.height * (size_t)image->shape.layers;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The bins of a float image lie between its extremes over all its channels, of
// luma between its own.
static double bin_of(const lg_image *image, double v, double low, double high)
{
    const lg_type type = image->shape.type;
    if (type == LG_U8 || type == LG_U16)
        return v;
    const float scale = (float)(65536 / (high - low));
    const float at = ((float)v - (float)low) * scale;
    return fmin(truncf(at), 65535);
}

// Integer luma as histograms count it, or float luma.
static double luma_sample(const lg_image *image, size_t pixel)
{
    double c[3], v[3];
    for (int k = 0; k < 3; k++)
        v[k] = sample(image, pixel, k, &c[k]);
    if (image->shape.type == LG_U8 || image->shape.type == LG_U16)
        return floor((13926 * v[0] + 46885 * v[1] + 4725 * v[2] + 32768) / 65536);
    const float r = (float)v[0], g = (float)v[1], b = (float)v[2];
    const float y = (0.2125F * r + 0.7154F * g) + 0.0721F * b;
    return (double)fminf(fmaxf(y, fminf(r, fminf(g, b))), fmaxf(r, fmaxf(g, b)));
}

// ---- the definition -----------------------------------------------------------------------------

typedef struct shares {
    double *sorted; // bins of all samples
    size_t count, lowest;
    double low, high; // of a float image
} shares;

static shares sort_channel(const lg_image *image, int channel) // 4: luma
{
    const int measured = lg_image_measured_channels(&image->shape);
    shares s = {.count = pixels_of(image), .low = INFINITY, .high = -INFINITY};
    s.sorted = calloc(s.count + 1, sizeof *s.sorted);
    for (size_t i = 0; i < s.count; i++)
        for (int k = 0; k < (channel == 4 ? 1 : measured); k++) {
            double color;
            const double v = channel == 4 ? luma_sample(image, i) : sample(image, i, k, &color);
            s.low = fmin(s.low, v);
            s.high = fmax(s.high, v);
        }
    for (size_t i = 0; i < s.count; i++) {
        double color;
        s.sorted[i] =
            bin_of(image, channel == 4 ? luma_sample(image, i) : sample(image, i, channel, &color),
                   s.low, s.high);
    }
    qsort(s.sorted, s.count, sizeof *s.sorted, ascending);
    while (s.lowest < s.count && s.sorted[s.lowest] == s.sorted[0])
        s.lowest++;
    return s;
}

// (samples up to v - s) / (all - s); `color` where all are the same.
static double share_of(const shares *s, double bin, double color)
{
    if (s->lowest == s->count)
        return color;
    size_t low = 0, high = s->count; // the first sample above
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (s->sorted[middle] <= bin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->lowest ? 0 : (double)(low - s->lowest) / (double)(s->count - s->lowest);
}

static double wanted(const lg_image *image, const shares of[3], const char *type, size_t pixel,
                     int k)
{
    static const char *const names[] = {"red", "green", "blue"};
    const int source = lg_image_measured_channels(&image->shape) >= 3 ? k : 0;
    double color;
    const double v = sample(image, pixel, source, &color);
    if (strcmp(type, "rgb") != 0 && strcmp(type, names[k]) != 0)
        return color;
    return share_of(&of[source], bin_of(image, v, of[0].low, of[0].high), color);
}

static lg_image *equalize(int engine, const lg_image *image, const char *type)
{
    char text[80];
    snprintf(text, sizeof text, "histogram_equalization:type=%s", type);
    lg_image *copy = NULL, *out = NULL;
    NEED(!lg_image_create(contexts[engine], &image->shape, &copy, &error), "%s", error.message);
    memcpy(copy->data, image->data, image->shape.layer_stride * (size_t)image->shape.layers);
    out = filtering_run(contexts[engine], text, &copy, 1);
    lg_image_destroy(&copy);
    return out;
}

static const float *pixel_of(const lg_image *out, size_t pixel)
{
    const size_t width = (size_t)out->shape.width, rows = (size_t)out->shape.height;
    return (const float *)(const void *)((const char *)out->data +
                                         pixel / (width * rows) * out->shape.layer_stride +
                                         pixel / width % rows * out->shape.row_stride) +
           pixel % width * (size_t)out->shape.channels;
}

static void check_image(const lg_image *image, const char *type)
{
    const lg_image_params *s = &image->shape;
    lg_image *out = equalize(0, image, type);
    const bool colors = lg_image_measured_channels(s) >= 3;
    shares of[3] = {{0}};
    for (int k = 0; k < (colors ? 3 : 1); k++)
        of[k] = sort_channel(image, k);
    double worst = 0;
    for (size_t i = 0; out && i < pixels_of(image); i++)
        for (int k = 0; k < (out->shape.channels >= 3 ? 3 : 1); k++)
            worst = fmax(worst, fabs((double)pixel_of(out, i)[k] - wanted(image, of, type, i, k)));
    CHECK(out && worst < 1e-6, "%s of %s x %d, %d x %d x %d: %g off", type, lg_type_name(s->type),
          s->channels, s->width, s->height, s->layers, worst);
    const char *const few = "rgb:downsampling_factor=3"; // tests/oracle has the definition
    lg_image *first = equalize(0, image, few);
    for (int e = 1; e < used && first; e++) {
        lg_image *other = equalize(e, image, few);
        CHECK(other && samples_equal(first, other),
              "%s of %s x %d, %d x %d x %d, alpha %d: %s has other bits", few,
              lg_type_name(s->type), s->channels, s->width, s->height, s->layers, s->alpha,
              contexts[e]->info.name);
        lg_image_destroy(&other);
    }
    lg_image_destroy(&first);
    for (int e = 1; e < used && out; e++) {
        lg_image *other = equalize(e, image, type);
        CHECK(other && samples_equal(out, other), "%s of %s x %d, %d x %d: %s has other bits", type,
              lg_type_name(s->type), s->channels, s->width, s->height, contexts[e]->info.name);
        lg_image_destroy(&other);
    }
    for (int k = 0; k < 3; k++)
        free(of[k].sorted);
    lg_image_destroy(&out);
}

// Luma goes through its own curve; what the colours differ from it stays. A pixel's luma is a float, the
// counted one may be the next integer.
static void check_luma(const lg_image *image)
{
    lg_image *out = equalize(0, image, "luminance");
    shares of = sort_channel(image, 4);
    const double steps = image->shape.type == LG_U8 ? 255 : 65535;
    const bool whole = image->shape.type == LG_U8 || image->shape.type == LG_U16;
    double worst = 0;
    for (size_t i = 0; out && i < pixels_of(image); i++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            sample(image, i, k, &c[k]);
        const double l = 0.2125 * c[0] + 0.7154 * c[1] + 0.0721 * c[2];
        const double at =
            whole ? floor(l * steps + 0.5) : bin_of(image, luma_sample(image, i), of.low, of.high);
        if (whole && fabs(l * steps - floor(l * steps) - 0.5) < 0.02)
            continue; // either of two bins
        const double more = share_of(&of, at, l) - l;
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs((double)pixel_of(out, i)[k] - fmin(fmax(c[k] + more, 0), 1)));
    }
    CHECK(out && worst < 1e-6, "luminance of %s x %d: %g off", lg_type_name(image->shape.type),
          image->shape.channels, worst);
    for (int e = 1; e < used && out; e++) {
        lg_image *other = equalize(e, image, "luminance");
        CHECK(other && samples_equal(out, other), "luminance of %s: %s has other bits",
              lg_type_name(image->shape.type), contexts[e]->info.name);
        lg_image_destroy(&other);
    }
    free(of.sorted);
    lg_image_destroy(&out);
}

// ---- what images --------------------------------------------------------------------------------

// Values in 0..1 that leave gaps, half of them the same in every eighth image.
static void fill(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t i = 0; i < s->width * s->channels; i++)
                sample_put(image, i / s->channels, y, z, i % s->channels,
                           random_below(4) ? 0.2 + 0.6 * random_unit() * random_unit()
                                           : 0.25 * random_below(5));
}

static lg_image *make(lg_context *context, lg_image_params shape)
{
    lg_image *image = image_zeros(context, shape);
    fill(image);
    return image;
}

static void test_definition(void)
{
    static const struct {
        int32_t width, height, layers;
    } sizes[] = {{1, 1, 1}, {1, 7, 1}, {37, 11, 1}, {255, 3, 2}, {257, 64, 1}};
    static const struct {
        int channels;
        lg_alpha alpha;
    } kinds[] = {
        {1, LG_ALPHA_NONE}, {4, LG_ALPHA_OPAQUE}, {2, LG_ALPHA_STRAIGHT}, {4, LG_ALPHA_STRAIGHT}};
    static const lg_type types[] = {LG_U8, LG_U16, LG_F16, LG_F32};
    for (size_t t = 0; t < LG_COUNT(types); t++)
        for (size_t k = 0; k < LG_COUNT(kinds); k++)
            for (size_t i = test_is_short() ? 2 : 0; i < LG_COUNT(sizes); i++) {
                if (types[t] != LG_U8 && i != 2 && i != k)
                    continue;
                used = context_count -
                       (has_vulkan && k != 1 && !(types[t] == LG_U8 && k == 0) && !test_is_full());
                lg_image *image =
                    make(contexts[0], SHAPE(sizes[i].width, sizes[i].height, sizes[i].layers,
                                            kinds[k].channels, types[t], kinds[k].alpha));
                check_image(image, "rgb");
                if (i == 2)
                    check_image(image, k % 2 ? "green" : "red");
                if (i == 2 && kinds[k].channels == 4)
                    check_luma(image);
                lg_image_destroy(&image);
            }
}

// One value everywhere: nothing to spread.
static void test_flat(void)
{
    for (int t = 0; t < 2; t++) {
        lg_image *image = make(contexts[0], SHAPE(9, 5, 1, 4, t ? LG_F32 : LG_U8, LG_ALPHA_OPAQUE));
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 36; k++) {
                char *row = (char *)image->data + (size_t)i * image->shape.row_stride;
                if (t)
                    ((float *)(void *)row)[k] = 0.3F;
                else
                    ((uint8_t *)row)[k] = 77;
            }
        check_image(image, "rgb");
        check_luma(image);
        lg_image_destroy(&image);
    }
}

// An equalised ramp of all values is itself.
static void test_ramp(void)
{
    lg_image *image = make(contexts[0], SHAPE(256, 3, 1, 1, LG_U8, LG_ALPHA_NONE));
    for (int i = 0; i < 256 * 3; i++)
        ((uint8_t *)image->data)[(size_t)(i / 256) * image->shape.row_stride + (size_t)(i % 256)] =
            (uint8_t)(i % 256);
    lg_image *out = equalize(context_count - 1, image, "rgb");
    double worst = 0;
    for (size_t i = 0; out && i < 768; i++)
        worst = fmax(worst, fabs((double)*pixel_of(out, i) - (double)(i % 256) / 255));
    CHECK(out && worst < 1e-6, "a ramp is %g off itself", worst);
    lg_image_destroy(&out);
    lg_image_destroy(&image);
}

// ---- other images' curves -----------------------------------------------------------------------

static lg_plan *plan_of(lg_context *context, const char *text, const lg_image *in)
{
    lg_graph *graph = NULL;
    lg_node node, over, last;
    lg_plan *plan = NULL;
    const lg_image_params shapes[] = {in->shape, in->shape};
    const lg_type type = LG_F32;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_input(graph, "other", &over, &error) &&
             !lg_graph_parse(graph, text, node, &last, &error) &&
             !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, shapes, 2, &type, &plan, &error),
         "%s: %s", text, error.message);
    lg_graph_destroy(&graph);
    return plan;
}

static float first_of(lg_plan *plan, lg_context *context, lg_image *in, lg_image *other)
{
    lg_image_params shape;
    lg_image *out = NULL, *const inputs[] = {in, other};
    NEED(!lg_plan_output(plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &out, &error) &&
             !lg_plan_run(plan, inputs, &out, &error),
         "%s", error.message);
    const float value = out ? *(const float *)out->data : NAN;
    lg_image_destroy(&out);
    return value;
}

static void set_row(lg_image *image, const uint8_t row[4])
{
    if (image)
        memcpy(image->data, row, 4);
}

static void test_others(lg_context *context, bool device)
{
    lg_image *a = make(context, SHAPE(4, 1, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *b = make(context, SHAPE(4, 1, 1, 1, LG_U8, LG_ALPHA_NONE));
    set_row(a, (const uint8_t[4]){100, 50, 150, 200}); // 100 is one of three above the lowest
    set_row(b, (const uint8_t[4]){100, 60, 20, 250});  // two of three
    lg_plan *plan = plan_of(context, "measured_curve:curve=@#other.cdf", a);
    const float of_other = first_of(plan, context, a, b), of_own = first_of(plan, context, a, a);
    CHECK(fabsf(of_other - 2 / 3.0F) < 1e-6F && fabsf(of_own - 1 / 3.0F) < 1e-6F, "%g and %g",
          (double)of_other, (double)of_own);
    lg_plan_destroy(&plan);
    // The frame before; the first has its own.
    plan = plan_of(context, "measured_curve:curve=@prev.cdf", a);
    const float values[] = {first_of(plan, context, a, a), first_of(plan, context, b, b),
                            first_of(plan, context, a, a), first_of(plan, context, a, a)};
    CHECK(fabsf(values[0] - 1 / 3.0F) < 1e-6F && fabsf(values[1] - 1 / 3.0F) < 1e-6F &&
              fabsf(values[2] - 2 / 3.0F) < 1e-6F && fabsf(values[3] - 1 / 3.0F) < 1e-6F,
          "frames got %g %g %g %g%s", (double)values[0], (double)values[1], (double)values[2],
          (double)values[3], device ? " on Vulkan" : "");
    lg_plan_destroy(&plan);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// Bytes on the device: one submission a run, and nothing is read back.
static void test_one_submission(lg_context *vulkan)
{
    lg_image *in = make(vulkan, SHAPE(64, 32, 1, 4, LG_U8, LG_ALPHA_OPAQUE)), *out = NULL;
    lg_image_params shape;
    lg_plan *plan = plan_of(vulkan, "histogram_equalization | average_color", in);
    CHECK(plan && !lg_image_upload(vulkan, in, &error) && !lg_plan_output(plan, 0, &shape, &error),
          "%s", error.message);
    lg_plan_destroy(&plan);
    plan = plan_of(vulkan, "histogram_equalization:type=luminance", in);
    NEED(plan && !lg_image_create_device(vulkan, &shape, &out, &error), "%s", error.message);
    lg_image *const inputs[] = {in, in};
    CHECK(!lg_plan_run(plan, inputs, &out, &error), "%s", error.message);
    const uint32_t before = lg_vk_submissions(vulkan->vk);
    for (int i = 0; i < 3; i++)
        CHECK(!lg_plan_run(plan, inputs, &out, &error), "%s", error.message);
    CHECK(lg_vk_submissions(vulkan->vk) - before == 3, "%d submissions for 3 runs",
          (int)(lg_vk_submissions(vulkan->vk) - before));
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void expect_refusal(const char *text, const char *part)
{
    lg_graph *graph = NULL;
    lg_node in = -1, last;
    error.message[0] = '\0';
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error), "%s",
         error.message);
    CHECK(lg_graph_parse(graph, text, in, &last, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, part),
          "%s: '%s' lacks '%s'", text, error.message, part);
    lg_graph_destroy(&graph);
}

static void test_refusals(void)
{
    expect_refusal("contrast:contrast=@cdf", "a curve, not a number");
    expect_refusal("measured_curve:curve=@mean", "a curve is wanted");
    expect_refusal("measured_curve:curve=3", "a curve is wanted");
    expect_refusal("measured_curve:curve=@cdf*2", "no factor");
    expect_refusal("measured_curve:curve=@ecdf", "a curve is wanted: @cdf, @luma.cdf");
    expect_refusal("histogram_strip:curve=@cdf", "a curve is wanted: @ecdf, @luma.ecdf");
    expect_refusal("histogram_strip:curve=1", "a curve is wanted: @ecdf, @luma.ecdf");
    expect_refusal("tone_curve:table=@cdf", "no parameter");
    expect_refusal("histogram_equalization:type=hue", "one of");
}

int main(void)
{
    random_seed(41);
    for (int level = LG_CPU_LEVELS - 1; level >= 0; level--) {
        lg_context *context = device_open_level((lg_cpu_level)level, 2);
        if (context)
            contexts[context_count++] = context;
    }
    lg_context *vulkan = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    const int cpus = context_count;
    has_vulkan = vulkan != NULL;
    if (vulkan)
        contexts[context_count++] = vulkan;
    test_definition();
    used = context_count;
    test_flat();
    test_ramp();
    test_others(contexts[0], false);
    test_refusals();
    if (vulkan) {
        test_others(vulkan, true);
        test_one_submission(vulkan);
        device_close(&vulkan);
    } else {
        check_skip("equalisation on Vulkan");
    }
    for (int i = 0; i < cpus; i++)
        lg_context_destroy(&contexts[i]);
    return check_finish("equalization");
}
