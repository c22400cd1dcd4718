// Films: y4m, raw frames and PNM one by one; planes as they are stored; damaged films. Clips are written
// here.
#include "check.h"
#include "clips.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static char folder[] = "/tmp/lumagraph-frames-XXXXXX";
static char clip[PATH_MAX], copy[PATH_MAX];

static FILE *begin_clip(const char *header)
{
    FILE *file = fopen(clip, "wb");
    NEED(file, "no clip");
    fputs(header, file);
    return file;
}

static void write_bytes(const void *data, size_t bytes)
{
    FILE *file = fopen(clip, "wb");
    NEED(file, "no clip");
    fwrite(data, 1, bytes, file);
    fclose(file);
}

static lg_frames *open_clip(const char *path, const char *raw, const char *colors)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    const lg_frames_params params = {.raw = raw, .colors = colors};
    CHECK(lg_frames_open(context, path, &params, &frames, &error) == LG_OK, "%s", error.message);
    return frames;
}

// ---- planes -------------------------------------------------------------------------------------

static bool same_planes(lg_frames *frames, const clip_kind *k, int width, int height,
                        const uint8_t *stored)
{
    const size_t sample = k->bits > 8 ? 2 : 1;
    lg_error error = {0};
    bool same = true;
    for (int i = 0; i < k->planes && same; i++) {
        lg_image *plane = NULL;
        same = lg_frames_plane(frames, i, &plane, &error) == LG_OK &&
               plane->shape.width == plane_width(k, i, width) &&
               plane->shape.height == plane_height(k, i, height);
        for (int y = 0; same && y < plane->shape.height;
             y++, stored += sample * (size_t)plane->shape.width)
            same = memcmp(plane_row(plane, y), stored, sample * (size_t)plane->shape.width) == 0;
        lg_image_destroy(&plane);
    }
    return same;
}

static void check_planes(const clip_kind *k, int width, int height)
{
    enum { FRAMES = 3 };
    char header[200];
    const size_t bytes = frame_bytes(k, width, height);
    uint8_t *stored = malloc(FRAMES * bytes);
    lg_error error = {0};
    lg_film_output *out = NULL;
    snprintf(header, sizeof header,
             "YUV4MPEG2 W%d H%d F30000:1001 It A4:3 %s XYSCSS=ANY XCOLORRANGE=FULL\n", width,
             height, k->tag);
    FILE *file = begin_clip(header);
    for (int i = 0; i < FRAMES; i++) {
        random_frame(k, stored + (size_t)i * bytes, bytes);
        fputs(i ? "FRAME Ip XNOTE=1\n" : "FRAME\n", file);
        fwrite(stored + (size_t)i * bytes, 1, bytes, file);
    }
    fclose(file);
    lg_frames *frames = open_clip(clip, NULL, NULL);
    NEED(frames, "%s", k->tag);
    const lg_film *film = lg_frames_film(frames);
    CHECK(film->width == width && film->height == height && film->planes == k->planes &&
              film->bits == k->bits && film->rate == 30000 && film->rate_per == 1001 &&
              film->aspect == 4 && film->aspect_per == 3 && film->full_range &&
              film->fields == LG_FIELDS_TOP_FIRST && strcmp(film->format, "y4m") == 0,
          "%s: header", k->tag);
    CHECK(lg_film_create(copy, "y4m", film, &out, &error) == LG_OK, "%s", error.message);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(next_frame(frames) && lg_frames_index(frames) == i, "%s: frame %d", k->tag, i);
        CHECK(same_planes(frames, k, width, height, stored + (size_t)i * bytes), "%s: planes",
              k->tag);
        CHECK(lg_film_copy(out, frames, &error) == LG_OK, "%s", error.message);
    }
    CHECK(!next_frame(frames) && !next_frame(frames), "%s: the end", k->tag);
    lg_frames_close(&frames);
    CHECK(lg_film_close(&out, &error) == LG_OK, "%s", error.message);
    frames = open_clip(copy, NULL, NULL);
    for (int i = 0; frames && i < FRAMES; i++)
        CHECK(next_frame(frames) &&
                  same_planes(frames, k, width, height, stored + (size_t)i * bytes),
              "%s: frame %d of the copy", k->tag, i);
    const lg_film *again = lg_frames_film(frames);
    CHECK(again && again->siting == clip_siting(k) && again->fields == LG_FIELDS_TOP_FIRST &&
              again->rate == 30000 && again->aspect == 4 && again->full_range,
          "%s: header of the copy", k->tag);
    lg_frames_close(&frames);
    free(stored);
}

// Images of planes stay what they are while later frames are read, and behind the end of the film; more of
// them than frames whose memory is used again.
static void check_kept(const clip_kind *k)
{
    enum { FRAMES = 13, WIDTH = 33, HEIGHT = 18 };
    const size_t bytes = frame_bytes(k, WIDTH, HEIGHT);
    uint8_t *stored = malloc(FRAMES * bytes);
    lg_image *kept[FRAMES] = {NULL};
    lg_error error = {0};
    char header[200];
    snprintf(header, sizeof header, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 %s\n", WIDTH, HEIGHT, k->tag);
    FILE *file = begin_clip(header);
    for (int i = 0; i < FRAMES; i++) {
        random_frame(k, stored + (size_t)i * bytes, bytes);
        fputs("FRAME\n", file);
        fwrite(stored + (size_t)i * bytes, 1, bytes, file);
    }
    fclose(file);
    lg_frames *frames = open_clip(clip, NULL, NULL);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(next_frame(frames), "%s: frame %d", k->tag, i);
        CHECK(lg_frames_planes(frames, &kept[i], NULL, &error) == LG_OK, "%s", error.message);
        if (i % 3 == 1)
            lg_image_destroy(&kept[i - 1]); // whose memory the next frame may have
    }
    lg_frames_close(&frames);
    for (int i = 0; i < FRAMES; i++) {
        const uint8_t *at = stored + (size_t)i * bytes;
        for (int p = 0; kept[i] && p < k->planes; p++) {
            lg_image *plane = NULL;
            NEED(lg_image_plane(kept[i], p, &plane, &error) == LG_OK, "%s", error.message);
            const size_t row = (size_t)plane->shape.width * lg_type_size(plane->shape.type);
            if (p == k->planes - 1)
                lg_image_destroy(&kept[i]); // a plane is enough
            for (int y = 0; y < plane->shape.height; y++, at += row)
                CHECK(memcmp(plane_row(plane, y), at, row) == 0, "%s: frame %d, plane %d, row %d",
                      k->tag, i, p, y);
            lg_image_destroy(&plane);
        }
    }
    free(stored);
}

static void check_all_kinds(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 2}, {7, 5}, {16, 9}, {33, 18}};
    for (int i = 0; i < CLIP_KINDS; i++)
        for (int s = 0; s < 5; s++)
            check_planes(&clip_kinds[i], sizes[s][0], sizes[s][1]);
    for (int i = 0; i < CLIP_KINDS; i++)
        if (clip_kinds[i].planes != 4) // no image has planes of alpha
            check_kept(&clip_kinds[i]);
}

// ---- raw frames ---------------------------------------------------------------------------------

// Two frames of 4 x 2 whose bytes count up; the codes of each plane, of the first one.
static void check_raw(const char *raw, size_t bytes, int bits, const int *luma, const int *cb,
                      const int *cr)
{
    uint8_t data[256];
    lg_error error = {0};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    write_bytes(data, 2 * bytes);
    lg_frames *frames = open_clip(clip, raw, NULL);
    NEED(frames && next_frame(frames), "%s", raw);
    CHECK(lg_frames_film(frames)->bits == bits, "%s", raw);
    const int *codes[] = {luma, cb, cr};
    for (int p = 0; p < 3 && codes[p]; p++) {
        lg_image *plane = NULL;
        CHECK(lg_frames_plane(frames, p, &plane, &error) == LG_OK, "%s", error.message);
        for (int i = 0; plane && i < plane->shape.width; i++)
            CHECK(image_at(plane, i, 0, 0) == codes[p][i], "%s: plane %d is %g at %d", raw, p,
                  image_at(plane, i, 0, 0), i);
        lg_image_destroy(&plane);
    }
    CHECK(next_frame(frames) && !next_frame(frames), "%s: two frames", raw);
    lg_frames_close(&frames);
}

static void check_packed(void)
{
    static const struct {
        const char *raw;
        int channels, red, green, blue, alpha;
    } rows[] = {{"2x1:rgb24", 3, 10, 11, 12, 0}, {"2x1:bgr24", 3, 12, 11, 10, 0},
                {"2x1:rgba", 4, 10, 11, 12, 13}, {"2x1:bgra", 4, 12, 11, 10, 13},
                {"2x1:argb", 4, 11, 12, 13, 10}, {"2x1:abgr", 4, 13, 12, 11, 10}};
    const uint8_t data[] = {10, 11, 12, 13, 14, 15, 16, 17};
    lg_error error = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lg_image *image = NULL;
        write_bytes(data, 2 * (size_t)rows[i].channels);
        lg_frames *frames = open_clip(clip, rows[i].raw, NULL);
        NEED(frames && next_frame(frames), "%s", rows[i].raw);
        CHECK(lg_frames_image(frames, &image, NULL, &error) == LG_OK, "%s", error.message);
        CHECK(image && image_at(image, 0, 0, 0) == rows[i].red &&
                  image_at(image, 0, 0, 1) == rows[i].green &&
                  image_at(image, 0, 0, 2) == rows[i].blue &&
                  image_at(image, 0, 0, 3) == rows[i].alpha,
              "%s", rows[i].raw);
        CHECK(lg_frames_image(frames, &image, NULL, &error) == LG_ERROR_ARGUMENT,
              "an image is given once");
        lg_image_destroy(&image);
        CHECK(!next_frame(frames), "%s: one frame", rows[i].raw);
        lg_frames_close(&frames);
    }
}

static void check_raw_frames(void)
{
    check_raw("4x2:i420@50", 12, 8, (int[]){0, 1, 2, 3}, (int[]){8, 9}, (int[]){10, 11});
    check_raw("4x2:yuv420p:bt601:full@29.97", 12, 8, (int[]){0, 1, 2, 3}, (int[]){8, 9},
              (int[]){10, 11});
    check_raw("4x2:yv12", 12, 8, (int[]){0, 1, 2, 3}, (int[]){10, 11}, (int[]){8, 9});
    check_raw("4x2:nv12", 12, 8, (int[]){0, 1, 2, 3}, (int[]){8, 10}, (int[]){9, 11});
    check_raw("4x2:nv21", 12, 8, (int[]){0, 1, 2, 3}, (int[]){9, 11}, (int[]){8, 10});
    check_raw("4x2:yuv422p", 16, 8, (int[]){0, 1, 2, 3}, (int[]){8, 9}, (int[]){12, 13});
    check_raw("4x2:gray", 8, 8, (int[]){0, 1, 2, 3}, NULL, NULL);
    check_raw("4x2:gray16", 16, 16, (int[]){256, 770, 1284, 1798}, NULL, NULL);
    // 10 bits above 6 of zero: 0x0100 >> 6 ...
    check_raw("4x2:p010:bt2020@24000/1001", 24, 10, (int[]){4, 12, 20, 28},
              (int[]){0x1110 >> 6, 0x1514 >> 6}, (int[]){0x1312 >> 6, 0x1716 >> 6});
    check_packed();
    static const char *const wrong[] = {"",
                                        "4x2",
                                        "4x2:",
                                        "4x2:yuv",
                                        "x2:gray",
                                        "4x0:gray",
                                        "4x2:gray@",
                                        "4x2:gray@0",
                                        "4x2:gray@1/0",
                                        "4x2:gray@1.0000",
                                        "4x2:gray:bt999",
                                        "-4x2:gray",
                                        "4x2:gray@50x",
                                        "99999999999x1:gray"};
    lg_error error = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(lg_frames_check(&(lg_frames_params){.raw = wrong[i]}, &error) == LG_ERROR_ARGUMENT,
              "'%s' is taken", wrong[i]);
    CHECK(lg_frames_check(&(lg_frames_params){.raw = "4x2:nv12@29.97", .colors = "full"}, &error) ==
              LG_OK,
          "%s", error.message);
    CHECK(lg_frames_check(&(lg_frames_params){.colors = "pal"}, &error) == LG_ERROR_ARGUMENT,
          "pal is a colour");
    CHECK(lg_frames_check(&(lg_frames_params){.colors = ""}, &error) == LG_ERROR_ARGUMENT,
          "nothing is a colour");
}

// ---- images behind each other -------------------------------------------------------------------

static void check_pnm(void)
{
    static const char film[] =
        "P5\n2 1\n255\nab\nP6 1 1 255\nrgbP5\n1 2\n65535\n\1\2\3\4P7\nWIDTH 1\nHEIGHT 1\nDEPTH "
        "2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nga";
    static const int shape[][3] = {{2, 1, 1}, {1, 1, 4}, {1, 2, 1}, {1, 1, 2}};
    lg_error error = {0};
    write_bytes(film, sizeof film - 1);
    lg_frames *frames = open_clip(clip, NULL, NULL);
    NEED(frames, "PNM");
    for (int i = 0; i < 4; i++) {
        lg_image *image = NULL;
        CHECK(next_frame(frames) && lg_frames_image(frames, &image, NULL, &error) == LG_OK,
              "image %d: %s", i, error.message);
        CHECK(image && image->shape.width == shape[i][0] && image->shape.height == shape[i][1] &&
                  image->shape.channels == shape[i][2] &&
                  lg_frames_film(frames)->height == shape[i][1],
              "image %d has another shape", i);
        CHECK(i || (image && image_at(image, 1, 0, 0) == 'b'), "image 0 has other samples");
        lg_image_destroy(&image);
    }
    CHECK(!next_frame(frames), "the end of PNM");
    lg_frames_close(&frames);
}

// Pages are frames as well; a whole file is one frame with layers.
static void check_pages(void)
{
    const lg_image_params shape = {
        .width = 3, .height = 2, .layers = 4, .channels = 1, .type = LG_U8};
    lg_image *image = NULL;
    lg_error error = {0};
    char path[PATH_MAX];
    bool more;
    snprintf(path, sizeof path, "%s/pages.npy", folder);
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    for (int i = 0; i < 4; i++)
        *((uint8_t *)image->data + (size_t)i * image->shape.layer_stride) = (uint8_t)(i + 1);
    CHECK(lg_image_write(image, path, NULL, &error) == LG_OK, "%s", error.message);
    lg_image_destroy(&image);
    lg_frames *frames = open_clip(path, NULL, NULL);
    for (int i = 0; frames && i < 4; i++) {
        CHECK(next_frame(frames) && lg_frames_image(frames, &image, NULL, &error) == LG_OK, "%s",
              error.message);
        CHECK(image && image->shape.layers == 1 && image_at(image, 0, 0, 0) == i + 1, "page %d", i);
        lg_image_destroy(&image);
    }
    CHECK(!next_frame(frames), "the end of the pages");
    lg_frames_close(&frames);
    const lg_frames_params whole = {.whole = true};
    CHECK(lg_frames_open(context, path, &whole, &frames, &error) == LG_OK &&
              lg_frames_is_whole(frames),
          "%s", error.message);
    CHECK(lg_frames_next(frames, &more, &error) == LG_OK && more, "%s", error.message);
    CHECK(lg_frames_image(frames, &image, NULL, &error) == LG_OK && image->shape.layers == 4,
          "a whole file");
    CHECK(lg_frames_next(frames, &more, &error) == LG_OK && !more, "a whole file is one frame");
    lg_image_destroy(&image);
    lg_frames_close(&frames);
    CHECK(!lg_frames_is(path) && !lg_frames_is("-") && !lg_frames_is("/nowhere") &&
              !lg_frames_is(NULL),
          "no film of y4m");
}

// ---- damage -------------------------------------------------------------------------------------

static void check_headers(void)
{
    static const struct {
        const char *header, *says;
    } rows[] = {
        {"YUV4MPEG2 W4\n", "width and a height"},
        {"YUV4MPEG2 W0 H4\n", "width and a height"},
        {"YUV4MPEG2 H4 W4x\n", "W is not followed by a number"},
        {"YUV4MPEG2 W4 H-4\n", "H is not followed by a number"},
        {"YUV4MPEG2 W4 H4 F25\n", "F is not followed by two numbers"},
        {"YUV4MPEG2 W4 H4 A1:x\n", "A is not followed by two numbers"},
        {"YUV4MPEG2 W4 H4 C410\n", "C410 is not known"},
        {"YUV4MPEG2 W4 H4 C420p17\n", "C420p17 is not known"},
        {"YUV4MPEG2 W4 H4 C420p8\n", "C420p8 is not known"},
        {"YUV4MPEG2 W999999999 H4\n", "max-side"},
        {"YUV4MPEG2 W99999 H99999\n", "max-pixels"},
        {"YUV4MPEG2 W99999999999 H4\n", "W is not followed by a number"},
        {"YUV4MPEG2 W4 H4", "truncated"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lg_error error = {0};
        lg_frames *frames = NULL;
        write_bytes(rows[i].header, strlen(rows[i].header));
        CHECK(lg_frames_open(context, clip, NULL, &frames, &error) != LG_OK &&
                  strstr(error.message, rows[i].says),
              "'%s': %s", rows[i].header, error.message);
        lg_frames_close(&frames);
    }
}

static void damaged(const char *film, size_t bytes, int frames_before, const char *says)
{
    lg_error error = {0};
    bool more = true;
    write_bytes(film, bytes);
    lg_frames *frames = open_clip(clip, NULL, NULL);
    NEED(frames, "%s", says);
    for (int i = 0; i < frames_before; i++)
        CHECK(next_frame(frames), "frame %d in front of the damage", i);
    CHECK(lg_frames_next(frames, &more, &error) == LG_ERROR_DATA && !more &&
              strstr(error.message, says),
          "'%s' lacks '%s'", error.message, says);
    CHECK(lg_frames_next(frames, &more, &error) == LG_OK && !more, "no frame behind an error");
    lg_frames_close(&frames);
}

#define DAMAGED(film, frames, says) damaged(film, sizeof(film) - 1, frames, says)

static void check_damage(void)
{
    DAMAGED("YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAME\na", 1,
            "frame 1, which begins at byte 30: truncated");
    DAMAGED("YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAM", 1,
            "frame 1, which begins at byte 30: truncated");
    DAMAGED("YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAMES\nab", 1, "FRAME is missing");
    DAMAGED("YUV4MPEG2 W2 H1 Cmono\n\nab", 0,
            "frame 0, which begins at byte 22: the frame's header is an empty line");
    DAMAGED("P5\n2 1\n255\nabP5\n2 1\n255\na", 1, "frame 1, which begins at byte 13: truncated");
    DAMAGED("P5\n2 1\n255\nabrubbish", 1, "frame 1, which begins at byte 13: PNM header");
    check_headers();
    lg_error error = {0};
    lg_frames *frames = NULL;
    lg_image *image = NULL;
    write_bytes("YUV4MPEG2 W2 H2 C420jpeg\n", 25);
    frames = open_clip(clip, NULL, NULL);
    CHECK(!next_frame(frames), "a film without a frame ends");
    CHECK(lg_frames_image(frames, &image, NULL, &error) == LG_ERROR_ARGUMENT, "no frame, no image");
    CHECK(lg_frames_plane(frames, 0, &image, &error) == LG_ERROR_ARGUMENT, "no frame, no plane");
    lg_frames_close(&frames);
    CHECK(lg_frames_is(clip), "a film of y4m is one");
    CHECK(lg_image_read(context, clip, NULL, &image, NULL, &error) == LG_ERROR_UNSUPPORTED,
          "a film is no image");
}

// ---- what is written ----------------------------------------------------------------------------

static lg_image *plain_image(int width, int height, int channels, lg_type type, lg_alpha alpha)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = alpha};
    lg_image *image = NULL;
    lg_error error = {0};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    return image;
}

static void refused_frame(lg_film_output *out, lg_image *image, const char *says)
{
    lg_error error = {0};
    CHECK(lg_film_write(out, image, &error) == LG_ERROR_UNSUPPORTED && strstr(error.message, says),
          "'%s' lacks '%s'", error.message, says);
    lg_image_destroy(&image);
}

static void check_writer(void)
{
    lg_error error = {0};
    lg_film_output *out = NULL;
    CHECK(lg_film_create(copy, "png", NULL, &out, &error) == LG_ERROR_ARGUMENT, "a film of png");
    CHECK(lg_film_create(copy, "y4m", NULL, &out, &error) == LG_OK, "%s", error.message);
    refused_frame(out, plain_image(4, 4, 4, LG_F32, LG_ALPHA_OPAQUE), "integer samples");
    refused_frame(out, plain_image(4, 4, 2, LG_U8, LG_ALPHA_STRAIGHT), "--channels 3");
    refused_frame(out, plain_image(4, 4, 4, LG_U16, LG_ALPHA_STRAIGHT), "alpha in 4:4:4 of 8 bits");
    lg_image *image = plain_image(4, 4, 1, LG_U8, LG_ALPHA_NONE);
    CHECK(lg_film_write(out, image, &error) == LG_OK, "%s", error.message);
    lg_image_destroy(&image);
    refused_frame(out, plain_image(4, 5, 1, LG_U8, LG_ALPHA_NONE), "frames of one kind");
    refused_frame(out, plain_image(4, 4, 4, LG_U8, LG_ALPHA_OPAQUE), "frames of one kind");
    lg_film_discard(&out);
    lg_film_discard(&out);
    CHECK(lg_film_create("/nowhere/film.y4m", "y4m", NULL, &out, &error) == LG_ERROR_IO,
          "a folder that is not there");
}

int main(void)
{
    lg_error error = {0};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    NEED(mkdtemp(folder), "no folder");
    snprintf(clip, sizeof clip, "%s/clip", folder);
    snprintf(copy, sizeof copy, "%s/copy.y4m", folder);
    NEED(lg_context_create(&params, &context, &error) == LG_OK, "%s", error.message);
    check_all_kinds();
    check_raw_frames();
    check_pnm();
    check_pages();
    check_damage();
    check_writer();
    lg_context_destroy(&context);
    CHECK(remove_tree(folder), "the folder stays");
    return check_finish("frames");
}
