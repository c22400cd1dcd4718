// Joins two rows of a ripmap in registers; one table per instruction set.
#ifndef LG_AREASUM_PAIRS_H
#define LG_AREASUM_PAIRS_H

#include "cpu/cpu.h"
#include "measure/areasum/areasum_planes.h"

// A line of words stored twice: in `near` for the next level, and in its final place `far`, a
// multiple of 32, bypassing the caches.
typedef struct lg_area_twice {
    void *near, *far;
} lg_area_twice;

typedef struct lg_area_pair {
    const void *from[2]; // samples, or words
    const void *next[2]; // samples: prefetched, as rows of a tile are too short for the hardware
    size_t count;        // of each row
    void *words[2];      // samples as words, bypassing the caches; NULL: not stored
    lg_area_twice sum;   // samples: the two rows joined
    lg_area_twice half[2],
        quarter;  // joins of adjacent words of each row, and of both rows; count / 2
    double scale; // floats to words of 64 bits in units of 1 / scale
    uint32_t max; // finite floats: bits of the largest magnitude so far, finite or not
} lg_area_pair;

// Sums of one channel.
typedef struct lg_area_pairs_table {
    // From samples; floats that are not finite count as 0, integers come by lg_area_by_doubles.
    // NULL: this combination is not supported.
    void (*samples[LG_ARRAY_TYPES][LG_AREA_WORDS])(lg_area_pair *pair);
    void (*words[LG_AREA_WORDS])(lg_area_pair *pair);
} lg_area_pairs_table;

#endif
