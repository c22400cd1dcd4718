// Native filters read whole pixels of 1, 2 or 4 samples: for them packed RGB is padded first.
#include "engine/tile.h"
#include "graph/plan.h"

#define BAND_ROWS 64

typedef struct pad_job {
    const lg_image *from;
    lg_image *to;
} pad_job;

static lg_status pad_rows(void *arg, const lg_tile *t)
{
    const pad_job *job = arg;
    const lg_image_params *s = &job->from->shape, *d = &job->to->shape;
    const char *from = (const char *)job->from->data + (size_t)t->layer * s->layer_stride;
    char *to = (char *)job->to->data + (size_t)t->layer * d->layer_stride;
    for (int64_t y = t->y; y < t->y_end; y++)
        lg_pad_pixels(from + (size_t)y * s->row_stride, (size_t)s->width, 1, lg_type_size(s->type),
                      to + (size_t)y * d->row_stride);
    return LG_OK;
}

lg_status lg_plan_pad_image(const lg_plan *plan, const lg_image *image, lg_image **out,
                            lg_error *error)
{
    *out = NULL;
    if (!lg_shape_is_packed(&image->shape))
        return LG_OK;
    const lg_image_params shape = lg_shape_padded(&image->shape);
    lg_status status = lg_image_create_uninit(plan->context, &shape, out, error);
    pad_job job = {image, *out};
    const lg_tiling tiling = {.height = shape.height,
                              .layers = shape.layers,
                              .band = BAND_ROWS,
                              .run = pad_rows,
                              .job = &job};
    if (!status)
        status = lg_tiling_run(plan->context->pool, &tiling, error);
    return status;
}
