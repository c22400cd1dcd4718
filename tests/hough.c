// Lines by Hough's transform: votes and lists against plain loops, lines that were drawn and are found,
// and how a list is read.
#include "check.h"
#include "device.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- votes ----------------------------------------------------------------------------------------

// A third of the pixels, or all or none of them, are edges.
static void draw_edges(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const uint32_t of = random_below(4) + 1;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++)
                for (int k = 0, edge = random_below(3) < of - 1; k < s->channels; k++)
                    sample_put(image, x, y, z, k, edge);
}

static double number_of(const lg_native_call *call, const char *param)
{
    return (double)lg_native_value(call->filter, call->values, param);
}

static void shape_of_votes(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    const double across = in->width - 1, down = in->height - 1;
    *out = SHAPE(7, 2 * ((int)ceil(sqrt(across * across + down * down)) + 1) + 1, in->layers, 1,
                 LG_F32, LG_ALPHA_NONE);
}

static bool is_edge(const lg_image *in, int x, int y, int z)
{
    return sample_get(in, x, y, z, 0) > 0;
}

static void check_votes(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const int angles = kernel_whole(done, "angles"), rows = out->shape.height;
    const double longer = fmax(in->shape.width, in->shape.height);
    int64_t wrong = 0;
    if (in->shape.alpha == LG_ALPHA_PREMULTIPLIED && in->shape.channels != 1)
        return;
    int *votes = calloc((size_t)rows, sizeof *votes);
    NEED(votes != NULL, "no memory");
    (void)kind;
    for (int z = 0; z < in->shape.layers; z++)
        for (int k = 0; k < angles; k++) {
            const int64_t c = llround(cos(k * pi / angles) * 65536 / number_of(done, "step"));
            const int64_t s = llround(sin(k * pi / angles) * 65536 / number_of(done, "step"));
            memset(votes, 0, (size_t)rows * sizeof *votes);
            for (int y = 0; y < in->shape.height; y++)
                for (int x = 0; x < in->shape.width; x++)
                    if (is_edge(in, x, y, z))
                        votes[(int)floor((double)(x * c + y * s) / 65536 + 0.5) + rows / 2]++;
            for (int j = 0; j < rows; j++)
                wrong += fabs(sample_get(out, k, j, z, 0) - votes[j] / longer) > 1e-6 * votes[j];
        }
    CHECK(wrong == 0, "%lld votes of %d x %d pixels", (long long)wrong, in->shape.width,
          in->shape.height);
    free(votes);
}

static const kernel_case votes_case = {.filter = "hough_transform",
                                       .params = "angles=7",
                                       .oracle = check_votes,
                                       .shapes = shape_of_votes,
                                       .draw = draw_edges,
                                       .share = 8};

// ---- lists ----------------------------------------------------------------------------------------

static void shape_of_list(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    *out = SHAPE(9, 1, in->layers, 4, LG_F32, LG_ALPHA_STRAIGHT);
}

static double value_at(const lg_image *in, int x, int y, int z)
{
    const int width = in->shape.width, height = in->shape.height;
    if (x < 0 || x >= width)
        y = height - 1 - y, x = (x + width) % width;
    return y < 0 || y >= height ? -INFINITY : sample_get(in, x, y, z, 0);
}

static bool is_peak(const lg_image *in, int x, int y, int z)
{
    static const int before[4][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}};
    const double v = value_at(in, x, y, z);
    for (int i = 0; i < 4; i++)
        if (!(v > value_at(in, x + before[i][0], y + before[i][1], z)) ||
            !(v >= value_at(in, x - before[i][0], y - before[i][1], z)))
            return false;
    return true;
}

// Line n of a list: no peak outside of the list comes before it, and its numbers are those of a peak.
static void check_list(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const int width = in->shape.width, height = in->shape.height;
    const double threshold = number_of(done, "threshold");
    if (in->shape.alpha == LG_ALPHA_PREMULTIPLIED || kind == CONTENT_SPECIAL)
        return;
    for (int z = 0; z < in->shape.layers; z++) {
        double last = INFINITY;
        int last_index = -1;
        for (int n = 0; n < out->shape.width; n++) {
            int best = -1;
            double most = -INFINITY;
            for (int i = 0; i < width * height; i++) {
                const double v = value_at(in, i % width, i / width, z);
                if (v >= threshold && v > most && (v < last || (v == last && i > last_index)) &&
                    is_peak(in, i % width, i / width, z))
                    best = i, most = v;
            }
            double want[4] = {0, 0, 0, 0};
            if (best >= 0) {
                want[0] = cos(best % width * pi / width);
                want[1] = sin(best % width * pi / width);
                want[2] = (best / width - height / 2) * number_of(done, "step");
                want[3] = most;
                last = most;
                last_index = best;
            } else {
                last = -INFINITY;
            }
            for (int k = 0; k < 4; k++)
                CHECK(fabs(sample_get(out, n, 0, z, k) - want[k]) <= 1e-6 * (1 + fabs(want[k])),
                      "line %d, number %d: %g, not %g", n, k, sample_get(out, n, 0, z, k), want[k]);
        }
    }
}

static const kernel_case list_case = {.filter = "hough_lines",
                                      .params = "lines=9:threshold={0|0.5|0.97}:step={1|0.5}",
                                      .oracle = check_list,
                                      .shapes = shape_of_list,
                                      .share = 12};

// ---- lines that were drawn --------------------------------------------------------------------------

// Pixels next to x cos t + y sin t = d.
static void draw(lg_image *image, double t, double d)
{
    const int width = image->shape.width, height = image->shape.height;
    const bool steep = fabs(cos(t)) > fabs(sin(t));
    for (int i = 0; i < (steep ? height : width); i++) {
        const double at = steep ? (d - i * sin(t)) / cos(t) : (d - i * cos(t)) / sin(t);
        const int j = (int)floor(at + 0.5), x = steep ? j : i, y = steep ? i : j;
        if (x >= 0 && x < width && y >= 0 && y < height)
            sample_put(image, x, y, 0, 0, 1);
    }
}

static void check_line(const lg_straight_line *line, double t, double d, int width, int height)
{
    CHECK(fabs((double)line->angle - t) < 0.02 && fabs((double)line->distance - d) <= 1.5,
          "line %g, %g for %g, %g", (double)line->angle, (double)line->distance, t, d);
    CHECK(line->votes > 0.4f && line->votes <= 1.01f, "votes %g", (double)line->votes);
    const float *const ends[] = {line->from, line->to};
    for (int k = 0; k < 2; k++) {
        const double x = (double)ends[k][0] * width - 0.5, y = (double)ends[k][1] * height - 0.5;
        CHECK(fabs(x * cos((double)line->angle) + y * sin((double)line->angle) -
                   (double)line->distance) < 1e-3,
              "an end at %g, %g", x, y);
        const bool edge = fmin(fmin(fabs(x + 0.5), fabs(x + 0.5 - width)),
                               fmin(fabs(y + 0.5), fabs(y + 0.5 - height))) < 1e-3;
        CHECK(edge, "an end inside: %g, %g", x, y);
        // The same line in -1 .. 1.
        const double u = 2 * (x + 0.5) / width - 1, v = 2 * (y + 0.5) / height - 1;
        const double off = isinf(line->slope)
                               ? u - (double)line->intercept
                               : v - (double)line->slope * u - (double)line->intercept;
        CHECK(fabs(off) < 1e-3 * fmax(1, fabs((double)line->slope)), "off by %g", off);
    }
}

static void test_found(lg_context *context)
{
    static const double lines[][2] = {{0, 40}, {1.0, 70}, {pi / 2, 31}, {2.4, -20}};
    const lg_image_params shape = SHAPE(160, 120, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = NULL, *out = NULL;
    lg_error error;
    pipeline p;
    NEED(!lg_image_create(context, &shape, &in, &error), "%s", error.message);
    for (size_t i = 0; i < LG_COUNT(lines); i++)
        draw(in, lines[i][0], lines[i][1]);
    if (pipeline_open(&p, context, "hough_transform | hough_lines:lines=20:threshold=0.3", &shape,
                      1, NULL)) {
        CHECK(p.out.type == LG_F32 && p.out.width == 20 && p.out.height == 1, "%d x %d",
              p.out.width, p.out.height);
        NEED(!lg_image_create(context, &p.out, &out, &error), "%s", error.message);
        CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s", error.message);
        lg_straight_line got[20];
        size_t count = 0;
        CHECK(!lg_lines_read(out, 0, 160, 120, got, 20, &count, &error), "%s", error.message);
        CHECK(count >= LG_COUNT(lines), "%zu lines", count);
        for (size_t i = 0; i < LG_COUNT(lines); i++) {
            size_t best = 0;
            for (size_t k = 0; k < LG_MIN(count, 20); k++)
                if (fabs((double)got[k].angle - lines[i][0]) +
                        fabs((double)got[k].distance - lines[i][1]) <
                    fabs((double)got[best].angle - lines[i][0]) +
                        fabs((double)got[best].distance - lines[i][1]))
                    best = k;
            check_line(&got[best], lines[i][0], lines[i][1], 160, 120);
        }
        CHECK(!lg_lines_read(out, 0, 160, 120, NULL, 0, &count, &error) && count >= 4, "%s",
              error.message);
        CHECK(lg_lines_read(out, 1, 160, 120, got, 20, &count, &error) == LG_ERROR_ARGUMENT,
              "a layer too many");
        CHECK(lg_lines_read(out, 0, 0, 120, got, 20, &count, &error) == LG_ERROR_ARGUMENT,
              "no width");
        CHECK(lg_lines_read(in, 0, 160, 120, got, 20, &count, &error) == LG_ERROR_ARGUMENT,
              "no list");
        CHECK(lg_lines_read(NULL, 0, 160, 120, got, 20, &count, &error) == LG_ERROR_ARGUMENT,
              "nothing");
        CHECK(lg_lines_read(out, 0, 160, 120, NULL, 1, &count, &error) == LG_ERROR_ARGUMENT,
              "nowhere");
    }
    pipeline_close(&p);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// What is drawn where it was found covers the edges.
static void test_drawn(lg_context *context)
{
    const lg_image_params shape = SHAPE(101, 77, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = NULL, *out = NULL;
    lg_error error;
    pipeline p;
    NEED(!lg_image_create(context, &shape, &in, &error), "%s", error.message);
    draw(in, 1.1, 60);
    if (pipeline_open(&p, context,
                      "hough_transform | hough_lines:lines=1 #lines | #in | "
                      "draw_lines:over=#lines:color=1,0,0:width=4",
                      &shape, 1, NULL)) {
        NEED(!lg_image_create(context, &p.out, &out, &error), "%s", error.message);
        CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s", error.message);
        int bare = 0, red = 0;
        for (int y = 0; y < 77; y++)
            for (int x = 0; x < 101; x++) {
                const bool drawn =
                    sample_get(out, x, y, 0, 0) == 1 && sample_get(out, x, y, 0, 1) == 0;
                red += drawn;
                bare += sample_get(in, x, y, 0, 0) > 0 && !drawn;
            }
        CHECK(bare == 0 && red > 80 * 3 && red < 101 * 6, "%d bare, %d red pixels", bare, red);
    }
    pipeline_close(&p);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_refusals(lg_context *context)
{
    lg_error error;
    pipeline p;
    const lg_image_params wide = SHAPE(65000, 1, 1, 1, LG_U8, LG_ALPHA_NONE);
    CHECK(pipeline_try(&p, context, "hough_transform", &wide, 1, NULL, &error) == LG_ERROR_LIMIT &&
              strstr(error.message, "larger step"),
          "%s", error.message);
    pipeline_close(&p);
    CHECK(!pipeline_try(&p, context, "hough_transform:step=4", &wide, 1, NULL, &error), "%s",
          error.message);
    pipeline_close(&p);
    const lg_image_params tall = SHAPE(4000, 10, 1, 1, LG_F32, LG_ALPHA_NONE);
    CHECK(pipeline_try(&p, context, "hough_lines", &tall, 1, NULL, &error) == LG_ERROR_LIMIT, "%s",
          error.message);
    pipeline_close(&p);
}

static void test_more(void)
{
    test_found(kernel_context());
    test_drawn(kernel_context());
    test_refusals(kernel_context());
}

int main(void)
{
    const kernel_case cases[2] = {votes_case, list_case};
    return kernel_main("hough", cases, 2, test_more);
}
