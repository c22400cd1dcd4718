// Native filters in a band, on the CPU: they compute an image of the rows that they need.
#include "graph/plan_rows.h"

#include <string.h>

// Rows first .. end - 1 of an image of which row `base` is the first in memory; others may be missing. It
// owns nothing.
static lg_image_private band_of(const lg_image *image, int64_t base, int64_t first, int64_t end)
{
    lg_image_private rows = *(const lg_image_private *)image;
    rows.image.data =
        (void *)((uintptr_t)image->data + (uintptr_t)(first - base) * image->shape.row_stride);
    rows.image.shape.height = (int32_t)(end - first);
    rows.device = NULL;
    rows.has_digest = false;
    return rows;
}

// Copies rows first .. end - 1 between images of which rows `to_base` and `from_base` are the first.
static void copy_rows(lg_image *to, int64_t to_base, const lg_image *from, int64_t from_base,
                      int64_t first, int64_t end)
{
    const size_t bytes = (size_t)to->shape.width * lg_pixel_size(&to->shape);
    for (int32_t z = 0; z < to->shape.layers; z++)
        for (int64_t y = first; y < end; y++)
            memcpy((char *)to->data + (size_t)z * to->shape.layer_stride +
                       (size_t)(y - to_base) * to->shape.row_stride,
                   (const char *)from->data + (size_t)z * from->shape.layer_stride +
                       (size_t)(y - from_base) * from->shape.row_stride,
                   bytes);
}

static lg_image_params rows_shape(const lg_image_params *of, int64_t rows)
{
    lg_image_params shape = *of;
    shape.height = (int32_t)rows;
    shape.row_stride = shape.layer_stride = 0;
    return shape;
}

typedef struct band_images {
    int64_t first, end; // rows of the first image
    bool whole;
    lg_image_private in;
    lg_image *second, *out; // of their own
} band_images;

// The second image is read at the pixel only: rows beyond those of the band need not be in memory.
static lg_status make_second(const lg_plan *plan, const lg_plan_band *band,
                             const lg_plan_stage *stage, const lg_native_call *call, band_images *b)
{
    const int64_t base = lg_plan_band_base(plan, band, stage->in[1]);
    const lg_image_params shape = rows_shape(&call->in[1]->shape, b->end - b->first);
    int64_t first, end;
    lg_plan_band_rows(plan, band, stage->in[1], &first, &end);
    const lg_status status = lg_image_create(call->context, &shape, &b->second, call->error);
    if (!status)
        copy_rows(b->second, b->first, call->in[1], base, LG_MAX(first, b->first),
                  LG_MIN(end, b->end));
    return status;
}

static lg_status open_images(const lg_plan *plan, const lg_plan_band *band,
                             const lg_plan_stage *stage, const lg_native_call *call, band_images *b)
{
    lg_plan_native_rows(plan, band, stage, &b->first, &b->end);
    b->whole = lg_plan_stage_reach(plan, stage, 0).whole != NULL;
    b->in = band_of(call->in[0], lg_plan_band_base(plan, band, stage->in[0]), b->first, b->end);
    const lg_image_params *out = &plan->slots[stage->out].shape;
    const lg_image_params shape = rows_shape(out, b->whole ? out->height : b->end - b->first);
    lg_status status = LG_OK;
    if (call->in[1] && !b->whole)
        status = make_second(plan, band, stage, call, b);
    return status ? status : lg_image_create_uninit(call->context, &shape, &b->out, call->error);
}

// At the addresses of the whole images.
static lg_status run_by_rows(const lg_plan *plan, const lg_plan_band *band,
                             const lg_plan_stage *stage, const lg_native_call *call)
{
    const int in = stage->in[0], out = stage->out;
    lg_image_private from = band_of(call->in[0], lg_plan_band_base(plan, band, in), 0,
                                    plan->slots[in].shape.height),
                     to = band_of(call->out, lg_plan_band_base(plan, band, out), 0,
                                  plan->slots[out].shape.height);
    lg_native_call rows = *call;
    rows.in[0] = &from.image;
    rows.out = &to.image;
    lg_plan_band_rows(plan, band, out, &rows.first, &rows.end);
    return ((const lg_filter_entry *)call->filter)->native->cpu(&rows);
}

lg_status lg_plan_run_native_rows(const lg_plan *plan, const lg_plan_band *band,
                                  const lg_plan_stage *stage, const lg_native_call *call)
{
    if (((const lg_filter_entry *)call->filter)->native->by_rows)
        return run_by_rows(plan, band, stage, call);
    band_images b = {0};
    lg_native_call rows = *call;
    lg_status status = open_images(plan, band, stage, call, &b);
    rows.in[0] = &b.in.image;
    rows.in[1] = b.second ? b.second : call->in[1];
    rows.out = b.out;
    if (!status)
        status = ((const lg_filter_entry *)call->filter)->native->cpu(&rows);
    int64_t first, end;
    lg_plan_band_rows(plan, band, stage->out, &first, &end);
    if (!status)
        copy_rows(call->out, lg_plan_band_base(plan, band, stage->out), b.out,
                  b.whole ? 0 : b.first, first, end);
    lg_image_destroy(&b.second);
    lg_image_destroy(&b.out);
    return status;
}
