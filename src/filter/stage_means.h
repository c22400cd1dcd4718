// Part of stage_cpu.c: bilinear means of bytes in registers, sixteen places at a time. A part goes three ways
// after each other: where its places lie, the pixels around them, their means.
#ifndef LG_STAGE_MEANS_H
#define LG_STAGE_MEANS_H

#include "filter/stage_pairs.h"

#if defined(__AVX512BW__)
#define LG_MEANS 16 // places of a block

// A side of the places of a block, as lg_near_at has it.
typedef struct lg_mean_side {
    __m512i first;
    __m512 share;
} lg_mean_side;

static inline lg_mean_side lg_mean_side_at(const float *p, float size)
{
    const __m512 whole = _mm512_set1_ps(12582912.0f), one = _mm512_set1_ps(1);
    const float slack = size * 2.38418579e-7f;
    const __m512 at = _mm512_sub_ps(_mm512_mul_ps(_mm512_loadu_ps(p), _mm512_set1_ps(size)),
                                    _mm512_set1_ps(0.5f));
    const __m512 sum = _mm512_add_ps(at, whole);
    const __m512 off = _mm512_sub_ps(at, _mm512_sub_ps(sum, whole));
    const __mmask16 before = _mm512_cmp_ps_mask(off, _mm512_set1_ps(-slack), _CMP_LT_OQ);
    const __mmask16 behind = _mm512_cmp_ps_mask(off, _mm512_set1_ps(slack), _CMP_GT_OQ);
    const __m512i first = _mm512_sub_epi32(_mm512_castps_si512(sum), _mm512_set1_epi32(0x4b400000));
    return (lg_mean_side){_mm512_mask_sub_epi32(first, before, first, _mm512_set1_epi32(1)),
                          _mm512_mask_add_ps(_mm512_maskz_mov_ps(behind, off), before, off, one)};
}

// Bytes of the four pixels around the places of a block, in floats: LG_WHOLE and the byte.
typedef struct lg_mean_four {
    __m512i tl, tr, bl, br;
} lg_mean_four;

// The byte of each word from bit `shift` on.
static inline __m512i lg_mean_byte(__m512i words, int shift)
{
    return _mm512_ternarylogic_epi32(shift ? _mm512_srli_epi32(words, (unsigned)shift) : words,
                                     _mm512_set1_epi32(255), _mm512_set1_epi32((int)LG_WHOLE_BITS),
                                     0xea); // (a & b) | c
}

// The means plus LG_WHOLE, so that bytes stand in the low bits, and how far each is from its byte.
static inline __m512 lg_mean_of(lg_mean_four p, __m512 fx, __m512 fy, __m512 *off)
{
    const __m512 tl = _mm512_castsi512_ps(p.tl), bl = _mm512_castsi512_ps(p.bl);
    const __m512 across = _mm512_sub_ps(_mm512_castsi512_ps(p.tr), tl),
                 down = _mm512_sub_ps(bl, tl);
    const __m512 both = _mm512_sub_ps(_mm512_sub_ps(_mm512_castsi512_ps(p.br), bl), across);
    const __m512 more =
        _mm512_fmadd_ps(_mm512_fmadd_ps(both, fy, across), fx, _mm512_mul_ps(down, fy));
    const __m512 sum = _mm512_add_ps(tl, more);
    *off = _mm512_abs_ps(_mm512_sub_ps(more, _mm512_sub_ps(sum, tl)));
    return sum;
}

// Pairs of bytes and of pixels that lie side by side, of an image without `gathers` copied before.
typedef struct lg_mean_pairs {
    char *above, *below;
    bool gathers;
} lg_mean_pairs;

// The four bytes around the places from number i on. Gathers take four bytes, of which two are wanted: those
// behind the pair above are of its row or of the next one, those before the pair below of the row above it.
static inline lg_mean_four lg_mean_bytes(const lg_mean_pairs *p, const int32_t *offset, int i)
{
    __m512i a, b;
    if (p->gathers) {
        const __m512i at = _mm512_load_si512(offset + i);
        a = _mm512_i32gather_epi32(at, p->above, 1);
        b = _mm512_srli_epi32(_mm512_i32gather_epi32(at, p->below - 2, 1), 16);
    } else {
        a = _mm512_cvtepu16_epi32(_mm256_load_si256((const void *)(p->above + 2 * i)));
        b = _mm512_cvtepu16_epi32(_mm256_load_si256((const void *)(p->below + 2 * i)));
    }
    return (lg_mean_four){lg_mean_byte(a, 0), lg_mean_byte(a, 8), lg_mean_byte(b, 0),
                          lg_mean_byte(b, 8)};
}

static inline __m512i lg_mean_pixel_pairs(const char *from, bool gathers, const int32_t *offset,
                                          int i)
{
    return gathers ? _mm512_i32gather_epi64(_mm256_load_si256((const void *)(offset + i)), from, 1)
                   : _mm512_load_si512(from + 8 * i);
}

// The four words.
static inline lg_mean_four lg_mean_pixels(const lg_mean_pairs *p, const int32_t *offset, int i)
{
    const __m512i left =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i right = _mm512_add_epi32(left, _mm512_set1_epi32(1));
    const __m512i a = lg_mean_pixel_pairs(p->above, p->gathers, offset, i);
    const __m512i b = lg_mean_pixel_pairs(p->above, p->gathers, offset, i + 8);
    const __m512i c = lg_mean_pixel_pairs(p->below, p->gathers, offset, i);
    const __m512i d = lg_mean_pixel_pairs(p->below, p->gathers, offset, i + 8);
    return (lg_mean_four){
        _mm512_permutex2var_epi32(a, left, b), _mm512_permutex2var_epi32(a, right, b),
        _mm512_permutex2var_epi32(c, left, d), _mm512_permutex2var_epi32(c, right, d)};
}

static inline lg_mean_four lg_mean_channel(lg_mean_four p, int shift)
{
    return (lg_mean_four){lg_mean_byte(p.tl, shift), lg_mean_byte(p.tr, shift),
                          lg_mean_byte(p.bl, shift), lg_mean_byte(p.br, shift)};
}

// Means of a block as the definition has them.
#define LG_MEANS_EXACTLY(name, ...)                                                                \
    static __attribute__((noinline)) __m512i name(__m512i top_left, __m512i top_right,             \
                                                  __m512i bottom_left, __m512i bottom_right,       \
                                                  __m512 fx, __m512 fy)                            \
    {                                                                                              \
        _Alignas(64) uint32_t tl[LG_MEANS], tr[LG_MEANS], bl[LG_MEANS], br[LG_MEANS];              \
        _Alignas(64) uint32_t to[LG_MEANS];                                                        \
        _Alignas(64) float x[LG_MEANS], y[LG_MEANS];                                               \
        _mm512_store_si512(tl, top_left), _mm512_store_si512(tr, top_right);                       \
        _mm512_store_si512(bl, bottom_left), _mm512_store_si512(br, bottom_right);                 \
        _mm512_store_ps(x, fx), _mm512_store_ps(y, fy);                                            \
        _Pragma("GCC unroll 1") for (int i = 0; i < LG_MEANS; i++)                                 \
        {                                                                                          \
            const lg_tap t = {0, 0, x[i], y[i]};                                                   \
            const color c = lg_bilinear_opaque(LG_OPAQUE_U8(tl + i), LG_OPAQUE_U8(tr + i),         \
                                               LG_OPAQUE_U8(bl + i), LG_OPAQUE_U8(br + i), t);     \
            to[i] = __VA_ARGS__;                                                                   \
        }                                                                                          \
        return _mm512_load_si512(to);                                                              \
    }
LG_MEANS_EXACTLY(lg_mean_exactly_1, lg_to_unit(c.r, 255.0f))
LG_MEANS_EXACTLY(lg_mean_exactly_4, lg_to_unit(c.r, 255.0f) | lg_to_unit(c.g, 255.0f) << 8 |
                                        lg_to_unit(c.b, 255.0f) << 16)

// The means of a block, a byte of each word or three of them.
static inline __attribute__((always_inline)) __m512i lg_mean_block(lg_mean_four p, const int pixel,
                                                                   __m512 fx, __m512 fy)
{
    __m512 off;
    __m512i v;
    if (pixel == 1) {
        v = _mm512_castps_si512(lg_mean_of(p, fx, fy, &off));
    } else {
        __m512 off_g, off_b;
        const __m512 r = lg_mean_of(lg_mean_channel(p, 0), fx, fy, &off);
        const __m512 g = lg_mean_of(lg_mean_channel(p, 8), fx, fy, &off_g);
        const __m512 b = lg_mean_of(lg_mean_channel(p, 16), fx, fy, &off_b);
        off = _mm512_max_ps(off, _mm512_max_ps(off_g, off_b));
        // What LG_WHOLE leaves above the bytes is shifted out, or stands at alpha's place.
        v = _mm512_ternarylogic_epi32(_mm512_castps_si512(r),
                                      _mm512_slli_epi32(_mm512_castps_si512(g), 8),
                                      _mm512_slli_epi32(_mm512_castps_si512(b), 16), 0xfe);
    }
    if (_mm512_cmp_ps_mask(off, _mm512_set1_ps(0.5f - LG_BYTE_SLACK), _CMP_GT_OQ))
        v = (pixel == 1 ? lg_mean_exactly_1 : lg_mean_exactly_4)(p.tl, p.tr, p.bl, p.br, fx, fy);
    return v;
}

// Whether all pixels of a part are inside. If not, which places read one that is, and those of them that
// also need one outside.
typedef struct lg_mean_span {
    bool inside;
    __mmask16 read[LG_SAMPLER_PART / LG_MEANS];
    int listed;
    uint8_t list[LG_SAMPLER_PART];
} lg_mean_span;

static inline __mmask16 lg_mean_below(__m512i v, int32_t limit)
{
    return _mm512_cmplt_epu32_mask(v, _mm512_set1_epi32(limit));
}

static inline void lg_means_find(const lg_sampler *s, const float *px, const float *py,
                                 lg_mean_span *part)
{
    const float width = (float)s->in->width, height = (float)s->in->height;
    const __m512i row = _mm512_set1_epi32((int)s->in->row_stride);
    const __m128i shift = _mm_cvtsi32_si128(s->shift);
    int32_t *const offset = s->offset;
    float *const fx = s->fx, *const fy = s->fy;
    __m512i most_x = _mm512_setzero_si512(), most_y = most_x;
    for (int i = 0; i < LG_SAMPLER_PART; i += LG_MEANS) {
        const lg_mean_side x = lg_mean_side_at(px + i, width), y = lg_mean_side_at(py + i, height);
        most_x = _mm512_max_epu32(most_x, x.first), most_y = _mm512_max_epu32(most_y, y.first);
        _mm512_store_si512(offset + i, _mm512_add_epi32(_mm512_mullo_epi32(y.first, row),
                                                        _mm512_sll_epi32(x.first, shift)));
        _mm512_store_ps(fx + i, x.share), _mm512_store_ps(fy + i, y.share);
    }
    part->inside = lg_mean_below(most_x, s->in->width - 1) == 0xffff &&
                   lg_mean_below(most_y, s->in->height - 1) == 0xffff;
    part->listed = 0;
}

// Offsets and shares become 0 where they are of no use. Those of places in the last pixel and half a pixel
// around the image are right: nothing that lg_near_at computes there is rounded otherwise.
static __attribute__((noinline)) void lg_means_apart(const lg_sampler *s, const float *px,
                                                     const float *py, lg_mean_span *part)
{
    const int32_t width = s->in->width, height = s->in->height;
    for (int i = 0; i < LG_SAMPLER_PART; i += LG_MEANS) {
        const __m512i x = lg_mean_side_at(px + i, (float)width).first;
        const __m512i y = lg_mean_side_at(py + i, (float)height).first;
        const __m512i one = _mm512_set1_epi32(1);
        const __mmask16 inside = lg_mean_below(x, width - 1) & lg_mean_below(y, height - 1);
        const __mmask16 read = lg_mean_below(_mm512_add_epi32(x, one), width + 1) &
                               lg_mean_below(_mm512_add_epi32(y, one), height + 1);
        part->read[i / LG_MEANS] = read;
        _mm512_store_si512(s->offset + i, _mm512_maskz_load_epi32(inside, s->offset + i));
        _mm512_store_ps(s->fx + i, _mm512_maskz_load_ps(read, s->fx + i));
        _mm512_store_ps(s->fy + i, _mm512_maskz_load_ps(read, s->fy + i));
        for (uint32_t k = read & (uint32_t)~inside; k; k &= k - 1)
            part->list[part->listed++] = (uint8_t)(i + __builtin_ctz(k));
    }
}

// The pairs of listed places, with 0 for pixels outside.
static void lg_means_edge(const lg_sampler *s, const lg_mean_span *part, const float *px,
                          const float *py, const lg_mean_pairs *pairs)
{
    const int32_t width = s->in->width, height = s->in->height;
    for (int k = 0; k < part->listed; k++) {
        const int i = part->list[k];
        const int32_t x = (int32_t)lg_near_at(px[i], (float)width).first;
        const int32_t y = (int32_t)lg_near_at(py[i], (float)height).first;
        for (int n = 0; n < 4; n++) {
            const int32_t column = x + (n & 1), row = y + (n >> 1);
            const bool inside = column >= 0 && column < width && row >= 0 && row < height;
            char *to = (n & 2 ? pairs->below : pairs->above) + (size_t)(2 * i + (n & 1)) * s->pixel;
            memset(to, 0, s->pixel);
            if (inside)
                memcpy(to,
                       s->in->data + (size_t)row * s->in->row_stride + (size_t)column * s->pixel,
                       s->pixel);
        }
    }
}

static inline __attribute__((always_inline)) void
lg_means_write(const lg_sampler *s, const int pixel, const lg_mean_span *part,
               const lg_mean_pairs pairs, bool stream, char *to)
{
    const int32_t *const offset = s->offset;
    const float *const fx = s->fx, *const fy = s->fy;
    const bool inside = pairs.gathers || part->inside;
    for (int i = 0; i < LG_SAMPLER_PART; i += LG_MEANS) {
        const lg_mean_four p =
            pixel == 1 ? lg_mean_bytes(&pairs, offset, i) : lg_mean_pixels(&pairs, offset, i);
        __m512i v = lg_mean_block(p, pixel, _mm512_load_ps(fx + i), _mm512_load_ps(fy + i));
        if (!inside)
            v = _mm512_maskz_mov_epi32(part->read[i / LG_MEANS], v);
        if (pixel == 1) {
            _mm_storeu_si128((__m128i *)(void *)(to + i), _mm512_cvtepi32_epi8(v));
            continue;
        }
        v = _mm512_or_si512(v, _mm512_set1_epi32((int)0xff000000u));
        if (stream)
            _mm512_stream_si512((__m512i *)(void *)(to + 4 * i), v);
        else
            _mm512_storeu_si512((__m512i *)(void *)(to + 4 * i), v);
    }
}

// A part of grey bytes, or of opaque pixels. Nothing is copied where all are inside and gathers are fast.
static inline __attribute__((always_inline)) bool lg_means_are_gathered(const lg_sampler *s,
                                                                        const int pixel,
                                                                        const lg_mean_span *part,
                                                                        bool stream, char *to)
{
    char *first = s->in->data;
    if (!s->gathers || !part->inside)
        return false;
    lg_means_write(s, pixel, part, (lg_mean_pairs){first, first + s->in->row_stride, true}, stream,
                   to);
    return true;
}

static void lg_means_1(const lg_sampler *s, const lg_mean_span *part, const float *px,
                       const float *py, char *to)
{
    uint16_t *above = s->raw, *below = above + LG_SAMPLER_PART;
    const lg_mean_pairs pairs = {(char *)above, (char *)below, false};
    if (lg_means_are_gathered(s, 1, part, false, to))
        return;
    lg_pairs_bytes(s, above, below);
    lg_means_edge(s, part, px, py, &pairs);
    lg_means_write(s, 1, part, pairs, false, to);
}

static void lg_means_4(const lg_sampler *s, const lg_mean_span *part, const float *px,
                       const float *py, bool stream, char *to)
{
    const size_t row = s->in->row_stride, pair = 2 * sizeof(uint32_t);
    char *above = (char *)s->taps[0][0], *below = (char *)s->taps[2][0];
    const lg_mean_pairs pairs = {above, below, false};
    if (lg_means_are_gathered(s, 4, part, stream, to))
        return;
    LG_PAIRS_EACH(sizeof(uint32_t), memcpy(above + (size_t)i * pair, from, pair);
                  memcpy(below + (size_t)i * pair, from + row, pair););
    lg_means_edge(s, part, px, py, &pairs);
    lg_means_write(s, 4, part, pairs, stream, to);
}
#endif

#endif
