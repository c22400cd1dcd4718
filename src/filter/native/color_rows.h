// Rows of straight colour in planes, with what stands outside the image. Included by the kernels of each
// CPU level.
#ifndef LG_COLOR_ROWS_H
#define LG_COLOR_ROWS_H

#include "filter/stage.h"

#include <string.h>

// Columns first .. end-1 of row y, any of which may lie outside, to planes that begin with column first.
static inline void lg_color_row(const lg_stage_table *stage, const lg_pixels *in, lg_border border,
                                int64_t first, int64_t end, int64_t y, float *const to[4])
{
    const int64_t row = lg_border_index(y, in->height, border);
    const int64_t inside = LG_MIN(LG_MAX(first, 0), end);
    const int64_t inside_end = row < 0 ? inside : LG_MAX(LG_MIN(end, in->width), inside);
    for (int64_t x = inside; x < inside_end; x += LG_SPAN) {
        const int count = (int)LG_MIN(LG_SPAN, inside_end - x);
        const size_t at = (size_t)(x - first);
        stage->load(in, x, row, count,
                    (float *const[4]){to[0] + at, to[1] + at, to[2] + at, to[3] + at});
    }
    for (int64_t x = first; x < end; x++) {
        if (x == inside && inside < inside_end)
            x = inside_end;
        if (x >= end)
            return;
        const int64_t column = row < 0 ? -1 : lg_border_index(x, in->width, border);
        const size_t at = (size_t)(x - first);
        if (column < 0) {
            to[0][at] = to[1][at] = to[2][at] = 0;
            to[3][at] = lg_reads_opaque(in->channels, in->alpha); // transparent if there is alpha
        } else if (column >= inside && column < inside_end)
            for (int k = 0; k < 4; k++)
                to[k][at] = to[k][column - first];
        else
            stage->load(in, column, row, 1,
                        (float *const[4]){to[0] + at, to[1] + at, to[2] + at, to[3] + at});
    }
}

#endif
