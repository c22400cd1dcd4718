// Pipelines with figures on images of several layers: each layer has its own figures unless --stack is
// given, so the plan is made for one layer and runs on each.
#ifndef LG_TOOL_LAYERS_H
#define LG_TOOL_LAYERS_H

#include "session.h"

// Whether a graph runs layer by layer on an image of this shape.
bool lg_runs_by_layer(const lg_graph *graph, const lg_image_params *shape,
                      const lg_options *options);

// Refuses what has no meaning for a layer alone.
lg_status lg_check_layers(const lg_graph *graph, lg_error *error);

// Whether the layers of a file can be what a graph takes them for: the slices of a volume, or for `project`
// alone those of any one axis.
lg_status lg_check_slices(const lg_graph *graph, const lg_input_file *file, lg_error *error);

// Further images of the first one's size and layers are taken layer by layer as well; others whole.
bool lg_is_sliced(const lg_image_params *shape, const lg_image_params *first);

// Layer `z` of an image, over its memory.
lg_status lg_layer_of(lg_context *context, const lg_image *image, int32_t z, lg_image **out,
                      lg_error *error);

typedef struct lg_layer_run {
    lg_plan *plan; // for one layer
    lg_image *const *inputs;
    lg_image *const *outputs; // with all layers
    size_t input_count, output_count;
} lg_layer_run;

lg_status lg_run_layer(lg_context *context, const lg_layer_run *run, int32_t z, lg_error *error);

// How many channels (name 'C') or times ('T') the layers of a file are of; 0: that is not known.
int32_t lg_axis_size(const lg_read_info *info, char name);
// The layers of one channel and one time, -1: of all, as an image of their own. *info, of the file, becomes
// that of these layers.
lg_status lg_take_layers(lg_context *context, const lg_image *image, int32_t channel,
                         int32_t moment, lg_read_info *info, lg_image **out, lg_error *error);

#endif
