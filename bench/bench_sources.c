// The tables of the texts that lumagraph grows out of, with our figures beside theirs: area sums at a query
// per pixel, histograms by every strategy, and every filter's time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <lumagraph/areasum.h>

typedef struct sources {
    const char *device, *size, *energy, *samples_text;
    int samples;
    bool only_areasum, no_filters;
    lg_context *context;
    uint64_t state;
} sources;

static const char usage[] =
    "usage: lumagraph bench sources [OPTIONS]\n"
    "\n"
    "Prints published tables with our figures beside them: area sums with a query per pixel\n"
    "(Ziegler, Summed Area Ripmaps), histograms by every strategy (ImageMetalling, no. 6), "
    "morphology by\n"
    "size of the window, and the time of every filter (aoce's table of layers).\n"
    "\n"
    "  --device auto|cpu|vulkan|vulkan:N   default cpu\n"
    "  --size 1080p|4k|WxH                 of histograms and filters, default 1080p\n"
    "  --samples N                         default 7, the median counts\n"
    "  --energy SECONDS                    per row of the histograms, where there is a counter; "
    "default "
    "2\n"
    "  --areasum                           area sums alone\n"
    "  --no-filters                        not the filters, which take minutes\n";

// ---- area sums: a query per pixel -------------------------------------------------------------------

enum { WIDTH = 1920, HEIGHT = 1080, PIXELS = WIDTH * HEIGHT };

// Milliseconds on a GTX 680, of which 1.37 build the ripmap of floats.
static const struct {
    int32_t least, most;
    double milliseconds;
} published[] = {{90, 110, 10.12}, {990, 1010, 7.23}, {900, 1100, 10.61}};
#define PUBLISHED_BUILD 1.37

static uint32_t next(sources *s, uint32_t below)
{
    s->state = s->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((s->state >> 32) * below) >> 32);
}

// Windows around every pixel, as far as they lie in the image.
static void fill_windows(sources *s, int32_t least, int32_t most, int32_t *bounds)
{
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++, bounds += 4) {
            const int32_t w = least + (int32_t)next(s, (uint32_t)(most - least + 1));
            const int32_t h = least + (int32_t)next(s, (uint32_t)(most - least + 1));
            bounds[0] = LG_MAX(x - w / 2, 0);
            bounds[1] = LG_MAX(y - h / 2, 0);
            bounds[2] = LG_MIN(x - w / 2 + w, WIDTH);
            bounds[3] = LG_MIN(y - h / 2 + h, HEIGHT);
        }
}

typedef struct structure {
    const char *name;
    lg_areasum_kind kind;
    lg_area_precision precision;
    lg_areasum *sums;
    double build;
} structure;

static double median_of(sources *s, double *seconds)
{
    return bench_statistics(seconds, s->samples).median;
}

static lg_status build(sources *s, const lg_area_array *array, structure *to, lg_error *error)
{
    double seconds[BENCH_SAMPLES];
    lg_areasum_params params = lg_areasum_params_default();
    params.kind = to->kind;
    params.precision = to->precision;
    lg_status status = lg_areasum_create(s->context, array, &params, &to->sums, error);
    for (int i = 0; i < s->samples && !status; i++) {
        const double start = lg_time_seconds();
        status = lg_areasum_update(s->context, to->sums, array, error);
        seconds[i] = lg_time_seconds() - start;
    }
    if (!status)
        to->build = median_of(s, seconds);
    return status;
}

static double ask(sources *s, const structure *of, const int32_t *bounds, double *out,
                  lg_status *status, lg_error *error)
{
    double seconds[BENCH_SAMPLES];
    for (int i = 0; i < s->samples && !*status; i++) {
        const double start = lg_time_seconds();
        *status = lg_areasum_query(s->context, of->sums, LG_AREA_SUM, bounds, PIXELS, out, error);
        seconds[i] = lg_time_seconds() - start;
    }
    return *status ? NAN : median_of(s, seconds);
}

static lg_status print_areasum(sources *s, structure *kinds, int count, const float *samples,
                               int32_t *bounds, double *out, lg_error *error)
{
    lg_area_array array = {
        .data = samples, .type = LG_F32, .dims = 2, .channels = 1, .extent = {WIDTH, HEIGHT}};
    lg_area_array_pack(&array);
    lg_status status = LG_OK;
    for (int k = 0; k < count && !status; k++)
        status = build(s, &array, &kinds[k], error);
    if (status)
        return status;
    printf("\n%-31s", "f32, 1920 x 1080, ms");
    for (int k = 0; k < count; k++)
        printf(" %16s", kinds[k].name);
    printf(" %22s\n%-31s", "published: ripmap", "building");
    for (int k = 0; k < count; k++)
        printf(" %16.3f", kinds[k].build * 1e3);
    printf(" %22.2f\n", PUBLISHED_BUILD);
    for (size_t i = 0; i < LG_COUNT(published) && !status; i++) {
        char what[64];
        fill_windows(s, published[i].least, published[i].most, bounds);
        snprintf(what, sizeof what, "a query per pixel, %d to %d", published[i].least,
                 published[i].most);
        printf("%-31s", what);
        for (int k = 0; k < count; k++)
            printf(" %16.3f", ask(s, &kinds[k], bounds, out, &status, error) * 1e3);
        printf(" %22.2f\n", published[i].milliseconds);
    }
    if (!status)
        printf(
            "windows are clipped at the edges; a query is the whole call, with what it transfers. "
            "Published: on a\nGTX 680, from memory of the device (G. Ziegler, Summed Area "
            "Ripmaps)\n");
    return status;
}

static lg_status areasum(sources *s, lg_error *error)
{
    structure kinds[] = {{"table, exact", .kind = LG_AREASUM_TABLE},
                         {"table, plain", .kind = LG_AREASUM_TABLE, .precision = LG_AREA_PLAIN},
                         {"ripmap, exact", .kind = LG_AREASUM_RIPMAP},
                         {"ripmap, plain", .kind = LG_AREASUM_RIPMAP, .precision = LG_AREA_PLAIN}};
    float *samples = malloc((size_t)PIXELS * sizeof *samples);
    int32_t *bounds = malloc((size_t)PIXELS * 4 * sizeof *bounds);
    double *out = malloc((size_t)PIXELS * sizeof *out);
    lg_status status = LG_ERROR_MEMORY;
    if (samples && bounds && out) {
        for (int i = 0; i < PIXELS; i++)
            samples[i] = (float)next(s, 1 << 24) * 0x1p-24f;
        status = print_areasum(s, kinds, (int)LG_COUNT(kinds), samples, bounds, out, error);
    } else {
        snprintf(error->message, sizeof error->message, "no memory for the queries");
    }
    for (size_t k = 0; k < LG_COUNT(kinds); k++)
        lg_areasum_destroy(&kinds[k].sums);
    free(samples);
    free(bounds);
    free(out);
    return status;
}

// ---- the tables of bench ----------------------------------------------------------------------------

static int run_bench(const sources *s, const char *kind, const char *which)
{
    const char *argv[] = {"bench",   kind,        which,           "--size",   s->size, "--device",
                          s->device, "--samples", s->samples_text, "--regime", "warm",  "--energy",
                          s->energy, NULL};
    const bool filters = strcmp(kind, "filter") == 0; // joules of hundreds of rows take an hour
    return lg_bench_main((int)LG_COUNT(argv) - (filters ? 3 : 1), (char **)(uintptr_t)argv);
}

static int histograms(const sources *s)
{
    const int status = run_bench(s, "histogram", "--strategies");
    printf(
        "\nPublished, MB/s (ImageMetalling no. 6): partial tables merged on the host, "
        "MPSImageHistogram,\nvImage on the processor, atomics: A8 108.6, 316.8, 487.8, 326.6; A7 "
        "43.4, none, 74.1, 15.2. The\nprocessor's way took twice the memory and ten times the "
        "energy there.\n");
    return status;
}

// Largest values of windows of these sizes, several pipelines in one table.
static int morphology(const sources *s, const char *device, const char *size, const char *channels,
                      const char *const *pipelines, size_t count)
{
    const char *argv[40] = {"bench",     "filter",        "--size",     size,    "--device", device,
                            "--samples", s->samples_text, "--regime",   "warm",  "--type",   "u8",
                            "--content", "natural",       "--channels", channels};
    int argc = 16;
    for (size_t i = 0; i < count; i++) {
        argv[argc++] = "--pipeline";
        argv[argc++] = pipelines[i];
    }
    return lg_bench_main(argc, (char **)(uintptr_t)argv);
}

static int layers(const sources *s)
{
    static const char *const kernels[] = {"rgb_dilation:width=3:height=3",
                                          "rgb_dilation:width=10:height=10",
                                          "rgb_dilation:width=20:height=20"};
    static const char *const radii[] = {"rgb_dilation:radius=2",  "rgb_dilation:radius=3",
                                        "rgb_dilation:radius=4",  "rgb_dilation:radius=5",
                                        "rgb_dilation:radius=10", "rgb_dilation:radius=15"};
    int status = morphology(s, s->device, "1080p", "4", kernels, LG_COUNT(kernels));
    puts("\nPublished, ms for each of two passes, RGBA8 of 1080p on an RTX 2070 (aoce): kernel 3, "
         "10, 20\n"
         "with shared memory 0.15, 0.17, 0.21, without 0.14, 0.27, 0.50. Ours are both passes.\n");
    if (status == 0 && strcmp(s->device, "cpu") != 0)
        status = morphology(s, s->device, "1280x1024", "1", radii, LG_COUNT(radii));
    if (status == 0)
        status = morphology(s, "cpu", "1280x1024", "1", radii, LG_COUNT(radii));
    puts("\nPublished, ms at 1280 x 1024 on a GTX 760 (mompes, quoted by aoce), radius 2, 3, 4, 5, "
         "10, 15:\n"
         "processor, separable  70.6  88.2 102.8 124.1 201.8 261.1\n"
         "naive                 2.63  3.57  4.65  6.04 16.63 33.73\n"
         "separable             2.13  2.29  2.40  2.58  3.35  4.33\n"
         "shared memory         2.09  2.13  2.13  2.19  2.34  2.87\n"
         "radius as a template  2.07  2.11  2.21  2.19  2.37  2.73\n"
         "operator as well      2.07  2.10  2.13  2.21  2.37  2.74");
    return status;
}

static int filters(const sources *s)
{
    const int status = run_bench(s, "filter", "--all");
    printf("\nPublished, ms, 1080p on an RTX 2070 (aoce's port of GPUImage): luminance 0.09; XY "
           "derivative "
           "0.29;\nGaussian of 21 taps, RGBA8 1.21, of 8-bit grey 1.2; Harris' response 0.13; "
           "suppression 0.19; "
           "bilateral of\nsize 10 3; Kuwahara of radius 5 3.3, of 10 9.7; median 3 x 3 0.3, by "
           "histograms 5 x 5 "
           "27, 10 x 10 76;\nPoisson 0.2 to 0.3 a step; guided filter, box 10, about 1; the mean "
           "of an image "
           "0.07 + 0.01; histogram of\nfour channels 0.52 + 0.01.\n");
    return status;
}

// ---- all ----------------------------------------------------------------------------------------------

static bool take_option(void *to, const char *name, const char *value)
{
    sources *s = to;
    if (strcmp(name, "--device") == 0)
        s->device = value;
    else if (strcmp(name, "--size") == 0)
        s->size = value;
    else if (strcmp(name, "--energy") == 0)
        s->energy = value;
    else if (strcmp(name, "--samples") == 0)
        return (s->samples = atoi(s->samples_text = value)) > 0 && s->samples <= BENCH_SAMPLES;
    else
        return false;
    return true;
}

static bool open_context(sources *s, lg_error *error)
{
    lg_context_params params = lg_context_params_default();
    const bool vulkan = strncmp(s->device, "vulkan", 6) == 0;
    params.device = vulkan                           ? LG_DEVICE_VULKAN
                    : strcmp(s->device, "auto") == 0 ? LG_DEVICE_AUTO
                                                     : LG_DEVICE_CPU;
    params.device_index = vulkan && s->device[6] == ':' ? atoi(s->device + 7) : -1;
    params.strict = true;
    if (!vulkan && strcmp(s->device, "auto") && strcmp(s->device, "cpu")) {
        snprintf(error->message, sizeof error->message, "no device %s; see --help", s->device);
        return false;
    }
    if (lg_context_create(&params, &s->context, error))
        return false;
    lg_device_info info;
    lg_context_device(s->context, &info);
    printf("%s, %s, %d threads\n", info.name, info.driver, info.threads);
    return true;
}

int bench_sources_main(int argc, char **argv)
{
    sources s = {.device = "cpu",
                 .size = "1080p",
                 .energy = "2",
                 .samples_text = "7",
                 .samples = 7,
                 .state = 1};
    const bench_own_options own = {
        .usage = usage,
        .flags = {{"--areasum", &s.only_areasum}, {"--no-filters", &s.no_filters}},
        .take = take_option,
        .to = &s};
    int status;
    if (!bench_parse_own(argc, argv, &own, &status))
        return status;
    lg_error error = {LG_OK, ""};
    if (!open_context(&s, &error)) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 4;
    }
    const bool failed = areasum(&s, &error) != LG_OK;
    lg_context_destroy(&s.context);
    if (failed) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 4;
    }
    status = 0;
    if (!s.only_areasum) {
        fputc('\n', stdout);
        status = histograms(&s);
    }
    if (!s.only_areasum && status == 0) {
        fputc('\n', stdout);
        status = layers(&s);
    }
    if (!s.only_areasum && !s.no_filters && status == 0) {
        fputc('\n', stdout);
        status = filters(&s);
    }
    return status;
}
