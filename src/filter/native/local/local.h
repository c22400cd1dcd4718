// Figures of a window around each pixel, clipped to the image: mean, deviation, and thresholds made
// from both. docs/definitions.md, section Local windows, defines them.
//
// All sums are integers, so their order does not matter, and windows of any size take the same
// time. The CPU carries column sums from row to row if all windows have one size. Otherwise it
// reads the corners of summed-area tables, as devices do but for thresholds of bytes.
#ifndef LG_LOCAL_H
#define LG_LOCAL_H

#include "filter/native.h"
#include "filter/native/local/local_rule.h"
#include "filter/stage.h"

#define LG_LOCAL_RADIUS 32768

typedef enum lg_local_figure {
    LG_LOCAL_MEAN,
    LG_LOCAL_DEVIATION,
    LG_LOCAL_NIBLACK,
    LG_LOCAL_SAUVOLA,
} lg_local_figure;

typedef enum lg_local_windows {
    LG_LOCAL_CONSTANT,
    LG_LOCAL_VARIABLE,    // radius from the first component of the second image
    LG_LOCAL_ANISOTROPIC, // radii from its first two
} lg_local_windows;

// What is summed.
typedef enum lg_local_planes {
    LG_LOCAL_COMPONENTS, // straight colour, or data
    LG_LOCAL_WEIGHTED,   // colour times alpha, and alpha
    LG_LOCAL_LUMA,
} lg_local_planes;

typedef enum lg_local_samples {
    LG_LOCAL_STORED,   // as stored
    LG_LOCAL_BYTES,    // integer luma of bytes
    LG_LOCAL_PRODUCTS, // bytes times alpha's byte, and that times 255
    LG_LOCAL_UNITS,    // floats in units of 2^(E - bits)
} lg_local_samples;

typedef struct lg_local_stats {
    lg_local_figure figure;
    lg_local_windows windows;
    int32_t radius_x, radius_y; // the largest ones; constant windows: limited by the image
    lg_local_planes kind;
    lg_local_samples samples;
    int planes;      // in use
    int channels;    // 1, 2 or 4: adjacent samples of a pixel
    int bits;        // of units
    bool measured;   // E depends on the largest magnitude; else it is 1
    bool narrow;     // the sums of a window fit 32 bits
    bool small;      // the sum of samples fits 24 bits
    float unit;      // unless measured
    float k, range;  // of thresholds
    uint32_t widest; // pixels of the largest window, at most 2^32 - 1
} lg_local_stats;

static inline bool lg_local_has_squares(const lg_local_stats *l)
{
    return l->figure != LG_LOCAL_MEAN;
}

static inline bool lg_local_is_threshold(const lg_local_stats *l)
{
    return l->figure == LG_LOCAL_NIBLACK || l->figure == LG_LOCAL_SAUVOLA;
}

// The task of a filter on such an image.
lg_local_stats lg_local_of(const lg_filter *filter, const float *values, lg_local_figure figure,
                           lg_local_windows windows, const lg_image_params *in);

// A row of sums: sums[channels * (x + 1) + c] over all columns up to x, after `channels` zeros.
// 32-bit words if the sums of a window fit them.
typedef struct lg_local_row {
    const lg_local_stats *local;
    lg_pixels in, out;
    int32_t y, rows; // of the window
    const void *sums, *squares;
    const uint32_t *pixels; // of the windows, for each sample of the row
    const float *inverse;   // 1 / that
    const int32_t *own;     // the row's samples
    float unit, scale;
} lg_local_row;

// A summed-area table in host memory: rows as above, after a row of zeros, for the image's rows
// from `first` on.
typedef struct lg_local_sums {
    char *data;
    size_t stride; // bytes
    int32_t first;
} lg_local_sums;

// The kernels of a CPU level.
typedef struct lg_local_table {
    // The samples of a row, channels of them a pixel; `scratch` has room for LG_LOCAL_SCRATCH floats.
    void (*load)(const lg_local_stats *local, const lg_pixels *in, int64_t y, float scale,
                 int32_t *to, float *scratch);
    // The bits of the largest finite magnitude in a row.
    uint32_t (*find_max)(const lg_local_stats *local, const lg_pixels *in, int64_t y,
                         float *scratch);
    // Updates column sums: adds the samples of one row, subtracts those of another (NULL: none).
    void (*move)(bool narrow, size_t count, const int32_t *row_in, const int32_t *row_out,
                 void *sums, void *squares);
    // Sums along a row, behind `channels` zeros.
    void (*along)(bool narrow, int channels, size_t count, const void *columns, void *sums);
    // Pixels of constant windows of so many rows, and 1 / that, for each sample of a row.
    void (*sizes)(const lg_local_stats *local, int32_t width, int32_t rows, uint32_t *pixels,
                  float *inverse);
    // A row of results of constant windows.
    void (*row)(const lg_local_row *row, float *scratch);
    // A row of means of windows that row->y of another image tells.
    void (*gather)(const lg_local_row *row, const lg_pixels *over, const lg_local_sums *table,
                   float *scratch);
} lg_local_table;

#define LG_LOCAL_SCRATCH ((size_t)48 * LG_SPAN) // floats

// Rows of results that tables of about so many bytes serve, of `layers` layers at once.
int32_t lg_local_band(const lg_local_stats *local, const lg_image_params *shape, int32_t layers,
                      uint64_t bytes);

static inline size_t lg_local_word(const lg_local_stats *local)
{
    return local->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
}

// Rows *from .. *to - 1 are what the windows of rows first .. end - 1 reach.
static inline void lg_local_reach(const lg_local_stats *local, int32_t height, int32_t first,
                                  int32_t end, int32_t *from, int32_t *to)
{
    *from = LG_MAX(first - local->radius_y, 0);
    *to = (int32_t)LG_MIN((int64_t)end + local->radius_y, (int64_t)height);
}

lg_status lg_local_cpu(const lg_native_call *call, lg_local_figure figure,
                       lg_local_windows windows);

struct lg_device_call;
void lg_local_vulkan(struct lg_device_call *call, lg_local_figure figure, lg_local_windows windows);

#endif
