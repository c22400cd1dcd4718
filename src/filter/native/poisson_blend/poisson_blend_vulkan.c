// Poisson blending on a Vulkan device: a dispatch per pass.
#include "filter/native/native_vulkan.h"
#include "filter/native/poisson_blend/poisson_blend.h"

#include <string.h>

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
} device_poisson;

// ---- on the image -------------------------------------------------------------------------------

static void run_image(device_poisson *d, enum image_pass which, const lg_device_image *const *views,
                      int count, float number)
{
    const lg_poisson_job *j = &d->job;
    const lg_image_params *s = &views[count - 1]->shape;
    lg_pass pass = {LG_PASS_TEXT(poisson_image), .group_x = 64, .span = LG_SPAN_WORDS,
                    .words = LG_WORDS(s->height, s->layers, lg_bits(number))};
    memcpy(pass.views, views, (size_t)count * sizeof *views);
    lg_pass_run(d->call, &pass,
                "#define PASS %d\n#define BORDER %d\n#define SOLVES %s\n#define MIX %d\n", which,
                (int)j->border, j->solves ? "1 == 1" : "1 == 0",
                (int)lg_native_index(d->call->filter, "mix"));
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
static void run_grid(device_poisson *d, enum grid_pass which, int coarse, bool sum,
                     const lg_device_image *const *views, int count, float part)
{
    const lg_poisson_grid *g = &d->job.grid[coarse], *above = g - 1;
    const lg_image_params *s = &views[count - 1]->shape;
    lg_pass pass = {LG_PASS_TEXT(poisson_grids), .span = which == BASIS || which == COMBINE ? 2 : 1,
                    .words = LG_WORDS(s->height, s->layers, above->width, above->height, g->width,
                                      g->height, lg_bits(part))};
    memcpy(pass.views, views, (size_t)count * sizeof *views);
    lg_pass_run(d->call, &pass, "#define PASS %d\n#define FIRST %d\n#define SUM %d\n", which,
                which != RELAX && coarse == 1, sum && coarse == 1);
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
    const lg_device_image *values = &d->grid[d->tail].value[0];
    const uint32_t limit = lg_vk_get_limits(d->call->context->vk)->max_workgroup_size;
    const float *parts;
    int64_t steps[TAIL_STEPS];
    lg_poisson_parts(d->tail, &parts);
    for (int i = 0; i < TAIL_STEPS; i++)
        steps[i] = lg_bits(parts[i]);
    const lg_pass pass = {.name = "poisson_tail",
                          .text = lg_glsl_poisson_grids,
                          .group_x = (int)LG_MIN(limit, TAIL_THREADS),
                          .group_y = 1,
                          .span = 1,
                          .views = {values},
                          .words = LG_WORDS(d->job.count - d->tail, values->shape.layers, g->width,
                                            g->height, LG_ADDRESS(values->address)),
                          .more = {steps, TAIL_STEPS},
                          .writes = {values->address},
                          .groups = {1, 1}};
    lg_pass_run(d->call, &pass, "#define PASS %d\n#define FIRST 0\n#define SUM 0\n", TAIL);
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

void lg_poisson_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    device_poisson d = {.call = call};
    d.job.solves = steps == 0;
    d.job.border = d.job.solves ? LG_BORDER_REPLICATE
                                : (lg_border)lg_native_value(call->filter, call->values, "border");
    d.job.count = lg_poisson_grids(s->width, s->height, d.job.grid);
    d.job.count = d.job.solves ? d.job.count : 1;
    d.tail = find_tail(&d);
    place(&d, lg_device_memory(call, place(&d, 0)));
    run_image(&d, BEGIN,
              (const lg_device_image *[]){&call->in[0], &call->in[1], &d.grid[0].value[0]}, 3, 0);
    if (d.job.solves)
        prepare(&d);
    for (int i = d.job.solves ? lg_poisson_cycles(&d.job) : 0; i > 0; i--)
        run_cycle(&d);
    for (int i = 0; i < steps; i++)
        step(&d, i & 1, 1);
    finish(&d, steps & 1);
}
