// Canny's edges up to the two bit maps, for one CPU level: tiles of columns, row by row, with the rows
// that are needed next in rings that stay in the first cache.
#include "filter/native/canny_edge_detection/canny_rows.h"
#include "filter/native/luminance.h"
#include "kernel/pixel_rule.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define LEAD  512               // bytes before the tile's first column: for columns outside it
#define SLACK LG_GAUSSIAN_SLACK // samples behind a row that whole vectors may read and write

#define APART_LINES 10                 // of a Sobel whose pixels are apart
#define APART_LEAD  (LG_MOST_STEP + 4) // columns beside a tile

// ---- rows ---------------------------------------------------------------------------------------

// Columns of a row as seen from the tile's first one: those that are computed.
typedef struct span {
    int32_t first, end;
} span;

// A power of two of rows, each in the slot that its number gives. Rows outside the image have numbers
// of their own, so that neighbouring rows never share a slot.
typedef struct ring {
    char *rows;
    size_t stride;
    int32_t slots;
    int32_t *held; // the row in a slot
} ring;

typedef struct canny {
    const lg_canny_job *job;
    const lg_canny_rows *kernels;
    int32_t x0, count; // columns of the tile
    size_t sample;     // bytes
    ring blurred, gradient, value;
    char *state; // of the Gaussian, with rows of `pitch` samples
    size_t pitch;
    int64_t fed;                 // rows of luminance that it has had
    char *line;                  // sums of columns
    char *direction, *candidate; // beside the rows of `gradient`
    size_t direction_stride, candidate_stride;
    char *luma, *zero;
    char *spare[2];
    float *apart; // lines of a Sobel whose pixels are apart
    uint64_t *bits[2];
    float *planes;
} canny;

static char *take(char *base, size_t *at, size_t bytes)
{
    char *here = base ? base + *at : NULL;
    *at = lg_align_up(*at + bytes, 64);
    return here;
}

static void make_ring(ring *r, char *base, size_t *at, int32_t slots, size_t stride)
{
    r->slots = slots;
    r->stride = lg_align_up(stride, 64);
    r->rows = take(base, at, r->stride * (size_t)slots);
    r->held = (int32_t *)take(base, at, (size_t)slots * sizeof *r->held);
}

static void empty_ring(ring *r)
{
    for (int32_t i = 0; i < r->slots; i++)
        r->held[i] = INT32_MIN;
}

// The slot of row v; *fresh: it has to be filled.
static int32_t find_slot(ring *r, int32_t v, bool *fresh)
{
    const int32_t slot = v & (r->slots - 1);
    *fresh = r->held[slot] != v;
    r->held[slot] = v;
    return slot;
}

static char *row_of(const ring *r, int32_t slot)
{
    return r->rows + (size_t)slot * r->stride + LEAD;
}

#define NEIGHBOURS 4  // rows that are kept for neighbourhoods of three
#define AHEAD      12 // rows that are asked for before they are read

// Pixels on either side that rows are blurred with here.
static int32_t radius_of(const lg_canny_job *j)
{
    return j->blurred.data ? 0 : j->gaussian.radius;
}

static size_t lay_out(canny *c, char *base)
{
    const lg_canny_job *j = c->job;
    c->kernels = j->integer ? &LG_CPU_TABLE(canny_integer) : &LG_CPU_TABLE(canny_real);
    c->sample = j->integer ? sizeof(int16_t) : sizeof(float);
    const lg_gaussian *g = &j->gaussian;
    const int32_t radius = radius_of(j);
    const size_t width = (size_t)(j->tile + LG_CANNY_REACH + 2 * radius) + SLACK;
    const size_t luma = j->integer ? 1 : sizeof(float), words = (size_t)j->tile / 64;
    const size_t row = LEAD + width * c->sample;
    size_t at = 0;
    c->pitch = lg_align_up(LEAD + width, 32);
    c->state = take(base, &at, radius ? lg_gaussian_state_rows(g) * c->pitch * c->sample : 0);
    c->line = take(base, &at, row);
    make_ring(&c->blurred, base, &at, NEIGHBOURS, row);
    make_ring(&c->gradient, base, &at, NEIGHBOURS, LEAD + width * sizeof(float));
    make_ring(&c->value, base, &at, j->ring ? NEIGHBOURS : 0, LEAD + width * sizeof(float));
    c->direction_stride = lg_align_up(width, 64);
    c->direction = take(base, &at, NEIGHBOURS * c->direction_stride);
    c->candidate_stride = lg_align_up(words * sizeof(uint64_t), 64);
    c->candidate = take(base, &at, NEIGHBOURS * c->candidate_stride);
    c->luma = take(base, &at, LEAD + width * luma);
    c->zero = take(base, &at, LEAD + width * sizeof(float));
    for (int i = 0; i < 2; i++)
        c->spare[i] = take(base, &at, 2 * row);
    const size_t apart_line = (size_t)j->tile + 2 * APART_LEAD;
    c->apart = (float *)take(base, &at, j->apart ? APART_LINES * apart_line * sizeof(float) : 0);
    for (int i = 0; i < 2; i++)
        c->bits[i] = (uint64_t *)take(base, &at, words * sizeof(uint64_t));
    c->planes = (float *)take(base, &at, 4 * LG_SPAN * sizeof(float));
    if (base)
        memset(c->zero, 0, LEAD + width * sizeof(float));
    return at;
}

// ---- columns ------------------------------------------------------------------------------------

// The tile and `reach` columns on both sides. Where the image wraps there are columns on all sides.
static span reach_of(const canny *c, int32_t reach)
{
    const lg_canny_job *j = c->job;
    const span s = {-reach, c->count + reach};
    if (j->border == LG_BORDER_WRAP)
        return s;
    return (span){LG_MAX(s.first, -c->x0), LG_MIN(s.end, j->width - c->x0)};
}

// Fills `pad` columns where the computed ones end with the image.
static void fill_sides(const canny *c, char *row, size_t size, int32_t pad, span computed)
{
    const lg_canny_job *j = c->job;
    const bool left = c->x0 + computed.first <= 0, right = c->x0 + computed.end >= j->width;
    if ((!left && !right) || (j->border == LG_BORDER_WRAP && !j->ring))
        return;
    for (int32_t i = 1; i <= pad; i++)
        for (int side = 0; side < 2; side++) {
            if (side ? !right : !left)
                continue;
            const int64_t x = side ? j->width - 1 + i : -i;
            const int64_t from = lg_border_index(x, j->width, j->border);
            char *to = row + (x - c->x0) * (int64_t)size;
            if (from < 0)
                memset(to, 0, size);
            else
                memcpy(to, row + (from - c->x0) * (int64_t)size, size);
        }
}

// ---- luminance ----------------------------------------------------------------------------------

// Short pieces of rows are nothing that a processor sees coming.
static void ask_for(const canny *c, int32_t y, span columns)
{
    const lg_pixels *in = &c->job->in;
    const int32_t row = y + AHEAD, x = LG_MAX(c->x0 + columns.first, 0);
    if (row >= in->height)
        return;
    const size_t pixel = lg_type_size(in->type) * (size_t)in->channels;
    const char *at = in->data + (size_t)row * in->row_stride + (size_t)x * pixel;
    const size_t bytes = (size_t)(LG_MIN(c->x0 + columns.end, in->width) - x) * pixel;
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(at + i);
}

// Luminance of row v, from the first of the columns on.
static const char *luma_row(canny *c, int64_t v, span columns)
{
    const lg_canny_job *j = c->job;
    const size_t size = j->integer ? 1 : sizeof(float);
    const int32_t y = (int32_t)lg_border_index(v, j->height, j->border);
    if (y < 0)
        return c->zero;
    ask_for(c, y, columns);
    if (j->integer && j->in.channels == 1 && j->border != LG_BORDER_WRAP)
        return j->in.data + (size_t)y * j->in.row_stride + c->x0 + columns.first;
    // In one piece but where the image wraps.
    for (int32_t at = columns.first, n; at < columns.end; at += n) {
        const int32_t x = (int32_t)lg_border_index(c->x0 + at, j->width, j->border);
        char *to = c->luma + (size_t)(at - columns.first) * size;
        n = LG_MIN(columns.end - at, j->width - x);
        if (j->integer)
            lg_luminance_bytes(&j->in, x, y, (size_t)n, (uint8_t *)to);
        else
            lg_luminance_floats(j->stage, &j->in, x, y, n, (float *)to, c->planes);
    }
    return c->luma;
}

// ---- from row to row ----------------------------------------------------------------------------

#define NO_ROW INT32_MIN

// The row that stands for row v. Where the image wraps, rows go on beyond its ends: they come in order
// everywhere.
static int32_t row_number(const canny *c, int32_t v)
{
    const lg_canny_job *j = c->job;
    if (j->border == LG_BORDER_WRAP)
        return v;
    const int64_t y = lg_border_index(v, j->height, j->border);
    return y < 0 ? NO_ROW : (int32_t)y;
}

// Row v is the one behind the row before, or the first of a band, which takes all rows under its window.
static void blur_row(canny *c, int64_t v, span columns, char *to)
{
    const lg_gaussian *g = &c->job->gaussian;
    const span wide = reach_of(c, LG_CANNY_REACH + g->radius);
    char *line = c->line + LEAD;
    for (int64_t y = c->fed ? v + g->radius : v - g->radius; y <= v + g->radius; y++)
        c->kernels->feed(g, c->state, c->pitch, c->fed++, luma_row(c, y, wide),
                         wide.end - wide.first, line + wide.first * (ptrdiff_t)c->sample);
    fill_sides(c, line, c->sample, g->radius, wide);
    c->kernels->line(g, line + (columns.first - g->radius) * (ptrdiff_t)c->sample,
                     columns.end - columns.first, c->spare[0], to);
}

// Row v of luminance that was blurred before. In one piece but where the image wraps.
static void copy_blurred(const canny *c, int64_t v, span columns, char *to)
{
    const lg_pixels *from = &c->job->blurred;
    const int64_t y = lg_border_index(v, from->height, c->job->border);
    for (int32_t at = columns.first, n; at < columns.end; at += n) {
        const int64_t x = lg_border_index(c->x0 + at, from->width, c->job->border);
        n = (int32_t)LG_MIN(columns.end - at, from->width - x);
        memcpy(to, from->data + (size_t)y * from->row_stride + (size_t)x * c->sample,
               (size_t)n * c->sample);
        to += (size_t)n * c->sample;
    }
}

static const char *blurred_row(canny *c, int32_t v)
{
    const int32_t y = row_number(c, v);
    if (y == NO_ROW)
        return c->zero + LEAD;
    bool fresh;
    char *row = row_of(&c->blurred, find_slot(&c->blurred, y, &fresh));
    if (!fresh)
        return row;
    const span columns = reach_of(c, LG_CANNY_REACH);
    char *to = row + columns.first * (ptrdiff_t)c->sample;
    if (c->job->blurred.data)
        copy_blurred(c, y, columns, to);
    else if (c->job->gaussian.radius)
        blur_row(c, y, columns, to);
    else
        c->kernels->plain(luma_row(c, y, columns), to, columns.end - columns.first);
    fill_sides(c, row, c->sample, 1, columns);
    return row;
}

// ---- a Sobel whose pixels are apart -------------------------------------------------------------

// Row v of the plane, for columns first .. end - 1.
static void plane_row(const canny *c, int64_t v, int32_t first, int32_t end, float *to)
{
    const lg_canny_job *j = c->job;
    const int64_t y = lg_border_index(v, j->height, j->border);
    const float *row = (const float *)(const void *)(j->blurred.data +
                                                     (size_t)LG_MAX(y, 0) * j->blurred.row_stride);
    for (int32_t x = first; x < end; x++) {
        const int64_t column = lg_border_index((int64_t)c->x0 + x, j->width, j->border);
        to[x] = y < 0 || column < 0 ? 0 : row[column];
    }
}

static void mix_rows(float *restrict to, const float *restrict next, int32_t first, int32_t end,
                     float part)
{
    for (int32_t x = first; x < end; x++)
        to[x] = lg_between(to[x], next[x], part);
}

// Three rows of columns to the left, of those here, and to the right, from column -1 to `count`.
static void apart_rows(canny *c, int32_t y, const float *lines[3][3])
{
    const lg_canny_job *j = c->job;
    const size_t stride = (size_t)j->tile + 2 * APART_LEAD;
    float *spare = c->apart + 9 * stride + APART_LEAD;
    const int32_t beside = (int32_t)ceilf(j->across) + 1;
    for (int k = 0; k < 3; k++) {
        float *line[3];
        for (int side = 0; side < 3; side++)
            lines[k][side] = line[side] = c->apart + (size_t)(3 * k + side) * stride + APART_LEAD;
        const lg_beside down = lg_beside_of(j->down, k - 1);
        plane_row(c, y + down.near, -beside, c->count + beside, line[1]);
        if (down.part > 0) {
            plane_row(c, y + down.next, -beside, c->count + beside, spare);
            mix_rows(line[1], spare, -beside, c->count + beside, down.part);
        }
        for (int side = 0; side < 3; side += 2) {
            const lg_beside across = lg_beside_of(j->across, side - 1);
            memcpy(line[side] - 1, line[1] + across.near - 1,
                   (size_t)(c->count + 2) * sizeof(float));
            if (across.part > 0)
                mix_rows(line[side], line[1] + across.next, -1, c->count + 1, across.part);
        }
    }
}

// The slot of a row of gradients; -1: outside, where there are none.
static int32_t gradient_slot(canny *c, int32_t v)
{
    const int32_t y = row_number(c, v);
    if (y == NO_ROW)
        return -1;
    bool fresh;
    const int32_t slot = find_slot(&c->gradient, v, &fresh);
    if (!fresh)
        return slot;
    char *row = row_of(&c->gradient, slot);
    uint8_t *direction = (uint8_t *)c->direction + (size_t)slot * c->direction_stride;
    uint64_t *candidate = (uint64_t *)(c->candidate + (size_t)slot * c->candidate_stride);
    if (c->job->apart) {
        const float *lines[3][3];
        apart_rows(c, y, lines);
        c->kernels->gradient_apart(c->job, lines, c->spare[0] + LEAD, c->spare[1] + LEAD, c->count,
                                   row, direction, candidate);
    } else {
        const void *lines[3];
        for (int k = 0; k < 3; k++)
            lines[k] = blurred_row(c, y - 1 + k);
        c->kernels->gradient(c->job, lines, c->spare[0] + LEAD, c->spare[1] + LEAD, c->count, row,
                             direction, candidate);
    }
    fill_sides(c, row, sizeof(float), 1, reach_of(c, 1));
    return slot;
}

// Suppression in row y, to bits: `weak` passed, `strong` are also above the upper threshold.
static void thin_row(canny *c, int32_t y, uint64_t *weak, uint64_t *strong)
{
    int32_t slots[3];
    const void *lines[3];
    for (int k = 0; k < 3; k++)
        slots[k] = gradient_slot(c, y - 1 + k);
    for (int k = 0; k < 3; k++)
        lines[k] = slots[k] < 0 ? c->zero + LEAD : row_of(&c->gradient, slots[k]);
    c->kernels->thin(c->job, lines, c->count,
                     (const uint8_t *)c->direction + (size_t)slots[1] * c->direction_stride,
                     (const uint64_t *)(c->candidate + (size_t)slots[1] * c->candidate_stride),
                     weak, strong);
}

// ---- GPUImage's hysteresis; the tile is the image ------------------------------------------------

static const float *value_row(canny *c, int32_t v)
{
    const lg_canny_job *j = c->job;
    const int32_t y = row_number(c, v);
    if (y == NO_ROW)
        return (const float *)(c->zero + LEAD);
    bool fresh;
    float *row = (float *)row_of(&c->value, find_slot(&c->value, v, &fresh));
    if (!fresh)
        return row;
    thin_row(c, y, c->bits[0], c->bits[1]);
    const int32_t slot = gradient_slot(c, y);
    const void *magnitudes = row_of(&c->gradient, slot);
    for (int32_t x = 0; x < j->width; x++) {
        const bool kept = c->bits[0][x / 64] >> (x % 64) & 1;
        row[x] = kept ? lg_smoothstep(j->lower, j->upper, c->kernels->magnitude(magnitudes, x)) : 0;
    }
    fill_sides(c, (char *)row, sizeof *row, 1, (span){0, c->count});
    return row;
}

static void ring_row(canny *c, int32_t y, uint64_t *edges)
{
    const lg_canny_job *j = c->job;
    const float *line[3];
    for (int k = 0; k < 3; k++)
        line[k] = value_row(c, y - 1 + k);
    memset(edges, 0, j->words * sizeof *edges);
    for (int32_t x = 0; x < j->width; x++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += (line[k][x - 1] + line[k][x]) + line[k][x + 1];
        const bool edge = sum >= 1.5f && line[1][x] >= 0.01f;
        edges[x / 64] |= (uint64_t)edge << (x % 64);
    }
}

// ---- outside ------------------------------------------------------------------------------------

static void edges(const lg_canny_job *job, int32_t y0, int32_t y1, char *scratch)
{
    canny c = {.job = job};
    lay_out(&c, scratch);
    for (c.x0 = 0; c.x0 < job->width; c.x0 += job->tile) {
        ring *rings[] = {&c.blurred, &c.gradient, &c.value};
        for (size_t i = 0; i < LG_COUNT(rings); i++)
            empty_ring(rings[i]);
        c.fed = 0;
        c.count = LG_MIN(job->tile, job->width - c.x0);
        for (int32_t y = y0; y < y1; y++) {
            const size_t at = (size_t)y * job->words + (size_t)c.x0 / 64;
            if (job->ring)
                ring_row(&c, y, job->strong + at);
            else
                thin_row(&c, y, job->weak + at, job->strong + at);
        }
    }
}

static void blur(const lg_canny_job *job, int32_t y0, int32_t y1, char *scratch)
{
    canny c = {.job = job};
    lay_out(&c, scratch);
    for (c.x0 = 0; c.x0 < job->width; c.x0 += job->tile) {
        empty_ring(&c.blurred);
        c.fed = 0;
        c.count = LG_MIN(job->tile, job->width - c.x0);
        for (int32_t y = y0; y < y1; y++)
            memcpy(job->whole.data + (size_t)y * job->whole.row_stride +
                       (size_t)c.x0 * sizeof(float),
                   blurred_row(&c, y), (size_t)c.count * sizeof(float));
    }
}

static void luminance(const lg_canny_job *job, int32_t y, void *to)
{
    float planes[4 * LG_SPAN];
    if (job->integer)
        lg_luminance_bytes(&job->in, 0, y, (size_t)job->width, to);
    else
        lg_luminance_floats(job->stage, &job->in, 0, y, job->width, to, planes);
}

static size_t scratch_size(const lg_canny_job *job)
{
    canny c = {.job = job};
    return lay_out(&c, NULL);
}

// 64 bits to 64 bytes of 0 or 255.
#if defined(__AVX2__)
static void spread_bits(uint64_t bits, uint8_t *to)
{
    const __m256i masks = _mm256_set1_epi64x((int64_t)0x8040201008040201u);
    for (int i = 0; i < 2; i++) {
        const __m256i all = _mm256_set1_epi32((int)(uint32_t)(bits >> 32 * i));
        const __m256i bytes = _mm256_shuffle_epi8(
            all, _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, masks), masks);
        _mm256_storeu_si256((__m256i *)(to + 32 * i), set);
    }
}
#else
static void spread_bits(uint64_t bits, uint8_t *to)
{
    for (int i = 0; i < 64; i += 8) {
        // Bit k of the byte to byte k, and from there to all of its bits.
        uint64_t v = (bits >> i & 255) * 0x0101010101010101u & 0x8040201008040201u;
        v = ((v + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 255;
        memcpy(to + i, &v, sizeof v);
    }
}
#endif

static void write_row(const lg_stage_table *stage, const uint64_t *bits, const lg_pixels *out,
                      int32_t y)
{
    float planes[4][LG_SPAN];
    uint8_t bytes[LG_SPAN];
    float *const all[4] = {planes[0], planes[1], planes[2], planes[3]};
    for (int32_t x = 0; x < out->width; x += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, out->width - x);
        char *row = out->data + (size_t)y * out->row_stride;
        const bool grey = out->type == LG_U8 && out->channels == 1;
        const bool whole = n % 64 == 0;
        for (int32_t i = 0; i < n; i += 64)
            spread_bits(bits[(x + i) / 64], grey && whole ? (uint8_t *)row + x + i : bytes + i);
        if (grey && whole)
            continue;
        if (grey) {
            memcpy(row + x, bytes, (size_t)n);
        } else if (out->type == LG_U8 && out->channels == 4) {
            uint32_t *pixels = (uint32_t *)row + x;
            for (int32_t i = 0; i < n; i++) {
                const uint32_t v = bytes[i] * 0x010101u | 0xff000000u;
                memcpy(pixels + i, &v, sizeof v);
            }
        } else {
            for (int32_t i = 0; i < n; i++) {
                planes[0][i] = planes[1][i] = planes[2][i] = bytes[i] ? 1.0f : 0.0f;
                planes[3][i] = 1;
            }
            stage->store(out, x, y, n, all);
        }
    }
}

extern const lg_canny_table LG_CPU_TABLE(canny);
const lg_canny_table LG_CPU_TABLE(canny) = {edges, scratch_size, blur, luminance, write_row};
