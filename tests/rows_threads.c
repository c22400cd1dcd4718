// Rows that several threads read, of files whose samples are not compressed and of tiles: every pixel is
// right, and the first failure in the order of rows is told.
#include "check.h"
#include "row_cases.h"
#include "samples.h"
#include <lumagraph/rows.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static lg_error error;
static char folder[] = "/tmp/lumagraph-rows-threads-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void check_region(lg_row_reader *rows, const row_case *c, lg_region r, int threads)
{
    lg_image_params shape = *lg_row_reader_shape(rows);
    shape.width = (int32_t)r.width;
    shape.height = (int32_t)r.height;
    shape.row_stride = shape.layer_stride = 0;
    lg_image *plain = image_zeros(context, shape);
    // A fourth channel beside planes is left as it is.
    guarded g = guarded_open(context, shape, c->planes ? 0 : 0xa7);
    lg_status status = lg_row_reader_read(rows, 0, &r, plain, &error);
    CHECK(!status && row_case_is_right(c, plain, &r), "%s, %d threads: %lldx%lld+%lld+%lld: %s",
          c->name, threads, (long long)r.width, (long long)r.height, (long long)r.x, (long long)r.y,
          status ? error.message : "other pixels");
    status = lg_row_reader_read(rows, 0, &r, g.image, &error);
    CHECK(!status && row_case_is_right(c, g.image, &r) && guarded_spoiled(&g) == 0,
          "%s, %d threads, rows apart: %lldx%lld+%lld+%lld: %s", c->name, threads,
          (long long)r.width, (long long)r.height, (long long)r.x, (long long)r.y,
          status ? error.message : "other pixels");
    guarded_close(&g);
    lg_image_destroy(&plain);
}

static void test_pixels(const row_case *c)
{
    static const int threads[] = {1, 2, 7};
    for (size_t i = test_is_short() ? 2 : 0; i < LG_COUNT(threads); i++) {
        lg_row_reader *rows = NULL;
        context = row_cases_context(threads[i]);
        NEED(!lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, &error), "%s: %s",
             c->name, error.message);
        check_region(rows, c, (lg_region){3, 1, 90, 2}, threads[i]);
        check_region(rows, c, (lg_region){0, 0, c->width, c->height}, threads[i]);
        check_region(rows, c, (lg_region){13, 1, c->width - 20, c->height - 1}, threads[i]);
        check_region(rows, c, (lg_region){0, c->height / 3, c->width, c->height / 2}, threads[i]);
        lg_row_reader_close(&rows);
        lg_context_destroy(&context);
    }
}

// ---- failures -------------------------------------------------------------------------------------

static void put_double(FILE *file, long place, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    NEED(fseek(file, place, SEEK_SET) == 0, "no such place");
    for (int shift = 56; shift >= 0; shift -= 8)
        fputc((int)(bits >> shift & 255), file);
}

// One number that f32 does not hold, in front of many that are beyond its range, in other rows: the first one
// is told, however fast the threads are.
static void test_first_failure(void)
{
    const row_case *c = &row_cases[ROW_DOUBLES];
    bool right;
    FILE *file = fopen(in_folder(c->name), "r+b");
    NEED(file, "%s", c->name);
    for (int y = 45; y < c->height; y += 5)
        put_double(file, 128 + 8L * (y * (long)c->width + (y == 45 ? 600 : 2)),
                   y == 45 ? 0.1 : 1e300);
    NEED(fclose(file) == 0, "%s", c->name);
    for (int i = 0; i < test_extent(5, 40, 400); i++) {
        lg_error why = {LG_OK, ""};
        context = row_cases_context(7);
        const lg_status status = row_case_read(context, in_folder(c->name), c, &right, &why);
        CHECK(status == LG_ERROR_UNSUPPORTED && strstr(why.message, "exactly"), "%s", why.message);
        lg_context_destroy(&context);
    }
}

#ifdef LG_HAVE_TIFF

// Two tiles are damaged; the first one is told.
static void test_first_tile(void)
{
    const row_case *c = &row_cases[ROW_LZW];
    lg_error alone = {LG_OK, ""}, why = {LG_OK, ""};
    bool right;
    FILE *file = fopen(in_folder(c->name), "r+b");
    NEED(file && fseek(file, 0, SEEK_END) == 0, "%s", c->name);
    const long size = ftell(file);
    for (int part = 1; part < 4; part++) {
        NEED(fseek(file, size / 4 * part, SEEK_SET) == 0, "%s", c->name);
        for (int i = 0; i < 200 * part; i++)
            fputc(0xff, file);
    }
    NEED(fclose(file) == 0, "%s", c->name);
    context = row_cases_context(1);
    CHECK(row_case_read(context, in_folder(c->name), c, &right, &alone) == LG_ERROR_DATA, "%s",
          alone.message);
    lg_context_destroy(&context);
    for (int i = 0; i < test_extent(5, 40, 400); i++) {
        context = row_cases_context(7);
        CHECK(row_case_read(context, in_folder(c->name), c, &right, &why) == LG_ERROR_DATA &&
                  !strcmp(why.message, alone.message),
              "%s; %s", why.message, alone.message);
        lg_context_destroy(&context);
    }
}

#endif

// A file that becomes shorter behind its opening.
static void test_shorter(const row_case *c)
{
    lg_row_reader *rows = NULL;
    context = row_cases_context(4);
    NEED(!lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, &error), "%s",
         error.message);
    lg_image *image = image_zeros(context, *lg_row_reader_shape(rows));
    NEED(truncate(in_folder(c->name), (off_t)c->width * c->height / 16) == 0, "%s", c->name);
    const lg_region all = {0, 0, c->width, c->height};
    CHECK(lg_row_reader_read(rows, 0, &all, image, &error) == LG_ERROR_IO &&
              strstr(error.message, "changed while it was read: it had"),
          "%s: %s", c->name, error.message);
    lg_image_destroy(&image);
    lg_row_reader_close(&rows);
    lg_context_destroy(&context);
}

int main(void)
{
    NEED(mkdtemp(folder), "%s", folder);
    for (int i = 0; i < ROW_CASES; i++)
        if (row_case_write(&row_cases[i], in_folder(row_cases[i].name), ROW_CASES_TIFF))
            test_pixels(&row_cases[i]);
    test_first_failure();
#ifdef LG_HAVE_TIFF
    test_first_tile();
    test_shorter(&row_cases[ROW_TILES]);
    test_shorter(&row_cases[ROW_STRIP]);
#endif
    test_shorter(&row_cases[ROW_BUFFERED]);
    test_shorter(&row_cases[ROW_UP]);
    CHECK(remove_tree(folder), "%s stays behind", folder);
    return check_finish("rows_threads");
}
