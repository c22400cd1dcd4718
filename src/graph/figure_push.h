// Push constants of the kernels of figures: one text for C and GLSL. Addresses come first, and the
// size of an inner struct is a multiple of 8 bytes, so both languages use the same layout.
#ifndef LG_FIGURE_PUSH_H
#define LG_FIGURE_PUSH_H

#include "kernel/device_memory.h"

// The kernels that figure_ranks.comp is: figures of sums, of ranks, and of classes of counted samples.
LG_NUMBER(LG_CLASS_SUMS, 0)
LG_NUMBER(LG_CLASS_RANKS, 1)
LG_NUMBER(LG_CLASS_LEVELS, 2)

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

// figure.comp, of counts of bytes, figure_moments.comp, of sums, and figure_ranks.comp, of other counts
LG_STRUCT(lg_figure_push)
{
    lg_address counters; // u32 [copy][layer][channel][words], with more words between layers
    lg_address ranges;   // of bins of floats: what figure_range.comp has found
    lg_address refused;  // of other counts: a word that becomes 1 where there is no value
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

// figure_range.comp finds the ranges of samples that are finite: u32 [channel][2], the largest complement
// of the key of a float, and the largest key; both 0: there are none. figure_rules.comp makes of them how
// samples find their bins.
LG_STRUCT(lg_figure_range_push)
{
    lg_device_walk walk;
    lg_address ranges;
};

LG_STRUCT(lg_figure_rules_push)
{
    lg_address ranges;
    lg_address rules; // an lg_histogram_rules
    lg_uint channels, bins;
    lg_uint apart; // 1: each channel has its own range; 0: all channels have one
};

// figure_place.comp copies figures to where they are read.
LG_STRUCT(lg_figure_place_push)
{
    lg_address from; // rows of numbers
    lg_address to;   // rows of four, of which those that a figure lacks become 0
    lg_address host; // the same, adjacent, in memory of the host; 0 here or in `to`: none
    lg_uint rows, stride, numbers; // of `from`: adjacent numbers, of which so many are figures
    lg_uint to_stride;             // numbers
    lg_uint clear;                 // 1: `from` becomes 0
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
