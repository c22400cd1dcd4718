// Rows of TIFF files. Tiles are decoded once for all of their rows, strips from row to row.
#include "io/row_reader.h"

#ifdef LG_HAVE_TIFF

#include "io/tiff_job.h"

#include <string.h>
#include <tiffio.h>

typedef struct tiff_rows {
    lg_tiff_job job;
    lg_read_params limits;
    lg_image *cache; // a row of tiles, NULL: there are none
    int32_t layer;   // that it is of, -1: of none
    int64_t first;   // its first row
} tiff_rows;

static lg_status make_cache(lg_row_reader *reader, tiff_rows *t, lg_error *error)
{
    const lg_tiff_page *page = &t->job.page;
    lg_image_params shape = reader->shape;
    reader->memory = lg_tiff_job_plan(&t->job, lg_pool_threads(reader->context->pool));
    if (!page->tiles)
        return LG_OK;
    shape.layers = 1;
    shape.height = (int32_t)LG_MIN(page->block_height, page->height);
    const lg_status status = lg_image_create(reader->context, &shape, &t->cache, error);
    if (!status)
        reader->memory += t->cache->shape.layer_stride;
    return status;
}

static lg_status open_tiff(lg_row_reader *reader, lg_error *error)
{
    tiff_rows *t = reader->state = lg_alloc(sizeof *t);
    if (!t)
        return lg_fail_memory(error, sizeof *t, "a reader of rows");
    t->limits = lg_row_reader_limits(reader);
    t->layer = -1;
    lg_status status = lg_tiff_job_open(&t->job, &reader->input, &t->limits, &reader->info, error);
    if (status)
        return status;
    reader->shape = lg_tiff_job_shape(&t->job);
    status = make_cache(reader, t, error);
    return status ? status : lg_tiff_job_metadata(&t->job, &reader->info, error);
}

static void close_tiff(lg_row_reader *reader)
{
    tiff_rows *t = reader->state;
    if (!t)
        return;
    lg_tiff_job_close(&t->job);
    lg_image_destroy(&t->cache);
    lg_free(t);
}

// An image over rows first .. first + rows - 1 of another one.
static lg_status rows_of(const lg_row_reader *reader, lg_image *image, int64_t first, int64_t rows,
                         lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.height = (int32_t)rows;
    shape.layer_stride = shape.row_stride * (size_t)rows;
    return lg_image_wrap(reader->context, &shape, lg_image_row(image, 0, first), out, error);
}

static lg_status read_part(const lg_row_reader *reader, int32_t layer, const lg_region *region,
                           lg_image *into, int64_t at, lg_error *error)
{
    tiff_rows *t = reader->state;
    lg_image *part = NULL;
    lg_status status = rows_of(reader, into, at, region->height, &part, error);
    if (!status)
        status = lg_tiff_job_read(&t->job, layer, region, part, 0, error);
    lg_image_destroy(&part);
    return status;
}

// Rows of a row of tiles that is not needed whole now, and may be needed again.
static lg_status read_cached(const lg_row_reader *reader, int32_t layer, const lg_region *region,
                             lg_image *into, int64_t at, lg_error *error)
{
    tiff_rows *t = reader->state;
    const int64_t block = t->job.page.block_height, first = region->y / block * block;
    if (t->layer != layer || t->first != first) {
        const lg_region tiles = {0, first, reader->shape.width,
                                 LG_MIN(block, reader->shape.height - first)};
        t->layer = -1;
        const lg_status status = read_part(reader, layer, &tiles, t->cache, 0, error);
        if (status)
            return status;
        t->layer = layer;
        t->first = first;
    }
    const size_t bytes = (size_t)reader->shape.width * lg_type_size(reader->shape.type) *
                         (size_t)reader->shape.channels;
    for (int64_t y = 0; y < region->height; y++)
        memcpy(lg_image_row(into, 0, at + y), lg_image_row(t->cache, 0, region->y - first + y),
               bytes);
    return LG_OK;
}

static lg_status read_tiff(lg_row_reader *reader, int32_t layer, const lg_region *region,
                           lg_image *into, lg_error *error)
{
    const tiff_rows *t = reader->state;
    const int64_t height = reader->shape.height, end = region->y + region->height;
    if (!t->cache || region->width < reader->shape.width)
        return read_part(reader, layer, region, into, 0, error);
    const int64_t block = t->job.page.block_height;
    lg_status status = LG_OK;
    for (int64_t y = region->y, next; y < end && !status; y = next) {
        const int64_t tiles_end = LG_MIN((y / block + 1) * block, height);
        const bool whole = y % block == 0 && end >= tiles_end;
        // Whole rows of tiles go where they are needed, all that are at once.
        next = whole && end < height ? end / block * block : LG_MIN(tiles_end, end);
        next = whole && end == height ? end : next;
        const lg_region part = {0, y, region->width, next - y};
        status = whole ? read_part(reader, layer, &part, into, y - region->y, error)
                       : read_cached(reader, layer, &part, into, y - region->y, error);
    }
    return status;
}

static void note_tiff(const lg_row_reader *reader, lg_read_info *info)
{
    lg_tiff_job_note(&((const tiff_rows *)reader->state)->job, false, info);
}

const lg_row_format lg_row_format_tiff = {open_tiff, read_tiff, note_tiff, close_tiff};

#else

// Says what is missing.
static lg_status open_tiff(lg_row_reader *reader, lg_error *error)
{
    lg_image *none = NULL;
    return lg_tiff_read(reader->context, &reader->input, &reader->params, &none, &reader->info,
                        error);
}

static void close_tiff(lg_row_reader *reader)
{
}

const lg_row_format lg_row_format_tiff = {open_tiff, NULL, NULL, close_tiff};

#endif
