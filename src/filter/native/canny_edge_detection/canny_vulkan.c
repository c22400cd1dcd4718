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

// ---- dispatches ---------------------------------------------------------------------------------

typedef struct kernel {
    const char *name, *texts[3];
    int group_x, group_y, extra, span;
} kernel;

static lg_status make_kernel(const device_task *t, const kernel *k,
                             const lg_device_image *const *views, int count, const char *defines,
                             const lg_vk_pipeline **out)
{
    const lg_native_glsl native = {.name = k->name,
                                   .text = k->texts[0],
                                   .parts = {k->texts[1], k->texts[2]},
                                   .group_x = k->group_x,
                                   .group_y = k->group_y,
                                   .extra = k->extra,
                                   .span = k->span};
    return lg_native_kernel(t->call, &native, views, count, out, "#define LG_STAGE_HEADER %d\n%s",
                            LG_STAGE_HEADER, defines);
}

#define MAP_WORDS 4

static void set_map_words(const device_task *t, uint32_t *words)
{
    memcpy(words, &t->maps, sizeof t->maps);
    words[2] = t->words;
    words[3] = t->rows;
}

// An image whose format does not matter to a kernel, which then has one text.
static lg_device_image plain(const lg_device_image *image)
{
    lg_device_image plane = *image;
    plane.shape = lg_native_shape(&image->shape, LG_F32, 1, LG_ALPHA_NONE);
    return plane;
}

static uint32_t groups(uint32_t size, uint32_t each)
{
    return lg_native_groups(size, each);
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

static void name_maps(const device_task *t)
{
    lg_vk_writes(t->call->commands, t->maps, 0);
}

static lg_status edges_of_bytes(const device_task *t, const lg_device_image *to)
{
    const lg_gaussian *g = &t->job.gaussian;
    const kernel k = {.name = "canny_bytes",
                      .texts = {lg_glsl_canny_map, lg_glsl_canny_bytes},
                      .group_x = 256,
                      .group_y = 1,
                      .extra = MAP_WORDS + g->taps + 1};
    const lg_device_image from = plain(&t->call->in[0]), into = plain(to);
    const lg_device_image *views[] = {&from, &into};
    const lg_vk_pipeline *pipeline;
    char defines[80];
    snprintf(defines, sizeof defines,
             "#define LUMA %d\n#define TAPS %d\n#define RING %d\n#define BORDER %d\n",
             luma_of(&t->call->in[0].shape), g->taps, t->job.ring, (int)t->job.border);
    uint32_t extra[MAP_WORDS + BYTES_TAPS + 1] = {0};
    set_map_words(t, extra);
    for (int i = 0; i <= g->taps; i++)
        extra[MAP_WORDS + i] = (uint32_t)g->whole[i] << (WEIGHTS_SHIFT - g->shift);
    const lg_status status = make_kernel(t, &k, views, 2, defines, &pipeline);
    if (status)
        return status;
    name_maps(t);
    lg_device_dispatch(t->call, pipeline, views, 2, extra, k.extra, groups(t->width, 124), t->rows,
                       t->layers);
    return LG_OK;
}

// ---- step by step -------------------------------------------------------------------------------

enum { STEP_LUMINANCE, STEP_MAGNITUDES, STEP_SUPPRESSION };

static lg_status do_step(const device_task *t, int step, const lg_device_image *from,
                         const lg_device_image *second, const lg_device_image *to)
{
    const bool words = step == STEP_SUPPRESSION && !t->job.ring;
    const kernel k = {.name = "canny_steps",
                      .texts = {lg_glsl_canny_map, lg_glsl_canny_steps},
                      .group_x = words ? 64 : 32,
                      .group_y = words ? 1 : 4,
                      .extra = MAP_WORDS + 4,
                      .span = 4};
    const lg_device_image into = plain(to), *views[] = {from, second, &into};
    const lg_vk_pipeline *pipeline;
    char defines[80];
    snprintf(defines, sizeof defines,
             "#define STEP %d\n#define INTEGER %d\n#define RING %d\n#define BORDER %d\n", step,
             t->job.integer, step == STEP_SUPPRESSION && t->job.ring, (int)t->job.border);
    uint32_t extra[MAP_WORDS + 4] = {0};
    set_map_words(t, extra);
    extra[4] = t->height;
    extra[5] = t->layers;
    extra[6] = t->job.gaussian.radius ? 64 : 32;
    if (step > STEP_LUMINANCE)
        lg_vk_barrier(t->call->commands);
    const lg_status status = make_kernel(t, &k, views, 3, defines, &pipeline);
    if (status)
        return status;
    name_maps(t);
    lg_device_dispatch(t->call, pipeline, views, 3, extra, k.extra,
                       groups(t->width, (uint32_t)k.group_x),
                       words ? groups(t->rows, 1) : groups(t->height, 4), groups(t->layers, 1));
    return LG_OK;
}

static lg_status edges_by_steps(device_task *t, const lg_device_image *to)
{
    lg_device_image planes[2];
    const lg_image_params shape = lg_native_shape(&t->call->out.shape, LG_F32, 1, LG_ALPHA_NONE);
    const lg_device_image *luma = &planes[0], *other = &planes[1];
    lg_status status = lg_device_scratch_image(t->call, &shape, &planes[0]);
    if (!status)
        status = lg_device_scratch_image(t->call, &shape, &planes[1]);
    if (!status)
        status = do_step(t, STEP_LUMINANCE, &t->call->in[0], luma, luma);
    if (!status && t->job.gaussian.radius)
        status = lg_gaussian_blur_plane(t->call, &t->job.gaussian, t->job.border, t->job.integer,
                                        luma, other);
    if (!status)
        status = do_step(t, STEP_MAGNITUDES, luma, other, other);
    return status ? status : do_step(t, STEP_SUPPRESSION, luma, other, to);
}

// ---- hysteresis ---------------------------------------------------------------------------------

static lg_status spread_step(const device_task *t, const char *name, const char *text,
                             const lg_device_image *out, uint32_t group)
{
    const kernel k = {.name = name,
                      .texts = {lg_glsl_canny_map, lg_glsl_canny_parents, text},
                      .group_x = (int)group,
                      .group_y = 1,
                      .extra = MAP_WORDS + 3,
                      .span = 4};
    const lg_device_image *views[] = {out};
    const lg_vk_pipeline *pipeline;
    char defines[40];
    snprintf(defines, sizeof defines, "#define OUT_BYTES %d\n", (int)lg_pixel_size(&out->shape));
    uint32_t extra[MAP_WORDS + 3];
    set_map_words(t, extra);
    memcpy(extra + 4, &t->parents, sizeof t->parents);
    extra[6] = t->height;
    lg_vk_barrier(t->call->commands);
    const lg_status status = make_kernel(t, &k, views, 1, defines, &pipeline);
    if (status)
        return status;
    name_maps(t);
    lg_vk_writes(t->call->commands, t->parents, 0);
    lg_device_dispatch(t->call, pipeline, views, 1, extra, k.extra, groups(t->width, 128), t->rows,
                       t->layers);
    return LG_OK;
}

static lg_status spread_edges(const device_task *t)
{
    const lg_device_image out = plain(&t->call->out);
    lg_status status = spread_step(t, "canny_label", lg_glsl_canny_label, &out, TILE_COLUMNS);
    if (!status)
        status = spread_step(t, "canny_join", lg_glsl_canny_join, &out, 128);
    return status ? status : spread_step(t, "canny_write", lg_glsl_canny_write, &t->call->out, 128);
}

static lg_status ring_of_edges(const device_task *t, const lg_device_image *values)
{
    const kernel k = {.name = "canny_ring",
                      .texts = {lg_glsl_canny_ring},
                      .group_x = 32,
                      .group_y = 4,
                      .extra = 2,
                      .span = 4};
    const lg_device_image *views[] = {values, &t->call->out};
    const lg_vk_pipeline *pipeline;
    const uint32_t extra[] = {t->height, t->layers};
    lg_vk_barrier(t->call->commands);
    const lg_status status = make_kernel(t, &k, views, 2, "", &pipeline);
    if (!status)
        lg_device_dispatch(t->call, pipeline, views, 2, extra, 2, groups(t->width, 128),
                           groups(t->height, 4), groups(t->layers, 1));
    return status;
}

// Room for two maps of every layer, and for the parents of runs.
static lg_status make_maps(device_task *t)
{
    lg_vk_buffer *maps, *parents;
    const size_t map = (size_t)t->words * t->rows, layers = t->layers;
    const size_t tiles = (t->width + TILE_COLUMNS - 1) / TILE_COLUMNS * (size_t)t->rows;
    lg_status status = lg_device_scratch(t->call, 2 * layers * map * sizeof(uint32_t) + 256, &maps);
    if (!status)
        status = lg_device_scratch(t->call, layers * (1 + tiles * TILE_NUMBERS) * sizeof(uint32_t),
                                   &parents);
    if (status)
        return status;
    t->maps = maps->address;
    t->parents = parents->address;
    return LG_OK;
}

static lg_status record(device_task *t)
{
    lg_device_call *call = t->call;
    const lg_image_params shape = lg_native_shape(&call->in[0].shape, LG_F32, 1, LG_ALPHA_NONE);
    lg_device_image values;
    const lg_device_image *to = t->job.ring ? &values : &call->out;
    lg_status status = t->job.ring ? lg_device_scratch_image(call, &shape, &values) : make_maps(t);
    if (!status)
        status = takes_bytes(t) ? edges_of_bytes(t, to) : edges_by_steps(t, to);
    if (status)
        return status;
    return t->job.ring ? ring_of_edges(t, &values) : spread_edges(t);
}

lg_status lg_canny_vulkan(lg_device_call *call)
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
    t.job.integer = lg_luminance_is_byte(s);
    t.job.border = (lg_border)lg_native_value(f, call->values, "border");
    // Numbers of runs have 32 bits, and workgroups are not counted beyond 65535.
    if (t.width > 65535 * 124u || t.rows > 65535 || t.layers > 65535 ||
        (uint64_t)(t.width + 127) * t.rows * 16 > UINT32_MAX)
        return lg_fail(call->error, LG_ERROR_UNSUPPORTED,
                       "canny_edge_detection on a device takes layers of up to 2^33 pixels");
    lg_status status = lg_gaussian_create_spaced(
        lg_native_value(f, call->values, "sigma"), 0, LG_GAUSSIAN_AUTO,
        (int)lg_native_value(f, call->values, "blur_texel_spacing_multiplier"), &t.job.gaussian,
        call->error);
    if (!status)
        status = record(&t);
    lg_gaussian_destroy(&t.job.gaussian);
    return status;
}
