// Rows of a Poisson blend, for one CPU level.
#include "filter/native/poisson_blend/poisson_blend.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "kernel/color_math.h"

static float *row_of(const lg_poisson_job *j, float *image, int64_t y)
{
    return image + (size_t)y * 3 * j->plane + LG_POISSON_LEAD;
}

static const float *bordered_row(const lg_poisson_job *j, const float *image, int64_t y)
{
    const int64_t row = lg_border_index(y, j->out.height, j->border);
    return row < 0 ? j->zeros + LG_POISSON_LEAD
                   : image + (size_t)row * 3 * j->plane + LG_POISSON_LEAD;
}

// The columns outside the image.
static void fill_sides(const lg_poisson_job *j, float *row)
{
    const int64_t width = j->out.width;
    for (int k = 0; k < 3; k++, row += j->plane) {
        const int64_t left = lg_border_index(-1, width, j->border);
        const int64_t right = lg_border_index(width, width, j->border);
        row[-1] = left < 0 ? 0 : row[left];
        row[width] = right < 0 ? 0 : row[right];
    }
}

static void begin(const lg_poisson_job *j, int32_t y, float *scratch)
{
    const int32_t width = j->out.width;
    float *to = row_of(j, j->image[0], y);
    float *const base[4] = {to, to + j->plane, to + 2 * j->plane, scratch};
    lg_color_row(j->stage, &j->base, j->border, 0, width, y, base);
    fill_sides(j, to);
    float *rows[3][4];
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 4; k++)
            rows[r][k] = scratch + (size_t)(4 * r + k) * j->plane + LG_POISSON_LEAD;
        float *const at[4] = {rows[r][0] - 1, rows[r][1] - 1, rows[r][2] - 1, rows[r][3] - 1};
        lg_color_row(j->stage, &j->over, j->border, -1, (int64_t)width + 1, y - 1 + r, at);
    }
    float *restrict weight = j->weight + (size_t)y * j->plane;
    for (int32_t x = 0; x < width; x++)
        weight[x] = rows[1][3][x] * j->mix;
    for (int k = 0; k < 3; k++) {
        const float *t = rows[0][k], *c = rows[1][k], *b = rows[2][k];
        float *restrict detail = row_of(j, j->detail, y) + (size_t)k * j->plane;
        for (int32_t x = 0; x < width; x++)
            detail[x] = c[x] - ((c[x - 1] + c[x + 1]) + (t[x] + b[x])) * 0.25f;
    }
}

static void step(const lg_poisson_job *j, int from, int32_t y)
{
    const float *image = j->image[from];
    float *to = row_of(j, j->image[1 - from], y);
    const float *restrict weight = j->weight + (size_t)y * j->plane;
    for (int k = 0; k < 3; k++) {
        const size_t plane = (size_t)k * j->plane;
        const float *restrict t = bordered_row(j, image, y - 1) + plane;
        const float *restrict c = bordered_row(j, image, y) + plane;
        const float *restrict b = bordered_row(j, image, y + 1) + plane;
        const float *restrict detail = row_of(j, j->detail, y) + plane;
        float *restrict next = to + plane;
        for (int32_t x = 0; x < j->out.width; x++) {
            const float mean = ((c[x - 1] + c[x + 1]) + (t[x] + b[x])) * 0.25f;
            next[x] = lg_mix(c[x], mean + detail[x], weight[x]);
        }
    }
    fill_sides(j, to);
}

static void finish(const lg_poisson_job *j, int from, int32_t y, float *scratch)
{
    const float *row = row_of(j, j->image[from], y);
    float *const planes[4] = {scratch, scratch + LG_SPAN, scratch + 2 * LG_SPAN,
                              scratch + 3 * LG_SPAN};
    for (int32_t x = 0; x < j->out.width; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, j->out.width - x);
        j->stage->load(&j->base, x, y, count, planes);
        for (int k = 0; k < 3; k++)
            memcpy(planes[k], row + (size_t)k * j->plane + x, (size_t)count * sizeof *row);
        j->stage->store(&j->out, x, y, count, planes);
    }
}

extern const lg_poisson_table LG_CPU_TABLE(poisson_blend);
const lg_poisson_table LG_CPU_TABLE(poisson_blend) = {begin, step, finish};
