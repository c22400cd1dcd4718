// Measured parameters that stay on the device: counting, then one workgroup that makes the figure of the
// counts and puts it among the numbers of the stage.
#include "graph/figure_vulkan.h"

#include "filter/device_text.h"
#include "measure/histogram/histogram_device.h"
#include "measure/moments/moments_device.h"
#include "measure/threshold/luma_moments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char lg_text_figure_pick[];
extern const lg_spirv lg_spirv_figure, lg_spirv_figure_moments;

#define FIGURE_GROUP  256
#define MOMENTS_GROUP 128
#define PICK_GROUP                                                                                 \
    32 // for at most four numbers, but checking layers misread workgroups of a few lanes

// Then it takes as much room inside another struct on both sides.
_Static_assert(sizeof(lg_figure_output) == 2 * sizeof(lg_address) + 8 * sizeof(lg_uint),
               "a lg_figure_output has a gap at its end");

lg_figure_output lg_figure_output_to(const lg_figure *f, const lg_figure_target *target)
{
    return (lg_figure_output){.target = target->numbers,
                              .previous = f->previous ? target->previous : 0,
                              .kind = f->kind,
                              .numbers = (uint32_t)f->count,
                              .first_run = target->first_run,
                              .whole = f->integer,
                              .factor = f->factor,
                              .offset = f->offset,
                              .least = f->least,
                              .most = f->most};
}

// Luma of float colours becomes an image of its own; that of u16 is counted by way of the host.
static bool luma_stays(const lg_context *context, const lg_image_params *shape)
{
    return shape->type > LG_U16 && shape->width <= INT32_MAX / 64 &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <=
               INT32_MAX &&
           lg_vk_get_limits(context->vk)->max_workgroup_size >= FIGURE_GROUP;
}

bool lg_figure_on_device(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    if (lg_figure_is_pixel(figure))
        return true;
    if (lg_figure_is_of_components(figure))
        return lg_figure_components_fit(context, shape, figure);
    if (!lg_figure_has_rule(shape, figure))
        return lg_figure_has_sums(shape, figure) && lg_moments_stay(context, shape) &&
               (!lg_figure_is_of_luma(shape, figure) || luma_stays(context, shape));
    return limits->max_workgroup_size >= FIGURE_GROUP &&
           (uint32_t)shape->layers <= limits->max_workgroups[1];
}

static lg_figure_counts_push make_push(const lg_histogram_task *task,
                                       const lg_histogram_device *counts, const lg_figure *f,
                                       const lg_figure_target *target)
{
    const bool one = f->channel >= 0; // a component, or luma's own table
    const uint32_t last = (uint32_t)task->channels - 1;
    const uint32_t component =
        f->channel == LG_CHANNEL_LUMA ? last : LG_MIN((uint32_t)f->channel, last);
    return (lg_figure_counts_push){
        .counts = counts->totals.counters,
        .to = lg_figure_output_to(f, target),
        .copies = counts->totals.copies,
        .copy_words = counts->totals.copy_words,
        .layer_words = counts->layer_words,
        .layers = (uint32_t)task->scan.layers,
        .first_table = one ? counts->table - (last - component) * task->table_size : 0,
        .table_words = task->table_size,
        .tables = one                     ? 1
                  : lg_figure_is_curve(f) ? (uint32_t)(task->channels >= 3 ? 3 : 1)
                                          : (uint32_t)task->channels,
        .billionths = f->billionths,
        .no_alpha = f->channel == LG_CHANNEL_DEFAULT && task->channels % 2, // 1 or 3
    };
}

static void name_target(const lg_figure_target *target, const lg_figure *f,
                        lg_vk_commands *commands)
{
    lg_vk_writes(commands, target->numbers, 0);
    lg_vk_writes(commands, f->previous ? target->previous : 0, 0);
}

// ---- a pixel ------------------------------------------------------------------------------------

typedef struct pick_push {
    uint64_t numbers; // of a stage: none
    uint32_t width, first_row;
    struct {
        uint64_t data;
        uint32_t row_stride, layer_stride;
    } views[2]; // read, and never written
    lg_figure_output to;
    int32_t component;
} pick_push;

static lg_status pick_pipeline(lg_context *context, const lg_image_params *shape,
                               const lg_vk_pipeline **out, lg_error *error)
{
    const lg_format format = {shape->type, shape->channels, shape->alpha};
    const lg_format formats[] = {format, format};
    const lg_text_params params = {.views = formats,
                                   .count = 2,
                                   .group_x = PICK_GROUP,
                                   .group_y = 1,
                                   .extra = (sizeof(lg_figure_output) + sizeof(int32_t)) / 4};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        lg_text_begin(stream, &params);
        fputs(lg_text_figure_pick, stream);
    }
    if (!stream || fclose(stream) || !text) {
        free(text);
        return lg_fail_memory(error, 65536, "the text of a kernel");
    }
    const lg_spirv *module;
    lg_status status = lg_vk_compile(context->vk, text, "figure_pick", &module, error);
    free(text);
    return status ? status : lg_vk_pipeline_get(context->vk, module, NULL, 0, 0, out, error);
}

static lg_status record_pick(lg_context *context, const lg_image *image, const lg_device_view *view,
                             const lg_figure *f, const lg_figure_target *target,
                             lg_vk_commands *commands, lg_error *error)
{
    const lg_vk_pipeline *pipeline;
    const lg_status status = pick_pipeline(context, &image->shape, &pipeline, error);
    if (status)
        return status;
    const pick_push push = {.width = (uint32_t)image->shape.width,
                            .views = {{view->first, (uint32_t)view->row_stride, 0}},
                            .to = lg_figure_output_to(f, target),
                            .component = lg_figure_component(&image->shape, f)};
    lg_vk_reads(commands, push.views[0].data, 0);
    name_target(target, f, commands);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push, 1, 1, 1);
    lg_vk_barrier(commands);
    return LG_OK;
}

// ---- from exact sums ----------------------------------------------------------------------------

// The channel of each number, 8 bits each; 255: there is none, it is 1.
static uint32_t places_of(const lg_image_params *shape, const lg_figure *f)
{
    const int component = lg_figure_component(shape, f);
    uint32_t places = 0;
    for (int i = 0; i < 4; i++) {
        const int channel = lg_figure_channel(shape, component >= 0 ? LG_MIN(component, 3) : i);
        places |= (channel < 0 ? 255u : (uint32_t)channel) << (8 * i);
    }
    return places;
}

static lg_figure_sums_push make_sums_push(const lg_image_params *shape, const lg_moments_device *m,
                                          const lg_figure *f, const lg_figure_target *target)
{
    return (lg_figure_sums_push){.counters = m->totals.counters,
                                 .to = lg_figure_output_to(f, target),
                                 .copies = m->totals.copies,
                                 .copy_words = m->totals.copy_words,
                                 .layer_words = m->layer_words,
                                 .layers = (uint32_t)shape->layers,
                                 .words = m->layer_words / (uint32_t)shape->channels,
                                 .samples = (uint32_t)shape->width * (uint32_t)shape->height *
                                            (uint32_t)shape->layers,
                                 .places = places_of(shape, f),
                                 .unit = lg_figure_unit(shape->type),
                                 .scale = lg_figure_scale(shape->type)};
}

// One workgroup that makes a figure of what was counted, and leaves the counters zero.
typedef struct figure_kernel {
    const lg_spirv *module;
    uint32_t group;
    const void *push;
    uint32_t push_size;
    uint64_t counters;
} figure_kernel;

static lg_status record_kernel(lg_context *context, const figure_kernel *kernel, const lg_figure *f,
                               const lg_figure_target *target, lg_vk_commands *commands,
                               lg_error *error)
{
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        lg_vk_pipeline_get(context->vk, kernel->module, &kernel->group, 1, 0, &pipeline, error);
    if (status)
        return status;
    lg_vk_barrier(commands);
    lg_vk_writes(commands, kernel->counters, 0);
    name_target(target, f, commands);
    lg_vk_dispatch(commands, pipeline, kernel->push, kernel->push_size, 1, 1, 1);
    lg_vk_barrier(commands);
    return LG_OK;
}

// An image in scratch memory.
typedef struct luma_image {
    lg_image_private image;
    lg_device_view view;
} luma_image;

static lg_status record_luma(lg_context *context, const lg_image *image, const lg_device_view *view,
                             lg_vk_commands *commands, luma_image *out, lg_error *error)
{
    const lg_image_params *s = &image->shape;
    const size_t row = lg_align_up((size_t)s->width * sizeof(float), 64);
    const size_t layer = row * (size_t)s->height;
    lg_scan scan;
    *out = (luma_image){.image.image.shape = {.width = s->width,
                                              .height = s->height,
                                              .layers = s->layers,
                                              .channels = 1,
                                              .type = LG_F32,
                                              .row_stride = row,
                                              .layer_stride = layer}};
    lg_status status = lg_scan_init(&scan, image, NULL, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SLOT_PARTIALS, layer * (size_t)s->layers,
                                   &out->view.buffer, error);
    if (status)
        return status;
    out->view.first = out->view.buffer->address;
    out->view.row_stride = row;
    out->view.layer_stride = layer;
    status = lg_threshold_record_luma(context, &scan, LG_LUMA_GPUIMAGE, view, out->view.first, row,
                                      commands, error);
    lg_vk_barrier(commands);
    return status;
}

static lg_status record_sums(lg_context *context, const lg_image *image, const lg_device_view *view,
                             const lg_figure *f, const lg_figure_target *target,
                             lg_vk_commands *commands, lg_error *error)
{
    lg_scan scan;
    lg_moments_device moments;
    luma_image luma;
    lg_status status = LG_OK;
    if (lg_figure_is_of_luma(&image->shape, f)) {
        status = record_luma(context, image, view, commands, &luma, error);
        image = &luma.image.image;
        view = &luma.view;
    }
    if (!status)
        status = lg_scan_init(&scan, image, NULL, error);
    if (!status)
        status = lg_moments_record(context, &scan, view, commands, &moments, error);
    if (status)
        return status;
    const lg_figure_sums_push push = make_sums_push(&image->shape, &moments, f, target);
    const figure_kernel kernel = {&lg_spirv_figure_moments, MOMENTS_GROUP, &push, sizeof push,
                                  push.counters};
    return record_kernel(context, &kernel, f, target, commands, error);
}

lg_status lg_figure_record(lg_context *context, const lg_image *image, const lg_device_view *view,
                           const lg_figure *figure, const lg_figure_target *target,
                           lg_vk_commands *commands, lg_error *error)
{
    if (lg_figure_is_pixel(figure))
        return record_pick(context, image, view, figure, target, commands, error);
    if (lg_figure_is_of_components(figure))
        return lg_figure_record_components(context, image, view, figure, target, commands, error);
    if (!lg_figure_has_rule(&image->shape, figure))
        return record_sums(context, image, view, figure, target, commands, error);
    const lg_histogram_params params = lg_figure_counting(&image->shape, figure);
    lg_histogram_task task;
    lg_histogram_device counts;
    lg_device_view mask = {0};
    lg_device_walk walk;
    lg_status status = lg_histogram_plan(context, image, &params, &task, error);
    if (!status)
        status = lg_device_walk_open(context, &task.scan, view, &mask, &walk, error);
    if (!status)
        status = lg_histogram_record(context, &task, view, &walk, commands, &counts, error);
    if (status)
        return status;
    const lg_figure_counts_push push = make_push(&task, &counts, figure, target);
    const figure_kernel kernel = {&lg_spirv_figure, FIGURE_GROUP, &push, sizeof push, push.counts};
    return record_kernel(context, &kernel, figure, target, commands, error);
}

lg_status lg_figure_reserve(lg_context *context, const lg_image_params *shape, lg_error *error)
{
    // Counters of four tables in as many copies as are ever made; see lg_histogram_record.
    lg_vk_buffer *totals;
    const lg_status status =
        lg_workspace_slot(context, LG_SLOT_TOTALS,
                          (size_t)shape->layers * 4 * 260 * 16 * sizeof(uint32_t), &totals, error);
    return status ? status : lg_moments_reserve(context, shape, error);
}
