// What the windows of a strip of pixels reach: for files that are compiled once per CPU level.
#ifndef LG_REACH_H
#define LG_REACH_H

#include "filter/native/tiles.h"
#include "filter/native/window_side.h"

#include <string.h>

// Columns first .. end - 1, of which those of the image are inside .. inside_end - 1.
typedef struct lg_reach {
    const lg_pixels *in;
    lg_border border;
    int64_t first, end, inside, inside_end;
    const void *zeros; // a row of the strip
} lg_reach;

static inline lg_reach lg_reach_along(const lg_pixel_tile *t, lg_border border, lg_window_side side,
                                      const void *zeros)
{
    const int64_t first = (int64_t)t->x - side.before, end = (int64_t)t->x_end + side.after;
    return (lg_reach){&t->in, border, first, end, LG_MAX(first, 0), LG_MIN(end, t->in.width),
                      zeros};
}

static inline lg_reach lg_reach_of(const lg_pixel_tile *t, lg_border border, int radius,
                                   const void *zeros)
{
    return lg_reach_along(t, border, lg_window_side_of(radius), zeros);
}

// Row y at column `inside`, zeros where the border is constant.
static inline const void *lg_reach_row(const lg_reach *r, int64_t y)
{
    const int64_t row = lg_border_index(y, r->in->height, r->border);
    if (row < 0)
        return r->zeros;
    return r->in->data + (size_t)row * r->in->row_stride +
           (size_t)r->inside * lg_type_size(r->in->type) * (size_t)r->in->channels;
}

static inline __attribute__((always_inline)) void
lg_reach_fill_pixels(const lg_reach *r, char *line, const size_t bytes)
{
    for (int64_t x = r->first; x < r->end; x++) {
        if (x == r->inside)
            x = r->inside_end;
        if (x >= r->end)
            return;
        const int64_t from = lg_border_index(x, r->in->width, r->border);
        memcpy(line + (size_t)(x - r->first) * bytes, line + (size_t)(from - r->first) * bytes,
               bytes);
    }
}

// Fills the columns outside the image of a line of pixels with `bytes` each, column `first` first, from
// those inside; with a constant border it leaves them as they are. What stands outside is a column
// that the strip reaches: with LG_BORDER_WRAP a strip is a whole row.
static inline void lg_reach_fill(const lg_reach *r, void *line, size_t bytes)
{
    if (r->border == LG_BORDER_CONSTANT)
        return;
    switch (bytes) {
    case 2:
        lg_reach_fill_pixels(r, line, 2);
        break;
    case 4:
        lg_reach_fill_pixels(r, line, 4);
        break;
    case 8:
        lg_reach_fill_pixels(r, line, 8);
        break;
    default:
        lg_reach_fill_pixels(r, line, bytes);
    }
}

#endif
