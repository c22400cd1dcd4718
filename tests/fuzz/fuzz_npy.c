#include "fuzz.h"

static void fuzz_array(const uint8_t *data, size_t size)
{
    lg_error error = {0};
    lg_area_array array = {0};
    if (!lg_area_array_read(fuzz_file(data, size), 1 << 18, &array, &error)) {
        size_t bytes = lg_type_size(array.type);
        for (int d = 0; d < array.dims; d++)
            bytes *= (size_t)array.extent[d];
        lg_hash(array.data, bytes, 0);
        lg_area_array_free(&array);
    } else {
        EXPECT(!array.data && error.message[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_image(data, size, lg_npy_is);
    fuzz_array(data, size);
    return 0;
}
