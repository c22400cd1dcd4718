// The background below a rolling ball: an opening by half a ball. With G f (x) = max over the ball of h(b) -
// f(x + b), the erosion is -G f and the opening is G (G f), so one pass runs twice.
//
// Every difference is rounded once and a maximum does not round, so what is looked at in which order does not
// show. Most of a ball is left out: the least sample of 4 x 4 pixels and the ball's height where it is
// nearest bound what they can give, and are compared with what is there already.
#ifndef LG_ROLLING_BALL_H
#define LG_ROLLING_BALL_H

#include "filter/native/rolling_ball/rolling_ball_rule.h"
#include "filter/native/tiles.h"

#define LG_BALL_RADIUS 500
#define LG_BALL_TILE   8  // rows and columns that are computed together
#define LG_BALL_BLOCK  16 // cells that are compared together
#define LG_BALL_BEYOND 16 // rows and columns around the ball that tables have

// Tables of heights; -infinity outside of the ball.
typedef struct lg_ball {
    int32_t reach; // pixels from the centre to the last one along an axis
    // Row dy >= 0 of the half, and column dx, stand at rows[dy * stride + dx].
    float *rows;
    int32_t stride;
    // The greatest height between a tile and the cells around it: cell column dx and row dy, from
    // -cells to cells + 1, at bounds[(dy + cells) * bound_stride + dx + cells].
    float *bounds;
    int32_t cells, bound_stride;
} lg_ball;

// One plane of a layer: `from` to `to`. What follows are those of the whole layer.
typedef struct lg_ball_job {
    const lg_stage_table *stage;
    lg_pixels in, out;
    lg_ball ball;
    float *planes; // grounds, then backgrounds: one plane of grey, else three, one after the other
    int plane_count;
    const float *from;
    float *to, *cells; // the least samples of cells, with a margin that has none
    int32_t cell_stride;
    bool light, background;
} lg_ball_job;

typedef struct lg_ball_table {
    // Rows of the image; rows of cells; rows of tiles; rows of the image.
    lg_rows_fn *load, *find_least, *roll, *store;
} lg_ball_table;

int32_t lg_ball_reach(const lg_filter *filter, const float *values);

// The ball's heights, in colours, of rows and columns 0 .. reach: (reach + 1)^2 of them, -1 outside of it.
void lg_ball_heights(const lg_filter *filter, const float *values, float *heights);

struct lg_device_call;

void lg_rolling_ball_vulkan(struct lg_device_call *call);

#endif
