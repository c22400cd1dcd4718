#include "measure/histogram/histogram_kernels.h"

bool lg_histogram_count_avx512(const uint8_t *samples, size_t count, uint32_t *table)
{
    return false;
}
