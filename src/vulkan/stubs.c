// Stands in for the backend in a build without Vulkan: creating a device fails with one clear line.
// The rest is never reached, since there is no lg_vk to call it with, but must link.
#include "vulkan/vk.h"

#include <stdio.h>
#include <string.h>

#define WITHOUT                                                                                    \
    "this build of lumagraph is without Vulkan; build it with Vulkan headers, "                    \
    "glslang and SPIRV-Tools, or use the CPU device"

static lg_status missing(lg_error *error)
{
    return lg_fail(error, LG_ERROR_DEVICE, WITHOUT);
}

lg_status lg_vk_create(const lg_context_params *params, const lg_logger *log, const char *cache_dir,
                       lg_vk **out, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_adopt(const lg_context_params *params, const struct lg_vulkan_device *device,
                      const lg_logger *log, const char *cache_dir, lg_vk **out, lg_error *error)
{
    return missing(error);
}

void lg_vk_destroy(lg_vk **vk)
{
}

const lg_vk_limits *lg_vk_get_limits(const lg_vk *vk)
{
    static const lg_vk_limits none = {0};
    return &none;
}

void lg_vk_info(const lg_vk *vk, lg_device_info *out)
{
    memset(out, 0, sizeof *out);
    out->kind = LG_DEVICE_VULKAN;
    snprintf(out->reason, sizeof out->reason, "%s", WITHOUT);
}

bool lg_vk_lost(const lg_vk *vk)
{
    return true;
}

void lg_vk_use_log(lg_vk *vk, const lg_logger *log)
{
}

lg_status lg_vk_fail_lost(const lg_vk *vk, lg_error *error)
{
    return missing(error);
}

uint64_t lg_vk_identity(const lg_vk *vk)
{
    return 0;
}

uint32_t lg_vk_validation_messages(const lg_vk *vk)
{
    return 0;
}

lg_status lg_vk_list(lg_device_info *out, size_t capacity, size_t *count, char *why,
                     lg_error *error)
{
    *count = 0;
    if (why)
        snprintf(why, 256, "%s", WITHOUT);
    return LG_OK;
}

lg_status lg_vk_buffer_create(lg_vk *vk, size_t size, lg_vk_memory memory, lg_vk_buffer **out,
                              lg_error *error)
{
    return missing(error);
}

void lg_vk_buffer_destroy(lg_vk *vk, lg_vk_buffer **buffer)
{
}

lg_status lg_vk_upload(lg_vk *vk, lg_vk_buffer *to, size_t offset, size_t row_stride,
                       const void *from, size_t from_stride, size_t row_bytes, size_t rows,
                       lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_download(lg_vk *vk, void *to, size_t to_stride, const lg_vk_buffer *from,
                         size_t offset, size_t row_stride, size_t row_bytes, size_t rows,
                         lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_image(lg_vk *vk, const lg_image *image, lg_vk_buffer **out, size_t *row_stride,
                      size_t *layer_stride, bool *temporary, double *upload_seconds,
                      lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_image_allocate(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_image_upload(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_image_download(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    return missing(error);
}

void lg_vk_image_release(lg_vk *vk, lg_image_private *image)
{
}

void lg_vk_use_pool(lg_vk *vk, lg_pool *pool)
{
}

lg_status lg_vk_pipeline_get(lg_vk *vk, const lg_spirv *module, const uint32_t *constants,
                             uint32_t count, uint32_t subgroup_size, const lg_vk_pipeline **out,
                             lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_compile(lg_vk *vk, const char *text, const char *name, const lg_spirv **out,
                        lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_find_compiler(lg_error *error)
{
    return missing(error);
}

void lg_vk_collect(lg_vk *vk, lg_vk_commands *c)
{
}

lg_status lg_vk_make_collected(lg_vk *vk, lg_status status, lg_error *error)
{
    return status;
}

bool lg_vk_lacks_pipelines(const lg_vk_commands *c)
{
    return false;
}

uint32_t lg_vk_shaders_compiled(const lg_vk *vk)
{
    return 0;
}

uint32_t lg_vk_pipelines_compiled(const lg_vk *vk)
{
    return 0;
}

lg_status lg_vk_commands_create(lg_vk *vk, uint32_t timestamps, lg_vk_commands **out,
                                lg_error *error)
{
    return missing(error);
}

void lg_vk_commands_destroy(lg_vk *vk, lg_vk_commands **commands)
{
}

void lg_vk_begin(lg_vk_commands *c)
{
}

void lg_vk_dispatch(lg_vk_commands *c, const lg_vk_pipeline *pipeline, const void *push,
                    uint32_t push_size, uint32_t x, uint32_t y, uint32_t z)
{
}

void lg_vk_reads(lg_vk_commands *c, uint64_t address, uint64_t size)
{
}

void lg_vk_writes(lg_vk_commands *c, uint64_t address, uint64_t size)
{
}

void lg_vk_adds(lg_vk_commands *c, uint64_t address, uint64_t size)
{
}

void lg_vk_uses_again(lg_vk_commands *c)
{
}

void lg_vk_fill(lg_vk_commands *c, lg_vk_buffer *buffer, size_t offset, size_t size, uint32_t value)
{
}

void lg_vk_copy(lg_vk_commands *c, const lg_vk_buffer *from, size_t from_offset, lg_vk_buffer *to,
                size_t to_offset, size_t size)
{
}

void lg_vk_barrier(lg_vk_commands *c)
{
}

void lg_vk_timestamp(lg_vk_commands *c, uint32_t index)
{
}

lg_status lg_vk_end(lg_vk_commands *c, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_submit(lg_vk *vk, lg_vk_commands *c, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_submit_together(lg_vk *vk, lg_vk_commands *const *commands, uint32_t count,
                                lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_wait(lg_vk *vk, lg_vk_commands *c, lg_error *error)
{
    return missing(error);
}

bool lg_vk_is_over(const lg_vk *vk, const lg_vk_commands *c)
{
    return true;
}

double lg_vk_elapsed(lg_vk *vk, lg_vk_commands *c, uint32_t from, uint32_t to)
{
    return 0;
}

uint32_t lg_vk_submissions(const lg_vk *vk)
{
    return 0;
}

uint32_t lg_vk_recordings(const lg_vk *vk)
{
    return 0;
}

bool lg_vk_runs_beside(const lg_vk *vk, lg_vk_use use)
{
    return false;
}

bool lg_vk_remembered(lg_vk *vk, const char *key, int32_t *value)
{
    return false;
}

void lg_vk_remember(lg_vk *vk, const char *key, int32_t value)
{
}

// ---- what is shared -------------------------------------------------------------------------------

void lg_vk_uuids(const lg_vk *vk, uint8_t device[16], uint8_t driver[16])
{
    memset(device, 0, 16);
    memset(driver, 0, 16);
}

lg_status lg_vk_image_share(lg_vk *vk, lg_image_private *image, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_image_import(lg_vk *vk, lg_image_private *image, int fd, size_t size,
                             lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_buffer_export(lg_vk *vk, const lg_vk_buffer *buffer, int *fd, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_semaphore_create(lg_vk *vk, uint64_t *out, lg_error *error)
{
    return missing(error);
}

void lg_vk_semaphore_destroy(lg_vk *vk, uint64_t semaphore)
{
}

lg_status lg_vk_semaphore_export(lg_vk *vk, uint64_t semaphore, int *fd, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_semaphore_import(lg_vk *vk, int fd, uint64_t *out, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_semaphore_wait(lg_vk *vk, lg_vk_point point, double seconds, bool *reached,
                               lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_semaphore_signal(lg_vk *vk, lg_vk_point point, lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_sync(lg_vk *vk, const lg_vk_point *points, uint32_t count, bool signals,
                     lg_error *error)
{
    return missing(error);
}

lg_status lg_vk_await(lg_vk *vk, lg_vk_point point, lg_error *error)
{
    return missing(error);
}
