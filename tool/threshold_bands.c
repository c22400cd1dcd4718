#include "threshold_bands.h"

#include "team.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTRA_BYTES 6 // of a pixel: of the binary image, of luma in floats

// ---- which images ---------------------------------------------------------------------------------

const char *lg_threshold_extension(const lg_image_params *shape)
{
    const char *extension = shape->layers > 1 ? "tif" : "png";
    return lg_image_can_format(extension) ? extension : "pgm";
}

// Levels of bytes follow from their counts, and so does how many samples are above them.
static bool counts_suffice(const lg_session *session, const lg_image_params *s)
{
    const lg_options *o = session->options;
    return s->type == LG_U8 && o->method != LG_THRESHOLD_VALUE && !o->output && !o->mask &&
           !o->skip_transparent && o->step == 1;
}

bool lg_threshold_rereads(const lg_session *session, const lg_image_params *s)
{
    return !counts_suffice(session, s);
}

const char *lg_threshold_whole_because(const lg_session *session, const lg_image_params *s)
{
    const lg_options *options = session->options;
    const char *output = options->output;
    const lg_write_params exact = {.exact = true};
    if (options->report)
        return "--report draws a whole image";
    if (options->device == LG_DEVICE_VULKAN && !counts_suffice(session, s))
        return "a GPU compares pixels with levels in a whole image";
    if (!output)
        return NULL;
    if (s->layers > 1 && options->team)
        return "ranks do not share files of several layers";
    lg_outputs at = lg_outputs_at(output);
    const bool folder = at.folder || output[strlen(output) - 1] == '/';
    char made[16];
    snprintf(made, sizeof made, "x.%s", lg_threshold_extension(s));
    const bool can = (s->layers > 1 ? lg_row_writer_can_layers
                                    : lg_row_writer_can)(folder ? made : at.asked, &exact);
    lg_outputs_free(&at);
    return can ? NULL : lg_written_whole;
}

// ---- passes ---------------------------------------------------------------------------------------

typedef struct pass {
    const lg_threshold_params *params;
    lg_threshold_accumulator **at; // of each layer, or of the stack
    lg_threshold *levels;
    int count;
    lg_team_writer out; // without rows nothing is written
    lg_team *team;
    enum { LOOK, ADD, APPLY } what;
} pass;

static lg_status apply(lg_context *context, pass *p, int entry, int64_t y, const lg_image *band,
                       lg_error *error)
{
    lg_image *binary = NULL;
    lg_status status = p->out.rows ? lg_team_at(&p->out, y, error) : LG_OK;
    if (!status)
        status = lg_threshold_apply(context, band, NULL, p->params->luma, &p->levels[entry],
                                    p->out.rows ? &binary : NULL, error);
    if (!status && p->out.rows)
        status = lg_row_writer_write(p->out.rows, binary, error);
    if (!status && p->out.rows)
        status = lg_team_wrote(p->team, &p->out, y + band->shape.height, error);
    lg_image_destroy(&binary);
    return status;
}

static lg_status take_band(lg_context *context, void *priv, int32_t layer, int64_t y,
                           const lg_image *band, const lg_select *select, lg_error *error)
{
    pass *p = priv;
    const bool stack = p->params->stack;
    const int entry = stack ? 0 : layer;
    if (p->what == APPLY)
        return apply(context, p, entry, y, band, error);
    if (p->what == LOOK)
        return lg_threshold_accumulator_look(context, p->at[entry], band, select, error);
    return lg_threshold_accumulator_add(context, p->at[entry], band, select, 0, y,
                                        stack ? layer : 0, error);
}

// What bands add to when they are compared with the level.
static void counts_of(void *priv, int32_t layer, uint64_t *counts[2])
{
    const pass *p = priv;
    lg_threshold *level = &p->levels[p->params->stack ? 0 : layer];
    counts[0] = &level->foreground;
    counts[1] = &level->total;
}

static lg_status go(lg_session *session, lg_input_file *file, pass *p, int what, lg_error *error)
{
    lg_band_keep keep = {.pass = what == ADD     ? LG_JOURNAL_THRESHOLDS
                                 : what == APPLY ? LG_JOURNAL_WRITE
                                                 : LG_JOURNAL_NONE,
                         .bands = LG_JOURNAL_THRESHOLDS,
                         .kind = what == ADD ? &lg_team_thresholds : NULL,
                         .at = (void **)p->at,
                         .numbers = what == APPLY ? counts_of : NULL,
                         .priv = p,
                         .count = (size_t)p->count,
                         .stack = p->params->stack};
    p->what = what;
    p->team = session->options->team;
    const lg_status status = lg_bands_each(session, file, EXTRA_BYTES, &keep, take_band, p, error);
    return what == APPLY ? status
                         : lg_team_merge(session->options->team, &lg_team_thresholds,
                                         (void **)p->at, (size_t)p->count, true, status, error);
}

static lg_status find_levels(lg_session *session, lg_input_file *file, pass *p, lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    lg_status status = LG_OK;
    for (int i = 0; i < p->count && !status; i++)
        status = lg_threshold_accumulator_create(
            p->params, s->type, s->channels, s->alpha, file->region.width, file->region.height,
            p->params->stack ? s->layers : 1, &p->at[i], error);
    if (!status && lg_threshold_accumulator_looks(p->at[0]))
        status = go(session, file, p, LOOK, error);
    if (!status && p->params->method != LG_THRESHOLD_VALUE)
        status = go(session, file, p, ADD, error);
    for (int i = 0; i < p->count && !status; i++)
        status =
            lg_threshold_accumulator_finish(p->at[i], p->params->select.nan, &p->levels[i], error);
    return status;
}

// ---- the output -----------------------------------------------------------------------------------

static lg_status open_output(lg_session *session, lg_input_file *file, lg_outputs *all,
                             const char *path, pass *p, lg_error *error)
{
    const lg_write_params params = {.exact = true,
                                    .options = *all->options ? all->options : NULL,
                                    .metadata = file->info.metadata};
    const lg_image_params shape = {.width = (int32_t)file->region.width,
                                   .height = (int32_t)file->region.height,
                                   .layers = file->image->shape.layers,
                                   .channels = 1,
                                   .type = LG_U8};
    if (session->options->codec || session->options->crf >= 0)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--codec and --crf are of video files, such as .mkv and .mp4");
    const lg_status status = lg_session_check_output(session, path, error);
    return status ? status : lg_row_writer_open(path, &shape, &params, &p->out.rows, error);
}

static lg_status compare_all(lg_session *session, lg_input_file *file, lg_outputs *all, char *path,
                             pass *p, lg_error *error)
{
    const bool wanted = session->options->output != NULL;
    lg_team *team = session->options->team;
    lg_status status = LG_OK;
    if (wanted)
        status = lg_outputs_name(all, file, lg_threshold_extension(&file->image->shape), path,
                                 PATH_MAX, error);
    if (!status && wanted && lg_team_leads(session->options))
        status = open_output(session, file, all, path, p, error);
    if (wanted)
        status = lg_team_share(team, &p->out, 0, file, status, error);
    if (status) {
        lg_team_discard(&p->out);
        return lg_blame(error, "output", path);
    }
    status = go(session, file, p, APPLY, error);
    if (!status && wanted && lg_team_close(team, &p->out, LG_OK, error) != LG_OK)
        status = lg_blame(error, "output", path);
    lg_team_discard(&p->out);
    return status;
}

// Ranks count their rows.
static lg_status count_all(lg_session *session, lg_threshold *levels, int count, lg_status status,
                           lg_error *error)
{
    uint64_t numbers[2];
    for (int i = 0; i < count && session->options->team; i++) {
        numbers[0] = levels[i].foreground;
        numbers[1] = levels[i].total;
        status = lg_team_sum(session->options->team, numbers, 2, status, error);
        levels[i].foreground = numbers[0];
        levels[i].total = numbers[1];
    }
    return status;
}

// Ranks look at their rows and merge; a --part by itself looks at all.
static lg_status levels_of_all(lg_session *session, lg_input_file *file, pass *p, lg_error *error)
{
    if (session->options->team)
        return find_levels(session, file, p, error);
    const lg_part part = lg_bands_all_rows(file);
    const lg_status status = find_levels(session, file, p, error);
    lg_bands_part(file, &part);
    return status;
}

// `path` NULL: levels alone.
static lg_status in_bands(lg_session *session, lg_input_file *file,
                          const lg_threshold_params *params, lg_outputs *all, char *path,
                          lg_threshold *out, int count, lg_error *error)
{
    pass p = {.params = params,
              .at = calloc((size_t)count, sizeof(lg_threshold_accumulator *)),
              .levels = out,
              .count = count};
    lg_status status =
        p.at ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for levels of layers");
    if (!status)
        status = levels_of_all(session, file, &p, error);
    if (!status && path)
        status = compare_all(session, file, all, path, &p, error);
    if (path)
        status = count_all(session, out, count, status, error);
    for (int i = 0; i < count && p.at; i++)
        lg_threshold_accumulator_destroy(&p.at[i]);
    free(p.at);
    return status;
}

lg_status lg_threshold_levels(lg_session *session, lg_input_file *file,
                              const lg_threshold_params *params, lg_threshold *out, int count,
                              lg_error *error)
{
    if (session->options->team || !counts_suffice(session, &file->image->shape))
        return in_bands(session, file, params, NULL, NULL, out, count, error);
    const lg_part part = lg_bands_all_rows(file);
    const lg_status status = lg_bands_levels(session, file, params, out, count, error);
    lg_bands_part(file, &part);
    return status;
}

lg_status lg_threshold_in_bands(lg_session *session, lg_input_file *file,
                                const lg_threshold_params *params, lg_outputs *all, char *path,
                                lg_threshold *out, int count, lg_error *error)
{
    if (counts_suffice(session, &file->image->shape))
        return lg_bands_levels(session, file, params, out, count, error);
    return in_bands(session, file, params, all, path, out, count, error);
}
