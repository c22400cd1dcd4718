// Accumulators of moments as bytes, for files and other machines: measure/accumulator.h, and the sums of each
// channel.
//
// Sums of integers: count, sum (2 words), sum of squares (2 words), minimum, maximum. Sums of floats:
// count, NaN, positive and negative infinities, minimum and (in the upper half)
// maximum as bits, sum (6 words, two's complement), sum of squares (10 words),
// in units of LG_SUM_UNIT and LG_SQUARES_UNIT.
#include "measure/moments/moments_accumulator.h"

#define INTEGER_WORDS 7
#define FLOAT_WORDS   (5 + LG_SUM_WORDS + LG_SQUARES_WORDS)

static const lg_saved_kind kind = {"LGMOMENT", 3};

size_t lg_moments_state_words(lg_type type)
{
    return type == LG_U8 || type == LG_U16 ? INTEGER_WORDS : FLOAT_WORDS;
}

static size_t saved_size(const lg_covered_region *r)
{
    return 8 * (LG_SAVED_HEADER + lg_moments_state_words(r->type) * (size_t)r->channels + 1);
}

// ---- save ---------------------------------------------------------------------------------------

static void put_integers(uint8_t **at, const lg_integer_moments *m)
{
    lg_put64(at, m->n);
    lg_put64(at, (uint64_t)m->sum);
    lg_put64(at, (uint64_t)(m->sum >> 64));
    lg_put64(at, (uint64_t)m->squares);
    lg_put64(at, (uint64_t)(m->squares >> 64));
    lg_put64(at, m->min);
    lg_put64(at, m->max);
}

static void put_floats(uint8_t **at, const lg_float_sums *m)
{
    lg_put64(at, m->n);
    lg_put64(at, m->nans);
    lg_put64(at, m->pinfs);
    lg_put64(at, m->ninfs);
    lg_put64(at, (uint64_t)lg_bits(m->max) << 32 | lg_bits(m->min));
    for (int i = 0; i < LG_SUM_WORDS; i++)
        lg_put64(at, m->sum[i]);
    for (int i = 0; i < LG_SQUARES_WORDS; i++)
        lg_put64(at, m->squares[i]);
}

void lg_moments_state_put(uint8_t **at, const lg_moments_state *state)
{
    if (state->integer)
        put_integers(at, &state->integers);
    else
        put_floats(at, &state->floats);
}

lg_status lg_moments_accumulator_save(const lg_moments_accumulator *a, void *data, size_t capacity,
                                      size_t *size, lg_error *error)
{
    uint8_t *at;
    if (!a || !size)
        return lg_fail_null(error, "an accumulator, and a size to fill");
    const lg_status status =
        lg_saved_begin(&kind, &a->region, data, capacity, saved_size(&a->region), size, &at, error);
    if (status || !at)
        return status;
    for (int c = 0; c < a->region.channels; c++)
        lg_moments_state_put(&at, &a->states[c]);
    lg_saved_end(data, at);
    return LG_OK;
}

// ---- load ---------------------------------------------------------------------------------------

static bool get_integers(const uint8_t **at, lg_type type, uint64_t covered, lg_integer_moments *m)
{
    const uint32_t limit = type == LG_U8 ? 255 : 65535;
    m->n = lg_get64(at);
    m->sum = lg_get64(at);
    m->sum |= (lg_u128)lg_get64(at) << 64;
    m->squares = lg_get64(at);
    m->squares |= (lg_u128)lg_get64(at) << 64;
    const uint64_t min = lg_get64(at), max = lg_get64(at);
    m->min = (uint32_t)min;
    m->max = (uint32_t)max;
    if (m->n == 0)
        return m->sum == 0 && m->squares == 0 && min == UINT32_MAX && max == 0;
    return m->n <= covered && min <= max && max <= limit && m->sum >= (lg_u128)m->n * min &&
           m->sum <= (lg_u128)m->n * max && m->squares >= m->sum * min &&
           m->squares <= m->sum * max;
}

static bool all_zero(const uint64_t *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (words[i] != 0)
            return false;
    }
    return true;
}

static bool get_floats(const uint8_t **at, uint64_t covered, lg_float_sums *m)
{
    m->n = lg_get64(at);
    m->nans = lg_get64(at);
    m->pinfs = lg_get64(at);
    m->ninfs = lg_get64(at);
    const uint64_t extremes = lg_get64(at);
    m->min = lg_from_bits((uint32_t)extremes);
    m->max = lg_from_bits((uint32_t)(extremes >> 32));
    for (int i = 0; i < LG_SUM_WORDS; i++)
        m->sum[i] = lg_get64(at);
    for (int i = 0; i < LG_SQUARES_WORDS; i++)
        m->squares[i] = lg_get64(at);
    const uint64_t counts[] = {m->n, m->nans, m->pinfs, m->ninfs};
    for (size_t i = 0; i < LG_COUNT(counts); i++) {
        if (counts[i] > covered)
            return false;
        covered -= counts[i];
    }
    if (m->n == 0) {
        const lg_float_sums empty = lg_float_sums_empty();
        return m->min == empty.min && m->max == empty.max && all_zero(m->sum, LG_SUM_WORDS) &&
               all_zero(m->squares, LG_SQUARES_WORDS);
    }
    const float largest = lg_from_bits(LG_BITS_INF - 1);
    return -largest <= m->min && m->min <= m->max && m->max <= largest; // false for NaN
}

bool lg_moments_state_get(const uint8_t **at, lg_type type, uint64_t covered, lg_moments_state *out)
{
    *out = lg_moments_state_empty(type);
    return out->integer ? get_integers(at, type, covered, &out->integers)
                        : get_floats(at, covered, &out->floats);
}

lg_status lg_moments_accumulator_load(const void *data, size_t size, lg_moments_accumulator **out,
                                      lg_error *error)
{
    lg_covered_region r;
    const uint8_t *at;
    lg_moments_accumulator *a = NULL;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the accumulator");
    lg_status status = lg_saved_open(&kind, data, size, &r, &at, error);
    if (!status && size != saved_size(&r))
        status = lg_saved_damaged(error, "their number does not fit the header");
    if (!status)
        status = lg_moments_accumulator_create(r.type, r.channels, r.width, r.height, r.layers, &a,
                                               error);
    if (status)
        return status;
    a->region.covered = r.covered;
    for (int c = 0; status == LG_OK && c < r.channels; c++)
        if (!lg_moments_state_get(&at, r.type, r.covered, &a->states[c]))
            status = lg_saved_damaged(error, "its sums contradict each other");
    if (status == LG_OK)
        *out = a;
    else
        lg_moments_accumulator_destroy(&a);
    return status;
}
