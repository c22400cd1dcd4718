// Plans in bands of rows. A window of each input goes down the image; what the band before has read stays.
#include <lumagraph/bands.h>

#include "graph/plan_planes.h"
#include "graph/plan_rows.h"

#include <string.h>

#define BAND_BYTES     ((int64_t)32 << 20) // of the largest image: enough for all threads
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
        if (s->layers != 1)
            return "it has several layers";
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
        return "there is no memory to look at the plan";
    if (reach.whole)
        return reach.whole;
    const lg_image_params *s = &plan->given[input];
    const lg_image_params *out = &plan->slots[plan->output_slots[0]].shape;
    return s->layers != 1             ? "it has several layers"
           : s->height != out->height ? "the output has another height"
                                      : NULL;
}

// ---- memory ---------------------------------------------------------------------------------------

typedef struct walk {
    lg_plan *plan;
    const lg_bands_params *params;
    lg_row_reach *of; // of each slot
    lg_row_reach inputs[LG_MAX_INPUTS];
    lg_image *in[LG_MAX_INPUTS]; // windows, or the caller's images
    bool by_rows[LG_MAX_INPUTS];
    int64_t first[LG_MAX_INPUTS]; // row of the image that the window begins with
    int64_t end[LG_MAX_INPUTS];   // behind its last row
    lg_image *out[LG_MAX_INPUTS];
    int64_t height, rows;   // of the image, of a band
    int64_t begin, end_row; // rows that are written
} walk;

static double row_bytes(const lg_image_params *s)
{
    return (double)lg_align_up((size_t)s->width * lg_pixel_size(s), 64) * s->layers;
}

static double rows_of(const walk *w, const lg_row_reach *reach, int64_t rows)
{
    return reach->whole ? (double)w->height
                        : (double)LG_MIN(rows + reach->above + reach->below, w->height);
}

// Bytes of all images when a band has so many rows. A native filter has images of its own of its rows.
static double bytes_of(const walk *w, int64_t rows)
{
    const lg_plan *plan = w->plan;
    double bytes = 0;
    for (int i = 0; i < plan->slot_count; i++) {
        const lg_plan_slot *s = &plan->slots[i];
        if (s->kind == LG_PLAN_INPUT && !w->by_rows[s->index])
            continue;
        bytes += row_bytes(&s->shape) * rows_of(w, &w->of[i], rows);
    }
    for (int i = 0; i < plan->stage_count; i++)
        if (plan->stages[i].source == LG_FILTER_NATIVE)
            bytes += row_bytes(&plan->slots[plan->stages[i].out].shape) *
                     (rows_of(w, &w->of[plan->stages[i].in[0]], rows));
    return plan->on_device ? bytes * 1.5
                           : bytes; // and the staging memory of what goes there and back
}

static lg_status choose_rows(walk *w, lg_error *error)
{
    const double memory = (double)(w->params->memory ? w->params->memory : DEFAULT_MEMORY);
    double widest = 1;
    for (int i = 0; i < w->plan->slot_count; i++)
        widest = LG_MAX(widest, row_bytes(&w->plan->slots[i].shape));
    int64_t rows =
        w->params->rows ? w->params->rows : LG_MAX((int64_t)((double)BAND_BYTES / widest), 1);
    rows = LG_MIN(rows, w->height);
    while (rows > 1 && bytes_of(w, rows) > memory)
        rows = LG_MAX(rows / 2, 1);
    if (bytes_of(w, rows) > memory)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "a band of one row takes %.3f MB with the rows that filters need above and "
                       "below; limit memory is %.3f MB",
                       bytes_of(w, rows) / 1e6, memory / 1e6);
    w->rows = rows;
    return LG_OK;
}

static lg_status make_images(walk *w, lg_error *error)
{
    const lg_plan *plan = w->plan;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++) {
        lg_image_params shape = plan->given[i];
        if (!w->by_rows[i])
            continue;
        shape.height = (int32_t)rows_of(w, &w->inputs[i], w->rows);
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create_uninit(plan->context, &shape, &w->in[i], error);
    }
    for (int i = 0; i < plan->given_outputs && !status; i++) {
        lg_image_params shape = plan->slots[plan->output_slots[i]].shape;
        shape.height = (int32_t)w->rows;
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create_uninit(plan->context, &shape, &w->out[i], error);
    }
    return status;
}

// ---- a band ---------------------------------------------------------------------------------------

// Rows first .. first + rows - 1 of an image in memory, as an image that shares them.
static lg_status part_of(const walk *w, const lg_image *image, int64_t first, int64_t rows,
                         lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.height = (int32_t)rows;
    shape.layer_stride = shape.row_stride * (size_t)rows;
    return lg_image_wrap(w->plan->context, &shape,
                         (char *)image->data + (size_t)first * shape.row_stride, out, error);
}

// Moves a window down to rows first .. end - 1. What it has of them moves up, the rest is read.
static lg_status move_window(walk *w, int input, int64_t first, int64_t end, lg_error *error)
{
    lg_image *image = w->in[input], *part = NULL;
    const size_t stride = image->shape.row_stride;
    const int64_t kept = LG_MAX(w->end[input] - first, 0);
    if (kept)
        memmove(image->data, (char *)image->data + (size_t)(first - w->first[input]) * stride,
                (size_t)kept * stride);
    w->first[input] = first;
    w->end[input] = first + kept;
    if (end <= w->end[input])
        return LG_OK;
    lg_status status = part_of(w, image, kept, end - w->end[input], &part, error);
    if (!status)
        status = w->params->read(w->params->priv, (size_t)input, w->end[input], part, error);
    lg_image_destroy(&part);
    w->end[input] = end;
    return status;
}

// What is wanted of the rows of a band.
static lg_status write_outputs(walk *w, int64_t first, int64_t rows, lg_error *error)
{
    const int64_t begin = LG_MAX(first, w->begin), end = LG_MIN(first + rows, w->end_row);
    lg_status status = LG_OK;
    for (int i = 0; i < w->plan->given_outputs && !status && begin < end; i++) {
        lg_image *part = NULL;
        status = part_of(w, w->out[i], begin - first, end - begin, &part, error);
        if (!status)
            status = w->params->write(w->params->priv, (size_t)i, begin, part, error);
        lg_image_destroy(&part);
    }
    return status;
}

static lg_status run_band(walk *w, int64_t first, int64_t rows, lg_error *error)
{
    lg_plan_band band = {.first = first, .rows = rows};
    lg_status status = LG_OK;
    for (int i = 0; i < w->plan->given_inputs && !status; i++)
        if (w->by_rows[i])
            status = move_window(w, i, LG_MAX(first - w->inputs[i].above, 0),
                                 LG_MIN(first + rows + w->inputs[i].below, w->height), error);
    for (int i = 0; i < LG_MAX_INPUTS; i++) {
        band.inputs[i] = w->first[i];
        band.outputs[i] = first;
    }
    if (!status)
        status = lg_plan_run_rows(w->plan, &band, w->in, w->out, error);
    return status || !lg_plan_pass_writes(w->plan) ? status : write_outputs(w, first, rows, error);
}

// ---- the run --------------------------------------------------------------------------------------

static lg_status begin(walk *w, lg_image *const *inputs, lg_error *error)
{
    const lg_plan *plan = w->plan;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs && !status; i++) {
        w->in[i] = inputs ? inputs[i] : NULL;
        w->by_rows[i] = !w->in[i];
        const char *why = w->by_rows[i] ? lg_plan_needs_whole(plan, (size_t)i) : why_plan(plan);
        if (why)
            status =
                lg_fail(error, LG_ERROR_UNSUPPORTED,
                        "input %d is needed whole, and this plan cannot run in bands: %s", i, why);
        else
            status = lg_plan_input_reach(plan, i, &w->inputs[i], error);
    }
    if (status)
        return status;
    w->height = plan->slots[plan->output_slots[0]].shape.height;
    w->begin = w->params->first;
    w->end_row = w->params->end ? w->params->end : w->height;
    if (w->begin < 0 || w->begin > w->end_row || w->end_row > w->height)
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows %lld to %lld of outputs of %lld rows",
                       (long long)w->begin, (long long)w->end_row - 1, (long long)w->height);
    w->of = lg_alloc_array((size_t)plan->slot_count, sizeof *w->of);
    if (!w->of)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *w->of,
                              "the reach of a plan");
    lg_plan_find_reach(plan, w->of);
    status = choose_rows(w, error);
    return status ? status : make_images(w, error);
}

// From the top down to the bottom, or through the rows that are written where these suffice.
static lg_status run_pass(walk *w, lg_error *error)
{
    lg_status status = LG_OK;
    memset(w->first, 0, sizeof w->first);
    memset(w->end, 0, sizeof w->end);
    const bool some = lg_plan_pass_writes(w->plan) && !lg_plan_pass_measures(w->plan);
    const int64_t first = some ? w->begin : 0, end = some ? w->end_row : w->height;
    for (int64_t y = first; y < end && !status; y += w->rows)
        status = run_band(w, y, LG_MIN(w->rows, end - y), error);
    return status;
}

size_t lg_plan_band_passes(const lg_plan *plan)
{
    return plan ? (size_t)lg_plan_count_passes(plan) : 0;
}

lg_status lg_plan_run_bands(lg_plan *plan, lg_image *const *inputs, const lg_bands_params *params,
                            lg_error *error)
{
    lg_bands_params taken = lg_bands_params_default();
    if (!plan || !params)
        return lg_fail_null(error, "a plan, and functions for its rows");
    lg_status status = lg_context_check(plan->context, error);
    if (!status)
        status = lg_params_take(params, &LG_PARAMS_TYPE(lg_bands_params, memory), &taken, error);
    if (!status && (!taken.read || !taken.write || taken.rows < 0))
        status =
            lg_fail(error, LG_ERROR_ARGUMENT,
                    "bands of %lld rows, %s function to read, %s to write: rows are 0 or more, "
                    "and both functions are needed",
                    (long long)taken.rows, taken.read ? "a" : "no", taken.write ? "one" : "none");
    if (status)
        return status;
    walk w = {.plan = plan, .params = &taken};
    status = begin(&w, inputs, error);
    plan->figures_known = false;
    if (!status)
        status = lg_plan_next_pass(plan, error);
    while (!status && plan->pass) {
        status = run_pass(&w, error);
        if (!status)
            status = lg_plan_next_pass(plan, error);
    }
    lg_plan_end_passes(plan);
    plan->figures_known = !status;
    for (int i = 0; i < LG_MAX_INPUTS; i++) {
        if (w.by_rows[i])
            lg_image_destroy(&w.in[i]);
        lg_image_destroy(&w.out[i]);
    }
    lg_free(w.of);
    return status;
}
