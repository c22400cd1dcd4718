// Whether a TIFF file stores colour multiplied by alpha. libvips divides it out while reading and
// says nothing, so the file's own tag has to be looked up.
#include "io/io_internal.h"

#include <unistd.h>

#define EXTRA_SAMPLES    338
#define ASSOCIATED_ALPHA 1

typedef struct tiff_file {
    int fd;
    int64_t start; // of the TIFF in the file
    bool little;
} tiff_file;

// An unsigned number of `bytes` bytes at `offset`; false behind the end.
static bool number_at(const tiff_file *file, uint64_t offset, int bytes, uint64_t *out)
{
    uint8_t raw[8];
    if (offset > INT64_MAX / 2 ||
        pread(file->fd, raw, (size_t)bytes, file->start + (off_t)offset) != bytes)
        return false;
    *out = 0;
    for (int i = 0; i < bytes; i++)
        *out = *out << 8 | raw[file->little ? bytes - 1 - i : i];
    return true;
}

lg_tiff_alpha lg_tiff_alpha_of(lg_input *input)
{
    if (lg_input_peek(input, 4) < 4)
        return LG_TIFF_NOT;
    const uint8_t *head = input->buffer + input->begin;
    tiff_file file = {.fd = input->fd, .little = head[0] == 'I'};
    int version = file.little ? head[2] : head[3];
    if (head[0] != head[1] || (head[0] != 'I' && head[0] != 'M') ||
        (version != 42 && version != 43))
        return LG_TIFF_NOT;
    if (!input->seekable)
        return LG_TIFF_UNKNOWN;
    file.start = lseek(input->fd, 0, SEEK_CUR) - (off_t)(input->end - input->begin);
    // BigTIFF (43) has wider fields in the same order.
    bool big = version == 43;
    uint64_t directory, entries, tag, value;
    if (!number_at(&file, big ? 8 : 4, big ? 8 : 4, &directory) ||
        !number_at(&file, directory, big ? 8 : 2, &entries))
        return LG_TIFF_UNKNOWN;
    directory += big ? 8 : 2;
    for (uint64_t i = 0; i < LG_MIN(entries, 4096); i++, directory += big ? 20 : 12) {
        if (!number_at(&file, directory, 2, &tag))
            return LG_TIFF_UNKNOWN;
        // Two or four channels have one extra sample, whose value stands in the entry itself.
        if (tag == EXTRA_SAMPLES && number_at(&file, directory + (big ? 12 : 8), 2, &value))
            return value == ASSOCIATED_ALPHA ? LG_TIFF_ASSOCIATED : LG_TIFF_PLAIN;
    }
    return LG_TIFF_PLAIN;
}
