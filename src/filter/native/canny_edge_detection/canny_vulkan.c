// Canny's edges on a Vulkan device. Bytes become bit maps of weak and strong pixels in one dispatch, other
// images step by step; hysteresis takes three dispatches whatever the image is: within tiles, between
// tiles, to pixels. Thresholds are read there; the host knows sigma and hysteresis.
#include "filter/native/canny_edge_detection/canny.h"
#include "filter/native/luminance.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_canny_map[], lg_glsl_canny_parents[], lg_glsl_canny_bytes[],
    lg_glsl_canny_steps[], lg_glsl_canny_label[], lg_glsl_canny_join[], lg_glsl_canny_write[],
    lg_glsl_canny_ring[];

#define BYTES_TAPS    15   // of the Gaussian in one dispatch
#define TILE_COLUMNS  128  // of a step of hysteresis
#define TILE_NUMBERS  2048 // of runs of pixels
#define WEIGHTS_SHIFT 16   // weights in one dispatch sum to 2^16

typedef struct device_task {
    lg_device_call *call;
    lg_canny_job job; // sigma, border, hysteresis
    uint32_t width, height, layers;
    uint32_t words, rows; // of a bit map: words of a row, a multiple of 4, and rows
    uint64_t maps, parents;
} device_task;

// ---- passes -------------------------------------------------------------------------------------

#define MAP_WORDS(t) LG_ADDRESS((t)->maps), (t)->words, (t)->rows

// An image whose format does not matter to a kernel, which then has one text.
static lg_device_image plain(const lg_device_image *image)
{
    lg_device_image plane = *image;
    plane.shape = lg_native_shape(&image->shape, LG_F32, 1, LG_ALPHA_NONE);
    return plane;
}

// ---- bytes --------------------------------------------------------------------------------------

static int luma_of(const lg_image_params *s)
{
    return s->channels == 1 ? 0 : s->channels == 4 ? 3 : s->alpha == LG_ALPHA_NONE ? 2 : 1;
}

static bool takes_bytes(const device_task *t)
{
    const lg_vk_limits *limits = lg_vk_get_limits(t->call->context->vk);
    const lg_gaussian *g = &t->job.gaussian;
    // Luminance, its sums down columns, and blurred luminance: canny_bytes.glsl.
    const size_t taps = (size_t)g->taps, words = ((taps + 5) / 4 * 4 + taps + 129) / 4 + 1;
    const size_t luma = (36 + 2 * taps) * ((words + 6) / 4 * 4), lines = 36 * (2 * words + 1);
    const size_t shared = 4 * (LG_MAX(luma + lines, 34 * 128) + 36 * 65 + 2);
    return limits->byte_kernels && t->job.integer && g->levels == 0 && taps <= BYTES_TAPS &&
           shared <= limits->shared_memory && limits->max_workgroup_size >= 256;
}

static void edges_of_bytes(const device_task *t, const lg_device_image *to)
{
    const lg_gaussian *g = &t->job.gaussian;
    const lg_device_image from = plain(&t->call->in[0]), into = plain(to);
    int64_t weights[BYTES_TAPS + 1];
    for (int i = 0; i <= g->taps; i++)
        weights[i] = (int64_t)g->whole[i] << (WEIGHTS_SHIFT - g->shift);
    const lg_pass pass = {.name = "canny_bytes",
                          .text = lg_glsl_canny_map,
                          .parts = {lg_glsl_canny_bytes},
                          .group_x = 256,
                          .group_y = 1,
                          .views = {&from, &into},
                          .words = LG_WORDS(MAP_WORDS(t)),
                          .more = {weights, g->taps + 1},
                          .writes = {t->maps},
                          .groups = {lg_native_groups(t->width, 124), t->rows, t->layers}};
    lg_pass_run(t->call, &pass,
                "#define LG_STAGE_HEADER %d\n#define LUMA %d\n#define TAPS %d\n#define RING %d\n"
                "#define BORDER %d\n",
                LG_STAGE_HEADER, luma_of(&t->call->in[0].shape), g->taps, t->job.ring,
                (int)t->job.border);
}

// ---- step by step -------------------------------------------------------------------------------

enum { STEP_LUMINANCE, STEP_MAGNITUDES, STEP_SUPPRESSION };

static void do_step(const device_task *t, int step, const lg_device_image *from,
                    const lg_device_image *second, const lg_device_image *to)
{
    const bool words = step == STEP_SUPPRESSION && !t->job.ring;
    const lg_device_image into = plain(to);
    const lg_pass pass = {
        .name = "canny_steps",
        .text = lg_glsl_canny_map,
        .parts = {lg_glsl_canny_steps},
        .group_x = words ? 64 : 32,
        .group_y = words ? 1 : 4,
        .span = 4,
        .views = {from, second, &into},
        .words = LG_WORDS(MAP_WORDS(t), t->height, t->layers, t->job.gaussian.radius ? 64 : 32, 0),
        .writes = {t->maps},
        .groups = {lg_native_groups(t->width, words ? 64 : 32),
                   words ? lg_native_groups(t->rows, 1) : 0}};
    lg_pass_run(t->call, &pass,
                "#define LG_STAGE_HEADER %d\n#define STEP %d\n#define INTEGER %d\n"
                "#define RING %d\n#define BORDER %d\n#define APART %d\n",
                LG_STAGE_HEADER, step, t->job.integer, step == STEP_SUPPRESSION && t->job.ring,
                (int)t->job.border, step != STEP_LUMINANCE && t->job.apart);
}

static void edges_by_steps(device_task *t, const lg_device_image *to)
{
    const lg_image_params shape = lg_native_shape(&t->call->out.shape, LG_F32, 1, LG_ALPHA_NONE);
    const lg_device_image luma = lg_device_scratch_image(t->call, &shape);
    const lg_device_image other = lg_device_scratch_image(t->call, &shape);
    do_step(t, STEP_LUMINANCE, &t->call->in[0], &luma, &luma);
    if (t->job.gaussian.radius)
        lg_gaussian_blur_plane(t->call, &t->job.gaussian, t->job.border, t->job.integer, &luma,
                               &other);
    do_step(t, STEP_MAGNITUDES, &luma, &other, &other);
    do_step(t, STEP_SUPPRESSION, &luma, &other, to);
}

// ---- hysteresis ---------------------------------------------------------------------------------

static void spread_step(const device_task *t, const char *name, const char *text,
                        const lg_device_image *out)
{
    const lg_pass pass = {.name = name,
                          .text = lg_glsl_canny_map,
                          .parts = {lg_glsl_canny_parents, text},
                          .group_x = TILE_COLUMNS,
                          .group_y = 1,
                          .span = 4,
                          .views = {out},
                          .words = LG_WORDS(MAP_WORDS(t), LG_ADDRESS(t->parents), t->height),
                          .writes = {t->maps, t->parents},
                          .groups = {lg_native_groups(t->width, 128), t->rows, t->layers}};
    lg_pass_run(t->call, &pass, "#define LG_STAGE_HEADER %d\n#define OUT_BYTES %d\n",
                LG_STAGE_HEADER, (int)lg_pixel_size(&out->shape));
}

static void spread_edges(const device_task *t)
{
    const lg_device_image out = plain(&t->call->out);
    spread_step(t, "canny_label", lg_glsl_canny_label, &out);
    spread_step(t, "canny_join", lg_glsl_canny_join, &out);
    spread_step(t, "canny_write", lg_glsl_canny_write, &t->call->out);
}

static void ring_of_edges(const device_task *t, const lg_device_image *values)
{
    const lg_pass pass = {LG_PASS_TEXT(canny_ring), .span = 4, .views = {values, &t->call->out},
                          .words = LG_WORDS(t->height, t->layers)};
    lg_pass_run(t->call, &pass, "#define LG_STAGE_HEADER %d\n", LG_STAGE_HEADER);
}

static void run(device_task *t)
{
    lg_device_call *call = t->call;
    const lg_image_params shape = lg_native_shape(&call->in[0].shape, LG_F32, 1, LG_ALPHA_NONE);
    lg_device_image values;
    const lg_device_image *to = t->job.ring ? &values : &call->out;
    if (t->job.ring) {
        values = lg_device_scratch_image(call, &shape);
    } else { // two maps of every layer, and the parents of runs
        const size_t map = (size_t)t->words * t->rows, layers = t->layers;
        const size_t tiles = (t->width + TILE_COLUMNS - 1) / TILE_COLUMNS * (size_t)t->rows;
        t->maps = lg_device_memory(call, 2 * layers * map * sizeof(uint32_t) + 256);
        t->parents = lg_device_memory(call, layers * (1 + tiles * TILE_NUMBERS) * sizeof(uint32_t));
    }
    if (takes_bytes(t))
        edges_of_bytes(t, to);
    else
        edges_by_steps(t, to);
    if (t->job.ring)
        ring_of_edges(t, &values);
    else
        spread_edges(t);
}

void lg_canny_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_filter *f = call->filter;
    device_task t = {.call = call,
                     .width = (uint32_t)s->width,
                     .height = (uint32_t)s->height,
                     .layers = (uint32_t)s->layers,
                     .words = (uint32_t)lg_align_up((size_t)s->width, 4),
                     .rows = ((uint32_t)s->height + 31) / 32};
    t.job.ring = lg_native_value(f, call->values, "hysteresis") == 1;
    t.job.apart = lg_native_value(f, call->values, "texel_width") != 1 ||
                  lg_native_value(f, call->values, "texel_height") != 1;
    t.job.integer = lg_luminance_is_byte(s) && !t.job.apart;
    t.job.border = (lg_border)lg_native_value(f, call->values, "border");
    // Numbers of runs have 32 bits, and workgroups are not counted beyond 65535.
    if (t.width > 65535 * 124u || t.rows > 65535 || t.layers > 65535 ||
        (uint64_t)(t.width + 127) * t.rows * 16 > UINT32_MAX) {
        call->status =
            lg_fail(call->error, LG_ERROR_UNSUPPORTED,
                    "canny_edge_detection on a device takes layers of up to 2^33 pixels");
        return;
    }
    call->status = lg_gaussian_create_spaced(
        lg_native_value(f, call->values, "sigma"), 0, LG_GAUSSIAN_AUTO,
        (int)lg_native_value(f, call->values, "blur_texel_spacing_multiplier"), &t.job.gaussian,
        call->error);
    if (!call->status)
        run(&t);
    lg_gaussian_destroy(&t.job.gaussian);
}
