// Images that the contexts of a batch share (lumagraph/batch_images.h): plans in bands and labels have the
// bits of one context on the processor, also when a device is lost over them; jobs for one context; mixed
// jobs. Several contexts on one device stand for several devices.
#include "check.h"
#include "content.h"
#include "device.h"
#include "label_content.h"
#include "samples.h"

#include <lumagraph/batch_images.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

enum { MOST = 4 };

static lg_error error;
static lg_context *reference; // a processor, on one thread

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

// ---- plans ------------------------------------------------------------------------------------------

static lg_graph *graph_of(const char *text, int inputs)
{
    lg_graph *graph = NULL;
    lg_node in, over, last;
    lg_status status = lg_graph_create(&graph, &error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, &error);
    if (!status && inputs > 1)
        status = lg_graph_input(graph, "over", &over, &error);
    if (!status)
        status = lg_graph_parse(graph, text, in, &last, &error);
    if (!status)
        status = lg_graph_output(graph, last, &error);
    NEED(!status, "%s: %s", text, error.message);
    return graph;
}

// A plan of each context, all of one graph.
static void make_plans(const lg_graph *graph, const lg_image_params *shapes, int inputs,
                       lg_context *const *contexts, int count, lg_plan **out)
{
    for (int i = 0; i < count; i++)
        NEED(!lg_plan_create_bands(contexts[i], graph, shapes, (size_t)inputs, NULL, &out[i],
                                   &error),
             "%s", error.message);
}

static void drop_plans(lg_plan **plans)
{
    for (int i = 0; i < MOST; i++)
        lg_plan_destroy(&plans[i]);
}

typedef struct rows {
    lg_image *const *in;
    lg_image *out;
    int64_t read[2], written, fail_read, fail_write; // the last two: at this row; -1: never
    bool out_of_order;
} rows;

static void copy(const lg_image *from, int64_t y, const lg_image *to, int64_t to_y, int32_t count)
{
    const size_t bytes =
        (size_t)from->shape.width * (size_t)from->shape.channels * lg_type_size(from->shape.type);
    for (int32_t i = 0; i < count; i++)
        memcpy((char *)to->data + (size_t)(to_y + i) * to->shape.row_stride,
               (const char *)from->data + (size_t)(y + i) * from->shape.row_stride, bytes);
}

static lg_status read_rows(void *priv, size_t input, int64_t y, lg_image *to, lg_error *e)
{
    rows *r = priv;
    if (r->fail_read >= 0 && y + to->shape.height > r->fail_read)
        return lg_fail(e, LG_ERROR_IO, "the file ends");
    r->out_of_order |= y != r->read[input];
    r->read[input] = y + to->shape.height;
    copy(r->in[input], y, to, 0, to->shape.height);
    return LG_OK;
}

static lg_status write_rows(void *priv, size_t output, int64_t y, const lg_image *from, lg_error *e)
{
    rows *r = priv;
    if (r->fail_write >= 0 && y + from->shape.height > r->fail_write)
        return lg_fail(e, LG_ERROR_IO, "the disk is full");
    r->out_of_order |= y != r->written || output != 0;
    r->written = y + from->shape.height;
    copy(from, 0, r->out, y, from->shape.height);
    return LG_OK;
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

static void same(const lg_image *got, const lg_image *want, const char *text, const char *how)
{
    char first[160] = "";
    CHECK(samples_differ(got, want, first) == 0, "%s, %s: %s", text, how, first);
}

// Whole images in memory, and rows that are read and written.
static void check_plan(lg_batch *batch, lg_plan *const *plans, lg_image *const *in, int inputs,
                       const lg_image *want, const char *text)
{
    rows r = {.in = in, .fail_read = -1, .fail_write = -1};
    lg_image *whole = image_zeros(reference, want->shape);
    lg_image *given[2] = {NULL, inputs > 1 ? in[1] : NULL};
    r.out = image_zeros(reference, want->shape);
    GOOD(lg_batch_run(batch, plans, in, &whole, &error));
    same(whole, want, text, "images");
    const lg_bands_params p = params_of(&r, 13);
    GOOD(lg_batch_run_bands(batch, plans, given, &p, &error));
    same(r.out, want, text, "rows");
    CHECK(!r.out_of_order && r.read[0] == in[0]->shape.height && r.written == want->shape.height,
          "%s: %lld rows were read, %lld written", text, (long long)r.read[0],
          (long long)r.written);
    lg_image_destroy(&whole);
    lg_image_destroy(&r.out);
}

typedef struct plan_case {
    const char *text;
    int inputs;
    lg_image_params shape;
} plan_case;

enum { RESIZED = 4 };

static const plan_case plan_cases[] = {
    {"gaussian_blur:sigma=3 | contrast:contrast=2", 1,
     SHAPE(37, 131, 1, 4, LG_U8, LG_ALPHA_OPAQUE)},
    {"median | unsharp_mask:sigma=4", 1, SHAPE(61, 203, 1, 1, LG_U16, LG_ALPHA_NONE)},
    {"sharpen | multiply_blend:over=#over", 2, SHAPE(33, 97, 1, 4, LG_U8, LG_ALPHA_OPAQUE)},
    {"vignette", 1, SHAPE(40, 2, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)},
    [RESIZED] = {"resize:scale=0.6 | emboss", 1, SHAPE(61, 203, 1, 4, LG_U8, LG_ALPHA_OPAQUE)},
};

static void test_plan(lg_context *const *contexts, int count, const plan_case *c)
{
    const lg_image_params shapes[2] = {c->shape, c->shape};
    lg_image *in[2] = {content_image(reference, c->shape, CONTENT_UNIT),
                       content_image(reference, c->shape, CONTENT_UNIT)};
    lg_graph *graph = graph_of(c->text, c->inputs);
    lg_plan *one = NULL, *plans[MOST] = {NULL};
    lg_image_params shape = {0};
    NEED(!lg_plan_create(reference, graph, shapes, (size_t)c->inputs, NULL, &one, &error) &&
             !lg_plan_output(one, 0, &shape, &error),
         "%s", error.message);
    lg_image *want = image_zeros(reference, shape);
    GOOD(lg_plan_run(one, in, &want, &error));
    make_plans(graph, shapes, c->inputs, contexts, count, plans);
    for (int n = 1; n <= count; n++) {
        lg_batch *batch = NULL;
        GOOD(lg_batch_create(contexts, n, &batch, &error));
        check_plan(batch, plans, in, c->inputs, want, c->text);
        lg_batch_destroy(&batch);
    }
    drop_plans(plans);
    lg_plan_destroy(&one);
    lg_graph_destroy(&graph);
    lg_image_destroy(&want);
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
}

// What is refused, and failures of rows: bands in front of them are written.
static void test_mistakes(lg_context *const *contexts)
{
    const lg_image_params shape = SHAPE(32, 200, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = content_image(reference, shape, CONTENT_UNIT),
             *out = image_zeros(reference, shape);
    static const char *const refused[] = {"low_pass", "contrast:contrast=@mean"};
    lg_batch *batch = NULL;
    lg_plan *plans[MOST] = {NULL};
    GOOD(lg_batch_create(contexts, 2, &batch, &error));
    for (size_t i = 0; i < LG_COUNT(refused); i++) {
        lg_graph *graph = graph_of(refused[i], 1);
        make_plans(graph, &shape, 1, contexts, 2, plans);
        CHECK(lg_batch_run(batch, plans, &in, &out, &error) == LG_ERROR_UNSUPPORTED, "%s: %s",
              refused[i], error.message);
        drop_plans(plans);
        lg_graph_destroy(&graph);
    }
    lg_graph *graph = graph_of("gaussian_blur:sigma=2", 1);
    make_plans(graph, &shape, 1, contexts, 2, plans);
    lg_plan *const swapped[] = {plans[1], plans[0]};
    CHECK(lg_batch_run(batch, swapped, &in, &out, &error) == LG_ERROR_ARGUMENT, "other contexts");
    CHECK(lg_batch_run(batch, NULL, &in, &out, &error) == LG_ERROR_ARGUMENT, "no plans");
    for (int64_t at = 0; at < 200; at += 61)
        for (int reads = 0; reads < 2; reads++) {
            rows r = {
                .in = &in, .out = out, .fail_read = reads ? at : -1, .fail_write = reads ? -1 : at};
            const lg_bands_params p = params_of(&r, 10);
            CHECK(lg_batch_run_bands(batch, plans, NULL, &p, &error) == LG_ERROR_IO &&
                      !r.out_of_order && r.written <= at && (reads || r.written == at / 10 * 10),
                  "%s at row %lld: %lld written", reads ? "reading" : "writing", (long long)at,
                  (long long)r.written);
        }
    CHECK(lg_batch_add_to(batch, 2, NULL, NULL, &error) == LG_ERROR_ARGUMENT, "no job");
    drop_plans(plans);
    lg_graph_destroy(&graph);
    lg_batch_destroy(&batch);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// ---- labels -----------------------------------------------------------------------------------------

typedef struct label_case {
    lg_type type;
    int width, height, layers;
    label_content content;
    lg_foreground foreground;
    int connectivity;
    int intensity; // its type; -1: none
    bool shape;
} label_case;

static const label_case label_cases[] = {
    {LG_U8, 97, 260, 1, LABEL_NOISE, LG_FOREGROUND_NONZERO, 8, LG_U8, false},
    {LG_U8, 130, 200, 1, LABEL_SPIRAL, LG_FOREGROUND_NONZERO, 4, -1, true},
    {LG_U16, 65, 131, 3, LABEL_DIAGONALS, LG_FOREGROUND_ABOVE, 8, LG_U16, false},
    {LG_U8, 64, 160, 1, LABEL_NOISE, LG_FOREGROUND_VALUES, 4, -1, false},
    {LG_F32, 60, 150, 1, LABEL_COMB, LG_FOREGROUND_ABOVE, 26, LG_F32, false},
    {LG_U8, 50, 96, 2, LABEL_NESTED, LG_FOREGROUND_NONZERO, 26, -1, false},
    {LG_U8, 40, 40, 1, LABEL_CHECKER, LG_FOREGROUND_NONZERO, 8, -1, true},
};

static void compare_columns(const lg_components *got, const lg_components *want, const char *what)
{
    const uint32_t count = lg_components_count(want);
    double *a = calloc(2 * (size_t)count + 2, sizeof *a), *b = a + count + 1;
    CHECK(lg_components_count(got) == count && lg_components_unit(got) == lg_components_unit(want),
          "%s: %u components instead of %u", what, lg_components_count(got), count);
    for (int c = 0; c < LG_COLUMNS && lg_components_count(got) == count; c++) {
        const lg_status here = lg_components_column(want, (lg_column)c, a, &error);
        const lg_status there = lg_components_column(got, (lg_column)c, b, &error);
        CHECK(here == there && (here || memcmp(a, b, count * sizeof *a) == 0), "%s: column %s",
              what, lg_column_name((lg_column)c));
    }
    free(a);
}

static void compare_labels(const lg_labels *got, const lg_labels *want, const char *what)
{
    bool equal = got->count == want->count && got->data;
    for (int32_t y = 0; y < want->height * want->layers && equal; y++)
        equal = memcmp((char *)got->data + (size_t)y * got->row_stride,
                       (char *)want->data + (size_t)y * want->row_stride,
                       (size_t)want->width * sizeof *want->data) == 0;
    CHECK(equal, "%s: labels", what);
}

static void test_labels(lg_context *const *contexts, int count, const label_case *c)
{
    lg_image *image = label_content_image(reference, c->type, c->width, c->height, c->layers);
    const bool values = c->foreground == LG_FOREGROUND_VALUES;
    const lg_image_params shape =
        SHAPE(c->width, c->height, c->layers, 1, c->intensity, LG_ALPHA_NONE);
    lg_image *intensity = c->intensity < 0 ? NULL : content_image(reference, shape, CONTENT_UNIT);
    const double level = c->foreground == LG_FOREGROUND_ABOVE ? 0.5 : 0;
    lg_label_params p = lg_label_params_default();
    lg_labels *want = NULL;
    lg_components *figures = NULL;
    char what[100];
    label_content_fill(image, c->content, 45, 2, level, values);
    p.foreground = c->foreground;
    p.level = level;
    p.connectivity = c->connectivity;
    p.moments = true;
    p.shape = c->shape;
    GOOD(lg_label_image(reference, image, &p, intensity, &want, &figures, &error));
    for (int n = 1; n <= count; n++) {
        lg_batch *batch = NULL;
        lg_labels *labels = NULL;
        lg_components *found = NULL, *alone = NULL;
        snprintf(what, sizeof what, "%s of %s on %d contexts", label_content_name(c->content),
                 lg_type_name(c->type), n);
        GOOD(lg_batch_create(contexts, n, &batch, &error));
        GOOD(lg_batch_label(batch, image, &p, intensity, &labels, &found, &error));
        if (labels)
            GOOD(lg_labels_download(contexts[0], labels, &error));
        compare_labels(labels, want, what);
        compare_columns(found, figures, what);
        GOOD(lg_batch_label(batch, image, &p, intensity, NULL, &alone, &error));
        compare_columns(alone, figures, what);
        lg_labels_destroy(&labels);
        lg_components_destroy(&found);
        lg_components_destroy(&alone);
        p.connectivity = 5;
        CHECK(lg_batch_label(batch, image, &p, NULL, NULL, &found, &error) == LG_ERROR_ARGUMENT,
              "connectivity 5");
        p.connectivity = c->connectivity;
        lg_batch_destroy(&batch);
    }
    lg_labels_destroy(&want);
    lg_components_destroy(&figures);
    lg_image_destroy(&image);
    lg_image_destroy(&intensity);
}

// ---- mixed jobs -------------------------------------------------------------------------------------

// Every third job runs a plan, the others label: some for one context, some for any.
typedef struct mixed {
    lg_plan *const *plans;
    lg_context *const *contexts;
    lg_image *in, *out;   // of a job that runs
    lg_components *found; // of one that labels
    int index, only;      // -1: any
    lg_context *loses;    // the context that loses its device over it; NULL: none
    lg_context *ran;
    atomic_int calls;
} mixed;

static lg_status run_or_label(lg_context *context, void *priv, lg_error *e)
{
    mixed *m = priv;
    lg_image *in = NULL, *out = NULL;
    int at = 0;
    atomic_fetch_add(&m->calls, 1);
    m->ran = context;
    while (m->contexts[at] != context)
        at++;
#ifdef LG_HAVE_VULKAN
    if (m->loses == context)
        lg_vk_lose(context->attached, "a test");
#endif
    lg_status status = lg_image_wrap(context, &m->in->shape, m->in->data, &in, e);
    if (!status && m->index % 3 == 0)
        status = lg_image_wrap(context, &m->out->shape, m->out->data, &out, e);
    if (!status && out)
        status = lg_plan_run(m->plans[at], &in, &out, e);
    else if (!status)
        status = lg_label_image(context, in, NULL, NULL, NULL, &m->found, e);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return status;
}

enum { JOBS = 12 };

static void check_job(const mixed *m, const lg_image *want, const lg_components *figures)
{
    if (m->index % 3 == 0)
        same(m->out, want, "a mixed job", "a plan");
    else
        compare_columns(m->found, figures, "a mixed job");
}

// `lost`: the first context loses its device over a job of its own.
static void test_mixed(lg_context *const *contexts, int count, bool lost)
{
    const lg_image_params shape = SHAPE(70, 90, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = content_image(reference, shape, CONTENT_UNIT),
             *want = image_zeros(reference, shape);
    lg_graph *graph = graph_of("median", 1);
    lg_plan *one = NULL, *plans[MOST] = {NULL};
    lg_components *figures = NULL;
    lg_batch *batch = NULL;
    static mixed jobs[JOBS];
    int handed = 0;
    GOOD(lg_plan_create(reference, graph, &shape, 1, NULL, &one, &error));
    GOOD(lg_plan_run(one, &in, &want, &error));
    GOOD(lg_label_image(reference, in, NULL, NULL, NULL, &figures, &error));
    for (int i = 0; i < count; i++)
        GOOD(lg_plan_create(contexts[i], graph, &shape, 1, NULL, &plans[i], &error));
    GOOD(lg_batch_create(contexts, count, &batch, &error));
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (mixed){.plans = plans, .contexts = contexts, .in = in, .index = i};
        jobs[i].out = image_zeros(reference, shape);
        jobs[i].only = i % 2 ? -1 : i / 2 % count;
        jobs[i].loses = lost && i == 0 ? contexts[0] : NULL;
        if (jobs[i].only >= 0)
            GOOD(lg_batch_add_to(batch, jobs[i].only, run_or_label, &jobs[i], &error));
        else
            GOOD(lg_batch_add(batch, run_or_label, &jobs[i], &error));
    }
    for (int i = 0; i < JOBS; i++) {
        lg_batch_result result;
        GOOD(lg_batch_next(batch, &result, &error));
        const bool there = jobs[i].only < 0 || jobs[i].ran == contexts[jobs[i].only];
        CHECK(!result.status && result.priv == &jobs[i] && jobs[i].calls == 1 + result.handed_on &&
                  (there || lost),
              "job %d: %s", i, result.error.message);
        check_job(&jobs[i], want, figures);
        handed += result.handed_on;
    }
    GOOD(lg_batch_wait(batch, &error));
    CHECK(!lost || (jobs[0].calls == 2 && handed >= 1 && lg_batch_usable(batch) == count - 1),
          "%d jobs were handed on", handed);
    CHECK(lg_batch_add_to(batch, count, run_or_label, &jobs[0], &error) == LG_ERROR_ARGUMENT &&
              lg_batch_add_to(batch, -1, run_or_label, &jobs[0], &error) == LG_ERROR_ARGUMENT,
          "a context that the batch has not");
    lg_batch_destroy(&batch);
    for (int i = 0; i < JOBS; i++) {
        lg_components_destroy(&jobs[i].found);
        lg_image_destroy(&jobs[i].out);
    }
    drop_plans(plans);
    lg_plan_destroy(&one);
    lg_graph_destroy(&graph);
    lg_components_destroy(&figures);
    lg_image_destroy(&in);
    lg_image_destroy(&want);
}

// ---- a device that is lost --------------------------------------------------------------------------

#ifdef LG_HAVE_VULKAN

// The first device is lost behind the making of the batch, which finds out over its bands: the other one does
// them. When that is lost as well, the call fails.
static void lose_over_image(lg_context *const *contexts, bool labels)
{
    const lg_image_params shape = SHAPE(48, 256, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *in = content_image(reference, shape, CONTENT_UNIT),
             *out = image_zeros(reference, shape);
    lg_image *want = image_zeros(reference, shape);
    lg_graph *graph = graph_of("gaussian_blur:sigma=2", 1);
    lg_plan *one = NULL, *plans[MOST] = {NULL};
    lg_components *found = NULL, *figures = NULL;
    lg_batch *batch = NULL;
    GOOD(lg_plan_create(reference, graph, &shape, 1, NULL, &one, &error));
    GOOD(lg_plan_run(one, &in, &want, &error));
    GOOD(lg_label_image(reference, in, NULL, NULL, NULL, &figures, &error));
    make_plans(graph, &shape, 1, contexts, 2, plans);
    GOOD(lg_batch_create(contexts, 2, &batch, &error));
    for (int i = 0; i < 2; i++) {
        const lg_status expected = i ? LG_ERROR_DEVICE : LG_OK;
        lg_vk_lose(contexts[i]->attached, "a test");
        const lg_status status = labels
                                     ? lg_batch_label(batch, in, NULL, NULL, NULL, &found, &error)
                                     : lg_batch_run(batch, plans, &in, &out, &error);
        CHECK(status == expected, "%d devices are lost: status %d", i + 1, (int)status);
        if (!i && labels)
            compare_columns(found, figures, "a device is lost");
        else if (!i)
            same(out, want, "a device is lost", "images");
        lg_components_destroy(&found);
    }
    lg_batch_destroy(&batch);
    drop_plans(plans);
    lg_plan_destroy(&one);
    lg_graph_destroy(&graph);
    lg_components_destroy(&figures);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    lg_image_destroy(&want);
}

static void test_loss(int which)
{
    lg_context *contexts[2] = {device_open_strict(), device_open_strict()};
    if (contexts[0] && contexts[1] && which < 2)
        lose_over_image(contexts, which == 1);
    else if (contexts[0] && contexts[1])
        test_mixed(contexts, 2, true);
    lg_context_destroy(&contexts[0]);
    lg_context_destroy(&contexts[1]);
}

#endif

static void test_all(lg_context *const *contexts, int count, size_t plans, size_t labels)
{
    for (size_t i = 0; i < LG_MIN(LG_COUNT(plan_cases), plans); i++)
        test_plan(contexts, count, &plan_cases[i]);
    for (size_t i = 0; i < LG_MIN(LG_COUNT(label_cases), labels); i++)
        test_labels(contexts, count, &label_cases[i]);
    test_mixed(contexts, count, false);
}

int main(void)
{
    lg_context *contexts[MOST] = {NULL};
    int devices = 0;
    random_seed(11);
    reference = device_open_threads(1);
    for (int i = 0; i < MOST; i++)
        contexts[i] = device_open_threads(1);
    test_all(contexts, MOST, 100, 100);
    test_mistakes(contexts);
    for (int i = 0; i < MOST; i++)
        lg_context_destroy(&contexts[i]);
    while (devices < test_extent(2, 2, 3) && (contexts[devices] = device_open(NULL, NULL)))
        devices++;
    // A processor and a device: outputs of another height, too.
    lg_context *both[2] = {device_open_threads(1), contexts[0]};
    if (devices > 0)
        test_plan(both, 2, &plan_cases[RESIZED]);
    lg_context_destroy(&both[0]);
    if (devices > 1)
        test_all(contexts, devices, (size_t)test_extent(1, 2, 100), (size_t)test_extent(1, 4, 100));
    while (devices > 0)
        device_close(&contexts[--devices]);
#ifdef LG_HAVE_VULKAN
    for (int i = 0; i < 3; i++)
        test_loss(i);
#endif
    lg_context_destroy(&reference);
    return check_finish("batch_images");
}
