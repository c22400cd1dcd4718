// The kernels of area sums by themselves, in device memory: tables, ripmaps, batches of boxes. For choosing
// tiles; --check compares the table of one pass with that of several.
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench areasum-device [OPTIONS]\n"
    "\n"
    "Times the Vulkan kernels of area sums on data that stay on the device.\n"
    "\n"
    "  --size WxH        default 16384x16384\n"
    "  --samples N       the median counts; default 15\n"
    "  --each N          rows of a thread, for integers; default the library's\n"
    "  --groups N        of these, a tile of a table\n"
    "  --depth N         tiles that a look back takes in\n"
    "  --shuffled N      lanes that read each other's registers\n"
    "  --advance N       rows of tiles that advance side by side\n"
    "  --only TEXT       rows whose name begins so\n"
    "  --check           tables by one pass and by several must be the same\n";

#ifdef LG_HAVE_VULKAN

#include "device/lookback.h"
#include "measure/areasum/areasum_device.h"

#define QUERIES 1000000
#define PIECE   ((size_t)32 << 20) // of noise, repeated

typedef struct device_bench {
    lg_context *context;
    lg_vk_commands *commands;
    lg_vk_buffer *from, *to, *small; // samples, words, and addresses or the largest magnitude
    lg_vk_buffer *bounds, *results;
    double copy;
    int samples;
    uint32_t width, height;
    lg_area_tuning tuning;
    const char *only;
    bool check;
    uint64_t state;
} device_bench;

// What a row measures: first what is built.
typedef struct device_case {
    const char *name;
    enum { TABLE, TILED, RIPMAP, TABLE_QUERY, RIPMAP_QUERY } what;
    lg_type type;
    lg_area_word word;
    lg_area_op operation;
    int method;
    double bytes; // moved at least, for an element, or a box
    int channels; // 0: one
    bool premultiplied;
} device_case;

static const device_case cases[] = {
    {"table u8 u32, one pass", TABLE, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, LG_AREA_CHAINED, 5},
    {"table u8 u32, passes", TABLE, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, LG_AREA_PASSES, 5},
    {"table u8 u64 squares, one pass", TABLE, LG_U8, LG_AREA_U64, LG_AREA_OP_SQUARES,
     LG_AREA_CHAINED, 9},
    {"table u16 u64, one pass", TABLE, LG_U16, LG_AREA_U64, LG_AREA_OP_SUM, LG_AREA_CHAINED, 10},
    {"table f32 f32, one pass", TABLE, LG_F32, LG_AREA_F32, LG_AREA_OP_SUM, LG_AREA_CHAINED, 8},
    {"table f32 f32, passes", TABLE, LG_F32, LG_AREA_F32, LG_AREA_OP_SUM, LG_AREA_PASSES, 8},
    {"table f32 exact, one pass", TABLE, LG_F32, LG_AREA_U64, LG_AREA_OP_SUM, LG_AREA_CHAINED, 16},
    {"table f32 exact, passes", TABLE, LG_F32, LG_AREA_U64, LG_AREA_OP_SUM, LG_AREA_PASSES, 16},
    {"table rgba8 u32, one pass", TABLE, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, LG_AREA_CHAINED, 20, 4,
     false},
    {"table rgba8 u32, passes", TABLE, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, LG_AREA_PASSES, 20, 4,
     false},
    {"table rgba8 premultiplied, one pass", TABLE, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM,
     LG_AREA_CHAINED, 20, 4, true},
    {"table rgba8 in tiles", TILED, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, 0, 14, 4, false},
    {"table f32 squares, low bits", TABLE, LG_F32, LG_AREA_U64, LG_AREA_OP_SQUARES, LG_AREA_CHAINED,
     12},
    {"table f32 squares, above them", TABLE, LG_F32, LG_AREA_U64, LG_AREA_OP_SQUARES_TOP,
     LG_AREA_CHAINED, 12},
    {"ripmap f32 plain", RIPMAP, LG_F32, LG_AREA_F32, LG_AREA_OP_SUM, 0, 16},
    {"ripmap f32 exact", RIPMAP, LG_F32, LG_AREA_U64, LG_AREA_OP_SUM, 0, 36},
    {"ripmap u8 u32", RIPMAP, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, 0, 17},
    {"boxes of a table u8 u32", TABLE_QUERY, LG_U8, LG_AREA_U32, LG_AREA_OP_SUM, 0, 128},
    {"boxes of a table f32 exact", TABLE_QUERY, LG_F32, LG_AREA_U64, LG_AREA_OP_SUM, 0, 128},
    {"boxes of a ripmap f32 plain", RIPMAP_QUERY, LG_F32, LG_AREA_F32, LG_AREA_OP_SUM, 0, 1600},
    {"boxes of a ripmap f32 exact", RIPMAP_QUERY, LG_F32, LG_AREA_U64, LG_AREA_OP_SUM, 0, 3200}};

static uint32_t next(device_bench *b, uint32_t below)
{
    b->state = b->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((b->state >> 32) * below) >> 32);
}

static lg_status submit(device_bench *b, lg_status status, lg_error *error)
{
    if (!status)
        status = lg_vk_end(b->commands, error);
    if (!status)
        status = lg_vk_submit(b->context->vk, b->commands, error);
    return status ? status : lg_vk_wait(b->context->vk, b->commands, error);
}

// Uniform noise: bytes, or floats in [0, 1).
static lg_status upload_noise(device_bench *b, lg_type type, lg_error *error)
{
    uint32_t *noise = malloc(PIECE);
    lg_status status = noise ? LG_OK : lg_fail_memory(error, PIECE, "noise");
    for (size_t i = 0; noise && i < PIECE / 4; i++) {
        const float x = (float)next(b, 1 << 24) / (1 << 24);
        const uint32_t bits = next(b, UINT32_MAX);
        memcpy(&noise[i], type == LG_F32 ? (const void *)&x : &bits, 4);
    }
    for (size_t at = 0; !status && at < b->from->size; at += PIECE) {
        const size_t size = LG_MIN(PIECE, b->from->size - at);
        status = lg_vk_upload(b->context->vk, b->from, at, size, noise, size, size, 1, error);
    }
    free(noise);
    return status;
}

static lg_status upload_boxes(device_bench *b, lg_error *error)
{
    const size_t bytes = QUERIES * 4 * sizeof(int32_t);
    int32_t *bounds = malloc(bytes);
    if (!bounds)
        return lg_fail_memory(error, bytes, "boxes");
    for (size_t i = 0; i < QUERIES; i++) {
        const uint32_t w = LG_MIN(30 + next(b, 21), b->width),
                       h = LG_MIN(30 + next(b, 21), b->height);
        const uint32_t x = next(b, b->width - w + 1), y = next(b, b->height - h + 1);
        const int32_t box[] = {(int32_t)x, (int32_t)y, (int32_t)(x + w), (int32_t)(y + h)};
        memcpy(bounds + 4 * i, box, sizeof box);
    }
    const lg_status status =
        lg_vk_upload(b->context->vk, b->bounds, 0, bytes, bounds, bytes, bytes, 1, error);
    free(bounds);
    return status;
}

// Plain floats share the first block with the input.
static bool is_shared(const device_case *c)
{
    return c->word == LG_AREA_F32;
}

// The addresses of a ripmap's blocks. Returns the words of those that are not shared.
static size_t lay_out(const device_bench *b, const device_case *c, uint64_t *addresses,
                      size_t *blocks)
{
    size_t words = is_shared(c) ? 0 : (size_t)b->width * b->height;
    *blocks = 0;
    for (int y = 0; b->height >> y; y++)
        for (int x = 0; b->width >> x; x++) {
            addresses[*blocks] = (b->to ? b->to->address : 0) + words * lg_area_word_size(c->word);
            words += *blocks ? (size_t)(b->width >> x) * (b->height >> y) : 0;
            ++*blocks;
        }
    addresses[0] = is_shared(c) ? b->from->address : b->to ? b->to->address : 0;
    return words;
}

static size_t row_bytes(const device_bench *b, const device_case *c)
{
    const size_t pixel = lg_type_size(c->type) * (size_t)LG_MAX(c->channels, 1);
    return lg_align_up((size_t)b->width * pixel, 16);
}

static lg_status record(device_bench *b, const device_case *c, bool build, lg_error *error)
{
    const uint64_t row = row_bytes(b, c);
    const lg_device_array array = {b->from->address,       row,      row * b->height, c->type,
                                   LG_MAX(c->channels, 1), b->width, b->height,       1};
    lg_area_rule rule = {.sum = c->word,
                         .operation = c->operation,
                         .premultiplied = c->premultiplied,
                         .fraction = 34,
                         .words = b->to->address,
                         .largest = b->small->address + 65520,
                         .tuning = b->tuning};
    const lg_device_boxes boxes = {.bounds = b->bounds->address,
                                   .results = b->results->address,
                                   .words = b->to->address,
                                   .count = QUERIES,
                                   .dims = 2,
                                   .channels = 1,
                                   .extent = {b->width, b->height}};
    const bool ripmap = c->what == RIPMAP || c->what == RIPMAP_QUERY;
    rule.tuning.method = c->method;
    if (c->what == TILED)
        return lg_area_record_tiled(b->context, &array, b->to->address, b->commands, error);
    if (build)
        return ripmap ? lg_area_record_ripmap(b->context, &array, &rule, b->small->address,
                                              !is_shared(c), b->commands, error)
                      : lg_area_record_tables(b->context, &array, &rule, b->to->address,
                                              b->commands, error);
    return ripmap ? lg_area_record_nodes(b->context, &boxes, c->word, c->operation,
                                         b->small->address, b->commands, error)
                  : lg_area_record_corners(b->context, &boxes, c->word, true, b->to->address,
                                           b->commands, error);
}

// The median; the first runs raise the clock.
static lg_status time_case(device_bench *b, const device_case *c, double *seconds, lg_error *error)
{
    double times[BENCH_SAMPLES];
    const bool build = c->what <= RIPMAP;
    const double start = lg_time_seconds();
    lg_status status = LG_OK;
    for (int i = 0; i < b->samples && !status;) {
        lg_vk_begin(b->commands);
        lg_vk_timestamp(b->commands, 0);
        status = record(b, c, build, error);
        lg_vk_timestamp(b->commands, 1);
        status = submit(b, status, error);
        if (!status)
            times[i] = lg_vk_elapsed(b->context->vk, b->commands, 0, 1);
        if (lg_time_seconds() - start > RAMP_SECONDS)
            i++;
    }
    if (status)
        return status;
    *seconds = bench_statistics(times, b->samples).median;
    return LG_OK;
}

static lg_status prepare(device_bench *b, const device_case *c, lg_error *error)
{
    const size_t row = row_bytes(b, c);
    const bool ripmap = c->what == RIPMAP || c->what == RIPMAP_QUERY;
    uint64_t addresses[32 * 32];
    size_t blocks, words = (size_t)b->width * b->height * (size_t)LG_MAX(c->channels, 1);
    lg_vk *vk = b->context->vk;
    lg_vk_buffer_destroy(vk, &b->from);
    lg_vk_buffer_destroy(vk, &b->to);
    lg_status status =
        lg_vk_buffer_create(vk, row * b->height + 256, LG_VK_DEVICE, &b->from, error);
    if (!status && ripmap)
        words = lay_out(b, c, addresses, &blocks);
    if (!status)
        status = lg_vk_buffer_create(vk, LG_MAX(words * lg_area_word_size(c->word), (size_t)256),
                                     LG_VK_DEVICE, &b->to, error);
    if (!status)
        status = upload_noise(b, c->type, error);
    if (!status && ripmap) {
        lay_out(b, c, addresses, &blocks);
        status =
            lg_vk_upload(vk, b->small, 0, blocks * 8, addresses, blocks * 8, blocks * 8, 1, error);
    }
    if (status)
        return status;
    lg_vk_begin(b->commands);
    // Largest magnitude: the float next below 1.
    lg_vk_fill(b->commands, b->small, 65520, 4, 0x3f7fffff);
    lg_vk_fill(b->commands, b->small, 65528, 4, 0);
    lg_vk_barrier(b->commands);
    status = submit(b, LG_OK, error);
    if (status || c->what <= RIPMAP)
        return status;
    lg_vk_begin(b->commands);
    return submit(b, record(b, c, true, error), error);
}

// Whether both methods leave the same words.
static lg_status check_table(device_bench *b, device_case c, lg_error *error)
{
    char *words[2] = {malloc(b->to->size), malloc(b->to->size)};
    lg_status status =
        words[0] && words[1] ? LG_OK : lg_fail_memory(error, 2 * b->to->size, "two tables");
    for (int i = 0; i < 2 && !status; i++) {
        c.method = i ? LG_AREA_PASSES : LG_AREA_CHAINED;
        lg_vk_begin(b->commands);
        lg_vk_fill(b->commands, b->to, 0, b->to->size / 4 * 4, 0xabababab);
        lg_vk_barrier(b->commands);
        status = submit(b, record(b, &c, true, error), error);
        if (!status)
            status = lg_vk_download(b->context->vk, words[i], b->to->size, b->to, 0, b->to->size,
                                    b->to->size, 1, error);
    }
    if (!status && memcmp(words[0], words[1], b->to->size))
        status = lg_fail(error, LG_ERROR_DATA, "one pass and several differ");
    free(words[0]);
    free(words[1]);
    return status;
}

static lg_status run_case(device_bench *b, const device_case *c, lg_error *error)
{
    double seconds;
    lg_lookback_begin(b->context);
    lg_status status = prepare(b, c, error);
    if (!status)
        status = time_case(b, c, &seconds, error);
    if (!status && lg_lookback_gave_up(b->context))
        status = lg_fail(error, LG_ERROR_DEVICE, "tiles waited for each other in vain");
    if (!status && b->check && c->what == TABLE)
        status = check_table(b, *c, error);
    if (status)
        return status;
    const bool boxes = c->what == TABLE_QUERY || c->what == RIPMAP_QUERY;
    const double bytes = c->bytes * (boxes ? QUERIES : (double)b->width * b->height);
    printf("\"%s\",%u,%u,%.2f,%.1f,%.3f%s\n", c->name, b->width, b->height, seconds * 1e6,
           bytes / seconds / 1e9, bytes / seconds / b->copy,
           b->check && c->what == TABLE ? ",same" : "");
    return LG_OK;
}

static lg_status open_bench(device_bench *b, lg_error *error)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    lg_status status = lg_context_create(&params, &b->context, error);
    if (!status)
        status = lg_vk_commands_create(b->context->vk, 2, &b->commands, error);
    if (!status)
        status = lg_vk_buffer_create(b->context->vk, 65536, LG_VK_DEVICE, &b->small, error);
    if (!status)
        status = lg_vk_buffer_create(b->context->vk, QUERIES * 16, LG_VK_DEVICE, &b->bounds, error);
    if (!status)
        status = lg_vk_buffer_create(b->context->vk, QUERIES * 8, LG_VK_DEVICE, &b->results, error);
    if (!status)
        status = upload_boxes(b, error);
    return status;
}

static void close_bench(device_bench *b)
{
    lg_vk_buffer **buffers[] = {&b->from, &b->to, &b->small, &b->bounds, &b->results};
    for (size_t i = 0; b->context && i < LG_COUNT(buffers); i++)
        lg_vk_buffer_destroy(b->context->vk, buffers[i]);
    if (b->context)
        lg_vk_commands_destroy(b->context->vk, &b->commands);
    lg_context_destroy(&b->context);
}

static bool take_option(void *to, const char *name, const char *value)
{
    device_bench *b = to;
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%ux%u", &b->width, &b->height) == 2 && b->width && b->height &&
               b->width <= 1 << 28 && b->height <= 65536 &&
               (uint64_t)b->width * b->height <= (uint64_t)1 << 32;
    if (strcmp(name, "--samples") == 0)
        return (b->samples = atoi(value)) > 0 && b->samples <= BENCH_SAMPLES;
    if (strcmp(name, "--only") == 0)
        return *(b->only = value);
    const struct {
        const char *name;
        uint32_t *to;
    } numbers[] = {{"--each", &b->tuning.each},
                   {"--groups", &b->tuning.groups},
                   {"--depth", &b->tuning.depth},
                   {"--shuffled", &b->tuning.shuffled},
                   {"--advance", &b->tuning.advance}};
    for (size_t i = 0; i < LG_COUNT(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0)
            return (*numbers[i].to = (uint32_t)atoi(value)) > 0;
    return false;
}

int bench_areasum_device_main(int argc, char **argv)
{
    device_bench b = {.samples = 15, .width = 16384, .height = 16384, .only = "", .state = 1};
    lg_error error = {LG_OK, ""};
    const bench_own_options own = {
        .usage = usage, .flags = {{"--check", &b.check}}, .take = take_option, .to = &b};
    int wrong;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    bool failed = false;
    if (open_bench(&b, &error)) {
        fprintf(stderr, "bench: %s\n", error.message);
        close_bench(&b);
        return 4;
    }
    b.copy = lg_bench_copy_speed(b.context, false, (size_t)128 << 20);
    printf("what,width,height,us,gb_per_s,of_copy\n");
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (strncmp(cases[i].name, b.only, strlen(b.only)))
            continue;
        if (run_case(&b, &cases[i], &error)) {
            printf("\"%s\",%u,%u: %s\n", cases[i].name, b.width, b.height, error.message);
            failed = true;
        }
        fflush(stdout);
    }
    close_bench(&b);
    return failed;
}

#else

int bench_areasum_device_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fprintf(stderr, "bench: built without Vulkan\n%s", usage);
    return 4;
}

#endif
