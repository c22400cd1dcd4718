// Filters that change which channels an image has, and corners of drawn images.
#include "filtering.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "samples.h"

static lg_context *cpu;

// ---- channels -----------------------------------------------------------------------------------

static lg_image *image_of(int channels, lg_alpha alpha)
{
    const lg_image_params shape = {.width = 21,
                                   .height = 9,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = LG_F32,
                                   .alpha = alpha};
    lg_image *image = NULL;
    lg_error error = {0};
    NEED(!lg_image_create(cpu, &shape, &image, &error), "%s", error.message);
    for (int i = 0; i < 21 * 9 * channels; i++)
        sample_put(image, i / channels % 21, i / channels / 21, 0, i % channels, random_unit());
    return image;
}

static void expect_shape(const char *text, int channels, lg_alpha alpha, int wanted,
                         lg_alpha wanted_alpha)
{
    lg_image *in = image_of(channels, alpha), *out = filtering_run(cpu, text, &in, 1);
    CHECK(out && out->shape.channels == wanted && (wanted == 1 || out->shape.alpha == wanted_alpha),
          "%s of %d channels: %d channels, alpha %d", text, channels, out ? out->shape.channels : 0,
          out ? (int)out->shape.alpha : 0);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_shapes(void)
{
    expect_shape("alpha_separate", 4, LG_ALPHA_STRAIGHT, 1, LG_ALPHA_NONE);
    expect_shape("alpha_separate", 2, LG_ALPHA_STRAIGHT, 1, LG_ALPHA_NONE);
    expect_shape("alpha_separate", 4, LG_ALPHA_OPAQUE, 1, LG_ALPHA_NONE);
    expect_shape("map_channel", 4, LG_ALPHA_STRAIGHT, 4, LG_ALPHA_STRAIGHT);
    expect_shape("map_channel", 4, LG_ALPHA_PREMULTIPLIED, 4, LG_ALPHA_PREMULTIPLIED);
    expect_shape("map_channel", 1, LG_ALPHA_NONE, 1, LG_ALPHA_NONE);
    expect_shape("map_channel", 2, LG_ALPHA_NONE, 2, LG_ALPHA_NONE);
    expect_shape("map_channel:alpha=one", 4, LG_ALPHA_STRAIGHT, 4, LG_ALPHA_OPAQUE);
    expect_shape("map_channel:alpha=red", 4, LG_ALPHA_OPAQUE, 4, LG_ALPHA_STRAIGHT);
    expect_shape("map_channel:red=zero", 1, LG_ALPHA_NONE, 4, LG_ALPHA_OPAQUE);
    expect_shape("map_channel:green=red:blue=red", 4, LG_ALPHA_STRAIGHT, 2, LG_ALPHA_STRAIGHT);
    expect_shape("color_swizzle", 2, LG_ALPHA_STRAIGHT, 2, LG_ALPHA_STRAIGHT);
    expect_shape("harris_corner_detection", 4, LG_ALPHA_STRAIGHT, 1, LG_ALPHA_NONE);
    expect_shape("convert_channels", 1, LG_ALPHA_NONE, 4, LG_ALPHA_OPAQUE);
    expect_shape("convert_channels", 2, LG_ALPHA_STRAIGHT, 4, LG_ALPHA_OPAQUE);
    expect_shape("convert_channels", 4, LG_ALPHA_PREMULTIPLIED, 4, LG_ALPHA_OPAQUE);
    expect_shape("convert_channels:to=rgba", 1, LG_ALPHA_NONE, 4, LG_ALPHA_STRAIGHT);
    expect_shape("convert_channels:to=rgba", 4, LG_ALPHA_OPAQUE, 4, LG_ALPHA_STRAIGHT);
    expect_shape("convert_channels:to=rgba", 4, LG_ALPHA_PREMULTIPLIED, 4, LG_ALPHA_PREMULTIPLIED);
    expect_shape("convert_channels:to=grey", 4, LG_ALPHA_STRAIGHT, 1, LG_ALPHA_NONE);
    expect_shape("convert_channels:to=grey", 2, LG_ALPHA_STRAIGHT, 1, LG_ALPHA_NONE);
    expect_shape("histogram_strip", 1, LG_ALPHA_NONE, 4, LG_ALPHA_OPAQUE);
    expect_shape("histogram_picture", 4, LG_ALPHA_OPAQUE, 4, LG_ALPHA_STRAIGHT);
}

// Taken out and put back, alpha and colours have the same bits.
static void test_round_trip(void)
{
    static const char *const same[] = {
        "alpha_separate #a | #in | map_channel:alpha=one | alpha_combine:over=#a",
        "color_swizzle | color_swizzle", "alpha_combine:over=#in:from=alpha"};
    lg_image *in = image_of(4, LG_ALPHA_STRAIGHT);
    for (size_t i = 0; i < LG_COUNT(same); i++) {
        lg_image *out = filtering_run(cpu, same[i], &in, 1);
        char first[160] = "";
        CHECK(out && !samples_differ(in, out, first), "%s: %s", same[i], first);
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
}

// ---- corners ------------------------------------------------------------------------------------

enum { SIDE = 64, FIRST = 20, LAST = 43 };

// A bright square on a dark ground.
static lg_image *square(float low, float high)
{
    const float dark[4] = {low, low, low, 1};
    lg_image *image = filtering_image(cpu, SIDE, SIDE, 1);
    filtering_fill(image, dark);
    for (int y = FIRST; y <= LAST; y++)
        for (int x = FIRST; x <= LAST; x++)
            for (int k = 0; k < 3; k++)
                filtering_pixel(image, x, y, 0)[k] = high;
    return image;
}

// One corner near each of the square's, and no other.
static void expect_corners(const char *text, float low, float high)
{
    lg_image *in = square(low, high), *out = filtering_run(cpu, text, &in, 1);
    int found = 0, near = 0;
    for (int i = 0; out && i < SIDE * SIDE; i++) {
        const int x = i % SIDE, y = i / SIDE;
        if (sample_get(out, x, y, 0, 0) < 0.5)
            continue;
        found++;
        const double dx = fmin(abs(x - FIRST), abs(x - LAST));
        const double dy = fmin(abs(y - FIRST), abs(y - LAST));
        near += dx <= 4 && dy <= 4;
    }
    CHECK(found == 4 && near == 4, "%s, %g to %g: %d corners, %d where they ought to be", text,
          (double)low, (double)high, found, near);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Derivatives have a sign and no 8 bits: a contrast of 1/128 is found as one of 1 is. Harris grows with its
// fourth power, the others with its square.
static void test_corners(void)
{
    expect_corners("harris_corner_detection", 0, 1);
    expect_corners("harris_corner_detection", 1, 0);
    expect_corners("noble_corner_detection", 0, 1);
    expect_corners("shi_tomasi_feature_detection", 0, 1);
    expect_corners("harris_corner_detection:threshold=7.4505805969238281e-10", 0.5f, 0.5078125f);
    expect_corners("noble_corner_detection:threshold=1.220703125e-05", 0.5f, 0.5078125f);
    expect_corners("shi_tomasi_feature_detection:threshold=1.220703125e-05", 0.5f, 0.5078125f);
}

// ---- points and lines ---------------------------------------------------------------------------

static void expect_refusal(const char *text, const char *part)
{
    lg_image *in = image_of(4, LG_ALPHA_OPAQUE), *out = NULL;
    lg_error error = {0};
    CHECK(filtering_try(cpu, text, &in, 1, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, part),
          "%s: %s", text, error.message);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static int count_red(const char *text)
{
    lg_image *in = filtering_image(cpu, 100, 40, 1);
    filtering_fill(in, (const float[4]){0, 0, 0, 1});
    lg_image *out = filtering_run(cpu, text, &in, 1);
    int count = 0;
    for (int i = 0; out && i < 100 * 40; i++)
        count += filtering_pixel(out, i % 100, i / 100, 0)[0] > 0.5f;
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return count;
}

static void expect_red(const char *text, int wanted)
{
    const int count = count_red(text);
    CHECK(count == wanted, "%s: %d pixels, not %d", text, count, wanted);
}

static void test_drawing(void)
{
    expect_refusal("line_generator:lines=0,0;1,1;0,1", "a line has two");
    expect_refusal("line_generator:lines=0;1", "x,y");
    expect_refusal("draw_points:points=1,2,3", "x,y");
    // Every line has a pixel in each column, or row, of the image; wide ones that many.
    expect_red("line_generator:color=1,0,0", 100);
    expect_red("line_generator:color=1,0,0:width=3:lines=0.1,0.5;0.899,0.5", 3 * 80);
    expect_red("line_generator:color=1,0,0:lines=0.5,0;0.5,1", 40);
    expect_red("line_generator:color=1,0,0:lines=0.25,0.25;0.25,0.25", 1);
    expect_red("draw_points:size=4:points=0,0;0.5,0.5;1,1", 3 * 16);
    expect_red("draw_rect", 2 * 100 + 2 * 38);
    expect_red("draw_rect:x=0.1:y=0.1:width=0.3:height=0.5:line_width=2", 30 * 20 - 26 * 16);
    expect_red("draw_rect:width=0:height=0", 1);
    expect_red("draw_rect:x=5:y=35:width=10:height=20:unit=px", 2 * 10 + 2 * 3);
}

int main(void)
{
    random_seed(29);
    cpu = device_open_level(LG_CPU_BEST, 2);
    test_shapes();
    test_round_trip();
    test_corners();
    test_drawing();
    lg_context_destroy(&cpu);
    return check_finish("channels");
}
