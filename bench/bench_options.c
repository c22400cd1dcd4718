// The command line of the benchmark.
#include <stdlib.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench [histogram|moments|threshold|filter|all] [OPTIONS]\n"
    "       lumagraph bench areasum|label [OPTIONS]   see lumagraph bench areasum --help\n"
    "       lumagraph bench areasum-device|label-device [OPTIONS]   kernels on the device alone\n"
    "       lumagraph bench sources [OPTIONS]         published tables, ours beside them\n"
    "       lumagraph bench first [OPTIONS]           first runs with an empty cache\n"
    "       lumagraph bench stream [OPTIONS]          frames a second, several on their way\n"
    "       lumagraph bench devices [OPTIONS]         several GPUs beside one\n"
    "       lumagraph bench cuda [OPTIONS]            memory that CUDA sees, too\n"
    "\n"
    "Times measurements and filters on this machine's devices, beside the most its memory can do.\n"
    "\n"
    "  --device auto|cpu|vulkan|vulkan:N|all   default all: the CPU and every Vulkan GPU\n"
    "  --size 1080p|4k|16k|WxH,...             default 1080p,4k\n"
    "  --type u8,u16,f16,f32                   default depends on the measurement\n"
    "  --channels 1,4                          likewise\n"
    "  --content random,natural,constant       likewise\n"
    "  --photo FILE.ppm                        adds a photograph, repeated (binary PPM, 8 bits)\n"
    "  --pixels all,mask,step2                 for moments: all; half of them by a mask; a "
    "quarter\n"
    "                                          in steps of 2. Default all\n"
    "  --regime cold,warm                      default both. cold: the images used in turn fill "
    "at\n"
    "                                          least 256 MiB and four times the last cache\n"
    "  --threads N, --cpu-level NAME           of the CPU; default all threads, the best level\n"
    "  --pipeline TEXT                         for filter, may be repeated: instead of the usual "
    "ones\n"
    "  --all                                   for filter: one row for each filter there is\n"
    "  --strategies                            for histogram: only the table of strategies\n"
    "  --samples N                             at least, default 15\n"
    "  --energy SECONDS                        per row where a counter exists, default 0 (off), "
    "for\n"
    "                                          the table of histogram strategies 2\n"
    "  --json, --csv                           instead of the table\n"
    "\n"
    "example: lumagraph bench histogram --size 4k --type u8 --channels 4\n";

static int find(const char *word, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0)
            return i;
    return -1;
}

// Calls take(out, word, length) for each word of a comma separated list.
static bool each(const char *list, bench_options *out,
                 bool (*take)(bench_options *, const char *, size_t))
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        if (!take(out, list, length))
            return false;
        list += length + (list[length] == ',');
    }
    return true;
}

static bool take_size(bench_options *out, const char *word, size_t length)
{
    static const char *const names[] = {"1080p", "4k", "16k"};
    static const int32_t sides[][2] = {{1920, 1080}, {3840, 2160}, {16384, 16384}};
    const int known = find(word, length, names, 3);
    int width = 0, height = 0;
    if (out->size_count == (int)LG_COUNT(out->sizes))
        return false;
    if (known >= 0) {
        width = sides[known][0];
        height = sides[known][1];
    } else if (sscanf(word, "%dx%d", &width, &height) != 2 || width < 1 || height < 1 ||
               width > LG_MAX_SIDE || height > LG_MAX_SIDE) {
        return false;
    }
    out->sizes[out->size_count][0] = width;
    out->sizes[out->size_count++][1] = height;
    return true;
}

static bool take_type(bench_options *out, const char *word, size_t length)
{
    const char *names[LG_TYPES];
    for (int i = 0; i < LG_TYPES; i++)
        names[i] = lg_type_name((lg_type)i);
    const int type = find(word, length, names, LG_TYPES);
    if (type >= 0)
        out->types[type] = out->type_given = true;
    return type >= 0;
}

static bool take_channels(bench_options *out, const char *word, size_t length)
{
    const int channels = length == 1 ? word[0] - '0' : 0;
    if (channels != 1 && channels != 2 && channels != 4)
        return false;
    return out->channels[channels] = out->channels_given = true;
}

static bool take_content(bench_options *out, const char *word, size_t length)
{
    const int content = find(word, length, bench_content_names, CONTENT_PHOTO);
    if (content >= 0)
        out->contents[content] = out->contents_given = true;
    return content >= 0;
}

static bool take_pixels(bench_options *out, const char *word, size_t length)
{
    const int pixels = find(word, length, bench_pixels_names, BENCH_PIXELS);
    if (pixels >= 0)
        out->pixels[pixels] = true;
    return pixels >= 0;
}

static bool take_regime(bench_options *out, const char *word, size_t length)
{
    const char *const names[] = {"cold", "warm"};
    const int regime = find(word, length, names, 2);
    out->cold = out->cold || regime == 0;
    out->warm = out->warm || regime == 1;
    return regime >= 0;
}

bool bench_take_level(const char *value, lg_cpu_level *out)
{
    for (int i = 0; i < LG_CPU_LEVELS; i++)
        if (strcmp(lg_cpu_level_name((lg_cpu_level)i), value) == 0) {
            *out = (lg_cpu_level)i;
            return true;
        }
    return false;
}

// An option with a value; false when the value is not allowed or there is no such option.
static bool take_option(bench_options *out, const char *name, const char *value)
{
    if (strcmp(name, "--device") == 0) {
        out->device = value;
        return true;
    }
    if (strcmp(name, "--pipeline") == 0) {
        if (out->pipeline_count == (int)LG_COUNT(out->pipelines))
            return false;
        out->pipelines[out->pipeline_count++] = value;
        return true;
    }
    if (strcmp(name, "--photo") == 0) {
        out->photo = value;
        return true;
    }
    if (strcmp(name, "--size") == 0)
        return each(value, out, take_size);
    if (strcmp(name, "--type") == 0)
        return each(value, out, take_type);
    if (strcmp(name, "--channels") == 0)
        return each(value, out, take_channels);
    if (strcmp(name, "--content") == 0)
        return each(value, out, take_content);
    if (strcmp(name, "--pixels") == 0)
        return each(value, out, take_pixels);
    if (strcmp(name, "--regime") == 0)
        return each(value, out, take_regime);
    if (strcmp(name, "--threads") == 0)
        return (out->threads = atoi(value)) > 0;
    if (strcmp(name, "--cpu-level") == 0)
        return bench_take_level(value, &out->level);
    if (strcmp(name, "--samples") == 0)
        return (out->samples = atoi(value)) > 0;
    if (strcmp(name, "--energy") == 0)
        return (out->energy_seconds = atof(value)) >= 0;
    return false;
}

static bool take_kind(bench_options *out, const char *word)
{
    const int kind = find(word, strlen(word), bench_kind_names, BENCH_KINDS);
    for (int i = 0; i < BENCH_KINDS; i++)
        out->kinds[i] = out->kinds[i] || i == kind || strcmp(word, "all") == 0;
    return kind >= 0 || strcmp(word, "all") == 0;
}

bool bench_parse(int argc, char **argv, bench_options *out, int *status)
{
    *out = (bench_options){
        .samples = 15, .threads = -1, .level = LG_CPU_BEST, .device = "all", .energy_seconds = -1};
    bool any = false;
    for (int i = 1; i < argc; i++) {
        bool good = true;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            *status = 0;
            return false;
        } else if (strcmp(argv[i], "--json") == 0) {
            out->format = BENCH_JSON;
        } else if (strcmp(argv[i], "--csv") == 0) {
            out->format = BENCH_CSV;
        } else if (strcmp(argv[i], "--all") == 0) {
            out->all = true;
        } else if (strcmp(argv[i], "--strategies") == 0) {
            out->strategies = true;
        } else if (argv[i][0] != '-') {
            any = good = take_kind(out, argv[i]);
        } else {
            good = i + 1 < argc && take_option(out, argv[i], argv[i + 1]);
            i += good;
        }
        if (!good) {
            fprintf(stderr, "bench: %s %s is not understood; see --help\n", argv[i],
                    argv[i][0] == '-' && i + 1 < argc ? argv[i + 1] : "");
            *status = 2;
            return false;
        }
    }
    if (!any)
        take_kind(out, "all");
    if (!out->pixels[BENCH_MASKED] && !out->pixels[BENCH_STEP_2])
        out->pixels[BENCH_ALL] = true;
    if (!out->size_count)
        each("1080p,4k", out, take_size);
    if (!out->cold && !out->warm)
        out->cold = out->warm = true;
    return true;
}

// ---- benchmarks with tables of their own --------------------------------------------------------

static bool take_flag(const bench_own_options *own, const char *name)
{
    for (size_t i = 0; i < LG_COUNT(own->flags); i++)
        if (own->flags[i].name && strcmp(name, own->flags[i].name) == 0)
            return *own->flags[i].on = true;
    return false;
}

bool bench_parse_own(int argc, char **argv, const bench_own_options *own, int *status)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(own->usage, stdout);
            *status = 0;
            return false;
        }
        if (take_flag(own, argv[i]))
            continue;
        if (i + 1 == argc || !own->take(own->to, argv[i], argv[i + 1])) {
            fprintf(stderr,
                    "bench: %s is not an option of bench %s, or its value is not possible\n%s",
                    argv[i], argv[1], own->usage);
            *status = 2;
            return false;
        }
        i++;
    }
    return true;
}
