// Turned rectangles as a few boxes: docs/definitions.md, Turned boxes. The pixels of a rectangle are one run
// a row, and piles of neighbouring rows become one box each. The same is tried with columns.
#include "area_runs.h"
#include "areasum_planes.h"

#include <math.h>
#include <stdlib.h>

// Runs of all rows from the first to the last, and piles of them.
typedef struct rows {
    int32_t top;
    size_t count;
    int32_t *first, *end; // of each row; both 0 where it has no pixel
    int32_t *sorted;      // room for a median
    int64_t pixels;
} rows;

typedef struct pile {
    size_t begin, end;   // rows
    int32_t left, right; // of its box; none when they are equal
    int64_t missing, extra;
} pile;

typedef struct piles {
    pile *of;
    size_t count;
    int64_t missing, extra;
} piles;

static void corners_of(const lg_area_rectangle *r, bool swap, double points[8])
{
    static const double quarter[] = {1, 0, -1, 0, 1};
    const double turn = fmod(r->angle, 360), part = turn < 0 ? turn + 360 : turn;
    const int quarters = (int)(part / 90);
    const bool exact = part == 90 * quarters; // no rounding of right angles
    const double c = exact ? quarter[quarters % 4] : cos(part * (M_PI / 180)),
                 s = exact ? quarter[(quarters + 3) % 4] : sin(part * (M_PI / 180));
    static const double ways[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) {
        const double u = ways[i][0] * r->width / 2, v = ways[i][1] * r->height / 2;
        points[2 * i + swap] = r->x + u * c - v * s;
        points[2 * i + !swap] = r->y + u * s + v * c;
    }
}

static lg_status check(const lg_area_rectangle *r, int most, lg_error *error)
{
    if (!r)
        return lg_fail_null(error, "a rectangle");
    const double numbers[] = {r->x, r->y, r->width, r->height, r->angle};
    for (size_t i = 0; i < LG_COUNT(numbers); i++)
        if (!isfinite(numbers[i]))
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "a turned rectangle needs finite numbers; one of centre, sides and angle "
                "is %g",
                numbers[i]);
    if (r->width <= 0 || r->height <= 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a turned rectangle of %g x %g is empty", r->width,
                       r->height);
    if (most < 1 || most > LG_AREA_MAX_PARTS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a turned rectangle of at most %d boxes; 1 to %d are possible", most,
                       LG_AREA_MAX_PARTS);
    return LG_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

static lg_status rows_of(const lg_area_rectangle *r, bool swap, int64_t width, int64_t height,
                         rows *out, lg_error *error)
{
    double points[8];
    const size_t ring = 4;
    int32_t *runs = NULL;
    size_t count = 0;
    corners_of(r, swap, points);
    const lg_area_polygon polygon = {points, &ring, 1, LG_AREA_EVEN_ODD};
    const lg_status status = lg_area_polygon_runs(&polygon, width, height, &runs, &count, error);
    *out = (rows){.top = count ? runs[1] : 0};
    if (status || !count)
        return status;
    out->count = (size_t)(runs[4 * (count - 1) + 1] - out->top) + 1;
    out->first = lg_alloc_array(out->count * 3, sizeof *out->first);
    if (!out->first) {
        lg_area_runs_free(&runs);
        return lg_fail_memory(error, out->count * 3 * sizeof *out->first, "a turned rectangle");
    }
    out->end = out->first + out->count;
    out->sorted = out->end + out->count;
    for (size_t i = 0; i < count; i++) { // one a row, as the rectangle is convex
        const int32_t *run = runs + 4 * i;
        out->first[run[1] - out->top] = run[0];
        out->end[run[1] - out->top] = run[2];
        out->pixels += run[2] - run[0];
    }
    lg_area_runs_free(&runs);
    return LG_OK;
}

static int by_value(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

// The median of the rows of a pile that have pixels. There the sum of distances is least.
static int32_t median(const rows *r, const pile *s, const int32_t *values)
{
    size_t count = 0;
    for (size_t i = s->begin; i < s->end; i++)
        if (r->end[i] > r->first[i])
            r->sorted[count++] = values[i];
    if (count == 0)
        return 0;
    qsort(r->sorted, count, sizeof *r->sorted, by_value);
    return r->sorted[(count - 1) / 2];
}

static pile pile_of(const rows *r, size_t begin, size_t end)
{
    pile s = {.begin = begin, .end = end};
    int64_t pixels = 0, shared = 0;
    s.left = median(r, &s, r->first);
    s.right = LG_MAX(median(r, &s, r->end), s.left);
    for (size_t i = begin; i < end; i++) {
        pixels += r->end[i] - r->first[i];
        shared += LG_MAX(LG_MIN(r->end[i], s.right) - LG_MAX(r->first[i], s.left), 0);
    }
    s.extra = (int64_t)(end - begin) * (s.right - s.left) - shared;
    s.missing = pixels - shared;
    return s;
}

static void add_pile(piles *to, const rows *r, size_t begin, size_t end)
{
    const pile s = to->of[to->count++] = pile_of(r, begin, end);
    to->missing += s.missing;
    to->extra += s.extra;
}

static void cut_evenly(const rows *r, size_t most, piles *to)
{
    const size_t count = LG_MIN(most, r->count);
    for (size_t i = 0; i < count; i++)
        add_pile(to, r, r->count * i / count, r->count * (i + 1) / count);
}

// The pile with the largest error is halved, again and again.
static void cut_worst(const rows *r, size_t most, piles *to)
{
    add_pile(to, r, 0, r->count);
    while (to->count < most) {
        size_t worst = 0;
        for (size_t i = 1; i < to->count; i++)
            if (to->of[i].missing + to->of[i].extra > to->of[worst].missing + to->of[worst].extra)
                worst = i;
        const pile s = to->of[worst];
        if (s.missing + s.extra == 0 || s.end - s.begin < 2)
            return;
        const size_t middle = s.begin + (s.end - s.begin) / 2;
        to->missing -= s.missing;
        to->extra -= s.extra;
        to->of[worst] = to->of[--to->count];
        add_pile(to, r, s.begin, middle);
        add_pile(to, r, middle, s.end);
    }
}

// ---- all ----------------------------------------------------------------------------------------

static int by_row(const void *a, const void *b)
{
    const size_t left = ((const pile *)a)->begin, right = ((const pile *)b)->begin;
    return (left > right) - (left < right);
}

static void put_boxes(const rows *r, piles *s, bool swap, int32_t *bounds, lg_area_cover *cover)
{
    *cover = (lg_area_cover){.pixels = r->pixels, .missing = s->missing, .extra = s->extra};
    if (s->count)
        qsort(s->of, s->count, sizeof *s->of, by_row);
    for (size_t i = 0; i < s->count; i++) {
        const pile *of = &s->of[i];
        if (of->right == of->left)
            continue;
        int32_t *box = bounds + 4 * cover->boxes++;
        box[swap] = of->left;
        box[!swap] = r->top + (int32_t)of->begin;
        box[2 + swap] = of->right;
        box[2 + !swap] = r->top + (int32_t)of->end;
    }
}

// Rows cut in two ways, and columns; what differs in the fewest pixels, the first of equals.
static void choose(const rows across[2], size_t most, pile *room, int32_t *bounds,
                   lg_area_cover *cover)
{
    int64_t least = INT64_MAX;
    for (int way = 0; way < 4; way++) {
        piles s = {.of = room};
        const rows *r = &across[way % 2];
        if (r->count)
            (way < 2 ? cut_evenly : cut_worst)(r, most, &s);
        if (s.missing + s.extra >= least)
            continue;
        least = s.missing + s.extra;
        put_boxes(r, &s, way % 2, bounds, cover);
    }
}

lg_status lg_area_rectangle_boxes(const lg_area_rectangle *rectangle, int64_t width, int64_t height,
                                  int most, int32_t **bounds, lg_area_cover *cover, lg_error *error)
{
    rows across[2] = {{0}, {0}};
    lg_status status = check(rectangle, most, error);
    if (!status && (!bounds || !cover))
        status = lg_fail_null(error, "a place for the boxes, and one for what they cover");
    if (!status)
        status = rows_of(rectangle, false, width, height, &across[0], error);
    if (!status)
        status = rows_of(rectangle, true, height, width, &across[1], error);
    const size_t room = LG_MIN((size_t)LG_MAX(most, 1),
                               LG_MAX(LG_MAX(across[0].count, across[1].count), (size_t)1));
    pile *some = NULL;
    int32_t *boxes = NULL;
    if (!status) {
        some = lg_alloc_array(room, sizeof *some);
        boxes = lg_alloc_array(room, 4 * sizeof *boxes);
        if (!some || !boxes)
            status = lg_fail_memory(error, room * sizeof *some, "a turned rectangle");
    }
    if (!status) {
        choose(across, room, some, boxes, cover);
        *bounds = boxes;
        boxes = NULL;
    }
    lg_free(some);
    lg_free(boxes);
    lg_free(across[0].first);
    lg_free(across[1].first);
    return status;
}

lg_status lg_areasum_query_rectangle(lg_context *context, const lg_areasum *areasum,
                                     lg_area_figure figure, const lg_area_rectangle *rectangle,
                                     int most, double *out, lg_area_cover *cover, lg_error *error)
{
    int32_t *bounds = NULL;
    lg_area_cover found;
    if (!areasum || !out)
        return lg_fail_null(error, "area sums, and a place for the figures");
    if (areasum->shape.dims != 2)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "turned rectangles are for arrays of 2 dimensions; this one has %d",
                       areasum->shape.dims);
    lg_status status =
        lg_area_rectangle_boxes(rectangle, areasum->shape.extent[0], areasum->shape.extent[1], most,
                                &bounds, &found, error);
    if (!status)
        status = lg_area_query_union(context, areasum, figure, bounds, found.boxes, out, error);
    if (!status && cover)
        *cover = found;
    lg_area_runs_free(&bounds);
    return status;
}
