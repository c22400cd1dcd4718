// One channel as a grey image.
#include "filter/kernel.h"
#include "filter/luma_bytes.h"

#define PARAMETERS(X) X(CHOICE, of, 0, "red|green|blue|alpha|luminance", "what becomes grey")

LG_PARAMETERS(channel)

LG_KERNEL(
    channel, LG_FUNCTION color channel_kernel(color c, place at, channel_params p) {
        LG_FLOAT v = lg_choose(p.of == 1.0f, c.g, c.r);
        v = lg_choose(p.of == 2.0f, c.b, v);
        v = lg_choose(p.of == 3.0f, c.a, v);
        v = lg_choose(p.of == 4.0f, lg_luminance(c), v);
        return rgba(v, v, v, 1.0f);
    })

LG_POINT(channel)
LG_PIXELS(channel)

static void channel_grey(const lg_span *s, const uint32_t *restrict from, uint8_t *restrict to)
{
    const int of = (int)channel_load(s).of;
    if (of == 4)
        lg_luma_bytes(from, s->count, to);
    else
        for (int i = 0; i < s->count; i++)
            to[i] = (uint8_t)((from[i] | s->set) >> 8 * of);
}
LG_GREY(channel)

static lg_status channel_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    return LG_OK;
}

LG_EXAMPLES(channel, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.25f, 0.25f, 1}},
            {"of=green", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.5f, 0.5f, 0.5f, 1}},
            {"of=blue", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.75f, 0.75f, 0.75f, 1}},
            {"of=alpha", .in = {0.25f, 0.5f, 0.75f, 0.375f}, .out = {0.375f, 0.375f, 0.375f, 1}},
            {"of=luminance", .in = {0, 1, 0, 0.5f}, .out = {0.7154f, 0.7154f, 0.7154f, 1}})

LG_FILTER_WITH(channel, POINT, 1, NULL, channel_shape,
               .flags = LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
               .summary = "one channel as a grey image of one channel",
               .formula = "c' = r, g, b, a, or 0.2125 r + 0.7154 g + 0.0721 b",
               .source = "pixel arithmetic",
               .notes = "of the colour, whatever its alpha. Filters of one channel take less time "
                        "than those of four");
