// The levels of a Gaussian blur of bytes without alpha, to bytes, on a Vulkan device: two levels in a
// dispatch, two samples in a word, both axes at once.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/gaussian_blur/gaussian_pyramid.h"
#include "filter/native/native_vulkan.h"

#include <stdio.h>
#include <string.h>

extern const char lg_glsl_gaussian_pyramid_lanes[], lg_glsl_gaussian_pyramid_down[];
extern const char lg_glsl_gaussian_pyramid_weigh[], lg_glsl_gaussian_pyramid_up[];

#define THREADS       128
#define WEIGH_THREADS 256
#define WEIGHTS       11   // of push constants, with the centre
#define WORDS         9    // of push constants in front of weights
#define GROUPS        4000 // workgroups that keep a device busy

// Where dispatches stop: the image, every second level and the smallest one.
typedef struct stop {
    int level;
    lg_device_image image;
    lg_gaussian_range x, y; // words of a line and rows; pixels of the image
} stop;

typedef struct pyramid {
    lg_device_call *call;
    const lg_gaussian *g;
    lg_border border;
    int channels, count;
    stop halved[LG_GAUSSIAN_LEVELS],
        blurred[LG_GAUSSIAN_LEVELS]; // `count` of them; the first is the image
} pyramid;

static int lines_of(const pyramid *p)
{
    return p->channels == 4 ? 2 : 1;
}

// The words that hold some samples of a row: whole vectors of four.
static lg_gaussian_range words_of(const pyramid *p, lg_gaussian_range x)
{
    const int64_t samples = p->channels == 4 ? 4 : 8, words = 4 << 20;
    const int64_t first = (x.first + words * samples) / samples - words;
    const int64_t end = (x.end + samples - 1 + words * samples) / samples - words;
    return (lg_gaussian_range){4 * first, 4 * end};
}

static size_t set_stop(const pyramid *p, stop *s, int level, lg_gaussian_range x,
                       lg_gaussian_range y)
{
    s->level = level;
    s->x = words_of(p, x);
    s->y = y;
    const lg_image_params *in = &p->call->in[0].shape;
    const size_t line = (size_t)lg_gaussian_count(s->x);
    s->image.shape = (lg_image_params){.width = (int32_t)(line * (size_t)lines_of(p)),
                                       .height = (int32_t)lg_gaussian_count(y),
                                       .layers = in->layers,
                                       .channels = 1,
                                       .type = LG_F32};
    s->image.row_stride = (size_t)s->image.shape.width * sizeof(uint32_t);
    s->image.layer_stride = s->image.row_stride * (size_t)s->image.shape.height;
    return lg_align_up(s->image.layer_stride * (size_t)in->layers + 256, 256);
}

// A blurred level takes the place of the one that it comes from; the smallest needs both.
static lg_status place_levels(pyramid *p)
{
    const lg_image_params *in = &p->call->in[0].shape;
    const lg_gaussian *g = p->g;
    size_t bytes = 0, at[LG_GAUSSIAN_LEVELS];
    p->halved[0] = (stop){0, p->call->in[0], {0, in->width}, {0, in->height}};
    p->blurred[0] = (stop){0, p->call->out, {0, in->width}, {0, in->height}};
    int last = 0;
    for (p->count = 1; last < g->levels; p->count++) {
        last = LG_MIN(last + 2, g->levels);
        at[p->count] = bytes;
        bytes += set_stop(p, &p->halved[p->count], last, lg_gaussian_halved(g, in->width, last),
                          lg_gaussian_halved(g, in->height, last));
        set_stop(p, &p->blurred[p->count], last, lg_gaussian_blurred(in->width, last),
                 lg_gaussian_blurred(in->height, last));
    }
    stop *smallest = &p->blurred[p->count - 1];
    const size_t end = bytes + lg_align_up(smallest->image.layer_stride * (size_t)in->layers, 256);
    lg_vk_buffer *memory;
    const lg_status status = lg_device_scratch(p->call, end + 256, &memory);
    if (status)
        return status;
    for (int k = 1; k < p->count; k++)
        p->halved[k].image.address = p->blurred[k].image.address = memory->address + at[k];
    smallest->image.address = memory->address + bytes;
    return LG_OK;
}

typedef struct pass {
    const char *name, *text;
    int threads, extra;
    int64_t strips;   // workgroups along a row
    int64_t min, max; // rows of a band
    uint32_t own[WORDS + WEIGHTS];
    char lines[120]; // #define lines
} pass;

static lg_status run_pass(const pyramid *p, pass *d, const stop *from, const stop *to, int lines)
{
    const lg_device_image *views[] = {&from->image, &to->image};
    const int64_t rows = lg_gaussian_count(to->y);
    const lg_native_glsl text = {.name = d->name,
                                 .text = d->text,
                                 .group_x = d->threads,
                                 .group_y = 1,
                                 .extra = d->extra,
                                 .shared = lg_glsl_gaussian_pyramid_lanes};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(p->call, &text, views, 2, &pipeline,
                                              "#define CH %d\n%s", p->channels, d->lines);
    if (status)
        return status;
    const int64_t layers = (int64_t)p->call->in[0].shape.layers;
    int64_t band = rows * d->strips * lines * layers / GROUPS / 4 * 4;
    band = LG_MAX(d->min, LG_MIN(band, d->max));
    const uint32_t words[] = {(uint32_t)layers,
                              (uint32_t)band,
                              (uint32_t)rows,
                              (uint32_t)lg_gaussian_count(to->x),
                              (uint32_t)to->y.first,
                              (uint32_t)to->x.first,
                              (uint32_t)lg_gaussian_count(from->y),
                              (uint32_t)lg_gaussian_count(from->x),
                              (uint32_t)from->x.first};
    memcpy(d->own, words, sizeof words);
    lg_vk_barrier(p->call->commands);
    lg_device_dispatch(p->call, pipeline, views, 2, d->own, d->extra,
                       lg_native_groups(d->strips, 1), lg_native_groups(rows, band),
                       lg_native_groups(layers * lines, 1));
    return LG_OK;
}

static int64_t groups_of(int64_t size, int64_t each)
{
    return (size + each - 1) / each;
}

static lg_status halve(const pyramid *p, const stop *from, const stop *to)
{
    const int levels = to->level - from->level;
    pass d = {.name = "gaussian_pyramid_down",
              .text = lg_glsl_gaussian_pyramid_down,
              .threads = THREADS,
              .extra = WORDS + 1,
              .strips =
                  groups_of(lg_gaussian_count(to->x) / (3 - levels) + 1, THREADS - 2 * levels),
              .min = 8 * (3 - levels),
              .max = 64 * (3 - levels)};
    d.own[WORDS] = (uint32_t)from->y.first;
    snprintf(d.lines, sizeof d.lines, "#define BYTES %d\n#define LEVELS %d\n#define BORDER %d\n",
             from->level == 0, levels, (int)p->border);
    return run_pass(p, &d, from, to, 1);
}

static lg_status weigh(const pyramid *p, const stop *from, const stop *to)
{
    const lg_gaussian *g = p->g;
    const int reach = p->channels == 4 ? g->taps : (g->taps + 1) / 2;
    const int strip = WEIGH_THREADS - 2 * (int)lg_align_up((size_t)reach, 4);
    pass d = {.name = "gaussian_pyramid_weigh",
              .text = lg_glsl_gaussian_pyramid_weigh,
              .threads = WEIGH_THREADS,
              .extra = WORDS + g->taps + 1,
              .strips = groups_of(lg_gaussian_count(to->x), strip),
              .min = 16,
              .max = 128};
    for (int k = 0; k <= g->taps; k++)
        d.own[WORDS + k] = (uint32_t)g->whole[k];
    snprintf(d.lines, sizeof d.lines, "#define TAPS %d\n", g->taps);
    return run_pass(p, &d, from, to, lines_of(p));
}

static lg_status expand(const pyramid *p, const stop *from, const stop *to)
{
    const int levels = from->level - to->level;
    const bool bytes = to->level == 0;
    const lg_image_params *s = &p->call->out.shape;
    const int64_t words =
        bytes && p->channels == 1 ? (lg_gaussian_count(to->x) + 1) / 2 : lg_gaussian_count(to->x);
    pass d = {.name = "gaussian_pyramid_up",
              .text = lg_glsl_gaussian_pyramid_up,
              .threads = THREADS,
              .extra = WORDS + 1,
              .strips = groups_of((words >> levels) + 2, THREADS - 2 * (levels - 1)),
              .min = 32,
              .max = 256};
    d.own[WORDS] = (uint32_t)from->y.first;
    snprintf(d.lines, sizeof d.lines, "#define BYTES %d\n#define LEVELS %d\n#define OPAQUE %d\n",
             bytes, levels, s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE);
    return run_pass(p, &d, from, to, 1);
}

bool lg_gaussian_takes_byte_levels(const lg_device_call *call, const lg_gaussian *g)
{
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return call->in[0].shape.channels != 2 && g->levels > 0 && limits->byte_kernels &&
           limits->max_workgroup_size >= WEIGH_THREADS;
}

lg_status lg_gaussian_run_byte_levels(lg_device_call *call, const lg_gaussian *g, lg_border border)
{
    pyramid p = {.call = call, .g = g, .border = border, .channels = call->in[0].shape.channels};
    lg_status status = place_levels(&p);
    for (int k = 1; k < p.count && !status; k++)
        status = halve(&p, &p.halved[k - 1], &p.halved[k]);
    if (!status)
        status = weigh(&p, &p.halved[p.count - 1], &p.blurred[p.count - 1]);
    for (int k = p.count - 1; k > 0 && !status; k--)
        status = expand(&p, &p.blurred[k], &p.blurred[k - 1]);
    return status;
}
