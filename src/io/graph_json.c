// Graphs in JSON files: reading, names, the order of the nodes.
#include "io/io_internal.h"

#ifdef LG_HAVE_JANSSON

#include "io/graph_json_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

lg_status lg_json_fail(const lg_json_graph *g, lg_status status, const char *format, ...)
{
    char message[LG_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return lg_fail(g->error, status, "%s", message);
}

// ---- names --------------------------------------------------------------------------------------

static int compare(const char *a, const char *b, size_t length) // b ends at length
{
    const int order = strncmp(a, b, length);
    return order ? order : a[length] != '\0';
}

int lg_json_find(const lg_json_graph *g, const char *name, size_t length)
{
    int low = 0, high = g->count - 1;
    while (low <= high) {
        const int middle = (low + high) / 2;
        const int order = compare(g->nodes[g->by_name[middle]].name, name, length);
        if (!order)
            return g->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

lg_status lg_json_fail_name(const lg_json_graph *g, const char *node, const char *key,
                            const char *name, int length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", length, name);
    const char **names = lg_alloc_array((size_t)g->count + 1, sizeof *names), *near = NULL;
    for (int i = 0; names && i < g->count; i++)
        names[i] = g->nodes[i].name;
    if (names)
        near = lg_nearest(word, names);
    lg_free(names);
    return lg_json_fail(g, LG_ERROR_ARGUMENT,
                        "%s%.60s%s%s: no input and no node is called '%s'%s%s%s",
                        node ? "node '" : "", node ? node : "", node ? "': " : "", key, word,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static _Thread_local const lg_json_node *sorted; // qsort has no place for it

static int by_name(const void *a, const void *b)
{
    return strcmp(sorted[*(const int *)a].name, sorted[*(const int *)b].name);
}

static lg_status sort_names(lg_json_graph *g)
{
    for (int i = 0; i < g->count; i++)
        g->by_name[i] = i;
    sorted = g->nodes;
    qsort(g->by_name, (size_t)g->count, sizeof *g->by_name, by_name);
    sorted = NULL;
    for (int i = 1; i < g->count; i++) {
        const char *name = g->nodes[g->by_name[i]].name;
        if (strcmp(name, g->nodes[g->by_name[i - 1]].name) == 0)
            return lg_json_fail(g, LG_ERROR_ARGUMENT, "two images are called '%.60s'", name);
    }
    return LG_OK;
}

// ---- what the file holds ------------------------------------------------------------------------

lg_status lg_json_check_keys(const lg_json_graph *g, const char *what, json_t *object,
                             const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (known[i])
            continue;
        const char *near = lg_nearest(key, known);
        return lg_json_fail(g, LG_ERROR_ARGUMENT, "%s has no key \"%.60s\"%s%s%s", what, key,
                            near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return LG_OK;
}

static lg_status get_list(const lg_json_graph *g, json_t *root, const char *key, bool may_be_empty,
                          json_t **out)
{
    *out = json_object_get(root, key);
    if (json_is_array(*out) && (may_be_empty || json_array_size(*out) > 0))
        return LG_OK;
    return lg_json_fail(g, LG_ERROR_ARGUMENT, "\"%s\" has to be a list%s", key,
                        may_be_empty ? "" : " with at least one name");
}

static lg_status take_node(lg_json_graph *g, json_t *object)
{
    static const char *const known[] = {"name",  "filter", "in",      "over",
                                        "first", "params", "comment", NULL};
    char what[100];
    const int number = g->count - g->input_count + 1;
    const char *name = json_string_value(json_object_get(object, "name"));
    if (!json_is_object(object) || !name || !*name)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node number %d has no \"name\"; a node is {\"name\": ..., \"filter\": "
                            "..., \"in\": ..., \"params\": {...}}",
                            number);
    g->nodes[g->count++] = (lg_json_node){.name = name, .object = object, .made = -1};
    snprintf(what, sizeof what, "node '%.60s'", name);
    return lg_json_check_keys(g, what, object, known);
}

static lg_status take_all(lg_json_graph *g, json_t *root, json_t **outputs)
{
    static const char *const known[] = {"inputs", "nodes", "outputs", "comment", NULL};
    json_t *inputs, *nodes;
    lg_status status = LG_OK;
    if (!json_is_object(root))
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "a graph is {\"inputs\": [...], \"nodes\": [...], \"outputs\": [...]}");
    if ((status = lg_json_check_keys(g, "a graph", root, known)) ||
        (status = get_list(g, root, "inputs", false, &inputs)) ||
        (status = get_list(g, root, "nodes", true, &nodes)) ||
        (status = get_list(g, root, "outputs", false, outputs)))
        return status;
    const size_t count = json_array_size(inputs) + json_array_size(nodes);
    if (count > LG_MAX_NODES)
        return lg_json_fail(g, LG_ERROR_LIMIT, "%zu inputs and nodes; a graph has at most %d",
                            count, LG_MAX_NODES);
    g->nodes = lg_alloc_array(count, sizeof *g->nodes);
    g->by_name = lg_alloc_array(count, sizeof *g->by_name);
    if (!g->nodes || !g->by_name)
        return lg_fail_memory(g->error, count * sizeof *g->nodes, "the nodes of a graph");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const char *name = json_string_value(json_array_get(inputs, i));
        if (!name)
            return lg_json_fail(g, LG_ERROR_ARGUMENT, "\"inputs\" has to be a list of names");
        g->nodes[g->count++] = (lg_json_node){.name = name, .made = -1};
    }
    g->input_count = g->count;
    for (size_t i = 0; i < json_array_size(nodes) && !status; i++)
        status = take_node(g, json_array_get(nodes, i));
    return status ? status : sort_names(g);
}

// ---- order --------------------------------------------------------------------------------------

enum { NEW, OPEN, DONE };

typedef struct frame {
    int node, next, count;
    int needs[LG_JSON_NEEDS];
} frame;

static lg_status fail_cycle(const lg_json_graph *g, const frame *stack, int depth, int again)
{
    char text[320] = "";
    size_t used = 0;
    int at = depth - 1, shown = 0;
    while (stack[at].node != again)
        at--;
    for (; at < depth && shown < 8 && used < sizeof text; at++, shown++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.30s <- ",
                                 g->nodes[stack[at].node].name);
    return lg_json_fail(g, LG_ERROR_ARGUMENT, "nodes need each other in a cycle: %s%s%.30s", text,
                        at < depth ? "... <- " : "", g->nodes[again].name);
}

// Adds what `index` needs, deepest first, then itself. `stack` has room for every node.
static lg_status add_with_needs(lg_json_graph *g, int index, frame *stack)
{
    int depth = 0;
    lg_status status = LG_OK;
    stack[depth++].node = index;
    g->nodes[index].state = OPEN;
    stack[0].next = 0;
    status = lg_json_needs(g, index, stack[0].needs, &stack[0].count);
    while (depth > 0 && !status) {
        frame *top = &stack[depth - 1];
        if (top->next == top->count) {
            status = lg_json_add(g, top->node);
            g->nodes[top->node].state = DONE;
            depth--;
            continue;
        }
        const int need = top->needs[top->next++];
        if (g->nodes[need].state == OPEN)
            return fail_cycle(g, stack, depth, need);
        if (g->nodes[need].state == DONE)
            continue;
        frame *new = &stack[depth++];
        new->node = need;
        new->next = 0;
        g->nodes[need].state = OPEN;
        status = lg_json_needs(g, need, new->needs, &new->count);
    }
    return status;
}

static lg_status add_outputs(lg_json_graph *g, json_t *outputs)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < json_array_size(outputs) && !status; i++) {
        const char *name = json_string_value(json_array_get(outputs, i));
        if (!name)
            return lg_json_fail(g, LG_ERROR_ARGUMENT, "\"outputs\" has to be a list of names");
        const int found = lg_json_find(g, name, strlen(name));
        if (found < 0)
            return lg_json_fail_name(g, NULL, "\"outputs\"", name, (int)strlen(name));
        for (size_t k = 0; k < i; k++)
            if (strcmp(name, json_string_value(json_array_get(outputs, k))) == 0)
                return lg_json_fail(g, LG_ERROR_ARGUMENT, "\"outputs\" has '%.60s' twice", name);
        status = lg_graph_output(g->graph, g->nodes[found].made, g->error);
    }
    return status;
}

static lg_status build(lg_json_graph *g, json_t *outputs)
{
    lg_status status = lg_graph_create(&g->graph, g->error);
    for (int i = 0; i < g->input_count && !status; i++) {
        status = lg_graph_input(g->graph, g->nodes[i].name, &g->nodes[i].made, g->error);
        g->nodes[i].state = DONE;
    }
    frame *stack = status ? NULL : lg_alloc_array((size_t)g->count, sizeof *stack);
    if (!status && !stack)
        status = lg_fail_memory(g->error, (size_t)g->count * sizeof *stack, "the order of a graph");
    for (int i = g->input_count; i < g->count && !status; i++)
        if (g->nodes[i].state == NEW)
            status = add_with_needs(g, i, stack);
    lg_free(stack);
    return status ? status : add_outputs(g, outputs);
}

// ---- files --------------------------------------------------------------------------------------

static lg_status read_text(const char *path, char **out, size_t *size, lg_error *error)
{
    lg_input *input = lg_alloc(sizeof *input);
    char *text = lg_alloc_uninit(LG_GRAPH_FILE_SIZE + 1);
    lg_status status = LG_OK;
    if (!input || !text)
        status = lg_fail_memory(error, LG_GRAPH_FILE_SIZE, "the text of a graph");
    if (!status && !(status = lg_input_open(input, path, error))) {
        *size = lg_input_read(input, text, LG_GRAPH_FILE_SIZE + 1);
        if (input->failure)
            status = lg_input_short(input, "the graph", error);
        else if (*size > LG_GRAPH_FILE_SIZE)
            status =
                lg_fail(error, LG_ERROR_LIMIT, "larger than %d MB; a graph has at most %d nodes",
                        LG_GRAPH_FILE_SIZE >> 20, LG_MAX_NODES);
        lg_input_close(input);
    }
    lg_free(input);
    if (status)
        lg_free(text);
    else
        *out = text;
    return status;
}

// Where memory is used up libjansson speaks of a mistake in the text, or of one
// before its first line.
static json_t *parse(const char *text, size_t size, lg_error *error)
{
    json_error_t where;
    errno = 0;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    if (!root && (errno == ENOMEM || where.line < 1))
        lg_fail(error, LG_ERROR_MEMORY, "out of memory: the nodes of a graph in JSON");
    else if (!root)
        lg_fail(error, LG_ERROR_ARGUMENT, "line %d, column %d: %s", where.line, where.column,
                where.text);
    return root;
}

lg_status lg_graph_read(const char *path, lg_graph **out, lg_error *error)
{
    char *text = NULL;
    size_t size = 0;
    lg_error why = {LG_OK, ""};
    if (!path || !out)
        return lg_fail_null(error, "the name of a file, and a place for the graph");
    lg_status status = read_text(path, &text, &size, error);
    if (status)
        return status;
    json_t *root = parse(text, size, &why), *outputs = NULL;
    lg_free(text);
    if (!root)
        return lg_fail(error, why.status, "%s", why.message);
    lg_json_graph g = {.error = error};
    status = take_all(&g, root, &outputs);
    if (!status)
        status = build(&g, outputs);
    lg_free(g.nodes);
    lg_free(g.by_name);
    json_decref(root);
    if (status)
        lg_graph_destroy(&g.graph);
    else
        *out = g.graph;
    return status;
}

#else

lg_status lg_graph_read(const char *path, lg_graph **out, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "this build reads no graphs from JSON files; build with libjansson, or write a "
                   "pipeline");
}

#endif
