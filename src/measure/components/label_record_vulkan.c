// Recording the kernels of labels.
#include "measure/components/label_device.h"

#include <math.h>
#include <string.h>

#include "device/workspace.h"
#include "measure/components/label_push.h"

extern const lg_spirv lg_spirv_label_local, lg_spirv_label_borders, lg_spirv_label_layers,
    lg_spirv_label_rank, lg_spirv_label_write, lg_spirv_label_clear, lg_spirv_label_gather,
    lg_spirv_label_shape, lg_spirv_label_largest, lg_spirv_label_reals;

#define GROUP          256
#define BORDER_GROUP   128
#define OWN            5 // constants that differ from kernel to kernel, before the one of values
#define MANY_WORDS     (1 << 20)
#define MOST_EACH      16
#define MOST_ROWS      65535 // of tiles, and columns of them: workgroups along an axis
#define CLEAR_GROUPS   264
#define LARGEST_GROUPS 1056

typedef struct label_shape {
    uint32_t tile_words, tile_rows, each, split;
    uint32_t tiles_x, tiles_y, tile_rows_all, segments, rows, groups;
    size_t words, roots, marks, ranks, parents, bytes; // places in the scratch memory
} label_shape;

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

// False if there is more than the kernels can count.
static bool choose_shape(const lg_label_source *source, const lg_label_request *request,
                         label_shape *s)
{
    const lg_label_tuning *asked = &request->tuning;
    s->tile_words = asked->tile_words ? asked->tile_words : 4;
    s->tile_rows = asked->tile_rows ? asked->tile_rows : 256 / s->tile_words;
    const uint64_t pixels = (uint64_t)source->width * source->height * source->layers;
    const uint64_t tiles_x = divide_up(source->width, 32 * s->tile_words),
                   tiles_y = divide_up(source->height, s->tile_rows),
                   tile_rows = tiles_y * source->layers;
    if (pixels > INT32_MAX || tiles_x > MOST_ROWS || tile_rows > MOST_ROWS ||
        source->row_stride > UINT32_MAX ||
        (request->intensity && request->intensity->row_stride > UINT32_MAX))
        return false;
    s->tiles_x = (uint32_t)tiles_x;
    s->tiles_y = (uint32_t)tiles_y;
    s->tile_rows_all = (uint32_t)tile_rows;
    s->segments = s->tiles_x * s->tile_words / (LG_LABEL_SEGMENT / 32);
    s->rows = source->height * source->layers;
    const uint64_t segments = (uint64_t)s->rows * s->segments, ranked = segments * 4;
    s->each = asked->each                                           ? asked->each
              : ranked <= MANY_WORDS                                ? 1
              : divide_up(ranked, (uint64_t)GROUP * 4) <= MOST_ROWS ? 4
                                                                    : MOST_EACH;
    s->split = asked->split ? asked->split : ranked <= MANY_WORDS ? 32 : 8;
    s->groups = (uint32_t)divide_up(ranked, (uint64_t)GROUP * s->each);
    const bool values = request->foreground == LG_FOREGROUND_VALUES;
    const size_t words = (size_t)(tiles_x * tile_rows) * s->tile_words * s->tile_rows;
    s->words = lg_align_up(((size_t)LG_LABEL_HEADER + s->groups) * 4 + 16, 256);
    s->roots = s->words + lg_align_up(words * (values ? 12 : 8), 256);
    s->marks = s->roots + lg_align_up(words * (values ? 32 : 16) * 4, 256);
    s->ranks = s->marks + lg_align_up((size_t)segments * 16, 256);
    s->parents = s->ranks + lg_align_up((size_t)segments * 4, 256);
    s->bytes = s->parents + (request->labels ? 0 : (size_t)pixels * 4);
    return s->groups <= MOST_ROWS;
}

static bool is_volume(const lg_label_source *source, const lg_label_request *request)
{
    return lg_connectivity_is_volume(request->connectivity) && source->layers > 1;
}

static bool is_integer(const lg_label_source *intensity)
{
    return intensity && intensity->type <= LG_U16;
}

// Sums of integers are formed in 64 bits.
static bool sums_fit(const lg_label_source *source, const lg_label_request *request)
{
    const double side = LG_MAX(LG_MAX(source->width, source->height), source->layers);
    const double pixels = (double)source->width * source->height * source->layers;
    return !(request->moments && pixels * side * side >= 0x1p64) &&
           !(is_integer(request->intensity) && pixels * side * 65535 >= 0x1p64);
}

bool lg_label_fits_kernels(const lg_context *context, const lg_label_source *source,
                           const lg_label_request *request, const char **why)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    label_shape shape;
    *why = limits->max_workgroup_size < GROUP || limits->shared_memory < 32768
               ? "its small workgroups"
           : !choose_shape(source, request, &shape) || !sums_fit(source, request)
               ? "the size of the image"
               : NULL;
    return !*why;
}

size_t lg_label_record_size(const lg_label_source *source, const lg_label_request *request)
{
    return request->moments || is_integer(request->intensity) ? sizeof(lg_label_record)
           : is_volume(source, request)                       ? offsetof(lg_label_record, xx)
                                                              : offsetof(lg_label_record, z);
}

size_t lg_label_device_bytes(const lg_label_source *source, const lg_label_request *request)
{
    label_shape shape;
    lg_label_request without = *request;
    without.labels = 0;
    return choose_shape(source, &without, &shape) ? shape.bytes : SIZE_MAX;
}

// ---- the foreground ---------------------------------------------------------------------------------

// The largest value that is not above the level, as an integer of the same order.
static int32_t cut_of_float(double level)
{
    const float nearest = (float)level;
    if (nearest == 0)
        return level < 0 ? -2 : 0;
    int32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    return (bits < 0 ? -1 - (bits & INT32_MAX) : bits) - ((double)nearest > level);
}

static int32_t cut_of_half(double level)
{
    const uint16_t nearest = lg_float_to_half((float)level);
    const int32_t magnitude = nearest & 0x7fff;
    if (magnitude == 0)
        return level < 0 ? -2 : 0;
    return (nearest >> 15 ? -1 - magnitude : magnitude) -
           ((double)lg_half_to_float(nearest) > level);
}

static void choose_rule(const lg_label_source *source, const lg_label_request *request,
                        uint32_t rule[2])
{
    const bool above = request->foreground == LG_FOREGROUND_ABOVE;
    const double max = source->type == LG_U8 ? 255 : 65535;
    const int32_t whole = above ? (int32_t)fmin(fmax(floor(request->level), -1), max) : 0;
    rule[1] = !above;
    if (source->type == LG_U8) {
        rule[1] = whole < 128;
        rule[0] = 0x01010101u * (uint32_t)(whole < 128 ? 127 - whole : 255 - whole);
    } else if (source->type == LG_U16) {
        rule[0] = (uint32_t)whole;
    } else {
        rule[0] = (uint32_t)(source->type == LG_F16 ? cut_of_half(request->level)
                                                    : cut_of_float(request->level));
    }
}

// ---- recording --------------------------------------------------------------------------------------

typedef struct label_recording {
    lg_context *context;
    const lg_label_source *source;
    const lg_label_request *request;
    lg_vk_commands *commands;
    label_shape shape;
    lg_label_push push;
} label_recording;

static bool is_sides_only(int connectivity)
{
    return connectivity == 4 || connectivity == 6;
}

static lg_status start(label_recording *r, lg_error *error)
{
    const lg_label_source *source = r->source;
    const lg_label_request *request = r->request;
    const char *why;
    lg_vk_buffer *scratch;
    if (!lg_label_fits_kernels(r->context, source, request, &why))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "this device cannot label because of %s", why);
    choose_shape(source, request, &r->shape);
    const label_shape *s = &r->shape;
    lg_status status =
        lg_workspace_slot(r->context, LG_SCRATCH_PARTIALS, s->bytes, &scratch, error);
    if (status)
        return status;
    const uint64_t from = scratch->address;
    r->push = (lg_label_push){.pixels = source->data,
                              .layer_stride = source->layer_stride,
                              .labels = request->labels ? request->labels : from + s->parents,
                              .words = from + s->words,
                              .roots = from + s->roots,
                              .marks = from + s->marks,
                              .ranks = from + s->ranks,
                              .groups = from,
                              .figures = request->figures,
                              .result = request->count,
                              .row_stride = (uint32_t)source->row_stride,
                              .width = source->width,
                              .height = source->height,
                              .tiles_x = s->tiles_x,
                              .tiles_y = s->tiles_y,
                              .segments = s->segments,
                              .rows = s->rows,
                              .diagonal = is_sides_only(request->connectivity) ? 0 : UINT32_MAX,
                              .capacity = request->capacity,
                              .across_layers = (uint32_t)request->connectivity};
    choose_rule(source, request, r->push.rule);
    return LG_OK;
}

// Every dispatch has a barrier behind it, so that all may be said to write
// whatever one of them writes.
static void name_uses(const label_recording *r)
{
    const lg_label_push *p = &r->push;
    lg_vk_reads(r->commands, p->pixels, 0);
    lg_vk_writes(r->commands, p->groups,
                 r->shape.bytes); // and what follows it in the scratch memory
    if (r->request->labels)
        lg_vk_writes(r->commands, p->labels, (uint64_t)r->source->width * p->rows * 4);
    lg_vk_writes(r->commands, p->figures, 0);
    lg_vk_writes(r->commands, p->result, 4);
}

// `own`: constants 4 and up.
static lg_status dispatch(label_recording *r, const lg_spirv *module, uint32_t threads,
                          const uint32_t own[OWN], uint32_t x, uint32_t y, lg_error *error)
{
    const label_shape *s = &r->shape;
    const bool values = r->request->foreground == LG_FOREGROUND_VALUES;
    const uint32_t constants[] = {
        threads,      s->tile_words,
        s->tile_rows, s->each,
        own[0],       own[1],
        own[2],       own[3],
        own[4],       values ? (uint32_t)lg_type_size(r->source->type) : 0};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(r->context->vk, module, constants,
                                                LG_COUNT(constants), 0, &pipeline, error);
    if (status)
        return status;
    name_uses(r);
    lg_vk_dispatch(r->commands, pipeline, &r->push, sizeof r->push, x, y, 1);
    lg_vk_barrier(r->commands);
    const lg_label_tuning *tuning = &r->request->tuning;
    if (tuning->mark)
        tuning->mark(tuning->arg, module->name);
    return LG_OK;
}

static void read_intensity(label_recording *r)
{
    const lg_label_source *intensity = r->request->intensity;
    r->push.pixels = intensity->data;
    r->push.row_stride = (uint32_t)intensity->row_stride;
    r->push.layer_stride = intensity->layer_stride;
}

static lg_status record_largest(label_recording *r, lg_error *error)
{
    const uint32_t bytes = (uint32_t)lg_type_size(r->request->intensity->type);
    const lg_label_push push = r->push;
    read_intensity(r);
    r->push.figures = r->request->largest;
    lg_status status =
        dispatch(r, &lg_spirv_label_largest, GROUP, (uint32_t[OWN]){bytes, true}, 1, 1, error);
    if (!status)
        status = dispatch(r, &lg_spirv_label_largest, GROUP, (uint32_t[OWN]){bytes, false},
                          LARGEST_GROUPS, 1, error);
    r->push = push;
    return status;
}

lg_status lg_label_record_forest(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error)
{
    static const uint32_t none[OWN];
    label_recording r = {context, source, request, commands};
    lg_status status = start(&r, error);
    if (status)
        return status;
    const label_shape *s = &r.shape;
    const uint32_t type[OWN] = {(uint32_t)source->type}, split[OWN] = {s->split};
    const uint32_t threads = s->tile_words * s->tile_rows;
    status =
        dispatch(&r, &lg_spirv_label_local, threads, type, s->tiles_x, s->tile_rows_all, error);
    const uint32_t border = s->tiles_x * s->tile_words * s->split + (s->tiles_x - 1) * s->tile_rows;
    if (!status && s->tiles_x * s->tiles_y > 1)
        status = dispatch(&r, &lg_spirv_label_borders, BORDER_GROUP, split,
                          (uint32_t)divide_up(border, BORDER_GROUP), s->tile_rows_all, error);
    const uint32_t words = s->tiles_x * s->tile_words * s->tile_rows; // of a row of tiles
    if (!status && is_volume(source, request))
        status = dispatch(&r, &lg_spirv_label_layers, BORDER_GROUP, none,
                          (uint32_t)divide_up(words, BORDER_GROUP), s->tile_rows_all, error);
    return status ? status : dispatch(&r, &lg_spirv_label_rank, GROUP, none, s->groups, 1, error);
}

// Both of labels that are there.
static lg_status record_reals(label_recording *r, lg_error *error)
{
    static const uint32_t record[OWN] = {sizeof(lg_label_real_record) / 16};
    const label_shape *s = &r->shape;
    const uint32_t own[OWN] = {(uint32_t)lg_type_size(r->request->intensity->type),
                               is_volume(r->source, r->request)};
    r->push.figures = r->request->reals;
    const lg_status status =
        dispatch(r, &lg_spirv_label_clear, GROUP, record, CLEAR_GROUPS, 1, error);
    read_intensity(r);
    r->push.result = r->request->largest;
    return status ? status
                  : dispatch(r, &lg_spirv_label_reals, s->tile_words * s->tile_rows, own,
                             s->tiles_x, s->tile_rows_all, error);
}

static lg_status record_shapes(label_recording *r, lg_error *error)
{
    static const uint32_t record[OWN] = {sizeof(lg_label_shape_record) / 16};
    const uint32_t own[OWN] = {is_volume(r->source, r->request)};
    const label_shape *s = &r->shape;
    r->push.figures = r->request->shapes;
    const lg_status status =
        dispatch(r, &lg_spirv_label_clear, GROUP, record, CLEAR_GROUPS, 1, error);
    return status ? status
                  : dispatch(r, &lg_spirv_label_shape, s->tile_words * s->tile_rows, own,
                             s->tiles_x, s->tile_rows_all, error);
}

lg_status lg_label_record_labels(lg_context *context, const lg_label_source *source,
                                 const lg_label_request *request, lg_vk_commands *commands,
                                 lg_error *error)
{
    const uint32_t record[OWN] = {(uint32_t)lg_label_record_size(source, request) / 16};
    label_recording r = {context, source, request, commands};
    lg_status status = start(&r, error);
    const bool from_labels = request->shapes || request->reals;
    if (status || !(request->labels || request->figures || from_labels))
        return status;
    const label_shape *s = &r.shape;
    const bool intensity = request->figures && is_integer(request->intensity);
    const uint32_t what[OWN] = {request->labels || from_labels, request->figures != 0,
                                request->figures && is_volume(source, request),
                                request->figures && request->moments,
                                intensity ? (uint32_t)lg_type_size(request->intensity->type) : 0};
    if (intensity)
        read_intensity(&r);
    if (request->figures)
        status = dispatch(&r, &lg_spirv_label_clear, GROUP, record, CLEAR_GROUPS, 1, error);
    if (!status)
        status = dispatch(&r, &lg_spirv_label_write, s->tile_words * s->tile_rows, what, s->tiles_x,
                          s->tile_rows_all, error);
    if (!status && request->figures)
        status =
            dispatch(&r, &lg_spirv_label_gather, GROUP, what,
                     (uint32_t)divide_up((uint64_t)s->tiles_x * s->tile_rows_all, GROUP), 1, error);
    if (!status && request->shapes)
        status = record_shapes(&r, error);
    if (!status && request->reals)
        status = record_largest(&r, error);
    if (!status && request->reals)
        status = record_reals(&r, error);
    return status;
}
