// The result as a table, as JSON or as CSV.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "bench.h"

const char *const bench_kind_names[BENCH_KINDS] = {"histogram", "moments", "threshold", "filter"};
const char *const bench_pixels_names[BENCH_PIXELS] = {"all", "mask", "step2"};
const char *const bench_content_names[CONTENTS] = {"random", "natural", "constant", "photo"};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_times bench_statistics(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
    const double middle = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
    return (bench_times){middle, seconds[0], seconds[(count - 1) / 4],
                         seconds[(3 * (count - 1) + 3) / 4]};
}

bool bench_same(const bench_row *a, const bench_row *b)
{
    return a->kind == b->kind && a->type == b->type && a->channels == b->channels &&
           a->content == b->content && a->pixels == b->pixels && a->width == b->width &&
           a->height == b->height && a->strategy == b->strategy && a->space == b->space &&
           a->pipeline == b->pipeline;
}

// ---- derived figures -------------------------------------------------------------------------------

// Device time where there is one, else the time of the call.
static double best_time(const bench_row *row)
{
    return row->compute.median > 0 && !row->upload ? row->compute.median : row->host.median;
}

static double rate(const bench_row *row)
{
    return (row->read_bytes + row->written_bytes) / best_time(row);
}

static double pixels(const bench_row *row)
{
    return (double)row->width * row->height;
}

static const char *samples_name(const bench_row *row, char *out, size_t size)
{
    snprintf(out, size, "%sx%d", lg_type_name(row->type), row->channels);
    return out;
}

static const char *device_name(const bench_run *run, const bench_row *row)
{
    return run->devices[row->device].info.kind == LG_DEVICE_CPU ? "cpu" : "vulkan";
}

// ---- text ------------------------------------------------------------------------------------------

static void text_machine(const bench_run *run, FILE *out)
{
    struct utsname system;
    uname(&system);
    fprintf(out, "lumagraph %s, %s, %s %s, load average %.2f\n", lg_version(), run->started,
            system.sysname, system.machine, run->load);
    for (int i = 0; i < run->device_count; i++) {
        const bench_device *device = &run->devices[i];
        fprintf(out, "  %-7s %s; %s%s%s\n", device->info.kind == LG_DEVICE_CPU ? "cpu" : "vulkan",
                device->info.name, device->info.driver,
                device->energy ? "" : "; no energy: ", device->energy ? "" : device->why_no_energy);
    }
    if (run->no_vulkan[0])
        fprintf(out, "  vulkan  %s\n", run->no_vulkan);
}

static void text_joules(const bench_row *row, FILE *out)
{
    if (row->joules >= 0)
        fprintf(out, " %10.4f", row->joules * 1e9 / pixels(row));
    else
        fprintf(out, " %10s", "-");
}

static void text_strategies(const bench_run *run, lg_space space, FILE *out)
{
    bool titled = false;
    for (size_t i = 0; i < run->row_count; i++) {
        const bench_row *row = &run->rows[i];
        if (!row->strategy || row->space != space)
            continue;
        if (!titled)
            fprintf(
                out,
                "\nHistogram of %s, every strategy, %d x %d RGBA8, %s, %s;\nMB/s: 10^6 bytes of "
                "pixels per second of the whole call\n%-8s %-18s %-9s %10s "
                "%10s %10s\n",
                space == LG_SPACE_RGBL ? "red, green, blue and luma" : "red, green and blue",
                row->width, row->height, bench_content_names[row->content],
                row->cold ? "cold" : "warm", "device", "strategy", "data", "MB/s", "ms",
                "J/Gpixel");
        titled = true;
        const char *name =
            row->asked == LG_HISTOGRAM_AUTO ? "auto" : lg_histogram_variant_name(row->asked);
        fprintf(out, "%-8s %-18s %-9s ", device_name(run, row), name,
                row->upload                                            ? "uploaded"
                : run->devices[row->device].info.kind == LG_DEVICE_CPU ? "memory"
                                                                       : "resident");
        if (row->why[0]) {
            fprintf(out, "not available: %s\n", row->why);
            continue;
        }
        fprintf(out, "%10.1f %10.3f", row->read_bytes / row->host.median * 1e-6,
                row->host.median * 1e3);
        text_joules(row, out);
        if (row->asked == LG_HISTOGRAM_AUTO)
            fprintf(out, "  takes %s", row->variant);
        fputc('\n', out);
    }
}

static void text_row(const bench_run *run, const bench_row *row, FILE *out)
{
    char samples[16];
    fprintf(out, "%-9s %-6s %-6s %-8s %5dx%-5d %-4s ", bench_kind_names[row->kind],
            device_name(run, row), samples_name(row, samples, sizeof samples),
            bench_content_names[row->content], row->width, row->height,
            row->cold ? "cold" : "warm");
    if (row->why[0]) {
        fprintf(out, "not available: %s\n", row->why);
        return;
    }
    fprintf(out, "%10.1f", row->host.median * 1e6);
    if (row->compute.median > 0)
        fprintf(out, " %10.1f", row->compute.median * 1e6);
    else
        fprintf(out, " %10s", "-");
    fprintf(out, " %9.1f %5.0f%% %8.2f", row->host.min * 1e6,
            100 * (row->host.quartile3 - row->host.quartile1) / row->host.median, rate(row) * 1e-9);
    if (row->ceiling > 0)
        fprintf(out, " %8.2f %5.0f%%", row->ceiling * 1e-9, 100 * rate(row) / row->ceiling);
    else
        fprintf(out, " %8s %6s", "-", "-");
    text_joules(row, out);
    fprintf(out, "  %s%s%s\n", row->pipeline ? row->pipeline : row->variant,
            row->pixels ? ", " : "", row->pixels ? bench_pixels_names[row->pixels] : "");
}

static void text_report(const bench_run *run, FILE *out)
{
    text_machine(run, out);
    text_strategies(run, LG_SPACE_RGBL, out);
    text_strategies(run, LG_SPACE_STORED, out);
    bool titled = false;
    for (size_t i = 0; i < run->row_count; i++) {
        if (run->rows[i].strategy)
            continue;
        if (!titled)
            fprintf(out,
                    "\n%-9s %-6s %-6s %-8s %-11s %-4s %10s %10s %9s %6s %8s %8s %6s %10s  %s\n",
                    "measure", "device", "type", "content", "size", "data", "call us", "device us",
                    "min us", "spread", "GB/s", "ceiling", "of it", "J/Gpixel", "variant");
        titled = true;
        text_row(run, &run->rows[i], out);
    }
    fputs("\ncall: median time of the call. device: between the GPU's timestamps. spread: distance "
          "of the quartiles\nover the median. GB/s: bytes moved over the device time, or over the "
          "call's where there is none.\nceiling: our own read kernel (copy kernel for threshold "
          "and filter) on "
          "a working set of that size.\n",
          out);
}

// ---- JSON and CSV: the same fields -------------------------------------------------------------------

static void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

typedef struct writer {
    FILE *out;
    bool json, header; // header: the line of names of a CSV file
    bool first;
} writer;

static void name_field(writer *w, const char *name)
{
    if (!w->first)
        fputc(',', w->out);
    w->first = false;
    if (w->json)
        fprintf(w->out, "\"%s\":", name);
    else if (w->header)
        fputs(name, w->out);
}

static void text_field(writer *w, const char *name, const char *text)
{
    name_field(w, name);
    if (w->json) {
        json_text(w->out, text);
    } else if (!w->header) {
        fputc('"', w->out);
        for (; *text; text++)
            fprintf(w->out, *text == '"' ? "\"\"" : "%c", *text);
        fputc('"', w->out);
    }
}

// Negative is "not measured": null, or an empty field.
static void number_field(writer *w, const char *name, double value)
{
    name_field(w, name);
    if (value >= 0 && isfinite(value) && !w->header)
        fprintf(w->out, "%.17g", value);
    else if (w->json)
        fputs("null", w->out);
}

static void times_fields(writer *w, const char *what, bench_times times)
{
    char name[48];
    const double values[] = {times.median, times.min, times.quartile1, times.quartile3};
    const char *const suffixes[] = {"median", "min", "q1", "q3"};
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s_%s_us", what, suffixes[i]);
        number_field(w, name, values[i] < 0 ? -1 : values[i] * 1e6);
    }
}

static void row_fields(writer *w, const bench_run *run, const bench_row *row)
{
    const bench_device *device = &run->devices[row->device];
    const bool ran = !row->why[0];
    text_field(w, "bench", bench_kind_names[row->kind]);
    text_field(w, "table", row->strategy ? "strategies" : "sizes");
    text_field(w, "device", device_name(run, row));
    text_field(w, "device_name", device->info.name);
    text_field(w, "driver", device->info.driver);
    text_field(w, "variant",
               row->variant[0] ? row->variant : lg_histogram_variant_name(row->asked));
    text_field(w, "pipeline", row->pipeline ? row->pipeline : "");
    text_field(w, "space", lg_space_name(row->space));
    text_field(w, "type", lg_type_name(row->type));
    number_field(w, "channels", row->channels);
    text_field(w, "content", bench_content_names[row->content]);
    number_field(w, "width", row->width);
    number_field(w, "height", row->height);
    text_field(w, "regime", row->cold ? "cold" : "warm");
    text_field(w, "data", row->upload ? "uploaded" : "resident");
    number_field(w, "samples", row->samples);
    times_fields(w, "call", row->host);
    times_fields(w, "device", row->compute);
    number_field(w, "bytes_read", row->read_bytes);
    number_field(w, "bytes_written", row->written_bytes);
    number_field(w, "gb_per_s", ran ? rate(row) * 1e-9 : -1);
    number_field(w, "ceiling_gb_per_s", row->ceiling > 0 ? row->ceiling * 1e-9 : -1);
    number_field(w, "of_ceiling", ran && row->ceiling > 0 ? rate(row) / row->ceiling : -1);
    number_field(w, "joules_per_gigapixel",
                 row->joules >= 0 ? row->joules * 1e9 / pixels(row) : -1);
    number_field(w, "joules_idle_per_gigapixel",
                 row->joules >= 0 ? row->joules_idle * 1e9 / pixels(row) : -1);
    number_field(w, "figure", row->figure);
    text_field(w, "no_energy",
               row->joules >= 0 ? ""
               : device->energy ? "not asked for"
                                : device->why_no_energy);
    text_field(w, "unavailable", row->why);
    text_field(w, "date", run->started);
    number_field(w, "load_average", run->load);
    text_field(w, "pixels", bench_pixels_names[row->pixels]);
}

static void json_report(const bench_run *run, FILE *out)
{
    struct utsname system;
    uname(&system);
    fputs("{\"schema\":\"lumagraph.bench/1\",\"lumagraph\":", out);
    json_text(out, lg_version());
    fputs(",\"system\":", out);
    json_text(out, system.machine);
    fputs(",\"no_vulkan\":", out);
    json_text(out, run->no_vulkan);
    fputs(",\"rows\":[", out);
    for (size_t i = 0; i < run->row_count; i++) {
        writer w = {.out = out, .json = true, .first = true};
        fputs(i ? ",{" : "{", out);
        row_fields(&w, run, &run->rows[i]);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

static void csv_report(const bench_run *run, FILE *out)
{
    writer w = {.out = out, .header = true, .first = true};
    const bench_row none = {0};
    row_fields(&w, run, &none);
    fputc('\n', out);
    for (size_t i = 0; i < run->row_count; i++) {
        w = (writer){.out = out, .first = true};
        row_fields(&w, run, &run->rows[i]);
        fputc('\n', out);
    }
}

void bench_report(const bench_run *run, FILE *out)
{
    if (run->options.format == BENCH_JSON)
        json_report(run, out);
    else if (run->options.format == BENCH_CSV)
        csv_report(run, out);
    else
        text_report(run, out);
}
