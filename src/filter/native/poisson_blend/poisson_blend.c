// Poisson blending: the entry, and the steps over the whole image.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "cpu/cpu.h"

#include <string.h>

LG_CPU_DECLARE(lg_poisson_table, poisson_blend);

#define BAND 8 // rows of a job

typedef struct task {
    const lg_poisson_table *table;
    lg_poisson_job job;
    float *scratch; // of all workers
    size_t scratch_size;
    int from; // the image that a step reads
} task;

#define ROWS(index, y, height)                                                                     \
    for (int32_t y = (int32_t)(index)*BAND, end = LG_MIN(y + BAND, (height)); y < end; y++)

static void begin(void *arg, size_t index, int worker)
{
    const task *t = arg;
    ROWS(index, y, t->job.out.height)
    t->table->begin(&t->job, y, t->scratch + (size_t)worker * t->scratch_size);
}

static void step(void *arg, size_t index, int worker)
{
    const task *t = arg;
    ROWS(index, y, t->job.out.height)
    t->table->step(&t->job, t->from, y);
}

static void finish(void *arg, size_t index, int worker)
{
    const task *t = arg;
    ROWS(index, y, t->job.out.height)
    t->table->finish(&t->job, t->from, y, t->scratch + (size_t)worker * t->scratch_size);
}

lg_status lg_poisson_check(const lg_filter *filter, const lg_image_params *a,
                           const lg_image_params *b, lg_error *error)
{
    if (a->width == b->width && a->height == b->height &&
        (a->layers == b->layers || b->layers == 1))
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "%s: its images differ in size: %d x %d x %d and %d x %d x %d", filter->name,
                   a->width, a->height, a->layers, b->width, b->height, b->layers);
}

static lg_status poisson_cpu(const lg_native_call *call)
{
    lg_status status =
        lg_poisson_check(call->filter, &call->in[0]->shape, &call->in[1]->shape, call->error);
    if (status)
        return status;
    const lg_image_params *s = &call->out->shape;
    lg_pool *pool = call->context->pool;
    const lg_cpu_level level = call->context->cpu_level;
    const int iterations = (int)lg_native_value(call->filter, call->values, "num_iterations");
    task t = {.table = LG_CPU_SELECT(poisson_blend, level)};
    lg_poisson_job *j = &t.job;
    j->border = (lg_border)lg_native_value(call->filter, call->values, "border");
    j->mix = lg_native_value(call->filter, call->values, "mix");
    j->stage = lg_stage_get(level);
    j->plane = lg_align_up((size_t)s->width + 2 * LG_POISSON_LEAD, 16);
    t.scratch_size = LG_MAX(12 * j->plane, (size_t)4 * LG_SPAN);
    // Three images of three planes, weights, a row of zeros, scratch.
    size_t rows, floats;
    const size_t more = 3 * j->plane + (size_t)lg_pool_threads(pool) * t.scratch_size;
    if (!lg_size_mul((size_t)s->height * 10, j->plane, &rows) ||
        !lg_size_add(rows, more, &floats) || floats > SIZE_MAX / sizeof(float))
        return lg_fail_memory(call->error, SIZE_MAX, "the planes of poisson_blend");
    float *memory = lg_alloc_uninit(floats * sizeof *memory);
    if (!memory)
        return lg_fail_memory(call->error, floats * sizeof *memory, "the planes of poisson_blend");
    const size_t image = (size_t)s->height * 3 * j->plane;
    j->image[0] = memory;
    j->image[1] = memory + image;
    j->detail = memory + 2 * image;
    j->weight = memory + 3 * image;
    j->zeros = memory + rows;
    t.scratch = j->zeros + 3 * j->plane;
    memset(j->zeros, 0, 3 * j->plane * sizeof *j->zeros);
    const size_t bands = ((size_t)s->height + BAND - 1) / BAND;
    for (int32_t z = 0; z < s->layers; z++) {
        j->base = lg_layer_pixels(call->in[0], z);
        j->over = lg_layer_pixels(call->in[1], call->in[1]->shape.layers == 1 ? 0 : z);
        j->out = lg_layer_pixels(call->out, z);
        t.from = 0;
        lg_pool_run(pool, bands, begin, &t);
        for (int i = 0; i < iterations; i++, t.from ^= 1)
            lg_pool_run(pool, bands, step, &t);
        lg_pool_run(pool, bands, finish, &t);
    }
    lg_free(memory);
    return LG_OK;
}

#define PARAMETERS(X)                                                                              \
    X(NUMBER, mix, "", 0.5f, 0, 1, "part of the way that a step goes where the other is opaque")   \
    X(INTEGER, num_iterations, "", 10, 1, 1000, "steps")                                           \
    LG_BORDER_PARAMETER(X)

LG_ROWS(poisson_blend)

static const lg_native poisson_native = {poisson_cpu, LG_VULKAN(lg_poisson_vulkan),
                                         "num_iterations"};

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
