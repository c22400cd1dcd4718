// The rows of a band on a device: which rows of each image, and native filters on a part of an image.
#include "graph/device_run.h"

void lg_run_rows(const lg_device_run *r, int slot, int64_t *first, int64_t *end)
{
    *first = 0;
    *end = r->plan->slots[slot].shape.height;
    if (r->band)
        lg_plan_band_rows(r->plan, r->band, slot, first, end);
}

int64_t lg_run_base(const lg_device_run *r, int slot)
{
    return r->band ? lg_plan_band_base(r->plan, r->band, slot) : 0;
}

uint64_t lg_run_origin(const lg_device_run *r, int slot)
{
    const lg_device_view *v = &r->views[slot];
    return v->first - (uint64_t)lg_run_base(r, slot) * v->row_stride;
}

// Rows first .. end - 1 of a slot as an image.
static lg_device_image band_of(const lg_device_run *r, int slot, int64_t first, int64_t end)
{
    const lg_device_view *v = &r->views[slot];
    lg_image_params shape = lg_shape_padded(&r->plan->slots[slot].shape);
    shape.height = (int32_t)(end - first);
    return (lg_device_image){lg_run_origin(r, slot) + (uint64_t)first * v->row_stride,
                             v->row_stride, v->layer_stride, shape};
}

// Copies rows first .. end - 1 of a slot from or to scratch memory, of which row `base` is the first.
static void copy_rows(const lg_device_run *r, int slot, const lg_device_image *other,
                      lg_vk_buffer *memory, int64_t base, int64_t first, int64_t end, bool keep)
{
    lg_vk_commands *c = r->turn->commands;
    lg_vk_buffer *buffer = r->views[slot].buffer;
    const lg_device_image rows = band_of(r, slot, first, end);
    const size_t bytes = (size_t)(end - first) * other->row_stride;
    lg_vk_barrier(c);
    for (size_t z = 0; z < (size_t)other->shape.layers; z++) {
        const size_t here = (size_t)(rows.address - buffer->address) + z * rows.layer_stride;
        const size_t there = z * other->layer_stride + (size_t)(first - base) * other->row_stride;
        if (keep)
            lg_vk_copy(c, memory, there, buffer, here, bytes);
        else
            lg_vk_copy(c, buffer, here, memory, there, bytes);
    }
    lg_vk_barrier(c);
}

// The second image is read at the pixel only: rows beyond those of the band need not be in memory.
static void make_second(const lg_device_run *r, const lg_plan_stage *s, lg_device_call *call,
                        int64_t first, int64_t end)
{
    int64_t from, to;
    lg_run_rows(r, s->in[1], &from, &to);
    lg_image_params shape = lg_shape_padded(&r->plan->slots[s->in[1]].shape);
    shape.height = (int32_t)(end - first);
    const int at = call->scratch_count;
    call->in[1] = lg_device_scratch_image(call, &shape);
    if (!call->status)
        copy_rows(r, s->in[1], &call->in[1], call->scratch[at], first, LG_MAX(from, first),
                  LG_MIN(to, end), false);
}

static lg_status run_by_rows(const lg_device_run *r, const lg_plan_stage *s, lg_device_call *call)
{
    const lg_plan_slot *slots = r->plan->slots;
    call->in[0] = band_of(r, s->in[0], 0, slots[s->in[0]].shape.height);
    call->out = band_of(r, s->out, 0, slots[s->out].shape.height);
    lg_run_rows(r, s->in[0], &call->from, &call->to);
    lg_run_rows(r, s->out, &call->first, &call->end);
    lg_plan_native(r->plan, s)->vulkan(call);
    return call->status;
}

lg_status lg_run_native_band(const lg_device_run *r, const lg_plan_stage *s, lg_device_call *call)
{
    if (lg_plan_native(r->plan, s)->by_rows)
        return run_by_rows(r, s, call);
    int64_t first, end;
    const bool whole = lg_plan_stage_reach(r->plan, s, 0).whole;
    lg_plan_native_rows(r->plan, r->band, s, &first, &end);
    call->in[0] = band_of(r, s->in[0], first, end);
    lg_image_params shape = lg_shape_padded(&r->plan->slots[s->out].shape);
    if (s->in[1] >= 0 && whole)
        call->in[1] = band_of(r, s->in[1], 0, r->plan->slots[s->in[1]].shape.height);
    else if (s->in[1] >= 0)
        make_second(r, s, call, first, end);
    if (!whole) // a shape of its own goes with all rows
        shape.height = (int32_t)(end - first);
    const int at = call->scratch_count;
    call->out = lg_device_scratch_image(call, &shape);
    if (!call->status)
        lg_plan_native(r->plan, s)->vulkan(call);
    if (call->status)
        return call->status;
    const int64_t base = whole ? 0 : first;
    lg_run_rows(r, s->out, &first, &end);
    copy_rows(r, s->out, &call->out, call->scratch[at], base, first, end, true);
    return LG_OK;
}
