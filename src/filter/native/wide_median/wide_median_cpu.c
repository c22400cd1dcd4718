// Median of a square window of any radius, for one CPU level.
#include "filter/native/wide_median/wide_median.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "kernel/pixel_rule.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define ALWAYS  inline __attribute__((always_inline))
#define BUCKETS 256

// Parts of scratch memory; NULL while only its size is wanted.
static ALWAYS void *place_at(char *memory, size_t offset)
{
    return memory ? memory + offset : NULL;
}

// ---- histograms -----------------------------------------------------------------------------------

typedef uint8_t narrow_columns16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t narrow_sums16 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t broad_columns16 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint32_t broad_sums16 __attribute__((vector_size(64), aligned(1), may_alias));

#if defined(__AVX2__)
#define narrow_widen(p)                                                                            \
    ((narrow_sums16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#else
#define narrow_widen(p)                                                                            \
    __builtin_convertvector(*(const narrow_columns16 *)(const void *)(p), narrow_sums16)
#endif
#define broad_widen(p)                                                                             \
    __builtin_convertvector(*(const broad_columns16 *)(const void *)(p), broad_sums16)

// How many of 16 cumulative counts are at most `rank`; not all of them are.
static ALWAYS unsigned narrow_bins_up_to(const narrow_sums16 *count, uint32_t rank)
{
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const __mmask16 above =
        _mm256_cmpgt_epu16_mask((__m256i)*count, _mm256_set1_epi16((short)rank));
    return (unsigned)__builtin_ctz(above);
#elif defined(__AVX2__)
    const __m256i over = _mm256_subs_epu16((__m256i)*count, _mm256_set1_epi16((short)rank));
    const __m256i up_to = _mm256_cmpeq_epi16(over, _mm256_setzero_si256());
    return (unsigned)__builtin_ctz(~(unsigned)_mm256_movemask_epi8(up_to)) / 2;
#elif defined(__SSE2__)
    const __m128i *c = (const __m128i *)(const void *)count;
    const __m128i r = _mm_set1_epi16((short)rank), zero = _mm_setzero_si128();
    const __m128i low = _mm_cmpeq_epi16(_mm_subs_epu16(_mm_loadu_si128(c), r), zero);
    const __m128i high = _mm_cmpeq_epi16(_mm_subs_epu16(_mm_loadu_si128(c + 1), r), zero);
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    unsigned n = 0;
    for (int i = 0; i < 16; i++)
        n += (*count)[i] <= rank;
    return n;
#endif
}

static ALWAYS unsigned broad_bins_up_to(const broad_sums16 *count, uint32_t rank)
{
    unsigned n = 0;
    for (int i = 0; i < 16; i++)
        n += (*count)[i] <= rank;
    return n;
}

#define COLUMN  uint8_t
#define SUM     uint16_t
#define NAME(x) narrow_##x
#include "filter/native/wide_median/wide_median_windows.h"
#undef COLUMN
#undef SUM
#undef NAME
#define COLUMN  uint16_t
#define SUM     uint32_t
#define NAME(x) broad_##x
#include "filter/native/wide_median/wide_median_windows.h"
#undef COLUMN
#undef SUM
#undef NAME

typedef struct windows {
    bool narrow;
    narrow_windows n;
    broad_windows b;
    uint32_t rank;
} windows;

static size_t lay_out(windows *w, int32_t radius, int32_t width, char *memory)
{
    const uint32_t side = 2 * (uint32_t)radius + 1;
    w->narrow = radius <= LG_MEDIAN_NARROW;
    w->rank = side * side / 2;
    return w->narrow ? narrow_lay_out(&w->n, radius, width, memory)
                     : broad_lay_out(&w->b, radius, width, memory);
}

static void clear(const windows *w)
{
    if (w->narrow)
        narrow_clear(&w->n);
    else
        broad_clear(&w->b);
}

static void add_line(const windows *w, const uint8_t *come)
{
    if (w->narrow)
        narrow_add_line(&w->n, come);
    else
        broad_add_line(&w->b, come);
}

// ---- bytes ----------------------------------------------------------------------------------------

// Scratch of a tile of bytes: histograms, lines that go and come, and results where they cannot be
// written at once.
typedef struct byte_scratch {
    windows w;
    uint8_t *gone, *come, *results;
    size_t plane; // bytes of the results of a channel
} byte_scratch;

static size_t lay_out_bytes(byte_scratch *s, const lg_median_job *job, int32_t width, int32_t rows,
                            char *memory)
{
    const size_t line = lg_align_up((size_t)width + 2 * (size_t)job->radius, 64);
    const size_t at = lay_out(&s->w, job->radius, width, memory);
    s->gone = place_at(memory, at);
    s->come = place_at(memory, at + line);
    s->results = place_at(memory, at + 2 * line);
    s->plane = lg_align_up((size_t)width * (size_t)rows, 64);
    return at + 2 * line + 3 * s->plane;
}

static size_t bytes_scratch(const lg_median_job *job)
{
    byte_scratch s;
    return lay_out_bytes(&s, job, job->strip, job->band, NULL);
}

// A channel of row y, which may lie outside, from column t->x - radius on.
static void take_line(const lg_median_job *job, const lg_pixel_tile *t, int channel, int64_t y,
                      uint8_t *restrict to)
{
    const lg_pixels *in = &t->in;
    const int64_t first = (int64_t)t->x - job->radius, end = (int64_t)t->x_end + job->radius;
    const int64_t row = lg_border_index(y, in->height, job->border);
    if (row < 0) {
        memset(to, 0, (size_t)(end - first));
        return;
    }
    const int step = in->channels;
    const uint8_t *restrict from =
        (const uint8_t *)in->data + (size_t)row * in->row_stride + channel;
    const int64_t inside = LG_MAX(first, 0), inside_end = LG_MIN(end, in->width);
    if (step == 1)
        memcpy(to + (inside - first), from + inside, (size_t)(inside_end - inside));
    else if (step == 4)
        for (int64_t x = inside; x < inside_end; x++)
            to[x - first] = from[4 * x];
    else
        for (int64_t x = inside; x < inside_end; x++)
            to[x - first] = from[step * x];
    for (int64_t x = first; x < end; x++) {
        x = x == inside ? inside_end : x;
        if (x >= end)
            break;
        const int64_t column = lg_border_index(x, in->width, job->border);
        to[x - first] = column < 0 ? 0 : from[step * column];
    }
}

// Medians of a channel to rows `stride` apart.
static void filter_bytes(const lg_median_job *job, const lg_pixel_tile *t, byte_scratch *s,
                         int channel, uint8_t *to, size_t stride)
{
    clear(&s->w);
    for (int64_t y = (int64_t)t->y - job->radius; y < (int64_t)t->y + job->radius; y++) {
        take_line(job, t, channel, y, s->come);
        add_line(&s->w, s->come);
    }
    for (int64_t y = t->y; y < t->y_end; y++, to += stride) {
        const uint8_t *gone = y > t->y ? s->gone : NULL;
        if (gone)
            take_line(job, t, channel, y - job->radius - 1, s->gone);
        take_line(job, t, channel, y + job->radius, s->come);
        if (s->w.narrow)
            narrow_slide_bytes(&s->w.n, gone, s->come, s->w.rank, to);
        else
            broad_slide_bytes(&s->w.b, gone, s->come, s->w.rank, to);
    }
}

// Puts colours beside the alpha of the centre, and stores them.
static void store_row(const lg_median_job *job, const lg_pixel_tile *t, int planes, int32_t x,
                      int32_t y, int count, const float *const colors[3])
{
    float values[4][LG_SPAN] __attribute__((aligned(64)));
    float *const to[4] = {values[0], values[1], values[2], values[3]};
    job->stage->load(&t->in, x, y, count, to);
    for (int k = 0; k < 3; k++)
        if (planes == 1 || k < planes)
            memcpy(values[k], colors[planes == 1 ? 0 : k], (size_t)count * sizeof(float));
    job->stage->store(&t->out, x, y, count, to);
}

static void store_bytes(const lg_median_job *job, const lg_pixel_tile *t, const byte_scratch *s,
                        int planes)
{
    const size_t width = (size_t)(t->x_end - t->x);
    float colors[3][LG_SPAN];
    for (int32_t y = t->y; y < t->y_end; y++)
        for (int32_t x = t->x; x < t->x_end; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, t->x_end - x);
            for (int k = 0; k < planes; k++) {
                const uint8_t *from = s->results + (size_t)k * s->plane +
                                      (size_t)(y - t->y) * width + (size_t)(x - t->x);
                for (int i = 0; i < count; i++)
                    colors[k][i] = (float)from[i] * LG_UNIT_U8;
            }
            store_row(job, t, planes, x, y, count,
                      (const float *const[3]){colors[0], colors[1], colors[2]});
        }
}

static void bytes(const void *job_pointer, const lg_pixel_tile *t, char *memory)
{
    const lg_median_job *job = job_pointer;
    const lg_image_params kind = {
        .channels = t->in.channels, .type = t->in.type, .alpha = t->in.alpha};
    const int planes = lg_median_planes(&kind);
    byte_scratch s;
    lay_out_bytes(&s, job, t->x_end - t->x, t->y_end - t->y, memory);
    if (t->in.channels == 1 && t->out.channels == 1 && t->out.type == LG_U8) {
        uint8_t *to = (uint8_t *)t->out.data + (size_t)t->y * t->out.row_stride + t->x;
        filter_bytes(job, t, &s, 0, to, t->out.row_stride);
        return;
    }
    for (int k = 0; k < planes; k++)
        filter_bytes(job, t, &s, k, s.results + (size_t)k * s.plane, (size_t)(t->x_end - t->x));
    store_bytes(job, t, &s, planes);
}

// ---- samples that are sorted ----------------------------------------------------------------------

// A tile with all that its windows reach.
typedef struct sorted {
    windows w;
    int32_t width, height;   // of the tile
    int32_t columns, rows;   // with what stands around it
    size_t count;            // columns times rows
    uint64_t *order, *spare; // key, row and column
    uint8_t *buckets;        // of every sample
    uint16_t *xs, *ys;       // of the order, and a group behind it
    uint8_t *found;          // a row of buckets, and of
    uint32_t *rest;          // places in them
    float *row[4];
    float *results; // planes
} sorted;

#define GROUP 16 // samples of a bucket that are looked at together

// The next bytes of scratch memory, aligned.
static void *take(char *memory, size_t *at, size_t bytes)
{
    void *part = place_at(memory, *at);
    *at += lg_align_up(bytes, 64);
    return part;
}

static size_t lay_out_samples(sorted *s, const lg_median_job *job, int32_t width, int32_t height,
                              char *memory)
{
    s->width = width;
    s->height = height;
    s->columns = width + 2 * job->radius;
    s->rows = height + 2 * job->radius;
    s->count = (size_t)s->columns * (size_t)s->rows;
    const size_t count = lg_align_up(s->count + GROUP, 64), pixels = (size_t)width * (size_t)height;
    const size_t line = lg_align_up((size_t)s->columns, 64);
    size_t at = lay_out(&s->w, job->radius, width, memory);
    s->order = take(memory, &at, count * sizeof *s->order);
    s->spare = take(memory, &at, count * sizeof *s->spare);
    s->xs = take(memory, &at, count * sizeof *s->xs);
    s->ys = take(memory, &at, count * sizeof *s->ys);
    s->rest = take(memory, &at, line * sizeof *s->rest);
    for (int k = 0; k < 4; k++)
        s->row[k] = take(memory, &at, line * sizeof **s->row);
    s->results = take(memory, &at, 3 * pixels * sizeof *s->results);
    s->buckets = take(memory, &at, count);
    s->found = take(memory, &at, line);
    return at;
}

static size_t samples_scratch(const lg_median_job *job)
{
    sorted s;
    // Narrower tiles, at the edges, take no more.
    return lay_out_samples(&s, job, job->strip, job->band, NULL);
}

// Integers with the order of floats.
static ALWAYS uint32_t key_of(float v)
{
    const uint32_t bits = lg_bits(v);
    const uint32_t key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : key;
}

static ALWAYS float of_key(uint32_t key)
{
    return lg_from_bits(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

// Least significant digits first; digits that all keys share are left out.
static void sort(sorted *s)
{
    static const int digits = 4;
    uint32_t counts[4][256] = {{0}};
    for (size_t i = 0; i < s->count; i++)
        for (int d = 0; d < digits; d++)
            counts[d][s->order[i] >> (32 + 8 * d) & 255]++;
    for (int d = 0; d < digits; d++) {
        uint32_t *restrict next = counts[d], sum = 0;
        if (next[s->order[0] >> (32 + 8 * d) & 255] == s->count)
            continue;
        for (int i = 0; i < 256; i++) {
            const uint32_t n = next[i];
            next[i] = sum;
            sum += n;
        }
        const uint64_t *restrict from = s->order;
        uint64_t *restrict to = s->spare;
        for (size_t i = 0; i < s->count; i++)
            to[next[from[i] >> (32 + 8 * d) & 255]++] = from[i];
        s->spare = s->order;
        s->order = to;
    }
}

static size_t bucket_size(const sorted *s)
{
    return (s->count + BUCKETS - 1) / BUCKETS;
}

static void take_samples(const lg_median_job *job, const lg_pixel_tile *t, sorted *s, int channel)
{
    const int64_t first = (int64_t)t->x - job->radius;
    uint64_t *to = s->order;
    for (int32_t y = 0; y < s->rows; y++) {
        lg_color_row(job->stage, &t->in, job->border, first, first + s->columns,
                     (int64_t)t->y - job->radius + y, s->row);
        const float *from = s->row[channel];
        for (int32_t x = 0; x < s->columns; x++)
            *to++ = (uint64_t)key_of(from[x]) << 32 | (uint64_t)y << 16 | (uint64_t)x;
    }
}

static void make_buckets(sorted *s)
{
    const size_t size = bucket_size(s);
    for (size_t i = 0; i < s->count;) {
        const uint8_t bucket = (uint8_t)(i / size);
        for (size_t k = 0; k < size && i < s->count; k++, i++) {
            const uint32_t at = (uint32_t)s->order[i];
            s->xs[i] = (uint16_t)at;
            s->ys[i] = (uint16_t)(at >> 16);
            s->buckets[(size_t)(at >> 16) * (size_t)s->columns + (at & 0xffff)] = bucket;
        }
    }
    memset(s->xs + s->count, 0, GROUP * sizeof *s->xs);
    memset(s->ys + s->count, 0, GROUP * sizeof *s->ys);
}

// Which of a group of samples lie in the window of `side` pixels at (x, y).
static ALWAYS uint32_t find_inside(const uint16_t *xs, const uint16_t *ys, int32_t x, int32_t y,
                                   int32_t side)
{
#if defined(__SSE2__)
    const __m128i left = _mm_set1_epi16((short)x), top = _mm_set1_epi16((short)y);
    const __m128i last = _mm_set1_epi16((short)(side - 1)), zero = _mm_setzero_si128();
    __m128i in[2];
    for (int h = 0; h < 2; h++) {
        const __m128i dx =
            _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)(xs + 8 * h)), left);
        const __m128i dy =
            _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)(ys + 8 * h)), top);
        in[h] =
            _mm_cmpeq_epi16(_mm_or_si128(_mm_subs_epu16(dx, last), _mm_subs_epu16(dy, last)), zero);
    }
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(in[0], in[1]));
#else
    uint32_t mask = 0;
    for (int i = 0; i < GROUP; i++)
        mask |= (uint32_t)((uint16_t)(xs[i] - x) < side && (uint16_t)(ys[i] - y) < side) << i;
    return mask;
#endif
}

// The sample of a bucket in the window at (x, y) that `rest` others of them precede.
static ALWAYS float look_up(const sorted *s, size_t first, int32_t x, int32_t y, int32_t side,
                            uint32_t rest)
{
    for (size_t i = first;; i += GROUP) {
        uint32_t inside = find_inside(s->xs + i, s->ys + i, x, y, side);
        const uint32_t n = (uint32_t)__builtin_popcount(inside);
        if (rest >= n) {
            rest -= n;
            continue;
        }
        for (; rest; rest--)
            inside &= inside - 1;
        return of_key((uint32_t)(s->order[i + (size_t)__builtin_ctz(inside)] >> 32));
    }
}

static void filter_samples(const lg_median_job *job, sorted *s, float *to)
{
    const size_t size = bucket_size(s), line = (size_t)s->columns;
    const int32_t side = 2 * job->radius + 1;
    clear(&s->w);
    for (int32_t y = 0; y < 2 * job->radius; y++)
        add_line(&s->w, s->buckets + (size_t)y * line);
    for (int32_t y = 0; y < s->height; y++) {
        const uint8_t *gone = y ? s->buckets + (size_t)(y - 1) * line : NULL;
        const uint8_t *come = s->buckets + (size_t)(y + 2 * job->radius) * line;
        if (s->w.narrow)
            narrow_slide_buckets(&s->w.n, gone, come, s->w.rank, s->found, s->rest);
        else
            broad_slide_buckets(&s->w.b, gone, come, s->w.rank, s->found, s->rest);
        for (int32_t x = 0; x < s->width; x++)
            *to++ = look_up(s, s->found[x] * size, x, y, side, s->rest[x]);
    }
}

static void samples(const void *job_pointer, const lg_pixel_tile *t, char *memory)
{
    const lg_median_job *job = job_pointer;
    const lg_image_params kind = {
        .channels = t->in.channels, .type = t->in.type, .alpha = t->in.alpha};
    const int planes = lg_median_planes(&kind);
    sorted s;
    lay_out_samples(&s, job, t->x_end - t->x, t->y_end - t->y, memory);
    const size_t pixels = (size_t)s.width * (size_t)s.height;
    for (int k = 0; k < planes; k++) {
        take_samples(job, t, &s, k);
        sort(&s);
        make_buckets(&s);
        filter_samples(job, &s, s.results + (size_t)k * pixels);
    }
    for (int32_t y = 0; y < s.height; y++)
        for (int32_t x = 0; x < s.width; x += LG_SPAN) {
            const float *from = s.results + (size_t)y * (size_t)s.width + (size_t)x;
            store_row(job, t, planes, t->x + x, t->y + y, LG_MIN(LG_SPAN, s.width - x),
                      (const float *const[3]){from, from + pixels, from + 2 * pixels});
        }
}

extern const lg_median_table LG_CPU_TABLE(wide_median);
const lg_median_table LG_CPU_TABLE(wide_median) = {bytes, samples, bytes_scratch, samples_scratch};
