#include "filter/native.h"
#include "filter/stage.h"

#include <math.h>
#include <string.h>

static bool wraps(const lg_filter *filter, const float *values)
{
    for (int i = 0; i < filter->param_count; i++)
        if (strcmp(filter->params[i].name, "border") == 0)
            return (lg_border)values[lg_filter_offset(filter, i)] == LG_BORDER_WRAP;
    return false;
}

static lg_row_reach native_reach(const lg_filter *filter, const float *values,
                                 const lg_image_params *in, int input)
{
    const lg_native *native = ((const lg_filter_entry *)filter)->native;
    if (!native->reach)
        return lg_row_reach_whole("it looks at the whole image");
    const lg_row_reach reach = native->reach(filter, values, in);
    return reach.whole || input == 0 ? reach : lg_row_reach_of(0);
}

lg_row_reach lg_filter_reach(const lg_filter *filter, const float *values,
                             const lg_image_params *in, int input)
{
    lg_row_reach reach = {0};
    switch (filter->kind) {
    case LG_FILTER_POINT:
        return input ? lg_row_reach_whole("it is read as a table") : reach;
    case LG_FILTER_BLEND:
    case LG_FILTER_GENERATE:
        return reach;
    case LG_FILTER_WINDOW:
        reach = lg_row_reach_of((int64_t)ceilf(lg_filter_step(filter, values, 1)));
        break;
    case LG_FILTER_NATIVE:
        reach = native_reach(filter, values, in, input);
        break;
    default:
        return lg_row_reach_whole("pixels move between rows");
    }
    return reach.below && wraps(filter, values)
               ? lg_row_reach_whole("its border is the other end of the image")
               : reach;
}

lg_row_reach lg_row_reach_through(lg_row_reach first, lg_row_reach next)
{
    if (first.whole || next.whole)
        return lg_row_reach_whole(next.whole ? next.whole : first.whole);
    return (lg_row_reach){first.above + next.above, first.below + next.below, NULL, 0};
}

lg_row_reach lg_row_reach_both(lg_row_reach a, lg_row_reach b)
{
    if (a.whole || b.whole)
        return a.whole ? a : b;
    return (lg_row_reach){LG_MAX(a.above, b.above), LG_MAX(a.below, b.below), NULL, 0};
}
