// Figures of components out of their sums. What is a quotient of integers is one here: the
// numerator is formed exactly and rounded once.
#include "measure/components/components_shape.h"

#include <math.h>
#include <string.h>

// ---- names and what a column needs --------------------------------------------------------------

#define MOMENTS   LG_NEEDS_MOMENTS
#define SHAPE     LG_NEEDS_SHAPE
#define INTENSITY LG_NEEDS_INTENSITY
#define PLANE     LG_NEEDS_PLANE
#define SIZE      LG_NEEDS_PIXEL_SIZE
#define DISTANCE  (LG_NEEDS_PIXEL_SIZE | LG_NEEDS_DISTANCE)
#define SURFACE   (LG_NEEDS_SHAPE | LG_NEEDS_VOLUME)

static const struct {
    const char *name;
    unsigned needs;
} columns[LG_COLUMNS] = {
    [LG_COLUMN_LABEL] = {"label", 0},
    [LG_COLUMN_AREA] = {"area", 0},
    [LG_COLUMN_X] = {"x", 0},
    [LG_COLUMN_Y] = {"y", 0},
    [LG_COLUMN_Z] = {"z", 0},
    [LG_COLUMN_WIDTH] = {"width", 0},
    [LG_COLUMN_HEIGHT] = {"height", 0},
    [LG_COLUMN_DEPTH] = {"depth", 0},
    [LG_COLUMN_CX] = {"cx", 0},
    [LG_COLUMN_CY] = {"cy", 0},
    [LG_COLUMN_CZ] = {"cz", 0},
    [LG_COLUMN_EDGE] = {"edge", 0},
    [LG_COLUMN_EXTENT] = {"extent", 0},
    [LG_COLUMN_EQUIVALENT_DIAMETER] = {"equivalent_diameter", 0},
    [LG_COLUMN_MAJOR_AXIS] = {"major_axis", MOMENTS},
    [LG_COLUMN_MINOR_AXIS] = {"minor_axis", MOMENTS},
    [LG_COLUMN_ECCENTRICITY] = {"eccentricity", MOMENTS | PLANE},
    [LG_COLUMN_ORIENTATION] = {"orientation", MOMENTS | PLANE},
    [LG_COLUMN_PERIMETER] = {"perimeter", SHAPE | PLANE},
    [LG_COLUMN_CROFTON_PERIMETER] = {"crofton_perimeter", SHAPE | PLANE},
    [LG_COLUMN_EULER_NUMBER] = {"euler_number", SHAPE | PLANE},
    [LG_COLUMN_CIRCULARITY] = {"circularity", SHAPE | PLANE},
    [LG_COLUMN_SUM] = {"sum", INTENSITY},
    [LG_COLUMN_MEAN] = {"mean", INTENSITY},
    [LG_COLUMN_MIN] = {"min", INTENSITY},
    [LG_COLUMN_MAX] = {"max", INTENSITY},
    [LG_COLUMN_VARIANCE] = {"variance", INTENSITY},
    [LG_COLUMN_STDDEV] = {"stddev", INTENSITY},
    [LG_COLUMN_STDDEV_SAMPLE] = {"stddev_sample", INTENSITY},
    [LG_COLUMN_MX] = {"mx", INTENSITY},
    [LG_COLUMN_MY] = {"my", INTENSITY},
    [LG_COLUMN_MZ] = {"mz", INTENSITY},
    [LG_COLUMN_AREA_UM2] = {"area_um2", SIZE | PLANE},
    [LG_COLUMN_VOLUME_UM3] = {"volume_um3", DISTANCE | LG_NEEDS_VOLUME},
    [LG_COLUMN_WIDTH_UM] = {"width_um", SIZE},
    [LG_COLUMN_HEIGHT_UM] = {"height_um", SIZE},
    [LG_COLUMN_DEPTH_UM] = {"depth_um", DISTANCE | LG_NEEDS_VOLUME},
    [LG_COLUMN_CX_UM] = {"cx_um", SIZE},
    [LG_COLUMN_CY_UM] = {"cy_um", SIZE},
    [LG_COLUMN_CZ_UM] = {"cz_um", DISTANCE | LG_NEEDS_VOLUME},
    [LG_COLUMN_EQUIVALENT_DIAMETER_UM] = {"equivalent_diameter_um", SIZE},
    [LG_COLUMN_MAJOR_AXIS_UM] = {"major_axis_um", SIZE | MOMENTS},
    [LG_COLUMN_MINOR_AXIS_UM] = {"minor_axis_um", SIZE | MOMENTS},
    [LG_COLUMN_PERIMETER_UM] = {"perimeter_um", SIZE | SHAPE | PLANE | LG_NEEDS_SQUARES},
    [LG_COLUMN_CROFTON_PERIMETER_UM] = {"crofton_perimeter_um",
                                        SIZE | SHAPE | PLANE | LG_NEEDS_SQUARES},
    [LG_COLUMN_MX_UM] = {"mx_um", SIZE | INTENSITY},
    [LG_COLUMN_MY_UM] = {"my_um", SIZE | INTENSITY},
    [LG_COLUMN_MZ_UM] = {"mz_um", DISTANCE | INTENSITY | LG_NEEDS_VOLUME},
    [LG_COLUMN_FACES_X] = {"faces_x", SURFACE},
    [LG_COLUMN_FACES_Y] = {"faces_y", SURFACE},
    [LG_COLUMN_FACES_Z] = {"faces_z", SURFACE},
    [LG_COLUMN_SURFACE_AREA] = {"surface_area", SURFACE},
    [LG_COLUMN_CROFTON_SURFACE_AREA] = {"crofton_surface_area", SURFACE},
    [LG_COLUMN_SPHERICITY] = {"sphericity", SURFACE},
    [LG_COLUMN_SURFACE_AREA_UM2] = {"surface_area_um2", DISTANCE | SURFACE},
    [LG_COLUMN_CROFTON_SURFACE_AREA_UM2] = {"crofton_surface_area_um2",
                                            DISTANCE | SURFACE | LG_NEEDS_CUBES},
};

const char *lg_column_name(lg_column column)
{
    return (unsigned)column < LG_COLUMNS ? columns[column].name : NULL;
}

unsigned lg_column_needs(lg_column column)
{
    return (unsigned)column < LG_COLUMNS ? columns[column].needs : 0;
}

lg_status lg_column_find(const char *name, lg_column *out, lg_error *error)
{
    const char *names[LG_COLUMNS + 1];
    if (!name || !out)
        return lg_fail_null(error, "the name of a column, and a place for it");
    for (int i = 0; i < LG_COLUMNS; i++) {
        if (strcmp(columns[i].name, name) == 0) {
            *out = (lg_column)i;
            return LG_OK;
        }
        names[i] = columns[i].name;
    }
    names[LG_COLUMNS] = NULL;
    const char *near = *name ? lg_nearest(name, names) : NULL;
    return lg_fail(error, LG_ERROR_ARGUMENT, "there is no column '%.60s'%s%s%s", name,
                   near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "; among them are area, width, height, cx, cy, mean, circularity");
}

// Components that go through several layers.
static bool is_volume(const lg_components *c)
{
    return c->layers > 1 && c->connectivity != 4 && c->connectivity != 8;
}

static bool differ(double a, double b)
{
    return fabs(a - b) > LG_SQUARE_PIXELS * a;
}

static lg_status check_pixels(const lg_components *c, lg_column column, lg_error *error)
{
    const double *size = c->pixel_size;
    const char *name = columns[column].name;
    const unsigned needs = columns[column].needs;
    if ((needs & LG_NEEDS_VOLUME) && !is_volume(c))
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "%s is a figure of volumes: of several layers, with connectivity 6, 18 or 26", name);
    if ((needs & SIZE) && !(size[0] > 0 && size[1] > 0))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s needs the size of pixels, which is not known: state it, by "
                       "lg_components_pixel_size or --spacing",
                       name);
    if (((needs & LG_NEEDS_DISTANCE) || ((needs & SIZE) && is_volume(c))) && !(size[2] > 0))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s needs the distance of layers, which is not known", name);
    if ((needs & LG_NEEDS_CUBES) && (differ(size[0], size[1]) || differ(size[0], size[2])))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s is of pixels that are cubes, and these have %g x %g x %g um", name,
                       size[0], size[1], size[2]);
    if ((needs & LG_NEEDS_SQUARES) && differ(size[0], size[1]))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s is of pixels as wide as they are high, and these have %g x %g um", name,
                       size[0], size[1]);
    return LG_OK;
}

static lg_status check_column(const lg_components *c, lg_column column, lg_error *error)
{
    if ((unsigned)column >= LG_COLUMNS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown column %d", (int)column);
    const char *name = columns[column].name;
    const unsigned needs = columns[column].needs;
    if ((needs & PLANE) && is_volume(c))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s is a figure of planes; connectivity %d joins the %d layers: use 4 or 8, "
                       "or leave it out",
                       name, c->connectivity, c->layers);
    if ((needs & MOMENTS) && !c->second)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s needs second moments, which were not taken: label with `moments`", name);
    if ((needs & SHAPE) && !c->shape)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s needs the shape, which was not taken: label with `shape`", name);
    if ((needs & INTENSITY) && !c->intensity)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s needs an intensity image, and there was none",
                       name);
    return check_pixels(c, column, error);
}

// ---- quotients ----------------------------------------------------------------------------------

static lg_u128 magnitude(__int128 value)
{
    return value < 0 ? -(lg_u128)value : (lg_u128)value;
}

static double signed_quotient(__int128 numerator, __int128 denominator)
{
    const double out = lg_quotient(magnitude(numerator), magnitude(denominator), 0);
    return (numerator < 0) != (denominator < 0) ? -out : out;
}

// ---- boxes and centroids ------------------------------------------------------------------------

static double side(const lg_component_basic *b, int axis)
{
    return (double)b->high[axis] - b->low[axis] + 1;
}

static double touches_edge(const lg_components *c, const lg_component_basic *b)
{
    const int32_t sides[3] = {c->width, c->height, c->layers};
    bool touches = false;
    for (int axis = 0; axis < (is_volume(c) ? 3 : 2); axis++)
        touches |= b->low[axis] == 0 || b->high[axis] == sides[axis] - 1;
    return touches;
}

static double basic_figure(const lg_components *c, const lg_component_basic *b, lg_column column)
{
    const double area = (double)b->area;
    switch (column) {
    case LG_COLUMN_X:
    case LG_COLUMN_Y:
    case LG_COLUMN_Z:
        return b->low[column - LG_COLUMN_X];
    case LG_COLUMN_WIDTH:
    case LG_COLUMN_HEIGHT:
    case LG_COLUMN_DEPTH:
        return side(b, column - LG_COLUMN_WIDTH);
    case LG_COLUMN_CX:
    case LG_COLUMN_CY:
    case LG_COLUMN_CZ:
        return lg_quotient(b->sum[column - LG_COLUMN_CX], b->area, 0);
    case LG_COLUMN_EDGE:
        return touches_edge(c, b);
    case LG_COLUMN_EXTENT:
        return area / (side(b, 0) * side(b, 1) * side(b, 2));
    default:
        return is_volume(c) ? cbrt(6 * area / M_PI) : sqrt(4 * area / M_PI);
    }
}

// ---- second moments -----------------------------------------------------------------------------

// n * sum(uv) - sum(u) sum(v), which is n^2 times the covariance. The terms may leave 128 bits; the
// difference is below 2^127, so that the rest of the division by 2^128 is it.
static __int128 centred(uint64_t n, lg_u128 products, uint64_t u, uint64_t v)
{
    return (__int128)(n * products - (lg_u128)u * v);
}

// a b - c^2, which is not negative.
static double determinant(__int128 a, __int128 b, __int128 c)
{
    const lg_u128 small = (lg_u128)1 << 63;
    const lg_u128 ma = magnitude(a), mb = magnitude(b), mc = magnitude(c);
    if (ma < small && mb < small && mc < small)
        return (double)(ma * mb - mc * mc);
    const lg_u1024 wa = lg_u1024_of(ma), wc = lg_u1024_of(mc);
    const lg_u1024 ab = lg_u1024_scale(&wa, mb), cc = lg_u1024_scale(&wc, mc);
    const lg_u1024 rest = lg_u1024_distance(&ab, &cc);
    return lg_u1024_double(&rest);
}

// Ellipse of a component in a plane: eigenvalues of n^2 times the covariances, and their
// difference. Each is formed without cancellation.
typedef struct ellipse {
    double largest, smallest, difference;
} ellipse;

static const double pixels[3] = {1, 1, 1}; // as the unit of lengths

static ellipse ellipse_of(const lg_component_basic *b, const lg_component_second *s,
                          const double unit[3])
{
    const __int128 xx = centred(b->area, s->xx, b->sum[0], b->sum[0]);
    const __int128 yy = centred(b->area, s->yy, b->sum[1], b->sum[1]);
    const __int128 xy = centred(b->area, s->xy, b->sum[0], b->sum[1]);
    const double ux = unit[0] * unit[0], uy = unit[1] * unit[1];
    const bool same = ux == uy;
    const double d = same ? ux * (double)(xx - yy) : ux * (double)xx - uy * (double)yy;
    const double e = 2 * unit[0] * unit[1] * (double)xy;
    ellipse out = {.difference = sqrt(d * d + e * e)};
    const double trace = same ? ux * (double)(xx + yy) : ux * (double)xx + uy * (double)yy;
    out.largest = (trace + out.difference) / 2;
    if (out.largest > 0)
        out.smallest = ux * uy * determinant(xx, yy, xy) / out.largest;
    return out;
}

// scikit-image's: from the row axis towards the column axis.
static double orientation_of(const lg_component_basic *b, const lg_component_second *s)
{
    const __int128 xx = centred(b->area, s->xx, b->sum[0], b->sum[0]);
    const __int128 yy = centred(b->area, s->yy, b->sum[1], b->sum[1]);
    const __int128 xy = centred(b->area, s->xy, b->sum[0], b->sum[1]);
    if (xx == yy)
        return xy > 0 ? M_PI_4 : -M_PI_4;
    return atan2(2 * (double)xy, (double)(yy - xx)) / 2;
}

// One turn of Jacobi's method: rows and columns p and q of a symmetric matrix.
static void rotate(double m[3][3], int p, int q)
{
    if (m[p][q] == 0)
        return;
    const double angle = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (angle < 0 ? -1 : 1) / (fabs(angle) + sqrt(angle * angle + 1));
    const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
    const int r = 3 - p - q;
    const double old = m[p][q], rp = m[r][p], rq = m[r][q];
    m[p][p] -= t * old;
    m[q][q] += t * old;
    m[p][q] = m[q][p] = 0;
    m[r][p] = m[p][r] = cosine * rp - sine * rq;
    m[r][q] = m[q][r] = sine * rp + cosine * rq;
}

// Largest and smallest eigenvalue of the covariances of a component in a volume.
static void ellipsoid_of(const lg_component_basic *b, const lg_component_second *s,
                         const double unit[3], double *largest, double *smallest)
{
    const double n = (double)b->area, nn = n * n;
    const uint64_t *sum = b->sum;
    const double xy = (double)centred(b->area, s->xy, sum[0], sum[1]) / nn;
    const double xz = (double)centred(b->area, s->xz, sum[0], sum[2]) / nn;
    const double yz = (double)centred(b->area, s->yz, sum[1], sum[2]) / nn;
    double m[3][3] = {{(double)centred(b->area, s->xx, sum[0], sum[0]) / nn, xy, xz},
                      {xy, (double)centred(b->area, s->yy, sum[1], sum[1]) / nn, yz},
                      {xz, yz, (double)centred(b->area, s->zz, sum[2], sum[2]) / nn}};
    for (int i = 0; i < 9; i++)
        m[i / 3][i % 3] *= unit[i / 3] * unit[i % 3];
    for (int sweep = 0; sweep < 12; sweep++) { // 5 are enough for doubles
        rotate(m, 0, 1);
        rotate(m, 0, 2);
        rotate(m, 1, 2);
    }
    *largest = fmax(m[0][0], fmax(m[1][1], m[2][2]));
    *smallest = fmax(0, fmin(m[0][0], fmin(m[1][1], m[2][2])));
}

static double axis_of(const lg_components *c, uint32_t i, const double unit[3], bool major)
{
    const lg_component_basic *b = &c->basic[i];
    if (is_volume(c)) {
        double largest, smallest;
        ellipsoid_of(b, &c->second[i], unit, &largest, &smallest);
        return sqrt(20 * (major ? largest : smallest));
    }
    const ellipse e = ellipse_of(b, &c->second[i], unit);
    return 4 * sqrt(major ? e.largest : e.smallest) / (double)b->area;
}

static double moment_figure(const lg_components *c, uint32_t i, lg_column column)
{
    if (column == LG_COLUMN_ORIENTATION)
        return orientation_of(&c->basic[i], &c->second[i]);
    if (column != LG_COLUMN_ECCENTRICITY)
        return axis_of(c, i, pixels, column == LG_COLUMN_MAJOR_AXIS);
    const ellipse e = ellipse_of(&c->basic[i], &c->second[i], pixels);
    return e.largest > 0 ? fmin(1, sqrt(e.difference / e.largest)) : 0;
}

// ---- intensities --------------------------------------------------------------------------------

// Squared deviations by `denominator` / count: of the population, or of a sample.
static double variance_of(const lg_component_intensity *v, uint64_t denominator, double unit)
{
    const lg_u1024 squares = lg_u1024_of(v->squares), sum = lg_u1024_of(magnitude(v->sum));
    const lg_u1024 a = lg_u1024_scale(&squares, v->count), b = lg_u1024_mul(&sum, &sum);
    const lg_u1024 deviations = lg_u1024_distance(&a, &b);
    return lg_u1024_quotient(&deviations, (lg_u128)v->count * denominator, 0) * unit * unit;
}

static double intensity_figure(const lg_component_intensity *v, lg_column column, double unit)
{
    switch (column) {
    case LG_COLUMN_SUM:
        return (double)v->sum * unit;
    case LG_COLUMN_MX:
    case LG_COLUMN_MY:
    case LG_COLUMN_MZ:
        return v->sum == 0 ? NAN : signed_quotient(v->moment[column - LG_COLUMN_MX], v->sum);
    default:
        break;
    }
    if (v->count == 0)
        return NAN;
    switch (column) {
    case LG_COLUMN_MEAN:
        return signed_quotient(v->sum, v->count) * unit;
    case LG_COLUMN_MIN:
        return v->min;
    case LG_COLUMN_MAX:
        return v->max;
    case LG_COLUMN_VARIANCE:
        return variance_of(v, v->count, unit);
    case LG_COLUMN_STDDEV:
        return sqrt(variance_of(v, v->count, unit));
    default:
        return v->count < 2 ? NAN : sqrt(variance_of(v, v->count - 1, unit));
    }
}

// ---- micrometres --------------------------------------------------------------------------------

// Lengths along an axis are those in pixels times their size.
static lg_column along(lg_column column, int *axis)
{
    static const struct {
        lg_column first, of;
    } columns_of[] = {{LG_COLUMN_WIDTH_UM, LG_COLUMN_WIDTH},
                      {LG_COLUMN_CX_UM, LG_COLUMN_CX},
                      {LG_COLUMN_MX_UM, LG_COLUMN_MX}};
    for (size_t i = 0; i < LG_COUNT(columns_of); i++) {
        *axis = (int)column - (int)columns_of[i].first;
        if (*axis >= 0 && *axis < 3)
            return (lg_column)(columns_of[i].of + (lg_column)*axis);
    }
    *axis = 0; // pixels are as wide as they are high
    return column == LG_COLUMN_PERIMETER_UM ? LG_COLUMN_PERIMETER : LG_COLUMN_CROFTON_PERIMETER;
}

static double figure(const lg_components *c, uint32_t i, lg_column column);

static double physical_figure(const lg_components *c, uint32_t i, lg_column column)
{
    const double *size = c->pixel_size;
    const double area = (double)c->basic[i].area * size[0] * size[1];
    int axis;
    switch (column) {
    case LG_COLUMN_AREA_UM2:
        return area;
    case LG_COLUMN_VOLUME_UM3:
        return area * size[2];
    case LG_COLUMN_SURFACE_AREA_UM2:
        return lg_surface_area(&c->shape[i], size);
    case LG_COLUMN_CROFTON_SURFACE_AREA_UM2:
        return figure(c, i, LG_COLUMN_CROFTON_SURFACE_AREA) * size[0] * size[0];
    case LG_COLUMN_EQUIVALENT_DIAMETER_UM:
        return is_volume(c) ? cbrt(6 * area * size[2] / M_PI) : sqrt(4 * area / M_PI);
    case LG_COLUMN_MAJOR_AXIS_UM:
    case LG_COLUMN_MINOR_AXIS_UM:
        return axis_of(c, i, size, column == LG_COLUMN_MAJOR_AXIS_UM);
    default:
        break;
    }
    const lg_column of = along(column, &axis);
    return figure(c, i, of) * size[axis];
}

lg_status lg_components_pixel_size(lg_components *components, const double micrometres[3],
                                   lg_error *error)
{
    if (!components || !micrometres)
        return lg_fail_null(error, "components, and the size of pixels");
    for (int i = 0; i < 3; i++)
        if (!(micrometres[i] >= 0) || isinf(micrometres[i]))
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "a pixel of %g um; its size is a number from 0 on, 0 where it is unknown",
                micrometres[i]);
    memcpy(components->pixel_size, micrometres, sizeof components->pixel_size);
    return LG_OK;
}

// ---- columns ------------------------------------------------------------------------------------

static double figure(const lg_components *c, uint32_t i, lg_column column)
{
    if (column == LG_COLUMN_LABEL)
        return (double)c->before + i + 1;
    if (column == LG_COLUMN_AREA)
        return (double)c->basic[i].area;
    if (column == LG_COLUMN_AREA_UM2 || column == LG_COLUMN_VOLUME_UM3)
        return physical_figure(c, i, column);
    if ((columns[column].needs & SIZE) && c->basic[i].area > 0)
        return physical_figure(c, i, column);
    if ((columns[column].needs & (INTENSITY | SIZE)) == INTENSITY)
        return intensity_figure(&c->intensity[i], column, c->unit);
    if (c->basic[i].area == 0) // a label that does not occur
        return NAN;
    if (columns[column].needs & MOMENTS)
        return moment_figure(c, i, column);
    if (columns[column].needs & SHAPE)
        return lg_shape_figure(c, i, column);
    return basic_figure(c, &c->basic[i], column);
}

lg_status lg_components_column(const lg_components *components, lg_column column, double *out,
                               lg_error *error)
{
    if (!components || (components->count && !out))
        return lg_fail_null(error, "components, and a place for their figures");
    const lg_status status = check_column(components, column, error);
    for (uint32_t i = 0; status == LG_OK && i < components->count; i++)
        out[i] = figure(components, i, column);
    return status;
}
