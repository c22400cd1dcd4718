// Histogram: the reference, the CPU or Vulkan counts a task; one function makes the result.
//
// A task counts in one of two ways.
//   native   the table index is the stored sample itself (u8, u16; the bits of f16) or the integer
//            luma. The host derives everything else from these counts. Nothing is outside.
//   binned   a float value per channel is put into a bin by the float rule below; table_size is the
//            number of bins, and samples outside are counted separately.
// The way depends on space and stored type:
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
//   else bin min(trunc((v * factor - start) * scale), bins - 1), each step rounded to nearest even.
// `factor` is a power of two. It is 1 unless the range is so narrow or so wide that the difference
// or the scale would not be a normal float. A factor above 1 keeps v * factor exact for subnormal
// v.
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
        space; // LG_SPACE_STORED also for LG_SPACE_LUMA and LG_SPACE_RGBL of grey images, and for
               // LG_SPACE_LINEAR of integer images
    lg_luma luma;
    bool native;
    bool stack;
    int channels;   // tables per layer; LG_SPACE_RGBL: the measured channels, then luma
    int sources;    // stored channels 0 .. sources-1 are counted as they are; 0 for LG_SPACE_LUMA
                    // and computed spaces
    int32_t layers; // tables per channel: scan.layers, 1 for a stack
    uint32_t table_size;                               // native: 256 or 65536; binned: bins
    lg_histogram_rule rule[LG_HISTOGRAM_MAX_CHANNELS]; // binned
    uint32_t luma_weight[3];                           // integer luma: of 65536
    float luma_weight_float[3];
    float sample_scale; // u8: 1/255, u16: 1/65535, floats: 1
    lg_histogram_variant variant;

    // Members below are for the host only.
    int32_t bins;   // native: as requested; -1: the default of the range
    bool automatic; // native: lo and hi come from the counts
    bool linear;    // native counts of r, g, b are converted to linear light
    lg_space
        asked; // the requested space; the end renames a grey image's grey, and copies it for RGBL
    double lo[LG_HISTOGRAM_MAX_CHANNELS], hi[LG_HISTOGRAM_MAX_CHANNELS];
    double
        only; // binned: the one value of all samples, if an automatic range was widened; else NaN
} lg_histogram_task;

// A pixel of a computed float colour (float luma, linear, hsv, hsl, lab) with a NaN in r, g or b
// counts as LG_OUTSIDE_NAN in every computed channel; otherwise one with an infinity counts as
// LG_OUTSIDE_INF. Luma: kernel/space/luma.h. Other spaces: lg_point_*(color) of kernel/space/*.h,
// whose r, g, b are channels 0, 1, 2.

// Counts of a task. The caller zeroes them; backends add to them.
typedef struct lg_histogram_counts {
    uint64_t *tables;             // [layer][channel][table_size]
    uint64_t *outside;            // [layer][channel][LG_OUTSIDE_COUNT]; binned tasks only
    lg_histogram_variant variant; // set by the backend: the variant that ran
} lg_histogram_counts;

// Zeroed counters of a task.
lg_status lg_histogram_allocate_counts(const lg_histogram_task *task, lg_histogram_counts *out,
                                       lg_error *error);
void lg_histogram_free_counts(lg_histogram_counts *counts);

// Each fills context->report (seconds; -1 for a phase that it lacks). A variant of another backend
// is LG_ERROR_UNSUPPORTED.
lg_status lg_histogram_ref(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_cpu(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_vulkan(lg_context *context, const lg_histogram_task *task,
                              lg_histogram_counts *out, lg_error *error);

// Checks the parameters, fills the task, and measures automatic ranges of binned tasks.
lg_status lg_histogram_plan(lg_context *context, const lg_image *image,
                            const lg_histogram_params *params, lg_histogram_task *out,
                            lg_error *error);

// Rounds the bounds to float and computes their scale. Fails when both become the same float or one
// is not finite.
lg_status lg_histogram_set_rule(double lo, double hi, int32_t bins, lg_histogram_rule *out,
                                lg_error *error);

// Widens a range whose bounds are equal, so that floats can be binned; leaves others alone.
void lg_histogram_widen(double *lo, double *hi);

// The float rule: the bin, or bins + an lg_histogram_outside.
uint32_t lg_histogram_bin(const lg_histogram_rule *rule, uint32_t bins, float value);

// The integer rule, with the same result. lo <= hi; equal bounds are whole numbers.
uint32_t lg_histogram_exact_bin(double lo, double hi, uint32_t bins, int64_t value);
// For a channel of u8 or u16 samples.
uint32_t lg_histogram_integer_bin(const lg_histogram_channel *channel, uint32_t value);

// The sample that index `index` of native counts stands for.
static inline double lg_histogram_native_value(lg_type type, uint32_t index)
{
    return type == LG_F16 ? (double)lg_half_to_float((uint16_t)index) : index;
}

// The counts of lg_measure_histogram and their task. The caller frees them.
lg_status lg_histogram_count(lg_context *context, const lg_image *image,
                             const lg_histogram_params *params, lg_histogram_task *task,
                             lg_histogram_counts *out, lg_error *error);

// lg_measure_histogram with a given backend (tests).
typedef lg_status lg_histogram_backend(lg_context *context, const lg_histogram_task *task,
                                       lg_histogram_counts *out, lg_error *error);
lg_status lg_histogram_measure_with(lg_histogram_backend *backend, lg_context *context,
                                    const lg_image *image, const lg_histogram_params *params,
                                    lg_histogram **out, lg_error *error);

// The value that all samples have, for a binned histogram with an automatic range; NaN when they
// differ.
double lg_histogram_only_value(const lg_histogram *histogram);

// Builds the result from the counts.
lg_status lg_histogram_finish(const lg_histogram_task *task, const lg_histogram_counts *counts,
                              lg_histogram **out, lg_error *error);

bool lg_histogram_variant_is_cpu(lg_histogram_variant variant);
bool lg_histogram_variant_is_vulkan(lg_histogram_variant variant);

#endif
