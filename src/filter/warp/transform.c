// An affine or perspective map, given by a matrix.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(TRANSFORM, matrix,                                                                           \
      "3 x 3, row by row: takes (x, y, 1) of the image to (x, y, 1) of the result, in pixels, up " \
      "to a "                                                                                      \
      "factor")                                                                                    \
    X(CHOICE, size, 0, "same|fit",                                                                 \
      "same: of the image; fit: all of the moved image, whose top left corner becomes 0, 0")       \
    X(CHOICE, border, 3, "replicate|mirror|wrap|constant", "what stands outside the image")        \
    X(MATRIX4, matrix3d,                                                                           \
      "4 x 4, as GPUImage has it: (x, y, 0, 1) times it, before matrix; x from -1 to 1, y "        \
      "downwards"                                                                                  \
      " in the same unit, around the middle")                                                      \
    X(FLAG, ignore_aspect_ratio, 0, "of matrix3d: y from -1 to 1 as well")                         \
    X(FLAG, anchor_top_left, 0, "of matrix3d: x from 0 to 1, from the top left")

LG_PARAMETERS(transform)

// The matrix of the kernel is the inverse, in parts of the sizes.
LG_KERNEL(
    transform, LG_FUNCTION point transform_kernel(place at, transform_params p) {
        LG_FLOAT x = (p.matrix[0] * at.x + p.matrix[1] * at.y) + p.matrix[2];
        LG_FLOAT y = (p.matrix[3] * at.x + p.matrix[4] * at.y) + p.matrix[5];
        // Without perspective one divisor is that of all pixels: its quotient leaves the loop.
        bool level = p.matrix[6] == 0.0f && p.matrix[7] == 0.0f;
        LG_FLOAT tilted = (p.matrix[6] * at.x + p.matrix[7] * at.y) + p.matrix[8];
        LG_FLOAT w = level ? p.matrix[8] : tilted;
        // What lies behind the horizon is as far outside as what lies on it. Magnitudes of the last row are
        // at most 1.
        bool front = w > 1e-6f;
        LG_FLOAT inverse = lg_inverse(front ? w : 1.0f);
        x = front ? x * inverse : -16.0f;
        y = front ? y * inverse : -16.0f;
        return xy(x, y);
    })

LG_WARP(transform)

static void transform_product(const double a[9], const double b[9], double to[9])
{
    for (int i = 0; i < 9; i++) {
        to[i] = 0;
        for (int k = 0; k < 3; k++)
            to[i] += a[i / 3 * 3 + k] * b[3 * k + i % 3];
    }
}

static double transform_inverse(const double m[9], double to[9])
{
    for (int i = 0; i < 9; i++) { // cofactors, transposed
        const int r = i % 3, c = i / 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
                  c2 = (c + 2) % 3;
        to[i] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
    }
    const double det = m[0] * to[0] + m[1] * to[3] + m[2] * to[6];
    for (int i = 0; i < 9 && det != 0; i++)
        to[i] /= det;
    return det;
}

// The corners of the moved image: the matrix gets a shift so that the least is 0, 0.
static lg_status transform_fit(double m[9], lg_image_params *shape, lg_error *error)
{
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    for (int i = 0; i < 4; i++) {
        const double x = i & 1 ? shape->width : 0, y = i & 2 ? shape->height : 0;
        const double w = m[6] * x + m[7] * y + m[8];
        if (!(w > 1e-9))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "transform: a corner of the image lies behind the horizon: size=same is "
                           "wanted");
        for (int k = 0; k < 2; k++) {
            const double at = (m[3 * k] * x + m[3 * k + 1] * y + m[3 * k + 2]) / w;
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
    int32_t *sides[2] = {&shape->width, &shape->height};
    double shift[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, moved[9];
    for (int k = 0; k < 2; k++) {
        // Corners may be off by roundings of the matrix.
        const double first = floor(low[k] + 1e-4), size = ceil(high[k] - 1e-4) - first;
        if (!(size <= LG_MAX_SIDE))
            return lg_fail(error, LG_ERROR_LIMIT, "transform: the result has %g pixels a side",
                           size);
        *sides[k] = (int32_t)fmax(size, 1);
        shift[3 * k + 2] = -first;
    }
    transform_product(shift, m, moved);
    memcpy(m, moved, sizeof moved);
    return LG_OK;
}

enum { MATRIX3D = 11, IGNORE_ASPECT = 27, ANCHOR };

// The matrix times what matrix3d does to pixels; they lie at z = 0, and where they come to in depth does not
// count.
static void transform_in_space(const float *values, const lg_image_params *shape, double m[9])
{
    static const int of_plane[] = {0, 1, 3};
    const float *s = values + MATRIX3D;
    bool same = true;
    for (int i = 0; i < 16; i++)
        same = same && s[i] == (i % 5 ? 0.0f : 1.0f);
    if (same)
        return;
    const double w = shape->width, h = shape->height, unit = values[ANCHOR] > 0 ? 1 : 2;
    const double down = values[IGNORE_ASPECT] > 0 ? h : w, middle = values[ANCHOR] > 0 ? 0 : 1;
    const double to_units[9] = {unit / w, 0, -middle, 0, unit / down, -middle * h / down, 0, 0, 1};
    double moves[9], moved[9], pixels[9];
    for (int i = 0; i < 9; i++)
        moves[i] = (double)s[4 * of_plane[i % 3] + of_plane[i / 3]];
    transform_inverse(to_units, pixels);
    transform_product(moves, to_units, moved);
    transform_product(pixels, moved, moves);
    transform_product(m, moves, moved);
    for (int i = 0; i < 9; i++)
        m[i] = moved[8] != 0 ? moved[i] / moved[8] : moved[i];
}

static lg_status transform_shape(float *values, lg_image_params *shape, lg_error *error)
{
    double m[9], inverse[9];
    const double w = shape->width, h = shape->height;
    for (int i = 0; i < 9; i++)
        m[i] = values[8] != 0 ? (double)values[i] / (double)values[8] : (double)values[i];
    transform_in_space(values, shape, m);
    const lg_status status = values[9] > 0 ? transform_fit(m, shape, error) : LG_OK;
    if (status)
        return status;
    if (transform_inverse(m, inverse) == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "transform: the matrix has no inverse");
    // From parts of the output to parts of the input.
    const double from[3] = {shape->width, shape->height, 1}, to[3] = {w, h, 1};
    double most = 0;
    for (int i = 0; i < 9; i++)
        inverse[i] *= from[i % 3] / to[i / 3];
    for (int i = 6; i < 9; i++)
        most = fmax(most, fabs(inverse[i]));
    for (int i = 0; i < 9; i++)
        values[i] = (float)(inverse[i] / most);
    return LG_OK;
}

LG_EXAMPLES(transform, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"matrix=1,0,100000,0,1,0,0,0,1", .in = {1, 0.5f, 0.25f, 1}, .out = {0, 0, 0, 0}},
            {"matrix3d=1,0,0,0,0,1,0,0,0,0,1,0,9,0,0,1", .in = {1, 0.5f, 0.25f, 1},
             .out = {0, 0, 0, 0}})

LG_FILTER_WITH(
    transform, WARP, 1, NULL, transform_shape,
    .summary = "moved, turned, sheared or in perspective, by a matrix",
    .formula = "c'(M p) = c(p), p = (x, y, 1); centres of pixels are at halves; bilinear",
    .source = "GPUImageTransformFilter; warpPerspective of OpenCV",
    .notes = "one bilinear sample a pixel: resize first where the image becomes much "
             "smaller. matrix3d is GPUImage's transform3D, m11 to m44; nothing is cut off in depth",
    .neutral = "matrix=1,0,0,0,1,0,0,0,1:matrix3d=1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1");
