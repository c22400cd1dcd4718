// Several devices for one command: --device gpus, --device vulkan:0,vulkan:1.
#ifndef LG_SEVERAL_DEVICES_H
#define LG_SEVERAL_DEVICES_H

#include "session.h"

// Opens the devices that the options name beside the first one, which the session has; nothing where they
// name one alone.
lg_status lg_several_open(lg_session *session, lg_error *error);
void lg_several_close(lg_session *session);

// The indices of the devices: of --device gpus all GPUs. LG_ERROR_DEVICE where there is none.
lg_status lg_several_indices(const lg_options *options, int indices[LG_MAX_DEVICES], int *count,
                             lg_error *error);

// Moments, histograms and levels of an image: in strips where there are several devices.
lg_status lg_session_moments(lg_session *session, const lg_image *image,
                             const lg_moments_params *params, lg_moments *out, size_t capacity,
                             lg_error *error);
lg_status lg_session_histogram(lg_session *session, const lg_image *image,
                               const lg_histogram_params *params, lg_histogram **out,
                               lg_error *error);
lg_status lg_session_threshold(lg_session *session, const lg_image *image,
                               const lg_threshold_params *params, lg_threshold *out,
                               size_t capacity, lg_image **binary, lg_error *error);
// Components of an image, whose labels are in host memory: each device labels strips.
lg_status lg_session_label(lg_session *session, const lg_image *image,
                           const lg_label_params *params, const lg_image *intensity,
                           lg_labels **labels, lg_components **components, lg_error *error);

// What all devices have computed in so many seconds goes into the report.
void lg_several_note_engine(lg_session *session, double seconds);

#endif
