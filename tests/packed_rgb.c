// Packed RGB, three samples a pixel: the figures and pixels of the padded image, on every CPU level and on
// Vulkan. Beside the rows stands what would change them.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"

#include <lumagraph/io.h>

#include "io/io_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lg_error error;

// One picture twice: padded, and wrapped as packed RGB.
typedef struct pair {
    lg_context *context;
    lg_image *padded, *packed;
    char *memory;
    lg_image_params shape; // of the packed one
} pair;

static const char *row_of(const lg_image *image, int32_t z, int32_t y)
{
    return (const char *)image->data + (size_t)z * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

// `gap`: samples between rows.
static pair open_pair(lg_context *context, lg_type type, int32_t width, int32_t height,
                      int32_t layers, size_t gap, content kind)
{
    const size_t size = lg_type_size(type), row = (size_t)width * 3 * size;
    pair p = {context, .shape = SHAPE(width, height, layers, 3, type, LG_ALPHA_NONE)};
    p.padded = content_image(context, SHAPE(width, height, layers, 4, type, LG_ALPHA_OPAQUE), kind);
    p.shape.row_stride = row + gap * size;
    p.shape.layer_stride = p.shape.row_stride * (size_t)height;
    const size_t bytes = p.shape.layer_stride * (size_t)layers;
    p.memory = malloc(bytes + size); // one sample further, so that pixels begin at odd places
    NEED(p.padded && p.memory, "no images");
    memset(p.memory, 0xff, bytes + size);
    for (int32_t z = 0; z < layers; z++)
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++)
                memcpy(p.memory + size + (size_t)z * p.shape.layer_stride +
                           (size_t)y * p.shape.row_stride + (size_t)x * 3 * size,
                       row_of(p.padded, z, y) + (size_t)x * 4 * size, 3 * size);
    NEED(!lg_image_wrap(context, &p.shape, p.memory + size, &p.packed, &error), "%s",
         error.message);
    return p;
}

static void close_pair(pair *p)
{
    lg_image_destroy(&p->padded);
    lg_image_destroy(&p->packed);
    free(p->memory);
}

// ---- measurements -------------------------------------------------------------------------------

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_moments(const lg_moments *a, const lg_moments *b)
{
    return a->count == b->count && a->nan_count == b->nan_count && a->inf_count == b->inf_count &&
           same_number(a->min, b->min) && same_number(a->max, b->max) &&
           same_number(a->sum, b->sum) && same_number(a->mean, b->mean) &&
           same_number(a->variance, b->variance) &&
           same_number(a->variance_sample, b->variance_sample) && a->exact == b->exact &&
           a->sum_hi == b->sum_hi && a->sum_lo == b->sum_lo;
}

static void compare_moments(const pair *p, const lg_select *select, bool stack)
{
    const size_t count = 3 * (size_t)(stack ? 1 : p->shape.layers);
    const lg_moments_params params = WITH(lg_moments_params, it.select = *select, it.stack = stack);
    lg_moments want[12] = {0}, got[12] = {0};
    CHECK(!lg_measure_moments(p->context, p->padded, &params, want, count, &error), "%s",
          error.message);
    CHECK(!lg_measure_moments(p->context, p->packed, &params, got, count, &error), "%s",
          error.message);
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same = same && same_moments(&want[i], &got[i]);
    CHECK(same, "moments of %d x %d %s, step %d", p->shape.width, p->shape.height,
          lg_type_name(p->shape.type), select->step);
}

static bool same_counts(const lg_histogram *a, const lg_histogram *b)
{
    bool same = a->channels == b->channels && a->layers == b->layers;
    for (int i = 0; same && i < a->channels * a->layers; i++) {
        const lg_histogram_channel *c = &a->channel[i], *d = &b->channel[i];
        same = strcmp(c->name, d->name) == 0 && c->bins == d->bins && c->lo == d->lo &&
               c->hi == d->hi && c->below == d->below && c->above == d->above &&
               c->nan_count == d->nan_count && c->inf_count == d->inf_count &&
               memcmp(c->counts, d->counts, (size_t)c->bins * sizeof *c->counts) == 0;
    }
    return same;
}

static void compare_histograms(const pair *p, const lg_select *select, lg_space space, int bins)
{
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.select = *select, it.space = space, it.bins = bins,
             it.automatic_range = bins == 100);
    lg_histogram *want = NULL, *got = NULL;
    const lg_status status = lg_measure_histogram(p->context, p->padded, &params, &want, &error);
    const lg_status packed = lg_measure_histogram(p->context, p->packed, &params, &got, &error);
    CHECK(status == packed && (status || same_counts(want, got)),
          "histogram of %d x %d %s, %s, %d bins, step %d: %s", p->shape.width, p->shape.height,
          lg_type_name(p->shape.type), lg_space_name(space), bins, select->step, error.message);
    lg_histogram_destroy(&want);
    lg_histogram_destroy(&got);
}

static bool same_rows(const lg_image *a, const lg_image *b)
{
    const size_t row = (size_t)a->shape.width * lg_pixel_size(&a->shape);
    bool same = a->shape.width == b->shape.width && a->shape.height == b->shape.height &&
                a->shape.layers == b->shape.layers && a->shape.channels == b->shape.channels;
    for (int32_t z = 0; same && z < a->shape.layers; z++)
        for (int32_t y = 0; same && y < a->shape.height; y++)
            same = memcmp(row_of(a, z, y), row_of(b, z, y), row) == 0;
    return same;
}

static bool same_levels(const lg_threshold *a, const lg_threshold *b)
{
    bool same = a->levels == b->levels && same_number(a->separability, b->separability) &&
                a->foreground == b->foreground && a->total == b->total;
    for (int i = 0; i < a->levels; i++)
        same = same && same_number(a->level[i], b->level[i]) && a->bin[i] == b->bin[i];
    return same;
}

static void compare_thresholds(const pair *p, const lg_select *select, lg_threshold_method method)
{
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.select = *select, it.method = method, it.value = 0.5);
    lg_threshold want[4] = {0}, got[4] = {0};
    lg_image *a = NULL, *b = NULL;
    const lg_status status =
        lg_threshold_image(p->context, p->padded, &params, want, 4, &a, &error);
    const lg_status packed = lg_threshold_image(p->context, p->packed, &params, got, 4, &b, &error);
    for (int i = 0; i < 2 && !status && !packed; i++)
        CHECK(!lg_image_download(p->context, i ? a : b, &error), "%s", error.message);
    CHECK(status == packed && (status || (same_levels(want, got) &&
                                          same_levels(&want[1], &got[1]) && same_rows(a, b))),
          "%s threshold of %d x %d %s, step %d: %s", lg_threshold_method_name(method),
          p->shape.width, p->shape.height, lg_type_name(p->shape.type), select->step,
          error.message);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

static void compare_measurements(const pair *p)
{
    lg_image *mask = content_mask(p->context, &p->shape, 1);
    const lg_region inner = {p->shape.width / 3, p->shape.height / 4,
                             p->shape.width - p->shape.width / 3,
                             p->shape.height - p->shape.height / 4};
    lg_select selects[4];
    for (int i = 0; i < 4; i++)
        selects[i] = lg_select_default();
    selects[1].region = &inner;
    selects[2].step = 3;
    selects[3].mask = mask;
    static unsigned turn;
    const unsigned count = test_is_short() ? 3 : 4, only = turn++ % count;
    for (unsigned i = 0; i < count; i++) {
        if (device_is_slow(p->context) && i != only)
            continue;
        compare_moments(p, &selects[i], i % 2);
        compare_histograms(p, &selects[i], LG_SPACE_STORED, -1);
        compare_histograms(p, &selects[i], i % 2 ? LG_SPACE_RGBL : LG_SPACE_LUMA, 256);
        compare_histograms(p, &selects[i], i % 2 ? LG_SPACE_HSV : LG_SPACE_LAB, 100);
        compare_thresholds(p, &selects[i], i % 2 ? LG_THRESHOLD_MEAN : LG_THRESHOLD_OTSU);
        compare_thresholds(p, &selects[i], LG_THRESHOLD_VALUE);
    }
    lg_image_destroy(&mask);
}

// ---- the plain references -----------------------------------------------------------------------

// Sums in 64 bits and counts by hand, of bytes.
static void test_against_sums(lg_context *context)
{
    pair p = open_pair(context, LG_U8, 333, 7, 1, 2, CONTENT_UNIT);
    uint64_t sum[3] = {0}, counts[3][256] = {{0}};
    for (int32_t y = 0; y < 7; y++)
        for (int32_t i = 0; i < 333 * 3; i++) {
            const uint8_t v = (uint8_t)row_of(p.packed, 0, y)[i];
            sum[i % 3] += v, counts[i % 3][v]++;
        }
    lg_moments m[3];
    lg_histogram *h = NULL;
    NEED(!lg_measure_moments(context, p.packed, NULL, m, 3, &error) &&
             !lg_measure_histogram(context, p.packed, NULL, &h, &error),
         "%s", error.message);
    for (int c = 0; c < 3; c++)
        CHECK(m[c].sum_lo == sum[c] && m[c].count == 333 * 7 &&
                  memcmp(h->channel[c].counts, counts[c], sizeof counts[c]) == 0 &&
                  strcmp(lg_channel_name(&p.packed->shape, c), h->channel[c].name) == 0,
              "channel %d", c);
    lg_histogram_destroy(&h);
    close_pair(&p);
}

// ---- pipelines ----------------------------------------------------------------------------------

static void run_pipeline(const pair *p, const char *text, bool packed, lg_type type, lg_image **out)
{
    lg_image *const in[2] = {packed ? p->packed : p->padded, packed ? p->packed : p->padded};
    const lg_image_params shapes[2] = {in[0]->shape, in[1]->shape};
    pipeline run;
    const bool two = strstr(text, "#over") != NULL;
    if (!pipeline_open(&run, p->context, text, shapes, two ? 2 : 1, &type))
        return;
    CHECK(!lg_image_create(p->context, &run.out, out, &error) &&
              !lg_plan_run(run.plan, in, out, &error),
          "%s: %s", text, error.message);
    pipeline_close(&run);
}

static void compare_pipeline(const pair *p, const char *text, lg_type type)
{
    lg_image *want = NULL, *got = NULL;
    run_pipeline(p, text, false, type, &want);
    run_pipeline(p, text, true, type, &got);
    CHECK(want && got && same_rows(want, got), "%s of %d x %d %s to %s", text, p->shape.width,
          p->shape.height, lg_type_name(p->shape.type), lg_type_name(type));
    lg_image_destroy(&want);
    lg_image_destroy(&got);
}

static const char *const pipelines[] = {
    "color_invert",
    "contrast:contrast=1.7 | gamma:gamma=0.7",
    "saturation:saturation=0.3 | brightness:brightness=@mean*0.1",
    "multiply_blend:over=#over",
    "sobel_edge_detection",
    "emboss",
    "swirl",
    "bulge_distortion:border=constant",
    "vignette",
    "gaussian_blur:radius=2",
    "box_blur:radius=1",
    "bilateral",
    "dilation:radius=1",
    "canny_edge_detection",
    "luminance_threshold:threshold=@luma.otsu",
    "color_packing",
    "contrast:contrast=@components*0.01 | brightness:brightness=@pick*0.1",
};

// Of each three one in the short form, and on a slow device; of each nine one where it is both.
static void compare_pipelines(const pair *p, int turn)
{
    const lg_type own = p->shape.type;
    const bool is_short = test_is_short(), is_slow = device_is_slow(p->context);
    const size_t of = is_short && is_slow ? 9 : is_short || is_slow ? 3 : 1;
    for (size_t i = 0; i < LG_COUNT(pipelines); i++)
        if (i % of == (size_t)turn % of)
            compare_pipeline(p, pipelines[i], (i + (size_t)turn) % 2 ? own : LG_F32);
}

// ---- a device copy, and what is refused ---------------------------------------------------------

static void test_copy(lg_context *context, lg_type type)
{
    pair p = open_pair(context, type, 43, 5, 2, 1, CONTENT_UNIT);
    const size_t bytes = p.shape.layer_stride * 2 + lg_type_size(type);
    char *before = malloc(bytes);
    NEED(before, "no memory");
    memcpy(before, p.memory, bytes);
    CHECK(!lg_image_upload(context, p.packed, &error), "%s", error.message);
    compare_measurements(&p);
    compare_pipeline(&p, "contrast:contrast=1.7", type);
    CHECK(!lg_image_download(context, p.packed, &error) && memcmp(before, p.memory, bytes) == 0,
          "pixels of %s after upload and download", lg_type_name(type));
    free(before);
    close_pair(&p);
}

// Few long rows, which threads share by columns on their way to a device.
static void test_wide(lg_context *context)
{
    pair p = open_pair(context, LG_U16, 200001, 1, 1, 0, CONTENT_UNIT);
    const lg_select all = lg_select_default();
    const size_t bytes = p.shape.layer_stride + 2;
    char *before = malloc(bytes);
    NEED(before, "no memory");
    memcpy(before, p.memory, bytes);
    CHECK(!lg_image_upload(context, p.packed, &error), "%s", error.message);
    compare_moments(&p, &all, false);
    memset(p.memory + 2, 0, bytes - 2);
    CHECK(!lg_image_download(context, p.packed, &error) &&
              (!context->vk || memcmp(before, p.memory, bytes) == 0),
          "a row of %d pixels after upload and download", p.shape.width);
    free(before);
    close_pair(&p);
}

static void test_refused(lg_context *context)
{
    pair p = open_pair(context, LG_U8, 9, 4, 1, 0, CONTENT_UNIT);
    lg_image *out = NULL;
    lg_image_params shape = SHAPE(9, 4, 1, 3, LG_U8, LG_ALPHA_NONE);
    CHECK(lg_image_create(context, &shape, &out, &error) == LG_ERROR_ARGUMENT && !out &&
              strstr(error.message, "wrap it"),
          "%s", error.message);
    CHECK(lg_image_create_device(context, &shape, &out, &error) == LG_ERROR_ARGUMENT && !out &&
              strstr(error.message, "wrap it"),
          "%s", error.message);
    shape.alpha = LG_ALPHA_OPAQUE;
    shape.row_stride = 27, shape.layer_stride = 108;
    CHECK(lg_image_wrap(context, &shape, p.memory, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "three channels has no alpha"),
          "%s", error.message);
    pipeline run;
    NEED(pipeline_open(&run, context, "color_invert", &p.packed->shape, 1, NULL), "no plan");
    CHECK(run.out.channels == 4 && run.out.alpha == LG_ALPHA_OPAQUE, "%d channels",
          run.out.channels);
    CHECK(lg_plan_run(run.plan, &p.packed, &p.packed, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "3 channels"),
          "%s", error.message);
    NEED(!lg_image_create(context, &run.out, &out, &error), "%s", error.message);
    CHECK(lg_plan_run(run.plan, &p.padded, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "made for 9 x 4 x 1 with 3 channels"),
          "%s", error.message);
    lg_image_destroy(&out);
    pipeline_close(&run);
    lg_components *components = NULL;
    CHECK(lg_label_image(context, p.packed, NULL, NULL, NULL, &components, &error) ==
              LG_ERROR_ARGUMENT,
          "labels of packed RGB");
    CHECK(lg_image_write(p.packed, "packed.png", NULL, &error) == LG_ERROR_UNSUPPORTED,
          "a file of it");
    close_pair(&p);
}

// ---- all ----------------------------------------------------------------------------------------

static void test_context(lg_context *context, bool vulkan)
{
    static const int32_t widths[] = {1, 2, 5, 67, 515};
    test_refused(context);
    test_wide(context);
    test_against_sums(context);
    int turn = 0;
    for (int t = 0; t < LG_TYPES; t++) {
        for (size_t i = 0; i < LG_COUNT(widths); i++, turn++) {
            if ((test_is_short() || device_is_slow(context)) && i % 2 == 0)
                continue;
            const content kind = t < LG_F16 || i % 2 ? CONTENT_UNIT : CONTENT_SPRINKLED;
            pair p = open_pair(context, (lg_type)t, widths[i], widths[i] < 67 ? 9 : 23,
                               1 + turn % 2, (size_t)turn % 3, kind);
            compare_measurements(&p);
            if (!vulkan || i == 1 || i == 3)
                compare_pipelines(&p, turn);
            close_pair(&p);
        }
        test_copy(context, (lg_type)t);
    }
}

// Rows of files, of every width around vectors: spread to four channels, and packed, sample by sample. What
// lies behind a row stays.
static void test_rows_of_files(void)
{
    enum { MOST = 100, GUARD = 8 };
    for (int width = 1; width <= MOST; width++) {
        uint8_t packed[MOST * 3], row[MOST * 4 + GUARD], back[MOST * 3 + GUARD];
        bool spread = true, same = true;
        memset(row, 0xa5, sizeof row);
        memset(back, 0xa5, sizeof back);
        for (int i = 0; i < width * 3; i++)
            row[i] = packed[i] = (uint8_t)random_below(256);
        lg_expand_rgb(row, (size_t)width, 1);
        for (int i = 0; i < width * 4; i++)
            spread = spread && row[i] == (i % 4 == 3 ? 0 : packed[i / 4 * 3 + i % 4]);
        CHECK(spread && row[width * 4] == 0xa5, "%d pixels are spread", width);
        for (int i = 3; i < width * 4; i += 4)
            row[i] = (uint8_t)random_below(256);
        const lg_image_params shape = {.width = width,
                                       .height = 1,
                                       .layers = 1,
                                       .channels = 4,
                                       .type = LG_U8,
                                       .alpha = LG_ALPHA_OPAQUE};
        lg_pack_row(&shape, row, back);
        same = memcmp(back, packed, (size_t)width * 3) == 0;
        CHECK(same && back[width * 3] == 0xa5, "%d pixels are packed", width);
    }
}

int main(void)
{
    random_seed(7);
    test_rows_of_files();
    for (int level = LG_CPU_V2; level <= LG_CPU_V4; level++) {
        lg_context *context = device_open_level((lg_cpu_level)level, 1 + level % 3);
        if (!context)
            continue;
        test_context(context, false);
        lg_context_destroy(&context);
    }
    lg_context *vulkan = device_open(NULL, NULL);
    if (vulkan) {
        test_context(vulkan, true);
        device_close(&vulkan);
    }
    return check_finish("packed_rgb");
}
