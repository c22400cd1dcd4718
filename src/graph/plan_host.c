// Running a plan on the CPU: stage by stage, bands of rows on all threads.
#include "core/pixel_planes.h"
#include "device/spill.h"
#include "engine/tile.h"
#include "filter/native.h"
#include "filter/native/tiles.h"
#include "graph/plan_planes.h"
#include "graph/plan_rows.h"
#include "graph/plan_table.h"
#include "graph/plan_threshold.h"
#include "kernel/color_math.h"

#include <string.h>

#define BAND_PIXELS   65536 // of one job of a thread, about
#define MAPPED_ROWS   4     // of a square of a warp, the first ones
#define MAPPED_MOST   16
#define LOOKUP_PIXELS 4096 // from which a table of 256 values pays

typedef struct run {
    lg_plan *plan;
    lg_image *const *inputs;
    lg_image *const *outputs;
    const lg_plan_band *band; // NULL: all rows
    char *scratch;            // of all workers
    lg_plan_tasks figures;
    lg_error *error;
} run;

static const lg_filter_entry *entry(const lg_filter *filter)
{
    return (const lg_filter_entry *)filter;
}

static lg_pixels pixels_of(const lg_image *image, int32_t layer)
{
    return lg_layer_pixels(image, image->shape.layers == 1 ? 0 : layer);
}

// The planes of a slot, and pixels that stand for them.
static lg_planar planar_of_slot(const run *r, int slot)
{
    const lg_plan_slot *s = &r->plan->slots[slot];
    void *data[LG_MAX_PLANES] = {NULL};
    size_t rows[LG_MAX_PLANES] = {0};
    for (int i = 0; i < LG_MAX_PLANES && s->plane[i] >= 0; i++) {
        const lg_image *plane = lg_plan_image(r->plan, s->plane[i], r->inputs, r->outputs);
        data[i] = plane->data;
        rows[i] = plane->shape.row_stride;
    }
    return lg_planar_of(s->shape.planes, s->shape.width, s->shape.height, data, rows,
                        s->shape.type);
}

static lg_pixels pixels_of_planar(const run *r, int slot, const lg_planar *planar)
{
    const lg_image_params *s = &r->plan->slots[slot].shape;
    return (lg_pixels){.width = s->width,
                       .height = s->height,
                       .channels = s->channels,
                       .type = s->type,
                       .alpha = s->alpha,
                       .planar = planar};
}

// The pixels of a slot by the rows of the whole image, of which a band may be in memory.
static lg_pixels pixels_of_slot(const run *r, int slot, int32_t layer)
{
    const lg_plan_slot *s = &r->plan->slots[slot];
    lg_pixels p = pixels_of(lg_plan_image(r->plan, slot, r->inputs, r->outputs), layer);
    if (!r->band)
        return p;
    const int64_t base = lg_plan_band_base(r->plan, r->band, slot);
    p.data = (char *)((uintptr_t)p.data - (size_t)base * p.row_stride);
    p.height = s->shape.height;
    return p;
}

static lg_table table_of(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    return (lg_table){.at = image->data,
                      .count = (int)(s->layer_stride / sizeof(float)) * s->layers,
                      .width = s->width,
                      .height = s->height,
                      .layers = s->layers,
                      .row = (int)(s->row_stride / sizeof(float))};
}

// `channels` of the image that the stage reads. `table`: in place of the node's image.
static lg_chain_kernel link_of(const run *r, int node, int channels, const lg_image *table)
{
    lg_plan *plan = r->plan;
    lg_plan_node *p = &plan->nodes[node];
    const lg_filter *filter = plan->graph->nodes[node].filter;
    if (p->table_slot >= 0) {
        p->tables[0] =
            table_of(table ? table : lg_plan_image(plan, p->table_slot, r->inputs, r->outputs));
        lg_plan_set_range(plan, node, r->inputs, &p->tables[0]);
    }
    return (lg_chain_kernel){
        .loops = lg_filter_get_loops(filter, plan->context->cpu_level),
        .values = p->values,
        .tables = p->tables,
        .per_channel = lg_filter_fits_table(filter, p->values, channels),
        .expensive = lg_filter_is_expensive(filter),
    };
}

typedef struct band_job {
    const lg_stage_job *stage;
    const lg_stage_table *table;
    lg_context *mapped; // images are in files; NULL: in memory
    int64_t first;      // row
} band_job;

// A square of a warp. Where the image is bent most each of its pixels reads from other rows of the input, so
// that few rows are computed before it is seen how much of the files is in memory.
static void run_square(const band_job *b, const lg_tile *t, int32_t y, int32_t y_end,
                       float *scratch)
{
    for (int32_t rows = MAPPED_ROWS, next; y < y_end; y = next) {
        next = LG_MIN(y + rows, y_end);
        b->table->run_columns(b->stage, (int32_t)t->x, (int32_t)t->x_end, y, next, scratch);
        rows = lg_blocks_relieve(b->mapped) ? LG_MAX(rows / 2, 1) : LG_MIN(rows * 2, MAPPED_MOST);
    }
}

static lg_status run_band(void *arg, const lg_tile *t)
{
    const band_job *b = arg;
    const int32_t y = (int32_t)(b->first + t->y), y_end = (int32_t)(b->first + t->y_end);
    float *scratch = (float *)(void *)t->scratch;
    if (b->mapped)
        run_square(b, t, y, y_end, scratch);
    else
        b->table->run(b->stage, y, y_end, scratch);
    return LG_OK;
}

// All rows of the output that the band needs. A row of a warp may read from all rows of its input, so that
// where images are in files it is computed in squares.
static lg_status run_bands(const run *r, const lg_plan_stage *s, const lg_stage_job *job,
                           const lg_stage_table *table)
{
    const int64_t side = job->source == LG_FILTER_WARP ? lg_mapped_side(r->plan->context) : 0;
    band_job b = {.stage = job, .table = table, .mapped = side ? r->plan->context : NULL};
    int64_t end = job->out.height;
    if (r->band)
        lg_plan_band_rows(r->plan, r->band, s->out, &b.first, &end);
    const lg_tiling tiling = {.width = job->out.width,
                              .height = end - b.first,
                              .strip = side,
                              .band = side ? side : LG_MAX(1, BAND_PIXELS / job->out.width),
                              .scratch = LG_STAGE_SCRATCH * sizeof(float),
                              .memory = r->scratch,
                              .run = run_band,
                              .job = &b};
    return lg_tiling_run(r->plan->context->pool, &tiling, r->error);
}

static lg_status run_layers(const run *r, const lg_plan_stage *s, lg_stage_job *job)
{
    lg_plan *plan = r->plan;
    const lg_stage_table *table = lg_stage_get(plan->context->cpu_level);
    lg_stage_lookup lookup;
    const lg_image *out = lg_plan_image(plan, s->out, r->inputs, r->outputs);
    lg_pixels over[LG_CHAIN_LENGTH];
    lg_planar planar;
    const bool planes = s->in[0] >= 0 && plan->slots[s->in[0]].kind == LG_PLAN_PLANES;
    if (planes)
        planar = planar_of_slot(r, s->in[0]);
    const lg_image_params *whole = &plan->slots[s->out].shape;
    const float width = (float)whole->width, height = (float)whole->height;
    job->inverse_width = lg_div(1, width);
    job->inverse_height = lg_div(1, height);
    job->aspect = lg_div(height, width);
    lg_status status = LG_OK;
    for (int32_t z = 0; z < out->shape.layers && !status; z++) {
        job->out = pixels_of_slot(r, s->out, z);
        job->out.stream = lg_writes_past_caches(&out->shape);
        if (s->in[0] >= 0)
            job->in =
                planes ? pixels_of_planar(r, s->in[0], &planar) : pixels_of_slot(r, s->in[0], z);
        for (int i = 0; i < s->count; i++)
            if (s->over[i] >= 0 && plan->nodes[s->chain[i]].table_slot < 0) {
                over[i] = pixels_of_slot(r, s->over[i], z);
                job->chain[i].over = &over[i];
            }
        if (z == 0 && !job->words &&
            (size_t)out->shape.width * (size_t)out->shape.height >= LOOKUP_PIXELS) {
            table->build_lut(job, &lookup, (float *)(void *)r->scratch);
            job->lookup = lookup.count ? &lookup : NULL;
        }
        status = run_bands(r, s, job, table);
    }
    return status;
}

typedef struct encode_job {
    const lg_stage_table *table;
    const lg_planar *to;
    const lg_pixels *from;
} encode_job;

static lg_status encode_band(void *arg, const lg_tile *t)
{
    const encode_job *j = arg;
    j->table->encode(j->to, j->from, (int32_t)t->y, (int32_t)t->y_end);
    return LG_OK;
}

static lg_status run_encoding(const run *r, const lg_plan_stage *s)
{
    const lg_planar to = planar_of_slot(r, s->encodes);
    const lg_pixels from = pixels_of_slot(r, s->in[0], 0);
    encode_job job = {lg_stage_get(r->plan->context->cpu_level), &to, &from};
    const lg_tiling tiling = {.height = to.down.chroma,
                              .band = LG_MAX(1, BAND_PIXELS / from.width / to.down.factor),
                              .run = encode_band,
                              .job = &job};
    return lg_tiling_run(r->plan->context->pool, &tiling, r->error);
}

static lg_status run_native(const run *r, const lg_plan_stage *s)
{
    const lg_plan *plan = r->plan;
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    lg_native_call call = {.context = plan->context,
                           .kept = &r->plan->stages[s - plan->stages].kept,
                           .filter = n->filter,
                           .values = plan->nodes[s->node].values,
                           .texts = (const char *const *)n->texts,
                           .out = lg_plan_image(plan, s->out, r->inputs, r->outputs),
                           .error = r->error};
    lg_image *padded[2] = {NULL, NULL};
    lg_status status = LG_OK;
    for (int k = 0; k < 2 && !status; k++) {
        call.in[k] = s->in[k] >= 0 ? lg_plan_image(plan, s->in[k], r->inputs, r->outputs) : NULL;
        if (call.in[k])
            status = lg_plan_pad_image(plan, call.in[k], &padded[k], r->error);
        call.in[k] = padded[k] ? padded[k] : call.in[k];
    }
    if (!status)
        status = r->band ? lg_plan_run_native_rows(plan, r->band, s, &call)
                         : entry(n->filter)->native->cpu(&call);
    for (int k = 0; k < 2; k++)
        lg_image_destroy(&padded[k]);
    return status;
}

static lg_status run_stage(const run *r, int stage)
{
    lg_plan *plan = r->plan;
    const lg_plan_stage *s = &plan->stages[stage];
    const lg_status status =
        plan->pass ? LG_OK : lg_plan_measure(plan, &r->figures, stage, r->error);
    if (status)
        return status;
    if (s->source == LG_FILTER_NATIVE)
        return run_native(r, s);
    if (s->encodes >= 0)
        return run_encoding(r, s);
    const int channels = s->in[0] >= 0 ? plan->slots[s->in[0]].shape.channels : LG_MAX_CHANNELS;
    lg_stage_job job = {.source = s->source, .count = s->count};
    lg_image *table = NULL;
    job.sums = lg_stage_byte_sums(plan, s);
    job.words = lg_stage_is_words(plan, s);
    if (job.words) {
        const int slot = plan->nodes[s->chain[0]].table_slot;
        const lg_image *image = lg_plan_image(plan, slot, r->inputs, r->outputs);
        const lg_status copied = lg_plan_table_words(plan, image, &table, r->error);
        if (copied) {
            lg_image_destroy(&table);
            return copied;
        }
    }
    if (s->node >= 0) {
        job.first = link_of(r, s->node, channels, NULL);
        job.border = lg_node_border(&plan->graph->nodes[s->node], plan->nodes[s->node].values);
        const lg_filter *f = plan->graph->nodes[s->node].filter;
        job.across = lg_filter_step(f, plan->nodes[s->node].values, 0);
        job.down = lg_filter_step(f, plan->nodes[s->node].values, 1);
        const lg_image_params *made = &plan->nodes[s->node].shape;
        job.generates_grey = lg_reads_grey(made->channels, made->alpha);
        job.generates_opaque = lg_reads_opaque(made->channels, made->alpha);
    }
    for (int i = 0; i < s->count; i++)
        job.chain[i] = link_of(r, s->chain[i], channels, table);
    const lg_status ran = run_layers(r, s, &job);
    lg_image_destroy(&table);
    return ran;
}

static double slot_bytes(const run *r, int slot)
{
    if (slot < 0)
        return 0;
    const lg_plan_slot *s = &r->plan->slots[slot];
    double bytes = 0;
    if (s->kind == LG_PLAN_PLANES) {
        for (int i = 0; i < LG_MAX_PLANES && s->plane[i] >= 0; i++)
            bytes += slot_bytes(r, s->plane[i]);
        return bytes;
    }
    const lg_image_params *p = &lg_plan_image(r->plan, slot, r->inputs, r->outputs)->shape;
    return (double)p->width * p->height * p->layers * (double)lg_pixel_size(p);
}

// Bytes that a stage reads and writes.
static double stage_bytes(const run *r, const lg_plan_stage *s)
{
    double bytes = slot_bytes(r, s->in[0]) + slot_bytes(r, s->in[1]) +
                   slot_bytes(r, s->encodes >= 0 ? s->encodes : s->out);
    for (int k = 0; k < s->count; k++)
        bytes += slot_bytes(r, s->over[k]);
    return bytes;
}

lg_status lg_plan_run_cpu(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                          lg_image *const *outputs, lg_error *error)
{
    const size_t bytes = lg_tiling_memory(plan->context->pool, LG_STAGE_SCRATCH * sizeof(float));
    char *scratch = lg_alloc_aligned(bytes);
    if (!scratch)
        return lg_fail_memory(error, bytes, "the scratch of a plan");
    run r = {.plan = plan,
             .inputs = inputs,
             .outputs = outputs,
             .band = band,
             .scratch = scratch,
             .error = error};
    lg_status status =
        lg_plan_list_figures(plan, 0, plan->stage_count + 1, inputs, outputs, &r.figures, error);
    double all = 0;
    for (int i = 0; i < lg_plan_pass_stages(plan) && !status; i++) {
        lg_plan_stage *s = &plan->stages[i];
        const double start = lg_time_seconds();
        bool done = false;
        if (!band && !plan->pass)
            status = lg_plan_run_threshold(plan, i, inputs, outputs, &done, error);
        if (!done && !status)
            status = run_stage(&r, i);
        s->seconds = lg_time_seconds() - start;
        s->bytes = stage_bytes(&r, s);
        all += s->seconds;
        // The stage has done what the next ones would do.
        for (int k = 1; done && k < LG_PLAN_THRESHOLD_STAGES; k++) {
            i++;
            plan->stages[i].seconds = 0;
            plan->stages[i].bytes = 0;
        }
    }
    if (!status)
        status = plan->pass ? lg_plan_gather(plan, band, inputs, outputs, error)
                            : lg_plan_measure(plan, &r.figures, plan->stage_count, error);
    lg_free(r.figures.at);
    lg_free(scratch);
    lg_plan_report(plan, -1, all);
    return status;
}
