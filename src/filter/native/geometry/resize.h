// Images of other sizes: each pixel is a weighted mean along one axis of weighted means along the other.
#ifndef LG_RESIZE_H
#define LG_RESIZE_H

#include "filter/native/geometry/rearrange.h"

typedef enum lg_resize_method {
    LG_RESIZE_NEAREST,
    LG_RESIZE_BILINEAR,
    LG_RESIZE_BICUBIC,
    LG_RESIZE_LANCZOS3,
    LG_RESIZE_AREA,
} lg_resize_method;

#define LG_RESIZE_BITS 22 // weights are multiples of 2^-22

// Of bytes: multiples of 2^-14. What the first pass makes of them are 16-bit integers with 6 bits behind
// the point.
#define LG_RESIZE_BYTE_BITS 14
#define LG_RESIZE_FRACTION  6
#define LG_RESIZE_BYTE_TAPS 32 // at most, of one output

// One axis. Output i is the sum of weights[i * taps + k] / 2^bits times the input at first[i] + k, for k
// from 0 to tap_count[i] - 1. The sum of its weights is 2^bits.
typedef struct lg_resize_axis {
    int32_t size, count; // of input and output
    int32_t taps;        // the most of one output
    int32_t *first, *tap_count;
    int32_t *from; // of output i and all behind it the first input
    int32_t kept;  // inputs from from[i] on that outputs up to i have needed, at most
    int32_t *weights;
    float *floats; // the same over 2^bits
} lg_resize_axis;

// Which part of an axis an output shows, in pixels from the edge of the first one.
typedef struct lg_resize_range {
    double from, length;
} lg_resize_range;

typedef struct lg_resize {
    lg_resize_method method;
    bool antialias, linear;
    bool columns_first; // the first pass goes down the columns
    bool bytes;         // integers all the way
    lg_resize_range part[2];
    lg_resize_axis axis[2]; // along rows, down columns
} lg_resize;

// What the values say for an input and an output of these shapes. No lists yet.
lg_resize lg_resize_of(const lg_filter *filter, const float *values, const lg_image_params *in,
                       const lg_image_params *out);

// Whether bytes are mixed as integers, where their weights allow it.
bool lg_resize_mixes_bytes(const lg_resize *r, const lg_image_params *in,
                           const lg_image_params *out);

// The weights, and whether bytes are computed as integers. They take as long as the rows of many a band:
// an lg_resize with those of the run before is at *kept; NULL: not yet.
lg_status lg_resize_weigh(lg_resize *r, const lg_image_params *in, const lg_image_params *out,
                          void **kept, lg_error *error);
void lg_resize_drop(void *kept);

// What a worker needs to know.
typedef struct lg_resize_job {
    const lg_stage_table *stage;
    const lg_resize *r;
    int planes, lanes; // of a pixel: those that differ; floats in a block of rows
    int rows;          // of a block
    int32_t ring;      // rows that are kept between two passes; 0: none, they are made again
    int32_t across;    // input columns of a strip, at most
    int32_t strip;     // output columns of a strip
} lg_resize_job;

#define LG_RESIZE_LANES 16  // floats of a block of rows at one column
#define LG_RESIZE_CHUNK 256 // output columns that are made at once

// Floats of a worker's scratch memory.
size_t lg_resize_scratch(const lg_resize_job *job);

// Bytes: what a worker needs to know. Weights of an output are beside each other, `along` and `down` of
// them from the next one's, with zeros behind them.
typedef struct lg_resize_bytes_job {
    const lg_resize *r;
    int channels;
    uint32_t set; // bits of four bytes of the output that are 1
    int16_t *weights[2];
    int32_t stride[2];
    int32_t ring, across, strip; // as above
    // Output columns, an even number of them, that are made two at a time: those of every other column
    // have the same weights, of inputs that lie beside each other. None unless the image is twice as wide.
    int32_t paired, paired_end;
} lg_resize_bytes_job;

#define LG_RESIZE_SLACK 64 // pixels behind a row that are read, or written, and mean nothing

size_t lg_resize_bytes_scratch(const lg_resize_bytes_job *job);
lg_status lg_resize_bytes_cpu(const lg_native_call *call, const lg_resize *r);

// Bytes at half and at twice their size.
typedef enum lg_resize_scale {
    LG_RESIZE_ANY,
    LG_RESIZE_MEAN,   // of 2 x 2 pixels: floor((sum + 2) / 4)
    LG_RESIZE_HALF,   // 1, 3, 3, 1 eighths along both axes, but at the edges
    LG_RESIZE_DOUBLE, // 1 and 3 quarters along both axes; outside the image its edge goes on
} lg_resize_scale;

typedef struct lg_resize_scaled_job {
    lg_resize_scale scale; // LG_RESIZE_MEAN or LG_RESIZE_DOUBLE
    int channels;
    uint32_t set;     // as above
    bool past_caches; // the output is larger than these
} lg_resize_scaled_job;

// What follows from the method and the sizes alone, without a list of weights; LG_RESIZE_ANY for the rest.
// Lists of a large image take as long to make as its pixels.
lg_resize_scale lg_resize_known_scale(const lg_resize *r, const lg_image_params *in,
                                      const lg_image_params *out);
lg_status lg_resize_scaled_cpu(const lg_native_call *call, lg_resize_scale scale);

// Bits that are 1 in four bytes of such an image: the fourth sample of one that is opaque.
static inline uint32_t lg_resize_set_of(const lg_image_params *out)
{
    const bool opaque = out->alpha == LG_ALPHA_OPAQUE && out->channels > 1;
    return !opaque ? 0 : out->channels == 4 ? 0xff000000u : 0xff00ff00u;
}

// Output columns of a strip, so that `scratch` of it is little; *across gets what it reads at most.
int32_t lg_resize_widest(const lg_resize_axis *axis, int32_t strip);

// Input columns first .. end - 1 of output columns x .. x_end - 1.
void lg_resize_reach(const lg_resize_axis *axis, int32_t x, int32_t x_end, int32_t *first,
                     int32_t *end);

// Whether every pixel of the output is one of the input: the method nearest, and images of the same size.
bool lg_resize_moves(const lg_resize *r);
// Their lists: an lg_rearrange_fn.
void lg_resize_nearest(const lg_filter *filter, const float *values, const lg_image_params *in,
                       lg_rearrangement *r);

void lg_resize_vulkan(struct lg_device_call *call);

#endif
