// Push constants of all kernels of labels, one text for the host and the kernels.
#ifndef LG_LABEL_PUSH_H
#define LG_LABEL_PUSH_H

#include "kernel/subset.h"

LG_NUMBER(LG_LABEL_SEGMENT, 128) // columns
LG_NUMBER(LG_LABEL_HEADER, 4)    // words before the sums of groups

LG_STRUCT(lg_label_push)
{
    lg_address pixels, layer_stride; // multiples of 16, as row_stride
    lg_address
        labels; // u32 [pixel]; before the last step, for the first pixel of a tile's component:
                // its parent, the first pixel of the same or of an earlier component
    lg_address
        words; // lg_address [tile][word]: bits; number of the first run, and in the high half
               // how many components the tile has. With values, u32 [word] behind those
               // of a tile: bits that begin runs
    lg_address roots;   // u16 [tile][run]: its component; then [component]: its first pixel
    lg_address marks;   // uvec4 [row][segment]: bits of the first pixels of components
    lg_address ranks;   // u32 [row][segment]: first pixels before it, within its group of words
    lg_address groups;  // a header, then u32 [group]: first pixels before it
    lg_address figures; // u32 [component][FIGURE_WORDS]
    lg_address result;  // a word: the number of components
    lg_uint row_stride; // bytes
    lg_uint width, height;
    lg_uint tiles_x, tiles_y; // of a layer
    lg_uint segments;         // of a row
    lg_uint rows;             // of all layers
    lg_uint diagonal;         // all bits where pixels join over corners, else 0
    lg_uint rule[2];          // of the foreground, see label_local.comp
    lg_uint capacity;         // components that `figures` has room for
    lg_uint across_layers;    // which pixels of two layers join, see label_layers.comp
};

#endif
