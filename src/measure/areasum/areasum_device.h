// Area sums in device memory: kernels that the Vulkan side of structures is composed of. Each call records
// dispatches, with a barrier behind them.
#ifndef LG_AREASUM_DEVICE_H
#define LG_AREASUM_DEVICE_H

#include "core/core.h"
#include <lumagraph/areasum.h>
#include "vulkan/vk.h"

typedef enum lg_sum_type {
    LG_SUM_U32, // modulo 2^32
    LG_SUM_U64, // modulo 2^64; of floats in units, see lg_area_rule
    LG_SUM_F32, // single precision in the order of the definition
    LG_SUM_TYPES
} lg_sum_type;

// What is summed.
typedef enum lg_area_operation {
    LG_AREA_OF_VALUES,
    LG_AREA_OF_SQUARES,
    LG_AREA_OF_ABOVE,  // 1 where a sample is above a value
    LG_AREA_OF_FINITE, // 1 where a sample is finite
} lg_area_operation;

// An array of up to three dimensions on the device. 256 bytes behind its end may be read.
typedef struct lg_device_array {
    uint64_t data;                     // address, a multiple of 16 as the strides
    uint64_t row_stride, layer_stride; // bytes
    lg_element type;
    int channels;
    uint32_t width, height, layers;
} lg_device_array;

// Zero: a choice that suits the device.
typedef struct lg_area_tuning {
    enum { LG_AREA_AUTO, LG_AREA_CHAINED, LG_AREA_PASSES } method;
    uint32_t segments; // of 32 elements: width of a tile
    uint32_t bands;    // of `column` rows: height of a tile
    uint32_t column;
    uint32_t advance; // rows of tiles that advance side by side
} lg_area_tuning;

typedef struct lg_area_rule {
    lg_sum_type sum;
    lg_area_operation operation;
    uint32_t above;   // bits: an integer, or a float that is not -0
    int fraction;     // F of exact tables of floats
    uint64_t largest; // address: what lg_area_record_largest left, for exact tables of floats
    uint64_t
        trouble; // address of a word that becomes 1 when tiles have waited for each other in vain: then
                 // the table is wrong; forget the carries and make it by passes
    lg_area_tuning tuning;
} lg_area_rule;

// Bytes of a sum.
size_t lg_sum_size(lg_sum_type sum);

// Floats: at `result` (16 bytes, zero before) the bits of the largest finite magnitude, and in the next two
// words the number of samples that are not finite.
lg_status lg_area_record_largest(lg_context *context, const lg_device_array *array, uint64_t result,
                                 lg_vk_commands *commands, lg_error *error);

// Summed-area tables of all layers, each by itself, dense at `table` (a multiple of 16).
// The scratch memory of an earlier call may go: submit each call by itself, or the one that needs the most
// first. LG_ERROR_UNSUPPORTED: too large for the kernels.
lg_status lg_area_record_tables(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t table, lg_vk_commands *commands,
                                lg_error *error);

// Zeroes the scratch memory of chained tables after a wait in vain.
lg_status lg_area_forget_carries(lg_context *context, lg_vk_commands *commands, lg_error *error);

// Makes the dense tables of `layers` layers one table of three dimensions.
lg_status lg_area_record_axis(lg_context *context, lg_sum_type sum, uint64_t table,
                              uint64_t layer_entries, uint32_t layers, lg_vk_commands *commands,
                              lg_error *error);

#endif
