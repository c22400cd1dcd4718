// The loops of all filters with a kernel, compiled once per CPU level.
#ifndef LG_LOOPS_H
#define LG_LOOPS_H

#include "filter/catalogue.h"
#include "filter/choice_blocks.h"

// Minimum and maximum of integers, in kernels that choose.
#define LG_LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define LG_GREATER(a, b) ((a) > (b) ? (a) : (b))

typedef struct lg_named_loops {
    const char *name;
    lg_filter_loops loops;
} lg_named_loops;

typedef struct lg_loop_table {
    const lg_named_loops *all; // ends with a NULL name
} lg_loop_table;

#endif
