#include "outputs.h"

#include "films.h"
#include "layers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// A folder that is not there yet: the slash, or several inputs and a name that is no image's.
static bool is_new_folder(const char *path, const lg_options *options)
{
    struct stat status;
    const size_t length = strlen(path);
    if (length < 2 || stat(path, &status) == 0)
        return false;
    return path[length - 1] == '/' || (options->file_count > 1 && !lg_image_can_write(path));
}

lg_outputs lg_outputs_at(const char *asked)
{
    return (lg_outputs){.option = "-o", .asked = asked, .folder = asked && is_folder(asked)};
}

void lg_outputs_free(lg_outputs *outputs)
{
    for (size_t i = 0; i < outputs->used; i++)
        free(outputs->written[i]);
    free(outputs->written);
    lg_film_discard(&outputs->film);
    *outputs = (lg_outputs){0};
}

bool lg_outputs_check(lg_outputs *outputs, const lg_options *options)
{
    const char *asked = outputs->asked;
    bool pattern = options->file_count == 1 && strpbrk(options->files[0], "*?[");
    if (asked && is_new_folder(asked, options))
        outputs->folder = outputs->missing = true;
    if (!asked || outputs->folder)
        return true;
    if (strcmp(asked, "-") == 0 && isatty(STDOUT_FILENO)) {
        lg_complain("%s -: standard output is a terminal, which cannot show an image; redirect it, "
                    "or name a file",
                    outputs->option);
        return false;
    }
    if (options->file_count > 1) {
        lg_complain("%s %s: several inputs need a folder; %s/ makes one", outputs->option, asked,
                    asked);
        return false;
    }
    const char *dot = strrchr(asked, '.');
    const bool film = dot && lg_film_can_format(dot + 1);
    if (!pattern && !options->format && !film && !lg_image_can_write(asked) &&
        strncmp(asked, "/dev/", 5) != 0) {
        lg_complain("%s %s: the extension names no image format; use .png, .tif, .pgm, .npy ...",
                    outputs->option, asked);
        return false;
    }
    return true;
}

// Whether frames come from a film, and not from images.
static bool is_video(const lg_input_file *file)
{
    const lg_film *film = file->has_film ? &file->film : NULL;
    return film && film->format[0] && strcmp(film->format, "pnm") != 0 &&
           strcmp(film->format, "pages") != 0;
}

// Notes a name in the folder; two inputs must not end in the same file.
static lg_status note_name(lg_outputs *outputs, const char *name, lg_error *error)
{
    for (size_t i = 0; i < outputs->used; i++)
        if (strcmp(outputs->written[i], name) == 0)
            return lg_set_error(
                error, LG_ERROR_IO,
                "another input was already written to %.300s; write them separately", name);
    char **larger = realloc(outputs->written, (outputs->used + 1) * sizeof *larger);
    if (larger)
        outputs->written = larger;
    char *copy = strdup(name);
    if (!larger || !copy) {
        free(copy);
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a file name");
    }
    outputs->written[outputs->used++] = copy;
    return LG_OK;
}

lg_status lg_outputs_name(lg_outputs *outputs, const lg_input_file *file, const char *extension,
                          char *out, size_t size, lg_error *error)
{
    snprintf(out, size, "%s", outputs->asked); // also for messages
    if (!outputs->folder && file->count > 1)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "the pattern matches several files: %s must be a folder; one that ends in / is "
            "made",
            outputs->option);
    if (!outputs->folder && file->frame >= 0 && !outputs->takes_films)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "every frame is an image of its own: %s must be a folder; one that ends "
            "in / is made",
            outputs->option);
    if (!outputs->folder)
        return LG_OK;
    if (outputs->missing && mkdir(outputs->asked, 0777) != 0 && errno != EEXIST)
        return lg_set_error(error, LG_ERROR_IO, "the folder %.300s cannot be made: %s",
                            outputs->asked, strerror(errno));
    outputs->missing = false;
    const char *slash = strrchr(file->name, '/'), *name = slash ? slash + 1 : file->name;
    if (!extension && is_video(file))
        extension = "pnm";
    if (strcmp(name, "-") == 0) {
        name = "stdin";
        extension = extension ? extension : file->info.format;
    }
    const char *dot = strrchr(name, '.');
    char number[24] = "";
    if (file->frame >= 0) {
        snprintf(number, sizeof number, "-%06lld", (long long)file->frame);
        extension = extension ? extension : dot ? dot + 1 : file->info.format;
    }
    int stem = dot && dot > name && extension ? (int)(dot - name) : (int)strlen(name);
    size_t folder = strlen(outputs->asked);
    while (folder > 1 && outputs->asked[folder - 1] == '/')
        folder--;
    if ((size_t)snprintf(out, size, "%.*s/%.*s%s%s%s", (int)folder, outputs->asked, stem, name,
                         number, extension ? "." : "", extension ? extension : "") >= size)
        return lg_set_error(error, LG_ERROR_IO, "the output's name is too long");
    // Numbers tell frames apart.
    return file->repeated ? LG_OK : note_name(outputs, out, error);
}

// ---- films --------------------------------------------------------------------------------------

// The format that the frames of one file have; NULL: images are written one by one.
static const char *film_format(const lg_outputs *outputs, const lg_input_file *file,
                               const char *path, const char *format)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (outputs->folder)
        return NULL;
    if (!format && strcmp(path, "-") == 0 && file->frame >= 0)
        format = is_video(file) ? "y4m" : "pnm";
    if (!format)
        format = dot && (!slash || dot > slash) ? dot + 1 : "";
    return file->frame >= 0 || lg_film_can_format(format) ? format : NULL;
}

bool lg_outputs_take_sound(const lg_outputs *outputs, const lg_options *options)
{
    const char *asked = outputs->asked ? outputs->asked : "";
    const char *dot = strrchr(asked, '.'), *slash = strrchr(asked, '/');
    const char *format = options->format                  ? options->format
                         : dot && (!slash || dot > slash) ? dot + 1
                                                          : "";
    return outputs->asked && !outputs->folder && lg_film_can_format(format) &&
           strcasecmp(format, "y4m") != 0;
}

bool lg_outputs_takes_planes(const lg_outputs *outputs, const lg_input_file *file,
                             const char *extension)
{
    const char *found = film_format(outputs, file, outputs->asked, extension);
    return found && lg_film_can_format(found);
}

bool lg_outputs_film_format(const lg_outputs *outputs, const lg_input_file *file,
                            const char *extension, const char *format)
{
    const char *found = film_format(outputs, file, outputs->asked, extension);
    return found && strcasecmp(found, format) == 0;
}

static lg_status begin_film(lg_outputs *outputs, const lg_session *session,
                            const lg_input_file *file, const char *path, const char *format,
                            lg_error *error)
{
    const lg_film *given = file->has_film ? &file->film : NULL;
    if (outputs->film)
        return LG_OK;
    const lg_options *options = session->options;
    const bool late = options->page > 0 || options->first_frame > 0 || options->first_second > 0;
    lg_film_params params = lg_film_params_default();
    params.source = file->frames;
    params.codec = options->codec;
    params.crf = options->crf;
    params.silent = options->audio == 1;
    params.cut_start = late;
    outputs->noted = false;
    lg_film_take_signals(true);
    if (!given)
        return lg_film_create_with(path, format, NULL, &params, &outputs->film, error);
    lg_film film = *given;
    if (film.rate && session->options->frames &&
        film.rate_per <= INT32_MAX / session->options->frame_step)
        film.rate_per *= (int32_t)session->options->frame_step; // the time of the frames left out
    return lg_film_create_with(path, format, &film, &params, &outputs->film, error);
}

static lg_status write_layers(lg_outputs *outputs, const lg_session *session,
                              const lg_input_file *file, const lg_image *image, lg_error *error)
{
    const lg_film_time *time = file->frame >= 0 ? &file->time : NULL;
    lg_status status =
        image->shape.planes ? lg_film_write_at(outputs->film, image, time, error) : LG_OK;
    for (int32_t z = 0; z < image->shape.layers && !status && !image->shape.planes; z++) {
        lg_image *layer = NULL;
        status = lg_layer_of(session->context, image, z, &layer, error);
        if (!status)
            status = lg_film_write_at(outputs->film, layer, time, error);
        lg_image_destroy(&layer);
    }
    return status;
}

// Options of video files do nothing elsewhere.
static lg_status check_codec(const lg_options *options, const char *format, lg_error *error)
{
    const bool video = format && lg_film_can_format(format) && strcasecmp(format, "y4m") != 0;
    if (video || (!options->codec && options->crf < 0))
        return LG_OK;
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "--codec and --crf are of video files, such as .mkv and .mp4");
}

lg_status lg_outputs_write(lg_outputs *outputs, lg_session *session, const lg_input_file *file,
                           const lg_image *image, const char *path, const lg_write_params *params,
                           lg_error *error)
{
    const char *format = film_format(outputs, file, path, params->format);
    lg_status status = check_codec(session->options, format, error);
    if (status)
        return status;
    if (!format)
        return lg_image_write(image, path, params, error);
    status = begin_film(outputs, session, file, path, format, error);
    if (status)
        return status;
    status = image ? write_layers(outputs, session, file, image, error)
                   : lg_film_copy(outputs->film, file->frames, error);
    outputs->film_frames += !status;
    if (!status && !outputs->noted && *lg_film_note(outputs->film))
        lg_session_note(session, "%s: note: %s", path, lg_film_note(outputs->film));
    outputs->noted = true;
    return status;
}

lg_status lg_outputs_end(lg_outputs *outputs, const lg_input_file *file, bool keep, lg_error *error)
{
    const int64_t frames = outputs->film_frames;
    outputs->film_frames = 0;
    if (file->ends_early)
        lg_film_cut(outputs->film);
    if (outputs->film && frames && keep)
        return lg_film_close(&outputs->film, error);
    lg_film_discard(&outputs->film);
    return LG_OK;
}
