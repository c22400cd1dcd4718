// Lists of points in text parameters: x,y;x,y
#ifndef LG_POINT_LIST_H
#define LG_POINT_LIST_H

#include "core/core.h"

typedef struct lg_listed_point {
    double x, y;
} lg_listed_point;

// Reads a list into *out, which is allocated with lg_alloc_array; an empty text gives no points.
// `filter` and `param` are for the message. Errors: LG_ERROR_ARGUMENT (not a list, more than
// `max`), LG_ERROR_MEMORY.
lg_status lg_point_list(const char *filter, const char *param, const char *text, int max,
                        lg_listed_point **out, int *count, lg_error *error);

// The same list as a filter's table: x and y of each point. *count is that of the numbers.
lg_status lg_point_table(const char *filter, const char *param, const char *text, int max,
                         float **out, int *count, lg_error *error);

#endif
