// What native filters share on a Vulkan device.
#ifndef LG_NATIVE_VULKAN_H
#define LG_NATIVE_VULKAN_H

#include "filter/device_call.h"

// Words that are passed to a kernel, of which the lower 32 bits count:
//     .words = LG_WORDS(s->height, s->layers, LG_ADDRESS(list), lg_bits(0.5f))
typedef struct lg_pass_words {
    const int64_t *at;
    int count;
} lg_pass_words;

#define LG_WORDS(...)                                                                              \
    {                                                                                              \
        (const int64_t[]){__VA_ARGS__},                                                            \
            (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))                        \
    }
#define LG_ADDRESS(address) (uint32_t)(address), (uint32_t)((uint64_t)(address) >> 32)
#define LG_PASS_WORDS       24 // at most

// A pass: one kernel and one dispatch of it.
typedef struct lg_pass {
    const char *name, *text; // of an embedded text
    int group_x, group_y;    // threads of a workgroup; 0: 32 x 4
    int span;                // pixels of a thread; 0: as many as fill vectors of 16 bytes
    const char *shared;      // a text in front of it
    const char *parts[2];    // embedded texts behind it
    const lg_device_image *views[LG_MAX_VIEWS]; // the last one is written
    lg_pass_words words, more;                  // push constants of the kernel's own: lg.extra
    uint64_t reads[3], writes[2], adds[2];      // other memory that it uses
    // Workgroups; 0: as many as have a thread for every `span` pixels, a row and a layer of the last
    // view.
    uint32_t groups[3];
    // Rows of the last view, or `row_count`: the most of a dispatch, whose first row and the row behind
    // its last one are words 1 and 2, and how many of them a workgroup takes. 0: one dispatch.
    int32_t rows, row_count, group_rows;
} lg_pass;

#define LG_SPAN_WORDS (-1) // the span: as many pixels as make up whole words of the last view

#define LG_PASS_TEXT(name_) .name = #name_, .text = lg_glsl_##name_

// Records a pass behind all that was recorded before. `before` and what follows: #extension and #define
// lines, formatted.
void lg_pass_run(lg_device_call *call, const lg_pass *pass, const char *before, ...)
    LG_PRINTF(3, 4);

// Where a kernel finds a parameter: lg_param_float(that).
uint32_t lg_native_index(const lg_filter *filter, const char *name);

// Workgroups along an axis of `size` pixels, `each` of them per workgroup: kernels walk on by that many
// when there are more than the device takes.
uint32_t lg_native_groups(int64_t size, int64_t each);

// Rows that a workgroup walks down, of `columns` that lie side by side: few, so that all compute units have
// `at_once` workgroups, but not below `least`.
int32_t lg_native_band(const lg_context *context, int64_t columns, int32_t height, int32_t least,
                       int32_t at_once);

// A shape with another type and other channels.
lg_image_params lg_native_shape(const lg_image_params *like, lg_type type, int32_t channels,
                                lg_alpha alpha);

#endif
