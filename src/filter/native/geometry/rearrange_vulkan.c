// Pixels that move without being mixed, on a Vulkan device.
#include "filter/native/geometry/rearrange.h"
#include "filter/native/native_vulkan.h"

#include <string.h>

extern const char lg_glsl_rearrange[], lg_glsl_transpose[];

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

// The step of a list that goes by steps of 1 or -1, else 0.
static int line_of(const int32_t *list, int32_t count)
{
    const int step = step_of(list, count);
    int32_t i = 1;
    while (i < count && list[i] == list[i - 1] + step)
        i++;
    return i < count || list[0] < 0 ? 0 : step;
}

static void run_transposed(lg_device_call *call, const lg_rearrangement *r)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const int per = 4 / (int)lg_pixel_size(in), narrow = per == 4 ? 16 : 32;
    const lg_pass pass = {LG_PASS_TEXT(transpose), .group_x = TRANSPOSE_WIDE,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(out->height, out->layers, r->across[0], r->down[0],
                                            in->height, in->width),
                          .groups = {lg_native_groups(out->width, TRANSPOSE_WIDE * per),
                                     lg_native_groups(out->height, narrow * per)}};
    lg_pass_run(call, &pass, "#define PER %d\n#define ACROSS %d\n#define DOWN %d\n", per,
                step_of(r->across, r->width), step_of(r->down, r->height));
}

static void run(lg_device_call *call, const lg_rearrangement *r)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const int32_t columns = r->width + LG_REARRANGE_ROOM;
    const uint64_t lists = lg_device_upload(
        call, r->across, ((size_t)columns + (size_t)r->height) * sizeof *r->across);
    const lg_pass pass = {LG_PASS_TEXT(rearrange), .views = {&call->in[0], &call->out},
                          .words =
                              LG_WORDS(out->height, out->layers, LG_ADDRESS(lists), columns,
                                       lg_bits(r->color[0]), lg_bits(r->color[1]),
                                       lg_bits(r->color[2]), lg_bits(r->color[3]), r->across[0]),
                          .reads = {lists}};
    lg_pass_run(
        call, &pass,
        "#define SAME %d\n#define SWAP %d\n#define COLORED %d\n#define BYTES %d\n#define LINE %d\n",
        lg_rearrange_copies(in, out), r->swap, r->colored, (int)lg_pixel_size(in),
        line_of(r->across, r->width));
}

// Lists are uploaded in one piece.
static void cut(lg_device_call *call, lg_rearrangement *r)
{
    r->height = (int32_t)(call->end - call->first);
    memmove(r->down, r->down + call->first, (size_t)r->height * sizeof *r->down);
    for (int32_t y = 0; y < r->height && !r->swap; y++)
        r->down[y] -= r->down[y] < 0 ? 0 : (int32_t)call->from;
    lg_device_cut(call, false);
}

void lg_rearrange_vulkan(lg_device_call *call, lg_rearrange_fn fill)
{
    lg_rearrangement r;
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    call->status = lg_rearrange_open(&r, out, call->error);
    if (call->status)
        return;
    fill(call->filter, call->values, in, &r);
    lg_rearrange_finish(&r);
    cut(call, &r);
    (is_transposed(&r, in, out) ? run_transposed : run)(call, &r);
    lg_rearrange_close(&r);
}
