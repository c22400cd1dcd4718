// `lumagraph run` on several devices: they share the rows of each image.
#include "run.h"
#include "several_devices.h"

#include <stdlib.h>

static const char *why_alone(const lg_run *run)
{
    if (run->by_layer)
        return "each layer has figures of its own";
    if (run->options->profile)
        return "--profile is of one device";
    if (run->options->run_figure_count || lg_plan_band_passes(run->plan) > 1)
        return "figures are of a whole image";
    return lg_plan_needs_whole(run->plan, 0);
}

bool lg_run_is_shared(const lg_run *run, lg_session *session)
{
    const char *why = session->batch ? why_alone(run) : NULL;
    if (why)
        snprintf(session->device_reason, sizeof session->device_reason,
                 "asked for with --device: the first of %d devices, as rows are not shared: %.80s",
                 session->several_count, why);
    return session->batch && !why;
}

void lg_run_drop_shared(lg_run *run)
{
    for (int i = 0; i < LG_MAX_DEVICES; i++)
        lg_plan_destroy(&run->shared[i]);
}

// The plan again, for each device.
static lg_status make_plans(lg_run *run, const lg_session *session, lg_error *error)
{
    lg_image_params shapes[LG_MAX_INPUTS];
    lg_type types[LG_MAX_INPUTS];
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->input_count; i++)
        shapes[i] = run->inputs[i]->shape;
    for (size_t i = 0; i < run->output_count && run->type >= 0; i++)
        types[i] = (lg_type)run->type;
    for (int i = 0; i < session->several_count && !status; i++)
        if (!run->shared[i])
            status = lg_plan_create_bands(session->several[i], run->graph, shapes, run->input_count,
                                          run->type >= 0 ? types : NULL, &run->shared[i], error);
    return status;
}

// What all devices took.
static void note_stages(lg_run *run)
{
    run->stage_count = lg_plan_profile(run->shared[0], NULL, 0);
    free(run->stages);
    run->stages = calloc(run->stage_count + 1, sizeof *run->stages);
    lg_plan_profile(run->shared[0], run->stages, run->stages ? run->stage_count : 0);
}

lg_status lg_run_share_bands(lg_run *run, lg_session *session, lg_image *const *inputs,
                             const lg_bands_params *params, lg_error *error)
{
    const double start = lg_clock();
    lg_status status = make_plans(run, session, error);
    if (!status)
        status = lg_batch_run_bands(session->batch, run->shared, inputs, params, error);
    if (status)
        return status;
    lg_several_note_engine(session, lg_clock() - start);
    note_stages(run);
    return LG_OK;
}

// Devices that are lost leave the image to the first one, or to the processor.
static lg_status run_alone(lg_run *run, lg_session *session, const lg_error *why, lg_error *error)
{
    const lg_status status = lg_plan_run(run->plan, run->inputs, run->images, error);
    if (status)
        return status;
    lg_session_computed(session);
    snprintf(session->engine.fallback, sizeof session->engine.fallback, "%s", why->message);
    session->engine_settled = true;
    return LG_OK;
}

lg_status lg_run_share(lg_run *run, lg_session *session, lg_error *error)
{
    lg_context *processor;
    const double start = lg_clock();
    lg_status status = make_plans(run, session, error);
    if (!status)
        status = lg_batch_run(session->batch, run->shared, run->inputs, run->images, error);
    if (!status) {
        lg_several_note_engine(session, lg_clock() - start);
        note_stages(run);
    } else if (lg_session_may_fall_back(session, status, &processor, error)) {
        const lg_error why = *error;
        lg_run_drop_shared(run);
        status = run_alone(run, session, &why, error);
    }
    return status;
}
