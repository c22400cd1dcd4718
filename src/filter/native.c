#include "filter/native.h"

#include <string.h>

float lg_native_value(const lg_filter *filter, const float *values, const char *name)
{
    for (int i = 0; i < filter->param_count; i++)
        if (strcmp(filter->params[i].name, name) == 0)
            return values[lg_filter_offset(filter, i)];
    return 0;
}
