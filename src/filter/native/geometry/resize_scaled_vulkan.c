#include "filter/native/geometry/resize_scaled.h"

#include "filter/native/native_vulkan.h"

extern const char lg_glsl_resize_sums[], lg_glsl_resize_half[], lg_glsl_resize_double[];

enum { GROUP_X = 32, GROUP_Y = 4, ROWS = 2 }; // docs/notes/geometry.md has the times of others

#define MOST_COLUMNS (65535 * GROUP_X * 4) // of the workgroups that a dispatch has at most

typedef struct tap_rule {
    int32_t first, count;
    int32_t weights[4]; // times 2 to the power of LG_RESIZE_BYTE_BITS - shift
    int shift;
} tap_rule;

static bool is_tap(const lg_resize_axis *axis, int32_t i, const tap_rule *rule)
{
    const int32_t *w = axis->weights + (size_t)i * (size_t)axis->taps;
    bool same = axis->first[i] == rule->first && axis->tap_count[i] == rule->count;
    for (int32_t k = 0; k < rule->count && same; k++)
        same = w[k] == rule->weights[k] << (LG_RESIZE_BYTE_BITS - rule->shift);
    return same;
}

static bool is_mean(const lg_resize_axis *axis)
{
    bool same = axis->size == 2 * axis->count;
    for (int32_t i = 0; i < axis->count && same; i++)
        same = is_tap(axis, i, &(tap_rule){2 * i, 2, {1, 1}, 1});
    return same;
}

// All outputs but the first and the last one.
static bool is_half(const lg_resize_axis *axis)
{
    bool same = axis->size == 2 * axis->count;
    for (int32_t i = 1; i < axis->count - 1 && same; i++)
        same = is_tap(axis, i, &(tap_rule){2 * i - 1, 4, {1, 3, 3, 1}, 3});
    return same;
}

static bool is_double(const lg_resize_axis *axis)
{
    bool same = axis->count == 2 * axis->size;
    for (int32_t i = 0; i < axis->count && same; i++) {
        const int32_t low = (i + 1) / 2 - 1;
        const tap_rule rule = i == 0 || i == axis->count - 1 ? (tap_rule){i / 2, 1, {1}, 0}
                              : i % 2                        ? (tap_rule){low, 2, {3, 1}, 2}
                                                             : (tap_rule){low, 2, {1, 3}, 2};
        same = is_tap(axis, i, &rule);
    }
    return same;
}

lg_resize_scale lg_resize_scale_of(const lg_resize *r, int channels)
{
    const lg_resize_axis *a = r->axis;
    return !r->bytes || channels == 2 || a[0].count > MOST_COLUMNS ? LG_RESIZE_ANY
           : is_mean(&a[0]) && is_mean(&a[1])                      ? LG_RESIZE_MEAN
           : is_half(&a[0]) && is_half(&a[1])                      ? LG_RESIZE_HALF
           : is_double(&a[0]) && is_double(&a[1])                  ? LG_RESIZE_DOUBLE
                                                                   : LG_RESIZE_ANY;
}

void lg_resize_scaled_vulkan(lg_device_call *call, const lg_resize *r, lg_resize_scale scale,
                             const uint64_t lists[2])
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const bool doubled = scale == LG_RESIZE_DOUBLE, opaque = out->alpha == LG_ALPHA_OPAQUE;
    const bool half = scale == LG_RESIZE_HALF;
    const bool narrow = !doubled && out->channels == 1;
    const uint64_t across = half ? lists[0] : 0, down = half ? lists[1] : 0;
    const lg_pass pass = {
        .name = doubled ? "resize_double" : "resize_half",
        .text = lg_glsl_resize_sums,
        .parts = {doubled ? lg_glsl_resize_double : lg_glsl_resize_half},
        .group_x = GROUP_X,
        .group_y = GROUP_Y,
        .span = (narrow ? 8 : 16) / out->channels,
        .views = {&call->in[0], &call->out},
        .words = LG_WORDS(r->axis[1].size, out->layers, out->width, in->width, call->first,
                          call->end, call->from, call->to, LG_ADDRESS(across), LG_ADDRESS(down)),
        .reads = {across, down},
        .groups = {0,
                   lg_native_groups(doubled ? out->height / 2 + 1 : out->height, GROUP_Y * ROWS)}};
    lg_pass_run(
        call, &pass,
        "#define CH %d\n#define SET %su\n#define SHIFT %d\n#define OUTER %d\n#define INNER %d\n"
        "#define COLUMNS_FIRST %d\n#define FIRST_SHIFT %d\n#define LAST_SHIFT %d\n#define ROWS "
        "%d\n",
        out->channels, opaque && out->channels == 4 ? "0xff000000" : "0",
        doubled ? 4
        : half  ? 6
                : 2,
        half, half ? 3 : 1, r->columns_first, LG_RESIZE_BYTE_BITS - LG_RESIZE_FRACTION,
        LG_RESIZE_BYTE_BITS + LG_RESIZE_FRACTION, ROWS);
}
