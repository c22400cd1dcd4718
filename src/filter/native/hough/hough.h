// Straight lines by Hough's transform: votes of edge pixels for lines, and the lines with the most votes.
//
// A line is x cos t + y sin t = d, with the pixels' columns and rows as x and y. Column k of the votes has
// the angle t = k pi / angles; row j has the distances that round to (j - reach) steps. Places are integers
// (hough_rule.h), so every pixel votes for the same lines on every device, and votes are counted in any
// order.
#ifndef LG_HOUGH_H
#define LG_HOUGH_H

#include "filter/native/tiles.h"

#define LG_HOUGH_ANGLES   3600
#define LG_HOUGH_LINES    1024
#define LG_HOUGH_UNIT     65536     // of cosines and sines
#define LG_HOUGH_FARTHEST 32000     // distance in steps: in that unit it has 31 bits
#define LG_HOUGH_MOST     (1 << 27) // votes of a layer

// How an image votes.
typedef struct lg_hough_plan {
    int32_t angles, reach, rows; // rows = 2 reach + 1
    float unit;                  // of a vote: 1 / the longer side
    int32_t (*table)[2];         // cosines and sines in LG_HOUGH_UNIT / step, to be freed
} lg_hough_plan;

lg_status lg_hough_make(const lg_filter *filter, const float *values, const lg_image_params *in,
                        lg_hough_plan *out, lg_error *error);

// cos and sin of the angles of `angles` columns, to be freed; NULL without memory.
float (*lg_hough_directions(int32_t angles))[2];

// The kernels of a CPU level.
typedef struct lg_hough_table {
    // Writes row << 16 | column of each edge of row y; returns how many.
    int32_t (*find)(const lg_stage_table *stage, const lg_pixels *in, int32_t y, uint32_t *to);
    // Adds the votes of points for one angle.
    void (*vote)(const uint32_t *points, int32_t count, const int32_t direction[2], int32_t reach,
                 uint32_t *votes);
} lg_hough_table;

struct lg_device_call;

void lg_hough_transform_vulkan(struct lg_device_call *call);
void lg_hough_lines_vulkan(struct lg_device_call *call);

#endif
