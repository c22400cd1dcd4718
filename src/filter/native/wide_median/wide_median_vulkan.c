// Median of a square window on a Vulkan device: histograms of columns for bytes, digits of keys for all
// other samples.
#include "device/workspace.h"
#include "filter/native/native_vulkan.h"
#include "filter/native/wide_median/wide_median.h"

#include <math.h>
#include <stdio.h>

extern const char lg_glsl_wide_median_columns[], lg_glsl_wide_median_keys[];
extern const char lg_glsl_wide_median_digits[], lg_glsl_wide_median_write[];

#define DIGITS_RADIUS   32  // keys of a window are read again for every digit
#define SHARED_COLUMNS  128 // of a workgroup; its histograms are in shared memory
#define LEAST_OUTPUTS   48  // of these, with which the columns around them still pay
#define SCRATCH_COLUMNS 512 // likewise, where they are in scratch memory
#define STRIDE          69  // words of a histogram

static uint32_t shared_columns(const lg_context *context)
{
    const uint32_t room = lg_vk_get_limits(context->vk)->shared_memory / (4 * STRIDE);
    return LG_MIN(room, SHARED_COLUMNS) & ~15u;
}

static int32_t radius_of(const lg_device_call *call)
{
    return (int32_t)lg_native_value(call->filter, call->values, "radius");
}

static int border_of(const lg_device_call *call)
{
    return (int)lg_native_value(call->filter, call->values, "border");
}

// ---- bytes ----------------------------------------------------------------------------------------

typedef struct strips {
    uint32_t columns, outputs, rows, x, y, z;
    bool shared;
} strips;

// Histograms begin anew with every strip, so that strips are as high as leaves work for the device.
static strips cut(const lg_context *context, const lg_image_params *s, int32_t radius)
{
    const uint32_t reach = 2 * (uint32_t)radius;
    strips c = {.columns = shared_columns(context)};
    c.shared = c.columns >= reach + LEAST_OUTPUTS;
    c.columns = c.shared ? c.columns : SCRATCH_COLUMNS;
    c.outputs = c.columns - reach;
    c.x = lg_native_groups(s->width, c.outputs);
    c.z = lg_native_groups(s->layers, 1);
    const uint32_t wanted = lg_device_groups(context, UINT64_MAX, c.shared ? 12 : 2);
    const uint32_t across = LG_MAX(c.x * c.z, 1), down = LG_MAX(wanted / across, 1);
    const uint32_t even = ((uint32_t)s->height + down - 1) / down;
    c.rows = LG_MAX(even, LG_MIN(reach + 8, (uint32_t)s->height));
    c.y = lg_native_groups(s->height, c.rows);
    if (!c.shared) { // memory for their histograms
        c.z = 1;
        c.x = LG_MIN(c.x, LG_MAX(wanted, 1));
        c.y = LG_MIN(c.y, LG_MAX(wanted / c.x, 1));
    }
    return c;
}

// Turns of the loops of an invocation of wide_median_columns.glsl, at most.
static double turns(const strips *c, const lg_image_params *s, int32_t radius)
{
    const double side = 2 * (double)radius + 1, threads = c->shared ? c->columns : 256;
    const double columns = ceil(c->columns / threads), outputs = ceil(c->outputs / threads);
    const double window = side + ceil(side / floor(255 / side)),
                 row = 1 + columns + outputs * 2 * (window + 8);
    const double strip = ceil(c->columns * STRIDE / threads) + columns * side + c->rows * row;
    const double walks = ceil((double)s->width / c->outputs / c->x) *
                         ceil((double)s->height / c->rows / c->y) * ceil((double)s->layers / c->z);
    return walks * lg_median_planes(s) * strip;
}

static lg_status count_bytes(lg_device_call *call, const lg_device_image *medians)
{
    const lg_image_params *s = &call->in[0].shape;
    const strips c = cut(call->context, &call->out.shape, radius_of(call));
    const lg_native_glsl text = {.name = "wide_median_columns",
                                 .text = lg_glsl_wide_median_columns,
                                 .group_x = c.shared ? (int)c.columns : 256,
                                 .group_y = 1,
                                 .extra = 5,
                                 .span = 4};
    const lg_device_image *views[] = {&call->in[0], medians};
    const lg_vk_pipeline *pipeline;
    lg_vk_buffer *histograms = NULL;
    lg_status status =
        lg_native_kernel(call, &text, views, 2, &pipeline,
                         "#define RADIUS %d\n#define BORDER %d\n#define CHANNELS "
                         "%du\n#define PLANES %d\n#define COLUMNS %u\n#define SHARED "
                         "%d\n",
                         (int)radius_of(call), border_of(call), (int)s->channels,
                         lg_median_planes(s), c.columns, c.shared);
    if (!status && !c.shared) {
        const size_t bytes = (size_t)c.x * c.y * c.z * c.columns * STRIDE * 4;
        status = lg_device_scratch(call, bytes, &histograms);
        if (!status)
            lg_vk_writes(call->commands, histograms->address, bytes);
    }
    const uint64_t at = histograms ? histograms->address : 0;
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers, c.rows, (uint32_t)at,
                              (uint32_t)(at >> 32)};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, words, LG_COUNT(words), c.x, c.y, c.z);
    return status;
}

// ---- other samples --------------------------------------------------------------------------------

static lg_status record(lg_device_call *call, const lg_native_glsl *text,
                        const lg_device_image *const *views, int count, int64_t across,
                        const char *lines, const uint32_t *words)
{
    const lg_image_params *s = &call->out.shape;
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, text, views, count, &pipeline, "%s", lines);
    if (!status)
        lg_device_dispatch(call, pipeline, views, count, words, text->extra,
                           lg_native_groups(across, (int64_t)text->group_x * text->span),
                           lg_native_groups(s->height, text->group_y),
                           lg_native_groups(s->layers, 1));
    return status;
}

static lg_status find_keys(lg_device_call *call, const lg_device_image *keys,
                           const lg_device_image *medians)
{
    const lg_image_params *s = &call->in[0].shape;
    const int planes = lg_median_planes(s);
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers, (uint32_t)s->width,
                              (uint32_t)planes};
    const lg_native_glsl make = {.name = "wide_median_keys",
                                 .text = lg_glsl_wide_median_keys,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 2,
                                 .span = 1};
    const lg_native_glsl find = {.name = "wide_median_digits",
                                 .text = lg_glsl_wide_median_digits,
                                 .group_x = 16,
                                 .group_y = 8,
                                 .extra = 4,
                                 .span = 1};
    const lg_device_image *first[] = {&call->in[0], keys}, *second[] = {keys, medians};
    char lines[120];
    snprintf(lines, sizeof lines, "#define PLANES %d\n", planes);
    lg_status status = record(call, &make, first, 2, s->width, lines, words);
    lg_vk_barrier(call->commands);
    snprintf(lines, sizeof lines, "#define RADIUS %d\n#define BORDER %d\n", (int)radius_of(call),
             border_of(call));
    return status ? status
                  : record(call, &find, second, 2, (int64_t)s->width * planes, lines, words);
}

// ---- both -----------------------------------------------------------------------------------------

static lg_status write_medians(lg_device_call *call, const lg_device_image *medians, bool bytes)
{
    const lg_image_params *s = &call->out.shape;
    const lg_native_glsl text = {.name = "wide_median_write",
                                 .text = lg_glsl_wide_median_write,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 2,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    const lg_device_image *views[] = {&call->in[0], medians, &call->out};
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers};
    char lines[120];
    snprintf(lines, sizeof lines, "#define PLANES %d\n#define BYTES %d\n",
             lg_median_planes(&call->in[0].shape), bytes);
    return record(call, &text, views, 3, s->width, lines, words);
}

lg_status lg_wide_median_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape;
    const bool bytes = lg_median_takes_bytes(in);
    lg_image_params shape = lg_native_shape(in, LG_F32, 1, LG_ALPHA_NONE);
    if (!bytes)
        shape.width *= lg_median_planes(in);
    lg_device_image medians, keys;
    lg_status status = lg_device_scratch_image(call, &shape, &medians);
    if (!status && !bytes)
        status = lg_device_scratch_image(call, &shape, &keys);
    if (!status)
        status = bytes ? count_bytes(call, &medians) : find_keys(call, &keys, &medians);
    lg_vk_barrier(call->commands);
    return status ? status : write_medians(call, &medians, bytes);
}

bool lg_wide_median_fits(const lg_context *context, const lg_filter *filter, const float *values,
                         const lg_image_params *in, const char **why)
{
    const int32_t radius = (int32_t)lg_native_value(filter, values, "radius");
    const bool bytes = lg_median_takes_bytes(in);
    *why = bytes ? "its radius: for bytes it is at most 127"
                 : "its radius: for samples other than bytes it is at most 32";
    if (radius > (bytes ? LG_MEDIAN_NARROW : DIGITS_RADIUS))
        return false;
    if (!bytes || lg_vk_get_limits(context->vk)->hardware)
        return true;
    const strips c = cut(context, in, radius);
    *why = "its radius: a device in software ends the loops too early";
    return turns(&c, in, radius) <= LG_SOFT_TURNS;
}
