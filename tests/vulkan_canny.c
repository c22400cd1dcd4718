// Canny's edges on Vulkan: the same pixels as on the CPU, and hysteresis against a plain flood fill.
#include "check.h"
#include "device_filter.h"
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *cpu, *vulkan;

// Compares both devices; returns the number of edges. `draw` fills an image.
static int64_t compare(const char *text, lg_image_params shape, lg_type out_type,
                       void (*draw)(lg_image *image))
{
    lg_image *in[2], *out[2];
    lg_context *const contexts[2] = {cpu, vulkan};
    const uint64_t seed = random_u64();
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        in[i] = image_zeros(contexts[i], shape);
        draw(in[i]);
        out[i] = device_run(contexts[i], text, in[i], NULL, out_type);
    }
    const int64_t edges = out[0] ? samples_count_marks(out[0]) : 0;
    if (out[0] && out[1])
        CHECK(samples_equal(out[0], out[1]),
              "%s of %d x %d x %d, %d channels of %s, alpha %d, to %s: %lld and %lld edges", text,
              shape.width, shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              (int)shape.alpha, lg_type_name(out_type), (long long)samples_count_marks(out[1]),
              (long long)edges);
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
    }
    return edges;
}

// ---- any image ----------------------------------------------------------------------------------

// Smooth waves with noise and flat parts: edges of all directions and strengths, and plateaus.
static void draw_waves(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const double length = 1 + 12 * random_unit(), angle = 6 * random_unit(), noise = random_unit();
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++) {
                const double u = (x * cos(angle) + y * sin(angle)) / length;
                const double v = (y * cos(angle) - x * sin(angle)) / length / 1.7;
                double w = 0.5 + 0.3 * sin(u + sin(v)) + 0.2 * cos(v + z);
                w = w > 0.8 ? 0.8 : w * (1 - 0.3 * noise) + 0.3 * noise * random_unit();
                for (int c = 0; c < s->channels; c++)
                    sample_put(image, x, y, z, c, c == 1 ? w : c == 3 ? 0.25 + 0.75 * w : w * w);
            }
}

static void draw_noise(lg_image *image)
{
    content_fill(image, CONTENT_UNIT);
}

static void draw_signed(lg_image *image)
{
    content_fill(image, CONTENT_SIGNED);
}

static void test_images(int runs)
{
    static const int sizes[][2] = {{1, 1},    {1, 40},   {131, 1},  {2, 2},   {5, 67},   {124, 32},
                                   {125, 33}, {123, 31}, {128, 64}, {129, 3}, {250, 65}, {420, 97}};
    // The largest take the way step by step.
    static const float sigmas[] = {2, 0, 1, 0.05f, 2.4f, 1.4f, 7.3f, 20};
    static const float thresholds[][2] = {{0.4f, 0.1f}, {0.2f, 0.05f}, {1, 0.3f},    {0.1f, 0.1f},
                                          {0, 0},       {0.05f, 0},    {0.8f, 0.3f}, {10, 0.1f}};
    const int kinds = test_is_full() ? 8 : 2;
    int64_t edges = 0;
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_type type = random_below(3) ? LG_U8 : (lg_type)random_below(LG_TYPES);
        lg_image_params shape = kernel_any_shape(size[0], size[1]);
        shape.type = type;
        const float *t = thresholds[random_below(LG_COUNT(thresholds))];
        const float sigma =
            i % 8 ? sigmas[random_below((unsigned)kinds)] : sigmas[random_below(LG_COUNT(sigmas))];
        static const char *const apart[] = {"", "", ":texel_width=1.7:texel_height=2.2",
                                            ":texel_width=3", ":texel_height=0.6"};
        char text[240];
        snprintf(text, sizeof text,
                 "canny_edge_detection:sigma=%g:upper_threshold=%g:lower_threshold=%g:"
                 "hysteresis=%s:border=%s:blur_texel_spacing_multiplier=%d%s",
                 sigma, t[0], t[1], random_below(4) ? "full" : "ring",
                 border_names[random_below(4)], random_below(4) ? 1 : 3,
                 apart[i % (int)LG_COUNT(apart)]);
        const bool floats = type == LG_F16 || type == LG_F32;
        void (*draw)(lg_image *) = random_below(4)                                   ? draw_waves
                                   : floats && shape.alpha != LG_ALPHA_PREMULTIPLIED ? draw_signed
                                                                                     : draw_noise;
        edges +=
            compare(text, shape, random_below(3) ? type : (lg_type)random_below(LG_TYPES), draw);
    }
    CHECK(edges > 20 * runs, "there are hardly any edges in these images: %lld", (long long)edges);
}

// A step between two columns, whose squared magnitude is 32640^2: 4 in units of luminance.
static void draw_step(lg_image *image)
{
    for (int32_t y = 0; y < image->shape.height; y++)
        for (int32_t x = 20; x < image->shape.width; x++)
            sample_put(image, x, y, 0, 0, 1);
}

static void test_thresholds(void)
{
    static const struct {
        const char *upper, *lower;
        int64_t edges;
    } cases[] = {{"4", "4", 30},
                 {"4.0000005", "1", 0},
                 {"3.9999998", "3.9999998", 30},
                 {"4", "3.9999998", 30},
                 {"1e-30", "0", 30},
                 {"0", "0", 30},
                 {"10", "0", 0},
                 {"4.0000005", "4.0000005", 0},
                 {"1e-40", "1e-40", 30}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        char text[120];
        snprintf(text, sizeof text,
                 "canny_edge_detection:sigma=0:upper_threshold=%s:lower_threshold=%s",
                 cases[i].upper, cases[i].lower);
        const int64_t edges =
            compare(text, SHAPE(40, 30, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8, draw_step);
        CHECK(edges == cases[i].edges, "%s: %lld edges", text, (long long)edges);
    }
    compare("canny_edge_detection:sigma=1:upper_threshold=@otsu:lower_threshold=@p10",
            SHAPE(200, 90, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8, draw_waves);
    // Measured limits may be the wrong way round: the lower one then counts as equal.
    compare("canny_edge_detection:sigma=1:upper_threshold=@p10:lower_threshold=@otsu",
            SHAPE(200, 90, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8, draw_waves);
}

// ---- hysteresis ---------------------------------------------------------------------------------

enum { W = 293, H = 197, GAP = 6 };

static uint8_t map[H][W]; // what is drawn: 0 or a grey level

static void plot(int x, int y)
{
    // Bright at the first corner, then fading: strong only there.
    if (x >= 0 && y >= 0 && x < W && y < H)
        map[y][x] = (uint8_t)LG_MAX(60, 255 - 4 * (x + y));
}

static void plot_spiral(void)
{
    int x = 0, y = 0, left = 0, top = 0, right = W - 1, bottom = H - 1;
    while (right - left > 2 * GAP && bottom - top > 2 * GAP) {
        for (; x < right; x++)
            plot(x, y);
        for (; y < bottom; y++)
            plot(x, y);
        left += GAP;
        for (; x > left; x--)
            plot(x, y);
        top += GAP;
        for (; y > top; y--)
            plot(x, y);
        right -= GAP;
        bottom -= GAP;
    }
}

// A spine with teeth; or back and forth through all of them.
static void plot_comb(bool upright, bool snake)
{
    const int across = upright ? W : H, along = upright ? H : W;
    for (int a = 0; a < across; a++)
        for (int b = 0; b < along; b++) {
            const bool end = snake && a / GAP % 2 ? b == 0 : b == along - 1;
            if (a % GAP == 0 || end)
                plot(upright ? a : b, upright ? b : a);
        }
}

// Lines through the corners of tiles, at both slopes.
static void plot_diagonals(void)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            if ((x + y) % 96 == 95 || (x - y + 960) % 96 == 0)
                plot(x, y);
}

static int shape_index;

static void draw_map(lg_image *image)
{
    memset(map, 0, sizeof map);
    if (shape_index == 0)
        plot_spiral();
    else if (shape_index <= 4)
        plot_comb(shape_index % 2, shape_index > 2);
    else if (shape_index == 5)
        plot_diagonals();
    else // noise of several densities and grains
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const unsigned density = shape_index == 6 ? 3 : shape_index == 7 ? 12 : 45;
                map[y][x] = random_below(100) < density
                                ? (uint8_t)(random_below(3) ? 40 + random_below(40) : 255)
                                : 0;
            }
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            sample_put(image, x, y, 0, 0, (map[y][x] + 0.5) / 255);
}

// With equal thresholds there is no hysteresis: that gives weak and strong pixels.
static void test_flood(const char *name)
{
    static uint8_t weak[H][W], edges[H][W];
    static int stack[H * W];
    static const char *const lower = "0.1", *const upper = "1.6";
    const char *const thresholds[3][2] = {{lower, lower}, {upper, upper}, {lower, upper}};
    const lg_image_params shape = SHAPE(W, H, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = image_zeros(vulkan, shape), *out[3];
    draw_map(in);
    for (int i = 0; i < 3; i++) {
        char text[120];
        snprintf(text, sizeof text,
                 "canny_edge_detection:sigma=0:lower_threshold=%s:upper_threshold=%s",
                 thresholds[i][0], thresholds[i][1]);
        out[i] = device_run(vulkan, text, in, NULL, LG_U8);
    }
    int count = 0, reached = 0, wrong = 0, seeds = 0;
    for (int i = 0; i < W * H; i++) {
        weak[i / W][i % W] = sample_get(out[0], i % W, i / W, 0, 0) > 0;
        edges[i / W][i % W] = sample_get(out[1], i % W, i / W, 0, 0) > 0;
        if (edges[i / W][i % W])
            stack[count++] = i;
    }
    seeds = count;
    while (count) {
        const int i = stack[--count], x = i % W, y = i / W;
        for (int v = LG_MAX(y - 1, 0); v <= LG_MIN(y + 1, H - 1); v++)
            for (int u = LG_MAX(x - 1, 0); u <= LG_MIN(x + 1, W - 1); u++)
                if (weak[v][u] && !edges[v][u]) {
                    edges[v][u] = 1;
                    stack[count++] = v * W + u;
                }
    }
    for (int i = 0; i < W * H; i++) {
        reached += edges[i / W][i % W];
        wrong += edges[i / W][i % W] != (sample_get(out[2], i % W, i / W, 0, 0) > 0);
    }
    CHECK(wrong == 0, "%s: %d wrong pixels, %d edges from %d strong ones", name, wrong, reached,
          seeds);
    CHECK(seeds > 0 && reached > seeds + seeds / 5, "%s: %d edges from %d strong ones", name,
          reached, seeds);
    for (int i = 0; i < 3; i++)
        lg_image_destroy(&out[i]);
    lg_image_destroy(&in);
}

static void test_hysteresis(void)
{
    static const char *const names[] = {"spiral",        "upright comb", "lying comb",
                                        "upright snake", "lying snake",  "diagonals",
                                        "thin noise",    "noise",        "dense noise"};
    for (shape_index = 0; shape_index < (int)LG_COUNT(names); shape_index++) {
        test_flood(names[shape_index]);
        compare("canny_edge_detection:sigma=0:lower_threshold=0.1:upper_threshold=1.6",
                SHAPE(W, H, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8, draw_map);
    }
}

int main(void)
{
    random_seed(53);
    cpu = device_open_threads(2);
    vulkan = device_open(NULL, NULL);
    if (vulkan) {
        test_thresholds();
        test_hysteresis();
        test_images(test_extent(4, 12, 1500));
    }
    device_close(&vulkan);
    vulkan = device_open(NULL, "byte_kernels");
    if (vulkan)
        test_images(test_extent(4, 8, 200));
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("vulkan_canny");
}
