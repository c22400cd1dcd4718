// Volumes in bands: the runs of a layer are kept until the rows of the next one have joined them.
#include "measure/components/label_segments.h"

#include <string.h>

lg_status lg_label_accumulator_check_plane(const lg_label_accumulator *a, const char *what,
                                           lg_error *error)
{
    if (!a->before)
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "%s takes layers by themselves, with connectivity 4 or 8, and no volumes", what);
}

lg_status lg_label_accumulator_make_layers(lg_label_accumulator *a, lg_error *error)
{
    const size_t height = (size_t)a->region.height;
    a->before = lg_alloc_array(height, sizeof *a->before);
    a->here = lg_alloc_array(height, sizeof *a->here);
    return a->before && a->here
               ? LG_OK
               : lg_fail_memory(error, 2 * height * sizeof *a->here, "the rows of two layers");
}

static void drop_row(lg_row_border *row)
{
    lg_free(row->runs);
    *row = (lg_row_border){0};
}

void lg_label_accumulator_free_layers(lg_label_accumulator *a)
{
    for (int64_t y = 0; y < a->region.height; y++) {
        if (a->before)
            drop_row(&a->before[y]);
        if (a->here)
            drop_row(&a->here[y]);
    }
    lg_free(a->before);
    lg_free(a->here);
}

// Voxels of two layers touch at faces; with 18 at edges, with 26 also at corners.
static void join_row(lg_label_accumulator *a, int64_t y)
{
    const int c = a->connectivity;
    const lg_row_border *row = &a->here[y];
    lg_label_accumulator_join_runs(a, &a->before[y], row, c != 6);
    if (c != 6 && y > 0)
        lg_label_accumulator_join_runs(a, &a->before[y - 1], row, c == 26);
    if (c != 6 && y + 1 < a->region.height)
        lg_label_accumulator_join_runs(a, &a->before[y + 1], row, c == 26);
}

void lg_label_accumulator_join_layers(lg_label_accumulator *a, lg_row_border *rows, int64_t y,
                                      int64_t count)
{
    const int64_t end = y + count;
    memcpy(a->here + y, rows, (size_t)count * sizeof *rows);
    for (int64_t i = y; i < end; i++)
        join_row(a, i);
    for (int64_t i = LG_MAX(y - 1, 0); i < end - 1; i++) // row `end` touches row end - 1
        drop_row(&a->before[i]);
    if (end < a->region.height)
        return;
    drop_row(&a->before[end - 1]);
    lg_row_border *empty = a->before;
    a->before = a->here;
    a->here = empty;
}

static void each_run_of(const lg_label_accumulator *a, lg_row_border *rows,
                        void (*fn)(void *priv, lg_border_run *run), void *priv)
{
    for (int64_t y = 0; y < a->region.height && rows; y++)
        for (size_t i = 0; i < rows[y].count; i++)
            fn(priv, &rows[y].runs[i]);
}

void lg_label_accumulator_each_run(lg_label_accumulator *a,
                                   void (*fn)(void *priv, lg_border_run *run), void *priv)
{
    each_run_of(a, a->before, fn, priv);
    each_run_of(a, a->here, fn, priv);
}
