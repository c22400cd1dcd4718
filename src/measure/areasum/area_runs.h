// Runs: boxes of height 1 that together are a shape.
#ifndef LG_AREA_RUNS_H
#define LG_AREA_RUNS_H

#include "core/core.h"

// A run is four bounds: its first column and row, and the column and row behind its last ones.
#define LG_RUN_BOUNDS 4

typedef struct lg_area_runs {
    int32_t *bounds;
    size_t used, capacity; // runs
} lg_area_runs;

// Appends the columns first .. end-1 of a row, or extends the last run when it ends at `first`.
// Runs come in raster order. False: out of memory.
bool lg_area_runs_add(lg_area_runs *runs, int32_t row, int32_t first, int32_t end);

// Checks that runs can address an array of this size.
lg_status lg_area_runs_check(int64_t width, int64_t height, lg_error *error);

// Hands the runs to the caller, or frees them when memory ran out (good: false).
lg_status lg_area_runs_finish(lg_area_runs *runs, bool good, int32_t **bounds, size_t *count,
                              lg_error *error);

#endif
