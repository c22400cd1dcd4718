// Gaussian blur of bytes without alpha on a Vulkan device, without levels: weights in push constants, nothing
// but whole numbers until the end, one dispatch.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/native_vulkan.h"

#include <math.h>

extern const char lg_glsl_gaussian_blur_bytes[];

#define TAPS    15 // weights fit into push constants
#define THREADS 256
#define BAND    144 // rows of a workgroup, at most
#define SHIFT   18  // of weights whose sums have a byte in their highest 8 bits

// Bytes of shared memory: at least, and so that larger tiles fit.
#define LITTLE (32 * 1024)
#define LARGE  (48 * 1024)

static bool is_able(const lg_device_call *call)
{
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return limits->byte_kernels && limits->shared_memory >= LITTLE &&
           limits->max_workgroup_size >= THREADS;
}

bool lg_gaussian_takes_bytes(const lg_device_call *call, const lg_gaussian *g, int words)
{
    const int channels = call->in[0].shape.channels;
    return channels != 2 && g->taps + words <= TAPS && is_able(call) && g->levels == 0;
}

static bool is_opaque(const lg_image_params *s)
{
    return s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE;
}

static bool is_large(const lg_device_call *call)
{
    return lg_vk_get_limits(call->context->vk)->shared_memory >= LARGE;
}

void lg_gaussian_run_bytes(lg_device_call *call, const lg_gaussian *g, lg_border border,
                           float scale, int amount)
{
    const lg_image_params *s = &call->in[0].shape;
    const bool opaque = is_opaque(s);
    const int32_t words = s->channels == 4 ? s->width : (s->width + 3) / 4;
    const int32_t halo = s->channels == 4 ? g->taps : (g->taps + 3) / 4;
    const int32_t strip = (THREADS - 2 * halo) / 12 * 12;
    const uint32_t strips = lg_native_groups(words, strip);
    const int32_t band = LG_MIN(lg_native_band(call->context, (int64_t)strips * s->layers,
                                               s->height, LG_MAX(2 * g->taps, 24), 1),
                                BAND);
    // Few rows a step take few registers, so that many workgroups run at once, where there are as many.
    const int step = !is_large(call) ? 4 : s->channels > 1 ? 6 : band < BAND ? 9 : 5;
    int64_t weights[TAPS + 2] = {0};
    for (int k = 0; k <= g->taps; k++)
        weights[k] = (int64_t)g->whole[k] << (SHIFT - g->shift);
    const lg_pass pass = {LG_PASS_TEXT(gaussian_blur_bytes),
                          .group_x = THREADS,
                          .group_y = 1,
                          .span = scale > 0 ? 4 : 0,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->layers, s->height, band, words),
                          .more = {weights, g->taps + 1 + (amount >= 0)},
                          .groups = {strips, lg_native_groups(s->height, band)}};
    lg_pass_run(
        call, &pass,
        "#define CH %d\n#define BORDER %d\n#define OPAQUE %d\n#define TAPS %d\n#define STEP %d\n"
        "#define SCALE 0x%08x\n#define AMOUNT %d\n",
        s->channels, (int)border, opaque, g->taps, step, lg_bits(ldexpf(scale, g->shift - SHIFT)),
        amount);
}
