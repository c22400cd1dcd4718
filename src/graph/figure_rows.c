// Figures of images of which some rows are there at a time: sums, counts and components of rows add up.
// Floats that are counted in bins are looked at first, as bins are of the range of all.
#include "graph/figure_host.h"

#include "filter/native/label/label_filter.h"
#include "measure/components/label_segments.h"
#include "measure/histogram/histogram.h"
#include "measure/threshold/luma_moments.h"

#include <math.h>
#include <string.h>

typedef struct counted {
    lg_measured m;
    int like;                         // the first task that is made from the same, or this one
    bool some;                        // rows were added
    lg_histogram_accumulator *counts; // COUNTS, BINS, CURVE
    lg_moments_state range[LG_MAX_CHANNELS]; // of floats, for their bins
    bool has_range;
    lg_threshold_accumulator *levels[LG_MAX_CHANNELS]; // LEVEL, of each channel that is asked for
    lg_label_accumulator *labels;                      // COMPONENTS
    lg_component_basic largest;                        // of those that are complete
} counted;

struct lg_figure_bands {
    int count;
    bool looking; // no rows are added yet
    counted *at;
};

// ---- which ----------------------------------------------------------------------------------------

// Counts of bytes are of values, whatever bins there are.
static lg_figure_source source_of(const lg_image_params *shape, const lg_figure *f)
{
    const bool ranks = f->kind >= LG_FIRST_OF_RANKS && !lg_figure_is_curve(f) &&
                       !lg_figure_is_of_components(f) && !lg_figure_is_pixel(f);
    return ranks && shape->type == LG_U8 && shape->channels != 2
               ? LG_SOURCE_COUNTS
               : lg_figure_source_of(shape, f, false);
}

static bool is_float(const lg_image_params *shape)
{
    return shape->type != LG_U8 && shape->type != LG_U16;
}

static bool is_counted(lg_figure_source source)
{
    return source == LG_SOURCE_COUNTS || source == LG_SOURCE_BINS || source == LG_SOURCE_CURVE;
}

bool lg_figure_looks(const lg_image_params *shape, const lg_figure *f)
{
    const lg_figure_source source = source_of(shape, f);
    return is_float(shape) && (source == LG_SOURCE_LEVEL || is_counted(source));
}

const char *lg_figure_needs_whole(const lg_image_params *shape, const lg_figure *figure)
{
    if (figure->previous)
        return "a figure of the run before is measured of all pixels";
    if (lg_figure_is_of_components(figure) && shape->layers > 1)
        return "components of volumes are measured of all pixels";
    return NULL;
}

// ---- life -----------------------------------------------------------------------------------------

lg_status lg_figure_bands_create(const lg_figure_task *tasks, int count, lg_figure_bands **out,
                                 lg_error *error)
{
    lg_figure_bands *figures = lg_alloc(sizeof *figures);
    if (figures)
        figures->at = lg_alloc_array((size_t)count + 1, sizeof *figures->at);
    if (!figures || !figures->at) {
        lg_free(figures);
        return lg_fail_memory(error, (size_t)count * sizeof *figures->at, "the figures of a plan");
    }
    figures->count = count;
    for (int i = 0; i < count; i++) {
        counted *p = &figures->at[i];
        const lg_image_params *shape = &tasks[i].image->shape;
        *p = (counted){.like = i, .m.source = source_of(shape, tasks[i].figure)};
        for (int c = 0; c < LG_MAX_CHANNELS; c++)
            p->range[c] = lg_moments_state_empty(shape->type);
        figures->looking |= lg_figure_looks(shape, tasks[i].figure);
        for (int k = i - 1; k >= 0; k--)
            if (lg_figures_share(&tasks[k], &tasks[i], false) &&
                figures->at[k].m.source == p->m.source)
                p->like = k;
    }
    *out = figures;
    return LG_OK;
}

void lg_figure_bands_destroy(lg_figure_bands **figures)
{
    if (!*figures)
        return;
    for (int i = 0; i < (*figures)->count; i++) {
        counted *p = &(*figures)->at[i];
        lg_histogram_destroy(&p->m.counts);
        lg_histogram_accumulator_destroy(&p->counts);
        lg_label_accumulator_destroy(&p->labels);
        for (int c = 0; c < LG_MAX_CHANNELS; c++)
            lg_threshold_accumulator_destroy(&p->levels[c]);
    }
    lg_free((*figures)->at);
    lg_free(*figures);
    *figures = NULL;
}

bool lg_figure_bands_look(const lg_figure_bands *figures)
{
    return figures->looking;
}

void lg_figure_bands_looked(lg_figure_bands *figures)
{
    figures->looking = false;
}

// ---- counts ---------------------------------------------------------------------------------------

static lg_status look_at_range(lg_context *context, const lg_figure_task *t, counted *p,
                               lg_error *error)
{
    lg_moments_state more[LG_MAX_CHANNELS];
    const bool luma = lg_figure_is_of_luma(&t->image->shape, t->figure);
    const int count = luma ? 1 : lg_image_measured_channels(&t->image->shape);
    const lg_select select = lg_figure_counting(&t->image->shape, t->figure).select;
    lg_scan scan;
    lg_status status = lg_scan_init(&scan, t->image, &select, error);
    if (!status)
        status = luma ? lg_luma_moments(context, &scan, LG_LUMA_GPUIMAGE, true, more, error)
                      : lg_moments_run(context, &scan, true, more, error);
    for (int c = 0; c < count && !status; c++)
        lg_moments_state_merge(&p->range[c], &more[c]);
    p->has_range = true;
    return status;
}

// Bins over the range of what was looked at; where nothing is finite over that of the type.
static lg_status set_range(const counted *p, lg_histogram_params *params, lg_error *error)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int c = 0; c < LG_MAX_CHANNELS; c++) {
        lg_moments figures;
        const lg_status status = lg_moments_finish(&p->range[c], LG_NAN_IGNORE, &figures, error);
        if (status)
            return status;
        lo = fmin(lo, figures.min);
        hi = fmax(hi, figures.max);
    }
    params->automatic_range = false;
    params->type_range = lo > hi;
    if (lo > hi)
        return LG_OK;
    lg_histogram_widen(&lo, &hi);
    params->lo = lo;
    params->hi = hi;
    return LG_OK;
}

// `whole`: the shape of the image that the rows are of.
static lg_status count_rows(lg_context *context, const lg_figure_task *t,
                            const lg_image_params *whole, int64_t first, counted *p,
                            lg_error *error)
{
    lg_histogram_params params = lg_figure_counting(whole, t->figure);
    lg_status status = LG_OK;
    if (!p->counts) {
        params.automatic_range = false;
        params.type_range = true;
        if (p->has_range)
            status = set_range(p, &params, error);
        if (!status)
            status =
                lg_histogram_accumulator_create(&params, whole->type, whole->channels, whole->alpha,
                                                whole->width, whole->height, 1, &p->counts, error);
    }
    if (!status)
        status =
            lg_histogram_accumulator_add(context, p->counts, t->image, NULL, 0, first, 0, error);
    return status;
}

// ---- levels ---------------------------------------------------------------------------------------

// One channel of rows, as an image of its own.
static lg_status take_channel(lg_context *context, const lg_image *from, int channel,
                              lg_image **out, lg_error *error)
{
    lg_image_params shape = from->shape;
    const size_t size = lg_type_size(shape.type), pixel = size * (size_t)shape.channels;
    shape.channels = 1;
    shape.alpha = LG_ALPHA_NONE;
    shape.row_stride = shape.layer_stride = 0;
    const lg_status status = lg_image_create_uninit(context, &shape, out, error);
    for (int32_t y = 0; y < shape.height && !status; y++) {
        const char *row = (const char *)from->data + (size_t)y * from->shape.row_stride;
        char *to = (char *)(*out)->data + (size_t)y * (*out)->shape.row_stride;
        for (size_t x = 0; x < (size_t)shape.width; x++)
            memcpy(to + x * size, row + x * pixel + (size_t)channel * size, size);
    }
    return status;
}

static lg_status level_of_rows(lg_context *context, const lg_image *rows,
                               const lg_image_params *whole, int64_t first, bool look,
                               lg_threshold_accumulator **a, lg_error *error)
{
    lg_threshold_params params = lg_threshold_params_default();
    params.luma = LG_LUMA_GPUIMAGE;
    lg_status status = LG_OK;
    if (!*a)
        status = lg_threshold_accumulator_create(&params, whole->type, rows->shape.channels,
                                                 rows->shape.alpha, whole->width, whole->height, 1,
                                                 a, error);
    if (status)
        return status;
    return look ? lg_threshold_accumulator_look(context, *a, rows, NULL, error)
                : lg_threshold_accumulator_add(context, *a, rows, NULL, 0, first, 0, error);
}

static lg_status level_rows(lg_context *context, const lg_figure_task *t,
                            const lg_image_params *whole, int64_t first, bool look, counted *p,
                            lg_error *error)
{
    const bool luma = lg_figure_is_of_luma(whole, t->figure);
    bool done[LG_MAX_CHANNELS] = {false};
    lg_status status = LG_OK;
    for (int i = 0; i < 4 && !status; i++) {
        const int channel = lg_figure_channel_of(whole, t->figure, i);
        lg_image *alone = NULL;
        if (channel < 0 || done[channel])
            continue;
        done[channel] = true;
        if (!luma && whole->channels > 1)
            status = take_channel(context, t->image, channel, &alone, error);
        if (!status)
            status = level_of_rows(context, alone ? alone : t->image, whole, first, look,
                                   &p->levels[channel], error);
        lg_image_destroy(&alone);
    }
    return status;
}

static lg_status finish_levels(const lg_context *context, const lg_image_params *whole, counted *p,
                               lg_error *error)
{
    for (int c = 0; c < LG_MAX_CHANNELS; c++) {
        lg_threshold found;
        if (!p->levels[c])
            continue;
        const lg_status status =
            lg_threshold_accumulator_finish(p->levels[c], LG_NAN_IGNORE, &found, error);
        if (status)
            return status;
        p->m.number[c] = lg_figure_above_level(context, found.level[0], whole->type);
    }
    return LG_OK;
}

// ---- components -----------------------------------------------------------------------------------

// Of equal areas the component that begins first is the largest.
static lg_status take_component(void *priv, const lg_label_accumulator *a, uint32_t i,
                                lg_error *error)
{
    counted *p = priv;
    const lg_component_basic *b = &a->sums.basic[i], *best = &p->largest;
    if (b->area > best->area || (b->area == best->area && b->first < best->first))
        p->largest = *b;
    return LG_OK;
}

static lg_status label_rows(lg_context *context, const lg_figure_task *t,
                            const lg_image_params *whole, int64_t first, counted *p,
                            lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    params.connectivity = t->figure->connectivity;
    params.memory_limit = SIZE_MAX;
    lg_image *made = NULL;
    lg_status status = lg_foreground_make(context, t->image, NULL, &made, error);
    const lg_image *rows = made ? made : t->image;
    if (!status && !p->labels) {
        status = lg_label_accumulator_create(&params, rows->shape.type, NULL, whole->width,
                                             whole->height, 1, &p->labels, error);
        if (!status)
            lg_label_accumulator_fold(p->labels, take_component, p);
    }
    if (!status)
        status = lg_label_accumulator_add(context, p->labels, rows, NULL, first, 0, error);
    lg_image_destroy(&made);
    return status;
}

static lg_status finish_components(counted *p, lg_error *error)
{
    const lg_status status = lg_label_accumulator_end(p->labels, error);
    p->m.components = (uint32_t)lg_label_accumulator_count(p->labels);
    if (p->m.components)
        p->m.largest = lg_figure_largest(&p->largest);
    return status;
}

// ---- all of them ----------------------------------------------------------------------------------

// Sums of images with an alpha of one have no sums of it: all channels that are measured are added.
static lg_status add_rows(lg_context *context, const lg_figure_task *t, counted *p, lg_error *error)
{
    lg_measured more = {.source = p->m.source}, *m = &p->m;
    const lg_status status = lg_figure_drivers[m->source].measure(context, t, &more, error);
    lg_histogram_destroy(&more.counts); // the sums are made
    if (status)
        return status;
    if (!p->some)
        *m = more;
    else if (m->source == LG_SOURCE_SUMS)
        for (int c = 0; c < lg_image_measured_channels(&t->image->shape); c++)
            lg_moments_state_merge(&m->sums[c], &more.sums[c]);
    p->some = true;
    return LG_OK;
}

static lg_status take_rows(lg_context *context, const lg_figure_task *t,
                           const lg_image_params *whole, int64_t first, bool look, counted *p,
                           lg_error *error)
{
    const bool looks = lg_figure_looks(whole, t->figure);
    if (look && !looks)
        return LG_OK;
    if (p->m.source == LG_SOURCE_LEVEL)
        return level_rows(context, t, whole, first, look, p, error);
    if (look)
        return look_at_range(context, t, p, error);
    if (is_counted(p->m.source))
        return count_rows(context, t, whole, first, p, error);
    if (p->m.source == LG_SOURCE_COMPONENTS)
        return label_rows(context, t, whole, first, p, error);
    return first == 0 || p->m.source != LG_SOURCE_PIXEL ? add_rows(context, t, p, error) : LG_OK;
}

lg_status lg_figure_bands_add(lg_context *context, lg_figure_bands *figures,
                              const lg_figure_task *tasks, lg_image *const *images,
                              const int64_t *first, lg_error *error)
{
    const lg_engine_report report = context->report;
    lg_status status = LG_OK;
    for (int i = 0; i < figures->count && !status; i++) {
        lg_figure_task task = tasks[i];
        task.image = images[i];
        if (figures->at[i].like == i && images[i])
            status = take_rows(context, &task, &tasks[i].image->shape, first[i], figures->looking,
                               &figures->at[i], error);
    }
    context->report = report;
    return status;
}

lg_status lg_figure_bands_finish(const lg_context *context, lg_figure_bands *figures,
                                 lg_figure_task *tasks, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < figures->count && !status; i++) {
        counted *p = &figures->at[i];
        if (p->counts)
            status = lg_histogram_accumulator_finish(p->counts, LG_NAN_IGNORE, &p->m.counts, error);
        if (p->labels)
            status = finish_components(p, error);
        if (!status)
            status = finish_levels(context, &tasks[i].image->shape, p, error);
    }
    for (int i = 0; i < figures->count && !status; i++)
        status = lg_figure_make(&figures->at[figures->at[i].like].m, &tasks[i], error);
    return status;
}
