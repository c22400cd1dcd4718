// What the CPU does with lines of words; one table per instruction set.
#ifndef LG_AREASUM_LINES_H
#define LG_AREASUM_LINES_H

#include "cpu/cpu.h"

typedef enum lg_area_join {
    LG_AREA_ADD_U32,
    LG_AREA_ADD_U64,
    LG_AREA_ADD_F32,
    LG_AREA_LEAST,
    LG_AREA_MOST
} lg_area_join;

#define LG_AREA_JOINS 5

// `count` words; strides and step in words.
typedef struct lg_area_lines_table {
    // to = a joined with b
    void (*join[LG_AREA_JOINS])(const void *a, const void *b, size_t count, void *to);
    // to[i * channels + c] = from[2 i] joined with from[2 i + 1], for `pairs` pairs
    void (*pairs[LG_AREA_JOINS])(const void *from, size_t pairs, int channels, void *to);
    // to[i] = from[0] + ... + from[i], each channel alone
    void (*prefix_u32)(const uint32_t *from, size_t elements, int channels, uint32_t *to);
    void (*prefix_u64)(const uint64_t *from, size_t elements, int channels, uint64_t *to);
    // The same of plain floats: blocks of 128 samples (96 of three channels), each by halves.
    void (*prefix_f32)(const float *from, size_t elements, int channels, float *to);
    // Floats as integers of a unit 2^exponent, ties to even; what is not finite is 0.
    void (*fixed)(const float *from, size_t count, int exponent, uint64_t *to);
    // The bits of the largest finite magnitude so far, and how many are not finite.
    void (*look)(const float *from, size_t count, uint32_t *most, uint64_t *ignored);
    // Plain floats; what is not finite is 0.
    void (*finite)(const float *from, size_t count, float *to);
    // Running sums after sums[i] += from[i]: a row of a table from the sums of the columns above it.
    void (*row_u8)(const uint8_t *from, uint32_t *sums, size_t elements, uint32_t *to);
} lg_area_lines_table;

#endif
