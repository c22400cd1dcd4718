#include "plane_frame.h"

#include "check.h"
#include "content.h"

#include <stdlib.h>
#include <string.h>

static int divided(int size, int by)
{
    return (size + by - 1) / by;
}

int plane_across(const lg_planes *p)
{
    return p->chroma == LG_CHROMA_411                                 ? 4
           : p->chroma == LG_CHROMA_420 || p->chroma == LG_CHROMA_422 ? 2
                                                                      : 1;
}

int plane_down(const lg_planes *p)
{
    return p->chroma == LG_CHROMA_420 ? 2 : 1;
}

plane_frame plane_frame_make(lg_planes planes, int width, int height)
{
    const bool grey = planes.chroma == LG_CHROMA_NONE;
    plane_frame f = {.planes = planes, .count = grey ? 1 : planes.paired ? 2 : 3};
    f.shape = SHAPE(width, height, 1, grey ? 1 : 4, planes.bits > 8 ? LG_U16 : LG_U8,
                    grey ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE);
    for (int i = 0; i < f.count; i++) {
        f.width[i] = i ? divided(width, plane_across(&planes)) : width;
        f.height[i] = i ? divided(height, plane_down(&planes)) : height;
        f.step[i] = i && planes.paired ? 2 : 1;
        f.row[i] = ((size_t)f.width[i] * (size_t)f.step[i] + 6) * lg_type_size(f.shape.type);
        f.data[i] = calloc((size_t)f.height[i], f.row[i]);
        NEED(f.data[i], "no memory");
    }
    return f;
}

void plane_frame_fill(plane_frame *f)
{
    const int top = (1 << f->planes.bits) - 1;
    for (int i = 0; i < f->count; i++)
        for (int y = 0; y < f->height[i]; y++)
            for (int x = 0; x < f->width[i] * f->step[i]; x++) {
                char *at = (char *)f->data[i] + (size_t)y * f->row[i];
                const uint16_t code =
                    (uint16_t)(random_below((uint32_t)top + 1) << f->planes.shift);
                if (f->planes.bits > 8)
                    memcpy(at + 2 * (size_t)x, &code, 2);
                else
                    at[x] = (char)code;
            }
}

lg_image *plane_frame_wrap(lg_context *context, plane_frame *f)
{
    lg_image *image = NULL;
    lg_error error = {0};
    f->shape.planes = &f->planes;
    NEED(!lg_image_wrap_planes(context, &f->shape, f->data, f->row, &image, &error), "%s",
         error.message);
    return image;
}

void plane_frame_free(plane_frame *f)
{
    for (int i = 0; i < 3; i++)
        free(f->data[i]);
}

static double sample(const plane_frame *f, int plane, int x, int y)
{
    uint16_t wide;
    const char *row = (const char *)f->data[plane] + (size_t)y * f->row[plane];
    if (f->planes.bits == 8)
        return ((const uint8_t *)row)[x];
    memcpy(&wide, row + 2 * (size_t)x, 2);
    return wide >> f->planes.shift;
}

double plane_frame_code(const plane_frame *f, int which, int x, int y)
{
    const bool pair = which > 0 && f->planes.paired;
    const int plane = pair ? 1 : which;
    x = x < 0 ? 0 : x < f->width[plane] ? x : f->width[plane] - 1;
    y = y < 0 ? 0 : y < f->height[plane] ? y : f->height[plane] - 1;
    return sample(f, plane, pair ? 2 * x + which - 1 : x, y);
}

bool plane_frames_equal(const plane_frame *a, const plane_frame *b)
{
    bool same = true;
    for (int i = 0; i < a->count; i++)
        for (int y = 0; y < a->height[i]; y++)
            same = same && memcmp((char *)a->data[i] + (size_t)y * a->row[i],
                                  (char *)b->data[i] + (size_t)y * b->row[i],
                                  (size_t)a->width[i] * (size_t)a->step[i] *
                                      lg_type_size(a->shape.type)) == 0;
    return same;
}
