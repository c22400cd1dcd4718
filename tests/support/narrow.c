#include "narrow.h"

#include "filter/catalogue.h"

#include <stdio.h>
#include <string.h>

void narrow_limits(const lg_filter *filter, const lg_filter_param *param, double *least,
                   double *most)
{
    const char *limits = ((const lg_filter_entry *)filter)->limits;
    char low_name[64], high_name[64];
    const lg_filter_param *low, *high;
    if (!limits || sscanf(limits, "%63s %*s %63s", low_name, high_name) != 2 ||
        lg_filter_find_param(filter, low_name, &low, NULL) ||
        lg_filter_find_param(filter, high_name, &high, NULL))
        return;
    const double middle = ((double)low->value[0] + (double)high->value[0]) / 2;
    const double gap = ((double)high->value[0] - (double)low->value[0]) / 16;
    if (param == low)
        *most = middle - gap;
    if (param == high)
        *least = middle + gap;
}
