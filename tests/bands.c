// Plans in bands of rows against whole images: the catalogue, chains, further inputs; order and number of the
// rows that are asked for; limits and failures. On the CPU and on Vulkan.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include "graph/plan.h"

#include <lumagraph/bands.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static lg_error error;
static lg_context *context;

// ---- rows in memory -----------------------------------------------------------------------------

typedef struct rows {
    lg_image *const *in;
    lg_image *out;
    int64_t read, written;         // rows so far, of input 0 and of output 0
    size_t passes;                 // over input 0
    bool in_order, part;           // part: of the rows, which may begin anywhere
    bool out_of_order;             // of writing, which may be another thread than reading
    int64_t fail_read, fail_write; // at this row; -1: never
    pthread_t reader, writer;      // of the last rows
} rows;

static uint8_t *row_of(const lg_image *image, int32_t layer, int64_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static void copy(const lg_image *from, int64_t y, const lg_image *to, int64_t at, int64_t count)
{
    const size_t bytes = (size_t)from->shape.width * lg_pixel_size(&from->shape);
    for (int32_t z = 0; z < to->shape.layers; z++)
        for (int64_t i = 0; i < count; i++)
            memcpy(row_of(to, z, at + i), row_of(from, z, y + i), bytes);
}

static lg_status read_rows(void *priv, size_t input, int64_t y, lg_image *to, lg_error *e)
{
    rows *r = priv;
    r->reader = pthread_self();
    if (r->fail_read >= 0 && y + to->shape.height > r->fail_read)
        return lg_fail(e, LG_ERROR_IO, "the source is gone");
    if (input == 0) {
        r->passes += y == 0;
        r->in_order &= r->part || y == r->read || (y == 0 && r->read == r->in[0]->shape.height);
        r->read = y + to->shape.height;
    }
    copy(r->in[input], y, to, 0, to->shape.height);
    return LG_OK;
}

static lg_status write_rows(void *priv, size_t output, int64_t y, const lg_image *from, lg_error *e)
{
    rows *r = priv;
    r->writer = pthread_self();
    if (r->fail_write >= 0 && y + from->shape.height > r->fail_write)
        return lg_fail(e, LG_ERROR_IO, "the disk is full");
    r->out_of_order |= y != r->written || output != 0;
    r->written = y + from->shape.height;
    copy(from, 0, r->out, y, from->shape.height);
    return LG_OK;
}

static bool ordered(const rows *r)
{
    return r->in_order && !r->out_of_order;
}

static lg_bands_params params_of(rows *r, int64_t height)
{
    lg_bands_params p = lg_bands_params_default();
    p.read = read_rows;
    p.write = write_rows;
    p.priv = r;
    p.rows = height;
    return p;
}

// ---- against the whole image --------------------------------------------------------------------

static int banded, whole;
static bool some_rows; // the output needs some of the rows

// The same graph, as a plan for bands.
static lg_plan *plan_for_bands(const char *text, const lg_image_params *shapes, size_t count)
{
    lg_graph *graph = NULL;
    lg_node in, over, last;
    lg_plan *plan = NULL;
    lg_status status = lg_graph_create(&graph, &error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, &error);
    if (!status && count > 1)
        status = lg_graph_input(graph, "over", &over, &error);
    if (!status)
        status = lg_graph_parse(graph, text, in, &last, &error);
    if (!status)
        status = lg_graph_output(graph, last, &error);
    if (!status)
        status = lg_plan_create_bands(context, graph, shapes, count, NULL, &plan, &error);
    NEED(!status, "%s: %s", text, error.message);
    lg_graph_destroy(&graph);
    return plan;
}

// The rows in two parts, as two processes compute them.
static void check_parts(const char *text, lg_plan *plan, lg_image *const *in,
                        lg_image *const *given, const lg_image *want)
{
    const int64_t height = want->shape.height, cut = height / 3;
    const int64_t ends[] = {0, cut, height};
    rows r = {.in = in, .in_order = true, .part = true, .fail_read = -1, .fail_write = -1};
    r.out = image_zeros(context, want->shape);
    char first[160];
    for (int i = 1; i >= 0; i--) {
        lg_bands_params p = params_of(&r, 32);
        p.first = r.written = ends[i];
        p.end = ends[i + 1];
        CHECK(!lg_plan_run_bands(plan, given, &p, &error) && ordered(&r) && r.written == p.end,
              "%s: rows up to %lld of %lld: %s", text, (long long)r.written, (long long)p.end,
              error.message);
    }
    CHECK(samples_differ(r.out, want, first) == 0, "%s in parts: %s", text, first);
    lg_image_destroy(&r.out);
}

static void check_bands(const char *text, lg_image *const *in, size_t count, const lg_image *want,
                        bool second_whole)
{
    static const int64_t heights[] = {1, 7, 32, 100};
    const lg_image_params shapes[2] = {in[0]->shape, in[count - 1]->shape};
    lg_plan *plan = plan_for_bands(text, shapes, count);
    if (lg_plan_needs_whole(plan, 0)) {
        rows r = {.in = in, .fail_read = -1, .fail_write = -1};
        const lg_bands_params p = params_of(&r, 7);
        CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_UNSUPPORTED &&
                  strstr(error.message, lg_plan_needs_whole(plan, 0)),
              "%s: %s", text, error.message);
        whole++;
    } else if (second_whole || count < 2 || !lg_plan_needs_whole(plan, 1)) {
        lg_image *given[2] = {NULL, second_whole ? in[1] : NULL};
        for (size_t i = test_is_short() ? 1 : 0; i < LG_COUNT(heights);
             i += device_is_slow(context) ? 2 : 1) {
            rows r = {
                .in = in, .in_order = true, .part = some_rows, .fail_read = -1, .fail_write = -1};
            r.out = image_zeros(context, want->shape);
            lg_bands_params p = params_of(&r, heights[i]);
            p.overlap = i % 2;
            char first[160];
            const lg_status status = lg_plan_run_bands(plan, given, &p, &error);
            CHECK(!status && samples_differ(r.out, want, first) == 0,
                  "%s of %s in bands of %lld rows: %s", text, lg_type_name(in[0]->shape.type),
                  (long long)heights[i], status ? error.message : first);
            CHECK(some_rows || r.passes == lg_plan_band_passes(plan), "%s: %zu passes", text,
                  r.passes);
            CHECK(plan->on_device == (context->vk != NULL), "%s: the processor ran it", text);
            CHECK(ordered(&r) && (some_rows || r.read == in[0]->shape.height) &&
                      r.read <= in[0]->shape.height && r.written == r.out->shape.height,
                  "%s: %lld rows read, %lld written, %s", text, (long long)r.read,
                  (long long)r.written, ordered(&r) ? "in order" : "out of order");
            lg_image_destroy(&r.out);
            banded++;
        }
        if (!device_is_slow(context))
            check_parts(text, plan, in, given, want);
    }
    lg_plan_destroy(&plan);
}

static void compare(const char *text, lg_image *const *in, size_t count, bool second_whole)
{
    const lg_image_params shapes[2] = {in[0]->shape, in[count - 1]->shape};
    pipeline p;
    if (pipeline_try(&p, context, text, shapes, (int)count, NULL, &error))
        return; // not for this kind of image
    lg_image *want = image_zeros(context, p.out);
    CHECK(!lg_plan_run(p.plan, in, &want, &error), "%s: %s", text, error.message);
    check_bands(text, in, count, want, second_whole);
    lg_image_destroy(&want);
    pipeline_close(&p);
}

enum { HEIGHT = 131 };

// In the short form every third pair, so that each image and each pipeline still has its turns.
static bool is_left_out(size_t image, size_t text)
{
    return test_is_short() && (image + text) % 3 != 0;
}

static void test_chains(void)
{
    static const char *const texts[] = {
        "color_invert | contrast:contrast=2",
        "sharpen | emboss | laplacian",
        "gaussian_blur:sigma=6 | color_invert",
        "unsharp_mask:sigma=6 | color_invert",
        "box_blur:radius=7 | sharpen | dilation:radius=2 | vignette",
        "opening:radius=4 | median | gaussian_blur:sigma=12",
        "bilateral:radius=5 | kuwahara:radius=4",
        "sobel_edge_detection #e | gaussian_blur:sigma=3 | multiply_blend:over=#e",
        "swirl | sharpen",
        "canny_edge_detection",
        "contrast:contrast=@mean",
        "low_pass",
        "brightness:brightness=@stddev | contrast:contrast=@max*2 | gamma:gamma=@min+0.5",
        "contrast:contrast=@luma.mean*3 | threshold:level=@p90",
        "gaussian_blur:sigma=3 #g | median | brightness:brightness=@#g.p25-0.25",
        "threshold:level=@otsu | box_blur:radius=2 | exposure:exposure=@mean",
        "brightness:brightness=@components*0.001",
        "auto_levels",
        "flip:direction=vertical",
        "crop",
    };
    static const lg_image_params shapes[] = {SHAPE(37, HEIGHT, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
                                             SHAPE(37, HEIGHT, 1, 1, LG_U16, LG_ALPHA_NONE),
                                             SHAPE(37, HEIGHT, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)};
    for (size_t i = 0; i < (device_is_slow(context) ? 1 : LG_COUNT(shapes)); i++) {
        lg_image *in = content_image(context, shapes[i], CONTENT_UNIT);
        for (size_t k = 0; k < LG_COUNT(texts);
             k += device_is_slow(context) ? (size_t)test_extent(4, 2, 1) : 1)
            if (device_is_slow(context) || !is_left_out(i, k))
                compare(texts[k], &in, 1, false);
        lg_image_destroy(&in);
    }
}

// Outputs of other heights: rows of the input that follow from those of the output.
static void test_heights(void)
{
    static const struct {
        const char *text;
        bool some, whole;
    } cases[] = {
        {"resize:scale=0.37"},
        {"resize:scale=0.37:antialias=no"},
        {"resize:scale=2.3:method=bilinear | sharpen"},
        {"gaussian_blur:sigma=2 | resize:scale=0.5:method=area"},
        {"box_blur:radius=2 | resize:scale=0.6 | sobel_edge_detection"},
        {"resize:scale=0.5:method=bilinear:antialias=no"},
        {"resize:scale=2:method=bilinear"},
        {"resize:scale=0.7:method=nearest"},
        {"resize:scale=0.05:method=lanczos3"},
        {"resize:scale=0.5:light=linear"},
        {"resize:width=20:height=90:fit=cover", true},
        {"resize:width=80:height=20:fit=cover:method=lanczos3", true},
        {"resize:width=80:height=20:fit=cover:method=nearest", true},
        {"resize:scale=0.6 | resize:scale=1.7 | median"},
        {"resize:scale=2 | sobel_edge_detection | resize:scale=0.5:method=area"},
        {"canvas:height=300"},
        {"pad:height=132:left=5"},
        {"canvas:height=60:width=80", true},
        {"canvas:height=61:outside=tile", true},
        {"pad:top=9:bottom=40:left=1"},
        {"pad:height=190:border=constant:color=0.2,0.4,0.6,1"},
        {"crop:y=40:height=50:x=3:width=20:unit=px", true},
        {"crop:y=0.3:height=0.3 | resize:scale=1.4 | laplacian", true},
        {"flip | resize:scale=0.8"},
        {"contrast=@mean | resize:scale=0.4"},
        {"resize:scale=1.3 | contrast=@p50"},
        {"contrast=@mean | crop:y=0.5:height=0.4", true, true},
        {"pad:top=3:border=mirror", false, true},
        {"canvas:height=300:outside=tile", false, true},
        {"resize:scale=0.5 | rotate", false, true},
    };
    static const lg_image_params shapes[] = {SHAPE(37, HEIGHT + 1, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
                                             SHAPE(36, HEIGHT + 1, 1, 1, LG_U8, LG_ALPHA_NONE),
                                             SHAPE(37, HEIGHT, 1, 1, LG_U16, LG_ALPHA_NONE),
                                             SHAPE(37, HEIGHT, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)};
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        lg_image *in = content_image(context, shapes[i], CONTENT_UNIT);
        // Each type has its kernels.
        const size_t each = !device_is_slow(context) ? 1 : i ? 10 : (size_t)test_extent(3, 1, 1);
        for (size_t k = i % each; k < LG_COUNT(cases); k += each) {
            const int before = whole, after = banded;
            some_rows = cases[k].some;
            compare(cases[k].text, &in, 1, false);
            const bool by_rows = banded > after, all = whole > before;
            CHECK(all == cases[k].whole && by_rows == !all, "%s of %s: %s", cases[k].text,
                  lg_type_name(shapes[i].type),
                  all       ? "needs all rows"
                  : by_rows ? "runs in bands"
                            : "is refused");
        }
        some_rows = false;
        lg_image_destroy(&in);
    }
}

// Two images that are read at scales of their own.
static void test_two(void)
{
    static const char *const texts[] = {
        "resize:scale=0.6 #r | #over | resize:scale=0.6:method=area | multiply_blend:over=#r",
        "pad:top=20:bottom=9 #p | #over | resize:height=160:width=37 | multiply_blend:over=#p",
        "resize:scale=1.4 | sharpen | multiply_blend:over=#over",
    };
    const lg_image_params shape = SHAPE(37, HEIGHT, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in[2] = {content_image(context, shape, CONTENT_UNIT),
                       content_image(context, shape, CONTENT_UNIT)};
    const int before = whole;
    for (size_t k = 0; k < LG_COUNT(texts); k++)
        for (int all = 0; all < 2; all++)
            compare(texts[k], in, 2, all);
    CHECK(whole == before, "%d plans of two images need whole ones", whole - before);
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
}

// One plan in bands of every height: what it keeps from run to run is not of some rows.
static void check_each_height(const char *text, lg_image *in)
{
    lg_plan *plan = plan_for_bands(text, &in->shape, 1);
    pipeline p;
    NEED(pipeline_open(&p, context, text, &in->shape, 1, NULL), "no plan");
    lg_image *want = image_zeros(context, p.out);
    CHECK(!lg_plan_run(p.plan, &in, &want, &error), "%s: %s", text, error.message);
    for (int32_t turn = 1; turn < 30; turn++) {
        rows r = {.in = &in, .in_order = true, .part = true, .fail_read = -1, .fail_write = -1};
        r.out = image_zeros(context, p.out);
        const int32_t height = turn < 24 ? turn : 8 * (30 - turn); // and smaller ones again
        const lg_bands_params params = params_of(&r, height);
        char first[160] = "";
        CHECK(!lg_plan_run_bands(plan, NULL, &params, &error) &&
                  samples_differ(r.out, want, first) == 0,
              "%s of %d channels in bands of %d rows: %s", text, in->shape.channels, height,
              *first ? first : error.message);
        lg_image_destroy(&r.out);
    }
    CHECK(plan->on_device == (context->vk != NULL), "%s: the processor ran it", text);
    lg_plan_destroy(&plan);
    pipeline_close(&p);
    lg_image_destroy(&want);
}

static void test_each_height(void)
{
    static const char *const texts[] = {
        // Bytes at half and at twice their size have kernels of their own.
        "resize:scale=0.5:method=lanczos3",
        "resize:scale=0.5:method=bilinear",
        "resize:scale=0.5:method=area",
        "resize:scale=2:method=bilinear",
        "resize:scale=1.7 | resize:scale=0.3:method=nearest",
        "canvas:height=60:width=23 | median",
    };
    for (size_t i = 0; i < 2; i++) {
        const lg_image_params shape =
            SHAPE(52, 44, 1, i ? 1 : 4, LG_U8, i ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE);
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        const size_t each = device_is_slow(context) && test_is_short() ? 2 : 1;
        for (size_t k = i; k < (i ? 4 : LG_COUNT(texts)); k += each)
            check_each_height(texts[k], in);
        lg_image_destroy(&in);
    }
}

// Bands have the rows of all layers.
static void test_volumes(void)
{
    static const char *const texts[] = {
        "project=max",
        "project=mean",
        "gaussian_blur:sigma=2 | project=stddev",
        "project=sum | sharpen",
        "gaussian_blur_3d:sigma=2:sigma_z=1",
        "layer_gaussian",
        "median_3d:radius=2:radius_z=1 | contrast=2",
        "project=min #low | #in | signed_difference:over=#low | box_blur:radius=3",
        "resize:scale=0.6 | project=max",
        "layer_gaussian | pad:top=3:left=1",
        "project=mean | resize:scale=1.5:method=bilinear",
    };
    static const lg_image_params shapes[] = {SHAPE(37, HEIGHT, 5, 1, LG_U8, LG_ALPHA_NONE),
                                             SHAPE(37, HEIGHT, 3, 4, LG_F32, LG_ALPHA_STRAIGHT)};
    const int before = whole;
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        lg_image *in = content_image(context, shapes[i], CONTENT_UNIT);
        for (size_t k = 0; k < LG_COUNT(texts); k += device_is_slow(context) ? 3 : 1)
            compare(texts[k], &in, 1, false);
        compare("contrast=@mean", &in, 1, false);
        lg_image_destroy(&in);
    }
    CHECK(whole == before + (int)LG_COUNT(shapes), "%d plans of volumes need whole images",
          whole - before);
}

// Figures that take passes of their own, of every type: ranks and levels of floats, curves, components.
static void test_figures(void)
{
    static const char *const texts[] = {
        "contrast:contrast=@p50 | threshold:level=@otsu",
        "brightness:brightness=@luma.p10 | gaussian_blur:sigma=2 | contrast:contrast=@luma.otsu*2",
        "histogram_equalization",
        "equalize_histogram",
        "sharpen | histogram_equalization | threshold:level=@p90",
        "threshold:level=0.6 | brightness:brightness=@components*0.001",
        "threshold:level=0.5 | vignette:center=@largest.center",
        "color_invert | brightness:brightness=@largest.area*0.0001",
    };
    static const struct {
        lg_image_params shape;
        content what;
    } images[] = {{SHAPE(37, HEIGHT, 1, 4, LG_U8, LG_ALPHA_OPAQUE), CONTENT_UNIT},
                  {SHAPE(37, HEIGHT, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_CONSTANT},
                  {SHAPE(37, HEIGHT, 1, 4, LG_U16, LG_ALPHA_STRAIGHT), CONTENT_UNIT},
                  {SHAPE(37, HEIGHT, 1, 2, LG_U16, LG_ALPHA_STRAIGHT), CONTENT_UNIT},
                  {SHAPE(37, HEIGHT, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), CONTENT_SPRINKLED},
                  {SHAPE(37, HEIGHT, 1, 1, LG_F32, LG_ALPHA_NONE), CONTENT_CONSTANT},
                  {SHAPE(37, HEIGHT, 1, 1, LG_F32, LG_ALPHA_NONE), CONTENT_SIGNED},
                  {SHAPE(37, HEIGHT, 1, 4, LG_F16, LG_ALPHA_OPAQUE), CONTENT_UNIT},
                  {SHAPE(37, HEIGHT, 1, 1, LG_F16, LG_ALPHA_NONE), CONTENT_SPRINKLED}};
    const int before = whole;
    for (size_t i = 0; i < LG_COUNT(images); i++) {
        lg_image *in = content_image(context, images[i].shape, images[i].what);
        for (size_t k = 0; k < LG_COUNT(texts); k++)
            if (device_is_slow(context) ? (i + k) % (size_t)test_extent(18, 9, 1) == 4
                                        : !is_left_out(i, k))
                compare(texts[k], &in, 1, false);
        lg_image_destroy(&in);
    }
    CHECK(whole == before, "%d plans with figures need whole images", whole - before);
}

// Every filter with its defaults; of the second images some come by rows.
static void test_catalogue(void)
{
    const lg_image_params shape = SHAPE(37, HEIGHT, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in[2] = {content_image(context, shape, CONTENT_UNIT),
                       content_image(context, shape, CONTENT_UNIT)};
    const size_t each = device_is_slow(context) ? 40 : test_is_short() ? 17 : 1;
    char text[200];
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const bool second =
            f->inputs == 2 && f->kind != LG_FILTER_POINT && f->kind != LG_FILTER_GENERATE;
        if (i % each != each / 2)
            continue;
        snprintf(text, sizeof text, "%s%s", f->name, second ? ":over=#over" : "");
        compare(text, in, second ? 2 : 1, i % 2);
    }
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
}

// ---- limits and failures --------------------------------------------------------------------------

static void test_refused(void)
{
    const lg_image_params shape = SHAPE(64, 4000, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = content_image(context, shape, CONTENT_UNIT);
    lg_image *out = image_zeros(context, shape);
    lg_plan *plan = plan_for_bands("gaussian_blur:sigma=6", &shape, 1);
    rows r = {.in = &in, .out = out, .in_order = true, .fail_read = -1, .fail_write = -1};
    lg_bands_params p = params_of(&r, 0);
    CHECK(lg_plan_run(plan, &in, &out, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "bands"),
          "a whole run: %s", error.message);
    p.memory = 1000;
    CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_LIMIT &&
              strstr(error.message, "memory"),
          "%s", error.message);
    CHECK(r.read == 0 && r.written == 0, "rows were read, or written");
    p.memory = 200000; // some rows
    CHECK(!lg_plan_run_bands(plan, NULL, &p, &error) && ordered(&r) && r.written == 4000, "%s",
          error.message);
    for (int k = 0; k < 4; k++) {
        r = (rows){.in = &in,
                   .out = out,
                   .in_order = true,
                   .fail_read = k % 2 ? 2100 : 2000,
                   .fail_write = k % 2 ? 1500 : -1};
        p = params_of(&r, 50);
        p.overlap = k >= 2;
        CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_IO &&
                  strstr(error.message, k % 2 ? "disk is full" : "source is gone"),
              "%s", error.message);
        // What lies in front of the failure is complete, also where steps overlap.
        const int64_t reached = k % 2 ? 1500 : 1950; // the filter reaches 20 rows below a band
        CHECK(r.written == reached && ordered(&r), "%d: %lld rows written", k,
              (long long)r.written);
    }
    p.read = NULL;
    CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_ARGUMENT, "no function");
    p = params_of(&r, -1);
    CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_ARGUMENT, "-1 rows");
    for (int k = 0; k < 3; k++) {
        static const int64_t wrong[3][2] = {{-1, 10}, {20, 10}, {0, 4001}};
        p = params_of(&r, 50);
        p.first = wrong[k][0];
        p.end = wrong[k][1];
        CHECK(lg_plan_run_bands(plan, NULL, &p, &error) == LG_ERROR_ARGUMENT, "rows %lld to %lld",
              (long long)p.first, (long long)p.end);
    }
    CHECK(lg_plan_needs_whole(plan, 1) && lg_plan_needs_whole(NULL, 0),
          "an input that is not there");
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// The progress of a run, which may end it.
typedef struct progress {
    double last;
    int calls;
    bool rises, ends;
} progress;

static bool take_part(void *priv, double part)
{
    progress *p = priv;
    p->rises &= part >= p->last && part <= 1;
    p->last = part;
    p->calls++;
    return !p->ends;
}

// Reading and writing have threads of their own, progress is that of all bands, and a run can be ended.
static void test_overlap(void)
{
    const lg_image_params shape = SHAPE(301, 900, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_context *before = context;
    for (int k = 0; k < 3; k++) {
        progress told = {.ends = k == 2, .rises = true};
        NEED(!lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU,
                                         it.threads = 2, it.progress = take_part,
                                         it.progress_priv = &told),
                                &context, &error),
             "%s", error.message);
        lg_image *in = content_image(context, shape, CONTENT_UNIT);
        rows r = {.in = &in, .in_order = true, .fail_read = -1, .fail_write = -1};
        r.out = image_zeros(context, shape);
        lg_plan *plan = plan_for_bands("bilateral:radius=7 | contrast:contrast=@mean", &shape, 1);
        lg_bands_params p = params_of(&r, 2);
        p.overlap = k > 0;
        const lg_status status = lg_plan_run_bands(plan, NULL, &p, &error);
        const pthread_t here = pthread_self();
        CHECK(status == (k == 2 ? LG_ERROR_CANCELLED : LG_OK), "%d: %s", k, error.message);
        CHECK(told.rises && told.calls > 0, "%d: progress falls, or there is none", k);
        CHECK(k == 2 || (!pthread_equal(r.reader, here) == p.overlap &&
                         !pthread_equal(r.writer, here) == p.overlap &&
                         !pthread_equal(r.reader, r.writer) == p.overlap),
              "%d: threads of reading and writing", k);
        lg_plan_destroy(&plan);
        lg_image_destroy(&in);
        lg_image_destroy(&r.out);
        lg_context_destroy(&context);
    }
    context = before;
}

// Bands of many threads are no larger than what the limit of the context leaves to the heap.
static void test_room(void)
{
    enum { LIMIT = 8 << 20 };
    lg_context *before = context;
    context = device_open_threads(16);
    const lg_image_params shape = SHAPE(1500, 1200, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = content_image(context, shape, CONTENT_UNIT);
    rows r = {.in = &in, .in_order = true, .fail_read = -1, .fail_write = -1};
    r.out = image_zeros(context, shape);
    CHECK(!lg_context_set_memory(context, LIMIT, "/tmp", &error), "%s", error.message);
    lg_plan *plan = plan_for_bands("gaussian_blur:sigma=2 | contrast:contrast=@p50", &shape, 1);
    lg_bands_params p = params_of(&r, 0);
    p.memory = LIMIT;
    CHECK(!lg_plan_run_bands(plan, NULL, &p, &error), "%s", error.message);
    CHECK(lg_context_scratch(context) == 0, "%llu bytes of bands are in files",
          (unsigned long long)lg_context_scratch(context));
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&r.out);
    lg_context_destroy(&context);
    context = before;
}

static void test_context(void)
{
    banded = whole = 0;
    test_chains();
    test_heights();
    test_two();
    test_each_height();
    test_figures();
    test_volumes();
    test_catalogue();
    test_refused();
    CHECK(banded > (device_is_slow(context) ? 10 : 60) && whole > (device_is_slow(context) ? 2 : 5),
          "%d runs in bands, %d that need whole images", banded, whole);
}

int main(void)
{
    lg_context *contexts[2];
    random_seed(7);
    const int count = device_open_both(contexts, "bands of rows");
    for (int i = 0; i < count; i++) {
        context = contexts[i];
        test_context();
    }
    test_overlap();
    test_room();
    device_close_both(contexts);
    return check_finish("bands");
}
