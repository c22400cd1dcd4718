// Bands that the contexts of a batch share. A job computes one, with the plan of the context that takes it:
// rows of the caller's images, or windows that the caller's thread fetches and stores in order.
#include "graph/plan_bands.h"
#include "measure/batch_contexts.h"

#include <lumagraph/batch_images.h>

typedef struct shared_walk shared_walk;

typedef struct band_job {
    shared_walk *s;
    int64_t k; // the band
} band_job;

struct shared_walk {
    lg_band_walk w; // its plan is that of the first context
    lg_batch *batch;
    lg_plan *const *plans;                    // of each context
    lg_image *const *inputs, *const *outputs; // of lg_batch_run; NULL: rows are read and written
    lg_image **whole;         // of each context: inputs that are not read by rows; else NULL
    lg_stage_profile *stages; // of each context: sums over its bands
    band_job *jobs;           // of each side
};

// ---- plans ----------------------------------------------------------------------------------------

static bool same_shape(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height && a->layers == b->layers &&
           a->channels == b->channels && a->type == b->type;
}

static bool same_plans(const lg_plan *a, const lg_plan *b)
{
    bool same = a->given_inputs == b->given_inputs && a->given_outputs == b->given_outputs;
    for (int i = 0; i < a->given_inputs && same; i++)
        same = same_shape(&a->given[i], &b->given[i]);
    for (int i = 0; i < a->given_outputs && same; i++)
        same = same_shape(&a->slots[a->output_slots[i]].shape, &b->slots[b->output_slots[i]].shape);
    return same;
}

static lg_status check_plans(const lg_batch *batch, lg_plan *const *plans, lg_error *error)
{
    if (!batch || !plans)
        return lg_fail_null(error, "a batch, and a plan of each of its contexts");
    if (!lg_batch_is_idle(batch))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the batch has jobs: call lg_batch_wait before it runs a plan");
    for (int i = 0; i < lg_batch_count(batch); i++) {
        if (!plans[i] || plans[i]->context != lg_batch_context(batch, i))
            return lg_fail(error, LG_ERROR_ARGUMENT, "plan %d is not of context %d of the batch", i,
                           i);
        if (!same_plans(plans[0], plans[i]))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "plan %d is for images of other shapes than plan 0", i);
    }
    if (lg_plan_count_passes(plans[0]) > 1 || plans[0]->graph->figure_count)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "figures are measured by one context; lg_plan_run_bands does that");
    if (lg_graph_remembers(plans[0]->graph))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "images of the run before are of one context; lg_plan_run has them");
    return LG_OK;
}

// ---- a band ---------------------------------------------------------------------------------------

// Rows first .. first + rows - 1 of an image, for a context.
static lg_status wrap(lg_context *context, const lg_image *image, int64_t first, int64_t rows,
                      lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.height = (int32_t)rows;
    return lg_image_wrap(context, &shape, (char *)image->data + (size_t)first * shape.row_stride,
                         out, error);
}

// What the band needs of input i.
static lg_status wrap_input(const shared_walk *s, lg_context *context, int i, int64_t k,
                            lg_plan_band *band, lg_image **out, lg_error *error)
{
    const lg_band_walk *w = &s->w;
    if (!s->inputs) {
        const lg_image *window = w->side[k % w->sides].in[i];
        return wrap(context, window, 0, window->shape.height, out, error);
    }
    int64_t end;
    lg_row_reach_rows(&w->inputs[i], s->inputs[i]->shape.height, band->first,
                      band->first + band->rows, &band->inputs[i], &end);
    return wrap(context, s->inputs[i], band->inputs[i], end - band->inputs[i], out, error);
}

static lg_status wrap_output(const shared_walk *s, lg_context *context, int i, int64_t k,
                             const lg_plan_band *band, lg_image **out, lg_error *error)
{
    if (s->outputs)
        return wrap(context, s->outputs[i], band->first, band->rows, out, error);
    const lg_image *image = s->w.side[k % s->w.sides].out[i];
    return wrap(context, image, 0, image->shape.height, out, error);
}

static lg_status compute_band(shared_walk *s, int index, int64_t k, lg_image **in, lg_image **out,
                              lg_error *error)
{
    const lg_band_walk *w = &s->w;
    lg_plan *plan = s->plans[index];
    lg_plan_band band = lg_band_at(w, k);
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++)
        if (w->by_rows[i])
            status = wrap_input(s, plan->context, i, k, &band, &in[i], error);
        else
            in[i] = s->whole[index * plan->given_inputs + i];
    for (int i = 0; i < plan->given_outputs && !status; i++)
        status = wrap_output(s, plan->context, i, k, &band, &out[i], error);
    return status ? status : lg_plan_run_rows(plan, &band, in, out, error);
}

static lg_status compute(lg_context *context, void *priv, lg_error *error)
{
    const band_job *j = priv;
    const lg_band_walk *w = &j->s->w;
    int index = 0;
    while (j->s->plans[index]->context != context)
        index++;
    const lg_plan *plan = j->s->plans[index];
    lg_image *in[LG_MAX_INPUTS] = {NULL}, *out[LG_MAX_INPUTS] = {NULL};
    const lg_status status = compute_band(j->s, index, j->k, in, out, error);
    for (int i = 0; i < LG_MAX_INPUTS; i++) {
        if (w->by_rows[i])
            lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
    }
    lg_stage_profile *stages = j->s->stages + index * w->plan->stage_count;
    for (int i = 0; i < w->plan->stage_count && !status; i++) {
        stages[i].seconds += plan->stages[i].seconds;
        stages[i].bytes += plan->stages[i].bytes;
    }
    return status;
}

static lg_status add_band(shared_walk *s, int64_t k, lg_error *error)
{
    band_job *j = &s->jobs[k % s->w.sides];
    *j = (band_job){s, k};
    const lg_status status = s->inputs ? LG_OK : lg_band_fetch(&s->w, k, error);
    return status ? status : lg_batch_add(s->batch, compute, j, error);
}

static lg_status take_band(shared_walk *s, int64_t k, lg_error *error)
{
    lg_batch_result result;
    const lg_status status = lg_batch_next(s->batch, &result, error);
    if (status)
        return status;
    if (result.status)
        return lg_fail(error, result.status, "%s", result.error.message);
    return s->outputs ? LG_OK : lg_band_store(&s->w, k, error);
}

// What is in front of a band that could not be fetched is stored, and then its failure told.
static lg_status run(shared_walk *s, lg_error *error)
{
    const int64_t count = lg_band_count(&s->w);
    int64_t added = 0, taken = 0, end = count;
    lg_status status = LG_OK, fetched = LG_OK;
    lg_error why = {LG_OK, ""};
    while (taken < end && !status) {
        while (added < end && added - taken < s->w.sides) {
            fetched = add_band(s, added, &why);
            if (fetched)
                end = added;
            else
                added++;
        }
        if (taken < end)
            status = take_band(s, taken++, error);
    }
    lg_batch_wait(s->batch, NULL);
    return status || !fetched ? status : lg_fail(error, fetched, "%s", why.message);
}

// ---- the run --------------------------------------------------------------------------------------

// Each context reads an image of its own, once.
static lg_status share_whole(shared_walk *s, lg_image *const *inputs, lg_error *error)
{
    const lg_plan *first = s->w.plan;
    lg_status status = LG_OK;
    for (int c = 0; c < s->w.contexts; c++)
        for (int i = 0; i < first->given_inputs && !status; i++) {
            lg_plan *plan = s->plans[c];
            lg_image **own = &s->whole[c * first->given_inputs + i];
            if (s->w.by_rows[i])
                continue;
            if (!inputs[i]->data)
                return lg_fail(error, LG_ERROR_ARGUMENT, "input %d has no host pixels", i);
            status = wrap(plan->context, inputs[i], 0, inputs[i]->shape.height, own, error);
            if (!status && plan->on_device)
                status = lg_image_upload(plan->context, *own, error);
            if (status == LG_ERROR_DEVICE) // its bands are handed on, or read it where it is
                status = LG_OK;
        }
    return status;
}

static lg_status make_room(shared_walk *s, lg_error *error)
{
    const lg_plan *plan = s->w.plan;
    const size_t contexts = (size_t)s->w.contexts;
    s->whole = lg_alloc_array(contexts * (size_t)LG_MAX(plan->given_inputs, 1), sizeof *s->whole);
    s->stages = lg_alloc_array(contexts * (size_t)LG_MAX(plan->stage_count, 1), sizeof *s->stages);
    s->jobs = lg_alloc_array((size_t)s->w.sides, sizeof *s->jobs);
    return s->whole && s->stages && s->jobs
               ? LG_OK
               : lg_fail_memory(error, (size_t)s->w.sides * sizeof *s->jobs, "jobs of bands");
}

static void tell_times(const shared_walk *s)
{
    lg_plan *plan = s->w.plan;
    for (int i = 0; i < plan->stage_count; i++) {
        plan->stages[i].seconds = plan->stages[i].bytes = 0;
        for (int c = 0; c < s->w.contexts; c++) {
            plan->stages[i].seconds += s->stages[c * plan->stage_count + i].seconds;
            plan->stages[i].bytes += s->stages[c * plan->stage_count + i].bytes;
        }
    }
}

static void drop(shared_walk *s)
{
    const int count = s->w.contexts * s->w.plan->given_inputs;
    for (int i = 0; i < count && s->whole; i++)
        lg_image_destroy(&s->whole[i]);
    lg_free(s->whole);
    lg_free(s->stages);
    lg_free(s->jobs);
    lg_plan_end_passes(s->w.plan);
    lg_band_walk_end(&s->w);
}

static lg_status run_shared(shared_walk *s, lg_image *const *inputs, lg_error *error)
{
    lg_status status = lg_band_walk_begin(&s->w, inputs, error);
    if (!status && !s->inputs)
        status = lg_band_walk_make(&s->w, inputs, error);
    if (!status)
        status = make_room(s, error);
    if (!status)
        status = share_whole(s, inputs, error);
    if (!status)
        status = lg_plan_next_pass(s->w.plan, error);
    if (!status) {
        lg_band_walk_rows(&s->w);
        status = run(s, error);
    }
    if (!status)
        tell_times(s);
    drop(s);
    return status;
}

lg_status lg_batch_run_bands(lg_batch *batch, lg_plan *const *plans, lg_image *const *inputs,
                             const lg_bands_params *params, lg_error *error)
{
    lg_bands_params taken;
    lg_status status = check_plans(batch, plans, error);
    if (!status)
        status = lg_bands_take(plans[0], params, &taken, error);
    if (status)
        return status;
    shared_walk s = {
        .w = {.plan = plans[0], .params = &taken, .contexts = lg_batch_count(batch), .sides = 1},
        .batch = batch,
        .plans = plans};
    return run_shared(&s, inputs, error);
}

static lg_status check_images(const lg_plan *plan, lg_image *const *inputs,
                              lg_image *const *outputs, lg_error *error)
{
    lg_status status = lg_plan_check_images(plan, inputs, outputs, false, error);
    for (int i = 0; i < plan->given_inputs + plan->given_outputs && !status; i++) {
        const bool input = i < plan->given_inputs;
        const lg_image *image = input ? inputs[i] : outputs[i - plan->given_inputs];
        if (!image->data)
            status = lg_fail(error, LG_ERROR_ARGUMENT, "%s %d has no host pixels",
                             input ? "input" : "output", input ? i : i - plan->given_inputs);
    }
    return status;
}

lg_status lg_batch_run(lg_batch *batch, lg_plan *const *plans, lg_image *const *inputs,
                       lg_image *const *outputs, lg_error *error)
{
    const lg_bands_params params = lg_bands_params_default();
    lg_image *whole[LG_MAX_INPUTS] = {NULL};
    lg_status status = check_plans(batch, plans, error);
    if (!status)
        status = check_images(plans[0], inputs, outputs, error);
    if (status)
        return status;
    for (int i = 0; i < plans[0]->given_inputs; i++)
        whole[i] = lg_plan_needs_whole(plans[0], (size_t)i) ? inputs[i] : NULL;
    shared_walk s = {
        .w = {.plan = plans[0], .params = &params, .contexts = lg_batch_count(batch), .sides = 1},
        .batch = batch,
        .plans = plans,
        .inputs = inputs,
        .outputs = outputs};
    return run_shared(&s, whole, error);
}
