// Figures that `lumagraph run` prints: those that parameters took, and those of --figure.
#include "run.h"

#include <stdlib.h>

lg_status lg_run_add_figures(lg_run *run, lg_node last, lg_error *error)
{
    const lg_options *options = run->options;
    lg_status status = LG_OK;
    for (int i = 0; i < options->run_figure_count && !status; i++)
        status = lg_graph_figure(run->graph, last, options->run_figures[i], NULL, error);
    return status;
}

// Layers with figures of their own.
static size_t count_layers(const lg_run *run)
{
    return run->by_layer ? (size_t)run->shape.layers : 1;
}

lg_status lg_run_read_figures(lg_run *run, int32_t layer, lg_error *error)
{
    size_t count = 0;
    if (run->shared[0]) // without any
        return LG_OK;
    lg_status status = lg_plan_figures(run->plan, NULL, 0, &count, error);
    const size_t all = count * count_layers(run) + 1;
    if (!status && !run->figures && !(run->figures = calloc(all, sizeof *run->figures)))
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for figures");
    run->figure_count = count;
    if (!status && count)
        status =
            lg_plan_figures(run->plan, run->figures + (size_t)layer * count, count, &count, error);
    return status;
}

void lg_run_figures_json(lg_json *json, const lg_run *run)
{
    if (!run->figure_count)
        return;
    lg_json_begin(json, "figures", '[');
    for (size_t i = 0; i < run->figure_count * count_layers(run); i++) {
        const lg_figure_value *f = &run->figures[i];
        char number[LG_NUMBER_SIZE];
        lg_json_begin(json, NULL, '{');
        lg_json_text(json, "filter", f->filter);
        lg_json_text(json, "name", f->name);
        if (run->by_layer || (run->shape.layers == 1 && !run->options->stack))
            lg_json_unsigned(json, "layer", i / run->figure_count);
        else
            lg_json_text(json, "layer", NULL);
        lg_json_begin(json, "values", '[');
        for (int k = 0; k < f->count; k++)
            lg_json_raw(json, NULL, lg_number_float(f->value[k], number));
        lg_json_end(json, ']');
        lg_json_end(json, '}');
    }
    lg_json_end(json, ']');
}

// Those that were asked for.
void lg_run_figures_text(FILE *out, const lg_run *run)
{
    for (size_t i = 0; i < run->figure_count * count_layers(run); i++) {
        const lg_figure_value *f = &run->figures[i];
        char number[LG_NUMBER_SIZE], name[100];
        if (f->filter)
            continue;
        if (run->by_layer)
            fprintf(out, "layer %zu, ", i / run->figure_count);
        fprintf(out, "%s", lg_sanitise(f->name, name, sizeof name));
        for (int k = 0; k < f->count; k++)
            fprintf(out, "%s%s", k ? ", " : ": ", lg_number_float(f->value[k], number));
        fputc('\n', out);
    }
}
