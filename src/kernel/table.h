// A table for a kernel: numbers made from a filter's parameters, or the filter's second image as
// pixels of r, g, b, a: floats, or bytes, four to a number.
#ifndef LG_TABLE_H
#define LG_TABLE_H

typedef struct lg_table {
    const float *at;
    int count;                 // numbers
    int width, height, layers; // of an image; row y of layer z begins at number (z height + y) row
    int row;
    // An image's range: colour c is at (c - low) scale, 0 the first entry and 1 the last.
    float low_r, low_g, low_b;
    float scale_r, scale_g, scale_b;
} lg_table;

#endif
