#include "before.h"

#include "layers.h"

#include <stdlib.h>
#include <string.h>

struct lg_before {
    lg_graph *graph;
    lg_context *context; // that computes it
    lg_plan *plan;       // for `shape`; used again for the next file of that shape
    lg_image_params shape;
    lg_planes planes; // of `shape`
    lg_type type;     // of the result; -1: that of the input
    bool by_layer;
};

lg_status lg_check_colors(const lg_read_info *info, lg_error *error)
{
    if (!info->cmyk && !info->lab)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_UNSUPPORTED,
                        "its samples are %s; filters work on grey and RGB: convert it first",
                        info->cmyk ? "CMYK" : "CIE L*a*b*");
}

// The graph of a pipeline; with an empty one the output is the input, as colours.
static lg_status build(const char *text, int type, struct lg_before **out, lg_error *error)
{
    lg_node node;
    struct lg_before *before = *out = calloc(1, sizeof *before);
    if (!before)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a pipeline");
    before->type = (lg_type)type;
    lg_status status = lg_graph_create(&before->graph, error);
    if (!status)
        status = lg_graph_input(before->graph, "in", &node, error);
    if (!status && text)
        status = lg_graph_parse(before->graph, text, node, &node, error);
    return status ? status : lg_graph_output(before->graph, node, error);
}

int lg_before_build(lg_session *session)
{
    const lg_options *options = session->options;
    lg_error error = {0};
    if (!options->filters)
        return LG_EXIT_DONE;
    const lg_status status = build(options->filters, (int)options->type, &session->before, &error);
    if (status)
        lg_complain("--pipeline: %s", error.message);
    return status ? lg_exit_of(status) : LG_EXIT_DONE;
}

static bool same_planes(const lg_planes *a, const lg_planes *b)
{
    if (!a || !b)
        return a == b;
    return a->chroma == b->chroma && a->paired == b->paired && a->bits == b->bits &&
           a->shift == b->shift && a->matrix == b->matrix && a->full_range == b->full_range &&
           a->siting == b->siting;
}

bool lg_same_shape(const lg_image_params *a, const lg_image_params *b)
{
    return same_planes(a->planes, b->planes) && a->width == b->width && a->height == b->height &&
           a->layers == b->layers && a->channels == b->channels && a->type == b->type &&
           a->alpha == b->alpha;
}

static lg_status make_plan(struct lg_before *before, lg_context *context,
                           const lg_image_params *shape, lg_error *error)
{
    before->context = context;
    if (before->plan && lg_same_shape(&before->shape, shape))
        return LG_OK;
    lg_plan_destroy(&before->plan);
    before->shape = *shape;
    if (shape->planes) {
        before->planes = *shape->planes;
        before->shape.planes = &before->planes;
    }
    lg_image_params one = before->shape;
    if (before->by_layer)
        one.layers = 1;
    return lg_plan_create(context, before->graph, &one, 1,
                          (int)before->type >= 0 ? &before->type : NULL, &before->plan, error);
}

// The result stays where it was computed, for the measurement; reports and outputs read a copy.
static lg_status compute(const struct lg_before *before, lg_image *in, lg_image **out,
                         lg_error *error)
{
    lg_image_params shape;
    lg_status status = lg_plan_output(before->plan, 0, &shape, error);
    if (!status)
        status = lg_image_create_device(before->context, &shape, out, error);
    if (!status)
        status = lg_plan_run(before->plan, &in, out, error);
    return status || (*out)->data ? status : lg_image_download(before->context, *out, error);
}

static lg_status compute_layers(lg_session *session, lg_image *in, lg_image **out, lg_error *error)
{
    lg_image_params shape;
    lg_status status = lg_plan_output(session->before->plan, 0, &shape, error);
    shape.layers = in->shape.layers;
    shape.row_stride = shape.layer_stride = 0;
    if (!status)
        status = lg_image_create(session->context, &shape, out, error);
    const lg_layer_run run = {session->before->plan, &in, out, 1, 1};
    for (int32_t z = 0; z < in->shape.layers && !status; z++) {
        status = lg_run_layer(session->context, &run, z, error);
        if (!status)
            lg_session_computed(session);
    }
    return status;
}

static lg_status run_pipeline(lg_session *session, const lg_input_file *file, lg_image **out,
                              lg_error *error)
{
    struct lg_before *before = session->before;
    lg_status status = lg_check_colors(&file->info, error);
    if (!status)
        status = lg_check_slices(before->graph, file, error);
    before->by_layer = lg_runs_by_layer(before->graph, &file->image->shape, session->options);
    if (!status && before->by_layer)
        status = lg_check_layers(before->graph, error);
    if (!status)
        status = make_plan(before, session->context, &file->image->shape, error);
    if (!status && before->by_layer)
        return compute_layers(session, file->image, out, error);
    if (!status)
        status = compute(before, file->image, out, error);
    if (!status)
        lg_session_computed(session);
    return status;
}

// Colours of a frame of planes, made by the threads of the processor, whatever device measures them.
static lg_status make_colors(lg_session *session, lg_image *planes, lg_image **out, lg_error *error)
{
    lg_context *processor;
    lg_status status = session->colors ? LG_OK : build(NULL, -1, &session->colors, error);
    if (!status)
        status = lg_session_processor(session, &processor, error);
    if (!status)
        status = make_plan(session->colors, processor, &planes->shape, error);
    return status ? status : compute(session->colors, planes, out, error);
}

lg_status lg_before_run(lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_image *result = NULL;
    if (!session->before && (!file->image->shape.planes || session->takes_planes))
        return LG_OK;
    const lg_status status = session->before ? run_pipeline(session, file, &result, error)
                                             : make_colors(session, file->image, &result, error);
    if (status) {
        lg_image_destroy(&result);
        return status;
    }
    if (result->shape.width != file->image->shape.width ||
        result->shape.height != file->image->shape.height) // whether pixels are larger is not known
        memset(file->info.pixel_size, 0, sizeof file->info.pixel_size);
    lg_image_destroy(&file->image);
    file->image = result;
    return LG_OK;
}

static void drop(struct lg_before **before)
{
    if (!*before)
        return;
    lg_plan_destroy(&(*before)->plan);
    lg_graph_destroy(&(*before)->graph);
    free(*before);
    *before = NULL;
}

void lg_before_end(lg_session *session)
{
    drop(&session->before);
    drop(&session->colors);
}
