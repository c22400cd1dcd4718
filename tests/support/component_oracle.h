// Figures of components by loops over pixels.
#ifndef LG_TEST_COMPONENT_ORACLE_H
#define LG_TEST_COMPONENT_ORACLE_H

#include "flood_fill.h"

// All sums that these parameters ask for; `intensity` or NULL.
lg_components component_oracle(const flood *f, const lg_label_params *params,
                               const lg_image *intensity);
void component_oracle_free(lg_components *components);

#endif
