// Times of kernels, for `./dev test --bench`.
#ifndef LG_TEST_TIMING_H
#define LG_TEST_TIMING_H

#include "core/core.h"

#include <stdbool.h>

// Whether the programs shall time their cases instead of testing them.
bool timing_is_wanted(void);

// Seconds of the shortest of several runs; of slow ones two are enough. 0 when a run fails.
double timing_shortest(bool (*run)(void *arg), void *arg);

// One line: nanoseconds a pixel, and how many times as fast as `base`, which is in nanoseconds as well.
void timing_print(const char *who, double nanoseconds, double base);

#define TIMING_SHAPES 3
extern const lg_image_params timing_shapes[TIMING_SHAPES]; // what is timed

#endif
