// The graph that a command line asks for.
#include "run.h"
#include <lumagraph/io.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- inputs -------------------------------------------------------------------------------------

static const lg_named_file *given_input(const lg_options *options, const char *name)
{
    for (int i = 0; i < options->input_count; i++)
        if (strcmp(options->inputs[i].name, name) == 0)
            return &options->inputs[i];
    return NULL;
}

// A graph from a file names its inputs: each but the first needs its --input, and no other is taken.
static bool check_graph_inputs(const lg_run *run)
{
    const lg_options *options = run->options;
    const char *names[LG_MAX_INPUTS + 1] = {0};
    for (size_t i = 1; i < run->input_count; i++) {
        names[i - 1] = lg_graph_input_name(run->graph, i);
        if (!given_input(options, names[i - 1])) {
            lg_complain("%s: its input '%s' has no file: --input %s=FILE", options->graph,
                        names[i - 1], names[i - 1]);
            return false;
        }
    }
    for (int i = 0; i < options->input_count; i++) {
        const char *name = options->inputs[i].name, *near = NULL;
        bool known = false;
        for (size_t k = 0; names[k]; k++)
            known |= strcmp(names[k], name) == 0;
        if (known && given_input(options, name) == &options->inputs[i])
            continue;
        near = known ? NULL : lg_nearest(name, names);
        lg_complain("--input %s: %s%s%s%s", name,
                    known ? "given twice" : "the graph has no such further input",
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return false;
    }
    return true;
}

// ---- graphs -------------------------------------------------------------------------------------

static lg_status build_pipeline(lg_run *run, lg_error *error)
{
    const lg_options *options = run->options;
    lg_node first, last;
    lg_status status = lg_graph_create(&run->graph, error);
    if (!status)
        status = lg_graph_input(run->graph, "in", &first, error);
    for (int i = 0; i < options->input_count && !status; i++)
        status = lg_graph_input(run->graph, options->inputs[i].name, &last, error);
    if (!status) // a word for the pipeline without a filter
        status = lg_graph_parse(run->graph,
                                strcmp(options->pipeline, "copy") == 0 ? "#in" : options->pipeline,
                                first, &last, error);
    if (!status)
        status = lg_run_add_figures(run, last, error);
    run->ends[0] = last;
    return status ? status : lg_graph_output(run->graph, last, error);
}

// Figures without #NAME. are of its first output.
static lg_status read_graph(lg_run *run, lg_error *error)
{
    const lg_status status = lg_graph_read(run->options->graph, &run->graph, error);
    for (size_t i = 0; !status && i < lg_graph_output_count(run->graph); i++)
        run->ends[i] = lg_graph_find(run->graph, lg_graph_output_name(run->graph, i));
    if (status || !run->options->run_figure_count)
        return status;
    return lg_run_add_figures(run, lg_graph_find(run->graph, lg_graph_output_name(run->graph, 0)),
                              error);
}

// ---- outputs ------------------------------------------------------------------------------------

static const char *output_name(const lg_run *run, size_t index)
{
    return run->options->graph ? lg_graph_output_name(run->graph, index) : NULL;
}

// The output that "NAME=OUT" means; -1: the text names none.
static int named_output(const lg_run *run, const char *text)
{
    for (size_t i = 0; i < run->output_count; i++) {
        const char *name = output_name(run, i);
        const size_t length = name ? strlen(name) : 0;
        if (length && strncmp(text, name, length) == 0 && text[length] == '=' && text[length + 1])
            return (int)i;
    }
    return -1;
}

static void list_outputs(const lg_run *run, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < run->output_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 output_name(run, i) ? output_name(run, i) : "?");
}

static bool same_place(const char *a, const char *b)
{
    struct stat first, second;
    return strcmp(a, b) == 0 ||
           (stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
            first.st_ino == second.st_ino && (S_ISREG(first.st_mode) || S_ISDIR(first.st_mode)));
}

static bool take_target(lg_run *run, const char *text)
{
    char names[400];
    int index = named_output(run, text);
    const char *path = index >= 0 ? strchr(text, '=') + 1 : text;
    if (index < 0 && run->output_count > 1) {
        list_outputs(run, names, sizeof names);
        lg_complain("-o %s: the graph has several outputs: -o NAME=OUT with a NAME of %s", text,
                    names);
        return false;
    }
    index = index < 0 ? 0 : index;
    if (run->outputs[index].asked) {
        lg_complain("-o %s: this output already goes to %s", text, run->outputs[index].asked);
        return false;
    }
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i].asked && same_place(run->outputs[i].asked, path)) {
            lg_complain("-o %s: another output goes there", text);
            return false;
        }
    run->outputs[index] = lg_outputs_at(path);
    run->outputs[index].takes_films = true;
    return lg_outputs_check(&run->outputs[index], run->options);
}

static bool take_targets(lg_run *run)
{
    const lg_options *options = run->options;
    if (options->explain) // nothing is written
        return true;
    for (int i = 0; i < options->target_count; i++)
        if (!take_target(run, options->targets[i]))
            return false;
    for (size_t i = 0; i < run->output_count && options->target_count; i++)
        if (!run->outputs[i].asked) {
            const char *name = output_name(run, i);
            lg_complain("the graph's output '%s' goes nowhere: -o %s=OUT", name, name);
            return false;
        }
    return true;
}

// ---- all ----------------------------------------------------------------------------------------

static lg_status convert_outputs(lg_run *run, lg_error *error)
{
    static const int channels[] = {1, 3, 4};
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && run->options->channels >= 0 && !status; i++)
        status = lg_graph_output_channels(run->graph, i, channels[run->options->channels], error);
    return status;
}

int lg_run_build(lg_run *run)
{
    const lg_options *options = run->options;
    lg_error error = {0};
    run->type = options->type;
    if (run->type < 0 && options->points && !options->target_count)
        run->type = LG_F32; // strengths are no bytes, unless these are wanted
    lg_status status = options->graph ? read_graph(run, &error) : build_pipeline(run, &error);
    run->input_count = lg_graph_input_count(run->graph);
    run->output_count = lg_graph_output_count(run->graph);
    if (!status)
        status = convert_outputs(run, &error);
    if (status && options->graph) {
        lg_complain("%s: %s", options->graph, error.message);
    } else if (status) {
        const bool swapped = access(options->pipeline, F_OK) == 0;
        lg_complain("%s%s", error.message,
                    swapped ? " (this is a file; the pipeline comes first)" : "");
    }
    if (status)
        return lg_exit_of(status);
    if (options->graph && !check_graph_inputs(run))
        return LG_EXIT_USAGE;
    return take_targets(run) ? LG_EXIT_DONE : LG_EXIT_USAGE;
}
