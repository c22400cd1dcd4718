// Measurements and area sums while memory and the device fail: an error and untouched outputs, or
// the right figures; no leak.
#include "check.h"
#include "device.h"
#include "fault_case.h"

#include <stddef.h>
#include <string.h>

// ---- images -------------------------------------------------------------------------------------

static const lg_image_params shape = {
    .width = 21, .height = 13, .layers = 2, .channels = 2, .type = LG_F16};

static lg_status image_create(fault_world *w, lg_error *error)
{
    return lg_image_create(w->context, &shape, (lg_image **)&w->made, error);
}

static lg_status image_create_device(fault_world *w, lg_error *error)
{
    return lg_image_create_device(w->context, &shape, (lg_image **)&w->made, error);
}

static lg_status image_wrap(fault_world *w, lg_error *error)
{
    lg_image_params s = w->grey->shape;
    return lg_image_wrap(w->context, &s, w->grey->data, (lg_image **)&w->made, error);
}

static void drop_image(fault_world *w)
{
    lg_image_destroy((lg_image **)&w->made);
}

static lg_status upload(fault_world *w, lg_error *error)
{
    return lg_image_upload(w->context, w->grey, error);
}

static lg_status download(fault_world *w, lg_error *error)
{
    return lg_image_download(w->context, w->written, error);
}

static void put_on_device(fault_world *w)
{
    lg_error error = {LG_OK, ""};
    CHECK(!lg_image_upload(w->context, w->written, &error) &&
              !lg_image_upload(w->context, w->real, &error),
          "%s", error.message);
}

static uint64_t look_at_image(fault_world *w)
{
    return fault_hash_image(w->made);
}

// ---- figures ------------------------------------------------------------------------------------

static lg_status moments(fault_world *w, lg_error *error)
{
    const lg_moments_params params = {.size = sizeof(lg_moments_params),
                                      .select = WITH(lg_select, it.mask = w->mask)};
    return lg_measure_moments(w->context, w->color, &params, (lg_moments *)(void *)w->bytes, 4,
                              error);
}

static lg_status moments_real(fault_world *w, lg_error *error)
{
    return lg_measure_moments(w->context, w->real, NULL, (lg_moments *)(void *)w->bytes, 1, error);
}

static lg_status accumulator_create(fault_world *w, lg_error *error)
{
    return lg_moments_accumulator_create(LG_F32, 2, 64, 64, 3, (lg_moments_accumulator **)&w->made,
                                         error);
}

static uint64_t look_at_accumulator(fault_world *w)
{
    uint8_t saved[FAULT_BYTES];
    size_t size = 0;
    lg_error error = {LG_OK, ""};
    CHECK(!lg_moments_accumulator_save(w->made, saved, sizeof saved, &size, &error), "%s",
          error.message);
    return lg_hash(saved, size, 0);
}

static void drop_accumulator(fault_world *w)
{
    lg_moments_accumulator_destroy((lg_moments_accumulator **)&w->made);
}

// The state is figures: untouched after an error.
static lg_status accumulator_add(fault_world *w, lg_error *error)
{
    size_t size;
    lg_status status =
        lg_moments_accumulator_add(w->context, w->accumulator, w->grey, NULL, 0, 0, 0, error);
    if (!status)
        status = lg_moments_accumulator_save(w->accumulator, w->bytes, FAULT_BYTES, &size, error);
    return status;
}

static lg_status accumulator_load(fault_world *w, lg_error *error)
{
    uint8_t saved[FAULT_BYTES];
    size_t size;
    const lg_status status =
        lg_moments_accumulator_save(w->accumulator, saved, sizeof saved, &size, error);
    return status ? status
                  : lg_moments_accumulator_load(saved, size, (lg_moments_accumulator **)&w->made,
                                                error);
}

// Created, filled, saved and loaded: what is left is the loaded one.
static lg_status histogram_accumulator(fault_world *w, lg_error *error)
{
    static uint8_t saved[1 << 15];
    const lg_image_params *s = &w->color->shape;
    lg_histogram_accumulator *a = NULL;
    const lg_histogram_params params = WITH(lg_histogram_params, it.bins = 50);
    size_t size;
    lg_status status = lg_histogram_accumulator_create(&params, s->type, s->channels, s->alpha,
                                                       s->width, s->height, s->layers, &a, error);
    if (!status)
        status = lg_histogram_accumulator_add(w->context, a, w->color, NULL, 0, 0, 0, error);
    if (!status)
        status = lg_histogram_accumulator_save(a, saved, sizeof saved, &size, error);
    if (!status)
        status = lg_histogram_accumulator_load(saved, size, (lg_histogram_accumulator **)&w->made,
                                               error);
    lg_histogram_accumulator_destroy(&a);
    return status;
}

static uint64_t look_at_histogram_accumulator(fault_world *w)
{
    lg_histogram *h = NULL;
    lg_error error = {LG_OK, ""};
    uint64_t hash = 0;
    CHECK(!lg_histogram_accumulator_finish(w->made, LG_NAN_IGNORE, &h, &error), "%s",
          error.message);
    for (int i = 0; h && i < h->channels; i++)
        hash = lg_hash(h->channel[i].counts, (size_t)h->channel[i].bins * sizeof(uint64_t), hash);
    lg_histogram_destroy(&h);
    return hash;
}

static void drop_histogram_accumulator(fault_world *w)
{
    lg_histogram_accumulator_destroy((lg_histogram_accumulator **)&w->made);
}

static lg_status box_accumulator(fault_world *w, lg_error *error)
{
    uint8_t saved[FAULT_BYTES];
    const lg_image_params *s = &w->grey->shape;
    const lg_region boxes[] = {{0, 0, 5, 4}, {2, 3, 7, 6}};
    lg_box_accumulator *a = NULL;
    size_t size;
    lg_status status =
        lg_box_accumulator_create(s->type, 1, s->width, s->height, s->layers, boxes, 2, &a, error);
    if (!status)
        status = lg_box_accumulator_add(w->context, a, w->grey, NULL, 0, 0, 0, error);
    if (!status)
        status = lg_box_accumulator_save(a, saved, sizeof saved, &size, error);
    if (!status)
        status = lg_box_accumulator_load(saved, size, (lg_box_accumulator **)&w->made, error);
    lg_box_accumulator_destroy(&a);
    return status;
}

static uint64_t look_at_boxes(fault_world *w)
{
    lg_moments m[2];
    lg_error error = {LG_OK, ""};
    CHECK(!lg_box_accumulator_finish(w->made, LG_NAN_IGNORE, m, 2, &error), "%s", error.message);
    return lg_hash(m, sizeof m, 0);
}

static void drop_boxes(fault_world *w)
{
    lg_box_accumulator_destroy((lg_box_accumulator **)&w->made);
}

static lg_status histogram(fault_world *w, lg_error *error)
{
    const lg_histogram_params params = WITH(lg_histogram_params, it.space = LG_SPACE_RGBL);
    return lg_measure_histogram(w->context, w->color, &params, (lg_histogram **)&w->made, error);
}

static lg_status histogram_real(fault_world *w, lg_error *error)
{
    lg_histogram_params params = WITH(lg_histogram_params, it.bins = 37);
    params.automatic_range = true;
    return lg_measure_histogram(w->context, w->real, &params, (lg_histogram **)&w->made, error);
}

static void drop_histogram(fault_world *w)
{
    lg_histogram_destroy((lg_histogram **)&w->made);
}

static uint64_t look_at_histogram(fault_world *w)
{
    const lg_histogram *h = w->made;
    uint64_t hash = (uint64_t)h->channels;
    for (int32_t i = 0; i < h->channels; i++)
        hash = lg_hash(h->channel[i].counts, (size_t)h->channel[i].bins * sizeof(uint64_t), hash);
    return hash;
}

// Bytes between the members have no value: figures are compared without them.
static lg_status thresholded(fault_world *w, lg_status status)
{
    const size_t end = offsetof(lg_threshold, levels) + sizeof(int32_t);
    if (!status)
        memset(w->bytes + end, 0, offsetof(lg_threshold, level) - end);
    return status;
}

static lg_status threshold(fault_world *w, lg_error *error)
{
    return thresholded(w, lg_threshold_image(w->context, w->grey, NULL,
                                             (lg_threshold *)(void *)w->bytes, 1,
                                             (lg_image **)&w->made, error));
}

static lg_status threshold_multi(fault_world *w, lg_error *error)
{
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.method = LG_THRESHOLD_MULTI_OTSU, it.classes = 4);
    return thresholded(w, lg_threshold_image(w->context, w->color, &params,
                                             (lg_threshold *)(void *)w->bytes, 1,
                                             (lg_image **)&w->made, error));
}

static lg_status threshold_li(fault_world *w, lg_error *error)
{
    const lg_threshold_params params = WITH(lg_threshold_params, it.method = LG_THRESHOLD_LI);
    return thresholded(w, lg_threshold_image(w->context, w->real, &params,
                                             (lg_threshold *)(void *)w->bytes, 1,
                                             (lg_image **)&w->made, error));
}

static lg_status threshold_level(fault_world *w, lg_error *error)
{
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.method = LG_THRESHOLD_MULTI_OTSU, it.classes = 3);
    return thresholded(w, lg_threshold_level(w->histogram->channel, &params,
                                             (lg_threshold *)(void *)w->bytes, error));
}

// ---- area sums ----------------------------------------------------------------------------------

static const int32_t boxes[8] = {0, 0, 5, 7, 3, 2, 20, 13};

static lg_status area(fault_world *w, const lg_image *image, const lg_areasum_params *params,
                      lg_error *error)
{
    lg_area_array array;
    const lg_status status = lg_area_array_of_image(image, &array, error);
    return status ? status
                  : lg_areasum_create(w->context, &array, params, (lg_areasum **)&w->made, error);
}

static lg_status area_table(fault_world *w, lg_error *error)
{
    const lg_areasum_params params =
        WITH(lg_areasum_params, it.squares = true, it.counts_above = true, it.above = 90);
    return area(w, w->color, &params, error);
}

static lg_status area_ripmap(fault_world *w, lg_error *error)
{
    const lg_areasum_params params = WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP,
                                          it.squares = true, it.extremes = true, it.bins = 5);
    return area(w, w->real, &params, error);
}

static uint64_t sums_of(lg_context *context, lg_areasum *areas, lg_area_figure figure)
{
    double out[2][2 * LG_MAX_CHANNELS] = {{0}};
    lg_error error = {LG_OK, ""};
    CHECK(!lg_areasum_query(context, areas, LG_AREA_SUM, boxes, 2, out[0], &error) &&
              !lg_areasum_query(context, areas, figure, boxes, 2, out[1], &error),
          "%s", error.message);
    return lg_hash(out, sizeof out, 0);
}

static uint64_t look_at_area(fault_world *w)
{
    return sums_of(w->context, w->made, LG_AREA_VARIANCE);
}

static uint64_t look_at_update(fault_world *w)
{
    return sums_of(w->context, w->ripmap, LG_AREA_MAX);
}

static void drop_area(fault_world *w)
{
    lg_areasum_destroy((lg_areasum **)&w->made);
}

static lg_status area_update(fault_world *w, lg_error *error)
{
    lg_area_array array;
    const lg_status status = lg_area_array_of_image(w->mask, &array, error);
    return status ? status : lg_areasum_update(w->context, w->ripmap, &array, error);
}

static lg_status area_query(fault_world *w, lg_error *error)
{
    return lg_areasum_query(w->context, w->table, LG_AREA_VARIANCE, boxes, 2,
                            (double *)(void *)w->bytes, error);
}

static lg_status area_integers(fault_world *w, lg_error *error)
{
    return lg_areasum_query_integers(w->context, w->table, boxes, 2, (int64_t *)(void *)w->bytes,
                                     error);
}

static lg_status area_histogram(fault_world *w, lg_error *error)
{
    return lg_areasum_query_histogram(w->context, w->ripmap, boxes, 2, (uint64_t *)(void *)w->bytes,
                                      error);
}

static const double points[] = {1, 1, 12, 2, 6, 11, 4, 3, 6, 3, 5, 6};
static const size_t rings[] = {3, 3};
static const lg_area_polygon polygon = {points, rings, 2, LG_AREA_NON_ZERO};

static lg_status polygon_runs(fault_world *w, lg_error *error)
{
    return lg_area_polygon_runs(&polygon, 21, 13, (int32_t **)&w->made, (size_t *)(void *)w->bytes,
                                error);
}

static lg_status mask_runs(fault_world *w, lg_error *error)
{
    return lg_area_mask_runs(w->mask, 21, 13, (int32_t **)&w->made, (size_t *)(void *)w->bytes,
                             error);
}

static void drop_runs(fault_world *w)
{
    lg_area_runs_free((int32_t **)&w->made);
}

static lg_status query_polygon(fault_world *w, lg_error *error)
{
    return lg_areasum_query_polygon(w->context, w->table, LG_AREA_MEAN, &polygon,
                                    (double *)(void *)w->bytes, error);
}

static lg_status query_mask(fault_world *w, lg_error *error)
{
    return lg_areasum_query_mask(w->context, w->ripmap, LG_AREA_MAX, w->mask,
                                 (double *)(void *)w->bytes, error);
}

// ---- contexts -----------------------------------------------------------------------------------

static lg_status context_create(fault_world *w, lg_error *error)
{
    return lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 3,
                                      it.cache_dir = "/tmp"),
                             (lg_context **)&w->made, error);
}

static void drop_context(fault_world *w)
{
    lg_context_destroy((lg_context **)&w->made);
}

static lg_status devices_list(fault_world *w, lg_error *error)
{
    lg_device_info *list = (lg_device_info *)(void *)w->bytes;
    return lg_devices_list(list, 2, &(size_t){0}, NULL, error);
}

#define CASE(function, ...)                                                                        \
    {                                                                                              \
        .name = #function, .call = function, .device = true, __VA_ARGS__                           \
    }

static const fault_case cases[] = {
    CASE(image_create, .drop = drop_image),
    CASE(image_create_device, .drop = drop_image),
    CASE(image_wrap, .drop = drop_image),
    CASE(upload),
    CASE(download, .prepare = put_on_device, .writes = true),
    CASE(moments),
    CASE(moments_real),
    {.name = "moments_resident", .call = moments_real, .prepare = put_on_device, .device = true},
    CASE(accumulator_create, .drop = drop_accumulator, .look = look_at_accumulator),
    CASE(accumulator_add),
    CASE(accumulator_load, .drop = drop_accumulator, .look = look_at_accumulator),
    CASE(histogram_accumulator, .drop = drop_histogram_accumulator,
         .look = look_at_histogram_accumulator),
    CASE(box_accumulator, .drop = drop_boxes, .look = look_at_boxes),
    CASE(histogram, .drop = drop_histogram, .look = look_at_histogram),
    CASE(histogram_real, .drop = drop_histogram, .look = look_at_histogram),
    CASE(threshold, .drop = drop_image, .look = look_at_image),
    CASE(threshold_multi, .drop = drop_image, .look = look_at_image),
    CASE(threshold_li, .drop = drop_image, .look = look_at_image),
    CASE(threshold_level),
    CASE(area_table, .drop = drop_area, .look = look_at_area),
    CASE(area_ripmap, .drop = drop_area, .look = look_at_area),
    CASE(area_update, .look = look_at_update, .writes = true),
    CASE(area_query, .writes = true),
    CASE(area_integers, .writes = true),
    CASE(area_histogram, .writes = true),
    CASE(polygon_runs, .drop = drop_runs),
    CASE(mask_runs, .drop = drop_runs),
    CASE(query_polygon),
    CASE(query_mask),
    {.name = "context_create", .call = context_create, .drop = drop_context},
    {.name = "devices_list", .call = devices_list},
};

// What is listed does not depend on the libraries that drivers have brought along.
static void check_same_list(const lg_device_info *before, size_t count)
{
    lg_device_info now[2];
    size_t found = 0;
    lg_error error = {LG_OK, ""};
    memset(now, 0xa5, sizeof now);
    CHECK(!lg_devices_list(now, 2, &found, NULL, &error), "%s", error.message);
    CHECK(found == count && memcmp(now, before, sizeof now) == 0,
          "%d devices are listed otherwise than before drivers were used", (int)found);
}

int main(int argc, char **argv)
{
    lg_device_info before[2];
    size_t count = 0;
    lg_error error = {LG_OK, ""};
    memset(before, 0xa5, sizeof before);
    CHECK(!lg_devices_list(before, 2, &count, NULL, &error), "%s", error.message);
    lg_context *vulkan = device_open(NULL, NULL);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
            continue;
        fault_case_on_cpu(&cases[i]);
        if (vulkan && cases[i].device)
            fault_case_on_vulkan(&cases[i], vulkan);
    }
    check_same_list(before, count);
    lg_context_destroy(&vulkan);
    check_same_list(before, count);
    return check_finish("faults_measure");
}
