// Figures of images: their sources, and how several are measured together. docs/architecture.md,
// Measured parameters.
#ifndef LG_FIGURE_H
#define LG_FIGURE_H

#include "graph/nodes.h"
#include "measure/moments/moments.h"

#define LG_NO_SAMPLES "a measured parameter has no value: no samples"

// The measurement of an image from which a figure is made.
typedef enum lg_figure_source {
    LG_SOURCE_SUMS,   // exact sums
    LG_SOURCE_COUNTS, // counts of bytes
    LG_SOURCE_BINS,   // other counts, for percentiles
    LG_SOURCE_CURVE,  // other counts, for curves
    LG_SOURCE_LEVEL,  // Otsu's level, for images other than of bytes
    LG_SOURCE_VALUES, // on a device, counts of integers or halves of 16 bits for some of those above
    LG_SOURCE_PIXEL,  // the first pixel
    LG_SOURCE_COMPONENTS, // connected components
} lg_figure_source;

// A figure to measure, for a stage or for the caller.
typedef struct lg_figure_task {
    const lg_figure *figure;
    const lg_image *image;
    const lg_select *select; // NULL: all pixels
    int slot;                // the image's slot in the plan. A run writes it once
    int stage;               // the stage that needs the figure
    int node, index;         // for a parameter: its node, and the index among that node's figures
    float number[4];         // the result: four numbers, or one number four times
    float *curve;            // the result of a curve
    uint64_t target;         // device address of the result, and of the one kept for the next run
    uint64_t previous;
    uint64_t refused; // device address of a word that becomes 1 where the figure has no value
    bool done;
} lg_figure_task;

// The source of a figure. For bytes, and for luma of 16 bits, a device uses counts in place of sums.
lg_figure_source lg_figure_source_of(const lg_image_params *shape, const lg_figure *figure,
                                     bool on_device);

// Whether it is one of counts of 16 bits: of luma, a percentile, a level; of f16 a percentile.
bool lg_figure_counts_values(const lg_image_params *shape, const lg_figure *figure);

// Whether one measurement gives both figures.
bool lg_figures_share(const lg_figure_task *a, const lg_figure_task *b, bool on_device);

// Measures figures on the host, of images there or on the context's device: the first `wanted` that
// are not done, and any others that share a measurement with them. The context's report is
// unchanged.
lg_status lg_figures_measure(lg_context *context, lg_figure_task *tasks, int wanted, int count,
                             lg_error *error);

// ---- by rows --------------------------------------------------------------------------------------

// What was measured of some rows of images, for each of so many tasks. Sums and counts of rows add up.
typedef struct lg_figure_bands lg_figure_bands;

// Why a figure is of a whole image of this shape, as a clause; NULL: it is not.
const char *lg_figure_needs_whole(const lg_image_params *shape, const lg_figure *figure);

// Whether all rows are looked at in front, for the range of its bins.
bool lg_figure_looks(const lg_image_params *shape, const lg_figure *figure);

// `tasks` have whole images, of which the shapes are looked at.
lg_status lg_figure_bands_create(const lg_figure_task *tasks, int count, lg_figure_bands **out,
                                 lg_error *error);
void lg_figure_bands_destroy(lg_figure_bands **figures);
// Whether rows are only looked at so far: all of them, before they are added. Behind the last one `looked`
// ends that.
bool lg_figure_bands_look(const lg_figure_bands *figures);
void lg_figure_bands_looked(lg_figure_bands *figures);
// Adds the rows of images[i], of task i, which begin with row first[i] of its image, from top to bottom.
// NULL: none.
lg_status lg_figure_bands_add(lg_context *context, lg_figure_bands *figures,
                              const lg_figure_task *tasks, lg_image *const *images,
                              const int64_t *first, lg_error *error);
// Makes the numbers and curves of all tasks.
lg_status lg_figure_bands_finish(const lg_context *context, lg_figure_bands *figures,
                                 lg_figure_task *tasks, lg_error *error);

// ---- what an image offers; graph/figure.c -------------------------------------------------------

// The index of a colour component among the measured channels of an image; -1: the component is 1.
int lg_figure_channel(const lg_image_params *shape, int component);

// What a figure picks from a pixel: a component, the luma of a colour (4), or all components (-1).
int lg_figure_component(const lg_image_params *shape, const lg_figure *figure);

// The channel of number i of a figure, 0 for luma; -1: the number is 1.
int lg_figure_channel_of(const lg_image_params *shape, const lg_figure *figure, int i);

// Whether a figure is of the luma of colours, and the parameters for counting its samples.
bool lg_figure_is_of_luma(const lg_image_params *shape, const lg_figure *figure);
lg_histogram_params lg_figure_counting(const lg_image_params *shape, const lg_figure *figure);

// Whether graph/figure_sums.h can hold the sums of so many samples, and the exponent of their unit.
bool lg_figure_has_sums(const lg_image_params *shape);
int lg_figure_unit(lg_type type);

// The stored value of 1 in units of colours.
uint32_t lg_figure_scale(lg_type type);

// ---- on the host --------------------------------------------------------------------------------

// A figure from the sums of a channel; graph/figure_sums.c.
float lg_figure_of_state(const lg_moments_state *state, const lg_image_params *shape,
                         lg_figure_kind kind);

// A percentile of counted samples, in colours of which 1 is stored as `scale`; NaN without samples.
// graph/figure_ranks.c.
float lg_figure_percentile(const lg_histogram_channel *counts, uint32_t scale, uint32_t billionths);

// The shape and the numbers of a measured curve; graph/curve.c.
lg_table lg_curve_table(const lg_image_params *shape, const lg_figure *figure);
lg_status lg_curve_make(const lg_image_params *shape, const lg_figure *figure,
                        const lg_histogram *counts, float *out, lg_error *error);

#endif
