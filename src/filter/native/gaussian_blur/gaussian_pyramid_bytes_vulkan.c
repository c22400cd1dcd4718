// The levels of a Gaussian blur of bytes without alpha, to bytes, on a Vulkan device: two levels in a
// dispatch, two samples in a word, both axes at once.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/gaussian_blur/gaussian_pyramid.h"
#include "filter/native/native_vulkan.h"

#include <stdio.h>

extern const char lg_glsl_gaussian_pyramid_lanes[], lg_glsl_gaussian_pyramid_down[];
extern const char lg_glsl_gaussian_pyramid_weigh[], lg_glsl_gaussian_pyramid_up[];

#define THREADS       128
#define WEIGH_THREADS 256
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
static void place_levels(pyramid *p)
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
    const uint64_t memory = lg_device_memory(p->call, end + 256);
    for (int k = 1; k < p->count; k++)
        p->halved[k].image.address = p->blurred[k].image.address = memory + at[k];
    smallest->image.address = memory + bytes;
}

// Rows of a workgroup, `strips` of which lie along a row: many, but all compute units have work.
typedef struct bands {
    int64_t strips, min, max;
    int lines;
} bands;

static void run_pass(const pyramid *p, lg_pass pass, bands b, const stop *from, const stop *to,
                     const char *lines)
{
    const int64_t rows = lg_gaussian_count(to->y), layers = p->call->in[0].shape.layers;
    const int64_t fit = rows * b.strips * b.lines * layers / GROUPS / 4 * 4;
    const int64_t band = LG_MAX(b.min, LG_MIN(fit, b.max));
    const lg_pass_words words =
        LG_WORDS(layers, band, rows, lg_gaussian_count(to->x), to->y.first, to->x.first,
                 lg_gaussian_count(from->y), lg_gaussian_count(from->x), from->x.first);
    pass.group_y = 1;
    pass.shared = lg_glsl_gaussian_pyramid_lanes;
    pass.views[0] = &from->image;
    pass.views[1] = &to->image;
    pass.words = words;
    pass.groups[0] = lg_native_groups(b.strips, 1);
    pass.groups[1] = lg_native_groups(rows, band);
    pass.groups[2] = lg_native_groups(layers * b.lines, 1);
    lg_pass_run(p->call, &pass, "#define CH %d\n%s", p->channels, lines);
}

static int64_t groups_of(int64_t size, int64_t each)
{
    return (size + each - 1) / each;
}

static void halve(const pyramid *p, const stop *from, const stop *to)
{
    const int levels = to->level - from->level;
    const int64_t columns = lg_gaussian_count(to->x) / (3 - levels) + 1;
    const bands b = {groups_of(columns, THREADS - 2 * levels), 8 * (3 - levels), 64 * (3 - levels),
                     1};
    const lg_pass pass = {LG_PASS_TEXT(gaussian_pyramid_down), .group_x = THREADS,
                          .more = LG_WORDS(from->y.first)};
    char lines[120];
    snprintf(lines, sizeof lines, "#define BYTES %d\n#define LEVELS %d\n#define BORDER %d\n",
             from->level == 0, levels, (int)p->border);
    run_pass(p, pass, b, from, to, lines);
}

static void weigh(const pyramid *p, const stop *from, const stop *to)
{
    const lg_gaussian *g = p->g;
    const int reach = p->channels == 4 ? g->taps : (g->taps + 1) / 2;
    const int strip = WEIGH_THREADS - 2 * (int)lg_align_up((size_t)reach, 4);
    const bands b = {groups_of(lg_gaussian_count(to->x), strip), 16, 128, lines_of(p)};
    int64_t weights[LG_PASS_WORDS];
    for (int k = 0; k <= g->taps; k++)
        weights[k] = g->whole[k];
    const lg_pass pass = {LG_PASS_TEXT(gaussian_pyramid_weigh), .group_x = WEIGH_THREADS,
                          .more = {weights, g->taps + 1}};
    char lines[40];
    snprintf(lines, sizeof lines, "#define TAPS %d\n", g->taps);
    run_pass(p, pass, b, from, to, lines);
}

static void expand(const pyramid *p, const stop *from, const stop *to)
{
    const int levels = from->level - to->level;
    const bool bytes = to->level == 0;
    const lg_image_params *s = &p->call->out.shape;
    const int64_t words =
        bytes && p->channels == 1 ? (lg_gaussian_count(to->x) + 1) / 2 : lg_gaussian_count(to->x);
    const bands b = {groups_of((words >> levels) + 2, THREADS - 2 * (levels - 1)), 32, 256, 1};
    const lg_pass pass = {LG_PASS_TEXT(gaussian_pyramid_up), .group_x = THREADS,
                          .more = LG_WORDS(from->y.first)};
    char lines[120];
    snprintf(lines, sizeof lines, "#define BYTES %d\n#define LEVELS %d\n#define OPAQUE %d\n", bytes,
             levels, s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE);
    run_pass(p, pass, b, from, to, lines);
}

bool lg_gaussian_takes_byte_levels(const lg_device_call *call, const lg_gaussian *g)
{
    const lg_vk_limits *limits = lg_vk_get_limits(call->context->vk);
    return call->in[0].shape.channels != 2 && g->levels > 0 && limits->byte_kernels &&
           limits->max_workgroup_size >= WEIGH_THREADS;
}

void lg_gaussian_run_byte_levels(lg_device_call *call, const lg_gaussian *g, lg_border border)
{
    pyramid p = {.call = call, .g = g, .border = border, .channels = call->in[0].shape.channels};
    place_levels(&p);
    for (int k = 1; k < p.count; k++)
        halve(&p, &p.halved[k - 1], &p.halved[k]);
    weigh(&p, &p.halved[p.count - 1], &p.blurred[p.count - 1]);
    for (int k = p.count - 1; k > 0; k--)
        expand(&p, &p.blurred[k], &p.blurred[k - 1]);
}
