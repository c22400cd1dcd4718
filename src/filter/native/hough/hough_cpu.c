// Votes of edge pixels, for one CPU level.
#include "filter/native/hough/hough.h"

#include "cpu/cpu.h"
#include "filter/native/hough/hough_rule.h"

static int32_t find(const lg_stage_table *stage, const lg_pixels *in, int32_t y, uint32_t *to)
{
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    int32_t found = 0;
    for (int32_t x = 0; x < in->width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, in->width - x);
        stage->load(in, x, y, count, planes);
        for (int i = 0; i < count; i++) {
            to[found] = (uint32_t)y << 16 | (uint32_t)(x + i);
            found += rgb_a[0][i] > 0;
        }
    }
    return found;
}

#define BLOCK 256 // points whose rows are computed together

static void vote(const uint32_t *points, int32_t count, const int32_t direction[2], int32_t reach,
                 uint32_t *votes)
{
    const int32_t cosine = direction[0], sine = direction[1];
    int32_t rows[BLOCK];
    for (int32_t first = 0; first < count; first += BLOCK) {
        const int32_t n = LG_MIN(BLOCK, count - first);
        const uint32_t *restrict from = points + first;
        for (int32_t i = 0; i < n; i++)
            rows[i] = hough_row((int32_t)(from[i] & 0xffff), (int32_t)(from[i] >> 16), cosine, sine,
                                reach);
        for (int32_t i = 0; i < n; i++)
            votes[rows[i]]++;
    }
}

extern const lg_hough_table LG_CPU_TABLE(hough);
const lg_hough_table LG_CPU_TABLE(hough) = {find, vote};
