// Labels of connected components on a Vulkan device: foreground, the kernels of labelling, labels as an
// image. Nothing comes back but the number of components where it is too great.
#include "filter/native/label/label_filter.h"
#include "filter/native/native_vulkan.h"
#include "measure/components/label_device.h"

#include <string.h>

extern const char lg_glsl_foreground[], lg_glsl_label_numbers[];

#define GROUP_X 32 // of both kernels
#define GROUP_Y 4
#define SPAN    4
#define WORDS   10 // of the second one

// ---- the foreground -----------------------------------------------------------------------------

static size_t row_bytes(const lg_image_params *shape)
{
    return lg_align_up((size_t)shape->width, 16);
}

static lg_label_source source_at(const lg_image_params *shape, lg_type type, uint64_t data,
                                 size_t row_stride, size_t layer_stride)
{
    return (lg_label_source){data,
                             row_stride,
                             layer_stride,
                             type,
                             (uint32_t)shape->width,
                             (uint32_t)shape->height,
                             (uint32_t)shape->layers};
}

size_t lg_foreground_bytes(const lg_image_params *shape)
{
    return shape->channels == 1
               ? 0
               : row_bytes(shape) * (size_t)shape->height * (size_t)shape->layers + 256;
}

// As it will lie on the device.
static lg_label_source planned_source(const lg_image_params *shape)
{
    const size_t pixel = shape->channels == 1 ? lg_type_size(shape->type) : 1;
    const size_t row = lg_align_up((size_t)shape->width * pixel, 16);
    return source_at(shape, shape->channels == 1 ? shape->type : LG_U8, 0, row,
                     row * (size_t)shape->height);
}

bool lg_foreground_fits(const lg_context *context, const lg_image_params *shape, int connectivity,
                        const char **why)
{
    const lg_label_source source = planned_source(shape);
    const lg_label_request request = {.foreground = LG_FOREGROUND_NONZERO,
                                      .connectivity = connectivity};
    return lg_label_fits_kernels(context, &source, &request, why);
}

lg_status lg_foreground_record(lg_device_call *call, const lg_device_image *image, uint64_t memory,
                               lg_label_source *out)
{
    const lg_image_params *s = &image->shape;
    if (s->channels == 1) {
        *out = source_at(s, s->type, image->address, image->row_stride, image->layer_stride);
        return LG_OK;
    }
    const size_t row = row_bytes(s), layer = row * (size_t)s->height;
    const lg_device_image bytes = {memory, row, layer, lg_native_shape(s, LG_U8, 1, LG_ALPHA_NONE)};
    const lg_native_glsl text = {.name = "foreground",
                                 .text = lg_glsl_foreground,
                                 .group_x = GROUP_X,
                                 .group_y = GROUP_Y,
                                 .extra = 2,
                                 .span = SPAN};
    const lg_device_image *views[] = {image, &bytes};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, &text, views, 2, &pipeline, "%s", "");
    if (status)
        return status;
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers};
    lg_device_dispatch(call, pipeline, views, 2, extra, 2,
                       lg_native_groups(s->width, GROUP_X * SPAN),
                       lg_native_groups(s->height, GROUP_Y), lg_native_groups(s->layers, 1));
    lg_vk_barrier(call->commands);
    *out = source_at(s, LG_U8, memory, row, layer);
    return LG_OK;
}

// ---- the filter ---------------------------------------------------------------------------------

bool lg_label_filter_fits(const lg_context *context, const lg_filter *filter, const float *values,
                          const lg_image_params *in, const char **why)
{
    return lg_foreground_fits(context, in, lg_label_connectivity(filter, values), why);
}

static lg_status record_numbers(lg_device_call *call, uint64_t labels, uint64_t count)
{
    const lg_image_params *s = &call->out.shape;
    const lg_native_glsl text = {.name = "label_numbers",
                                 .text = lg_glsl_label_numbers,
                                 .group_x = GROUP_X,
                                 .group_y = GROUP_Y,
                                 .extra = WORDS,
                                 .span = SPAN};
    const lg_device_image *views[] = {&call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, &text, views, 1, &pipeline, "%s", "");
    if (status)
        return status;
    const float unit = lg_label_sample_unit(call->filter, call->values);
    uint32_t extra[WORDS] = {[2] = (uint32_t)s->height,
                             [3] = (uint32_t)s->layers,
                             [5] = lg_label_most(call->filter, call->values)};
    memcpy(extra, &labels, sizeof labels);
    memcpy(extra + 4, &unit, sizeof unit);
    memcpy(extra + 6, &count, sizeof count);
    memcpy(extra + 8, &call->refused, sizeof call->refused);
    lg_vk_reads(call->commands, labels, 0);
    lg_vk_reads(call->commands, count, 4);
    lg_vk_adds(call->commands, call->refused, 4);
    lg_device_dispatch(call, pipeline, views, 1, extra, WORDS,
                       lg_native_groups(s->width, GROUP_X * SPAN),
                       lg_native_groups(s->height, GROUP_Y), lg_native_groups(s->layers, 1));
    return LG_OK;
}

lg_status lg_label_filter_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const size_t pixels = (size_t)s->width * (size_t)s->height * (size_t)s->layers;
    const size_t foreground = lg_foreground_bytes(s);
    lg_vk_buffer *labels, *count, *made = NULL;
    lg_label_source source;
    lg_status status = lg_device_scratch(call, lg_align_up(pixels * sizeof(uint32_t), 16), &labels);
    if (!status)
        status = lg_device_scratch(call, 256, &count);
    if (!status && foreground)
        status = lg_device_scratch(call, foreground, &made);
    if (!status)
        status = lg_foreground_record(call, &call->in[0], made ? made->address : 0, &source);
    if (status)
        return status;
    const lg_label_request request = {.foreground = LG_FOREGROUND_NONZERO,
                                      .connectivity =
                                          lg_label_connectivity(call->filter, call->values),
                                      .labels = labels->address,
                                      .count = count->address};
    status = lg_label_record_forest(call->context, &source, &request, call->commands, call->error);
    if (!status)
        status =
            lg_label_record_labels(call->context, &source, &request, call->commands, call->error);
    return status ? status : record_numbers(call, labels->address, count->address);
}
