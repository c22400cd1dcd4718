// Filters with a lower and an upper limit, for tests that make up values.
#ifndef LG_TEST_NARROW_H
#define LG_TEST_NARROW_H

#include <lumagraph/filter.h>

// Narrows the range *least .. *most of a parameter that is a limit, so that any value in it goes
// together with any value of the other limit in its own narrowed range, and with its default.
void narrow_limits(const lg_filter *filter, const lg_filter_param *param, double *least,
                   double *most);

#endif
