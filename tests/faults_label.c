// Labels and components while memory and the device fail: an error and untouched outputs, or the
// right figures; no leak.
#include "check.h"
#include "device.h"
#include "fault_case.h"

#include <lumagraph/label_accumulator.h>

#include <string.h>

static lg_label_params all; // every figure

static lg_status label(fault_world *w, lg_error *error)
{
    return lg_label_image(w->context, w->mask, &all, w->real, (lg_labels **)&w->made,
                          (lg_components **)&w->more, error);
}

static lg_status label_filled(fault_world *w, lg_error *error)
{
    lg_label_params params = all;
    params.fill_holes = true;
    params.connectivity = 4;
    return lg_label_image(w->context, w->mask, &params, NULL, (lg_labels **)&w->made,
                          (lg_components **)&w->more, error);
}

static lg_status label_levels(fault_world *w, lg_error *error)
{
    lg_label_params params =
        WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 0.5);
    params.connectivity = 6;
    return lg_label_image(w->context, w->real, &params, w->grey, (lg_labels **)&w->made,
                          (lg_components **)&w->more, error);
}

static uint64_t look_at_both(fault_world *w)
{
    return lg_hash(&(uint64_t){fault_hash_labels(w->context, w->made)}, 8,
                   fault_hash_components(w->more));
}

static void drop_both(fault_world *w)
{
    lg_labels_destroy((lg_labels **)&w->made);
    lg_components_destroy((lg_components **)&w->more);
}

static lg_status label_again(fault_world *w, lg_error *error)
{
    return lg_label_update(w->context, w->grey, &all, NULL, w->labels, (lg_components **)&w->more,
                           error);
}

static uint64_t look_at_again(fault_world *w)
{
    return lg_hash(&(uint64_t){fault_hash_labels(w->context, w->labels)}, 8,
                   fault_hash_components(w->more));
}

static uint64_t look_at_more(fault_world *w)
{
    return fault_hash_components(w->more);
}

// Labels that were written over in part have no value, but nothing breaks by them.
static void use_labels(fault_world *w)
{
    static const uint8_t keep[21 * 13] = {1};
    lg_error error = {LG_OK, ""};
    lg_image *picture = NULL;
    lg_components *components = NULL;
    CHECK(!lg_labels_download(w->context, w->labels, &error), "%s", error.message);
    const lg_status status =
        lg_labels_measure(w->context, w->labels, &all, w->grey, &components, &error);
    CHECK(!status || status == LG_ERROR_ARGUMENT, "%s", error.message);
    lg_components_destroy(&components);
    CHECK(!lg_labels_colors(w->context, w->labels, &picture, &error), "%s", error.message);
    lg_image_destroy(&picture);
    CHECK(w->labels->count > 21 * 13 ||
              !lg_components_keep(w->context, w->labels, NULL, keep, &error),
          "%s", error.message);
}

static void drop_more(fault_world *w)
{
    lg_components_destroy((lg_components **)&w->more);
}

static lg_status labels_create(fault_world *w, lg_error *error)
{
    return lg_labels_create(w->context, 9, 8, 7, (lg_labels **)&w->made, error);
}

static void drop_labels(fault_world *w)
{
    lg_labels_destroy((lg_labels **)&w->made);
}

static uint64_t look_at_labels(fault_world *w)
{
    return fault_hash_labels(w->context, w->labels);
}

// Labels that are where they were made.
static void fresh_labels(fault_world *w)
{
    lg_error error = {LG_OK, ""};
    lg_labels_destroy(&w->labels);
    CHECK(!lg_label_image(w->context, w->mask, NULL, NULL, &w->labels, NULL, &error), "%s",
          error.message);
}

static lg_status labels_download(fault_world *w, lg_error *error)
{
    const bool had = w->labels->data != NULL;
    const lg_status status = lg_labels_download(w->context, w->labels, error);
    CHECK(!status || had || !w->labels->data, "labels that were not downloaded are there");
    return status;
}

static lg_status labels_measure(fault_world *w, lg_error *error)
{
    return lg_labels_measure(w->context, w->labels, &all, w->grey, (lg_components **)&w->more,
                             error);
}

static lg_status column(fault_world *w, lg_error *error)
{
    return lg_components_column(w->components, LG_COLUMN_CIRCULARITY, (double *)(void *)w->bytes,
                                error);
}

static lg_status select_some(fault_world *w, lg_error *error)
{
    return lg_components_select(w->components, "area >= 2 && mean > 20 || !(cx < 7)", w->bytes,
                                error);
}

static lg_status needs(fault_world *w, lg_error *error)
{
    return lg_components_needs("area >= 2 && perimeter > 20", (unsigned *)(void *)w->bytes, error);
}

static lg_status largest(fault_world *w, lg_error *error)
{
    uint8_t keep[256];
    memset(keep, 1, sizeof keep);
    const lg_status status = lg_components_largest(w->components, 3, keep, error);
    bool same = true;
    for (size_t i = 0; i < sizeof keep; i++)
        same &= keep[i] == 1;
    CHECK(!status || same, "what is kept was changed");
    return status;
}

static lg_status keep_some(fault_world *w, lg_error *error)
{
    static const uint8_t keep[256] = {1, 0, 1};
    const uint32_t count = w->labels->count, first = lg_components_count(w->components);
    const lg_status status = lg_components_keep(w->context, w->labels, w->components, keep, error);
    CHECK(!status || (w->labels->count == count && lg_components_count(w->components) == first),
          "components were removed");
    return status;
}

static lg_status colors(fault_world *w, lg_error *error)
{
    return lg_labels_colors(w->context, w->labels, (lg_image **)&w->made, error);
}

static lg_status overlay(fault_world *w, lg_error *error)
{
    return lg_labels_overlay(w->context, w->labels, w->real, NULL, (lg_image **)&w->made, error);
}

static lg_status labels_image(fault_world *w, lg_error *error)
{
    return lg_labels_image(w->context, w->labels, (lg_image **)&w->made, error);
}

static uint64_t look_at_kept(fault_world *w)
{
    return lg_hash(&(uint64_t){fault_hash_labels(w->context, w->labels)}, 8,
                   fault_hash_components(w->components));
}

static uint64_t look_at_image(fault_world *w)
{
    return fault_hash_image(w->made);
}

static void drop_image(fault_world *w)
{
    lg_image_destroy((lg_image **)&w->made);
}

// ---- rows that come one after the other -----------------------------------------------------------

static uint64_t accumulated; // what no failure has made

static lg_status add_rows(fault_world *w, lg_label_accumulator *a, int64_t y, int64_t layer,
                          int32_t first, int32_t count, lg_error *error)
{
    lg_image_params shape = w->mask->shape;
    lg_image *rows = NULL, *grey = NULL;
    shape.height = count;
    shape.layer_stride = 0;
    const size_t at = (size_t)first * shape.row_stride;
    lg_status status = lg_image_wrap(w->context, &shape, (char *)w->mask->data + at, &rows, error);
    if (!status)
        status = lg_image_wrap(w->context, &shape, (char *)w->grey->data + at, &grey, error);
    if (!status)
        status = lg_label_accumulator_add(w->context, a, rows, grey, y, layer, error);
    lg_image_destroy(&rows);
    lg_image_destroy(&grey);
    return status;
}

// The first 12 rows of the mask as layers of `height` rows, which come in bands of two. A failure adds
// nothing: the same rows can be added behind it, and the components are those of all.
static lg_status accumulate(fault_world *w, int connectivity, int32_t height, lg_error *error)
{
    const lg_label_params params =
        WITH(lg_label_params, it.moments = true, it.connectivity = connectivity);
    const lg_type grey = LG_U8;
    lg_label_accumulator *a = NULL;
    lg_components *made = NULL;
    lg_error again;
    lg_status status =
        lg_label_accumulator_create(&params, LG_U8, &grey, 21, height, 12 / height, &a, error);
    for (int32_t i = 0; i < 12 && a; i += 2) {
        const lg_status added =
            add_rows(w, a, i % height, i / height, i, 2, status ? &again : error);
        const bool memory = added == LG_ERROR_MEMORY;
        status = status ? status : added;
        if (added && (!memory || add_rows(w, a, i % height, i / height, i, 2, &again))) {
            CHECK(!memory, "rows %d again: %s", i, again.message);
            break;
        }
    }
    if (!status) {
        status = lg_label_accumulator_finish(a, (lg_components **)&w->more, error);
    } else if (a && status == LG_ERROR_MEMORY) {
        CHECK(!lg_label_accumulator_finish(a, &made, &again) &&
                  (!accumulated || fault_hash_components(made) == accumulated),
              "connectivity %d: other components behind a failure", connectivity);
        lg_components_destroy(&made);
    }
    lg_label_accumulator_destroy(&a);
    return status;
}

static lg_status add_bands(fault_world *w, lg_error *error)
{
    return accumulate(w, 8, 12, error);
}

static lg_status add_layers(fault_world *w, lg_error *error)
{
    return accumulate(w, 26, 4, error);
}

static uint64_t look_at_accumulated(fault_world *w)
{
    return accumulated = fault_hash_components(w->more);
}

// The same layers with labels and shapes in scratch files. Behind a failure only destroy is of use.
static uint64_t linked;

static lg_status hash_block(void *priv, lg_components *components, lg_error *error)
{
    *(uint64_t *)priv ^= fault_hash_components(components);
    return LG_OK;
}

static lg_status label_rows(fault_world *w, lg_label_accumulator *a, int32_t first, uint64_t *hash,
                            lg_error *error)
{
    lg_image_params shape = w->mask->shape;
    lg_image *rows = NULL;
    lg_labels *labels = NULL;
    shape.height = 2;
    shape.layer_stride = 0;
    char *at = (char *)w->mask->data + (size_t)first * shape.row_stride;
    lg_status status = lg_image_wrap(w->context, &shape, at, &rows, error);
    if (!status)
        status =
            lg_label_accumulator_labels(w->context, a, rows, first % 4, first / 4, &labels, error);
    if (!status)
        *hash = lg_hash(&(uint64_t){fault_hash_labels(w->context, labels)}, 8, *hash);
    lg_labels_destroy(&labels);
    lg_image_destroy(&rows);
    return status;
}

static lg_status add_linked(fault_world *w, lg_error *error)
{
    const lg_label_params params = WITH(lg_label_params, it.shape = true, it.connectivity = 26);
    const lg_type grey = LG_U8;
    lg_label_accumulator *a = NULL;
    uint64_t hash = 0;
    lg_status status = lg_label_accumulator_create(&params, LG_U8, &grey, 21, 4, 3, &a, error);
    if (!status)
        status = lg_label_accumulator_scratch_labels(a, "/tmp", 1, error);
    for (int32_t i = 0; i < 12 && !status; i += 2)
        status = add_rows(w, a, i % 4, i / 4, i, 2, error);
    for (int32_t i = 0; i < 12 && !status; i += 2)
        status = label_rows(w, a, i, &hash, error);
    if (!status)
        status = lg_label_accumulator_blocks(a, 9, hash_block, &hash, error);
    lg_label_accumulator_destroy(&a);
    linked = status ? linked : hash;
    return status;
}

static uint64_t look_at_linked(fault_world *w)
{
    return linked;
}

#define CASE(function, ...)                                                                        \
    {                                                                                              \
        .name = #function, .call = function, .device = true, __VA_ARGS__                           \
    }

static const fault_case cases[] = {
    CASE(label, .drop = drop_both, .look = look_at_both),
    CASE(label_filled, .drop = drop_both, .look = look_at_both),
    CASE(label_levels, .drop = drop_both, .look = look_at_both),
    CASE(label_again, .after = use_labels, .drop = drop_more, .look = look_at_again,
         .writes = true),
    CASE(labels_create, .drop = drop_labels),
    CASE(labels_download, .prepare = fresh_labels, .look = look_at_labels),
    CASE(labels_measure, .drop = drop_more, .look = look_at_more),
    CASE(column),
    CASE(select_some),
    CASE(needs),
    CASE(largest),
    CASE(keep_some, .look = look_at_kept),
    CASE(colors, .prepare = fresh_labels, .drop = drop_image, .look = look_at_image),
    CASE(overlay, .prepare = fresh_labels, .drop = drop_image, .look = look_at_image),
    CASE(add_bands, .drop = drop_more, .look = look_at_accumulated),
    CASE(add_layers, .drop = drop_more, .look = look_at_accumulated),
    CASE(add_linked, .look = look_at_linked),
    CASE(labels_image, .prepare = fresh_labels, .drop = drop_image, .look = look_at_image),
};

int main(int argc, char **argv)
{
    all = WITH(lg_label_params, it.moments = true, it.shape = true);
    lg_context *vulkan = device_open(NULL, NULL);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
            continue;
        fault_case_on_cpu(&cases[i]);
        if (vulkan)
            fault_case_on_vulkan(&cases[i], vulkan);
    }
    lg_context_destroy(&vulkan);
    return check_finish("faults_label");
}
