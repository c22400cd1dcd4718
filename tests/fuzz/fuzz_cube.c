#include "fuzz.h"

#include <string.h>

// What is taken for a .cube file begins with one of its words.
static bool is_cube(const uint8_t *head, size_t size)
{
    return size &&
           (strchr("TDLl#", head[0]) || head[0] <= ' ' || (head[0] >= '0' && head[0] <= '9'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image(data, size, is_cube);
    return 0;
}
