// Frames through a pipeline as planes of Y'CbCr, and as RGBA of the same depth: bytes that go to the device,
// and times. Both are run in turn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <lumagraph/graph.h>

static const char usage[] =
    "usage: lumagraph bench frames [OPTIONS]\n"
    "\n"
    "Times a pipeline on frames of host memory, stored as planes (4:2:0) and as RGBA of the same\n"
    "depth: bytes per pixel that go in, and milliseconds of upload, stages, download and in all.\n"
    "\n"
    "  --device auto|cpu|vulkan|vulkan:N   default cpu\n"
    "  --size WxH          default 1920x1080\n"
    "  --pipeline TEXT     default brightness:brightness=0.1\n"
    "  --samples N         default 15, the median counts\n"
    "  --threads N         default all\n";

typedef struct frames {
    const char *device, *pipeline;
    int32_t width, height;
    int samples, threads;
    lg_context *context;
} frames;

typedef struct way {
    const char *name;
    lg_image_params shape;
    lg_planes planes;
    lg_image *in, *out;
    lg_plan *plan;
    double seconds[4][BENCH_SAMPLES]; // upload, stages, download, in all
} way;

static way way_of(const frames *b, bool planar, int bits)
{
    way w = {.name = planar ? "planes" : "RGBA"};
    w.shape = (lg_image_params){.width = b->width,
                                .height = b->height,
                                .layers = 1,
                                .channels = 4,
                                .type = bits > 8 ? LG_U16 : LG_U8,
                                .alpha = LG_ALPHA_OPAQUE};
    w.planes = (lg_planes){LG_PLANES_DEFAULTS};
    w.planes.bits = bits;
    return w;
}

static void fill(const lg_image *image, int bits)
{
    const size_t samples = (size_t)image->shape.width * (size_t)image->shape.channels;
    uint32_t state = 1;
    for (int32_t y = 0; y < image->shape.height; y++) {
        char *row = (char *)image->data + (size_t)y * image->shape.row_stride;
        for (size_t x = 0; x < samples; x++) {
            state = state * 1664525u + 1013904223u;
            const uint16_t code = (uint16_t)(state >> (32 - bits));
            if (bits > 8)
                memcpy(row + 2 * x, &code, 2);
            else
                row[x] = (char)code;
        }
    }
}

static lg_status make_plan(const frames *b, way *w, lg_error *error)
{
    lg_graph *graph = NULL;
    const lg_planes *stored = w->shape.planes;
    lg_status status = bench_graph(b->pipeline, &graph, error);
    if (!status)
        status =
            lg_plan_create_planes(b->context, graph, &w->shape, 1, NULL, &stored, &w->plan, error);
    lg_graph_destroy(&graph);
    return status;
}

static lg_status begin(const frames *b, way *w, bool planar, lg_error *error)
{
    lg_image_params shape;
    w->shape.planes = planar ? &w->planes : NULL;
    lg_status status = lg_image_create(b->context, &w->shape, &w->in, error);
    if (!status && !planar)
        fill(w->in, w->planes.bits);
    for (int i = 0; i < LG_MAX_PLANES && planar && !status; i++) {
        lg_image *plane = NULL;
        status = lg_image_plane(w->in, i, &plane, error);
        if (!status)
            fill(plane, w->planes.bits);
        lg_image_destroy(&plane);
    }
    if (!status)
        status = make_plan(b, w, error);
    if (!status)
        status = lg_plan_output(w->plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(b->context, &shape, &w->out, error);
    return status ? status : lg_plan_run(w->plan, &w->in, &w->out, error);
}

static void end(way *w)
{
    lg_plan_destroy(&w->plan);
    lg_image_destroy(&w->in);
    lg_image_destroy(&w->out);
}

static lg_status time_run(const frames *b, way *w, int sample, lg_error *error)
{
    lg_engine_report report;
    const double start = lg_time_seconds();
    const lg_status status = lg_plan_run(w->plan, &w->in, &w->out, error);
    w->seconds[3][sample] = lg_time_seconds() - start;
    lg_context_report(b->context, &report);
    w->seconds[0][sample] = report.upload;
    w->seconds[1][sample] = report.compute;
    w->seconds[2][sample] = report.download;
    return status;
}

static void print_way(const frames *b, way *w)
{
    const double size = w->shape.type == LG_U8 ? 1 : 2;
    printf("%4d bits  %-8s %8.2f", w->planes.bits, w->name, size * (w->shape.planes ? 1.5 : 4));
    for (int k = 0; k < 4; k++) {
        const double median = bench_statistics(w->seconds[k], b->samples).median;
        if (median < 0)
            printf(" %10s", "-");
        else
            printf(" %10.3f", median * 1e3);
    }
    putchar('\n');
}

static lg_status time_depth(const frames *b, int bits, lg_error *error)
{
    way ways[2] = {way_of(b, true, bits), way_of(b, false, bits)};
    lg_status status = begin(b, &ways[0], true, error);
    if (!status)
        status = begin(b, &ways[1], false, error);
    for (int i = 0; i < 2 * b->samples && !status; i++)
        status = time_run(b, &ways[i % 2], i / 2, error);
    for (int i = 0; i < 2 && !status; i++)
        print_way(b, &ways[i]);
    for (int i = 0; i < 2; i++)
        end(&ways[i]);
    return status;
}

static bool take(void *to, const char *name, const char *value)
{
    frames *b = to;
    char rest;
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%dx%d%c", &b->width, &b->height, &rest) == 2 && b->width > 0 &&
               b->height > 0 && b->width <= 32768 && b->height <= 32768;
    if (strcmp(name, "--samples") == 0)
        return sscanf(value, "%d%c", &b->samples, &rest) == 1 && b->samples > 0 &&
               b->samples <= BENCH_SAMPLES;
    if (strcmp(name, "--threads") == 0)
        return sscanf(value, "%d%c", &b->threads, &rest) == 1 && b->threads > 0;
    if (strcmp(name, "--pipeline") == 0)
        b->pipeline = value;
    else if (strcmp(name, "--device") == 0)
        b->device = value;
    else
        return false;
    return true;
}

static bool take_device(const char *name, lg_context_params *params)
{
    char rest;
    if (strcmp(name, "cpu") == 0 || strcmp(name, "auto") == 0) {
        params->device = strcmp(name, "cpu") == 0 ? LG_DEVICE_CPU : LG_DEVICE_AUTO;
        return true;
    }
    params->device = LG_DEVICE_VULKAN;
    return strcmp(name, "vulkan") == 0 ||
           sscanf(name, "vulkan:%d%c", &params->device_index, &rest) == 1;
}

int bench_frames_main(int argc, char **argv)
{
    frames b = {.device = "cpu",
                .pipeline = "brightness:brightness=0.1",
                .width = 1920,
                .height = 1080,
                .samples = 15,
                .threads = -1};
    const bench_own_options own = {usage, {{NULL, NULL}}, take, &b};
    lg_context_params params = lg_context_params_default();
    lg_device_info info;
    lg_error error = {0};
    int wrong = 0;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    if (!take_device(b.device, &params)) {
        fprintf(stderr, "bench: '%s' is no device; use auto, cpu, vulkan or vulkan:N\n", b.device);
        return 2;
    }
    params.strict = true;
    params.threads = b.threads;
    lg_status status = lg_context_create(&params, &b.context, &error);
    if (!status) {
        lg_context_device(b.context, &info);
        printf("%s, %d x %d, 4:2:0, %s\n", info.name, b.width, b.height, b.pipeline);
        printf("%9s  %-8s %8s %10s %10s %10s %10s  ms\n", "", "stored", "bytes", "upload", "stages",
               "download", "in all");
    }
    for (int bits = 8; bits <= 10 && !status; bits += 2)
        status = time_depth(&b, bits, &error);
    lg_context_destroy(&b.context);
    if (status)
        fprintf(stderr, "bench: %s\n", error.message);
    return status ? 4 : 0;
}
