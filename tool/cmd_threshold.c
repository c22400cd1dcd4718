// lumagraph threshold
#include "file_bands.h"
#include "html.h"
#include "outputs.h"
#include "several_devices.h"
#include "threshold_bands.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_COLUMNS 1u

// "multi-otsu:3", "value:128" or the plain name.
static const char *method_text(const lg_options *options, char *out, size_t size)
{
    char number[LG_NUMBER_SIZE];
    const char *name = lg_threshold_method_name(options->method);
    if (options->method == LG_THRESHOLD_MULTI_OTSU)
        snprintf(out, size, "%s:%d", name, options->classes);
    else if (options->method == LG_THRESHOLD_VALUE)
        snprintf(out, size, "%s:%s", name, lg_number(options->value, number));
    else
        snprintf(out, size, "%s", name);
    return out;
}

static double share(const lg_threshold *t)
{
    return t->total > 0 ? (double)t->foreground / (double)t->total : 0;
}

// ---- reports ------------------------------------------------------------------------------------

// The keys of one result; several layers come as an array of these.
static void threshold_json(lg_json *json, const lg_threshold *t)
{
    lg_json_number(json, "level", t->level[0]);
    lg_json_begin(json, "levels", '[');
    for (int i = 0; i < t->levels; i++)
        lg_json_number(json, NULL, t->level[i]);
    lg_json_end(json, ']');
    lg_json_begin(json, "bins", '[');
    for (int i = 0; i < t->levels; i++)
        lg_json_integer(json, NULL, t->bin[i]);
    lg_json_end(json, ']');
    lg_json_number(json, "separability", t->separability);
    lg_json_unsigned(json, "foreground", t->foreground);
    lg_json_unsigned(json, "total", t->total);
    lg_json_number(json, "foreground_share", share(t));
}

static void report_json(lg_session *session, const lg_input_file *file, const lg_threshold *results,
                        int layers, const char *output)
{
    lg_json *json = &session->json;
    char method[80];
    lg_report_file_json(session, file);
    lg_json_begin(json, "definitions", '{');
    lg_json_text(json, "units", "stored");
    lg_json_text(json, "foreground", "value > level");
    lg_json_text(json, "luma", lg_luma_name((lg_luma)session->options->luma));
    lg_json_text(json, "separability", "between-class over total variance");
    lg_json_end(json, '}');
    lg_json_text(json, "method", method_text(session->options, method, sizeof method));
    threshold_json(json, &results[0]); // of layer 0, or of the stack
    if (layers > 1) {
        lg_json_begin(json, "results", '[');
        for (int i = 0; i < layers; i++) {
            lg_json_begin(json, NULL, '{');
            lg_json_integer(json, "layer", i);
            threshold_json(json, &results[i]);
            lg_json_end(json, '}');
        }
        lg_json_end(json, ']');
    }
    lg_json_text(json, "output", output);
    lg_report_engine_json(session, file);
    lg_json_end(json, '}');
}

static void report_csv(lg_session *session, const lg_input_file *file, const lg_threshold *results,
                       int layers)
{
    static const char *const names[] = {"layer",        "method",     "index", "level",
                                        "separability", "foreground", "total"};
    lg_csv *csv = &session->csv;
    char method[80];
    lg_report_head_csv(session, names, sizeof names / sizeof names[0]);
    for (int layer = 0; layer < layers; layer++)
        for (int i = 0; i < results[layer].levels; i++) {
            lg_report_file_csv(session, file);
            if (session->options->stack)
                lg_csv_text(csv, "");
            else
                lg_csv_integer(csv, layer);
            lg_csv_text(csv, method_text(session->options, method, sizeof method));
            lg_csv_integer(csv, i);
            lg_csv_number(csv, results[layer].level[i]);
            lg_csv_number(csv, results[layer].separability);
            lg_csv_unsigned(csv, results[layer].foreground);
            lg_csv_unsigned(csv, results[layer].total);
            lg_csv_row(csv);
        }
}

static void report_text(lg_session *session, const lg_input_file *file, const lg_threshold *results,
                        int layers, const char *output)
{
    bool by_layer = layers > 1;
    char method[80], clean[1000];
    lg_table table = {.columns = 5 + by_layer};
    lg_report_file_text(session, file);
    static const char *const names[] = {"method", "level", "separability", "foreground", "share"};
    for (int i = 0; i < 5; i++) {
        lg_table_cell(&table, "%s", names[i]);
        if (i == 0 && by_layer)
            lg_table_cell(&table, "layer");
    }
    for (int layer = 0; layer < layers; layer++) {
        const lg_threshold *t = &results[layer];
        char levels[LG_MAX_CLASSES * (LG_NUMBER_SIZE + 2)] = "", number[LG_NUMBER_SIZE];
        for (int i = 0; i < t->levels; i++) {
            strcat(levels, i ? ", " : "");
            strcat(levels, lg_number_short(t->level[i], number));
        }
        lg_table_cell(&table, "%s", method_text(session->options, method, sizeof method));
        if (by_layer)
            lg_table_cell(&table, "%d", layer);
        lg_table_cell(&table, "%s", levels);
        if (isnan(t->separability)) // there is but one class
            lg_table_cell(&table, "-");
        else
            lg_table_number(&table, t->separability);
        lg_table_unsigned(&table, t->foreground);
        lg_table_cell(&table, "%.2f %%", 100 * share(t));
    }
    lg_table_print(&table, session->out, LEFT_COLUMNS);
    if (output)
        fprintf(session->out, "written to %s\n", lg_sanitise(output, clean, sizeof clean));
    lg_report_engine_text(session, file);
}

// ---- output name --------------------------------------------------------------------------------

// FOLDER/photo.jpg -> OUT/photo.png, or .pgm where nothing writes PNG.
static lg_status write_binary(lg_session *session, const lg_input_file *file, lg_outputs *all,
                              const lg_image *binary, char *path, size_t size, lg_error *error)
{
    const char *extension = lg_threshold_extension(&file->image->shape);
    lg_status status = lg_outputs_name(all, file, extension, path, size, error);
    if (status != LG_OK)
        return status;
    const lg_write_params params = {.exact = true,
                                    .options = *all->options ? all->options : NULL,
                                    .metadata = file->info.metadata};
    status = lg_session_check_output(session, path, error);
    if (status == LG_OK)
        status = lg_outputs_write(all, session, file, binary, path, &params, error);
    if (status == LG_OK && file->frame < 0)
        status = lg_outputs_end(all, file, true, error);
    return status == LG_OK ? status : lg_blame(error, "output", path);
}

// ---- measuring ----------------------------------------------------------------------------------

static lg_status end_film(lg_session *session, const lg_input_file *file, void *priv, bool some,
                          lg_error *error)
{
    lg_outputs *all = priv;
    const lg_status status = lg_outputs_end(all, file, some, error);
    return status ? lg_blame(error, "output", all->asked) : status;
}

static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    const lg_options *options = session->options;
    lg_threshold_params params = {
        .size = sizeof(lg_threshold_params),
        .select = file->select,
        .method = options->method,
        .value = options->value,
        .classes = options->classes,
        .bins = (int32_t)options->bins,
        .stack = options->stack,
        .luma = (lg_luma)options->luma,
    };
    int layers = options->stack ? 1 : file->image->shape.layers;
    char path[PATH_MAX];
    lg_image *binary = NULL;
    lg_threshold *results = calloc((size_t)layers, sizeof *results);
    if (!results)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the results");
    lg_status status =
        file->rows
            ? lg_threshold_in_bands(session, file, &params, priv, path, results, layers, error)
            : lg_session_threshold(session, file->image, &params, results, (size_t)layers,
                                   options->output || options->report ? &binary : NULL, error);
    if (status == LG_OK && options->output && binary)
        status = write_binary(session, file, priv, binary, path, sizeof path, error);
    if (status == LG_OK && options->method == LG_THRESHOLD_VALUE)
        lg_note_level(session, file, options->value);
    const char *output = options->output ? path : NULL;
    if (status == LG_OK && options->json)
        report_json(session, file, results, layers, output);
    else if (status == LG_OK && options->csv)
        report_csv(session, file, results, layers);
    else if (status == LG_OK)
        report_text(session, file, results, layers, output);
    if (status == LG_OK && lg_html_begin(session)) {
        const lg_html_picture picture = {"above the level", binary};
        report_json(session, file, results, layers, output);
        lg_html_add(session, file, &picture, 1);
    }
    lg_image_destroy(&binary);
    free(results);
    return status;
}

static int threshold_all(const lg_options *options, lg_outputs *all)
{
    lg_session session;
    if (!lg_outputs_check(all, options))
        return LG_EXIT_USAGE;
    const int status = lg_session_begin(&session, options, "lumagraph.threshold/1", false);
    if (status != LG_EXIT_DONE)
        return status;
    // The image has standard output to itself: the report steps aside.
    if (options->output && strcmp(options->output, "-") == 0)
        session.out = session.json.stream = session.csv.stream = stderr;
    session.film_end = end_film;
    session.keeps_sound = lg_outputs_take_sound(all, options);
    session.whole_because = lg_threshold_whole_because;
    session.rereads = lg_threshold_rereads;
    if (lg_bands_begin(&session))
        lg_session_each(&session, measure, all);
    return lg_session_end(&session);
}

int lg_command_threshold(const lg_options *options)
{
    lg_outputs all = lg_outputs_at(options->output);
    all.takes_films = true;
    const int status = threshold_all(options, &all);
    lg_outputs_free(&all);
    return status;
}
