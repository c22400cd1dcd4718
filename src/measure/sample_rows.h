// Functions on a row of samples for CPU kernels of several measurements: f16 to floats, integer
// luma. For files that are compiled once per instruction-set level.
#ifndef LG_SAMPLE_ROWS_H
#define LG_SAMPLE_ROWS_H

#include "kernel/space/luma.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Exact for every f16: the product with 2^112 also makes normal floats of subnormal halves.
LG_FUNCTION float lg_half_value(uint16_t half)
{
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t finite = lg_bits(lg_from_bits(magnitude) * 0x1p112f);
    const uint32_t special = magnitude | 0x7f800000u;
    return lg_from_bits((magnitude >= 0x0f800000u ? special : finite) | sign);
}

// Luma of n pixels of four samples: weights in 65536ths, or the largest of r, g, b. One load for
// four samples; the compiler shuffles single samples badly.
LG_FUNCTION void lg_luma_row_u8(const uint8_t *restrict pixels, size_t n, const uint32_t *weight,
                                bool largest, uint8_t *restrict out)
{
    const uint32_t wr = weight[0], wg = weight[1], wb = weight[2];
    for (size_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, pixels + 4 * i, sizeof x);
        const uint32_t r = x & 255, g = x >> 8 & 255, b = x >> 16 & 255;
        const uint32_t sum = lg_luma_integer(r, g, b, wr, wg, wb);
        out[i] = (uint8_t)(largest ? lg_luma_integer_max(r, g, b) : sum);
    }
}

LG_FUNCTION void lg_luma_row_u16(const uint16_t *restrict pixels, size_t n, const uint32_t *weight,
                                 bool largest, uint16_t *restrict out)
{
    const uint32_t wr = weight[0], wg = weight[1], wb = weight[2];
    for (size_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, pixels + 4 * i, sizeof x);
        const uint32_t r = x & 65535, g = x >> 16 & 65535, b = x >> 32 & 65535;
        const uint32_t sum = lg_luma_integer(r, g, b, wr, wg, wb);
        out[i] = (uint16_t)(largest ? lg_luma_integer_max(r, g, b) : sum);
    }
}

#endif
