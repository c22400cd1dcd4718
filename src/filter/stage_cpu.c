// A stage on the CPU: spans of a row as planes of float that stay in the first cache.
#include "core/core.h"
#include "core/pixel_colors.h"
#include "cpu/cpu.h"
#include "filter/stage.h"
#include "filter/stage_apart.h"
#include "filter/stage_blend.h"
#include "filter/stage_byte_sums.h"
#include "filter/stage_bytes.h"
#include "filter/stage_colors.h"
#include "filter/stage_encode.h"
#include "filter/stage_row_sums.h"
#include "filter/stage_warp.h"
#include "filter/stage_words.h"
#include "kernel/color_math.h"
#include "kernel/pixel_rule.h"

#include <assert.h>
#include <string.h>

typedef float *const planes4[4];

// ---- loading ------------------------------------------------------------------------------------

// Splits pixels of CHANNELS samples of TYPE into planes; READ turns a sample into a float.
#define LOADER(name, type, channels, READ)                                                         \
    static void name(const void *from, int count, planes4 to)                                      \
    {                                                                                              \
        const type *restrict p = from;                                                             \
        float *restrict r = to[0], *restrict g = to[1], *restrict b = to[2], *restrict a = to[3];  \
        for (int i = 0; i < count; i++) {                                                          \
            const type *restrict s = p + (size_t)i * channels;                                     \
            r[i] = READ(s[0]);                                                                     \
            if (channels > 1)                                                                      \
                g[i] = READ(s[1]);                                                                 \
            if (channels > 2)                                                                      \
                b[i] = READ(s[2]);                                                                 \
            if (channels > 3)                                                                      \
                a[i] = READ(s[3]);                                                                 \
        }                                                                                          \
    }
LOADER(load_u8_1, uint8_t, 1, LG_READ_U8)
LOADER(load_u8_2, uint8_t, 2, LG_READ_U8)
LOADER(load_u8_3, uint8_t, 3, LG_READ_U8)
LOADER(load_u16_1, uint16_t, 1, LG_READ_U16)
LOADER(load_u16_2, uint16_t, 2, LG_READ_U16)
LOADER(load_u16_3, uint16_t, 3, LG_READ_U16)
LOADER(load_u16_4, uint16_t, 4, LG_READ_U16)
LOADER(load_f16_1, uint16_t, 1, lg_half_to_float)
LOADER(load_f16_2, uint16_t, 2, lg_half_to_float)
LOADER(load_f16_3, uint16_t, 3, lg_half_to_float)
LOADER(load_f16_4, uint16_t, 4, lg_half_to_float)
LOADER(load_f32_1, float, 1, LG_READ_F32)
LOADER(load_f32_2, float, 2, LG_READ_F32)
LOADER(load_f32_3, float, 3, LG_READ_F32)
LOADER(load_f32_4, float, 4, LG_READ_F32)

static void load_u8_4(const void *from, int count, planes4 to)
{
    float *restrict r = to[0], *restrict g = to[1], *restrict b = to[2], *restrict a = to[3];
    const char *restrict p = from;
    for (int i = lg_split_vectors(p, count, to); i < count; i++) {
        uint32_t v;
        memcpy(&v, p + (size_t)i * 4, 4);
        r[i] = (float)(int32_t)(v & 255) * LG_UNIT_U8;
        g[i] = (float)(int32_t)(v >> 8 & 255) * LG_UNIT_U8;
        b[i] = (float)(int32_t)(v >> 16 & 255) * LG_UNIT_U8;
        a[i] = (float)(int32_t)(v >> 24) * LG_UNIT_U8;
    }
}

static void fill(float *to, int count, float value)
{
    for (int i = 0; i < count; i++)
        to[i] = value;
}

// Planes as they lie in memory to the colour that they mean. Of grey, one plane may stand for all three
// colours; it has its alpha then.
static void to_color(const lg_pixels *in, int count, planes4 to)
{
    if (in->channels == 1 && to[1] == to[0])
        return;
    if (in->channels == 1) {
        memcpy(to[1], to[0], (size_t)count * sizeof(float));
        memcpy(to[2], to[0], (size_t)count * sizeof(float));
        fill(to[3], count, 1);
    } else if (in->channels == 2 && in->alpha == LG_ALPHA_NONE) {
        fill(to[2], count, 0);
        fill(to[3], count, 1);
    } else if (in->channels == 2) {
        memcpy(to[3], to[1], (size_t)count * sizeof(float));
        memcpy(to[1], to[0], (size_t)count * sizeof(float));
        memcpy(to[2], to[0], (size_t)count * sizeof(float));
    }
    if (in->channels == 3 || (in->channels != 1 && in->alpha == LG_ALPHA_OPAQUE))
        fill(to[3], count, 1);
    if (in->alpha == LG_ALPHA_PREMULTIPLIED && in->channels != 1)
        for (int i = 0; i < count; i++) {
            const color c = lg_straight(rgba(to[0][i], to[1][i], to[2][i], to[3][i]));
            to[0][i] = c.r, to[1][i] = c.g, to[2][i] = c.b;
        }
}

static void (*const loaders[LG_TYPES][5])(const void *, int, planes4) = {
    [LG_U8] = {[1] = load_u8_1, [2] = load_u8_2, [3] = load_u8_3, [4] = load_u8_4},
    [LG_U16] = {[1] = load_u16_1, [2] = load_u16_2, [3] = load_u16_3, [4] = load_u16_4},
    [LG_F16] = {[1] = load_f16_1, [2] = load_f16_2, [3] = load_f16_3, [4] = load_f16_4},
    [LG_F32] = {[1] = load_f32_1, [2] = load_f32_2, [3] = load_f32_3, [4] = load_f32_4},
};

static void load(const lg_pixels *in, int64_t x, int64_t y, int count, planes4 to)
{
    const size_t pixel = lg_type_size(in->type) * (size_t)in->channels;
    loaders[in->type][in->channels](in->data + (size_t)y * in->row_stride + (size_t)x * pixel,
                                    count, to);
    to_color(in, count, to);
}

// As load, for columns and a row that may lie outside.
static void load_bordered(const lg_pixels *in, int64_t x, int64_t y, int count, lg_border border,
                          planes4 to)
{
    static const char samples[16];
    lg_pixels zero = *in;
    zero.data = (char *)(uintptr_t)samples;
    zero.row_stride = 0;
    const int64_t row = lg_border_index(y, in->height, border);
    const int64_t inside_from = LG_MIN(LG_MAX(x, 0), in->width);
    const int64_t inside_to = LG_MAX(LG_MIN(x + count, in->width), inside_from);
    if (row >= 0 && inside_to > inside_from) {
        const int64_t skip = inside_from - x;
        load(in, inside_from, row, (int)(inside_to - inside_from),
             (planes4){to[0] + skip, to[1] + skip, to[2] + skip, to[3] + skip});
    }
    for (int64_t i = x; i < x + count; i++) {
        if (row >= 0 && i >= inside_from && i < inside_to) {
            i = inside_to - 1;
            continue;
        }
        const int64_t column = lg_border_index(i, in->width, border), at = i - x;
        const bool outside = row < 0 || column < 0;
        load(outside ? &zero : in, outside ? 0 : column, outside ? 0 : row, 1,
             (planes4){to[0] + at, to[1] + at, to[2] + at, to[3] + at});
    }
}

// ---- storing ------------------------------------------------------------------------------------

#define STORER(name, type, channels, WRITE)                                                        \
    static void name(void *to, int count, planes4 from)                                            \
    {                                                                                              \
        type *restrict p = to;                                                                     \
        const float *restrict r = from[0], *restrict g = from[1];                                  \
        const float *restrict b = from[2], *restrict a = from[3];                                  \
        for (int i = 0; i < count; i++) {                                                          \
            type *restrict s = p + (size_t)i * channels;                                           \
            s[0] = WRITE(r[i]);                                                                    \
            if (channels > 1)                                                                      \
                s[1] = WRITE(g[i]);                                                                \
            if (channels > 2)                                                                      \
                s[2] = WRITE(b[i]), s[3] = WRITE(a[i]);                                            \
        }                                                                                          \
    }
#define WRITE_U8(v)  ((uint8_t)lg_to_unit(v, 255.0f))
#define WRITE_U16(v) ((uint16_t)lg_to_unit(v, 65535.0f))
STORER(store_u8_1, uint8_t, 1, WRITE_U8)
STORER(store_u8_2, uint8_t, 2, WRITE_U8)
STORER(store_u16_1, uint16_t, 1, WRITE_U16)
STORER(store_u16_2, uint16_t, 2, WRITE_U16)
STORER(store_u16_4, uint16_t, 4, WRITE_U16)
STORER(store_f16_1, uint16_t, 1, lg_float_to_half)
STORER(store_f16_2, uint16_t, 2, lg_float_to_half)
STORER(store_f16_4, uint16_t, 4, lg_float_to_half)
STORER(store_f32_1, float, 1, LG_READ_F32)
STORER(store_f32_2, float, 2, LG_READ_F32)
STORER(store_f32_4, float, 4, LG_READ_F32)

static void join_u8_4(void *to, int count, planes4 from, bool stream)
{
    char *restrict p = to;
    const float *restrict r = from[0], *restrict g = from[1];
    const float *restrict b = from[2], *restrict a = from[3];
    for (int i = lg_join_vectors(p, count, from, stream); i < count; i++) {
        const uint32_t v = lg_to_unit(r[i], 255.0f) | lg_to_unit(g[i], 255.0f) << 8 |
                           lg_to_unit(b[i], 255.0f) << 16 | lg_to_unit(a[i], 255.0f) << 24;
        memcpy(p + (size_t)i * 4, &v, 4);
    }
}

static void store_u8_4(void *to, int count, planes4 from)
{
    join_u8_4(to, count, from, false);
}

static void stream_u8_4(void *to, int count, planes4 from)
{
    join_u8_4(to, count, from, true);
}

static void (*const storers[LG_TYPES][5])(void *, int, planes4) = {
    [LG_U8] = {[1] = store_u8_1, [2] = store_u8_2, [4] = store_u8_4},
    [LG_U16] = {[1] = store_u16_1, [2] = store_u16_2, [4] = store_u16_4},
    [LG_F16] = {[1] = store_f16_1, [2] = store_f16_2, [4] = store_f16_4},
    [LG_F32] = {[1] = store_f32_1, [2] = store_f32_2, [4] = store_f32_4},
};

static void store(const lg_pixels *out, int64_t x, int64_t y, int count, planes4 from)
{
    const bool scales = out->alpha == LG_ALPHA_PREMULTIPLIED && out->channels != 1;
    assert(!scales || (from[0] != from[1] && from[0] != from[2])); // each is scaled once
    if (scales)
        for (int i = 0; i < count; i++) {
            from[0][i] *= from[3][i];
            from[1][i] *= from[3][i];
            from[2][i] *= from[3][i];
        }
    const planes4 two = {from[0], out->alpha == LG_ALPHA_NONE ? from[1] : from[3], from[2],
                         from[3]};
    if (out->channels == 4 && out->alpha == LG_ALPHA_OPAQUE)
        fill(from[3], count, 1);
    const size_t pixel = lg_type_size(out->type) * (size_t)out->channels;
    const bool stream = out->stream && out->type == LG_U8 && out->channels == 4;
    (stream ? stream_u8_4 : storers[out->type][out->channels])(
        out->data + (size_t)y * out->row_stride + (size_t)x * pixel, count,
        out->channels == 2 ? two : from);
}

// ---- running ------------------------------------------------------------------------------------

static void call(const lg_chain_kernel *link, lg_span_fn run, lg_span *span)
{
    span->values = link->values;
    span->tables = link->tables;
    run(span);
}

// The filters from number `first` on.
static void run_chain(const lg_stage_job *job, int first, lg_span *span, int64_t x, int64_t y,
                      int count, planes4 over)
{
    for (int k = first; k < job->count; k++) {
        const lg_pixels *image = job->chain[k].over;
        const bool grey = image && image->channels == 1; // one plane serves, as they are only read
        for (int c = 1; c < 3; c++)
            span->over[c] = over[grey ? 0 : c];
        if (grey)
            fill(over[3], count, 1);
        if (image)
            load(image, x, y, count,
                 (float *const[4]){over[0], grey ? over[0] : over[1], over[2], over[3]});
        call(&job->chain[k], job->chain[k].loops->run, span);
    }
}

static lg_span begin_span(const lg_stage_job *job, int64_t x, int64_t y, int count, planes4 planes,
                          planes4 over)
{
    return (lg_span){
        .count = (count + LG_SPAN_STEP - 1) & -LG_SPAN_STEP,
        .out = {planes[0], planes[1], planes[2], planes[3]},
        .over = {over[0], over[1], over[2], over[3]},
        .column = x,
        .inverse_width = job->inverse_width,
        .y = ((float)y + 0.5f) * job->inverse_height,
        .aspect = job->aspect,
        .width = (float)job->out.width,
        .height = (float)job->out.height,
    };
}

// ---- looking up ---------------------------------------------------------------------------------

#define STRAIGHT_PIXELS 65536 // from which it pays to find out whether tables are lines
#define CHEAP_FILTERS   6     // that cost as much as one pixel's looking up

// What the tables of bytes do to a row of `in`: a byte of them becomes a byte of `out`.
static bool bytes_to_bytes(const lg_pixels *in, const lg_pixels *out)
{
    if (out->type != LG_U8 || out->channels != in->channels)
        return false;
    return in->channels == 1 ||
           (out->alpha != LG_ALPHA_PREMULTIPLIED &&
            (in->channels != 2 || (in->alpha == LG_ALPHA_NONE) == (out->alpha == LG_ALPHA_NONE)));
}

static bool bytes_to_pixels(const lg_pixels *in, const lg_pixels *out)
{
    return in->channels == 1 && out->type == LG_U8 && out->channels == 4;
}

// All 256 values, in every channel, through load and the first filters.
static void look_at_values(const lg_stage_job *job, lg_stage_lookup *lookup, lg_pixels *values,
                           planes4 planes)
{
    for (int i = 0; i < 256; i++)
        memset(values->data + i * values->channels, i, (size_t)values->channels);
    load(values, 0, 0, 256, planes);
    lg_span span = begin_span(job, 0, 0, 256, planes, planes);
    for (int k = 0; k < lookup->count; k++)
        call(&job->chain[k], job->chain[k].loops->run, &span);
    for (int k = 0; k < 4; k++)
        memcpy(lookup->planes[k], planes[k], sizeof lookup->planes[k]);
}

static void make_byte_tables(const lg_stage_job *job, lg_stage_lookup *lookup,
                             const lg_pixels *values, planes4 planes)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    for (int k = 0; k < 4; k++) {
        lookup->same[k] = true;
        for (int i = 0; i < 256; i++) {
            const uint8_t v = ((const uint8_t *)values->data)[i * in->channels + k % in->channels];
            lookup->bytes[k][i] = v;
            lookup->same[k] = lookup->same[k] && v == i;
        }
    }
    lg_list_tables(lookup);
    const int second = in->channels == 1                                  ? 0
                       : in->channels == 4 || out->alpha == LG_ALPHA_NONE ? 1
                                                                          : 3;
    const float *const stored[4] = {planes[0], planes[second], planes[in->channels == 4 ? 2 : 0],
                                    planes[in->channels == 4 ? 3 : second]};
    lookup->stepped = lg_byte_steps_fit((const uint8_t(*)[256])lookup->bytes, &lookup->steps);
    lookup->straight =
        !lookup->stepped && (int64_t)out->width * out->height >= STRAIGHT_PIXELS &&
        lg_byte_lines_fit((const uint8_t(*)[256])lookup->bytes, stored, &lookup->lines);
}

static void build_lut(const lg_stage_job *job, lg_stage_lookup *lookup, float *scratch)
{
    const planes4 planes = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                            scratch + 3 * LG_SPAN};
    const lg_pixels *in = &job->in, *out = &job->out;
    lookup->count = 0;
    if (job->source != LG_FILTER_POINT || in->type != LG_U8 || in->channels == 3 ||
        in->alpha == LG_ALPHA_PREMULTIPLIED)
        return;
    int per_channel = 0;
    bool worth = false;
    for (; per_channel < job->count && job->chain[per_channel].per_channel; per_channel++)
        worth |= job->chain[per_channel].expensive || per_channel == CHEAP_FILTERS;
    const bool all = per_channel == job->count;
    lookup->to_pixels = all && bytes_to_pixels(in, out);
    lookup->covers_stage = lookup->to_pixels || (all && bytes_to_bytes(in, out));
    if (!per_channel || (!lookup->covers_stage && (!worth || in->channels == 2)))
        return;
    uint8_t pixels[256][4];
    lg_pixels values = {.data = (char *)pixels,
                        .width = 256,
                        .height = 1,
                        .channels = in->channels,
                        .type = LG_U8,
                        .alpha = in->alpha};
    lookup->count = per_channel;
    look_at_values(job, lookup, &values, planes);
    if (!lookup->covers_stage)
        return;
    values.channels = out->channels;
    values.alpha = out->alpha;
    store(&values, 0, 0, 256, planes);
    if (lookup->to_pixels)
        memcpy(lookup->words, pixels, sizeof lookup->words);
    else
        make_byte_tables(job, lookup, &values, planes);
}

// Pixels after the filters that were looked up. One at a time: gathering is slower, and compilers believe
// that it is not.
#define ONE_BY_ONE __asm__ volatile("")
static void load_looked_up(const lg_stage_job *job, int64_t x, int64_t y, int count, planes4 to)
{
    const lg_pixels *in = &job->in;
    const float *r = job->lookup->planes[0], *g = job->lookup->planes[1],
                *b = job->lookup->planes[2], *a = job->lookup->planes[3];
    const uint8_t *p =
        (const uint8_t *)in->data + (size_t)y * in->row_stride + (size_t)x * (size_t)in->channels;
    if (in->channels == 1) {
        for (int i = 0; i < count; i++) {
            ONE_BY_ONE;
            to[0][i] = r[p[i]], to[1][i] = g[p[i]], to[2][i] = b[p[i]], to[3][i] = a[p[i]];
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        ONE_BY_ONE;
        uint32_t v;
        memcpy(&v, p + (size_t)i * 4, 4);
        to[0][i] = r[v & 255], to[1][i] = g[v >> 8 & 255], to[2][i] = b[v >> 16 & 255];
        to[3][i] = (float)(int32_t)(v >> 24) * LG_UNIT_U8;
    }
    if (in->alpha == LG_ALPHA_OPAQUE)
        fill(to[3], count, 1);
}

// ---- the rows of a stage ------------------------------------------------------------------------

enum {
    LINE = LG_SPAN + 2 * LG_SPAN_LEAD,
    APART = LG_SPAN / 3, // windows whose columns a span has room for
    PREFETCH_ROWS = 2,
    WARP_STRIP = 512, // columns that a warp goes down: what it reads for a row serves the next
};

// Lines of the windows of a strip: colours, and where a filter is of values these.
typedef struct window_lines {
    float *colors[3][4], *values[3];
} window_lines;

// The plane of channel i % 4 of line i / 4. Grey has one of each line, and one of alpha.
static int plane_of(int i, bool grey)
{
    if (!grey)
        return i;
    return i % 4 == 3 ? 3 : i / 4 * 4;
}

static window_lines lines_of(const lg_pixels *in, float *scratch)
{
    window_lines l;
    const bool grey = in->channels == 1;
    for (int i = 0; i < 12; i++)
        l.colors[i / 4][i % 4] = scratch + plane_of(i, grey) * LINE + LG_SPAN_LEAD;
    if (grey)
        fill(l.colors[0][3] - LG_SPAN_LEAD, LINE, 1);
    for (int i = 0; i < 3; i++)
        l.values[i] = scratch + (12 + i) * LINE + LG_SPAN_LEAD;
    return l;
}

// Of a row that is needed soon: strips are so narrow that processors do not see them coming.
static void prefetch(const lg_pixels *in, int64_t x, int64_t y, int count)
{
    if (y >= in->height)
        return;
    const size_t pixel = lg_type_size(in->type) * (size_t)in->channels;
    const char *from = in->data + (size_t)y * in->row_stride + (size_t)x * pixel;
    for (size_t at = 0; at < (size_t)count * pixel; at += 64)
        __builtin_prefetch(from + at);
}

static void load_line(const lg_stage_job *job, const window_lines *l, int k, int64_t x, int64_t y,
                      int count)
{
    // A pixel to the left at least; more where they are there, so that stores to planes are aligned.
    const int lead = x >= LG_SPAN_LEAD ? LG_SPAN_LEAD : 1;
    float *const at[4] = {l->colors[k][0] - lead, l->colors[k][1] - lead, l->colors[k][2] - lead,
                          l->colors[k][3] - lead};
    prefetch(&job->in, x, y + PREFETCH_ROWS, count);
    load_bordered(&job->in, x - lead, y, count + lead + 1, job->border, at);
    if (job->first.loops->values)
        job->first.loops->values((const float *const *)at, count + lead + 1, l->values[k] - lead);
}

// The second line becomes the first, and so on.
static void turn_lines(window_lines *l)
{
    float *colors[4], *values = l->values[0];
    memcpy(colors, l->colors[0], sizeof colors);
    memmove(l->colors[0], l->colors[1], 2 * sizeof l->colors[0]);
    memcpy(l->colors[2], colors, sizeof colors);
    l->values[0] = l->values[1], l->values[1] = l->values[2], l->values[2] = values;
}

static void run_windows(const lg_stage_job *job, int32_t first, int32_t end, int32_t x, int count,
                        planes4 planes, planes4 over, float *rows)
{
    window_lines l = lines_of(&job->in, rows);
    load_line(job, &l, 0, x, (int64_t)first - 1, count);
    load_line(job, &l, 1, x, first, count);
    for (int32_t y = first; y < end; y++) {
        load_line(job, &l, 2, x, (int64_t)y + 1, count);
        lg_span span = begin_span(job, x, y, count, planes, over);
        memcpy(span.rows, l.colors, sizeof l.colors);
        for (int k = 0; k < 3 && job->first.loops->values; k++)
            span.rows[k][0] = l.values[k];
        for (int k = 0; k < 4; k++)
            span.over[k] = l.colors[1][k];
        call(&job->first, job->first.loops->run, &span);
        for (int k = 0; k < 4; k++)
            span.over[k] = over[k];
        run_chain(job, 0, &span, x, y, count, over);
        store(&job->out, x, y, count, planes);
        turn_lines(&l);
    }
}

// Windows whose pixels are apart: the three columns of a window are laid beside each other, so that the
// loops of windows take them, and every third result is kept.
static void load_apart(const lg_stage_job *job, const window_lines *l, int k, int64_t x, int64_t y,
                       int count, planes4 spare, float *const more[8])
{
    const lg_beside down = lg_beside_of(job->down, k - 1);
    for (int side = 0; side < 3; side++) {
        lg_load_neighbours(job, load_bordered, x, y, lg_beside_of(job->across, side - 1), down,
                           count, spare, more);
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < count; i++)
                l->colors[k][c][3 * i + side] = spare[c][i];
    }
    if (job->first.loops->values)
        job->first.loops->values((const float *const *)l->colors[k], 3 * count, l->values[k]);
}

static void run_apart(const lg_stage_job *job, int32_t first, int32_t end, int32_t x, int count,
                      planes4 planes, planes4 over, float *rows)
{
    window_lines l = lines_of(&job->in, rows);
    float *more[8];
    for (int i = 0; i < 8; i++)
        more[i] = rows + 15 * LINE + i * (LG_SPAN / 2);
    for (int32_t y = first; y < end; y++) {
        for (int k = 0; k < 3; k++)
            load_apart(job, &l, k, x, y, count, over, more);
        lg_span span = begin_span(job, x, y, 3 * count, planes, l.colors[1]);
        memcpy(span.rows, l.colors, sizeof l.colors);
        for (int k = 0; k < 3 && job->first.loops->values; k++)
            span.rows[k][0] = l.values[k];
        call(&job->first, job->first.loops->run, &span);
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < count; i++)
                planes[c][i] = planes[c][3 * i + 1];
        span = begin_span(job, x, y, count, planes, over);
        run_chain(job, 0, &span, x, y, count, over);
        store(&job->out, x, y, count, planes);
    }
}

// As the image in which the pixels might be stored would be read back.
static void read_back(const lg_stage_job *job, int count, planes4 planes)
{
    for (int k = 1; k < 3 && job->generates_grey; k++)
        memcpy(planes[k], planes[0], (size_t)count * sizeof *planes[k]);
    for (int i = 0; i < count && job->generates_opaque; i++)
        planes[3][i] = 1;
}

static void run_row(const lg_stage_job *job, int32_t x, int32_t y, int count, planes4 planes,
                    planes4 over)
{
    lg_span span = begin_span(job, x, y, count, planes, over);
    if (job->lookup)
        load_looked_up(job, x, y, count, planes);
    else if (job->source == LG_FILTER_POINT)
        load(&job->in, x, y, count, planes);
    else {
        call(&job->first, job->first.loops->run, &span);
        read_back(job, count, planes);
    }
    run_chain(job, job->lookup ? job->lookup->count : 0, &span, x, y, count, over);
    store(&job->out, x, y, count, planes);
}

static void run_warp(const lg_stage_job *job, int32_t left, int32_t right, int32_t first,
                     int32_t end, float *scratch)
{
    const planes4 planes = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                            scratch + 3 * LG_SPAN};
    const planes4 over = {scratch + 4 * LG_SPAN, scratch + 5 * LG_SPAN, scratch + 6 * LG_SPAN,
                          scratch + 7 * LG_SPAN};
    lg_sampler sampler = lg_sampler_make(&job->in, job->border, load, scratch + 8 * LG_SPAN);
    const lg_filter_loops *loops = job->first.loops;
    const bool moves_bytes = lg_warp_moves_bytes(job);
    const lg_pixels *out = &job->out;
    for (int32_t x = left; x < right; x += WARP_STRIP)
        for (int32_t y = first; y < end; y++) {
            const int count = LG_MIN(WARP_STRIP, right - x);
            lg_span span = begin_span(job, x, y, count, planes, over);
            span.values = job->first.values;
            span.tables = job->first.tables;
            if (moves_bytes) {
                char *to = out->data + (size_t)y * out->row_stride + (size_t)x * sampler.pixel;
                lg_warp_ask(out, to, (size_t)count * sampler.pixel);
                loops->run(&span);
                lg_sampler_run_bytes(&sampler, count, storers[LG_U8][out->channels], planes,
                                     out->stream && (uintptr_t)to % 64 == 0, to);
                continue;
            }
            lg_warp_read(job, &sampler, &span, count, planes, over);
            if (loops->after)
                loops->after(&span);
            run_chain(job, 0, &span, x, y, count, over);
            store(out, x, y, count, planes);
        }
}

static void map_rows(const lg_stage_job *job, int32_t first, int32_t end)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const size_t bytes = (size_t)out->width * (size_t)out->channels;
    for (int32_t y = first; y < end; y++) {
        const char *from = in->data + (size_t)y * in->row_stride;
        char *to = out->data + (size_t)y * out->row_stride;
        if (job->lookup->to_pixels)
            lg_map_pixels(job->lookup, from, to, (size_t)out->width);
        else
            lg_map_row(job->lookup, from, to, bytes, out->stream);
    }
}

static void run_spans(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const planes4 planes = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                            scratch + 3 * LG_SPAN};
    const planes4 over = {scratch + 4 * LG_SPAN, scratch + 5 * LG_SPAN, scratch + 6 * LG_SPAN,
                          scratch + 7 * LG_SPAN};
    float *rest = scratch + 8 * LG_SPAN;
    const int32_t width = job->out.width;
    lg_row_sums sums;
    if (lg_takes_samples(job, lg_sums_rows(job, &sums))) {
        const int step = job->in.channels;
        const lg_sample_windows windows = {job, loaders[job->in.type][1], storers[job->out.type][1],
                                           step, lg_type_size(job->in.type) * (size_t)step};
        lg_sample_rows(&windows, first, end, scratch);
    } else if (job->source == LG_FILTER_WINDOW && lg_windows_are_apart(job))
        for (int32_t x = 0; x < width; x += APART)
            run_apart(job, first, end, x, LG_MIN(APART, width - x), planes, over, rest);
    else if (job->source == LG_FILTER_WINDOW)
        for (int32_t x = 0; x < width; x += LG_SPAN)
            run_windows(job, first, end, x, LG_MIN(LG_SPAN, width - x), planes, over, rest);
    else if (job->source == LG_FILTER_WARP)
        run_warp(job, 0, width, first, end, scratch);
    else
        for (int32_t y = first; y < end; y++)
            for (int32_t x = 0; x < width; x += LG_SPAN)
                run_row(job, x, y, LG_MIN(LG_SPAN, width - x), planes, over);
}

// ---- planes ---------------------------------------------------------------------------------------

_Static_assert(LG_PLANAR_SPAN == LG_SPAN, "spans of planes are those of stages");

// Every span of planes becomes pixels of colours first, and then what an image of these would become.
static void run_planar(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const planes4 planes = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                            scratch + 3 * LG_SPAN};
    const planes4 over = {scratch + 4 * LG_SPAN, scratch + 5 * LG_SPAN, scratch + 6 * LG_SPAN,
                          scratch + 7 * LG_SPAN};
    char *pixels = (char *)(scratch + 8 * LG_SPAN);
    const lg_pixels *out = &job->out;
    const size_t pixel = lg_type_size(job->in.type) * (size_t)job->in.channels;
    const bool maps = job->lookup && job->lookup->covers_stage, stores = stores_colors(job);
    lg_stage_job line = *job;
    line.in.planar = NULL;
    line.in.row_stride = 0;
    for (int32_t y = first; y < end; y++)
        for (int32_t x = 0; x < out->width; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, out->width - x);
            char *to = out->data + (size_t)y * out->row_stride +
                       (size_t)x * lg_type_size(out->type) * (size_t)out->channels;
            lg_colors_read(job->in.planar, x, y, count, pixels);
            line.in.data = (char *)((uintptr_t)pixels - (size_t)x * pixel);
            if (stores)
                store_colors(out, pixels, count, to);
            else if (!maps)
                run_row(&line, x, y, count, planes, over);
            else if (job->lookup->to_pixels)
                lg_map_pixels(job->lookup, pixels, to, (size_t)count);
            else
                lg_map_row(job->lookup, pixels, to, (size_t)count * (size_t)out->channels,
                           out->stream);
        }
}

static void run(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    if (job->in.planar)
        run_planar(job, first, end, scratch);
    else if (job->words)
        lg_words_rows(job, job->chain[0].loops->words, first, end, scratch);
    else if (lg_takes_pixels(job))
        lg_words_rows(job, job->chain[0].loops->pixels, first, end, scratch);
    else if (lg_blends_bytes(job))
        lg_blend_rows(job, first, end, scratch);
    else if (job->lookup && job->lookup->covers_stage)
        map_rows(job, first, end);
    else if (job->sums.any)
        lg_byte_sum_rows(job, first, end, scratch);
    else
        run_spans(job, first, end, scratch);
    if (job->out.stream)
        lg_stream_end();
}

static void run_columns(const lg_stage_job *job, int32_t x, int32_t x_end, int32_t first,
                        int32_t end, float *scratch)
{
    assert(job->source == LG_FILTER_WARP);
    run_warp(job, x, x_end, first, end, scratch);
    if (job->out.stream)
        lg_stream_end();
}

extern const lg_stage_table LG_CPU_TABLE(stage);
const lg_stage_table LG_CPU_TABLE(stage) = {build_lut, run,   run_columns,
                                            load,      store, lg_encode_rows};
