#include "filter_call.h"
#include "check.h"
#include "content.h"
#include "cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_choice(const lg_filter_param *param, const char *text, float *value)
{
    char all[200];
    snprintf(all, sizeof all, "%s", param->choices);
    int index = 0;
    for (char *save, *word = strtok_r(all, "|", &save); word;
         word = strtok_r(NULL, "|", &save), index++)
        if (strcmp(word, text) == 0) {
            *value = (float)index;
            return true;
        }
    return false;
}

static void set_params(const lg_filter *filter, const char *params, float *values)
{
    char all[200];
    for (int i = 0; i < filter->param_count; i++)
        memcpy(values + lg_filter_offset(filter, i), filter->params[i].value,
               (size_t)filter->params[i].size * sizeof *values);
    snprintf(all, sizeof all, "%s", params ? params : "");
    for (char *save, *one = strtok_r(all, ":", &save); one; one = strtok_r(NULL, ":", &save)) {
        char *equals = strchr(one, '=');
        CHECK(equals, "no value in %s", one);
        *equals = 0;
        const lg_filter_param *param = NULL;
        lg_error error = {LG_OK, ""};
        CHECK(lg_filter_find_param(filter, one, &param, &error) == LG_OK, "%s", error.message);
        float *value = values + lg_filter_offset(filter, (int)(param - filter->params));
        if (param->kind == LG_PARAM_CHOICE)
            CHECK(set_choice(param, equals + 1, value), "%s is no %s", equals + 1, one);
        else
            *value = strtof(equals + 1, NULL);
    }
}

bool filter_prepare(filter_job *job, lg_context *context, const char *filter, const char *params,
                    const lg_image *in, const lg_image *over, lg_image *out)
{
    *job = (filter_job){.call = {.context = context, .in = {in, over}, .out = out}};
    const lg_status status = lg_filter_find(filter, &job->call.filter, &job->error);
    CHECK(status == LG_OK, "%s", job->error.message);
    if (status)
        return false;
    set_params(job->call.filter, params, job->values);
    job->call.values = job->values;
    job->call.error = &job->error;
    return true;
}

void filter_run(lg_context *context, const char *filter, const char *params, const lg_image *in,
                const lg_image *over, lg_image *out)
{
    filter_job job;
    if (!filter_prepare(&job, context, filter, params, in, over, out))
        return;
    const lg_native *native = ((const lg_filter_entry *)job.call.filter)->native;
    CHECK(native->cpu(&job.call) == LG_OK, "%s", job.error.message);
}

lg_context *filter_context(lg_cpu_level level, int threads)
{
    if (level != LG_CPU_BEST && lg_cpu_built(level) != level)
        return NULL;
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    if (lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU,
                                   it.use_cache = false, it.cpu_level = level,
                                   it.threads = threads),
                          &context, &error) != LG_OK)
        check_skip(error.message);
    return context;
}

int filter_contexts(lg_context *contexts[FILTER_CONTEXTS])
{
    int count = 0;
    for (int level = 0; level <= (int)lg_cpu_level_best(); level++)
        for (int threads = 1; threads <= 3; threads += 2)
            if ((contexts[count] = filter_context((lg_cpu_level)level, threads)))
                count++;
    return count;
}

lg_image *filter_image(lg_context *context, lg_image_params shape)
{
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    return image;
}

lg_image_params filter_any_shape(const int size[2], lg_type type)
{
    const int channels = 1 << random_below(3), layers = 1 + (int)random_below(2);
    lg_alpha alpha = channels == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
    if (channels == 2 && alpha == LG_ALPHA_OPAQUE)
        alpha = LG_ALPHA_STRAIGHT;
    return SHAPE(size[0], size[1], layers, channels, type, alpha);
}

static const char *row_of(const lg_image *image, int64_t y, int64_t layer)
{
    const lg_image_params *s = &image->shape;
    return (const char *)image->data + (size_t)layer * s->layer_stride + (size_t)y * s->row_stride;
}

float filter_sample(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel)
{
    const char *row = row_of(image, y, layer);
    const size_t at = (size_t)x * (size_t)image->shape.channels + (size_t)channel;
    switch (image->shape.type) {
    case LG_U8:
        return (float)((const uint8_t *)row)[at] / 255;
    case LG_U16:
        return (float)((const uint16_t *)row)[at] / 65535;
    case LG_F16:
        return lg_half_to_float(((const uint16_t *)row)[at]);
    default:
        return ((const float *)row)[at];
    }
}

bool filter_equal(const lg_image *a, const lg_image *b)
{
    const lg_image_params *s = &a->shape;
    const size_t bytes = (size_t)s->width * lg_pixel_size(s);
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++) {
            if (memcmp(row_of(a, y, z), row_of(b, y, z), bytes) == 0)
                continue;
            if (s->type == LG_U8 || s->type == LG_U16)
                return false;
            for (int32_t x = 0; x < s->width; x++)
                for (int c = 0; c < s->channels; c++) {
                    const float v = filter_sample(a, x, y, z, c), w = filter_sample(b, x, y, z, c);
                    if (isnan(v) ? !isnan(w) : (v != w || signbit(v) != signbit(w)))
                        return false;
                }
        }
    return true;
}

void filter_put(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value)
{
    char *row = (char *)row_of(image, y, layer);
    const size_t at = (size_t)x * (size_t)image->shape.channels + (size_t)channel;
    switch (image->shape.type) {
    case LG_U8:
        ((uint8_t *)row)[at] = (uint8_t)(value * 255);
        break;
    case LG_U16:
        ((uint16_t *)row)[at] = (uint16_t)(value * 65535);
        break;
    case LG_F16:
        ((uint16_t *)row)[at] = lg_float_to_half((float)value);
        break;
    default:
        ((float *)row)[at] = (float)value;
    }
}

int64_t filter_count_marks(const lg_image *image)
{
    int64_t count = 0;
    for (int32_t z = 0; z < image->shape.layers; z++)
        for (int32_t y = 0; y < image->shape.height; y++)
            for (int32_t x = 0; x < image->shape.width; x++)
                count += filter_sample(image, x, y, z, 0) > 0;
    return count;
}

int64_t filter_compare_marks(lg_context *context, const char *filter, const char *params,
                             lg_status (*reference)(const lg_native_call *call), const lg_image *in,
                             lg_type out_type)
{
    lg_image_params shape = in->shape;
    shape.type = out_type;
    lg_image *got = filter_image(context, shape), *want = filter_image(context, shape);
    filter_run(context, filter, params, in, NULL, got);
    filter_job job;
    if (filter_prepare(&job, context, filter, params, in, NULL, want))
        CHECK(!reference(&job.call), "%s", job.error.message);
    const int64_t marks = filter_count_marks(want);
    CHECK(filter_equal(got, want),
          "%s:%s on %d x %d x %d, %d channels of %s, alpha %d, %s, %d threads: %lld and %lld marks",
          filter, params, shape.width, shape.height, shape.layers, shape.channels,
          lg_type_name(in->shape.type), (int)shape.alpha, lg_cpu_level_name(context->cpu_level),
          lg_pool_threads(context->pool), (long long)filter_count_marks(got), (long long)marks);
    lg_image_destroy(&got);
    lg_image_destroy(&want);
    return marks;
}
