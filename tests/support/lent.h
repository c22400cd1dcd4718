// Memory that an application lends to lumagraph: buffers with images in them, and textures.
#ifndef LG_TEST_LENT_H
#define LG_TEST_LENT_H

#include "core/core.h"

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

#include <lumagraph/vulkan.h>

// A context on a device of the application, one on the CPU, and the device of the first; of the program.
extern lg_context *lent_context, *lent_plain;
extern lg_vk *lent_vk;

#define LENT_DEVICE(name) ((PFN_##name)lent_vk->fn.vkGetDeviceProcAddr(lent_vk->device, #name))

enum { LENT_OFFSET = 4096 + 48, LENT_GAP = 48 };

// A buffer with an image in it, and random pixels, which `host` has too.
typedef struct lent_image {
    lg_vk_allocation memory;
    size_t size, offset, stride;
    lg_image *image, *host;
} lent_image;

// gap: bytes between rows besides their padding.
lent_image lent_open(int width, int height, int layers, int channels, lg_type type, int gap);
// The pixels of the buffer are those of `host`, and nothing around them was written.
void lent_check(const lent_image *m, const lg_image *host, const char *what);
void lent_close(lent_image *m);

typedef struct lent_texture {
    VkImage image;
    VkDeviceMemory memory;
} lent_texture;

lent_texture lent_texture_open(VkFormat format, uint32_t width, uint32_t height, uint32_t layers);
void lent_texture_close(lent_texture *t);

// A plan of a pipeline (NULL: none) with figures of its input and of its last image, in turns.
lg_plan *lent_plan(lg_context *context, const char *text, const lg_image_params *shape,
                   const char *const *figures, bool outputs);

#endif

// The whole program: runs with all of that where there is a device.
struct lg_vulkan_device;
int lent_main(const char *name, void (*run)(const struct lg_vulkan_device *lent));

#endif
