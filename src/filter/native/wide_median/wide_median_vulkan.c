// Median of a square window on a Vulkan device: histograms of columns for bytes, digits of keys for all
// other samples.
#include "device/workspace.h"
#include "filter/native/native_vulkan.h"
#include "filter/native/wide_median/wide_median.h"

#include <math.h>

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

static void count_bytes(lg_device_call *call, const lg_device_image *medians)
{
    const lg_image_params *s = &call->in[0].shape;
    const strips c = cut(call->context, &call->out.shape, radius_of(call));
    const size_t bytes = (size_t)c.x * c.y * c.z * c.columns * STRIDE * 4;
    const uint64_t histograms = c.shared ? 0 : lg_device_memory(call, bytes);
    const lg_pass pass = {LG_PASS_TEXT(wide_median_columns),
                          .group_x = c.shared ? (int)c.columns : 256,
                          .group_y = 1,
                          .span = 4,
                          .views = {&call->in[0], medians},
                          .words = LG_WORDS(s->height, s->layers, c.rows, LG_ADDRESS(histograms)),
                          .writes = {histograms},
                          .groups = {c.x, c.y, c.z}};
    lg_pass_run(call, &pass,
                "#define RADIUS %d\n#define BORDER %d\n#define CHANNELS %du\n#define PLANES %d\n"
                "#define COLUMNS %u\n#define SHARED %d\n",
                (int)radius_of(call), border_of(call), (int)s->channels, lg_median_planes(s),
                c.columns, c.shared);
}

// ---- other samples --------------------------------------------------------------------------------

static void find_keys(lg_device_call *call, const lg_device_image *keys,
                      const lg_device_image *medians)
{
    const lg_image_params *s = &call->in[0].shape;
    const int planes = lg_median_planes(s);
    const lg_pass make = {LG_PASS_TEXT(wide_median_keys),
                          .group_x = 64,
                          .span = 1,
                          .views = {&call->in[0], keys},
                          .words = LG_WORDS(s->height, s->layers),
                          .groups = {lg_native_groups(s->width, 64)}};
    const lg_pass find = {LG_PASS_TEXT(wide_median_digits),
                          .group_x = 16,
                          .group_y = 8,
                          .span = 1,
                          .views = {keys, medians},
                          .words = LG_WORDS(s->height, s->layers, s->width, planes)};
    lg_pass_run(call, &make, "#define PLANES %d\n", planes);
    lg_pass_run(call, &find, "#define RADIUS %d\n#define BORDER %d\n", (int)radius_of(call),
                border_of(call));
}

// ---- both -----------------------------------------------------------------------------------------

void lg_wide_median_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape;
    const bool bytes = lg_median_takes_bytes(in);
    const int planes = lg_median_planes(in);
    lg_image_params shape = lg_native_shape(in, LG_F32, 1, LG_ALPHA_NONE);
    shape.width *= bytes ? 1 : planes;
    const lg_device_image medians = lg_device_scratch_image(call, &shape);
    if (bytes) {
        count_bytes(call, &medians);
    } else {
        const lg_device_image keys = lg_device_scratch_image(call, &shape);
        find_keys(call, &keys, &medians);
    }
    const lg_pass write = {LG_PASS_TEXT(wide_median_write), .group_x = 64, .span = LG_SPAN_WORDS,
                           .views = {&call->in[0], &medians, &call->out},
                           .words = LG_WORDS(call->out.shape.height, call->out.shape.layers)};
    lg_pass_run(call, &write, "#define PLANES %d\n#define BYTES %d\n", planes, bytes);
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
