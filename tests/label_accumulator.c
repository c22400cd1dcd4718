// Labels in bands of rows: labels, numbers and every column are those of the image in one piece, whatever the
// bands, their order and what was saved between. Shapes are hard on borders: components that meet at a corner
// only, that reach over many bands, bands without any.
#include "check.h"
#include "device.h"
#include "label_content.h"
#include <lumagraph/label_parts.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *context;
static lg_error error;

// An image and how it is labelled; the whole image's labels and figures.
typedef struct whole {
    lg_image *image, *intensity;
    lg_label_params params;
    lg_labels *labels;
    lg_components *components;
    const char *what;
} whole;

static void label_whole(whole *w)
{
    NEED(!lg_label_image(context, w->image, &w->params, w->intensity, &w->labels, &w->components,
                         &error),
         "%s: %s", w->what, error.message);
}

static void free_whole(whole *w)
{
    lg_labels_destroy(&w->labels);
    lg_components_destroy(&w->components);
    lg_image_destroy(&w->intensity);
    lg_image_destroy(&w->image);
}

static lg_label_accumulator *new_parts(const whole *w)
{
    const lg_image_params *s = &w->image->shape;
    lg_label_accumulator *a = NULL;
    NEED(!lg_label_accumulator_create(&w->params, s->type,
                                      w->intensity ? &w->intensity->shape.type : NULL, s->width,
                                      s->height, s->layers, &a, &error),
         "%s: %s", w->what, error.message);
    return a;
}

// ---- every band -----------------------------------------------------------------------------------

typedef enum step { LOOK, ADD, LABELS } step;

static void compare_labels(const whole *w, const lg_labels *got, int64_t y, int64_t layer, int rows)
{
    bool same = got->count == w->labels->count && got->height == rows;
    for (int32_t r = 0; r < got->height && same; r++)
        same = memcmp((char *)got->data + (size_t)r * got->row_stride,
                      (char *)w->labels->data + (size_t)layer * w->labels->layer_stride +
                          (size_t)(y + r) * w->labels->row_stride,
                      (size_t)got->width * sizeof *got->data) == 0;
    CHECK(same, "%s: labels of rows %d to %d of layer %d", w->what, (int)y, (int)y + rows - 1,
          (int)layer);
}

static void do_band(const whole *w, lg_label_accumulator *a, step what, int64_t y, int64_t layer,
                    int rows)
{
    lg_labels *labels = NULL;
    lg_image *part = label_content_rows(context, w->image, y, layer, rows);
    lg_image *intensity =
        w->intensity ? label_content_rows(context, w->intensity, y, layer, rows) : NULL;
    const lg_status status =
        what == LOOK  ? lg_label_accumulator_look(context, a, part, intensity, &error)
        : what == ADD ? lg_label_accumulator_add(context, a, part, intensity, y, layer, &error)
                      : lg_label_accumulator_labels(context, a, part, y, layer, &labels, &error);
    CHECK(!status, "%s: rows %d and on: %s", w->what, (int)y, error.message);
    if (labels)
        compare_labels(w, labels, y, layer, rows);
    lg_labels_destroy(&labels);
    lg_image_destroy(&part);
    lg_image_destroy(&intensity);
}

static int band_count(const whole *w, int rows)
{
    return (w->image->shape.height + rows - 1) / rows * w->image->shape.layers;
}

static void band(const whole *w, lg_label_accumulator *a, step what, int index, int rows)
{
    const int32_t height = w->image->shape.height, each = (height + rows - 1) / rows;
    const int64_t y = (int64_t)(index % each) * rows;
    do_band(w, a, what, y, index / each, (int)(height - y < rows ? height - y : rows));
}

static void all_bands(const whole *w, lg_label_accumulator *a, step what, int rows)
{
    for (int i = 0; i < band_count(w, rows); i++)
        band(w, a, what, i, rows);
}

// ---- figures --------------------------------------------------------------------------------------

static void compare_columns(const whole *w, const lg_components *got, const char *how)
{
    const uint32_t count = lg_components_count(w->components);
    double *a = calloc(2 * (size_t)count + 2, sizeof *a), *b = a + count + 1;
    CHECK(lg_components_count(got) == count, "%s, %s: %u components instead of %u", w->what, how,
          lg_components_count(got), count);
    CHECK(lg_components_unit(got) == lg_components_unit(w->components), "%s: the unit", w->what);
    for (int c = 0; c < LG_COLUMNS && lg_components_count(got) == count; c++) {
        const lg_status want = lg_components_column(w->components, (lg_column)c, a, &error);
        const lg_status have = lg_components_column(got, (lg_column)c, b, &error);
        CHECK(want == have && (want || memcmp(a, b, count * sizeof *a) == 0), "%s, %s: column %s",
              w->what, how, lg_column_name((lg_column)c));
    }
    free(a);
}

static void compare_figures(const whole *w, const lg_label_accumulator *a, const char *how)
{
    lg_components *got = NULL;
    CHECK(!lg_label_accumulator_finish(a, &got, &error), "%s, %s: %s", w->what, how, error.message);
    if (got)
        compare_columns(w, got, how);
    lg_components_destroy(&got);
}

// From top to bottom, with labels; in any order.
static void compare_in_bands(const whole *w, int rows)
{
    char how[40];
    snprintf(how, sizeof how, "bands of %d", rows);
    lg_label_accumulator *a = new_parts(w);
    if (w->intensity)
        all_bands(w, a, LOOK, rows);
    all_bands(w, a, ADD, rows);
    all_bands(w, a, LABELS, rows);
    compare_figures(w, a, how);
    lg_label_accumulator_destroy(&a);
}

static lg_label_accumulator *saved_and_loaded(const whole *w, const lg_label_accumulator *a)
{
    lg_label_accumulator *again = NULL;
    size_t size = 0, other = 0;
    NEED(!lg_label_accumulator_save(a, NULL, 0, &size, &error), "%s: %s", w->what, error.message);
    uint8_t *bytes = malloc(2 * size);
    CHECK(!lg_label_accumulator_save(a, bytes, size, &size, &error) &&
              lg_label_accumulator_save(a, bytes, size - 1, &other, &error) == LG_ERROR_ARGUMENT,
          "%s: %s", w->what, error.message);
    NEED(!lg_label_accumulator_load(bytes, size, &again, &error), "%s: %s", w->what, error.message);
    CHECK(!lg_label_accumulator_save(again, bytes + size, size, &other, &error) && other == size &&
              memcmp(bytes, bytes + size, size) == 0,
          "%s: what was loaded is saved as other bytes", w->what);
    free(bytes);
    return again;
}

static void compare_bytes(const whole *w, const lg_label_accumulator *a, uint8_t **bytes,
                          size_t *size)
{
    size_t now = 0;
    NEED(!lg_label_accumulator_save(a, NULL, 0, &now, &error), "%s", error.message);
    uint8_t *saved = malloc(now);
    NEED(!lg_label_accumulator_save(a, saved, now, &now, &error), "%s", error.message);
    if (*bytes)
        CHECK(now == *size && memcmp(saved, *bytes, now) == 0, "%s: the order of merges shows",
              w->what);
    free(*bytes);
    *bytes = saved;
    *size = now;
}

// Bands go to several accumulators in a random order, through bytes, and are merged in a random tree.
static void compare_merged(const whole *w, int rows)
{
    enum { MOST = 5 };
    uint8_t *bytes = NULL;
    size_t size = 0;
    for (int round = 0; round < 2; round++) {
        lg_label_accumulator *a[MOST];
        int count = MOST, left = band_count(w, rows);
        int *order = malloc((size_t)left * sizeof *order);
        for (int i = 0; i < MOST; i++) {
            a[i] = new_parts(w);
            if (w->intensity)
                all_bands(w, a[i], LOOK, rows);
        }
        for (int i = 0; i < left; i++)
            order[i] = i;
        while (left > 0) {
            const int at = (int)random_below((uint32_t)left);
            band(w, a[random_below(MOST - 1)], ADD, order[at], rows); // the last one stays empty
            order[at] = order[--left];
        }
        free(order);
        while (count > 1) {
            const int into = (int)random_below((uint32_t)count);
            const int from = (into + 1 + (int)random_below((uint32_t)count - 1)) % count;
            lg_label_accumulator *loaded = saved_and_loaded(w, a[from]);
            CHECK(!lg_label_accumulator_merge(a[into], loaded, &error), "%s: %s", w->what,
                  error.message);
            lg_label_accumulator_destroy(&loaded);
            lg_label_accumulator_destroy(&a[from]);
            a[from] = a[--count];
        }
        compare_figures(w, a[0], "merged");
        compare_bytes(w, a[0], &bytes, &size);
        lg_label_accumulator_destroy(&a[0]);
    }
    free(bytes);
}

// ---- several machines -----------------------------------------------------------------------------

enum { MACHINES = 4 };

// Shapes of the rows of each machine, through bytes and in a random order; the last one gets all.
static void gather_shapes(const whole *w, lg_label_accumulator *const *a,
                          lg_label_accumulator *leader)
{
    lg_label_shapes *s[MACHINES], *loaded;
    int count = MACHINES;
    for (int i = 0; i < MACHINES; i++)
        NEED(!lg_label_accumulator_shapes(a[i], &s[i], &error), "%s: %s", w->what, error.message);
    CHECK(lg_label_accumulator_take_shapes(leader, s[0], &error) == LG_ERROR_ARGUMENT ||
              w->image->shape.height == 1,
          "%s: the shapes of a part were taken for all", w->what);
    while (count > 1) {
        const int into = (int)random_below((uint32_t)count);
        const int from = (into + 1 + (int)random_below((uint32_t)count - 1)) % count;
        size_t size = 0;
        NEED(!lg_label_shapes_save(s[from], NULL, 0, &size, &error), "%s", error.message);
        uint8_t *bytes = malloc(size);
        NEED(!lg_label_shapes_save(s[from], bytes, size, &size, &error) &&
                 !lg_label_shapes_load(bytes, size, &loaded, &error),
             "%s: %s", w->what, error.message);
        CHECK(!lg_label_shapes_merge(s[into], loaded, &error), "%s: %s", w->what, error.message);
        bytes[size / 2] ^= 1;
        lg_label_shapes_destroy(&loaded);
        CHECK(lg_label_shapes_load(bytes, size, &loaded, &error) == LG_ERROR_DATA, "%s: damaged",
              w->what);
        free(bytes);
        lg_label_shapes_destroy(&s[from]);
        s[from] = s[--count];
    }
    CHECK(!lg_label_accumulator_take_shapes(leader, s[0], &error), "%s: %s", w->what,
          error.message);
    lg_label_shapes_destroy(&s[0]);
}

// Bands are on machines at random, so that the rows of each are in many places; one that has none knows the
// components of all.
static void compare_machines(const whole *w, int rows)
{
    lg_label_accumulator *a[MACHINES], *leader = new_parts(w);
    uint32_t first[MACHINES], count[MACHINES], all = lg_components_count(w->components);
    const int bands = band_count(w, rows);
    int *machine = malloc((size_t)bands * sizeof *machine);
    for (int i = 0; i < MACHINES; i++)
        a[i] = new_parts(w);
    for (int i = 0; i < bands; i++)
        band(w, a[machine[i] = (int)random_below(MACHINES)], ADD, i, rows);
    for (int i = 0; i < MACHINES; i++) {
        lg_label_accumulator *loaded = saved_and_loaded(w, a[i]);
        first[i] = lg_label_accumulator_parts(leader);
        CHECK(!lg_label_accumulator_merge(leader, loaded, &error), "%s: %s", w->what,
              error.message);
        count[i] = lg_label_accumulator_parts(leader) - first[i];
        lg_label_accumulator_destroy(&loaded);
    }
    for (int i = 0; i < MACHINES; i++) {
        uint32_t *labels = malloc(((size_t)count[i] + 1) * sizeof *labels);
        CHECK(!lg_label_accumulator_part_labels(leader, first[i], count[i], labels, &error) &&
                  !lg_label_accumulator_take_labels(a[i], labels, count[i], all, &error),
              "%s: %s", w->what, error.message);
        free(labels);
    }
    for (int i = 0; i < bands; i++)
        band(w, a[machine[i]], LABELS, i, rows);
    if (w->params.shape)
        gather_shapes(w, a, leader);
    compare_figures(w, leader, "machines");
    for (int i = 0; i < MACHINES; i++)
        lg_label_accumulator_destroy(&a[i]);
    lg_label_accumulator_destroy(&leader);
    free(machine);
}

static void compare(whole *w)
{
    static const int bands[] = {1, 7, 32, 100};
    const bool shape = w->params.shape;
    label_whole(w);
    for (size_t i = 0; i < LG_COUNT(bands); i++)
        compare_in_bands(w, bands[i]);
    if (!shape) {
        compare_merged(w, 1);
        compare_merged(w, 7);
    }
    if (!w->intensity)
        for (int rows = 1; rows <= 5; rows += 2)
            compare_machines(w, rows);
    free_whole(w);
}

// ---- contents -------------------------------------------------------------------------------------

static lg_image *floats_of(const lg_image_params *like, lg_type type)
{
    lg_image_params shape = *like;
    lg_image *image = NULL;
    shape.type = type;
    shape.row_stride = shape.layer_stride = 0;
    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    for (int32_t z = 0; z < shape.layers; z++)
        for (int32_t y = 0; y < shape.height; y++)
            for (int32_t x = 0; x < shape.width; x++) {
                char *at = (char *)image->data + (size_t)z * image->shape.layer_stride +
                           (size_t)y * image->shape.row_stride + (size_t)x * lg_type_size(type);
                const uint32_t which = random_below(200);
                const float v = which == 0   ? NAN
                                : which == 1 ? -INFINITY
                                             : (float)(random_normal() * (which < 9 ? 1e4 : 1));
                const uint16_t half = (uint16_t)random_below(65536);
                if (type == LG_F32)
                    memcpy(at, &v, sizeof v);
                else if (type == LG_U8)
                    *(uint8_t *)at = (uint8_t)half;
                else
                    memcpy(at, &half, sizeof half);
            }
    return image;
}

// Shapes of every kind and connectivity; with corners the diagonals of tiles, and lines over all bands.
static void test_shapes(void)
{
    static const int32_t sizes[][3] = {{131, 140, 1}, {64, 33, 3}, {1, 97, 1}, {70, 1, 2}};
    char what[80];
    for (size_t s = 0; s < LG_COUNT(sizes); s++)
        for (int kind = LABEL_NOISE; kind < LABEL_CONTENTS; kind++)
            for (int c = 4; c <= 8; c += 4)
                for (int shape = 0; shape < 2; shape++) {
                    whole w = {.what = what};
                    snprintf(what, sizeof what, "%s, %d x %d x %d, connectivity %d",
                             label_content_name((label_content)kind), sizes[s][0], sizes[s][1],
                             sizes[s][2], c);
                    w.image =
                        label_content_image(context, LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
                    label_content_fill(w.image, (label_content)kind, 45, 1 + (int)s, 0, false);
                    w.params = WITH(lg_label_params, it.connectivity = c, it.moments = true,
                                    it.shape = shape == 1);
                    compare(&w);
                }
}

static void test_foregrounds(void)
{
    char what[80];
    for (int type = 0; type <= LG_F32; type++)
        for (int foreground = 0; foreground < LG_FOREGROUNDS; foreground++)
            for (int intensity = 0; intensity <= LG_F32; intensity++) {
                if (intensity != type && !test_is_full() && (type + intensity + foreground) % 3)
                    continue;
                const double level = foreground == LG_FOREGROUND_ABOVE ? 7 : 0;
                whole w = {.what = what};
                snprintf(what, sizeof what, "%s of %s with intensities of %s",
                         lg_foreground_name((lg_foreground)foreground), lg_type_name((lg_type)type),
                         lg_type_name((lg_type)intensity));
                w.image = label_content_image(context, (lg_type)type, 77, 61, 2);
                label_content_fill(w.image, LABEL_NOISE, 60, 2, level,
                                   foreground == LG_FOREGROUND_VALUES);
                w.intensity = floats_of(&w.image->shape, (lg_type)intensity);
                w.params = WITH(lg_label_params, it.foreground = (lg_foreground)foreground,
                                it.level = level, it.connectivity = type % 2 ? 4 : 8,
                                it.moments = true, it.shape = intensity == LG_U16);
                compare(&w);
            }
}

// ---- the defects of others --------------------------------------------------------------------------

static void fill_image(lg_image *image, const char *const *rows)
{
    for (int32_t y = 0; y < image->shape.height; y++)
        for (int32_t x = 0; x < image->shape.width; x++)
            ((uint8_t *)image->data)[(size_t)y * image->shape.row_stride + (size_t)x] =
                rows[y][x] == '#' ? 255 : 0;
}

static void check_named(const char *what, const char *const *rows, int32_t height,
                        uint32_t connected_8, uint32_t connected_4)
{
    for (int c = 4; c <= 8; c += 4) {
        whole w = {.what = what};
        w.image = label_content_image(context, LG_U8, (int32_t)strlen(rows[0]), height, 1);
        fill_image(w.image, rows);
        w.params = WITH(lg_label_params, it.connectivity = c, it.moments = true, it.shape = true);
        label_whole(&w);
        const uint32_t want = c == 8 ? connected_8 : connected_4;
        CHECK(lg_components_count(w.components) == want, "%s: %u components", what,
              lg_components_count(w.components));
        for (int band_rows = 1; band_rows <= height; band_rows++)
            compare_in_bands(&w, band_rows);
        free_whole(&w);
    }
}

// dask-image lost unions over the corners of chunks; xarray-spatial and QuPath cut objects at every tile.
static void test_named(void)
{
    static const char *const corners[] = {"#......#", ".#....#.", "..#..#..", "...##...",
                                          "...##...", "..#..#..", ".#....#.", "#......#"};
    static const char *const column[] = {".#.", ".#.", ".#.", ".#.", ".#.", ".#.", ".#.", ".#."};
    static const char *const empty[] = {"##..", "....", "....", "....", "....", "..##", "...."};
    static const char *const late[] = {"#.#.#", "#.#.#", "#.#.#", "#.#.#", "#####"};
    check_named("corners of tiles", corners, 8, 1, 13);
    check_named("an object over all bands", column, 8, 1, 1);
    check_named("bands without objects", empty, 7, 2, 2);
    check_named("objects that join in the last band", late, 5, 1, 1);
}

// ---- what is refused ----------------------------------------------------------------------------------

static void refused(lg_status got, lg_status want, const char *text)
{
    CHECK(got == want && strstr(error.message, text), "status %d: %s; '%s' expected", (int)got,
          error.message, text);
}

static void test_refused(void)
{
    whole w = {.what = "refused", .params = lg_label_params_default()};
    const lg_type f32 = LG_F32;
    lg_label_accumulator *a, *b = NULL;
    lg_labels *labels = NULL;
    lg_components *c = NULL;
    w.image = label_content_image(context, LG_U8, 20, 30, 1);
    label_content_fill(w.image, LABEL_NOISE, 50, 1, 0, false);
    lg_image *top = label_content_rows(context, w.image, 0, 0, 10),
             *next = label_content_rows(context, w.image, 8, 0, 10);
    lg_image *wide = label_content_image(context, LG_U8, 21, 4, 1);
    a = new_parts(&w);
    refused(lg_label_accumulator_add(context, a, wide, NULL, 0, 0, &error), LG_ERROR_ARGUMENT,
            "one layer of 20 samples");
    refused(lg_label_accumulator_add(context, a, top, NULL, 21, 0, &error), LG_ERROR_ARGUMENT,
            "leave the image");
    CHECK(!lg_label_accumulator_add(context, a, top, NULL, 0, 0, &error), "%s", error.message);
    refused(lg_label_accumulator_add(context, a, next, NULL, 8, 0, &error), LG_ERROR_ARGUMENT,
            "row 8 of layer 0 is there already");
    refused(lg_label_accumulator_labels(context, a, next, 8, 0, &labels, &error), LG_ERROR_ARGUMENT,
            "were not added together");
    b = new_parts(&w);
    CHECK(!lg_label_accumulator_add(context, b, next, NULL, 8, 0, &error), "%s", error.message);
    refused(lg_label_accumulator_merge(a, b, &error), LG_ERROR_ARGUMENT, "is there already");
    refused(lg_label_accumulator_merge(a, a, &error), LG_ERROR_ARGUMENT, "two accumulators");
    lg_label_accumulator *loaded = saved_and_loaded(&w, a);
    refused(lg_label_accumulator_labels(context, loaded, top, 0, 0, &labels, &error),
            LG_ERROR_UNSUPPORTED, "no labels of its rows");
    CHECK(!lg_label_accumulator_labels(context, a, top, 0, 0, &labels, &error), "%s",
          error.message);
    lg_labels_destroy(&labels);
    for (int y = 0; y < 10; y++)
        memset((char *)top->data + (size_t)y * top->shape.row_stride, 0, 20);
    refused(lg_label_accumulator_labels(context, a, top, 0, 0, &labels, &error), LG_ERROR_DATA,
            "had");
    refused(lg_label_accumulator_add(context, a, next, NULL, 18, 0, &error), LG_ERROR_ARGUMENT,
            "given out already");
    lg_label_accumulator_destroy(&loaded);
    lg_label_accumulator_destroy(&a);
    lg_label_accumulator_destroy(&b);
    w.params.shape = true;
    a = new_parts(&w);
    CHECK(!lg_label_accumulator_add(context, a, top, NULL, 0, 0, &error), "%s", error.message);
    refused(lg_label_accumulator_finish(a, &c, &error), LG_ERROR_ARGUMENT, "from row 0 on");
    lg_label_accumulator_destroy(&a);
    w.params = WITH(lg_label_params, it.connectivity = 26, it.shape = true);
    lg_image *slice = label_content_image(context, LG_U8, 9, 9, 1);
    NEED(!lg_label_accumulator_create(&w.params, LG_U8, NULL, 9, 9, 2, &a, &error), "%s",
         error.message);
    refused(lg_label_accumulator_add(context, a, slice, NULL, 0, 0, &error), LG_ERROR_UNSUPPORTED,
            "surfaces of volumes");
    lg_label_accumulator_destroy(&a);
    lg_image_destroy(&slice);
    w.params.shape = false;
    lg_label_accumulator *volume = NULL;
    size_t bytes;
    NEED(!lg_label_accumulator_create(&w.params, LG_U8, NULL, 9, 9, 2, &volume, &error), "%s",
         error.message);
    refused(lg_label_accumulator_save(volume, NULL, 0, &bytes, &error), LG_ERROR_UNSUPPORTED,
            "no volumes");
    NEED(!lg_label_accumulator_create(&w.params, LG_U8, NULL, 9, 9, 2, &b, &error), "%s",
         error.message);
    refused(lg_label_accumulator_merge(volume, b, &error), LG_ERROR_UNSUPPORTED, "no volumes");
    lg_label_accumulator_destroy(&b);
    lg_label_accumulator_destroy(&volume);
    w.params = WITH(lg_label_params, it.fill_holes = true);
    refused(lg_label_accumulator_create(&w.params, LG_U8, NULL, 9, 9, 1, &a, &error),
            LG_ERROR_UNSUPPORTED, "holes");
    w.params = lg_label_params_default();
    refused(lg_label_accumulator_create(&w.params, LG_U8, NULL, 1 << 24, 1 << 16, 1, &a, &error),
            LG_ERROR_LIMIT, "2^40");
    CHECK(!lg_label_accumulator_create(&w.params, LG_U8, &f32, 20, 30, 1, &a, &error), "%s",
          error.message);
    lg_image *values = floats_of(&top->shape, LG_F32);
    refused(lg_label_accumulator_add(context, a, next, values, 8, 0, &error), LG_ERROR_ARGUMENT,
            "looked at");
    lg_label_accumulator_destroy(&a);
    lg_image_destroy(&values);
    lg_image_destroy(&top);
    lg_image_destroy(&next);
    lg_image_destroy(&wide);
    free_whole(&w);
}

// Bytes that are cut or changed do not load.
static void test_damage(void)
{
    whole w = {.what = "damage", .params = WITH(lg_label_params, it.moments = true)};
    size_t size = 0;
    lg_label_accumulator *loaded = NULL;
    w.image = label_content_image(context, LG_U8, 9, 8, 1);
    label_content_fill(w.image, LABEL_NOISE, 30, 1, 0, false);
    lg_label_accumulator *a = new_parts(&w);
    all_bands(&w, a, ADD, 3);
    NEED(!lg_label_accumulator_save(a, NULL, 0, &size, &error), "%s", error.message);
    uint8_t *bytes = malloc(size);
    NEED(!lg_label_accumulator_save(a, bytes, size, &size, &error), "%s", error.message);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 8;
        const lg_status status = lg_label_accumulator_load(bytes, size, &loaded, &error);
        CHECK(status == LG_ERROR_DATA || (status == LG_ERROR_UNSUPPORTED && i / 8 == 1),
              "byte %zu was changed, and status is %d", i, (int)status);
        bytes[i] ^= 8;
        CHECK(lg_label_accumulator_load(bytes, i, &loaded, &error) == LG_ERROR_DATA, "cut at %zu",
              i);
    }
    free(bytes);
    lg_label_accumulator_destroy(&a);
    free_whole(&w);
}

int main(void)
{
    random_seed(77);
    context = device_open_cpu();
    test_named();
    test_shapes();
    test_foregrounds();
    test_refused();
    test_damage();
    lg_context_destroy(&context);
    return check_finish("label_accumulator");
}
