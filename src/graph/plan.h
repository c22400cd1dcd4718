// A plan: the stages of a graph, the images between them, and the state for running them.
#ifndef LG_PLAN_H
#define LG_PLAN_H

#include "filter/stage.h"
#include "graph/figure.h"
#include "graph/nodes.h"

typedef enum lg_slot_kind {
    LG_PLAN_INPUT, // the caller's
    LG_PLAN_INNER, // between stages: f32, 4 channels, or 1 of grey; as stored where planes are made
    LG_PLAN_OUTPUT, // the caller's
    LG_PLAN_PLANES, // the caller's, whose planes are slots of their own: graph/plan_planes.h
} lg_slot_kind;

// An image that exists in memory while a plan runs.
typedef struct lg_plan_slot {
    lg_slot_kind kind;
    lg_image_params shape;    // as stored
    int index;                // input, output, or place among the plan's images
    int last;                 // the last stage that reads it
    int plane[LG_MAX_PLANES]; // of LG_PLAN_PLANES: the slots of its planes; -1: none
} lg_plan_slot;

typedef struct lg_plan_stage {
    lg_filter_kind source;                             // LG_FILTER_POINT: an image, unchanged
    int node;                                          // of the source's filter; -1: none
    int in[2];                                         // slots; -1: none
    int chain[LG_CHAIN_LENGTH], over[LG_CHAIN_LENGTH]; // nodes, and slots of their second image
    int count;
    int out;     // slot
    int encodes; // the slot of the planes that it makes of in[0], `out` being the first; -1: none
    char name[120];
    double seconds, bytes; // of the last run
    void *kept;            // by a native filter, from run to run
} lg_plan_stage;

// What a node needs while the plan runs.
typedef struct lg_plan_node {
    lg_node caller;              // the node in the caller's graph; -1: added by plan_fit.h
    lg_image_params shape;       // of the node's image, in the type of the first input
    bool packed;                 // an input of packed RGB; `shape` is that of the padded image
    int slot;                    // -1: the image exists in registers only
    int uses;                    // count of filters, outputs and figures that read the image
    bool materialized;           // the image must exist in memory
    float values[LG_MAX_VALUES]; // with figures filled in
    lg_table tables[LG_MAX_TABLES];
    int planes;     // the slot of an input that is stored as planes; -1: none
    int table_slot; // the slot of an image used as a table; -1: none
    bool words; // bytes go through a table of bytes, by NAME_word: the node is a stage by itself
    float *table_memory; // of a measured table; twice its size when the next run needs it
    float previous[LG_MAX_FIGURES][4]; // figures of the previous run
    int run;            // the node that computes this one within a run (plan_compose.h); -1: none
    lg_graph_node *own; // of that node: the caller's node; NULL: it is in the graph
} lg_plan_node;

struct lg_vulkan_plan;
struct lg_plan_device;

struct lg_plan {
    lg_context *context;
    lg_graph *graph; // a copy
    lg_plan_node *nodes;
    lg_plan_stage *stages;
    int stage_count, stage_capacity;
    lg_plan_slot *slots;
    int slot_count, slot_capacity;
    lg_image **images; // of inner slots; reused after the last read of a slot
    int image_count;
    int output_slots[LG_MAX_INPUTS];
    bool in_bands;                   // images have a single row: only parts of them are ever made
    bool on_device;                  // the plan is laid out for the context's device
    char why[LG_ERROR_MESSAGE_SIZE]; // why it is not; empty for a context on the CPU
    bool ran;
    lg_select select; // of what figures see
    lg_region region;
    bool selects;
    bool figures_known;                     // the last run computed `figures`
    float figures[LG_MAX_GRAPH_FIGURES][4]; // of lg_graph.figures
    char *explained;
    int given_inputs, given_outputs; // images of the caller; those behind them are delayed ones
    lg_image_params given[LG_MAX_INPUTS]; // shapes of the caller's inputs
    lg_planes input_planes[LG_MAX_INPUTS], output_planes[LG_MAX_INPUTS];
    const lg_planes *stored[LG_MAX_INPUTS]; // how outputs are stored; NULL: samples are adjacent
    int layers;                          // of the caller's images that are run one by one; 0: none
    int64_t turn;                        // runs since the first one
    lg_image **delayed[LG_MAX_INPUTS];   // rings of images, of the inputs behind the caller's
    const struct lg_plan_device *device; // what the plan can do on a device; NULL: nothing
    struct lg_vulkan_plan *vulkan;       // its state there
    struct lg_plan_pass *pass; // of lg_plan_run_bands; NULL: figures are measured in the run
};

// Refuses invalid combinations of values and, with integer images, values outside their unit.
lg_status lg_plan_check_values(const lg_plan *plan, const lg_type *types, lg_error *error);

// Computes the shape of a node's image, and makes its table. `inputs` are the shapes of the graph's
// inputs.
lg_status lg_plan_find_shape(const lg_plan *plan, int node, const lg_image_params *inputs,
                             lg_error *error);
lg_status lg_plan_make_table(lg_plan *plan, int node, lg_error *error);

// Sets what figures take from values of filters: the connectivity of the components of a label's image,
// and the step of a curve.
void lg_plan_complete_figures(lg_plan *plan);

int lg_plan_add_slot(lg_plan *plan, lg_plan_slot slot);
// Adds the stage that ends in node `index` and writes to slot `out`.
void lg_plan_add_stage(lg_plan *plan, int index, int out);

// The nodes of a stage in order: the source's, then the chain's.
int lg_stage_nodes(const lg_plan_stage *stage, int nodes[LG_CHAIN_LENGTH + 1]);

// Whether node `index`, stored as `out`, computes with words (`words` of lg_plan_node).
bool lg_plan_takes_words(const lg_plan *plan, int index, const lg_image_params *out);
// Whether the stage is a node with `words`.
bool lg_stage_is_words(const lg_plan *plan, const lg_plan_stage *stage);
// How a stage that is a weighted sum of bytes alone sums in integers (`any`).
lg_byte_sums lg_stage_byte_sums(const lg_plan *plan, const lg_plan_stage *stage);
// A copy of a table of bytes, *out, when its pixels are no words or its rows are not at equal distances;
// NULL when it can be read where it is.
lg_status lg_plan_table_words(const lg_plan *plan, const lg_image *table, lg_image **out,
                              lg_error *error);

lg_border lg_node_border(const lg_graph_node *node, const float *values);

// The slot of the image that a figure of a node's image measures.
int lg_plan_figure_slot(const lg_plan *plan, int node, const lg_figure *figure);

// The image of a slot during a run, which is not LG_PLAN_PLANES.
lg_image *lg_plan_image(const lg_plan *plan, int slot, lg_image *const *inputs,
                        lg_image *const *outputs);

// The figures that stages first .. end-1 need, in order. Figures of lg_graph_figure belong to stage
// plan->stage_count, after all others. Without `inputs` and `outputs` tasks have no image. The caller
// frees `at`.
typedef struct lg_plan_tasks {
    lg_figure_task *at;
    int count;
} lg_plan_tasks;

lg_status lg_plan_list_figures(const lg_plan *plan, int first, int end, lg_image *const *inputs,
                               lg_image *const *outputs, lg_plan_tasks *out, lg_error *error);

// Measures a stage's figures on the host, and stores them for the kernels of their nodes or the
// caller.
lg_status lg_plan_measure(lg_plan *plan, const lg_plan_tasks *tasks, int stage, lg_error *error);
// The numbers of a figure that was measured go where its stage, or the caller, takes them.
// Sets where the numbers of a curve go: it is measured in place.
void lg_plan_place_curve(const lg_plan *plan, lg_figure_task *task);
void lg_plan_put_numbers(lg_plan *plan, const lg_figure_task *task);

// The number of tasks up to and including this stage.
int lg_plan_tasks_up_to(const lg_plan_tasks *tasks, int stage);

// A padded copy of an image of packed RGB; *out is NULL for any other image.
lg_status lg_plan_pad_image(const lg_plan *plan, const lg_image *image, lg_image **out,
                            lg_error *error);

struct lg_plan_band;

// `band`: the rows to compute (graph/plan_rows.h); NULL: all.
lg_status lg_plan_run_cpu(lg_plan *plan, const struct lg_plan_band *band, lg_image *const *inputs,
                          lg_image *const *outputs, lg_error *error);

// Checks that images fit the plan; with `parts` they may have fewer rows.
lg_status lg_plan_check_images(const lg_plan *plan, lg_image *const *inputs,
                               lg_image *const *outputs, bool parts, lg_error *error);

// The same for one image of the caller.
lg_status lg_plan_check_input(const lg_plan *plan, int index, const lg_image *image,
                              lg_error *error);
lg_status lg_plan_check_output(const lg_plan *plan, int index, const lg_image *image,
                               lg_error *error);

// The error of a plan that runs in bands alone.
lg_status lg_plan_fail_whole(lg_error *error);

// Whether the next run needs figures of one before.
bool lg_plan_remembers(const lg_plan *plan);

// ---- delayed images (graph/plan_delay.c) ----------------------------------------------------------

// Makes inputs of a plan's delayed nodes and outputs of their sources; shapes are those of the caller.
lg_status lg_plan_add_delayed(lg_plan *plan, const lg_image_params *shapes, lg_error *error);
lg_status lg_plan_check_delayed(const lg_plan *plan, lg_error *error);
void lg_plan_drop_delayed(lg_plan *plan);
// The sample type of an output.
lg_type lg_plan_output_type(const lg_plan *plan, int index, const lg_type *types);

// A plan for the image of `first` alone, with the inputs of this one.
lg_status lg_plan_create_first(const lg_plan *plan, lg_node first, lg_plan **out, lg_error *error);

// One run, with the images of delayed nodes behind those of the caller.
lg_status lg_plan_run_once(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                           lg_error *error);
lg_status lg_plan_run_delayed(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                              lg_error *error);

// Puts the delayed images of the next run behind those of the caller, whose inputs the first run needs.
lg_status lg_plan_take_delayed(lg_plan *plan, lg_image *const *inputs, lg_image **in,
                               lg_image **out, lg_error *error);

// Fills the context's report of a run with seconds. Upload and download both get `transfers`; below
// 0: there were none.
void lg_plan_report(const lg_plan *plan, double transfers, double compute);

// Writes the figures that parameters took, from the values of their nodes, as lg_plan_figures does.
size_t lg_plan_taken_figures(const lg_plan *plan, lg_figure_value *out, size_t capacity);
// The next of them; NULL: there is none. Before the first, *node is 0 and *figure -1.
const lg_figure *lg_plan_next_taken(const lg_plan *plan, int *node, int *figure);

typedef struct lg_plan_device {
    lg_status (*run)(lg_plan *plan, const struct lg_plan_band *band, lg_image *const *inputs,
                     lg_image *const *outputs, lg_error *error);
    // Updates a node's table after its values changed, and its stage's kernel if `compiled`.
    lg_status (*update)(lg_plan *plan, int node, bool compiled, lg_error *error);
    // Copies figures that parameters took on the device to the values of their nodes.
    lg_status (*fetch)(lg_plan *plan, lg_error *error);
    void (*release)(lg_plan *plan); // also of a plan that is prepared in part
    // Why the host measures a figure of a node, and why frames of a stream are computed one after another,
    // as words behind "as"; NULL: it does not, they are not.
    const char *(*why_host)(const lg_plan *plan, int node, int figure);
    const char *(*why_alone)(const lg_plan *plan);
    // lg_plan_submit of images that were checked; and the end of all that was submitted, with the figures
    // that the caller reads. *pending: whether anything is there to wait for.
    lg_status (*submit)(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                        lg_image *figures, lg_error *error);
    lg_status (*wait)(lg_plan *plan, bool *pending, lg_error *error);
} lg_plan_device;

// Compiles the stages for the device, and fills `device`.
lg_status lg_plan_prepare_vulkan(lg_plan *plan, lg_error *error);
// Gives back what the plan has on a device, if it has anything.
void lg_plan_release(lg_plan *plan);

struct lg_backend_row;

// Runs a task on the plan's device, else on the CPU. After a failure of the device the plan stays
// on the CPU (lg_plan_leave_device).
lg_status lg_plan_dispatch(lg_plan *plan, const struct lg_backend_row *row, void *task,
                           lg_error *error);

// Moves a plan and its images to the CPU for good. LG_ERROR_DEVICE when only the device had the
// figures of the previous run.
lg_status lg_plan_leave_device(lg_plan *plan, lg_error *error);

#endif
