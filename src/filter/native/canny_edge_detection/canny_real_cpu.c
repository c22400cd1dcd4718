// Rows of all other images: f32 with a fixed order of operations, for one CPU level.
#include "filter/native/canny_edge_detection/canny_rows.h"

#define SPAN 256 // pixels whose sums stay in the first cache

static void plain(const void *luma, void *to, int32_t first, int32_t end)
{
    memcpy((float *)to + first, (const float *)luma + first, (size_t)(end - first) * sizeof(float));
}

// sums = weights[0] centre, then + weights[k] (before + after) for k = 1, 2 ...
static void begin(float weight, const float *restrict centre, float *restrict sums, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        sums[i] = weight * centre[i];
}

static void add(float weight, const float *before, const float *after, float *restrict sums,
                int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        sums[i] = sums[i] + weight * (before[i] + after[i]);
}

static void along(const lg_canny_job *job, const void *luma, void *to, int32_t first, int32_t end)
{
    for (int32_t x = first; x < end; x += SPAN) {
        const int32_t count = LG_MIN(SPAN, end - x);
        const float *at = (const float *)luma + x;
        float *sums = (float *)to + x;
        begin(job->real_weights[0], at, sums, count);
        for (int k = 1; k <= job->radius; k++)
            add(job->real_weights[k], at - k, at + k, sums, count);
    }
}

static void down(const lg_canny_job *job, const void *const *rows, void *to, int32_t first,
                 int32_t end)
{
    const int r = job->radius;
    const float *const *centre = (const float *const *)rows + r;
    for (int32_t x = first; x < end; x += SPAN) {
        const int32_t count = LG_MIN(SPAN, end - x);
        float *sums = (float *)to + x;
        begin(job->real_weights[0], centre[0] + x, sums, count);
        for (int k = 1; k <= r; k++)
            add(job->real_weights[k], centre[-k] + x, centre[k] + x, sums, count);
    }
}

// Down the columns, for a Sobel: smoothed, and the difference; two more columns on either side.
static void columns(const void *const *rows, int32_t count, float *restrict smooth,
                    float *restrict step)
{
    const float *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];
    for (int32_t x = -2; x < count + 2; x++) {
        smooth[x] = (a[x] + c[x]) + 2 * b[x];
        step[x] = c[x] - a[x];
    }
}

static void gradient(const lg_canny_job *job, const void *const *rows, void *spare0, void *spare1,
                     int32_t count, void *magnitude, uint8_t *direction, uint64_t *candidate)
{
    const float *restrict smooth = spare0, *restrict step = spare1;
    float *restrict to = magnitude;
    uint8_t above[64] = {0};
    int32_t codes[64];
    columns(rows, count, spare0, spare1);
    for (int32_t x = -1; x <= count; x += count + 1) {
        const float gx = smooth[x + 1] - smooth[x - 1];
        const float gy = (step[x - 1] + step[x + 1]) + 2 * step[x];
        to[x] = gx * gx + gy * gy;
    }
    for (int32_t x = 0; x < count; x += 64) {
        const int32_t n = LG_MIN(64, count - x);
        const float *restrict s = smooth + x, *restrict d = step + x;
        for (int32_t i = 0; i < n; i++) {
            const float gx = s[i + 1] - s[i - 1];
            const float gy = (d[i - 1] + d[i + 1]) + 2 * d[i];
            const float ax = fabsf(gx), ay = fabsf(gy);
            const int32_t diagonal = (gx < 0) == (gy < 0) ? LG_CANNY_FALLING : LG_CANNY_RISING;
            const int32_t code = ax > LG_CANNY_REAL_TANGENT * ay ? diagonal : LG_CANNY_DOWN;
            to[x + i] = gx * gx + gy * gy;
            codes[i] = ay > LG_CANNY_REAL_TANGENT * ax ? code : LG_CANNY_ACROSS;
        }
        for (int32_t i = 0; i < n; i++) {
            direction[x + i] = (uint8_t)codes[i];
            above[i] = to[x + i] > job->real_low;
        }
        candidate[x / 64] = lg_canny_pack(above, n);
    }
}

LG_CANNY_THIN(thin_word, float)

static void thin(const lg_canny_job *job, const void *const *magnitudes, int32_t count,
                 const uint8_t *direction, const uint64_t *candidate, uint64_t *weak,
                 uint64_t *strong)
{
    for (int32_t x = 0; x < count; x += 64)
        thin_word((const float *const *)magnitudes, direction, candidate[x / 64], x, job->real_high,
                  &weak[x / 64], &strong[x / 64]);
}

static float magnitude_at(const void *magnitudes, int32_t x)
{
    return lg_sqrt(((const float *)magnitudes)[x]);
}

const lg_canny_rows LG_CPU_TABLE(canny_real) = {plain, along, down, gradient, thin, magnitude_at};
