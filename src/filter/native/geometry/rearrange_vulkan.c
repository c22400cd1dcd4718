// Pixels that move without being mixed, on a Vulkan device.
#include "filter/native/geometry/rearrange.h"
#include "filter/native/native_vulkan.h"

#include <string.h>

extern const char lg_glsl_rearrange[];

#define OWN 9

static lg_status record(lg_device_call *call, const lg_rearrangement *r)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_native_glsl text = {
        .name = "rearrange", .text = lg_glsl_rearrange, .group_x = 32, .group_y = 4, .extra = OWN};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_format formats[] = {lg_format_of(in), lg_format_of(out)};
    const lg_vk_pipeline *pipeline;
    lg_vk_buffer *lists;
    const int32_t columns = r->width + LG_REARRANGE_ROOM;
    const size_t bytes = ((size_t)columns + (size_t)r->height) * sizeof *r->across;
    lg_status status = lg_device_upload(call, r->across, bytes, &lists);
    if (!status)
        status = lg_native_kernel(
            call, &text, views, 2, &pipeline,
            "#define SAME %d\n#define SWAP %d\n#define COLORED %d\n#define BYTES %d\n",
            lg_rearrange_copies(in, out), r->swap, r->colored, (int)lg_pixel_size(in));
    if (status)
        return status;
    uint32_t words[OWN] = {(uint32_t)out->height, (uint32_t)out->layers, 0, 0, (uint32_t)columns};
    memcpy(words + 2, &lists->address, sizeof lists->address);
    memcpy(words + 5, r->color, sizeof r->color);
    lg_vk_reads(call->commands, lists->address, 0);
    lg_device_dispatch(call, pipeline, views, 2, words, OWN,
                       lg_native_groups(out->width, 32 * lg_thread_span(formats, 2)),
                       lg_native_groups(out->height, 4), lg_native_groups(out->layers, 1));
    return LG_OK;
}

lg_status lg_rearrange_vulkan(lg_device_call *call, lg_rearrange_fn fill)
{
    lg_rearrangement r;
    lg_status status = lg_rearrange_open(&r, &call->out.shape, call->error);
    if (status)
        return status;
    fill(call->filter, call->values, &call->in[0].shape, &r);
    lg_rearrange_finish(&r);
    status = record(call, &r);
    lg_rearrange_close(&r);
    return status;
}
