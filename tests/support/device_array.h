// Arrays in device memory and batches of boxes, for tests of the kernels of area sums.
#ifndef LG_TEST_DEVICE_ARRAY_H
#define LG_TEST_DEVICE_ARRAY_H

#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_planes.h"

extern lg_context *area_context;
extern lg_error area_error;
extern const char *const sum_names[3]; // of lg_area_word

// Samples without gaps on the host, rows with gaps full of ones on the device.
typedef struct array {
    lg_device_array device;
    lg_vk_buffer *buffer;
    uint8_t *data;
    size_t samples, row; // in all; of a row
} array;

double value_at(const array *a, size_t i);
double largest_of(const array *a);
int fraction_of(const array *a); // F of the definition
int exponent_of(const array *a); // E of it
// A sample as the sums have it; `exponent`: E of the definition.
uint64_t sample_sum(const array *a, const lg_area_rule *rule, size_t i, int exponent);

// wild: any bits, so that floats are of any magnitude; otherwise like an image.
bool open_array(array *a, lg_type type, int channels, uint32_t width, uint32_t height,
                uint32_t layers, bool wild);
void close_array(array *a);

// Submits what was recorded, unless recording failed, and waits: a check.
bool finish(lg_vk_commands *commands, lg_status status);
lg_vk_buffer *new_buffer(size_t size);
bool download(void *to, const lg_vk_buffer *from, size_t size);

// Random boxes, on the host and on the device.
typedef struct batch {
    lg_device_boxes device;
    lg_vk_buffer *bounds_buffer, *results_buffer;
    int32_t *bounds;
    uint64_t *results;
    size_t words; // results in all
} batch;

bool open_batch(batch *b, const array *a, int dims, size_t count);
void close_batch(batch *b);

#endif
