// Pixels that move without being mixed: every pixel of the output is one pixel of the input, or a colour.
// Which one is told by two lists of indices, one along each axis.
#ifndef LG_REARRANGE_H
#define LG_REARRANGE_H

#include "filter/native/tiles.h"

// Column x, row y of the output is column across[x], row down[y] of the input; with `swap` it is row
// across[x], column down[y], and both lists go by steps of 1 or -1. Below 0: the colour. Behind
// `across` stand LG_REARRANGE_ROOM copies of its last index, so that threads of a device need not stop
// at the end of a row.
#define LG_REARRANGE_ROOM 16

typedef struct lg_rearrangement {
    bool swap, colored; // colored: some index is below 0
    int32_t width, height;
    int32_t *across, *down;
    float color[4];
} lg_rearrangement;

// Fills the lists of a filter, for an input of this shape; width and height are set.
typedef void (*lg_rearrange_fn)(const lg_filter *filter, const float *values,
                                const lg_image_params *in, lg_rearrangement *r);

// What a worker needs to know.
typedef struct lg_rearrange_job {
    const lg_stage_table *stage;
    const lg_rearrangement *r;
    bool same;        // samples are copied as they are
    int32_t run, end; // columns run .. end - 1 of the output are neighbours in the input
    int32_t step;     // 1 or -1, along them
} lg_rearrange_job;

lg_status lg_rearrange_cpu(const lg_native_call *call, lg_rearrange_fn fill);

struct lg_device_call;
void lg_rearrange_vulkan(struct lg_device_call *call, lg_rearrange_fn fill);

// The lists of an output of this size, not yet filled; lg_rearrange_close gives them back.
lg_status lg_rearrange_open(lg_rearrangement *r, const lg_image_params *out, lg_error *error);
void lg_rearrange_close(lg_rearrangement *r);
// What follows when they are filled.
void lg_rearrange_finish(lg_rearrangement *r);

// count indices first, first + step, ...
void lg_rearrange_line(int32_t *to, int32_t count, int32_t first, int32_t step);

// Whether samples may be copied as they are.
static inline bool lg_rearrange_copies(const lg_image_params *in, const lg_image_params *out)
{
    return in->type == out->type && in->channels == out->channels && in->alpha == out->alpha;
}

// The entry of a filter NAME whose lists NAME_fill makes, of which these parameters are read on the host.
#ifdef LG_HAVE_VULKAN
#define LG_REARRANGE_DEVICE(name)                                                                  \
    static void name##_vulkan(struct lg_device_call *call)                                         \
    {                                                                                              \
        lg_rearrange_vulkan(call, name##_fill);                                                    \
    }
#else
#define LG_REARRANGE_DEVICE(name)
#endif

// What a sample costs, in ns: lg_native.cost.
double lg_rearrange_cost(const lg_filter *filter, const float *values);

#define LG_REARRANGE(name, recorded_, reach_)                                                      \
    static lg_status name##_cpu(const lg_native_call *call)                                        \
    {                                                                                              \
        return lg_rearrange_cpu(call, name##_fill);                                                \
    }                                                                                              \
    LG_REARRANGE_DEVICE(name)                                                                      \
    LG_ROWS(name)                                                                                  \
    static const lg_native name##_native = {.cpu = name##_cpu,                                     \
                                            .vulkan = LG_VULKAN(name##_vulkan),                    \
                                            .recorded = recorded_,                                 \
                                            .reach = reach_,                                       \
                                            .by_rows = true,                                       \
                                            .cost = lg_rearrange_cost};

#endif
