// Small pictures for reports: baseline JPEG, without a library, so that every build makes the same ones.
#ifndef LG_TOOL_JPEG_H
#define LG_TOOL_JPEG_H

#include <stdint.h>
#include <stdio.h>

// `rgb`: rows without padding, 3 bytes a pixel. Sides are 1 to 65535. Colour is not subsampled.
// `quality`: 1 to 100, as libjpeg counts.
void lg_jpeg_write(FILE *out, const uint8_t *rgb, int width, int height, int quality);

#endif
