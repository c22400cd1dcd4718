// The guided filter: every CPU level and number of threads has the same bits, near the definition in doubles.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    int radius, side, columns, rows;
    double eps;
} setting;

// Colour and alpha, straight.
static void color_of(const lg_image *in, int x, int y, int z, double c[4])
{
    const lg_image_params *s = &in->shape;
    const bool grey = s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE);
    for (int k = 0; k < 3; k++)
        c[k] = grey ? sample_get(in, x, y, z, 0) : k < s->channels ? sample_get(in, x, y, z, k) : 0;
    c[3] = s->channels == 4 || (grey && s->channels == 2) ? sample_get(in, x, y, z, s->channels - 1)
                                                          : 1;
    if (s->channels != 1 && s->alpha == LG_ALPHA_OPAQUE)
        c[3] = 1;
}

static int cell_pixel(int i, int side, int size)
{
    return LG_MIN(i * side + side / 2, size - 1);
}

// Solves the symmetric m x = y by elimination.
static void solve(double m[3][3], double y[3])
{
    for (int i = 0; i < 3; i++)
        for (int k = i + 1; k < 3; k++) {
            const double f = m[k][i] / m[i][i];
            for (int j = i; j < 3; j++)
                m[k][j] -= f * m[i][j];
            y[k] -= f * y[i];
        }
    for (int i = 2; i >= 0; i--) {
        for (int k = i + 1; k < 3; k++)
            y[i] -= m[i][k] * y[k];
        y[i] /= m[i][i];
    }
}

static int clamp_to(int i, int count)
{
    return LG_MIN(LG_MAX(i, 0), count - 1);
}

// a and b of one cell: covariances around the means of the window.
static void fit(const lg_image *in, const setting *g, int column, int row, int z, double line[4])
{
    const int n = (2 * g->radius + 1) * (2 * g->radius + 1);
    double mean[4] = {0}, m[3][3] = {{0}}, y[3] = {0}, c[4];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const int dx = i % (2 * g->radius + 1) - g->radius;
            const int dy = i / (2 * g->radius + 1) - g->radius;
            color_of(in, cell_pixel(clamp_to(column + dx, g->columns), g->side, in->shape.width),
                     cell_pixel(clamp_to(row + dy, g->rows), g->side, in->shape.height), z, c);
            for (int k = 0; k < 4 && !pass; k++)
                mean[k] += c[k] / n;
            for (int k = 0; k < 3 && pass; k++) {
                for (int j = 0; j < 3; j++)
                    m[k][j] += (c[k] - mean[k]) * (c[j] - mean[j]) / n;
                y[k] += (c[k] - mean[k]) * (c[3] - mean[3]) / n;
            }
        }
    for (int k = 0; k < 3; k++)
        m[k][k] += g->eps;
    solve(m, y);
    line[3] = mean[3];
    for (int k = 0; k < 3; k++) {
        line[k] = y[k];
        line[3] -= y[k] * mean[k];
    }
}

// Means of a and b at a cell.
static void mean_line(const double (*lines)[4], const setting *g, int column, int row, double to[4])
{
    const int window = 2 * g->radius + 1;
    for (int k = 0; k < 4; k++)
        to[k] = 0;
    for (int dy = -g->radius; dy <= g->radius; dy++)
        for (int dx = -g->radius; dx <= g->radius; dx++)
            for (int k = 0; k < 4; k++)
                to[k] += lines[clamp_to(row + dy, g->rows) * g->columns +
                               clamp_to(column + dx, g->columns)][k] /
                         (window * window);
}

// The place of a pixel among cells.
static int place_of(int at, const setting *g, int cells, double *part)
{
    const double place = LG_MIN(LG_MAX((at - g->side / 2) / (double)g->side, 0.0), cells - 1.0);
    const int cell = (int)floor(place);
    *part = place - cell;
    return cell;
}

static double alpha_at(const lg_image *in, const double (*means)[4], const setting *g, int x, int y,
                       int z)
{
    double right, down, c[4], alpha = 0;
    const int column = place_of(x, g, g->columns, &right), row = place_of(y, g, g->rows, &down);
    color_of(in, x, y, z, c);
    c[3] = 1;
    for (int i = 0; i < 4; i++) {
        const int u = clamp_to(column + i % 2, g->columns), v = clamp_to(row + i / 2, g->rows);
        const double weight = (i % 2 ? right : 1 - right) * (i / 2 ? down : 1 - down);
        for (int k = 0; k < 4; k++)
            alpha += weight * means[v * g->columns + u][k] * c[k];
    }
    return LG_MIN(LG_MAX(alpha, 0.0), 1.0);
}

static double value_of(const lg_native_call *call, const char *name)
{
    return (double)lg_native_value(call->filter, call->values, name);
}

static void check_alpha(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &out->shape;
    const bool has_alpha = s->channels != 1 && s->alpha == LG_ALPHA_STRAIGHT;
    if (kind != CONTENT_UNIT || !has_alpha || s->width * s->height > 4000 ||
        in->shape.alpha != LG_ALPHA_STRAIGHT)
        return;
    setting g = {.radius = (int)value_of(done, "radius"),
                 .side = (int)value_of(done, "scale"),
                 .eps = value_of(done, "eps")};
    g.columns = (s->width + g.side - 1) / g.side;
    g.rows = (s->height + g.side - 1) / g.side;
    double(*lines)[4] = malloc((size_t)(g.columns * g.rows) * 2 * sizeof *lines);
    double(*means)[4] = lines + g.columns * g.rows;
    double worst = 0;
    for (int z = 0; z < s->layers; z++) {
        for (int i = 0; i < g.columns * g.rows; i++)
            fit(in, &g, i % g.columns, i / g.columns, z, lines[i]);
        for (int i = 0; i < g.columns * g.rows; i++)
            mean_line((const double(*)[4])lines, &g, i % g.columns, i / g.columns, means[i]);
        for (int i = 0; i < s->width * s->height; i++) {
            const int x = i % s->width, y = i / s->width;
            const double wanted = alpha_at(in, (const double(*)[4])means, &g, x, y, z);
            worst = fmax(worst, fabs(sample_get(out, x, y, z, s->channels - 1) - wanted));
        }
    }
    free(lines);
    // Variances have errors of 2^-22, which count against eps.
    const double bound = 1e-5 + 2e-7 / g.eps + (s->type == LG_U8 ? 0.5 / 255 : 0) +
                         (s->type == LG_U16 ? 0.5 / 65535 : 0) + (s->type == LG_F16 ? 5e-4 : 0);
    CHECK(worst <= bound, "%d x %d, %s x %d, radius %d, scale %d, eps %g: off by %g, %g is allowed",
          s->width, s->height, lg_type_name(s->type), s->channels, g.radius, g.side, g.eps, worst,
          bound);
}

static void same_kind(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    *out = *in;
}

static const kernel_case guided = {
    .filter = "guided_filter",
    .params = "radius={0|1|2|5}:scale={1|2|3|8|64}:eps={0.1|0.01|0.001|0.0001}",
    .oracle = check_alpha,
    .shapes = same_kind,
    .share = 3};

// Colours and opaque images stay as they are.
static void test_kept(void)
{
    const lg_image_params shape = SHAPE(77, 41, 2, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = kernel_image(shape, CONTENT_UNIT), *out = kernel_zeros(shape);
    int wrong = !kernel_run(kernel_best_context(), "guided_filter", "", in, NULL, out);
    for (int i = 0; i < 2 * 77 * 41 * 3; i++) {
        const int pixel = i / 3 % (77 * 41), z = i / 3 / (77 * 41);
        wrong += sample_get(in, pixel % 77, pixel / 77, z, i % 3) !=
                 sample_get(out, pixel % 77, pixel / 77, z, i % 3);
    }
    CHECK(!wrong, "%d samples of an opaque image change", wrong);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// An edge in colour draws a blurred edge of alpha to itself.
static void test_edge(void)
{
    const lg_image_params shape = SHAPE(96, 24, 1, 4, LG_F32, LG_ALPHA_STRAIGHT);
    lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 96; x++) {
            for (int k = 0; k < 3; k++)
                sample_put(in, x, y, 0, k, x < 48 ? 0.25 : 0.75);
            sample_put(in, x, y, 0, 3, LG_MIN(LG_MAX((x - 40) / 16.0, 0.0), 1.0));
        }
    CHECK(kernel_run(kernel_best_context(), "guided_filter", "radius=8:scale=1:eps=0.0001", in,
                     NULL, out),
          "no result");
    const double before = sample_get(out, 47, 12, 0, 3), behind = sample_get(out, 48, 12, 0, 3);
    CHECK(behind - before > 0.4, "alpha steps from %g to %g, not across the edge", before, behind);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_kept();
    test_edge();
}

int main(void)
{
    return kernel_main("guided_filter", &guided, 1, test_more);
}
