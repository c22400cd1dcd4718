// Levels of all other images: planes of floats, each operation rounded once.
#include "filter/native/planes.h"
#include "filter/native/reach.h"

#define SAMPLE              float
#define SMOOTH(a, b, c, up) ((((a) + (c)) + ((b) + (b))) * 0.25f)
#define BETWEEN(b, c, up)   (((b) + (c)) * 0.5f)
#define NEAR(a, b, c, up)   ((((a) + (c)) + (b)*6.0f) * 0.125f)
#define WEIGH(g, rows, count, out)                                                                 \
    LG_CPU_TABLE(gaussian_weigh).floats(g, rows, (int64_t)(count), out)

#include "cpu/cpu.h"
#include "filter/native/gaussian_blur/gaussian_blur.h"

extern const lg_gaussian_weigh_table LG_CPU_TABLE(gaussian_weigh);

#include "filter/native/gaussian_blur/gaussian_pyramid_rows.h"

#define KEPT 8 // rows of the image: five that are smoothed, and a power of two

// The last rows of the image as planes.
typedef struct loaded {
    const lg_gaussian_pyramid *p;
    float *rows[KEPT];
    int64_t held[KEPT];
} loaded;

static loaded make_loaded(const lg_gaussian_pyramid *p, char **scratch)
{
    loaded l = {.p = p};
    for (int k = 0; k < KEPT; k++) {
        l.rows[k] = take_samples(scratch, (size_t)(p->in.width * p->lines));
        l.held[k] = INT64_MIN;
    }
    return l;
}

// Row y of the image with its border, one plane of a row behind the other.
static const float *loaded_row(loaded *l, int64_t y)
{
    const lg_gaussian_pyramid *p = l->p;
    const int slot = (int)(y & (KEPT - 1));
    const int32_t width = p->in.width;
    const int64_t from = lg_border_index(y, p->in.height, p->border);
    if (l->held[slot] != y && from < 0)
        memset(l->rows[slot], 0, (size_t)(width * p->lines) * sizeof(float));
    for (int32_t x = 0; x < width && l->held[slot] != y && from >= 0; x += LG_SPAN)
        lg_planes_load(lg_stage_get(LG_CPU_LEVEL_ID), &p->in, x, from, LG_MIN(width - x, LG_SPAN),
                       l->rows[slot] + x, (size_t)width);
    l->held[slot] = y;
    return l->rows[slot];
}

static void halve_image(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_range x = p->halved[0].x;
    const size_t line = line_samples(p, x), width = (size_t)p->in.width;
    const size_t into = line_samples(p, p->halved[1].x);
    float *smooth = take_samples(&scratch, line), *spare = take_samples(&scratch, line);
    memset(smooth, 0, line * sizeof *smooth);
    loaded l = make_loaded(p, &scratch);
    const lg_reach reach = {&p->in, p->border, x.first, x.end, 0, p->in.width, NULL};
    for (; y < end; y++)
        for (int plane = 0; plane < p->lines; plane++) {
            const float *rows[5];
            for (int k = 0; k < 5; k++)
                rows[k] = loaded_row(&l, 2 * y - 2 + k) + (size_t)plane * width;
            smooth_columns(rows, width, smooth - x.first);
            lg_reach_fill(&reach, smooth, sizeof *smooth);
            halve_line(smooth, 1, into, spare, row_of(&p->halved[1], y) + (size_t)plane * into);
        }
}

// Planes of `count` pixels from column x on.
static void between_rows(const doubled *d, const SAMPLE *const *rows, int around, int32_t x,
                         int count, float *restrict out)
{
    for (int l = 0; l < d->p->lines; l++, out += LG_SPAN) {
        const size_t at = (size_t)l * d->line + (size_t)x;
        const float *a = rows[0] + at, *b = rows[1] + at, *c = rows[around - 1] + at;
        if (around == 2)
            for (int i = 0; i < count; i++)
                out[i] = BETWEEN(a[i], b[i], 1);
        else
            for (int i = 0; i < count; i++)
                out[i] = NEAR(a[i], b[i], c[i], 1);
    }
}

static void expand_image(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    float planes[4 * LG_SPAN] __attribute__((aligned(64)));
    doubled d = make_doubled(p, 0, &scratch);
    for (; y < end; y++) {
        const SAMPLE *rows[3];
        const int around = rows_around(&d, y, rows);
        for (int32_t x = 0; x < p->in.width; x += LG_SPAN) {
            const int count = LG_MIN(p->in.width - x, LG_SPAN);
            between_rows(&d, rows, around, x, count, planes);
            if (p->result == LG_GAUSSIAN_PLANE)
                memcpy((float *)(void *)(p->out.data + (size_t)y * p->out.row_stride) + x, planes,
                       (size_t)count * sizeof *planes);
            else
                lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), &p->in, &p->out, x, y, count, planes,
                                LG_SPAN);
        }
    }
}

static void halve(const void *arg, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_pyramid *p = arg;
    if (p->level == 1)
        halve_image(p, y, end, scratch);
    else
        halve_level(p, y, end, scratch);
}

static void expand(const void *arg, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_pyramid *p = arg;
    if (p->level == 0)
        expand_image(p, y, end, scratch);
    else
        expand_level(p, y, end, scratch);
}

extern const lg_gaussian_pyramid_table LG_CPU_TABLE(gaussian_pyramid_floats);
const lg_gaussian_pyramid_table LG_CPU_TABLE(gaussian_pyramid_floats) = {halve, weigh_level,
                                                                         expand};
