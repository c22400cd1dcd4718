// lg_bench_main: opens the devices, goes through the rows, writes the report.
#include "bench.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// ---- devices -----------------------------------------------------------------------------------

static void open_device(bench_run *run, lg_device_kind kind, int index)
{
    bench_device *device = &run->devices[run->device_count];
    lg_context_params params = lg_context_params_default();
    params.device = kind;
    params.device_index = index;
    params.threads = run->options.threads;
    params.cpu_level = run->options.level;
    params.strict = true; // a row has the time of the device that it names
    lg_error error = {0};
    if (run->device_count == BENCH_DEVICES)
        return;
    if (lg_context_create(&params, &device->context, &error) != LG_OK) {
        snprintf(run->no_vulkan, sizeof run->no_vulkan, "%.255s", error.message);
        return;
    }
    lg_context_device(device->context, &device->info);
    device->energy =
        bench_energy_open(&device->info, device->why_no_energy, sizeof device->why_no_energy);
    run->device_count++;
}

// "all" is the CPU and the hardware Vulkan devices; software Vulkan only when it is asked for.
static void open_all(bench_run *run)
{
    lg_device_info infos[BENCH_DEVICES];
    size_t count = 0;
    lg_error error = {0};
    open_device(run, LG_DEVICE_CPU, -1);
    if (lg_devices_list(infos, LG_COUNT(infos), &count, run->no_vulkan, &error) != LG_OK)
        return;
    for (size_t i = 0; i < count && i < LG_COUNT(infos); i++) {
        if (infos[i].kind == LG_DEVICE_VULKAN && infos[i].usable && infos[i].hardware)
            open_device(run, LG_DEVICE_VULKAN, infos[i].index);
        else if (infos[i].kind == LG_DEVICE_VULKAN && !run->no_vulkan[0])
            snprintf(run->no_vulkan, sizeof run->no_vulkan, "%.150s %.100s", infos[i].name,
                     infos[i].usable ? "is software Vulkan: --device vulkan times it"
                                     : infos[i].reason);
    }
}

static bool open_devices(bench_run *run)
{
    const char *wish = run->options.device;
    if (strcmp(wish, "all") == 0)
        open_all(run);
    else if (strcmp(wish, "auto") == 0)
        open_device(run, LG_DEVICE_AUTO, -1);
    else if (strcmp(wish, "cpu") == 0)
        open_device(run, LG_DEVICE_CPU, -1);
    else if (strncmp(wish, "vulkan", 6) == 0 && (!wish[6] || wish[6] == ':'))
        open_device(run, LG_DEVICE_VULKAN, wish[6] ? atoi(wish + 7) : -1);
    if (run->device_count > 0)
        return true;
    fprintf(stderr, "bench: no device for --device %s. %s\n", wish, run->no_vulkan);
    return false;
}

// ---- rows ----------------------------------------------------------------------------------------

static void add_row(bench_run *run, bench_row row)
{
    if (run->row_count == run->row_capacity) {
        const size_t capacity = run->row_capacity ? run->row_capacity * 2 : 64;
        bench_row *rows = realloc(run->rows, capacity * sizeof *rows);
        if (!rows)
            return;
        run->rows = rows;
        run->row_capacity = capacity;
    }
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s %s x %d %s %d x %d %s", bench_kind_names[row.kind],
                lg_type_name(row.type), row.channels, bench_content_names[row.content], row.width,
                row.height, row.cold ? "cold" : "warm");
    bench_measure(run, &row);
    run->rows[run->row_count++] = row;
}

static bool by_default(bench_kind kind, lg_type type, int channels)
{
    if (channels == 1)
        return type != LG_F16;
    return channels == 4 && (type == LG_U8 || (type == LG_F32 && kind == BENCH_MOMENTS));
}

static void add_contents(bench_run *run, bench_row row)
{
    const bench_options *options = &run->options;
    for (int c = 0; c < CONTENTS; c++) {
        const bool usual =
            c == CONTENT_NATURAL || (row.kind == BENCH_HISTOGRAM && c < CONTENT_PHOTO);
        if (c == CONTENT_PHOTO        ? !run->source.photo
            : options->contents_given ? !options->contents[c]
                                      : !usual)
            continue;
        row.content = (enum content_kind)c;
        for (int cold = 1; cold >= 0; cold--) {
            if (cold ? !options->cold : !options->warm)
                continue;
            row.cold = cold;
            for (int d = 0; d < run->device_count; d++) {
                row.device = d;
                add_row(run, row);
            }
        }
    }
}

static void add_pixels(bench_run *run, bench_row row)
{
    for (int i = 0; i < BENCH_PIXELS; i++) {
        row.pixels = (bench_pixels)i;
        if (row.kind == BENCH_MOMENTS ? run->options.pixels[i] : i == BENCH_ALL)
            add_contents(run, row);
    }
}

static void add_matrix(bench_run *run, bench_kind kind)
{
    const bench_options *options = &run->options;
    for (int size = 0; size < options->size_count; size++) {
        for (int type = 0; type < LG_TYPES; type++) {
            for (int channels = 1; channels <= LG_MAX_CHANNELS; channels++) {
                const bool typed = options->type_given ? options->types[type] : true;
                const bool wide = options->channels_given ? options->channels[channels] : true;
                const bool usual = options->type_given || options->channels_given
                                       ? channels == 1 || channels == 4 || options->channels_given
                                       : by_default(kind, (lg_type)type, channels);
                if (typed && wide && usual)
                    add_pixels(run, (bench_row){.kind = kind,
                                                .width = options->sizes[size][0],
                                                .height = options->sizes[size][1],
                                                .type = (lg_type)type,
                                                .channels = channels});
            }
        }
    }
}

// Chains of point filters, and the filters with kernels of their own.
static const char *const usual_pipelines[] = {
    "contrast:contrast=1.2",
    "brightness:brightness=0.1 | contrast:contrast=1.2 | saturation:saturation=1.3 | "
    "gamma:gamma=0.9",
    "brightness:brightness=0.1 | contrast:contrast=1.2 | saturation:saturation=1.3 | "
    "gamma:gamma=0.9 | "
    "exposure:exposure=0.2 | levels:min=0.05:max=0.95 | vibrance:vibrance=0.3 | "
    "sepia:intensity=0.2",
    "lookup:over=#table",
    "average_luminance_threshold",
    "box_blur:radius=15",
    "gaussian_blur:sigma=2",
    "gaussian_blur:sigma=10",
    "dilation:radius=3",
    "dilation:radius=15",
    "local_stddev:radius=15",
    "sauvola:radius=15",
    "variable_box_blur:over=#in:radius=32",
    "bilateral:radius=5",
    "canny_edge_detection",
    "sobel_edge_detection",
};

static void add_filters(bench_run *run)
{
    const bench_options *options = &run->options;
    const bool given = options->pipeline_count > 0;
    int count = given ? options->pipeline_count : (int)LG_COUNT(usual_pipelines);
    const char *const *texts = given ? options->pipelines : usual_pipelines;
    if (options->all && (run->pipelines = bench_all_filters(&count)))
        texts = run->pipelines;
    for (int size = 0; size < options->size_count; size++)
        for (int i = 0; i < count; i++)
            for (int channels = 1; channels <= LG_MAX_CHANNELS; channels *= 2)
                for (int type = 0; type < LG_TYPES; type++) {
                    if (options->channels_given ? !options->channels[channels] : channels == 2)
                        continue;
                    if (options->type_given ? !options->types[type] : type != LG_U8)
                        continue;
                    add_contents(run, (bench_row){.kind = BENCH_FILTER,
                                                  .pipeline = texts[i],
                                                  .width = options->sizes[size][0],
                                                  .height = options->sizes[size][1],
                                                  .type = (lg_type)type,
                                                  .channels = channels});
                }
}

// Every strategy, from device memory and from the host's.
static void add_strategies(bench_run *run, lg_space space)
{
    const bench_options *options = &run->options;
    const int32_t *size = options->sizes[options->size_count - 1];
    for (int d = 0; d < run->device_count; d++) {
        const bool vulkan = run->devices[d].info.kind == LG_DEVICE_VULKAN;
        for (int v = LG_HISTOGRAM_AUTO; v < LG_HISTOGRAM_VARIANTS; v++) {
            bench_row row = {.kind = BENCH_HISTOGRAM,
                             .strategy = true,
                             .device = d,
                             .type = LG_U8,
                             .channels = 4,
                             .space = space,
                             .content = run->source.photo ? CONTENT_PHOTO : CONTENT_NATURAL,
                             .width = size[0],
                             .height = size[1],
                             .cold = options->cold,
                             .asked = (lg_histogram_variant)v};
            if (v != LG_HISTOGRAM_AUTO && (v >= LG_HISTOGRAM_VK_LANE_PRIVATE) != vulkan)
                continue;
            add_row(run, row);
            row.upload = true;
            if (vulkan)
                add_row(run, row);
        }
    }
}

// The table of the strategies, which are compared on bytes, counts energy by default; the others
// only when asked.
static void add_histogram_strategies(bench_run *run)
{
    if (run->options.type_given && !run->options.types[LG_U8])
        return;
    const double energy = run->options.energy_seconds;
    run->options.energy_seconds = energy < 0 ? 2 : energy;
    add_strategies(run, LG_SPACE_RGBL);
    add_strategies(run, LG_SPACE_STORED);
    run->options.energy_seconds = energy;
}

// Every device must have found the same figures.
static bool agree(const bench_run *run)
{
    bool same = true;
    for (size_t i = 0; i < run->row_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const bench_row *a = &run->rows[i], *b = &run->rows[j];
            if (!bench_same(a, b) || a->why[0] || b->why[0] || a->digest == b->digest)
                continue;
            fprintf(stderr, "bench: %s of %s x %d, %s, %d x %d: results differ (%s, %s)\n",
                    bench_kind_names[a->kind], lg_type_name(a->type), a->channels,
                    bench_content_names[a->content], a->width, a->height, a->variant, b->variant);
            same = false;
        }
    }
    return same;
}

// ---- start and end -------------------------------------------------------------------------------

static uint8_t *read_ppm(FILE *file, int *width, int *height)
{
    int top = 0;
    if (fscanf(file, "P6 %d %d %d", width, height, &top) != 3 || top != 255 || fgetc(file) == EOF ||
        *width < 1 || *height < 1 || *width > 32768 || *height > 32768)
        return NULL;
    const size_t bytes = (size_t)*width * (size_t)*height * 3;
    uint8_t *pixels = malloc(bytes);
    if (pixels && fread(pixels, 1, bytes, file) == bytes)
        return pixels;
    free(pixels);
    return NULL;
}

static bool load_photo(bench_run *run)
{
    const char *name = run->options.photo;
    if (!name)
        return true;
    FILE *file = fopen(name, "rb");
    if (file) {
        run->photo = read_ppm(file, &run->source.photo_width, &run->source.photo_height);
        fclose(file);
    }
    run->source.photo = run->photo;
    if (!run->photo)
        fprintf(stderr, "bench: %s is not a binary PPM (P6, 255) without comments\n", name);
    return run->photo != NULL;
}

static void note_machine(bench_run *run)
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(run->started, sizeof run->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (getloadavg(&run->load, 1) != 1)
        run->load = -1;
}

static void finish(bench_run *run)
{
    for (int i = 0; i < run->device_count; i++) {
        bench_energy_close(&run->devices[i].energy);
        lg_context_destroy(&run->devices[i].context);
    }
    free(run->rows);
    free(run->tile);
    free(run->photo);
    free(run->pipelines);
    free(run);
}

static int run_all(bench_run *run)
{
    if (!load_photo(run))
        return 2;
    if (!open_devices(run))
        return 4;
    run->tile = content_tile();
    run->source.tile = run->tile;
    if (!run->tile)
        return 4;
    note_machine(run);
    if (run->options.kinds[BENCH_HISTOGRAM])
        add_histogram_strategies(run);
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        if (run->options.kinds[kind] && kind == BENCH_FILTER)
            add_filters(run);
        else if (run->options.kinds[kind] && !(kind == BENCH_HISTOGRAM && run->options.strategies))
            add_matrix(run, (bench_kind)kind);
    if (isatty(2))
        fputs("\r\033[K", stderr);
    bench_report(run, stdout);
    return agree(run) ? 0 : 1;
}

// Words of the command line are printed; no option and no sensible name of a
// file has control characters.
static bool is_printable(const char *word)
{
    for (; *word; word++)
        if ((unsigned char)*word < ' ' || *word == 127)
            return false;
    return true;
}

int lg_bench_main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!is_printable(argv[i])) {
            fprintf(stderr, "bench: argument %d has control characters\n", i);
            return 2;
        }
    if (argc > 1 && strcmp(argv[1], "areasum") == 0)
        return bench_areasum_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "areasum-device") == 0)
        return bench_areasum_device_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "label") == 0)
        return bench_label_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "label-device") == 0)
        return bench_label_device_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "sources") == 0)
        return bench_sources_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "first") == 0)
        return bench_first_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "stream") == 0)
        return bench_stream_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "devices") == 0)
        return bench_devices_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "frames") == 0)
        return bench_frames_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "cuda") == 0)
        return bench_cuda_main(argc, argv);
    int status = 0;
    bench_run *run = calloc(1, sizeof *run);
    if (!run)
        return 4;
    if (!bench_parse(argc, argv, &run->options, &status)) {
        free(run);
        return status;
    }
    status = run_all(run);
    finish(run);
    return status;
}
