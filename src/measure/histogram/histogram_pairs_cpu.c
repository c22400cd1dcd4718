// Bytes counted by twos: neighbours of one channel are one index, and so one increment. A processor
// stores once per cycle, which is what bounds counting; the tables are large, but where neighbours
// are alike only a small part of them is touched.
#include "cpu/cpu.h"
#include "measure/histogram/histogram_kernels.h"

#if defined(__AVX2__)

#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define TABLES 4 // pair k of a word goes to table k

// 16 pairs of 32 bytes: the first sample, and above it how much more the second one is.
INLINE __m256i pairs_of(__m256i x, const int channels)
{
    const __m128i two = _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
    const __m128i four = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    if (channels > 1)
        x = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(channels == 2 ? two : four));
    return _mm256_sub_epi8(x, _mm256_slli_epi16(x, 8));
}

INLINE void count_word(uint64_t word, const int tables, uint32_t *pairs)
{
#pragma GCC unroll 4
    for (int k = 0; k < tables; k++)
        pairs[k * LG_HISTOGRAM_PAIR_STRIDE + (uint16_t)(word >> (16 * k))]++;
}

INLINE bool opaque(__m256i a, __m256i b)
{
    const __m256i colors = _mm256_set1_epi32(0xffffff);
    const __m256i alphas = _mm256_or_si256(_mm256_and_si256(a, b), colors);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(alphas, _mm256_set1_epi8(-1))) == -1;
}

// Both halves of the span in turn: a counter that was just stored is slow to load again, and less
// often the next one of another place. Alphas that are all 255 need no table.
INLINE size_t count(const uint8_t *samples, size_t size, const int channels, bool alpha,
                    uint32_t *pairs, uint32_t *opaque_pixels)
{
    const size_t half = size / 64 * 32;
    for (size_t i = 0; i < half; i += 32) {
        uint64_t words[2][4];
        const __m256i a = _mm256_loadu_si256((const void *)(samples + i));
        const __m256i b = _mm256_loadu_si256((const void *)(samples + half + i));
        _mm256_storeu_si256((void *)words[0], pairs_of(a, channels));
        _mm256_storeu_si256((void *)words[1], pairs_of(b, channels));
        __asm__("" : "+m"(words)); // through memory: taking vectors apart is slower
        const bool plain = channels == 4 && (!alpha || opaque(a, b));
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++)
            count_word(words[k % 2][k / 2], channels == 4 ? 3 : 4, pairs);
        *opaque_pixels += plain ? 16 : 0;
        for (int k = 0; channels == 4 && !plain && k < 8; k++)
            pairs[3 * LG_HISTOGRAM_PAIR_STRIDE + (words[k % 2][k / 2] >> 48)]++;
    }
    return 2 * half;
}

static size_t add(const uint8_t *samples, size_t size, const lg_histogram_layout *l,
                  uint32_t *pairs, uint32_t *tables)
{
    uint32_t opaque_pixels = 0;
    size_t done;
    if (l->channels == 1)
        done = count(samples, size, 1, false, pairs, &opaque_pixels);
    else if (l->channels == 2)
        done = count(samples, size, 2, false, pairs, &opaque_pixels);
    else
        done = count(samples, size, 4, l->counted == 4, pairs, &opaque_pixels);
    if (l->channels == 4)
        tables[3 * l->stride + 255] += opaque_pixels;
    return done;
}

// Samples that differ by `more` and their counts.
static void fold_row(const uint32_t *restrict row, size_t more, uint32_t *restrict table)
{
    for (size_t i = 0; i < 256; i++)
        table[i] += row[i];
    for (size_t i = 0; i < 256 - more; i++)
        table[i + more] += row[i];
    for (size_t i = 256 - more; i < 256; i++)
        table[i + more - 256] += row[i];
}

static void fold(uint32_t *pairs, const lg_histogram_layout *l, uint32_t *tables)
{
    for (size_t k = 0; k < TABLES; k++) {
        for (size_t more = 0; more < 256; more++) {
            uint32_t *row = pairs + k * LG_HISTOGRAM_PAIR_STRIDE + more * 256, any = 0;
            for (size_t i = 0; i < 256; i++)
                any |= row[i];
            if (!any)
                continue;
            fold_row(row, more, tables + k * l->stride);
            memset(row, 0, 256 * sizeof *row);
        }
    }
}

#define KERNELS                                                                                    \
    {                                                                                              \
        .add = add, .fold = fold                                                                   \
    }

#else

#define KERNELS                                                                                    \
    {                                                                                              \
        .add = NULL                                                                                \
    }

#endif

extern const lg_histogram_pairs LG_CPU_TABLE(histogram_pairs);
const lg_histogram_pairs LG_CPU_TABLE(histogram_pairs) = KERNELS;
