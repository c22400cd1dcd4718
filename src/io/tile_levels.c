#include "io/tile_levels.h"

#include "io/io_internal.h"

#include <math.h>
#include <string.h>

// ---- means ----------------------------------------------------------------------------------------

// Four pixels, or two of them twice at an odd edge, or one four times: the mean is that of what is there.
typedef struct pairs {
    const void *top, *bottom; // the same row where there is no second one
    void *out;
    int32_t count; // pixels of `out`
    bool odd;      // the last of them has one column
} pairs;

static inline uint8_t mean_u8(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    return (uint8_t)((a + b + c + d + 2) >> 2);
}

static inline uint16_t mean_u16(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    return (uint16_t)(((uint32_t)a + b + c + d + 2) >> 2);
}

// One NaN, as machines differ in which of several they hand on.
static inline float mean_f32(float a, float b, float c, float d)
{
    const float mean = (float)((((double)a + (double)b) + ((double)c + (double)d)) * 0.25);
    return mean != mean ? NAN : mean;
}

// The half that is nearest to the mean as a float.
static inline uint16_t mean_f16(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    const uint16_t mean = lg_float_to_half(mean_f32(lg_half_to_float(a), lg_half_to_float(b),
                                                    lg_half_to_float(c), lg_half_to_float(d)));
    return (mean & 0x7fff) > 0x7c00 ? 0x7e00 : mean;
}

static inline uint16_t first_u16(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    (void)b, (void)c, (void)d;
    return a;
}

static inline uint32_t first_u32(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    (void)b, (void)c, (void)d;
    return a;
}

// `channels` is a constant where it is inlined, so that loops of bytes become vectors.
#define ROW(name, type, mean)                                                                      \
    static inline __attribute__((always_inline)) void name##_of(const pairs *p, int channels)      \
    {                                                                                              \
        const type *restrict top = p->top, *restrict bottom = p->bottom;                           \
        type *restrict out = p->out;                                                               \
        const int32_t whole = p->count - p->odd;                                                   \
        for (int32_t x = 0; x < whole; x++)                                                        \
            for (int k = 0; k < channels; k++) {                                                   \
                const size_t at = (size_t)x * 2 * (size_t)channels + (size_t)k;                    \
                const size_t next = at + (size_t)channels;                                         \
                out[(size_t)x * (size_t)channels + (size_t)k] =                                    \
                    mean(top[at], top[next], bottom[at], bottom[next]);                            \
            }                                                                                      \
        for (int k = 0; k < channels && p->odd; k++) {                                             \
            const size_t at = (size_t)whole * 2 * (size_t)channels + (size_t)k;                    \
            out[(size_t)whole * (size_t)channels + (size_t)k] =                                    \
                mean(top[at], top[at], bottom[at], bottom[at]);                                    \
        }                                                                                          \
    }                                                                                              \
    static void name(const pairs *p, int channels)                                                 \
    {                                                                                              \
        switch (channels) {                                                                        \
        case 1:                                                                                    \
            name##_of(p, 1);                                                                       \
            break;                                                                                 \
        case 3:                                                                                    \
            name##_of(p, 3);                                                                       \
            break;                                                                                 \
        case 4:                                                                                    \
            name##_of(p, 4);                                                                       \
            break;                                                                                 \
        default:                                                                                   \
            name##_of(p, channels);                                                                \
        }                                                                                          \
    }

ROW(row_u8, uint8_t, mean_u8)
ROW(row_u16, uint16_t, mean_u16)
ROW(row_f16, uint16_t, mean_f16)
ROW(row_f32, float, mean_f32)
ROW(row_label16, uint16_t, first_u16)
ROW(row_label32, uint32_t, first_u32)
#undef ROW

static const struct {
    size_t size;
    void (*row)(const pairs *p, int channels);
} samples[] = {
    [LG_TILE_U8] = {1, row_u8},           [LG_TILE_U16] = {2, row_u16},
    [LG_TILE_F16] = {2, row_f16},         [LG_TILE_F32] = {4, row_f32},
    [LG_TILE_LABEL16] = {2, row_label16}, [LG_TILE_LABEL32] = {4, row_label32},
};

size_t lg_tile_sample_size(lg_tile_sample sample)
{
    return samples[sample].size;
}

lg_tile_sample lg_tile_sample_of(lg_type type, bool labelled)
{
    if (labelled)
        return type == LG_U16 ? LG_TILE_LABEL16 : LG_TILE_LABEL32;
    return type == LG_U8    ? LG_TILE_U8
           : type == LG_U16 ? LG_TILE_U16
           : type == LG_F16 ? LG_TILE_F16
                            : LG_TILE_F32;
}

// ---- levels ---------------------------------------------------------------------------------------

static int64_t tiles_of(int64_t side, int64_t tile)
{
    return (side + tile - 1) / tile;
}

static size_t row_bytes(const lg_tile_levels *l, int level)
{
    return (size_t)l->level[level].width * l->pixel;
}

int lg_tile_levels_shapes(const lg_tile_options *options, int32_t width, int32_t height,
                          lg_tile_level out[LG_TILE_LEVELS])
{
    int count = 0;
    for (bool more = true; more && count < LG_TILE_LEVELS; count++) {
        const int64_t across = tiles_of(width, options->width);
        const int64_t down = tiles_of(height, options->height);
        out[count] = (lg_tile_level){width, height, across, down};
        more = options->pyramid && (across > 1 || down > 1);
        width = width / 2 + width % 2;
        height = height / 2 + height % 2;
    }
    return count;
}

// Rows of tiles are complete with a row of the image, of which there are `last` then.
int64_t lg_tile_levels_before(const lg_tile_level *levels, int count, int32_t tile_height,
                              int level, int64_t index)
{
    const int64_t height = levels[0].height;
    const int64_t last = LG_MIN((index + 1) * tile_height << level, height);
    int64_t tiles = 0;
    for (int i = 0; i < count; i++) {
        const int64_t step = (int64_t)tile_height << i;
        const int64_t sooner = (last + step - 1) / step - 1;
        const int64_t with = last == height ? levels[i].down : last / step;
        tiles += levels[i].across * (i < level ? with : i == level ? index : sooner);
    }
    return tiles;
}

lg_status lg_tile_levels_open(lg_tile_levels *l, const lg_tile_options *options, int32_t width,
                              int32_t height, lg_tile_sample sample, int channels, lg_error *error)
{
    *l = (lg_tile_levels){.tile_width = options->width,
                          .tile_height = options->height,
                          .sample = sample,
                          .channels = channels,
                          .pixel = samples[sample].size * (size_t)channels};
    const int count = lg_tile_levels_shapes(options, width, height, l->level);
    while (l->count < count) {
        const int at = l->count++;
        const size_t rows = (size_t)LG_MIN(l->level[at].height, options->height);
        l->room[at] = lg_alloc_array(rows, row_bytes(l, at));
        if (!l->room[at])
            return lg_fail_memory(error, rows * row_bytes(l, at), "a row of tiles");
    }
    return LG_OK;
}

void lg_tile_levels_close(lg_tile_levels *levels)
{
    for (int i = 0; i < levels->count; i++)
        lg_free(levels->room[i]);
    levels->count = 0;
}

size_t lg_tile_levels_memory(const lg_tile_options *options, int32_t width, size_t pixel)
{
    const size_t rows = (size_t)width * pixel * (size_t)options->height;
    return (options->pyramid ? 2 * rows : rows) +
           2 * (size_t)options->width * (size_t)options->height * pixel;
}

static uint8_t *row_at(const lg_tile_levels *l, int level, int32_t y)
{
    return l->room[level] + (size_t)(y % l->tile_height) * row_bytes(l, level);
}

uint8_t *lg_tile_levels_next(const lg_tile_levels *levels)
{
    return row_at(levels, 0, levels->rows[0]);
}

// The last row of a level that came, or the last two, become a row of the next one. Tiles have an even
// number of rows, so both are there.
static void halve(lg_tile_levels *l, int level)
{
    const int32_t last = l->rows[level] - 1, width = l->level[level].width;
    const pairs p = {.top = row_at(l, level, last - last % 2),
                     .bottom = row_at(l, level, last),
                     .out = row_at(l, level + 1, l->rows[level + 1]),
                     .count = l->level[level + 1].width,
                     .odd = width % 2};
    samples[l->sample].row(&p, l->channels);
}

lg_status lg_tile_levels_add(lg_tile_levels *l, lg_error *error)
{
    lg_status status = LG_OK;
    bool more = true; // a row came to this level
    for (int i = 0; i < l->count && more && !status; i++) {
        const bool last = ++l->rows[i] == l->level[i].height;
        const int32_t rows = l->rows[i], tile = l->tile_height;
        more = (rows % 2 == 0 || last) && i + 1 < l->count;
        if (more)
            halve(l, i);
        if (rows % tile == 0 || last) {
            const int32_t index = (rows - 1) / tile;
            const lg_tile_rows full = {i, index, l->room[i], rows - index * tile};
            status = l->take(l->priv, &full, error);
        }
        if (last)
            l->rows[i] = 0;
    }
    return status;
}

lg_status lg_tile_levels_add_rows(lg_tile_levels *l, const lg_image *rows, lg_error *error)
{
    lg_status status = LG_OK;
    for (int32_t y = 0; y < rows->shape.height && !status; y++) {
        lg_pack_row(&rows->shape, lg_image_row(rows, 0, y), lg_tile_levels_next(l));
        status = lg_tile_levels_add(l, error);
    }
    return status;
}

// ---- tiles ----------------------------------------------------------------------------------------

static void take_channel(const uint8_t *from, size_t step, size_t size, int32_t pixels,
                         uint8_t *out)
{
    if (size == 1)
        for (int32_t x = 0; x < pixels; x++)
            out[x] = from[(size_t)x * step];
    else
        for (int32_t x = 0; x < pixels; x++)
            memcpy(out + (size_t)x * size, from + (size_t)x * step, size);
}

void lg_tile_cut(const lg_tile_levels *l, const lg_tile_rows *rows, int64_t column, int channel,
                 void *out)
{
    const int32_t width = l->level[rows->level].width;
    const int32_t x = (int32_t)(column * l->tile_width), pixels = LG_MIN(l->tile_width, width - x);
    const size_t size = samples[l->sample].size, to = channel < 0 ? l->pixel : size;
    const size_t row = (size_t)l->tile_width * to;
    uint8_t *at = out;
    for (int32_t y = 0; y < rows->rows; y++, at += row) {
        const uint8_t *from =
            rows->first + (size_t)y * row_bytes(l, rows->level) + (size_t)x * l->pixel;
        if (channel < 0 || l->channels == 1)
            memcpy(at, from, (size_t)pixels * to);
        else
            take_channel(from + (size_t)channel * size, l->pixel, size, pixels, at);
        memset(at + (size_t)pixels * to, 0, row - (size_t)pixels * to);
    }
    memset(at, 0, (size_t)(l->tile_height - rows->rows) * row);
}
