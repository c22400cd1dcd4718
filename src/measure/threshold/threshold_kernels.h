// Shared by the files that threshold images: the task, and the compare kernels of each instruction
// set.
#ifndef LG_THRESHOLD_KERNELS_H
#define LG_THRESHOLD_KERNELS_H

#include "measure/threshold/threshold.h"

typedef struct lg_compare {
    lg_type type;
    int channels; // samples per pixel; 4: luma of the first three, else the first
    lg_luma luma;
    uint32_t weight[3];    // integer luma
    float weight_float[3]; // float luma
    int levels;
    lg_cut cut[LG_MAX_CLASSES - 1];
    uint8_t step[LG_MAX_CLASSES - 1]; // added to the output byte for each level that is passed
    bool stream;                      // the output will not be read soon: stores bypass the caches
} lg_compare;

typedef struct lg_compare_table {
    // Compares n adjacent pixels and returns how many pass the last level. `out` may be NULL.
    uint64_t (*row)(const lg_compare *c, const void *pixels, int64_t n, uint8_t *out);
    // Luma of n adjacent f16 or f32 pixels of 4 channels.
    void (*luma)(const lg_compare *c, const void *pixels, int64_t n, float *out);
    void (*fence)(void); // streamed stores become visible to other threads
} lg_compare_table;

// The task of lg_threshold_image.
typedef struct lg_threshold_job {
    lg_context *context;
    const lg_image *image;
    const lg_scan *scan;
    const lg_threshold_params *params;
    int stored; // the stored channel to threshold, counted from 1; 0: grey or luma
} lg_threshold_job;

// The means of f16 and f32 samples as levels, one per layer or one for a stack.
lg_status lg_threshold_float_means(const lg_threshold_job *job, lg_threshold *out, lg_error *error);

// The level from counts by value: of u8, u16, and f16 without luma.
lg_status lg_threshold_valued(const lg_threshold_params *params, const lg_histogram_channel *counts,
                              lg_threshold *out, lg_error *error);
// A value that all samples have is its own level, whatever bin it lies in; NaN: they have several.
void lg_threshold_set_only(lg_threshold *levels, double value);
// A mean as level. LG_ERROR_DATA: it is NaN.
lg_status lg_threshold_set_mean(double mean, lg_threshold *out, lg_error *error);

// Fills a comparison except for its levels.
lg_status lg_compare_init(lg_context *context, const lg_scan *scan, lg_luma luma, lg_compare *out,
                          lg_error *error);
const lg_compare_table *lg_compare_select(const lg_context *context);

#endif
