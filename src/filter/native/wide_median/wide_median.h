// Median of a square window of any radius, red, green and blue each by itself; alpha is the centre's.
//
// The CPU slides histograms (Perreault and Hebert 2007): one per column of 2 radius + 1 rows, and from
// these that of a window, so that the cost of a pixel does not depend on the radius. A histogram has 16
// coarse bins of 16 fine ones; all counts are cumulative, so that the bin of a rank is found by counting
// bins. Samples that are no bytes are sorted, tile by tile. Their places in that order are cut into 256
// buckets of equal size, which are the bytes of the histograms; a bucket's samples are few and are looked
// through.
//
// Floats are ordered by their bits: -0 is below +0, and NaN, of any kind, above everything.
#ifndef LG_WIDE_MEDIAN_H
#define LG_WIDE_MEDIAN_H

#include "filter/native/tiles.h"

#define LG_MEDIAN_RADIUS 1024
#define LG_MEDIAN_NARROW 127 // the radius up to which the counts of a column are bytes

typedef struct lg_median_job {
    const lg_stage_table *stage;
    int32_t radius, strip, band;
    lg_border border;
} lg_median_job;

typedef struct lg_median_table {
    void (*bytes)(const void *job, const lg_pixel_tile *tile, char *scratch);
    void (*samples)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*bytes_scratch)(const lg_median_job *job);
    size_t (*samples_scratch)(const lg_median_job *job);
} lg_median_table;

// Whether the colours of such an image are bytes as they are stored.
static inline bool lg_median_takes_bytes(const lg_image_params *in)
{
    return in->type == LG_U8 && (in->channels == 1 || in->alpha != LG_ALPHA_PREMULTIPLIED);
}

// Colours of a pixel that differ.
static inline int lg_median_planes(const lg_image_params *in)
{
    return in->channels == 4 ? 3 : in->channels == 2 && in->alpha == LG_ALPHA_NONE ? 2 : 1;
}

struct lg_device_call;

void lg_wide_median_vulkan(struct lg_device_call *call);
bool lg_wide_median_fits(const lg_context *context, const lg_filter *filter, const float *values,
                         const lg_image_params *in, const char **why);

#endif
