// Rows of bits: foreground, runs, contacts of rows, labels.
#include "measure/components/label_rows.h"

#include "cpu/cpu.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

// ---- samples to bits ------------------------------------------------------------------------------

// The bits of 64 bytes that are 0 or 255.
INLINE uint64_t bits_of(const uint8_t *bytes)
{
    uint64_t bits = 0;
#if defined(__AVX2__)
    for (int i = 0; i < 2; i++) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(bytes + 32 * i));
        bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(v) << (32 * i);
    }
#elif defined(__SSE2__)
    for (int i = 0; i < 4; i++) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(bytes + 16 * i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * i);
    }
#else
    for (int i = 0; i < 64; i++)
        bits |= (uint64_t)(bytes[i] & 1) << i;
#endif
    return bits;
}

#define BLOCK(name, type, passes)                                                                  \
    INLINE uint64_t name(const type *restrict v, const lg_cut *cut)                                \
    {                                                                                              \
        _Alignas(64) uint8_t bytes[64];                                                            \
        for (int i = 0; i < 64; i++)                                                               \
            bytes[i] = (passes) ? 255 : 0;                                                         \
        return bits_of(bytes);                                                                     \
    }

INLINE bool half_above(uint16_t half, int16_t ordered)
{
    const int16_t s = (int16_t)half, v = (int16_t)(s ^ ((s >> 15) & 0x7fff));
    return (v > ordered) & (v <= 0x7c00); // NaN lies beyond the infinities
}

INLINE float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A float that is neither zero nor NaN has a magnitude of 1 to infinity, as bits.
BLOCK(nonzero_u8, uint8_t, v[i] != 0)
BLOCK(nonzero_u16, uint16_t, v[i] != 0)
BLOCK(nonzero_f16, uint16_t, (uint16_t)((v[i] & 0x7fff) - 1) < 0x7c00)
BLOCK(nonzero_f32, uint32_t, (v[i] & 0x7fffffff) - 1 < 0x7f800000)
BLOCK(above_u8, uint8_t, v[i] >= (uint8_t)cut->integer)
BLOCK(above_u16, uint16_t, v[i] >= (uint16_t)cut->integer)
BLOCK(above_f16, uint16_t, half_above(v[i], (int16_t)cut->ordered))
BLOCK(above_f32, uint32_t, float_of(v[i]) > cut->real)

INLINE uint64_t low_bits(size_t n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
}

// The last, short block is copied: nothing is read beyond the samples.
#define FOREGROUND(block, type)                                                                    \
    static void block##_row(const type *v, size_t n, const lg_cut *cut, uint64_t *bits)            \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; i + 64 <= n; i += 64)                                                               \
            *bits++ = block(v + i, cut);                                                           \
        if (i < n) {                                                                               \
            type last[64] = {0};                                                                   \
            memcpy(last, v + i, (n - i) * sizeof *v);                                              \
            *bits = block(last, cut) & low_bits(n - i);                                            \
        }                                                                                          \
    }

FOREGROUND(nonzero_u8, uint8_t)
FOREGROUND(nonzero_u16, uint16_t)
FOREGROUND(nonzero_f16, uint16_t)
FOREGROUND(nonzero_f32, uint32_t)
FOREGROUND(above_u8, uint8_t)
FOREGROUND(above_u16, uint16_t)
FOREGROUND(above_f16, uint16_t)
FOREGROUND(above_f32, uint32_t)

static void invert(uint64_t *bits, size_t n)
{
    const size_t words = (n + 63) / 64;
    for (size_t w = 0; w < words; w++)
        bits[w] = ~bits[w] & low_bits(n - 64 * w);
}

static void foreground(const lg_label_rule *rule, const void *samples, size_t n, uint64_t *bits)
{
    const lg_cut *cut = &rule->cut;
    const uint32_t largest = rule->type == LG_U8 ? 255 : 65535;
    if (rule->foreground != LG_FOREGROUND_ABOVE) {
        switch (rule->type) {
        case LG_U8:
            nonzero_u8_row(samples, n, cut, bits);
            break;
        case LG_U16:
            nonzero_u16_row(samples, n, cut, bits);
            break;
        case LG_F16:
            nonzero_f16_row(samples, n, cut, bits);
            break;
        default:
            nonzero_f32_row(samples, n, cut, bits);
        }
    } else if (rule->type <= LG_U16 && cut->integer > largest) {
        memset(bits, 0, (n + 63) / 64 * sizeof *bits);
    } else {
        switch (rule->type) {
        case LG_U8:
            above_u8_row(samples, n, cut, bits);
            break;
        case LG_U16:
            above_u16_row(samples, n, cut, bits);
            break;
        case LG_F16:
            above_f16_row(samples, n, cut, bits);
            break;
        default:
            above_f32_row(samples, n, cut, bits);
        }
    }
    if (rule->inverted)
        invert(bits, n);
}

#define EQUAL(name, type)                                                                          \
    static void name(const type *a, const type *b, size_t n, uint64_t *bits)                       \
    {                                                                                              \
        for (size_t i = 0; i < n; i += 64) {                                                       \
            _Alignas(64) uint8_t bytes[64] = {0};                                                  \
            const size_t length = LG_MIN(n - i, (size_t)64);                                       \
            for (size_t k = 0; k < length; k++)                                                    \
                bytes[k] = a[i + k] == b[i + k] ? 255 : 0;                                         \
            bits[i / 64] = bits_of(bytes);                                                         \
        }                                                                                          \
    }

EQUAL(equal_8, uint8_t)
EQUAL(equal_16, uint16_t)
EQUAL(equal_32, uint32_t)

static void equal(lg_type type, const void *a, const void *b, size_t n, uint64_t *bits)
{
    const size_t size = lg_type_size(type);
    if (size == 1)
        equal_8(a, b, n, bits);
    else if (size == 2)
        equal_16(a, b, n, bits);
    else
        equal_32(a, b, n, bits);
}

// Tables of the 256 bytes that 8 bits can be.
#define TABLE_4(of, s) of(s), of((s) + 1), of((s) + 2), of((s) + 3)
#define TABLE_16(of, s)                                                                            \
    TABLE_4(of, s), TABLE_4(of, (s) + 4), TABLE_4(of, (s) + 8), TABLE_4(of, (s) + 12)
#define TABLE_64(of, s)                                                                            \
    TABLE_16(of, s), TABLE_16(of, (s) + 16), TABLE_16(of, (s) + 32), TABLE_16(of, (s) + 48)
#define TABLE(of) TABLE_64(of, 0), TABLE_64(of, 64), TABLE_64(of, 128), TABLE_64(of, 192)

// ---- runs -----------------------------------------------------------------------------------------

// Where runs of word w start.
INLINE uint64_t starts_of(const uint64_t *bits, const uint64_t *starts, size_t w)
{
    return starts ? starts[w] : bits[w] & ~(bits[w] << 1 | (w ? bits[w - 1] >> 63 : 0));
}

static size_t count(const uint64_t *bits, const uint64_t *starts, size_t words)
{
    size_t runs = 0;
    for (size_t w = 0; w < words; w++)
        runs += (size_t)__builtin_popcountll(starts_of(bits, starts, w));
    return runs;
}

#if defined(__AVX2__)
// Of 8 bits: the places of those that are set, a byte each, from the lowest.
#define PLACE(s, k)                                                                                \
    (((s) >> (k)&1) ? (uint64_t)(k) << (8 * __builtin_popcount((s) & ((1 << (k)) - 1))) : 0)
#define PLACES(s)                                                                                  \
    (PLACE(s, 1) | PLACE(s, 2) | PLACE(s, 3) | PLACE(s, 4) | PLACE(s, 5) | PLACE(s, 6) |           \
     PLACE(s, 7))

static const uint64_t places[256] = {TABLE(PLACES)};
#endif

// Writes the places of a word's bits, plus `add`, and up to 7 elements more.
INLINE size_t list(uint64_t word, int32_t add, int32_t *out)
{
    const size_t n = (size_t)__builtin_popcountll(word);
#if defined(__AVX2__)
    for (; n > 4 && word; word >>= 8, add += 8) { // many: eight bits at a time, whatever they are
        const __m256i of =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&places[word & 255]));
        _mm256_storeu_si256((__m256i *)(void *)out, _mm256_add_epi32(of, _mm256_set1_epi32(add)));
        out += __builtin_popcount((uint32_t)word & 255);
    }
#endif
    for (; word; word &= word - 1)
        *out++ = add + __builtin_ctzll(word);
    return n;
}

static size_t extents(const uint64_t *bits, const uint64_t *starts, size_t words, int32_t *begin,
                      int32_t *end)
{
    size_t runs = 0, ended = 0;
    for (size_t w = 0; w < words; w++) {
        const uint64_t next = w + 1 < words ? bits[w + 1] & ~starts_of(bits, starts, w + 1) : 0;
        const uint64_t s = starts_of(bits, starts, w), inside = bits[w] & ~s;
        const uint64_t last = bits[w] & ~(inside >> 1 | next << 63);
        runs += list(s, (int32_t)(64 * w), begin + runs);
        ended += list(last, (int32_t)(64 * w) + 1, end + ended);
    }
    return runs;
}

// Sums of up to 64 runs; returns the bits of those that have other labels.
INLINE uint64_t share_of_64(size_t n, const int32_t *begin, const int32_t *end,
                            const uint32_t *labels, uint32_t label, lg_label_share *share)
{
    _Alignas(64) uint8_t others[64] = {0};
    uint64_t twice = 0;
    uint32_t area = 0, low = share->low, high = share->high;
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = (uint32_t)begin[i], e = (uint32_t)end[i];
        const uint32_t mine = labels[i] == label ? UINT32_MAX : 0, length = (e - b) & mine;
        area += length;
        twice += (uint64_t)length * (b + e - 1);
        low = LG_MIN(low, b | ~mine);
        high = LG_MAX(high, e & mine);
        others[i] = (uint8_t)~mine;
    }
    share->area += area;
    share->twice += twice;
    share->low = low;
    share->high = high;
    return bits_of(others);
}

static size_t share(size_t n, const int32_t *begin, const int32_t *end, const uint32_t *labels,
                    uint32_t label, lg_label_share *out, int32_t *others)
{
    lg_label_share sums = {.low = UINT32_MAX};
    size_t i = 0, count = 0;
    for (; i + 64 <= n; i += 64)
        count += list(share_of_64(64, begin + i, end + i, labels + i, label, &sums), (int32_t)i,
                      others + count);
    count += list(share_of_64(n - i, begin + i, end + i, labels + i, label, &sums), (int32_t)i,
                  others + count);
    *out = sums;
    return count;
}

// ---- contacts -------------------------------------------------------------------------------------

typedef struct contact_word {
    uint64_t above_starts, starts, touching;
} contact_word;

// Bit i of the next row position: for rows that are compared one pixel apart.
INLINE uint64_t moved(const uint64_t *row, size_t w, size_t words)
{
    return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
}

// Runs that touch overlap in an interval (of pixels, or with corners of pixels' ends), and that begins
// where one of the two starts: so every pair has exactly one bit of `touching`.
INLINE contact_word contact_bits(const lg_label_contact *c, size_t w, bool corners)
{
    const uint64_t a = c->above.bits[w], b = c->row.bits[w];
    contact_word out = {.above_starts = starts_of(c->above.bits, NULL, w),
                        .starts = starts_of(c->row.bits, NULL, w)};
    uint64_t both = a & b;
    if (corners)
        both = (a | a << 1 | (w ? c->above.bits[w - 1] >> 63 : 0)) &
               (b | b << 1 | (w ? c->row.bits[w - 1] >> 63 : 0));
    out.touching = both & (out.above_starts | out.starts);
    return out;
}

INLINE contact_word contact_values(const lg_label_contact *c, size_t w)
{
    const bool right = c->lean<0, left = c->lean> 0;
    contact_word out = {.above_starts =
                            right ? moved(c->above.starts, w, c->words) : c->above.starts[w],
                        .starts = left ? moved(c->row.starts, w, c->words) : c->row.starts[w]};
    const uint64_t b = left ? moved(c->row.bits, w, c->words) : c->row.bits[w];
    uint64_t both = c->equal[w] & b;
    // Starts of the two that are not seen by a pair of equal pixels begin no interval: see `carry` there.
    out.touching =
        both & (out.above_starts | out.starts | ~(both << 1 | (w ? c->equal[w - 1] >> 63 : 0)));
    return out;
}

// The first run starts before the first bit where a row is moved.
INLINE uint32_t runs_before(const lg_label_row *row, bool is_moved)
{
    return row->first - 1 + (is_moved ? (uint32_t)(row->starts[0] & 1) : 0);
}

#define FOR_EACH_CONTACT(c, word_of, above_run, row_run, body)                                     \
    {                                                                                              \
        uint32_t above_base = runs_before(&(c)->above, (c)->lean < 0);                             \
        uint32_t row_base = runs_before(&(c)->row, (c)->lean > 0);                                 \
        for (size_t w = 0; w < (c)->words; w++) {                                                  \
            const contact_word word = word_of;                                                     \
            for (uint64_t rest = word.touching; rest; rest &= rest - 1) {                          \
                const uint64_t mask = rest ^ (rest - 1);                                           \
                const uint32_t above_run =                                                         \
                    above_base + (uint32_t)__builtin_popcountll(word.above_starts & mask);         \
                const uint32_t row_run =                                                           \
                    row_base + (uint32_t)__builtin_popcountll(word.starts & mask);                 \
                body;                                                                              \
            }                                                                                      \
            above_base += (uint32_t)__builtin_popcountll(word.above_starts);                       \
            row_base += (uint32_t)__builtin_popcountll(word.starts);                               \
        }                                                                                          \
    }

INLINE uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// A run that nothing above has touched yet goes to the parent of the first that does. That is no branch: it
// would be taken at random.
INLINE void unite(uint32_t *parent, uint32_t above, uint32_t run)
{
    const uint32_t a = parent[above], b = parent[run];
    uint32_t lower = b == run ? a : b;
    __asm__("" : "+r"(lower)); // else the compiler puts the branch back
    parent[run] = lower;
    if (__builtin_expect(lower == a, 1))
        return;
    const uint32_t ra = root_of(parent, a), rb = root_of(parent, b);
    const uint32_t root = LG_MIN(ra, rb);
    parent[ra] = parent[rb] = root;
    parent[above] = parent[run] = root;
}

static void join(const lg_label_contact *c, uint32_t *parent)
{
    if (c->row.starts)
        FOR_EACH_CONTACT(c, contact_values(c, w), a, b, unite(parent, a, b))
    else if (c->corners)
        FOR_EACH_CONTACT(c, contact_bits(c, w, true), a, b, unite(parent, a, b))
    else
        FOR_EACH_CONTACT(c, contact_bits(c, w, false), a, b, unite(parent, a, b))
}

static size_t pairs(const lg_label_contact *c, lg_label_pair *out)
{
    size_t n = 0;
    if (c->row.starts)
        FOR_EACH_CONTACT(c, contact_values(c, w), a, b, out[n++] = ((lg_label_pair){a, b}))
    else if (c->corners)
        FOR_EACH_CONTACT(c, contact_bits(c, w, true), a, b, out[n++] = ((lg_label_pair){a, b}))
    else
        FOR_EACH_CONTACT(c, contact_bits(c, w, false), a, b, out[n++] = ((lg_label_pair){a, b}))
    return n;
}

static uint32_t flatten(uint32_t *parent, uint32_t base, size_t n)
{
    uint32_t parts = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t to = parent[i] - base;
        const bool root = to == i;
        parent[i] = root ? parts : parent[to];
        parts += root;
    }
    return parts;
}

// ---- labels ---------------------------------------------------------------------------------------

#if defined(__SSSE3__)
// Of 8 bits: a byte for each, with how many bits up to it, the lowest left out, are set; and with 255 where
// the bit is set.
#define ONES       0x0101010101010101u
#define RANK(s, k) (((uint64_t)(s) >> (k)&1) * (ONES << (8 * (k))))
#define RANKS(s)                                                                                   \
    (RANK(s, 1) + RANK(s, 2) + RANK(s, 3) + RANK(s, 4) + RANK(s, 5) + RANK(s, 6) + RANK(s, 7))
#define FULL(s, k) (((uint64_t)(s) >> (k)&1) * ((uint64_t)255 << (8 * (k))))
#define FULLS(s)                                                                                   \
    (FULL(s, 0) + FULL(s, 1) + FULL(s, 2) + FULL(s, 3) + FULL(s, 4) + FULL(s, 5) + FULL(s, 6) +    \
     FULL(s, 7))
static const uint64_t ranks[256] = {TABLE(RANKS)}, fulls[256] = {TABLE(FULLS)};
#endif

#if defined(__AVX2__)
INLINE void store_8(uint32_t *out, __m256i v, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)(void *)out, v);
    else
        _mm256_store_si256((__m256i *)(void *)out, v);
}

// Eight pixels touch at most eight runs that follow each other: their labels are loaded at once, and each
// pixel takes the one that its rank among the starts says. No branch depends on the content.
INLINE void write_8(uint32_t bits, uint32_t starts, const uint32_t *label, uint32_t *out,
                    bool stream)
{
    const __m256i of_runs =
        _mm256_loadu_si256((const __m256i *)(const void *)(label + (starts & 1)));
    const __m256i rank = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&ranks[starts]));
    const __m256i full = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)&fulls[bits]));
    store_8(out, _mm256_and_si256(_mm256_permutevar8x32_epi32(of_runs, rank), full), stream);
}

INLINE void write_same(uint32_t label, uint32_t *out, bool stream)
{
    for (int i = 0; i < 8; i++)
        store_8(out + 8 * i, _mm256_set1_epi32((int)label), stream);
}
#elif defined(__SSSE3__)
INLINE void store_4(uint32_t *out, __m128i v, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)(void *)out, v);
    else
        _mm_store_si128((__m128i *)(void *)out, v);
}

// As with eight, of four pixels at a time: ranks become the bytes of labels that are shuffled.
INLINE void write_4(uint32_t bits, uint32_t starts, const uint32_t *label, uint32_t *out,
                    bool stream)
{
    const __m128i repeat = _mm_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m128i byte = _mm_setr_epi8(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
    const __m128i of_runs = _mm_loadu_si128((const __m128i *)(const void *)(label + (starts & 1)));
    const __m128i rank =
        _mm_shuffle_epi8(_mm_cvtsi32_si128((int)(uint32_t)(4 * ranks[starts])), repeat);
    const __m128i full = _mm_shuffle_epi8(_mm_cvtsi32_si128((int)(uint32_t)fulls[bits]), repeat);
    const __m128i v = _mm_shuffle_epi8(of_runs, _mm_add_epi8(rank, byte));
    store_4(out, _mm_and_si128(v, full), stream);
}

INLINE void write_8(uint32_t bits, uint32_t starts, const uint32_t *label, uint32_t *out,
                    bool stream)
{
    write_4(bits & 15, starts & 15, label, out, stream);
    write_4(bits >> 4, starts >> 4, label + __builtin_popcount(starts & 15), out + 4, stream);
}

INLINE void write_same(uint32_t label, uint32_t *out, bool stream)
{
    for (int i = 0; i < 16; i++)
        store_4(out + 4 * i, _mm_set1_epi32((int)label), stream);
}
#else
INLINE void write_8(uint32_t bits, uint32_t starts, const uint32_t *label, uint32_t *out,
                    bool stream)
{
    for (int i = 0; i < 8; i++) {
        label += starts >> i & 1;
        out[i] = bits >> i & 1 ? *label : 0;
    }
}

INLINE void write_same(uint32_t label, uint32_t *out, bool stream)
{
    for (int i = 0; i < 64; i++)
        out[i] = label;
}
#endif

INLINE void write_row(const uint64_t *bits, const uint64_t *starts, size_t width,
                      const uint32_t *label, uint32_t *out, bool stream)
{
    const size_t words = (width + 63) / 64;
    for (size_t w = 0; w < words; w++, out += 64) {
        const uint64_t b = bits[w], s = starts_of(bits, starts, w);
        const size_t groups = (LG_MIN(width - 64 * w, (size_t)64) + 15) / 16 * 2;
        if (groups == 8 && s <= 1 && (b == 0 || b == ~(uint64_t)0)) {
            label += s;
            write_same(b ? *label : 0, out, stream);
            continue;
        }
        for (size_t i = 0; i < groups; i++) {
            const uint32_t eight = (uint32_t)(s >> (8 * i) & 255);
            write_8((uint32_t)(b >> (8 * i) & 255), eight, label, out + 8 * i, stream);
            label += __builtin_popcount(eight);
        }
    }
}

static void write(const uint64_t *bits, const uint64_t *starts, size_t width, const uint32_t *label,
                  uint32_t *out, bool stream)
{
    if (stream && !starts)
        write_row(bits, NULL, width, label, out, true);
    else if (!starts)
        write_row(bits, NULL, width, label, out, false);
    else
        write_row(bits, starts, width, label, out, stream);
}

static void fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

extern const lg_label_rows_table LG_CPU_TABLE(label_rows);
const lg_label_rows_table LG_CPU_TABLE(label_rows) = {.foreground = foreground,
                                                      .equal = equal,
                                                      .count = count,
                                                      .join = join,
                                                      .pairs = pairs,
                                                      .flatten = flatten,
                                                      .extents = extents,
                                                      .share = share,
                                                      .write = write,
                                                      .fence = fence};
