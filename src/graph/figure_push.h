// What the kernels of figures are told: one text for C and GLSL. Addresses come first, and a struct inside
// another one takes a multiple of 8 bytes: then both sides lay them out alike.
#ifndef LG_FIGURE_PUSH_H
#define LG_FIGURE_PUSH_H

#include "kernel/subset.h"

// Where a figure goes, and what becomes of it on the way.
LG_STRUCT(lg_figure_output)
{
    lg_address target;   // the parameter's numbers
    lg_address previous; // numbers that are kept from run to run; 0: none
    lg_uint kind;
    lg_uint numbers;   // of the parameter
    lg_uint first_run; // 1: there is nothing kept yet
    lg_uint whole;
    float factor, offset, min, max;
};

// figure.comp, of counts, and figure_moments.comp, of sums
LG_STRUCT(lg_figure_push)
{
    lg_address counters; // u32 [copy][layer][channel][words], with more words between layers
    lg_figure_output to;
    lg_uint copies, copy_words, layer_words, layers;
    lg_uint first, words, channels; // the first channel's place in a layer, words of one, how many
    lg_uint places;                 // for each number the channel, 8 bits each; 255: it is 1
    lg_uint clear;                  // 1: nobody reads the counters any more
    lg_uint billionths;             // of counts: N of a percentile
    lg_uint samples;                // of sums: how many a channel of integers has
    lg_int unit;
    lg_uint scale;
};

// figure_components.comp
LG_STRUCT(lg_figure_components_push)
{
    lg_address records; // of components: lg_label_record of measure/components/label_device.h
    lg_address count;   // how many components there are
    lg_address parts;   // area and number of the largest of each part; number 0: none
    lg_figure_output to;
    lg_uint record_bytes, part_count;
    lg_uint volume;        // 1: components reach from layer to layer
    lg_uint width, height; // of the image
};

#endif
