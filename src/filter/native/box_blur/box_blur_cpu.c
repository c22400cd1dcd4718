// Running sums of bytes and 16-bit samples for every window: columns in 32 bits, windows in 64.
#include "filter/alpha.h"
#include "filter/native/box_blur/box_blur_columns.h"
#include "filter/native/planes.h"

#define LEAD 4 // sums before the first column, which stay 0

// A sum below 2^52 as a double, in the compiler's vectors: the bits of 2^52 + sum.
static inline double to_double(uint64_t sum)
{
    const uint64_t bits = sum | 0x4330000000000000u;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value - 0x1p52;
}

#define INTEGERS(name, sample)                                                                     \
    LG_BOX_COLUMNS(name, sample, uint32_t)                                                         \
                                                                                                   \
    static void next_##name(const lg_reach *r, lg_window_side down, uint32_t *v, int64_t y)        \
    {                                                                                              \
        const size_t channels = (size_t)r->in->channels;                                           \
        const size_t n = (size_t)(r->inside_end - r->inside) * channels;                           \
        uint32_t *restrict to = v + (size_t)(r->inside - r->first) * channels;                     \
        const sample *restrict drop = lg_reach_row(r, y - down.before - 1);                        \
        const sample *restrict add = lg_reach_row(r, y + down.after);                              \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] += (uint32_t)add[i] - (uint32_t)drop[i];                                         \
        lg_reach_fill(r, v, channels * sizeof *v);                                                 \
    }                                                                                              \
                                                                                                   \
    static void put_##name(const lg_box_job *job, const lg_pixel_tile *t, int32_t x, int32_t y,    \
                           int count, const uint64_t *restrict sums)                               \
    {                                                                                              \
        const lg_pixels *out = &t->out;                                                            \
        const int n = count * out->channels;                                                       \
        const int64_t size = (int64_t)lg_window_size(job->down) * lg_window_size(job->along);      \
        /* Nothing is nearer to a whole number than 1/2 of a part, whatever is rounded. */         \
        const double half = (double)(size / 2) + 0.5, inverse = 1 / (double)size;                  \
        sample *restrict to = (sample *)(out->data + (size_t)y * out->row_stride) +                \
                              (size_t)x * (size_t)out->channels;                                   \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = (sample)(int32_t)((to_double(sums[i]) + half) * inverse);                      \
        if (out->alpha == LG_ALPHA_OPAQUE && out->channels > 1)                                    \
            lg_set_alpha(out->type, out->channels, NULL, (size_t)count, (char *)to);               \
    }                                                                                              \
                                                                                                   \
    static void run_##name(const lg_box_job *job, const lg_pixel_tile *t, char *scratch)           \
    {                                                                                              \
        const size_t sums =                                                                        \
            (size_t)(t->x_end - t->x + lg_window_size(job->along) - 1) * (size_t)t->in.channels;   \
        uint32_t *const v = (uint32_t *)scratch + LEAD;                                            \
        char *zeros = (char *)(v + sums);                                                          \
        memset(scratch, 0, (LEAD + sums) * sizeof *v + sums * sizeof(sample));                     \
        const lg_reach reach = lg_reach_along(t, job->border, job->along, zeros);                  \
        sum_##name(&reach, job->down, v, (int64_t)t->y - 1);                                       \
        for (int32_t y = t->y; y < t->y_end; y++) {                                                \
            next_##name(&reach, job->down, v, y);                                                  \
            run_row(job, t, v, y, job->rounded ? put_##name : put_float);                          \
        }                                                                                          \
    }

typedef void (*put_fn)(const lg_box_job *, const lg_pixel_tile *, int32_t, int32_t, int,
                       const uint64_t *);

static void put_float(const lg_box_job *job, const lg_pixel_tile *t, int32_t x, int32_t y,
                      int count, const uint64_t *sums)
{
    float values[4 * LG_SPAN];
    for (int i = 0; i < count * t->in.channels; i++)
        values[i] = (float)to_double(sums[i]) * job->scale;
    lg_samples_store(lg_stage_get(LG_CPU_LEVEL_ID), &t->in, &t->out, x, y, count, values);
}

static inline __attribute__((always_inline)) void windows(const uint32_t *v, size_t back, int count,
                                                          const int channels, uint64_t sum[4],
                                                          uint64_t *to)
{
    for (int i = 0; i < count; i++)
        for (int c = 0; c < channels; c++) {
            sum[c] += v[i * channels + c];
            sum[c] -= (v - back)[i * channels + c];
            to[i * channels + c] = sum[c];
        }
}

static void run_row(const lg_box_job *job, const lg_pixel_tile *t, const uint32_t *v, int32_t y,
                    put_fn put)
{
    const int channels = t->in.channels, size = lg_window_size(job->along);
    const size_t back = (size_t)(size * channels);
    uint64_t sum[4] = {0}, sums[4 * LG_SPAN];
    for (int i = 0; i < size - 1; i++)
        for (int c = 0; c < channels; c++)
            sum[c] += v[i * channels + c];
    v += back - (size_t)channels;
    for (int32_t at = t->x; at < t->x_end; at += LG_SPAN) {
        const int count = LG_MIN(t->x_end - at, LG_SPAN);
        if (channels == 1)
            windows(v, back, count, 1, sum, sums);
        else if (channels == 2)
            windows(v, back, count, 2, sum, sums);
        else
            windows(v, back, count, 4, sum, sums);
        put(job, t, at, y, count, sums);
        v += count * channels;
    }
}

INTEGERS(u8, uint8_t)
INTEGERS(u16, uint16_t)

static void integers(const void *job, const lg_pixel_tile *tile, char *scratch)
{
    (tile->in.type == LG_U8 ? run_u8 : run_u16)(job, tile, scratch);
}

extern const lg_box_run_fn LG_CPU_TABLE(box_integers);
const lg_box_run_fn LG_CPU_TABLE(box_integers) = integers;
