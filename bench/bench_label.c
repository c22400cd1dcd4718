// Labels of whole images on the CPU and on a GPU, there with the image in its memory and with both ways: what
// is faster for somebody who has the image in host memory and wants the labels there.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_label_content.h"

#include <lumagraph/components.h>

static const char usage[] =
    "usage: lumagraph bench label [OPTIONS]\n"
    "\n"
    "Times labels of connected components, numbered in raster order, on the CPU and on a Vulkan "
    "GPU:\n"
    "noise of every density and grain, a natural image, a spiral, a comb, a checkerboard. "
    "`resident` is\n"
    "the GPU with image and labels in its memory, `moved` with both in host memory. The labels of "
    "both\n"
    "devices must be the same.\n"
    "\n"
    "  --size WxH          default 3840x2160\n"
    "  --content NAME      random, natural, spiral, comb, checkerboard, full or empty; default "
    "all\n"
    "  --density LIST      percent, of random; default 0,10,20,30,40,45,50,60,70,80,90,100\n"
    "  --granularity LIST  side of its squares, 1 to 16; default 1,2,4,8,16\n"
    "  --connectivity N    4 or 8, the default\n"
    "  --figures           areas, boxes and centroids as well\n"
    "  --device NAME       cpu: only that; vulkan or vulkan:N; default both, if there is a GPU\n"
    "  --threads N         of the CPU; default all\n"
    "  --samples N         the median counts; default 7\n"
    "  --csv               instead of the table\n";

#define MOST_LISTED 32

typedef struct number_list {
    int count, at[MOST_LISTED];
} number_list;

typedef struct label_bench {
    lg_context_params cpu_params;
    const char *device; // as given, NULL without --device
    lg_context *cpu, *gpu;
    int32_t width, height;
    int content, connectivity, samples;
    number_list densities, grains;
    bool figures, csv, differ;
} label_bench;

// One device's image and what it is labelled into.
typedef struct side {
    lg_context *context;
    lg_image *image;
    lg_labels *labels;
} side;

enum { CPU, RESIDENT, MOVED, WAYS };

static void close_side(side *s)
{
    lg_labels_destroy(&s->labels);
    lg_image_destroy(&s->image);
}

static lg_status open_side(const label_bench *b, lg_context *context, side *s, lg_error *error)
{
    const lg_image_params shape = {
        .width = b->width, .height = b->height, .layers = 1, .channels = 1, .type = LG_U8};
    s->context = context;
    return lg_image_create(context, &shape, &s->image, error);
}

static lg_status label_once(const label_bench *b, side *s, const lg_label_params *params, int way,
                            lg_error *error)
{
    lg_components *components = NULL, **wanted = b->figures ? &components : NULL;
    lg_status status =
        s->labels ? lg_label_update(s->context, s->image, params, NULL, s->labels, wanted, error)
                  : lg_label_image(s->context, s->image, params, NULL, &s->labels, wanted, error);
    if (!status && way == MOVED)
        status = lg_labels_download(s->context, s->labels, error);
    lg_components_destroy(&components);
    return status;
}

// The median, in seconds.
static lg_status time_side(const label_bench *b, side *s, const lg_label_params *params, int way,
                           double *out, lg_error *error)
{
    double times[BENCH_SAMPLES];
    lg_status status = label_once(b, s, params, way, error);
    const double begin = lg_time_seconds();
    while (way != CPU && !status && lg_time_seconds() - begin < RAMP_SECONDS)
        status = label_once(b, s, params, way, error);
    for (int i = 0; i < b->samples && !status; i++) {
        const double start = lg_time_seconds();
        status = label_once(b, s, params, way, error);
        times[i] = lg_time_seconds() - start;
    }
    if (!status)
        *out = bench_statistics(times, b->samples).median;
    return status;
}

static bool same_labels(const lg_labels *a, const lg_labels *b)
{
    bool same = a->count == b->count;
    for (int32_t y = 0; y < a->height && same; y++)
        same = memcmp((const char *)a->data + (size_t)y * a->row_stride,
                      (const char *)b->data + (size_t)y * b->row_stride,
                      (size_t)a->width * sizeof *a->data) == 0;
    return same;
}

static void print_row(label_bench *b, label_picture picture, int density, int grain,
                      uint32_t components, const double *seconds)
{
    const bool random = picture == PICTURE_RANDOM, gpu = b->gpu != NULL;
    const char *faster = !gpu ? "" : seconds[MOVED] < seconds[CPU] ? "gpu" : "cpu";
    char cells[WAYS][32] = {"", "", ""}, parts[2][16] = {"", ""};
    for (int way = 0; way < (gpu ? WAYS : 1); way++)
        snprintf(cells[way], sizeof cells[way], "%.3f", seconds[way] * 1e3);
    if (random) {
        snprintf(parts[0], sizeof parts[0], "%d", density);
        snprintf(parts[1], sizeof parts[1], "%d", grain);
    }
    printf(b->csv ? "%s,%s,%s,%u,%s,%s,%s,%s\n" : "%-13s %7s %5s %10u %9s %11s %10s  %s\n",
           label_picture_names[picture], parts[0], parts[1], components, cells[CPU],
           cells[RESIDENT], cells[MOVED], faster);
    fflush(stdout);
}

static lg_status bench_picture(label_bench *b, label_picture picture, int density, int grain,
                               lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    params.foreground = LG_FOREGROUND_ABOVE;
    params.level = label_picture_level(picture, density);
    params.connectivity = b->connectivity;
    params.figures = b->figures;
    side sides[WAYS] = {{0}};
    double seconds[WAYS] = {0};
    lg_status status = LG_OK;
    for (int way = CPU; way < (b->gpu ? WAYS : 1) && !status; way++) {
        side *s = &sides[way];
        status = open_side(b, way == CPU ? b->cpu : b->gpu, s, error);
        if (!status && !label_picture_draw(picture, grain, s->image->data,
                                           s->image->shape.row_stride, b->width, b->height))
            status = lg_fail_memory(error, (size_t)b->width * (size_t)b->height, "the picture");
        if (!status && way == RESIDENT)
            status = lg_image_upload(b->gpu, s->image, error);
        if (!status)
            status = time_side(b, s, &params, way, &seconds[way], error);
        if (!status && way == MOVED && !same_labels(sides[CPU].labels, s->labels)) {
            fprintf(stderr, "bench: the labels of both devices differ\n");
            b->differ = true;
        }
    }
    if (!status)
        print_row(b, picture, density, grain, sides[CPU].labels->count, seconds);
    for (int way = 0; way < WAYS; way++)
        close_side(&sides[way]);
    return status;
}

static lg_status bench_pictures(label_bench *b, lg_error *error)
{
    lg_status status = LG_OK;
    for (int picture = 0; picture < PICTURES && !status; picture++) {
        if (b->content >= 0 && b->content != picture)
            continue;
        const bool random = picture == PICTURE_RANDOM;
        for (int g = 0; g < (random ? b->grains.count : 1); g++)
            for (int d = 0; d < (random ? b->densities.count : 1) && !status; d++)
                status = bench_picture(b, (label_picture)picture, b->densities.at[d],
                                       b->grains.at[g], error);
    }
    return status;
}

// ---- options --------------------------------------------------------------------------------------

static bool take_list(number_list *list, const char *text, int min, int max)
{
    for (list->count = 0; *text && list->count < MOST_LISTED; list->count++) {
        char *end;
        const long value = strtol(text, &end, 10);
        if (end == text || value < min || value > max || (*end && *end != ','))
            return false;
        list->at[list->count] = (int)value;
        text = end + (*end == ',');
    }
    return list->count > 0 && !*text;
}

static bool take_option(void *to, const char *name, const char *value)
{
    label_bench *b = to;
    const int number = atoi(value);
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%dx%d", &b->width, &b->height) == 2 && b->width > 0 && b->height > 0;
    if (strcmp(name, "--content") == 0)
        return (b->content = label_picture_find(value)) >= 0;
    if (strcmp(name, "--density") == 0)
        return take_list(&b->densities, value, 0, 100);
    if (strcmp(name, "--granularity") == 0)
        return take_list(&b->grains, value, 1, 16);
    if (strcmp(name, "--connectivity") == 0)
        return (b->connectivity = number) == 4 || number == 8;
    if (strcmp(name, "--samples") == 0)
        return (b->samples = number) > 0 && number <= BENCH_SAMPLES;
    if (strcmp(name, "--threads") == 0)
        return (b->cpu_params.threads = number) > 0;
    if (strcmp(name, "--device") == 0) {
        b->device = value;
        return strcmp(value, "cpu") == 0 || strncmp(value, "vulkan", 6) == 0;
    }
    return false;
}

// Without --device Vulkan in software is left out, and a machine without a GPU is no error.
static lg_status open_contexts(label_bench *b, lg_error *error)
{
    const char *device = b->device;
    lg_context_params gpu = lg_context_params_default();
    lg_device_info info;
    b->cpu_params.device = LG_DEVICE_CPU;
    gpu.device = device ? LG_DEVICE_VULKAN : LG_DEVICE_AUTO;
    gpu.strict = true; // times are of the device that they name
    if (device && strncmp(device, "vulkan:", 7) == 0)
        gpu.device_index = atoi(device + 7);
    lg_status status = lg_context_create(&b->cpu_params, &b->cpu, error);
    if (status || (device && strcmp(device, "cpu") == 0))
        return status;
    status = lg_context_create(&gpu, &b->gpu, error);
    if (status)
        return status;
    lg_context_device(b->gpu, &info);
    if (info.kind != LG_DEVICE_VULKAN)
        lg_context_destroy(&b->gpu);
    return LG_OK;
}

static void print_head(const label_bench *b)
{
    lg_device_info cpu, gpu = {0};
    lg_context_device(b->cpu, &cpu);
    if (b->gpu)
        lg_context_device(b->gpu, &gpu);
    if (b->csv) {
        puts("content,density,granularity,components,cpu_ms,resident_ms,moved_ms,faster");
        return;
    }
    printf("%d x %d, %d-connected%s; %s, %d threads%s%s\n", b->width, b->height, b->connectivity,
           b->figures ? ", with areas, boxes and centroids" : "", cpu.name, cpu.threads,
           b->gpu ? "; " : "", b->gpu ? gpu.name : "");
    printf("%-13s %7s %5s %10s %9s %11s %10s  %s\n", "content", "density", "grain", "components",
           "cpu ms", "resident ms", "moved ms", b->gpu ? "from host memory, faster" : "");
}

int bench_label_main(int argc, char **argv)
{
    label_bench b = {.cpu_params = lg_context_params_default(),
                     .width = 3840,
                     .height = 2160,
                     .content = -1,
                     .connectivity = 8,
                     .samples = 7,
                     .densities = {12, {0, 10, 20, 30, 40, 45, 50, 60, 70, 80, 90, 100}},
                     .grains = {5, {1, 2, 4, 8, 16}}};
    lg_error error = {LG_OK, ""};
    const bench_own_options own = {.usage = usage,
                                   .flags = {{"--csv", &b.csv}, {"--figures", &b.figures}},
                                   .take = take_option,
                                   .to = &b};
    int wrong;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    lg_status status = open_contexts(&b, &error);
    if (!status) {
        print_head(&b);
        status = bench_pictures(&b, &error);
    }
    if (status)
        fprintf(stderr, "bench: %s\n", error.message);
    lg_context_destroy(&b.gpu);
    lg_context_destroy(&b.cpu);
    return status ? 4 : b.differ ? 1 : 0;
}
