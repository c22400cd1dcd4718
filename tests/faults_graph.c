// Graphs and plans while memory and the device fail: every filter with its defaults, pipelines with
// measured parameters, figures of components. An error and an unchanged graph, or the right pixels.
#include "check.h"
#include "device.h"
#include "fault_case.h"
#include "graph/nodes.h"

#include <stdio.h>
#include <string.h>

static lg_status graph_create(fault_world *w, lg_error *error)
{
    return lg_graph_create((lg_graph **)&w->made, error);
}

static void drop_graph(fault_world *w)
{
    lg_graph_destroy((lg_graph **)&w->made);
}

// Whatever a call adds to the graph is not there after its failure.
static lg_status unchanged(const fault_world *w, int count, lg_status status)
{
    CHECK(!status || w->graph->count == count, "a graph of %d nodes has %d after an error", count,
          w->graph->count);
    return status;
}

static lg_status graph_input(fault_world *w, lg_error *error)
{
    const int count = w->graph->count;
    return unchanged(w, count,
                     lg_graph_input(w->graph, "more", (lg_node *)(void *)w->bytes, error));
}

static lg_status graph_filter(fault_world *w, lg_error *error)
{
    const int count = w->graph->count;
    return unchanged(w, count,
                     lg_graph_filter(w->graph, "median", &w->node, 1, "named",
                                     (lg_node *)(void *)w->bytes, error));
}

static lg_status graph_parse(fault_world *w, lg_error *error)
{
    const int count = w->graph->count;
    return unchanged(w, count,
                     lg_graph_parse(w->graph,
                                    "tone_curve:red=0,0;1,1 #a | adaptive_threshold #b | "
                                    "alpha_blend:over=#a | auto_levels | median | median | median",
                                    w->node, (lg_node *)(void *)w->bytes, error));
}

static void add_filter(fault_world *w)
{
    lg_error error = {LG_OK, ""};
    CHECK(!lg_graph_parse(w->graph, w->text ? w->text : "tone_curve", w->node, &w->node, &error) &&
              !lg_graph_output(w->graph, w->node, &error),
          "%s: %s", w->text ? w->text : "", error.message);
}

static lg_status graph_set(fault_world *w, lg_error *error)
{
    return lg_graph_set(w->graph, w->node, "red", "0,0;0.5,0.7;1,1", error);
}

static lg_status filter_find(fault_world *w, lg_error *error)
{
    const lg_filter *found = NULL;
    const lg_status status = lg_filter_find("medain", &found, error);
    CHECK(status && !found, "there is no such filter");
    return status == LG_ERROR_ARGUMENT ? LG_OK : status;
}

static lg_status plan_create(fault_world *w, lg_error *error)
{
    return lg_plan_create(w->context, w->graph, &w->grey->shape, 1, NULL, (lg_plan **)&w->made,
                          error);
}

static void drop_plan(fault_world *w)
{
    lg_plan_destroy((lg_plan **)&w->made);
}

static void make_plan(fault_world *w)
{
    lg_error error = {LG_OK, ""};
    add_filter(w);
    CHECK(!lg_plan_create(w->context, w->graph, &w->color->shape, 1, NULL, &w->plan, &error),
          "%s: %s", w->text, error.message);
}

// Its output is made here, and put where figures are compared.
static lg_status plan_run(fault_world *w, lg_error *error)
{
    lg_image_params shape;
    lg_image *out = NULL;
    lg_error other = {LG_OK, ""};
    if (!w->plan)
        return LG_OK;
    CHECK(!lg_plan_output(w->plan, 0, &shape, &other), "%s", other.message);
    lg_status status = lg_image_create(w->context, &shape, &out, error);
    if (!status)
        status = lg_plan_run(w->plan, &w->color, &out, error);
    for (int y = 0; !status && y < shape.height; y++) {
        const size_t row = (size_t)shape.width * lg_pixel_size(&shape);
        if ((size_t)(y + 1) * row <= FAULT_BYTES)
            memcpy(w->bytes + (size_t)y * row,
                   (uint8_t *)out->data + (size_t)y * out->shape.row_stride, row);
    }
    lg_image_destroy(&out);
    return status;
}

static lg_status plan_explain(fault_world *w, lg_error *error)
{
    return lg_plan_explain(w->plan) ? LG_OK : lg_fail_null(error, "a text");
}

#define CASE(function, ...)                                                                        \
    {                                                                                              \
        .name = #function, .call = function, .device = true, __VA_ARGS__                           \
    }
#define PIPELINE(line)                                                                             \
    {.name = "create: " line,                                                                      \
     .call = plan_create,                                                                          \
     .drop = drop_plan,                                                                            \
     .prepare = add_filter,                                                                        \
     .text = line,                                                                                 \
     .device = true},                                                                              \
    {                                                                                              \
        .name = "run: " line, .call = plan_run, .prepare = make_plan, .text = line, .device = true \
    }

static const fault_case cases[] = {
    CASE(graph_create, .drop = drop_graph),
    CASE(graph_input),
    CASE(graph_filter),
    CASE(graph_parse),
    CASE(graph_set, .prepare = add_filter),
    CASE(filter_find),
    CASE(plan_explain, .prepare = make_plan, .text = "median | sepia"),
    PIPELINE("gaussian_blur:sigma=2 | box_blur | threshold:level=@otsu"),
    PIPELINE("median | sobel_edge_detection | brightness:brightness=@prev.mean*0.1 | median"),
    PIPELINE("histogram_equalization | auto_levels"),
    PIPELINE("threshold:level=0.5 | label | brightness:brightness=@components*0.01"),
    PIPELINE("sepia | crop:x=0.1:y=0.1:width=0.5:height=0.5 | swirl"),
    PIPELINE("gray_world | sharpen"),
};

// A filter that needs a second image takes its first for it.
static void test_filters(lg_context *vulkan)
{
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        char text[200];
        if (strcmp(f->name, "lookup") == 0) // the one that wants a picture of a certain size
            snprintf(text, sizeof text, "lookup_identity #table | #in | lookup:over=#table");
        else
            snprintf(text, sizeof text, f->inputs > 1 ? "%s:over=#in" : "%s", f->name);
        const fault_case run = {
            .name = f->name, .call = plan_run, .prepare = make_plan, .text = text, .device = true};
        const fault_case create = {.name = f->name,
                                   .call = plan_create,
                                   .drop = drop_plan,
                                   .prepare = add_filter,
                                   .text = text};
        fault_case_on_cpu(&create);
        fault_case_on_cpu(&run);
        // Stages of single kernels differ in nothing that can fail; native filters do.
        if (vulkan && f->kind == LG_FILTER_NATIVE && test_is_full())
            fault_case_on_vulkan(&run, vulkan);
    }
}

int main(int argc, char **argv)
{
    lg_context *vulkan = device_open(NULL, NULL);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (argc > 1 && !strstr(cases[i].name, argv[1]))
            continue;
        fault_case_on_cpu(&cases[i]);
        if (vulkan)
            fault_case_on_vulkan(&cases[i], vulkan);
    }
    if (argc < 2)
        test_filters(vulkan);
    lg_context_destroy(&vulkan);
    return check_finish("faults_graph");
}
