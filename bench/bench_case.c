// One row: makes the images, calls the measurement until the times are steady, counts the energy.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "bench.h"

#define MAX_BUFFERS       512
#define MIN_SECONDS       0.2 // of samples per row, when a call is short
#define MOST_RAMP_SECONDS 2
#define IDLE_SECONDS      0.01 // of a call, from which a GPU lowers its clock

typedef struct workload {
    bench_run *run;
    bench_row *row;
    lg_context *context;
    lg_image *images[MAX_BUFFERS];
    void *host[MAX_BUFFERS];
    int image_count, host_count, next;
    lg_moments moments[LG_MAX_CHANNELS];
    lg_plan *plan;
    lg_image *table, *out; // of a filter row
    lg_image *mask;        // where pixels are left out
} workload;

LG_PRINTF(2, 3) static void refuse(bench_row *row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(row->why, sizeof row->why, format, args);
    va_end(args);
}

// ---- images ----------------------------------------------------------------------------------

static lg_image_params shape_of(const bench_row *row)
{
    const size_t stride =
        lg_align_up((size_t)row->width * (size_t)row->channels * lg_type_size(row->type), 64);
    return (lg_image_params){
        .width = row->width,
        .height = row->height,
        .layers = 1,
        .channels = row->channels,
        .type = row->type,
        .alpha = row->channels == 1                           ? LG_ALPHA_NONE
                 : row->strategy || row->kind == BENCH_FILTER ? LG_ALPHA_OPAQUE
                                                              : LG_ALPHA_STRAIGHT,
        .row_stride = stride,
        .layer_stride = stride * (size_t)row->height,
    };
}

// A device copy needs only one host copy, whatever the number of images.
static bool make_images(workload *work)
{
    bench_row *row = work->row;
    const bench_device *device = &work->run->devices[row->device];
    const lg_image_params shape = shape_of(row);
    const size_t bytes = shape.layer_stride;
    const bool cpu = device->info.kind == LG_DEVICE_CPU;
    size_t count = row->cold ? bench_cold_bytes(device) / bytes + 1 : 1;
    count = LG_MIN(count, MAX_BUFFERS);
    const size_t host = cpu ? count : 1;
    const size_t software = !cpu && !device->info.hardware ? count : 0; // its memory is the host's
    if ((host + software) * bytes > bench_memory_available() / 2) {
        refuse(row, "needs %.1f GiB of memory", (double)(host * bytes) / 0x1p30);
        return false;
    }
    lg_error error = {0};
    for (size_t i = 0; i < count; i++) {
        if (i < host) {
            work->host[i] = aligned_alloc(64, bytes);
            if (!work->host[i]) {
                refuse(row, "memory is used up");
                return false;
            }
            work->host_count++;
            if (i == 0)
                content_fill(work->host[0], shape.row_stride, row->width, row->height,
                             row->channels, (int)row->type, (int)row->content, &work->run->source);
            else
                memcpy(work->host[i], work->host[0], bytes);
        }
        lg_status status =
            lg_image_wrap(work->context, &shape, work->host[cpu ? i : 0], &work->images[i], &error);
        work->image_count += status == LG_OK;
        if (!status && !row->upload)
            status = lg_image_upload(work->context, work->images[i], &error);
        if (status) {
            refuse(row, "%.190s", error.message);
            return false;
        }
    }
    return true;
}

static lg_status make_mask(workload *work, lg_error *error)
{
    const bench_row *row = work->row;
    const lg_image_params shape = {
        .width = row->width, .height = row->height, .layers = 1, .channels = 1, .type = LG_U8};
    const lg_status status = lg_image_create(work->context, &shape, &work->mask, error);
    if (status)
        return status;
    for (int y = 0; y < row->height; y++)
        for (int x = 0; x < row->width; x++)
            ((uint8_t *)work->mask->data)[(size_t)y * work->mask->shape.row_stride + (size_t)x] =
                (x / 16 + y) % 2 ? 255 : 0;
    return lg_image_upload(work->context, work->mask, error);
}

// An image of 64 x 64 x 64 colours that leaves colours as they are, for lookup.
static lg_image *make_table(lg_context *context, lg_error *error)
{
    const lg_image_params shape = {.width = 512,
                                   .height = 512,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    lg_image *image = NULL;
    if (lg_image_create(context, &shape, &image, error))
        return NULL;
    for (int y = 0; y < 512; y++)
        for (int x = 0; x < 512; x++) {
            uint8_t *p =
                (uint8_t *)image->data + (size_t)y * image->shape.row_stride + (size_t)x * 4;
            p[0] = (uint8_t)((x % 64 * 255 + 31) / 63);
            p[1] = (uint8_t)((y % 64 * 255 + 31) / 63);
            p[2] = (uint8_t)(((y / 64 * 8 + x / 64) * 255 + 31) / 63);
            p[3] = 255;
        }
    if (lg_image_upload(context, image, error))
        lg_image_destroy(&image);
    return image;
}

lg_status bench_graph(const char *pipeline, lg_graph **out, lg_error *error)
{
    lg_node node;
    lg_status status = lg_graph_create(out, error);
    if (!status)
        status = lg_graph_input(*out, "in", &node, error);
    if (!status)
        status = lg_graph_parse(*out, pipeline, node, &node, error);
    return status ? status : lg_graph_output(*out, node, error);
}

static lg_status make_plan(workload *work, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_node in, table, out;
    lg_status status = lg_graph_create(&graph, error);
    work->table = make_table(work->context, error);
    if (!status && !work->table)
        status = LG_ERROR_MEMORY;
    if (!status)
        status = lg_graph_input(graph, "in", &in, error);
    if (!status)
        status = lg_graph_input(graph, "table", &table, error);
    if (!status)
        status = lg_graph_parse(graph, work->row->pipeline, in, &out, error);
    if (!status)
        status = lg_graph_output(graph, out, error);
    const lg_image_params shapes[] = {work->images[0]->shape,
                                      work->table ? work->table->shape : work->images[0]->shape};
    if (!status)
        status = lg_plan_create(work->context, graph, shapes, 2, NULL, &work->plan, error);
    lg_image_params shape;
    if (!status)
        status = lg_plan_output(work->plan, 0, &shape, error);
    if (!status)
        status = lg_image_create_device(work->context, &shape, &work->out, error);
    if (!status) // of another size and kind than what is read
        work->row->written_bytes = (double)shape.width * shape.height * shape.layers *
                                   shape.channels * (double)lg_type_size(shape.type);
    lg_graph_destroy(&graph);
    return status;
}

static void destroy(workload *work)
{
    lg_plan_destroy(&work->plan);
    lg_image_destroy(&work->table);
    lg_image_destroy(&work->mask);
    lg_image_destroy(&work->out);
    for (int i = 0; i < work->image_count; i++)
        lg_image_destroy(&work->images[i]);
    for (int i = 0; i < work->host_count; i++)
        free(work->host[i]);
    free(work);
}

// ---- calls -----------------------------------------------------------------------------------

static void take_digest(bench_row *row, const lg_moments *moments, int channels)
{
    uint64_t digest = 1;
    for (int c = 0; c < channels; c++) {
        const lg_moments *m = &moments[c];
        const double figures[] = {(double)m->count, m->min, m->max, m->sum, m->mean, m->variance};
        digest = lg_hash(figures, sizeof figures, digest);
    }
    row->digest = digest | 1;
    row->figure = moments[0].sum;
}

static lg_status call_moments(workload *work, const lg_image *image, lg_error *error)
{
    bench_row *row = work->row;
    lg_moments_params params = lg_moments_params_default();
    params.select.mask = work->mask;
    params.select.step = row->pixels == BENCH_STEP_2 ? 2 : 1;
    const lg_status status = lg_measure_moments(work->context, image, &params, work->moments,
                                                LG_COUNT(work->moments), error);
    if (!status && !row->digest)
        take_digest(row, work->moments, lg_image_measured_channels(&image->shape));
    return status;
}

static lg_status call_histogram(workload *work, const lg_image *image, lg_error *error)
{
    bench_row *row = work->row;
    lg_histogram *histogram = NULL;
    lg_histogram_params params = lg_histogram_params_default();
    params.space = row->space;
    params.variant = row->asked;
    const lg_status status = lg_measure_histogram(work->context, image, &params, &histogram, error);
    if (status)
        return status;
    if (!row->digest) {
        uint64_t digest = 1;
        for (int c = 0; c < histogram->channels; c++) {
            const lg_histogram_channel *channel = &histogram->channel[c];
            digest = lg_hash(channel->counts, (size_t)channel->bins * sizeof(uint64_t), digest);
        }
        row->digest = digest | 1;
        row->figure = 0;
        for (int i = 0; i < histogram->channel[0].bins; i++)
            row->figure += (double)histogram->channel[0].counts[i] * i;
        snprintf(row->variant, sizeof row->variant, "%s",
                 lg_histogram_variant_name(histogram->variant));
    }
    lg_histogram_destroy(&histogram);
    return LG_OK;
}

static lg_status call_threshold(workload *work, const lg_image *image, lg_error *error)
{
    bench_row *row = work->row;
    lg_threshold threshold = {0};
    lg_image *binary = NULL;
    const lg_status status =
        lg_threshold_image(work->context, image, NULL, &threshold, 1, &binary, error);
    if (status)
        return status;
    if (!row->digest) {
        row->figure = threshold.level[0];
        row->digest = lg_hash(&threshold.level[0], sizeof(double), 1);
        row->digest = lg_hash(&threshold.foreground, sizeof(uint64_t), row->digest) | 1;
    }
    lg_image_destroy(&binary);
    return LG_OK;
}

static lg_status call_filter(workload *work, lg_image *image, lg_error *error)
{
    bench_row *row = work->row;
    lg_image *inputs[] = {image, work->table};
    lg_status status = lg_plan_run(work->plan, inputs, &work->out, error);
    if (status || row->digest)
        return status;
    status = lg_measure_moments(work->context, work->out, NULL, work->moments,
                                LG_COUNT(work->moments), error);
    if (!status)
        take_digest(row, work->moments, lg_image_measured_channels(&work->out->shape));
    return status;
}

static lg_status call(workload *work, lg_error *error)
{
    lg_image *image = work->images[work->next++ % work->image_count];
    switch (work->row->kind) {
    case BENCH_MOMENTS:
        return call_moments(work, image, error);
    case BENCH_THRESHOLD:
        return call_threshold(work, image, error);
    case BENCH_FILTER:
        return call_filter(work, image, error);
    default:
        return call_histogram(work, image, error);
    }
}

// ---- timing ----------------------------------------------------------------------------------

// A GPU that was idle gets faster for a while: until its calls have not become shorter for some time.
static lg_status warm_up(workload *work, bool gpu, lg_error *error)
{
    const int min = LG_MAX(3, LG_MIN(work->image_count, 32));
    const double start = lg_time_seconds();
    double now = start, faster = start, least = HUGE_VAL;
    lg_status status = LG_OK;
    for (int i = 0; !status && (i < min || (gpu && now - faster < RAMP_SECONDS &&
                                            now - start < MOST_RAMP_SECONDS));
         i++) {
        lg_engine_report report;
        status = call(work, error);
        now = lg_time_seconds();
        lg_context_report(work->context, &report);
        if (report.compute > 0 && report.compute < 0.95 * least) {
            least = report.compute;
            faster = now;
        }
    }
    return status;
}

// After a call whose transfers left the GPU idle: work until its clock has not had time to fall.
static void keep_clock(workload *work, double idle)
{
    const double start = lg_time_seconds();
    while (idle > IDLE_SECONDS && lg_time_seconds() - start < 3 * idle)
        call_moments(work, work->images[0], NULL);
}

static lg_status time_calls(workload *work, lg_error *error)
{
    bench_row *row = work->row;
    double host[BENCH_SAMPLES], compute[BENCH_SAMPLES], spent = 0;
    bool timed = work->run->devices[row->device].info.kind == LG_DEVICE_VULKAN;
    lg_status status = warm_up(work, timed, error);
    const int min = LG_MIN(work->run->options.samples, BENCH_SAMPLES);
    double took = 0;
    while (!status && row->samples < BENCH_SAMPLES && (row->samples < min || spent < MIN_SECONDS)) {
        if (timed)
            keep_clock(work, took);
        const double start = lg_time_seconds();
        status = call(work, error);
        took = lg_time_seconds() - start;
        lg_engine_report report;
        lg_context_report(work->context, &report);
        timed = timed && report.compute >= 0;
        host[row->samples] = took;
        compute[row->samples++] = report.compute;
        spent += took;
        if (!row->variant[0])
            snprintf(row->variant, sizeof row->variant, "%s", report.variant);
    }
    if (status)
        return status;
    row->host = bench_statistics(host, row->samples);
    if (timed)
        row->compute = bench_statistics(compute, row->samples);
    return LG_OK;
}

// The counters move in steps of about 0.1 s, so the same call is repeated for a few seconds.
static void count_energy(workload *work, const bench_device *device)
{
    bench_row *row = work->row;
    const double seconds = work->run->options.energy_seconds;
    if (!device->energy || seconds <= 0)
        return;
    const double idle = bench_energy_idle(device->energy);
    double start = lg_time_seconds();
    while (lg_time_seconds() - start < 0.3)
        call(work, NULL);
    const double before = bench_energy_read(device->energy);
    int64_t calls = 0;
    start = lg_time_seconds();
    double took = 0;
    while (took < seconds) {
        call(work, NULL);
        calls++;
        took = lg_time_seconds() - start;
    }
    const double after = bench_energy_read(device->energy);
    if (before < 0 || after <= before)
        return;
    row->joules = (after - before) / (double)calls;
    row->joules_idle = idle * took / (double)calls;
}

static void count_bytes(bench_row *row)
{
    const double pixels = (double)row->width * row->height;
    const double size = pixels * row->channels * (double)lg_type_size(row->type);
    // Otsu reads twice: once to count, once to compare.
    row->read_bytes = row->kind == BENCH_THRESHOLD ? 2 * size : size;
    if (row->pixels == BENCH_MASKED)
        row->read_bytes += pixels;
    if (row->pixels == BENCH_STEP_2)
        row->read_bytes /= 4; // what lies between shares its lines, and is read in fact
    row->written_bytes = row->kind == BENCH_THRESHOLD ? pixels : 0; // filters: make_plan()
}

void bench_measure(bench_run *run, bench_row *row)
{
    const bench_device *device = &run->devices[row->device];
    const bench_times none = {-1, -1, -1, -1};
    row->host = row->compute = none;
    row->joules = row->joules_idle = row->ceiling = -1;
    count_bytes(row);
    workload *work = calloc(1, sizeof *work);
    if (!work) {
        refuse(row, "memory is used up");
        return;
    }
    work->run = run;
    work->row = row;
    work->context = device->context;
    lg_error error = {0};
    if (make_images(work)) {
        if ((row->pixels != BENCH_MASKED || make_mask(work, &error) == LG_OK) &&
            (row->kind != BENCH_FILTER || make_plan(work, &error) == LG_OK) &&
            time_calls(work, &error) == LG_OK)
            count_energy(work, device);
        else
            refuse(row, "%.190s", error.message);
    }
    destroy(work);
    const size_t input =
        (size_t)row->width * (size_t)row->height * (size_t)row->channels * lg_type_size(row->type);
    if (!row->why[0] && !row->upload)
        row->ceiling = bench_ceiling(run, row->device, input, row->cold, row->written_bytes > 0);
}
