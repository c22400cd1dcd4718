// Rows of samples, of sums and of figures for one CPU level.
#include "filter/native/local/local.h"
#include "filter/native/luminance.h"
#include "filter/native/planes.h"
#include "measure/areasum/areasum_lines.h"

#define INLINE static inline __attribute__((always_inline))

// ---- samples ------------------------------------------------------------------------------------

// `count` pixels (at most LG_SPAN) as planes of what is summed.
static void load_planes(const lg_local_stats *l, const lg_pixels *in, int64_t x, int64_t y,
                        int count, float *restrict scratch, const float *planes[4])
{
    float *const rgb_a[4] = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                             scratch + 3 * LG_SPAN};
    lg_stage_get(LG_CPU_LEVEL_ID)->load(in, x, y, count, rgb_a);
    for (int c = 0; c < 4; c++)
        planes[c] = rgb_a[c];
    if (l->kind == LG_LOCAL_LUMA)
        for (int i = 0; i < count; i++)
            rgb_a[0][i] = lg_luminance(rgba(rgb_a[0][i], rgb_a[1][i], rgb_a[2][i], 1));
    if (l->kind == LG_LOCAL_WEIGHTED) {
        const int colors = l->planes - 1;
        for (int c = 0; c < colors; c++)
            for (int i = 0; i < count; i++)
                rgb_a[c][i] = rgb_a[c][i] * rgb_a[3][i];
        planes[colors] = rgb_a[3];
    }
}

static void load_units(const lg_local_stats *l, const lg_pixels *in, int64_t y, float scale,
                       int32_t *restrict to, float *scratch)
{
    const int channels = l->channels;
    for (int64_t x = 0; x < in->width; x += LG_SPAN) {
        const int count = (int)LG_MIN(LG_SPAN, in->width - x);
        const float *planes[4];
        int32_t *restrict line = to + x * channels;
        load_planes(l, in, x, y, count, scratch, planes);
        for (int c = 0; c < channels; c++) {
            const float *restrict from = planes[c];
            if (c < l->planes)
                for (int i = 0; i < count; i++)
                    line[i * channels + c] = local_units(from[i], scale);
            else
                for (int i = 0; i < count; i++)
                    line[i * channels + c] = 0;
        }
    }
}

INLINE void multiply(const int channels, int32_t width, const uint8_t *restrict from,
                     int32_t *restrict to)
{
    for (int32_t i = 0; i < width; i++) {
        const int32_t alpha = from[i * channels + channels - 1];
        for (int c = 0; c < channels; c++)
            to[i * channels + c] = (c == channels - 1 ? 255 : from[i * channels + c]) * alpha;
    }
}

static void load(const lg_local_stats *l, const lg_pixels *in, int64_t y, float scale,
                 int32_t *restrict to, float *scratch)
{
    const char *row = in->data + (size_t)y * in->row_stride;
    const size_t count = (size_t)in->width * (size_t)l->channels;
    if (l->samples == LG_LOCAL_UNITS) {
        load_units(l, in, y, scale, to, scratch);
    } else if (l->samples == LG_LOCAL_BYTES) {
        uint8_t *restrict bytes = (uint8_t *)scratch;
        for (int32_t x = 0; x < in->width; x += LG_SPAN) {
            const int32_t some = LG_MIN(LG_SPAN, in->width - x);
            lg_luminance_bytes(in, x, (int32_t)y, (size_t)some, bytes);
            for (int32_t i = 0; i < some; i++)
                to[x + i] = bytes[i];
        }
    } else if (l->samples == LG_LOCAL_PRODUCTS) {
        const uint8_t *restrict from = (const uint8_t *)row;
        if (l->channels == 4)
            multiply(4, in->width, from, to);
        else
            multiply(2, in->width, from, to);
    } else if (in->type == LG_U8) {
        const uint8_t *restrict from = (const uint8_t *)row;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i];
    } else {
        const uint16_t *restrict from = (const uint16_t *)(const void *)row;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i];
    }
}

static uint32_t find_max(const lg_local_stats *l, const lg_pixels *in, int64_t y, float *scratch)
{
    uint32_t max = 0;
    for (int64_t x = 0; x < in->width; x += LG_SPAN) {
        const int count = (int)LG_MIN(LG_SPAN, in->width - x);
        const float *planes[4];
        load_planes(l, in, x, y, count, scratch, planes);
        for (int c = 0; c < l->planes; c++) {
            const float *restrict from = planes[c];
            for (int i = 0; i < count; i++) {
                const uint32_t bits = lg_bits(from[i]) & 0x7fffffffu;
                max = bits < 0x7f800000u && bits > max ? bits : max;
            }
        }
    }
    return max;
}

// ---- sums ---------------------------------------------------------------------------------------

// Windows: columns left .. right - 1 of rows top .. bottom - 1.
typedef struct lg_local_boxes {
    int32_t *left, *right, *top, *bottom;
} lg_local_boxes;

// Sums of 32 bits have no sign, what is left of them has.
INLINE float narrow_unsigned_real(uint32_t v)
{
    return local_low(v);
}

INLINE float narrow_signed_real(uint32_t v)
{
    const bool negative = (int32_t)v < 0;
    const float y = local_low(negative ? 0 - v : v);
    return negative ? -y : y;
}

INLINE float wide_unsigned_real(uint64_t v)
{
    return local_wide((uint32_t)(v >> 32), (uint32_t)v);
}

INLINE float wide_signed_real(uint64_t v)
{
    const bool negative = (int64_t)v < 0;
    const float y = wide_unsigned_real(negative ? 0 - v : v);
    return negative ? -y : y;
}

#define narrow_real_sum narrow_unsigned_real
#define wide_real_sum   wide_signed_real

#define WORD    uint32_t
#define SIGNED  int32_t
#define NAME(x) narrow_##x
#include "filter/native/local/local_words.h"

#undef WORD
#undef SIGNED
#undef NAME
#define WORD    uint64_t
#define SIGNED  int64_t
#define NAME(x) wide_##x
#include "filter/native/local/local_words.h"

static void move(bool narrow, size_t count, const int32_t *row_in, const int32_t *row_out,
                 void *sums, void *squares)
{
    if (narrow && !row_in)
        narrow_leave(count, row_out, sums, squares);
    else if (narrow)
        narrow_move(count, row_in, row_out, sums, squares);
    else if (!row_in)
        wide_leave(count, row_out, sums, squares);
    else
        wide_move(count, row_in, row_out, sums, squares);
}

extern const lg_area_lines_table LG_CPU_TABLE(areasum_lines);

static void along(bool narrow, int channels, size_t count, const void *columns, void *sums)
{
    const lg_area_lines_table *lines = &LG_CPU_TABLE(areasum_lines);
    const size_t word = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    char *first = (char *)sums + (size_t)channels * word;
    memset(sums, 0, (size_t)channels * word);
    if (narrow)
        lines->prefix_u32(columns, count / (size_t)channels, channels, (uint32_t *)(void *)first);
    else
        lines->prefix_u64(columns, count / (size_t)channels, channels, (uint64_t *)(void *)first);
}

// ---- figures ------------------------------------------------------------------------------------

// The results of a span: windows' sums, then figures, a pixel's samples side by side.
typedef struct span {
    void *sums, *squares;
    lg_local_boxes boxes;
    float *inverse;
    int32_t *middle;
    float *rest, *figures, *planes;
} span;

static span span_of(float *scratch)
{
    const size_t samples = (size_t)4 * LG_SPAN;
    span s = {.sums = scratch, .squares = scratch + 2 * samples};
    int32_t *boxes = (int32_t *)(void *)(scratch + 4 * samples);
    s.boxes = (lg_local_boxes){boxes, boxes + LG_SPAN, boxes + 2 * LG_SPAN, boxes + 3 * LG_SPAN};
    s.inverse = scratch + 5 * samples;
    s.middle = (int32_t *)(void *)(scratch + 6 * samples);
    s.rest = scratch + 7 * samples;
    s.figures = scratch + 8 * samples;
    s.planes = scratch + 9 * samples;
    return s;
}

INLINE void spread_sizes(const int channels, int32_t count, const int32_t *restrict columns,
                         const float *restrict inverse, int32_t rows, uint32_t *restrict pixels,
                         float *restrict to)
{
    for (int32_t i = 0; i < count; i++)
        for (int c = 0; c < channels; c++) {
            if (pixels)
                pixels[i * channels + c] = (uint32_t)columns[i] * (uint32_t)rows;
            to[i * channels + c] = inverse[i];
        }
}

static void spread(int channels, int32_t count, const int32_t *columns, const float *inverse,
                   int32_t rows, uint32_t *pixels, float *to)
{
    if (channels == 1)
        spread_sizes(1, count, columns, inverse, rows, pixels, to);
    else if (channels == 2)
        spread_sizes(2, count, columns, inverse, rows, pixels, to);
    else
        spread_sizes(4, count, columns, inverse, rows, pixels, to);
}

static void sizes(const lg_local_stats *l, int32_t width, int32_t rows, uint32_t *pixels,
                  float *inverse)
{
    const int channels = l->channels, radius = l->radius_x;
    for (int32_t x = 0; x < width; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, width - x);
        int32_t columns[LG_SPAN];
        float one[LG_SPAN];
        for (int32_t i = 0; i < count; i++)
            columns[i] = LG_MIN(x + i + radius, width - 1) - LG_MAX(x + i - radius, 0) + 1;
        for (int32_t i = 0; i < count; i++)
            one[i] = local_inverse(columns[i], rows);
        spread(channels, count, columns, one, rows, pixels + (size_t)x * (size_t)channels,
               inverse + (size_t)x * (size_t)channels);
    }
}

static void fill_sums(const lg_local_row *r, int32_t x, int32_t count, const span *s)
{
    if (r->local->narrow) {
        narrow_differences(r, r->sums, x, count, s->sums);
        if (r->squares)
            narrow_differences(r, r->squares, x, count, s->squares);
        return;
    }
    wide_differences(r, r->sums, x, count, s->sums);
    if (r->squares)
        wide_differences(r, r->squares, x, count, s->squares);
}

static void find_means(const lg_local_row *r, int32_t samples, const float *inverse, const span *s)
{
    if (r->local->narrow)
        narrow_means(samples, s->sums, inverse, r->unit, s->figures);
    else
        wide_means(samples, s->sums, inverse, r->unit, s->figures);
}

static void find_deviations(const lg_local_row *r, size_t first, int32_t samples, const span *s)
{
    const uint32_t *pixels = r->pixels + first;
    const float *inverse = r->inverse + first;
    if (r->local->narrow)
        narrow_deviations(samples, s->sums, s->squares, pixels, inverse, s->middle, s->rest,
                          s->figures);
    else
        wide_deviations(samples, s->sums, s->squares, pixels, inverse, s->middle, s->rest,
                        s->figures);
}

// Samples as they lie side by side, where the output is like what was summed.
static bool store_samples(const lg_local_row *r, int32_t x, int32_t count, const span *s)
{
    const lg_local_stats *l = r->local;
    const int channels = l->channels;
    const lg_pixels *out = &r->out;
    const bool same = l->kind == LG_LOCAL_COMPONENTS && !lg_pixels_have_alpha(&r->in) &&
                      lg_pixels_same_kind(&r->in, out) && channels == out->channels;
    if (!same || out->type == LG_F16 || (channels == 2 && l->planes == 1))
        return false;
    const size_t samples = (size_t)count * (size_t)channels;
    char *to = out->data + (size_t)r->y * out->row_stride +
               (size_t)x * (size_t)channels * lg_type_size(out->type);
    const float *restrict from = s->figures;
    if (l->planes == 3)
        for (int32_t i = 0; i < count; i++)
            s->figures[4 * i + 3] = 1;
    if (out->type == LG_U8)
        for (size_t i = 0; i < samples; i++)
            ((uint8_t *)to)[i] = (uint8_t)lg_to_unit(from[i], 255);
    else if (out->type == LG_U16)
        for (size_t i = 0; i < samples; i++)
            ((uint16_t *)(void *)to)[i] = (uint16_t)lg_to_unit(from[i], 65535);
    else
        memcpy(to, from, samples * sizeof *from);
    return true;
}

static void store_planes(const lg_local_row *r, int32_t x, int32_t count, const span *s)
{
    const int channels = r->local->channels;
    lg_pixels like = r->in;
    if (store_samples(r, x, count, s))
        return;
    if (r->local->kind == LG_LOCAL_COMPONENTS && lg_pixels_have_alpha(&like))
        like.alpha = LG_ALPHA_OPAQUE;
    for (int c = 0; c < r->local->planes; c++)
        for (int32_t i = 0; i < count; i++)
            s->planes[c * LG_SPAN + i] = s->figures[i * channels + c];
    lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), &like, &r->out, x, r->y, count, s->planes,
                    LG_SPAN);
}

static void store_thresholds(const lg_local_row *r, int32_t x, int32_t count, const span *s)
{
    const lg_local_stats *l = r->local;
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    float *const planes[4] = {s->planes, s->planes + LG_SPAN, s->planes + 2 * LG_SPAN,
                              s->planes + 3 * LG_SPAN};
    const int32_t *restrict own = r->own + x, *restrict middle = s->middle;
    const float *restrict rest = s->rest, *restrict deviation = s->figures;
    float *restrict to = s->inverse; // not needed any more
    const float unit = r->unit, k = l->k, inverse_range = lg_div(1, l->range);
    if (l->figure == LG_LOCAL_NIBLACK)
        for (int32_t i = 0; i < count; i++)
            to[i] = local_niblack((float)(own[i] - middle[i]), rest[i], deviation[i], unit, k);
    else
        for (int32_t i = 0; i < count; i++)
            to[i] = local_sauvola((float)(own[i] - middle[i]), (float)middle[i], rest[i],
                                  deviation[i], unit, k, inverse_range);
    stage->load(&r->in, x, r->y, count, planes);
    for (int c = 0; c < 3; c++)
        memcpy(planes[c], to, (size_t)count * sizeof *to);
    stage->store(&r->out, x, r->y, count, planes);
}

static void row(const lg_local_row *r, float *scratch)
{
    const lg_local_stats *l = r->local;
    const span s = span_of(scratch);
    for (int32_t x = 0; x < r->in.width; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, r->in.width - x), samples = count * l->channels;
        const size_t first = (size_t)x * (size_t)l->channels;
        fill_sums(r, x, count, &s);
        if (l->figure == LG_LOCAL_MEAN) {
            find_means(r, samples, r->inverse + first, &s);
            store_planes(r, x, count, &s);
            continue;
        }
        find_deviations(r, first, samples, &s);
        if (l->figure == LG_LOCAL_DEVIATION) {
            for (int32_t i = 0; i < samples; i++)
                s.figures[i] = s.figures[i] * r->unit;
            store_planes(r, x, count, &s);
        } else {
            store_thresholds(r, x, count, &s);
        }
    }
}

// ---- windows of their own -----------------------------------------------------------------------

// The windows of a span; scratch is for the other image.
static void fill_boxes(const lg_local_row *r, const lg_pixels *over, int32_t x, int32_t count,
                       float *scratch, const span *s)
{
    int32_t *restrict left = s->boxes.left, *restrict right = s->boxes.right;
    int32_t *restrict top = s->boxes.top, *restrict bottom = s->boxes.bottom;
    const lg_local_stats *l = r->local;
    float *const planes[4] = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                              scratch + 3 * LG_SPAN};
    lg_stage_get(LG_CPU_LEVEL_ID)->load(over, x, r->y, count, planes);
    const float *restrict across = planes[0];
    const float *restrict down = planes[l->windows == LG_LOCAL_ANISOTROPIC];
    const float most_x = (float)l->radius_x, most_y = (float)l->radius_y;
    const int32_t width = r->in.width, height = r->in.height, y = r->y;
    for (int32_t i = 0; i < count; i++) {
        const int32_t radius = local_radius(across[i], most_x);
        left[i] = LG_MAX(x + i - radius, 0);
        right[i] = LG_MIN(x + i + radius, width - 1) + 1;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t radius = local_radius(down[i], most_y);
        top[i] = LG_MAX(y - radius, 0);
        bottom[i] = LG_MIN(y + radius, height - 1) + 1;
    }
    int32_t columns[LG_SPAN];
    float *restrict inverse = s->rest; // not needed for means
    for (int32_t i = 0; i < count; i++) {
        columns[i] = right[i] - left[i];
        inverse[i] = local_inverse(columns[i], bottom[i] - top[i]);
    }
    spread(l->channels, count, columns, inverse, 0, NULL, s->inverse);
}

static void gather(const lg_local_row *r, const lg_pixels *over, const lg_local_sums *table,
                   float *scratch)
{
    const span s = span_of(scratch);
    const int channels = r->local->channels;
    for (int32_t x = 0; x < r->in.width; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, r->in.width - x);
        fill_boxes(r, over, x, count, s.planes, &s);
        if (r->local->narrow)
            narrow_corners(channels, table, count, &s.boxes, s.sums);
        else
            wide_corners(channels, table, count, &s.boxes, s.sums);
        find_means(r, count * channels, s.inverse, &s);
        store_planes(r, x, count, &s);
    }
}

extern const lg_local_table LG_CPU_TABLE(local);
const lg_local_table LG_CPU_TABLE(local) = {load, find_max, move, along, sizes, row, gather};
