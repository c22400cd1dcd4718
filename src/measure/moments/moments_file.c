// Accumulators as bytes, for files and other machines. Little-endian words of 64 bits:
//
//   "LGMOMENT", version, type, channels, width, height, layers, pixels added,
//   the sums of each channel, check sum of all before it (lg_hash).
//
// Sums of integers: count, sum (2 words), sum of squares (2 words), minimum, maximum. Sums of floats:
// count, NaN, positive and negative infinities, minimum and (in the upper half)
// maximum as bits, sum (6 words, two's complement), sum of squares (10 words),
// in units of LG_SUM_UNIT and LG_SQUARES_UNIT.
#include "measure/moments/moments_accumulator.h"

#define MAGIC         UINT64_C(0x544e454d4f4d474c) // "LGMOMENT"
#define VERSION       3
#define HEADER        8
#define INTEGER_WORDS 7
#define FLOAT_WORDS   (5 + LG_SUM_WORDS + LG_SQUARES_WORDS)

static void put64(uint8_t **at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *(*at)++ = (uint8_t)(value >> (8 * i));
}

static uint64_t get64(const uint8_t **at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static size_t saved_size(const lg_moments_accumulator *a)
{
    const size_t words = a->states[0].integer ? INTEGER_WORDS : FLOAT_WORDS;
    return 8 * (HEADER + words * (size_t)a->channels + 1);
}

// ---- save ---------------------------------------------------------------------------------------

static void put_integers(uint8_t **at, const lg_integer_moments *m)
{
    put64(at, m->n);
    put64(at, (uint64_t)m->sum);
    put64(at, (uint64_t)(m->sum >> 64));
    put64(at, (uint64_t)m->squares);
    put64(at, (uint64_t)(m->squares >> 64));
    put64(at, m->min);
    put64(at, m->max);
}

static void put_floats(uint8_t **at, const lg_float_sums *m)
{
    put64(at, m->n);
    put64(at, m->nans);
    put64(at, m->pinfs);
    put64(at, m->ninfs);
    put64(at, (uint64_t)lg_bits(m->max) << 32 | lg_bits(m->min));
    for (int i = 0; i < LG_SUM_WORDS; i++)
        put64(at, m->sum[i]);
    for (int i = 0; i < LG_SQUARES_WORDS; i++)
        put64(at, m->squares[i]);
}

lg_status lg_moments_accumulator_save(const lg_moments_accumulator *a, void *data, size_t capacity,
                                      size_t *size, lg_error *error)
{
    if (!a || !size)
        return lg_fail(error, LG_ERROR_ARGUMENT, "saving needs an accumulator and a size to fill");
    const size_t bytes = saved_size(a);
    if (data && capacity < bytes)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is room for %zu bytes; %zu are needed",
                       capacity, bytes);
    *size = bytes;
    if (!data)
        return LG_OK;
    uint8_t *at = data;
    const uint64_t header[HEADER] = {MAGIC,
                                     VERSION,
                                     (uint64_t)a->type,
                                     (uint64_t)a->channels,
                                     (uint64_t)a->width,
                                     (uint64_t)a->height,
                                     (uint64_t)a->layers,
                                     a->covered};
    for (int i = 0; i < HEADER; i++)
        put64(&at, header[i]);
    for (int c = 0; c < a->channels; c++) {
        if (a->states[c].integer)
            put_integers(&at, &a->states[c].integers);
        else
            put_floats(&at, &a->states[c].floats);
    }
    put64(&at, lg_hash(data, bytes - 8, 0));
    return LG_OK;
}

// ---- load ---------------------------------------------------------------------------------------

static bool get_integers(const uint8_t **at, lg_type type, uint64_t covered, lg_integer_moments *m)
{
    const uint32_t limit = type == LG_U8 ? 255 : 65535;
    m->n = get64(at);
    m->sum = get64(at);
    m->sum |= (lg_u128)get64(at) << 64;
    m->squares = get64(at);
    m->squares |= (lg_u128)get64(at) << 64;
    const uint64_t min = get64(at), max = get64(at);
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
    m->n = get64(at);
    m->nans = get64(at);
    m->pinfs = get64(at);
    m->ninfs = get64(at);
    const uint64_t extremes = get64(at);
    m->min = lg_from_bits((uint32_t)extremes);
    m->max = lg_from_bits((uint32_t)(extremes >> 32));
    for (int i = 0; i < LG_SUM_WORDS; i++)
        m->sum[i] = get64(at);
    for (int i = 0; i < LG_SQUARES_WORDS; i++)
        m->squares[i] = get64(at);
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

static lg_status damaged(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_DATA, "these bytes are no saved accumulator: %s", what);
}

lg_status lg_moments_accumulator_load(const void *data, size_t size, lg_moments_accumulator **out,
                                      lg_error *error)
{
    if (!data || !out)
        return lg_fail(error, LG_ERROR_ARGUMENT, "loading needs bytes and a place for the result");
    if (size < 8 * HEADER + 8)
        return damaged(error, "they are too few");
    const uint8_t *at = data;
    uint64_t header[HEADER];
    for (int i = 0; i < HEADER; i++)
        header[i] = get64(&at);
    if (header[0] != MAGIC)
        return damaged(error, "the first 8 are not LGMOMENT");
    if (header[1] != VERSION)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the accumulator was saved in version %llu of the format; this library "
                       "reads version %d",
                       (unsigned long long)header[1], VERSION);
    const uint8_t *end = (const uint8_t *)data + size - 8;
    if (get64(&end) != lg_hash(data, size - 8, 0))
        return damaged(error, "the check sum is wrong");
    if (header[2] >= LG_TYPES || header[3] < 1 || header[3] > LG_MAX_CHANNELS ||
        header[4] > INT64_MAX || header[5] > INT64_MAX || header[6] > INT64_MAX)
        return damaged(error, "the header is out of range");
    lg_moments_accumulator *a = NULL;
    lg_status status =
        lg_moments_accumulator_create((lg_type)header[2], (int)header[3], (int64_t)header[4],
                                      (int64_t)header[5], (int64_t)header[6], &a, error);
    if (status != LG_OK)
        return status;
    a->covered = header[7];
    if (size != saved_size(a))
        status = damaged(error, "their number does not fit the header");
    else if (a->covered > (uint64_t)a->width * (uint64_t)a->height * (uint64_t)a->layers)
        status = damaged(error, "more pixels were added than there are");
    for (int c = 0; status == LG_OK && c < a->channels; c++) {
        if (!(a->states[c].integer ? get_integers(&at, a->type, a->covered, &a->states[c].integers)
                                   : get_floats(&at, a->covered, &a->states[c].floats)))
            status = damaged(error, "its sums contradict each other");
    }
    if (status == LG_OK)
        *out = a;
    else
        lg_moments_accumulator_destroy(&a);
    return status;
}
