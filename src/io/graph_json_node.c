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

// The image of a node, or with "NAME@-RUNS" the one that it had so many runs before.
typedef struct image_of {
    int node; // -1: none
    int runs; // 0: the one of this run
} image_of;

static lg_status find_image(const lg_json_graph *g, int index, const char *key, image_of *out)
{
    json_t *value = json_object_get(g->nodes[index].object, key);
    const char *name = json_string_value(value);
    *out = (image_of){-1, 0};
    if (!value)
        return LG_OK;
    if (!name)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': \"%s\" has to be the name of an input or a node",
                            g->nodes[index].name, key);
    const char *at = strstr(name, "@-");
    const size_t length = at ? (size_t)(at - name) : strlen(name);
    out->node = lg_json_find(g, name, length);
    if (out->node < 0)
        return lg_json_fail_name(g, g->nodes[index].name, key, name, (int)length);
    if (!at)
        return LG_OK;
    const size_t digits = strspn(at + 2, "0123456789");
    out->runs = digits && digits < 4 && !at[2 + digits] ? atoi(at + 2) : 0;
    if (out->runs >= 1 && out->runs <= LG_MAX_DELAY)
        return LG_OK;
    return lg_json_fail(g, LG_ERROR_ARGUMENT,
                        "node '%.60s': \"%s\": \"%.60s\": a delayed image is NAME@-RUNS, with 1 to "
                        "%d runs",
                        g->nodes[index].name, key, name, LG_MAX_DELAY);
}

// The images of a node; what a delayed one is in the first run: "first", else "in", else the first input.
typedef struct images_of {
    image_of in, over;
    int first;
} images_of;

static lg_status find_images(const lg_json_graph *g, int index, images_of *out)
{
    image_of first;
    lg_status status = find_image(g, index, "in", &out->in);
    if (!status)
        status = find_image(g, index, "over", &out->over);
    if (!status)
        status = find_image(g, index, "first", &first);
    if (status)
        return status;
    out->first = first.node >= 0 ? first.node : out->in.runs ? 0 : out->in.node;
    if (first.runs)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': \"first\" has to be an image of this run",
                            g->nodes[index].name);
    if (first.node >= 0 && !out->in.runs && !out->over.runs)
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': \"first\" is what a delayed image such as "
                            "\"NAME@-1\" is in the first run; this node has none",
                            g->nodes[index].name);
    return LG_OK;
}

lg_status lg_json_needs(const lg_json_graph *g, int index, int needs[LG_JSON_NEEDS], int *count)
{
    const lg_json_node *node = &g->nodes[index];
    json_t *params = json_object_get(node->object, "params"), *value;
    const char *key;
    *count = 0;
    images_of images;
    lg_status status = find_images(g, index, &images);
    if (!status) {
        const bool delayed = images.in.runs || images.over.runs;
        const int own[] = {images.in.runs ? -1 : images.in.node,
                           images.over.runs ? -1 : images.over.node, delayed ? images.first : -1};
        for (size_t i = 0; i < LG_COUNT(own); i++)
            if (own[i] >= 0)
                needs[(*count)++] = own[i];
    }
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
                              const images_of *images, lg_node from)
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
    if (images->over.node >= 0)
        fprintf(out, ":over=#%s", g->nodes[images->over.node].name);
    if (images->over.runs)
        fprintf(out, "@-%d", images->over.runs);
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

// The node of an image, -1 for none.
static lg_status make_image(lg_json_graph *g, int index, const images_of *images, image_of image,
                            lg_node *out)
{
    lg_error inner = {0};
    *out = image.node < 0 ? -1 : g->nodes[image.node].made;
    if (image.runs && lg_graph_delay(g->graph, g->nodes[image.node].name, image.runs,
                                     g->nodes[images->first].made, out, &inner))
        return blame(g, index, &inner);
    return LG_OK;
}

// A pipeline's text says of a delayed image only that it begins as the image that the text is for.
static lg_status add_named(lg_json_graph *g, int index, const lg_filter *filter,
                           const images_of *images)
{
    lg_node inputs[2] = {-1, -1};
    lg_status status = make_image(g, index, images, images->in, &inputs[0]);
    if (status)
        return status;
    if (filter->kind == LG_FILTER_PIPELINE && images->over.runs &&
        (images->in.runs || images->first != images->in.node))
        return lg_json_fail(g, LG_ERROR_ARGUMENT,
                            "node '%.60s': a delayed \"over\" of %s is the image of \"in\" in the "
                            "first run; \"first\" and a delayed \"in\" cannot be given",
                            g->nodes[index].name, filter->name);
    if (filter->kind == LG_FILTER_PIPELINE)
        return add_pipeline(g, index, filter, images, inputs[0]);
    status = make_image(g, index, images, images->over, &inputs[1]);
    return status ? status : add_filter(g, index, filter, inputs, inputs[1] >= 0 ? 2 : 1);
}

lg_status lg_json_add(lg_json_graph *g, int index)
{
    const lg_json_node *node = &g->nodes[index];
    const char *name = json_string_value(json_object_get(node->object, "filter"));
    images_of images;
    const lg_status status = find_images(g, index, &images);
    const lg_filter *filter;
    lg_error inner = {0};
    if (status)
        return status;
    const bool in = images.in.node >= 0, over = images.over.node >= 0;
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
    return add_named(g, index, filter, &images);
}

#endif
