// Area sums on the CPU and on Vulkan: the same figures, bit for bit, through the same interface.
#include "check.h"
#include "device.h"

#include <lumagraph/lumagraph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/areasum/areasum_planes.h"

static lg_context *cpu, *vulkan;
static int on_device;   // structures that the device had
static bool all_finite; // floats of 32 bits: finite, and of magnitudes far apart

static void fill(lg_area_array *a)
{
    const size_t bytes = (size_t)a->stride[a->dims - 1] * (size_t)a->extent[a->dims - 1];
    uint8_t *data = (uint8_t *)(uintptr_t)a->data;
    random_bytes(data, bytes);
    for (size_t i = 0; i + 4 <= bytes && a->type == LG_F32; i += 4) {
        const float x = all_finite
                            ? ldexpf((float)random_unit() * 2 - 1, (int)random_below(41) - 20)
                        : random_below(40) ? (float)(random_unit() * 3 - 1)
                        : random_below(2)  ? (float)NAN
                                           : -INFINITY;
        memcpy(data + i, &x, 4);
    }
    for (size_t i = 0; i + 4 <= bytes && a->type == LG_I32; i += 4) {
        const int32_t v = (int32_t)random_below(200001) - 100000;
        memcpy(data + i, &v, 4);
    }
}

static void any_boxes(const lg_area_array *a, int32_t *bounds, int count)
{
    for (int i = 0; i < count; i++, bounds += 2 * a->dims)
        for (int d = 0; d < a->dims; d++) {
            const int32_t p = (int32_t)random_below((uint64_t)a->extent[d]),
                          q = (int32_t)random_below((uint64_t)a->extent[d]);
            bounds[d] = i % 5 ? LG_MIN(p, q) : 0;
            bounds[a->dims + d] = i % 7 ? LG_MAX(p, q) + 1 : (int32_t)a->extent[d];
        }
}

#define BOXES 40

static void compare_figures(const lg_area_array *a, lg_areasum *const *sums)
{
    int32_t bounds[BOXES * 2 * LG_AREA_DIMS];
    any_boxes(a, bounds, BOXES);
    for (int figure = 0; figure < LG_AREA_FIGURES; figure++) {
        double out[2][BOXES * 4], whole[2][4];
        lg_status status[2];
        lg_error error = {LG_OK, ""};
        for (int k = 0; k < 2; k++) {
            lg_context *context = k ? vulkan : cpu;
            memset(out[k], 0, sizeof out[k]);
            memset(whole[k], 0, sizeof whole[k]);
            status[k] = lg_areasum_query(context, sums[k], (lg_area_figure)figure, bounds, BOXES,
                                         out[k], &error);
            if (!status[k])
                status[k] = lg_area_query_union(context, sums[k], (lg_area_figure)figure, bounds, 3,
                                                whole[k], &error);
        }
        CHECK(status[0] == status[1] && memcmp(out[0], out[1], sizeof out[0]) == 0 &&
                  memcmp(whole[0], whole[1], sizeof whole[0]) == 0,
              "%s of kind %d, type %d, %lld x %lld x %lld, %d channels: %s",
              lg_area_figure_name((lg_area_figure)figure), (int)sums[0]->params.kind, (int)a->type,
              (long long)a->extent[0], (long long)a->extent[1], (long long)a->extent[2],
              a->channels, error.message);
    }
}

static void compare_histograms(const lg_area_array *a, lg_areasum *const *sums)
{
    const lg_areasum_params *p = &sums[0]->params;
    const size_t words = BOXES * (size_t)a->channels * (size_t)p->bins;
    int32_t bounds[BOXES * 6];
    uint64_t *out[2] = {calloc(words, 8), calloc(words, 8)};
    lg_error error = {LG_OK, ""};
    lg_status status[2];
    any_boxes(a, bounds, BOXES);
    for (int k = 0; k < 2; k++)
        status[k] =
            lg_areasum_query_histogram(k ? vulkan : cpu, sums[k], bounds, BOXES, out[k], &error);
    CHECK(!status[0] && !status[1] && memcmp(out[0], out[1], words * 8) == 0,
          "%d bins of type %d, %d channels, from %g to %g: %s", p->bins, (int)a->type, a->channels,
          p->low, p->high, error.message);
    free(out[0]);
    free(out[1]);
}

static void compare(lg_type type, int dims, int channels, const int64_t *extent,
                    const lg_areasum_params *params)
{
    lg_area_array a = {.type = type, .dims = dims, .channels = channels};
    memcpy(a.extent, extent, sizeof *extent * (size_t)dims);
    lg_area_array_pack(&a);
    uint8_t *data = malloc((size_t)a.stride[dims - 1] * (size_t)extent[dims - 1]);
    a.data = data;
    lg_areasum *sums[2] = {NULL, NULL};
    lg_error error = {LG_OK, ""};
    for (int turn = 0; turn < 2; turn++) {
        fill(&a);
        for (int k = 0; k < 2; k++) {
            lg_context *context = k ? vulkan : cpu;
            const lg_status status = turn
                                         ? lg_areasum_update(context, sums[k], &a, &error)
                                         : lg_areasum_create(context, &a, params, &sums[k], &error);
            CHECK(status == LG_OK, "%s", error.message);
            if (status)
                return;
        }
        on_device += sums[1]->device != NULL;
        compare_figures(&a, sums);
        if (params->bins)
            compare_histograms(&a, sums);
    }
    lg_areasum_destroy(&sums[0]);
    lg_areasum_destroy(&sums[1]);
    free(data);
}

static void test_random(void)
{
    static const int64_t sides[] = {1, 2, 3, 5, 16, 31, 33, 64, 65, 100, 127, 129, 200};
    for (int i = 0; i < test_extent(2, 5, 400); i++) {
        const lg_type type = (lg_type)(i % LG_F64);
        const bool ripmap = i / LG_F64 % 2, floats = lg_area_is_float(type);
        const int dims = 1 + (int)random_below(3), channels = 1 + (int)random_below(4);
        int64_t extent[3];
        for (int d = 0; d < dims; d++)
            extent[d] = d < 2 ? sides[random_below(LG_COUNT(sides))] : 1 + (int64_t)random_below(5);
        const lg_areasum_params params =
            WITH(lg_areasum_params, it.kind = (lg_areasum_kind)ripmap, it.squares = i % 3,
                 it.extremes = ripmap, it.counts_above = i % 2, it.above = floats ? 0.3 : 77.5,
                 it.bins = ripmap ? i % 4 : 0, it.low = floats ? -0.7 : 3,
                 it.high = floats ? 1.9 : 251.5);
        compare(type, dims, channels, extent, &params);
    }
    CHECK(on_device > 0, "nothing was on the device");
}

// With and without samples that are left out.
static void test_squares(void)
{
    const int before = on_device;
    for (int k = 0; k < 2; k++) {
        all_finite = k;
        compare(LG_F32, 3, 1, (const int64_t[]){20, 30, 5},
                WITH_REF(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.squares = true));
    }
    all_finite = false;
    CHECK(on_device == before + 4, "ripmaps with squares belong on the device");
}

// Samples as they are uploaded may be the first block of plain sums: rows of a
// multiple of 16 bytes, all finite.
static void test_first_block(void)
{
    static const int64_t extents[][3] = {{64, 33, 1}, {132, 21, 3}, {4096, 1, 1}, {66, 30, 2}};
    const lg_areasum_params params[] = {
        WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.precision = LG_AREA_PLAIN),
        WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.precision = LG_AREA_PLAIN,
             it.extremes = true, it.counts_above = true, it.above = 0.2)};
    const int before = on_device, step = test_extent(3, 1, 1);
    for (int i = 0; i < 16; i += step) {
        const int64_t *extent = extents[i % 4];
        all_finite = i % 8 < 6;
        compare(LG_F32,
                extent[2] > 1   ? 3
                : extent[1] > 1 ? 2
                                : 1,
                i < 8 ? 1 : 2, extent, &params[i / 4 % 2]);
    }
    all_finite = false;
    CHECK(on_device == before + 2 * ((15 + step) / step), "ripmaps of floats belong on the device");
}

// What the kernels cannot do is built on the CPU, and says so.
static void test_others(void)
{
    static const int64_t extent[] = {20, 30, 4, 3};
    const int before = on_device;
    compare(LG_U8, 4, 1, extent, WITH_REF(lg_areasum_params));
    CHECK(on_device == before, "the device had what it cannot do");
    compare(LG_F32, 2, 1, extent, WITH_REF(lg_areasum_params, it.precision = LG_AREA_PLAIN));
    compare(LG_U8, 2, 1, extent,
            WITH_REF(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP, it.bins = 3, it.low = 20,
                     it.high = 230));
    CHECK(on_device == before + 4, "plain tables and histograms belong on the device");
}

int main(void)
{
    random_seed(41);
    vulkan = device_open(NULL, NULL);
    if (vulkan) {
        cpu = device_open_threads(2);
        test_random();
        test_squares();
        test_first_block();
        test_others();
        lg_context_destroy(&cpu);
    }
    device_close(&vulkan);
    return check_finish("device_areasum");
}
