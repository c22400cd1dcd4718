// Labelling on the CPU, one row at a time: the kernels of every instruction-set level.
//
// A row is bits, one for each pixel, 64 to a word, zero beyond the width. A run is a stretch of foreground;
// runs are numbered in raster order over the whole image. Where equal values join, runs touch each other, and
// a second row of bits says where they start; else they start after background, and `starts` is NULL.
#ifndef LG_LABEL_ROWS_H
#define LG_LABEL_ROWS_H

#include "measure/components/component_sums.h"
#include "measure/threshold/threshold.h"

typedef struct lg_label_rule {
    lg_type type;
    lg_foreground foreground;
    lg_cut cut;
    bool inverted; // background instead
} lg_label_rule;

typedef struct lg_label_row {
    const uint64_t *bits, *starts;
    uint32_t first; // number of its first run
} lg_label_row;

// Rows that touch. Where equal values join, `equal` has the bits of pixels that are equal to the one above,
// and `lean` is 1 when these are compared with the pixel at the left above, -1 at the right above.
typedef struct lg_label_contact {
    lg_label_row above, row;
    size_t words;
    bool corners; // runs that touch at a corner join
    const uint64_t *equal;
    int lean;
} lg_label_contact;

typedef struct lg_label_pair {
    uint32_t above, run;
} lg_label_pair;

// Sums over the runs of one label in one row.
typedef struct lg_label_share {
    uint64_t area, twice; // twice: 2 times the sum of x
    uint32_t low, high;   // columns [low, high) of all; low is UINT32_MAX where there are none
} lg_label_share;

// Labels of runs go to kernels with one element before the first run and this many behind the last.
#define LG_LABEL_SLACK 16

typedef struct lg_label_rows_table {
    void (*foreground)(const lg_label_rule *rule, const void *samples, size_t n, uint64_t *bits);
    // Where samples of two rows have the same bits.
    void (*equal)(lg_type type, const void *a, const void *b, size_t n, uint64_t *bits);
    size_t (*count)(const uint64_t *bits, const uint64_t *starts, size_t words); // runs
    // Joins the runs of a row with those above. parent[i] <= i leads to the first run of i's component.
    void (*join)(const lg_label_contact *contact, uint32_t *parent);
    // The same as a list of pairs; returns how many, at most as many as both rows have runs.
    size_t (*pairs)(const lg_label_contact *contact, lg_label_pair *out);
    // Parents to numbers 0, 1, ... of components; parents of runs [0, n) are counted from `base`.
    uint32_t (*flatten)(uint32_t *parent, uint32_t base, size_t n);
    // Runs as [begin, end); returns how many. Up to LG_LABEL_SLACK elements more are written.
    size_t (*extents)(const uint64_t *bits, const uint64_t *starts, size_t words, int32_t *begin,
                      int32_t *end);
    // Sums up those of n runs that have `label`, and lists the indices of the others; returns how many these
    // are. Up to LG_LABEL_SLACK elements more are written.
    size_t (*share)(size_t n, const int32_t *begin, const int32_t *end, const uint32_t *labels,
                    uint32_t label, lg_label_share *share, int32_t *others);
    // Labels of a row's pixels, up to the next multiple of 16. label[1] is the first run's.
    void (*write)(const uint64_t *bits, const uint64_t *starts, size_t width, const uint32_t *label,
                  uint32_t *out, bool stream);
    void (*fence)(void); // streamed stores become visible to other threads
} lg_label_rows_table;

#endif
