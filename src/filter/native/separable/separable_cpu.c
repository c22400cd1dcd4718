// The two passes over a slab: what surrounds a filter's kernels.
#include "filter/native/planes.h"
#include "filter/native/separable/separable.h"

// ---- columns ------------------------------------------------------------------------------------

// A row of a strip as floats; rows outside the image are what the border says.
static const float *strip_row(const lg_separable_job *j, int32_t x, int32_t count, int64_t y,
                              float *scratch)
{
    const lg_pixels *in = &j->in;
    const int64_t row = lg_border_index(y, in->height, j->filter->border);
    if (row < 0) {
        memset(scratch, 0, j->pitch * sizeof *scratch);
        return scratch;
    }
    if (j->direct)
        return (const float *)(in->data + (size_t)row * in->row_stride) + (size_t)x * j->step;
    lg_planes_load(lg_stage_get(LG_CPU_LEVEL_ID), in, x, row, count, scratch, (size_t)j->strip);
    return scratch;
}

static void columns(const lg_separable_job *j, int32_t strip, float *state, float *scratch)
{
    const lg_window_side side = j->filter->down;
    const int32_t x = strip * j->strip, width = LG_MIN(j->strip, j->in.width - x);
    const int count = j->direct ? width * j->step : (int)j->pitch;
    const int64_t end = (int64_t)j->first + j->rows;
    const int64_t start = j->first && j->kept ? j->first + side.after : j->first - side.before;
    const int64_t fed = j->first && j->kept ? j->first + side.before + side.after : 0;
    float *out = j->columns + (size_t)strip * j->pitch;
    memset(scratch, 0, j->pitch * sizeof *scratch); // behind the last column
    for (int64_t y = start; y < end + side.after; y++) {
        const float *row = strip_row(j, x, width, y, scratch);
        const int64_t done = y - side.after - j->first;
        float *to = done < 0 ? NULL : out + (size_t)done * j->pitch * (size_t)j->strips;
        j->filter->kernels->feed_row(j->filter->filter, state, j->pitch, fed + (y - start), row,
                                     count, to);
    }
}

// ---- rows ---------------------------------------------------------------------------------------

// Samples of `step` floats left of column 0 and right of the last one.
static void fill_border(float *line, int step, int64_t width, lg_window_side side, lg_border border)
{
    float *inside = line + (size_t)side.before * step;
    for (int64_t i = -side.before; i < width + side.after; i++) {
        if (i == 0)
            i = width;
        if (i >= width + side.after)
            break;
        const int64_t from = lg_border_index(i, width, border);
        for (int c = 0; c < step; c++)
            inside[i * step + c] = from < 0 ? 0 : inside[from * step + c];
    }
}

static void fill_line(const lg_separable_job *j, const float *row, int plane, float *line)
{
    const size_t step = (size_t)j->step, strip = (size_t)j->strip * step;
    const size_t width = (size_t)j->in.width * step;
    float *to = line + (size_t)j->filter->along.before * step;
    for (size_t x = 0; x < width; x += strip)
        memcpy(to + x, row + x * (size_t)j->planes + (size_t)plane * strip,
               LG_MIN(strip, width - x) * sizeof *to);
    fill_border(line, j->step, j->in.width, j->filter->along, j->filter->border);
}

static void row(const lg_separable_job *j, int32_t y, float *scratch)
{
    const lg_pixels *out = &j->out;
    const size_t width = (size_t)j->in.width, step = (size_t)j->step;
    const float *from = j->columns + (size_t)(y - j->first) * j->pitch * (size_t)j->strips;
    float *spare = scratch + j->line_floats, *results = spare + 2 * j->line_floats;
    const size_t stride = j->result_floats;
    float *direct = (float *)(out->data + (size_t)y * out->row_stride);
    for (int k = 0; k < j->planes; k++) {
        fill_line(j, from, k, scratch);
        j->filter->kernels->line(j->filter->filter, scratch, j->step, (int64_t)(width * step),
                                 spare, j->direct ? direct : results + (size_t)k * stride);
    }
    if (j->direct && out->channels == 4 && out->alpha == LG_ALPHA_OPAQUE)
        for (size_t x = 0; x < width; x++)
            direct[4 * x + 3] = 1;
    for (int64_t x = 0; !j->direct && x < j->in.width; x += LG_SPAN)
        lg_planes_store(lg_stage_get(LG_CPU_LEVEL_ID), &j->in, out, x, y,
                        (int)LG_MIN(j->in.width - x, LG_SPAN), results + x, stride);
}

extern const lg_separable_table LG_CPU_TABLE(separable);
const lg_separable_table LG_CPU_TABLE(separable) = {columns, row};
