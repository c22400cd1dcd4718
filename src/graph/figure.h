// Figures of images: what one is made from, and how several of them are measured. docs/architecture.md,
// Measured parameters.
#ifndef LG_FIGURE_H
#define LG_FIGURE_H

#include "graph/nodes.h"
#include "measure/moments/moments.h"

// What of an image a figure is made from.
typedef enum lg_figure_source {
    LG_SOURCE_SUMS,       // exact sums
    LG_SOURCE_COUNTS,     // counts of bytes
    LG_SOURCE_BINS,       // other counts, from which percentiles follow
    LG_SOURCE_CURVE,      // other counts, from which curves follow
    LG_SOURCE_LEVEL,      // Otsu's level of those
    LG_SOURCE_PIXEL,      // the first one
    LG_SOURCE_COMPONENTS, // connected ones
} lg_figure_source;

// A figure that is wanted of an image, by a stage or by the caller.
typedef struct lg_figure_task {
    const lg_figure *figure;
    const lg_image *image;
    int slot;        // of a plan: where the image is. During a run it is written once
    int stage;       // that needs it
    int node, index; // of a parameter: its node, and which of the node's figures it is
    float number[4]; // what was measured: four numbers, or the same number four times
    float *curve;    // where a curve goes instead
    uint64_t target; // on the device: the address of these, and of those kept for the next run
    uint64_t previous;
    bool done;
} lg_figure_task;

// A device makes sums of bytes from their counts.
lg_figure_source lg_figure_source_of(const lg_image_params *shape, const lg_figure *figure,
                                     bool on_device);

// Whether two figures follow from one measurement.
bool lg_figures_share(const lg_figure_task *a, const lg_figure_task *b, bool on_device);

// Measures figures on the host, of images there or on the context's device: the first `wanted` that are not
// done, and what of the others shares with them. The context's report stays.
lg_status lg_figures_measure(lg_context *context, lg_figure_task *tasks, int wanted, int count,
                             lg_error *error);

// ---- what an image offers; graph/figure.c -------------------------------------------------------

// Where a component is among the measured channels of an image; -1: it is 1.
int lg_figure_channel(const lg_image_params *shape, int component);

// What of a pixel a figure picks: a component, luma (4) of a colour, or all (-1).
int lg_figure_component(const lg_image_params *shape, const lg_figure *figure);

// The channel that number i of a figure is of, 0 for luma; -1: the number is 1.
int lg_figure_channel_of(const lg_image_params *shape, const lg_figure *figure, int i);

// Whether it is of the luma of colours, and how samples are counted for it.
bool lg_figure_is_of_luma(const lg_image_params *shape, const lg_figure *figure);
lg_histogram_params lg_figure_counting(const lg_image_params *shape, const lg_figure *figure);

// Whether graph/figure_sums.h holds for so many samples; and the exponent of a unit of their bits.
bool lg_figure_has_sums(const lg_image_params *shape);
int lg_figure_unit(lg_type type);

// What is 1 in units of colours, in stored units.
uint32_t lg_figure_scale(lg_type type);

// ---- on the host --------------------------------------------------------------------------------

// A figure of the sums of a channel of such an image; graph/figure_sums.c.
float lg_figure_of_state(const lg_moments_state *state, const lg_image_params *shape,
                         lg_figure_kind kind);

// The shape of a measured curve of such an image, and its numbers; graph/curve.c.
lg_table lg_curve_table(const lg_image_params *shape, const lg_figure *figure);
lg_status lg_curve_make(const lg_image_params *shape, const lg_figure *figure,
                        const lg_histogram *counts, float *out, lg_error *error);

#endif
