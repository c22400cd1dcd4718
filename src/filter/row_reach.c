#include "filter/native.h"
#include "filter/stage.h"

#include <math.h>
#include <stdint.h>
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
    if (lg_row_reach_moves(&reach) && !native->by_rows)
        return lg_row_reach_whole("rows are made of other rows");
    return reach.whole || input == 0 ? reach : lg_row_reach_of(0);
}

static lg_row_reach warp_reach(const lg_filter *filter, const float *values,
                               const lg_image_params *in)
{
    const lg_filter_entry *entry = (const lg_filter_entry *)filter;
    if (!entry->top)
        return lg_row_reach_whole("pixels move between rows");
    const int64_t top = entry->top(values, in), slack = 1 + (in->height >> 20); // places are floats
    return lg_row_reach_sides(slack - top, slack + top);
}

lg_row_reach lg_filter_reach(const lg_filter *filter, const float *values,
                             const lg_image_params *in, int input)
{
    lg_row_reach reach = lg_row_reach_of(0);
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
        reach = warp_reach(filter, values, in);
    }
    return reach.below && wraps(filter, values)
               ? lg_row_reach_whole("its border is the other end of the image")
               : reach;
}

// ---- maps of rows ---------------------------------------------------------------------------------

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t quotient_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

lg_row_reach lg_row_reach_scaled(int64_t above, int64_t below, int64_t rows, int64_t of)
{
    const int64_t divisor = common_divisor(rows, of);
    return (lg_row_reach){
        .above = above, .below = below, .rows = rows / divisor, .of = of / divisor};
}

void lg_row_reach_rows(const lg_row_reach *reach, int64_t height, int64_t first, int64_t end,
                       int64_t *from, int64_t *to)
{
    *from = 0;
    *to = height;
    if (reach->whole)
        return;
    *from = quotient_down(first * reach->rows, reach->of) - reach->above;
    *to = quotient_up(end * reach->rows, reach->of) + reach->below;
    *from = LG_MIN(LG_MAX(*from, 0), height - 1);
    *to = LG_MIN(LG_MAX(*to, *from + 1), height);
}

// Rows that are between two rows of `next` count as one more on either side.
lg_row_reach lg_row_reach_through(lg_row_reach first, lg_row_reach next)
{
    if (first.whole || next.whole)
        return lg_row_reach_whole(next.whole ? next.whole : first.whole);
    const int64_t a = common_divisor(first.rows, next.of), b = common_divisor(next.rows, first.of);
    const int64_t rows = first.rows / a * (next.rows / b), of = first.of / b * (next.of / a);
    if (rows > INT32_MAX || of > INT32_MAX)
        return lg_row_reach_whole("its size and that of the output have too large a ratio");
    const int64_t between = next.of > 1;
    return lg_row_reach_scaled(
        first.above + quotient_up((next.above + between) * first.rows, first.of),
        first.below + quotient_up((next.below + between) * first.rows, first.of), rows, of);
}

lg_row_reach lg_row_reach_both(lg_row_reach a, lg_row_reach b)
{
    if (a.whole || b.whole)
        return a.whole ? a : b;
    if (!a.of || !b.of)
        return a.of ? a : b;
    if (a.rows != b.rows || a.of != b.of)
        return lg_row_reach_whole("it is read at two scales");
    return lg_row_reach_scaled(LG_MAX(a.above, b.above), LG_MAX(a.below, b.below), a.rows, a.of);
}
