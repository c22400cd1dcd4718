// Grey, RGB or RGBA, whatever the image was.
#include "filter/kernel.h"

#define PARAMETERS(X) X(CHOICE, to, 1, "grey|rgb|rgba", "the channels of the result")

LG_PARAMETERS(convert_channels)

LG_KERNEL(
    convert_channels,
    LG_FUNCTION color convert_channels_kernel(color c, place at, convert_channels_params p) {
        LG_FLOAT l = lg_luminance(c);
        LG_COLOR y = rgba(lg_choose(p.to == 0.0f, l, c.r), lg_choose(p.to == 0.0f, l, c.g),
                          lg_choose(p.to == 0.0f, l, c.b), lg_choose(p.to == 2.0f, c.a, 1.0f));
        return y;
    })

LG_POINT(convert_channels)

enum { GREY, RGB, RGBA };

static lg_status convert_channels_shape(float *values, lg_image_params *shape, lg_error *error)
{
    (void)error;
    const bool has_alpha = shape->channels != 1 && (shape->alpha == LG_ALPHA_STRAIGHT ||
                                                    shape->alpha == LG_ALPHA_PREMULTIPLIED);
    shape->channels = values[0] == GREY ? 1 : 4;
    if (values[0] == GREY)
        shape->alpha = LG_ALPHA_NONE;
    else if (values[0] == RGB)
        shape->alpha = LG_ALPHA_OPAQUE;
    else if (!has_alpha)
        shape->alpha = LG_ALPHA_STRAIGHT;
    return LG_OK;
}

LG_EXAMPLES(convert_channels,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 1}},
            {"to=rgba", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"to=grey", .in = {0, 1, 0, 0.5f}, .out = {0.7154f, 0.7154f, 0.7154f, 1}})

LG_FILTER_WITH(convert_channels, POINT, 1, NULL, convert_channels_shape,
               .flags = LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
               .summary = "grey, RGB or RGBA, whatever the image was",
               .formula = "grey: 0.2125 r + 0.7154 g + 0.0721 b; rgb: a' = 1; rgba: c",
               .source = "pixel arithmetic",
               .notes = "alpha that is left out is not multiplied into the colours; rgba of an "
                        "image without alpha is opaque. `run --channels` stores outputs so");
