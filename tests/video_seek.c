// Films that begin later: the frames, numbers and times are those without seeking.
#include "check.h"
#include "clips.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 40, WIDTH = 32, HEIGHT = 16 };

static lg_context *context;
static char folder[] = "/tmp/lumagraph-seek-XXXXXX";
static char clip[PATH_MAX], film[PATH_MAX];

static void write_clip(void)
{
    uint8_t bytes[WIDTH * HEIGHT * 3 / 2];
    FILE *file = fopen(clip, "wb");
    NEED(file, "no clip");
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", WIDTH, HEIGHT);
    for (int i = 0; i < FRAMES; i++) {
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(16 + ((k + 3 * (size_t)i) & 127));
        fputs("FRAME\n", file);
        fwrite(bytes, 1, sizeof bytes, file);
    }
    fclose(file);
}

static lg_frames *open_film(void)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    const lg_frames_params params = {.threads = 2};
    NEED(lg_frames_open(context, film, &params, &frames, &error) == LG_OK, "%s: %s", film,
         error.message);
    return frames;
}

// With times that are not even, so that numbers do not follow from them.
static bool write_film(const char *format, const char *codec)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    lg_film_output *out = NULL;
    snprintf(film, sizeof film, "%s/film.%s", folder, format);
    NEED(lg_frames_open(context, clip, NULL, &frames, &error) == LG_OK, "%s", error.message);
    const lg_film_params params = WITH(lg_film_params, it.codec = codec);
    lg_status status =
        lg_film_create_with(film, format, lg_frames_film(frames), &params, &out, &error);
    for (int i = 0; status == LG_OK && next_frame(frames); i++) {
        lg_image *image = NULL;
        const lg_film_time time = {40 * i + 13 * (i % 3 == 1), 20, 1, 1000};
        NEED(lg_frames_image(frames, &image, NULL, &error) == LG_OK, "%s", error.message);
        status = lg_film_write_at(out, image, &time, &error);
        lg_image_destroy(&image);
    }
    if (status == LG_OK)
        status = lg_film_close(&out, &error);
    lg_film_discard(&out);
    lg_frames_close(&frames);
    CHECK(status == LG_OK || strstr(error.message, "encoder"), "%s, %s: %s", format, codec,
          error.message);
    return status == LG_OK;
}

static bool same_frame(lg_frames *one, lg_frames *two)
{
    lg_error error = {0};
    lg_image *x = NULL, *y = NULL;
    const lg_film_time t = lg_frames_time(one), u = lg_frames_time(two);
    bool same = lg_frames_index(one) == lg_frames_index(two) && t.ticks == u.ticks &&
                t.duration == u.duration && lg_frames_image(one, &x, NULL, &error) == LG_OK &&
                lg_frames_image(two, &y, NULL, &error) == LG_OK;
    for (int32_t row = 0; same && row < x->shape.height; row++)
        same = memcmp((char *)x->data + (size_t)row * x->shape.row_stride,
                      (char *)y->data + (size_t)row * y->shape.row_stride,
                      (size_t)x->shape.width * (size_t)x->shape.channels) == 0;
    lg_image_destroy(&x);
    lg_image_destroy(&y);
    return same;
}

static double seconds(const lg_frames *frames)
{
    const lg_film_time t = lg_frames_time(frames);
    return (double)(t.ticks * t.unit) / t.unit_per;
}

// `key`: the second key frame; before it there is nothing to gain.
static void test_from(int64_t first, double second, int64_t key, const char *what)
{
    lg_error error = {0};
    lg_frames *all = open_film(), *later = open_film();
    CHECK(lg_frames_seek(later, first, second, &error) == LG_OK, "%s: %s", what, error.message);
    const int64_t begun = lg_frames_index(later);
    int64_t wanted = -1;
    bool more = next_frame(later);
    while (next_frame(all)) {
        if (wanted < 0 && lg_frames_index(all) >= first && seconds(all) >= second)
            wanted = lg_frames_index(all);
        if (!more || lg_frames_index(all) < lg_frames_index(later))
            continue;
        CHECK(same_frame(all, later), "%s from frame %lld, second %g: frame %lld is another one",
              what, (long long)first, second, (long long)lg_frames_index(all));
        more = next_frame(later);
    }
    CHECK(!more, "%s: more frames than there are", what);
    CHECK(begun == (wanted >= key ? wanted - 1 : -1),
          "%s from frame %lld, second %g, begins behind frame %lld, and frame %lld is the first",
          what, (long long)first, second, (long long)begun, (long long)wanted);
    CHECK(lg_frames_seek(later, 1, 0, &error) == LG_ERROR_ARGUMENT, "%s: it has begun", what);
    lg_frames_close(&all);
    lg_frames_close(&later);
}

static void test_film(const char *format, const char *codec, int64_t key)
{
    static const int64_t firsts[] = {0, 1, 9, 10, 11, 25, FRAMES - 1, FRAMES, 1000};
    if (!write_film(format, codec))
        return;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
        test_from(firsts[i], 0, key, codec);
    test_from(0, 0.7, key, codec);
    test_from(0, 1.053, key, codec);
    test_from(20, 0.5, key, codec);
    test_from(0, 100, key, codec);
    unlink(film);
}

static bool has_module(void)
{
    lg_error error = {0};
    lg_film_output *out = NULL;
    snprintf(film, sizeof film, "%s/film.mkv", folder);
    const lg_status status = lg_film_create_with(film, "mkv", NULL, NULL, &out, &error);
    lg_film_discard(&out);
    return status == LG_OK;
}

int main(void)
{
    context = clip_context();
    NEED(mkdtemp(folder), "no folder");
    snprintf(clip, sizeof clip, "%s/clip.y4m", folder);
    write_clip();
    if (has_module()) {
        test_film("mkv", "ffv1", 1);
        test_film("mkv", "libx264:g=10:bf=3:keyint_min=10:sc_threshold=0", 10);
        test_film("mp4", "libx264:g=10:bf=2:flags=-cgop:sc_threshold=0:keyint_min=10", 10);
        test_film("mp4", "mpeg4:g=5", 1000); // not of those whose packets are trusted
    } else {
        check_skip("this build has no liblumagraph-av");
    }
    unlink(clip);
    rmdir(folder);
    lg_context_destroy(&context);
    return check_finish("video_seek");
}
