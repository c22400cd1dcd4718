// Thresholds of histograms and images: worked examples, a second implementation of every method,
// binarisation against the reference on every CPU level.
#include "check.h"

#include "measure/histogram/histogram.h"
#include "measure/threshold/threshold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- worked examples --------------------------------------------------------------------------------

typedef struct example {
    lg_threshold_method method;
    int level[3];
} example;

static const uint64_t tables[3][12] = {
    {0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0}, // two equal spikes: what any level between them means
    {0, 8, 5, 1, 0, 0, 1, 5, 8, 0, 0, 0}, // mirror image about 4.5
    {0, 0, 9, 6, 3, 2, 1, 1, 1, 0, 0, 0}, // a peak with a tail to the right
};

// -1: none. Entropies of two spikes are equal for every level: the lowest.
static const example examples[] = {
    {LG_THRESHOLD_OTSU, {1, 3, 4}},        {LG_THRESHOLD_MEAN, {3, 4, 3}},
    {LG_THRESHOLD_DEFAULT, {3, 5, 3}},     {LG_THRESHOLD_HUANG, {1, 3, 2}},
    {LG_THRESHOLD_INTERMODES, {3, 4, -1}}, {LG_THRESHOLD_ISODATA, {3, 4, 3}},
    {LG_THRESHOLD_MINIMUM, {2, 4, -1}},    {LG_THRESHOLD_PERCENTILE, {1, 3, 2}},
    {LG_THRESHOLD_MOMENTS, {1, 3, 4}},     {LG_THRESHOLD_TRIANGLE, {2, 3, 4}},
    {LG_THRESHOLD_MAX_ENTROPY, {1, 3, 4}}, {LG_THRESHOLD_SHANBHAG, {1, 3, 5}},
};

static void test_examples(void)
{
    for (size_t i = 0; i < LG_COUNT(examples); i++) {
        for (int t = 0; t < 3; t++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = examples[i].method);
            lg_threshold out = {.bin = {-1}};
            lg_error error = {LG_OK, ""};
            const lg_status status = lg_threshold_native(tables[t], 12, &params, &out, &error);
            const int want = examples[i].level[t];
            CHECK((status == LG_OK) == (want >= 0) && (status == LG_OK || status == LG_ERROR_DATA),
                  "%s on table %d: %s", lg_threshold_method_name(examples[i].method), t,
                  error.message);
            CHECK(out.bin[0] == want, "%s on table %d: %d, worked by hand %d",
                  lg_threshold_method_name(examples[i].method), t, out.bin[0], want);
        }
    }
}

static void test_names(void)
{
    for (int a = 0; a < LG_THRESHOLD_METHODS; a++)
        for (int b = 0; b < a; b++)
            CHECK(strcmp(lg_threshold_method_name(a), lg_threshold_method_name(b)) != 0,
                  "methods %d and %d have one name", a, b);
    CHECK(lg_threshold_method_name(99) != NULL, "a name for what does not exist");
}

// ---- second implementation --------------------------------------------------------------------------

#define CASES 1200

typedef struct query {
    lg_threshold_method method;
    int bins;
    uint64_t counts[256];
} query;

static void random_query(query *q, int run)
{
    static const int sizes[] = {2, 3, 5, 9, 16, 31, 64, 256};
    q->bins = sizes[run % 97 == 0 ? 7 : random_below(7)];
    const double a = random_unit() * q->bins, b = random_unit() * q->bins, s = 1 + q->bins / 9.0;
    for (int i = 0; i < q->bins; i++) {
        const double bumps = 200 * exp(-(i - a) * (i - a) / s) + 90 * exp(-(i - b) * (i - b) / s);
        q->counts[i] = run % 3 == 0   ? random_below(30)
                       : run % 3 == 1 ? (uint64_t)bumps + random_below(3)
                                      : (random_below(3) ? 0 : random_below(100));
    }
    for (int i = 0; run % 5 == 0 && i < q->bins / 4; i++)
        q->counts[i] = q->counts[q->bins - 1 - i] = 0;
    q->counts[q->bins / 2]++;
}

// The script stands in tests/oracle; the path of this source leads there.
static bool script_path(char *out, size_t size)
{
    const char *end = strrchr(__FILE__, '/');
    snprintf(out, size, "%.*s/oracle/thresholds.py", end ? (int)(end - __FILE__) : 1,
             end ? __FILE__ : ".");
    return access(out, R_OK) == 0;
}

static bool write_queries(const char *path, query *queries)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < CASES; i++) {
        fprintf(file, "%s", lg_threshold_method_name(queries[i].method));
        for (int k = 0; k < queries[i].bins; k++)
            fprintf(file, " %llu", (unsigned long long)queries[i].counts[k]);
        fprintf(file, "\n");
    }
    return file && fclose(file) == 0;
}

static void compare_answer(const query *q, int run, char *line)
{
    const lg_threshold_params params = WITH(lg_threshold_params, it.method = q->method);
    lg_threshold got = {.bin = {-1}};
    const lg_status status = lg_threshold_native(q->counts, q->bins, &params, &got, NULL);
    bool allowed = status == LG_ERROR_DATA && strncmp(line, "none", 4) == 0;
    for (char *at = line, *end; status == LG_OK; at = end) {
        const long bin = strtol(at, &end, 10);
        if (end == at)
            break;
        allowed = allowed || bin == got.bin[0];
    }
    line[strcspn(line, "\n")] = 0;
    CHECK(allowed, "case %d, %s of %d bins: %d (status %d), second implementation: %s", run,
          lg_threshold_method_name(q->method), q->bins, got.bin[0], (int)status, line);
}

static void test_second_implementation(void)
{
    char script[512], path[] = "/tmp/lg_thresholds_XXXXXX", command[640], line[4096];
    const int file = mkstemp(path);
    query *queries = malloc(CASES * sizeof *queries);
    if (file < 0 || !queries || !script_path(script, sizeof script)) {
        check_skip("the oracle script is not next to this test's source");
        free(queries);
        return;
    }
    close(file);
    for (int i = 0; i < CASES; i++) {
        do
            queries[i].method = (lg_threshold_method)random_below(LG_THRESHOLD_METHODS);
        while (queries[i].method == LG_THRESHOLD_MULTI_OTSU ||
               queries[i].method == LG_THRESHOLD_VALUE);
        random_query(&queries[i], i);
    }
    snprintf(command, sizeof command, "python3 '%s' < '%s'", script, path);
    FILE *answers = write_queries(path, queries) ? popen(command, "r") : NULL;
    int seen = 0;
    while (answers && seen < CASES && fgets(line, sizeof line, answers)) {
        compare_answer(&queries[seen], seen, line);
        seen++;
    }
    if (answers && pclose(answers) == 0)
        CHECK(seen == CASES, "%d of %d answers", seen, CASES);
    else if (seen == 0)
        check_skip("python3 does not run the second implementation");
    else
        CHECK(false, "the second implementation stopped after %d answers", seen);
    unlink(path);
    free(queries);
}

// ---- images -----------------------------------------------------------------------------------------

static lg_context *make_context(lg_cpu_level level, int threads)
{
    lg_context *context = NULL;
    lg_error error;
    const lg_context_params params = WITH(lg_context_params, it.device = LG_DEVICE_CPU,
                                          it.cpu_level = level, it.threads = threads);
    if (lg_context_create(&params, &context, &error) != LG_OK)
        return NULL;
    return context;
}

static float random_sample(int kind)
{
    if (kind == 1) {
        static const float odd[] = {0, -0.0f, NAN, INFINITY, -INFINITY, 1e-6f, -1, 2, 6e-8f};
        const uint32_t i = random_below(20);
        if (i < LG_COUNT(odd))
            return odd[i];
    }
    const double u = random_unit();
    return (float)(random_below(2) ? 0.2 + 0.1 * u : 0.5 + 0.4 * u);
}

static lg_image *make_image(lg_context *context, lg_type type, int channels, int width, int height,
                            int layers, int kind)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT};
    lg_image *image = NULL;
    if (lg_image_create(context, &shape, &image, NULL) != LG_OK)
        return NULL;
    for (int l = 0; l < layers; l++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width * channels; x++) {
                uint8_t *p = (uint8_t *)image->data + (size_t)l * image->shape.layer_stride +
                             (size_t)y * image->shape.row_stride + (size_t)x * lg_type_size(type);
                const float f = random_sample(type >= LG_F16 ? kind : 0) * (1 + 0.3f * (float)l);
                const float clear =
                    (x % channels == channels - 1 && channels > 1 && random_below(3) == 0) ? 0 : 1;
                const uint16_t word = type == LG_F16   ? lg_float_to_half(f * clear)
                                      : type == LG_U16 ? (uint16_t)(f * 40000 * clear)
                                                       : 0;
                const float real = f * clear;
                const uint8_t byte = type == LG_U8 ? (uint8_t)(f * 160 * clear) : 0;
                memcpy(p,
                       type == LG_U8    ? (const void *)&byte
                       : type == LG_F32 ? (const void *)&real
                                        : &word,
                       lg_type_size(type));
            }
    return image;
}

static bool same_pixels(const lg_image *a, const lg_image *b)
{
    for (int32_t l = 0; l < a->shape.layers; l++)
        for (int32_t y = 0; y < a->shape.height; y++)
            if (memcmp((uint8_t *)a->data + (size_t)l * a->shape.layer_stride +
                           (size_t)y * a->shape.row_stride,
                       (uint8_t *)b->data + (size_t)l * b->shape.layer_stride +
                           (size_t)y * b->shape.row_stride,
                       (size_t)a->shape.width))
                return false;
    return true;
}

// Integer counts of one layer or the stack, pixel by pixel from a binarisation of every value: the
// selection of lg_scan, the samples of the reference.
static void naive_counts(const lg_image *image, const lg_threshold_params *params, int32_t layer,
                         uint64_t *counts)
{
    const lg_select *s = &params->select;
    const lg_region region = s->region ? *s->region : lg_image_region(&image->shape);
    memset(counts, 0, 65536 * sizeof *counts);
    for (int32_t l = 0; l < image->shape.layers; l++) {
        for (int64_t y = 0; y < region.height && (params->stack || l == layer); y += s->step) {
            for (int64_t x = 0; x < region.width; x += s->step) {
                uint32_t v[4] = {0};
                const int c = image->shape.channels;
                const size_t size = lg_type_size(image->shape.type);
                const uint8_t *p = (uint8_t *)image->data + (size_t)l * image->shape.layer_stride +
                                   (size_t)(region.y + y) * image->shape.row_stride +
                                   (size_t)(region.x + x) * size * (size_t)c;
                for (int i = 0; i < c; i++)
                    v[i] = size == 1 ? p[i] : (uint32_t)(p[2 * i] | p[2 * i + 1] << 8);
                if (s->skip_transparent && c > 1 && v[c - 1] == 0)
                    continue;
                if (s->mask &&
                    !((uint8_t *)s->mask->data)[(size_t)(region.y + y) * s->mask->shape.row_stride +
                                                (size_t)(region.x + x)])
                    continue;
                // BT.709 in 1/65536
                counts[c == 4 ? (13933 * v[0] + 46871 * v[1] + 4732 * v[2] + 32768) >> 16 : v[0]]++;
            }
        }
    }
}

static void check_integer_level(const lg_image *image, const lg_threshold_params *params,
                                const lg_threshold *got, int32_t layer)
{
    static uint64_t counts[65536];
    if (params->method != LG_THRESHOLD_OTSU && params->method != LG_THRESHOLD_MEAN)
        return;
    naive_counts(image, params, layer, counts);
    if (params->method == LG_THRESHOLD_OTSU) {
        CHECK(got->level[0] == lg_otsu_bin(counts, 65536), "level %g, of naive counts %d",
              got->level[0], lg_otsu_bin(counts, 65536));
        CHECK(got->bin[0] == (int)got->level[0], "bin %d of level %g", got->bin[0], got->level[0]);
        return;
    }
    double sum = 0, n = 0;
    for (int i = 0; i < 65536; i++) {
        sum += (double)counts[i] * i;
        n += (double)counts[i];
    }
    CHECK(got->level[0] == sum / n, "mean %.17g, %.17g", got->level[0], sum / n);
}

static void check_image(lg_context *const *contexts, int count, const lg_image *image,
                        const lg_threshold_params *params)
{
    const int32_t entries = params->stack ? 1 : image->shape.layers;
    lg_threshold first[4] = {{0}}, want[4];
    lg_scan scan;
    const lg_select plain = WITH(lg_select, it.region = params->select.region);
    CHECK(lg_scan_init(&scan, image, &plain, NULL) == LG_OK, "scan");
    for (int i = 0; i < count; i++) {
        lg_threshold got[4], blind[4];
        lg_image *binary = NULL, *reference = NULL;
        lg_error error = {LG_OK, ""};
        const lg_status status =
            lg_threshold_image(contexts[i], image, params, got, 4, &binary, &error);
        CHECK(status == LG_OK, "%s %dx%d c%d %s: %s", lg_type_name(image->shape.type),
              image->shape.width, image->shape.height, image->shape.channels,
              lg_threshold_method_name(params->method), error.message);
        if (status != LG_OK)
            return;
        if (i == 0)
            memcpy(first, got, sizeof first);
        memcpy(want, got, sizeof want);
        lg_image_create(contexts[i], &binary->shape, &reference, NULL);
        lg_threshold_binarise_ref(&scan, params->luma, params->stack, want, reference, NULL);
        CHECK(same_pixels(binary, reference), "%s %dx%d c%d %s differs from the reference",
              lg_type_name(image->shape.type), image->shape.width, image->shape.height,
              image->shape.channels, lg_threshold_method_name(params->method));
        NEED(lg_threshold_image(contexts[i], image, params, blind, 4, NULL, NULL) == LG_OK,
             "blind");
        for (int32_t l = 0; l < entries; l++) {
            CHECK(memcmp(got[l].level, first[l].level, sizeof(double) * (size_t)got[l].levels) == 0,
                  "level %.9g here, %.9g there", got[l].level[0], first[l].level[0]);
            const double here = got[l].separability, there = first[l].separability;
            CHECK(here == there || (isnan(here) && isnan(there)), "separability %.17g, %.17g", here,
                  there);
            CHECK(memcmp(got[l].bin, first[l].bin, sizeof(int32_t) * (size_t)got[l].levels) == 0,
                  "bin %d here, %d there", got[l].bin[0], first[l].bin[0]);
            CHECK(got[l].foreground == want[l].foreground && got[l].total == want[l].total,
                  "%llu of %llu above, reference %llu of %llu",
                  (unsigned long long)got[l].foreground, (unsigned long long)got[l].total,
                  (unsigned long long)want[l].foreground, (unsigned long long)want[l].total);
            CHECK(blind[l].foreground == got[l].foreground && blind[l].total == got[l].total &&
                      blind[l].level[0] == got[l].level[0],
                  "without an output: %llu above instead of %llu",
                  (unsigned long long)blind[l].foreground, (unsigned long long)got[l].foreground);
            if (i == 0 && image->shape.type <= LG_U16)
                check_integer_level(image, params, &got[l], l);
        }
        lg_image_destroy(&binary);
        lg_image_destroy(&reference);
    }
}

static lg_image *make_mask(lg_context *context, int width, int height)
{
    const lg_image_params shape = {.width = width, .height = height, .layers = 1, .channels = 1};
    lg_image *mask = NULL;
    if (lg_image_create(context, &shape, &mask, NULL) == LG_OK)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                ((uint8_t *)mask->data)[(size_t)y * mask->shape.row_stride + (size_t)x] =
                    (uint8_t)(random_below(3) * 100);
    return mask;
}

static void check_selections(lg_context *const *contexts, int count, const lg_image *image,
                             lg_threshold_method method)
{
    const int w = image->shape.width, h = image->shape.height;
    lg_threshold_params params = WITH(lg_threshold_params, it.method = method, it.value = 101.5);
    if (image->shape.type >= LG_F16)
        params.value = 0.41;
    check_image(contexts, count, image, &params);
    if (w < 20 || h < 20)
        return;
    lg_image *mask = make_mask(contexts[0], w, h);
    const lg_region region = {3, 2, w - 7, h - 5};
    params.select.region = &region;
    params.select.mask = mask;
    check_image(contexts, count, image, &params);
    params.stack = true;
    params.select.skip_transparent = true;
    params.select.step = 3;
    check_image(contexts, count, image, &params);
    lg_image_destroy(&mask);
}

static void test_images(lg_context *const *contexts, int count)
{
    static const int sizes[][3] = {{1, 1, 1},   {7, 1, 1},     {1, 33, 1},
                                   {67, 41, 2}, {2049, 21, 1}, {4097, 23, 1}};
    static const lg_threshold_method methods[] = {LG_THRESHOLD_OTSU,    LG_THRESHOLD_MEAN,
                                                  LG_THRESHOLD_VALUE,   LG_THRESHOLD_YEN,
                                                  LG_THRESHOLD_ISODATA, LG_THRESHOLD_MULTI_OTSU};
    for (int type = 0; type < LG_TYPES; type++) {
        for (int channels = 1; channels <= 4; channels *= 2) {
            for (size_t s = 0; s < LG_COUNT(sizes); s++) {
                const bool tiny = sizes[s][0] * sizes[s][1] < 100;
                lg_image *image = make_image(contexts[0], (lg_type)type, channels, sizes[s][0],
                                             sizes[s][1], sizes[s][2], tiny ? 0 : 1);
                const size_t max = LG_COUNT(methods) - (tiny ? 1 : 0);
                for (size_t m = 0; m < (test_is_short() ? 3 : max); m++)
                    check_selections(contexts, count, image, methods[m]);
                lg_image_destroy(&image);
            }
        }
    }
}

static void test_classes_and_luma(lg_context *const *contexts, int count)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make_image(contexts[0], (lg_type)type, 4, 131, 37, 1, 0);
        for (int classes = 2; classes <= LG_MAX_CLASSES; classes++) {
            const lg_threshold_params params = WITH(lg_threshold_params, it.classes = classes,
                                                    it.method = LG_THRESHOLD_MULTI_OTSU);
            check_image(contexts, count, image, &params);
        }
        for (int luma = 0; luma < LG_LUMAS; luma++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.luma = (lg_luma)luma, it.method = LG_THRESHOLD_LI);
            check_image(contexts, count, image, &params);
        }
        lg_image_destroy(&image);
    }
}

// Rows without padding, at addresses that are no multiple of a vector, and levels on and beyond the
// ends of the type.
static void test_values(lg_context *const *contexts, int count, size_t every)
{
    static const double values[] = {-INFINITY, -1,  -0.5, -0.0,  0,     0.5,   1,     127,     128,
                                    254,       255, 256,  65534, 65535, 65536, 1e300, INFINITY};
    for (int type = 0; type < LG_TYPES; type++) {
        const size_t size = lg_type_size((lg_type)type);
        uint8_t *bytes = malloc(5003 * 3 * size + 16);
        random_bytes(bytes, 5003 * 3 * size + 16);
        const lg_image_params shape = {.width = 5003,
                                       .height = 3,
                                       .layers = 1,
                                       .channels = 1,
                                       .type = (lg_type)type,
                                       .row_stride = 5003 * size,
                                       .layer_stride = 5003 * 3 * size};
        lg_image *image = NULL;
        NEED(lg_image_wrap(contexts[0], &shape, bytes + size, &image, NULL) == LG_OK, "wrap");
        for (size_t v = 0; v < LG_COUNT(values); v += every) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.value = values[v], it.method = LG_THRESHOLD_VALUE);
            check_image(contexts, count, image, &params);
        }
        lg_image_destroy(&image);
        free(bytes);
    }
}

// Outputs large enough for streamed stores.
static void test_large(lg_context *const *contexts, int count)
{
    lg_image *image = make_image(contexts[0], LG_U8, 1, 2999, 1601, 1, 0);
    const lg_threshold_params params = lg_threshold_params_default();
    check_image(contexts, count, image, &params);
    lg_image_destroy(&image);
}

// What software devices finish in seconds; every path of the host and the device is taken.
static void test_device(lg_context *const *both)
{
    static const int sizes[][3] = {{1, 1, 1}, {67, 41, 2}, {259, 37, 1}};
    static const lg_threshold_method methods[] = {LG_THRESHOLD_OTSU, LG_THRESHOLD_MEAN,
                                                  LG_THRESHOLD_VALUE, LG_THRESHOLD_TRIANGLE};
    for (int type = 0; type < LG_TYPES; type++) {
        for (int channels = 1; channels <= 4; channels *= 2) {
            for (size_t s = 0; s < LG_COUNT(sizes); s++) {
                lg_image *image = make_image(both[0], (lg_type)type, channels, sizes[s][0],
                                             sizes[s][1], sizes[s][2], s > 0);
                for (size_t m = 0; m < (s == 1 ? LG_COUNT(methods) : 1); m++)
                    check_selections(both, 2, image, methods[m]);
                lg_image_destroy(&image);
            }
        }
    }
    if (!test_is_short())
        test_values(both, 2, 3);
}

// ---- histograms -------------------------------------------------------------------------------------

// A level puts a sample above exactly when the histogram put it in a bin above the level's.
static void check_bins(const lg_histogram_channel *c, const lg_threshold *t)
{
    lg_histogram_rule rule = {0};
    const bool integer = c->type <= LG_U16;
    if (!integer && lg_histogram_set_rule(c->lo, c->hi, c->bins, &rule, NULL) != LG_OK)
        return;
    for (int i = 0; i < (test_is_short() ? 2000 : 20000); i++) {
        float v;
        if (i % 4 == 0) { // at the edges
            const double edge =
                c->lo + random_below((uint32_t)c->bins + 1) * (c->hi - c->lo) / c->bins;
            v = nextafterf((float)edge, random_below(2) ? INFINITY : -INFINITY);
        } else if (i % 4 == 1) {
            v = nextafterf((float)t->level[0], random_below(2) ? INFINITY : -INFINITY);
        } else {
            v = i % 4 == 2 ? (float)t->level[0] : (float)(c->lo + random_unit() * (c->hi - c->lo));
        }
        v = integer ? floorf(fmaxf(v, 0)) : v;
        const uint32_t bin = integer ? lg_histogram_integer_bin(c, (uint32_t)v)
                                     : lg_histogram_bin(&rule, (uint32_t)c->bins, v);
        if (bin < (uint32_t)c->bins)
            CHECK((v > t->level[0]) == (bin > (uint32_t)t->bin[0]),
                  "%s %.9g lies in bin %u, level %.9g of bin %d", lg_type_name(c->type), (double)v,
                  bin, t->level[0], t->bin[0]);
    }
}

static void test_histogram_levels(lg_context *context)
{
    static const int bins[] = {2, 7, 100, 255, 256, 1000, 65536};
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make_image(context, (lg_type)type, 1, 211, 97, 1, 0);
        for (size_t b = 0; b < LG_COUNT(bins); b++) {
            for (int range = 0; range < 3; range++) {
                lg_histogram_params params = WITH(lg_histogram_params, it.bins = bins[b]);
                params.type_range = range == 0;
                params.automatic_range = range == 1;
                params.lo = type >= LG_F16 ? 0.11 : type == LG_U16 ? 5001.25 : 3.25;
                params.hi = type >= LG_F16 ? 0.83 : type == LG_U16 ? 31000.5 : 140.5;
                lg_histogram *histogram = NULL;
                lg_threshold out;
                NEED(lg_measure_histogram(context, image, &params, &histogram, NULL) == LG_OK, "h");
                const lg_threshold_params otsu = lg_threshold_params_default();
                lg_error error;
                CHECK(lg_threshold_level(&histogram->channel[0], &otsu, &out, &error) == LG_OK,
                      "level: %s", error.message);
                CHECK(out.separability > 0 && out.separability <= 1, "%g", out.separability);
                uint64_t above = 0;
                for (int32_t i = out.bin[0] + 1; i < histogram->channel[0].bins; i++)
                    above += histogram->channel[0].counts[i];
                CHECK(out.foreground == above && out.total == histogram->channel[0].total,
                      "foreground %llu, above the bin %llu", (unsigned long long)out.foreground,
                      (unsigned long long)above);
                check_bins(&histogram->channel[0], &out);
                lg_histogram_destroy(&histogram);
            }
        }
        lg_image_destroy(&image);
    }
}

// Otsu of 16 bits sees `bins` bins where it is asked for them: of 100 values each here.
static void test_bins(lg_context *context)
{
    static const uint16_t samples[] = {0, 30, 370, 399};
    static const int bins[] = {-1, 4, LG_MAX_BINS}, levels[] = {30, 99, 30};
    lg_image *image = make_image(context, LG_U16, 1, 4, 1, 1, 0);
    memcpy(image->data, samples, sizeof samples);
    for (size_t i = 0; i < LG_COUNT(bins); i++) {
        const lg_threshold_params params = WITH(lg_threshold_params, it.bins = bins[i]);
        lg_threshold out = {0};
        CHECK(!lg_threshold_image(context, image, &params, &out, 1, NULL, NULL) &&
                  out.level[0] == levels[i] && out.foreground == 2,
              "%d bins: level %g", bins[i], out.level[0]);
    }
    lg_image_destroy(&image);
}

// ---- edges ------------------------------------------------------------------------------------------

static void test_constant(lg_context *context)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = make_image(context, (lg_type)type, 1, 40, 30, 1, 0);
        for (size_t i = 0; i < image->shape.layer_stride; i += lg_type_size((lg_type)type))
            memcpy((uint8_t *)image->data + i, image->data, lg_type_size((lg_type)type));
        for (int m = 0; m < LG_THRESHOLD_METHODS; m++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = m, it.value = 1e6);
            lg_threshold out = {0};
            const lg_status status =
                lg_threshold_image(context, image, &params, &out, 1, NULL, NULL);
            if (m == LG_THRESHOLD_MULTI_OTSU) {
                CHECK(status == LG_ERROR_DATA, "one value has no three classes");
                continue;
            }
            CHECK(status == LG_OK && out.foreground == 0 && out.total == 1200,
                  "%s of a constant %s image: status %d, %llu above", lg_threshold_method_name(m),
                  lg_type_name((lg_type)type), (int)status, (unsigned long long)out.foreground);
            CHECK(isnan(out.separability), "separability %g", out.separability);
        }
        lg_image_destroy(&image);
    }
}

static void expect(lg_context *context, const lg_image *image, lg_threshold_params params,
                   size_t capacity, lg_status want, const char *what)
{
    lg_threshold out = {.levels = 77};
    lg_image *binary = (lg_image *)&out;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        lg_threshold_image(context, image, &params, &out, capacity, &binary, &error);
    CHECK(status == want, "%s: status %d, expected %d", what, (int)status, (int)want);
    CHECK(error.message[0] && out.levels == 77 && binary == (lg_image *)&out,
          "%s: a message, and outputs as they were", what);
}

static void test_errors(lg_context *context)
{
    lg_image *image = make_image(context, LG_U8, 1, 30, 20, 2, 0);
    lg_image *mask = make_mask(context, 30, 20);
    memset(mask->data, 0, mask->shape.layer_stride);
    lg_threshold_params p = lg_threshold_params_default();
    expect(context, image, p, 1, LG_ERROR_ARGUMENT, "two layers, room for one");
    expect(context, NULL, p, 9, LG_ERROR_ARGUMENT, "no image");
    p.method = 99;
    expect(context, image, p, 2, LG_ERROR_ARGUMENT, "no such method");
    p.method = LG_THRESHOLD_VALUE;
    p.value = NAN;
    expect(context, image, p, 2, LG_ERROR_ARGUMENT, "a level that is NaN");
    p.method = LG_THRESHOLD_MULTI_OTSU;
    p.classes = 1;
    expect(context, image, p, 2, LG_ERROR_ARGUMENT, "one class");
    p.classes = 6;
    expect(context, image, p, 2, LG_ERROR_ARGUMENT, "six classes");
    p.classes = 3;
    p.bins = 0;
    expect(context, image, p, 2, LG_ERROR_ARGUMENT, "no bins");
    p.bins = -1;
    p.select.mask = mask;
    for (int m = 0; m < LG_THRESHOLD_METHODS; m++) {
        p.method = m;
        if (m != LG_THRESHOLD_VALUE)
            expect(context, image, p, 2, LG_ERROR_DATA, "nothing selected");
    }
    lg_image_destroy(&image);
    image = make_image(context, LG_F32, 4, 30, 20, 1, 0);
    p.method = LG_THRESHOLD_MEAN;
    expect(context, image, p, 2, LG_ERROR_DATA, "nothing selected of a colour image");
    lg_image_destroy(&image);
    lg_image_destroy(&mask);
    lg_threshold out;
    CHECK(lg_threshold_level(NULL, NULL, &out, NULL) == LG_ERROR_ARGUMENT, "no histogram");
    uint64_t counts[2] = {UINT64_MAX, 1};
    const lg_histogram_channel big = {.bins = 2, .lo = 0, .hi = 1, .counts = counts, .type = LG_U8};
    CHECK(lg_threshold_level(&big, NULL, &out, NULL) == LG_ERROR_LIMIT, "2^64 samples");
}

static void test_memory(lg_context *context)
{
    for (int type = 0; type < LG_TYPES; type += 3) {
        lg_image *image = make_image(context, (lg_type)type, 4, 40, 30, 1, 0);
        for (int m = 0; m < 5; m++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = m, it.value = 1);
            for (int64_t n = 0; n < 60; n++) {
                lg_threshold out = {.levels = 77};
                lg_image *binary = NULL;
                lg_alloc_fail_after(n);
                const lg_status status =
                    lg_threshold_image(context, image, &params, &out, 1, &binary, NULL);
                lg_alloc_fail_after(-1);
                CHECK(status == LG_OK || (status == LG_ERROR_MEMORY && out.levels == 77 && !binary),
                      "allocation %lld: status %d", (long long)n, (int)status);
                lg_image_destroy(&binary);
                if (status == LG_OK && n > 40)
                    break;
            }
        }
        lg_image_destroy(&image);
    }
}

int main(void)
{
    random_seed(44);
    lg_context *contexts[8];
    int count = 0;
    for (int level = LG_CPU_BASE; level < LG_CPU_LEVELS; level++) {
        lg_context *context = lg_cpu_level_best() >= level ? make_context(level, 1 + level) : NULL;
        if (context)
            contexts[count++] = context;
        else
            check_skip("a CPU level that this processor or build lacks");
    }
    test_names();
    test_examples();
    test_second_implementation();
    test_histogram_levels(contexts[0]);
    test_images(contexts, count);
    test_classes_and_luma(contexts, count);
    test_values(contexts, count, 1);
    test_large(contexts, count);
    test_bins(contexts[0]);
    test_constant(contexts[0]);
    test_errors(contexts[0]);
    test_memory(contexts[0]);
    // The device against the first CPU context.
    lg_context *both[2] = {contexts[0], NULL};
    const lg_context_params vulkan = WITH(lg_context_params, it.device = LG_DEVICE_VULKAN);
    if (test_wants_vulkan() && lg_context_create(&vulkan, &both[1], NULL) == LG_OK) {
        test_device(both);
        lg_context_destroy(&both[1]);
    } else {
        check_skip("Vulkan: no device, or turned off");
    }
    for (int i = 0; i < count; i++)
        lg_context_destroy(&contexts[i]);
    return check_finish("threshold");
}
