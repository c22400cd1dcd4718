// The watershed from markers: the entry, and the memory of the CPU.
#include "filter/native/watershed/watershed.h"

#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/label/label_filter.h"
#include "filter/native/watershed/watershed_rule.h"

LG_CPU_DECLARE(lg_watershed_table, watershed);

enum { TYPE_U16, TYPE_F32, TYPE_U8 };

#define PLANES      5                  // of words; the heap has two more
#define MOST_PIXELS (UINT32_MAX - 16u) // a frame included: places are words

lg_watershed_job lg_watershed_describe(const lg_filter *filter, const float *values)
{
    const int neighbors = lg_label_connectivity(filter, values);
    return (lg_watershed_job){
        .neighbors = neighbors,
        .volume = lg_connectivity_is_volume(neighbors),
        .falling = lg_native_value(filter, values, "order") != 0,
        .nonzero = lg_native_value(filter, values, "nonzero") != 0,
        .lines = lg_native_value(filter, values, "lines") != 0,
    };
}

static lg_status run_layers(const lg_watershed_job *job, const lg_native_call *call)
{
    const lg_watershed_table *table = LG_CPU_SELECT(watershed, call->context->cpu_level);
    const int64_t height = call->out->shape.height;
    lg_row_pass pass = {.run = table->begin,
                        .job = job,
                        .rows = (height + 2) * (job->layers + 2 * job->edge),
                        .band = 16};
    lg_status status = lg_rows_run(call->context, &pass, call->error);
    if (status)
        return status;
    table->flood(job);
    pass =
        (lg_row_pass){.run = table->finish, .job = job, .rows = height * job->layers, .band = 16};
    return lg_rows_run(call->context, &pass, call->error);
}

static lg_status watershed_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->out->shape;
    lg_watershed_job job = lg_watershed_describe(call->filter, call->values);
    job.stage = lg_stage_get(call->context->cpu_level);
    job.in = call->in[0];
    job.over = call->in[1];
    job.out = call->out;
    job.layers = job.volume ? s->layers : 1;
    job.edge = job.volume;
    job.stride = (size_t)s->width + 2;
    job.sheet = job.stride * ((size_t)s->height + 2);
    const size_t pixels = job.sheet * ((size_t)job.layers + 2 * (size_t)job.edge);
    const size_t bytes = pixels * (PLANES * sizeof(uint32_t) + sizeof(uint64_t));
    void *memory = NULL;
    lg_status status =
        lg_block_take(call->context, bytes, "the flood of watershed", &memory, call->error);
    if (status)
        return status;
    job.files = lg_blocks_are_mapped(call->context) ? call->context : NULL;
    job.heap = memory;
    uint32_t *words = (uint32_t *)(job.heap + pixels);
    uint32_t **const planes[PLANES] = {&job.level, &job.marker, &job.label, &job.round, &job.queue};
    for (size_t i = 0; i < PLANES; i++)
        *planes[i] = words + i * pixels;
    for (; job.z < s->layers && !status; job.z += job.layers)
        status = run_layers(&job, call);
    lg_block_give(call->context, memory);
    return status;
}

static lg_status watershed_shape(float *values, lg_image_params *shape, lg_error *error)
{
    static const lg_type types[] = {[TYPE_U16] = LG_U16, [TYPE_F32] = LG_F32, [TYPE_U8] = LG_U8};
    extern const lg_filter_entry lg_filter_watershed;
    const bool volume = lg_watershed_describe(&lg_filter_watershed.filter, values).volume;
    const uint64_t sheet = ((uint64_t)shape->width + 2) * ((uint64_t)shape->height + 2);
    if (sheet > MOST_PIXELS / (volume ? (uint64_t)shape->layers + 2 : 1))
        return lg_fail(error, LG_ERROR_LIMIT,
                       "watershed: %d x %d x %d pixels at once; about 2^32 can be done",
                       shape->width, shape->height, volume ? shape->layers : 1);
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    shape->type = types[(int)lg_native_value(&lg_filter_watershed.filter, values, "type")];
    return LG_OK;
}

static lg_status refuse(const lg_filter *filter, const float *values, uint32_t word,
                        lg_error *error)
{
    (void)filter, (void)values, (void)word;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "watershed: the water winds too far for the device, the CPU does it");
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, connectivity, 1, "4|8|6|18|26",                                                      \
      "neighbours to which water flows: 4 or 8 in its layer; 6, 18 or 26 with the layers as z")    \
    X(CHOICE, order, 0, "rising|falling", "floods low values first, or high ones")                 \
    X(FLAG, nonzero, 0, "pixels of the value 0 are never flooded")                                 \
    X(FLAG, lines, 0, "pixels where water of two markers meets become 0")                          \
    X(CHOICE, type, 0, "u16|f32|u8", "of the labels, which are the samples of the markers")

LG_ROWS(watershed)

static double cost(const lg_filter *filter, const float *values)
{
    return 100;
}

static const lg_native watershed_native = {.cpu = watershed_cpu,
                                           .vulkan = LG_VULKAN(lg_watershed_vulkan),
                                           .recorded = "connectivity order nonzero lines type",
                                           .refuse = refuse,
                                           .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    watershed, &watershed_native, watershed_shape, 2,
    .summary = "every pixel gets the label of the marker whose water reaches it first",
    .formula =
        "L = max(red, least L of the neighbours), of a marker red; S = 1 + least S of the "
        "neighbours with the same L, 1 next to a lower one, of a marker 0; the label is that of "
        "the neighbour with the least (L, S), of several the least label",
    .source = "F. Meyer, Topographic distance and watershed lines, 1994, in rounds",
    .notes =
        "the second image has the markers: pixels whose red is not 0, as `label` writes them; "
        "their samples are the labels. Transparent pixels and NaN are never flooded and 0. "
        "split_touching finds markers by itself. With 4 and 8 neighbours each layer by itself");
