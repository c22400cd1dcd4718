// The catalogue inside the library: a filter with its kernel's text and its loops per CPU level.
#ifndef LG_CATALOGUE_H
#define LG_CATALOGUE_H

#include "core/core.h"

#include "kernel/table.h"

#define LG_SPAN_STEP 16 // spans are whole multiples, and 64-byte aligned

// Unit of colours and levels: the samples' own, 0..1 for integers.
#define LG_PIXEL_UNIT "0..1"

#define LG_ALIGNED(pointer) __builtin_assume_aligned((pointer), 64)

// Pixels of one row on which a kernel works: planes of float, `count` rounded up to LG_SPAN_STEP.
typedef struct lg_span {
    int count;
    float *out[4];        // point and blend: in place
    const float *over[4]; // blend: the second image; window of values: the row itself
    const float
        *rows[3][4]; // window: the rows above, at and below, or their values in plane 0; one
                     // pixel more on either side
    int64_t column;  // of the first pixel
    float inverse_width, y, aspect, width, height; // of place
    const float *values;                           // of the parameters, in order
    const lg_table *tables;
} lg_span;

typedef void (*lg_span_fn)(const lg_span *span);

struct lg_native;

// Makes a filter's table from its parameters, when a plan is compiled: *out is allocated with
// lg_alloc_array. `texts` are per parameter, with the defaults filled in.
typedef lg_status (*lg_table_fn)(const float *values, const char *const *texts, float **out,
                                 int *count, lg_error *error);

// The shape of a filter's output when it is not its first input's: *shape comes in as that. May round
// values to what the shape allows; the plan then works with these.
typedef lg_status (*lg_shape_fn)(float *values, lg_image_params *shape, lg_error *error);

// Whether an image can be the table of a filter that reads its second image as one.
typedef lg_status (*lg_check_fn)(const lg_image_params *table, lg_error *error);

// Whether the values go together; `measured` says which of them are not known yet.
typedef lg_status (*lg_rule_fn)(const float *values, const bool *measured, lg_error *error);

// Whether r, g and b each depend on themselves alone with these values of the parameters.
typedef bool (*lg_apart_fn)(const float *values);

typedef struct lg_filter_entry {
    lg_filter filter; // first
    const char *text; // of the kernel, for GLSL
    lg_table_fn table;
    lg_shape_fn shape;
    lg_check_fn check;
    lg_rule_fn rule;
    lg_apart_fn apart; // NULL: LG_FILTER_PER_CHANNEL says it
    const struct lg_native *native;
} lg_filter_entry;

// `count` samples of a window filter that treats channels by themselves; those of a pixel's neighbour are
// `step` away, before and behind what the rows point at.
typedef void (*lg_samples_fn)(const lg_span *span, const float *const rows[3], int step, int count,
                              float *out);
// A number of each of `count` pixels, of which a window of values is made.
typedef void (*lg_values_fn)(const float *const planes[4], int count, float *to);
typedef void (*lg_choice_fn)(const void *const rows[3], int step, int count, void *out);

// Of a filter with a kernel.
typedef struct lg_filter_loops {
    lg_span_fn run;
    lg_span_fn after;        // a warp's second kernel
    lg_values_fn values;     // a window's of values
    lg_samples_fn samples;   // a window's of channels
    lg_choice_fn choices[2]; // the same on u8 and u16; NULL: it computes new values
} lg_filter_loops;

// Generated: the catalogue, and the place of a filter in the tables of loops (-1: none).
extern const lg_filter_entry *const lg_filter_entries[];
extern const size_t lg_filter_entry_count;

// The loops of a filter on a CPU level.
const lg_filter_loops *lg_filter_get_loops(const lg_filter *filter, lg_cpu_level level);

// Whether a table is a curve that a figure makes.
bool lg_param_is_curve(const lg_filter_param *param);

// Whether a filter makes of a sample of 8 bits, wherever it is, one of 256 values: of one channel every
// point filter does that does not know its place, of several those that keep channels apart.
bool lg_filter_fits_table(const lg_filter *filter, const float *values, int channels);

// Whether a kernel takes many operations: a power, a division, a table.
bool lg_filter_is_expensive(const lg_filter *filter);

// The error for a name that no filter has, with the filter that may be meant.
lg_status lg_filter_fail_unknown(const char *name, lg_error *error);

// Numbers that the parameters before `param` take; the total with param == param_count.
int lg_filter_offset(const lg_filter *filter, int param);

#endif
