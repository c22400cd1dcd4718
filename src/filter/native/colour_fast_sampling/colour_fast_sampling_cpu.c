// Descriptors for one CPU level: planes of the rows that a pixel's samples lie in.
#include "filter/native/colour_fast_sampling/colour_fast_sampling.h"

#include "filter/native/color_rows.h"
#include "kernel/color_math.h"

// The text that the device has behind the common texts.
#include "filter/native/colour_fast_sampling/colour_fast_sampling.glsl"

#define ROWS 8 // rows that are kept; a ring's lie in seven

typedef struct strip {
    int32_t count;
    size_t stride;     // floats of a plane
    float *rows[ROWS]; // four planes each
    float *out;
} strip;

static size_t lay_out(strip *s, const lg_color_fast_job *job, char *base)
{
    s->stride = lg_align_up((size_t)job->strip + 2 * LG_COLOUR_FAST_REACH, 16);
    const size_t row = 4 * s->stride;
    for (size_t i = 0; i < ROWS && base; i++)
        s->rows[i] = (float *)base + i * row;
    s->out = base ? (float *)base + ROWS * row : NULL;
    return (ROWS + 1) * row * sizeof(float);
}

// The samples of pixel i; `rows` are those of -3 .. 3 with their first column LG_COLOUR_FAST_REACH
// before the first pixel.
static void descriptors(const strip *s, const float *const *rows)
{
    const size_t stride = s->stride;
#define SAMPLE(x, y)                                                                               \
    rgba(rows[3 + (y)][i + 3 + (x)], rows[3 + (y)][stride + i + 3 + (x)],                          \
         rows[3 + (y)][2 * stride + i + 3 + (x)], 0)
    float *restrict r = s->out, *restrict g = r + stride, *restrict b = g + stride;
    float *restrict a = b + stride;
    for (size_t i = 0; i < (size_t)s->count; i++) {
        const color_fast_ring ring = {SAMPLE(3, 1),   SAMPLE(1, 3),   SAMPLE(-1, 3), SAMPLE(-3, 1),
                                      SAMPLE(-3, -1), SAMPLE(-1, -3), SAMPLE(1, -3), SAMPLE(3, -1)};
        const color y = lg_color_fast(ring, SAMPLE(0, 0));
        r[i] = y.r, g[i] = y.g, b[i] = y.b, a[i] = y.a;
    }
#undef SAMPLE
}

static void run(const void *job_pointer, const lg_pixel_tile *t, char *scratch)
{
    const lg_color_fast_job *job = job_pointer;
    strip s = {.count = t->x_end - t->x};
    lay_out(&s, job, scratch);
    int32_t loaded = t->y - LG_COLOUR_FAST_REACH;
    for (int32_t y = t->y; y < t->y_end; y++) {
        for (; loaded <= y + LG_COLOUR_FAST_REACH; loaded++) {
            float *row = s.rows[loaded & (ROWS - 1)];
            float *const planes[4] = {row, row + s.stride, row + 2 * s.stride, row + 3 * s.stride};
            lg_color_row(job->stage, &t->in, job->border, (int64_t)t->x - LG_COLOUR_FAST_REACH,
                         (int64_t)t->x_end + LG_COLOUR_FAST_REACH, loaded, planes);
        }
        const float *rows[7];
        for (int k = 0; k < 7; k++)
            rows[k] = s.rows[(y - 3 + k) & (ROWS - 1)];
        descriptors(&s, rows);
        for (int32_t x = 0; x < s.count; x += LG_SPAN) {
            float *at = s.out + x;
            float *const planes[4] = {at, at + s.stride, at + 2 * s.stride, at + 3 * s.stride};
            job->stage->store(&t->out, t->x + x, y, LG_MIN(LG_SPAN, s.count - x), planes);
        }
    }
}

static size_t scratch_size(const lg_color_fast_job *job)
{
    strip s;
    return lay_out(&s, job, NULL);
}

extern const lg_color_fast_table LG_CPU_TABLE(colour_fast_sampling);
const lg_color_fast_table LG_CPU_TABLE(colour_fast_sampling) = {run, scratch_size};
