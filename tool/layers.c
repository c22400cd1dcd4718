#include "layers.h"

#include <string.h>

bool lg_runs_by_layer(const lg_graph *graph, const lg_image_params *shape,
                      const lg_options *options)
{
    return shape->layers > 1 && !options->stack && lg_graph_measures(graph) &&
           !lg_graph_takes_volumes(graph);
}

static bool has_labels(const lg_graph *graph)
{
    bool idle, found = false;
    for (lg_node node = 0; node < LG_MAX_NODES; node++) {
        const lg_filter *filter = lg_graph_node_filter(graph, node, &idle);
        found |= filter && strcmp(filter->name, "label") == 0;
    }
    return found;
}

lg_status lg_check_layers(const lg_graph *graph, lg_error *error)
{
    return has_labels(graph)
               ? lg_set_error(error, LG_ERROR_ARGUMENT,
                              "labels are numbered through all layers, and figures are those of "
                              "each layer: --stack takes figures of all layers together, --page N "
                              "one layer")
               : LG_OK;
}

lg_status lg_check_slices(const lg_graph *graph, const lg_input_file *file, lg_error *error)
{
    const lg_layer_axis *axes = file->info.axes;
    const bool one_axis = axes[0].name && !axes[1].name;
    if (!lg_graph_takes_volumes(graph) || (one_axis && !has_labels(graph)))
        return LG_OK;
    return lg_check_volume(file,
                           "--channel N and --time N choose one of each, --page N one layer; label "
                           "and watershed also have connectivity=4 and 8",
                           error);
}

bool lg_is_sliced(const lg_image_params *shape, const lg_image_params *first)
{
    return shape->width == first->width && shape->height == first->height &&
           shape->layers == first->layers;
}

lg_status lg_layer_of(lg_context *context, const lg_image *image, int32_t z, lg_image **out,
                      lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.layers = 1;
    return lg_image_wrap(context, &shape, (char *)image->data + (size_t)z * shape.layer_stride, out,
                         error);
}

lg_status lg_run_layer(lg_context *context, const lg_layer_run *run, int32_t z, lg_error *error)
{
    lg_image *in[LG_MAX_INPUTS] = {NULL}, *out[LG_MAX_INPUTS] = {NULL};
    lg_image *inputs[LG_MAX_INPUTS];
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->input_count && !status; i++) {
        if (lg_is_sliced(&run->inputs[i]->shape, &run->inputs[0]->shape))
            status = lg_layer_of(context, run->inputs[i], z, &in[i], error);
        inputs[i] = in[i] ? in[i] : run->inputs[i];
    }
    for (size_t i = 0; i < run->output_count && !status; i++)
        status = lg_layer_of(context, run->outputs[i], z, &out[i], error);
    if (!status)
        status = lg_plan_run(run->plan, inputs, out, error);
    for (size_t i = 0; i < LG_MAX_INPUTS; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
    }
    return status;
}

// ---- channels and times ---------------------------------------------------------------------------

int32_t lg_axis_size(const lg_read_info *info, char name)
{
    for (int i = 0; i < LG_LAYER_AXES && info->axes[i].name; i++)
        if (info->axes[i].name == name)
            return info->axes[i].size;
    return 0;
}

static int32_t wanted(char name, int32_t channel, int32_t moment)
{
    return name == 'C' ? channel : name == 'T' ? moment : -1;
}

// Whether a layer is of this channel and time: its number has a digit for each axis, the last the fastest.
static bool is_of(const lg_read_info *info, int32_t layer, int32_t channel, int32_t moment)
{
    for (int i = LG_LAYER_AXES - 1; i >= 0; i--) {
        const lg_layer_axis *axis = &info->axes[i];
        const int32_t only = axis->name ? wanted(axis->name, channel, moment) : -1;
        if (!axis->name)
            continue;
        if (only >= 0 && only != layer % axis->size)
            return false;
        layer /= axis->size;
    }
    return true;
}

static void drop_axes(lg_read_info *info, int32_t channel, int32_t moment)
{
    lg_layer_axis left[LG_LAYER_AXES] = {{0}};
    int count = 0;
    info->mixed = false;
    for (int i = 0; i < LG_LAYER_AXES && info->axes[i].name; i++) {
        const char name = info->axes[i].name;
        if (wanted(name, channel, moment) >= 0)
            continue;
        left[count++] = info->axes[i];
        info->mixed |= name == 'C' || name == 'T';
    }
    memcpy(info->axes, left, sizeof left);
}

lg_status lg_take_layers(lg_context *context, const lg_image *image, int32_t channel,
                         int32_t moment, lg_read_info *info, lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.layers = 0;
    shape.row_stride = shape.layer_stride = 0;
    for (int32_t z = 0; z < image->shape.layers; z++)
        shape.layers += is_of(info, z, channel, moment);
    const lg_status status = lg_image_create(context, &shape, out, error);
    const size_t bytes = (size_t)shape.width * (size_t)shape.channels * lg_type_size(shape.type);
    for (int32_t z = 0, at = 0; z < image->shape.layers && !status; z++) {
        if (!is_of(info, z, channel, moment))
            continue;
        const char *from = (const char *)image->data + (size_t)z * image->shape.layer_stride;
        char *to = (char *)(*out)->data + (size_t)at++ * (*out)->shape.layer_stride;
        for (int32_t y = 0; y < shape.height; y++)
            memcpy(to + (size_t)y * (*out)->shape.row_stride,
                   from + (size_t)y * image->shape.row_stride, bytes);
    }
    if (!status)
        drop_axes(info, channel, moment);
    return status;
}
