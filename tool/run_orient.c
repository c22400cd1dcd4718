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

// Those of all outputs; 0 where they differ, or are not known.
static lg_pixel_steps steps_of(const lg_run *run)
{
    lg_pixel_steps first = {.turned = false}, other;
    lg_error ignored;
    if (!run->plan || lg_plan_pixels(run->plan, 0, &first, &ignored) != LG_OK)
        return first;
    for (size_t i = 1; i < run->output_count; i++)
        if (lg_plan_pixels(run->plan, i, &other, &ignored) != LG_OK ||
            other.turned != first.turned || other.x != first.x || other.y != first.y)
            return (lg_pixel_steps){.turned = false};
    return first;
}

void lg_run_scale_metadata(const lg_run *run, lg_session *session, lg_input_file *file)
{
    lg_metadata *m = file->info.metadata;
    const lg_pixel_steps steps = steps_of(run);
    if (steps.turned)
        lg_metadata_turn_pixels(m);
    if (!lg_metadata_knows_pixels(m) || (steps.x == 1 && steps.y == 1))
        return;
    lg_metadata_scale_pixels(m, steps.x, steps.y);
    if (!(steps.x > 0) && !file->repeated)
        lg_session_note(session,
                        "%s: note: outputs do not say how large their pixels are: a transform "
                        "changes it, or it is another one for each of several outputs",
                        file->name);
}
