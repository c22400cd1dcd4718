// Images of other sizes in floats, for one CPU level. Rows are planes; a pass along rows takes a block of
// them at once, whose samples at one column are the lanes of a vector.
#include "cpu/cpu.h"
#include "filter/native/geometry/resize.h"
#include "filter/native/geometry/resize_light.h"
#include "filter/native/planes.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define LANES  LG_RESIZE_LANES
#define CHUNK  LG_RESIZE_CHUNK

// A strip of columns of one tile, and where a worker keeps what it has made of it.
typedef struct strip {
    const lg_resize_job *job;
    const lg_pixel_tile *t;
    int32_t first, end;   // columns of the input
    size_t row;           // floats of a plane of a row
    float *ring;          // job->ring rows
    int32_t have;         // rows of the input before this one are in it
    float *mixed, *other; // a row
    float *lanes, *made;  // of a block of rows: the input, and CHUNK columns of the output
} strip;

static float *ring_row(const strip *s, int32_t y)
{
    return s->ring + (size_t)(y % s->job->ring) * (size_t)s->job->planes * s->row;
}

// ---- rows of images -----------------------------------------------------------------------------

static void to_linear(float *restrict v, int count)
{
    for (int i = 0; i < count; i++)
        v[i] = lg_linear(v[i]);
}

static void to_encoded(float *restrict v, int count)
{
    for (int i = 0; i < count; i++)
        v[i] = lg_resize_encoded(v[i]);
}

static void multiply(float *restrict v, const float *restrict by, int count)
{
    for (int i = 0; i < count; i++)
        v[i] = v[i] * by[i];
}

// Columns of row y of the input as planes that may be mixed.
static void load_row(const strip *s, int32_t y, float *to)
{
    const lg_pixels *in = &s->t->in;
    const bool alpha = lg_pixels_have_alpha(in);
    const int planes = s->job->planes, colors = alpha ? planes - 1 : planes;
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const all[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    for (int32_t x = s->first; x < s->end; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, s->end - x);
        s->job->stage->load(in, x, y, count, all);
        for (int k = 0; k < colors; k++) {
            if (s->job->r->linear && k < 3)
                to_linear(rgb_a[k], count);
            if (alpha)
                multiply(rgb_a[k], rgb_a[3], count);
            memcpy(to + (size_t)k * s->row + (x - s->first), rgb_a[k], (size_t)count * sizeof *to);
        }
        if (alpha)
            memcpy(to + (size_t)colors * s->row + (x - s->first), rgb_a[3],
                   (size_t)count * sizeof *to);
    }
}

static void make_straight(float *const c[4], int count)
{
    float *restrict r = c[0], *restrict g = c[1], *restrict b = c[2];
    const float *restrict a = c[3];
    for (int i = 0; i < count; i++) {
        const color y = lg_straight(rgba(r[i], g[i], b[i], a[i]));
        r[i] = y.r, g[i] = y.g, b[i] = y.b;
    }
}

// Stores `count` pixels from planes that are `stride` floats apart.
static void store_span(const strip *s, int32_t x, int32_t y, int count, const float *from,
                       size_t stride)
{
    const lg_pixels *in = &s->t->in;
    const bool alpha = lg_pixels_have_alpha(in);
    const int planes = s->job->planes, colors = alpha ? planes - 1 : planes;
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const all[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    for (int k = 0; k < 4; k++) {
        const bool last = k == 3;
        if (last && !alpha && colors < 4)
            for (int i = 0; i < count; i++)
                rgb_a[3][i] = 1;
        else if (colors == 2 && k == 2)
            memset(rgb_a[k], 0, sizeof rgb_a[k]);
        else
            memcpy(rgb_a[k],
                   from + (size_t)(last && alpha ? colors
                                   : colors == 1 ? 0
                                                 : k) *
                              stride,
                   (size_t)count * sizeof *from);
    }
    if (alpha)
        make_straight(all, count);
    for (int k = 0; k < LG_MIN(colors, 3) && s->job->r->linear; k++)
        to_encoded(rgb_a[k], count);
    if (colors == 1 && s->job->r->linear)
        memcpy(rgb_a[1], rgb_a[0], sizeof rgb_a[1]), memcpy(rgb_a[2], rgb_a[0], sizeof rgb_a[2]);
    s->job->stage->store(&s->t->out, x, y, count, all);
}

// ---- down columns -------------------------------------------------------------------------------

INLINE void mix_fixed(const float *const *rows, const float *w, int taps, int32_t count,
                      float *restrict to)
{
    for (int32_t i = 0; i < count; i++) {
        float sum = rows[0][i] * w[0];
        for (int k = 1; k < taps; k++)
            sum = sum + rows[k][i] * w[k];
        to[i] = sum;
    }
}

static void add_row(const float *restrict row, float w, bool first, int32_t count,
                    float *restrict to)
{
    if (first)
        for (int32_t i = 0; i < count; i++)
            to[i] = row[i] * w;
    else
        for (int32_t i = 0; i < count; i++)
            to[i] = to[i] + row[i] * w;
}

static void mix_rows(const float *const *rows, const float *w, int taps, int32_t count, float *to)
{
    switch (taps) {
    case 1:
        mix_fixed(rows, w, 1, count, to);
        break;
    case 2:
        mix_fixed(rows, w, 2, count, to);
        break;
    case 3:
        mix_fixed(rows, w, 3, count, to);
        break;
    case 4:
        mix_fixed(rows, w, 4, count, to);
        break;
    case 6:
        mix_fixed(rows, w, 6, count, to);
        break;
    default:
        for (int k = 0; k < taps; k++)
            add_row(rows[k], w[k], k == 0, count, to);
    }
}

typedef void make_row_fn(strip *s, int32_t y);

// Row y of the output from rows in the ring, which `make` makes, `step` of them at once. `columns` of each.
static void down_ring(strip *s, int32_t y, int32_t columns, make_row_fn *make, int32_t step,
                      float *to)
{
    const lg_resize_axis *axis = &s->job->r->axis[1];
    const int32_t first = axis->first[y], taps = axis->tap_count[y];
    const float *w = axis->floats + (size_t)y * (size_t)axis->taps;
    const float *rows[64];
    s->have = LG_MAX(s->have, axis->from[y]);
    for (; s->have < first + taps; s->have += step)
        make(s, s->have);
    for (int k = 0; k < s->job->planes; k++) {
        for (int i = 0; i < taps; i++)
            rows[i] = ring_row(s, first + i) + (size_t)k * s->row;
        mix_rows(rows, w, taps, columns, to + (size_t)k * s->row);
    }
}

static void load_to_ring(strip *s, int32_t y)
{
    load_row(s, y, ring_row(s, y));
}

// The same where many rows are mixed: each is loaded whenever it is needed.
static void down_many(strip *s, int32_t y, float *to)
{
    const lg_resize_axis *axis = &s->job->r->axis[1];
    const float *w = axis->floats + (size_t)y * (size_t)axis->taps;
    for (int32_t i = 0; i < axis->tap_count[y]; i++) {
        load_row(s, axis->first[y] + i, s->other);
        for (int k = 0; k < s->job->planes; k++)
            add_row(s->other + (size_t)k * s->row, w[i], i == 0, s->end - s->first,
                    to + (size_t)k * s->row);
    }
}

// ---- along rows ---------------------------------------------------------------------------------

INLINE void interleave(const float *restrict from, size_t row, int planes, int32_t count,
                       float *restrict to)
{
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < planes; k++)
            to[(size_t)i * LANES + (size_t)k] = from[(size_t)k * row + (size_t)i];
}

// Row `member` of a block becomes its lanes.
static void put_lanes(const strip *s, int member, const float *from)
{
    float *to = s->lanes + member * s->job->lanes;
    const int32_t count = s->end - s->first;
    switch (s->job->planes) {
    case 1:
        interleave(from, s->row, 1, count, to);
        break;
    case 2:
        interleave(from, s->row, 2, count, to);
        break;
    case 3:
        interleave(from, s->row, 3, count, to);
        break;
    default:
        interleave(from, s->row, 4, count, to);
    }
}

static void take_lanes(const strip *s, int member, int32_t count, float *to, size_t stride)
{
    for (int k = 0; k < s->job->planes; k++) {
        const float *restrict from = s->made + member * s->job->lanes + k;
        float *restrict plane = to + (size_t)k * stride;
        for (int32_t i = 0; i < count; i++)
            plane[i] = from[(size_t)i * LANES];
    }
}

// Columns x .. x + count - 1 of a block of rows.
static void along(const strip *s, int32_t x, int32_t count)
{
    const lg_resize_axis *axis = &s->job->r->axis[0];
    for (int32_t i = 0; i < count; i++) {
        const int32_t taps = axis->tap_count[x + i];
        const float *w = axis->floats + (size_t)(x + i) * (size_t)axis->taps;
        const float *from = s->lanes + (size_t)(axis->first[x + i] - s->first) * LANES;
        float sum[LANES] __attribute__((aligned(64)));
        for (int l = 0; l < LANES; l++)
            sum[l] = from[l] * w[0];
        for (int32_t k = 1; k < taps; k++) {
            from += LANES;
            for (int l = 0; l < LANES; l++)
                sum[l] = sum[l] + from[l] * w[k];
        }
        memcpy(s->made + (size_t)i * LANES, sum, sizeof sum);
    }
}

// ---- both ---------------------------------------------------------------------------------------

// Down the columns first: blocks of rows of the output.
static void run_columns_first(strip *s)
{
    const lg_pixel_tile *t = s->t;
    for (int32_t y = t->y; y < t->y_end; y += s->job->rows) {
        const int rows = LG_MIN(s->job->rows, t->y_end - y);
        for (int j = 0; j < rows; j++) {
            if (s->job->ring)
                down_ring(s, y + j, s->end - s->first, load_to_ring, 1, s->mixed);
            else
                down_many(s, y + j, s->mixed);
            put_lanes(s, j, s->mixed);
        }
        for (int32_t x = t->x; x < t->x_end; x += CHUNK) {
            const int32_t count = LG_MIN(CHUNK, t->x_end - x);
            float planes[4 * CHUNK];
            along(s, x, count);
            for (int j = 0; j < rows; j++) {
                take_lanes(s, j, count, planes, CHUNK);
                store_span(s, x, y + j, count, planes, CHUNK);
            }
        }
    }
}

// Along the rows of the input from y on, into the ring.
static void widen_to_ring(strip *s, int32_t y)
{
    const lg_pixel_tile *t = s->t;
    const int rows = LG_MIN(s->job->rows, t->in.height - y);
    for (int j = 0; j < rows; j++) {
        load_row(s, y + j, s->other);
        put_lanes(s, j, s->other);
    }
    for (int32_t x = t->x; x < t->x_end; x += CHUNK) {
        const int32_t count = LG_MIN(CHUNK, t->x_end - x);
        along(s, x, count);
        for (int j = 0; j < rows; j++)
            take_lanes(s, j, count, ring_row(s, y + j) + (x - t->x), s->row);
    }
}

static void run_rows_first(strip *s)
{
    const lg_pixel_tile *t = s->t;
    for (int32_t y = t->y; y < t->y_end; y++) {
        down_ring(s, y, t->x_end - t->x, widen_to_ring, s->job->rows, s->mixed);
        for (int32_t x = t->x; x < t->x_end; x += LG_SPAN)
            store_span(s, x, y, LG_MIN(LG_SPAN, t->x_end - x), s->mixed + (x - t->x), s->row);
    }
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    const lg_resize_job *job = arg;
    strip s = {.job = job, .t = t};
    lg_resize_reach(&job->r->axis[0], t->x, t->x_end, &s.first, &s.end);
    s.row = (size_t)LG_MAX(job->across, job->strip) + LG_RESIZE_LANES;
    const size_t planes = (size_t)job->planes * s.row;
    s.lanes = (float *)(void *)scratch;
    s.made = s.lanes + LANES * s.row;
    s.mixed = s.made + LANES * CHUNK;
    s.other = s.mixed + planes;
    s.ring = s.other + planes;
    memset(s.lanes, 0, LANES * s.row * sizeof *s.lanes); // lanes of rows that a block does not have
    if (job->r->columns_first)
        run_columns_first(&s);
    else
        run_rows_first(&s);
}

extern const lg_pixel_tiles LG_CPU_TABLE(resize);
const lg_pixel_tiles LG_CPU_TABLE(resize) = {.run = run};
