// PNM and PAM: P1 to P7, 8 and 16 bits. Samples keep their stored value whatever the maximum is;
// bitmaps read as 0 (black) and 255 (white). Images that follow each other in one file are layers, or
// frames that are read one by one.
#include "io/row_reader.h"
#include "io/row_writer.h"

#include <errno.h>
#include <string.h>

typedef struct pnm_header {
    int kind; // 1 .. 7, as in "P5"
    int64_t width, height, depth, maximum;
    bool alpha;
} pnm_header;

bool lg_pnm_is(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
           (head[2] == '\n' || head[2] == ' ' || head[2] == '\t' || head[2] == '\r' ||
            head[2] == '#');
}

// ---- header -------------------------------------------------------------------------------------

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Next byte that is neither white space nor part of a comment.
static int next_token(lg_input *input)
{
    int c = lg_input_byte(input);
    for (;;) {
        while (is_space(c))
            c = lg_input_byte(input);
        if (c != '#')
            return c;
        while (c >= 0 && c != '\n')
            c = lg_input_byte(input);
    }
}

static void skip_line(lg_input *input)
{
    int c;
    do
        c = lg_input_byte(input);
    while (c >= 0 && c != '\n');
}

// A number without sign, and the one byte after it. Saturates far above every limit.
static bool read_number(lg_input *input, int64_t *out)
{
    int c = next_token(input);
    if (c < '0' || c > '9')
        return false;
    int64_t value = 0;
    for (; c >= '0' && c <= '9'; c = lg_input_byte(input))
        value = LG_MIN(value * 10 + (c - '0'), (int64_t)1 << 50);
    *out = value;
    if (c == '#')
        skip_line(input);
    return c < 0 || is_space(c) || c == '#';
}

static lg_status header_bad(lg_input *input, const char *what, lg_error *error)
{
    if (lg_input_peek(input, 1) == 0)
        return lg_input_short(input, "the header", error);
    return lg_fail(error, LG_ERROR_DATA, "PNM header: %s is not a number in range", what);
}

// One word of a PAM header line; false at the end of the line.
static bool read_word(lg_input *input, char *out, size_t capacity)
{
    size_t used = 0;
    int c = lg_input_byte(input);
    while (c == ' ' || c == '\t')
        c = lg_input_byte(input);
    for (; c >= 0 && !is_space(c); c = lg_input_byte(input))
        if (used + 1 < capacity)
            out[used++] = (char)c;
    out[used] = '\0';
    return c != '\n' && c >= 0;
}

static lg_status read_pam_header(lg_input *input, pnm_header *out, lg_error *error)
{
    skip_line(input);
    for (int lines = 0; lines < 1000; lines++) {
        char key[16], type[32];
        if (lg_input_peek(input, 1) == 0)
            return lg_input_short(input, "the header", error);
        bool more = read_word(input, key, sizeof key);
        if (strcmp(key, "ENDHDR") == 0)
            return LG_OK;
        int64_t *field = strcmp(key, "WIDTH") == 0    ? &out->width
                         : strcmp(key, "HEIGHT") == 0 ? &out->height
                         : strcmp(key, "DEPTH") == 0  ? &out->depth
                         : strcmp(key, "MAXVAL") == 0 ? &out->maximum
                                                      : NULL;
        if (field && more && !read_number(input, field))
            return header_bad(input, key, error);
        else if (strcmp(key, "TUPLTYPE") == 0 && more) {
            more = read_word(input, type, sizeof type);
            size_t length = strlen(type);
            out->alpha = length > 6 && strcmp(type + length - 6, "_ALPHA") == 0;
            if (more)
                skip_line(input);
        } else if (!field && more)
            skip_line(input);
    }
    return lg_fail(error, LG_ERROR_DATA, "PAM header: no ENDHDR line");
}

static lg_status read_header(lg_input *input, pnm_header *out, lg_error *error)
{
    *out = (pnm_header){0};
    if (lg_input_byte(input) != 'P')
        return lg_fail(error, LG_ERROR_DATA, "PNM header: does not start with P1 to P7");
    out->kind = lg_input_byte(input) - '0';
    if (out->kind < 1 || out->kind > 7)
        return lg_fail(error, LG_ERROR_DATA, "PNM header: does not start with P1 to P7");
    if (out->kind == 7) {
        lg_status status = read_pam_header(input, out, error);
        if (status != LG_OK)
            return status;
    } else {
        if (!read_number(input, &out->width))
            return header_bad(input, "the width", error);
        if (!read_number(input, &out->height))
            return header_bad(input, "the height", error);
        out->maximum = 1;
        if (out->kind != 1 && out->kind != 4 && !read_number(input, &out->maximum))
            return header_bad(input, "the maximum", error);
        out->depth = out->kind == 3 || out->kind == 6 ? 3 : 1;
    }
    if (out->maximum < 1 || out->maximum > 65535)
        return lg_fail(error, LG_ERROR_DATA, "PNM header: maximum %lld; 1 to 65535 are allowed",
                       (long long)out->maximum);
    if (out->depth < 1 || out->depth > LG_MAX_CHANNELS)
        return lg_fail(error, out->depth < 1 ? LG_ERROR_DATA : LG_ERROR_UNSUPPORTED,
                       "%lld channels; 1 to %d can be read", (long long)out->depth,
                       LG_MAX_CHANNELS);
    return LG_OK;
}

// ---- pixels -------------------------------------------------------------------------------------

static lg_status read_bits_row(lg_input *input, uint8_t *row, int64_t width, lg_error *error)
{
    for (int64_t x = 0; x < width; x += 8) {
        int byte = lg_input_byte(input);
        if (byte < 0)
            return lg_input_short(input, "the pixels", error);
        for (int64_t i = 0; i < 8 && x + i < width; i++)
            row[x + i] = byte >> (7 - i) & 1 ? 0 : 255;
    }
    return LG_OK;
}

static lg_status read_text_row(lg_input *input, const pnm_header *header, void *row, size_t samples,
                               lg_error *error)
{
    for (size_t i = 0; i < samples; i++) {
        int64_t value = -1;
        if (header->kind == 1) { // digits of a plain bitmap need no space between them
            int c = next_token(input);
            value = c == '0' ? 255 : c == '1' ? 0 : -1;
        } else if (!read_number(input, &value) || value > header->maximum) {
            value = -1;
        }
        if (value < 0 && lg_input_peek(input, 1) == 0)
            return lg_input_short(input, "the pixels", error);
        if (value < 0)
            return lg_fail(error, LG_ERROR_DATA, "sample %zu of a row is not a number in 0..%lld",
                           i, (long long)header->maximum);
        if (header->maximum > 255)
            ((uint16_t *)row)[i] = (uint16_t)value;
        else
            ((uint8_t *)row)[i] = (uint8_t)value;
    }
    return LG_OK;
}

static lg_status read_row(lg_input *input, const pnm_header *header, void *row, lg_error *error)
{
    size_t samples = (size_t)header->width * (size_t)header->depth;
    size_t sample = header->maximum > 255 ? 2 : 1;
    lg_status status = LG_OK;
    if (header->kind == 4)
        status = read_bits_row(input, row, header->width, error);
    else if (header->kind <= 3)
        status = read_text_row(input, header, row, samples, error);
    else if (lg_input_read(input, row, samples * sample) != samples * sample)
        status = lg_input_short(input, "the pixels", error);
    else if (sample == 2 && lg_host_is_little())
        lg_swap_bytes(row, 2, samples);
    if (status == LG_OK && header->depth == 3)
        lg_expand_rgb(row, (size_t)header->width, sample);
    return status;
}

// Bytes of a row, of text at least.
static uint64_t row_bytes(const pnm_header *header)
{
    const uint64_t samples = (uint64_t)header->width * (uint64_t)header->depth;
    return header->kind == 4   ? (samples + 7) / 8
           : header->kind == 1 ? samples
           : header->kind <= 3 ? samples * 2 - 1
                               : samples * (header->maximum > 255 ? 2 : 1);
}

// A header that promises more than the file holds is refused before memory is taken for it.
static lg_status expect_pixels(const lg_input *input, const pnm_header *header, lg_error *error)
{
    return lg_input_expect(input, row_bytes(header) * (uint64_t)header->height, error);
}

static lg_image_params shape_of(const pnm_header *header, int32_t layers)
{
    return (lg_image_params){
        .width = (int32_t)header->width,
        .height = (int32_t)header->height,
        .layers = layers,
        .channels = header->depth == 3 ? 4 : (int32_t)header->depth,
        .type = header->maximum > 255 ? LG_U16 : LG_U8,
        .alpha = header->depth == 3                                            ? LG_ALPHA_OPAQUE
                 : header->depth == 2 || (header->depth == 4 && header->alpha) ? LG_ALPHA_STRAIGHT
                                                                               : LG_ALPHA_NONE,
    };
}

static lg_status create(lg_context *context, const pnm_header *header, int32_t layers,
                        lg_image **out, lg_error *error)
{
    const lg_image_params shape = shape_of(header, layers);
    return lg_image_create(context, &shape, out, error);
}

// Doubles the layers when a further image follows.
static lg_status grow(lg_context *context, const pnm_header *header, int32_t *capacity,
                      lg_image **image, lg_error *error)
{
    lg_image *larger = NULL;
    int32_t wanted = LG_MIN(*capacity * 2, LG_MAX_LAYERS);
    lg_status status = create(context, header, wanted, &larger, error);
    if (status != LG_OK)
        return status;
    memcpy(larger->data, (*image)->data, (size_t)*capacity * (*image)->shape.layer_stride);
    lg_image_destroy(image);
    *image = larger;
    *capacity = wanted;
    return LG_OK;
}

static lg_status read_layer(lg_input *input, const pnm_header *header, lg_image *image,
                            int32_t layer, lg_error *error)
{
    lg_status status = expect_pixels(input, header, error);
    for (int64_t y = 0; y < header->height && status == LG_OK; y++)
        status = read_row(input, header, lg_image_row(image, layer, y), error);
    return status;
}

static bool same_header(const pnm_header *a, const pnm_header *b)
{
    return a->kind == b->kind && a->width == b->width && a->height == b->height &&
           a->depth == b->depth && a->maximum == b->maximum;
}

// The header of image `layers` of the file, which is like the first one. *more: there is one.
static lg_status read_next_header(lg_input *input, const lg_read_params *params,
                                  const pnm_header *header, int32_t layers, bool *more,
                                  lg_error *error)
{
    pnm_header next;
    while (lg_input_peek(input, 1) && is_space(input->buffer[input->begin]))
        lg_input_byte(input);
    *more = lg_input_peek(input, 1) > 0;
    if (!*more)
        return LG_OK;
    if (input->buffer[input->begin] != 'P')
        return lg_fail(error, LG_ERROR_DATA, "unexpected bytes after image %d of the file", layers);
    const lg_status status = read_header(input, &next, error);
    if (status == LG_OK && !same_header(header, &next))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "image %d of the file differs from the first in size or type; split it",
                       layers + 1);
    return status ? status
                  : lg_read_check(params, header->width, header->height, layers + 1, error);
}

static lg_status read_images(lg_context *context, lg_input *input, const lg_read_params *params,
                             const pnm_header *header, lg_image **image, int32_t *layers,
                             lg_error *error)
{
    int32_t capacity = 1;
    lg_status status = read_layer(input, header, *image, 0, error);
    *layers = 1;
    while (status == LG_OK && header->kind > 3) {
        bool more;
        status = read_next_header(input, params, header, *layers, &more, error);
        if (status == LG_OK && !more)
            break;
        if (status == LG_OK && *layers == capacity)
            status = grow(context, header, &capacity, image, error);
        if (status == LG_OK)
            status = read_layer(input, header, *image, (*layers)++, error);
    }
    return status;
}

static void note_header(const pnm_header *header, lg_read_info *info)
{
    const bool bits = header->kind == 1 || header->kind == 4;
    snprintf(info->format, sizeof info->format, header->kind == 7 ? "pam" : "pnm");
    if (!bits && header->maximum != 255 && header->maximum != 65535)
        snprintf(info->note, sizeof info->note, "the file's maximum is %lld; samples are as stored",
                 (long long)header->maximum);
}

lg_status lg_pnm_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error)
{
    pnm_header header;
    lg_status status = read_header(input, &header, error);
    if (status == LG_OK)
        status = lg_read_check(params, header.width, header.height, 1, error);
    if (status == LG_OK)
        status = expect_pixels(input, &header, error);
    lg_image *image = NULL;
    if (status == LG_OK)
        status = create(context, &header, 1, &image, error);
    int32_t layers = 0;
    if (status == LG_OK)
        status = read_images(context, input, params, &header, &image, &layers, error);
    if (status != LG_OK) {
        lg_image_destroy(&image);
        return status;
    }
    image->shape.layers = layers; // the memory may hold more
    note_header(&header, info);
    *out = image;
    return LG_OK;
}

static lg_status note_layer(lg_stored_rows *rows, int64_t first, lg_error *error)
{
    const int32_t used = rows->shape.layers;
    if ((used & (used - 1)) == 0) { // it is full
        int64_t *larger = lg_alloc_array(LG_MAX((size_t)used * 2, 1), sizeof *larger);
        if (!larger)
            return lg_fail_memory(error, (size_t)used * 2 * sizeof *larger, "the places of rows");
        if (used)
            memcpy(larger, rows->first, (size_t)used * sizeof *larger);
        lg_free(rows->first);
        rows->first = larger;
    }
    rows->first[rows->shape.layers++] = first;
    return LG_OK;
}

lg_status lg_pnm_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error)
{
    pnm_header header;
    bool more = true;
    lg_status status = read_header(input, &header, error);
    if (status == LG_OK)
        status = lg_read_check(params, header.width, header.height, 1, error);
    if (status != LG_OK || header.kind <= 3)
        return status;
    *out = (lg_stored_rows){.shape = shape_of(&header, 0),
                            .row = (int64_t)row_bytes(&header),
                            .sample = header.maximum > 255 ? 2 : 1,
                            .swap = header.maximum > 255 && lg_host_is_little(),
                            .bits = header.kind == 4};
    while (status == LG_OK && more) {
        status = expect_pixels(input, &header, error);
        if (status == LG_OK)
            status = note_layer(out, input->offset, error);
        if (status == LG_OK)
            status = lg_input_seek(input, input->offset + out->row * header.height, error);
        if (status == LG_OK)
            status = read_next_header(input, params, &header, out->shape.layers, &more, error);
    }
    note_header(&header, info);
    return status;
}

lg_status lg_pnm_next(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error)
{
    pnm_header header;
    lg_image *image = NULL;
    *out = NULL;
    while (lg_input_peek(input, 1) && is_space(input->buffer[input->begin]))
        lg_input_byte(input);
    if (!lg_input_peek(input, 1))
        return input->failure ? lg_input_short(input, "the frame", error) : LG_OK;
    lg_status status = read_header(input, &header, error);
    if (status == LG_OK)
        status = lg_read_check(params, header.width, header.height, 1, error);
    if (status == LG_OK)
        status = expect_pixels(input, &header, error);
    if (status == LG_OK)
        status = create(context, &header, 1, &image, error);
    for (int64_t y = 0; y < header.height && status == LG_OK; y++)
        status = read_row(input, &header, lg_image_row(image, 0, y), error);
    if (status != LG_OK) {
        lg_image_destroy(&image);
        return status;
    }
    note_header(&header, info);
    *out = image;
    return LG_OK;
}

// ---- writing ------------------------------------------------------------------------------------

static void write_header(FILE *stream, const lg_image_params *shape, int kind)
{
    int maximum = shape->type == LG_U16 ? 65535 : 255;
    int channels = lg_file_channels(shape);
    if (kind == 4)
        fprintf(stream, "P4\n%d %d\n", shape->width, shape->height);
    else if (kind != 7)
        fprintf(stream, "P%d\n%d %d\n%d\n", kind, shape->width, shape->height, maximum);
    else
        fprintf(stream, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s%s\nENDHDR\n",
                shape->width, shape->height, channels, maximum, channels <= 2 ? "GRAYSCALE" : "RGB",
                (channels == 2 || channels == 4) && shape->alpha != LG_ALPHA_NONE ? "_ALPHA" : "");
}

static bool pack_bits(const uint8_t *row, int32_t width, uint8_t *out)
{
    memset(out, 0, ((size_t)width + 7) / 8);
    for (int32_t x = 0; x < width; x++) {
        if (row[x] == 0)
            out[x / 8] |= (uint8_t)(0x80 >> (x & 7));
        else if (row[x] != 255)
            return false;
    }
    return true;
}

static lg_status write_rows(const lg_image *image, int32_t layer, int kind, void *row, FILE *stream,
                            lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    size_t samples = (size_t)shape->width * (size_t)lg_file_channels(shape);
    size_t bytes = kind == 4 ? (samples + 7) / 8 : samples * lg_type_size(shape->type);
    for (int32_t y = 0; y < shape->height; y++) {
        const void *source = lg_image_row(image, layer, y);
        if (kind != 4)
            lg_pack_row(shape, source, row);
        else if (!pack_bits(source, shape->width, row))
            return lg_fail(error, LG_ERROR_UNSUPPORTED,
                           ".pbm holds black and white alone; use .pgm for values between");
        if (shape->type == LG_U16 && lg_host_is_little())
            lg_swap_bytes(row, 2, samples);
        if (fwrite(row, 1, bytes, stream) != bytes)
            return lg_fail_write(error, errno);
    }
    return LG_OK;
}

// 4, 5, 6 or 7; 0 when the extension's format cannot hold the channels.
static int writer_kind(const lg_image_params *shape, const char *extension)
{
    int channels = lg_file_channels(shape);
    int plain = channels == 1 ? 5 : channels == 3 ? 6 : 7;
    if (strcmp(extension, "pnm") == 0)
        return plain;
    if (strcmp(extension, "pam") == 0)
        return 7;
    if (strcmp(extension, "pgm") == 0)
        return plain == 5 ? 5 : 0;
    if (strcmp(extension, "ppm") == 0)
        return plain == 6 ? 6 : 0;
    return channels == 1 && shape->type == LG_U8 ? 4 : 0;
}

static const char *more_suitable(const lg_image_params *shape)
{
    const int channels = lg_file_channels(shape);
    return channels == 1 ? ".pgm" : channels == 3 ? ".ppm" : ".png";
}

static lg_status check_kind(const lg_image_params *shape, const char *extension, int *kind,
                            lg_error *error)
{
    if (shape->type != LG_U8 && shape->type != LG_U16)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%s holds u8 and u16, the image is %s; use .pfm, .npy or .tif", extension,
                       lg_type_name(shape->type));
    *kind = writer_kind(shape, extension);
    if (*kind == 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%s cannot hold %d channel%s of %s; use %s, .pam or .npy", extension,
                       lg_file_channels(shape), lg_file_channels(shape) == 1 ? "" : "s",
                       lg_type_name(shape->type), more_suitable(shape));
    return LG_OK;
}

lg_status lg_pnm_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    int kind;
    lg_status status = check_kind(shape, extension, &kind, error);
    if (status)
        return status;
    size_t bytes = (size_t)shape->width * lg_pixel_size(shape);
    void *row = lg_alloc(bytes);
    if (!row)
        return lg_fail_memory(error, bytes, "a row");
    for (int32_t layer = 0; layer < shape->layers && status == LG_OK; layer++) {
        write_header(stream, shape, kind);
        status = write_rows(image, layer, kind, row, stream, error);
    }
    lg_free(row);
    return status;
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    const lg_image_params *shape = &writer->shape;
    const lg_status status = check_kind(shape, writer->extension, &writer->kind, error);
    if (!status)
        write_header(writer->stream, shape, writer->kind);
    return status;
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    return write_rows(rows, 0, writer->kind, writer->row, writer->stream, error);
}

static lg_status next_layer(lg_row_writer *writer, lg_error *error)
{
    write_header(writer->stream, &writer->shape, writer->kind);
    return LG_OK;
}

const lg_row_sink lg_row_sink_pnm = {
    .begin = begin_rows, .add = add_rows, .layers = true, .next_layer = next_layer};
