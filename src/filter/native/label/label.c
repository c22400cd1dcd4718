// Labels of connected components: the entry, and the CPU.
#include "filter/native/label/label_filter.h"
#include "filter/native/label/label_rule.h"
#include "filter/native/tiles.h"

#include <string.h>

#define BAND_PIXELS 65536 // of one job of a thread, about

// ---- parameters ---------------------------------------------------------------------------------

int lg_label_connectivity(const lg_filter *filter, const float *values)
{
    static const int choices[] = {4, 8, 6, 18, 26};
    return choices[(int)lg_native_value(filter, values, "connectivity")];
}

int lg_label_connectivity_behind(const lg_filter *filter, const float *values)
{
    const bool labels = filter && strcmp(filter->name, "label") == 0;
    return labels ? lg_label_connectivity(filter, values) : 8;
}

static bool is_float(const lg_filter *filter, const float *values)
{
    return lg_native_value(filter, values, "type") != 0;
}

uint32_t lg_label_most(const lg_filter *filter, const float *values)
{
    return is_float(filter, values) ? 1u << 24 : UINT16_MAX;
}

float lg_label_sample_unit(const lg_filter *filter, const float *values)
{
    return is_float(filter, values) ? 1 : LG_UNIT_U16;
}

lg_status lg_label_refuse(const lg_filter *filter, const float *values, uint32_t components,
                          lg_error *error)
{
    return lg_fail(error, LG_ERROR_LIMIT, "label: %u components, and labels of %s end at %u; %s",
                   components, is_float(filter, values) ? "f32" : "u16",
                   lg_label_most(filter, values),
                   is_float(filter, values) ? "remove the smallest first, as with median or opening"
                                            : "type=f32 takes up to 16777216");
}

// ---- the CPU ------------------------------------------------------------------------------------

typedef struct paint_job {
    const lg_stage_table *stage;
    const lg_labels *labels;
    const lg_image *out;
    float unit;
    int32_t rows; // of a band
} paint_job;

static void paint_row(const paint_job *job, const lg_pixels *to, int32_t y, int32_t z)
{
    const lg_labels *l = job->labels;
    const uint32_t *row =
        (const uint32_t *)(const void *)((const char *)l->data + (size_t)z * l->layer_stride +
                                         (size_t)y * l->row_stride);
    _Alignas(64) float grey[LG_SPAN], alpha[LG_SPAN];
    float *const planes[4] = {grey, grey, grey, alpha};
    for (int i = 0; i < LG_SPAN; i++)
        alpha[i] = 1;
    for (int32_t x = 0; x < l->width; x += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, l->width - x);
        for (int32_t i = 0; i < n; i++)
            grey[i] = lg_label_component(row[x + i], job->unit);
        job->stage->store(to, x, y, n, planes);
    }
}

static lg_status paint_band(void *arg, const lg_tile *t)
{
    const paint_job *job = arg;
    const lg_pixels to = lg_layer_pixels(job->out, t->layer);
    for (int64_t y = t->y; y < t->y_end; y++)
        paint_row(job, &to, (int32_t)y, t->layer);
    return LG_OK;
}

static lg_status paint(const lg_native_call *call, const lg_labels *labels)
{
    paint_job job = {lg_stage_get(call->context->cpu_level), labels, call->out,
                     lg_label_sample_unit(call->filter, call->values)};
    lg_tiling tiling = lg_image_tiling(&call->out->shape);
    tiling.band = LG_MAX(1, BAND_PIXELS / labels->width);
    tiling.run = paint_band;
    tiling.job = &job;
    return lg_tiling_run(call->context->pool, &tiling, call->error);
}

static lg_status label_cpu(const lg_native_call *call)
{
    lg_label_params params = lg_label_params_default();
    params.connectivity = lg_label_connectivity(call->filter, call->values);
    params.memory_limit = SIZE_MAX;
    lg_image *made = NULL;
    lg_labels *labels = NULL;
    lg_status status = lg_foreground_make(call->context, call->in[0], NULL, &made, call->error);
    if (!status)
        status = lg_label_image(call->context, made ? made : call->in[0], &params, NULL, &labels,
                                NULL, call->error);
    if (!status && labels->count > lg_label_most(call->filter, call->values))
        status = lg_label_refuse(call->filter, call->values, labels->count, call->error);
    if (!status) // the context may have a device, though the plan is the CPU's
        status = lg_labels_download(call->context, labels, call->error);
    if (!status)
        status = paint(call, labels);
    lg_labels_destroy(&labels);
    lg_image_destroy(&made);
    return status;
}

// ---- the entry ----------------------------------------------------------------------------------

static lg_status label_shape(float *values, lg_image_params *shape, lg_error *error)
{
    extern const lg_filter_entry lg_filter_label;
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    shape->type = is_float(&lg_filter_label.filter, values) ? LG_F32 : LG_U16;
    return LG_OK;
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, connectivity, 1, "4|8|6|18|26",                                                      \
      "neighbours of a pixel: 4 or 8 in its layer; 6, 18 or 26 with the layers as z")              \
    X(CHOICE, type, 0, "u16|f32",                                                                  \
      "of the labels: label n is the sample n of 16 bits, at most 65535, or the number n, up to "  \
      "16777216")

LG_ROWS(label)

static const lg_native label_native = {.cpu = label_cpu,
                                       .vulkan = LG_VULKAN(lg_label_filter_vulkan),
                                       .fits = LG_VULKAN(lg_label_filter_fits),
                                       .refuse = lg_label_refuse};

LG_NATIVE_FILTER_SHAPED(
    label, &label_native, label_shape, 1, .summary = "numbers the connected components of an image",
    .formula = "0 where r = g = b = 0 (or NaN), else the number of the pixel's component, counted "
               "from 1 in raster order of the components' first pixels; that / 65535 with type=u16",
    .source = "ours: the labels of `lumagraph label`",
    .notes = "one channel; a 16-bit output has the labels as its samples. More components than the "
             "type holds are an error. Figures of what goes in or comes out: @components, "
             "@largest.area");
