// The figures of an image that can set a parameter. Each is one row, from which all C and GLSL code
// for it is made. docs/adding-a-filter.md shows how to add one.
//
// X(ID, name, power, numbers, arithmetic, help):
//   name        the name behind @; N stands for a number of 0..100
//   power       the figure's unit is that of samples to this power
//   numbers     how many numbers it is; 1 also per channel; 0: a curve
//   arithmetic  computes it from the variables of its source, in C and GLSL
// A row's index is its kind.
#ifndef LG_FIGURES_H
#define LG_FIGURES_H

// Sources of figures and the variables that they offer to arithmetic.
//
// Exact sums of a channel, s: figure_sums.h.
#define LG_FIGURES_OF_SUMS(X)                                                                      \
    X(MEAN, "mean", 1, 1, lg_sums_mean(s), "the mean")                                             \
    X(MIN, "min", 1, 1, lg_sums_in_colors(s, s.low), "the least sample")                           \
    X(MAX, "max", 1, 1, lg_sums_in_colors(s, s.high), "the largest sample")                        \
    X(RANGE, "range", 1, 1, lg_sums_in_colors(s, s.high - s.low), "the largest less the least")

// Also their variance v, as a quotient.
#define LG_FIGURES_OF_VARIANCE(X)                                                                  \
    X(STDDEV, "stddev", 1, 1, lg_ratio_root(v), "the standard deviation, of the population")       \
    X(VARIANCE, "variance", 2, 1, lg_ratio_value(v), "the variance, of the population")

// Counts c of a channel's samples, and N of the name as `billionths`.
#define LG_FIGURES_OF_RANKS(X)                                                                     \
    X(MEDIAN, "median", 1, 1, lg_counts_percentile(c, 500000000u), "the median")                   \
    X(PERCENTILE, "pN", 1, 1, lg_counts_percentile(c, billionths), "percentile N, such as @p99")

// Counts c, to be split into two classes.
#define LG_FIGURES_OF_CLASSES(X)                                                                   \
    X(OTSU, "otsu", 1, 1, lg_counts_otsu(c), "Otsu's level, between two samples")

// Of n samples, `below` are at or below a value, and `first` have the lowest value.
#define LG_FIGURES_OF_CURVES(X)                                                                    \
    X(CDF, "cdf", 0, 0, lg_figure_share(below, first, n), "the share of samples up to each value") \
    X(ECDF, "ecdf", 0, 0, lg_figure_share(below, 0u, n),                                           \
      "the same, with the samples of the lowest value")

// A component of the first pixel, x.
#define LG_FIGURES_OF_PIXELS(X)                                                                    \
    X(PICK, "pick", 1, 1, x, "the first pixel; what is not a number counts as 0")

// The number n of connected components.
#define LG_FIGURES_OF_COMPONENTS(X)                                                                \
    X(COMPONENTS, "components", 0, 1, lg_integer(n, 0u), "how many components there are")

// The largest component c of an image of width x height pixels: figure_components.h. i is the index
// of the number.
#define LG_FIGURES_OF_LARGEST(X)                                                                   \
    X(LARGEST_AREA, "largest.area", 0, 1, lg_integer(c.area_low, c.area_high),                     \
      "pixels of the largest component")                                                           \
    X(LARGEST_X, "largest.x", 0, 1, lg_integer(c.left, 0u), "its first column")                    \
    X(LARGEST_Y, "largest.y", 0, 1, lg_integer(c.top, 0u), "its first row")                        \
    X(LARGEST_WIDTH, "largest.width", 0, 1, lg_integer(c.width, 0u), "its columns")                \
    X(LARGEST_HEIGHT, "largest.height", 0, 1, lg_integer(c.height, 0u), "its rows")                \
    X(LARGEST_CX, "largest.cx", 0, 1, lg_component_mean(c, 0u), "the mean column of its pixels")   \
    X(LARGEST_CY, "largest.cy", 0, 1, lg_component_mean(c, 1u), "the mean row of its pixels")      \
    X(LARGEST_CENTER, "largest.center", 0, 2, lg_component_center(c, i, i == 0u ? width : height), \
      "both as parts of the image, a point")

#define LG_FIGURES(X)                                                                              \
    LG_FIGURES_OF_SUMS(X)                                                                          \
    LG_FIGURES_OF_VARIANCE(X)                                                                      \
    LG_FIGURES_OF_RANKS(X)                                                                         \
    LG_FIGURES_OF_CLASSES(X)                                                                       \
    LG_FIGURES_OF_CURVES(X)                                                                        \
    LG_FIGURES_OF_PIXELS(X)                                                                        \
    LG_FIGURES_OF_COMPONENTS(X)                                                                    \
    LG_FIGURES_OF_LARGEST(X)

// The first kind of each source; 0 is no figure.
#define LG_FIGURE_ONE(ID, NAME, POWER, NUMBERS, ARITHMETIC, HELP) +1u

#define LG_FIRST_OF_SUMS       1u
#define LG_FIRST_OF_VARIANCE   (LG_FIRST_OF_SUMS LG_FIGURES_OF_SUMS(LG_FIGURE_ONE))
#define LG_FIRST_OF_RANKS      (LG_FIRST_OF_VARIANCE LG_FIGURES_OF_VARIANCE(LG_FIGURE_ONE))
#define LG_FIRST_OF_CLASSES    (LG_FIRST_OF_RANKS LG_FIGURES_OF_RANKS(LG_FIGURE_ONE))
#define LG_FIRST_OF_CURVES     (LG_FIRST_OF_CLASSES LG_FIGURES_OF_CLASSES(LG_FIGURE_ONE))
#define LG_FIRST_OF_PIXELS     (LG_FIRST_OF_CURVES LG_FIGURES_OF_CURVES(LG_FIGURE_ONE))
#define LG_FIRST_OF_COMPONENTS (LG_FIRST_OF_PIXELS LG_FIGURES_OF_PIXELS(LG_FIGURE_ONE))
#define LG_FIRST_OF_LARGEST    (LG_FIRST_OF_COMPONENTS LG_FIGURES_OF_COMPONENTS(LG_FIGURE_ONE))

// One case in a function that selects a figure; `row` starts with the first kind.
#define LG_FIGURE_CASE(ID, NAME, POWER, NUMBERS, ARITHMETIC, HELP)                                 \
    if (kind == row++)                                                                             \
        return ARITHMETIC;

#endif
