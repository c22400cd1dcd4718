// Four reds of a 2 x 2 block in one pixel, for one CPU level.
#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "filter/native/tiles.h"

#define HALF (LG_SPAN / 2)

static void split(const float *restrict from, float *restrict even, float *restrict odd)
{
    for (int i = 0; i < HALF; i++) {
        even[i] = from[2 * i];
        odd[i] = from[2 * i + 1];
    }
}

static void run(const void *job, const lg_pixel_tile *t, char *scratch)
{
    const lg_stage_table *stage = job;
    float rows[4][LG_SPAN], halves[4][HALF];
    float *const planes[4] = {rows[0], rows[1], rows[2], rows[3]};
    float *const out[4] = {halves[0], halves[1], halves[2], halves[3]};
    memset(rows, 0, sizeof rows);
    for (int32_t y = t->y; y < t->y_end; y++)
        for (int32_t x = t->x; x < t->x_end; x += HALF) {
            const int32_t count = LG_MIN(HALF, t->x_end - x);
            for (int k = 0; k < 2; k++) {
                lg_color_row(stage, &t->in, LG_BORDER_REPLICATE, 2 * (int64_t)x,
                             2 * ((int64_t)x + count), 2 * (int64_t)y + k, planes);
                split(rows[0], halves[2 * k], halves[2 * k + 1]);
            }
            stage->store(&t->out, x, y, count, out);
        }
}

extern const lg_pixel_tiles LG_CPU_TABLE(color_packing);
const lg_pixel_tiles LG_CPU_TABLE(color_packing) = {.run = run};
