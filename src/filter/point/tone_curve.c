// Tone curves through control points, one per channel and one for all.
#include "core/spline.h"
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

enum { TONE_CURVE_STEPS = 1024 };

static void tone_curve_sort(lg_listed_point *at, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && at[k].x < at[k - 1].x; k--) {
            const lg_listed_point kept = at[k];
            at[k] = at[k - 1];
            at[k - 1] = kept;
        }
}

static lg_status tone_curve_check(const lg_listed_point *at, int count, const char *param,
                                  lg_error *error)
{
    if (count < 2)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "tone_curve: %s has %d control points; at least 2 "
                       "are wanted",
                       param, count);
    for (int i = 0; i < count; i++) {
        const lg_listed_point *p = &at[i];
        if (!(p->x >= 0 && p->x <= 1 && p->y >= 0 && p->y <= 1))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "tone_curve: %s has the control point %g,%g; allowed is 0 to 1", param,
                           p->x, p->y);
        if (i && p->x == at[i - 1].x)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "tone_curve: %s has two control points at x = %g", param, p->x);
    }
    return LG_OK;
}

static lg_status tone_curve_make(lg_spline *c, const char *param, const char *text, lg_error *error)
{
    lg_listed_point *at = NULL;
    lg_status status =
        lg_point_list("tone_curve", param, text, LG_SPLINE_POINTS, &at, &c->count, error);
    if (status)
        return status;
    tone_curve_sort(at, c->count);
    status = tone_curve_check(at, c->count, param, error);
    for (int i = 0; i < c->count && !status; i++)
        c->x[i] = at[i].x, c->y[i] = at[i].y;
    if (!status)
        lg_spline_bend(c);
    lg_free(at);
    return status;
}

static lg_status tone_curve_table(const float *values, const char *const *texts, float **out,
                                  int *count, lg_error *error)
{
    static const char *const names[] = {"red", "green", "blue", "composite"};
    enum { ENTRIES = TONE_CURVE_STEPS + 1 };
    lg_spline *curves = lg_alloc_array(4, sizeof *curves);
    lg_status status =
        curves ? LG_OK : lg_fail_memory(error, 4 * sizeof *curves, "the curves of tone_curve");
    for (int i = 0; i < 4 && !status; i++)
        status = tone_curve_make(&curves[i], names[i], texts[i], error);
    float *table = status ? NULL : lg_alloc_array(3 * ENTRIES, sizeof *table);
    if (!status && !table)
        status = lg_fail_memory(error, 3 * ENTRIES * sizeof *table, "the table of tone_curve");
    for (int i = 0; table && i < 3 * ENTRIES; i++) {
        const double x = (double)(i % ENTRIES) / TONE_CURVE_STEPS;
        table[i] = (float)lg_spline_at(&curves[3], lg_spline_at(&curves[i / ENTRIES], x));
    }
    lg_free(curves);
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
    .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL | LG_FILTER_LOOK,
    .summary = "tone curves through control points",
    .formula = "c' = composite(curve(c)); each curve is a natural cubic spline through its points, "
               "clamped to 0..1, constant beyond the first and the last",
    .source = "GPUImageToneCurveFilter",
    .notes =
        "over=#NAME takes the curves of a file instead, Photoshop's .acv or a 1-D .cube, as lookup "
        "does. Here: one float table of 1025 numbers per channel, read between its entries; "
        "GPUImage's has "
        "256 entries of 8 bits, is half an entry off, and one more when the first x is not 0. "
        "Below the first point and above the last GPUImage jumps to 0 and 1. Two points "
        "of one x are an error, not a division by 0. At a sharp kink between two entries a 16-bit "
        "result is up to 43 steps of 65535 off the curve",
    .neutral =
        "red=0,0;0.5,0.5;1,1:green=0,0;0.5,0.5;1,1:blue=0,0;0.5,0.5;1,1:composite=0,0;0.5,0.5;1,1");
