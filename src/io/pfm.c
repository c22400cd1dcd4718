// PFM: float32, one or three channels, rows bottom up, both byte orders. The scale is a byte order
// mark here: samples stay as stored.
#include "io/row_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lg_pfm_is(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f') &&
           (head[2] == '\n' || head[2] == ' ' || head[2] == '\r' || head[2] == '\t');
}

// One word and the single white space that ends it.
static bool read_word(lg_input *input, char *out, size_t capacity)
{
    size_t used = 0;
    int c = lg_input_byte(input);
    while (c == ' ' || (c >= '\t' && c <= '\r'))
        c = lg_input_byte(input);
    for (; c > ' ' && used + 1 < capacity; c = lg_input_byte(input))
        out[used++] = (char)c;
    out[used] = '\0';
    return used > 0 && c >= 0 && c <= ' ';
}

static bool read_size(lg_input *input, int64_t *out)
{
    char word[24], *end;
    if (!read_word(input, word, sizeof word) || word[0] < '0' || word[0] > '9')
        return false;
    *out = strtoll(word, &end, 10);
    return *end == '\0';
}

static lg_status read_header(lg_input *input, int64_t *width, int64_t *height, int *channels,
                             double *scale, lg_error *error)
{
    lg_input_byte(input);
    *channels = lg_input_byte(input) == 'F' ? 3 : 1;
    char word[40], *end = word;
    bool good =
        read_size(input, width) && read_size(input, height) && read_word(input, word, sizeof word);
    if (good)
        *scale = strtod(word, &end);
    if (good && *end == '\0' && isfinite(*scale) && *scale != 0)
        return LG_OK;
    if (lg_input_peek(input, 1) == 0)
        return lg_input_short(input, "the header", error);
    return lg_fail(error, LG_ERROR_DATA,
                   "PFM header: width, height and a scale that is not zero are needed");
}

static lg_image_params shape_of(int64_t width, int64_t height, int channels)
{
    return (lg_image_params){.width = (int32_t)width,
                             .height = (int32_t)height,
                             .layers = 1,
                             .channels = channels == 3 ? 4 : 1,
                             .type = LG_F32,
                             .alpha = channels == 3 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
}

static void describe(double scale, lg_read_info *info)
{
    snprintf(info->format, sizeof info->format, "pfm");
    if (fabs(scale) != 1)
        snprintf(info->note, sizeof info->note, "the file's scale %g is not applied", fabs(scale));
}

lg_status lg_pfm_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error)
{
    int64_t width = 0, height = 0;
    int channels = 1;
    double scale = 1;
    lg_status status = read_header(input, &width, &height, &channels, &scale, error);
    if (status == LG_OK)
        status = lg_read_check(params, width, height, 1, error);
    if (status != LG_OK)
        return status;
    size_t samples = (size_t)width * (size_t)channels;
    status = lg_input_expect(input, (uint64_t)samples * 4 * (uint64_t)height, error);
    if (status != LG_OK)
        return status;
    const lg_image_params shape = shape_of(width, height, channels);
    lg_image *image = NULL;
    status = lg_image_create(context, &shape, &image, error);
    for (int64_t y = height; status == LG_OK && y-- > 0;) {
        void *row = lg_image_row(image, 0, y);
        if (lg_input_read(input, row, samples * 4) != samples * 4)
            status = lg_input_short(input, "the pixels", error);
        if ((scale < 0) != lg_host_is_little())
            lg_swap_bytes(row, 4, samples);
        if (channels == 3)
            lg_expand_rgb(row, (size_t)width, 4);
    }
    if (status != LG_OK) {
        lg_image_destroy(&image);
        return status;
    }
    describe(scale, info);
    *out = image;
    return LG_OK;
}

lg_status lg_pfm_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error)
{
    int64_t width = 0, height = 0;
    int channels = 1;
    double scale = 1;
    lg_status status = read_header(input, &width, &height, &channels, &scale, error);
    if (status == LG_OK)
        status = lg_read_check(params, width, height, 1, error);
    if (status == LG_OK)
        status = lg_input_expect(input, (uint64_t)width * (uint64_t)channels * 4 * (uint64_t)height,
                                 error);
    if (status != LG_OK)
        return status;
    *out = (lg_stored_rows){.shape = shape_of(width, height, channels),
                            .first = lg_alloc(sizeof *out->first),
                            .row = width * channels * 4,
                            .sample = 4,
                            .swap = (scale < 0) != lg_host_is_little(),
                            .upwards = true};
    if (!out->first)
        return lg_fail_memory(error, sizeof *out->first, "the places of rows");
    out->first[0] = input->offset;
    describe(scale, info);
    return LG_OK;
}

// Any sample type of the library is exact in float32.
static void to_f32(lg_type type, const void *in, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = type == LG_U8    ? (float)((const uint8_t *)in)[i]
                 : type == LG_U16 ? (float)((const uint16_t *)in)[i]
                 : type == LG_F16 ? lg_half_to_float(((const uint16_t *)in)[i])
                                  : ((const float *)in)[i];
}

lg_status lg_pfm_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    int channels = lg_file_channels(shape);
    if ((channels != 1 && channels != 3) || shape->layers != 1)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%s holds 1 or 3 channels and one layer, the image has %d and %d; use .npy",
                       extension, channels, shape->layers);
    size_t samples = (size_t)shape->width * (size_t)channels;
    float *row = lg_alloc_array(samples, sizeof *row);
    void *packed = lg_alloc_array(samples, sizeof *row);
    lg_status status = LG_OK;
    if (!row || !packed)
        status = lg_fail_memory(error, samples * sizeof *row, "a row");
    if (status == LG_OK)
        fprintf(stream, "%s\n%d %d\n%s\n", channels == 3 ? "PF" : "Pf", shape->width, shape->height,
                lg_host_is_little() ? "-1.0" : "1.0");
    for (int64_t y = shape->height; status == LG_OK && y-- > 0;) {
        lg_pack_row(shape, lg_image_row(image, 0, y), packed);
        to_f32(shape->type, packed, row, samples);
        if (fwrite(row, sizeof *row, samples, stream) != samples)
            status = lg_fail_write(error, errno);
    }
    lg_free(row);
    lg_free(packed);
    return status;
}
