// FAST-9. A pixel is a corner when nine contiguous pixels of the 16 on a circle around it are all
// brighter, or all darker, than it by more than a threshold.
//
// The score of a pixel is the smallest threshold for which it is no corner: the largest, over all
// runs of nine contiguous pixels, of the smallest difference from the centre, or 0. 8-bit images
// are computed in grey levels, all others in f32.
#ifndef LG_FAST_CORNER_DETECTION_H
#define LG_FAST_CORNER_DETECTION_H

#include "filter/native.h"
#include "filter/native/tiles.h"

#define LG_FAST_RADIUS 3     // of the circle; there are no corners nearer to an edge
#define LG_FAST_LIMIT  1e30f // f32 luminance is clamped to this; NaN is 0

typedef struct lg_fast_job {
    bool integer;  // 8-bit luminance
    bool suppress; // keep a corner only if its score is above those of its 8 neighbours
    bool write_score;
    uint8_t threshold; // in grey levels
    float real_threshold;
    int32_t strip;
    const lg_stage_table *stage;
} lg_fast_job;

void lg_fast_set_up(lg_fast_job *job, const lg_native_call *call);

typedef struct lg_fast_table {
    void (*run)(const void *job, const lg_pixel_tile *tile, char *scratch);
    size_t (*scratch)(const lg_fast_job *job); // bytes
} lg_fast_table;

struct lg_device_call;

void lg_fast_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_fast_ref(const lg_native_call *call);

#endif
