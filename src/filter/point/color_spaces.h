// What to_color_space and from_color_space share: the spaces, in the order of their numbers.
#ifndef LG_COLOR_SPACES_H
#define LG_COLOR_SPACES_H

#include "filter/kernel.h"
#include "kernel/space/hsl.h"
#include "kernel/space/lch.h"
#include "kernel/space/luv.h"
#include "kernel/space/oklab.h"
#include "kernel/space/units.h"
#include "kernel/space/ycbcr.h"
#include "kernel/space/yiq.h"

#define LG_SPACE_PARAMETERS(X)                                                                     \
    X(CHOICE, space, 3, "linear|hsv|hsl|lab|ycbcr601|ycbcr709|yiq|xyz|luv|lch|oklab",              \
      "which colour space")                                                                        \
    X(FLAG, plain, 0, "components in their own units, such as L = 0 to 100; for float images")

#define LG_SPACE_LOOP(name, number)                                                                \
    LG_FUNCTION color name##_##number(color c, place at, name##_params p)                          \
    {                                                                                              \
        p.space = number;                                                                          \
        return name##_kernel(c, at, p);                                                            \
    }                                                                                              \
    LG_POINT_LOOP(name, run_##number, name##_##number)

// A loop for each space: a space is then a constant of the loop.
#define LG_SPACE_LOOPS(name)                                                                       \
    LG_SPACE_LOOP(name, 0)                                                                         \
    LG_SPACE_LOOP(name, 1)                                                                         \
    LG_SPACE_LOOP(name, 2)                                                                         \
    LG_SPACE_LOOP(name, 3)                                                                         \
    LG_SPACE_LOOP(name, 4)                                                                         \
    LG_SPACE_LOOP(name, 5)                                                                         \
    LG_SPACE_LOOP(name, 6)                                                                         \
    LG_SPACE_LOOP(name, 7)                                                                         \
    LG_SPACE_LOOP(name, 8)                                                                         \
    LG_SPACE_LOOP(name, 9)                                                                         \
    LG_SPACE_LOOP(name, 10)                                                                        \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        static void (*const run[])(const lg_span *) = {                                            \
            name##_run_0, name##_run_1, name##_run_2, name##_run_3, name##_run_4, name##_run_5,    \
            name##_run_6, name##_run_7, name##_run_8, name##_run_9, name##_run_10};                \
        run[(int)name##_load(s).space](s);                                                         \
    }

#endif
