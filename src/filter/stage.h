// A stage: source -> point chain -> sink, one pass over the pixels.
#ifndef LG_STAGE_H
#define LG_STAGE_H

#include "cpu/cpu.h"
#include "filter/byte_line.h"
#include "filter/byte_sums.h"
#include "filter/catalogue.h"

#include <math.h>

// How pixels outside an image are read: the parameter `border` of filters that read a
// neighbourhood.
typedef enum lg_border {
    LG_BORDER_REPLICATE,
    LG_BORDER_MIRROR, // the edge pixel once: 2 1 0 | 0 1 2
    LG_BORDER_WRAP,
    LG_BORDER_CONSTANT, // samples of 0: black, and transparent where the image has alpha
} lg_border;

// Whether pixels of such an image are read with alpha 1.
static inline bool lg_reads_opaque(int channels, lg_alpha alpha)
{
    return channels == 1 || alpha == LG_ALPHA_OPAQUE || (channels == 2 && alpha == LG_ALPHA_NONE);
}

// Whether they are read with red, green and blue alike.
static inline bool lg_reads_grey(int channels, lg_alpha alpha)
{
    return channels == 1 || (channels == 2 && alpha != LG_ALPHA_NONE);
}

// The image between two stages or passes, in which a colour is as good as in a stage. Grey stays one
// channel: red, green and blue are the same, and alpha is 1.
static inline lg_image_params lg_inner_shape(const lg_image_params *shape)
{
    lg_image_params s = *shape;
    s.type = LG_F32;
    s.alpha = s.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : s.alpha;
    s.channels = s.channels == 1 ? 1 : LG_MAX_CHANNELS;
    s.row_stride = s.layer_stride = 0;
    return s;
}

// The index in 0 .. size-1 to read in place of `i`; -1 for the constant.
static inline int64_t lg_border_index(int64_t i, int64_t size, lg_border border)
{
    if (i >= 0 && i < size)
        return i;
    switch (border) {
    case LG_BORDER_REPLICATE:
        return i < 0 ? 0 : size - 1;
    case LG_BORDER_MIRROR:
        i %= 2 * size;
        i += i < 0 ? 2 * size : 0;
        return i < size ? i : 2 * size - 1 - i;
    case LG_BORDER_WRAP:
        i %= size;
        return i < 0 ? i + size : i;
    default:
        return -1;
    }
}

// The pixels around a neighbour along one axis: the nearer one, and the one behind it.
typedef struct lg_beside {
    int64_t near, next; // from the centre
    float part;         // of the way from one to the other
} lg_beside;

// side: -1, 0, 1
static inline lg_beside lg_beside_of(float distance, int side)
{
    const float whole = floorf(distance);
    const int64_t near = side * (int64_t)whole;
    return (lg_beside){near, near + side, side ? distance - whole : 0};
}

// What the caches would not keep until somebody reads it is written past them. Half of the last cache that
// eight cores share; virtual machines report that of the whole processor, so it is not asked for.
#define LG_STREAMED_BYTES ((size_t)16 << 20)

static inline bool lg_writes_past_caches(const lg_image_params *out)
{
    return out->layer_stride * (size_t)out->layers > LG_STREAMED_BYTES;
}

// One layer of an image in host memory.
typedef struct lg_pixels {
    char *data;
    size_t row_stride;
    int32_t width, height, channels;
    lg_type type;
    lg_alpha alpha;
    bool stream; // an output larger than the caches: stores bypass them
    const struct lg_planar
        *planar; // an input of planes (core/pixel_planes.h); NULL: `data` has pixels
} lg_pixels;

#define LG_SPAN         512 // pixels of a span: its planes fit the L1 cache
#define LG_SPAN_LEAD    16  // floats before a row of a window, so that spans stay aligned
#define LG_CHAIN_LENGTH 64  // most kernels of one stage
#define LG_STAGE_IMAGES 4   // second images of its blends

typedef struct lg_chain_kernel {
    const lg_filter_loops *loops;
    const float *values;
    const lg_table *tables;
    const lg_pixels *over;       // blends
    bool per_channel, expensive; // lg_filter_fits_table, lg_filter_is_expensive
} lg_chain_kernel;

// The results of a chain's first filters for each of the 256 values of a byte
// (lg_filter_fits_table). The kernels compute them once; every pixel looks them up.
typedef struct lg_stage_lookup {
    _Alignas(
        64) float planes[4][256]; // after the first `count` filters; alpha: of one channel only
    uint32_t words[256];          // output pixels of four bytes, for an input of one channel
    _Alignas(64)
        uint8_t bytes[4][256]; // for byte i of a row, table i % 4; where input and output are bytes
    bool same[4];              // table k is the identity
    // Tables that differ from each other and from the identity, and which bytes of four each is for.
    int different;
    uint8_t table[4], takes[4]; // takes: bit k is byte k
    int count;                  // 0: nothing is looked up
    bool covers_stage;          // `bytes` or `words` do all the work of the stage
    bool to_pixels;             // ... namely `words`
    bool straight;              // `lines` computes the same as `bytes`
    lg_byte_lines lines;
    bool stepped; // and so does `steps`
    lg_byte_steps steps;
} lg_stage_lookup;

typedef struct lg_stage_job {
    lg_filter_kind source; // LG_FILTER_POINT: the image unchanged
    lg_chain_kernel first; // the source's kernel; unused for LG_FILTER_POINT
    lg_border border;
    float across, down;                    // pixels from the centre of a window to its neighbours
    bool generates_grey, generates_opaque; // generated pixels are of an image that is read so
    lg_pixels in, out;
    float inverse_width, inverse_height, aspect; // of the output
    int count;
    lg_chain_kernel chain[LG_CHAIN_LENGTH];
    const lg_stage_lookup *lookup; // NULL: none
    lg_byte_sums sums;             // the source sums bytes in integers
    bool words; // the chain is one filter, which takes pixels of bytes to pixels of bytes
} lg_stage_job;

// Scratch floats of one worker, 64-byte aligned: the planes of a span and of a second image, then
// the rows of a window or the buffers of a warp.
#define LG_STAGE_SCRATCH ((size_t)(4 + 4 + 27) * LG_SPAN)

typedef struct lg_stage_table {
    // Fills *lookup for the images of a job; count is 0 when a lookup is impossible or too costly.
    void (*build_lut)(const lg_stage_job *job, lg_stage_lookup *lookup, float *scratch);
    // Computes rows first .. end-1.
    void (*run)(const lg_stage_job *job, int32_t first, int32_t end, float *scratch);
    // The same for columns x .. x_end - 1 of a warp.
    void (*run_columns)(const lg_stage_job *job, int32_t x, int32_t x_end, int32_t first,
                        int32_t end, float *scratch);
    // Loads `count` pixels (at most LG_SPAN) from column x of row y as planes of colour, straight
    // alpha.
    void (*load)(const lg_pixels *in, int64_t x, int64_t y, int count, float *const planes[4]);
    void (*store)(const lg_pixels *out, int64_t x, int64_t y, int count, float *const planes[4]);
    // Makes rows first .. end - 1 of chroma, and the rows of luma that they belong to, of colours; without
    // chroma rows of luma.
    void (*encode)(const struct lg_planar *to, const lg_pixels *from, int32_t first, int32_t end);
} lg_stage_table;

const lg_stage_table *lg_stage_get(lg_cpu_level level);

#endif
