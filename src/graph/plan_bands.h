// The walk of a plan down an image in bands, whose three steps may overlap: rows of a band are fetched, the
// band is computed, its rows are stored.
#ifndef LG_PLAN_BANDS_H
#define LG_PLAN_BANDS_H

#include <lumagraph/bands.h>

#include "graph/plan_rows.h"

#define LG_BAND_SIDES                                                                              \
    2 // of a context: one side is computed, while another one is fetched or stored

// Windows of the inputs, and images of the outputs, of one band.
typedef struct lg_band_side {
    lg_image *in[LG_MAX_INPUTS];  // or the caller's whole images
    int64_t first[LG_MAX_INPUTS]; // row of the image that the window begins with
    int64_t end[LG_MAX_INPUTS];   // behind its last row
    lg_image *out[LG_MAX_INPUTS];
} lg_band_side;

typedef struct lg_band_walk {
    lg_plan *plan;
    const lg_bands_params *params;
    lg_row_reach *of; // of each slot
    lg_row_reach inputs[LG_MAX_INPUTS];
    bool by_rows[LG_MAX_INPUTS];
    int contexts; // that compute bands at the same time
    int sides; // 1, or LG_BAND_SIDES of each context where steps overlap; band k has side k % sides
    lg_band_side *side;
    int64_t height, rows;   // of the image, of a band
    int64_t begin, end_row; // rows that are written
    int64_t top, bottom;    // rows that the pass goes through
    int64_t bands, done;    // in all passes; for progress
    double told;            // part of the run
    lg_engine_report report;
    lg_stage_profile *stages; // sums over the bands
} lg_band_walk;

// Of the pass.
static inline int64_t lg_band_count(const lg_band_walk *w)
{
    return (w->bottom - w->top + w->rows - 1) / w->rows;
}

// Takes and checks what the caller gave.
lg_status lg_bands_take(const lg_plan *plan, const lg_bands_params *params, lg_bands_params *out,
                        lg_error *error);
// The height of bands, and then the images of all sides. The walk has its plan, its parameters and its
// contexts; it is to be ended after a failure, too. `inputs` as for lg_plan_run_bands.
lg_status lg_band_walk_begin(lg_band_walk *w, lg_image *const *inputs, lg_error *error);
lg_status lg_band_walk_make(lg_band_walk *w, lg_image *const *inputs, lg_error *error);
void lg_band_walk_end(lg_band_walk *w);
// The rows that the pass of w->plan goes through.
void lg_band_walk_rows(lg_band_walk *w);
// Band k, as its side has it.
lg_plan_band lg_band_at(const lg_band_walk *w, int64_t k);

// The steps of band k of a pass. Each is called for k = 0, 1, 2 ...; fetching band k needs band k - sides
// to be computed, computing it needs band k - sides to be stored.
lg_status lg_band_fetch(lg_band_walk *w, int64_t k, lg_error *error);
lg_status lg_band_compute(lg_band_walk *w, int64_t k, lg_error *error);
lg_status lg_band_store(lg_band_walk *w, int64_t k, lg_error *error);

// All bands of a pass: fetched by a thread, computed by this one, stored by another thread. The error is the
// one that the steps one after another would give. *started is false where the system gives no threads: then
// nothing was done.
lg_status lg_bands_overlap(lg_band_walk *w, bool *started, lg_error *error);

#endif
