#include "filter/native/box_blur/mean_threshold.h"

#include <math.h>

LG_CPU_DECLARE(lg_mean_threshold_fn, mean_threshold);

#define BAND_ROWS 64 // at least: a band begins with the sums of its first windows

// Of both sides of the comparison, which are 0 to 1 but for the offset: no more than 32 sums and products
// follow each other, and each is off by half of 2^-24 at most.
#define MOST_ERROR 0x1p-19

typedef struct run {
    lg_mean_threshold *job;
    lg_mean_threshold_fn rows;
} run;

static void run_rows(const void *arg, int64_t y, int64_t y_end, char *scratch)
{
    const run *r = arg;
    r->rows(r->job, y, y_end, scratch);
}

size_t lg_mean_threshold_scratch(int32_t width, int32_t radius)
{
    const size_t size = 2 * (size_t)radius + 1, sums = lg_align_up((size_t)width + size + 16, 16);
    return 2 * sums * sizeof(uint32_t) + size * size * sizeof(float);
}

static void choose_limits(lg_mean_threshold *job, int64_t n, int64_t pixels)
{
    const double whole = 255.0 * (double)n, level = -whole * (double)job->offset;
    const double unsure = whole * MOST_ERROR * (1 + fabs((double)job->offset));
    job->scale = (float)(1 / (double)n);
    job->low = (int32_t)floor(level - unsure);
    job->high = (int32_t)ceil(level + unsure);
    job->most = 64 + 2 * pixels / n;
}

lg_status lg_mean_threshold_cpu(lg_context *context, const lg_image *in, lg_image *out,
                                int32_t radius, float offset, bool *done, lg_error *error)
{
    const lg_image_params *s = &in->shape;
    const int64_t side = 2 * (int64_t)radius + 1;
    lg_mean_threshold job = {.radius = radius, .offset = offset};
    const run r = {&job, *LG_CPU_SELECT(mean_threshold, context->cpu_level)};
    const lg_row_pass pass = {.run = run_rows,
                              .job = &r,
                              .rows = s->height,
                              .band = LG_MAX(BAND_ROWS, 4 * side),
                              .scratch = lg_mean_threshold_scratch(s->width, radius),
                              .what = "the sums of a threshold"};
    lg_status status = LG_OK;
    *done = true;
    for (int32_t z = 0; z < s->layers && !status && *done; z++) {
        job.in = lg_layer_pixels(in, z);
        job.out = lg_layer_pixels(out, z);
        choose_limits(&job, side * side, (int64_t)s->width * s->height);
        atomic_init(&job.open, 0);
        status = lg_rows_run(context, &pass, error);
        *done = !status && atomic_load(&job.open) <= job.most;
    }
    return status;
}
