// Two rows of a ripmap and what they are joined to, in registers; one table per instruction set.
#ifndef LG_AREASUM_PAIRS_H
#define LG_AREASUM_PAIRS_H

#include "cpu/cpu.h"

// A line of words twice: where the next level finds it, and where it belongs, past the caches: a multiple
// of 32.
typedef struct lg_area_twice {
    void *near, *far;
} lg_area_twice;

typedef struct lg_area_pair {
    const void *from[2]; // samples, or words
    const void *next[2]; // samples: fetched too, since rows of a tile are too short to be foreseen
    size_t count;        // of each row
    void *words[2];      // samples: as words, past the caches
    lg_area_twice sum;   // samples: the two rows joined
    lg_area_twice half[2],
        quarter;   // adjacent words of each row joined, and those joined; count / 2
    uint32_t most; // finite floats: bits of the largest magnitude so far, finite or not
} lg_area_pair;

// Additions of 32 bits, of one channel.
typedef struct lg_area_pairs_table {
    void (*bytes)(lg_area_pair *pair);  // u8 to u32
    void (*floats)(lg_area_pair *pair); // what is not finite is 0
    void (*words_u32)(lg_area_pair *pair);
    void (*words_f32)(lg_area_pair *pair);
} lg_area_pairs_table;

#endif
