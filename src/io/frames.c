// Films: frames of one file or pipe, one after another.
#include "io/av/av_module.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum frames_kind { Y4M, RAW, PNM, PAGES, WHOLE, VIDEO } frames_kind;

struct lg_frames {
    lg_context *context;
    frames_kind kind;
    char *path;
    lg_read_params read;
    lg_film film;
    const lg_raw_format *format; // of raw frames
    lg_input *input;             // NULL: pages
    lg_frame_planes planes;
    lg_image *image; // of a frame that has no planes, until lg_frames_image takes it
    lg_read_info info;
    int64_t index; // of the frame that was read last
    bool ended;    // there is no next frame
    // Of video files and cameras.
    const lg_av *av;
    lg_av_source *video;
    lg_av_opened opened;
    lg_film_time time;
    bool matrix_stated;
    bool live;
    int threads;
};

// ---- opening ------------------------------------------------------------------------------------

static lg_status take_colors(const lg_frames_params *params, lg_film *film, lg_error *error)
{
    bool fixed = false;
    return params->colors ? lg_film_parse_colors(params->colors, film, &fixed, error) : LG_OK;
}

lg_status lg_frames_check(const lg_frames_params *params, lg_error *error)
{
    lg_film film = {0};
    const lg_raw_format *format;
    if (!params)
        return lg_fail_null(error, "parameters");
    const lg_status status = params->raw ? lg_raw_parse(params->raw, &film, &format, error) : LG_OK;
    return status ? status : take_colors(params, &film, error);
}

// What a pipe gave is gone: only files are looked into.
bool lg_frames_is(const char *path)
{
    struct stat found;
    uint8_t head[16];
    ssize_t got = 0;
    const bool named = path && strcmp(path, "-") != 0;
    const int fd = named ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode))
        got = read(fd, head, sizeof head);
    close(fd);
    return lg_video_is_camera(path) ||
           (got > 0 && (lg_y4m_is(head, (size_t)got) || lg_video_is(head, (size_t)got, path)));
}

static lg_status begin_y4m(lg_frames *f, lg_error *error)
{
    snprintf(f->film.format, sizeof f->film.format, "y4m");
    f->kind = Y4M;
    return lg_y4m_read_header(f->input, &f->film, error);
}

static lg_status begin_raw(lg_frames *f, const char *raw, lg_error *error)
{
    snprintf(f->film.format, sizeof f->film.format, "raw");
    f->kind = RAW;
    return lg_raw_parse(raw, &f->film, &f->format, error);
}

static lg_status begin_video(lg_frames *f, const lg_frames_params *params, lg_error *error)
{
    const lg_av_reading reading = {.input = f->input,
                                   .device = f->path,
                                   .read = &f->read,
                                   .threads = params->threads,
                                   .keeps = params->keeps_sound,
                                   .live = params->live};
    lg_status status =
        lg_video_module(f->input ? "video files are read" : "cameras are read", &f->av, error);
    f->kind = VIDEO;
    f->live = params->live;
    f->threads = params->threads;
    if (status == LG_OK)
        status = f->av->open(&reading, &f->opened, &f->video, error);
    f->film = f->opened.film;
    return status;
}

// Pages are read by their number, each time from the start: a pipe has none.
static lg_status begin_pages(lg_frames *f, lg_error *error)
{
    snprintf(f->film.format, sizeof f->film.format, "pages");
    f->kind = PAGES;
    if (!f->input->seekable || !f->input->owned)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "frames of a pipe are y4m, PNM (-f image2pipe -c:v ppm of ffmpeg) or, with "
                       "--raw, raw; this is something else");
    lg_input_close(f->input);
    lg_free(f->input);
    f->input = NULL;
    return LG_OK;
}

// A matrix that the caller states is one that is converted.
static lg_status take_all_colors(lg_frames *f, const lg_frames_params *params, lg_error *error)
{
    f->matrix_stated = params->colors && strstr(params->colors, "bt");
    if (f->matrix_stated)
        f->opened.refusal[0] = '\0';
    return take_colors(params, &f->film, error);
}

// A camera has no file to look into.
static lg_status begin_camera(lg_frames *f, const lg_frames_params *params, lg_error *error)
{
    lg_status status = begin_video(f, params, error);
    if (status == LG_OK)
        status = take_all_colors(f, params, error);
    if (status == LG_OK && f->film.planes)
        lg_frame_shape(&f->film, &f->planes);
    return status;
}

static lg_status begin(lg_frames *f, const lg_frames_params *params, lg_error *error)
{
    lg_input *input = f->input;
    lg_status status = LG_OK;
    if (!input)
        return begin_camera(f, params, error);
    const size_t size = lg_input_peek(input, 16);
    const uint8_t *head = input->buffer + input->begin;
    if (input->failure)
        return lg_input_short(input, "the start", error);
    if (params->raw) {
        status = begin_raw(f, params->raw, error);
    } else if (lg_y4m_is(head, size)) {
        status = begin_y4m(f, error);
    } else if (lg_video_is(head, size, f->path)) {
        status = begin_video(f, params, error);
    } else if (params->whole) {
        f->kind = WHOLE;
    } else if (lg_pnm_is(head, size)) {
        snprintf(f->film.format, sizeof f->film.format, "pnm");
        f->kind = PNM;
    } else {
        status = begin_pages(f, error);
    }
    if (status == LG_OK)
        status = take_all_colors(f, params, error);
    if (status == LG_OK && (f->kind == Y4M || f->kind == RAW))
        status = lg_read_check(&f->read, f->film.width, f->film.height, 1, error);
    if (status == LG_OK && f->film.planes)
        lg_frame_shape(&f->film, &f->planes);
    return status;
}

lg_status lg_frames_open(lg_context *context, const char *path, const lg_frames_params *params,
                         lg_frames **out, lg_error *error)
{
    const lg_frames_params none = {0};
    if (!context || !path || !out)
        return lg_fail_null(error, "a context, the name of a file, and a place for the film");
    params = params ? params : &none;
    lg_frames *f = lg_alloc(sizeof *f);
    if (!f)
        return lg_fail_memory(error, sizeof *f, "a film");
    f->context = context;
    f->index = -1;
    f->read = params->read ? *params->read : lg_read_params_default();
    f->path = lg_strdup(path);
    const bool camera = lg_video_is_camera(path);
    f->input = camera ? NULL : lg_alloc(sizeof *f->input);
    lg_status status = !f->path || (!f->input && !camera)
                           ? lg_fail_memory(error, sizeof *f->input, "a film")
                       : camera ? LG_OK
                                : lg_input_open(f->input, path, error);
    if (status != LG_OK) {
        lg_free(f->input);
        f->input = NULL;
    } else {
        if (f->input)
            f->input->watched = &f->read;
        status = begin(f, params, error);
    }
    if (status == LG_OK)
        *out = f;
    else
        lg_frames_close(&f);
    return status;
}

void lg_frames_close(lg_frames **frames)
{
    lg_frames *f = frames ? *frames : NULL;
    if (!f)
        return;
    if (f->video)
        f->av->close(&f->video);
    if (f->input)
        lg_input_close(f->input);
    lg_free(f->input);
    lg_free(f->path);
    lg_frame_free(&f->planes);
    lg_image_destroy(&f->image);
    lg_metadata_destroy(&f->info.metadata);
    lg_free(f);
    *frames = NULL;
}

const lg_film *lg_frames_film(const lg_frames *frames)
{
    return frames ? &frames->film : NULL;
}

bool lg_frames_is_whole(const lg_frames *frames)
{
    return frames && frames->kind == WHOLE;
}

int64_t lg_frames_index(const lg_frames *frames)
{
    return frames ? frames->index : -1;
}

lg_film_time lg_frames_time(const lg_frames *frames)
{
    if (!frames || frames->index < 0)
        return (lg_film_time){0};
    if (frames->kind == VIDEO)
        return frames->time;
    const lg_film *film = &frames->film;
    return film->rate ? (lg_film_time){frames->index, 1, film->rate_per, film->rate}
                      : (lg_film_time){0};
}

double lg_frames_seconds(const lg_frames *frames)
{
    return frames ? frames->opened.seconds : 0;
}

int64_t lg_frames_dropped(const lg_frames *frames)
{
    return frames && frames->video ? frames->av->dropped(frames->video) : 0;
}

lg_av_source *lg_frames_video(const lg_frames *frames)
{
    return frames->video;
}

const char *lg_frames_path(const lg_frames *frames)
{
    return frames->path;
}

bool lg_frames_states_matrix(const lg_frames *frames)
{
    return frames->matrix_stated;
}

// ---- the next frame -----------------------------------------------------------------------------

static lg_status next_y4m(lg_frames *f, bool *more, lg_error *error)
{
    lg_status status = lg_y4m_read_frame_header(f->input, more, error);
    if (status != LG_OK || !*more)
        return status;
    const size_t bytes = f->planes.bytes;
    status = lg_frame_renew(&f->planes, error);
    if (status != LG_OK)
        return status;
    if (lg_input_read(f->input, f->planes.memory->data, bytes) != bytes)
        return lg_input_short(f->input, "the frame", error);
    if (f->planes.sample == 2 && !lg_host_is_little())
        lg_swap_bytes(f->planes.memory->data, 2, bytes / 2);
    return LG_OK;
}

static lg_status next_raw(lg_frames *f, bool *more, lg_error *error)
{
    lg_image_params shape;
    lg_status status = LG_OK;
    if (f->film.planes) {
        status = lg_frame_renew(&f->planes, error);
        return status ? status : lg_raw_read_planes(f->input, f->format, &f->planes, more, error);
    }
    lg_film_shape(&f->film, &shape);
    shape.alpha = f->format->channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_OPAQUE;
    status = lg_image_create(f->context, &shape, &f->image, error);
    return status ? status : lg_raw_read_image(f->input, f->format, f->image, more, error);
}

static void describe(lg_frames *f)
{
    const lg_image_params *shape = &f->image->shape;
    f->film.width = shape->width;
    f->film.height = shape->height;
    f->film.bits = shape->type == LG_U8 ? 8 : 16;
}

static lg_status next_pnm(lg_frames *f, bool *more, lg_error *error)
{
    const lg_status status =
        lg_pnm_next(f->context, f->input, &f->read, &f->image, &f->info, error);
    *more = status != LG_OK || f->image;
    return status;
}

// The pages end where there is none of that number.
static lg_status next_page(lg_frames *f, bool *more, lg_error *error)
{
    lg_error local = {0};
    lg_read_params read = f->read;
    read.page = (int32_t)(f->index + 1);
    const lg_status status =
        f->index + 1 < LG_MAX_LAYERS
            ? lg_image_read(f->context, f->path, &read, &f->image, &f->info, &local)
            : lg_fail(&local, LG_ERROR_LIMIT, "a film of pages has at most %d", LG_MAX_LAYERS);
    *more = status == LG_OK;
    if (status == LG_ERROR_ARGUMENT && f->index >= 0)
        return LG_OK;
    return status ? lg_fail(error, status, "%s", local.message) : LG_OK;
}

static lg_status next_whole(lg_frames *f, bool *more, lg_error *error)
{
    *more = f->index < 0;
    if (!*more)
        return LG_OK;
    return lg_read_input(f->context, f->path, f->input, &f->read, &f->image, &f->info, error);
}

static lg_status next_video(lg_frames *f, bool *more, lg_error *error)
{
    lg_image_params shape;
    lg_status status = f->av->next(f->video, more, &f->time, error);
    if (status != LG_OK || !*more)
        return status;
    if (f->film.planes)
        return f->av->planes(f->video, &f->planes, error);
    lg_film_shape(&f->film, &shape);
    shape.alpha = f->opened.alpha ? LG_ALPHA_STRAIGHT : LG_ALPHA_OPAQUE;
    status = lg_image_create(f->context, &shape, &f->image, error);
    if (status == LG_OK)
        f->av->image(f->video, f->image);
    return status;
}

// Where the error is. A system's error, and those of whole images, say what is needed.
static lg_status blame_frame(const lg_frames *f, int64_t at, const lg_error *inner, lg_error *error)
{
    if (f->kind == WHOLE || inner->status == LG_ERROR_CANCELLED || inner->status == LG_ERROR_MEMORY)
        return lg_fail(error, inner->status, "%s", inner->message);
    if (!f->input || f->kind == VIDEO)
        return lg_fail(error, inner->status, "frame %lld: %s", (long long)f->index + 1,
                       inner->message);
    return lg_fail(error, inner->status, "frame %lld, which begins at byte %lld: %s",
                   (long long)f->index + 1, (long long)at, inner->message);
}

lg_status lg_frames_next(lg_frames *frames, bool *more, lg_error *error)
{
    lg_status (*const next[])(lg_frames *, bool *, lg_error *) = {
        next_y4m, next_raw, next_pnm, next_page, next_whole, next_video};
    if (!frames || !more)
        return lg_fail_null(error, "a film, and a place for whether there is a frame");
    *more = false;
    if (frames->ended)
        return LG_OK;
    lg_error local = {0};
    bool found = false;
    const int64_t at = frames->input ? frames->input->offset : 0;
    lg_image_destroy(&frames->image);
    lg_metadata_destroy(&frames->info.metadata);
    frames->info = (lg_read_info){0};
    const lg_status status = next[frames->kind](frames, &found, &local);
    frames->ended = status != LG_OK || !found;
    if (status != LG_OK || !found)
        lg_image_destroy(&frames->image);
    if (status != LG_OK)
        return blame_frame(frames, at, &local, error);
    if (!found)
        return LG_OK;
    frames->index++;
    if (frames->image && frames->kind != WHOLE && frames->kind != VIDEO)
        describe(frames);
    *more = true;
    return LG_OK;
}

// From the start again.
static lg_status open_again(lg_frames *f, lg_error *error)
{
    const lg_av_reading reading = {.input = f->input, .read = &f->read, .threads = f->threads};
    lg_av_opened opened;
    f->av->close(&f->video);
    lg_input_close(f->input);
    lg_status status = lg_input_open(f->input, f->path, error);
    if (status != LG_OK) {
        lg_free(f->input);
        f->input = NULL;
        f->ended = true;
        return status;
    }
    f->input->watched = &f->read;
    status = f->av->open(&reading, &opened, &f->video, error);
    f->ended = status != LG_OK;
    return status;
}

lg_status lg_frames_seek(lg_frames *frames, int64_t frame, double second, lg_error *error)
{
    if (!frames)
        return lg_fail_null(error, "a film");
    if (frame < 0 || !(second <= 1e15))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "frame %lld, second %g: numbers of frames begin with 0, and seconds end",
                       (long long)frame, second);
    if (frames->index >= 0 || frames->ended)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a film begins with a later frame before its first one is read");
    if (frames->kind != VIDEO || frames->live || !frames->input || !frames->input->seekable ||
        !frames->input->owned || (frame == 0 && second <= 0))
        return LG_OK;
    const int64_t found = frames->av->seek(frames->video, frame, second);
    if (found > 0)
        frames->index = found - 1;
    return found < 0 ? open_again(frames, error) : LG_OK;
}

// ---- the frame ----------------------------------------------------------------------------------

static void note_film(const lg_film *film, lg_read_info *info)
{
    static const char *const orders[] = {
        [LG_FIELDS_TOP_FIRST] = "top field first",
        [LG_FIELDS_BOTTOM_FIRST] = "bottom field first",
        [LG_FIELDS_MIXED] = "some frames",
    };
    snprintf(info->format, sizeof info->format, "%s", film->format);
    if (film->fields > LG_FIELDS_PROGRESSIVE)
        lg_note(info, "interlaced, %s: the fields of a frame are taken together",
                orders[film->fields]);
}

static void give_info(lg_frames *frames, lg_read_info *out)
{
    if (frames->kind == Y4M || frames->kind == RAW || frames->kind == VIDEO)
        note_film(&frames->film, &frames->info);
    if (!out)
        return;
    *out = frames->info;
    frames->info = (lg_read_info){0};
}

lg_status lg_frames_copy_image(const lg_frames *frames, lg_image **out, lg_error *error)
{
    lg_image_params shape;
    lg_film_shape(&frames->film, &shape);
    if (frames->opened.refusal[0])
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s", frames->opened.refusal);
    const lg_status status = lg_image_create(frames->context, &shape, out, error);
    if (status == LG_OK)
        lg_frame_to_image(&frames->film, &frames->planes, *out);
    return status;
}

lg_status lg_frames_image(lg_frames *frames, lg_image **out, lg_read_info *info, lg_error *error)
{
    if (!frames || !out)
        return lg_fail_null(error, "a film, and a place for the image");
    lg_image *image = NULL;
    lg_status status = LG_OK;
    if (frames->index < 0 || (!frames->planes.memory && !frames->image))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is no frame: lg_frames_next reads one, and its image is given once");
    if (frames->planes.memory)
        status = lg_frames_copy_image(frames, &image, error);
    if (status != LG_OK) {
        lg_image_destroy(&image);
        return status;
    }
    *out = image ? image : frames->image;
    frames->image = NULL;
    give_info(frames, info);
    return LG_OK;
}

lg_status lg_frames_planes(lg_frames *frames, lg_image **out, lg_read_info *info, lg_error *error)
{
    if (!frames || !out)
        return lg_fail_null(error, "a film, and a place for the image");
    if (frames->index < 0 || (frames->planes.count != 1 && frames->planes.count != 3))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is no frame of luma, or of luma, Cb and Cr; lg_frames_image makes "
                       "an image of others");
    if (frames->opened.refusal[0])
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s", frames->opened.refusal);
    const lg_planes planes = lg_film_planes(&frames->film);
    lg_image_params shape;
    lg_film_shape(&frames->film, &shape);
    shape.planes = &planes;
    void *data[LG_MAX_PLANES] = {NULL};
    size_t rows[LG_MAX_PLANES] = {0};
    for (int i = 0; i < frames->planes.count; i++)
        data[i] = frames->planes.plane[i].data, rows[i] = frames->planes.plane[i].row;
    const lg_status status = lg_image_wrap_planes(frames->context, &shape, data, rows, out, error);
    if (status != LG_OK)
        return status;
    lg_image_private *image = (lg_image_private *)*out;
    image->release = lg_frame_memory_release;
    image->released = lg_frame_memory_hold(frames->planes.memory);
    give_info(frames, info);
    return LG_OK;
}

lg_status lg_frames_plane(lg_frames *frames, int plane, lg_image **out, lg_error *error)
{
    if (!frames || !out)
        return lg_fail_null(error, "a film, and a place for the plane");
    if (frames->index < 0 || plane < 0 || plane >= frames->planes.count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is no plane %d; the frame has %d", plane,
                       frames->index < 0 ? 0 : frames->planes.count);
    const lg_frame_plane *p = &frames->planes.plane[plane];
    const lg_image_params shape = {.width = p->width,
                                   .height = p->height,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = frames->planes.sample == 2 ? LG_U16 : LG_U8,
                                   .row_stride = p->row,
                                   .layer_stride = p->row * (size_t)p->height};
    return lg_image_wrap(frames->context, &shape, p->data, out, error);
}

const lg_frame_planes *lg_frames_stored(const lg_frames *frames)
{
    return frames->index >= 0 && frames->planes.memory ? &frames->planes : NULL;
}
