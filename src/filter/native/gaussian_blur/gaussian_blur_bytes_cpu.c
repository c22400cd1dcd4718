// Bytes with whole weights: exact sums in 32 bits. Two rows, or two neighbours of a row, are multiplied
// and added at a time, and four results share what is loaded.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"
#include "filter/native/reach.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define ROWS   4   // that are computed together
#define TAIL   64  // samples that may be written and read behind a line
#define SPAN   256 // pixels whose sums stay in the first-level cache

// What a tile works with.
typedef struct strip {
    const lg_gaussian_bytes *job;
    const lg_tile *tile;
    lg_reach reach;
    size_t inside, samples; // of the columns inside the image: where they begin, how many
    size_t pitch;           // bytes of a pair of rows
    uint8_t *pairs;         // the last radius + 2 pairs of rows, samples of two rows in turn
    int16_t *lines[ROWS];   // sums of columns
    int16_t *twins;         // a line with every pixel beside its neighbour
    int32_t *sums;          // of a span
} strip;

// ---- vectors ------------------------------------------------------------------------------------

#if defined(__AVX2__)
#define BYTES 32
typedef __m256i vector;
#define OP(name) _mm256_##name
#define ADD      "vpaddd %1, %0, %0"

INLINE vector load(const void *p)
{
    return _mm256_loadu_si256(p);
}

INLINE void store(void *p, vector v)
{
    _mm256_storeu_si256(p, v);
}

INLINE vector widened(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
}

INLINE vector packed(vector low, vector high)
{
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
}

// Sums of places 0, 2, 4 ... and 1, 3, 5 ... in their order.
INLINE void store_interleaved(int32_t *to, vector even, vector odd)
{
    const vector low = _mm256_unpacklo_epi32(even, odd), high = _mm256_unpackhi_epi32(even, odd);
    store(to, _mm256_permute2x128_si256(low, high, 0x20));
    store(to + 8, _mm256_permute2x128_si256(low, high, 0x31));
}
#elif defined(__SSE2__)
#define BYTES    16
typedef __m128i vector;
#define OP(name) _mm_##name
#if defined(__AVX__)
#define ADD "vpaddd %1, %0, %0"
#else
#define ADD "paddd %1, %0"
#endif

INLINE vector load(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE void store(void *p, vector v)
{
    _mm_storeu_si128(p, v);
}

INLINE vector widened(const uint8_t *p)
{
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const void *)p), _mm_setzero_si128());
}

INLINE vector packed(vector low, vector high)
{
    return _mm_packs_epi32(low, high);
}

INLINE void store_interleaved(int32_t *to, vector even, vector odd)
{
    store(to, _mm_unpacklo_epi32(even, odd));
    store(to + 4, _mm_unpackhi_epi32(even, odd));
}
#endif

#ifdef BYTES
#define SUMS (BYTES / 4) // of a vector

INLINE vector add_products(vector sum, vector pairs, int32_t weights)
{
    const vector products = OP(madd_epi16)(pairs, OP(set1_epi32)(weights));
    // Compilers would gather the products of several steps, in more registers than there are, and
    // copy the sums from one to another.
    __asm__(ADD : "+x"(sum) : "x"(products));
    return sum;
}
#endif

// ---- columns ------------------------------------------------------------------------------------

// Pair `index` of rows: those that stand at 2 index and 2 index + 1 from row `top` on.
static __attribute__((noinline)) void load_pair(const strip *s, int64_t top, int64_t index)
{
    const size_t slots = (size_t)s->job->weights->radius + 2;
    const uint8_t *restrict a = lg_reach_row(&s->reach, top + 2 * index);
    const uint8_t *restrict b = lg_reach_row(&s->reach, top + 2 * index + 1);
    uint8_t *restrict to = s->pairs + (size_t)index % slots * s->pitch;
    const size_t n = s->samples;
    size_t i = 0;
#ifdef BYTES
    for (; i + 16 <= n; i += 16) {
        const __m128i x = _mm_loadu_si128((const void *)(a + i));
        const __m128i y = _mm_loadu_si128((const void *)(b + i));
        _mm_storeu_si128((void *)(to + 2 * i), _mm_unpacklo_epi8(x, y));
        _mm_storeu_si128((void *)(to + 2 * i + 16), _mm_unpackhi_epi8(x, y));
    }
#endif
    for (; i < n; i++) {
        to[2 * i] = a[i];
        to[2 * i + 1] = b[i];
    }
}

#ifdef BYTES
// Adds `count` pairs of rows, the first weighted with even[0] and so on, to the sums of four rows.
INLINE void sum_pairs(const uint8_t *pairs, size_t pitch, const int32_t *even, const int32_t *odd,
                      int count, vector sum[ROWS][2])
{
    for (int j = 0; j < count; j++) {
        const vector a = widened(pairs), b = widened(pairs + 2 * SUMS);
        const int32_t w[ROWS] = {even[j], odd[j], even[j - 1], odd[j - 1]};
        for (int k = 0; k < ROWS; k++) {
            sum[k][0] = add_products(sum[k][0], a, w[k]);
            sum[k][1] = add_products(sum[k][1], b, w[k]);
        }
        pairs += pitch;
    }
}
#endif

// Sums of columns for four rows, whose windows begin with pair `index`.
static __attribute__((noinline)) void sum_columns(const strip *s, int64_t index)
{
    const lg_gaussian *g = s->job->weights;
    const int32_t *even = s->job->even, *odd = s->job->odd;
    const size_t slots = (size_t)g->radius + 2;
    const int shift = g->shift - LG_GAUSSIAN_FRACTION;
#ifdef BYTES
    const int first = (int)((size_t)index % slots), turn = (int)slots - first;
    for (size_t i = 0; i < s->samples; i += 2 * SUMS) {
        vector sum[ROWS][2];
        for (int k = 0; k < ROWS; k++)
            sum[k][0] = sum[k][1] = OP(set1_epi32)(1 << (shift - 1));
        const uint8_t *p = s->pairs + 2 * i;
        sum_pairs(p + (size_t)first * s->pitch, s->pitch, even, odd, turn, sum);
        sum_pairs(p, s->pitch, even + turn, odd + turn, first, sum);
        for (int k = 0; k < ROWS; k++)
            store(s->lines[k] + s->inside + i,
                  packed(OP(srai_epi32)(sum[k][0], shift), OP(srai_epi32)(sum[k][1], shift)));
    }
#else
    for (int k = 0; k < ROWS; k++)
        for (size_t i = 0; i < s->samples; i++) {
            int32_t sum = 1 << (shift - 1);
            for (int j = 0; j < 2 * g->radius + 1; j++) {
                const size_t slot = (size_t)(index + (j + k) / 2) % slots;
                sum += s->pairs[slot * s->pitch + 2 * i + (size_t)((j + k) % 2)] * g->whole[j];
            }
            s->lines[k][s->inside + i] = (int16_t)(sum >> shift);
        }
#endif
}

// ---- rows ---------------------------------------------------------------------------------------

// Sums for `count` pixels of a line from the window that begins at `line`.
static void sum_plain(const strip *s, const int16_t *restrict line, size_t count)
{
    const lg_gaussian *g = s->job->weights;
    const size_t channels = (size_t)s->tile->in.channels, n = count * channels;
    int32_t *restrict sums = s->sums;
    memset(sums, 0, n * sizeof *sums);
    for (int k = 0; k < 2 * g->radius + 1; k++) {
        const int32_t w = g->whole[k];
        const int16_t *restrict p = line + (size_t)k * channels;
        for (size_t i = 0; i < n; i++)
            sums[i] += p[i] * w;
    }
}

#ifdef BYTES

static __attribute__((noinline)) void sum_1(const strip *s, const int16_t *line, size_t count)
{
    const int radius = s->job->weights->radius;
    const int32_t *w_even = s->job->even, *w_odd = s->job->odd;
    for (size_t i = 0; i < count; i += 8 * SUMS) {
        vector even[4], odd[4];
        for (int v = 0; v < 4; v++)
            even[v] = odd[v] = OP(set1_epi32)(0);
        for (int j = 0; j <= radius; j++)
            for (int v = 0; v < 4; v++) {
                vector pairs = load(line + i + (size_t)(2 * SUMS * v + 2 * j));
                __asm__("" : "+x"(pairs)); // loaded once: it may lie across cache lines
                even[v] = add_products(even[v], pairs, w_even[j]);
                odd[v] = add_products(odd[v], pairs, w_odd[j]);
            }
        for (int v = 0; v < 4; v++)
            store_interleaved(s->sums + i + (size_t)(2 * SUMS * v), even[v], odd[v]);
    }
}

// The pixels of a line, each beside its right neighbour, channel by channel.
static __attribute__((noinline)) void make_twins(const strip *s, const int16_t *line, size_t pixels)
{
    for (size_t i = 0; i < pixels; i += 2) {
        const __m128i a = _mm_loadu_si128((const void *)(line + 4 * i));
        const __m128i b = _mm_loadu_si128((const void *)(line + 4 * i + 4));
        _mm_storeu_si128((void *)(s->twins + 8 * i), _mm_unpacklo_epi16(a, b));
        _mm_storeu_si128((void *)(s->twins + 8 * i + 8), _mm_unpackhi_epi16(a, b));
    }
}

// As sum_1, for four channels, from pixel `first` of the twins on.
static __attribute__((noinline)) void sum_4(const strip *s, size_t first, size_t count)
{
    enum { APART = SUMS == 8 ? 8 : 1 }; // pixels between two groups, each of four pixels 2 apart
    const int radius = s->job->weights->radius;
    const int32_t *even = s->job->even;
    for (size_t i = 0; i < count; i += 2 * SUMS) {
        const int16_t *twins = s->twins + (first + i) * 8;
        vector sum[4][2];
        for (int v = 0; v < 4; v++)
            sum[v][0] = sum[v][1] = OP(set1_epi32)(0);
        for (int j = 0; j < radius + 4; j++) {
            const vector a = load(twins + 16 * j), b = load(twins + 16 * j + 8 * APART);
            for (int v = 0; v < 4; v++) {
                sum[v][0] = add_products(sum[v][0], a, even[j - v]);
                sum[v][1] = add_products(sum[v][1], b, even[j - v]);
            }
        }
        for (int v = 0; v < 4; v++) {
            store(s->sums + 4 * i + (size_t)(8 * v), sum[v][0]);
            store(s->sums + 4 * i + (size_t)(8 * v + 4 * APART), sum[v][1]);
        }
    }
}

#endif

static void put_bytes(const strip *s, int32_t x, int32_t y, int count)
{
    const lg_pixels *out = &s->tile->out;
    const int shift = s->job->weights->shift + LG_GAUSSIAN_FRACTION, n = count * out->channels;
    const int32_t half = 1 << (shift - 1);
    const int32_t *restrict sums = s->sums;
    uint8_t *restrict to =
        (uint8_t *)out->data + (size_t)y * out->row_stride + (size_t)x * (size_t)out->channels;
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)((sums[i] + half) >> shift);
    for (int i = 1; out->alpha == LG_ALPHA_OPAQUE && out->channels > 1 && i <= count; i++)
        to[i * out->channels - 1] = 255;
}

static void put_floats(const strip *s, int32_t x, int32_t y, int count)
{
    float values[4 * SPAN];
    for (int i = 0; i < count * s->tile->in.channels; i++)
        values[i] = (float)s->sums[i] * s->job->scale;
    lg_samples_store(lg_stage_get(LG_CPU_LEVEL_ID), &s->tile->in, &s->tile->out, x, y, count,
                     values);
}

static void put_row(const strip *s, int16_t *line, int32_t y)
{
    const lg_tile *t = s->tile;
    const size_t channels = (size_t)t->in.channels;
    lg_reach_fill(&s->reach, line, channels * sizeof *line);
#ifdef BYTES
    if (channels == 4)
        make_twins(s, line, (size_t)(s->reach.end - s->reach.first));
#endif
    for (int32_t x = t->x; x < t->x_end; x += SPAN) {
        const int count = LG_MIN(t->x_end - x, SPAN);
        const size_t at = (size_t)(x - t->x);
#ifdef BYTES
        if (channels == 4)
            sum_4(s, at, (size_t)count);
        else if (channels == 1)
            sum_1(s, line + at, (size_t)count);
        else
#endif
            sum_plain(s, line + at * channels, (size_t)count);
        (s->job->rounded ? put_bytes : put_floats)(s, x, y, count);
    }
}

// ---- a tile -------------------------------------------------------------------------------------

typedef struct layout {
    size_t pitch, line, pairs, lines, twins, sums, zeros; // bytes
} layout;

static layout layout_of(size_t width, int radius, int channels)
{
    const size_t reach = width + 2 * (size_t)radius, samples = reach * (size_t)channels;
    layout l = {.pitch = lg_align_up(2 * samples, 64) + 64};
    l.line = lg_align_up((samples + 4 * TAIL) * sizeof(int16_t), 64);
    l.pairs = l.pitch * ((size_t)radius + 2);
    l.lines = ROWS * l.line;
    l.twins = channels == 4 ? (reach + TAIL) * 8 * sizeof(int16_t) : 0;
    l.sums = (4 * SPAN + TAIL) * sizeof(int32_t);
    l.zeros = lg_align_up(samples, 64);
    return l;
}

static void run(const void *job_, const lg_tile *t, char *scratch)
{
    const lg_gaussian_bytes *job = job_;
    const int radius = job->weights->radius, channels = t->in.channels;
    const layout l = layout_of((size_t)(t->x_end - t->x), radius, channels);
    memset(scratch, 0, l.pairs + l.lines + l.twins + l.sums + l.zeros);
    strip s = {.job = job, .tile = t, .pitch = l.pitch};
    s.pairs = (uint8_t *)scratch;
    for (int k = 0; k < ROWS; k++)
        s.lines[k] = (int16_t *)(scratch + l.pairs + (size_t)k * l.line);
    s.twins = (int16_t *)(scratch + l.pairs + l.lines);
    s.sums = (int32_t *)(scratch + l.pairs + l.lines + l.twins);
    s.reach = lg_reach_of(t, job->border, radius, scratch + l.pairs + l.lines + l.twins + l.sums);
    s.inside = (size_t)(s.reach.inside - s.reach.first) * (size_t)channels;
    s.samples = (size_t)(s.reach.inside_end - s.reach.inside) * (size_t)channels;
    const int64_t top = (int64_t)t->y - radius;
    int64_t loaded = 0;
    for (int32_t y = t->y; y < t->y_end; y += ROWS) {
        const int64_t first = (y - t->y) / 2;
        for (; loaded < first + radius + 2; loaded++)
            load_pair(&s, top, loaded);
        sum_columns(&s, first);
        for (int k = 0; k < ROWS && y + k < t->y_end; k++)
            put_row(&s, s.lines[k], y + k);
    }
}

extern const lg_gaussian_run_fn LG_CPU_TABLE(gaussian_bytes);
const lg_gaussian_run_fn LG_CPU_TABLE(gaussian_bytes) = run;
