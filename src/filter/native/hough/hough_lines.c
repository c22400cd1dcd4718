// The lines with the most votes: peaks of what hough_transform makes, in order.
#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/hough/hough.h"
#include "filter/native/hough/hough_rule.h"

#include <math.h>
#include <stdlib.h>

typedef struct vote_peak {
    uint32_t key, index; // index: row times angles + column
} vote_peak;

// Votes of a neighbour: beyond the last angle lines begin anew with the opposite distance; beyond the first
// and the last distance there is nothing.
static float vote_at(const float *votes, int32_t angles, int32_t rows, int32_t x, int32_t y)
{
    if (x < 0 || x >= angles) {
        x = x < 0 ? angles - 1 : 0;
        y = rows - 1 - y;
    }
    return y < 0 || y >= rows ? -INFINITY : votes[(size_t)y * (size_t)angles + (size_t)x];
}

static bool is_peak(const float *votes, int32_t angles, int32_t rows, int32_t x, int32_t y)
{
    const float v = votes[(size_t)y * (size_t)angles + (size_t)x];
    bool peak = true;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const float other = vote_at(votes, angles, rows, x + dx, y + dy);
            // One of two equal neighbours is the peak.
            const bool before = dx < 0 || (dx == 0 && dy < 0);
            peak &= (dx == 0 && dy == 0) || (before ? v > other : v >= other);
        }
    return peak;
}

static int compare(const void *a, const void *b)
{
    const vote_peak *p = a, *q = b;
    if (p->key != q->key)
        return p->key > q->key ? -1 : 1;
    return p->index < q->index ? -1 : 1;
}

static void load_votes(lg_context *context, const lg_pixels *in, float *to)
{
    const lg_stage_table *stage = lg_stage_get(context->cpu_level);
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    for (int32_t y = 0; y < in->height; y++) {
        for (int32_t x = 0; x < in->width; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, in->width - x);
            stage->load(in, x, y, count, planes);
            memcpy(to + (size_t)y * (size_t)in->width + (size_t)x, rgb_a[0],
                   (size_t)count * sizeof *to);
        }
        lg_context_relieve(context);
    }
}

static void write_lines(const lg_native_call *call, int32_t z, const vote_peak *peaks, size_t count,
                        float (*directions)[2])
{
    const lg_stage_table *stage = lg_stage_get(call->context->cpu_level);
    const lg_image_params *s = &call->in[0]->shape;
    const lg_pixels out = lg_layer_pixels(call->out, z);
    const float step = lg_native_value(call->filter, call->values, "step");
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    for (int32_t x = 0; x < out.width; x += LG_SPAN) {
        const int n = LG_MIN(LG_SPAN, out.width - x);
        memset(rgb_a, 0, sizeof rgb_a);
        for (int i = 0; i < n && (size_t)(x + i) < count; i++) {
            const vote_peak *p = &peaks[x + i];
            const uint32_t column = p->index % (uint32_t)s->width;
            rgb_a[0][i] = directions[column][0];
            rgb_a[1][i] = directions[column][1];
            rgb_a[2][i] = hough_distance((int32_t)(p->index / (uint32_t)s->width), s->height, step);
            rgb_a[3][i] = hough_of_key(p->key);
        }
        stage->store(&out, x, 0, n, (float *const[4]){rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]});
    }
}

static lg_status lines_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->in[0]->shape;
    const float threshold = lg_native_value(call->filter, call->values, "threshold");
    const size_t pixels = (size_t)s->width * (size_t)s->height;
    // No two neighbours are peaks.
    const size_t most = ((size_t)s->width / 2 + 1) * ((size_t)s->height / 2 + 1);
    static const char *const what = "the votes of hough_lines";
    void *blocks[2] = {NULL, NULL};
    float(*directions)[2] = lg_hough_directions(s->width);
    lg_status status =
        lg_block_take(call->context, pixels * sizeof(float), what, &blocks[0], call->error);
    if (!status)
        status =
            lg_block_take(call->context, most * sizeof(vote_peak), what, &blocks[1], call->error);
    if (!status && !directions)
        status = lg_fail_memory(call->error, (size_t)s->width * sizeof *directions, what);
    float *votes = blocks[0];
    vote_peak *peaks = blocks[1];
    for (int32_t z = 0; z < s->layers && !status; z++) {
        const lg_pixels in = lg_layer_pixels(call->in[0], z);
        size_t count = 0;
        load_votes(call->context, &in, votes);
        for (int32_t y = 0; y < s->height; y++) {
            for (int32_t x = 0; x < s->width; x++) {
                const size_t i = (size_t)y * (size_t)s->width + (size_t)x;
                if (votes[i] >= threshold && is_peak(votes, s->width, s->height, x, y))
                    peaks[count++] = (vote_peak){hough_key(votes[i]), (uint32_t)i};
            }
            lg_context_relieve(call->context);
        }
        qsort(peaks, count, sizeof *peaks, compare);
        write_lines(call, z, peaks, count, directions);
    }
    lg_block_give(call->context, votes);
    lg_block_give(call->context, peaks);
    lg_free(directions);
    return status;
}

static lg_status lines_shape(float *values, lg_image_params *shape, lg_error *error)
{
    if (shape->width > LG_HOUGH_ANGLES || (int64_t)shape->width * shape->height > LG_HOUGH_MOST)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "hough_lines: an image of %d x %d pixels; it takes what hough_transform "
                       "makes, at most %d columns",
                       shape->width, shape->height, LG_HOUGH_ANGLES);
    shape->width = (int32_t)values[0];
    shape->height = 1;
    shape->channels = 4;
    shape->alpha = LG_ALPHA_STRAIGHT;
    shape->type = LG_F32;
    return LG_OK;
}

static double cost(const lg_filter *filter, const float *values)
{
    return 10;
}

#define PARAMETERS(X)                                                                              \
    X(INTEGER, lines, "", 64, 1, LG_HOUGH_LINES, "at most so many lines: columns of the result")   \
    X(LEVEL, threshold, 0.2f, "least votes of a line, as a share of the image's longer side")      \
    X(NUMBER, step, "px", 1, 0.25f, 64, "between distances, as of hough_transform")

LG_ROWS(hough_lines)

static const lg_native hough_lines_native = {
    .cpu = lines_cpu, .vulkan = LG_VULKAN(lg_hough_lines_vulkan), .recorded = "step", .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    hough_lines, &hough_lines_native, lines_shape, 1,
    .summary = "the lines with the most votes, of what hough_transform makes",
    .formula =
        "one pixel a line: r = cos t, g = sin t, b = d, a = votes; the line is x cos t + y sin t = "
        "d in pixels from the middle of the top left one. Lines are values >= threshold that are "
        "above their neighbours on the left and above, and not below the others, most votes first, "
        "then by rows; behind the last line all numbers are 0",
    .source = "GPUImageHoughTransformLineDetector",
    .notes =
        "one row of floats, for .npy files, lg_lines_read and draw_lines. Column -1 is the last "
        "one with distances of the other sign");
