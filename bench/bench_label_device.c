// The kernels of labels by themselves, in device memory: what a labelling takes and each of its dispatches.
// For choosing tiles; --check compares labels and sums with a plain union-find on the host.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_label_content.h"

static const char usage[] =
    "usage: lumagraph bench label-device [OPTIONS]\n"
    "\n"
    "Times the Vulkan kernels of labels on bytes that stay on the device, the threshold included.\n"
    "\n"
    "  --size WxH          default 3840x2160\n"
    "  --content NAME      random, natural, spiral, comb, checkerboard, full or empty; default the "
    "first "
    "two\n"
    "  --density PERCENT   of random; default 45\n"
    "  --connectivity N    4 or 8, the default\n"
    "  --samples N         the median counts; default 15\n"
    "  --tile-words N      4 or 8: tiles of 128 or 256 columns; default the library's\n"
    "  --tile-rows N       their rows; words and rows multiply to 256 at most\n"
    "  --split N           threads that join the columns of a word with the row above\n"
    "  --each N            words that a thread ranks: 1, 4 or 16\n"
    "  --all yes           also shapes, sums of floats, and labels where only equal values join\n"
    "  --check             labels and sums must be those of the host, but for labels of values; "
    "rows\n"
    "                      that were compared end with `same`\n";

#ifdef LG_HAVE_VULKAN

#include "measure/components/label_device.h"

#define RECORDS      ((uint32_t)1 << 24) // of figures, at most
#define RECORD_BYTES 48                  // without moments and intensities

typedef struct label_bench {
    lg_context *context;
    lg_vk_commands *commands;
    lg_vk_buffer *pixels, *labels, *count, *records;
    lg_vk_buffer *floats, *shapes, *reals; // with --all
    double copy;
    int samples, content, density, connectivity;
    uint32_t width, height, stride, capacity;
    lg_label_tuning tuning;
    bool check, all;
    uint8_t *host; // the pixels
    // Filled by the recording of a row by dispatches.
    const char *kernels[LG_LABEL_DISPATCHES];
    uint32_t kernel_count;
} label_bench;

static lg_status draw(label_bench *b, label_picture content, lg_error *error)
{
    const size_t bytes = (size_t)b->stride * b->height;
    if (!label_picture_draw(content, 1, b->host, b->stride, (int32_t)b->width, (int32_t)b->height))
        return lg_fail_memory(error, bytes, "the picture");
    lg_status status =
        lg_vk_upload(b->context->vk, b->pixels, 0, bytes, b->host, bytes, bytes, 1, error);
    float *floats = b->all && !status ? malloc(4 * bytes) : NULL;
    for (size_t i = 0; floats && i < bytes; i++)
        floats[i] = (float)b->host[i] / 7;
    if (floats)
        status = lg_vk_upload(b->context->vk, b->floats, 0, 4 * bytes, floats, 4 * bytes, 4 * bytes,
                              1, error);
    else if (b->all && !status)
        status = lg_fail_memory(error, 4 * bytes, "intensities");
    free(floats);
    return status;
}

// ---- timing -------------------------------------------------------------------------------------------

typedef struct label_case {
    const char *name;
    bool labels, figures;
    double bytes; // moved at least, of a pixel
    bool shapes, reals, values;
} label_case;

#define USUAL_CASES 3

static const label_case cases[] = {{"labels", true, false, 5},
                                   {"labels and figures", true, true, 5},
                                   {"figures", false, true, 1},
                                   {"labels and shapes", true, false, 5, .shapes = true},
                                   {"labels and sums of floats", true, false, 9, .reals = true},
                                   {"labels of values", true, false, 5, .values = true}};

static void mark(void *arg, const char *kernel)
{
    label_bench *b = arg;
    b->kernels[b->kernel_count++] = kernel;
    lg_vk_timestamp(b->commands, b->kernel_count);
}

static lg_status run_once(label_bench *b, const label_case *c, label_picture content, bool apart,
                          lg_error *error)
{
    const lg_label_source source = {.data = b->pixels->address,
                                    .row_stride = b->stride,
                                    .layer_stride = (uint64_t)b->stride * b->height,
                                    .type = LG_U8,
                                    .width = b->width,
                                    .height = b->height,
                                    .layers = 1};
    const lg_label_source floats = {.data = c->reals ? b->floats->address : 0,
                                    .row_stride = 4 * (uint64_t)b->stride,
                                    .layer_stride = 4 * (uint64_t)b->stride * b->height,
                                    .type = LG_F32,
                                    .width = b->width,
                                    .height = b->height,
                                    .layers = 1};
    lg_label_request request = {.foreground =
                                    c->values ? LG_FOREGROUND_VALUES : LG_FOREGROUND_ABOVE,
                                .level = label_picture_level(content, b->density),
                                .connectivity = b->connectivity,
                                .labels = c->labels ? b->labels->address : 0,
                                .count = b->count->address,
                                .figures = c->figures ? b->records->address : 0,
                                .shapes = c->shapes ? b->shapes->address : 0,
                                .reals = c->reals ? b->reals->address : 0,
                                .largest = c->reals ? b->count->address + 4 : 0,
                                .intensity = c->reals ? &floats : NULL,
                                .capacity = b->capacity,
                                .tuning = b->tuning};
    if (apart) {
        request.tuning.mark = mark;
        request.tuning.arg = b;
    }
    b->kernel_count = 0;
    lg_vk_begin(b->commands);
    lg_vk_timestamp(b->commands, 0);
    lg_status status = lg_label_record_forest(b->context, &source, &request, b->commands, error);
    if (!status)
        status = lg_label_record_labels(b->context, &source, &request, b->commands, error);
    if (!apart)
        lg_vk_timestamp(b->commands, 1);
    if (!status)
        status = lg_vk_end(b->commands, error);
    if (!status)
        status = lg_vk_submit(b->context->vk, b->commands, error);
    return status ? status : lg_vk_wait(b->context->vk, b->commands, error);
}

// Medians: seconds[0] of all, the others of each dispatch in runs that are timed apart. The first runs raise
// the clock.
static lg_status time_case(label_bench *b, const label_case *c, label_picture content,
                           double *seconds, lg_error *error)
{
    double times[LG_LABEL_DISPATCHES + 1][BENCH_SAMPLES];
    const double start = lg_time_seconds();
    lg_status status = LG_OK;
    for (int i = 0; i < b->samples && !status;) {
        status = run_once(b, c, content, false, error);
        if (!status)
            times[0][i] = lg_vk_elapsed(b->context->vk, b->commands, 0, 1);
        if (!status)
            status = run_once(b, c, content, true, error);
        for (uint32_t k = 0; k < b->kernel_count && !status; k++)
            times[k + 1][i] = lg_vk_elapsed(b->context->vk, b->commands, k, k + 1);
        if (lg_time_seconds() - start > RAMP_SECONDS)
            i++;
    }
    for (uint32_t k = 0; k <= b->kernel_count && !status; k++)
        seconds[k] = bench_statistics(times[k], b->samples).median;
    return status;
}

// ---- checking -----------------------------------------------------------------------------------------

static uint32_t find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find(parent, a);
    b = find(parent, b);
    parent[LG_MAX(a, b)] = LG_MIN(a, b);
}

// Turns parents into labels; returns how many.
static uint32_t label_on_host(const label_bench *b, double level, uint32_t *label)
{
    const uint32_t width = b->width, pixels = width * b->height;
    uint32_t count = 0;
#define ON(x, y) ((double)b->host[(size_t)(y)*b->stride + (x)] > level)
    for (uint32_t y = 0, i = 0; y < b->height; y++)
        for (uint32_t x = 0; x < width; x++, i++) {
            label[i] = i;
            if (!ON(x, y))
                continue;
            if (x > 0 && ON(x - 1, y))
                join(label, i, i - 1);
            if (y > 0 && ON(x, y - 1))
                join(label, i, i - width);
            if (b->connectivity == 8 && y > 0 && x > 0 && ON(x - 1, y - 1))
                join(label, i, i - width - 1);
            if (b->connectivity == 8 && y > 0 && x + 1 < width && ON(x + 1, y - 1))
                join(label, i, i - width + 1);
        }
    for (uint32_t i = 0; i < pixels; i++) // parents come before
        if (!ON(i % width, i / width))
            label[i] = 0;
        else
            label[i] = label[i] == i ? ++count : label[label[i]];
#undef ON
    return count;
}

static lg_status compare_records(label_bench *b, const uint32_t *want, uint32_t count,
                                 lg_error *error)
{
    const uint32_t some = LG_MIN(count, b->capacity);
    const size_t bytes = (size_t)some * RECORD_BYTES;
    char *got = malloc(bytes + 1);
    uint64_t(*sums)[3] = calloc((size_t)count + 1, sizeof *sums);
    uint32_t(*bounds)[4] = calloc((size_t)count + 1, sizeof *bounds); // first, left, right, bottom
    lg_status status = got && sums && bounds ? LG_OK : lg_fail_memory(error, bytes, "figures");
    if (!status && bytes)
        status = lg_vk_download(b->context->vk, got, bytes, b->records, 0, bytes, bytes, 1, error);
    for (uint32_t y = 0, i = 0; y < b->height && !status; y++)
        for (uint32_t x = 0; x < b->width; x++, i++) {
            if (want[i] == 0)
                continue;
            uint64_t *s = sums[want[i] - 1];
            uint32_t *v = bounds[want[i] - 1];
            v[0] = s[0] ? v[0] : i;
            v[1] = s[0] ? LG_MIN(v[1], x) : x;
            v[2] = s[0] ? LG_MAX(v[2], x) : x;
            v[3] = y;
            s[0]++;
            s[1] += x;
            s[2] += y;
        }
    for (uint32_t i = 0; i < some && !status; i++) {
        lg_label_record record, *r = &record;
        memcpy(r, got + (size_t)i * RECORD_BYTES, RECORD_BYTES);
        if (r->area != sums[i][0] || (r->x[0] | (uint64_t)r->x[1] << 32) != sums[i][1] ||
            (r->y[0] | (uint64_t)r->y[1] << 32) != sums[i][2] || r->first != bounds[i][0] ||
            ~r->left != bounds[i][1] || r->right != bounds[i][2] || r->bottom != bounds[i][3])
            status =
                lg_fail(error, LG_ERROR_DATA, "figures of component %u of %u differ", i + 1, count);
    }
    free(got);
    free(sums);
    free(bounds);
    return status;
}

static lg_status check_case(label_bench *b, const label_case *c, const uint32_t *want,
                            uint32_t count, lg_error *error)
{
    const size_t bytes = (size_t)b->width * b->height * 4;
    uint32_t found = 0, *got = c->labels ? malloc(bytes) : NULL;
    lg_status status = lg_vk_download(b->context->vk, &found, 4, b->count, 0, 4, 4, 1, error);
    if (!status && found != count)
        status = lg_fail(error, LG_ERROR_DATA, "%u components, not %u", found, count);
    if (!status && c->labels)
        status =
            got ? lg_vk_download(b->context->vk, got, bytes, b->labels, 0, bytes, bytes, 1, error)
                : lg_fail_memory(error, bytes, "labels");
    if (!status && c->labels && memcmp(got, want, bytes))
        status = lg_fail(error, LG_ERROR_DATA, "labels differ");
    free(got);
    return status || !c->figures ? status : compare_records(b, want, count, error);
}

// ---- the rows -----------------------------------------------------------------------------------------

static lg_status run_content(label_bench *b, label_picture content, lg_error *error)
{
    const double pixels = (double)b->width * b->height;
    const size_t bytes = (size_t)b->width * b->height * 4;
    uint32_t *want = NULL, count = 0;
    lg_status status = draw(b, content, error);
    if (!status && b->check) {
        want = malloc(bytes);
        if (!want)
            status = lg_fail_memory(error, bytes, "labels");
        else
            count = label_on_host(b, label_picture_level(content, b->density), want);
    }
    for (size_t i = 0; i < (b->all ? LG_COUNT(cases) : USUAL_CASES) && !status; i++) {
        double seconds[LG_LABEL_DISPATCHES + 1];
        status = time_case(b, &cases[i], content, seconds, error);
        const bool checked = b->check && !cases[i].values;
        if (!status && checked)
            status = check_case(b, &cases[i], want, count, error);
        uint32_t found = 0;
        if (!status)
            status = lg_vk_download(b->context->vk, &found, 4, b->count, 0, 4, 4, 1, error);
        if (status)
            break;
        printf("\"%s\",%s,%u,%u,%u,%.2f,%.3f", cases[i].name, label_picture_names[content],
               b->width, b->height, found, seconds[0] * 1e6,
               cases[i].bytes * pixels / seconds[0] / b->copy);
        for (uint32_t k = 0; k < b->kernel_count; k++)
            printf(",%s %.2f", b->kernels[k] + strlen("label_"), seconds[k + 1] * 1e6);
        puts(checked ? ",same" : "");
        fflush(stdout);
    }
    free(want);
    return status;
}

static lg_status open_bench(label_bench *b, lg_error *error)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    b->stride = (uint32_t)lg_align_up(b->width, 16);
    const size_t bytes = (size_t)b->stride * b->height;
    const size_t pixels = (size_t)b->width * b->height;
    b->capacity = (uint32_t)LG_MIN((size_t)RECORDS, pixels);
    b->host = malloc(bytes);
    lg_status status = b->host ? lg_context_create(&params, &b->context, error)
                               : lg_fail_memory(error, bytes, "pixels");
    if (status)
        return status;
    lg_vk *vk = b->context->vk;
    status = lg_vk_commands_create(vk, LG_LABEL_DISPATCHES + 1, &b->commands, error);
    if (!status)
        status = lg_vk_buffer_create(vk, bytes + 256, LG_VK_DEVICE, &b->pixels, error);
    if (!status)
        status = lg_vk_buffer_create(vk, pixels * 4, LG_VK_DEVICE, &b->labels, error);
    if (!status)
        status = lg_vk_buffer_create(vk, 256, LG_VK_DEVICE, &b->count, error);
    if (!status)
        status = lg_vk_buffer_create(vk, (size_t)b->capacity * RECORD_BYTES, LG_VK_DEVICE,
                                     &b->records, error);
    if (!status && b->all)
        status = lg_vk_buffer_create(vk, 4 * bytes + 256, LG_VK_DEVICE, &b->floats, error);
    if (!status && b->all)
        status = lg_vk_buffer_create(vk, (size_t)b->capacity * sizeof(lg_label_shape_record),
                                     LG_VK_DEVICE, &b->shapes, error);
    if (!status && b->all)
        status = lg_vk_buffer_create(vk, (size_t)b->capacity * sizeof(lg_label_real_record),
                                     LG_VK_DEVICE, &b->reals, error);
    return status;
}

static void close_bench(label_bench *b)
{
    lg_vk_buffer **buffers[] = {&b->pixels, &b->labels, &b->count, &b->records,
                                &b->floats, &b->shapes, &b->reals};
    for (size_t i = 0; b->context && i < LG_COUNT(buffers); i++)
        lg_vk_buffer_destroy(b->context->vk, buffers[i]);
    if (b->context)
        lg_vk_commands_destroy(b->context->vk, &b->commands);
    lg_context_destroy(&b->context);
    free(b->host);
}

static bool take_option(void *to, const char *name, const char *value)
{
    label_bench *b = to;
    const int number = atoi(value);
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%ux%u", &b->width, &b->height) == 2 && b->width && b->height &&
               b->width <= 65536 && b->height <= 65535;
    if (strcmp(name, "--content") == 0)
        return (b->content = label_picture_find(value)) >= 0;
    if (strcmp(name, "--all") == 0)
        return b->all = strcmp(value, "yes") == 0;
    if (strcmp(name, "--density") == 0)
        return (b->density = number) >= 0 && number <= 100;
    if (strcmp(name, "--connectivity") == 0)
        return (b->connectivity = number) == 4 || number == 8;
    if (strcmp(name, "--samples") == 0)
        return (b->samples = number) > 0 && number <= BENCH_SAMPLES;
    if (strcmp(name, "--tile-words") == 0)
        return (b->tuning.tile_words = (uint32_t)number) == 4 || number == 8;
    if (strcmp(name, "--tile-rows") == 0)
        return (b->tuning.tile_rows = (uint32_t)number) >= 8 && number <= 64;
    if (strcmp(name, "--split") == 0)
        return (b->tuning.split = (uint32_t)number) >= 1 && number <= 32 &&
               !(number & (number - 1));
    if (strcmp(name, "--each") == 0)
        return (b->tuning.each = (uint32_t)number) == 1 || number == 4 || number == 16;
    return false;
}

int bench_label_device_main(int argc, char **argv)
{
    label_bench b = {.samples = 15,
                     .width = 3840,
                     .height = 2160,
                     .content = -1,
                     .density = 45,
                     .connectivity = 8};
    lg_error error = {0};
    const bench_own_options own = {
        .usage = usage, .flags = {{"--check", &b.check}}, .take = take_option, .to = &b};
    int wrong;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    if (open_bench(&b, &error)) {
        fprintf(stderr, "bench: %s\n", error.message);
        close_bench(&b);
        return 4;
    }
    b.copy = lg_bench_copy_speed(b.context, false, (size_t)128 << 20);
    printf("what,content,width,height,components,us,of_copy,us of each dispatch\n");
    lg_status status = LG_OK;
    for (int content = b.content < 0 ? PICTURE_RANDOM : b.content;
         content <= (b.content < 0 ? PICTURE_NATURAL : b.content) && !status; content++)
        status = run_content(&b, content, &error);
    if (status)
        printf("%ux%u: %s\n", b.width, b.height, error.message);
    close_bench(&b);
    return status != LG_OK;
}

#else

int bench_label_device_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fprintf(stderr, "bench: built without Vulkan\n%s", usage);
    return 4;
}

#endif
