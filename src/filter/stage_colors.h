// Colours of planes that a stage stores as they are.
#ifndef LG_STAGE_COLORS_H
#define LG_STAGE_COLORS_H

#include "filter/stage.h"

#include <string.h>

// Whether the colours of planes are what is stored.
static inline bool stores_colors(const lg_stage_job *job)
{
    return job->source == LG_FILTER_POINT && job->count == 0 && job->in.type == job->out.type &&
           job->in.channels == job->out.channels && job->in.alpha == job->out.alpha;
}

// Colours without alpha as pixels that are opaque.
static inline void store_colors(const lg_pixels *out, const char *pixels, int count, char *to)
{
    const size_t bytes = (size_t)count * lg_type_size(out->type) * (size_t)out->channels;
    const uint8_t opaque[8] = {0, 0, 0, out->type == LG_U8 ? 255 : 0, 0, 0, 255, 255};
    uint64_t alpha = 0, pixel;
    if (out->channels == 4)
        memcpy(&alpha, opaque, sizeof alpha);
    if (out->channels == 4 && out->type == LG_U8)
        memcpy((uint8_t *)&alpha + 4, opaque, 4);
    size_t at = 0;
    for (; at + sizeof pixel <= bytes; at += sizeof pixel) {
        memcpy(&pixel, pixels + at, sizeof pixel);
        pixel |= alpha;
        memcpy(to + at, &pixel, sizeof pixel);
    }
    for (; at < bytes; at++)
        to[at] = (char)(pixels[at] | (char)(out->channels == 4 ? opaque[at % 4] : 0));
}

#endif
