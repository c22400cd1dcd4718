// The levels of a Gaussian blur on the CPU: their memory, and who computes which rows.
#include "filter/native/gaussian_blur/gaussian_pyramid.h"
#include "device/spill.h"
#include "filter/native/planes.h"

LG_CPU_DECLARE(lg_gaussian_pyramid_table, gaussian_pyramid_bytes);
LG_CPU_DECLARE(lg_gaussian_pyramid_table, gaussian_pyramid_floats);

#define BAND 32 // rows of a tile: a few of them are computed in both of two neighbours

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

// What runs have in common.
typedef struct pyramid_run {
    lg_gaussian_pyramid p;
    lg_context *context;
    char *scratch;
    lg_error *error;
} pyramid_run;

static lg_status run_rows(const pyramid_run *r, lg_rows_fn *run, lg_gaussian_range rows)
{
    const lg_row_pass pass = {.run = run,
                              .job = &r->p,
                              .first = rows.first,
                              .rows = lg_gaussian_count(rows),
                              .band = BAND,
                              .scratch = scratch_size(&r->p),
                              .memory = r->scratch};
    return lg_rows_run(r->context, &pass, r->error);
}

static lg_status run(pyramid_run *r, const lg_gaussian_pyramid_table *table)
{
    lg_gaussian_pyramid *p = &r->p;
    const int levels = p->g->levels;
    lg_status status = LG_OK;
    for (p->level = 1; p->level <= levels && !status; p->level++)
        status = run_rows(r, table->halve, p->halved[p->level].y);
    if (!status)
        status = run_rows(r, table->weigh, p->blurred[levels].y);
    for (p->level = levels - 1; p->level >= 0 && !status; p->level--)
        status = run_rows(r, table->expand, p->blurred[p->level].y);
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
                           .step = whole ? in->channels : 1},
                     .context = context,
                     .error = error};
    const size_t levels = place_levels(&r.p);
    const size_t scratch = lg_tiling_memory(context->pool, scratch_size(&r.p));
    void *memory = NULL;
    lg_status status =
        lg_block_take(context, levels + scratch, "the levels of gaussian_blur", &memory, error);
    if (status)
        return status;
    give_memory(&r.p, memory);
    r.scratch = (char *)memory + levels;
    status = run(&r, whole ? LG_CPU_SELECT(gaussian_pyramid_bytes, context->cpu_level)
                           : LG_CPU_SELECT(gaussian_pyramid_floats, context->cpu_level));
    lg_block_give(context, memory);
    return status;
}
