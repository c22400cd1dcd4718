// Measured parameters that stay on the device: what several figures are made from is counted once, and then a
// workgroup makes each figure and puts it among the numbers of the stage.
#include "graph/figure_vulkan.h"

#include "filter/device_call.h"
#include "measure/moments/moments_device.h"
#include "measure/threshold/luma_moments.h"

#include <string.h>

extern const char lg_glsl_figure_pick[];
extern const lg_spirv lg_spirv_figure, lg_spirv_figure_moments;

#define FIGURE_GROUP  256
#define MOMENTS_GROUP 128
#define PICK_GROUP    32 // for four numbers, but checking layers misread workgroups of a few lanes

// Then it takes as much room inside another struct on both sides.
_Static_assert(sizeof(lg_figure_output) == 2 * sizeof(lg_address) + 8 * sizeof(lg_uint),
               "a lg_figure_output has a gap at its end");

lg_figure_output lg_figure_output_to(const lg_figure_recording *r, const lg_figure_task *t)
{
    const lg_figure *f = t->figure;
    return (lg_figure_output){.target = t->target,
                              .previous = f->previous ? t->previous : 0,
                              .kind = f->kind,
                              .numbers = (uint32_t)f->count,
                              .first_run = r->first_run,
                              .whole = f->integer,
                              .factor = f->factor,
                              .offset = f->offset,
                              .min = f->min,
                              .max = f->max};
}

void lg_figure_dispatch(const lg_figure_recording *r, const lg_figure_task *t,
                        const lg_vk_pipeline *pipeline, const void *push, uint32_t size,
                        uint32_t groups)
{
    lg_vk_writes(r->commands, t->target, 0);
    lg_vk_writes(r->commands, t->figure->previous ? t->previous : 0, 0);
    lg_vk_dispatch(r->commands, pipeline, push, size, groups, 1, 1);
    lg_vk_barrier(r->commands);
}

// ---- a pixel ------------------------------------------------------------------------------------

// The image is both of the views that a kernel has; it is never written.
static lg_status record_pixel(const lg_figure_recording *r, const lg_figure_task *t,
                              lg_figure_found *out)
{
    const lg_image_params padded = lg_shape_padded(&t->image->shape), *s = &padded;
    const lg_format formats[] = {lg_format_of(s), lg_format_of(s)};
    const lg_glsl_params params = {.views = formats,
                                   .count = 2,
                                   .group_x = PICK_GROUP,
                                   .group_y = 1,
                                   .extra = sizeof(lg_figure_output) / 4 + 1};
    lg_device_call call = {.context = r->context, .error = r->error};
    return lg_device_kernel(&call, "figure_pick", lg_glsl_figure_pick, &params, &out->pipeline);
}

static void make_of_pixel(const lg_figure_recording *r, const lg_figure_task *t,
                          const lg_figure_found *found, bool last)
{
    const lg_device_view *view = &r->views[t->slot];
    const lg_image_params *s = &t->image->shape;
    const lg_figure_output to = lg_figure_output_to(r, t);
    uint32_t own[sizeof to / 4 + 1];
    lg_stage_push push = {.width = (uint32_t)s->width,
                          .views = {{view->first, (uint32_t)view->row_stride, 0}}};
    memcpy(own, &to, sizeof to);
    own[sizeof to / 4] = (uint32_t)lg_figure_component(s, t->figure);
    lg_vk_reads(r->commands, view->first, 0);
    lg_figure_dispatch(r, t, found->pipeline, &push,
                       lg_stage_push_own(&push, 2, own, LG_COUNT(own)), 1);
}

// ---- from counts, and from exact sums -----------------------------------------------------------

static lg_status find_pipeline(const lg_figure_recording *r, const lg_spirv *module, uint32_t group,
                               lg_figure_found *out)
{
    return lg_vk_pipeline_get(r->context->vk, module, &group, 1, 0, &out->pipeline, r->error);
}

// What both have counted, in layers of so many words.
static lg_figure_push push_of(const lg_image_params *shape, const lg_device_totals *totals,
                              uint32_t layer_words)
{
    return (lg_figure_push){.counters = totals->counters,
                            .copies = totals->copies,
                            .copy_words = totals->copy_words,
                            .layer_words = layer_words,
                            .layers = (uint32_t)shape->layers,
                            .unit = lg_figure_unit(shape->type),
                            .scale = lg_figure_scale(shape->type)};
}

uint32_t lg_figure_places(const lg_image_params *shape, const lg_figure *f)
{
    uint32_t places = 0;
    for (int i = 0; i < 4; i++)
        places |= ((uint32_t)lg_figure_channel_of(shape, f, i) & 255) << (8 * i);
    return places;
}

// Counts of one channel make a figure of that alone, those of luma too.
static void make_of_counters(const lg_figure_recording *r, const lg_figure_task *t,
                             const lg_figure_found *found, bool last)
{
    const lg_figure *f = t->figure;
    lg_figure_push push = found->counters;
    push.to = lg_figure_output_to(r, t);
    push.billionths = f->billionths;
    push.clear = last;
    push.places = lg_figure_places(&t->image->shape, f);
    if (found->counts && f->channel >= 0) {
        push.first += (push.places & 255) * push.words;
        push.places = 0;
        push.channels = 1;
    } else if (found->counts && lg_figure_is_curve(f)) {
        push.channels = push.channels >= 3 ? 3 : 1;
    }
    (last ? lg_vk_writes : lg_vk_reads)(r->commands, push.counters, 0);
    lg_figure_dispatch(r, t, found->pipeline, &push, sizeof push, 1);
}

static bool counts_fit(const lg_context *context, const lg_image_params *shape, const lg_figure *f)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    return limits->max_workgroup_size >= FIGURE_GROUP &&
           (uint32_t)shape->layers <= limits->max_workgroups[1];
}

lg_status lg_figure_record_counts(const lg_figure_recording *r, const lg_figure_task *t,
                                  lg_histogram_task *task, lg_histogram_device *counts)
{
    const lg_histogram_params params = lg_figure_counting(&t->image->shape, t->figure);
    const lg_device_view *view = &r->views[t->slot];
    lg_device_view mask = {0};
    lg_device_walk walk;
    lg_status status = lg_histogram_plan(r->context, t->image, &params, task, r->error);
    if (!status)
        status = lg_device_walk_open(r->context, &task->scan, view, &mask, &walk, r->error);
    if (!status)
        status = lg_histogram_record(r->context, task, view, &walk, r->commands, counts, r->error);
    lg_vk_barrier(r->commands);
    return status;
}

static lg_status record_counts(const lg_figure_recording *r, const lg_figure_task *t,
                               lg_figure_found *out)
{
    lg_histogram_task task;
    lg_histogram_device counts;
    const lg_status status = lg_figure_record_counts(r, t, &task, &counts);
    if (status)
        return status;
    const uint32_t last = (uint32_t)task.channels - 1; // luma is the last one
    out->counts = true;
    out->counters = push_of(&t->image->shape, &counts.totals, counts.layer_words);
    out->counters.words = counts.table_words;
    out->counters.channels = (uint32_t)task.channels;
    out->counters.first = counts.table;
    if (!lg_figure_is_of_luma(&t->image->shape, t->figure))
        out->counters.first -= last * counts.table_words;
    return find_pipeline(r, &lg_spirv_figure, FIGURE_GROUP, out);
}

bool lg_figure_luma_fits(const lg_context *context, const lg_image_params *shape)
{
    return shape->type > LG_U16 && shape->width <= INT32_MAX / 64 &&
           (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <=
               INT32_MAX &&
           lg_vk_get_limits(context->vk)->max_workgroup_size >= FIGURE_GROUP;
}

static bool sums_fit(const lg_context *context, const lg_image_params *shape, const lg_figure *f)
{
    return lg_figure_has_sums(shape) && lg_moments_stay(context, shape) &&
           (!lg_figure_is_of_luma(shape, f) || lg_figure_luma_fits(context, shape));
}

// Luma of floats becomes an image in scratch memory.
static lg_status record_luma(const lg_figure_recording *r, const lg_figure_task *t,
                             lg_figure_input *out)
{
    const lg_image_params *s = &t->image->shape;
    const size_t row = lg_align_up((size_t)s->width * sizeof(float), 64);
    const size_t layer = row * (size_t)s->height;
    lg_scan scan;
    out->luma.image.shape = (lg_image_params){.width = s->width,
                                              .height = s->height,
                                              .layers = s->layers,
                                              .channels = 1,
                                              .type = LG_F32,
                                              .row_stride = row,
                                              .layer_stride = layer};
    out->image = &out->luma.image;
    out->view = &out->luma_view;
    lg_status status = lg_scan_init(&scan, t->image, NULL, r->error);
    if (!status)
        status = lg_workspace_slot(r->context, LG_SCRATCH_PARTIALS, layer * (size_t)s->layers,
                                   &out->luma_view.buffer, r->error);
    if (status)
        return status;
    out->luma_view.first = out->luma_view.buffer->address;
    out->luma_view.row_stride = row;
    out->luma_view.layer_stride = layer;
    status = lg_threshold_record_luma(r->context, &scan, LG_LUMA_GPUIMAGE, &r->views[t->slot],
                                      out->luma_view.first, row, r->commands, r->error);
    lg_vk_barrier(r->commands);
    return status;
}

lg_status lg_figure_open_input(const lg_figure_recording *r, const lg_figure_task *t,
                               lg_figure_input *out)
{
    lg_status status = LG_OK;
    *out = (lg_figure_input){.image = t->image, .view = &r->views[t->slot]};
    if (lg_figure_is_of_luma(&t->image->shape, t->figure))
        status = record_luma(r, t, out);
    return status ? status : lg_scan_init(&out->scan, out->image, NULL, r->error);
}

static lg_status record_sums(const lg_figure_recording *r, const lg_figure_task *t,
                             lg_figure_found *out)
{
    lg_moments_device moments;
    lg_figure_input in;
    lg_status status = lg_figure_open_input(r, t, &in);
    if (!status)
        status = lg_moments_record(r->context, &in.scan, in.view, r->commands, &moments, r->error);
    if (status)
        return status;
    lg_vk_barrier(r->commands);
    const lg_image_params padded = lg_shape_padded(&in.image->shape), *s = &padded;
    out->counters = push_of(s, &moments.totals, moments.layer_words);
    out->counters.words = moments.layer_words / (uint32_t)s->channels;
    out->counters.channels = (uint32_t)s->channels;
    out->counters.samples = (uint32_t)s->width * (uint32_t)s->height * (uint32_t)s->layers;
    return find_pipeline(r, &lg_spirv_figure_moments, MOMENTS_GROUP, out);
}

// ---- all of them --------------------------------------------------------------------------------

// Whether figures of a source stay (NULL: always), what is recorded once for several of them, and for each.
// The last one leaves counters zero for the next count.
typedef struct driver {
    bool (*fits)(const lg_context *, const lg_image_params *, const lg_figure *);
    lg_status (*record)(const lg_figure_recording *, const lg_figure_task *, lg_figure_found *);
    void (*make)(const lg_figure_recording *, const lg_figure_task *, const lg_figure_found *,
                 bool last);
} driver;

static const driver *driver_of(const lg_image_params *shape, const lg_figure *figure)
{
    // Those of other sources are measured by the host.
    static const driver drivers[] = {
        [LG_SOURCE_SUMS] = {sums_fit, record_sums, make_of_counters},
        [LG_SOURCE_COUNTS] = {counts_fit, record_counts, make_of_counters},
        [LG_SOURCE_VALUES] = {lg_figure_ranks_fit, lg_figure_record_values,
                              lg_figure_make_of_ranks},
        [LG_SOURCE_BINS] = {lg_figure_ranks_fit, lg_figure_record_bins, lg_figure_make_of_ranks},
        [LG_SOURCE_LEVEL] = {lg_figure_ranks_fit, lg_figure_record_bins, lg_figure_make_of_ranks},
        [LG_SOURCE_PIXEL] = {NULL, record_pixel, make_of_pixel},
        [LG_SOURCE_COMPONENTS] = {lg_figure_components_fit, lg_figure_record_components,
                                  lg_figure_make_of_components},
    };
    return &drivers[lg_figure_source_of(shape, figure, true)];
}

bool lg_figure_on_device(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure)
{
    const driver *d = driver_of(shape, figure);
    return d->record && (!d->fits || d->fits(context, shape, figure));
}

// Records what the first task is made from, and all figures of it.
static lg_status record_group(const lg_figure_recording *r, lg_figure_task *tasks, int count)
{
    const driver *d = driver_of(&tasks->image->shape, tasks->figure);
    lg_figure_found found = {0};
    int last = 0;
    for (int i = 0; i < count; i++)
        if (lg_figures_share(tasks, &tasks[i], true)) {
            found.records |= tasks[i].figure->kind >= LG_FIRST_OF_LARGEST;
            found.classes |= 1u << lg_figure_class(tasks[i].figure);
            last = i;
        }
    const lg_status status = d->record(r, tasks, &found);
    for (int i = 0; i <= last && !status; i++)
        if (lg_figures_share(tasks, &tasks[i], true)) {
            d->make(r, &tasks[i], &found, i == last);
            tasks[i].done = true;
        }
    return status;
}

lg_status lg_figures_record(const lg_figure_recording *r, lg_figure_task *tasks, int wanted,
                            int count)
{
    lg_status status = LG_OK;
    for (int i = 0; i < wanted && !status; i++)
        if (!tasks[i].done)
            status = record_group(r, tasks + i, count - i);
    return status;
}

lg_status lg_figure_reserve(lg_context *context, const lg_image_params *shape, lg_error *error)
{
    // Counters of four tables in as many copies as are ever made; see lg_histogram_record.
    const size_t bytes = (size_t)shape->layers * 4 * 260 * 16 * sizeof(uint32_t);
    lg_vk_buffer *totals;
    const lg_status status = lg_workspace_slot(context, LG_SCRATCH_TOTALS, bytes, &totals, error);
    return status ? status : lg_moments_reserve(context, shape, error);
}
