// Files that are written by rows: which format writes them, and what all formats check.
#include "io/row_writer.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *extension;
    const lg_row_sink *sink;
} sinks[] = {
    {"pnm", &lg_row_sink_pnm},  {"pgm", &lg_row_sink_pnm},   {"ppm", &lg_row_sink_pnm},
    {"pbm", &lg_row_sink_pnm},  {"pam", &lg_row_sink_pnm},   {"npy", &lg_row_sink_npy},
    {"tif", &lg_row_sink_tiff}, {"tiff", &lg_row_sink_tiff}, {"zarr", &lg_row_sink_zarr},
};

const lg_row_sink *lg_row_sink_of(const char *format)
{
    for (size_t i = 0; i < LG_COUNT(sinks); i++)
        if (strcasecmp(sinks[i].extension, format) == 0 &&
            (sinks[i].sink != &lg_row_sink_tiff || lg_tiff_can_write(format)))
            return sinks[i].sink;
    return lg_vips_can_write_rows(format) ? &lg_row_sink_vips : NULL;
}

static const char *format_of(const char *path, const lg_write_params *params)
{
    if (params && params->format)
        return params->format;
    return strcmp(path, "-") == 0 ? "pnm" : lg_extension_of(path);
}

bool lg_row_writer_can(const char *path, const lg_write_params *params)
{
    const char *format = path ? format_of(path, params) : "";
    const lg_row_sink *sink = path ? lg_row_sink_of(format) : NULL;
    if (sink == &lg_row_sink_vips && params && params->exact &&
        !lg_vips_is_exact(format, params->options))
        return false;
    const bool file = sink == &lg_row_sink_tiff || sink == &lg_row_sink_zarr;
    return sink && !(file && strcmp(path, "-") == 0);
}

bool lg_row_writer_can_layers(const char *path, const lg_write_params *params)
{
    return lg_row_writer_can(path, params) && lg_row_sink_of(format_of(path, params))->layers;
}

// ---- open -----------------------------------------------------------------------------------------

static lg_status check(const char *path, const lg_image_params *shape,
                       const lg_write_params *params, lg_error *error)
{
    const char *format = format_of(path, params);
    if (lg_image_check_adjacent(shape, "what is written", error))
        return LG_ERROR_ARGUMENT;
    if (shape->width < 1 || shape->height < 1 || shape->layers < 1 ||
        (unsigned)shape->type > LG_F32 ||
        !(shape->channels == 1 || shape->channels == 2 || shape->channels == 4))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%d x %d pixels x %d layers of %d channels of %s; images of 1, 2 or 4 "
                       "channels are written by rows",
                       shape->width, shape->height, shape->layers, shape->channels,
                       lg_type_name(shape->type));
    const lg_status status = lg_check_format(format, params, error);
    if (status)
        return status;
    if (lg_zarr_is(format) && strcmp(path, "-") == 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "Zarr is a folder, which standard output is not; name one");
    if (!lg_row_writer_can(path, params))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "format %.20s is written whole%s; .tif, .zarr, .npy, .png, .jpg and PNM are written by "
            "rows",
            format, lg_row_sink_of(format) ? " to a pipe" : "");
    if (shape->layers > 1 && !lg_row_writer_can_layers(path, params))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "format %.20s holds one layer, and there are %d; .tif, .zarr, .npy and PNM hold "
            "several",
            format, shape->layers);
    return LG_OK;
}

static lg_status begin(lg_row_writer *writer, const char *path, const lg_write_params *params,
                       lg_error *error)
{
    const char *format = format_of(path, params);
    const size_t bytes = (size_t)writer->shape.width * (size_t)writer->shape.channels *
                         lg_type_size(writer->shape.type);
    for (size_t i = 0; format[i] && i + 1 < sizeof writer->extension; i++)
        writer->extension[i] = (char)tolower((unsigned char)format[i]);
    writer->metadata = params ? params->metadata : NULL;
    writer->options = params ? params->options : NULL;
    writer->name = path;
    writer->row = lg_alloc(bytes);
    if (!writer->row)
        return lg_fail_memory(error, bytes, "a row");
    const lg_row_sink *sink = lg_row_sink_of(format);
    lg_status status =
        (sink->folder ? lg_output_open_folder : lg_output_open)(path, &writer->output, error);
    if (status)
        return status;
    writer->stream = lg_output_stream(writer->output);
    writer->sink = sink;
    status = writer->sink->begin(writer, error);
    writer->metadata = NULL; // the caller's
    writer->options = writer->name = NULL;
    return status;
}

lg_status lg_row_writer_open_any(const char *path, const lg_image_params *shape, bool labels,
                                 const lg_write_params *params, lg_row_writer **out,
                                 lg_error *error)
{
    if (!path || !shape || !out)
        return lg_fail_null(error, "the name of a file, a shape, and a place for the writer");
    lg_status status = check(path, shape, params, error);
    if (status)
        return status;
    lg_row_writer *writer = lg_alloc(sizeof *writer);
    if (!writer)
        return lg_fail_memory(error, sizeof *writer, "a writer of rows");
    writer->shape = *shape;
    writer->labels = labels;
    status = begin(writer, path, params, error);
    if (status)
        lg_row_writer_discard(&writer);
    else
        *out = writer;
    return status;
}

lg_status lg_row_writer_open(const char *path, const lg_image_params *shape,
                             const lg_write_params *params, lg_row_writer **out, lg_error *error)
{
    return lg_row_writer_open_any(path, shape, false, params, out, error);
}

lg_status lg_row_writer_open_labels(const char *path, int32_t width, int32_t height, uint32_t count,
                                    const lg_write_params *params, lg_row_writer **out,
                                    lg_error *error)
{
    return lg_row_writer_open_label_layers(path, width, height, 1, count, params, out, error);
}

lg_status lg_row_writer_open_label_layers(const char *path, int32_t width, int32_t height,
                                          int32_t layers, uint32_t count,
                                          const lg_write_params *params, lg_row_writer **out,
                                          lg_error *error)
{
    if (!path)
        return lg_fail_null(error, "the name of a file");
    const char *format = format_of(path, params);
    const bool npy = strcasecmp(format, "npy") == 0, wide = npy || count > UINT16_MAX;
    if (wide && !npy && !lg_tiff_can_write(format) && !lg_zarr_is(format))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       ".%.20s holds 65535 labels and there are %u; use .tif, .npy or .zarr",
                       format, count);
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = 1,
                                   .type = wide ? LG_F32 : LG_U16};
    return lg_row_writer_open_any(path, &shape, true, params, out, error);
}

// ---- rows -----------------------------------------------------------------------------------------

lg_status lg_row_writer_write(lg_row_writer *writer, const lg_image *rows, lg_error *error)
{
    if (!writer || !rows || !rows->data)
        return lg_fail_null(error, "a writer, and an image with host pixels");
    const lg_image_params *to = &writer->shape, *s = &rows->shape;
    if (s->planes || s->width != to->width || s->layers != 1 || s->channels != to->channels ||
        s->type != to->type)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "rows of %d pixels with %d channels and type %s do not fit a file of %d "
                       "pixels, %d channels and type %s",
                       s->width, s->channels, lg_type_name(s->type), to->width, to->channels,
                       lg_type_name(to->type));
    if (writer->shared)
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows of a shared file are written by others");
    const int64_t height = to->height, all = height * to->layers, y = writer->rows % height;
    if (writer->rows + s->height > all || y + s->height > height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%lld rows are written, and %d more are more than the %d of the %s",
                       (long long)writer->rows, s->height, to->height,
                       to->layers > 1 ? "layer" : "image");
    lg_status status = LG_OK;
    if (y == 0 && writer->rows && writer->sink->next_layer)
        status = writer->sink->next_layer(writer, error);
    if (status)
        return status;
    writer->rows += s->height;
    const bool apart = writer->joined && writer->sink->add_shared;
    return (apart ? writer->sink->add_shared : writer->sink->add)(writer, rows, error);
}

// One row, as an image of one: labels of 32 bits are its bytes as they are.
static lg_status write_labels(lg_row_writer *writer, const uint32_t *labels, uint16_t *narrow,
                              lg_error *error)
{
    const int32_t width = writer->shape.width;
    uint32_t most = 0;
    for (int32_t x = 0; x < width && narrow; x++) {
        most = LG_MAX(most, labels[x]);
        narrow[x] = (uint16_t)labels[x];
    }
    if (most > UINT16_MAX)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "label %u does not fit a file of 16 bits, which was opened for fewer", most);
    lg_image row = {.shape = writer->shape};
    row.shape.height = row.shape.layers = 1;
    row.shape.row_stride = (size_t)width * lg_type_size(row.shape.type);
    row.data = narrow ? (void *)narrow : (void *)(uintptr_t)labels;
    return lg_row_writer_write(writer, &row, error);
}

lg_status lg_row_writer_write_labels(lg_row_writer *writer, const lg_labels *rows, lg_error *error)
{
    if (!writer || !rows || !rows->data)
        return lg_fail_null(error, "a writer, and labels in host memory");
    if (!writer->labels || rows->width != writer->shape.width || rows->layers != 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "labels of %d pixels a row in %d layers do not fit a file of %s of %d",
                       rows->width, rows->layers, writer->labels ? "labels" : "samples",
                       writer->shape.width);
    const size_t bytes = (size_t)rows->width * sizeof(uint16_t);
    uint16_t *narrow = writer->shape.type == LG_U16 ? lg_alloc(bytes) : NULL;
    if (!narrow && writer->shape.type == LG_U16)
        return lg_fail_memory(error, bytes, "a row of labels");
    lg_status status = LG_OK;
    for (int32_t y = 0; y < rows->height && !status; y++)
        status = write_labels(writer, lg_labels_row(rows, 0, y), narrow, error);
    lg_free(narrow);
    return status;
}

size_t lg_row_writer_memory(const lg_row_writer *writer)
{
    return writer ? writer->memory : 0;
}

lg_status lg_row_writer_close(lg_row_writer **writer, lg_error *error)
{
    if (!writer || !*writer)
        return lg_fail_null(error, "a writer of rows");
    lg_row_writer *w = *writer;
    lg_status status = LG_OK;
    if (w->joined) {
        status = lg_row_share_finish(w, error);
        lg_row_writer_discard(writer);
        return status;
    }
    const int64_t all = (int64_t)w->shape.height * w->shape.layers;
    if (w->rows < all)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "%lld of %lld rows were written",
                         (long long)w->rows, (long long)all);
    if (!status && w->sink->end && !w->shared)
        status = w->sink->end(w, error);
    if (w->sink->drop)
        w->sink->drop(w); // nothing may go to the file behind its end
    if (!status)
        status = lg_output_commit(&w->output, error);
    lg_row_writer_discard(writer);
    return status;
}

void lg_row_writer_discard(lg_row_writer **writer)
{
    if (!writer || !*writer)
        return;
    lg_row_writer *w = *writer;
    if (w->sink && w->sink->drop)
        w->sink->drop(w);
    if (w->joined && w->stream)
        fclose(w->stream);
    lg_output_discard(&w->output);
    lg_free(w->row);
    lg_free(w);
    *writer = NULL;
}
