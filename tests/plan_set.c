// Parameters of compiled plans: the pixels of a plan that was changed are those of a new plan, for
// every filter of the catalogue, on the CPU and on Vulkan.
#include "check.h"
#include "content.h"
#include "device.h"
#include "narrow.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_error error;
static lg_context *context;
static lg_image *images[2];
static int changed, refused;

#define TEXT 200

// ---- plans --------------------------------------------------------------------------------------

// A graph of the one filter; NULL where no graph holds it.
static lg_graph *graph_of(const lg_filter *f, lg_node *node)
{
    lg_graph *graph = NULL;
    lg_node in[2], table;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in[0], &error) &&
             !lg_graph_input(graph, "over", &in[1], &error),
         "%s", error.message);
    if (f->kind == LG_FILTER_POINT && f->inputs == 2) { // its second image is a table
        NEED(!lg_graph_filter(graph, "lookup_identity", in, 1, NULL, &table, &error), "%s",
             error.message);
        in[1] = table;
    }
    const int count = f->kind == LG_FILTER_GENERATE ? 1 : f->inputs;
    NEED(!lg_graph_filter(graph, f->name, in, count, NULL, node, &error) &&
             !lg_graph_output(graph, *node, &error),
         "%s", error.message);
    return graph;
}

static lg_status plan_of(const lg_graph *graph, lg_plan **out)
{
    const lg_image_params shapes[] = {images[0]->shape, images[1]->shape};
    return lg_plan_create(context, graph, shapes, 2, NULL, out, &error);
}

static lg_image *run(lg_plan *plan, const char *what)
{
    lg_image_params shape;
    lg_image *out = NULL;
    NEED(!lg_plan_output(plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &out, &error) &&
             !lg_plan_run(plan, images, &out, &error),
         "%s: %s", what, error.message);
    return out;
}

// ---- values -------------------------------------------------------------------------------------

// Another value than the default, within the range and not far away: windows stay small.
static double other_number(const lg_filter *f, const lg_filter_param *p, int i)
{
    const double value = (double)p->value[i];
    double low = fmax((double)p->min, value - 6), high = fmin((double)p->max, value + 6);
    narrow_limits(f, p, &low, &high);
    const double other = low + 0.37 * (high - low);
    if (p->kind == LG_PARAM_INTEGER)
        return rint(other) == value ? (value + 1 <= high ? value + 1 : value - 1) : rint(other);
    return other;
}

static int choices_of(const lg_filter_param *p)
{
    int count = 1;
    for (const char *at = p->choices; *at; at++)
        count += *at == '|';
    return count;
}

static bool is_number(const lg_filter_param *p)
{
    return p->kind <= LG_PARAM_CHOICE;
}

// A number for lg_plan_set, and the same as text for lg_graph_set.
static double other_value(const lg_filter *f, const lg_filter_param *p, char *text, size_t size)
{
    double number = 0;
    if (p->kind == LG_PARAM_FLAG) {
        number = p->value[0] > 0 ? 0 : 1;
    } else if (p->kind == LG_PARAM_CHOICE) {
        number = ((int)p->value[0] + 1) % choices_of(p);
        const char *word = p->choices;
        for (int i = 0; i < (int)number; i++)
            word = strchr(word, '|') + 1;
        snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
        return number;
    } else if (is_number(p)) {
        number = other_number(f, p, 0);
    }
    size_t used = (size_t)snprintf(text, size, "%.17g", number);
    for (int i = 0; i < p->size && !is_number(p); i++) {
        const double part = (double)p->value[i] * 0.75 + 0.0625 * (i + 1);
        used = i ? used : 0;
        used += (size_t)snprintf(text + used, size - used, "%s%.6g", i ? "," : "", part);
    }
    return number;
}

// ---- one parameter ------------------------------------------------------------------------------

static lg_status change(lg_plan *plan, lg_node node, const lg_filter_param *p, double number,
                        const char *text)
{
    return is_number(p) ? lg_plan_set(plan, node, p->name, number, &error)
                        : lg_plan_set_text(plan, node, p->name, text, &error);
}

// A change was refused: a new plan must be refused too, or have another shape or filter.
static void check_refusal(lg_plan *plan, lg_status status, const lg_plan *fresh, lg_status expected,
                          const lg_image *before, const char *what)
{
    lg_image_params a, b;
    refused++;
    if (fresh) {
        NEED(!lg_plan_output(plan, 0, &a, &error) && !lg_plan_output(fresh, 0, &b, &error), "%s",
             error.message);
        CHECK(status == LG_ERROR_UNSUPPORTED && strstr(error.message, "new plan") &&
                  (a.width != b.width || a.height != b.height || a.type != b.type ||
                   a.channels != b.channels || a.alpha != b.alpha ||
                   strstr(error.message, "filter of its own")),
              "%s: %s", what, error.message);
    } else {
        CHECK(status == expected, "%s: %d where compiling gives %d", what, (int)status,
              (int)expected);
    }
    lg_image *after = run(plan, what);
    CHECK(samples_equal(before, after), "%s: the refused change left traces", what);
    lg_image_destroy(&after);
}

static void check_param(const lg_filter *f, const lg_filter_param *p)
{
    char text[TEXT], what[TEXT + 100];
    const double number = other_value(f, p, text, sizeof text);
    lg_node node;
    lg_graph *graph = graph_of(f, &node);
    lg_plan *plan = NULL, *fresh = NULL;
    snprintf(what, sizeof what, "%s:%s=%s", f->name, p->name, text);
    NEED(!plan_of(graph, &plan), "%s: %s", what, error.message);
    lg_image *before = run(plan, what);
    lg_status expected = lg_graph_set(graph, node, p->name, text, &error);
    if (!expected)
        expected = plan_of(graph, &fresh);
    const lg_status status = change(plan, node, p, number, text);
    if (status) {
        check_refusal(plan, status, fresh, expected, before, what);
    } else {
        CHECK(fresh, "%s was set, but cannot be compiled", what);
        lg_image *a = run(plan, what), *b = fresh ? run(fresh, what) : NULL;
        CHECK(!b || samples_equal(a, b), "%s: other pixels than a new plan's", what);
        changed += !samples_equal(a, before);
        lg_image_destroy(&a);
        lg_image_destroy(&b);
    }
    lg_image_destroy(&before);
    lg_plan_destroy(&plan);
    lg_plan_destroy(&fresh);
    lg_graph_destroy(&graph);
}

// Software Vulkan compiles each kernel for a second: of numbers a choice is enough there. `fit` of images
// of one size says nothing: tests/fit.c.
static bool is_wanted(const lg_filter *f, const lg_filter_param *p)
{
    if (f->inputs == 2 && strcmp(p->name, "fit") == 0)
        return false;
    const bool compiled = p->kind == LG_PARAM_FLAG || p->kind == LG_PARAM_CHOICE;
    return !context->vk || test_is_full() || random_below((uint32_t)test_extent(12, 8, 8)) == 0 ||
           (compiled && !test_is_short() && random_below(2) == 0);
}

static void test_catalogue(void)
{
    int params = 0;
    changed = refused = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        for (int k = 0; k < f->param_count && f->kind != LG_FILTER_PIPELINE; k++) {
            const lg_filter_param *p = &f->params[k];
            if (p->size == 0 || !is_wanted(f, p))
                continue;
            check_param(f, p);
            params++;
        }
    }
    CHECK(changed > params / 2 && refused < params / 4,
          "of %d parameters %d change pixels and %d are refused", params, changed, refused);
}

// ---- what is refused ----------------------------------------------------------------------------

static void expect(lg_plan *plan, lg_node node, const char *param, const char *value,
                   lg_status wanted, const char *part)
{
    error.message[0] = '\0';
    const lg_status status = lg_plan_set_text(plan, node, param, value, &error);
    CHECK(status == wanted && strstr(error.message, part), "%s=%s: %d '%s' lacks '%s'", param,
          value, (int)status, error.message, part);
}

static void test_refusals(void)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in = 0, over = 0, last = 0;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_input(graph, "over", &over, &error) &&
             !lg_graph_parse(graph,
                             "tone_curve #t | contrast:contrast=@mean #c | levels #l | "
                             "crop:width=0.5:height=0.5 #r",
                             in, &last, &error) &&
             !lg_graph_output(graph, last, &error) && !plan_of(graph, &plan),
         "%s", error.message);
    const lg_node t = lg_graph_find(graph, "t"), c = lg_graph_find(graph, "c");
    const lg_node r = lg_graph_find(graph, "r"), l = lg_graph_find(graph, "l");
    expect(plan, c, "contrast", "2", LG_ERROR_UNSUPPORTED, "is measured");
    expect(plan, r, "width", "0.25", LG_ERROR_UNSUPPORTED, "new plan");
    expect(plan, l, lg_graph_node_filter(graph, l, &(bool){false})->params[0].name, "@mean",
           LG_ERROR_UNSUPPORTED, "what is measured");
    expect(plan, t, lg_graph_node_filter(graph, t, &(bool){false})->params[0].name, "0,0 1,1",
           LG_ERROR_UNSUPPORTED, "texts and tables");
    expect(plan, c, "contrats", "2", LG_ERROR_ARGUMENT, "contrast");
    expect(plan, in, "contrast", "2", LG_ERROR_ARGUMENT, "no filter of this plan");
    expect(plan, 99, "contrast", "2", LG_ERROR_ARGUMENT, "no filter of this plan");
    CHECK(lg_plan_set(plan, r, "width", (double)NAN, &error) == LG_ERROR_ARGUMENT, "NaN");
    CHECK(lg_plan_set(NULL, r, "width", 1, &error) == LG_ERROR_ARGUMENT, "no plan");
    CHECK(lg_plan_set(plan, r, NULL, 1, &error) == LG_ERROR_ARGUMENT, "no parameter");
    CHECK(lg_plan_set_text(plan, r, "width", NULL, &error) == LG_ERROR_ARGUMENT, "no value");
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
}

static void test_device(void)
{
    images[0] = content_image(context, SHAPE(27, 11, 1, 4, LG_U8, LG_ALPHA_STRAIGHT), CONTENT_UNIT);
    images[1] = content_image(context, SHAPE(27, 11, 1, 4, LG_U8, LG_ALPHA_STRAIGHT), CONTENT_UNIT);
    test_refusals();
    test_catalogue();
    lg_image_destroy(&images[0]);
    lg_image_destroy(&images[1]);
}

int main(void)
{
    random_seed(17);
    context = device_open_cpu();
    if (context)
        test_device();
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context)
        test_device();
    device_close(&context);
    return check_finish("plan_set");
}
