// Pictures for the benchmarks of labels: bytes that are foreground above a level.
#ifndef LG_BENCH_LABEL_CONTENT_H
#define LG_BENCH_LABEL_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum label_picture {
    PICTURE_RANDOM, // squares of noise, of which a share is foreground
    PICTURE_NATURAL,
    PICTURE_SPIRAL,
    PICTURE_COMB, // columns that meet in the last row
    PICTURE_CHECKERBOARD,
    PICTURE_FULL,
    PICTURE_EMPTY,
    PICTURES
} label_picture;

extern const char *const label_picture_names[PICTURES];
int label_picture_find(const char *name); // -1: there is none

// Above which a pixel is foreground; density of random pictures in percent.
double label_picture_level(label_picture picture, int density);

// `granularity`: side of the squares of random pictures. False: no memory.
bool label_picture_draw(label_picture picture, int granularity, uint8_t *pixels, size_t stride,
                        int32_t width, int32_t height);

#endif
