// Byte tables that are straight lines apart from clamping and rounding. Filters such as brightness,
// contrast and exposure make them. 16-bit arithmetic computes them with a third of a lookup's work.
#ifndef LG_BYTE_LINE_H
#define LG_BYTE_LINE_H

#include "core/core.h"

enum { LG_LINE_ODD = 4 };

// Byte x of channel k becomes ((x ^ invert) * 256 * slope / 2^16 + add - subtract) / 2^shift. Each
// step is clamped to 0 .. 65535 and rounded down, the result to 255. Exceptions: x = odd[i] gets
// step[i] added, modulo 256.
typedef struct lg_byte_lines {
    uint8_t invert[4];
    uint16_t slope[4], add[4], subtract[4];
    uint8_t odd[LG_LINE_ODD][4], step[LG_LINE_ODD][4];
    int shift, odd_count; // odd_count: the largest of the four channels
} lg_byte_lines;

// Finds lines for four tables; false when there are none. values[k][x] is the number that was
// rounded to tables[k][x], perhaps outside 0..1; it is only a hint.
bool lg_byte_lines_fit(const uint8_t (*tables)[256], const float *const values[4],
                       lg_byte_lines *out);

// Tables of two values, as thresholds make them: byte x of channel k becomes below[k], and above[k] from
// x = from[k] on.
typedef struct lg_byte_steps {
    uint8_t from[4], below[4], above[4];
} lg_byte_steps;

// False where a table has more than two values, or goes back to the first one.
bool lg_byte_steps_fit(const uint8_t (*tables)[256], lg_byte_steps *out);

#endif
