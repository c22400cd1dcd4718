// Kuwahara's smoothing: the mean of that quarter around a pixel which varies least.
#ifndef LG_KUWAHARA_H
#define LG_KUWAHARA_H

#include "filter/native/tiles.h"

#define LG_KUWAHARA_RADIUS 255

typedef struct lg_kuwahara_job {
    const lg_stage_table *stage;
    int32_t radius, strip;
    lg_border border;
} lg_kuwahara_job;

typedef struct lg_kuwahara_table {
    void (*run)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_kuwahara_job *job);
} lg_kuwahara_table;

struct lg_device_call;

void lg_kuwahara_vulkan(struct lg_device_call *call);

#endif
