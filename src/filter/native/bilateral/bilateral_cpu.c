// The bilateral filter on rows of floats. A weight belongs to two pixels, one at either end: rows of
// weights are kept until the lower end is reached.
#include "filter/alpha.h"
#include "filter/native/bilateral/bilateral.h"
#include "filter/native/bilateral/bilateral_weight.h"
#include "filter/native/planes.h"
#include "filter/native/reach.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
#define LANES   ((int)(BYTES / sizeof(float)))
#define AT_ONCE 4 // vectors of weights
#define INLINE  static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(BYTES)));
typedef uint32_t words __attribute__((vector_size(BYTES)));

INLINE vector load(const float *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vector v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vector larger(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (vector)_mm_max_ps((__m128)a, (__m128)b);
#else
    const words greater = (words)(a > b);
    return (vector)(((words)a & greater) | ((words)b & ~greater));
#endif
}

// bilateral_weight for `count` vectors. The steps of all of them stand side by side: one alone is a chain
// that the processor would wait for.
INLINE void weights_of(vector *t, const int count)
{
    const vector zero = {0};
    vector f[4], p[4], shifted[4];
#define EACH for (int v = 0; v < count; v++)
    EACH t[v] = larger(t[v], zero + LG_BILATERAL_LEAST);
    EACH shifted[v] = t[v] + LG_BILATERAL_ROUND;
    EACH f[v] = t[v] - (shifted[v] - LG_BILATERAL_ROUND);
    EACH p[v] = f[v] * LG_BILATERAL_C4 + LG_BILATERAL_C3;
    EACH p[v] = p[v] * f[v] + LG_BILATERAL_C2;
    EACH p[v] = p[v] * f[v] + LG_BILATERAL_C1;
    EACH p[v] = p[v] * f[v] + 1.0f;
    EACH t[v] = (vector)((words)p[v] + ((words)shifted[v] << 23));
#undef EACH
}

// Where a tap and the one that lies opposite are for the row that is computed: values and weights.
typedef struct tap_place {
    const float *below, *above;
    float *to_below;
    const float *to_above;
    float weight;
} tap_place;

// What a tile works with. A row of values has its planes `pitch` floats apart; column 0 of a row is the
// first that the tile reaches. Rows are counted from the top of the tile.
typedef struct tile_work {
    const lg_bilateral *b;
    const lg_pixel_tile *tile;
    lg_reach reach;
    float *values;  // 2 radius + 1 rows
    float *weights; // b->rows rows
    float *sums;    // of the values and, behind them, of the weights of one row
    tap_place *places;
    // For the row that is computed: the rows around it, and by the distance of a tap's ends where the
    // weights of rows are kept whose upper end it is, and whose lower end.
    float *rows[2 * LG_BILATERAL_RADIUS + 1];
    size_t upper[LG_BILATERAL_RADIUS + 1], lower[LG_BILATERAL_RADIUS + 1];
} tile_work;

static float *value_row(const tile_work *w, int64_t row)
{
    const lg_bilateral *b = w->b;
    const size_t rows = 2 * (size_t)b->radius + 1, size = (size_t)b->planes * b->pitch;
    return w->values + (size_t)(row + 2 * b->radius) % rows * size;
}

static void place_rows(tile_work *w, int64_t y)
{
    const int radius = w->b->radius;
    for (int k = -radius; k <= radius; k++)
        w->rows[k + radius] = value_row(w, y + k);
    for (int k = 0; w->b->rows && k <= radius; k++) {
        const size_t kept = (size_t)k + 1;
        w->upper[k] = (size_t)(y + radius) % kept * w->b->pitch;
        w->lower[k] = (size_t)(y + radius + 1) % kept * w->b->pitch; // k rows ago, of k + 1
    }
}

// The weights of the differences of the pixels at p and q, for `count` vectors.
INLINE void weigh(const lg_bilateral *b, const float *p, const float *q, int distance,
                  vector factor, float weight, const int count, vector *to)
{
    const size_t pitch = b->pitch;
    for (int v = 0; v < count; v++) {
        vector d = load(p + v * LANES) - load(q + v * LANES);
        to[v] = d * d;
        if (distance == 2)
            to[v] *= b->first;
        for (int k = 1; k < distance; k++) {
            const size_t at = (size_t)k * pitch + (size_t)(v * LANES);
            d = load(p + at) - load(q + at);
            to[v] += d * d;
        }
        to[v] *= factor;
    }
    weights_of(to, count);
    for (int v = 0; v < count; v++)
        to[v] *= weight;
}

// Weights of a tap with the row as its upper end, columns from .. end - 1 and some more.
INLINE void weigh_span(const tile_work *w, const lg_bilateral_tap *tap, int distance, int from,
                       int end, const int count)
{
    const lg_bilateral *b = w->b;
    const vector zero = {0}, factor = zero + b->factor;
    const float *upper = w->rows[b->radius];
    const float *lower = w->rows[b->radius + tap->y] + tap->x;
    float *to = w->weights + (size_t)tap->row * b->pitch + w->upper[tap->y];
    for (int i = from; i < end; i += count * LANES) {
        vector weights[AT_ONCE];
        weigh(b, upper + i, lower + i, distance, factor, tap->weight, count, weights);
        for (int v = 0; v < count; v++)
            store(to + i + v * LANES, weights[v]);
    }
}

// Weights of all taps with the row as their upper end, but where `summed` only those that sum_row_kept
// does not make: of taps along the row, and of pixels beside the tile.
INLINE void weigh_row(const tile_work *w, int distance, bool summed)
{
    const lg_bilateral *b = w->b;
    const int width = w->tile->x_end - w->tile->x;
    for (int k = 0; k < b->count; k++) {
        const lg_bilateral_tap *tap = &b->taps[k];
        const int from = b->radius - LG_MAX(tap->x, 0);
        const int end = b->radius + width - LG_MIN(tap->x, 0);
        if (!summed || tap->y == 0) {
            weigh_span(w, tap, distance, from, end, AT_ONCE);
        } else {
            weigh_span(w, tap, distance, from, b->radius, 1);
            weigh_span(w, tap, distance, b->radius + width, end, 1);
        }
    }
}

INLINE void add_tap(const float *values, size_t pitch, vector weight, const int planes, vector *sum)
{
    for (int p = 0; p < planes; p++)
        sum[p] += load(values + (size_t)p * pitch) * weight;
    sum[planes] += weight;
}

INLINE void add_weighed(const float *values, size_t pitch, const float *weights, const int planes,
                        const int blocks, vector sum[2][5])
{
    for (int v = 0; v < blocks; v++)
        add_tap(values + v * LANES, pitch, load(weights + v * LANES), planes, sum[v]);
}

// Sums for the row, `blocks` vectors at a time: the pixel itself, then tap by tap the one below before
// the one that lies opposite. Weights that are kept come from the row of the upper end; this row's own
// are made here.
INLINE void sum_row(const tile_work *w, const int planes, const int distance, const int blocks,
                    const bool kept)
{
    const lg_bilateral *b = w->b;
    const size_t pitch = b->pitch;
    const vector zero = {0}, factor = zero + b->factor;
    const int end = b->radius + w->tile->x_end - w->tile->x;
    const float *centre = w->rows[b->radius];
    for (int k = 0; k < b->count; k++) {
        const lg_bilateral_tap *tap = &b->taps[k];
        float *weights = w->weights + (size_t)tap->row * b->pitch;
        w->places[k] = (tap_place){w->rows[b->radius + tap->y] + tap->x,
                                   w->rows[b->radius - tap->y] - tap->x, weights + w->upper[tap->y],
                                   weights + w->lower[tap->y] - tap->x, b->taps[k].weight};
    }
    const tap_place *const places = w->places;
    const int count = b->count, along = kept ? b->radius : 0;
    for (int i = b->radius; i < end; i += blocks * LANES) {
        vector sum[2][5], weights[2];
        for (int v = 0; v < blocks; v++) {
            for (int p = 0; p < planes; p++)
                sum[v][p] = load(centre + (size_t)p * pitch + i + v * LANES);
            sum[v][planes] = zero + 1.0f;
        }
        for (int k = 0; k < along; k++) {
            const tap_place tap = places[k];
            add_weighed(tap.below + i, pitch, tap.to_below + i, planes, blocks, sum);
            add_weighed(tap.above + i, pitch, tap.to_above + i, planes, blocks, sum);
        }
        for (int k = along; k < count; k++) {
            const tap_place tap = places[k];
            weigh(b, centre + i, tap.below + i, distance, factor, tap.weight, blocks, weights);
            for (int v = 0; v < blocks; v++) {
                if (kept)
                    store(tap.to_below + i + v * LANES, weights[v]);
                add_tap(tap.below + i + v * LANES, pitch, weights[v], planes, sum[v]);
            }
            if (kept) {
                add_weighed(tap.above + i, pitch, tap.to_above + i, planes, blocks, sum);
                continue;
            }
            weigh(b, centre + i, tap.above + i, distance, factor, tap.weight, blocks, weights);
            for (int v = 0; v < blocks; v++)
                add_tap(tap.above + i + v * LANES, pitch, weights[v], planes, sum[v]);
        }
        for (int v = 0; v < blocks; v++)
            for (int p = 0; p <= planes; p++)
                store(w->sums + (size_t)p * pitch + i + v * LANES, sum[v][p]);
    }
}

static void sum_kind(const tile_work *w)
{
    const lg_bilateral *b = w->b;
#define KIND(planes_, distance_, blocks_)                                                          \
    if (b->planes == planes_ && b->distance == distance_) {                                        \
        if (b->rows)                                                                               \
            sum_row(w, planes_, distance_, blocks_, true);                                         \
        else                                                                                       \
            sum_row(w, planes_, distance_, blocks_, false);                                        \
    }
    KIND(1, 1, 2)
    KIND(2, 2, 2)
    KIND(3, 3, 1)
    KIND(4, 3, 1)
    KIND(4, 4, 1)
#undef KIND
}

static void weigh_kind(const tile_work *w, bool summed)
{
    if (w->b->distance == 1)
        weigh_row(w, 1, summed);
    else if (w->b->distance == 2)
        weigh_row(w, 2, summed);
    else if (w->b->distance == 3)
        weigh_row(w, 3, summed);
    else
        weigh_row(w, 4, summed);
}

// ---- rows ---------------------------------------------------------------------------------------

INLINE void load_bytes_of(const tile_work *w, const uint8_t *restrict from, const int channels,
                          float *restrict to)
{
    const int count = (int)(w->reach.inside_end - w->reach.inside);
    for (int p = 0; p < w->b->planes; p++)
        for (int i = 0; i < count; i++)
            to[(size_t)p * w->b->pitch + (size_t)i] = from[i * channels + p];
}

static void load_bytes(const tile_work *w, int64_t row, float *to)
{
    const lg_pixels *in = &w->tile->in;
    const uint8_t *from = (const uint8_t *)in->data + (size_t)row * in->row_stride +
                          (size_t)(w->reach.inside * in->channels);
    if (in->channels == 1)
        load_bytes_of(w, from, 1, to);
    else if (in->channels == 2)
        load_bytes_of(w, from, 2, to);
    else
        load_bytes_of(w, from, 4, to);
}

static void load_row(const tile_work *w, int64_t y)
{
    const lg_bilateral *b = w->b;
    const lg_pixels *in = &w->tile->in;
    const int64_t row = lg_border_index(w->tile->y + y, in->height, b->border);
    float *to = value_row(w, y);
    if (row < 0) {
        memset(to, 0, (size_t)b->planes * b->pitch * sizeof *to);
        return;
    }
    float *inside = to + (w->reach.inside - w->reach.first);
    if (b->bytes)
        load_bytes(w, row, inside);
    for (int64_t x = w->reach.inside; !b->bytes && x < w->reach.inside_end; x += LG_SPAN)
        lg_planes_load(lg_stage_get(LG_CPU_LEVEL_ID), in, x, row,
                       (int)LG_MIN(w->reach.inside_end - x, LG_SPAN),
                       inside + (x - w->reach.inside), b->pitch);
    for (int p = 0; p < b->planes; p++)
        lg_reach_fill(&w->reach, to + (size_t)p * b->pitch, sizeof *to);
}

INLINE void put_bytes_of(const tile_work *w, uint8_t *restrict to, const int channels)
{
    const int count = w->tile->x_end - w->tile->x;
    for (int p = 0; p < w->b->planes; p++) {
        const float *restrict from = w->sums + (size_t)p * w->b->pitch + w->b->radius;
        for (int i = 0; i < count; i++)
            to[i * channels + p] = (uint8_t)(int)(from[i] + 0.5f);
    }
    if (w->b->planes < channels)
        lg_set_alpha(LG_U8, channels, NULL, (size_t)count, (char *)to);
}

static void put_bytes(const tile_work *w, int32_t y)
{
    const lg_pixels *out = &w->tile->out;
    uint8_t *to = (uint8_t *)out->data + (size_t)y * out->row_stride +
                  (size_t)w->tile->x * (size_t)out->channels;
    if (out->channels == 1)
        put_bytes_of(w, to, 1);
    else if (out->channels == 2)
        put_bytes_of(w, to, 2);
    else
        put_bytes_of(w, to, 4);
}

static void put_row(const tile_work *w, int32_t y)
{
    const lg_bilateral *b = w->b;
    const int count = w->tile->x_end - w->tile->x;
    const float *weights = w->sums + (size_t)b->planes * b->pitch + b->radius;
    for (int p = 0; p < b->planes; p++) {
        float *sums = w->sums + (size_t)p * b->pitch + b->radius;
        for (int i = 0; i < count; i++)
            sums[i] = lg_div(sums[i], weights[i]) * b->unit;
    }
    if (b->rounded)
        put_bytes(w, y);
    for (int i = 0; !b->rounded && i < count; i += LG_SPAN)
        lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), &w->tile->in, &w->tile->out, w->tile->x + i,
                        y, LG_MIN(count - i, LG_SPAN), w->sums + b->radius + i, b->pitch);
}

static void run(const void *job, const lg_pixel_tile *t, char *scratch)
{
    const lg_bilateral *b = job;
    const size_t size = (size_t)b->planes * b->pitch, rows = 2 * (size_t)b->radius + 1;
    const size_t floats = (rows + 2) * size + ((size_t)b->rows + 2) * b->pitch;
    tile_work w = {.b = b, .tile = t, .reach = lg_reach_of(t, b->border, b->radius, NULL)};
    w.values = (float *)scratch;
    w.sums = w.values + rows * size;
    w.weights = w.sums + size + b->pitch;
    w.places = (tap_place *)(w.weights + ((size_t)b->rows + 1) * b->pitch);
    memset(scratch, 0, floats * sizeof(float));
    int64_t loaded = -b->radius;
    for (int64_t y = -b->radius; y < t->y_end - t->y; y++) {
        for (; loaded <= y + b->radius; loaded++)
            load_row(&w, loaded);
        place_rows(&w, y);
        if (b->rows)
            weigh_kind(&w, y >= 0);
        if (y < 0)
            continue;
        sum_kind(&w);
        put_row(&w, t->y + (int32_t)y);
    }
}

extern const lg_bilateral_run_fn LG_CPU_TABLE(bilateral);
const lg_bilateral_run_fn LG_CPU_TABLE(bilateral) = run;
