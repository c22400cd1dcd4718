// Threads and memory of readers of rows: how many are taken for what, and what becomes of a read where some
// are refused.
#include "check.h"
#include "faults.h"
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
static char folder[] = "/tmp/lumagraph-faults-rows-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// A small part needs no thread, nor does a large one for whom there is one.
static void test_threads(const row_case *c, int threads)
{
    lg_row_reader *rows = NULL;
    context = row_cases_context(threads);
    NEED(!lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, &error), "%s: %s",
         c->name, error.message);
    lg_image *image = image_zeros(context, *lg_row_reader_shape(rows)), *few = NULL;
    lg_image_params shape = image->shape;
    shape.height = 1;
    NEED(!lg_image_wrap(context, &shape, image->data, &few, &error), "%s", error.message);
    faults_arm(FAULTS_THREAD, -1);
    CHECK(!lg_row_reader_read(rows, 0, &(lg_region){0, 0, c->width, 1}, few, &error), "%s: %s",
          c->name, error.message);
    CHECK(faults_calls(FAULTS_THREAD) == 0 || c->height < 9, "%s: threads for a row", c->name);
    CHECK(!lg_row_reader_read(rows, 0, &(lg_region){0, 0, c->width, c->height}, image, &error),
          "%s: %s", c->name, error.message);
    CHECK((faults_calls(FAULTS_THREAD) > 0) == (threads > 1), "%s: %d threads began of %d", c->name,
          (int)faults_calls(FAULTS_THREAD), threads);
    faults_disarm();
    lg_image_destroy(&few);
    lg_image_destroy(&image);
    lg_row_reader_close(&rows);
    lg_context_destroy(&context);
}

// Threads have buffers within the memory that there is to spare.
static void test_memory(void)
{
    static const size_t spare[] = {0, 200000, (size_t)64 << 20}, held[] = {1, 4, 7};
    context = row_cases_context(7);
    for (size_t i = 0; i < LG_COUNT(spare); i++) {
        lg_read_params params = lg_read_params_default();
        lg_row_reader *rows = NULL;
        params.spare_memory = spare[i];
        NEED(!lg_row_reader_open(context, in_folder("colors.ppm"), &params, &rows, NULL, &error),
             "%s", error.message);
        CHECK(lg_row_reader_memory(rows) == held[i] << 16, "%zu bytes to spare: %zu", spare[i],
              lg_row_reader_memory(rows));
        faults_arm(FAULTS_THREAD, -1);
        lg_image *image = image_zeros(context, *lg_row_reader_shape(rows));
        const lg_region all = lg_image_region(&image->shape);
        CHECK(!lg_row_reader_read(rows, 0, &all, image, &error) &&
                  row_case_is_right(&row_cases[ROW_COLORS], image, &all),
              "%zu bytes to spare", spare[i]);
        lg_image_destroy(&image);
        CHECK((faults_calls(FAULTS_THREAD) > 0) == (spare[i] > 0), "%zu bytes to spare: %d threads",
              spare[i], (int)faults_calls(FAULTS_THREAD));
        faults_disarm();
        lg_row_reader_close(&rows);
    }
    lg_context_destroy(&context);
}

static void test_faults(const row_case *c, faults_kind kind)
{
    lg_error why = {LG_OK, ""};
    bool right;
    context = row_cases_context(3);
    faults_arm(kind, -1);
    CHECK(!row_case_read(context, in_folder(c->name), c, &right, &why) && right, "%s: %s", c->name,
          why.message);
    const int64_t calls = faults_calls(kind);
    CHECK(calls > 0, "%s: no call of kind %d", c->name, (int)kind);
    for (int64_t at = 0; at < calls; at++) {
        const int64_t before = faults_live();
        faults_arm(kind, at);
        const lg_status status = row_case_read(context, in_folder(c->name), c, &right, &why);
        const bool fired = faults_disarm();
        // How many calls there are depends on which threads come in time.
        CHECK((status ? fired && kind == FAULTS_MEMORY && status == LG_ERROR_MEMORY &&
                            strstr(why.message, "memory")
                      : right),
              "%s: call %d of kind %d: status %d, %s", c->name, (int)at, (int)kind, (int)status,
              status ? why.message : "other pixels");
        // Workers of the context that begin late free what they were started with.
        CHECK(faults_live() <= before, "%s: call %d of kind %d: %d blocks", c->name, (int)at,
              (int)kind, (int)(faults_live() - before));
    }
    lg_context_destroy(&context);
}

int main(void)
{
    NEED(mkdtemp(folder), "%s", folder);
    for (int i = 0; i < ROW_CASES; i++) {
        if (!row_case_write(&row_cases[i], in_folder(row_cases[i].name), ROW_CASES_TIFF))
            continue;
        test_threads(&row_cases[i], 1);
        test_threads(&row_cases[i], 7);
        if (!test_is_short() || i % 5 == 0)
            for (int kind = FAULTS_MEMORY; kind <= FAULTS_THREAD; kind++)
                test_faults(&row_cases[i], (faults_kind)kind);
    }
    test_memory();
    CHECK(remove_tree(folder), "%s stays behind", folder);
    return check_finish("faults_rows");
}
