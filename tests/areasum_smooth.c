// Boxes smoothed several times against convolutions, written out.
#include "check.h"
#include "device.h"
#include "kernel.h"

#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_sample(lg_type type, void *to)
{
    const double unit = random_unit() * 2 - 1;
    const int32_t integer = (int32_t)random_u64() / 16;
    const float single = (float)unit;
    const uint16_t half = lg_float_to_half(single);
    switch (type) {
    case LG_F16:
        memcpy(to, &half, sizeof half);
        break;
    case LG_I32:
        memcpy(to, &integer, sizeof integer);
        break;
    case LG_F32:
        memcpy(to, &single, sizeof single);
        break;
    case LG_F64:
        memcpy(to, &unit, sizeof unit);
        break;
    default:
        random_bytes(to, lg_type_size(type));
    }
}

static double sample_of(lg_type type, const char *at)
{
    uint16_t half;
    int32_t integer;
    float single;
    double real;
    memcpy(&half, at, LG_MIN(lg_type_size(type), sizeof half));
    switch (type) {
    case LG_U8:
        return *(const uint8_t *)at;
    case LG_U16:
        return half;
    case LG_F16:
        return (double)lg_half_to_float(half);
    case LG_I32:
        memcpy(&integer, at, sizeof integer);
        return integer;
    case LG_F32:
        memcpy(&single, at, sizeof single);
        return (double)single;
    default:
        memcpy(&real, at, sizeof real);
        return real;
    }
}

// Weights of a box of 2 r + 1 elements, convolved with itself; weight[n r] is that of the centre.
static void weights_of(int order, int r, lg_i128 *weight)
{
    int length = 1;
    weight[0] = 1;
    for (int n = 0; n < order; n++) {
        lg_i128 next[256] = {0};
        for (int i = 0; i < length; i++)
            for (int k = 0; k < 2 * r + 1; k++)
                next[i + k] += weight[i];
        length += 2 * r;
        memcpy(weight, next, sizeof *weight * (size_t)length);
    }
}

// The sum and the sum of weights, in units.
static double expected(const lg_area_array *a, int order, const int32_t *bounds, int channel,
                       double unit)
{
    lg_i128 weight[LG_AREA_DIMS][256], sum = 0, all = 0;
    int radius[LG_AREA_DIMS], at[LG_AREA_DIMS] = {0}, length[LG_AREA_DIMS];
    for (int d = 0; d < a->dims; d++) {
        radius[d] = (bounds[a->dims + d] - bounds[d] - 1) / 2;
        length[d] = 2 * order * radius[d] + 1;
        weights_of(order, radius[d], weight[d]);
    }
    for (int d = 0; d < a->dims;) {
        const char *from = (const char *)a->data + channel * (int)lg_type_size(a->type);
        lg_i128 w = 1;
        bool inside = true;
        for (int k = 0; k < a->dims; k++) {
            const int64_t x = bounds[k] + radius[k] - order * radius[k] + at[k];
            inside &= x >= 0 && x < a->extent[k];
            w *= weight[k][at[k]];
            from += inside ? x * a->stride[k] : 0;
        }
        if (inside) {
            sum += w * (lg_i128)rint(sample_of(a->type, from) / unit);
            all += w;
        }
        for (d = 0; d < a->dims && ++at[d] == length[d]; d++)
            at[d] = 0;
    }
    return (double)((long double)sum / (long double)all * (long double)unit);
}

static lg_area_array make_array(lg_type type, int dims, int channels, const int64_t *extent)
{
    lg_area_array a = {.type = type, .dims = dims, .channels = channels};
    size_t elements = 1;
    for (int d = 0; d < dims; d++) {
        a.extent[d] = extent[d];
        elements *= (size_t)extent[d];
    }
    lg_area_array_pack(&a);
    if (dims > 1 && random_below(2)) { // the other order: axis 0 does not vary fastest
        a.stride[dims - 1] = a.stride[0];
        for (int d = dims - 2; d >= 0; d--)
            a.stride[d] = a.stride[d + 1] * a.extent[d + 1];
    }
    char *data = malloc(elements * (size_t)channels * lg_type_size(type));
    NEED(data, "no memory");
    for (size_t i = 0; i < elements * (size_t)channels; i++)
        put_sample(type, data + i * lg_type_size(type));
    a.data = data;
    return a;
}

static void compare(lg_context *context, int order, lg_type type, int dims)
{
    static const int64_t most[] = {0, 90, 24, 9, 6, 4, 4};
    int64_t extent[LG_AREA_DIMS];
    double got[LG_MAX_CHANNELS], again[LG_MAX_CHANNELS];
    lg_area_smooth *s = NULL, *other = NULL;
    lg_error error = {0};
    const int32_t max_side = dims == 1 ? 21 : dims == 2 ? (order < 4 ? 7 : 5) : 3;
    const int channels = 1 + (int)random_below(LG_MAX_CHANNELS);
    for (int d = 0; d < dims; d++)
        extent[d] = 1 + (int64_t)random_below((uint32_t)most[dims]);
    lg_area_array a = make_array(type, dims, channels, extent);
    const lg_status status = lg_area_smooth_create(context, &a, order, max_side, 0, &s, &error);
    if (status == LG_ERROR_LIMIT) { // of many axes: sums that do not fit
        CHECK(dims * order > 8, "%s: %s", lg_type_name(type), error.message);
        free((void *)(uintptr_t)a.data);
        return;
    }
    NEED(!status, "%s", error.message);
    CHECK(!lg_area_smooth_create(kernel_context(), &a, order, max_side, 0, &other, &error), "%s",
          error.message);
    const double unit = lg_area_smooth_unit(s);
    CHECK(lg_area_is_float(type) ? unit < 0x1p-23 : unit == 1, "unit %g", unit);
    for (int i = 0; i < 8; i++) {
        int32_t bounds[2 * LG_AREA_DIMS];
        for (int d = 0; d < dims; d++) {
            const int32_t r = (int32_t)random_below((uint32_t)max_side / 2 + 1);
            const int32_t centre =
                i ? (int32_t)random_below((uint32_t)extent[d]) : (int32_t)extent[d] - 1;
            bounds[d] = centre - r;
            bounds[dims + d] = centre + r + 1;
        }
        CHECK(!lg_area_smooth_query(context, s, bounds, 1, got, &error) &&
                  !lg_area_smooth_query(kernel_context(), other, bounds, 1, again, &error),
              "%s", error.message);
        for (int c = 0; c < channels; c++) {
            const double want = expected(&a, order, bounds, c, unit);
            CHECK(fabs(got[c] - want) <= fabs(want) * 0x1p-52 && got[c] == again[c],
                  "order %d of %s in %d dimensions: %.17g, not %.17g", order, lg_type_name(type),
                  dims, got[c], want);
        }
    }
    lg_area_smooth_destroy(&other);
    lg_area_smooth_destroy(&s);
    free((void *)(uintptr_t)a.data);
}

// Order 1 is a mean of area sums, of samples that are exact in both.
static void like_boxes(lg_context *context)
{
    const int64_t extent[] = {19, 11};
    lg_area_array a = make_array(LG_U16, 2, 1, extent);
    lg_area_smooth *s = NULL;
    lg_areasum *sums = NULL;
    lg_error error = {0};
    NEED(!lg_area_smooth_create(context, &a, 1, 9, 0, &s, &error) &&
             !lg_areasum_create(context, &a, NULL, &sums, &error),
         "%s", error.message);
    for (int i = 0; i < 50; i++) {
        const int32_t x = (int32_t)random_below(11), y = (int32_t)random_below(5);
        const int32_t bounds[] = {x, y, x + 9, y + 7};
        double mean = 0, boxes = 0;
        CHECK(!lg_area_smooth_query(context, s, bounds, 1, &mean, &error) &&
                  !lg_areasum_query(context, sums, LG_AREA_MEAN, bounds, 1, &boxes, &error) &&
                  mean == boxes,
              "%.17g, not %.17g", mean, boxes);
    }
    lg_areasum_destroy(&sums);
    lg_area_smooth_destroy(&s);
    free((void *)(uintptr_t)a.data);
}

static void refuse_creation(lg_context *context, lg_status status, const char *text,
                            lg_area_array a, int order, int32_t side, size_t limit)
{
    lg_area_smooth *s = NULL;
    lg_error error = {0};
    lg_area_array_pack(&a);
    CHECK(lg_area_smooth_create(context, &a, order, side, limit, &s, &error) == status && !s &&
              strstr(error.message, text),
          "%s: %s", text, error.message);
}

static void refusals(lg_context *context)
{
    const float samples[4] = {1, 2, INFINITY, 3};
    const uint8_t bytes[4] = {1, 2, 3, 4};
    const lg_area_array floats = {
        .data = samples, .type = LG_F32, .dims = 1, .channels = 1, .extent = {2}};
    lg_area_array broken = floats, integers = floats;
    broken.extent[0] = 4;
    integers.data = bytes;
    integers.type = LG_U8;
    integers.extent[0] = 4;
    refuse_creation(context, LG_ERROR_ARGUMENT, "smoothed 0 times; 1 to 4", floats, 0, 3, 0);
    refuse_creation(context, LG_ERROR_ARGUMENT, "smoothed 5 times", floats, 5, 3, 0);
    refuse_creation(context, LG_ERROR_ARGUMENT, "an odd number", floats, 2, 4, 0);
    refuse_creation(context, LG_ERROR_ARGUMENT, "an odd number", floats, 2, 0, 0);
    refuse_creation(context, LG_ERROR_DATA, "1 samples are not finite", broken, 2, 3, 0);
    refuse_creation(context, LG_ERROR_LIMIT, "do not fit 64 bits: the largest magnitude is 4",
                    integers, 4, 65535, 0);
    refuse_creation(context, LG_ERROR_LIMIT, "24 are needed", floats, 4, 1001, 0);
    refuse_creation(context, LG_ERROR_LIMIT, "needs 8e-05 MB", integers, 2, 7, 79);
    lg_area_smooth *s = NULL;
    lg_error error = {0};
    double out[1] = {7};
    lg_area_array_pack(&integers);
    NEED(!lg_area_smooth_create(context, &integers, 2, 3, 0, &s, &error), "%s", error.message);
    static const struct {
        int32_t bounds[2];
        const char *text;
    } wrong[] = {{{0, 2}, "window 0 has the side 2 along axis 0"},
                 {{0, 5}, "window 0 has the side 5 along axis 0"},
                 {{2, 1}, "window 0 has the side -1"},
                 {{-2, 1}, "its centre at -1 along axis 0"},
                 {{3, 6}, "its centre at 4 along axis 0"}};
    for (size_t i = 0; i < LG_COUNT(wrong); i++)
        CHECK(lg_area_smooth_query(context, s, wrong[i].bounds, 1, out, &error) ==
                      LG_ERROR_ARGUMENT &&
                  strstr(error.message, wrong[i].text) && out[0] == 7,
              "%s", error.message);
    CHECK(
        lg_area_smooth_query(context, NULL, wrong[0].bounds, 1, out, &error) == LG_ERROR_ARGUMENT &&
            lg_area_smooth_query(context, s, NULL, 1, out, &error) == LG_ERROR_ARGUMENT &&
            lg_area_smooth_query(context, s, wrong[0].bounds, 1, NULL, &error) ==
                LG_ERROR_ARGUMENT &&
            lg_area_smooth_query(NULL, s, wrong[0].bounds, 1, out, &error) == LG_ERROR_ARGUMENT &&
            lg_area_smooth_create(context, &integers, 2, 3, 0, NULL, &error) == LG_ERROR_ARGUMENT &&
            lg_area_smooth_create(NULL, &integers, 2, 3, 0, &s, &error) == LG_ERROR_ARGUMENT,
        "what is missing");
    CHECK(!lg_area_smooth_query(context, s, NULL, 0, NULL, &error) &&
              lg_area_smooth_unit(NULL) == 0,
          "nothing");
    lg_area_smooth_destroy(&s);
    lg_area_smooth_destroy(&s);
    lg_area_smooth_destroy(NULL);
}

// What is on a device only the context of that device may ask for, and build again.
static void of_another_context(lg_context *context)
{
    const uint8_t samples[] = {3, 4, 5, 6, 7, 8};
    const int32_t bounds[] = {0, 0, 3, 1};
    const lg_area_array array = {.data = samples,
                                 .type = LG_U8,
                                 .dims = 2,
                                 .channels = 1,
                                 .extent = {3, 2},
                                 .stride = {1, 3}};
    lg_context *other = device_open_cpu();
    lg_area_smooth *smooth = NULL;
    lg_areasum *sums = NULL;
    lg_error error = {LG_OK, ""};
    double out = 7;
    NEED(!lg_area_smooth_create(context, &array, 1, 3, 0, &smooth, &error) &&
             !lg_areasum_create(context, &array, NULL, &sums, &error),
         "%s", error.message);
    CHECK(lg_area_smooth_query(other, smooth, bounds, 1, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "device of another context") && out == 7,
          "smooth: %s, %g", error.message, out);
    CHECK(lg_areasum_query(other, sums, LG_AREA_SUM, bounds, 1, &out, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "device of another context") && out == 7,
          "sums: %s, %g", error.message, out);
    CHECK(lg_areasum_update(other, sums, &array, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "device of another context"),
          "update: %s", error.message);
    CHECK(!lg_areasum_query(context, sums, LG_AREA_SUM, bounds, 1, &out, &error) && out == 12,
          "the sums are as they were: %g", out);
    lg_areasum_destroy(&sums);
    lg_area_smooth_destroy(&smooth);
    lg_context_destroy(&other);
}

// A device takes three axes, and leaves more to the CPU.
static void on_device(lg_context *context, int order, lg_type type, int dims)
{
    lg_engine_report report = {0};
    compare(context, order, type, dims);
    lg_context_report(context, &report);
    if (dims <= 3)
        CHECK(!report.fallback[0], "%d axes: %s", dims, report.fallback);
    else if (report.fallback[0])
        CHECK(strstr(report.fallback, "number of axes"), "%s", report.fallback);
}

int main(void)
{
    random_seed(33);
    lg_context *context = device_open_cpu();
    for (int i = 0; i < test_extent(60, 300, 2000); i++)
        compare(context, 1 + i % LG_AREA_MAX_ORDER, (lg_type)(i / 4 % LG_ARRAY_TYPES),
                1 + (int)random_below(LG_AREA_DIMS));
    like_boxes(context);
    refusals(context);
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context) {
        like_boxes(context);
        refusals(context);
        for (int i = 0; i < test_extent(12, 24, 600); i++)
            on_device(context, 1 + i % LG_AREA_MAX_ORDER, (lg_type)(i / 4 % LG_ARRAY_TYPES),
                      1 + i % 3);
        on_device(context, 2, LG_U8, 4);
        of_another_context(context);
    }
    device_close(&context);
    return check_finish("areasum_smooth");
}
