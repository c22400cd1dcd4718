// Area sums in device memory: kernels that the Vulkan side of structures is composed of. Each call records
// dispatches, with a barrier behind them.
#ifndef LG_AREASUM_DEVICE_H
#define LG_AREASUM_DEVICE_H

#include "measure/areasum/areasum_planes.h"
#include "vulkan/vk.h"

// An array of up to three dimensions on the device. 256 bytes behind its end may be read.
typedef struct lg_device_array {
    uint64_t data;                     // address, a multiple of 16 as the strides
    uint64_t row_stride, layer_stride; // bytes
    lg_type type;
    int channels;
    uint32_t width, height, layers;
} lg_device_array;

// Zero: a choice that suits the device.
typedef struct lg_area_tuning {
    enum { LG_AREA_AUTO, LG_AREA_CHAINED, LG_AREA_PASSES } method;
    uint32_t each; // rows of a thread, even; 8 for plain floats
    uint32_t
        groups; // of these, a tile; 8 for plain floats; of ripmaps: of 8 rows of a tile, 1 or 2
    uint32_t advance;  // rows of tiles that advance side by side
    uint32_t depth;    // tiles that a look back takes in, up to 16
    uint32_t shuffled; // lanes that read each other's registers
} lg_area_tuning;

typedef struct lg_area_rule {
    lg_area_word sum;     // 64 bits of floats: in units of 2^(E - fraction), E as in the definition
    lg_area_op operation; // tables have no extremes and no bins
    // Tables of bytes with 2 or 4 channels: what is added up is colour times alpha, and alpha times 255.
    bool premultiplied;
    uint32_t above;   // bits: an integer, or a float that is not -0; of a bin: its smallest key
    uint32_t max;     // of a bin: its largest key; below the other where nothing is in it
    int fraction;     // F of floats in units
    uint64_t words;   // address of the buffer of the blocks of a ripmap; see lg_vk_writes
    uint64_t largest; // address: what lg_area_record_largest left, for floats in units
    lg_area_tuning tuning;
} lg_area_rule;

// Floats: at `result` (16 bytes, zero before) the bits of the largest finite magnitude, and in the next two
// words the number of samples that are not finite.
lg_status lg_area_record_largest(lg_context *context, const lg_device_array *array, uint64_t result,
                                 lg_vk_commands *commands, lg_error *error);

// Summed-area tables of all layers, each by itself, dense at `table` (a multiple of 16).
// The scratch memory of an earlier call may go: submit each call by itself, or the one that needs the most
// first. A table may have to be made again: device/lookback.h. LG_ERROR_UNSUPPORTED: too large for the
// kernels.
lg_status lg_area_record_tables(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t table, lg_vk_commands *commands,
                                lg_error *error);

// A table of bytes with 2 or 4 channels in tiles of 16 x 16 pixels, whose entries readers put together;
// faster to make than one by itself. Behind the last row and column of tiles is another one: all is 0 there,
// as in front of the first row and column. An entry is the sum of
//   inside: u16 [layer][y][sample], up to the pixel inside its tile; of four channels samples 0 and 2 of a
//           pixel, then 1 and 3
//   left:   u32 [layer][tile_x][y][channel], of all tiles on the left, from the tile's first row
//   above:  u32 [layer][tile_y][sample], in all rows above the tile
typedef struct lg_area_tiled {
    uint64_t inside, left, above; // addresses
    uint64_t bytes;               // of all
    uint32_t tiles_x, tiles_y;    // with the empty ones
} lg_area_tiled;

// Such bytes, less than 4 GiB in all.
bool lg_area_can_tile(const lg_context *context, const lg_device_array *array);
lg_area_tiled lg_area_tiled_at(const lg_device_array *array, uint64_t address);
lg_status lg_area_record_tiled(lg_context *context, const lg_device_array *array, uint64_t address,
                               lg_vk_commands *commands, lg_error *error);

// Makes the dense tables of `layers` layers one table of three dimensions.
lg_status lg_area_record_axis(lg_context *context, lg_area_word sum, uint64_t table,
                              uint64_t layer_entries, uint32_t layers, lg_vk_commands *commands,
                              lg_error *error);

// All blocks of a ripmap, of three dimensions if there are layers. At `blocks` are their addresses, 8 bytes
// each, as in lg_areasum; the first block is only written if `write_first`. Layers need it: else it must be
// the array.
lg_status lg_area_record_ripmap(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t blocks, bool write_first,
                                lg_vk_commands *commands, lg_error *error);

// Boxes of a query on the device: bounds as in lg_areasum_query, inside and not empty.
typedef struct lg_device_boxes {
    uint64_t bounds, results; // addresses, multiples of 8; a result for each channel of a box
    uint64_t words;           // address of the buffer of the blocks; see lg_vk_reads
    size_t count;
    int dims, channels;            // dims: up to 3
    uint32_t extent[LG_AREA_DIMS]; // of the array
} lg_device_boxes;

// Sums of boxes from a table. Results: integers of 64 bits, or floats. wraps: sums of bytes in 32 bits.
lg_status lg_area_record_corners(lg_context *context, const lg_device_boxes *boxes,
                                 lg_area_word word, bool wraps, uint64_t table,
                                 lg_vk_commands *commands, lg_error *error);

// Figures of boxes from the nodes of a ripmap, `blocks` as for
// lg_area_record_ripmap. Results of 8 bytes: sums of integers; keys of extremes in the first word; hi and lo
// of plain sums of floats.
lg_status lg_area_record_nodes(lg_context *context, const lg_device_boxes *boxes, lg_area_word word,
                               lg_area_op operation, uint64_t blocks, lg_vk_commands *commands,
                               lg_error *error);

// Dispatches `groups` workgroups in parts, with barriers; all use the memory that was named before.
// *first in the push constants becomes `each` times
// the number of the part's first workgroup.
void lg_area_dispatch(const lg_context *context, lg_vk_commands *commands,
                      const lg_vk_pipeline *pipeline, void *push, uint32_t push_size,
                      uint32_t *first, uint32_t each, uint64_t groups);

#endif
