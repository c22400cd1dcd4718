// Histogram: one counting task, done by the reference, the CPU or Vulkan, and finished in one
// place.
//
// A task counts in one of two ways.
//   native   the index into the table is the stored sample itself (u8, u16; f16: its bits), or the
//            integer luma; everything else is derived from these counts on the host. No rest
//            counters.
//   binned   a float value per channel and the float rule below; table_size is the number of bins,
//            and samples outside go to the rest counters.
// What is counted, by space and stored type:
//   stored, or luma and rgbl of a grey image   u8 u16 f16: native; f32: binned as stored
//   luma, rgbl                                 u8 u16: native; f16 f32: binned, as stored and float
//   luma linear, hsv, hsl, lab                 binned, of float colour, integers times sample_scale
#ifndef LG_HISTOGRAM_H
#define LG_HISTOGRAM_H

#include "core/core.h"
#include "core/scan.h"

#define LG_HISTOGRAM_MAX_CHANNELS 5 // r, g, b, a, y

typedef enum lg_histogram_outside {
    LG_OUTSIDE_BELOW,
    LG_OUTSIDE_ABOVE,
    LG_OUTSIDE_NAN,
    LG_OUTSIDE_INF,
    LG_OUTSIDE_COUNT
} lg_histogram_outside;

// The float rule, for a value v of a channel with bounds lo, hi and scale:
//   NaN -> LG_OUTSIDE_NAN, infinity -> LG_OUTSIDE_INF, v < lo -> LG_OUTSIDE_BELOW,
//   v > hi -> LG_OUTSIDE_ABOVE,
//   else bin min(trunc((v * factor - start) * scale), bins - 1), rounded to nearest even.
// `factor` is a power of two: 1 but for ranges so narrow or so wide that the difference or the
// scale would be no normal float. Where it is above 1, v * factor is exact also for subnormal v.
typedef struct lg_histogram_rule {
    float lo, hi;
    float factor, start; // start = lo * factor
    float scale;         // bins / ((hi - lo) * factor), rounded once
} lg_histogram_rule;

#define LG_HISTOGRAM_NARROW 0x1p-100f // of narrower ranges `factor` is the reciprocal of this
#define LG_HISTOGRAM_WIDE   0x1p126f  // of wider ones 1/16

typedef struct lg_histogram_task {
    lg_scan scan;
    lg_space
        space; // LG_SPACE_LUMA and LG_SPACE_RGBL of grey images, and LG_SPACE_LINEAR of integer
               // ones, have become LG_SPACE_STORED
    lg_luma luma;
    bool native;
    bool stack;
    int channels;   // tables per layer; LG_SPACE_RGBL: the measured channels, then luma
    int sources;    // stored channels 0 .. sources-1 are counted themselves; 0 for LG_SPACE_LUMA
                    // and the computed spaces
    int32_t layers; // tables per channel: scan.layers, 1 for a stack
    uint32_t table_size;                               // native: 256 or 65536; binned: bins
    lg_histogram_rule rule[LG_HISTOGRAM_MAX_CHANNELS]; // binned
    uint32_t luma_weight[3];                           // integer luma: of 65536
    float luma_weight_float[3];
    float sample_scale; // u8: 1/255, u16: 1/65535, floats: 1
    lg_histogram_variant variant;

    // For the host side alone.
    int32_t bins;   // native: as asked, -1 means the default of the range
    bool automatic; // native: lo and hi come from the counts
    bool linear;    // native counts of r, g, b are carried over to linear light
    lg_space asked; // luma of a grey image is its grey: named, for RGBL copied, at the end
    double lo[LG_HISTOGRAM_MAX_CHANNELS], hi[LG_HISTOGRAM_MAX_CHANNELS];
    double only; // binned: the value of all samples where it widened an automatic range; else NaN
} lg_histogram_task;

// A pixel of a computed float colour (float luma, linear, hsv, hsl, lab) whose r, g or b is NaN, or
// else infinite, counts as LG_OUTSIDE_NAN, or LG_OUTSIDE_INF, in every computed channel. Luma text:
// kernel/space/luma.h. Other spaces: lg_point_*(color) of kernel/space/*.h; r, g, b of the result
// are channels 0, 1, 2.

// Zeroed by the caller; the counters add up.
typedef struct lg_histogram_counts {
    uint64_t *tables;             // [layer][channel][table_size]
    uint64_t *outside;            // [layer][channel][LG_OUTSIDE_COUNT]; binned tasks only
    lg_histogram_variant variant; // set by the backend: what was run
} lg_histogram_counts;

// Zeroed counters of a task.
lg_status lg_histogram_allocate_counts(const lg_histogram_task *task, lg_histogram_counts *out,
                                       lg_error *error);
void lg_histogram_free_counts(lg_histogram_counts *counts);

// Each of these fills context->report (seconds, -1 for phases it has not). The variants of the
// other backends are LG_ERROR_UNSUPPORTED.
lg_status lg_histogram_ref(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_cpu(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_vulkan(lg_context *context, const lg_histogram_task *task,
                              lg_histogram_counts *out, lg_error *error);

// Checks the parameters and fills the task; automatic ranges of binned tasks are measured here.
lg_status lg_histogram_plan(lg_context *context, const lg_image *image,
                            const lg_histogram_params *params, lg_histogram_task *out,
                            lg_error *error);

// Bounds rounded to float and their scale; fails when they are the same float
// or beyond the largest one.
lg_status lg_histogram_set_rule(double lo, double hi, int32_t bins, lg_histogram_rule *out,
                                lg_error *error);

// Widens a range without extent around its value, so that floats can be binned in it; others stay.
void lg_histogram_widen(double *lo, double *hi);

// The float rule: bins + an lg_histogram_outside for what is in no bin.
uint32_t lg_histogram_bin(const lg_histogram_rule *rule, uint32_t bins, float value);

// The integer rule; likewise for what is in no bin. lo <= hi; where they are
// equal both are whole numbers.
uint32_t lg_histogram_exact_bin(double lo, double hi, uint32_t bins, int64_t value);
// For a channel of u8 or u16 samples.
uint32_t lg_histogram_integer_bin(const lg_histogram_channel *channel, uint32_t value);

// The sample that native counts of a type have at `index`.
static inline double lg_histogram_native_value(lg_type type, uint32_t index)
{
    return type == LG_F16 ? (double)lg_half_to_float((uint16_t)index) : index;
}

// The counts of lg_measure_histogram, and the task that they are of. The caller frees them.
lg_status lg_histogram_count(lg_context *context, const lg_image *image,
                             const lg_histogram_params *params, lg_histogram_task *task,
                             lg_histogram_counts *out, lg_error *error);

// lg_measure_histogram with a backend of choice (tests).
typedef lg_status lg_histogram_backend(lg_context *context, const lg_histogram_task *task,
                                       lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_measure_with(lg_histogram_backend *backend, lg_context *context,
                                    const lg_image *image, const lg_histogram_params *params,
                                    lg_histogram **out, lg_error *error);

// The one value of all samples that a binned histogram of an automatic range counted, else NaN.
double lg_histogram_only_value(const lg_histogram *histogram);

// Builds the result from the counts.
lg_status lg_histogram_finish(const lg_histogram_task *task, const lg_histogram_counts *counts,
                              lg_histogram **out, lg_error *error);

bool lg_histogram_variant_is_cpu(lg_histogram_variant variant);
bool lg_histogram_variant_is_vulkan(lg_histogram_variant variant);

#endif
