// 3 x 3 filters of bytes beside sums in integers: gradients whose length lies as near as it can to the middle
// between two bytes, kernels of whole numbers that just fit halves or just do not, and of parts of 2^-7.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_error error;

typedef struct window_case {
    const char *text;
    int middle;     // of a gradient; 0: a sum
    bool dark;      // white less the length
    int weights[9]; // of a sum
    int shift;      // places of these behind the point
} window_case;

static const window_case cases[] = {
    {"sobel_edge_detection", 2, false, {0}},
    {"prewitt_edge_detection", 1, false, {0}},
    {"sketch", 2, true, {0}},
    {"convolution_3x3:kernel=0,0,0,0,1,0,0,0,0", 0, false, {0, 0, 0, 0, 1, 0, 0, 0, 0}},
    {"convolution_3x3:kernel=-1,-1,-1,-1,8,-1,-1,-1,-1",
     0,
     false,
     {-1, -1, -1, -1, 8, -1, -1, -1, -1}},
    {"convolution_3x3:kernel=1,-2,1,-2,4,-2,1,-2,1", 0, false, {1, -2, 1, -2, 4, -2, 1, -2, 1}},
    {"convolution_3x3:kernel=1,2,3,-4,5,-6,7,-8,9", 0, false, {1, 2, 3, -4, 5, -6, 7, -8, 9}},
    {"convolution_3x3:kernel=0,-99,0,0,100,0,0,0,0", 0, false, {0, -99, 0, 0, 100, 0, 0, 0, 0}},
    {"emboss", 0, false, {-2, -1, 0, -1, 1, 1, 0, 1, 2}},
    {"emboss:intensity=3", 0, false, {-6, -3, 0, -3, 1, 3, 0, 3, 6}},
    {"sharpen:sharpness=1", 0, false, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
    {"sharpen:sharpness=-2", 0, false, {0, 2, 0, 2, -7, 2, 0, 2, 0}},
    {"convolution_3x3:kernel=.0625,.125,.0625,.125,.25,.125,.0625,.125,.0625",
     0,
     false,
     {1, 2, 1, 2, 4, 2, 1, 2, 1},
     4},
    {"convolution_3x3:kernel=.5,0,0,0,0,0,0,0,0", 0, false, {1, 0, 0, 0, 0, 0, 0, 0, 0}, 1},
    {"convolution_3x3:kernel=0,.25,0,0,.5,0,0,-.25,0", 0, false, {0, 1, 0, 0, 2, 0, 0, -1, 0}, 2},
    {"convolution_3x3:kernel=-.5,.25,.0078125,0,.1875,0,0,.0078125,.03125",
     0,
     false,
     {-64, 32, 1, 0, 24, 0, 0, 1, 4},
     7},
    {"convolution_3x3:kernel=-.125,.25,.375,1.5,-.5,.625,.25,.125,-.5",
     0,
     false,
     {-1, 2, 3, 12, -4, 5, 2, 1, -4},
     3},
    {"convolution_3x3:kernel=0,0,0,0,.9921875,0,0,0,0", 0, false, {0, 0, 0, 0, 127}, 7},
    {"convolution_3x3:kernel=.015625,.03125,-.046875,0,0,0,.171875,.34375,-.515625",
     0,
     false,
     {1, 2, -3, 0, 0, 0, 11, 22, -33},
     6},
    {"emboss:intensity=0.5", 0, false, {-2, -1, 0, -1, 2, 1, 0, 1, 2}, 1},
    {"sharpen:sharpness=0.375", 0, false, {0, -3, 0, -3, 20, -3, 0, -3, 0}, 3},
};

static int wanted(const window_case *c, const int w[9])
{
    int64_t sum = 0;
    for (int i = 0; i < 9; i++)
        sum += c->weights[i] * w[i];
    if (!c->middle) {
        const double rounded = floor((double)sum / (1 << c->shift) + 0.5);
        return rounded < 0 ? 0 : rounded > 255 ? 255 : (int)rounded;
    }
    const int64_t across = w[2] + w[8] - w[0] - w[6] + c->middle * (w[5] - w[3]);
    const int64_t down = w[6] + w[8] - w[0] - w[2] + c->middle * (w[7] - w[1]);
    const int64_t square = across * across + down * down;
    int64_t root = 0; // the greatest whose lower half, (root - 1/2)^2, is not above the square
    while (root < 255 && root * root + root < square)
        root++;
    return (int)(c->dark ? 255 - root : root);
}

static void read_window(const lg_image *in, int32_t x, int32_t y, int channel, int border, int w[9])
{
    for (int i = 0; i < 9; i++) {
        const int64_t column = border_walk(x + i % 3 - 1, in->shape.width, border);
        const int64_t row = border_walk(y + i / 3 - 1, in->shape.height, border);
        w[i] = column < 0 || row < 0 ? 0 : (int)sample_stored(in, column, row, 0, channel);
    }
}

static void check_case(lg_context *context, const window_case *c, const lg_image *in, int border)
{
    char text[120];
    snprintf(text, sizeof text, "%s:border=%s", c->text, border_names[border]);
    lg_image *out = NULL;
    CHECK(!pipeline_run(context, text, &in, 1, LG_U8, 1, &out, &error), "%s: %s", text,
          error.message);
    const lg_image_params *s = &in->shape;
    const int alpha = s->channels % 2 == 0 && s->alpha != LG_ALPHA_NONE ? s->channels - 1 : 3;
    int wrong = 0;
    for (int32_t i = 0; out && i < s->width * s->height * out->shape.channels; i++) {
        const int32_t channel = i % out->shape.channels, at = i / out->shape.channels;
        const int32_t x = at % s->width, y = at / s->width;
        int w[9];
        if (channel < s->channels)
            read_window(in, x, y, channel, border, w);
        const bool opaque = channel >= s->channels || s->alpha == LG_ALPHA_OPAQUE;
        const int want = channel != alpha ? wanted(c, w) : opaque ? 255 : w[4];
        wrong += sample_stored(out, x, y, 0, channel) != want;
    }
    CHECK(wrong == 0, "%s of %d x %d x %d: %d samples", text, s->width, s->height, s->channels,
          wrong);
    lg_image_destroy(&out);
}

// Fills 3 x 3 pixels so that the squares of both derivatives add up to the next integer below or above
// (k + 1/2)^2, where that is possible.
static void put_tie(lg_image *image, int32_t x, int32_t y, int middle)
{
    for (int tries = 0; tries < 1000; tries++) {
        int w[9];
        for (int i = 0; i < 9; i++)
            w[i] = (int)random_below(256);
        const int k = (int)random_below(255), square = k * k + k + (int)random_below(2);
        const int across = (int)random_below((uint32_t)k + 1);
        const int down = (int)lrint(sqrt(square - across * across));
        const int right = across - (w[2] + w[8] - w[0] - w[6]);
        const int below = down - (w[6] + w[8] - w[0] - w[2]);
        w[5] = w[3] + right / middle, w[7] = w[1] + below / middle;
        if (across * across + down * down != square || right % middle || below % middle ||
            w[5] < 0 || w[5] > 255 || w[7] < 0 || w[7] > 255)
            continue;
        for (int i = 0; i < 9; i++)
            sample_store(image, x + i % 3, y + i / 3, 0, 0, w[i]);
        return;
    }
}

static lg_image *picture(lg_context *context, int32_t width, int32_t height, int kind)
{
    lg_image *image = image_zeros(
        context, (lg_image_params){.width = width, .height = height, .layers = 1, .channels = 1});
    for (int32_t y = 0; image && y < height; y++)
        for (int32_t x = 0; x < width; x++)
            sample_store(image, x, y, 0, 0, kind ? 255 * random_below(2) : random_below(256));
    for (int32_t y = 0; image && kind == 2 && y + 3 <= height; y += 3)
        for (int32_t x = 0; x + 3 <= width; x += 3)
            put_tie(image, x, y, 1 + x / 3 % 2);
    return image;
}

// Where the device is the processor most of the time goes into compiling a kernel for each case.
static bool is_left_out(const lg_context *context, size_t i)
{
    return device_is_slow(context) && test_is_short() && i % 3 != 0;
}

static void check_colors(lg_context *context)
{
    static const lg_image_params shapes[] = {SHAPE(1, 1, 1, 4, LG_U8, LG_ALPHA_STRAIGHT),
                                             SHAPE(17, 9, 1, 2, LG_U8, LG_ALPHA_NONE),
                                             SHAPE(35, 4, 1, 2, LG_U8, LG_ALPHA_STRAIGHT),
                                             SHAPE(19, 7, 1, 3, LG_U8, LG_ALPHA_NONE),
                                             SHAPE(33, 6, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
                                             SHAPE(1100, 3, 1, 4, LG_U8, LG_ALPHA_STRAIGHT),
                                             SHAPE(701, 2, 1, 3, LG_U8, LG_ALPHA_NONE)};
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        lg_image_params shape = shapes[i];
        shape.row_stride = (size_t)(shape.width * shape.channels);
        shape.layer_stride = shape.row_stride * (size_t)shape.height;
        const size_t bytes = shape.layer_stride;
        uint8_t *memory = malloc(bytes);
        NEED(memory, "no memory");
        for (size_t k = 0; k < bytes; k++)
            memory[k] = (uint8_t)random_below(256);
        lg_image *in = NULL;
        CHECK(!lg_image_wrap(context, &shape, memory, &in, &error), "%s", error.message);
        for (size_t k = 0; in && k < LG_COUNT(cases); k++)
            if (!cases[k].middle && !is_left_out(context, i + k))
                check_case(context, &cases[k], in, (int)(i + k) % 4);
        lg_image_destroy(&in);
        free(memory);
    }
}

static void check_device(lg_context *context)
{
    static const int32_t sizes[][2] = {{1, 1},  {3, 5},   {16, 4},  {17, 9},
                                       {36, 2}, {83, 30}, {2067, 3}};
    for (size_t i = 0; i < LG_COUNT(sizes); i++)
        for (int kind = 0; kind < 3; kind++) {
            lg_image *in = picture(context, sizes[i][0], sizes[i][1], kind);
            for (size_t k = 0; in && k < LG_COUNT(cases); k++)
                if (!is_left_out(context, i + k + (size_t)kind))
                    check_case(context, &cases[k], in, (int)(i + k + (size_t)kind) % 4);
            lg_image_destroy(&in);
        }
    check_colors(context);
}

// A plan whose parameter goes from whole numbers to others and back, each time as a new plan.
static void check_changes(lg_context *context)
{
    static const char *const changes[][4] = {
        {"convolution_3x3", "kernel", "0,-1,0,-1,5,-1,0,-1,0", "0,0.3,0,0.1,0.2,0.1,0,0.3,0"},
        {"sobel_edge_detection", "edge_strength", "1", "1.3"},
        {"emboss", "intensity", "1", "0.4"},
        {"convolution_3x3", "kernel", "0,0.5,0,0,0.25,0,0,0.25,0", "0,0.3,0,0.1,0.2,0.1,0,0.3,0"},
        {"convolution_3x3", "kernel", "0,-1,0,-1,5,-1,0,-1,0", "0,0.5,0,0,0.25,0,0,0.25,0"},
        {"convolution_3x3", "kernel", "0,0.5,0,0,0.25,0,0,0.25,0",
         "0.25,0,0.125,0,0,0.5,0,0.125,0"},
    };
    lg_image *in = picture(context, 83, 30, 0);
    for (size_t i = 0; in && i < LG_COUNT(changes); i++) {
        const char *name = changes[i][0], *param = changes[i][1];
        pipeline p;
        char text[120];
        snprintf(text, sizeof text, "%s:%s=%s", name, param, changes[i][2]);
        if (!pipeline_open(&p, context, text, &in->shape, 1, NULL))
            continue;
        lg_image *out = image_zeros(context, p.out);
        for (int turn = 0; out && turn < 4; turn++) {
            const char *value = changes[i][turn % 2 ? 2 : 3];
            lg_image *fresh = NULL;
            snprintf(text, sizeof text, "%s:%s=%s", name, param, value);
            CHECK(!lg_plan_set_text(p.plan, 1, param, value, &error) &&
                      !lg_plan_run(p.plan, &in, &out, &error) &&
                      !pipeline_run(context, text, (const lg_image *const *)&in, 1, LG_U8, 1,
                                    &fresh, &error) &&
                      samples_equal(out, fresh),
                  "turn %d: %s: %s", turn, text, error.message);
            lg_image_destroy(&fresh);
        }
        lg_image_destroy(&out);
        pipeline_close(&p);
    }
    lg_image_destroy(&in);
}

int main(void)
{
    random_seed(41);
    for (int level = LG_CPU_BASE; level <= LG_CPU_V4; level++) {
        lg_context *context = device_open_level((lg_cpu_level)level, 1 + level % 3);
        if (context)
            check_device(context);
        lg_context_destroy(&context);
    }
    static const char *const without[] = {NULL, "float16"};
    for (size_t i = 0; i < LG_COUNT(without); i++) {
        lg_context *context = device_open(NULL, without[i]);
        // The second device has the same kernels but for halves: not worth minutes of software.
        if (context && !(i && test_is_short() && device_is_slow(context))) {
            check_device(context);
            check_changes(context);
        }
        device_close(&context);
    }
    return check_finish("whole_windows");
}
