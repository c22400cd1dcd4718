// --scale: the region of an input at a smaller size, before it is measured.
#include "scaled_input.h"

#include <stdio.h>

// The region as an image of its own, over the input's pixels.
static lg_status view_region(lg_session *session, const lg_input_file *file, lg_image **out,
                             lg_error *error)
{
    const lg_region *r = &file->region;
    lg_image_params shape = file->image->shape;
    if (r->x < 0 || r->y < 0 || r->width < 1 || r->height < 1 || r->x > shape.width - r->width ||
        r->y > shape.height - r->height)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "region %lldx%lld+%lld+%lld is not inside the image, which has %d x %d "
                            "pixels",
                            (long long)r->width, (long long)r->height, (long long)r->x,
                            (long long)r->y, shape.width, shape.height);
    const size_t pixel = lg_type_size(shape.type) * (size_t)shape.channels;
    uint8_t *first =
        (uint8_t *)file->image->data + (size_t)r->y * shape.row_stride + (size_t)r->x * pixel;
    shape.width = (int32_t)r->width;
    shape.height = (int32_t)r->height;
    return lg_image_wrap(session->context, &shape, first, out, error);
}

static lg_status build(const lg_options *options, lg_graph **graph, lg_error *error)
{
    char text[100], factor[LG_NUMBER_SIZE];
    lg_node in, out;
    snprintf(text, sizeof text, "resize:scale=%s:method=%s", lg_number(options->scale, factor),
             lg_choice_resample(options->resample));
    lg_status status = lg_graph_create(graph, error);
    if (!status)
        status = lg_graph_input(*graph, "in", &in, error);
    if (!status)
        status = lg_graph_parse(*graph, text, in, &out, error);
    if (!status)
        status = lg_graph_output(*graph, out, error);
    return status;
}

static lg_status resize(lg_session *session, const lg_graph *graph, lg_image *in, lg_image **out,
                        lg_error *error)
{
    lg_plan *plan = NULL;
    lg_image_params shape;
    lg_status status = lg_plan_create(session->context, graph, &in->shape, 1, NULL, &plan, error);
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(session->context, &shape, out, error);
    if (!status)
        status = lg_plan_run(plan, &in, out, error);
    lg_plan_destroy(&plan);
    if (status)
        lg_image_destroy(out);
    return status;
}

lg_status lg_scale_input(lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_image *view = NULL, *scaled = NULL;
    lg_status status = view_region(session, file, &view, error);
    if (!status)
        status = build(session->options, &graph, error);
    if (!status)
        status = resize(session, graph, view, &scaled, error);
    lg_graph_destroy(&graph);
    lg_image_destroy(&view);
    if (status)
        return status;
    file->unscaled_width = file->image->shape.width;
    file->unscaled_height = file->image->shape.height;
    file->unscaled_region = file->region;
    lg_image_destroy(&file->image);
    file->image = scaled;
    file->region = lg_image_region(&scaled->shape);
    return LG_OK;
}
