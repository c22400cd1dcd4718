// The parameters of a filter: one list for the help, the checks and the kernel's struct.
//
// #define PARAMETERS(X)  with one line per parameter:
//   X(NUMBER, name, unit, default, least, most, help)     X(FLAG, name, default, help)
//   X(INTEGER, name, unit, default, least, most, help)    X(CHOICE, name, default, "a|b", help)
//   X(LEVEL, name, default, help)                         a number that pixels are compared with
//   X(POINT, name, x, y, help)   X(COLOR, name, r, g, b, a, help)
//   X(RANGED_COLOR, name, r, g, b, a, least, most, help)  a colour whose numbers have a range
//   X(MATRIX3, name, help)       X(MATRIX4, name, help)   identity by default; float name[9], [16]
//   X(TRANSFORM, name, help)     a MATRIX3 that is 1 0 0, 0 1 0, 0 0 1 by default
//   X(TEXT, name, default, help) X(TABLE, name, help)     a text is not in the kernel's struct
//   X(CURVE, name, help)         a table that a figure makes: name=@cdf
//   X(ECDF, name, help)          the same: name=@ecdf
//   X(IMAGE, name, filter, help)   of pipelines: a table image that replaces the filter `filter`
//   X(ALIAS, old_name, name)
//   X(BOX, name, help)           WxH+X+Y for x, y, width, height and unit=px
//   LG_BORDER_PARAMETER(X)       for filters that read a neighbourhood
//   LG_TEXEL_PARAMETERS(X)       for windows of 3 x 3: how far apart the nine pixels are
//   LG_OPACITY_PARAMETER(X)      for blends
//   LG_ALPHA_MODE_PARAMETER(X)   for blends that GPUImage composites in a way of its own
//   LG_PASSES_PARAMETER(X)       for natives that a plan repeats
//   LG_FIT_PARAMETER(X)          for what reads a second image at its pixel; kernels ignore it
#ifndef LG_PARAMETERS_H
#define LG_PARAMETERS_H

#include "filter/catalogue.h"

#define LG_BORDER_PARAMETER(X)                                                                     \
    X(CHOICE, border, 0, "replicate|mirror|wrap|constant", "what stands outside the image")

// Kernels ignore them: what reads the image takes neighbours from there (lg_filter_step).
#define LG_TEXEL_PARAMETERS(X)                                                                     \
    X(NUMBER, texel_width, "px", 1, LG_LEAST_STEP, LG_MOST_STEP,                                   \
      "columns from the centre to its neighbours")                                                 \
    X(NUMBER, texel_height, "px", 1, LG_LEAST_STEP, LG_MOST_STEP,                                  \
      "rows from the centre to its neighbours")

#define LG_OPACITY_PARAMETER(X)                                                                    \
    X(NUMBER, opacity, "", 1, 0, 1,                                                                \
      "factor of the second image's alpha: 0 leaves the first as it is")

#define LG_ALPHA_MODE_PARAMETER(X)                                                                 \
    X(CHOICE, alpha_mode, 0, "w3c|gpuimage",                                                       \
      "how alpha is composited; without alpha both are the same")

#define LG_PASSES_PARAMETER(X)                                                                     \
    X(INTEGER, blur_passes, "", 1, 1, 16, "how often the filter is applied, to its own result")

#define LG_RECTANGLE_PARAMETERS(X)                                                                 \
    X(NUMBER, x, "widths or px", 0, 0, 16777216, "left edge")                                      \
    X(NUMBER, y, "heights or px", 0, 0, 16777216, "top edge")                                      \
    X(NUMBER, width, "widths or px", 1, 0, 16777216, "0: one pixel")                               \
    X(NUMBER, height, "heights or px", 1, 0, 16777216, "0: one pixel")                             \
    X(CHOICE, unit, 0, "size|px", "of the four numbers: the image's size, or pixels")

#define LG_FIT_PARAMETER(X)                                                                        \
    X(CHOICE, fit, 0, "stretch|none|cover|contain|tile",                                           \
      "how a second image of another size covers the first")

// The choices of LG_FIT_PARAMETER.
typedef enum lg_fit {
    LG_FIT_STRETCH,
    LG_FIT_NONE,
    LG_FIT_COVER,
    LG_FIT_CONTAIN,
    LG_FIT_TILE,
} lg_fit;

#define LG_ROW_NUMBER(name_, unit_, default_, least_, most_, help_)                                \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_NUMBER,                                                                      \
     .unit = unit_,                                                                                \
     .value = {default_},                                                                          \
     .size = 1,                                                                                    \
     .min = least_,                                                                                \
     .max = most_,                                                                                 \
     .help = help_},
#define LG_ROW_INTEGER(name_, unit_, default_, least_, most_, help_)                               \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_INTEGER,                                                                     \
     .unit = unit_,                                                                                \
     .value = {default_},                                                                          \
     .size = 1,                                                                                    \
     .min = least_,                                                                                \
     .max = most_,                                                                                 \
     .help = help_},
#define LG_ROW_FLAG(name_, default_, help_)                                                        \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_FLAG,                                                                        \
     .unit = "",                                                                                   \
     .value = {default_},                                                                          \
     .size = 1,                                                                                    \
     .min = 0,                                                                                     \
     .max = 1,                                                                                     \
     .help = help_},
#define LG_ROW_CHOICE(name_, default_, choices_, help_)                                            \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_CHOICE,                                                                      \
     .unit = "",                                                                                   \
     .value = {default_},                                                                          \
     .size = 1,                                                                                    \
     .min = 0,                                                                                     \
     .max = 255,                                                                                   \
     .choices = choices_,                                                                          \
     .help = help_},
#define LG_ROW_POINT(name_, x_, y_, help_)                                                         \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_POINT,                                                                       \
     .unit = "",                                                                                   \
     .value = {x_, y_},                                                                            \
     .size = 2,                                                                                    \
     .min = -1e6f,                                                                                 \
     .max = 1e6f,                                                                                  \
     .help = help_},
// Colours and levels have the unit of pixels, LG_PIXEL_UNIT, and no range of their own.
#define LG_ROW_LEVEL(name_, default_, help_)                                                       \
    LG_ROW_NUMBER(name_, LG_PIXEL_UNIT, default_, -1e6f, 1e6f, help_)
#define LG_ROW_COLOR(name_, r_, g_, b_, a_, help_)                                                 \
    LG_ROW_ANY_COLOR(name_, LG_PIXEL_UNIT, r_, g_, b_, a_, -1e6f, 1e6f, help_)
#define LG_ROW_RANGED_COLOR(name_, r_, g_, b_, a_, least_, most_, help_)                           \
    LG_ROW_ANY_COLOR(name_, "", r_, g_, b_, a_, least_, most_, help_)
#define LG_ROW_ANY_COLOR(name_, unit_, r_, g_, b_, a_, least_, most_, help_)                       \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_COLOR,                                                                       \
     .unit = unit_,                                                                                \
     .value = {r_, g_, b_, a_},                                                                    \
     .size = 4,                                                                                    \
     .min = least_,                                                                                \
     .max = most_,                                                                                 \
     .help = help_},
#define LG_ROW_MATRIX3(name_, help_)                                                               \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_MATRIX,                                                                      \
     .unit = "",                                                                                   \
     .value = {0, 0, 0, 0, 1, 0, 0, 0, 0},                                                         \
     .size = 9,                                                                                    \
     .min = -1e6f,                                                                                 \
     .max = 1e6f,                                                                                  \
     .help = help_},
#define LG_ROW_TRANSFORM(name_, help_)                                                             \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_MATRIX,                                                                      \
     .unit = "",                                                                                   \
     .value = {1, 0, 0, 0, 1, 0, 0, 0, 1},                                                         \
     .size = 9,                                                                                    \
     .min = -1e6f,                                                                                 \
     .max = 1e6f,                                                                                  \
     .help = help_},
#define LG_ROW_MATRIX4(name_, help_)                                                               \
    {.name = #name_,                                                                               \
     .kind = LG_PARAM_MATRIX,                                                                      \
     .unit = "",                                                                                   \
     .value = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},                                    \
     .size = 16,                                                                                   \
     .min = -1e6f,                                                                                 \
     .max = 1e6f,                                                                                  \
     .help = help_},
#define LG_ROW_TEXT(name_, default_, help_)                                                        \
    {.name = #name_, .kind = LG_PARAM_TEXT, .unit = "", .text = default_, .help = help_},
#define LG_ROW_TABLE(name_, help_)                                                                 \
    {.name = #name_, .kind = LG_PARAM_TABLE, .unit = "", .help = help_},
#define LG_ROW_IMAGE(name_, filter_, help_)                                                        \
    {.name = #name_, .kind = LG_PARAM_IMAGE, .unit = "", .text = filter_, .help = help_},
// The unit names the figure that makes the curve.
#define LG_ROW_CURVE(name_, help_)                                                                 \
    {.name = #name_, .kind = LG_PARAM_TABLE, .unit = "@cdf", .help = help_},
#define LG_ROW_ECDF(name_, help_)                                                                  \
    {.name = #name_, .kind = LG_PARAM_TABLE, .unit = "@ecdf", .help = help_},
#define LG_ROW_ALIAS(name_, of_)                                                                   \
    {.name = #name_, .kind = LG_PARAM_ALIAS, .unit = #of_, .help = "another name of " #of_},
#define LG_ROW_BOX(name_, help_)                                                                   \
    {.name = #name_, .kind = LG_PARAM_BOX, .unit = "px", .help = help_},
#define LG_ROW(kind, ...) LG_ROW_##kind(__VA_ARGS__)

#define LG_ROWS(name) static const lg_filter_param name##_rows[] = {PARAMETERS(LG_ROW){0}};

#endif
