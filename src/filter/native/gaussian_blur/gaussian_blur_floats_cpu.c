// Weighted sums of floats: from the ends of the window to its centre, two samples a weight.
#include "filter/native/gaussian_blur/gaussian_blur_columns.h"

#include <string.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
#define LANES  (BYTES / 4)
#define INLINE static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(BYTES)));

LG_GAUSSIAN_COLUMNS(columns, float)

INLINE vector load(const float *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

// `vectors` vectors of results from sample `at` on.
INLINE void weigh_vectors(const lg_gaussian *g, const float *const *rows, int64_t at,
                          const int vectors, float *out)
{
    vector sum[4] = {{0}};
    for (int k = 0; k < g->taps; k++) {
        const float *a = rows[k] + at, *b = rows[2 * g->taps - k] + at;
        const float w = g->floats[g->taps - k];
        for (int v = 0; v < vectors; v++) {
            const vector product = (load(a + v * LANES) + load(b + v * LANES)) * w;
            sum[v] = k ? sum[v] + product : product;
        }
    }
    const float *centre = rows[g->taps] + at;
    for (int v = 0; v < vectors; v++) {
        const vector product = load(centre + v * LANES) * g->floats[0];
        sum[v] = g->taps ? sum[v] + product : product;
        memcpy(out + at + v * LANES, &sum[v], sizeof sum[v]);
    }
}

static void weigh_one(const lg_gaussian *g, const float *const *rows, int64_t at, float *out)
{
    float sum = 0;
    for (int k = 0; k < g->taps; k++) {
        const float product = (rows[k][at] + rows[2 * g->taps - k][at]) * g->floats[g->taps - k];
        sum = k ? sum + product : product;
    }
    const float product = rows[g->taps][at] * g->floats[0];
    out[at] = g->taps ? sum + product : product;
}

static void weigh(const lg_gaussian *g, const float *const *rows, int64_t count, float *out)
{
    int64_t at = 0;
    for (; at + 4 * LANES <= count; at += 4 * LANES)
        weigh_vectors(g, rows, at, 4, out);
    for (; at + LANES <= count; at += LANES)
        weigh_vectors(g, rows, at, 1, out);
    for (; at < count; at++)
        weigh_one(g, rows, at, out);
}

static void feed_row(const void *filter, float *state, size_t pitch, int64_t index,
                     const float *samples, int count, float *out)
{
    const lg_gaussian *g = filter;
    const float *rows[2 * LG_GAUSSIAN_TAPS + 1];
    memcpy(columns_place(g, state, pitch, index), samples, (size_t)count * sizeof *samples);
    if (columns_advance(g, state, pitch, index, rows) && out)
        weigh(g, rows, count, out);
}

static void line(const void *filter, const float *samples, int step, int64_t count, float *spare,
                 float *out)
{
    const lg_gaussian *g = filter;
    const float *rows[2 * LG_GAUSSIAN_TAPS + 1];
    for (int k = 0; k <= 2 * g->taps; k++)
        rows[k] = samples + (int64_t)k * step;
    weigh(g, rows, count, out);
}

extern const lg_gaussian_weigh_table LG_CPU_TABLE(gaussian_weigh);
const lg_gaussian_weigh_table LG_CPU_TABLE(gaussian_weigh) = {weigh};

extern const lg_separable_kernels LG_CPU_TABLE(gaussian_floats);
const lg_separable_kernels LG_CPU_TABLE(gaussian_floats) = {feed_row, line};
