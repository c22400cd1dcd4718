// Labels in device memory: records all dispatches of a labelling in a caller's command buffer.
#ifndef LG_LABEL_DEVICE_H
#define LG_LABEL_DEVICE_H

#include "measure/components/component_sums.h"
#include "vulkan/vk.h"

// An image of one channel on the device. 256 bytes behind its end may be read.
typedef struct lg_label_source {
    uint64_t data;                     // address; it and the strides are multiples of 16
    uint64_t row_stride, layer_stride; // bytes
    lg_type type;
    uint32_t width, height, layers;
} lg_label_source;

// The sums of a component as the device leaves them, low and high words. Members at the end are
// missing when not asked for, see lg_label_record_size.
typedef struct lg_label_record {
    uint32_t area, first; // first: the index of a pixel in raster order of all layers
    uint32_t x[2], y[2];
    uint32_t left;          // complement of the smallest x
    uint32_t right, bottom; // largest x and y
    uint32_t top, back;     // volumes only: complement of the smallest y; largest z
    uint32_t zero;
    uint32_t z[2], zeros[2];                           // volumes only
    uint32_t xx[2], yy[2], xy[2], zz[2], xz[2], yz[2]; // the last three for volumes only
    uint32_t low, high, sum[2], squares[2]; // of intensities; low: 65535 minus the smallest
    uint32_t x_sum[2], y_sum[2], z_sum[2];  // of intensities times x, y and z; z for volumes only
} lg_label_record;

// Counts from which perimeters, surfaces and the Euler number follow: windows 1 to 14, border classes
// and, of volumes, neighbours of the next layer of lg_component_shape. Window 15 follows from the
// area, since each pixel is in four windows.
typedef struct lg_label_shape_record {
    uint32_t windows[14], border[3], down[9], zero[2];
} lg_label_shape_record;

// Sums of float intensities in units of lg_label_unit. Numbers of several words begin with the
// lowest; signed ones are two's complements. `high` is 2^31 plus the bits of the magnitude of a
// finite sample, or 2^31 minus them if negative; `low` is the complement of such a number. Both are
// 0 without samples.
typedef struct lg_label_real_record {
    uint32_t sum[3], squares[4], moment[3][3], count, low, high, zero;
} lg_label_real_record;

// How labels are computed. A member that is 0 is chosen for the device.
typedef struct lg_label_tuning {
    uint32_t tile_words; // 4 or 8: a tile is 128 or 256 columns wide
    uint32_t tile_rows;  // rows of a tile; tile_rows * tile_words is at most 256
    uint32_t split;      // threads per word that join its columns with the row above; 1 to 32
    uint32_t each;       // words per thread that ranks roots: 1, 4 or 16
    void (*mark)(void *arg, const char *kernel); // called after each dispatch and its barrier
    void *arg;
} lg_label_tuning;

typedef struct lg_label_request {
    lg_foreground foreground;
    double level;
    int connectivity;
    // Addresses, multiples of 16. labels: dense rows of 32-bit labels of all layers, or 0 for none;
    // count: one word; figures, shapes and reals: lg_label_record, lg_label_shape_record and
    // lg_label_real_record of up to `capacity` components, or 0 for none.
    uint64_t labels, count, figures, shapes, reals;
    // One word, for `reals`: gets the bits of the largest finite magnitude of float intensities in
    // components; 0 where there are none.
    uint64_t largest;
    uint32_t capacity;
    bool moments;                     // second moments
    const lg_label_source *intensity; // of the same size, or NULL; integer sums go to `figures`
    lg_label_tuning tuning;
} lg_label_request;

#define LG_LABEL_DISPATCHES 13 // of one labelling, at most

// Bytes from one record to the next: a multiple of 16.
size_t lg_label_record_size(const lg_label_source *source, const lg_label_request *request);

// Whether the kernels can do it; if not, *why gets the reason.
bool lg_label_fits_kernels(const lg_context *context, const lg_label_source *source,
                           const lg_label_request *request, const char **why);

// Device memory that such a labelling needs, with labels or without.
size_t lg_label_device_bytes(const lg_label_source *source, const lg_label_request *request);

// Each records dispatches with a barrier behind them. The first leaves the number of components at
// `count`; the second, of the same request, writes labels and figures. Nothing else may use the
// scratch memory between them. Another call may free that memory: submit each labelling by itself,
// or record the largest first.
lg_status lg_label_record_forest(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error);
lg_status lg_label_record_labels(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error);

#endif
