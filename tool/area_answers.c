#include "area_answers.h"
#include "area_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// One query: the structure and where its answers go.
typedef struct query {
    lg_session *session;
    lg_context *context;
    const lg_input_file *file;
    lg_areasum *areasum;
    lg_area_answers *to;
} query;

static size_t channels_of(const lg_area_answers *a)
{
    return (size_t)a->info.channels;
}

static lg_status array_of(const query *q, lg_area_array *out, lg_error *error)
{
    if (q->file->image)
        return lg_area_array_of_image(q->file->image, out, error);
    *out = q->file->array;
    return LG_OK;
}

// ---- what is built ------------------------------------------------------------------------------

// Least and greatest sample of all channels and layers; 0 and 1 where there is none.
static lg_status range_of(const query *q, double *low, double *high, lg_error *error)
{
    lg_moments moments[LG_MAX_CHANNELS];
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    const lg_image *image = q->file->image;
    if (!image) {
        lg_area_find_range(&q->file->array, low, high);
    } else {
        const lg_status status =
            lg_measure_moments(q->context, image, &params, moments, LG_MAX_CHANNELS, error);
        if (status != LG_OK)
            return status;
        lg_session_computed(q->session);
        *low = *high = NAN;
        for (int c = 0; c < lg_image_measured_channels(&image->shape); c++) {
            *low = fmin(*low, moments[c].min);
            *high = fmax(*high, moments[c].max);
        }
    }
    if (isnan(*low)) {
        *low = 0;
        *high = 1;
    }
    return LG_OK;
}

// Not inline: GCC 12 makes vectors of two such conversions side by side and then drops both.
static __attribute__((noinline)) double rounded(double x)
{
    return (double)(float)x;
}

static lg_status choose_bins(const query *q, lg_error *error)
{
    const lg_options *options = q->session->options;
    const lg_type type = q->to->type;
    lg_areasum_params *params = &q->to->params;
    const bool floats = type > LG_U16 && type != LG_I32, wide = type > LG_F32;
    const bool fine = lg_has_figure(options, LG_FIGURE_PERCENTILES);
    params->bins = options->bins > 0 ? (int)options->bins : fine ? 256 : 16;
    params->low = options->lo;
    params->high = options->hi;
    if (options->range_type) {
        params->low = 0;
        params->high = type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
    }
    lg_status status = LG_OK;
    if (options->range_auto ||
        (options->range_type && wide)) // which has no range of its own to show
        status = range_of(q, &params->low, &params->high, error);
    if (status == LG_OK && params->low == params->high && floats) { // as histogram has it
        const double half = fmax(0.5, fabs(params->low) * 0x1p-20);
        params->low = fmax(params->low - half, -(double)FLT_MAX);
        params->high = fmin(params->high + half, (double)FLT_MAX);
    }
    if (floats) { // floats are compared with ends that are floats
        params->low = rounded(params->low);
        params->high = rounded(params->high);
    }
    return status;
}

static lg_status build(query *q, lg_error *error)
{
    const lg_options *options = q->session->options;
    lg_areasum_params *params = &q->to->params;
    const bool bins = lg_needs_bins(options);
    const bool extremes =
        lg_has_figure(options, LG_AREA_MIN) || lg_has_figure(options, LG_AREA_MAX);
    *params = lg_areasum_params_default();
    params->kind = options->area_kind >= 0 ? (lg_areasum_kind)options->area_kind
                   : bins || extremes      ? LG_AREASUM_RIPMAP
                                           : LG_AREASUM_TABLE;
    params->precision = options->plain ? LG_AREA_PLAIN : LG_AREA_EXACT;
    params->squares = lg_has_figure(options, LG_AREA_VARIANCE);
    params->extremes = extremes;
    params->counts_above = lg_has_figure(options, LG_AREA_COUNT_ABOVE);
    params->above = options->above;
    params->nan = options->area_nan ? LG_NAN_ERROR : LG_NAN_IGNORE;
    params->memory_limit = options->memory_limit;
    params->share_array = true; // the file keeps its image
    lg_area_array array;
    lg_status status = bins ? choose_bins(q, error) : LG_OK;
    if (status == LG_OK)
        status = array_of(q, &array, error);
    if (status == LG_OK)
        status = lg_areasum_create(q->context, &array, params, &q->areasum, error);
    if (status == LG_OK)
        lg_areasum_get_info(q->areasum, &q->to->info);
    return status;
}

// ---- polygons and the mask ----------------------------------------------------------------------

static lg_area_polygon polygon_of(const query *q, size_t index)
{
    const lg_area_shapes *shapes = q->to->shapes;
    const lg_named_polygon *named = &shapes->polygon[index];
    return (lg_area_polygon){.points = shapes->points + 2 * named->point,
                             .ring = shapes->ring + named->ring,
                             .rings = named->rings,
                             .winding = (lg_area_winding)q->session->options->winding};
}

// Whether shapes are boxes as they are, which the library answers all at once.
static bool is_boxes(const query *q)
{
    return q->to->shapes->kind == LG_SHAPES_BOXES && !q->session->options->has_angle;
}

static lg_area_rectangle rectangle_of(const query *q, size_t index)
{
    const int32_t *box = q->to->shapes->bounds + 4 * index;
    return (lg_area_rectangle){.x = (box[0] + (double)box[2]) / 2,
                               .y = (box[1] + (double)box[3]) / 2,
                               .width = (double)box[2] - box[0],
                               .height = (double)box[3] - box[1],
                               .angle = q->session->options->angle};
}

// What stands for a box that is turned.
static lg_status boxes_of_turned(const query *q, size_t index, int32_t **bounds,
                                 lg_area_cover *cover, lg_error *error)
{
    const lg_area_rectangle r = rectangle_of(q, index);
    return lg_area_rectangle_boxes(&r, q->to->info.extent[0], q->to->info.extent[1],
                                   lg_box_parts(q->session->options), bounds, cover, error);
}

static lg_status find_covers(const query *q, lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    if (shapes->kind != LG_SHAPES_BOXES || is_boxes(q))
        return LG_OK;
    if (q->to->info.dims != 2)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "has %d axes; --angle turns boxes of two: --page N picks one layer of "
                            "an image",
                            q->to->info.dims);
    lg_area_cover *covers = q->to->covers = calloc(shapes->count, sizeof *covers);
    lg_status status =
        covers ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    for (size_t i = 0; i < shapes->count && status == LG_OK; i++) {
        int32_t *bounds = NULL;
        status = boxes_of_turned(q, i, &bounds, &covers[i], error);
        lg_area_runs_free(&bounds);
    }
    return status;
}

static lg_status runs_of(const query *q, size_t index, int32_t **bounds, size_t *count,
                         lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    if (shapes->kind == LG_SHAPES_BOXES) {
        lg_area_cover cover = {0};
        const lg_status status = boxes_of_turned(q, index, bounds, &cover, error);
        *count = cover.boxes;
        return status;
    }
    const lg_image_params *image = &q->file->image->shape;
    if (shapes->kind == LG_SHAPES_MASK)
        return lg_area_mask_runs(q->session->mask, image->width, image->height, bounds, count,
                                 error);
    const lg_area_polygon polygon = polygon_of(q, index);
    return lg_area_polygon_runs(&polygon, image->width, image->height, bounds, count, error);
}

static bool is_deep(const query *q)
{
    return q->to->info.dims == 3;
}

static int64_t layers_of(const query *q)
{
    const lg_image *image = q->file->image; // NULL: an array, whose shapes are flat
    return q->to->shapes->layers ? q->to->shapes->layers : image ? image->shape.layers : 1;
}

// `some` runs of a plane as boxes of the array, in `to`.
static void boxes_of(const query *q, const int32_t *runs, size_t some, int32_t *to)
{
    const int32_t first = (int32_t)q->to->shapes->first_layer,
                  end = (int32_t)(q->to->shapes->first_layer + layers_of(q));
    for (size_t i = 0; i < some; i++, runs += 4) {
        *to++ = runs[0], *to++ = runs[1];
        if (is_deep(q))
            *to++ = first;
        *to++ = runs[2], *to++ = runs[3];
        if (is_deep(q))
            *to++ = end;
    }
}

static lg_status figure_of_shape(const query *q, lg_area_figure figure, size_t index, double *out,
                                 lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    if (shapes->kind == LG_SHAPES_BOXES) {
        const lg_area_rectangle r = rectangle_of(q, index);
        return lg_areasum_query_rectangle(q->context, q->areasum, figure, &r,
                                          lg_box_parts(q->session->options), out, NULL, error);
    }
    if (shapes->kind == LG_SHAPES_MASK && is_deep(q))
        return lg_areasum_query_mask_layers(q->context, q->areasum, figure, q->session->mask,
                                            shapes->first_layer, layers_of(q), out, error);
    if (shapes->kind == LG_SHAPES_MASK)
        return lg_areasum_query_mask(q->context, q->areasum, figure, q->session->mask, out, error);
    const lg_area_polygon polygon = polygon_of(q, index);
    if (is_deep(q))
        return lg_areasum_query_polygon_layers(q->context, q->areasum, figure, &polygon,
                                               shapes->first_layer, layers_of(q), out, error);
    return lg_areasum_query_polygon(q->context, q->areasum, figure, &polygon, out, error);
}

// Adds the integers of boxes up: of a shape, `width` of them.
typedef lg_status (*boxes_fn)(const query *q, const int32_t *bounds, size_t count, void *out,
                              lg_error *error);

static lg_status integers_of_boxes(const query *q, const int32_t *bounds, size_t count, void *out,
                                   lg_error *error)
{
    return lg_areasum_query_integers(q->context, q->areasum, bounds, count, out, error);
}

static lg_status counts_of_boxes(const query *q, const int32_t *bounds, size_t count, void *out,
                                 lg_error *error)
{
    return lg_areasum_query_histogram(q->context, q->areasum, bounds, count, out, error);
}

// A shape's integers are those of its runs added up, a few runs at once: histograms are large.
static lg_status add_runs(const query *q, boxes_fn fn, size_t width, size_t index, uint64_t *out,
                          lg_error *error)
{
    int32_t *bounds = NULL, *boxes = NULL;
    uint64_t *part = NULL;
    size_t count = 0, room = width < 4096 ? 65536 / width : 16;
    lg_status status = runs_of(q, index, &bounds, &count, error);
    room = room < count ? room : count;
    if (status == LG_OK && room > 0 &&
        (!(part = calloc(room * width, sizeof *part)) ||
         !(boxes = calloc(room * 6, sizeof *boxes))))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    for (size_t first = 0; first < count && status == LG_OK; first += room) {
        const size_t some = count - first < room ? count - first : room;
        boxes_of(q, bounds + 4 * first, some, boxes);
        status = fn(q, boxes, some, part, error);
        for (size_t i = 0; i < some * width && status == LG_OK; i++)
            out[i % width] += part[i]; // modulo 2^64: right for sums with sign as well
    }
    lg_area_runs_free(&bounds);
    free(part);
    free(boxes);
    return status;
}

// ---- figures ------------------------------------------------------------------------------------

static lg_status blame_shape(const query *q, size_t index, lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    return shapes->kind == LG_SHAPES_POLYGONS
               ? lg_blame(error, "polygon", shapes->polygon[index].id)
               : error->status;
}

// `width` integers of every shape, into memory of their own.
static lg_status answer_integers(const query *q, boxes_fn fn, size_t width, void *out,
                                 lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    const double bytes = (double)shapes->count * (double)width * sizeof(uint64_t);
    if (bytes > (double)q->to->params.memory_limit)
        return lg_set_error(error, LG_ERROR_LIMIT,
                            "the answers of %zu shapes need %.4g GiB; --memory-limit is %.4g GiB: "
                            "ask for fewer shapes at once, or fewer bins",
                            shapes->count, bytes / 0x1p30,
                            (double)q->to->params.memory_limit / 0x1p30);
    uint64_t *numbers = calloc(shapes->count * width, sizeof *numbers);
    if (!numbers)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    *(uint64_t **)out = numbers;
    if (is_boxes(q))
        return fn(q, shapes->bounds, shapes->count, numbers, error);
    for (size_t i = 0; i < shapes->count; i++)
        if (add_runs(q, fn, width, i, numbers + i * width, error) != LG_OK)
            return blame_shape(q, i, error);
    return LG_OK;
}

static lg_status answer_figure(const query *q, lg_area_figure figure, double **out, lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    const size_t channels = channels_of(q->to);
    double *values = *out = calloc(shapes->count * channels, sizeof *values);
    if (!values)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    if (is_boxes(q))
        return lg_areasum_query(q->context, q->areasum, figure, shapes->bounds, shapes->count,
                                values, error);
    for (size_t i = 0; i < shapes->count; i++)
        if (figure_of_shape(q, figure, i, values + i * channels, error) != LG_OK)
            return blame_shape(q, i, error);
    return LG_OK;
}

// Sums over the shapes by the sum over everything, which makes a density of the samples.
static lg_status answer_probability(const query *q, double **out, lg_error *error)
{
    const lg_areasum_info *info = &q->to->info;
    const size_t channels = channels_of(q->to);
    int32_t everything[2 * LG_AREA_DIMS] = {0};
    double low = 0, high, total[LG_MAX_CHANNELS];
    lg_status status = LG_OK;
    for (int axis = 0; axis < info->dims; axis++)
        everything[info->dims + axis] = (int32_t)info->extent[axis];
    if (!info->exact || info->type == LG_I32)
        status = range_of(q, &low, &high, error);
    if (status == LG_OK && low < 0)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--density: a sample is %g; a density is nowhere negative", low);
    if (status == LG_OK)
        status = lg_areasum_query(q->context, q->areasum, LG_AREA_SUM, everything, 1, total, error);
    for (size_t c = 0; c < channels && status == LG_OK; c++)
        if (!(total[c] > 0))
            status = lg_set_error(error, LG_ERROR_ARGUMENT,
                                  "--density: the samples of channel %s add up to %g; their sum "
                                  "must be above 0",
                                  lg_file_channel_name(q->file, (int)c), total[c]);
    if (status == LG_OK)
        status = answer_figure(q, LG_AREA_SUM, out, error);
    for (size_t i = 0; i < q->to->shapes->count * channels && status == LG_OK; i++)
        (*out)[i] /= total[i % channels];
    return status;
}

static double moment_of(const lg_area_moment *m, int figure)
{
    const double values[] = {m->mean_x, m->mean_y, m->variance_x, m->variance_y, m->covariance};
    return values[figure - LG_FIGURE_MX];
}

// All moments of the boxes at once, for every figure of them that is asked for.
static lg_status answer_moments(const query *q, lg_error *error)
{
    lg_area_answers *to = q->to;
    const size_t rows = to->shapes->count * channels_of(to);
    lg_area_array array;
    lg_area_moments *moments = NULL;
    lg_area_moment *found = calloc(rows, sizeof *found);
    lg_status status = found ? array_of(q, &array, error)
                             : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    if (status == LG_OK)
        status =
            lg_area_moments_create(q->context, &array, to->params.memory_limit, &moments, error);
    if (status == LG_OK)
        status = lg_area_moments_query(q->context, moments, to->shapes->bounds, to->shapes->count,
                                       found, error);
    for (int f = LG_FIGURE_MX; f <= LG_FIGURE_COV_XY && status == LG_OK; f++) {
        to->values[f] = calloc(rows, sizeof **to->values);
        if (!to->values[f])
            status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
        for (size_t i = 0; i < rows && status == LG_OK; i++)
            to->values[f][i] = moment_of(&found[i], f);
    }
    lg_area_moments_destroy(&moments);
    free(found);
    return status;
}

// Sides must be odd, and the largest of them sizes the table.
static lg_status find_side(const query *q, int32_t *most, lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    const size_t dims = (size_t)shapes->dims;
    *most = 1;
    for (size_t i = 0; i < shapes->count * dims; i++) {
        const int32_t *box = shapes->bounds + i / dims * 2 * dims;
        const int32_t side = box[dims + i % dims] - box[i % dims];
        if (side % 2 == 0)
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "--figure smooth: box %zu has a side of %d; a window around the "
                                "centre of a box needs odd sides",
                                i / dims + 1, side);
        *most = side > *most ? side : *most;
    }
    return LG_OK;
}

static lg_status answer_smooth(const query *q, double **out, lg_error *error)
{
    const lg_area_shapes *shapes = q->to->shapes;
    lg_area_array array;
    lg_area_smooth *smooth = NULL;
    int32_t side;
    double *values = *out = calloc(shapes->count * channels_of(q->to), sizeof *values);
    lg_status status = values ? array_of(q, &array, error)
                              : lg_set_error(error, LG_ERROR_MEMORY, "no memory for the answers");
    if (status == LG_OK)
        status = find_side(q, &side, error);
    if (status == LG_OK)
        status = lg_area_smooth_create(q->context, &array, lg_smooth_order(q->session->options),
                                       side, q->to->params.memory_limit, &smooth, error);
    if (status == LG_OK)
        status =
            lg_area_smooth_query(q->context, smooth, shapes->bounds, shapes->count, values, error);
    q->to->smooth_unit = lg_area_smooth_unit(smooth);
    lg_area_smooth_destroy(&smooth);
    return status;
}

static lg_status answer_one(const query *q, int figure, lg_error *error)
{
    lg_area_answers *to = q->to;
    if (figure == LG_FIGURE_HISTOGRAM || figure == LG_FIGURE_PERCENTILES)
        return to->counts
                   ? LG_OK
                   : answer_integers(q, counts_of_boxes, channels_of(to) * (size_t)to->params.bins,
                                     &to->counts, error);
    if (figure >= LG_FIGURE_MX && figure <= LG_FIGURE_COV_XY)
        return to->values[figure] ? LG_OK : answer_moments(q, error);
    if (figure == LG_FIGURE_SMOOTH)
        return answer_smooth(q, &to->values[figure], error);
    if (figure == LG_FIGURE_PROBABILITY)
        return answer_probability(q, &to->values[figure], error);
    if (figure == LG_AREA_SUM && to->info.exact)
        return answer_integers(q, integers_of_boxes, channels_of(to), &to->sums, error);
    return answer_figure(q, (lg_area_figure)figure, &to->values[figure], error);
}

static lg_status build_and_answer(query *q, lg_error *error)
{
    const lg_options *options = q->session->options;
    const double start = lg_clock();
    lg_status status = build(q, error);
    const double built = lg_clock();
    if (status == LG_OK)
        lg_session_computed(q->session);
    if (status == LG_OK)
        status = find_covers(q, error);
    for (int i = 0; i < options->figure_count && status == LG_OK; i++)
        status = answer_one(q, options->figure[i], error);
    q->to->build = built - start;
    q->to->query = lg_clock() - built;
    return status;
}

lg_status lg_area_answer(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                         lg_area_answers *out, lg_error *error)
{
    const lg_type type = file->image ? file->image->shape.type : file->array.type;
    *out = (lg_area_answers){.shapes = shapes, .type = type};
    query q = {session, session->context, file, NULL, out};
    lg_status status = build_and_answer(&q, error);
    // What was built lies on a device: where that fails, the processor builds it again.
    lg_error why = *error;
    if (q.areasum && lg_session_may_fall_back(session, status, &q.context, error)) {
        lg_areasum_destroy(&q.areasum);
        lg_area_answers_free(out);
        out->shapes = shapes;
        out->type = type;
        status = build_and_answer(&q, error);
        lg_session_fell_back(session, &why);
    }
    lg_areasum_destroy(&q.areasum);
    if (status != LG_OK)
        lg_area_answers_free(out);
    return status;
}

double lg_area_percentile(const lg_options *options, const lg_area_answers *a, size_t row,
                          int index)
{
    const lg_areasum_params *params = &a->params;
    uint64_t *counts = a->counts + row * (size_t)params->bins;
    // With a bin for each value of the type, counts are those of the values.
    const double most = a->type == LG_U8 ? 255 : 65535;
    const bool every = a->type <= LG_U16 && params->low == 0 && params->high == most &&
                       params->bins == (int)most + 1;
    lg_histogram_channel c = {.bins = params->bins,
                              .lo = params->low,
                              .hi = params->high,
                              .type = a->type,
                              .counts = counts,
                              .values = every ? counts : NULL,
                              .value_count = every ? (uint32_t)params->bins : 0};
    for (int i = 0; i < c.bins; i++)
        c.total += counts[i];
    return lg_histogram_percentile(&c, options->percentiles[index]);
}

void lg_area_answers_free(lg_area_answers *answers)
{
    for (int i = 0; i < LG_FIGURES; i++)
        free(answers->values[i]);
    free(answers->covers);
    free(answers->sums);
    free(answers->counts);
    *answers = (lg_area_answers){0};
}
