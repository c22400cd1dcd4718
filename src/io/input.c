// Reading bytes, and the checks and conversions that the formats share.
#include "io/io_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

lg_status lg_fail_read(lg_error *error, int code)
{
    if (code == ECANCELED)
        return lg_fail_cancelled(error);
    return lg_fail(error, code == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO, "cannot read: %s",
                   strerror(code));
}

lg_status lg_fail_write(lg_error *error, int code)
{
    return lg_fail(error, code == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO, "cannot write: %s",
                   strerror(code));
}

lg_status lg_fail_page(lg_error *error, int page, int pages)
{
    return lg_fail(error, LG_ERROR_ARGUMENT, "there is no page %d; the file has %d, counted from 0",
                   page, pages);
}

void lg_input_close(lg_input *input)
{
    if (input->owned)
        close(input->fd);
    if (input->folder)
        close(input->folder_fd);
    input->owned = input->folder = false;
    input->fd = -1;
}

lg_status lg_read_progress(const lg_read_params *params, double part, lg_error *error)
{
    if (!params->progress || params->progress(params->progress_priv, part))
        return LG_OK;
    return lg_fail_cancelled(error);
}

// How much of a pipe there will be is not known: 0.
static bool goes_on(const lg_input *input)
{
    const double part = input->size > 0 ? (double)input->received / (double)input->size : 0;
    return !input->watched || lg_read_progress(input->watched, LG_MIN(part, 1.0), NULL) == LG_OK;
}

// One read(2), repeated when a signal interrupts it; 0 at the end, on failure, and when the call is to end.
static size_t read_some(lg_input *input, void *out, size_t bytes)
{
    ssize_t got = 0;
    if (input->failure)
        return 0;
    do
        got = read(input->fd, out, LG_MIN(bytes, (size_t)1 << 30));
    while (got < 0 && errno == EINTR);
    if (got > 0)
        input->received += got;
    if (got < 0)
        input->failure = errno;
    else if (got > 0 && !goes_on(input))
        input->failure = ECANCELED;
    return got < 0 || input->failure ? 0 : (size_t)got;
}

size_t lg_input_peek(lg_input *input, size_t bytes)
{
    bytes = LG_MIN(bytes, sizeof input->buffer);
    if (input->end - input->begin < bytes) {
        memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
        while (input->end < bytes) {
            size_t got =
                read_some(input, input->buffer + input->end, sizeof input->buffer - input->end);
            if (got == 0)
                break;
            input->end += got;
        }
    }
    return LG_MIN(bytes, input->end - input->begin);
}

int lg_input_byte(lg_input *input)
{
    if (input->begin == input->end && lg_input_peek(input, 1) == 0)
        return -1;
    input->offset++;
    return input->buffer[input->begin++];
}

size_t lg_input_read(lg_input *input, void *out, size_t bytes)
{
    size_t done = LG_MIN(bytes, input->end - input->begin);
    memcpy(out, input->buffer + input->begin, done);
    input->begin += done;
    while (done < bytes) {
        size_t got = read_some(input, (uint8_t *)out + done, bytes - done);
        if (got == 0)
            break;
        done += got;
    }
    input->offset += (int64_t)done;
    return done;
}

lg_status lg_input_seek(lg_input *input, int64_t offset, lg_error *error)
{
    if (lseek(input->fd, (off_t)(input->start + offset), SEEK_SET) < 0)
        return lg_fail_read(error, errno);
    input->begin = input->end = 0;
    input->offset = offset;
    return LG_OK;
}

lg_status lg_input_short(const lg_input *input, const char *what, lg_error *error)
{
    if (input->failure)
        return lg_fail_read(error, input->failure);
    return lg_fail(error, LG_ERROR_DATA, "truncated: the file ends after %lld bytes, inside %s",
                   (long long)input->offset, what);
}

lg_status lg_input_expect(const lg_input *input, uint64_t bytes, lg_error *error)
{
    if (input->size >= 0 && bytes > (uint64_t)(input->size - input->offset))
        return lg_fail(error, LG_ERROR_DATA,
                       "truncated: the header declares %llu bytes of samples, the file has %lld",
                       (unsigned long long)bytes, (long long)(input->size - input->offset));
    return LG_OK;
}

lg_status lg_read_check(const lg_read_params *params, int64_t width, int64_t height, int64_t layers,
                        lg_error *error)
{
    if (params->max_side < 1 || params->max_pixels < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "max_side is %lld and max_pixels %lld, so that no image may be read; begin "
                       "with lg_read_params_default() and change what differs",
                       (long long)params->max_side, (long long)params->max_pixels);
    if (width < 1 || height < 1 || layers < 1)
        return lg_fail(error, LG_ERROR_DATA, "declares %lld x %lld pixels, %lld layers: empty",
                       (long long)width, (long long)height, (long long)layers);
    if (width > params->max_side || height > params->max_side)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "%lld x %lld pixels; limit max-side is %lld: raise it with --max-side "
                       "(at most %d)",
                       (long long)width, (long long)height, (long long)params->max_side,
                       LG_MAX_SIDE);
    if (layers > LG_MAX_LAYERS)
        return lg_fail(error, LG_ERROR_LIMIT, "%lld layers; at most %d can be measured",
                       (long long)layers, LG_MAX_LAYERS);
    size_t pixels;
    if (!lg_size_mul((size_t)width, (size_t)height, &pixels) ||
        !lg_size_mul(pixels, (size_t)layers, &pixels) || pixels > (uint64_t)params->max_pixels)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "%lld x %lld pixels x %lld layers; limit max-pixels is %lld: raise it with "
                       "--max-pixels if the file is meant to be that large%s",
                       (long long)width, (long long)height, (long long)layers,
                       (long long)params->max_pixels,
                       layers > 1 ? ", or take one layer at a time with --frames" : "");
    return LG_OK;
}

void lg_note(lg_read_info *info, const char *format, ...)
{
    const size_t used = strlen(info->note), room = sizeof info->note - used;
    va_list args;
    if (room < 8)
        return;
    const int joint = used ? snprintf(info->note + used, room, "; ") : 0;
    va_start(args, format);
    vsnprintf(info->note + used + joint, room - (size_t)joint, format, args);
    va_end(args);
}

// ---- conversions --------------------------------------------------------------------------------

// One loop per sample size, which the compiler turns into vector shuffles.
#define SWAP(type, swap)                                                                           \
    for (size_t i = 0; i < count; i++) {                                                           \
        type value;                                                                                \
        memcpy(&value, bytes + i * sizeof value, sizeof value);                                    \
        value = swap(value);                                                                       \
        memcpy(bytes + i * sizeof value, &value, sizeof value);                                    \
    }

void lg_swap_bytes(void *data, size_t size, size_t count)
{
    uint8_t *bytes = data;
    if (size == 2) {
        SWAP(uint16_t, __builtin_bswap16)
    } else if (size == 4) {
        SWAP(uint32_t, __builtin_bswap32)
    } else if (size == 8) {
        SWAP(uint64_t, __builtin_bswap64)
    }
}

#undef SWAP

bool lg_host_is_little(void)
{
    const uint16_t probe = 1;
    uint8_t first;
    memcpy(&first, &probe, 1);
    return first == 1;
}

int lg_file_channels(const lg_image_params *shape)
{
    return shape->alpha == LG_ALPHA_OPAQUE ? shape->channels - 1 : shape->channels;
}

void *lg_image_row(const lg_image *image, int32_t layer, int64_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}
