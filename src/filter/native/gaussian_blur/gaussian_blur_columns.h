// The last rows of a window, row by row. For files that are compiled once per CPU level.
#ifndef LG_GAUSSIAN_BLUR_COLUMNS_H
#define LG_GAUSSIAN_BLUR_COLUMNS_H

#include "filter/native/gaussian_blur/gaussian_blur.h"

// Row `index` of the input comes; rows are counted from 0. `state` has lg_gaussian_state_rows rows of
// `pitch` samples.
//   NAME_place   where it has to be written
//   NAME_advance true: the rows of a window are rows[0 .. 2 taps]
#define LG_GAUSSIAN_COLUMNS(name, sample)                                                          \
    static sample *name##_place(const lg_gaussian *g, sample *state, size_t pitch, int64_t index)  \
    {                                                                                              \
        return state + (size_t)index % lg_gaussian_state_rows(g) * pitch;                          \
    }                                                                                              \
    static bool name##_advance(const lg_gaussian *g, sample *state, size_t pitch, int64_t index,   \
                               const sample **rows)                                                \
    {                                                                                              \
        const size_t size = lg_gaussian_state_rows(g);                                             \
        size_t slot = (size_t)(index + 1) % size;                                                  \
        for (size_t k = 0; k < size; k++) {                                                        \
            rows[k] = state + slot * pitch;                                                        \
            slot = slot + 1 < size ? slot + 1 : 0;                                                 \
        }                                                                                          \
        return index + 1 >= (int64_t)size;                                                         \
    }

#endif
