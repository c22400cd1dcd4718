#include "fuzz.h"

#include "io/exr_header.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_exr_header header;
    if (!lg_exr_read_header(data, size, &header))
        return 0;
    EXPECT(memchr(header.others, 0, sizeof header.others));
    EXPECT((header.left_out > 0) == (header.others[0] != '\0'));
    return 0;
}
