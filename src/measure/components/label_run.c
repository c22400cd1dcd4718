// Labels and figures on the CPU, once the components of the bands have their labels.
#include "measure/components/label_plan.h"
#include "measure/components/label_shape.h"
#include "measure/components/label_sums.h"

#include <stdatomic.h>
#include <string.h>

// Labels above this are larger than what caches keep for the next reader.
#define LG_STREAM_BYTES ((size_t)8 << 20)

typedef struct write_state {
    const lg_label_plan *plan;
    lg_labels *labels;   // or NULL
    lg_label_sums *sums; // or NULL
    bool stream;
    _Atomic uint32_t *greatest; // of intensities: bits of a magnitude
} write_state;

// The greatest magnitude of intensities.
static lg_status look_at_band(void *arg, const lg_tile *t)
{
    const write_state *s = arg;
    const lg_label_plan *p = s->plan;
    int32_t *begin = (int32_t *)(void *)t->scratch, *stop = begin + p->width + LG_LABEL_SLACK;
    lg_label_runs runs = {.begin = begin, .end = stop};
    uint32_t greatest = 0, so_far = atomic_load(s->greatest);
    for (int64_t row = t->y; row < t->y_end; row++) {
        const lg_label_row r = lg_label_plan_row(p, row);
        runs.n = p->table->extents(r.bits, r.starts, p->words, begin, stop);
        runs.y = (int32_t)(row % p->height);
        runs.z = (int32_t)(row / p->height);
        greatest = LG_MAX(greatest, lg_label_greatest(p->task->intensity, &runs));
    }
    while (greatest > so_far && !atomic_compare_exchange_weak(s->greatest, &so_far, greatest)) {
    }
    return LG_OK;
}

static lg_status write_band(void *arg, const lg_tile *t)
{
    const write_state *s = arg;
    const lg_label_plan *p = s->plan;
    uint32_t *label = (uint32_t *)(void *)t->scratch;
    int32_t *begin = (int32_t *)(label + lg_label_row_labels(p)),
            *stop = begin + p->width + LG_LABEL_SLACK;
    lg_label_runs runs = {.table = p->table,
                          .begin = begin,
                          .end = stop,
                          .label = label + 1,
                          .first_part = p->band_parts[t->index],
                          .others = stop + p->width + LG_LABEL_SLACK};
    for (int64_t row = t->y; row < t->y_end; row++) {
        lg_label_plan_relieve(p, row);
        const lg_label_row r = lg_label_plan_row(p, row);
        const int64_t y = row % p->height, z = row / p->height;
        lg_label_plan_labels(p, t->index, row, label);
        if (s->labels)
            p->table->write(r.bits, r.starts, (size_t)p->width, label,
                            (uint32_t *)((char *)s->labels->data +
                                         (size_t)z * s->labels->layer_stride +
                                         (size_t)y * s->labels->row_stride),
                            s->stream);
        if (s->sums) {
            runs.n = p->table->extents(r.bits, r.starts, p->words, begin, stop);
            runs.part = p->parent + r.first;
            runs.y = (int32_t)y;
            runs.z = (int32_t)z;
            lg_label_sums_add(s->sums, &runs);
        }
    }
    p->table->fence();
    return LG_OK;
}

// A worker has the labels of a row's runs and so many rows of ends of runs.
static lg_status for_bands(const lg_label_plan *p, lg_tile_fn *run, void *job, size_t rows,
                           lg_error *error)
{
    lg_tiling bands = lg_label_bands(p);
    bands.scratch =
        (lg_label_row_labels(p) + rows * ((size_t)p->width + LG_LABEL_SLACK)) * sizeof(uint32_t);
    bands.what = "the runs of a row";
    bands.run = run;
    bands.job = job;
    return lg_tiling_run(p->context->pool, &bands, error);
}

static lg_status write_all(const lg_label_plan *p, lg_labels *labels, lg_label_sums *sums,
                           lg_error *error)
{
    write_state s = {.plan = p, .labels = labels, .sums = sums};
    if (labels)
        s.stream = labels->layer_stride * (size_t)labels->layers >= LG_STREAM_BYTES;
    return for_bands(p, write_band, &s, 3, error);
}

static lg_status find_greatest(const lg_label_plan *p, uint32_t *out, lg_error *error)
{
    _Atomic uint32_t greatest = 0;
    write_state s = {.plan = p, .greatest = &greatest};
    const lg_status status = for_bands(p, look_at_band, &s, 3, error);
    *out = greatest;
    return status;
}

static lg_status find_unit(const lg_label_plan *p, double *unit, lg_error *error)
{
    const lg_image *intensity = p->task->intensity;
    const lg_type type = intensity ? intensity->shape.type : LG_U8;
    uint32_t greatest = 0;
    *unit = p->task->unit;
    if (*unit > 0)
        return LG_OK;
    const lg_status status = type > LG_U16 ? find_greatest(p, &greatest, error) : LG_OK;
    *unit = lg_label_unit(type, greatest);
    return status;
}

lg_status lg_label_greatest_of(lg_context *context, const lg_label_task *task, uint32_t *out,
                               lg_error *error)
{
    lg_label_plan p;
    lg_status status =
        lg_label_plan_create(context, task, task->connectivity, false, NULL, &p, error);
    if (status)
        return status;
    status = find_greatest(&p, out, error);
    lg_label_plan_destroy(&p);
    return status;
}

// Shapes need labels, wanted or not.
static lg_status take_figures(const lg_label_plan *p, lg_labels **labels, lg_components *c,
                              lg_error *error)
{
    const lg_label_task *task = p->task;
    lg_label_sums sums = {0};
    lg_labels *own = NULL;
    lg_status status = LG_OK;
    if (task->shape && !*labels)
        status =
            lg_labels_create_uninit(p->context, p->width, p->height, p->layers, false, &own, error);
    lg_labels *to = own ? own : *labels;
    if (!status)
        status = find_unit(p, &c->unit, error);
    if (!status)
        status = lg_label_sums_create(task, p->width, p->height, c->unit, p->band_parts[p->bands],
                                      &sums, error);
    sums.planes = !lg_connectivity_is_volume(task->connectivity);
    if (!status)
        status = write_all(p, to, &sums, error);
    if (!status)
        lg_label_sums_finish(&sums, p->label, c);
    if (!status && task->shape) {
        c->shape = lg_alloc_array(c->count, sizeof *c->shape);
        status = c->shape
                     ? lg_label_shape(p->context, to, c->count, task->connectivity, c->shape, error)
                     : lg_fail_memory(error, c->count * sizeof *c->shape, "shapes");
    }
    lg_label_sums_destroy(&sums);
    lg_labels_destroy(&own);
    return status;
}

lg_status lg_label_cpu(lg_context *context, const lg_label_task *task, lg_labels **labels,
                       lg_components *components, lg_error *error)
{
    lg_label_plan p;
    lg_status status =
        lg_label_plan_create(context, task, task->connectivity, false, *labels, &p, error);
    if (status)
        return status;
    if (task->want_labels && !*labels)
        status =
            lg_labels_create_uninit(context, p.width, p.height, p.layers, false, labels, error);
    if (!status && components)
        status = take_figures(&p, labels, components, error);
    else if (!status)
        status = write_all(&p, *labels, NULL, error);
    if (!status && task->want_labels)
        (*labels)->count = p.count;
    lg_label_plan_destroy(&p);
    return status;
}

// ---- holes ----------------------------------------------------------------------------------------

typedef struct hole_state {
    const lg_label_plan *plan; // of the background
    uint8_t *open;             // [labels] 1: reaches the edge
    lg_image *filled;
} hole_state;

// Runs at the edge belong to background that is none of a hole.
static void find_open(const lg_label_plan *p, uint8_t *open)
{
    const bool volume = lg_connectivity_is_volume(p->connectivity);
    for (size_t band = 0; band < p->bands; band++) {
        const uint32_t *label = p->label + p->band_parts[band];
        const int64_t end = lg_label_band_begin(p, band + 1);
        for (int64_t row = lg_label_band_begin(p, band); row < end; row++) {
            const uint32_t first = p->first[row], last = p->first[row + 1];
            const int64_t y = row % p->height, z = row / p->height;
            const bool edge = y == 0 || y == p->height - 1 ||
                              (volume && p->layers > 1 && (z == 0 || z == p->layers - 1));
            for (uint32_t i = first; edge && i < last; i++)
                open[label[p->parent[i]]] = 1;
            const uint64_t *bits = p->bits + (size_t)row * p->words;
            if (bits[0] & 1)
                open[label[p->parent[first]]] = 1;
            if (bits[p->words - 1] >> ((p->width - 1) % 64) & 1)
                open[label[p->parent[last - 1]]] = 1;
        }
    }
}

static lg_status fill_band(void *arg, const lg_tile *t)
{
    const hole_state *s = arg;
    const lg_label_plan *p = s->plan;
    uint32_t *label = (uint32_t *)(void *)t->scratch;
    int32_t *begin = (int32_t *)(label + lg_label_row_labels(p)),
            *stop = begin + p->width + LG_LABEL_SLACK;
    for (int64_t row = t->y; row < t->y_end; row++) {
        const lg_label_row r = lg_label_plan_row(p, row);
        uint8_t *out = (uint8_t *)s->filled->data +
                       (size_t)(row / p->height) * s->filled->shape.layer_stride +
                       (size_t)(row % p->height) * s->filled->shape.row_stride;
        lg_label_plan_labels(p, t->index, row, label);
        const size_t n = p->table->extents(r.bits, r.starts, p->words, begin, stop);
        memset(out, 255, (size_t)p->width);
        for (size_t i = 0; i < n; i++)
            if (s->open[label[1 + i]])
                memset(out + begin[i], 0, (size_t)(stop[i] - begin[i]));
    }
    return LG_OK;
}

static int complementary(int connectivity)
{
    switch (connectivity) {
    case 4:
        return 8;
    case 8:
        return 4;
    case 6:
        return 26;
    default:
        return 6;
    }
}

static lg_status fill(const lg_label_plan *p, lg_image *filled, lg_error *error)
{
    hole_state s = {.plan = p, .filled = filled};
    s.open = lg_alloc_array((size_t)p->count + 1, 1);
    if (!s.open)
        return lg_fail_memory(error, (size_t)p->count + 1, "holes");
    find_open(p, s.open);
    const lg_status status = for_bands(p, fill_band, &s, 2, error);
    lg_free(s.open);
    return status;
}

lg_status lg_label_fill_holes(lg_context *context, const lg_label_task *task, lg_image **filled,
                              lg_error *error)
{
    const lg_image_params *s = &task->image->shape;
    const lg_image_params shape = {
        .width = s->width, .height = s->height, .layers = s->layers, .channels = 1, .type = LG_U8};
    lg_label_plan p;
    lg_status status = lg_label_plan_create(context, task, complementary(task->connectivity), true,
                                            NULL, &p, error);
    if (status)
        return status;
    lg_image *image = NULL;
    status = lg_image_create_uninit(context, &shape, &image, error);
    if (!status)
        status = fill(&p, image, error);
    lg_label_plan_destroy(&p);
    if (status)
        lg_image_destroy(&image);
    else
        *filled = image;
    return status;
}
