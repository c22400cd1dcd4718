// Convolutions with any kernel: every CPU level and number of threads has the same bits, near the definition.
#include "check.h"
#include "filtering.h"
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The kernels that are tried, by their texts.
static const struct {
    const char *text;
    int columns, rows;
    double weights[16];
} kernels[] = {
    {"2", 1, 1, {2}},
    {"1,2,1", 3, 1, {1, 2, 1}},
    {"0.5;-1;0.25;2", 1, 4, {0.5, -1, 0.25, 2}},
    {"1,2,3,4;5,6,7,8;-9,-10,-11,-12", 4, 3, {1, 2, 3, 4, 5, 6, 7, 8, -9, -10, -11, -12}}};

static double sample_at(const lg_image *in, int64_t x, int64_t y, int64_t z, int k, int border)
{
    const lg_image_params *s = &in->shape;
    const int64_t column = border_walk(x, s->width, border);
    const int64_t row = border_walk(y, s->height, border);
    if (column < 0 || row < 0)
        return 0;
    return sample_get(in, column, row, z, k);
}

static void check_sums(const lg_image *in, const lg_image *out, size_t n, int border, double factor,
                       double offset, const char *text)
{
    const lg_image_params *s = &out->shape;
    double worst = 0;
    for (int i = 0; i < s->width * s->height * s->layers; i++) {
        const int x = i % s->width, y = i / s->width % s->height, z = i / s->width / s->height;
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < kernels[n].rows * kernels[n].columns; j++)
                sum +=
                    kernels[n].weights[j] *
                    sample_at(in, x + j % kernels[n].columns - (kernels[n].columns - 1) / 2,
                              y + j / kernels[n].columns - (kernels[n].rows - 1) / 2, z, k, border);
            worst = fmax(worst, fabs(sample_get(out, x, y, z, k) - (factor * sum + offset)));
        }
        worst = fmax(worst, fabs(sample_get(out, x, y, z, 3) - sample_get(in, x, y, z, 3)));
    }
    CHECK(worst < 2e-5, "%s: off by %g", text, worst);
}

// All levels have the bits of the first one, which is near the definition.
static void test_sums(void)
{
    static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};
    static const int sizes[][2] = {{1, 1}, {2, 3}, {1, 40}, {67, 5}, {513, 70}, {1100, 3}};
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    for (size_t i = 0; i < LG_COUNT(kernels) * LG_COUNT(sizes); i++) {
        const size_t n = i % LG_COUNT(kernels);
        const int *size = sizes[i / LG_COUNT(kernels)];
        const double factor = 0.125 * (1 + random_below(8)), offset = 0.25 * random_below(3);
        const int border = (int)random_below(4);
        char text[200], first[160] = "";
        snprintf(text, sizeof text, "linear_filter:kernel=%s:factor=%g:offset=%g:border=%s",
                 kernels[n].text, factor, offset, borders[border]);
        lg_image *in = filtering_image(kernel_context(), size[0], size[1], 1 + (int)(i & 1));
        filtering_noise(in);
        lg_image *wanted = NULL;
        for (int c = 0; c < count; c++) {
            lg_image *out = filtering_run(contexts[c], text, &in, 1);
            if (out && !wanted) {
                check_sums(in, out, n, border, factor, offset, text);
                wanted = out;
                continue;
            }
            CHECK(out && !samples_differ(out, wanted, first), "%s: %s", text, first);
            lg_image_destroy(&out);
        }
        lg_image_destroy(&wanted);
        lg_image_destroy(&in);
    }
}

static void expect_refusal(const char *kernel, const char *part)
{
    lg_image *in = filtering_image(kernel_context(), 5, 5, 1), *out = NULL;
    lg_error error = {0};
    char text[400];
    snprintf(text, sizeof text, "linear_filter:kernel=%s", kernel);
    CHECK(filtering_try(kernel_context(), text, &in, 1, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, part),
          "%s: %s", kernel, error.message);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_sums();
    expect_refusal("1,2;3", "different lengths");
    expect_refusal("1,,2", "numbers");
    expect_refusal("x", "numbers");
    expect_refusal("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "31 x 31");
}

static const kernel_case linear = {.filter = "linear_filter",
                                   .params = "border={*}:offset={0|0.125}",
                                   .shapes = kernel_any_type,
                                   .share = 2};

int main(void)
{
    return kernel_main("linear_filter", &linear, 1, test_more);
}
