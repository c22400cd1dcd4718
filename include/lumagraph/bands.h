// lumagraph: plans that run in bands of rows, from the top of an image to its bottom, so that images may be
// larger than the memory.
#ifndef LUMAGRAPH_BANDS_H
#define LUMAGRAPH_BANDS_H

#include <lumagraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

// As lg_plan_create, for lg_plan_run_bands alone: the plan has no memory for whole images.
LG_API lg_status lg_plan_create_bands(lg_context *context, const lg_graph *graph,
                                      const lg_image_params *shapes, size_t count,
                                      const lg_type *types, lg_plan **out, lg_error *error);

// NULL: the plan can run in bands, with input `input` read by rows. Otherwise why it cannot, as the rest of
// a sentence whose subject is that input: a filter takes pixels from everywhere, a figure does not follow
// from sums and counts of rows or is of several layers, outputs have different heights. LG_MAX_INPUTS inputs
// at most; valid as long as the plan.
LG_API const char *lg_plan_needs_whole(const lg_plan *plan, size_t input);

// How many times lg_plan_run_bands goes through its inputs: once, and once more in front of it for each stage
// with figures (`@mean`): the stages before it run, and what bands have is added. Figures that are only
// asked for (lg_graph_figure) take no pass of their own. NULL: 0.
LG_API size_t lg_plan_band_passes(const lg_plan *plan);

typedef struct lg_bands_params {
    size_t size; // sizeof(lg_bands_params) of the caller; the defaults set it
    // Fills all rows of an image, of all its layers, from row y of input `input` on. Rows are asked for
    // once each, in order, and all of them again from row 0 on in each further pass
    // (lg_plan_band_passes).
    lg_status (*read)(void *priv, size_t input, int64_t y, lg_image *rows, lg_error *error);
    // Takes all rows of an image, of all its layers, from row y of output `output` on; rows come once
    // each, in order.
    lg_status (*write)(void *priv, size_t output, int64_t y, const lg_image *rows, lg_error *error);
    void *priv;
    int64_t
        rows; // of a band; 0: enough for all threads, if `memory` holds them; at most 32 MiB of an image
    size_t
        memory; // bytes for the pixels of all images of the run, on the host or the device; 0: 1 GiB
    // Rows first .. end - 1 of the outputs are written, and no others computed; end 0: all. `read` is then
    // asked from the first row on that these need. Figures are of all rows all the same.
    int64_t first, end;
    bool overlap; // `read` and `write` are called on threads of their own, while bands are computed
} lg_bands_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_bands_params_init(lg_bands_params *params, size_t size);

// No functions; rows and memory 0, no overlap.
static inline lg_bands_params lg_bands_params_default(void)
{
    lg_bands_params params;
    lg_bands_params_init(&params, sizeof params);
    return params;
}

// Runs a plan in bands. Pixels are those of lg_plan_run on whole images, bit for bit, whatever the height
// of the bands. inputs[k] is a whole image, or NULL: its rows come from `read`. `inputs` NULL: all do.
// `write` gets the rows of all outputs. Both are called on the caller's thread, between computations; with
// `overlap` each of them on a thread of its own, which blocks signals: the next band is read and the last
// one written while a band is computed, and two bands of each input and output are in memory. Where the
// system gives no threads, or the image is one band, all goes on on the caller's. When `read` or `write`
// fails, bands in front of that one are still computed and written, and its error is that of the call.
// Images that stages pass on hold a band, and the rows above and below it that later stages need. The
// context's report and lg_plan_profile are of all bands, and its progress is that of the whole run. Errors:
// LG_ERROR_UNSUPPORTED (lg_plan_needs_whole), LG_ERROR_LIMIT (a band of one row takes more than
// `memory`), those of `read` and `write`, those of lg_plan_run.
LG_API lg_status lg_plan_run_bands(lg_plan *plan, lg_image *const *inputs,
                                   const lg_bands_params *params, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
