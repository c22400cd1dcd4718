// Tables of 256 bytes that are straight lines but for clamping and rounding, as brightness, contrast,
// exposure and negatives make them: computed with 16-bit integers, a third of the work of looking up.
#ifndef LG_BYTE_LINE_H
#define LG_BYTE_LINE_H

#include "core/core.h"

enum { LG_LINE_ODD = 4 };

// Byte x of channel k becomes ((x ^ invert) * 256 * slope / 2^16 + add - subtract) / 2^shift, each step
// kept in 0 .. 65535 and rounded down, at most 255. For x = odd[i], step[i] is added, modulo 256.
typedef struct lg_byte_lines {
    uint8_t invert[4];
    uint16_t slope[4], add[4], subtract[4];
    uint8_t odd[LG_LINE_ODD][4], step[LG_LINE_ODD][4];
    int shift, odd_count; // the most of a channel
} lg_byte_lines;

// Finds lines for four tables; false when there are none. values[k][x]: what tables[k][x] was rounded
// from, 0..1 and beyond; only a hint.
bool lg_byte_lines_fit(const uint8_t tables[4][256], const float *const values[4],
                       lg_byte_lines *out);

#endif
