// Inside a graph: nodes, values, figures.
#ifndef LG_NODES_H
#define LG_NODES_H

#include "core/core.h"
#include "filter/catalogue.h"
#include "graph/figures.h"

#include <lumagraph/graph.h>

#define LG_MAX_VALUES 48 // numbers of all parameters of a filter
#define LG_MAX_TABLES 2
#define LG_ANY_NUMBER 1e6f // a bound of this magnitude does not limit measured values

// The kinds of figures: rows of graph/figures.h.
#define LG_FIGURE_KIND(ID, NAME, POWER, NUMBERS, ARITHMETIC, HELP) LG_FIGURE_##ID,
typedef enum lg_figure_kind {
    LG_FIGURE_NONE,
    LG_FIGURES(LG_FIGURE_KIND) LG_FIGURE_KINDS
} lg_figure_kind;

enum { LG_CHANNEL_DEFAULT = -1, LG_CHANNEL_LUMA = 4 };

typedef struct lg_figure {
    lg_figure_kind kind;
    lg_node node; // the node whose image is measured; -1: the filter's first input
    bool previous;
    int channel;         // 0 .. 3, LG_CHANNEL_LUMA, LG_CHANNEL_DEFAULT
    uint32_t billionths; // N of a percentile
    int connectivity;    // of components; known once a plan is made
    int step;            // of curves: every so many pixels are counted; likewise
    float factor, offset;
    int at, count; // index and count of the numbers that it sets; -1, 0: the parameter's table
    bool integer;  // rounded to the nearest integer
    float min, max;
} lg_figure;

static inline bool lg_figure_is_of_components(const lg_figure *figure)
{
    return figure->kind >= LG_FIRST_OF_COMPONENTS;
}

static inline bool lg_figure_is_curve(const lg_figure *figure)
{
    return figure->kind >= LG_FIRST_OF_CURVES && figure->kind < LG_FIRST_OF_PIXELS;
}

static inline bool lg_figure_is_pixel(const lg_figure *figure)
{
    return figure->kind >= LG_FIRST_OF_PIXELS && figure->kind < LG_FIRST_OF_COMPONENTS;
}

// A row of graph/figures.h without arithmetic; graph/figures.c.
typedef struct lg_figure_row {
    lg_figure_info info;
    int power; // of the unit of samples
} lg_figure_row;

extern const lg_figure_row lg_figure_rows[LG_FIGURE_KINDS];

// Looks up a figure, or a channel, by name.
bool lg_figure_find(const char *name, size_t length, lg_figure *out);
bool lg_figure_find_channel(const char *name, size_t length, int *out);

// Lists names with @ in front. lg_figure_list names the first figure of a family such as largest.*;
// lg_figure_list_family names all of one, false for an unknown family. lg_figure_nearest gives the
// most similar name; NULL: none is similar.
void lg_figure_list(char *out, size_t size);
bool lg_figure_list_family(const char *family, size_t length, char *out, size_t size);
const char *lg_figure_nearest(const char *word);

#define LG_MAX_FIGURES 8 // of one filter

typedef struct lg_graph_node {
    const lg_filter *filter; // NULL: an input, or a delayed image
    int input;               // index of an input
    lg_node from[2];
    char *name; // NULL: none
    float values[LG_MAX_VALUES];
    lg_figure figures[LG_MAX_FIGURES];
    int figure_count;
    char **texts;            // per parameter; NULL where there is none
    const lg_filter *within; // the outermost pipeline that was expanded to this node; NULL: none
    bool delayed;            // an image of `source` some runs ago; `filter` is NULL
    int runs;                // how many
    lg_node first, source;   // the first run takes `first`; source: -1: that of the name
    char *source_name;       // NULL once it is known
} lg_graph_node;

// A figure that the caller reads, not a parameter.
typedef struct lg_free_figure {
    lg_figure figure; // `node` is set
    char name[64];
} lg_free_figure;

struct lg_graph {
    lg_graph_node *nodes;
    int count, capacity;
    lg_node inputs[LG_MAX_INPUTS], outputs[LG_MAX_INPUTS];
    lg_node named[LG_MAX_INPUTS]; // the nodes that outputs have their names from
    int input_count, output_count;
    lg_free_figure figures[LG_MAX_GRAPH_FIGURES];
    int figure_count;
};

// Finds the sources of delayed images from node `from` on by their names.
lg_status lg_graph_find_sources(lg_graph *graph, int from, lg_error *error);
bool lg_graph_remembers(const lg_graph *graph); // has delayed images

// Marks the values of a node that are measured, and therefore not known before a run.
void lg_graph_find_measured(const lg_graph_node *n, bool measured[LG_MAX_VALUES]);
// Whether the values of a node go together: its filter's limits and its rule.
lg_status lg_graph_check_rules(const lg_graph_node *n, lg_error *error);

// Drops the nodes behind the first `count`.
void lg_graph_cut(lg_graph *graph, int count);

// The value of a text parameter, or its default.
const char *lg_node_text(const lg_graph_node *node, const char *param);

// Old spellings. lg_graph_meant gives the filter that replaces a node's filter of an old spelling,
// NULL for others; lg_graph_respell replaces all of them. graph_spelling.c.
const lg_filter *lg_graph_meant(lg_graph *graph, const lg_graph_node *node);
lg_status lg_graph_respell(lg_graph *graph, lg_error *error);

// Parses a value into `node`; graph_value.c.
lg_status lg_graph_parse_value(lg_graph *graph, lg_graph_node *node, int param, const char *text,
                               lg_error *error);

#endif
