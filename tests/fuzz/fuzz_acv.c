#include "fuzz.h"

// What is taken for curves begins with a version and a count of two bytes each.
static bool is_curves(const uint8_t *head, size_t size)
{
    return size >= 4 && head[0] == 0 && (head[1] == 1 || head[1] == 4) && head[2] == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image(data, size, is_curves);
    return 0;
}
