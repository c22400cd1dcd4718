// Building area sums: which quantities there are, in which words, how much memory they take.
#include "device/dispatch.h"
#include "device/spill.h"
#include "engine/tile.h"
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

LG_CPU_DECLARE(lg_area_lines_table, areasum_lines);

static lg_status check_params(const lg_area_array *array, const lg_areasum_params *p,
                              lg_error *error)
{
    const bool table = p->kind == LG_AREASUM_TABLE;
    if (!table && p->kind != LG_AREASUM_RIPMAP)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown kind of area sums %d", (int)p->kind);
    if (p->precision != LG_AREA_EXACT && p->precision != LG_AREA_PLAIN)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown precision %d", (int)p->precision);
    if (table && (p->extremes || p->bins))
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s of boxes need a ripmap; a table has sums only",
                       p->extremes ? "extremes" : "histograms");
    if (p->precision == LG_AREA_PLAIN &&
        (!lg_area_is_float(array->type) || array->type == LG_F64 || p->squares))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "plain precision is for 16- and 32-bit floats without squares; these are "
                       "samples of %s%s",
                       lg_type_name(array->type), p->squares ? " with squares" : "");
    if (p->nan != LG_NAN_IGNORE && p->nan != LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "samples that are not finite are left out or an error in area sums");
    if (p->bins < 0 || p->bins > 65536)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d bins; 1 to 65536 are possible", p->bins);
    if (p->bins && !lg_area_bins_fit(array->type, p))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "histograms from %g to %g; both must be finite, and the first must be below "
                       "the second%s",
                       p->low, p->high,
                       lg_area_is_float(array->type) ? ", as 32-bit floats too" : "");
    if (p->counts_above && isnan(p->above))
        return lg_fail(error, LG_ERROR_ARGUMENT, "counts above a value that is not a number");
    return LG_OK;
}

#define PARTS 64   // of an array that are looked at for a guess
#define SOME  1024 // elements of each, at most

// ---- what is in the samples -----------------------------------------------------------------------

typedef struct survey {
    const lg_area_array *array;
    const lg_area_lines_table *lines;
    size_t samples_size, words;
    struct {
        uint64_t ignored, wide; // wide: of f64
        uint32_t max;
        char apart[40]; // workers write at the same time
    } * of;
} survey;

static lg_status look_at_line(void *arg, const lg_tile *t)
{
    const survey *l = arg;
    const void *samples = lg_area_line(l->array, (size_t)t->y, t->scratch);
    if (l->array->type == LG_F64) {
        lg_area_find_most(samples, l->words, &l->of[t->worker].wide, &l->of[t->worker].ignored);
        return LG_OK;
    }
    float *floats = (float *)(void *)(t->scratch + l->samples_size);
    for (size_t i = 0; l->array->type == LG_F16 && i < l->words; i++) {
        uint16_t v;
        memcpy(&v, (const char *)samples + 2 * i, 2);
        floats[i] = lg_half_to_float(v);
    }
    l->lines->find_max(l->array->type == LG_F16 ? floats : samples, l->words, &l->of[t->worker].max,
                       &l->of[t->worker].ignored);
    return LG_OK;
}

static void merge_surveys(const survey *l, size_t threads, double *max, uint64_t *ignored)
{
    uint32_t bits = 0;
    uint64_t wide = 0;
    *ignored = 0;
    for (size_t i = 0; i < threads; i++) {
        bits = LG_MAX(bits, l->of[i].max);
        wide = LG_MAX(wide, l->of[i].wide);
        *ignored += l->of[i].ignored;
    }
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    *max = (double)largest;
    if (l->array->type == LG_F64)
        memcpy(max, &wide, sizeof *max);
}

// The largest magnitude, and how many samples are not finite.
static lg_status look_at_samples(lg_context *context, const lg_area_array *array, size_t elements,
                                 double *max, uint64_t *ignored, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    survey l = {.array = array, .words = (size_t)array->extent[0] * (size_t)array->channels};
    l.lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    l.samples_size = lg_align_up(l.words * lg_type_size(array->type), 64);
    l.of = lg_alloc_array(threads, sizeof *l.of);
    if (!l.of)
        return lg_fail_memory(error, threads * sizeof *l.of, "a look at the samples");
    // A line as it is gathered, and what it is as floats.
    const lg_tiling lines = {.height = (int64_t)(elements / (size_t)array->extent[0]),
                             .band = 1,
                             .scratch = l.samples_size + l.words * sizeof(float),
                             .what = "a look at the samples",
                             .run = look_at_line,
                             .job = &l};
    const lg_status status = lg_tiling_run(context->pool, &lines, error);
    if (!status)
        merge_surveys(&l, threads, max, ignored);
    lg_free(l.of);
    return status;
}

// The same of some of the samples.
static void look_at_some(const lg_context *context, const lg_area_array *array, size_t elements,
                         double *max, uint64_t *ignored)
{
    const lg_area_lines_table *lines = LG_CPU_SELECT(areasum_lines, context->cpu_level);
    const size_t columns = (size_t)array->extent[0], count = LG_MIN(columns, (size_t)SOME);
    uint32_t bits = 0;
    *ignored = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const size_t at = elements / PARTS * i, first = LG_MIN(at % columns, columns - count);
        lines->find_max(lg_area_span(array, at / columns, first, count, NULL), count, &bits,
                        ignored);
    }
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    *max = (double)largest;
}

// Whether a single plane can be built on a guess: it says afterwards whether all samples were as guessed.
static bool may_guess(const lg_context *context, const lg_areasum *a, const lg_area_array *array)
{
    const lg_areasum_params *p = &a->params;
    return array->type == LG_F32 && array->channels == 1 && array->stride[0] == sizeof(float) &&
           !p->squares && !p->counts_above && !p->extremes && !p->bins && p->nan == LG_NAN_IGNORE &&
           !context->vk && a->elements >= lg_area_guess_least;
}

static double largest_integer(const lg_area_array *array, size_t elements)
{
    double max = 0;
    for (size_t i = 0; i < elements; i++) {
        const char *at = array->data;
        size_t rest = i;
        for (int d = 0; d < array->dims; d++) {
            at += (int64_t)(rest % (size_t)array->extent[d]) * array->stride[d];
            rest /= (size_t)array->extent[d];
        }
        for (int c = 0; c < array->channels; c++) {
            int32_t v;
            memcpy(&v, at + 4 * c, 4);
            max = fmax(max, fabs((double)v));
        }
    }
    return max;
}

// ---- layout ---------------------------------------------------------------------------------------

// Blocks of a ripmap and where they begin: levels go up to the one with a single node along an axis.
static lg_status lay_out_blocks(lg_areasum *a, lg_error *error)
{
    a->blocks = 1;
    for (int d = 0; d < a->shape.dims; d++) {
        a->levels[d] = 1;
        while (a->shape.extent[d] >> a->levels[d])
            a->levels[d]++;
        a->blocks *= (size_t)a->levels[d];
    }
    a->block = lg_alloc_array(a->blocks, sizeof *a->block);
    if (!a->block)
        return lg_fail_memory(error, a->blocks * sizeof *a->block, "the layout of a ripmap");
    for (size_t i = 1; i < a->blocks; i++) {
        size_t rest = i, size = 1;
        for (int d = 0; d < a->shape.dims; d++) {
            size *= (size_t)(a->shape.extent[d] >> (rest % (size_t)a->levels[d]));
            rest /= (size_t)a->levels[d];
        }
        a->block[i] = a->block_elements;
        a->block_elements += size;
    }
    return LG_OK;
}

static bool fits_32(double largest, size_t elements)
{
    return largest * (double)elements <= (double)UINT32_MAX;
}

static lg_area_word word_of(const lg_areasum *a, lg_area_op op, double max)
{
    const bool table = a->params.kind == LG_AREASUM_TABLE;
    const bool extreme = op == LG_AREA_OP_LEAST || op == LG_AREA_OP_MOST;
    if (!lg_area_is_of_values(op))
        return extreme && a->shape.type == LG_F64 ? LG_AREA_U64 : LG_AREA_U32;
    if (a->floats)
        return a->params.precision == LG_AREA_PLAIN ? LG_AREA_F32 : LG_AREA_U64;
    if (op == LG_AREA_OP_SUM && a->shape.type == LG_U8 && table)
        return LG_AREA_U32;
    if (op == LG_AREA_OP_SUM && a->shape.type == LG_I32)
        return LG_AREA_U64;
    return fits_32(op == LG_AREA_OP_SUM ? max : max * max, a->elements) ? LG_AREA_U32 : LG_AREA_U64;
}

static void add_plane(lg_areasum *a, lg_area_op op, int bin, double max)
{
    lg_area_plane *plane = &a->planes[a->plane_count];
    *plane = (lg_area_plane){.op = op, .bin = bin, .word = word_of(a, op, max)};
    if (a->floats)
        plane->exponent = a->magnitude - lg_area_fraction(a->elements);
    if (!lg_area_is_of_values(op))
        lg_area_find_keys(a, plane);
    if (a->plane_of[op] < 0)
        a->plane_of[op] = a->plane_count;
    a->plane_count++;
}

// Sums come first.
static lg_status lay_out_planes(lg_areasum *a, double max, lg_error *error)
{
    const lg_areasum_params *p = &a->params;
    a->plane_count = 0;
    const size_t most_planes = (size_t)p->bins + LG_AREA_OPS;
    a->planes = lg_alloc_array(most_planes, sizeof *a->planes);
    if (!a->planes)
        return lg_fail_memory(error, most_planes * sizeof *a->planes, "area sums");
    for (int op = 0; op < LG_AREA_OPS; op++)
        a->plane_of[op] = -1;
    add_plane(a, LG_AREA_OP_SUM, 0, max);
    if (a->shape.type == LG_F64)
        add_plane(a, LG_AREA_OP_SUM_LOW, 0, max);
    if (a->ignored)
        add_plane(a, LG_AREA_OP_COUNT, 0, max);
    if (p->squares)
        add_plane(a, LG_AREA_OP_SQUARES, 0, max);
    if (p->squares && a->floats)
        add_plane(a, LG_AREA_OP_SQUARES_TOP, 0, max);
    if (p->counts_above)
        add_plane(a, LG_AREA_OP_ABOVE, 0, max);
    if (p->extremes) {
        add_plane(a, LG_AREA_OP_LEAST, 0, max);
        add_plane(a, LG_AREA_OP_MOST, 0, max);
    }
    for (int bin = 0; bin < p->bins; bin++)
        add_plane(a, LG_AREA_OP_BIN, bin, max);
    return LG_OK;
}

static lg_status check_memory(lg_areasum *a, lg_error *error)
{
    const bool ripmap = a->params.kind == LG_AREASUM_RIPMAP;
    double bytes = 0;
    for (int i = 0; i < a->plane_count; i++)
        bytes += lg_area_plane_bytes(a, &a->planes[i]);
    a->bytes = bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2;
    if (bytes <= (double)a->params.memory_limit)
        return LG_OK;
    const double limit = (double)a->params.memory_limit,
                 table = (double)a->elements * a->shape.channels *
                         (double)lg_area_word_size(a->planes[0].word);
    if (!ripmap)
        return lg_fail(error, LG_ERROR_LIMIT, "the tables need %.4g MB; the limit is %.4g MB",
                       bytes / 1e6, limit / 1e6);
    return lg_fail(
        error, LG_ERROR_LIMIT,
        "the ripmap%s needs %.4g MB; the limit is %.4g MB. A table of sums needs %.4g MB",
        a->params.bins ? " with its histograms" : "", bytes / 1e6, limit / 1e6, table / 1e6);
}

static lg_status take(lg_context *limited, size_t bytes, void **out, lg_error *error)
{
    if (limited)
        return lg_block_take(limited, bytes, "area sums", out, error);
    *out = lg_alloc_uninit(bytes);
    return *out ? LG_OK : lg_fail_memory(error, bytes, "area sums");
}

// Memory of a plane, unless it is there already: all of it is of one context, whichever updates it.
static lg_status reserve(lg_context *context, lg_areasum *a, lg_area_plane *plane, lg_error *error)
{
    const bool ripmap = a->params.kind == LG_AREASUM_RIPMAP;
    const size_t word = lg_area_word_size(plane->word) * (size_t)a->shape.channels;
    const size_t bytes = (ripmap ? a->block_elements : a->elements) * word;
    lg_status status = LG_OK;
    if (!plane->data) {
        plane->limited = context->spill ? context : NULL;
        status = take(plane->limited, LG_MAX(bytes, (size_t)64), &plane->data, error);
    }
    if (!status && ripmap && !plane->level0)
        status = take(plane->limited, a->elements * word, &plane->level0, error);
    return status;
}

static lg_status build_here(lg_context *context, lg_areasum *a, const lg_area_array *array,
                            lg_error *error)
{
    const bool ripmap = a->params.kind == LG_AREASUM_RIPMAP;
    const size_t scratch_size =
        ripmap ? lg_area_ripmap_scratch(context, a) : lg_area_table_scratch(context, a);
    void *scratch = lg_alloc_uninit(scratch_size);
    if (!scratch)
        return lg_fail_memory(error, scratch_size, "the scratch of area sums");
    lg_status status = LG_OK;
    for (int i = 0; i < a->plane_count && !status; i++) {
        status = reserve(context, a, &a->planes[i], error);
        bool right = false;
        if (!status)
            status = (ripmap ? lg_area_build_ripmap : lg_area_build_table)(
                context, a, array, &a->planes[i], scratch, &right, error);
        if (!status && right)
            a->guessed = false; // it is known now
    }
    lg_free(scratch);
    return status;
}

typedef struct build_task {
    lg_areasum *a;
    const lg_area_array *array;
} build_task;

static void report_build(lg_context *context, const lg_areasum *a, const char *where, double start)
{
    lg_engine_report *report = &context->report;
    report->upload = report->download = -1;
    report->compute = lg_time_seconds() - start; // with the way to the device
    snprintf(report->variant, sizeof report->variant, "%s-%s", where,
             a->params.kind == LG_AREASUM_RIPMAP ? "ripmap" : "table");
}

#ifdef LG_HAVE_VULKAN
static lg_status build_on_device(lg_context *context, void *arg, lg_error *error)
{
    const build_task *t = arg;
    const char *why = "";
    const double start = lg_time_seconds();
    if (!lg_area_fits_device(context, t->a, &why))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "the device cannot do it because %s", why);
    const lg_status status = lg_area_build_vulkan(context, t->a, t->array, error);
    report_build(context, t->a, "vulkan", start);
    return status;
}
#endif

static void drop_device(lg_areasum *a)
{
    if (a->device)
        a->on_device->destroy(&a->device);
}

static lg_status build_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const build_task *t = arg;
    const double start = lg_time_seconds();
    drop_device(t->a); // of an update
    const lg_status status = build_here(context, t->a, t->array, error);
    report_build(context, t->a, "cpu", start);
    return status;
}

static lg_status build(lg_context *context, lg_areasum *a, const lg_area_array *array,
                       lg_error *error)
{
    static const lg_backend_row row = {"area sums", LG_VULKAN(build_on_device), build_on_cpu};
    build_task task = {a, array};
    return lg_dispatch(context, &row, &task, error);
}

static void drop_plane(lg_area_plane *plane)
{
    lg_block_give(plane->limited, plane->data);
    if (!plane->shared)
        lg_block_give(plane->limited, plane->level0);
}

static void drop_planes(lg_areasum *a)
{
    for (int i = 0; i < a->plane_count; i++)
        drop_plane(&a->planes[i]);
    lg_free(a->planes);
    a->planes = NULL;
    a->plane_count = 0;
}

// Whether the samples are the first level of a plane, bit for bit.
static bool may_share(const lg_context *context, const lg_areasum *a, const lg_area_plane *plane,
                      const lg_area_array *array)
{
    bool same = a->params.share_array && a->params.kind == LG_AREASUM_RIPMAP && !context->vk &&
                plane->word == LG_AREA_F32 && a->shape.type == LG_F32 && !a->ignored &&
                (uintptr_t)array->data % sizeof(float) == 0;
    for (int d = 0; d < a->shape.dims && same; d++)
        same = array->stride[d] == a->shape.stride[d];
    return same;
}

// The planes of this array; those of the last one keep their memory where they are the same.
static lg_status lay_out_again(const lg_context *context, lg_areasum *a, const lg_area_array *array,
                               double max, lg_error *error)
{
    lg_area_plane *old = a->planes;
    const int old_count = a->plane_count;
    const lg_status status = lay_out_planes(a, max, error);
    for (int i = 0; i < old_count; i++) {
        lg_area_plane *now = !status && i < a->plane_count ? &a->planes[i] : NULL;
        if (now && now->op == old[i].op && now->word == old[i].word) {
            now->data = old[i].data;
            now->level0 = old[i].level0;
            now->shared = old[i].shared;
            now->limited = old[i].limited;
        } else {
            drop_plane(&old[i]);
        }
    }
    lg_free(old);
    for (int i = 0; i < a->plane_count && !status; i++) {
        lg_area_plane *plane = &a->planes[i];
        const bool share = may_share(context, a, plane, array);
        if (!plane->shared && share)
            lg_block_give(plane->limited, plane->level0);
        if (plane->shared || share)
            plane->level0 = share ? (void *)(uintptr_t)array->data : NULL;
        plane->shared = share;
    }
    return status;
}

static lg_status look_and_lay_out(lg_context *context, lg_areasum *a, const lg_area_array *array,
                                  bool guess, lg_error *error)
{
    double max = array->type == LG_U8 ? 255 : 65535;
    lg_status status = LG_OK;
    const bool i32_squares = array->type == LG_I32 && a->params.squares;
    if (i32_squares)
        max = largest_integer(array, a->elements);
    a->guessed = false;
    if (guess) {
        look_at_some(context, array, a->elements, &max, &a->ignored);
        a->guessed = a->ignored == 0;
    }
    if (a->floats && !a->guessed)
        status = look_at_samples(context, array, a->elements, &max, &a->ignored, error);
    if (status)
        return status;
    if (a->ignored && a->params.nan == LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_DATA, "%llu samples are not finite",
                       (unsigned long long)a->ignored);
    if (i32_squares && max * max * (double)a->elements >= 0x1p64)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "sums of squares of these 32-bit samples do not fit 64 bits: the largest "
                       "magnitude is %.0f",
                       max);
    if (a->floats)
        (void)frexp(max, &a->magnitude);
    if (a->params.kind == LG_AREASUM_RIPMAP && !a->block)
        status = lay_out_blocks(a, error);
    if (!status)
        status = lay_out_again(context, a, array, max, error);
    return status ? status : check_memory(a, error);
}

// Samples are read twice where the largest magnitude must be known first. A guess saves that; where it was
// wrong, everything is done again.
static lg_status look_and_build(lg_context *context, lg_areasum *a, const lg_area_array *array,
                                lg_error *error)
{
    bool guess = may_guess(context, a, array);
    for (;;) {
        lg_status status = look_and_lay_out(context, a, array, guess, error);
        if (!status)
            status = build(context, a, array, error);
        if (status || !a->guessed)
            return status;
        guess = false;
    }
}

lg_status lg_areasum_create(lg_context *context, const lg_area_array *array,
                            const lg_areasum_params *params, lg_areasum **out, lg_error *error)
{
    lg_areasum_params taken = lg_areasum_params_default();
    size_t elements;
    lg_status status = lg_context_check(context, error);
    if (!status)
        status =
            lg_params_take(params, &LG_PARAMS_TYPE(lg_areasum_params, share_array), &taken, error);
    params = &taken;
    if (!status && !out)
        status = lg_fail_null(error, "a place for the area sums");
    if (!status)
        status = lg_area_array_check(array, &elements, error);
    if (!status)
        status = check_params(array, params, error);
    if (status)
        return status;
    lg_areasum *a = lg_alloc(sizeof *a);
    if (!a)
        return lg_fail_memory(error, sizeof *a, "area sums");
    a->params = *params;
    a->shape = *array;
    a->shape.data = NULL;
    lg_area_array_pack(&a->shape);
    a->elements = elements;
    a->floats = lg_area_is_float(array->type);
    status = look_and_build(context, a, array, error);
    if (status)
        lg_areasum_destroy(&a);
    else
        *out = a;
    return status;
}

lg_status lg_areasum_update(lg_context *context, lg_areasum *a, const lg_area_array *array,
                            lg_error *error)
{
    size_t elements;
    lg_status status = lg_context_check(context, error);
    if (!status && !a)
        status = lg_fail_null(error, "area sums");
    if (!status)
        status = lg_area_check_owner(context, a->device ? a->owner : NULL, error);
    if (!status)
        status = lg_area_array_check(array, &elements, error);
    if (status)
        return status;
    bool same = array->type == a->shape.type && array->dims == a->shape.dims &&
                array->channels == a->shape.channels;
    for (int d = 0; d < a->shape.dims && same; d++)
        same = array->extent[d] == a->shape.extent[d];
    if (!same)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "area sums are updated with an array of another type, extent or number of channels");
    return look_and_build(context, a, array, error);
}

void lg_areasum_destroy(lg_areasum **areasum)
{
    if (!areasum || !*areasum)
        return;
    lg_areasum *a = *areasum;
    drop_device(a);
    drop_planes(a);
    lg_free(a->block);
    lg_free(a);
    *areasum = NULL;
}

void lg_areasum_get_info(const lg_areasum *a, lg_areasum_info *out)
{
    if (!a || !out)
        return;
    *out = (lg_areasum_info){.kind = a->params.kind,
                             .type = a->shape.type,
                             .dims = a->shape.dims,
                             .channels = a->shape.channels,
                             .bytes = a->bytes,
                             .exact = !a->floats,
                             .ignored = a->ignored};
    memcpy(out->extent, a->shape.extent, sizeof out->extent);
    if (a->plane_of[LG_AREA_OP_SUM_LOW] >= 0) // no double has digits below 2^-1074
        out->unit = ldexp(1, LG_MAX(a->planes[0].exponent - lg_area_below(a->elements), -1074));
    else if (a->planes[0].word != LG_AREA_F32)
        out->unit = ldexp(1, a->planes[0].exponent);
}
