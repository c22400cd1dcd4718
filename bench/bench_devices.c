// Several devices: the same work on 1, 2, 4 .. of them. The exit status is 1 where results have other bits.
#include <lumagraph/batch_images.h>

#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench devices [OPTIONS]\n"
    "\n"
    "Times moments of u8 on 1, 2, 4 .. all devices: images that are on each device already, one\n"
    "such image in strips of rows, images from host memory, and one image from there in strips;\n"
    "and a blur of that image in bands, and its components.\n"
    "`x` is the speed beside that of the fewest devices that could do it.\n"
    "\n"
    "  --size WxH          of an image, default 8192x8192\n"
    "  --large WxH         of the one image in strips, default 32768x32768\n"
    "  --images N          of a row, default 64\n"
    "  --device LIST       such as vulkan:0,vulkan:1, or cpu; default all Vulkan GPUs. One may be\n"
    "                      named several times: contexts of their own\n"
    "  --rounds N          how often, default 5; the fastest counts\n"
    "  --threads N         of each context, default all\n";

// A GPU that had nothing to do for seconds is slow at first, by a factor of 4 here: a device that joins in is
// kept busy before anything is timed.
#define WARM_SECONDS 0.5

typedef struct devices_bench {
    int32_t width, height, large_width, large_height;
    int images, rounds, threads;
    const char *list;
    lg_context *contexts[LG_MAX_BATCH_CONTEXTS];
    int count;
} devices_bench;

enum { BLUR = 4, LABELS, WORKS };

static const char *const work_names[WORKS] = {
    "images on the devices",  "one image there, in strips",
    "images from the host",   "one image from the host, in strips",
    "a blur of it, in bands", "its components, in strips"};

typedef struct devices_work {
    devices_bench *bench;
    lg_batch *batch;
    int contexts;                              // at work
    lg_image *small, *large;                   // on the host
    lg_image *resident[LG_MAX_BATCH_CONTEXTS]; // small, on each device
    lg_image *strips[LG_MAX_BATCH_CONTEXTS];   // of the large one
    lg_moments_accumulator *states[LG_MAX_BATCH_CONTEXTS];
    lg_plan *plans[LG_MAX_BATCH_CONTEXTS];
    lg_image *blurred; // the large one
    lg_moments found;
} devices_work;

typedef struct devices_job {
    devices_work *work;
    lg_moments moments;
} devices_job;

// ---- images -------------------------------------------------------------------------------------

static lg_status make_host(lg_context *context, int32_t width, int32_t height, lg_image **out,
                           lg_error *error)
{
    const lg_image_params shape = {
        .width = width, .height = height, .layers = 1, .channels = 1, .type = LG_U8};
    const lg_status status = lg_image_create(context, &shape, out, error);
    uint64_t state = 88172645463325252u;
    for (int32_t y = 0; !status && y < height; y++) {
        uint8_t *row = (uint8_t *)(*out)->data + (size_t)y * (*out)->shape.row_stride;
        for (int32_t x = 0; x < width; x += 8) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            memcpy(row + x, &state, (size_t)LG_MIN(8, width - x));
        }
    }
    return status;
}

static void *rows_of(const lg_image *image, int64_t first)
{
    return (char *)image->data + (size_t)first * image->shape.row_stride;
}

// Rows first .. end-1 of a host image, copied to the device.
static lg_status place(lg_context *context, const lg_image *of, int64_t first, int64_t end,
                       lg_image **out, lg_error *error)
{
    lg_image_params shape = of->shape;
    shape.height = (int32_t)(end - first);
    shape.layer_stride = shape.row_stride * (size_t)shape.height;
    lg_status status = lg_image_wrap(context, &shape, rows_of(of, first), out, error);
    return status ? status : lg_image_upload(context, *out, error);
}

static int64_t first_row(const devices_work *w, int context)
{
    return w->bench->large_height * (int64_t)context / w->contexts;
}

// A plan for each context, and an image for the rows of all.
static lg_status make_plans(devices_work *w, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_status status = bench_graph("gaussian_blur:sigma=3", &graph, error);
    for (int i = 0; i < w->contexts && !status; i++)
        status = lg_plan_create_bands(w->bench->contexts[i], graph, &w->large->shape, 1, NULL,
                                      &w->plans[i], error);
    lg_graph_destroy(&graph);
    return status ? status
                  : lg_image_create(w->bench->contexts[0], &w->large->shape, &w->blurred, error);
}

static void drop_resident(devices_work *w)
{
    lg_image_destroy(&w->blurred);
    for (int i = 0; i < w->contexts; i++) {
        lg_plan_destroy(&w->plans[i]);
        lg_image_destroy(&w->resident[i]);
        lg_image_destroy(&w->strips[i]);
        lg_moments_accumulator_destroy(&w->states[i]);
    }
}

static lg_status make_resident(devices_work *w, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < w->contexts && !status; i++) {
        lg_context *context = w->bench->contexts[i];
        status = place(context, w->small, 0, w->bench->height, &w->resident[i], error);
        if (!status)
            status = place(context, w->large, first_row(w, i), first_row(w, i + 1), &w->strips[i],
                           error);
    }
    return status;
}

// ---- work ---------------------------------------------------------------------------------------

static int index_of(const devices_work *w, const lg_context *context)
{
    int i = 0;
    while (w->bench->contexts[i] != context)
        i++;
    return i;
}

static lg_status measure_resident(lg_context *context, void *priv, lg_error *error)
{
    devices_job *j = priv;
    return lg_measure_moments(context, j->work->resident[index_of(j->work, context)], NULL,
                              &j->moments, 1, error);
}

static lg_status measure_host(lg_context *context, void *priv, lg_error *error)
{
    devices_job *j = priv;
    return lg_measure_moments(context, j->work->small, NULL, &j->moments, 1, error);
}

static lg_status run_jobs(devices_work *w, lg_batch_job job, lg_moments *out, lg_error *error)
{
    const size_t count = (size_t)w->bench->images;
    devices_job *jobs = lg_alloc_array(count, sizeof *jobs);
    if (!jobs)
        return lg_fail_memory(error, count * sizeof *jobs, "jobs");
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++) {
        jobs[i].work = w;
        status = lg_batch_add(w->batch, job, &jobs[i], error);
    }
    const lg_status waited = lg_batch_wait(w->batch, error);
    status = status ? status : waited;
    for (size_t i = 0; i < count && !status; i++) {
        if (i && memcmp(&jobs[i].moments, &jobs[0].moments, sizeof jobs[i].moments) != 0)
            status = lg_fail(error, LG_ERROR_DATA, "image %zu has other moments than image 0", i);
        *out = jobs[0].moments;
    }
    lg_free(jobs);
    return status;
}

typedef struct strip_job {
    devices_work *work;
    int context; // whose device has the strip
} strip_job;

static lg_status measure_strip(lg_context *context, void *priv, lg_error *error)
{
    const strip_job *j = priv;
    devices_work *w = j->work;
    const lg_select all = lg_select_default();
    return lg_moments_accumulator_add(context, w->states[j->context], w->strips[j->context], &all,
                                      0, first_row(w, j->context), 0, error);
}

// A strip lies on one device, which has its job.
static lg_status measure_strips(devices_work *w, lg_moments *out, lg_error *error)
{
    strip_job jobs[LG_MAX_BATCH_CONTEXTS];
    lg_status status = LG_OK;
    for (int i = 0; i < w->contexts && !status; i++) {
        lg_moments_accumulator_destroy(&w->states[i]);
        status = lg_moments_accumulator_create(LG_U8, 1, w->bench->large_width,
                                               w->bench->large_height, 1, &w->states[i], error);
        jobs[i] = (strip_job){.work = w, .context = i};
        if (!status)
            status = lg_batch_add_to(w->batch, i, measure_strip, &jobs[i], error);
    }
    const lg_status waited = lg_batch_wait(w->batch, status ? NULL : error);
    status = status ? status : waited;
    for (int i = 1; i < w->contexts && !status; i++)
        status = lg_moments_accumulator_merge(w->states[0], w->states[i], error);
    return status ? status
                  : lg_moments_accumulator_finish(w->states[0], LG_NAN_IGNORE, out, 1, error);
}

static lg_status count_components(devices_work *w, lg_moments *out, lg_error *error)
{
    lg_components *found = NULL;
    lg_label_params params = lg_label_params_default();
    params.memory_limit = (size_t)64 << 30;
    const lg_status status = lg_batch_label(w->batch, w->large, &params, NULL, NULL, &found, error);
    out->mean = lg_components_count(found);
    lg_components_destroy(&found);
    return status;
}

static lg_status run_work(devices_work *w, int which, lg_moments *out, lg_error *error)
{
    switch (which) {
    case 0:
        return run_jobs(w, measure_resident, out, error);
    case 1:
        return measure_strips(w, out, error);
    case 2:
        return run_jobs(w, measure_host, out, error);
    case BLUR:
        return lg_batch_run(w->batch, w->plans, &w->large, &w->blurred, error);
    case LABELS:
        return count_components(w, out, error);
    default:
        return lg_batch_moments(w->batch, w->large, NULL, out, 1, error);
    }
}

static double pixels_of(const devices_bench *b, int which)
{
    return which % 2 || which == BLUR ? (double)b->large_width * b->large_height
                                      : (double)b->width * b->height * b->images;
}

// ---- rows ---------------------------------------------------------------------------------------

static lg_status time_work(devices_work *w, int which, double *best, lg_moments *out,
                           lg_error *error)
{
    lg_status status = LG_OK;
    const double warm = lg_time_seconds() + WARM_SECONDS;
    *best = -1;
    do
        status = run_work(w, which, out, error);
    while (!status && lg_time_seconds() < warm);
    for (int round = 0; round < w->bench->rounds && !status; round++) {
        const double start = lg_time_seconds();
        status = run_work(w, which, out, error);
        const double seconds = lg_time_seconds() - start;
        if (*best < 0 || seconds < *best)
            *best = seconds;
    }
    if (!status && which == BLUR) // of the pixels
        status = lg_measure_moments(w->bench->contexts[0], w->blurred, NULL, out, 1, error);
    return status;
}

// One number of devices; `first`: seconds and figures of the fewest devices that could do a work.
static int run_count(devices_work *w, double first[WORKS], lg_moments figures[WORKS])
{
    lg_error error = {LG_OK, ""};
    int wrong = 0;
    lg_status status = lg_batch_create(w->bench->contexts, w->contexts, &w->batch, &error);
    if (!status)
        status = make_resident(w, &error);
    if (!status)
        status = make_plans(w, &error);
    if (status)
        printf("%7d  failed: %s\n", w->contexts, error.message);
    for (int i = 0; i < WORKS && !status; i++) {
        lg_moments found;
        double seconds;
        memset(&found, 0, sizeof found);
        if (time_work(w, i, &seconds, &found, &error)) {
            printf("%7d  %-36s failed: %s\n", w->contexts, work_names[i], error.message);
            wrong++;
            continue;
        }
        if (first[i] <= 0) {
            first[i] = seconds;
            figures[i] = found;
        }
        const bool same = memcmp(&found, &figures[i], sizeof found) == 0;
        wrong += !same;
        printf("%7d  %-36s %10.3f ms %9.2f Gpixel/s %6.2f x  %s\n", w->contexts, work_names[i],
               seconds * 1e3, pixels_of(w->bench, i) / seconds * 1e-9, first[i] / seconds,
               same ? "same bits" : "OTHER BITS");
        fflush(stdout);
    }
    lg_batch_destroy(&w->batch);
    drop_resident(w);
    return status || wrong;
}

// ---- options ------------------------------------------------------------------------------------

static lg_status open_context(devices_bench *b, lg_device_kind kind, int index, lg_error *error)
{
    lg_context_params params = lg_context_params_default();
    params.device = kind;
    params.device_index = index;
    params.threads = b->threads > 0 ? b->threads : -1;
    params.strict = true;
    if (b->count == LG_MAX_BATCH_CONTEXTS)
        return lg_fail(error, LG_ERROR_LIMIT, "at most %d devices", LG_MAX_BATCH_CONTEXTS);
    const lg_status status = lg_context_create(&params, &b->contexts[b->count], error);
    b->count += !status;
    return status;
}

static lg_status open_gpus(devices_bench *b, lg_error *error)
{
    lg_device_info all[64];
    size_t count = 0;
    lg_status status = lg_devices_list(all, LG_COUNT(all), &count, NULL, error);
    for (size_t i = 0; i < LG_MIN(count, LG_COUNT(all)) && !status; i++)
        if (all[i].kind == LG_DEVICE_VULKAN && all[i].usable && all[i].hardware)
            status = open_context(b, LG_DEVICE_VULKAN, all[i].index, error);
    if (!status && !b->count)
        return lg_fail(error, LG_ERROR_DEVICE,
                       "there is no GPU here; --device vulkan:0 takes others");
    return status;
}

static lg_status open_listed(devices_bench *b, lg_error *error)
{
    lg_status status = LG_OK;
    for (const char *at = b->list; *at && !status;) {
        const size_t length = strcspn(at, ",");
        if (length == 3 && strncmp(at, "cpu", 3) == 0)
            status = open_context(b, LG_DEVICE_CPU, -1, error);
        else if (length > 7 && strncmp(at, "vulkan:", 7) == 0)
            status = open_context(b, LG_DEVICE_VULKAN, atoi(at + 7), error);
        else
            status = lg_fail(error, LG_ERROR_ARGUMENT, "--device %s: cpu or vulkan:N with commas",
                             b->list);
        at += length + (at[length] == ',');
    }
    return status;
}

static bool take_number(const char *value, int *out)
{
    *out = atoi(value);
    return *out > 0 && *out <= 1000000;
}

static bool take_size(const char *value, int32_t *width, int32_t *height)
{
    return sscanf(value, "%dx%d", width, height) == 2 && *width > 0 && *height > 0 &&
           *width <= LG_MAX_SIDE && *height <= LG_MAX_SIDE;
}

static bool take(void *to, const char *name, const char *value)
{
    devices_bench *b = to;
    if (strcmp(name, "--size") == 0)
        return take_size(value, &b->width, &b->height);
    if (strcmp(name, "--large") == 0)
        return take_size(value, &b->large_width, &b->large_height);
    if (strcmp(name, "--images") == 0)
        return take_number(value, &b->images);
    if (strcmp(name, "--rounds") == 0)
        return take_number(value, &b->rounds);
    if (strcmp(name, "--threads") == 0)
        return take_number(value, &b->threads);
    b->list = value;
    return strcmp(name, "--device") == 0;
}

static int run(devices_bench *b)
{
    lg_error error = {LG_OK, ""};
    devices_work w = {.bench = b};
    double first[WORKS] = {0};
    lg_moments figures[WORKS];
    int failed = 0;
    memset(figures, 0, sizeof figures);
    lg_status status = make_host(b->contexts[0], b->width, b->height, &w.small, &error);
    if (!status)
        status = make_host(b->contexts[0], b->large_width, b->large_height, &w.large, &error);
    if (status)
        printf("bench devices: %s\n", error.message);
    for (int i = 0; i < b->count && !status; i++) {
        lg_device_info info;
        lg_context_device(b->contexts[i], &info);
        printf("device %d: %s, %s\n", i, info.name, info.driver);
    }
    for (int n = 1; n <= b->count && !status;
         n = n < b->count && 2 * n > b->count ? b->count : 2 * n) {
        w.contexts = n;
        failed |= run_count(&w, first, figures);
    }
    lg_image_destroy(&w.small);
    lg_image_destroy(&w.large);
    return status ? 4 : failed;
}

int bench_devices_main(int argc, char **argv)
{
    devices_bench b = {.width = 8192,
                       .height = 8192,
                       .large_width = 32768,
                       .large_height = 32768,
                       .images = 64,
                       .rounds = 5};
    const bench_own_options own = {.usage = usage, .take = take, .to = &b};
    lg_error error = {LG_OK, ""};
    int status = 0;
    if (!bench_parse_own(argc, argv, &own, &status))
        return status;
    if (b.list ? open_listed(&b, &error) : open_gpus(&b, &error)) {
        fprintf(stderr, "bench devices: %s\n", error.message);
        status = 4;
    } else {
        status = run(&b);
    }
    for (int i = 0; i < b.count; i++)
        lg_context_destroy(&b.contexts[i]);
    return status;
}
