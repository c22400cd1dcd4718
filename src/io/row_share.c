// Files of which several processes write the rows: each row lies at a place that is known before.
#include "io/row_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Bits of PBM are the only samples that are smaller in the file.
static int64_t row_bytes(const lg_row_writer *w)
{
    const int64_t samples = (int64_t)w->shape.width * lg_file_channels(&w->shape);
    return w->kind == 4 ? (samples + 7) / 8 : samples * (int64_t)lg_type_size(w->shape.type);
}

lg_status lg_row_writer_share(lg_row_writer *writer, lg_row_share *out, lg_error *error)
{
    struct stat file;
    if (!writer || !out)
        return lg_fail_null(error, "a writer of rows, and a place for what others need");
    if (writer->rows || writer->shared || writer->joined)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a file is shared once, and before rows are written");
    if (writer->shape.layers > 1)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "files of several layers are written by one process");
    if (writer->sink->encodes)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the rows of .%s are encoded one after the other, by one process; PNM, .npy "
                       "and uncompressed .tif are written by several",
                       writer->extension);
    const char *path = lg_output_temporary(writer->output);
    if (!path || fstat(fileno(writer->stream), &file) != 0 || !S_ISREG(file.st_mode))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "several processes write regular files alone, and no pipes");
    *out = (lg_row_share){.shape = writer->shape,
                          .row_bytes = row_bytes(writer),
                          .labels = writer->labels,
                          .kind = writer->kind};
    memcpy(out->extension, writer->extension, sizeof out->extension);
    if (path[0] == '/' ? snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path
                       : !realpath(path, out->path))
        return lg_fail_write(error, errno ? errno : ENAMETOOLONG);
    if (fflush(writer->stream) != 0)
        return lg_fail_write(error, errno);
    writer->offset = ftello(writer->stream);
    const lg_status status = writer->sink->share ? writer->sink->share(writer, error) : LG_OK;
    if (status)
        return status;
    // Others may be on other machines: the file is there before they look for it, and as large as it will be.
    const off_t end = (off_t)(writer->offset + writer->shape.height * out->row_bytes);
    const int fd = fileno(writer->stream);
    if (fstat(fd, &file) != 0 || (file.st_size < end && ftruncate(fd, end) != 0) || fsync(fd) != 0)
        return lg_fail_write(error, errno);
    out->offset = writer->offset;
    writer->shared = true;
    writer->rows = writer->shape.height;
    return LG_OK;
}

static lg_status join(lg_row_writer *w, const lg_row_share *share, lg_error *error)
{
    w->row = lg_alloc((size_t)share->row_bytes + (size_t)w->shape.width * lg_pixel_size(&w->shape));
    if (!w->row)
        return lg_fail_memory(error, (size_t)share->row_bytes, "a row");
    const int fd = open(share->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    w->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    const int code = errno;
    if (!w->stream && fd >= 0)
        close(fd);
    if (!w->stream)
        return lg_fail(error, LG_ERROR_IO,
                       "the file that another process has begun, %.200s, cannot be opened here: "
                       "%s; all processes write to one file system",
                       share->path, strerror(code));
    if (fseeko(w->stream, (off_t)(share->offset + w->rows * share->row_bytes), SEEK_SET) != 0)
        return lg_fail_write(error, errno);
    return LG_OK;
}

lg_status lg_row_writer_join(const lg_row_share *share, int64_t y, lg_row_writer **out,
                             lg_error *error)
{
    if (!share || !out)
        return lg_fail_null(error, "what a writer shared, and a place for another one");
    const lg_image_params *s = &share->shape;
    const lg_row_sink *sink = memchr(share->extension, 0, sizeof share->extension)
                                  ? lg_row_sink_of(share->extension)
                                  : NULL;
    if (!sink || sink->encodes || !memchr(share->path, 0, sizeof share->path) ||
        share->offset < 0 || share->row_bytes < 1 || s->width < 1 || s->layers != 1 || y < 0 ||
        y > s->height || (unsigned)s->type > LG_F32 || s->channels < 1 || s->channels > 4)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "row %lld of a shared file, or what it shares, does not exist",
                       (long long)y);
    lg_row_writer *w = lg_alloc(sizeof *w);
    if (!w)
        return lg_fail_memory(error, sizeof *w, "a writer of rows");
    w->shape = *s;
    w->labels = share->labels;
    w->kind = share->kind;
    w->sink = sink;
    w->rows = y;
    w->joined = true;
    memcpy(w->extension, share->extension, sizeof w->extension);
    const lg_status status = join(w, share, error);
    if (status)
        lg_row_writer_discard(&w);
    else
        *out = w;
    return status;
}

lg_status lg_row_writer_flush(lg_row_writer *writer, lg_error *error)
{
    if (!writer || !writer->joined)
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows of shared files are flushed");
    if (fflush(writer->stream) != 0 || fsync(fileno(writer->stream)) != 0)
        return lg_fail_write(error, errno);
    return LG_OK;
}

lg_status lg_row_share_finish(lg_row_writer *writer, lg_error *error)
{
    FILE *stream = writer->stream;
    writer->stream = NULL;
    const bool bad = ferror(stream) || fflush(stream) != 0 || fsync(fileno(stream)) != 0;
    const int code = bad ? errno : 0;
    if (fclose(stream) != 0 || bad)
        return lg_fail_write(error, code ? code : errno);
    return LG_OK;
}
