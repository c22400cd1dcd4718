// Video files through the module of FFmpeg's libraries: planes, times, damage, and frames that are dropped.
// Films are written and read here; what other programs make of them is tests/cli/part_9_video.sh's.
#include "check.h"
#include "clips.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 6 };

static lg_context *context;
static char folder[] = "/tmp/lumagraph-video-XXXXXX";
static char clip[PATH_MAX], film[PATH_MAX], part[PATH_MAX];

// A clip of y4m whose samples are random.
static size_t write_clip(const char *tag, int width, int height, size_t frame_bytes, int bits)
{
    FILE *file = fopen(clip, "wb");
    uint8_t *bytes = malloc(frame_bytes);
    NEED(file && bytes, "no clip");
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A4:3 C%s\n", width, height, tag);
    for (int i = 0; i < FRAMES; i++) {
        random_bytes(bytes, frame_bytes);
        for (size_t k = 1; k < frame_bytes && bits > 8; k += 2)
            bytes[k] &= (uint8_t)((1 << (bits - 8)) - 1);
        fputs("FRAME\n", file);
        fwrite(bytes, 1, frame_bytes, file);
    }
    free(bytes);
    fclose(file);
    return frame_bytes;
}

static lg_frames *open_film(const char *path)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    const lg_frames_params params = {.threads = 2};
    NEED(lg_frames_open(context, path, &params, &frames, &error) == LG_OK, "%s: %s", path,
         error.message);
    return frames;
}

static bool same_frame(lg_frames *a, lg_frames *b)
{
    lg_error error = {0};
    bool same = lg_frames_film(a)->planes == lg_frames_film(b)->planes;
    for (int i = 0; i < lg_frames_film(a)->planes && same; i++) {
        lg_image *one = NULL, *two = NULL;
        same = lg_frames_plane(a, i, &one, &error) == LG_OK &&
               lg_frames_plane(b, i, &two, &error) == LG_OK &&
               one->shape.width == two->shape.width && one->shape.height == two->shape.height &&
               one->shape.type == two->shape.type;
        const size_t bytes = same ? (size_t)one->shape.width * lg_type_size(one->shape.type) : 0;
        for (int32_t y = 0; same && y < one->shape.height; y++)
            same = memcmp((uint8_t *)one->data + (size_t)y * one->shape.row_stride,
                          (uint8_t *)two->data + (size_t)y * two->shape.row_stride, bytes) == 0;
        lg_image_destroy(&one);
        lg_image_destroy(&two);
    }
    return same;
}

static lg_film_output *begin_film(lg_frames *source, const char *path, const char *format,
                                  const char *codec)
{
    lg_error error = {0};
    lg_film_output *out = NULL;
    const lg_film_params params = WITH(lg_film_params, it.source = source, it.codec = codec);
    NEED(lg_film_create_with(path, format, lg_frames_film(source), &params, &out, &error) == LG_OK,
         "%s", error.message);
    return out;
}

// The frame that was read last, as an image of planes.
static void write_planes(lg_film_output *out, lg_frames *frames)
{
    lg_error error = {0};
    lg_image *image = NULL;
    const lg_film_time time = lg_frames_time(frames);
    NEED(lg_frames_planes(frames, &image, NULL, &error) == LG_OK, "%s", error.message);
    CHECK(lg_film_write_at(out, image, &time, &error) == LG_OK, "%s", error.message);
    lg_image_destroy(&image);
}

static void copy_film(const char *from, const char *to, const char *codec, bool by_image)
{
    lg_error error = {0};
    lg_frames *frames = open_film(from);
    lg_film_output *out = begin_film(frames, to, "mkv", codec);
    const bool stored =
        by_image && lg_frames_film(frames)->planes != 4; // no image has planes of alpha
    int count = 0;
    for (; next_frame(frames); count++)
        if (stored)
            write_planes(out, frames);
        else
            CHECK(lg_film_copy(out, frames, &error) == LG_OK, "%s", error.message);
    CHECK(count == FRAMES, "%d frames", count);
    CHECK(lg_film_close(&out, &error) == LG_OK && !out, "%s", error.message);
    lg_frames_close(&frames);
}

// ---- planes -------------------------------------------------------------------------------------

static void expect_same(const char *one, const char *two, const char *what)
{
    lg_frames *a = open_film(one), *b = open_film(two);
    int count = 0;
    for (; next_frame(a); count++) {
        CHECK(next_frame(b) && same_frame(a, b), "%s: frame %d of a copy", what, count);
        const lg_film_time s = lg_frames_time(a), t = lg_frames_time(b);
        CHECK(s.ticks * s.unit * t.unit_per == t.ticks * t.unit * s.unit_per,
              "%s: the time of frame %d of a copy", what, count);
    }
    CHECK(count == FRAMES && !next_frame(b), "%s: %d frames", what, count);
    lg_frames_close(&a);
    lg_frames_close(&b);
}

static void test_planes(const char *tag, int width, int height, size_t bytes, int bits)
{
    write_clip(tag, width, height, bytes, bits);
    copy_film(clip, film, "ffv1", false);
    lg_frames *a = open_film(clip), *b = open_film(film);
    const lg_film *f = lg_frames_film(b);
    CHECK(f->width == width && f->height == height && f->bits == bits && f->aspect == 4 &&
              f->aspect_per == 3 && f->full_range == lg_frames_film(a)->full_range,
          "%s: %d x %d, %d bits, %d:%d", tag, f->width, f->height, f->bits, f->aspect,
          f->aspect_per);
    CHECK(strcmp(f->format, "mkv") == 0 && lg_frames_seconds(b) > 0.23, "%s, %g s", f->format,
          lg_frames_seconds(b));
    for (int i = 0; i < FRAMES; i++) {
        CHECK(next_frame(a) && next_frame(b) && same_frame(a, b), "%s: frame %d", tag, i);
        const lg_film_time t = lg_frames_time(b);
        CHECK(t.ticks * t.unit * 25 == (int64_t)i * t.unit_per, "%s: frame %d at %lld", tag, i,
              (long long)t.ticks);
    }
    CHECK(!next_frame(a) && !next_frame(b), "%s: more frames", tag);
    lg_frames_close(&a);
    lg_frames_close(&b);
    // and from a video file to another one
    copy_film(film, part, "ffv1", true);
    expect_same(film, part, tag);
    // and to one that takes 4:2:0 of 8 bits alone
    char other[PATH_MAX + 8];
    snprintf(other, sizeof other, "%s.2", part);
    copy_film(film, part, "mpeg4", true);
    copy_film(film, other, "mpeg4", false);
    expect_same(other, part, tag);
    unlink(other);
}

// Images of planes share the memory of the decoder: they stay what they are while it goes on, and behind the
// end of the film. `film` is read a second time to compare.
static void test_kept(void)
{
    lg_error error = {0};
    lg_image *kept[FRAMES] = {NULL};
    lg_frames *frames = open_film(film);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(next_frame(frames), "frame %d", i);
        CHECK(lg_frames_planes(frames, &kept[i], NULL, &error) == LG_OK, "%s", error.message);
    }
    CHECK(!next_frame(frames), "more frames");
    lg_frames_close(&frames);
    frames = open_film(film);
    for (int i = 0; i < FRAMES && kept[i]; i++) {
        CHECK(next_frame(frames), "frame %d", i);
        for (int p = 0; p < lg_frames_film(frames)->planes; p++) {
            lg_image *a = NULL, *b = NULL;
            NEED(lg_image_plane(kept[i], p, &a, &error) == LG_OK &&
                     lg_frames_plane(frames, p, &b, &error) == LG_OK,
                 "%s", error.message);
            const size_t row = (size_t)a->shape.width * lg_type_size(a->shape.type);
            for (int y = 0; y < a->shape.height; y++)
                CHECK(memcmp(plane_row(a, y), plane_row(b, y), row) == 0,
                      "frame %d, plane %d, row %d", i, p, y);
            lg_image_destroy(&a);
            lg_image_destroy(&b);
        }
        lg_image_destroy(&kept[i]);
    }
    lg_frames_close(&frames);
}

// ---- images and times ---------------------------------------------------------------------------

static lg_image *make_image(int width, int height, lg_type type, int value)
{
    lg_error error = {0};
    lg_image *image = NULL;
    const lg_image_params shape = {
        .width = width, .height = height, .layers = 1, .channels = 1, .type = type};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    for (int y = 0; y < height; y++)
        memset((uint8_t *)image->data + (size_t)y * image->shape.row_stride, value,
               (size_t)width * lg_type_size(type));
    return image;
}

// Grey frames at times of their own, and a last one of a length of its own.
static void test_times(void)
{
    static const int64_t at[] = {0, 40, 45, 200, 1000};
    lg_error error = {0};
    lg_film_output *out = NULL;
    const lg_film_params params = WITH(lg_film_params, it.codec = "ffv1");
    const lg_film kind = {.planes = 1, .bits = 8, .rate = 1000, .rate_per = 1};
    NEED(lg_film_create_with(film, "mkv", &kind, &params, &out, &error) == LG_OK, "%s",
         error.message);
    for (int i = 0; i < 5; i++) {
        lg_image *image = make_image(17, 9, LG_U8, 10 * i);
        const lg_film_time time = {at[i], i == 4 ? 500 : 10, 1, 1000};
        CHECK(lg_film_write_at(out, image, &time, &error) == LG_OK, "%s", error.message);
        lg_image_destroy(&image);
    }
    lg_image *other = make_image(16, 9, LG_U8, 0), *floats = make_image(17, 9, LG_F32, 0);
    CHECK(lg_film_write(out, other, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "one size"),
          "%s", error.message);
    CHECK(lg_film_write(out, floats, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "integer samples"),
          "%s", error.message);
    lg_image_destroy(&other);
    lg_image_destroy(&floats);
    CHECK(lg_film_close(&out, &error) == LG_OK, "%s", error.message);
    lg_frames *frames = open_film(film);
    CHECK(lg_frames_seconds(frames) == 1.5, "%g seconds", lg_frames_seconds(frames));
    for (int i = 0; i < 5; i++) {
        CHECK(next_frame(frames), "frame %d", i);
        const lg_film_time t = lg_frames_time(frames);
        CHECK(t.ticks * t.unit * 1000 == at[i] * t.unit_per, "frame %d at %lld", i,
              (long long)t.ticks);
        lg_image *image = NULL;
        CHECK(lg_frames_image(frames, &image, NULL, &error) == LG_OK &&
                  image->shape.channels == 1 && *(uint8_t *)image->data == 10 * i,
              "frame %d", i);
        lg_image_destroy(&image);
    }
    CHECK(!next_frame(frames), "more frames");
    lg_frames_close(&frames);
}

// ---- damage -------------------------------------------------------------------------------------

// A file that ends anywhere gives whole frames, then an error or, where nothing tells, the end.
static void test_cuts(void)
{
    FILE *file = fopen(film, "rb");
    static uint8_t bytes[1 << 20];
    NEED(file, "no film");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    lg_frames *whole = open_film(film);
    const int steps = test_extent(12, 40, 400);
    for (int i = 0; i < steps; i++) {
        lg_error error = {0};
        lg_frames *frames = NULL;
        bool more = true;
        file = fopen(part, "wb");
        NEED(file, "no part");
        if (i % 2) { // damage
            const size_t at = random_below((uint32_t)size);
            bytes[at] ^= 0x55;
            fwrite(bytes, 1, size, file);
            bytes[at] ^= 0x55;
        } else {
            fwrite(bytes, 1, size * (size_t)i / (size_t)steps, file);
        }
        fclose(file);
        lg_status status = lg_frames_open(context, part, NULL, &frames, &error);
        while (status == LG_OK && more && lg_frames_index(frames) < 100)
            status = lg_frames_next(frames, &more, &error);
        CHECK(status == LG_OK || error.message[0], "no message");
        CHECK(i % 2 || status != LG_OK, "%d of %d are no whole film", i, steps);
        lg_frames_close(&frames);
    }
    lg_frames_close(&whole);
}

static void test_errors(void)
{
    lg_error error = {0};
    lg_film_output *out = NULL;
    lg_frames *frames = open_film(film);
    static const char *const wrong[] = {"nothing", "ffv1:speed=1", "ffv1:", "h264:crf=x"};
    CHECK(next_frame(frames), "no frame");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const lg_film_params params = WITH(lg_film_params, it.source = frames, it.codec = wrong[i]);
        NEED(lg_film_create_with(part, "mkv", lg_frames_film(frames), &params, &out, &error) ==
                 LG_OK,
             "%s", error.message);
        const lg_status status = lg_film_copy(out, frames, &error);
        CHECK(status != LG_OK || i == 2, "%s is taken", wrong[i]);
        lg_film_discard(&out);
        CHECK(!out, "it is still there");
    }
    CHECK(lg_film_create_with(part, "xyz", NULL, NULL, &out, &error) == LG_ERROR_ARGUMENT, "xyz");
    CHECK(lg_film_can_format("mkv") && lg_film_can_format("MP4") && lg_film_can_format("y4m") &&
              !lg_film_can_format("png") && !lg_film_can_format(NULL),
          "formats");
    CHECK(lg_frames_is(film) && lg_frames_is(clip) && !lg_frames_is("/dev/null"), "films");
    lg_frames_close(&frames);
}

// Every frame is handed out or counted.
static void test_live(void)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    const lg_frames_params params = {.live = true};
    NEED(lg_frames_open(context, film, &params, &frames, &error) == LG_OK, "%s", error.message);
    int64_t count = 0;
    while (next_frame(frames))
        count++;
    CHECK(count + lg_frames_dropped(frames) == FRAMES, "%lld frames, %lld dropped",
          (long long)count, (long long)lg_frames_dropped(frames));
    lg_frames_close(&frames);
    NEED(lg_frames_open(context, film, &params, &frames, &error) == LG_OK, "%s", error.message);
    lg_frames_close(&frames); // while frames wait
    CHECK(!frames, "it is still open");
}

static bool has_module(void)
{
    lg_error error = {0};
    lg_film_output *out = NULL;
    const lg_status status = lg_film_create_with(film, "mkv", NULL, NULL, &out, &error);
    lg_film_discard(&out);
    if (status == LG_OK)
        return true;
    CHECK(status == LG_ERROR_UNSUPPORTED && strstr(error.message, "liblumagraph-av"), "%s",
          error.message);
    return false;
}

int main(void)
{
    context = clip_context();
    NEED(mkdtemp(folder), "no folder");
    snprintf(clip, sizeof clip, "%s/clip.y4m", folder);
    snprintf(film, sizeof film, "%s/film.mkv", folder);
    snprintf(part, sizeof part, "%s/part.mkv", folder);
    if (has_module()) {
        test_planes("420jpeg", 32, 18, 32 * 18 * 3 / 2, 8);
        test_planes("422", 31, 17, 31 * 17 + 2 * 16 * 17, 8);
        test_planes("444alpha", 9, 7, 9 * 7 * 4, 8);
        test_planes("420p10", 33, 17, 2 * (33 * 17 + 2 * 17 * 9), 10);
        test_planes("444p12", 16, 8, 2 * 16 * 8 * 3, 12);
        test_planes("mono", 21, 5, 21 * 5, 8);
        test_times();
        write_clip("422p10", 34, 16, 2 * (34 * 16 + 2 * 17 * 16), 10);
        copy_film(clip, film, "ffv1", false);
        test_kept();
        copy_film(clip, film, "mpeg4", false); // whose frames follow from each other
        test_kept();
        copy_film(clip, film, "ffv1", false);
        test_cuts();
        test_errors();
        test_live();
    } else {
        check_skip("this build has no liblumagraph-av");
    }
    unlink(clip);
    unlink(film);
    unlink(part);
    rmdir(folder);
    lg_context_destroy(&context);
    return check_finish("video");
}
