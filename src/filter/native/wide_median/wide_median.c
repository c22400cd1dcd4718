// Median of a square window of any radius: the entry, and how images are cut.
#include "filter/native/wide_median/median_five.h"

#include "cpu/cpu.h"

LG_CPU_DECLARE(lg_median_table, wide_median);
LG_CPU_DECLARE(lg_median_five_table, median_five);

#define COLUMNS 1024  // of a strip, about: their histograms stay in the second cache
#define TILE    128   // pixels a side, of samples that are sorted
#define SAMPLES 65536 // of a row of selections: six of them stay in the second cache

// Histograms of columns begin anew with every band.
static void cut_bytes(const lg_native_call *call, lg_median_job *job)
{
    const lg_image_params *s = &call->out->shape;
    const int32_t reach = 2 * job->radius, strip = LG_MAX(COLUMNS - reach, 64) & ~63;
    const int32_t strips = (s->width + strip - 1) / strip; // of about one width
    const int32_t jobs = 2 * lg_pool_threads(call->context->pool);
    const int32_t band = LG_MAX((s->height + jobs - 1) / jobs, 2 * reach + 16);
    job->strip = strips == 1 ? s->width : ((s->width + strips - 1) / strips + 63) / 64 * 64;
    job->band = LG_MIN(band, s->height);
}

static void cut_samples(const lg_native_call *call, lg_median_job *job)
{
    const lg_image_params *s = &call->out->shape;
    const int32_t side = (LG_MAX(TILE, job->radius / 2) + 63) / 64 * 64;
    job->strip = LG_MIN(side, s->width);
    job->band = LG_MIN(side, s->height);
}

// Whether the median is that of 5 x 5 integers, which are copied as they are.
static bool is_of_five(const lg_native_call *call, const lg_median_job *job)
{
    const lg_image_params *in = &call->in[0]->shape, *out = &call->out->shape;
    return job->radius == 2 && (in->type == LG_U8 || in->type == LG_U16) && in->type == out->type &&
           in->channels == out->channels && in->alpha == out->alpha &&
           (in->channels == 1 || in->alpha != LG_ALPHA_PREMULTIPLIED);
}

static void cut_five(const lg_native_call *call, lg_median_job *job)
{
    const lg_image_params *s = &call->out->shape;
    const int32_t jobs = 4 * lg_pool_threads(call->context->pool);
    job->strip = LG_MIN(SAMPLES / s->channels, s->width);
    job->band = LG_MIN(LG_MAX((s->height + jobs - 1) / jobs, 16), s->height);
}

static lg_status wide_median_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_median_table *table = LG_CPU_SELECT(wide_median, level);
    lg_median_job job = {.stage = lg_stage_get(level),
                         .radius = (int32_t)lg_native_value(call->filter, call->values, "radius"),
                         .border =
                             (lg_border)lg_native_value(call->filter, call->values, "border")};
    lg_pixel_tiles tiles = {.job = &job};
    if (is_of_five(call, &job)) {
        const lg_median_five_table *five = LG_CPU_SELECT(median_five, level);
        cut_five(call, &job);
        tiles.run = call->out->shape.type == LG_U8 ? five->u8 : five->u16;
        tiles.scratch = five->scratch(&call->in[0]->shape);
    } else if (lg_median_takes_bytes(&call->in[0]->shape)) {
        cut_bytes(call, &job);
        tiles.run = table->bytes;
        tiles.scratch = table->bytes_scratch(&job);
    } else {
        cut_samples(call, &job);
        tiles.run = table->samples;
        tiles.scratch = table->samples_scratch(&job);
    }
    tiles.strip = job.strip;
    tiles.band = job.band;
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_row_reach reach(const lg_filter *filter, const float *values, const lg_image_params *in)
{
    return lg_row_reach_of((int64_t)lg_native_value(filter, values, "radius"));
}

static double cost(const lg_filter *filter, const float *values)
{
    return 12;
}

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 2, 0, LG_MEDIAN_RADIUS,                                               \
      "the window has 2 radius + 1 pixels a side; 0 leaves the image as it is")                    \
    LG_BORDER_PARAMETER(X)

LG_ROWS(wide_median)

static const lg_native wide_median_native = {.cpu = wide_median_cpu,
                                             .vulkan = LG_VULKAN(lg_wide_median_vulkan),
                                             .recorded = "radius",
                                             .fits = LG_VULKAN(lg_wide_median_fits),
                                             .reach = reach,
                                             .cost = cost};

LG_NATIVE_FILTER(
    wide_median, &wide_median_native, 1, .summary = "the median of a square window per channel",
    .formula = "the middle one of (2 radius + 1)^2 values in order, for red, green and blue",
    .source = "J. W. Tukey 1974; S. Perreault and P. Hebert 2007",
    .notes =
        "median:radius=R is this filter for a radius other than 1; alpha is the centre's. On the "
        "CPU the cost of bytes does not depend on the radius; other samples are sorted in tiles. "
        "Exact for every type; of floats -0 is below +0 and NaN above everything");
