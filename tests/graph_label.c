// Components in graphs: labels and figures on the CPU and on Vulkan, against a flood fill, and without the
// host between the stages.
#include "check.h"
#include "device_filter.h"
#include "flood_fill.h"
#include "kernel.h"
#include "label_content.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/plan.h"

static device_pair pair;
static lg_error error;

// ---- images -------------------------------------------------------------------------------------

// Which pixels are foreground, in bytes.
static lg_image *make_mask(int width, int height, int layers, label_content kind, int density)
{
    lg_image *mask = image_zeros(pair.cpu, SHAPE(width, height, layers, 1, LG_U8, LG_ALPHA_NONE));
    if (mask)
        label_content_fill(mask, kind, density, 1 + (int)random_below(3), 0, false);
    return mask;
}

static bool has_alpha(const lg_image_params *s)
{
    return s->channels != 1 && s->alpha != LG_ALPHA_NONE;
}

// A pixel that is foreground or not: one of its colours is not 0, or all are; NaN is as good as 0.
static void put_pixel(lg_image *image, int32_t x, int32_t y, int32_t z, bool in)
{
    const lg_image_params *s = &image->shape;
    const bool floats = s->type == LG_F16 || s->type == LG_F32;
    const int colors = LG_MIN(has_alpha(s) ? s->channels - 1 : s->channels, 3);
    const int lit = (int)random_below((uint32_t)colors);
    for (int c = 0; c < s->channels; c++)
        sample_put(image, x, y, z, c, floats && c < colors && !random_below(9) ? (double)NAN : 0);
    // Where there is no alpha the fourth channel is data or padding.
    if (s->channels == 4 && s->alpha != LG_ALPHA_PREMULTIPLIED)
        sample_put(image, x, y, z, 3, random_unit());
    else if (has_alpha(s))
        sample_put(image, x, y, z, s->channels - 1, 1);
    if (in)
        sample_put(image, x, y, z, lit,
                   (0.01 + 0.99 * random_unit()) * (floats && random_below(2) ? -1 : 1));
}

// An image of a context with this foreground, of any channels and type.
static lg_image *dress(lg_context *context, const lg_image *mask, lg_image_params like)
{
    like.width = mask->shape.width;
    like.height = mask->shape.height;
    like.layers = mask->shape.layers;
    lg_image *image = image_zeros(context, like);
    for (int32_t z = 0; image && z < like.layers; z++)
        for (int32_t y = 0; y < like.height; y++)
            for (int32_t x = 0; x < like.width; x++)
                put_pixel(image, x, y, z, sample_stored(mask, x, y, z, 0) != 0);
    return image;
}

static const char *device_of(const lg_context *context)
{
    return context->vk ? "vulkan" : "cpu";
}

// ---- labels -------------------------------------------------------------------------------------

static void compare_labels(const lg_image *out, const flood *f, const char *text,
                           const char *device)
{
    int64_t wrong = 0;
    for (int32_t z = 0; z < f->layers; z++)
        for (int32_t y = 0; y < f->height; y++)
            for (int32_t x = 0; x < f->width; x++)
                wrong += sample_stored(out, x, y, z, 0) !=
                         f->label[((int64_t)z * f->height + y) * f->width + x];
    CHECK(!wrong && out->shape.channels == 1, "%s of %d x %d x %d on %s: %lld pixels differ", text,
          f->width, f->height, f->layers, device, (long long)wrong);
}

static void check_labels(const lg_image *mask, lg_image_params like, int connectivity, bool floats)
{
    char text[80];
    flood *f = flood_fill(mask, LG_FOREGROUND_NONZERO, 0, connectivity);
    const uint64_t seed = random_u64();
    snprintf(text, sizeof text, "label:connectivity=%d:type=%s", connectivity,
             floats ? "f32" : "u16");
    for (int i = 0; i < 2 && f; i++) {
        lg_context *context = i ? pair.vulkan : pair.cpu;
        if (!context)
            continue;
        random_seed(seed);
        lg_image *in = dress(context, mask, like);
        lg_image *out = device_run(context, text, in, NULL, floats ? LG_F32 : LG_U16);
        if (out)
            compare_labels(out, f, text, device_of(context));
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
    random_seed(seed + 1);
    flood_free(&f);
}

static void test_labels(void)
{
    static const int sizes[][3] = {{131, 67, 1}, {1, 1, 1},    {1, 43, 2}, {61, 1, 1},
                                   {37, 29, 3},  {257, 33, 1}, {64, 64, 1}};
    static const int connectivities[] = {8, 4, 26, 6, 18};
    const int rounds = test_extent(4, pair.vulkan ? 9 : 30, 300);
    for (int i = 0; i < rounds; i++) {
        const int *size = sizes[i % (int)LG_COUNT(sizes)];
        const label_content kind =
            i % 3 == 2 ? (label_content)random_below(LABEL_CONTENTS) : LABEL_NOISE;
        lg_image *mask = make_mask(size[0], size[1], size[2], kind, 20 + (int)random_below(60));
        if (mask)
            check_labels(mask, device_any_shape(1, 1), connectivities[i % 5], random_below(2));
        lg_image_destroy(&mask);
    }
}

// All levels and numbers of threads.
static void test_levels(void)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    lg_image *mask = make_mask(613, 211, 1, LABEL_NOISE, 45);
    flood *f = mask ? flood_fill(mask, LG_FOREGROUND_NONZERO, 0, 8) : NULL;
    for (int i = 0; i < count && f; i++) {
        lg_image *in = dress(contexts[i], mask, SHAPE(1, 1, 1, 4, LG_U8, LG_ALPHA_STRAIGHT));
        lg_image *out = device_run(contexts[i], "label", in, NULL, LG_U16);
        if (out)
            compare_labels(out, f, "label", contexts[i]->info.driver);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
    flood_free(&f);
    lg_image_destroy(&mask);
}

// A measured level, labels, and filters behind them.
static void test_pipelines(void)
{
    static const char level[] = "threshold:level=@otsu";
    const lg_image_params shape = SHAPE(97, 41, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = content_image(pair.cpu, shape, CONTENT_UNIT);
    lg_image *binary = in ? device_run(pair.cpu, level, in, NULL, LG_U8) : NULL;
    lg_image *mask = image_zeros(pair.cpu, SHAPE(97, 41, 1, 1, LG_U8, LG_ALPHA_NONE));
    for (int32_t y = 0; binary && mask && y < 41; y++)
        for (int32_t x = 0; x < 97; x++)
            sample_put(mask, x, y, 0, 0, sample_get(binary, x, y, 0, 0));
    flood *f = mask ? flood_fill(mask, LG_FOREGROUND_NONZERO, 0, 8) : NULL;
    for (int i = 0; i < 2 && f && binary; i++) {
        lg_context *context = i ? pair.vulkan : pair.cpu;
        lg_image *from = context ? image_zeros(context, shape) : NULL;
        if (!from)
            continue;
        memcpy(from->data, in->data, in->shape.layer_stride);
        lg_image *out = device_run(context, "threshold:level=@otsu | label", from, NULL, LG_U16);
        if (out)
            compare_labels(out, f, "threshold:level=@otsu | label", device_of(context));
        lg_image_destroy(&from);
        lg_image_destroy(&out);
    }
    flood_free(&f);
    lg_image_destroy(&mask);
    lg_image_destroy(&binary);
    lg_image_destroy(&in);
    if (!pair.vulkan)
        return;
    device_compare(&pair,
                   "threshold:level=@otsu #b | label:connectivity=4:type=f32 | box_blur:radius=1 | "
                   "multiply_blend:over=#b",
                   SHAPE(61, 23, 1, 4, LG_U8, LG_ALPHA_STRAIGHT), LG_F32, CONTENT_UNIT);
    device_one_submission(&pair, "threshold:level=@otsu | label", shape);
}

// The outputs of a plan that is not told their types.
static void test_shapes(void)
{
    static const struct {
        const char *text;
        lg_type type;
    } cases[] = {{"label", LG_U16},
                 {"label:type=f32", LG_F32},
                 {"label | color_invert", LG_U16},
                 {"label | threshold", LG_U16},
                 {"threshold", LG_U8}};
    const lg_image_params shape = SHAPE(9, 5, 2, 4, LG_U8, LG_ALPHA_STRAIGHT);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_graph *graph = NULL;
        lg_plan *plan = NULL;
        lg_node in, last;
        lg_image_params out = {0};
        NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
                 !lg_graph_parse(graph, cases[i].text, in, &last, &error) &&
                 !lg_graph_output(graph, last, &error) &&
                 !lg_plan_create(pair.cpu, graph, &shape, 1, NULL, &plan, &error) &&
                 !lg_plan_output(plan, 0, &out, &error),
             "%s: %s", cases[i].text, error.message);
        CHECK(out.type == cases[i].type && out.channels == (i < 4 ? 1 : 4) && out.layers == 2,
              "%s: %d channels of %s", cases[i].text, out.channels, lg_type_name(out.type));
        lg_plan_destroy(&plan);
        lg_graph_destroy(&graph);
    }
}

// ---- too many components ------------------------------------------------------------------------

// Every second pixel of a row: `count` components.
static lg_image *dotted(lg_context *context, int count)
{
    lg_image *image = image_zeros(context, SHAPE(2 * count - 1, 1, 1, 1, LG_U8, LG_ALPHA_NONE));
    for (int i = 0; image && i < count; i++)
        ((uint8_t *)image->data)[2 * i] = 1;
    return image;
}

static void expect_labels(lg_context *context, const char *text, int count, bool fine)
{
    lg_image *in = dotted(context, count), *out = NULL;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node, last;
    lg_image_params shape;
    const bool good =
        in && !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
        !lg_graph_parse(graph, text, node, &last, &error) &&
        !lg_graph_output(graph, last, &error) &&
        !lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, &error) &&
        !lg_plan_output(plan, 0, &shape, &error) && !lg_image_create(context, &shape, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    for (int run = 0; run < 2 && good; run++) {
        memset(out->data, 7, 8);
        error.message[0] = '\0';
        const lg_status status = lg_plan_run(plan, &in, &out, &error);
        if (fine)
            CHECK(!status && sample_stored(out, 2 * count - 2, 0, 0, 0) == count,
                  "%s of %d components on %s: %s, the last is %g", text, count, device_of(context),
                  error.message, sample_stored(out, 2 * count - 2, 0, 0, 0));
        else
            CHECK(status == LG_ERROR_LIMIT && strstr(error.message, "65536 components") &&
                      strstr(error.message, "type=f32") && ((uint8_t *)out->data)[0] == 7 &&
                      ((uint8_t *)out->data)[7] == 7,
                  "%s of %d components on %s: %d '%s'", text, count, device_of(context),
                  (int)status, error.message);
    }
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_limits(lg_context *context)
{
    expect_labels(context, "label", 65535, true);
    expect_labels(context, "label", 65536, false);
    expect_labels(context, "label:type=f32", 65537, true);
}

// ---- figures ------------------------------------------------------------------------------------

static const char *const figure_names[] = {"components", "largest.area",  "largest.x",
                                           "largest.y",  "largest.width", "largest.height",
                                           "largest.cx", "largest.cy"};

static double figure_of(const flood *f, size_t which)
{
    const lg_component_basic *c = NULL;
    for (uint32_t i = 0; i < f->count; i++)
        if (!c || f->basic[i].area > c->area)
            c = &f->basic[i];
    if (which == 0)
        return f->count;
    if (!c)
        return 0;
    const double area = (double)c->area;
    const double all[] = {0,
                          area,
                          c->low[0],
                          c->low[1],
                          c->high[0] - c->low[0] + 1,
                          c->high[1] - c->low[1] + 1,
                          (double)c->sum[0] / area,
                          (double)c->sum[1] / area};
    return all[which];
}

// The number that a filter gets: it is added to black, times 2^-24, which is exact.
static void check_number(lg_context *context, const lg_image *mask, lg_image_params like,
                         const char *before, const char *of, size_t which, double wanted)
{
    char text[200];
    snprintf(text, sizeof text,
             "%sfill:color=0,0,0 | brightness:brightness=@#%s.%s*5.9604644775390625e-8", before, of,
             figure_names[which]);
    lg_image *in = dress(context, mask, like);
    lg_image *out = in ? device_run(context, text, in, NULL, LG_F32) : NULL;
    if (out)
        CHECK((float)(sample_get(out, 0, 0, 0, 0) * 0x1p24) == (float)wanted,
              "%s of %d x %d x %d, %d channels of %s, on %s: %.9g, wanted %.9g", text,
              mask->shape.width, mask->shape.height, mask->shape.layers, like.channels,
              lg_type_name(like.type), device_of(context), sample_get(out, 0, 0, 0, 0) * 0x1p24,
              wanted);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Figures of an image, and of what a filter has labelled in it.
static void check_figure(const lg_image *mask, lg_image_params like, int connectivity, size_t which)
{
    char before[60] = "";
    const char *of = "in";
    if (connectivity != 8) {
        snprintf(before, sizeof before, "label:connectivity=%d #l | ", connectivity);
        of = "l";
    }
    flood *f = flood_fill(mask, LG_FOREGROUND_NONZERO, 0, connectivity);
    for (int i = 0; i < 2 && f; i++)
        if (i ? pair.vulkan : pair.cpu)
            check_number(i ? pair.vulkan : pair.cpu, mask, like, before, of, which,
                         figure_of(f, which));
    flood_free(&f);
}

static void test_figures(void)
{
    static const int sizes[][3] = {{67, 31, 1}, {1, 1, 1}, {1, 23, 1}, {131, 65, 1}, {19, 13, 3}};
    static const int connectivities[] = {8, 4, 26, 6, 18, 8};
    for (int i = 0; i < test_extent(8, pair.vulkan ? 16 : 60, 600); i++) {
        const int *size = sizes[i % (int)LG_COUNT(sizes)];
        const label_content kind =
            i % 2 ? (label_content)random_below(LABEL_CONTENTS) : LABEL_NOISE;
        lg_image *mask = make_mask(size[0], size[1], size[2], kind, (int)random_below(80));
        if (mask)
            check_figure(mask, device_any_shape(1, 1), connectivities[i / 8 % 6],
                         (size_t)i % LG_COUNT(figure_names));
        lg_image_destroy(&mask);
    }
    // Nothing, everything, and two that are equally large: the first one counts.
    static const lg_image_params like = SHAPE(1, 1, 1, 1, LG_U8, LG_ALPHA_NONE);
    static const label_content kinds[] = {LABEL_NONE, LABEL_ALL, LABEL_CORNERS};
    for (size_t k = 0; k < LG_COUNT(kinds); k++)
        for (size_t which = 0; which < LG_COUNT(figure_names); which++) {
            lg_image *mask = make_mask(33, 17, 1, kinds[k], 0);
            if (mask)
                check_figure(mask, like, 8, which);
            lg_image_destroy(&mask);
        }
}

// As many components as fit, but that the last two are one, which is the largest.
static void test_most_components(void)
{
    static const int cases[][4] = {{8, 7, 5, 3}, {26, 7, 5, 3}, {4, 7, 1, 3}};
    static const lg_image_params like = SHAPE(1, 1, 1, 1, LG_U8, LG_ALPHA_NONE);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const int *size = &cases[i][1], apart = cases[i][0] == 26 ? 2 : 1;
        lg_image *mask = make_mask(size[0], size[1], size[2], LABEL_NONE, 0);
        for (int z = 0; z < size[2] && mask; z += apart)
            for (int y = 0; y < size[1]; y += 2)
                for (int x = 0; x < size[0]; x += 2)
                    sample_put(mask, x, y, z, 0, 1);
        if (mask) {
            sample_put(mask, size[0] - 2, size[1] - 1, size[2] - 1, 0, 1);
            check_figure(mask, like, cases[i][0], 1);
            check_figure(mask, like, cases[i][0], 2);
        }
        lg_image_destroy(&mask);
    }
}

// The point, in parts of the sides, against the definition; and on the device by what it does.
static void test_center(void)
{
    for (int i = 0; i < test_extent(5, 20, 200); i++) {
        lg_image *mask = make_mask(1 + (int)random_below(90), 1 + (int)random_below(50), 1,
                                   LABEL_NOISE, (int)random_below(70));
        flood *f = mask ? flood_fill(mask, LG_FOREGROUND_NONZERO, 0, 8) : NULL;
        const lg_figure figure = {.kind = LG_FIGURE_LARGEST_CENTER,
                                  .connectivity = 8,
                                  .factor = 1,
                                  .count = 2,
                                  .min = -1e6f,
                                  .max = 1e6f};
        lg_figure_task task = {.figure = &figure, .image = mask};
        const float *got = task.number;
        if (f) {
            const bool some = f->count > 0;
            const double x = some ? (figure_of(f, 6) + 0.5) / mask->shape.width : 0;
            const double y = some ? (figure_of(f, 7) + 0.5) / mask->shape.height : 0;
            CHECK(!lg_figures_measure(pair.cpu, &task, 1, 1, &error) &&
                      fabs((double)got[0] - x) <= 6e-8 * x && fabs((double)got[1] - y) <= 6e-8 * y,
                  "%d x %d: %.9g %.9g, wanted %.9g %.9g", mask->shape.width, mask->shape.height,
                  (double)got[0], (double)got[1], x, y);
        }
        flood_free(&f);
        lg_image_destroy(&mask);
    }
}

// The figure that a filter gets from the run before.
static void test_previous(lg_context *context)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node, last;
    lg_image_params shape = SHAPE(39, 1, 1, 1, LG_U8, LG_ALPHA_NONE), out_shape;
    lg_image *in[2] = {dotted(context, 20), image_zeros(context, shape)}, *out = NULL;
    static const char text[] =
        "fill:color=0,0,0 | brightness:brightness=@prev.#in.components*0.015625";
    bool good = in[0] && in[1] && !lg_graph_create(&graph, &error) &&
                !lg_graph_input(graph, "in", &node, &error) &&
                !lg_graph_parse(graph, text, node, &last, &error) &&
                !lg_graph_output(graph, last, &error) &&
                !lg_plan_create(context, graph, &shape, 1, &(lg_type){LG_F32}, &plan, &error) &&
                !lg_plan_output(plan, 0, &out_shape, &error) &&
                !lg_image_create(context, &out_shape, &out, &error);
    static const int wanted[] = {20, 20, 0, 0, 20};
    static const int given[] = {0, 1, 1, 0, 1};
    for (int i = 0; i < 5 && good; i++) {
        good = !lg_plan_run(plan, &in[given[i]], &out, &error);
        const double got = sample_get(out, 0, 0, 0, 0) * 64;
        CHECK(good && got == wanted[i], "run %d on %s: %g, wanted %d %s", i, device_of(context),
              got, wanted[i], error.message);
    }
    CHECK(good, "%s", error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    for (int i = 0; i < 2; i++)
        lg_image_destroy(&in[i]);
    lg_image_destroy(&out);
}

// Both contexts on the same foreground.
static void compare_contexts(const char *text, const lg_image *mask, lg_image_params like)
{
    lg_image *out[2] = {NULL, NULL};
    const uint64_t seed = random_u64();
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        lg_image *in = dress(i ? pair.vulkan : pair.cpu, mask, like);
        out[i] = in ? device_run(i ? pair.vulkan : pair.cpu, text, in, NULL, LG_F32) : NULL;
        lg_image_destroy(&in);
    }
    CHECK(out[0] && out[1] && samples_equal(out[0], out[1]), "%s", text);
    lg_image_destroy(&out[0]);
    lg_image_destroy(&out[1]);
}

static void test_devices(void)
{
    const lg_image_params like = SHAPE(1, 1, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *mask = make_mask(73, 49, 1, LABEL_NOISE, 40);
    if (mask) {
        compare_contexts("vignette:center=@largest.center:start=0.1:end=0.4", mask, like);
        // The radius must be known while the blur is recorded: the host measures it.
        compare_contexts("color_invert #i | box_blur:radius=@#i.components*0.1+1", mask, like);
        // The second figure needs more memory than the first.
        compare_contexts("crop:width=0.2:height=0.2 #c | #in | brightness:brightness="
                         "@#c.largest.area*0.001 | contrast:contrast=@#in.largest.area*0.001",
                         mask, like);
    }
    lg_image_destroy(&mask);
    device_one_submission(&pair,
                          "threshold:level=@otsu #b | label #l | #in | "
                          "contrast:contrast=@#b.components*0.01 | "
                          "brightness:brightness=@#l.largest.area*0.001",
                          SHAPE(57, 31, 1, 4, LG_U8, LG_ALPHA_OPAQUE));
}

int main(void)
{
    random_seed(71);
    pair.cpu = device_open_threads(2);
    pair.vulkan = device_open(NULL, NULL);
    test_labels();
    test_levels();
    test_pipelines();
    test_shapes();
    test_figures();
    test_most_components();
    test_center();
    test_limits(pair.cpu);
    test_previous(pair.cpu);
    if (pair.vulkan) {
        test_limits(pair.vulkan);
        test_previous(pair.vulkan);
        test_devices();
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("graph_label");
}
