// Writing TIFF in tiles: those of all levels go to the file as they become complete, and directories that say
// where they lie come behind each layer.
#include "io/tiff_content.h"

#ifdef LG_HAVE_TIFF

#include "io/tile_codec.h"
#include "io/tile_levels.h"

#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>

// Where the tiles of a level lie.
typedef struct places {
    uint64_t *offset, *size;
} places;

typedef struct tiled {
    lg_tiff *tiff;
    lg_tiff_content content;
    lg_tile_levels levels;
    lg_tile_codec *codec; // NULL: samples are written as they are
    uint8_t *tile;
    size_t tile_bytes;
    places places[LG_TILE_LEVELS];
    int32_t layer;
    bool below;           // levels are SubIFDs
    lg_metadata of_pages; // what each page has, while the metadata of the file are gone
} tiled;

static lg_status fail_encode(const tiled *t, lg_error *error)
{
    return lg_tiff_fail_encode(t->tiff, error);
}

// ---- tiles ----------------------------------------------------------------------------------------

static lg_status write_tile(tiled *t, const lg_tile_rows *rows, int64_t column, lg_error *error)
{
    const uint8_t *data = t->tile;
    size_t bytes = t->tile_bytes;
    lg_tile_cut(&t->levels, rows, column, -1, t->tile);
    const lg_status status =
        t->codec ? lg_tile_codec_encode(t->codec, t->tile, &data, &bytes, error) : LG_OK;
    if (status)
        return status;
    lg_tiff_source *source = &t->tiff->source;
    const size_t index = (size_t)(rows->index * t->levels.level[rows->level].across + column);
    t->places[rows->level].offset[index] = source->position = source->size;
    t->places[rows->level].size[index] = bytes;
    return lg_tiff_put(source, data, bytes) ? LG_OK : fail_encode(t, error);
}

static lg_status take_rows(void *priv, const lg_tile_rows *rows, lg_error *error)
{
    tiled *t = priv;
    lg_status status = LG_OK;
    for (int64_t x = 0; x < t->levels.level[rows->level].across && !status; x++)
        status = write_tile(t, rows, x, error);
    return status;
}

// ---- directories ----------------------------------------------------------------------------------

static void set_tags(tiled *t, int level)
{
    TIFF *handle = t->tiff->handle;
    const lg_tile_level *to = &t->levels.level[level], *from = &t->levels.level[0];
    lg_tiff_set_layout(handle, &t->content, to->width, to->height);
    TIFFSetField(handle, TIFFTAG_TILEWIDTH, (uint32_t)t->levels.tile_width);
    TIFFSetField(handle, TIFFTAG_TILELENGTH, (uint32_t)t->levels.tile_height);
    lg_tiff_set_page(handle, &t->content, (double)to->width / from->width,
                     (double)to->height / from->height);
}

// The directory of the layer is begun with its first row, while the metadata of the file are there.
static void begin_layer(tiled *t)
{
    TIFF *handle = t->tiff->handle;
    const uint64_t none[LG_TILE_LEVELS] = {0};
    set_tags(t, 0);
    if (t->content.shape.layers > 1)
        lg_tiff_set_number(handle, &t->content, t->layer);
    if (t->layer == 0)
        lg_tiff_set_first(handle, &t->content);
    if (t->below && t->levels.count > 1)
        TIFFSetField(handle, TIFFTAG_SUBIFD, (uint16_t)(t->levels.count - 1), none);
}

// libtiff takes the end of the file for the place of what it writes: so it learns where the tiles lie that
// are there.
static bool write_directory(tiled *t, int level)
{
    TIFF *handle = t->tiff->handle;
    lg_tiff_source *source = &t->tiff->source;
    const lg_tile_level *l = &t->levels.level[level];
    const uint64_t end = source->size;
    bool good = true;
    source->skips = true;
    for (int64_t i = 0; i < l->across * l->down && good; i++) {
        source->size = t->places[level].offset[i];
        good =
            TIFFWriteRawTile(handle, (uint32_t)i, t->tile, (tmsize_t)t->places[level].size[i]) >= 0;
    }
    source->skips = false;
    source->size = end;
    return good && TIFFWriteDirectory(handle) == 1;
}

static lg_status end_layer(tiled *t, lg_error *error)
{
    bool good = write_directory(t, 0);
    for (int level = 1; level < t->levels.count && good; level++) {
        set_tags(t, level);
        TIFFSetField(t->tiff->handle, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        good = write_directory(t, level);
    }
    t->layer++;
    return good && !t->tiff->failed ? LG_OK : fail_encode(t, error);
}

// ---- files ----------------------------------------------------------------------------------------

static lg_status make_places(tiled *t, lg_error *error)
{
    for (int i = 0; i < t->levels.count; i++) {
        const size_t count = (size_t)(t->levels.level[i].across * t->levels.level[i].down);
        t->places[i].offset = lg_alloc_array(2 * count, sizeof(uint64_t));
        if (!t->places[i].offset)
            return lg_fail_memory(error, 2 * count * sizeof(uint64_t), "the places of tiles");
        t->places[i].size = t->places[i].offset + count;
    }
    return LG_OK;
}

static lg_status make_codec(tiled *t, lg_error *error)
{
    const lg_tiff_content *c = &t->content;
    const lg_tile_shape shape = {c->tiles.width, c->tiles.height, c->channels,
                                 c->bits,        c->format,       c->scheme};
    return c->scheme == COMPRESSION_NONE ? LG_OK : lg_tile_codec_open(&shape, &t->codec, error);
}

// Viewers look for levels behind their page (OpenSlide, GDAL, libvips), those of OME-XML below it; of several
// pages the next one is the next layer.
static bool is_below(const lg_tiff_content *c)
{
    const bool ome = c->description && strstr(c->description, "<OME");
    return c->tiles.below || c->shape.layers > 1 || ome;
}

static lg_status begin_file(tiled *t, int fd, lg_error *error)
{
    const lg_tiff_content *c = &t->content;
    lg_status status =
        lg_tile_levels_open(&t->levels, &c->tiles, c->shape.width, c->shape.height,
                            lg_tile_sample_of(c->shape.type, c->labelled), c->channels, error);
    if (!status)
        status = make_places(t, error);
    if (status)
        return status;
    double tiles = 0;
    for (int i = 0; i < t->levels.count; i++)
        tiles += (double)t->levels.level[i].across * (double)t->levels.level[i].down;
    t->levels.take = take_rows;
    t->levels.priv = t;
    t->tile_bytes = (size_t)c->tiles.width * (size_t)c->tiles.height * t->levels.pixel;
    t->tile = lg_alloc(t->tile_bytes);
    if (!t->tile)
        return lg_fail_memory(error, t->tile_bytes, "a tile");
    t->below = is_below(c);
    status = make_codec(t, error);
    if (!status) // 16 bytes are a place
        status = lg_tiff_create(
            lg_tiff_content_is_big(c, tiles * c->shape.layers * ((double)t->tile_bytes + 16)), fd,
            &t->tiff, error);
    return status;
}

static void free_file(tiled *t)
{
    lg_tiff_close(&t->tiff);
    lg_tile_codec_close(&t->codec);
    lg_tile_levels_close(&t->levels);
    for (int i = 0; i < LG_TILE_LEVELS; i++)
        lg_free(t->places[i].offset);
    lg_free(t->tile);
    lg_free(t->content.description);
}

static lg_status write_layers(tiled *t, lg_error *error)
{
    const lg_image_params *s = &t->content.shape;
    lg_status status = LG_OK;
    for (int32_t layer = 0; layer < s->layers && !status; layer++) {
        begin_layer(t);
        for (int32_t y = 0; y < s->height && !status; y++) {
            lg_tiff_content_copy(&t->content, layer, y, lg_tile_levels_next(&t->levels));
            status = lg_tile_levels_add(&t->levels, error);
        }
        if (!status)
            status = end_layer(t, error);
    }
    return status;
}

// The file is made in memory: a pipe cannot go back to where its directories are linked.
lg_status lg_tiff_write_tiles(const lg_tiff_content *content, FILE *stream, lg_error *error)
{
    tiled t = {.content = *content};
    lg_status status = begin_file(&t, -1, error);
    if (!status)
        status = write_layers(&t, error);
    if (!status) {
        const size_t size = (size_t)t.tiff->source.size;
        if (fwrite(t.tiff->source.copy, 1, size, stream) != size)
            status = lg_fail(error, LG_ERROR_IO, "cannot write: no space or a closed pipe");
    }
    free_file(&t);
    return status;
}

// ---- by rows --------------------------------------------------------------------------------------

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    tiled *t = writer->state = lg_alloc(sizeof *t);
    if (!t)
        return lg_fail_memory(error, sizeof *t, "a TIFF file");
    lg_status status =
        lg_tiff_content_of(&writer->shape, writer->metadata, writer->options, &t->content, error);
    if (writer->labels)
        t->content.format = SAMPLEFORMAT_UINT;
    t->content.labelled = writer->labels;
    if (!status)
        status = begin_file(t, fileno(writer->stream), error);
    if (status)
        return status;
    writer->memory = lg_tile_levels_memory(&t->content.tiles, writer->shape.width, t->levels.pixel);
    begin_layer(t);
    if (writer->metadata) {
        t->of_pages = lg_tiff_metadata_of_pages(writer->metadata);
        t->content.metadata = &t->of_pages;
    }
    return LG_OK;
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    tiled *t = writer->state;
    return lg_tile_levels_add_rows(&t->levels, rows, error);
}

static lg_status end_rows(lg_row_writer *writer, lg_error *error)
{
    return end_layer(writer->state, error);
}

static lg_status next_layer(lg_row_writer *writer, lg_error *error)
{
    const lg_status status = end_layer(writer->state, error);
    if (!status)
        begin_layer(writer->state);
    return status;
}

// Tiles lie as they would if rows came in order, and others write them.
static lg_status share_rows(lg_row_writer *writer, lg_error *error)
{
    tiled *t = writer->state;
    lg_tile_levels *l = &t->levels;
    lg_tiff_source *source = &t->tiff->source;
    const uint64_t first = source->size;
    if (t->codec)
        return lg_tiff_fail_shared(error);
    for (int k = 0; k < l->count; k++)
        for (int64_t i = 0; i < l->level[k].across * l->level[k].down; i++) {
            const int64_t row = i / l->level[k].across, column = i % l->level[k].across;
            const int64_t before =
                lg_tile_levels_before(l->level, l->count, l->tile_height, k, row) + column;
            t->places[k].offset[i] = first + (uint64_t)before * t->tile_bytes;
            t->places[k].size[i] = t->tile_bytes;
            source->size += t->tile_bytes;
        }
    writer->offset = (int64_t)first;
    writer->kind = lg_tile_options_pack(&t->content.tiles);
    const lg_status status = end_layer(t, error);
    lg_tile_levels_close(l); // other writers hold rows
    writer->memory = 0;
    return status;
}

static void drop_rows(lg_row_writer *writer)
{
    if (writer->state)
        free_file(writer->state);
    lg_free(writer->state);
    writer->state = NULL;
}

const lg_row_sink lg_row_sink_tiff_tiles = {.begin = begin_rows,
                                            .add = add_rows,
                                            .end = end_rows,
                                            .drop = drop_rows,
                                            .share = share_rows,
                                            .layers = true,
                                            .next_layer = next_layer};

#endif
