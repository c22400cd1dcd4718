// Objects of Vulkan as the driver sees them: in a test program whose name begins with faults_, every
// function that makes or destroys one is counted on its way from the loader (support/faults.h), whatever
// the library believes.
#ifndef LG_TEST_VULKAN_OBJECTS_H
#define LG_TEST_VULKAN_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

// Kinds of objects, named as the functions are: vkCreateBuffer makes a "Buffer".
size_t vulkan_objects_kinds(void);
const char *vulkan_objects_name(size_t kind);
int64_t vulkan_objects_created(size_t kind); // since the start
int64_t vulkan_objects_live(size_t kind);
// Objects that were destroyed without having been made, or twice, or whose device or instance went first.
int64_t vulkan_objects_strays(void);

#endif
