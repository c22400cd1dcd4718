// From parameters to a counting task: channels, ranges, weights.
#include <float.h>
#include <math.h>

#include "measure/histogram/histogram.h"
#include "measure/threshold/luma_moments.h"

// Luma weights in 1/65536, each row sums to 65536, and as floats. LG_LUMA_MAX has none.
static const struct {
    uint32_t integer[3];
    float real[3];
} luma_weights[LG_LUMAS] = {
    [LG_LUMA_BT709] = {{13933, 46871, 4732}, {0.2126f, 0.7152f, 0.0722f}},
    [LG_LUMA_BT601] = {{19595, 38470, 7471}, {0.299f, 0.587f, 0.114f}},
    [LG_LUMA_BT2020] = {{17216, 44434, 3886}, {0.2627f, 0.678f, 0.0593f}},
    [LG_LUMA_GPUIMAGE] = {{13926, 46885, 4725}, {0.2125f, 0.7154f, 0.0721f}},
    [LG_LUMA_MEAN] = {{21845, 21846, 21845}, {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f}},
};

static lg_status check_params(const lg_histogram_params *p, lg_error *error)
{
    if (p->bins != -1 && (p->bins < 1 || p->bins > LG_MAX_BINS))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "bins is %d; it must be 1 to %d, or -1 for the default", p->bins,
                       LG_MAX_BINS);
    if ((unsigned)p->space >= LG_SPACES || (unsigned)p->luma >= LG_LUMAS ||
        (unsigned)p->variant >= LG_HISTOGRAM_VARIANTS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "space %d, luma %d or variant %d is not in its enumeration", (int)p->space,
                       (int)p->luma, (int)p->variant);
    bool range = p->automatic_range || p->type_range;
    if (!range && !(isfinite(p->lo) && isfinite(p->hi) && p->lo < p->hi))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "range %g:%g; both ends must be finite and the first the smaller one", p->lo,
                       p->hi);
    return LG_OK;
}

static lg_status plan_channels(const lg_histogram_params *params, lg_histogram_task *t,
                               lg_error *error)
{
    const bool grey = t->scan.channels < 3;
    const bool luma = params->space == LG_SPACE_LUMA || params->space == LG_SPACE_RGBL;
    if (grey && params->space != LG_SPACE_STORED && !luma)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "space %s needs red, green and blue; this image has %d channel%s: use "
                       "stored or luma",
                       lg_space_name(params->space), t->scan.channels,
                       t->scan.channels == 1 ? "" : "s");
    const bool integer = t->scan.type == LG_U8 || t->scan.type == LG_U16;
    t->linear = integer && params->space == LG_SPACE_LINEAR;
    t->space = grey || t->linear ? LG_SPACE_STORED : params->space;
    t->asked = params->space;
    if (t->space == LG_SPACE_STORED || t->space == LG_SPACE_RGBL)
        t->sources = params->space == LG_SPACE_LUMA ? 1 : t->linear ? 3 : t->scan.measured;
    if (t->space == LG_SPACE_STORED)
        t->channels = t->sources;
    else if (t->space == LG_SPACE_RGBL)
        t->channels = t->sources + 1;
    else
        t->channels = t->space == LG_SPACE_LUMA ? 1 : 3;
    t->native =
        t->space == LG_SPACE_STORED ? t->scan.type != LG_F32 : integer && t->space <= LG_SPACE_RGBL;
    return LG_OK;
}

// Ranges of the components of spaces that have others than 0..1.
static const struct {
    double lo[3], hi[3];
} space_ranges[LG_SPACES] = {
    [LG_SPACE_LAB] = {{0, -128, -128}, {100, 128, 128}},
    [LG_SPACE_YCBCR601] = {{0, -0.5, -0.5}, {1, 0.5, 0.5}},
    [LG_SPACE_YCBCR709] = {{0, -0.5, -0.5}, {1, 0.5, 0.5}},
    [LG_SPACE_YIQ] = {{0, -0.6, -0.6}, {1, 0.6, 0.6}},
    [LG_SPACE_XYZ] = {{0, 0, 0}, {0.95047, 1, 1.08883}},
    [LG_SPACE_LUV] = {{0, -180, -180}, {100, 180, 180}},
    [LG_SPACE_LCH] = {{0, 0, 0}, {100, 135, 1}},
    [LG_SPACE_OKLAB] = {{0, -0.4, -0.4}, {1, 0.4, 0.4}},
};

static void natural_range(lg_histogram_task *t)
{
    double hi = 1;
    if (t->native && !t->linear && t->scan.type != LG_F16)
        hi = t->scan.type == LG_U8 ? 255 : 65535;
    for (int c = 0; c < LG_HISTOGRAM_MAX_CHANNELS; c++) {
        t->lo[c] = 0;
        t->hi[c] = hi;
    }
    for (int c = 0; c < 3 && space_ranges[t->space].hi[0] > 0; c++) {
        t->lo[c] = space_ranges[t->space].lo[c];
        t->hi[c] = space_ranges[t->space].hi[c];
    }
}

static void set_range(lg_histogram_task *t, double lo, double hi)
{
    for (int c = 0; c < LG_HISTOGRAM_MAX_CHANNELS; c++) {
        t->lo[c] = lo;
        t->hi[c] = hi;
    }
}

void lg_histogram_widen(double *lo, double *hi)
{
    if (*hi > *lo)
        return;
    const double half = fmax(0.5, fabs(*lo) * 0x1p-20);
    *lo = fmax(*lo - half, -(double)FLT_MAX);
    *hi = fmin(*hi + half, (double)FLT_MAX);
}

// The extremes of what is counted: of each stored channel, or of luma. Returns how many there are.
static lg_status measure_extremes(lg_context *context, const lg_image *image, lg_histogram_task *t,
                                  const lg_select *select, lg_moments *out, int *count,
                                  lg_error *error)
{
    lg_moments_params params = {
        .size = sizeof(lg_moments_params), .select = *select, .stack = true};
    params.select.nan = LG_NAN_IGNORE;
    *count = t->sources;
    if (t->space != LG_SPACE_LUMA)
        return lg_measure_moments(context, image, &params, out, LG_MAX_CHANNELS, error);
    lg_moments_state state;
    lg_scan scan = t->scan;
    scan.nan = LG_NAN_IGNORE;
    *count = 1;
    const lg_status status = lg_luma_moments(context, &scan, t->luma, true, &state, error);
    return status ? status : lg_moments_finish(&state, LG_NAN_IGNORE, out, error);
}

static lg_status measure_range(lg_context *context, const lg_image *image, const lg_select *select,
                               lg_histogram_task *t, lg_error *error)
{
    lg_moments moments[LG_MAX_CHANNELS];
    int count;
    const lg_status status = measure_extremes(context, image, t, select, moments, &count, error);
    if (status != LG_OK)
        return status;
    double lo = INFINITY, hi = -INFINITY;
    for (int c = 0; c < count; c++) {
        lo = fmin(lo, moments[c].min);
        hi = fmax(hi, moments[c].max);
    }
    if (lo > hi) // nothing finite: the natural range stays
        return LG_OK;
    t->only = lo == hi ? lo : NAN;
    lg_histogram_widen(&lo, &hi);
    set_range(t, lo, hi);
    return LG_OK;
}

static lg_status plan_range(lg_context *context, const lg_image *image,
                            const lg_histogram_params *params, lg_histogram_task *t,
                            lg_error *error)
{
    natural_range(t);
    if (params->automatic_range) {
        t->automatic = t->native && !t->linear;
        if (!t->native && t->space <= LG_SPACE_RGBL)
            return measure_range(context, image, &params->select, t, error);
    } else if (!params->type_range) {
        set_range(t, params->lo, params->hi);
    }
    return LG_OK;
}

lg_status lg_histogram_set_rule(double lo, double hi, int32_t bins, lg_histogram_rule *out,
                                lg_error *error)
{
    const float low = (float)lo, high = (float)hi;
    const double spread = (double)high - (double)low;
    if (!isfinite(low) || !isfinite(high) || !(spread > 0))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "range %g:%g; as 32-bit floats its ends must differ and be finite", lo, hi);
    const double factor = spread < (double)LG_HISTOGRAM_NARROW ? 1 / (double)LG_HISTOGRAM_NARROW
                          : spread > (double)LG_HISTOGRAM_WIDE ? 0x1p-4
                                                               : 1;
    *out = (lg_histogram_rule){.lo = low,
                               .hi = high,
                               .factor = (float)factor,
                               .start = (float)(low * factor),
                               .scale = (float)(bins / (spread * factor))};
    return LG_OK;
}

static lg_status plan_tables(lg_histogram_task *t, lg_error *error)
{
    t->table_size = t->scan.type == LG_U8 ? 256 : 65536;
    if (t->native)
        return LG_OK;
    t->bins = t->bins < 0 ? 256 : t->bins;
    t->table_size = (uint32_t)t->bins;
    for (int c = 0; c < t->channels; c++) {
        lg_status status = lg_histogram_set_rule(t->lo[c], t->hi[c], t->bins, &t->rule[c], error);
        if (status != LG_OK)
            return status;
    }
    return LG_OK;
}

lg_status lg_histogram_plan(lg_context *context, const lg_image *image,
                            const lg_histogram_params *params, lg_histogram_task *out,
                            lg_error *error)
{
    const lg_histogram_params defaults = lg_histogram_params_default();
    if (!params)
        params = &defaults;
    lg_histogram_task t = {.luma = params->luma,
                           .stack = params->stack,
                           .variant = params->variant,
                           .bins = params->bins,
                           .only = NAN};
    lg_status status = check_params(params, error);
    if (status == LG_OK)
        status = lg_scan_init(&t.scan, image, &params->select, error);
    if (status == LG_OK)
        status = plan_channels(params, &t, error);
    if (status != LG_OK)
        return status;
    t.layers = t.stack ? 1 : t.scan.layers;
    t.sample_scale = 1;
    if (t.scan.type == LG_U8)
        t.sample_scale = (float)(1.0 / 255.0);
    if (t.scan.type == LG_U16)
        t.sample_scale = (float)(1.0 / 65535.0);
    for (int c = 0; c < 3; c++) {
        t.luma_weight[c] = luma_weights[t.luma].integer[c];
        t.luma_weight_float[c] = luma_weights[t.luma].real[c];
    }
    status = plan_range(context, image, params, &t, error);
    if (status == LG_OK)
        status = plan_tables(&t, error);
    if (status == LG_OK)
        *out = t;
    return status;
}
