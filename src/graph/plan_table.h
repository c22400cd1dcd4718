// Second images that are read as tables.
#ifndef LG_PLAN_TABLE_H
#define LG_PLAN_TABLE_H

#include "graph/plan.h"

// Lets another filter do the work of a lookup whose table is a curve or a HALD picture. The shapes of the
// node's images are known. Values of `layout` that do not go with the table are refused.
lg_status lg_plan_choose_lookup(const lg_plan *plan, int node, lg_error *error);

// Whether another value of the parameter needs a new plan.
bool lg_plan_fixes_layout(const lg_plan *plan, int node, const lg_filter_param *param,
                          const char *value);

// Sets the range of a node's table: that of the input which the table is made of.
void lg_plan_set_range(const lg_plan *plan, int node, lg_image *const *inputs, lg_table *table);

#endif
