// Files that are read by rows: which format reads them, and what all formats check.
#include "io/row_reader.h"

#include "core/portable.h"
#include "io/film.h"

#include <string.h>
#include <sys/stat.h>

lg_find_rows_fn lg_find_rows_of(lg_input *input)
{
    const size_t size = lg_input_peek(input, 16);
    const uint8_t *head = input->buffer + input->begin;
    return lg_pnm_is(head, size)   ? lg_pnm_find_rows
           : lg_pfm_is(head, size) ? lg_pfm_find_rows
           : lg_npy_is(head, size) ? lg_npy_find_rows
                                   : NULL;
}

static const lg_row_format *format_of(lg_row_reader *reader)
{
    lg_input *input = &reader->input;
    const size_t size = lg_input_peek(input, 16);
    const uint8_t *head = input->buffer + input->begin;
    const bool tiff = lg_tiff_is(head, size);
    if (!input->seekable ||
        ((reader->params.layers || reader->params.page == LG_PAGE_RAW) && !tiff))
        return &lg_row_format_whole;
    if (input->folder)
        return &lg_row_format_zarr;
    if (lg_find_rows_of(input))
        return &lg_row_format_stored;
    if (tiff)
        return &lg_row_format_tiff;
    // What these are is known where whole files are read, and so is why films are refused.
    if (lg_is_built_in(input, reader->path) || lg_y4m_is(head, size) ||
        lg_video_is(head, size, reader->path))
        return &lg_row_format_whole;
    return &lg_row_format_vips;
}

// ---- a file stays as it is ------------------------------------------------------------------------

static void note_file(lg_row_reader *reader)
{
    struct stat now;
    if (!reader->input.seekable || fstat(reader->input.fd, &now) != 0)
        return;
    reader->size = now.st_size;
    reader->seconds = now.st_mtim.tv_sec;
    reader->nanoseconds = now.st_mtim.tv_nsec;
}

// Parts from before and behind a change make no image.
static lg_status check_file(const lg_row_reader *reader, lg_error *error)
{
    struct stat now;
    if (!reader->input.seekable || fstat(reader->input.fd, &now) != 0)
        return LG_OK;
    if (now.st_size != reader->size)
        return lg_fail(error, LG_ERROR_IO,
                       "the file changed while it was read: it had %lld bytes and has %lld",
                       (long long)reader->size, (long long)now.st_size);
    if (now.st_mtim.tv_sec != reader->seconds || now.st_mtim.tv_nsec != reader->nanoseconds)
        return lg_fail(error, LG_ERROR_IO, "the file changed while it was read: it was written to");
    return LG_OK;
}

// ---- open and close -------------------------------------------------------------------------------

static lg_status open_file(lg_row_reader *reader, const char *path, lg_error *error)
{
    reader->path = lg_strdup(path);
    if (!reader->path)
        return lg_fail_memory(error, strlen(path), "a file name");
    lg_status status = lg_input_open(&reader->input, path, error);
    if (status)
        return status;
    note_file(reader);
    reader->format = format_of(reader);
    if (reader->input.failure)
        return lg_input_short(&reader->input, "the start", error);
    status = reader->format->open(reader, error);
    if (status == LG_OK && reader->input.failure)
        status = lg_input_short(&reader->input, "the file", error);
    return status;
}

lg_status lg_row_reader_open(lg_context *context, const char *path, const lg_read_params *params,
                             lg_row_reader **out, lg_read_info *info, lg_error *error)
{
    if (!context || !path || !out)
        return lg_fail_null(error, "a context, the name of a file, and a place for the reader");
    lg_row_reader *reader = lg_alloc(sizeof *reader);
    if (!reader)
        return lg_fail_memory(error, sizeof *reader, "a reader of rows");
    reader->context = context;
    reader->params = params ? *params : lg_read_params_default();
    reader->input.fd = -1;
    const lg_status status = open_file(reader, path, error);
    if (status || !info)
        lg_metadata_destroy(&reader->info.metadata);
    if (status) {
        lg_row_reader_close(&reader);
        return status;
    }
    if (info) {
        *info = reader->info;
        reader->info.metadata = NULL;
    }
    *out = reader;
    return LG_OK;
}

void lg_row_reader_close(lg_row_reader **reader)
{
    if (!reader || !*reader)
        return;
    lg_row_reader *r = *reader;
    if (r->format)
        r->format->close(r);
    lg_input_close(&r->input);
    lg_free(r->path);
    lg_free(r);
    *reader = NULL;
}

// ---- what it is -----------------------------------------------------------------------------------

const lg_image_params *lg_row_reader_shape(const lg_row_reader *reader)
{
    return reader ? &reader->shape : NULL;
}

size_t lg_row_reader_memory(const lg_row_reader *reader)
{
    const bool member = reader && reader->input.member;
    return reader ? reader->memory + (member ? (size_t)reader->input.size : 0) : 0;
}

bool lg_row_reader_holds_all(const lg_row_reader *reader)
{
    return reader && reader->whole;
}

void lg_row_reader_note(lg_row_reader *reader, lg_read_info *info)
{
    if (!reader || !info)
        return;
    memcpy(info->note, reader->info.note, sizeof info->note);
    if (reader->format->note)
        reader->format->note(reader, info);
}

// ---- read -----------------------------------------------------------------------------------------

static lg_status check_place(const lg_row_reader *reader, int32_t layer, const lg_region *region,
                             const lg_image *into, lg_error *error)
{
    const lg_image_params *s = &reader->shape, *to = &into->shape;
    if (layer < 0 || layer >= s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the image has %d layers; layer %d was asked for",
                       s->layers, layer);
    if (region->width < 1 || region->height < 1 || region->x < 0 || region->y < 0 ||
        region->x > s->width - region->width || region->y > s->height - region->height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "region %lldx%lld+%lld+%lld is not inside the image of %d x %d",
                       (long long)region->width, (long long)region->height, (long long)region->x,
                       (long long)region->y, s->width, s->height);
    if (!into->data || to->planes || to->width != region->width || to->height != region->height ||
        to->layers != 1 || to->channels != s->channels || to->type != s->type)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a region of %lld x %lld pixels is read into an image of its size with host "
                       "pixels, one layer, %d channels and type %s",
                       (long long)region->width, (long long)region->height, s->channels,
                       lg_type_name(s->type));
    return LG_OK;
}

lg_status lg_row_reader_read(lg_row_reader *reader, int32_t layer, const lg_region *region,
                             lg_image *into, lg_error *error)
{
    if (!reader || !region || !into)
        return lg_fail_null(error, "a reader, a region, and an image for its pixels");
    lg_status status = check_place(reader, layer, region, into, error);
    if (status)
        return status;
    lg_error local = {LG_OK, ""}, changed = {LG_OK, ""};
    status = reader->format->read(reader, layer, region, into, &local);
    // Whatever was found in it, a file that changed says so.
    if (check_file(reader, &changed))
        local = changed, status = changed.status;
    return status ? lg_fail(error, status, "%s", local.message) : LG_OK;
}

// ---- images that are held -------------------------------------------------------------------------

static lg_status open_whole(lg_row_reader *reader, lg_error *error)
{
    lg_image *image = NULL;
    const lg_status status = lg_read_input(reader->context, reader->path, &reader->input,
                                           &reader->params, &image, &reader->info, error);
    if (status)
        return status;
    reader->state = image;
    reader->shape = image->shape;
    reader->whole = true;
    reader->memory = image->shape.layer_stride * (size_t)image->shape.layers;
    return LG_OK;
}

static lg_status read_whole(lg_row_reader *reader, int32_t layer, const lg_region *region,
                            lg_image *into, lg_error *error)
{
    const lg_image *image = reader->state;
    const size_t pixel = lg_type_size(image->shape.type) * (size_t)image->shape.channels;
    for (int64_t y = 0; y < region->height; y++)
        memcpy(lg_image_row(into, 0, y),
               (uint8_t *)lg_image_row(image, layer, region->y + y) + (size_t)region->x * pixel,
               (size_t)region->width * pixel);
    return LG_OK;
}

static void close_whole(lg_row_reader *reader)
{
    lg_image *image = reader->state;
    lg_image_destroy(&image);
}

const lg_row_format lg_row_format_whole = {open_whole, read_whole, NULL, close_whole};
