// The rolling ball on a Vulkan device: every pixel goes outwards over cells of 4 x 4 pixels.
#include "filter/native/native_vulkan.h"
#include "filter/native/rolling_ball/rolling_ball.h"

extern const char lg_glsl_rolling_ball_steps[];

#define LOOKS (1 << 29) // at cells, of a dispatch

enum { GROUNDS, CELLS, ROLL, RESULT };

typedef struct steps {
    lg_device_call *call;
    int planes;
    int32_t reach;
    uint64_t heights;
} steps;

static void run(const steps *p, int step, const lg_device_image *first,
                const lg_device_image *second, const lg_device_image *to)
{
    lg_device_call *call = p->call;
    const lg_image_params *s = &call->out.shape;
    const int64_t looks = (int64_t)s->width * (p->reach + 2) * (p->reach + 2) / 4;
    const int32_t rows = to->shape.height;
    const lg_pass pass = {.name = "rolling_ball",
                          .text = lg_glsl_rolling_ball_steps,
                          .span = step == RESULT ? LG_SPAN_WORDS : 1,
                          .views = {first, second ? second : to, second ? to : NULL},
                          .words = LG_WORDS(s->layers, 0, rows, s->width, s->height, p->reach,
                                            LG_ADDRESS(p->heights)),
                          .reads = {p->heights},
                          .rows = step == ROLL ? (int32_t)LG_MAX(LOOKS / looks, 8) : 0};
    lg_pass_run(call, &pass,
                "#define STEP %d\n#define PLANES %d\n#define LIGHT %s\n#define BACKGROUND %s\n",
                step, p->planes,
                lg_native_value(call->filter, call->values, "light") != 0 ? "true" : "false",
                lg_native_value(call->filter, call->values, "output") != 0 ? "true" : "false");
}

static uint64_t upload_heights(lg_device_call *call, int32_t reach)
{
    const size_t bytes = (size_t)(reach + 1) * (size_t)(reach + 1) * sizeof(float);
    float *heights = call->status ? NULL : lg_alloc_uninit(bytes);
    if (!heights) {
        if (!call->status)
            call->status = lg_fail_memory(call->error, bytes, "the ball of rolling_ball");
        return 0;
    }
    lg_ball_heights(call->filter, call->values, heights);
    const uint64_t address = lg_device_upload(call, heights, bytes);
    lg_free(heights);
    return address;
}

void lg_rolling_ball_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    steps p = {.call = call,
               .planes = lg_reads_grey(s->channels, s->alpha) ? 1 : 3,
               .reach = lg_ball_reach(call->filter, call->values)};
    p.heights = upload_heights(call, p.reach);
    lg_image_params shape = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    shape.height *= p.planes;
    const lg_device_image planes = lg_device_scratch_image(call, &shape);
    const lg_device_image between = lg_device_scratch_image(call, &shape);
    shape.width = (s->width + LG_BALL_CELL - 1) / LG_BALL_CELL;
    shape.height = (s->height + LG_BALL_CELL - 1) / LG_BALL_CELL * p.planes;
    const lg_device_image cells = lg_device_scratch_image(call, &shape);
    run(&p, GROUNDS, &call->in[0], NULL, &planes);
    run(&p, CELLS, &planes, NULL, &cells);
    run(&p, ROLL, &planes, &cells, &between);
    run(&p, CELLS, &between, NULL, &cells);
    run(&p, ROLL, &between, &cells, &planes);
    run(&p, RESULT, &call->in[0], &planes, &call->out);
}
