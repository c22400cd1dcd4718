// Figures that a caller reads from a plan: what parameters took and what was asked for have the
// same bits, on the CPU and on Vulkan.
#include "check.h"
#include "content.h"
#include "device.h"

#include <stdio.h>
#include <string.h>

static lg_error error;
static lg_context *contexts[2];
static int context_count;

typedef struct fixture {
    lg_graph *graph;
    lg_plan *plan;
    lg_image *in, *out;
    lg_node node, last;
} fixture;

static fixture open_graph(lg_context *context, const char *text, lg_image_params shape)
{
    fixture f = {0};
    random_seed(91);
    f.in = content_image(context, shape, CONTENT_UNIT);
    NEED(!lg_graph_create(&f.graph, &error) && !lg_graph_input(f.graph, "in", &f.node, &error) &&
             !lg_graph_parse(f.graph, text, f.node, &f.last, &error) &&
             !lg_graph_output(f.graph, f.last, &error),
         "%s: %s", text, error.message);
    return f;
}

static void compile(fixture *f, lg_context *context)
{
    lg_image_params shape;
    NEED(!lg_plan_create(context, f->graph, &f->in->shape, 1, NULL, &f->plan, &error) &&
             !lg_plan_output(f->plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &f->out, &error),
         "%s", error.message);
}

static void run(const fixture *f)
{
    NEED(!lg_plan_run(f->plan, &f->in, &f->out, &error), "%s", error.message);
}

static void close_graph(fixture *f)
{
    lg_plan_destroy(&f->plan);
    lg_graph_destroy(&f->graph);
    lg_image_destroy(&f->in);
    lg_image_destroy(&f->out);
}

static size_t read_figures(const fixture *f, lg_figure_value *out, size_t capacity)
{
    size_t count = 0;
    NEED(!lg_plan_figures(f->plan, out, capacity, &count, &error), "%s", error.message);
    return count;
}

// ---- values -------------------------------------------------------------------------------------

// A figure that sets an unbounded number, and the same one asked for, with what follows it.
static void compare(const char *figure, lg_image_params shape)
{
    char text[300], line[100];
    lg_figure_value v[2][3];
    const bool components = strstr(figure, "largest") || strstr(figure, "components");
    const char *behind = components ? "*0.5" : "*0.5+0.25";
    snprintf(line, sizeof line, "%s%s", figure, behind);
    for (int i = 0; i < context_count; i++) {
        snprintf(text, sizeof text,
                 "box_blur:radius=1 | luminance_threshold:threshold=0.4 #c | "
                 "color_matrix | brightness | hue:hue=@#c.%s",
                 line);
        fixture f = open_graph(contexts[i], text, shape);
        NEED(!lg_graph_figure(f.graph, lg_graph_find(f.graph, "c"), line, "mine", &error), "%s",
             error.message);
        compile(&f, contexts[i]);
        for (int k = 0; k < 2; k++) {
            run(&f);
            const size_t count = read_figures(&f, v[i], 3);
            CHECK(count == 2 && v[i][0].filter && strcmp(v[i][0].filter, "hue") == 0 &&
                      strcmp(v[i][0].name, "hue") == 0 && v[i][0].node == f.last &&
                      !v[i][1].filter && strcmp(v[i][1].name, "mine") == 0,
                  "%s: %zu figures", line, count);
            CHECK(v[i][0].count == 1 && v[i][1].count == 1 &&
                      memcmp(v[i][0].value, v[i][1].value, sizeof v[i][0].value) == 0,
                  "%s of %s on context %d: %.9g taken, %.9g read", line, lg_type_name(shape.type),
                  i, (double)v[i][0].value[0], (double)v[i][1].value[0]);
        }
        CHECK(memcmp(v[0][1].value, v[i][1].value, sizeof v[0][1].value) == 0,
              "%s of %s: %.9g on the CPU, %.9g on Vulkan", line, lg_type_name(shape.type),
              (double)v[0][1].value[0], (double)v[i][1].value[0]);
        close_graph(&f);
    }
}

static void test_values(void)
{
    static const char *const figures[] = {"mean",   "g.max",      "luma.stddev",  "p30",
                                          "r.otsu", "components", "largest.area", "pick"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        for (int t = 0; t < (test_is_short() ? 1 : 2); t++)
            compare(figures[i],
                    SHAPE(33, 14, 1 + (int)i % 2, 4, t ? LG_F32 : LG_U8, LG_ALPHA_STRAIGHT));
}

// Of a picture that is known: bytes of 51 are 0.2, alpha of 102 is 0.4.
static void test_known(lg_context *context)
{
    fixture f =
        open_graph(context, "contrast:contrast=@max", SHAPE(5, 4, 1, 4, LG_U8, LG_ALPHA_STRAIGHT));
    lg_figure_value v[6];
    for (int y = 0; y < 4; y++)
        for (int i = 0; i < 20; i++)
            ((uint8_t *)f.in->data)[(size_t)y * f.in->shape.row_stride + (size_t)i] =
                i % 4 == 3 ? 102 : 51;
    NEED(!lg_graph_figure(f.graph, f.node, "@rgb.mean", NULL, &error) &&
             !lg_graph_figure(f.graph, f.last, "#in.a.max", NULL, &error) &&
             !lg_graph_figure(f.graph, f.node, "components", "count", &error) &&
             !lg_graph_figure(f.graph, f.node, "largest.center", "center", &error),
         "%s", error.message);
    compile(&f, context);
    size_t count = 0;
    CHECK(lg_plan_figures(f.plan, v, 6, &count, &error) == LG_ERROR_ARGUMENT && count == 0 &&
              strstr(error.message, "not run"),
          "before the first run: %s", error.message);
    run(&f);
    CHECK(read_figures(&f, NULL, 0) == 5, "their number alone");
    v[2].name = NULL;
    CHECK(read_figures(&f, v, 2) == 5 && !v[2].name, "no more than there is room for");
    CHECK(read_figures(&f, v, 6) == 5, "five figures");
    CHECK(v[0].value[0] == 0.2f && v[0].count == 1, "max %g", (double)v[0].value[0]);
    CHECK(v[1].count == 4 && v[1].value[0] == 0.2f && v[1].value[2] == 0.2f &&
              v[1].value[3] == 0.4f && strcmp(v[1].name, "rgb.mean") == 0,
          "a colour: %g %g", (double)v[1].value[0], (double)v[1].value[3]);
    CHECK(v[2].count == 1 && v[2].value[0] == 0.4f && v[2].value[1] == 0 && v[2].node == f.node,
          "alpha %g", (double)v[2].value[0]);
    CHECK(v[3].value[0] == 1, "%g components", (double)v[3].value[0]);
    CHECK(v[4].count == 2 && v[4].value[0] == 0.5f && v[4].value[1] == 0.5f, "center %g, %g",
          (double)v[4].value[0], (double)v[4].value[1]);
    f.in->shape.width = 4; // a run that fails
    CHECK(lg_plan_run(f.plan, &f.in, &f.out, &error) == LG_ERROR_ARGUMENT, "a wrong shape");
    f.in->shape.width = 5;
    CHECK(read_figures(&f, v, 6) == 5, "a refused run leaves the figures of the last one");
    close_graph(&f);
}

// ---- several at once ----------------------------------------------------------------------------

#define MOST_FIGURES 20

// The figures of `text` after two runs: those that its parameters took, then those that are asked for.
static size_t measure(lg_context *context, const char *text, const char *const *asked, int count,
                      lg_figure_value *out)
{
    fixture f = open_graph(context, text, SHAPE(37, 12, 2, 4, LG_U8, LG_ALPHA_STRAIGHT));
    for (int i = 0; i < count; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        NEED(!lg_graph_figure(f.graph, f.last, asked[i], name, &error), "%s", error.message);
    }
    compile(&f, context);
    run(&f);
    run(&f);
    const size_t taken = read_figures(&f, out, 2 * MOST_FIGURES);
    close_graph(&f);
    return taken;
}

static void append_filter(char *text, const char *figure)
{
    strcat(strcat(text, " | hue:hue=@"), figure);
}

// Figures that are measured together, in any order and for several stages, are those that are measured one
// by one.
static void test_together(const char *const *figures, int count)
{
    static const char begin[] = "box_blur:radius=1 #c | color_matrix | brightness";
    float known[MOST_FIGURES]; // on the CPU
    for (int c = 0; c < context_count; c++) {
        lg_figure_value all[2 * MOST_FIGURES], one[2 * MOST_FIGURES];
        char text[1000] = "";
        strcpy(text, begin);
        for (int i = 0; i < count; i++) {
            append_filter(text, figures[i]);
            strcat(text, i % 5 == 4 ? " | box_blur:radius=1" : "");
        }
        CHECK(measure(contexts[c], text, figures, count, all) == 2 * (size_t)count, "%s", text);
        for (int i = 0; i < count; i++) {
            strcpy(text, begin);
            append_filter(text, figures[i]);
            CHECK(measure(contexts[c], text, NULL, 0, one) == 1, "%s", text);
            known[i] = c ? known[i] : one[0].value[0];
            CHECK(one[0].value[0] == known[i] && one[0].value[0] == all[i].value[0] &&
                      one[0].value[0] == all[count + i].value[0],
                  "%s on context %d: %.9g alone, %.9g taken and %.9g read with others", figures[i],
                  c, (double)one[0].value[0], (double)all[i].value[0],
                  (double)all[count + i].value[0]);
        }
    }
}

static void test_groups(void)
{
    // All of them stay on a device; the last four do not.
    static const char *const figures[] = {
        "#in.mean*0.5",  "#c.mean+0.1", "#in.largest.x",  "#in.p30",        "#c.largest.area*0.01",
        "#in.luma.otsu", "#c.max",      "#in.components", "#c.luma.stddev", "#in.median",
        "#c.components", "#in.pick",    "#in.luma.mean",  "#in.g.max",      "#c.variance",
        "#in.a.mean",    "#c.p30",      "#c.luma.median", "#c.luma.p90*2",  "#c.g.otsu"};
    const int count = (int)(sizeof figures / sizeof *figures);
    test_together(figures, count - 4);
    test_together(figures, count);
}

// ---- what is refused ----------------------------------------------------------------------------

static void expect(const fixture *f, lg_node node, const char *figure, const char *name,
                   const char *part)
{
    error.message[0] = '\0';
    const lg_status status = lg_graph_figure(f->graph, node, figure, name, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, part), "%s: %d '%s' lacks '%s'",
          figure ? figure : "nothing", (int)status, error.message, part);
}

static void test_refusals(void)
{
    fixture f = open_graph(contexts[0], "contrast", SHAPE(3, 3, 1, 1, LG_U8, LG_ALPHA_NONE));
    expect(&f, f.node, "men", NULL, "did you mean @mean");
    expect(&f, f.node, "cdf", NULL, "curve");
    expect(&f, f.node, "prev.mean", NULL, "leave out prev");
    expect(&f, f.node, "#nobody.mean", NULL, "#nobody");
    expect(&f, f.node, "mean", "two words", "no name of a figure");
    expect(&f, f.node, "mean", "", "no name of a figure");
    expect(&f, f.node, NULL, "a", "NULL");
    expect(&f, 7, "mean", "a", "not in this graph");
    lg_status status = lg_graph_figure(f.graph, f.node, "mean", "a", &error);
    CHECK(!status, "%s", error.message);
    expect(&f, f.node, "max", "a", "two figures");
    for (int i = 1; i < LG_MAX_GRAPH_FIGURES && !status; i++) {
        char name[20];
        snprintf(name, sizeof name, "a%d", i);
        status = lg_graph_figure(f.graph, f.node, "min", name, &error);
    }
    CHECK(!status, "%s", error.message);
    CHECK(lg_graph_figure(f.graph, f.node, "min", "z", &error) == LG_ERROR_LIMIT, "one too many");
    close_graph(&f);
}

int main(void)
{
    contexts[context_count] = device_open_cpu();
    NEED(contexts[0], "a context");
    context_count++;
    contexts[context_count] = device_open(NULL, NULL);
    context_count += contexts[1] != NULL;
    test_refusals();
    for (int i = 0; i < context_count; i++)
        test_known(contexts[i]);
    test_values();
    test_groups();
    device_close(&contexts[1]);
    lg_context_destroy(&contexts[0]);
    return check_finish("plan_figures");
}
