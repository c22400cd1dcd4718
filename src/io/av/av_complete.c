// Whether a film was read to its end. A file that was cut may end where a packet does: what it states of
// itself tells.
#include "io/av/av_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static lg_status fail_seconds(double stated, double there, lg_error *error)
{
    return lg_fail(error, LG_ERROR_DATA,
                   "cut or damaged: the file states %.2f seconds of film, and %.2f are there",
                   stated, there);
}

// ---- Matroska -----------------------------------------------------------------------------------

// A number of EBML: the zeros in front of its first bit say how many bytes follow. 0: unknown.
static uint64_t ebml_number(const uint8_t *bytes, size_t size, size_t *at)
{
    if (*at >= size || bytes[*at] == 0)
        return *at = size, 0;
    const int length = __builtin_clz(bytes[*at]) - 23; // of 32 bits, for a byte
    uint64_t value = bytes[*at] & ((1u << (8 - length)) - 1);
    bool unknown = value == (1u << (8 - length)) - 1;
    for (int i = 1; i < length && *at + (size_t)i < size; i++) {
        value = value << 8 | bytes[*at + (size_t)i];
        unknown = unknown && bytes[*at + (size_t)i] == 0xff;
    }
    *at += (size_t)length;
    return unknown ? 0 : value;
}

// Bytes that a file has by its second element, the segment, which holds the film. 0: it does not say.
static uint64_t stated_bytes(const lg_input *input)
{
    uint8_t head[256];
    size_t at = 4;
    const ssize_t got = pread(input->fd, head, sizeof head, 0);
    const size_t size = got > 0 ? (size_t)got : 0;
    if (size < 16 || memcmp(head, "\x1a\x45\xdf\xa3", 4) != 0)
        return 0;
    const uint64_t header = ebml_number(head, size, &at);
    if (header > size || at + header + 5 > size)
        return 0;
    at += (size_t)header;
    if (memcmp(head + at, "\x18\x53\x80\x67", 4) != 0)
        return 0;
    at += 4;
    const uint64_t segment = ebml_number(head, size, &at);
    return segment ? at + segment : 0;
}

// Seconds of the film by its own tag; 0: there is none.
static double tagged_seconds(const AVStream *stream)
{
    const AVDictionaryEntry *tag = av_dict_get(stream->metadata, "DURATION", NULL, 0);
    int hours, minutes;
    double seconds;
    if (!tag || sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3)
        return 0;
    return hours * 3600.0 + minutes * 60.0 + seconds;
}

// How long the last frame is shown is not in the file: only a complaint makes a shorter film a damaged one.
static lg_status check_matroska(const AVFormatContext *format, const AVStream *stream,
                                const lg_input *input, const lg_av_read *read, lg_error *error)
{
    const double tagged = tagged_seconds(stream);
    const double stated = (double)format->duration / AV_TIME_BASE;
    const double furthest = (double)read->furthest / AV_TIME_BASE;
    const double one = read->frame + 0.001;
    const bool seekable = input && input->seekable;
    const bool cut = seekable && stated_bytes(input) > (uint64_t)input->size;
    if (!cut && !read->complained && seekable)
        return LG_OK;
    if (tagged > 0 && read->end + one < tagged)
        return fail_seconds(tagged, read->end, error);
    if (format->duration > 0 && furthest + one + 0.1 < stated)
        return fail_seconds(stated, furthest, error);
    return cut ? lg_fail(error, LG_ERROR_DATA, "cut: the file states %llu bytes, and has %lld",
                         (unsigned long long)stated_bytes(input), (long long)input->size)
               : LG_OK;
}

// ---- all ----------------------------------------------------------------------------------------

lg_status lg_av_check_complete(const AVFormatContext *format, const AVStream *stream,
                               const lg_input *input, const lg_av_read *read, lg_error *error)
{
    const char *name = format->iformat->name;
    if (strncmp(name, "matroska", 8) == 0)
        return check_matroska(format, stream, input, read, error);
    if (strncmp(name, "mov", 3) == 0 && read->packets < stream->nb_frames)
        return lg_fail(error, LG_ERROR_DATA,
                       "cut or damaged: the file states %lld frames, and %lld are there",
                       (long long)stream->nb_frames, (long long)read->packets);
    return LG_OK;
}
