// Each pixel gets the colour of its nearest site.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(voronoi_consumer)

LG_PIPELINE(
    voronoi_consumer, 2, "#over | remap:over=#in",
    .summary = "each pixel gets the colour of its nearest site: the second image is the map",
    .formula = "c' = c(r, g), r and g being those of the map, which jfa_voronoi makes; alpha "
               "times that of the map",
    .source = "GPUImageVoronoiConsumerFilter",
    .notes = "the map is as jfa_voronoi writes it: fractions of width and height, which "
             "8-bit files would round. GPUImage has places of up to 2048 pixels in bytes");
