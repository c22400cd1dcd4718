// Morphology on a Vulkan device.
#include "device/workspace.h"
#include "filter/native/morphology/morphology.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_morphology_spread[], lg_glsl_morphology_bytes[];

#define BYTES_RADIUS 16 // of one dispatch
#define TURN_ROWS                                                                                  \
    18 // go through shared memory together, about: more leave room for fewer workgroups
#define STRIP_ROWS   512         // that a workgroup walks down at most
#define STRIPS       16          // for each compute unit, where the image is large enough
#define WIDE_PIXELS  (1 << 26)   // of a layer, from which strips are wide
#define BYTES_PASSES 8           // more of them than that take longer than growing windows
#define LITTLE       (32 * 1024) // bytes of shared memory of a workgroup, for all radii
#define LARGE        (48 * 1024) // likewise, of wide strips and of those of all components

typedef struct device_task {
    lg_device_call *call;
    bool grey;
    int32_t radius;          // of a square, no larger than matters; -1: the window is none
    lg_window_side sides[2]; // of an erosion's window along rows and columns
    lg_outside outside;
    lg_device_image spare[2];
    int spares;
} device_task;

static lg_image_params between_shape(const device_task *t)
{
    const lg_image_params *in = &t->call->in[0].shape;
    const bool premultiplied = in->alpha == LG_ALPHA_PREMULTIPLIED && in->channels != 1;
    const lg_type type = premultiplied ? LG_F32 : in->type;
    if (t->grey)
        return lg_native_shape(in, type, 1, LG_ALPHA_NONE);
    return lg_native_shape(in, type, premultiplied ? 4 : in->channels,
                           premultiplied ? LG_ALPHA_STRAIGHT : in->alpha);
}

// Where pass i of `count` writes: `to` at the end, before that an image that it does not read; two of
// them take turns.
static const lg_device_image *next(device_task *t, int i, int count, const lg_device_image *from,
                                   const lg_device_image *to)
{
    if (i == count - 1)
        return to;
    lg_device_image *spare = &t->spare[from == &t->spare[0]];
    if (spare == t->spare + t->spares) {
        const lg_image_params shape = between_shape(t);
        t->spares++;
        *spare = lg_device_scratch_image(t->call, &shape);
    }
    return spare;
}

// ---- bytes: both axes in one dispatch ---------------------------------------------------------------

static bool is_bytes(const lg_image_params *s)
{
    return s->type == LG_U8 &&
           (s->channels == 1 || (s->channels == 4 && s->alpha != LG_ALPHA_PREMULTIPLIED));
}

static int bytes_passes(const device_task *t)
{
    return (t->radius + BYTES_RADIUS - 1) / BYTES_RADIUS;
}

static uint32_t shared_memory(const device_task *t)
{
    return lg_vk_get_limits(t->call->context->vk)->shared_memory;
}

static bool takes_bytes(const device_task *t)
{
    const lg_image_params *in = &t->call->in[0].shape, *out = &t->call->out.shape;
    return is_bytes(in) && is_bytes(out) && t->radius > 0 && bytes_passes(t) <= BYTES_PASSES &&
           t->call->in[0].layer_stride / 4 <= UINT32_MAX && // words have indices of 32 bits
           shared_memory(t) >= LITTLE;
}

// Rows that a workgroup walks down, whole turns: few begin with rows that are not theirs, but all units
// have work.
static int strip_rows(const device_task *t, const lg_image_params *s, int width, int block,
                      int turn)
{
    const int64_t columns = (int64_t)lg_native_groups(s->width, width) * s->layers;
    const int64_t wanted = lg_device_groups(t->call->context, UINT64_MAX, STRIPS);
    int64_t rows = (int64_t)s->height * columns / wanted;
    rows = LG_MIN(LG_MAX(rows, 2 * block), STRIP_ROWS);
    return (int)((rows + turn - 1) / turn) * turn;
}

static void bytes_pass(const device_task *t, bool max, int32_t radius, const lg_device_image *from,
                       const lg_device_image *to)
{
    const lg_image_params *s = &to->shape;
    const bool all = !t->grey, halves = lg_vk_get_limits(t->call->context->vk)->float16;
    // Wide strips have less beside them that is read twice, but an image needs enough of them.
    const bool large = shared_memory(t) >= LARGE;
    const bool wide = large && radius >= 8 && (int64_t)s->width * s->height >= WIDE_PIXELS;
    const int threads = all ? large ? 256 : 128 : wide ? 128 : 64, block = 2 * radius;
    const int units = LG_MAX(1, TURN_ROWS / block), parts = all && block > TURN_ROWS ? 2 : 1;
    const int width = threads * (all ? 1 : 4) - 32; // that a workgroup writes
    const int strip = strip_rows(t, s, width, block, block * units);
    const lg_pass pass = {
        LG_PASS_TEXT(morphology_bytes),
        .group_x = threads,
        .group_y = 1,
        .views = {from, to},
        .words = LG_WORDS(s->height, s->layers, strip),
        .groups = {lg_native_groups(s->width, width), lg_native_groups(s->height, strip)}};
    lg_pass_run(
        t->call, &pass,
        "%s#define RADIUS %d\n#define UNITS %d\n#define PARTS %d\n#define LANES %d\n"
        "#define MAXIMUM %d\n#define ALL %d\n#define IN %d\n#define OUT %d\n"
        "#define OPAQUE_IN %d\n#define OPAQUE_OUT %d\n#define BORDER %d\n#define PREFETCH %d\n",
        halves ? "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n" : "",
        radius, units, parts, halves, max, all, from->shape.channels, s->channels,
        all && from->shape.alpha == LG_ALPHA_OPAQUE, s->alpha == LG_ALPHA_OPAQUE,
        t->outside == LG_OUTSIDE_WRAP   ? LG_BORDER_WRAP
        : t->outside == LG_OUTSIDE_ZERO ? LG_BORDER_CONSTANT
                                        : LG_BORDER_REPLICATE,
        parts == 1);
}

// Squares within squares are squares: a large radius is a sum of small ones.
static void run_bytes(device_task *t, bool max, const lg_device_image *from,
                      const lg_device_image *to)
{
    const int passes = bytes_passes(t);
    for (int i = 0; i < passes; i++) {
        const int32_t radius = (t->radius * (i + 1)) / passes - (t->radius * i) / passes;
        const lg_device_image *into = next(t, i, passes, from, to);
        bytes_pass(t, max, radius, from, into);
        from = into;
    }
}

// ---- any type: windows that grow fourfold, one axis at a time ---------------------------------------

typedef struct spread {
    int axis;
    bool max;
    int32_t step, taps, last;
    lg_window_side side; // 0, 0 while windows grow
} spread;

static void spread_pass(const device_task *t, const spread *p, const lg_device_image *from,
                        const lg_device_image *to)
{
    const lg_image_params *s = &to->shape;
    const lg_pass pass = {LG_PASS_TEXT(morphology_spread), .span = 4, .views = {from, to},
                          .words = LG_WORDS(t->outside, -p->side.before, p->step, p->taps, p->last,
                                            p->side.before, p->side.after, s->height, s->layers)};
    lg_pass_run(t->call, &pass,
                "#extension GL_EXT_shader_integer_mix : require\n"
                "#define AXIS %d\n#define MAXIMUM %d\n#define GREY %d\n",
                p->axis, p->max, t->grey);
}

static void run_spread(device_task *t, bool max, const lg_device_image *from,
                       const lg_device_image *to)
{
    spread passes[32];
    int count = 0;
    for (int axis = 0; axis < 2; axis++) {
        const lg_window_side own = t->sides[axis];
        const lg_window_side side =
            lg_morphology_seen(max ? lg_window_side_mirrored(own) : own,
                               axis ? to->shape.height : to->shape.width, t->outside);
        const int32_t size = lg_window_size(side);
        int32_t have = 1;
        // A window may not be wider than what a place at the edge sees.
        for (; 4 * have <= side.after + 1; have *= 4)
            passes[count++] = (spread){axis, max, have, 4, 3 * have, {0, 0}};
        passes[count++] = (spread){axis, max, have, (size + have - 1) / have, size - have, side};
    }
    for (int i = 0; i < count; i++) {
        const lg_device_image *into = next(t, i, count, from, to);
        spread_pass(t, &passes[i], from, into);
        from = into;
    }
}

// ---- outside ------------------------------------------------------------------------------------

static void run_one(device_task *t, bool max, const lg_device_image *from,
                    const lg_device_image *to)
{
    (takes_bytes(t) ? run_bytes : run_spread)(t, max, from, to);
}

// Of a square window; -1 for others.
static int32_t square_radius(const device_task *t, const lg_image_params *out)
{
    const lg_window_side along = t->sides[0], down = t->sides[1];
    if (along.before != along.after || down.before != down.after || along.after != down.after)
        return -1;
    return LG_MAX(lg_morphology_seen(along, out->width, t->outside).after,
                  lg_morphology_seen(down, out->height, t->outside).after);
}

void lg_morphology_vulkan(lg_device_call *call, lg_morphology_operation operation, bool grey)
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    device_task t = {.call = call,
                     .grey = grey || in->channels == 1 || out->channels == 1,
                     .sides = {lg_window_side_get(call->filter, call->values, "width"),
                               lg_window_side_get(call->filter, call->values, "height")},
                     .outside = border == LG_BORDER_WRAP       ? LG_OUTSIDE_WRAP
                                : border == LG_BORDER_CONSTANT ? LG_OUTSIDE_ZERO
                                                               : LG_OUTSIDE_CUT};
    t.radius = square_radius(&t, out);
    const bool max = operation == LG_MORPHOLOGY_DILATION || operation == LG_MORPHOLOGY_CLOSING;
    if (operation == LG_MORPHOLOGY_DILATION || operation == LG_MORPHOLOGY_EROSION) {
        run_one(&t, max, &call->in[0], &call->out);
        return;
    }
    const lg_image_params shape = between_shape(&t);
    const lg_device_image between = lg_device_scratch_image(call, &shape);
    run_one(&t, max, &call->in[0], &between);
    run_one(&t, !max, &between, &call->out);
}
