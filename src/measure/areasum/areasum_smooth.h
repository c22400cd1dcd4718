// Boxes smoothed several times: what the CPU and a device share. areasum_smooth.c has the idea.
#ifndef LG_AREASUM_SMOOTH_H
#define LG_AREASUM_SMOOTH_H

#include "measure/areasum/areasum_planes.h"

typedef struct lg_smooth_device lg_smooth_device;

typedef struct lg_smooth_device_calls {
    // Weighted sums under `count` windows, for each channel, modulo 2^64.
    lg_status (*sums)(const lg_area_smooth *s, const int32_t *bounds, size_t count, uint64_t *out,
                      lg_error *error);
    void (*destroy)(lg_smooth_device **device);
} lg_smooth_device_calls;

struct lg_area_smooth {
    lg_area_array shape; // without data
    int order, unit;     // exponent of the unit; 0 for integers
    int32_t max_side;
    size_t length[LG_AREA_DIMS]; // entries along each axis: behind the array is room for windows
    size_t entries;              // of a channel
    uint64_t *table;             // [entry][channel]
    lg_context *limited;         // whose block it is; NULL: of the heap
    lg_smooth_device *device;    // has the table instead
    const lg_smooth_device_calls *on_device;
    const lg_context *owner; // of the device
};

// Makes the table on the device, and fills `device` and `on_device`. The lengths and the unit are known.
lg_status lg_area_smooth_vulkan(lg_context *context, lg_area_smooth *s, const lg_area_array *array,
                                lg_error *error);

#endif
