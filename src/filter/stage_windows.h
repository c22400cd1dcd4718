// Part of stage_cpu.c: 3 x 3 windows of filters that treat channels alone, on interleaved samples.
// Samples are not split into planes, and integers that a filter only chooses among are not
// converted to floats.
#ifndef LG_STAGE_WINDOWS_H
#define LG_STAGE_WINDOWS_H

#include "filter/alpha.h"

#define LG_WINDOW_SAMPLES 4096 // of a line: it stays in the second cache with its neighbours
#define LG_SAMPLES_LEAD   16   // floats before a line, so that it is aligned

// Floats of a line, with a pixel on either side.
#define LG_SAMPLES_LINE (LG_WINDOW_SAMPLES + 2 * LG_SAMPLES_LEAD)

typedef struct lg_sample_windows {
    const lg_stage_job *job;
    void (*load)(const void *from, int count, float *const to[4]); // of samples to to[0]
    void (*store)(void *to, int count, float *const from[4]);
    int step;     // samples of a pixel
    size_t pixel; // bytes
} lg_sample_windows;

static bool lg_chooses(const lg_stage_job *job)
{
    return (job->in.type == LG_U8 || job->in.type == LG_U16) && job->first.loops->choices[0];
}

static bool lg_windows_are_apart(const lg_stage_job *job)
{
    return job->across != 1 || job->down != 1;
}

// Whether samples stay as they lie. Bytes of four channels are split into planes faster than their alpha is
// computed for nothing, except where `cheap`.
static bool lg_takes_samples(const lg_stage_job *job, bool cheap)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    return job->source == LG_FILTER_WINDOW && job->count == 0 && job->first.loops->samples &&
           !lg_windows_are_apart(job) && in->type == out->type && in->channels == out->channels &&
           in->alpha == out->alpha && (in->channels == 1 || in->alpha != LG_ALPHA_PREMULTIPLIED) &&
           (in->type != LG_U8 || in->channels != 4 || cheap || lg_chooses(job));
}

// The centre's alpha, or whole alpha, in `count` pixels that were computed like other channels.
static void lg_samples_alpha(const lg_pixels *out, const char *centre, int count, char *to)
{
    if (out->channels == 4 || (out->channels == 2 && out->alpha != LG_ALPHA_NONE))
        lg_set_alpha(out->type, out->channels, out->alpha == LG_ALPHA_OPAQUE ? NULL : centre,
                     (size_t)count, to);
}

// ---- integers -----------------------------------------------------------------------------------

// The first and the last pixel of each line, whose neighbours may be outside the image: their windows lie
// side by side, and what is computed between them is of no use.
static void lg_choose_edges(const lg_sample_windows *w, lg_choice_fn choose, int64_t y, int lines)
{
    const lg_pixels *in = &w->job->in, *out = &w->job->out;
    const int64_t last = in->width - 1;
    char pixels[4][6 * 8] = {{0}}, results[2][4 * 8];
    const void *rows[4] = {0};
    int64_t columns[6];
    for (int i = 0; i < 6; i++)
        columns[i] = lg_border_index(i < 3 ? i - 1 : last + i - 4, in->width, w->job->border);
    for (int k = 0; k < lines + 2; k++) {
        const int64_t row = lg_border_index(y + k - 1, in->height, w->job->border);
        const char *from = in->data + (size_t)LG_MAX(row, 0) * in->row_stride;
        for (int i = 0; i < 6 && row >= 0; i++)
            if (columns[i] < 0)
                continue;
            else if (w->pixel == 1)
                pixels[k][i] = from[columns[i]];
            else
                memcpy(pixels[k] + (size_t)i * w->pixel, from + (size_t)columns[i] * w->pixel,
                       w->pixel);
        rows[k] = pixels[k] + w->pixel;
    }
    choose(rows, lines, w->step, 4 * w->step, 0, (void *const[2]){results[0], results[1]});
    for (int k = 0; k < lines; k++)
        for (int side = 0; side < 2; side++) {
            const size_t at = side ? (size_t)last * w->pixel : 0;
            char *to = out->data + ((size_t)y + (size_t)k) * out->row_stride + at;
            memcpy(to, results[k] + (side ? 3 * w->pixel : 0), w->pixel);
            lg_samples_alpha(out, in->data + ((size_t)y + (size_t)k) * in->row_stride + at, 1, to);
        }
}

// Rows y to y + lines - 1: one or two.
static void lg_choose_rows(const lg_sample_windows *w, lg_choice_fn choose, int64_t y, int lines)
{
    static const char zeros[8 * (LG_WINDOW_SAMPLES + 2)];
    const lg_pixels *in = &w->job->in, *out = &w->job->out;
    const int64_t width = out->width;
    const uint32_t set = out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0;
    char *to = out->data + (size_t)y * out->row_stride;
    for (int64_t x = 1, count; x < width - 1; x += count) {
        const void *rows[4];
        count = LG_MIN(width - 1 - x, LG_WINDOW_SAMPLES / w->step);
        const size_t at = (size_t)x * w->pixel;
        for (int k = 0; k < lines + 2; k++) {
            const int64_t row = lg_border_index(y + k - 1, in->height, w->job->border);
            rows[k] = row < 0 ? zeros + w->pixel : in->data + (size_t)row * in->row_stride + at;
        }
        char *const results[2] = {to + at, to + out->row_stride + at};
        if (!choose(rows, lines, w->step, (int)count * w->step, set,
                    (void *const[2]){results[0], results[1]}))
            for (int k = 0; k < lines; k++)
                lg_samples_alpha(out, rows[k + 1], (int)count, results[k]);
    }
    lg_choose_edges(w, choose, y, lines);
}

// ---- floats -------------------------------------------------------------------------------------

// A line of floats from pixel x - 1 on: line[0] is the first sample of pixel x.
static void lg_samples_load(const lg_sample_windows *w, int64_t x, int64_t y, int count,
                            float *line)
{
    const lg_pixels *in = &w->job->in;
    const int64_t row = lg_border_index(y, in->height, w->job->border), step = w->step;
    if (row < 0) {
        memset(line - step, 0, (size_t)((count + 2) * step) * sizeof *line);
        return;
    }
    const char *from = in->data + (size_t)row * in->row_stride;
    const int64_t first = LG_MAX(x - 1, 0), end = LG_MIN(x + count + 1, in->width);
    float *to = line + (first - x) * step;
    w->load(from + (size_t)first * w->pixel, (int)((end - first) * step),
            (float *const[4]){to, to, to, to});
    for (int side = 0; side < 2; side++) {
        const int64_t at = side ? x + count : x - 1;
        const int64_t column = lg_border_index(at, in->width, w->job->border);
        to = line + (at - x) * step;
        if (column < 0)
            memset(to, 0, (size_t)step * sizeof *to);
        else if (column != at)
            w->load(from + (size_t)column * w->pixel, (int)step, (float *const[4]){to, to, to, to});
    }
}

static void lg_sample_strip(const lg_sample_windows *w, lg_span *span, int64_t x, int count,
                            int32_t first, int32_t end, float *scratch)
{
    const lg_pixels *in = &w->job->in, *out = &w->job->out;
    const lg_chain_kernel *kernel = &w->job->first;
    float *lines[3], *result = scratch + 3 * LG_SAMPLES_LINE;
    for (int k = 0; k < 3; k++)
        lines[k] = scratch + k * LG_SAMPLES_LINE + LG_SAMPLES_LEAD;
    lg_samples_load(w, x, (int64_t)first - 1, count, lines[0]);
    lg_samples_load(w, x, first, count, lines[1]);
    for (int32_t y = first; y < end; y++) {
        const size_t at = (size_t)x * w->pixel;
        char *to = out->data + (size_t)y * out->row_stride + at;
        lg_samples_load(w, x, (int64_t)y + 1, count, lines[2]);
        kernel->loops->samples(span, (const float *const *)lines, w->step, count * w->step,
                               out->type == LG_F32 ? (float *)(void *)to : result);
        if (out->type != LG_F32)
            w->store(to, count * w->step, (float *const[4]){result, result, result, result});
        lg_samples_alpha(out, in->data + (size_t)y * in->row_stride + at, count, to);
        float *kept = lines[0];
        lines[0] = lines[1], lines[1] = lines[2], lines[2] = kept;
    }
}

#endif
