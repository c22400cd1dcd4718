// Projections for one CPU level.
#include "filter/native/project/project.h"

#include "cpu/cpu.h"
#include "filter/native/project/project_rule.h"

typedef float span[4][LG_SPAN] __attribute__((aligned(64)));

typedef struct spans {
    span layer, sum, lost, mean;
    int planes; // that differ: 1 for grey
} spans;

static void load(const lg_project_job *job, int32_t z, int32_t x, int32_t y, int count, spans *s)
{
    float *const planes[4] = {s->layer[0], s->layer[1], s->layer[2], s->layer[3]};
    const lg_pixels in = lg_layer_pixels(job->in, z);
    job->stage->load(&in, x, y, count, planes);
}

static void find_outer(const lg_project_job *job, int32_t x, int32_t y, int count, spans *s)
{
    const bool least = job->figure == LG_PROJECT_MIN;
    for (int32_t z = 0; z < job->in->shape.layers; z++) {
        load(job, z, x, y, count, s);
        for (int k = 0; k < s->planes; k++) {
            float *restrict to = s->sum[k];
            const float *restrict from = s->layer[k];
            for (int i = 0; i < count; i++)
                to[i] = z ? project_outer(to[i], from[i], least) : from[i];
        }
    }
}

static void add(float *restrict sum, float *restrict lost, const float *restrict from,
                const float *restrict mean, int count)
{
    for (int i = 0; i < count; i++) {
        const float v = mean ? project_square(from[i], mean[i]) : from[i];
        const float t = sum[i] + v;
        lost[i] = lost[i] + project_lost(sum[i], v, t);
        sum[i] = t;
    }
}

static void add_all(const lg_project_job *job, int32_t x, int32_t y, int count, bool squares,
                    spans *s)
{
    for (int k = 0; k < s->planes; k++)
        for (int i = 0; i < count; i++)
            s->sum[k][i] = s->lost[k][i] = 0;
    for (int32_t z = 0; z < job->in->shape.layers; z++) {
        load(job, z, x, y, count, s);
        for (int k = 0; k < s->planes; k++)
            add(s->sum[k], s->lost[k], s->layer[k], squares ? s->mean[k] : NULL, count);
    }
}

static void find_sums(const lg_project_job *job, int32_t x, int32_t y, int count, spans *s)
{
    const float layers = (float)job->in->shape.layers;
    const bool data = lg_project_has_data(&job->in->shape);
    add_all(job, x, y, count, false, s);
    for (int k = 0; k < s->planes; k++)
        for (int i = 0; i < count; i++)
            s->mean[k][i] = project_mean(s->sum[k][i], s->lost[k][i], layers);
    if (job->figure == LG_PROJECT_STDDEV)
        add_all(job, x, y, count, true, s);
    for (int k = 0; k < s->planes; k++)
        for (int i = 0; i < count; i++) {
            const float sum = s->sum[k][i], lost = s->lost[k][i];
            const float of_all = job->figure == LG_PROJECT_SUM ? project_sum(sum, lost)
                                                               : project_stddev(sum, lost, layers);
            s->sum[k][i] =
                job->figure == LG_PROJECT_MEAN || (k == 3 && !data) ? s->mean[k][i] : of_all;
        }
}

static void run(const void *job_, int64_t y, int64_t y_end, char *scratch)
{
    const lg_project_job *job = job_;
    const lg_image_params *in = &job->in->shape;
    spans s = {.planes = in->channels == 1 ? 1 : 4};
    float *const grey[4] = {s.sum[0], s.sum[0], s.sum[0], s.sum[3]};
    float *const colors[4] = {s.sum[0], s.sum[1], s.sum[2], s.sum[3]};
    for (int i = 0; i < LG_SPAN; i++)
        s.sum[3][i] = 1;
    for (; y < y_end; y++)
        for (int32_t x = 0; x < job->out.width; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, job->out.width - x);
            if (job->figure == LG_PROJECT_MAX || job->figure == LG_PROJECT_MIN)
                find_outer(job, x, (int32_t)y, count, &s);
            else
                find_sums(job, x, (int32_t)y, count, &s);
            job->stage->store(&job->out, x, y, count, s.planes == 1 ? grey : colors);
        }
}

extern const lg_project_table LG_CPU_TABLE(project);
const lg_project_table LG_CPU_TABLE(project) = {run};
