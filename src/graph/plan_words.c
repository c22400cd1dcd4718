// Filters that take pixels of bytes through a table of bytes, without colours in between.
#include "graph/plan.h"

#include <string.h>

#define WORD_LEVELS 256 // most entries along an axis of a table

static bool is_bytes(const lg_image_params *s)
{
    return s->type == LG_U8 && s->channels == 4 && s->alpha != LG_ALPHA_PREMULTIPLIED;
}

bool lg_plan_takes_words(const lg_plan *plan, int index, const lg_image_params *out)
{
    const lg_graph_node *n = &plan->graph->nodes[index];
    const lg_filter_loops *loops = lg_filter_get_loops(n->filter, plan->context->cpu_level);
    if (!loops || !loops->words || n->from[1] < 0)
        return false;
    // Between stages there are no bytes: both images are the caller's.
    if (plan->graph->nodes[n->from[0]].filter || plan->graph->nodes[n->from[1]].filter)
        return false;
    const lg_image_params *table = &plan->nodes[n->from[1]].shape;
    return is_bytes(&plan->nodes[n->from[0]].shape) && is_bytes(table) && is_bytes(out) &&
           (table->layers == 1 || (table->width <= WORD_LEVELS && table->height <= WORD_LEVELS &&
                                   table->layers <= WORD_LEVELS));
}

bool lg_stage_is_words(const lg_plan *plan, const lg_plan_stage *stage)
{
    return stage->count == 1 && plan->nodes[stage->chain[0]].words;
}

static void copy_rows(const lg_image *from, const lg_image *to)
{
    const lg_image_params *s = &from->shape, *d = &to->shape;
    for (int64_t i = 0; i < (int64_t)s->layers * s->height; i++)
        memcpy((char *)to->data + (size_t)i * d->row_stride,
               (const char *)from->data + (size_t)(i / s->height) * s->layer_stride +
                   (size_t)(i % s->height) * s->row_stride,
               (size_t)s->width * lg_pixel_size(s));
}

lg_status lg_plan_table_words(const lg_plan *plan, const lg_image *table, lg_image **out,
                              lg_error *error)
{
    const lg_image_params *s = &table->shape;
    *out = NULL;
    if (lg_shape_is_packed(s))
        return lg_plan_pad_image(plan, table, out, error);
    const bool even = s->layers == 1 || s->layer_stride == s->row_stride * (size_t)s->height;
    if (even && s->row_stride % 4 == 0 && (uintptr_t)table->data % 4 == 0)
        return LG_OK;
    lg_image_params shape = *s;
    shape.row_stride = shape.layer_stride = 0;
    const lg_status status = lg_image_create_uninit(plan->context, &shape, out, error);
    if (!status)
        copy_rows(table, *out);
    return status;
}
