// Components of an image whose rows are labelled in parts: what is kept. As bytes: label_accumulator_file.c.
#ifndef LG_LABEL_SEGMENTS_H
#define LG_LABEL_SEGMENTS_H

#include "core/sorted_file.h"
#include "measure/accumulator.h"
#include "measure/components/label_layers.h"
#include "measure/components/label_links.h"
#include "measure/components/label_shapes.h"
#include "measure/components/label_sums.h"

#include <lumagraph/label_parts.h>

// A run of foreground in the first or last row of a segment.
typedef struct lg_border_run {
    int32_t begin, end; // columns
    uint32_t value;     // of its samples, as bits, where only equal ones are connected; else 0
    uint32_t part;
} lg_border_run;

typedef struct lg_row_border {
    lg_border_run *runs;
    size_t count;
} lg_row_border;

// Rows that follow each other, counted through all layers.
typedef struct lg_label_segment {
    int64_t first, end;
    lg_row_border top, bottom;
} lg_label_segment;

// Rows as they were added: their labels 1, 2 ... are the parts `base` and on.
typedef struct lg_label_band {
    int64_t first, end;
    uint32_t base, count;
} lg_label_band;

// Rows of bands that follow each other in one layer.
typedef struct lg_label_run_of_rows {
    int64_t first, end;
} lg_label_run_of_rows;

// Takes a component that no row to come joins: the part that it is.
typedef lg_status (*lg_component_fn)(void *priv, const lg_label_accumulator *a, uint32_t part,
                                     lg_error *error);

struct lg_label_accumulator {
    lg_covered_region region;
    lg_label_params params;     // of one piece: connectivity 4 or 8
    int connectivity;           // that was asked for
    lg_type intensity;          // LG_TYPES: none
    uint32_t greatest;          // bits of the largest magnitude of float intensities
    bool looked;                // for it
    lg_label_segment *segments; // ascending, apart
    size_t segment_count, segment_capacity;
    lg_label_band *bands;
    size_t band_count, band_capacity;
    uint32_t *parent; // of parts; parent[i] <= i, those of a component lead to the same
    uint32_t parts, part_capacity;
    lg_label_sums sums; // of parts that are their own parent
    uint32_t *label;    // of parts, once asked for
    uint32_t count;     // of components of the whole, likewise
    bool numbered;      // labels are those of these rows, by their order
    uint32_t *place;    // of parts in shapes->label, from 1; NULL: it is the label
    lg_label_shapes *shapes;
    lg_label_run_of_rows *runs; // of the rows that were added here
    size_t run_count, run;      // the one that is counted
    int64_t shape_row;          // the next row that is counted
    lg_row_border *before,
        *here;            // of a volume: rows of the layer before, and of this one; else NULL
    lg_component_fn take; // of components that are complete; NULL: all are parts
    void *take_priv;
    uint64_t taken;           // how many were
    bool ended;               // there are no more rows
    lg_sorted_file *closed;   // that were taken, or NULL
    uint8_t *record;          // room for one of these
    lg_label_links *links;    // labels of the bands that they were of, or NULL
    lg_label_layers *layered; // shapes that are counted from these labels
};

uint32_t lg_label_accumulator_root(const lg_label_accumulator *a, uint32_t part);
// Room for more parts, segments and bands; nothing else changes.
lg_status lg_label_accumulator_reserve(lg_label_accumulator *a, uint64_t parts, size_t segments,
                                       size_t bands, lg_error *error);
// Whether rows first .. end - 1, counted through all layers, are not there yet; else LG_ERROR_ARGUMENT.
lg_status lg_label_accumulator_check_free(const lg_label_accumulator *a, int64_t first, int64_t end,
                                          lg_error *error);
void lg_label_segment_free(lg_label_segment *s);
// Joins runs that have pixels above each other, or at a corner where `corner` is 1.
void lg_label_accumulator_join_runs(lg_label_accumulator *a, const lg_row_border *above,
                                    const lg_row_border *below, int32_t corner);
// Volumes: label_accumulator_volume.c. Rows come from top to bottom, layer by layer.
lg_status lg_label_accumulator_make_layers(lg_label_accumulator *a, lg_error *error);
void lg_label_accumulator_free_layers(lg_label_accumulator *a);
// The runs of rows y .. y + count - 1 of the next layer become the accumulator's, and join those of the layer
// before. What no row to come touches is dropped.
void lg_label_accumulator_join_layers(lg_label_accumulator *a, lg_row_border *rows, int64_t y,
                                      int64_t count);
// Calls fn for every run that rows to come may touch.
void lg_label_accumulator_each_run(lg_label_accumulator *a,
                                   void (*fn)(void *priv, lg_border_run *run), void *priv);
// Refuses a volume, for `what`.
lg_status lg_label_accumulator_check_plane(const lg_label_accumulator *a, const char *what,
                                           lg_error *error);
// As lg_label_accumulator_add. `kept`, NULL or dense labels of the whole image, gets the labels of the rows
// among themselves; lg_label_accumulator_renumber turns them into those of the image.
lg_status lg_label_accumulator_add_kept(lg_context *context, lg_label_accumulator *a,
                                        const lg_image *rows, const lg_image *intensity, int64_t y,
                                        int64_t layer, lg_labels *kept, lg_error *error);
lg_status lg_label_accumulator_renumber(lg_context *context, lg_label_accumulator *a,
                                        lg_labels *kept, lg_error *error);
// Puts a segment where it belongs, whose borders become the accumulator's, and joins it with its neighbours.
// There is room, and it does not overlap.
void lg_label_accumulator_insert(lg_label_accumulator *a, const lg_label_segment *segment);
uint32_t lg_label_accumulator_roots(const lg_label_accumulator *a); // parts that are components
// The parts that are components, by their first pixels; lg_free() it. NULL: no memory.
uint32_t *lg_label_accumulator_order(const lg_label_accumulator *a, uint32_t *count,
                                     lg_error *error);
// Numbers the components, unless they have labels already.
lg_status lg_label_accumulator_number(lg_label_accumulator *a, lg_error *error);
// Shapes are counted from labels: label_accumulator_shapes.c. `prepare` behind lg_label_accumulator_number.
lg_status lg_label_accumulator_prepare_shapes(lg_label_accumulator *a, lg_error *error);
int64_t lg_label_accumulator_next_row(const lg_label_accumulator *a); // that is counted
bool lg_label_accumulator_counted(const lg_label_accumulator *a);     // all rows that were added
// Before rows of a band are counted.
lg_status lg_label_accumulator_begin_rows(lg_label_accumulator *a, lg_error *error);
// The next row: as it was labelled with its band alone, and then as it is in the whole.
void lg_label_accumulator_place_row(const lg_label_accumulator *a, const lg_label_band *band,
                                    const uint32_t *row);
void lg_label_accumulator_count_row(lg_label_accumulator *a, const uint32_t *labels);
void lg_label_accumulator_free_shapes(lg_label_accumulator *a);
// Rows come from top to bottom from now on, and components are taken when they are complete. There are no
// rows yet. label_accumulator_scratch.c.
void lg_label_accumulator_fold(lg_label_accumulator *a, lg_component_fn take, void *priv);
// Takes components that are complete behind the rows added last. Labels of bands are lost.
lg_status lg_label_accumulator_close(lg_label_accumulator *a, lg_error *error);
// Takes all that are left; nothing can be added any more.
lg_status lg_label_accumulator_end(lg_label_accumulator *a, lg_error *error);
// Labels of rows of an accumulator with links, whose own labels are `labels`; shapes are counted on the way.
lg_status lg_label_accumulator_link_labels(lg_label_accumulator *a, int64_t first,
                                           lg_labels *labels, lg_error *error);
// Refuses an accumulator whose components are taken, for `what`.
lg_status lg_label_accumulator_check_held(const lg_label_accumulator *a, const char *what,
                                          lg_error *error);
// Room for the figures of so many components of the accumulator.
lg_status lg_label_accumulator_make(const lg_label_accumulator *a, uint32_t count,
                                    lg_components **out, lg_error *error);
bool lg_label_accumulator_copy_border(const lg_row_border *from, uint32_t add, lg_row_border *out);

#endif
