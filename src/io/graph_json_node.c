// Graphs in JSON files: one node, its parameters, and the images that they are measured on.
#ifdef LG_HAVE_JANSSON

#include "io/graph_json_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 600 // of a value

// ---- figures ------------------------------------------------------------------------------------

static bool is_channel(const char *word, size_t length)
{
    static const char *const names[] = {"r",    "g",     "b",    "a",         "red", "green",
                                        "blue", "alpha", "luma", "luminance", "rgb"};
    for (size_t i = 0; i < LG_COUNT(names); i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return true;
    return false;
}

// Whether a word in front of a dot begins a figure: largest.area, p99.5, or mean*0.5.
static bool is_figure(const char *word, size_t length)
{
    length = LG_MIN(length, strcspn(word, "*+-"));
    for (size_t i = 0; lg_graph_figure_at(i); i++) {
        const char *name = lg_graph_figure_at(i)->name;
        const size_t known = strcspn(name, "N."); // pN, largest.area
        const bool number = name[known] == 'N' && length > known &&
                            strspn(word + known, "0123456789") >= length - known;
        if (strncmp(word, name, known) == 0 && (length == known || number))
            return true;
    }
    return false;
}

// Which image "@[prev.][#]NODE.figure" is measured on: *of is -1 when it names none. The library's
// own text, which has # in front of every name, goes to `out`.
static lg_status resolve(const lg_json_graph *g, int index, const char *key, const char *text,
                         int *of, char *out, size_t size)
{
    const char *p = text + 1;
    *of = -1;
    if (strncmp(p, "prev.", 5) == 0)
        p += 5;
    const bool marked = *p == '#';
    const char *name = p + marked;
    const size_t length = strcspn(name, ".");
    if (name[length] && !(marked && length == 4 && memcmp(name, "prev", 4) == 0))
        *of = lg_json_find(g, name, length);
    if (*of < 0 && name[length] && length < 64 &&
        (marked || (!is_channel(name, length) && !is_figure(name, length))))
        return lg_json_fail_name(g, g->nodes[index].name, key, name, (int)length);
    const int used =
        snprintf(out, size, "%.*s%s%s", (int)(p - text), text, *of >= 0 && !marked ? "#" : "", p);
    if (used < (int)size)
        return LG_OK;
    return lg_json_fail(g, LG_ERROR_ARGUMENT, "node '%.60s': %.60s is too long",
                        g->nodes[index].name, key);
}

// ---- what a node needs --------------------------------------------------------------------------

static lg_status need(const lg_json_graph *g, int index, const char *key, int needs[LG_JSON_NEEDS],
                      int *count)
{
    json_t *value = json_object_get(g->nodes[index].object, key);
    const char *name = json_string_value(value);
    if (!value)
        return LG_OK;
    if (!name)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': \"%s\" has to be the name of an input or a node",
                            g->nodes[index].name, key);
    const int found = lg_json_find(g, name, strlen(name));
    if (found < 0)
        return lg_json_fail_name(g, g->nodes[index].name, key, name, (int)strlen(name));
    needs[(*count)++] = found;
    return LG_OK;
}

lg_status lg_json_needs(const lg_json_graph *g, int index, int needs[LG_JSON_NEEDS], int *count)
{
    const lg_json_node *node = &g->nodes[index];
    json_t *params = json_object_get(node->object, "params"), *value;
    const char *key;
    *count = 0;
    lg_status status = need(g, index, "in", needs, count);
    if (!status)
        status = need(g, index, "over", needs, count);
    if (!status && params && !json_is_object(params))
        status =
            lg_json_fail(g, LG_ERROR_ARGUMENT,
                         "node '%.60s': \"params\" has to be {\"NAME\": VALUE, ...}", node->name);
    if (status || !params)
        return status;
    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);
        char translated[TEXT_SIZE];
        int of = -1;
        if (text && text[0] == '@')
            status = resolve(g, index, key, text, &of, translated, sizeof translated);
        if (!status && of >= 0 && *count == LG_JSON_NEEDS)
            status = lg_json_fail(g, LG_ERROR_LIMIT, "node '%.60s': too many measured parameters",
                                  node->name);
        if (status)
            return status;
        if (of >= 0)
            needs[(*count)++] = of;
    }
    return LG_OK;
}

// ---- values -------------------------------------------------------------------------------------

static bool scalar_text(json_t *value, char *out, size_t size)
{
    int used = -1;
    if (json_is_string(value))
        used = snprintf(out, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        used = snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        used = snprintf(out, size, "%.17g", json_real_value(value));
    else if (json_is_boolean(value))
        used = snprintf(out, size, "%s", json_is_true(value) ? "yes" : "no");
    return used >= 0 && used < (int)size;
}

// A value as the library's text: numbers of a list get commas between them.
static lg_status value_text(const lg_json_graph *g, int index, const char *key, json_t *value,
                            char out[TEXT_SIZE])
{
    bool good = true;
    if (json_is_array(value)) {
        size_t used = 0;
        out[0] = '\0';
        for (size_t i = 0; i < json_array_size(value) && good; i++) {
            json_t *one = json_array_get(value, i);
            used += (size_t)snprintf(out + used, TEXT_SIZE - used, "%s", i ? "," : "");
            good = json_is_number(one) && scalar_text(one, out + used, TEXT_SIZE - used - 1);
            used += strlen(out + used);
        }
    } else {
        good = scalar_text(value, out, TEXT_SIZE);
    }
    if (!good)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': %.60s has to be a number, a text, true, false or a list "
                            "of numbers, of at most %d characters",
                            g->nodes[index].name, key, TEXT_SIZE - 1);
    int of;
    char text[TEXT_SIZE];
    if (out[0] != '@')
        return LG_OK;
    memcpy(text, out, TEXT_SIZE);
    return resolve(g, index, key, text, &of, out, TEXT_SIZE);
}

// ---- adding -------------------------------------------------------------------------------------

// Says which node it was in front of the library's message.
static lg_status blame(const lg_json_graph *g, int index, const lg_error *inner)
{
    // Places in a text that was made here are not the caller's.
    const char *message = inner->message;
    if (strncmp(message, "pipeline, character ", 20) == 0 && strstr(message, ": "))
        message = strstr(message, ": ") + 2;
    return lg_json_fail(g, inner->status, "node '%.60s': %.380s", g->nodes[index].name, message);
}

// Whether another key before `last` means the same parameter; the parser refuses equal keys itself.
static bool is_repeated(const lg_filter *filter, json_t *params, const char *last)
{
    const lg_filter_param *wanted, *param;
    const char *key;
    json_t *value;
    if (lg_filter_find_param(filter, last, &wanted, NULL))
        return false;
    json_object_foreach(params, key, value)
    {
        if (strcmp(key, last) == 0)
            return false;
        if (!lg_filter_find_param(filter, key, &param, NULL) && param == wanted)
            return true;
    }
    return false;
}

// Filters that stand for a pipeline are added as the text of one.
static lg_status add_pipeline(lg_json_graph *g, int index, const lg_filter *filter,
                              const lg_json_node *over, lg_node from)
{
    lg_json_node *node = &g->nodes[index];
    json_t *params = json_object_get(node->object, "params"), *value;
    const char *key;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return lg_fail_memory(g->error, 256, "the text of a pipeline");
    lg_status status = LG_OK;
    fputs(filter->name, out);
    json_object_foreach(params, key, value)
    {
        char one[TEXT_SIZE];
        status = value_text(g, index, key, value, one);
        if (!status && (strchr(one, '\'') || strpbrk(key, ":=|' \t\r\n")))
            status = lg_json_fail(g, LG_ERROR_ARGUMENT,
                                  "node '%.60s': %.60s cannot be written here", node->name, key);
        if (status)
            break;
        fprintf(out, ":%s='%s'", key, one);
    }
    if (over)
        fprintf(out, ":over=#%s", over->name);
    fprintf(out, " #%s", node->name);
    const bool written = fclose(out) == 0;
    lg_error inner = {0};
    if (!status && !written)
        status = lg_fail_memory(g->error, size, "the text of a pipeline");
    if (!status && lg_graph_parse(g->graph, text, from, &node->made, &inner))
        status = blame(g, index, &inner);
    free(text);
    return status;
}

static lg_status add_filter(lg_json_graph *g, int index, const lg_filter *filter,
                            const lg_node inputs[2], int count)
{
    lg_json_node *node = &g->nodes[index];
    json_t *params = json_object_get(node->object, "params"), *value;
    const char *key;
    lg_error inner = {0};
    if (lg_graph_filter(g->graph, filter->name, inputs, count, node->name, &node->made, &inner))
        return blame(g, index, &inner);
    json_object_foreach(params, key, value)
    {
        char text[TEXT_SIZE];
        const lg_status status = value_text(g, index, key, value, text);
        if (status)
            return status;
        if (is_repeated(filter, params, key))
            return lg_json_fail(g, LG_ERROR_ARGUMENT,
                                "node '%.60s': %.60s is given twice, by another name as well",
                                node->name, key);
        if (lg_graph_set(g->graph, node->made, key, text, &inner))
            return blame(g, index, &inner);
    }
    return LG_OK;
}

static const lg_json_node *named(const lg_json_graph *g, json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    return name ? &g->nodes[lg_json_find(g, name, strlen(name))] : NULL;
}

lg_status lg_json_add(lg_json_graph *g, int index)
{
    const lg_json_node *node = &g->nodes[index];
    const char *name = json_string_value(json_object_get(node->object, "filter"));
    const lg_json_node *in = named(g, node->object, "in"), *over = named(g, node->object, "over");
    const lg_filter *filter;
    lg_error inner = {0};
    if (!name)
        return lg_json_fail(g, LG_ERROR_ARGUMENT, "node '%.60s' has no \"filter\"", node->name);
    if (lg_filter_find(name, &filter, &inner))
        return blame(g, index, &inner);
    if (!in)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s' has no \"in\", the name of the image that it works on",
                            node->name);
    if (filter->inputs > 1 && !over)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': %s needs a second image: \"over\": NAME", node->name,
                            filter->name);
    if (filter->inputs < 2 && over && !(filter->flags & LG_FILTER_LOOK))
        return lg_json_fail(
            g, LG_ERROR_ARGUMENT,
            "node '%.60s': %s has no second image; \"over\" is for filters with two", node->name,
            filter->name);
    if (filter->kind == LG_FILTER_PIPELINE)
        return add_pipeline(g, index, filter, over, in->made);
    const lg_node inputs[2] = {in->made, over ? over->made : -1};
    return add_filter(g, index, filter, inputs, over ? 2 : 1);
}

#endif
