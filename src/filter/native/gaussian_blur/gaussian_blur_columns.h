// Columns row by row: every step keeps the last rows of its input. For files that are compiled once per
// CPU level.
#ifndef LG_GAUSSIAN_BLUR_COLUMNS_H
#define LG_GAUSSIAN_BLUR_COLUMNS_H

#include "filter/native/gaussian_blur/gaussian_blur.h"

// Row `index` of the input comes; rows are counted from 0.
//   NAME_place   where it has to be written
//   NAME_advance smooths what can be smoothed; true: the weighted rows of a result are rows[0 .. 2 taps]
// `state` has lg_gaussian_state_rows rows of `pitch` samples. SMOOTH(a, b, c, count, out) is one step
// with the weights 1/4, 1/2 and 1/4.
#define LG_GAUSSIAN_COLUMNS(name, sample, SMOOTH)                                                  \
    static sample *name##_place(const lg_gaussian *g, sample *state, size_t pitch, int64_t index)  \
    {                                                                                              \
        const size_t rows = g->levels ? 3 : 2 * (size_t)g->taps + 1;                               \
        return state + (size_t)index % rows * pitch;                                               \
    }                                                                                              \
    static bool name##_advance(const lg_gaussian *g, sample *state, size_t pitch, int64_t index,   \
                               int count, const sample **rows)                                     \
    {                                                                                              \
        sample *ring = state;                                                                      \
        const size_t last = ((size_t)2 * (size_t)g->taps << g->levels) + 1;                        \
        for (int s = 0; s < 2 * g->levels; s++) {                                                  \
            const size_t apart = (size_t)1 << (s / 2), size = 2 * apart + 1;                       \
            const size_t next_size =                                                               \
                s + 1 == 2 * g->levels ? last : 2 * ((size_t)1 << ((s + 1) / 2)) + 1;              \
            const size_t slot = (size_t)index % size;                                              \
            const size_t oldest = slot + 1 < size ? slot + 1 : 0;                                  \
            const size_t middle = slot >= apart ? slot - apart : slot + size - apart;              \
            if (index < (int64_t)(2 * apart))                                                      \
                return false;                                                                      \
            index -= (int64_t)(2 * apart);                                                         \
            sample *next = ring + size * pitch;                                                    \
            SMOOTH(ring + oldest * pitch, ring + middle * pitch, ring + slot * pitch, count,       \
                   next + (size_t)index % next_size * pitch);                                      \
            ring = next;                                                                           \
        }                                                                                          \
        if (index + 1 < (int64_t)last)                                                             \
            return false;                                                                          \
        size_t slot = (size_t)(index + 1) % last;                                                  \
        for (int k = 0; k <= 2 * g->taps; k++) {                                                   \
            rows[k] = ring + slot * pitch;                                                         \
            slot += (size_t)1 << g->levels;                                                        \
            slot -= slot < last ? 0 : last;                                                        \
        }                                                                                          \
        return true;                                                                               \
    }

#endif
