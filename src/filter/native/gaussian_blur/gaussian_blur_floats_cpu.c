// Weighted sums of floats: from the ends of the window to its centre, two samples a weight.
#include "filter/native/gaussian_blur/gaussian_blur.h"

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

// The rows of a window: row k is at data + ((first + k) % size) * stride.
typedef struct rows {
    const float *data;
    size_t stride, first, size;
} rows;

INLINE const float *row(const rows *r, size_t k)
{
    const size_t at = r->first + k;
    return r->data + (at < r->size ? at : at - r->size) * r->stride;
}

INLINE vector load(const float *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

// `vectors` vectors from sample `at` on.
INLINE void sum_vectors(const lg_gaussian *g, const rows *r, int64_t at, const int vectors,
                        float *out)
{
    const size_t radius = (size_t)g->radius;
    vector sum[4];
    for (size_t k = 0; k < radius; k++) {
        const float *a = row(r, k) + at, *b = row(r, 2 * radius - k) + at;
        const float w = g->floats[radius - k];
        for (int v = 0; v < vectors; v++) {
            const vector product = (load(a + v * LANES) + load(b + v * LANES)) * w;
            sum[v] = k ? sum[v] + product : product;
        }
    }
    const float *centre = row(r, radius) + at;
    for (int v = 0; v < vectors; v++) {
        const vector product = load(centre + v * LANES) * g->floats[0];
        sum[v] = radius ? sum[v] + product : product;
        memcpy(out + at + v * LANES, &sum[v], sizeof sum[v]);
    }
}

static void sum_one(const lg_gaussian *g, const rows *r, int64_t at, float *out)
{
    const size_t radius = (size_t)g->radius;
    float sum = 0;
    for (size_t k = 0; k < radius; k++) {
        const float product = (row(r, k)[at] + row(r, 2 * radius - k)[at]) * g->floats[radius - k];
        sum = k ? sum + product : product;
    }
    const float product = row(r, radius)[at] * g->floats[0];
    out[at] = radius ? sum + product : product;
}

static void sum_rows(const lg_gaussian *g, const rows *r, int64_t count, float *out)
{
    int64_t at = 0;
    for (; at + 4 * LANES <= count; at += 4 * LANES)
        sum_vectors(g, r, at, 4, out);
    for (; at + LANES <= count; at += LANES)
        sum_vectors(g, r, at, 1, out);
    for (; at < count; at++)
        sum_one(g, r, at, out);
}

static void push(const void *filter, float *state, size_t pitch, int64_t index,
                 const float *samples, int count, float *out)
{
    const lg_gaussian *g = filter;
    const size_t size = 2 * (size_t)g->radius + 1;
    memcpy(state + (size_t)index % size * pitch, samples, (size_t)count * sizeof *samples);
    const rows r = {state, pitch, (size_t)(index + 1) % size, size};
    if (out)
        sum_rows(g, &r, count, out);
}

static void line(const void *filter, const float *samples, int step, int64_t count, float *spare,
                 float *out)
{
    const lg_gaussian *g = filter;
    const rows r = {samples, (size_t)step, 0, 2 * (size_t)g->radius + 1};
    sum_rows(g, &r, count, out);
}

extern const lg_separable_kernels LG_CPU_TABLE(gaussian_floats);
const lg_separable_kernels LG_CPU_TABLE(gaussian_floats) = {push, line};
