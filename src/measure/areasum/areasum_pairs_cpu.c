// Two rows of a ripmap, 32 words of each at once: whole cache lines for every place that is written.
#include "measure/areasum/areasum_pairs.h"

#include "measure/areasum/areasum_vectors.h"

#define INLINE static inline __attribute__((always_inline))
#define WORDS  32

// Adjacent words of two vectors joined: these and those.
#define EVEN8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD8  1, 3, 5, 7, 9, 11, 13, 15
#define EVEN4 0, 2, 4, 6
#define ODD4  1, 3, 5, 7

INLINE void put_twice(const lg_area_twice *to, size_t byte, const lg_u32x8 *v)
{
    *(lg_u32x8 *)((char *)to->near + byte) = *v;
    lg_put32((char *)to->far + byte, v, true);
}

// Words of each row from word i on; `first`: they were samples.
#define DEFINE_PAIR(name, type, vector, even, odd)                                                 \
    INLINE void join_##name(const lg_area_pair *p, size_t i, const type *upper, const type *lower, \
                            bool first)                                                            \
    {                                                                                              \
        enum { LANES = sizeof(vector) / sizeof(type), VECTORS = WORDS / LANES };                   \
        const size_t at = i * sizeof(type), half_at = at / 2;                                      \
        vector rows[2][VECTORS], half[2][VECTORS / 2];                                             \
        for (size_t r = 0; r < 2; r++)                                                             \
            for (size_t k = 0; k < VECTORS; k++) {                                                 \
                rows[r][k] = *(const vector *)((r ? lower : upper) + LANES * k);                   \
                const lg_u32x8 word = (lg_u32x8)rows[r][k];                                        \
                if (first && p->words[r])                                                          \
                    lg_put32((char *)p->words[r] + at + 32 * k, &word, true);                      \
            }                                                                                      \
        for (size_t k = 0; k < VECTORS && first; k++) {                                            \
            const lg_u32x8 sum = (lg_u32x8)(rows[0][k] + rows[1][k]);                              \
            put_twice(&p->sum, at + 32 * k, &sum);                                                 \
        }                                                                                          \
        for (size_t r = 0; r < 2; r++)                                                             \
            for (size_t k = 0; k < VECTORS / 2; k++) {                                             \
                const vector a = rows[r][2 * k], b = rows[r][2 * k + 1];                           \
                half[r][k] =                                                                       \
                    __builtin_shufflevector(a, b, even) + __builtin_shufflevector(a, b, odd);      \
                const lg_u32x8 word = (lg_u32x8)half[r][k];                                        \
                put_twice(&p->half[r], half_at + 32 * k, &word);                                   \
            }                                                                                      \
        for (size_t k = 0; k < VECTORS / 2; k++) {                                                 \
            const lg_u32x8 word = (lg_u32x8)(half[0][k] + half[1][k]);                             \
            put_twice(&p->quarter, half_at + 32 * k, &word);                                       \
        }                                                                                          \
    }                                                                                              \
    /* What is left of the rows as words, at most WORDS of each. */                                \
    static void finish_##name(const lg_area_pair *p, size_t begin, const type(*rows)[WORDS],       \
                              bool first)                                                          \
    {                                                                                              \
        for (size_t i = 0; i < p->count - begin && first; i++) {                                   \
            for (size_t r = 0; r < 2 && p->words[r]; r++)                                          \
                ((type *)p->words[r])[begin + i] = rows[r][i];                                     \
            const type sum = rows[0][i] + rows[1][i];                                              \
            ((type *)p->sum.near)[begin + i] = ((type *)p->sum.far)[begin + i] = sum;              \
        }                                                                                          \
        for (size_t i = 0; i < p->count / 2 - begin / 2; i++) {                                    \
            type half[2];                                                                          \
            for (size_t r = 0; r < 2; r++) {                                                       \
                half[r] = rows[r][2 * i] + rows[r][2 * i + 1];                                     \
                ((type *)p->half[r].near)[begin / 2 + i] = half[r];                                \
                ((type *)p->half[r].far)[begin / 2 + i] = half[r];                                 \
            }                                                                                      \
            const type quarter = half[0] + half[1];                                                \
            ((type *)p->quarter.near)[begin / 2 + i] = quarter;                                    \
            ((type *)p->quarter.far)[begin / 2 + i] = quarter;                                     \
        }                                                                                          \
    }                                                                                              \
    static void words_##name(lg_area_pair *p)                                                      \
    {                                                                                              \
        const type *a = p->from[0], *b = p->from[1];                                               \
        const size_t end = p->count / WORDS * WORDS;                                               \
        for (size_t i = 0; i < end; i += WORDS)                                                    \
            join_##name(p, i, a + i, b + i, false);                                                \
        type rows[2][WORDS];                                                                       \
        memcpy(rows[0], a + end, (p->count - end) * sizeof(type));                                 \
        memcpy(rows[1], b + end, (p->count - end) * sizeof(type));                                 \
        finish_##name(p, end, (const type(*)[WORDS])rows, false);                                  \
    }

DEFINE_PAIR(u32, uint32_t, lg_u32x8, EVEN8, ODD8)
DEFINE_PAIR(u64, uint64_t, lg_u64x4, EVEN4, ODD4)
DEFINE_PAIR(f32, float, lg_f32x8, EVEN8, ODD8)

typedef uint16_t u16 __attribute__((aligned(1), may_alias)); // the caller's may begin anywhere

#define DEFINE_SAMPLES(name, sample, join, type)                                                   \
    static void name(lg_area_pair *p)                                                              \
    {                                                                                              \
        type rows[2][WORDS];                                                                       \
        for (size_t i = 0; i < p->count; i += WORDS) {                                             \
            const size_t count = LG_MIN(p->count - i, (size_t)WORDS);                              \
            for (size_t r = 0; r < 2; r++) {                                                       \
                const sample *from = (const sample *)p->from[r] + i;                               \
                __builtin_prefetch((const sample *)p->next[r] + i);                                \
                if (count == WORDS)                                                                \
                    for (size_t k = 0; k < WORDS; k++)                                             \
                        rows[r][k] = from[k];                                                      \
                else                                                                               \
                    for (size_t k = 0; k < count; k++)                                             \
                        rows[r][k] = from[k];                                                      \
            }                                                                                      \
            if (count == WORDS)                                                                    \
                join_##join(p, i, rows[0], rows[1], true);                                         \
            else                                                                                   \
                finish_##join(p, i, (const type(*)[WORDS])rows, true);                             \
        }                                                                                          \
    }

DEFINE_SAMPLES(u8_to_u32, uint8_t, u32, uint32_t)
DEFINE_SAMPLES(u8_to_u64, uint8_t, u64, uint64_t)
DEFINE_SAMPLES(u16_to_u32, u16, u32, uint32_t)
DEFINE_SAMPLES(u16_to_u64, u16, u64, uint64_t)

INLINE void finite_row(const float *from, double scale, float *to, lg_i32x8 *max)
{
    (void)scale;
    for (size_t k = 0; k < WORDS; k += 8) {
        lg_f32x8 x = *(const lg_f32x8 *)(from + k);
        lg_look_at_finite(&x, max);
        lg_only_finite(&x);
        *(lg_f32x8 *)(to + k) = x;
    }
}

INLINE void units_row(const float *from, double scale, uint64_t *to, lg_i32x8 *max)
{
    for (size_t k = 0; k < WORDS; k += 8) {
        lg_f32x8 x = *(const lg_f32x8 *)(from + k);
        lg_look_at_finite(&x, max);
        lg_only_finite(&x);
        lg_units(&x, scale, (lg_u64x4 *)(to + k));
    }
}

#define DEFINE_FLOATS(name, row, join, type)                                                       \
    static void name(lg_area_pair *p)                                                              \
    {                                                                                              \
        const size_t end = p->count / WORDS * WORDS;                                               \
        type rows[2][WORDS];                                                                       \
        float rest[WORDS] = {0};                                                                   \
        lg_i32x8 max = {(int32_t)p->max};                                                          \
        for (size_t i = 0; i < end; i += WORDS) {                                                  \
            for (size_t r = 0; r < 2; r++) {                                                       \
                const float *next = (const float *)p->next[r] + i;                                 \
                __builtin_prefetch(next);                                                          \
                __builtin_prefetch(next + WORDS / 2);                                              \
                row((const float *)p->from[r] + i, p->scale, rows[r], &max);                       \
            }                                                                                      \
            join_##join(p, i, rows[0], rows[1], true);                                             \
        }                                                                                          \
        for (size_t r = 0; r < 2; r++) {                                                           \
            memcpy(rest, (const float *)p->from[r] + end, (p->count - end) * sizeof(float));       \
            row(rest, p->scale, rows[r], &max);                                                    \
        }                                                                                          \
        finish_##join(p, end, (const type(*)[WORDS])rows, true);                                   \
        p->max = lg_most_of(&max);                                                                 \
    }

DEFINE_FLOATS(finite_floats, finite_row, f32, float)
DEFINE_FLOATS(floats_to_units, units_row, u64, uint64_t)

const lg_area_pairs_table LG_CPU_TABLE(areasum_pairs) = {
    {[LG_U8][LG_AREA_U32] = u8_to_u32,
     [LG_U8][LG_AREA_U64] = u8_to_u64,
     [LG_U16][LG_AREA_U32] = u16_to_u32,
     [LG_U16][LG_AREA_U64] = u16_to_u64,
     [LG_F32][LG_AREA_F32] = finite_floats,
     [LG_F32][LG_AREA_U64] = floats_to_units},
    {[LG_AREA_U32] = words_u32, [LG_AREA_U64] = words_u64, [LG_AREA_F32] = words_f32}};
