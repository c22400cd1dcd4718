// Reports of areasum: a row for each shape and channel; in JSON an entry for each shape.
#include "area_answers.h"
#include "area_values.h"
#include "html.h"

#include <math.h>

// Names of the columns that say which shape it is.
static const char *const *shape_columns(const lg_area_shapes *shapes, int *count)
{
    static const char *const polygon[] = {"polygon"}, *const mask[] = {"mask"};
    static const char *const flat[] = {"x", "y", "width", "height"};
    static const char *const solid[] = {"x", "y", "z", "width", "height", "depth"};
    if (shapes->kind != LG_SHAPES_BOXES) {
        *count = 1;
        return shapes->kind == LG_SHAPES_MASK ? mask : polygon;
    }
    if (shapes->ranges) {
        static const char *const box[] = {"box"};
        *count = 1;
        return box;
    }
    *count = 2 * shapes->dims;
    return shapes->dims == 3 ? solid : flat;
}

// Value of a column of a box.
static int64_t box_value(const lg_area_shapes *shapes, size_t index, int column)
{
    const int32_t *bounds = shapes->bounds + 2 * (size_t)shapes->dims * index;
    return column < shapes->dims ? bounds[column] : bounds[column] - bounds[column - shapes->dims];
}

// How boxes stand for one that is turned.
enum { COVER_FIGURES = 4 };
static const char *const cover_names[COVER_FIGURES] = {"boxes", "pixels", "missing", "extra"};

static int64_t cover_figure(const lg_area_cover *cover, int which)
{
    const int64_t figures[] = {(int64_t)cover->boxes, cover->pixels, cover->missing, cover->extra};
    return figures[which];
}

static const char *shape_name(const lg_session *session, const lg_area_shapes *shapes, size_t index)
{
    return shapes->kind == LG_SHAPES_MASK ? session->options->mask : shapes->polygon[index].id;
}

// ---- JSON ---------------------------------------------------------------------------------------

// As histogram has it.
static double bin_width(const lg_area_answers *a, lg_type type)
{
    const lg_histogram_channel c = {
        .bins = a->params.bins, .lo = a->params.low, .hi = a->params.high, .type = type};
    return lg_histogram_bin_width(&c);
}

static void histogram_json(lg_json *json, const lg_area_answers *a, size_t index)
{
    lg_json_begin(json, "histogram", '[');
    for (int c = 0; c < a->info.channels; c++) {
        const size_t at = index * (size_t)a->info.channels + (size_t)c;
        lg_json_begin(json, NULL, '[');
        for (int bin = 0; bin < a->params.bins; bin++)
            lg_json_unsigned(json, NULL, a->counts[at * (size_t)a->params.bins + (size_t)bin]);
        lg_json_end(json, ']');
    }
    lg_json_end(json, ']');
}

// As histogram has them: an object, here of the values of the channels.
static void percentiles_json(lg_json *json, const lg_options *options, const lg_area_answers *a,
                             size_t index)
{
    char key[LG_NUMBER_SIZE];
    lg_json_begin(json, "percentiles", '{');
    for (int i = 0; i < options->percentile_count; i++) {
        lg_json_begin(json, lg_number(options->percentiles[i], key), '[');
        for (int c = 0; c < a->info.channels; c++)
            lg_json_number(
                json, NULL,
                lg_area_percentile(options, a, index * (size_t)a->info.channels + (size_t)c, i));
        lg_json_end(json, ']');
    }
    lg_json_end(json, '}');
}

static void figure_json(lg_json *json, const lg_options *options, const lg_area_answers *a,
                        int figure, size_t index)
{
    if (figure == LG_FIGURE_PERCENTILES) {
        percentiles_json(json, options, a, index);
        return;
    }
    if (figure == LG_FIGURE_HISTOGRAM) {
        histogram_json(json, a, index);
        return;
    }
    lg_json_begin(json, lg_figure_name(figure), '[');
    for (int c = 0; c < a->info.channels; c++) {
        const size_t at = index * (size_t)a->info.channels + (size_t)c;
        if (a->values[figure])
            lg_json_number(json, NULL, a->values[figure][at]);
        else
            lg_json_integer(json, NULL, a->sums[at]);
    }
    lg_json_end(json, ']');
}

// As NumPy indexes the array: first[axis] up to, but without, end[axis].
static void ranges_json(lg_json *json, const lg_area_shapes *shapes, size_t index)
{
    for (int part = 0; part < 2; part++) {
        lg_json_begin(json, part ? "end" : "first", '[');
        for (int axis = 0; axis < shapes->dims; axis++)
            lg_json_integer(json, NULL, lg_area_range_of(shapes, index, part, axis));
        lg_json_end(json, ']');
    }
}

static void shape_json(lg_session *session, const lg_area_answers *a, size_t index)
{
    lg_json *json = &session->json;
    const lg_options *options = session->options;
    int columns;
    const char *const *names = shape_columns(a->shapes, &columns);
    lg_json_begin(json, NULL, '{');
    if (a->shapes->ranges)
        ranges_json(json, a->shapes, index);
    else if (a->shapes->kind != LG_SHAPES_BOXES)
        lg_json_text(json, names[0], shape_name(session, a->shapes, index));
    else
        for (int i = 0; i < columns; i++)
            lg_json_integer(json, names[i], box_value(a->shapes, index, i));
    for (int i = 0; a->covers && i < COVER_FIGURES; i++)
        lg_json_integer(json, cover_names[i], cover_figure(&a->covers[index], i));
    for (int i = 0; i < options->figure_count; i++)
        figure_json(json, options, a, options->figure[i], index);
    lg_json_end(json, '}');
}

static void report_json(lg_session *session, const lg_input_file *file, const lg_area_answers *a)
{
    lg_json *json = &session->json;
    const lg_options *options = session->options;
    lg_report_file_json(session, file);
    lg_json_text(json, "kind", a->added ? "sums" : lg_choice_area_kind(a->info.kind));
    lg_json_unsigned(json, "bytes", a->info.bytes);
    lg_json_number(json, "build_seconds", a->build);
    lg_json_number(json, "query_seconds", a->query);
    lg_json_unsigned(json, "ignored", a->info.ignored);
    if (!a->info.exact && a->info.unit > 0)
        lg_json_number(json, "unit", a->info.unit);
    lg_json_begin(json, "definitions", '{');
    lg_json_text(json, "units", "stored");
    lg_json_text(json, "variance", "population");
    if (a->shapes->kind == LG_SHAPES_POLYGONS)
        lg_json_text(json, "winding", lg_choice_winding(options->winding));
    if (a->shapes->kind != LG_SHAPES_BOXES && a->info.dims == 3) {
        lg_json_integer(json, "first_layer", a->shapes->first_layer);
        lg_json_integer(json, "layers",
                        a->shapes->layers ? a->shapes->layers : file->image->shape.layers);
    }
    if (a->params.counts_above)
        lg_json_number(json, "above", a->params.above);
    if (a->covers) {
        lg_json_number(json, "angle", options->angle);
        lg_json_integer(json, "parts", lg_box_parts(options));
    }
    if (lg_has_figure(options, LG_FIGURE_SMOOTH)) {
        lg_json_integer(json, "order", lg_smooth_order(options));
        lg_json_number(json, "smooth_unit", a->smooth_unit);
    }
    if (options->density)
        lg_json_text(json, "probability",
                     a->shapes->ranges ? "sum / sum over the array" : "sum / sum over the image");
    lg_json_end(json, '}');
    if (a->counts) {
        lg_json_integer(json, "bins", a->params.bins);
        lg_json_number(json, "lo", a->params.low);
        lg_json_number(json, "hi", a->params.high);
        lg_json_number(json, "bin_width", bin_width(a, a->type));
    }
    lg_json_begin(json, "channels", '[');
    for (int c = 0; c < a->info.channels; c++)
        lg_json_text(json, NULL, lg_file_channel_name(file, c));
    lg_json_end(json, ']');
    lg_json_begin(json, "results", '[');
    for (size_t i = 0; i < a->shapes->count; i++)
        shape_json(session, a, i);
    lg_json_end(json, ']');
    lg_report_engine_json(session, file);
    lg_json_end(json, '}');
}

// ---- CSV ----------------------------------------------------------------------------------------

static void header_csv(lg_session *session, const lg_area_answers *a)
{
    lg_csv *csv = &session->csv;
    const lg_options *options = session->options;
    char name[32];
    int columns;
    const char *const *names = shape_columns(a->shapes, &columns);
    const char *ranges[2 * LG_AREA_DIMS];
    if (a->shapes->ranges) {
        lg_area_range_columns(a->shapes->dims, ranges);
        columns = 2 * a->shapes->dims;
        names = ranges;
    }
    lg_report_names_csv(session);
    for (int i = 0; i < columns; i++)
        lg_csv_text(csv, names[i]);
    for (int i = 0; a->covers && i < COVER_FIGURES; i++)
        lg_csv_text(csv, cover_names[i]);
    lg_csv_text(csv, "name");
    for (int i = 0; i < options->figure_count; i++) {
        if (options->figure[i] == LG_FIGURE_PERCENTILES)
            for (int k = 0; k < options->percentile_count; k++) {
                snprintf(name, sizeof name, "p%.12g", options->percentiles[k]);
                lg_csv_text(csv, name);
            }
        else if (options->figure[i] != LG_FIGURE_HISTOGRAM)
            lg_csv_text(csv, lg_figure_name(options->figure[i]));
        else
            for (int bin = 0; bin < a->params.bins; bin++) {
                snprintf(name, sizeof name, "bin_%d", bin);
                lg_csv_text(csv, name);
            }
    }
    lg_csv_row(csv);
}

static void row_csv(lg_session *session, const lg_input_file *file, const lg_area_answers *a,
                    size_t index, int channel)
{
    lg_csv *csv = &session->csv;
    const lg_options *options = session->options;
    const size_t at = index * (size_t)a->info.channels + (size_t)channel;
    const int dims = a->shapes->dims;
    lg_report_file_csv(session, file);
    if (a->shapes->kind != LG_SHAPES_BOXES)
        lg_csv_text(csv, shape_name(session, a->shapes, index));
    else if (a->shapes->ranges)
        for (int i = 0; i < 2 * dims; i++)
            lg_csv_integer(csv, lg_area_range_of(a->shapes, index, i / dims, i % dims));
    else
        for (int i = 0; i < 2 * a->shapes->dims; i++)
            lg_csv_integer(csv, box_value(a->shapes, index, i));
    for (int i = 0; a->covers && i < COVER_FIGURES; i++)
        lg_csv_integer(csv, cover_figure(&a->covers[index], i));
    lg_csv_text(csv, lg_file_channel_name(file, channel));
    for (int i = 0; i < options->figure_count; i++) {
        const int figure = options->figure[i];
        if (figure == LG_FIGURE_PERCENTILES)
            for (int k = 0; k < options->percentile_count; k++)
                lg_csv_number(csv, lg_area_percentile(options, a, at, k));
        else if (a->values[figure])
            lg_csv_number(csv, a->values[figure][at]);
        else if (figure == LG_AREA_SUM)
            lg_csv_integer(csv, a->sums[at]);
        else
            for (int bin = 0; bin < a->params.bins; bin++)
                lg_csv_unsigned(csv, a->counts[at * (size_t)a->params.bins + (size_t)bin]);
    }
    lg_csv_row(csv);
}

static void report_csv(lg_session *session, const lg_input_file *file, const lg_area_answers *a)
{
    if (session->done == 0)
        header_csv(session, a);
    for (size_t i = 0; i < a->shapes->count; i++)
        for (int c = 0; c < a->info.channels; c++)
            row_csv(session, file, a, i, c);
}

// ---- text ---------------------------------------------------------------------------------------

enum { ROWS_OF_TABLE = 10000, SHOWN_BINS = 32 }; // a longer list has several tables

static void histogram_text(lg_table *table, const lg_area_answers *a, size_t at)
{
    char text[SHOWN_BINS * 12] = "(--csv and --json have them)";
    size_t used = 0;
    for (int bin = 0; bin < a->params.bins && a->params.bins <= SHOWN_BINS; bin++) {
        const uint64_t count = a->counts[at * (size_t)a->params.bins + (size_t)bin];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu", bin ? " " : "",
                                 (unsigned long long)count);
        used = used < sizeof text ? used : sizeof text;
    }
    lg_table_cell(table, "%s", text);
}

// A printed table has 32 columns at most; more percentiles than that go to JSON and CSV.
static int shown_percentiles(const lg_options *options)
{
    return options->percentile_count > 12 ? 12 : options->percentile_count;
}

static void header_text(lg_table *table, const lg_options *options)
{
    char number[LG_NUMBER_SIZE];
    for (int i = 0; i < options->figure_count; i++)
        if (options->figure[i] == LG_FIGURE_PERCENTILES)
            for (int k = 0; k < shown_percentiles(options); k++)
                lg_table_cell(table, "p%s", lg_number(options->percentiles[k], number));
        else
            lg_table_cell(table, "%s", lg_figure_name(options->figure[i]));
}

static void row_text(lg_session *session, const lg_input_file *file, const lg_area_answers *a,
                     lg_table *table, size_t index, int channel)
{
    const lg_options *options = session->options;
    const size_t at = index * (size_t)a->info.channels + (size_t)channel;
    char box[LG_RANGES_SIZE];
    if (a->shapes->kind != LG_SHAPES_BOXES)
        lg_table_cell(table, "%s", shape_name(session, a->shapes, index));
    else if (a->shapes->ranges)
        lg_table_cell(table, "%s", lg_area_ranges_text(a->shapes, index, box));
    else
        for (int i = 0; i < 2 * a->shapes->dims; i++)
            lg_table_cell(table, "%lld", (long long)box_value(a->shapes, index, i));
    lg_table_cell(table, "%s", lg_file_channel_name(file, channel));
    for (int i = 0; i < options->figure_count; i++) {
        const int figure = options->figure[i];
        if (figure == LG_FIGURE_PERCENTILES)
            for (int k = 0; k < shown_percentiles(options); k++)
                lg_table_number(table, lg_area_percentile(options, a, at, k));
        else if (a->values[figure])
            lg_table_number(table, a->values[figure][at]);
        else if (figure == LG_AREA_SUM)
            lg_table_cell(table, "%lld", (long long)a->sums[at]);
        else
            histogram_text(table, a, at);
    }
}

static void cover_text(lg_session *session, const lg_area_answers *a)
{
    int64_t pixels = 0, differ = 0;
    for (size_t i = 0; i < a->shapes->count; i++) {
        pixels += a->covers[i].pixels;
        differ += a->covers[i].missing + a->covers[i].extra;
    }
    fprintf(
        session->out,
        "boxes turned by %g degrees: at most %d boxes for each, which differ from it in %lld of "
        "%lld pixels\n",
        session->options->angle, lg_box_parts(session->options), (long long)differ,
        (long long)pixels);
}

static void report_text(lg_session *session, const lg_input_file *file, const lg_area_answers *a)
{
    const lg_options *options = session->options;
    int columns;
    const char *const *names = shape_columns(a->shapes, &columns);
    const bool named = a->shapes->kind != LG_SHAPES_BOXES || a->shapes->ranges;
    lg_report_file_text(session, file);
    for (size_t first = 0; first < a->shapes->count; first += ROWS_OF_TABLE) {
        const int more = options->percentile_count ? shown_percentiles(options) - 1 : 0;
        lg_table table = {.columns = columns + 1 + options->figure_count + more};
        for (int i = 0; i < columns; i++)
            lg_table_cell(&table, "%s", names[i]);
        lg_table_cell(&table, "channel");
        header_text(&table, options);
        for (size_t i = first; i < a->shapes->count && i < first + ROWS_OF_TABLE; i++)
            for (int c = 0; c < a->info.channels; c++)
                row_text(session, file, a, &table, i, c);
        lg_table_print(&table, session->out, (named ? 1u : 0u) | 1u << columns);
    }
    const char *plural = a->shapes->count == 1 ? "" : "s";
    if (a->added)
        fprintf(session->out, "%zu shape%s added up\n", a->shapes->count, plural);
    else
        fprintf(session->out, "%s of %.3g MB built in %.3g ms, %zu shape%s answered in %.3g ms\n",
                lg_choice_area_kind(a->info.kind), (double)a->info.bytes * 1e-6, a->build * 1e3,
                a->shapes->count, plural, a->query * 1e3);
    if (!a->info.exact && a->info.unit > 0)
        fprintf(session->out, "samples are rounded to multiples of %.3g (2^%d)\n", a->info.unit,
                ilogb(a->info.unit));
    if (a->covers)
        cover_text(session, a);
    lg_report_engine_text(session, file);
}

void lg_area_report(lg_session *session, const lg_input_file *file, const lg_area_answers *answers)
{
    if (session->options->json)
        report_json(session, file, answers);
    else if (session->options->csv)
        report_csv(session, file, answers);
    else
        report_text(session, file, answers);
    if (lg_html_begin(session)) {
        report_json(session, file, answers);
        lg_html_add(session, file, NULL, 0);
    }
}
