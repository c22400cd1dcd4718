// Labelling on the CPU, one row at a time: the kernels of each instruction set.
//
// A row is a bit per pixel, 64 to a word, zero beyond the width. A run is a sequence of foreground
// pixels in a row; runs are numbered in raster order over the whole image. With
// LG_FOREGROUND_VALUES runs may be adjacent, and a second row of bits, `starts`, marks their first
// pixels. Otherwise a run starts after background, and `starts` is NULL.
#ifndef LG_LABEL_ROWS_H
#define LG_LABEL_ROWS_H

#include "measure/components/component_sums.h"
#include "measure/threshold/threshold.h"

typedef struct lg_label_rule {
    lg_type type;
    lg_foreground foreground;
    lg_cut cut;
    bool inverted; // the background is labelled instead
} lg_label_rule;

typedef struct lg_label_row {
    const uint64_t *bits, *starts;
    uint32_t first; // index of its first run
} lg_label_row;

// Adjacent rows. With LG_FOREGROUND_VALUES, `equal` marks pixels that equal the pixel above them.
// For comparisons with the pixel above on the left, `lean` is 1; above on the right, -1.
typedef struct lg_label_contact {
    lg_label_row above, row;
    size_t words;
    bool corners; // runs that touch only at a corner are joined
    const uint64_t *equal;
    int lean;
} lg_label_contact;

typedef struct lg_label_pair {
    uint32_t above, run;
} lg_label_pair;

// Sums over the runs of one label in one row.
typedef struct lg_label_share {
    uint64_t area, twice; // twice: 2 times the sum of x
    uint32_t low, high;   // all columns are in [low, high); low is UINT32_MAX without runs
} lg_label_share;

// Kernels get the labels of runs with one element before the first run and this many after the
// last.
#define LG_LABEL_SLACK 16

typedef struct lg_label_rows_table {
    void (*foreground)(const lg_label_rule *rule, const void *samples, size_t n, uint64_t *bits);
    // Marks where samples of two rows have the same bits.
    void (*equal)(lg_type type, const void *a, const void *b, size_t n, uint64_t *bits);
    size_t (*count)(const uint64_t *bits, const uint64_t *starts, size_t words); // runs
    // Joins the runs of a row with those above. parent[i] <= i leads to the first run of i's
    // component.
    void (*join)(const lg_label_contact *contact, uint32_t *parent);
    // The same as a list of pairs; returns their number, at most the number of runs in both rows.
    size_t (*pairs)(const lg_label_contact *contact, lg_label_pair *out);
    // Replaces parents of runs [0, n) by component numbers 0, 1, ...; parents count from `base`.
    uint32_t (*flatten)(uint32_t *parent, uint32_t base, size_t n);
    // Writes runs as [begin, end); returns their number. May write LG_LABEL_SLACK elements more.
    size_t (*extents)(const uint64_t *bits, const uint64_t *starts, size_t words, int32_t *begin,
                      int32_t *end);
    // Sums those of n runs that have `label` and lists the indices of the others; returns the
    // number of others. May write LG_LABEL_SLACK elements more.
    size_t (*share)(size_t n, const int32_t *begin, const int32_t *end, const uint32_t *labels,
                    uint32_t label, lg_label_share *share, int32_t *others);
    // Writes the labels of a row's pixels, up to the next multiple of 16. label[1] is that of the
    // first run.
    void (*write)(const uint64_t *bits, const uint64_t *starts, size_t width, const uint32_t *label,
                  uint32_t *out, bool stream);
    void (*fence)(void); // streamed stores become visible to other threads
} lg_label_rows_table;

#endif
