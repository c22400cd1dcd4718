// Dilation and erosion with a rectangular window, and the filters composed of them.
//
// The maximum over a rectangle is the maximum over columns of the maximum over rows. A *pass* reads an
// image or an inner plane, takes extremes down the columns, then any number along the rows, and
// writes. Extremes along a column take three comparisons for any radius (van Herk, Gil and Werman);
// along a row they grow in windows of 4, 16, 64 ... pixels.
//
// Passes work on *keys*, integers with the order of the samples: u8 and u16 are their own keys, the
// bits of floats become signed integers of the same size (-0 below +0). The key of NaN loses
// against every other one.
#ifndef LG_MORPHOLOGY_H
#define LG_MORPHOLOGY_H

#include "filter/native/window_side.h"
#include "filter/stage.h"

#define LG_MORPHOLOGY_RADIUS 4096
#define LG_MORPHOLOGY_STRIP  512 // bytes of a row that are processed down the columns together

// Pixels outside, as far as an extreme depends on them: replicated and mirrored pixels are inside
// the window as well, so for both the window ends at the edge.
typedef enum lg_outside {
    LG_OUTSIDE_CUT,
    LG_OUTSIDE_WRAP,
    LG_OUTSIDE_ZERO,
} lg_outside;

typedef struct lg_extreme {
    bool max;
    lg_window_side side; // limited by the size of the image
} lg_extreme;

typedef struct lg_morphology_plane {
    char *data; // keys
    size_t row_stride;
} lg_morphology_plane;

typedef struct lg_morphology_pass {
    int32_t width, height; // pixels
    lg_type key;           // type of the samples behind the keys
    int components;        // keys of a pixel
    lg_outside outside;
    bool down;                      // take extremes down the columns
    lg_extreme vertical, across[2]; // and along the rows
    int across_count;               // 0 .. 2
    bool from_plane, to_plane;      // else from the image, to the image
    lg_morphology_plane in_plane, out_plane;
    lg_pixels in, out;
    const lg_stage_table *stage; // of the same level
} lg_morphology_pass;

typedef struct lg_morphology_table {
    // Computes columns x0 .. x1-1 of rows y0 .. y1-1; a pass along rows that wrap has whole rows.
    void (*run)(const lg_morphology_pass *pass, int32_t x0, int32_t x1, int32_t y0, int32_t y1,
                char *scratch);
    // Bytes of scratch for so many columns; 64-byte aligned.
    size_t (*scratch)(const lg_morphology_pass *pass, int32_t columns);
} lg_morphology_table;

typedef enum lg_morphology_operation {
    LG_MORPHOLOGY_DILATION,
    LG_MORPHOLOGY_EROSION,
    LG_MORPHOLOGY_OPENING,
    LG_MORPHOLOGY_CLOSING,
} lg_morphology_operation;

struct lg_device_call;

void lg_morphology_vulkan(struct lg_device_call *call, lg_morphology_operation operation,
                          bool grey);

// The plain definition, for tests: every window pixel by pixel. `grey`: of red, to v, v, v, 1.
lg_status lg_morphology_ref(lg_morphology_operation operation, bool grey, lg_window_side down,
                            lg_window_side along, lg_border border, const lg_image *in,
                            lg_image *out);

// What a window sees of `size` pixels: where it reaches further, it sees nothing new.
lg_window_side lg_morphology_seen(lg_window_side side, int32_t size, lg_outside outside);

#endif
