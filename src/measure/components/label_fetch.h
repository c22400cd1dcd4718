// From records in device memory to sums of components.
#ifndef LG_LABEL_FETCH_H
#define LG_LABEL_FETCH_H

#include "measure/components/label_device.h"

// Records of all components; NULL where a request needs none.
typedef struct lg_label_records {
    lg_vk_buffer *figures, *shapes, *reals;
} lg_label_records;

// Allocates records for `count` components and puts their addresses into the request.
lg_status lg_label_records_create(lg_context *context, const lg_label_source *source, bool shape,
                                  uint32_t count, lg_label_request *request, lg_label_records *out,
                                  lg_error *error);
void lg_label_records_destroy(lg_context *context, lg_label_records *records);

// Fills components, which have memory for the request. `largest` is the word of the request.
lg_status lg_label_fetch(lg_context *context, const lg_label_source *source,
                         const lg_label_request *request, const lg_label_records *records,
                         uint32_t largest, lg_components *components, lg_error *error);

#endif
