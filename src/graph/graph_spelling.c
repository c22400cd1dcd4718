// Values of a parameter that are a filter of their own: words of older spellings, or all values but one.
// A plan has that filter.
#include "graph/nodes.h"

#include <string.h>

static const struct {
    const char *filter, *param, *word, *meant;
    bool others; // the values that are not `word`, measured ones among them
} spellings[] = {{"bilateral", "method", "grid", "bilateral_grid", false},
                 {"median", "radius", "1", "wide_median", true},
                 {"solid_color", "use_existing_alpha", "yes", "solid_color_alpha", false},
                 {"source_over_blend", "alpha_mode", "gpuimage", "source_over_mix", false}};

static int place_of(const lg_filter *filter, const lg_filter_param *param)
{
    return lg_filter_offset(filter, (int)(param - filter->params));
}

static bool is_measured(const lg_graph_node *n, int at)
{
    for (int i = 0; i < n->figure_count; i++)
        if (n->figures[i].at == at)
            return true;
    return false;
}

const lg_filter *lg_graph_meant(lg_graph *graph, const lg_graph_node *n)
{
    const lg_filter *meant = NULL;
    for (size_t i = 0; n->filter && i < LG_COUNT(spellings); i++) {
        const lg_filter_param *param;
        lg_graph_node word = {.filter = n->filter, .from = {-1, -1}};
        if (strcmp(n->filter->name, spellings[i].filter) != 0 ||
            lg_filter_find_param(n->filter, spellings[i].param, &param, NULL) ||
            lg_graph_parse_value(graph, &word, (int)(param - n->filter->params), spellings[i].word,
                                 NULL))
            continue;
        const int at = place_of(n->filter, param);
        const bool is_word = n->values[at] == word.values[at] && !is_measured(n, at);
        if (is_word != spellings[i].others)
            lg_filter_find(spellings[i].meant, &meant, NULL);
    }
    return meant;
}

// The parameter of `now` that has the name of the one at a place of `before`; NULL: there is none.
static const lg_filter_param *same_param(const lg_filter *before, int at, const lg_filter *now)
{
    const lg_filter_param *found = NULL;
    for (int i = 0; i < before->param_count; i++)
        if (lg_filter_offset(before, i) == at && before->params[i].size &&
            lg_filter_find_param(now, before->params[i].name, &found, NULL))
            found = NULL;
    return found;
}

static lg_status take_values(lg_graph_node *to, const lg_graph_node *from, lg_error *error)
{
    for (int i = 0; i < to->filter->param_count; i++) {
        const lg_filter_param *p = &to->filter->params[i], *old;
        if (lg_filter_find_param(from->filter, p->name, &old, NULL))
            continue;
        const float *values = from->values + place_of(from->filter, old);
        for (int k = 0; k < p->size; k++)
            if (values[k] < p->min || values[k] > p->max) {
                char value[LG_FLOAT_TEXT], least[LG_FLOAT_TEXT], most[LG_FLOAT_TEXT];
                return lg_fail(error, LG_ERROR_ARGUMENT,
                               "%s: %s=%s is out of range; allowed is %s to %s", to->filter->name,
                               p->name, lg_float_text(values[k], value),
                               lg_float_text(p->min, least), lg_float_text(p->max, most));
            }
        memcpy(to->values + lg_filter_offset(to->filter, i), values,
               (size_t)p->size * sizeof *values);
    }
    return LG_OK;
}

static void take_figures(lg_graph_node *to, const lg_graph_node *from)
{
    to->figure_count = 0;
    for (int i = 0; i < from->figure_count; i++) {
        lg_figure f = from->figures[i];
        const lg_filter_param *p = same_param(from->filter, f.at, to->filter);
        if (!p)
            continue;
        f.at = place_of(to->filter, p);
        f.min = p->min;
        f.max = p->max;
        to->figures[to->figure_count++] = f;
    }
}

lg_status lg_graph_respell(lg_graph *graph, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < graph->count && !status; i++) {
        lg_graph_node *n = &graph->nodes[i];
        const lg_graph_node before = *n;
        const lg_filter *meant = lg_graph_meant(graph, n);
        if (!meant)
            continue;
        n->filter = meant;
        take_figures(n, &before);
        status = take_values(n, &before, error);
    }
    return status;
}
