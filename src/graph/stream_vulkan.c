// Frames of a stream on a Vulkan device, several at the same time: each has its images, its numbers and its
// commands there. A frame is three submissions, which copy its inputs, compute, and copy its outputs; the
// host waits for the last one alone.
#include "graph/plan_planes.h"
#include "graph/stream_frames.h"

#include "core/plane_codes.h"
#include "device/lookback.h"
#include "graph/device_run.h"

#include <stdio.h>
#include <string.h>

// Images of planes have their planes on the device: the arrays below have plane k of image i at
// i + k * LG_MAX_INPUTS, as lg_plan_spread puts them.
typedef struct lg_frame_turn {
    lg_plan_turn run;
    bool flying;                           // it was sent, and nobody has waited for it
    lg_image_private in[LG_RUN_IMAGES];    // on the device
    lg_image_private out[LG_RUN_IMAGES];   // likewise
    lg_image *inputs[LG_RUN_IMAGES];       // of the frame at work, with delayed ones
    lg_image *outputs[LG_RUN_IMAGES];      // likewise
    lg_device_view *views;                 // per slot of the plan
    lg_vk_layout in_layout[LG_RUN_IMAGES]; // of pixels in `staged`
    size_t in_offset[LG_RUN_IMAGES];       // likewise
    lg_vk_layout out_layout[LG_RUN_IMAGES];
    size_t out_offset[LG_RUN_IMAGES], values; // places in `fetched`; values: of numbers
    lg_vk_buffer *staged, *fetched;           // host memory
    lg_vk_commands *upload, *download;
    uint64_t uploads; // images that `upload` copies, as bits; 0: it is not recorded
    bool uploaded;    // by the frame at work
    double seconds;   // of its copies on the host
} lg_frame_turn;

_Static_assert(LG_RUN_IMAGES <= 64, "images that are uploaded are bits of a word");

enum { PLACE = 256 }; // alignment in host memory

static lg_vk *device_of(const lg_stream *s)
{
    return s->plan->context->attached;
}

// ---- life -----------------------------------------------------------------------------------------

static void destroy_turn(lg_stream *s, lg_stream_slot *slot)
{
    lg_frame_turn *t = slot->turn;
    lg_vk *vk = device_of(s);
    if (!t)
        return;
    slot->turn = NULL;
    lg_vk_commands_destroy(vk, &t->upload); // these wait
    lg_vk_commands_destroy(vk, &t->download);
    lg_plan_turn_destroy(vk, &t->run);
    for (int i = 0; i < LG_RUN_IMAGES; i++) {
        lg_vk_image_release(vk, &t->in[i]);
        lg_vk_image_release(vk, &t->out[i]);
    }
    for (int i = 0; i < LG_MAX_INPUTS; i++)
        lg_image_destroy(&slot->outputs[i]);
    lg_vk_buffer_destroy(vk, &t->staged);
    lg_vk_buffer_destroy(vk, &t->fetched);
    lg_free(t->views);
    lg_free(t);
}

static void destroy(lg_stream *s)
{
    for (int i = 0; i < s->slot_count; i++)
        destroy_turn(s, &s->slots[i]);
}

static lg_image_private image_like(const lg_plan *plan, lg_image_params shape)
{
    shape.row_stride = shape.layer_stride = 0;
    return (lg_image_private){.image = {.shape = shape}, .context = plan->context};
}

// How many images an image is on the device, and their shapes: itself, or its planes.
static int parts_of(const lg_image_params *shape, lg_image_params out[LG_MAX_PLANES])
{
    out[0] = *shape;
    if (!shape->planes)
        return 1;
    const int count = lg_planes_count(shape->planes);
    for (int k = 0; k < count; k++)
        out[k] = lg_planes_shape(shape, k);
    return count;
}

static lg_image *part_of(lg_image *image, int k)
{
    lg_image_private *priv = (lg_image_private *)image;
    return priv->plane[k] ? &priv->plane[k]->image : k == 0 ? image : NULL;
}

// Device memory for a part of an input or output; *bytes: behind its place in host memory.
static lg_status make_part(const lg_plan *plan, const lg_image_params *shape,
                           lg_image_private *image, lg_vk_layout *layout, size_t *offset,
                           size_t *bytes, lg_error *error)
{
    *image = image_like(plan, *shape);
    *offset = *bytes;
    lg_status status = lg_vk_image_layout(shape, layout, error);
    if (!status)
        status = lg_vk_image_allocate(plan->context->attached, image, error);
    *bytes += lg_align_up(layout->bytes, PLACE);
    return status;
}

static lg_status make_inputs(const lg_plan *plan, lg_frame_turn *t, lg_error *error)
{
    size_t bytes = 0;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_inputs; i++) {
        lg_image_params shapes[LG_MAX_PLANES];
        const int count = parts_of(&plan->given[i], shapes);
        for (int at = i, k = 0; k < count && !status; k++, at += LG_MAX_INPUTS)
            status = make_part(plan, &shapes[k], &t->in[at], &t->in_layout[at], &t->in_offset[at],
                               &bytes, error);
    }
    return status || !bytes ? status
                            : lg_vk_buffer_create(plan->context->attached, bytes, LG_VK_UPLOAD,
                                                  &t->staged, error);
}

static lg_image_params output_shape(const lg_plan *plan, int output)
{
    return plan->slots[plan->output_slots[output]].shape;
}

// An output of the slot is what was copied from the device, where it lies.
static lg_status wrap_output(const lg_plan *plan, lg_stream_slot *slot, int output, lg_error *error)
{
    const lg_frame_turn *t = slot->turn;
    lg_image_params shape = output_shape(plan, output);
    void *data[LG_MAX_PLANES] = {NULL};
    size_t rows[LG_MAX_PLANES] = {0};
    const int count = shape.planes ? lg_planes_count(shape.planes) : 1;
    for (int at = output, k = 0; k < count; k++, at += LG_MAX_INPUTS) {
        data[k] = (char *)t->fetched->map + t->out_offset[at];
        rows[k] = t->out_layout[at].row_stride;
    }
    if (shape.planes)
        return lg_image_wrap_planes(plan->context, &shape, data, rows, &slot->outputs[output],
                                    error);
    shape.row_stride = rows[0];
    shape.layer_stride = t->out_layout[output].layer_stride;
    return lg_image_wrap(plan->context, &shape, data[0], &slot->outputs[output], error);
}

static lg_status make_outputs(const lg_plan *plan, lg_stream_slot *slot, lg_error *error)
{
    lg_frame_turn *t = slot->turn;
    size_t bytes = 0;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->given_outputs; i++) {
        const lg_image_params shape = output_shape(plan, i);
        lg_image_params shapes[LG_MAX_PLANES];
        const int count = parts_of(&shape, shapes);
        for (int at = i, k = 0; k < count && !status; k++, at += LG_MAX_INPUTS)
            status = make_part(plan, &shapes[k], &t->out[at], &t->out_layout[at],
                               &t->out_offset[at], &bytes, error);
    }
    t->values = bytes;
    if (!status)
        status = lg_vk_buffer_create(plan->context->attached, bytes + plan->vulkan->numbers,
                                     LG_VK_READBACK, &t->fetched, error);
    for (int i = 0; i < plan->given_outputs && !status; i++)
        status = wrap_output(plan, slot, i, error);
    return status;
}

static lg_status record_download(const lg_plan *plan, lg_frame_turn *t, lg_error *error)
{
    lg_vk_begin(t->download);
    lg_vk_timestamp(t->download, 0);
    for (int i = 0; i < LG_RUN_IMAGES; i++)
        if (t->out[i].device)
            lg_vk_copy(t->download, t->out[i].device, 0, t->fetched, t->out_offset[i],
                       t->out_layout[i].bytes);
    lg_vk_copy(t->download, t->run.numbers, 0, t->fetched, t->values, plan->vulkan->numbers);
    lg_vk_timestamp(t->download, 1);
    return lg_vk_end(t->download, error);
}

static lg_status make_turn(lg_stream *s, lg_stream_slot *slot, lg_error *error)
{
    const lg_plan *plan = s->plan;
    lg_vk *vk = plan->context->attached;
    const size_t slots = (size_t)plan->slot_count;
    lg_frame_turn *t = slot->turn = lg_alloc(sizeof *t);
    if (!t || !(t->views = lg_alloc_array(slots, sizeof *t->views)))
        return lg_fail_memory(error, sizeof *t, "a frame on its way");
    lg_status status = lg_plan_turn_create(plan, &t->run, error);
    if (!status)
        status = make_inputs(plan, t, error);
    if (!status)
        status = make_outputs(plan, slot, error);
    if (!status)
        status = lg_vk_commands_create_for(vk, LG_VK_UPLOADS, 2, &t->upload, error);
    if (!status)
        status = lg_vk_commands_create_for(vk, LG_VK_DOWNLOADS, 2, &t->download, error);
    return status ? status : record_download(plan, t, error);
}

// ---- a frame --------------------------------------------------------------------------------------

static lg_device_run run_of(lg_stream *s, lg_frame_turn *t, lg_error *error)
{
    return (lg_device_run){.plan = s->plan,
                           .turn = &t->run,
                           .inputs = t->inputs,
                           .outputs = t->outputs,
                           .views = t->views,
                           .error = error};
}

static bool is_there(const lg_stream *s, const lg_image *image)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    return priv->device && priv->context->attached == device_of(s);
}

static lg_status record_upload(lg_frame_turn *t, uint64_t wanted, lg_error *error)
{
    if (t->uploads == wanted)
        return LG_OK;
    t->uploads = 0;
    lg_vk_begin(t->upload);
    lg_vk_timestamp(t->upload, 0);
    for (int i = 0; i < LG_RUN_IMAGES; i++)
        if (wanted >> i & 1)
            lg_vk_copy(t->upload, t->staged, t->in_offset[i], t->in[i].device, 0,
                       t->in_layout[i].bytes);
    lg_vk_timestamp(t->upload, 1);
    const lg_status status = lg_vk_end(t->upload, error);
    t->uploads = status ? 0 : wanted;
    return status;
}

// Copies an input, or a plane of one, to where the device finds it. One with a device copy is read there,
// until the frame is finished.
static lg_status stage_part(lg_stream *s, lg_frame_turn *t, lg_image *image, int at,
                            uint64_t *staged, bool *reads, lg_error *error)
{
    const lg_image_private *from = (const lg_image_private *)image;
    if (is_there(s, image)) {
        t->inputs[at] = image;
        *reads = true;
        return LG_OK;
    }
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "input %d has no pixels that are read",
                       at % LG_MAX_INPUTS);
    lg_vk_image_stage(device_of(s), image, &t->in_layout[at],
                      (char *)t->staged->map + t->in_offset[at]);
    t->in[at].has_domain = from->has_domain;
    memcpy(t->in[at].domain, from->domain, sizeof from->domain);
    t->inputs[at] = &t->in[at].image;
    *staged |= UINT64_C(1) << at;
    return LG_OK;
}

static lg_status stage_inputs(lg_stream *s, lg_stream_slot *slot, uint64_t *staged, bool *reads,
                              lg_error *error)
{
    lg_frame_turn *t = slot->turn;
    const double start = lg_time_seconds();
    lg_status status = LG_OK;
    *staged = 0;
    for (int i = 0; i < s->plan->given_inputs; i++)
        for (int k = 0; k < LG_MAX_PLANES && !status; k++) {
            lg_image *part = part_of(slot->inputs[i], k);
            if (part)
                status = stage_part(s, t, part, i + k * LG_MAX_INPUTS, staged, reads, error);
        }
    t->uploaded = *staged != 0;
    t->seconds = lg_time_seconds() - start;
    return status || !*staged ? status : record_upload(t, *staged, error);
}

static void wait_for(lg_stream *s, lg_frame_turn *t)
{
    (void)lg_vk_wait(device_of(s), t->upload, NULL);
    (void)lg_vk_wait(device_of(s), t->run.commands, NULL);
    (void)lg_vk_wait(device_of(s), t->download, NULL);
}

static void wait_for_all(lg_stream *s)
{
    for (int i = 0; i < s->slot_count; i++)
        if (s->slots[i].turn->flying)
            wait_for(s, s->slots[i].turn);
}

static void settle(lg_stream *s)
{
    wait_for_all(s);
    for (int i = 0; i < s->slot_count; i++)
        s->slots[i].turn->flying = false;
}

static bool any_flies(const lg_stream *s)
{
    bool any = false;
    for (int i = 0; i < s->slot_count; i++)
        any |= s->slots[i].turn->flying;
    return any;
}

// Stages share memory that recording makes, and makes larger: nothing may still use what was there.
static lg_status prepare(lg_stream *s, lg_device_run *r)
{
    lg_plan *plan = s->plan;
    const int state = plan->ran ? 1 + lg_lookback_is_multi_pass(plan->context) : 0;
    lg_run_write_numbers(r);
    if ((!state || s->steady != state) && !lg_run_is_recorded(r))
        wait_for_all(s);
    if (!any_flies(s))
        lg_lookback_begin(plan->context);
    const lg_status status = lg_run_prepare(r);
    s->steady = status ? 0 : state;
    return status;
}

static lg_status open_views(lg_stream *s, lg_device_run *r)
{
    lg_status status = LG_OK;
    for (int i = 0; i < s->plan->slot_count && !status; i++)
        if (s->plan->slots[i].kind != LG_PLAN_PLANES)
            status = lg_device_view_open(s->plan->context, lg_run_image(r, i), 0, 0, &r->views[i],
                                         r->error);
    return status;
}

static lg_status submit(lg_stream *s, lg_frame_turn *t, bool uploads, lg_error *error)
{
    lg_vk *vk = device_of(s);
    lg_status status = lg_pool_report(s->plan->context->pool, 0, error);
    if (!status && uploads)
        status = lg_vk_submit(vk, t->upload, error);
    if (!status)
        status = lg_vk_submit_after(vk, t->run.commands, uploads ? t->upload : NULL, error);
    if (!status)
        status = lg_vk_submit_after(vk, t->download, t->run.commands, error);
    if (status) {
        wait_for(s, t);
        lg_run_forget_all(&t->run);
    }
    return status;
}

static lg_status begin(lg_stream *s, lg_stream_slot *slot, bool *reads, lg_error *error)
{
    lg_plan *plan = s->plan;
    lg_frame_turn *t = slot->turn;
    lg_device_run r = run_of(s, t, error);
    uint64_t staged;
    if (lg_vk_lost(device_of(s)))
        return lg_vk_fail_lost(device_of(s), error);
    lg_status status = stage_inputs(s, slot, &staged, reads, error);
    for (int i = 0; i < LG_RUN_IMAGES; i++)
        t->outputs[i] = t->out[i].device ? &t->out[i].image : NULL;
    if (!status)
        status = lg_plan_take_delayed(plan, slot->inputs, t->inputs, t->outputs, error);
    if (!status)
        status = open_views(s, &r);
    if (!status && lg_plan_needs_host(plan)) // a selection of pixels came later
        status = lg_fail(error, LG_ERROR_UNSUPPORTED, "the host measures a figure");
    if (!status)
        status = prepare(s, &r);
    if (!status)
        status = submit(s, t, staged != 0, error);
    if (status)
        return status;
    t->flying = true;
    plan->ran = true;
    plan->figures_known = false; // those of frames come with the frames
    plan->turn += lg_graph_remembers(plan->graph);
    return LG_OK;
}

// ---- its end --------------------------------------------------------------------------------------

static lg_status wait_frame(lg_stream *s, lg_frame_turn *t, lg_error *error)
{
    lg_vk *vk = device_of(s);
    lg_status status = lg_vk_wait(vk, t->upload, error);
    if (!status)
        status = lg_vk_wait(vk, t->run.commands, error);
    if (!status)
        status = lg_vk_wait(vk, t->download, error);
    if (!status && lg_lookback_gave_up(s->plan->context))
        status = lg_fail(error, LG_ERROR_DEVICE, "workgroups have waited for each other in vain");
    return status;
}

// Values of nodes are what later frames send to the device: they stay what they are.
static lg_status note_figures(lg_plan *plan, lg_stream_slot *slot, lg_error *error)
{
    const size_t count = lg_plan_taken_figures(plan, NULL, 0), nodes = (size_t)plan->graph->count;
    const size_t bytes = sizeof plan->nodes->values;
    slot->figure_count = count;
    if (!count)
        return LG_OK;
    if (slot->figure_room < count) {
        lg_free(slot->figures);
        slot->figures = lg_alloc_array(count, sizeof *slot->figures);
        slot->figure_room = slot->figures ? count : 0;
    }
    char *kept = lg_alloc_array(nodes, bytes);
    if (!slot->figures || !kept) {
        lg_free(kept);
        return lg_fail_memory(error, count * sizeof *slot->figures, "the figures of a frame");
    }
    for (size_t i = 0; i < nodes; i++)
        memcpy(kept + i * bytes, plan->nodes[i].values, bytes);
    lg_plan_take_figures(plan, (const char *)slot->turn->fetched->map + slot->turn->values);
    lg_plan_taken_figures(plan, slot->figures, count);
    for (size_t i = 0; i < nodes; i++)
        memcpy(plan->nodes[i].values, kept + i * bytes, bytes);
    lg_free(kept);
    return LG_OK;
}

static void note_engine(lg_stream *s, lg_stream_slot *slot, const lg_device_run *r)
{
    lg_frame_turn *t = slot->turn;
    lg_context *context = s->plan->context;
    lg_plan_report(s->plan, 0, 0);
    lg_run_note_seconds(r);
    context->report.upload =
        t->seconds + (t->uploaded ? lg_vk_elapsed(context->vk, t->upload, 0, 1) : 0);
    context->report.download = lg_vk_elapsed(context->vk, t->download, 0, 1);
    snprintf(context->report.device, sizeof context->report.device, "%s", context->info.name);
    snprintf(context->report.driver, sizeof context->report.driver, "%s", context->info.driver);
    context->report.fallback[0] = '\0';
    slot->engine = context->report;
    lg_plan_profile(s->plan, slot->stages, (size_t)s->plan->stage_count);
}

static bool arrived(const lg_stream *s, const lg_stream_slot *slot)
{
    return lg_vk_is_over(device_of(s), slot->turn->download);
}

static lg_status finish(lg_stream *s, lg_stream_slot *slot, bool *again, lg_error *error)
{
    lg_frame_turn *t = slot->turn;
    const lg_device_run r = run_of(s, t, error);
    lg_status status = wait_frame(s, t, error);
    *again = status != LG_OK;
    if (status)
        return status;
    t->flying = false;
    note_engine(s, slot, &r);
    status = lg_run_check_refused(&r);
    return status ? status : note_figures(s->plan, slot, error);
}

static lg_status leave(lg_stream *s, lg_stream_slot *slot, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < s->plan->given_outputs && lg_vk_lost(device_of(s)) && !status; i++) {
        lg_image *image = NULL;
        lg_image_params shape = slot->outputs[i]->shape;
        if (((lg_image_private *)part_of(slot->outputs[i], 0))->owns_data)
            continue;
        shape.row_stride = shape.layer_stride = 0;
        status = lg_image_create_uninit(s->plan->context, &shape, &image, error);
        if (status)
            continue;
        lg_image_destroy(&slot->outputs[i]);
        slot->outputs[i] = image;
    }
    return status;
}

// ---- which plans ------------------------------------------------------------------------------------

// Whether a run can fail for what is in its pixels: a native filter refuses, a figure has no samples.
static bool may_be_refused(const lg_plan *plan)
{
    bool may = false;
    for (int i = 0; i < plan->stage_count; i++)
        may |= plan->stages[i].source == LG_FILTER_NATIVE;
    for (int i = 0; i < plan->graph->count; i++)
        for (int k = 0; k < plan->graph->nodes[i].figure_count; k++) {
            const lg_graph_node *n = &plan->graph->nodes[i];
            const lg_figure *f = &n->figures[k];
            const int of = f->node >= 0 ? f->node : n->from[0];
            may |= plan->nodes[i].uses && f->kind >= LG_FIRST_OF_RANKS &&
                   f->kind < LG_FIRST_OF_CURVES &&
                   plan->slots[lg_plan_figure_slot(plan, of, f)].shape.type >= LG_F16;
        }
    return may;
}

static bool carries(const lg_plan *plan)
{
    bool previous = lg_graph_remembers(plan->graph);
    for (int i = 0; i < plan->graph->count; i++)
        for (int k = 0; k < plan->graph->nodes[i].figure_count; k++)
            previous |= plan->graph->nodes[i].figures[k].previous;
    return previous;
}

const char *lg_stream_why_alone(const lg_plan *plan)
{
    if (plan->layers)
        return "layers are runs of their own";
    if (carries(plan) && may_be_refused(plan)) // it must not follow from a frame that failed
        return "what a frame takes from the one before may be refused";
    if (plan->graph->figure_count)
        return "figures are measured behind the last stage";
    return lg_plan_needs_host(plan) ? "the host measures a figure" : NULL;
}

void lg_stream_make_turns(lg_stream *s)
{
    static const lg_turn_calls calls = {begin, finish, arrived, settle, leave, destroy};
    lg_error why = {LG_OK, ""};
    if (!s->plan->on_device || lg_stream_why_alone(s->plan))
        return;
    lg_status status = LG_OK;
    for (int i = 0; i < s->slot_count && !status; i++)
        status = make_turn(s, &s->slots[i], &why);
    if (!status) {
        s->turns = &calls;
        return;
    }
    lg_log(&s->log, LG_LOG_WARN, "frames are computed one after the other: %s", why.message);
    destroy(s);
}
