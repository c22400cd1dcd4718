// The watershed from markers: water rises from labelled pixels, level by level and in rounds.
#ifndef LG_WATERSHED_H
#define LG_WATERSHED_H

#include "filter/native/tiles.h"

// A layer, or all layers as a volume. Planes of words have a frame of one pixel, which is dry; that of a
// volume has a layer before and one behind it.
typedef struct lg_watershed_job {
    lg_context *files; // its blocks are in files; NULL: they are not
    const lg_stage_table *stage;
    const lg_image *in, *over, *out;
    int32_t z, layers;    // the first layer, and how many
    int32_t edge;         // layers of the frame on one side
    size_t stride, sheet; // pixels of a row and of a layer of the planes
    uint32_t *level;      // in the order of flooding
    uint32_t *marker;     // the marker's label
    uint32_t *label;      // of what is flooded
    uint32_t *round;      // in which it was
    uint32_t *queue;      // pixels of this round and the next one
    uint64_t *heap;       // level and place of pixels that wait for the water to rise
    int neighbors;        // 4 or 8 in a layer; 6, 18 or 26 in a volume
    bool volume, falling, nonzero, lines;
} lg_watershed_job;

// Rows of the planes: what their pixels are; then the flood; then rows of the image: what is written.
typedef struct lg_watershed_table {
    lg_rows_fn *begin, *finish;
    void (*flood)(const lg_watershed_job *job);
} lg_watershed_table;

// What the parameters say, without stage and images.
lg_watershed_job lg_watershed_describe(const lg_filter *filter, const float *values);

struct lg_device_call;

void lg_watershed_vulkan(struct lg_device_call *call);

#endif
