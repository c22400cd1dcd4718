// The watershed on a Vulkan device. First how high the water is where it reaches a pixel, then the steps
// that it takes there, then labels: each by turns in which tiles are flooded from what surrounds them, until
// nothing changes. Turns behind that do nothing. Water that winds through more tiles than there are turns is
// the CPU's.
#include "filter/native/native_vulkan.h"
#include "filter/native/watershed/watershed.h"

extern const char lg_glsl_watershed_steps[];

#define EXTRA_TURNS 8

enum { LEVELS, LABELS, HEIGHTS, STEPS, FLOOD, WRITE };

typedef struct device_flood {
    lg_device_call *call;
    lg_watershed_job job;
    int tile[3];   // pixels of a side, which is 1 layer where layers are flooded each by itself
    int64_t turns; // of a phase
    uint64_t changes;
} device_flood;

static void run(const device_flood *f, lg_pass pass, int step, int phase)
{
    pass.name = "watershed";
    pass.text = lg_glsl_watershed_steps;
    lg_pass_run(f->call, &pass,
                "#define LEVELS %d\n#define LABELS %d\n#define HEIGHTS %d\n#define FLOOD %d\n"
                "#define WRITE %d\n#define STEP %d\n#define PHASE %d\n#define NEIGHBORS %d\n"
                "#define VOLUME %d\n#define SIDE_X %d\n#define SIDE_Y %d\n#define SIDE_Z %d\n"
                "#define FALLING %s\n#define NONZERO %s\n#define LINES %s\n",
                LEVELS, LABELS, HEIGHTS, FLOOD, WRITE, step, phase, f->job.neighbors, f->job.volume,
                f->tile[0], f->tile[1], f->tile[2], f->job.falling ? "true" : "false",
                f->job.nonzero ? "true" : "false", f->job.lines ? "true" : "false");
}

static void prepare(const device_flood *f, int step, const lg_device_image *first,
                    const lg_device_image *second, const lg_device_image *third)
{
    const lg_image_params *s = &f->call->out.shape;
    run(f,
        (lg_pass){
            .span = 1, .views = {first, second, third}, .words = LG_WORDS(s->height, s->layers)},
        step, 0);
}

static void flood(const device_flood *f, int phase, const lg_device_image *first,
                  const lg_device_image *second, const lg_device_image *third)
{
    const lg_image_params *s = &f->call->out.shape;
    const uint64_t changes = f->changes + (uint64_t)(phase * f->turns) * sizeof(uint32_t);
    for (int64_t turn = 0; turn < f->turns; turn++)
        run(f,
            (lg_pass){.span = 1,
                      .views = {first, second, third},
                      .words = LG_WORDS(s->height, s->layers, turn, LG_ADDRESS(changes)),
                      .writes = {f->changes},
                      .groups = {lg_native_groups(s->width, f->tile[0]),
                                 lg_native_groups(s->height, f->tile[1]),
                                 lg_native_groups(s->layers, f->tile[2])}},
            FLOOD, phase);
}

// A tile with its frame fits into the 16 KiB of shared memory that all devices have.
static void cut_tiles(device_flood *f, const lg_image_params *s)
{
    static const int plane[3] = {32, 32, 1}, volume[3] = {16, 8, 4};
    const int32_t extent[3] = {s->width, s->height, f->job.volume ? s->layers : 1};
    int64_t tiles = 0;
    for (int i = 0; i < 3; i++) {
        f->tile[i] = f->job.volume ? volume[i] : plane[i];
        tiles += i < 2 || f->job.volume ? (extent[i] + f->tile[i] - 1) / f->tile[i] : 0;
    }
    f->turns = 2 * tiles + EXTRA_TURNS;
}

void lg_watershed_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_image_params words = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    device_flood f = {.call = call, .job = lg_watershed_describe(call->filter, call->values)};
    cut_tiles(&f, s);
    const lg_device_image levels = lg_device_scratch_image(call, &words),
                          heights = lg_device_scratch_image(call, &words),
                          steps = lg_device_scratch_image(call, &words),
                          labels = lg_device_scratch_image(call, &words);
    f.changes = lg_device_zeros(call, (size_t)(3 * f.turns) * sizeof(uint32_t));
    prepare(&f, LEVELS, &call->in[0], &levels, NULL);
    prepare(&f, LABELS, &call->in[1], &levels, &labels);
    prepare(&f, HEIGHTS, &labels, &levels, &heights);
    prepare(&f, STEPS, &labels, &steps, NULL);
    flood(&f, 0, &levels, &heights, NULL);
    flood(&f, 1, &heights, &steps, NULL);
    flood(&f, 2, &heights, &steps, &labels);
    run(&f,
        (lg_pass){.views = {&steps, &labels, &call->out},
                  .words = LG_WORDS(s->height, s->layers, f.turns, LG_ADDRESS(f.changes),
                                    LG_ADDRESS(call->refused)),
                  .reads = {f.changes},
                  .adds = {call->refused}},
        WRITE, 0);
}
