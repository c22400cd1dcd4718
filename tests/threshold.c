// Thresholds of histograms and images: worked examples, a second implementation of every method,
// images against the reference on every CPU level.
#include "check.h"
#include "thresholds.h"

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
    int classes; // of multi-Otsu
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
    q->classes = 2 + (int)random_below(LG_MAX_CLASSES - 1);
    for (int i = 0; q->method == LG_THRESHOLD_MULTI_OTSU && i < q->bins; i++)
        q->counts[i] = (q->counts[i] << run % 48) + (q->counts[i] && run % 7 == 0);
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
        fprintf(file, "%s:%d", lg_threshold_method_name(queries[i].method), queries[i].classes);
        for (int k = 0; k < queries[i].bins; k++)
            fprintf(file, " %llu", (unsigned long long)queries[i].counts[k]);
        fprintf(file, "\n");
    }
    return file && fclose(file) == 0;
}

// All levels of multi-Otsu in one line: exactly these.
static void compare_levels(const query *q, int run, const lg_threshold *got, lg_status status,
                           char *line)
{
    bool same = (status == LG_ERROR_DATA) == (strncmp(line, "none", 4) == 0);
    char *at = line, *end;
    for (int i = 0; status == LG_OK && i < got->levels; i++, at = end)
        same = same && strtol(at, &end, 10) == got->bin[i] && end != at;
    CHECK(same,
          "case %d, %d classes of %d bins: %d %d %d ... (status %d), second implementation: %s",
          run, q->classes, q->bins, got->bin[0], got->bin[1], got->bin[2], (int)status, line);
}

static void compare_answer(const query *q, int run, char *line)
{
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.method = q->method, it.classes = q->classes);
    lg_threshold got = {.bin = {-1}};
    const lg_status status = lg_threshold_native(q->counts, q->bins, &params, &got, NULL);
    if (q->method == LG_THRESHOLD_MULTI_OTSU) {
        compare_levels(q, run, &got, status, line);
        return;
    }
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
        while (queries[i].method == LG_THRESHOLD_VALUE);
        random_query(&queries[i], i);
    }
    snprintf(command, sizeof command, "python3 '%s' < '%s'", script, path);
    FILE *answers = write_queries(path, queries) ? popen(command, "r") : NULL;
    int seen = 0;
    while (answers && seen < CASES && fgets(line, sizeof line, answers)) {
        compare_answer(&queries[seen], seen, line);
        seen++;
    }
    bool ran = answers && pclose(answers) == 0;
#ifdef _WIN32 // a shell of wine ends with 0 where it finds no program
    ran = ran && seen > 0;
#endif
    if (ran)
        CHECK(seen == CASES, "%d of %d answers", seen, CASES);
    else if (seen == 0)
        check_skip("python3 does not run the second implementation");
    else
        CHECK(false, "the second implementation stopped after %d answers", seen);
    unlink(path);
    free(queries);
}

// ---- images -----------------------------------------------------------------------------------------

// Two peaks and, where wanted, floats that are none of them. A third of all alphas is zero.
static double peak_sample(bool odd)
{
    static const double odds[] = {0, -0.0, NAN, INFINITY, -INFINITY, 1e-6, -1, 2, 6e-8};
    const uint32_t i = odd ? random_below(20) : 20;
    if (i < LG_COUNT(odds))
        return odds[i];
    return random_below(2) ? 0.2 + 0.1 * random_unit() : 0.5 + 0.4 * random_unit();
}

static lg_image *two_peaks(lg_image_params shape, bool odd)
{
    lg_image *image = content_image(kernel_context(), shape, CONTENT_UNIT);
    const int colours = shape.channels == 4 ? 3 : 1;
    for (int z = 0; z < shape.layers; z++)
        for (int y = 0; y < shape.height; y++)
            for (int i = 0; i < shape.width * colours; i++)
                sample_put(image, i / colours, y, z, i % colours,
                           peak_sample(odd && shape.type >= LG_F16));
    return image;
}

static void compare(const char *title, const lg_image *image, const lg_threshold_params *params)
{
    const measured m = threshold_try(title, image, params);
    measure_compare(&threshold_case, &m);
}

static void test_methods(void)
{
    for (int i = 0; i < LG_TYPES * 3; i++) {
        const int type = i % LG_TYPES, channels = 1 << i / LG_TYPES;
        const int alpha = channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT;
        lg_image *image = two_peaks(SHAPE(67, 41, 2, channels, type, alpha), true);
        for (int m = 0; m < LG_THRESHOLD_METHODS; m++)
            compare("methods", image,
                    WITH_REF(lg_threshold_params, it.method = (lg_threshold_method)m,
                             it.value = type >= LG_F16 ? 0.41 : 101.5, it.stack = m % 2,
                             it.select.skip_transparent = m % 3 == 0));
        lg_image_destroy(&image);
    }
}

static void test_classes_and_luma(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = two_peaks(SHAPE(131, 37, 1, 4, type, LG_ALPHA_STRAIGHT), false);
        for (int classes = 2; classes <= LG_MAX_CLASSES; classes++)
            compare("classes", image,
                    WITH_REF(lg_threshold_params, it.classes = classes,
                             it.method = LG_THRESHOLD_MULTI_OTSU));
        for (int luma = 0; luma < LG_LUMAS; luma++)
            compare("luma", image,
                    WITH_REF(lg_threshold_params, it.luma = (lg_luma)luma,
                             it.method = LG_THRESHOLD_LI));
        lg_image_destroy(&image);
    }
}

// Rows without padding, at addresses that are no multiple of a vector, and levels on and beyond the
// ends of the type.
static void test_values(void)
{
    static const double values[] = {-INFINITY, -1,  -0.5, -0.0,  0,     0.5,   1,     127,     128,
                                    254,       255, 256,  65534, 65535, 65536, 1e300, INFINITY};
    for (int type = 0; type < LG_TYPES; type++) {
        const size_t size = lg_type_size((lg_type)type);
        uint8_t *bytes = malloc(5003 * 3 * size + 16);
        lg_image_params shape = SHAPE(5003, 3, 1, 1, type, 0);
        lg_image *image = NULL;
        shape.row_stride = 5003 * size;
        shape.layer_stride = 5003 * 3 * size;
        NEED(bytes && !lg_image_wrap(kernel_context(), &shape, bytes + size, &image, NULL), "wrap");
        content_fill(image, CONTENT_ALL_BITS);
        for (size_t v = 0; v < LG_COUNT(values); v++) {
            const measured m = threshold_try("values", image,
                                             WITH_REF(lg_threshold_params, it.value = values[v],
                                                      it.method = LG_THRESHOLD_VALUE));
            measure_in_place(&threshold_case, &m);
        }
        lg_image_destroy(&image);
        free(bytes);
    }
}

// Outputs large enough for streamed stores.
static void test_large(void)
{
    lg_image *image = two_peaks(SHAPE(2999, 1601, 1, 1, LG_U8, 0), false);
    const measured m =
        threshold_try("large", image, WITH_REF(lg_threshold_params, it.stack = true));
    measure_in_place(&threshold_case, &m);
    lg_image_destroy(&image);
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

static void test_histogram_levels(void)
{
    static const int bins[] = {2, 7, 100, 255, 256, 1000, 65536};
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = two_peaks(SHAPE(211, 97, 1, 1, type, 0), false);
        for (size_t b = 0; b < LG_COUNT(bins); b++) {
            for (int range = 0; range < 3; range++) {
                lg_histogram_params params = WITH(lg_histogram_params, it.bins = bins[b]);
                params.type_range = range == 0;
                params.automatic_range = range == 1;
                params.lo = type >= LG_F16 ? 0.11 : type == LG_U16 ? 5001.25 : 3.25;
                params.hi = type >= LG_F16 ? 0.83 : type == LG_U16 ? 31000.5 : 140.5;
                lg_histogram *histogram = NULL;
                lg_threshold out;
                NEED(lg_measure_histogram(kernel_context(), image, &params, &histogram, NULL) ==
                         LG_OK,
                     "h");
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
static void test_bins(void)
{
    static const uint16_t samples[] = {0, 30, 370, 399};
    static const int bins[] = {-1, 4, LG_MAX_BINS}, levels[] = {30, 99, 30};
    lg_image *image = image_zeros(kernel_context(), SHAPE(4, 1, 1, 1, LG_U16, 0));
    memcpy(image->data, samples, sizeof samples);
    for (size_t i = 0; i < LG_COUNT(bins); i++) {
        const lg_threshold_params params = WITH(lg_threshold_params, it.bins = bins[i]);
        lg_threshold out = {0};
        CHECK(!lg_threshold_image(kernel_context(), image, &params, &out, 1, NULL, NULL) &&
                  out.level[0] == levels[i] && out.foreground == 2,
              "%d bins: level %g", bins[i], out.level[0]);
    }
    lg_image_destroy(&image);
}

// ---- edges ------------------------------------------------------------------------------------------

static void test_constant(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = two_peaks(SHAPE(40, 30, 1, 1, type, 0), false);
        for (size_t i = 0; i < image->shape.layer_stride; i += lg_type_size((lg_type)type))
            memcpy((uint8_t *)image->data + i, image->data, lg_type_size((lg_type)type));
        for (int m = 0; m < LG_THRESHOLD_METHODS; m++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = m, it.value = 1e6);
            lg_threshold out = {0};
            const lg_status status =
                lg_threshold_image(kernel_context(), image, &params, &out, 1, NULL, NULL);
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

static void expect(const lg_image *image, lg_threshold_params params, size_t capacity,
                   lg_status want, const char *what)
{
    lg_threshold out = {.levels = 77};
    lg_image *binary = (lg_image *)&out;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        lg_threshold_image(kernel_context(), image, &params, &out, capacity, &binary, &error);
    CHECK(status == want, "%s: status %d, expected %d", what, (int)status, (int)want);
    CHECK(error.message[0] && out.levels == 77 && binary == (lg_image *)&out,
          "%s: a message, and outputs as they were", what);
}

static void test_errors(void)
{
    lg_image *image = two_peaks(SHAPE(30, 20, 2, 1, LG_U8, 0), false);
    lg_image *mask = image_zeros(kernel_context(), SHAPE(30, 20, 1, 1, LG_U8, 0));
    lg_threshold_params p = lg_threshold_params_default();
    expect(image, p, 1, LG_ERROR_ARGUMENT, "two layers, room for one");
    expect(NULL, p, 9, LG_ERROR_ARGUMENT, "no image");
    p.method = 99;
    expect(image, p, 2, LG_ERROR_ARGUMENT, "no such method");
    p.method = LG_THRESHOLD_VALUE;
    p.value = NAN;
    expect(image, p, 2, LG_ERROR_ARGUMENT, "a level that is NaN");
    p.method = LG_THRESHOLD_MULTI_OTSU;
    p.classes = 1;
    expect(image, p, 2, LG_ERROR_ARGUMENT, "one class");
    p.classes = LG_MAX_CLASSES + 1;
    expect(image, p, 2, LG_ERROR_ARGUMENT, "too many classes");
    p.classes = 3;
    p.bins = 0;
    expect(image, p, 2, LG_ERROR_ARGUMENT, "no bins");
    p.bins = -1;
    p.select.mask = mask;
    for (int m = 0; m < LG_THRESHOLD_METHODS; m++) {
        p.method = m;
        if (m != LG_THRESHOLD_VALUE)
            expect(image, p, 2, LG_ERROR_DATA, "nothing selected");
    }
    lg_image_destroy(&image);
    image = two_peaks(SHAPE(30, 20, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), false);
    p.method = LG_THRESHOLD_MEAN;
    expect(image, p, 2, LG_ERROR_DATA, "nothing selected of a colour image");
    lg_image_destroy(&image);
    lg_image_destroy(&mask);
    lg_threshold out;
    CHECK(lg_threshold_level(NULL, NULL, &out, NULL) == LG_ERROR_ARGUMENT, "no histogram");
    uint64_t counts[2] = {UINT64_MAX, 1};
    const lg_histogram_channel big = {.bins = 2, .lo = 0, .hi = 1, .counts = counts, .type = LG_U8};
    CHECK(lg_threshold_level(&big, NULL, &out, NULL) == LG_ERROR_LIMIT, "2^64 samples");
}

static void test_memory(void)
{
    for (int type = 0; type < LG_TYPES; type += 3) {
        lg_image *image = two_peaks(SHAPE(40, 30, 1, 4, type, LG_ALPHA_STRAIGHT), false);
        for (int m = 0; m < 5; m++) {
            const lg_threshold_params params =
                WITH(lg_threshold_params, it.method = m, it.value = 1);
            for (int64_t n = 0; n < 60; n++) {
                lg_threshold out = {.levels = 77};
                lg_image *binary = NULL;
                lg_alloc_fail_after(n);
                const lg_status status =
                    lg_threshold_image(kernel_context(), image, &params, &out, 1, &binary, NULL);
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

static void test_more(void)
{
    test_names();
    test_examples();
    test_second_implementation();
    test_histogram_levels();
    test_methods();
    test_classes_and_luma();
    test_values();
    test_large();
    test_bins();
    test_constant();
    test_errors();
    test_memory();
}

int main(void)
{
    return measure_main("threshold", &threshold_case, 1, test_more);
}
