// Building a graph.
#include "graph/nodes.h"

#include "filter/native/label/label_filter.h"

#include <string.h>

lg_status lg_graph_create(lg_graph **out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the graph");
    lg_graph *graph = lg_alloc(sizeof *graph);
    if (!graph)
        return lg_fail_memory(error, sizeof *graph, "a graph");
    *out = graph;
    return LG_OK;
}

static void drop_node(lg_graph_node *node)
{
    for (int i = 0; node->texts && i < node->filter->param_count; i++)
        lg_free(node->texts[i]);
    lg_free(node->texts);
    lg_free(node->name);
    lg_free(node->source_name);
}

void lg_graph_cut(lg_graph *graph, int count)
{
    while (graph->count > count)
        drop_node(&graph->nodes[--graph->count]);
}

void lg_graph_destroy(lg_graph **graph)
{
    if (!graph || !*graph)
        return;
    lg_graph_cut(*graph, 0);
    lg_free((*graph)->nodes);
    lg_free(*graph);
    *graph = NULL;
}

static bool is_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *name && strlen(name) <= 60 && strspn(name, letters) == strlen(name);
}

lg_node lg_graph_find(const lg_graph *graph, const char *name)
{
    for (int i = graph && name ? graph->count - 1 : -1; i >= 0; i--)
        if (graph->nodes[i].name && strcmp(graph->nodes[i].name, name) == 0)
            return i;
    return -1;
}

static lg_status grow(lg_graph *graph, lg_error *error)
{
    if (graph->count == LG_MAX_NODES)
        return lg_fail(error, LG_ERROR_LIMIT, "a graph has at most %d nodes", LG_MAX_NODES);
    if (graph->count < graph->capacity)
        return LG_OK;
    const int capacity = graph->capacity ? graph->capacity * 2 : 16;
    lg_graph_node *nodes = lg_alloc_array((size_t)capacity, sizeof *nodes);
    if (!nodes)
        return lg_fail_memory(error, (size_t)capacity * sizeof *nodes, "the nodes of a graph");
    if (graph->count)
        memcpy(nodes, graph->nodes, (size_t)graph->count * sizeof *nodes);
    lg_free(graph->nodes);
    graph->nodes = nodes;
    graph->capacity = capacity;
    return LG_OK;
}

// Appends `node`, whose name is copied.
static lg_status append(lg_graph *graph, lg_graph_node node, const char *name, lg_node *out,
                        lg_error *error)
{
    if (name && (!is_name(name) || strcmp(name, "prev") == 0))
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "'%.60s' is no name of an image: 1 to 60 letters, digits, _ and -, not 'prev'", name);
    if (name && lg_graph_find(graph, name) >= 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "two images are called #%s", name);
    const lg_status status = grow(graph, error);
    if (status)
        return status;
    if (name && !(node.name = lg_strdup(name)))
        return lg_fail_memory(error, strlen(name) + 1, "a name");
    graph->nodes[graph->count] = node;
    *out = graph->count++;
    return LG_OK;
}

lg_status lg_graph_input(lg_graph *graph, const char *name, lg_node *out, lg_error *error)
{
    if (!graph || !name || !out)
        return lg_fail_null(error, "a graph, a name, and a place for the node");
    if (graph->input_count == LG_MAX_INPUTS)
        return lg_fail(error, LG_ERROR_LIMIT, "a graph has at most %d inputs", LG_MAX_INPUTS);
    const lg_graph_node node = {.input = graph->input_count, .from = {-1, -1}};
    const lg_status status = append(graph, node, name, out, error);
    if (!status)
        graph->inputs[graph->input_count++] = *out;
    return status;
}

lg_status lg_graph_filter(lg_graph *graph, const char *filter, const lg_node *inputs, int count,
                          const char *name, lg_node *out, lg_error *error)
{
    if (!graph || !filter || (count > 0 && !inputs) || !out)
        return lg_fail_null(error, "a graph, a filter, its inputs, and a place for the node");
    lg_graph_node node = {.from = {-1, -1}};
    lg_status status = lg_filter_find(filter, &node.filter, error);
    if (status)
        return status;
    if (node.filter->kind == LG_FILTER_PIPELINE)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s stands for a pipeline; add it with lg_graph_parse", filter);
    if (node.filter->flags & LG_FILTER_LOOK && count == 2)
        status = lg_filter_find("lookup", &node.filter, error);
    if (status)
        return status;
    const int wants = node.filter->kind == LG_FILTER_GENERATE ? 1 : node.filter->inputs;
    if (count != wants)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s takes %d image%s; %d given", filter, wants,
                       wants == 1 ? "" : "s", count);
    for (int i = 0; i < count; i++) {
        if (inputs[i] < 0 || inputs[i] >= graph->count)
            return lg_fail(error, LG_ERROR_ARGUMENT, "%s: input %d is no node of this graph",
                           filter, i);
        node.from[i] = inputs[i];
    }
    int words = 0;
    for (int i = 0; i < node.filter->param_count; i++) {
        const lg_filter_param *param = &node.filter->params[i];
        memcpy(node.values + words, param->value, (size_t)param->size * sizeof *param->value);
        words += param->size;
        if (lg_param_is_curve(param)) { // measured on the first input unless told otherwise
            lg_figure *curve = &node.figures[node.figure_count++];
            *curve = (lg_figure){.node = -1, .channel = LG_CHANNEL_DEFAULT, .factor = 1, .at = -1};
            lg_figure_find(param->unit + 1, strlen(param->unit + 1), curve);
        }
    }
    return append(graph, node, name, out, error);
}

lg_status lg_graph_delay(lg_graph *graph, const char *name, int runs, lg_node first, lg_node *out,
                         lg_error *error)
{
    if (!graph || !name || !out)
        return lg_fail_null(error, "a graph, the name of an image, and a place for the node");
    if (first < 0 || first >= graph->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is not in this graph", (int)first);
    if (runs < 1 || runs > LG_MAX_DELAY)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "#%.60s@-%d: an image of 1 to %d runs before can be taken", name, runs,
                       LG_MAX_DELAY);
    lg_graph_node node = {
        .from = {-1, -1}, .delayed = true, .runs = runs, .first = first, .source = -1};
    node.source_name = lg_strdup(name);
    if (!node.source_name)
        return lg_fail_memory(error, strlen(name) + 1, "a name");
    const lg_status status = append(graph, node, NULL, out, error);
    if (status)
        lg_free(node.source_name);
    return status;
}

lg_status lg_graph_find_sources(lg_graph *graph, int from, lg_error *error)
{
    for (int i = from; i < graph->count; i++) {
        lg_graph_node *n = &graph->nodes[i];
        if (!n->delayed || n->source >= 0)
            continue;
        n->source = lg_graph_find(graph, n->source_name);
        if (n->source < 0)
            return lg_fail(error, LG_ERROR_ARGUMENT, "no image is called #%s, for #%s@-%d",
                           n->source_name, n->source_name, n->runs);
        lg_free(n->source_name);
        n->source_name = NULL;
    }
    return LG_OK;
}

bool lg_graph_remembers(const lg_graph *graph)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i].delayed)
            return true;
    return false;
}

lg_status lg_graph_set(lg_graph *graph, lg_node node, const char *param, const char *value,
                       lg_error *error)
{
    if (!graph || !param || !value)
        return lg_fail_null(error, "a graph, a parameter and its value");
    if (node < 0 || node >= graph->count || !graph->nodes[node].filter)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is no filter of this graph", (int)node);
    lg_graph_node *n = &graph->nodes[node];
    const lg_filter_param *found;
    const lg_status status = lg_filter_find_param(n->filter, param, &found, error);
    return status ? status
                  : lg_graph_parse_value(graph, n, (int)(found - n->filter->params), value, error);
}

lg_status lg_graph_output(lg_graph *graph, lg_node node, lg_error *error)
{
    if (!graph)
        return lg_fail_null(error, "a graph");
    if (node < 0 || node >= graph->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is not in this graph", (int)node);
    if (graph->output_count == LG_MAX_INPUTS)
        return lg_fail(error, LG_ERROR_LIMIT, "a graph has at most %d outputs", LG_MAX_INPUTS);
    graph->named[graph->output_count] = node;
    graph->outputs[graph->output_count++] = node;
    return LG_OK;
}

lg_status lg_graph_output_channels(lg_graph *graph, size_t index, int channels, lg_error *error)
{
    static const char *const words[] = {[1] = "grey", [3] = "rgb", [4] = "rgba"};
    if (!graph)
        return lg_fail_null(error, "a graph");
    if (index >= (size_t)graph->output_count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the graph has %d outputs; there is no %zu",
                       graph->output_count, index);
    if (channels != 1 && channels != 3 && channels != 4)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an output of %d channels; allowed are 1 (grey), 3 (RGB) and 4 (RGBA)",
                       channels);
    const int count = graph->count;
    lg_node node;
    lg_status status =
        lg_graph_filter(graph, "convert_channels", &graph->outputs[index], 1, NULL, &node, error);
    if (!status)
        status = lg_graph_set(graph, node, "to", words[channels], error);
    if (status)
        lg_graph_cut(graph, count);
    else
        graph->outputs[index] = node;
    return status;
}

size_t lg_graph_input_count(const lg_graph *graph)
{
    return graph ? (size_t)graph->input_count : 0;
}

size_t lg_graph_output_count(const lg_graph *graph)
{
    return graph ? (size_t)graph->output_count : 0;
}

// With these values layers are joined.
static bool joins_layers(const lg_graph_node *n)
{
    const char *name = n->filter ? n->filter->name : "";
    return (strcmp(name, "label") == 0 || strcmp(name, "watershed") == 0) &&
           lg_connectivity_is_volume(lg_label_connectivity(n->filter, n->values));
}

bool lg_graph_takes_volumes(const lg_graph *graph)
{
    for (int i = 0; i < graph->count; i++) {
        const lg_graph_node *n = &graph->nodes[i];
        const lg_native *native = n->filter ? ((const lg_filter_entry *)n->filter)->native : NULL;
        if (joins_layers(n) || (native && native->volume))
            return true;
    }
    return false;
}

bool lg_graph_measures(const lg_graph *graph)
{
    bool found = graph && graph->figure_count > 0;
    for (int i = 0; graph && i < graph->count && !found; i++)
        found = graph->nodes[i].figure_count > 0;
    return found;
}

const char *lg_graph_input_name(const lg_graph *graph, size_t index)
{
    return index < lg_graph_input_count(graph) ? graph->nodes[graph->inputs[index]].name : NULL;
}

const char *lg_graph_output_name(const lg_graph *graph, size_t index)
{
    return index < lg_graph_output_count(graph) ? graph->nodes[graph->named[index]].name : NULL;
}

const char *lg_node_text(const lg_graph_node *node, const char *param)
{
    for (int i = 0; i < node->filter->param_count; i++)
        if (strcmp(node->filter->params[i].name, param) == 0)
            return node->texts && node->texts[i] ? node->texts[i] : node->filter->params[i].text;
    return NULL;
}
