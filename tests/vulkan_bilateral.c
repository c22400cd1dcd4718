// The bilateral filter on Vulkan: the same bits as on the CPU, for every type, border, radius and size.
#include "check.h"
#include "device_filter.h"

#include <stdio.h>

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 30}, {131, 20}, {260, 11}};

static void test_exact(const device_pair *pair)
{
    // Wide windows take long in software.
    const char *const text =
        test_is_full() ? "bilateral:radius={0|1|2|3|4|5|6|7|9|13|32}:sigma_space={0.2|1|3|20}:"
                         "sigma_color={0.002|0.05|0.2|3}:border={*}"
                       : "bilateral:radius={0|1|2|2|2|3|4|5|6|7|9}:sigma_space={0.2|1|3|20}:"
                         "sigma_color={0.002|0.05|0.2|3}:border={*}";
    const int runs = test_extent(4, 14, 120);
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        if (shape.channels == 2 && random_below(4) == 0)
            shape.alpha = LG_ALPHA_OPAQUE;
        // Grey bytes have a kernel of their own.
        if (i % 2) {
            shape.type = LG_U8;
            shape.channels = 1;
            shape.alpha = LG_ALPHA_NONE;
        }
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(pair, text, shape, out, device_any_content(&shape));
    }
}

static void test_grid(const device_pair *pair)
{
    static const char text[] = "bilateral_grid:sigma_space={2|2.7|4|9|25}:"
                               "sigma_color={0.013|0.1|0.3|5}:border={*}";
    const int runs = test_extent(2, 6, 80);
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        if (i % 3 == 0) {
            shape.type = LG_U8;
            shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
        }
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(pair, text, shape, out, device_any_content(&shape));
    }
}

// The grid's host must know both; exact weights are made on the device.
static void test_measured(const device_pair *pair)
{
    static const char *const texts[] = {"bilateral:radius=2:sigma_color=@stddev*0.5+0.02",
                                        "bilateral:method=grid:sigma_color=@stddev*0.5+0.02",
                                        "bilateral_grid:sigma_space=@mean*9"};
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        device_compare(pair, texts[i], SHAPE(67, 30, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8,
                       CONTENT_UNIT);
}

int main(void)
{
    random_seed(53);
    device_pair pair = {device_open_threads(2), device_open(NULL, NULL)};
    if (pair.vulkan) {
        test_exact(&pair);
        test_grid(&pair);
        test_measured(&pair);
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("vulkan_bilateral");
}
