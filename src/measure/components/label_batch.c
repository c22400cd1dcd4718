// Components of one image on several devices: each labels strips of rows in an accumulator of its own.
#include "measure/batch_contexts.h"
#include "measure/components/label_segments.h"

enum { STRIPS_PER_CONTEXT = 2, STRIP_ROWS = 32 };

typedef struct strip_work strip_work;

typedef struct strip {
    const strip_work *work;
    int32_t layer, first, end; // rows of it
    lg_label_accumulator *state;
} strip;

struct strip_work {
    const lg_image *image, *intensity;
    lg_labels *kept; // NULL: nobody wants labels
    strip *strips;
    size_t count;
};

// ---- a strip --------------------------------------------------------------------------------------

static lg_status wrap(lg_context *context, const lg_image *of, const strip *s, lg_image **out,
                      lg_error *error)
{
    lg_image_params shape = of->shape;
    const size_t place = (shape.layers > 1 ? (size_t)s->layer * shape.layer_stride : 0) +
                         (size_t)s->first * shape.row_stride;
    shape.height = s->end - s->first;
    shape.layers = 1;
    shape.layer_stride = shape.row_stride * (size_t)shape.height;
    return lg_image_wrap(context, &shape, (char *)of->data + place, out, error);
}

static lg_status label_strip(lg_context *context, void *priv, lg_error *error)
{
    strip *s = priv;
    lg_image *rows = NULL, *intensity = NULL;
    lg_status status = wrap(context, s->work->image, s, &rows, error);
    if (!status && s->work->intensity)
        status = wrap(context, s->work->intensity, s, &intensity, error);
    if (!status)
        status = lg_label_accumulator_add_kept(context, s->state, rows, intensity, s->first,
                                               s->layer, s->work->kept, error);
    lg_image_destroy(&rows);
    lg_image_destroy(&intensity);
    return status;
}

// ---- all of them ----------------------------------------------------------------------------------

// What is not like that is labelled, or refused, by one context.
static bool can_cut(const lg_batch *batch, const lg_image *image, const lg_label_params *p,
                    const lg_image *intensity)
{
    const lg_image_params *s = image ? &image->shape : NULL;
    const lg_image_params *t = intensity ? &intensity->shape : s;
    return s && lg_batch_count(batch) > 1 && image->data && (!intensity || intensity->data) &&
           !s->planes && !t->planes && s->channels == 1 && t->channels == 1 &&
           s->width == t->width && s->height == t->height && s->layers == t->layers &&
           (!intensity || t->type <= LG_U16) && s->height >= 2 * STRIP_ROWS && !p->fill_holes &&
           (s->layers == 1 || !lg_connectivity_is_volume(p->connectivity));
}

static lg_status cut(const lg_batch *batch, strip_work *w, const lg_label_params *params,
                     lg_error *error)
{
    const lg_image_params *s = &w->image->shape;
    const int32_t most = lg_batch_count(batch) * STRIPS_PER_CONTEXT;
    const int32_t rows =
        (int32_t)lg_align_up((size_t)((s->height + most - 1) / most), (size_t)STRIP_ROWS);
    const size_t of_layer = (size_t)((s->height + rows - 1) / rows);
    lg_status status = LG_OK;
    w->count = of_layer * (size_t)s->layers;
    w->strips = lg_alloc_array(w->count, sizeof *w->strips);
    if (!w->strips)
        return lg_fail_memory(error, w->count * sizeof *w->strips, "the strips of an image");
    for (size_t i = 0; i < w->count && !status; i++) {
        const int32_t first = (int32_t)(i % of_layer) * rows;
        w->strips[i] = (strip){.work = w,
                               .layer = (int32_t)(i / of_layer),
                               .first = first,
                               .end = LG_MIN(first + rows, s->height)};
        status = lg_label_accumulator_create(
            params, s->type, w->intensity ? &w->intensity->shape.type : NULL, s->width, s->height,
            s->layers, &w->strips[i].state, error);
    }
    return status;
}

static lg_status label_strips(lg_batch *batch, strip_work *w, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < w->count && !status; i++)
        status = lg_batch_add(batch, label_strip, &w->strips[i], error);
    const lg_status waited = lg_batch_wait(batch, status ? NULL : error);
    status = status ? status : waited;
    for (size_t i = 1; i < w->count && !status; i++)
        status = lg_label_accumulator_merge(w->strips[0].state, w->strips[i].state, error);
    return status;
}

// Perimeters are counted where all labels are.
static lg_status count_shapes(lg_context *context, const lg_labels *labels, lg_components *c,
                              lg_error *error)
{
    c->shape = lg_alloc_array(LG_MAX(c->count, 1u), sizeof *c->shape);
    return c->shape ? lg_label_shape(context, labels, c->count, c->connectivity, c->shape, error)
                    : lg_fail_memory(error, c->count * sizeof *c->shape, "shapes");
}

static lg_status label(lg_batch *batch, strip_work *w, lg_label_params params, bool figures,
                       lg_labels **labels, lg_components **components, lg_error *error)
{
    lg_context *first = lg_batch_context(batch, 0);
    const lg_image_params *s = &w->image->shape;
    const bool shape = figures && params.shape;
    lg_components *c = NULL;
    params.shape = false;
    params.moments = figures && params.moments;
    lg_status status = labels || shape ? lg_labels_create_uninit(first, s->width, s->height,
                                                                 s->layers, false, &w->kept, error)
                                       : LG_OK;
    if (!status)
        status = cut(batch, w, &params, error);
    if (!status)
        status = label_strips(batch, w, error);
    if (!status && w->kept)
        status = lg_label_accumulator_renumber(first, w->strips[0].state, w->kept, error);
    if (!status && figures)
        status = lg_label_accumulator_finish(w->strips[0].state, &c, error);
    if (!status && shape)
        status = count_shapes(first, w->kept, c, error);
    if (status) {
        lg_components_destroy(&c);
        return status;
    }
    if (components)
        *components = c;
    if (labels) {
        *labels = w->kept;
        w->kept = NULL;
    }
    return LG_OK;
}

lg_status lg_batch_label(lg_batch *batch, const lg_image *image, const lg_label_params *params,
                         const lg_image *intensity, lg_labels **labels, lg_components **components,
                         lg_error *error)
{
    lg_label_params taken = lg_label_params_default();
    if (!batch)
        return lg_fail_null(error, "a batch");
    if (!lg_batch_is_idle(batch))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the batch has jobs: call lg_batch_wait before it labels an image");
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_label_params, memory_limit), &taken, error);
    if (status)
        return status;
    if (!can_cut(batch, image, &taken, intensity) || (!labels && !components))
        return lg_label_image(lg_batch_context(batch, 0), image, params, intensity, labels,
                              components, error);
    const bool figures = components && taken.figures;
    strip_work w = {.image = image, .intensity = figures ? intensity : NULL};
    status = label(batch, &w, taken, figures, labels, components, error);
    for (size_t i = 0; i < w.count && w.strips; i++)
        lg_label_accumulator_destroy(&w.strips[i].state);
    lg_free(w.strips);
    lg_labels_destroy(&w.kept);
    return status;
}
