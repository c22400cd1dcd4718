// lumagraph: on a Vulkan device that the application has made. Images are its VkBuffers, or are copied from
// and to its VkImages on the device; its semaphores order the work. Nothing here copies pixels to the host.
//
// This is the one header that needs <vulkan/vulkan.h>, and lumagraph/lumagraph.h does not include it. A
// library that was built without Vulkan headers does not have these functions.
//
//   lg_vulkan_needs_create()        what to enable when the device is made
//   lg_context_create_vulkan()      a context on the device
//   lg_image_wrap_buffer()          a VkBuffer as an image
//   lg_vulkan_wait()                what follows begins behind a point of a semaphore
//   lg_image_from_vulkan(), lg_plan_submit(), ...
//   lg_vulkan_signal()              a point behind all of this, for the application's next submission
#ifndef LUMAGRAPH_VULKAN_H
#define LUMAGRAPH_VULKAN_H

#include <lumagraph/graph.h>

#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the device ---------------------------------------------------------------------------------

// What a device is to be made with. Required are Vulkan 1.2 and bufferDeviceAddress, scalarBlockLayout,
// storageBuffer8BitAccess, storageBuffer16BitAccess and timelineSemaphore. All the rest makes kernels
// faster, or adds what its name says (extensions): where it is not enabled, other kernels give the same
// results.
typedef struct lg_vulkan_needs {
    const VkPhysicalDeviceFeatures2
        *features;                 // a chain of the required features and of all others that
                                   // are used and that the device has; for pNext of
                                   // VkDeviceCreateInfo, or to copy from
    const char *const *extensions; // none of them is required
    uint32_t extension_count;
    uint32_t family; // of queues that compute, and draw where there is such a family
} lg_vulkan_needs;

// Tells what the device `physical` of an instance for Vulkan `api` is to be made with. The result does not
// need the instance any more. Errors: LG_ERROR_DEVICE (the message names what the device lacks),
// LG_ERROR_ARGUMENT, LG_ERROR_MEMORY.
LG_API lg_status lg_vulkan_needs_create(PFN_vkGetInstanceProcAddr get_proc_addr,
                                        VkInstance instance, VkPhysicalDevice physical,
                                        uint32_t api, const lg_vulkan_needs **out, lg_error *error);
LG_API void lg_vulkan_needs_destroy(const lg_vulkan_needs **needs);

// A device of the application. Instance and device stay the application's and outlive the context. The
// structure, the chain and the names are read during the call only.
typedef struct lg_vulkan_device {
    size_t size; // sizeof(lg_vulkan_device)
    PFN_vkGetInstanceProcAddr get_proc_addr;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t api; // VkApplicationInfo.apiVersion of the instance, at least VK_API_VERSION_1_2
    const VkPhysicalDeviceFeatures2
        *features;                 // what vkCreateDevice was given, as a chain: structures of
                                   // Vulkan 1.1, 1.2, 1.3 or of single extensions
    const char *const *extensions; // enabled ones
    uint32_t extension_count;
    uint32_t family, queue; // of a queue that computes: family, index in it
    uint32_t transfer_family,
        transfer_queue; // for copies of streams beside it; the same where there is none
    // Called around every vkQueueSubmit, which is the only use of a queue, on the thread that called the
    // library. NULL: nobody else uses these queues while a call of the library runs.
    void (*lock)(void *priv, uint32_t family, uint32_t queue);
    void (*unlock)(void *priv, uint32_t family, uint32_t queue);
    void *priv;
} lg_vulkan_device;

// Creates a context on a device of the application; params NULL: defaults. `device`, `device_index` and
// `validation` of the parameters do not count: validation is a matter of the application's instance.
// An optional feature that is not enabled is not used. After a device loss the context computes on the
// CPU, as others do. Destroy the context before the device. Errors: LG_ERROR_DEVICE (a required feature is
// not enabled, a queue of that family cannot compute: the message names it), LG_ERROR_ARGUMENT,
// LG_ERROR_MEMORY.
LG_API lg_status lg_context_create_vulkan(const lg_context_params *params,
                                          const lg_vulkan_device *device, lg_context **out,
                                          lg_error *error);

// ---- order ----------------------------------------------------------------------------------------

// A value of a timeline semaphore of the device.
typedef struct lg_vulkan_point {
    VkSemaphore semaphore;
    uint64_t value;
} lg_vulkan_point;

#define LG_MAX_POINTS 16 // in one call

// Everything that later calls with this context do on the device waits there for these points, which make
// writes before them visible. The call itself does not wait. A later call that waits on the host (all
// but those of this header and lg_plan_submit) takes a point that is not signalled within
// LUMAGRAPH_VK_TIMEOUT (seconds for a dispatch, by default 10) for a hanging device.
// Errors: LG_ERROR_ARGUMENT (not a context on Vulkan), LG_ERROR_LIMIT, LG_ERROR_DEVICE.
LG_API lg_status lg_vulkan_wait(lg_context *context, const lg_vulkan_point *points, uint32_t count,
                                lg_error *error);

// The points are signalled on the device when everything that earlier calls with this context did there has
// ended; its writes are then visible to what waits for them. Errors as above.
LG_API lg_status lg_vulkan_signal(lg_context *context, const lg_vulkan_point *points,
                                  uint32_t count, lg_error *error);

// ---- buffers --------------------------------------------------------------------------------------

// A buffer of the context's device as an image in device memory, without a copy. It was created with
// SHADER_DEVICE_ADDRESS, STORAGE_BUFFER, TRANSFER_SRC and TRANSFER_DST, its memory was allocated with
// VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, and the family of the context's queue may use it (CONCURRENT,
// or EXCLUSIVE and owned by that family). Pixels begin `offset` bytes into it:
//   row_stride    of the shape: bytes of a row at least, a multiple of 16
//   layer_stride  of the shape: row_stride * height
//   address       vkGetBufferDeviceAddress of the buffer; 0: the library asks. address + offset is a
//                 multiple of 16
//   beyond        256 bytes behind the last row belong to the buffer. They are read, not used
// Rows may be written up to the next multiple of 16 bytes. Three channels are not wrapped. The buffer
// outlives the image; lg_image_destroy waits for work that uses it. `data` of the image is NULL.
// Errors: LG_ERROR_ARGUMENT (also a context that is not on Vulkan), LG_ERROR_MEMORY, LG_ERROR_DEVICE.
LG_API lg_status lg_image_wrap_buffer(lg_context *context, const lg_image_params *shape,
                                      VkBuffer buffer, VkDeviceSize offset, VkDeviceAddress address,
                                      lg_image **out, lg_error *error);

// The VkBuffer of an image with a device copy, and where its first pixel lies in it. It belongs to the
// image and may have other images beside it. Errors: LG_ERROR_ARGUMENT (no device copy).
LG_API lg_status lg_image_buffer(const lg_image *image, VkBuffer *buffer, VkDeviceSize *offset,
                                 VkDeviceAddress *address, size_t *row_stride, size_t *layer_stride,
                                 lg_error *error);

// ---- images ---------------------------------------------------------------------------------------

// A VkImage with the aspect COLOR and the usage TRANSFER_SRC (to read) or TRANSFER_DST (to write), of 1
// sample per texel, in linear or optimal tiling, which the family of the context's queue may use.
//
// Formats and the images that they are copied from and to; stored bits are not changed, so that
// SRGB formats keep their encoding and UINT ones their codes:
//   R8, R8G8, R8G8B8A8             _UNORM _UINT _SRGB            u8,  1, 2, 4 channels
//   R16, R16G16, R16G16B16A16      _UNORM _UINT                  u16, 1, 2, 4 channels
//   R16, R16G16, R16G16B16A16      _SFLOAT                       f16, 1, 2, 4 channels
//   R32, R32G32, R32G32B32A32      _SFLOAT                       f32, 1, 2, 4 channels
// Others (B8G8R8A8, packed, compressed, several planes) are LG_ERROR_UNSUPPORTED: copy or draw them into
// one of these.
//
// The layout belongs to the application: it says in which layout the image is, and in which it is to be left.
// GENERAL, and TRANSFER_SRC_OPTIMAL or TRANSFER_DST_OPTIMAL as the copy needs, are used as they are; from
// any other one the library makes a transition to that of the copy.
typedef struct lg_vulkan_image {
    VkImage image;
    VkFormat format;
    VkImageLayout layout; // when the copy begins; UNDEFINED drops what the image has
    VkImageLayout after;  // when it has ended; UNDEFINED: that of the copy
    uint32_t level;       // mip level
    uint32_t layer;       // first array layer; the copy has as many as the lumagraph image
    int32_t x, y;         // the texel of the first pixel
} lg_vulkan_image;

// Copies pixels from a VkImage to an image with a device copy (lg_image_create_device,
// lg_image_wrap_buffer), or from such an image to a VkImage. The lumagraph image says width, height and
// layers; the texels have to exist. The copy is queued: it begins behind lg_vulkan_wait and what was called
// before, and later calls see it. Neither waits. Host pixels of the image are not written.
// Errors: LG_ERROR_ARGUMENT (no device copy, samples of another type or number), LG_ERROR_UNSUPPORTED
// (format), LG_ERROR_DEVICE, LG_ERROR_MEMORY.
LG_API lg_status lg_image_from_vulkan(lg_context *context, lg_image *into,
                                      const lg_vulkan_image *from, lg_error *error);
LG_API lg_status lg_image_to_vulkan(lg_context *context, const lg_image *from,
                                    const lg_vulkan_image *into, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
