// Rows of all other images: f32 with a fixed order of operations, for one CPU level.
#include "filter/native/canny_edge_detection/canny_rows.h"

extern const lg_separable_kernels LG_CPU_TABLE(gaussian_floats);

static void plain(const void *luma, void *to, int32_t count)
{
    memcpy(to, luma, (size_t)count * sizeof(float));
}

static void feed(const lg_gaussian *g, void *state, size_t pitch, int64_t index, const void *luma,
                 int32_t count, void *out)
{
    LG_CPU_TABLE(gaussian_floats).feed_row(g, state, pitch, index, luma, count, out);
}

static void line(const lg_gaussian *g, const void *line_, int32_t count, void *spare, void *to)
{
    LG_CPU_TABLE(gaussian_floats).line(g, line_, 1, count, spare, to);
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

static inline int32_t direction_of(float gx, float gy)
{
    const float ax = fabsf(gx), ay = fabsf(gy);
    const int32_t diagonal = (gx < 0) == (gy < 0) ? LG_CANNY_FALLING : LG_CANNY_RISING;
    const int32_t code = ax > LG_CANNY_REAL_TANGENT * ay ? diagonal : LG_CANNY_DOWN;
    return ay > LG_CANNY_REAL_TANGENT * ax ? code : LG_CANNY_ACROSS;
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
            to[x + i] = gx * gx + gy * gy;
            codes[i] = direction_of(gx, gy);
        }
        for (int32_t i = 0; i < n; i++) {
            direction[x + i] = (uint8_t)codes[i];
            above[i] = to[x + i] > job->real_low;
        }
        candidate[x / 64] = lg_canny_pack(above, n);
    }
}

static void gradient_apart(const lg_canny_job *job, const float *const (*lines)[3], void *spare0,
                           void *spare1, int32_t count, void *magnitude, uint8_t *direction,
                           uint64_t *candidate)
{
    float *restrict across = spare0, *restrict down = spare1, *restrict to = magnitude;
    uint8_t above[64] = {0};
    for (int32_t x = -1; x <= count; x++) {
        float smooth[3], step[3];
        for (int side = 0; side < 3; side++) {
            const float a = lines[0][side][x], b = lines[1][side][x], c = lines[2][side][x];
            smooth[side] = (a + c) + 2 * b;
            step[side] = c - a;
        }
        across[x] = smooth[2] - smooth[0];
        down[x] = (step[0] + step[2]) + 2 * step[1];
        to[x] = across[x] * across[x] + down[x] * down[x];
    }
    for (int32_t x = 0; x < count; x += 64) {
        const int32_t n = LG_MIN(64, count - x);
        for (int32_t i = 0; i < n; i++) {
            direction[x + i] = (uint8_t)direction_of(across[x + i], down[x + i]);
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

const lg_canny_rows LG_CPU_TABLE(canny_real) = {plain,          feed, line,        gradient,
                                                gradient_apart, thin, magnitude_at};
