// f64 as words of area sums, made from the bits of the samples: docs/definitions.md, f64 in units.
#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <string.h>

#define INFINITE 0x7ff0000000000000u
#define SIGN     0x8000000000000000u

static uint64_t bits_at(const void *samples, size_t i)
{
    uint64_t bits; // samples need not be aligned
    memcpy(&bits, (const char *)samples + i * sizeof bits, sizeof bits);
    return bits;
}

void lg_area_find_most(const void *samples, size_t count, uint64_t *max, uint64_t *ignored)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t magnitude = bits_at(samples, i) & ~SIGN;
        if (magnitude >= INFINITE)
            ++*ignored;
        else if (magnitude > *max)
            *max = magnitude;
    }
}

// m 2^shift rounded to an integer, ties to even. m has 53 bits at most, or a whole result 63.
static uint64_t rounded(uint64_t m, int shift)
{
    if (shift >= 0)
        return shift < 64 ? m << shift : 0; // m is 0 where it does not fit
    if (shift < -54)
        return 0;
    const int right = -shift;
    return (m + ((uint64_t)1 << (right - 1)) - 1 + (m >> right & 1)) >> right;
}

// A finite magnitude is m 2^exponent.
static uint64_t digits_of(uint64_t magnitude, int *exponent)
{
    const int field = (int)(magnitude >> 52);
    *exponent = (field ? field : 1) - 1075;
    return field ? (magnitude & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52 : magnitude;
}

static uint64_t upper_of(uint64_t magnitude, int unit)
{
    int exponent;
    const uint64_t m = digits_of(magnitude, &exponent);
    return rounded(m, exponent - unit);
}

// What the upper word leaves, in units that are smaller by 2^below. Negative where it was rounded up.
static uint64_t lower_of(uint64_t magnitude, int unit, int below)
{
    int exponent;
    const uint64_t m = digits_of(magnitude, &exponent);
    const int shift = exponent - unit;
    if (shift >= 0)
        return 0;
    const uint64_t upper = rounded(m, shift), taken = upper ? upper << -shift : 0;
    return taken > m ? 0 - rounded(taken - m, shift + below) : rounded(m - taken, shift + below);
}

static uint64_t sum_word(const lg_areasum *a, const lg_area_plane *plane, uint64_t magnitude)
{
    const int split = lg_area_split(a->elements);
    if (plane->op == LG_AREA_OP_SUM_LOW)
        return lower_of(magnitude, plane->exponent, lg_area_below(a->elements));
    const uint64_t upper = upper_of(magnitude, plane->exponent);
    const lg_u128 square = (lg_u128)upper * upper;
    if (plane->op == LG_AREA_OP_SQUARES)
        return (uint64_t)square & (((uint64_t)1 << split) - 1);
    return plane->op == LG_AREA_OP_SQUARES_TOP ? (uint64_t)(square >> split) : upper;
}

static uint64_t key_of(uint64_t bits)
{
    return bits & SIGN ? ~bits : bits | SIGN;
}

double lg_area_double_of_key(uint64_t key)
{
    const uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static bool is_above(uint64_t bits, double above)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v > above;
}

void lg_area_double_words(const lg_areasum *a, const lg_area_plane *plane, const void *samples,
                          size_t count, void *words)
{
    const lg_area_op op = plane->op;
    uint32_t *narrow = words;
    uint64_t *wide = words;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = bits_at(samples, i), magnitude = bits & ~SIGN;
        const bool finite = magnitude < INFINITE;
        if (op == LG_AREA_OP_COUNT || op == LG_AREA_OP_ABOVE) {
            narrow[i] = finite && (op == LG_AREA_OP_COUNT || is_above(bits, a->params.above));
        } else if (op == LG_AREA_OP_LEAST || op == LG_AREA_OP_MOST) {
            wide[i] = finite ? key_of(bits) : op == LG_AREA_OP_LEAST ? UINT64_MAX : 0;
        } else {
            const uint64_t word = finite ? sum_word(a, plane, magnitude) : 0;
            const bool negative = bits & SIGN && (op == LG_AREA_OP_SUM || op == LG_AREA_OP_SUM_LOW);
            wide[i] = negative ? 0 - word : word;
        }
    }
}
