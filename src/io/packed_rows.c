// Rows of three samples a pixel, as files have them, and of four, as images of opaque colours have them.
#include "io/io_internal.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_SHUFFLES 1
#define SHUFFLES      __attribute__((target("ssse3")))
#define BLOCK         16 // pixels
#endif

// ---- three to four --------------------------------------------------------------------------------

// Backwards: the target of a pixel lies at or behind its source, and all three samples are read
// before one is written.
#define EXPAND(type)                                                                               \
    for (size_t i = pixels; i-- > 0;) {                                                            \
        const type *from = (const type *)row + i * 3;                                              \
        const type r = from[0], g = from[1], b = from[2];                                          \
        type *to = (type *)row + i * 4;                                                            \
        to[0] = r, to[1] = g, to[2] = b, to[3] = 0;                                                \
    }

#ifdef HAVE_SHUFFLES
// The last pixels, in whole blocks; returns how many are left at the front. A block is read before it is
// written, and what it covers behind itself has been read.
SHUFFLES static size_t expand_blocks(uint8_t *row, size_t pixels)
{
    const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i last = _mm_setr_epi8(4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1);
    for (; pixels >= BLOCK; pixels -= BLOCK) {
        const uint8_t *from = row + (pixels - BLOCK) * 3;
        __m128i *to = (__m128i *)(void *)(row + (pixels - BLOCK) * 4);
        __m128i v[4];
        for (int k = 0; k < 4; k++)
            v[k] = _mm_loadu_si128((const __m128i *)(const void *)(from + (k < 3 ? 12 * k : 32)));
        for (int k = 0; k < 4; k++)
            _mm_storeu_si128(to + k, _mm_shuffle_epi8(v[k], k < 3 ? spread : last));
    }
    return pixels;
}
#endif

// The fourth byte is the next pixel's, or one that the row has room for.
static void expand_bytes(uint8_t *row, size_t pixels)
{
#ifdef HAVE_SHUFFLES
    if (__builtin_cpu_supports("ssse3"))
        pixels = expand_blocks(row, pixels);
#endif
    const uint32_t colours = lg_host_is_little() ? 0x00ffffff : 0xffffff00;
    for (size_t i = pixels; i-- > 0;) {
        uint32_t pixel;
        memcpy(&pixel, row + i * 3, sizeof pixel);
        pixel &= colours;
        memcpy(row + i * 4, &pixel, sizeof pixel);
    }
}

void lg_expand_rgb(void *row, size_t pixels, size_t sample)
{
    if (sample == 1) {
        expand_bytes(row, pixels);
    } else if (sample == 2) {
        EXPAND(uint16_t)
    } else {
        EXPAND(uint32_t)
    }
}

#undef EXPAND

// ---- four to three --------------------------------------------------------------------------------

#define PACK(size)                                                                                 \
    for (int32_t x = 0; x < last; x++, in += size, at += to)                                       \
        memcpy(at, in, size);

#ifdef HAVE_SHUFFLES
// The first pixels, in whole blocks; returns how many.
SHUFFLES static int32_t pack_blocks(const uint8_t *in, int32_t pixels, uint8_t *out)
{
    const __m128i close = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    int32_t x = 0;
    for (; x + BLOCK <= pixels; x += BLOCK) {
        const __m128i *from = (const __m128i *)(const void *)(in + (size_t)x * 4);
        __m128i *to = (__m128i *)(void *)(out + (size_t)x * 3), v[4];
        for (int k = 0; k < 4; k++)
            v[k] = _mm_shuffle_epi8(_mm_loadu_si128(from + k), close);
        _mm_storeu_si128(to, _mm_or_si128(v[0], _mm_slli_si128(v[1], 12)));
        _mm_storeu_si128(to + 1, _mm_or_si128(_mm_srli_si128(v[1], 4), _mm_slli_si128(v[2], 8)));
        _mm_storeu_si128(to + 2, _mm_or_si128(_mm_srli_si128(v[2], 8), _mm_slli_si128(v[3], 4)));
    }
    return x;
}
#endif

void lg_pack_row(const lg_image_params *shape, const void *row, void *out)
{
    size_t sample = lg_type_size(shape->type);
    size_t from = sample * (size_t)shape->channels;
    size_t to = sample * (size_t)lg_file_channels(shape);
    if (from == to) {
        memcpy(out, row, from * (size_t)shape->width);
        return;
    }
    const uint8_t *in = row;
    uint8_t *at = out;
    int32_t last = shape->width - 1;
#ifdef HAVE_SHUFFLES
    if (from == 4 && sample == 1 && __builtin_cpu_supports("ssse3")) {
        const int32_t done = pack_blocks(in, last, at);
        in += (size_t)done * from;
        at += (size_t)done * to;
        last -= done;
    }
#endif
    // Copies of a constant size; the byte that is too many is the next pixel's.
    switch (from) {
    case 4:
        PACK(4)
        break;
    case 8:
        PACK(8)
        break;
    case 16:
        PACK(16)
        break;
    default:
        for (int32_t x = 0; x < last; x++, in += from, at += to)
            memcpy(at, in, to);
    }
    memcpy(at, in, to);
}

#undef PACK
