// The bytes of a TIFF file, at any place.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PIPE_MAX ((size_t)1 << 32) // bytes of a file that comes through a pipe

static bool make_room(lg_tiff_source *source, size_t bytes)
{
    if (bytes <= source->room)
        return true;
    const size_t larger = LG_MAX(LG_MAX(bytes, source->room * 2), (size_t)1 << 20);
    uint8_t *copy = lg_alloc_uninit(larger);
    if (!copy)
        return false;
    if (source->size)
        memcpy(copy, source->copy, (size_t)source->size);
    lg_free(source->copy);
    source->copy = copy;
    source->room = larger;
    return true;
}

static bool put_in_file(lg_tiff_source *source, const uint8_t *data, size_t bytes)
{
    size_t done = 0;
    while (done < bytes && !source->failure) {
        const ssize_t put =
            pwrite(source->fd, data + done, bytes - done, (off_t)(source->position + done));
        if (put < 0 && errno != EINTR)
            source->failure = errno;
        done += put > 0 ? (size_t)put : 0;
    }
    source->position += done;
    source->size = LG_MAX(source->size, source->position);
    return done == bytes;
}

bool lg_tiff_put(lg_tiff_source *source, const void *data, size_t bytes)
{
    if (source->skips) {
        source->position += bytes;
        source->size = LG_MAX(source->size, source->position);
        return true;
    }
    if (source->fd >= 0)
        return put_in_file(source, data, bytes);
    const size_t at = (size_t)source->position;
    if (bytes > SIZE_MAX / 4 || at > SIZE_MAX / 4 || !make_room(source, at + bytes))
        return false;
    if (at > source->size)
        memset(source->copy + source->size, 0, at - (size_t)source->size);
    memcpy(source->copy + at, data, bytes);
    source->position += bytes;
    source->size = LG_MAX(source->size, source->position);
    return true;
}

// A pipe is read to its end: directories may lie there.
static lg_status copy_pipe(lg_input *input, lg_tiff_source *out, lg_error *error)
{
    for (;;) {
        if (out->size >= PIPE_MAX)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "more than %zu bytes of TIFF through a pipe; name the file instead",
                           PIPE_MAX);
        if (!make_room(out, (size_t)out->size + 1))
            return lg_fail_memory(error, (size_t)out->size, "a TIFF file from a pipe");
        const size_t got =
            lg_input_read(input, out->copy + out->size, out->room - (size_t)out->size);
        if (got == 0)
            return input->failure ? lg_input_short(input, "a pipe", error) : LG_OK;
        out->size += got;
    }
}

lg_status lg_tiff_source_open(lg_input *input, lg_tiff_source *out, lg_error *error)
{
    lg_input_peek(input, 4);
    const uint8_t *head = input->buffer + input->begin;
    *out = (lg_tiff_source){.fd = input->fd,
                            .little = head[0] == 'I',
                            .big = (head[0] == 'I' ? head[2] : head[3]) == 43};
    if (!input->seekable)
        return copy_pipe(input, out, error);
    const off_t at = lseek(input->fd, 0, SEEK_CUR);
    if (at < 0)
        return lg_fail(error, LG_ERROR_IO, "cannot read: %s", strerror(errno));
    out->start = at - (off_t)(input->end - input->begin); // what was peeked at belongs to it
    out->size = (uint64_t)input->size;
    return LG_OK;
}

// A number of the file in its byte order.
uint64_t lg_tiff_number_in(const lg_tiff_source *source, const uint8_t *raw, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | raw[source->little ? bytes - 1 - i : i];
    return value;
}

void lg_tiff_source_close(lg_tiff_source *source)
{
    lg_free(source->copy);
    source->copy = NULL;
}

size_t lg_tiff_bytes_at(const lg_tiff_source *source, uint64_t offset, void *out, size_t bytes)
{
    if (offset >= source->size)
        return 0;
    bytes = (size_t)LG_MIN((uint64_t)bytes, source->size - offset);
    if (source->copy) {
        memcpy(out, source->copy + offset, bytes);
        return bytes;
    }
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(source->fd, (uint8_t *)out + done, bytes - done,
                                  (off_t)((uint64_t)source->start + offset + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

#endif
