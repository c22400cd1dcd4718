// Films that are written: y4m, and images of PNM behind each other. Video files are film_video.c's.
#include "io/film_output.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

static const char *const formats[] = {"y4m", "pnm", "pgm", "ppm", "pam"};

static void release(lg_film_output **output)
{
    lg_film_output *o = *output;
    if (o->video)
        lg_film_video_drop(o->video);
    lg_frame_free(&o->planes);
    lg_free(o);
    *output = NULL;
}

lg_film_params lg_film_params_default(void)
{
    return (lg_film_params){.crf = -1};
}

lg_status lg_film_create(const char *path, const char *format, const lg_film *film,
                         lg_film_output **out, lg_error *error)
{
    return lg_film_create_with(path, format, film, NULL, out, error);
}

lg_status lg_film_create_with(const char *path, const char *format, const lg_film *film,
                              const lg_film_params *params, lg_film_output **out, lg_error *error)
{
    const lg_film plain = {.planes = 3, .bits = 8, .chroma = LG_CHROMA_444};
    const lg_film_params defaults = lg_film_params_default();
    size_t known = 0;
    if (!path || !format || !out)
        return lg_fail_null(error, "the name of a file, a format, and a place for the film");
    while (known < LG_COUNT(formats) && strcasecmp(formats[known], format) != 0)
        known++;
    const bool video = known == LG_COUNT(formats) && lg_film_can_format(format);
    if (known == LG_COUNT(formats) && !video)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "frames are written as y4m, pnm, ppm, pgm or pam, and as mp4, mkv, webm, mov, avi "
            "..., not as %.20s; a folder takes an image for each frame",
            format);
    lg_film_output *o = lg_alloc(sizeof *o);
    if (!o)
        return lg_fail_memory(error, sizeof *o, "a film");
    lg_status status =
        video ? lg_film_video_create(format, params ? params : &defaults, &o->video, error) : LG_OK;
    if (status == LG_OK)
        status = lg_output_open(path, &o->file, error);
    if (status != LG_OK) {
        release(&o);
        return status;
    }
    o->stream = lg_output_stream(o->file);
    o->y4m = known == 0;
    snprintf(o->format, sizeof o->format, "%s", video ? "" : formats[known]);
    o->film = film ? *film : plain;
    *out = o;
    return LG_OK;
}

// Goes on to the reader of a pipe before the next frame is computed.
lg_status lg_film_flush(const lg_film_output *o, lg_error *error)
{
    return fflush(o->stream) == 0 && !ferror(o->stream) ? LG_OK : lg_fail_write(error, errno);
}

// ---- y4m ----------------------------------------------------------------------------------------

void lg_film_settle(lg_film *film, const lg_image_params *shape)
{
    const bool colors = shape->channels > 2;
    film->width = shape->width;
    film->height = shape->height;
    if (film->bits < 8 || film->planes == 0)
        film->bits = shape->type == LG_U8 ? 8 : 16;
    if (!colors) {
        film->full_range = film->planes > 1 || film->planes == 0 || film->full_range;
        film->planes = 1;
        film->chroma = LG_CHROMA_NONE;
        return;
    }
    if (film->planes < 3)
        film->chroma = LG_CHROMA_444, film->siting = LG_SITING_LEFT, film->full_range = false;
    film->planes = 3;
    if (shape->alpha == LG_ALPHA_STRAIGHT)
        film->planes = 4;
}

static lg_status check_shape(const lg_film *film, const lg_image_params *shape, lg_error *error)
{
    if (shape->type != LG_U8 && shape->type != LG_U16)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "y4m holds integer samples, the image is %s; use --type u8 or u16",
                       lg_type_name(shape->type));
    if (shape->alpha == LG_ALPHA_PREMULTIPLIED || shape->channels == 2)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "y4m holds grey, RGB, and RGB with straight alpha of 8 bits; use --channels 3");
    if (film->planes == 4 &&
        (film->bits != 8 || shape->type != LG_U8 || film->chroma != LG_CHROMA_444))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "y4m holds alpha in 4:4:4 of 8 bits alone; --channels 3 leaves alpha out");
    return LG_OK;
}

static bool same_frames(const lg_film *a, const lg_film *b)
{
    return a->width == b->width && a->height == b->height && a->planes == b->planes &&
           a->bits == b->bits && a->chroma == b->chroma;
}

// The header in front of the first frame; the others are as that one.
static lg_status begin(lg_film_output *o, const lg_film *film, lg_error *error)
{
    if (o->begun && same_frames(film, &o->film))
        return LG_OK;
    if (o->begun)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "this frame is %d x %d with %d planes, those before are %d x %d with %d: y4m "
            "holds frames of one kind",
            film->width, film->height, film->planes, o->film.width, o->film.height, o->film.planes);
    o->film = *film;
    o->begun = true;
    lg_y4m_write_header(o->stream, film);
    return LG_OK;
}

// `swapped`: room for a row whose bytes change places; NULL: they stay.
static bool put_plane(FILE *stream, const lg_frame_plane *plane, size_t row, uint8_t *swapped)
{
    const size_t rows = (size_t)plane->height;
    if (!swapped && row == plane->row)
        return fwrite(plane->data, row, rows, stream) == rows;
    for (size_t y = 0; y < rows; y++) {
        const uint8_t *from = plane->data + y * plane->row;
        if (swapped) {
            memcpy(swapped, from, row);
            lg_swap_bytes(swapped, 2, row / 2);
            from = swapped;
        }
        if (fwrite(from, 1, row, stream) != row)
            return false;
    }
    return true;
}

static lg_status put_planes(lg_film_output *o, const lg_frame_planes *planes, lg_error *error)
{
    const bool swap = planes->sample == 2 && !lg_host_is_little();
    const size_t room = lg_frame_row(planes, 0); // no row is longer than one of luma
    uint8_t *swapped = swap ? lg_alloc(room) : NULL;
    if (swap && !swapped)
        return lg_fail_memory(error, room, "a row");
    bool good = fputs("FRAME\n", o->stream) >= 0;
    for (int i = 0; i < planes->count && good; i++)
        good = put_plane(o->stream, &planes->plane[i], lg_frame_row(planes, i), swapped);
    const int code = errno;
    lg_free(swapped);
    return good ? lg_film_flush(o, error) : lg_fail_write(error, code);
}

static lg_status write_y4m(lg_film_output *o, const lg_image *image, lg_error *error)
{
    lg_film film = o->film;
    if (!o->begun)
        lg_film_settle(&film, &image->shape);
    else
        film.width = image->shape.width, film.height = image->shape.height,
        film.planes = image->shape.channels <= 2                ? 1
                      : image->shape.alpha == LG_ALPHA_STRAIGHT ? 4
                                                                : 3;
    lg_status status = check_shape(&film, &image->shape, error);
    if (status == LG_OK)
        status = begin(o, &film, error);
    if (status == LG_OK && !o->planes.memory)
        status = lg_frame_create(&film, &o->planes, error);
    if (status != LG_OK)
        return status;
    lg_frame_of_image(&film, image, &o->planes);
    return put_planes(o, &o->planes, error);
}

lg_film lg_film_of_planes(const lg_film *film, const lg_image *image)
{
    const lg_planes *p = image->shape.planes;
    lg_film out = *film;
    out.width = image->shape.width, out.height = image->shape.height;
    out.planes = p->chroma == LG_CHROMA_NONE ? 1 : 3;
    out.bits = p->bits, out.chroma = p->chroma;
    out.matrix = p->matrix, out.full_range = p->full_range;
    if (p->chroma == LG_CHROMA_420) // that of other films is not part of planes
        out.siting = p->siting;
    return out;
}

lg_status lg_film_take_planes(const lg_image *image, lg_frame_planes *out, lg_error *error)
{
    for (int i = 0; i < out->count; i++) {
        const lg_image *plane = &((const lg_image_private *)image)->plane[i]->image;
        const lg_frame_plane *to = &out->plane[i];
        if (!plane->data)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "the image has no host pixels; lg_image_download makes them");
        for (int32_t y = 0; y < to->height; y++)
            memcpy(to->data + (size_t)y * to->row, lg_image_row(plane, 0, y), to->row);
    }
    return LG_OK;
}

// An image of planes as it is, with the rate of the film.
static lg_status write_planes(lg_film_output *o, const lg_image *image, const lg_film_time *time,
                              lg_error *error)
{
    const lg_planes *p = image->shape.planes;
    if ((!o->y4m && !o->video) || p->paired || p->shift)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "y4m and video files take planes of luma, Cb and Cr, each by itself and "
                       "without bits below the codes; no other film holds planes");
    if (o->video)
        return lg_film_video_planes(o, image, time, error);
    const lg_film film = lg_film_of_planes(&o->film, image);
    lg_status status = begin(o, &film, error);
    if (status == LG_OK && !o->planes.memory)
        status = lg_frame_create(&film, &o->planes, error);
    if (status == LG_OK)
        status = lg_film_take_planes(image, &o->planes, error);
    return status ? status : put_planes(o, &o->planes, error);
}

// ---- frames -------------------------------------------------------------------------------------

lg_status lg_film_write(lg_film_output *output, const lg_image *image, lg_error *error)
{
    return lg_film_write_at(output, image, NULL, error);
}

lg_status lg_film_write_at(lg_film_output *output, const lg_image *image, const lg_film_time *time,
                           lg_error *error)
{
    if (!output || !image)
        return lg_fail_null(error, "a film, and an image");
    if (image->shape.planes)
        return write_planes(output, image, time, error);
    if (!image->data || image->shape.layers != 1 || lg_shape_is_packed(&image->shape))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a frame is an image of one layer with host pixels, and not packed");
    if (output->video)
        return lg_film_video_write(output, image, time, error);
    if (output->y4m)
        return write_y4m(output, image, error);
    const lg_status status = lg_pnm_write(image, output->format, output->stream, error);
    return status ? status : lg_film_flush(output, error);
}

lg_status lg_film_copy(lg_film_output *output, const lg_frames *frames, lg_error *error)
{
    if (!output || !frames)
        return lg_fail_null(error, "a film, and one to read");
    const lg_frame_planes *planes = lg_frames_stored(frames);
    if ((!output->y4m && !output->video) || !planes)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "only planes are copied, and only to y4m and video files");
    if (output->video)
        return lg_film_video_copy(output, frames, error);
    lg_film film = *lg_frames_film(frames);
    if (output->film.rate)
        film.rate = output->film.rate, film.rate_per = output->film.rate_per;
    const lg_status status = begin(output, &film, error);
    return status ? status : put_planes(output, planes, error);
}

lg_status lg_film_close(lg_film_output **output, lg_error *error)
{
    if (!output || !*output)
        return lg_fail_null(error, "a film");
    lg_film_output *o = *output;
    lg_status status = o->video ? lg_film_video_finish(o->video, error) : LG_OK;
    if (status == LG_OK)
        status = lg_output_commit(&o->file, error);
    else
        lg_output_discard(&o->file);
    release(output);
    return status;
}

void lg_film_discard(lg_film_output **output)
{
    if (!output || !*output)
        return;
    lg_output_discard(&(*output)->file);
    release(output);
}
