// Memory that CUDA sees, too: what a measurement there costs beside one of an image of the device, what
// a copy costs, and what a measurement adds to a chain of work that CUDA does.
#include <lumagraph/cuda.h>

#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench cuda [OPTIONS]\n"
    "\n"
    "Times moments of an image in device memory, in memory that CUDA sees, too, and of one that "
    "is\n"
    "copied from such memory first. `x` is the speed beside the first row of its type. Then a "
    "chain:\n"
    "CUDA copies an image of 1920x1080, lumagraph measures its mean behind it, and CUDA goes on.\n"
    "`added` is what this takes longer than the copies alone and the measurements alone. In "
    "groups\n"
    "of links CUDA copies all images before lumagraph measures them.\n"
    "\n"
    "  --size WxH          of an image, default 16384x16384\n"
    "  --device N          CUDA's number of the device, default 0\n"
    "  --rounds N          how often, default 20; the median counts\n"
    "  --links N           of a chain, default 200\n";

enum { MOST_ROUNDS = 1000 };

typedef struct cuda_bench {
    int32_t width, height;
    int device, rounds, links;
    lg_context *context;
    lg_cuda *cuda;
} cuda_bench;

typedef struct cuda_work {
    cuda_bench *bench;
    lg_image_params shape;
    lg_cuda_image *theirs, *shared; // what a tensor is, what lumagraph measures
    lg_image *resident;
    lg_plan *plan; // of the mean
    lg_image *figures;
    lg_moments moments;
    int group; // links of a chain that are ordered together
} cuda_work;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static lg_status time_median(cuda_work *w, lg_status (*work)(cuda_work *w, lg_error *error),
                             double *out, lg_error *error)
{
    double seconds[MOST_ROUNDS];
    lg_status status = work(w, error);
    for (int i = 0; i < w->bench->rounds && !status; i++) {
        const double start = lg_time_seconds();
        status = work(w, error);
        seconds[i] = lg_time_seconds() - start;
    }
    if (status)
        return status;
    qsort(seconds, (size_t)w->bench->rounds, sizeof *seconds, compare);
    *out = seconds[w->bench->rounds / 2];
    return LG_OK;
}

// ---- one image ------------------------------------------------------------------------------------

static lg_status copy(cuda_work *w, lg_error *error)
{
    const lg_cuda_image *from = w->theirs;
    return lg_cuda_copy(w->bench->cuda, w->shared, from->data, from->row_stride, from->layer_stride,
                        lg_cuda_stream(w->bench->cuda), error);
}

static lg_status wait_on_host(cuda_work *w, lg_error *error)
{
    return lg_cuda_finish(w->bench->cuda, lg_cuda_stream(w->bench->cuda), error);
}

static lg_status wait_on_device(cuda_work *w, lg_error *error)
{
    return lg_cuda_wait(w->bench->cuda, lg_cuda_stream(w->bench->cuda), error);
}

static lg_status measure(cuda_work *w, const lg_image *image, lg_error *error)
{
    return lg_measure_moments(w->bench->context, image, NULL, &w->moments, 1, error);
}

static lg_status measure_resident(cuda_work *w, lg_error *error)
{
    return measure(w, w->resident, error);
}

static lg_status measure_shared(cuda_work *w, lg_error *error)
{
    const lg_status status = wait_on_host(w, error);
    return status ? status : measure(w, w->shared->image, error);
}

static lg_status copy_alone(cuda_work *w, lg_error *error)
{
    const lg_status status = copy(w, error);
    return status ? status : wait_on_host(w, error);
}

static lg_status measure_copied(cuda_work *w, lg_error *error)
{
    const lg_status status = copy_alone(w, error);
    return status ? status : measure(w, w->shared->image, error);
}

static lg_status measure_behind(cuda_work *w, lg_error *error)
{
    lg_status status = copy(w, error);
    if (!status)
        status = wait_on_device(w, error);
    return status ? status : measure(w, w->shared->image, error);
}

// ---- a chain --------------------------------------------------------------------------------------

static lg_status submit(cuda_work *w, lg_error *error)
{
    return lg_plan_submit(w->plan, &w->shared->image, NULL, w->figures, error);
}

static lg_status repeat(cuda_work *w, lg_status (*work)(cuda_work *w, lg_error *error), int count,
                        lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < count && !status; i++)
        status = work(w, error);
    return status;
}

static lg_status chain_of(cuda_work *w, bool copies, bool measures, lg_error *error)
{
    lg_cuda *cuda = w->bench->cuda;
    lg_status status = LG_OK;
    for (int i = 0; i < w->bench->links && !status; i += w->group) {
        const int count = LG_MIN(w->group, w->bench->links - i);
        if (copies)
            status = repeat(w, copy, count, error);
        if (!status && copies && measures)
            status = wait_on_device(w, error);
        if (!status && measures)
            status = repeat(w, submit, count, error);
        if (!status && copies && measures)
            status = lg_cuda_signal(cuda, lg_cuda_stream(cuda), error);
    }
    if (!status && measures)
        status = lg_plan_wait(w->plan, error);
    return status || !copies ? status : wait_on_host(w, error);
}

static lg_status chain_copies(cuda_work *w, lg_error *error)
{
    return chain_of(w, true, false, error);
}

static lg_status chain_measures(cuda_work *w, lg_error *error)
{
    return chain_of(w, false, true, error);
}

static lg_status chain_both(cuda_work *w, lg_error *error)
{
    return chain_of(w, true, true, error);
}

// ---- images ---------------------------------------------------------------------------------------

static lg_status make_plan(cuda_work *w, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_node in;
    lg_status status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, error);
    if (!status)
        status = lg_graph_figure(graph, in, "@mean", "mean", error);
    if (!status)
        status = lg_plan_create(w->bench->context, graph, &w->shape, 1, NULL, &w->plan, error);
    lg_graph_destroy(&graph);
    const lg_image_params rows = {
        .width = 4, .height = 1, .layers = 1, .channels = 1, .type = LG_F32};
    return status ? status : lg_image_create_device(w->bench->context, &rows, &w->figures, error);
}

// Random pixels, those of integers of any value and of floats from 0 to 2.
static lg_status fill(cuda_work *w, lg_error *error)
{
    lg_image *host = NULL;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in;
    lg_status status = lg_image_create(w->bench->context, &w->shape, &host, error);
    uint64_t state = 88172645463325252u;
    for (int32_t y = 0; !status && y < w->shape.height; y++) {
        uint64_t *row = (uint64_t *)((char *)host->data + (size_t)y * host->shape.row_stride);
        for (size_t x = 0; x < host->shape.row_stride / sizeof *row; x++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            row[x] = w->shape.type == LG_F32 ? state & 0x3fffffff3fffffffu : state;
        }
    }
    if (!status)
        status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, error);
    if (!status)
        status = lg_graph_output(graph, in, error);
    if (!status)
        status = lg_plan_create(w->bench->context, graph, &w->shape, 1, NULL, &plan, error);
    lg_image *const to[] = {w->theirs->image, w->shared->image, w->resident};
    for (size_t i = 0; i < LG_COUNT(to) && !status; i++)
        status = lg_plan_run(plan, &host, &to[i], error);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&host);
    return status;
}

static lg_status open_work(cuda_work *w, lg_error *error)
{
    cuda_bench *b = w->bench;
    lg_status status = lg_cuda_image_create(b->cuda, &w->shape, &w->theirs, error);
    if (!status)
        status = lg_cuda_image_create(b->cuda, &w->shape, &w->shared, error);
    if (!status)
        status = lg_image_create_device(b->context, &w->shape, &w->resident, error);
    if (!status)
        status = make_plan(w, error);
    return status ? status : fill(w, error);
}

static void close_work(cuda_work *w)
{
    lg_plan_destroy(&w->plan);
    lg_image_destroy(&w->figures);
    lg_image_destroy(&w->resident);
    lg_cuda_image_destroy(w->bench->cuda, &w->theirs);
    lg_cuda_image_destroy(w->bench->cuda, &w->shared);
}

// ---- rows -----------------------------------------------------------------------------------------

typedef struct cuda_row {
    const char *name;
    lg_status (*work)(cuda_work *w, lg_error *error);
} cuda_row;

static lg_status print_rows(cuda_work *w, const cuda_row *rows, size_t count, lg_error *error)
{
    const double samples = (double)w->shape.width * w->shape.height;
    double first = 0;
    lg_moments figures;
    memset(&figures, 0, sizeof figures);
    for (size_t i = 0; i < count; i++) {
        double seconds;
        const lg_status status = time_median(w, rows[i].work, &seconds, error);
        if (status)
            return status;
        first = i ? first : seconds;
        if (!i)
            figures = w->moments;
        printf("%-4s %5dx%-5d  %-34s %10.1f us %9.1f GB/s %6.3f x  %s\n",
               lg_type_name(w->shape.type), w->shape.width, w->shape.height, rows[i].name,
               seconds * 1e6, samples * (double)lg_type_size(w->shape.type) / seconds * 1e-9,
               first / seconds,
               memcmp(&figures, &w->moments, sizeof figures) ? "OTHER BITS" : "same bits");
        fflush(stdout);
    }
    return LG_OK;
}

static lg_status bench_image(cuda_bench *b, lg_type type, int32_t width, int32_t height,
                             lg_error *error)
{
    static const cuda_row rows[] = {
        {"image of the device", measure_resident},
        {"shared memory", measure_shared},
        {"copied, the host waits between", measure_copied},
        {"copied, a semaphore between", measure_behind},
        {"the copy alone", copy_alone},
    };
    cuda_work w = {
        .bench = b,
        .shape = {.width = width, .height = height, .layers = 1, .channels = 1, .type = type}};
    lg_status status = open_work(&w, error);
    if (!status)
        status = print_rows(&w, rows, LG_COUNT(rows), error);
    close_work(&w);
    return status;
}

static lg_status bench_chain(cuda_bench *b, lg_error *error)
{
    cuda_work w = {.bench = b,
                   .group = 1,
                   .shape = {.width = 1920,
                             .height = 1080,
                             .layers = 1,
                             .channels = 4,
                             .type = LG_U8,
                             .alpha = LG_ALPHA_STRAIGHT}};
    static const int groups[] = {1, 8, 32};
    const double link = 1e6 / b->links;
    double copies = 0, measures = 0;
    lg_status status = open_work(&w, error);
    if (!status)
        status = time_median(&w, chain_copies, &copies, error);
    if (!status)
        status = time_median(&w, chain_measures, &measures, error);
    for (size_t i = 0; i < LG_COUNT(groups) && !status; i++) {
        double both = 0;
        w.group = groups[i];
        status = time_median(&w, chain_both, &both, error);
        if (!status)
            printf("chain, us per link, in groups of %d: copies alone %.2f, measurements alone "
                   "%.2f, both %.2f, added %.2f; %s\n",
                   w.group, copies * link, measures * link, both * link,
                   (both - copies - measures) * link,
                   lg_cuda_has_semaphores(b->cuda) ? "semaphores" : "the host waits");
    }
    close_work(&w);
    return status;
}

static int run(cuda_bench *b)
{
    lg_error error = {LG_OK, ""};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    params.strict = true;
    lg_status status = lg_cuda_find(b->device, &params.device_index, &error);
    if (!status)
        status = lg_context_create(&params, &b->context, &error);
    if (!status)
        status = lg_cuda_create(b->context, &b->cuda, &error);
    lg_device_info info;
    if (!status) {
        lg_context_device(b->context, &info);
        printf("cuda:%d: %s, %s\n", b->device, info.name, info.driver);
        status = bench_image(b, LG_U8, b->width, b->height, &error);
    }
    if (!status)
        status = bench_image(b, LG_F32, b->width, b->height, &error);
    if (!status)
        status = bench_image(b, LG_U8, 1920, 1080, &error);
    if (!status)
        status = bench_chain(b, &error);
    if (status)
        fprintf(stderr, "bench cuda: %s\n", error.message);
    lg_cuda_destroy(&b->cuda);
    lg_context_destroy(&b->context);
    return status ? 4 : 0;
}

// ---- options --------------------------------------------------------------------------------------

static bool take_number(const char *value, int least, int most, int *out)
{
    *out = atoi(value);
    return *out >= least && *out <= most;
}

static bool take(void *to, const char *name, const char *value)
{
    cuda_bench *b = to;
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%dx%d", &b->width, &b->height) == 2 && b->width > 0 && b->height > 0;
    if (strcmp(name, "--device") == 0)
        return take_number(value, 0, 63, &b->device);
    if (strcmp(name, "--rounds") == 0)
        return take_number(value, 1, MOST_ROUNDS, &b->rounds);
    return strcmp(name, "--links") == 0 && take_number(value, 1, 100000, &b->links);
}

int bench_cuda_main(int argc, char **argv)
{
    cuda_bench b = {.width = 16384, .height = 16384, .rounds = 20, .links = 200};
    const bench_own_options own = {.usage = usage, .take = take, .to = &b};
    int status = 0;
    return bench_parse_own(argc, argv, &own, &status) ? run(&b) : status;
}
