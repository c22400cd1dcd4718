// corner_measure on a Vulkan device: one dispatch where the Gaussian has few weights and no levels, else one
// for the products, the Gaussian's, and one for the measure.
#include "filter/native/corner_measure/corner_measure.h"

#include "filter/native/native_vulkan.h"

extern const char lg_glsl_corner_measure[], lg_glsl_corner_measure_steps[];

#define TAPS    12 // weights fit into push constants, and a window into registers
#define THREADS 128
#define STEP    3   // rows between barriers
#define BAND    192 // rows of a workgroup, at most
#define SHARED  (2 * STEP * (3 * (THREADS + 4) + THREADS) * 4)

static bool is_able(const lg_device_call *call, const lg_gaussian *g)
{
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return g->levels == 0 && g->taps <= TAPS && limits->shared_memory >= SHARED &&
           limits->max_workgroup_size >= THREADS;
}

static void run_fused(lg_device_call *call, const lg_gaussian *g, int border)
{
    const lg_image_params *s = &call->in[0].shape;
    const int32_t strip = (THREADS - 2 - 2 * g->taps) / 4 * 4;
    const uint32_t strips = lg_native_groups(s->width, strip);
    const int32_t band =
        LG_MIN(lg_native_band(call->context, (int64_t)strips * s->layers, s->height, 24, 4), BAND);
    int64_t weights[TAPS + 1];
    for (int k = 0; k <= g->taps; k++)
        weights[k] = lg_bits(g->floats[k]);
    const lg_pass pass = {LG_PASS_TEXT(corner_measure),
                          .group_x = THREADS,
                          .group_y = 1,
                          .span = 4,
                          .views = {&call->in[0], &call->out},
                          .words =
                              LG_WORDS(s->layers, band, lg_native_index(call->filter, "method"),
                                       lg_native_index(call->filter, "k"),
                                       lg_native_index(call->filter, "sensitivity")),
                          .more = {weights, g->taps + 1},
                          .groups = {strips, lg_native_groups(s->height, band)}};
    lg_pass_run(call, &pass, "#define BORDER %d\n#define TAPS %d\n#define STEP %d\n", border,
                g->taps, STEP);
}

static void run_step(lg_device_call *call, int border, const lg_device_image *from,
                     const lg_device_image *to, bool measures)
{
    const lg_image_params *s = &to->shape;
    const lg_pass pass = {LG_PASS_TEXT(corner_measure_steps), .span = 4, .views = {from, to},
                          .words = LG_WORDS(s->height, s->layers,
                                            lg_native_index(call->filter, "method"),
                                            lg_native_index(call->filter, "k"),
                                            lg_native_index(call->filter, "sensitivity"))};
    lg_pass_run(call, &pass, "#define BORDER %d\n#define MEASURES %d\n", border, measures);
}

static void run_steps(lg_device_call *call, const lg_gaussian *g, int border)
{
    const lg_image_params shape = lg_corner_products_shape(&call->in[0].shape);
    const lg_device_image in = call->in[0], out = call->out;
    const lg_device_image products = lg_device_scratch_image(call, &shape);
    const lg_device_image means = lg_device_scratch_image(call, &shape);
    run_step(call, border, &in, &products, false);
    call->in[0] = products;
    call->out = means;
    lg_gaussian_run(call, g, (lg_border)border);
    call->in[0] = in;
    call->out = out;
    run_step(call, border, &means, &out, true);
}

void lg_corner_measure_vulkan(lg_device_call *call)
{
    const int border = (int)lg_native_value(call->filter, call->values, "border");
    lg_gaussian g;
    call->status = lg_gaussian_create(lg_native_value(call->filter, call->values, "sigma"), 0,
                                      LG_GAUSSIAN_AUTO, &g, call->error);
    if (call->status)
        return;
    if (is_able(call, &g))
        run_fused(call, &g, border);
    else
        run_steps(call, &g, border);
    lg_gaussian_destroy(&g);
}
