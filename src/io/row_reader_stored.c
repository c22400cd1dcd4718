// Rows of files whose samples lie in them as they are: PNM, PFM and NPY. Each part is read where it is.
#include "io/row_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 << 10) // at a time, but at least a row

typedef struct stored {
    lg_stored_rows rows;
    lg_rounding rounding;
    uint8_t *buffer;
    size_t room;
} stored;

// One page of several.
static lg_status keep_page(lg_stored_rows *rows, int page, lg_error *error)
{
    const int pages = rows->shape.layers;
    if (page < 0)
        return LG_OK;
    if (page >= pages)
        return lg_fail_page(error, page, pages);
    rows->first[0] = rows->first[page];
    rows->shape.layers = 1;
    return LG_OK;
}

static lg_status open_stored(lg_row_reader *reader, lg_error *error)
{
    const lg_read_params limits = lg_row_reader_limits(reader);
    stored *s = reader->state = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "a reader of rows");
    lg_status status =
        lg_find_rows_of(&reader->input)(&reader->input, &limits, &s->rows, &reader->info, error);
    if (status)
        return status;
    if (!s->rows.row) {
        lg_row_format_stored.close(reader);
        reader->state = NULL;
        memset(&reader->info, 0, sizeof reader->info);
        reader->format = &lg_row_format_whole;
        status = lg_input_seek(&reader->input, 0, error);
        return status ? status : reader->format->open(reader, error);
    }
    status = keep_page(&s->rows, reader->params.page, error);
    s->rounding = (lg_rounding){.type = s->rows.foreign, .allowed = reader->params.convert};
    s->room = LG_MAX(READ_BYTES, (size_t)s->rows.row);
    s->buffer = status ? NULL : lg_alloc(s->room);
    reader->shape = s->rows.shape;
    reader->memory = s->room;
    return status || s->buffer ? status : lg_fail_memory(error, s->room, "rows of a file");
}

static void close_stored(lg_row_reader *reader)
{
    stored *s = reader->state;
    if (!s)
        return;
    lg_free(s->rows.first);
    lg_free(s->buffer);
    lg_free(s);
}

// ---- bytes ----------------------------------------------------------------------------------------

static lg_status read_bytes(const lg_row_reader *reader, int64_t offset, void *out, size_t bytes,
                            lg_error *error)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(reader->input.fd, (uint8_t *)out + done, bytes - done,
                                  (off_t)(reader->input.start + offset) + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lg_fail(error, LG_ERROR_IO, "cannot read: %s", strerror(errno));
        if (got == 0)
            return lg_fail(error, LG_ERROR_DATA,
                           "truncated: the file ends after %lld bytes, inside the pixels",
                           (long long)(offset + (int64_t)done));
        done += (size_t)got;
    }
    return LG_OK;
}

// ---- samples --------------------------------------------------------------------------------------

// `count` pixels, whose first is pixel `x` of the byte where there are several in one.
static lg_status to_pixels(stored *s, uint8_t *from, int64_t x, size_t count, uint8_t *to,
                           lg_error *error)
{
    const lg_stored_rows *r = &s->rows;
    const size_t samples = count * (size_t)lg_file_channels(&r->shape);
    if (r->bits) {
        for (size_t i = 0; i < count; i++)
            to[i] = from[((size_t)x + i) / 8] >> (7 - ((size_t)x + i) % 8) & 1 ? 0 : 255;
        return LG_OK;
    }
    lg_status status = LG_OK;
    if (r->swap)
        lg_swap_bytes(from, r->sample, samples);
    if (r->foreign != LG_FOREIGN_NONE)
        status = lg_foreign_to_f32(&s->rounding, from, (float *)(void *)to, samples, error);
    else
        memcpy(to, from, samples * r->sample);
    if (status == LG_OK && r->shape.alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(to, count, lg_type_size(r->shape.type));
    return status;
}

// The bytes of a row that the pixels x .. x + count - 1 lie in.
static void span_of(const lg_stored_rows *r, int64_t x, int64_t count, int64_t *first,
                    size_t *bytes)
{
    const int64_t pixel = (int64_t)r->sample * lg_file_channels(&r->shape);
    *first = r->bits ? x / 8 : x * pixel;
    *bytes = (size_t)((r->bits ? (x + count + 7) / 8 : (x + count) * pixel) - *first);
}

static lg_status read_stored(lg_row_reader *reader, int32_t layer, const lg_region *region,
                             lg_image *into, lg_error *error)
{
    stored *s = reader->state;
    const lg_stored_rows *r = &s->rows;
    int64_t first;
    size_t bytes;
    span_of(r, region->x, region->width, &first, &bytes);
    // Whole rows follow each other: several come at a time.
    const int64_t some = bytes == (size_t)r->row ? (int64_t)(s->room / bytes) : 1;
    lg_status status = LG_OK;
    for (int64_t y = 0; y < region->height && !status; y += some) {
        const int64_t rows = LG_MIN(some, region->height - y), top = region->y + y;
        const int64_t lowest = r->upwards ? r->shape.height - top - rows : top;
        status = lg_read_progress(&reader->params, (double)top / r->shape.height, error);
        if (!status)
            status = read_bytes(reader, r->first[layer] + lowest * r->row + first, s->buffer,
                                (size_t)(rows - 1) * (size_t)r->row + bytes, error);
        for (int64_t k = 0; k < rows && !status; k++) {
            const int64_t at = r->upwards ? rows - 1 - k : k;
            status = to_pixels(s, s->buffer + (size_t)at * (size_t)r->row, region->x % 8,
                               (size_t)region->width, lg_image_row(into, 0, y + k), error);
        }
    }
    return status;
}

static void note_stored(const lg_row_reader *reader, lg_read_info *info)
{
    lg_rounding_note(&((const stored *)reader->state)->rounding, info);
}

const lg_row_format lg_row_format_stored = {open_stored, read_stored, note_stored, close_stored};
