// Filters of one file each: their worked examples on every CPU level, parameters that change nothing,
// and the same bits on all levels.
#include "filtering.h"
#include "kernel.h"
#include "samples.h"

#include "filter/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"

#define TOLERANCE 2e-5 // of a worked example, per component

static const int widths[] = {1, 3, 16, 17, 31, 513};

static bool has_kernel(const lg_filter *f)
{
    return f->kind != LG_FILTER_NATIVE && f->kind != LG_FILTER_PIPELINE;
}

static void name_pipeline(const lg_filter *f, const lg_filter_example *e, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", f->name, e->params[0] ? ":" : "", e->params);
}

// ---- the catalogue ------------------------------------------------------------------------------

static void check_param(const lg_filter *f, const lg_filter_param *p)
{
    CHECK(p->name[0] && p->help && p->help[0], "%s: %s has no help", f->name, p->name);
    if (p->kind == LG_PARAM_NUMBER || p->kind == LG_PARAM_INTEGER || p->kind == LG_PARAM_COLOR)
        for (int i = 0; i < p->size; i++)
            CHECK(p->value[i] >= p->min && p->value[i] <= p->max,
                  "%s: the default of %s is out of its range", f->name, p->name);
    if (p->kind == LG_PARAM_ALIAS) {
        const lg_filter_param *of = NULL;
        CHECK(!lg_filter_find_param(f, p->name, &of, NULL) && of && strcmp(of->name, p->unit) == 0,
              "%s: %s is another name of nothing", f->name, p->name);
    }
}

static void test_catalogue(void)
{
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        CHECK(f->summary && f->summary[0] && f->formula && f->formula[0] && f->source &&
                  f->source[0],
              "%s: a summary, a formula and a source are wanted", f->name);
        if (has_kernel(f))
            CHECK(f->example_count >= 2, "%s has %d worked examples; 2 are wanted", f->name,
                  f->example_count);
        for (int k = 0; k < f->param_count; k++)
            check_param(f, &f->params[k]);
    }
}

// ---- worked examples ----------------------------------------------------------------------------

// A side in which the centre of pixel *at lies at the fraction `x`; wide ones come first.
static int side_for(float x, int max, int *at)
{
    for (int side = max; side > 0; side--) {
        const double i = (double)x * side - 0.5;
        if (fabs(i - rint(i)) < 1e-5 && i > -0.5 && i < side) {
            *at = (int)rint(i);
            return side;
        }
    }
    return 0;
}

// The colour of a pixel; that of a grey one is opaque.
static void read_color(const lg_image *image, int x, int y, float out[4])
{
    const char *row = (const char *)image->data + (size_t)y * image->shape.row_stride;
    const float *p = (const float *)(const void *)row + (size_t)x * (size_t)image->shape.channels;
    for (int k = 0; k < 4; k++)
        out[k] = image->shape.channels == 4 ? p[k] : k < 3 ? p[0] : 1;
}

static bool matches(const float *p, const lg_filter_example *e)
{
    bool same = true;
    for (int k = 0; k < 4; k++)
        same &= fabs((double)p[k] - (double)e->out[k]) <= TOLERANCE;
    return same;
}

// Pixel `x` of row `y`, or all of the row with x < 0.
static void compare_row(const lg_image *out, int x, int y, const lg_filter_example *e,
                        const char *pipeline, const lg_context *c)
{
    int wrong = -1;
    float p[4];
    for (int i = x < 0 ? 0 : x; i < (x < 0 ? out->shape.width : x + 1) && wrong < 0; i++) {
        read_color(out, i, y, p);
        wrong = matches(p, e) ? -1 : i;
    }
    read_color(out, wrong < 0 ? 0 : wrong, y, p);
    CHECK(wrong < 0, "%s, %s, pixel %d of %d: %.7g %.7g %.7g %.7g, by hand %.7g %.7g %.7g %.7g",
          pipeline, lg_cpu_level_name(c->cpu_level), wrong, out->shape.width, (double)p[0],
          (double)p[1], (double)p[2], (double)p[3], (double)e->out[0], (double)e->out[1],
          (double)e->out[2], (double)e->out[3]);
}

// Images of one colour; only_x >= 0: the column that counts, else all do.
static void run_example(lg_context *c, const lg_filter *f, const lg_filter_example *e, int width,
                        int height, int only_x, int only_y)
{
    char pipeline[1024];
    name_pipeline(f, e, pipeline, sizeof pipeline);
    // A table is a volume: here of 2 x 2 x 2 entries.
    const bool table = f->kind == LG_FILTER_POINT && f->inputs == 2;
    lg_image *in[2] = {filtering_image(c, width, height, 1),
                       table ? filtering_image(c, 2, 2, 2) : filtering_image(c, width, height, 1)};
    filtering_fill(in[0], e->in);
    filtering_fill(in[1], e->over);
    lg_image *out = filtering_run(c, pipeline, in, f->inputs == 2 ? 2 : 1);
    if (out)
        compare_row(out, only_x, only_y < 0 ? out->shape.height - 1 : only_y, e, pipeline, c);
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
    lg_image_destroy(&out);
}

// The nine pixels around one column, noise elsewhere.
static void run_window(lg_context *c, const lg_filter *f, const lg_filter_example *e, int width,
                       int column)
{
    char pipeline[1024];
    name_pipeline(f, e, pipeline, sizeof pipeline);
    lg_image *in = filtering_image(c, width, 3, 1);
    filtering_noise(in);
    for (int i = 0; i < 9; i++) {
        float *p = filtering_pixel(in, column + i % 3 - 1, i / 3, 0);
        p[0] = p[1] = p[2] = e->window[i];
        p[3] = 1;
    }
    lg_image *out = filtering_run(c, pipeline, &in, 1);
    if (out)
        compare_row(out, column, 1, e, pipeline, c);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void run_all_examples(lg_context *c, const lg_filter *f)
{
    for (int i = 0; i < f->example_count; i++) {
        const lg_filter_example *e = &f->examples[i];
        if (f->kind == LG_FILTER_WINDOW) {
            static const int places[][2] = {{3, 1},     {17, 15},   {31, 16},
                                            {513, 510}, {514, 512}, {530, 528}};
            for (size_t k = 0; k < LG_COUNT(places); k++)
                run_window(c, f, e, places[k][0], places[k][1]);
        } else if (e->x != 0 || e->y != 0) {
            int x, y;
            const int width = side_for(e->x, 513, &x), height = side_for(e->y, 513, &y);
            CHECK(width && height, "%s: no pixel lies at %g, %g", f->name, (double)e->x,
                  (double)e->y);
            if (width && height)
                run_example(c, f, e, width, height, x, y);
        } else {
            for (size_t k = 0; k < LG_COUNT(widths); k++)
                run_example(c, f, e, widths[k], 2, -1, -1);
        }
    }
}

static void test_examples(void)
{
    for (lg_cpu_level level = LG_CPU_BASE; level < LG_CPU_LEVELS; level++) {
        lg_context *c = device_open_level(level, 2);
        for (size_t i = 0; c && i < lg_filter_count(); i++)
            if (has_kernel(lg_filter_at(i)))
                run_all_examples(c, lg_filter_at(i));
        lg_context_destroy(&c);
    }
}

// ---- all levels ---------------------------------------------------------------------------------

// With the parameters of an example, on colours far outside 0..1 as well.
static void try_levels(const kernel_case *k, const char *params)
{
    kernel_try(k, params, SHAPE(531, 7, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), CONTENT_UNIT);
}

static void test_levels(void)
{
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const kernel_case k = {.filter = f->name, .draw = filtering_extremes};
        if (!has_kernel(f))
            continue;
        try_levels(&k, "");
        for (int e = 0; e < f->example_count && !test_is_short(); e++)
            try_levels(&k, f->examples[e].params);
        const lg_filter_param *step = lg_filter_step_param(f, 0);
        if (step && step->kind == LG_PARAM_INTEGER)
            try_levels(&k, "sharpness=1:offset=7:border=wrap");
        else if (step) {
            try_levels(&k, "texel_width=5:texel_height=3:border=mirror");
            try_levels(&k, "texel_width=2.6:texel_height=0.3:border=constant");
        }
    }
}

// ---- parameters that change nothing -------------------------------------------------------------

// On colours in 0..1. `bound` 0: not a bit changes.
static const struct {
    const char *pipeline;
    double bound;
} neutral[] = {
    {"brightness:brightness=0", 0},
    {"exposure:exposure=0", 0},
    {"contrast:contrast=1", 1e-7}, // (c - 0.5) + 0.5 rounds
    {"saturation:saturation=1", 0},
    {"gamma:gamma=1", 0},
    {"levels", 0},
    {"color_matrix", 0},
    {"color_matrix:matrix=0,1,0,0,0,0,1,0,1,0,0,0,0,0,0,1:intensity=0", 0},
    {"rgb", 0},
    {"hue:hue=0", 0},
    {"hue:hue=360", 0},
    {"vibrance:vibrance=0", 0},
    {"white_balance", 0},
    {"tone_curve", 0},
    {"tone_curve:composite=0,0;1,1", 0},
    {"highlight_shadow", 0},
    {"highlight_shadow_tint", 0},
    {"skin_tone", 0},
    {"color_invert | color_invert", 1e-7}, // 1 - c rounds
    {"monochrome:intensity=0", 0},
    {"haze:distance=0", 0},
    {"sepia:intensity=0", 0},
    {"opacity:opacity=1", 0},
    {"luminance_range:range_reduction_factor=0", 0},
    {"hsb", 0},
    {"neutral_balance:neutral=0.3", 0},
    {"amatorka:intensity=0", 0},
    {"miss_etikate:intensity=0", 0},
    {"vignette:start=1.5:end=2", 0},
    {"posterize:color_levels=256", 0.5 / 256},
};

static void test_neutral(void)
{
    lg_context *c = device_open_level(LG_CPU_BEST, 2);
    lg_image *in = filtering_image(c, 531, 9, 1);
    filtering_noise(in);
    for (size_t i = 0; i < LG_COUNT(neutral); i++) {
        lg_image *out = filtering_run(c, neutral[i].pipeline, &in, 1);
        int x = 0, y = 0;
        if (!out)
            continue;
        if (neutral[i].bound > 0) {
            const double worst = filtering_distance(in, out, &x, &y);
            CHECK(worst <= neutral[i].bound, "%s: pixel %d,%d is %g off", neutral[i].pipeline, x, y,
                  worst);
        } else {
            char first[160];
            const size_t different = samples_differ(out, in, first);
            CHECK(!different, "%s: %zu samples change, the first at %s", neutral[i].pipeline,
                  different, first);
        }
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
    lg_context_destroy(&c);
}

// Parses a pipeline of one filter and says whether it is known to do nothing.
static bool is_idle(const char *pipeline)
{
    lg_graph *graph = NULL;
    lg_node in = -1, last = -1;
    lg_error error = {0};
    bool idle = false;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, pipeline, in, &last, &error) &&
             !lg_graph_node_filter(graph, in, &idle),
         "%s: %s", pipeline, error.message);
    lg_graph_node_filter(graph, last, &idle);
    lg_graph_destroy(&graph);
    return idle;
}

// Whether a filter that is known to do nothing has settings of that parameter among them.
static bool is_set(const char *settings, const char *name)
{
    const size_t length = strlen(name);
    const char *at = strstr(settings, name);
    while (at && ((at > settings && at[-1] != ':') || at[length] != '='))
        at = strstr(at + 1, name);
    return at != NULL;
}

// Value `turn` of a parameter; false where there is none.
static bool write_value(const lg_filter_param *p, int turn, char *out, size_t size)
{
    const double least = (double)p->min, most = fmin((double)p->max, least + 40);
    const double numbers[] = {least, most, floor((least + most) / 2)};
    const char *word = p->choices;
    for (int i = 0; word && i < turn; i++) {
        word = strchr(word, '|');
        word = word ? word + 1 : NULL;
    }
    if (p->kind == LG_PARAM_CHOICE && word)
        return snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word) > 0;
    if (p->kind == LG_PARAM_FLAG && turn < 2)
        return snprintf(out, size, "%d", turn) > 0;
    if ((p->kind == LG_PARAM_NUMBER || p->kind == LG_PARAM_INTEGER) && turn < 3)
        return snprintf(out, size, "%g", numbers[turn]) > 0;
    return false;
}

static bool leaves_alone(lg_context *c, const char *pipeline, lg_image *in)
{
    lg_image *out = filtering_run(c, pipeline, &in, 1);
    const bool same = out && out->shape.width == in->shape.width &&
                      out->shape.height == in->shape.height &&
                      out->shape.channels == in->shape.channels &&
                      out->shape.layers == in->shape.layers && samples_equal(out, in);
    lg_image_destroy(&out);
    return same;
}

// A filter that is known to do nothing does nothing whatever its other parameters are.
static void test_idle_beside(lg_context *c, const lg_filter *f, lg_image *in)
{
    for (int i = 0; i < f->param_count; i++) {
        char value[64], pipeline[512];
        for (int turn = 0; !is_set(f->neutral, f->params[i].name) &&
                           write_value(&f->params[i], turn, value, sizeof value);
             turn++) {
            lg_image *out = NULL;
            snprintf(pipeline, sizeof pipeline, "%s:%s:%s=%s", f->name, f->neutral,
                     f->params[i].name, value);
            const bool refused = filtering_try(c, pipeline, &in, 1, &out, NULL) != LG_OK;
            lg_image_destroy(&out);
            if (!refused && is_idle(pipeline))
                CHECK(leaves_alone(c, pipeline, in), "%s is called neutral", pipeline);
        }
    }
}

// What is called neutral is neutral, and defaults that are neutral are called so.
static void test_idle(void)
{
    lg_context *c = device_open_level(LG_CPU_BEST, 2);
    lg_image *in = filtering_image(c, 61, 9, 1);
    filtering_noise(in);
    int idle = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        if (f->neutral && f->inputs == 1)
            test_idle_beside(c, f, in);
        if (f->inputs != 1 || f->kind == LG_FILTER_PIPELINE || strcmp(f->name, "project") == 0 ||
            strcmp(f->name, "layer_gaussian") == 0)
            continue; // they leave one layer alone, and change several
        const bool same = leaves_alone(c, f->name, in);
        CHECK(is_idle(f->name) == same, "%s with its defaults %s", f->name,
              same ? "changes nothing, and has no .neutral"
                   : "changes pixels in spite of .neutral");
        idle += same;
        char pipeline[512];
        snprintf(pipeline, sizeof pipeline, "%s:%s", f->name, f->neutral ? f->neutral : "");
        if (f->neutral) {
            CHECK(leaves_alone(c, pipeline, in), "%s changes pixels", pipeline);
            CHECK(is_idle(pipeline), "%s is not called neutral", pipeline);
        }
    }
    CHECK(idle >= 19, "%d filters have neutral defaults", idle);
    CHECK(!is_idle("contrast:contrast=1.5") && !is_idle("contrast:contrast=@mean") &&
              !is_idle("auto_levels") && !is_idle("tone_curve:red='0,0;1,0.9'") &&
              is_idle("contrast:contrast=1.5 | contrast"),
          "what is called neutral");
    lg_image_destroy(&in);
    lg_context_destroy(&c);
}

// ---- blends that are not there ------------------------------------------------------------------

static void test_opacity(void)
{
    lg_context *c = device_open_level(LG_CPU_BEST, 2);
    lg_image *in[2] = {filtering_image(c, 531, 9, 1), filtering_image(c, 531, 9, 1)};
    filtering_extremes(in[0]);
    filtering_extremes(in[1]);
    int blends = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const lg_filter_param *param;
        char pipeline[128], first[160] = "";
        if (f->kind != LG_FILTER_BLEND || lg_filter_find_param(f, "opacity", &param, NULL))
            continue;
        blends++;
        snprintf(pipeline, sizeof pipeline, "%s:opacity=0", f->name);
        lg_image *out = filtering_run(c, pipeline, in, 2);
        const size_t different = out ? samples_differ(out, in[0], first) : 0;
        CHECK(!different, "%s: %zu samples change, the first at %s", pipeline, different, first);
        lg_image_destroy(&out);
    }
    CHECK(blends >= 23, "%d blends have an opacity", blends);
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
    lg_context_destroy(&c);
}

static void test_more(void)
{
    test_catalogue();
    test_examples();
    test_levels();
    test_neutral();
    test_idle();
    test_opacity();
}

// Point, blend, warp, window and generator filters, on images of any kind.
int main(void)
{
    size_t count = 0;
    kernel_case *cases = calloc(lg_filter_count(), sizeof *cases);
    NEED(cases, "memory");
    for (size_t i = 0; i < lg_filter_count(); i++)
        if (has_kernel(lg_filter_at(i)))
            cases[count++] =
                (kernel_case){.filter = lg_filter_at(i)->name, .params = "", .share = 48};
    const int status = kernel_main("filters", cases, count, test_more);
    free(cases);
    return status;
}
