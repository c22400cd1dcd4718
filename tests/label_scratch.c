// Components beyond memory: sorted records in scratch files come back in order, and blocks of components of
// bands have every column of the image in one piece.
#include "check.h"
#include "core/sorted_file.h"
#include "device.h"
#include "label_content.h"
#include "measure/components/label_segments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *context;
static lg_error error;
static const char *folder;

// ---- sorted records -------------------------------------------------------------------------------

typedef struct record {
    uint64_t number, twice, more;
} record;

typedef enum order { ASCENDING, DESCENDING, SHUFFLED, SOME_LATE, ORDERS } order;

// The place of record i among n.
static uint64_t number_at(order how, uint64_t i, uint64_t n, const uint64_t *shuffled)
{
    switch (how) {
    case ASCENDING:
        return i;
    case DESCENDING:
        return n - 1 - i;
    case SHUFFLED:
        return shuffled[i];
    default: // some within each 64
        return (i | 63) < n ? i ^ 40 : i;
    }
}

static void read_all(lg_sorted_file *f, uint64_t count, size_t room, const char *what)
{
    record *got = malloc(room * sizeof *got);
    uint64_t seen = 0;
    size_t n = 0;
    bool good = true;
    NEED(!lg_sorted_file_rewind(f, &error), "%s: %s", what, error.message);
    do {
        NEED(!lg_sorted_file_next(f, got, room, &n, &error), "%s: %s", what, error.message);
        for (size_t i = 0; i < n; i++, seen++)
            good &= got[i].number == seen && got[i].twice == 2 * seen && got[i].more == ~seen;
    } while (n);
    CHECK(good && seen == count, "%s: %d of %d records, in order or not", what, (int)seen,
          (int)count);
    free(got);
}

static void check_sorted(order how, uint64_t count, size_t memory)
{
    char what[80];
    lg_sorted_file *f = NULL;
    uint64_t *shuffled = malloc((count + 1) * sizeof *shuffled);
    snprintf(what, sizeof what, "order %d, %d records, %d bytes", (int)how, (int)count,
             (int)memory);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t k = random_below((uint32_t)i + 1);
        shuffled[i] = shuffled[k];
        shuffled[k] = i;
    }
    NEED(!lg_sorted_file_create(folder, sizeof(record), memory, &f, &error), "%s", error.message);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = number_at(how, i, count, shuffled);
        const record r = {number, 2 * number, ~number};
        NEED(!lg_sorted_file_add(f, &r, &error), "%s: %s", what, error.message);
    }
    read_all(f, count, 1, what);
    read_all(f, count, 1000, what);
    lg_sorted_file_destroy(&f);
    free(shuffled);
}

static void test_sorted(void)
{
    static const uint64_t counts[] = {0, 1, 66, 1000, 20000};
    for (order how = ASCENDING; how < ORDERS; how++)
        for (size_t i = 0; i < LG_COUNT(counts); i++) {
            check_sorted(how, counts[i], 1); // a run for each late record: they are merged twice
            check_sorted(how, counts[i], 9999);
            check_sorted(how, counts[i], 1 << 20);
        }
    lg_sorted_file *f = NULL;
    record r = {0};
    lg_status status = lg_sorted_file_create("no/such/folder", sizeof r, 1, &f, &error);
    for (int i = 0; i < 100 && !status; i++, r.number++)
        status = lg_sorted_file_add(f, &r, &error);
    CHECK(status == LG_ERROR_IO && strstr(error.message, "no/such/folder"), "status %d: %s",
          (int)status, error.message);
    lg_sorted_file_destroy(&f);
}

// ---- components in blocks -------------------------------------------------------------------------

typedef struct whole {
    lg_image *image, *intensity;
    lg_label_params params;
    lg_components *components;
    const char *what;
    uint32_t seen;
    double *column[LG_COLUMNS]; // of all blocks
    bool has[LG_COLUMNS];
} whole;

static void *row_of(const lg_image *image, int32_t layer, int32_t y)
{
    return (char *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static void add_rows(whole *w, lg_label_accumulator *a, int32_t rows, bool look)
{
    const lg_image_params *s = &w->image->shape;
    for (int32_t layer = 0; layer < s->layers; layer++)
        for (int32_t y = 0; y < s->height; y += rows) {
            const int32_t n = LG_MIN(rows, s->height - y);
            lg_image *part = label_content_rows(context, w->image, y, layer, n);
            lg_image *intensity =
                w->intensity ? label_content_rows(context, w->intensity, y, layer, n) : NULL;
            const lg_status status =
                look ? lg_label_accumulator_look(context, a, part, intensity, &error)
                     : lg_label_accumulator_add(context, a, part, intensity, y, layer, &error);
            CHECK(!status, "%s: row %d: %s", w->what, y, error.message);
            lg_image_destroy(&part);
            lg_image_destroy(&intensity);
        }
}

static lg_status take_block(void *priv, lg_components *c, lg_error *e)
{
    whole *w = priv;
    const uint32_t count = lg_components_count(c), all = lg_components_count(w->components);
    CHECK(w->seen + count <= all, "%s: more than %u components", w->what, all);
    CHECK(lg_components_unit(c) == lg_components_unit(w->components), "%s: the unit", w->what);
    for (int i = 0; i < LG_COLUMNS && w->seen + count <= all; i++)
        w->has[i] = !lg_components_column(c, (lg_column)i, w->column[i] + w->seen, e);
    w->seen += count;
    return LG_OK;
}

static void compare_blocks(whole *w, lg_label_accumulator *a, uint32_t size, const char *how)
{
    const uint32_t all = lg_components_count(w->components);
    double *want = calloc((size_t)all + 1, sizeof *want);
    w->seen = 0;
    for (int i = 0; i < LG_COLUMNS; i++)
        w->column[i] = calloc((size_t)all + 1, sizeof *want);
    CHECK(!lg_label_accumulator_blocks(a, size, take_block, w, &error), "%s, %s: %s", w->what, how,
          error.message);
    CHECK(w->seen == all && lg_label_accumulator_count(a) == all, "%s, %s: %u of %u components",
          w->what, how, w->seen, all);
    for (int i = 0; i < LG_COLUMNS && all; i++) {
        const bool has = !lg_components_column(w->components, (lg_column)i, want, &error);
        CHECK(has == w->has[i] && (!has || memcmp(want, w->column[i], all * sizeof *want) == 0),
              "%s, %s: column %s", w->what, how, lg_column_name((lg_column)i));
    }
    for (int i = 0; i < LG_COLUMNS; i++)
        free(w->column[i]);
    free(want);
}

static void compare_in_bands(whole *w, int32_t rows, size_t memory)
{
    char how[60];
    lg_label_accumulator *a = NULL;
    const lg_image_params *s = &w->image->shape;
    snprintf(how, sizeof how, "bands of %d, %d bytes", rows, (int)memory);
    NEED(!lg_label_accumulator_create(&w->params, s->type,
                                      w->intensity ? &w->intensity->shape.type : NULL, s->width,
                                      s->height, s->layers, &a, &error),
         "%s", error.message);
    NEED(!lg_label_accumulator_scratch(a, folder, memory, &error), "%s", error.message);
    if (w->intensity)
        add_rows(w, a, rows, true);
    add_rows(w, a, rows, false);
    compare_blocks(w, a, 1, how);
    compare_blocks(w, a, 7, how);
    compare_blocks(w, a, 10000, how);
    lg_label_accumulator_destroy(&a);
}

static const void *label_row(const lg_labels *l, int32_t layer, int32_t y)
{
    return (const char *)l->data + (size_t)layer * l->layer_stride + (size_t)y * l->row_stride;
}

// Of all rows, from top to bottom or back.
static void compare_labels(const whole *w, lg_label_accumulator *a, int32_t rows,
                           const lg_labels *want, bool back)
{
    const lg_image_params *s = &w->image->shape;
    const int32_t bands = (s->height + rows - 1) / rows, all = bands * s->layers;
    for (int32_t k = 0; k < all; k++) {
        const int32_t at = back ? all - 1 - k : k, z = at / bands, first = at % bands * rows;
        lg_image *part =
            label_content_rows(context, w->image, first, z, LG_MIN(rows, s->height - first));
        lg_labels *labels = NULL;
        bool same = !lg_label_accumulator_labels(context, a, part, first, z, &labels, &error) &&
                    labels->count == want->count;
        for (int32_t i = 0; i < part->shape.height && same; i++)
            same = memcmp(label_row(labels, 0, i), label_row(want, z, first + i),
                          (size_t)s->width * sizeof(uint32_t)) == 0;
        CHECK(same, "%s, bands of %d: labels of row %d of layer %d", w->what, rows, first, z);
        lg_labels_destroy(&labels);
        lg_image_destroy(&part);
    }
}

// Held whole, with the labels of all rows.
static void compare_held(whole *w, int32_t rows, const lg_labels *want)
{
    const lg_image_params *s = &w->image->shape;
    lg_label_accumulator *a = NULL;
    lg_components *c = NULL;
    const uint32_t all = lg_components_count(w->components);
    double *x = calloc((size_t)all + 1, sizeof *x), *y = calloc((size_t)all + 1, sizeof *y);
    NEED(!lg_label_accumulator_create(&w->params, s->type,
                                      w->intensity ? &w->intensity->shape.type : NULL, s->width,
                                      s->height, s->layers, &a, &error),
         "%s", error.message);
    if (w->intensity)
        add_rows(w, a, rows, true);
    add_rows(w, a, rows, false);
    CHECK(!lg_label_accumulator_finish(a, &c, &error) && lg_components_count(c) == all,
          "%s: %u of %u components: %s", w->what, c ? lg_components_count(c) : 0, all,
          error.message);
    for (int i = 0; i < LG_COLUMNS && c && lg_components_count(c) == all; i++) {
        const bool has = !lg_components_column(w->components, (lg_column)i, x, &error);
        CHECK(has == !lg_components_column(c, (lg_column)i, y, &error) &&
                  (!has || memcmp(x, y, all * sizeof *x) == 0),
              "%s, bands of %d: column %s", w->what, rows, lg_column_name((lg_column)i));
    }
    compare_labels(w, a, rows, want, false);
    lg_components_destroy(&c);
    lg_label_accumulator_destroy(&a);
    free(x);
    free(y);
}

// In scratch files, with the labels of all rows and shapes; a second time they come in any order.
static void compare_linked(whole *w, int32_t rows, size_t memory, const lg_labels *want)
{
    const lg_image_params *s = &w->image->shape;
    lg_label_accumulator *a = NULL;
    char how[80];
    snprintf(how, sizeof how, "labels in bands of %d, %d bytes", rows, (int)memory);
    NEED(!lg_label_accumulator_create(&w->params, s->type,
                                      w->intensity ? &w->intensity->shape.type : NULL, s->width,
                                      s->height, s->layers, &a, &error),
         "%s", error.message);
    NEED(!lg_label_accumulator_scratch_labels(a, folder, memory, &error), "%s", error.message);
    if (w->intensity)
        add_rows(w, a, rows, true);
    add_rows(w, a, rows, false);
    compare_labels(w, a, rows, want, false);
    compare_blocks(w, a, 7, how);
    compare_labels(w, a, rows, want, true);
    compare_blocks(w, a, 10000, how);
    lg_label_accumulator_destroy(&a);
}

static void compare(whole *w)
{
    static const int32_t bands[] = {1, 7, 32, 100};
    lg_labels *labels = NULL;
    NEED(!lg_label_image(context, w->image, &w->params, w->intensity, &labels, &w->components,
                         &error),
         "%s: %s", w->what, error.message);
    for (size_t i = 0; i < LG_COUNT(bands); i++) {
        compare_in_bands(w, bands[i], 1);
        compare_in_bands(w, bands[i], 1 << 20);
        compare_held(w, bands[i], labels);
    }
    lg_labels_destroy(&labels);
    lg_components_destroy(&w->components);
    w->params.shape = true;
    NEED(!lg_label_image(context, w->image, &w->params, w->intensity, &labels, &w->components,
                         &error),
         "%s: %s", w->what, error.message);
    for (size_t i = 0; i < LG_COUNT(bands); i++)
        if (i % 2 || !test_is_short())
            compare_linked(w, bands[i], i % 2 ? 1 : 1 << 20, labels);
    compare_linked(w, 7, 1 << 20, labels);
    lg_labels_destroy(&labels);
    lg_components_destroy(&w->components);
    lg_image_destroy(&w->image);
    lg_image_destroy(&w->intensity);
}

static void test_blocks(void)
{
    static const int32_t sizes[][3] = {
        {131, 140, 1}, {64, 33, 3}, {1, 97, 1}, {70, 1, 2}, {33, 29, 7}};
    char what[80];
    for (size_t s = 0; s < LG_COUNT(sizes); s++)
        for (int kind = LABEL_NOISE; kind < LABEL_CONTENTS; kind++)
            for (int k = 0; k < (sizes[s][2] > 1 ? 5 : 2); k++) {
                if (test_is_short() && (s + (size_t)kind + (size_t)k) % 3)
                    continue; // every size, content and connectivity has its turns
                static const int connectivity[] = {4, 8, 6, 18, 26};
                const int32_t *n = sizes[s];
                const int c = connectivity[k];
                whole w = {.what = what,
                           .image = label_content_image(context, LG_U8, n[0], n[1], n[2])};
                snprintf(what, sizeof what, "%s, image %d, connectivity %d",
                         label_content_name((label_content)kind), (int)s, c);
                label_content_fill(w.image, (label_content)kind, 45, 1 + (int)s, 0,
                                   c == 4 || c == 18);
                w.params = WITH(lg_label_params, it.connectivity = c, it.moments = s != 1,
                                it.foreground = c == 4 || c == 18 ? LG_FOREGROUND_VALUES
                                                                  : LG_FOREGROUND_NONZERO);
                if (s != 2) {
                    w.intensity = label_content_image(context, s ? LG_F32 : LG_U16, sizes[s][0],
                                                      sizes[s][1], sizes[s][2]);
                    for (int32_t z = 0; z < sizes[s][2]; z++)
                        for (int32_t y = 0; y < sizes[s][1]; y++)
                            for (int32_t x = 0; x < sizes[s][0]; x++) {
                                void *at = row_of(w.intensity, z, y);
                                if (s)
                                    ((float *)at)[x] = (float)random_normal();
                                else
                                    ((uint16_t *)at)[x] = (uint16_t)random_below(65536);
                            }
                }
                compare(&w);
            }
}

// ---- what is refused ------------------------------------------------------------------------------

static void refused(lg_status got, lg_status want, const char *text)
{
    CHECK(got == want && strstr(error.message, text), "status %d: %s; '%s' expected", (int)got,
          error.message, text);
}

static lg_status stop(void *priv, lg_components *c, lg_error *e)
{
    ++*(int *)priv;
    return lg_components_count(c) ? lg_fail(e, LG_ERROR_CANCELLED, "enough") : LG_OK;
}

static lg_label_accumulator *new_parts(const lg_label_params *params)
{
    lg_label_accumulator *a = NULL;
    NEED(!lg_label_accumulator_create(params, LG_U8, NULL, 20, 30, 1, &a, &error), "%s",
         error.message);
    return a;
}

// With shapes rows come from top to bottom, and all of them before blocks.
static void test_refused_labels(lg_image *image)
{
    lg_label_accumulator *a = new_parts(WITH_REF(lg_label_params, it.shape = true));
    lg_label_accumulator *b = new_parts(WITH_REF(lg_label_params, it.shape = true));
    lg_image *part = label_content_rows(context, image, 0, 0, 9);
    lg_labels *labels = NULL;
    lg_components *c = NULL;
    int calls = 0;
    CHECK(!lg_label_accumulator_scratch_labels(a, folder, 1, &error), "%s", error.message);
    refused(lg_label_accumulator_scratch_labels(a, folder, 1, &error), LG_ERROR_ARGUMENT,
            "without rows");
    for (int y = 0; y < 30; y += 10)
        CHECK(!lg_label_accumulator_add(context, a, image, NULL, y, 0, &error), "%s",
              error.message);
    refused(lg_label_accumulator_finish(a, &c, &error), LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_merge(b, a, &error), LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_blocks(a, 9, stop, &calls, &error), LG_ERROR_ARGUMENT,
            "not asked for");
    refused(lg_label_accumulator_labels(context, a, image, 10, 0, &labels, &error),
            LG_ERROR_ARGUMENT, "row 0 comes next, not 10");
    refused(lg_label_accumulator_labels(context, a, part, 0, 0, &labels, &error), LG_ERROR_ARGUMENT,
            "not added together");
    refused(lg_label_accumulator_labels(context, a, image, 25, 0, &labels, &error),
            LG_ERROR_ARGUMENT, "not added together");
    refused(lg_label_accumulator_labels(context, a, image, 0, -1, &labels, &error),
            LG_ERROR_ARGUMENT, "not rows that were added");
    CHECK(!lg_label_accumulator_labels(context, a, image, 0, 0, &labels, &error), "%s",
          error.message);
    lg_labels_destroy(&labels);
    refused(lg_label_accumulator_add(context, a, image, NULL, 20, 0, &error), LG_ERROR_ARGUMENT,
            "given out");
    memset(image->data, 0, image->shape.layer_stride);
    refused(lg_label_accumulator_labels(context, a, image, 10, 0, &labels, &error), LG_ERROR_DATA,
            "components, and had");
    lg_label_accumulator_destroy(&a);
    lg_label_accumulator_destroy(&b);
    lg_image_destroy(&part);
    a = new_parts(WITH_REF(lg_label_params, it.shape = true, it.memory_limit = 100));
    CHECK(!lg_label_accumulator_scratch_labels(a, folder, 1, &error), "%s", error.message);
    ((uint8_t *)image->data)[0] = 1;
    for (int y = 0; y < 30; y += 10)
        (void)lg_label_accumulator_add(context, a, image, NULL, y, 0, &error);
    refused(lg_label_accumulator_labels(context, a, image, 0, 0, &labels, &error), LG_ERROR_LIMIT,
            "limit");
    lg_label_accumulator_destroy(&a);
}

static void test_refused(void)
{
    const lg_label_params params = lg_label_params_default();
    lg_label_accumulator *a = new_parts(&params), *b = new_parts(&params);
    lg_image *image = label_content_image(context, LG_U8, 20, 10, 1);
    lg_components *c = NULL;
    lg_labels *labels = NULL;
    size_t size;
    int calls = 0;
    label_content_fill(image, LABEL_CHECKER, 50, 1, 0, false);
    refused(lg_label_accumulator_blocks(a, 9, stop, &calls, &error), LG_ERROR_ARGUMENT, "without");
    CHECK(!lg_label_accumulator_scratch(a, folder, 1, &error), "%s", error.message);
    refused(lg_label_accumulator_scratch(a, folder, 1, &error), LG_ERROR_ARGUMENT, "without rows");
    refused(lg_label_accumulator_add(context, a, image, NULL, 10, 0, &error), LG_ERROR_ARGUMENT,
            "row 0 of layer 0 is next");
    CHECK(!lg_label_accumulator_add(context, a, image, NULL, 0, 0, &error), "%s", error.message);
    refused(lg_label_accumulator_add(context, a, image, NULL, 20, 0, &error), LG_ERROR_ARGUMENT,
            "row 10 of layer 0 is next");
    refused(lg_label_accumulator_merge(b, a, &error), LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_merge(a, b, &error), LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_save(a, NULL, 0, &size, &error), LG_ERROR_ARGUMENT,
            "scratch files");
    refused(lg_label_accumulator_finish(a, &c, &error), LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_labels(context, a, image, 0, 0, &labels, &error),
            LG_ERROR_ARGUMENT, "scratch files");
    refused(lg_label_accumulator_blocks(a, 0, stop, &calls, &error), LG_ERROR_ARGUMENT, "0");
    refused(lg_label_accumulator_blocks(a, 9, stop, &calls, &error), LG_ERROR_CANCELLED, "enough");
    CHECK(calls == 1, "%d calls", calls);
    refused(lg_label_accumulator_add(context, a, image, NULL, 10, 0, &error), LG_ERROR_ARGUMENT,
            "given out");
    lg_label_accumulator_destroy(&a);
    lg_label_accumulator_destroy(&b);
    b = new_parts(WITH_REF(lg_label_params, it.shape = true));
    refused(lg_label_accumulator_scratch(b, folder, 1, &error), LG_ERROR_ARGUMENT, "shapes");
    lg_label_accumulator_destroy(&b);
    test_refused_labels(image);
    a = new_parts(&params); // a folder that is not there is noticed when memory is full
    CHECK(!lg_label_accumulator_scratch(a, "no/such/folder", 1, &error), "%s", error.message);
    memset(image->data, 0, image->shape.layer_stride);
    for (int y = 0; y < 10; y += 2)
        for (int x = 0; x < 20; x += 2) // 50 components a band: more than are held
            ((uint8_t *)row_of(image, 0, y))[x] = 1;
    lg_status status = LG_OK;
    for (int y = 0; y < 30 && !status; y += 10)
        status = lg_label_accumulator_add(context, a, image, NULL, y, 0, &error);
    if (!status)
        status = lg_label_accumulator_blocks(a, 9, stop, &calls, &error);
    refused(status, LG_ERROR_IO, "no/such/folder");
    lg_label_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

// So many components do not fit a test: the number of those that went to files is what is added.
static void test_limit(void)
{
    const lg_label_params params = lg_label_params_default();
    lg_label_accumulator *a = new_parts(&params);
    lg_image *image = label_content_image(context, LG_U8, 20, 10, 1);
    label_content_fill(image, LABEL_ONE, 50, 1, 0, false);
    CHECK(!lg_label_accumulator_scratch(a, folder, 1 << 20, &error), "%s", error.message);
    a->taken = UINT32_MAX - 2; // a third component is one too many
    CHECK(!lg_label_accumulator_add(context, a, image, NULL, 0, 0, &error), "%s", error.message);
    refused(lg_label_accumulator_add(context, a, image, NULL, 10, 0, &error), LG_ERROR_LIMIT,
            "2^32 - 2 components");
    lg_label_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

int main(void)
{
    random_seed(78);
    context = device_open_cpu();
    folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    test_sorted();
    test_blocks();
    test_refused();
    test_limit();
    lg_context_destroy(&context);
    return check_finish("label_scratch");
}
