// Gaussian blur of bytes without alpha on a Vulkan device, without levels: weights in push constants, nothing
// but whole numbers until the end, one dispatch.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/native_vulkan.h"

#include <math.h>

extern const char lg_glsl_gaussian_blur_bytes[];

#define TAPS    15 // weights fit into push constants
#define THREADS 256
#define FEW_THREADS                                                                                \
    128 // in large images of grey, and of colours with at most FEW_TAPS weights on a side
#define FEW_TAPS 3
#define BAND     144 // rows of a workgroup, at most
#define SHIFT    18  // of weights whose sums have a byte in their highest 8 bits

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

typedef struct work {
    int threads, each; // of a workgroup; samples of a row that one of them sums
    int step;          // rows between barriers
    int32_t band;      // rows of a workgroup
    uint32_t strips;
} work;

// Words of a row that a workgroup takes away from its threads: those of its neighbours.
static int32_t halo_of(const lg_image_params *s, int taps)
{
    return s->channels == 1 ? (taps + 3) / 4 : taps;
}

// Few rows a step take few registers, so that many workgroups run at once, where there are as many; small
// workgroups wait less. docs/notes/blurs.md has the times.
static work work_of(const lg_device_call *call, int taps, int32_t words)
{
    const lg_image_params *s = &call->in[0].shape;
    const bool grey = s->channels == 1;
    const int32_t halo = halo_of(s, taps), least = LG_MAX(2 * taps, 24);
    work w = {.threads = THREADS, .each = 12};
    w.strips = lg_native_groups(words, (THREADS - 2 * halo) / w.each * w.each);
    const int64_t columns = (int64_t)w.strips * s->layers;
    w.band = lg_native_band(call->context, columns, s->height, least, 2);
    if (w.band >= BAND && (grey || taps <= FEW_TAPS)) {
        w = (work){FEW_THREADS, grey ? 20 : 12, grey ? 5 : 6, BAND, 0};
        w.strips = lg_native_groups(words, (FEW_THREADS - 2 * halo) / w.each * w.each);
        return w;
    }
    w.band = LG_MIN(lg_native_band(call->context, columns, s->height, least, 1), BAND);
    w.step = !is_large(call) ? 4 : !grey ? 6 : w.band < BAND ? 9 : 5;
    return w;
}

void lg_gaussian_run_bytes(lg_device_call *call, const lg_gaussian *g, lg_border border,
                           float scale, int amount)
{
    const lg_image_params *s = &call->in[0].shape;
    const bool opaque = is_opaque(s);
    const int32_t words = s->channels == 4 ? s->width : (s->width + 3) / 4;
    const work w = work_of(call, g->taps, words);
    int64_t weights[TAPS + 2] = {0};
    for (int k = 0; k <= g->taps; k++)
        weights[k] = (int64_t)g->whole[k] << (SHIFT - g->shift);
    const lg_pass pass = {LG_PASS_TEXT(gaussian_blur_bytes),
                          .group_x = w.threads,
                          .group_y = 1,
                          .span = scale > 0 ? 4 : 0,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->layers, s->height, w.band, words),
                          .more = {weights, g->taps + 1 + (amount >= 0)},
                          .groups = {w.strips, lg_native_groups(s->height, w.band)}};
    lg_pass_run(
        call, &pass,
        "#define CH %d\n#define BORDER %d\n#define OPAQUE %d\n#define TAPS %d\n#define STEP %d\n"
        "#define SCALE 0x%08x\n#define AMOUNT %d\n#define EACH %d\n",
        s->channels, (int)border, opaque, g->taps, w.step, lg_bits(ldexpf(scale, g->shift - SHIFT)),
        amount, w.each);
}
