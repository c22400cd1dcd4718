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

typedef struct digits {
    int unit, below, split;
} digits;

static inline uint64_t sum_word(lg_area_op op, const digits *d, uint64_t magnitude)
{
    if (op == LG_AREA_OP_SUM_LOW)
        return lower_of(magnitude, d->unit, d->below);
    const uint64_t upper = upper_of(magnitude, d->unit);
    const lg_u128 square = (lg_u128)upper * upper;
    if (op == LG_AREA_OP_SQUARES)
        return (uint64_t)square & (((uint64_t)1 << d->split) - 1);
    return op == LG_AREA_OP_SQUARES_TOP ? (uint64_t)(square >> d->split) : upper;
}

static void any_sums(lg_area_op op, const digits *d, const void *samples, size_t count,
                     uint64_t *words)
{
    const bool with_sign = op == LG_AREA_OP_SUM || op == LG_AREA_OP_SUM_LOW;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = bits_at(samples, i), magnitude = bits & ~SIGN;
        const uint64_t word = magnitude < INFINITE ? sum_word(op, d, magnitude) : 0;
        words[i] = with_sign && bits & SIGN ? 0 - word : word;
    }
}

// Added to a double below 2^51, it leaves the nearest integer in the low bits.
#define MAGIC 0x1.8p52

static uint64_t nearest(double v)
{
    const double sum = v + MAGIC, magic = MAGIC;
    uint64_t bits, zero;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&zero, &magic, sizeof zero);
    return bits - zero;
}

static double finite_at(const void *samples, size_t i)
{
    uint64_t bits = bits_at(samples, i);
    double v;
    bits = (bits & ~SIGN) < INFINITE ? bits : 0;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// Whether doubles round as digits do: both words are below 2^51, and no scale or product is subnormal.
static bool is_by_doubles(const digits *d)
{
    return d->below <= 52 && d->unit - d->below >= -900 && d->unit + d->below <= 900;
}

static void sums_by_doubles(bool low, const digits *d, const void *samples, size_t count,
                            uint64_t *words)
{
    const double scale = ldexp(1, -d->unit), unit = ldexp(1, d->unit),
                 low_scale = ldexp(1, d->below - d->unit);
    for (size_t i = 0; i < count && !low; i++)
        words[i] = nearest(finite_at(samples, i) * scale);
    for (size_t i = 0; i < count && low; i++) {
        const double v = finite_at(samples, i), upper = (v * scale + MAGIC) - MAGIC;
        words[i] = nearest((v - upper * unit) * low_scale); // the difference is exact
    }
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

static void double_sums(const lg_areasum *a, const lg_area_plane *plane, const void *samples,
                        size_t count, uint64_t *words)
{
    const digits d = {plane->exponent, lg_area_below(a->elements), lg_area_split(a->elements)};
    const bool low = plane->op == LG_AREA_OP_SUM_LOW;
    if ((low || plane->op == LG_AREA_OP_SUM) && is_by_doubles(&d))
        sums_by_doubles(low, &d, samples, count, words);
    else if (low)
        any_sums(LG_AREA_OP_SUM_LOW, &d, samples, count, words);
    else if (plane->op == LG_AREA_OP_SUM)
        any_sums(LG_AREA_OP_SUM, &d, samples, count, words);
    else
        any_sums(plane->op, &d, samples, count, words);
}

void lg_area_double_words(const lg_areasum *a, const lg_area_plane *plane, const void *samples,
                          size_t count, void *words)
{
    const lg_area_op op = plane->op;
    uint32_t *narrow = words;
    uint64_t *wide = words;
    if (lg_area_is_of_values(op)) {
        double_sums(a, plane, samples, count, words);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = bits_at(samples, i);
        const bool finite = (bits & ~SIGN) < INFINITE;
        if (op == LG_AREA_OP_LEAST || op == LG_AREA_OP_MOST)
            wide[i] = finite ? key_of(bits) : op == LG_AREA_OP_LEAST ? UINT64_MAX : 0;
        else
            narrow[i] = finite && (op == LG_AREA_OP_COUNT || is_above(bits, a->params.above));
    }
}
