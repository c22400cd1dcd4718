// Filters with kernels of their own: src/filter/native/NAME/.
#ifndef LG_NATIVE_H
#define LG_NATIVE_H

#include "filter/parameters.h"

// What a native filter gets on the CPU: images in host memory and the values of its parameters. The
// graph's own images come in their own type. Images between stages are f32 with 4 channels, or with 1 where
// they are grey. What samples mean is in kernel/pixel_rule.h.
typedef struct lg_native_call {
    lg_context *context;
    const lg_filter *filter;
    const float *values;
    const char *const *texts; // per parameter, NULL where the default holds; or NULL
    const lg_image *in[2];
    lg_image *out;
    lg_error *error;
} lg_native_call;

// The rows of an input above and below a row of the output that are read for it. Rows outside the image
// are not counted: a border takes their values from rows inside the reach.
typedef struct lg_row_reach {
    int64_t above, below;
    const char *whole; // why all rows are needed; NULL: they are not
} lg_row_reach;

static inline lg_row_reach lg_row_reach_of(int64_t radius)
{
    return (lg_row_reach){radius, radius, NULL};
}

static inline lg_row_reach lg_row_reach_whole(const char *why)
{
    return (lg_row_reach){0, 0, why};
}

// Of a filter with these values in its first or second image; `in` is the image's shape.
lg_row_reach lg_filter_reach(const lg_filter *filter, const float *values,
                             const lg_image_params *in, int input);
// Of a filter whose result `next` reads.
lg_row_reach lg_row_reach_through(lg_row_reach first, lg_row_reach next);
// What either of two readers needs.
lg_row_reach lg_row_reach_both(lg_row_reach a, lg_row_reach b);

struct lg_device_call;

// The device part of a filter, NULL in a build without Vulkan.
#ifdef LG_HAVE_VULKAN
#define LG_VULKAN(function) function
#else
#define LG_VULKAN(function) NULL
#endif

typedef struct lg_native {
    lg_status (*cpu)(const lg_native_call *call);
    // Records its dispatches (filter/device_call.h); NULL: the CPU does it.
    lg_status (*vulkan)(struct lg_device_call *call);
    // The parameters whose values `vulkan` looks at while it records, separated by blanks: sizes of
    // windows, say. It reads all others on the device, so that what is measured for them never leaves it.
    const char *recorded;
    // Whether the context's device can do it for such an image, if not what is against it; NULL: always.
    bool (*fits)(const lg_context *context, const lg_filter *filter, const float *values,
                 const lg_image_params *in, const char **why);
    // What the device refused, which shows when it is done: the error for the word that kernels left at
    // lg_device_call.refused, unless that is 0. NULL: nothing.
    lg_status (*refuse)(const lg_filter *filter, const float *values, uint32_t word,
                        lg_error *error);
    // Of the first image, whose shape `in` is; a second one is read at the pixel only. NULL: all rows.
    lg_row_reach (*reach)(const lg_filter *filter, const float *values, const lg_image_params *in);
} lg_native;

bool lg_native_records(const lg_native *native, const lg_filter_param *param);

// A parameter's first value by name; the name must exist.
float lg_native_value(const lg_filter *filter, const float *values, const char *name);

// The entry in the catalogue: PARAMETERS and LG_ROWS(NAME) come before it, as in filter/kernel.h.
//   LG_NATIVE_FILTER(box_blur, &box_blur_native, 1, .summary = ..., .formula = ..., .source = ...);
#define LG_NATIVE_FILTER(name_, native_, inputs_, ...)                                             \
    LG_NATIVE_FILTER_SHAPED(name_, native_, NULL, inputs_, __VA_ARGS__)

// The same with a shape function: the output is not of the size or kind of the input.
#define LG_NATIVE_FILTER_SHAPED(name_, native_, shape_, inputs_, ...)                              \
    const lg_filter_entry lg_filter_##name_ = {                                                    \
        .filter = {.name = #name_,                                                                 \
                   .kind = LG_FILTER_NATIVE,                                                       \
                   .inputs = inputs_,                                                              \
                   .params = name_##_rows,                                                         \
                   .param_count = LG_COUNT(name_##_rows) - 1,                                      \
                   __VA_ARGS__},                                                                   \
        .shape = shape_,                                                                           \
        .native = native_,                                                                         \
    }

#endif
