// The levels of a Gaussian blur on the CPU: their memory, and who computes which rows.
#include "filter/native/gaussian_blur/gaussian_pyramid.h"
#include "filter/native/planes.h"

LG_CPU_DECLARE(lg_gaussian_pyramid_table, gaussian_pyramid_bytes);
LG_CPU_DECLARE(lg_gaussian_pyramid_table, gaussian_pyramid_floats);

#define BAND 32 // rows of a tile: a few of them are computed in both of two neighbours

typedef struct pyramid_run {
    lg_gaussian_pyramid p;
    const lg_gaussian_pyramid_table *table;
    int level;     // that is computed
    int64_t first; // its first row
} pyramid_run;

static size_t sample_size(const lg_gaussian_pyramid *p)
{
    return p->whole ? sizeof(int16_t) : sizeof(float);
}

static size_t row_samples(const lg_gaussian_pyramid *p, lg_gaussian_range x)
{
    return (size_t)lg_gaussian_count(x) * (size_t)(p->lines * p->step);
}

static size_t row_bytes(const lg_gaussian_pyramid *p, lg_gaussian_range x)
{
    return lg_align_up((row_samples(p, x) + LG_GAUSSIAN_SLACK) * sample_size(p), 64);
}

// What the kernels keep: rows of the image with its border, or all rows of a tile of the last level.
static size_t scratch_size(const lg_gaussian_pyramid *p)
{
    const lg_gaussian_range x = lg_gaussian_halved(p->g, p->in.width, 0);
    const lg_gaussian_range last = lg_gaussian_halved(p->g, p->in.width, p->g->levels);
    return LG_MAX(12 * row_bytes(p, x), (BAND + 1) * row_bytes(p, last)) + 4096;
}

static lg_status halve(void *job, const lg_tile *t)
{
    const pyramid_run *r = job;
    r->table->halve(&r->p, r->level, r->first + t->y, r->first + t->y_end, t->scratch);
    return LG_OK;
}

static lg_status weigh(void *job, const lg_tile *t)
{
    const pyramid_run *r = job;
    r->table->weigh(&r->p, r->first + t->y, r->first + t->y_end, t->scratch);
    return LG_OK;
}

static lg_status expand(void *job, const lg_tile *t)
{
    const pyramid_run *r = job;
    r->table->expand(&r->p, r->level, r->first + t->y, r->first + t->y_end, t->scratch);
    return LG_OK;
}

static lg_status run_rows(pyramid_run *r, lg_pool *pool, lg_tile_fn *run, lg_gaussian_range rows,
                          char *scratch, lg_error *error)
{
    const lg_tiling tiling = {.height = lg_gaussian_count(rows),
                              .band = BAND,
                              .scratch = scratch_size(&r->p),
                              .memory = scratch,
                              .run = run,
                              .job = r};
    r->first = rows.first;
    return lg_tiling_run(pool, &tiling, error);
}

static lg_status run(pyramid_run *r, lg_pool *pool, char *scratch, lg_error *error)
{
    const int levels = r->p.g->levels;
    lg_status status = LG_OK;
    for (r->level = 1; r->level <= levels && !status; r->level++)
        status = run_rows(r, pool, halve, r->p.halved[r->level].y, scratch, error);
    if (!status)
        status = run_rows(r, pool, weigh, r->p.blurred[levels].y, scratch, error);
    for (r->level = levels - 1; r->level >= 0 && !status; r->level--)
        status = run_rows(r, pool, expand, r->p.blurred[r->level].y, scratch, error);
    return status;
}

// A blurred level takes the place of the one that it comes from; the smallest needs both.
static size_t place_levels(lg_gaussian_pyramid *p)
{
    const int levels = p->g->levels;
    size_t bytes = 0;
    for (int k = 0; k <= levels; k++) {
        lg_gaussian_level *h = &p->halved[k], *b = &p->blurred[k];
        h->x = lg_gaussian_halved(p->g, p->in.width, k);
        h->y = lg_gaussian_halved(p->g, p->in.height, k);
        b->x = lg_gaussian_blurred(p->in.width, k);
        b->y = lg_gaussian_blurred(p->in.height, k);
        h->pitch = b->pitch = row_bytes(p, h->x);
        bytes += k ? h->pitch * (size_t)lg_gaussian_count(h->y) : 0;
    }
    return bytes + p->blurred[levels].pitch * (size_t)lg_gaussian_count(p->blurred[levels].y);
}

static void give_memory(lg_gaussian_pyramid *p, char *memory)
{
    const int levels = p->g->levels;
    for (int k = 1; k <= levels; k++) {
        p->halved[k].data = p->blurred[k].data = memory;
        memory += p->halved[k].pitch * (size_t)lg_gaussian_count(p->halved[k].y);
    }
    p->blurred[levels].data = memory;
}

lg_status lg_gaussian_blur_layer(lg_context *context, const lg_gaussian *g, lg_border border,
                                 lg_gaussian_result result, const lg_pixels *in,
                                 const lg_pixels *out, lg_error *error)
{
    const bool whole = in->type == LG_U8 && !lg_pixels_have_alpha(in);
    pyramid_run r = {.p = {.g = g,
                           .border = border,
                           .result = result,
                           .whole = whole,
                           .rounded = whole && lg_pixels_same_kind(in, out),
                           .scale = (float)(1 / (255 * (double)lg_gaussian_unit(g))),
                           .in = *in,
                           .out = *out,
                           .lines = whole ? 1 : lg_plane_count(in),
                           .step = whole ? in->channels : 1}};
    r.table = whole ? LG_CPU_SELECT(gaussian_pyramid_bytes, context->cpu_level)
                    : LG_CPU_SELECT(gaussian_pyramid_floats, context->cpu_level);
    const size_t levels = place_levels(&r.p);
    const size_t scratch = lg_tiling_memory(context->pool, scratch_size(&r.p));
    char *memory = lg_alloc_uninit(levels + scratch);
    if (!memory)
        return lg_fail_memory(error, levels + scratch, "the levels of gaussian_blur");
    give_memory(&r.p, memory);
    const lg_status status = run(&r, context->pool, memory + levels, error);
    lg_free(memory);
    return status;
}
