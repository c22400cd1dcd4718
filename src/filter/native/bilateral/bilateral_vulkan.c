// The bilateral filter on a Vulkan device.
#include "filter/native/bilateral/bilateral_device.h"
#include "filter/native/planes.h"

#include <stdio.h>

extern const char lg_glsl_bilateral_any[], lg_glsl_bilateral_bytes[];

lg_pixels lg_bilateral_device_pixels(const lg_device_image *image)
{
    const lg_image_params *s = &image->shape;
    return (lg_pixels){.width = s->width,
                       .height = s->height,
                       .channels = s->channels,
                       .type = s->type,
                       .alpha = s->alpha};
}

void lg_bilateral_lines(const lg_device_call *call, const lg_bilateral *b,
                        char lines[LG_BILATERAL_LINES])
{
    const lg_pixels in = lg_bilateral_device_pixels(&call->in[0]);
    snprintf(lines, LG_BILATERAL_LINES,
             "#define BORDER %d\n#define CHANNELS %d\n#define PLANES %d\n#define ALPHA %d\n"
             "#define BYTES %d\n#define ROUNDED %d\n#define RESULT %s\n",
             (int)b->border, in.channels, b->planes, lg_pixels_have_alpha(&in), b->bytes,
             b->rounded, b->unit < 1 ? "LG_UNIT_U8" : "1.0");
}

#define BYTES_X      16 // a workgroup
#define BYTES_Y      16
#define BYTES_PIXELS 8 // of a thread
#define BYTES_COPIES 8 // of the table: fewer lanes wait for the same bank

#define WORDS_OF(call)                                                                             \
    LG_WORDS((call)->out.shape.height, (call)->out.shape.layers,                                   \
             lg_native_index((call)->filter, "sigma_space"),                                       \
             lg_native_index((call)->filter, "sigma_color"))

static void run_bytes(lg_device_call *call, const lg_bilateral *b)
{
    const int step = b->radius > 4 ? 8 : 4, halo = (b->radius + step - 1) / step * step;
    const int tile = (BYTES_X * BYTES_PIXELS + 2 * halo) * (BYTES_Y + 2 * b->radius);
    const int space = 4 * (b->radius * b->radius + 1);
    int copies = BYTES_COPIES;
    while (copies > 1 && (uint32_t)(tile + space + 4 * 511 * copies) >
                             lg_vk_get_limits(call->context->vk)->shared_memory)
        copies /= 2;
    const lg_pass pass = {
        LG_PASS_TEXT(bilateral_bytes),
        .group_x = BYTES_X,
        .group_y = BYTES_Y,
        .views = {&call->in[0], &call->out},
        .words = WORDS_OF(call),
        .groups = {lg_native_groups(call->out.shape.width, BYTES_X * BYTES_PIXELS)}};
    lg_pass_run(call, &pass,
                "#define RADIUS %d\n#define BORDER %d\n#define PIXELS %d\n#define STEP %d\n"
                "#define COPIES %d\n",
                b->radius, (int)b->border, BYTES_PIXELS, step, copies);
}

#define ANY_X 16
#define ANY_Y 8

static void run_any(lg_device_call *call, const lg_bilateral *b)
{
    const lg_pass pass = {LG_PASS_TEXT(bilateral_any),
                          .group_x = ANY_X,
                          .group_y = ANY_Y,
                          .span = 4,
                          .shared = lg_glsl_bilateral_pixels,
                          .views = {&call->in[0], &call->out},
                          .words = WORDS_OF(call)};
    const size_t tile = (size_t)b->planes * (size_t)(4 * ANY_X + 2 * b->radius + 3) *
                        (size_t)(ANY_Y + 2 * b->radius);
    const size_t floats = tile + (size_t)(b->radius * b->radius) + 1;
    char lines[LG_BILATERAL_LINES];
    lg_bilateral_lines(call, b, lines);
    lg_pass_run(call, &pass,
                "%s#define RADIUS %d\n#define DISTANCE %d\n#define FIRST %d.0\n#define SCALE %d.0\n"
                "#define UNIT %d.0\n#define SHARED %d\n",
                lines, b->radius, b->distance, (int)b->first, (int)b->scale, b->bytes ? 255 : 1,
                floats * sizeof(float) <= lg_vk_get_limits(call->context->vk)->shared_memory);
}

void lg_bilateral_vulkan(lg_device_call *call)
{
    const lg_pixels in = lg_bilateral_device_pixels(&call->in[0]),
                    out = lg_bilateral_device_pixels(&call->out);
    lg_bilateral b = lg_bilateral_describe(call->filter, call->values, &in, &out);
    b.radius = (int)lg_native_value(call->filter, call->values, "radius");
    (b.rounded && in.channels == 1 ? run_bytes : run_any)(call, &b);
}
