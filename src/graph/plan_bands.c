// Plans in bands of rows. A window of each input goes down the image; what the band before has read stays.
#include "graph/plan_bands.h"

#include "device/dispatch.h"
#include "device/spill.h"
#include "graph/plan_planes.h"

#include <string.h>

// Bytes of the largest image of a band: every thread has enough to do, and no memory is held for nothing. On
// a device each band costs a submission.
#define THREAD_BYTES ((int64_t)1 << 20)
#define LEAST_BYTES  ((int64_t)2 << 20)
#define MOST_BYTES   ((int64_t)32 << 20)
#define REACH_ROWS                                                                                 \
    2 // rows of a band for each row above or below it that its stages compute once more
#define NO_MEMORY      "there is no memory" // begins what lg_plan_figures_need_whole says then, too
#define DEFAULT_MEMORY ((size_t)1 << 30)

// ---- what can be done -----------------------------------------------------------------------------

static const char *why_plan(const lg_plan *plan)
{
    if (lg_graph_remembers(plan->graph))
        return "it is kept for later runs";
    if (lg_plan_has_planes(plan))
        return "images of planes are read whole";
    const char *why = lg_plan_figures_need_whole(plan);
    if (why)
        return why;
    for (int i = 0; i < plan->graph->output_count; i++) {
        const lg_image_params *s = &plan->slots[plan->output_slots[i]].shape;
        if (s->height != plan->slots[plan->output_slots[0]].shape.height)
            return "the outputs have different heights";
    }
    return NULL;
}

const char *lg_plan_needs_whole(const lg_plan *plan, size_t input)
{
    lg_row_reach reach;
    lg_error error = {LG_OK, ""};
    if (!plan || input >= (size_t)plan->given_inputs)
        return "there is no such input";
    const char *why = why_plan(plan);
    if (why)
        return why;
    if (lg_plan_input_reach(plan, (int)input, &reach, &error))
        return NO_MEMORY " to look at the plan";
    return reach.whole;
}

// ---- memory ---------------------------------------------------------------------------------------

static double row_bytes(const lg_image_params *s)
{
    return (double)lg_align_up((size_t)s->width * lg_pixel_size(s), 64) * s->layers;
}

// The most rows of an image of `height` rows that a band of `rows` rows needs.
static int64_t rows_of(const lg_row_reach *reach, int64_t height, int64_t rows)
{
    if (reach->whole)
        return height;
    const int64_t of = reach->of, between = of > 1; // where a band begins between two rows
    const int64_t most = (rows * reach->rows + of - 1) / of + between;
    return LG_MIN(LG_MAX(most + reach->above + reach->below, 1), height);
}

static double slot_rows(const lg_band_walk *w, int slot, int64_t rows)
{
    return (double)rows_of(&w->of[slot], w->plan->slots[slot].shape.height, rows);
}

// Bytes of all images when a band has so many rows. A native filter has images of its own of its rows.
static double bytes_of(const lg_band_walk *w, int64_t rows)
{
    const lg_plan *plan = w->plan;
    double bytes = 0;
    for (int i = 0; i < plan->slot_count; i++) {
        const lg_plan_slot *s = &plan->slots[i];
        if (s->kind == LG_PLAN_INPUT && !w->by_rows[s->index])
            continue;
        bytes += row_bytes(&s->shape) * slot_rows(w, i, rows) *
                 (s->kind == LG_PLAN_INNER ? w->contexts : w->sides);
    }
    for (int i = 0; i < plan->stage_count; i++)
        if (plan->stages[i].source == LG_FILTER_NATIVE)
            bytes += row_bytes(&plan->slots[plan->stages[i].out].shape) * w->contexts *
                     slot_rows(w, plan->stages[i].in[0], rows);
    return plan->on_device ? bytes * 1.5
                           : bytes; // and the staging memory of what goes there and back
}

// Bands that are read, computed and written beside each other: threads wait for the first and the last.
#define OVERLAPPED       32
#define OVERLAPPED_BYTES ((int64_t)1 << 20) // at least

// Rows of a band where memory does not matter.
static int64_t usual_rows(const lg_band_walk *w)
{
    const lg_plan *plan = w->plan;
    double widest = 1;
    int64_t reach = 0;
    for (int i = 0; i < plan->slot_count; i++) {
        const lg_row_reach *r = &w->of[i];
        const double scale = (double)r->rows / (double)r->of;
        widest = LG_MAX(widest, row_bytes(&plan->slots[i].shape) * scale);
        if (!r->whole)
            reach = LG_MAX(reach, (int64_t)((double)(r->above + r->below) / scale));
    }
    const int64_t bytes =
        plan->on_device
            ? MOST_BYTES
            : LG_MIN(LG_MAX(THREAD_BYTES * lg_pool_threads(plan->context->pool), LEAST_BYTES),
                     MOST_BYTES);
    const int64_t most = LG_MAX((int64_t)((double)MOST_BYTES / widest), 1);
    int64_t wanted = (int64_t)((double)bytes / widest);
    if (w->params->overlap)
        wanted = LG_MIN(
            wanted, LG_MAX(w->height / OVERLAPPED, (int64_t)((double)OVERLAPPED_BYTES / widest)));
    const int64_t rows = LG_MIN(LG_MAX(wanted, REACH_ROWS * reach), most);
    if (w->contexts == 1)
        return rows;
    const int64_t turns = (int64_t)LG_BAND_SIDES * w->contexts; // each context has some of the rows
    return LG_MIN(rows, LG_MAX((w->height + turns - 1) / turns, reach));
}

static int64_t rows_within(const lg_band_walk *w, int64_t rows, double bytes)
{
    while (rows > 1 && bytes_of(w, rows) > bytes)
        rows = LG_MAX(rows / 2, 1);
    return rows;
}

// Images of bands that the context has no room for in the heap would be in files.
static lg_status choose_rows(lg_band_walk *w, lg_error *error)
{
    const double memory = (double)(w->params->memory ? w->params->memory : DEFAULT_MEMORY);
    const double room = LG_MIN(memory, (double)lg_blocks_room(w->plan->context));
    int64_t rows = w->params->rows ? w->params->rows : LG_MAX(usual_rows(w), 1);
    rows = LG_MIN(rows, w->height);
    w->sides = w->params->overlap || w->contexts > 1 ? LG_BAND_SIDES * w->contexts : 1;
    const int64_t fitting = rows_within(w, rows, room);
    rows = bytes_of(w, fitting) <= room ? fitting : rows_within(w, rows, memory);
    if (rows == w->height || bytes_of(w, rows) > memory)
        w->sides = 1;
    if (bytes_of(w, rows) > memory)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "a band of one row takes %.3f MB with the rows that filters need above and "
                       "below; limit memory is %.3f MB",
                       bytes_of(w, rows) / 1e6, memory / 1e6);
    w->rows = rows;
    return LG_OK;
}

static lg_status make_side(lg_band_walk *w, lg_band_side *side, lg_image *const *inputs,
                           lg_error *error)
{
    const lg_plan *plan = w->plan;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++) {
        lg_image_params shape = plan->given[i];
        side->in[i] = w->by_rows[i] ? NULL : inputs[i];
        if (!w->by_rows[i])
            continue;
        shape.height = (int32_t)rows_of(&w->inputs[i], shape.height, w->rows);
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create_uninit(plan->context, &shape, &side->in[i], error);
    }
    for (int i = 0; i < plan->given_outputs && !status; i++) {
        lg_image_params shape = plan->slots[plan->output_slots[i]].shape;
        shape.height = (int32_t)w->rows;
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create_uninit(plan->context, &shape, &side->out[i], error);
    }
    return status;
}

// ---- a band ---------------------------------------------------------------------------------------

// Rows first .. first + rows - 1 of an image in memory, of all layers, as an image that shares them.
static lg_status part_of(const lg_band_walk *w, const lg_image *image, int64_t first, int64_t rows,
                         lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.height = (int32_t)rows;
    return lg_image_wrap(w->plan->context, &shape,
                         (char *)image->data + (size_t)first * shape.row_stride, out, error);
}

// The window of rows first .. end - 1. What the band before has of them is taken from its window, which may
// be in use, or is the same one; the rest is read.
static lg_status fill_window(lg_band_walk *w, const lg_band_side *before, lg_band_side *side,
                             int input, int64_t first, int64_t end, lg_error *error)
{
    lg_image *image = side->in[input], *part = NULL;
    const size_t stride = image->shape.row_stride;
    const int64_t kept = LG_MAX(before->end[input] - first, 0);
    for (int32_t z = 0; z < image->shape.layers && kept; z++) {
        const size_t layer = (size_t)z * image->shape.layer_stride;
        memmove((char *)image->data + layer,
                (char *)before->in[input]->data + layer +
                    (size_t)(first - before->first[input]) * stride,
                (size_t)kept * stride);
    }
    side->first[input] = first;
    side->end[input] = first + kept;
    if (end <= side->end[input])
        return LG_OK;
    lg_status status = part_of(w, image, kept, end - side->end[input], &part, error);
    if (!status)
        status = w->params->read(w->params->priv, (size_t)input, side->end[input], part, error);
    lg_image_destroy(&part);
    side->end[input] = end;
    return status;
}

static int64_t first_at(const lg_band_walk *w, int64_t k)
{
    return w->top + k * w->rows;
}

static int64_t rows_at(const lg_band_walk *w, int64_t k)
{
    return LG_MIN(w->rows, w->bottom - first_at(w, k));
}

lg_status lg_band_fetch(lg_band_walk *w, int64_t k, lg_error *error)
{
    static const lg_band_side nothing;
    const int64_t first = first_at(w, k), end = first + rows_at(w, k);
    const lg_band_side *before = k ? &w->side[(k - 1) % w->sides] : &nothing;
    lg_status status = LG_OK;
    for (int i = 0; i < w->plan->given_inputs && !status; i++) {
        if (!w->by_rows[i])
            continue;
        int64_t from, to;
        lg_row_reach_rows(&w->inputs[i], w->plan->given[i].height, first, end, &from, &to);
        status = fill_window(w, before, &w->side[k % w->sides], i, from, to, error);
    }
    return status;
}

static void add_seconds(double *to, double more)
{
    if (more >= 0)
        *to = LG_MAX(*to, 0) + more;
}

static void add_times(lg_band_walk *w)
{
    const lg_engine_report *last = &w->plan->context->report, before = w->report;
    for (int i = 0; i < w->plan->stage_count; i++) {
        w->stages[i].seconds += w->plan->stages[i].seconds;
        w->stages[i].bytes += w->plan->stages[i].bytes;
    }
    w->report = *last;
    w->report.upload = before.upload;
    w->report.compute = before.compute;
    w->report.download = before.download;
    if (!last->fallback[0]) // one band had one
        memcpy(w->report.fallback, before.fallback, sizeof before.fallback);
    add_seconds(&w->report.upload, last->upload);
    add_seconds(&w->report.compute, last->compute);
    add_seconds(&w->report.download, last->download);
}

// What a run in bands took is what all bands did.
static void tell_times(lg_band_walk *w)
{
    for (int i = 0; i < w->plan->stage_count; i++) {
        w->plan->stages[i].seconds = w->stages[i].seconds;
        w->plan->stages[i].bytes = w->stages[i].bytes;
    }
    w->plan->context->report = w->report;
}

lg_plan_band lg_band_at(const lg_band_walk *w, int64_t k)
{
    lg_plan_band band = {.first = first_at(w, k), .rows = rows_at(w, k)};
    for (int i = 0; i < LG_MAX_INPUTS; i++) {
        band.inputs[i] = w->side[k % w->sides].first[i];
        band.outputs[i] = band.first;
    }
    return band;
}

lg_status lg_band_compute(lg_band_walk *w, int64_t k, lg_error *error)
{
    lg_band_side *side = &w->side[k % w->sides];
    const lg_plan_band band = lg_band_at(w, k);
    for (int i = 0; i < w->plan->stage_count; i++) // of stages that this pass leaves out
        w->plan->stages[i].seconds = w->plan->stages[i].bytes = 0;
    lg_status status = lg_plan_run_rows(w->plan, &band, side->in, side->out, error);
    w->done++;
    if (!status)
        status = lg_pool_report(w->plan->context->pool, 0, error);
    if (!status)
        add_times(w);
    return status;
}

lg_status lg_band_store(lg_band_walk *w, int64_t k, lg_error *error)
{
    const int64_t first = first_at(w, k), begin = LG_MAX(first, w->begin);
    const int64_t end = LG_MIN(first + rows_at(w, k), w->end_row);
    const bool writes = lg_plan_pass_writes(w->plan) && begin < end;
    lg_status status = LG_OK;
    for (int i = 0; i < w->plan->given_outputs && !status && writes; i++) {
        lg_image *part = NULL;
        status = part_of(w, w->side[k % w->sides].out[i], begin - first, end - begin, &part, error);
        if (!status)
            status = w->params->write(w->params->priv, (size_t)i, begin, part, error);
        lg_image_destroy(&part);
    }
    return status;
}

// ---- the run --------------------------------------------------------------------------------------

// The part of the run that is done, in place of that of a band.
static bool tell_part(void *priv, double part)
{
    lg_band_walk *w = priv;
    const lg_context_params *told = &w->plan->context->params;
    // Each stage of a band begins with 0 again.
    w->told = LG_MAX(w->told, ((double)w->done + part) / (double)w->bands);
    return told->progress(told->progress_priv, w->told);
}

static void redirect(lg_band_walk *w, bool here)
{
    const lg_context *context = w->plan->context;
    const lg_progress_fn progress = context->params.progress;
    lg_pool_watch(context->pool, here && progress ? tell_part : progress,
                  here && progress ? w : context->params.progress_priv, LG_PROGRESS_SECONDS);
}

lg_status lg_band_walk_begin(lg_band_walk *w, lg_image *const *inputs, lg_error *error)
{
    const lg_plan *plan = w->plan;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++) {
        w->by_rows[i] = !inputs || !inputs[i];
        const char *why = w->by_rows[i] ? lg_plan_needs_whole(plan, (size_t)i) : why_plan(plan);
        if (why && strncmp(why, NO_MEMORY, sizeof NO_MEMORY - 1) == 0)
            status = lg_fail(error, LG_ERROR_MEMORY, "out of memory: %s", why);
        else if (why)
            status =
                lg_fail(error, LG_ERROR_UNSUPPORTED,
                        "input %d is needed whole, and this plan cannot run in bands: %s", i, why);
        else
            status = lg_plan_input_reach(plan, i, &w->inputs[i], error);
    }
    if (status)
        return status;
    w->height = w->bottom = plan->slots[plan->output_slots[0]].shape.height;
    w->begin = w->params->first;
    w->end_row = w->params->end ? w->params->end : w->height;
    if (w->begin < 0 || w->begin > w->end_row || w->end_row > w->height)
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows %lld to %lld of outputs of %lld rows",
                       (long long)w->begin, (long long)w->end_row - 1, (long long)w->height);
    w->of = lg_alloc_array((size_t)plan->slot_count, sizeof *w->of);
    w->stages = lg_alloc_array((size_t)plan->stage_count + 1, sizeof *w->stages);
    if (!w->of || !w->stages)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *w->of,
                              "the reach of a plan");
    w->report = (lg_engine_report){.upload = -1, .compute = -1, .download = -1};
    lg_plan_find_reach(plan, w->of);
    status = choose_rows(w, error);
    w->side = status ? NULL : lg_alloc_array((size_t)w->sides, sizeof *w->side);
    if (!status && !w->side)
        status = lg_fail_memory(error, (size_t)w->sides * sizeof *w->side, "bands");
    if (!status)
        w->bands = lg_band_count(w) * lg_plan_count_passes(plan);
    return status;
}

lg_status lg_band_walk_make(lg_band_walk *w, lg_image *const *inputs, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < w->sides && !status; i++)
        status = make_side(w, &w->side[i], inputs, error);
    return status;
}

void lg_band_walk_end(lg_band_walk *w)
{
    for (int side = 0; side < w->sides && w->side; side++)
        for (int i = 0; i < LG_MAX_INPUTS; i++) {
            if (w->by_rows[i])
                lg_image_destroy(&w->side[side].in[i]);
            lg_image_destroy(&w->side[side].out[i]);
        }
    lg_free(w->side);
    lg_free(w->of);
    lg_free(w->stages);
}

void lg_band_walk_rows(lg_band_walk *w)
{
    const bool some = lg_plan_pass_writes(w->plan) && !lg_plan_pass_measures(w->plan);
    w->top = some ? w->begin : 0;
    w->bottom = some ? w->end_row : w->height;
}

// From the top down to the bottom, or through the rows that are written where these suffice.
static lg_status run_pass(lg_band_walk *w, lg_error *error)
{
    lg_status status = LG_OK;
    bool overlapped = false;
    lg_band_walk_rows(w);
    if (w->sides > 1)
        status = lg_bands_overlap(w, &overlapped, error);
    for (int64_t k = 0; k < lg_band_count(w) && !overlapped && !status; k++) {
        status = lg_band_fetch(w, k, error);
        if (!status)
            status = lg_band_compute(w, k, error);
        if (!status)
            status = lg_band_store(w, k, error);
    }
    return status;
}

size_t lg_plan_band_passes(const lg_plan *plan)
{
    return plan ? (size_t)lg_plan_count_passes(plan) : 0;
}

lg_status lg_bands_take(const lg_plan *plan, const lg_bands_params *params, lg_bands_params *out,
                        lg_error *error)
{
    *out = lg_bands_params_default();
    if (!plan || !params)
        return lg_fail_null(error, "a plan, and functions for its rows");
    lg_status status = lg_context_check(plan->context, error);
    if (!status)
        status = lg_params_take(params, &LG_PARAMS_TYPE(lg_bands_params, memory), out, error);
    if (!status && (!out->read || !out->write || out->rows < 0))
        status =
            lg_fail(error, LG_ERROR_ARGUMENT,
                    "bands of %lld rows, %s function to read, %s to write: rows are 0 or more, "
                    "and both functions are needed",
                    (long long)out->rows, out->read ? "a" : "no", out->write ? "one" : "none");
    return status;
}

lg_status lg_plan_run_bands(lg_plan *plan, lg_image *const *inputs, const lg_bands_params *params,
                            lg_error *error)
{
    lg_bands_params taken;
    lg_status status = lg_bands_take(plan, params, &taken, error);
    if (status)
        return status;
    lg_band_walk w = {.plan = plan, .params = &taken, .contexts = 1, .sides = 1};
    status = lg_band_walk_begin(&w, inputs, error);
    if (!status)
        status = lg_band_walk_make(&w, inputs, error);
    plan->figures_known = false;
    redirect(&w, true);
    if (!status)
        status = lg_plan_next_pass(plan, error);
    while (!status && plan->pass) {
        status = run_pass(&w, error);
        if (!status)
            status = lg_plan_next_pass(plan, error);
    }
    lg_plan_end_passes(plan);
    redirect(&w, false);
    plan->figures_known = !status;
    if (!status)
        tell_times(&w);
    lg_band_walk_end(&w);
    return status;
}
