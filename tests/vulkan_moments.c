// Moments on Vulkan equal those on the CPU bit for bit: states, not rounded figures, are compared.
#include "check.h"
#include "device.h"
#include "device/workspace.h"
#include "states.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *cpu, *vulkan;

static const int channel_counts[] = {1, 2, 4};

// Kernels of floats take software Vulkan seconds to compile, and there is a set of them for each
// number of channels.
static bool affordable(int type, int channels)
{
    if (test_is_full() || type < LG_F16)
        return true;
    if (test_is_short())
        return type == LG_F32 && channels == 1;
    return type == LG_F32 ? channels != 2 : channels == 2;
}

// ---- comparison ---------------------------------------------------------------------------------

// `host`: what the CPU measures, which may be the image itself.
static void compare_host(const char *what, const lg_image *image, const lg_image *host,
                         const lg_select *select, bool stack)
{
    measured m = {.title = what,
                  .image = host,
                  .select = select ? *select : lg_select_default(),
                  .stack = stack};
    void *want = measure_figures(&moments_case, cpu, &m);
    m.image = image;
    if (want)
        measure_check(&moments_case, vulkan, &m, (measure_variants){0}, want);
    measure_release(&moments_case, want);
}

static void compare(const char *what, const lg_image *image, const lg_select *select, bool stack)
{
    compare_host(what, image, image, select, stack);
}

static void compare_region(const char *what, const lg_image *image, int64_t x, int64_t y,
                           int64_t width, int64_t height)
{
    const lg_region region = {x, y, width, height};
    compare(what, image, WITH_REF(lg_select, it.region = &region), false);
}

static void run(const char *what, lg_image_params shape, content kind, bool stack)
{
    if (!affordable(shape.type, shape.channels))
        return;
    lg_image *image = content_image(vulkan, shape, kind);

    compare(what, image, NULL, stack);
    lg_image_destroy(&image);
}

// ---- geometry -----------------------------------------------------------------------------------

// Every number of rows.
static void test_heights(int type)
{
    static const int widths[] = {5, 130, 128};
    for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
        if (!affordable(type, channel_counts[c]))
            continue;
        lg_image *image = content_on_device(vulkan, SHAPE(132, 96, 1, channel_counts[c], type, 0),
                                            CONTENT_SIGNED);
        for (int height = 1; height <= test_extent(16, 40, 96); height += test_extent(3, 3, 1))
            for (size_t w = 0; w < (size_t)test_extent(1, 2, 3); w++)
                compare_region("heights", image, 0, 0, widths[(w + c) % LG_COUNT(widths)], height);
        lg_image_destroy(&image);
    }
}

static void test_widths(int type)
{
    static const int heights[] = {1, 2, 31, 32, 33};
    static const int own[] = {1, 2, 7, 16, 32, 64, 97, 127, 128, 129, 251, 256};
    for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
        if (!affordable(type, channel_counts[c]))
            continue;
        lg_image *image = content_on_device(vulkan, SHAPE(261, 33, 1, channel_counts[c], type, 0),
                                            CONTENT_SIGNED);
        for (int width = 1; width <= 261; width += test_extent(43, width < 40 ? 3 : 23, 1))
            compare_region("widths", image, 0, 0, width,
                           heights[(size_t)width % LG_COUNT(heights)]);
        lg_image_destroy(&image);
        // Images of just that width: rows may follow each other without a gap.
        for (size_t i = 0; i < LG_COUNT(own); i += (size_t)test_extent(6, 1, 1))
            run("own width", SHAPE(own[i], heights[i % 5], 1, channel_counts[c], type, 0),
                CONTENT_SIGNED, false);
    }
}

// Rows that start anywhere: other loads, and first and last vectors that are not whole.
static void test_offsets(int type)
{
    static const int widths[] = {1, 2, 3, 14, 15, 16, 17, 31, 33, 130, 200};
    for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
        if (!affordable(type, channel_counts[c]))
            continue;
        lg_image *image = content_on_device(vulkan, SHAPE(219, 75, 1, channel_counts[c], type, 0),
                                            CONTENT_SIGNED);
        for (int x = 1; x <= 17; x += test_extent(8, 1, 1))
            for (size_t w = 0; w < LG_COUNT(widths); w += (size_t)test_extent(9, 3, 1))
                compare_region("offsets", image, x, x % 3, widths[(w + (size_t)x) % 11],
                               test_is_full() ? 70 : 5 + x % 2 * 60);
        lg_image_destroy(&image);
    }
}

// Many short rows. On software Vulkan a row of bytes takes as long as thousands of bytes in a long one, and
// twenty times as long as a row of words. From 65536 rows on there are more
// workgroups than fill the device, so that none takes too many rows (moments_integer_vulkan.c), and row
// numbers have 17 bits; in layers that share the device, from 4096 on.
static void test_high(int type)
{
    const bool floats = type >= LG_F16, bytes = type == LG_U8;
    const int high = test_is_short() && bytes ? 4097 : 32 * 513 + 1;
    const int very = test_is_full() || floats ? 300001 : 70001;
    run("high", SHAPE(1, high, 1, 1, type, 0), CONTENT_SIGNED, false);
    if (!test_is_short() || !bytes)
        run("very high", SHAPE(3, very, 1, 1, type, 0), CONTENT_MIXED, false);
    run("high layers", SHAPE(3, 4097, 3, 1, type, 0), CONTENT_MIXED, true);
}

// Long rows and columns. llvmpipe ends loops after 65535 rounds: no lane may need so many.
static void test_long(void)
{
    static const int lengths[] = {993, 1025, 2049, 4097, 8193, 16385, 32769};
    for (int type = 0; type < LG_TYPES; type++) {
        for (int width = 4095; width <= 4097; width++) {
            run("wide", SHAPE(width, 3, 1, 1, type, 0), CONTENT_SIGNED, false);
            run("wide", SHAPE(width, 33, 1, type == LG_U8 ? 4 : 1, type, 0), CONTENT_SIGNED, false);
        }
        run("very wide", SHAPE(65536 * 2 + 77, 2, 1, 1, type, 0), CONTENT_SIGNED, false);
        run("very wide", SHAPE(65536 + 1, 2, 1, type == LG_F32 ? 1 : 4, type, 0), CONTENT_CONSTANT,
            false);
        test_high(type);
    }
    for (size_t i = 0; i < LG_COUNT(lengths); i++) {
        run("long line", SHAPE(lengths[i] * 4, 1, 1, 1, LG_F32, 0), CONTENT_SIGNED, false);
        if (test_is_full() || i < 2)
            run("long column", SHAPE(3, lengths[i], 2, 1, LG_F32, 0), CONTENT_SIGNED, true);
    }
    if (test_is_full()) // more workgroups than one dimension may have, several passes of each
        run("many lines", SHAPE(200, 32 * 33000, 1, 1, LG_F32, 0), CONTENT_OFFSET, false);
}

// How one row is cut: each workgroup has as many parts as any other, and none is long.
static void test_cuts(void)
{
    static const uint32_t counts[] = {1, 7, 131072, 9000000, 67108864, 268431360, INT32_MAX};
    static const uint32_t groups[] = {1, 16, 128, 1056};
    for (size_t i = 0; i < LG_COUNT(counts); i++)
        for (size_t k = 0; k < LG_COUNT(groups); k++) {
            lg_vector_rows rows = {.rows = 1, .vectors = counts[i]};
            const uint32_t used = lg_vector_rows_cut(&rows, groups[k]);
            const uint32_t longest = (counts[i] - 1) / LG_MAX(rows.segments, 1u) + 1;
            CHECK(used == LG_MIN(groups[k], counts[i]) && rows.segments % used == 0 &&
                      rows.segments <= counts[i] && longest <= LG_SEGMENT_VECTORS,
                  "%u vectors for %u workgroups: %u segments of up to %u, %u at work", counts[i],
                  groups[k], rows.segments, longest, used);
            CHECK(counts[i] > groups[k] * LG_SEGMENT_VECTORS || rows.segments == used,
                  "%u vectors for %u workgroups in %u segments", counts[i], groups[k],
                  rows.segments);
        }
}

// Enough vectors for the kernel that keeps many loads in flight, and for long sums of the largest
// samples.
static void test_large(void)
{
    static const struct {
        int width, height, channels, type;
    } cases[] = {{4100, 4099, 1, LG_U8},  {2050, 2051, 4, LG_U8},  {2900, 2901, 2, LG_U8},
                 {2051, 2052, 2, LG_U16}, {2900, 2901, 1, LG_U16}, {1450, 1451, 4, LG_U16}};
    for (size_t i = 0; i < LG_COUNT(cases); i += (size_t)test_extent(6, 3, 1)) {
        lg_image *image = content_on_device(
            vulkan, SHAPE(cases[i].width, cases[i].height, 1, cases[i].channels, cases[i].type, 0),
            CONTENT_CONSTANT);

        compare("large", image, NULL, false);

        compare_region("large", image, 3, 1, cases[i].width - 5, cases[i].height - 2);
        lg_image_destroy(&image);
    }
    if (!test_is_short()) // several parts for each workgroup of a device in software
        run("several parts", SHAPE(9008, 7701, 1, 1, LG_U8, 0), CONTENT_MIXED, false);
    if (test_is_full()) {
        run("larger", SHAPE(30000, 20000, 1, 1, LG_U8, 0), CONTENT_CONSTANT, false);
        run("larger", SHAPE(20000, 15000, 1, 1, LG_U16, 0), CONTENT_CONSTANT, false);
        run("larger", SHAPE(10000, 10000, 1, 4, LG_F32, 0), CONTENT_OFFSET, false);
    }
}

// ---- contents, selections, layers ---------------------------------------------------------------

static void test_contents(void)
{
    for (int kind = 0; kind < CONTENTS; kind++) {
        for (int type = LG_F32; type >= LG_F16; type--) {
            run(content_name((content)kind), SHAPE(2 * 128 + 44, 70, 1, 1, type, 0), (content)kind,
                false);
            if (test_is_short())
                break;
            run(content_name((content)kind), SHAPE(131, 40, 2, 2, type, 0), (content)kind, true);
            run(content_name((content)kind), SHAPE(129, 64, 1, 4, type, LG_ALPHA_OPAQUE),
                (content)kind, false);
        }
    }
    for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
        run("scales", SHAPE(128 * 20, 96, 1, channel_counts[c], LG_F32, 0), CONTENT_SCALES, false);
        run("large and sprinkled", SHAPE(1000, 700, 1, channel_counts[c], LG_F32, 0),
            CONTENT_SPRINKLED, false);
    }
}

static void test_selection(int type, int channels, int alpha)
{
    static const lg_region region = {7, 3, 290, 71};
    const lg_image_params shape = SHAPE(301, 83, 2, channels, type, alpha);
    lg_image *image = content_on_device(vulkan, shape, CONTENT_SPECIAL);
    lg_image *mask = content_mask(vulkan, &shape, 1 + channels % 4 / 2);
    lg_select select = lg_select_default();
    if (channels == 2)
        CHECK(lg_image_upload(vulkan, mask, NULL) == LG_OK, "mask");
    select.skip_transparent = true;
    compare("alpha", image, &select, false);
    select.region = &region;
    compare("region", image, &select, true);
    select.mask = mask;
    for (select.step = 1; select.step < test_extent(2, 4, 6); select.step++)
        compare("mask and step", image, &select, select.step % 2);
    select = (lg_select){.region = &region, .step = 3};
    compare("step", image, &select, false);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

static void test_selections(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        test_selection(type, 1, LG_ALPHA_NONE);
        if (test_is_short())
            continue;
        test_selection(type, 2, LG_ALPHA_STRAIGHT);
        for (int alpha = LG_ALPHA_NONE; alpha <= LG_ALPHA_PREMULTIPLIED; alpha++)
            test_selection(type, 4, alpha);
    }
}

static void test_layers(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
            const lg_image_params shape = SHAPE(130, 37, 3, channel_counts[c], type, 0);
            if (!affordable(type, channel_counts[c]))
                continue;
            run("layers", shape, CONTENT_SIGNED, false);
            run("stack", shape, CONTENT_SIGNED, true);
            if (test_is_short())
                break;
            run("opaque", SHAPE(96, 32, 7, channel_counts[c], type, c ? LG_ALPHA_OPAQUE : 0),
                CONTENT_UNIT, true);
        }
        run("many layers", SHAPE(9, 3, test_extent(50, 200, 3000), 1, type, 0), CONTENT_SIGNED,
            true);
    }
}

// ---- where the pixels are -----------------------------------------------------------------------

static void test_wrapped(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        const size_t size = lg_type_size((lg_type)type);
        for (size_t c = 0; c < LG_COUNT(channel_counts); c++) {
            lg_image_params shape = SHAPE(61, 35, 2, channel_counts[c], type, 0);
            if (!affordable(type, channel_counts[c]))
                continue;
            shape.row_stride = (size_t)(61 * channel_counts[c] + 3) * size;
            shape.layer_stride = shape.row_stride * 37 + size;
            const size_t samples = 2 * shape.layer_stride / size + 8;
            uint8_t *memory = malloc(samples * size);
            random_bytes(memory, samples * size);
            lg_image *image = NULL;
            lg_error error = {LG_OK, ""};
            NEED(lg_image_wrap(vulkan, &shape, memory + size, &image, &error) == LG_OK, "%s",
                 error.message);
            if (image) {
                compare("wrapped", image, NULL, false);
                CHECK(lg_image_upload(vulkan, image, &error) == LG_OK, "%s", error.message);
                compare("wrapped, uploaded", image, NULL, true);
                compare_region("wrapped, region", image, 5, 2, 50, 33);
            }
            lg_image_destroy(&image);
            free(memory);
        }
    }
}

// The device's copy counts until the next upload, whatever happens to the host's.
static void test_copies(int type)
{
    if (!affordable(type, 2))
        return;
    const lg_image_params shape = SHAPE(150, 70, 2, 2, type, 0);
    lg_image *image = content_on_device(vulkan, shape, CONTENT_SIGNED), *old = NULL, *blank = NULL;
    lg_error error = {LG_OK, ""};
    NEED(lg_image_create(cpu, &shape, &old, &error) == LG_OK, "%s", error.message);
    memcpy(old->data, image->data, image->shape.layer_stride * 2);
    content_fill(image, CONTENT_UNIT);
    compare_host("device copy", image, old, NULL, false);
    compare_host("device copy again", image, old, NULL, false);
    CHECK(lg_image_upload(vulkan, image, &error) == LG_OK, "%s", error.message);
    compare("uploaded again", image, NULL, false);
    // Undefined pixels are pixels too.
    NEED(lg_image_create_device(vulkan, &shape, &blank, &error) == LG_OK, "%s", error.message);
    if (blank) {
        lg_moments before[4], after[4];
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        CHECK(lg_measure_moments(vulkan, blank, NULL, before, 4, &error) == LG_OK, "%s",
              error.message);
        CHECK(lg_measure_moments(vulkan, blank, NULL, after, 4, &error) == LG_OK, "%s",
              error.message);
        CHECK(memcmp(before, after, sizeof before) == 0, "the second run differs");
        CHECK(lg_image_download(vulkan, blank, &error) == LG_OK, "%s", error.message);
        compare("downloaded", blank, NULL, false);
    }
    lg_image_destroy(&blank);
    lg_image_destroy(&old);
    lg_image_destroy(&image);
}

// ---- sequences ----------------------------------------------------------------------------------

// The counters of integers and histograms take turns between two sets that grow with the work.
static void test_turns(void)
{
    static const struct {
        int width, height, layers, channels, type;
    } shapes[] = {{20, 20, 1, 1, LG_U8},  {200, 90, 3, 4, LG_U8}, {64, 64, 1, 2, LG_U16},
                  {11, 7, 60, 4, LG_U16}, {300, 5, 1, 1, LG_F32}, {130, 66, 2, 2, LG_F16}};
    lg_image *images[LG_COUNT(shapes)];
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        images[i] = content_image(vulkan,
                                  SHAPE(shapes[i].width, shapes[i].height, shapes[i].layers,
                                        shapes[i].channels, shapes[i].type, 0),
                                  CONTENT_UNIT);
        if (images[i] && i % 2)
            CHECK(lg_image_upload(vulkan, images[i], NULL) == LG_OK, "upload");
    }
    for (int turn = 0; turn < test_extent(12, 12, 600); turn++) {
        const lg_image *image = images[random_below(test_is_short() ? 5 : LG_COUNT(shapes))];
        if (image && random_below(3) == 0) {
            lg_histogram *h = NULL;
            lg_error error = {LG_OK, ""};
            const lg_histogram_params params =
                WITH(lg_histogram_params, it.variant = LG_HISTOGRAM_VK_GLOBAL);
            NEED(lg_measure_histogram(vulkan, image, &params, &h, &error) == LG_OK, "%s",
                 error.message);
            if (h)
                CHECK(h->channel[0].total ==
                          (uint64_t)image->shape.width * (uint64_t)image->shape.height,
                      "turn %d: %llu samples", turn, (unsigned long long)h->channel[0].total);
            lg_histogram_destroy(&h);
        } else if (image) {
            compare("turns", image, NULL, random_below(2));
        }
    }
    for (size_t i = 0; i < LG_COUNT(shapes); i++)
        lg_image_destroy(&images[i]);
}

// Rows under a mask, in vectors and sample by sample, in one piece and with gaps between rows.
static void test_masked_rows(void)
{
    static const struct {
        int width, height, layers, channels;
    } shapes[] = {{2064, 9, 2, 1}, {2049, 8, 1, 1}, {640, 11, 1, 4}, {1031, 6, 2, 2}};
    for (size_t i = 0; i < LG_COUNT(shapes); i++)
        for (int type = LG_F16; type <= LG_F32; type++) {
            const lg_image_params shape = SHAPE(shapes[i].width, shapes[i].height, shapes[i].layers,
                                                shapes[i].channels, type, 0);
            for (int kind = 0; kind < CONTENTS; kind += test_is_short() ? 3 : 1) {
                lg_image *image = content_on_device(vulkan, shape, (content)kind);
                lg_image *mask = content_mask(vulkan, &shape, shapes[i].layers);
                lg_select select = lg_select_default();
                select.mask = mask;
                compare("masked rows", image, &select, kind % 2);
                memset(mask->data, i % 2 ? 1 : 0, mask->shape.row_stride);
                compare("a row alike", image, &select, kind % 2);
                lg_image_destroy(&mask);
                lg_image_destroy(&image);
            }
        }
}

static void random_case(void)
{
    const int channels = channel_counts[random_below(3)], layers = 1 + (int)random_below(3);
    const int alpha = channels == 1 ? 0 : (int)random_below(4);
    const int limit = random_below(8) ? 300 : 2000;
    const lg_image_params shape =
        SHAPE(1 + (int)random_below((uint32_t)limit), 1 + (int)random_below(150), layers, channels,
              random_below(LG_TYPES), alpha);
    if (!affordable(shape.type, channels))
        return;
    lg_image *image = content_image(vulkan, shape, (content)random_below(CONTENTS));
    lg_image *mask =
        random_below(3) ? NULL : content_mask(vulkan, &shape, random_below(2) ? 1 : layers);
    if (random_below(2))
        CHECK(lg_image_upload(vulkan, image, NULL) == LG_OK, "upload");
    lg_region region;
    region.x = random_below((uint32_t)shape.width);
    region.y = random_below((uint32_t)shape.height);
    region.width = 1 + random_below((uint32_t)(shape.width - region.x));
    region.height = 1 + random_below((uint32_t)(shape.height - region.y));
    const lg_select select = {.region = random_below(2) ? &region : NULL,
                              .mask = mask,
                              .skip_transparent = random_below(3) == 0,
                              .step = random_below(4) ? 1 : 1 + (int)random_below(5)};
    compare("random", image, &select, random_below(2));
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

// An index into device memory may wrap at 4 GiB, on GPUs only: software Vulkan would take minutes.
static void test_beyond_4_gib(void)
{
    const lg_image_params shape = SHAPE(65536, 17000, 1, 4, LG_U8, 0);
    lg_error error = {LG_OK, ""};
    lg_image *image = NULL;
    if (!test_is_full() || !lg_vk_get_limits(vulkan->vk)->hardware) {
        check_skip("images beyond 4 GiB are measured on GPUs, in the full form");
        return;
    }
    NEED(lg_image_create(vulkan, &shape, &image, &error) == LG_OK, "%s", error.message);
    for (size_t y = 0; y < 17000; y++)
        memset((uint8_t *)image->data + y * image->shape.row_stride, (int)(y * y / 70000),
               image->shape.row_stride);
    CHECK(lg_image_upload(vulkan, image, &error) == LG_OK, "%s", error.message);
    compare("beyond 4 GiB", image, NULL, false);
    compare_region("beyond 4 GiB", image, 1, 0, 65531, 16999);
    lg_histogram *h[2] = {NULL, NULL};
    lg_context *contexts[2] = {cpu, vulkan};
    lg_threshold level[2];
    lg_image *mask[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        NEED(lg_measure_histogram(contexts[i], image, NULL, &h[i], &error) == LG_OK, "%s",
             error.message);
        NEED(lg_threshold_image(contexts[i], image, NULL, &level[i], 1, &mask[i], &error) == LG_OK,
             "%s", error.message);
    }
    for (int c = 0; h[0] && h[1] && c < 4; c++)
        CHECK(memcmp(h[0]->channel[c].counts, h[1]->channel[c].counts, 256 * sizeof(uint64_t)) == 0,
              "counts of channel %d beyond 4 GiB", c);
    CHECK(level[0].level[0] == level[1].level[0] && level[0].foreground == level[1].foreground,
          "level %g, %llu above beyond 4 GiB", level[1].level[0],
          (unsigned long long)level[1].foreground);
    size_t same = 0;
    while (mask[0] && mask[1] && same < 17000 &&
           memcmp((uint8_t *)mask[0]->data + same * mask[0]->shape.row_stride,
                  (uint8_t *)mask[1]->data + same * mask[1]->shape.row_stride, 65536) == 0)
        same++;
    CHECK(same == 17000, "the mask beyond 4 GiB differs in row %zu", same);
    for (int i = 0; i < 2; i++) {
        lg_histogram_destroy(&h[i]);
        lg_image_destroy(&mask[i]);
    }
    lg_image_destroy(&image);
}

// ---- kernels for devices with less --------------------------------------------------------------

static void test_without(const char *features, int first_type, int types, int turn)
{
    vulkan = device_open(NULL, features);
    if (!vulkan)
        return;
    for (int type = first_type; type < types; type++) {
        const int channels = channel_counts[(turn + type) % 3];
        run(features, SHAPE(333, 45, 2, channels, type, 0), CONTENT_UNIT, false);
        run(features, SHAPE(333, 45, 1, channels, type, 0), CONTENT_CONSTANT, true);
        if (test_is_full()) {
            test_offsets(type);
            test_widths(type);
        }
    }
    device_close(&vulkan);
}

static void test_masked_features(void)
{
    static const char *const lists[] = {"float16", "int16,float16", "dot_product",
                                        "dot_product,float16", "dot_product,int16,float16"};
    for (size_t i = 0; i < LG_COUNT(lists); i += (size_t)test_extent(4, 1, 1))
        test_without(lists[i], LG_U8, test_is_full() ? LG_TYPES : LG_F16, (int)i);
    vulkan = device_open(NULL, "int64"); // sums of floats in words of 32 bits
    if (!vulkan)
        return;
    for (int kind = 0; kind < CONTENTS; kind += test_extent(9, 1, 1))
        run("words", SHAPE(333, 45, 1, 1, LG_F32, 0), (content)kind, false);
    lg_image *image = content_on_device(vulkan, SHAPE(333, 45, 1, 1, LG_F32, 0), CONTENT_SIGNED);
    const lg_select select = {.step = 2};

    compare("words, every second", image, &select, false);
    lg_image_destroy(&image);
    device_close(&vulkan);
}

// What GPUs run: many samples in flight, and from 2^22 samples on another shape. Rows without gaps, with
// gaps, and long ones with gaps. Software takes part in a few cases only.
static void test_large_floats(void)
{
    static const struct {
        int width, height, channels, type;
    } cases[] = {{2052, 2051, 1, LG_F32}, {1401, 1203, 4, LG_F32}, {333, 45, 1, LG_F32},
                 {2051, 2052, 1, LG_F32}, {140003, 31, 1, LG_F32}, {1403, 1501, 2, LG_F32},
                 {2056, 2051, 1, LG_F16}, {1403, 1003, 4, LG_F16}};
    static const content contents[] = {CONTENT_SPRINKLED, CONTENT_UNIT, CONTENT_SIGNED,
                                       CONTENT_SCALES};
    vulkan = device_open(NULL, "short_kernels");
    if (!vulkan)
        return;
    const bool all = test_is_full() || lg_vk_get_limits(vulkan->vk)->hardware;
    for (size_t i = 0; i < (all ? LG_COUNT(cases) : 3); i++)
        for (size_t c = 0; c < (all ? LG_COUNT(contents) : 1); c++) {
            lg_image *image = content_on_device(
                vulkan,
                SHAPE(cases[i].width, cases[i].height, 1, cases[i].channels, cases[i].type, 0),
                contents[c]);

            compare("large floats", image, NULL, false);

            compare_region("large floats", image, 1, 0, cases[i].width - 1, cases[i].height);
            lg_image *mask = content_mask(vulkan, &image->shape, 1);
            lg_select select = lg_select_default();
            select.mask = mask;
            compare("large floats under a mask", image, &select, false);
            lg_image_destroy(&mask);
            lg_image_destroy(&image);
        }
    device_close(&vulkan);
}

int main(void)
{
    random_seed(20250311);
    cpu = device_open_cpu();
    vulkan = device_open(NULL, NULL);
    if (cpu && vulkan) {
        for (int type = 0; type < LG_TYPES; type++) {
            if (type >= LG_F16)
                test_heights(type);
            test_widths(type);
            test_offsets(type);
            test_copies(type);
        }
        test_long();
        test_cuts();
        test_large();
        test_contents();
        test_selections();
        test_masked_rows();
        test_layers();
        test_wrapped();
        test_turns();
        test_beyond_4_gib();
        for (int i = 0; i < test_extent(20, 50, 5000); i++)
            random_case();
        device_close(&vulkan);
        test_masked_features();
        if (test_is_short())
            check_skip("kernels that GPUs run: software takes a minute to compile them");
        else
            test_large_floats();
    }
    lg_context_destroy(&cpu);
    return check_finish("vulkan_moments");
}
