// lumagraph: graphs of filters and measurements, and the plans that run them.
//
// A graph is built from inputs and filters, compiled to a plan for a context and the shapes of the
// inputs, and the plan runs any number of times. Colours are float32 r, g, b, a inside a graph, straight
// (not premultiplied), 0..1 for integer samples; they are rounded where an output is stored, nowhere
// else.
#ifndef LUMAGRAPH_GRAPH_H
#define LUMAGRAPH_GRAPH_H

#include <lumagraph/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LG_MAX_NODES  4096
#define LG_MAX_INPUTS 16 // images that enter or leave a graph

// Thread-safety: a graph is used by one thread at a time; a plan belongs to its context's thread.
typedef struct lg_graph lg_graph;
typedef struct lg_plan lg_plan;
typedef int32_t lg_node; // of one graph

LG_API lg_status lg_graph_create(lg_graph **out, lg_error *error);
LG_API void lg_graph_destroy(lg_graph **graph);

// Adds an image that enters the graph; inputs are counted in the order of these calls. `name` is a
// word of letters, digits, _ and -.
LG_API lg_status lg_graph_input(lg_graph *graph, const char *name, lg_node *out, lg_error *error);

// Adds a filter. `inputs` are nodes of this graph, as many as the filter has images; a look such as amatorka
// may have a second one, the table that takes the place of its own. `name` may be NULL.
LG_API lg_status lg_graph_filter(lg_graph *graph, const char *filter, const lg_node *inputs,
                                 int count, const char *name, lg_node *out, lg_error *error);

// Sets a parameter from text: numbers with commas between them, yes or no, a choice, a colour, or a
// measured value `@figure`:
//   @[prev.][#NODE.][CHANNEL.]FIGURE[*FACTOR][+OFFSET]
//   FIGURE   a name of lg_graph_figure_at, such as mean, max, otsu, largest.area; p99 or another percentile
//   CHANNEL  r g b a luma, or red green blue alpha luminance; without one, or with rgb, luma for a
//            number, and each channel its own for a colour or a curve
//   NODE     whose image is measured; without one the filter's first input
//   prev     of the previous run of the plan; the first run takes its own
// Figures are in the units of colours: 0..1 for integer samples; those of components, which have no
// CHANNEL, are counts and pixels. docs/definitions.md, section Graphs.
LG_API lg_status lg_graph_set(lg_graph *graph, lg_node node, const char *param, const char *value,
                              lg_error *error);

#define LG_MAX_GRAPH_FIGURES 64 // that the caller asks for

// Adds a figure of the image of `node`, which lg_plan_figures reads after each run. `figure` is
// written as for lg_graph_set, with or without the @ in front: "mean", "r.p99", "#NODE.luma.max".
// Without a channel it is one number, of luma; "rgb.mean" is four numbers, r, g, b and a;
// "largest.center" is two. `name` is the caller's word for it: letters, digits, _, - and dots, at
// most 60; NULL: the text of the figure. Errors: LG_ERROR_ARGUMENT (node, figure, a curve such as
// cdf, a figure of the previous run, a name that is taken), LG_ERROR_LIMIT (LG_MAX_GRAPH_FIGURES).
LG_API lg_status lg_graph_figure(lg_graph *graph, lg_node node, const char *figure,
                                 const char *name, lg_error *error);

// A figure that a parameter may be measured by.
typedef struct lg_figure_info {
    const char *name; // mean; pN, where N stands for a number of 0..100
    const char *help; // a line
    int numbers;      // 1: of an image, or of each channel its own; 2: a point; 0: a curve
} lg_figure_info;

// NULL behind the last.
LG_API const lg_figure_info *lg_graph_figure_at(size_t index);

// Marks a node as an image that leaves the graph; outputs are counted in the order of these calls.
LG_API lg_status lg_graph_output(lg_graph *graph, lg_node node, lg_error *error);

// Adds the filters of a pipeline text behind `from`:
//   FILTER[:PARAM=VALUE]... [#NAME] | FILTER ...
// A two-image filter takes the current image as its first, and `over=#NAME`, by default the graph's
// second input, as the other. `#NAME` behind a filter names its image, alone it goes on from that
// image. *out is the last node. Errors say at which character, and leave the graph as it was.
LG_API lg_status lg_graph_parse(lg_graph *graph, const char *pipeline, lg_node from, lg_node *out,
                                lg_error *error);

// The node of a name, -1 when there is none.
LG_API lg_node lg_graph_find(const lg_graph *graph, const char *name);

// How many images enter and leave a graph, and their names: NULL where there is none, and behind
// the last. A name is valid until the graph is changed or destroyed.
LG_API size_t lg_graph_input_count(const lg_graph *graph);
LG_API size_t lg_graph_output_count(const lg_graph *graph);
LG_API const char *lg_graph_input_name(const lg_graph *graph, size_t index);
LG_API const char *lg_graph_output_name(const lg_graph *graph, size_t index);

// The filter of a node, with `idle` whether it leaves every image as it is with the
// parameters that it has (lg_filter.neutral): a chain that does nothing is often a
// parameter that was forgotten. NULL for inputs, for what a pipeline such as auto_levels
// was unfolded to, and behind the last node.
LG_API const lg_filter *lg_graph_node_filter(const lg_graph *graph, lg_node node, bool *idle);

// True when a filter takes the layers of an image as the slices of a volume (`label` with
// connectivity 6, 18 or 26).
LG_API bool lg_graph_takes_volumes(const lg_graph *graph);

// Compiles a graph for inputs of these shapes (strides are ignored). The graph may be destroyed
// afterwards. `types` has the sample type of every output, or is NULL: as the first input, behind
// `label` that of the labels.
LG_API lg_status lg_plan_create(lg_context *context, const lg_graph *graph,
                                const lg_image_params *shapes, size_t count, const lg_type *types,
                                lg_plan **out, lg_error *error);
LG_API void lg_plan_destroy(lg_plan **plan);

// The shape of an output of the plan; LG_ERROR_ARGUMENT behind the last one.
LG_API lg_status lg_plan_output(const lg_plan *plan, size_t index, lg_image_params *out,
                                lg_error *error);

// Changes a parameter of a compiled plan; the next runs give the same pixels as a new plan with this
// value. lg_plan_set takes a number: of a flag 0 or 1, of a choice its place in `choices`, 0 for the
// first. lg_plan_set_text reads what lg_graph_set reads: numbers, colours, points, choices. On
// Vulkan a flag or choice may compile its stage's kernel again. An error leaves the plan as it was:
// LG_ERROR_ARGUMENT (node, parameter, range, values that do not go together) as compiling gives it;
// LG_ERROR_UNSUPPORTED where it takes a new plan: a value that changes the size or type of a result,
// a word that is a filter of its own, a parameter that is measured or would be (`@`), a text, a
// table, what the device cannot do; LG_ERROR_MEMORY, LG_ERROR_DEVICE. Nodes of a pipeline such as
// auto_levels are set one by one.
LG_API lg_status lg_plan_set(lg_plan *plan, lg_node node, const char *param, double value,
                             lg_error *error);
LG_API lg_status lg_plan_set_text(lg_plan *plan, lg_node node, const char *param, const char *value,
                                  lg_error *error);

// Runs the plan on images of the shapes it was made for. Outputs are written on the host and, where
// they have a device copy, there. Errors: LG_ERROR_ARGUMENT (shapes; an output that is an input or
// another output, or shares memory of pixels with one): nothing is written. LG_ERROR_LIMIT (more
// components than labels of the type count), LG_ERROR_MEMORY, LG_ERROR_DEVICE (a Vulkan device was
// lost that had the only pixels of an input or output, or the figures of the previous run; in the
// latter case the next run begins anew): these are known while stages run, and the pixels of all
// outputs are undefined then. What else a device does no longer the CPU does from then on.
LG_API lg_status lg_plan_run(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                             lg_error *error);

// A figure that a run computed, in the units of colours: 0..1 for integer samples. Figures of
// components are counts and pixels.
typedef struct lg_figure_value {
    lg_node node;       // the filter whose parameter took it; else the node that it is a figure of
    const char *filter; // name of that filter; NULL for a figure of lg_graph_figure
    const char *name;   // of the parameter, or of the figure; valid until the plan is destroyed
    int32_t count;      // numbers: 1, 2 (a point: x, y) or 4 (a colour: r, g, b, a)
    float value[4];     // the rest is 0
} lg_figure_value;

// The figures that the last run computed: first those that parameters took, in the order of the
// nodes, then those of lg_graph_figure in the order of these calls. What a parameter took has its
// factor and offset applied and is held in the parameter's range; with `prev` it is of the run
// before. Both have the same bits on the CPU and on Vulkan. Measured curves are not listed. Writes
// at most `capacity` entries; *count is how many there are. On Vulkan this waits for a copy.
// Errors: LG_ERROR_ARGUMENT (no run yet, or the last one failed), LG_ERROR_DEVICE (the device was
// lost after the run), LG_ERROR_MEMORY.
LG_API lg_status lg_plan_figures(lg_plan *plan, lg_figure_value *out, size_t capacity,
                                 size_t *count, lg_error *error);

// One line per stage: what it reads, does and writes. Valid until the plan is destroyed.
LG_API const char *lg_plan_explain(lg_plan *plan);

typedef struct lg_stage_profile {
    const char *name; // valid until the plan is destroyed
    double seconds;   // of the last run
    double bytes;     // read and written, at least
} lg_stage_profile;

// Stages of the last run; returns how many there are and writes at most `capacity`. On Vulkan the
// seconds are the device's.
LG_API size_t lg_plan_profile(const lg_plan *plan, lg_stage_profile *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
