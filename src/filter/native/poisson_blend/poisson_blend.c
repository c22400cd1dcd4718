// Poisson blending: the entry, and the passes over the image and its grids.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "cpu/cpu.h"
#include "device/spill.h"

#include <string.h>

LG_CPU_DECLARE(lg_poisson_table, poisson_blend);

// Together the steps damp what a coarser grid does not see: Chebyshev's polynomials for 0.25 .. 2,
// 0.3 .. 2 and 0.15 .. 2. Long and short ones take turns, so that no error grows in between.
int lg_poisson_parts(int grid, const float **parts)
{
    static const float image[] = {3.415003f, 0.5109407f, 1.637498f, 0.610012f, 0.8888889f};
    static const float large[] = {2.741962f, 0.5167164f, 1.212534f, 0.677837f};
    static const float small[] = {5.960413f, 0.5044832f, 3.269143f, 0.5422672f,
                                  1.782221f, 0.6293653f, 1.117891f, 0.7965217f};
    *parts = grid == 0 ? image : grid <= 2 ? large : small;
    return (int)(grid == 0 ? LG_COUNT(image) : grid <= 2 ? LG_COUNT(large) : LG_COUNT(small));
}

// ---- passes -------------------------------------------------------------------------------------

typedef struct task {
    const lg_native_call *call;
    const lg_poisson_table *table;
    lg_poisson_job job;
    size_t scratch;   // bytes of a worker
    char *memory;     // of all workers
    lg_status status; // of the passes so far: after a failed one no other runs
    // The pass that runs.
    lg_poisson_row_fn *row;
    int grid, from;
    float part;
} task;

static lg_status run_tile(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int32_t y = (int32_t)t->y; y < t->y_end; y++)
        k->row(&k->job, k->grid, k->from, k->part, y, (float *)(void *)t->scratch);
    return LG_OK;
}

#define BAND_PIXELS 16384 // of a job

static void run_pass(task *t, lg_poisson_row_fn *row, int grid, int from, float part)
{
    const lg_poisson_grid *g = &t->job.grid[grid];
    const lg_tiling tiling = {.height = g->height,
                              .band = LG_MAX(BAND_PIXELS / g->width, 1),
                              .scratch = t->scratch,
                              .memory = t->memory,
                              .what = "the rows of poisson_blend",
                              .run = run_tile,
                              .job = t};
    t->row = row;
    t->grid = grid;
    t->from = from;
    t->part = part;
    if (!t->status)
        t->status = lg_tiling_run(t->call->context->pool, &tiling, t->call->error);
}

// The equations of all grids. If nothing is outside the mask, every w is their mean, whose sums go down
// the grids.
static void prepare(task *t)
{
    lg_poisson_job *j = &t->job;
    const lg_poisson_grid *last = &j->grid[j->count - 1];
    for (int g = 1; g < j->count; g++) {
        run_pass(t, t->table->basis, g, 0, 0);
        run_pass(t, t->table->combine, g, 0, 0);
    }
    j->covered = *lg_poisson_row(last, last->equation, LG_POISSON_PINNED, 0) == 0;
    for (int g = 1; g < j->count && j->covered; g++)
        run_pass(t, t->table->sum, g, 0, 0);
    for (int k = 0; k < 3; k++)
        j->mean[k] =
            *lg_poisson_row(last, last->right_side, k, 0) * lg_poisson_inverse_area(j->grid);
}

// One cycle from value[0] of the image to value[0].
static void run_cycle(task *t)
{
    const lg_poisson_job *j = &t->job;
    for (int g = 1; g < j->count; g++)
        run_pass(t, t->table->gather, g, 0, 0);
    run_pass(t, t->table->last, j->count - 1, 0, 0);
    // Values end in value[0]. Steps on the image are odd in number: expanding reads its value[0], too.
    for (int g = j->count - 2; g >= 0; g--) {
        const float *parts;
        const int steps = lg_poisson_parts(g, &parts);
        run_pass(t, t->table->expand, g, !(steps & 1), 0);
        for (int i = steps; i > 0; i--)
            run_pass(t, g ? t->table->relax : t->table->step, g, i & 1, *parts++);
    }
}

static lg_status blend_layer(task *t, int32_t z)
{
    const lg_native_call *call = t->call;
    lg_poisson_job *j = &t->job;
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    j->base = lg_layer_pixels(call->in[0], z);
    j->over = lg_layer_pixels(call->in[1], call->in[1]->shape.layers == 1 ? 0 : z);
    j->out = lg_layer_pixels(call->out, z);
    run_pass(t, t->table->begin, 0, 0, 0);
    if (j->solves)
        prepare(t);
    const int cycles = j->solves ? lg_poisson_cycles(j) : 0;
    for (int i = 0; i < cycles && !j->covered; i++)
        run_cycle(t);
    for (int i = 0; i < steps; i++)
        run_pass(t, t->table->step, 0, i & 1, 1);
    run_pass(t, t->table->finish, 0, steps & 1, 0);
    return t->status;
}

// ---- grids and their memory ---------------------------------------------------------------------

int lg_poisson_grids(int32_t width, int32_t height, lg_poisson_grid *grids)
{
    int count = 0;
    do {
        grids[count++] =
            (lg_poisson_grid){.width = width,
                              .height = height,
                              .stride = lg_align_up((size_t)width + 2 * LG_POISSON_LEAD, 16)};
        width = (width + 1) / 2;
        height = (height + 1) / 2;
    } while (count < 2 || grids[count - 1].width > 1 || grids[count - 1].height > 1);
    return count;
}

int lg_poisson_cycles(const lg_poisson_job *job)
{
    return LG_MAX((job->count - 1) / 2, 5);
}

float lg_poisson_inverse_area(const lg_poisson_grid *image)
{
    return (float)(1 / ((double)image->width * image->height));
}

size_t lg_poisson_scratch(const lg_poisson_job *job)
{
    // The halves of four rows in five parts take the most.
    return 24 * (job->grid[0].stride + 4 * LG_POISSON_LEAD) + 8 * LG_SPAN;
}

// Gives each grid its planes in memory of `*floats` floats; without memory counts them.
static bool place(lg_poisson_job *j, float *memory, size_t *floats)
{
    *floats = 0;
    for (int g = 0; g < j->count; g++) {
        lg_poisson_grid *grid = &j->grid[g];
        struct {
            lg_poisson_rows *to;
            int planes;
        } const parts[] = {{&grid->value[0], 3},
                           {&grid->value[1], 3},
                           {&grid->weight, g == 0},
                           {&grid->right_side, g ? 3 : 0},
                           {&grid->equation, g ? LG_POISSON_EQUATION : 0},
                           {&grid->basis, g ? 8 : 0}};
        for (size_t i = 0; i < LG_COUNT(parts); i++) {
            size_t rows, size;
            if (!lg_size_mul((size_t)parts[i].planes, (size_t)grid->height + 2, &rows) ||
                !lg_size_mul(rows, grid->stride, &size))
                return false;
            *parts[i].to = (lg_poisson_rows){memory ? memory + *floats : NULL, parts[i].planes};
            if (!lg_size_add(*floats, size, floats))
                return false;
        }
    }
    j->zeros = memory ? memory + *floats : NULL;
    return lg_size_add(*floats, j->grid[0].stride, floats);
}

static lg_status poisson_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->out->shape;
    const lg_cpu_level level = call->context->cpu_level;
    task t = {.call = call, .table = LG_CPU_SELECT(poisson_blend, level)};
    lg_poisson_job *j = &t.job;
    j->solves = lg_native_value(call->filter, call->values, "num_iterations") == 0;
    j->border = j->solves ? LG_BORDER_REPLICATE
                          : (lg_border)lg_native_value(call->filter, call->values, "border");
    j->mix = lg_native_value(call->filter, call->values, "mix");
    j->stage = lg_stage_get(level);
    j->count = lg_poisson_grids(s->width, s->height, j->grid);
    j->count = j->solves ? j->count : 1;
    t.scratch = lg_poisson_scratch(j) * sizeof(float);
    const size_t scratch = lg_tiling_memory(call->context->pool, t.scratch);
    static const char *const what = "the planes of poisson_blend";
    size_t floats, bytes;
    if (!place(j, NULL, &floats) || !lg_size_mul(floats, sizeof(float), &bytes))
        return lg_fail_memory(call->error, SIZE_MAX, what);
    void *memory = NULL;
    lg_status status = lg_block_take_zeroed(call->context, bytes, what, &memory, call->error);
    t.memory = lg_alloc_uninit(scratch);
    if (!status && !t.memory)
        status = lg_fail_memory(call->error, scratch, what);
    if (!status)
        place(j, memory, &floats);
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = blend_layer(&t, z);
    lg_block_give(call->context, memory);
    lg_free(t.memory);
    return status;
}

// ---- the entry ----------------------------------------------------------------------------------

#define PARAMETERS(X)                                                                              \
    X(NUMBER, mix, "", 0.5f, 0, 1, "part of the way that a step goes where the other is opaque")   \
    X(INTEGER, num_iterations, "", 0, 0, 1000, "steps; 0: what ever more steps would end with")    \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_FIT_PARAMETER(X)

LG_ROWS(poisson_blend)

#define STEP_COST  1 // nanoseconds
#define SOLVE_COST 60

static double cost(const lg_filter *filter, const float *values)
{
    const double steps = (double)lg_native_value(filter, values, "num_iterations");
    return steps > 0 ? STEP_COST * steps : SOLVE_COST;
}

static const lg_native poisson_native = {.cpu = poisson_cpu,
                                         .vulkan = LG_VULKAN(lg_poisson_vulkan),
                                         .recorded = "num_iterations",
                                         .cost = cost};

LG_NATIVE_FILTER(
    poisson_blend, &poisson_native, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "takes over the detail of the other image, not its brightness",
    .formula =
        "inside the mask, where ao >= 0.5: u - m(u) = o - m(o), where m is the mean of the left, "
        "right, upper and lower neighbour; outside it u = b. With num_iterations: so many times "
        "u = mix(u, m(u) + (o - m(o)), ao mix); u begins as b",
    .source = "GPUImagePoissonBlendFilter; P. Perez, M. Gangnet, A. Blake, Poisson image editing",
    .notes =
        "solved on grids, to at most 1/255 in colours of 0..1, when num_iterations is 0; then "
        "mix and border have no effect: neighbours outside the image do not count. "
        "A mask that covers everything leaves the other image with the mean of this one. "
        "Each of num_iterations steps goes on from the one before; in GPUImage every second one "
        "begins anew with the base. Steps carry a border inwards by a pixel each. They are in "
        "f32 and not clamped");
