// Reading Zarr 2: a row of chunks at a time.
#include "io/row_reader.h"
#include "io/zarr.h"

#include "io/tile_codec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

typedef struct reading {
    lg_zarr_source source;
    int32_t first_layer; // that of --page
    uint8_t *chunk, *stored;
    size_t stored_room;
    char name[32 * LG_ZARR_DIMS]; // of the chunk that is there; "": none is
    bool filled;                  // it was never written: all such chunks are the same
    // A row of chunks of a layer, all channels of a pixel adjacent, as stored but for the order of bytes.
    uint8_t *rows;
    size_t rows_room;
    int32_t layer;
    int64_t row, first, end; // chunks; row -1: nothing is there
    lg_rounding rounding;
} reading;

// ---- chunks ---------------------------------------------------------------------------------------

static bool make_room(uint8_t **data, size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return true;
    lg_free(*data);
    *room = 0;
    *data = lg_alloc_uninit(bytes);
    *room = *data ? bytes : 0;
    return *data != NULL;
}

// What was never written.
static void fill_chunk(reading *r)
{
    const lg_zarr_source *s = &r->source;
    uint8_t sample[8];
    if (r->filled)
        return;
    r->filled = true;
    memcpy(sample, s->fill, sizeof sample);
    if (s->swap)
        lg_swap_bytes(sample, s->sample, 1);
    for (size_t at = 0; at < s->chunk_bytes; at += s->sample)
        memcpy(r->chunk + at, sample, s->sample);
}

static lg_status read_file(int fd, const char *name, uint8_t *out, size_t bytes, lg_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = read(fd, out + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lg_fail_read(error, errno);
        if (got == 0)
            return lg_fail(error, LG_ERROR_DATA, "truncated: chunk %.100s ends after %zu bytes",
                           name, done);
        done += (size_t)got;
    }
    return LG_OK;
}

// A compressor makes noise larger by a little.
static size_t most_stored(const lg_zarr_source *s)
{
    return s->packed ? s->chunk_bytes + s->chunk_bytes / 8 + 4096 : s->chunk_bytes;
}

static lg_status decode(reading *r, int fd, int64_t size, lg_error *error)
{
    const lg_zarr_source *s = &r->source;
    const size_t most = most_stored(s);
    if (size < 1 || (uint64_t)size > most || (!s->packed && (uint64_t)size != most))
        return lg_fail(error, LG_ERROR_DATA, "damaged chunk %.100s: it has %lld bytes, for %zu",
                       r->name, (long long)size, s->chunk_bytes);
    if (!s->packed)
        return read_file(fd, r->name, r->chunk, most, error);
    const size_t bytes = (size_t)size;
    if (!make_room(&r->stored, &r->stored_room, bytes))
        return lg_fail_memory(error, bytes, "a chunk");
    lg_error why = {LG_OK, ""};
    lg_status status = read_file(fd, r->name, r->stored, bytes, error);
    if (status)
        return status;
    status = lg_tile_decode(s->scheme, r->stored, bytes, r->chunk, s->chunk_bytes, &why);
    return status == LG_ERROR_DATA
               ? lg_fail(error, status, "damaged chunk %.100s: %s", r->name, why.message)
           : status ? lg_fail(error, status, "%s", why.message)
                    : LG_OK;
}

static lg_status load_chunk(reading *r, lg_error *error)
{
    int fd = -1;
    int64_t size = 0;
    lg_status status = lg_zarr_open_file(r->source.folder.fd, r->name, &fd, &size, error);
    if (status)
        return status;
    if (fd < 0) {
        fill_chunk(r);
        return LG_OK;
    }
    r->filled = false;
    status = decode(r, fd, size, error);
    close(fd);
    return status;
}

// ---- rows of chunks -------------------------------------------------------------------------------

// The place of a channel of a layer along an axis.
static int64_t place(const reading *r, int axis, int64_t row, int64_t column, int channel)
{
    const lg_zarr_source *s = &r->source;
    const lg_zarr_dim *d = &s->dim[axis];
    if (axis == s->y || axis == s->x)
        return (axis == s->y ? row : column) * d->chunk;
    const int64_t all = axis == s->color ? d->size / s->channels : d->size;
    const int64_t at = d->stride ? (r->layer + r->first_layer) / d->stride % all : 0;
    return axis == s->color ? at * s->channels + channel : at;
}

// Loads the chunk of a channel, and returns where its first sample of it lies there.
static lg_status find_samples(reading *r, int64_t column, int channel, const uint8_t **out,
                              lg_error *error)
{
    const lg_zarr_source *s = &r->source;
    char name[sizeof r->name];
    size_t used = 0, offset = 0;
    for (int i = 0; i < s->count; i++) {
        const int64_t at = place(r, i, r->row, column, channel), chunk = s->dim[i].chunk;
        const char separator[2] = {i ? s->separator : '\0', '\0'};
        used += (size_t)snprintf(name + used, sizeof name - used, "%s%lld", separator,
                                 (long long)(at / chunk));
        offset += (size_t)(at % chunk * s->dim[i].inner);
    }
    lg_status status = LG_OK;
    if (strcmp(name, r->name) != 0) {
        memcpy(r->name, name, sizeof name);
        status = load_chunk(r, error);
        if (status)
            *r->name = '\0';
    }
    *out = r->chunk + offset * s->sample;
    return status;
}

static void copy_samples(const uint8_t *from, size_t from_step, uint8_t *to, size_t to_step,
                         size_t size, int64_t count)
{
    if (from_step == size && to_step == size)
        memcpy(to, from, size * (size_t)count);
    else if (size == 1)
        for (int64_t i = 0; i < count; i++, from += from_step, to += to_step)
            *to = *from;
    else
        for (int64_t i = 0; i < count; i++, from += from_step, to += to_step)
            memcpy(to, from, size);
}

static lg_status take_chunks(reading *r, int64_t column, int channel, lg_error *error)
{
    const lg_zarr_source *s = &r->source;
    const lg_zarr_dim *y = &s->dim[s->y], *x = &s->dim[s->x];
    const int64_t rows = LG_MIN(y->chunk, y->size - r->row * y->chunk);
    const int64_t columns = LG_MIN(x->chunk, x->size - column * x->chunk);
    const size_t pixel = s->sample * (size_t)s->channels;
    const size_t row = (size_t)((r->end - r->first) * x->chunk) * pixel;
    const uint8_t *from = NULL;
    const lg_status status = find_samples(r, column, channel, &from, error);
    uint8_t *to =
        r->rows + (size_t)((column - r->first) * x->chunk) * pixel + (size_t)channel * s->sample;
    for (int64_t i = 0; i < rows && !status; i++)
        copy_samples(from + (size_t)(i * y->inner) * s->sample, (size_t)x->inner * s->sample,
                     to + (size_t)i * row, pixel, s->sample, columns);
    return status;
}

// Makes a row of chunks be there, from column `first` to `end` of them.
static lg_status load_rows(reading *r, int32_t layer, int64_t row, int64_t first, int64_t end,
                           lg_error *error)
{
    const lg_zarr_source *s = &r->source;
    if (r->row == row && r->layer == layer && r->first <= first && r->end >= end)
        return LG_OK;
    const size_t samples = (size_t)((end - first) * s->dim[s->x].chunk * s->channels *
                                    LG_MIN(s->dim[s->y].chunk, s->dim[s->y].size));
    r->row = -1;
    if (!make_room(&r->rows, &r->rows_room, samples * s->sample))
        return lg_fail_memory(error, samples * s->sample, "a row of chunks");
    r->layer = layer;
    r->row = row;
    r->first = first;
    r->end = end;
    lg_status status = LG_OK;
    for (int64_t column = first; column < end; column++)
        for (int channel = 0; channel < s->channels && !status; channel++)
            status = take_chunks(r, column, channel, error);
    if (status)
        r->row = -1;
    else if (s->swap)
        lg_swap_bytes(r->rows, s->sample, samples);
    return status;
}

// ---- pixels ---------------------------------------------------------------------------------------

static lg_status take_row(reading *r, const lg_region *region, int64_t y, void *out,
                          lg_error *error)
{
    const lg_zarr_source *s = &r->source;
    const lg_zarr_dim *rows = &s->dim[s->y], *columns = &s->dim[s->x];
    const size_t pixel = s->sample * (size_t)s->channels;
    const int64_t width = (r->end - r->first) * columns->chunk;
    const uint8_t *from = r->rows + (size_t)((y - r->row * rows->chunk) * width + region->x -
                                             r->first * columns->chunk) *
                                        pixel;
    const size_t samples = (size_t)region->width * (size_t)s->channels;
    lg_status status = LG_OK;
    if (s->foreign == LG_FOREIGN_NONE)
        memcpy(out, from, samples * s->sample);
    else
        status = lg_foreign_to_f32(&r->rounding, from, out, samples, error);
    if (!status && s->channels == 3)
        lg_expand_rgb(out, (size_t)region->width, lg_type_size(s->shape.type));
    return status;
}

static lg_status read_region(reading *r, int32_t layer, const lg_region *region, lg_image *into,
                             int32_t into_layer, lg_error *error)
{
    const int64_t high = r->source.dim[r->source.y].chunk, wide = r->source.dim[r->source.x].chunk;
    const int64_t first = region->x / wide, end = (region->x + region->width - 1) / wide + 1;
    lg_error local = {LG_OK, ""}, changed = {LG_OK, ""};
    lg_status status = LG_OK;
    for (int64_t y = region->y; y < region->y + region->height && !status; y++) {
        status = load_rows(r, layer, y / high, first, end, &local);
        if (!status)
            status = take_row(r, region, y, lg_image_row(into, into_layer, y - region->y), &local);
    }
    // Chunks that are not there are no error, but in a folder that is not there any more they are.
    if (lg_zarr_folder_check(&r->source.folder, &changed))
        local = changed, status = changed.status;
    return status ? lg_fail(error, status, "%s", local.message) : LG_OK;
}

// ---- files ----------------------------------------------------------------------------------------

static lg_status keep_metadata(const lg_read_params *params, const lg_image_params *shape,
                               lg_read_info *info, lg_error *error)
{
    if (!params->metadata || !(info->axes[0].name || info->pixel_size[0] > 0))
        return LG_OK;
    const lg_status status = lg_metadata_create(&info->metadata, error);
    if (status)
        return status;
    info->metadata->shape = *shape;
    memcpy(info->metadata->axes, info->axes, sizeof info->axes);
    memcpy(info->metadata->pixel_size, info->pixel_size, sizeof info->pixel_size);
    return LG_OK;
}

#define CHUNK_ROOM ((size_t)16 << 20) // a chunk may be this large, however small the image is

// Most of such a chunk would lie outside the image.
static lg_status check_chunk(const lg_zarr_source *s, const lg_read_params *params, lg_error *error)
{
    const size_t image = (size_t)s->shape.width * (size_t)s->shape.height *
                         (size_t)s->shape.layers * (size_t)s->channels * s->sample;
    if (s->chunk_bytes <= LG_MAX(CHUNK_ROOM, params->spare_memory) + 4 * image)
        return LG_OK;
    return lg_fail(error, LG_ERROR_LIMIT,
                   "chunks of %.3f MB in an image of %.3f MB; store it anew with smaller chunks",
                   (double)s->chunk_bytes / 1e6, (double)image / 1e6);
}

// A chunk, as it is stored, and a row of chunks.
static size_t held_bytes(const lg_zarr_source *s)
{
    const lg_zarr_dim *y = &s->dim[s->y], *x = &s->dim[s->x];
    const size_t rows = (size_t)(LG_MIN(y->chunk, y->size) * (x->size + x->chunk)) * s->sample *
                        (size_t)s->channels;
    return s->chunk_bytes + (s->packed ? 2 * most_stored(s) : 0) + rows;
}

static lg_status open_array(reading *r, lg_input *input, const char *path,
                            const lg_read_params *params, lg_read_info *info, lg_error *error)
{
    lg_zarr_source *s = &r->source;
    if (params->page == LG_PAGE_RAW)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "--page raw is of raw photographs that are TIFF files, and this is Zarr");
    lg_status status = lg_zarr_find(input, path, params, s, info, error);
    if (!status)
        status = check_chunk(s, params, error);
    if (!status && params->page >= s->shape.layers)
        status = lg_fail_page(error, params->page, s->shape.layers);
    if (status)
        return status;
    r->row = -1;
    r->rounding = (lg_rounding){.type = s->foreign, .allowed = params->convert};
    r->chunk = lg_alloc_uninit(s->chunk_bytes);
    if (!r->chunk)
        return lg_fail_memory(error, s->chunk_bytes, "a chunk");
    if (params->page >= 0) {
        r->first_layer = params->page;
        s->shape.layers = 1;
    }
    return keep_metadata(params, &s->shape, info, error);
}

static void close_array(reading *r)
{
    lg_zarr_folder_close(&r->source.folder);
    lg_free(r->chunk);
    lg_free(r->stored);
    lg_free(r->rows);
}

lg_status lg_zarr_read(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, lg_image **out, lg_read_info *info,
                       lg_error *error)
{
    lg_image *image = NULL;
    reading *r = lg_alloc(sizeof *r);
    if (!r)
        return lg_fail_memory(error, sizeof *r, "a reader of Zarr");
    lg_status status = open_array(r, input, path, params, info, error);
    if (!status)
        status = lg_image_create(context, &r->source.shape, &image, error);
    for (int32_t layer = 0; !status && layer < image->shape.layers; layer++) {
        const lg_region all = {0, 0, image->shape.width, image->shape.height};
        status = read_region(r, layer, &all, image, layer, error);
        if (!status)
            status = lg_read_progress(params, (layer + 1.0) / image->shape.layers, error);
    }
    if (!status)
        lg_rounding_note(&r->rounding, info);
    if (status)
        lg_image_destroy(&image);
    else
        *out = image;
    close_array(r);
    lg_free(r);
    return status;
}

// ---- by rows --------------------------------------------------------------------------------------

static lg_status open_rows(lg_row_reader *reader, lg_error *error)
{
    const lg_read_params limits = lg_row_reader_limits(reader);
    reading *r = reader->state = lg_alloc(sizeof *r);
    if (!r)
        return lg_fail_memory(error, sizeof *r, "a reader of Zarr");
    const lg_status status =
        open_array(r, &reader->input, reader->path, &limits, &reader->info, error);
    if (status)
        return status;
    reader->shape = r->source.shape;
    reader->memory = held_bytes(&r->source);
    return LG_OK;
}

static lg_status read_rows(lg_row_reader *reader, int32_t layer, const lg_region *region,
                           lg_image *into, lg_error *error)
{
    const lg_status status =
        lg_read_progress(&reader->params, (double)region->y / (double)reader->shape.height, error);
    return status ? status : read_region(reader->state, layer, region, into, 0, error);
}

static void note_rows(const lg_row_reader *reader, lg_read_info *info)
{
    const reading *r = reader->state;
    lg_rounding_note(&r->rounding, info);
}

static void close_rows(lg_row_reader *reader)
{
    reading *r = reader->state;
    if (r)
        close_array(r);
    lg_free(r);
}

const lg_row_format lg_row_format_zarr = {open_rows, read_rows, note_rows, close_rows};
