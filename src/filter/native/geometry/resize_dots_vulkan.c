// Images of bytes at half their size by products of four bytes: resize_dots.glsl.
#include "filter/native/geometry/resize_scaled.h"

#include "filter/native/native_vulkan.h"

#include <string.h>

extern const char lg_glsl_resize_dots[];

// Threads of a workgroup, and most rows of its tile.
enum { THREADS = 128, ROWS = 6, GREY_ROWS = 4, MOST_TAPS = 12 };

#define SHARED (ROWS * (THREADS / 2 + THREADS / 8) * 16) // bytes

static bool is_inside(const lg_resize_axis *axis, int64_t i)
{
    const int64_t first = 2 * i - (axis->taps / 2 - 1);
    return first >= 0 && first + axis->taps <= axis->size;
}

static const int32_t *weights_of(const lg_resize_axis *axis, int64_t i)
{
    return axis->weights + (size_t)i * (size_t)axis->taps;
}

// Whether all outputs have the weights `w`, but those that reach over an edge.
static bool is_regular(const lg_resize_axis *axis, const int32_t *w)
{
    bool same = axis->size == 2 * axis->count;
    for (int32_t i = 0; i < axis->count && same; i++)
        same =
            !is_inside(axis, i) ||
            (axis->first[i] == 2 * i - (axis->taps / 2 - 1) && axis->tap_count[i] == axis->taps &&
             memcmp(weights_of(axis, i), w, (size_t)axis->taps * sizeof *w) == 0);
    return same;
}

bool lg_resize_has_dots(const lg_context *context, const lg_resize *r, int channels)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const lg_resize_axis *a = r->axis;
    const int32_t taps = a[0].taps;
    return r->bytes && r->columns_first && channels != 2 && limits->integer_dot &&
           limits->shared_memory >= SHARED && limits->max_workgroup_size >= THREADS &&
           taps % 2 == 0 && taps <= MOST_TAPS && taps == a[1].taps &&
           is_inside(&a[0], a[0].count / 2) &&
           is_regular(&a[0], weights_of(&a[0], a[0].count / 2)) &&
           is_regular(&a[1], weights_of(&a[0], a[0].count / 2));
}

// "a, b, c" of `count` words.
static void write_words(char *to, size_t size, const uint32_t *words, int count)
{
    size_t at = 0;
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(to + at, size - at, "%s%uu", i ? ", " : "", words[i]);
}

void lg_resize_dots_vulkan(lg_device_call *call, const lg_resize *r, const uint64_t lists[2])
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const int32_t taps = r->axis[0].taps, quads = (taps + 3) / 4;
    const int32_t *w = weights_of(&r->axis[0], r->axis[0].count / 2);
    uint32_t low[MOST_TAPS / 4] = {0}, high[MOST_TAPS / 4] = {0}, all[MOST_TAPS];
    for (int32_t k = 0; k < taps; k++) {
        all[k] = (uint32_t)w[k];
        low[k / 4] |= (all[k] & 255) << (8 * (k % 4));
        high[k / 4] |= (all[k] >> 8 & 255) << (8 * (k % 4));
    }
    char texts[3][16 * MOST_TAPS];
    write_words(texts[0], sizeof texts[0], low, quads);
    write_words(texts[1], sizeof texts[1], high, quads);
    write_words(texts[2], sizeof texts[2], all, taps);
    const bool opaque = out->alpha == LG_ALPHA_OPAQUE && out->channels == 4;
    const int32_t pixels = 4 / out->channels, lead = taps / 2 - 1;
    const int32_t gap = out->channels == 4 ? 0 : 3 - (lead + 3) % 4;
    const int32_t beside = (gap + taps - 2 + pixels - 1) / pixels;
    const int32_t rows = out->channels == 1 ? GREY_ROWS : ROWS;
    const int32_t strip = (THREADS - beside) / 8 * (16 / out->channels);
    const lg_pass pass = {
        LG_PASS_TEXT(resize_dots),
        .group_x = THREADS,
        .group_y = 1,
        .span = 16 / out->channels,
        .views = {&call->in[0], &call->out},
        .words = LG_WORDS(out->layers, out->width, in->width, call->first, call->end, call->from,
                          call->to, LG_ADDRESS(lists[0]), LG_ADDRESS(lists[1])),
        .reads = {lists[0], lists[1]},
        .groups = {lg_native_groups(out->width, strip), lg_native_groups(out->height, rows)}};
    lg_pass_run(call, &pass,
                "#define LG_INTEGER_DOT\n#define CH %d\n#define SET %su\n#define TAPS %d\n"
                "#define QUADS %d\n#define LOW %s\n#define HIGH %s\n#define WEIGHTS %s\n"
                "#define ROWS %d\n",
                out->channels, opaque ? "0xff000000" : "0", taps, quads, texts[0], texts[1],
                texts[2], rows);
}
