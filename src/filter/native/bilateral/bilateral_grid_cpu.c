// The bilateral grid on rows of floats: sums of cells, blurring, looking up.
#include "filter/alpha.h"
#include "filter/native/bilateral/bilateral_grid.h"
#include "filter/native/bilateral/bilateral_grid_math.h"
#include "filter/native/planes.h"

#define INLINE static inline __attribute__((always_inline))
#define BEYOND LG_BILATERAL_GRID_BEYOND
#define TILE   LG_BILATERAL_GRID_TILE

// Pixels of a row: the level below, the part of the next one, and the planes one after the other. Of bytes
// all are whole numbers, parts in 2^-bits.
typedef struct pixel_line {
    int32_t *level;
    float *part;
    float *planes;
    size_t pitch;
} pixel_line;

INLINE int32_t *whole_numbers(float *floats)
{
    return (int32_t *)(void *)floats;
}

static pixel_line line_at(char *scratch, size_t pitch)
{
    float *floats = (float *)(void *)scratch;
    return (pixel_line){(int32_t *)(void *)floats, floats + pitch, floats + 2 * pitch, pitch};
}

INLINE void place_bytes_of(const lg_bilateral_grid *g, const uint8_t *restrict from, int count,
                           const pixel_line *l, size_t at, const int channels, const bool grey)
{
    int32_t *restrict level = l->level + at, *restrict part = whole_numbers(l->part + at);
    const float per_level = g->per_level;
    const int bits = g->bits;
    for (int i = 0; i < count; i++) {
        const uint8_t *p = from + i * channels;
        const int32_t all = bilateral_grid_place_of_bytes(
            p[0], grey ? 0 : p[1], channels == 4 && !grey ? p[2] : 0, grey, per_level);
        level[i] = all >> bits;
        part[i] = all & ((1 << bits) - 1);
    }
    for (int p = 0; p < g->kind.planes; p++) {
        int32_t *restrict to = whole_numbers(l->planes + (size_t)p * l->pitch + at);
        for (int i = 0; i < count; i++)
            to[i] = from[i * channels + p];
    }
}

static void place_bytes(const lg_bilateral_grid *g, const lg_pixels *in, int64_t x, int64_t y,
                        int count, const pixel_line *l, size_t at)
{
    const uint8_t *from =
        (const uint8_t *)in->data + (size_t)y * in->row_stride + (size_t)(x * in->channels);
    if (in->channels == 1)
        place_bytes_of(g, from, count, l, at, 1, true);
    else if (in->channels == 2 && g->grey)
        place_bytes_of(g, from, count, l, at, 2, true);
    else if (in->channels == 2)
        place_bytes_of(g, from, count, l, at, 2, false);
    else
        place_bytes_of(g, from, count, l, at, 4, false);
}

static void place_floats(const lg_bilateral_grid *g, const lg_pixels *in, int64_t x, int64_t y,
                         int count, const pixel_line *l, size_t at)
{
    float *planes = l->planes + at;
    lg_planes_load(lg_stage_get(LG_CPU_LEVEL_ID), in, x, y, count, planes, l->pitch);
    for (int i = 0; i < count; i++) {
        const float *p = planes + i;
        const color c = {p[0], g->grey ? 0 : p[l->pitch], g->kind.planes > 2 ? p[2 * l->pitch] : 0,
                         1};
        const float all = bilateral_grid_place(c, g->grey, g->per_level);
        l->level[at + (size_t)i] = (int32_t)all;
        l->part[at + (size_t)i] = all - (float)(int32_t)all;
    }
}

// `count` pixels from column x of row y, inside the image.
static void place_pixels(const lg_bilateral_grid *g, const lg_pixels *in, int64_t x, int64_t y,
                         int64_t count, const pixel_line *l, size_t at)
{
    for (int64_t i = 0; i < count; i += LG_SPAN) {
        const int some = (int)LG_MIN(count - i, LG_SPAN);
        if (g->kind.bytes)
            place_bytes(g, in, x + i, y, some, l, at + (size_t)i);
        else
            place_floats(g, in, x + i, y, some, l, at + (size_t)i);
    }
}

// ---- sums ---------------------------------------------------------------------------------------

static void copy_pixel(const lg_bilateral_grid *g, const pixel_line *l, size_t to, int64_t from)
{
    l->level[to] = from < 0 ? 0 : l->level[from];
    l->part[to] = from < 0 ? 0 : l->part[from];
    for (size_t p = 0; p < (size_t)g->kind.planes; p++)
        l->planes[p * l->pitch + to] = from < 0 ? 0 : l->planes[p * l->pitch + (size_t)from];
}

// A row of pixels with what stands beyond its ends.
static void place_row(const lg_bilateral_grid_job *job, int64_t y, const pixel_line *l)
{
    const lg_bilateral_grid *g = &job->grid;
    const int64_t width = job->in.width, first = -(int64_t)BEYOND * g->cell;
    const int64_t end = first + (int64_t)g->columns * g->cell;
    const int64_t row = lg_border_index(y, job->in.height, g->kind.border);
    if (row >= 0)
        place_pixels(g, &job->in, 0, row, width, l, (size_t)-first);
    for (int64_t x = first; x < end; x++) {
        if (x == 0 && row >= 0)
            x = width;
        if (x == end)
            break;
        const int64_t from = lg_border_index(x, width, g->kind.border);
        copy_pixel(g, l, (size_t)(x - first), row < 0 || from < 0 ? -1 : from - first);
    }
}

// Adds `count` pixels from `at` on to a cell. Bytes are summed as whole numbers.
INLINE void add_floats(const pixel_line *l, size_t at, int count, float *restrict cell,
                       const int planes)
{
    const int32_t *level = l->level + at;
    const float *part = l->part + at, *values = l->planes + at;
    const size_t pitch = l->pitch;
    for (int i = 0; i < count; i++) {
        float *low = cell + (size_t)level[i] * (size_t)(planes + 1), *high = low + planes + 1;
        const float above = part[i], below = 1.0f - above;
        for (int p = 0; p < planes; p++) {
            const float v = values[(size_t)p * pitch + (size_t)i];
            low[p] += v * below;
            high[p] += v * above;
        }
        low[planes] += below;
        high[planes] += above;
    }
}

INLINE void add_bytes(const pixel_line *l, size_t at, int count, float *cell, const int bits,
                      const int planes)
{
    const int32_t *level = l->level + at, *part = whole_numbers(l->part + at);
    const int32_t *values = whole_numbers(l->planes + at);
    const size_t pitch = l->pitch;
    uint32_t *restrict sums = (uint32_t *)(void *)cell;
    for (int i = 0; i < count; i++) {
        uint32_t *low = sums + (size_t)level[i] * (size_t)(planes + 1), *high = low + planes + 1;
        const uint32_t above = (uint32_t)part[i], below = (1u << bits) - above;
        for (int p = 0; p < planes; p++) {
            const uint32_t v = (uint32_t)values[(size_t)p * pitch + (size_t)i];
            low[p] += v * below;
            high[p] += v * above;
        }
        low[planes] += below;
        high[planes] += above;
    }
}

static void add_pixels(const lg_bilateral_grid *g, const pixel_line *l, size_t at, int count,
                       float *cell)
{
    switch (g->kind.planes + (g->kind.bytes ? 4 : 0)) {
    case 1:
        add_floats(l, at, count, cell, 1);
        break;
    case 2:
        add_floats(l, at, count, cell, 2);
        break;
    case 3:
        add_floats(l, at, count, cell, 3);
        break;
    case 4:
        add_floats(l, at, count, cell, 4);
        break;
    case 5:
        add_bytes(l, at, count, cell, g->bits, 1);
        break;
    case 6:
        add_bytes(l, at, count, cell, g->bits, 2);
        break;
    case 7:
        add_bytes(l, at, count, cell, g->bits, 3);
        break;
    default:
        add_bytes(l, at, count, cell, g->bits, 4);
    }
}

// Blurs a cell's levels, beyond which there is nothing; bytes become floats. `wide` begins with zeros.
static void blur_levels(const lg_bilateral_grid *g, float *restrict cell, float *restrict wide)
{
    const int values = g->values, count = g->levels * values;
    float *restrict middle = wide + 2 * values;
    memcpy(middle, cell, (size_t)count * sizeof *cell);
    for (int i = 0; g->kind.bytes && i < count; i++)
        middle[i] = bilateral_grid_from_sum(lg_bits(cell[i]));
    for (int i = 0; i < count; i++) {
        const float *m = middle + i;
        cell[i] = bilateral_grid_blur(m[-2 * values], m[-values], m[0], m[values], m[2 * values],
                                      LG_BILATERAL_GRID_RANGE);
    }
}

// A row of cells. Bytes are summed where they belong; floats in tiles, which are then added from left
// to right and from the top down.
static void sum_row(const lg_bilateral_grid_job *job, int row, char *scratch)
{
    const lg_bilateral_grid *g = &job->grid;
    const size_t levels = (size_t)g->levels * (size_t)g->values;
    const pixel_line l = line_at(scratch, (size_t)g->columns * (size_t)g->cell + LG_SPAN);
    float *tiles = l.planes + (size_t)g->kind.planes * l.pitch,
          *cells = job->cells + (size_t)row * g->row;
    const bool cut = !g->kind.bytes && g->cell > TILE;
    const int count = cut ? lg_bilateral_grid_tiles(g) : 1;
    float *wide = tiles + g->row * (size_t)lg_bilateral_grid_tiles(g);
    memset(cells, 0, g->row * sizeof *cells);
    memset(wide, 0, (levels + 4 * (size_t)g->values) * sizeof *wide);
    const int64_t y = (int64_t)(row - BEYOND) * g->cell;
    for (int inside = 0; inside < g->cell; inside++) {
        place_row(job, y + inside, &l);
        if (cut && inside % TILE == 0)
            memset(tiles, 0, g->row * (size_t)count * sizeof *tiles);
        for (int column = 0; column < g->columns; column++)
            for (int k = 0; k < count; k++) {
                const size_t at = (size_t)column * (size_t)g->cell + (size_t)(k * TILE);
                const int width = cut ? LG_MIN(g->cell - k * TILE, TILE) : g->cell;
                float *to = cut ? tiles + (size_t)(column * count + k) * levels
                                : cells + (size_t)column * levels;
                add_pixels(g, &l, at, width, to);
            }
        if (cut && (inside % TILE == TILE - 1 || inside == g->cell - 1))
            for (int column = 0; column < g->columns; column++)
                for (int k = 0; k < count; k++) {
                    const float *from = tiles + (size_t)(column * count + k) * levels;
                    for (size_t i = 0; i < levels; i++)
                        cells[(size_t)column * levels + i] += from[i];
                }
    }
    for (int column = 0; column < g->columns; column++)
        blur_levels(g, cells + (size_t)column * levels, wide);
}

// ---- blurring -----------------------------------------------------------------------------------

// Along y, then along x, for the columns that are looked up.
static void blur_row(const lg_bilateral_grid_job *job, int row, char *scratch)
{
    const lg_bilateral_grid *g = &job->grid;
    const size_t levels = (size_t)g->levels * (size_t)g->values, size = g->row;
    const float middle = g->space[0], near = g->space[1], far = g->space[2];
    const float *restrict from = job->cells + (size_t)row * size;
    float *restrict whole = (float *)(void *)scratch;
    for (size_t i = 0; i < size; i++)
        whole[i] = bilateral_grid_blur((from - 2 * size)[i], (from - size)[i], from[i],
                                       (from + size)[i], (from + 2 * size)[i], middle, near, far);
    float *restrict to = job->blurred + (size_t)row * size;
    for (size_t i = 2 * levels; i < size - 2 * levels; i++)
        to[i] = bilateral_grid_blur(whole[i - 2 * levels], whole[i - levels], whole[i],
                                    whole[i + levels], whole[i + 2 * levels], middle, near, far);
}

// ---- looking up ---------------------------------------------------------------------------------

// The cell before a pixel's, and how far it is towards the next one: in parts of two cells' sides.
INLINE int cell_before(const lg_bilateral_grid *g, int64_t at, int32_t *rest)
{
    const int64_t twice = 2 * at + 1 + g->cell; // from the middle of the cell before the first one
    const int64_t cell = twice / (2 * g->cell);
    *rest = (int32_t)(twice - cell * 2 * g->cell);
    return (int)cell - 1 + BEYOND;
}

INLINE void look_up_planes(const lg_bilateral_grid *g, const float *cells, int64_t x, int count,
                           const pixel_line *l, float unit, float *restrict sums, const int planes)
{
    const int values = planes + 1, side = g->cell;
    const float inverse = g->inverse;
    const int32_t *level = l->level;
    const size_t levels = (size_t)g->levels * (size_t)values;
    int32_t rest;
    const float *column = cells + (size_t)cell_before(g, x, &rest) * levels;
    for (int i = 0; i < count; i++, rest += 2) {
        if (rest >= 2 * side) {
            rest -= 2 * side;
            column += levels;
        }
        const float part = (float)rest * inverse;
        const float *a = column + (size_t)(level[i] * values), *b = a + levels;
        const float above = unit < 1 ? (float)whole_numbers(l->part)[i] * unit : l->part[i];
        for (int p = 0; p < values; p++) {
            const float low = bilateral_grid_mix(a[p], b[p], part);
            const float high = bilateral_grid_mix(a[values + p], b[values + p], part);
            sums[(size_t)p * LG_SPAN + (size_t)i] = bilateral_grid_mix(low, high, above);
        }
    }
}

static void put_bytes(const lg_bilateral_grid_job *job, int64_t x, int64_t y, int count,
                      const float *sums)
{
    const lg_pixels *out = &job->out;
    const int channels = out->channels, planes = job->grid.kind.planes;
    uint8_t *to = (uint8_t *)out->data + (size_t)y * out->row_stride + (size_t)(x * channels);
    for (int p = 0; p < planes; p++)
        for (int i = 0; i < count; i++)
            to[i * channels + p] = (uint8_t)(int)(sums[(size_t)p * LG_SPAN + (size_t)i] + 0.5f);
    if (planes < channels)
        lg_set_alpha(LG_U8, channels, NULL, (size_t)count, (char *)to);
}

static void look_up_span(const lg_bilateral_grid_job *job, const float *cells, int64_t x, int64_t y,
                         int count, const pixel_line *l)
{
    const lg_bilateral_grid *g = &job->grid;
    const float unit = g->kind.bytes ? lg_div(1, (float)(1 << g->bits)) : 1.0f;
    float sums[5 * LG_SPAN] __attribute__((aligned(64)));
    place_pixels(g, &job->in, x, y, count, l, 0);
    switch (g->kind.planes) {
    case 1:
        look_up_planes(g, cells, x, count, l, unit, sums, 1);
        break;
    case 2:
        look_up_planes(g, cells, x, count, l, unit, sums, 2);
        break;
    case 3:
        look_up_planes(g, cells, x, count, l, unit, sums, 3);
        break;
    default:
        look_up_planes(g, cells, x, count, l, unit, sums, 4);
    }
    const float *weights = sums + (size_t)g->kind.planes * LG_SPAN;
    for (int p = 0; p < g->kind.planes; p++)
        for (int i = 0; i < count; i++)
            sums[p * LG_SPAN + i] = lg_div(sums[p * LG_SPAN + i], weights[i]) * g->kind.unit;
    if (g->kind.rounded)
        put_bytes(job, x, y, count, sums);
    else
        lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), &job->in, &job->out, x, y, count, sums,
                        LG_SPAN);
}

static void look_up(const void *arg, int64_t first, int64_t end, char *scratch)
{
    const lg_bilateral_grid_job *job = arg;
    const lg_bilateral_grid *g = &job->grid;
    const size_t levels = (size_t)g->levels * (size_t)g->values, size = g->row;
    const pixel_line l = line_at(scratch, LG_SPAN);
    float *between = l.planes + (size_t)g->values * LG_SPAN;
    for (int64_t y = first; y < end; y++) {
        int32_t rest;
        const float *restrict above = job->blurred + (size_t)cell_before(g, y, &rest) * size;
        const float part = (float)rest * g->inverse;
        float *restrict to = between;
        for (size_t i = 2 * levels; i < size - 2 * levels; i++)
            to[i] = bilateral_grid_mix(above[i], (above + size)[i], part);
        for (int64_t x = 0; x < job->in.width; x += LG_SPAN)
            look_up_span(job, between, x, y, (int)LG_MIN(job->in.width - x, LG_SPAN), &l);
    }
}

static void sum(const void *job, int64_t row, int64_t end, char *scratch)
{
    for (; row < end; row++)
        sum_row(job, (int)row, scratch);
}

static void blur(const void *job, int64_t row, int64_t end, char *scratch)
{
    for (; row < end; row++)
        blur_row(job, (int)row, scratch);
}

extern const lg_bilateral_grid_table LG_CPU_TABLE(bilateral_grid);
const lg_bilateral_grid_table LG_CPU_TABLE(bilateral_grid) = {sum, blur, look_up};
