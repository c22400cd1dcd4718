// lumagraph: graphs of filters and measurements, and the plans that run them.
//
// A graph has inputs, filters and outputs. Compiling it for a context and for the shapes of the
// inputs gives a plan, which runs any number of times. Inside a graph, colours are float32 r, g, b,
// a with straight (not premultiplied) alpha; integer samples become 0..1. Only outputs are rounded.
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

// Adds an input image; inputs are counted in the order of these calls. `name` is a word of letters,
// digits, _ and -.
LG_API lg_status lg_graph_input(lg_graph *graph, const char *name, lg_node *out, lg_error *error);

// Adds a filter. `inputs` are as many nodes of this graph as the filter has images. A look such as
// amatorka accepts a second image: a table that replaces its own. `name` may be NULL. A second image of
// another size is fitted to the first: lg_graph_set(graph, node, "fit", "tile"), by default stretch.
LG_API lg_status lg_graph_filter(lg_graph *graph, const char *filter, const lg_node *inputs,
                                 int count, const char *name, lg_node *out, lg_error *error);

// Sets a parameter from text: numbers with commas between them, yes or no, a choice, a colour, or a
// measured value `@figure`:
//   @[prev.][#NODE.][CHANNEL.]FIGURE[*FACTOR][+OFFSET]
//   FIGURE   a name of lg_graph_figure_at: mean, max, otsu, largest.area, p99 or another percentile
//   CHANNEL  r g b a luma, or red green blue alpha luminance. Without one, or with rgb: luma for a
//            number; for a colour or a curve, each channel its own figure
//   NODE     the node whose image is measured; without one, the filter's first input
//   prev     takes the figure from the previous run of the plan; the first run takes its own
// Example: `brightness` with "@mean*-1+0.5" moves the mean luma to 0.5. Figures are in the units of
// colours, 0..1 for integer samples. Figures of components are counts and pixels, and have no
// CHANNEL. See docs/definitions.md, section Graphs.
LG_API lg_status lg_graph_set(lg_graph *graph, lg_node node, const char *param, const char *value,
                              lg_error *error);

#define LG_MAX_GRAPH_FIGURES 64 // of lg_graph_figure

// Adds a figure of the image of `node`; lg_plan_figures returns it after each run. `figure` is
// written as for lg_graph_set, with or without the @: "mean", "r.p99", "#NODE.luma.max". Without a
// channel it is one number, of luma; "rgb.mean" is four, r, g, b and a; "largest.center" is two.
// `name` has at most 60 letters, digits, _, - and dots; NULL: the text of the figure. Errors:
// LG_ERROR_ARGUMENT (node, figure, a curve such as cdf, a figure of the previous run, a name in
// use), LG_ERROR_LIMIT (LG_MAX_GRAPH_FIGURES).
LG_API lg_status lg_graph_figure(lg_graph *graph, lg_node node, const char *figure,
                                 const char *name, lg_error *error);

// A figure that can set a parameter.
typedef struct lg_figure_info {
    const char *name; // mean; pN, where N stands for a number of 0..100
    const char *help; // a line
    int numbers;      // 1: per image or per channel; 2: a point; 0: a curve
} lg_figure_info;

// The figures in order; NULL behind the last.
LG_API const lg_figure_info *lg_graph_figure_at(size_t index);

#define LG_MAX_DELAY 64 // runs

// Adds the image that the node called `name` had `runs` runs of the plan before, 1 to LG_MAX_DELAY.
// That node may be added later: this is the only cycle that a graph may have. Delayed images are
// f32. The first run takes the image of `first`, which has the shape of the delayed one; while
// there are fewer runs than asked for, it is the oldest image. In a pipeline text: #NAME@-1, with
// the image to which the text is applied as `first`. With several layers every layer is a run, and
// images must have the same layers, or one. Errors: LG_ERROR_ARGUMENT.
LG_API lg_status lg_graph_delay(lg_graph *graph, const char *name, int runs, lg_node first,
                                lg_node *out, lg_error *error);

// Marks a node as an output image; outputs are counted in the order of these calls.
LG_API lg_status lg_graph_output(lg_graph *graph, lg_node node, lg_error *error);

// Stores output `index` with so many channels, whatever its image has: 1 grey, by luma; 3 RGB, without
// alpha; 4 RGBA, opaque where there was no alpha. The filter convert_channels is added for it. Figures
// of the output's node do not see it. Errors: LG_ERROR_ARGUMENT (no such output, other numbers),
// LG_ERROR_LIMIT, LG_ERROR_MEMORY.
LG_API lg_status lg_graph_output_channels(lg_graph *graph, size_t index, int channels,
                                          lg_error *error);

// Adds the filters of a pipeline text behind `from`:
//   FILTER[=VALUE][:PARAM=VALUE]... [#NAME] | FILTER ...
// FILTER=VALUE sets the only parameter besides `border` and `fit`; filters with several have no short form.
// The first image of a filter is the current one. A second image is `over=#NAME`, by default the
// graph's second input. `#NAME` behind a filter names its image; `#NAME` alone continues from the
// image of that name. *out is the last node. Errors give the position of the wrong character and
// leave the graph unchanged.
LG_API lg_status lg_graph_parse(lg_graph *graph, const char *pipeline, lg_node from, lg_node *out,
                                lg_error *error);

// The node of a name, -1 when there is none.
LG_API lg_node lg_graph_find(const lg_graph *graph, const char *name);

// The numbers of inputs and outputs, and their names. A name is NULL where none was given and
// behind the last one; it is valid until the graph is changed or destroyed.
LG_API size_t lg_graph_input_count(const lg_graph *graph);
LG_API size_t lg_graph_output_count(const lg_graph *graph);
LG_API const char *lg_graph_input_name(const lg_graph *graph, size_t index);
LG_API const char *lg_graph_output_name(const lg_graph *graph, size_t index);

// The filter of a node. `idle` becomes true when its parameters leave every image unchanged
// (lg_filter.neutral), often because one was forgotten. NULL for inputs, for nodes that a pipeline
// such as auto_levels was expanded to, and behind the last node.
LG_API const lg_filter *lg_graph_node_filter(const lg_graph *graph, lg_node node, bool *idle);

// True when a filter takes the layers of an image as the slices of a volume (`label` and
// `watershed` with connectivity 6, 18 or 26, `project`).
LG_API bool lg_graph_takes_volumes(const lg_graph *graph);

// True when a parameter of a filter is measured (`@figure`, also inside pipelines such as auto_levels),
// or a figure was asked for with lg_graph_figure.
LG_API bool lg_graph_measures(const lg_graph *graph);

// Compiles a graph for inputs of these shapes (strides are ignored). The graph may be destroyed
// afterwards. `types` has the sample type of every output. NULL: that of the first input; for
// labels, the type that the filter `label` gives, u16 or f32.
LG_API lg_status lg_plan_create(lg_context *context, const lg_graph *graph,
                                const lg_image_params *shapes, size_t count, const lg_type *types,
                                lg_plan **out, lg_error *error);
// The same with outputs that are stored as planes: planes[k] says how output k is, NULL that its samples
// are adjacent. `types` does not count for outputs of planes, which have the type of their codes, one
// layer, and no alpha. A shape of an input may have planes with both functions. An output that takes
// an input unchanged, and is stored as that is, copies its planes. LG_ERROR_ARGUMENT for planes that
// cannot hold the image.
LG_API lg_status lg_plan_create_planes(lg_context *context, const lg_graph *graph,
                                       const lg_image_params *shapes, size_t count,
                                       const lg_type *types, const lg_planes *const *planes,
                                       lg_plan **out, lg_error *error);
LG_API void lg_plan_destroy(lg_plan **plan);

// The shape of an output of the plan. Its `planes` are valid until the plan is destroyed.
// LG_ERROR_ARGUMENT when there is no such output.
LG_API lg_status lg_plan_output(const lg_plan *plan, size_t index, lg_image_params *out,
                                lg_error *error);

// How an image samples what the first input shows.
typedef struct lg_pixel_steps {
    bool turned; // x runs along the input's y, and y along its x
    double x, y; // from one pixel to the next, in pixels of the input along that axis; 0: not known
} lg_pixel_steps;

// The steps of output `index`: behind `resize` other than 1, behind `rotate` and `transpose` turned,
// unknown behind a `transform` that does more than move, and of images of other inputs. Filters that
// distort the picture, such as `swirl`, are not looked at. LG_ERROR_ARGUMENT when there is no such output.
LG_API lg_status lg_plan_pixels(const lg_plan *plan, size_t index, lg_pixel_steps *out,
                                lg_error *error);

// Restricts what the figures of a plan see, those that parameters take and those of lg_graph_figure, to
// the pixels of `region` where `mask` is not zero (both as in lg_select, either may be NULL). Filters
// see and change all pixels as before. The mask must outlive the plan or the next selection. Errors:
// LG_ERROR_ARGUMENT (a plan with figures of the previous run that has run already; a region or mask
// that does not fit the first input; a figure of an image of another size), LG_ERROR_DATA (no pixel is
// selected). They leave the selection as it was.
LG_API lg_status lg_plan_select(lg_plan *plan, const lg_region *region, const lg_image *mask,
                                lg_error *error);

// Changes a parameter of a compiled plan. Later runs give the same pixels as a new plan with this
// value. lg_plan_set takes a number: 0 or 1 for a flag, the index in `choices` for a choice.
// lg_plan_set_text takes a text as lg_graph_set does: numbers, colours, points, choices. On Vulkan
// a new flag or choice may compile its stage's kernel again, and so may weights of a window that
// become whole numbers or no longer are. Nodes of a pipeline such as auto_levels are set one by
// one. An error leaves the plan as it was:
//   LG_ERROR_ARGUMENT     a wrong node, parameter, range or combination, as when compiling
//   LG_ERROR_UNSUPPORTED  the change needs a new plan: a value that changes the size or type of a
//                         result, a choice that is a filter of its own, a measured parameter (`@`),
//                         a text, a table, a value that the device cannot handle
//   LG_ERROR_MEMORY, LG_ERROR_DEVICE
LG_API lg_status lg_plan_set(lg_plan *plan, lg_node node, const char *param, double value,
                             lg_error *error);
LG_API lg_status lg_plan_set_text(lg_plan *plan, lg_node node, const char *param, const char *value,
                                  lg_error *error);

// Runs the plan on images of the shapes it was made for. Outputs are written on the host and, where
// they have one, to their device copy. Work that the device can no longer do moves to the CPU.
// Errors:
//   LG_ERROR_ARGUMENT  shapes; an output that is an input or another output, or shares pixel memory
//                      with one. Nothing is written
//   LG_ERROR_LIMIT     more components than labels of the type can count
//   LG_ERROR_DEVICE    a lost Vulkan device had the only pixels of an input or output, or the
//                      figures of the previous run; then the next run starts afresh
//   LG_ERROR_MEMORY
// All but LG_ERROR_ARGUMENT can occur while stages run; the pixels of all outputs are then
// undefined.
LG_API lg_status lg_plan_run(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                             lg_error *error);

// Runs the plan without waiting for the device. All inputs and outputs have memory on the context's device
// (lg_image_create_device, lg_image_upload, lg_image_wrap_buffer, lg_image_import); host pixels of outputs
// are not written. Work of one context runs on the device in the order of the calls: outputs may be the
// inputs of the next call. Images may be destroyed before the device is ready: that waits.
//
// `figures` (NULL: nowhere) gets the figures of the run on the device: an f32 image of 1 channel, 4 columns
// and a row for each figure, with memory there. Row i is value[0 .. 3] of figure i of lg_plan_figures, the
// same bits; a later submission, also of the application (lumagraph/vulkan.h), reads it without the host. A
// graph without outputs but with figures is a measurement.
//
// On a CPU context, and where the plan or a lost device has left the work to the CPU, the call is
// lg_plan_run and writes the rows of `figures` to its host pixels. Errors, besides those of lg_plan_run:
//   LG_ERROR_ARGUMENT     an image without memory on the device; a `figures` of another shape
//   LG_ERROR_UNSUPPORTED  what the device cannot finish without the host, which the message names: a
//                         figure, a measured parameter, a selection, planes, delayed images, layers
//                         that run one by one
// Neither changes anything.
LG_API lg_status lg_plan_submit(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                                lg_image *figures, lg_error *error);

// The number of figures of a run: what lg_plan_figures sets *count to. NULL: 0.
LG_API size_t lg_plan_figure_count(const lg_plan *plan);

// Waits for everything that was submitted. lg_plan_figures then has the figures of the last run. Returns the
// first failure of a run since the last lg_plan_wait, for example LG_ERROR_LIMIT for too many labels; the
// outputs of that run are undefined.
LG_API lg_status lg_plan_wait(lg_plan *plan, lg_error *error);

// Forgets what is kept from run to run: the next run is a first one, for delayed images and for
// figures of the previous run. LG_ERROR_ARGUMENT without a plan.
LG_API lg_status lg_plan_reset(lg_plan *plan, lg_error *error);

// A figure that a run computed, in the units of colours: 0..1 for integer samples. Figures of
// components are counts and pixels.
typedef struct lg_figure_value {
    lg_node node;       // the filter whose parameter took it, or the node of lg_graph_figure
    const char *filter; // name of that filter; NULL for a figure of lg_graph_figure
    const char *name;   // of the parameter, or of the figure; valid until the plan is destroyed
    int32_t count;      // numbers: 1, 2 (a point: x, y) or 4 (a colour: r, g, b, a)
    float value[4];     // the rest is 0
} lg_figure_value;

// The figures that the last run computed, the same bits on the CPU and on Vulkan. First come
// figures that parameters took, in the order of the nodes, then those of lg_graph_figure, in the
// order of these calls. A figure of a parameter has its factor and offset applied and is clamped to
// the parameter's range; with `prev` it is that of the previous run. Measured curves are not
// listed. Writes at most `capacity` entries and sets *count to the number of figures. On Vulkan
// this waits for a copy. Errors: LG_ERROR_ARGUMENT (no run yet, or the last one failed),
// LG_ERROR_DEVICE (the device was lost after the run), LG_ERROR_MEMORY.
LG_API lg_status lg_plan_figures(lg_plan *plan, lg_figure_value *out, size_t capacity,
                                 size_t *count, lg_error *error);

// Seconds that one thread of a processor is expected to take for a run, from the filters, their
// values and the sizes of their images. It is right within a factor of 3 or so: for a choice between
// devices before anything has run. Figures count nothing, and measured values count as their
// defaults. NULL: 0.
LG_API double lg_plan_cost(const lg_plan *plan);

// One line per stage: what it reads, does and writes. Valid until the plan is destroyed.
LG_API const char *lg_plan_explain(lg_plan *plan);

typedef struct lg_stage_profile {
    const char *name; // valid until the plan is destroyed
    double seconds;   // of the last run
    double bytes;     // read and written, at least
} lg_stage_profile;

// Stages of the last run. Writes at most `capacity` and returns the number of stages. On Vulkan,
// `seconds` is device time.
LG_API size_t lg_plan_profile(const lg_plan *plan, lg_stage_profile *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
