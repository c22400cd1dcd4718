// Outlines of components over an image that comes in bands. Whether a pixel is one of an outline also depends
// on the rows beside it, so a band is drawn when the next one is there.
#include "label_bands.h"

#include <stdlib.h>
#include <string.h>

struct lg_band_overlay {
    lg_row_writer *writer;
    lg_overlay_params colors;
    lg_labels *labels; // the row above the band, the band, the row below it
    lg_image *image;   // the same rows; of the two at the ends nothing is drawn
    int32_t rows;      // of the band; 0: there is none yet
    int32_t capacity;  // rows that there is room for
};

lg_status lg_band_overlay_create(lg_row_writer *writer, const lg_overlay_params *colors,
                                 lg_band_overlay **out, lg_error *error)
{
    lg_band_overlay *o = *out = calloc(1, sizeof *o);
    if (!o)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for outlines");
    o->writer = writer;
    o->colors = *colors;
    return LG_OK;
}

void lg_band_overlay_free(lg_band_overlay *o)
{
    if (!o)
        return;
    lg_labels_destroy(&o->labels);
    lg_image_destroy(&o->image);
    free(o);
}

static uint32_t *label_row(const lg_labels *labels, int32_t y)
{
    return labels->data + (size_t)y * (labels->row_stride / sizeof *labels->data);
}

static char *image_row(const lg_image *image, int32_t y)
{
    return (char *)image->data + (size_t)y * image->shape.row_stride;
}

static void copy_labels(const lg_labels *from, int32_t y, const lg_labels *to, int32_t at)
{
    memcpy(label_row(to, at), label_row(from, y), (size_t)to->width * sizeof *to->data);
}

// The first band is the highest one.
static lg_status make_room(lg_context *context, lg_band_overlay *o, const lg_image *band,
                           lg_error *error)
{
    lg_image_params shape = band->shape;
    if (o->labels)
        return LG_OK;
    shape.height += 2;
    shape.row_stride = shape.layer_stride = 0;
    o->capacity = band->shape.height;
    lg_status status = lg_labels_create(context, shape.width, shape.height, 1, &o->labels, error);
    return status ? status : lg_image_create(context, &shape, &o->image, error);
}

static lg_status wrap_rows(lg_context *context, const lg_image *image, int32_t first, int32_t rows,
                           lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    shape.height = rows;
    shape.layer_stride = shape.row_stride * (size_t)rows;
    return lg_image_wrap(context, &shape, image_row(image, first), out, error);
}

// The rows above and below are there.
static lg_status draw(lg_context *context, lg_band_overlay *o, lg_error *error)
{
    lg_image *all = NULL, *picture = NULL, *part = NULL;
    lg_status status = wrap_rows(context, o->image, 0, o->rows + 2, &all, error);
    o->labels->height = o->rows + 2;
    if (!status)
        status = lg_labels_overlay(context, o->labels, all, &o->colors, &picture, error);
    if (!status)
        status = wrap_rows(context, picture, 1, o->rows, &part, error);
    if (!status)
        status = lg_row_writer_write(o->writer, part, error);
    o->labels->height = o->capacity + 2;
    lg_image_destroy(&part);
    lg_image_destroy(&picture);
    lg_image_destroy(&all);
    return status;
}

lg_status lg_band_overlay_add(lg_context *context, lg_band_overlay *o, const lg_labels *labels,
                              const lg_image *band, lg_error *error)
{
    const size_t row =
        (size_t)band->shape.width * (size_t)band->shape.channels * lg_type_size(band->shape.type);
    lg_status status = make_room(context, o, band, error);
    if (!status && band->shape.height > o->capacity)
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "bands grow");
    if (status)
        return status;
    if (o->rows) {
        copy_labels(labels, 0, o->labels, o->rows + 1);
        status = draw(context, o, error);
        copy_labels(o->labels, o->rows, o->labels, 0);
    } else {
        copy_labels(labels, 0, o->labels, 0); // no outline is at the edge of the image
    }
    o->rows = band->shape.height;
    for (int32_t y = 0; y < o->rows; y++) {
        copy_labels(labels, y, o->labels, y + 1);
        memcpy(image_row(o->image, y + 1), image_row(band, y), row);
    }
    return status;
}

lg_status lg_band_overlay_end(lg_context *context, lg_band_overlay *o, lg_error *error)
{
    if (!o->rows)
        return LG_OK;
    copy_labels(o->labels, o->rows, o->labels, o->rows + 1);
    const lg_status status = draw(context, o, error);
    o->rows = 0;
    return status;
}
