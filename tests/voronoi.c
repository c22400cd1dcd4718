// Voronoi diagrams by jump flooding: sites are seeds, their distances are true, and nearly all are the
// nearest.
#include "check.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void four_floats(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    *out = SHAPE(in->width, in->height, in->layers, 4, LG_F32, LG_ALPHA_STRAIGHT);
}

// Few pixels are seeds: the alpha of all others is 0, and their colours are.
static void few_seeds(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const int one_of = 1 + (int)random_below(200);
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++)
                for (int k = 0, seed = random_below((uint32_t)one_of) == 0; k < s->channels; k++)
                    sample_put(image, x, y, z, k, seed);
}

static int64_t pixels, nearest_ones;

static double square_from(int x, int y, const int *seeds, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, (double)(x - seeds[2 * i]) * (x - seeds[2 * i]) +
                                (double)(y - seeds[2 * i + 1]) * (y - seeds[2 * i + 1]));
    return least;
}

static void check_layer(const lg_native_call *done, int z, int *seeds)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &in->shape;
    int count = 0, wrong = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            if (sample_is_visible(in, x, y, z))
                seeds[2 * count] = x, seeds[2 * count++ + 1] = y;
    for (int64_t i = 0; i < (int64_t)s->width * s->height; i += 1 + s->width * s->height / 300) {
        const int x = (int)(i % s->width), y = (int)(i / s->width);
        const double column = sample_get(out, x, y, z, 0) * s->width - 0.5;
        const double row = sample_get(out, x, y, z, 1) * s->height - 0.5;
        if (count == 0) {
            wrong += sample_get(out, x, y, z, 3) != 0;
            continue;
        }
        const double far = hypot(x - column, y - row),
                     least = sqrt(square_from(x, y, seeds, count));
        wrong += sample_get(out, x, y, z, 3) != 1 || fabs(column - rint(column)) > 0.01 ||
                 fabs(row - rint(row)) > 0.01 ||
                 !sample_is_visible(in, (int)rint(column), (int)rint(row), z) ||
                 fabs(far - sample_get(out, x, y, z, 2) * s->width) > 0.01;
        pixels++;
        nearest_ones += far < least + 0.01;
    }
    CHECK(wrong == 0, "%d pixels of %d x %d, %d seeds", wrong, s->width, s->height, count);
}

static void check_sites(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    if (kind != CONTENT_UNIT || (int64_t)s->width * s->height > 40000 ||
        done->out->shape.type != LG_F32)
        return;
    int *seeds = malloc((size_t)s->width * (size_t)s->height * 2 * sizeof *seeds);
    NEED(seeds, "memory");
    for (int z = 0; z < s->layers; z++)
        check_layer(done, z, seeds);
    free(seeds);
}

static const kernel_case sites = {.filter = "jfa_voronoi",
                                  .params = "",
                                  .oracle = check_sites,
                                  .shapes = four_floats,
                                  .draw = few_seeds};

static void test_more(void)
{
    kernel_refuses("jfa_voronoi", &SHAPE(46341, 1, 1, 1, LG_U8, LG_ALPHA_NONE), "46340");
    CHECK(pixels > 1000 && (double)nearest_ones > 0.995 * (double)pixels,
          "%lld of %lld sites are the nearest", (long long)nearest_ones, (long long)pixels);
}

int main(void)
{
    return kernel_main("voronoi", &sites, 1, test_more);
}
