// Pixels that move without being mixed, on a Vulkan device.
#include "filter/native/geometry/rearrange.h"
#include "filter/native/native_vulkan.h"

#include <string.h>

extern const char lg_glsl_rearrange[], lg_glsl_transpose[];

#define OWN            9
#define TRANSPOSE_OWN  6
#define TRANSPOSE_WIDE 32 // words of a tile: transpose.glsl

// Whole images whose rows become columns, of pixels that are parts of a word.
static bool is_transposed(const lg_rearrangement *r, const lg_image_params *in,
                          const lg_image_params *out)
{
    return r->swap && !r->colored && lg_rearrange_copies(in, out) && lg_pixel_size(in) <= 4;
}

static int step_of(const int32_t *list, int32_t count)
{
    return count > 1 && list[1] < list[0] ? -1 : 1;
}

static lg_status record_transposed(lg_device_call *call, const lg_rearrangement *r)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_native_glsl text = {.name = "transpose",
                                 .text = lg_glsl_transpose,
                                 .group_x = TRANSPOSE_WIDE,
                                 .group_y = 4,
                                 .extra = TRANSPOSE_OWN};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const int per = 4 / (int)lg_pixel_size(in), narrow = per == 4 ? 16 : 32;
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(
        call, &text, views, 2, &pipeline, "#define PER %d\n#define ACROSS %d\n#define DOWN %d\n",
        per, step_of(r->across, r->width), step_of(r->down, r->height));
    if (status)
        return status;
    const uint32_t words[TRANSPOSE_OWN] = {(uint32_t)out->height,  (uint32_t)out->layers,
                                           (uint32_t)r->across[0], (uint32_t)r->down[0],
                                           (uint32_t)in->height,   (uint32_t)in->width};
    lg_device_dispatch(call, pipeline, views, 2, words, TRANSPOSE_OWN,
                       lg_native_groups(out->width, TRANSPOSE_WIDE * per),
                       lg_native_groups(out->height, narrow * per),
                       lg_native_groups(out->layers, 1));
    return LG_OK;
}

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
    status = is_transposed(&r, &call->in[0].shape, &call->out.shape) ? record_transposed(call, &r)
                                                                     : record(call, &r);
    lg_rearrange_close(&r);
    return status;
}
