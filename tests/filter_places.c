// Filters that depend on where a pixel lies: warps, crop, windows at the edges, generators.
#include "filtering.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"

static lg_context *context;

// Red is x, green y, in fractions at pixel centres.
static lg_image *places_image(int width, int height)
{
    lg_image *image = filtering_image(context, width, height, 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float *p = filtering_pixel(image, x, y, 0);
            p[0] = (float)((x + 0.5) / width);
            p[1] = (float)((y + 0.5) / height);
            p[2] = 0;
            p[3] = 1;
        }
    return image;
}

// ---- warps --------------------------------------------------------------------------------------

// Where `pipeline` reads, by its image of places. Outside the circle nothing may change, not by a bit;
// across its edge nothing may jump; the centre stays. Distances are in units of the width.
static void check_circle(const char *pipeline, double cx, double cy, double radius)
{
    const int width = 240, height = 150;
    lg_image *in = places_image(width, height), *noise = filtering_image(context, width, height, 1);
    filtering_noise(noise);
    lg_image *out = filtering_run(context, pipeline, &in, 1);
    lg_image *same = filtering_run(context, pipeline, &noise, 1);
    int moved = 0, jumps = 0, inside = 0;
    double at_centre = INFINITY, nearest = INFINITY;
    for (int y = 0; out && same && y < height; y++)
        for (int x = 0; x < width; x++) {
            const double px = (x + 0.5) / width, py = (y + 0.5) / height;
            const double d = hypot(px - cx, (py - cy) * height / width);
            const float *p = filtering_pixel(out, x, y, 0);
            const double far = hypot((double)p[0] - px, ((double)p[1] - py) * height / width);
            if (d > radius + 1e-6)
                moved += memcmp(filtering_pixel(same, x, y, 0), filtering_pixel(noise, x, y, 0),
                                4 * sizeof(float)) != 0;
            else
                inside++;
            // Displacement falls to 0 at the edge: less than its distance from there, times 4.
            if (d < radius)
                jumps += far > 4 * (radius - d) + 1e-5;
            if (d < nearest)
                nearest = d, at_centre = far;
        }
    CHECK(inside > 50 && !moved, "%s: %d pixels outside the circle change", pipeline, moved);
    CHECK(!jumps, "%s: %d pixels jump near the edge", pipeline, jumps);
    CHECK(at_centre < 0.02, "%s: the centre moves by %g", pipeline, at_centre);
    lg_image_destroy(&in);
    lg_image_destroy(&noise);
    lg_image_destroy(&out);
    lg_image_destroy(&same);
}

// A place read by bulge_distortion, by hand: 0.2 to the right of the centre, of radius 0.4.
static void test_bulge(void)
{
    lg_image *in = places_image(10, 10);
    lg_image *out =
        filtering_run(context, "bulge_distortion:center=0.25,0.25:radius=0.4:scale=0.5", &in, 1);
    // Pixel (4, 2): x = 0.45; (1 - 0.5 0.5)^2 = 0.5625, so it reads x = 0.25 + 0.2 0.5625 = 0.3625.
    const float *p = out ? filtering_pixel(out, 4, 2, 0) : NULL;
    CHECK(p && fabsf(p[0] - 0.3625f) < 1e-6f && fabsf(p[1] - 0.25f) < 1e-6f, "reads %g, %g",
          p ? (double)p[0] : 0, p ? (double)p[1] : 0);
    lg_image_destroy(&out);
    // Pinch: 1 + 0.5 0.5 = 1.25, so 0.25 + 0.2 1.25 = 0.5.
    out = filtering_run(context, "pinch_distortion:center=0.25,0.25:radius=0.4:scale=0.5", &in, 1);
    p = out ? filtering_pixel(out, 4, 2, 0) : NULL;
    CHECK(p && fabsf(p[0] - 0.5f) < 1e-6f && fabsf(p[1] - 0.25f) < 1e-6f, "reads %g, %g",
          p ? (double)p[0] : 0, p ? (double)p[1] : 0);
    lg_image_destroy(&out);
    // Swirl: t = 1/2, so 2 angle radians, a quarter turn: (0.2, 0) becomes (0, 0.2).
    out = filtering_run(context, "swirl:center=0.25,0.25:radius=0.4:angle=0.78539816", &in, 1);
    p = out ? filtering_pixel(out, 4, 2, 0) : NULL;
    CHECK(p && fabsf(p[0] - 0.25f) < 1e-6f && fabsf(p[1] - 0.45f) < 1e-6f, "reads %g, %g",
          p ? (double)p[0] : 0, p ? (double)p[1] : 0);
    lg_image_destroy(&out);
    // Stretch: n = 2 0.2 = 0.4, t = 0.6, smoothstep 0.648, so 0.25 + 0.2 0.824.
    out = filtering_run(context, "stretch_distortion:center=0.25,0.25", &in, 1);
    p = out ? filtering_pixel(out, 4, 2, 0) : NULL;
    CHECK(p && fabsf(p[0] - 0.4148f) < 1e-6f && fabsf(p[1] - 0.25f) < 1e-6f, "reads %g, %g",
          p ? (double)p[0] : 0, p ? (double)p[1] : 0);
    lg_image_destroy(&out);
    lg_image_destroy(&in);
}

static void test_circles(void)
{
    check_circle("bulge_distortion:center=0.3,0.7:radius=0.2:scale=0.5", 0.3, 0.7, 0.2);
    check_circle("bulge_distortion:center=0.6,0.2:radius=0.3:scale=-0.5", 0.6, 0.2, 0.3);
    check_circle("pinch_distortion:center=0.3,0.7:radius=0.2:scale=0.5", 0.3, 0.7, 0.2);
    check_circle("pinch_distortion:center=0.7,0.4:radius=0.25:scale=-0.7", 0.7, 0.4, 0.25);
}

// Warps that change nothing change no bit, however large the image.
static void test_still(void)
{
    static const int sides[][2] = {{1, 1},    {3, 5},    {17, 9},   {640, 3},
                                   {4096, 2}, {2, 4099}, {30011, 1}};
    static const char *const pipelines[] = {"bulge_distortion:radius=0",
                                            "pinch_distortion:radius=0", "swirl:radius=0",
                                            "bulge_distortion:scale=0", "crop"};
    for (size_t i = 0; i < LG_COUNT(sides); i++) {
        lg_image *in = filtering_image(context, sides[i][0], sides[i][1], 1);
        filtering_noise(in);
        for (size_t k = 0; k < LG_COUNT(pipelines); k++) {
            lg_image *out = filtering_run(context, pipelines[k], &in, 1);
            char first[160] = "";
            const bool same = out && !samples_differ(out, in, first);
            CHECK(same, "%s, %d x %d: pixels change, the first at %s", pipelines[k], sides[i][0],
                  sides[i][1], first);
            lg_image_destroy(&out);
        }
        lg_image_destroy(&in);
    }
}

// ---- crop ---------------------------------------------------------------------------------------

static void check_crop(lg_image *in, int x, int y, int width, int height)
{
    char pipeline[160];
    const double w = in->shape.width, h = in->shape.height;
    snprintf(pipeline, sizeof pipeline, "crop:x=%.9g:y=%.9g:width=%.9g:height=%.9g", x / w, y / h,
             width / w, height / h);
    lg_image *out = filtering_run(context, pipeline, &in, 1);
    const int wide = LG_MAX(width, 1), high = LG_MAX(height, 1);
    const bool size = out && out->shape.width == wide && out->shape.height == high;
    CHECK(size, "%s of %g x %g: %d x %d, not %d x %d", pipeline, w, h, out ? out->shape.width : 0,
          out ? out->shape.height : 0, wide, high);
    int different = 0;
    for (int j = 0; size && j < high; j++)
        for (int i = 0; i < wide; i++)
            different += memcmp(filtering_pixel(out, i, j, 0), filtering_pixel(in, x + i, y + j, 0),
                                4 * sizeof(float)) != 0;
    CHECK(!different, "%s of %g x %g: %d pixels are not those of the image", pipeline, w, h,
          different);
    lg_image_destroy(&out);
}

static void test_crop(void)
{
    static const int sides[][2] = {{1, 1}, {7, 5}, {100, 30}, {641, 13}, {4097, 3}, {30011, 2}};
    for (size_t i = 0; i < LG_COUNT(sides); i++) {
        const int w = sides[i][0], h = sides[i][1];
        lg_image *in = filtering_image(context, w, h, 1);
        filtering_noise(in);
        for (int k = 0; k < 12; k++) {
            const int x = (int)random_below((uint32_t)w), y = (int)random_below((uint32_t)h);
            check_crop(in, x, y, (int)random_below((uint32_t)(w - x)) + 1,
                       (int)random_below((uint32_t)(h - y)) + 1);
            check_crop(in, x, y, 0, 0); // one pixel
        }
        lg_image_destroy(&in);
    }
}

// Fractions of pixels, rectangles beyond the edge, and every layer.
static void test_crop_edges(void)
{
    lg_image *in = filtering_image(context, 10, 4, 3);
    filtering_noise(in);
    lg_image *out = filtering_run(context, "crop:x=0.75:y=0.6:width=0.55:height=1", &in, 1);
    bool right = out && out->shape.width == 3 && out->shape.height == 2 && out->shape.layers == 3;
    CHECK(right, "%d x %d x %d", out ? out->shape.width : 0, out ? out->shape.height : 0,
          out ? out->shape.layers : 0);
    for (int i = 0; right && i < 18; i++)
        right = memcmp(filtering_pixel(out, i % 3, i / 3 % 2, i / 6),
                       filtering_pixel(in, 7 + i % 3, 2 + i / 3 % 2, i / 6), 16) == 0;
    CHECK(right, "the corner is another one");
    lg_image_destroy(&out);
    out = filtering_run(context, "crop:x=1:y=1:width=0:height=0", &in, 1);
    CHECK(out && memcmp(filtering_pixel(out, 0, 0, 1), filtering_pixel(in, 9, 3, 1), 16) == 0,
          "the last pixel");
    lg_image_destroy(&out);
    // One pixel picked as a key: what has its colour vanishes.
    out = filtering_run(
        context,
        "crop:x=0.35:y=0.3:width=0:height=0 #pick | #in | "
        "chroma_key:color_to_replace=@#pick.pick:threshold_sensitivity=0.01:smoothing=0",
        &in, 1);
    CHECK(out && filtering_pixel(out, 3, 1, 0)[3] == 0, "the picked pixel stays");
    lg_image_destroy(&out);
    lg_image_destroy(&in);
}

// ---- windows ------------------------------------------------------------------------------------

// Red, green and blue look at different things in every filter that looks at one of them in some port.
static void test_window_channels(void)
{
    lg_image *in = filtering_image(context, 9, 9, 1);
    for (int i = 0; i < 81; i++) {
        float *p = filtering_pixel(in, i % 9, i / 9, 0);
        p[0] = 0.5f;
        p[1] = i % 9 < 4 ? 1.0f : 0.0f; // an edge of green, falling to the right
        p[2] = i / 9 < 4 ? 0.0f : 1.0f;
        p[3] = (float)(i % 9) * 0.125f;
    }
    lg_image *out = filtering_run(context, "sobel_edge_detection", &in, 1);
    // Away from blue's edge: 4 0.7154, with no edge in red.
    CHECK(out && fabsf(filtering_pixel(out, 4, 1, 0)[0] - 2.8616f) < 1e-5f, "an edge of green");
    lg_image_destroy(&out);
    out = filtering_run(context, "threshold_edge_detection", &in, 1);
    CHECK(out && filtering_pixel(out, 4, 1, 0)[0] == 1 && filtering_pixel(out, 7, 1, 0)[0] == 0,
          "falling edges count, and alpha is no edge");
    lg_image_destroy(&out);
    out = filtering_run(context, "color_local_binary_pattern", &in, 1);
    // Right of green's edge the three pixels to the left are brighter and all others equal: 255. Left
    // of it the three to the right are darker: 255 - 1 - 64 - 128 = 62. Below blue's edge the three
    // above are darker: 255 - 1 - 2 - 4 = 248.
    const float *p = out ? filtering_pixel(out, 3, 4, 0) : NULL;
    CHECK(p && p[0] == 1 && fabsf(p[1] - 62.0f / 255) < 1e-6f && fabsf(p[2] - 248.0f / 255) < 1e-6f,
          "patterns %g %g %g", p ? (double)p[0] : 0, p ? (double)p[1] : 0, p ? (double)p[2] : 0);
    lg_image_destroy(&out);
    out = filtering_run(context, "emboss", &in, 1);
    // 1 + 2 (0 - 1) + (1 - 1) + (0 - 1) = -2 left of green's edge.
    p = out ? filtering_pixel(out, 3, 1, 0) : NULL;
    CHECK(p && p[0] == 0.5f && p[1] == -2, "a relief of %g", p ? (double)p[1] : 0);
    lg_image_destroy(&out);
    lg_image_destroy(&in);
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The median of nine for every order of ties: all images of three values.
static void test_median(void)
{
    const int count = 19683; // 3^9
    lg_image *in = filtering_image(context, 3 * count, 3, 1);
    for (int i = 0; i < count; i++)
        for (int k = 0, rest = i; k < 9; k++, rest /= 3) {
            float *p = filtering_pixel(in, 3 * i + k % 3, k / 3, 0);
            p[0] = (float)(rest % 3), p[1] = p[2] = 0, p[3] = 1;
        }
    lg_image *out = filtering_run(context, "median", &in, 1);
    int wrong = 0;
    for (int i = 0; out && i < count; i++) {
        float sorted[9];
        for (int k = 0, rest = i; k < 9; k++, rest /= 3)
            sorted[k] = (float)(rest % 3);
        qsort(sorted, 9, sizeof *sorted, compare_floats);
        wrong += filtering_pixel(out, 3 * i + 1, 1, 0)[0] != sorted[4];
    }
    CHECK(!wrong, "%d medians of %d are wrong", wrong, count);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// ---- generators ---------------------------------------------------------------------------------

static void test_crosshair(void)
{
    static const char wanted[9][12] = {"...........", "...........", "....#......",
                                       "....#......", "..#####....", "....#......",
                                       "....#.....#", "..........#", "........###"};
    lg_image *in = filtering_image(context, 11, 9, 1);
    lg_image *out = filtering_run(context, "crosshair_generator:points='0.4,0.5;1,1'", &in, 1);
    for (int y = 0; out && y < 9; y++) {
        char row[12] = "";
        for (int x = 0; x < 11; x++) {
            const float *p = filtering_pixel(out, x, y, 0);
            row[x] = p[0] == 0 && p[1] == 1 && p[3] == 1 ? '#' : p[3] == 0 && p[1] == 0 ? '.' : '?';
        }
        CHECK(strcmp(row, wanted[y]) == 0, "row %d: %s, not %s", y, row, wanted[y]);
    }
    lg_image_destroy(&out);
    out = filtering_run(context, "crosshair_generator:points=''", &in, 1);
    CHECK(out && filtering_pixel(out, 5, 4, 0)[3] == 0, "no points, no cross");
    lg_image_destroy(&out);
    lg_image_destroy(&in);
}

static void test_all(void)
{
    random_seed(17);
    test_bulge();
    test_circles();
    test_still();
    test_crop();
    test_crop_edges();
    test_window_channels();
    test_median();
    test_crosshair();
}

int main(void)
{
    context = device_open_level(LG_CPU_BEST, 2);
    test_all();
    lg_context_destroy(&context);
    if (test_wants_vulkan() && (context = device_open(NULL, NULL))) {
        test_all();
        device_close(&context);
    }
    return check_finish("filter_places");
}
