#include "label_bands.h"

#include "label_values.h"
#include "layer_spool.h"
#include "state_files.h"
#include "team.h"
#include "threshold_bands.h"

#include <stdio.h>
#include <stdlib.h>

#define EXTRA_BYTES                                                                                \
    16 // of a pixel: its label, its part of a run, its bit, that of a binary image, and its colour
#define OVERLAY_BYTES                                                                              \
    12 // of a pixel, beside its samples once more: its label likewise, and the picture
#define HOLE_BYTES 12 // of a pixel: whether it is background, filled, and its labels
#define HOLE_SUMS  64 // of a pixel: as sums_bytes, of the background

// ---- which images ---------------------------------------------------------------------------------

static bool is_volume(const lg_options *options, int32_t layers)
{
    const int connectivity = lg_connectivity_of(options);
    return connectivity != 4 && connectivity != 8 && layers > 1;
}

static bool is_one(const lg_options *options, int32_t layers)
{
    return options->stack || layers == 1 || is_volume(options, layers);
}

const char *lg_label_whole_because(const lg_session *session, const lg_image_params *s)
{
    const lg_options *o = session->options;
    if (o->device == LG_DEVICE_VULKAN)
        return "a GPU labels whole images";
    if (o->report)
        return "--report draws over a whole image";
    if ((o->colors || o->output || o->overlay) && lg_label_pictures_because(o, s))
        return lg_label_pictures_because(o, s);
    if (o->fill_holes && (session->states || o->label_values))
        return "--fill-holes looks for holes in the whole image";
    if (is_volume(o, s->layers) && (session->states || o->team)) // layers are joined in their order
        return "volumes are labelled by one process; connectivity 4 and 8 take each layer by "
               "itself";
    if (lg_label_preset_at(o->preset < 0 ? 0 : o->preset)->background)
        return "the figures of this preset's background are of a whole image";
    if (lg_image_measured_channels(s) != 1 && !o->has_level)
        return "components are of one channel"; // which is refused in those words
    return NULL;
}

bool lg_label_rereads(const lg_session *session, const lg_image_params *shape)
{
    return true;
}

// ---- levels ---------------------------------------------------------------------------------------

static lg_status find_levels(lg_session *session, lg_input_file *file, lg_label_run *run,
                             lg_error *error)
{
    const lg_options *options = session->options;
    const int32_t layers = file->image->shape.layers;
    const lg_threshold_params params = lg_label_threshold(options, is_one(options, layers));
    run->level_count = params.stack ? 1 : layers;
    run->levels = calloc((size_t)run->level_count, sizeof *run->levels);
    if (!run->levels)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the levels");
    if (options->method == LG_THRESHOLD_VALUE)
        lg_note_level(session, file, options->value);
    return lg_threshold_levels(session, file, &params, run->levels, run->level_count, error);
}

// ---- scratch files --------------------------------------------------------------------------------

#define SCRATCH_SHARE 8 // of --memory, at the most
#define SCRATCH_BYTES ((size_t)64 << 20)

static bool has_pictures(const lg_session *session)
{
    const lg_options *o = session->options;
    return o->output || o->colors || o->overlay;
}

// Whether components wait in scratch files. Those that are sent or saved are all there at once.
static bool has_scratch(const lg_session *session)
{
    return !session->states && !session->options->team;
}

static size_t scratch_bytes(const lg_session *session)
{
    const size_t share = lg_memory_ceiling(session->options) / SCRATCH_SHARE;
    return share < SCRATCH_BYTES ? share : SCRATCH_BYTES;
}

// Of a pixel: sums of as many components as a band may have, once of the band and once of all.
static double sums_bytes(const lg_options *options, const lg_label_run *run)
{
    const int connectivity = lg_connectivity_of(options);
    const double density = options->label_values ? 1 : connectivity == 4 ? 0.5 : 0.25;
    const double bytes =
        64 + ((run->table.needs & LG_NEEDS_MOMENTS) ? 96 : 0) + (options->intensity ? 112 : 0);
    return 2 * density * bytes;
}

// ---- bands ----------------------------------------------------------------------------------------

typedef struct pass {
    lg_input_file *file;
    const lg_label_run *run;
    const lg_image *whole; // of --intensity FILE; NULL: intensities are those of the band, or none
    bool self;
    const lg_options *options;
    bool binary;          // bands are compared with a level first
    lg_band_holes *holes; // NULL: they stay
    lg_label_accumulator *parts;
    lg_label_pictures *pictures; // NULL: labels are for shapes
    enum { BACKGROUND, LOOK, ADD, LABELS } what;
} pass;

static lg_status compare(lg_context *context, const pass *p, int32_t layer, const lg_image *band,
                         lg_image **out, lg_error *error)
{
    lg_threshold ignored;
    const lg_threshold *level = &p->run->levels[p->run->level_count > 1 ? layer : 0];
    const lg_threshold_params params = {.size = sizeof(lg_threshold_params),
                                        .select = lg_select_default(),
                                        .method = LG_THRESHOLD_VALUE,
                                        .value = lg_label_level(level),
                                        .luma = (lg_luma)p->options->luma,
                                        .classes = 3,
                                        .bins = -1};
    return lg_threshold_image(context, band, &params, &ignored, 1, out, error);
}

static lg_status rows_of(lg_context *context, const pass *p, int32_t layer, int64_t y, int32_t rows,
                         lg_image **out, lg_error *error)
{
    lg_image_params shape = p->whole->shape;
    const lg_region *r = &p->file->region;
    char *first = (char *)p->whole->data + (size_t)layer * shape.layer_stride +
                  (size_t)(r->y + y) * shape.row_stride + (size_t)r->x * lg_type_size(shape.type);
    shape.width = (int32_t)r->width;
    shape.height = rows;
    shape.layers = 1;
    shape.layer_stride = shape.row_stride * (size_t)rows;
    return lg_image_wrap(context, &shape, first, out, error);
}

static lg_status take_band(lg_context *context, void *priv, int32_t layer, int64_t y,
                           const lg_image *band, const lg_select *select, lg_error *error)
{
    const pass *p = priv;
    lg_image *binary = NULL, *part = NULL, *filled = NULL;
    lg_labels *labels = NULL;
    lg_status status = p->binary ? compare(context, p, layer, band, &binary, error) : LG_OK;
    if (!status && p->whole)
        status = rows_of(context, p, layer, y, band->shape.height, &part, error);
    const lg_image *rows = binary ? binary : band, *intensity = p->self ? band : part;
    if (!status && p->holes && p->what != BACKGROUND)
        status = lg_band_holes_fill(context, p->holes, rows, y, layer, &filled, error);
    rows = filled ? filled : rows;
    if (!status && p->what == BACKGROUND)
        status = lg_band_holes_add(context, p->holes, rows, y, layer, error);
    else if (!status && p->what == LOOK)
        status = lg_label_accumulator_look(context, p->parts, rows, intensity, error);
    else if (!status && p->what == ADD)
        status = lg_label_accumulator_add(context, p->parts, rows, intensity, y, layer, error);
    else if (!status)
        status = lg_label_accumulator_labels(context, p->parts, rows, y, layer, &labels, error);
    if (labels && p->pictures)
        status = lg_label_pictures_write(context, p->pictures, labels, y, band, error);
    lg_labels_destroy(&labels);
    lg_image_destroy(&binary);
    lg_image_destroy(&part);
    lg_image_destroy(&filled);
    return status;
}

// ---- one image ------------------------------------------------------------------------------------

static lg_status check_intensity(const lg_session *session, const lg_input_file *file,
                                 const lg_label_job *job, lg_error *error)
{
    const lg_image_params *a = &file->image->shape;
    const lg_image_params *b = job->intensity ? &job->intensity->shape : a;
    const int channels = lg_image_measured_channels(a);
    if (session->options->intensity && !job->intensity && channels != 1)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--intensity self: %d channels; name an image of one channel",
                            channels);
    if (a->width != b->width || a->height != b->height || a->layers != b->layers)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "has %d x %d x %d samples and the image of --intensity %d x %d x %d",
                            a->width, a->height, a->layers, b->width, b->height, b->layers);
    return LG_OK;
}

static lg_status create(const lg_session *session, pass *p, lg_error *error)
{
    const lg_options *options = session->options;
    const lg_image_params *s = &p->file->image->shape;
    const lg_type *intensity = p->whole ? &p->whole->shape.type : p->self ? &s->type : NULL;
    lg_label_params params = lg_label_params_default();
    params.connectivity = lg_connectivity_of(options);
    params.moments = session->states || (p->run->table.needs & LG_NEEDS_MOMENTS);
    params.shape = (p->run->table.needs & LG_NEEDS_SHAPE) != 0;
    params.memory_limit = options->memory_limit;
    if (options->label_values)
        params.foreground = LG_FOREGROUND_VALUES;
    if (options->has_level) {
        params.foreground = LG_FOREGROUND_ABOVE;
        params.level = p->binary ? 254 : lg_label_level(p->run->levels);
    }
    const char *folder = has_scratch(session) ? lg_scratch_folder(options) : NULL;
    if (options->fill_holes) {
        const lg_status status = lg_band_holes_create(&params, &p->file->region, s->layers, folder,
                                                      scratch_bytes(session), &p->holes, error);
        if (status)
            return status;
        params.foreground = LG_FOREGROUND_NONZERO; // of what is filled
    }
    const bool made = p->binary || p->holes;
    const lg_status status = lg_label_accumulator_create(
        &params, made ? LG_U8 : s->type, intensity, p->file->region.width, p->file->region.height,
        s->layers, &p->parts, error);
    if (status || !folder)
        return status;
    return (has_pictures(session) || params.shape
                ? lg_label_accumulator_scratch_labels
                : lg_label_accumulator_scratch)(p->parts, folder, scratch_bytes(session), error);
}

// All passes have the same bands, whatever they need.
static lg_status each_band(lg_session *session, pass *p, lg_error *error)
{
    lg_band_keep keep = {.pass = p->what == ADD ? LG_JOURNAL_LABELS
                                 : p->pictures  ? LG_JOURNAL_WRITE
                                                : LG_JOURNAL_NONE,
                         .bands = LG_JOURNAL_LABELS,
                         .kind = p->what == ADD ? &lg_team_labels : NULL,
                         .at = (void **)&p->parts,
                         .count = 1,
                         .stack = true};
    const bool scratch = has_scratch(session);
    const lg_image_params *s = &p->file->image->shape;
    const double pixel = s->channels * (double)lg_type_size(s->type);
    const double extra = EXTRA_BYTES + (p->holes ? HOLE_BYTES + (scratch ? HOLE_SUMS : 0) : 0) +
                         (p->options->overlay ? OVERLAY_BYTES + pixel : 0) +
                         (scratch ? sums_bytes(p->options, p->run) : 0);
    p->file->held = scratch ? scratch_bytes(session) * (p->holes ? 2 : 1) : 0;
    return lg_bands_each(session, p->file, extra, &keep, take_band, p, error);
}

// Of all rows, in the bands that those of the part have in later passes.
static lg_status find_background(lg_session *session, pass *p, const lg_part *part, lg_error *error)
{
    lg_input_file *file = p->file;
    const lg_part parts[] = {{0, part->first}, *part, {part->end, file->region.height}};
    lg_status status = LG_OK;
    for (int i = 0; i < 3 && !status; i++) {
        lg_bands_part(file, &parts[i]);
        status = each_band(session, p, error);
    }
    lg_bands_all_rows(file);
    return status;
}

// What all rows of the part have; p->parts is the caller's also when it fails.
static lg_status add_all(lg_session *session, pass *p, lg_error *error)
{
    const lg_image_params *s = &p->file->image->shape;
    const lg_type intensity = p->whole ? p->whole->shape.type : p->self ? s->type : LG_U8;
    lg_status status = create(session, p, error);
    const lg_part part = lg_bands_all_rows(p->file);
    p->what = BACKGROUND;
    if (!status && p->holes)
        status = find_background(session, p, &part, error);
    p->what = LOOK;
    if (!status && intensity != LG_U8 && intensity != LG_U16)
        status = each_band(session, p, error);
    lg_bands_part(p->file, &part);
    p->what = ADD;
    return status ? status : each_band(session, p, error);
}

// The leader alone has all components. Labels of rows, and shapes, which are counted from them, are made by
// the rank that has the rows.
static lg_status go(lg_session *session, pass *p, lg_label_run *run, lg_error *error)
{
    lg_team *team = session->options->team;
    const bool shapes = (run->table.needs & LG_NEEDS_SHAPE) != 0;
    lg_status status = add_all(session, p, error);
    status = lg_team_join_labels(team, p->parts, shapes || has_pictures(session), status, error);
    p->what = LABELS;
    if (!status && shapes)
        status = each_band(session, p, error);
    if (!status && has_scratch(session)) {
        run->parts = p->parts; // which is destroyed there
        return lg_label_count(session, p->file, run, error);
    }
    if (!status && shapes)
        status = lg_team_join_shapes(team, p->parts, LG_OK, error);
    return status || !lg_team_leads(session->options)
               ? status
               : lg_label_accumulator_finish(p->parts, &run->components, error);
}

// What the leader has chosen: the number of components, and how labels of before are called now.
static lg_status tell_choice(lg_session *session, const lg_label_run *run, uint32_t **map,
                             uint32_t *count, lg_status status, lg_error *error)
{
    lg_team *team = session->options->team;
    const bool leads = lg_team_leads(session->options);
    *count = !status && leads ? run->kept : 0;
    status = lg_team_agree(team, status, error);
    if (status || !team)
        return status;
    uint64_t told[] = {*count, leads && *map ? (uint64_t)run->found + 1 : 0};
    lg_team_broadcast(team, told, sizeof told);
    *count = (uint32_t)told[0];
    if (!leads && told[1] && !(*map = malloc(told[1] * sizeof **map)))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu labels",
                              (unsigned long long)told[1]);
    status = lg_team_agree(team, status, error);
    if (!status && told[1])
        lg_team_broadcast(team, *map, told[1] * sizeof **map);
    return status;
}

// Numbers are known once all components are: the file is read once more.
static lg_status draw(lg_session *session, pass *p, lg_label_job *job, lg_label_run *run,
                      const uint32_t *map, uint32_t count, lg_error *error)
{
    lg_label_pictures pictures = {
        .run = run, .team = session->options->team, .map = map, .count = count};
    lg_status status = lg_label_pictures_open(session, p->file, job, run, &pictures, error);
    p->pictures = &pictures;
    p->what = LABELS;
    if (!status)
        status = each_band(session, p, error);
    if (!status)
        status = lg_label_pictures_close(session, &pictures, error);
    lg_label_pictures_discard(&pictures);
    return status;
}

static lg_status prepare(lg_session *session, lg_input_file *file, const lg_label_job *job,
                         lg_label_run *run, pass *p, lg_error *error)
{
    const lg_options *options = session->options;
    *p = (pass){.file = file,
                .run = run,
                .whole = job->intensity,
                .self = options->intensity && !job->intensity,
                .options = options};
    lg_status status = check_intensity(session, file, job, error);
    if (!status && options->has_level)
        status = find_levels(session, file, run, error);
    p->binary = options->has_level && (run->level_count > 1 || file->image->shape.channels != 1);
    return status;
}

lg_status lg_label_in_bands(lg_session *session, lg_input_file *file, lg_label_job *job,
                            lg_label_run *run, lg_error *error)
{
    pass p;
    uint32_t *map = NULL, count = 0;
    lg_status status = prepare(session, file, job, run, &p, error);
    if (!status)
        status = go(session, &p, run, error);
    if (!status && run->parts && has_pictures(session))
        status = lg_label_map(session, file, run, &map, error);
    else if (!status && !run->parts && lg_team_leads(session->options))
        status = lg_label_select(session, file, run, &map, error);
    if (has_pictures(session))
        status = tell_choice(session, run, &map, &count, status, error);
    if (!status && has_pictures(session))
        status = draw(session, &p, job, run, map, count, error);
    if (!run->parts)
        lg_label_accumulator_destroy(&p.parts);
    lg_band_holes_free(p.holes);
    free(map);
    return status;
}

// ---- states ---------------------------------------------------------------------------------------

static lg_status save(const void *a, void *data, size_t capacity, size_t *size, lg_error *error)
{
    return lg_label_accumulator_save(a, data, capacity, size, error);
}

// The levels, as lines: parts of another level do not merge. free() it; NULL: no memory.
static char *level_lines(const lg_label_run *run)
{
    char *text = NULL, number[LG_NUMBER_SIZE];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < run->level_count && out; i++)
        fprintf(out, "level %s\n", lg_number(lg_label_level(&run->levels[i]), number));
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

lg_status lg_label_state(lg_session *session, lg_input_file *file, const lg_label_job *job,
                         lg_label_run *run, lg_error *error)
{
    pass p;
    lg_status status = prepare(session, file, job, run, &p, error);
    char *levels = status ? NULL : level_lines(run);
    if (!status && !levels)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the levels");
    if (!status)
        status = add_all(session, &p, error);
    if (!status)
        status = lg_states_add(session, file, levels, (void *const *)&p.parts, 1, save, error);
    lg_label_accumulator_destroy(&p.parts);
    lg_band_holes_free(p.holes);
    free(levels);
    return status;
}
