// Labels of connected components on a Vulkan device: foreground, the kernels of labelling, labels as an
// image. Nothing comes back but the number of components where it is too great.
#include "filter/native/label/label_filter.h"
#include "filter/native/native_vulkan.h"
#include "measure/components/label_device.h"

extern const char lg_glsl_foreground[], lg_glsl_label_numbers[];

#define SPAN 4 // of both kernels

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

lg_label_source lg_foreground_record(lg_device_call *call, const lg_device_image *image,
                                     uint64_t memory)
{
    const lg_image_params *s = &image->shape;
    if (s->channels == 1)
        return source_at(s, s->type, image->address, image->row_stride, image->layer_stride);
    const size_t row = row_bytes(s), layer = row * (size_t)s->height;
    const lg_device_image bytes = {memory, row, layer, lg_native_shape(s, LG_U8, 1, LG_ALPHA_NONE)};
    const lg_pass pass = {LG_PASS_TEXT(foreground), .span = SPAN, .views = {image, &bytes},
                          .words = LG_WORDS(s->height, s->layers)};
    lg_pass_run(call, &pass, "%s", "");
    lg_vk_barrier(call->commands);
    return source_at(s, LG_U8, memory, row, layer);
}

// ---- the filter ---------------------------------------------------------------------------------

bool lg_label_filter_fits(const lg_context *context, const lg_filter *filter, const float *values,
                          const lg_image_params *in, const char **why)
{
    return lg_foreground_fits(context, in, lg_label_connectivity(filter, values), why);
}

static void write_numbers(lg_device_call *call, uint64_t labels, uint64_t count)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {LG_PASS_TEXT(label_numbers),
                          .span = SPAN,
                          .views = {&call->out},
                          .words =
                              LG_WORDS(LG_ADDRESS(labels), s->height, s->layers,
                                       lg_bits(lg_label_sample_unit(call->filter, call->values)),
                                       lg_label_most(call->filter, call->values), LG_ADDRESS(count),
                                       LG_ADDRESS(call->refused)),
                          .reads = {labels, count},
                          .adds = {call->refused}};
    lg_pass_run(call, &pass, "%s", "");
}

void lg_label_filter_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const size_t pixels = (size_t)s->width * (size_t)s->height * (size_t)s->layers;
    const size_t foreground = lg_foreground_bytes(s);
    const lg_label_request request = {
        .foreground = LG_FOREGROUND_NONZERO,
        .connectivity = lg_label_connectivity(call->filter, call->values),
        .labels = lg_device_memory(call, lg_align_up(pixels * sizeof(uint32_t), 16)),
        .count = lg_device_memory(call, 256)};
    const uint64_t made = foreground ? lg_device_memory(call, foreground) : 0;
    const lg_label_source source = lg_foreground_record(call, &call->in[0], made);
    if (!call->status)
        call->status =
            lg_label_record_forest(call->context, &source, &request, call->commands, call->error);
    if (!call->status)
        call->status =
            lg_label_record_labels(call->context, &source, &request, call->commands, call->error);
    write_numbers(call, request.labels, request.count);
}
