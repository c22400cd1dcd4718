// lumagraph areasum
#include "area_bands.h"
#include "file_bands.h"

#include <string.h>

// Boxes through several layers are volumes.
static lg_status check_depth(const lg_input_file *file, const lg_area_shapes *shapes,
                             lg_error *error)
{
    bool deep = false;
    for (size_t i = 0; i < shapes->count && shapes->kind == LG_SHAPES_BOXES && shapes->dims == 3;
         i++)
        deep |= shapes->bounds[6 * i + 5] - shapes->bounds[6 * i + 2] > 1;
    deep |= shapes->kind != LG_SHAPES_BOXES && file->image->shape.layers > 1 && shapes->layers != 1;
    return deep
               ? lg_check_volume(file, "take boxes of one layer, or a file for each channel", error)
               : LG_OK;
}

static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    lg_area_shapes *shapes = priv;
    lg_area_answers answers;
    lg_status status = session->arrays
                           ? lg_area_ranges_fit(session->options, shapes, &file->array, error)
                           : lg_area_shapes_fit(shapes, &file->image->shape, error);
    if (status == LG_OK && !session->arrays)
        status = check_depth(file, shapes, error);
    if (status == LG_OK && session->states)
        return lg_area_state(session, file, shapes, error);
    if (status == LG_OK)
        status = (file->rows ? lg_area_in_bands : lg_area_answer)(session, file, shapes, &answers,
                                                                  error);
    if (status != LG_OK)
        return status;
    if (answers.params.counts_above && !session->arrays)
        lg_note_level(session, file, answers.params.above);
    lg_area_report(session, file, &answers);
    lg_area_answers_free(&answers);
    return LG_OK;
}

// Boxes of ranges are those of arrays: what is of images does not go with them.
static bool check_arrays(const lg_options *options)
{
    const char *what = options->filters      ? "--pipeline"
                       : options->page != -1 ? "--page"
                       : options->state      ? "--state"
                       : options->memory     ? "--memory"
                                             : NULL;
    if (what)
        lg_complain("%s is of images; boxes of ranges, FIRST:END,..., take the .npy file as an "
                    "array: use WxH+X+Y, or leave %s out",
                    what, what);
    return !what;
}

int lg_command_areasum(const lg_options *options)
{
    lg_error error = {0};
    lg_area_shapes shapes;
    if (lg_area_shapes_read(options, &shapes, &error) != LG_OK) {
        const bool standard = shapes.path && strcmp(shapes.path, "-") == 0;
        lg_complain("%s%s%s",
                    standard      ? "standard input"
                    : shapes.path ? shapes.path
                                  : "",
                    shapes.path ? ": " : "", error.message);
        return lg_exit_of(error.status);
    }
    lg_session session;
    if (shapes.ranges && !check_arrays(options)) {
        lg_area_shapes_free(&shapes);
        return LG_EXIT_USAGE;
    }
    int status = lg_session_begin(&session, options, "lumagraph.areasum/1", true);
    if (status == LG_EXIT_DONE) {
        session.arrays = shapes.ranges;
        session.shapes = &shapes;
        session.whole_because = lg_area_whole_because;
        session.copies = 9; // a table has 64 bits for each sample
        session.by_rows = session.has_ceiling = options->memory > 0 || options->state;
        if (options->memory == 0 || lg_bands_begin(&session))
            lg_session_each(&session, measure, &shapes);
        status = lg_session_end(&session);
    }
    lg_area_shapes_free(&shapes);
    return status;
}
