// Contrast and direction of eight samples around a pixel: one descriptor per pixel.
#ifndef LG_COLOUR_FAST_SAMPLING_H
#define LG_COLOUR_FAST_SAMPLING_H

#include "filter/native.h"
#include "filter/native/tiles.h"

#define LG_COLOUR_FAST_REACH 3

typedef struct lg_color_fast_job {
    lg_border border;
    int32_t strip;
    const lg_stage_table *stage;
} lg_color_fast_job;

typedef struct lg_color_fast_table {
    void (*run)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_color_fast_job *job);
} lg_color_fast_table;

struct lg_device_call;

void lg_color_fast_vulkan(struct lg_device_call *call);

#endif
