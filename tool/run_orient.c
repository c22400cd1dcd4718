// The input of `lumagraph run`, turned upright.
#include "run.h"
#include <lumagraph/io.h>

#include <string.h>

// The filter for each orientation of TIFF and EXIF.
static const char *const turns[9] = {[2] = "flip",
                                     [3] = "rotate:angle=180",
                                     [4] = "flip:direction=vertical",
                                     [5] = "transpose",
                                     [6] = "rotate:angle=90",
                                     [7] = "transpose:diagonal=anti",
                                     [8] = "rotate:angle=270"};

static lg_status build(lg_graph **graph, const char *turn, lg_error *error)
{
    lg_node first, last;
    lg_status status = lg_graph_create(graph, error);
    if (!status)
        status = lg_graph_input(*graph, "in", &first, error);
    if (!status)
        status = lg_graph_parse(*graph, turn, first, &last, error);
    return status ? status : lg_graph_output(*graph, last, error);
}

static lg_status turn_image(lg_context *context, const char *turn, lg_image **image,
                            lg_error *error)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *turned = NULL;
    lg_image_params shape;
    lg_status status = build(&graph, turn, error);
    if (!status)
        status = lg_plan_create(context, graph, &(*image)->shape, 1, NULL, &plan, error);
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(context, &shape, &turned, error);
    if (!status)
        status = lg_plan_run(plan, image, &turned, error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(status ? &turned : image);
    if (!status)
        *image = turned;
    return status;
}

lg_status lg_run_orient(lg_session *session, lg_input_file *file, lg_error *error)
{
    if (!session->options->auto_orient)
        return LG_OK;
    const char *turn = turns[lg_metadata_orientation(file->info.metadata)];
    const lg_status status = turn ? turn_image(session->context, turn, &file->image, error) : LG_OK;
    if (!status)
        lg_metadata_set_upright(file->info.metadata);
    if (session->options->strip)
        lg_metadata_destroy(&file->info.metadata);
    return status;
}

// ---- the size of pixels ---------------------------------------------------------------------------

// Filters behind which a resized image says nothing about the size of its pixels.
static bool changes_size(const char *filter)
{
    static const char *const names[] = {"crop",      "pad",           "canvas", "rotate",
                                        "transpose", "color_packing", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], filter) == 0)
            return true;
    return false;
}

void lg_run_scale_metadata(const lg_run *run, lg_session *session, lg_input_file *file)
{
    bool idle, resized = false, other = run->output_count > 1;
    lg_metadata *m = file->info.metadata;
    if (!lg_metadata_knows_pixels(m))
        return;
    for (lg_node node = 0; node < LG_MAX_NODES; node++) {
        const lg_filter *filter = lg_graph_node_filter(run->graph, node, &idle);
        resized |= filter && strcmp(filter->name, "resize") == 0;
        other |= filter && changes_size(filter->name);
    }
    const lg_image_params *from = &file->image->shape, *to = &run->made[0];
    if (!resized || (from->width == to->width && from->height == to->height))
        return;
    lg_metadata_scale_pixels(m, other ? 0 : (double)from->width / to->width,
                             other ? 0 : (double)from->height / to->height);
    if (other && !file->repeated)
        lg_session_note(session,
                        "%s: note: outputs do not say how large their pixels are: the pipeline "
                        "resizes, and changes the frame as well or has several outputs",
                        file->name);
}
