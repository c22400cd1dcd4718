// The bilateral filter on Vulkan: the same bits as on the CPU, for every type, border, radius and size.
#include "check.h"
#include "device_filter.h"
#include "filter_call.h"

#include <stdio.h>

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 30}, {131, 20}, {260, 11}};
static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};

static void test_exact(const device_pair *pair)
{
    static const int radii[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 32};
    static const float spaces[] = {0.2f, 1, 3, 20}, colors[] = {0.002f, 0.05f, 0.2f, 3};
    const int runs = test_extent(4, 14, 120);
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        if (shape.channels == 2 && random_below(4) == 0)
            shape.alpha = LG_ALPHA_OPAQUE;
        int radius = radii[random_below(LG_COUNT(radii))];
        if (!test_is_full() && radius > 9)
            radius = 2;
        // Grey bytes have a kernel of their own.
        if (i % 2) {
            shape.type = LG_U8;
            shape.channels = 1;
            shape.alpha = LG_ALPHA_NONE;
        }
        char text[140];
        snprintf(text, sizeof text, "bilateral:radius=%d:sigma_space=%g:sigma_color=%g:border=%s",
                 radius, (double)spaces[random_below(4)], (double)colors[random_below(4)],
                 borders[random_below(4)]);
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(pair, text, shape, out, device_any_content(&shape));
    }
}

static void test_grid(const device_pair *pair)
{
    static const float spaces[] = {2, 2.7f, 4, 9, 25}, colors[] = {0.013f, 0.1f, 0.3f, 5};
    const int runs = test_extent(2, 6, 80);
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        if (i % 3 == 0) {
            shape.type = LG_U8;
            shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
        }
        char text[140];
        snprintf(text, sizeof text, "bilateral:method=grid:sigma_space=%g:sigma_color=%g:border=%s",
                 (double)spaces[random_below(5)], (double)colors[random_below(4)],
                 borders[random_below(4)]);
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(pair, text, shape, out, device_any_content(&shape));
    }
}

// The grid's host must know both; exact weights are made on the device.
static void test_measured(const device_pair *pair)
{
    static const char *const texts[] = {"bilateral:radius=2:sigma_color=@stddev*0.5+0.02",
                                        "bilateral:method=grid:sigma_color=@stddev*0.5+0.02",
                                        "bilateral:method=grid:sigma_space=@mean*9"};
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        device_compare(pair, texts[i], SHAPE(67, 30, 1, 1, LG_U8, LG_ALPHA_NONE), LG_U8,
                       CONTENT_UNIT);
}

int main(void)
{
    random_seed(53);
    device_pair pair = {filter_context(LG_CPU_BEST, 2), device_open(NULL, NULL)};
    if (pair.vulkan) {
        test_exact(&pair);
        test_grid(&pair);
        test_measured(&pair);
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("vulkan_bilateral");
}
