// From a state to figures. Integers: quotients of exact wide integers, rounded once.
#include "measure/moments/moments.h"

#include <math.h>

#define LIMBS 4 // of 64 bits, least significant first

typedef struct wide {
    uint64_t limb[LIMBS];
} wide;

static wide wide_from(lg_u128 value)
{
    return (wide){{(uint64_t)value, (uint64_t)(value >> 64), 0, 0}};
}

// Products here stay below 2^224: n < 2^64, squares < 2^96 n, sum < 2^80.
static wide wide_mul(lg_u128 a, lg_u128 b)
{
    const wide x = wide_from(a), y = wide_from(b);
    wide r = {{0}};
    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 2; j++) {
            const lg_u128 t = (lg_u128)x.limb[i] * y.limb[j] + r.limb[i + j] + carry;
            r.limb[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        r.limb[i + 2] = carry;
    }
    return r;
}

static bool wide_less(const wide *a, const wide *b)
{
    for (int i = LIMBS - 1; i > 0; i--) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    }
    return a->limb[0] < b->limb[0];
}

static wide wide_sub(wide a, const wide *b) // a >= b
{
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        const lg_u128 t = (lg_u128)a.limb[i] - b->limb[i] - borrow;
        a.limb[i] = (uint64_t)t;
        borrow = (uint64_t)(t >> 64) & 1;
    }
    return a;
}

static wide wide_shift(wide a,
                       int bits) // left for bits > 0; nothing is lost by the caller's choice
{
    wide r = {{0}};
    const int words = bits / 64, rest = bits % 64;
    for (int i = 0; i < LIMBS; i++) {
        const int from = i - words;
        uint64_t v = 0;
        if (from >= 0 && from < LIMBS)
            v = rest >= 0 ? a.limb[from] << rest : a.limb[from] >> -rest;
        if (rest > 0 && from >= 1 && from <= LIMBS)
            v |= a.limb[from - 1] >> (64 - rest);
        if (rest < 0 && from + 1 >= 0 && from + 1 < LIMBS)
            v |= a.limb[from + 1] << (64 + rest);
        r.limb[i] = v;
    }
    return r;
}

static int wide_bits(const wide *a)
{
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (a->limb[i])
            return 64 * i + 64 - __builtin_clzll(a->limb[i]);
    }
    return 0;
}

// a / b rounded to nearest even, b > 0: long division for 55 or 56 bits; what is left over only
// tells the quotient apart from a tie.
static double wide_quotient(wide a, wide b)
{
    if (wide_bits(&a) == 0)
        return 0.0;
    const int shift = 55 - (wide_bits(&a) - wide_bits(&b));
    if (shift > 0)
        a = wide_shift(a, shift);
    else
        b = wide_shift(b, -shift);
    uint64_t quotient = 0;
    b = wide_shift(b, 56);
    for (int i = 56; i >= 0; i--) {
        quotient <<= 1;
        if (!wide_less(&a, &b)) {
            a = wide_sub(a, &b);
            quotient |= 1;
        }
        b = wide_shift(b, -1);
    }
    quotient |= wide_bits(&a) != 0;
    return ldexp((double)quotient, -shift);
}

static void finish_integers(const lg_integer_moments *m, lg_moments *out)
{
    out->count = m->n;
    out->exact = true;
    out->sum = (double)m->sum;
    out->sum_lo = (uint64_t)m->sum;
    out->sum_hi = (uint64_t)(m->sum >> 64);
    if (m->n == 0)
        return;
    out->min = m->min;
    out->max = m->max;
    const wide square = wide_mul(m->sum, m->sum);
    const wide spread = wide_sub(wide_mul(m->n, m->squares), &square);
    out->mean = wide_quotient(wide_from(m->sum), wide_from(m->n));
    out->variance = wide_quotient(spread, wide_mul(m->n, m->n));
    if (m->n > 1)
        out->variance_sample = wide_quotient(spread, wide_mul(m->n, m->n - 1));
}

static uint64_t count64(lg_u32 lo, lg_u32 hi)
{
    return (uint64_t)hi << 32 | lo;
}

static void propagate(bool nan, bool pinf, bool ninf, lg_moments *out)
{
    out->variance = out->variance_sample = NAN;
    if (nan) {
        out->min = out->max = out->sum = out->mean = NAN;
        return;
    }
    out->sum = out->mean = pinf && ninf ? NAN : pinf ? INFINITY : -INFINITY;
    if (pinf)
        out->max = INFINITY;
    if (ninf)
        out->min = -INFINITY;
    if (isnan(out->min))
        out->min = INFINITY; // only +inf
    if (isnan(out->max))
        out->max = -INFINITY;
}

static lg_status finish_floats(const lg_node *node, lg_nan nan, lg_moments *out, lg_error *error)
{
    const uint64_t n = count64(node->n_lo, node->n_hi);
    const uint64_t pinf = count64(node->pinf_lo, node->pinf_hi);
    const uint64_t ninf = count64(node->ninf_lo, node->ninf_hi);
    out->count = n;
    out->nan_count = count64(node->nan_lo, node->nan_hi);
    out->inf_count = pinf + ninf;
    if (n > 0) {
        const double sum = (double)node->s_hi + (double)node->s_lo;
        const double m2 = (double)node->m2_hi + (double)node->m2_lo;
        out->min = node->min;
        out->max = node->max;
        out->sum = ldexp(sum, node->k);
        out->mean = ldexp(sum / (double)n, node->k);
        out->variance = ldexp(m2 / (double)n, 2 * node->k);
        if (n > 1)
            out->variance_sample = ldexp(m2 / (double)(n - 1), 2 * node->k);
    }
    if (out->nan_count == 0 && out->inf_count == 0)
        return LG_OK;
    if (nan == LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_DATA,
                       "%llu NaN and %llu infinite samples, and the NaN rule is to refuse them; "
                       "use ignore or propagate, or mask them",
                       (unsigned long long)out->nan_count, (unsigned long long)out->inf_count);
    if (nan == LG_NAN_PROPAGATE) {
        out->count += out->nan_count + out->inf_count;
        propagate(out->nan_count > 0, pinf > 0, ninf > 0, out);
    }
    return LG_OK;
}

lg_status lg_moments_finish(const lg_moments_state *state, lg_nan nan, lg_moments *out,
                            lg_error *error)
{
    lg_moments r = {.min = NAN, .max = NAN, .mean = NAN, .variance = NAN, .variance_sample = NAN};
    lg_status status = LG_OK;
    if (state->integer)
        finish_integers(&state->integers, &r);
    else
        status = finish_floats(&state->node, nan, &r, error);
    if (status == LG_OK)
        *out = r;
    return status;
}
