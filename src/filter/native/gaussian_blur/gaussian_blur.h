// Convolution with a Gaussian: steps and weights, and the interface of the kernels of a CPU level.
// docs/definitions.md defines the filter.
#ifndef LG_GAUSSIAN_BLUR_H
#define LG_GAUSSIAN_BLUR_H

#include "filter/native/separable/separable.h"

#define LG_GAUSSIAN_FRACTION 6 // fractional bits between passes over bytes
#define LG_GAUSSIAN_TAPS     4096
#define LG_GAUSSIAN_SPACING  64  // the most pixels from weight to weight
#define LG_GAUSSIAN_SLACK    128 // samples that may be written and read behind a row
#define LG_GAUSSIAN_SHIFT    16  // of integer weights, when they are below 2^15

#define LG_GAUSSIAN_LEVELS     8  // more than any sigma has
#define LG_GAUSSIAN_LEVEL_TAPS 15 // the most weights on either side where there are levels

// The image is halved `levels` times (weights 1/4, 1/2, 1/4 twice, then every second sample), weighed with
// 2 taps + 1 weights along both axes, and doubled as often: gaussian_pyramid.h.
typedef struct lg_gaussian {
    int levels, taps;
    int radius;     // of the pixels that a result may depend on
    int shift;      // integer weights sum to 2^shift
    float *floats;  // taps + 1, from the centre outwards
    int32_t *whole; // the same as integers
    int32_t
        *pairs; // whole weights two by two, the first in the low half of a word: (0, 1), (2, 3) ...
                // where taps is odd, else (0, nothing), (1, 2) ...
} lg_gaussian;

typedef enum lg_gaussian_rule {
    LG_GAUSSIAN_AUTO,
    LG_GAUSSIAN_EXACT,    // no levels
    LG_GAUSSIAN_GPUIMAGE, // its window, and sigma rounded to an integer
} lg_gaussian_rule;

// radius 0: the rule decides it; otherwise there are no levels.
lg_status lg_gaussian_create(float sigma, int radius, lg_gaussian_rule rule, lg_gaussian *out,
                             lg_error *error);
// With weights that stand for pixels `spacing` apart, and 0 between them; there are no levels, then.
lg_status lg_gaussian_create_spaced(float sigma, int radius, lg_gaussian_rule rule, int spacing,
                                    lg_gaussian *out, lg_error *error);
// That of a filter's parameters.
lg_status lg_gaussian_create_of(const lg_filter *filter, const float *values, lg_gaussian *out,
                                lg_error *error);
// The radius of such a Gaussian; 0 if it is refused.
int lg_gaussian_reach(float sigma, int radius, lg_gaussian_rule rule, int spacing, int *levels);
void lg_gaussian_destroy(lg_gaussian *g);

// What a sum of whole samples is counted in: parts of a byte's step.
static inline int64_t lg_gaussian_unit(const lg_gaussian *g)
{
    return (int64_t)1 << (g->levels ? 8 : g->shift + LG_GAUSSIAN_FRACTION);
}

// The rows of a window.
static inline size_t lg_gaussian_state_rows(const lg_gaussian *g)
{
    return 2 * (size_t)g->taps + 1;
}

// Bytes, without levels.
typedef struct lg_gaussian_bytes {
    const lg_gaussian *g;
    lg_border border;
    bool rounded; // the output has the input's kind
    float scale;  // factor of a sum, for floats
    bool mixed;   // rounded: image amount + blurred image (1 - amount), in floats
    float amount;
} lg_gaussian_bytes;

// Bytes of scratch for a strip of `width` pixels.
static inline size_t lg_gaussian_scratch(const lg_gaussian *g, size_t width, int channels)
{
    const size_t samples = (width + 2 * (size_t)g->radius) * (size_t)channels + 256;
    return samples * (lg_gaussian_state_rows(g) * 2 + 7) + 16 * (2 * (size_t)g->taps + 1) + 65536;
}

// Of one CPU level.
typedef struct lg_gaussian_bytes_table {
    // The tiles of an lg_gaussian_bytes.
    void (*run)(const void *job, const lg_pixel_tile *tile, char *scratch);
    // The two passes over bytes of one channel, as those of floats in lg_separable_kernels. Rows
    // have room for LG_GAUSSIAN_SLACK more samples. `line` gives 32nds of a byte's step, halves up.
    void (*feed_row)(const lg_gaussian *g, int16_t *state, size_t pitch, int64_t index,
                     const uint8_t *row, int count, int16_t *out);
    void (*line)(const lg_gaussian *g, const int16_t *line, int64_t count, int16_t *out);
    // Weighted sums of rows[0 .. 2 taps] as samples, for `count` samples and up to LG_GAUSSIAN_SLACK more.
    void (*weigh)(const lg_gaussian *g, const int16_t *const *rows, size_t count, int16_t *out);
} lg_gaussian_bytes_table;

typedef struct lg_gaussian_weigh_table {
    void (*floats)(const lg_gaussian *g, const float *const *rows, int64_t count, float *out);
} lg_gaussian_weigh_table;

struct lg_device_call;
struct lg_device_image;
void lg_gaussian_blur_vulkan(struct lg_device_call *call);

// Blurs a plane of 32-bit words: floats, or with `whole` bytes times 64, which become 32nds of a byte's
// step, halves up. `spare` is another plane like it. Takes four buffers of scratch memory.
void lg_gaussian_blur_plane(struct lg_device_call *call, const lg_gaussian *g, lg_border border,
                            bool whole, const struct lg_device_image *plane,
                            const struct lg_device_image *spare);

// Blurs the first image of a call.
void lg_gaussian_run(struct lg_device_call *call, const lg_gaussian *g, lg_border border);

// Whether a Gaussian takes an image as whole numbers: bytes without alpha; and the factor of such a sum,
// whose result is a float.
bool lg_gaussian_is_whole(const lg_image_params *image);
static inline float lg_gaussian_scale(const lg_gaussian *g)
{
    return (float)(1 / (255 * (double)lg_gaussian_unit(g)));
}

// Whole numbers: without levels, to any image (scale: the factor of a sum, or 0 to bytes of the same kind);
// with levels to bytes of the same kind. amount: the index of a parameter a, for which the result is the
// image a + the blurred image (1 - a), or -1; it needs a scale. words: that the kernel takes beside the
// weights, 1 with an amount.
bool lg_gaussian_takes_bytes(const struct lg_device_call *call, const lg_gaussian *g, int words);
void lg_gaussian_run_bytes(struct lg_device_call *call, const lg_gaussian *g, lg_border border,
                           float scale, int amount);
bool lg_gaussian_takes_byte_levels(const struct lg_device_call *call, const lg_gaussian *g);
void lg_gaussian_run_byte_levels(struct lg_device_call *call, const lg_gaussian *g,
                                 lg_border border);

// Bytes without alpha and levels, to bytes of the same kind: image amount + blurred image (1 - amount), with
// the bits of the filter extrapolate.
lg_status lg_gaussian_mix_bytes(const lg_native_call *call, const lg_gaussian *g, lg_border border,
                                float amount);

// The plain definition, for tests.
lg_status lg_gaussian_blur_ref(const lg_native_call *call);

// A plane of the image and what lies around it, from pixel (x, y) on: floats, or bytes times 64.
typedef struct lg_gaussian_plane {
    int64_t x, y, width, height;
    float *floats;
    int32_t *whole;
} lg_gaussian_plane;

// A plane with room for all that the pixels of an image depend on.
lg_gaussian_plane lg_gaussian_plane_make(const lg_gaussian *g, int64_t width, int64_t height);
void lg_gaussian_plane_free(lg_gaussian_plane *p);
void lg_gaussian_plane_blur(lg_gaussian_plane *p, const lg_gaussian *g);
// The blurred pixel: a whole sum that counts in lg_gaussian_unit, and the float.
int64_t lg_gaussian_plane_sum(const lg_gaussian_plane *p, int64_t x, int64_t y);
float lg_gaussian_plane_value(const lg_gaussian_plane *p, int64_t x, int64_t y);

#endif
