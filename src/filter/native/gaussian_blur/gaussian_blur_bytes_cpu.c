// Bytes with whole weights: 16-bit samples with 6 bits behind the point, exact sums in 32 bits.
#include "filter/alpha.h"
#include "filter/native/byte_vectors.h"
#include "filter/native/gaussian_blur/gaussian_blur_columns.h"
#include "filter/native/planes.h"
#include "filter/native/reach.h"
#include "kernel/pixel_rule.h"

#define SLACK LG_GAUSSIAN_SLACK
#define SPAN  256 // pixels whose sums stay in the first-level cache

typedef int16_t sample;

LG_GAUSSIAN_COLUMNS(columns, sample)

// ---- weighted sums ------------------------------------------------------------------------------

// What becomes of a sum: a sample for the second pass, a byte, a sample in 32nds, or the sum itself.
typedef enum result {
    RESULT_SAMPLE,
    RESULT_BYTE,
    RESULT_32ND,
    RESULT_SUM,
} result;

// Bits of a sum that are behind the point of a result.
INLINE int shift_of(const lg_gaussian *g, result kind)
{
    return g->shift + (kind == RESULT_BYTE ? LG_GAUSSIAN_FRACTION : kind == RESULT_32ND);
}

#ifdef BYTES
INLINE void store_bytes(uint8_t *to, vector first, vector second)
{
    store(to, to_bytes(first, second));
}

INLINE void store_sums(int32_t *to, vector low, vector high)
{
#if BYTES == 64
    const vector order = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const vector rest = _mm512_add_epi64(order, _mm512_set1_epi64(4));
    store(to, _mm512_permutex2var_epi64(low, order, high));
    store(to + 16, _mm512_permutex2var_epi64(low, rest, high));
#elif BYTES == 32
    store(to, _mm256_permute2x128_si256(low, high, 0x20));
    store(to + 8, _mm256_permute2x128_si256(low, high, 0x31));
#else
    store(to, low);
    store(to + 4, high);
#endif
}

#define SAMPLES (BYTES / 2) // of a vector

#define BLOCK 4 // vectors that are done together
#define GROUP (BLOCK * SAMPLES)

// Whether one instruction adds two products to a sum (AVX512-VNNI): part of no level, but of most processors
// that have the highest one.
INLINE bool has_fused(void)
{
#if defined(__AVX512BW__)
    return __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

INLINE vector add_products(vector sum, vector pairs, vector weights, const bool fused)
{
#if defined(__AVX512BW__)
    if (fused) {
        __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(pairs), "v"(weights));
        return sum;
    }
#endif
    return OP(add_epi32)(sum, OP(madd_epi16)(pairs, weights));
}

// Adds two rows, with a pair of weights, to sums: in each 128 bits sum[.][0] has the lower half of the
// samples.
INLINE void add_rows(vector a, vector b, vector weights, vector sum[2], const bool fused)
{
    sum[0] = add_products(sum[0], OP(unpacklo_epi16)(a, b), weights, fused);
    sum[1] = add_products(sum[1], OP(unpackhi_epi16)(a, b), weights, fused);
}

INLINE vector twins(const sample *a, const sample *b, size_t at)
{
    return OP(add_epi16)(load(a + at), load(b + at));
}

// A group of results from `at` on.
INLINE void weigh_group(const lg_gaussian *g, const sample *const *rows, size_t at, result kind,
                        const bool fused, void *out)
{
    const int shift = shift_of(g, kind);
    const vector start = OP(set1_epi32)(kind == RESULT_SUM ? 0 : 1 << (shift - 1));
    const sample *const *middle = rows + g->taps;
    const int32_t *pairs = g->pairs;
    vector sum[BLOCK][2];
    const bool odd = g->taps % 2; // then the centre makes a pair with its neighbours
    const vector first = OP(set1_epi32)(*pairs++);
    for (size_t v = 0; v < BLOCK; v++) {
        const vector centre = load(middle[0] + at + v * SAMPLES);
        sum[v][0] = sum[v][1] = start;
        add_rows(centre, odd ? twins(middle[-1], middle[1], at + v * SAMPLES) : centre, first,
                 sum[v], fused);
    }
    for (int k = 1 + odd; k <= g->taps; k += 2) {
        const vector weights = OP(set1_epi32)(*pairs++);
        const sample *a = middle[-k], *b = middle[k], *c = middle[-k - 1], *d = middle[k + 1];
        for (size_t v = 0; v < BLOCK; v++)
            add_rows(twins(a, b, at + v * SAMPLES), twins(c, d, at + v * SAMPLES), weights, sum[v],
                     fused);
    }
    for (size_t v = 0; kind == RESULT_SUM && v < BLOCK; v++)
        store_sums((int32_t *)out + at + v * SAMPLES, sum[v][0], sum[v][1]);
    for (size_t v = 0; kind != RESULT_SUM && v < BLOCK; v++)
        sum[v][0] =
            OP(packs_epi32)(OP(srai_epi32)(sum[v][0], shift), OP(srai_epi32)(sum[v][1], shift));
    for (size_t v = 0; kind == RESULT_BYTE && v < BLOCK; v += 2)
        store_bytes((uint8_t *)out + at + v * SAMPLES, sum[v][0], sum[v + 1][0]);
    for (size_t v = 0; (kind == RESULT_SAMPLE || kind == RESULT_32ND) && v < BLOCK; v++)
        store((sample *)out + at + v * SAMPLES, sum[v][0]);
}

#else

#define GROUP 1

INLINE bool has_fused(void)
{
    return false;
}

INLINE void weigh_group(const lg_gaussian *g, const sample *const *rows, size_t at, result kind,
                        const bool fused, void *out)
{
    const int shift = shift_of(g, kind);
    int32_t sum = kind == RESULT_SUM ? 0 : 1 << (shift - 1);
    sum += rows[g->taps][at] * g->whole[0];
    for (int k = 1; k <= g->taps; k++)
        sum += (rows[g->taps - k][at] + rows[g->taps + k][at]) * g->whole[k];
    if (kind == RESULT_SUM)
        ((int32_t *)out)[at] = sum;
    else if (kind == RESULT_BYTE)
        ((uint8_t *)out)[at] = (uint8_t)(sum >> shift);
    else
        ((sample *)out)[at] = (sample)(sum >> shift);
}

#endif

// Results for `count` samples, rounded up to whole groups.
INLINE void weigh(const lg_gaussian *g, const sample *const *rows, size_t count, result kind,
                  void *out)
{
    if (has_fused())
        for (size_t at = 0; at < count; at += GROUP)
            weigh_group(g, rows, at, kind, true, out);
    else
        for (size_t at = 0; at < count; at += GROUP)
            weigh_group(g, rows, at, kind, false, out);
}

static void weigh_samples(const lg_gaussian *g, const sample *const *rows, size_t count,
                          sample *out)
{
    weigh(g, rows, count, RESULT_SAMPLE, out);
}

static void weigh_32nds(const lg_gaussian *g, const sample *const *rows, size_t count, sample *out)
{
    weigh(g, rows, count, RESULT_32ND, out);
}

static void weigh_bytes(const lg_gaussian *g, const sample *const *rows, size_t count, uint8_t *out)
{
    weigh(g, rows, count, RESULT_BYTE, out);
}

static void weigh_sums(const lg_gaussian *g, const sample *const *rows, size_t count, int32_t *out)
{
    weigh(g, rows, count, RESULT_SUM, out);
}

// ---- rows ---------------------------------------------------------------------------------------

// What a tile works with.
typedef struct strip {
    const lg_gaussian_bytes *job;
    const lg_pixel_tile *tile;
    const sample **rows; // 2 taps + 1
    sample *line;        // sums of columns, with what the windows reach on either side
} strip;

static void put_bytes(const strip *s, int32_t x, int32_t y, int count, const sample *const *rows)
{
    const lg_pixels *out = &s->tile->out;
    const size_t samples = (size_t)(count * out->channels), whole = samples / GROUP * GROUP;
    uint8_t *to =
        (uint8_t *)out->data + (size_t)y * out->row_stride + (size_t)x * (size_t)out->channels;
    uint8_t rest[4 * SPAN + SLACK];
    weigh_bytes(s->job->g, rows, whole, to);
    if (whole < samples) {
        weigh_group(s->job->g, rows, whole, RESULT_BYTE, false, rest);
        memcpy(to + whole, rest + whole, samples - whole);
    }
    if (out->alpha == LG_ALPHA_OPAQUE && out->channels > 1)
        lg_set_alpha(LG_U8, out->channels, NULL, (size_t)count, (char *)to);
}

static void put_floats(const strip *s, int32_t x, int32_t y, int count, const sample *const *rows)
{
    int32_t sums[4 * SPAN + SLACK];
    float values[4 * SPAN];
    const int samples = count * s->tile->in.channels;
    weigh_sums(s->job->g, rows, (size_t)samples, sums);
    for (int i = 0; i < samples; i++)
        values[i] = (float)sums[i] * s->job->scale;
    lg_samples_store(lg_stage_get(LG_CPU_LEVEL_ID), &s->tile->in, &s->tile->out, x, y, count,
                     values);
}

// What extrapolate makes of the image and the floats of put_floats.
static void put_mixed(const strip *s, int32_t x, int32_t y, int count, const sample *const *rows)
{
    const lg_pixels *in = &s->tile->in, *out = &s->tile->out;
    const size_t at = (size_t)x * (size_t)in->channels;
    const uint8_t *restrict from = (const uint8_t *)in->data + (size_t)y * in->row_stride + at;
    uint8_t *restrict to = (uint8_t *)out->data + (size_t)y * out->row_stride + at;
    int32_t sums[4 * SPAN + SLACK];
    const int samples = count * in->channels;
    const float scale = s->job->scale, amount = s->job->amount;
    weigh_sums(s->job->g, rows, (size_t)samples, sums);
    for (int i = 0; i < samples; i++)
        to[i] = (uint8_t)lg_to_unit(
            lg_mix((float)sums[i] * scale, (float)from[i] * LG_UNIT_U8, amount), 255.0f);
    if (out->alpha == LG_ALPHA_OPAQUE && out->channels > 1)
        lg_set_alpha(LG_U8, out->channels, NULL, (size_t)count, (char *)to);
}

static void put_row(const strip *s, int32_t y)
{
    const lg_gaussian *g = s->job->g;
    const lg_pixel_tile *t = s->tile;
    const int64_t channels = t->in.channels;
    for (int32_t x = t->x; x < t->x_end; x += SPAN) {
        for (int k = 0; k <= 2 * g->taps; k++)
            s->rows[k] = s->line + (k + (x - t->x)) * channels;
        (s->job->mixed     ? put_mixed
         : s->job->rounded ? put_bytes
                           : put_floats)(s, x, y, LG_MIN(t->x_end - x, SPAN), s->rows);
    }
}

#define AHEAD 2 // rows that are asked for before they are needed

static void load_row(const uint8_t *restrict from, const uint8_t *next, size_t count,
                     sample *restrict to)
{
    for (size_t i = 0; i < count; i += 64)
        __builtin_prefetch(next + i, 0, 2);
    for (size_t i = 0; i < count; i++)
        to[i] = (sample)(from[i] << LG_GAUSSIAN_FRACTION);
}

static char *take(char **memory, size_t bytes)
{
    char *taken = *memory;
    *memory += lg_align_up(bytes, 64);
    return taken;
}

static void run(const void *job_, const lg_pixel_tile *t, char *scratch)
{
    const lg_gaussian_bytes *job = job_;
    const lg_gaussian *g = job->g;
    const size_t channels = (size_t)t->in.channels;
    const size_t width = (size_t)(t->x_end - t->x) + 2 * (size_t)g->radius;
    const size_t pitch = lg_align_up(width * channels + SLACK, 32);
    strip s = {.job = job, .tile = t};
    char *const begin = scratch;
    s.rows = (const sample **)take(&scratch, (2 * (size_t)g->taps + 1) * sizeof *s.rows);
    s.line = (sample *)take(&scratch, pitch * sizeof(sample));
    const char *zeros = take(&scratch, pitch);
    sample *state = (sample *)take(&scratch, pitch * sizeof(sample) * lg_gaussian_state_rows(g));
    memset(begin, 0, (size_t)(scratch - begin));
    const lg_reach reach = lg_reach_of(t, job->border, g->radius, zeros);
    const size_t count = (size_t)(reach.inside_end - reach.inside) * channels;
    sample *inside = s.line + (size_t)(reach.inside - reach.first) * channels;
    for (int64_t i = 0; i < t->y_end - t->y + 2 * (int64_t)g->radius; i++) {
        const int64_t y = t->y - g->radius + i;
        load_row(lg_reach_row(&reach, y), lg_reach_row(&reach, y + AHEAD), count,
                 columns_place(g, state, pitch, i));
        if (!columns_advance(g, state, pitch, i, s.rows))
            continue;
        weigh_samples(g, s.rows, count, inside);
        lg_reach_fill(&reach, s.line, channels * sizeof(sample));
        put_row(&s, (int32_t)(t->y + i - 2 * g->radius));
    }
}

// ---- planes of other filters --------------------------------------------------------------------

static void feed_row(const lg_gaussian *g, sample *state, size_t pitch, int64_t index,
                     const uint8_t *row, int count, sample *out)
{
    const sample *rows[2 * LG_GAUSSIAN_TAPS + 1];
    load_row(row, row, (size_t)count, columns_place(g, state, pitch, index));
    if (columns_advance(g, state, pitch, index, rows) && out)
        weigh_samples(g, rows, (size_t)count, out);
}

static void line(const lg_gaussian *g, const sample *samples, int64_t count, sample *out)
{
    const sample *rows[2 * LG_GAUSSIAN_TAPS + 1];
    for (int k = 0; k <= 2 * g->taps; k++)
        rows[k] = samples + k;
    weigh_32nds(g, rows, (size_t)count, out);
}

extern const lg_gaussian_bytes_table LG_CPU_TABLE(gaussian_bytes);
const lg_gaussian_bytes_table LG_CPU_TABLE(gaussian_bytes) = {run, feed_row, line, weigh_samples};
