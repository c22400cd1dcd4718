// The rolling ball against its definition: every pixel below every place of the ball.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

typedef struct plane {
    int width, height;
    float *at;
} plane;

static plane new_plane(int width, int height)
{
    plane p = {width, height, malloc((size_t)width * (size_t)height * sizeof(float))};
    NEED(p.at, "memory");
    return p;
}

// The ball's height d2 = dx^2 + dy^2 away from its centre.
static float height_of(const lg_native_call *done, int d2)
{
    const double radius = lg_native_value(done->filter, done->values, "radius");
    const double height = lg_native_value(done->filter, done->values, "height");
    const double rest = radius * radius - d2;
    return (float)((height > 0 ? height : radius) * sqrt(rest) / radius / 255);
}

// The highest place below (sign 1), or the lowest one above it (sign -1), of all balls around.
static plane touched(const lg_native_call *done, plane in, float sign)
{
    const double radius = lg_native_value(done->filter, done->values, "radius");
    const int r = (int)radius;
    const plane out = new_plane(in.width, in.height);
    for (int i = 0; i < in.width * in.height; i++)
        out.at[i] = sign * INFINITY;
    for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
            if (dx * dx + dy * dy > radius * radius)
                continue;
            const float h = sign * height_of(done, dx * dx + dy * dy);
            for (int y = dy < 0 ? -dy : 0; y < in.height && y + dy < in.height; y++)
                for (int x = dx < 0 ? -dx : 0; x < in.width && x + dx < in.width; x++) {
                    const float v = in.at[(y + dy) * in.width + x + dx] - h;
                    float *to = &out.at[y * in.width + x];
                    *to = sign * v < sign * *to ? v : *to;
                }
        }
    return out;
}

static double expected(const lg_native_call *done, float c, float opened)
{
    const float sign = kernel_whole(done, "light") ? -1 : 1;
    const float background = sign * (opened < sign * c ? opened : sign * c);
    if (kernel_whole(done, "output"))
        return background;
    return sign < 0 ? c - background + 1 : c - background;
}

static void check_plane(const lg_native_call *done, int z, int channel)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &in->shape;
    const float sign = kernel_whole(done, "light") ? -1 : 1;
    const plane ground = new_plane(s->width, s->height);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            ground.at[y * s->width + x] = sign * (float)sample_get(in, x, y, z, channel);
    const plane below = touched(done, ground, 1), opened = touched(done, below, -1);
    const lg_type type = out->shape.type;
    const double step = type == LG_U8 ? 1.0 / 255 : type == LG_U16 ? 1.0 / 65535 : 0;
    const bool floats = s->type == LG_F32 || s->type == LG_F16;
    const double off = step > 0         ? step / 2 + 1e-6
                       : type == LG_F16 ? 1e-3
                       : floats         ? 0
                                        : 1e-6; // bytes are made colours in another way
    int wrong = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            const int at = y * s->width + x;
            double want = expected(done, sign * ground.at[at], opened.at[at]);
            want = step > 0 ? fmin(fmax(want, 0), 1) : want;
            wrong += !(fabs(sample_get(out, x, y, z, channel) - want) <= off);
        }
    CHECK(wrong == 0, "%d samples of %d x %d", wrong, s->width, s->height);
    free(ground.at);
    free(below.at);
    free(opened.at);
}

static void check_balls(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    const bool data = s->channels == 4 && s->alpha == LG_ALPHA_NONE;
    const bool alpha = s->alpha == LG_ALPHA_STRAIGHT || s->alpha == LG_ALPHA_OPAQUE || data;
    if (kind != CONTENT_UNIT || s->alpha == LG_ALPHA_PREMULTIPLIED || s->width * s->height > 12000)
        return;
    for (int z = 0; z < s->layers; z++)
        for (int k = 0; k < s->channels - (s->channels > 1 && alpha); k++)
            check_plane(done, z, k);
}

static void any_type(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    out->type = random_below(2) ? LG_F32 : in->type;
}

static const kernel_case balls = {
    .filter = "rolling_ball",
    .params = "radius={1|2.5|4|9}:output={subtracted|background}:light={no|yes}:height={0|0|3}",
    .oracle = check_balls,
    .shapes = any_type,
    .share = 4};

static float surface(int kind, int x, int y)
{
    const double far = (x - 40) * (x - 40) + (y - 30) * (y - 30);
    return kind == 0   ? 0.25f
           : kind == 1 ? (float)(x + 2 * y) / 300
           : kind == 2 ? (float)(0.2 + 0.1 * sin(x * 0.3) * cos(y * 0.2))
           : kind == 3 ? (far > 900 ? 0.5f : (float)(0.5 - sqrt(900 - far) / 255)) // a ball fits
                       : (float)random_below(1000) / 5000;
}

// Balls as large as the image, on what they touch in one place, in many, or everywhere.
static void test_surfaces(void)
{
    static const char *const params[] = {"radius=30:output=background", "radius=30:light=yes",
                                         "radius=14.5:height=60", "radius=500:output=background"};
    const kernel_case one = {.filter = "rolling_ball"};
    for (int kind = 0; kind < 5; kind++) {
        const int width = kind % 2 ? 91 : 64, height = kind % 2 ? 50 : 71;
        lg_image *in = kernel_zeros(SHAPE(width, height, 1, 1, LG_F32, LG_ALPHA_NONE));
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                sample_put(in, x, y, 0, 0, surface(kind, x, y));
        lg_image *out = kernel_compare(&one, params[kind % 4], in, NULL, in->shape);
        kernel_job done;
        if (out && kernel_prepare(&done, kernel_context(), "rolling_ball", params[kind % 4], in,
                                  NULL, out))
            check_balls(&done.call, CONTENT_UNIT);
        lg_image_destroy(&out);
        lg_image_destroy(&in);
    }
}

// By hand: a ball of radius 1 and height 51 has 51 levels, 0.2, in its middle, and 0 beside it. Below 0.5 0.1
// 0.5 0.5 its places are 0.1 -0.1 0.1 0.3, and it comes up to 0.3 0.1 0.3 0.5.
static void test_by_hand(void)
{
    static const float values[] = {0.5f, 0.1f, 0.5f, 0.5f}, want[] = {0.3f, 0.1f, 0.3f, 0.5f};
    lg_image *in = kernel_zeros(SHAPE(4, 1, 1, 1, LG_F32, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(in->shape);
    for (int x = 0; x < 4; x++)
        sample_put(in, x, 0, 0, 0, values[x]);
    kernel_run(kernel_best_context(), "rolling_ball", "radius=1:height=51:output=background", in,
               NULL, out);
    for (int x = 0; x < 4; x++)
        CHECK(fabs(sample_get(out, x, 0, 0, 0) - want[x]) < 1e-6, "%g in column %d",
              sample_get(out, x, 0, 0, 0), x);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_by_hand();
    test_surfaces();
}

int main(void)
{
    return kernel_main("rolling_ball", &balls, 1, test_more);
}
