#include "file_bands.h"

#include "state_files.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BAND_BYTES                                                                                 \
    ((size_t)32 << 20) // enough for all threads, or a device; less where --memory says so
#define THREAD_BYTES                                                                               \
    ((size_t)4 << 20) // of a band for each thread: caches have it until it is measured
#define PREFER_BYTES ((size_t)4 << 20) // an image of fewer takes less memory than libraries do

const char *const lg_written_whole = "the format of an output is written whole";

static double bytes_of(const lg_image_params *s)
{
    return (double)s->width * s->height * s->layers * s->channels * (double)lg_type_size(s->type);
}

static double mask_bytes(const lg_session *session)
{
    return session->mask ? bytes_of(&session->mask->shape) : 0;
}

// ---- which files ----------------------------------------------------------------------------------

static bool holds(const lg_image_params *s, const lg_region *r)
{
    return r->x >= 0 && r->y >= 0 && r->width >= 1 && r->height >= 1 &&
           r->x <= s->width - r->width && r->y <= s->height - r->height;
}

static bool same_sides(const lg_image_params *s, const lg_image_params *mask)
{
    return mask->width == s->width && mask->height == s->height &&
           (mask->layers == 1 || mask->layers == s->layers);
}

bool lg_bands_needed(const lg_session *session, const lg_image_params *shape)
{
    const double pixels = (double)shape->width * shape->height * shape->layers;
    const double copies = session->copies > 1 ? session->copies : 1;
    return pixels > (double)session->options->max_pixels ||
           copies * bytes_of(shape) + mask_bytes(session) >
               (double)lg_memory_ceiling(session->options);
}

bool lg_bands_suit(const lg_session *session)
{
    lg_device_info info;
    lg_context_device(session->context, &info);
    return info.threads > 0 && !session->options->report;
}

static bool prefers(const lg_session *session)
{
    return session->prefers_bands && session->inputs == 1;
}

// What does not fit is refused where whole images are measured, in the same words.
static bool wants(const lg_session *session, const lg_image_params *s)
{
    const lg_options *options = session->options;
    if ((session->copies == 0 && options->has_region && !holds(s, &options->region)) ||
        (session->copies == 0 && session->mask && !same_sides(s, &session->mask->shape)))
        return false;
    if (session->copies == 0 && options->has_region &&
        !(session->rereads && session->rereads(session, s)))
        return true;
    return (prefers(session) && bytes_of(s) >= (double)PREFER_BYTES) || lg_bands_needed(session, s);
}

// NULL: rows come one by one.
static const char *whole_because(const lg_session *session, const lg_image_params *s)
{
    const lg_options *options = session->options;
    const bool values = options->space == LG_SPACE_STORED && s->type <= LG_F16;
    if (options->filters)
        return "--pipeline takes whole images";
    if (options->scale > 0)
        return "--scale takes whole images";
    if (!session->by_rows)
        return "this command takes whole images";
    if (options->range_auto && options->space <= LG_SPACE_RGBL && !values)
        return "--range auto of these samples looks at the whole image first";
    return session->whole_because ? session->whole_because(session, s) : NULL;
}

static lg_status refuse(const lg_session *session, const lg_image_params *s, double held,
                        const char *why, lg_error *error)
{
    const double ceiling = (double)lg_memory_ceiling(session->options), bytes = bytes_of(s) + held;
    if (bytes <= ceiling || !why)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_LIMIT,
                        "%d x %d pixels x %d layers take %.3f MB, and %s; limit memory is %.3f MB: "
                        "raise it with --memory",
                        s->width, s->height, s->layers, bytes / 1e6, why, ceiling / 1e6);
}

// Pixels in a byte of a file, at the most: what is smaller than the limits for certain is opened once.
#define MAX_RATIO 4096

// Of a file, or of a member of an archive; -1: not known.
static int64_t bytes_in(const char *name)
{
    struct stat status;
    int64_t bytes = -1;
    if (stat(name, &status) == 0)
        return S_ISREG(status.st_mode)    ? (int64_t)status.st_size
               : lg_image_is_folder(name) ? (int64_t)1 << 40 // of many files
                                          : -1;
    return lg_archive_length(name) && lg_archive_member_size(name, &bytes, NULL) == LG_OK ? bytes
                                                                                          : -1;
}

// Members of archives are held as they are.
static lg_status check_member(const lg_session *session, const char *name, lg_error *error)
{
    const size_t ceiling = lg_memory_ceiling(session->options);
    const int64_t bytes = lg_archive_length(name) ? bytes_in(name) : 0;
    if (bytes <= 0 || (uint64_t)bytes <= ceiling)
        return LG_OK;
    return lg_set_error(error, LG_ERROR_LIMIT,
                        "the member of the archive takes %.3f MB, as it is held in memory; limit "
                        "memory is %.3f MB: raise it with --memory, or unpack the archive",
                        (double)bytes / 1e6, (double)ceiling / 1e6);
}

// Pipes are read once: nothing may be read of them here.
static bool may_look(const lg_session *session, const char *name)
{
    const lg_options *options = session->options;
    if (!session->has_ceiling || options->planes || options->plane >= 0 || session->arrays ||
        options->size || options->lavfi || strcmp(name, "-") == 0)
        return false;
    const int64_t bytes = bytes_in(name);
    if (bytes < 0)
        return false;
    const double pixels = (double)bytes * MAX_RATIO;
    return options->has_region || (prefers(session) && pixels >= (double)PREFER_BYTES) ||
           pixels > (double)options->max_pixels ||
           pixels > (double)lg_memory_ceiling(options) / 64; // bytes of a pixel, and copies
}

lg_status lg_bands_choose(lg_session *session, lg_context *context, const char *name,
                          lg_read_params *params, bool *in_bands, lg_error *error)
{
    lg_row_reader *rows = NULL;
    lg_error ignored; // what is wrong with a file is said where it is read
    lg_status status = check_member(session, name, error);
    // Rows are added to accumulators, or shared.
    *in_bands = session->options->state != NULL || session->options->team != NULL;
    if (status || *in_bands || !may_look(session, name))
        return status;
    lg_read_params looking = lg_input_params(session);
    looking.max_pixels = 1; // files that would be held whole are not even decoded
    looking.metadata = false;
    looking.progress = NULL;
    status = lg_row_reader_open(context, name, &looking, &rows, NULL, &ignored);
    if (status == LG_ERROR_MEMORY)
        return lg_set_error(error, status, "%s", ignored.message);
    if (status)
        return LG_OK;
    const lg_image_params *shape = lg_row_reader_shape(rows);
    const char *why = whole_because(session, shape);
    // A chunk of Zarr is as large as it is; other decoders take a part of the limit.
    const double held = lg_image_is_folder(name) ? (double)lg_row_reader_memory(rows) : 0;
    const double ceiling = (double)lg_memory_ceiling(session->options);
    *in_bands = !why && !lg_row_reader_holds_all(rows) &&
                (wants(session, shape) || bytes_of(shape) + held > ceiling);
    if (!*in_bands && (!session->spills || why == lg_written_whole || held > ceiling))
        status = refuse(session, shape, held, why, error);
    else if (!lg_row_reader_holds_all(rows))
        params->max_pixels = lg_scratch_pixels(session->options);
    lg_row_reader_close(&rows);
    return status;
}

// What no band would refuse.
static lg_status check_rows(const lg_session *session, const lg_image_params *s, lg_error *error)
{
    const char *why = whole_because(session, s);
    if (why)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT, "%s: %s",
            session->options->state ? "no state can be made" : "ranks cannot share the rows", why);
    if (session->mask && !same_sides(s, &session->mask->shape))
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "the mask has %d x %d pixels and %d layers, the image %d x %d and %d",
                            session->mask->shape.width, session->mask->shape.height,
                            session->mask->shape.layers, s->width, s->height, s->layers);
    return LG_OK;
}

void lg_bands_share(const lg_options *options, lg_input_file *file, int64_t height)
{
    const lg_journal *journal = lg_team_journal(options->team);
    if (!options->team)
        return;
    lg_team_rows(options->team, height, options->step, &file->first_row, &file->end_row);
    file->first_row = lg_journal_cut(journal, file->first_row);
    file->end_row = lg_journal_cut(journal, file->end_row);
}

// The rows of --part, or of this rank: all parts have the same rows that --step counts.
static void choose_part(const lg_options *options, lg_input_file *file)
{
    if (options->team) {
        lg_bands_share(options, file, file->region.height);
        return;
    }
    const int64_t step = options->step, steps = (file->region.height + step - 1) / step;
    const int64_t n = options->part_count, i = options->part;
    file->first_row = n ? steps * (i - 1) / n * step : 0;
    file->end_row = n && i < n ? steps * i / n * step : file->region.height;
}

lg_part lg_bands_all_rows(lg_input_file *file)
{
    const lg_part part = {file->first_row, file->end_row};
    file->first_row = 0;
    file->end_row = file->region.height;
    return part;
}

void lg_bands_part(lg_input_file *file, const lg_part *part)
{
    file->first_row = part->first;
    file->end_row = part->end;
}

// Ranks see the same image, as far as its shape tells.
static lg_status same_shape(lg_session *session, const lg_input_file *file, lg_status status,
                            lg_error *error)
{
    uint64_t digest = 0;
    if (!status) {
        const lg_image_params *s = lg_row_reader_shape(file->rows);
        digest = (uint64_t)s->width << 32 ^ (uint64_t)s->height ^ (uint64_t)s->layers << 48 ^
                 (uint64_t)s->channels << 28 ^ (uint64_t)s->type << 60;
    }
    return lg_team_same(session->options->team, "its sides or samples", digest, status, error);
}

lg_status lg_bands_measure(lg_session *session, lg_input_file *file, lg_measure_fn measure,
                           void *priv, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_read_params params = lg_input_params(session);
    const double start = lg_clock();
    lg_status status =
        lg_row_reader_open(session->context, file->name, &params, &file->rows, &file->info, error);
    status = same_shape(session, file, status, error);
    if (status) {
        lg_row_reader_close(&file->rows);
        return status;
    }
    lg_image shape = {.shape = *lg_row_reader_shape(file->rows)};
    file->decode = lg_clock() - start;
    file->image = &shape;
    file->region = options->has_region ? options->region : lg_image_region(&shape.shape);
    file->select = (lg_select){.region = options->has_region ? &file->region : NULL,
                               .mask = session->mask,
                               .skip_transparent = options->skip_transparent,
                               .nan = (lg_nan)options->nan,
                               .step = (int32_t)options->step};
    lg_session_engine_begin(session);
    if (session->copies == 0 && !holds(&shape.shape, &file->region))
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "the region leaves the image");
    if (!status && (options->state || options->team))
        status = check_rows(session, &shape.shape, error);
    if (options->resume && options->team) {
        if (!status)
            status = lg_journal_input(lg_team_journal(options->team), file, error);
        status = lg_team_agree(options->team, status, error);
    }
    choose_part(options, file);
    if (!status)
        status = measure(session, file, priv, error);
    if (file->image == &shape)
        file->image = NULL;
    lg_row_reader_close(&file->rows);
    if (status == LG_OK && file->info.note[0])
        lg_session_note(session, "%s: note: %s", file->name, file->info.note);
    return status;
}

// ---- the walk -------------------------------------------------------------------------------------

typedef struct walk {
    lg_session *session;
    lg_input_file *file;
    lg_image *buffer;
    int64_t rows; // at a time
    lg_engine_report engine;
} walk;

static double band_bytes(const lg_session *session)
{
    lg_device_info info;
    lg_context_device(session->context, &info);
    const size_t most = info.threads > 0 ? THREAD_BYTES * (size_t)info.threads : BAND_BYTES;
    return (double)(most < BAND_BYTES ? most : BAND_BYTES);
}

// So many rows that what is held stays below the ceiling: the reader's, the mask, a band, and what is made
// of a band: one in staging memory for a device, or `extra` bytes for each pixel.
static lg_status choose_rows(walk *w, double extra, lg_error *error)
{
    const lg_image_params *s = lg_row_reader_shape(w->file->rows);
    const lg_options *options = w->session->options;
    const double ceiling = (double)lg_memory_ceiling(options);
    const double held = (double)lg_row_reader_memory(w->file->rows) + mask_bytes(w->session) +
                        (double)w->file->held;
    const double row = (double)w->file->region.width * s->channels * (double)lg_type_size(s->type);
    const double cost = 2 * row + extra * (double)w->file->region.width;
    const double room = (ceiling - held) * (row / cost);
    const int64_t step = options->step;
    const double most = band_bytes(w->session);
    int64_t rows = (int64_t)((room < most ? room : most) / row);
    if (row * (double)step > most && room >= row * (double)step)
        rows = step;
    if (rows < step)
        return lg_set_error(error, LG_ERROR_LIMIT,
                            "a band of %lld row%s takes %.3f MB beside %.3f MB that are held; "
                            "limit memory is %.3f MB: raise it with --memory",
                            (long long)step, step == 1 ? "" : "s", cost * (double)step / 1e6,
                            held / 1e6, ceiling / 1e6);
    w->rows = rows / step * step; // rows that count stay those of the region
    w->rows = w->rows < w->file->region.height ? w->rows : w->file->region.height;
    return LG_OK;
}

static lg_status part_of(lg_context *context, const lg_image *image, int32_t layer, int64_t x,
                         int64_t y, int64_t width, int64_t height, lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    const size_t pixel = (size_t)shape.channels * lg_type_size(shape.type);
    char *first = (char *)image->data + (size_t)layer * shape.layer_stride +
                  (size_t)y * shape.row_stride + (size_t)x * pixel;
    shape.width = (int32_t)width;
    shape.height = (int32_t)height;
    shape.layers = 1;
    shape.layer_stride = shape.row_stride * (size_t)height;
    return lg_image_wrap(context, &shape, first, out, error);
}

static void add_seconds(double *to, double more)
{
    if (more >= 0)
        *to = (*to > 0 ? *to : 0) + more;
}

static void add_engine(walk *w)
{
    lg_engine_report last, *all = &w->engine;
    lg_context_report(w->session->context, &last);
    const double upload = all->upload, compute = all->compute, download = all->download;
    char fallback[sizeof last.fallback];
    memcpy(fallback, all->fallback, sizeof fallback);
    *all = last;
    if (fallback[0])
        memcpy(all->fallback, fallback, sizeof fallback);
    all->upload = upload, all->compute = compute, all->download = download;
    add_seconds(&all->upload, last.upload);
    add_seconds(&all->compute, last.compute);
    add_seconds(&all->download, last.download);
}

static lg_status measure_band(walk *w, lg_band_fn fn, void *priv, int32_t layer, int64_t y,
                              int64_t rows, lg_error *error)
{
    lg_context *context = w->session->context;
    lg_input_file *file = w->file;
    const lg_region *r = &file->region;
    const lg_region part = {r->x, r->y + y, r->width, rows};
    const lg_image *mask = w->session->mask;
    lg_image *band = NULL, *masked = NULL;
    lg_select select = file->select;
    lg_status status = part_of(context, w->buffer, 0, 0, 0, r->width, rows, &band, error);
    if (!status && mask)
        status = part_of(context, mask, mask->shape.layers > 1 ? layer : 0, r->x, part.y, r->width,
                         rows, &masked, error);
    const double start = lg_clock();
    if (!status)
        status = lg_row_reader_read(file->rows, layer, &part, band, error);
    file->decode += lg_clock() - start;
    select.region = NULL;
    select.mask = masked;
    select.nan = LG_NAN_IGNORE; // whether there are any is known at the end
    if (!status)
        status = fn(context, priv, layer, y, band, &select, error);
    if (!status)
        add_engine(w);
    lg_image_destroy(&band);
    lg_image_destroy(&masked);
    return status;
}

// A band that was kept may be higher than those of this machine.
static lg_status make_room(walk *w, int64_t rows, lg_error *error)
{
    lg_image_params shape = w->buffer->shape;
    if (rows <= shape.height)
        return LG_OK;
    lg_image_destroy(&w->buffer);
    shape.height = (int32_t)rows;
    shape.row_stride = shape.layer_stride = 0;
    return lg_image_create(w->session->context, &shape, &w->buffer, error);
}

static lg_status each_of_layer(walk *w, lg_band_keep *keep, lg_band_fn fn, void *priv,
                               int32_t layer, lg_error *error)
{
    lg_journal *journal = lg_team_journal(w->session->options->team);
    const int64_t end = w->file->end_row;
    lg_status status = LG_OK;
    for (int64_t y = w->file->first_row, next; y < end && !status; y = next) {
        status = lg_keep_restore(journal, keep, layer, y, &next, error);
        if (status || next > y)
            continue;
        int64_t rows = w->rows < end - y ? w->rows : end - y;
        if (keep)
            rows = lg_journal_rows(journal, keep->bands, layer, y, rows);
        status = make_room(w, rows, error);
        if (!status)
            status = lg_keep_enter(journal, keep, layer, error);
        if (!status)
            status = measure_band(w, fn, priv, layer, y, rows, error);
        status = lg_keep_leave(journal, keep, layer, y, rows, status, error);
        next = y + rows;
    }
    return status;
}

static lg_status each_band(lg_session *session, lg_input_file *file, double extra,
                           lg_band_keep *keep, lg_band_fn fn, void *priv, lg_error *error)
{
    walk w = {session, file, .engine = {.upload = -1, .compute = -1, .download = -1}};
    lg_status status = choose_rows(&w, extra, error);
    if (status)
        return status;
    lg_image_params shape = *lg_row_reader_shape(file->rows);
    const int32_t layers = shape.layers;
    shape.width = (int32_t)file->region.width;
    shape.height = (int32_t)w.rows;
    shape.layers = 1;
    shape.row_stride = shape.layer_stride = 0;
    status = lg_image_create(session->context, &shape, &w.buffer, error);
    if (!status)
        status = lg_keep_begin(lg_team_journal(session->options->team), keep, error);
    for (int32_t layer = 0; layer < layers && !status; layer++)
        status = each_of_layer(&w, keep, fn, priv, layer, error);
    lg_keep_end(keep);
    lg_image_destroy(&w.buffer);
    lg_row_reader_note(file->rows, &file->info);
    session->engine = w.engine;
    session->engine_settled = true;
    return status;
}

lg_status lg_bands_each(lg_session *session, lg_input_file *file, double extra, lg_band_keep *keep,
                        lg_band_fn fn, void *priv, lg_error *error)
{
    const lg_status status = each_band(session, file, extra, keep, fn, priv, error);
    return lg_team_agree(session->options->team, status, error);
}

// ---- moments --------------------------------------------------------------------------------------

typedef struct moments_walk {
    lg_moments_accumulator **at; // of each layer, or of the stack
    bool stack;
} moments_walk;

static lg_status add_moments(lg_context *context, void *priv, int32_t layer, int64_t y,
                             const lg_image *band, const lg_select *select, lg_error *error)
{
    const moments_walk *m = priv;
    return lg_moments_accumulator_add(context, m->at[m->stack ? 0 : layer], band, select, 0, y,
                                      m->stack ? layer : 0, error);
}

// One accumulator for each layer or for the stack, with the rows of the part; the leader of a team has all.
// *out is the caller's also when it fails.
static lg_status accumulate_moments(lg_session *session, lg_input_file *file, bool stack,
                                    lg_moments_accumulator ***out, lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    const int32_t entries = stack ? 1 : s->layers;
    moments_walk m = {calloc((size_t)entries, sizeof *m.at), stack};
    lg_status status =
        m.at ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for figures of layers");
    for (int32_t i = 0; i < entries && !status; i++)
        status = lg_moments_accumulator_create(s->type, lg_image_measured_channels(s),
                                               file->region.width, file->region.height,
                                               stack ? s->layers : 1, &m.at[i], error);
    lg_band_keep keep = {.pass = LG_JOURNAL_MOMENTS,
                         .bands = LG_JOURNAL_MOMENTS,
                         .kind = &lg_team_moments,
                         .at = (void **)m.at,
                         .count = (size_t)entries,
                         .stack = stack};
    if (!status)
        status = lg_bands_each(session, file, 0, &keep, add_moments, &m, error);
    *out = m.at;
    return lg_team_merge(session->options->team, &lg_team_moments, (void **)m.at, (size_t)entries,
                         false, status, error);
}

static void free_moments(lg_moments_accumulator **at, int32_t entries)
{
    for (int32_t i = 0; i < entries && at; i++)
        lg_moments_accumulator_destroy(&at[i]);
    free(at);
}

lg_status lg_bands_moments(lg_session *session, lg_input_file *file,
                           const lg_moments_params *params, lg_moments *out, lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    const int channels = lg_image_measured_channels(s);
    const int32_t entries = params->stack ? 1 : s->layers;
    lg_moments_accumulator **at = NULL;
    lg_status status = accumulate_moments(session, file, params->stack, &at, error);
    for (int32_t i = 0; i < entries && !status && lg_team_leads(session->options); i++)
        status = lg_moments_accumulator_finish(at[i], params->select.nan, out + i * channels,
                                               (size_t)channels, error);
    free_moments(at, entries);
    return status;
}

lg_status lg_bands_state_moments(lg_session *session, lg_input_file *file, lg_error *error)
{
    const int32_t entries = session->options->stack ? 1 : file->image->shape.layers;
    lg_moments_accumulator **at = NULL;
    lg_status status = accumulate_moments(session, file, session->options->stack, &at, error);
    if (!status)
        status = lg_states_add(session, file, NULL, (void *const *)at, (size_t)entries,
                               lg_team_moments.save, error);
    free_moments(at, entries);
    return status;
}

// ---- histograms -----------------------------------------------------------------------------------

typedef struct histogram_walk {
    lg_histogram_accumulator **at;
    bool stack;
} histogram_walk;

static lg_status add_histogram(lg_context *context, void *priv, int32_t layer, int64_t y,
                               const lg_image *band, const lg_select *select, lg_error *error)
{
    const histogram_walk *h = priv;
    return lg_histogram_accumulator_add(context, h->at[h->stack ? 0 : layer], band, select, 0, y,
                                        h->stack ? layer : 0, error);
}

// Histograms of layers side by side; the counts stay with their parts.
static lg_status join(bool stack, lg_band_histogram *out, lg_error *error)
{
    lg_histogram *all = &out->all;
    *all = *out->parts[0];
    all->layers = out->count;
    all->channel = calloc((size_t)out->count * (size_t)all->channels, sizeof *all->channel);
    if (!all->channel)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for histograms of layers");
    for (int32_t i = 0; i < out->count; i++)
        for (int32_t c = 0; c < all->channels; c++) {
            lg_histogram_channel *to = &all->channel[i * all->channels + c];
            *to = out->parts[i]->channel[c];
            to->layer = stack ? -1 : i;
        }
    return LG_OK;
}

void lg_band_histogram_free(lg_band_histogram *histogram)
{
    for (int32_t i = 0; i < histogram->count && histogram->parts; i++)
        lg_histogram_destroy(&histogram->parts[i]);
    free(histogram->parts);
    if (histogram->all.channel)
        free(histogram->all.channel);
    *histogram = (lg_band_histogram){0};
}

// Likewise; of a team all have all, as levels follow from them.
static lg_status accumulate_histograms(lg_session *session, lg_input_file *file,
                                       const lg_histogram_params *params, histogram_walk *h,
                                       lg_error *error)
{
    const lg_image_params *s = &file->image->shape;
    const int32_t entries = params->stack ? 1 : s->layers;
    *h = (histogram_walk){calloc((size_t)entries, sizeof *h->at), params->stack};
    lg_status status =
        h->at ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for histograms of layers");
    for (int32_t i = 0; i < entries && !status; i++)
        status = lg_histogram_accumulator_create(params, s->type, s->channels, s->alpha,
                                                 file->region.width, file->region.height,
                                                 params->stack ? s->layers : 1, &h->at[i], error);
    lg_band_keep keep = {.pass = LG_JOURNAL_HISTOGRAMS,
                         .bands = LG_JOURNAL_HISTOGRAMS,
                         .kind = &lg_team_histograms,
                         .at = (void **)h->at,
                         .count = (size_t)entries,
                         .stack = params->stack};
    if (!status)
        status = lg_bands_each(session, file, 0, &keep, add_histogram, h, error);
    return lg_team_merge(session->options->team, &lg_team_histograms, (void **)h->at,
                         (size_t)entries, true, status, error);
}

static void free_histograms(const histogram_walk *h, int32_t entries)
{
    for (int32_t i = 0; i < entries && h->at; i++)
        lg_histogram_accumulator_destroy(&h->at[i]);
    free(h->at);
}

lg_status lg_histogram_join(lg_histogram_accumulator *const *at, int32_t entries, bool stack,
                            lg_nan nan, lg_band_histogram *out, lg_error *error)
{
    *out = (lg_band_histogram){.parts = calloc((size_t)entries, sizeof(lg_histogram *)),
                               .count = entries};
    lg_status status =
        out->parts ? LG_OK
                   : lg_set_error(error, LG_ERROR_MEMORY, "no memory for histograms of layers");
    for (int32_t i = 0; i < entries && !status; i++)
        status = lg_histogram_accumulator_finish(at[i], nan, &out->parts[i], error);
    for (int32_t i = 1; i < entries && !status; i++)
        if (out->parts[i]->channels != out->parts[0]->channels)
            status = lg_set_error(error, LG_ERROR_DATA, "its layers have different channels");
    return status ? status : join(stack, out, error);
}

lg_status lg_bands_histogram(lg_session *session, lg_input_file *file,
                             const lg_histogram_params *params, lg_band_histogram *out,
                             lg_error *error)
{
    histogram_walk h;
    const int32_t entries = params->stack ? 1 : file->image->shape.layers;
    *out = (lg_band_histogram){0};
    lg_status status = accumulate_histograms(session, file, params, &h, error);
    if (!status)
        status = lg_histogram_join(h.at, entries, h.stack, params->select.nan, out, error);
    free_histograms(&h, entries);
    return status;
}

lg_status lg_bands_levels(lg_session *session, lg_input_file *file,
                          const lg_threshold_params *params, lg_threshold *out, int count,
                          lg_error *error)
{
    lg_histogram_params counting = lg_histogram_params_default();
    lg_band_histogram found = {0};
    counting.select = params->select;
    counting.stack = params->stack;
    counting.space = LG_SPACE_LUMA;
    counting.luma = params->luma;
    lg_status status = lg_bands_histogram(session, file, &counting, &found, error);
    for (int i = 0; i < count && !status; i++)
        status =
            lg_threshold_level(&found.all.channel[i * found.all.channels], params, &out[i], error);
    lg_band_histogram_free(&found);
    return status;
}

lg_status lg_bands_state_histogram(lg_session *session, lg_input_file *file,
                                   const lg_histogram_params *params, lg_error *error)
{
    histogram_walk h;
    const int32_t entries = params->stack ? 1 : file->image->shape.layers;
    lg_status status = accumulate_histograms(session, file, params, &h, error);
    if (!status)
        status = lg_states_add(session, file, NULL, (void *const *)h.at, (size_t)entries,
                               lg_team_histograms.save, error);
    free_histograms(&h, entries);
    return status;
}
