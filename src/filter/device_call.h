// What a native filter gets on a Vulkan device, where it records dispatches. Its kernels are GLSL
// files src/filter/native/NAME/NAME_*.glsl, embedded as lg_glsl_NAME_*. They are compiled behind
// the common texts and access images through views: filter/device_glsl.h.
#ifndef LG_DEVICE_CALL_H
#define LG_DEVICE_CALL_H

#include "filter/catalogue.h"
#include "filter/device_glsl.h"
#include "vulkan/vk.h"

#include <stdio.h>

typedef struct lg_device_image {
    uint64_t address;
    size_t row_stride, layer_stride; // bytes, multiples of 16; 256 bytes behind a row are readable
    lg_image_params shape;
    int64_t above; // kernels get the address that so many rows above the first would have
} lg_device_image;

// A pipeline that a stage used before. The key holds everything that its text depends on.
typedef struct lg_kept_kernel {
    unsigned char *key;
    size_t size;
    const lg_vk_pipeline *pipeline;
} lg_kept_kernel;

#define LG_MAX_KEPT 32 // per stage; for further kernels every recording assembles the text again

typedef struct lg_device_call {
    lg_context *context;
    const lg_filter *filter;
    const float *values; // of the parameters
    const char *const *texts;
    lg_device_image in[2], out;
    // Rows `first` .. `end` - 1 of the output are wanted, and rows `from` .. `to` - 1 of the first input are
    // there. These are all, but of lg_native.by_rows: there images have the shapes of the whole ones, and the
    // addresses that their rows 0 would have (lg_device_cut).
    int64_t from, to, first, end;
    void **made; // what the filter keeps from run to run of one plan (lg_native.drop)
    // Device address of LG_STAGE_HEADER numbers, then the parameters. The numbers are those of the
    // output; every view has the size of the first input. Kernels use lg_param_float and
    // lg_param_int.
    uint64_t numbers;
    lg_vk_commands *commands;
    lg_vk_buffer **scratch; // of this stage, kept from run to run
    int scratch_count;
    lg_kept_kernel *kept; // likewise; NULL: no kernels are kept
    bool runs_once;       // the recording must not rely on a second attempt (device/lookback.h)
    uint64_t refused;     // device address of a word, 0 at first, for lg_native.refuse
    // The first failure of what was asked of this call. The functions below that return no status
    // leave it here, with its message in `error`, and do nothing from then on.
    lg_status status;
    lg_error *error;
} lg_device_call;

#define LG_MAX_SCRATCH 10 // a band takes two

// The address of device memory of at least `bytes` for this run; contents undefined. The k-th call
// of a run gets the memory of the k-th call of the previous run when that is large enough. 0: failed.
uint64_t lg_device_memory(lg_device_call *call, size_t bytes);

// The same, filled with zeros.
uint64_t lg_device_zeros(lg_device_call *call, size_t bytes);

// The same, with these bytes, which the host has made.
uint64_t lg_device_upload(lg_device_call *call, const void *data, size_t bytes);

// The images of lg_native.by_rows become the rows that are there and those that are wanted; `in_place`: for
// kernels that count rows of the whole images.
void lg_device_cut(lg_device_call *call, bool in_place);

// An image in such memory.
lg_device_image lg_device_scratch_image(lg_device_call *call, const lg_image_params *shape);

// Appends bytes to a key that has `at` bytes; returns the new length. NULL: only the length.
size_t lg_key_put(unsigned char *key, size_t at, const void *bytes, size_t size);

void lg_kept_kernels_free(lg_kept_kernel kept[LG_MAX_KEPT]);

// Closes the stream of open_memstream with the whole text of a kernel, and makes its pipeline.
lg_status lg_device_compile(lg_context *context, const char *name, FILE *stream, char **text,
                            const lg_vk_pipeline **out, lg_error *error);

// The pipeline of an embedded text. Two texts are the same when their addresses are. Views in
// `params` have the formats of the images given to the dispatch.
lg_status lg_device_kernel(lg_device_call *call, const char *name, const char *text,
                           const lg_glsl_params *params, const lg_vk_pipeline **out);

// Puts a kernel's own words behind its views; returns the bytes of all push constants, 128 at most.
uint32_t lg_stage_push_own(lg_stage_push *push, int views, const uint32_t *own, int count);

// Records a dispatch of groups[0] * [1] * [2] workgroups. It writes the last view and reads the
// others; declare accesses to other memory first (lg_vk_reads and its neighbours). `own` are the
// kernel's own words (lg.extra), as many as its text declares. `parted`: several dispatches in a row
// write other parts of the last view, with no barriers between them.
void lg_device_dispatch(lg_device_call *call, const lg_vk_pipeline *pipeline,
                        const lg_device_image *const *views, int count, const uint32_t *own,
                        int own_count, const uint32_t groups[3], bool parted);

lg_format lg_format_of(const lg_image_params *shape);

#endif
