#include "filter/native/geometry/resize_scaled.h"

#include "filter/native/native_vulkan.h"

#include <string.h>

extern const char lg_glsl_resize_sums[], lg_glsl_resize_half[], lg_glsl_resize_double[];

enum { OWN = 9, GROUP_X = 32, GROUP_Y = 4, ROWS = 2 };

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

lg_status lg_resize_scaled_vulkan(lg_device_call *call, const lg_resize *r, lg_resize_scale scale,
                                  const uint64_t lists[2])
{
    const lg_image_params *in = &call->in[0].shape, *out = &call->out.shape;
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const bool doubled = scale == LG_RESIZE_DOUBLE, opaque = out->alpha == LG_ALPHA_OPAQUE;
    const lg_native_glsl text = {.name = doubled ? "resize_double" : "resize_half",
                                 .text = lg_glsl_resize_sums,
                                 .group_x = GROUP_X,
                                 .group_y = GROUP_Y,
                                 .extra = OWN,
                                 .span = 16 / out->channels,
                                 .parts = {doubled ? lg_glsl_resize_double : lg_glsl_resize_half}};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(
        call, &text, views, 2, &pipeline,
        "#define CH %d\n#define SET %su\n#define SHIFT %d\n#define OUTER %d\n#define INNER %d\n"
        "#define COLUMNS_FIRST %d\n#define FIRST_SHIFT %d\n#define LAST_SHIFT %d\n",
        out->channels, opaque && out->channels == 4 ? "0xff000000" : "0",
        doubled                   ? 4
        : scale == LG_RESIZE_HALF ? 6
                                  : 2,
        scale == LG_RESIZE_HALF, scale == LG_RESIZE_HALF ? 3 : 1, r->columns_first,
        LG_RESIZE_BYTE_BITS - LG_RESIZE_FRACTION, LG_RESIZE_BYTE_BITS + LG_RESIZE_FRACTION);
    if (status)
        return status;
    uint32_t words[OWN] = {(uint32_t)out->height, (uint32_t)out->layers, (uint32_t)out->width,
                           (uint32_t)in->width, (uint32_t)in->height};
    for (int k = 0; k < 2 && scale == LG_RESIZE_HALF; k++) {
        memcpy(words + 5 + 2 * k, &lists[k], sizeof lists[k]);
        lg_vk_reads(call->commands, lists[k], 0);
    }
    lg_device_dispatch(call, pipeline, views, 2, words, OWN,
                       lg_native_groups(out->width, GROUP_X * text.span),
                       lg_native_groups((doubled ? in : out)->height, GROUP_Y * ROWS),
                       lg_native_groups(out->layers, 1));
    return LG_OK;
}
