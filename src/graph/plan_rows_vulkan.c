// The rows of a band on a device: which rows of each image, and native filters on a part of an image.
#include "graph/device_run.h"

void lg_run_rows(const lg_device_run *r, int slot, int64_t *first, int64_t *end)
{
    *first = 0;
    *end = r->plan->slots[slot].shape.height;
    if (r->band)
        lg_plan_band_rows(r->plan, r->band, slot, first, end);
}

uint64_t lg_run_origin(const lg_device_run *r, int slot)
{
    const lg_device_view *v = &r->views[slot];
    const int64_t base = r->band ? lg_plan_band_base(r->plan, r->band, slot) : 0;
    return v->first - (uint64_t)base * v->row_stride;
}

// Rows first .. end - 1 of a slot as an image.
static lg_device_image part_of(const lg_device_run *r, int slot, int64_t first, int64_t end)
{
    const lg_device_view *v = &r->views[slot];
    lg_image_params shape = lg_shape_padded(&r->plan->slots[slot].shape);
    shape.height = (int32_t)(end - first);
    return (lg_device_image){lg_run_origin(r, slot) + (uint64_t)first * v->row_stride,
                             v->row_stride, v->layer_stride, shape};
}

// Copies the rows of the band from an image whose row 0 is row `base` of the slot.
static void keep_rows(const lg_device_run *r, int slot, const lg_device_image *from,
                      const lg_vk_buffer *memory, int64_t base)
{
    int64_t first, end;
    lg_run_rows(r, slot, &first, &end);
    const lg_device_image to = part_of(r, slot, first, end);
    const lg_vk_buffer *buffer = r->views[slot].buffer;
    lg_vk_barrier(r->plan->vulkan->commands);
    for (int32_t z = 0; z < from->shape.layers; z++)
        lg_vk_copy(r->plan->vulkan->commands, memory,
                   (size_t)z * from->layer_stride + (size_t)(first - base) * from->row_stride,
                   r->views[slot].buffer,
                   (size_t)(to.address - buffer->address) + (size_t)z * to.layer_stride,
                   (size_t)(end - first) * from->row_stride);
}

lg_status lg_run_native_band(const lg_device_run *r, const lg_plan_stage *s, lg_device_call *call)
{
    int64_t first, end;
    lg_plan_native_rows(r->plan, r->band, s, &first, &end);
    if (s->in[1] >= 0)
        return lg_fail(r->error, LG_ERROR_UNSUPPORTED,
                       "a device computes %s of whole images only, for its second one", s->name);
    call->in[0] = part_of(r, s->in[0], first, end);
    lg_image_params shape = lg_shape_padded(&r->plan->slots[s->out].shape);
    // A shape of its own goes with all rows.
    if (!lg_plan_stage_reach(r->plan, s, 0).whole)
        shape.height = (int32_t)(end - first);
    const int at = call->scratch_count;
    lg_status status = lg_device_scratch_image(call, &shape, &call->out);
    if (!status)
        status = lg_plan_native(r->plan, s)->vulkan(call);
    if (!status)
        keep_rows(r, s->out, &call->out, call->scratch[at],
                  lg_plan_stage_reach(r->plan, s, 0).whole ? 0 : first);
    return status;
}
