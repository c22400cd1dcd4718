// Passes along one axis on a Vulkan device: separable_shared.glsl.
#ifndef LG_SEPARABLE_VULKAN_H
#define LG_SEPARABLE_VULKAN_H

#include "filter/native/native_vulkan.h"
#include "filter/native/planes.h"

// The common parameters of all passes of a call.
typedef struct lg_axis_passes {
    lg_device_call *call;
    lg_border border;
    bool whole; // bytes as integers
    int planes; // of the input
    bool alpha;
    int32_t width, height, layers; // of the image
} lg_axis_passes;

typedef struct lg_axis_pass {
    const char *name, *text;
    int axis;              // 0: along rows, 1: down columns
    bool first;            // reads an image without borders
    int32_t rest;          // samples beyond the image kept for later passes, both ends together
    int32_t width, height; // of the result; 0: the image and the rest
    int last;              // the output of the filter is written; a number for the kernel's LAST
    int block;             // results along the axis that a thread makes without `last`; 0: one
    const char *lines;     // more #define lines
    int64_t work;          // samples read per sample
    uint64_t weights;      // address of the kernel's further data, or 0
    const lg_device_image *views[4]; // the first one is read, the last one is written
    lg_pass_words own;
} lg_axis_pass;

lg_axis_passes lg_axis_passes_of(lg_device_call *call, lg_border border, bool whole);

// The input as planes: an image in scratch memory, or the input itself if it has that form.
lg_device_image lg_axis_load(const lg_axis_passes *p);

// Scratch memory for planes that are `rest` samples longer than the image along either axis, and their
// shape for one axis.
lg_device_image lg_axis_image(const lg_axis_passes *p, int32_t rest);
void lg_axis_set_shape(const lg_axis_passes *p, int axis, int32_t rest, lg_device_image *image);

// Records a pass; `radius` is that of all passes along the axis together.
void lg_axis_run(const lg_axis_passes *p, const lg_axis_pass *pass, int32_t radius);

#endif
