// Pixels for benchmarks, the same in C and in C++ so that peers measure identical data.
//
// random    every bit independent; floats uniform in 0..1
// natural   noise of seven octaves (amplitude falls with frequency as in photographs), correlated
//           colour channels, opaque alpha
// constant  one value: the worst case of counting in shared tables
#ifndef LG_BENCH_CONTENT_H
#define LG_BENCH_CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum content_kind { CONTENT_RANDOM, CONTENT_NATURAL, CONTENT_CONSTANT, CONTENT_PHOTO, CONTENTS };
enum content_type { CONTENT_U8, CONTENT_U16, CONTENT_F16, CONTENT_F32 }; // as lg_type

#define CONTENT_TILE 1024 // side of the periodic natural tile

static inline uint64_t content_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

// Value of the lattice point (x, y) of an octave, 0 .. 65535.
static inline uint32_t content_lattice(uint32_t x, uint32_t y, uint32_t octave)
{
    uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ octave * 0xc2b2ae3du;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (h ^ (h >> 15)) & 65535u;
}

// Smooth step of t in 0 .. 65535: 3t^2 - 2t^3 in integers.
static inline uint32_t content_smooth(uint32_t t)
{
    const uint64_t s = ((uint64_t)t * t) >> 16;
    return (uint32_t)((s * (3u * 65536u - 2u * t)) >> 16);
}

static inline int64_t content_octave(uint32_t x, uint32_t y, uint32_t cell, uint32_t octave)
{
    const uint32_t cells = CONTENT_TILE / cell, x0 = x / cell, y0 = y / cell;
    const uint32_t x1 = (x0 + 1) % cells, y1 = (y0 + 1) % cells;
    const int64_t fx = content_smooth((x % cell) * (65536u / cell));
    const int64_t fy = content_smooth((y % cell) * (65536u / cell));
    const int64_t a = content_lattice(x0, y0, octave), b = content_lattice(x1, y0, octave);
    const int64_t c = content_lattice(x0, y1, octave), d = content_lattice(x1, y1, octave);
    const int64_t top = a + (((b - a) * fx) >> 16), bottom = c + (((d - c) * fx) >> 16);
    return top + (((bottom - top) * fy) >> 16) - 32768;
}

// A periodic tile of 16-bit natural noise; NULL when memory is used up.
static inline uint16_t *content_tile(void)
{
    uint16_t *tile = (uint16_t *)malloc((size_t)CONTENT_TILE * CONTENT_TILE * sizeof *tile);
    for (uint32_t y = 0; tile && y < CONTENT_TILE; y++) {
        for (uint32_t x = 0; x < CONTENT_TILE; x++) {
            int64_t sum = 0;
            for (uint32_t octave = 0; octave < 7; octave++)
                sum += content_octave(x, y, 256u >> octave, octave) * (128 >> octave);
            sum = 32768 + sum / 160;
            tile[(size_t)y * CONTENT_TILE + x] = (uint16_t)(sum < 0       ? 0
                                                            : sum > 65535 ? 65535
                                                                          : sum);
        }
    }
    return tile;
}

static inline uint16_t content_half(uint32_t value) // value / 65536 as binary16, truncated
{
    if (value == 0)
        return 0;
    int bit = 15;
    while (!(value >> bit & 1u))
        bit--;
    const uint32_t fraction = bit >= 10 ? value >> (bit - 10) : value << (10 - bit);
    return (uint16_t)(((uint32_t)(bit - 16 + 15) << 10) | (fraction & 1023u));
}

// Stores the 16-bit `value` as sample `at` of a row of `type`.
static inline void content_store(void *row, size_t at, int type, uint32_t value)
{
    if (type == CONTENT_U8)
        ((uint8_t *)row)[at] = (uint8_t)(value >> 8);
    else if (type == CONTENT_U16)
        ((uint16_t *)row)[at] = (uint16_t)value;
    else if (type == CONTENT_F16)
        ((uint16_t *)row)[at] = content_half(value);
    else
        ((float *)row)[at] = (float)value * (1.0f / 65536.0f);
}

static inline void content_random_row(void *row, size_t samples, int type, uint64_t *state)
{
    const size_t size = type == CONTENT_U8 ? 1 : type == CONTENT_F32 ? 4 : 2;
    for (size_t i = 0; i < samples;) {
        const uint64_t bits = content_next(state);
        if (type == CONTENT_F32 || type == CONTENT_F16) {
            for (int half = 0; half < 2 && i < samples; half++, i++) {
                const uint32_t word = (uint32_t)(bits >> (32 * half));
                if (type == CONTENT_F32)
                    ((float *)row)[i] = (float)(word >> 8) * (1.0f / 16777216.0f);
                else
                    ((uint16_t *)row)[i] = content_half(word >> 16);
            }
        } else {
            const size_t count = samples - i < 8 / size ? samples - i : 8 / size;
            memcpy((uint8_t *)row + i * size, &bits, count * size);
            i += count;
        }
    }
}

// One row of natural noise, or of a photograph: `photo` is 8-bit RGB of photo_width x photo_height,
// repeated.
static inline void content_picture_row(void *row, int64_t y, int64_t width, int channels, int type,
                                       const uint16_t *tile, const uint8_t *photo, int photo_width,
                                       int photo_height)
{
    for (int64_t x = 0; x < width; x++) {
        for (int c = 0; c < channels; c++) {
            uint32_t value = 65535;
            if (photo && c < 3) {
                const uint8_t *pixel = photo + ((size_t)(y % photo_height) * (size_t)photo_width +
                                                (size_t)(x % photo_width)) *
                                                   3;
                value =
                    (channels == 1 ? (pixel[0] + 2u * pixel[1] + pixel[2]) / 4u : pixel[c]) * 257u;
            } else if (!photo && c < 3) {
                const uint32_t grey =
                    tile[(size_t)(y % CONTENT_TILE) * CONTENT_TILE + (size_t)(x % CONTENT_TILE)];
                const uint32_t own = tile[(size_t)((y + 331 * c) % CONTENT_TILE) * CONTENT_TILE +
                                          (size_t)((x + 173 * c) % CONTENT_TILE)];
                value = (grey * 3u + own) / 4u;
            }
            content_store(row, (size_t)(x * channels + c), type, value);
        }
    }
}

typedef struct content_source {
    const uint16_t *tile; // content_tile()
    const uint8_t *photo; // 8-bit RGB, or NULL
    int photo_width, photo_height;
} content_source;

// Fills a whole image; `stride` is the distance of its rows in bytes.
static inline void content_fill(void *data, size_t stride, int32_t width, int32_t height,
                                int channels, int type, int content, const content_source *source)
{
    uint64_t state = 0x9e3779b97f4a7c15ull;
    const size_t samples = (size_t)width * (size_t)channels;
    const size_t bytes = samples * (type == CONTENT_U8 ? 1u : type == CONTENT_F32 ? 4u : 2u);
    for (int32_t y = 0; y < height; y++) {
        uint8_t *to = (uint8_t *)data + (size_t)y * stride;
        if (content == CONTENT_RANDOM)
            content_random_row(to, samples, type, &state);
        else if (content == CONTENT_CONSTANT && y > 0)
            memcpy(to, data, bytes);
        else if (content == CONTENT_CONSTANT)
            for (size_t i = 0; i < samples; i++)
                content_store(to, i, type, 32768);
        else if (content == CONTENT_NATURAL && y >= CONTENT_TILE)
            memcpy(to, to - CONTENT_TILE * stride, bytes);
        else
            content_picture_row(to, y, width, channels, type, source->tile,
                                content == CONTENT_PHOTO ? source->photo : NULL,
                                source->photo_width, source->photo_height);
    }
}

#endif
