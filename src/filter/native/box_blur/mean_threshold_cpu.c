// Rows of thresholds by a mean, for one CPU level.
#include "cpu/cpu.h"
#include "filter/native/box_blur/mean_threshold.h"
#include "kernel/pixel_rule.h"
#include "measure/areasum/areasum_lines.h"

#include <string.h>

static const uint8_t *row_at(const lg_pixels *in, int64_t y)
{
    return (const uint8_t *)in->data +
           (size_t)LG_MIN(LG_MAX(y, 0), (int64_t)in->height - 1) * in->row_stride;
}

// ---- in floats ------------------------------------------------------------------------------------

// Adds `size` rows of `width` floats in the order of box_blur: sums of a power of two of them by doubling,
// then these, from the last rows and the smallest power on. Returns where the sum is.
static float *sum_rows(float *v, size_t pitch, size_t width, int size)
{
    float *sum = NULL;
    for (int power = 1, end = size; power <= size; power *= 2) {
        if (!(size & power))
            continue;
        end -= power;
        for (int step = 1; step < power; step *= 2)
            for (int j = end; j < end + power; j += 2 * step) {
                float *restrict to = v + (size_t)j * pitch;
                const float *restrict from = to + (size_t)step * pitch;
                for (size_t i = 0; i < width; i++)
                    to[i] = to[i] + from[i];
            }
        float *part = v + (size_t)end * pitch;
        for (size_t i = 0; sum && i < width; i++)
            part[i] = sum[i] + part[i];
        sum = part;
    }
    return sum;
}

// The result of one pixel as it is defined; `window` has room for the floats of one.
static uint8_t defined(const lg_mean_threshold *job, int64_t x, int64_t y, float *window)
{
    const int radius = job->radius, size = 2 * radius + 1;
    for (int j = 0; j < size; j++) {
        const uint8_t *row = row_at(&job->in, y - radius + j);
        for (int i = 0; i < size; i++) {
            const int64_t at = LG_MIN(LG_MAX(x - radius + i, 0), (int64_t)job->in.width - 1);
            window[j * size + i] = (float)row[at] * LG_UNIT_U8;
        }
    }
    float *columns = sum_rows(window, (size_t)size, (size_t)size, size);
    const float mean = sum_rows(columns, 1, 1, size)[0] * job->scale;
    const float level = mean - job->offset, own = (float)row_at(&job->in, y)[x] * LG_UNIT_U8;
    return own >= level ? 255 : 0;
}

// ---- in integers ----------------------------------------------------------------------------------

static void add_row(uint32_t *restrict sums, const uint8_t *restrict in, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        sums[i] += in[i];
}

static void move_rows(uint32_t *restrict sums, const uint8_t *restrict in,
                      const uint8_t *restrict out, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        sums[i] += (uint32_t)in[i] - (uint32_t)out[i];
}

// Results of `count` pixels from the sums before and behind their windows. Returns whether one needs floats.
static bool compare(const lg_mean_threshold *job, const uint8_t *restrict own,
                    const uint32_t *restrict before, int32_t count, uint8_t *restrict to)
{
    const int32_t size = 2 * job->radius + 1, n = size * size, low = job->low, high = job->high;
    const uint32_t *restrict behind = before + size;
    const uint32_t unsure = (uint32_t)(high - low);
    uint32_t open = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t v = n * (int32_t)own[i] - (int32_t)(behind[i] - before[i]);
        to[i] = v >= high ? 255 : 0;
        open |= (uint32_t)(v - low) < unsure ? 1 : 0;
    }
    return open != 0;
}

// The same, and floats where they are needed.
static void span_of_row(lg_mean_threshold *job, int32_t x, int64_t y, const uint32_t *sums,
                        int32_t count, float *window)
{
    const uint8_t *own = row_at(&job->in, y) + x;
    uint8_t *to = (uint8_t *)job->out.data + (size_t)y * job->out.row_stride + x;
    const int32_t size = 2 * job->radius + 1, n = size * size;
    int64_t open = 0;
    if (!compare(job, own, sums + x, count, to))
        return;
    for (int32_t i = 0; i < count; i++) {
        const int32_t v = n * (int32_t)own[i] - (int32_t)(sums[x + i + size] - sums[x + i]);
        if (v < job->low || v >= job->high)
            continue;
        to[i] = defined(job, x + i, y, window);
        open++;
    }
    atomic_fetch_add(&job->open, open);
}

extern const lg_area_lines_table LG_CPU_TABLE(areasum_lines);

static void rows(lg_mean_threshold *job, int64_t y, int64_t y_end, char *scratch)
{
    const lg_pixels *in = &job->in;
    const int32_t radius = job->radius, width = in->width, wide = width + 2 * radius;
    uint32_t *columns = (uint32_t *)(void *)scratch;
    uint32_t *sums = columns + lg_align_up((size_t)wide + 17, 16);
    float *window = (float *)(void *)(sums + lg_align_up((size_t)wide + 17, 16));
    memset(columns, 0, (size_t)wide * sizeof *columns);
    for (int64_t k = y - radius; k <= y + radius; k++)
        add_row(columns + radius, row_at(in, k), width);
    for (int64_t first = y; y < y_end && atomic_load(&job->open) <= job->most; y++) {
        if (y > first)
            move_rows(columns + radius, row_at(in, y + radius), row_at(in, y - radius - 1), width);
        for (int32_t i = 0; i < radius; i++) {
            columns[i] = columns[radius];
            columns[radius + width + i] = columns[radius + width - 1];
        }
        sums[0] = 0;
        LG_CPU_TABLE(areasum_lines).prefix_u32(columns, (size_t)wide, 1, sums + 1);
        for (int32_t x = 0; x < width; x += LG_SPAN)
            span_of_row(job, x, y, sums, LG_MIN(LG_SPAN, width - x), window);
    }
}

extern const lg_mean_threshold_fn LG_CPU_TABLE(mean_threshold);
const lg_mean_threshold_fn LG_CPU_TABLE(mean_threshold) = rows;
