// Images of other sizes, on a Vulkan device.
#include "filter/native/geometry/resize_scaled.h"
#include "filter/native/native_vulkan.h"
#include "filter/native/planes.h"

#include <string.h>

extern const char lg_glsl_resize[], lg_glsl_resize_bytes[], lg_glsl_resize_tile[];

#define WORK ((int64_t)1 << 36) // samples that a dispatch reads at most: a fraction of a second

typedef struct resize_task {
    lg_device_call *call;
    const lg_resize *r; // of the rows that are wanted
    uint32_t base[2];   // the input, of each axis, that kernels find at 0
    int planes, channels;
    bool alpha;
    uint64_t lists
        [2]; // of each axis: first, how many, weights; behind one of them, see resize_tile.glsl
    // Of the tiles that a workgroup makes by itself; columns 0: both passes have dispatches of their own.
    int32_t columns, pitch, rows;
} resize_task;

#define TILE_BYTES  32768 // of shared memory
#define TILE_GROUPS 65535

#define MOST_AT_ONCE 12 // those of Lanczos at half the size

enum { ALONG, DOWN, LINEAR_PLANES };

typedef struct resize_pass {
    int kind;
    bool first, last; // it reads the image, it writes the result
    const lg_device_image *from, *to;
} resize_pass;

// The axis of which every tile reads another part.
static int parted_axis(const resize_task *t)
{
    return t->r->columns_first ? ALONG : DOWN;
}

// Rows of the output. Where the first pass goes down columns its rows have nothing in common, and small tiles
// leave more workgroups to run at once; docs/notes/geometry.md has the times.
static int32_t tile_rows(const resize_task *t)
{
    return t->r->columns_first ? 2 : 8;
}

static int32_t tile_outputs(const resize_task *t)
{
    return t->r->columns_first ? t->columns : tile_rows(t);
}

// The widest tile for which the first pass fits into shared memory.
static void choose_tile(resize_task *t)
{
    const lg_vk_limits *limits = lg_vk_get_limits(t->call->context->vk);
    const size_t entry = (size_t)t->channels * (t->r->bytes ? t->channels == 1 ? 4 : 2 : 4);
    const lg_resize_axis *axis = t->r->axis;
    for (int32_t columns = 128; columns >= 32 && !t->r->linear; columns /= 2) {
        const bool down = t->r->columns_first;
        const size_t outputs = (size_t)tile_rows(t);
        const size_t pitch =
            down ? lg_align_up((size_t)lg_resize_widest(&axis[0], columns), 32) : (size_t)columns;
        const size_t rows =
            down ? outputs : lg_align_up((size_t)lg_resize_widest(&axis[1], (int32_t)outputs), 4);
        const size_t row = pitch + pitch / 8; // resize_tile.glsl says why
        const bool fits = pitch <= TILE_BYTES && rows <= TILE_BYTES &&
                          row * rows * entry <= TILE_BYTES && limits->shared_memory >= TILE_BYTES &&
                          limits->max_workgroup_size >= 256 &&
                          axis[0].count / columns < TILE_GROUPS;
        if (fits) {
            t->columns = columns;
            t->pitch = (int32_t)row;
            t->rows = (int32_t)rows;
            return;
        }
    }
}

// Appends what every tile reads.
static void write_tiles(const resize_task *t, const lg_resize_axis *axis, uint32_t *to)
{
    const int32_t each = tile_outputs(t);
    for (int32_t i = 0; i < axis->count; i += each) {
        int32_t first, end;
        lg_resize_reach(axis, i, LG_MIN(i + each, axis->count), &first, &end);
        *to++ = (uint32_t)first - t->base[axis == &t->r->axis[1]];
        *to++ = (uint32_t)(end - first);
    }
}

// The first weights of all outputs, then the second ones ...: lanes read those of neighbours.
static void write_weights(const lg_resize_axis *axis, bool whole, uint32_t *to)
{
    const size_t count = (size_t)axis->count, taps = (size_t)axis->taps;
    const char *from = whole ? (const char *)axis->weights : (const char *)axis->floats;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < taps; k++)
            memcpy(to + k * count + i, from + (i * taps + k) * sizeof *to, sizeof *to);
}

static void upload_axis(resize_task *t, int k)
{
    const lg_resize_axis *axis = &t->r->axis[k];
    const size_t count = (size_t)axis->count, weights = count * (size_t)axis->taps;
    const bool parted = t->columns && k == parted_axis(t);
    const size_t parts = parted ? 2 * (count / (size_t)tile_outputs(t) + 1) : 0;
    const size_t all = 2 * count + weights + parts;
    uint32_t *words = lg_alloc_array(all, sizeof *words);
    if (!words) {
        t->call->status =
            lg_fail_memory(t->call->error, all * sizeof *words, "the weights of a resized image");
        return;
    }
    for (size_t i = 0; i < count; i++)
        words[i] = (uint32_t)axis->first[i] - t->base[k];
    memcpy(words + count, axis->tap_count, count * sizeof *words);
    write_weights(axis, t->r->bytes, words + 2 * count);
    if (parted)
        write_tiles(t, axis, words + 2 * count + weights);
    t->lists[k] = lg_device_upload(t->call, words, all * sizeof *words);
    lg_free(words);
}

// ---- kernels ------------------------------------------------------------------------------------

// Weights of an output that a kernel loads before it needs them; 0: one after the other.
static int taps_at_once(const resize_task *t, bool down)
{
    const int32_t taps = t->r->axis[down].taps;
    return !t->columns || taps > MOST_AT_ONCE ? 0 : taps;
}

// `pass` has what tiles and passes differ in; of tiles `p` has one pass, which is first and last.
static void run(const resize_task *t, const resize_pass *p, lg_pass pass)
{
    const bool bytes = t->r->bytes;
    const bool opaque = t->call->out.shape.alpha == LG_ALPHA_OPAQUE && t->channels > 1;
    const int first = LG_RESIZE_BYTE_BITS - LG_RESIZE_FRACTION;
    pass.name = bytes ? "resize_bytes" : "resize";
    pass.text = bytes ? lg_glsl_resize_bytes : lg_glsl_resize;
    pass.span = bytes || p->last ? 4 : 0;
    pass.views[0] = p->from;
    pass.views[1] = p->to;
    lg_pass_run(
        t->call, &pass,
        "#define KIND %d\n#define FIRST %d\n#define LAST %d\n#define CH %d\n#define PLANES %d\n"
        "#define ALPHA %d\n#define LINEAR %d\n#define FIRST_SHIFT %d\n#define SHIFT %d\n"
        "#define SET %su\n#define TILE %d\n#define COLUMNS_FIRST %d\n#define PITCH %d\n"
        "#define TILE_ROWS %d\n#define FIRST_TAPS %d\n#define SECOND_TAPS %d\n",
        p->kind, p->first, p->last, t->channels, t->planes, t->alpha, t->r->linear, first,
        p->last ? LG_RESIZE_BYTE_BITS + LG_RESIZE_FRACTION : first,
        !opaque            ? "0"
        : t->channels == 4 ? "0xff000000"
                           : "0xff00",
        t->columns > 0, t->r->columns_first, t->pitch, t->rows,
        taps_at_once(t, t->r->columns_first), taps_at_once(t, !t->r->columns_first));
}

static void run_tiles(const resize_task *t)
{
    const resize_pass p = {ALONG, true, true, &t->call->in[0], &t->call->out};
    const lg_image_params *s = &t->call->out.shape;
    const lg_resize_axis *a = t->r->axis;
    const lg_pass pass = {.group_x = t->columns / 4,
                          .group_y = tile_rows(t),
                          .parts = {lg_glsl_resize_tile},
                          .words = LG_WORDS(s->layers, s->height, s->width, 0, a[0].count,
                                            a[0].taps, LG_ADDRESS(t->lists[0]), a[1].count,
                                            a[1].taps, LG_ADDRESS(t->lists[1])),
                          .reads = {t->lists[0], t->lists[1]},
                          .groups = {lg_native_groups(s->width, t->columns)}};
    run(t, &p, pass);
}

// ---- passes -------------------------------------------------------------------------------------

static void run_pass(const resize_task *t, const resize_pass *p)
{
    const lg_image_params *s = &p->to->shape;
    const lg_resize_axis none = {.taps = 0};
    const bool weighs = p->kind != LINEAR_PLANES;
    const lg_resize_axis *axis = weighs ? &t->r->axis[p->kind] : &none;
    const uint64_t list = weighs ? t->lists[p->kind] : 0;
    const int64_t work = (int64_t)LG_MAX(axis->taps, 1) * s->width * s->layers;
    const lg_pass pass = {
        .words = LG_WORDS(s->layers, 0, 0, s->width, axis->count, axis->taps, LG_ADDRESS(list)),
        .reads = {list},
        .groups = {lg_native_groups(s->width, p->last || t->r->bytes ? 128 : 32)},
        .rows = (int32_t)LG_MAX(LG_MIN(WORK / work, s->height), 1)};
    run(t, p, pass);
}

static lg_device_image planes_image(const resize_task *t, int32_t width, int32_t height)
{
    lg_image_params shape = lg_native_shape(&t->call->in[0].shape, t->r->bytes ? LG_U16 : LG_F32,
                                            t->channels, LG_ALPHA_NONE);
    shape.width = width;
    shape.height = height;
    return lg_device_scratch_image(t->call, &shape);
}

static void run_passes(const resize_task *t)
{
    const lg_image_params *in = &t->call->in[0].shape, *out = &t->call->out.shape;
    const bool down = t->r->columns_first;
    lg_device_image light = t->call->in[0];
    if (t->r->linear) {
        light = planes_image(t, in->width, in->height);
        run_pass(t, &(resize_pass){LINEAR_PLANES, true, false, &t->call->in[0], &light});
    }
    const lg_device_image between =
        planes_image(t, down ? in->width : out->width, down ? out->height : in->height);
    run_pass(t, &(resize_pass){down ? DOWN : ALONG, !t->r->linear, false, &light, &between});
    run_pass(t, &(resize_pass){down ? ALONG : DOWN, false, true, &between, &t->call->out});
}

// Down columns, the outputs that are wanted.
static void cut(lg_resize_axis *axis, int64_t first, int64_t end)
{
    axis->count = (int32_t)(end - first);
    axis->first += first;
    axis->tap_count += first;
    axis->weights += first * axis->taps;
    axis->floats += first * axis->taps;
}

void lg_resize_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape;
    const lg_pixels pixels = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    lg_resize r = lg_resize_of(call->filter, call->values, in, &call->out.shape);
    if (lg_resize_moves(&r)) {
        lg_rearrange_vulkan(call, lg_resize_nearest);
        return;
    }
    resize_task t = {.call = call,
                     .r = &r,
                     .planes = lg_plane_count(&pixels),
                     .alpha = lg_pixels_have_alpha(&pixels)};
    call->status = lg_resize_weigh(&r, in, &call->out.shape, call->made, call->error);
    if (call->status)
        return;
    const lg_resize_scale scale = lg_resize_scale_of(&r, in->channels);
    const bool dots = !scale && lg_resize_has_dots(call->context, &r, in->channels);
    t.channels = r.bytes ? in->channels : t.planes == 3 ? 4 : t.planes;
    t.base[1] = scale || dots ? 0 : (uint32_t)call->from;
    lg_device_cut(call, scale || dots);
    cut(&r.axis[1], call->first, call->end);
    if (!scale && !dots)
        choose_tile(&t);
    upload_axis(&t, 0);
    upload_axis(&t, 1);
    if (scale)
        lg_resize_scaled_vulkan(call, &r, scale, t.lists);
    else if (dots)
        lg_resize_dots_vulkan(call, &r, t.lists);
    else
        (t.columns ? run_tiles : run_passes)(&t);
}
