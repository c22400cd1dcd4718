// Boxes smoothed several times, from one table: samples summed `order` times along every axis.
//
// A box is a difference of a running sum, so a box convolved with itself n times is the nth
// difference of the nth running sum: n + 1 entries along each axis, whatever the side. Entries wrap
// modulo 2^64. That is no harm where the weighted sum itself fits, which is checked before.
#include "measure/areasum/areasum_smooth.h"
#include "device/dispatch.h"
#include "device/spill.h"
#include "engine/tile.h"
#include "measure/areasum/areasum_lines.h"

#include <math.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);

#define SPAN       1024 // words of a job of a pass along an axis
#define PART       4096 // the same of files
#define LEAST_BITS 24   // of a float sample that its words must keep

// ---- samples ------------------------------------------------------------------------------------

typedef struct work {
    lg_area_smooth *s;
    const lg_area_array *array;
    const lg_area_lines_table *lines;
    size_t samples_size;
    int axis;
    size_t inner; // words before the axis
    struct {
        double max;
        uint64_t ignored;
        char apart[48];
    } * of; // each worker
} work;

static size_t samples_of_line(const work *w)
{
    return (size_t)w->array->extent[0] * (size_t)w->array->channels;
}

static lg_status look_at_line(void *arg, const lg_tile *t)
{
    const work *w = arg;
    for (int64_t line = t->y; line < t->y_end; line++) {
        const void *samples = lg_area_line(w->array, (size_t)line, t->scratch);
        for (size_t i = 0; i < samples_of_line(w); i++) {
            const double v = fabs(lg_sample_at(samples, w->array->type, i));
            if (!isfinite(v))
                w->of[t->worker].ignored++;
            else if (v > w->of[t->worker].max)
                w->of[t->worker].max = v;
        }
    }
    return LG_OK;
}

// Where a line of the array begins in the table.
static size_t entry_of_line(const lg_area_smooth *s, size_t line)
{
    size_t at = 0, step = s->length[0];
    for (int d = 1; d < s->shape.dims; d++) {
        at += line % (size_t)s->shape.extent[d] * step;
        line /= (size_t)s->shape.extent[d];
        step *= s->length[d];
    }
    return at;
}

// A line as words. Behind it nothing is left to do: the table was zero.
static lg_status put_line(void *arg, const lg_tile *t)
{
    const work *w = arg;
    const lg_area_smooth *s = w->s;
    for (int64_t line = t->y; line < t->y_end; line++) {
        const void *samples = lg_area_line(w->array, (size_t)line, t->scratch);
        uint64_t *to = s->table + entry_of_line(s, (size_t)line) * (size_t)s->shape.channels;
        for (size_t i = 0; i < samples_of_line(w); i++) {
            const double v = lg_sample_at(samples, w->array->type, i);
            to[i] = (uint64_t)(int64_t)rint(s->unit ? ldexp(v, -s->unit) : v);
        }
    }
    return LG_OK;
}

static lg_status for_lines(lg_context *context, work *w, lg_tile_fn *run, lg_error *error)
{
    size_t lines = 1;
    for (int d = 1; d < w->array->dims; d++)
        lines *= (size_t)w->array->extent[d];
    const lg_tiling tiling = {.height = (int64_t)lines,
                              .band = (int64_t)LG_MAX(SPAN / samples_of_line(w), (size_t)1),
                              .scratch = w->samples_size,
                              .what = "a line of an array",
                              .run = run,
                              .job = w};
    return lg_tiling_run(context->pool, &tiling, error);
}

// ---- running sums -------------------------------------------------------------------------------

static lg_status sum_lines(void *arg, const lg_tile *t)
{
    const work *w = arg;
    const lg_area_smooth *s = w->s;
    const size_t channels = (size_t)s->shape.channels;
    for (int64_t line = t->y; line < t->y_end; line++) {
        uint64_t *at = s->table + (size_t)line * s->length[0] * channels;
        for (int n = 0; n < s->order; n++)
            w->lines->prefix_u64(at, s->length[0], s->shape.channels, at);
    }
    return LG_OK;
}

static lg_status sum_columns(void *arg, const lg_tile *t)
{
    const work *w = arg;
    const lg_area_smooth *s = w->s;
    const size_t length = s->length[w->axis], count = (size_t)(t->x_end - t->x);
    for (int n = 0; n < s->order; n++) {
        uint64_t *at = s->table + (size_t)t->y * length * w->inner + (size_t)t->x;
        for (size_t i = 1; i < length; i++, at += w->inner)
            w->lines->join[LG_AREA_ADD_U64](at + w->inner, at, count, at + w->inner);
    }
    return LG_OK;
}

// One step along an axis: a row, and what the rows up to it have been summed up to so far.
typedef struct axis_step {
    const work *w;
    uint64_t *at, *sums; // sums: of the first passes, for all words before the axis
} axis_step;

static lg_status step_of_axis(void *arg, const lg_tile *t)
{
    const axis_step *s = arg;
    uint64_t *at = s->at + t->x, *sums = s->sums + t->x;
    for (int n = 0; n < s->w->s->order; n++, sums += s->w->inner) {
        s->w->lines->join[LG_AREA_ADD_U64](at, sums, (size_t)(t->x_end - t->x), at);
        memcpy(sums, at, (size_t)(t->x_end - t->x) * sizeof *at);
    }
    return LG_OK;
}

// Files in the order that their words have, all passes at once: a chunk of few words along all of an axis
// has pages of all of the file.
static lg_status sum_mapped_axis(lg_context *context, const work *w, size_t rows, lg_error *error)
{
    const size_t bytes = (size_t)w->s->order * w->inner * sizeof(uint64_t);
    void *sums = NULL;
    lg_status status = lg_block_take(context, bytes, "smoothed boxes", &sums, error);
    axis_step s = {w, w->s->table, sums};
    for (size_t i = 0; i < rows && !status; i++, s.at += w->inner) {
        if (i % w->s->length[w->axis] == 0)
            memset(sums, 0, bytes);
        const lg_tiling parts = {
            .width = (int64_t)w->inner, .height = 1, .strip = PART, .run = step_of_axis, .job = &s};
        status = lg_tiling_run(context->pool, &parts, error);
    }
    lg_block_give(context, sums);
    return status;
}

static lg_status sum_axes(lg_context *context, work *w, lg_error *error)
{
    const lg_area_smooth *s = w->s;
    const size_t channels = (size_t)s->shape.channels;
    lg_tiling tiling = {.height = (int64_t)(s->entries / s->length[0]),
                        .band = (int64_t)LG_MAX(SPAN / s->length[0], (size_t)1),
                        .run = sum_lines,
                        .job = w};
    lg_status status = lg_tiling_run(context->pool, &tiling, error);
    w->inner = channels * s->length[0];
    for (w->axis = 1; w->axis < s->shape.dims && !status; w->axis++) {
        const size_t rows = s->entries * channels / w->inner;
        tiling = (lg_tiling){.width = (int64_t)w->inner,
                             .height = (int64_t)(rows / s->length[w->axis]),
                             .strip = SPAN,
                             .band = 1,
                             .run = sum_columns,
                             .job = w};
        status = lg_blocks_are_mapped(context) ? sum_mapped_axis(context, w, rows, error)
                                               : lg_tiling_run(context->pool, &tiling, error);
        w->inner *= s->length[w->axis];
    }
    return status;
}

// ---- building -----------------------------------------------------------------------------------

static lg_status check(const lg_area_array *array, int order, int32_t max_side, lg_error *error)
{
    size_t elements;
    const lg_status status = lg_area_array_check(array, &elements, error);
    if (status)
        return status;
    if (order < 1 || order > LG_AREA_MAX_ORDER)
        return lg_fail(error, LG_ERROR_ARGUMENT, "boxes smoothed %d times; 1 to %d is possible",
                       order, LG_AREA_MAX_ORDER);
    if (max_side < 1 || max_side % 2 == 0 || max_side > LG_MAX_SIDE)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "windows of up to %d elements along an axis; an odd number up to %d is "
                       "needed",
                       max_side, LG_MAX_SIDE);
    return LG_OK;
}

// Finds the unit of floats, and refuses what would not fit the words: sums of weights times samples.
static lg_status choose_unit(lg_area_smooth *s, double max, lg_error *error)
{
    const int times = s->order * s->shape.dims;
    const double weights = pow(s->max_side, times);
    int magnitude, bits;
    if (!lg_area_is_float(s->shape.type))
        return fmax(max, 1) * weights <= 0x1p62
                   ? LG_OK
                   : lg_fail(error, LG_ERROR_LIMIT,
                             "sums under windows of side %d, smoothed %d times in %d dimensions, "
                             "do not fit 64 bits: the largest magnitude is %.0f. Take smaller "
                             "windows, or smooth less often",
                             s->max_side, s->order, s->shape.dims, max);
    (void)frexp(max, &magnitude);
    (void)frexp(weights, &bits); // weights < 2^bits
    if (62 - bits < LEAST_BITS)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "windows of side %d, smoothed %d times in %d dimensions, leave floats %d "
                       "bits; %d are needed. Take smaller windows, or smooth less often",
                       s->max_side, s->order, s->shape.dims, LG_MAX(62 - bits, 0), LEAST_BITS);
    s->unit = magnitude - (62 - bits);
    return LG_OK;
}

// The size of the table.
static lg_status lay_out(lg_area_smooth *s, size_t limit, lg_error *error)
{
    double bytes = (double)s->shape.channels * sizeof *s->table;
    s->entries = 1;
    for (int d = 0; d < s->shape.dims; d++) {
        s->length[d] =
            (size_t)s->shape.extent[d] + (size_t)s->order * ((size_t)s->max_side - 1) / 2;
        bytes *= (double)s->length[d];
        s->entries *= s->length[d]; // wraps only where the next line refuses
    }
    if (bytes > (double)limit)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "the table of boxes smoothed %d times needs %.4g MB; "
                       "the limit is %.4g MB",
                       s->order, bytes / 1e6, (double)limit / 1e6);
    return LG_OK;
}

static lg_status look(lg_context *context, work *w, double *max, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    uint64_t ignored = 0;
    w->of = lg_alloc_array(threads, sizeof *w->of);
    if (!w->of)
        return lg_fail_memory(error, threads * sizeof *w->of, "a look at the samples");
    const lg_status status = for_lines(context, w, look_at_line, error);
    *max = 0;
    for (size_t i = 0; i < threads; i++) {
        *max = fmax(*max, w->of[i].max);
        ignored += w->of[i].ignored;
    }
    lg_free(w->of);
    if (!status && ignored)
        return lg_fail(error, LG_ERROR_DATA,
                       "%llu samples are not finite; smoothed boxes need finite ones",
                       (unsigned long long)ignored);
    return status;
}

typedef struct build_task {
    lg_area_smooth *s;
    const lg_area_array *array;
} build_task;

#ifdef LG_HAVE_VULKAN
static lg_status build_on_device(lg_context *context, void *arg, lg_error *error)
{
    const build_task *t = arg;
    return lg_area_smooth_vulkan(context, t->s, t->array, error);
}
#endif

static work work_of(const lg_context *context, lg_area_smooth *s, const lg_area_array *array)
{
    work w = {.s = s, .array = array};
    w.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    w.samples_size = lg_align_up(samples_of_line(&w) * lg_type_size(array->type), 64);
    return w;
}

static lg_status build_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const build_task *t = arg;
    lg_area_smooth *s = t->s;
    const size_t words = s->entries * (size_t)s->shape.channels;
    work w = work_of(context, s, t->array);
    void *table = NULL;
    lg_status status =
        lg_block_take_zeroed(context, words * sizeof *s->table, "smoothed boxes", &table, error);
    s->table = table;
    s->limited = context->spill ? context : NULL;
    if (!status)
        status = for_lines(context, &w, put_line, error);
    return status ? status : sum_axes(context, &w, error);
}

// What is known before the table is made, wherever that is.
static lg_status prepare(lg_context *context, lg_area_smooth *s, const lg_area_array *array,
                         size_t limit, lg_error *error)
{
    double max = 0;
    work w = work_of(context, s, array);
    lg_status status = look(context, &w, &max, error);
    if (!status)
        status = choose_unit(s, max, error);
    return status ? status : lay_out(s, limit, error);
}

lg_status lg_area_smooth_create(lg_context *context, const lg_area_array *array, int order,
                                int32_t max_side, size_t memory_limit, lg_area_smooth **out,
                                lg_error *error)
{
    static const lg_backend_row row = {"smoothed boxes", LG_VULKAN(build_on_device), build_on_cpu};
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = check(array, order, max_side, error);
    if (!status && !out)
        status = lg_fail_null(error, "a place for the smoothed boxes");
    if (status)
        return status;
    lg_area_smooth *s = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "smoothed boxes");
    *s = (lg_area_smooth){.shape = *array, .order = order, .max_side = max_side};
    s->shape.data = NULL;
    build_task task = {s, array};
    status = prepare(context, s, array, memory_limit ? memory_limit : (size_t)16 << 30, error);
    if (!status)
        status = lg_dispatch(context, &row, &task, error);
    if (status)
        lg_area_smooth_destroy(&s);
    else
        *out = s;
    return status;
}

void lg_area_smooth_destroy(lg_area_smooth **smooth)
{
    if (!smooth || !*smooth)
        return;
    if ((*smooth)->device)
        (*smooth)->on_device->destroy(&(*smooth)->device);
    lg_block_give((*smooth)->limited, (*smooth)->table);
    lg_free(*smooth);
    *smooth = NULL;
}

double lg_area_smooth_unit(const lg_area_smooth *smooth)
{
    return smooth ? ldexp(1, smooth->unit) : 0;
}

// ---- queries ------------------------------------------------------------------------------------

// The entries of a window along an axis, with their factors.
typedef struct stencil {
    int64_t at[LG_AREA_MAX_ORDER + 1]; // below 0: nothing
    int64_t factor[LG_AREA_MAX_ORDER + 1];
    uint64_t weight; // of the elements inside the array
} stencil;

// (i + n) over n: the nth running sum of ones. It is 0 below 0.
static lg_u128 running(int64_t i, int n)
{
    lg_u128 r = 1;
    if (i < 0)
        return 0;
    for (int k = 1; k <= n; k++)
        r = r * (lg_u128)(i + k) / (lg_u128)k;
    return r;
}

static stencil stencil_of(const lg_area_smooth *s, int d, const int32_t *bounds)
{
    const int64_t first = bounds[d], end = bounds[s->shape.dims + d], side = end - first,
                  radius = (side - 1) / 2, centre = first + radius;
    stencil out = {.weight = 0};
    int64_t factor = 1;
    for (int k = 0; k <= s->order; k++) {
        const int64_t at = centre + s->order * radius - k * side;
        out.at[k] = at;
        out.factor[k] = k % 2 ? -factor : factor;
        out.weight +=
            (uint64_t)out.factor[k] *
            (uint64_t)(running(at, s->order) - running(at - s->shape.extent[d], s->order));
        factor = factor * (s->order - k) / (k + 1);
    }
    return out;
}

// The weighted sum, in units.
static uint64_t sum_of(const lg_area_smooth *s, const stencil *along, int channel)
{
    const size_t channels = (size_t)s->shape.channels;
    int at[LG_AREA_DIMS] = {0};
    uint64_t sum = 0;
    for (int d = 0; d < s->shape.dims;) {
        size_t entry = 0, step = 1;
        int64_t factor = 1;
        for (int k = 0; k < s->shape.dims; k++) {
            const int64_t i = along[k].at[at[k]];
            factor *= i < 0 ? 0 : along[k].factor[at[k]];
            entry += (size_t)LG_MAX(i, (int64_t)0) * step;
            step *= s->length[k];
        }
        if (factor)
            sum += (uint64_t)factor * s->table[entry * channels + (size_t)channel];
        for (d = 0; d < s->shape.dims && ++at[d] > s->order; d++)
            at[d] = 0;
    }
    return sum;
}

static double mean_of(const lg_area_smooth *s, const stencil *along, uint64_t sum)
{
    uint64_t weight = 1;
    for (int d = 0; d < s->shape.dims; d++)
        weight *= along[d].weight;
    const int64_t with_sign = (int64_t)sum;
    const double mean = lg_quotient(with_sign < 0 ? 0 - sum : sum, weight, s->unit);
    return with_sign < 0 ? -mean : mean;
}

static lg_status check_window(const lg_area_smooth *s, const int32_t *bounds, size_t index,
                              lg_error *error)
{
    for (int d = 0; d < s->shape.dims; d++) {
        const int64_t first = bounds[d], end = bounds[s->shape.dims + d], side = end - first;
        const int64_t centre = first + (side - 1) / 2;
        if (side < 1 || side % 2 == 0 || side > s->max_side)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "window %zu has the side %lld along axis %d; it must be odd, from 1 to "
                           "%d",
                           index, (long long)side, d, s->max_side);
        if (centre < 0 || centre >= s->shape.extent[d])
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "window %zu has its centre at %lld along axis %d, outside the array, "
                           "which goes from 0 to %lld",
                           index, (long long)centre, d, (long long)s->shape.extent[d]);
    }
    return LG_OK;
}

typedef struct batch {
    const lg_area_smooth *s;
    const int32_t *bounds;
    const uint64_t *sums; // from a device; NULL: they are read from the table
    double *out;
} batch;

static lg_status answer(void *arg, const lg_tile *t)
{
    const batch *b = arg;
    const int dims = b->s->shape.dims, channels = b->s->shape.channels;
    for (int64_t i = t->y; i < t->y_end; i++) {
        stencil along[LG_AREA_DIMS];
        lg_context_relieve(b->s->limited);
        for (int d = 0; d < dims; d++)
            along[d] = stencil_of(b->s, d, b->bounds + 2 * dims * i);
        for (int c = 0; c < channels; c++)
            b->out[i * channels + c] =
                mean_of(b->s, along, b->sums ? b->sums[i * channels + c] : sum_of(b->s, along, c));
    }
    return LG_OK;
}

// What lies on a device only the device can answer from.
static lg_status sums_from_device(lg_context *context, const lg_area_smooth *s,
                                  const int32_t *bounds, size_t count, uint64_t **sums,
                                  lg_error *error)
{
    lg_error why = {0};
    const size_t words = LG_MAX(count, (size_t)1) * (size_t)s->shape.channels;
    *sums = lg_alloc_array(words, sizeof **sums);
    if (!*sums)
        return lg_fail_memory(error, words * sizeof **sums, "the answers of a query");
    const lg_status status = s->on_device->sums(s, bounds, count, *sums, &why);
    return status ? lg_device_failure(context, "smoothed boxes", status, &why, error) : LG_OK;
}

lg_status lg_area_smooth_query(lg_context *context, const lg_area_smooth *smooth,
                               const int32_t *bounds, size_t count, double *out, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status && (!smooth || (count && (!bounds || !out))))
        status = lg_fail_null(error, "smoothed boxes, windows, and a place for the means");
    if (!status)
        status = lg_area_check_owner(context, smooth->device ? smooth->owner : NULL, error);
    for (size_t i = 0; i < count && !status; i++)
        status = check_window(smooth, bounds + 2 * (size_t)smooth->shape.dims * i, i, error);
    uint64_t *sums = NULL;
    if (!status && smooth->device)
        status = sums_from_device(context, smooth, bounds, count, &sums, error);
    batch b = {smooth, bounds, sums, out};
    const lg_tiling windows = {
        .height = (int64_t)count, .band = LG_AREA_BOXES_AT_ONCE, .run = answer, .job = &b};
    if (!status)
        status = lg_tiling_run(context->pool, &windows, error);
    lg_free(sums);
    return status;
}
