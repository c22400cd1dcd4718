// What areasum found: the figures of every shape of one image.
#ifndef LG_TOOL_AREA_ANSWERS_H
#define LG_TOOL_AREA_ANSWERS_H

#include "area_shapes.h"
#include "session.h"

typedef struct lg_area_answers {
    const lg_area_shapes *shapes;
    lg_areasum_params params;
    lg_areasum_info info;
    double *values[LG_FIGURES]; // of a figure: [shape * channels + channel]
    int64_t *sums;         // likewise the exact sums of integers, instead of values[LG_AREA_SUM]
    uint64_t *counts;      // histograms: [(shape * channels + channel) * bins + bin]
    bool added;            // band by band, without a structure
    lg_type type;          // of the samples
    double smooth_unit;    // of smooth means
    lg_area_cover *covers; // of boxes that are turned
    double build, query;   // seconds
} lg_area_answers;

lg_status lg_area_answer(lg_session *session, lg_input_file *file, const lg_area_shapes *shapes,
                         lg_area_answers *out, lg_error *error);
// Percentile `index` of the options, of a row.
double lg_area_percentile(const lg_options *options, const lg_area_answers *answers, size_t row,
                          int index);
void lg_area_answers_free(lg_area_answers *answers);

// Adds them to the report of the session.
void lg_area_report(lg_session *session, const lg_input_file *file, const lg_area_answers *answers);

#endif
