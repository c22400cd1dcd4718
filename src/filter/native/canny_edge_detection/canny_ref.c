// Canny's edges as docs/definitions.md reads: whole images, one step after the other, a flood fill by
// pixels.
#include "filter/native/canny_edge_detection/canny.h"
#include "filter/native/plain_sample.h"
#include "kernel/pixel_rule.h"

#include <math.h>

typedef struct plane {
    int64_t width, height;
    lg_border border;
    double *v; // integers are exact in it, and so are floats
} plane;

static double at(const plane *p, int64_t x, int64_t y)
{
    const int64_t column = lg_border_index(x, p->width, p->border);
    const int64_t row = lg_border_index(y, p->height, p->border);
    return column < 0 || row < 0 ? 0 : p->v[row * p->width + column];
}

static plane make_plane(const plane *like)
{
    plane p = *like;
    p.v = lg_alloc_array((size_t)(p.width * p.height), sizeof *p.v);
    return p;
}

// 0 .. 255 for 8-bit images, else 0 .. 1.
static double luminance(const lg_image *image, bool integer, int64_t x, int64_t y, int64_t z)
{
    const lg_image_params *s = &image->shape;
    float c[4] = {0, 0, 0, 1};
    for (int k = 0; k < s->channels; k++)
        c[k] = lg_plain_sample(image, x, y, z, k);
    if (s->channels == 1)
        c[1] = c[2] = c[0];
    if (s->channels == 2 && s->alpha != LG_ALPHA_NONE) {
        c[3] = c[1];
        c[1] = c[2] = c[0];
    }
    if (integer)
        return floor((13926 * round(c[0] * 255.0) + 46885 * round(c[1] * 255.0) +
                      4725 * round(c[2] * 255.0) + 32768) /
                     65536);
    if (s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED) {
        const color straight = lg_straight(rgba(c[0], c[1], c[2], c[3]));
        return lg_luminance(straight);
    }
    return lg_luminance(rgba(c[0], c[1], c[2], 1));
}

// Integers in 32nds, by the plain reference of gaussian_blur.
static plane blurred(const lg_canny_job *job, const plane *luma)
{
    const lg_gaussian *g = &job->gaussian;
    lg_gaussian_plane p = lg_gaussian_plane_make(g, luma->width, luma->height);
    for (int64_t i = 0; i < p.width * p.height; i++) {
        const double v = at(luma, p.x + i % p.width, p.y + i / p.width);
        p.floats[i] = job->integer ? 0 : (float)v;
        p.whole[i] = job->integer ? (int32_t)(64 * v) : 0;
    }
    lg_gaussian_plane_blur(&p, g);
    plane out = make_plane(luma);
    const double unit = (double)(lg_gaussian_unit(g) / 32);
    for (int64_t i = 0; i < luma->width * luma->height; i++) {
        const int64_t x = i % luma->width, y = i / luma->width;
        out.v[i] = job->integer ? floor((double)lg_gaussian_plane_sum(&p, x, y) / unit + 0.5)
                                : (double)lg_gaussian_plane_value(&p, x, y);
    }
    lg_gaussian_plane_free(&p);
    return out;
}

// near + (next - near) * part in floats; at 0 the nearer one.
static float between(double near, double next, float part)
{
    const float gap = (float)next - (float)near, way = gap * part;
    return part > 0 ? (float)near + way : (float)near;
}

// The neighbour at (side, below) of (x, y), where a Sobel's pixels are apart.
static double neighbour(const lg_canny_job *job, const plane *b, int64_t x, int64_t y, int side,
                        int below)
{
    const int64_t column = x + side * (int64_t)job->across, row = y + below * (int64_t)job->down;
    const float part = side ? job->across - (float)(int64_t)job->across : 0;
    const float part_down = below ? job->down - (float)(int64_t)job->down : 0;
    const float near = between(at(b, column, row), at(b, column, row + below), part_down);
    const float next =
        between(at(b, column + side, row), at(b, column + side, row + below), part_down);
    return between(near, next, part);
}

// Squared magnitude; dx[i], dy[i] is the step along the gradient to the second neighbour.
static plane gradient(const lg_canny_job *job, const plane *b, int8_t *dx, int8_t *dy)
{
    plane out = make_plane(b);
    for (int64_t i = 0; i < b->width * b->height; i++) {
        const int64_t x = i % b->width, y = i / b->width;
        float smooth[3], step[3]; // down the columns left, here and right; integers are exact
        for (int k = 0; k < 3; k++) {
            const float top = (float)neighbour(job, b, x, y, k - 1, -1);
            const float middle = (float)neighbour(job, b, x, y, k - 1, 0);
            const float bottom = (float)neighbour(job, b, x, y, k - 1, 1);
            smooth[k] = (top + bottom) + 2 * middle;
            step[k] = bottom - top;
        }
        const float gx = smooth[2] - smooth[0], gy = (step[0] + step[2]) + 2 * step[1];
        const float ax = fabsf(gx), ay = fabsf(gy);
        bool flat = ay <= 0.41421356f * ax, steep = ax <= 0.41421356f * ay;
        if (job->integer) {
            flat = ay <= floor(ax * 27146.0 / 65536);
            steep = ax <= floor(ay * 27146.0 / 65536);
            out.v[i] = (double)gx * gx + (double)gy * gy;
        } else {
            const float xx = gx * gx, yy = gy * gy;
            out.v[i] = xx + yy;
        }
        dx[i] = flat ? 1 : steep ? 0 : (gx < 0) == (gy < 0) ? 1 : -1;
        dy[i] = flat ? 0 : 1;
    }
    return out;
}

static void flood(const lg_canny_job *job, uint8_t *edge, const uint8_t *weak)
{
    const int64_t w = job->width, h = job->height;
    int64_t *stack = lg_alloc_array((size_t)(w * h), sizeof *stack), count = 0;
    for (int64_t i = 0; i < w * h; i++)
        if (edge[i])
            stack[count++] = i;
    while (count) {
        const int64_t i = stack[--count], x = i % w, y = i / w;
        for (int64_t v = y - 1; v <= y + 1; v++)
            for (int64_t u = x - 1; u <= x + 1; u++)
                if (u >= 0 && v >= 0 && u < w && v < h && weak[v * w + u] && !edge[v * w + u]) {
                    edge[v * w + u] = 1;
                    stack[count++] = v * w + u;
                }
    }
    lg_free(stack);
}

static void ring(const lg_canny_job *job, const plane *magnitude, const uint8_t *weak,
                 uint8_t *edge)
{
    plane value = make_plane(magnitude);
    for (int64_t i = 0; i < value.width * value.height; i++) {
        const float m = job->integer ? lg_sqrt((float)magnitude->v[i]) * (1.0f / 8160)
                                     : lg_sqrt((float)magnitude->v[i]);
        value.v[i] = weak[i] ? lg_smoothstep(job->lower, job->upper, m) : 0;
    }
    for (int64_t i = 0; i < value.width * value.height; i++) {
        const int64_t x = i % value.width, y = i / value.width;
        float sum = 0;
        for (int64_t v = y - 1; v <= y + 1; v++) {
            const float left = (float)at(&value, x - 1, v), right = (float)at(&value, x + 1, v);
            const float row = (left + (float)at(&value, x, v)) + right;
            sum = sum + row;
        }
        edge[i] = sum >= 1.5f && value.v[i] >= 0.01f;
    }
    lg_free(value.v);
}

static void write_edge(const lg_image *image, int64_t x, int64_t y, int64_t z, bool edge)
{
    const lg_image_params *s = &image->shape;
    char *row = (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
    for (int c = 0; c < s->channels; c++) {
        const bool alpha = s->channels != 1 && s->alpha != LG_ALPHA_NONE && c == s->channels - 1;
        const float v = alpha || edge || (s->channels == 4 && c == 3);
        const size_t i = (size_t)x * (size_t)s->channels + (size_t)c;
        if (s->type == LG_U8)
            ((uint8_t *)row)[i] = v ? 255 : 0;
        else if (s->type == LG_U16)
            ((uint16_t *)row)[i] = v ? 65535 : 0;
        else if (s->type == LG_F16)
            ((uint16_t *)row)[i] = v ? 0x3c00 : 0;
        else
            ((float *)row)[i] = v;
    }
}

static void do_layer(const lg_canny_job *job, const lg_native_call *call, int64_t z)
{
    plane luma = make_plane(&(plane){job->width, job->height, job->border, NULL});
    const int64_t count = luma.width * luma.height;
    int8_t *dx = lg_alloc((size_t)count), *dy = lg_alloc((size_t)count);
    uint8_t *weak = lg_alloc((size_t)count), *edge = lg_alloc((size_t)count);
    for (int64_t i = 0; i < count; i++)
        luma.v[i] = luminance(call->in[0], job->integer, i % luma.width, i / luma.width, z);
    plane b = blurred(job, &luma), m = gradient(job, &b, dx, dy);
    const double low = job->integer ? job->low : job->real_low;
    const double high = job->integer ? job->high : job->real_high;
    for (int64_t i = 0; i < count; i++) {
        const int64_t x = i % luma.width, y = i / luma.width;
        const double here = m.v[i];
        weak[i] = here > low && here > at(&m, x - dx[i], y - dy[i]) &&
                  here >= at(&m, x + dx[i], y + dy[i]);
        edge[i] = weak[i] && here >= high;
    }
    if (job->ring)
        ring(job, &m, weak, edge);
    else
        flood(job, edge, weak);
    for (int64_t i = 0; i < count; i++)
        write_edge(call->out, i % luma.width, i / luma.width, z, edge[i]);
    lg_free(luma.v);
    lg_free(b.v);
    lg_free(m.v);
    lg_free(dx);
    lg_free(dy);
    lg_free(weak);
    lg_free(edge);
}

lg_status lg_canny_ref(const lg_native_call *call)
{
    lg_canny_job job;
    const lg_status status = lg_canny_set_up(&job, call);
    for (int64_t z = 0; z < call->out->shape.layers && !status; z++)
        do_layer(&job, call, z);
    lg_gaussian_destroy(&job.gaussian);
    return status;
}
