// Putting together the text of a kernel: the common texts, and access to views in their formats.
#ifndef LG_DEVICE_GLSL_H
#define LG_DEVICE_GLSL_H

#include "filter/stage_push.h"

#include <lumagraph/image.h>
#include <stdio.h>

#define LG_MAX_VIEWS LG_VIEWS // of a kernel

// Numbers in front of a stage's parameters: width, height, 1 / width, 1 / height and height / width of the
// output, then for every view its width and height as whole numbers.
#define LG_STAGE_HEADER 20

// What the text depends on: not the size.
typedef struct lg_format {
    lg_type type;
    int channels;
    lg_alpha alpha;
} lg_format;

typedef struct lg_glsl_params {
    const lg_format *views; // the last one is written
    int count;
    int group_x, group_y; // size of a workgroup
    int extra;            // words of push constants of the kernel's own
    int span;             // pixels of a thread, at least 4; 0: lg_thread_span
    const char *before;   // #extension and #define lines; NULL for none
    const char *shared;   // text that comes before the kernel's own; NULL for none
    const char *parts[2]; // embedded texts behind the kernel's own; NULL for none
} lg_glsl_params;

extern const char lg_glsl_common[], lg_glsl_stage[], lg_glsl_stage_tail[];

// Pixels that a thread computes so that its accesses to these views are whole vectors of 16 bytes.
int lg_thread_span(const lg_format *views, int count);

// Writes what comes before a kernel's own text. For every view k but the last:
//   color lg_load_k(int x, int y, uint z)              a pixel inside
//   color lg_get_k(int x, int y, uint z, int border)   any pixel; graph rules for the border
//   void lg_fetch_k(out uvec4 v[LG_VECTORS_k], int x, int y, uint z)  LG_SPAN pixels from x on, a
//                                                      multiple of LG_SPAN; may read past the row
//   color lg_unpack_k(uvec4 v[LG_VECTORS_k], int j)    pixel j of them
// for the last:
//   void lg_pack(inout uvec4 v[LG_VECTORS_OUT], int j, color c)     v begins as zeros
//   void lg_put(inout uvec4 v[LG_VECTORS_OUT], int j, uint w)       the same of packed samples, where
//                                                      a pixel has at most 4 bytes
//   void lg_flush(uvec4 v[LG_VECTORS_OUT], int x, int y, uint z)    stores what lies inside the row
void lg_glsl_begin(FILE *out, const lg_glsl_params *params);

#endif
