// Sums of components while they still are in parts. A part is added to by one thread only; parts are put
// together at the end.
#ifndef LG_LABEL_SUMS_H
#define LG_LABEL_SUMS_H

#include "measure/components/label_rows.h"

typedef struct lg_label_sums {
    int32_t width, height;
    const lg_image *intensity; // or NULL
    double scale;              // of samples of floats: 1 over the unit
    uint32_t parts;
    bool planes;               // components have one layer each, and parts are those of bands
    lg_component_basic *basic; // [parts] each, NULL where not asked for
    lg_component_second *second;
    lg_component_intensity *intensities;
} lg_label_sums;

// Runs of one row: columns [begin, end), the part that each is added to, and its label: of parts with the
// same label any may take its runs. Rows that follow each other keep `frequent`, a label that is looked for
// first, and the part that takes its runs.
typedef struct lg_label_runs {
    const lg_label_rows_table *table;
    size_t n;
    const int32_t *begin, *end;
    const uint32_t *part, *label;
    uint32_t first_part; // is added to `part`
    int32_t y, z;
    uint32_t frequent, frequent_part;
    int32_t *others; // scratch, [n + LG_LABEL_SLACK]
} lg_label_runs;

// `unit`: see lg_label_unit.
lg_status lg_label_sums_create(const lg_label_task *task, int32_t width, int32_t height,
                               double unit, uint32_t parts, lg_label_sums *out, lg_error *error);
size_t lg_label_sums_bytes(const lg_label_task *task, uint32_t parts);
void lg_label_sums_add(lg_label_sums *sums, lg_label_runs *runs);

// Adds part i of one to part i of the other, for i in [first, end).
void lg_label_sums_merge(lg_label_sums *to, const lg_label_sums *from, uint32_t first,
                         uint32_t end);
// Adds the parts of each label and gives the sums to the components. label[part] is 1 to count, and new
// labels come in order.
void lg_label_sums_finish(lg_label_sums *sums, const uint32_t *label, lg_components *components);
// Gives sums whose parts are components to these.
void lg_label_sums_move(lg_label_sums *sums, lg_components *components);
void lg_label_sums_destroy(lg_label_sums *sums);

// The unit of intensities: 1 for integers. For floats 2^(E - 40), with E the smallest integer such that all
// finite samples of components have magnitudes below 2^E; 1 where these are zeros, or none. Samples become
// multiples of it, ties to even: at most 2^40 units, so that 2^40 squares fit 128 bits. A sample is off by at
// most 2^(E - 41); halves are never off. `greatest`: the bits of the greatest finite magnitude.
double lg_label_unit(lg_type type, uint32_t greatest);
// Of the samples of some runs.
uint32_t lg_label_greatest(const lg_image *intensity, const lg_label_runs *runs);

// The magnitude of these bits, of halves or floats.
float lg_label_magnitude(lg_type type, uint32_t bits);

#endif
