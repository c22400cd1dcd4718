// What changes over time.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, filter_strength, "", 0.5f, 0, 1, "share of the image of the run before in the mean") \
    X(ALIAS, strength, filter_strength)

LG_ROWS(high_pass)

LG_PIPELINE(
    high_pass, 1,
    "low_pass:filter_strength={filter_strength} #mean | #in | absolute_difference:over=#mean",
    .summary = "how far an image is from the running mean of those before",
    .formula = "c' = |c - low_pass(c)|; alpha of c", .source = "GPUImageHighPassFilter",
    .notes = "the first image is black");
