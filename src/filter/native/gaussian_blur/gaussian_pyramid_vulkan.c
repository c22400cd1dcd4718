// The levels of a Gaussian blur on a Vulkan device: an axis at a time, for every kind of image.
#include "filter/native/gaussian_blur/gaussian_blur_vulkan.h"
#include "filter/native/gaussian_blur/gaussian_pyramid.h"

#include <stdio.h>

extern const char lg_glsl_gaussian_blur_halve[], lg_glsl_gaussian_blur_expand[];

// Results of passes down columns, and the levels. A blurred level takes the place of the one that it comes
// from.
typedef struct pyramid {
    lg_gaussian_task *t;
    lg_device_image between, level[LG_GAUSSIAN_LEVELS + 1]; // level[0]: the image
} pyramid;

static lg_image_params shape_of(const lg_gaussian_task *t, int64_t width, int64_t height)
{
    return (lg_image_params){.width = (int32_t)width,
                             .height = (int32_t)height,
                             .layers = t->passes.layers,
                             .channels = t->passes.planes == 3 ? 4 : t->passes.planes,
                             .type = LG_F32};
}

static void set_shape(lg_device_image *image, const lg_gaussian_task *t, lg_gaussian_range x,
                      lg_gaussian_range y)
{
    image->shape = shape_of(t, lg_gaussian_count(x), lg_gaussian_count(y));
    image->row_stride = lg_align_up((size_t)image->shape.width * lg_pixel_size(&image->shape), 16);
    image->layer_stride = image->row_stride * (size_t)image->shape.height;
}

static size_t bytes_of(const lg_device_image *image)
{
    return lg_align_up(image->layer_stride * (size_t)image->shape.layers + 256, 256);
}

static lg_gaussian_range columns_of(const pyramid *p, int level)
{
    const lg_gaussian_range image = {0, p->t->passes.width};
    return level ? lg_gaussian_halved(&p->t->g, image.end, level) : image;
}

static lg_gaussian_range rows_of(const pyramid *p, int level)
{
    return lg_gaussian_halved(&p->t->g, p->t->passes.height, level);
}

// What the image between two passes holds: columns of a level halved or weighed, or rows of one doubled.
typedef enum between { HALVED, WEIGHED, DOUBLED } between;

// Of the passes that make a level. Doubling makes level 0 too, the others begin with 1.
static void set_between(pyramid *p, between what, int level)
{
    const lg_gaussian_task *t = p->t;
    const int64_t width = t->passes.width, height = t->passes.height;
    if (what == HALVED)
        set_shape(&p->between, t, columns_of(p, level - 1), rows_of(p, level));
    else if (what == WEIGHED)
        set_shape(&p->between, t, columns_of(p, level), lg_gaussian_blurred(height, level));
    else
        set_shape(&p->between, t, lg_gaussian_blurred(width, level),
                  lg_gaussian_blurred(height, level + 1));
}

// One piece of memory for all levels.
static void place_levels(pyramid *p)
{
    lg_gaussian_task *t = p->t;
    size_t most = 0, bytes = 0;
    for (int k = 1; k <= t->g.levels; k++) {
        for (int what = HALVED; what <= DOUBLED; what++) {
            set_between(p, (between)what, what == DOUBLED ? k - 1 : k);
            most = LG_MAX(most, bytes_of(&p->between));
        }
        set_shape(&p->level[k], t, columns_of(p, k), rows_of(p, k));
        bytes += bytes_of(&p->level[k]);
    }
    uint64_t at = lg_device_memory(t->passes.call, most + bytes);
    p->between.address = at;
    at += most;
    for (int k = 1; k <= t->g.levels; k++) {
        p->level[k].address = at;
        at += bytes_of(&p->level[k]);
    }
}

static void run_pass(const pyramid *p, lg_axis_pass pass, const lg_device_image *from,
                     const lg_device_image *to)
{
    const int64_t first =
        pass.axis ? rows_of(p, 0).first : lg_gaussian_halved(&p->t->g, p->t->passes.width, 0).first;
    pass.views[0] = from;
    pass.views[1] = to;
    pass.width = to->shape.width;
    pass.height = to->shape.height;
    lg_axis_run(&p->t->passes, &pass, (int32_t)-first);
}

static void halve(pyramid *p, int level)
{
    const lg_axis_pass columns = {.name = "gaussian_blur_halve",
                                  .text = lg_glsl_gaussian_blur_halve,
                                  .axis = 1,
                                  .first = level == 1,
                                  .work = 5};
    lg_axis_pass rows = columns;
    rows.axis = 0;
    set_between(p, HALVED, level);
    run_pass(p, columns, &p->level[level - 1], &p->between);
    run_pass(p, rows, &p->between, &p->level[level]);
}

static void weigh(pyramid *p)
{
    lg_gaussian_task *t = p->t;
    const lg_gaussian *g = &t->g;
    const lg_pass_words own = LG_GAUSSIAN_WORDS(t, g->shift);
    lg_axis_pass columns = lg_gaussian_weighing(t, 1, false, 0);
    lg_axis_pass rows = lg_gaussian_weighing(t, 0, false, 0);
    columns.own = rows.own = own;
    const lg_gaussian_range y = lg_gaussian_blurred(t->passes.height, g->levels);
    lg_device_image *level = &p->level[g->levels];
    set_between(p, WEIGHED, g->levels);
    run_pass(p, columns, level, &p->between);
    set_shape(level, t, lg_gaussian_blurred(t->passes.width, g->levels), y);
    run_pass(p, rows, &p->between, level);
}

// `to` of level 0 is the image, or a plane.
static void expand(pyramid *p, int level, const lg_device_image *to)
{
    lg_gaussian_task *t = p->t;
    const int last = level ? 0 : t->last;
    const int dropped[] = {3, 0, 8}; // 32nds, 256ths, bytes
    char depth[40];
    snprintf(depth, sizeof depth, "#define DEPTH %d\n", level ? 2 : dropped[last]);
    const lg_axis_pass rows = {.name = "gaussian_blur_expand",
                               .text = lg_glsl_gaussian_blur_expand,
                               .axis = 0,
                               .lines = "#define DEPTH 2\n",
                               .work = 3,
                               .own = LG_WORDS(level == 0, lg_bits(t->scale))};
    lg_axis_pass columns = rows;
    columns.axis = 1;
    columns.lines = depth;
    columns.last = last;
    set_between(p, DOUBLED, level);
    run_pass(p, rows, &p->level[level + 1], &p->between);
    run_pass(p, columns, &p->between, to);
}

void lg_gaussian_run_levels(lg_gaussian_task *t, const lg_device_image *from,
                            const lg_device_image *to)
{
    pyramid p = {.t = t};
    place_levels(&p);
    p.level[0] = *from;
    for (int k = 1; k <= t->g.levels; k++)
        halve(&p, k);
    weigh(&p);
    for (int k = t->g.levels - 1; k >= 0; k--) {
        if (k)
            set_shape(&p.level[k], t, lg_gaussian_blurred(t->passes.width, k),
                      lg_gaussian_blurred(t->passes.height, k));
        expand(&p, k, k ? &p.level[k] : to);
    }
}
