// A Gaussian along layers for one CPU level.
#include "filter/native/layer_gaussian/layer_gaussian.h"

#include "cpu/cpu.h"
#include "filter/native/layer_gaussian/layer_gaussian_rule.h"

typedef float span[4][LG_SPAN] __attribute__((aligned(64)));

typedef struct place_in_stack {
    const lg_layer_gaussian_job *job;
    int32_t x, y, z;
    int count;
} place_in_stack;

// The pixels `away` layers from the place, premultiplied.
static void load(const place_in_stack *p, int away, span to)
{
    const lg_layer_gaussian_job *job = p->job;
    float *const planes[4] = {to[0], to[1], to[2], to[3]};
    const int64_t z = lg_border_index((int64_t)p->z + away, job->in->shape.layers, job->border);
    const float opaque = lg_reads_opaque(job->in->shape.channels, job->in->shape.alpha);
    if (z >= 0) {
        const lg_pixels in = lg_layer_pixels(job->in, (int32_t)z);
        job->stage->load(&in, p->x, p->y, p->count, planes);
    }
    for (int i = 0; i < p->count && z < 0; i++) {
        to[0][i] = to[1][i] = to[2][i] = 0;
        to[3][i] = opaque;
    }
    for (int k = 0; k < 3 && job->planes == 4; k++)
        for (int i = 0; i < p->count; i++)
            to[k][i] *= to[3][i];
}

static void weigh(const place_in_stack *p, span sum)
{
    span before, after;
    const lg_gaussian *g = p->job->g;
    for (int i = g->taps; i > 0; i--) {
        const float weight = g->floats[i];
        load(p, -i, before);
        load(p, i, after);
        for (int k = 0; k < p->job->planes; k++)
            for (int j = 0; j < p->count; j++)
                sum[k][j] = i == g->taps
                                ? layer_gaussian_pair(before[k][j], after[k][j], weight)
                                : layer_gaussian_add(sum[k][j], before[k][j], after[k][j], weight);
    }
    load(p, 0, after);
    for (int k = 0; k < p->job->planes; k++)
        for (int j = 0; j < p->count; j++)
            sum[k][j] =
                g->taps ? layer_gaussian_centre(sum[k][j], after[k][j], g->floats[0]) : after[k][j];
}

static void finish(const place_in_stack *p, span sum)
{
    const lg_pixels out = lg_layer_pixels(p->job->out, p->z);
    float *const colors[4] = {sum[0], sum[1], sum[2], sum[3]};
    float *const grey[4] = {sum[0], sum[0], sum[0], sum[3]};
    for (int j = 0; j < p->count; j++) {
        if (p->job->planes < 4) {
            sum[3][j] = 1;
            continue;
        }
        const color c = lg_straight((color){sum[0][j], sum[1][j], sum[2][j], sum[3][j]});
        sum[0][j] = c.r, sum[1][j] = c.g, sum[2][j] = c.b;
    }
    p->job->stage->store(&out, p->x, p->y, p->count, p->job->planes == 1 ? grey : colors);
}

static void run(const void *job_, int64_t row, int64_t end, char *scratch)
{
    const lg_layer_gaussian_job *job = job_;
    const lg_image_params *s = &job->out->shape;
    for (; row < end; row++)
        for (int32_t x = 0; x < s->width; x += LG_SPAN) {
            const place_in_stack p = {job, x, (int32_t)(row % s->height),
                                      (int32_t)(row / s->height), LG_MIN(LG_SPAN, s->width - x)};
            span sum;
            weigh(&p, sum);
            finish(&p, sum);
        }
}

extern const lg_layer_gaussian_table LG_CPU_TABLE(layer_gaussian);
const lg_layer_gaussian_table LG_CPU_TABLE(layer_gaussian) = {run};
