// Half precision as floats, in the files of each instruction set.
#ifndef LG_CPU_HALVES_H
#define LG_CPU_HALVES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

// Without branches, so that the compiler makes vectors of it. `from` may begin anywhere.
static inline void lg_halves_to_floats(const void *from, size_t count, float *to)
{
    typedef uint16_t any_u16 __attribute__((aligned(1), may_alias));
    const any_u16 *halves = from;
    size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(
            to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(halves + i))));
#endif
    for (; i < count; i++) {
        // Exponent and mantissa moved to their places are 2^-112 times the value;
        // infinities and NaN get the largest exponent.
        const uint32_t half = halves[i], rest = half & 0x7fffu, moved = rest << 13;
        float scaled;
        memcpy(&scaled, &moved, sizeof scaled);
        scaled *= 0x1p112f;
        uint32_t bits;
        memcpy(&bits, &scaled, sizeof bits);
        bits = (rest >= 0x7c00u ? bits | 0x7f800000u : bits) | (half & 0x8000u) << 16;
        memcpy(to + i, &bits, sizeof bits);
    }
}

#endif
