// What filters of geometry share on a Vulkan device.
#ifndef LG_GEOMETRY_VULKAN_H
#define LG_GEOMETRY_VULKAN_H

#include "filter/native/native_vulkan.h"

// Device memory with these bytes, which the host has made.
lg_status lg_geometry_upload(lg_device_call *call, const void *data, size_t bytes,
                             lg_vk_buffer **out);

#endif
