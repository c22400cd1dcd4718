// Running sums of columns of integer samples: for files that are compiled once per CPU level.
#ifndef LG_BOX_BLUR_COLUMNS_H
#define LG_BOX_BLUR_COLUMNS_H

#include "filter/native/box_blur/box_blur.h"

// A strip and what its windows reach: columns first .. end - 1, of which those of the image are
// inside .. inside_end - 1.
typedef struct lg_box_reach {
    const lg_box_job *job;
    int64_t first, end, inside, inside_end;
    const char *zeros; // a row of samples
} lg_box_reach;

static inline lg_box_reach lg_box_reach_of(const lg_box_job *job, int32_t x, int32_t x_end,
                                           const char *zeros)
{
    const int64_t first = (int64_t)x - job->radius, end = (int64_t)x_end + job->radius;
    return (lg_box_reach){job, first, end, LG_MAX(first, 0), LG_MIN(end, job->in.width), zeros};
}

// Row y at column `inside`.
static inline const void *lg_box_row(const lg_box_reach *r, int64_t y)
{
    const lg_pixels *in = &r->job->in;
    const int64_t row = lg_border_index(y, in->height, r->job->border);
    if (row < 0)
        return r->zeros;
    return in->data + (size_t)row * in->row_stride +
           (size_t)r->inside * lg_type_size(in->type) * (size_t)in->channels;
}

// sum_NAME(r, v, y): v = sums of the columns over the rows around y, column r->first first.
// fill_NAME(r, v): columns outside the image, once those inside are done. What stands there is a column
// that the strip reaches: with LG_BORDER_WRAP a strip is a whole row.
#define LG_BOX_COLUMNS(name, sample, sum)                                                          \
    static void add_##name(sum *restrict v, const sample *restrict row, size_t n, int64_t times)   \
    {                                                                                              \
        const sum factor = (sum)times;                                                             \
        for (size_t k = 0; k < n; k++)                                                             \
            v[k] = (sum)(v[k] + (sum)(factor * row[k]));                                           \
    }                                                                                              \
    static void sum_##name(const lg_box_reach *r, sum *v, int64_t y)                               \
    {                                                                                              \
        const size_t channels = (size_t)r->job->in.channels;                                       \
        const size_t n = (size_t)(r->inside_end - r->inside) * channels;                           \
        sum *to = v + (size_t)(r->inside - r->first) * channels;                                   \
        memset(v, 0, (size_t)(r->end - r->first) * channels * sizeof *v);                          \
        const int64_t height = r->job->in.height, last = y + r->job->radius;                       \
        int64_t first = y - r->job->radius;                                                        \
        if (r->job->border == LG_BORDER_MIRROR || r->job->border == LG_BORDER_WRAP) {              \
            const int64_t period = r->job->border == LG_BORDER_MIRROR ? 2 * height : height;       \
            const int64_t times = (last - first + 1) / period;                                     \
            for (int64_t i = 0; times && i < period; i++)                                          \
                add_##name(to, lg_box_row(r, i), n, times);                                        \
            first += times * period;                                                               \
        } else if (r->job->border == LG_BORDER_REPLICATE) {                                        \
            add_##name(to, lg_box_row(r, 0), n, LG_MAX(LG_MIN(-first, last - first + 1), 0));      \
            add_##name(to, lg_box_row(r, height - 1), n,                                           \
                       LG_MAX(LG_MIN(last - height + 1, last - first + 1), 0));                    \
        }                                                                                          \
        const bool clipped =                                                                       \
            r->job->border == LG_BORDER_REPLICATE || r->job->border == LG_BORDER_CONSTANT;         \
        const int64_t from = clipped ? LG_MAX(first, 0) : first;                                   \
        const int64_t to_row = clipped ? LG_MIN(last, height - 1) : last;                          \
        for (int64_t i = from; i <= to_row; i++)                                                   \
            add_##name(to, lg_box_row(r, i), n, 1);                                                \
    }                                                                                              \
    static void fill_##name(const lg_box_reach *r, sum *v)                                         \
    {                                                                                              \
        const size_t channels = (size_t)r->job->in.channels;                                       \
        for (int64_t x = r->first; x < r->end; x++) {                                              \
            if (x == r->inside)                                                                    \
                x = r->inside_end;                                                                 \
            const int64_t from = lg_border_index(x, r->job->in.width, r->job->border);             \
            if (x < r->end && from >= 0)                                                           \
                memcpy(v + (size_t)(x - r->first) * channels,                                      \
                       v + (size_t)(from - r->first) * channels, channels * sizeof *v);            \
        }                                                                                          \
    }

#endif
