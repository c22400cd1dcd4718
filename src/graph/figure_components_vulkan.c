// Figures of connected components that stay on the device: foreground, the kernels of labelling, and one
// that finds the largest component among their records.
#include "filter/device_call.h"
#include "filter/native/label/label_filter.h"
#include "graph/figure_vulkan.h"
#include "measure/components/label_device.h"

extern const lg_spirv lg_spirv_figure_components;

#define GROUP        256
#define PART_RECORDS 4096 // of a workgroup that looks for the largest, at least
#define MOST_PARTS   GROUP
#define COUNT_BYTES  256
#define PARTS_BYTES  (MOST_PARTS * 8)
#define FIXED_BYTES  (COUNT_BYTES + PARTS_BYTES)

// What memory the figure takes: count, parts, foreground, records.
typedef struct components_memory {
    size_t foreground, record_bytes, all; // bytes
    uint64_t capacity;                    // components
} components_memory;

// As many components as an image can have: no two of their first pixels are neighbours.
static uint64_t most_components(const lg_image_params *s, int connectivity)
{
    const uint64_t width = (uint64_t)s->width, height = (uint64_t)s->height,
                   layers = (uint64_t)s->layers, row = (width + 1) / 2;
    if (connectivity == 8 || connectivity == 26)
        return row * ((height + 1) / 2) * (connectivity == 26 ? (layers + 1) / 2 : layers);
    return ((width * height + 1) / 2) * layers;
}

static components_memory memory_of(const lg_image_params *s, int connectivity, bool records)
{
    const lg_label_source source = {.layers = (uint32_t)s->layers};
    const lg_label_request request = {.connectivity = connectivity};
    components_memory m = {.foreground = lg_align_up(lg_foreground_bytes(s), 256),
                           .record_bytes = lg_label_record_size(&source, &request)};
    if (records)
        m.capacity = most_components(s, connectivity);
    m.all = FIXED_BYTES + m.foreground + m.capacity * m.record_bytes;
    return m;
}

// Where there is not enough memory for as many records, the host counts components first.
bool lg_figure_components_fit(const lg_context *context, const lg_image_params *shape,
                              const lg_figure *figure)
{
    const char *why;
    return lg_foreground_fits(context, shape, figure->connectivity, &why) &&
           memory_of(shape, figure->connectivity, figure->kind >= LG_FIRST_OF_LARGEST).all <=
               lg_vk_get_limits(context->vk)->max_allocation;
}

// The kernel that finds the largest component of a part of the records, or of all parts.
static lg_status find_pipeline(const lg_figure_recording *r, bool of_parts,
                               const lg_vk_pipeline **out)
{
    const uint32_t constants[] = {GROUP, of_parts};
    return lg_vk_pipeline_get(r->context->vk, &lg_spirv_figure_components, constants,
                              LG_COUNT(constants), 0, out, r->error);
}

static lg_status record_largest(const lg_figure_recording *r, const lg_figure_components_push *push)
{
    const lg_vk_pipeline *pipeline;
    const lg_status status = find_pipeline(r, false, &pipeline);
    if (status)
        return status;
    lg_vk_reads(r->commands, push->records, 0);
    lg_vk_reads(r->commands, push->count, 4);
    lg_vk_writes(r->commands, push->parts, PARTS_BYTES);
    lg_vk_dispatch(r->commands, pipeline, push, sizeof *push, push->part_count, 1, 1);
    lg_vk_barrier(r->commands);
    return LG_OK;
}

void lg_figure_make_of_components(const lg_figure_recording *r, const lg_figure_task *t,
                                  const lg_figure_found *found, bool last)
{
    lg_figure_components_push push = found->components;
    push.to = lg_figure_output_to(r, t);
    lg_vk_reads(r->commands, push.records, 0);
    lg_vk_reads(r->commands, push.count, 4);
    lg_vk_reads(r->commands, push.parts, PARTS_BYTES);
    lg_figure_dispatch(r, t, found->pipeline, &push, sizeof push, 1);
}

lg_status lg_figure_record_components(const lg_figure_recording *r, const lg_figure_task *t,
                                      lg_figure_found *out)
{
    const lg_image_params padded = lg_shape_padded(&t->image->shape), *s = &padded;
    const int connectivity = t->figure->connectivity;
    const lg_device_view *view = &r->views[t->slot];
    const components_memory m = memory_of(s, connectivity, out->records);
    const lg_device_image in = {view->first, view->row_stride, view->layer_stride, *s};
    lg_device_call call = {.context = r->context, .commands = r->commands, .error = r->error};
    lg_vk_buffer *buffer;
    lg_status status =
        lg_workspace_slot(r->context, LG_SCRATCH_COMPONENTS, m.all, &buffer, r->error);
    if (status)
        return status;
    const uint64_t foreground = buffer->address + FIXED_BYTES;
    const lg_label_request request = {.foreground = LG_FOREGROUND_NONZERO,
                                      .connectivity = connectivity,
                                      .count = buffer->address,
                                      .figures = m.capacity ? foreground + m.foreground : 0,
                                      .capacity = (uint32_t)m.capacity};
    const lg_label_source source = lg_foreground_record(&call, &in, foreground);
    status = call.status;
    if (!status)
        status = lg_label_record_forest(r->context, &source, &request, r->commands, r->error);
    if (!status)
        status = lg_label_record_labels(r->context, &source, &request, r->commands, r->error);
    const uint32_t parts = (request.capacity + PART_RECORDS - 1) / PART_RECORDS;
    out->components = (lg_figure_components_push){
        .records = request.figures,
        .count = request.count,
        .parts = request.count + COUNT_BYTES,
        .record_bytes = (uint32_t)m.record_bytes,
        .part_count = LG_MIN(parts, (uint32_t)MOST_PARTS),
        .volume = lg_connectivity_is_volume(connectivity) && s->layers > 1,
        .width = (uint32_t)s->width,
        .height = (uint32_t)s->height};
    if (!status && request.capacity)
        status = record_largest(r, &out->components);
    return status ? status : find_pipeline(r, true, &out->pipeline);
}
