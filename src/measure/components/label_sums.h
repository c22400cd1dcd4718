// Sums of components while they still are in parts, those of each strip. A part is added to by the thread of
// its strip only; parts are put together at the end.
#ifndef LG_LABEL_SUMS_H
#define LG_LABEL_SUMS_H

#include "measure/components/components.h"

typedef struct lg_label_sums {
    int32_t width, height;
    const lg_image *intensity;
    uint32_t parts;
    lg_component_basic *basic; // [parts] each, NULL where not asked for
    lg_component_second *second;
    lg_component_intensity *intensities;
} lg_label_sums;

// Runs of one row: columns [begin, end), and the part that each belongs to.
typedef struct lg_label_runs {
    size_t n;
    const int32_t *begin, *end;
    const uint32_t *part;
    uint32_t first_part; // is added to `part`
    int32_t y, z;
} lg_label_runs;

lg_status lg_label_sums_create(const lg_label_task *task, int32_t width, int32_t height,
                               uint32_t parts, lg_label_sums *out, lg_error *error);
void lg_label_sums_add(lg_label_sums *sums, const lg_label_runs *runs);
// label[part]: 1 to count, first come first; the sums of parts of one label are added. 0: left out.
lg_status lg_label_sums_finish(lg_label_sums *sums, const lg_label_task *task,
                               const uint32_t *label, uint32_t count, lg_components *components,
                               lg_error *error);
void lg_label_sums_destroy(lg_label_sums *sums);

#endif
