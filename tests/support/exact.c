#include "exact.h"

#include <math.h>
#include <string.h>

exact exact_u64(uint64_t value)
{
    exact r = {{(uint32_t)value, (uint32_t)(value >> 32)}};
    return r;
}

exact exact_add(exact a, exact b)
{
    uint64_t carry = 0;
    for (int i = 0; i < EXACT_LIMBS; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static exact negate(exact a)
{
    for (int i = 0; i < EXACT_LIMBS; i++)
        a.limb[i] = ~a.limb[i];
    return exact_add(a, exact_u64(1));
}

exact exact_sub(exact a, exact b)
{
    return exact_add(a, negate(b));
}

int exact_sign(const exact *a)
{
    if (a->limb[EXACT_LIMBS - 1] >> 31)
        return -1;
    for (int i = 0; i < EXACT_LIMBS; i++) {
        if (a->limb[i])
            return 1;
    }
    return 0;
}

exact exact_abs(exact a)
{
    return exact_sign(&a) < 0 ? negate(a) : a;
}

exact exact_mul(exact a, exact b)
{
    const bool negative = exact_sign(&a) * exact_sign(&b) < 0;
    exact r = {{0}};
    a = exact_abs(a);
    b = exact_abs(b);
    for (int i = 0; i < EXACT_LIMBS; i++) {
        uint64_t carry = 0;
        if (a.limb[i] == 0)
            continue;
        for (int j = 0; i + j < EXACT_LIMBS; j++) {
            carry += (uint64_t)a.limb[i] * b.limb[j] + r.limb[i + j];
            r.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return negative ? negate(r) : r;
}

exact exact_shift(exact a, int bits)
{
    exact r = {{0}};
    const int words = bits / 32, rest = bits % 32;
    for (int i = words; i < EXACT_LIMBS; i++) {
        r.limb[i] = a.limb[i - words] << rest;
        if (rest && i > words)
            r.limb[i] |= a.limb[i - words - 1] >> (32 - rest);
    }
    return r;
}

exact exact_double(double value, int shift)
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent); // value = integer * 2^(exponent - 53)
    uint64_t integer = (uint64_t)ldexp(fraction, 53);
    int bits = exponent - 53 + shift;
    while (bits < 0 && integer) { // exact by the caller's promise
        integer >>= 1;
        bits++;
    }
    const exact r = integer ? exact_shift(exact_u64(integer), bits) : exact_u64(0);
    return value < 0 ? negate(r) : r;
}

double exact_value(exact a, int shift)
{
    const bool negative = exact_sign(&a) < 0;
    a = exact_abs(a);
    int top = EXACT_LIMBS - 1;
    while (top > 0 && a.limb[top] == 0)
        top--;
    double r = 0;
    for (int i = top; i >= 0 && i > top - 4; i--)
        r += ldexp((double)a.limb[i], 32 * (i - top));
    r = ldexp(r, 32 * top + shift);
    return negative ? -r : r;
}

double exact_ratio(exact numerator, exact denominator, int shift)
{
    int top = EXACT_LIMBS - 1;
    while (top > 0 && denominator.limb[top] == 0)
        top--;
    const double d = exact_value(denominator, -32 * top);
    return ldexp(exact_value(numerator, -32 * top) / d, shift);
}

bool exact_is_nearest(double value, exact numerator, exact denominator)
{
    enum { SHIFT = 460 };
    const exact error = exact_abs(exact_sub(exact_mul(exact_double(value, SHIFT), denominator),
                                            exact_shift(numerator, SHIFT)));
    const double ulp = nextafter(fabs(value), INFINITY) - fabs(value);
    if (value == 0)
        return exact_sign(&numerator) == 0;
    const exact half_ulp = exact_mul(exact_double(ulp, SHIFT - 1), denominator);
    const exact room = exact_sub(half_ulp, error);
    return exact_sign(&room) >= 0;
}
