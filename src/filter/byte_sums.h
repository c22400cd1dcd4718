// Weighted sums of nine bytes in integers: docs/definitions.md, "Weighted sums of bytes".
#ifndef LG_BYTE_SUMS_H
#define LG_BYTE_SUMS_H

#include "filter/catalogue.h"

#include <stdbool.h>
#include <stdint.h>

#define LG_BYTE_SUMS_MOST  127 // of the weights' sum without signs: sums of bytes fit 16 bits
#define LG_BYTE_SUMS_SHIFT 7   // most places behind the point

typedef struct lg_byte_sums {
    bool any;          // false: these weights are no such numbers
    int16_t weight[9]; // in units of 2^-shift
    int shift;
} lg_byte_sums;

// The weights of a filter as such integers, with the least shift.
lg_byte_sums lg_find_byte_sums(const lg_filter_loops *loops, const float *values);

#endif
