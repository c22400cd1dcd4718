// `lumagraph run` layer by layer: figures of each layer.
#include "layers.h"
#include "run.h"

#include <stdlib.h>

// The selected layer of --mask; *out stays NULL for a mask of one layer.
static lg_status select_layer(const lg_run *run, lg_session *session, const lg_input_file *file,
                              int32_t z, lg_image **out, lg_error *error)
{
    const lg_image *mask = session->mask;
    lg_status status = LG_OK;
    if (!lg_run_selects(run))
        return LG_OK;
    if (mask && mask->shape.layers > 1)
        status = lg_layer_of(session->context, mask, z, out, error);
    return status ? status
                  : lg_plan_select(run->plan, file->select.region, *out ? *out : mask, error);
}

static lg_status check_mask(const lg_run *run, const lg_session *session, lg_error *error)
{
    const lg_image *mask = lg_run_selects(run) ? session->mask : NULL;
    const int32_t layers = run->inputs[0]->shape.layers;
    if (!mask || mask->shape.layers == 1 || mask->shape.layers == layers)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "the mask has %d layers; it must have one, or as many as the image, %d",
                        mask->shape.layers, layers);
}

static double add(double a, double b)
{
    return a < 0 ? b : b < 0 ? a : a + b; // below 0: there is no such phase
}

// What a layer took, to what those before it took.
static void add_engine(lg_session *session, int32_t z)
{
    const lg_engine_report before = session->engine;
    lg_session_computed(session);
    if (!z)
        return;
    session->engine.upload = add(before.upload, session->engine.upload);
    session->engine.compute = add(before.compute, session->engine.compute);
    session->engine.download = add(before.download, session->engine.download);
}

static lg_status add_stages(lg_run *run, int32_t z, lg_error *error)
{
    const size_t count = lg_plan_profile(run->plan, NULL, 0);
    lg_stage_profile *now = calloc(count + 1, sizeof *now);
    if (!run->stages)
        run->stages = calloc(count + 1, sizeof *run->stages);
    if (!now || !run->stages) {
        free(now);
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a profile");
    }
    lg_plan_profile(run->plan, now, count);
    for (size_t i = 0; i < count; i++) {
        if (z) {
            now[i].seconds += run->stages[i].seconds;
            now[i].bytes += run->stages[i].bytes;
        }
        run->stages[i] = now[i];
    }
    run->stage_count = count;
    free(now);
    return LG_OK;
}

lg_status lg_run_add_layer(lg_run *run, lg_session *session, int32_t z, lg_error *error)
{
    lg_status status = lg_run_read_figures(run, z, error);
    if (!status)
        status = add_stages(run, z, error);
    if (!status)
        add_engine(session, z);
    return status;
}

// A further image of as many layers goes with them, unless it may be a volume of colours.
static bool goes_along(const lg_image_params *s, const lg_image_params *first)
{
    return s->layers != first->layers ||
           (lg_is_sliced(s, first) && (s->width != s->height || s->width != s->layers));
}

bool lg_run_splits_layers(const lg_run *run)
{
    lg_error ignored;
    const lg_image_params *first = &run->inputs[0]->shape;
    bool splits = first->layers > 1 && !lg_graph_takes_volumes(run->graph) &&
                  lg_check_layers(run->graph, &ignored) == LG_OK &&
                  !(run->options->stack && lg_graph_measures(run->graph));
    for (size_t i = 1; i < run->input_count && splits; i++)
        splits = !run->film_names[i] && goes_along(&run->inputs[i]->shape, first);
    return splits;
}

lg_status lg_run_all_layers(lg_run *run, lg_session *session, const lg_input_file *file,
                            lg_error *error)
{
    const lg_layer_run layer = {run->plan, run->inputs, run->images, run->input_count,
                                run->output_count};
    lg_status status = check_mask(run, session, error);
    for (int32_t z = 0; z < run->inputs[0]->shape.layers && !status; z++) {
        lg_image *mask = NULL;
        status = select_layer(run, session, file, z, &mask, error);
        if (!status)
            status = lg_run_layer(session->context, &layer, z, error);
        if (!status)
            status = lg_run_add_layer(run, session, z, error);
        lg_image_destroy(&mask);
    }
    session->engine_settled = true;
    return status;
}
