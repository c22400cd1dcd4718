// Affine filters: several in a row are one matrix. The oracle evaluates the published formula of each filter
// in doubles, one filter after the other.
#include "check.h"
#include "device.h"
#include "kernel.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/affine.h"

enum { WIDTH = 37, HEIGHT = 4, LONGEST = 12, MAX_PARAMS = 17 };

static const double pi = 3.14159265358979323846;

// ---- the oracle ---------------------------------------------------------------------------------

typedef struct step {
    const lg_filter *filter;
    double p[MAX_PARAMS];
} step;

typedef void (*formula)(const double *p, double c[4]);

static double mix(double a, double b, double t)
{
    return a + t * (b - a);
}

static double luminance(const double c[4])
{
    return 0.2125 * c[0] + 0.7154 * c[1] + 0.0721 * c[2];
}

static void brightness(const double *p, double c[4])
{
    for (int k = 0; k < 3; k++)
        c[k] += p[0];
}

static void contrast(const double *p, double c[4])
{
    for (int k = 0; k < 3; k++)
        c[k] = (c[k] - 0.5) * p[0] + 0.5;
}

static void color_invert(const double *p, double c[4])
{
    (void)p;
    for (int k = 0; k < 3; k++)
        c[k] = 1 - c[k];
}

static void exposure(const double *p, double c[4])
{
    for (int k = 0; k < 3; k++)
        c[k] *= exp2(p[0]);
}

static void saturation(const double *p, double c[4])
{
    const double l = luminance(c);
    for (int k = 0; k < 3; k++)
        c[k] = mix(l, c[k], p[0]);
}

static void multiply(const double rows[3][3], double t, double c[4])
{
    const double from[3] = {c[0], c[1], c[2]};
    for (int k = 0; k < 3; k++)
        c[k] = mix(from[k], rows[k][0] * from[0] + rows[k][1] * from[1] + rows[k][2] * from[2], t);
}

static void sepia(const double *p, double c[4])
{
    multiply((const double[3][3]){{0.3588, 0.7044, 0.1368},
                                  {0.2990, 0.5870, 0.1140},
                                  {0.2392, 0.4696, 0.0912}},
             p[0], c);
}

static void grayscale(const double *p, double c[4])
{
    (void)p;
    c[0] = c[1] = c[2] = luminance(c);
}

static void rgb(const double *p, double c[4])
{
    for (int k = 0; k < 3; k++)
        c[k] *= p[k];
}

static void color_matrix(const double *p, double c[4])
{
    double sums[4];
    for (int k = 0; k < 4; k++)
        sums[k] = p[4 * k] * c[0] + p[4 * k + 1] * c[1] + p[4 * k + 2] * c[2] + p[4 * k + 3] * c[3];
    for (int k = 0; k < 4; k++)
        c[k] = mix(c[k], sums[k], p[16]);
}

// The inverse of RGB to YIQ is computed, not written down.
static void hue(const double *p, double c[4])
{
    const double m[3][3] = {
        {0.299, 0.587, 0.114}, {0.595716, -0.274453, -0.321263}, {0.211456, -0.522591, 0.311135}};
    double yiq[3], inverse[3][3];
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        yiq[i] = m[i][0] * c[0] + m[i][1] * c[1] + m[i][2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[j][i] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                            m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; j++)
        determinant += m[0][j] * inverse[j][0];
    const double angle = p[0] * pi / 180;
    const double turned[3] = {yiq[0], yiq[1] * cos(angle) + yiq[2] * sin(angle),
                              yiq[2] * cos(angle) - yiq[1] * sin(angle)};
    for (int i = 0; i < 3; i++)
        c[i] = (inverse[i][0] * turned[0] + inverse[i][1] * turned[1] + inverse[i][2] * turned[2]) /
               determinant;
}

// Rodrigues' turn around (1, 1, 1), then the same taken from all channels so that l stays.
static void hsb(const double *p, double c[4])
{
    static const double weights[3] = {0.3, 0.59, 0.11};
    const double angle = p[0] * pi / 180, mean = (c[0] + c[1] + c[2]) / 3;
    const double from[3] = {c[0], c[1], c[2]};
    double before = 0, after = 0;
    for (int k = 0; k < 3; k++) {
        const double across = (from[(k + 2) % 3] - from[(k + 1) % 3]) / sqrt(3);
        c[k] = mean + (from[k] - mean) * cos(angle) + across * sin(angle);
        before += weights[k] * from[k];
        after += weights[k] * c[k];
    }
    for (int k = 0; k < 3; k++)
        c[k] = mix(before, c[k] - (after - before), p[1]) * p[2];
}

static void neutral_balance(const double *p, double c[4])
{
    for (int k = 0; k < 3; k++)
        c[k] *= p[k] > 1e-6 ? luminance(p) / p[k] : 1;
}

static void yuv_to_rgb(const double *p, double c[4])
{
    static const double rows[3][4] = {
        {1.596, 0.392, 0.813, 2.017}, {1.4, 0.343, 0.711, 1.765}, {1.793, 0.213, 0.533, 2.112}};
    const double *w = rows[(int)p[0]];
    const double y = p[0] == 1 ? c[0] : 1.164 * (c[0] - 16 / 255.0);
    const double u = c[1] - 0.5, v = c[2] - 0.5;
    c[0] = y + w[0] * v;
    c[1] = y - w[1] * u - w[2] * v;
    c[2] = y + w[3] * u;
}

// Kr and Kb of BT.601 and BT.709; words 2 and 3 have the range of video.
static void weights_of(const double *p, double *kr, double *kb, double *luma, double *chroma,
                       double *black)
{
    const int word = (int)p[0];
    *kr = word % 2 ? 0.2126 : 0.299;
    *kb = word % 2 ? 0.0722 : 0.114;
    *luma = word < 2 ? 1 : 219 / 255.0;
    *chroma = word < 2 ? 1 : 224 / 255.0;
    *black = word < 2 ? 0 : 16 / 255.0;
}

static void rgba_to_yuv(const double *p, double c[4])
{
    double kr, kb, luma, chroma, black;
    weights_of(p, &kr, &kb, &luma, &chroma, &black);
    const double y = kr * c[0] + (1 - kr - kb) * c[1] + kb * c[2];
    const double u = (c[2] - y) / (2 - 2 * kb), v = (c[0] - y) / (2 - 2 * kr);
    c[0] = black + luma * y;
    c[1] = 128 / 255.0 + chroma * u;
    c[2] = 128 / 255.0 + chroma * v;
}

static void yuv_to_rgba(const double *p, double c[4])
{
    double kr, kb, luma, chroma, black;
    weights_of(p, &kr, &kb, &luma, &chroma, &black);
    const double y = (c[0] - black) / luma;
    const double u = (c[1] - 128 / 255.0) / chroma, v = (c[2] - 128 / 255.0) / chroma;
    c[0] = y + (2 - 2 * kr) * v;
    c[2] = y + (2 - 2 * kb) * u;
    c[1] = (y - kr * c[0] - kb * c[2]) / (1 - kr - kb);
}

static void map_channel(const double *p, double c[4])
{
    const double from[7] = {c[0], c[1], c[2], c[3], luminance(c), 0, 1};
    for (int k = 0; k < 4; k++)
        c[k] = from[(int)p[k]];
}

static void channel(const double *p, double c[4])
{
    const double from[5] = {c[0], c[1], c[2], c[3], luminance(c)};
    c[0] = c[1] = c[2] = from[(int)p[0]];
    c[3] = 1;
}

static void opacity(const double *p, double c[4])
{
    c[3] *= p[0];
}

static void false_color(const double *p, double c[4])
{
    const double l = luminance(c);
    for (int k = 0; k < 3; k++)
        c[k] = mix(p[k], p[4 + k], l);
}

static void luminance_range(const double *p, double c[4])
{
    const double shift = (0.5 - luminance(c)) * p[0];
    for (int k = 0; k < 3; k++)
        c[k] += shift;
}

static const struct {
    const char *name;
    formula apply;
} formulas[] = {{"brightness", brightness},
                {"contrast", contrast},
                {"color_invert", color_invert},
                {"exposure", exposure},
                {"saturation", saturation},
                {"sepia", sepia},
                {"grayscale", grayscale},
                {"rgb", rgb},
                {"color_matrix", color_matrix},
                {"hue", hue},
                {"hsb", hsb},
                {"neutral_balance", neutral_balance},
                {"yuv_to_rgb", yuv_to_rgb},
                {"rgba_to_yuv", rgba_to_yuv},
                {"yuv_to_rgba", yuv_to_rgba},
                {"map_channel", map_channel},
                {"channel", channel},
                {"opacity", opacity},
                {"false_color", false_color},
                {"luminance_range", luminance_range}};

static formula formula_of(const lg_filter *filter)
{
    for (size_t i = 0; i < LG_COUNT(formulas); i++)
        if (strcmp(formulas[i].name, filter->name) == 0)
            return formulas[i].apply;
    return NULL;
}

// ---- random chains ------------------------------------------------------------------------------

static bool is_affine(const lg_filter *f)
{
    return f->flags & LG_FILTER_AFFINE;
}

static const lg_filter *random_affine(void)
{
    const lg_filter *f;
    do
        f = lg_filter_at(random_below((uint32_t)lg_filter_count()));
    while (!is_affine(f) || !formula_of(f));
    return f;
}

// Numbers that do not let colours grow without bound; the formula gets what the text says.
static step random_step(const lg_filter *f, char *text, size_t size)
{
    step s = {.filter = f};
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " | " : "", f->name);
    int at = 0;
    for (int i = 0; i < f->param_count; i++) {
        const lg_filter_param *p = &f->params[i];
        used += (size_t)snprintf(text + used, size - used, ":%s=", p->name);
        if (p->kind == LG_PARAM_CHOICE) {
            uint32_t words = 1;
            for (const char *c = p->choices; *c; c++)
                words += *c == '|';
            const uint32_t word = random_below(words);
            const char *choice = p->choices;
            for (uint32_t k = 0; k < word; k++)
                choice = strchr(choice, '|') + 1;
            used += (size_t)snprintf(text + used, size - used, "%.*s", (int)strcspn(choice, "|"),
                                     choice);
            s.p[at++] = word;
            continue;
        }
        const double low = fmax((double)p->min, strcmp(p->unit, "degrees") == 0 ? -360.0 : -1.5);
        const double high = fmin((double)p->max, strcmp(p->unit, "degrees") == 0 ? 360.0 : 1.5);
        for (int k = 0; k < p->size; k++) {
            char number[32];
            snprintf(number, sizeof number, "%.4f", low + random_unit() * (high - low));
            if (p->kind == LG_PARAM_COLOR)
                snprintf(number, sizeof number, "%.4f", k == 3 ? 1 : 0.1 + random_unit());
            used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "," : "", number);
            s.p[at++] = strtod(number, NULL);
        }
    }
    return s;
}

// What a step makes of errors at most, and of numbers: the largest sum of a row's weights.
static double growth_of(const step *s)
{
    double worst = 1;
    for (int k = 0; k < 4; k++) {
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            double zero[4] = {0}, one[4] = {0};
            one[i] = 1;
            formula_of(s->filter)(s->p, zero);
            formula_of(s->filter)(s->p, one);
            sum += fabs(one[k] - zero[k]);
        }
        worst = fmax(worst, sum);
    }
    return worst;
}

// As docs/definitions.md states it: 2^-23 times the filters, times the largest number that they can reach.
static double bound_of(const step *steps, int count)
{
    double largest = 1.5;
    for (int i = 0; i < count; i++)
        largest = largest * growth_of(&steps[i]) + 1.5;
    return ldexp(largest * count, -23);
}

// A component of a colour, whatever channels the image has: map_channel makes opaque and grey ones.
static double component_of(const lg_image *image, int x, int y, int k)
{
    const lg_image_params *s = &image->shape;
    if (k < 3)
        return sample_get(image, x, y, 0, s->channels == 4 ? k : 0);
    return s->channels != 1 && s->alpha == LG_ALPHA_STRAIGHT
               ? sample_get(image, x, y, 0, s->channels - 1)
               : 1;
}

static void check_chain(const char *text, const step *steps, int count, const lg_image *in,
                        const lg_image *out)
{
    double worst = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double c[4];
            for (int k = 0; k < 4; k++)
                c[k] = sample_get(in, x, y, 0, k);
            for (int i = 0; i < count; i++)
                formula_of(steps[i].filter)(steps[i].p, c);
            const bool opaque = out->shape.channels == 1 || out->shape.alpha == LG_ALPHA_OPAQUE;
            c[3] = opaque ? 1 : c[3];
            for (int k = 0; k < 4; k++)
                worst = fmax(worst, fabs(component_of(out, x, y, k) - c[k]));
        }
    const double bound = bound_of(steps, count);
    CHECK(worst <= bound, "%s: off by %g, %g is allowed", text, worst, bound);
}

static lg_image *run(lg_context *context, const char *text, const lg_image *in)
{
    lg_error error = {LG_OK, ""};
    lg_image *out = NULL;
    CHECK(!pipeline_run(context, text, &in, 1, LG_F32, 1, &out, &error), "%s: %s", text,
          error.message);
    return out;
}

static const lg_image_params shape = {.width = WIDTH,
                                      .height = HEIGHT,
                                      .layers = 1,
                                      .channels = 4,
                                      .type = LG_F32,
                                      .alpha = LG_ALPHA_STRAIGHT};

static void test_chains(lg_context *const *contexts, int count, int rounds)
{
    random_seed(11);
    for (int round = 0; round < rounds; round++) {
        char text[4096] = "";
        step steps[LONGEST];
        const int length = 2 + (int)random_below(LONGEST - 1);
        for (int i = 0; i < length; i++)
            steps[i] = random_step(random_affine(), text, sizeof text);
        lg_image *first = NULL;
        for (int k = 0; k < count; k++) {
            char where[160] = "";
            random_seed(100 + (uint64_t)round);
            lg_image *in = content_image(contexts[k], shape, CONTENT_UNIT);
            lg_image *out = run(contexts[k], text, in);
            if (out && k == 0)
                check_chain(text, steps, length, in, out);
            else if (out && first)
                CHECK(!samples_differ(out, first, where), "%s on %s: %s", text,
                      lg_cpu_level_name(contexts[k]->cpu_level), where);
            lg_image_destroy(&in);
            if (k == 0)
                first = out;
            else
                lg_image_destroy(&out);
        }
        lg_image_destroy(&first);
        random_seed(1000 + (uint64_t)round);
    }
}

// ---- the flags ----------------------------------------------------------------------------------

static void random_values(const lg_filter *f, float *values)
{
    for (int i = 0; i < f->param_count; i++)
        for (int k = 0; k < f->params[i].size; k++) {
            const lg_filter_param *p = &f->params[i];
            const double low = fmax((double)p->min, -1.5), high = fmin((double)p->max, 1.5);
            const double v = low + random_unit() * (high - low);
            const bool whole = p->kind == LG_PARAM_CHOICE || p->kind == LG_PARAM_FLAG ||
                               p->kind == LG_PARAM_INTEGER;
            *values++ = whole ? floorf((float)v) : (float)v;
        }
}

// How far colours are from matrix and term; `alpha`: whether alpha takes part.
static double distance(const lg_filter *f, const float *values, bool *alpha)
{
    _Alignas(64) float planes[4][LG_SPAN_STEP], before[4][LG_SPAN_STEP];
    lg_span span = {.count = LG_SPAN_STEP, .values = values};
    const lg_affine m = lg_affine_of(f, values, LG_CPU_BASE);
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        span.out[k] = planes[k];
        for (int i = 0; i < LG_SPAN_STEP; i++)
            before[k][i] = planes[k][i] = (float)(3 * random_unit() - 1);
    }
    lg_filter_get_loops(f, LG_CPU_BASE)->run(&span);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LG_SPAN_STEP; i++) {
            double sum = m.rows[k][4];
            for (int j = 0; j < 4; j++)
                sum += m.rows[k][j] * (double)before[j][i];
            worst = fmax(worst, fabs(sum - (double)planes[k][i]));
        }
    *alpha = *alpha || m.rows[3][0] != 0 || m.rows[3][1] != 0 || m.rows[3][2] != 0 ||
             m.rows[3][3] != 1 || m.rows[3][4] != 0;
    for (int k = 0; k < 3; k++)
        *alpha = *alpha || m.rows[k][3] != 0;
    return worst;
}

// The flags say what the kernels do, and no filter that could be composed lacks them.
static void test_flags(void)
{
    int affine = 0;
    random_seed(5);
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const lg_filter_entry *entry = (const lg_filter_entry *)f;
        bool tables = false, alpha = false;
        for (int k = 0; k < f->param_count; k++)
            tables = tables || f->params[k].kind == LG_PARAM_TABLE;
        if (f->kind != LG_FILTER_POINT || f->inputs != 1 || tables || strstr(entry->text, "at.")) {
            CHECK(!is_affine(f), "%s cannot be a matrix", f->name);
            continue;
        }
        double worst = 0;
        for (int round = 0; round < 20; round++) {
            float values[64] = {0};
            random_values(f, values);
            worst = fmax(worst, distance(f, values, &alpha));
        }
        CHECK(is_affine(f) == (worst < 1e-4),
              "%s: LG_FILTER_AFFINE is wrong, it is %g from a matrix", f->name, worst);
        CHECK(!is_affine(f) || !(f->flags & LG_FILTER_AFFINE_ALPHA) == !alpha, "%s: alpha %d",
              f->name, alpha);
        affine += is_affine(f) && formula_of(f);
    }
    CHECK(affine == (int)LG_COUNT(formulas), "%d affine filters have a formula", affine);
}

// ---- plans --------------------------------------------------------------------------------------

// What is not finite in one channel stays there when no filter mixes channels.
static void test_apart(lg_context *context)
{
    lg_image *in = content_image(context, shape, CONTENT_UNIT);
    sample_put(in, 1, 1, 0, 0, NAN);
    sample_put(in, 2, 1, 0, 2, INFINITY);
    lg_image *out =
        run(context, "brightness:brightness=0.25 | contrast:contrast=2 | rgb:blue=0.5", in);
    if (out)
        for (int k = 0; k < 2; k++) {
            const double green = sample_get(in, k + 1, 1, 0, 1);
            CHECK(isnan(sample_get(out, 1, 1, 0, 0)) &&
                      sample_get(out, 2, 1, 0, 2) == (double)INFINITY,
                  "it is gone");
            CHECK(fabs(sample_get(out, k + 1, 1, 0, 1) - 2 * green) < 1e-6, "green is %g of %g",
                  sample_get(out, k + 1, 1, 0, 1), green);
        }
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// A filter of a run gets another value: the result is that of a plan with this value.
static void test_set(lg_context *context)
{
    static const struct {
        int node;
        const char *param;
        double value;
        const char *text;
    } changes[] = {
        {1, "brightness", 0.25,
         "brightness:brightness=0.25 | saturation:saturation=0.5 | hue:hue=30"},
        {2, "saturation", 2, "brightness:brightness=0.25 | saturation:saturation=2 | hue:hue=30"},
        {3, "hue", -45, "brightness:brightness=0.25 | saturation:saturation=2 | hue:hue=-45"}};
    lg_error error = {LG_OK, ""};
    pipeline p;
    lg_image *in = content_image(context, shape, CONTENT_UNIT), *out = NULL;
    if (pipeline_open(&p, context,
                      "brightness:brightness=0.1 | saturation:saturation=0.5 | hue:hue=30", &shape,
                      1, NULL) &&
        !lg_image_create(context, &p.out, &out, &error)) {
        for (size_t i = 0; i < LG_COUNT(changes); i++) {
            char where[160] = "";
            CHECK(lg_plan_set(p.plan, changes[i].node, changes[i].param, 1e9, &error) ==
                      LG_ERROR_ARGUMENT,
                  "1e9 is taken");
            CHECK(lg_plan_set(p.plan, changes[i].node, "nothing", 0, &error) == LG_ERROR_ARGUMENT,
                  "a parameter that is none is taken");
            CHECK(!lg_plan_set(p.plan, changes[i].node, changes[i].param, changes[i].value, &error),
                  "%s", error.message);
            CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s", error.message);
            lg_image *want = run(context, changes[i].text, in);
            CHECK(want && !samples_differ(out, want, where), "%s: %s", changes[i].text, where);
            lg_image_destroy(&want);
        }
    }
    pipeline_close(&p);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void compare(lg_context *context, const lg_image *in, const lg_image *got, const char *text)
{
    lg_image *want = run(context, text, in);
    CHECK(want && samples_distance(got, want) < 1e-5, "%s: off by %g", text,
          want ? samples_distance(got, want) : 0.0);
    lg_image_destroy(&want);
}

// A measured parameter ends a run, and who reads an image inside of one gets it.
static void test_ends(lg_context *context)
{
    static const char *const first = "contrast:contrast=0 | brightness:brightness=0.125",
                             *const then = "color_invert | rgb:red=1.5",
                             *const all = "contrast:contrast=0 | brightness:brightness=0.125 | "
                                          "color_invert | rgb:red=1.5";
    lg_image *in = content_image(context, shape, CONTENT_UNIT), *out[2] = {NULL, NULL};
    out[0] = run(context,
                 "contrast:contrast=0 | brightness:brightness=@mean*0.25 | color_invert | "
                 "rgb:red=1.5",
                 in);
    if (out[0])
        compare(context, in, out[0], all);
    lg_image_destroy(&out[0]);
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node, inner, last;
    lg_error error = {LG_OK, ""};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_parse(graph, first, node, &inner, &error) &&
             !lg_graph_parse(graph, then, inner, &last, &error) &&
             !lg_graph_output(graph, inner, &error) && !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error) &&
             !lg_image_create(context, &shape, &out[0], &error) &&
             !lg_image_create(context, &shape, &out[1], &error) &&
             !lg_plan_run(plan, &in, out, &error),
         "%s", error.message);
    compare(context, in, out[0], first);
    compare(context, in, out[1], all);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&in);
    lg_image_destroy(&out[0]);
    lg_image_destroy(&out[1]);
}

static void test_context(lg_context *context)
{
    test_apart(context);
    test_set(context);
    test_ends(context);
}

int main(void)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    test_flags();
    test_chains(contexts, count, test_extent(20, 100, 400));
    test_context(contexts[0]);
    lg_context *vulkan = device_open(NULL, NULL);
    if (vulkan) {
        lg_context *both[2] = {contexts[0], vulkan};
        test_chains(both, 2, test_extent(3, 12, 100));
        test_context(vulkan);
    }
    device_close(&vulkan);
    return check_finish("affine");
}
