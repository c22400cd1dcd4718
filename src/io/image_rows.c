#include "io/image_rows.h"

#include "io/row_writer.h"

#include <string.h>

#define BAND_BYTES ((size_t)1 << 20)

static bool go_on(void *priv, double part)
{
    const lg_relieving_read *r = priv;
    lg_context_relieve(r->context);
    return lg_read_progress(r->given, part, NULL) == LG_OK;
}

const lg_read_params *lg_relieving_params(lg_context *context, const lg_read_params *given,
                                          lg_relieving_read *room)
{
    if (!context->spill)
        return given;
    *room = (lg_relieving_read){context, given, *given};
    room->params.progress = go_on;
    room->params.progress_priv = room;
    return &room->params;
}

static lg_context *context_of(const lg_image *image)
{
    return ((const lg_image_private *)image)->context;
}

bool lg_writes_by_rows(const lg_image *image, const char *path, const lg_write_params *params)
{
    return context_of(image)->spill && strcmp(path, "-") != 0 &&
           (image->shape.layers > 1 ? lg_row_writer_can_layers : lg_row_writer_can)(path, params);
}

static lg_status write_rows(lg_row_writer *writer, const lg_image *image, int32_t layer, int64_t y,
                            int64_t rows, lg_error *error)
{
    lg_image *band = NULL;
    lg_image_params shape = image->shape;
    shape.layers = 1;
    shape.height = (int32_t)LG_MIN(rows, shape.height - y);
    lg_status status =
        lg_image_wrap(context_of(image), &shape, lg_image_row(image, layer, y), &band, error);
    if (!status)
        status = lg_row_writer_write(writer, band, error);
    lg_image_destroy(&band);
    lg_context_relieve(context_of(image));
    return status;
}

lg_status lg_write_by_rows(const lg_image *image, bool labelled, const char *path,
                           const lg_write_params *params, lg_error *error)
{
    const lg_image_params *s = &image->shape;
    const int64_t rows = (int64_t)(BAND_BYTES / s->row_stride) + 1;
    lg_row_writer *writer = NULL;
    lg_status status = lg_row_writer_open_any(path, s, labelled, params, &writer, error);
    for (int32_t z = 0; z < s->layers && !status; z++)
        for (int64_t y = 0; y < s->height && !status; y += rows)
            status = write_rows(writer, image, z, y, rows, error);
    if (!status)
        return lg_row_writer_close(&writer, error);
    lg_row_writer_discard(&writer);
    return status;
}
