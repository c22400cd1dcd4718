// Tables of components that `label --state` measured.
#include "label_run.h"
#include "layer_options.h"
#include "merged.h"
#include "state_files.h"

#include <lumagraph/label_accumulator.h>

#include <stdlib.h>
#include <string.h>

// A state has numbers, boxes, moments and intensities; shapes are counted from the labels of a whole image.
static lg_status plan_table(lg_session *session, const lg_input_file *file,
                            const lg_label_table *first, lg_label_run *run, lg_error *error)
{
    const lg_options *options = session->options;
    const unsigned without = LG_NEEDS_SHAPE | (options->intensity ? 0 : LG_NEEDS_INTENSITY);
    const lg_label_preset *preset = lg_label_preset_at(options->preset < 0 ? 0 : options->preset);
    double pixel_size[3];
    lg_pixel_size_of(session, file, pixel_size);
    if (preset->background)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--preset %s has figures of the background, and a state has none",
                            preset->name);
    const lg_status status = lg_label_table_plan(options, file->image->shape.layers, pixel_size,
                                                 without, &run->table, error);
    return status ? status : lg_label_check_columns(session, first, &run->table, error);
}

// The levels, one for each line of them; `levels` holds all of one text.
static lg_status take_levels(const lg_state_input *in, lg_label_run *run, lg_error *error)
{
    int count = 0;
    for (const char *at = NULL; (at = lg_state_line(in->samples, at, "level")) != NULL;)
        count++;
    run->levels = calloc((size_t)count + 1, sizeof *run->levels);
    if (!run->levels)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the levels");
    for (const char *at = NULL; (at = lg_state_line(in->samples, at, "level")) != NULL;) {
        lg_threshold *level = &run->levels[run->level_count++];
        level->levels = 1;
        level->level[0] = strtod(at, NULL);
    }
    if (count == 0) {
        free(run->levels);
        run->levels = NULL;
    }
    return LG_OK;
}

static lg_status fill(lg_session *session, const lg_input_file *file, const lg_state_input *in,
                      lg_label_run *run, lg_error *error)
{
    lg_label_accumulator *a = NULL;
    lg_status status = lg_label_accumulator_load(in->saved[0].data, in->saved[0].size, &a, error);
    if (!status)
        status = lg_label_accumulator_finish(a, &run->components, error);
    lg_label_accumulator_destroy(&a);
    if (status)
        return status;
    status = lg_label_select(session, file, run, NULL, error);
    return status ? status : lg_label_table_fill(&run->table, run->components, NULL, error);
}

lg_status lg_label_report_state(lg_session *session, lg_input_file *file, const lg_state_input *in,
                                lg_label_table *first, lg_error *error)
{
    lg_label_run *run = calloc(1, sizeof *run);
    if (!run)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the components");
    lg_status status = plan_table(session, file, first, run, error);
    if (!status)
        status = take_levels(in, run, error);
    if (!status && (session->options->has_level != (run->levels != NULL)))
        status = lg_set_error(error, LG_ERROR_DATA, "its state has no levels");
    if (!status)
        status = fill(session, file, in, run, error);
    if (!status && session->done == 0)
        *first = run->table; // its columns
    if (!status)
        status = lg_label_report(session, file, run, error);
    lg_label_table_free(&run->table);
    lg_components_destroy(&run->components);
    free(run->levels);
    free(run);
    return status;
}
