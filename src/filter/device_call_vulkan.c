#include "filter/device_call.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

lg_format lg_format_of(const lg_image_params *shape)
{
    return (lg_format){.type = shape->type,
                       .channels = shape->channels,
                       .alpha = shape->alpha,
                       .planes = shape->planes};
}

static lg_vk_buffer *scratch_of(lg_device_call *call, size_t bytes, lg_vk_memory memory)
{
    if (call->status)
        return NULL;
    if (call->scratch_count == LG_MAX_SCRATCH) {
        call->status = lg_fail(call->error, LG_ERROR_LIMIT, "%s needs too many scratch buffers",
                               call->filter->name);
        return NULL;
    }
    lg_vk_buffer **buffer = &call->scratch[call->scratch_count++];
    if (*buffer && ((*buffer)->size < bytes || !(*buffer)->map != (memory == LG_VK_DEVICE)))
        lg_vk_buffer_destroy(call->context->vk, buffer);
    if (!*buffer)
        call->status = lg_vk_buffer_create(call->context->vk, bytes, memory, buffer, call->error);
    return call->status ? NULL : *buffer;
}

uint64_t lg_device_memory(lg_device_call *call, size_t bytes)
{
    const lg_vk_buffer *buffer = scratch_of(call, bytes, LG_VK_DEVICE);
    return buffer ? buffer->address : 0;
}

uint64_t lg_device_zeros(lg_device_call *call, size_t bytes)
{
    lg_vk_buffer *buffer = scratch_of(call, lg_align_up(bytes, 4), LG_VK_DEVICE);
    if (!buffer)
        return 0;
    lg_vk_fill(call->commands, buffer, 0, lg_align_up(bytes, 4), 0);
    return buffer->address;
}

uint64_t lg_device_upload(lg_device_call *call, const void *data, size_t bytes)
{
    lg_vk_buffer *host = scratch_of(call, bytes, LG_VK_UPLOAD);
    lg_vk_buffer *buffer = scratch_of(call, bytes, LG_VK_DEVICE);
    if (!buffer)
        return 0;
    memcpy(host->map, data, bytes);
    lg_vk_copy(call->commands, host, 0, buffer, 0, bytes);
    return buffer->address;
}

static void cut(lg_device_image *image, int64_t first, int64_t end, bool in_place)
{
    image->address += (uint64_t)first * image->row_stride;
    image->shape.height = (int32_t)(end - first);
    image->above = in_place ? first : 0;
}

void lg_device_cut(lg_device_call *call, bool in_place)
{
    cut(&call->in[0], call->from, call->to, in_place);
    cut(&call->out, call->first, call->end, in_place);
}

lg_device_image lg_device_scratch_image(lg_device_call *call, const lg_image_params *shape)
{
    size_t rows, bytes;
    lg_device_image image = {.shape = *shape};
    image.row_stride = lg_align_up((size_t)shape->width * lg_pixel_size(shape), 16);
    image.layer_stride = image.row_stride * (size_t)shape->height;
    if (!call->status &&
        (!lg_size_mul((size_t)shape->height, (size_t)shape->layers, &rows) ||
         !lg_size_mul(rows, image.row_stride, &bytes) || !lg_size_add(bytes, 256, &bytes)))
        call->status = lg_fail(call->error, LG_ERROR_LIMIT, "an image between passes is too large");
    image.address = call->status ? 0 : lg_device_memory(call, bytes);
    return image;
}

// ---- kernels ------------------------------------------------------------------------------------

size_t lg_key_put(unsigned char *key, size_t at, const void *bytes, size_t size)
{
    if (key && size)
        memcpy(key + at, bytes, size);
    return at + size;
}

static size_t put_text(unsigned char *key, size_t at, const char *text)
{
    return lg_key_put(key, at, text ? text : "", text ? strlen(text) + 1 : 1);
}

// All that the text of a kernel is made of. Returns its size; NULL: only that.
static size_t write_key(const char *text, const lg_glsl_params *p, unsigned char *key)
{
    const int numbers[] = {p->count, p->group_x, p->group_y, p->extra, p->span};
    size_t at = lg_key_put(key, 0, &text, sizeof text);
    at = lg_key_put(key, at, p->parts, sizeof p->parts);
    at = lg_key_put(key, at, numbers, sizeof numbers);
    for (int i = 0; i < p->count; i++) {
        const int format[] = {(int)p->views[i].type, p->views[i].channels, (int)p->views[i].alpha};
        at = lg_key_put(key, at, format, sizeof format);
    }
    at = put_text(key, at, p->before);
    return put_text(key, at, p->shared);
}

void lg_kept_kernels_free(lg_kept_kernel kept[LG_MAX_KEPT])
{
    for (int i = 0; i < LG_MAX_KEPT; i++)
        lg_free(kept[i].key);
}

lg_status lg_device_compile(lg_context *context, const char *name, FILE *stream, char **text,
                            const lg_vk_pipeline **out, lg_error *error)
{
    if (fclose(stream) || !*text) {
        free(*text);
        return lg_fail_memory(error, 65536, "the text of a kernel");
    }
    const lg_spirv *module;
    lg_status status = lg_vk_compile(context->vk, *text, name, &module, error);
    free(*text);
    if (!status)
        status = lg_vk_pipeline_get(context->vk, module, NULL, 0, 0, out, error);
    return status;
}

static lg_status make_kernel(lg_device_call *call, const char *name, const char *text,
                             const lg_glsl_params *params, const lg_vk_pipeline **out)
{
    char *whole = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&whole, &size);
    if (!stream)
        return lg_fail_memory(call->error, 65536, "the text of a kernel");
    lg_glsl_begin(stream, params);
    fputs(text, stream);
    for (size_t i = 0; i < LG_COUNT(params->parts) && params->parts[i]; i++)
        fputs(params->parts[i], stream);
    return lg_device_compile(call->context, name, stream, &whole, out, call->error);
}

lg_status lg_device_kernel(lg_device_call *call, const char *name, const char *text,
                           const lg_glsl_params *params, const lg_vk_pipeline **out)
{
    if (!call->kept)
        return make_kernel(call, name, text, params, out);
    const size_t size = write_key(text, params, NULL);
    unsigned char *key = lg_alloc(size);
    if (!key)
        return lg_fail_memory(call->error, size, "a kernel");
    write_key(text, params, key);
    int i = 0;
    while (i < LG_MAX_KEPT && call->kept[i].key &&
           (call->kept[i].size != size || memcmp(call->kept[i].key, key, size) != 0))
        i++;
    if (i < LG_MAX_KEPT && call->kept[i].key) {
        *out = call->kept[i].pipeline;
        lg_free(key);
        return LG_OK;
    }
    const lg_status status = make_kernel(call, name, text, params, out);
    if (!status && i < LG_MAX_KEPT)
        call->kept[i] = (lg_kept_kernel){key, size, *out};
    else
        lg_free(key);
    return status;
}

uint32_t lg_stage_push_own(lg_stage_push *push, int views, const uint32_t *own, int count)
{
    const size_t at = offsetof(lg_stage_push, views) + (size_t)views * sizeof *push->views;
    if (count)
        memcpy((char *)push + at, own, (size_t)count * sizeof *own);
    return (uint32_t)(at + (size_t)LG_MAX(count, 1) * sizeof *own);
}

void lg_device_dispatch(lg_device_call *call, const lg_vk_pipeline *pipeline,
                        const lg_device_image *const *views, int count, const uint32_t *own,
                        int own_count, const uint32_t groups[3], bool parted)
{
    const lg_device_image *last = views[count - 1];
    lg_stage_push push = {.values = call->numbers, .width = (uint32_t)last->shape.width};
    for (int i = 0; i < count; i++) {
        const bool single = views[i]->shape.layers == 1 && last->shape.layers > 1;
        const uint64_t origin =
            views[i]->address - (uint64_t)views[i]->above * views[i]->row_stride;
        push.views[i] = (lg_view){origin, (uint32_t)views[i]->row_stride,
                                  single ? 0 : (uint32_t)(views[i]->layer_stride / 16)};
    }
    const uint32_t size = lg_stage_push_own(&push, count, own, own_count);
    lg_vk_reads(call->commands, call->numbers, 0);
    for (int i = 0; i < count; i++) {
        const lg_image_params *s = &views[i]->shape;
        const uint64_t bytes = views[i]->layer_stride * (uint64_t)(s->layers - 1) +
                               views[i]->row_stride * (uint64_t)s->height;
        (i < count - 1 ? lg_vk_reads
         : parted      ? lg_vk_adds
                       : lg_vk_writes)(call->commands, views[i]->address, bytes);
        if (views[i]->above)
            lg_vk_origin(call->commands, push.views[i].data);
    }
    lg_vk_dispatch(call->commands, pipeline, &push, size, groups[0], groups[1], groups[2]);
}
