// `lumagraph run --points`: a list out of a picture of corners.
#include "run.h"

#include <stdlib.h>

lg_status lg_run_open_points(lg_run *run, lg_error *error)
{
    return run->options->points ? lg_output_open(run->options->points, &run->point_file, error)
                                : LG_OK;
}

// ---- the two formats ----------------------------------------------------------------------------

static void write_csv(const lg_run *run, const lg_input_file *file, const lg_image_point *points,
                      size_t count)
{
    static const char *const names[] = {"file", "layer", "x", "y", "strength"};
    lg_csv csv = {.stream = lg_output_stream(run->point_file)};
    char number[LG_NUMBER_SIZE];
    for (int i = 0; i < 5 && !run->points_begun; i++)
        lg_csv_text(&csv, names[i]);
    if (!run->points_begun)
        lg_csv_row(&csv);
    for (size_t i = 0; i < count; i++) {
        lg_csv_text(&csv, file->name);
        lg_csv_integer(&csv, file->frame >= 0 ? file->frame : points[i].layer);
        lg_csv_integer(&csv, points[i].x);
        lg_csv_integer(&csv, points[i].y);
        lg_csv_text(&csv, lg_number_float(points[i].strength, number));
        lg_csv_row(&csv);
    }
}

static void write_json(const lg_run *run, const lg_input_file *file, const lg_image *image,
                       const lg_image_point *points, size_t count)
{
    lg_json json = {.stream = lg_output_stream(run->point_file)};
    char number[LG_NUMBER_SIZE];
    lg_json_begin(&json, NULL, '{');
    lg_json_text(&json, "schema", "lumagraph.points/1");
    lg_json_text(&json, "file", file->name);
    if (file->frame >= 0)
        lg_json_integer(&json, "frame", file->frame);
    lg_json_integer(&json, "width", image->shape.width);
    lg_json_integer(&json, "height", image->shape.height);
    lg_json_integer(&json, "layers", image->shape.layers);
    lg_json_unsigned(&json, "found", run->point_count);
    lg_json_begin(&json, "points", '[');
    for (size_t i = 0; i < count; i++) {
        lg_json_begin(&json, NULL, '{');
        lg_json_integer(&json, "layer", points[i].layer);
        lg_json_integer(&json, "x", points[i].x);
        lg_json_integer(&json, "y", points[i].y);
        lg_json_raw(&json, "strength", lg_number_float(points[i].strength, number));
        lg_json_end(&json, '}');
    }
    lg_json_end(&json, ']');
    lg_json_end(&json, '}');
}

// ---- one file -----------------------------------------------------------------------------------

lg_status lg_run_write_points(lg_run *run, lg_session *session, const lg_input_file *file,
                              lg_error *error)
{
    if (!run->point_file)
        return LG_OK;
    const lg_image *image = run->images[0];
    const lg_select *select = lg_run_selects(run) ? &file->select : NULL;
    lg_status status = lg_session_check_output(session, run->options->points, error);
    if (!status)
        status =
            lg_image_points(session->context, image, select, NULL, 0, &run->point_count, error);
    const size_t wanted = (size_t)run->options->max_points;
    const size_t count = run->point_count < wanted ? run->point_count : wanted;
    lg_image_point *points = status ? NULL : calloc(count + 1, sizeof *points);
    if (!status && !points)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu points", count);
    if (!status)
        status = lg_image_points(session->context, image, select, points, count, &run->point_count,
                                 error);
    if (!status && run->options->points_json)
        write_json(run, file, image, points, count);
    else if (!status)
        write_csv(run, file, points, count);
    run->points_begun |= !status;
    free(points);
    return status;
}

int lg_run_close_points(lg_run *run, const lg_session *session, int status)
{
    lg_error error = {0};
    if (run->point_file && !run->points_begun && session->failed > 0) {
        lg_output_discard(&run->point_file);
    } else if (run->point_file && lg_output_commit(&run->point_file, &error) != LG_OK) {
        lg_complain("%s: %s", run->options->points, error.message);
        return LG_EXIT_IO;
    }
    return status;
}
