// Canny's edges: luminance, Gaussian, Sobel, non-maximum suppression, two thresholds, hysteresis.
// docs/definitions.md defines each step.
//
// 8-bit images are computed in integers: blurred luminance in 32nds of a grey level, gradients that
// fit 16 bits, squared magnitudes that fit 31. All others are computed in f32 with a fixed order of
// operations. The result of the suppression is two bit maps, 64 pixels per word: edges (strong),
// and all pixels that may become edges (weak, including the strong ones).
#ifndef LG_CANNY_H
#define LG_CANNY_H

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/stage.h"

#define LG_CANNY_SIGMA 20   // the largest
#define LG_CANNY_REACH 2    // columns beside a tile for gradients and their neighbours
#define LG_CANNY_UNIT  8160 // gradients of 8-bit images: 255 levels in 32nds

typedef struct lg_canny_job {
    lg_pixels in;
    int32_t width, height;
    lg_border border;
    bool integer; // 8-bit luminance
    bool apart;   // the Sobel's pixels are not 1 apart but `across` and `down`
    float across, down;
    bool ring; // GPUImage's hysteresis: the result is in `strong` at once
    lg_gaussian gaussian;
    lg_pixels
        blurred;     // luminance that a Gaussian with levels has blurred before: 32nds of a byte's
                     // step, or floats; no data: rows are blurred as they are needed
    lg_pixels whole; // where `blur` leaves blurred luminance: floats
    int32_t low, high; // weak: squared magnitude > low; strong: >= high
    float real_low, real_high;
    float lower, upper;
    uint64_t *strong, *weak;
    size_t words; // of a row
    int32_t tile; // columns to compute together, a multiple of 64
    const lg_stage_table *stage;
} lg_canny_job;

typedef struct lg_canny_table {
    // Fills rows y0 .. y1-1 of both bit maps.
    void (*edges)(const lg_canny_job *job, int32_t y0, int32_t y1, char *scratch);
    size_t (*scratch)(const lg_canny_job *job); // bytes
    // Blurred luminance of rows y0 .. y1-1, to job->whole.
    void (*blur)(const lg_canny_job *job, int32_t y0, int32_t y1, char *scratch);
    // Luminance of a row: bytes, or floats.
    void (*luminance)(const lg_canny_job *job, int32_t y, void *to);
    // Turns a row of bits into pixels: 0 or 1 in r, g, b, and alpha 1.
    void (*write)(const lg_stage_table *stage, const uint64_t *bits, const lg_pixels *out,
                  int32_t y);
} lg_canny_table;

// Sets thresholds and arithmetic for an image, and the Gaussian, which the caller destroys.
lg_status lg_canny_set_up(lg_canny_job *job, const lg_native_call *call);

// On a Vulkan device.
void lg_canny_vulkan(struct lg_device_call *call);

// ---- hysteresis: weak pixels that touch a strong one, over any number of weak ones, become strong --

typedef struct lg_canny_word {
    uint32_t y, k; // row, and word in it
} lg_canny_word;

typedef struct lg_hysteresis {
    uint64_t *strong, *weak;
    size_t words;         // of a row; bits behind the width are 0 in both
    lg_canny_word *stack; // one place per word
    uint8_t *queued;      // per word; all 0 between calls
} lg_hysteresis;

// Hysteresis within rows first .. end-1 alone. Calls for different rows may run at the same time.
void lg_hysteresis_band(const lg_hysteresis *h, int32_t first, int32_t end);

// Hysteresis over all rows, after that of the bands that begin at rows starts[1 .. count-1].
void lg_hysteresis_join(const lg_hysteresis *h, int32_t height, const int32_t *starts, int count);

// The plain definition, for tests.
lg_status lg_canny_ref(const lg_native_call *call);

#endif
