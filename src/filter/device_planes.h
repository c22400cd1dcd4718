// Texts that read and write planes of Y'CbCr codes on a device.
#ifndef LG_DEVICE_PLANES_H
#define LG_DEVICE_PLANES_H

#include "filter/device_glsl.h"

// Writes lg_load_k, lg_get_k, lg_fetch_k and lg_unpack_k of lg_glsl_begin for planes in views k, k + 1 ...
// They give the words of the image of colours that the planes stand for.
void lg_glsl_read_planes(FILE *out, const lg_format *format, int k, int span);

// Writes lg_write_planes(int x, int y), which makes codes of lg_planes_across colours from column x on, in
// lg_planes_rows rows from row y on. View 0 is the image of colours; 1, 2 ... are the planes.
void lg_glsl_write_planes(FILE *out, const lg_format *colors, const lg_planes *planes);
int lg_planes_across(const lg_planes *planes);
int lg_planes_rows(const lg_planes *planes);

#endif
