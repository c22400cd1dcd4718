// Blurs on Vulkan: the same bits as on the CPU, for every type, border, size and window.
#include "check.h"
#include "device_filter.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>

static device_pair pair;

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 70}, {231, 40}, {449, 33}};

// Bytes have kernels of their own, every type has some.
static lg_image_params some_shape(void)
{
    const int *size = sizes[random_below(LG_COUNT(sizes))];
    lg_image_params s = device_any_shape(size[0], size[1]);
    if (random_below(2)) {
        s.type = LG_U8;
        s.channels = random_below(2) ? 1 : 4;
        s.alpha = s.channels == 4 && random_below(2) ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
    }
    return s;
}

static void try(const char *text)
{
    const lg_image_params shape = some_shape();
    const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
    device_compare(&pair, text, shape, out, device_any_content(&shape));
}

static void test_box(int runs)
{
    for (int i = 0; i < runs; i++)
        try("box_blur:radius={0|1|2|3|5|7|8|15|16|31|40|63|64|65|130|300}:border={*}");
    for (int i = 0; i < runs; i++)
        try("box_blur:width={0|1|2|5|12|16|48|300}:height={1|2|3|8|32|63|128|256}:border={*}");
}

// The smallest level of a narrow image is wider than the image.
static void test_gaussian_narrow(void)
{
    for (int i = 0; i < test_extent(1, 2, 6); i++)
        device_compare(&pair, "gaussian_blur:sigma={5|10|21}:border={*}",
                       SHAPE(1 + 4 * (i % 3), 40 + 60 * i, 1, i % 2 ? 1 : 4, LG_F32, LG_ALPHA_NONE),
                       LG_F32, CONTENT_UNIT);
}

// Sizes that are powers of two leave nothing beyond the image after some passes.
static void test_box_powers(void)
{
    static const char *const texts[] = {"box_blur:width=16:height=1", "box_blur:width=1:height=256",
                                        "box_blur:width=256:height=16:border=wrap"};
    for (int i = 0; i < test_extent(2, 3, 3); i++)
        device_compare(&pair, texts[i], SHAPE(21, 9, 1, 1 + 3 * (i == 2), LG_F32, LG_ALPHA_NONE),
                       LG_F32, CONTENT_UNIT);
}

static void test_gaussian(int runs)
{
    for (int i = 0; i < runs; i++)
        try("gaussian_blur:{sigma=0|sigma=0.5|sigma=1|sigma=2|sigma=3.3|sigma=4.8|sigma=5|"
            "sigma=10|sigma=21|sigma=45|sigma=6:rule=exact|sigma=3:rule=gpuimage|"
            "sigma=2:radius=3|sigma=9:radius=40|sigma=1:texel_spacing_multiplier=3|"
            "sigma=8:texel_spacing_multiplier=2}:border={*}");
}

// In the dispatch of a blur of bytes, or behind a blur.
static void test_unsharp(int runs)
{
    // The most weights that go with the amount into one kernel, and one more.
    for (int channels = 1; channels <= 4; channels += 3)
        for (int more = 0; more < 2; more++)
            device_compare(
                &pair, more ? "unsharp_mask:sigma=4.8" : "unsharp_mask:sigma=4.6",
                SHAPE(70, 33, 1, channels, LG_U8, channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE),
                LG_U8, CONTENT_UNIT);
    for (int i = 0; i < runs; i++)
        try("unsharp_mask:{sigma=0|sigma=0.7|sigma=2|sigma=4|sigma=4.8|sigma=6|sigma=30}:"
            "intensity={0|0.3|1|1.5|7}:border={*}");
}

// In one dispatch up to sigma = 4, and in steps.
static void test_corners(int runs)
{
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair,
                       "corner_measure:method={harris|noble|shi_tomasi}:"
                       "sigma={0|0.3|1|2|4|4.1|6}:border={*}",
                       shape, random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
}

// Strips and bands of the kernels of bytes, with every number of weights.
static void test_gaussian_bytes(int runs)
{
    for (int i = 0; i < runs; i++) {
        char text[100];
        const int channels = random_below(3) ? 4 : 1, wide = (int)random_below(3);
        const int radius = 1 + (int)random_below((uint32_t)test_extent(3, 6, 15));
        snprintf(text, sizeof text, "gaussian_blur:sigma=%g:radius=%d:border={*}",
                 0.3 + 0.4 * radius, radius);
        const lg_alpha alpha = channels == 4 && random_below(3) ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
        device_compare(&pair, text,
                       SHAPE((channels == 1 ? 4 : 1) * (wide ? 190 + (int)random_below(60) : 21) +
                                 (int)random_below(4),
                             wide == 2 ? 140 : 1 + (int)random_below(20), 1, channels, LG_U8,
                             alpha),
                       random_below(3) ? LG_U8 : (lg_type)random_below(LG_TYPES),
                       random_below(4) ? CONTENT_UNIT : CONTENT_CONSTANT);
    }
}

// Large images, of which workgroups of half the size take the bands.
static void test_gaussian_large(void)
{
    for (int channels = 1; channels <= 4; channels += 3)
        device_compare(&pair, "gaussian_blur:sigma=1:border={*}",
                       SHAPE(channels == 1 ? 17 * 1008 + 3 : 17 * 250 + 3, 148, 1, channels, LG_U8,
                             channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE),
                       LG_U8, CONTENT_UNIT);
}

// Levels of bytes, up to five of them: strips and bands of every kernel.
static void test_gaussian_levels(int runs)
{
    for (int i = 0; i < runs; i++) {
        char text[100];
        const int channels = random_below(2) ? 4 : 1;
        const bool wide = random_below(3) == 0, high = !wide && random_below(2);
        const lg_alpha alpha = channels == 4 && random_below(3) ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
        snprintf(text, sizeof text, "gaussian_blur:sigma=%g:border={*}",
                 4.9 * exp2((double)random_below(400) / 100));
        device_compare(&pair, text,
                       SHAPE(wide ? 1020 + (int)random_below(60) : 1 + (int)random_below(90),
                             high ? 500 + (int)random_below(60) : 1 + (int)random_below(20),
                             1 + (int)(random_below(8) == 0), channels, LG_U8, alpha),
                       LG_U8, random_below(4) ? CONTENT_UNIT : CONTENT_CONSTANT);
    }
}

// Several strips and bands of the kernel of bytes.
static void test_box_bytes(void)
{
    static const int radii[] = {64, 63, 18, 1};
    for (size_t i = 0; i < (size_t)test_extent(1, 2, 4); i++)
        for (int channels = 1; channels <= 4; channels += 3)
            for (int border = 0; border < test_extent(1, 1, 4); border++) {
                char text[100];
                snprintf(text, sizeof text, "box_blur:radius=%d:border=%s", radii[i],
                         border_names[(border + (int)i) % 4]);
                device_compare(&pair, text,
                               SHAPE(channels == 1 ? 2101 : 1107, 75, 1, channels, LG_U8,
                                     channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE),
                               LG_U8, i == 0 ? CONTENT_CONSTANT : CONTENT_UNIT);
            }
}

// What lies beside an image is made of the nearest word in it, which may end within the image or beside it.
static void test_box_edges(void)
{
    static const int32_t extents[][2] = {{37, 9}, {40, 31}, {5, 4}, {1031, 12}};
    for (int i = 0; i < 16; i++) {
        const int channels = i & 1 ? 4 : 1;
        device_compare(&pair,
                       i & 2 ? "box_blur:radius=9:border=constant"
                             : "box_blur:radius=9:border=replicate",
                       SHAPE(extents[i / 4][0], extents[i / 4][1], 1, channels, LG_U8,
                             channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE),
                       LG_U8, CONTENT_UNIT);
    }
}

static void test(const char *without, int runs)
{
    pair.vulkan = device_open(NULL, without);
    if (pair.vulkan) {
        test_box(runs);
        test_box_bytes();
        test_box_edges();
        test_box_powers();
        test_gaussian_narrow();
        test_gaussian(runs);
        test_unsharp(LG_MIN(runs, test_extent(3, 4, 100)));
        test_corners(test_extent(1, 4, 100));
        test_gaussian_bytes(test_extent(1, 2, 100));
        if (!without)
            test_gaussian_large();
        test_gaussian_levels(test_extent(1, 2, 100));
    }
    device_close(&pair.vulkan);
}

int main(void)
{
    random_seed(61);
    pair.cpu = device_open_cpu();
    test(NULL, test_extent(1, 3, 200));
    test("byte_kernels", test_extent(1, 2, 40));
    lg_context_destroy(&pair.cpu);
    return check_finish("vulkan_blurs");
}
