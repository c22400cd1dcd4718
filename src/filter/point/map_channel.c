// Channels in another order.
#include "filter/kernel.h"

#define CHANNELS "red|green|blue|alpha|luminance|zero|one"
#define PARAMETERS(X)                                                                              \
    X(CHOICE, red, 0, CHANNELS, "what red becomes")                                                \
    X(CHOICE, green, 1, CHANNELS, "what green becomes")                                            \
    X(CHOICE, blue, 2, CHANNELS, "what blue becomes")                                              \
    X(CHOICE, alpha, 3, CHANNELS, "what alpha becomes; one: the image becomes opaque")

LG_PARAMETERS(map_channel)

LG_KERNEL(
    map_channel,
    LG_FUNCTION float map_channel_of(color c, float channel) {
        LG_FLOAT color_part = lg_choose(channel == 0.0f, c.r, lg_choose(channel == 1.0f, c.g, c.b));
        LG_FLOAT constant = lg_choose(channel == 6.0f, 1.0f, 0.0f);
        LG_FLOAT computed = lg_choose(channel == 4.0f, lg_luminance(c), constant);
        LG_FLOAT other = lg_choose(channel == 3.0f, c.a, computed);
        return lg_choose(channel < 3.0f, color_part, other);
    } LG_FUNCTION color map_channel_kernel(color c, place at, map_channel_params p) {
        return rgba(map_channel_of(c, p.red), map_channel_of(c, p.green), map_channel_of(c, p.blue),
                    map_channel_of(c, p.alpha));
    })

LG_POINT(map_channel)

enum { ALPHA = 3, LUMINANCE, ZERO, ONE };

// Three equal channels are a grey image, of which red, green and blue are equal.
static bool map_channel_is_grey(const float *values, bool from_grey)
{
    float channels[3];
    for (int k = 0; k < 3; k++)
        channels[k] = from_grey && values[k] < ALPHA ? 0 : values[k];
    return channels[0] == channels[1] && channels[1] == channels[2];
}

static lg_status map_channel_shape(float *values, lg_image_params *shape, lg_error *error)
{
    (void)error;
    const bool has_alpha = shape->channels != 1 && (shape->alpha == LG_ALPHA_STRAIGHT ||
                                                    shape->alpha == LG_ALPHA_PREMULTIPLIED);
    if (shape->channels != 1 && shape->alpha == LG_ALPHA_NONE)
        return LG_OK; // channels of data
    const bool from_grey = shape->channels == 1 || (shape->channels == 2 && has_alpha);
    const bool grey = map_channel_is_grey(values, from_grey);
    const bool alpha = values[3] == ALPHA ? has_alpha : values[3] != ONE;
    if (!alpha)
        shape->alpha = grey ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
    else if (!has_alpha)
        shape->alpha = LG_ALPHA_STRAIGHT;
    shape->channels = grey ? 1 + alpha : 4;
    return LG_OK;
}

// 0.2125 0.5 + 0.7154 0.25 + 0.0721 = 0.3572
LG_EXAMPLES(map_channel,
            {"red=blue:blue=red", .in = {0.25f, 0.5f, 0.75f, 0.5f},
             .out = {0.75f, 0.5f, 0.25f, 0.5f}},
            {"red=zero:green=alpha:blue=one:alpha=luminance", .in = {0.5f, 0.25f, 1, 0.125f},
             .out = {0, 0.125f, 1, 0.3572f}},
            {"alpha=one", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 1}})

LG_FILTER_WITH(map_channel, POINT, 1, NULL, map_channel_shape,
               .flags = LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
               .summary = "channels in another order",
               .formula = "each of r, g, b, a becomes one of r, g, b, a, 0.2125 r + 0.7154 g + "
                          "0.0721 b, 0 and 1",
               .source = "VkMapChannelLayer of aoce",
               .notes = "straight colours: alpha=one shows what is transparent. Three equal "
                        "channels make a grey image",
               .neutral = "red=red:green=green:blue=blue:alpha=alpha");
