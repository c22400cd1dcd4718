// Files of which several processes write the rows: each row lies at a place that is known before.
#include "io/tile_options.h"
#include "io/tile_share.h"

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
    *out = (lg_row_share){
        .shape = writer->shape, .row_bytes = row_bytes(writer), .labels = writer->labels};
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
    out->kind = writer->kind;
    writer->shared = true;
    writer->rows = writer->shape.height;
    return LG_OK;
}

static lg_status open_shared(const lg_row_share *share, int flags, int *fd, lg_error *error)
{
    *fd = open(share->path, flags | O_NOFOLLOW | O_CLOEXEC);
    return *fd >= 0
               ? LG_OK
               : lg_fail(error, LG_ERROR_IO,
                         "the file that another process has begun, %.200s, cannot be opened here: "
                         "%s; all processes write to one file system",
                         share->path, strerror(errno));
}

static bool has_tiles(const lg_row_share *share)
{
    lg_tile_options tiles;
    return lg_tile_options_unpack(share->kind, &tiles);
}

static lg_status join(lg_row_writer *w, const lg_row_share *share, lg_error *error)
{
    int fd;
    w->row = lg_alloc((size_t)share->row_bytes + (size_t)w->shape.width * lg_pixel_size(&w->shape));
    if (!w->row)
        return lg_fail_memory(error, (size_t)share->row_bytes, "a row");
    const lg_status status = open_shared(share, O_WRONLY, &fd, error);
    if (status)
        return status;
    w->stream = fdopen(fd, "wb");
    if (!w->stream) {
        const int code = errno;
        close(fd);
        return lg_fail_write(error, code);
    }
    if (has_tiles(share))
        return lg_tile_share_join(w, share, error);
    if (fseeko(w->stream, (off_t)(share->offset + w->rows * share->row_bytes), SEEK_SET) != 0)
        return lg_fail_write(error, errno);
    return LG_OK;
}

// It may come from another process.
static lg_status check_share(const lg_row_share *share, int64_t y, const lg_row_sink **out,
                             lg_error *error)
{
    const lg_image_params *s = &share->shape;
    const lg_row_sink *sink = memchr(share->extension, 0, sizeof share->extension)
                                  ? lg_row_sink_of(share->extension)
                                  : NULL;
    *out = sink;
    if (!sink || sink->encodes || !memchr(share->path, 0, sizeof share->path) ||
        share->offset < 0 || share->row_bytes < 1 || s->width < 1 || s->layers != 1 || y < 0 ||
        y > s->height || (unsigned)s->type > LG_F32 || s->channels < 1 || s->channels > 4)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "row %lld of a shared file, or what it shares, does not exist",
                       (long long)y);
    return LG_OK;
}

lg_status lg_row_writer_join(const lg_row_share *share, int64_t y, lg_row_writer **out,
                             lg_error *error)
{
    if (!share || !out)
        return lg_fail_null(error, "what a writer shared, and a place for another one");
    const lg_row_sink *sink;
    const lg_status known = check_share(share, y, &sink, error);
    if (known)
        return known;
    lg_row_writer *w = lg_alloc(sizeof *w);
    if (!w)
        return lg_fail_memory(error, sizeof *w, "a writer of rows");
    w->shape = share->shape;
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

static lg_status to_disk(lg_row_writer *w, lg_error *error)
{
    const lg_status status = w->sink->flush ? w->sink->flush(w, error) : LG_OK;
    if (!status && (ferror(w->stream) || fflush(w->stream) != 0 || fsync(fileno(w->stream)) != 0))
        return lg_fail_write(error, errno);
    return status;
}

lg_status lg_row_writer_flush(lg_row_writer *writer, lg_error *error)
{
    if (!writer || !writer->joined)
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows of shared files are flushed");
    return to_disk(writer, error);
}

lg_status lg_row_share_finish(lg_row_writer *writer, lg_error *error)
{
    const lg_status status = to_disk(writer, error);
    FILE *stream = writer->stream;
    writer->stream = NULL;
    if (fclose(stream) != 0 && !status)
        return lg_fail_write(error, errno);
    return status;
}

// ---- between files --------------------------------------------------------------------------------

static lg_status close_shared(int fd, lg_status status, lg_error *error)
{
    if (fd < 0)
        return status;
    if (!status && fsync(fd) != 0)
        status = lg_fail_write(error, errno);
    if (close(fd) != 0 && !status)
        status = lg_fail_write(error, errno);
    return status;
}

lg_status lg_row_share_put(int fd, const uint8_t *data, size_t bytes, int64_t at, lg_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t some = pwrite(fd, data + done, bytes - done, (off_t)(at + (int64_t)done));
        if (some < 0 && errno != EINTR)
            return lg_fail_write(error, errno);
        done += some > 0 ? (size_t)some : 0;
    }
    return LG_OK;
}

lg_status lg_row_share_get(int fd, uint8_t *data, size_t bytes, int64_t at, lg_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t some = pread(fd, data + done, bytes - done, (off_t)(at + (int64_t)done));
        if (some == 0 || (some < 0 && errno != EINTR))
            return lg_fail(error, LG_ERROR_IO, "rows that are written cannot be read again: %s",
                           some ? strerror(errno) : "the file is shorter");
        done += some > 0 ? (size_t)some : 0;
    }
    return LG_OK;
}

static lg_status copy_bytes(int from, int to, int64_t at, int64_t end, lg_error *error)
{
    uint8_t bytes[1 << 16];
    lg_status status = LG_OK;
    for (size_t some; at < end && !status; at += (int64_t)some) {
        some = (size_t)LG_MIN(end - at, (int64_t)sizeof bytes);
        status = lg_row_share_get(from, bytes, some, at, error);
        if (!status)
            status = lg_row_share_put(to, bytes, some, at, error);
    }
    return status;
}

lg_status lg_row_share_copy(const lg_row_share *share, const char *from, int64_t first, int64_t end,
                            lg_error *error)
{
    const lg_row_sink *sink;
    int to = -1;
    if (!share || !from)
        return lg_fail_null(error, "what a writer shared, and the name of a file");
    lg_status status = check_share(share, first, &sink, error);
    if (!status)
        status = check_share(share, end, &sink, error);
    if (status)
        return status;
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return lg_fail(error, LG_ERROR_IO, "%.200s cannot be opened: %s", from, strerror(errno));
    status = open_shared(share, O_WRONLY, &to, error);
    if (!status && has_tiles(share))
        status = lg_tile_share_copy(share, fd, to, first, end, error);
    else if (!status)
        status = copy_bytes(fd, to, share->offset + first * share->row_bytes,
                            share->offset + end * share->row_bytes, error);
    close(fd);
    return close_shared(to, status, error);
}

lg_status lg_row_share_levels(const lg_row_share *share, int part, int parts, lg_error *error)
{
    const lg_row_sink *sink;
    int fd = -1;
    if (!share || parts < 1 || part < 0 || part >= parts)
        return lg_fail(error, LG_ERROR_ARGUMENT, "part %d of %d of a shared file", part, parts);
    lg_status status = check_share(share, 0, &sink, error);
    if (status || !has_tiles(share))
        return status;
    status = open_shared(share, O_RDWR, &fd, error);
    if (!status)
        status = lg_tile_share_levels(share, fd, part, parts, error);
    return close_shared(fd, status, error);
}
