// Area sums in device memory: the kernels from which the Vulkan structures are composed. Each call
// records dispatches with a barrier behind them.
#ifndef LG_AREASUM_DEVICE_H
#define LG_AREASUM_DEVICE_H

#include "measure/areasum/areasum_planes.h"
#include "measure/areasum/areasum_push.h"
#include "vulkan/vk.h"

// An array of up to three dimensions on the device. 256 bytes behind its end may be read.
typedef struct lg_device_array {
    uint64_t data;                     // address; it and the strides are multiples of 16
    uint64_t row_stride, layer_stride; // bytes
    lg_type type;
    int channels;
    uint32_t width, height, layers;
} lg_device_array;

// How tables are computed. A member that is 0 is chosen for the device.
typedef struct lg_area_tuning {
    enum { LG_AREA_AUTO, LG_AREA_CHAINED, LG_AREA_PASSES } method;
    uint32_t each;   // rows per thread, even; 8 for plain floats
    uint32_t groups; // groups of such rows per tile; 8 for plain floats; ripmaps: of 8 rows, 1 or 2
    uint32_t advance;  // rows of tiles that advance together
    uint32_t depth;    // tiles that one look-back reads, up to 16
    uint32_t shuffled; // lanes that exchange registers (subgroup shuffles)
} lg_area_tuning;

typedef struct lg_area_rule {
    lg_area_word sum;     // U64 for floats: units of 2^(E - fraction), E as in docs/definitions.md
    lg_area_op operation; // tables have no extremes and no bins
    // Tables of bytes with 2 or 4 channels: sums of colour times alpha, and of alpha times 255.
    bool premultiplied;
    uint32_t above; // threshold as bits: an integer, or a float other than -0; a bin's smallest key
    uint32_t max;   // a bin's largest key; smaller than `above` when the bin is empty
    int fraction;   // F of floats in units
    uint64_t words; // address of the buffer with a ripmap's blocks; see lg_vk_writes
    uint64_t largest; // address of the result of lg_area_record_largest, for floats in units
    lg_area_tuning tuning;
} lg_area_rule;

// For floats. `result` has 16 bytes, zero at first: the bits of the largest finite magnitude, then
// in two words the number of samples that are not finite.
lg_status lg_area_record_largest(lg_context *context, const lg_device_array *array, uint64_t result,
                                 lg_vk_commands *commands, lg_error *error);

// Summed-area tables of all layers, each by itself, dense at `table` (a multiple of 16). A call may
// free the scratch memory of an earlier one: submit each call by itself, or record the largest
// first. A table may need a second attempt: device/lookback.h. LG_ERROR_UNSUPPORTED: too large for
// the kernels.
lg_status lg_area_record_tables(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t table, lg_vk_commands *commands,
                                lg_error *error);

// A table of bytes with 2 or 4 channels in tiles of 16 x 16 pixels. It is faster to make than a
// dense one; readers add three parts for an entry. An empty tile, all 0, follows the last tile of
// each row and column; it also serves as the entries before the first row and column. The parts:
//   inside: u16 [layer][y][sample], sums inside the pixel's tile; the order of four channels is
//           0, 2, 1, 3
//   left:   u32 [layer][tile_x][y][channel], sums of the tiles on the left, from their first row
//   above:  u32 [layer][tile_y][sample], sums of all rows above the tile
typedef struct lg_area_tiled {
    uint64_t inside, left, above; // addresses
    uint64_t bytes;               // of the three together
    uint32_t tiles_x, tiles_y;    // including the empty ones
} lg_area_tiled;

// Whether an array can have such a table: bytes as above, less than 4 GiB in all.
bool lg_area_can_tile(const lg_context *context, const lg_device_array *array);
lg_area_tiled lg_area_tiled_at(const lg_device_array *array, uint64_t address);
lg_status lg_area_record_tiled(lg_context *context, const lg_device_array *array, uint64_t address,
                               lg_vk_commands *commands, lg_error *error);

// Combines the dense tables of `layers` layers to one three-dimensional table.
lg_status lg_area_record_axis(lg_context *context, lg_area_word sum, uint64_t table,
                              uint64_t layer_entries, uint32_t layers, lg_vk_commands *commands,
                              lg_error *error);

// Tables by way of words: samples become words in rows of `length` entries, which begin at `table`, and then
// running sums along every axis, `times` over. For what the tables above do not take.
typedef struct lg_area_words {
    lg_area_word sum; // U32 or U64
    lg_area_op operation;
    uint32_t length[3]; // entries along the axes, at least those of the array
    int times;
    int unit, below, split; // see lg_area_words_push
    double above;
    uint64_t table;
} lg_area_words;

lg_status lg_area_record_words(lg_context *context, const lg_device_array *array,
                               const lg_area_words *words, lg_vk_commands *commands,
                               lg_error *error);

// The array on the device, in rows of a multiple of 16 bytes from `offset` on, with `lg_area_upload_bytes` of
// memory from there.
size_t lg_area_upload_bytes(const lg_area_array *array);
lg_status lg_area_upload(lg_context *context, const lg_area_array *array, lg_vk_buffer *buffer,
                         size_t offset, lg_device_array *out, lg_error *error);

// Running sums along lines.
lg_status lg_area_record_lines(lg_context *context, lg_area_word sum, bool exclusive,
                               const lg_area_lines_push *push, lg_vk_commands *commands,
                               lg_error *error);

// All blocks of a ripmap, three-dimensional if there are layers. `blocks` has their addresses, 8
// bytes each, in the order of lg_areasum. The first block is written only if `write_first`, which
// layers require; otherwise that block must be the array itself.
lg_status lg_area_record_ripmap(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t blocks, bool write_first,
                                lg_vk_commands *commands, lg_error *error);

// Boxes of a query on the device: bounds as in lg_areasum_query, inside the array and not empty.
typedef struct lg_device_boxes {
    uint64_t bounds, results; // addresses, multiples of 8; one result per channel of a box
    uint64_t words;           // address of the buffer with the blocks; see lg_vk_reads
    size_t count;
    int dims, channels;            // dims: up to 3
    uint32_t extent[LG_AREA_DIMS]; // of the array
} lg_device_boxes;

// Ends the commands, runs them and waits for them, unless `status`, that of recording them, is an error.
lg_status lg_area_submit(lg_context *context, lg_vk_commands *commands, lg_status status,
                         lg_error *error);

// Sums of boxes from a table, as 64-bit integers or floats. wraps: sums of bytes in 32 bits.
lg_status lg_area_record_corners(lg_context *context, const lg_device_boxes *boxes,
                                 lg_area_word word, bool wraps, uint64_t table,
                                 lg_vk_commands *commands, lg_error *error);

// Sums under windows of smoothed boxes, as 64-bit integers. length: of the table.
lg_status lg_area_record_windows(lg_context *context, const lg_device_boxes *boxes, int order,
                                 const uint32_t *length, uint64_t table, lg_vk_commands *commands,
                                 lg_error *error);

// Figures of boxes from the nodes of a ripmap; `blocks` as for lg_area_record_ripmap. Results have
// 8 bytes: sums of integers; keys of extremes in the first word; hi and lo of plain sums of floats.
lg_status lg_area_record_nodes(lg_context *context, const lg_device_boxes *boxes, lg_area_word word,
                               lg_area_op operation, uint64_t blocks, lg_vk_commands *commands,
                               lg_error *error);

// Dispatches `groups` workgroups in parts, with barriers. All parts use the memory that was
// declared before. *first in the push constants becomes `each` times the number of a part's first
// workgroup.
void lg_area_dispatch(const lg_context *context, lg_vk_commands *commands,
                      const lg_vk_pipeline *pipeline, void *push, uint32_t push_size,
                      uint32_t *first, uint32_t each, uint64_t groups);

#endif
