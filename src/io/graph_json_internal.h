// Between the two halves of the JSON reader: graph_json.c finds the order of the nodes,
// graph_json_node.c adds one to the graph.
#ifndef LG_GRAPH_JSON_INTERNAL_H
#define LG_GRAPH_JSON_INTERNAL_H

#include "core/core.h"

#include <jansson.h>
#include <lumagraph/io.h>

#define LG_JSON_NEEDS 48 // images that one node may need: its own, and those of its figures

typedef struct lg_json_node {
    const char *name;
    json_t *object; // NULL: an input
    lg_node made;   // -1: not yet
    int state;      // of the search for an order
} lg_json_node;

typedef struct lg_json_graph {
    lg_json_node *nodes; // the inputs, then the nodes
    int input_count, count;
    int *by_name; // indices in nodes, sorted by name
    lg_graph *graph;
    lg_error *error;
} lg_json_graph;

// The node of a name, -1: none. The name ends at `length`.
int lg_json_find(const lg_json_graph *g, const char *name, size_t length);

lg_status lg_json_fail(const lg_json_graph *g, lg_status status, const char *format, ...)
    LG_PRINTF(3, 4);
// "... there is no image called 'x'; did you mean 'y'?", of a node.
lg_status lg_json_fail_name(const lg_json_graph *g, const char *node, const char *key,
                            const char *name, int length);
// Refuses keys of `object` that are not among `known` (NULL-terminated).
lg_status lg_json_check_keys(const lg_json_graph *g, const char *what, json_t *object,
                             const char *const *known);

// The nodes whose images node `index` needs; *count of them.
lg_status lg_json_needs(const lg_json_graph *g, int index, int needs[LG_JSON_NEEDS], int *count);
// Adds the node to the graph; those that it needs are there.
lg_status lg_json_add(lg_json_graph *g, int index);

#endif
