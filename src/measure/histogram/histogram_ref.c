// The plain histogram: pixel by pixel, as the definitions say it.
#include <math.h>

#include "kernel/space/hsl.h"
#include "kernel/space/lab.h"
#include "kernel/space/lch.h"
#include "kernel/space/luv.h"
#include "kernel/space/oklab.h"
#include "kernel/space/ycbcr.h"
#include "kernel/space/yiq.h"
#include "measure/histogram/histogram.h"

typedef struct ref_pixel {
    uint32_t bits[LG_MAX_CHANNELS]; // the stored samples
    float value[LG_MAX_CHANNELS];   // as numbers
} ref_pixel;

static ref_pixel load(const lg_scan *scan, int32_t layer, int64_t row, int64_t x)
{
    const int stored = scan->image->shape.channels;
    const int64_t at = x * scan->step * stored;
    const void *start = lg_scan_row(scan, layer, row);
    ref_pixel p = {0};
    for (int c = 0; c < stored; c++) {
        if (scan->type == LG_U8) {
            p.bits[c] = ((const uint8_t *)start)[at + c];
            p.value[c] = (float)p.bits[c];
        } else if (scan->type == LG_U16) {
            p.bits[c] = ((const uint16_t *)start)[at + c];
            p.value[c] = (float)p.bits[c];
        } else if (scan->type == LG_F16) {
            p.bits[c] = ((const uint16_t *)start)[at + c];
            p.value[c] = lg_half_to_float((uint16_t)p.bits[c]);
        } else {
            p.value[c] = ((const float *)start)[at + c];
        }
    }
    return p;
}

static uint32_t integer_luma(const lg_histogram_task *task, const ref_pixel *p)
{
    if (task->luma == LG_LUMA_MAX)
        return LG_MAX(p->bits[0], LG_MAX(p->bits[1], p->bits[2]));
    uint64_t sum = 32768;
    for (int c = 0; c < 3; c++)
        sum += (uint64_t)task->luma_weight[c] * p->bits[c];
    return (uint32_t)(sum >> 16);
}

static float float_luma(const lg_histogram_task *task, const ref_pixel *p)
{
    const float *v = p->value, *w = task->luma_weight_float;
    const float high = LG_MAX(v[0], LG_MAX(v[1], v[2])), low = LG_MIN(v[0], LG_MIN(v[1], v[2]));
    if (task->luma == LG_LUMA_MAX)
        return high;
    const float red = w[0] * v[0], green = w[1] * v[1], blue = w[2] * v[2];
    const float sum = (red + green) + blue;
    return LG_MIN(LG_MAX(sum, low), high);
}

// Channel `channel` of a computed float colour.
static float computed(const lg_histogram_task *task, const ref_pixel *p, int channel)
{
    const float *v = p->value;
    if (isnan(v[0]) || isnan(v[1]) || isnan(v[2]))
        return NAN;
    if (isinf(v[0]) || isinf(v[1]) || isinf(v[2]))
        return INFINITY;
    if (task->space <= LG_SPACE_RGBL)
        return float_luma(task, p);
    const float s = task->sample_scale;
    color c = {v[0] * s, v[1] * s, v[2] * s, 1};
    switch (task->space) {
    case LG_SPACE_LINEAR:
        c = lg_point_linear(c);
        break;
    case LG_SPACE_HSV:
        c = lg_point_hsv(c);
        break;
    case LG_SPACE_HSL:
        c = lg_point_hsl(c);
        break;
    case LG_SPACE_YCBCR601:
        c = lg_point_ycbcr601(c);
        break;
    case LG_SPACE_YCBCR709:
        c = lg_point_ycbcr709(c);
        break;
    case LG_SPACE_YIQ:
        c = lg_point_yiq(c);
        break;
    case LG_SPACE_XYZ:
        c = lg_point_xyz(c);
        break;
    case LG_SPACE_LUV:
        c = lg_point_luv(c);
        break;
    case LG_SPACE_LCH:
        c = lg_point_lch(c);
        break;
    case LG_SPACE_OKLAB:
        c = lg_point_oklab(c);
        break;
    default:
        c = lg_point_lab(c);
        break;
    }
    return channel == 0 ? c.r : channel == 1 ? c.g : c.b;
}

static void count_pixel(const lg_histogram_task *task, const ref_pixel *p, int32_t layer,
                        lg_histogram_counts *out)
{
    for (int c = 0; c < task->channels; c++) {
        const size_t row = (size_t)layer * (size_t)task->channels + (size_t)c;
        uint64_t *table = out->tables + row * task->table_size;
        const bool stored = c < task->sources;
        if (task->native) {
            table[stored ? p->bits[c] : integer_luma(task, p)]++;
            continue;
        }
        const float value = stored ? p->value[c] : computed(task, p, c);
        const uint32_t bin = lg_histogram_bin(&task->rule[c], task->table_size, value);
        if (bin < task->table_size)
            table[bin]++;
        else
            out->outside[row * LG_OUTSIDE_COUNT + (bin - task->table_size)]++;
    }
}

lg_status lg_histogram_ref(lg_context *context, const lg_histogram_task *task,
                           lg_histogram_counts *out, lg_error *error)
{
    const lg_scan *scan = &task->scan;
    uint8_t *mask = lg_alloc((size_t)scan->width);
    if (!mask)
        return lg_fail_memory(error, (size_t)scan->width, "a row of the mask");
    for (int32_t layer = 0; layer < scan->layers; layer++) {
        for (int64_t row = 0; row < scan->height; row++) {
            if (scan->selective)
                lg_scan_row_mask(scan, layer, row, mask);
            for (int64_t x = 0; x < scan->width; x++) {
                if (scan->selective && !mask[x])
                    continue;
                const ref_pixel pixel = load(scan, layer, row, x);
                count_pixel(task, &pixel, task->stack ? 0 : layer, out);
            }
        }
    }
    lg_free(mask);
    out->variant = LG_HISTOGRAM_CPU_SINGLE;
    return LG_OK;
}
