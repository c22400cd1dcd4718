// lumagraph label
#include "file_bands.h"
#include "label_bands.h"
#include "label_values.h"
#include "layer_options.h"
#include "layers.h"
#include "several_devices.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

// ---- the image and its foreground ---------------------------------------------------------------

// The region of an image as an image that borrows the pixels.
static lg_status crop(lg_session *session, const lg_image *image, const lg_region *r,
                      lg_image **out, lg_error *error)
{
    lg_image_params shape = image->shape;
    const bool inside = r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0 &&
                        r->x < shape.width && r->y < shape.height &&
                        r->width <= shape.width - r->x && r->height <= shape.height - r->y;
    if (!inside)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "region %lldx%lld+%lld+%lld is empty or leaves the image of %dx%d pixels; "
            "choose one inside",
            (long long)r->width, (long long)r->height, (long long)r->x, (long long)r->y,
            shape.width, shape.height);
    uint8_t *first = (uint8_t *)image->data + (size_t)r->y * shape.row_stride +
                     (size_t)r->x * (size_t)shape.channels * lg_type_size(shape.type);
    shape.width = (int32_t)r->width;
    shape.height = (int32_t)r->height;
    return lg_image_wrap(session->context, &shape, first, out, error);
}

// How many channels a file has, in words.
static int channels_of(const lg_image *image)
{
    return lg_image_measured_channels(&image->shape);
}

// The images of one input: the region, and what is compared with a level when that is not itself.
typedef struct foreground {
    lg_image *region, *intensity, *binary;
    lg_label_params params;
} foreground;

static lg_status take_region(lg_session *session, const lg_input_file *file,
                             const lg_label_job *job, foreground *f, lg_error *error)
{
    const bool self = session->options->intensity && !job->intensity;
    lg_status status = crop(session, file->image, &file->region, &f->region, error);
    if (status == LG_OK && self && channels_of(file->image) != 1)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--intensity self: %d channels; name an image of one channel",
                            channels_of(file->image));
    if (status == LG_OK && self)
        return crop(session, file->image, &file->region, &f->intensity, error);
    if (status != LG_OK || !job->intensity)
        return status;
    const lg_image_params *a = &file->image->shape, *b = &job->intensity->shape;
    if (a->width != b->width || a->height != b->height || a->layers != b->layers)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "has %d x %d x %d samples and the image of --intensity %d x %d x %d",
                            a->width, a->height, a->layers, b->width, b->height, b->layers);
    return crop(session, job->intensity, &file->region, &f->intensity, error);
}

double lg_label_level(const lg_threshold *levels)
{
    return levels->level[levels->levels - 1];
}

// One level for an image of one channel becomes part of the labelling; luma, and a level for each layer,
// make a binary image first.
static lg_status find_foreground(lg_session *session, const lg_input_file *file, lg_label_run *run,
                                 foreground *f, lg_error *error)
{
    const lg_options *options = session->options;
    const int32_t layers = f->region->shape.layers;
    const int connectivity = lg_connectivity_of(options);
    const bool one = options->stack || layers == 1 || (connectivity != 4 && connectivity != 8);
    const lg_threshold_params params = lg_label_threshold(options, one);
    const bool direct = one && f->region->shape.channels == 1;
    run->level_count = one ? 1 : layers;
    run->levels = calloc((size_t)run->level_count, sizeof *run->levels);
    if (!run->levels)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the levels");
    const lg_status status =
        lg_session_threshold(session, f->region, &params, run->levels, (size_t)run->level_count,
                             direct ? NULL : &f->binary, error);
    if (status != LG_OK)
        return status;
    lg_session_computed(session);
    if (options->method == LG_THRESHOLD_VALUE)
        lg_note_level(session, file, options->value);
    f->params.foreground = LG_FOREGROUND_ABOVE;
    f->params.level = direct ? lg_label_level(run->levels) : 254; // 255 is the brightest class
    return LG_OK;
}

static lg_status prepare(lg_session *session, const lg_input_file *file, lg_label_run *run,
                         foreground *f, lg_error *error)
{
    const lg_options *options = session->options;
    f->params = lg_label_params_default();
    f->params.connectivity = lg_connectivity_of(options);
    f->params.fill_holes = options->fill_holes;
    f->params.moments = (run->table.needs & LG_NEEDS_MOMENTS) != 0;
    f->params.shape = (run->table.needs & LG_NEEDS_SHAPE) != 0;
    f->params.memory_limit = options->memory_limit;
    if (options->label_values)
        f->params.foreground = LG_FOREGROUND_VALUES;
    if (options->has_level)
        return find_foreground(session, file, run, f, error);
    if (channels_of(f->region) != 1)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "%d channels, and components are of one: --threshold otsu takes what "
                            "is brighter than a level of luma, --threshold 0 what is not black",
                            channels_of(f->region));
    return LG_OK;
}

// ---- images that are written --------------------------------------------------------------------

static lg_status make_output(lg_session *session, const lg_input_file *file, const foreground *f,
                             lg_label_run *run, int which, const char *options, lg_error *error)
{
    const char *path = run->path[which];
    const lg_write_params params = {.options = *options ? options : NULL,
                                    .metadata = file->info.metadata};
    if (which == LG_LABEL_LABELS)
        return lg_labels_write(session->context, run->labels, path, &params, error);
    lg_image *picture = NULL;
    lg_status status = which == LG_LABEL_COLORS
                           ? lg_labels_colors(session->context, run->labels, &picture, error)
                           : lg_labels_overlay(session->context, run->labels, f->region,
                                               &session->options->overlay_colors, &picture, error);
    if (status == LG_OK)
        status = lg_image_write(picture, path, &params, error);
    lg_image_destroy(&picture);
    return status;
}

// In a folder: PNG, or what holds the labels and layers.
const char *lg_label_extension(int which, bool layers, uint32_t count)
{
    const bool wide = which == LG_LABEL_LABELS && count > UINT16_MAX;
    const char *extension = layers || wide ? "tif" : "png";
    if (lg_image_can_format(extension))
        return extension;
    return wide || layers ? "npy" : which == LG_LABEL_LABELS ? "pgm" : "ppm";
}

static lg_status write_outputs(lg_session *session, const lg_input_file *file, lg_label_job *job,
                               const foreground *f, lg_label_run *run, lg_error *error)
{
    lg_status status = LG_OK;
    if (session->options->overlay && file->info.cmyk)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--overlay draws over grey and RGB, and this is CMYK");
    for (int i = 0; i < LG_LABEL_OUTPUTS && status == LG_OK; i++) {
        char *path = run->path[i];
        if (!job->outputs[i].asked)
            continue;
        const char *extension = lg_label_extension(i, run->labels->layers > 1, run->labels->count);
        status = lg_outputs_name(&job->outputs[i], file, extension, path, PATH_MAX, error);
        if (status == LG_OK)
            status = lg_session_check_output(session, path, error);
        if (status == LG_OK)
            status = make_output(session, file, f, run, i, job->outputs[i].options, error);
        if (status != LG_OK)
            lg_blame(error, "output", path);
    }
    return status;
}

// ---- one input ----------------------------------------------------------------------------------

static bool wants_labels(const lg_options *options, const lg_label_run *run)
{
    return options->output || options->colors || options->overlay || options->report ||
           run->table.background;
}

// Images with layers may have other columns than images without: one CSV table cannot hold both.
lg_status lg_label_check_columns(const lg_session *session, const lg_label_table *first,
                                 const lg_label_table *table, lg_error *error)
{
    bool same = table->columns == first->columns;
    for (int i = 0; i < table->columns && same; i++)
        same = strcmp(table->column[i].name, first->column[i].name) == 0;
    if (same || session->done == 0 || !session->options->csv)
        return LG_OK;
    return lg_set_error(
        error, LG_ERROR_ARGUMENT,
        "its columns are not those of the files before it, since only one of them has "
        "layers; report it by itself, or choose with --columns");
}

// The pixels are here, or come band by band.
static lg_status find_all(lg_session *session, lg_input_file *file, lg_label_job *job,
                          lg_label_run *run, foreground *f, lg_error *error)
{
    if (file->rows)
        return lg_label_in_bands(session, file, job, run, error);
    lg_status status = take_region(session, file, job, f, error);
    if (status == LG_OK)
        status = prepare(session, file, run, f, error);
    const bool labels = wants_labels(session->options, run);
    if (status == LG_OK)
        status =
            lg_session_label(session, f->binary ? f->binary : f->region, &f->params, f->intensity,
                             labels ? &run->labels : NULL, &run->components, error);
    return status ? status : lg_label_select(session, file, run, NULL, error);
}

static lg_status label(lg_session *session, lg_input_file *file, lg_label_job *job,
                       lg_label_run *run, foreground *f, lg_error *error)
{
    const lg_options *options = session->options;
    const int connectivity = lg_connectivity_of(options);
    double pixel_size[3];
    lg_status status = LG_OK;
    lg_pixel_size_of(session, file, pixel_size);
    if (connectivity != 4 && connectivity != 8)
        status = lg_check_volume(file,
                                 "take one channel with --channel N, one time with --time N, or "
                                 "--connectivity 4 or 8",
                                 error);
    if (status == LG_OK)
        status = lg_label_table_plan(options, file->image->shape.layers, pixel_size, 0, &run->table,
                                     error);
    if (status == LG_OK)
        status = lg_label_check_columns(session, &job->first, &run->table, error);
    if (status == LG_OK)
        status = find_all(session, file, job, run, f, error);
    if (status != LG_OK || (!run->components && !run->parts)) // of a rank that has not all of them
        return status;
    if (run->components)
        status = lg_label_table_fill(&run->table, run->components, run->labels, error);
    if (status == LG_OK && !file->rows)
        status = write_outputs(session, file, job, f, run, error);
    if (status == LG_OK && options->report && !file->info.cmyk)
        status = lg_labels_overlay(session->context, run->labels, f->region,
                                   &options->overlay_colors, &run->overlay, error);
    if (status == LG_OK && connectivity != 4 && connectivity != 8)
        lg_note_slices(session, file);
    return status;
}

static lg_status measure_one(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    lg_label_run *run = calloc(1, sizeof *run);
    foreground f = {0};
    if (!run)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the components");
    if (session->states) {
        const lg_status added = lg_label_state(session, file, priv, run, error);
        free(run->levels);
        free(run);
        return added;
    }
    lg_status status = label(session, file, priv, run, &f, error);
    if (status == LG_OK && session->done == 0)
        ((lg_label_job *)priv)->first = run->table;
    if (status == LG_OK && lg_team_leads(session->options))
        status = lg_label_report(session, file, run, error);
    lg_label_table_free(&run->table);
    lg_labels_destroy(&run->labels);
    lg_components_destroy(&run->components);
    lg_label_accumulator_destroy(&run->parts);
    lg_image_destroy(&run->overlay);
    lg_image_destroy(&f.region);
    lg_image_destroy(&f.intensity);
    lg_image_destroy(&f.binary);
    free(run->levels);
    free(run); // job->first has its columns only
    return status;
}

// ---- channels -----------------------------------------------------------------------------------

// Layers of several channels or times are no volume, but those of one are.
static bool is_split(const lg_session *session, const lg_input_file *file)
{
    const int connectivity = lg_connectivity_of(session->options);
    return connectivity != 4 && connectivity != 8 && file->info.mixed &&
           file->image->shape.layers > 1 && file->info.axes[0].name;
}

static lg_status check_split(const lg_session *session, const lg_input_file *file, lg_error *error)
{
    const lg_options *options = session->options;
    if (options->output || options->colors || options->overlay)
        return lg_check_volume(file,
                               "each of these has labels of its own; choose what is written "
                               "with --channel N and --time N",
                               error);
    if (options->csv && session->done > 0 && !session->split)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "its layers are channels or times as well, and those of the files before "
            "are not: report it by itself, or choose with --channel and --time");
    return LG_OK;
}

static lg_status measure_part(lg_session *session, const lg_input_file *file, int32_t channel,
                              int32_t moment, void *priv, lg_error *error)
{
    lg_input_file part = *file;
    part.image = NULL;
    lg_status status = lg_take_layers(session->context, file->image, channel, moment, &part.info,
                                      &part.image, error);
    part.channel = channel >= 0 ? channel + 1 : file->channel;
    part.moment = moment >= 0 ? moment + 1 : file->moment;
    lg_session_engine_begin(session);
    if (!status)
        status = measure_one(session, &part, priv, error);
    session->done += !status;
    lg_image_destroy(&part.image);
    return status;
}

// Each channel of each time by itself, as an input of its own.
static lg_status measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    if (file->rows || !is_split(session, file)) // bands of a mixture are refused there
        return measure_one(session, file, priv, error);
    const int32_t channels = lg_axis_size(&file->info, 'C');
    const int32_t moments = lg_axis_size(&file->info, 'T');
    lg_status status = check_split(session, file, error);
    session->split |= !status;
    for (int32_t t = 0; t < (moments ? moments : 1) && !status; t++)
        for (int32_t c = 0; c < (channels ? channels : 1) && !status; c++)
            status = measure_part(session, file, channels ? c : -1, moments ? t : -1, priv, error);
    file->sent = true; // each part is counted
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static bool read_intensity(lg_session *session, lg_label_job *job)
{
    const char *path = session->options->intensity;
    lg_error error = {0};
    if (!path || strcmp(path, "self") == 0)
        return true;
    lg_status status = lg_session_read(session, path, &job->intensity, NULL, &error);
    if (status == LG_OK && channels_of(job->intensity) != 1)
        status = lg_set_error(&error, LG_ERROR_ARGUMENT,
                              "%d channels; --intensity takes an image of one channel",
                              channels_of(job->intensity));
    if (status == LG_OK)
        return true;
    lg_session_fail(session, path, &error);
    return false;
}

// An image has standard output to itself: the report steps aside.
static void share_standard_output(lg_session *session, const lg_label_job *job)
{
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (job->outputs[i].asked && strcmp(job->outputs[i].asked, "-") == 0)
            session->out = session->json.stream = session->csv.stream = stderr;
}

static int label_all(const lg_options *options, lg_label_job *job)
{
    lg_session session;
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        if (!lg_outputs_check(&job->outputs[i], options))
            return LG_EXIT_USAGE;
    const int status = lg_session_begin(&session, options, "lumagraph.label/1", false);
    if (status != LG_EXIT_DONE)
        return status;
    share_standard_output(&session, job);
    session.whole_because = lg_label_whole_because;
    session.rereads = lg_label_rereads;
    if (lg_bands_begin(&session) && read_intensity(&session, job))
        lg_session_each(&session, measure, job);
    lg_image_destroy(&job->intensity);
    return lg_session_end(&session);
}

int lg_command_label(const lg_options *options)
{
    lg_label_job job = {.outputs = {lg_outputs_at(options->output), lg_outputs_at(options->colors),
                                    lg_outputs_at(options->overlay)}};
    job.outputs[LG_LABEL_COLORS].option = "--colors";
    job.outputs[LG_LABEL_OVERLAY].option = "--overlay";
    const int status = label_all(options, &job);
    for (int i = 0; i < LG_LABEL_OUTPUTS; i++)
        lg_outputs_free(&job.outputs[i]);
    return status;
}
