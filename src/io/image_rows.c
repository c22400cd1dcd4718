#include "io/image_rows.h"

#include <lumagraph/rows.h>

#include <string.h>

#define PIECE_BYTES ((size_t)1 << 20)

static lg_context *context_of(const lg_image *image)
{
    return ((const lg_image_private *)image)->context;
}

bool lg_writes_by_rows(const lg_image *image, const char *path, const lg_write_params *params)
{
    return context_of(image)->spill && strcmp(path, "-") != 0 &&
           (image->shape.layers > 1 ? lg_row_writer_can_layers
                                    : lg_row_writer_can)(path, params);
}

static lg_status write_rows(lg_row_writer *writer, const lg_image *image, int32_t layer, int64_t y,
                            int64_t rows, lg_error *error)
{
    lg_image *piece = NULL;
    lg_image_params shape = image->shape;
    shape.layers = 1;
    shape.height = (int32_t)LG_MIN(rows, shape.height - y);
    lg_status status =
        lg_image_wrap(context_of(image), &shape, lg_image_row(image, layer, y), &piece, error);
    if (!status)
        status = lg_row_writer_write(writer, piece, error);
    lg_image_destroy(&piece);
    return status;
}

lg_status lg_write_by_rows(const lg_image *image, const char *path, const lg_write_params *params,
                           lg_error *error)
{
    const lg_image_params *s = &image->shape;
    const int64_t rows = (int64_t)(PIECE_BYTES / s->row_stride) + 1;
    lg_row_writer *writer = NULL;
    lg_status status = lg_row_writer_open(path, s, params, &writer, error);
    for (int32_t z = 0; z < s->layers && !status; z++)
        for (int64_t y = 0; y < s->height && !status; y += rows)
            status = write_rows(writer, image, z, y, rows, error);
    if (!status)
        return lg_row_writer_close(&writer, error);
    lg_row_writer_discard(&writer);
    return status;
}
