// A Vulkan device as an application makes it, for contexts on that device. With LUMAGRAPH_TEST_ADOPT=1 all
// test programs that open their device by support/device.h compute there.
//
// There is one for the whole program, made when it is first asked for, with all that lg_vulkan_needs_create
// asks for; its end is that of the program. While the library submits, the application has work of its own
// on the same queue. With LUMAGRAPH_VK_VALIDATION every message of the layers is a failed check.
#ifndef LG_TEST_ADOPTED_H
#define LG_TEST_ADOPTED_H

#include "core/core.h"

bool adopted_is_wished(void);

// NULL where there is no Vulkan device: a skipped check with the reason.
const struct lg_vulkan_device *adopted_device(void);

// How often the application was asked for its queue, and what it has submitted itself.
unsigned adopted_locks(void);
unsigned adopted_submissions(void);

#endif
