// lumagraph: measurements. Formulas, ties, borders, NaN and units: docs/definitions.md.
#ifndef LUMAGRAPH_MEASURE_H
#define LUMAGRAPH_MEASURE_H

#include <lumagraph/image.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- which samples ------------------------------------------------------------------------------

typedef enum lg_nan {
    LG_NAN_IGNORE,    // NaN and infinities are counted and left out of every figure
    LG_NAN_PROPAGATE, // figures follow IEEE 754: one NaN makes mean, sum, min and max NaN
    LG_NAN_ERROR,     // LG_ERROR_DATA when there is one
} lg_nan;

typedef struct lg_select {
    const lg_region *region; // lies inside the image; NULL: the whole image
    const lg_image *mask;    // pixels whose mask is zero are left out. u8, one channel, the size of
                             // the image, one layer or as many as the image; NULL: none
    bool skip_transparent;   // leave out pixels whose alpha is zero (images with alpha)
    lg_nan nan;
    int32_t step; // take pixels whose x and y offsets in the region are multiples of it
} lg_select;

// Every pixel of the image; LG_NAN_IGNORE.
LG_API lg_select lg_select_default(void);

// ---- moments ------------------------------------------------------------------------------------

// Figures of one channel of one layer (or of the whole stack), in stored units.
typedef struct lg_moments {
    uint64_t count;         // samples that entered the figures
    uint64_t nan_count;     // NaN samples
    uint64_t inf_count;     // infinities
    double min, max;        // NaN when count is 0, as mean and variance
    double sum;             // integers: the exact sum rounded once
    double mean;            // sum / count
    double variance;        // population: mean squared deviation
    double variance_sample; // variance * n / (n - 1); NaN when n < 2
    bool exact;             // integer samples: sum_hi * 2^64 + sum_lo is the exact sum
    uint64_t sum_hi, sum_lo;
} lg_moments;

typedef struct lg_moments_params {
    size_t size; // sizeof(lg_moments_params) of the caller; the defaults set it
    lg_select select;
    bool stack; // one figure per channel over all layers instead of one per layer
} lg_moments_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_moments_params_init(lg_moments_params *params, size_t size);

// Every pixel, layer by layer.
static inline lg_moments_params lg_moments_params_default(void)
{
    lg_moments_params params;
    lg_moments_params_init(&params, sizeof params);
    return params;
}

// All moments in one pass over the pixels: out[layer * channels + channel], for
// lg_image_measured_channels() channels (of planes those of their colours) and, for a stack, one
// layer. `capacity` is the length of out. Errors: LG_ERROR_ARGUMENT (region, mask, capacity),
// LG_ERROR_DATA (LG_NAN_ERROR), LG_ERROR_MEMORY.
LG_API lg_status lg_measure_moments(lg_context *context, const lg_image *image,
                                    const lg_moments_params *params, lg_moments *out,
                                    size_t capacity, lg_error *error);

// Accumulators measure a region tile by tile. Tiles may come in any order, go to several
// accumulators, and be measured on several machines: the figures are those of one pass, bit for
// bit. All kinds have the same functions:
//   create    for a region of width x height x layers pixels, whose samples have one type
//   add       adds a tile; (x, y, layer) is the place in the region of the first pixel of its
//             selection. Add each pixel once; only more pixels than the region has are refused. A
//             failure adds nothing. Errors: LG_ERROR_ARGUMENT (another type or number of channels,
//             a place outside the region), those of the measurement
//   merge     adds the contents of `from` to `into`; `from` is unchanged. LG_ERROR_ARGUMENT: other
//             regions or parameters, or more pixels together than the region has
//   save      bytes for a file or another machine, with a header and a checksum. data NULL: only
//             the size. LG_ERROR_ARGUMENT: `capacity` is too small
//   load      LG_ERROR_DATA: damaged, truncated, or another kind; LG_ERROR_UNSUPPORTED: another
//             version
//   finish    the figures of all tiles so far

// Moments of a region. `channels` is that of lg_image_measured_channels().
typedef struct lg_moments_accumulator lg_moments_accumulator;

LG_API lg_status lg_moments_accumulator_create(lg_type type, int channels, int64_t width,
                                               int64_t height, int64_t layers,
                                               lg_moments_accumulator **out, lg_error *error);
LG_API void lg_moments_accumulator_destroy(lg_moments_accumulator **accumulator);
LG_API lg_status lg_moments_accumulator_add(lg_context *context,
                                            lg_moments_accumulator *accumulator,
                                            const lg_image *tile, const lg_select *select,
                                            int64_t x, int64_t y, int64_t layer, lg_error *error);
LG_API lg_status lg_moments_accumulator_merge(lg_moments_accumulator *into,
                                              const lg_moments_accumulator *from, lg_error *error);
LG_API lg_status lg_moments_accumulator_save(const lg_moments_accumulator *accumulator, void *data,
                                             size_t capacity, size_t *size, lg_error *error);
LG_API lg_status lg_moments_accumulator_load(const void *data, size_t size,
                                             lg_moments_accumulator **out, lg_error *error);
// out has a place for each channel.
LG_API lg_status lg_moments_accumulator_finish(const lg_moments_accumulator *accumulator,
                                               lg_nan nan, lg_moments *out, size_t capacity,
                                               lg_error *error);

// Moments of boxes of a region. A box covers all layers; boxes may overlap. Sums are exact, so
// figures do not depend on how the region is cut into tiles. The time for a tile grows with the
// pixels that its boxes cover: for many boxes of one image in memory, lumagraph/areasum.h is
// faster.
typedef struct lg_box_accumulator lg_box_accumulator;

// Errors: LG_ERROR_ARGUMENT (a box that is empty or leaves the region; the message names it),
// LG_ERROR_LIMIT, LG_ERROR_MEMORY.
LG_API lg_status lg_box_accumulator_create(lg_type type, int channels, int64_t width,
                                           int64_t height, int64_t layers, const lg_region *boxes,
                                           size_t count, lg_box_accumulator **out, lg_error *error);
LG_API void lg_box_accumulator_destroy(lg_box_accumulator **accumulator);
// The step of `select` must be 1.
LG_API lg_status lg_box_accumulator_add(lg_context *context, lg_box_accumulator *accumulator,
                                        const lg_image *tile, const lg_select *select, int64_t x,
                                        int64_t y, int64_t layer, lg_error *error);
// `into` and `from` must have the same boxes in the same order.
LG_API lg_status lg_box_accumulator_merge(lg_box_accumulator *into, const lg_box_accumulator *from,
                                          lg_error *error);
LG_API lg_status lg_box_accumulator_save(const lg_box_accumulator *accumulator, void *data,
                                         size_t capacity, size_t *size, lg_error *error);
LG_API lg_status lg_box_accumulator_load(const void *data, size_t size, lg_box_accumulator **out,
                                         lg_error *error);
// out[box * channels + channel].
LG_API lg_status lg_box_accumulator_finish(const lg_box_accumulator *accumulator, lg_nan nan,
                                           lg_moments *out, size_t capacity, lg_error *error);

// ---- histogram ----------------------------------------------------------------------------------

#define LG_MAX_BINS 65536

// The colour space whose channels are counted. Formulas: docs/definitions.md.
typedef enum lg_space {
    LG_SPACE_STORED, // the stored channels
    LG_SPACE_LUMA,   // one channel: luma
    LG_SPACE_RGBL,   // the stored channels and luma, in one pass
    LG_SPACE_LINEAR, // r, g, b in linear light (sRGB transfer)
    LG_SPACE_HSV,    // hue, saturation, value, each 0..1
    LG_SPACE_HSL,    // hue, saturation, lightness, each 0..1
    LG_SPACE_LAB,    // CIE L*a*b*, D65: L 0..100, a and b -128..128
    // Y'CbCr and YIQ of the stored r, g, b, chroma around 0: Y 0..1, Cb and Cr -0.5..0.5, I and Q
    // -0.6..0.6.
    LG_SPACE_YCBCR601,
    LG_SPACE_YCBCR709,
    LG_SPACE_YIQ,
    LG_SPACE_XYZ,   // CIE XYZ, D65: 0 to 0.95047, 1 and 1.08883, the white
    LG_SPACE_LUV,   // CIE L*u*v*, D65: L 0..100, u and v -180..180
    LG_SPACE_LCH,   // L, chroma and hue of L*a*b*: 0..100, 0..135, 0..1 turns
    LG_SPACE_OKLAB, // Oklab: L 0..1, a and b -0.4..0.4
    LG_SPACES
} lg_space;

typedef enum lg_luma {
    LG_LUMA_BT709,    // 0.2126 0.7152 0.0722 on stored values
    LG_LUMA_BT601,    // 0.299 0.587 0.114
    LG_LUMA_BT2020,   // 0.2627 0.6780 0.0593
    LG_LUMA_GPUIMAGE, // 0.2125 0.7154 0.0721
    LG_LUMA_MEAN,     // (r + g + b) / 3
    LG_LUMA_MAX,      // max(r, g, b)
    LG_LUMAS
} lg_luma;

// How samples are counted. Every variant gives the same counts; AUTO takes the one that was fastest
// in a short measurement on this device.
typedef enum lg_histogram_variant {
    LG_HISTOGRAM_AUTO,
    LG_HISTOGRAM_CPU_SINGLE,         // one table
    LG_HISTOGRAM_CPU_MULTI,          // several tables, to avoid store-to-load stalls
    LG_HISTOGRAM_CPU_AVX512,         // positional counting in vector registers
    LG_HISTOGRAM_VK_LANE_PRIVATE,    // shared counters, a memory bank per lane
    LG_HISTOGRAM_VK_REPLICATED,      // shared counters, several copies
    LG_HISTOGRAM_VK_GLOBAL,          // global atomics
    LG_HISTOGRAM_VK_PARTIALS_DEVICE, // partial tables merged by a second dispatch
    LG_HISTOGRAM_VK_PARTIALS_HOST,   // partial tables merged by the CPU
    LG_HISTOGRAM_VARIANTS
} lg_histogram_variant;

LG_API const char *lg_space_name(lg_space space);                           // "stored", "hsv" ...
LG_API const char *lg_luma_name(lg_luma luma);                              // "bt709" ...
LG_API const char *lg_histogram_variant_name(lg_histogram_variant variant); // "lane-private" ...

typedef struct lg_histogram_params {
    size_t size; // sizeof(lg_histogram_params) of the caller; the defaults set it
    lg_select select;
    bool stack;           // one histogram per channel over all layers
    int32_t bins;         // 1 .. LG_MAX_BINS; -1: 256 (u8: one per value)
    bool automatic_range; // lo and hi from the data (per call, over all channels)
    bool type_range;      // lo and hi from the type (u8 0..255, u16 0..65535, floats 0..1) or space
    double lo, hi;        // the range when both flags are false; lo < hi
    lg_space space;
    lg_luma luma;
    lg_histogram_variant variant;
} lg_histogram_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_histogram_params_init(lg_histogram_params *params, size_t size);

// Every pixel, layer by layer; 256 bins over the range of the type; the stored
// channels; LG_LUMA_BT709; LG_HISTOGRAM_AUTO.
static inline lg_histogram_params lg_histogram_params_default(void)
{
    lg_histogram_params params;
    lg_histogram_params_init(&params, sizeof params);
    return params;
}

// One channel of one layer. Bin i counts lo + i * width <= v < lo + (i + 1) * width; the last bin
// also counts hi. Integer samples have one bin per value when bins is the number of values in
// lo..hi, both included: bins = 256 for 0..255. See docs/definitions.md for the general rule.
typedef struct lg_histogram_channel {
    char name[8];
    int32_t layer; // -1 for a stack
    int32_t bins;
    double lo, hi;
    uint64_t *counts;
    uint64_t below, above, nan_count, inf_count;
    uint64_t total; // samples in the bins
    lg_type type;   // type of the counted samples; LG_F32 for computed colours
    // Exact counts per value for u8, u16 and f16 (by bit pattern) samples; NULL for LG_F32.
    const uint64_t *values;
    uint32_t value_count; // 256 or 65536
} lg_histogram_channel;

typedef struct lg_histogram {
    int32_t channels, layers;
    lg_type type;
    lg_histogram_variant variant;  // that was run
    lg_histogram_channel *channel; // [layer * channels + channel]
} lg_histogram;

// Errors: LG_ERROR_ARGUMENT (bins, range, region, mask, a colour space without RGB),
// LG_ERROR_UNSUPPORTED (a variant this device does not have), LG_ERROR_DATA, LG_ERROR_MEMORY.
LG_API lg_status lg_measure_histogram(lg_context *context, const lg_image *image,
                                      const lg_histogram_params *params, lg_histogram **out,
                                      lg_error *error);
LG_API void lg_histogram_destroy(lg_histogram **histogram);

// Histograms of a region, one per channel over all layers. `select` and `stack` of the parameters
// are ignored. An automatic range is found in finish, for u8, u16 and f16 samples in the stored
// space; for other samples the range must be given (LG_ERROR_ARGUMENT).
typedef struct lg_histogram_accumulator lg_histogram_accumulator;

// `channels` and `alpha` are those of the tiles; 3 channels are packed RGB, with the counts of the
// padded image. params NULL means defaults. Errors: as lg_measure_histogram; LG_ERROR_LIMIT.
LG_API lg_status lg_histogram_accumulator_create(const lg_histogram_params *params, lg_type type,
                                                 int channels, lg_alpha alpha, int64_t width,
                                                 int64_t height, int64_t layers,
                                                 lg_histogram_accumulator **out, lg_error *error);
LG_API void lg_histogram_accumulator_destroy(lg_histogram_accumulator **accumulator);
LG_API lg_status lg_histogram_accumulator_add(lg_context *context,
                                              lg_histogram_accumulator *accumulator,
                                              const lg_image *tile, const lg_select *select,
                                              int64_t x, int64_t y, int64_t layer, lg_error *error);
LG_API lg_status lg_histogram_accumulator_merge(lg_histogram_accumulator *into,
                                                const lg_histogram_accumulator *from,
                                                lg_error *error);
LG_API lg_status lg_histogram_accumulator_save(const lg_histogram_accumulator *accumulator,
                                               void *data, size_t capacity, size_t *size,
                                               lg_error *error);
LG_API lg_status lg_histogram_accumulator_load(const void *data, size_t size,
                                               lg_histogram_accumulator **out, lg_error *error);
LG_API lg_status lg_histogram_accumulator_finish(const lg_histogram_accumulator *accumulator,
                                                 lg_nan nan, lg_histogram **out, lg_error *error);

// Figures of the samples in lo..hi; NaN when there are none. A percentile, p in 0..100, is linear
// between order statistics (NumPy's "linear"): exact for u8, u16 and f16 samples, within one bin
// width for f32. The mode is the most frequent value; for f32 the middle of the fullest bin. The
// entropy is that of the bins.
LG_API double lg_histogram_percentile(const lg_histogram_channel *channel, double p);
LG_API double lg_histogram_mode(const lg_histogram_channel *channel);    // lowest value on a tie
LG_API double lg_histogram_entropy(const lg_histogram_channel *channel); // bits per sample
// Value at a bin position. `index` is the lower edge of that bin (with one bin per integer, the
// value itself), index + 0.5 its middle, and `bins` the upper end of the range.
LG_API double lg_histogram_bin_value(const lg_histogram_channel *channel, double index);
// (hi - lo) / bins; for integers with whole lo and hi (hi - lo + 1) / bins, as both are in the
// range.
LG_API double lg_histogram_bin_width(const lg_histogram_channel *channel);

// ---- thresholds ---------------------------------------------------------------------------------

typedef enum lg_threshold_method {
    LG_THRESHOLD_OTSU,
    LG_THRESHOLD_MULTI_OTSU, // `classes` classes, classes - 1 levels
    LG_THRESHOLD_VALUE,      // `value`
    LG_THRESHOLD_MEAN,
    LG_THRESHOLD_DEFAULT, // ImageJ's IsoData variant
    LG_THRESHOLD_HUANG,
    LG_THRESHOLD_INTERMODES,
    LG_THRESHOLD_ISODATA,
    LG_THRESHOLD_LI,
    LG_THRESHOLD_MAX_ENTROPY,
    LG_THRESHOLD_MIN_ERROR,
    LG_THRESHOLD_MINIMUM,
    LG_THRESHOLD_MOMENTS,
    LG_THRESHOLD_PERCENTILE,
    LG_THRESHOLD_RENYI_ENTROPY,
    LG_THRESHOLD_SHANBHAG,
    LG_THRESHOLD_TRIANGLE,
    LG_THRESHOLD_YEN,
    LG_THRESHOLD_METHODS
} lg_threshold_method;

#define LG_MAX_CLASSES 8

LG_API const char *
lg_threshold_method_name(lg_threshold_method method); // "otsu", "max-entropy" ...

typedef struct lg_threshold_params {
    size_t size;      // sizeof(lg_threshold_params) of the caller; the defaults set it
    lg_select select; // the samples the level is computed from; the output covers the whole region
    lg_threshold_method method;
    double value;    // LG_THRESHOLD_VALUE, stored units
    int32_t classes; // LG_THRESHOLD_MULTI_OTSU, 2 .. LG_MAX_CLASSES
    int32_t bins;    // floats and u16: bins of the histogram that the method gets; -1: 256
    bool stack;      // one level for all layers
    lg_luma luma;    // colour images are thresholded on luma
} lg_threshold_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_threshold_params_init(lg_threshold_params *params, size_t size);

// Every pixel, layer by layer; LG_THRESHOLD_OTSU with 256 bins; 3 classes; LG_LUMA_BT709.
static inline lg_threshold_params lg_threshold_params_default(void)
{
    lg_threshold_params params;
    lg_threshold_params_init(&params, sizeof params);
    return params;
}

typedef struct lg_threshold {
    int32_t levels;                   // 1, or classes - 1
    double level[LG_MAX_CLASSES - 1]; // stored units; foreground is value > level
    int32_t bin[LG_MAX_CLASSES - 1];  // the bin index behind each level; -1 for LG_THRESHOLD_VALUE
    double separability;              // between-class over total variance, 0..1; NaN when undefined
    uint64_t foreground, total;       // pixels above the (last) level, and in all
} lg_threshold;

// Level from a histogram (any channel of lg_measure_histogram).
// Errors: LG_ERROR_ARGUMENT, LG_ERROR_DATA (an empty histogram, or a method that finds no level).
LG_API lg_status lg_threshold_level(const lg_histogram_channel *histogram,
                                    const lg_threshold_params *params, lg_threshold *out,
                                    lg_error *error);

// Measures, finds the level and binarises. A Vulkan device does all of this itself. out[layer] is
// the result per layer, or for a stack. `binary`, unless NULL, becomes a new u8 image of the
// region: 0 and 255, or class number * 255 / (classes - 1).
LG_API lg_status lg_threshold_image(lg_context *context, const lg_image *image,
                                    const lg_threshold_params *params, lg_threshold *out,
                                    size_t capacity, lg_image **binary, lg_error *error);

// Levels of a region that is measured tile by tile, of all layers together: those of lg_threshold_image with
// `stack`, bit for bit. `select` and `stack` of the parameters are ignored. Functions are those of other
// accumulators, and look. A fixed value (LG_THRESHOLD_VALUE) needs no tiles.
typedef struct lg_threshold_accumulator lg_threshold_accumulator;

// `channels` and `alpha` are those of the tiles. params NULL means defaults.
LG_API lg_status lg_threshold_accumulator_create(const lg_threshold_params *params, lg_type type,
                                                 int channels, lg_alpha alpha, int64_t width,
                                                 int64_t height, int64_t layers,
                                                 lg_threshold_accumulator **out, lg_error *error);
LG_API void lg_threshold_accumulator_destroy(lg_threshold_accumulator **accumulator);
// Floats are counted in bins over their range, which must be known before a tile is added: whether all
// tiles are to be looked at. False for NULL.
LG_API bool lg_threshold_accumulator_looks(const lg_threshold_accumulator *accumulator);
// Looks at a tile. The same tile may be looked at twice.
LG_API lg_status lg_threshold_accumulator_look(lg_context *context,
                                               lg_threshold_accumulator *accumulator,
                                               const lg_image *tile, const lg_select *select,
                                               lg_error *error);
LG_API lg_status lg_threshold_accumulator_add(lg_context *context,
                                              lg_threshold_accumulator *accumulator,
                                              const lg_image *tile, const lg_select *select,
                                              int64_t x, int64_t y, int64_t layer, lg_error *error);
// Accumulators that have looked at different tiles merge before any are added, and the result knows all. If
// both are merged into each other's copies (save, load), they have looked at the same tiles, and may be added
// to and merged again.
LG_API lg_status lg_threshold_accumulator_merge(lg_threshold_accumulator *into,
                                                const lg_threshold_accumulator *from,
                                                lg_error *error);
LG_API lg_status lg_threshold_accumulator_save(const lg_threshold_accumulator *accumulator,
                                               void *data, size_t capacity, size_t *size,
                                               lg_error *error);
LG_API lg_status lg_threshold_accumulator_load(const void *data, size_t size,
                                               lg_threshold_accumulator **out, lg_error *error);
// foreground and total are 0: lg_threshold_apply counts. Errors: LG_ERROR_DATA (no samples, or a method that
// finds no level; LG_NAN_ERROR).
LG_API lg_status lg_threshold_accumulator_finish(const lg_threshold_accumulator *accumulator,
                                                 lg_nan nan, lg_threshold *out, lg_error *error);

// Compares the pixels of a region (NULL: all) with levels that were found, and adds to levels->foreground and
// levels->total. `binary`, unless NULL, becomes a new image as of lg_threshold_image. Runs on the processor.
LG_API lg_status lg_threshold_apply(lg_context *context, const lg_image *image,
                                    const lg_region *region, lg_luma luma, lg_threshold *levels,
                                    lg_image **binary, lg_error *error);

// ---- points -------------------------------------------------------------------------------------

// A pixel of a picture of points, such as the corner detectors make.
typedef struct lg_image_point {
    int32_t x, y, layer; // of the whole image
    float strength;      // the largest of the pixel's colours, in units of colours; above 0
} lg_image_point;

// The points of an image: the selected pixels (select NULL: all) with a colour above 0. Alpha is not
// looked at, NaN is 0. They are sorted by strength, the largest first, then by layer, y and x. Writes
// the first `capacity` of them and sets *count to the number of all. Runs on the processor. Errors:
// LG_ERROR_ARGUMENT (the selection; its `nan` is not looked at), LG_ERROR_DEVICE, LG_ERROR_MEMORY.
LG_API lg_status lg_image_points(lg_context *context, const lg_image *image,
                                 const lg_select *select, lg_image_point *out, size_t capacity,
                                 size_t *count, lg_error *error);

// ---- engine report ------------------------------------------------------------------------------

// What computed last on this context, and the seconds of each phase; -1 where a phase does not
// exist. Where a Vulkan device could not do the work, or failed, the CPU did all of it: `device`
// and `driver` are then the CPU's, and `fallback` gives the reason. It is empty otherwise.
typedef struct lg_engine_report {
    char device[256], driver[256], variant[64];
    char fallback[LG_ERROR_MESSAGE_SIZE];
    double upload, compute, download; // compute is device time on Vulkan
} lg_engine_report;

LG_API void lg_context_report(const lg_context *context, lg_engine_report *out);

#ifdef __cplusplus
}
#endif

#endif
