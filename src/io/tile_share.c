#include "io/tile_share.h"

#include "io/tile_levels.h"

#include <string.h>

typedef struct tiles {
    lg_tile_level level[LG_TILE_LEVELS]; // of the file
    int count;
    lg_tile_levels held; // the first level, or all of them
    int lowest;          // level that is written
    int fd;
    int64_t offset;
    size_t row; // bytes of a tile's
    uint8_t *tile;
    int64_t written[LG_TILE_LEVELS]; // rows that are in the file, or that others write
} tiles;

// Where row y of a column of tiles lies.
static int64_t place(const tiles *t, int level, int64_t y, int64_t column)
{
    const int32_t tile = t->held.tile_height;
    const int64_t before = lg_tile_levels_before(t->level, t->count, tile, level, y / tile);
    return t->offset + ((before + column) * tile + y % tile) * (int64_t)t->row;
}

// ---- rows of tiles --------------------------------------------------------------------------------

static void close_tiles(tiles *t)
{
    lg_tile_levels_close(&t->held);
    lg_free(t->tile);
    t->tile = NULL;
}

// What lies behind the image in the last row of tiles is zero, as nobody has written there.
static lg_status put_rows(tiles *t, int level, int64_t end, lg_error *error)
{
    const lg_tile_level *l = &t->level[level];
    const int64_t y = t->written[level], tile = t->held.tile_height;
    uint8_t *first = t->held.room[level] + (size_t)(y % tile) * (size_t)l->width * t->held.pixel;
    const lg_tile_rows rows = {level, y / tile, first, (int32_t)(end - y)};
    lg_status status = LG_OK;
    for (int64_t x = 0; x < l->across && y < end && !status; x++) {
        lg_tile_cut(&t->held, &rows, x, -1, t->tile);
        status = lg_row_share_put(t->fd, t->tile, (size_t)(end - y) * t->row, place(t, level, y, x),
                                  error);
    }
    t->written[level] = end;
    return status;
}

static lg_status take(void *priv, const lg_tile_rows *rows, lg_error *error)
{
    tiles *t = priv;
    const int64_t end = rows->index * t->held.tile_height + rows->rows;
    return rows->level < t->lowest ? LG_OK : put_rows(t, rows->level, end, error);
}

// close_tiles is needed also when it fails.
static lg_status open_tiles(tiles *t, const lg_row_share *share, int fd, bool levels,
                            lg_error *error)
{
    const lg_image_params *s = &share->shape;
    lg_tile_options options;
    *t = (tiles){.fd = fd, .lowest = levels, .offset = share->offset};
    if (!lg_tile_options_unpack(share->kind, &options))
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d is no size of tiles of a shared file",
                       share->kind);
    t->count = lg_tile_levels_shapes(&options, s->width, s->height, t->level);
    options.pyramid = levels && options.pyramid;
    const lg_status status =
        lg_tile_levels_open(&t->held, &options, s->width, s->height,
                            lg_tile_sample_of(s->type, share->labels), lg_file_channels(s), error);
    if (status)
        return status;
    t->held.take = take;
    t->held.priv = t;
    t->row = (size_t)options.width * t->held.pixel;
    t->tile = lg_alloc_array((size_t)options.height, t->row);
    return t->tile ? LG_OK : lg_fail_memory(error, (size_t)options.height * t->row, "a tile");
}

// Row y comes next, and makes a new row of each level that is held.
static void begin_at(tiles *t, int64_t y)
{
    for (int i = 0; i < t->held.count; i++) {
        t->held.rows[i] = (int32_t)(y >> i);
        t->written[i] = y >> i;
    }
}

// ---- writers --------------------------------------------------------------------------------------

lg_status lg_tile_share_join(lg_row_writer *writer, const lg_row_share *share, lg_error *error)
{
    tiles *t = lg_alloc(sizeof *t);
    if (!t)
        return lg_fail_memory(error, sizeof *t, "a writer of tiles");
    writer->sink = &lg_row_sink_tile_share;
    writer->state = t;
    const lg_status status = open_tiles(t, share, fileno(writer->stream), false, error);
    begin_at(t, writer->rows);
    // Levels are made when this writer is gone, in no more than what it says.
    lg_tile_options all;
    if (lg_tile_options_unpack(share->kind, &all))
        writer->memory = lg_tile_levels_memory(&all, share->shape.width, t->held.pixel);
    return status;
}

static lg_status add(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    tiles *t = writer->state;
    return lg_tile_levels_add_rows(&t->held, rows, error);
}

static lg_status flush(lg_row_writer *writer, lg_error *error)
{
    return put_rows(writer->state, 0, writer->rows, error);
}

static void drop(lg_row_writer *writer)
{
    if (writer->state)
        close_tiles(writer->state);
    lg_free(writer->state);
    writer->state = NULL;
}

const lg_row_sink lg_row_sink_tile_share = {.add = add, .flush = flush, .drop = drop};

// ---- rows of another file -------------------------------------------------------------------------

// Those of one row of tiles.
static lg_status copy_rows(tiles *t, int from, int64_t y, int64_t end, lg_error *error)
{
    const size_t bytes = (size_t)(end - y) * t->row;
    lg_status status = LG_OK;
    for (int64_t x = 0; x < t->level[0].across && !status; x++) {
        const int64_t at = place(t, 0, y, x);
        status = lg_row_share_get(from, t->tile, bytes, at, error);
        if (!status)
            status = lg_row_share_put(t->fd, t->tile, bytes, at, error);
    }
    return status;
}

lg_status lg_tile_share_copy(const lg_row_share *share, int from, int to, int64_t first,
                             int64_t end, lg_error *error)
{
    tiles t;
    lg_status status = open_tiles(&t, share, to, false, error);
    for (int64_t y = first, next; y < end && !status; y = next) {
        next = LG_MIN(end, (y / t.held.tile_height + 1) * t.held.tile_height);
        status = copy_rows(&t, from, y, next, error);
    }
    close_tiles(&t);
    return status;
}

// ---- levels ---------------------------------------------------------------------------------------

// Rows of one row of tiles, as if they came just now.
static lg_status read_rows(tiles *t, int64_t y, int64_t end, lg_error *error)
{
    const size_t pixel = t->held.pixel, step = (size_t)t->level[0].width * pixel;
    const size_t bytes = (size_t)(end - y) * t->row;
    lg_status status = LG_OK;
    for (int64_t x = 0; x < t->level[0].across && !status; x++) {
        const size_t left = (size_t)x * t->row, most = LG_MIN(t->row, step - left);
        uint8_t *to = lg_tile_levels_next(&t->held) + left;
        status = lg_row_share_get(t->fd, t->tile, bytes, place(t, 0, y, x), error);
        for (int64_t i = 0; i < end - y && !status; i++)
            memcpy(to + (size_t)i * step, t->tile + (size_t)i * t->row, most);
    }
    for (; y < end && !status; y++)
        status = lg_tile_levels_add(&t->held, error);
    return status;
}

// A row of the smallest level is made of rows of one part, and so are those of the others.
lg_status lg_tile_share_levels(const lg_row_share *share, int fd, int index, int parts,
                               lg_error *error)
{
    tiles t;
    lg_status status = open_tiles(&t, share, fd, true, error);
    const int64_t height = share->shape.height;
    const int last = t.count > 0 ? t.count - 1 : 0;
    const int64_t units = (height + (INT64_C(1) << last) - 1) >> last;
    const int64_t first = units * index / parts << last;
    const int64_t end = LG_MIN(units * (index + 1) / parts << last, height);
    begin_at(&t, first);
    for (int64_t y = first, next; y < end && !status && last; y = next) {
        next = LG_MIN(end, (y / t.held.tile_height + 1) * t.held.tile_height);
        status = read_rows(&t, y, next, error);
    }
    for (int i = 1; i <= last && end < height && first < end && !status; i++)
        status = put_rows(&t, i, end >> i, error);
    close_tiles(&t);
    return status;
}
