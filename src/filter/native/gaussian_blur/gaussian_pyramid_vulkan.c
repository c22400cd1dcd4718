// The levels of a Gaussian blur on a Vulkan device: an axis at a time, for every kind of image.
#include "filter/native/gaussian_blur/gaussian_blur_vulkan.h"
#include "filter/native/gaussian_blur/gaussian_pyramid.h"

#include <string.h>

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

// One piece of memory for all levels.
static lg_status place_levels(pyramid *p)
{
    lg_gaussian_task *t = p->t;
    const int32_t width = t->passes.width, height = t->passes.height;
    size_t between = 0, bytes = 0;
    for (int k = 1; k <= t->g.levels; k++) {
        set_shape(&p->between, t, columns_of(p, k - 1), rows_of(p, k));
        between = LG_MAX(between, bytes_of(&p->between));
        set_shape(&p->between, t, lg_gaussian_blurred(width, k - 1),
                  lg_gaussian_blurred(height, k));
        between = LG_MAX(between, bytes_of(&p->between));
        set_shape(&p->level[k], t, columns_of(p, k), rows_of(p, k));
        bytes += bytes_of(&p->level[k]);
    }
    lg_vk_buffer *memory;
    const lg_status status = lg_device_scratch(t->passes.call, between + bytes, &memory);
    if (status)
        return status;
    p->between.address = memory->address;
    bytes = between;
    for (int k = 1; k <= t->g.levels; k++) {
        p->level[k].address = memory->address + bytes;
        bytes += bytes_of(&p->level[k]);
    }
    return LG_OK;
}

static lg_status run_pass(const pyramid *p, lg_axis_pass pass, const lg_device_image *from,
                          const lg_device_image *to, const uint32_t *own, int own_count)
{
    const lg_device_image *views[] = {from, to};
    const int64_t first =
        pass.axis ? rows_of(p, 0).first : lg_gaussian_halved(&p->t->g, p->t->passes.width, 0).first;
    pass.width = to->shape.width;
    pass.height = to->shape.height;
    lg_vk_barrier(p->t->passes.call->commands);
    return lg_axis_run(&p->t->passes, &pass, (int32_t)-first, views, 2, own, own_count);
}

static lg_status halve(pyramid *p, int level)
{
    const lg_axis_pass columns = {.name = "gaussian_blur_halve",
                                  .text = lg_glsl_gaussian_blur_halve,
                                  .axis = 1,
                                  .first = level == 1,
                                  .work = 5};
    lg_axis_pass rows = columns;
    rows.axis = 0;
    set_shape(&p->between, p->t, columns_of(p, level - 1), rows_of(p, level));
    const lg_status status = run_pass(p, columns, &p->level[level - 1], &p->between, NULL, 0);
    return status ? status : run_pass(p, rows, &p->between, &p->level[level], NULL, 0);
}

static lg_status weigh(pyramid *p)
{
    lg_gaussian_task *t = p->t;
    const lg_gaussian *g = &t->g;
    const lg_axis_pass columns = lg_gaussian_weighing(t, 1, false, 0);
    const lg_axis_pass rows = lg_gaussian_weighing(t, 0, false, 0);
    uint32_t own[LG_GAUSSIAN_WORDS];
    lg_gaussian_words(t, g->shift, own);
    const lg_gaussian_range y = lg_gaussian_blurred(t->passes.height, g->levels);
    lg_device_image *level = &p->level[g->levels];
    set_shape(&p->between, t, columns_of(p, g->levels), y);
    lg_status status = run_pass(p, columns, level, &p->between, own, LG_GAUSSIAN_WORDS);
    set_shape(level, t, lg_gaussian_blurred(t->passes.width, g->levels), y);
    return status ? status : run_pass(p, rows, &p->between, level, own, LG_GAUSSIAN_WORDS);
}

// `to` of level 0 is the image, or a plane.
static lg_status expand(pyramid *p, int level, const lg_device_image *to)
{
    lg_gaussian_task *t = p->t;
    const lg_gaussian_range x = lg_gaussian_blurred(t->passes.width, level);
    const lg_gaussian_range y = lg_gaussian_blurred(t->passes.height, level + 1);
    const int last = level ? 0 : t->last;
    const int dropped[] = {3, 0, 8}; // 32nds, 256ths, bytes
    char depth[40];
    snprintf(depth, sizeof depth, "#define DEPTH %d\n", level ? 2 : dropped[last]);
    const lg_axis_pass rows = {.name = "gaussian_blur_expand",
                               .text = lg_glsl_gaussian_blur_expand,
                               .axis = 0,
                               .lines = "#define DEPTH 2\n",
                               .work = 3};
    lg_axis_pass columns = rows;
    columns.axis = 1;
    columns.lines = depth;
    columns.last = last;
    uint32_t own[2] = {level == 0, 0};
    memcpy(own + 1, &t->scale, sizeof t->scale);
    set_shape(&p->between, t, x, y);
    lg_status status = run_pass(p, rows, &p->level[level + 1], &p->between, own, 2);
    return status ? status : run_pass(p, columns, &p->between, to, own, 2);
}

lg_status lg_gaussian_run_levels(lg_gaussian_task *t, const lg_device_image *from,
                                 const lg_device_image *to)
{
    pyramid p = {.t = t};
    lg_status status = place_levels(&p);
    p.level[0] = *from;
    for (int k = 1; k <= t->g.levels && !status; k++)
        status = halve(&p, k);
    if (!status)
        status = weigh(&p);
    for (int k = t->g.levels - 1; k >= 0 && !status; k--) {
        if (k)
            set_shape(&p.level[k], t, lg_gaussian_blurred(t->passes.width, k),
                      lg_gaussian_blurred(t->passes.height, k));
        status = expand(&p, k, k ? &p.level[k] : to);
    }
    return status;
}
