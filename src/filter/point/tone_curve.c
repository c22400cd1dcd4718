// Tone curves through control points, one per channel and one for all.
#include "filter/kernel.h"
#include "filter/point_list.h"

#define PARAMETERS(X)                                                                              \
    X(TEXT, red, "0,0;0.5,0.5;1,1", "control points x,y;x,y in 0..1")                              \
    X(TEXT, green, "0,0;0.5,0.5;1,1", "likewise")                                                  \
    X(TEXT, blue, "0,0;0.5,0.5;1,1", "likewise")                                                   \
    X(TEXT, composite, "0,0;0.5,0.5;1,1", "of all channels, after their own curves")               \
    X(TABLE, table, "the curves at multiples of 1/1024")                                           \
    X(ALIAS, red_control_points, red)                                                              \
    X(ALIAS, green_control_points, green)                                                          \
    X(ALIAS, blue_control_points, blue)                                                            \
    X(ALIAS, rgb_composite_control_points, composite)

LG_PARAMETERS(tone_curve)

// Sums and differences, so that a table of i / 1024 gives back what came in.
LG_KERNEL(
    tone_curve,
    LG_FUNCTION float tone_curve_of(lg_table t, lg_int first, float v) {
        LG_FLOAT x = lg_clamp01(v) * 1024.0f;
        lg_int i = lg_to_int(fminf(x, 1023.0f));
        LG_FLOAT low = lg_at(t, first + i);
        LG_FLOAT high = lg_at(t, first + i + 1);
        LG_FLOAT y = low + (high - low) * (x - lg_to_float(i));
        return y;
    } LG_FUNCTION color tone_curve_kernel(color c, place at, tone_curve_params p) {
        return rgba(tone_curve_of(p.table, 0, c.r), tone_curve_of(p.table, 1025, c.g),
                    tone_curve_of(p.table, 2050, c.b), c.a);
    })

LG_POINT(tone_curve)

enum { TONE_CURVE_STEPS = 1024, TONE_CURVE_POINTS = 256 };

// A natural cubic spline: `bend` has the second derivatives.
typedef struct tone_curve {
    lg_listed_point *at;
    double bend[TONE_CURVE_POINTS];
    int count;
} tone_curve;

static void tone_curve_sort(tone_curve *c)
{
    for (int i = 1; i < c->count; i++)
        for (int k = i; k > 0 && c->at[k].x < c->at[k - 1].x; k--) {
            const lg_listed_point kept = c->at[k];
            c->at[k] = c->at[k - 1];
            c->at[k - 1] = kept;
        }
}

static lg_status tone_curve_check(const tone_curve *c, const char *param, lg_error *error)
{
    if (c->count < 2)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "tone_curve: %s has %d control points; at least 2 "
                       "are wanted",
                       param, c->count);
    for (int i = 0; i < c->count; i++) {
        const lg_listed_point *p = &c->at[i];
        if (!(p->x >= 0 && p->x <= 1 && p->y >= 0 && p->y <= 1))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "tone_curve: %s has the control point %g,%g; allowed is 0 to 1", param,
                           p->x, p->y);
        if (i && p->x == c->at[i - 1].x)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "tone_curve: %s has two control points at x = %g", param, p->x);
    }
    return LG_OK;
}

// Second derivatives, 0 at both ends: the tridiagonal system from the top down, then back.
static void tone_curve_bend(tone_curve *c)
{
    double upper[TONE_CURVE_POINTS] = {0};
    const lg_listed_point *p = c->at;
    c->bend[0] = c->bend[c->count - 1] = 0;
    for (int i = 1; i < c->count - 1; i++) {
        const double before = p[i].x - p[i - 1].x, after = p[i + 1].x - p[i].x;
        const double turn = (p[i + 1].y - p[i].y) / after - (p[i].y - p[i - 1].y) / before;
        const double pivot = (before + after) / 3 - before / 6 * upper[i - 1];
        upper[i] = after / 6 / pivot;
        c->bend[i] = (turn - before / 6 * c->bend[i - 1]) / pivot;
    }
    for (int i = c->count - 2; i > 0; i--)
        c->bend[i] -= upper[i] * c->bend[i + 1];
}

static double tone_curve_at(const tone_curve *c, double x)
{
    const lg_listed_point *p = c->at;
    if (x <= p[0].x)
        return p[0].y;
    int i = 0;
    while (i < c->count - 2 && x > p[i + 1].x)
        i++;
    if (x >= p[i + 1].x)
        return p[i + 1].y;
    const double h = p[i + 1].x - p[i].x, t = (x - p[i].x) / h, u = 1 - t;
    const double bent = (u * u * u - u) * c->bend[i] + (t * t * t - t) * c->bend[i + 1];
    const double y = u * p[i].y + t * p[i + 1].y + h * h / 6 * bent;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

static lg_status tone_curve_make(tone_curve *c, const char *param, const char *text,
                                 lg_error *error)
{
    lg_status status =
        lg_point_list("tone_curve", param, text, TONE_CURVE_POINTS, &c->at, &c->count, error);
    if (status)
        return status;
    tone_curve_sort(c);
    status = tone_curve_check(c, param, error);
    if (!status)
        tone_curve_bend(c);
    return status;
}

static lg_status tone_curve_table(const float *values, const char *const *texts, float **out,
                                  int *count, lg_error *error)
{
    static const char *const names[] = {"red", "green", "blue", "composite"};
    enum { ENTRIES = TONE_CURVE_STEPS + 1 };
    tone_curve curves[4] = {0};
    lg_status status = LG_OK;
    for (int i = 0; i < 4 && !status; i++)
        status = tone_curve_make(&curves[i], names[i], texts[i], error);
    float *table = status ? NULL : lg_alloc_array(3 * ENTRIES, sizeof *table);
    if (!status && !table)
        status = lg_fail_memory(error, 3 * ENTRIES * sizeof *table, "the table of tone_curve");
    for (int i = 0; table && i < 3 * ENTRIES; i++) {
        const double x = (double)(i % ENTRIES) / TONE_CURVE_STEPS;
        table[i] = (float)tone_curve_at(&curves[3], tone_curve_at(&curves[i / ENTRIES], x));
    }
    for (int i = 0; i < 4; i++)
        lg_free(curves[i].at);
    *out = table;
    *count = 3 * ENTRIES;
    return status;
}

// Through (0, 0), (1/2, 3/4), (1, 1): the second derivative in the middle is -3, at 1/4 the curve is 3/8 +
// (1/4) / 6 (-3) (1/8 - 1/2) = 0.421875.
LG_EXAMPLES(tone_curve, {"", .in = {0.25f, 0.3f, 2, 0.5f}, .out = {0.25f, 0.3f, 1, 0.5f}},
            {"composite=0,1;1,0", .in = {0.25f, 0, 1, 1}, .out = {0.75f, 1, 0, 1}},
            {"red=0,0;0.5,0.75;1,1", .in = {0.25f, 0.25f, 0.5f, 1},
             .out = {0.421875f, 0.25f, 0.5f, 1}},
            {"blue=0.25,0;0.75,1:composite=1,0.5;0,0", .in = {1, 0.5f, 0.5f, 1},
             .out = {0.5f, 0.25f, 0.25f, 1}})

LG_FILTER_WITH(
    tone_curve, POINT, 1, tone_curve_table, NULL,
    .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL,
    .summary = "tone curves through control points",
    .formula = "c' = composite(curve(c)); each curve is a natural cubic spline through its points, "
               "clamped to 0..1, constant beyond the first and the last",
    .source = "GPUImageToneCurveFilter",
    .notes =
        "one float table of 1025 numbers per channel, read between its entries; GPUImage's has "
        "256 entries of 8 bits, is half an entry off, and one more when the first x is not 0. "
        "Below the first point and above the last GPUImage jumps to 0 and 1. Two points "
        "of one x are an error, not a division by 0. At a sharp kink between two entries a 16-bit "
        "result is up to 43 steps of 65535 off the curve",
    .neutral =
        "red=0,0;0.5,0.5;1,1:green=0,0;0.5,0.5;1,1:blue=0,0;0.5,0.5;1,1:composite=0,0;0.5,0.5;1,1");
