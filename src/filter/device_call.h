// What a native filter gets on a Vulkan device: it records dispatches. Its kernels are GLSL texts
// (src/filter/native/NAME/NAME_*.glsl, embedded as lg_glsl_NAME_*) that run behind the common texts and
// reach their images through views: filter/device_glsl.h.
#ifndef LG_DEVICE_CALL_H
#define LG_DEVICE_CALL_H

#include "filter/catalogue.h"
#include "filter/device_glsl.h"
#include "vulkan/vk.h"

typedef struct lg_device_image {
    uint64_t address;
    size_t row_stride, layer_stride; // bytes, multiples of 16; rows are readable 256 bytes too far
    lg_image_params shape;
} lg_device_image;

// A kernel that a stage has used before: what its text is made of, and the pipeline.
typedef struct lg_kept_kernel {
    unsigned char *key;
    size_t size;
    const lg_vk_pipeline *pipeline;
} lg_kept_kernel;

#define LG_MAX_KEPT                                                                                \
    32 // kernels of a stage; texts of further ones are put together in every recording

typedef struct lg_device_call {
    lg_context *context;
    const lg_filter *filter;
    const float *values; // of the parameters
    const char *const *texts;
    lg_device_image in[2], out;
    // On the device: LG_STAGE_HEADER numbers (of the output; every view has the size of the first
    // input), then the parameters. Kernels read them with lg_param_float and lg_param_int.
    uint64_t numbers;
    lg_vk_commands *commands;
    lg_vk_buffer **scratch; // of this stage, kept from run to run
    int scratch_count;
    lg_kept_kernel *kept; // of this stage, kept from run to run; NULL: none are
    bool runs_once;       // what is recorded must not need to be done again (device/lookback.h)
    bool shares;          // dispatches write parts of one view, without a barrier between them
    uint64_t refused;     // a word of the host's memory, zero before: lg_native.refuse
    lg_error *error;
} lg_device_call;

#define LG_MAX_SCRATCH 10 // a band takes two

// Device memory of at least `bytes` for this run; undefined contents. The k-th call of a run gets the
// same buffer as the k-th of the run before when it is large enough.
lg_status lg_device_scratch(lg_device_call *call, size_t bytes, lg_vk_buffer **out);

// The same that the host writes, to be copied from: the device reads it slowly.
lg_status lg_device_scratch_host(lg_device_call *call, size_t bytes, lg_vk_buffer **out);

// An image in scratch memory.
lg_status lg_device_scratch_image(lg_device_call *call, const lg_image_params *shape,
                                  lg_device_image *out);

// Appends bytes to a key of which `at` are there; returns how many there are then. NULL: only that.
size_t lg_key_put(unsigned char *key, size_t at, const void *bytes, size_t size);

void lg_kept_kernels_free(lg_kept_kernel kept[LG_MAX_KEPT]);

// The kernel of an embedded text: where it lies stands for what it says. Views in `params` have the formats
// of the images given to the dispatch.
lg_status lg_device_kernel(lg_device_call *call, const char *name, const char *text,
                           const lg_glsl_params *params, const lg_vk_pipeline **out);

// Puts a kernel's own words behind its views; returns the bytes of all. 128 at most.
uint32_t lg_stage_push_own(lg_stage_push *push, int views, const uint32_t *own, int count);

// Records a dispatch of x * y * z workgroups, which writes the last view and reads the others; say
// what it does with other memory (lg_vk_reads and its neighbours) before the call. `extra` are the
// kernel's own words (lg.extra), as many as its text was made for.
void lg_device_dispatch(lg_device_call *call, const lg_vk_pipeline *pipeline,
                        const lg_device_image *const *views, int count, const uint32_t *extra,
                        int extra_count, uint32_t x, uint32_t y, uint32_t z);

lg_format lg_format_of(const lg_image_params *shape);

#endif
