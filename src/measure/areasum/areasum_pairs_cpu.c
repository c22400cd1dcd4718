// Two rows of a ripmap, 32 words of each at once: whole cache lines for every place that is written.
#include "measure/areasum/areasum_pairs.h"

#include "measure/areasum/areasum_vectors.h"

#define INLINE static inline __attribute__((always_inline))
#define WORDS  32

INLINE void put_twice(const lg_area_twice *to, size_t word, const lg_u32x8 *v)
{
    *(lg_u32x8 *)((uint32_t *)to->near + word) = *v;
    lg_put32((uint32_t *)to->far + word, v, true);
}

// Vectors of 32 words of each row from word i on; `first`: they were samples.
#define DEFINE_PAIR(name, type, vector)                                                            \
    INLINE void join_##name(const lg_area_pair *p, size_t i, const vector(*rows)[4], bool first)   \
    {                                                                                              \
        for (size_t r = 0; r < 2 && first; r++)                                                    \
            for (size_t k = 0; k < 4; k++) {                                                       \
                const lg_u32x8 word = (lg_u32x8)rows[r][k];                                        \
                lg_put32((type *)p->words[r] + i + 8 * k, &word, true);                            \
            }                                                                                      \
        for (size_t k = 0; k < 4 && first; k++) {                                                  \
            const lg_u32x8 sum = (lg_u32x8)(rows[0][k] + rows[1][k]);                              \
            put_twice(&p->sum, i + 8 * k, &sum);                                                   \
        }                                                                                          \
        vector half[2][2];                                                                         \
        for (size_t r = 0; r < 2; r++)                                                             \
            for (size_t k = 0; k < 2; k++) {                                                       \
                const vector a = rows[r][2 * k], b = rows[r][2 * k + 1];                           \
                half[r][k] = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +            \
                             __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);             \
                const lg_u32x8 word = (lg_u32x8)half[r][k];                                        \
                put_twice(&p->half[r], i / 2 + 8 * k, &word);                                      \
            }                                                                                      \
        for (size_t k = 0; k < 2; k++) {                                                           \
            const lg_u32x8 word = (lg_u32x8)(half[0][k] + half[1][k]);                             \
            put_twice(&p->quarter, i / 2 + 8 * k, &word);                                          \
        }                                                                                          \
    }                                                                                              \
    /* What is left of the rows as words, at most WORDS of each. */                                \
    static void finish_##name(const lg_area_pair *p, size_t begin, const type(*rows)[WORDS],       \
                              bool first)                                                          \
    {                                                                                              \
        for (size_t i = 0; i < p->count - begin && first; i++) {                                   \
            for (size_t r = 0; r < 2; r++)                                                         \
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
        const size_t end = p->count / WORDS * WORDS;                                               \
        for (size_t i = 0; i < end; i += WORDS) {                                                  \
            vector rows[2][4];                                                                     \
            for (size_t r = 0; r < 2; r++)                                                         \
                for (size_t k = 0; k < 4; k++)                                                     \
                    rows[r][k] = *(const vector *)((const type *)p->from[r] + i + 8 * k);          \
            join_##name(p, i, (const vector(*)[4])rows, false);                                    \
        }                                                                                          \
        type rest[2][WORDS];                                                                       \
        for (size_t r = 0; r < 2; r++)                                                             \
            memcpy(rest[r], (const type *)p->from[r] + end, (p->count - end) * sizeof(type));      \
        finish_##name(p, end, (const type(*)[WORDS])rest, false);                                  \
    }

DEFINE_PAIR(u32, uint32_t, lg_u32x8)
DEFINE_PAIR(f32, float, lg_f32x8)

static void bytes(lg_area_pair *p)
{
    const size_t end = p->count / WORDS * WORDS;
    for (size_t i = 0; i < end; i += WORDS) {
        lg_u32x8 rows[2][4];
        for (size_t r = 0; r < 2; r++) {
            const uint8_t *from = (const uint8_t *)p->from[r] + i;
            __builtin_prefetch((const uint8_t *)p->next[r] + i);
            for (size_t k = 0; k < 4; k += 2) {
                const lg_u16x16 v =
                    __builtin_convertvector(*(const lg_bytes16 *)(from + 8 * k), lg_u16x16);
                lg_widen_u16(&v, &rows[r][k]);
            }
        }
        join_u32(p, i, (const lg_u32x8(*)[4])rows, true);
    }
    uint32_t rest[2][WORDS];
    for (size_t r = 0; r < 2; r++)
        for (size_t i = end; i < p->count; i++)
            rest[r][i - end] = ((const uint8_t *)p->from[r])[i];
    finish_u32(p, end, (const uint32_t(*)[WORDS])rest, true);
}

static void floats(lg_area_pair *p)
{
    const size_t end = p->count / WORDS * WORDS;
    lg_i32x8 most = {(int32_t)p->most};
    lg_f32x8 rows[2][4];
    for (size_t i = 0; i < end; i += WORDS) {
        for (size_t r = 0; r < 2; r++) {
            const float *from = (const float *)p->from[r] + i,
                        *next = (const float *)p->next[r] + i;
            __builtin_prefetch(next);
            __builtin_prefetch(next + 16);
            for (size_t k = 0; k < 4; k++) {
                rows[r][k] = *(const lg_f32x8 *)(from + 8 * k);
                lg_look_at_finite(&rows[r][k], &most);
                lg_only_finite(&rows[r][k]);
            }
        }
        join_f32(p, i, (const lg_f32x8(*)[4])rows, true);
    }
    memset(rows, 0, sizeof rows);
    for (size_t r = 0; r < 2; r++) {
        memcpy(rows[r], (const float *)p->from[r] + end, (p->count - end) * sizeof(float));
        for (size_t k = 0; k < 4; k++) {
            lg_look_at_finite(&rows[r][k], &most);
            lg_only_finite(&rows[r][k]);
        }
    }
    float rest[2][WORDS];
    memcpy(rest, rows, sizeof rest);
    finish_f32(p, end, (const float(*)[WORDS])rest, true);
    p->most = lg_most_of(&most);
}

const lg_area_pairs_table LG_CPU_TABLE(areasum_pairs) = {bytes, floats, words_u32, words_f32};
