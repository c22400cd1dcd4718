// Figures of the shape of components, out of counts of windows and of neighbours.
#include "measure/components/components_shape.h"

#include <math.h>

// ---- planes -------------------------------------------------------------------------------------

enum { UL = 1, UR = 2, LL = 4, LR = 8 }; // pixels of a 2x2 window

// Windows that have all pixels of `with` and none of `without`.
static uint64_t count_windows(const lg_component_shape *s, unsigned with, unsigned without)
{
    uint64_t count = 0;
    for (unsigned i = 1; i < 16; i++)
        if ((i & with) == with && (i & without) == 0)
            count += s->windows[i];
    return count;
}

static double perimeter_of(const lg_component_shape *s)
{
    const double half = (double)s->border[2] / 2;
    return (double)s->border[0] + half + M_SQRT2 * ((double)s->border[1] + half);
}

// Cauchy and Crofton's formula with lines along rows, columns and both diagonals, whose distances
// are 1 and 1 / sqrt(2); each line leaves the component as often as it enters it.
static double crofton_of(const lg_component_shape *s)
{
    const uint64_t straight = count_windows(s, UL, UR) + count_windows(s, UL, LL);
    const uint64_t diagonal = count_windows(s, UL, LR) + count_windows(s, UR, LL);
    return M_PI_4 * ((double)straight + (double)diagonal * M_SQRT1_2);
}

// Gray's formula with the windows of one pixel, of three, and of two that touch at a corner.
static double euler_of(const lg_components *c, const lg_component_shape *s)
{
    const uint64_t *w = s->windows;
    const bool diagonal = c->connectivity != 4 && c->connectivity != 6;
    const int64_t one = (int64_t)(w[UL] + w[UR] + w[LL] + w[LR]);
    const int64_t three = (int64_t)(w[15 - UL] + w[15 - UR] + w[15 - LL] + w[15 - LR]);
    const int64_t two = 2 * (int64_t)(w[UL | LR] + w[UR | LL]);
    return (double)((one - three + (diagonal ? -two : two)) / 4);
}

// ---- volumes ------------------------------------------------------------------------------------

// Pixels whose neighbour along an axis does not belong: a line along it leaves as often as it enters.
static uint64_t leaves_along(const lg_component_shape *s, int axis)
{
    return axis == 0   ? count_windows(s, UL, UR)
           : axis == 1 ? count_windows(s, UL, LL)
                       : s->down[LG_STRAIGHT_DOWN];
}

double lg_surface_area(const lg_component_shape *s, const double size[3])
{
    return 2 * ((double)leaves_along(s, 0) * size[1] * size[2] +
                (double)leaves_along(s, 1) * size[0] * size[2] +
                (double)leaves_along(s, 2) * size[0] * size[1]);
}

// Cauchy and Crofton's formula with lines in 13 directions, whose distances are 1, 1 / sqrt(2) and 1 /
// sqrt(3). A direction has the part of the sphere that is nearer to it than to the others (Ohser and
// Muecklich, Statistical analysis of microstructures in materials science, 2000).
#define AXIS    0.09155578240952
#define PLANE   0.07396125575216
#define SPATIAL 0.07039127956464

static double crofton_surface_of(const lg_component_shape *s)
{
    const uint64_t *d = s->down;
    const uint64_t axis = leaves_along(s, 0) + leaves_along(s, 1) + leaves_along(s, 2);
    const uint64_t plane =
        count_windows(s, UL, LR) + count_windows(s, UR, LL) + d[1] + d[3] + d[5] + d[7];
    const uint64_t spatial = d[0] + d[2] + d[6] + d[8];
    return 4 * (AXIS * (double)axis + PLANE * M_SQRT1_2 * (double)plane +
                SPATIAL / sqrt(3) * (double)spatial);
}

static double surface_figure(const lg_components *c, uint32_t i, lg_column column)
{
    static const double pixels[3] = {1, 1, 1};
    const lg_component_shape *s = &c->shape[i];
    switch (column) {
    case LG_COLUMN_SURFACE_AREA:
        return lg_surface_area(s, pixels);
    case LG_COLUMN_CROFTON_SURFACE_AREA:
        return crofton_surface_of(s);
    case LG_COLUMN_SPHERICITY: {
        const double volume = (double)c->basic[i].area;
        return cbrt(36 * M_PI * volume * volume) / crofton_surface_of(s);
    }
    default:
        return 2 * (double)leaves_along(s, (int)column - LG_COLUMN_FACES_X);
    }
}

// ---- columns ------------------------------------------------------------------------------------

double lg_shape_figure(const lg_components *c, uint32_t i, lg_column column)
{
    const lg_component_shape *s = &c->shape[i];
    switch (column) {
    case LG_COLUMN_CROFTON_PERIMETER:
        return crofton_of(s);
    case LG_COLUMN_EULER_NUMBER:
        return euler_of(c, s);
    case LG_COLUMN_PERIMETER:
        return perimeter_of(s);
    case LG_COLUMN_CIRCULARITY: {
        const double p = perimeter_of(s);
        return p > 0 ? 4 * M_PI * (double)c->basic[i].area / (p * p) : NAN;
    }
    default:
        return surface_figure(c, i, column);
    }
}
