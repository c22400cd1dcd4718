// Median of 3 x 3 pixels per channel.
#include "filter/kernel.h"

// A radius other than 1 is the filter wide_median (graph/graph_spelling.c).
#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, 1024,                                                           \
      "the window has 2 radius + 1 pixels a side; other than 1 this is wide_median")               \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(median)

// Least, middle and greatest of every column; the median of nine is the median of the greatest of the
// least, the middle of the middles and the least of the greatest.
LG_KERNEL(
    median, LG_STRUCT(median_column) { float low, middle, high; };
    LG_FUNCTION float median_middle(float a, float b, float c) {
        return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
    } LG_FUNCTION median_column median_sort(float a, float b, float c) {
        median_column y;
        y.low = fminf(fminf(a, b), c);
        y.middle = median_middle(a, b, c);
        y.high = fmaxf(fmaxf(a, b), c);
        return y;
    } LG_FUNCTION float median_of(median_column left, median_column here, median_column right) {
        float low = fmaxf(fmaxf(left.low, here.low), right.low);
        float middle = median_middle(left.middle, here.middle, right.middle);
        float high = fminf(fminf(left.high, here.high), right.high);
        return median_middle(low, middle, high);
    } LG_FUNCTION float median_channel(float tl, float t, float tr, float l, float c, float r,
                                       float bl, float b, float br, median_params p) {
        return median_of(median_sort(tl, l, bl), median_sort(t, c, b), median_sort(tr, r, br));
    })

LG_CHOICE_OF_COLUMNS(median)

LG_EXAMPLES(median,
            {"", .window = {0.9f, 0.1f, 0.8f, 0.2f, 0.7f, 0.3f, 0.6f, 0.4f, 0.5f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 1, 0, 0, 0, 1}, .out = {0, 0, 0, 1}},
            {"", .window = {1, 1, 1, 0.25f, 0, 0.25f, 1, 0, 0}, .out = {0.25f, 0.25f, 0.25f, 1}})

LG_FILTER(median, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL,
          .summary = "the median of 3 x 3 pixels, or of a wider window, per channel",
          .formula = "the fifth of nine values in order, for red, green and blue; in general the "
                     "middle one of (2 radius + 1)^2",
          .source = "GPUImageMedianFilter", .notes = "alpha is the centre's; GPUImage makes it 1");
