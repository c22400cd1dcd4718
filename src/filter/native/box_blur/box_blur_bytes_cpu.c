// Running sums of bytes: columns in 16 bits, windows in 32. Two rows are done at a time.
#include "filter/alpha.h"
#include "filter/native/box_blur/box_blur_columns.h"
#include "filter/native/planes.h"
#include "filter/three_rows.h"

#include <math.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define LEAD   16 // sums before the first column; the last pixel of them stays 0
#define TAIL   64 // sums that may be read behind the last one
#define GROUP  8  // pixels that a kernel does at a time

LG_BOX_COLUMNS(bytes, uint8_t, uint16_t)

// ---- columns ------------------------------------------------------------------------------------

#if defined(__AVX2__)
// From memory the conversion costs a load and nothing else, which compilers do not make of the loop.
INLINE __m256i widened(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
}
#endif

static size_t samples_of(const lg_reach *r, int64_t x, int64_t x_end)
{
    return (size_t)(x_end - x) * (size_t)r->in->channels;
}

static void fill_both(const lg_reach *r, uint16_t *a, uint16_t *b)
{
    lg_reach_fill(r, a, (size_t)r->in->channels * sizeof *a);
    lg_reach_fill(r, b, (size_t)r->in->channels * sizeof *b);
}

// a and b have the sums around rows y - 2 and y - 1 and get those around y and y + 1.
static void next_rows(const lg_reach *r, int radius, uint16_t *a, uint16_t *b, int64_t y)
{
    const uint8_t *restrict drop_a = lg_reach_row(r, y - radius - 1);
    const uint8_t *restrict add_a = lg_reach_row(r, y + radius);
    const uint8_t *restrict drop_b = lg_reach_row(r, y - radius);
    const uint8_t *restrict add_b = lg_reach_row(r, y + radius + 1);
    const size_t from = samples_of(r, r->first, r->inside);
    const size_t n = samples_of(r, r->inside, r->inside_end);
    uint16_t *restrict to_a = a + from, *restrict to_b = b + from;
    size_t i = 0;
#if defined(__AVX2__)
    for (; i + 16 <= n; i += 16) {
        const __m256i out_a = widened(drop_a + i), in_a = widened(add_a + i);
        const __m256i out_b = widened(drop_b + i), in_b = widened(add_b + i);
        const __m256i before = _mm256_loadu_si256((const void *)(to_b + i));
        const __m256i first = _mm256_add_epi16(before, _mm256_sub_epi16(in_a, out_a));
        _mm256_storeu_si256((void *)(to_a + i), first);
        _mm256_storeu_si256((void *)(to_b + i),
                            _mm256_add_epi16(first, _mm256_sub_epi16(in_b, out_b)));
    }
#endif
    for (; i < n; i++) {
        const uint16_t first = (uint16_t)(to_b[i] + add_a[i] - drop_a[i]);
        to_a[i] = first;
        to_b[i] = (uint16_t)(first + add_b[i] - drop_b[i]);
    }
    fill_both(r, a, b);
}

// The same of three rows each, of which two serve both: of rows that are shorter than a vector.
static void next_threes(const lg_reach *r, uint16_t *a, uint16_t *b, int64_t y)
{
    const uint8_t *restrict above = lg_reach_row(r, y - 1), *restrict first = lg_reach_row(r, y);
    const uint8_t *restrict second = lg_reach_row(r, y + 1), *restrict below =
                                                                 lg_reach_row(r, y + 2);
    const size_t from = samples_of(r, r->first, r->inside);
    const size_t n = samples_of(r, r->inside, r->inside_end);
    uint16_t *restrict to_a = a + from, *restrict to_b = b + from;
    for (size_t i = 0; i < n; i++) {
        const uint16_t both = (uint16_t)(first[i] + second[i]);
        to_a[i] = (uint16_t)(both + above[i]);
        to_b[i] = (uint16_t)(both + below[i]);
    }
    fill_both(r, a, b);
}

// ---- windows ------------------------------------------------------------------------------------

// Where two rows stand: the columns that come into their windows next, and the sums of the windows
// without them, but with the column that then leaves: sum[row * channels + channel].
typedef struct windows {
    const uint16_t *a, *b;
    size_t back; // from the column that comes to the one that leaves
    int32_t sum[8];
} windows;

static windows begin(const uint16_t *a, const uint16_t *b, int size, int channels)
{
    windows w = {
        a + (size - 1) * channels, b + (size - 1) * channels, (size_t)(size * channels), {0}};
    for (int i = 0; i < size - 1; i++)
        for (int c = 0; c < channels; c++) {
            w.sum[c] += a[i * channels + c];
            w.sum[channels + c] += b[i * channels + c];
        }
    return w;
}

// What a kernel writes: means as bytes, rounded to nearest, or as floats. `opaque` is or-ed to four
// bytes. Row b is written first: it may be at a's place when there is no such row.
typedef struct sink {
    char *a, *b;
    float scale;
    uint32_t opaque;
} sink;

#if defined(__AVX2__)

typedef __m256i vector;

// Two pixels of row a below and of row b above: nothing crosses lanes from here on.
INLINE vector load(const uint16_t *a, const uint16_t *b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)a)),
                                   _mm_loadu_si128((const void *)b), 1);
}

INLINE vector rounded(vector sums, __m256 scale)
{
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale));
}

INLINE void put_floats(vector sums, float *to_a, float *to_b, __m256 scale)
{
    const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale);
    _mm_storeu_ps(to_b, _mm256_extractf128_ps(v, 1));
    _mm_storeu_ps(to_a, _mm256_castps256_ps128(v));
}

// What pairs of sums, of the column that comes and the one that leaves, add to windows.
INLINE vector change(vector pairs)
{
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32((int)0xffff0001u));
}

// Four sums a vector, a pixel of each row.
INLINE void put4(const vector s[4], sink to, size_t pixel, bool bytes)
{
    const __m256 scale = _mm256_set1_ps(to.scale);
    const size_t at = pixel * 4;
    for (size_t k = 0; !bytes && k < 4; k++)
        put_floats(s[k], (float *)to.a + at + 4 * k, (float *)to.b + at + 4 * k, scale);
    if (!bytes)
        return;
    const vector low = _mm256_packs_epi32(rounded(s[0], scale), rounded(s[1], scale));
    const vector high = _mm256_packs_epi32(rounded(s[2], scale), rounded(s[3], scale));
    const vector all =
        _mm256_or_si256(_mm256_packus_epi16(low, high), _mm256_set1_epi32((int)to.opaque));
    _mm_storeu_si128((void *)(to.b + at), _mm256_extracti128_si256(all, 1));
    _mm_storeu_si128((void *)(to.a + at), _mm256_castsi256_si128(all));
}

INLINE void sums4(const uint16_t *row[4], size_t at, vector *sum, vector s[4])
{
    for (size_t k = 0; k < 4; k += 2, at += 8) {
        const vector in = load(row[0] + at, row[1] + at), out = load(row[2] + at, row[3] + at);
        s[k] = _mm256_add_epi32(*sum, change(_mm256_unpacklo_epi16(in, out)));
        s[k + 1] = *sum = _mm256_add_epi32(s[k], change(_mm256_unpackhi_epi16(in, out)));
    }
}

INLINE void four_channels(windows *w, sink to, size_t pixels, bool bytes)
{
    const uint16_t *row[4] = {w->a, w->b, w->a - w->back, w->b - w->back};
    vector sum = _mm256_loadu_si256((const void *)w->sum), s[4], next[4];
    // A group is written while the next one is summed, which keeps more units busy.
    if (pixels)
        sums4(row, 0, &sum, s);
    for (size_t i = 4; i < pixels; i += 4) {
        sums4(row, 4 * i, &sum, next);
        put4(s, to, i - 4, bytes);
        memcpy(s, next, sizeof s);
    }
    if (pixels)
        put4(s, to, pixels - 4, bytes);
    w->a += 4 * pixels;
    w->b += 4 * pixels;
    _mm256_storeu_si256((void *)w->sum, sum);
}

// Sums up to each of four pixels of both rows; *carry is the sum before and becomes that behind them.
INLINE vector running(vector change, vector *carry)
{
    change = _mm256_add_epi32(change, _mm256_slli_si256(change, 4));
    change = _mm256_add_epi32(change, _mm256_slli_si256(change, 8));
    const vector sums = _mm256_add_epi32(change, *carry);
    *carry = _mm256_add_epi32(*carry, _mm256_shuffle_epi32(change, 0xff));
    return sums;
}

INLINE void one_channel(windows *w, sink to, size_t pixels, bool bytes)
{
    const __m256 scale = _mm256_set1_ps(to.scale);
    const uint16_t *old_a = w->a - w->back, *old_b = w->b - w->back;
    vector carry = _mm256_setr_epi32(w->sum[0], w->sum[0], w->sum[0], w->sum[0], w->sum[1],
                                     w->sum[1], w->sum[1], w->sum[1]);
    for (size_t i = 0; i < pixels; i += 8) {
        const vector in = load(w->a + i, w->b + i), out = load(old_a + i, old_b + i);
        const vector low = running(change(_mm256_unpacklo_epi16(in, out)), &carry);
        const vector high = running(change(_mm256_unpackhi_epi16(in, out)), &carry);
        if (bytes) {
            const vector r = _mm256_packs_epi32(rounded(low, scale), rounded(high, scale));
            const vector all = _mm256_packus_epi16(r, r);
            _mm_storel_epi64((void *)(to.b + i), _mm256_extracti128_si256(all, 1));
            _mm_storel_epi64((void *)(to.a + i), _mm256_castsi256_si128(all));
        } else {
            put_floats(low, (float *)to.a + i, (float *)to.b + i, scale);
            put_floats(high, (float *)to.a + i + 4, (float *)to.b + i + 4, scale);
        }
    }
    w->a += pixels;
    w->b += pixels;
    w->sum[0] = _mm256_extract_epi32(carry, 0);
    w->sum[1] = _mm256_extract_epi32(carry, 4);
}

#elif defined(__SSE2__)

typedef __m128i vector;

INLINE vector change(const uint16_t *row, size_t back)
{
    return _mm_sub_epi16(_mm_loadu_si128((const void *)row),
                         _mm_loadu_si128((const void *)(row - back)));
}

// Four sums that lie side by side.
INLINE void put(const vector *s, int count, char *to, bool bytes, const sink *k)
{
    const __m128 scale = _mm_set1_ps(k->scale);
    vector r[4] = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
                   _mm_setzero_si128()};
    for (int i = 0; i < count; i++) {
        const __m128 v = _mm_mul_ps(_mm_cvtepi32_ps(s[i]), scale);
        r[i] = _mm_cvtps_epi32(v);
        if (!bytes)
            _mm_storeu_ps((float *)to + 4 * i, v);
    }
    const vector all =
        _mm_or_si128(_mm_packus_epi16(_mm_packs_epi32(r[0], r[1]), _mm_packs_epi32(r[2], r[3])),
                     _mm_set1_epi32((int)k->opaque));
    if (bytes && count == 4)
        _mm_storeu_si128((void *)to, all);
    else if (bytes)
        _mm_storel_epi64((void *)to, all);
}

// Two rows after each other: the sums of a row start from `sum`.
INLINE void four_channels_row(const uint16_t *row, size_t back, int32_t *sum, size_t pixels,
                              char *to, bool bytes, const sink *k)
{
    const size_t size = bytes ? 1 : sizeof(float);
    vector last = _mm_loadu_si128((const void *)sum), s[4];
    for (size_t i = 0; i < pixels; i += 4) {
        for (int h = 0; h < 2; h++) {
            const vector d = change(row + 4 * i + 8 * h, back), sign = _mm_srai_epi16(d, 15);
            s[2 * h] = _mm_add_epi32(last, _mm_unpacklo_epi16(d, sign));
            s[2 * h + 1] = last = _mm_add_epi32(s[2 * h], _mm_unpackhi_epi16(d, sign));
        }
        put(s, 4, to + 4 * i * size, bytes, k);
    }
    _mm_storeu_si128((void *)sum, last);
}

INLINE vector prefix(vector v)
{
    v = _mm_add_epi32(v, _mm_slli_si128(v, 4));
    return _mm_add_epi32(v, _mm_slli_si128(v, 8));
}

INLINE void one_channel_row(const uint16_t *row, size_t back, int32_t *sum, size_t pixels, char *to,
                            bool bytes, const sink *k)
{
    const size_t size = bytes ? 1 : sizeof(float);
    vector last = _mm_set1_epi32(*sum), s[2];
    for (size_t i = 0; i < pixels; i += 8) {
        const vector d = change(row + i, back), sign = _mm_srai_epi16(d, 15);
        s[0] = _mm_add_epi32(last, prefix(_mm_unpacklo_epi16(d, sign)));
        last = _mm_shuffle_epi32(s[0], 0xff);
        s[1] = _mm_add_epi32(last, prefix(_mm_unpackhi_epi16(d, sign)));
        last = _mm_shuffle_epi32(s[1], 0xff);
        put(s, 2, to + i * size, bytes, k);
    }
    *sum = _mm_cvtsi128_si32(last);
}

INLINE void four_channels(windows *w, sink to, size_t pixels, bool bytes)
{
    four_channels_row(w->b, w->back, w->sum + 4, pixels, to.b, bytes, &to);
    four_channels_row(w->a, w->back, w->sum, pixels, to.a, bytes, &to);
    w->a += 4 * pixels;
    w->b += 4 * pixels;
}

INLINE void one_channel(windows *w, sink to, size_t pixels, bool bytes)
{
    one_channel_row(w->b, w->back, w->sum + 1, pixels, to.b, bytes, &to);
    one_channel_row(w->a, w->back, w->sum, pixels, to.a, bytes, &to);
    w->a += pixels;
    w->b += pixels;
}

#else

INLINE void plain_row(const uint16_t *row, size_t back, int32_t *sum, size_t pixels, int channels,
                      char *to, bool bytes, const sink *k)
{
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < channels; c++) {
            const size_t at = i * (size_t)channels + (size_t)c;
            sum[c] += row[at] - (row - back)[at];
            const float v = (float)sum[c] * k->scale;
            if (bytes)
                ((uint8_t *)to)[at] = (uint8_t)lrintf(v) | (c == 3 && k->opaque ? 255 : 0);
            else
                ((float *)to)[at] = v;
        }
}

INLINE void plain(windows *w, sink to, size_t pixels, int channels, bool bytes)
{
    plain_row(w->b, w->back, w->sum + channels, pixels, channels, to.b, bytes, &to);
    plain_row(w->a, w->back, w->sum, pixels, channels, to.a, bytes, &to);
    w->a += pixels * (size_t)channels;
    w->b += pixels * (size_t)channels;
}

INLINE void four_channels(windows *w, sink to, size_t pixels, bool bytes)
{
    plain(w, to, pixels, 4, bytes);
}

INLINE void one_channel(windows *w, sink to, size_t pixels, bool bytes)
{
    plain(w, to, pixels, 1, bytes);
}

#endif

// ---- rows ---------------------------------------------------------------------------------------

static void bytes_4(windows *w, sink to, size_t pixels)
{
    four_channels(w, to, pixels, true);
}

static void bytes_1(windows *w, sink to, size_t pixels)
{
    one_channel(w, to, pixels, true);
}

static void floats_4(windows *w, sink to, size_t pixels)
{
    four_channels(w, to, pixels, false);
}

static void floats_1(windows *w, sink to, size_t pixels)
{
    one_channel(w, to, pixels, false);
}

// Rows y and, unless it is the last, y + 1 as bytes; groups that are not whole go through `rest`.
static void store_bytes(const lg_box_job *job, const lg_pixel_tile *t, windows *w, int32_t y)
{
    const lg_pixels *out = &t->out;
    const size_t channels = (size_t)out->channels;
    const size_t pixels = (size_t)(t->x_end - t->x), whole = pixels / GROUP * GROUP;
    void (*const run)(windows *, sink, size_t) = channels == 4 ? bytes_4 : bytes_1;
    char *a = out->data + (size_t)y * out->row_stride + (size_t)t->x * channels;
    char *b = y + 1 < t->y_end ? a + out->row_stride : a;
    char rest[2][4 * GROUP];
    const uint32_t opaque = channels == 4 && out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0;
    run(w, (sink){a, b, job->scale, opaque}, whole);
    if (whole == pixels)
        return;
    run(w, (sink){rest[0], rest[1], job->scale, opaque}, GROUP);
    memcpy(b + whole * channels, rest[1], (pixels - whole) * channels);
    memcpy(a + whole * channels, rest[0], (pixels - whole) * channels);
}

// ---- narrow windows -----------------------------------------------------------------------------

// Sums of 3 x 3 and 5 x 5 bytes have 16 bits, and are added anew for each pixel. An odd number of samples has
// no means halfway between two bytes, so (sum + samples / 2) / samples is the rounded mean. The quotient
// is floor(sum * factor / 2^(16 + shift)) for all sums up to 9 * 255 + 4 and 25 * 255 + 12: what the factor
// is above 2^(16 + shift) / samples makes less than 1 / samples of the quotient.
INLINE void narrow_row(const uint16_t *restrict v, const int size, const int step, size_t count,
                       uint8_t *restrict to)
{
    const uint32_t samples = (uint32_t)(size * size), shift = size == 3 ? 0 : 4;
    const uint16_t factor = (uint16_t)(((65536u << shift) + samples - 1) / samples);
    for (size_t i = 0; i < count; i++) {
        uint16_t sum = (uint16_t)(samples / 2);
        for (int k = 0; k < size; k++)
            sum = (uint16_t)(sum + v[i + (size_t)(k * step)]);
        const uint16_t high = (uint16_t)((uint32_t)sum * factor >> 16);
        to[i] = (uint8_t)(high >> shift);
    }
}

static void store_narrow(const lg_box_job *job, const lg_pixel_tile *t, const uint16_t *const v[2],
                         int32_t y)
{
    const lg_pixels *out = &t->out;
    const size_t pixels = (size_t)(t->x_end - t->x), count = pixels * (size_t)out->channels;
    for (int32_t k = 0; k < 2 && y + k < t->y_end; k++) {
        char *at = out->data + (size_t)(y + k) * out->row_stride + (size_t)(t->x * out->channels);
        uint8_t *to = (uint8_t *)at;
        if (job->radius == 1 && out->channels == 1)
            narrow_row(v[k], 3, 1, count, to);
        else if (job->radius == 1)
            narrow_row(v[k], 3, 4, count, to);
        else if (out->channels == 1)
            narrow_row(v[k], 5, 1, count, to);
        else
            narrow_row(v[k], 5, 4, count, to);
        if (out->channels == 4 && out->alpha == LG_ALPHA_OPAQUE)
            lg_set_alpha(out->type, out->channels, NULL, pixels, at);
    }
}

static void store_floats(const lg_box_job *job, const lg_pixel_tile *t, windows *w, int32_t y)
{
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    float results[2][4 * LG_SPAN] __attribute__((aligned(64)));
    const sink to = {(char *)results[0], (char *)results[1], job->scale, 0};
    for (int32_t x = t->x; x < t->x_end; x += LG_SPAN) {
        const int32_t count = LG_MIN(t->x_end - x, LG_SPAN);
        const size_t pixels = (size_t)(count + GROUP - 1) / GROUP * GROUP;
        (t->in.channels == 4 ? floats_4 : floats_1)(w, to, pixels);
        for (int32_t k = 0; k < 2 && y + k < t->y_end; k++)
            lg_samples_store(stage, &t->in, &t->out, x, y + k, count, results[k]);
    }
}

#if LG_BLOCK_VECTORS
static bool run_three(const lg_box_job *job, const lg_pixel_tile *t)
{
    const lg_pixels *out = &t->out;
    const size_t step = (size_t)out->channels;
    const lg_three_rows three = {.step = out->channels,
                                 .count = (size_t)(t->x_end - t->x) * step,
                                 .border = job->border,
                                 .along = {1, 1, 1},
                                 .set =
                                     step == 4 && out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0,
                                 .stream = job->past_caches && out->row_stride % 64 == 0 &&
                                           ((uintptr_t)out->data + (size_t)t->x * step) % 64 == 0};
    const bool takes = job->rounded && job->radius == 1 && (step == 1 || step == 4) &&
                       three.count >= LG_BLOCK_SIZE;
    if (takes)
        lg_three_run(&three, &t->in, out, t->x, t->y, t->y_end, true);
    return takes;
}
#endif

static void run(const void *job_, const lg_pixel_tile *t, char *scratch)
{
    const lg_box_job *job = job_;
#if LG_BLOCK_VECTORS
    if (run_three(job, t))
        return;
#endif
    const int channels = t->in.channels, size = 2 * job->radius + 1;
    const size_t sums = (size_t)(t->x_end - t->x + size - 1) * (size_t)channels + LEAD + TAIL;
    uint16_t *const a = (uint16_t *)scratch + LEAD, *const b = a + lg_align_up(sums, 32);
    char *zeros = (char *)(b + lg_align_up(sums, 32));
    memset(scratch, 0, (size_t)(zeros - scratch) + sums);
    const lg_reach reach = lg_reach_of(t, job->border, job->radius, zeros);
    sum_bytes(&reach, job->down, b, (int64_t)t->y - 1);
    for (int32_t y = t->y; y < t->y_end; y += 2) {
        if (job->radius == 1)
            next_threes(&reach, a, b, y);
        else
            next_rows(&reach, job->radius, a, b, y);
        if (job->rounded && (job->radius == 1 || job->radius == 2)) {
            store_narrow(job, t, (const uint16_t *const[2]){a, b}, y);
            continue;
        }
        windows w = begin(a, b, size, channels);
        (job->rounded ? store_bytes : store_floats)(job, t, &w, y);
    }
}

extern const lg_box_run_fn LG_CPU_TABLE(box_bytes);
const lg_box_run_fn LG_CPU_TABLE(box_bytes) = run;
