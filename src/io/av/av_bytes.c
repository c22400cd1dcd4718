// Files as FFmpeg's libraries read and write them: through our descriptors, and no others.
#include "io/av/av_internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1 << 16)

// What comes through a pipe is handed on as it comes: the first bytes were looked at already.
static int read_pipe(lg_av_bytes *b, uint8_t *out, int size)
{
    const size_t held = b->input->end - b->input->begin;
    if (held == 0 && lg_input_peek(b->input, 1) == 0)
        return b->input->failure ? AVERROR(b->input->failure) : AVERROR_EOF;
    const size_t got = b->input->end - b->input->begin;
    return (int)lg_input_read(b->input, out, LG_MIN((size_t)size, got));
}

static int read_bytes(void *priv, uint8_t *out, int size)
{
    lg_av_bytes *b = priv;
    ssize_t got;
    if (!b->input->seekable)
        return read_pipe(b, out, size);
    do
        got = pread(b->input->fd, out, (size_t)size, (off_t)(b->start + b->at));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return AVERROR(errno);
    b->at += got;
    return got ? (int)got : AVERROR_EOF;
}

static int64_t seek_read(void *priv, int64_t offset, int whence)
{
    lg_av_bytes *b = priv;
    if (whence & AVSEEK_SIZE)
        return b->input->size;
    whence &= ~AVSEEK_FORCE;
    const int64_t to = whence == SEEK_SET   ? offset
                       : whence == SEEK_CUR ? b->at + offset
                                            : b->input->size + offset;
    if (to < 0)
        return AVERROR(EINVAL);
    return b->at = to;
}

#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int write_bytes(void *priv, const uint8_t *data, int size)
#else
static int write_bytes(void *priv, uint8_t *data, int size)
#endif
{
    const lg_av_bytes *b = priv;
    errno = 0;
    if (fwrite(data, 1, (size_t)size, b->stream) == (size_t)size)
        return size;
    return AVERROR(errno ? errno : EIO);
}

static int64_t seek_write(void *priv, int64_t offset, int whence)
{
    const lg_av_bytes *b = priv;
    if (whence & AVSEEK_SIZE) {
        struct stat status;
        if (fflush(b->stream) || fstat(fileno(b->stream), &status))
            return AVERROR(errno);
        return (int64_t)status.st_size;
    }
    if (fseeko(b->stream, (off_t)offset, whence & ~AVSEEK_FORCE))
        return AVERROR(errno);
    return (int64_t)ftello(b->stream);
}

static lg_status no_memory(lg_error *error)
{
    return lg_fail(error, LG_ERROR_MEMORY, "no memory for reading and writing a film");
}

lg_status lg_av_bytes_read(lg_av_bytes *bytes, lg_input *input, lg_error *error)
{
    *bytes = (lg_av_bytes){.input = input};
    // Of standard input a part may have been read already; what was only looked at is still there.
    if (input->seekable)
        bytes->start =
            (int64_t)lseek(input->fd, 0, SEEK_CUR) - (int64_t)(input->end - input->begin);
    uint8_t *buffer = av_malloc(BUFFER);
    if (buffer)
        bytes->io = avio_alloc_context(buffer, BUFFER, 0, bytes, read_bytes, NULL,
                                       input->seekable ? seek_read : NULL);
    if (bytes->io)
        return LG_OK;
    av_free(buffer);
    return no_memory(error);
}

lg_status lg_av_bytes_write(lg_av_bytes *bytes, FILE *stream, lg_error *error)
{
    struct stat status;
    *bytes = (lg_av_bytes){.stream = stream};
    const bool seekable = fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode);
    uint8_t *buffer = av_malloc(BUFFER);
    if (buffer)
        bytes->io = avio_alloc_context(buffer, BUFFER, 1, bytes, NULL, write_bytes,
                                       seekable ? seek_write : NULL);
    if (bytes->io)
        return LG_OK;
    av_free(buffer);
    return no_memory(error);
}

void lg_av_bytes_close(lg_av_bytes *bytes)
{
    if (bytes->io)
        av_freep(&bytes->io->buffer);
    avio_context_free(&bytes->io);
}

// A file may name others, which is how a picture in a message gets at files of its reader.
static int open_nothing(AVFormatContext *format, AVIOContext **out, const char *url, int flags,
                        AVDictionary **options)
{
    return AVERROR(EPERM);
}

// Containers of one file. Playlists and scripts are no films.
static const char containers[] = "matroska,mov,avi,mpegts,mpeg,mpegvideo,flv,ogg,asf,ivf,nut,mxf,"
                                 "h264,hevc,av1,obu,m4v,mjpeg,wtv,dv,rm,"
                                 "vc1,gif,apng,rawvideo,dirac,nsv,swf,smk,bink,wv,roq,4xm,"
                                 "cavsvideo,vvc,h263,h261,live_flv,amv,filmstrip";

lg_status lg_av_open_format(lg_av_bytes *bytes, const AVIOInterruptCB *interrupt,
                            lg_av_watch *watch, AVFormatContext **out, lg_error *error)
{
    AVFormatContext *format = avformat_alloc_context();
    AVDictionary *options = NULL;
    if (!format || av_dict_set(&options, "format_whitelist", containers, 0) < 0) {
        avformat_free_context(format);
        av_dict_free(&options);
        return no_memory(error);
    }
    format->pb = bytes->io;
    format->io_open = open_nothing;
    format->opaque = watch;
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (interrupt)
        format->interrupt_callback = *interrupt;
    lg_av_forget_log();
    int code = avformat_open_input(&format, NULL, NULL, &options); // frees it when it fails
    av_dict_free(&options);
    if (code < 0 && bytes->input->failure)
        return lg_input_short(bytes->input, "the start", error);
    if (code < 0)
        return lg_av_fail(error, code,
                          bytes->input->seekable
                              ? "is no film that FFmpeg's libraries open"
                              : "is no film that FFmpeg's libraries open from a pipe, where an mp4 "
                                "file must have its index in front (-movflags faststart)");
    code = avformat_find_stream_info(format, NULL);
    if (code < 0) {
        avformat_close_input(&format);
        return lg_av_fail(error, code, "its streams are not understood");
    }
    *out = format;
    return LG_OK;
}
