// One part of the rows of an image: it is labelled by itself, on a device or the processor, and its sums and
// border rows go to the accumulator.
#include "measure/components/label_segments.h"

#include "device/dispatch.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_status check_rows(const lg_label_accumulator *a, const lg_image *rows,
                            const lg_image *intensity, lg_error *error)
{
    const lg_image_params *s = rows ? &rows->shape : NULL, *t = intensity ? &intensity->shape : s;
    if (!s || (intensity == NULL) != (a->intensity == LG_TYPES))
        return lg_fail(error, LG_ERROR_ARGUMENT, "rows, and intensities where there are to be any");
    if (s->width != a->region.width || s->layers != 1 || s->channels != 1 ||
        s->type != a->region.type || t->width != s->width || t->height != s->height ||
        t->layers != 1 || t->channels != 1 || (intensity && t->type != a->intensity))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "rows of %d samples in %d channels and %d layers; one channel and one layer "
                       "of %lld samples, of the type that the accumulator was made for, are needed",
                       s->width, s->channels, s->layers, (long long)a->region.width);
    return LG_OK;
}

static bool is_float(lg_type intensity)
{
    return intensity != LG_TYPES && intensity > LG_U16;
}

static lg_status check_place(const lg_label_accumulator *a, const lg_image *rows, int64_t y,
                             int64_t layer, lg_error *error)
{
    if (y < 0 || layer < 0 || y > a->region.height - rows->shape.height ||
        layer >= a->region.layers)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d rows at %lld of layer %lld leave the image",
                       rows->shape.height, (long long)y, (long long)layer);
    return LG_OK;
}

// Components are complete when the rows below them are known.
static lg_status check_next(const lg_label_accumulator *a, int64_t y, int64_t layer,
                            lg_error *error)
{
    const int64_t next = a->segment_count ? a->segments[0].end : 0, h = a->region.height;
    if (layer * h + y == next)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "here rows come from top to bottom: row %lld of layer %lld is next",
                   (long long)(next % h), (long long)(next / h));
}

// Rows, and what is to be done with them.
typedef struct band_work {
    const lg_image *rows;
    lg_host_view image, intensity;
    lg_label_task task;
    lg_labels *labels;
    lg_labels *kept; // gets the labels, from row kept_row of its layers on; NULL: nobody wants them
    int64_t kept_row;
    bool every_row;  // is a border, between layers
    uint32_t *edges; // labels of the first row and the last one, where a device has the others
    lg_components components; // without a place of their own
} band_work;

static void drop_figures(lg_components *c)
{
    lg_free(c->basic);
    lg_free(c->second);
    lg_free(c->intensity);
    *c = (lg_components){.width = c->width,
                         .height = c->height,
                         .layers = 1,
                         .connectivity = c->connectivity,
                         .unit = 1};
}

static band_work band_of(const lg_label_accumulator *a, const lg_image *rows,
                         const lg_image *intensity)
{
    return (band_work){.rows = rows,
                       .task = {.image = rows,
                                .intensity = intensity,
                                .foreground = a->params.foreground,
                                .level = a->params.level,
                                .connectivity = a->params.connectivity,
                                .memory_limit = a->params.memory_limit},
                       .components = {.width = rows->shape.width,
                                      .height = rows->shape.height,
                                      .layers = 1,
                                      .connectivity = a->params.connectivity,
                                      .unit = 1}};
}

// The pixels of rows and intensities are in host memory behind this.
static lg_status open_band(band_work *w, lg_error *error)
{
    const lg_image *intensity = w->task.intensity;
    lg_status status = lg_host_view_open(w->rows, &w->image, error);
    if (!status && intensity)
        status = lg_host_view_open(intensity, &w->intensity, error);
    w->task.image = &w->image.image.image;
    w->task.intensity = intensity ? &w->intensity.image.image : NULL;
    return status;
}

static void close_band(band_work *w)
{
    lg_labels_destroy(&w->labels);
    drop_figures(&w->components);
    lg_free(w->edges);
    lg_host_view_close(&w->image);
    lg_host_view_close(&w->intensity);
}

lg_status lg_label_accumulator_look(lg_context *context, lg_label_accumulator *a,
                                    const lg_image *rows, const lg_image *intensity,
                                    lg_error *error)
{
    band_work w;
    uint32_t greatest = 0;
    lg_status status = lg_context_check(context, error);
    if (!status && !a)
        status = lg_fail_null(error, "an accumulator");
    if (!status)
        status = check_rows(a, rows, intensity, error);
    if (!status && a->segment_count)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "rows are looked at before any are added");
    if (status || !is_float(a->intensity))
        return status;
    w = band_of(a, rows, intensity);
    status = open_band(&w, error);
    if (!status)
        status = lg_label_greatest_of(context, &w.task, &greatest, error);
    if (!status) {
        a->greatest = LG_MAX(a->greatest, greatest);
        a->looked = true;
    }
    close_band(&w);
    return status;
}

// ---- labels of the rows ---------------------------------------------------------------------------

static uint32_t *row_of(const lg_labels *l, int64_t y)
{
    return (uint32_t *)(void *)((char *)l->data + (size_t)y * l->row_stride);
}

static const uint32_t *edge_row(const band_work *w, bool last)
{
    const int32_t width = w->rows->shape.width, y = last ? w->rows->shape.height - 1 : 0;
    return w->edges ? w->edges + (last ? width : 0) : row_of(w->labels, y);
}

#ifdef LG_HAVE_VULKAN
// The first row and the last one come back, and all where they are kept.
static lg_status fetch_labels(lg_context *context, band_work *w, lg_error *error)
{
    const struct lg_vk_buffer *device = lg_labels_internal(w->labels)->device;
    const size_t width = (size_t)w->rows->shape.width, height = (size_t)w->rows->shape.height;
    const size_t row = width * sizeof(uint32_t);
    w->edges = lg_alloc_uninit(2 * row);
    if (!w->edges)
        return lg_fail_memory(error, 2 * row, "labels of two rows");
    if (!w->kept)
        return lg_vk_download(context->vk, w->edges, row, device, 0, row * LG_MAX(height - 1, 1u),
                              row, height > 1 ? 2 : 1, error);
    const lg_status status =
        lg_vk_download(context->vk, row_of(w->kept, w->kept_row), w->kept->row_stride, device, 0,
                       row, row, height, error);
    if (status)
        return status;
    memcpy(w->edges, row_of(w->kept, w->kept_row), row);
    memcpy(w->edges + width, row_of(w->kept, w->kept_row + (int64_t)height - 1), row);
    return LG_OK;
}

static lg_status label_on_device(lg_context *context, void *arg, lg_error *error)
{
    band_work *w = arg;
    context->report.upload = context->report.download = -1;
    snprintf(context->report.variant, sizeof context->report.variant, "vulkan-label");
    lg_status status = lg_label_vulkan(context, &w->task, &w->labels, &w->components, error);
    if (!status)
        status = fetch_labels(context, w, error);
    if (!status && w->rows->shape.height == 1)
        memcpy(w->edges + w->rows->shape.width, w->edges,
               (size_t)w->rows->shape.width * sizeof *w->edges);
    if (status) { // what it has begun is given back
        lg_labels_destroy(&w->labels);
        drop_figures(&w->components);
        lg_free(w->edges);
        w->edges = NULL;
    }
    return status;
}
#endif

static lg_status label_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    band_work *w = arg;
    const double start = lg_time_seconds();
    lg_status status = open_band(w, error);
    if (!status)
        status = lg_label_cpu(context, &w->task, &w->labels, &w->components, error);
    const int32_t height = w->rows->shape.height;
    for (int32_t y = 0; y < height && w->kept && !status; y++)
        memcpy(row_of(w->kept, w->kept_row + y), row_of(w->labels, y),
               (size_t)w->rows->shape.width * sizeof(uint32_t));
    context->report.compute = lg_time_seconds() - start;
    snprintf(context->report.variant, sizeof context->report.variant, "cpu-label");
    return status;
}

// Why a device does not label the rows; NULL: it does.
static const char *why_cpu(const lg_context *context, const band_work *w)
{
    const char *why = NULL;
    if (w->every_row)
        return "the rows of a volume are joined on the processor";
    if (!w->rows->data) // values of its border rows are read here
        return "rows without host pixels";
    if (w->task.intensity && is_float(w->task.intensity->shape.type))
        return "a device sums intensities of floats in a unit of its own";
#ifdef LG_HAVE_VULKAN
    if (!lg_label_fits_device(context, &w->task, &why))
        return why ? why : "the kernels do not take these rows";
#endif
    return why;
}

static lg_status label_part(lg_context *context, const lg_label_accumulator *a, band_work *w,
                            lg_error *error)
{
    static const lg_backend_row row = {"labels of rows", LG_VULKAN(label_on_device), label_on_cpu};
    w->task.want_labels = true;
    w->task.figures = true;
    w->task.moments = a->params.moments;
    w->task.unit = lg_label_unit(a->intensity == LG_TYPES ? LG_U8 : a->intensity, a->greatest);
    const char *why = context->vk ? why_cpu(context, w) : "";
    return why ? lg_on_cpu(context, &row, w, why, error) : lg_dispatch(context, &row, w, error);
}

static uint32_t bits_of(const lg_image *image, int32_t x, int32_t y)
{
    const size_t size = lg_type_size(image->shape.type);
    const char *at =
        (const char *)image->data + (size_t)y * image->shape.row_stride + (size_t)x * size;
    uint16_t half;
    uint32_t word;
    if (size == 1)
        return *(const uint8_t *)at;
    if (size == 2) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    memcpy(&word, at, sizeof word);
    return word;
}

// The runs of labels of row y.
static bool take_runs(const band_work *w, bool values, const uint32_t *row, int32_t y,
                      uint32_t base, lg_row_border *out)
{
    const int32_t width = w->rows->shape.width;
    size_t count = 0;
    for (int32_t x = 0; x < width; x++)
        count += row[x] && (x == 0 || row[x] != row[x - 1]);
    lg_border_run *runs = lg_alloc_array(LG_MAX(count, (size_t)1), sizeof *runs);
    if (!runs)
        return false;
    count = 0;
    for (int32_t x = 0; x < width; x++) {
        if (row[x] && (x == 0 || row[x] != row[x - 1]))
            runs[count++] =
                (lg_border_run){x, x, values ? bits_of(w->task.image, x, y) : 0, base + row[x] - 1};
        if (row[x])
            runs[count - 1].end = x + 1;
    }
    *out = (lg_row_border){runs, count};
    return true;
}

static bool take_border(const band_work *w, bool values, bool last, uint32_t base,
                        lg_row_border *out)
{
    const int32_t y = last ? w->rows->shape.height - 1 : 0;
    return take_runs(w, values, edge_row(w, last), y, base, out);
}

static void free_rows(lg_row_border *rows, int32_t count)
{
    for (int32_t y = 0; y < count && rows; y++)
        lg_free(rows[y].runs);
    lg_free(rows);
}

// Of all rows, for the layer behind.
static lg_status take_rows(const band_work *w, bool values, uint32_t base, lg_row_border **out,
                           lg_error *error)
{
    const int32_t height = w->rows->shape.height;
    lg_row_border *rows = lg_alloc_array((size_t)height, sizeof *rows);
    bool good = rows != NULL;
    for (int32_t y = 0; y < height && good; y++)
        good = take_runs(w, values, row_of(w->labels, y), y, base, &rows[y]);
    if (good) {
        *out = rows;
        return LG_OK;
    }
    free_rows(rows, height);
    return lg_fail_memory(error, (size_t)height * sizeof *rows, "runs of a layer");
}

// From the rows' own places to those of the image.
static void move_sums(const lg_label_accumulator *a, lg_components *c, uint32_t i, int64_t y,
                      int64_t layer)
{
    lg_component_basic *b = &c->basic[i];
    const uint64_t n = b->area, down = (uint64_t)y, deep = (uint64_t)layer;
    if (c->second) {
        lg_component_second *s = &c->second[i];
        s->yy += (lg_u128)(2 * down) * b->sum[1] + (lg_u128)(n * down) * down;
        s->xy += (lg_u128)b->sum[0] * down;
        s->zz = (lg_u128)(n * deep) * deep;
        s->xz = (lg_u128)b->sum[0] * deep;
        s->yz = (lg_u128)(b->sum[1] + n * down) * deep;
    }
    if (c->intensity) {
        c->intensity[i].moment[1] += c->intensity[i].sum * y;
        c->intensity[i].moment[2] = c->intensity[i].sum * layer;
    }
    b->first += (deep * (uint64_t)a->region.height + down) * (uint64_t)a->region.width;
    b->sum[1] += n * down;
    b->sum[2] = n * deep;
    b->low[1] += (int32_t)y;
    b->high[1] += (int32_t)y;
    b->low[2] = b->high[2] = (int32_t)layer;
}

// Everything is there: this does not fail.
static void take_part(lg_label_accumulator *a, band_work *w, const lg_label_segment *segment,
                      int64_t y, int64_t layer)
{
    lg_components *c = &w->components;
    const uint32_t base = a->parts, count = w->labels->count;
    for (uint32_t i = 0; i < count; i++) {
        move_sums(a, c, i, y, layer);
        a->parent[base + i] = base + i;
        a->sums.basic[base + i] = c->basic[i];
        if (c->second)
            a->sums.second[base + i] = c->second[i];
        if (c->intensity)
            a->sums.intensities[base + i] = c->intensity[i];
    }
    a->parts += count;
    a->bands[a->band_count++] = (lg_label_band){segment->first, segment->end, base, count};
    a->region.covered += (uint64_t)(segment->end - segment->first) * (uint64_t)a->region.width;
    lg_label_accumulator_insert(a, segment);
}

// The unit was made for smaller magnitudes: sums would not be those of the whole image.
static lg_status check_unit(const lg_label_accumulator *a, const band_work *w, lg_error *error)
{
    const double most =
        is_float(a->intensity) ? (double)lg_label_magnitude(a->intensity, a->greatest) : HUGE_VAL;
    const lg_component_intensity *v = w->components.intensity;
    for (uint32_t i = 0; v && i < w->labels->count; i++)
        if (v[i].count && (v[i].max > most || -v[i].min > most))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "intensities of floats are looked at before they are added; %g was not",
                           v[i].max > most ? v[i].max : v[i].min);
    return LG_OK;
}

static lg_status add_part(lg_context *context, lg_label_accumulator *a, band_work *w, int64_t y,
                          int64_t layer, lg_error *error)
{
    const bool values = a->params.foreground == LG_FOREGROUND_VALUES;
    const int64_t first = layer * a->region.height + y;
    lg_label_segment segment = {.first = first, .end = first + w->rows->shape.height};
    lg_status status = label_part(context, a, w, error);
    if (!status)
        status = check_unit(a, w, error);
    if (!status)
        status = lg_label_accumulator_reserve(a, w->labels->count, 1, 1, error);
    if (status)
        return status;
    if (!take_border(w, values, false, a->parts, &segment.top) ||
        !take_border(w, values, true, a->parts, &segment.bottom)) {
        lg_label_segment_free(&segment);
        return lg_fail_memory(error, (size_t)a->region.width, "runs of a row");
    }
    lg_row_border *rows = NULL;
    if (a->before)
        status = take_rows(w, values, a->parts, &rows, error);
    if (status) {
        lg_label_segment_free(&segment);
        return status;
    }
    take_part(a, w, &segment, y, layer);
    if (rows)
        lg_label_accumulator_join_layers(a, rows, y, w->rows->shape.height);
    lg_free(rows); // the runs are the accumulator's
    return a->take ? lg_label_accumulator_close(a, error) : LG_OK;
}

lg_status lg_label_accumulator_add_kept(lg_context *context, lg_label_accumulator *a,
                                        const lg_image *rows, const lg_image *intensity, int64_t y,
                                        int64_t layer, lg_labels *kept, lg_error *error)
{
    band_work w;
    lg_status status = lg_context_check(context, error);
    if (!status && !a)
        status = lg_fail_null(error, "an accumulator");
    if (!status)
        status = check_rows(a, rows, intensity, error);
    if (!status)
        status = check_place(a, rows, y, layer, error);
    if (!status && (a->label || a->ended))
        status = lg_fail(error, LG_ERROR_ARGUMENT, "labels were given out already");
    if (!status && (a->take || a->before))
        status = check_next(a, y, layer, error);
    if (!status && a->before && a->params.shape && !a->links)
        status = lg_fail(error, LG_ERROR_UNSUPPORTED,
                         "surfaces of volumes are counted from labels in scratch files: call "
                         "lg_label_accumulator_scratch_labels first");
    if (!status && is_float(a->intensity) && !a->looked)
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "intensities of floats are looked at before they are added");
    const int64_t first = layer * (a ? a->region.height : 0) + y;
    if (!status)
        status = lg_label_accumulator_check_free(a, first, first + rows->shape.height, error);
    if (status)
        return status;
    w = band_of(a, rows, intensity);
    w.every_row = a->before != NULL;
    w.kept = kept;
    w.kept_row = kept ? first : 0;
    status = add_part(context, a, &w, y, layer, error);
    close_band(&w);
    return status;
}

lg_status lg_label_accumulator_add(lg_context *context, lg_label_accumulator *a,
                                   const lg_image *rows, const lg_image *intensity, int64_t y,
                                   int64_t layer, lg_error *error)
{
    return lg_label_accumulator_add_kept(context, a, rows, intensity, y, layer, NULL, error);
}
