// Histograms on Vulkan have the counts that the CPU has, whichever way the device counts.
#include "check.h"
#include "device.h"
#include "histograms.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *cpu, *vulkan;

// ---- comparison ---------------------------------------------------------------------------------

// The variants against the automatic choice of the CPU.
static void compare_variants(const char *title, const lg_image *image,
                             const lg_histogram_params *params, const int *variants, int count)
{
    const measured m = {.title = title,
                        .image = image,
                        .select = params->select,
                        .stack = params->stack,
                        .params = params};
    void *want = measure_figures(&histogram_case, cpu, &m);
    if (want)
        measure_check(&histogram_case, vulkan, &m, (measure_variants){variants, count}, want);
    measure_release(&histogram_case, want);
}

// `variants`: how many of them, in turns from case to case; 0: all and the automatic choice.
static void compare(const char *title, const lg_image *image, const lg_histogram_params *params,
                    int variants)
{
    static int turn;
    const measure_variants all = histogram_case.device_variants;
    int taken[LG_HISTOGRAM_VARIANTS];
    if (test_is_full() || variants == 0) {
        compare_variants(title, image, params, all.of, all.count);
        return;
    }
    for (int i = 0; i < variants; i++)
        taken[i] = all.of[1 + turn++ % (all.count - 1)];
    compare_variants(title, image, params, taken, variants);
}

// ---- cases --------------------------------------------------------------------------------------

static const int shapes[][2] = {{1, LG_ALPHA_NONE},
                                {4, LG_ALPHA_OPAQUE},
                                {2, LG_ALPHA_STRAIGHT},
                                {4, LG_ALPHA_STRAIGHT},
                                {2, LG_ALPHA_OPAQUE}};

// Stored channels, in every variant; regions whose rows start and end anywhere.
static void test_stored(int type)
{
    for (size_t s = 0; s < (size_t)test_extent(1, type == LG_U8 ? 3 : 1, 5); s++) {
        lg_image *image = content_on_device(
            vulkan, SHAPE(333, 57, 2, shapes[s][0], type, shapes[s][1]), CONTENT_SPECIAL);
        lg_histogram_params params = WITH(lg_histogram_params, it.stack = s % 2);
        compare("stored", image, &params, 0);
        for (int x = 1; x <= test_extent(2, 17, 17); x++) {
            static const int widths[] = {1, 2, 15, 16, 17, 31, 33, 130, 200, 300, 316};
            const lg_region region = {x, x % 5, widths[(size_t)x % LG_COUNT(widths)], 1 + x * 3};
            params.select.region = &region;
            compare("region", image, &params, 1);
        }
        lg_image_destroy(&image);
    }
}

static void test_sizes(void)
{
    static const int sizes[][3] = {{1, 1, 1},      {1, 77, 1},   {131, 1, 2}, {127, 3, 1},
                                   {128, 31, 1},   {64, 64, 1},  {97, 33, 3}, {4095, 2, 1},
                                   {4097, 3, 1},   {16, 700, 1}, {9, 5, 60},  {65536 + 9, 2, 1},
                                   {1500, 1400, 1}};
    static const int channels[] = {1, 4, 2};
    for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(5, 3, 1)) {
        for (size_t c = 0; c < (size_t)test_extent(1, 3, 3); c++) {
            lg_image *image = content_image(
                vulkan, SHAPE(sizes[i][0], sizes[i][1], sizes[i][2], channels[c], LG_U8, 0),
                (i + c) % 3 ? CONTENT_UNIT : CONTENT_CONSTANT);
            const lg_histogram_params params = WITH(lg_histogram_params, it.stack = i % 2);

            compare("sizes", image, &params, 2);
            lg_image_destroy(&image);
        }
    }
    if (test_is_full()) {
        lg_image *image =
            content_on_device(vulkan, SHAPE(20000, 15000, 1, 1, LG_U8, 0), CONTENT_CONSTANT);
        const lg_histogram_params params = lg_histogram_params_default();

        compare("large", image, &params, 0);
        lg_image_destroy(&image);
    }
}

static void test_ranges(void)
{
    static const struct {
        double lo, hi;
        int32_t bins;
    } ranges[] = {{0, 1, 256}, {-0.25, 1.5, 7}, {0, 1, 65536},    {0.5, 0.6, 1},
                  {0, 0.3, 3}, {0.1, 0.7, 300}, {-1e30, 1e30, 64}},
      integers[] = {{0, 255, 256}, {-5, 300, 65536}, {0, 65535, 1}, {100, 40000, 777}};
    for (int type = LG_F32; type >= test_extent(LG_F32, 0, 0); type--) {
        const bool real = type >= LG_F16;
        lg_image *image = content_on_device(vulkan, SHAPE(301, 41, 1, 1, type, 0), CONTENT_SPECIAL);
        // Integers and halves are counted by value; bins are made of that on the host.
        const int count = real ? LG_COUNT(ranges) : LG_COUNT(integers);
        for (int i = 0; i < (test_is_short() ? 2 : count); i++) {
            const lg_histogram_params params =
                WITH(lg_histogram_params, it.type_range = false,
                     it.lo = real ? ranges[i].lo : integers[i].lo,
                     it.hi = real ? ranges[i].hi : integers[i].hi,
                     it.bins = real ? ranges[i].bins : integers[i].bins);
            compare("range", image, &params, i < 2 && type == LG_F32 ? 5 : 1);
        }
        lg_image_destroy(&image);
    }
}

// Whole vectors: edges anywhere, every sample type, bins from one to more than shared memory holds.
static void test_dense(void)
{
    static const struct {
        int type, channels, kind;
        double lo, hi;
        int32_t bins;
    } cases[] = {{LG_F32, 1, CONTENT_ALL_BITS, 0, 1, 256},
                 {LG_U16, 1, CONTENT_ALL_BITS, 0, 65535, 256},
                 {LG_F32, 1, CONTENT_ALL_BITS, -1e38, 1e38, 65536},
                 {LG_F32, 1, CONTENT_DENORMAL, 0, 1, 16},
                 {LG_F32, 1, CONTENT_ZEROS, -1, 0, 16},
                 {LG_F16, 2, CONTENT_ALL_BITS, -2, 3, 100},
                 {LG_F32, 4, CONTENT_SPECIAL, 0, 1, 1},
                 {LG_F32, 2, CONTENT_DENORMAL, -1, 0, 9},
                 {LG_U16, 4, CONTENT_UNIT, 0, 65535, 65536},
                 {LG_F32, 2, CONTENT_SIGNED, -4, 4, 4096},
                 {LG_F16, 4, CONTENT_SPECIAL, 0, 1, 65536},
                 {LG_U16, 2, CONTENT_CONSTANT, 0, 65535, 2},
                 {LG_F16, 1, CONTENT_SIGNED, -1, 1, 12000}};
    static const lg_region regions[] = {{0, 0, 403, 39}, {1, 1, 401, 37}, {3, 0, 1, 39},
                                        {7, 2, 2, 30},   {5, 38, 17, 1},  {2, 3, 63, 9}};
    static const int variants[] = {LG_HISTOGRAM_VK_REPLICATED, LG_HISTOGRAM_VK_GLOBAL,
                                   LG_HISTOGRAM_VK_PARTIALS_DEVICE, LG_HISTOGRAM_VK_PARTIALS_HOST};
    for (size_t i = 0; i < (size_t)test_extent(4, 6, LG_COUNT(cases)); i++) {
        lg_image *image = content_on_device(
            vulkan, SHAPE(403, 39, 2, cases[i].channels, cases[i].type, 0), (content)cases[i].kind);
        for (size_t k = 0; k < LG_COUNT(regions); k++) {
            const lg_histogram_params params =
                WITH(lg_histogram_params, it.type_range = false, it.lo = cases[i].lo,
                     it.hi = cases[i].hi, it.bins = cases[i].bins, it.select.region = &regions[k]);
            // The first is the one with kernels of its own; the others in turns.
            const int taken[] = {variants[0], variants[1 + k % 3]};
            compare_variants("dense", image, &params, taken, 2);
        }
        lg_image_destroy(&image);
    }
}

// Packed counters: a workgroup meets one value, or two in one word, more often than half a word
// holds, in one long row and in rows that begin and end within vectors.
static void test_packed(void)
{
    static const lg_region inner = {1, 1, 1301, 1100};
    static const int variants[] = {LG_HISTOGRAM_VK_REPLICATED, LG_HISTOGRAM_VK_GLOBAL};
    static const uint16_t values[][2] = {{0, 0}, {65535, 65535}, {1000, 1001}, {1001, 40000}};
    lg_image *image = content_image(vulkan, SHAPE(1304, 1102, 1, 1, LG_U16, 0), CONTENT_CONSTANT);
    for (size_t i = 0; i < LG_COUNT(values); i++) {
        for (int64_t y = 0; y < 1102; y++)
            for (int64_t x = 0; x < 1304; x++)
                ((uint16_t *)((uint8_t *)image->data + (size_t)y * image->shape.row_stride))[x] =
                    values[i][x * y % 7 == 0];
        CHECK(lg_image_upload(vulkan, image, NULL) == LG_OK, "upload");
        lg_histogram_params params = lg_histogram_params_default();
        params.select.region = i % 2 ? &inner : NULL;
        compare_variants("packed", image, &params, variants, LG_COUNT(variants));
    }
    lg_image_destroy(&image);
}

static void test_spaces(void)
{
    static const int types[] = {LG_U8, LG_F32, LG_U16, LG_F16};
    for (int t = 0; t < test_extent(1, 2, 4); t++) {
        for (int space = LG_SPACE_LUMA; space < LG_SPACES; space++) {
            const int alpha = space % 2 ? LG_ALPHA_OPAQUE : LG_ALPHA_STRAIGHT;
            lg_image *image = content_on_device(vulkan, SHAPE(517, 9, 1, 4, types[t], alpha),
                                                t % 2 ? CONTENT_SPECIAL : CONTENT_UNIT);
            lg_histogram_params params = WITH(lg_histogram_params, it.space = (lg_space)space);
            const bool luma = space == LG_SPACE_LUMA || space == LG_SPACE_RGBL;
            // Weights are data; only the maximum is a kernel of its own.
            for (int i = 0; i < (luma ? test_extent(2, 4, 6) : 1); i++) {
                params.luma = (lg_luma)i;
                params.select.skip_transparent = i % 2;
                compare("space", image, &params, 1);
            }
            params.luma = LG_LUMA_BT709;
            params.select.skip_transparent = false;
            for (int bins = 1; test_is_full() && bins <= 65536; bins *= 16) {
                params.bins = bins;
                compare("space, bins", image, &params, 0);
            }
            lg_image_destroy(&image);
        }
    }
}

static void test_selections(void)
{
    static const lg_region region = {5, 3, 150, 37};
    for (int type = 0; type < LG_TYPES; type++) {
        for (int c = 1; c <= test_extent(1, type == LG_U8 ? 4 : 1, 4); c *= 2) {
            const lg_image_params shape =
                SHAPE(211, 43, 2, c, type, c == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT);
            lg_image *image = content_on_device(vulkan, shape, CONTENT_SPRINKLED);
            lg_image *mask = content_mask(vulkan, &shape, c == 2 ? 2 : 1);
            for (int i = 0; i < 12; i++) {
                lg_histogram_params params = WITH(lg_histogram_params, it.stack = i == 3);
                params.select.step = 1 + i / 4 * 2;
                params.select.region = i & 1 ? &region : NULL;
                params.select.mask = i & 2 ? mask : NULL;
                params.select.skip_transparent = i != 1;
                compare("selection", image, &params, 1);
            }
            lg_image_destroy(&mask);
            lg_image_destroy(&image);
        }
    }
}

// Tables of the largest and the smallest size after each other, on one set of counters.
static void test_turns(void)
{
    lg_image *image = content_on_device(vulkan, SHAPE(130, 70, 2, 1, LG_U16, 0), CONTENT_UNIT);
    lg_image *small = content_on_device(vulkan, SHAPE(13, 7, 1, 4, LG_U8, 0), CONTENT_UNIT);
    const lg_histogram_params params = lg_histogram_params_default();
    for (int i = 0; i < test_extent(4, 20, 300); i++) {
        compare("turns", random_below(2) ? image : small, &params, 1);
        lg_moments figures[8], again[8];
        CHECK(lg_measure_moments(vulkan, small, NULL, figures, 8, NULL) == LG_OK &&
                  lg_measure_moments(cpu, small, NULL, again, 8, NULL) == LG_OK,
              "moments");
        for (int c = 0; c < 4; c++)
            CHECK(figures[c].sum_lo == again[c].sum_lo && figures[c].count == again[c].count &&
                      figures[c].variance == again[c].variance,
                  "moments between histograms, turn %d", i);
    }
    lg_image_destroy(&small);
    lg_image_destroy(&image);
}

// ---- the measured choice ------------------------------------------------------------------------

static void remove_folder(const char *folder)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (all)
        closedir(all);
    rmdir(folder);
}

static void test_remembered(void)
{
    char folder[] = "/tmp/lumagraph-choice-XXXXXX";
    lg_histogram_variant chosen[2] = {LG_HISTOGRAM_AUTO, LG_HISTOGRAM_AUTO};
    unsigned times[2] = {0, 0};
    if (!mkdtemp(folder)) {
        check_skip("no temporary folder can be made");
        return;
    }
    for (int i = 0; i < 2; i++) {
        vulkan = device_open(folder, NULL);
        lg_image *image =
            vulkan ? content_image(vulkan, SHAPE(400, 300, 1, 1, LG_U8, 0), CONTENT_UNIT) : NULL;
        const lg_histogram_params params = lg_histogram_params_default();
        const unsigned before = device_choices();
        for (int k = 0; image && k < 2; k++) {
            lg_histogram *h = NULL;
            NEED(lg_measure_histogram(vulkan, image, &params, &h, NULL) == LG_OK, "histogram");
            chosen[i] = h ? h->variant : LG_HISTOGRAM_AUTO;
            lg_histogram_destroy(&h);
        }
        times[i] = device_choices() - before;
        lg_image_destroy(&image);
        device_close(&vulkan);
    }
    CHECK(chosen[0] == chosen[1] && chosen[0] >= LG_HISTOGRAM_VK_LANE_PRIVATE, "%s, then %s",
          lg_histogram_variant_name(chosen[0]), lg_histogram_variant_name(chosen[1]));
    CHECK(times[0] <= 1 && times[1] == 0, "measured %u times, then %u", times[0], times[1]);
    remove_folder(folder);
}

// What GPUs run, on software as well: several loads in flight, of parts that one round is not enough for.
static void test_loads_in_flight(void)
{
    static const struct {
        int channels, type, variant;
    } cases[] = {{4, LG_U8, LG_HISTOGRAM_VK_LANE_PRIVATE}, {4, LG_U8, LG_HISTOGRAM_VK_GLOBAL},
                 {1, LG_U8, LG_HISTOGRAM_VK_REPLICATED},   {1, LG_F32, LG_HISTOGRAM_VK_REPLICATED},
                 {2, LG_U8, LG_HISTOGRAM_VK_LANE_PRIVATE}, {2, LG_F16, LG_HISTOGRAM_VK_GLOBAL}};
    vulkan = device_open(NULL, "short_kernels");
    for (int i = 0; vulkan && i < test_extent(2, 4, (int)LG_COUNT(cases)); i++) {
        const int width = 160000 / (cases[i].channels * (int)lg_type_size(cases[i].type));
        lg_image *image = content_on_device(
            vulkan, SHAPE(width + 3, 2, 1, cases[i].channels, cases[i].type, 0), CONTENT_SPECIAL);
        const lg_histogram_params params = lg_histogram_params_default();
        compare_variants("loads in flight", image, &params, &cases[i].variant, 1);
        lg_image_destroy(&image);
    }
    if (vulkan)
        device_close(&vulkan);
}

int main(void)
{
    random_seed(20250312);
    cpu = device_open_cpu();
    vulkan = device_open(NULL, NULL);
    if (cpu && vulkan) {
        for (int type = 0; type < LG_TYPES; type++)
            test_stored(type);
        test_sizes();
        test_ranges();
        test_dense();
        test_packed();
        test_spaces();
        test_selections();
        test_turns();
        device_close(&vulkan);
        test_remembered();
        test_loads_in_flight();
    }
    lg_context_destroy(&cpu);
    return check_finish("vulkan_histogram");
}
