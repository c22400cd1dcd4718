// Polygons and masks as runs of rows, against a test of every pixel in whole numbers.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 16, MOST_POINTS = 64, MOST_RINGS = 4 }; // units of a pixel

typedef __int128 wide;

// A polygon on the grid: points in sixteenths of a pixel.
typedef struct grid_polygon {
    int64_t at[2 * MOST_POINTS];
    double points[2 * MOST_POINTS];
    size_t ring[MOST_RINGS], rings, used;
} grid_polygon;

static void add_point(grid_polygon *p, int64_t x, int64_t y)
{
    p->at[2 * p->used] = x;
    p->at[2 * p->used + 1] = y;
    p->points[2 * p->used] = (double)x / GRID;
    p->points[2 * p->used + 1] = (double)y / GRID;
    p->used++;
    p->ring[p->rings - 1]++;
}

// ---- the plain test: crossings left of one centre ---------------------------------------------------

// How often the ring winds around the centre of a pixel, and how many edges cross the ray to the
// left of it. A centre on an edge is right of it; one level with a point belongs to what is below.
static void count_ring(const int64_t *at, size_t count, int64_t cx, int64_t cy, int *turns,
                       int *crossings)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t *a = at + 2 * i, *b = at + 2 * ((i + 1) % count);
        if ((a[1] <= cy) == (b[1] <= cy))
            continue;
        // (cx - ax) / (bx - ax) against (cy - ay) / (by - ay), multiplied out
        const wide left = (wide)(cx - a[0]) * (b[1] - a[1]),
                   right = (wide)(cy - a[1]) * (b[0] - a[0]);
        if (b[1] > a[1] ? left >= right : left <= right) {
            *turns += b[1] > a[1] ? 1 : -1;
            ++*crossings;
        }
    }
}

static bool is_inside(const grid_polygon *p, lg_area_winding winding, int x, int y)
{
    int turns = 0, crossings = 0;
    const int64_t *at = p->at;
    for (size_t r = 0; r < p->rings; r++) {
        count_ring(at, p->ring[r], (int64_t)x * GRID + GRID / 2, (int64_t)y * GRID + GRID / 2,
                   &turns, &crossings);
        at += 2 * p->ring[r];
    }
    return winding == LG_AREA_EVEN_ODD ? crossings % 2 != 0 : turns != 0;
}

// ---- runs as a picture -----------------------------------------------------------------------------

// Adds the runs to a picture of counts; false when they are not as promised.
static bool paint(const int32_t *bounds, size_t count, int width, int height, uint8_t *picture)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t *run = bounds + 4 * i, *last = run - 4;
        if (run[0] < 0 || run[2] > width || run[0] >= run[2] || run[1] < 0 || run[1] >= height ||
            run[3] != run[1] + 1)
            return false;
        if (i > 0 && (run[1] < last[1] || (run[1] == last[1] && run[0] <= last[2])))
            return false;
        for (int32_t x = run[0]; x < run[2]; x++)
            picture[run[1] * width + x]++;
    }
    return true;
}

static void check_polygon(const grid_polygon *p, lg_area_winding winding, int width, int height,
                          uint8_t *picture)
{
    const lg_area_polygon polygon = {p->points, p->ring, p->rings, winding};
    int32_t *bounds = NULL;
    size_t count = 0;
    lg_error error = {0};
    uint8_t *found = calloc((size_t)(width * height), 1);
    const lg_status status = lg_area_polygon_runs(&polygon, width, height, &bounds, &count, &error);
    CHECK(status == LG_OK, "%s", error.message);
    CHECK(paint(bounds, count, width, height, found), "runs are disjoint, sorted and inside");
    int wrong = 0;
    for (int i = 0; i < width * height; i++) {
        wrong += found[i] != is_inside(p, winding, i % width, i / width);
        if (picture)
            picture[i] += found[i];
    }
    CHECK(wrong == 0, "%d of %d x %d pixels differ, %zu points, %s", wrong, width, height, p->used,
          lg_area_winding_name(winding));
    lg_area_runs_free(&bounds);
    CHECK(bounds == NULL, "freed");
    free(found);
}

static void check_both(const grid_polygon *p, int width, int height)
{
    for (int w = 0; w < LG_AREA_WINDINGS; w++)
        check_polygon(p, (lg_area_winding)w, width, height, NULL);
}

// ---- polygons -----------------------------------------------------------------------------------

// Coordinates from -reach to size + reach, on the grid or on the lines of centres, where edges and
// points meet pixels exactly.
static int64_t coordinate(int size, int64_t reach, bool centres)
{
    const int64_t range = (int64_t)size + 2 * reach;
    if (centres)
        return (int64_t)(random_u64() % (uint64_t)range - (uint64_t)reach) * GRID + GRID / 2;
    return (int64_t)(random_u64() % (uint64_t)(range * GRID)) - reach * GRID;
}

static void random_polygons(void)
{
    static const int64_t reaches[] = {1, 2, 5, 100, 100000, 1000000000000};
    const int repeats = test_extent(200, 2000, 10000);
    for (int n = 0; n < repeats; n++) {
        const int width = 1 + (int)random_below(40), height = 1 + (int)random_below(40);
        const int64_t reach = reaches[random_below(n % 4 ? 3 : 6)];
        const bool centres = random_below(2);
        grid_polygon p = {.rings = 0};
        for (int rings = 1 + (int)random_below(3); rings > 0; rings--) {
            p.rings++;
            for (int k = 3 + (int)random_below(13); k > 0; k--) {
                const int64_t x = coordinate(width, reach, centres),
                              y = coordinate(height, reach, centres);
                const size_t last = p.used ? p.used - 1 : 0;
                const uint32_t kind =
                    p.used ? random_below(8) : 8; // flat, upright and doubled edges too
                add_point(&p, kind < 2 ? p.at[2 * last] : x,
                          kind == 1 || kind == 2 ? p.at[2 * last + 1] : y);
            }
        }
        check_both(&p, width, height);
    }
}

static void known_polygons(void)
{
    // A square with sides on centres: left and upper ones belong to it.
    grid_polygon square = {.rings = 1};
    const int64_t low = GRID + GRID / 2, high = 4 * GRID + GRID / 2;
    add_point(&square, low, low);
    add_point(&square, high, low);
    add_point(&square, high, high);
    add_point(&square, low, high);
    check_both(&square, 7, 7);
    const lg_area_polygon polygon = {square.points, square.ring, 1, LG_AREA_NON_ZERO};
    int32_t *bounds = NULL;
    size_t count = 0;
    lg_error error;
    CHECK(lg_area_polygon_runs(&polygon, 7, 7, &bounds, &count, &error) == LG_OK && count == 3 &&
              bounds[0] == 1 && bounds[1] == 1 && bounds[2] == 4 && bounds[3] == 2,
          "pixels 1 to 3 of rows 1 to 3");
    lg_area_runs_free(&bounds);
    // A hole that turns the same way is one by even-odd alone.
    grid_polygon hole = square;
    hole.rings = 2;
    add_point(&hole, 2 * GRID, 2 * GRID);
    add_point(&hole, 4 * GRID, 2 * GRID);
    add_point(&hole, 4 * GRID, 4 * GRID);
    add_point(&hole, 2 * GRID, 4 * GRID);
    check_both(&hole, 7, 7);
    // Outside everything, and around everything.
    grid_polygon far = {.rings = 1}, around = {.rings = 1};
    const int64_t max = (int64_t)1 << 54; // 2^50 pixels
    add_point(&far, 100 * GRID, 0);
    add_point(&far, 200 * GRID, 0);
    add_point(&far, 200 * GRID, 90 * GRID);
    add_point(&around, -max, -max);
    add_point(&around, max, -max);
    add_point(&around, max, max);
    add_point(&around, -max, max);
    check_both(&far, 9, 5);
    check_both(&around, 9, 5);
    const lg_area_polygon nothing = {far.points, far.ring, 1, LG_AREA_EVEN_ODD};
    CHECK(lg_area_polygon_runs(&nothing, 9, 5, &bounds, &count, &error) == LG_OK && count == 0,
          "no pixel, no error");
    lg_area_runs_free(&bounds);
}

// More edges in a row than the short sort takes.
static void many_edges(void)
{
    enum { TEETH = 400, SIZE = 120 };
    double points[4 * TEETH + 4];
    size_t used = 0;
    for (int i = 0; i < TEETH; i++) {
        points[used++] = (double)(i * SIZE) / TEETH;
        points[used++] = i % 2 ? 0 : SIZE - 0.25 * (i % 7);
    }
    points[used++] = SIZE;
    points[used++] = -1;
    points[used++] = 0;
    points[used++] = -1;
    const size_t ring = used / 2;
    const lg_area_polygon polygon = {points, &ring, 1, LG_AREA_EVEN_ODD};
    int32_t *bounds = NULL;
    size_t count = 0, wrong = 0;
    lg_error error;
    uint8_t *picture = calloc(SIZE * SIZE, 1);
    CHECK(lg_area_polygon_runs(&polygon, SIZE, SIZE, &bounds, &count, &error) == LG_OK &&
              paint(bounds, count, SIZE, SIZE, picture),
          "many teeth");
    for (int i = 0; i < SIZE * SIZE; i++) {
        const double cx = i % SIZE + 0.5, cy = i / SIZE + 0.5;
        bool inside = false;
        for (size_t k = 0; k < ring; k++) {
            const double *a = points + 2 * k, *b = points + 2 * ((k + 1) % ring);
            if ((a[1] <= cy) != (b[1] <= cy))
                inside ^= cx - a[0] >= (cy - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        }
        wrong += picture[i] != inside;
    }
    CHECK(wrong == 0, "%zu pixels differ", wrong);
    lg_area_runs_free(&bounds);
    free(picture);
}

// A fan of triangles around a point, with corners that are no multiples of anything: every pixel of
// the image belongs to exactly one.
static void adjacent_polygons(void)
{
    const int repeats = test_extent(50, 500, 3000);
    for (int n = 0; n < repeats; n++) {
        enum { WEDGES = 17, SIZE = 53 };
        double corner[WEDGES][2];
        uint8_t picture[SIZE * SIZE] = {0};
        const bool pixels = n % 2; // the middle and the corners on centres
        const double mx = pixels ? 20.5 : random_unit() * SIZE,
                     my = pixels ? 30.5 : random_unit() * SIZE;
        for (int k = 0; k < WEDGES; k++) {
            const double angle = (k + 0.8 * random_unit()) * (2 * 3.14159265358979 / WEDGES);
            const double far = 300 + 1e6 * random_unit();
            corner[k][0] = mx + far * cos(angle);
            corner[k][1] = my + far * sin(angle);
            if (pixels)
                for (int i = 0; i < 2; i++)
                    corner[k][i] = floor(corner[k][i]) + 0.5;
        }
        bool good = true;
        for (int k = 0; k < WEDGES; k++) {
            const double *a = corner[k], *b = corner[(k + 1) % WEDGES];
            const bool turned = random_below(2);
            const double points[6] = {turned ? b[0] : a[0], turned ? b[1] : a[1], mx, my,
                                      turned ? a[0] : b[0], turned ? a[1] : b[1]};
            const size_t ring = 3;
            const lg_area_polygon wedge = {points, &ring, 1, (lg_area_winding)random_below(2)};
            int32_t *bounds = NULL;
            size_t count = 0;
            lg_error error;
            good &= lg_area_polygon_runs(&wedge, SIZE, SIZE, &bounds, &count, &error) == LG_OK &&
                    paint(bounds, count, SIZE, SIZE, picture);
            lg_area_runs_free(&bounds);
        }
        size_t wrong = 0;
        for (int i = 0; i < SIZE * SIZE; i++)
            wrong += picture[i] != 1;
        CHECK(good && wrong == 0, "fan %d around %g, %g: %zu pixels not in exactly one wedge", n,
              mx, my, wrong);
    }
}

// ---- masks --------------------------------------------------------------------------------------

static lg_image mask_over(uint8_t *data, int width, int height, size_t stride)
{
    return (lg_image){.shape = {.width = width,
                                .height = height,
                                .layers = 1,
                                .channels = 1,
                                .type = LG_U8,
                                .row_stride = stride,
                                .layer_stride = stride * (size_t)height},
                      .data = data};
}

static void masks(void)
{
    for (int n = 0; n < 200; n++) {
        enum { STRIDE = 80 };
        uint8_t data[STRIDE * 20], picture[STRIDE * 20] = {0};
        const int width = 1 + (int)random_below(STRIDE), height = 1 + (int)random_below(20);
        memset(data, 255, sizeof data); // padding counts nowhere
        const uint32_t rare = 1 + random_below(6);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                data[y * STRIDE + x] = random_below(rare) ? 0 : (uint8_t)(1 + random_below(255));
        const lg_image mask = mask_over(data, width, height, STRIDE);
        int32_t *bounds = NULL;
        size_t count = 0, wrong = 0;
        lg_error error;
        CHECK(lg_area_mask_runs(&mask, width, height, &bounds, &count, &error) == LG_OK, "mask");
        CHECK(paint(bounds, count, width, height, picture), "runs are disjoint, sorted and inside");
        for (int i = 0; i < width * height; i++)
            wrong += picture[i] != (data[i / width * STRIDE + i % width] != 0);
        CHECK(wrong == 0, "%zu pixels differ", wrong);
        lg_area_runs_free(&bounds);
    }
}

// ---- figures of shapes ----------------------------------------------------------------------------

enum { WIDTH = 37, HEIGHT = 29 };

// The figures of the samples where `inside` is not zero, in whole numbers as far as they are.
static double plain_figure(lg_area_figure figure, const uint16_t *samples, const uint8_t *inside,
                           double above)
{
    int64_t count = 0, sum = 0, squares = 0, more = 0;
    double min = NAN, max = NAN;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint16_t v = samples[i];
        if (!inside[i])
            continue;
        count++;
        sum += v;
        squares += (int64_t)v * v;
        more += v > above;
        min = isnan(min) || v < min ? v : min;
        max = isnan(max) || v > max ? v : max;
    }
    switch (figure) {
    case LG_AREA_SUM:
        return (double)sum;
    case LG_AREA_MEAN:
        return count ? (double)sum / (double)count : NAN;
    case LG_AREA_VARIANCE:
        return count ? (double)(count * squares - sum * sum) / (double)(count * count) : NAN;
    case LG_AREA_MIN:
        return min;
    case LG_AREA_MAX:
        return max;
    case LG_AREA_COUNT:
        return (double)count;
    default:
        return (double)more;
    }
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b);
}

static void check_figures(lg_context *context, const lg_areasum *areasum, const uint16_t *samples,
                          const lg_area_polygon *polygon, const lg_image *mask, double above)
{
    lg_areasum_info info;
    lg_areasum_get_info(areasum, &info);
    for (int f = 0; f < LG_AREA_FIGURES; f++) {
        if (info.kind == LG_AREASUM_TABLE && (f == LG_AREA_MIN || f == LG_AREA_MAX))
            continue;
        uint8_t picture[WIDTH * HEIGHT] = {0};
        int32_t *bounds = NULL;
        size_t count = 0;
        lg_error error = {0};
        double found = -1;
        lg_status status =
            mask ? lg_area_mask_runs(mask, WIDTH, HEIGHT, &bounds, &count, &error)
                 : lg_area_polygon_runs(polygon, WIDTH, HEIGHT, &bounds, &count, &error);
        CHECK(status == LG_OK && paint(bounds, count, WIDTH, HEIGHT, picture), "runs");
        lg_area_runs_free(&bounds);
        const lg_area_figure figure = (lg_area_figure)f;
        status = mask ? lg_areasum_query_mask(context, areasum, figure, mask, &found, &error)
                      : lg_areasum_query_polygon(context, areasum, figure, polygon, &found, &error);
        const double expected = plain_figure(figure, samples, picture, above);
        CHECK(status == LG_OK && is_same(found, expected), "%s is %.17g, not %.17g: %s",
              lg_area_figure_name(figure), found, expected, error.message);
    }
}

static void figures_of(lg_context *context, lg_areasum_kind kind)
{
    uint16_t samples[WIDTH * HEIGHT];
    uint8_t data[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        samples[i] = (uint16_t)random_u64();
    lg_area_array array = {
        .data = samples, .type = LG_U16, .dims = 2, .channels = 1, .extent = {WIDTH, HEIGHT}};
    lg_area_array_pack(&array);
    const bool ripmap = kind == LG_AREASUM_RIPMAP;
    const lg_areasum_params params =
        WITH(lg_areasum_params, it.kind = kind, it.squares = true, it.extremes = ripmap,
             it.counts_above = true, it.above = 30000);
    lg_areasum *areasum = NULL;
    lg_error error = {0};
    NEED(lg_areasum_create(context, &array, &params, &areasum, &error) == LG_OK, "%s",
         error.message);
    for (int n = 0; n < 50 && areasum; n++) {
        double points[20];
        for (int i = 0; i < 20; i++)
            points[i] = random_unit() * 60 - 10 + (n == 0 ? 1000 : 0); // the first: far outside
        const size_t rings[2] = {4, 6};
        const lg_area_polygon polygon = {points, rings, 2, (lg_area_winding)(n % 2)};
        check_figures(context, areasum, samples, &polygon, NULL, params.above);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            data[i] = random_below(3) == 0 && n > 0;
        const lg_image mask = mask_over(data, WIDTH, HEIGHT, WIDTH);
        check_figures(context, areasum, samples, NULL, &mask, params.above);
    }
    const lg_image small = mask_over(data, WIDTH, HEIGHT - 1, WIDTH);
    double out = 7;
    CHECK(lg_areasum_query_mask(context, areasum, LG_AREA_SUM, &small, &out, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "37x28 pixels; it must have 37x29") && out == 7,
          "%s", error.message);
    lg_areasum_destroy(&areasum);
}

static void other_dimensions(lg_context *context)
{
    uint8_t samples[60] = {0};
    const double points[6] = {0, 0, 9, 0, 0, 9};
    const size_t ring = 3;
    const lg_area_polygon polygon = {points, &ring, 1, LG_AREA_EVEN_ODD};
    for (int dims = 1; dims <= 3; dims += 2) {
        lg_area_array array = {
            .data = samples, .type = LG_U8, .dims = dims, .channels = 1, .extent = {5, 4, 3}};
        lg_area_array_pack(&array);
        lg_areasum *areasum = NULL;
        lg_error error = {0};
        double out = 7;
        NEED(lg_areasum_create(context, &array, NULL, &areasum, &error) == LG_OK, "%s",
             error.message);
        CHECK(lg_areasum_query_polygon(context, areasum, LG_AREA_SUM, &polygon, &out, &error) ==
                      LG_ERROR_ARGUMENT &&
                  strstr(error.message, "arrays of 2 dimensions; this one has") && out == 7,
              "%s", error.message);
        lg_areasum_destroy(&areasum);
    }
}

static void figures(void)
{
    lg_context *context = device_open_cpu();
    figures_of(context, LG_AREASUM_TABLE);
    figures_of(context, LG_AREASUM_RIPMAP);
    other_dimensions(context);
    lg_context_destroy(&context);
}

// ---- refusals -----------------------------------------------------------------------------------

static void refused(const char *what, const lg_area_polygon *polygon, const lg_image *mask,
                    int64_t width, lg_status expected, const char *text)
{
    int32_t *bounds = (int32_t *)(uintptr_t)8;
    size_t count = 77;
    lg_error error = {0};
    const lg_status status = mask
                                 ? lg_area_mask_runs(mask, width, 4, &bounds, &count, &error)
                                 : lg_area_polygon_runs(polygon, width, 4, &bounds, &count, &error);
    CHECK(status == expected && strstr(error.message, text), "%s: %d %s", what, (int)status,
          error.message);
    CHECK(bounds == (int32_t *)(uintptr_t)8 && count == 77, "%s: outputs untouched", what);
}

static void refusals(void)
{
    double points[8] = {0, 0, 4, 0, 4, 4, 0, 4};
    size_t ring[2] = {4, 2};
    lg_area_polygon p = {points, ring, 1, LG_AREA_EVEN_ODD};
    p.rings = 2;
    ring[0] = 2;
    refused("two points", &p, NULL, 4, LG_ERROR_ARGUMENT,
            "ring 0 has 2 points; a polygon needs at least 3");
    ring[0] = 3;
    ring[1] = 1;
    refused("one point", &p, NULL, 4, LG_ERROR_ARGUMENT, "ring 1 has 1 point;");
    ring[0] = 4;
    p.rings = 0;
    refused("no ring", &p, NULL, 4, LG_ERROR_ARGUMENT, "at least one ring");
    refused("no polygon", NULL, NULL, 4, LG_ERROR_ARGUMENT, "at least one ring");
    p.rings = 1;
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    static const char *const words[] = {"y is NaN", "y is infinite", "y is infinite",
                                        "y is 1e+300"};
    for (int i = 0; i < 4; i++) {
        points[5] = bad[i];
        refused(words[i], &p, NULL, 4, LG_ERROR_ARGUMENT, words[i]);
        refused(words[i], &p, NULL, 4, LG_ERROR_ARGUMENT, "point 2 of ring 0");
    }
    points[5] = 4;
    p.winding = LG_AREA_WINDINGS;
    refused("winding", &p, NULL, 4, LG_ERROR_ARGUMENT, "neither even-odd nor non-zero");
    p.winding = LG_AREA_NON_ZERO;
    refused("empty", &p, NULL, 0, LG_ERROR_ARGUMENT, "at least 1 x 1");
    refused("large", &p, NULL, (int64_t)1 << 31, LG_ERROR_LIMIT, "up to 2147483647");
    uint8_t data[64] = {0};
    lg_image mask = mask_over(data, 4, 4, 4);
    refused("mask of another size", NULL, &mask, 5, LG_ERROR_ARGUMENT,
            "4x4 pixels; it must have 5x4");
    mask.shape.type = LG_U16;
    refused("mask of u16", NULL, &mask, 4, LG_ERROR_ARGUMENT, "1 channel of u16 in 1 layer;");
    mask = mask_over(NULL, 4, 4, 4);
    refused("mask without pixels", NULL, &mask, 4, LG_ERROR_ARGUMENT, "host memory");
    for (int64_t fail = 0; fail < 3; fail++) {
        lg_alloc_fail_after(fail);
        refused("memory", &p, NULL, 4, LG_ERROR_MEMORY, "runs of a shape");
        lg_alloc_fail_after(-1);
    }
    CHECK(!lg_area_winding_name(LG_AREA_WINDINGS), "no such rule");
    lg_area_runs_free(NULL);
}

int main(void)
{
    random_seed(4);
    known_polygons();
    random_polygons();
    many_edges();
    adjacent_polygons();
    masks();
    figures();
    refusals();
    return check_finish("areasum_shapes");
}
