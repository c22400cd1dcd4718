// Filters that move or resample pixels, on Vulkan: the same bits as on the CPU.
#include "check.h"
#include "device_filter.h"

#include <stdio.h>

static device_pair pair;

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 70}, {231, 40}, {259, 33}};

#define RESIZE(size)                                                                               \
    "resize:" size ":method={nearest|bilinear|bicubic|lanczos3|area}:antialias={0|1|1}"            \
    ":light={stored|stored|linear}"

#define RESIZE_TWICE "resize:scale={0.5|0.5|2}:method={bilinear|area}:antialias={1|1|0}"

// What makes an image of another size, or of the same.
static const char *const texts[] = {
    "flip:direction={horizontal|vertical|both}",
    "transpose:diagonal={main|anti}",
    "rotate:angle={90|180|270}",
    "pad:left={0|1|17}:right={0|5}:top={0|3}:bottom={0|40}:border={*}",
    "pad:width={300|512}:height={100|333}:color={0.2,0.4,0.6,0.8|1,0.5,0}",
    "canvas:width={0|1|7|300|530}:height={0|1|9|200}:outside={transparent|tile}",
    "transform:matrix={1,0,0,0,1,0,0,0,1|0.8,-0.6,3,0.6,0.8,2,0,0,1|1.1,0.2,0,0.1,0.9,5,0.003,0."
    "001,1}"
    ":size={same|fit}:border={*}",
    RESIZE("scale={0.1|0.37|0.5|1|2|3.3}"),
    RESIZE("width={1|7|100|300}:height={1|50|70}:fit={stretch|inside|cover}"),
};

static void compare_any(const char *text, const int size[2])
{
    const lg_image_params shape = device_any_shape(size[0], size[1]);
    const lg_type out = random_below(3) ? shape.type : (lg_type)random_below(LG_TYPES);
    device_compare(&pair, text, shape, out, device_any_content(&shape));
}

static void test_all(int runs)
{
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        for (int k = 0; k < runs; k++)
            compare_any(texts[i], sizes[random_below(LG_COUNT(sizes))]);
}

// Rectangles that begin in the image, and may end outside.
static void test_crops(int runs)
{
    for (int k = 0; k < runs; k++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        char text[120];
        snprintf(text, sizeof text,
                 "crop:unit=px:x=%d:y=%d:width={1|7|100}:height={1|30}:centered={0|1}",
                 (int)random_below((uint32_t)size[0]), (int)random_below((uint32_t)size[1]));
        compare_any(text, size);
    }
}

// Bytes without alpha are integers all the way. Means of 2 x 2 have a short cut on the CPU.
static void test_resized_bytes(int runs)
{
    for (int channels = 1; channels <= 4; channels += 3)
        device_compare(
            &pair, "resize:scale=0.5:method=area",
            SHAPE(540, 14, 1, channels, LG_U8, channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE),
            LG_U8, CONTENT_UNIT);
    static const char *const ways[] = {
        RESIZE("scale={0.1|0.37|0.5|1|2|3.3}"),
        RESIZE("width={1|7|100|300}:height={1|50|70}:fit={stretch|inside|cover}")};
    for (int k = 0; k < runs; k++) {
        static const int channels[] = {1, 2, 4, 4};
        static const lg_alpha alphas[] = {LG_ALPHA_NONE, LG_ALPHA_NONE, LG_ALPHA_NONE,
                                          LG_ALPHA_OPAQUE};
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        device_compare(&pair, ways[k / 4 % 2],
                       SHAPE(size[0], size[1], 1 + (int)random_below(2), channels[k % 4], LG_U8,
                             alphas[k % 4]),
                       LG_U8, CONTENT_UNIT);
    }
}

// Rows that become columns: tiles of 32 words.
static void test_turned(int runs)
{
    static const int sides[] = {1, 3, 4, 31, 33, 64, 66, 127, 130, 259};
    for (int k = 0; k < runs; k++) {
        const int channels = k % 3 == 2 ? 4 : 1 + k % 3;
        const lg_type type = channels < 4 && k & 1 ? LG_U16 : LG_U8;
        device_compare(
            &pair, k & 4 ? "transpose:diagonal={main|anti}" : "rotate:angle={90|270|270}",
            SHAPE(sides[random_below(LG_COUNT(sides))], sides[random_below(LG_COUNT(sides))],
                  1 + k % 2, channels, type, channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE),
            type, CONTENT_UNIT);
    }
}

// Half and twice the size: kernels of their own, with two rows and 4 or 16 pixels a thread.
static void test_scaled_bytes(int runs)
{
    static const int sides[] = {2, 4, 6, 8, 14, 16, 30, 32, 34, 62, 64, 66, 126, 130, 1026};
    for (int k = 0; k < runs; k++) {
        const int width = sides[random_below(LG_COUNT(sides))];
        const int height = k % 5 ? sides[random_below(LG_COUNT(sides) - 1)] : 2 * (k % 7) + 2;
        const bool color = k & 1;
        device_compare(&pair, RESIZE_TWICE,
                       SHAPE(width, height, 1 + k % 3, color ? 4 : 1, LG_U8,
                             color ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE),
                       LG_U8, k % 4 < 3 ? CONTENT_UNIT : CONTENT_CONSTANT);
    }
}

// Half the size by many weights: tiles of 4 and 6 rows in strips of 56 and 240 columns, and images that
// are all edge.
static void test_halved_bytes(void)
{
    static const int sides[][2] = {{40, 98}, {242, 60}, {498, 44}, {12, 12}, {26, 40}, {8, 130}};
    static const char *const ways[] = {"lanczos3", "bicubic", "lanczos3:antialias=0",
                                       "bicubic:antialias=0"};
    for (int k = 0; k < 2 * (int)LG_COUNT(sides); k++)
        for (int way = 0; way < (int)LG_COUNT(ways); way++) {
            char text[80];
            if (test_is_short() && way != (k / 2 + 2 * (k % 2)) % (int)LG_COUNT(ways))
                continue;
            snprintf(text, sizeof text, "resize:scale=0.5:method=%s", ways[way]);
            const lg_alpha alpha = k % 2 && k % 4 == 3 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
            const int *side = sides[k / 2];
            device_compare(&pair, text,
                           SHAPE(side[0], side[1], 1 + way % 2, k % 2 ? 4 : 1, LG_U8, alpha), LG_U8,
                           CONTENT_UNIT);
        }
}

int main(void)
{
    random_seed(5);
    if (!test_wants_vulkan()) {
        check_skip("geometry on Vulkan");
        return check_finish("vulkan_geometry");
    }
    pair = (device_pair){device_open_cpu(), device_open(NULL, NULL)};
    if (pair.cpu && pair.vulkan) {
        test_all(test_extent(2, 6, 60));
        test_crops(test_extent(2, 6, 60));
        test_resized_bytes(test_extent(8, 24, 200));
        test_halved_bytes();
        test_turned(test_extent(24, 60, 400));
        test_scaled_bytes(test_extent(24, 60, 400));
        device_one_submission(&pair, "rotate | pad:left=5:border=mirror | transpose | flip",
                              SHAPE(67, 50, 2, 4, LG_U8, LG_ALPHA_STRAIGHT));
    }
    lg_context_destroy(&pair.cpu);
    device_close(&pair.vulkan);
    return check_finish("vulkan_geometry");
}
