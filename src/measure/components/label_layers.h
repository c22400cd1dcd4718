// Shapes of components from the labels of all rows, which come from top to bottom, layer by layer.
#ifndef LG_LABEL_LAYERS_H
#define LG_LABEL_LAYERS_H

#include "measure/accumulator.h"
#include "measure/components/label_shape.h"

typedef struct lg_label_layers lg_label_layers;

// For labels 1 .. count. `volume`: neighbours in the next layer count, and the labels of a layer are held.
// LG_ERROR_LIMIT: more bytes than `limit`.
lg_status lg_label_layers_create(const lg_covered_region *region, uint32_t count, bool volume,
                                 size_t limit, lg_label_layers **out, lg_error *error);
void lg_label_layers_destroy(lg_label_layers **layers); // NULL and a pointer to NULL are fine
// The row that comes next, counted through all layers; all of them behind the last one.
int64_t lg_label_layers_next(const lg_label_layers *layers);
void lg_label_layers_add(lg_label_layers *layers, const uint32_t *labels);
const lg_component_shape *lg_label_layers_shapes(const lg_label_layers *layers);

#endif
