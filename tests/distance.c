// The distance transform against every pixel of the other kind: squares exactly, distances to the last bit.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void grey(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    *out = SHAPE(in->width, in->height, in->layers, 1, LG_F32, LG_ALPHA_NONE);
    if (random_below(3) == 0)
        out->type = random_below(2) ? LG_U8 : LG_U16;
}

// Mostly foreground or mostly background, sometimes one of them alone.
static void draw(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const uint32_t one_of = 1 + random_below(300), most = random_below(2);
    const bool alone = random_below(6) == 0;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                const bool other = !alone && random_below(one_of) == 0;
                for (int k = 0; k < s->channels; k++)
                    sample_put(image, x, y, z, k, other ? 1 - most : most);
            }
}

// What a pixel has to be, in steps of the output's type.
static double expected(const lg_native_call *done, const int *sites, int count, int x, int y)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < count; i++) {
        const int64_t dx = x - sites[2 * i], dy = y - sites[2 * i + 1];
        least = dx * dx + dy * dy < least ? dx * dx + dy * dy : least;
    }
    const lg_type type = done->out->shape.type;
    const double most = type == LG_U8 ? 255 : type == LG_U16 ? 65535 : INFINITY;
    const double unit = (double[]){1, 65535, 255}[kernel_whole(done, "type")];
    const double scale = type == LG_F32 ? 1 / unit : most / unit;
    if (least == INT64_MAX)
        return most;
    const double far = kernel_whole(done, "result") ? (double)least : sqrt((double)least);
    return fmin(far * scale, most);
}

static void check_layer(const lg_native_call *done, int z, int *sites)
{
    const lg_image *in = done->in[0];
    const lg_image_params *s = &in->shape;
    const bool of_background = kernel_whole(done, "of");
    const bool in_pixels = done->out->shape.type == LG_F32 && kernel_whole(done, "type") == 0;
    int count = 0, wrong = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            if (sample_is_visible(in, x, y, z) == of_background)
                sites[2 * count] = x, sites[2 * count++ + 1] = y;
    for (int64_t i = 0; i < (int64_t)s->width * s->height; i += 1 + s->width * s->height / 300) {
        const int x = (int)(i % s->width), y = (int)(i / s->width);
        const double have = sample_stored(done->out, x, y, z, 0);
        const double want = expected(done, sites, count, x, y);
        const double near = done->out->shape.type == LG_F32 ? 3e-7 * want : 0.5 + 1e-6 * want;
        wrong +=
            in_pixels ? have != (double)(float)want : !(have == want || fabs(have - want) <= near);
    }
    CHECK(wrong == 0, "%d pixels of %d x %d, %d sites", wrong, s->width, s->height, count);
}

static void check_distances(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    if (kind != CONTENT_UNIT || (int64_t)s->width * s->height > 40000)
        return;
    int *sites = malloc((size_t)s->width * (size_t)s->height * 2 * sizeof *sites);
    NEED(sites, "memory");
    for (int z = 0; z < s->layers; z++)
        check_layer(done, z, sites);
    free(sites);
}

static const kernel_case distances = {
    .filter = "distance_transform",
    .params = "of={foreground|background}:result={distance|square}:type={f32|f32|u16|u8}",
    .oracle = check_distances,
    .shapes = grey,
    .draw = draw};

// One site in the corner of a wide image: distances up to the largest side, each the nearest float.
static void test_far(void)
{
    lg_image *in = kernel_zeros(SHAPE(46340, 3, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(46340, 3, 1, 1, LG_F32, LG_ALPHA_NONE));
    NEED(in && out, "memory");
    sample_put(in, 0, 0, 0, 0, 1);
    int wrong =
        !kernel_run(kernel_best_context(), "distance_transform", "of=background", in, NULL, out);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 46340; x++)
            wrong += sample_get(out, x, y, 0, 0) != (double)(float)sqrt((double)x * x + y * y);
    CHECK(wrong == 0, "%d distances in a row of 46340", wrong);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_far();
    kernel_refuses("distance_transform", &SHAPE(46341, 1, 1, 1, LG_U8, LG_ALPHA_NONE), "46340");
}

int main(void)
{
    return kernel_main("distance", &distances, 1, test_more);
}
