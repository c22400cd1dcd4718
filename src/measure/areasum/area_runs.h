// Runs of rows: boxes of height 1 that a shape is made of.
#ifndef LG_AREA_RUNS_H
#define LG_AREA_RUNS_H

#include "core/core.h"

// Bounds of one run: first column and row, the ones behind the last.
#define LG_RUN_BOUNDS 4

typedef struct lg_area_runs {
    int32_t *bounds;
    size_t used, capacity; // runs
} lg_area_runs;

// Appends columns `first` up to before `end`, or lengthens the last run when that ends there; runs
// come sorted. False: no memory.
bool lg_area_runs_add(lg_area_runs *runs, int32_t row, int32_t first, int32_t end);

// The array is one that runs can have.
lg_status lg_area_runs_check(int64_t width, int64_t height, lg_error *error);

// Hands the runs over, or frees them where memory ran out (good: false).
lg_status lg_area_runs_finish(lg_area_runs *runs, bool good, int32_t **bounds, size_t *count,
                              lg_error *error);

#endif
