// Labels in device memory: all dispatches of a labelling, for who has a command buffer.
#ifndef LG_LABEL_DEVICE_H
#define LG_LABEL_DEVICE_H

#include "measure/components/component_sums.h"
#include "vulkan/vk.h"

// An image of one channel on the device. 256 bytes behind its end may be read.
typedef struct lg_label_source {
    uint64_t data;                     // address, a multiple of 16 as the strides
    uint64_t row_stride, layer_stride; // bytes
    lg_type type;
    uint32_t width, height, layers;
} lg_label_source;

// Sums over the pixels of a component, as the device leaves them, low and high words. What was not asked for
// is missing at the end, see lg_label_record_size.
typedef struct lg_label_record {
    uint32_t area, first; // first: number of a pixel in raster order of all layers
    uint32_t x[2], y[2];
    uint32_t left;          // all bits but those of the least x
    uint32_t right, bottom; // greatest x and y
    uint32_t top, back;     // volumes only: all bits but those of the least y, greatest z
    uint32_t zero;
    uint32_t z[2], zeros[2];                           // likewise
    uint32_t xx[2], yy[2], xy[2], zz[2], xz[2], yz[2]; // the last three of volumes only
    uint32_t low, high, sum[2], squares[2];            // of intensities; low: 65535 minus the least
    uint32_t x_sum[2], y_sum[2], z_sum[2]; // of these times x, y and z; z of volumes only
} lg_label_record;

// Counts that perimeters and the Euler number follow from: windows 1 to 14 and classes of
// lg_component_shape. Window 15 follows from the area, since four windows have each pixel.
typedef struct lg_label_shape_record {
    uint32_t windows[14], border[3], zero[3];
} lg_label_shape_record;

// Sums of intensities of floats, in units, see lg_label_unit. Numbers of several words, the lowest first;
// those with a sign as two's complements. `low` and `high`: of finite samples, 2^31 plus the bits of the
// magnitude, or minus it; of `low` all bits are turned around. Zero where there are none.
typedef struct lg_label_real_record {
    uint32_t sum[3], squares[4], moment[3][3], count, low, high, zero;
} lg_label_real_record;

// Zero: a choice that suits the device.
typedef struct lg_label_tuning {
    uint32_t tile_words; // 4 or 8: a tile is 128 or 256 columns wide
    uint32_t tile_rows;  // its rows; times tile_words at most 256
    uint32_t split;      // threads that join the columns of a word with the row above; 1 to 32
    uint32_t each;       // words of a thread that ranks roots, 1, 4 or 16
    void (*mark)(void *arg, const char *kernel); // called behind each dispatch and its barrier
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
    // One word: the bits of the greatest finite magnitude of intensities of floats in components, which is
    // left there on the way to `reals`; 0 where there are none.
    uint64_t largest;
    uint32_t capacity;
    bool moments;                     // second ones
    const lg_label_source *intensity; // of the same size, or NULL; integers go to `figures`
    lg_label_tuning tuning;
} lg_label_request;

#define LG_LABEL_DISPATCHES 13 // of one labelling, at most

// Bytes from one record to the next: a multiple of 16.
size_t lg_label_record_size(const lg_label_source *source, const lg_label_request *request);

// Whether the kernels can do it; if not, *why says what is against it.
bool lg_label_fits_kernels(const lg_context *context, const lg_label_source *source,
                           const lg_label_request *request, const char **why);

// What such a labelling takes on the device, with labels or without.
size_t lg_label_device_bytes(const lg_label_source *source, const lg_label_request *request);

// Each records dispatches with a barrier behind them. The first leaves the number of components at `count`,
// the second, of the same request, labels and figures; the scratch memory must not be used in between, and
// may go with any other call that uses it: submit each labelling by itself, or the one that needs the most
// first.
lg_status lg_label_record_forest(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error);
lg_status lg_label_record_labels(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error);

#endif
