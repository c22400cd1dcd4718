// Figures of the shape of components.
#ifndef LG_COMPONENTS_SHAPE_H
#define LG_COMPONENTS_SHAPE_H

#include "measure/components/component_sums.h"

// A column that needs the shape, in pixels. The component has pixels.
double lg_shape_figure(const lg_components *components, uint32_t i, lg_column column);

// Of the faces of pixels of this size that have no other pixel of the component beyond them.
double lg_surface_area(const lg_component_shape *shape, const double size[3]);

#endif
