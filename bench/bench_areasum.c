// Area sums: building and asking tables and ripmaps, and how precise they are, with the figures of
// Ziegler's "Summed Area Ripmaps" beside ours.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <lumagraph/areasum.h>

typedef struct areasum_bench {
    lg_context_params params;
    lg_context *context;
    lg_device_info info;
    double copy; // bytes per second read and written by a copy
    int samples;
    bool csv;
    int32_t sizes[16][2];
    int size_count;
    uint64_t state;
} areasum_bench;

static const char usage[] =
    "usage: lumagraph bench areasum [OPTIONS]\n"
    "\n"
    "Times summed-area tables and ripmaps on the CPU: building them, batches of 10^2 to 10^7 boxes "
    "with\n"
    "sides of 30 to 50, and the sum of the errors of 1000 of those, beside published figures.\n"
    "\n"
    "  --size WxH,...    of what is built, default 1920x1080,3840x2160\n"
    "  --threads N       default all; --cpu-level NAME default the best\n"
    "  --samples N       of each figure, the median counts; default 7\n"
    "  --csv             instead of the tables\n";

static uint32_t next(areasum_bench *b, uint32_t below)
{
    b->state = b->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((b->state >> 32) * below) >> 32);
}

// An array with uniform samples: integers over their range, floats over [0, 1).
static lg_area_array make_array(areasum_bench *b, lg_type type, int32_t width, int32_t height)
{
    lg_area_array a = {.type = type, .dims = 2, .channels = 1, .extent = {width, height}};
    lg_area_array_pack(&a);
    const size_t bytes = (size_t)a.stride[1] * (size_t)height;
    uint8_t *data = malloc(bytes);
    a.data = data;
    for (size_t i = 0; data && i < bytes; i += type == LG_F32 ? 4 : 1) {
        if (type == LG_F32) {
            const float v = (float)next(b, 1 << 24) * 0x1p-24f;
            memcpy(data + i, &v, 4);
        } else {
            data[i] = (uint8_t)next(b, 256);
        }
    }
    return a;
}

static void drop_array(lg_area_array *a)
{
    free((void *)(uintptr_t)a->data);
    a->data = NULL;
}

// ---- building -------------------------------------------------------------------------------------

typedef struct build_case {
    const char *name;
    lg_type type;
    lg_areasum_kind kind;
    lg_area_precision precision;
    bool squares, share_array;
} build_case;

static const build_case build_cases[] = {
    {"table u8 -> u32", LG_U8, .kind = LG_AREASUM_TABLE},
    {"table u8, with squares", LG_U8, .squares = true},
    {"table u16 -> u64", LG_U16, .kind = LG_AREASUM_TABLE},
    {"table f32, exact", LG_F32, .kind = LG_AREASUM_TABLE},
    {"table f32, plain", LG_F32, .precision = LG_AREA_PLAIN},
    {"ripmap u8 -> u32", LG_U8, .kind = LG_AREASUM_RIPMAP},
    {"ripmap f32, exact", LG_F32, .kind = LG_AREASUM_RIPMAP},
    {"ripmap f32, plain", LG_F32, .kind = LG_AREASUM_RIPMAP, .precision = LG_AREA_PLAIN},
    {"ripmap f32, plain, shared", LG_F32, .kind = LG_AREASUM_RIPMAP, .precision = LG_AREA_PLAIN,
     .share_array = true},
    {"table f32, with squares", LG_F32, .squares = true},
    {"ripmap f32, with squares", LG_F32, .kind = LG_AREASUM_RIPMAP, .squares = true},
};

static lg_areasum_params params_of(const build_case *c)
{
    lg_areasum_params params = lg_areasum_params_default();
    params.kind = c->kind;
    params.precision = c->precision;
    params.squares = c->squares;
    params.share_array = c->share_array;
    return params;
}

// *bytes: of the array and of the structure, each read or written once.
static double time_build(areasum_bench *b, const lg_area_array *array,
                         const lg_areasum_params *params, double *bytes)
{
    double seconds[BENCH_SAMPLES];
    lg_areasum *sums;
    lg_error error = {LG_OK, ""};
    lg_status status = lg_areasum_create(b->context, array, params, &sums, &error);
    for (int i = 0; i < b->samples && !status; i++) {
        const double start = lg_time_seconds();
        status = lg_areasum_update(b->context, sums, array, &error);
        seconds[i] = lg_time_seconds() - start;
    }
    if (!status) {
        lg_areasum_info info;
        lg_areasum_get_info(sums, &info);
        *bytes = (double)info.bytes + (double)array->stride[1] * (double)array->extent[1];
    }
    lg_areasum_destroy(&sums);
    if (status)
        fprintf(stderr, "bench: %s\n", error.message);
    return status ? (double)NAN : bench_statistics(seconds, b->samples).median;
}

static void bench_builds(areasum_bench *b)
{
    if (!b->csv)
        printf("\n%-26s %12s %10s %10s %8s\n", "building", "size", "ms", "GB/s", "of copy");
    for (int s = 0; s < b->size_count; s++)
        for (size_t i = 0; i < LG_COUNT(build_cases); i++) {
            const build_case *c = &build_cases[i];
            const lg_areasum_params params = params_of(c);
            const int32_t *size = b->sizes[s];
            lg_area_array array = make_array(b, c->type, size[0], size[1]);
            double bytes = 0;
            const double t = array.data ? time_build(b, &array, &params, &bytes) : NAN;
            const double rate = bytes / t;
            if (b->csv)
                printf("build,\"%s\",%d,%d,%.6g,%.4g,%.3g\n", c->name, size[0], size[1], t,
                       rate / 1e9, rate / b->copy);
            else
                printf("%-26s %5d x %4d %10.3f %10.2f %7.0f%%\n", c->name, size[0], size[1],
                       t * 1e3, rate / 1e9, 100 * rate / b->copy);
            drop_array(&array);
        }
}

// ---- asking ---------------------------------------------------------------------------------------

static void fill_boxes(areasum_bench *b, int32_t side, int32_t *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++, bounds += 4) {
        int32_t w = 30 + (int32_t)next(b, 21), h = 30 + (int32_t)next(b, 21);
        w = LG_MIN(w, side);
        h = LG_MIN(h, side);
        bounds[0] = (int32_t)next(b, (uint32_t)(side - w + 1));
        bounds[1] = (int32_t)next(b, (uint32_t)(side - h + 1));
        bounds[2] = bounds[0] + w;
        bounds[3] = bounds[1] + h;
    }
}

// Milliseconds of a table and of a ripmap that Ziegler gives for a Quadro 1000M; 0: none.
static const struct {
    size_t count;
    double table, ripmap;
} published_times[] = {{100, 2.15, 2.22}, {1000, 0, 0},          {10000, 2.16, 3.52},
                       {100000, 0, 0},    {1000000, 17.94, 155}, {10000000, 0, 0}};

static double time_queries(areasum_bench *b, const lg_areasum *sums, const int32_t *bounds,
                           size_t count, double *out)
{
    double seconds[BENCH_SAMPLES];
    for (int i = 0; i < b->samples; i++) {
        const double start = lg_time_seconds();
        if (lg_areasum_query(b->context, sums, LG_AREA_SUM, bounds, count, out, NULL))
            return NAN;
        seconds[i] = lg_time_seconds() - start;
    }
    return bench_statistics(seconds, b->samples).median;
}

static void bench_queries(areasum_bench *b)
{
    enum { SIDE = 1024, MOST = 10000000 };
    lg_area_array array = make_array(b, LG_F32, SIDE, SIDE);
    int32_t *bounds = malloc((size_t)MOST * 4 * sizeof *bounds);
    double *out = malloc((size_t)MOST * sizeof *out);
    lg_areasum *sums[2] = {NULL, NULL};
    if (!array.data || !bounds || !out)
        return;
    lg_areasum_params params = lg_areasum_params_default();
    for (int kind = 0; kind < 2; kind++) {
        params.kind = (lg_areasum_kind)kind;
        if (lg_areasum_create(b->context, &array, &params, &sums[kind], NULL))
            return;
    }
    fill_boxes(b, SIDE, bounds, MOST);
    if (!b->csv)
        printf("\n%-24s %12s %12s %24s\n", "boxes of f32, 1024 x 1024", "table ms", "ripmap ms",
               "published: table, ripmap");
    for (size_t i = 0; i < LG_COUNT(published_times); i++) {
        const size_t count = published_times[i].count;
        double t[2];
        for (int kind = 0; kind < 2; kind++)
            t[kind] = time_queries(b, sums[kind], bounds, count, out);
        if (b->csv)
            printf("query,\"table\",%zu,,%.6g,,\nquery,\"ripmap\",%zu,,%.6g,,\n", count, t[0],
                   count, t[1]);
        else if (published_times[i].table > 0)
            printf("%-24zu %12.4f %12.4f %15.2f, %.2f\n", count, t[0] * 1e3, t[1] * 1e3,
                   published_times[i].table, published_times[i].ripmap);
        else
            printf("%-24zu %12.4f %12.4f\n", count, t[0] * 1e3, t[1] * 1e3);
    }
    lg_areasum_destroy(&sums[0]);
    lg_areasum_destroy(&sums[1]);
    drop_array(&array);
    free(bounds);
    free(out);
}

// ---- precision ------------------------------------------------------------------------------------

static const struct {
    int32_t side;
    double ripmap, table;
} published_errors[] = {{32, 0.152, 0.152},
                        {128, 0.146, 0.203},
                        {512, 0.714, 4.156},
                        {1024, 2.231, 22.09},
                        {2048, 7.471, 143129}};

static double sum_of_errors(areasum_bench *b, const lg_area_array *array,
                            const lg_areasum_params *params, const int32_t *bounds, size_t count)
{
    lg_areasum *sums = NULL;
    double total = 0;
    if (lg_areasum_create(b->context, array, params, &sums, NULL))
        return NAN;
    for (size_t i = 0; i < count; i++, bounds += 4) {
        double got = 0, wanted = 0;
        lg_areasum_query(b->context, sums, LG_AREA_SUM, bounds, 1, &got, NULL);
        for (int32_t y = bounds[1]; y < bounds[3]; y++)
            for (int32_t x = bounds[0]; x < bounds[2]; x++)
                wanted +=
                    (double)((const float *)
                                 array->data)[(size_t)y * (size_t)array->extent[0] + (size_t)x];
        total += fabs(got - wanted);
    }
    lg_areasum_destroy(&sums);
    return total;
}

static void bench_precision(areasum_bench *b)
{
    enum { COUNT = 1000 };
    static const build_case kinds[] = {{.kind = LG_AREASUM_TABLE},
                                       {.kind = LG_AREASUM_RIPMAP, .precision = LG_AREA_PLAIN},
                                       {.precision = LG_AREA_PLAIN}};
    int32_t bounds[COUNT * 4];
    if (!b->csv)
        printf("\n%-24s %12s %12s %12s %24s\n", "sum of 1000 errors, f32", "exact", "plain ripmap",
               "plain table", "published: ripmap, table");
    for (size_t i = 0; i < LG_COUNT(published_errors); i++) {
        const int32_t side = published_errors[i].side;
        lg_area_array array = make_array(b, LG_F32, side, side);
        double errors[3];
        fill_boxes(b, side, bounds, COUNT);
        for (int k = 0; k < 3; k++) {
            const lg_areasum_params params = params_of(&kinds[k]);
            errors[k] = array.data ? sum_of_errors(b, &array, &params, bounds, COUNT) : NAN;
        }
        if (b->csv)
            printf("errors,\"exact, plain ripmap, plain table\",%d,%d,%.4g,%.4g,%.4g\n", side, side,
                   errors[0], errors[1], errors[2]);
        else
            printf("%5d x %-16d %12.4g %12.4g %12.4g %14.3f, %.4g\n", side, side, errors[0],
                   errors[1], errors[2], published_errors[i].ripmap, published_errors[i].table);
        drop_array(&array);
    }
}

// ---- all ------------------------------------------------------------------------------------------

static bool take_sizes(areasum_bench *b, const char *list)
{
    b->size_count = 0;
    while (*list && b->size_count < (int)LG_COUNT(b->sizes)) {
        int32_t *size = b->sizes[b->size_count];
        int length = 0;
        if (sscanf(list, "%dx%d%n", &size[0], &size[1], &length) < 2 || size[0] < 1 ||
            size[1] < 1 || size[0] > 65536 || size[1] > 65536 ||
            (list[length] && list[length] != ','))
            return false;
        list += length + (list[length] == ',');
        b->size_count++;
    }
    return b->size_count > 0 && !*list;
}

static bool take_option(void *to, const char *name, const char *value)
{
    areasum_bench *b = to;
    if (strcmp(name, "--size") == 0)
        return take_sizes(b, value);
    if (strcmp(name, "--threads") == 0)
        return (b->params.threads = atoi(value)) > 0;
    if (strcmp(name, "--samples") == 0)
        return (b->samples = atoi(value)) > 0 && b->samples <= BENCH_SAMPLES;
    if (strcmp(name, "--cpu-level") == 0)
        return bench_take_level(value, &b->params.cpu_level);
    return false;
}

int bench_areasum_main(int argc, char **argv)
{
    areasum_bench b = {.params = lg_context_params_default(),
                       .samples = 7,
                       .sizes = {{1920, 1080}, {3840, 2160}},
                       .size_count = 2,
                       .state = 1};
    b.params.device = LG_DEVICE_CPU;
    b.params.strict = true; // times are of the device that they name
    const bench_own_options own = {
        .usage = usage, .flags = {{"--csv", &b.csv}}, .take = take_option, .to = &b};
    int wrong;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    lg_error error = {LG_OK, ""};
    if (lg_context_create(&b.params, &b.context, &error)) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 4;
    }
    lg_context_device(b.context, &b.info);
    b.copy = lg_bench_copy_speed(b.context, false, (size_t)64 << 20);
    if (b.csv)
        printf("table,what,width,height,seconds,gb_per_s,of_copy\n");
    else
        printf("%s, %s, %d threads; a copy reads and writes %.1f GB/s\n", b.info.name,
               b.info.driver, b.info.threads, b.copy / 1e9);
    bench_builds(&b);
    bench_queries(&b);
    bench_precision(&b);
    lg_context_destroy(&b.context);
    return 0;
}
