// lumagraph areasum
#include "area_answers.h"

#include <string.h>

static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    const lg_area_shapes *shapes = priv;
    lg_area_answers answers;
    lg_status status = lg_area_shapes_fit(shapes, &file->image->shape, error);
    if (status == LG_OK)
        status = lg_area_answer(session, file, shapes, &answers, error);
    if (status != LG_OK)
        return status;
    lg_area_report(session, file, &answers);
    lg_area_answers_free(&answers);
    return LG_OK;
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
    int status = lg_session_begin(&session, options, true);
    if (status == LG_EXIT_DONE) {
        lg_session_each(&session, measure, &shapes);
        status = lg_session_end(&session);
    }
    lg_area_shapes_free(&shapes);
    return status;
}
