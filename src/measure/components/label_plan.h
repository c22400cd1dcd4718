// One labelling on the CPU. All threads label bands of rows; then the bands are joined.
#ifndef LG_LABEL_PLAN_H
#define LG_LABEL_PLAN_H

#include "engine/tile.h"
#include "measure/components/label_rows.h"

typedef struct lg_label_plan {
    lg_context *context;
    const lg_label_task *task;
    const lg_label_rows_table *table;
    lg_label_rule rule;
    int connectivity;
    int32_t width, height, layers;
    int64_t rows; // of all layers
    size_t words; // of a row of bits
    uint64_t *bits, *starts;
    uint32_t *first;    // [rows + 1] index of the first run of a row
    uint32_t *parent;   // [runs] later the index of the run's component in its band
    lg_labels *keeper;  // labels that keep the memory of `parent` for the next call; or NULL
    size_t parent_size; // bytes
    size_t bands;
    int64_t band_rows;
    uint32_t *band_parts; // [bands + 1] number of components in earlier bands
    uint32_t *label;      // [components of all bands] labels
    uint32_t count;
} lg_label_plan;

// Does everything up to the labels of the bands' components. `connectivity` and `inverted` may
// differ from the task's. After an error nothing is left to destroy. `keeper` may be NULL.
lg_status lg_label_plan_create(lg_context *context, const lg_label_task *task, int connectivity,
                               bool inverted, lg_labels *keeper, lg_label_plan *out,
                               lg_error *error);
void lg_label_plan_destroy(lg_label_plan *plan);

// In jobs of many rows, as those of bands are: where images are in scratch files their pages are let go of
// from time to time.
static inline void lg_label_plan_relieve(const lg_label_plan *p, int64_t row)
{
    if (row % 4 == 0)
        lg_context_relieve(p->context);
}

static inline lg_label_row lg_label_plan_row(const lg_label_plan *p, int64_t row)
{
    return (lg_label_row){p->bits + (size_t)row * p->words,
                          p->starts ? p->starts + (size_t)row * p->words : NULL, p->first[row]};
}

static inline int64_t lg_label_band_begin(const lg_label_plan *p, size_t band)
{
    return LG_MIN((int64_t)band * p->band_rows, p->rows);
}

// The bands as tiles: the index of a tile is that of its band.
static inline lg_tiling lg_label_bands(const lg_label_plan *p)
{
    return (lg_tiling){.height = p->rows, .band = p->band_rows};
}

// The size of a buffer for the labels of one row's runs.
static inline size_t lg_label_row_labels(const lg_label_plan *p)
{
    return lg_align_up((size_t)p->width + 1 + LG_LABEL_SLACK, 16);
}

// Writes the labels of a row's runs to out[1] and on; out[0] and the slack become 0.
static inline size_t lg_label_plan_labels(const lg_label_plan *p, size_t band, int64_t row,
                                          uint32_t *out)
{
    const uint32_t *part = p->parent + p->first[row];
    const uint32_t *label = p->label + p->band_parts[band];
    const size_t n = p->first[row + 1] - p->first[row];
    out[0] = 0;
    for (size_t i = 0; i < n; i++)
        out[1 + i] = label[part[i]];
    for (size_t i = 0; i < LG_LABEL_SLACK; i++)
        out[1 + n + i] = 0;
    return n;
}

#endif
