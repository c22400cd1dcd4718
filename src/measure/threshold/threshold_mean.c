// Means of f16 and f32 images as levels: those of the moments, of the grey channel or of luma.
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold_kernels.h"

#include <math.h>

lg_status lg_threshold_set_mean(double mean, lg_threshold *out, lg_error *error)
{
    *out = (lg_threshold){.levels = 1, .level = {mean}, .bin = {-1}, .separability = NAN};
    return isnan(mean) ? lg_fail(error, LG_ERROR_DATA,
                                 "the mean is NaN: no sample was selected, or NaN samples are set "
                                 "to propagate")
                       : LG_OK;
}

static lg_status float_means(const lg_threshold_job *job, const lg_image *image,
                             const lg_select *select, lg_threshold *out, lg_error *error)
{
    const size_t channels = (size_t)lg_image_measured_channels(&image->shape);
    const size_t layers = job->params->stack ? 1 : (size_t)job->scan->layers;
    lg_moments *moments = lg_alloc_array(channels * layers, sizeof *moments);
    if (!moments)
        return lg_fail_memory(error, channels * layers * sizeof *moments, "the means of an image");
    const lg_moments_params params = {
        .size = sizeof(lg_moments_params), .select = *select, .stack = job->params->stack};
    lg_status status =
        lg_measure_moments(job->context, image, &params, moments, channels * layers, error);
    for (size_t i = 0; status == LG_OK && i < layers; i++)
        status = lg_threshold_set_mean(moments[i * channels].mean, &out[i], error);
    lg_free(moments);
    return status;
}

static lg_status luma_means(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    const bool stack = job->params->stack;
    const size_t layers = stack ? 1 : (size_t)job->scan->layers;
    lg_moments_state *states = lg_alloc_array(layers, sizeof *states);
    if (!states)
        return lg_fail_memory(error, layers * sizeof *states, "the means of an image");
    lg_status status =
        lg_luma_moments(job->context, job->scan, job->params->luma, stack, states, error);
    for (size_t i = 0; status == LG_OK && i < layers; i++) {
        lg_moments figures;
        status = lg_moments_finish(&states[i], job->scan->nan, &figures, error);
        if (status == LG_OK)
            status = lg_threshold_set_mean(figures.mean, &out[i], error);
    }
    lg_free(states);
    return status;
}

lg_status lg_threshold_float_means(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    return job->scan->channels == 4
               ? luma_means(job, out, error)
               : float_means(job, job->image, &job->params->select, out, error);
}
