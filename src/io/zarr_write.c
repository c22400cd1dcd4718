// Writing OME-Zarr 0.4: a folder with a file for each tile, in one process and front to back.
#include "io/zarr.h"

#include "io/tile_codec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct zarr {
    lg_zarr_array array;
    lg_tile_levels levels;
    lg_tile_codec *codec; // NULL: samples are written as they are
    uint8_t *tile;
    size_t tile_bytes;
    uint8_t *sized; // a frame of zstd with its size, or NULL
    size_t sized_room;
    char path[PATH_MAX];
    size_t folder; // of path: the length of the name of the folder
    int32_t layer;
    lg_tile_options options;
} zarr;

bool lg_zarr_is(const char *extension)
{
    return strcasecmp(extension, "zarr") == 0;
}

// ---- files ----------------------------------------------------------------------------------------

static lg_status finish_file(FILE *file, lg_error *error)
{
    bool good = fflush(file) == 0 && !ferror(file);
#ifndef __linux__ // which syncs all of them at the end
    good = good && fsync(fileno(file)) == 0;
#endif
    const int code = errno;
    if (fclose(file) != 0)
        return lg_fail_write(error, errno);
    return good ? LG_OK : lg_fail_write(error, code);
}

// "name" below the folder, of up to LG_ZARR_AXES + 1 numbers, or a text.
static lg_status set_path(zarr *z, const char *name, lg_error *error)
{
    const size_t room = sizeof z->path - z->folder;
    return (size_t)snprintf(z->path + z->folder, room, "/%s", name) < room
               ? LG_OK
               : lg_fail_write(error, ENAMETOOLONG);
}

static FILE *create(const char *path)
{
    const int fd = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!file && fd >= 0) {
        const int code = errno;
        close(fd);
        errno = code;
    }
    return file;
}

// A folder for each number in front of the last one, where it is missing.
static lg_status make_folders(zarr *z, lg_error *error)
{
    for (char *slash = z->path + z->folder; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        const int code = mkdir(z->path, 0777) == 0 ? 0 : errno;
        *slash = '/';
        if (code && code != EEXIST)
            return lg_fail_write(error, code);
    }
    return LG_OK;
}

static lg_status write_file(zarr *z, const void *data, size_t bytes, lg_error *error)
{
    FILE *file = create(z->path);
    lg_status status = LG_OK;
    if (!file && errno == ENOENT) {
        status = make_folders(z, error);
        file = status ? NULL : create(z->path);
    }
    if (!file)
        return status ? status : lg_fail_write(error, errno);
    setvbuf(file, NULL, _IONBF, 0);
    if (fwrite(data, 1, bytes, file) != bytes) {
        const int code = errno;
        fclose(file);
        return lg_fail_write(error, code);
    }
    return finish_file(file, error);
}

// ---- tiles ----------------------------------------------------------------------------------------

// libtiff streams, so that frames of its zstd do not say how large they are unpacked, which readers ask for:
// RFC 8878, 3.1.1.1. The descriptor of the window stays, four bytes are added behind it.
static lg_status add_size(zarr *z, const uint8_t **data, size_t *bytes, lg_error *error)
{
    const uint8_t *from = *data;
    const size_t room = *bytes + 4;
    if (*bytes < 7 || from[4] & 0xe3) // it is there, or there is more between
        return LG_OK;
    if (room > z->sized_room) {
        lg_free(z->sized);
        z->sized_room = 0;
        z->sized = lg_alloc_uninit(room);
        if (!z->sized)
            return lg_fail_memory(error, room, "a tile");
        z->sized_room = room;
    }
    memcpy(z->sized, from, 6);
    z->sized[4] |= 0x80;
    for (int i = 0; i < 4; i++)
        z->sized[6 + i] = (uint8_t)(z->tile_bytes >> (8 * i));
    memcpy(z->sized + 10, from + 6, *bytes - 6);
    *data = z->sized;
    *bytes = room;
    return LG_OK;
}

static lg_status write_tile(zarr *z, const lg_tile_rows *rows, int64_t column, int channel,
                            lg_error *error)
{
    const lg_zarr_axes *axes = &z->array.axes;
    char name[16 * (LG_ZARR_AXES + 1)];
    int used = snprintf(name, sizeof name, "%d", rows->level);
    for (int i = 0; i < axes->count - 2; i++)
        used += snprintf(name + used, sizeof name - (size_t)used, "/%d",
                         lg_zarr_place(axes, i, z->layer, channel));
    snprintf(name + used, sizeof name - (size_t)used, "/%lld/%lld", (long long)rows->index,
             (long long)column);
    const uint8_t *data = z->tile;
    size_t bytes = z->tile_bytes;
    lg_tile_cut(&z->levels, rows, column, channel, z->tile);
    lg_status status = set_path(z, name, error);
    if (!status && z->codec)
        status = lg_tile_codec_encode(z->codec, z->tile, &data, &bytes, error);
    if (!status && strcmp(z->array.compressor, "zstd") == 0)
        status = add_size(z, &data, &bytes, error);
    return status ? status : write_file(z, data, bytes, error);
}

static lg_status take_rows(void *priv, const lg_tile_rows *rows, lg_error *error)
{
    zarr *z = priv;
    lg_status status = LG_OK;
    for (int channel = 0; channel < z->levels.channels; channel++)
        for (int64_t x = 0; x < z->levels.level[rows->level].across && !status; x++)
            status = write_tile(z, rows, x, channel, error);
    return status;
}

// ---- the folder -----------------------------------------------------------------------------------

static lg_status choose_compressor(zarr *z, const char *asked, lg_error *error)
{
    static const char *const names[][2] = {
        {"none", "none"}, {"zlib", "zlib"}, {"deflate", "zlib"}, {"zstd", "zstd"}};
    uint16_t scheme;
    lg_error ignored;
    for (size_t i = 0; i < LG_COUNT(names) && !z->array.compressor; i++)
        if (strcmp(asked, names[i][0]) == 0)
            z->array.compressor = names[i][1];
    if (!*asked)
        z->array.compressor = lg_tile_codec_scheme("zlib", &scheme, &ignored) ? "none" : "zlib";
    if (!z->array.compressor)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "'%.20s' is no compression of Zarr; none, zlib and zstd are", asked);
    const lg_status status = lg_tile_codec_scheme(z->array.compressor, &scheme, error);
    if (status || strcmp(z->array.compressor, "none") == 0)
        return status;
    const lg_tile_shape shape = {.width = z->options.width,
                                 .height = z->options.height,
                                 .channels = 1,
                                 .bits = (uint16_t)(8 * lg_tile_sample_size(z->array.sample)),
                                 .format = 1,
                                 .scheme = scheme};
    return lg_tile_codec_open(&shape, &z->codec, error);
}

static lg_status write_metadata(zarr *z, const char *name, lg_error *error)
{
    char level[32];
    lg_status status = set_path(z, ".zgroup", error);
    if (!status)
        status = write_file(z, "{\"zarr_format\": 2}\n", 19, error);
    if (!status)
        status = set_path(z, ".zattrs", error);
    FILE *file = status ? NULL : create(z->path);
    if (!file)
        return status ? status : lg_fail_write(error, errno);
    lg_zarr_write_attributes(file, &z->array, name, z->levels.count);
    status = finish_file(file, error);
    for (int i = 0; i < z->levels.count && !status; i++) {
        snprintf(level, sizeof level, "%d/.zarray", i);
        status = set_path(z, level, error);
        if (!status)
            status = make_folders(z, error);
        file = status ? NULL : create(z->path);
        if (!file)
            return status ? status : lg_fail_write(error, errno);
        lg_zarr_write_array(file, &z->array, &z->levels.level[i]);
        status = finish_file(file, error);
    }
    return status;
}

static lg_status begin_levels(zarr *z, lg_row_writer *w, lg_error *error)
{
    const lg_image_params *s = &w->shape;
    if (!z->options.width)
        z->options.width = z->options.height = LG_TILE_SIDE;
    lg_zarr_axes_of(s, w->metadata, &z->array.axes);
    z->array.alpha = s->alpha;
    z->array.sample = lg_tile_sample_of(w->shape.type, w->labels);
    z->array.tile_width = z->options.width;
    z->array.tile_height = z->options.height;
    lg_status status = choose_compressor(z, z->options.compression, error);
    if (!status)
        status = lg_tile_levels_open(&z->levels, &z->options, s->width, s->height, z->array.sample,
                                     z->array.axes.channels, error);
    if (status)
        return status;
    z->levels.take = take_rows;
    z->levels.priv = z;
    z->tile_bytes =
        (size_t)z->options.width * (size_t)z->options.height * lg_tile_sample_size(z->array.sample);
    z->tile = lg_alloc(z->tile_bytes);
    w->memory = lg_tile_levels_memory(&z->options, s->width, z->levels.pixel);
    return z->tile ? LG_OK : lg_fail_memory(error, z->tile_bytes, "a tile");
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    zarr *z = writer->state = lg_alloc(sizeof *z);
    if (!z)
        return lg_fail_memory(error, sizeof *z, "a folder of Zarr");
    lg_status status = lg_tile_options_read(writer->options, "zarr", &z->options, error);
    if (!status)
        status = begin_levels(z, writer, error);
    if (status)
        return status;
    const char *slash = strrchr(writer->name, '/');
    z->folder = (size_t)snprintf(z->path, sizeof z->path, "%s", lg_output_folder(writer->output));
    return write_metadata(z, slash ? slash + 1 : writer->name, error);
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    zarr *z = writer->state;
    return lg_tile_levels_add_rows(&z->levels, rows, error);
}

static lg_status next_layer(lg_row_writer *writer, lg_error *error)
{
    zarr *z = writer->state;
    (void)error;
    z->layer++;
    return LG_OK;
}

static void drop_rows(lg_row_writer *writer)
{
    zarr *z = writer->state;
    if (!z)
        return;
    lg_tile_codec_close(&z->codec);
    lg_tile_levels_close(&z->levels);
    lg_free(z->tile);
    lg_free(z->sized);
    lg_free(z);
    writer->state = NULL;
}

const lg_row_sink lg_row_sink_zarr = {.begin = begin_rows,
                                      .add = add_rows,
                                      .drop = drop_rows,
                                      .encodes = true,
                                      .layers = true,
                                      .folder = true,
                                      .next_layer = next_layer};

// ---- images that are held -------------------------------------------------------------------------

static lg_status write_layer(lg_row_writer *writer, const lg_image *image, int32_t layer,
                             lg_error *error)
{
    lg_image rows = *image;
    rows.shape.layers = 1;
    rows.data = lg_image_row(image, layer, 0);
    return lg_row_writer_write(writer, &rows, error);
}

lg_status lg_zarr_write(const lg_image *image, bool labelled, const char *path,
                        const lg_write_params *params, lg_error *error)
{
    lg_row_writer *writer = NULL;
    lg_status status =
        labelled ? lg_row_writer_open_label_layers(path, image->shape.width, image->shape.height,
                                                   image->shape.layers, 0, params, &writer, error)
                 : lg_row_writer_open(path, &image->shape, params, &writer, error);
    for (int32_t layer = 0; layer < image->shape.layers && !status; layer++)
        status = write_layer(writer, image, layer, error);
    if (!status)
        return lg_row_writer_close(&writer, error);
    lg_row_writer_discard(&writer);
    return status;
}

lg_status lg_zarr_write_labels(const lg_labels *labels, const char *path,
                               const lg_write_params *params, lg_error *error)
{
    lg_row_writer *writer = NULL;
    lg_status status = lg_row_writer_open_label_layers(
        path, labels->width, labels->height, labels->layers, labels->count, params, &writer, error);
    for (int32_t layer = 0; layer < labels->layers && !status; layer++) {
        lg_labels one = *labels;
        one.layers = 1;
        one.data = (void *)(uintptr_t)lg_labels_row(labels, layer, 0);
        status = lg_row_writer_write_labels(writer, &one, error);
    }
    if (!status)
        return lg_row_writer_close(&writer, error);
    lg_row_writer_discard(&writer);
    return status;
}
