// Turned rectangles as boxes: what they cover, counted pixel by pixel, and the bound of what they do not.
#include "check.h"
#include "device.h"

#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 70, HEIGHT = 50 };

// Pixels of the polygon with these corners.
static int64_t fill(const lg_area_rectangle *r, uint8_t (*to)[WIDTH])
{
    const double c = cos(r->angle * M_PI / 180), s = sin(r->angle * M_PI / 180);
    int64_t count = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double dx = x + 0.5 - r->x, dy = y + 0.5 - r->y;
            to[y][x] =
                fabs(dx * c + dy * s) < r->width / 2 && fabs(dy * c - dx * s) < r->height / 2;
            count += to[y][x];
        }
    return count;
}

static int64_t steps_of(int64_t lines, int64_t most, int64_t length)
{
    return (lines + most - 1) / most * length;
}

// Whether every row, and every column, between the first and the last has a pixel; R and C.
static bool is_whole(uint8_t (*pixels)[WIDTH], int64_t *rows, int64_t *columns)
{
    bool row[HEIGHT] = {0}, column[WIDTH] = {0};
    int top = HEIGHT, bottom = -1, left = WIDTH, right = -1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (pixels[y][x]) {
                row[y] = column[x] = true;
                top = LG_MIN(top, y), bottom = LG_MAX(bottom, y);
                left = LG_MIN(left, x), right = LG_MAX(right, x);
            }
    bool whole = true;
    for (int y = top; y <= bottom; y++)
        whole &= row[y];
    for (int x = left; x <= right; x++)
        whole &= column[x];
    *rows = bottom - top + 1;
    *columns = right - left + 1;
    return whole;
}

static void check_cover(const lg_area_rectangle *r, int most)
{
    static uint8_t pixels[HEIGHT][WIDTH], boxed[HEIGHT][WIDTH];
    int32_t *bounds = NULL;
    lg_area_cover cover;
    lg_error error = {0};
    int64_t rows, columns, missing = 0, extra = 0;
    const int64_t count = fill(r, pixels);
    NEED(!lg_area_rectangle_boxes(r, WIDTH, HEIGHT, most, &bounds, &cover, &error), "%s",
         error.message);
    memset(boxed, 0, sizeof boxed);
    for (size_t i = 0; i < cover.boxes; i++)
        for (int y = bounds[4 * i + 1]; y < bounds[4 * i + 3]; y++)
            for (int x = bounds[4 * i]; x < bounds[4 * i + 2]; x++)
                boxed[y][x]++;
    bool disjoint = true;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            disjoint &= boxed[y][x] <= 1;
            missing += pixels[y][x] && !boxed[y][x];
            extra += !pixels[y][x] && boxed[y][x];
        }
    CHECK(disjoint && cover.boxes <= (size_t)most, "%zu boxes of %d", cover.boxes, most);
    CHECK(cover.pixels == count && cover.missing == missing && cover.extra == extra,
          "%g x %g by %g degrees: %lld pixels, %lld missing, %lld more; counted %lld, %lld, %lld",
          r->width, r->height, r->angle, (long long)cover.pixels, (long long)cover.missing,
          (long long)cover.extra, (long long)count, (long long)missing, (long long)extra);
    if (is_whole(pixels, &rows, &columns)) {
        const int64_t bound = LG_MIN(steps_of(rows, most, columns), steps_of(columns, most, rows));
        CHECK(missing + extra <= bound, "%lld, the bound is %lld", (long long)(missing + extra),
              (long long)bound);
        CHECK(most < LG_MIN(rows, columns) || missing + extra == 0, "exact by %d boxes", most);
    }
    lg_area_runs_free(&bounds);
}

static void random_rectangles(void)
{
    for (int i = 0; i < test_extent(200, 2000, 20000); i++) {
        const lg_area_rectangle r = {random_unit() * WIDTH, random_unit() * HEIGHT,
                                     0.3 + random_unit() * 60, 0.3 + random_unit() * 40,
                                     random_unit() * 720 - 360};
        check_cover(&r, 1 + (int)random_below(i % 3 ? 16 : 80));
    }
}

// Right angles are boxes themselves.
static void right_angles(void)
{
    for (int k = -4; k <= 8; k++) {
        const lg_area_rectangle r = {30, 20, 16, 8, 90 * k};
        int32_t *bounds = NULL;
        lg_area_cover cover;
        lg_error error = {0};
        NEED(!lg_area_rectangle_boxes(&r, WIDTH, HEIGHT, 1, &bounds, &cover, &error), "%s",
             error.message);
        const int w = k % 2 ? 8 : 16, h = 24 - w;
        const int32_t want[4] = {30 - w / 2, 20 - h / 2, 30 + w / 2, 20 + h / 2};
        CHECK(cover.boxes == 1 && !cover.missing && !cover.extra && cover.pixels == 128 &&
                  !memcmp(bounds, want, sizeof want),
              "%d quarters", k);
        lg_area_runs_free(&bounds);
    }
}

// The figure of the union is that of its boxes; with enough of them, that of the polygon.
static void figures(lg_context *context)
{
    static uint8_t samples[HEIGHT][WIDTH];
    random_bytes(samples, sizeof samples);
    lg_area_array array = {
        .data = samples, .type = LG_U8, .dims = 2, .channels = 1, .extent = {WIDTH, HEIGHT}};
    lg_areasum *sums = NULL;
    lg_error error = {0};
    lg_area_array_pack(&array);
    NEED(!lg_areasum_create(context, &array, NULL, &sums, &error), "%s", error.message);
    for (int i = 0; i < 40; i++) {
        static uint8_t pixels[HEIGHT][WIDTH];
        const lg_area_rectangle r = {35, 25, 5 + random_unit() * 40, 5 + random_unit() * 20,
                                     random_unit() * 180};
        double few = 0, all = 0, wanted = 0;
        lg_area_cover cover = {0}, exact = {0};
        fill(&r, pixels);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wanted += pixels[y][x] * samples[y][x];
        CHECK(
            !lg_areasum_query_rectangle(context, sums, LG_AREA_SUM, &r, 4, &few, &cover, &error) &&
                !lg_areasum_query_rectangle(context, sums, LG_AREA_SUM, &r, HEIGHT, &all, &exact,
                                            &error),
            "%s", error.message);
        CHECK(all == wanted && exact.missing + exact.extra == 0, "%g, not %g", all, wanted);
        CHECK(fabs(few - wanted) <= 255.0 * (double)(cover.missing + cover.extra), "%g, not %g",
              few, wanted);
        CHECK(
            !lg_areasum_query_rectangle(context, sums, LG_AREA_COUNT, &r, 4, &few, NULL, &error) &&
                few == (double)(cover.pixels - cover.missing + cover.extra),
            "count %g", few);
    }
    lg_areasum_destroy(&sums);
}

static void refused(const char *text, lg_area_rectangle r, int most)
{
    int32_t *bounds = NULL;
    lg_area_cover cover = {.boxes = 7};
    lg_error error = {0};
    CHECK(lg_area_rectangle_boxes(&r, WIDTH, HEIGHT, most, &bounds, &cover, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, text) && !bounds && cover.boxes == 7,
          "%s: %s", text, error.message);
}

static void refusals(lg_context *context)
{
    const lg_area_rectangle good = {10, 10, 4, 4, 30}, away = {900, 10, 4, 4, 30};
    lg_area_rectangle bad = good;
    int32_t *bounds = NULL;
    lg_area_cover cover;
    lg_error error = {0};
    double out;
    bad.angle = NAN;
    refused("finite numbers", bad, 4);
    bad = good;
    bad.width = 0;
    refused("0 x 4 is empty", bad, 4);
    bad = good;
    bad.x = 1e300;
    refused("coordinates go to", bad, 4);
    refused("at most 0 boxes; 1 to 65536", good, 0);
    CHECK(
        lg_area_rectangle_boxes(NULL, 9, 9, 4, &bounds, &cover, &error) == LG_ERROR_ARGUMENT &&
            lg_area_rectangle_boxes(&good, 9, 9, 4, NULL, &cover, &error) == LG_ERROR_ARGUMENT &&
            lg_area_rectangle_boxes(&good, 9, 9, 4, &bounds, NULL, &error) == LG_ERROR_ARGUMENT &&
            lg_area_rectangle_boxes(&good, 0, 9, 4, &bounds, &cover, &error) == LG_ERROR_ARGUMENT &&
            lg_areasum_query_rectangle(context, NULL, LG_AREA_SUM, &good, 4, &out, NULL, &error) ==
                LG_ERROR_ARGUMENT,
        "what is missing");
    CHECK(!lg_area_rectangle_boxes(&away, 9, 9, 4, &bounds, &cover, &error) && !cover.boxes &&
              !cover.pixels,
          "outside");
    lg_area_runs_free(&bounds);
    const uint8_t line[3] = {1, 2, 3};
    lg_area_array array = {.data = line, .type = LG_U8, .dims = 1, .channels = 1, .extent = {3}};
    lg_areasum *sums = NULL;
    lg_area_array_pack(&array);
    NEED(!lg_areasum_create(context, &array, NULL, &sums, &error), "%s", error.message);
    CHECK(lg_areasum_query_rectangle(context, sums, LG_AREA_SUM, &good, 4, &out, NULL, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "arrays of 2 dimensions; this one has 1"),
          "%s", error.message);
    lg_areasum_destroy(&sums);
}

int main(void)
{
    random_seed(45);
    lg_context *context = device_open_cpu();
    random_rectangles();
    right_angles();
    figures(context);
    refusals(context);
    lg_context_destroy(&context);
    return check_finish("areasum_rectangle");
}
