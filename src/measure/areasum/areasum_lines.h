// CPU functions on lines of words; one table per instruction set.
#ifndef LG_AREASUM_LINES_H
#define LG_AREASUM_LINES_H

#include "cpu/cpu.h"
#include "measure/areasum/areasum_planes.h"

typedef enum lg_area_join {
    LG_AREA_ADD_U32,
    LG_AREA_ADD_U64,
    LG_AREA_ADD_F32,
    LG_AREA_LEAST,
    LG_AREA_MOST,
    LG_AREA_LEAST_U64,
    LG_AREA_MOST_U64,
    LG_AREA_JOINS
} lg_area_join;

static inline lg_area_join lg_area_join_of(const lg_area_plane *plane)
{
    const bool wide = plane->word == LG_AREA_U64;
    if (plane->op == LG_AREA_OP_LEAST)
        return wide ? LG_AREA_LEAST_U64 : LG_AREA_LEAST;
    if (plane->op == LG_AREA_OP_MOST)
        return wide ? LG_AREA_MOST_U64 : LG_AREA_MOST;
    return plane->word == LG_AREA_U32   ? LG_AREA_ADD_U32
           : plane->word == LG_AREA_U64 ? LG_AREA_ADD_U64
                                        : LG_AREA_ADD_F32;
}

// `count` words; strides and step in words.
typedef struct lg_area_lines_table {
    // to = a joined with b
    void (*join[LG_AREA_JOINS])(const void *a, const void *b, size_t count, void *to);
    // to[i * channels + c] = from[2 i] joined with from[2 i + 1], for `pairs` pairs
    void (*pairs[LG_AREA_JOINS])(const void *from, size_t pairs, int channels, void *to);
    // to[i] = from[0] + ... + from[i], each channel alone
    void (*prefix_u32)(const uint32_t *from, size_t elements, int channels, uint32_t *to);
    void (*prefix_u64)(const uint64_t *from, size_t elements, int channels, uint64_t *to);
    // Floats as integer multiples of 2^exponent, ties to even. Samples that are not finite become
    // 0.
    void (*fixed)(const float *from, size_t count, int exponent, uint64_t *to);
    // The same in double precision, where lg_area_by_doubles is true. scale: 2^-exponent.
    void (*units)(const float *from, size_t count, double scale, uint64_t *to);
    // Squares of such integers: the low `split` bits, 2 to 63, or the bits above them.
    void (*squares)(const float *from, size_t count, int exponent, int split, bool top,
                    uint64_t *to);
    // Updates the bits of the largest finite magnitude and the count of samples that are not
    // finite.
    void (*find_max)(const float *from, size_t count, uint32_t *max, uint64_t *ignored);
    // Plain floats; samples that are not finite become 0.
    void (*finite)(const float *from, size_t count, float *to);
    // Joins of one channel that also store to `out`, a multiple of 32, bypassing the caches. NULL
    // for joins other than additions.
    void (*join_twice[LG_AREA_JOINS])(const void *a, const void *b, size_t count, void *to,
                                      void *out);
    // f16 as floats.
    void (*halves)(const void *from, size_t count, float *to);
    // `keys` makes keys, the inverse of lg_area_sample_of_key. `in_range` replaces keys in first ..
    // last by 1 and others by 0; `only_range` replaces others by `other`. NULL for f64.
    void (*keys[LG_ARRAY_TYPES])(const void *samples, size_t count, uint32_t *to);
    void (*in_range)(uint32_t first, uint32_t last, size_t count, uint32_t *keys);
    void (*only_range)(uint32_t first, uint32_t last, uint32_t other, size_t count, uint32_t *keys);
} lg_area_lines_table;

#endif
