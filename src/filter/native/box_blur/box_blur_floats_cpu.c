// Sums of floats by doubling: pairs, pairs of pairs, and so on; a window is put together from one such
// sum for each bit of its size. docs/definitions.md has the order.
#include "filter/native/box_blur/box_blur.h"

#include <string.h>

// row[i] = a[i] + b[i]
static void add_rows(float *restrict row, const float *a, const float *b, int count)
{
    for (int i = 0; i < count; i++)
        row[i] = a[i] + b[i];
}

static void add_to(float *restrict row, const float *restrict a, int count)
{
    for (int i = 0; i < count; i++)
        row[i] += a[i];
}

static void scale_row(float *restrict row, float scale, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        row[i] *= scale;
}

// Level k keeps its last 2^k + 1 rows, each the sum of 2^k rows that ends there.
static void feed_row(const void *filter, float *state, size_t pitch, int64_t index,
                     const float *row, int count, float *out)
{
    const lg_box_sums *f = &((const lg_box_floats *)filter)->down;
    float *ring[LG_BOX_LEVELS];
    size_t rows[LG_BOX_LEVELS];
    for (int k = 0; k <= f->levels; k++) {
        ring[k] = k ? ring[k - 1] + rows[k - 1] * pitch : state;
        rows[k] = ((size_t)1 << k) + 1;
    }
#define ROW(k, y) (ring[k] + (size_t)(y) % rows[k] * pitch)
    memcpy(ROW(0, index), row, (size_t)count * sizeof *row);
    for (int k = 0; k < f->levels; k++) // the row 2^k earlier is in the place after this one's
        add_rows(ROW(k + 1, index), ROW(k, index), ROW(k, index + 1), count);
    if (!out)
        return;
    // The sum of level k ends size mod 2^k rows before the window does.
    const float *only = NULL;
    bool begun = false;
    for (int k = 0; k <= f->levels; k++) {
        const int below = f->size & ((1 << k) - 1);
        if (!(f->size >> k & 1))
            continue;
        const float *sum = ROW(k, index - below);
        if (begun)
            add_to(out, sum, count);
        else if (only)
            add_rows(out, only, sum, count);
        begun = only;
        only = sum;
    }
    if (!begun)
        memcpy(out, only, (size_t)count * sizeof *row);
#undef ROW
}

#define BLOCK 1024 // floats: a block and its doubled sums stay in the first-level cache

// The sums of the windows that begin at row[0 .. count - 1]; doubled sums alternate between two
// rows of `spare`.
static void sum_block(const lg_box_sums *f, float scale, const float *restrict row, int step,
                      int64_t count, float *restrict spare, float *restrict out)
{
    const int64_t reach = (int64_t)(f->size - 1) * step;
    const float *sums = row;
    bool begun = f->size & 1;
    if (begun)
        memcpy(out, row + reach, (size_t)count * sizeof *out);
    for (int k = 0; k < f->levels; k++) {
        const int64_t shift = (int64_t)step << k;
        const int64_t length = count + reach + step - 2 * shift; // sums that lie inside the block
        float *next = spare + (k & 1) * (count + reach);
        for (int64_t i = 0; i < length; i++)
            next[i] = sums[i] + sums[i + shift];
        sums = next;
        if (!(f->size >> (k + 1) & 1))
            continue;
        const float *part = sums + (int64_t)(f->size & -(4 << k)) * step;
        if (begun)
            add_to(out, part, (int)count);
        else
            memcpy(out, part, (size_t)count * sizeof *out);
        begun = true;
    }
    scale_row(out, scale, count);
}

static void line(const void *filter, const float *row, int step, int64_t count, float *spare,
                 float *out)
{
    const lg_box_floats *all = filter;
    const lg_box_sums *f = &all->along;
    const int64_t block = LG_MAX(BLOCK, 2 * (int64_t)(f->size - 1) * step);
    for (int64_t at = 0; at < count; at += block)
        sum_block(f, all->scale, row + at, step, LG_MIN(block, count - at), spare, out + at);
}

extern const lg_separable_kernels LG_CPU_TABLE(box_floats);
const lg_separable_kernels LG_CPU_TABLE(box_floats) = {feed_row, line};
