// Filters that a native filter runs on the CPU, as a plan would.
#ifndef LG_NATIVE_INNER_H
#define LG_NATIVE_INNER_H

#include "filter/native.h"

#define LG_INNER_VALUES 16 // of such a filter, at most

// Its defaults, and one of its parameters.
void lg_inner_defaults(const lg_filter *f, float values[LG_INNER_VALUES]);
void lg_inner_set(const lg_filter *f, float values[LG_INNER_VALUES], const char *name, float value);

// gaussian_blur with these parameters: an image of the call to an image, and the rows that it needs.
typedef struct lg_inner_blur {
    float sigma, border;
} lg_inner_blur;
lg_status lg_inner_blur_run(const lg_native_call *call, lg_inner_blur blur, const lg_image *in,
                            lg_image *out);
lg_row_reach lg_inner_blur_reach(float sigma, const lg_image_params *in);

// A stage of one filter, all layers. Windows take their border from it.
typedef struct lg_inner_stage {
    const lg_filter *filter;
    const float *values;
    const lg_image *in, *over; // over: the second image of a blend, or NULL
    lg_image *out;
    float border;
    const char *what; // names the rows in an error
} lg_inner_stage;
lg_status lg_inner_stage_run(const lg_native_call *call, const lg_inner_stage *stage);

#endif
