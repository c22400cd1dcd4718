// Polygons as runs of rows. A sweep over the rows keeps the edges that cross the row's line of
// centres. Where an edge crosses a row is computed in integers, from the lower end of the edge to the
// upper one whatever way the polygon runs: polygons with a common edge get the same pixel from it.
#include "area_runs.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

typedef struct edge {
    int32_t row, end; // rows whose centres it crosses: y0 <= row + 0.5 < y1
    int32_t at;       // first column inside the image whose centre is not left of it, in this row
    int32_t winding;  // +1 downwards, -1 upwards
    int64_t
        column; // the same column of the line without end, in this row; the image does not count
    int64_t low, high; // columns of the ends: rounding must not carry a flat edge beyond them
    int64_t step;      // columns from row to row: step + step_rest / divisor
    wide rest, step_rest, divisor; // (column - crossing) * divisor, 0 <= rest < divisor
} edge;

typedef struct sweep {
    edge *edges;   // by first row
    edge **active; // crossing the row at work, by column
    size_t edge_count, active_count;
    int32_t width, height;
    lg_area_winding winding;
} sweep;

// ---- edges --------------------------------------------------------------------------------------

// The image's first row whose centre is at y or below; `height` when there is none.
static int32_t first_row(double y, int32_t height)
{
    const double row = ceil(y - 0.5); // exact where the row is inside the image
    return row <= 0 ? 0 : row >= height ? height : (int32_t)row;
}

static wide floor_divide(wide a, wide b, wide *rest) // b > 0
{
    wide quotient = a / b;
    *rest = a % b;
    if (*rest < 0) {
        *rest += b;
        quotient--;
    }
    return quotient;
}

// Coordinates become integers of 61 bits in a unit that depends on the edge alone: products fit 128
// bits, and doubles of up to 2^k pixels keep 2^(k - 61), which holds all digits of usual ones.
static void place_edge(edge *e, const double *upper, const double *lower)
{
    const double x_most = fmax(fabs(upper[0]), fabs(lower[0])),
                 y_most = fmax(fabs(upper[1]), fabs(lower[1]));
    int exponent;
    frexp(fmax(fmax(x_most, y_most), 1), &exponent);
    const int shift = 60 - exponent; // 9 or more: |coordinates| <= 2^50
    const int64_t pixel = (int64_t)1 << shift, half = pixel / 2;
    const int64_t x0 = llrint(ldexp(upper[0], shift)), x1 = llrint(ldexp(lower[0], shift));
    const int64_t y0 = llrint(ldexp(upper[1], shift)), y1 = llrint(ldexp(lower[1], shift));
    const int64_t dx = x1 - x0, dy = LG_MAX(y1 - y0, 1);
    const int64_t centre = (int64_t)e->row * pixel + half;
    // The first centre c + 1/2 at or right of the crossing x: c = ceil(x - 1/2) = -floor(1/2 - x).
    e->divisor = (wide)dy * pixel;
    const wide start = ((wide)half - x0) * dy - (wide)(centre - y0) * dx;
    e->column = (int64_t)-floor_divide(start, e->divisor, &e->rest);
    wide rest;
    e->low = (int64_t)-floor_divide((wide)half - LG_MIN(x0, x1), pixel, &rest);
    e->high = (int64_t)-floor_divide((wide)half - LG_MAX(x0, x1), pixel, &rest);
    e->step = (int64_t)-floor_divide(-(wide)dx, dy, &rest);
    e->step_rest = rest * pixel;
}

static void place_column(edge *e, int32_t width)
{
    const int64_t column = LG_MIN(LG_MAX(e->column, e->low), e->high);
    e->at = (int32_t)LG_MIN(LG_MAX(column, 0), (int64_t)width);
}

static void step_edge(edge *e)
{
    e->column += e->step;
    e->rest += e->step_rest;
    if (e->rest >= e->divisor) {
        e->rest -= e->divisor;
        e->column--;
    }
}

static void add_edge(sweep *s, const double *from, const double *to)
{
    const bool down = from[1] < to[1];
    const double *upper = down ? from : to, *lower = down ? to : from;
    edge e = {.row = first_row(upper[1], s->height),
              .end = first_row(lower[1], s->height),
              .winding = down ? 1 : -1};
    if (e.row >= e.end)
        return; // no centre between its ends: flat, or outside
    place_edge(&e, upper, lower);
    s->edges[s->edge_count++] = e;
}

static int by_row(const void *a, const void *b)
{
    const int32_t left = ((const edge *)a)->row, right = ((const edge *)b)->row;
    return (left > right) - (left < right);
}

static void add_edges(sweep *s, const lg_area_polygon *polygon)
{
    const double *points = polygon->points;
    for (size_t r = 0; r < polygon->rings; r++) {
        const size_t count = polygon->ring[r];
        for (size_t i = 0; i < count; i++)
            add_edge(s, points + 2 * i, points + 2 * ((i + 1) % count));
        points += 2 * count;
    }
    qsort(s->edges, s->edge_count, sizeof *s->edges, by_row);
}

// ---- rows ---------------------------------------------------------------------------------------

static int by_column(const void *a, const void *b)
{
    const int32_t left = (*(edge *const *)a)->at, right = (*(edge *const *)b)->at;
    return (left > right) - (left < right);
}

// From row to row the order hardly changes; where many edges could, time must not grow with their
// square.
static void sort_active(sweep *s)
{
    enum { FEW = 64 };
    if (s->active_count > FEW) {
        qsort(s->active, s->active_count, sizeof *s->active, by_column);
        return;
    }
    for (size_t i = 1; i < s->active_count; i++) {
        edge *moved = s->active[i];
        size_t to = i;
        for (; to > 0 && s->active[to - 1]->at > moved->at; to--)
            s->active[to] = s->active[to - 1];
        s->active[to] = moved;
    }
}

static bool add_row(const sweep *s, int32_t row, lg_area_runs *runs)
{
    int64_t turns = 0;
    int32_t first = 0;
    for (size_t i = 0; i < s->active_count; i++) {
        const edge *e = s->active[i];
        const bool was_inside = turns != 0;
        turns = s->winding == LG_AREA_EVEN_ODD ? !turns : turns + e->winding;
        if (!was_inside)
            first = e->at;
        else if (turns == 0 && e->at > first && !lg_area_runs_add(runs, row, first, e->at))
            return false;
    }
    return true;
}

static void leave_row(sweep *s, int32_t row)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->active_count; i++) {
        edge *e = s->active[i];
        if (e->end <= row + 1)
            continue;
        step_edge(e);
        place_column(e, s->width);
        s->active[kept++] = e;
    }
    s->active_count = kept;
}

static bool sweep_rows(sweep *s, lg_area_runs *runs)
{
    size_t next = 0;
    for (int32_t row = 0; next < s->edge_count || s->active_count > 0; row++) {
        if (s->active_count == 0)
            row = s->edges[next].row;
        for (; next < s->edge_count && s->edges[next].row == row; next++) {
            place_column(&s->edges[next], s->width);
            s->active[s->active_count++] = &s->edges[next];
        }
        sort_active(s);
        if (!add_row(s, row, runs))
            return false;
        leave_row(s, row);
    }
    return true;
}

// ---- checks -------------------------------------------------------------------------------------

static lg_status check_point(const double *point, size_t ring, size_t index, lg_error *error)
{
    for (int i = 0; i < 2; i++) {
        const double value = point[i];
        if (!isfinite(value))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "point %zu of ring %zu: %c is %s; coordinates must be finite", index,
                           ring, "xy"[i], isnan(value) ? "NaN" : "infinite");
        if (fabs(value) > LG_AREA_MAX_COORDINATE)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "point %zu of ring %zu: %c is %g; coordinates go to 2^50 = %.0f pixels",
                           index, ring, "xy"[i], value, LG_AREA_MAX_COORDINATE);
    }
    return LG_OK;
}

static lg_status check_polygon(const lg_area_polygon *polygon, size_t *points, lg_error *error)
{
    if (!polygon || polygon->rings == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a polygon needs at least one ring of points");
    if (!polygon->points || !polygon->ring)
        return lg_fail_null(error, "the points of a polygon, and how many each ring has");
    if ((unsigned)polygon->winding >= LG_AREA_WINDINGS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "winding %d is neither even-odd nor non-zero",
                       (int)polygon->winding);
    *points = 0;
    lg_status status = LG_OK;
    for (size_t r = 0; r < polygon->rings && status == LG_OK; r++) {
        const size_t count = polygon->ring[r];
        if (count < 3)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "ring %zu has %zu point%s; a polygon needs at least 3", r, count,
                           count == 1 ? "" : "s");
        for (size_t i = 0; i < count && status == LG_OK; i++)
            status = check_point(polygon->points + 2 * (*points + i), r, i, error);
        *points += count;
    }
    return status;
}

lg_status lg_area_polygon_runs(const lg_area_polygon *polygon, int64_t width, int64_t height,
                               int32_t **bounds, size_t *count, lg_error *error)
{
    if (!bounds || !count)
        return lg_fail_null(error, "a place for the runs, and one for their number");
    size_t points = 0;
    lg_status status = lg_area_runs_check(width, height, error);
    if (status == LG_OK)
        status = check_polygon(polygon, &points, error);
    if (status != LG_OK)
        return status;
    lg_area_runs runs = {0};
    sweep s = {.edges = lg_alloc_array(points, sizeof *s.edges),
               .active = lg_alloc_array(points, sizeof *s.active),
               .width = (int32_t)width,
               .height = (int32_t)height,
               .winding = polygon->winding};
    bool good = s.edges && s.active;
    if (good) {
        add_edges(&s, polygon);
        good = sweep_rows(&s, &runs);
    }
    lg_free(s.edges);
    lg_free(s.active);
    return lg_area_runs_finish(&runs, good, bounds, count, error);
}
