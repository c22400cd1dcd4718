// Films that are written as video files, by the module of FFmpeg's libraries.
#include "io/av/av_module.h"
#include "io/film_output.h"

#include <string.h>

struct lg_film_video {
    const lg_av *av;
    lg_av_sink *sink; // NULL before the first frame
    char format[16];
    const lg_frames *source;
    char *codec;
    double crf;
    bool silent, cut_start, early;
    lg_input *carried; // the source's file once more
    lg_film_time time; // of the last frame
};

lg_status lg_film_video_create(const char *format, const lg_film_params *params,
                               lg_film_video **out, lg_error *error)
{
    lg_film_video *v = lg_alloc(sizeof *v);
    if (!v)
        return lg_fail_memory(error, sizeof *v, "a film");
    snprintf(v->format, sizeof v->format, "%s", format);
    v->crf = params->crf;
    v->silent = params->silent;
    v->cut_start = params->cut_start;
    v->source = params->source;
    v->codec = params->codec ? lg_strdup(params->codec) : NULL;
    lg_status status = LG_OK;
    if (params->codec && !v->codec)
        status = lg_fail_memory(error, strlen(params->codec) + 1, "the name of a codec");
    if (status == LG_OK)
        status = lg_video_module("video files are written", &v->av, error);
    if (status == LG_OK)
        *out = v;
    else
        lg_film_video_drop(v);
    return status;
}

void lg_film_video_drop(lg_film_video *video)
{
    if (video->sink)
        video->av->drop(&video->sink);
    if (video->carried)
        lg_input_close(video->carried);
    lg_free(video->carried);
    lg_free(video->codec);
    lg_free(video);
}

lg_status lg_film_video_finish(lg_film_video *video, lg_error *error)
{
    return video->sink ? video->av->finish(video->sink, video->early, error) : LG_OK;
}

void lg_film_cut(lg_film_output *output)
{
    if (output && output->video)
        output->video->early = true;
}

const char *lg_film_note(const lg_film_output *output)
{
    const lg_film_video *v = output ? output->video : NULL;
    return v && v->sink ? v->av->note(v->sink) : "";
}

// ---- the first frame ----------------------------------------------------------------------------

// The source is read a second time for what is copied, which a pipe cannot be.
static lg_status open_carried(lg_film_video *v, lg_error *error)
{
    const char *path = lg_frames_path(v->source);
    if (strcmp(path, "-") == 0 || lg_video_is_camera(path))
        return LG_OK;
    v->carried = lg_alloc(sizeof *v->carried);
    if (!v->carried)
        return lg_fail_memory(error, sizeof *v->carried, "a read buffer");
    const lg_status status = lg_input_open(v->carried, path, error);
    if (status == LG_OK && v->carried->seekable)
        return LG_OK;
    if (status == LG_OK)
        lg_input_close(v->carried);
    lg_free(v->carried);
    v->carried = NULL;
    return status;
}

static lg_status begin(lg_film_output *o, const lg_film *film, bool alpha, lg_error *error)
{
    lg_film_video *v = o->video;
    struct lg_av_source *source = v->source ? lg_frames_video(v->source) : NULL;
    lg_status status = source ? open_carried(v, error) : LG_OK;
    if (status != LG_OK)
        return status;
    const lg_av_writing writing = {.stream = o->stream,
                                   .format = v->format,
                                   .codec = v->codec,
                                   .crf = v->crf,
                                   .source = source,
                                   .carried = v->carried,
                                   .alpha = alpha,
                                   .sound = !v->silent,
                                   .cut_start = v->cut_start,
                                   .matrix_stated = source && lg_frames_states_matrix(v->source)};
    o->film = *film;
    status = v->av->create(&writing, &o->film, &v->sink, error);
    o->begun = status == LG_OK;
    return status;
}

// ---- frames -------------------------------------------------------------------------------------

// By the rate where there is no time stamp.
static const lg_film_time *next_time(lg_film_output *o, const lg_film_time *time)
{
    lg_film_video *v = o->video;
    if (time && time->unit_per)
        v->time = *time;
    else if (v->time.unit_per)
        v->time.ticks += v->time.duration;
    else
        v->time = (lg_film_time){0, 1, o->film.rate ? o->film.rate_per : 1,
                                 o->film.rate ? o->film.rate : 25};
    return &v->time;
}

static lg_status put(lg_film_output *o, const lg_frame_planes *planes, const lg_image *image,
                     const lg_film_time *time, lg_error *error)
{
    const lg_film_video *v = o->video;
    const lg_status status = v->av->put(v->sink, planes, image, next_time(o, time), error);
    return status ? status : lg_film_flush(o, error);
}

static lg_status check_size(const lg_film_output *o, int32_t width, int32_t height, lg_error *error)
{
    if (!o->begun || (width == o->film.width && height == o->film.height))
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "this frame is %d x %d, those before are %d x %d: a film has frames of one size",
                   width, height, o->film.width, o->film.height);
}

static lg_status check_samples(const lg_image_params *shape, lg_error *error)
{
    if (shape->type != LG_U8 && shape->type != LG_U16)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "video holds integer samples, the image is %s; use --type u8 or u16",
                       lg_type_name(shape->type));
    if (shape->alpha == LG_ALPHA_PREMULTIPLIED || shape->channels == 2)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "video holds grey, RGB, and RGB with straight alpha; use --channels 3");
    return LG_OK;
}

// Grey as colours, where the encoder has these alone.
static lg_status spread_grey(const lg_image *grey, lg_image **out, void **memory, lg_error *error)
{
    lg_image_params shape = grey->shape;
    const size_t sample = lg_type_size(shape.type);
    shape.channels = 4;
    shape.alpha = LG_ALPHA_OPAQUE;
    shape.row_stride = 4 * sample * (size_t)shape.width;
    shape.layer_stride = shape.row_stride * (size_t)shape.height;
    *memory = lg_alloc(shape.layer_stride + sizeof(lg_image));
    if (!*memory)
        return lg_fail_memory(error, shape.layer_stride, "a frame");
    *out = *memory;
    (*out)->shape = shape;
    (*out)->data = (uint8_t *)*memory + sizeof(lg_image);
    for (int32_t y = 0; y < shape.height; y++) {
        const uint8_t *from = lg_image_row(grey, 0, y);
        uint8_t *to = lg_image_row(*out, 0, y);
        for (int32_t x = 0; x < shape.width; x++)
            for (size_t c = 0; c < 3; c++)
                memcpy(to + (4 * (size_t)x + c) * sample, from + (size_t)x * sample, sample);
    }
    return LG_OK;
}

static lg_status write_image(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                             lg_error *error)
{
    lg_image *colors = NULL;
    void *memory = NULL;
    lg_status status = LG_OK;
    if (o->film.planes == 0)
        return put(o, NULL, image, time, error);
    if (!o->planes.memory)
        status = lg_frame_create(&o->film, &o->planes, error);
    if (status == LG_OK && image->shape.channels == 1 && o->film.planes > 1)
        status = spread_grey(image, &colors, &memory, error);
    if (status == LG_OK)
        lg_frame_of_image(&o->film, colors ? colors : image, &o->planes);
    lg_free(memory);
    return status ? status : put(o, &o->planes, NULL, time, error);
}

lg_status lg_film_video_write(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                              lg_error *error)
{
    const lg_image_params *shape = &image->shape;
    lg_status status = check_samples(shape, error);
    if (status == LG_OK)
        status = check_size(o, shape->width, shape->height, error);
    if (status == LG_OK && !o->begun) {
        lg_film film = o->film;
        const bool rgb = film.planes == 0 && shape->channels > 2;
        lg_film_settle(&film, shape);
        if (rgb)
            film.planes = 0;
        status = begin(o, &film, shape->alpha == LG_ALPHA_STRAIGHT, error);
    }
    return status ? status : write_image(o, image, time, error);
}

static bool takes(const lg_film_output *o, const lg_film *film)
{
    return o->film.planes == film->planes && o->film.bits == film->bits &&
           o->film.chroma == film->chroma && o->film.full_range == film->full_range;
}

// Planes that the encoder does not take.
static lg_status write_colors(lg_film_output *o, const lg_film *film, const lg_frame_planes *planes,
                              const lg_film_time *time, lg_error *error)
{
    lg_image image = {0};
    lg_film_shape(film, &image.shape);
    image.shape.row_stride = lg_pixel_size(&image.shape) * (size_t)image.shape.width;
    image.shape.layer_stride = image.shape.row_stride * (size_t)image.shape.height;
    image.data = lg_alloc(image.shape.layer_stride);
    if (!image.data)
        return lg_fail_memory(error, image.shape.layer_stride, "a frame");
    lg_frame_to_image(film, planes, &image);
    const lg_status status = write_image(o, &image, time, error);
    lg_free(image.data);
    return status;
}

lg_status lg_film_video_planes(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                               lg_error *error)
{
    const lg_film film = lg_film_of_planes(&o->film, image);
    lg_frame_planes planes = {0};
    lg_status status = check_size(o, film.width, film.height, error);
    if (status == LG_OK && !o->begun)
        status = begin(o, &film, film.planes == 4, error);
    if (status == LG_OK)
        status = lg_frame_create(&film, &planes, error);
    if (status == LG_OK)
        status = lg_film_take_planes(image, &planes, error);
    if (status == LG_OK)
        status = takes(o, &film) ? put(o, &planes, NULL, time, error)
                                 : write_colors(o, &film, &planes, time, error);
    lg_frame_free(&planes);
    return status;
}

// Planes as they are where the encoder takes such, else through RGB.
lg_status lg_film_video_copy(lg_film_output *o, const lg_frames *frames, lg_error *error)
{
    const lg_film *film = lg_frames_film(frames);
    const lg_film_time time = lg_frames_time(frames);
    lg_image *image = NULL;
    lg_status status = check_size(o, film->width, film->height, error);
    if (status == LG_OK && !o->begun)
        status = begin(o, film, film->planes == 4, error);
    if (status != LG_OK)
        return status;
    if (takes(o, film))
        return put(o, lg_frames_stored(frames), NULL, &time, error);
    status = lg_frames_copy_image(frames, &image, error);
    if (status == LG_OK)
        status = write_image(o, image, &time, error);
    lg_image_destroy(&image);
    return status;
}
