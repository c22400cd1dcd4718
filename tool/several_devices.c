#include "several_devices.h"

#include <stdio.h>
#include <string.h>

lg_status lg_several_indices(const lg_options *options, int indices[LG_MAX_DEVICES], int *count,
                             lg_error *error)
{
    lg_device_info all[LG_MAX_DEVICES + 1];
    size_t found = 0;
    *count = options->device_count;
    memcpy(indices, options->devices, sizeof options->devices);
    if (!options->all_gpus)
        return LG_OK;
    const lg_status status = lg_devices_list(all, LG_MAX_DEVICES + 1, &found, NULL, error);
    for (size_t i = 0; i < found && i <= LG_MAX_DEVICES && !status; i++)
        if (all[i].kind == LG_DEVICE_VULKAN && all[i].usable && all[i].hardware &&
            *count < LG_MAX_DEVICES)
            indices[(*count)++] = all[i].index;
    if (!status && *count == 0)
        return lg_set_error(error, LG_ERROR_DEVICE,
                            "--device gpus: there is no GPU here that can be used; `lumagraph "
                            "devices` lists what there is");
    return status;
}

// Strict contexts: what a lost device had to do goes to another one, not to the processor.
static lg_status open_contexts(lg_session *session, const int *indices, int count, lg_error *error)
{
    const lg_options *options = session->options;
    lg_status status = LG_OK;
    for (int i = 0; i < count && !status; i++) {
        lg_context_params params = lg_context_params_default();
        params.device = LG_DEVICE_VULKAN;
        params.device_index = indices[i];
        params.threads = (int)options->threads;
        params.strict = true;
        status = lg_context_create(&params, &session->several[i], error);
        session->several_count += !status;
    }
    return status;
}

lg_status lg_several_open(lg_session *session, lg_error *error)
{
    int indices[LG_MAX_DEVICES], count = 0;
    lg_status status = lg_several_indices(session->options, indices, &count, error);
    if (status || count < 2)
        return status;
    status = open_contexts(session, indices, count, error);
    if (!status)
        status = lg_batch_create(session->several, session->several_count, &session->batch, error);
    snprintf(session->device_reason, sizeof session->device_reason,
             "asked for with --device: strips of rows on %d devices", count);
    return status;
}

void lg_several_close(lg_session *session)
{
    lg_batch_destroy(&session->batch);
    for (int i = 0; i < session->several_count; i++)
        lg_context_destroy(&session->several[i]);
    session->several_count = 0;
}

// The report names all devices, each as often as it is there.
void lg_several_note_engine(lg_session *session, double seconds)
{
    lg_engine_report engine = {.upload = -1, .compute = seconds, .download = -1};
    size_t used = 0;
    for (int i = 0; i < session->several_count && used < sizeof engine.device; i++) {
        lg_device_info info;
        lg_context_device(session->several[i], &info);
        used += (size_t)snprintf(engine.device + used, sizeof engine.device - used, "%s%s",
                                 i ? ", " : "", info.name);
        snprintf(engine.driver, sizeof engine.driver, "%s", info.driver);
    }
    snprintf(engine.variant, sizeof engine.variant, "strips");
    session->engine = engine;
    session->engine_settled = true;
}

lg_status lg_session_moments(lg_session *session, const lg_image *image,
                             const lg_moments_params *params, lg_moments *out, size_t capacity,
                             lg_error *error)
{
    if (!session->batch)
        return lg_measure_moments(session->context, image, params, out, capacity, error);
    lg_context *processor;
    const double start = lg_clock();
    lg_status status = lg_batch_moments(session->batch, image, params, out, capacity, error);
    if (!status) {
        lg_several_note_engine(session, lg_clock() - start);
    } else if (lg_session_may_fall_back(session, status, &processor, error)) {
        const lg_error why = *error;
        status = lg_measure_moments(processor, image, params, out, capacity, error);
        lg_session_fell_back(session, &why);
    }
    return status;
}

lg_status lg_session_histogram(lg_session *session, const lg_image *image,
                               const lg_histogram_params *params, lg_histogram **out,
                               lg_error *error)
{
    if (!session->batch)
        return lg_measure_histogram(session->context, image, params, out, error);
    lg_context *processor;
    const double start = lg_clock();
    lg_status status = lg_batch_histogram(session->batch, image, params, out, error);
    if (!status) {
        lg_several_note_engine(session, lg_clock() - start);
    } else if (lg_session_may_fall_back(session, status, &processor, error)) {
        const lg_error why = *error;
        status = lg_measure_histogram(processor, image, params, out, error);
        lg_session_fell_back(session, &why);
    }
    return status;
}

lg_status lg_session_threshold(lg_session *session, const lg_image *image,
                               const lg_threshold_params *params, lg_threshold *out,
                               size_t capacity, lg_image **binary, lg_error *error)
{
    if (!session->batch)
        return lg_threshold_image(session->context, image, params, out, capacity, binary, error);
    lg_context *processor;
    const double start = lg_clock();
    lg_status status =
        lg_batch_threshold(session->batch, image, params, out, capacity, binary, error);
    if (!status) {
        lg_several_note_engine(session, lg_clock() - start);
    } else if (lg_session_may_fall_back(session, status, &processor, error)) {
        const lg_error why = *error;
        status = lg_threshold_image(processor, image, params, out, capacity, binary, error);
        lg_session_fell_back(session, &why);
    }
    return status;
}

static lg_status label_with(lg_context *context, const lg_image *image,
                            const lg_label_params *params, const lg_image *intensity,
                            lg_labels **labels, lg_components **components, lg_error *error)
{
    lg_status status = lg_label_image(context, image, params, intensity, labels, components, error);
    if (!status && labels)
        status = lg_labels_download(context, *labels, error);
    if (!status)
        return LG_OK;
    if (labels)
        lg_labels_destroy(labels);
    lg_components_destroy(components);
    return status;
}

lg_status lg_session_label(lg_session *session, const lg_image *image,
                           const lg_label_params *params, const lg_image *intensity,
                           lg_labels **labels, lg_components **components, lg_error *error)
{
    const double start = lg_clock();
    lg_context *processor;
    lg_status status =
        session->batch
            ? lg_batch_label(session->batch, image, params, intensity, labels, components, error)
            : label_with(session->context, image, params, intensity, labels, components, error);
    if (!status && labels && session->batch) // of an image that one device has labelled
        status = lg_labels_download(session->several[0], *labels, error);
    if (!status && session->batch) {
        lg_several_note_engine(session, lg_clock() - start);
    } else if (status && lg_session_may_fall_back(session, status, &processor, error)) {
        const lg_error why = *error;
        if (labels)
            lg_labels_destroy(labels);
        lg_components_destroy(components);
        status = label_with(processor, image, params, intensity, labels, components, error);
        lg_session_fell_back(session, &why);
    }
    return status;
}
