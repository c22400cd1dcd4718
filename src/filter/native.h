// Native filters: filters that bring their own kernels, in src/filter/native/NAME/.
#ifndef LG_NATIVE_H
#define LG_NATIVE_H

#include "device/dispatch.h"
#include "filter/parameters.h"

// What a native filter gets on the CPU. Images are in host memory. Images of the graph's caller
// have their own type; images between stages are f32 with 4 channels, or 1 for grey.
// kernel/pixel_rule.h defines what samples mean.
typedef struct lg_native_call {
    lg_context *context;
    const lg_filter *filter;
    const float *values;
    const char *const *texts; // per parameter, NULL for the default; or NULL altogether
    const lg_image *in[2];
    lg_image *out;
    int64_t first, end; // rows of the output that are wanted, of lg_native.by_rows; end 0: all
    void **kept;        // what a filter with lg_native.drop keeps from run to run of one plan
    lg_error *error;
} lg_native_call;

// The rows of an input that rows first .. end - 1 of an output need: first s - above .. end s + below - 1
// with s = rows / of, rounded outwards. Rows outside the image do not count; a border takes their values from
// rows inside. Examples: a window of radius 3 has a reach of 3 above and 3 below; what cuts off the first 5
// rows has one of -5 above and 5 below.
typedef struct lg_row_reach {
    int64_t above, below;
    const char *whole; // the reason why all rows are needed; NULL: only those of the reach
    int64_t
        step; // what a native filter computes of a part of an image depends on where the part begins;
              // it must be a multiple of this, and `above` has room for it; 0: anywhere
    // `rows` of the input for `of` of the output, without a common divisor; 0: nobody reads it.
    int64_t rows, of;
} lg_row_reach;

static inline lg_row_reach lg_row_reach_sides(int64_t above, int64_t below)
{
    return (lg_row_reach){.above = above, .below = below, .rows = 1, .of = 1};
}

static inline lg_row_reach lg_row_reach_of(int64_t radius)
{
    return lg_row_reach_sides(radius, radius);
}

static inline lg_row_reach lg_row_reach_whole(const char *why)
{
    return (lg_row_reach){.whole = why, .rows = 1, .of = 1};
}

// That of an input of `rows` rows and an output of `of`, whose edges lie on each other.
lg_row_reach lg_row_reach_scaled(int64_t above, int64_t below, int64_t rows, int64_t of);

// Whether rows of the output are made of others than those around the same row of the input.
static inline bool lg_row_reach_moves(const lg_row_reach *r)
{
    return !r->whole && (r->rows != r->of || r->above < 0 || r->below < 0);
}

// Rows *from .. *to - 1 of an input of `height` rows, at least one.
void lg_row_reach_rows(const lg_row_reach *reach, int64_t height, int64_t first, int64_t end,
                       int64_t *from, int64_t *to);

// The reach of a filter with these values in its first or second image, which has the shape `in`.
lg_row_reach lg_filter_reach(const lg_filter *filter, const float *values,
                             const lg_image_params *in, int input);
// The reach of two filters in sequence: `next` reads the result of `first`.
lg_row_reach lg_row_reach_through(lg_row_reach first, lg_row_reach next);
// The reach that covers two readers of one image.
lg_row_reach lg_row_reach_both(lg_row_reach a, lg_row_reach b);

struct lg_device_call;

typedef struct lg_native {
    lg_status (*cpu)(const lg_native_call *call);
    // Records its dispatches; a failure stays in the call (filter/device_call.h). NULL: the filter runs
    // on the CPU.
    void (*vulkan)(struct lg_device_call *call);
    // The parameters whose values `vulkan` reads on the host while it records, such as window
    // sizes, separated by blanks. Kernels read all others on the device, so measured values need
    // not come to the host.
    const char *recorded;
    bool volume; // all layers are read for a layer of the output (lg_graph_takes_volumes)
    // Whether the context's device can run the filter on an image of this shape; *why gets the
    // reason if not. NULL: always.
    bool (*fits)(const lg_context *context, const lg_filter *filter, const float *values,
                 const lg_image_params *in, const char **why);
    // The error for the word that kernels left at lg_device_call.refused; called after a run unless
    // the word is 0. NULL: kernels refuse nothing.
    lg_status (*refuse)(const lg_filter *filter, const float *values, uint32_t word,
                        lg_error *error);
    // The reach in the first image, which has the shape `in`. A second image is read only at the
    // output pixel. NULL: all rows.
    lg_row_reach (*reach)(const lg_filter *filter, const float *values, const lg_image_params *in);
    // `cpu` and `vulkan` compute rows `first` .. `end` - 1 of their call alone, from images that have the
    // rows of the reach only, at the addresses that they have in the whole image; their heights are those of
    // the whole. Without it a filter whose reach moves rows looks at all of them.
    bool by_rows;
    // Frees lg_native_call.kept and lg_device_call.made, which are one. NULL: nothing is kept.
    void (*drop)(void *kept);
    // Nanoseconds that one CPU thread takes for a sample, roughly. NULL: what natives take on
    // average (graph/plan_cost.c).
    double (*cost)(const lg_filter *filter, const float *values);
} lg_native;

bool lg_native_records(const lg_native *native, const lg_filter_param *param);

// A parameter's first value by name; the name must exist.
float lg_native_value(const lg_filter *filter, const float *values, const char *name);

// The catalogue entry. PARAMETERS and LG_ROWS(NAME) come before it, as in filter/kernel.h.
//   LG_NATIVE_FILTER(box_blur, &box_blur_native, 1, .summary = ..., .formula = ..., .source = ...);
#define LG_NATIVE_FILTER(name_, native_, inputs_, ...)                                             \
    LG_NATIVE_FILTER_SHAPED(name_, native_, NULL, inputs_, __VA_ARGS__)

// The same with a shape function, for an output whose shape differs from the input's.
#define LG_NATIVE_FILTER_SHAPED(name_, native_, shape_, inputs_, ...)                              \
    LG_NATIVE_FILTER_ENTRY(name_, native_, shape_, inputs_, NULL, __VA_ARGS__)

// The same with a lower and an upper limit: lg_filter_entry.limits.
#define LG_NATIVE_FILTER_LIMITED(name_, native_, inputs_, limits_, ...)                            \
    LG_NATIVE_FILTER_ENTRY(name_, native_, NULL, inputs_, limits_, __VA_ARGS__)

#define LG_NATIVE_FILTER_ENTRY(name_, native_, shape_, inputs_, limits_, ...)                      \
    const lg_filter_entry lg_filter_##name_ = {                                                    \
        .filter = {.name = #name_,                                                                 \
                   .kind = LG_FILTER_NATIVE,                                                       \
                   .inputs = inputs_,                                                              \
                   .params = name_##_rows,                                                         \
                   .param_count = LG_COUNT(name_##_rows) - 1,                                      \
                   __VA_ARGS__},                                                                   \
        .shape = shape_,                                                                           \
        .limits = limits_,                                                                         \
        .native = native_,                                                                         \
    }

#endif
