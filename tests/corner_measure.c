// corner_measure: the bits of the filters that define it, one after the other, in images of several strips
// and bands and in images smaller than the Gaussian. tests/oracle has the definition in NumPy.
#include "check.h"
#include "filtering.h"
#include "kernel.h"

#include <stdio.h>

static const char *const methods[] = {"harris", "noble", "shi_tomasi"};

static void check_case(const char *method, double sigma, const char *border, const lg_image *in)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    char one[160], three[300];
    snprintf(one, sizeof one, "corner_measure:method=%s:sigma=%g:border=%s", method, sigma, border);
    snprintf(three, sizeof three,
             "xy_derivative:offset=0:border=%s | gaussian_blur:sigma=%g:border=%s | "
             "corner_response:method=%s",
             border, sigma, border, method);
    lg_image *image = (lg_image *)(uintptr_t)in;
    lg_image *want = filtering_run(kernel_context(), three, &image, 1);
    for (int i = 0; i < count && want; i++) {
        lg_image *got = filtering_run(contexts[i], one, &image, 1);
        int wrong = 0;
        for (int z = 0; got && z < in->shape.layers; z++)
            for (int y = 0; y < in->shape.height; y++)
                for (int x = 0; x < in->shape.width; x++)
                    wrong += sample_get(got, x, y, z, 0) != sample_get(want, x, y, z, 0);
        CHECK(got && got->shape.type == LG_F32 && !wrong,
              "%s of %d x %d x %d, context %d: %d samples are others", one, in->shape.width,
              in->shape.height, in->shape.channels, i, wrong);
        lg_image_destroy(&got);
    }
    lg_image_destroy(&want);
}

static void test_more(void)
{
    static const int sizes[][2] = {{1, 1}, {3, 5}, {40, 2}, {517, 31}, {1100, 19}, {33, 300}};
    static const double sigmas[] = {0, 0.7, 2, 4.8, 5.5};
    for (int i = 0; i < (int)LG_COUNT(sizes) * (test_is_short() ? 1 : 4); i++) {
        const int *size = sizes[i % (int)LG_COUNT(sizes)];
        lg_image_params shape = kernel_any_shape(size[0], size[1]);
        shape.type = LG_F32;
        // The measure does not look at alpha, which its parts would.
        shape.alpha = shape.channels == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE;
        lg_image *in = kernel_image(shape, CONTENT_UNIT);
        for (int border = 0; border < 4; border++)
            check_case(methods[random_below(3)], sigmas[random_below(LG_COUNT(sigmas))],
                       border_names[border], in);
        lg_image_destroy(&in);
    }
}

int main(void)
{
    return kernel_main("corner_measure", NULL, 0, test_more);
}
