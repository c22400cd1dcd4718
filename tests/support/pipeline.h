// A pipeline of text as a plan.
#ifndef LG_TEST_PIPELINE_H
#define LG_TEST_PIPELINE_H

#include "core/core.h"

typedef struct pipeline {
    lg_plan *plan;
    lg_image_params out;
} pipeline;

// `count`: 1 or 2 images, #in and #over. `type` of the output, NULL: that of the first image.
lg_status pipeline_try(pipeline *p, lg_context *context, const char *text,
                       const lg_image_params *shapes, int count, const lg_type *type,
                       lg_error *error);
// The same; an error is a failed check and false.
bool pipeline_open(pipeline *p, lg_context *context, const char *text,
                   const lg_image_params *shapes, int count, const lg_type *type);
void pipeline_close(pipeline *p);

// Runs a pipeline so often. *out is made where it is NULL; after an error it is what it was.
lg_status pipeline_run(lg_context *context, const char *text, const lg_image *const *in, int count,
                       lg_type type, int times, lg_image **out, lg_error *error);

#endif
