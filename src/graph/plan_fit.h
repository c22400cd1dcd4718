// Filters that a plan adds to those of the graph: before second images of another size than the first, and
// for further passes of a blur.
#ifndef LG_PLAN_FIT_H
#define LG_PLAN_FIT_H

#include "graph/plan.h"

// Nodes that lg_plan_find_shapes may add to the copy of a graph.
int lg_plan_fit_room(const lg_graph *graph);

// Whether a value of the parameter would have to be that of several nodes, or changes their number.
bool lg_plan_is_repeated(const lg_plan *plan, int node, const lg_filter_param *param);

// The place in a plan of a node of the caller's graph; -1: it has none.
int lg_plan_place(const lg_plan *plan, lg_node node);

// Whether the second image of a node was fitted.
bool lg_plan_is_fitted(const lg_plan *plan, int node);

// Shapes of all nodes. Second images of other sizes get filters before them, some tables filters of their
// own; not again in a graph that has been expanded so.
lg_status lg_plan_find_shapes(lg_plan *plan, bool expanded, lg_error *error);

#endif
