// Push constants of the kernels of figures: one text for C and GLSL. Addresses come first, and the
// size of an inner struct is a multiple of 8 bytes, so both languages use the same layout.
#ifndef LG_FIGURE_PUSH_H
#define LG_FIGURE_PUSH_H

#include "kernel/subset.h"

// The destination of a figure, and how its number is changed on the way.
LG_STRUCT(lg_figure_output)
{
    lg_address target;   // the parameter's numbers
    lg_address previous; // numbers that are kept from run to run; 0: none
    lg_uint kind;
    lg_uint numbers;   // of the parameter
    lg_uint first_run; // 1: there are no kept numbers yet
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
    lg_uint places;                 // the channel of each number, 8 bits each; 255: the number is 1
    lg_uint clear;                  // 1: this kernel is the counters' last reader
    lg_uint billionths;             // of counts: N of a percentile, in 10^-9
    lg_uint samples;                // of sums: samples of a channel of integers
    lg_int unit;
    lg_uint scale;
};

// figure_components.comp
LG_STRUCT(lg_figure_components_push)
{
    lg_address records; // lg_label_record of components, measure/components/label_device.h
    lg_address count;   // the number of components
    lg_address parts;   // area and label of the largest of each part; label 0: none
    lg_figure_output to;
    lg_uint record_bytes, part_count;
    lg_uint volume;        // 1: components extend over layers
    lg_uint width, height; // of the image
};

#endif
