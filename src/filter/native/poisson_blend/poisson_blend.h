// Poisson blending: the image takes over the differences between the pixels of another image.
//
// What is computed is w, the difference of the result and the other image: inside the mask each
// pixel's w is the mean of its neighbours', outside it is base - over. A step goes part of the way to
// that mean. num_iterations steps are GPUImage's filter. With 0 the equations are solved: cycles go
// down through grids of half the size, whose equations are made from those of the grid above, and
// back up with steps on each. All arithmetic is in poisson_rule.h.
#ifndef LG_POISSON_BLEND_H
#define LG_POISSON_BLEND_H

#include "filter/native.h"
#include "filter/native/tiles.h"

#define LG_POISSON_LEAD  16 // floats before a plane's row; some of them are pixels outside the image
#define LG_POISSON_GRIDS 32

// Rows of so many planes, one plane behind the other.
typedef struct lg_poisson_rows {
    float *at;
    int planes;
} lg_poisson_rows;

// A grid of points. Its rows have a margin of zeros all around.
typedef struct lg_poisson_grid {
    int32_t width, height;
    size_t stride;            // floats of a row
    lg_poisson_rows value[2]; // three planes: before and after a step; of grid 0: w
    lg_poisson_rows right_side;
    lg_poisson_rows weight;   // of grid 0, one plane: how far a step of 1 goes
    lg_poisson_rows equation; // of the others, LG_POISSON_EQUATION planes
    lg_poisson_rows
        basis; // of the others: the weights of a point in eight points of the grid above
} lg_poisson_grid;

// Planes of equations: links to the right, below, right below and left below; the diagonal and its
// inverse; whether the point depends on a pixel outside the mask.
enum { LG_POISSON_DIAGONAL = 4, LG_POISSON_INVERSE, LG_POISSON_PINNED, LG_POISSON_EQUATION };

typedef struct lg_poisson_job {
    lg_pixels base, over, out;
    lg_border border;
    bool solves;
    float mix;
    bool covered;  // no pixel is outside the mask: w is `mean` everywhere
    float mean[3]; // of base - over
    float *zeros;  // a row outside the image
    int count;
    lg_poisson_grid grid[LG_POISSON_GRIDS];
    const lg_stage_table *stage;
} lg_poisson_job;

// Row y of a grid; `from` says which of its values are read, `part` how far a step goes.
typedef void lg_poisson_row_fn(const lg_poisson_job *job, int grid, int from, float part, int32_t y,
                               float *scratch);

// A row of a plane, from -1 to the height: the margin is there.
static inline float *lg_poisson_row(const lg_poisson_grid *g, lg_poisson_rows rows, int plane,
                                    int32_t y)
{
    const size_t row = (size_t)(y + 1) * (size_t)rows.planes + (size_t)plane;
    return rows.at + row * g->stride + LG_POISSON_LEAD;
}

typedef struct lg_poisson_table {
    lg_poisson_row_fn *begin;   // value[0] and weight of grid 0
    lg_poisson_row_fn *step;    // value[1 - from] of grid 0
    lg_poisson_row_fn *finish;  // the result
    lg_poisson_row_fn *basis;   // of a grid from 1 on
    lg_poisson_row_fn *combine; // its equations
    lg_poisson_row_fn *sum;     // its right side: of w itself
    lg_poisson_row_fn *gather;  // of what the equations of the grid above leave
    lg_poisson_row_fn *expand;  // value[1 - from], corrected by the grid below
    lg_poisson_row_fn *relax;   // value[1 - from] after a step
    lg_poisson_row_fn *last;    // value[0] of the last grid, of one point
} lg_poisson_table;

// Floats of scratch of a row.
size_t lg_poisson_scratch(const lg_poisson_job *job);
// How far the steps of a cycle go on a grid that is not the last; returns how many they are.
int lg_poisson_parts(int grid, const float **parts);
// How many cycles bring every error below 1/255.
int lg_poisson_cycles(const lg_poisson_job *job);
// The grids for an image, without their memory; returns how many.
int lg_poisson_grids(int32_t width, int32_t height, lg_poisson_grid *grids);
float lg_poisson_inverse_area(const lg_poisson_grid *image);

struct lg_device_call;

void lg_poisson_vulkan(struct lg_device_call *call);

// The plain definition of steps, for tests.
lg_status lg_poisson_ref(const lg_native_call *call);

#endif
