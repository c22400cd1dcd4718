#include "filter/affine.h"

#include <string.h>

extern const lg_filter_entry lg_filter_composed_gains, lg_filter_composed_colors,
    lg_filter_composed_pixels;

// Weights are read off at a colour so large that a filter's terms do not round them.
#define LARGE 1048576.0f

enum { TERMS = 4, PROBES = 5 };

static bool is(const lg_filter *filter, const lg_filter_entry *entry)
{
    return filter == &entry->filter;
}

lg_affine lg_affine_of(const lg_filter *filter, const float *values, lg_cpu_level level)
{
    _Alignas(64) float planes[4][LG_SPAN_STEP] = {{0}};
    lg_span span = {.count = LG_SPAN_STEP, .values = values};
    for (int k = 0; k < 4; k++) {
        planes[k][k] = LARGE;
        span.out[k] = planes[k];
    }
    lg_filter_get_loops(filter, level)->run(&span);
    lg_affine affine;
    for (int k = 0; k < 4; k++) {
        const double term = (double)planes[k][TERMS];
        for (int i = 0; i < 4; i++)
            affine.rows[k][i] = ((double)planes[k][i] - term) / (double)LARGE;
        affine.rows[k][TERMS] = term;
    }
    return affine;
}

lg_affine lg_affine_compose(const lg_affine *first, const lg_affine *next)
{
    lg_affine out;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < PROBES; i++) {
            double sum = i == TERMS ? next->rows[k][TERMS] : 0;
            for (int j = 0; j < 4; j++)
                sum += next->rows[k][j] * first->rows[j][i];
            out.rows[k][i] = sum;
        }
    return out;
}

const lg_filter *lg_affine_filter(bool per_channel, bool alpha)
{
    return alpha         ? &lg_filter_composed_pixels.filter
           : per_channel ? &lg_filter_composed_gains.filter
                         : &lg_filter_composed_colors.filter;
}

void lg_affine_values(const lg_affine *affine, const lg_filter *filter, float *values)
{
    const bool gains = is(filter, &lg_filter_composed_gains);
    const int channels = is(filter, &lg_filter_composed_pixels) ? 4 : 3;
    for (int k = 0; k < channels; k++)
        for (int i = 0; i < channels; i++)
            if (!gains || i == k)
                *values++ = (float)affine->rows[k][i];
    if (gains)
        *values++ = 1;
    for (int k = 0; k < 4; k++)
        *values++ = k < channels ? (float)affine->rows[k][TERMS] : 0;
}
