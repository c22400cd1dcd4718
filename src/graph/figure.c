// What figures are made from, and what an image offers for it.
#include "graph/figure.h"

uint32_t lg_figure_scale(lg_type type)
{
    return type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
}

int lg_figure_unit(lg_type type)
{
    return type == LG_F16 || type == LG_F32 ? LG_SUM_UNIT : 0;
}

int lg_figure_channel(const lg_image_params *shape, int component)
{
    const int channels = lg_image_measured_channels(shape);
    if (channels == 1)
        return component == 3 ? -1 : 0;
    if (channels == 2)
        return component == 3 ? 1 : 0;
    return component < channels ? component : -1;
}

int lg_figure_component(const lg_image_params *shape, const lg_figure *figure)
{
    const bool grey = lg_image_measured_channels(shape) < 3;
    if (figure->channel >= LG_CHANNEL_Y) // the image is the plane; of two channels Cr is the second
        return figure->channel == LG_CHANNEL_CR ? 3 : 0;
    return figure->channel == LG_CHANNEL_LUMA && grey ? 0 : figure->channel;
}

bool lg_figure_is_of_luma(const lg_image_params *shape, const lg_figure *figure)
{
    return lg_figure_component(shape, figure) == LG_CHANNEL_LUMA;
}

int lg_figure_channel_of(const lg_image_params *shape, const lg_figure *figure, int i)
{
    const int component = lg_figure_component(shape, figure);
    if (component == LG_CHANNEL_LUMA || (figure->channel >= LG_CHANNEL_Y && shape->channels == 1))
        return 0;
    return lg_figure_channel(shape, component >= 0 ? component : i);
}

bool lg_figure_has_sums(const lg_image_params *shape)
{
    return (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->layers <= UINT32_MAX;
}

// Whether they are bytes that are counted as a device counts them.
static bool has_counts(const lg_image_params *shape, const lg_figure *figure)
{
    const bool no_alpha = figure->channel == 3 && lg_image_measured_channels(shape) != 4;
    return shape->type == LG_U8 && !no_alpha && shape->channels != 2 && lg_figure_has_sums(shape);
}

// Luma of 16 bits is counted by the host, too, which adds the counts up itself.
bool lg_figure_counts_values(const lg_image_params *shape, const lg_figure *figure)
{
    const bool luma = lg_figure_is_of_luma(shape, figure);
    if (figure->kind >= LG_FIRST_OF_CURVES)
        return false;
    if (shape->type == LG_U16)
        return luma || figure->kind >= LG_FIRST_OF_RANKS;
    return shape->type == LG_F16 && !luma && figure->kind >= LG_FIRST_OF_RANKS &&
           figure->kind < LG_FIRST_OF_CLASSES;
}

lg_figure_source lg_figure_source_of(const lg_image_params *shape, const lg_figure *figure,
                                     bool on_device)
{
    const bool sums = figure->kind < LG_FIRST_OF_RANKS;
    if (lg_figure_is_pixel(figure))
        return LG_SOURCE_PIXEL;
    if (lg_figure_is_of_components(figure))
        return LG_SOURCE_COMPONENTS;
    if (has_counts(shape, figure) && (on_device || !sums))
        return LG_SOURCE_COUNTS;
    if (lg_figure_is_curve(figure))
        return LG_SOURCE_CURVE;
    if (on_device && lg_figure_counts_values(shape, figure))
        return LG_SOURCE_VALUES;
    return sums                                 ? LG_SOURCE_SUMS
           : figure->kind < LG_FIRST_OF_CLASSES ? LG_SOURCE_BINS
                                                : LG_SOURCE_LEVEL;
}

bool lg_figures_share(const lg_figure_task *a, const lg_figure_task *b, bool on_device)
{
    const lg_image_params *shape = &a->image->shape;
    const lg_figure *f = a->figure, *g = b->figure;
    const lg_figure_source source = lg_figure_source_of(shape, f, on_device);
    if (a->slot != b->slot || source != lg_figure_source_of(shape, g, on_device))
        return false;
    if (source == LG_SOURCE_COMPONENTS)
        return f->connectivity == g->connectivity;
    if (source == LG_SOURCE_LEVEL && !on_device) // a level takes a search for each channel
        return f->channel == g->channel;
    return lg_figure_is_of_luma(shape, f) == lg_figure_is_of_luma(shape, g) && f->step == g->step;
}

lg_histogram_params lg_figure_counting(const lg_image_params *shape, const lg_figure *figure)
{
    const lg_figure_source source = lg_figure_source_of(shape, figure, false);
    const bool floats = shape->type == LG_F16 || shape->type == LG_F32;
    lg_histogram_params params = lg_histogram_params_default();
    params.stack = true;
    params.select.step = figure->step;
    params.space = lg_figure_is_of_luma(shape, figure) ? LG_SPACE_LUMA : LG_SPACE_STORED;
    params.luma = LG_LUMA_GPUIMAGE;
    if (source == LG_SOURCE_CURVE)
        params.bins = lg_curve_table(shape, figure).width;
    if (source == LG_SOURCE_BINS)
        params.bins = LG_MAX_BINS;
    if (source == LG_SOURCE_BINS || (source == LG_SOURCE_CURVE && floats)) {
        params.automatic_range = true;
        params.type_range = false;
    }
    return params;
}
