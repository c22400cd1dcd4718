// Assembles the text of a kernel: common texts, and functions that access views in their formats.
#ifndef LG_DEVICE_GLSL_H
#define LG_DEVICE_GLSL_H

#include "filter/stage_push.h"

#include <lumagraph/image.h>
#include <stdio.h>

#define LG_MAX_VIEWS LG_VIEWS // of a kernel

// Numbers in front of a stage's parameters: width, height, 1 / width, 1 / height and height / width
// of the output as floats; then width and height of every view as integers.
#define LG_STAGE_HEADER 20

// What the text of a kernel depends on. The size of images is not part of it.
typedef struct lg_format {
    lg_type type;
    int channels;
    lg_alpha alpha;
    const lg_planes *planes; // the views from this one on are planes of such an image; NULL: none
    bool part;               // a view of such an image behind its first one
} lg_format;

typedef struct lg_glsl_params {
    const lg_format *views; // the last one is written
    int count;
    int group_x, group_y; // size of a workgroup
    int extra;            // the kernel's own words of push constants
    int span;             // pixels per thread, at least lg_word_span; 0: lg_thread_span
    const char *before;   // #extension and #define lines; NULL for none
    const char *shared;   // text that comes before the kernel's own; NULL for none
    const char *parts[2]; // embedded texts behind the kernel's own; NULL for none
} lg_glsl_params;

extern const char lg_glsl_common[], lg_glsl_stage[], lg_glsl_stage_tail[], lg_glsl_stage_planes[];

// Pixels per thread for which accesses to these views are whole vectors of 16 bytes.
int lg_thread_span(const lg_format *views, int count);

// The least for which they are whole words.
int lg_word_span(const lg_format *views, int count);

// Writes the text in front of a kernel's own, in GLSL 4.40: what came later needs its #extension in
// `before`. For every view k but the last:
//   color lg_load_k(int x, int y, uint z)              a pixel inside
//   color lg_get_k(int x, int y, uint z, int border)   any pixel; a border by the rules of graphs
//   void lg_fetch_k(out uvec4 v[LG_VECTORS_k], int x, int y, uint z)  LG_SPAN pixels from x, a
//                                                      multiple of LG_SPAN; may read past the row
//   color lg_unpack_k(uvec4 v[LG_VECTORS_k], int j)    pixel j of these
// For the last view:
//   void lg_pack(inout uvec4 v[LG_VECTORS_OUT], int j, color c)     v must be zeros at first
//   void lg_put(inout uvec4 v[LG_VECTORS_OUT], int j, uint w)       lg_pack of packed samples, for
//                                                      pixels of at most 4 bytes
//   void lg_flush(uvec4 v[LG_VECTORS_OUT], int x, int y, uint z)    stores the part inside the row
void lg_glsl_begin(FILE *out, const lg_glsl_params *params);

#endif
