// Part of stage_cpu.c: pixels of colours that become planes of luma and chroma.
#ifndef LG_STAGE_ENCODE_H
#define LG_STAGE_ENCODE_H

#include "core/pixel_planes.h"
#include "filter/stage.h"

static void lg_encode_rows(const lg_planar *to, const lg_pixels *from, int32_t first, int32_t end)
{
    const lg_color_rows rows = {.data = (const uint8_t *)from->data,
                                .row = from->row_stride,
                                .sample = lg_type_size(from->type),
                                .width = from->width,
                                .height = from->height,
                                .channels = from->channels};
    const int32_t down = to->down.factor;
    for (int32_t y = first; y < end; y++) {
        for (int32_t k = y * down; k < LG_MIN((y + 1) * down, from->height); k++)
            lg_planar_write_luma(to, &rows, k);
        if (to->chroma)
            lg_planar_write_chroma(to, &rows, y);
    }
}

#endif
