// Small rules that much else stands on: how floats become halves, what a region and a flag may be
// called, how the weights of a Gaussian are rounded, what a file must hold before memory is taken.
#include "check.h"
#include "core/digest.h"
#include "device.h"
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "graph/nodes.h"
#include <lumagraph/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- halves -------------------------------------------------------------------------------------

// Half way between two neighbours the even one; on either side the nearer one. Halves of one sign
// are in the order of their bits, and 0x7c00 is where 65536 would be.
static void test_halves(void)
{
    for (uint32_t low = 0; low < 0x7c00; low++) {
        const uint16_t high = (uint16_t)(low + 1), even = low & 1 ? high : (uint16_t)low;
        const float a = lg_half_to_float((uint16_t)low);
        const float b = high < 0x7c00 ? lg_half_to_float(high) : 65536;
        const float middle = (a + b) / 2; // exact: floats have 13 bits more
        const float below = nextafterf(middle, 0), above = nextafterf(middle, 1e9f);
        CHECK(lg_float_to_half(a) == low && lg_float_to_half(-a) == (low | 0x8000), "%04x", low);
        CHECK(lg_float_to_half(middle) == even && lg_float_to_half(-middle) == (even | 0x8000),
              "half way above %04x: %04x", low, lg_float_to_half(middle));
        CHECK(lg_float_to_half(below) == low && lg_float_to_half(-below) == (low | 0x8000),
              "below half way above %04x: %04x", low, lg_float_to_half(below));
        CHECK(lg_float_to_half(above) == high && lg_float_to_half(-above) == (high | 0x8000),
              "above half way above %04x: %04x", low, lg_float_to_half(above));
    }
    CHECK(lg_float_to_half(INFINITY) == 0x7c00 && lg_float_to_half(-1e30f) == 0xfc00 &&
              (lg_float_to_half(NAN) & 0x7fff) > 0x7c00,
          "infinities and NaN");
}

// ---- regions ------------------------------------------------------------------------------------

static void test_regions(void)
{
    static const struct {
        const char *text;
        bool good;
        lg_region region;
    } cases[] = {
        {"3x4", true, {0, 0, 3, 4}},
        {"3X4+5+6", true, {5, 6, 3, 4}},
        {"2147483647x1+2147483647+-2147483648", true, {INT32_MAX, INT32_MIN, INT32_MAX, 1}},
        {"2147483648x1", false, {0}},
        {"1x4294967297", false, {0}},
        {"1x1+2147483648+0", false, {0}},
        {"1x1+0+-2147483649", false, {0}},
        {"1x1+99999999999999999999+0", false, {0}},
        {"18446744073709551617x1", false, {0}},
        {"-1x1", false, {0}},
        {"1x1+0", false, {0}},
        {"1x1+0+0 ", false, {0}}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        lg_region r = {9, 9, 9, 9};
        lg_error e = {LG_OK, ""};
        const lg_status status = lg_region_parse(cases[i].text, &r, &e);
        const lg_region want = cases[i].good ? cases[i].region : (lg_region){9, 9, 9, 9};
        CHECK(status == (cases[i].good ? LG_OK : LG_ERROR_ARGUMENT) && r.x == want.x &&
                  r.y == want.y && r.width == want.width && r.height == want.height,
              "%s: %d, %lldx%lld+%lld+%lld", cases[i].text, (int)status, (long long)r.width,
              (long long)r.height, (long long)r.x, (long long)r.y);
    }
}

// ---- flags --------------------------------------------------------------------------------------

// Every word that a flag may be, in every filter that has one.
static void test_flags(void)
{
    static const char *const words[2][4] = {{"0", "no", "false", "off"},
                                            {"1", "yes", "true", "on"}};
    int flags = 0;
    for (size_t i = 0; i < lg_filter_count(); i++)
        for (int p = 0; p < lg_filter_at(i)->param_count; p++) {
            const lg_filter *f = lg_filter_at(i);
            if (f->params[p].kind != LG_PARAM_FLAG || f->kind == LG_FILTER_PIPELINE)
                continue;
            lg_graph *g = NULL;
            lg_node in, node;
            lg_error e = {LG_OK, ""};
            const lg_node inputs[2] = {0, 0};
            flags++;
            NEED(!lg_graph_create(&g, &e) && !lg_graph_input(g, "in", &in, &e) &&
                     !lg_graph_filter(g, f->name, inputs, f->inputs, NULL, &node, &e),
                 "%s: %s", f->name, e.message);
            for (int k = 0; k < 8; k++) {
                const char *word = words[k / 4][k % 4];
                CHECK(!lg_graph_set(g, node, f->params[p].name, words[1 - k / 4][0], &e) &&
                          !lg_graph_set(g, node, f->params[p].name, word, &e),
                      "%s", e.message);
                CHECK(g->nodes[node].values[lg_filter_offset(f, p)] == (float)(k / 4),
                      "%s:%s=%s is %g", f->name, f->params[p].name, word,
                      (double)g->nodes[node].values[lg_filter_offset(f, p)]);
            }
            CHECK(lg_graph_set(g, node, f->params[p].name, "2", &e) == LG_ERROR_ARGUMENT &&
                      lg_graph_set(g, node, f->params[p].name, "", &e) == LG_ERROR_ARGUMENT,
                  "%s: a word that is none", f->name);
            lg_graph_destroy(&g);
        }
    CHECK(flags > 0, "no filter has a flag");
}

// ---- weights of the Gaussian --------------------------------------------------------------------

// From the outside in the whole weights follow the exact ones within half a unit: what rounding
// leaves goes on to the next one.
static void test_weights(void)
{
    for (int s = 1; s <= 400; s++) {
        const double sigma = s * 0.13;
        lg_gaussian g;
        lg_error e = {LG_OK, ""};
        CHECK(!lg_gaussian_create((float)sigma, 0, LG_GAUSSIAN_EXACT, &g, &e), "%s", e.message);
        const double exact = (float)sigma;
        double all = 0, outside = 0, worst = 0;
        int64_t whole = 0;
        for (int i = -g.taps; i <= g.taps; i++)
            all += exp(-(double)i * i / (2 * exact * exact));
        for (int i = g.taps; i > 0; i--) {
            outside += exp(-(double)i * i / (2 * exact * exact)) / all * (double)(1 << g.shift);
            whole += g.whole[i];
            worst = fmax(worst, fabs(outside - (double)whole));
        }
        CHECK(worst <= 0.5 + 1e-6, "sigma %g: weights are %g units off", sigma, worst);
        lg_gaussian_destroy(&g);
    }
    lg_gaussian a, b; // GPUImage's sigma is the nearest whole number
    CHECK(!lg_gaussian_create(2.5f, 0, LG_GAUSSIAN_GPUIMAGE, &a, NULL) &&
              !lg_gaussian_create(3, 0, LG_GAUSSIAN_GPUIMAGE, &b, NULL) && a.taps == b.taps &&
              memcmp(a.floats, b.floats, sizeof *a.floats * ((size_t)a.taps + 1)) == 0,
          "sigma 2.5 is not 3");
    lg_gaussian_destroy(&a);
    lg_gaussian_destroy(&b);
}

// ---- files that promise more than they hold -----------------------------------------------------

static void test_promises(void)
{
    static const struct {
        const char *name, *header;
    } files[] = {{"a.pfm", "Pf\n12000 12000\n-1.0\n"},
                 {"b.pfm", "PF\n3 2\n-1.0\n"},
                 {"c.pgm", "P5\n12000 12000\n255\n"},
                 {"d.pam",
                  "P7\nWIDTH 12000\nHEIGHT 12000\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\n"
                  "ENDHDR\n"}};
    char folder[] = "/tmp/lumagraph-rules-XXXXXX", path[80];
    CHECK(mkdtemp(folder) != NULL, "%s", folder);
    lg_context *context = device_open_cpu();
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *file = fopen(path, "wb");
        CHECK(file && fputs(files[i].header, file) >= 0 && fputs("0123456789", file) >= 0 &&
                  fclose(file) == 0,
              "%s", path);
        lg_image *image = NULL;
        lg_error e = {LG_OK, ""};
        // What the header declares is compared with the file, and not found out while reading.
        CHECK(lg_image_read(context, path, NULL, &image, NULL, &e) == LG_ERROR_DATA && !image &&
                  strstr(e.message, "the header declares"),
              "%s: %s", files[i].name, e.message);
        unlink(path);
    }
    lg_context_destroy(&context);
    CHECK(rmdir(folder) == 0, "%s", folder);
}

// Memory that was written and freed comes back zeroed, up to its last byte, whatever its size.
static void test_zeroed_memory(void)
{
    static const size_t sizes[] = {1,
                                   4095,
                                   ((size_t)4 << 20) - 1,
                                   (size_t)4 << 20,
                                   ((size_t)4 << 20) + 70001,
                                   ((size_t)40 << 20) + 1};
    for (size_t i = 0; i < LG_COUNT(sizes); i++) {
        char *used = lg_alloc_uninit(sizes[i]);
        if (used)
            memset(used, 0xa5, sizes[i]);
        lg_free(used);
        char *zeroed = lg_alloc_aligned(sizes[i]);
        size_t wrong = 0;
        for (size_t k = 0; zeroed && k < sizes[i]; k++)
            wrong += zeroed[k] != 0;
        CHECK(used && zeroed && wrong == 0, "%zu bytes: %zu are not 0", sizes[i], wrong);
        lg_free(zeroed);
    }
}

// ---- digests ------------------------------------------------------------------------------------

static void test_digest(void)
{
    // From another implementation of BLAKE2b with a 32-byte digest, of n bytes 'x'.
    static const struct {
        size_t size;
        uint8_t first[4];
    } known[] = {
        {0, {0x0e, 0x57, 0x51, 0xc0}},    {3, {0xda, 0xb7, 0x6a, 0x5c}},
        {127, {0x32, 0xaf, 0xe3, 0x27}},  {128, {0x16, 0x4f, 0xfb, 0x70}},
        {129, {0x03, 0xb0, 0x75, 0x8f}},  {256, {0xcb, 0x9d, 0x46, 0x80}},
        {1000, {0xab, 0x75, 0x11, 0x9e}},
    };
    char text[1000];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < LG_COUNT(known); i++) {
        uint8_t digest[LG_DIGEST_SIZE];
        lg_digest(text, known[i].size, digest);
        CHECK(memcmp(digest, known[i].first, 4) == 0, "%zu bytes", known[i].size);
    }
}

int main(void)
{
    test_zeroed_memory();
    test_halves();
    test_regions();
    test_flags();
    test_weights();
    test_promises();
    test_digest();
    return check_finish("core_rules");
}
