// Y'CbCr planes as colours and back, against doubles. Clips are written here.
#include "check.h"
#include "clips.h"
#include "device.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static lg_context *levels[LG_CPU_LEVELS]; // of the instruction sets; NULL: there is none
static char clip[] = "/tmp/lumagraph-ycbcr-XXXXXX";

static lg_frames *open_clip(const char *colors)
{
    lg_error error = {0};
    lg_frames *frames = NULL;
    bool more = false;
    const lg_frames_params params = {.colors = colors};
    NEED(lg_frames_open(context, clip, &params, &frames, &error) == LG_OK, "%s", error.message);
    NEED(lg_frames_next(frames, &more, &error) == LG_OK && more, "%s", error.message);
    return frames;
}

typedef struct colors {
    const char *name;
    double red, blue;
} colors;

static const colors matrices[] = {
    {"bt709", 0.2126, 0.0722}, {"bt601", 0.299, 0.114}, {"bt2020", 0.2627, 0.0593}};

static double stored_at(const uint8_t *plane, int bits, int width, int x, int y)
{
    const size_t at = (size_t)y * (size_t)width + (size_t)x;
    return bits > 8 ? plane[2 * at] + 256.0 * plane[2 * at + 1] : plane[at];
}

// Chroma between its samples, which lie `first` and every `step` samples of luma.
static double chroma_at(const clip_kind *k, const uint8_t *plane, int width, int height, int x,
                        int y)
{
    const double px = (x - k->left) / k->across, py = (y - k->top) / k->down;
    double sum = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            const int cx = (int)floor(px) + i, cy = (int)floor(py) + j;
            const double w = (1 - fabs(px - cx)) * (1 - fabs(py - cy));
            sum += w * stored_at(plane, k->bits, width, (int)fmin(fmax(cx, 0), width - 1),
                                 (int)fmin(fmax(cy, 0), height - 1));
        }
    return sum;
}

static bool near_step(double exact, double most, double got)
{
    exact = fmin(fmax(exact * most, 0), most);
    return fabs(exact - got) <= 0.5 + 1e-6;
}

static int wrong_colors(const clip_kind *k, const colors *m, bool full, const uint8_t *stored,
                        int width, int height, const lg_image *image)
{
    const double unit = 1 << (k->bits - 8), highest = 256 * unit - 1,
                 most = k->bits > 8 ? 65535 : 255;
    const double luma = full ? highest : 219 * unit, span = full ? highest : 224 * unit;
    const double black = full ? 0 : 16 * unit, green = 1 - m->red - m->blue;
    const int cw = plane_width(k, 1, width), ch = plane_height(k, 1, height);
    const size_t sample = k->bits > 8 ? 2 : 1, size = sample * (size_t)width * (size_t)height;
    const uint8_t *cb = stored + size, *cr = cb + sample * (size_t)cw * (size_t)ch;
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double l = (stored_at(stored, k->bits, width, x, y) - black) / luma;
            if (k->planes == 1) {
                wrong += !near_step(l, most, image_at(image, x, y, 0));
                continue;
            }
            const double b = (chroma_at(k, cb, cw, ch, x, y) - 128 * unit) / span;
            const double r = (chroma_at(k, cr, cw, ch, x, y) - 128 * unit) / span;
            const double red = l + 2 * (1 - m->red) * r, blue = l + 2 * (1 - m->blue) * b;
            wrong += !near_step(red, most, image_at(image, x, y, 0));
            wrong += !near_step((l - m->red * red - m->blue * blue) / green, most,
                                image_at(image, x, y, 1));
            wrong += !near_step(blue, most, image_at(image, x, y, 2));
            wrong +=
                k->planes == 4 && image_at(image, x, y, 3) != cr[size + (size_t)(y * width + x)];
        }
    return wrong;
}

static void check_sums(const lg_image *image, const lg_moments *got, const char *where)
{
    const int channels = image->shape.channels == 1 ? 1 : 3;
    for (int c = 0; c < channels; c++) {
        uint64_t sum = 0;
        double least = 65536, most = -1;
        for (int y = 0; y < image->shape.height; y++)
            for (int x = 0; x < image->shape.width; x++) {
                const double v = image_at(image, x, y, c);
                sum += (uint64_t)v;
                least = fmin(least, v);
                most = fmax(most, v);
            }
        CHECK(got[c].exact && got[c].sum_hi == 0 && got[c].sum_lo == sum && got[c].min == least &&
                  got[c].max == most,
              "%s, channel %d: the sum is %llu, not %llu", where, c,
              (unsigned long long)got[c].sum_lo, (unsigned long long)sum);
    }
}

// Moments of the planes are those of the colours, on every instruction set, and of a region, which goes
// another way.
static void check_moments(lg_frames *frames, const lg_image *image, const char *tag)
{
    lg_error error = {0};
    lg_image *planes = NULL;
    lg_moments got[LG_MAX_CHANNELS];
    lg_moments_params params = lg_moments_params_default();
    NEED(lg_frames_planes(frames, &planes, NULL, &error) == LG_OK, "%s", error.message);
    for (int i = 0; i < LG_CPU_LEVELS; i++)
        if (levels[i]) {
            CHECK(!lg_measure_moments(levels[i], planes, &params, got, LG_MAX_CHANNELS, &error),
                  "%s: %s", tag, error.message);
            check_sums(image, got, tag);
        }
    const lg_region all = lg_image_region(&image->shape);
    params.select.region = &all;
    CHECK(!lg_measure_moments(context, planes, &params, got, LG_MAX_CHANNELS, &error), "%s: %s",
          tag, error.message);
    check_sums(image, got, tag);
    lg_image_destroy(&planes);
}

static void write_clip(const clip_kind *k, const uint8_t *stored, size_t bytes, int width,
                       int height)
{
    FILE *file = fopen(clip, "wb");
    NEED(file, "no clip");
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 %s\nFRAME\n", width, height, k->tag);
    fwrite(stored, 1, bytes, file);
    fclose(file);
}

// Pixels enough for some whose colours lie closest to the next ones: there kernels that keep fewer bits would
// be off by one, always downwards, and no sum would hide it.
static void check_many_colors(const clip_kind *k, const char *matrix, bool full)
{
    const int width = 1090, height = 360;
    const size_t bytes = frame_bytes(k, width, height);
    char given[40];
    uint8_t *stored = malloc(bytes);
    lg_error error = {0};
    lg_image *image = NULL;
    NEED(stored, "no memory");
    random_frame(k, stored, bytes);
    write_clip(k, stored, bytes, width, height);
    snprintf(given, sizeof given, "%s:%s", matrix, full ? "full" : "limited");
    lg_frames *frames = open_clip(given);
    NEED(lg_frames_image(frames, &image, NULL, &error) == LG_OK, "%s", error.message);
    check_moments(frames, image, k->tag);
    lg_image_destroy(&image);
    lg_frames_close(&frames);
    free(stored);
}

static void check_colors(const clip_kind *k, const colors *m, bool full, int width, int height)
{
    char given[40];
    const size_t bytes = frame_bytes(k, width, height);
    uint8_t *stored = malloc(bytes);
    lg_error error = {0};
    lg_image *image = NULL;
    lg_read_info info;
    random_frame(k, stored, bytes);
    snprintf(given, sizeof given, "%s:%s", m->name, full ? "full" : "limited");
    write_clip(k, stored, bytes, width, height);
    lg_frames *frames = open_clip(given);
    CHECK(lg_frames_image(frames, &image, &info, &error) == LG_OK, "%s", error.message);
    if (image) {
        CHECK(image->shape.type == (k->bits > 8 ? LG_U16 : LG_U8) &&
                  strcmp(info.format, "y4m") == 0 && !info.note[0] &&
                  image->shape.channels == (k->planes == 1 ? 1 : 4),
              "%s: the image's shape", k->tag);
        const int wrong = wrong_colors(k, m, full, stored, width, height, image);
        CHECK(wrong == 0, "%s %s, %d x %d: %d samples are not the nearest", k->tag, given, width,
              height, wrong);
        if (k->planes != 4)
            check_moments(frames, image, k->tag);
    }
    lg_image_destroy(&image);
    lg_frames_close(&frames);
    free(stored);
}

// ---- back to planes -----------------------------------------------------------------------------

// The mean of a colour around a sample of chroma: what lies nearer than a step counts, by its distance.
static double mean_around(const clip_kind *k, const lg_image *image, int cx, int cy, int c)
{
    const double px = cx * k->across + k->left, py = cy * k->down + k->top;
    double sum = 0, all = 0;
    for (int j = -4; j <= 4; j++)
        for (int i = -4; i <= 4; i++) {
            const int x = (int)floor(px) + i, y = (int)floor(py) + j;
            const double dx = fabs(x - px), dy = fabs(y - py);
            // Between two samples both count the same.
            const double wx = k->left > 0 ? dx < 1 : fmax(0, 1 - dx / k->across);
            const double wy = k->top > 0 ? dy < 1 : fmax(0, 1 - dy / k->down);
            all += wx * wy;
            sum += wx * wy *
                   image_at(image, (int)fmin(fmax(x, 0), image->shape.width - 1),
                            (int)fmin(fmax(y, 0), image->shape.height - 1), c);
        }
    return sum / all;
}

static int wrong_planes(const clip_kind *k, const colors *m, bool full, const lg_image *image,
                        lg_frames *frames)
{
    const double unit = 1 << (k->bits - 8), highest = 256 * unit - 1;
    const double most = image->shape.type == LG_U8 ? 255 : 65535;
    const double luma = full ? highest : 219 * unit, span = full ? highest : 224 * unit;
    const double black = full ? 0 : 16 * unit, green = 1 - m->red - m->blue;
    lg_error error = {0};
    int wrong = 0;
    for (int p = 0; p < 3; p++) {
        lg_image *plane = NULL;
        if (lg_frames_plane(frames, p, &plane, &error) != LG_OK)
            return 1;
        for (int y = 0; y < plane->shape.height; y++)
            for (int x = 0; x < plane->shape.width; x++) {
                double rgb[3], exact;
                for (int c = 0; c < 3; c++)
                    rgb[c] = (p ? mean_around(k, image, x, y, c) : image_at(image, x, y, c)) / most;
                const double l = m->red * rgb[0] + green * rgb[1] + m->blue * rgb[2];
                exact = p == 0   ? black + luma * l
                        : p == 1 ? 128 * unit + span * (rgb[2] - l) / (2 - 2 * m->blue)
                                 : 128 * unit + span * (rgb[0] - l) / (2 - 2 * m->red);
                wrong += !near_step(exact / highest, highest, image_at(plane, x, y, 0));
            }
        lg_image_destroy(&plane);
    }
    return wrong;
}

static void check_encoding(const clip_kind *k, int matrix, bool full, int width, int height)
{
    const colors *m = &matrices[matrix];
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = k->bits > 8 ? LG_U16 : LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    const lg_film film = {.planes = 3,
                          .bits = k->bits,
                          .full_range = full,
                          .matrix = (lg_matrix)matrix,
                          .chroma = clip_chroma(k),
                          .siting = clip_siting(k)};
    lg_image *image = NULL;
    lg_film_output *out = NULL;
    lg_error error = {0};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    for (int y = 0; y < height; y++)
        random_bytes((uint8_t *)image->data + (size_t)y * image->shape.row_stride,
                     (size_t)width * 4 * lg_type_size(shape.type));
    CHECK(lg_film_create(clip, "y4m", &film, &out, &error) == LG_OK, "%s", error.message);
    CHECK(lg_film_write(out, image, &error) == LG_OK, "%s: %s", k->tag, error.message);
    CHECK(lg_film_close(&out, &error) == LG_OK, "%s", error.message);
    lg_frames *frames = open_clip(m->name);
    CHECK(lg_frames_film(frames)->full_range == full && lg_frames_film(frames)->rate == 25,
          "%s: header", k->tag);
    const int wrong = wrong_planes(k, m, full, image, frames);
    CHECK(wrong == 0, "%s %s %d, %d x %d: %d codes are not the nearest", k->tag, m->name, full,
          width, height, wrong);
    lg_frames_close(&frames);
    lg_image_destroy(&image);
}

int main(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 2}, {7, 5}, {16, 9}, {33, 18}};
    lg_error error = {0};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    const int file = mkstemp(clip);
    NEED(file >= 0, "no file");
    close(file);
    NEED(lg_context_create(&params, &context, &error) == LG_OK, "%s", error.message);
    for (int i = 0; i < LG_CPU_LEVELS; i++)
        levels[i] = device_open_level((lg_cpu_level)i, 2);
    for (int i = 0; i < CLIP_KINDS; i++)
        check_colors(&clip_kinds[i], &matrices[i % 3], i % 2, 1030, 3);
    for (int i = 0; i < CLIP_KINDS; i++)
        for (int m = 0; m < 6 && clip_kinds[i].bits == 8 && clip_kinds[i].across == 2; m++)
            check_many_colors(&clip_kinds[i], matrices[m / 2].name, m % 2);
    for (int i = 0; i < CLIP_KINDS; i++)
        for (int s = 0; s < 5; s++)
            for (int m = 0; m < 3; m++)
                for (int full = 0; full < 2; full++) {
                    const clip_kind *k = &clip_kinds[i];
                    check_colors(k, &matrices[m], full, sizes[s][0], sizes[s][1]);
                    if (k->planes == 3)
                        check_encoding(k, m, full, sizes[s][0], sizes[s][1]);
                }
    for (int i = 0; i < LG_CPU_LEVELS; i++)
        lg_context_destroy(&levels[i]);
    lg_context_destroy(&context);
    unlink(clip);
    return check_finish("ycbcr");
}
