// Box blur: the mean over a square window, at a cost that does not grow with it.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/planes.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 4, 0, 4096, "the window has 2 radius + 1 pixels on a side")           \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, radius)

LG_ROWS(box_blur)

LG_CPU_DECLARE(lg_box_run_fn, box_bytes);
LG_CPU_DECLARE(lg_box_run_fn, box_integers);
LG_CPU_DECLARE(lg_separable_kernels, box_floats);

#define STRIP_BYTES (192 << 10) // of the rows under a window: they stay in a second-level cache

// ---- integers -----------------------------------------------------------------------------------

typedef struct box_run {
    const lg_native_call *call;
    lg_box_job job; // of layer 0
    lg_box_run_fn run;
    int32_t strip, strips, band, bands; // pixels and strips of a row, rows and bands of a layer
    char *scratch;
    size_t scratch_size; // of a worker
} box_run;

static void run_job(void *arg, size_t index, int worker)
{
    const box_run *r = arg;
    const size_t in_layer = (size_t)r->strips * (size_t)r->bands;
    lg_box_job job = r->job;
    job.in = lg_layer_pixels(r->call->in[0], (int32_t)(index / in_layer));
    job.out = lg_layer_pixels(r->call->out, (int32_t)(index / in_layer));
    const int32_t x = (int32_t)(index % in_layer % (size_t)r->strips) * r->strip;
    const int32_t y = (int32_t)(index % in_layer / (size_t)r->strips) * r->band;
    r->run(&job, x, LG_MIN(x + r->strip, job.in.width), y, LG_MIN(y + r->band, job.in.height),
           r->scratch + (size_t)worker * r->scratch_size);
}

static void cut(box_run *r)
{
    const lg_box_job *j = &r->job;
    const int64_t width = j->in.width, height = j->in.height, size = 2 * (int64_t)j->radius + 1;
    const int64_t pixel = (int64_t)lg_type_size(j->in.type) * j->in.channels;
    // What a strip reaches beyond its sides is small beside it.
    int64_t strip = LG_MAX(STRIP_BYTES / (size * pixel), 8 * size);
    strip = j->border == LG_BORDER_WRAP ? width : LG_MIN(LG_MAX(strip, 512), width);
    r->strips = (int32_t)((width + strip - 1) / strip);
    r->strip = (int32_t)(((width + r->strips - 1) / r->strips + 63) / 64 * 64);
    r->strips = (int32_t)((width + r->strip - 1) / r->strip);
    // So are the rows that a band begins with.
    const int64_t workers = lg_pool_threads(r->call->context->pool);
    const int64_t wanted = (height + 2 * workers - 1) / (2 * workers);
    r->band = (int32_t)LG_MIN(LG_MAX(wanted, LG_MAX(4 * size, 32)), height);
    r->bands = (int32_t)((height + r->band - 1) / r->band);
}

static lg_status run_integers(const lg_native_call *call, lg_border border, int radius)
{
    const double size = 2 * radius + 1;
    const lg_cpu_level level = call->context->cpu_level;
    box_run r = {.call = call, .job = {.border = border, .radius = radius}};
    r.job.in = lg_layer_pixels(call->in[0], 0);
    r.job.out = lg_layer_pixels(call->out, 0);
    const lg_pixels *in = &r.job.in, *out = &r.job.out;
    r.job.rounded =
        in->type == out->type && in->channels == out->channels && in->alpha == out->alpha;
    const double largest = r.job.rounded ? 1 : in->type == LG_U8 ? 255 : 65535;
    r.job.scale = (float)(1 / (size * size * largest));
    const bool bytes = in->type == LG_U8 && in->channels != 2 && radius <= LG_BOX_BYTES_RADIUS;
    r.run = bytes ? *LG_CPU_SELECT(box_bytes, level) : *LG_CPU_SELECT(box_integers, level);
    cut(&r);
    lg_pool *pool = call->context->pool;
    r.scratch_size = lg_align_up(lg_box_scratch((size_t)r.strip, radius, in->channels), 64);
    const size_t all = r.scratch_size * (size_t)lg_pool_threads(pool);
    r.scratch = lg_alloc_uninit(all);
    if (!r.scratch)
        return lg_fail_memory(call->error, all, "the sums of box_blur");
    lg_pool_run(pool, (size_t)r.strips * (size_t)r.bands * (size_t)call->out->shape.layers, run_job,
                &r);
    lg_free(r.scratch);
    return LG_OK;
}

// ---- floats -------------------------------------------------------------------------------------

static lg_status run_floats(const lg_native_call *call, lg_border border, int radius)
{
    lg_box_floats f = {.size = 2 * radius + 1};
    while (f.size >> (f.levels + 1))
        f.levels++;
    f.scale = (float)(1 / ((double)f.size * f.size));
    const lg_separable filter = {.radius = radius,
                                 .border = border,
                                 .state_rows = lg_box_state_rows(f.levels),
                                 .filter = &f,
                                 .kernels = LG_CPU_SELECT(box_floats, call->context->cpu_level)};
    return lg_separable_run(call, &filter);
}

static lg_status box_blur(const lg_native_call *call)
{
    const int radius = (int)lg_native_value(call->filter, call->values, "radius");
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    const lg_pixels in = lg_layer_pixels(call->in[0], 0);
    const bool integers = (in.type == LG_U8 || in.type == LG_U16) && !lg_pixels_have_alpha(&in);
    return integers ? run_integers(call, border, radius) : run_floats(call, border, radius);
}

static const lg_native box_blur_native = {.cpu = box_blur};

LG_NATIVE_FILTER(box_blur, &box_blur_native, 1, .summary = "mean over a square",
                 .formula = "c' = mean of c over 2 radius + 1 rows and columns; where there is "
                            "alpha, of c a and a",
                 .source = "GPUImageBoxBlurFilter",
                 .notes = "the radius is not rounded to an even number; sums of 8-bit and "
                          "16-bit samples are exact");
