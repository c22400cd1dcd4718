// lumagraph stats
#include "file_bands.h"
#include "films.h"
#include "html.h"
#include "lavfi.h"
#include "merged.h"
#include "several_devices.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>

#define LEFT_COLUMNS 1u

static void channel_json(lg_json *json, const char *name, int layer, const lg_moments *m)
{
    char sum[LG_NUMBER_SIZE];
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "name", name);
    if (layer >= 0)
        lg_json_integer(json, "layer", layer);
    else
        lg_json_raw(json, "layer", "null");
    lg_json_unsigned(json, "count", m->count);
    lg_json_number(json, "min", m->min);
    lg_json_number(json, "max", m->max);
    if (m->exact)
        lg_json_raw(json, "sum", lg_number_u128(m->sum_hi, m->sum_lo, sum));
    else
        lg_json_number(json, "sum", m->sum);
    lg_json_number(json, "mean", m->mean);
    lg_json_number(json, "variance", m->variance);
    lg_json_number(json, "variance_sample", m->variance_sample);
    lg_json_number(json, "stddev", sqrt(m->variance));
    lg_json_number(json, "stddev_sample", sqrt(m->variance_sample));
    lg_json_unsigned(json, "nan_count", m->nan_count);
    lg_json_unsigned(json, "inf_count", m->inf_count);
    lg_json_end(json, '}');
}

static void report_json(lg_session *session, const lg_input_file *file, const lg_moments *moments,
                        int layers)
{
    static const char *const rules[] = {"ignore", "propagate", "error"};
    lg_json *json = &session->json;
    int channels = lg_image_measured_channels(&file->image->shape);
    lg_report_file_json(session, file);
    lg_json_begin(json, "definitions", '{');
    lg_json_text(json, "units", "stored");
    lg_json_text(json, "variance", "population");
    lg_json_text(json, "stddev", "population");
    lg_json_text(json, "variance_sample", "n - 1");
    lg_json_text(json, "nan", rules[file->select.nan]);
    lg_json_end(json, '}');
    lg_json_begin(json, "channels", '[');
    for (int layer = 0; layer < layers; layer++)
        for (int c = 0; c < channels; c++)
            channel_json(json, lg_file_channel_name(file, c), session->options->stack ? -1 : layer,
                         &moments[layer * channels + c]);
    lg_json_end(json, ']');
    lg_report_engine_json(session, file);
    lg_json_end(json, '}');
}

static void header_csv(lg_session *session)
{
    lg_csv *csv = &session->csv;
    static const char *const names[] = {
        "width",         "height",    "layers",   "type", "name",     "layer",  "count",
        "min",           "max",       "sum",      "mean", "variance", "stddev", "variance_sample",
        "stddev_sample", "nan_count", "inf_count"};
    lg_report_names_csv(session);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        lg_csv_text(csv, names[i]);
    lg_csv_row(csv);
}

static void channel_csv(lg_session *session, const lg_input_file *file, const char *name, int layer,
                        const lg_moments *m)
{
    char sum[LG_NUMBER_SIZE];
    lg_csv *csv = &session->csv;
    const lg_image_params *shape = &file->image->shape;
    lg_report_file_csv(session, file);
    lg_csv_integer(csv, shape->width);
    lg_csv_integer(csv, shape->height);
    lg_csv_integer(csv, shape->layers);
    lg_csv_text(csv, lg_type_name(shape->type));
    lg_csv_text(csv, name);
    if (layer >= 0)
        lg_csv_integer(csv, layer);
    else
        lg_csv_text(csv, "");
    lg_csv_unsigned(csv, m->count);
    lg_csv_number(csv, m->min);
    lg_csv_number(csv, m->max);
    if (m->exact)
        lg_csv_text(csv, lg_number_u128(m->sum_hi, m->sum_lo, sum));
    else
        lg_csv_number(csv, m->sum);
    lg_csv_number(csv, m->mean);
    lg_csv_number(csv, m->variance);
    lg_csv_number(csv, sqrt(m->variance));
    lg_csv_number(csv, m->variance_sample);
    lg_csv_number(csv, sqrt(m->variance_sample));
    lg_csv_unsigned(csv, m->nan_count);
    lg_csv_unsigned(csv, m->inf_count);
    lg_csv_row(csv);
}

static void report_csv(lg_session *session, const lg_input_file *file, const lg_moments *moments,
                       int layers)
{
    int channels = lg_image_measured_channels(&file->image->shape);
    if (session->done == 0)
        header_csv(session);
    for (int layer = 0; layer < layers; layer++)
        for (int c = 0; c < channels; c++)
            channel_csv(session, file, lg_file_channel_name(file, c),
                        session->options->stack ? -1 : layer, &moments[layer * channels + c]);
}

static void channel_text(lg_table *table, const char *name, int layer, bool floats,
                         const lg_moments *m)
{
    char sum[LG_NUMBER_SIZE];
    lg_table_cell(table, "%s", name);
    if (layer >= 0)
        lg_table_cell(table, "%d", layer);
    lg_table_unsigned(table, m->count);
    lg_table_number(table, m->min);
    lg_table_number(table, m->max);
    lg_table_number(table, m->mean);
    lg_table_number(table, sqrt(m->variance));
    lg_table_number(table, m->variance);
    if (m->exact)
        lg_table_cell(table, "%s", lg_number_u128(m->sum_hi, m->sum_lo, sum));
    else
        lg_table_number(table, m->sum);
    if (floats) {
        lg_table_unsigned(table, m->nan_count);
        lg_table_unsigned(table, m->inf_count);
    }
}

static void report_text(lg_session *session, const lg_input_file *file, const lg_moments *moments,
                        int layers)
{
    const lg_image_params *shape = &file->image->shape;
    int channels = lg_image_measured_channels(shape);
    bool floats = shape->type == LG_F16 || shape->type == LG_F32;
    bool by_layer = shape->layers > 1 && !session->options->stack;
    lg_table table = {.columns = 8 + (floats ? 2 : 0) + (by_layer ? 1 : 0)};
    lg_report_file_text(session, file);
    lg_table_cell(&table, "channel");
    if (by_layer)
        lg_table_cell(&table, "layer");
    static const char *const names[] = {"count",    "min", "max", "mean", "stddev",
                                        "variance", "sum", "nan", "inf"};
    for (int i = 0; i < (floats ? 9 : 7); i++)
        lg_table_cell(&table, "%s", names[i]);
    for (int layer = 0; layer < layers; layer++)
        for (int c = 0; c < channels; c++)
            channel_text(&table, lg_file_channel_name(file, c), by_layer ? layer : -1, floats,
                         &moments[layer * channels + c]);
    lg_table_print(&table, session->out, LEFT_COLUMNS);
    lg_report_engine_text(session, file);
}

// Every plane of an image by itself.
static lg_status measure_planes(lg_session *session, const lg_input_file *file,
                                const lg_moments_params *params, lg_moments *out, int count,
                                lg_error *error)
{
    lg_status status = lg_need_planes(session, file, error);
    for (int i = 0; i < count && !status; i++) {
        lg_image *plane = NULL;
        status = lg_image_plane(file->image, i, &plane, error);
        if (!status)
            status = lg_session_moments(session, plane, params, &out[i], 1, error);
        lg_image_destroy(&plane);
    }
    return status;
}

void lg_stats_report(lg_session *session, const lg_input_file *file, const lg_moments *moments)
{
    const lg_options *options = session->options;
    const int layers = options->stack ? 1 : file->image->shape.layers;
    if (options->json)
        report_json(session, file, moments, layers);
    else if (options->csv)
        report_csv(session, file, moments, layers);
    else
        report_text(session, file, moments, layers);
    if (lg_html_begin(session)) {
        report_json(session, file, moments, layers);
        lg_html_add(session, file, NULL, 0);
    }
}

// Whether planes are measured: as they are stored, or their colours, which are then made where they are
// measured. Who looks at pixels, changes or chooses them, takes colours.
static bool takes_planes(const lg_session *session)
{
    const lg_options *options = session->options;
    return options->planes || options->plane >= 0 ||
           (!options->report && !options->has_region && !options->mask && options->step == 1 &&
            !options->scale && !session->batch && options->device != LG_DEVICE_VULKAN);
}

static lg_status measure_image(lg_session *session, lg_input_file *file, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_image_params *shape = &file->image->shape;
    int layers = options->stack ? 1 : shape->layers;
    size_t figures = (size_t)layers * (size_t)lg_image_measured_channels(shape);
    lg_moments *moments = calloc(figures, sizeof *moments);
    if (!moments)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu figures", figures);
    lg_moments_params params = {
        .size = sizeof(lg_moments_params), .select = file->select, .stack = options->stack};
    lg_status status =
        options->planes ? measure_planes(session, file, &params, moments, (int)figures, error)
        : file->rows    ? lg_bands_moments(session, file, &params, moments, error)
                     : lg_session_moments(session, file->image, &params, moments, figures, error);
    if (status == LG_OK && lg_team_leads(options))
        lg_stats_report(session, file, moments);
    free(moments);
    return status;
}

// Reports are those of the image of colours.
static lg_status measure_colors(lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_image *const planes = file->image;
    lg_image colors = {.shape = planes->shape};
    lg_moments moments[LG_MAX_CHANNELS];
    const lg_moments_params params = {.size = sizeof(lg_moments_params),
                                      .select = file->select,
                                      .stack = session->options->stack};
    const lg_status status =
        lg_session_moments(session, planes, &params, moments, LG_MAX_CHANNELS, error);
    colors.shape.planes = NULL;
    file->image = &colors;
    if (!status)
        lg_stats_report(session, file, moments);
    file->image = planes;
    return status;
}

static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    if (session->states)
        return lg_bands_state_moments(session, file, error);
    if (!file->image->shape.planes || session->options->planes)
        return measure_image(session, file, error);
    return measure_colors(session, file, error);
}

int lg_command_stats(const lg_options *options)
{
    lg_session session;
    int status = lg_session_begin(&session, options, "lumagraph.stats/1", true);
    if (status != LG_EXIT_DONE)
        return status;
    session.takes_planes = takes_planes(&session);
    session.prefers_bands = lg_bands_suit(&session);
    lg_lavfi *lavfi = options->lavfi ? lg_lavfi_create() : NULL;
    lg_error error = {.status = LG_ERROR_MEMORY, .message = "no memory for figures of planes"};
    if (options->lavfi && !lavfi)
        lg_session_fail(&session, options->files[0], &error);
    else if (lg_bands_begin(&session))
        lg_session_each(&session, lavfi ? lg_lavfi_measure : measure, lavfi);
    lg_lavfi_destroy(lavfi);
    return lg_session_end(&session);
}
