// `lumagraph run` on a part of the input: pixels outside of --region and --mask stay as they were.
#include "run.h"

#include <string.h>

bool lg_run_selects(const lg_run *run)
{
    return run->options->has_region || run->options->mask;
}

// The option, or both, as messages name them.
static const char *asked(const lg_run *run)
{
    return !run->options->mask         ? "--region"
           : !run->options->has_region ? "--mask"
                                       : "--region and --mask";
}

// ---- before a run -------------------------------------------------------------------------------

static lg_status check_output(const lg_run *run, size_t index, lg_error *error)
{
    lg_image_params out;
    bool idle;
    const lg_image_params *in = &run->inputs[0]->shape;
    const lg_status status = lg_plan_output(run->plan, index, &out, error);
    if (status)
        return status;
    if (out.width != in->width || out.height != in->height)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "%s keeps the input's pixels outside, so the output must have the "
                            "input's size; the pipeline makes %d x %d of %d x %d",
                            asked(run), out.width, out.height, in->width, in->height);
    const lg_filter *last = lg_graph_node_filter(run->graph, run->ends[index], &idle);
    if ((run->type < 0 && out.type != in->type) || (last && strcmp(last->name, "label") == 0))
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "%s keeps the input's pixels outside, and the output has labels: "
                            "numbers, no colours. `lumagraph label --region` labels a part",
                            asked(run));
    return LG_OK;
}

lg_status lg_run_select(const lg_run *run, lg_session *session, const lg_input_file *file,
                        lg_error *error)
{
    if (!lg_run_selects(run))
        return LG_OK;
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++)
        status = check_output(run, i, error);
    if (status || run->by_layer) // then a layer at a time
        return status;
    return lg_plan_select(run->plan, file->select.region, session->mask, error);
}

// ---- behind a run -------------------------------------------------------------------------------

// The input with the channels of an output: a pipeline that changes nothing else.
static const char *conversion(const lg_image_params *from, const lg_image_params *to)
{
    if (from->channels == to->channels && from->alpha == to->alpha)
        return NULL;
    switch (lg_image_measured_channels(to)) {
    case 1:
        return "convert_channels:to=grey";
    case 2:
        return "map_channel:red=luminance:green=luminance:blue=luminance | opacity";
    case 3:
        return "convert_channels:to=rgb";
    default:
        return "convert_channels:to=rgba";
    }
}

static lg_status build(const lg_image_params *from, const lg_image_params *to, lg_graph **graph,
                       lg_error *error)
{
    const char *text = conversion(from, to);
    lg_node node;
    lg_status status = lg_graph_create(graph, error);
    if (!status)
        status = lg_graph_input(*graph, "in", &node, error);
    if (!status && text)
        status = lg_graph_parse(*graph, text, node, &node, error);
    return status ? status : lg_graph_output(*graph, node, error);
}

// The input as the output stores it; *out is NULL where that is the input itself.
static lg_status convert(const lg_run *run, lg_session *session, const lg_image *output,
                         lg_image **out, lg_error *error)
{
    const lg_image_params *to = &output->shape, *from = &run->inputs[0]->shape;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    *out = NULL;
    if (from->type == to->type && !conversion(from, to))
        return LG_OK;
    lg_status status = build(from, to, &graph, error);
    if (!status)
        status = lg_plan_create(session->context, graph, from, 1, &to->type, &plan, error);
    if (!status)
        status = lg_image_create(session->context, to, out, error);
    if (!status)
        status = lg_plan_run(plan, run->inputs, out, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return status;
}

static const uint8_t *row_of(const lg_image *image, int32_t layer, int64_t y)
{
    const int32_t z = image->shape.layers == 1 ? 0 : layer;
    return (const uint8_t *)image->data + (size_t)z * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static void restore_row(const lg_region *r, const uint8_t *mask, size_t pixel, int64_t width,
                        const uint8_t *from, uint8_t *to)
{
    const size_t left = (size_t)r->x * pixel, end = (size_t)(r->x + r->width) * pixel;
    memcpy(to, from, left);
    memcpy(to + end, from + end, (size_t)width * pixel - end);
    for (int64_t x = r->x; mask && x < r->x + r->width; x++)
        if (!mask[x])
            memcpy(to + (size_t)x * pixel, from + (size_t)x * pixel, pixel);
}

static void restore(const lg_image *input, const lg_region *r, const lg_image *mask, lg_image *out)
{
    const lg_image_params *s = &out->shape;
    const size_t pixel = (size_t)s->channels * lg_type_size(s->type);
    for (int32_t z = 0; z < s->layers; z++)
        for (int64_t y = 0; y < s->height; y++) {
            const uint8_t *from = row_of(input, z, y);
            uint8_t *to =
                (uint8_t *)out->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
            if (y < r->y || y >= r->y + r->height)
                memcpy(to, from, (size_t)s->width * pixel);
            else
                restore_row(r, mask ? row_of(mask, z, y) : NULL, pixel, s->width, from, to);
        }
}

lg_status lg_run_restore(const lg_run *run, lg_session *session, const lg_input_file *file,
                         lg_error *error)
{
    lg_status status = LG_OK;
    if (!lg_run_selects(run))
        return LG_OK;
    lg_session_computed(session); // what follows is not part of the report
    session->engine_settled = true;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        lg_image *converted;
        status = convert(run, session, run->images[i], &converted, error);
        if (!status)
            restore(converted ? converted : run->inputs[0], &file->region, session->mask,
                    run->images[i]);
        lg_image_destroy(&converted);
    }
    return status;
}
