// Canny against the plain reference: identical edges for every type, border and size, spirals and
// snakes through many bands, levels and thread counts.
#include "check.h"
#include "device.h"
#include "kernel.h"

#include "filter/native/canny_edge_detection/canny.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Smooth noise with flat parts: edges of every direction and strength, and plateaus.
static void draw_noise(lg_image *image, double cell)
{
    const lg_image_params *s = &image->shape;
    static float lattice[64][64];
    for (int i = 0; i < 64 * 64; i++)
        lattice[i / 64][i % 64] = (float)random_unit();
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++) {
                const double u = x / cell, v = y / cell;
                const int i = (int)u % 63, k = (int)v % 63;
                const double fx = u - floor(u), fy = v - floor(v);
                double noise = (lattice[k][i] * (1 - fx) + lattice[k][i + 1] * fx) * (1 - fy) +
                               (lattice[k + 1][i] * (1 - fx) + lattice[k + 1][i + 1] * fx) * fy;
                noise = noise > 0.7 ? 0.9 : noise + 0.02 * random_unit();
                for (int c = 0; c < s->channels; c++)
                    sample_put(image, x, y, z, c,
                               c == 1   ? noise
                               : c == 3 ? 0.25 + 0.75 * noise
                                        : noise * noise);
            }
}

static void draw(lg_image *image)
{
    draw_noise(image, 2 + random_unit() * 20);
}

static int64_t edges;

static const kernel_case canny = {
    .filter = "canny_edge_detection",
    .params = "sigma={0|0.05|0.5|1|1.4|2|3|7.3|20}:"
              "{upper_threshold=0.4:lower_threshold=0.1|upper_threshold=0.2:lower_threshold=0.05|"
              "upper_threshold=1:lower_threshold=0.3|upper_threshold=0.1:lower_threshold=0.1|"
              "upper_threshold=0:lower_threshold=0|upper_threshold=0.05:lower_threshold=0|"
              "upper_threshold=0.8:lower_threshold=0.3|upper_threshold=10:lower_threshold=0.1}:"
              "hysteresis={full|full|full|ring}:border={*}:"
              "blur_texel_spacing_multiplier={1|1|1|1|2|5}:"
              "{texel_width=1|texel_width=1|texel_width=2|texel_width=2.75:texel_height=0.4|"
              "texel_height=1.3}",
    .reference = lg_canny_ref,
    .shapes = kernel_any_type,
    .draw = draw,
    .marks = &edges,
    .bench = "sigma=1.4"};

// Bytes, and what is larger than a tile.
static void test_larger(void)
{
    static const int sizes[][2] = {{64, 64}, {65, 33}, {127, 5}, {67, 91}, {131, 40}, {200, 120}};
    for (int run = 0; run < (test_is_short() ? 12 : 90); run++) {
        const int *size = sizes[run % (int)LG_COUNT(sizes)];
        lg_image_params shape = kernel_any_shape(size[0], size[1]);
        shape.type = random_below(2) ? LG_U8 : shape.type;
        char params[300];
        kernel_pick(params, sizeof params, canny.params);
        kernel_try(&canny, params, shape, random_below(6) ? CONTENT_UNIT : CONTENT_SPECIAL);
    }
    CHECK(edges > 1000, "there are hardly any edges in these images: %lld", (long long)edges);
}

// ---- hysteresis through many bands --------------------------------------------------------------

// A line of grey `value` along a spiral or a snake, one pixel wide.
static void plot(uint8_t *map, int w, int64_t x, int64_t y)
{
    map[y * w + x] = 1;
}

static void draw_spiral(uint8_t *map, int w, int h, int gap)
{
    int64_t x = 0, y = 0, left = 0, top = 0, right = w - 1, bottom = h - 1;
    while (right - left > 2 * gap && bottom - top > 2 * gap) {
        for (; x < right; x++)
            plot(map, w, x, y);
        for (; y < bottom; y++)
            plot(map, w, x, y);
        left += gap;
        for (; x > left; x--)
            plot(map, w, x, y);
        top += gap;
        for (; y > top; y--)
            plot(map, w, x, y);
        right -= gap;
        bottom -= gap;
    }
}

// Up and down through all rows, or back and forth.
static void draw_snake(uint8_t *map, int w, int h, int gap, bool upright)
{
    const int across = upright ? w : h, along = upright ? h : w;
    for (int64_t a = 0; a < across; a++)
        for (int64_t b = 0; b < along; b++) {
            const bool turn = a / gap % 2 ? b == 0 : b == along - 1;
            if (a % gap == 0 || turn)
                plot(map, w, upright ? a : b, upright ? b : a);
        }
}

static void flood_plainly(uint8_t *strong, const uint8_t *weak, int w, int h)
{
    for (bool more = true; more;) {
        more = false;
        for (int turn = 0; turn < 2; turn++)
            for (int64_t k = 0; k < (int64_t)w * h; k++) {
                const int64_t i = turn ? (int64_t)w * h - 1 - k : k;
                if (!weak[i] || strong[i])
                    continue;
                for (int64_t n = 0; n < 9 && !strong[i]; n++) {
                    const int64_t x = i % w + n % 3 - 1, y = i / w + n / 3 - 1;
                    if (x >= 0 && y >= 0 && x < w && y < h && strong[y * w + x])
                        strong[i] = more = true;
                }
            }
    }
}

static void test_flood(const char *what, const uint8_t *weak, const uint8_t *seeds, int w, int h,
                       int bands)
{
    const size_t words = ((size_t)w + 63) / 64, count = words * (size_t)h;
    uint8_t *want = malloc((size_t)w * (size_t)h);
    memcpy(want, seeds, (size_t)w * (size_t)h);
    flood_plainly(want, weak, w, h);
    lg_hysteresis t = {.strong = calloc(count, 8),
                       .weak = calloc(count, 8),
                       .words = words,
                       .stack = calloc(count, sizeof *t.stack),
                       .queued = calloc(count, 1)};
    int32_t starts[64] = {0};
    int64_t wrong = 0, reached = 0;
    for (int64_t i = 0; i < (int64_t)w * h; i++) {
        const size_t word = (size_t)(i / w) * words + (size_t)(i % w) / 64;
        t.weak[word] |= (uint64_t)weak[i] << (i % w % 64);
        t.strong[word] |= (uint64_t)seeds[i] << (i % w % 64);
    }
    for (int i = 0; i <= bands; i++)
        starts[i] = (int32_t)((int64_t)i * h / bands);
    for (int i = 0; i < bands; i++)
        lg_hysteresis_band(&t, starts[i], starts[i + 1]);
    lg_hysteresis_join(&t, h, starts, bands);
    for (int64_t i = 0; i < (int64_t)w * h; i++) {
        const uint64_t word = t.strong[(size_t)(i / w) * words + (size_t)(i % w) / 64];
        wrong += (word >> (i % w % 64) & 1) != want[i];
        reached += want[i];
    }
    CHECK(wrong == 0, "%s, %d x %d, %d bands: %lld of %lld pixels", what, w, h, bands,
          (long long)wrong, (long long)reached);
    for (size_t i = 0; i < count; i++)
        wrong += t.queued[i];
    CHECK(wrong == 0, "%s: words are still queued", what);
    free(want);
    free(t.strong);
    free(t.weak);
    free(t.stack);
    free(t.queued);
}

static void test_hysteresis(void)
{
    static const int sizes[][2] = {{300, 200}, {129, 333}, {64, 64}, {63, 50}, {1, 90}, {90, 1}};
    for (size_t k = 0; k < LG_COUNT(sizes); k++) {
        const int w = sizes[k][0], h = sizes[k][1];
        const size_t count = (size_t)w * (size_t)h;
        uint8_t *weak = malloc(count), *seeds = malloc(count);
        for (int shape = 0; shape < 7; shape++) {
            static const char *const names[] = {"spiral", "upright snake", "lying snake", "noise",
                                                "sparse", "dense",         "solid"};
            memset(weak, 0, count);
            memset(seeds, 0, count);
            if (shape == 0)
                draw_spiral(weak, w, h, 2);
            else if (shape < 3)
                draw_snake(weak, w, h, 2, shape == 1);
            for (size_t i = 0; i < count && shape >= 3; i++)
                weak[i] = random_below(100) < (shape == 3   ? 40u
                                               : shape == 4 ? 15u
                                               : shape == 5 ? 70u
                                                            : 100u);
            size_t first = 0;
            while (first + 1 < count && !weak[first])
                first++;
            weak[first] = seeds[first] = 1;
            for (size_t i = 0; i < count && shape >= 3 && shape < 6; i++)
                seeds[i] = weak[i] && random_below(200) == 0;
            for (int bands = 1; bands <= LG_MIN(h, 12); bands += 1 + bands / 2)
                test_flood(names[shape], weak, seeds, w, h, bands);
        }
        free(weak);
        free(seeds);
    }
}

// The same through the filter: a bright winding line that is weak everywhere but at one place.
static void test_winding_lines(void)
{
    enum { W = 701, H = 520 };
    lg_image *in = kernel_zeros(SHAPE(W, H, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(in->shape);
    uint8_t *map = malloc((size_t)W * H);
    for (int shape = 0; shape < 3; shape++) {
        memset(map, 0, (size_t)W * H);
        if (shape == 0)
            draw_spiral(map, W, H, 8);
        else
            draw_snake(map, W, H, 8, shape == 1);
        // Where the line begins it is bright, and fades.
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                ((uint8_t *)in->data)[(size_t)y * in->shape.row_stride + (size_t)x] =
                    (uint8_t)(map[y * W + x] ? LG_MAX(60, 255 - 2 * (x + y)) : 40);
        const char *params = "sigma=0:upper_threshold=0.9:lower_threshold=0.1";
        lg_image *want = kernel_compare(&canny, params, in, NULL, in->shape);
        const int64_t reached = want ? samples_count_marks(want) : 0;
        CHECK(reached > 5000, "shape %d: only %lld edges were reached", shape, (long long)reached);
        lg_image_destroy(&want);
        kernel_run(kernel_best_context(), "canny_edge_detection",
                   "sigma=0:upper_threshold=0.9:lower_threshold=0.1:hysteresis=ring", in, NULL,
                   out);
        CHECK(samples_count_marks(out) < reached / 10, "one ring reached as many");
    }
    free(map);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// ---- what it should do --------------------------------------------------------------------------

// A step between two columns gives one thin line, whatever the blur.
static void test_step(void)
{
    lg_context *context = kernel_best_context();
    lg_image *in = kernel_zeros(SHAPE(40, 30, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(in->shape);
    for (int y = 0; y < 30; y++)
        memset((uint8_t *)in->data + (size_t)y * in->shape.row_stride + 20, 200, 20);
    static const char *const params[] = {"sigma=0", "sigma=1", "blur_radius=2", NULL};
    for (int i = 0; i < 4; i++) {
        kernel_run(context, "canny_edge_detection", params[i], in, NULL, out);
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 40; x++)
                CHECK(sample_get(out, x, y, 0, 0) == (x == 19),
                      "%s: pixel %d, %d of a step between columns 19 and 20",
                      params[i] ? params[i] : "defaults", x, y);
    }
    // Magnitudes are of luminance in 0..1: this step has 4 * 200 / 255 = 3.137.
    kernel_run(context, "canny_edge_detection", "sigma=0:upper_threshold=3.137", in, NULL, out);
    CHECK(samples_count_marks(out) == 30, "below the magnitude: %lld",
          (long long)samples_count_marks(out));
    kernel_run(context, "canny_edge_detection", "sigma=0:upper_threshold=3.138", in, NULL, out);
    CHECK(samples_count_marks(out) == 0, "above the magnitude: %lld",
          (long long)samples_count_marks(out));
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Many bands and tiles.
static void test_levels(void)
{
    for (int t = 0; t < LG_TYPES; t++)
        for (int c = 1; c <= 4; c *= 4)
            for (int ring = 0; ring < 2; ring++) {
                lg_image *in = kernel_zeros(
                    SHAPE(801, 403, 1, c, t, c == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE));
                draw_noise(in, 9);
                lg_image *want = kernel_compare(
                    &(const kernel_case){.filter = "canny_edge_detection"},
                    ring ? "sigma=1.4:hysteresis=ring" : "sigma=1.4", in, NULL, in->shape);
                lg_image_destroy(&want);
                lg_image_destroy(&in);
            }
}

static void test_more(void)
{
    test_larger();
    test_step();
    test_winding_lines();
    test_hysteresis();
    test_levels();
}

int main(void)
{
    return kernel_main("canny", &canny, 1, test_more);
}
