// The catalogue inside the library: filters with the GLSL text of their kernels and their CPU
// loops.
#ifndef LG_CATALOGUE_H
#define LG_CATALOGUE_H

#include "core/core.h"

#include "kernel/table.h"

#define LG_SPAN_STEP 16 // the length of a span is a multiple; planes are 64-byte aligned

// The unit of colours and levels: that of the samples, 0..1 for integers.
#define LG_PIXEL_UNIT "0..1"

#define LG_ALIGNED(pointer) __builtin_assume_aligned((pointer), 64)

// Part of a row that a kernel processes at once: planes of floats, padded to a multiple of
// LG_SPAN_STEP.
typedef struct lg_span {
    int count;
    float *out[4];        // point and blend: in place
    const float *over[4]; // blend: the second image; window of values: the row itself
    const float
        *rows[3][4]; // window: the rows above, at and below, or their values in plane 0; with
                     // one more pixel on either side
    int64_t column;  // of the first pixel
    float inverse_width, y, aspect, width, height; // of place
    float t;                                       // of a warp with LG_WARP_LINE
    const float *values;                           // of all parameters, in order
    const lg_table *tables;
    uint32_t set; // pixels of bytes: bits that each has, as the alpha of opaque ones
} lg_span;

typedef void (*lg_span_fn)(const lg_span *span);

struct lg_native;

// Makes a filter's table from its parameters when a plan is compiled. *out is allocated with
// lg_alloc_array. `texts` has one text per parameter, with defaults filled in.
typedef lg_status (*lg_table_fn)(const float *values, const char *const *texts, float **out,
                                 int *count, lg_error *error);

// Computes the shape of a filter's output; without such a function it is the shape of the first
// input. On entry *shape is the first input's. The function may round values to what the shape
// allows; the plan then uses the rounded values.
typedef lg_status (*lg_shape_fn)(float *values, lg_image_params *shape, lg_error *error);

// Whether an image is valid as the table of a filter that reads its second image as a table.
typedef lg_status (*lg_check_fn)(const lg_image_params *table, lg_error *error);

// Whether the combination of values is valid; `measured` marks values that are not known yet.
typedef lg_status (*lg_rule_fn)(const float *values, const bool *measured, lg_error *error);

// Whether r, g and b each depend only on themselves, for these values of the parameters.
typedef bool (*lg_apart_fn)(const float *values);
// The row of an image of this shape that is row 0 of the output; those behind it follow.
typedef int64_t (*lg_top_fn)(const float *values, const lg_image_params *in);

typedef struct lg_filter_entry {
    lg_filter filter; // first
    const char *text; // of the kernel, to compile as GLSL
    lg_table_fn table;
    lg_shape_fn shape;
    lg_check_fn check;
    lg_rule_fn rule;
    lg_apart_fn apart;  // NULL: LG_FILTER_PER_CHANNEL says it
    const char *limits; // "low < high" or "low <= high" of two parameters, checked like `rule`
    const struct lg_native *native;
    lg_top_fn top; // of a warp; NULL: pixels move between rows
} lg_filter_entry;

// `count` samples of a window filter that treats each channel alone. The samples of neighbouring
// pixels are `step` before and behind those at `rows`.
typedef void (*lg_samples_fn)(const lg_span *span, const float *const rows[3], int step, int count,
                              float *out);
// The numbers of `count` pixels, for windows with NAME_value.
typedef void (*lg_values_fn)(const float *const planes[4], int count, float *to);
typedef int (*lg_count_fn)(const lg_span *span);
typedef float (*lg_weight_fn)(const lg_span *span, int i);
typedef float (*lg_strength_fn)(const lg_span *span);
// `lines` rows of results, one or two, from one row more on either side. Returns whether the alpha of
// pixels is that of the centre with the bits of `set`, or was computed like other samples.
typedef bool (*lg_choice_fn)(const void *const rows[4], int lines, int step, int count,
                             uint32_t set, void *const out[2]);

// span->count pixels of four bytes, of which the last is alpha.
typedef void (*lg_words_fn)(const lg_span *span, const uint32_t *from, uint32_t *to);
// The same to bytes of grey.
typedef void (*lg_grey_fn)(const lg_span *span, const uint32_t *from, uint8_t *to);

// `count` samples of two images of bytes to one of a blend.
typedef void (*lg_bytes_fn)(const lg_span *span, const uint8_t *from, const uint8_t *over,
                            int count, uint8_t *to);

// The loops of a filter with a kernel.
typedef struct lg_filter_loops {
    lg_span_fn run;
    lg_span_fn after;        // a warp's NAME_finish; NULL: colours are as they were sampled
    lg_count_fn points;      // a warp's NAME_count: how many points it reads; NULL: one
    lg_values_fn values;     // a window's NAME_value
    lg_samples_fn samples;   // a window's NAME_channel
    lg_choice_fn choices[2]; // the same on u8 and u16; NULL: it computes new values
    lg_words_fn words;       // NULL: it computes with colours only
    lg_weight_fn weight;     // a window's NAME_weight
    bool sums_rows;          // its NAME_channel is a sum of rows: LG_SUMS_ROWS
    lg_strength_fn strength; // a window's NAME_strength
    lg_words_fn pixels;      // `run` on pixels of bytes, with the same bits; NULL: by way of planes
    lg_grey_fn grey;         // and where the result is one channel; NULL: red of `pixels`
    lg_bytes_fn bytes;       // a blend's NAME_byte, likewise
} lg_filter_loops;

// Generated by scripts/filters.py: the catalogue.
extern const lg_filter_entry *const lg_filter_entries[];
extern const size_t lg_filter_entry_count;

// The loops of a filter on a CPU level; NULL for a filter without a kernel.
const lg_filter_loops *lg_filter_get_loops(const lg_filter *filter, lg_cpu_level level);

// Whether a table parameter is a measured curve.
bool lg_param_is_curve(const lg_filter_param *param);

// Whether a filter can be replaced by a table of 256 values per channel. On one channel that is
// every point filter that ignores the position; on several, those that also treat channels
// independently.
bool lg_filter_fits_table(const lg_filter *filter, const float *values, int channels);

// Whether a kernel is expensive: a power, a division, a table.
bool lg_filter_is_expensive(const lg_filter *filter);

#define LG_MOST_STEP  64 // pixels from the centre of a window to its neighbours
#define LG_LEAST_STEP 0.25f

// The parameter that says how far the neighbours of a window are from its centre, along rows (axis 0) or
// down columns: texel_width, texel_height, or offset for both. NULL: one pixel. Only offset is always whole.
const lg_filter_param *lg_filter_step_param(const lg_filter *filter, int axis);
float lg_filter_step(const lg_filter *filter, const float *values, int axis);

// The error for an unknown filter name, with the most similar name as a hint.
lg_status lg_filter_fail_unknown(const char *name, lg_error *error);

// The number of values that the parameters before `param` have; the total with param ==
// param_count.
int lg_filter_offset(const lg_filter *filter, int param);

#endif
