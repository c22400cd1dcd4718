// NPY, versions 1 to 3, in C and in Fortran order. Two axes are H x W; three are H x W x C when the
// last is 1 to 4 long, else L x H x W; four are L x H x W x C. Three channels are RGB, the last of
// two or four is alpha.
#include "io/npy.h"
#include "io/row_reader.h"
#include "io/row_writer.h"

#include <errno.h>
#include <string.h>

#define HEADER_MAX 65536 // NumPy writes 118 bytes for any plain array

bool lg_npy_is(const uint8_t *head, size_t size)
{
    return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

// ---- header: the text of a Python dict with three known keys ------------------------------------

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t')
        at++;
    return at;
}

// The text behind 'key':, NULL when the key is missing.
static const char *find_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = text; (at = strpbrk(at, "'\"")); at++) {
        if (strncmp(at + 1, key, length) != 0 || at[1 + length] != at[0])
            continue;
        const char *colon = skip_space(at + length + 2);
        if (*colon == ':')
            return skip_space(colon + 1);
    }
    return NULL;
}

static lg_status parse_type(const char *at, lg_npy_header *out, lg_error *error)
{
    static const struct {
        char code[3];
        lg_type type;
        lg_foreign foreign;
    } types[] = {
        {"u1", LG_U8, LG_FOREIGN_NONE},  {"b1", LG_U8, LG_FOREIGN_NONE},
        {"u2", LG_U16, LG_FOREIGN_NONE}, {"f2", LG_F16, LG_FOREIGN_NONE},
        {"f4", LG_F32, LG_FOREIGN_NONE}, {"f8", LG_F32, LG_FOREIGN_F64},
        {"i1", LG_F32, LG_FOREIGN_I8},   {"i2", LG_F32, LG_FOREIGN_I16},
        {"i4", LG_F32, LG_FOREIGN_I32},  {"i8", LG_F32, LG_FOREIGN_I64},
        {"u4", LG_F32, LG_FOREIGN_U32},  {"u8", LG_F32, LG_FOREIGN_U64},
    };
    char quote = at ? *at : 0;
    if ((quote == '\'' || quote == '"') && at[1] && strchr("<>|=", at[1])) {
        for (size_t i = 0; i < LG_COUNT(types); i++) {
            if (strncmp(at + 2, types[i].code, 2) != 0 || at[4] != quote)
                continue;
            out->type = types[i].type;
            out->foreign = types[i].foreign;
            out->truth = types[i].code[0] == 'b';
            out->sample = (size_t)(types[i].code[1] - '0');
            out->swap =
                (at[1] == '<' && !lg_host_is_little()) || (at[1] == '>' && lg_host_is_little());
            return LG_OK;
        }
    }
    int length = at ? (int)strcspn(at, ",}\n") : 0;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "NPY of type %.*s; numbers up to 8 bytes and bool can be read",
                   LG_MIN(length, 40), at ? at : "");
}

static bool parse_shape(const char *at, lg_npy_header *out)
{
    if (!at || *at != '(')
        return false;
    for (at = skip_space(at + 1); *at != ')'; at = skip_space(at)) {
        if (*at < '0' || *at > '9')
            return false;
        int64_t value = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            value = LG_MIN(value * 10 + (*at - '0'), (int64_t)1 << 50);
        if (out->axes < (int)LG_COUNT(out->shape))
            out->shape[out->axes] = value;
        out->axes++;
        at = skip_space(at);
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
    return true;
}

static lg_status parse_header(const char *text, lg_npy_header *out, lg_error *error)
{
    lg_status status = parse_type(find_value(text, "descr"), out, error);
    if (status != LG_OK)
        return status;
    const char *order = find_value(text, "fortran_order");
    if (!order || (strncmp(order, "False", 5) != 0 && strncmp(order, "True", 4) != 0))
        return lg_fail(error, LG_ERROR_DATA, "NPY header: no fortran_order");
    if (!parse_shape(find_value(text, "shape"), out))
        return lg_fail(error, LG_ERROR_DATA, "NPY header: no shape");
    out->columns = *order == 'T';
    return LG_OK;
}

lg_status lg_npy_read_header(lg_input *input, lg_npy_header *out, lg_error *error)
{
    uint8_t start[12];
    if (lg_input_read(input, start, 8) != 8)
        return lg_input_short(input, "the header", error);
    if (start[6] < 1 || start[6] > 3)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "NPY version %d; 1 to 3 can be read", start[6]);
    size_t width = start[6] == 1 ? 2 : 4;
    if (lg_input_read(input, start + 8, width) != width)
        return lg_input_short(input, "the header", error);
    uint64_t length = 0;
    for (size_t i = width; i-- > 0;)
        length = length << 8 | start[8 + i];
    if (length > HEADER_MAX)
        return lg_fail(error, LG_ERROR_LIMIT, "NPY header of %llu bytes; at most %d are read",
                       (unsigned long long)length, HEADER_MAX);
    char *text = lg_alloc(length + 1);
    if (!text)
        return lg_fail_memory(error, length, "the header");
    lg_status status = lg_input_read(input, text, length) == length
                           ? parse_header(text, out, error)
                           : lg_input_short(input, "the header", error);
    lg_free(text);
    return status;
}

// ---- pixels -------------------------------------------------------------------------------------

const char *lg_npy_axes(const lg_npy_header *header)
{
    if (header->axes != 3)
        return header->axes == 2 ? "HW" : "LHWC";
    return header->shape[2] >= 1 && header->shape[2] <= 4 ? "HWC" : "LHW";
}

static int64_t axis_size(const lg_npy_header *header, char name)
{
    const char *names = lg_npy_axes(header), *at = strchr(names, name);
    return at ? header->shape[at - names] : 1;
}

static lg_status to_shape(const lg_npy_header *header, const lg_read_params *params,
                          lg_image_params *out, lg_error *error)
{
    if (header->axes < 2 || header->axes > 4)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "NPY of %d axes; H x W, H x W x C, L x H x W and L x H x W x C can be read",
                       header->axes);
    int64_t channels = axis_size(header, 'C'), layers = axis_size(header, 'L');
    int64_t height = axis_size(header, 'H'), width = axis_size(header, 'W');
    lg_status status = lg_read_check(params, width, height, layers, error);
    if (status != LG_OK)
        return status;
    if (channels < 1 || channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%lld channels; 1 to %d can be read",
                       (long long)channels, LG_MAX_CHANNELS);
    *out = (lg_image_params){
        .width = (int32_t)width,
        .height = (int32_t)height,
        .layers = (int32_t)layers,
        .channels = channels == 3 ? 4 : (int32_t)channels,
        .type = header->type,
        .alpha = channels == 1   ? LG_ALPHA_NONE
                 : channels == 3 ? LG_ALPHA_OPAQUE
                                 : LG_ALPHA_STRAIGHT,
    };
    return LG_OK;
}

static lg_status read_row(lg_input *input, const lg_npy_header *header,
                          const lg_image_params *shape, lg_rounding *rounding, void *row,
                          void *scratch, lg_error *error)
{
    size_t samples = (size_t)shape->width * (size_t)lg_file_channels(shape);
    void *target = scratch ? scratch : row;
    if (lg_input_read(input, target, samples * header->sample) != samples * header->sample)
        return lg_input_short(input, "the pixels", error);
    if (header->swap)
        lg_swap_bytes(target, header->sample, samples);
    lg_status status = scratch ? lg_foreign_to_f32(rounding, scratch, row, samples, error) : LG_OK;
    if (status == LG_OK && shape->alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(row, (size_t)shape->width, lg_type_size(shape->type));
    return status;
}

static lg_status read_pixels(lg_input *input, const lg_npy_header *header, lg_rounding *rounding,
                             lg_image *image, lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    size_t samples = (size_t)shape->width * (size_t)lg_file_channels(shape);
    void *scratch = NULL;
    if (header->foreign != LG_FOREIGN_NONE) {
        scratch = lg_alloc_array(samples, header->sample);
        if (!scratch)
            return lg_fail_memory(error, samples * header->sample, "a row");
    }
    lg_status status = LG_OK;
    for (int32_t layer = 0; layer < shape->layers; layer++)
        for (int64_t y = 0; y < shape->height && status == LG_OK; y++)
            status = read_row(input, header, shape, rounding, lg_image_row(image, layer, y),
                              scratch, error);
    lg_free(scratch);
    return status;
}

// Fails when a regular file has fewer samples than the header declares.
static lg_status expect_samples(const lg_input *input, const lg_npy_header *header,
                                const lg_image_params *shape, lg_error *error)
{
    const uint64_t pixels =
        (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers;
    return lg_input_expect(input, pixels * (uint64_t)lg_file_channels(shape) * header->sample,
                           error);
}

lg_status lg_npy_find_rows(lg_input *input, const lg_read_params *params, lg_stored_rows *out,
                           lg_read_info *info, lg_error *error)
{
    lg_npy_header header = {0};
    lg_image_params shape;
    lg_status status = lg_npy_read_header(input, &header, error);
    if (status == LG_OK)
        status = to_shape(&header, params, &shape, error);
    if (status == LG_OK)
        status = expect_samples(input, &header, &shape, error);
    if (status != LG_OK || header.columns)
        return status;
    const int64_t row = (int64_t)shape.width * lg_file_channels(&shape) * (int64_t)header.sample;
    *out = (lg_stored_rows){.shape = shape,
                            .first = lg_alloc_array((size_t)shape.layers, sizeof *out->first),
                            .row = row,
                            .sample = header.sample,
                            .swap = header.swap,
                            .foreign = header.foreign};
    if (!out->first)
        return lg_fail_memory(error, (size_t)shape.layers * sizeof *out->first,
                              "the places of rows");
    for (int32_t i = 0; i < shape.layers; i++)
        out->first[i] = input->offset + i * row * shape.height;
    snprintf(info->format, sizeof info->format, "npy");
    return LG_OK;
}

lg_status lg_npy_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error)
{
    lg_npy_header header = {0};
    lg_image_params shape;
    lg_image *image = NULL;
    lg_status status = lg_npy_read_header(input, &header, error);
    if (status == LG_OK)
        status = to_shape(&header, params, &shape, error);
    lg_rounding rounding = {.type = header.foreign, .allowed = params->convert};
    if (status == LG_OK)
        status = expect_samples(input, &header, &shape, error);
    if (status == LG_OK)
        status = lg_image_create(context, &shape, &image, error);
    if (status == LG_OK)
        status = header.columns ? lg_npy_read_columns(input, &header, &rounding, image, error)
                                : read_pixels(input, &header, &rounding, image, error);
    if (status != LG_OK) {
        lg_image_destroy(&image);
        return status;
    }
    snprintf(info->format, sizeof info->format, "npy");
    lg_rounding_note(&rounding, info);
    *out = image;
    return LG_OK;
}

// ---- writing ------------------------------------------------------------------------------------

static int shape_text(const lg_image_params *shape, char *out, size_t capacity)
{
    int channels = lg_file_channels(shape);
    char layers[24] = "", last[24] = "";
    // Layers of 1 to 4 columns would read back as channels: then every axis is written.
    bool all = shape->layers > 1 && (channels > 1 || shape->width <= LG_MAX_CHANNELS);
    if (shape->layers > 1)
        snprintf(layers, sizeof layers, "%d, ", shape->layers);
    if (channels > 1 || all)
        snprintf(last, sizeof last, ", %d", channels);
    return snprintf(out, capacity, "(%s%d, %d%s)", layers, shape->height, shape->width, last);
}

static void write_header(FILE *stream, const char *kind, const lg_image_params *shape)
{
    char dims[96], text[192];
    shape_text(shape, dims, sizeof dims);
    int length =
        snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
                 strcmp(kind, "u1") == 0 ? '|'
                 : lg_host_is_little()   ? '<'
                                         : '>',
                 kind, dims);
    int padded = (int)lg_align_up((size_t)length + 11, 64) - 10; // the samples start aligned
    const uint8_t start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)padded, (uint8_t)(padded >> 8)};
    fwrite(start, 1, sizeof start, stream);
    fprintf(stream, "%-*s\n", padded - 1, text);
}

static const char *const kinds[] = {"u1", "u2", "f2", "f4"};

static lg_status write_rows(const lg_image *image, int32_t layer, void *row, FILE *stream,
                            lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    const size_t bytes =
        (size_t)shape->width * (size_t)lg_file_channels(shape) * lg_type_size(shape->type);
    for (int64_t y = 0; y < shape->height; y++) {
        lg_pack_row(shape, lg_image_row(image, layer, y), row);
        if (fwrite(row, 1, bytes, stream) != bytes)
            return lg_fail_write(error, errno);
    }
    return LG_OK;
}

lg_status lg_npy_write(const lg_image *image, const char *extension, FILE *stream, lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    size_t bytes =
        (size_t)shape->width * (size_t)lg_file_channels(shape) * lg_type_size(shape->type);
    void *row = lg_alloc(bytes);
    if (!row)
        return lg_fail_memory(error, bytes, "a row");
    write_header(stream, kinds[shape->type], shape);
    lg_status status = LG_OK;
    for (int32_t layer = 0; layer < shape->layers && status == LG_OK; layer++)
        status = write_rows(image, layer, row, stream, error);
    lg_free(row);
    return status;
}

static lg_status begin_rows(lg_row_writer *writer, lg_error *error)
{
    const bool wide = writer->labels && writer->shape.type == LG_F32;
    write_header(writer->stream, wide ? "u4" : kinds[writer->shape.type], &writer->shape);
    return LG_OK;
}

static lg_status add_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    return write_rows(rows, 0, writer->row, writer->stream, error);
}

const lg_row_sink lg_row_sink_npy = {.begin = begin_rows, .add = add_rows, .layers = true};

lg_status lg_npy_write_labels(const lg_labels *labels, FILE *stream, lg_error *error)
{
    const lg_image_params shape = {
        .width = labels->width, .height = labels->height, .layers = labels->layers, .channels = 1};
    const size_t width = (size_t)labels->width;
    write_header(stream, "u4", &shape);
    for (int32_t layer = 0; layer < labels->layers; layer++)
        for (int32_t y = 0; y < labels->height; y++)
            if (fwrite(lg_labels_row(labels, layer, y), sizeof(uint32_t), width, stream) != width)
                return lg_fail_write(error, errno);
    return LG_OK;
}
