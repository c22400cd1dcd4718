// Moments of boxes: sums of samples times 1, x, y, x^2, x y and y^2, from summed-area tables.
//
// The arrays of area sums have 32 bits, and a sample times x^2 does not fit them. So a weight is cut into
// digits of as many bits as a sample leaves of 31, every digit times the sample is an array, and the sums of
// a box are put together again in 128 bits. The tables are those of any other area sums: all of it is exact,
// and the same on every device.
#include "areasum_planes.h"
#include "device/spill.h"

#include <math.h>

enum { WEIGHTS = 6, MOST_DIGITS = 3, MOST_PLANES = 1 + 2 * 2 + 3 * MOST_DIGITS, PER_TABLE = 4 };
enum { MOST_TABLES = (MOST_PLANES + PER_TABLE - 1) / PER_TABLE };

#define LARGEST_SIDE 65536

struct lg_area_moments {
    int channels, planes, tables;    // planes: of a channel
    int digits[WEIGHTS], digit_bits; // of a weight
    int64_t extent[2];
    lg_areasum **table; // [channel][table]
};

static uint64_t weight_of(int which, uint64_t x, uint64_t y)
{
    const uint64_t weights[WEIGHTS] = {1, x, y, x * x, x * y, y * y};
    return weights[which];
}

static void plan_digits(lg_area_moments *m, lg_type type)
{
    m->digit_bits = type == LG_U8 ? 23 : 15;
    for (int k = 0; k < WEIGHTS; k++) {
        const uint64_t most = weight_of(k, (uint64_t)m->extent[0] - 1, (uint64_t)m->extent[1] - 1);
        m->digits[k] = 1;
        while (most >> (m->digits[k] * m->digit_bits))
            m->digits[k]++;
        m->planes += m->digits[k];
    }
    m->tables = (m->planes + PER_TABLE - 1) / PER_TABLE;
}

static uint32_t sample_at(const lg_area_array *a, int64_t x, int64_t y, int channel)
{
    const uint8_t *at = (const uint8_t *)a->data + x * a->stride[0] + y * a->stride[1];
    uint16_t word;
    if (a->type == LG_U8)
        return at[channel];
    memcpy(&word, at + 2 * channel, sizeof word);
    return word;
}

// The weight and the digit of plane p.
static void find_plane(const lg_area_moments *m, int p, int *which, int *digit)
{
    for (*which = 0; p >= m->digits[*which]; ++*which)
        p -= m->digits[*which];
    *digit = p;
}

// The planes of table t, side by side as channels.
static void fill(lg_context *context, const lg_area_moments *m, const lg_area_array *from,
                 int channel, int t, int count, int32_t *to)
{
    int which[PER_TABLE], digit[PER_TABLE];
    const uint64_t mask = ((uint64_t)1 << m->digit_bits) - 1;
    for (int k = 0; k < count; k++)
        find_plane(m, t * PER_TABLE + k, &which[k], &digit[k]);
    for (int64_t y = 0; y < m->extent[1]; y++) {
        lg_context_relieve(context);
        for (int64_t x = 0; x < m->extent[0]; x++) {
            const uint32_t v = sample_at(from, x, y, channel);
            for (int k = 0; k < count; k++) {
                const uint64_t w = weight_of(which[k], (uint64_t)x, (uint64_t)y);
                *to++ = (int32_t)(v * (uint32_t)(w >> (digit[k] * m->digit_bits) & mask));
            }
        }
    }
}

static lg_status build_tables(lg_context *context, lg_area_moments *m, const lg_area_array *from,
                              size_t memory_limit, lg_error *error)
{
    lg_areasum_params params = lg_areasum_params_default();
    params.memory_limit = memory_limit ? memory_limit : params.memory_limit;
    const size_t pixels = (size_t)m->extent[0] * (size_t)m->extent[1];
    void *data = NULL;
    lg_status status = lg_block_take(context, pixels * PER_TABLE * sizeof(int32_t),
                                     "weighted samples", &data, error);
    for (int i = 0; i < m->channels * m->tables && !status; i++) {
        const int t = i % m->tables, count = LG_MIN(PER_TABLE, m->planes - t * PER_TABLE);
        lg_area_array array = {.data = data,
                               .type = LG_I32,
                               .dims = 2,
                               .channels = count,
                               .extent = {m->extent[0], m->extent[1]}};
        lg_area_array_pack(&array);
        fill(context, m, from, i / m->tables, t, count, data);
        status = lg_areasum_create(context, &array, &params, &m->table[i], error);
    }
    lg_block_give(context, data);
    return status;
}

static lg_status check_array(const lg_area_array *a, lg_error *error)
{
    size_t elements;
    const lg_status status = lg_area_array_check(a, &elements, error);
    if (status)
        return status;
    if (a->dims != 2 || (a->type != LG_U8 && a->type != LG_U16))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "moments of boxes are of two-dimensional arrays of u8 or u16; this one has "
                       "%d dimensions of %s",
                       a->dims, lg_type_name(a->type));
    for (int d = 0; d < 2; d++)
        if (a->extent[d] > LARGEST_SIDE)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "axis %d has %lld elements; moments of boxes take 1 to %d", d,
                           (long long)a->extent[d], LARGEST_SIDE);
    return LG_OK;
}

lg_status lg_area_moments_create(lg_context *context, const lg_area_array *array,
                                 size_t memory_limit, lg_area_moments **out, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = check_array(array, error);
    if (!status && !out)
        status = lg_fail_null(error, "a place for the moments");
    if (status)
        return status;
    lg_area_moments *m = lg_alloc(sizeof *m);
    if (!m)
        return lg_fail_memory(error, sizeof *m, "moments of boxes");
    *m = (lg_area_moments){.channels = array->channels,
                           .extent = {array->extent[0], array->extent[1]}};
    plan_digits(m, array->type);
    m->table = lg_alloc_array((size_t)(m->channels * m->tables), sizeof *m->table);
    status = m->table ? build_tables(context, m, array, memory_limit, error)
                      : lg_fail_memory(error, 64, "moments of boxes");
    if (status)
        lg_area_moments_destroy(&m);
    else
        *out = m;
    return status;
}

void lg_area_moments_destroy(lg_area_moments **moments)
{
    if (!moments || !*moments)
        return;
    lg_area_moments *m = *moments;
    for (int i = 0; m->table && i < m->channels * m->tables; i++)
        lg_areasum_destroy(&m->table[i]);
    lg_free(m->table);
    lg_free(m);
    *moments = NULL;
}

// ---- queries ------------------------------------------------------------------------------------

// a / b, of a difference with a sign.
static double difference_quotient(lg_u128 a, lg_u128 b, lg_u128 divisor)
{
    return a >= b ? lg_quotient(a - b, divisor, 0) : -lg_quotient(b - a, divisor, 0);
}

// Samples are below 2^16, coordinates too, and a box has at most 2^32 pixels: S < 2^48, sums of first order
// below 2^64, of second order below 2^80, and all products below 2^128.
static lg_area_moment finish(const lg_u128 s[WEIGHTS])
{
    lg_area_moment out = {.sum = (double)s[0],
                          .x = (double)s[1],
                          .y = (double)s[2],
                          .xx = (double)s[3],
                          .xy = (double)s[4],
                          .yy = (double)s[5],
                          .mean_x = NAN,
                          .mean_y = NAN,
                          .variance_x = NAN,
                          .covariance = NAN,
                          .variance_y = NAN};
    if (s[0] == 0)
        return out;
    const lg_u128 square = s[0] * s[0];
    out.mean_x = lg_quotient(s[1], s[0], 0);
    out.mean_y = lg_quotient(s[2], s[0], 0);
    out.variance_x = difference_quotient(s[0] * s[3], s[1] * s[1], square);
    out.covariance = difference_quotient(s[0] * s[4], s[1] * s[2], square);
    out.variance_y = difference_quotient(s[0] * s[5], s[2] * s[2], square);
    return out;
}

// The sums of a box: `sums` has those of its planes.
static lg_area_moment put_together(const lg_area_moments *m, const int64_t *sums)
{
    lg_u128 s[WEIGHTS] = {0};
    for (int p = 0; p < m->planes; p++) {
        int which, digit;
        find_plane(m, p, &which, &digit);
        s[which] += (lg_u128)(uint64_t)sums[p] << (digit * m->digit_bits);
    }
    return finish(s);
}

// `some` boxes of a channel: the tables answer side by side, and `sums` gets the planes of each box together.
static lg_status query_some(lg_context *context, const lg_area_moments *m, int channel,
                            const int32_t *bounds, size_t some, int64_t *part, int64_t *sums,
                            lg_error *error)
{
    for (int t = 0; t < m->tables; t++) {
        const int count = LG_MIN(PER_TABLE, m->planes - t * PER_TABLE);
        const lg_status status = lg_areasum_query_integers(
            context, m->table[channel * m->tables + t], bounds, some, part, error);
        if (status)
            return status;
        for (size_t i = 0; i < some; i++)
            for (int k = 0; k < count; k++)
                sums[i * (size_t)m->planes + (size_t)(t * PER_TABLE + k)] =
                    part[i * (size_t)count + (size_t)k];
    }
    return LG_OK;
}

lg_status lg_area_moments_query(lg_context *context, const lg_area_moments *m,
                                const int32_t *bounds, size_t count, lg_area_moment *out,
                                lg_error *error)
{
    enum { AT_ONCE = 16384 };
    if (!m || (count && !out))
        return lg_fail_null(error, "moments of boxes, and a place for them");
    lg_status status = lg_area_check_boxes(context, m->table[0], bounds, count, error);
    const size_t room = LG_MIN(count, (size_t)AT_ONCE), channels = (size_t)m->channels;
    int64_t *part = NULL, *sums = NULL;
    if (!status && count) {
        part = lg_alloc_array(room * PER_TABLE, sizeof *part);
        sums = lg_alloc_array(room * (size_t)m->planes, sizeof *sums);
        if (!part || !sums)
            status = lg_fail_memory(error, room * MOST_PLANES * sizeof *sums, "sums of boxes");
    }
    for (size_t first = 0; first < count && !status; first += room)
        for (size_t c = 0; c < channels && !status; c++) {
            const size_t some = LG_MIN(room, count - first);
            status = query_some(context, m, (int)c, bounds + 4 * first, some, part, sums, error);
            for (size_t i = 0; i < some && !status; i++)
                out[(first + i) * channels + c] = put_together(m, sums + i * (size_t)m->planes);
        }
    lg_free(part);
    lg_free(sums);
    return status;
}
