// One small round through every kernel on a Vulkan device, against the CPU: short enough for the GPU-assisted
// validation layer, which makes every memory access slow.
#include "check.h"
#include "device.h"

#include <lumagraph/lumagraph.h>

#include <stdlib.h>
#include <string.h>

typedef struct pair {
    lg_context *device, *cpu;
} pair;

static lg_image *make_image(lg_context *context, lg_type type, int channels, int width, int height)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 2,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE};
    lg_image *image = NULL;
    if (lg_image_create(context, &shape, &image, NULL) != LG_OK)
        abort();
    for (int y = 0; y < 2 * height; y++) {
        uint8_t *row = (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
        for (int x = 0; x < width * channels; x++) {
            const float value = (float)random_unit();
            if (type == LG_F32)
                memcpy(row + 4 * x, &value, 4);
            else
                row[x] = (uint8_t)random_below(256);
        }
    }
    return image;
}

static bool same_figures(const lg_moments *a, const lg_moments *b)
{
    return a->count == b->count && a->min == b->min && a->max == b->max && a->sum == b->sum &&
           a->mean == b->mean && a->variance == b->variance;
}

static void check_moments(const pair *p, const lg_image *image, const lg_select *select)
{
    lg_moments_params params = lg_moments_params_default();
    lg_moments got[8], want[8];
    lg_error error = {LG_OK, ""};
    params.select = *select;
    CHECK(lg_measure_moments(p->device, image, &params, got, 8, &error) == LG_OK, "%s",
          error.message);
    CHECK(lg_measure_moments(p->cpu, image, &params, want, 8, &error) == LG_OK, "%s",
          error.message);
    for (int i = 0; i < 2 * lg_image_measured_channels(&image->shape); i++)
        CHECK(same_figures(&got[i], &want[i]), "moments %s, figure %d",
              lg_type_name(image->shape.type), i);
}

static void check_histogram(const pair *p, const lg_image *image, const lg_select *select,
                            lg_space space, lg_histogram_variant variant)
{
    lg_histogram_params params = lg_histogram_params_default();
    lg_histogram *got = NULL, *want = NULL;
    lg_error error = {LG_OK, ""};
    params.select = *select;
    params.space = space;
    params.variant = variant;
    const lg_status status = lg_measure_histogram(p->device, image, &params, &got, &error);
    if (status == LG_ERROR_UNSUPPORTED) {
        check_skip("a histogram variant that does not count these samples");
        return;
    }
    params.variant = LG_HISTOGRAM_AUTO;
    CHECK(status == LG_OK, "%s", error.message);
    NEED(lg_measure_histogram(p->cpu, image, &params, &want, &error) == LG_OK, "%s", error.message);
    for (int i = 0; got && want && i < got->channels * got->layers; i++)
        CHECK(memcmp(got->channel[i].counts, want->channel[i].counts,
                     (size_t)got->channel[i].bins * sizeof(uint64_t)) == 0,
              "histogram %s, channel %d", lg_histogram_variant_name(variant), i);
    lg_histogram_destroy(&got);
    lg_histogram_destroy(&want);
}

static void check_threshold(const pair *p, const lg_image *image, lg_threshold_method method)
{
    lg_threshold_params params = lg_threshold_params_default();
    lg_threshold got[2], want[2];
    lg_image *got_mask = NULL, *want_mask = NULL;
    lg_error error = {LG_OK, ""};
    params.method = method;
    params.value = 100;
    NEED(lg_threshold_image(p->device, image, &params, got, 2, &got_mask, &error) == LG_OK, "%s",
         error.message);
    NEED(lg_threshold_image(p->cpu, image, &params, want, 2, &want_mask, &error) == LG_OK, "%s",
         error.message);
    for (int i = 0; i < 2; i++)
        CHECK(got[i].level[0] == want[i].level[0] && got[i].foreground == want[i].foreground,
              "threshold of layer %d: %g, CPU %g", i, got[i].level[0], want[i].level[0]);
    for (int y = 0; got_mask && want_mask && y < 2 * got_mask->shape.height; y++)
        CHECK(memcmp((uint8_t *)got_mask->data + (size_t)y * got_mask->shape.row_stride,
                     (uint8_t *)want_mask->data + (size_t)y * want_mask->shape.row_stride,
                     (size_t)got_mask->shape.width) == 0,
              "mask row %d", y);
    lg_image_destroy(&got_mask);
    lg_image_destroy(&want_mask);
}

static void check_type(const pair *p, lg_type type, int channels)
{
    const lg_region region = {3, 1, 140, 30};
    lg_image *image = make_image(p->device, type, channels, 150, 40);
    lg_select whole = lg_select_default(), part = whole, chosen = whole;
    part.region = &region;
    chosen.skip_transparent = true;
    chosen.step = 3;
    check_moments(p, image, &whole);
    if (type == LG_F32 && test_is_short())
        check_skip("moments of a part of floats take minutes to compile with every access watched");
    else
        check_moments(p, image, &part);
    check_moments(p, image, &chosen);
    for (int v = LG_HISTOGRAM_VK_LANE_PRIVATE; v <= LG_HISTOGRAM_VK_PARTIALS_HOST; v++)
        check_histogram(p, image, &whole, LG_SPACE_STORED, (lg_histogram_variant)v);
    check_histogram(p, image, &chosen, LG_SPACE_RGBL, LG_HISTOGRAM_VK_REPLICATED);
    if (channels == 4)
        check_histogram(p, image, &part, LG_SPACE_LAB, LG_HISTOGRAM_VK_REPLICATED);
    check_threshold(p, image, LG_THRESHOLD_OTSU);
    check_threshold(p, image, LG_THRESHOLD_MEAN);
    lg_image_destroy(&image);
}

// ---- labels ---------------------------------------------------------------------------------------

static void compare_labels(const lg_labels *got, const lg_labels *want, const char *what)
{
    const size_t row = (size_t)want->width * sizeof *want->data;
    CHECK(got->count == want->count && got->data, "%s: %u components, not %u", what, got->count,
          want->count);
    for (int y = 0; got->data && y < want->height * want->layers; y++)
        CHECK(!memcmp((const char *)got->data + (size_t)y * got->row_stride,
                      (const char *)want->data + (size_t)y * want->row_stride, row),
              "%s: row %d", what, y);
}

static void compare_column(const lg_components *got, const lg_components *want, lg_column column,
                           const char *what)
{
    const size_t n = lg_components_count(want);
    double *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b);
    lg_error error = {LG_OK, ""};
    CHECK(n == lg_components_count(got) && !lg_components_column(got, column, a, &error) &&
              !lg_components_column(want, column, b, &error) && !memcmp(a, b, n * sizeof *a),
          "%s: %s differs; %s", what, lg_column_name(column), error.message);
    free(a);
    free(b);
}

// Several tiles in every direction; all kernels of labels take part.
static void check_labels(const pair *p, const lg_label_params *params, const lg_image *intensity,
                         const char *what)
{
    lg_column columns[] = {LG_COLUMN_AREA,  LG_COLUMN_PERIMETER, LG_COLUMN_X,
                           LG_COLUMN_DEPTH, LG_COLUMN_CY,        LG_COLUMN_CZ,
                           LG_COLUMN_MAX,   LG_COLUMN_MZ,        LG_COLUMN_VARIANCE};
    const size_t wanted = intensity ? sizeof columns / sizeof columns[0] : 6;
    lg_image *image = make_image(p->device, LG_U8, 1, 150, 70);
    if (!params->shape)
        columns[1] = LG_COLUMN_EXTENT;
    for (int y = 0; y < 2 * image->shape.height; y++)
        for (int x = 0; x < image->shape.width; x++)
            ((uint8_t *)image->data)[(size_t)y * image->shape.row_stride + (size_t)x] /= 64;
    lg_labels *got = NULL, *want = NULL;
    lg_components *figures = NULL, *other = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_label_image(p->device, image, params, intensity, &got, &figures, &error) &&
             !lg_labels_download(p->device, got, &error) &&
             !lg_label_image(p->cpu, image, params, intensity, &want, &other, &error),
         "%s: %s", what, error.message);
    if (got && want && figures && other) {
        compare_labels(got, want, what);
        for (size_t i = 0; i < wanted; i++)
            compare_column(figures, other, columns[i], what);
    }
    lg_labels_destroy(&got);
    lg_labels_destroy(&want);
    lg_components_destroy(&figures);
    lg_components_destroy(&other);
    lg_image_destroy(&image);
}

int main(void)
{
    pair p = {device_open(NULL, NULL), NULL};
    if (!p.device)
        return check_finish("vulkan_smoke");
    if (lg_context_create(
            WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.use_cache = false), &p.cpu,
            NULL))
        abort();
    random_seed(7);
    check_type(&p, LG_U8, 1);
    check_type(&p, LG_U8, 4);
    check_type(&p, LG_U16, 1);
    check_type(&p, LG_F32, 1);
    check_labels(&p,
                 WITH_REF(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 1,
                          it.connectivity = 8, it.shape = true),
                 NULL, "labels");
    for (int type = 0; type < LG_TYPES && !test_is_short(); type++) {
        lg_image *intensity = make_image(p.device, (lg_type)type, 1, 150, 70);
        check_labels(&p,
                     WITH_REF(lg_label_params, it.foreground = LG_FOREGROUND_VALUES,
                              it.connectivity = 18, it.moments = true),
                     intensity, lg_type_name((lg_type)type));
        lg_image_destroy(&intensity);
    }
    if (test_is_short())
        check_skip("labels of values, and with all sums, take a minute to compile with every "
                   "access watched");
    device_close(&p.device);
    lg_context_destroy(&p.cpu);
    return check_finish("vulkan_smoke");
}
