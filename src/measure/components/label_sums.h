// Sums of components that are still in parts. One thread only adds to a part; parts are merged at
// the end.
#ifndef LG_LABEL_SUMS_H
#define LG_LABEL_SUMS_H

#include "measure/components/label_rows.h"

typedef struct lg_label_sums {
    int32_t width, height;
    const lg_image *intensity; // or NULL
    double scale;              // of float samples: 1 / unit
    uint32_t parts;
    bool planes;               // each component is in one layer, and parts belong to bands
    lg_component_basic *basic; // [parts] each, NULL where not asked for
    lg_component_second *second;
    lg_component_intensity *intensities;
} lg_label_sums;

// Runs of one row: columns [begin, end), the part that each is added to, and its label. Parts with
// the same label are interchangeable. A label that is frequent in a row is likely in the next:
// `frequent` is tried first, and its runs go to `frequent_part`.
typedef struct lg_label_runs {
    const lg_label_rows_table *table;
    size_t n;
    const int32_t *begin, *end;
    const uint32_t *part, *label;
    uint32_t first_part; // added to each `part`
    int32_t y, z;
    uint32_t frequent, frequent_part;
    int32_t *others; // scratch, [n + LG_LABEL_SLACK]
} lg_label_runs;

// `unit`: see lg_label_unit.
lg_status lg_label_sums_create(const lg_label_task *task, int32_t width, int32_t height,
                               double unit, uint32_t parts, lg_label_sums *out, lg_error *error);
size_t lg_label_sums_bytes(const lg_label_task *task, uint32_t parts);
void lg_label_sums_add(lg_label_sums *sums, lg_label_runs *runs);

// Adds part i of `from` to part i of `to`, for i in [first, end).
void lg_label_sums_merge(lg_label_sums *to, const lg_label_sums *from, uint32_t first,
                         uint32_t end);
// Adds part k to part i of the same sums.
void lg_label_sums_join(lg_label_sums *sums, uint32_t i, uint32_t k);
// Adds up the parts of each label and moves the sums to the components. label[part] is 1 to count;
// new labels come in order.
void lg_label_sums_finish(lg_label_sums *sums, const uint32_t *label, lg_components *components);
// Moves sums whose parts are whole components to the components.
void lg_label_sums_move(lg_label_sums *sums, lg_components *components);
void lg_label_sums_destroy(lg_label_sums *sums);

// The unit of intensities: 1 for integers. For floats it is 2^(E - 40), with E the smallest integer
// such that all finite samples of components have magnitudes below 2^E; 1 where all are zero or
// there are none. Samples become multiples of the unit, ties to even: at most 2^40 units, so that
// 2^40 squares fit 128 bits. The error of a sample is at most 2^(E - 41), and 0 for f16. `greatest`
// has the bits of the largest finite magnitude.
double lg_label_unit(lg_type type, uint32_t greatest);
// The bits of the largest finite magnitude of the samples of some runs.
uint32_t lg_label_greatest(const lg_image *intensity, const lg_label_runs *runs);

// The magnitude with these bits, of an f16 or f32.
float lg_label_magnitude(lg_type type, uint32_t bits);

#endif
