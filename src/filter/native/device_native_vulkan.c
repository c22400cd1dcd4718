#include "filter/native/native_vulkan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lg_status lg_native_kernel(lg_device_call *call, const lg_native_glsl *text,
                           const lg_device_image *const *views, int count,
                           const lg_vk_pipeline **out, const char *before, ...)
{
    lg_format formats[LG_MAX_VIEWS];
    char lines[900];
    va_list arguments;
    va_start(arguments, before);
    vsnprintf(lines, sizeof lines, before, arguments);
    va_end(arguments);
    for (int i = 0; i < count; i++)
        formats[i] = lg_format_of(&views[i]->shape);
    const lg_glsl_params params = {.views = formats,
                                   .count = count,
                                   .group_x = text->group_x,
                                   .group_y = text->group_y,
                                   .extra = text->extra,
                                   .span = text->span,
                                   .before = lines,
                                   .shared = text->shared,
                                   .parts = {text->parts[0], text->parts[1]}};
    return lg_device_kernel(call, text->name, text->text, &params, out);
}

uint32_t lg_native_index(const lg_filter *filter, const char *name)
{
    int i = 0;
    while (i < filter->param_count - 1 && strcmp(filter->params[i].name, name) != 0)
        i++;
    return (uint32_t)(LG_STAGE_HEADER + lg_filter_offset(filter, i));
}

uint32_t lg_native_groups(int64_t size, int64_t each)
{
    const int64_t groups = (size + each - 1) / each;
    return (uint32_t)LG_MIN(LG_MAX(groups, 1), 65535);
}

lg_image_params lg_native_shape(const lg_image_params *like, lg_type type, int32_t channels,
                                lg_alpha alpha)
{
    return (lg_image_params){.width = like->width,
                             .height = like->height,
                             .layers = like->layers,
                             .channels = channels,
                             .type = type,
                             .alpha = alpha};
}
