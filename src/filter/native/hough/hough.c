// Hough's transform: the entry, and how pixels vote on the CPU.
#include "filter/native/hough/hough.h"

#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/hough/hough_rule.h"

#include <math.h>

LG_CPU_DECLARE(lg_hough_table, hough);

#define BAND  16        // rows whose edges are found together
#define PIECE 4         // angles of a job
#define PART  (1 << 20) // pixels whose edges vote together: they stay in a cache while angles pass

static const double half_turn = 3.14159265358979323846;

// Distances of lines through an image: the reach, below 0 where it is too large.
static int32_t reach_of(const lg_image_params *in, double step)
{
    const double across = in->width - 1.0, down = in->height - 1.0;
    const double farthest = sqrt(across * across + down * down) / step;
    if (in->width > 65536 || in->height > 65536 || farthest > LG_HOUGH_FARTHEST)
        return -1;
    return (int32_t)ceil(farthest) + 1;
}

lg_status lg_hough_make(const lg_filter *filter, const float *values, const lg_image_params *in,
                        lg_hough_plan *out, lg_error *error)
{
    const double step = lg_native_value(filter, values, "step");
    const int32_t angles = (int32_t)lg_native_value(filter, values, "angles");
    const bool parallel = lg_native_value(filter, values, "coordinates") > 0;
    *out = (lg_hough_plan){.angles = angles, .reach = reach_of(in, step)};
    out->rows = 2 * out->reach + 1;
    out->unit = 1.0f / (float)LG_MAX(in->width, in->height);
    out->table = lg_alloc_array((size_t)angles, sizeof *out->table);
    if (!out->table)
        return lg_fail_memory(error, (size_t)angles * sizeof *out->table, "the angles of lines");
    for (int32_t k = 0; k < angles; k++) {
        const double turn = k * half_turn / angles, unit = LG_HOUGH_UNIT / step;
        const double u = (2 * k + 1.0) / angles - 1;
        out->table[k][0] = (int32_t)floor((parallel ? 1 - fabs(u) : cos(turn)) * unit + 0.5);
        out->table[k][1] = (int32_t)floor((parallel ? u : sin(turn)) * unit + 0.5);
    }
    return LG_OK;
}

float (*lg_hough_directions(int32_t angles))[2]
{
    float(*out)[2] = lg_alloc_array((size_t)angles, sizeof *out);
    for (int32_t k = 0; out && k < angles; k++) {
        // Rounded far above the error of any library, so that all machines have the same bits.
        const double turn = k * half_turn / angles, unit = 16777216;
        out[k][0] = (float)(floor(cos(turn) * unit + 0.5) / unit);
        out[k][1] = (float)(floor(sin(turn) * unit + 0.5) / unit);
    }
    return out;
}

typedef struct task {
    const lg_hough_table *table;
    const lg_stage_table *stage;
    lg_hough_plan plan;
    lg_pixels in, out;
    int32_t first, end; // rows of the part
    uint32_t *points;   // those of a band where its pixels are in the part
    int32_t *counts;    // of its bands
    uint32_t *votes;    // of angles
} task;

static lg_status find_points(void *arg, const lg_tile *t)
{
    const task *k = arg;
    uint32_t *to = k->points + (size_t)t->y * (size_t)k->in.width;
    int32_t count = 0;
    for (int64_t y = k->first + t->y; y < k->first + t->y_end; y++)
        count += k->table->find(k->stage, &k->in, (int32_t)y, to + count);
    k->counts[t->y / BAND] = count;
    return LG_OK;
}

static lg_status count_votes(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int64_t angle = t->y; angle < t->y_end; angle++) {
        uint32_t *votes = k->votes + (size_t)angle * (size_t)k->plan.rows;
        if (k->first == 0)
            memset(votes, 0, (size_t)k->plan.rows * sizeof *votes);
        for (int32_t y = 0; y < k->end - k->first; y += BAND)
            k->table->vote(k->points + (size_t)y * (size_t)k->in.width, k->counts[y / BAND],
                           k->plan.table[angle], k->plan.reach, votes);
    }
    return LG_OK;
}

static lg_status write_votes(void *arg, const lg_tile *t)
{
    const task *k = arg;
    float share[LG_SPAN] __attribute__((aligned(64))), one[LG_SPAN];
    float *const planes[4] = {share, share, share, one};
    for (int i = 0; i < LG_SPAN; i++)
        one[i] = 1;
    for (int64_t y = t->y; y < t->y_end; y++)
        for (int32_t x = 0; x < k->plan.angles; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, k->plan.angles - x);
            for (int i = 0; i < count; i++)
                share[i] = hough_share(k->votes[(size_t)(x + i) * (size_t)k->plan.rows + (size_t)y],
                                       k->plan.unit);
            k->stage->store(&k->out, x, (int32_t)y, count, planes);
        }
    return LG_OK;
}

static lg_status run(task *k, const lg_native_call *call, int64_t height, int64_t band,
                     lg_tile_fn *fn)
{
    const lg_tiling tiling = {
        .height = height, .band = band, .what = "lines of an image", .run = fn, .job = k};
    return lg_tiling_run(call->context->pool, &tiling, call->error);
}

// Rows of a part: whole bands.
static int32_t part_of(const lg_image_params *in)
{
    const int32_t rows = LG_MAX(PART / in->width / BAND * BAND, BAND);
    return LG_MIN(rows, in->height);
}

static lg_status run_layer(task *k, const lg_native_call *call, int32_t z)
{
    const int32_t height = call->in[0]->shape.height, rows = part_of(&call->in[0]->shape);
    k->in = lg_layer_pixels(call->in[0], z);
    k->out = lg_layer_pixels(call->out, z);
    lg_status status = LG_OK;
    for (k->first = 0; k->first < height && !status; k->first = k->end) {
        k->end = LG_MIN(k->first + rows, height);
        status = run(k, call, k->end - k->first, BAND, find_points);
        if (!status)
            status = run(k, call, k->plan.angles, PIECE, count_votes);
    }
    return status ? status : run(k, call, k->plan.rows, 64, write_votes);
}

static lg_status transform_cpu(const lg_native_call *call)
{
    const lg_cpu_level level = call->context->cpu_level;
    const lg_image_params *s = &call->in[0]->shape;
    task t = {.table = LG_CPU_SELECT(hough, level), .stage = lg_stage_get(level)};
    lg_status status = lg_hough_make(call->filter, call->values, s, &t.plan, call->error);
    const size_t part = (size_t)part_of(s), points = (size_t)s->width * part;
    const size_t votes = (size_t)t.plan.angles * (size_t)t.plan.rows;
    void *block = NULL;
    t.counts = lg_alloc_array(part / BAND + 1, sizeof *t.counts);
    t.points = lg_alloc_array(points, sizeof *t.points);
    if (!status && (!t.counts || !t.points))
        status =
            lg_fail_memory(call->error, points * sizeof *t.points, "the points of hough_transform");
    if (!status)
        status = lg_block_take(call->context, votes * sizeof *t.votes,
                               "the votes of hough_transform", &block, call->error);
    t.votes = block;
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = run_layer(&t, call, z);
    lg_block_give(call->context, block);
    lg_free(t.points);
    lg_free(t.counts);
    lg_free(t.plan.table);
    return status;
}

static lg_status transform_shape(float *values, lg_image_params *shape, lg_error *error)
{
    const int32_t angles = (int32_t)values[0], reach = reach_of(shape, values[1]);
    if (reach < 0 || (int64_t)angles * (2 * reach + 1) > LG_HOUGH_MOST)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "hough_transform: %d angles of an image of %d x %d pixels with step=%g: at "
                       "most %d steps from corner to corner, and %d votes; take a larger step",
                       angles, shape->width, shape->height, (double)values[1], LG_HOUGH_FARTHEST,
                       LG_HOUGH_MOST);
    shape->width = angles;
    shape->height = 2 * reach + 1;
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    shape->type = LG_F32;
    return LG_OK;
}

static double cost(const lg_filter *filter, const float *values)
{
    return 3; // and more where many pixels are edges
}

#define PARAMETERS(X)                                                                              \
    X(INTEGER, angles, "", 180, 1, LG_HOUGH_ANGLES, "of half a turn: columns of the result")       \
    X(NUMBER, step, "px", 1, 0.25f, 64, "between distances: rows of the result")                   \
    X(CHOICE, coordinates, 0, "polar|parallel",                                                    \
      "of lines: an angle and a distance, or parallel_coordinate_line_transform")

LG_ROWS(hough_transform)

static const lg_native hough_transform_native = {.cpu = transform_cpu,
                                                 .vulkan = LG_VULKAN(lg_hough_transform_vulkan),
                                                 .recorded = "angles step coordinates",
                                                 .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    hough_transform, &hough_transform_native, transform_shape, 1,
    .summary = "how many edge pixels lie on each straight line",
    .formula =
        "c'(k, j) = pixels with red > 0 for which round((x cos t + y sin t) / step) = j - reach, "
        "divided by the longer side; t = k pi / angles, x and y from the middle of the top left "
        "pixel, reach = ceil(diagonal / step) + 1",
    .source = "R. O. Duda and P. E. Hart 1972; GPUImageParallelCoordinateLineTransformFilter",
    .notes = "one channel; 1 is a line over the whole longer side. Votes are counted as integers. "
             "GPUImage takes every second column, adds 0.004 per vote in bytes, which stop at 255, "
             "and has parallel coordinates in place of angles. hough_lines finds the lines");
