#include "measure/components/label_sums.h"

#include <math.h>
#include <string.h>

// ---- life -----------------------------------------------------------------------------------------

size_t lg_label_sums_bytes(const lg_label_task *task, uint32_t parts)
{
    return (size_t)parts *
           (sizeof(lg_component_basic) + (task->moments ? sizeof(lg_component_second) : 0) +
            (task->intensity ? sizeof(lg_component_intensity) : 0));
}

lg_status lg_label_sums_create(const lg_label_task *task, int32_t width, int32_t height,
                               double unit, uint32_t parts, lg_label_sums *out, lg_error *error)
{
    lg_label_sums s = {.width = width,
                       .height = height,
                       .intensity = task->intensity,
                       .scale = 1 / unit,
                       .parts = parts};
    bool all = (s.basic = lg_alloc_array(parts, sizeof *s.basic)) != NULL;
    if (task->moments)
        all &= (s.second = lg_alloc_array(parts, sizeof *s.second)) != NULL;
    if (task->intensity)
        all &= (s.intensities = lg_alloc_array(parts, sizeof *s.intensities)) != NULL;
    if (!all) {
        lg_label_sums_destroy(&s);
        return lg_fail_memory(error, lg_label_sums_bytes(task, parts), "sums of components");
    }
    lg_use_large_pages(s.basic, parts * sizeof *s.basic);
    lg_use_large_pages(s.second, task->moments ? parts * sizeof *s.second : 0);
    lg_use_large_pages(s.intensities, task->intensity ? parts * sizeof *s.intensities : 0);
    *out = s;
    return LG_OK;
}

void lg_label_sums_destroy(lg_label_sums *s)
{
    lg_free(s->basic);
    lg_free(s->second);
    lg_free(s->intensities);
    *s = (lg_label_sums){0};
}

void lg_label_sums_move(lg_label_sums *s, lg_components *c)
{
    c->basic = s->basic;
    c->second = s->second;
    c->intensity = s->intensities;
    *s = (lg_label_sums){0};
}

// ---- runs: sums over [begin, end) in closed form --------------------------------------------------

// Rows come in raster order. Adding to memory that was just written takes longest of all here, so that planes
// leave out what follows from their layer.
static inline void add_basic(lg_component_basic *b, const lg_label_share *add, int32_t y, int32_t z,
                             uint64_t row, bool volume)
{
    const uint64_t n = add->area;
    const int32_t low = (int32_t)add->low, high = (int32_t)add->high - 1;
    if (__builtin_expect(b->area == 0, 0))
        *b = (lg_component_basic){
            .first = row + (uint64_t)low, .low = {low, y, z}, .high = {high, y, z}};
    b->area += n;
    b->sum[0] += add->twice / 2;
    b->sum[1] += n * (uint64_t)y;
    b->low[0] = LG_MIN(b->low[0], low);
    b->high[0] = LG_MAX(b->high[0], high);
    if (!volume) {
        b->high[1] = y;
        return;
    }
    b->low[1] = LG_MIN(b->low[1], y); // rows begin anew with every layer
    b->high[1] = LG_MAX(b->high[1], y);
    b->sum[2] += n * (uint64_t)z;
    b->high[2] = z;
}

// The runs of the label that is frequent at once, which is most of them in noise where one component reaches
// everywhere; the others one by one. A label that is not found often is given up for that of another run.
static inline void add_row(lg_component_basic *basic, lg_label_runs *r, uint64_t row, bool volume)
{
    lg_label_share share;
    const size_t others =
        r->table->share(r->n, r->begin, r->end, r->label, r->frequent, &share, r->others);
    if (share.area)
        add_basic(&basic[r->frequent_part], &share, r->y, r->z, row, volume);
    for (size_t i = 0; i < others; i++) {
        const int32_t k = r->others[i];
        const uint32_t begin = (uint32_t)r->begin[k], end = (uint32_t)r->end[k], n = end - begin;
        const lg_label_share run = {n, (uint64_t)n * (begin + end - 1), begin, end};
        add_basic(&basic[r->part[k]], &run, r->y, r->z, row, volume);
    }
    if (others > r->n / 2) {
        r->frequent = r->label[r->others[others / 2]];
        r->frequent_part = r->part[r->others[others / 2]];
    }
}

// Squares of 0 to n - 1.
static inline lg_u128 squares_below(uint64_t n)
{
    return (lg_u128)(n * (n - 1) / 2) * (2 * n - 1) / 3;
}

static inline void add_second(lg_component_second *s, int32_t begin, int32_t end, int32_t y,
                              int32_t z)
{
    const uint64_t n = (uint64_t)(end - begin), x = n * (uint64_t)(begin + end - 1) / 2;
    const uint64_t row = (uint64_t)y, layer = (uint64_t)z;
    s->xx += squares_below((uint64_t)end) - (begin ? squares_below((uint64_t)begin) : 0);
    s->yy += (lg_u128)(n * row) * row;
    s->zz += (lg_u128)(n * layer) * layer;
    s->xy += (lg_u128)x * row;
    s->xz += (lg_u128)x * layer;
    s->yz += (lg_u128)(n * row) * layer;
}

// ---- intensities of runs --------------------------------------------------------------------------

typedef struct run_sums {
    __int128 sum, first; // of the samples and of sample times x
    lg_u128 squares;
    uint64_t count;
    double min, max;
} run_sums;

#define INTEGERS(name, type)                                                                       \
    static inline void name(const type *row, int32_t begin, int32_t end, run_sums *out)            \
    {                                                                                              \
        uint64_t sum = 0, first = 0, squares = 0; /* 2^24 samples of 16 bits: below 2^64 */        \
        uint32_t low = row[begin], high = row[begin];                                              \
        for (int32_t x = begin; x < end; x++) {                                                    \
            const uint64_t v = row[x];                                                             \
            sum += v;                                                                              \
            first += v * (uint64_t)x;                                                              \
            squares += v * v;                                                                      \
            low = LG_MIN(low, (uint32_t)v);                                                        \
            high = LG_MAX(high, (uint32_t)v);                                                      \
        }                                                                                          \
        *out = (run_sums){(__int128)sum, (__int128)first, squares, (uint64_t)(end - begin), low,   \
                          high};                                                                   \
    }

INTEGERS(integers_u8, uint8_t)
INTEGERS(integers_u16, uint16_t)

static inline void add_real(run_sums *out, double v, double scale, int32_t x)
{
    if (!isfinite(v))
        return;
    v += 0.0; // no negative zero
    const int64_t units = llrint(v * scale);
    out->sum += units;
    out->first += (__int128)units * x;
    out->squares += (lg_u128)((__int128)units * units);
    out->min = out->count ? LG_MIN(out->min, v) : v;
    out->max = out->count ? LG_MAX(out->max, v) : v;
    out->count++;
}

static void add_intensity(const lg_label_sums *s, lg_component_intensity *to, const char *row,
                          int32_t begin, int32_t end, int32_t y, int32_t z)
{
    run_sums r = {0};
    switch (s->intensity->shape.type) {
    case LG_U8:
        integers_u8((const uint8_t *)row, begin, end, &r);
        break;
    case LG_U16:
        integers_u16((const uint16_t *)(const void *)row, begin, end, &r);
        break;
    case LG_F16:
        for (int32_t x = begin; x < end; x++)
            add_real(&r, (double)lg_half_to_float(((const uint16_t *)(const void *)row)[x]),
                     s->scale, x);
        break;
    default:
        for (int32_t x = begin; x < end; x++)
            add_real(&r, (double)((const float *)(const void *)row)[x], s->scale, x);
    }
    if (r.count == 0)
        return;
    to->sum += r.sum;
    to->moment[0] += r.first;
    to->moment[1] += r.sum * y;
    to->moment[2] += r.sum * z;
    to->squares += r.squares;
    to->min = to->count ? LG_MIN(to->min, r.min) : r.min;
    to->max = to->count ? LG_MAX(to->max, r.max) : r.max;
    to->count += r.count;
}

static const void *samples_of(const lg_image *image, const lg_label_runs *r)
{
    return (const char *)image->data + (size_t)r->z * image->shape.layer_stride +
           (size_t)r->y * image->shape.row_stride;
}

void lg_label_sums_add(lg_label_sums *s, lg_label_runs *r)
{
    const uint64_t row =
        ((uint64_t)r->z * (uint64_t)s->height + (uint64_t)r->y) * (uint64_t)s->width;
    lg_component_basic *basic = s->basic + r->first_part;
    if (s->planes)
        add_row(basic, r, row, false);
    else
        add_row(basic, r, row, true);
    for (size_t i = 0; s->second && i < r->n; i++)
        add_second(&s->second[r->first_part + r->part[i]], r->begin[i], r->end[i], r->y, r->z);
    if (!s->intensities)
        return;
    const void *samples = samples_of(s->intensity, r);
    for (size_t i = 0; i < r->n; i++)
        add_intensity(s, &s->intensities[r->first_part + r->part[i]], samples, r->begin[i],
                      r->end[i], r->y, r->z);
}

// ---- parts ----------------------------------------------------------------------------------------

static void merge_basic(lg_component_basic *to, const lg_component_basic *from)
{
    if (from->area == 0)
        return;
    if (to->area == 0) {
        *to = *from;
        return;
    }
    to->area += from->area;
    to->first = LG_MIN(to->first, from->first);
    for (int i = 0; i < 3; i++) {
        to->sum[i] += from->sum[i];
        to->low[i] = LG_MIN(to->low[i], from->low[i]);
        to->high[i] = LG_MAX(to->high[i], from->high[i]);
    }
}

static void merge_second(lg_component_second *to, const lg_component_second *from)
{
    to->xx += from->xx;
    to->yy += from->yy;
    to->zz += from->zz;
    to->xy += from->xy;
    to->xz += from->xz;
    to->yz += from->yz;
}

static void merge_intensity(lg_component_intensity *to, const lg_component_intensity *from)
{
    if (from->count == 0)
        return;
    to->min = to->count ? LG_MIN(to->min, from->min) : from->min;
    to->max = to->count ? LG_MAX(to->max, from->max) : from->max;
    to->sum += from->sum;
    to->squares += from->squares;
    to->count += from->count;
    for (int i = 0; i < 3; i++)
        to->moment[i] += from->moment[i];
}

static void merge_component(lg_label_sums *to, uint32_t i, const lg_label_sums *from, uint32_t k)
{
    merge_basic(&to->basic[i], &from->basic[k]);
    if (to->second)
        merge_second(&to->second[i], &from->second[k]);
    if (to->intensities)
        merge_intensity(&to->intensities[i], &from->intensities[k]);
}

void lg_label_sums_merge(lg_label_sums *to, const lg_label_sums *from, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        merge_component(to, i, from, i);
}

void lg_label_sums_join(lg_label_sums *sums, uint32_t i, uint32_t k)
{
    merge_component(sums, i, sums, k);
}

// In place: a label is never above the number of the parts so far.
void lg_label_sums_finish(lg_label_sums *s, const uint32_t *label, lg_components *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->parts; i++) {
        const uint32_t to = label[i] - 1;
        if (to < count) {
            merge_component(s, to, s, i);
            continue;
        }
        count++;
        if (to == i)
            continue;
        s->basic[to] = s->basic[i];
        if (s->second)
            s->second[to] = s->second[i];
        if (s->intensities)
            s->intensities[to] = s->intensities[i];
    }
    for (uint32_t i = 0; s->planes && i < count; i++)
        s->basic[i].sum[2] = s->basic[i].area * (uint64_t)s->basic[i].low[2];
    c->count = count;
    lg_label_sums_move(s, c);
}

// ---- the unit -------------------------------------------------------------------------------------

float lg_label_magnitude(lg_type type, uint32_t bits)
{
    float v;
    if (type == LG_F16)
        return lg_half_to_float((uint16_t)bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

double lg_label_unit(lg_type type, uint32_t greatest)
{
    int exponent;
    if (type <= LG_U16 || greatest == 0)
        return 1;
    (void)frexp((double)lg_label_magnitude(type, greatest), &exponent);
    return ldexp(1, exponent - 40);
}

#define GREATEST(name, type, infinite)                                                             \
    static inline uint32_t name(const type *row, int32_t begin, int32_t end)                       \
    {                                                                                              \
        type greatest = 0;                                                                         \
        for (int32_t x = begin; x < end; x++) {                                                    \
            const type magnitude = row[x] & ((type)-1 >> 1);                                       \
            greatest = magnitude < (infinite) && magnitude > greatest ? magnitude : greatest;      \
        }                                                                                          \
        return greatest;                                                                           \
    }

GREATEST(greatest_half, uint16_t, 0x7c00)
GREATEST(greatest_float, uint32_t, 0x7f800000u)

uint32_t lg_label_greatest(const lg_image *intensity, const lg_label_runs *r)
{
    const void *row = samples_of(intensity, r);
    uint32_t greatest = 0;
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t of_run = intensity->shape.type == LG_F16
                                    ? greatest_half(row, r->begin[i], r->end[i])
                                    : greatest_float(row, r->begin[i], r->end[i]);
        greatest = LG_MAX(greatest, of_run);
    }
    return greatest;
}
