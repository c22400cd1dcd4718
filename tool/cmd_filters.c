// lumagraph filters: the catalogue, as the filter files have it.
#include "session.h"

#include <stdlib.h>
#include <string.h>

#define LEFT_COLUMNS 0xffu // all
#define NO_LIMIT     1e6f  // colours, points and matrices take any number: the library's stand-in

// ---- values -------------------------------------------------------------------------------------

static void choice_at(const char *choices, int index, char *out, size_t size)
{
    for (; index > 0 && *choices; index--)
        choices += strcspn(choices, "|") + 1;
    snprintf(out, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void numbers_text(const float *values, int count, char *out, size_t size)
{
    size_t used = 0;
    char number[LG_NUMBER_SIZE];
    out[0] = '\0';
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "",
                                 lg_number_float(values[i], number));
}

static void default_text(const lg_filter_param *p, char *out, size_t size)
{
    if (p->kind == LG_PARAM_TEXT || p->kind == LG_PARAM_IMAGE)
        snprintf(out, size, "%s", p->text);
    else if (p->kind == LG_PARAM_CHOICE)
        choice_at(p->choices, (int)p->value[0], out, size);
    else if (p->kind == LG_PARAM_FLAG)
        snprintf(out, size, "%s", p->value[0] != 0 ? "yes" : "no");
    else if (p->kind == LG_PARAM_TABLE)
        snprintf(out, size, "%s", p->unit);
    else
        numbers_text(p->value, p->size, out, size);
}

static bool has_range(const lg_filter_param *p)
{
    return (p->kind == LG_PARAM_NUMBER || p->kind == LG_PARAM_INTEGER ||
            p->kind == LG_PARAM_POINT || p->kind == LG_PARAM_COLOR || p->kind == LG_PARAM_MATRIX) &&
           (p->min > -NO_LIMIT || p->max < NO_LIMIT);
}

// What may be given, in words of the command line.
static void allowed_text(const lg_filter_param *p, char *out, size_t size)
{
    static const char *const forms[LG_PARAM_KINDS] = {
        [LG_PARAM_POINT] = "x,y",      [LG_PARAM_COLOR] = "r,g,b[,a]", [LG_PARAM_FLAG] = "yes, no",
        [LG_PARAM_TABLE] = "measured", [LG_PARAM_IMAGE] = "#NAME",     [LG_PARAM_TEXT] = "text",
        [LG_PARAM_BOX] = "WxH+X+Y"};
    char min[LG_NUMBER_SIZE], max[LG_NUMBER_SIZE];
    size_t used = 0;
    out[0] = '\0';
    if (p->kind == LG_PARAM_CHOICE) {
        for (const char *at = p->choices; used < size && *at; at += *at == '|') {
            const int length = (int)strcspn(at, "|");
            used +=
                (size_t)snprintf(out + used, size - used, "%s%.*s", used ? ", " : "", length, at);
            at += length;
        }
        return;
    }
    if (forms[p->kind])
        used = (size_t)snprintf(out, size, "%s", forms[p->kind]);
    else if (p->kind == LG_PARAM_MATRIX)
        used = (size_t)snprintf(out, size, "%d numbers", p->size);
    if (has_range(p))
        snprintf(out + used, size - used, "%s%s .. %s", used ? ": " : "",
                 lg_number_float(p->min, min), lg_number_float(p->max, max));
}

static bool is_shown(const lg_filter_param *p)
{
    return p->kind != LG_PARAM_ALIAS && (p->kind != LG_PARAM_TABLE || *p->unit);
}

static bool is_alias_of(const lg_filter_param *alias, const lg_filter_param *p)
{
    return alias->kind == LG_PARAM_ALIAS && strcmp(alias->unit, p->name) == 0;
}

// ---- entries that are no filters ----------------------------------------------------------------

// Entries of the catalogues of GPUImage and aoce that commands of the tool do, by name. How is what the
// library says to the name.
static const struct elsewhere {
    const char *name, *summary, *source;
} elsewhere[] = {
    {"convert_image", "samples of another type", "VkConvertImageLayer of aoce"},
    {"histogram", "counts of samples", "GPUImageHistogramFilter"},
    {"histogram_exact", "counts of samples, none left out", "VkHistogramLayer of aoce"},
    {"nn_tensor_upload", "a tensor of a network as an image", "the ncnn upload layer of aoce"},
};

#define ELSEWHERE (sizeof elsewhere / sizeof *elsewhere)

static const struct elsewhere *find_elsewhere(const char *name)
{
    for (size_t i = 0; i < ELSEWHERE; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return &elsewhere[i];
    return NULL;
}

static const char *how(const struct elsewhere *entry, lg_error *error)
{
    const lg_filter *none;
    lg_filter_find(entry->name, &none, error);
    return error->message;
}

typedef void elsewhere_fn(const struct elsewhere *entry, void *to);
typedef void filter_fn(const lg_filter *f, void *to);

// All entries, by name.
static void each_entry(filter_fn *filter, elsewhere_fn *other, void *to)
{
    size_t next = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        for (; next < ELSEWHERE && strcmp(elsewhere[next].name, lg_filter_at(i)->name) < 0; next++)
            other(&elsewhere[next], to);
        filter(lg_filter_at(i), to);
    }
    for (; next < ELSEWHERE; next++)
        other(&elsewhere[next], to);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void default_json(lg_json *json, const lg_filter_param *p)
{
    char text[600];
    default_text(p, text, sizeof text);
    if (p->kind == LG_PARAM_TEXT || p->kind == LG_PARAM_CHOICE || p->kind == LG_PARAM_TABLE ||
        p->kind == LG_PARAM_IMAGE)
        lg_json_text(json, "default", text);
    else if (p->kind == LG_PARAM_FLAG)
        lg_json_bool(json, "default", p->value[0] != 0);
    else if (p->kind == LG_PARAM_BOX)
        lg_json_text(json, "default", NULL);
    else if (p->size == 1)
        lg_json_raw(json, "default", text);
    else {
        lg_json_begin(json, "default", '[');
        for (int i = 0; i < p->size; i++)
            lg_json_raw(json, NULL, lg_number_float(p->value[i], text));
        lg_json_end(json, ']');
    }
}

static void param_json(lg_json *json, const lg_filter *f, const lg_filter_param *p)
{
    char text[LG_NUMBER_SIZE];
    const bool range = has_range(p);
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "name", p->name);
    lg_json_text(json, "kind", lg_param_kind_name(p->kind));
    lg_json_text(json, "unit", p->unit);
    default_json(json, p);
    lg_json_raw(json, "min", range ? lg_number_float(p->min, text) : "null");
    lg_json_raw(json, "max", range ? lg_number_float(p->max, text) : "null");
    if (p->kind == LG_PARAM_CHOICE) {
        lg_json_begin(json, "choices", '[');
        for (const char *at = p->choices; *at; at += *at == '|') {
            char choice[100];
            choice_at(at, 0, choice, sizeof choice);
            lg_json_text(json, NULL, choice);
            at += strcspn(at, "|");
        }
        lg_json_end(json, ']');
    } else {
        lg_json_raw(json, "choices", "null");
    }
    lg_json_begin(json, "aliases", '[');
    for (int i = 0; i < f->param_count; i++)
        if (is_alias_of(&f->params[i], p))
            lg_json_text(json, NULL, f->params[i].name);
    lg_json_end(json, ']');
    lg_json_text(json, "help", p->help);
    lg_json_end(json, '}');
}

static void elsewhere_json(const struct elsewhere *entry, void *to)
{
    lg_error error = {0};
    lg_json *json = to;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "name", entry->name);
    lg_json_text(json, "kind", "command");
    lg_json_integer(json, "inputs", 1);
    lg_json_text(json, "summary", entry->summary);
    lg_json_text(json, "formula", how(entry, &error));
    lg_json_text(json, "source", entry->source);
    lg_json_text(json, "notes", NULL);
    lg_json_text(json, "neutral", NULL);
    lg_json_text(json, "pipeline", NULL);
    lg_json_begin(json, "params", '[');
    lg_json_end(json, ']');
    lg_json_end(json, '}');
}

static void filter_json(const lg_filter *f, void *to)
{
    lg_json *json = to;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "name", f->name);
    lg_json_text(json, "kind", lg_filter_kind_name(f->kind));
    lg_json_integer(json, "inputs", f->inputs);
    lg_json_text(json, "summary", f->summary);
    lg_json_text(json, "formula", f->formula);
    lg_json_text(json, "source", f->source);
    lg_json_text(json, "notes", f->notes);
    lg_json_text(json, "neutral", f->neutral);
    lg_json_text(json, "pipeline", f->pipeline);
    lg_json_begin(json, "params", '[');
    for (int i = 0; i < f->param_count; i++)
        if (is_shown(&f->params[i]))
            param_json(json, f, &f->params[i]);
    lg_json_end(json, ']');
    lg_json_end(json, '}');
}

// ---- text ---------------------------------------------------------------------------------------

static void filter_row(const lg_filter *f, void *to)
{
    lg_table_cell(to, "%s", f->name);
    lg_table_cell(to, "%s", lg_filter_kind_name(f->kind));
    lg_table_cell(to, "%d", f->inputs);
    lg_table_cell(to, "%s", f->summary);
}

static void elsewhere_row(const struct elsewhere *entry, void *to)
{
    lg_table_cell(to, "%s", entry->name);
    lg_table_cell(to, "command");
    lg_table_cell(to, "1");
    lg_table_cell(to, "%s", entry->summary);
}

static void list_text(FILE *out)
{
    lg_table table = {.columns = 4};
    static const char *const names[] = {"filter", "kind", "images", "what it does"};
    for (int i = 0; i < 4; i++)
        lg_table_cell(&table, "%s", names[i]);
    each_entry(filter_row, elsewhere_row, &table);
    lg_table_print(&table, out, LEFT_COLUMNS);
    lg_print_wrapped(
        out,
        "`lumagraph filters NAME` explains one; `lumagraph run --help` shows how to use "
        "them",
        0);
}

static void params_text(const lg_filter *f, FILE *out)
{
    lg_table table = {.columns = 5};
    static const char *const names[] = {"  parameter", "default", "allowed", "unit",
                                        "what it does"};
    char text[600];
    for (int i = 0; i < 5; i++)
        lg_table_cell(&table, "%s", names[i]);
    for (int i = 0; i < f->param_count; i++) {
        const lg_filter_param *p = &f->params[i];
        if (!is_shown(p))
            continue;
        lg_table_cell(&table, "  %s", p->name);
        default_text(p, text, sizeof text);
        lg_table_cell(&table, "%s", text);
        allowed_text(p, text, sizeof text);
        lg_table_cell(&table, "%s", text);
        lg_table_cell(&table, "%s", p->kind == LG_PARAM_TABLE ? "" : p->unit);
        lg_table_cell(&table, "%s", p->help);
    }
    fputc('\n', out);
    lg_table_print(&table, out, LEFT_COLUMNS);
    bool levels = false;
    for (int i = 0; i < f->param_count; i++)
        levels |= is_shown(&f->params[i]) && strcmp(f->params[i].unit, "0..1") == 0;
    if (levels)
        fputs("  0..1 is the unit of samples; of float images any number may be given\n", out);
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].kind == LG_PARAM_ALIAS)
            fprintf(out, "  %s is another name of %s\n", f->params[i].name, f->params[i].unit);
}

static void example_text(const lg_filter *f, const lg_filter_example *e, FILE *out)
{
    char in[200], over[200], result[200], place[80] = "", text[1400];
    numbers_text(e->in, 4, in, sizeof in);
    numbers_text(e->over, 4, over, sizeof over);
    numbers_text(e->out, 4, result, sizeof result);
    if (f->kind == LG_FILTER_WINDOW)
        numbers_text(e->window, 9, in, sizeof in);
    if (f->kind == LG_FILTER_GENERATE || f->kind == LG_FILTER_WARP)
        snprintf(place, sizeof place, "at %g,%g ", (double)e->x, (double)e->y);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s-> %s", e->params, *e->params ? ": " : "",
             f->inputs > 0 ? in : "", f->inputs > 1 ? " and " : "", f->inputs > 1 ? over : "",
             f->inputs > 0 ? " " : "", place, result);
    fputs("  ", out);
    lg_print_wrapped(out, text, 2);
}

static void paragraph(const char *title, const char *text, FILE *out)
{
    if (text && *text) {
        fprintf(out, "\n%s: ", title);
        lg_print_wrapped(out, text, (int)strlen(title) + 2);
    }
}

// The filter, or one that its pipeline begins with.
static bool makes_color(const lg_filter *f)
{
    char name[64];
    const lg_filter *first;
    if (!f->pipeline)
        return f->flags & LG_FILTER_MAKES_COLOR;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(f->pipeline, ": |{"), f->pipeline);
    return lg_filter_find(name, &first, NULL) == LG_OK && makes_color(first);
}

static void page_text(const lg_filter *f, FILE *out)
{
    bool shown = false;
    for (int i = 0; i < f->param_count; i++)
        shown |= is_shown(&f->params[i]);
    fprintf(out, "%s: %s\n", f->name, f->summary);
    fprintf(out, "kind %s, %d image%s\n", lg_filter_kind_name(f->kind), f->inputs,
            f->inputs == 1 ? "" : "s");
    if (makes_color(f))
        fputs("a grey image becomes RGB: write it as .ppm or .png, not .pgm\n", out);
    paragraph("formula", f->formula, out);
    if (shown)
        params_text(f, out);
    paragraph("changes nothing with", f->neutral, out);
    paragraph("pipeline", f->pipeline, out);
    paragraph("source", f->source, out);
    paragraph("notes", f->notes, out);
    if (f->example_count)
        fprintf(out, "\nworked examples, r,g,b,a:\n");
    for (int i = 0; i < f->example_count; i++)
        example_text(f, &f->examples[i], out);
}

// ---- command ------------------------------------------------------------------------------------

static void elsewhere_text(const struct elsewhere *entry, FILE *out)
{
    lg_error error = {0};
    fprintf(out, "%s: %s\nkind command\n\n", entry->name, entry->summary);
    lg_print_wrapped(out, how(entry, &error), 0);
    paragraph("source", entry->source, out);
}

// pages[i] is NULL where the name is that of a command.
static void report(const lg_options *options, const lg_filter *const *pages, int count, FILE *out)
{
    if (options->json) {
        lg_json json = {.stream = out};
        lg_json_begin(&json, NULL, '{');
        lg_json_text(&json, "schema", "lumagraph.filters/1");
        lg_json_begin(&json, "filters", '[');
        for (int i = 0; i < count; i++)
            if (pages[i])
                filter_json(pages[i], &json);
            else
                elsewhere_json(find_elsewhere(options->files[i]), &json);
        if (count == 0)
            each_entry(filter_json, elsewhere_json, &json);
        lg_json_end(&json, ']');
        lg_json_end(&json, '}');
    } else if (count == 0) {
        list_text(out);
    }
    for (int i = 0; i < count && !options->json; i++) {
        fputs(i ? "\n\n" : "", out);
        if (pages[i])
            page_text(pages[i], out);
        else
            elsewhere_text(find_elsewhere(options->files[i]), out);
    }
}

int lg_command_filters(const lg_options *options)
{
    const int count = options->file_count;
    const lg_filter **pages = calloc((size_t)count + 1, sizeof(lg_filter *));
    lg_error error = {0};
    lg_output *output = NULL;
    lg_status status = pages ? LG_OK : lg_set_error(&error, LG_ERROR_MEMORY, "no memory");
    for (int i = 0; i < count && status == LG_OK; i++)
        if (!find_elsewhere(options->files[i]))
            status = lg_filter_find(options->files[i], &pages[i], &error);
    if (status == LG_OK)
        status = lg_output_open(options->output ? options->output : "-", &output, &error);
    if (status == LG_OK) {
        report(options, pages, count, lg_output_stream(output));
        status = lg_output_commit(&output, &error);
    }
    free(pages);
    if (status != LG_OK)
        lg_complain("%s", error.message);
    return lg_exit_of(status);
}
