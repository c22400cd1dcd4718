// Planes of Y'CbCr as inputs and outputs of a plan.
#ifndef LG_PLAN_PLANES_H
#define LG_PLAN_PLANES_H

#include "graph/plan.h"

// Images of one plane stand behind those of the caller: plane i of image k at k + i * LG_MAX_INPUTS.
#define LG_RUN_IMAGES (LG_MAX_PLANES * LG_MAX_INPUTS)

// Copies how inputs and outputs are stored, and refuses what a plan cannot do.
lg_status lg_plan_take_planes(lg_plan *plan, const lg_planes *const *outputs, lg_error *error);
lg_status lg_plan_check_planes(const lg_plan *plan, lg_error *error);
bool lg_plan_has_planes(const lg_plan *plan);

// Adds the slot of an input, and where planes are read as an image the stage that makes colours of them.
void lg_plan_add_input(lg_plan *plan, int node, lg_plan_slot slot);

// Adds the stages that write an output of planes: copies of those of an input, or one that makes them of
// colours.
void lg_plan_add_output(lg_plan *plan, int output);

// The shape of the colours that become the planes of an output.
lg_image_params lg_plan_colors_of(const lg_plan *plan, int output);

// How a node's image is stored, where it is an input of planes; else NULL.
const lg_planes *lg_plan_stored(const lg_plan *plan, int node);

// The images of a run, with those of planes behind them; `out` has room for LG_RUN_IMAGES.
void lg_plan_spread(lg_image *const *images, int count, lg_image **out);

#endif
