// Y'CbCr planes as grey, RGB or RGBA, and back: docs/definitions.md, Video. core/pixel_planes.h has the
// arithmetic, which stages of plans use too.
#include "io/film.h"

#include "core/pixel_planes.h"

#include <string.h>

lg_planes lg_film_planes(const lg_film *film)
{
    return (lg_planes){.chroma = film->planes == 1 ? LG_CHROMA_NONE : film->chroma,
                       .bits = film->bits,
                       .matrix = film->matrix,
                       .full_range = film->full_range,
                       // Chroma of other films lies on the even columns.
                       .siting = film->chroma == LG_CHROMA_420 ? film->siting : LG_SITING_LEFT};
}

static lg_planar planar_of(const lg_film *film, const lg_frame_planes *frame, lg_type type)
{
    const lg_planes planes = lg_film_planes(film);
    void *data[LG_MAX_PLANES] = {NULL};
    size_t rows[LG_MAX_PLANES] = {0};
    for (int i = 0; i < LG_MIN(frame->count, LG_MAX_PLANES); i++)
        data[i] = frame->plane[i].data, rows[i] = frame->plane[i].row;
    return lg_planar_of(&planes, frame->plane[0].width, frame->plane[0].height, data, rows, type);
}

// Alpha is of full range on both sides. To nearest.
static int32_t rescale(int32_t value, int32_t from, int32_t to)
{
    return from == to ? value : (int32_t)(((int64_t)LG_MIN(value, from) * to + from / 2) / from);
}

// Samples of alpha from the plane to the image, or the other way round.
static void move_alpha(const lg_film *film, const lg_image *image, const lg_frame_planes *planes,
                       bool decode)
{
    const size_t sample = lg_type_size(image->shape.type), stored = planes->sample;
    const int32_t most = image->shape.type == LG_U8 ? 255 : 65535, highest = (1 << film->bits) - 1;
    const lg_frame_plane *p = &planes->plane[3];
    for (int32_t y = 0; y < p->height; y++) {
        uint8_t *pixels = lg_image_row(image, 0, y), *row = p->data + (size_t)y * p->row;
        for (int32_t x = 0; x < p->width; x++) {
            const int64_t at = 4 * (int64_t)x + 3;
            if (decode)
                lg_planar_put(pixels, sample, at,
                              rescale(lg_planar_at(row, stored, x), highest, most));
            else
                lg_planar_put(row, stored, x,
                              rescale(lg_planar_at(pixels, sample, at), most, highest));
        }
    }
}

// ---- planes to images ---------------------------------------------------------------------------

void lg_film_shape(const lg_film *film, lg_image_params *out)
{
    *out = (lg_image_params){.width = film->width,
                             .height = film->height,
                             .layers = 1,
                             .channels = film->planes == 1 ? 1 : 4,
                             .type = film->bits > 8 ? LG_U16 : LG_U8,
                             .alpha = film->planes == 1   ? LG_ALPHA_NONE
                                      : film->planes == 4 ? LG_ALPHA_STRAIGHT
                                                          : LG_ALPHA_OPAQUE};
}

void lg_frame_to_image(const lg_film *film, const lg_frame_planes *planes, lg_image *image)
{
    const lg_planar p = planar_of(film, planes, image->shape.type);
    const size_t pixel = lg_pixel_size(&image->shape);
    const int32_t width = image->shape.width;
    for (int32_t y = 0; y < image->shape.height; y++)
        for (int32_t x = 0; x < width; x += LG_PLANAR_SPAN)
            lg_planar_read(&p, x, y, LG_MIN(LG_PLANAR_SPAN, width - x),
                           (char *)lg_image_row(image, 0, y) + (size_t)x * pixel);
    if (planes->count == 4)
        move_alpha(film, image, planes, true);
}

// ---- images to planes ---------------------------------------------------------------------------

void lg_frame_of_image(const lg_film *film, const lg_image *image, lg_frame_planes *planes)
{
    const lg_planar p = planar_of(film, planes, image->shape.type);
    const lg_color_rows rows = {.data = image->data,
                                .row = image->shape.row_stride,
                                .sample = lg_type_size(image->shape.type),
                                .width = image->shape.width,
                                .height = image->shape.height,
                                .channels = image->shape.channels};
    for (int32_t y = 0; y < rows.height; y++)
        lg_planar_write_luma(&p, &rows, y);
    for (int32_t y = 0; p.chroma && y < p.down.chroma; y++)
        lg_planar_write_chroma(&p, &rows, y);
    if (planes->count == 4)
        move_alpha(film, image, planes, false);
}
