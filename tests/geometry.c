// Filters that move pixels without mixing them: against their definitions, on every level and with several
// threads.
#include "check.h"
#include "filtering.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- which pixel of the input stands where ------------------------------------------------------

typedef void source_fn(const lg_native_call *done, int x, int y, int64_t *from_x, int64_t *from_y);

static const void *pixel_of(const lg_image *image, int64_t x, int64_t y, int z)
{
    const lg_image_params *s = &image->shape;
    return (const char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride +
           (size_t)x * lg_pixel_size(s);
}

// Samples of unlike types are compared as numbers. A premultiplied sample is divided and multiplied.
static bool same_pixel(const lg_native_call *done, int64_t from_x, int64_t from_y, int x, int y,
                       int z)
{
    const lg_image *in = done->in[0], *out = done->out;
    if (kernel_keeps_kind(done))
        return memcmp(pixel_of(in, from_x, from_y, z), pixel_of(out, x, y, z),
                      lg_pixel_size(&in->shape)) == 0;
    bool same = true;
    for (int k = 0; k < in->shape.channels; k++) {
        if (in->shape.alpha == LG_ALPHA_OPAQUE && (k == 3 || in->shape.channels == 2))
            continue;
        const double a = sample_get(in, from_x, from_y, z, k), b = sample_get(out, x, y, z, k);
        const double step = out->shape.type == LG_U8 ? 0.51 / 255 : 0.001;
        same = same && a - b <= step && b - a <= step;
    }
    return same;
}

static void check_sources(const lg_native_call *done, content kind, source_fn *source)
{
    const lg_image_params *s = &done->out->shape;
    int64_t wrong = 0;
    if (!kernel_keeps_kind(done) && kind != CONTENT_UNIT)
        return;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                int64_t from_x, from_y;
                source(done, x, y, &from_x, &from_y);
                if (from_x >= 0 && from_y >= 0)
                    wrong += !same_pixel(done, from_x, from_y, x, y, z);
            }
    CHECK(wrong == 0, "%s of %d x %d, %s x %d: %lld pixels", done->filter->name,
          done->in[0]->shape.width, done->in[0]->shape.height,
          lg_type_name(done->in[0]->shape.type), s->channels, (long long)wrong);
}

static void exchanged(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    kernel_any_type(in, over, out);
    out->width = in->height;
    out->height = in->width;
}

// ---- flip ---------------------------------------------------------------------------------------

static void flip_source(const lg_native_call *done, int x, int y, int64_t *from_x, int64_t *from_y)
{
    const int direction = kernel_whole(done, "direction");
    *from_x = direction == 1 ? x : done->in[0]->shape.width - 1 - x;
    *from_y = direction == 0 ? y : done->in[0]->shape.height - 1 - y;
}

static void check_flip(const lg_native_call *done, content kind)
{
    check_sources(done, kind, flip_source);
}

static const kernel_case flip = {.filter = "flip",
                                 .params = "direction={horizontal|vertical|both}",
                                 .oracle = check_flip,
                                 .shapes = kernel_any_type,
                                 .extreme = CONTENT_ALL_BITS};

// ---- transpose ----------------------------------------------------------------------------------

static void transpose_source(const lg_native_call *done, int x, int y, int64_t *from_x,
                             int64_t *from_y)
{
    const lg_image_params *in = &done->in[0]->shape;
    const bool anti = kernel_whole(done, "diagonal");
    *from_x = anti ? in->width - 1 - y : y;
    *from_y = anti ? in->height - 1 - x : x;
}

static void check_transpose(const lg_native_call *done, content kind)
{
    check_sources(done, kind, transpose_source);
}

static const kernel_case transpose = {.filter = "transpose",
                                      .params = "diagonal={main|anti}",
                                      .oracle = check_transpose,
                                      .shapes = exchanged,
                                      .extreme = CONTENT_ALL_BITS};

// ---- rotate -------------------------------------------------------------------------------------

// A point of the input goes clockwise around the middle.
static void rotate_source(const lg_native_call *done, int x, int y, int64_t *from_x,
                          int64_t *from_y)
{
    const lg_image_params *in = &done->in[0]->shape;
    const int angle = kernel_whole(done, "angle");
    *from_x = angle == 0 ? y : in->width - 1 - (angle == 1 ? x : y);
    *from_y = angle == 2 ? x : in->height - 1 - (angle == 1 ? y : x);
}

static void check_rotate(const lg_native_call *done, content kind)
{
    check_sources(done, kind, rotate_source);
}

static const kernel_case rotate = {.filter = "rotate",
                                   .params = "angle={90|270}",
                                   .oracle = check_rotate,
                                   .shapes = exchanged,
                                   .extreme = CONTENT_ALL_BITS};
static const kernel_case half_turn = {.filter = "rotate",
                                      .params = "angle=180",
                                      .oracle = check_rotate,
                                      .shapes = kernel_any_type,
                                      .extreme = CONTENT_ALL_BITS};

// ---- pad ----------------------------------------------------------------------------------------

enum { PAD_LEFT = 3, PAD_RIGHT = 20, PAD_TOP = 9, PAD_BOTTOM = 2 };
#define PAD_PARAMS  "left=3:right=20:top=9:bottom=2:border={*}"
#define PAD_COLORED "left=3:right=20:top=9:bottom=2:color={0.2,0.4,0.6,0.8|1,0.5,0}"

static void padded(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    kernel_any_type(in, over, out);
    out->width += PAD_LEFT + PAD_RIGHT;
    out->height += PAD_TOP + PAD_BOTTOM;
}

static void pad_source(const lg_native_call *done, int x, int y, int64_t *from_x, int64_t *from_y)
{
    const lg_image_params *in = &done->in[0]->shape;
    const int border = kernel_whole(done, "border");
    *from_x = border_walk(x - PAD_LEFT, in->width, border);
    *from_y = border_walk(y - PAD_TOP, in->height, border);
}

// The component of a colour that channel `k` of an image holds.
static double wanted(const lg_image_params *s, const float color[4], int k)
{
    const bool last = s->channels > 1 && k == s->channels - 1;
    if (last && s->alpha == LG_ALPHA_OPAQUE)
        return 1;
    if (last && s->alpha != LG_ALPHA_NONE)
        return (double)color[3];
    return (double)color[k] *
           (s->alpha == LG_ALPHA_PREMULTIPLIED && s->channels > 1 ? (double)color[3] : 1);
}

// Pixels that come from nowhere have this colour.
static void check_color(const lg_native_call *done, const float color[4], source_fn *source)
{
    const lg_image_params *s = &done->out->shape;
    int64_t wrong = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            int64_t from_x, from_y;
            source(done, x, y, &from_x, &from_y);
            for (int k = 0; k < s->channels && (from_x < 0 || from_y < 0); k++) {
                const double off = sample_get(done->out, x, y, 0, k) - wanted(s, color, k);
                const double step = s->type == LG_U8 ? 0.51 / 255 : 0.001;
                wrong += off > step || off < -step;
            }
        }
    CHECK(wrong == 0, "%s: %lld samples of %s x %d, alpha %d, are not the colour",
          done->filter->name, (long long)wrong, lg_type_name(s->type), s->channels, (int)s->alpha);
}

static void check_pad(const lg_native_call *done, content kind)
{
    check_sources(done, kind, pad_source);
    check_color(done, done->values + 7, pad_source);
}

static const kernel_case pad = {.filter = "pad",
                                .params = PAD_PARAMS,
                                .oracle = check_pad,
                                .shapes = padded,
                                .extreme = CONTENT_ALL_BITS};
static const kernel_case pad_colored = {
    .filter = "pad", .params = PAD_COLORED, .oracle = check_pad, .shapes = padded};

// ---- canvas -------------------------------------------------------------------------------------

enum { CANVAS_WIDTH = 41, CANVAS_HEIGHT = 12 };
#define CANVAS_PARAMS "width=41:height=12:outside={transparent|tile}"

static void framed(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    kernel_any_type(in, over, out);
    out->width = CANVAS_WIDTH;
    out->height = CANVAS_HEIGHT;
}

// Where index i of `count` comes from: cut or margin before the image, the smaller half of it.
static int64_t centered(int64_t i, int64_t count, int64_t size)
{
    const int64_t cut = size > count ? (size - count) / 2 : 0;
    const int64_t margin = count > size ? (count - size) / 2 : 0;
    const int64_t from = i - margin + cut;
    return from >= 0 && from < size ? from : -1;
}

static void canvas_source(const lg_native_call *done, int x, int y, int64_t *from_x,
                          int64_t *from_y)
{
    const lg_image_params *in = &done->in[0]->shape;
    const bool tile = kernel_whole(done, "outside");
    *from_x = tile ? x % in->width : centered(x, CANVAS_WIDTH, in->width);
    *from_y = tile ? y % in->height : centered(y, CANVAS_HEIGHT, in->height);
}

static void check_canvas(const lg_native_call *done, content kind)
{
    static const float nothing[4];
    check_sources(done, kind, canvas_source);
    check_color(done, nothing, canvas_source);
}

static const kernel_case canvas = {.filter = "canvas",
                                   .params = CANVAS_PARAMS,
                                   .oracle = check_canvas,
                                   .shapes = framed,
                                   .extreme = CONTENT_ALL_BITS};

// ---- worked examples ----------------------------------------------------------------------------

// Images of small numbers, row by row.
typedef struct worked {
    const char *text;
    int width, height; // of the result
    float samples[16];
} worked;

static void check_worked(const worked *w, lg_image *in)
{
    lg_image *out = filtering_run(kernel_context(), w->text, &in, 1);
    const bool size = out && out->shape.width == w->width && out->shape.height == w->height;
    CHECK(size, "%s: %d x %d", w->text, out ? out->shape.width : 0, out ? out->shape.height : 0);
    for (int i = 0; size && i < w->width * w->height; i++) {
        const double got = sample_get(out, i % w->width, i / w->width, 0, 0);
        CHECK(fabs(got - (double)w->samples[i]) < 1e-5, "%s: sample %d is %g, not %g", w->text, i,
              got, (double)w->samples[i]);
    }
    lg_image_destroy(&out);
}

// 1 2 3
// 4 5 6
static lg_image *six(void)
{
    lg_image *image = kernel_zeros(SHAPE(3, 2, 1, 1, LG_F32, LG_ALPHA_NONE));
    for (int i = 0; i < 6; i++)
        sample_store(image, i % 3, i / 3, 0, 0, i + 1);
    return image;
}

static void test_worked(void)
{
    static const worked all[] = {
        {"flip", 3, 2, {3, 2, 1, 6, 5, 4}},
        {"flip:direction=vertical", 3, 2, {4, 5, 6, 1, 2, 3}},
        {"flip:direction=both", 3, 2, {6, 5, 4, 3, 2, 1}},
        {"transpose", 2, 3, {1, 4, 2, 5, 3, 6}},
        {"transpose:diagonal=anti", 2, 3, {6, 3, 5, 2, 4, 1}},
        {"rotate", 2, 3, {4, 1, 5, 2, 6, 3}},
        {"rotate:angle=180", 3, 2, {6, 5, 4, 3, 2, 1}},
        {"rotate:angle=270", 2, 3, {3, 6, 2, 5, 1, 4}},
        {"rotate | rotate | rotate | rotate", 3, 2, {1, 2, 3, 4, 5, 6}},
        {"pad:left=1:top=1:color=7,7,7", 4, 3, {7, 7, 7, 7, 7, 1, 2, 3, 7, 4, 5, 6}},
        {"pad:right=2:border=mirror", 5, 2, {1, 2, 3, 3, 2, 4, 5, 6, 6, 5}},
        {"pad:left=1:right=1:border=wrap", 5, 2, {3, 1, 2, 3, 1, 6, 4, 5, 6, 4}},
        {"pad:width=4:height=3", 4, 3, {1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0}},
        {"pad:width=5:left=1", 5, 2, {0, 1, 2, 3, 0, 0, 4, 5, 6, 0}},
        {"canvas:width=5:height=3:outside=tile",
         5,
         3,
         {1, 2, 3, 1, 2, 4, 5, 6, 4, 5, 1, 2, 3, 1, 2}},
        {"canvas:width=2:outside=tile", 2, 2, {1, 2, 4, 5}},
        {"canvas:width=6", 6, 2, {0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0}},
        {"canvas:width=2:height=3", 2, 3, {1, 2, 4, 5, 0, 0}},
        {"canvas:width=1", 1, 2, {2, 5}},
        {"canvas", 3, 2, {1, 2, 3, 4, 5, 6}},
        {"crop:unit=px:x=1:y=0:width=2:height=1", 2, 1, {2, 3}},
        {"crop:unit=px:x=2:y=1:width=9:height=9", 1, 1, {6}},
        {"crop:box=2x1+1+0", 2, 1, {2, 3}},
        {"crop:box=9x9+2+1", 1, 1, {6}},
        {"crop:box=1x2", 1, 2, {1, 4}},
        {"crop:box=1x2:centered=1", 1, 2, {2, 5}},
        {"crop:unit=px:width=1:height=2:centered=1", 1, 2, {2, 5}},
        {"crop:unit=px:width=2:height=1:centered=1:x=3", 2, 1, {1, 2}},
        {"transform:matrix=1,0,1,0,1,-1,0,0,1", 3, 2, {0, 4, 5, 0, 0, 0}},
        {"transform:matrix=0,-1,0,1,0,0,0,0,1:size=fit", 2, 3, {4, 1, 5, 2, 6, 3}},
        {"transform:matrix=2,0,0,0,1,0,0,0,1:border=replicate:size=fit",
         6,
         2,
         {1, 1.25f, 1.75f, 2.25f, 2.75f, 3, 4, 4.25f, 4.75f, 5.25f, 5.75f, 6}},
        {"transform:matrix=2,0,2,0,2,0,0,0,2", 3, 2, {0, 1, 2, 0, 4, 5}},
        {"crop:width=0.7:height=1:centered=1", 2, 2, {1, 2, 4, 5}},
    };
    lg_image *in = six();
    for (size_t i = 0; i < LG_COUNT(all); i++)
        check_worked(&all[i], in);
    lg_image_destroy(&in);
}

static void expect_refused(const char *text, const char *part)
{
    const lg_image_params shape = SHAPE(30, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_error error = {LG_OK, ""};
    pipeline p;
    const lg_status status = pipeline_try(&p, kernel_context(), text, &shape, 1, NULL, &error);
    CHECK(status && strstr(error.message, part), "%s: %s", text,
          status ? error.message : "not refused");
    if (!status)
        pipeline_close(&p);
}

// Where the pixels of the result lie among those of an image of 30 x 20.
static void test_steps(void)
{
    const lg_image_params shape = SHAPE(30, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    static const struct {
        const char *text;
        lg_pixel_steps want;
    } cases[] = {
        {"median | flip | pad:width=40", {false, 1, 1}},
        {"rotate=180", {false, 1, 1}},
        {"rotate=90", {true, 1, 1}},
        {"transpose | rotate=270", {false, 1, 1}},
        {"crop:box=20x10+3+4 | resize:width=5:height=20", {false, 4, 0.5}},
        {"resize:width=15:height=20 | transpose", {true, 1, 2}},
        {"transpose | resize:width=10:height=15", {true, 2, 2}},
        {"color_packing", {false, 2, 2}},
        {"transform:matrix=1,0,3,0,1,2.5,0,0,1", {false, 1, 1}},
        {"transform:matrix=2,0,0,0,2,0,0,0,1 | crop:box=5x5", {false, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pipeline p;
        lg_error error = {LG_OK, ""};
        lg_pixel_steps got = {false, -1, -1};
        if (!pipeline_open(&p, kernel_context(), cases[i].text, &shape, 1, NULL))
            continue;
        CHECK(lg_plan_pixels(p.plan, 0, &got, &error) == LG_OK, "%s", error.message);
        CHECK(got.turned == cases[i].want.turned && got.x == cases[i].want.x &&
                  got.y == cases[i].want.y,
              "%s: %d, %g, %g", cases[i].text, got.turned, got.x, got.y);
        CHECK(lg_plan_pixels(p.plan, 1, &got, &error) == LG_ERROR_ARGUMENT, "there is one output");
        pipeline_close(&p);
    }
    lg_error error;
    CHECK(lg_plan_pixels(NULL, 0, NULL, &error) == LG_ERROR_ARGUMENT, "no plan");
}

static void test_refused(void)
{
    expect_refused("crop:width=2", "unit=px");
    expect_refused("crop:box=2x2+30+0", "x=30 begins outside the image, which has 30 columns");
    expect_refused("crop:box=2x2+0+20", "y=20 begins outside the image, which has 20 rows");
    expect_refused("pad:width=29", "crop makes");
    expect_refused("pad:height=22:top=1:bottom=2", "crop makes");
    expect_refused("rotate:angle=45", "angle");
    expect_refused("transform:matrix=1,1,0,1,1,0,0,0,1", "no inverse");
    expect_refused("transform:matrix=1,0,0,0,1,0,-0.1,0,1:size=fit", "horizon");
}

// Every pixel of a crop in pixels is that of the image.
static void test_crop_pixels(void)
{
    static const int sides[][2] = {{1, 1}, {7, 5}, {641, 13}, {4097, 3}, {30011, 2}};
    for (size_t i = 0; i < LG_COUNT(sides); i++)
        for (int k = 0; k < 8; k++) {
            const int w = sides[i][0], h = sides[i][1];
            const int x = (int)random_below((uint32_t)w), y = (int)random_below((uint32_t)h);
            const int wide = 1 + (int)random_below((uint32_t)(w - x));
            const int high = 1 + (int)random_below((uint32_t)(h - y));
            lg_image *in = kernel_image(SHAPE(w, h, 1, 4, LG_F32, LG_ALPHA_NONE), CONTENT_UNIT);
            char text[120];
            snprintf(text, sizeof text, "crop:unit=px:x=%d:y=%d:width=%d:height=%d", x, y, wide,
                     high);
            lg_image *out = filtering_run(kernel_context(), text, &in, 1);
            bool same = out && out->shape.width == wide && out->shape.height == high;
            for (int j = 0; same && j < high; j++)
                same = memcmp(pixel_of(out, 0, j, 0), pixel_of(in, x, y + j, 0),
                              (size_t)wide * 16) == 0;
            CHECK(same, "%s of %d x %d", text, w, h);
            lg_image_destroy(&out);
            lg_image_destroy(&in);
        }
}

static void test_more(void)
{
    test_worked();
    test_steps();
    test_refused();
    test_crop_pixels();
    // Rows of more than a span, in both directions.
    kernel_try(&transpose, "", SHAPE(1500, 37, 1, 4, LG_U8, LG_ALPHA_OPAQUE), CONTENT_UNIT);
    kernel_try(&rotate, "angle=270", SHAPE(37, 1500, 2, 1, LG_U16, LG_ALPHA_NONE), CONTENT_UNIT);
    kernel_try(&flip, "", SHAPE(3001, 5, 1, 2, LG_F16, LG_ALPHA_NONE), CONTENT_UNIT);
    kernel_try(&pad, "left=3:right=20:top=9:bottom=2:border=mirror",
               SHAPE(1100, 5, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    kernel_try(&canvas, "width=41:height=12", SHAPE(1100, 5, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
               CONTENT_UNIT);
}

int main(void)
{
    const kernel_case cases[] = {flip, transpose, rotate, half_turn, pad, pad_colored, canvas};
    return kernel_main("geometry", cases, LG_COUNT(cases), test_more);
}
