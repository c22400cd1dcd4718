// Graphs in JSON files; docs/cli.md describes the format.
#ifndef LG_GRAPH_JSON_H
#define LG_GRAPH_JSON_H

#include <lumagraph/lumagraph.h>

#define LG_GRAPH_FILE_SIZE (4 << 20) // bytes of a file at most

// Reads a graph with its inputs, nodes and outputs; "-" is standard input. Nodes may stand in any
// order. Errors: LG_ERROR_IO, LG_ERROR_ARGUMENT (no JSON: line and column; unknown keys, filters,
// parameters and names, with the nearest known one; values out of range; cycles, with their nodes),
// LG_ERROR_LIMIT (LG_MAX_NODES, LG_MAX_INPUTS, LG_GRAPH_FILE_SIZE), LG_ERROR_MEMORY,
// LG_ERROR_UNSUPPORTED (a build without libjansson).
lg_status lg_graph_read(const char *path, lg_graph **out, lg_error *error);

#endif
