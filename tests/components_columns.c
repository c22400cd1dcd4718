// Figures of components from their sums: shapes with known figures, and a plain computation from
// the list of pixels, in long doubles.
#include "check.h"

#include "measure/components/component_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 160, MOST = SIDE * SIDE };

typedef struct shape {
    int count;
    int32_t x[MOST], y[MOST], z[MOST], v[MOST];
    uint8_t pixel[SIDE][SIDE]; // of layer 0, with room for a border of 2
    lg_component_basic basic;
    lg_component_second second;
    lg_component_intensity intensity;
    lg_component_shape border;
    lg_components components;
} shape;

static shape s; // the one at work

static void begin(int32_t width, int32_t height, int32_t layers, int connectivity)
{
    memset(&s, 0, sizeof s);
    s.components = (lg_components){.count = 1,
                                   .width = width,
                                   .height = height,
                                   .layers = layers,
                                   .connectivity = connectivity,
                                   .unit = 1,
                                   .basic = &s.basic,
                                   .second = &s.second,
                                   .intensity = &s.intensity,
                                   .shape = &s.border};
}

static void put(int32_t x, int32_t y, int32_t z, int32_t v)
{
    s.x[s.count] = x;
    s.y[s.count] = y;
    s.z[s.count] = z;
    s.v[s.count++] = v;
    if (x < SIDE - 4 && y < SIDE - 4)
        s.pixel[y + 2][x + 2] = 1;
}

static void add_pixel(int i)
{
    const int32_t at[3] = {s.x[i], s.y[i], s.z[i]};
    lg_component_basic *b = &s.basic;
    const lg_u128 x = (lg_u128)at[0], y = (lg_u128)at[1], z = (lg_u128)at[2];
    for (int axis = 0; axis < 3; axis++) {
        b->low[axis] = i == 0 || at[axis] < b->low[axis] ? at[axis] : b->low[axis];
        b->high[axis] = i == 0 || at[axis] > b->high[axis] ? at[axis] : b->high[axis];
        b->sum[axis] += (uint64_t)at[axis];
        s.intensity.moment[axis] += (__int128)at[axis] * s.v[i];
    }
    b->area++;
    s.second.xx += x * x;
    s.second.yy += y * y;
    s.second.zz += z * z;
    s.second.xy += x * y;
    s.second.xz += x * z;
    s.second.yz += y * z;
    s.intensity.sum += s.v[i];
    s.intensity.squares += (lg_u128)((int64_t)s.v[i] * s.v[i]);
    s.intensity.min = i == 0 ? s.v[i] : fmin(s.intensity.min, s.v[i]);
    s.intensity.max = i == 0 ? s.v[i] : fmax(s.intensity.max, s.v[i]);
    s.intensity.count++;
}

static bool is_border(int x, int y)
{
    return s.pixel[y][x] &&
           !(s.pixel[y - 1][x] && s.pixel[y + 1][x] && s.pixel[y][x - 1] && s.pixel[y][x + 1]);
}

static void add_border(int x, int y)
{
    const int straight =
        is_border(x - 1, y) + is_border(x + 1, y) + is_border(x, y - 1) + is_border(x, y + 1);
    const int diagonal = is_border(x - 1, y - 1) + is_border(x + 1, y - 1) +
                         is_border(x - 1, y + 1) + is_border(x + 1, y + 1);
    if (!is_border(x, y))
        return;
    if ((straight == 2 || straight == 3) && diagonal <= 2)
        s.border.border[0]++;
    else if ((straight == 0 && diagonal == 2) || (straight == 1 && diagonal == 3))
        s.border.border[1]++;
    else if (straight == 1 && (diagonal == 1 || diagonal == 2))
        s.border.border[2]++;
}

static void finish(void)
{
    for (int i = 0; i < s.count; i++)
        add_pixel(i);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            s.border.windows[s.pixel[y][x] | s.pixel[y][x + 1] << 1 | s.pixel[y + 1][x] << 2 |
                             s.pixel[y + 1][x + 1] << 3]++;
            add_border(x, y);
        }
}

static double figure(lg_column column)
{
    double out = -1;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_components_column(&s.components, column, &out, &error);
    CHECK(status == LG_OK, "%s: %s", lg_column_name(column), error.message);
    return out;
}

static void is(lg_column column, double expected, const char *what, int size)
{
    const double got = figure(column);
    CHECK(got == expected || (isnan(got) && isnan(expected)), "%s %d: %s is %.17g, not %.17g", what,
          size, lg_column_name(column), got, expected);
}

static void near(lg_column column, double expected, double bound, const char *what, int size)
{
    const double got = figure(column);
    CHECK(fabs(got - expected) <= bound * fmax(1, fabs(expected)), "%s %d: %s is %.17g, not %.17g",
          what, size, lg_column_name(column), got, expected);
}

static void set_size(double x, double y, double z)
{
    const double size[3] = {x, y, z};
    lg_error error = {LG_OK, ""};
    CHECK(lg_components_pixel_size(&s.components, size, &error) == LG_OK, "%s", error.message);
}

static void refuses(lg_column column, const char *words)
{
    double out = 5;
    lg_error error = {LG_OK, ""};
    CHECK(lg_components_column(&s.components, column, &out, &error) == LG_ERROR_ARGUMENT &&
              out == 5 && strstr(error.message, words),
          "%s: %s", lg_column_name(column), error.message);
}

// ---- known shapes -------------------------------------------------------------------------------

static void rectangle(int x, int y, int width, int height)
{
    for (int i = 0; i < width * height; i++)
        put(x + i % width, y + i / width, 0, 1);
}

static void test_squares(void)
{
    for (int n = 1; n < 90; n = n * 3 / 2 + 1) {
        begin(SIDE, SIDE, 1, 8);
        rectangle(3, 7, n, n);
        finish();
        is(LG_COLUMN_LABEL, 1, "square", n);
        is(LG_COLUMN_AREA, n * n, "square", n);
        is(LG_COLUMN_X, 3, "square", n);
        is(LG_COLUMN_Y, 7, "square", n);
        is(LG_COLUMN_Z, 0, "square", n);
        is(LG_COLUMN_WIDTH, n, "square", n);
        is(LG_COLUMN_HEIGHT, n, "square", n);
        is(LG_COLUMN_DEPTH, 1, "square", n);
        is(LG_COLUMN_CX, 3 + (n - 1) / 2., "square", n);
        is(LG_COLUMN_CY, 7 + (n - 1) / 2., "square", n);
        is(LG_COLUMN_CZ, 0, "square", n);
        is(LG_COLUMN_EDGE, 0, "square", n);
        is(LG_COLUMN_EXTENT, 1, "square", n);
        near(LG_COLUMN_EQUIVALENT_DIAMETER, 2 * n / sqrt(M_PI), 1e-15, "square", n);
        near(LG_COLUMN_MAJOR_AXIS, 4 * sqrt((n * n - 1) / 12.), 1e-15, "square", n);
        near(LG_COLUMN_MINOR_AXIS, 4 * sqrt((n * n - 1) / 12.), 1e-15, "square", n);
        is(LG_COLUMN_ECCENTRICITY, 0, "square", n);
        is(LG_COLUMN_ORIENTATION, -M_PI_4, "square", n); // none: scikit-image's choice
        is(LG_COLUMN_EULER_NUMBER, 1, "square", n);
        if (n > 2)
            is(LG_COLUMN_PERIMETER, 4 * (n - 1), "square", n);
        near(LG_COLUMN_CROFTON_PERIMETER, M_PI_4 * (2 * n + (2 * (2 * n - 1)) / sqrt(2)), 1e-15,
             "square", n);
        if (n > 2)
            near(LG_COLUMN_CIRCULARITY, 4 * M_PI * n * n / (16. * (n - 1) * (n - 1)), 1e-15,
                 "square", n);
    }
    begin(SIDE, SIDE, 1, 4);
    put(0, 9, 0, 1);
    finish();
    is(LG_COLUMN_PERIMETER, 0, "pixel", 1);
    is(LG_COLUMN_CIRCULARITY, NAN, "pixel", 1);
    is(LG_COLUMN_EDGE, 1, "pixel", 1);
    near(LG_COLUMN_CROFTON_PERIMETER, M_PI_4 * (2 + sqrt(2)), 1e-15, "pixel", 1);
}

static void test_lines(void)
{
    for (int n = 2; n < 100; n += 13)
        for (int kind = 0; kind < 4; kind++) { // along a row, a column, both diagonals
            static const double angles[4] = {M_PI_2, 0, M_PI_4, -M_PI_4};
            begin(SIDE, SIDE, 1, 8);
            for (int i = 0; i < n; i++)
                put(kind == 1 ? 5 : i, kind == 0 ? 5 : kind == 3 ? 120 - i : i, 0, 1);
            finish();
            const double step = kind < 2 ? 1 : sqrt(2);
            near(LG_COLUMN_MAJOR_AXIS, step * 4 * sqrt((n * n - 1.) / 12), 2e-15, "line", n);
            is(LG_COLUMN_MINOR_AXIS, 0, "line", n);
            is(LG_COLUMN_ECCENTRICITY, 1, "line", n);
            is(LG_COLUMN_ORIENTATION, angles[kind], "line", n);
            is(LG_COLUMN_EULER_NUMBER, 1, "line", n);
            s.components.connectivity = 4; // pixels that touch at corners are pieces
            is(LG_COLUMN_EULER_NUMBER, kind < 2 ? 1 : n, "line", n);
            is(LG_COLUMN_EDGE, 1, "line", n);
        }
}

static void disc(double radius, double hole)
{
    const int c = SIDE / 2 - 3;
    for (int y = 0; y < SIDE - 4; y++)
        for (int x = 0; x < SIDE - 4; x++) {
            const double d = hypot(x - c, y - c);
            if (d <= radius && d >= hole)
                put(x, y, 0, 1);
        }
}

static void test_discs(void)
{
    for (int r = 5; r < 75; r += 7) {
        begin(SIDE, SIDE, 1, 8);
        disc(r, -1);
        finish();
        near(LG_COLUMN_CROFTON_PERIMETER, 2 * M_PI * (r + 0.25), 0.04, "disc", r);
        near(LG_COLUMN_PERIMETER, 2 * M_PI * r, 0.13, "disc", r);
        near(LG_COLUMN_EQUIVALENT_DIAMETER, 2 * r, 0.03, "disc", r);
        near(LG_COLUMN_MAJOR_AXIS, 2 * r, 0.04, "disc", r);
        is(LG_COLUMN_ECCENTRICITY, 0, "disc", r);
        is(LG_COLUMN_EULER_NUMBER, 1, "disc", r);
        CHECK(figure(LG_COLUMN_CIRCULARITY) > 0.85 && figure(LG_COLUMN_CIRCULARITY) < 1.3,
              "disc %d: circularity %g", r, figure(LG_COLUMN_CIRCULARITY));
        begin(SIDE, SIDE, 1, 8);
        disc(r, r / 2.);
        finish();
        is(LG_COLUMN_EULER_NUMBER, 0, "ring", r);
        near(LG_COLUMN_CROFTON_PERIMETER, 3 * M_PI * r, 0.06, "ring", r);
        s.components.connectivity = 4;
        is(LG_COLUMN_EULER_NUMBER, 0, "ring", r);
    }
}

// Pictures with their Euler numbers for 8 and 4 neighbours, counted by hand.
static void test_euler(void)
{
    static const struct {
        const char *rows[5];
        int eight, four;
    } pictures[] = {
        {{"###", "#.#", "###"}, 0, 0},
        {{".#.", "#.#", ".#."}, 0, 4}, // a hole only where corners close it
        {{"#####", "#.#.#", "#####"}, -1, -1},
        {{"#####", "#.###", "##.##", "#####"}, -1, 0}, // with 4, the background joins at the corner
        {{"#.#", ".#.", "#.#"}, 1, 5},
        {{"##.", "##.", "..#"}, 1, 2},
        {{"#.#.#", "#####"}, 1, 1},
        {{"##.##", "##.##"}, 2, 2},
    };
    for (size_t i = 0; i < LG_COUNT(pictures); i++) {
        begin(SIDE, SIDE, 1, 8);
        for (int y = 0; y < 5 && pictures[i].rows[y]; y++)
            for (int x = 0; pictures[i].rows[y][x]; x++)
                if (pictures[i].rows[y][x] == '#')
                    put(x, y, 0, 1);
        finish();
        is(LG_COLUMN_EULER_NUMBER, pictures[i].eight, "picture", (int)i);
        s.components.connectivity = 4;
        is(LG_COLUMN_EULER_NUMBER, pictures[i].four, "picture", (int)i);
        s.components.connectivity = 6; // of one layer: 4
        is(LG_COLUMN_EULER_NUMBER, pictures[i].four, "picture", (int)i);
        s.components.connectivity = 18;
        is(LG_COLUMN_EULER_NUMBER, pictures[i].eight, "picture", (int)i);
    }
}

// ---- random pixels against a plain computation --------------------------------------------------

static void scatter(int count, int32_t x, int32_t y, int32_t z, int spread)
{
    const double slope = random_unit() * 4 - 2, width = random_unit();
    for (int i = 0; i < count; i++) {
        const double t = random_unit() * spread;
        put(x + (int32_t)t, y + (int32_t)fabs(t * slope + random_unit() * width * spread),
            z + (z ? (int32_t)random_below(9) : 0), (int32_t)random_below(60000) - 300);
    }
}

typedef struct plain {
    long double mean[3], xx, yy, zz, xy;
} plain;

static plain plain_moments(void)
{
    plain p = {0};
    const long double n = s.count;
    for (int i = 0; i < s.count; i++) {
        p.mean[0] += s.x[i] / n;
        p.mean[1] += s.y[i] / n;
        p.mean[2] += s.z[i] / n;
    }
    for (int i = 0; i < s.count; i++) {
        const long double x = s.x[i] - p.mean[0], y = s.y[i] - p.mean[1], z = s.z[i] - p.mean[2];
        p.xx += x * x / n;
        p.yy += y * y / n;
        p.zz += z * z / n;
        p.xy += x * y / n;
    }
    return p;
}

static void check_intensities(int size)
{
    long double sum = 0, squares = 0, mx = 0, my = 0;
    for (int i = 0; i < s.count; i++) {
        sum += s.v[i];
        mx += (long double)s.v[i] * s.x[i];
        my += (long double)s.v[i] * s.y[i];
    }
    const long double mean = sum / s.count;
    for (int i = 0; i < s.count; i++)
        squares += (s.v[i] - mean) * (s.v[i] - mean);
    is(LG_COLUMN_SUM, (double)sum, "random", size);
    is(LG_COLUMN_MEAN, (double)mean, "random", size);
    near(LG_COLUMN_VARIANCE, (double)(squares / s.count), 1e-14, "random", size);
    near(LG_COLUMN_STDDEV, (double)sqrtl(squares / s.count), 1e-14, "random", size);
    near(LG_COLUMN_STDDEV_SAMPLE, (double)sqrtl(squares / (s.count - 1)), 1e-14, "random", size);
    if (sum == 0)
        return;
    near(LG_COLUMN_MX, (double)(mx / sum), 1e-14, "random", size);
    near(LG_COLUMN_MY, (double)(my / sum), 1e-14, "random", size);
}

static void test_random(void)
{
    for (int round = 0; round < test_extent(20, 200, 1000); round++) {
        const int count = 2 + (int)random_below(400), spread = 2 + (int)random_below(60);
        begin(1 << 24, 1 << 24, 1, 8);
        scatter(count, (int32_t)random_below(1 << 12), (int32_t)random_below(1 << 12), 0, spread);
        finish();
        const plain p = plain_moments();
        const long double d = sqrtl((p.xx - p.yy) * (p.xx - p.yy) + 4 * p.xy * p.xy);
        const double angle = (double)(atan2l(2 * p.xy, p.yy - p.xx) / 2);
        near(LG_COLUMN_CX, (double)p.mean[0], 1e-15, "random", count);
        near(LG_COLUMN_CY, (double)p.mean[1], 1e-15, "random", count);
        near(LG_COLUMN_MAJOR_AXIS, (double)(4 * sqrtl((p.xx + p.yy + d) / 2)), 1e-13, "random",
             count);
        near(LG_COLUMN_MINOR_AXIS, (double)(4 * sqrtl(fmaxl(0, p.xx + p.yy - d) / 2)), 1e-6,
             "random", count);
        near(LG_COLUMN_ECCENTRICITY, (double)sqrtl(2 * d / (p.xx + p.yy + d)), 1e-9, "random",
             count);
        if (d > 1e-6L && fabs(angle) < 1.57)
            near(LG_COLUMN_ORIENTATION, angle, 1e-9, "random", count);
        check_intensities(count);
    }
}

// The same pixels elsewhere have the same bits: nothing is lost to large coordinates.
static void test_far(void)
{
    static const lg_column columns[] = {LG_COLUMN_MAJOR_AXIS, LG_COLUMN_MINOR_AXIS,
                                        LG_COLUMN_ECCENTRICITY, LG_COLUMN_ORIENTATION,
                                        LG_COLUMN_EXTENT};
    double here[LG_COUNT(columns)];
    for (int round = 0; round < test_extent(5, 30, 100); round++) {
        const uint64_t seed = random_u64();
        for (int far = 0; far < 2; far++) {
            random_seed(seed);
            begin(1 << 24, 1 << 24, 1, 8);
            scatter(300, far ? 16000000 : 0, far ? 15999999 : 0, 0, 50);
            finish();
            for (size_t i = 0; i < LG_COUNT(columns); i++) {
                if (far)
                    is(columns[i], here[i], "far", round);
                else
                    here[i] = figure(columns[i]);
            }
        }
    }
}

// A rectangle of 2^20 x 2^19 pixels from its formulas: products beyond 128 bits.
static void test_huge(void)
{
    const uint64_t w = 1 << 20, h = 1 << 19, x0 = 15000000, y0 = 16000000;
    const lg_u128 n = (lg_u128)w * h;
    lg_u128 sx = 0, sy = 0, sxx = 0, syy = 0;
    begin(1 << 24, 1 << 24, 1, 8);
    for (uint64_t x = x0; x < x0 + w; x++) {
        sx += x;
        sxx += (lg_u128)x * x;
    }
    for (uint64_t y = y0; y < y0 + h; y++) {
        sy += y;
        syy += (lg_u128)y * y;
    }
    s.basic = (lg_component_basic){.area = (uint64_t)n,
                                   .sum = {(uint64_t)(sx * h), (uint64_t)(sy * w), 0},
                                   .low = {(int32_t)x0, (int32_t)y0, 0},
                                   .high = {(int32_t)(x0 + w - 1), (int32_t)(y0 + h - 1), 0}};
    s.second = (lg_component_second){.xx = sxx * h, .yy = syy * w, .xy = sx * sy};
    is(LG_COLUMN_CX, (double)x0 + ((double)w - 1) / 2, "huge", 0);
    is(LG_COLUMN_CY, (double)y0 + ((double)h - 1) / 2, "huge", 0);
    is(LG_COLUMN_EXTENT, 1, "huge", 0);
    is(LG_COLUMN_ORIENTATION, M_PI_2, "huge", 0);
    near(LG_COLUMN_MAJOR_AXIS, 4 * sqrt(((double)w * (double)w - 1) / 12), 1e-15, "huge", 0);
    near(LG_COLUMN_MINOR_AXIS, 4 * sqrt(((double)h * (double)h - 1) / 12), 1e-15, "huge", 0);
    near(LG_COLUMN_ECCENTRICITY, sqrt(0.75), 1e-11, "huge", 0);
    s.intensity = (lg_component_intensity){
        .sum = (__int128)n * 65535, .squares = n * 65535 * 65535, .count = (uint64_t)n};
    s.intensity.moment[0] = (__int128)sx * (__int128)h * 65535;
    is(LG_COLUMN_MEAN, 65535, "huge", 0);
    is(LG_COLUMN_VARIANCE, 0, "huge", 0);
    is(LG_COLUMN_MX, (double)x0 + ((double)w - 1) / 2, "huge", 0);
}

// ---- volumes ------------------------------------------------------------------------------------

static void test_volumes(void)
{
    begin(SIDE, SIDE, 40, 26);
    for (int i = 0; i < 9 * 5 * 3; i++)
        put(10 + i % 3, 20 + i / 3 % 5, 30 + i / 15, 1);
    finish();
    is(LG_COLUMN_AREA, 135, "box", 0);
    is(LG_COLUMN_DEPTH, 9, "box", 0);
    is(LG_COLUMN_CZ, 34, "box", 0);
    is(LG_COLUMN_EXTENT, 1, "box", 0);
    is(LG_COLUMN_EDGE, 0, "box", 0);
    near(LG_COLUMN_EQUIVALENT_DIAMETER, cbrt(6 * 135 / M_PI), 1e-15, "box", 0);
    near(LG_COLUMN_MAJOR_AXIS, sqrt(20 * 80 / 12.), 1e-15, "box", 0);
    near(LG_COLUMN_MINOR_AXIS, sqrt(20 * 8 / 12.), 1e-15, "box", 0);
    s.components.layers = 39; // ends at the last layer
    is(LG_COLUMN_EDGE, 1, "box", 0);
    begin(SIDE, SIDE, 40, 26); // a line along the diagonal of space
    for (int i = 0; i < 20; i++)
        put(1 + i, 1 + i, 1 + i, 1);
    finish();
    near(LG_COLUMN_MAJOR_AXIS, sqrt(20 * 3 * 399 / 12.), 1e-14, "diagonal", 0);
    near(LG_COLUMN_MINOR_AXIS, 0, 1e-6, "diagonal", 0);
    double out;
    lg_error error;
    set_size(1, 1, 1);
    for (int i = 0; i < LG_COLUMNS; i++) {
        const bool plane = lg_column_needs((lg_column)i) & LG_NEEDS_PLANE;
        const lg_status status = lg_components_column(&s.components, (lg_column)i, &out, &error);
        CHECK((status == LG_ERROR_ARGUMENT) == plane, "%s of a volume",
              lg_column_name((lg_column)i));
        if (plane)
            CHECK(strstr(error.message, "connectivity 26") != NULL, "%s", error.message);
    }
    s.components.connectivity = 8; // planes again, though there are layers
    near(LG_COLUMN_ORIENTATION, M_PI_4, 1e-15, "diagonal", 0);
}

// ---- surfaces -----------------------------------------------------------------------------------

enum { ROOM = 48 };

static bool solid[ROOM][ROOM][ROOM]; // z, y, x; with nothing at the edges

// The counts of what is solid, by their definitions.
static void count_solid(void)
{
    begin(ROOM, ROOM, ROOM, 26);
    for (int z = 0; z < ROOM - 1; z++)
        for (int y = 0; y < ROOM - 1; y++)
            for (int x = 0; x < ROOM - 1; x++) {
                s.border.windows[solid[z][y][x] | solid[z][y][x + 1] << 1 |
                                 solid[z][y + 1][x] << 2 | solid[z][y + 1][x + 1] << 3]++;
                s.basic.area += solid[z][y][x];
                for (int k = 0; k < 9 && solid[z][y][x]; k++)
                    s.border.down[k] += !solid[z + 1][y + k / 3 - 1][x + k % 3 - 1];
            }
}

static void test_surfaces_of_boxes(void)
{
    memset(solid, 0, sizeof solid);
    for (int i = 0; i < 9 * 5 * 3; i++)
        solid[30 + i / 15][20 + i / 3 % 5][10 + i % 3] = true;
    count_solid();
    is(LG_COLUMN_FACES_X, 2 * 45, "box", 0);
    is(LG_COLUMN_FACES_Y, 2 * 27, "box", 0);
    is(LG_COLUMN_FACES_Z, 2 * 15, "box", 0);
    is(LG_COLUMN_SURFACE_AREA, 174, "box", 0);
    refuses(LG_COLUMN_SURFACE_AREA_UM2, "the size of pixels");
    set_size(2, 1, 0);
    refuses(LG_COLUMN_SURFACE_AREA_UM2, "the distance of layers");
    set_size(2, 1, 0.5); // 6 x 5 x 4.5
    is(LG_COLUMN_SURFACE_AREA_UM2, 2 * (6 * 5 + 6 * 4.5 + 5 * 4.5), "box", 0);
    refuses(LG_COLUMN_CROFTON_SURFACE_AREA_UM2, "cubes");
    set_size(3, 3, 3);
    is(LG_COLUMN_SURFACE_AREA_UM2, 174 * 9, "box", 0);
    near(LG_COLUMN_CROFTON_SURFACE_AREA_UM2, 9 * figure(LG_COLUMN_CROFTON_SURFACE_AREA), 1e-15,
         "box", 0);
    solid[34][22][11] = false; // a cavity of one pixel has six more faces
    count_solid();
    is(LG_COLUMN_SURFACE_AREA, 180, "cavity", 0);
    s.components.connectivity = 8;
    refuses(LG_COLUMN_SURFACE_AREA, "of volumes");
    s.components.layers = 1;
    refuses(LG_COLUMN_SPHERICITY, "of volumes");
}

// By hand: a pixel has all 13 neighbours outside, so its surface is 4 (3 c1 + 6 c2 / sqrt(2) + 4 c3 /
// sqrt(3)).
static void test_surfaces_of_balls(void)
{
    memset(solid, 0, sizeof solid);
    solid[5][5][5] = true;
    count_solid();
    is(LG_COLUMN_SURFACE_AREA, 6, "pixel", 0);
    near(LG_COLUMN_CROFTON_SURFACE_AREA, 4 * (0.2746673 + 0.3137910 + 0.1625617), 1e-6, "pixel", 0);
    for (int r = 8; r < 21; r += 4) {
        const double c = 23.3;
        for (int i = 0; i < ROOM * ROOM * ROOM; i++) {
            const int z = i / ROOM / ROOM, y = i / ROOM % ROOM, x = i % ROOM;
            solid[z][y][x] =
                (z - c) * (z - c) + (y - c) * (y - c) + (x - c) * (x - c) < (double)r * r;
        }
        count_solid();
        near(LG_COLUMN_CROFTON_SURFACE_AREA, 4 * M_PI * r * r, 0.01, "ball", r);
        near(LG_COLUMN_SPHERICITY, 1, 0.01, "ball", r);
        near(LG_COLUMN_SURFACE_AREA, 6 * M_PI * r * r, 0.02, "ball", r); // three shadows, two sides
    }
}

// ---- micrometres --------------------------------------------------------------------------------

// Pixels of another size are the same as pixels that lie elsewhere.
static void test_pixel_size_random(void)
{
    for (int round = 0; round < test_extent(10, 50, 500); round++) {
        const int count = 2 + (int)random_below(400);
        const double u = 0.1 + random_unit(), v = round % 3 ? 0.1 + random_unit() : u;
        begin(1 << 24, 1 << 24, 1, 8);
        scatter(count, (int32_t)random_below(1 << 12), (int32_t)random_below(1 << 12), 0, 60);
        finish();
        set_size(u, v, 0);
        const plain p = plain_moments();
        const long double xx = p.xx * u * u, yy = p.yy * v * v, xy = p.xy * u * v;
        const long double d = sqrtl((xx - yy) * (xx - yy) + 4 * xy * xy);
        near(LG_COLUMN_AREA_UM2, count * u * v, 1e-14, "random", count);
        near(LG_COLUMN_CX_UM, (double)p.mean[0] * u, 1e-14, "random", count);
        near(LG_COLUMN_CY_UM, (double)p.mean[1] * v, 1e-14, "random", count);
        near(LG_COLUMN_MX_UM, figure(LG_COLUMN_MX) * u, 1e-14, "random", count);
        near(LG_COLUMN_MY_UM, figure(LG_COLUMN_MY) * v, 1e-14, "random", count);
        near(LG_COLUMN_WIDTH_UM, figure(LG_COLUMN_WIDTH) * u, 1e-14, "random", count);
        near(LG_COLUMN_HEIGHT_UM, figure(LG_COLUMN_HEIGHT) * v, 1e-14, "random", count);
        near(LG_COLUMN_EQUIVALENT_DIAMETER_UM, 2 * sqrt(count * u * v / M_PI), 1e-14, "random",
             count);
        near(LG_COLUMN_MAJOR_AXIS_UM, (double)(4 * sqrtl((xx + yy + d) / 2)), 1e-13, "random",
             count);
        near(LG_COLUMN_MINOR_AXIS_UM, (double)(4 * sqrtl(fmaxl(0, xx + yy - d) / 2)), 1e-6,
             "random", count);
        if (u == v)
            near(LG_COLUMN_PERIMETER_UM, figure(LG_COLUMN_PERIMETER) * u, 1e-14, "random", count);
        else
            refuses(LG_COLUMN_PERIMETER_UM, "as wide as they are high");
        refuses(LG_COLUMN_VOLUME_UM3, "of volumes");
        refuses(LG_COLUMN_CZ_UM, "of volumes");
    }
}

static void test_pixel_size_volume(void)
{
    const double bad[3] = {1, -1, 0}, none[3] = {1, NAN, 0};
    lg_error error;
    begin(SIDE, SIDE, 40, 26); // 3 x 5 x 9 pixels of 2 x 1 x 0.5: 6 x 5 x 4.5
    for (int i = 0; i < 9 * 5 * 3; i++)
        put(10 + i % 3, 20 + i / 3 % 5, 30 + i / 15, 1);
    finish();
    refuses(LG_COLUMN_VOLUME_UM3, "the size of pixels");
    set_size(2, 1, 0);
    refuses(LG_COLUMN_EQUIVALENT_DIAMETER_UM, "the distance of layers");
    refuses(LG_COLUMN_DEPTH_UM, "the distance of layers");
    set_size(2, 1, 0.5);
    is(LG_COLUMN_VOLUME_UM3, 135, "box", 0);
    is(LG_COLUMN_DEPTH_UM, 4.5, "box", 0);
    is(LG_COLUMN_WIDTH_UM, 6, "box", 0);
    is(LG_COLUMN_CX_UM, 22, "box", 0);
    is(LG_COLUMN_CZ_UM, 17, "box", 0);
    is(LG_COLUMN_MZ_UM, 17, "box", 0);
    near(LG_COLUMN_EQUIVALENT_DIAMETER_UM, cbrt(6 * 135 / M_PI), 1e-15, "box", 0);
    near(LG_COLUMN_MAJOR_AXIS_UM, sqrt(20 * 4 * 8 / 12.), 1e-15, "box", 0); // along x, not z
    near(LG_COLUMN_MINOR_AXIS_UM, sqrt(20 * 0.25 * 80 / 12.), 1e-15, "box", 0);
    refuses(LG_COLUMN_AREA_UM2, "connectivity 26");
    CHECK(lg_components_pixel_size(&s.components, bad, &error) == LG_ERROR_ARGUMENT &&
              lg_components_pixel_size(&s.components, none, &error) == LG_ERROR_ARGUMENT &&
              lg_components_pixel_size(NULL, bad, &error) == LG_ERROR_ARGUMENT &&
              s.components.pixel_size[2] == 0.5,
          "%s", error.message);
}

// ---- what does not exist ------------------------------------------------------------------------

static void test_missing(void)
{
    lg_error error;
    lg_column column;
    begin(SIDE, SIDE, 1, 8); // no pixels
    set_size(1, 1, 1);
    for (int i = LG_COLUMN_AREA; i < LG_COLUMNS; i++)
        if (!(lg_column_needs((lg_column)i) & LG_NEEDS_VOLUME))
            is((lg_column)i,
               i == LG_COLUMN_AREA || i == LG_COLUMN_AREA_UM2 || i == LG_COLUMN_SUM ? 0 : NAN,
               "nothing", 0);
    begin(SIDE, SIDE, 1, 8);
    put(2, 3, 0, 0);
    finish();
    is(LG_COLUMN_MX, NAN, "dark", 0);
    is(LG_COLUMN_STDDEV, 0, "dark", 0);
    is(LG_COLUMN_STDDEV_SAMPLE, NAN, "dark", 0);
    s.components.unit = 0.25;
    s.intensity.sum = -6;
    s.intensity.squares = 36;
    is(LG_COLUMN_SUM, -1.5, "unit", 0);
    is(LG_COLUMN_MEAN, -1.5, "unit", 0);
    is(LG_COLUMN_VARIANCE, 0, "unit", 0);
    static const char *const words[] = {"second moments", "the shape", "an intensity image"};
    s.components.second = NULL;
    s.components.shape = NULL;
    s.components.intensity = NULL;
    set_size(1, 1, 1);
    for (int i = 0; i < LG_COLUMNS; i++) {
        double out = 5;
        const unsigned needs = lg_column_needs((lg_column)i) & 7;
        if (lg_column_needs((lg_column)i) & LG_NEEDS_VOLUME)
            continue;
        const lg_status status = lg_components_column(&s.components, (lg_column)i, &out, &error);
        CHECK((status == LG_OK) == (needs == 0), "%s", lg_column_name((lg_column)i));
        if (needs)
            CHECK(out == 5 && strstr(error.message, words[needs >> 1]) &&
                      strstr(error.message, lg_column_name((lg_column)i)),
                  "%s", error.message);
        CHECK(lg_column_find(lg_column_name((lg_column)i), &column, NULL) == LG_OK &&
                  (int)column == i,
              "column %d by its name", i);
    }
    CHECK(lg_column_name(LG_COLUMNS) == NULL && lg_column_name((lg_column)-1) == NULL, "no name");
    for (int i = 0; i < 2; i++) {
        double out = 5;
        const lg_column beyond = i ? (lg_column)-1 : LG_COLUMNS;
        error.message[0] = '\0';
        CHECK(lg_components_column(&s.components, beyond, &out, &error) == LG_ERROR_ARGUMENT &&
                  out == 5 && strstr(error.message, "unknown column"),
              "column %d: %s", (int)beyond, error.message);
    }
    CHECK(lg_column_find("circularty", &column, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "circularity"),
          "%s", error.message);
    CHECK(lg_column_find("", &column, &error) == LG_ERROR_ARGUMENT, "no column");
}

int main(void)
{
    random_seed(5);
    test_squares();
    test_lines();
    test_discs();
    test_euler();
    test_random();
    test_far();
    test_huge();
    test_volumes();
    test_surfaces_of_boxes();
    test_surfaces_of_balls();
    test_pixel_size_random();
    test_pixel_size_volume();
    test_missing();
    return check_finish("components_columns");
}
