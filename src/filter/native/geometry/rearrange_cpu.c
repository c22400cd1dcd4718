// Pixels that move without being mixed, for one CPU level.
#include "cpu/cpu.h"
#include "filter/native/geometry/rearrange.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Pixels by their size. A pixel of several samples is aligned as one sample is.
typedef uint16_t __attribute__((aligned(1), may_alias)) pixel_of_2;
typedef uint32_t __attribute__((aligned(1), may_alias)) pixel_of_4;
typedef uint64_t __attribute__((aligned(1), may_alias)) pixel_of_8;
typedef struct __attribute__((packed, may_alias)) pixel_of_16 {
    uint64_t low, high;
} pixel_of_16;

// A block of the output: `columns` from x, `rows` from y, in memory with this stride.
typedef struct block {
    const lg_rearrange_job *job;
    const lg_pixels *in;
    int32_t x, y, columns, rows;
    char *to;
    size_t stride;
} block;

typedef void move_fn(const block *b);

// Squares of pixels, of which both sides lie in the first cache.
#define SQUARE 16

#define LINES_ASKED 64 // of a cache, at the end of a row

// Asks for the end of the next row, which is read first where rows are turned round: no processor sees that
// coming.
static void ask_end(const block *b, int32_t row, const void *last, size_t bytes)
{
    const int32_t *down = b->job->r->down + b->y;
    if (row + 1 >= b->rows || down[row + 1] < down[row])
        return;
    const uintptr_t next = (uintptr_t)last + b->in->row_stride;
    for (size_t i = 0; i < LG_MIN(LINES_ASKED, bytes / 64); i++)
        __builtin_prefetch((const void *)(next - 64 * i));
}

#define MOVE(name, type)                                                                           \
    static void name##_any(const type *restrict from, const int32_t *restrict at, int32_t count,   \
                           type *restrict to)                                                      \
    {                                                                                              \
        for (int32_t i = 0; i < count; i++)                                                        \
            to[i] = from[at[i] < 0 ? 0 : at[i]];                                                   \
    }                                                                                              \
    static void name##_back(const type *restrict last, int32_t count, type *restrict to)           \
    {                                                                                              \
        const type *restrict from = last - (count - 1);                                            \
        for (int32_t i = 0; i < count; i++)                                                        \
            to[i] = from[count - 1 - i];                                                           \
    }                                                                                              \
    static void name##_row(const block *b, int32_t row, const type *from, type *to)                \
    {                                                                                              \
        const int32_t *at = b->job->r->across, end = b->x + b->columns;                            \
        const int32_t run = LG_MIN(LG_MAX(b->job->run, b->x), end);                                \
        const int32_t run_end = LG_MAX(LG_MIN(b->job->end, end), run);                             \
        name##_any(from, at + b->x, run - b->x, to);                                               \
        if (run < run_end && b->job->step > 0)                                                     \
            memcpy(to + (run - b->x), from + at[run], (size_t)(run_end - run) * sizeof *to);       \
        else if (run < run_end) {                                                                  \
            ask_end(b, row, from + at[run], (size_t)(run_end - run) * sizeof *to);                 \
            name##_back(from + at[run], run_end - run, to + (run - b->x));                         \
        }                                                                                          \
        name##_any(from, at + run_end, end - run_end, to + (run_end - b->x));                      \
    }                                                                                              \
    static void name##_square(const block *b, int32_t x, int32_t y)                                \
    {                                                                                              \
        const lg_rearrangement *r = b->job->r;                                                     \
        const int32_t columns = LG_MIN(SQUARE, b->columns - x);                                    \
        for (int32_t j = y; j < LG_MIN(y + SQUARE, b->rows); j++) {                                \
            const int32_t column = LG_MAX(r->down[b->y + j], 0);                                   \
            type *restrict to = (type *)(void *)(b->to + (size_t)j * b->stride) + x;               \
            for (int32_t i = 0; i < columns; i++) {                                                \
                const int32_t row = LG_MAX(r->across[b->x + x + i], 0);                            \
                to[i] = ((const type *)(void *)(b->in->data +                                      \
                                                (size_t)row * b->in->row_stride))[column];         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name(const block *b)                                                               \
    {                                                                                              \
        const lg_rearrangement *r = b->job->r;                                                     \
        for (int32_t j = 0; j < b->rows && !r->swap; j++) {                                        \
            type *to = (type *)(void *)(b->to + (size_t)j * b->stride);                            \
            const int32_t row = r->down[b->y + j];                                                 \
            if (row < 0) /* it becomes the colour; of a band no row may be in memory */            \
                memset(to, 0, (size_t)b->columns * sizeof *to);                                    \
            else                                                                                   \
                name##_row(b, j,                                                                   \
                           (const type *)(void *)(b->in->data + (size_t)row * b->in->row_stride),  \
                           to);                                                                    \
        }                                                                                          \
        for (int32_t y = 0; y < b->rows && r->swap; y += SQUARE)                                   \
            for (int32_t x = 0; x < b->columns; x += SQUARE)                                       \
                name##_square(b, x, y);                                                            \
    }

MOVE(move_1, uint8_t)
MOVE(move_2, pixel_of_2)
MOVE(move_4, pixel_of_4)
MOVE(move_8, pixel_of_8)
MOVE(move_16, pixel_of_16)

// ---- rows that become columns, whose lists go by steps of 1 or -1 -------------------------------

#if defined(__SSE2__)
// Vectors of lanes of 16 bytes, each of which is turned by itself.
#if defined(__AVX512BW__)
typedef __m512i lanes;
#define LANES             4
#define EACH_LANE(op)     _mm512_##op
#define STORE_LANES(p, v) _mm512_storeu_si512(p, v)
#elif defined(__AVX2__)
typedef __m256i lanes;
#define LANES             2
#define EACH_LANE(op)     _mm256_##op
#define STORE_LANES(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#else
typedef __m128i lanes;
#define LANES             1
#define EACH_LANE(op)     _mm_##op
#define STORE_LANES(p, v) _mm_storeu_si128((__m128i *)(p), v)
#endif

static inline __m128i lane_at(const char *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

// The lanes at `from`, from + step ...
static inline lanes lanes_at(const char *from, ptrdiff_t step)
{
#if LANES == 4
    lanes v = _mm512_castsi128_si512(lane_at(from));
    v = _mm512_inserti32x4(v, lane_at(from + step), 1);
    v = _mm512_inserti32x4(v, lane_at(from + 2 * step), 2);
    return _mm512_inserti32x4(v, lane_at(from + 3 * step), 3);
#elif LANES == 2
    return _mm256_inserti128_si256(_mm256_castsi128_si256(lane_at(from)), lane_at(from + step), 1);
#else
    return lane_at(from);
#endif
}

// Sixteen or four columns of the input, and so many rows for each lane. Row i of the input, from its least
// column on, is at from + i * in; that column becomes the row at `to`, and the next one the row at to + out.
typedef void turn_fn(const char *from, ptrdiff_t in, char *to, ptrdiff_t out);

#define TURN_WORDS(name, vector, OP, LOAD, STORE)                                                  \
    static void name(const char *from, ptrdiff_t in, char *to, ptrdiff_t out)                      \
    {                                                                                              \
        vector v[4];                                                                               \
        for (int i = 0; i < 4; i++)                                                                \
            v[i] = LOAD(from + i * in, 4 * in);                                                    \
        const vector low = OP(unpacklo_epi32)(v[0], v[1]), high = OP(unpackhi_epi32)(v[0], v[1]);  \
        const vector low2 = OP(unpacklo_epi32)(v[2], v[3]);                                        \
        const vector high2 = OP(unpackhi_epi32)(v[2], v[3]);                                       \
        STORE(to, OP(unpacklo_epi64)(low, low2));                                                  \
        STORE(to + out, OP(unpackhi_epi64)(low, low2));                                            \
        STORE(to + 2 * out, OP(unpacklo_epi64)(high, high2));                                      \
        STORE(to + 3 * out, OP(unpackhi_epi64)(high, high2));                                      \
    }

#define INTERLEAVE(OP, v, w)                                                                       \
    for (int i = 0; i < 8; i++) {                                                                  \
        (w)[2 * i] = OP(unpacklo_epi8)((v)[i], (v)[i + 8]);                                        \
        (w)[2 * i + 1] = OP(unpackhi_epi8)((v)[i], (v)[i + 8]);                                    \
    }

// Each step puts byte k of vector i beside byte k of vector i + 8; after four steps the number of a byte's
// vector and its place in it have changed places.
#define TURN_BYTES(name, vector, OP, LOAD, STORE)                                                  \
    static void name(const char *from, ptrdiff_t in, char *to, ptrdiff_t out)                      \
    {                                                                                              \
        vector a[16], b[16];                                                                       \
        for (int i = 0; i < 16; i++)                                                               \
            a[i] = LOAD(from + i * in, 16 * in);                                                   \
        INTERLEAVE(OP, a, b)                                                                       \
        INTERLEAVE(OP, b, a)                                                                       \
        INTERLEAVE(OP, a, b)                                                                       \
        INTERLEAVE(OP, b, a)                                                                       \
        for (int k = 0; k < 16; k++)                                                               \
            STORE(to + k * out, a[k]);                                                             \
    }

#define ONE_LANE(op)           _mm_##op
#define LOAD_LANE(from, step)  lane_at(from)
#define STORE_LANE(p, v)       _mm_storeu_si128((__m128i *)(void *)(p), v)
#define STORE_ALL_LANES(to, v) STORE_LANES((void *)(to), v)
TURN_WORDS(turn_words, __m128i, ONE_LANE, LOAD_LANE, STORE_LANE)
TURN_BYTES(turn_bytes, __m128i, ONE_LANE, LOAD_LANE, STORE_LANE)
TURN_WORDS(turn_lanes_of_words, lanes, EACH_LANE, lanes_at, STORE_ALL_LANES)
TURN_BYTES(turn_lanes_of_bytes, lanes, EACH_LANE, lanes_at, STORE_ALL_LANES)

// From column `first` on what fits, by `turn`, which makes `rows` rows of `columns` pixels of `pixel` bytes.
// Returns the column behind.
static inline __attribute__((always_inline)) int32_t turn_columns(const block *b, int32_t first,
                                                                  const int columns, const int rows,
                                                                  const int pixel, turn_fn *turn)
{
    const int32_t *across = b->job->r->across + b->x, *down = b->job->r->down + b->y;
    const bool right = b->columns < 2 || across[1] > across[0];
    const bool along = b->rows < 2 || down[1] > down[0];
    const ptrdiff_t in = right ? (ptrdiff_t)b->in->row_stride : -(ptrdiff_t)b->in->row_stride;
    const ptrdiff_t out = along ? (ptrdiff_t)b->stride : -(ptrdiff_t)b->stride;
    for (; first + columns <= b->columns; first += columns)
        for (int32_t y = 0; y + rows <= b->rows; y += rows) {
            const int32_t least = along ? y : y + rows - 1;
            turn(b->in->data + (size_t)across[first] * b->in->row_stride +
                     (size_t)down[least] * (size_t)pixel,
                 in, b->to + (size_t)least * b->stride + (size_t)first * (size_t)pixel, out);
        }
    return first;
}

static void turn_rest(const block *b, int32_t columns, int32_t rows,
                      void (*rest)(const block *, int32_t, int32_t))
{
    for (int32_t y = 0; y < b->rows; y += SQUARE)
        for (int32_t x = y + SQUARE <= rows ? columns : 0; x < b->columns; x += SQUARE)
            rest(b, x, y);
}

static void turn_1(const block *b)
{
    int32_t end = turn_columns(b, 0, 16 * LANES, 16, 1, turn_lanes_of_bytes);
    end = turn_columns(b, end, 16, 16, 1, turn_bytes);
    turn_rest(b, end, b->rows / 16 * 16, move_1_square);
}

static void turn_4(const block *b)
{
    int32_t end = turn_columns(b, 0, 4 * LANES, 4, 4, turn_lanes_of_words);
    end = turn_columns(b, end, 4, 4, 4, turn_words);
    turn_rest(b, end, b->rows / 4 * 4, move_4_square);
}
#else
#define turn_1 move_1
#define turn_4 move_4
#endif

static void convert(const block *b, const lg_pixels *out)
{
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    float *const all[4] = {planes[0], planes[1], planes[2], planes[3]};
    lg_pixels line = *b->in;
    for (int32_t j = 0; j < b->rows; j++) {
        line.data = b->to + (size_t)j * b->stride;
        b->job->stage->load(&line, 0, 0, b->columns, all);
        b->job->stage->store(out, b->x, b->y + j, b->columns, all);
    }
}

// Pixels that are the colour. What is stored may be changed by it.
static void fill_span(const block *b, const lg_pixels *out, int32_t x, int32_t y, int32_t count)
{
    float planes[4][LG_SPAN] __attribute__((aligned(64)));
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LG_SPAN; i++)
            planes[k][i] = k == 3 && out->alpha == LG_ALPHA_OPAQUE ? 1 : b->job->r->color[k];
    b->job->stage->store(out, x, y, count,
                         (float *const[4]){planes[0], planes[1], planes[2], planes[3]});
}

static void fill(const block *b, const lg_pixels *out)
{
    const lg_rearrangement *r = b->job->r;
    for (int32_t j = 0; j < b->rows; j++)
        for (int32_t x = 0, end; x < b->columns; x = end) {
            const bool row = r->down[b->y + j] < 0;
            end = x;
            while (end < b->columns && (row || r->across[b->x + end] < 0))
                end++;
            if (end > x)
                fill_span(b, out, b->x + x, b->y + j, end - x);
            while (end < b->columns && !row && r->across[b->x + end] >= 0)
                end++;
        }
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    static move_fn *const moves[17] = {
        [1] = move_1, [2] = move_2, [4] = move_4, [8] = move_8, [16] = move_16};
    static move_fn *const turns[17] = {
        [1] = turn_1, [2] = move_2, [4] = turn_4, [8] = move_8, [16] = move_16};
    const lg_rearrange_job *job = arg;
    const size_t pixel = lg_type_size(t->in.type) * (size_t)t->in.channels;
    block b = {.job = job, .in = &t->in, .to = scratch, .stride = LG_SPAN * pixel};
    move_fn *move = (job->r->swap ? turns : moves)[pixel];
    const int32_t most = job->same && job->r->swap ? t->y_end - t->y : SQUARE;
    const bool whole = job->same && !job->r->swap && !job->r->colored; // rows as they lie in memory
    for (b.y = t->y; b.y < t->y_end; b.y += b.rows) {
        b.rows = LG_MIN(most, t->y_end - b.y);
        for (b.x = t->x; b.x < t->x_end; b.x += b.columns) {
            b.columns = LG_MIN(whole ? t->x_end - t->x : LG_SPAN, t->x_end - b.x);
            if (job->same) {
                b.to = t->out.data + (size_t)b.y * t->out.row_stride + (size_t)b.x * pixel;
                b.stride = t->out.row_stride;
            }
            move(&b);
            if (!job->same)
                convert(&b, &t->out);
            if (job->r->colored)
                fill(&b, &t->out);
        }
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(rearrange);
const lg_pixel_tiles LG_CPU_TABLE(rearrange) = {.run = run};
