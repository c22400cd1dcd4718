// lumagraph run
#include "run.h"

#include "before.h"
#include "file_bands.h"
#include "films.h"
#include "layers.h"
#include "name_template.h"
#include "team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- inputs -------------------------------------------------------------------------------------

static lg_status read_inputs(lg_run *run, lg_session *session, const char **path, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 1; i < run->input_count && !status; i++) {
        const char *name = lg_graph_input_name(run->graph, i);
        lg_read_info info = {0};
        for (int k = 0; k < run->options->input_count; k++)
            if (strcmp(run->options->inputs[k].name, name) == 0)
                *path = run->options->inputs[k].file;
        if (lg_frames_is(*path)) {
            run->film_names[i] = *path;
            continue;
        }
        status = lg_session_read(session, *path, &run->inputs[i], &info, error);
        if (!status)
            status = lg_check_colors(&info, error);
        if (!status) // once, for all files
            status = lg_image_upload(session->context, run->inputs[i], error);
        if (!status && info.note[0])
            lg_session_note(session, "%s: note: %s", *path, info.note);
    }
    return status;
}

// ---- plans --------------------------------------------------------------------------------------

static void drop_plan(lg_run *run)
{
    lg_plan_destroy(&run->plan);
    lg_run_drop_shared(run);
    for (size_t i = 0; i < run->output_count; i++)
        lg_image_destroy(&run->images[i]);
    free(run->stages);
    free(run->ceilings);
    free(run->figures);
    run->figures = NULL;
    run->stages = NULL;
    run->ceilings = NULL;
    run->stage_count = 0;
}

// Whether an output is the input.
static bool takes_input(const lg_run *run, size_t i)
{
    return run->ends[i] == lg_graph_find(run->graph, lg_graph_input_name(run->graph, 0)) &&
           run->options->type < 0 && run->options->channels < 0;
}

// A film of planes that the frames of one become is stored as that one is: then the plan makes planes. What
// an encoder stores is known when it is open, so that video files get planes where these are copied alone.
static bool makes_planes(lg_run *run, const lg_input_file *file, size_t i,
                         const lg_image_params *shape)
{
    const lg_planes *planes = run->shape.planes;
    const lg_options *options = run->options;
    if (!planes || !run->outputs[i].asked || options->points || options->preview ||
        options->type >= 0 ||
        !(takes_input(run, i)
              ? lg_outputs_takes_planes(&run->outputs[i], file, options->format)
              : lg_outputs_film_format(&run->outputs[i], file, options->format, "y4m")))
        return false;
    run->stored = *planes;
    return shape->type == (planes->bits == 8 ? LG_U8 : LG_U16) &&
           (planes->chroma == LG_CHROMA_NONE
                ? shape->channels == 1
                : shape->channels == 4 && shape->alpha == LG_ALPHA_OPAQUE);
}

// The plan again, with outputs of planes; without any it stays.
static lg_status compile_planes(lg_run *run, lg_session *session, const lg_input_file *file,
                                const lg_image_params *shapes, const lg_type *types,
                                lg_error *error)
{
    const lg_planes *planes[LG_MAX_INPUTS] = {NULL};
    lg_image_params shape;
    bool any = false;
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        status = lg_plan_output(run->plan, i, &shape, error);
        if (!status && makes_planes(run, file, i, &shape))
            planes[i] = &run->stored, any = true;
    }
    if (status || !any)
        return status;
    lg_plan_destroy(&run->plan);
    return lg_plan_create_planes(session->context, run->graph, shapes, run->input_count, types,
                                 planes, &run->plan, error);
}

static lg_status compile(lg_run *run, lg_session *session, const lg_input_file *file,
                         lg_error *error)
{
    lg_image_params shapes[LG_MAX_INPUTS];
    lg_type types[LG_MAX_INPUTS];
    const int asked = run->type;
    for (size_t i = 0; i < run->input_count; i++) {
        shapes[i] = run->inputs[i]->shape;
        if (run->by_layer && lg_is_sliced(&shapes[i], &run->inputs[0]->shape))
            shapes[i].layers = 1;
    }
    for (size_t i = 0; i < run->output_count && asked >= 0; i++)
        types[i] = (lg_type)asked;
    const lg_status status = (run->in_bands ? lg_plan_create_bands : lg_plan_create)(
        session->context, run->graph, shapes, run->input_count, asked >= 0 ? types : NULL,
        &run->plan, error);
    return status || !run->shape.planes
               ? status
               : compile_planes(run, session, file, shapes, asked >= 0 ? types : NULL, error);
}

static double bytes_of(const lg_image_params *s)
{
    const double luma = (double)s->width * s->height * (double)lg_type_size(s->type);
    if (s->planes)
        return luma * (s->planes->chroma == LG_CHROMA_NONE  ? 1
                       : s->planes->chroma == LG_CHROMA_444 ? 3
                       : s->planes->chroma == LG_CHROMA_422 ? 2
                                                            : 1.5);
    return (double)s->width * s->height * s->layers * s->channels * (double)lg_type_size(s->type);
}

// The next files are taken to be like this one.
static lg_work work_of(const lg_run *run, const lg_input_file *file)
{
    lg_image_params shape;
    lg_error ignored;
    const int32_t times = run->by_layer ? run->inputs[0]->shape.layers : 1;
    lg_work work = {.thread_seconds = times * lg_plan_cost(run->plan),
                    .inputs = file->count - file->index};
    for (size_t i = 0; i < run->input_count; i++)
        work.bytes += bytes_of(&run->inputs[i]->shape);
    for (size_t i = 0; i < run->output_count; i++)
        if (lg_plan_output(run->plan, i, &shape, &ignored) == LG_OK)
            work.bytes += times * bytes_of(&shape);
    return work;
}

// The plan that tells what the work costs stays where that device is chosen.
static lg_status place_plan(lg_run *run, lg_session *session, const lg_input_file *file,
                            lg_error *error)
{
    const lg_work work = work_of(run, file);
    if (!lg_session_choose(session, &work))
        return LG_OK;
    lg_plan_destroy(&run->plan);
    return compile(run, session, file, error);
}

// Those of the input before may be on their way into files.
static lg_status make_images(lg_run *run, lg_session *session, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++)
        if (!run->images[i])
            status = lg_image_create(session->context, &run->made[i], &run->images[i], error);
    return status;
}

static lg_status make_plan(lg_run *run, lg_session *session, const lg_input_file *file,
                           lg_error *error)
{
    lg_image_params shape;
    if (run->plan && lg_same_shape(&run->shape, &run->inputs[0]->shape))
        return LG_OK;
    lg_run_settle(session, run); // reports look at the plan
    drop_plan(run);
    run->shape = run->inputs[0]->shape;
    if (run->shape.planes) {
        run->planes = *run->shape.planes;
        run->shape.planes = &run->planes;
    }
    run->by_layer = lg_runs_by_layer(run->graph, &run->shape, run->options) ||
                    (run->in_bands && lg_run_splits_layers(run));
    lg_status status = run->by_layer ? lg_check_layers(run->graph, error) : LG_OK;
    if (!status)
        status = compile(run, session, file, error);
    if (!status)
        status = place_plan(run, session, file, error);
    if (!status)
        status = lg_run_select(run, session, file, error);
    for (size_t i = 0; i < run->output_count && !status; i++) {
        status = lg_plan_output(run->plan, i, &shape, error);
        if (run->by_layer)
            shape.layers = run->shape.layers, shape.row_stride = shape.layer_stride = 0;
        run->made[i] = shape;
    }
    if (!status && !run->options->explain && !run->in_bands)
        status = make_images(run, session, error);
    if (status)
        drop_plan(run);
    return status;
}

// ---- outputs ------------------------------------------------------------------------------------

// Whether planes may be copied, before there is a frame.
static bool may_copy(const lg_run *run)
{
    bool may = false;
    for (size_t i = 0; i < run->output_count; i++)
        may |= run->outputs[i].asked && takes_input(run, i);
    return may;
}

// An output that is the input, as it is: planes are copied, bit for bit, where the plan does not do that.
static bool copies_planes(const lg_run *run, const lg_input_file *file, size_t i)
{
    const lg_film *film = file->has_film ? &file->film : NULL;
    return film && film->planes > 0 && file->frame >= 0 && takes_input(run, i) &&
           !run->made[i].planes &&
           lg_outputs_takes_planes(&run->outputs[i], file, run->options->format);
}

bool lg_run_copies(const lg_run *run, const lg_input_file *file)
{
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i].asked && copies_planes(run, file, i))
            return true;
    return false;
}

void lg_run_note_kept(lg_session *session, const lg_input_file *file, const lg_image_params *shape,
                      const char *path, const lg_write_params *params)
{
    const lg_image image = {.shape = *shape};
    if (!lg_image_keeps_profile(&image, path, params))
        lg_session_note(session, "%s: the colour profile of %s is not kept: %s", path, file->name,
                        "the format has no place for it, or it is for other channels");
    if (!lg_image_keeps_orientation(&image, path, params))
        lg_session_note(session,
                        "%s: the orientation of %s is not kept, as the format has no "
                        "place for it; --auto-orient turns the pixels",
                        path, file->name);
    if (lg_metadata_is_georeferenced(params->metadata))
        lg_session_note(session, "%s: the georeference of %s is not kept", path, file->name);
    if (!lg_image_keeps_description(&image, path, params))
        lg_session_note(session, "%s: the description of %s is not kept: it states another shape",
                        path, file->name);
}

// A .pgm whose result has colours or alpha stays PNM, under the extension that holds them.
const char *lg_run_extension(const lg_run *run, const lg_input_file *file, size_t i)
{
    const char *own = lg_name_parts_of(file).extension;
    const int channels = lg_image_measured_channels(&run->made[i]);
    if (run->options->format || !own || strcasecmp(own, "pgm") != 0 || channels == 1)
        return run->options->format;
    return channels == 3 ? "ppm" : "pam";
}

lg_status lg_run_name_output(lg_run *run, lg_session *session, const lg_input_file *file, size_t i,
                             char path[PATH_MAX], char *room, lg_write_params *params,
                             lg_error *error)
{
    const lg_options *options = run->options;
    lg_outputs *outputs = &run->outputs[i];
    const char *extension = lg_run_extension(run, file, i);
    lg_status status = lg_outputs_name(outputs, file, extension, path, PATH_MAX, error);
    if (status)
        return status;
    status = lg_outputs_params(outputs, options, file->info.metadata, path, room, params, error);
    if (!status)
        status = lg_session_check_output(session, path, error);
    return status ? lg_blame(error, "output", path) : LG_OK;
}

void lg_run_explain_refusal(const lg_run *run, const lg_image *image, lg_status status,
                            lg_error *error)
{
    // Of another type than the input's are labels, which no bytes hold.
    const bool labels = run->options->type < 0 && image->shape.type != run->shape.type;
    if (status != LG_ERROR_UNSUPPORTED || !strstr(error->message, "samples") || labels)
        return;
    const lg_type held = strstr(error->message, "of f32") ? LG_F32 : LG_U8;
    const size_t length = strlen(error->message);
    if (image->shape.type != held)
        snprintf(error->message + length, sizeof error->message - length, ", or --type %s",
                 lg_type_name(held));
}

static lg_status write_output(lg_run *run, lg_session *session, const lg_input_file *file, size_t i,
                              lg_error *error)
{
    char path[PATH_MAX], room[LG_OPTIONS_ROOM];
    lg_write_params params;
    const lg_image *image = run->images[i];
    lg_status status = lg_run_name_output(run, session, file, i, path, room, &params, error);
    if (status)
        return status;
    status = lg_outputs_write(&run->outputs[i], session, file,
                              copies_planes(run, file, i) ? NULL : image, path, &params, error);
    if (status) {
        lg_run_explain_refusal(run, image, status, error);
        return lg_blame(error, "output", path);
    }
    lg_run_note_kept(session, file, &image->shape, path, &params);
    run->written[i] = strdup(path);
    return run->written[i] ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for a name");
}

static lg_status write_outputs(lg_run *run, lg_session *session, const lg_input_file *file,
                               lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++)
        if (run->outputs[i].asked)
            status = write_output(run, session, file, i, error);
    return status;
}

// ---- one file -----------------------------------------------------------------------------------

// Behind the frames of an input. What was written is complete, also where a later frame failed.
static lg_status end_films(lg_session *session, const lg_input_file *file, void *priv, bool some,
                           lg_error *error)
{
    lg_run *run = priv;
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        const char *path =
            run->outputs[i].film_path ? run->outputs[i].film_path : run->outputs[i].asked;
        const int64_t frames = run->outputs[i].film_frames;
        status = lg_outputs_end(&run->outputs[i], file, some, error);
        if (status)
            lg_blame(error, "output", path);
        else if (frames && some && session->out != stderr)
            lg_run_report_film(session, file, path, frames);
    }
    return status;
}

static lg_status drain(lg_session *session, const lg_input_file *file, void *priv, lg_status ended,
                       lg_error *error)
{
    lg_run *run = priv;
    (void)ended;
    (void)file;
    return lg_run_drain(run, session, error);
}

// The plan for a file. Frames of another shape than this one's are written before.
static lg_status prepare(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error)
{
    lg_status status = lg_check_colors(&file->info, error);
    if (!status)
        status = lg_run_orient(session, file, error);
    if (!status)
        status = lg_run_step_films(run, session, file, error);
    if (!status)
        status = lg_check_slices(run->graph, file, error);
    if (!status && !(run->plan && lg_same_shape(&run->shape, &file->image->shape)))
        status = lg_run_drain(run, session, error);
    run->inputs[0] = file->image;
    return status ? status : make_plan(run, session, file, error);
}

lg_status lg_run_finish(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error)
{
    run->inputs[0] = file->image;
    lg_run_scale_metadata(run, session, file);
    lg_status status = lg_run_restore(run, session, file, error);
    if (!status)
        status = lg_run_write_points(run, session, file, error);
    if (!status && lg_run_goes_behind(run, file)) {
        status = lg_run_profile(run, session, error);
        if (!status)
            status = lg_run_write_behind(run, session, file, error);
        run->inputs[0] = NULL;
        return status;
    }
    if (!status)
        status = write_outputs(run, session, file, error);
    if (!status && run->options->preview)
        lg_preview_draw(&run->preview, session, run->images[0]);
    if (!status && !run->stream)
        status = lg_run_profile(run, session, error);
    if (!status)
        lg_run_report(session, file, run);
    if (!status && file->frame < 0)
        status = end_films(session, file, run, true, error);
    for (size_t i = 0; i < run->output_count; i++) {
        free(run->written[i]);
        run->written[i] = NULL;
    }
    run->inputs[0] = NULL;
    return status;
}

// A file of which the rows are open. Where it is needed whole, it is read so, and *done stays false.
static lg_status run_rows(lg_run *run, lg_session *session, lg_input_file *file, bool *done,
                          lg_error *error)
{
    lg_run_settle(session, run);
    drop_plan(run);
    run->in_bands = true;
    run->too_large = lg_bands_needed(session, &file->image->shape);
    lg_status status = lg_check_colors(&file->info, error);
    run->inputs[0] = file->image;
    if (!status)
        status = lg_check_slices(run->graph, file, error);
    if (!status)
        status = make_plan(run, session, file, error);
    run->whole_because = status ? NULL : lg_run_needs_whole(run, session, file);
    if (run->whole_because && session->options->team)
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "ranks cannot share the rows: %s",
                              run->whole_because);
    if (!status && !run->whole_because && !run->options->explain)
        status = lg_run_in_bands(run, session, file, error);
    const bool leads = lg_team_leads(run->options);
    if (!status && !run->whole_because && !run->options->explain && !run->by_layer && leads)
        status = lg_run_read_figures(run, 0, error);
    if (!status && run->whole_because)
        status = lg_run_read_whole(run, session, file, run->whole_because, error);
    *done = status || !run->whole_because;
    if (!run->too_large)
        run->whole_because = NULL; // what is held whole anyway needs no reason
    if (!status && *done && leads)
        (run->options->explain ? lg_run_explain : lg_run_report)(session, file, run);
    for (size_t i = 0; i < run->output_count; i++) {
        free(run->written[i]);
        run->written[i] = NULL;
    }
    run->inputs[0] = NULL;
    drop_plan(run);
    run->in_bands = false;
    return status;
}

static lg_status run_file(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    lg_run *run = priv;
    bool done = false;
    run->whole_because = NULL;
    lg_status status = file->rows ? run_rows(run, session, file, &done, error) : LG_OK;
    if (done)
        return status;
    status = prepare(run, session, file, error);
    if (!status && run->options->explain && file->repeated) // as for the frame before
        return LG_OK;
    if (!status && run->options->explain) {
        lg_run_explain(session, file, run);
        return LG_OK;
    }
    file->sent = false;
    if (!status && lg_run_streams(run, file))
        return lg_run_send(run, session, file, error);
    if (!status)
        status = lg_run_drain(run, session, error);
    run->inputs[0] = file->image;
    if (!status)
        status = make_images(run, session, error);
    if (!status && run->by_layer)
        status = lg_run_all_layers(run, session, file, error);
    else if (!status && lg_run_is_shared(run, session))
        status = lg_run_share(run, session, error);
    else if (!status)
        status = lg_plan_run(run->plan, run->inputs, run->images, error);
    if (!status && !run->by_layer)
        status = lg_run_read_figures(run, 0, error);
    return status ? status : lg_run_finish(run, session, file, error);
}

static bool takes_standard_output(const lg_run *run)
{
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i].asked && strcmp(run->outputs[i].asked, "-") == 0)
            return true;
    return false;
}

// Many filters have defaults that change nothing: a parameter was forgotten, or written wrong.
static void note_idle(const lg_run *run, lg_session *session)
{
    bool idle;
    for (lg_node node = 0; node < LG_MAX_NODES; node++) {
        const lg_filter *filter = lg_graph_node_filter(run->graph, node, &idle);
        if (idle)
            lg_session_note(session,
                            "note: %s changes nothing with %s; `lumagraph filters %s` explains its "
                            "parameters",
                            filter->name, filter->neutral, filter->name);
    }
}

static int run_all(lg_run *run)
{
    lg_session session;
    int status = lg_session_begin(&session, run->options, "lumagraph.run/1", false);
    if (status != LG_EXIT_DONE)
        return status;
    // The image has standard output to itself: the report steps aside.
    if (takes_standard_output(run) || run->options->preview)
        session.out = session.json.stream = session.csv.stream = stderr;
    session.film_end = end_films;
    session.film_drain = drain;
    session.settle = lg_run_settle;
    session.copies = 3; // the input, the output, what encodes it
    session.film_at_hand = may_copy(run);
    for (size_t i = 0; i < run->output_count; i++)
        session.keeps_sound |= lg_outputs_take_sound(&run->outputs[i], run->options);
    // What takes the pixels of an input, and not the plan, needs colours.
    session.takes_planes = !lg_run_selects(run) && !run->options->scale;
    lg_error error = {0};
    const char *path = run->options->points;
    const bool begun = lg_bands_begin(&session);
    if (lg_run_open_points(run, &error) != LG_OK ||
        read_inputs(run, &session, &path, &error) != LG_OK)
        lg_session_fail(&session, path, &error);
    else if (begun) {
        session.prefers_bands = lg_run_prefers_bands(run);
        lg_session_each(&session, run_file, run);
    }
    if (session.done > 0)
        note_idle(run, &session);
    lg_run_stop(run);
    drop_plan(run);
    lg_run_close_films(run);
    for (size_t i = 1; i < run->input_count; i++)
        lg_image_destroy(&run->inputs[i]);
    const int ended = lg_session_end(&session);
    return lg_run_close_points(run, &session, ended);
}

int lg_command_run(const lg_options *options)
{
    lg_run run = {.options = options};
    int status = lg_preview_check(options) ? lg_run_build(&run) : LG_EXIT_USAGE;
    if (status == LG_EXIT_DONE)
        status = run_all(&run);
    for (size_t i = 0; i < run.output_count; i++)
        lg_outputs_free(&run.outputs[i]);
    lg_graph_destroy(&run.graph);
    return status;
}
