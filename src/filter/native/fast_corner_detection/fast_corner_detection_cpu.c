// FAST-9 for one CPU level: scores row by row, 64 pixels at a time where any of them can be a corner.
#include "filter/choice_blocks.h"
#include "filter/native/fast_corner_detection/fast_corner_detection.h"
#include "filter/native/luminance.h"
#include "kernel/pixel_rule.h"

#define LEAD  64 // bytes before the strip's first column
#define SLACK 64 // samples behind its last one that whole blocks may read and write
#define BLOCK 64 // pixels
#define LUMAS 8  // rows of luminance that are kept
#define ROWS  4  // rows of scores

// The circle, clockwise from the top.
static const int circle[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                  {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                  {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};

#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))

// What a is above b, not below 0.
#define OVER(a, b) (MORE(a, b) - (b))

// `from` has the sample above pixel x at from[0][x], and so on around the circle; [16] the centre.
//
// Of nine contiguous pixels, two neighbours lie on the axes: one of top and bottom, and one of left and
// right. That rules out most pixels.
//
// Two runs of nine that begin side by side share eight pixels, so that eight times the smallest of
// eight, and the larger of the two at its ends, are enough.
#define DEFINE_POSSIBLE(name, type)                                                                \
    static bool name##_possible(const type *const *from, int32_t x, type threshold)                \
    {                                                                                              \
        const type *top = from[0] + x, *right = from[4] + x, *bottom = from[8] + x;                \
        const type *left = from[12] + x, *centre = from[16] + x;                                   \
        type best = 0;                                                                             \
        for (int i = 0; i < BLOCK; i++) {                                                          \
            const type v = MORE(top[i], bottom[i]), h = MORE(right[i], left[i]);                   \
            const type w = LESS(top[i], bottom[i]), k = LESS(right[i], left[i]);                   \
            const type bright = LESS(v, h), dark = MORE(w, k), c = centre[i];                      \
            const type up = OVER(bright, c), down = OVER(c, dark);                                 \
            const type max = MORE(up, down);                                                       \
            best = MORE(max, best); /* garbage behind the row may be NaN */                        \
        }                                                                                          \
        return best > threshold;                                                                   \
    }

#define DEFINE_FAST(name, type)                                                                          \
    static inline __attribute__((always_inline)) type name##_runs(const type *d)                         \
    {                                                                                                    \
        type pair[8], four[8], best = 0;                                                                 \
        for (int i = 0; i < 8; i++)                                                                      \
            pair[i] = LESS(d[2 * i + 1], d[(2 * i + 2) % 16]);                                           \
        for (int i = 0; i < 8; i++)                                                                      \
            four[i] = LESS(pair[i], pair[(i + 1) % 8]);                                                  \
        for (int i = 0; i < 8; i++) {                                                                    \
            const type eight = LESS(four[i], four[(i + 2) % 8]);                                         \
            const type end = MORE(d[2 * i], d[(2 * i + 9) % 16]);                                        \
            const type nine = LESS(eight, end);                                                          \
            best = MORE(best, nine);                                                                     \
        }                                                                                                \
        return best;                                                                                     \
    }                                                                                                    \
    static void name##_score(const type *const *from, int32_t x, type threshold,                         \
                             type *restrict score)                                                       \
    {                                                                                                    \
        const type *at[17];                                                                              \
        for (int k = 0; k < 17; k++)                                                                     \
            at[k] = from[k] + x;                                                                         \
        for (int i = 0; i < BLOCK; i++) {                                                                \
            const type c = at[16][i];                                                                    \
            type up[16], down[16];                                                                       \
            for (int k = 0; k < 16; k++) {                                                               \
                up[k] = OVER(at[k][i], c);                                                               \
                down[k] = OVER(c, at[k][i]);                                                             \
            }                                                                                            \
            const type bright = name##_runs(up), dark = name##_runs(down);                               \
            const type max = MORE(bright, dark);                                                         \
            score[x + i] = max > threshold ? max : 0;                                                    \
        }                                                                                                \
    }                                                                                                    \
    /* Columns first .. end-1 of a row of scores; whole blocks are written. Whether there may be any. */ \
    static bool name##_row(const type *const *from, type threshold, int32_t first, int32_t end,          \
                           type *score)                                                                  \
    {                                                                                                    \
        bool any = false;                                                                                \
        for (int32_t x = first; x < end; x += BLOCK)                                                     \
            if (name##_possible(from, x, threshold)) {                                                   \
                name##_score(from, x, threshold, score);                                                 \
                any = true;                                                                              \
            } else {                                                                                     \
                memset(score + x, 0, BLOCK * sizeof *score);                                             \
            }                                                                                            \
        return any;                                                                                      \
    }                                                                                                    \
    /* Scores that are above their eight neighbours, or 0. */                                            \
    static void name##_suppress(const type *const *rows, int32_t count, type *restrict to)               \
    {                                                                                                    \
        const type *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];                  \
        for (int32_t x = 0; x < count; x++) {                                                            \
            type v = MORE(a[x - 1], a[x]), w = MORE(c[x - 1], c[x]);                                     \
            v = MORE(v, a[x + 1]);                                                                       \
            w = MORE(w, c[x + 1]);                                                                       \
            v = MORE(v, b[x - 1]);                                                                       \
            w = MORE(w, b[x + 1]);                                                                       \
            v = MORE(v, w);                                                                              \
            to[x] = b[x] > v ? b[x] : 0;                                                                 \
        }                                                                                                \
    }

#if LG_BLOCK_VECTORS
// As the loop, without bringing the greatest of a block together.
static bool byte_possible(const uint8_t *const *from, int32_t x, uint8_t threshold)
{
    lg_block_words best = LG_BLOCK_OP(set1_epi8)(0);
    for (int32_t i = x; i < x + BLOCK; i += LG_BLOCK_SIZE) {
        const lg_block_words top = LG_BLOCK_AT(from[0] + i), right = LG_BLOCK_AT(from[4] + i),
                             bottom = LG_BLOCK_AT(from[8] + i), left = LG_BLOCK_AT(from[12] + i),
                             centre = LG_BLOCK_AT(from[16] + i);
        const lg_block_words bright =
            LG_LESSER_BYTES(LG_GREATER_BYTES(top, bottom), LG_GREATER_BYTES(right, left));
        const lg_block_words dark =
            LG_GREATER_BYTES(LG_LESSER_BYTES(top, bottom), LG_LESSER_BYTES(right, left));
        best = LG_GREATER_BYTES(best, LG_GREATER_BYTES(LG_BLOCK_OP(subs_epu8)(bright, centre),
                                                       LG_BLOCK_OP(subs_epu8)(centre, dark)));
    }
    return lg_block_is_above(best, threshold);
}
#else
DEFINE_POSSIBLE(byte, uint8_t)
#endif
DEFINE_POSSIBLE(real, float)
DEFINE_FAST(byte, uint8_t)
DEFINE_FAST(real, float)

// ---- a tile -------------------------------------------------------------------------------------

typedef struct strip {
    const lg_fast_job *job;
    const lg_pixel_tile *tile;
    int32_t count; // columns
    size_t size;   // bytes of a sample
    char *luma[LUMAS], *score[ROWS], *kept;
    bool any[ROWS]; // scores other than 0 in a row
    float *planes;
} strip;

static size_t lay_out(strip *s, char *base)
{
    s->size = s->job->integer ? 1 : sizeof(float);
    const size_t columns = (size_t)s->job->strip + 2 * (LG_FAST_RADIUS + 1) + SLACK;
    const size_t row = lg_align_up(LEAD + columns * s->size, 64);
    size_t at = 0;
    for (int i = 0; i < LUMAS + ROWS + 1; i++, at += row) {
        char **to = i < LUMAS ? &s->luma[i] : i < LUMAS + ROWS ? &s->score[i - LUMAS] : &s->kept;
        *to = base ? base + at + LEAD : NULL;
    }
    s->planes = base ? (float *)(base + at) : NULL;
    return at + 4 * LG_SPAN * sizeof(float);
}

// Columns of the image around the strip, counted from its first one.
static void around(const strip *s, int32_t reach, int32_t margin, int32_t *first, int32_t *end)
{
    *first = LG_MAX(-reach, margin - s->tile->x);
    *end = LG_MIN(s->count + reach, s->tile->in.width - margin - s->tile->x);
}

static void load_luma(strip *s, int32_t y)
{
    const lg_pixel_tile *t = s->tile;
    int32_t first, end;
    around(s, LG_FAST_RADIUS + 1, 0, &first, &end);
    char *row = s->luma[y % LUMAS];
    if (s->job->integer) {
        lg_luminance_bytes(&t->in, t->x + first, y, (size_t)(end - first), (uint8_t *)row + first);
        return;
    }
    float *v = (float *)row + first;
    const int32_t count = end - first;
    lg_luminance_floats(s->job->stage, &t->in, t->x + first, y, count, v, s->planes);
    for (int32_t i = 0; i < count; i++) {
        const float known = v[i] == v[i] ? v[i] : 0;
        v[i] = LESS(MORE(known, -LG_FAST_LIMIT), LG_FAST_LIMIT);
    }
}

// Scores of row y; rows of luminance around it are there.
static void score_row(strip *s, int32_t y)
{
    const lg_pixel_tile *t = s->tile;
    char *to = s->score[(y + ROWS) % ROWS];
    bool *any = &s->any[(y + ROWS) % ROWS];
    *any = false;
    int32_t first, end;
    around(s, 1, LG_FAST_RADIUS, &first, &end);
    if (y < LG_FAST_RADIUS || y >= t->in.height - LG_FAST_RADIUS || first >= end) {
        memset(to - s->size, 0, ((size_t)s->count + 2) * s->size);
        return;
    }
    if (first > -1)
        memset(to - s->size, 0, ((size_t)first + 1) * s->size);
    const void *from[17];
    for (int k = 0; k < 16; k++)
        from[k] = s->luma[(y + circle[k][1]) % LUMAS] + circle[k][0] * (ptrdiff_t)s->size;
    from[16] = s->luma[y % LUMAS];
    if (s->job->integer)
        *any = byte_row((const uint8_t *const *)from, s->job->threshold, first, end, (uint8_t *)to);
    else
        *any =
            real_row((const float *const *)from, s->job->real_threshold, first, end, (float *)to);
    // What the last block has written too much lies within the strip and its neighbour column.
    if (end < s->count + 1)
        memset(to + end * (ptrdiff_t)s->size, 0, (size_t)(s->count + 1 - end) * s->size);
}

static void write_bytes(const strip *s, const uint8_t *scores, int32_t y)
{
    const lg_pixel_tile *t = s->tile;
    const bool score = s->job->write_score;
    if (t->out.type == LG_U8 && t->out.channels == 1) {
        uint8_t *to = (uint8_t *)t->out.data + (size_t)y * t->out.row_stride + t->x;
        for (int32_t x = 0; x < s->count; x++)
            to[x] = score ? scores[x] : scores[x] ? 255 : 0;
        return;
    }
    float *const planes[4] = {s->planes, s->planes + LG_SPAN, s->planes + 2 * LG_SPAN,
                              s->planes + 3 * LG_SPAN};
    for (int32_t x = 0; x < s->count; x += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, s->count - x);
        for (int32_t i = 0; i < n; i++) {
            const float v = (float)scores[x + i] * LG_UNIT_U8;
            planes[0][i] = planes[1][i] = planes[2][i] = score ? v : v > 0 ? 1.0f : 0.0f;
            planes[3][i] = 1;
        }
        s->job->stage->store(&t->out, t->x + x, y, n, planes);
    }
}

static void write_floats(const strip *s, const float *scores, int32_t y)
{
    const lg_pixel_tile *t = s->tile;
    const bool score = s->job->write_score;
    float *const planes[4] = {s->planes, s->planes + LG_SPAN, s->planes + 2 * LG_SPAN,
                              s->planes + 3 * LG_SPAN};
    for (int32_t x = 0; x < s->count; x += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, s->count - x);
        for (int32_t i = 0; i < n; i++) {
            const float v = scores[x + i];
            planes[0][i] = planes[1][i] = planes[2][i] = score ? v : v > 0 ? 1.0f : 0.0f;
            planes[3][i] = 1;
        }
        s->job->stage->store(&t->out, t->x + x, y, n, planes);
    }
}

static void write_row(strip *s, int32_t y)
{
    const char *kept = s->score[y % ROWS];
    if (s->job->suppress && s->any[y % ROWS]) {
        const void *rows[3];
        for (int k = 0; k < 3; k++)
            rows[k] = s->score[(y - 1 + k + ROWS) % ROWS];
        if (s->job->integer)
            byte_suppress((const uint8_t *const *)rows, s->count, (uint8_t *)s->kept);
        else
            real_suppress((const float *const *)rows, s->count, (float *)s->kept);
        kept = s->kept;
    }
    if (s->job->integer)
        write_bytes(s, (const uint8_t *)kept, y);
    else
        write_floats(s, (const float *)kept, y);
}

static void run(const void *job, const lg_pixel_tile *tile, char *scratch)
{
    strip s = {.job = job, .tile = tile, .count = tile->x_end - tile->x};
    lay_out(&s, scratch);
    int32_t loaded = LG_MAX(tile->y - 1 - LG_FAST_RADIUS, 0);
    for (int32_t y = tile->y - 1; y <= tile->y_end; y++) {
        for (; loaded <= y + LG_FAST_RADIUS && loaded < tile->in.height; loaded++)
            load_luma(&s, loaded);
        score_row(&s, y);
        if (y > tile->y)
            write_row(&s, y - 1);
    }
}

static size_t scratch_size(const lg_fast_job *job)
{
    strip s = {.job = job};
    return lay_out(&s, NULL);
}

extern const lg_fast_table LG_CPU_TABLE(fast_corner_detection);
const lg_fast_table LG_CPU_TABLE(fast_corner_detection) = {run, scratch_size};
