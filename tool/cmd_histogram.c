// lumagraph histogram
#include "file_bands.h"
#include "films.h"
#include "html.h"
#include "merged.h"
#include "plot.h"
#include "session.h"
#include "several_devices.h"
#include "team.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_COLUMNS 1u

static const char *channel_name(const lg_input_file *file, const lg_histogram *h, int index)
{
    int channel = index % h->channels;
    const bool stored = file->plane || file->image->shape.planes;
    return stored || (file->info.cmyk && h->channels == 4) ? lg_file_channel_name(file, channel)
                                                           : h->channel[index].name;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void percentiles_json(lg_json *json, const lg_options *options,
                             const lg_histogram_channel *c)
{
    char key[LG_NUMBER_SIZE];
    lg_json_begin(json, "percentiles", '{');
    for (int i = 0; i < options->percentile_count; i++)
        lg_json_number(json, lg_number(options->percentiles[i], key),
                       lg_histogram_percentile(c, options->percentiles[i]));
    lg_json_end(json, '}');
}

static void channel_json(lg_json *json, const lg_options *options, const char *name,
                         const lg_histogram_channel *c)
{
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "name", name);
    if (c->layer >= 0)
        lg_json_integer(json, "layer", c->layer);
    else
        lg_json_raw(json, "layer", "null");
    lg_json_integer(json, "bins", c->bins);
    lg_json_number(json, "width", lg_histogram_bin_width(c));
    lg_json_number(json, "lo", c->lo);
    lg_json_number(json, "hi", c->hi);
    lg_json_begin(json, "counts", '[');
    for (int32_t i = 0; i < c->bins; i++)
        lg_json_unsigned(json, NULL, c->counts[i]);
    lg_json_end(json, ']');
    lg_json_unsigned(json, "total", c->total);
    lg_json_unsigned(json, "below", c->below);
    lg_json_unsigned(json, "above", c->above);
    lg_json_unsigned(json, "nan_count", c->nan_count);
    lg_json_unsigned(json, "inf_count", c->inf_count);
    lg_json_number(json, "median", lg_histogram_percentile(c, 50));
    lg_json_number(json, "mode", lg_histogram_mode(c));
    lg_json_number(json, "entropy", lg_histogram_entropy(c));
    percentiles_json(json, options, c);
    lg_json_end(json, '}');
}

static void report_json(lg_session *session, const lg_input_file *file, const lg_histogram *h)
{
    lg_json *json = &session->json;
    const lg_options *options = session->options;
    lg_report_file_json(session, file);
    lg_json_begin(json, "definitions", '{');
    lg_json_text(json, "space", lg_space_name((lg_space)options->space));
    lg_json_text(json, "luma", lg_luma_name((lg_luma)options->luma));
    lg_json_text(json, "bins", "lo + i * width <= v < lo + (i + 1) * width, the last closed at hi");
    lg_json_text(json, "percentile", "linear");
    lg_json_text(json, "entropy", "bits per sample");
    lg_json_end(json, '}');
    lg_json_begin(json, "channels", '[');
    for (int i = 0; i < h->layers * h->channels; i++)
        channel_json(json, options, channel_name(file, h, i), &h->channel[i]);
    lg_json_end(json, ']');
    lg_report_engine_json(session, file);
    lg_json_end(json, '}');
}

// ---- CSV: a row per bin -------------------------------------------------------------------------

static void report_csv(lg_session *session, const lg_input_file *file, const lg_histogram *h)
{
    static const char *const names[] = {"name", "layer", "bin", "lo", "hi", "count"};
    lg_csv *csv = &session->csv;
    lg_report_head_csv(session, names, sizeof names / sizeof names[0]);
    for (int i = 0; i < h->layers * h->channels; i++) {
        const lg_histogram_channel *c = &h->channel[i];
        for (int32_t bin = 0; bin < c->bins; bin++) {
            lg_report_file_csv(session, file);
            lg_csv_text(csv, channel_name(file, h, i));
            if (c->layer >= 0)
                lg_csv_integer(csv, c->layer);
            else
                lg_csv_text(csv, "");
            lg_csv_integer(csv, bin);
            lg_csv_number(csv, lg_histogram_bin_value(c, bin));
            lg_csv_number(csv, lg_histogram_bin_value(c, bin + 1));
            lg_csv_unsigned(csv, c->counts[bin]);
            lg_csv_row(csv);
        }
    }
}

// ---- text ---------------------------------------------------------------------------------------

// Eight heights of block characters where the terminal knows UTF-8, else plain ones.
static void print_sparkline(FILE *out, const char *name, const lg_histogram_channel *c)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    enum { CELLS = 64 };
    const char *locale = getenv("LC_ALL");
    locale = locale && *locale ? locale : getenv("LC_CTYPE");
    locale = locale && *locale ? locale : getenv("LANG");
    bool utf8 = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
    int cells = c->bins < CELLS ? c->bins : CELLS;
    double heights[CELLS] = {0}, max = 0;
    for (int32_t i = 0; i < c->bins; i++)
        heights[(int64_t)i * cells / c->bins] += (double)c->counts[i];
    for (int i = 0; i < cells; i++)
        max = fmax(max, heights[i]);
    fprintf(out, "%-4s |", name);
    for (int i = 0; i < cells; i++) {
        int level = max > 0 ? (int)ceil(heights[i] / max * 8) : 0;
        fputs((utf8 ? blocks : plain)[level], out);
    }
    char low[LG_NUMBER_SIZE], high[LG_NUMBER_SIZE];
    fprintf(out, "| %s .. %s\n", lg_number_short(c->lo, low), lg_number_short(c->hi, high));
}

static void row_text(lg_table *table, const lg_options *options, bool floats, bool by_layer,
                     const char *name, const lg_histogram_channel *c)
{
    lg_table_cell(table, "%s", name);
    if (by_layer)
        lg_table_cell(table, "%d", c->layer);
    lg_table_unsigned(table, c->total);
    lg_table_unsigned(table, c->below);
    lg_table_unsigned(table, c->above);
    if (floats) {
        lg_table_unsigned(table, c->nan_count);
        lg_table_unsigned(table, c->inf_count);
    }
    lg_table_number(table, lg_histogram_mode(c));
    lg_table_number(table, lg_histogram_entropy(c));
    lg_table_number(table, lg_histogram_percentile(c, 50));
    for (int i = 0; i < options->percentile_count; i++)
        lg_table_number(table, lg_histogram_percentile(c, options->percentiles[i]));
}

static void report_text(lg_session *session, const lg_input_file *file, const lg_histogram *h)
{
    const lg_options *options = session->options;
    bool floats = h->type == LG_F16 || h->type == LG_F32, by_layer = h->layers > 1;
    // A printed table has 32 columns at most; more percentiles than that go to JSON.
    lg_options shown = *options;
    shown.percentile_count = shown.percentile_count > 20 ? 20 : shown.percentile_count;
    lg_table table = {.columns = 7 + by_layer + 2 * floats + shown.percentile_count};
    lg_report_file_text(session, file);
    char number[LG_NUMBER_SIZE];
    lg_table_cell(&table, "channel");
    if (by_layer)
        lg_table_cell(&table, "layer");
    static const char *const names[] = {"samples", "below", "above",   "nan",
                                        "inf",     "mode",  "entropy", "median"};
    for (int i = 0; i < 8; i++)
        if (floats || (i != 3 && i != 4))
            lg_table_cell(&table, "%s", names[i]);
    for (int i = 0; i < shown.percentile_count; i++)
        lg_table_cell(&table, "p%s", lg_number(shown.percentiles[i], number));
    for (int i = 0; i < h->layers * h->channels; i++)
        row_text(&table, &shown, floats, by_layer, channel_name(file, h, i), &h->channel[i]);
    lg_table_print(&table, session->out, LEFT_COLUMNS);
    for (int i = 0; i < h->channels && h->layers == 1; i++)
        print_sparkline(session->out, channel_name(file, h, i), &h->channel[i]);
    lg_report_engine_text(session, file);
}

// ---- measuring ----------------------------------------------------------------------------------

// --plot a.svg with several inputs: a-1.svg, a-2.svg ...; with frames: a-000000.svg, a-000001.svg ...
static lg_status draw(lg_session *session, const lg_input_file *file, const lg_histogram *h,
                      lg_error *error)
{
    char path[PATH_MAX];
    const char *asked = session->options->plot, *dot = strrchr(asked, '.');
    int stem = (int)(dot && !strchr(dot, '/') ? (size_t)(dot - asked) : strlen(asked));
    char input[16] = "", frame[24] = "";
    if (file->count > 1 && strcmp(asked, "-") != 0)
        snprintf(input, sizeof input, "-%d", file->index + 1);
    if (file->frame >= 0 && strcmp(asked, "-") != 0)
        snprintf(frame, sizeof frame, "-%06lld", (long long)file->frame);
    snprintf(path, sizeof path, "%.*s%s%s%s", stem, asked, input, frame, asked + stem);
    lg_status status = lg_session_check_output(session, path, error);
    if (status == LG_OK)
        status = lg_plot_histogram(session->options, file, h, path, error);
    return status == LG_OK ? status : lg_blame(error, "plot", path);
}

enum { PLANES = 3 };

// Of planes: those of each, side by side.
typedef struct plane_histograms {
    lg_histogram *plane[PLANES];
    lg_histogram_channel channel[PLANES];
    lg_histogram all;
} plane_histograms;

// The range of the type is that of the codes.
static void take_code_range(int bits, lg_histogram_params *params)
{
    if (!bits || !params->type_range)
        return;
    params->type_range = false;
    params->lo = 0;
    params->hi = (1 << bits) - 1;
}

static lg_status measure_planes(lg_session *session, const lg_input_file *file,
                                const lg_histogram_params *params, plane_histograms *out,
                                lg_error *error)
{
    const int count = lg_image_measured_channels(&file->image->shape);
    lg_status status = lg_need_planes(session, file, error);
    for (int i = 0; i < count && i < PLANES && !status; i++) {
        lg_image *plane = NULL;
        status = lg_image_plane(file->image, i, &plane, error);
        if (!status)
            status = lg_session_histogram(session, plane, params, &out->plane[i], error);
        lg_image_destroy(&plane);
        if (status)
            return status;
        out->all = *out->plane[i];
        out->channel[i] = *out->plane[i]->channel;
        snprintf(out->channel[i].name, sizeof out->channel[i].name, "%s",
                 lg_file_channel_name(file, i));
    }
    out->all.channels = count;
    out->all.channel = out->channel;
    return status;
}

lg_status lg_histogram_report(lg_session *session, const lg_input_file *file,
                              const lg_histogram *histogram, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_status status = options->plot ? draw(session, file, histogram, error) : LG_OK;
    if (!status && lg_html_begin(session)) {
        report_json(session, file, histogram);
        lg_html_add(session, file, NULL, 0);
    }
    if (status || session->mute)
        return status;
    if (options->json)
        report_json(session, file, histogram);
    else if (options->csv)
        report_csv(session, file, histogram);
    else
        report_text(session, file, histogram);
    return LG_OK;
}

static lg_histogram_params params_of(const lg_options *options)
{
    return (lg_histogram_params){
        .size = sizeof(lg_histogram_params),
        .select = lg_select_default(),
        .stack = options->stack,
        .bins = (int32_t)options->bins,
        .automatic_range = options->range_auto,
        .type_range = options->range_type,
        .lo = options->lo,
        .hi = options->hi,
        .space = (lg_space)options->space,
        .luma = (lg_luma)options->luma,
        .variant = (lg_histogram_variant)options->variant,
    };
}

static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    lg_histogram_params params = params_of(session->options);
    params.select = file->select;
    if (session->states)
        return lg_bands_state_histogram(session, file, &params, error);
    lg_histogram *whole = NULL;
    lg_band_histogram bands = {0};
    plane_histograms planes = {0};
    const lg_options *options = session->options;
    take_code_range(lg_code_bits(session, file), &params);
    lg_status status = options->planes ? measure_planes(session, file, &params, &planes, error)
                       : file->rows
                           ? lg_bands_histogram(session, file, &params, &bands, error)
                           : lg_session_histogram(session, file->image, &params, &whole, error);
    const lg_histogram *histogram = whole ? whole : options->planes ? &planes.all : &bands.all;
    if (status == LG_OK && lg_team_leads(options))
        status = lg_histogram_report(session, file, histogram, error);
    lg_histogram_destroy(&whole);
    for (int i = 0; i < PLANES; i++)
        lg_histogram_destroy(&planes.plane[i]);
    lg_band_histogram_free(&bands);
    return status;
}

int lg_command_histogram(const lg_options *options)
{
    lg_session session;
    int status = lg_session_begin(&session, options, "lumagraph.histogram/1", true);
    if (status != LG_EXIT_DONE)
        return status;
    session.mute = !options->output && options->plot && strcmp(options->plot, "-") == 0;
    session.prefers_bands = lg_bands_suit(&session);
    if (lg_bands_begin(&session))
        lg_session_each(&session, measure, NULL);
    return lg_session_end(&session);
}
