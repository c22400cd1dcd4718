#include "outputs.h"

#include "films.h"
#include "layers.h"
#include "name_template.h"
#include "names.h"

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

// "" where the name has none.
static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

// A folder that is not there yet: the slash, or several inputs and a name that is no image's.
static bool is_new_folder(const char *path, const lg_options *options)
{
    struct stat status;
    const size_t length = strlen(path);
    if (length < 2 || stat(path, &status) == 0)
        return false;
    const bool file = lg_image_can_write(path) || lg_film_can_format(extension_of(path));
    return path[length - 1] == '/' || (lg_names_several(options) && !file);
}

// "out.jpg[Q=80]": options behind an extension that is known.
static void split_options(lg_outputs *outputs)
{
    const char *open = outputs->asked ? strrchr(outputs->asked, '[') : NULL;
    const size_t length = open ? strlen(open) : 0;
    if (length < 2 || open[length - 1] != ']' || length - 2 >= sizeof outputs->options)
        return;
    char *name = strndup(outputs->asked, (size_t)(open - outputs->asked));
    const size_t size = name ? strlen(name) : 0;
    const bool field = size > 5 && strcmp(name + size - 5, "{ext}") == 0;
    if (!name || strcmp(name, "-") == 0 || (!field && !lg_image_can_write(name))) {
        free(name);
        return;
    }
    snprintf(outputs->options, sizeof outputs->options, "%.*s", (int)(length - 2), open + 1);
    outputs->asked = outputs->name = name;
}

bool lg_is_folder_format(const char *path)
{
    return strcasecmp(extension_of(path), "zarr") == 0;
}

// A shell that completes a name puts a slash behind a folder of Zarr.
static void drop_slash(lg_outputs *outputs)
{
    size_t length = strlen(outputs->asked);
    const char *asked = outputs->asked;
    while (length > 6 && asked[length - 1] == '/')
        length--;
    if (!asked[length] || strncasecmp(asked + length - 5, ".zarr", 5) != 0)
        return;
    char *name = strndup(asked, length);
    if (name) {
        free(outputs->name);
        outputs->asked = outputs->name = name;
    }
}

lg_outputs lg_outputs_at(const char *asked)
{
    lg_outputs outputs = {.option = "-o", .asked = asked};
    if (!asked)
        return outputs;
    drop_slash(&outputs);
    if (!is_folder(outputs.asked))
        split_options(&outputs);
    outputs.folder = is_folder(outputs.asked) && !lg_is_folder_format(outputs.asked);
    return outputs;
}

static const char *format_of(const char *path, const lg_options *options)
{
    const char *own = extension_of(path);
    return options->format ? options->format : *own ? own : "pnm";
}

static bool is_one_of(const char *format, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(format, *list) == 0)
            return true;
    return false;
}

lg_status lg_outputs_params(const lg_outputs *outputs, const lg_options *options,
                            const lg_metadata *metadata, const char *path,
                            char room[LG_OPTIONS_ROOM], lg_write_params *out, lg_error *error)
{
    static const char *const lossy[] = {"jpg", "jpeg", "webp", "avif", "heic", "jxl", NULL};
    static const char *const packed[] = {"tif", "tiff", "zarr", "png", NULL};
    static const char *const tiled[] = {"tif", "tiff", "zarr", NULL};
    const char *format = format_of(path, options);
    const char *given = *outputs->options ? outputs->options : options->format_options;
    int used = snprintf(room, LG_OPTIONS_ROOM, "%s", given);
    *out = (lg_write_params){.format = options->format, .metadata = metadata};
    if (options->quality >= 0 && !is_one_of(format, lossy))
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--quality is of .jpg, .webp, .avif, .heic and .jxl, not of .%s",
                            format);
    if (options->compression && !is_one_of(format, packed))
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--compression is of .tif, .zarr and .png, not of .%s", format);
    if ((options->tile || options->pyramid) && !is_one_of(format, tiled))
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "--%s is of .tif and .zarr, whose pixels are in tiles, not of .%s",
                            options->tile ? "tile" : "pyramid", format);
    if (options->quality >= 0)
        used += snprintf(room + used, (size_t)(LG_OPTIONS_ROOM - used), "%sQ=%lld", used ? "," : "",
                         (long long)options->quality);
    if (options->compression)
        used += snprintf(room + used, (size_t)(LG_OPTIONS_ROOM - used), "%scompression=%.30s",
                         used ? "," : "", options->compression);
    if (options->tile)
        used += snprintf(room + used, (size_t)(LG_OPTIONS_ROOM - used), "%stile=%.15s",
                         used ? "," : "", options->tile);
    if (options->pyramid)
        snprintf(room + used, (size_t)(LG_OPTIONS_ROOM - used), "%spyramid", used ? "," : "");
    out->options = *room ? room : NULL;
    return LG_OK;
}

void lg_outputs_free(lg_outputs *outputs)
{
    for (size_t i = 0; i < outputs->used; i++)
        free(outputs->written[i]);
    free(outputs->written);
    free(outputs->film_path);
    free(outputs->name);
    lg_film_discard(&outputs->film);
    *outputs = (lg_outputs){0};
}

// Names of one format: .tiff, and .pgm, which is PNM.
static bool is_same_format(const char *a, const char *b)
{
    static const char *const same[][7] = {
        {"tif", "tiff", NULL}, {"jpg", "jpeg", NULL}, {"pnm", "pbm", "pgm", "ppm", "pam", NULL}};
    bool found = strcasecmp(a, b) == 0;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        found |= is_one_of(a, same[i]) && is_one_of(b, same[i]);
    return found;
}

static bool check_extension(const lg_outputs *outputs, const lg_options *options)
{
    static const char *const usual[] = {"png",  "jpg", "jpeg", "tif",  "tiff", "webp", "gif",
                                        "avif", "pgm", "ppm",  "pnm",  "npy",  "mp4",  "mkv",
                                        "webm", "mov", "y4m",  "heic", "zarr", NULL};
    const char *dot = strrchr(outputs->asked, '.');
    const bool film = dot && lg_film_can_format(dot + 1);
    const char *near = dot && dot[1] ? lg_nearest(dot + 1, usual) : NULL;
    if (dot && options->format && (film || lg_image_can_format(dot + 1)) &&
        !is_same_format(dot + 1, options->format)) {
        lg_complain("%s %s and --format %s name two formats; leave one out", outputs->option,
                    outputs->asked, options->format);
        return false;
    }
    if (options->format || film || lg_image_can_write(outputs->asked))
        return true;
    if (dot && strcasecmp(dot, ".exr") == 0)
        lg_complain("%s %s: libvips reads OpenEXR and does not write it; .tif and .npy hold f32 "
                    "and f16, .pfm f32",
                    outputs->option, outputs->asked);
    else if (near)
        lg_complain("%s %s: the extension names no format; did you mean .%s?", outputs->option,
                    outputs->asked, near);
    else
        lg_complain("%s %s: the extension names no image format; use .png, .tif, .pgm, .npy ...",
                    outputs->option, outputs->asked);
    return false;
}

static bool check_template(const lg_outputs *outputs, const lg_options *options)
{
    const size_t length = strlen(outputs->asked);
    return (length > 6 && strcmp(outputs->asked + length - 6, ".{ext}") == 0) ||
           check_extension(outputs, options);
}

bool lg_outputs_check(lg_outputs *outputs, const lg_options *options)
{
    const char *asked = outputs->asked;
    bool pattern = options->file_count == 1 && strpbrk(options->files[0], "*?["), good = true;
    outputs->still = options->page >= 0;
    if (!asked || outputs->folder)
        return true;
    outputs->fields = lg_template_is(outputs->option, asked, &good);
    if (!good || outputs->fields)
        return good && check_template(outputs, options);
    if (is_new_folder(asked, options))
        outputs->folder = outputs->missing = true;
    if (outputs->folder)
        return true;
    if (strcmp(asked, "-") == 0 && isatty(STDOUT_FILENO)) {
        lg_complain("%s -: standard output is a terminal, which cannot show an image; redirect it, "
                    "or name a file",
                    outputs->option);
        return false;
    }
    if (lg_names_several(options) && !lg_image_can_write(asked) &&
        lg_film_can_format(extension_of(asked))) {
        lg_complain(
            "%s %s: a film is made of the frames of one input, as in `cat *.ppm | lumagraph "
            "run PIPELINE - %s %s`; several inputs need a folder, which ends in /",
            outputs->option, asked, outputs->option, asked);
        return false;
    }
    if (lg_names_several(options)) {
        lg_complain("%s %s: several inputs need a folder, which %s/ makes, or a name with fields, "
                    "such as {name}-1.png",
                    outputs->option, asked, asked);
        return false;
    }
    return pattern || strncmp(asked, "/dev/", 5) == 0 || check_extension(outputs, options);
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
                "another input was already written to %.300s; {below} and {index} in a name "
                "tell inputs apart",
                name);
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

// In a folder: the input's name, and the folders below the one that was given.
static lg_status name_in_folder(lg_outputs *outputs, const lg_input_file *file,
                                const char *extension, char *out, size_t size, lg_error *error)
{
    const lg_name_parts p = lg_name_parts_of(file);
    char number[24] = "";
    if (outputs->missing && mkdir(outputs->asked, 0777) != 0 && errno != EEXIST)
        return lg_set_error(error, LG_ERROR_IO, "the folder %.300s cannot be made: %s",
                            outputs->asked, strerror(errno));
    outputs->missing = false;
    if (!extension && strcmp(file->name, "-") == 0)
        extension = file->info.format;
    if (file->frame >= 0) {
        snprintf(number, sizeof number, "-%06lld", (long long)file->frame);
        extension = extension ? extension : p.extension ? p.extension : file->info.format;
    }
    const int stem = extension ? (int)(p.name - p.below) + p.stem : (int)strlen(p.below);
    size_t folder = strlen(outputs->asked);
    while (folder > 1 && outputs->asked[folder - 1] == '/')
        folder--;
    if ((size_t)snprintf(out, size, "%.*s/%.*s%s%s%s", (int)folder, outputs->asked, stem, p.below,
                         number, extension ? "." : "", extension ? extension : "") >= size)
        return lg_set_error(error, LG_ERROR_IO, "the output's name is too long");
    return p.below == p.name ? LG_OK : lg_make_folders(out, error);
}

static lg_status name_of_template(lg_outputs *outputs, const lg_input_file *file,
                                  const char *extension, char *out, size_t size, lg_error *error)
{
    if (!lg_template_fill(outputs->asked, file, extension, out, size))
        return lg_set_error(error, LG_ERROR_IO, "the output's name is too long");
    return file->repeated ? LG_OK : lg_make_folders(out, error);
}

static bool is_one_file(const lg_outputs *outputs)
{
    return !outputs->folder && !(outputs->fields && lg_template_has(outputs->asked, "frame"));
}

lg_status lg_outputs_name(lg_outputs *outputs, const lg_input_file *file, const char *extension,
                          char *out, size_t size, lg_error *error)
{
    snprintf(out, size, "%s", outputs->asked); // also for messages
    if (!outputs->folder && !outputs->fields && file->count > 1)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "the pattern matches several files: %s must be a folder; one that ends in / is "
            "made",
            outputs->option);
    if (is_one_file(outputs) && file->frame >= 0 && !outputs->takes_films && !outputs->still)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            "every frame is an image of its own: %s must be a folder; one that ends "
            "in / is made",
            outputs->option);
    if (!outputs->folder && !outputs->fields)
        return LG_OK;
    if (!extension && is_video(file) && !is_one_file(outputs))
        extension = "pnm";
    const lg_status status = (outputs->folder ? name_in_folder : name_of_template)(
        outputs, file, extension, out, size, error);
    // Numbers tell frames apart.
    return status || file->repeated ? status : note_name(outputs, out, error);
}

// ---- films --------------------------------------------------------------------------------------

// The format that the frames of one file have; NULL: images are written one by one.
static const char *film_format(const lg_outputs *outputs, const lg_input_file *file,
                               const char *path, const char *format)
{
    if (!is_one_file(outputs))
        return NULL;
    if (!format && strcmp(path, "-") == 0 && file->frame >= 0)
        format = is_video(file) ? "y4m" : "pnm";
    if (!format)
        format = extension_of(path);
    if (outputs->still && lg_image_can_format(format) && !lg_film_can_format(format))
        return NULL;
    return file->frame >= 0 || lg_film_can_format(format) ? format : NULL;
}

bool lg_outputs_take_sound(const lg_outputs *outputs, const lg_options *options)
{
    const char *asked = outputs->asked ? outputs->asked : "";
    const char *format = options->format ? options->format : extension_of(asked);
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
    free(outputs->film_path);
    outputs->film_path = strdup(path);
    if (!outputs->film_path)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a file name");
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
