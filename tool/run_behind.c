// `lumagraph run --jobs N`: outputs of some inputs are written while later inputs are computed. Reports
// are in the order of the inputs, each behind its outputs.
#include "read_ahead.h"
#include "run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct written_image {
    lg_image *image;
    lg_write_params params;
    char *path, *room;
} written_image;

// An input whose outputs are on their way.
typedef struct behind {
    struct behind *next;
    pthread_t thread;
    bool threaded; // else it was written at once
    lg_input_file file;
    lg_image shape; // the image of `file`, without its pixels
    written_image outputs[LG_MAX_INPUTS];
    size_t output_count, failed; // the output that `error` is of
    lg_status status;
    lg_error error;
    // What the report says.
    lg_engine_report engine;
    lg_figure_value *figures;
    lg_stage_profile *stages;
    size_t point_count;
} behind;

struct lg_run_behind {
    behind *first, **end;
    int count;
};

// What shows pixels, or has a place for one image at a time, is done input by input.
bool lg_run_goes_behind(const lg_run *run, const lg_input_file *file)
{
    const lg_options *options = run->options;
    bool some = false;
    if (options->jobs < 2 || file->frame >= 0 || file->count < 2 || options->profile ||
        options->preview || options->report || options->explain)
        return false;
    for (size_t i = 0; i < run->output_count; i++) {
        const lg_outputs *outputs = &run->outputs[i];
        if (!outputs->asked)
            continue;
        some = true;
        if (strcmp(outputs->asked, "-") == 0 || strncmp(outputs->asked, "/dev/", 5) == 0 ||
            lg_outputs_takes_planes(outputs, file, options->format))
            return false;
    }
    return some;
}

static void *write_all(void *priv)
{
    behind *b = priv;
    for (size_t i = 0; i < b->output_count && !b->status; i++) {
        const written_image *w = &b->outputs[i];
        b->failed = i;
        if (w->image)
            b->status = lg_image_write(w->image, w->path, &w->params, &b->error);
    }
    return NULL;
}

static void free_behind(behind *b)
{
    for (size_t i = 0; i < b->output_count; i++) {
        lg_image_destroy(&b->outputs[i].image);
        free(b->outputs[i].path);
        free(b->outputs[i].room);
    }
    lg_metadata_destroy(&b->file.info.metadata);
    free(b->figures);
    free(b->stages);
    free(b);
}

static void *copy_of(const void *from, size_t bytes)
{
    void *out = malloc(bytes + 1);
    if (out && bytes)
        memcpy(out, from, bytes);
    return out;
}

// ---- reports --------------------------------------------------------------------------------------

// The report is made of what the run has: that of the input is put in its place.
static void report(lg_run *run, lg_session *session, behind *b)
{
    const lg_engine_report engine = session->engine;
    const bool settled = session->engine_settled;
    lg_figure_value *figures = run->figures;
    lg_stage_profile *stages = run->stages;
    const size_t points = run->point_count;
    run->figures = b->figures;
    run->stages = b->stages;
    run->point_count = b->point_count;
    session->engine = b->engine;
    session->engine_settled = true;
    for (size_t i = 0; i < b->output_count; i++)
        run->written[i] = b->outputs[i].path;
    lg_run_report(session, &b->file, run);
    for (size_t i = 0; i < b->output_count; i++)
        run->written[i] = NULL;
    run->figures = figures;
    run->stages = stages;
    run->point_count = points;
    session->engine = engine;
    session->engine_settled = settled;
}

static void end_first(lg_run *run, lg_session *session)
{
    struct lg_run_behind *all = run->behind;
    behind *b = all->first;
    if (b->threaded)
        pthread_join(b->thread, NULL);
    all->first = b->next;
    if (!all->first)
        all->end = &all->first;
    all->count--;
    if (b->status) {
        lg_run_explain_refusal(run, b->outputs[b->failed].image, b->status, &b->error);
        lg_blame(&b->error, "output", b->outputs[b->failed].path);
        lg_session_fail_input(session, b->file.name, &b->error);
    } else {
        report(run, session, b);
        session->done++;
    }
    fflush(session->out);
    free_behind(b);
}

void lg_run_settle(lg_session *session, void *priv)
{
    lg_run *run = priv;
    while (run->behind && run->behind->first)
        end_first(run, session);
    free(run->behind);
    run->behind = NULL;
}

// ---- one input ------------------------------------------------------------------------------------

static lg_status fill_outputs(lg_run *run, lg_session *session, lg_input_file *file, behind *b,
                              lg_error *error)
{
    char path[PATH_MAX];
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        written_image *w = &b->outputs[b->output_count++];
        if (!run->outputs[i].asked)
            continue;
        w->room = malloc(LG_OPTIONS_ROOM);
        if (!w->room)
            return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a name");
        status = lg_run_name_output(run, session, file, i, path, w->room, &w->params, error);
        w->path = status ? NULL : strdup(path);
        if (!status && !w->path)
            status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for a name");
        if (!status)
            lg_run_note_kept(session, file, &run->images[i]->shape, path, &w->params);
    }
    return status;
}

// From here on the images are those of `b`; the next input gets new ones.
static void take_images(lg_run *run, lg_input_file *file, behind *b)
{
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i].asked) {
            b->outputs[i].image = run->images[i];
            run->images[i] = NULL;
        }
    b->file = *file;
    b->shape.shape = file->image->shape;
    b->file.image = &b->shape;
    file->info.metadata = NULL;
    file->sent = true;
}

static bool take_report(const lg_run *run, const lg_session *session, behind *b)
{
    b->engine = session->engine;
    b->point_count = run->point_count;
    const size_t layers = run->by_layer ? (size_t)run->shape.layers : 1;
    b->figures = copy_of(run->figures, layers * run->figure_count * sizeof *b->figures);
    b->stages = copy_of(run->stages, run->stage_count * sizeof *b->stages);
    return b->figures && b->stages;
}

static lg_status make_room(lg_run *run, lg_session *session, lg_error *error)
{
    if (!run->behind) {
        run->behind = calloc(1, sizeof *run->behind);
        if (!run->behind)
            return lg_set_error(error, LG_ERROR_MEMORY, "no memory for outputs on their way");
        run->behind->end = &run->behind->first;
    }
    while (run->behind->count >= run->options->jobs)
        end_first(run, session);
    return LG_OK;
}

lg_status lg_run_write_behind(lg_run *run, lg_session *session, lg_input_file *file,
                              lg_error *error)
{
    behind *b = NULL;
    lg_status status = make_room(run, session, error);
    if (!status && !(b = calloc(1, sizeof *b)))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for outputs on their way");
    if (!status)
        status = fill_outputs(run, session, file, b, error);
    if (!status && !take_report(run, session, b))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for a report");
    if (status) {
        if (b)
            free_behind(b);
        return status;
    }
    take_images(run, file, b);
    *run->behind->end = b;
    run->behind->end = &b->next;
    run->behind->count++;
    b->threaded = lg_start_reader(&b->thread, write_all, b);
    if (!b->threaded)
        write_all(b);
    return LG_OK;
}
