#include "layer_spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)1 << 20) // at a time, but at least a row

struct lg_layer_spool {
    lg_image_params shape; // of the image
    size_t row;            // bytes
    FILE *stream;
    char path[4096]; // as long as the file has a name
    const char *folder;
};

// Not /tmp, which often is memory.
const char *lg_scratch_folder(const lg_options *options)
{
    const char *folder = options->scratch ? options->scratch : getenv("TMPDIR");
    return folder && *folder ? folder : "/var/tmp";
}

static lg_status fail(const lg_layer_spool *s, const char *what, lg_error *error)
{
    return lg_set_error(error, errno == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO,
                        "%s%s a scratch file in %.200s: %s", errno == ENOMEM ? "no memory: " : "",
                        what, s->folder, strerror(errno));
}

static lg_status open_file(lg_layer_spool *s, lg_error *error)
{
    if (snprintf(s->path, sizeof s->path, "%s/lumagraph-XXXXXX", s->folder) >= (int)sizeof s->path)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "the name of the folder of --scratch is too long");
    const int fd = mkstemp(s->path);
    if (fd < 0) {
        *s->path = 0;
        return fail(s, "creating", error);
    }
    if (unlink(s->path) == 0) // else when it is closed
        *s->path = 0;
    s->stream = fdopen(fd, "w+b");
    if (s->stream && setvbuf(s->stream, NULL, _IONBF, 0) == 0)
        return LG_OK;
    const lg_status status = fail(s, "opening", error);
    if (!s->stream)
        close(fd);
    return status;
}

lg_status lg_layer_spool_open(const lg_options *options, const lg_image_params *shape,
                              lg_layer_spool **out, lg_error *error)
{
    lg_layer_spool *s = calloc(1, sizeof *s);
    if (!s)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a scratch file");
    s->shape = *shape;
    s->row = (size_t)shape->width * (size_t)shape->channels * lg_type_size(shape->type);
    s->folder = lg_scratch_folder(options);
    const lg_status status = open_file(s, error);
    if (status)
        lg_layer_spool_close(&s);
    else
        *out = s;
    return status;
}

static bool seek(const lg_layer_spool *s, int32_t layer, int64_t y)
{
    const int64_t rows = (int64_t)layer * s->shape.height + y;
    return fseeko(s->stream, (off_t)(rows * (int64_t)s->row), SEEK_SET) == 0;
}

lg_status lg_layer_spool_put(lg_layer_spool *s, int64_t y, const lg_image *rows, lg_error *error)
{
    const lg_image_params *from = &rows->shape;
    bool good = true;
    for (int32_t z = 0; z < from->layers && good; z++) {
        good = seek(s, z, y);
        for (int32_t i = 0; i < from->height && good; i++)
            good = fwrite((const char *)rows->data + (size_t)z * from->layer_stride +
                              (size_t)i * from->row_stride,
                          s->row, 1, s->stream) == 1;
    }
    return good ? LG_OK : fail(s, "writing", error);
}

static lg_status take_rows(lg_layer_spool *s, lg_image *rows, lg_error *error)
{
    for (int32_t i = 0; i < rows->shape.height; i++) {
        errno = 0; // a file that is too short has no other reason
        if (fread((char *)rows->data + (size_t)i * rows->shape.row_stride, s->row, 1, s->stream) !=
            1)
            return fail(s, "reading", error);
    }
    return LG_OK;
}

static lg_status write_layer(lg_layer_spool *s, int32_t layer, lg_context *context,
                             lg_image *buffer, lg_row_writer *writer, lg_error *error)
{
    const int64_t height = s->shape.height, most = buffer->shape.height;
    lg_status status = seek(s, layer, 0) ? LG_OK : fail(s, "reading", error);
    for (int64_t y = 0; y < height && !status; y += most) {
        lg_image_params shape = buffer->shape;
        lg_image *rows = NULL;
        shape.height = (int32_t)(height - y < most ? height - y : most);
        status = lg_image_wrap(context, &shape, buffer->data, &rows, error);
        if (!status)
            status = take_rows(s, rows, error);
        if (!status)
            status = lg_row_writer_write(writer, rows, error);
        lg_image_destroy(&rows);
    }
    return status;
}

lg_status lg_layer_spool_write(lg_layer_spool *s, lg_context *context, lg_row_writer *writer,
                               lg_error *error)
{
    lg_image_params shape = s->shape;
    lg_image *buffer = NULL;
    const size_t rows = READ_BYTES / s->row + 1;
    shape.layers = 1;
    shape.height = rows < (size_t)shape.height ? (int32_t)rows : shape.height;
    shape.row_stride = shape.layer_stride = 0;
    lg_status status = lg_image_create(context, &shape, &buffer, error);
    for (int32_t z = 0; z < s->shape.layers && !status; z++)
        status = write_layer(s, z, context, buffer, writer, error);
    lg_image_destroy(&buffer);
    return status;
}

void lg_layer_spool_close(lg_layer_spool **spool)
{
    if (!*spool)
        return;
    if ((*spool)->stream)
        fclose((*spool)->stream);
    if (*(*spool)->path)
        unlink((*spool)->path);
    free(*spool);
    *spool = NULL;
}
