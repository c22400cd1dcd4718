// The bilateral grid's sums of bytes. A workgroup has a cell; its threads count the pixels in
// shared memory, in any order. Neighbouring pixels often have similar levels, so they count in
// different copies. Then the levels are blurred.
//
// Defined before: the macros of bilateral_pixels.glsl, CAPACITY (at least the levels), COPIES,
// GREY, BITS. Words: those of bilateral_grid_sum.glsl.
#include "filter/native/bilateral/bilateral_grid_math.h"

#define VALUES  (PLANES + 1)
#define THREADS LG_GROUP_X

shared uint counts[CAPACITY * VALUES * COPIES];
shared float line[(CAPACITY + 4) * VALUES];

void count_pixel(ivec2 at, uint copy, float per_level, uint z)
{
    int x = lg_border_index(at.x, lg_param_int(5), BORDER);
    int y = lg_border_index(at.y, lg_param_int(6), BORDER);
    uint v = 0u;
    if (x >= 0 && y >= 0)
        v = bilateral_bytes(lg_words(lg_row(lg.views[0], uint(y), z)), x);
    uint green = PLANES > 1 ? v >> 8 & 255u : 0u, blue = PLANES > 2 ? v >> 16 & 255u : 0u;
    uint place = uint(bilateral_grid_place_of_bytes(v & 255u, green, blue, GREY != 0, per_level));
    uint above = place & ((1u << BITS) - 1u), below = (1u << BITS) - above;
    uint to = (place >> BITS) * VALUES * COPIES + copy;
    [[unroll]] for (int p = 0; p < PLANES; p++) {
        uint value = v >> (8 * p) & 255u;
        atomicAdd(counts[to + p * COPIES], value * below);
        atomicAdd(counts[to + (VALUES + p) * COPIES], value * above);
    }
    atomicAdd(counts[to + PLANES * COPIES], below);
    atomicAdd(counts[to + (VALUES + PLANES) * COPIES], above);
}

void main()
{
    lg_words cells = lg_words(uvec2(lg.extra[0], lg.extra[1]));
    int columns = int(lg.extra[2]), rows = int(lg.extra[3]), levels = int(lg.extra[4]);
    int side = int(lg.extra[5]), count = levels * VALUES, thread = int(gl_LocalInvocationIndex);
    float per_level = uintBitsToFloat(lg.extra[6]), inverse = 2.0 * uintBitsToFloat(lg.extra[7]);
    for (int i = thread; i < 2 * VALUES; i += THREADS) {
        line[i] = 0.0;
        line[2 * VALUES + count + i] = 0.0;
    }
    for (int row = int(gl_WorkGroupID.y); row < rows; row += int(gl_NumWorkGroups.y))
        for (int column = int(gl_WorkGroupID.x); column < columns; column += int(gl_NumWorkGroups.x)) {
            for (int i = thread; i < count * COPIES; i += THREADS)
                counts[i] = 0u;
            barrier();
            ivec2 corner = (ivec2(column, row) - LG_BILATERAL_GRID_BEYOND) * side;
            for (int i = thread; i < side * side; i += THREADS) {
                // Far enough from integers: i has 20 bits.
                int y = int((float(i) + 0.5) * inverse);
                count_pixel(corner + ivec2(i - y * side, y), uint(thread % COPIES), per_level, lg.extra[8]);
            }
            barrier();
            for (int i = thread; i < count; i += THREADS) {
                uint sum = 0u;
                [[unroll]] for (int copy = 0; copy < COPIES; copy++)
                    sum += counts[i * COPIES + (copy + i) % COPIES];
                line[2 * VALUES + i] = bilateral_grid_from_sum(sum);
            }
            barrier();
            for (int i = thread; i < count; i += THREADS) {
                precise float x = bilateral_grid_blur(line[i], line[i + VALUES], line[i + 2 * VALUES],
                                                      line[i + 3 * VALUES], line[i + 4 * VALUES],
                                                      LG_BILATERAL_GRID_RANGE);
                cells.at[(row * columns + column) * count + i] = floatBitsToUint(x);
            }
        }
}
