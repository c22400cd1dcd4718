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
    "(Ziegler, Summed Area Ripmaps), histograms by every strategy (ImageMetalling, no. 6), and "
    "the\n"
    "time of every filter (aoce's table of layers).\n"
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

static int filters(const sources *s)
{
    const int status = run_bench(s, "filter", "--all");
    printf(
        "\nPublished, 1080p on an RTX 2070 (aoce's port of GPUImage): bilateral of size 10 3 ms; "
        "dilation and\nerosion 0.14 to 0.50 ms a pass; the mean of an image 0.07 and 0.01 ms.\n");
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
    if (!s.only_areasum && !s.no_filters && status == 0) {
        fputc('\n', stdout);
        status = filters(&s);
    }
    return status;
}
