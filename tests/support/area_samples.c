#include "area_samples.h"

#include "check.h"

#include <math.h>

#include "measure/areasum/areasum_planes.h"

lg_area_array area_array(lg_type type, int channels, const int64_t *n)
{
    lg_area_array array = {.type = type,
                           .dims = n[2] > 1   ? 3
                                   : n[1] > 1 ? 2
                                              : 1,
                           .channels = channels,
                           .extent = {n[0], n[1], n[2]}};
    lg_area_array_pack(&array);
    return array;
}

void area_fill(lg_type type, void *samples, size_t count)
{
    random_bytes(samples, count * lg_type_size(type));
    for (size_t i = 0; type == LG_F32 && i < count; i++)
        ((float *)samples)[i] = (float)ldexp(random_unit() - 0.3, (int)random_below(8));
}
