// Affine filters that follow each other in a plan are computed as one matrix.
#ifndef LG_PLAN_COMPOSE_H
#define LG_PLAN_COMPOSE_H

#include "graph/plan.h"

// Puts the composed filter in the place of the last of each run, once shapes and uses are known.
// The others of the run are used no more. Filters whose parameters are measured stay by themselves.
lg_status lg_plan_compose(lg_plan *plan, lg_error *error);

// The caller's node: that of the graph, but for the last of a run.
lg_graph_node *lg_plan_own_node(const lg_plan *plan, int node);

// Whether a node does something in this plan, by itself or in a run.
bool lg_plan_is_used(const lg_plan *plan, int node);

// Composes the run of a node again, after a value of the node was changed.
void lg_plan_recompose(lg_plan *plan, int node);

// Appends the names of the filters that a node computes, " + " between all names.
void lg_plan_append_names(const lg_plan *plan, int node, char *text, size_t size);

// Puts the caller's nodes back, to be destroyed with the graph.
void lg_plan_drop_runs(lg_plan *plan);

#endif
