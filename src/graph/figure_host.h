// What figures are made from on the host: figure_host.c of an image, figure_rows.c of rows.
#ifndef LG_FIGURE_HOST_H
#define LG_FIGURE_HOST_H

#include "graph/figure.h"
#include "graph/figure_components.h"
#include "measure/components/component_sums.h"

// What figures are made from, by their source.
typedef struct lg_measured {
    lg_figure_source source;
    lg_moments_state sums[LG_MAX_CHANNELS]; // SUMS, of each channel
    lg_histogram *counts;                   // COUNTS, BINS, CURVE
    float number[LG_MAX_CHANNELS];          // LEVEL, of each channel; PIXEL, its samples
    lg_largest largest;                     // COMPONENTS
    uint32_t components;                    // how many there are
} lg_measured;

// How figures of a source are measured, and how a number of one is made: of a channel, or number i.
typedef struct lg_figure_driver {
    lg_status (*measure)(lg_context *, const lg_figure_task *, lg_measured *, lg_error *);
    float (*number)(const lg_measured *, const lg_figure_task *, int);
    bool of_channels;
} lg_figure_driver;

extern const lg_figure_driver lg_figure_drivers[]; // by source

// Makes the numbers or the curve of a task.
lg_status lg_figure_make(const lg_measured *measured, lg_figure_task *task, lg_error *error);

// The colour above which samples are above a level of Otsu's.
float lg_figure_above_level(const lg_context *context, double level, lg_type type);
lg_largest lg_figure_largest(const lg_component_basic *best);

#endif
