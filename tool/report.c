// Parts that the reports of all file commands share.
#include "layer_options.h"
#include "option_values.h"
#include "session.h"

#include <ctype.h>
#include <string.h>

const char *lg_file_channel_name(const lg_input_file *file, int channel)
{
    static const char *const ink[] = {"c", "m", "y", "k"}, *const plane[] = {"y", "cb", "cr"};
    if (!file->image)
        return "value"; // of an array
    if (file->image->shape.planes)
        return plane[channel];
    if (file->plane && file->image->shape.channels == 1)
        return file->plane;
    return file->info.cmyk ? ink[channel] : lg_channel_name(&file->image->shape, channel);
}

// What the layers are, as "12 z x 2 c"; empty when the file does not say it.
static const char *axes_text(const lg_input_file *file, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < LG_LAYER_AXES && file->info.axes[i].name && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%d %c", i ? " x " : "",
                                 file->info.axes[i].size, tolower(file->info.axes[i].name));
    return out;
}

lg_status lg_check_volume(const lg_input_file *file, const char *advice, lg_error *error)
{
    char axes[100];
    if (!file->info.mixed || file->image->shape.layers == 1)
        return LG_OK;
    axes_text(file, axes, sizeof axes);
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "its description says that the %d layers are not slices of one volume, "
                        "but channels or moments as well%s%s%s; %s",
                        file->image->shape.layers, axes[0] ? " (" : "", axes, axes[0] ? ")" : "",
                        advice);
}

void lg_note_slices(lg_session *session, const lg_input_file *file)
{
    const int32_t layers = file->image->shape.layers;
    if (session->slices_noted || layers < 2 || file->info.axes[0].name)
        return;
    session->slices_noted = true;
    lg_session_note(session,
                    "%s: nothing says what its %d layers are; they are taken for the slices of one "
                    "volume, as --axes z says it. Of two channels each: --axes z,c=2",
                    file->name, layers);
}

static void axes_json(lg_json *json, const lg_input_file *file)
{
    const lg_layer_axis *axes = file->info.axes;
    if (!axes[0].name)
        return;
    lg_json_begin(json, "layer_axes", '[');
    for (int i = 0; i < LG_LAYER_AXES && axes[i].name; i++) {
        const char name[] = {axes[i].name, '\0'};
        lg_json_begin(json, NULL, '{');
        lg_json_text(json, "name", name);
        lg_json_integer(json, "size", axes[i].size);
        lg_json_end(json, '}');
    }
    lg_json_end(json, ']');
}

// In micrometres; null where the file says nothing about an axis.
static void pixel_size_json(lg_session *session, const lg_input_file *file)
{
    static const char *const names[] = {"x", "y", "z"};
    lg_json *json = &session->json;
    double size[3];
    lg_pixel_size_of(session, file, size);
    if (!(size[0] > 0 && size[1] > 0))
        return;
    lg_json_begin(json, "pixel_size_um", '{');
    for (int i = 0; i < 3; i++)
        if (size[i] > 0)
            lg_json_number(json, names[i], size[i]);
        else
            lg_json_raw(json, names[i], "null");
    lg_json_end(json, '}');
}

static void choice_json(lg_json *json, const lg_input_file *file)
{
    if (file->channel)
        lg_json_integer(json, "channel", file->channel - 1);
    if (file->moment)
        lg_json_integer(json, "time_index", file->moment - 1);
}

double lg_frame_time(const lg_input_file *file)
{
    const lg_film_time *t = &file->time;
    return t->unit_per ? (double)(t->ticks * t->unit) / t->unit_per : -1;
}

void lg_report_names_csv(lg_session *session)
{
    lg_csv_text(&session->csv, "file");
    if (session->framed)
        lg_csv_text(&session->csv, "frame");
    if (session->split) {
        lg_csv_text(&session->csv, "channel");
        lg_csv_text(&session->csv, "time");
    }
}

void lg_report_head_csv(lg_session *session, const char *const *names, size_t count)
{
    if (session->done != 0)
        return;
    lg_report_names_csv(session);
    for (size_t i = 0; i < count; i++)
        lg_csv_text(&session->csv, names[i]);
    lg_csv_row(&session->csv);
}

static void number_csv(lg_session *session, int32_t number)
{
    if (number)
        lg_csv_integer(&session->csv, number - 1);
    else
        lg_csv_text(&session->csv, "");
}

void lg_report_file_csv(lg_session *session, const lg_input_file *file)
{
    lg_csv_text(&session->csv, file->name);
    if (session->framed && file->frame >= 0)
        lg_csv_integer(&session->csv, file->frame);
    else if (session->framed)
        lg_csv_text(&session->csv, "");
    if (session->split) {
        number_csv(session, file->channel);
        number_csv(session, file->moment);
    }
}

static const char *alpha_name(const lg_image_params *shape)
{
    static const char *const names[] = {"none", "none", "straight", "premultiplied"};
    return names[shape->alpha]; // the padding of an RGB image is not the file's
}

static void region_json(lg_json *json, const lg_region *region)
{
    lg_json_begin(json, "region", '{');
    lg_json_integer(json, "x", region->x);
    lg_json_integer(json, "y", region->y);
    lg_json_integer(json, "width", region->width);
    lg_json_integer(json, "height", region->height);
    lg_json_end(json, '}');
}

static void array_json(lg_session *session, const lg_input_file *file)
{
    lg_json *json = &session->json;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "schema", session->schema);
    lg_json_text(json, "file", file->name);
    lg_json_text(json, "format", file->info.format);
    lg_json_begin(json, "shape", '[');
    for (int d = file->array.dims - 1; d >= 0; d--) // as NumPy has it
        lg_json_integer(json, NULL, file->array.extent[d]);
    lg_json_end(json, ']');
    lg_json_text(json, "type", lg_type_name(file->array.type));
}

void lg_report_file_json(lg_session *session, const lg_input_file *file)
{
    if (!file->image) {
        array_json(session, file);
        return;
    }
    lg_json *json = &session->json;
    const lg_image_params *shape = &file->image->shape;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "schema", session->schema);
    lg_json_text(json, "file", file->name);
    if (file->frame >= 0) {
        lg_json_integer(json, "frame", file->frame);
        if (lg_frame_time(file) >= 0)
            lg_json_number(json, "time", lg_frame_time(file));
        else
            lg_json_raw(json, "time", "null");
    }
    lg_json_text(json, "format", file->info.format);
    lg_json_integer(json, "width", shape->width);
    lg_json_integer(json, "height", shape->height);
    lg_json_integer(json, "layers", shape->layers);
    axes_json(json, file);
    choice_json(json, file);
    pixel_size_json(session, file);
    lg_json_text(json, "type", lg_type_name(shape->type));
    lg_json_text(json, "alpha", alpha_name(shape));
    if (file->plane)
        lg_json_text(json, "plane", file->plane);
    if (session->options->filters)
        lg_json_text(json, "pipeline", session->options->filters);
    region_json(json, &file->region);
    if (file->select.mask)
        lg_json_text(json, "mask", session->options->mask);
    if (file->select.skip_transparent)
        lg_json_bool(json, "skip_transparent", true);
    if (file->select.step != 1)
        lg_json_integer(json, "step", file->select.step);
    if (file->unscaled_width > 0) {
        lg_json_begin(json, "scaled", '{');
        lg_json_number(json, "scale", session->options->scale);
        lg_json_text(json, "resample", lg_choice_resample(session->options->resample));
        lg_json_integer(json, "width", file->unscaled_width);
        lg_json_integer(json, "height", file->unscaled_height);
        region_json(json, &file->unscaled_region);
        lg_json_end(json, '}');
    }
    if (file->info.note[0])
        lg_json_text(json, "note", file->info.note);
}

void lg_report_failure_json(lg_session *session, const char *file, const lg_error *error)
{
    lg_json *json = &session->json;
    // A report that gave way to an image is on standard error, where the message is already.
    if (!session->options->json || session->mute || session->out == stderr)
        return;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "schema", session->schema);
    lg_json_text(json, "file", file);
    lg_json_text(json, "error", error->message);
    lg_json_integer(json, "status", lg_exit_of(error->status));
    lg_json_end(json, '}');
}

static void seconds_json(lg_json *json, const char *key, double seconds)
{
    if (seconds >= 0)
        lg_json_number(json, key, seconds);
    else
        lg_json_raw(json, key, "null");
}

void lg_report_engine_json(lg_session *session, const lg_input_file *file)
{
    lg_json *json = &session->json;
    lg_session_computed(session);
    const lg_engine_report *engine = &session->engine;
    lg_json_begin(json, "engine", '{');
    lg_json_text(json, "version", lg_version());
    lg_json_text(json, "device", engine->device);
    lg_json_text(json, "driver", engine->driver);
    lg_json_text(json, "variant", engine->variant);
    lg_json_text(json, "reason", session->device_reason);
    lg_json_text(json, "fallback", engine->fallback[0] ? engine->fallback : NULL);
    lg_json_begin(json, "seconds", '{');
    seconds_json(json, "decode", file->decode);
    seconds_json(json, "upload", engine->upload);
    seconds_json(json, "compute", engine->compute);
    seconds_json(json, "download", engine->download);
    lg_json_end(json, '}');
    lg_json_end(json, '}');
}

void lg_report_file_text(lg_session *session, const lg_input_file *file)
{
    char clean[1000];
    FILE *out = session->out;
    lg_session_progress_clear(session);
    if (session->done > 0)
        fputc('\n', out);
    const char *name = strcmp(file->name, "-") == 0 ? "standard input" : file->name;
    if (!file->image) {
        fprintf(out, "%s: array of ", lg_sanitise(name, clean, sizeof clean));
        for (int d = file->array.dims - 1; d >= 0; d--)
            fprintf(out, "%lld%s", (long long)file->array.extent[d], d ? " x " : "");
        fprintf(out, ", %s, %s\n", lg_type_name(file->array.type), file->info.format);
        return;
    }
    const lg_image_params *shape = &file->image->shape;
    fputs(lg_sanitise(name, clean, sizeof clean), out);
    if (file->frame >= 0)
        fprintf(out, ", frame %lld", (long long)file->frame);
    if (file->plane)
        fprintf(out, ", plane %s", file->plane);
    fprintf(out, ": %d x %d", shape->width, shape->height);
    char axes[100];
    if (shape->layers > 1)
        fprintf(out, ", %d layers", shape->layers);
    if (axes_text(file, axes, sizeof axes)[0])
        fprintf(out, " (%s)", axes);
    if (file->channel)
        fprintf(out, ", channel %d", file->channel - 1);
    if (file->moment)
        fprintf(out, ", time %d", file->moment - 1);
    int channels = lg_image_measured_channels(shape);
    fprintf(out, ", %d channel%s %s, %s\n", channels, channels == 1 ? "" : "s",
            lg_type_name(shape->type), file->info.format);
    if (lg_pixel_size_text(session, file, axes, sizeof axes)[0])
        fprintf(out, "pixels of %s\n", axes);
    if (file->unscaled_width > 0)
        fprintf(out, "scaled from region %lldx%lld+%lld+%lld of %d x %d, %s\n",
                (long long)file->unscaled_region.width, (long long)file->unscaled_region.height,
                (long long)file->unscaled_region.x, (long long)file->unscaled_region.y,
                file->unscaled_width, file->unscaled_height,
                lg_choice_resample(session->options->resample));
    if (file->select.region)
        fprintf(out, "region %lldx%lld+%lld+%lld\n", (long long)file->region.width,
                (long long)file->region.height, (long long)file->region.x,
                (long long)file->region.y);
}

// A phase's time in the unit that suits it.
static void seconds_text(FILE *out, const char *phase, double seconds)
{
    if (seconds >= 1)
        fprintf(out, ", %s %.3g s", phase, seconds);
    else if (seconds >= 1e-3)
        fprintf(out, ", %s %.3g ms", phase, seconds * 1e3);
    else if (seconds >= 0)
        fprintf(out, ", %s %.3g us", phase, seconds * 1e6);
}

void lg_report_engine_text(lg_session *session, const lg_input_file *file)
{
    char clean[2000];
    lg_session_computed(session);
    const lg_engine_report *engine = &session->engine;
    fprintf(session->out, "on %s%s%s", lg_sanitise(engine->device, clean, sizeof clean),
            engine->variant[0] ? ", " : "", engine->variant);
    seconds_text(session->out, "decode", file->decode);
    seconds_text(session->out, "upload", engine->upload);
    seconds_text(session->out, "compute", engine->compute);
    seconds_text(session->out, "download", engine->download);
    if (session->options->profile)
        fprintf(session->out, ", %s", session->device_reason);
    if (engine->fallback[0])
        fprintf(session->out, ", in place of the GPU: %s",
                lg_sanitise(engine->fallback, clean, sizeof clean));
    fputc('\n', session->out);
}
