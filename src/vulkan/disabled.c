// Features that are turned off for tests.
#include "vulkan/vk_private.h"

#include <stdlib.h>
#include <string.h>

bool lg_vk_disabled(const char *name)
{
    const char *list = getenv("LUMAGRAPH_VK_DISABLE");
    const size_t length = strlen(name);
    while (list && *list) {
        const size_t item = strcspn(list, ",");
        if (item == length && memcmp(list, name, length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}
