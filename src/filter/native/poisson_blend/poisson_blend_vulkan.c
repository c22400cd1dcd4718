// Poisson blending on a Vulkan device: a dispatch per pass.
#include "filter/native/native_vulkan.h"
#include "filter/native/poisson_blend/poisson_blend.h"

extern const char lg_glsl_poisson_image[], lg_glsl_poisson_grids[];

// Small grids from the third on, which have the same steps, are one workgroup's: dispatches would take
// longer than their work. Offsets in their memory are of 32 bits.
#define TAIL_POINTS  2048
#define TAIL_THREADS 1024
#define TAIL_STEPS   8
#define TAIL_ALL     (1 << 24) // points of all layers

// The numbers that the texts know passes by.
enum image_pass { BEGIN, STEP, FINISH };
enum grid_pass { BASIS, COMBINE, GATHER, EXPAND, RELAX, TAIL };

// Images of a grid; of that of the image only values, with the weight in place of alpha.
typedef struct device_grid {
    lg_device_image value[2], right_side, equation, basis;
} device_grid;

typedef struct device_poisson {
    lg_device_call *call;
    lg_poisson_job job; // its grids are sizes alone
    device_grid grid[LG_POISSON_GRIDS];
    lg_device_image sum; // of w, in the last grid
    int tail;            // the first grid that a workgroup does with all those below
    lg_status status;    // of the passes so far
} device_poisson;

static void run(device_poisson *d, const lg_native_glsl *text, const char *before,
                const lg_device_image *const *views, int count, const uint32_t *words)
{
    const lg_image_params *s = &views[count - 1]->shape;
    const lg_vk_pipeline *pipeline;
    lg_vk_barrier(d->call->commands);
    if (!d->status)
        d->status = lg_native_kernel(d->call, text, views, count, &pipeline, "%s", before);
    if (!d->status)
        lg_device_dispatch(d->call, pipeline, views, count, words, text->extra,
                           lg_native_groups(s->width, (int64_t)text->group_x * text->span),
                           lg_native_groups(s->height, text->group_y),
                           lg_native_groups(s->layers, 1));
}

// ---- on the image -------------------------------------------------------------------------------

static void run_image(device_poisson *d, enum image_pass pass, const lg_device_image *const *views,
                      int count, float number)
{
    const lg_poisson_job *j = &d->job;
    const lg_image_params *s = &views[count - 1]->shape;
    char before[120];
    snprintf(before, sizeof before,
             "#define PASS %d\n#define BORDER %d\n#define SOLVES %s\n#define MIX %d\n", pass,
             (int)j->border, j->solves ? "1 == 1" : "1 == 0",
             (int)lg_native_index(d->call->filter, "mix"));
    // Pixels of a thread: whole words of what it writes.
    const lg_native_glsl text = {.name = "poisson_image",
                                 .text = lg_glsl_poisson_image,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 3,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers, lg_bits(number)};
    run(d, &text, before, views, count, words);
}

static void step(device_poisson *d, int from, float part)
{
    const lg_device_image *views[] = {&d->grid[0].value[from], &d->grid[0].value[1 - from]};
    run_image(d, STEP, views, 2, part);
}

static void finish(device_poisson *d, int from)
{
    const lg_device_image *steps[] = {&d->call->in[0], &d->call->in[1], &d->grid[0].value[from],
                                      &d->call->out};
    const lg_device_image *solved[] = {&d->call->in[0],
                                       &d->call->in[1],
                                       &d->grid[0].value[from],
                                       &d->grid[d->job.count - 1].equation,
                                       &d->sum,
                                       &d->call->out};
    if (d->job.solves)
        run_image(d, FINISH, solved, 6, lg_poisson_inverse_area(d->job.grid));
    else
        run_image(d, FINISH, steps, 4, 0);
}

// ---- on grids -----------------------------------------------------------------------------------

// `coarse` is the grid that has the weights; the others are read or written beside it.
static void run_grid(device_poisson *d, enum grid_pass pass, int coarse, bool sum,
                     const lg_device_image *const *views, int count, float part)
{
    const lg_poisson_grid *g = &d->job.grid[coarse], *above = g - 1;
    const lg_image_params *s = &views[count - 1]->shape;
    char before[80];
    snprintf(before, sizeof before, "#define PASS %d\n#define FIRST %d\n#define SUM %d\n", pass,
             pass != RELAX && coarse == 1, sum && coarse == 1);
    const lg_native_glsl text = {.name = "poisson_grids",
                                 .text = lg_glsl_poisson_grids,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 7,
                                 .span = pass == BASIS || pass == COMBINE ? 2 : 1};
    const uint32_t words[] = {
        (uint32_t)s->height, (uint32_t)s->layers, (uint32_t)above->width, (uint32_t)above->height,
        (uint32_t)g->width,  (uint32_t)g->height, lg_bits(part)};
    run(d, &text, before, views, count, words);
}

static void gather(device_poisson *d, int g, bool sum)
{
    const device_grid *above = &d->grid[g - 1];
    const lg_device_image *to = sum && g == d->job.count - 1 ? &d->sum : &d->grid[g].right_side;
    const lg_device_image *views[] = {g == 1 ? &above->value[0] : &above->right_side,
                                      &d->grid[g].basis, to};
    run_grid(d, GATHER, g, sum, views, 3, 0);
}

static void prepare(device_poisson *d)
{
    for (int g = 1; g < d->job.count; g++) {
        const lg_device_image *source = g == 1 ? &d->grid[0].value[0] : &d->grid[g - 1].equation;
        const lg_device_image *views[] = {source, &d->grid[g].basis, &d->grid[g].equation};
        run_grid(d, BASIS, g, false, views, 2, 0);
        run_grid(d, COMBINE, g, false, views, 3, 0);
        gather(d, g, true);
    }
}

static void expand(device_poisson *d, int g, int from)
{
    const device_grid *to = &d->grid[g], *coarse = &d->grid[g + 1];
    const lg_device_image *image[] = {&coarse->value[0], &coarse->basis, &to->value[from],
                                      &to->value[1 - from]};
    const lg_device_image *grid[] = {&coarse->value[0], &coarse->basis, &to->value[1 - from]};
    run_grid(d, EXPAND, g + 1, false, g ? grid : image, g ? 3 : 4, 0);
}

static void relax(device_poisson *d, int g, int from, float part)
{
    const device_grid *at = &d->grid[g];
    const lg_device_image *views[] = {&at->equation, &at->right_side, &at->value[from],
                                      &at->value[1 - from]};
    run_grid(d, RELAX, g, false, views, 4, part);
}

// From the right side of grid `tail` to its values, in one dispatch.
static void run_tail(device_poisson *d)
{
    const lg_poisson_grid *g = &d->job.grid[d->tail];
    const lg_device_image *views[] = {&d->grid[d->tail].value[0]};
    const uint64_t address = views[0]->address;
    const float *parts;
    uint32_t words[6 + TAIL_STEPS] = {(uint32_t)(d->job.count - d->tail),
                                      (uint32_t)views[0]->shape.layers,
                                      (uint32_t)g->width,
                                      (uint32_t)g->height,
                                      (uint32_t)address,
                                      (uint32_t)(address >> 32)};
    lg_poisson_parts(d->tail, &parts);
    for (int i = 0; i < TAIL_STEPS; i++)
        words[6 + i] = lg_bits(parts[i]);
    const uint32_t limit = lg_vk_get_limits(d->call->context->vk)->max_workgroup_size;
    const lg_native_glsl text = {.name = "poisson_tail",
                                 .text = lg_glsl_poisson_grids,
                                 .group_x = (int)LG_MIN(limit, TAIL_THREADS),
                                 .group_y = 1,
                                 .extra = 6 + TAIL_STEPS,
                                 .span = 1};
    char before[80];
    const lg_vk_pipeline *pipeline;
    snprintf(before, sizeof before, "#define PASS %d\n#define FIRST 0\n#define SUM 0\n", TAIL);
    lg_vk_barrier(d->call->commands);
    lg_vk_writes(d->call->commands, address, 0);
    if (!d->status)
        d->status = lg_native_kernel(d->call, &text, views, 1, &pipeline, "%s", before);
    if (!d->status)
        lg_device_dispatch(d->call, pipeline, views, 1, words, text.extra, 1, 1,
                           lg_native_groups(views[0]->shape.layers, 1));
}

// As run_cycle of poisson_blend.c.
static void run_cycle(device_poisson *d)
{
    for (int g = 1; g <= d->tail; g++)
        gather(d, g, false);
    run_tail(d);
    for (int g = d->tail - 1; g >= 0; g--) {
        const float *parts;
        const int steps = lg_poisson_parts(g, &parts);
        expand(d, g, !(steps & 1));
        for (int i = steps; i > 0; i--, parts++)
            if (g)
                relax(d, g, i & 1, *parts);
            else
                step(d, i & 1, *parts);
    }
}

// ---- memory -------------------------------------------------------------------------------------

static uint64_t put(const device_poisson *d, lg_device_image *image, int64_t width, int64_t height,
                    uint64_t address)
{
    image->address = address;
    image->shape = lg_native_shape(&d->call->out.shape, LG_F32, 4, LG_ALPHA_STRAIGHT);
    image->shape.width = (int32_t)width;
    image->shape.height = (int32_t)height;
    image->row_stride = (size_t)width * lg_pixel_size(&image->shape);
    image->layer_stride = image->row_stride * (size_t)height;
    return address + lg_align_up(image->layer_stride * (size_t)image->shape.layers + 256, 256);
}

// One piece of memory for all images; returns its end.
static uint64_t place(device_poisson *d, uint64_t at)
{
    for (int g = 0; g < d->job.count; g++) {
        const int64_t width = d->job.grid[g].width, height = d->job.grid[g].height;
        device_grid *to = &d->grid[g];
        at = put(d, &to->value[0], width, height, at);
        at = put(d, &to->value[1], width, height, at);
        if (g == 0)
            continue;
        at = put(d, &to->right_side, width, height, at);
        at = put(d, &to->equation, 2 * width, height, at);
        at = put(d, &to->basis, 2 * width, height, at);
    }
    return d->job.solves ? put(d, &d->sum, 1, 1, at) : at;
}

static int find_tail(const device_poisson *d)
{
    const int last = d->job.count - 1;
    int g = LG_MIN(3, last);
    for (; g < last; g++) {
        const int64_t points = (int64_t)d->job.grid[g].width * d->job.grid[g].height;
        if (points <= TAIL_POINTS && points * d->call->out.shape.layers <= TAIL_ALL)
            break;
    }
    return g;
}

lg_status lg_poisson_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    device_poisson d = {.call = call};
    lg_vk_buffer *memory;
    d.job.solves = steps == 0;
    d.job.border = d.job.solves ? LG_BORDER_REPLICATE
                                : (lg_border)lg_native_value(call->filter, call->values, "border");
    d.job.count = lg_poisson_grids(s->width, s->height, d.job.grid);
    d.job.count = d.job.solves ? d.job.count : 1;
    d.tail = find_tail(&d);
    d.status = lg_device_scratch(call, place(&d, 0), &memory);
    if (d.status)
        return d.status;
    place(&d, memory->address);
    const lg_device_image *first[] = {&call->in[0], &call->in[1], &d.grid[0].value[0]};
    run_image(&d, BEGIN, first, 3, 0);
    if (d.job.solves)
        prepare(&d);
    for (int i = d.job.solves ? lg_poisson_cycles(&d.job) : 0; i > 0; i--)
        run_cycle(&d);
    for (int i = 0; i < steps; i++)
        step(&d, i & 1, 1);
    finish(&d, steps & 1);
    return d.status;
}
