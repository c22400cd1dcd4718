// Poisson blending: the entry, and the steps over the whole image.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "cpu/cpu.h"

#include <string.h>

LG_CPU_DECLARE(lg_poisson_table, poisson_blend);

#define BAND 8 // rows of a job

typedef struct task {
    const lg_poisson_table *table;
    lg_poisson_job job;
    int from; // the image that a step reads
} task;

static lg_status begin(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int32_t y = (int32_t)t->y; y < t->y_end; y++)
        k->table->begin(&k->job, y, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status step(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int32_t y = (int32_t)t->y; y < t->y_end; y++)
        k->table->step(&k->job, k->from, y);
    return LG_OK;
}

static lg_status finish(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int32_t y = (int32_t)t->y; y < t->y_end; y++)
        k->table->finish(&k->job, k->from, y, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status run_bands(task *t, const lg_native_call *call, lg_tile_fn *run, size_t scratch)
{
    const lg_tiling tiling = {.height = t->job.out.height,
                              .band = BAND,
                              .scratch = scratch,
                              .what = "the rows of poisson_blend",
                              .run = run,
                              .job = t};
    return lg_tiling_run(call->context->pool, &tiling, call->error);
}

static lg_status blend_layer(task *t, const lg_native_call *call, int32_t z)
{
    lg_poisson_job *j = &t->job;
    const int iterations = (int)lg_native_value(call->filter, call->values, "num_iterations");
    const size_t scratch = LG_MAX(12 * j->plane, (size_t)4 * LG_SPAN) * sizeof(float);
    j->base = lg_layer_pixels(call->in[0], z);
    j->over = lg_layer_pixels(call->in[1], call->in[1]->shape.layers == 1 ? 0 : z);
    j->out = lg_layer_pixels(call->out, z);
    t->from = 0;
    lg_status status = run_bands(t, call, begin, scratch);
    for (int i = 0; i < iterations && !status; i++, t->from ^= 1)
        status = run_bands(t, call, step, 0);
    return status ? status : run_bands(t, call, finish, scratch);
}

// Three images of three planes, weights, a row of zeros.
static lg_status allocate(lg_poisson_job *j, const lg_image_params *s, float **memory,
                          lg_error *error)
{
    size_t rows, floats;
    if (!lg_size_mul((size_t)s->height * 10, j->plane, &rows) ||
        !lg_size_add(rows, 3 * j->plane, &floats) || floats > SIZE_MAX / sizeof(float))
        return lg_fail_memory(error, SIZE_MAX, "the planes of poisson_blend");
    if (!(*memory = lg_alloc_uninit(floats * sizeof **memory)))
        return lg_fail_memory(error, floats * sizeof **memory, "the planes of poisson_blend");
    const size_t image = (size_t)s->height * 3 * j->plane;
    j->image[0] = *memory;
    j->image[1] = *memory + image;
    j->detail = *memory + 2 * image;
    j->weight = *memory + 3 * image;
    j->zeros = *memory + rows;
    memset(j->zeros, 0, 3 * j->plane * sizeof *j->zeros);
    return LG_OK;
}

static lg_status poisson_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->out->shape;
    const lg_cpu_level level = call->context->cpu_level;
    task t = {.table = LG_CPU_SELECT(poisson_blend, level)};
    lg_poisson_job *j = &t.job;
    j->border = (lg_border)lg_native_value(call->filter, call->values, "border");
    j->mix = lg_native_value(call->filter, call->values, "mix");
    j->stage = lg_stage_get(level);
    j->plane = lg_align_up((size_t)s->width + 2 * LG_POISSON_LEAD, 16);
    float *memory = NULL;
    lg_status status = allocate(j, s, &memory, call->error);
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = blend_layer(&t, call, z);
    lg_free(memory);
    return status;
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, mix, "", 0.5f, 0, 1, "part of the way that a step goes where the other is opaque")   \
    X(INTEGER, num_iterations, "", 10, 1, 1000, "steps")                                           \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_FIT_PARAMETER(X)

LG_ROWS(poisson_blend)

#define STEP_COST 1 // nanoseconds

static double cost(const lg_filter *filter, const float *values)
{
    return STEP_COST * (double)lg_native_value(filter, values, "num_iterations");
}

static const lg_native poisson_native = {.cpu = poisson_cpu,
                                         .vulkan = LG_VULKAN(lg_poisson_vulkan),
                                         .recorded = "num_iterations",
                                         .cost = cost};

LG_NATIVE_FILTER(
    poisson_blend, &poisson_native, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "takes over the detail of the other image, not its brightness",
    .formula = "num_iterations times u = mix(u, m(u) + (o - m(o)), ao mix), where m is the "
               "mean of the left, right, upper and lower neighbour; u begins as b",
    .source = "GPUImagePoissonBlendFilter",
    .notes = "every step goes on from the one before; in GPUImage every second one "
             "begins anew with the base. Steps are in f32 and not clamped. They carry a border "
             "inwards by a pixel each, so a seamless result takes about the square of the "
             "pasted side in steps, and mix=1: small pieces only");
