// `lumagraph run` on images larger than --memory: the first input is read, computed and written in bands.
#include "file_bands.h"
#include "layer_spool.h"
#include "layers.h"
#include "run.h"
#include "team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct banded {
    lg_run *run;
    lg_session *session;
    lg_input_file *file;
    lg_team_writer writers[LG_MAX_INPUTS]; // without rows: not asked for
    lg_layer_spool *spools[LG_MAX_INPUTS]; // of outputs whose layers are made together; else NULL
    char paths[LG_MAX_INPUTS][PATH_MAX];
    int32_t layer; // that is read
    int64_t
        kept; // with --resume: the row up to which all outputs are written; INT64_MAX: nothing is kept
} banded;

// ---- what needs the image as a whole ------------------------------------------------------------

static const char *why_options(const lg_options *options, const lg_input_file *file)
{
    if (options->points)
        return "--points sorts the points of a whole image";
    if (options->preview)
        return "--preview draws a whole image";
    if (options->profile)
        return "--profile repeats the run on a whole image";
    if (options->has_region || options->mask)
        return "--region and --mask keep pixels of a whole image";
    if (options->auto_orient && lg_metadata_orientation(file->info.metadata) > 1)
        return "--auto-orient turns a whole image";
    return NULL;
}

// Bands hold less, but are not worth more passes over the file, nor a GPU that waits for each of them.
static const char *why_rather(const lg_run *run, const lg_session *session)
{
    lg_device_info device;
    lg_context_device(session->context, &device);
    if (device.kind == LG_DEVICE_VULKAN)
        return "a GPU takes whole images";
    return lg_plan_band_passes(run->plan) > 1 ? "figures take more passes over the file" : NULL;
}

// A file that fails later leaves nothing behind, which pipes and devices cannot promise in bands.
static bool goes_to_file(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode) || lg_is_folder_format(path));
}

// Overlap would let threads find out that the reader of a pipe has gone, where no signal ends the command.
static bool all_go_to_files(const lg_run *run)
{
    for (size_t i = 0; i < run->output_count; i++) {
        const char *asked = run->outputs[i].asked;
        if (asked && !run->outputs[i].folder && !goes_to_file(asked))
            return false;
    }
    return true;
}

bool lg_run_prefers_bands(const lg_run *run)
{
    bool written = run->options->explain && run->options->target_count > 0;
    for (size_t i = 0; i < run->output_count; i++)
        written |= run->outputs[i].asked != NULL;
    for (size_t i = 1; i < run->input_count; i++)
        if (run->film_names[i])
            return false;
    return written && all_go_to_files(run);
}

// Layers that fit all together are not worth a run each.
static const char *why_layers(const lg_run *run, const lg_session *session)
{
    return run->options->team ? "it has several layers"
           : session->batch   ? "several devices share the rows of one layer"
           : !run->too_large  ? "its layers fit together"
                              : NULL;
}

const char *lg_run_needs_whole(const lg_run *run, const lg_session *session,
                               const lg_input_file *file)
{
    const char *why = why_options(run->options, file);
    if (!why && file->image->shape.layers > 1)
        why = why_layers(run, session);
    if (!why)
        why = lg_plan_needs_whole(run->plan, 0);
    if (!why && !run->too_large && !run->options->team)
        why = why_rather(run, session);
    const lg_write_params params = {.format = run->options->format};
    for (size_t i = 0; i < run->output_count && !why; i++) {
        const lg_outputs *o = &run->outputs[i];
        const char *dot = strrchr(file->name, '.');
        const char *name = o->folder ? (dot ? dot : "") : o->asked;
        const bool layers = run->made[i].layers > 1;
        if (name && !(layers ? lg_row_writer_can_layers : lg_row_writer_can)(name, &params))
            why = lg_written_whole;
    }
    return why;
}

// ---- rows in and out ----------------------------------------------------------------------------

static lg_status read_rows(void *priv, size_t input, int64_t y, lg_image *rows, lg_error *error)
{
    banded *b = priv;
    const lg_region r = {0, y, rows->shape.width, rows->shape.height};
    const double start = lg_clock();
    lg_status status = LG_OK;
    if (rows->shape.layers == 1)
        status = lg_row_reader_read(b->file->rows, b->layer, &r, rows, error);
    for (int32_t z = 0; z < rows->shape.layers && rows->shape.layers > 1 && !status; z++) {
        lg_image *layer = NULL;
        status = lg_layer_of(b->session->context, rows, z, &layer, error);
        if (!status)
            status = lg_row_reader_read(b->file->rows, z, &r, layer, error);
        lg_image_destroy(&layer);
    }
    b->file->decode += lg_clock() - start;
    return status;
}

// Outputs come one after the other, and may lag behind each other.
static lg_status keep_rows(banded *b, lg_error *error)
{
    int64_t end = INT64_MAX;
    for (size_t i = 0; i < b->run->output_count; i++)
        if (b->writers[i].rows && b->writers[i].next < end)
            end = b->writers[i].next;
    if (end <= b->kept)
        return LG_OK;
    const int64_t first = b->kept;
    b->kept = end;
    return lg_journal_add(lg_team_journal(b->run->options->team), LG_JOURNAL_WRITE, 0, first, end,
                          NULL, 0, error);
}

static lg_status write_rows(void *priv, size_t output, int64_t y, const lg_image *rows,
                            lg_error *error)
{
    banded *b = priv;
    lg_team_writer *w = &b->writers[output];
    lg_team *team = b->run->options->team;
    if (!w->rows)
        return LG_OK;
    if (b->spools[output]) {
        const lg_status put = lg_layer_spool_put(b->spools[output], y, rows, error);
        return put ? lg_blame(error, "output", b->paths[output]) : LG_OK;
    }
    lg_status status = lg_team_at(w, y, error);
    if (!status)
        status = lg_row_writer_write(w->rows, rows, error);
    if (!status)
        status = lg_team_wrote(team, w, y + rows->shape.height, error);
    if (status)
        return lg_blame(error, "output", b->paths[output]);
    return lg_team_journal(team) ? keep_rows(b, error) : LG_OK;
}

// ---- files --------------------------------------------------------------------------------------

// By the leader alone where there are ranks.
static lg_status open_output(banded *b, size_t i, lg_error *error)
{
    lg_run *run = b->run;
    char room[LG_OPTIONS_ROOM];
    lg_write_params params;
    const char *path = b->paths[i];
    lg_status status = lg_outputs_params(&run->outputs[i], run->options, b->file->info.metadata,
                                         path, room, &params, error);
    if (!status)
        status = lg_session_check_output(b->session, path, error);
    if (!status)
        status = lg_row_writer_open(path, &run->made[i], &params, &b->writers[i].rows, error);
    if (!status && run->made[i].layers > 1 && !run->by_layer)
        status = lg_layer_spool_open(run->options, &run->made[i], &b->spools[i], error);
    if (!status)
        lg_run_note_kept(b->session, b->file, &run->made[i], path, &params);
    return status;
}

static lg_status open_outputs(banded *b, lg_error *error)
{
    lg_run *run = b->run;
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        char *path = b->paths[i];
        if (!run->outputs[i].asked)
            continue;
        status = lg_outputs_name(&run->outputs[i], b->file, lg_run_extension(run, b->file, i), path,
                                 PATH_MAX, error);
        if (status)
            return status;
        if (lg_team_leads(run->options))
            status = open_output(b, i, error);
        status = lg_team_share(run->options->team, &b->writers[i], (int)i, b->file, status, error);
        if (status)
            return lg_blame(error, "output", path);
    }
    return status;
}

static lg_status close_outputs(banded *b, lg_error *error)
{
    lg_run *run = b->run;
    lg_status status = LG_OK;
    for (size_t i = 0; i < run->output_count && !status; i++) {
        if (!b->writers[i].rows)
            continue;
        if (b->spools[i])
            status =
                lg_layer_spool_write(b->spools[i], b->session->context, b->writers[i].rows, error);
        if (!status)
            status = lg_team_close(run->options->team, &b->writers[i], LG_OK, error);
        if (status)
            return lg_blame(error, "output", b->paths[i]);
        run->written[i] = strdup(b->paths[i]);
        if (!run->written[i])
            status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for a name");
    }
    return status;
}

static lg_status compute_rows(banded *b, lg_image *const *inputs, lg_bands_params *params,
                              int64_t first, int64_t end, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < b->run->output_count && !status; i++)
        if (b->writers[i].rows)
            status = lg_team_at(&b->writers[i], first, error);
    params->first = first;
    params->end = end;
    if (status)
        return status;
    if (lg_run_is_shared(b->run, b->session))
        return lg_run_share_bands(b->run, b->session, inputs, params, error);
    return lg_plan_run_bands(b->run->plan, inputs, params, error);
}

// The rows of this rank that are not written yet; there may be none.
static lg_status compute(banded *b, lg_image *const *inputs, lg_bands_params *params,
                         lg_error *error)
{
    const lg_journal *journal = lg_team_journal(b->run->options->team);
    const int64_t end = b->run->options->team ? b->file->end_row : b->run->made[0].height;
    bool ran = false;
    lg_status status = LG_OK;
    for (int64_t y = b->file->first_row, next; y < end && !status; y = next) {
        status = lg_journal_find(journal, LG_JOURNAL_WRITE, 0, y, &next, NULL, NULL, error);
        if (status || next > y)
            continue;
        b->kept = y;
        next = y + lg_journal_rows(journal, LG_JOURNAL_WRITE, 0, y, end - y);
        status = compute_rows(b, inputs, params, y, next, error);
        ran = true;
    }
    // Figures are those of a plan that has run.
    b->kept = INT64_MAX;
    if (!status && !ran && b->file->first_row < end)
        status = compute_rows(b, inputs, params, end - 1, end, error);
    return status;
}

// Layer by layer, each in bands. Images of as many layers as the input go along.
static lg_status compute_layers(banded *b, lg_image *const *inputs, lg_bands_params *params,
                                lg_error *error)
{
    lg_run *run = b->run;
    const lg_image_params *first = &b->file->image->shape;
    lg_status status = LG_OK;
    for (b->layer = 0; b->layer < first->layers && !status; b->layer++) {
        lg_image *at[LG_MAX_INPUTS] = {NULL}, *part[LG_MAX_INPUTS] = {NULL};
        for (size_t i = 1; i < run->input_count && !status; i++) {
            if (lg_is_sliced(&inputs[i]->shape, first))
                status = lg_layer_of(b->session->context, inputs[i], b->layer, &part[i], error);
            at[i] = part[i] ? part[i] : inputs[i];
        }
        if (!status)
            status = lg_plan_run_bands(run->plan, at, params, error);
        if (!status)
            status = lg_run_add_layer(run, b->session, b->layer, error);
        for (size_t i = 1; i < run->input_count; i++)
            lg_image_destroy(&part[i]);
    }
    b->session->engine_settled = true;
    return status;
}

// What all bands took.
static void note_times(lg_run *run, lg_session *session)
{
    if (run->shared[0] || run->by_layer) // noted
        return;
    run->stage_count = lg_plan_profile(run->plan, NULL, 0);
    free(run->stages);
    run->stages = calloc(run->stage_count + 1, sizeof *run->stages);
    lg_plan_profile(run->plan, run->stages, run->stages ? run->stage_count : 0);
    lg_context_report(session->context, &session->engine);
    session->engine_settled = true;
}

static size_t memory_of_tiles(const banded *b)
{
    size_t bytes = 0;
    for (size_t i = 0; i < b->run->output_count; i++)
        bytes += lg_row_writer_memory(b->writers[i].rows);
    return bytes;
}

static lg_status fail_held(size_t bytes, bool tiles, size_t ceiling, lg_error *error)
{
    if (!tiles)
        return lg_set_error(error, LG_ERROR_LIMIT,
                            "the reader takes %.3f MB; limit memory is %.3f MB: raise it with "
                            "--memory",
                            (double)bytes / 1e6, (double)ceiling / 1e6);
    return lg_set_error(error, LG_ERROR_LIMIT,
                        "the reader, and a row of tiles of each level of the outputs, take %.3f "
                        "MB; limit memory is %.3f MB: raise it with --memory, or have tiles of "
                        "fewer rows, as --tile 256x16",
                        (double)bytes / 1e6, (double)ceiling / 1e6);
}

lg_status lg_run_in_bands(lg_run *run, lg_session *session, lg_input_file *file, lg_error *error)
{
    banded *b = calloc(1, sizeof *b);
    if (!b)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the names of outputs");
    *b = (banded){.run = run, .session = session, .file = file};
    lg_image *inputs[LG_MAX_INPUTS];
    for (size_t i = 0; i < run->input_count; i++)
        inputs[i] = i ? run->inputs[i] : NULL;
    const size_t ceiling = lg_memory_ceiling(run->options);
    size_t held = lg_row_reader_memory(file->rows);
    lg_bands_params params = lg_bands_params_default();
    params.read = read_rows;
    params.write = write_rows;
    params.priv = b;
    params.overlap = all_go_to_files(run);
    lg_run_scale_metadata(run, session, file);
    lg_bands_share(run->options, file, run->made[0].height);
    lg_status status = open_outputs(b, error);
    const size_t tiles = memory_of_tiles(b);
    if (!status && tiles + held >= ceiling)
        status = fail_held(tiles + held, tiles > 0, ceiling, error);
    held += tiles;
    params.memory = ceiling > held ? ceiling - held : 1;
    if (!status)
        status = (run->by_layer ? compute_layers : compute)(b, inputs, &params, error);
    if (!status)
        status = close_outputs(b, error);
    for (size_t i = 0; i < run->output_count; i++) {
        lg_team_discard(&b->writers[i]);
        lg_layer_spool_close(&b->spools[i]);
    }
    lg_row_reader_note(file->rows, &file->info);
    note_times(run, session);
    free(b);
    return status;
}

lg_status lg_run_read_whole(const lg_run *run, lg_session *session, lg_input_file *file,
                            const char *why, lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    const double pixels = (double)s->width * s->height * s->layers;
    double bytes = pixels * s->channels * (double)lg_type_size(s->type);
    const double ceiling = (double)lg_memory_ceiling(run->options);
    for (size_t i = 0; i < run->output_count; i++)
        bytes += (double)run->made[i].width * run->made[i].height * run->made[i].layers *
                 run->made[i].channels * (double)lg_type_size(run->made[i].type);
    const bool beyond = run->too_large && bytes > ceiling;
    if (beyond && why == lg_written_whole)
        return lg_set_error(error, LG_ERROR_LIMIT,
                            "%d x %d pixels are needed whole: %s; input and outputs take %.3f MB, "
                            "limit memory is %.3f MB: raise it with --memory",
                            s->width, s->height, why, bytes / 1e6, ceiling / 1e6);
    lg_read_params params = lg_input_params(session);
    params.max_pixels = lg_scratch_pixels(run->options);
    lg_image *image = NULL;
    lg_read_info info = {0};
    const double start = lg_clock();
    const lg_status status =
        lg_image_read(session->context, file->name, &params, &image, &info, error);
    file->decode += lg_clock() - start;
    if (status)
        return status;
    lg_metadata_destroy(&file->info.metadata);
    file->info = info;
    file->image = image;
    if (run->too_large)
        lg_session_note(session, "%s: note: read whole%s: %s", file->name,
                        beyond ? ", into scratch files where --memory has no room" : "", why);
    return LG_OK;
}
