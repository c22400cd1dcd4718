// Two rows of a ripmap and what they are joined to, in registers; one table per instruction set.
#ifndef LG_AREASUM_PAIRS_H
#define LG_AREASUM_PAIRS_H

#include "cpu/cpu.h"
#include "measure/areasum/areasum_planes.h"

// A line of words twice: where the next level finds it, and where it belongs, past the caches: a multiple
// of 32.
typedef struct lg_area_twice {
    void *near, *far;
} lg_area_twice;

typedef struct lg_area_pair {
    const void *from[2]; // samples, or words
    const void *next[2]; // samples: fetched too, since rows of a tile are too short to be foreseen
    size_t count;        // of each row
    void *words[2];      // samples: as words, past the caches; NULL: they are there
    lg_area_twice sum;   // samples: the two rows joined
    lg_area_twice half[2],
        quarter;  // adjacent words of each row joined, and those joined; count / 2
    double scale; // floats to words of 64 bits: units of 1 / scale
    uint32_t max; // finite floats: bits of the largest magnitude so far, finite or not
} lg_area_pair;

// Sums of one channel.
typedef struct lg_area_pairs_table {
    // From samples; floats that are not finite are 0, as integers by
    // lg_area_by_doubles. NULL: not this way.
    void (*samples[LG_ARRAY_TYPES][LG_AREA_WORDS])(lg_area_pair *pair);
    void (*words[LG_AREA_WORDS])(lg_area_pair *pair);
} lg_area_pairs_table;

#endif
