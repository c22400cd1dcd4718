#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const lg_image_params timing_shapes[TIMING_SHAPES] = {
    {.width = 640, .height = 480, .layers = 1, .channels = 1, .type = LG_U8},
    {.width = 640,
     .height = 480,
     .layers = 1,
     .channels = 4,
     .type = LG_U8,
     .alpha = LG_ALPHA_OPAQUE},
    {.width = 640,
     .height = 480,
     .layers = 1,
     .channels = 4,
     .type = LG_F32,
     .alpha = LG_ALPHA_OPAQUE}};

bool timing_is_wanted(void)
{
    const char *wish = getenv("LUMAGRAPH_TEST_BENCH");
    return wish && strcmp(wish, "1") == 0;
}

double timing_shortest(bool (*run)(void *arg), void *arg)
{
    double best = 0, total = 0;
    for (int i = 0; i < 100 && (i < 3 || total < 0.1); i++) {
        const double start = lg_time_seconds();
        if (!run(arg))
            return 0;
        const double took = lg_time_seconds() - start;
        total += took;
        best = i == 0 || took < best ? took : best;
        if (i && total > 0.5)
            break;
    }
    return best;
}

void timing_print(const char *who, double nanoseconds, double base)
{
    printf("  %-12s %12.3f ns/pixel  %9.2f x\n", who, nanoseconds,
           nanoseconds > 0 ? base / nanoseconds : 0);
    fflush(stdout);
}
