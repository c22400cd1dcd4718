// Native filters on Vulkan: the same bits as on the CPU, for every type, border and size.
#include "check.h"
#include "device_filter.h"
#include "kernel.h"
#include "samples.h"

#include <stdio.h>
#include <string.h>

static device_pair pair;

static const int sizes[][2] = {{1, 1},  {1, 23},  {37, 1},   {2, 2},   {13, 11},
                               {64, 9}, {67, 70}, {231, 40}, {259, 33}};

// ---- morphology ---------------------------------------------------------------------------------

enum { ALL_CASES = 12 };

// Every form of the kernels of bytes, several strips of each; and bytes that they leave to the others.
static void test_morphology_of_bytes(int count)
{
    static const struct {
        const char *text;
        int channels;
        lg_alpha alpha;
    } cases[ALL_CASES] = {{"dilation:radius=1:border=wrap", 1, LG_ALPHA_NONE},
                          {"rgb_dilation:radius=5:border=wrap", 4, LG_ALPHA_STRAIGHT},
                          {"opening:radius=9:border=replicate", 4, LG_ALPHA_OPAQUE},
                          {"rgb_erosion:radius=12:border=mirror", 4, LG_ALPHA_OPAQUE},
                          {"closing:radius=17:border=constant", 1, LG_ALPHA_NONE},
                          {"erosion:radius=2", 2, LG_ALPHA_STRAIGHT},
                          {"erosion:radius=2", 2, LG_ALPHA_PREMULTIPLIED},
                          {"erosion:radius=2", 4, LG_ALPHA_PREMULTIPLIED},
                          {"erosion:radius=3:border=constant", 4, LG_ALPHA_STRAIGHT},
                          {"dilation:radius=16:border=wrap", 4, LG_ALPHA_OPAQUE},
                          {"rgb_closing:radius=2:border=constant", 4, LG_ALPHA_STRAIGHT},
                          {"rgb_opening:radius=8:border=mirror", 1, LG_ALPHA_NONE}};
    for (int i = 0; i < count; i++)
        device_compare(&pair, cases[i].text,
                       SHAPE(301, 70, 2, cases[i].channels, LG_U8, cases[i].alpha), LG_U8,
                       CONTENT_UNIT);
}

static void test_morphology(int runs)
{
    static const char text[] = "{||rgb_}{dilation|erosion|opening|closing}:"
                               "radius={0|1|2|3|5|15|16|17|300}:border={*}";
    static const char windows[] = "{||rgb_}{dilation|erosion|opening|closing}:"
                                  "width={0|1|2|3|16|38|300}:height={1|2|4|17|66}:border={*}";
    for (int run_index = 0; run_index < runs; run_index++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        // Bytes have kernels of their own.
        if (random_below(2)) {
            shape.type = LG_U8;
            shape.channels = random_below(2) ? 1 : 4;
            shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
        }
        const lg_type out = random_below(4) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(&pair, run_index % 2 ? windows : text, shape, out,
                       device_any_content(&shape));
    }
    device_compare(&pair, "dilation:radius=2 | rgb_erosion:radius=3",
                   SHAPE(67, 50, 2, 4, LG_U8, LG_ALPHA_STRAIGHT), LG_U8, CONTENT_UNIT);
    // Large images have wider strips.
    if (test_is_full())
        device_compare(&pair, "dilation:radius=15", SHAPE(8200, 8193, 1, 1, LG_U8, LG_ALPHA_NONE),
                       LG_U8, CONTENT_UNIT);
}

// ---- the others ---------------------------------------------------------------------------------

static void test_fast_corners(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        // Wide enough for corners, and for some on both sides of the edges of tiles.
        const lg_image_params shape =
            device_any_shape(7 + (int)random_below(150), 7 + (int)random_below(40));
        static const char text[] =
            "fast_corner_detection:threshold={0|0.015625|0.0625|0.125|0.2|0.296875}:"
            "non_maximum_suppression={0|1}:output={score|corners}";
        const lg_type out = random_below(2) ? shape.type : (lg_type)random_below(LG_TYPES);
        device_compare(&pair, text, shape, out, device_any_content(&shape));
    }
}

static void test_color_packing(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair, "color_packing", shape, (lg_type)random_below(LG_TYPES),
                       device_any_content(&shape));
    }
}

static void test_color_fast(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair, "colour_fast_sampling:border={*}", shape,
                       (lg_type)random_below(LG_TYPES), device_any_content(&shape));
    }
}

static void test_bilateral_pass(void)
{
    for (int i = 0; i < test_extent(2, 5, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        static const char text[] =
            "bilateral_pass:direction={columns|rows}:texel_spacing_multiplier={1|4|64}:"
            "distance_normalization_factor={0|0.7|8}:border={*}";
        device_compare(&pair, text, shape, random_below(2) ? shape.type : LG_F32, CONTENT_UNIT);
    }
    // Red and green without alpha: what lies outside is as opaque as the pixels are.
    device_compare(&pair,
                   "bilateral_pass:texel_spacing_multiplier=4:distance_normalization_factor=0.7:"
                   "border=constant",
                   SHAPE(9, 5, 1, 2, LG_F32, LG_ALPHA_NONE), LG_F32, CONTENT_UNIT);
}

static void test_kuwahara(void)
{
    for (int i = 0; i < test_extent(1, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair, "kuwahara:radius={0|1|2|3|3|7|40}:border={*}", shape,
                       random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
}

// Histograms in shared memory and in scratch memory, digits of other samples.
static void test_wide_median(void)
{
    static const char *const texts[] = {"wide_median:radius={0|1|2|3|7|20}:border={*}",
                                        "wide_median:radius={2|45|127}:border={*}"};
    for (int i = 0; i < test_extent(2, 5, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        const bool bytes = i % 2 || random_below(2);
        shape.type = bytes ? LG_U8 : shape.type;
        if (bytes && shape.alpha == LG_ALPHA_PREMULTIPLIED)
            shape.alpha = LG_ALPHA_STRAIGHT;
        device_compare(&pair, texts[bytes && i % 4 == 1], shape,
                       random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
    // Histograms in scratch memory, with so little work that software does not end the loops.
    device_compare(&pair, "wide_median:radius={45|127}:border={*}",
                   SHAPE(40, 12, 2, 1, LG_U8, LG_ALPHA_NONE), LG_U8, CONTENT_UNIT);
    device_compare(&pair, "wide_median:radius={45|127}:border={*}",
                   SHAPE(40, 6, 1, 4, LG_U8, LG_ALPHA_OPAQUE), LG_F32, CONTENT_UNIT);
    device_compare(&pair, "median:radius=2 | median | median:radius=3",
                   SHAPE(67, 50, 2, 4, LG_U8, LG_ALPHA_STRAIGHT), LG_U8, CONTENT_UNIT);
}

static void test_hough(void)
{
    for (int i = 0; i < test_extent(1, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair,
                       "luminance_threshold:threshold={0.5|0.9|1} | "
                       "hough_transform:angles={1|17|180}:step={0.5|1|7}",
                       shape, random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
        device_compare(&pair, "hough_lines:lines={1|5|64}:threshold={0|0.5|0.97}:step={1|0.5}",
                       shape, random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
    device_compare(&pair,
                   "hough_transform_line_detection:sigma=1:threshold=0.1 #lines | #in | "
                   "draw_lines:over=#lines:width=2.5",
                   SHAPE(131, 70, 2, 4, LG_U8, LG_ALPHA_OPAQUE), LG_U8, CONTENT_UNIT);
}

static void test_voronoi(void)
{
    for (int i = 0; i < test_extent(1, 4, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        const lg_type out = random_below(2) ? shape.type : LG_F32;
        device_compare(&pair, "luminance_threshold:threshold={0.9|0.99|1} | jfa_voronoi", shape,
                       out, device_any_content(&shape));
    }
}

static void test_distance(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair,
                       "luminance_threshold:threshold={0.1|0.9|1} | distance_transform:"
                       "of={foreground|background}:result={distance|square}:type={f32|u16|u8}",
                       shape, random_below(2) ? LG_U16 : LG_F32, device_any_content(&shape));
    }
}

static void test_layers(void)
{
    for (int i = 0; i < test_extent(1, 3, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        lg_image_params shape = device_any_shape(size[0], size[1]);
        shape.layers = 1 + (int)random_below(5);
        static const char *const texts[] = {"project:figure={max|min|mean|sum|stddev}",
                                            "layer_gaussian:sigma={0|0.6|1|4}:border={*}",
                                            "median_3d:radius={0|1}:radius_z={0|1|2}:border={*}"};
        device_compare(&pair, texts[(i + 1) % 3], shape, random_below(2) ? shape.type : LG_F32,
                       device_any_content(&shape));
    }
}

static void test_rolling_ball(void)
{
    for (int i = 0; i < test_extent(1, 3, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair,
                       "rolling_ball:radius={1|3.5|12}:output={subtracted|background}:"
                       "light={no|yes}:height={0|4|300}",
                       shape, random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
}

static void test_watershed(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        device_compare(&pair,
                       "luminance_threshold:threshold={0.7|0.98} | label:type=f32 #markers | #in | "
                       "posterize:color_levels={2|5} | watershed:over=#markers:connectivity={4|8}:"
                       "order={rising|falling}:nonzero={no|yes}:lines={no|yes}:type={u16|f32|u8}",
                       shape, random_below(2) ? LG_U16 : LG_F32, device_any_content(&shape));
        // Several tiles along each axis.
        device_compare(&pair,
                       "luminance_threshold:threshold=0.98 | label:type=f32 #markers | #in | "
                       "posterize:color_levels={2|5} | watershed:over=#markers:"
                       "connectivity={6|18|26}:lines={no|yes}",
                       SHAPE(37, 19, 9, 1, LG_U8, LG_ALPHA_NONE), LG_U16, CONTENT_UNIT);
    }
}

// Water that winds up and down between walls goes through more tiles than a device has turns for: the CPU
// floods then.
static void test_winding_water(void)
{
    lg_image *in = kernel_zeros(SHAPE(259, 259, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = kernel_zeros(in->shape);
    for (int y = 0; y < 259; y++)
        for (int x = 0; x < 259; x++)
            sample_put(in, x, y, 0, 0, x % 2 == 0 || y == (x % 4 == 1 ? 0 : 258));
    sample_put(over, 0, 0, 0, 0, 1);
    lg_image *on_cpu = device_run(pair.cpu, "watershed:over=#over:nonzero=yes", in, over, LG_U8);
    lg_image *on_device =
        device_run(pair.vulkan, "watershed:over=#over:nonzero=yes", in, over, LG_U8);
    CHECK(on_cpu && on_device && samples_equal(on_cpu, on_device), "water between walls");
    CHECK(on_cpu && sample_get(on_cpu, 258, 0, 0, 0) == 1, "water does not reach the end");
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&on_cpu);
    lg_image_destroy(&on_device);
}

static void test_poisson(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        lg_image_params over = device_any_shape(size[0], size[1]);
        over.layers = random_below(2) ? 1 : shape.layers;
        static const char *const texts[] = {
            "poisson_blend:over=#over",
            "poisson_blend:over=#over:mix={0|0.125|0.25|0.375|0.5|0.625|0.75|0.875|1}:"
            "num_iterations={1|2|3|4|5}:border={*}"};
        device_compare_two(&pair, texts[i % 2], shape, over, random_below(2) ? shape.type : LG_F32,
                           device_any_content(&shape));
    }
}

static void test_guided_filter(void)
{
    for (int i = 0; i < test_extent(1, 3, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        static const char text[] =
            "guided_filter:radius={0|1|2|5|40}:scale={1|2|3|8|64}:eps={1|0.01|0.0001|0.00001}";
        device_compare(&pair, text, shape, random_below(2) ? shape.type : LG_F32,
                       device_any_content(&shape));
    }
}

static void test_linear_filter(void)
{
    for (int i = 0; i < test_extent(1, 2, 200); i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        static const char text[] =
            "linear_filter:kernel={1|1,2,1|1;2;-3;4|1,2,3,4;5,6,7,8;9,-9,8,7}:"
            "factor={1|0.1}:offset={0|0.25}:border={*}";
        device_compare(&pair, text, shape, random_below(2) ? shape.type : LG_F32,
                       device_any_content(&shape));
    }
}

static void test_local_windows(int runs)
{
#define RADII "{0|1|3|7|40|150|32768}"
    static const char *const texts[] = {"local_mean", "local_stddev", "niblack", "sauvola"};
    for (int i = 0; i < runs; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        char text[100];
        snprintf(text, sizeof text, "%s:radius=" RADII ":radius_y=" RADII, texts[i % 4]);
        device_compare(&pair, text, shape, random_below(2) ? shape.type : LG_F32,
                       device_any_content(&shape));
    }
    for (int i = 0; i < runs / 2; i++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = device_any_shape(size[0], size[1]);
        lg_image_params over = device_any_shape(size[0], size[1]);
        over.layers = random_below(2) ? 1 : shape.layers;
        device_compare_two(
            &pair,
            random_below(2) ? "variable_box_blur:over=#over:radius=" RADII
                            : "anisotropic_box:over=#over:radius_x=" RADII ":radius_y=" RADII,
            shape, over, random_below(2) ? shape.type : LG_F32, device_any_content(&shape));
    }
    // Several stages with tables in one submission: the second one needs more room.
    device_compare(&pair, "local_mean:radius=2 | local_stddev:radius=9 | niblack:k=-0.1",
                   SHAPE(131, 97, 1, 4, LG_U8, LG_ALPHA_STRAIGHT), LG_U8, CONTENT_UNIT);
}

// Bytes of several channels that are summed as they are have tables in tiles of 16 pixels, and threads of 8
// samples.
static void test_tables_in_tiles(void)
{
    static const int extents[][2] = {{131, 67}, {16, 16}, {33, 1}, {1, 50}, {1100, 18}, {7, 129}};
    const int count = test_extent(2, 2, LG_COUNT(extents));
    for (int channels = 2; channels <= 4; channels *= 2)
        for (int i = 0; i < count; i++) {
            const lg_image_params shape = SHAPE(extents[i][0], extents[i][1], 2, channels, LG_U8,
                                                channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
            lg_image_params over = shape;
            over.layers = 1;
            device_compare_two(&pair, "variable_box_blur:over=#over:radius=40", shape, over, LG_U8,
                               CONTENT_UNIT);
            if (i == 0 || test_is_full())
                device_compare(&pair, "local_mean:radius=18:radius_y=5", shape, LG_F32,
                               CONTENT_UNIT);
        }
}

// Few levels in flat parts: pixels that lie on their thresholds, or next to them.
static lg_image *flat_image(lg_image_params shape, int levels)
{
    lg_image *image = image_zeros(pair.cpu, shape);
    const int least = (int)random_below((uint32_t)(257 - levels)), side = 1 << random_below(7);
    for (int32_t y = 0; image && y < shape.height; y++)
        for (int32_t x = 0; x < shape.width; x++) {
            const bool flat = ((x / side + y / side) & 1) != 0;
            const int level = flat ? 0 : (int)random_below((uint32_t)levels);
            for (int c = 0; c < shape.channels; c++)
                sample_store(image, x, y, 0, c, least + level);
        }
    return image;
}

static void compare_threshold(const char *text, lg_image_params shape, int levels)
{
    lg_image *in = flat_image(shape, levels);
    lg_image *want = in ? device_run(pair.cpu, text, in, NULL, LG_U8) : NULL;
    lg_image *got = in ? device_run(pair.vulkan, text, in, NULL, LG_U8) : NULL;
    CHECK(want && got && samples_equal(got, want), "%s of %d x %d x %d", text, shape.width,
          shape.height, shape.channels);
    lg_image_destroy(&in);
    lg_image_destroy(&want);
    lg_image_destroy(&got);
}

// Thresholds of bytes have running sums in place of tables.
static void test_thresholds_of_bytes(void)
{
    static const int extents[][2] = {{333, 61}, {2300, 40}, {5, 7}, {90, 300}};
    static const int levels[] = {1, 2, 5, 256};
    static const char *const texts[] = {
        "niblack:radius={0|1|7|8|15|16|40|127}:radius_y={-1|-1|0|20|127}:k={-0.2|0|0.5}",
        "sauvola:radius={0|1|7|8|15|16|40|127}:radius_y={-1|-1|0|20|127}:k={-3|0|0.2}:dynamic_"
        "range={"
        "0.001|0.5|1}"};
    for (int i = 0; i < test_extent(4, 8, 200); i++) {
        const int *size = extents[i % 4];
        lg_image_params shape = SHAPE(size[0], size[1], 1, i % 3 ? 4 : 1, LG_U8,
                                      i % 3 == 1 ? LG_ALPHA_OPAQUE : LG_ALPHA_STRAIGHT);
        shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : shape.alpha;
        char text[160];
        kernel_pick(text, sizeof text, texts[i / 4 % 2]);
        compare_threshold(text, shape, levels[random_below(4)]);
    }
    // Equal pixels are as bright as their threshold, unless k raises it, however little.
    const lg_image_params flat = SHAPE(90, 12, 1, 1, LG_U8, LG_ALPHA_NONE);
    compare_threshold("sauvola:radius=3:k=-0.000001", flat, 1);
    compare_threshold("sauvola:radius=3:k=0.000001", flat, 1);
    compare_threshold("niblack:radius=3:k=-0.000001", flat, 1);
}

int main(void)
{
    random_seed(47);
    pair.cpu = device_open_threads(2);
    pair.vulkan = device_open(NULL, NULL);
    if (pair.vulkan) {
        test_morphology_of_bytes(test_extent(2, 8, ALL_CASES));
        test_morphology(test_extent(1, 3, 600));
        test_fast_corners();
        test_color_packing();
        test_color_fast();
        test_bilateral_pass();
        test_kuwahara();
        test_wide_median();
        test_hough();
        test_voronoi();
        test_distance();
        test_layers();
        test_rolling_ball();
        test_watershed();
        test_winding_water();
        test_poisson();
        test_guided_filter();
        test_linear_filter();
        test_local_windows(test_extent(1, 4, 600));
        test_tables_in_tiles();
        test_thresholds_of_bytes();
    }
    device_close(&pair.vulkan);
    // Without half floats.
    pair.vulkan = device_open(NULL, "float16");
    if (pair.vulkan) {
        test_morphology_of_bytes(test_extent(1, 4, ALL_CASES));
        test_morphology(test_extent(1, 2, 300));
    }
    device_close(&pair.vulkan);
    lg_context_destroy(&pair.cpu);
    return check_finish("vulkan_natives");
}
