// First runs: what a plan and its first run take with no kernel kept from before, and what the
// compilers took of it. Every row is a context of its own.
#include <limits.h>
#include <lumagraph/graph.h>
#include <lumagraph/image.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench first [OPTIONS]\n"
    "\n"
    "Times plans and their first runs with an empty cache, and names the kernels that were made.\n"
    "Set __GL_SHADER_DISK_CACHE=0 as well: NVIDIA's driver has a cache of its own.\n"
    "\n"
    "  --size WxH          default 512x512\n"
    "  --channels N        1 or 4; default both\n"
    "  --pipeline TEXT     may be repeated: instead of the usual ones\n"
    "  --rounds N          how often, default 1\n"
    "  --threads N         default all\n"
    "  --kernels           also a line for every kernel: of the compiler of texts, of the driver\n";

typedef struct first_bench {
    int32_t width, height;
    int channels, rounds, threads; // channels 0: both
    bool kernels;
    const char *pipelines[32];
    int count;
} first_bench;

typedef struct first_times {
    double open, plan, first, second; // seconds
} first_times;

static void log_line(void *priv, lg_log_level level, const char *message)
{
    const first_bench *b = priv;
    if (b->kernels && level == LG_LOG_DEBUG)
        printf("    %s\n", message);
    if (level <= LG_LOG_WARN)
        printf("    ! %s\n", message);
}

static lg_status make_plan(lg_context *context, const char *pipeline, const lg_image_params *shape,
                           lg_plan **out, lg_error *error)
{
    lg_graph *graph = NULL;
    lg_status status = bench_graph(pipeline, &graph, error);
    if (!status)
        status = lg_plan_create(context, graph, shape, 1, NULL, out, error);
    lg_graph_destroy(&graph);
    return status;
}

static lg_status time_runs(lg_context *context, const char *pipeline, lg_image *image,
                           first_times *out, lg_error *error)
{
    lg_plan *plan = NULL;
    lg_image *result = NULL;
    lg_image_params shape;
    const double start = lg_time_seconds();
    lg_status status = make_plan(context, pipeline, &image->shape, &plan, error);
    const double planned = lg_time_seconds();
    out->plan = planned - start;
    if (!status)
        status = lg_plan_output(plan, 0, &shape, error);
    if (!status)
        status = lg_image_create(context, &shape, &result, error);
    for (int i = 0; i < 2 && !status; i++) {
        const double begin = lg_time_seconds();
        status = lg_plan_run(plan, &image, &result, error);
        *(i ? &out->second : &out->first) = lg_time_seconds() - begin;
    }
    lg_plan_destroy(&plan);
    lg_image_destroy(&result);
    return status;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
        unlinkat(dirfd(folder), e->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

static lg_status time_row(const first_bench *b, const char *pipeline, int channels,
                          first_times *out, lg_error *error)
{
    char cache[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    snprintf(cache, sizeof cache, "%s/lumagraph-first-XXXXXX",
             temporary && *temporary ? temporary : P_tmpdir);
    if (!mkdtemp(cache))
        return lg_fail(error, LG_ERROR_IO, "no folder %s", cache);
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    params.cache_dir = cache;
    params.threads = b->threads;
    params.log = log_line;
    params.log_priv = (void *)b;
    lg_context *context = NULL;
    lg_image *image = NULL;
    const double start = lg_time_seconds();
    lg_status status = lg_context_create(&params, &context, error);
    out->open = lg_time_seconds() - start;
    const lg_image_params shape = {.width = b->width,
                                   .height = b->height,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = LG_U8,
                                   .alpha = channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE};
    if (!status)
        status = lg_image_create(context, &shape, &image, error);
    for (int32_t y = 0; y < b->height && !status; y++)
        for (size_t x = 0; x < (size_t)b->width * (size_t)channels; x++)
            ((uint8_t *)image->data)[(size_t)y * image->shape.row_stride + x] =
                (uint8_t)(x * 7 + (size_t)y * 13 + (x * (size_t)y >> 4));
    if (!status)
        status = time_runs(context, pipeline, image, out, error);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    remove_folder(cache);
    return status;
}

static bool take(void *to, const char *name, const char *value)
{
    first_bench *b = to;
    char rest;
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%dx%d%c", &b->width, &b->height, &rest) == 2 && b->width > 0 &&
               b->height > 0 && b->width <= 32768 && b->height <= 32768;
    if (strcmp(name, "--channels") == 0)
        return sscanf(value, "%d%c", &b->channels, &rest) == 1 &&
               (b->channels == 1 || b->channels == 4);
    if (strcmp(name, "--rounds") == 0)
        return sscanf(value, "%d%c", &b->rounds, &rest) == 1 && b->rounds > 0;
    if (strcmp(name, "--threads") == 0)
        return sscanf(value, "%d%c", &b->threads, &rest) == 1 && b->threads > 0;
    if (strcmp(name, "--pipeline") != 0 || b->count == (int)LG_COUNT(b->pipelines))
        return false;
    b->pipelines[b->count++] = value;
    return true;
}

int bench_first_main(int argc, char **argv)
{
    static const char *const usual[] = {"box_blur:radius=15",
                                        "gaussian_blur:sigma=2",
                                        "gaussian_blur:sigma=10",
                                        "canny_edge_detection:sigma=2",
                                        "dilation:radius=3",
                                        "bilateral:radius=5",
                                        "sauvola",
                                        "brightness",
                                        "levels | gamma",
                                        "sobel_edge_detection",
                                        "gamma | sobel_edge_detection"};
    first_bench b = {.width = 512, .height = 512, .rounds = 1, .threads = -1};
    const bench_own_options own = {usage, {{"--kernels", &b.kernels}}, take, &b};
    int wrong = 0;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    const bool given = b.count > 0;
    for (size_t i = 0; i < LG_COUNT(usual) && !given; i++)
        b.pipelines[b.count++] = usual[i];
    printf("%-32s %8s %8s %8s %8s %8s %8s   ms\n", "pipeline", "channels", "context", "plan",
           "first", "both", "second");
    for (int round = 0; round < b.rounds; round++)
        for (int i = 0; i < b.count; i++)
            for (int channels = 1; channels <= 4; channels += 3) {
                first_times t = {0};
                lg_error error = {0};
                if (b.channels && b.channels != channels)
                    continue;
                if (time_row(&b, b.pipelines[i], channels, &t, &error)) {
                    printf("%-32s %8d %s\n", b.pipelines[i], channels, error.message);
                    continue;
                }
                printf("%-32s %8d %8.1f %8.1f %8.1f %8.1f %8.2f\n", b.pipelines[i], channels,
                       t.open * 1e3, t.plan * 1e3, t.first * 1e3, (t.plan + t.first) * 1e3,
                       t.second * 1e3);
                fflush(stdout);
            }
    return 0;
}
