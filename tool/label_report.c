// Reports of label: a row for each component.
#include "html.h"
#include "label_run.h"
#include "label_values.h"

#include <string.h>

static double cell(const lg_label_table *table, int column, size_t row)
{
    return table->cells[(size_t)column * table->rows + row];
}

static const char *foreground_text(const lg_options *options)
{
    return options->has_level ? "above" : options->label_values ? "values" : "nonzero";
}

// ---- JSON ---------------------------------------------------------------------------------------

static void threshold_json(lg_json *json, const lg_options *options, const lg_label_run *run)
{
    if (!run->levels)
        return;
    lg_json_begin(json, "threshold", '{');
    lg_json_text(json, "method", lg_threshold_method_name(options->method));
    lg_json_number(json, "level", lg_label_level(run->levels));
    if (run->level_count > 1) {
        lg_json_begin(json, "levels", '[');
        for (int i = 0; i < run->level_count; i++)
            lg_json_number(json, NULL, lg_label_level(&run->levels[i]));
        lg_json_end(json, ']');
    }
    lg_json_text(json, "luma", lg_luma_name((lg_luma)options->luma));
    lg_json_end(json, '}');
}

static void definitions_json(lg_json *json, const lg_options *options, const lg_label_run *run)
{
    const lg_label_preset *preset = lg_label_preset_at(options->preset < 0 ? 0 : options->preset);
    const bool chosen = options->all_columns || options->column_count > 0;
    lg_json_begin(json, "definitions", '{');
    lg_json_text(json, "columns", chosen ? "chosen" : preset->name);
    lg_json_text(json, "foreground", foreground_text(options));
    lg_json_text(json, "centers", lg_choice_centers(run->table.half));
    lg_json_text(json, "labels", "raster order of first pixels");
    lg_json_end(json, '}');
}

static void selection_json(lg_json *json, const lg_options *options, const lg_label_run *run)
{
    lg_json_text(json, "keep", options->keep);
    lg_json_bool(json, "no_edge", options->no_edge);
    if (options->largest >= 0)
        lg_json_integer(json, "largest", options->largest);
    lg_json_bool(json, "fill_holes", options->fill_holes);
    lg_json_unsigned(json, "found", run->found);
    lg_json_unsigned(json, "components", run->kept);
}

static void outputs_json(lg_json *json, const lg_label_run *run)
{
    static const char *const names[] = {"labels", "colors", "overlay"};
    lg_json_begin(json, "outputs", '{');
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (*run->path[i])
            lg_json_text(json, names[i], run->path[i]);
    lg_json_end(json, '}');
}

static void rows_json(void *priv, const lg_label_table *table)
{
    lg_json *json = priv;
    for (size_t row = 0; row < table->rows; row++) {
        lg_json_begin(json, NULL, '{');
        for (int i = 0; i < table->columns; i++)
            lg_json_number(json, table->column[i].name, cell(table, i, row));
        lg_json_end(json, '}');
    }
}

static lg_status report_json(lg_session *session, const lg_input_file *file, lg_label_run *run,
                             lg_error *error)
{
    lg_json *json = &session->json;
    const lg_options *options = session->options;
    lg_report_file_json(session, file);
    definitions_json(json, options, run);
    lg_json_integer(json, "connectivity", lg_connectivity_of(options));
    threshold_json(json, options, run);
    if (options->intensity)
        lg_json_text(json, "intensity", options->intensity);
    if (options->intensity)
        lg_json_number(json, "unit", run->unit);
    selection_json(json, options, run);
    lg_json_begin(json, "table", '[');
    const lg_status status = lg_label_each_rows(session, file, run, rows_json, json, error);
    lg_json_end(json, ']');
    outputs_json(json, run);
    lg_report_engine_json(session, file);
    if (status) { // rows are missing
        lg_json_text(json, "error", error->message);
        lg_json_integer(json, "status", lg_exit_of(status));
    }
    lg_json_end(json, '}');
    return status;
}

// ---- CSV ----------------------------------------------------------------------------------------

static void header_csv(lg_session *session, const lg_label_table *table)
{
    lg_csv *csv = &session->csv;
    lg_report_names_csv(session);
    for (int i = 0; i < table->columns; i++)
        lg_csv_text(csv, table->column[i].name);
    lg_csv_row(csv);
}

typedef struct csv_rows {
    lg_session *session;
    const lg_input_file *file;
} csv_rows;

static void rows_csv(void *priv, const lg_label_table *table)
{
    const csv_rows *to = priv;
    lg_csv *csv = &to->session->csv;
    for (size_t row = 0; row < table->rows; row++) {
        lg_report_file_csv(to->session, to->file);
        for (int i = 0; i < table->columns; i++)
            lg_csv_number(csv, cell(table, i, row));
        lg_csv_row(csv);
    }
}

static lg_status report_csv(lg_session *session, const lg_input_file *file, lg_label_run *run,
                            lg_error *error)
{
    csv_rows to = {session, file};
    if (session->done == 0)
        header_csv(session, &run->table);
    return lg_label_each_rows(session, file, run, rows_csv, &to, error);
}

// ---- text ---------------------------------------------------------------------------------------

enum { ROWS_OF_TABLE = 10000 }; // a longer list has several tables

static void summary_text(lg_session *session, const lg_label_run *run)
{
    const lg_options *options = session->options;
    FILE *out = session->out;
    char number[LG_NUMBER_SIZE];
    const uint32_t count = run->kept;
    fprintf(out, "%u component%s", count, count == 1 ? "" : "s");
    if (count != run->found)
        fprintf(out, " of %u", run->found);
    fprintf(out, ", connectivity %d", lg_connectivity_of(options));
    if (run->levels)
        fprintf(out, ", above %s%s (%s)", lg_number_short(lg_label_level(run->levels), number),
                run->level_count > 1 ? " and so on, layer by layer" : "",
                lg_threshold_method_name(options->method));
    else
        fprintf(out, ", %s", options->label_values ? "by value" : "of what is not 0");
    fprintf(out, "%s\n", options->fill_holes ? ", holes filled" : "");
}

typedef struct text_rows {
    FILE *out;
    lg_table text; // that is not printed yet
    size_t rows;   // of it
} text_rows;

static void print_rows(text_rows *to)
{
    if (to->rows)
        lg_table_print(&to->text, to->out, 0);
    to->rows = 0;
}

static void rows_text(void *priv, const lg_label_table *table)
{
    text_rows *to = priv;
    for (size_t row = 0; row < table->rows; row++) {
        if (to->rows == 0) {
            to->text = (lg_table){.columns = table->columns};
            for (int i = 0; i < table->columns; i++)
                lg_table_cell(&to->text, "%s", table->column[i].name);
        }
        for (int i = 0; i < table->columns; i++)
            lg_table_number(&to->text, cell(table, i, row));
        if (++to->rows == ROWS_OF_TABLE)
            print_rows(to);
    }
}

static lg_status report_text(lg_session *session, const lg_input_file *file, lg_label_run *run,
                             lg_error *error)
{
    static const char *const names[] = {"labels", "colours", "overlay"};
    char clean[1000];
    text_rows to = {.out = session->out};
    lg_report_file_text(session, file);
    summary_text(session, run);
    const lg_status status = lg_label_each_rows(session, file, run, rows_text, &to, error);
    print_rows(&to);
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (*run->path[i])
            fprintf(session->out, "%s written to %s\n", names[i],
                    lg_sanitise(run->path[i], clean, sizeof clean));
    lg_report_engine_text(session, file);
    return status;
}

lg_status lg_label_report(lg_session *session, const lg_input_file *file, lg_label_run *run,
                          lg_error *error)
{
    lg_status status = session->options->json  ? report_json(session, file, run, error)
                       : session->options->csv ? report_csv(session, file, run, error)
                                               : report_text(session, file, run, error);
    if (!status && lg_html_begin(session)) {
        const lg_html_picture picture = {"the components", run->overlay};
        status = report_json(session, file, run, error);
        lg_html_add(session, file, &picture, 1);
    }
    return status;
}
