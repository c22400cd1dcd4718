// Components of parts as bytes: measure/accumulator.h, then
//
//   foreground, level as bits, connectivity, 1 for second moments + 2 for shapes + 4 where intensities were
//   looked at, type of intensities + 1 or 0,
//   greatest, number of components, number of segments;
//   of each component, by first pixels: area, first, sums of x, y and z, box as three words of low and high
//     (low in the upper half), second moments (12 words), intensities (sum, moments, squares: 10; count,
//     minimum and maximum as bits);
//   of each segment: first row, end, the number of runs of its first and of its last row; of each run: begin
//     and end, value and component (the former in the upper half).
#include "measure/components/label_segments.h"

#include <stdio.h>
#include <string.h>

static const lg_saved_kind kind = {"LGLABELS", 1};

#define OWN_WORDS       8
#define BASIC_WORDS     8u
#define SECOND_WORDS    12u
#define INTENSITY_WORDS 13u
#define SEGMENT_WORDS   4

static size_t component_words(const lg_label_accumulator *a)
{
    return BASIC_WORDS + (a->params.moments ? SECOND_WORDS : 0) +
           (a->intensity == LG_TYPES ? 0 : INTENSITY_WORDS);
}

// ---- save -----------------------------------------------------------------------------------------

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static void put_wide(uint8_t **at, lg_u128 value)
{
    lg_put64(at, (uint64_t)value);
    lg_put64(at, (uint64_t)(value >> 64));
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void put_component(uint8_t **at, const lg_label_accumulator *a, uint32_t part)
{
    const lg_component_basic *b = &a->sums.basic[part];
    lg_put64(at, b->area);
    lg_put64(at, b->first);
    for (int i = 0; i < 3; i++)
        lg_put64(at, b->sum[i]);
    for (int i = 0; i < 3; i++)
        lg_put64(at, pair((uint32_t)b->low[i], (uint32_t)b->high[i]));
    if (a->params.moments) {
        const lg_component_second *s = &a->sums.second[part];
        const lg_u128 all[] = {s->xx, s->yy, s->zz, s->xy, s->xz, s->yz};
        for (size_t i = 0; i < LG_COUNT(all); i++)
            put_wide(at, all[i]);
    }
    if (a->intensity == LG_TYPES)
        return;
    const lg_component_intensity *v = &a->sums.intensities[part];
    put_wide(at, (lg_u128)v->sum);
    for (int i = 0; i < 3; i++)
        put_wide(at, (lg_u128)v->moment[i]);
    put_wide(at, v->squares);
    lg_put64(at, v->count);
    lg_put64(at, bits_of(v->min));
    lg_put64(at, bits_of(v->max));
}

static void put_border(uint8_t **at, const lg_label_accumulator *a, const lg_row_border *b,
                       const uint32_t *index)
{
    for (size_t i = 0; i < b->count; i++) {
        const lg_border_run *r = &b->runs[i];
        lg_put64(at, pair((uint32_t)r->begin, (uint32_t)r->end));
        lg_put64(at, pair(r->value, index[lg_label_accumulator_root(a, r->part)]));
    }
}

static size_t saved_size(const lg_label_accumulator *a, uint32_t count)
{
    size_t words = LG_SAVED_HEADER + OWN_WORDS + (size_t)count * component_words(a) + 1;
    for (size_t i = 0; i < a->segment_count; i++)
        words += SEGMENT_WORDS + 2 * (a->segments[i].top.count + a->segments[i].bottom.count);
    return 8 * words;
}

static void put_all(uint8_t *at, const lg_label_accumulator *a, const uint32_t *order,
                    uint32_t count, const uint32_t *index, void *data)
{
    const lg_label_params *p = &a->params;
    const uint64_t own[OWN_WORDS] = {p->foreground,
                                     bits_of(p->level),
                                     (uint64_t)a->connectivity,
                                     (p->moments ? 1u : 0u) | (p->shape ? 2u : 0u) |
                                         (a->looked ? 4u : 0u),
                                     a->intensity == LG_TYPES ? 0 : (uint64_t)a->intensity + 1,
                                     a->greatest,
                                     count,
                                     a->segment_count};
    for (int i = 0; i < OWN_WORDS; i++)
        lg_put64(&at, own[i]);
    for (uint32_t i = 0; i < count; i++)
        put_component(&at, a, order[i]);
    for (size_t i = 0; i < a->segment_count; i++) {
        const lg_label_segment *s = &a->segments[i];
        lg_put64(&at, (uint64_t)s->first);
        lg_put64(&at, (uint64_t)s->end);
        lg_put64(&at, s->top.count);
        lg_put64(&at, s->bottom.count);
        put_border(&at, a, &s->top, index);
        put_border(&at, a, &s->bottom, index);
    }
    lg_saved_end(data, at);
}

lg_status lg_label_accumulator_save(const lg_label_accumulator *a, void *data, size_t capacity,
                                    size_t *size, lg_error *error)
{
    uint8_t *at = NULL;
    uint32_t count = 0;
    if (!a || !size)
        return lg_fail_null(error, "an accumulator, and a size to fill");
    lg_status status = lg_label_accumulator_check_plane(a, "saving", error);
    if (!status)
        status = lg_label_accumulator_check_held(a, "saving", error);
    if (status)
        return status;
    if (!data) {
        *size = saved_size(a, lg_label_accumulator_roots(a));
        return LG_OK;
    }
    uint32_t *order = lg_label_accumulator_order(a, &count, error);
    uint32_t *index = lg_alloc_array((size_t)a->parts + 1, sizeof *index);
    status = order ? LG_OK : LG_ERROR_MEMORY;
    if (!status && !index)
        status = lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *index, "components");
    if (!status)
        status = lg_saved_begin(&kind, &a->region, data, capacity, saved_size(a, count), size, &at,
                                error);
    if (!status && at) {
        for (uint32_t i = 0; i < count; i++)
            index[order[i]] = i;
        put_all(at, a, order, count, index, data);
    }
    lg_free(order);
    lg_free(index);
    return status;
}

// ---- load -----------------------------------------------------------------------------------------

static lg_u128 get_wide(const uint8_t **at)
{
    const uint64_t low = lg_get64(at);
    return (lg_u128)lg_get64(at) << 64 | low;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool get_box(const uint8_t **at, const lg_label_accumulator *a, lg_component_basic *b)
{
    const int64_t sides[] = {a->region.width, a->region.height, a->region.layers};
    bool good = true;
    for (int i = 0; i < 3; i++) {
        const uint64_t word = lg_get64(at);
        const uint32_t low = (uint32_t)(word >> 32), high = (uint32_t)word;
        good &= low <= high && high < (uint64_t)sides[i];
        b->low[i] = (int32_t)low;
        b->high[i] = (int32_t)high;
    }
    return good;
}

// Samples are at most 2^40 units, there are fewer than 2^40, and columns are below 2^24: sums of many such
// numbers do not overflow.
static bool is_below(__int128 value, int bits)
{
    return value < (__int128)1 << bits && value > -((__int128)1 << bits);
}

// n * sum(uv) - sum(u) sum(v), which is below n^2 times a quarter of the squared side.
static __int128 centred(const lg_component_basic *b, lg_u128 products, int u, int v)
{
    return (__int128)(b->area * products - (lg_u128)b->sum[u] * b->sum[v]);
}

// Figures of ellipses compute with these numbers in 128 bits.
static bool is_spread(const lg_component_basic *b, const lg_component_second *s)
{
    const __int128 squares[] = {centred(b, s->xx, 0, 0), centred(b, s->yy, 1, 1),
                                centred(b, s->zz, 2, 2)};
    const __int128 products[] = {centred(b, s->xy, 0, 1), centred(b, s->xz, 0, 2),
                                 centred(b, s->yz, 1, 2)};
    bool good = true;
    for (int i = 0; i < 3; i++)
        good &= squares[i] >= 0 && is_below(squares[i], 126) && is_below(products[i], 126);
    return good;
}

// Of the parts before it, the first pixels are in front. *area: pixels that are left for components.
static bool get_component(const uint8_t **at, lg_label_accumulator *a, uint64_t *area)
{
    const uint32_t part = a->parts;
    lg_component_basic *b = &a->sums.basic[part];
    b->area = lg_get64(at);
    b->first = lg_get64(at);
    for (int i = 0; i < 3; i++)
        b->sum[i] = lg_get64(at);
    bool good = get_box(at, a, b) && b->area >= 1 && b->area <= *area &&
                b->first < (uint64_t)(a->region.width * a->region.height * a->region.layers) &&
                (part == 0 || b->first > b[-1].first);
    for (int i = 0; i < 3 && good; i++)
        good = b->sum[i] >= b->area * (uint64_t)b->low[i] &&
               b->sum[i] <= b->area * (uint64_t)b->high[i];
    *area -= good ? b->area : 0;
    if (a->params.moments) {
        lg_component_second *s = &a->sums.second[part];
        lg_u128 *const all[] = {&s->xx, &s->yy, &s->zz, &s->xy, &s->xz, &s->yz};
        for (size_t i = 0; i < LG_COUNT(all); i++)
            *all[i] = get_wide(at);
        good &= is_spread(b, s);
    }
    if (a->intensity != LG_TYPES) {
        lg_component_intensity *v = &a->sums.intensities[part];
        v->sum = (__int128)get_wide(at);
        for (int i = 0; i < 3; i++)
            v->moment[i] = (__int128)get_wide(at);
        v->squares = get_wide(at);
        v->count = lg_get64(at);
        v->min = double_of(lg_get64(at));
        v->max = double_of(lg_get64(at));
        good &= v->count <= b->area && is_below(v->sum, 81);
        for (int i = 0; i < 3; i++)
            good &= is_below(v->moment[i], 105);
    }
    a->parent[part] = part;
    a->parts++;
    return good;
}

static bool get_border(const uint8_t **at, const lg_label_accumulator *a, size_t count,
                       lg_row_border *out)
{
    lg_border_run *runs = lg_alloc_array(LG_MAX(count, (size_t)1), sizeof *runs);
    bool good = runs != NULL;
    int64_t before = 0;
    *out = (lg_row_border){runs, runs ? count : 0};
    for (size_t i = 0; i < count && good; i++) {
        const uint64_t columns = lg_get64(at), value = lg_get64(at);
        const int64_t begin = (int64_t)(columns >> 32), end = (int64_t)(uint32_t)columns;
        runs[i] =
            (lg_border_run){(int32_t)begin, (int32_t)end, (uint32_t)(value >> 32), (uint32_t)value};
        good = begin >= before && begin < end && end <= a->region.width && runs[i].part < a->parts;
        before = end;
    }
    return good;
}

static bool get_segment(const uint8_t **at, const uint8_t *end, lg_label_accumulator *a,
                        int64_t *covered)
{
    if (end - *at < 8 * SEGMENT_WORDS)
        return false;
    lg_label_segment *s = &a->segments[a->segment_count];
    const int64_t rows = a->region.height * a->region.layers;
    const int64_t before = a->segment_count ? s[-1].end : -1;
    *s = (lg_label_segment){.first = (int64_t)lg_get64(at)};
    s->end = (int64_t)lg_get64(at);
    const uint64_t top = lg_get64(at), bottom = lg_get64(at);
    const uint64_t room = (uint64_t)(end - *at) / 16;
    if (s->first <= before || s->end <= s->first || s->end > rows || top > room ||
        bottom > room - top)
        return false;
    a->segment_count++;
    *covered += s->end - s->first;
    return get_border(at, a, (size_t)top, &s->top) && get_border(at, a, (size_t)bottom, &s->bottom);
}

static lg_status make(const lg_covered_region *r, const uint64_t own[OWN_WORDS],
                      lg_label_accumulator **out, lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    lg_error ignored;
    if (own[0] >= LG_FOREGROUNDS || own[2] > 26 || own[3] > 7 || own[4] > LG_TYPES ||
        own[5] > UINT32_MAX || own[6] >= UINT32_MAX || r->channels != 1)
        return lg_saved_damaged(error, "the parameters are out of range");
    params.foreground = (lg_foreground)own[0];
    params.level = double_of(own[1]);
    params.connectivity = (int)own[2];
    params.moments = own[3] & 1;
    params.shape = (own[3] & 2) != 0;
    const lg_type intensity = own[4] ? (lg_type)(own[4] - 1) : LG_U8;
    if (r->layers > 1 && lg_connectivity_is_volume(params.connectivity))
        return lg_saved_damaged(error, "volumes are not saved");
    const lg_status status =
        lg_label_accumulator_create(&params, r->type, own[4] ? &intensity : NULL, r->width,
                                    r->height, r->layers, out, &ignored);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(error, status, "%s", ignored.message);
    if (status)
        return lg_saved_damaged(error, "the parameters do not go together");
    (*out)->greatest = (uint32_t)own[5];
    (*out)->looked = (own[3] & 4) != 0;
    (*out)->region.covered = r->covered;
    return LG_OK;
}

static lg_status get_all(const uint8_t *at, const uint8_t *end, const uint64_t own[OWN_WORDS],
                         lg_label_accumulator *a, lg_error *error)
{
    int64_t rows = 0;
    uint64_t area = a->region.covered;
    const size_t room = (size_t)(end - at) / 8;
    if (own[6] > room / component_words(a) || own[7] > room / SEGMENT_WORDS)
        return lg_saved_damaged(error, "their number does not fit the header");
    const lg_status status =
        lg_label_accumulator_reserve(a, (uint32_t)own[6], (size_t)own[7], 0, error);
    bool good = true;
    for (uint64_t i = 0; i < own[6] && good && !status; i++)
        good = get_component(&at, a, &area);
    for (uint64_t i = 0; i < own[7] && good && !status; i++)
        good = get_segment(&at, end, a, &rows);
    if (status || (good && at == end && (uint64_t)(rows * a->region.width) == a->region.covered))
        return status;
    return lg_saved_damaged(error, "its components contradict each other");
}

lg_status lg_label_accumulator_load(const void *data, size_t size, lg_label_accumulator **out,
                                    lg_error *error)
{
    lg_covered_region r;
    const uint8_t *at;
    uint64_t own[OWN_WORDS];
    lg_label_accumulator *a = NULL;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the accumulator");
    lg_status status = lg_saved_open(&kind, data, size, &r, &at, error);
    if (!status && size < 8 * (LG_SAVED_HEADER + OWN_WORDS + 1))
        status = lg_saved_damaged(error, "they are too few");
    for (int i = 0; i < OWN_WORDS && !status; i++)
        own[i] = lg_get64(&at);
    if (!status)
        status = make(&r, own, &a, error);
    if (!status)
        status = get_all(at, (const uint8_t *)data + size - 8, own, a, error);
    if (status)
        lg_label_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}
