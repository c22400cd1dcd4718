// The walk over the input files, and the mask.
#include "before.h"
#include "file_bands.h"
#include "films.h"
#include "html.h"
#include "names.h"
#include "overwritten.h"
#include "read_ahead.h"
#include "scaled_input.h"
#include "state_files.h"
#include "team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SPARE ((size_t)128 << 20) // bytes that decoders may hold to be faster

// ---- mask ---------------------------------------------------------------------------------------

static bool is_zero(const uint8_t *sample, lg_type type)
{
    uint16_t half;
    float value;
    switch (type) {
    case LG_U8:
        return *sample == 0;
    case LG_F32:
        memcpy(&value, sample, sizeof value);
        return value == 0;
    default:
        memcpy(&half, sample, sizeof half);
        return (type == LG_F16 ? half & 0x7fff : half) == 0; // minus zero is zero
    }
}

static void *row_of(const lg_image *image, int32_t layer, int32_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

// A pixel counts when one of its colours is not zero; alpha alone does not make it count.
static void binarise_row(const lg_image_params *shape, const uint8_t *from, uint8_t *to)
{
    int colors = lg_image_measured_channels(shape);
    if (shape->alpha == LG_ALPHA_STRAIGHT || shape->alpha == LG_ALPHA_PREMULTIPLIED)
        colors--;
    size_t sample = lg_type_size(shape->type);
    for (int32_t x = 0; x < shape->width; x++, from += sample * (size_t)shape->channels) {
        bool counts = false;
        for (int i = 0; i < colors; i++)
            counts |= !is_zero(from + (size_t)i * sample, shape->type);
        to[x] = counts ? 255 : 0;
    }
}

static lg_status binarise(lg_session *session, const lg_image *in, lg_error *error)
{
    lg_image_params shape = {.width = in->shape.width,
                             .height = in->shape.height,
                             .layers = in->shape.layers,
                             .channels = 1,
                             .type = LG_U8,
                             .alpha = LG_ALPHA_NONE};
    lg_status status = lg_image_create(session->context, &shape, &session->mask, error);
    if (status != LG_OK)
        return status;
    for (int32_t layer = 0; layer < shape.layers; layer++)
        for (int32_t y = 0; y < shape.height; y++)
            binarise_row(&in->shape, row_of(in, layer, y), row_of(session->mask, layer, y));
    return LG_OK;
}

static lg_read_params read_params(const lg_options *options)
{
    const size_t part = lg_memory_ceiling(options) / 8;
    return (lg_read_params){.max_pixels = options->max_pixels,
                            .max_side = options->max_side,
                            .page = -1,
                            .allow_untrusted = options->allow_untrusted,
                            .convert = options->convert,
                            .spare_memory = part < MOST_SPARE ? part : MOST_SPARE};
}

lg_status lg_session_read(lg_session *session, const char *path, lg_image **out, lg_read_info *info,
                          lg_error *error)
{
    lg_read_params params = read_params(session->options);
    return lg_image_read(session->context, path, &params, out, info, error);
}

lg_status lg_session_read_mask(lg_session *session, lg_error *error)
{
    lg_image *image = NULL;
    lg_status status = lg_session_read(session, session->options->mask, &image, NULL, error);
    if (status == LG_OK)
        status = binarise(session, image, error);
    lg_image_destroy(&image);
    return status;
}

// ---- one file -----------------------------------------------------------------------------------

static bool show_part(void *priv, double part)
{
    const lg_session *session = priv; // frames are read in other threads, which show nothing
    if (!pthread_equal(pthread_self(), session->thread))
        return !lg_film_interrupted();
    return lg_session_progress(priv, part);
}

lg_read_params lg_input_params(lg_session *session)
{
    const lg_options *options = session->options;
    lg_read_params params = read_params(options);
    params.page = (int32_t)options->page;
    params.layers = options->chooses_layers ? &options->layers : NULL;
    const bool written =
        options->target_count > 0 || options->output || options->colors || options->overlay;
    params.metadata = (written && !options->strip) || options->auto_orient;
    params.progress = show_part;
    params.progress_priv = session;
    return params;
}

// The input of --size.
static lg_status make_input(lg_session *session, lg_input_file *file, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_image_params shape = {.width = options->width,
                                   .height = options->height,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    if ((int64_t)shape.width * shape.height > options->max_pixels ||
        shape.width > options->max_side || shape.height > options->max_side)
        return lg_set_error(error, LG_ERROR_LIMIT,
                            "more than --max-pixels %lld or --max-side %lld allow",
                            (long long)options->max_pixels, (long long)options->max_side);
    const lg_status status = lg_image_create(session->context, &shape, &file->image, error);
    snprintf(file->info.format, sizeof file->info.format, "made");
    for (int32_t y = 0; y < shape.height && !status; y++) {
        uint8_t *row = row_of(file->image, 0, y);
        for (int32_t x = 0; x < shape.width; x++)
            memcpy(row + 4 * (size_t)x, (const uint8_t[4]){0, 0, 0, 255}, 4);
    }
    return status;
}

// Does not read what is read in bands.
static lg_status read_file(lg_session *session, lg_input_file *file, bool *in_bands,
                           lg_error *error)
{
    if (session->options->size)
        return make_input(session, file, error);
    if (session->ahead)
        return lg_read_ahead_take(session->ahead, file, in_bands, error);
    lg_read_params params = lg_input_params(session);
    const lg_status chosen =
        lg_bands_choose(session, session->context, file->name, &params, in_bands, error);
    if (chosen || *in_bands)
        return chosen;
    const double start = lg_clock();
    const lg_status status =
        lg_image_read(session->context, file->name, &params, &file->image, &file->info, error);
    file->decode = lg_clock() - start;
    return status;
}

// An array has neither layers nor channels: nothing is done before it is measured.
static lg_status measure_array(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                               void *priv, lg_error *error)
{
    const double start = lg_clock();
    const lg_status status =
        lg_area_array_read(file->name, session->options->max_pixels, &file->array, error);
    file->decode = lg_clock() - start;
    snprintf(file->info.format, sizeof file->info.format, "npy");
    lg_session_engine_begin(session);
    return status == LG_OK ? measure(session, file, priv, error) : status;
}

// The image that was read.
static lg_status measure_image(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                               void *priv, lg_error *error)
{
    const lg_options *options = session->options;
    lg_session_engine_begin(session);
    lg_status status = options->plane >= 0 ? lg_take_plane(session, file, error) : LG_OK;
    if (status == LG_OK)
        status = lg_before_run(session, file, error);
    if (status != LG_OK)
        return status;
    file->region = options->has_region ? options->region : lg_image_region(&file->image->shape);
    if (options->scale > 0 && options->scale < 1)
        status = lg_scale_input(session, file, error);
    if (status != LG_OK)
        return status;
    const bool part = options->has_region && !file->unscaled_width;
    file->select = (lg_select){.region = part ? &file->region : NULL,
                               .mask = session->mask,
                               .skip_transparent = options->skip_transparent,
                               .nan = (lg_nan)options->nan,
                               .step = (int32_t)options->step};
    status = measure(session, file, priv, error);
    if (status == LG_OK && file->info.note[0] && !file->repeated)
        lg_session_note(session, "%s: note: %s", file->name, file->info.note);
    return status;
}

static lg_status measure_frames(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                                void *priv, lg_error *error)
{
    bool more = true;
    const int done = session->done;
    lg_error local = {0};
    lg_status status = lg_open_film(session, file, error);
    while (!status && (status = lg_film_next(session, file, &more, error)) == LG_OK && more) {
        status = file->image ? measure_image(session, file, measure, priv, error)
                             : measure(session, file, priv, error); // of the planes
        lg_film_done(session, file, status == LG_OK && !file->sent);
        if (!status && lg_film_interrupted())
            status = lg_set_error(error, LG_ERROR_CANCELLED, "interrupted");
    }
    if (session->film_drain && file->frames) { // frames before the one that failed
        const lg_status drained = session->film_drain(session, file, priv, status, &local);
        if (drained)
            *error = local;
        status = drained ? drained : status;
    }
    const bool kept = session->done > done && !(status && session->options->whole);
    file->ends_early |= status != LG_OK;
    const lg_status ended = session->film_end && file->frames
                                ? session->film_end(session, file, priv, kept, &local)
                                : LG_OK;
    if (status)
        lg_film_explain_end(session, file, kept, error);
    if (!kept && session->film_end) // what the frames became is dropped
        session->done = done;
    lg_film_note_dropped(session, file);
    if (ended) // what the frames became is lost
        session->done = done;
    if (ended && !status) {
        *error = local;
        status = ended;
    }
    lg_close_film(file);
    return status;
}

static lg_status measure_file(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                              void *priv, lg_error *error)
{
    if (session->options->lavfi) // says what it needs
        return measure(session, file, priv, error);
    bool in_bands = false;
    const lg_status status = read_file(session, file, &in_bands, error);
    if (status)
        return status;
    return (in_bands ? lg_bands_measure : measure_image)(session, file, measure, priv, error);
}

void lg_note_level(lg_session *session, const lg_input_file *file, double level)
{
    const lg_type type = file->image->shape.type;
    if ((type != LG_U8 && type != LG_U16) || file->repeated)
        return;
    const double max = type == LG_U8 ? 255 : 65535;
    char given[LG_NUMBER_SIZE], meant[LG_NUMBER_SIZE];
    lg_number_short(level, given);
    lg_number_short(level * max, meant);
    if (level < 0 || level >= max)
        lg_session_note(session, "%s: note: %s samples are 0 to %.0f, %s above the level %s",
                        file->name, lg_type_name(type), max, level < 0 ? "all" : "none", given);
    else if (level > 0 && level < 1)
        lg_session_note(session,
                        "%s: note: the level %s is in stored units, 0 to %.0f; is %s meant?",
                        file->name, given, max, meant);
}

// Failures of the command as a whole are no input's: they have no document.
void lg_session_fail_input(lg_session *session, const char *name, const lg_error *error)
{
    lg_session_fail(session, name, error);
    lg_report_failure_json(session, name, error);
    lg_html_failure(session, name, error);
}

// Frames have no name of their own.
static lg_status refuse_film(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                             void *priv, lg_error *error)
{
    return lg_set_error(error, LG_ERROR_ARGUMENT, "a state has no frames of films");
}

static void each_file(lg_session *session, const lg_names *list, int index, int count,
                      lg_measure_fn measure, void *priv)
{
    lg_error error = {0};
    const char *name = list->path[index];
    lg_input_file file = {.name = name,
                          .below = list->below[index],
                          .index = index,
                          .count = count,
                          .place = list->places ? list->places[index] : index,
                          .frame = -1,
                          .first = -1};
    if (session->options->chooses_layers) {
        file.channel = session->options->layers.channel + 1;
        file.moment = session->options->layers.time + 1;
    }
    const bool film = !session->arrays && lg_is_film(session, name);
    session->file = &file;
    lg_session_progress(session, 0);
    lg_status status = (film && session->states ? refuse_film
                        : film                  ? measure_frames
                        : session->arrays       ? measure_array
                                          : measure_file)(session, &file, measure, priv, &error);
    status = lg_team_settle(session->options->team, status, &error);
    session->file = NULL;
    lg_area_array_free(&file.array);
    lg_image_destroy(&file.image);
    lg_metadata_destroy(&file.info.metadata);
    if (status == LG_OK && !film && !file.sent)
        session->done++;
    else if (status != LG_OK && session->settle)
        session->settle(session, priv); // reports are in the order of the inputs
    if (status != LG_OK)
        lg_session_fail_input(session, name, &error);
    if (status != LG_OK && session->states)
        lg_states_fail(session, &file, &error);
}

// ---- all inputs ------------------------------------------------------------------------------

lg_status lg_session_check_output(const lg_session *session, const char *path, lg_error *error)
{
    struct stat output;
    const char *mask = session->options->mask;
    if (strcmp(path, "-") == 0 || stat(path, &output) != 0 ||
        !(S_ISREG(output.st_mode) || lg_image_is_folder(path)))
        return LG_OK;
    const lg_options *options = session->options;
    bool same = (mask && lg_would_replace(path, &output, mask)) ||
                (options->boxes && lg_would_replace(path, &output, options->boxes)) ||
                (options->polygons && lg_would_replace(path, &output, options->polygons)) ||
                (options->graph && lg_would_replace(path, &output, options->graph)) ||
                (options->intensity && lg_would_replace(path, &output, options->intensity));
    for (int i = 0; i < options->input_count && !same; i++)
        same = lg_would_replace(path, &output, options->inputs[i].file);
    for (int i = 0; i < session->inputs && !same; i++)
        same = lg_would_replace(path, &output, session->names[i]);
    return same ? lg_set_error(error, LG_ERROR_ARGUMENT,
                               "is an input of this command; choose another name for the output")
                : LG_OK;
}

// Puts the inputs that are this command's in front: those of the shard which no state has yet.
static bool choose_inputs(const lg_session *session, lg_names *list, int *count)
{
    const lg_options *options = session->options;
    *count = (int)list->used;
    if (!options->shard_count && !session->states)
        return true;
    char **others = calloc(list->used + 1, sizeof *others);
    size_t *belows = calloc(list->used + 1, sizeof *belows);
    list->places = calloc(list->used + 1, sizeof *list->places);
    if (!others || !belows || !list->places) {
        free(others);
        free(belows);
        return false;
    }
    size_t taken = 0, left = 0;
    for (size_t i = 0; i < list->used; i++) {
        const bool mine =
            !options->shard_count || (int64_t)i % options->shard_count == options->shard - 1;
        if (mine && !lg_states_has(session, list->path[i])) {
            list->places[taken] = (int64_t)i;
            list->below[taken] = list->below[i];
            list->path[taken++] = list->path[i];
        } else {
            belows[left] = list->below[i];
            others[left++] = list->path[i];
        }
    }
    memcpy(list->path + taken, others, left * sizeof *others);
    memcpy(list->below + taken, belows, left * sizeof *belows);
    free(others);
    free(belows);
    *count = (int)taken;
    return true;
}

static bool fail_all(lg_session *session, const char *what, const lg_error *error)
{
    lg_session_fail(session, what, error);
    return false;
}

bool lg_session_check_outputs(lg_session *session)
{
    const lg_options *options = session->options;
    const char *const outputs[] = {session->report ? options->output : NULL, options->report,
                                   options->state};
    lg_error refusal = {0};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        if (outputs[i] && lg_session_check_output(session, outputs[i], &refusal) != LG_OK)
            return fail_all(session, outputs[i], &refusal);
    return true;
}

// Names that were expanded on several machines.
static uint64_t digest_of(const lg_names *list)
{
    uint64_t digest = 1469598103934665603u;
    for (size_t i = 0; i < list->used; i++)
        for (const char *at = list->path[i];; at++) {
            digest = (digest ^ (unsigned char)*at) * 1099511628211u;
            if (!*at)
                break;
        }
    return digest;
}

// All inputs, then those that this command has to do with. Arguments without any fail by themselves.
static bool list_inputs(lg_session *session, lg_names *list, int *count)
{
    const lg_options *options = session->options;
    lg_error error = {0};
    if (options->size && !lg_names_put(list, options->size, 0))
        lg_set_error(&error, LG_ERROR_MEMORY, "no memory for the file names");
    for (int i = 0; i < options->file_count && error.status != LG_ERROR_MEMORY; i++)
        if (lg_names_add(list, session, options->files[i], &error) &&
            error.status != LG_ERROR_MEMORY)
            lg_session_fail_input(session, options->files[i], &error);
    session->names = list->path;
    session->below = list->below;
    session->inputs = (int)list->used;
    if (error.status == LG_ERROR_MEMORY)
        return fail_all(session, "the inputs", &error);
    if (!lg_session_check_outputs(session))
        return false;
    error = (lg_error){0};
    if (options->state && lg_states_begin(session, &error) != LG_OK)
        return fail_all(session, options->state, &error);
    if (choose_inputs(session, list, count))
        return true;
    lg_set_error(&error, LG_ERROR_MEMORY, "no memory for the file names");
    return fail_all(session, "the inputs", &error);
}

// Ranks go through the same list; one that has none ends, and the others with it.
static bool same_inputs(lg_session *session, const lg_names *list)
{
    lg_error error = {0};
    lg_team *team = session->options->team;
    lg_status status = lg_team_same(team, "the names of inputs", digest_of(list), LG_OK, &error);
    status = lg_team_settle(team, status, &error);
    return status == LG_OK || fail_all(session, "the inputs", &error);
}

void lg_session_each(lg_session *session, lg_measure_fn measure, void *priv)
{
    const lg_options *options = session->options;
    lg_names list = {0};
    int count = 0;
    bool films = false;
    const bool mine = list_inputs(session, &list, &count);
    const bool good = mine && same_inputs(session, &list);
    const lg_read_params params = lg_input_params(session);
    for (int i = 0; i < count && good; i++)
        films |= lg_is_film(session, list.path[i]);
    if (good && !options->size && !films && !session->arrays)
        session->ahead =
            lg_read_ahead_begin(session, list.path, count, (int)options->jobs, &params);
    for (int i = 0; i < count && good && !lg_film_interrupted(); i++)
        each_file(session, &list, i, count, measure, priv);
    if (session->settle)
        session->settle(session, priv);
    lg_read_ahead_end(session->ahead);
    session->ahead = NULL;
    lg_states_end(session, good && !lg_film_interrupted());
    session->names = NULL;
    session->inputs = 0;
    lg_names_free(&list);
}
