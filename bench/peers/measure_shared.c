// Measurements of an image of the caller, for peers in other languages. From build/:
//   cc -O2 -shared -fPIC -I../include -o measure.so ../bench/peers/measure_shared.c liblumagraph.a
//   -ldl -lpthread -lm
#include <lumagraph/lumagraph.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_measure {
    lg_context *context;
    lg_image *image;
    lg_areasum *sums;
    lg_area_array array;
    char what[16];
} bench_measure;

// Of bytes in rows without padding; what: moments, histogram, table. NULL, with a line on standard error,
// when something fails.
bench_measure *bench_measure_open(const char *what, int width, int height, int channels,
                                  void *pixels, int threads)
{
    lg_error error = {0};
    bench_measure *m = calloc(1, sizeof *m);
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = threads;
    const size_t row = (size_t)width * (size_t)channels;
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = LG_U8,
                                   .row_stride = row,
                                   .layer_stride = row * (size_t)height};
    bool good = m && lg_context_create(&params, &m->context, &error) == LG_OK &&
                lg_image_wrap(m->context, &shape, pixels, &m->image, &error) == LG_OK;
    if (good && !strcmp(what, "table"))
        good = lg_area_array_of_image(m->image, &m->array, &error) == LG_OK &&
               lg_areasum_create(m->context, &m->array, NULL, &m->sums, &error) == LG_OK;
    if (good) {
        snprintf(m->what, sizeof m->what, "%s", what);
        return m;
    }
    fprintf(stderr, "%s: %s\n", what, error.message);
    return NULL;
}

// The status.
int bench_measure_run(bench_measure *m)
{
    lg_error error;
    lg_moments moments[LG_MAX_CHANNELS];
    lg_histogram *histogram = NULL;
    if (!strcmp(m->what, "table"))
        return lg_areasum_update(m->context, m->sums, &m->array, &error);
    if (!strcmp(m->what, "moments"))
        return lg_measure_moments(m->context, m->image, NULL, moments, LG_MAX_CHANNELS, &error);
    const lg_status status = lg_measure_histogram(m->context, m->image, NULL, &histogram, &error);
    lg_histogram_destroy(&histogram);
    return status;
}
