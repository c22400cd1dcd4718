// Filters that do nothing with the parameters that they have.
#include "graph/nodes.h"

#include <stdio.h>
#include <string.h>

static bool is_measured(const lg_graph_node *n, int at)
{
    bool found = false;
    for (int i = 0; i < n->figure_count; i++)
        found |= n->figures[i].at == at;
    return found;
}

// Whether a parameter of `n` has the value that `wanted` has been given.
static bool has_value(const lg_graph_node *n, const lg_graph_node *wanted, int index)
{
    const lg_filter_param *p = &n->filter->params[index];
    const int at = lg_filter_offset(n->filter, index);
    if (p->kind == LG_PARAM_TEXT)
        return strcmp(lg_node_text(n, p->name), lg_node_text(wanted, p->name)) == 0;
    const int size = p->kind == LG_PARAM_COLOR ? 3 : p->size; // alpha is not looked at
    bool same = !is_measured(n, at);
    for (int k = 0; k < size && same; k++)
        same = n->values[at + k] == wanted->values[at + k];
    return same;
}

// "name=value:name=value", texts of the catalogue.
static bool has_settings(lg_graph *graph, const lg_graph_node *n, const char *settings)
{
    lg_graph_node wanted = {.filter = n->filter, .from = {-1, -1}};
    bool same = true;
    for (const char *at = settings; *at && same;) {
        char name[64], value[256];
        const lg_filter_param *param;
        const size_t key = strcspn(at, "="), length = strcspn(at + key + 1, ":");
        snprintf(name, sizeof name, "%.*s", (int)key, at);
        snprintf(value, sizeof value, "%.*s", (int)length, at + key + 1);
        at += key + 1 + length;
        at += *at == ':';
        same = !lg_filter_find_param(n->filter, name, &param, NULL);
        const int index = same ? (int)(param - n->filter->params) : 0;
        same = same && !lg_graph_parse_value(graph, &wanted, index, value, NULL) &&
               has_value(n, &wanted, index);
    }
    for (int i = 0; wanted.texts && i < n->filter->param_count; i++)
        lg_free(wanted.texts[i]);
    lg_free(wanted.texts);
    return same;
}

const lg_filter *lg_graph_node_filter(const lg_graph *graph, lg_node node, bool *idle)
{
    *idle = false;
    if (node < 0 || node >= graph->count || graph->nodes[node].within)
        return NULL;
    const lg_graph_node *n = &graph->nodes[node];
    if (n->filter && n->filter->neutral) {
        lg_graph reading = *graph; // values that are no figures do not change it
        *idle = has_settings(&reading, n, n->filter->neutral);
    }
    return n->filter;
}
