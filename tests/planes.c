// Planes of Y'CbCr as inputs and outputs of plans: codes against doubles, filters against those on the image
// of colours, at every instruction-set level and on Vulkan.
#include "check.h"
#include "content.h"
#include "device.h"
#include "plane_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONTEXTS 8

static lg_error error;
static lg_context *contexts[MOST_CONTEXTS];
static int context_count;

// ---- colours in doubles -------------------------------------------------------------------------

typedef struct ycbcr {
    double red, green, blue, black, luma, grey, chroma, left, top;
} ycbcr;

static ycbcr numbers_of(const lg_planes *p)
{
    static const double weights[][2] = {
        {0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}, {0.212, 0.087}};
    const double unit = 1 << (p->bits - 8), highest = 256 * unit - 1;
    ycbcr n = {.red = weights[p->matrix][0], .blue = weights[p->matrix][1]};
    n.green = 1 - n.red - n.blue;
    n.black = p->full_range ? 0 : 16 * unit;
    n.luma = p->full_range ? highest : 219 * unit;
    n.chroma = p->full_range ? highest : 224 * unit;
    n.grey = 128 * unit;
    n.left = plane_across(p) == 2 && p->siting == LG_SITING_CENTER ? 0.5 : 0;
    n.top = plane_down(p) == 2 && p->siting != LG_SITING_TOP_LEFT ? 0.5 : 0;
    return n;
}

static double chroma_at(const plane_frame *f, const ycbcr *n, int which, int x, int y)
{
    const double px = (x - n->left) / plane_across(&f->planes),
                 py = (y - n->top) / plane_down(&f->planes);
    double sum = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            const int cx = (int)floor(px) + i, cy = (int)floor(py) + j;
            sum += (1 - fabs(px - cx)) * (1 - fabs(py - cy)) * plane_frame_code(f, which, cx, cy);
        }
    return (sum - n->grey) / n->chroma;
}

static double stored_at(const lg_image *image, int x, int y, int c)
{
    const char *row = (const char *)image->data + (size_t)y * image->shape.row_stride;
    return lg_sample_at(row, image->shape.type, (size_t)(x * image->shape.channels + c));
}

static bool is_nearest(double exact, double most, double got)
{
    return fabs(fmin(fmax(exact * most, 0), most) - got) <= 0.5 + 1e-6;
}

static int wrong_colors(const plane_frame *f, const lg_image *image)
{
    const ycbcr n = numbers_of(&f->planes);
    const double most = f->planes.bits > 8 ? 65535 : 255;
    int wrong = 0;
    for (int y = 0; y < f->height[0]; y++)
        for (int x = 0; x < f->width[0]; x++) {
            const double l = (plane_frame_code(f, 0, x, y) - n.black) / n.luma;
            if (f->count == 1) {
                wrong += !is_nearest(l, most, stored_at(image, x, y, 0));
                continue;
            }
            const double red = l + 2 * (1 - n.red) * chroma_at(f, &n, 2, x, y);
            const double blue = l + 2 * (1 - n.blue) * chroma_at(f, &n, 1, x, y);
            const double green = (l - n.red * red - n.blue * blue) / n.green;
            wrong += !is_nearest(red, most, stored_at(image, x, y, 0));
            wrong += !is_nearest(green, most, stored_at(image, x, y, 1));
            wrong += !is_nearest(blue, most, stored_at(image, x, y, 2));
        }
    return wrong;
}

// The mean of a colour around a sample of chroma.
static double mean_around(const plane_frame *f, const ycbcr *n, const lg_image *image, int cx,
                          int cy, int c)
{
    const int across = plane_across(&f->planes), down = plane_down(&f->planes);
    const double px = cx * across + n->left, py = cy * down + n->top;
    double sum = 0, all = 0;
    for (int j = -4; j <= 4; j++)
        for (int i = -4; i <= 4; i++) {
            const int x = (int)floor(px) + i, y = (int)floor(py) + j;
            const double dx = fabs(x - px), dy = fabs(y - py);
            const double wx = n->left > 0 ? dx < 1 : fmax(0, 1 - dx / across);
            const double wy = n->top > 0 ? dy < 1 : fmax(0, 1 - dy / down);
            all += wx * wy;
            sum += wx * wy *
                   stored_at(image, (int)fmin(fmax(x, 0), image->shape.width - 1),
                             (int)fmin(fmax(y, 0), image->shape.height - 1), c);
        }
    return sum / all;
}

static int wrong_codes(const plane_frame *f, const lg_image *image)
{
    const ycbcr n = numbers_of(&f->planes);
    const double most = f->planes.bits > 8 ? 65535 : 255, highest = (1 << f->planes.bits) - 1;
    const bool grey = image->shape.channels == 1;
    int wrong = 0;
    for (int which = 0; which < (f->count == 1 ? 1 : 3); which++) {
        const int plane = f->planes.paired && which ? 1 : which;
        for (int y = 0; y < f->height[plane]; y++)
            for (int x = 0; x < f->width[plane]; x++) {
                double rgb[3];
                for (int c = 0; c < 3; c++)
                    rgb[c] = (which ? mean_around(f, &n, image, x, y, c)
                                    : stored_at(image, x, y, grey ? 0 : c)) /
                             most;
                const double l = n.red * rgb[0] + n.green * rgb[1] + n.blue * rgb[2];
                const double exact = which == 0 ? n.black + n.luma * l
                                     : which == 1
                                         ? n.grey + n.chroma * (rgb[2] - l) / (2 - 2 * n.blue)
                                         : n.grey + n.chroma * (rgb[0] - l) / (2 - 2 * n.red);
                wrong += !is_nearest(exact / highest, highest, plane_frame_code(f, which, x, y));
            }
    }
    return wrong;
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct work {
    lg_graph *graph;
    lg_plan *plan;
    lg_node last;
} work;

static work compile(lg_context *context, const char *text, const lg_image_params *shape,
                    const lg_planes *stored, const lg_type *type)
{
    work w = {0};
    lg_node in;
    NEED(!lg_graph_create(&w.graph, &error) && !lg_graph_input(w.graph, "in", &in, &error) &&
             !lg_graph_parse(w.graph, text, in, &w.last, &error) &&
             !lg_graph_output(w.graph, w.last, &error),
         "%s: %s", text, error.message);
    NEED(!lg_plan_create_planes(context, w.graph, shape, 1, type, &stored, &w.plan, &error),
         "%s: %s", text, error.message);
    return w;
}

static void end(work *w)
{
    lg_plan_destroy(&w->plan);
    lg_graph_destroy(&w->graph);
}

// The result of a pipeline as an image whose samples are adjacent.
static lg_image *run(lg_context *context, const char *text, lg_image *in, lg_type type)
{
    lg_image_params shape;
    lg_image *out = NULL;
    work w = compile(context, text, &in->shape, NULL, &type);
    NEED(!lg_plan_output(w.plan, 0, &shape, &error) && !shape.planes &&
             !lg_image_create(context, &shape, &out, &error),
         "%s: %s", text, error.message);
    CHECK(!lg_plan_run(w.plan, &in, &out, &error), "%s: %s", text, error.message);
    end(&w);
    return out;
}

static void run_to_planes(lg_context *context, const char *text, lg_image *in, plane_frame *out)
{
    lg_image_params shape;
    lg_image *image = plane_frame_wrap(context, out);
    work w = compile(context, text, &in->shape, &out->planes, NULL);
    CHECK(!lg_plan_output(w.plan, 0, &shape, &error) && shape.planes &&
              shape.channels == out->shape.channels && shape.width == out->shape.width,
          "%s: shape of planes", text);
    for (int again = 0; again < 2; again++)
        CHECK(!lg_plan_run(w.plan, &in, &image, &error), "%s: %s", text, error.message);
    end(&w);
    lg_image_destroy(&image);
}

static bool same_pixels(const lg_image *a, const lg_image *b)
{
    bool same = a->shape.channels == b->shape.channels && a->shape.type == b->shape.type &&
                a->shape.width == b->shape.width && a->shape.height == b->shape.height;
    for (int y = 0; y < a->shape.height && same; y++)
        same = memcmp((char *)a->data + (size_t)y * a->shape.row_stride,
                      (char *)b->data + (size_t)y * b->shape.row_stride,
                      (size_t)a->shape.width * (size_t)a->shape.channels *
                          lg_type_size(a->shape.type)) == 0;
    return same;
}

// ---- every way of storing -----------------------------------------------------------------------

static const char *name_of(const lg_planes *p)
{
    static char text[100];
    snprintf(text, sizeof text, "chroma %d%s, %d bits << %d, matrix %d, %s, siting %d",
             (int)p->chroma, p->paired ? " paired" : "", p->bits, p->shift, (int)p->matrix,
             p->full_range ? "full" : "limited", (int)p->siting);
    return text;
}

static void check_store(lg_context *context, lg_planes planes, int width, int height)
{
    plane_frame f = plane_frame_make(planes, width, height),
                g = plane_frame_make(planes, width, height);
    const lg_type type = planes.bits > 8 ? LG_U16 : LG_U8;
    plane_frame_fill(&f);
    lg_image *in = plane_frame_wrap(context, &f);
    lg_image *colors = run(context, "#in", in, type);
    const int wrong = wrong_colors(&f, colors);
    CHECK(wrong == 0, "%s, %d x %d: %d samples are not the nearest", name_of(&planes), width,
          height, wrong);
    run_to_planes(context, "#in", in, &g);
    CHECK(plane_frames_equal(&f, &g), "%s, %d x %d: a copy of planes", name_of(&planes), width,
          height);
    // From colours that fill their cube.
    lg_image_params shape = colors->shape;
    shape.planes = NULL;
    lg_image *cube = content_image(context, shape, CONTENT_UNIT);
    run_to_planes(context, "#in", cube, &g);
    const int codes = wrong_codes(&g, cube);
    CHECK(codes == 0, "%s, %d x %d: %d codes are not the nearest", name_of(&planes), width, height,
          codes);
    lg_image_destroy(&in);
    lg_image_destroy(&colors);
    lg_image_destroy(&cube);
    plane_frame_free(&f);
    plane_frame_free(&g);
}

static lg_planes random_planes(void)
{
    lg_planes p = {.chroma = (lg_chroma)random_below(5),
                   .bits = 8 + (int)random_below(9),
                   .matrix = (lg_matrix)random_below(4),
                   .full_range = random_below(2),
                   .siting = (lg_siting)random_below(3)};
    p.paired = p.chroma != LG_CHROMA_NONE && random_below(2);
    p.bits = random_below(2) ? 8 : p.bits;
    p.shift = p.bits > 8 && random_below(2) ? 16 - p.bits : 0;
    return p;
}

static const int sizes[][2] = {{1, 1}, {2, 2}, {7, 5}, {16, 9}, {33, 18}, {5, 1}, {1, 7}};

// Names of files: I420, NV12, NV16, NV24, P010, P210, Y16 and their like.
static void test_formats(lg_context *context)
{
    static const lg_planes known[] = {
        {LG_PLANES_DEFAULTS},
        {LG_PLANES_DEFAULTS, .paired = true},
        {.chroma = LG_CHROMA_422, .bits = 8, .paired = true},
        {.chroma = LG_CHROMA_444, .bits = 8, .paired = true},
        {.chroma = LG_CHROMA_420, .bits = 10, .shift = 6, .paired = true},
        {.chroma = LG_CHROMA_422, .bits = 10, .shift = 6, .paired = true},
        {.chroma = LG_CHROMA_420, .bits = 12},
        {.chroma = LG_CHROMA_444, .bits = 16},
        {.chroma = LG_CHROMA_411, .bits = 8},
        {.chroma = LG_CHROMA_NONE, .bits = 8},
        {.chroma = LG_CHROMA_NONE, .bits = 10},
    };
    const int count = (int)(sizeof known / sizeof *known);
    for (int i = 0; i < count; i++)
        check_store(context, known[i], sizes[2 + i % 3][0], sizes[2 + i % 3][1]);
}

static void test_stores(lg_context *context, int count)
{
    for (int i = 0; i < count; i++) {
        const int *size = sizes[random_below(7)];
        check_store(context, random_planes(), size[0], size[1]);
    }
}

// On the CPU all of them.
static void test_all(lg_context *context)
{
    for (int chroma = 0; chroma < 5; chroma++)
        for (int siting = 0; siting < 3; siting++)
            for (int matrix = 0; matrix < 4; matrix++)
                for (int kind = 0; kind < 8; kind++)
                    for (int s = 0; s < test_extent(1, 2, 7); s++) {
                        const int bits[] = {8, 10, 12, 16};
                        const lg_planes p = {.chroma = (lg_chroma)chroma,
                                             .siting = (lg_siting)siting,
                                             .matrix = (lg_matrix)matrix,
                                             .bits = bits[kind / 2],
                                             .paired = chroma && kind % 2,
                                             .shift =
                                                 kind % 2 && kind > 1 ? 16 - bits[kind / 2] : 0,
                                             .full_range = (kind + matrix) % 2};
                        check_store(context, p, sizes[2 + (s + kind) % 5][0],
                                    sizes[2 + (s + kind) % 5][1]);
                    }
}

// Blocks of many columns, and what is left of a row behind them: every level makes the colours of the first
// one, pixel by pixel. So many have some whose exact colours lie closest to the next ones: a kernel that
// keeps fewer bits than it may would be off by one there.
static void test_blocks(lg_context *const *levels, int count)
{
    for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
        const lg_planes p = {.chroma = i & 1 ? LG_CHROMA_422 : LG_CHROMA_420,
                             .bits = 8,
                             .siting = i & 2 ? LG_SITING_CENTER : LG_SITING_LEFT,
                             .full_range = (i & 4) != 0,
                             .matrix = (lg_matrix)(i / 8)};
        plane_frame f = plane_frame_make(p, test_extent(610, 1090, 1090), test_extent(40, 90, 900));
        plane_frame_fill(&f);
        lg_image *first = NULL;
        for (int k = 0; k < count; k++) {
            lg_image *in = plane_frame_wrap(levels[k], &f);
            lg_image *colors = run(levels[k], "#in", in, LG_U8);
            const int wrong = first ? 0 : wrong_colors(&f, colors);
            CHECK(wrong == 0, "%s: %d samples are not the nearest", name_of(&p), wrong);
            CHECK(!first || same_pixels(first, colors), "%s: level %d of the CPU has others",
                  name_of(&p), (int)levels[k]->cpu_level);
            lg_image_destroy(&in);
            if (first)
                lg_image_destroy(&colors);
            else
                first = colors;
        }
        lg_image_destroy(&first);
        plane_frame_free(&f);
    }
}

// ---- filters ------------------------------------------------------------------------------------

static const char *const pipelines[] = {
    "brightness:brightness=0.1",
    "gamma:gamma=1.7",
    "grayscale",
    "pixellate",
    "bulge_distortion",
    "color_invert | gamma:gamma=0.6 | contrast:contrast=1.3 | saturation:saturation=0.4",
    "gaussian_blur:sigma=2",
    "sobel_edge_detection",
    "median",
    "wide_median:radius=2",
    "brightness:brightness=@mean",
    "luminance_threshold:threshold=@otsu",
    "brightness:brightness=0.2 #a | gaussian_blur:sigma=1 | difference_blend:over=#a",
    "brightness:brightness=0.2 | difference_blend:over=#in",
};

// Filters on planes give the bits of filters on the colours that the planes stand for.
static void check_filters(lg_context *context, lg_planes planes, int width, int height, int first,
                          int step)
{
    const int count = (int)(sizeof pipelines / sizeof *pipelines);
    plane_frame f = plane_frame_make(planes, width, height);
    plane_frame_fill(&f);
    lg_image *in = plane_frame_wrap(context, &f);
    lg_image *colors = run(contexts[0], "#in", in, planes.bits > 8 ? LG_U16 : LG_U8);
    for (int i = first; i < count; i += step)
        for (int t = 0; t < 2; t++) {
            const lg_type type = t ? LG_F32 : planes.bits > 8 ? LG_U16 : LG_U8;
            lg_image *a = run(context, pipelines[i], in, type);
            lg_image *b = run(contexts[0], pipelines[i], colors, type);
            CHECK(same_pixels(a, b), "%s of %s as %s, %d x %d", pipelines[i], name_of(&planes),
                  lg_type_name(type), width, height);
            if (!t) {
                plane_frame g = plane_frame_make(planes, width, height),
                            h = plane_frame_make(planes, width, height);
                run_to_planes(context, pipelines[i], in, &g);
                run_to_planes(contexts[0], "#in", b, &h);
                CHECK(plane_frames_equal(&g, &h), "%s of %s to planes, %d x %d", pipelines[i],
                      name_of(&planes), width, height);
                plane_frame_free(&g);
                plane_frame_free(&h);
            }
            lg_image_destroy(&a);
            lg_image_destroy(&b);
        }
    lg_image_destroy(&in);
    lg_image_destroy(&colors);
    plane_frame_free(&f);
}

static void test_filters(lg_context *context)
{
    const lg_planes nv12 = {LG_PLANES_DEFAULTS, .paired = true};
    const lg_planes p010 = {.chroma = LG_CHROMA_420, .bits = 10, .shift = 6, .paired = true};
    const lg_planes grey = {.chroma = LG_CHROMA_NONE, .bits = 8};
    const int step = test_extent(3, 1, 1);
    check_filters(context, nv12, 37, 21, 0, step);
    check_filters(context, p010, 35, 19, 1 % step, step);
    check_filters(context, grey, 33, 17, 2 % step, step);
    // Spans, and tables of bytes.
    check_filters(context, (lg_planes){LG_PLANES_DEFAULTS, .siting = LG_SITING_CENTER}, 1029, 7, 0,
                  test_extent(6, 2, 1));
}

// ---- figures ------------------------------------------------------------------------------------

// Codes as they are stored, by a sum of their own.
static void check_plane(const plane_frame *f, int which, const float *got)
{
    const int plane = f->planes.paired && which ? 1 : which;
    const double most = f->planes.bits > 8 ? 65535 : 255, unit = 1 << f->planes.shift;
    double sum = 0, least = most, largest = 0;
    for (int y = 0; y < f->height[plane]; y++)
        for (int x = 0; x < f->width[plane]; x++) {
            const double v = plane_frame_code(f, which, x, y) * unit;
            sum += v, least = fmin(least, v), largest = fmax(largest, v);
        }
    const double mean = sum / (f->width[plane] * f->height[plane]) / most;
    CHECK(fabs(got[0] - mean) <= mean * 0x1p-23 && fabs(got[1] - least / most) <= 0x1p-24 &&
              fabs(got[2] - largest / most) <= 0x1p-24,
          "%s, %d: mean %.9g min %.9g max %.9g, not %.9g %.9g %.9g", name_of(&f->planes), which,
          (double)got[0], (double)got[1], (double)got[2], mean, least / most, largest / most);
}

static void check_figures(lg_context *context, lg_planes planes, int width, int height)
{
    static const char *const names[] = {"y", "cb", "cr"}, *const kinds[] = {"mean", "min", "max"};
    plane_frame f = plane_frame_make(planes, width, height);
    plane_frame_fill(&f);
    lg_image *in = plane_frame_wrap(context, &f), *out = NULL;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node first, last;
    lg_image_params shape;
    lg_figure_value v[10];
    size_t count = 0;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &first, &error) &&
             !lg_graph_parse(graph, "brightness:brightness=@#in.cr.mean", first, &last, &error) &&
             !lg_graph_output(graph, last, &error),
         "%s", error.message);
    for (int i = 0; i < 9; i++) {
        char text[20];
        snprintf(text, sizeof text, "%s.%s", names[i / 3], kinds[i % 3]);
        NEED(!lg_graph_figure(graph, first, text, NULL, &error), "%s: %s", text, error.message);
    }
    NEED(!lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, &error) &&
             !lg_plan_output(plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &out, &error) &&
             !lg_plan_run(plan, &in, &out, &error) && !lg_plan_figures(plan, v, 10, &count, &error),
         "%s", error.message);
    CHECK(count == 10, "%zu figures", count);
    float got[9];
    for (int i = 0; i < 9; i++)
        got[i] = v[1 + i].value[0];
    for (int which = 0; which < 3; which++)
        check_plane(&f, which, got + 3 * which);
    CHECK(v[0].value[0] == got[6], "a parameter takes %g, the figure is %g", (double)v[0].value[0],
          (double)got[6]);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    plane_frame_free(&f);
}

static void test_figures(lg_context *context)
{
    check_figures(context, (lg_planes){LG_PLANES_DEFAULTS}, 37, 21);
    check_figures(context, (lg_planes){LG_PLANES_DEFAULTS, .paired = true}, 37, 21);
    check_figures(context,
                  (lg_planes){.chroma = LG_CHROMA_422, .bits = 10, .shift = 6, .paired = true}, 19,
                  11);
    check_figures(context, (lg_planes){.chroma = LG_CHROMA_444, .bits = 12}, 19, 11);
}

// ---- images -------------------------------------------------------------------------------------

static void test_images(lg_context *context)
{
    const lg_planes planes = {LG_PLANES_DEFAULTS};
    lg_image_params shape = SHAPE(7, 5, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *image = NULL, *plane = NULL, *colors = NULL;
    shape.planes = &planes;
    NEED(!lg_image_create_device(context, &shape, &image, &error), "%s", error.message);
    CHECK(!image->data, "an image of planes has no pixels of its own");
    CHECK(!lg_image_download(context, image, &error), "%s", error.message);
    NEED(!lg_image_plane(image, 1, &plane, &error), "%s", error.message);
    CHECK(plane->data && plane->shape.width == 4 && plane->shape.height == 3 &&
              plane->shape.channels == 1,
          "a plane of chroma");
    for (int y = 0; y < 3; y++)
        memset((char *)plane->data + (size_t)y * plane->shape.row_stride, 128, 4);
    lg_image_destroy(&image); // the plane keeps the pixels
    CHECK(((uint8_t *)plane->data)[3] == 128, "pixels behind the image's end");
    lg_image_destroy(&plane);

    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    CHECK(!lg_image_upload(context, image, &error), "%s", error.message);
    for (int i = 0; i < 3; i++) {
        NEED(!lg_image_plane(image, i, &plane, &error), "%s", error.message);
        for (int y = 0; y < plane->shape.height; y++)
            memset((char *)plane->data + (size_t)y * plane->shape.row_stride, i ? 128 : 235,
                   (size_t)plane->shape.width);
        lg_image_destroy(&plane);
    }
    CHECK(!lg_image_changed(image, &error), "%s", error.message);
    for (int again = 0; again < 2; again++) {
        colors = run(context, "#in", image, LG_U8);
        CHECK(stored_at(colors, 6, 4, 0) == 255 && stored_at(colors, 0, 0, 2) == 255,
              "white planes");
        lg_image_destroy(&colors);
        CHECK(!lg_image_upload(context, image, &error), "%s", error.message);
    }
    // Planes between images of the device alone.
    lg_image *far = NULL;
    NEED(!lg_image_create_device(context, &shape, &far, &error), "%s", error.message);
    work w = compile(context, "color_invert", &shape, &planes, NULL);
    CHECK(!lg_plan_run(w.plan, &image, &far, &error), "%s", error.message);
    colors = run(context, "#in", far, LG_U8);
    CHECK(stored_at(colors, 6, 4, 0) == 0 && stored_at(colors, 3, 2, 1) == 0, "black planes");
    end(&w);
    lg_image_destroy(&colors);
    lg_image_destroy(&far);
    lg_image_destroy(&image);
}

// ---- refusals -----------------------------------------------------------------------------------

static void refused(lg_status status, lg_status wanted, const char *word, const char *what)
{
    CHECK(status == wanted && strstr(error.message, word), "%s: %d %s", what, (int)status,
          error.message);
}

static void test_shapes(lg_context *context)
{
    const lg_planes good = {LG_PLANES_DEFAULTS};
    lg_image_params shape = SHAPE(8, 6, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *image = NULL;
    lg_planes p = good;
    uint8_t room[100];
    void *data[3] = {room, room + 48, room + 60};
    size_t rows[3] = {8, 4, 4};
    shape.planes = &p;
    p.bits = 7;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "8 to 16", "bits");
    p.bits = 10;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "u16", "type");
    p = good, p.shift = 2;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "zero bits",
            "shift");
    p = good, p.chroma = LG_CHROMA_NONE;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "1 channel",
            "channels");
    p = good, p.matrix = (lg_matrix)9;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "unknown",
            "matrix");
    p = good, shape.layers = 2;
    refused(lg_image_create(context, &shape, &image, &error), LG_ERROR_ARGUMENT, "1 layer",
            "layers");
    shape.layers = 1;
    refused(lg_image_wrap(context, &shape, room, &image, &error), LG_ERROR_ARGUMENT,
            "lg_image_wrap_planes", "wrap");
    rows[1] = 3;
    refused(lg_image_wrap_planes(context, &shape, data, rows, &image, &error), LG_ERROR_ARGUMENT,
            "row_stride is 3", "a short row");
    rows[1] = 4, data[2] = NULL;
    refused(lg_image_wrap_planes(context, &shape, data, rows, &image, &error), LG_ERROR_ARGUMENT,
            "", "no plane");
    shape.planes = NULL;
    refused(lg_image_wrap_planes(context, &shape, data, rows, &image, &error), LG_ERROR_ARGUMENT,
            "does not say", "no planes");
    CHECK(!image, "nothing was made");
}

static void test_refusals(lg_context *context)
{
    plane_frame f = plane_frame_make((lg_planes){LG_PLANES_DEFAULTS}, 8, 6);
    lg_image *in = plane_frame_wrap(context, &f), *plane = NULL, *small = NULL;
    lg_moments moments;
    lg_histogram *histogram = NULL;
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node first, last;
    refused(lg_measure_histogram(context, in, NULL, &histogram, &error), LG_ERROR_ARGUMENT,
            "take a plane of it", "histogram");
    lg_threshold threshold;
    lg_image *binary = NULL;
    lg_image_point point;
    size_t count = 0;
    lg_labels *labels = NULL;
    lg_components *components = NULL;
    lg_area_array array;
    int32_t *bounds = NULL;
    refused(lg_threshold_image(context, in, NULL, &threshold, 1, &binary, &error),
            LG_ERROR_ARGUMENT, "take a plane of it", "threshold");
    refused(lg_image_points(context, in, NULL, &point, 1, &count, &error), LG_ERROR_ARGUMENT,
            "take a plane of it", "points");
    refused(lg_label_image(context, in, NULL, NULL, &labels, &components, &error),
            LG_ERROR_ARGUMENT, "take a plane of it", "labels");
    refused(lg_area_array_of_image(in, &array, &error), LG_ERROR_ARGUMENT, "take a plane of it",
            "area sums");
    refused(lg_area_mask_runs(in, 8, 6, &bounds, &count, &error), LG_ERROR_ARGUMENT,
            "take a plane of it", "runs of a mask");
    NEED(!lg_image_plane(in, 0, &plane, &error), "%s", error.message);
    refused(lg_measure_moments(context, plane, WITH_REF(lg_moments_params, it.select.mask = in),
                               &moments, 1, &error),
            LG_ERROR_ARGUMENT, "take a plane of it", "a mask");
    refused(lg_label_image(context, plane, NULL, in, &labels, &components, &error),
            LG_ERROR_ARGUMENT, "take a plane of it", "an intensity");
    lg_image_destroy(&plane);
    refused(lg_image_plane(in, 3, &plane, &error), LG_ERROR_ARGUMENT, "no plane 3", "plane 3");
    NEED(!lg_image_plane(in, 0, &plane, &error), "%s", error.message);
    refused(lg_image_plane(plane, 0, &small, &error), LG_ERROR_ARGUMENT, "no plane 0",
            "a plane of a plane");
    // Figures of planes are of inputs alone.
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &first, &error) &&
             !lg_graph_parse(graph, "color_invert | brightness:brightness=@y.mean", first, &last,
                             &error) &&
             !lg_graph_output(graph, last, &error),
         "%s", error.message);
    refused(lg_plan_create(context, graph, &in->shape, 1, NULL, &plan, &error), LG_ERROR_ARGUMENT,
            "stored as planes", "y of a result");
    lg_graph_destroy(&graph);
    // Images that are not what the plan was made for.
    const lg_type type = LG_U8;
    work w = compile(context, "color_invert", &in->shape, NULL, &type);
    lg_image *out = NULL;
    const lg_image_params shape = SHAPE(8, 6, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    NEED(!lg_image_create(context, &shape, &out, &error), "%s", error.message);
    refused(lg_plan_run(w.plan, &out, &out, &error), LG_ERROR_ARGUMENT, "not stored as planes",
            "colours for planes");
    plane_frame g =
        plane_frame_make((lg_planes){LG_PLANES_DEFAULTS, .siting = LG_SITING_CENTER}, 8, 6);
    lg_image *other = plane_frame_wrap(context, &g);
    refused(lg_plan_run(w.plan, &other, &out, &error), LG_ERROR_ARGUMENT, "siting", "siting");
    refused(lg_plan_run(w.plan, &in, &other, &error), LG_ERROR_ARGUMENT, "stored as planes",
            "planes for colours");
    end(&w);
    w = compile(context, "color_invert", &in->shape, &f.planes, NULL);
    refused(lg_plan_run(w.plan, &in, &in, &error), LG_ERROR_ARGUMENT, "of its own", "in place");
    end(&w);
    lg_image_destroy(&other);
    lg_image_destroy(&out);
    lg_image_destroy(&plane);
    lg_image_destroy(&in);
    plane_frame_free(&f);
    plane_frame_free(&g);
}

int main(void)
{
    random_seed(17);
    contexts[context_count] = device_open_cpu();
    NEED(contexts[0], "a context");
    context_count++;
    for (int level = LG_CPU_BASE; level <= (int)contexts[0]->cpu_level; level++)
        if ((contexts[context_count] = device_open_level((lg_cpu_level)level, 2)))
            context_count++;
    const int levels = context_count;
    if ((contexts[context_count] = device_open(NULL, NULL)))
        context_count++;
    test_all(contexts[0]);
    test_blocks(contexts + 1, levels - 1);
    for (int i = 0; i < context_count; i++) {
        test_formats(contexts[i]);
        test_stores(contexts[i], i < levels ? 40 : test_extent(4, 20, 200));
        test_filters(contexts[i]);
        test_figures(contexts[i]);
        test_images(contexts[i]);
        test_shapes(contexts[i]);
        test_refusals(contexts[i]);
    }
    if (context_count > levels)
        device_close(&contexts[levels]);
    for (int i = 0; i < levels; i++)
        lg_context_destroy(&contexts[i]);
    return check_finish("planes");
}
