// Running sums of columns of integer samples: for files that are compiled once per CPU level.
#ifndef LG_BOX_BLUR_COLUMNS_H
#define LG_BOX_BLUR_COLUMNS_H

#include "filter/native/box_blur/box_blur.h"
#include "filter/native/reach.h"

// sum_NAME(r, down, v, y): v = sums of the columns over the rows around y, column r->first first.
#define LG_BOX_COLUMNS(name, sample, sum)                                                          \
    static void add_##name(sum *restrict v, const sample *restrict row, size_t n, int64_t times)   \
    {                                                                                              \
        const sum factor = (sum)times;                                                             \
        for (size_t k = 0; k < n; k++)                                                             \
            v[k] = (sum)(v[k] + (sum)(factor * row[k]));                                           \
    }                                                                                              \
    static void sum_##name(const lg_reach *r, lg_window_side down, sum *v, int64_t y)              \
    {                                                                                              \
        const size_t channels = (size_t)r->in->channels;                                           \
        const size_t n = (size_t)(r->inside_end - r->inside) * channels;                           \
        sum *to = v + (size_t)(r->inside - r->first) * channels;                                   \
        memset(v, 0, (size_t)(r->end - r->first) * channels * sizeof *v);                          \
        const int64_t height = r->in->height, last = y + down.after;                               \
        int64_t first = y - down.before;                                                           \
        if (r->border == LG_BORDER_MIRROR || r->border == LG_BORDER_WRAP) {                        \
            const int64_t period = r->border == LG_BORDER_MIRROR ? 2 * height : height;            \
            const int64_t times = (last - first + 1) / period;                                     \
            for (int64_t i = 0; times && i < period; i++)                                          \
                add_##name(to, lg_reach_row(r, i), n, times);                                      \
            first += times * period;                                                               \
        } else if (r->border == LG_BORDER_REPLICATE) {                                             \
            add_##name(to, lg_reach_row(r, 0), n, LG_MAX(LG_MIN(-first, last - first + 1), 0));    \
            add_##name(to, lg_reach_row(r, height - 1), n,                                         \
                       LG_MAX(LG_MIN(last - height + 1, last - first + 1), 0));                    \
        }                                                                                          \
        const bool clipped = r->border == LG_BORDER_REPLICATE || r->border == LG_BORDER_CONSTANT;  \
        const int64_t from = clipped ? LG_MAX(first, 0) : first;                                   \
        const int64_t to_row = clipped ? LG_MIN(last, height - 1) : last;                          \
        for (int64_t i = from; i <= to_row; i++)                                                   \
            add_##name(to, lg_reach_row(r, i), n, 1);                                              \
    }

#endif
