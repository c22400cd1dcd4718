// Copies between images in buffers and the application's VkImages.
#include "vulkan/vk_private.h"

#include <lumagraph/vulkan.h>

#define FORMATS(type, channels, ...) static const VkFormat type##_##channels[] = {__VA_ARGS__};
#define UNORM_8(c)                   VK_FORMAT_##c##_UNORM, VK_FORMAT_##c##_UINT, VK_FORMAT_##c##_SRGB
#define UNORM_16(c)                  VK_FORMAT_##c##_UNORM, VK_FORMAT_##c##_UINT

FORMATS(u8, 1, UNORM_8(R8))
FORMATS(u8, 2, UNORM_8(R8G8))
FORMATS(u8, 4, UNORM_8(R8G8B8A8))
FORMATS(u16, 1, UNORM_16(R16))
FORMATS(u16, 2, UNORM_16(R16G16))
FORMATS(u16, 4, UNORM_16(R16G16B16A16))
FORMATS(f16, 1, VK_FORMAT_R16_SFLOAT)
FORMATS(f16, 2, VK_FORMAT_R16G16_SFLOAT)
FORMATS(f16, 4, VK_FORMAT_R16G16B16A16_SFLOAT)
FORMATS(f32, 1, VK_FORMAT_R32_SFLOAT)
FORMATS(f32, 2, VK_FORMAT_R32G32_SFLOAT)
FORMATS(f32, 4, VK_FORMAT_R32G32B32A32_SFLOAT)

#define ROW(type, kind, channels)                                                                  \
    {                                                                                              \
        kind, channels, type##_##channels, LG_COUNT(type##_##channels)                             \
    }

static const struct {
    lg_type type;
    int channels;
    const VkFormat *formats;
    size_t count;
} rows[] = {
    ROW(u8, LG_U8, 1),   ROW(u8, LG_U8, 2),   ROW(u8, LG_U8, 4),   ROW(u16, LG_U16, 1),
    ROW(u16, LG_U16, 2), ROW(u16, LG_U16, 4), ROW(f16, LG_F16, 1), ROW(f16, LG_F16, 2),
    ROW(f16, LG_F16, 4), ROW(f32, LG_F32, 1), ROW(f32, LG_F32, 2), ROW(f32, LG_F32, 4),
};

static lg_status check_format(VkFormat format, const lg_image_params *shape, lg_error *error)
{
    for (size_t i = 0; i < LG_COUNT(rows); i++)
        for (size_t k = 0; k < rows[i].count; k++) {
            if (rows[i].formats[k] != format)
                continue;
            if (rows[i].type == shape->type && rows[i].channels == shape->channels)
                return LG_OK;
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "texels of %d x %s do not go with pixels of %d x %s", rows[i].channels,
                           lg_type_name(rows[i].type), shape->channels, lg_type_name(shape->type));
        }
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "VkFormat %d is none that is copied; lumagraph/vulkan.h lists them",
                   (int)format);
}

// ---- layouts --------------------------------------------------------------------------------------

static void change_layout(lg_vk_commands *c, const lg_vulkan_image *image, uint32_t layers,
                          VkImageLayout from, VkImageLayout to)
{
    if (from == to)
        return;
    // Semaphores order this with what the application does; in between, the copy is all there is.
    const VkAccessFlags access = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = access,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                             .baseMipLevel = image->level,
                             .levelCount = 1,
                             .baseArrayLayer = image->layer,
                             .layerCount = layers},
    };
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    c->vk->fn.vkCmdPipelineBarrier(c->handle, stage, stage, 0, 0, NULL, 0, NULL, 1, &barrier);
}

// The layout that the copy is made in.
static VkImageLayout layout_of_copy(const lg_vulkan_image *image, bool reads)
{
    const VkImageLayout best =
        reads ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    return image->layout == VK_IMAGE_LAYOUT_GENERAL ? VK_IMAGE_LAYOUT_GENERAL : best;
}

// ---- the copy -------------------------------------------------------------------------------------

static VkBufferImageCopy region_of(const lg_image_private *at, const lg_vulkan_image *image)
{
    const lg_image_params *s = &at->image.shape;
    return (VkBufferImageCopy){
        .bufferOffset = at->device->priv->offset,
        .bufferRowLength = (uint32_t)(at->device_row_stride / lg_pixel_size(s)),
        .bufferImageHeight = (uint32_t)s->height,
        .imageSubresource = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                             .mipLevel = image->level,
                             .baseArrayLayer = image->layer,
                             .layerCount = (uint32_t)s->layers},
        .imageOffset = {image->x, image->y, 0},
        .imageExtent = {(uint32_t)s->width, (uint32_t)s->height, 1},
    };
}

static void record(lg_vk_commands *c, const lg_image_private *at, const lg_vulkan_image *image,
                   bool reads)
{
    const uint32_t layers = (uint32_t)at->image.shape.layers;
    const VkImageLayout layout = layout_of_copy(image, reads);
    const VkBufferImageCopy region = region_of(at, image);
    const VkBuffer buffer = at->device->priv->buffer;
    change_layout(c, image, layers, image->layout, layout);
    if (reads)
        c->vk->fn.vkCmdCopyImageToBuffer(c->handle, image->image, layout, buffer, 1, &region);
    else
        c->vk->fn.vkCmdCopyBufferToImage(c->handle, buffer, image->image, layout, 1, &region);
    (reads ? lg_vk_writes : lg_vk_reads)(c, at->device->address, 0);
    lg_vk_hazards_command(c, "a copy of an image");
    c->dispatches++;
    c->dirty = true;
    if (image->after != VK_IMAGE_LAYOUT_UNDEFINED)
        change_layout(c, image, layers, layout, image->after);
}

lg_status lg_vk_image_copy(lg_vk *vk, const lg_image_private *at, const lg_vulkan_image *image,
                           bool reads, lg_error *error)
{
    lg_vk_commands *c;
    lg_status status = check_format(image->format, &at->image.shape, error);
    if (!status)
        status = lg_vk_loose_commands(vk, &c, error);
    if (status)
        return status;
    lg_vk_begin(c);
    if (c->recording)
        record(c, at, image, reads);
    status = lg_vk_end(c, error);
    if (!status)
        status = lg_vk_submit(vk, c, error);
    lg_vk_leave_running(vk);
    return status;
}
