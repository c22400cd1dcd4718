#include "fuzz.h"

#include <string.h>

static bool is_tiff(const uint8_t *head, size_t size)
{
    return size >= 8 && (memcmp(head, "II", 2) == 0 || memcmp(head, "MM", 2) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image(data, size, is_tiff);
    return 0;
}
