// From a state to figures: quotients of exact wide integers, each rounded once.
#include "measure/moments/moments.h"

#include <math.h>

// Mean and variances of n samples from Σx in units of 2^unit and Σx² in units of 2^(2 unit). n < 2^63,
// Σx < 2^340 and Σx² < 2^617, so that no product reaches 2^1024.
static void finish(uint64_t n, const lg_u1024 *sum, bool negative, const lg_u1024 *squares,
                   int unit, lg_moments *out)
{
    const lg_u1024 square = lg_u1024_mul(sum, sum), all = lg_u1024_scale(squares, n);
    const lg_u1024 spread = lg_u1024_distance(&all, &square); // n Σx² is never below (Σx)²
    out->sum = lg_u1024_quotient(sum, 1, unit);
    out->mean = lg_u1024_quotient(sum, n, unit);
    if (negative) {
        out->sum = -out->sum;
        out->mean = -out->mean;
    }
    out->variance = lg_u1024_quotient(&spread, (lg_u128)n * n, 2 * unit);
    if (n > 1)
        out->variance_sample = lg_u1024_quotient(&spread, (lg_u128)n * (n - 1), 2 * unit);
}

static void finish_integers(const lg_integer_moments *m, lg_moments *out)
{
    out->count = m->n;
    out->exact = true;
    out->sum_lo = (uint64_t)m->sum;
    out->sum_hi = (uint64_t)(m->sum >> 64);
    if (m->n == 0)
        return;
    out->min = m->min;
    out->max = m->max;
    const lg_u1024 sum = lg_u1024_of(m->sum), squares = lg_u1024_of(m->squares);
    finish(m->n, &sum, false, &squares, 0, out);
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

static lg_status finish_floats(const lg_float_sums *m, lg_nan nan, lg_moments *out, lg_error *error)
{
    out->count = m->n;
    out->nan_count = m->nans;
    out->inf_count = m->pinfs + m->ninfs;
    if (m->n > 0) {
        bool negative;
        const lg_u1024 sum = lg_float_sums_magnitude(m, &negative);
        lg_u1024 squares = lg_u1024_of(0);
        memcpy(squares.limb, m->squares, sizeof m->squares);
        out->min = m->min;
        out->max = m->max;
        finish(m->n, &sum, negative, &squares, LG_SUM_UNIT, out);
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
        propagate(m->nans > 0, m->pinfs > 0, m->ninfs > 0, out);
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
        status = finish_floats(&state->floats, nan, &r, error);
    if (status == LG_OK)
        *out = r;
    return status;
}
