// Area sums in scratch files, of contexts with a limit of memory: every figure has the bits of the heap.
#include "area_samples.h"
#include "check.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOXES = 50, MOST = BOXES * LG_MAX_CHANNELS };

static lg_error error;
static char folder[] = "spill-areas-XXXXXX";
static int32_t bounds[6 * BOXES]; // with odd sides, which smooth windows need

static void draw_boxes(const lg_area_array *a)
{
    for (int i = 0; i < BOXES; i++)
        for (int d = 0; d < a->dims; d++) {
            const int64_t n = a->extent[d];
            int32_t *first = &bounds[2 * a->dims * i + d], *end = first + a->dims;
            *first = i == 0 ? 0 : (int32_t)random_below((uint32_t)n);
            *end = i == 0 ? (int32_t)n : *first + 1 + (int32_t)random_below((uint32_t)(n - *first));
            *end -= i > 0 && (*end - *first) % 2 == 0;
        }
}

// How many of all figures that `p` has differ.
static size_t figures_differ(lg_context *const contexts[2], lg_areasum *const made[2],
                             const lg_areasum_params *p, int channels)
{
    const bool there[LG_AREA_FIGURES] = {[LG_AREA_SUM] = true,
                                         [LG_AREA_MEAN] = true,
                                         [LG_AREA_COUNT] = true,
                                         [LG_AREA_VARIANCE] = p->squares,
                                         [LG_AREA_MIN] = p->extremes,
                                         [LG_AREA_MAX] = p->extremes,
                                         [LG_AREA_COUNT_ABOVE] = p->counts_above};
    static double found[2][MOST];
    static uint64_t counts[2][MOST * 8];
    size_t wrong = 0;
    for (int f = 0; f < LG_AREA_FIGURES; f++) {
        memset(found, 0, sizeof found);
        for (int i = 0; i < 2 && there[f]; i++)
            CHECK(!lg_areasum_query(contexts[i], made[i], (lg_area_figure)f, bounds, BOXES,
                                    found[i], &error),
                  "%s", error.message);
        wrong += memcmp(found[0], found[1], sizeof found[0]) != 0;
    }
    for (int i = 0; i < 2 && p->bins; i++)
        CHECK(!lg_areasum_query_histogram(contexts[i], made[i], bounds, BOXES, counts[i], &error),
              "%s", error.message);
    return wrong + (memcmp(counts[0], counts[1],
                           (size_t)(BOXES * channels * p->bins) * sizeof counts[0][0]) != 0);
}

// Built, and again with the other array; the file's by a context without a limit at last.
static void compare(lg_context *const contexts[2], const lg_area_array arrays[2],
                    const lg_areasum_params *p, const char *what)
{
    lg_areasum *made[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        NEED(!lg_areasum_create(contexts[i], &arrays[0], p, &made[i], &error), "%s: %s", what,
             error.message);
    CHECK(figures_differ(contexts, made, p, arrays->channels) == 0, "%s: other figures", what);
    for (int i = 0; i < 2; i++)
        CHECK(!lg_areasum_update(contexts[i], made[i], &arrays[1], &error), "%s", error.message);
    CHECK(figures_differ(contexts, made, p, arrays->channels) == 0, "%s: other figures again",
          what);
    lg_context *const plain[2] = {contexts[0], contexts[0]};
    if (!contexts[0]->vk) {
        CHECK(!lg_areasum_update(plain[0], made[1], &arrays[1], &error) &&
                  figures_differ(plain, made, p, arrays->channels) == 0,
              "%s: other figures of another context", what);
    }
    for (int i = 0; i < 2; i++)
        lg_areasum_destroy(&made[i]);
}

static void compare_smooth(lg_context *const contexts[2], const lg_area_array *array)
{
    double found[2][MOST] = {{0}};
    const int order = array->dims == 3 && array->type == LG_F32 ? 1 : 2; // floats keep 24 bits
    int32_t side = 1; // of the first box, which is all
    for (int d = 0; d < array->dims; d++)
        side = LG_MAX(side, bounds[array->dims + d]);
    for (int i = 0; i < 2; i++) {
        lg_area_smooth *smooth = NULL;
        CHECK(!lg_area_smooth_create(contexts[i], array, order, side, 0, &smooth, &error) &&
                  !lg_area_smooth_query(contexts[i], smooth, bounds, BOXES, found[i], &error),
              "%s", error.message);
        lg_area_smooth_destroy(&smooth);
    }
    CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0, "other means of smoothed boxes");
}

static void compare_moments(lg_context *const contexts[2], const lg_area_array *array)
{
    lg_area_moment found[2][MOST] = {{{0}}};
    for (int i = 0; i < 2; i++) {
        lg_area_moments *moments = NULL;
        CHECK(!lg_area_moments_create(contexts[i], array, 0, &moments, &error) &&
                  !lg_area_moments_query(contexts[i], moments, bounds, BOXES, found[i], &error),
              "%s", error.message);
        lg_area_moments_destroy(&moments);
    }
    CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0, "other moments of boxes");
}

static void compare_kinds(lg_context *const contexts[2], const lg_area_array arrays[2])
{
    const bool floats = arrays->type == LG_F32;
    lg_areasum_params p = lg_areasum_params_default();
    char what[80];
    snprintf(what, sizeof what, "%d axes of %s", arrays->dims, lg_type_name(arrays->type));
    compare(contexts, arrays, &p, what);
    p.squares = p.counts_above = true;
    p.above = 2;
    compare(contexts, arrays, &p, what);
    p.kind = LG_AREASUM_RIPMAP;
    p.extremes = true;
    p.bins = 5;
    p.high = 100;
    compare(contexts, arrays, &p, what);
    for (int i = 0; i < 4 && floats && arrays->channels == 1; i++) {
        p = lg_areasum_params_default();
        p.precision = LG_AREA_PLAIN;
        p.kind = i ? LG_AREASUM_RIPMAP : LG_AREASUM_TABLE;
        p.share_array = i > 1;
        compare(contexts, arrays, &p, what);
    }
    compare_smooth(contexts, arrays);
    if (!floats && arrays->dims == 2)
        compare_moments(contexts, arrays);
}

static void test_device(lg_context *plain, lg_context *limited, int channels)
{
    static const int64_t extents[][3] = {{301, 263, 1}, {61, 53, 29}, {65537, 1, 1}};
    lg_context *const contexts[2] = {plain, limited};
    if (!plain || !limited)
        return;
    CHECK(!lg_context_set_memory(limited, 1, folder, &error), "%s", error.message);
    for (size_t e = 0; e < (device_is_slow(limited) ? 1 : 3); e++)
        for (int type = 0; type < (device_is_slow(limited) && test_is_short() ? 1 : 2); type++) {
            lg_area_array arrays[2];
            for (int i = 0; i < 2; i++) {
                const size_t samples =
                    (size_t)(extents[e][0] * extents[e][1] * extents[e][2] * channels);
                arrays[i] = area_array(type ? LG_F32 : LG_U8, channels, extents[e]);
                void *data = malloc(samples * sizeof(float));
                area_fill(arrays[i].type, data, samples);
                arrays[i].data = data;
            }
            draw_boxes(arrays);
            compare_kinds(contexts, arrays);
            for (int i = 0; i < 2; i++)
                free((void *)(uintptr_t)arrays[i].data);
        }
    if (!limited->vk)
        CHECK(lg_context_scratch(limited) > 1 << 20, "%llu bytes in scratch files",
              (unsigned long long)lg_context_scratch(limited));
}

// Without a limit area sums may outlive their context.
static void test_lifetime(void)
{
    static const int64_t extents[3] = {600, 500, 1};
    lg_context *context = device_open_threads(2);
    lg_areasum *made = NULL;
    lg_area_array array = area_array(LG_U8, 1, extents);
    void *data = malloc(600 * 500);
    array.data = data;
    CHECK(!lg_areasum_create(context, &array, NULL, &made, &error), "%s", error.message);
    lg_context_destroy(&context);
    lg_areasum_destroy(&made);
    free(data);
}

int main(void)
{
    NEED(mkdtemp(folder), "no folder for scratch files");
    for (int threads = 1; threads <= 4; threads += 3) {
        lg_context *plain = device_open_threads(threads), *limited = device_open_threads(threads);
        test_device(plain, limited, threads == 1 ? 2 : 1);
        lg_context_destroy(&plain);
        lg_context_destroy(&limited);
    }
    if (test_wants_vulkan()) {
        lg_context *plain = device_open(NULL, NULL), *limited = device_open(NULL, NULL);
        test_device(plain, limited, 1);
        device_close(&plain);
        device_close(&limited);
    }
    test_lifetime();
    CHECK(rmdir(folder) == 0, "scratch files are left");
    return check_finish("spill_areas");
}
