// The bilateral filter of grey bytes. A table in shared memory has the weight of each difference. A
// thread has PIXELS pixels of a row, whose windows share samples. Taps are in the order of the
// definition.
//
// Defined before: RADIUS, PIXELS (4 or 8), STEP (columns of taps that are processed together, 4 or
// 8), BORDER, COPIES of the table, adjacent, one for each of as many lanes. Words: height, layers,
// indices of sigma_space and sigma_color among the numbers.
#include "filter/native/bilateral/bilateral_weight.h"

#define HALO ((RADIUS + STEP - 1) / STEP * STEP)
#define WIDE (PIXELS * LG_GROUP_X)
#define PITCH ((WIDE + 2 * HALO) / 4) // words
#define TILE_HEIGHT (LG_GROUP_Y + 2 * RADIUS)
#define THREADS (LG_GROUP_X * LG_GROUP_Y)
#define BYTES (PIXELS + STEP) // that STEP taps of PIXELS pixels read
#define WHOLE 0x4b000000u // bits of the float 2^23; with a byte added, those of 2^23 + the byte
// The taps of larger windows, unrolled, exceed the instruction cache.
#if RADIUS <= 3
#define UNROLL [[unroll]]
#else
#define UNROLL [[dont_unroll]]
#endif

shared uint tile[PITCH * TILE_HEIGHT];
shared float space[RADIUS * RADIUS + 1];
shared float weights_of[COPIES * 511]; // by sample - centre + 255

uint byte_at(uvec2 row, int x)
{
    int column = lg_border_index(x, lg_param_int(5), BORDER);
    return column < 0 ? 0u : lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
}

// Four bytes from column x on, a multiple of four.
uint word_at(int x, int y, uint z)
{
    int line = lg_border_index(y, lg_param_int(6), BORDER);
    if (line < 0)
        return 0u;
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    if (x >= 0 && x + 3 < lg_param_int(5))
        return lg_words(row).at[x >> 2];
    return byte_at(row, x) | byte_at(row, x + 1) << 8 | byte_at(row, x + 2) << 16 |
           byte_at(row, x + 3) << 24;
}

void make_tables()
{
    float decay = bilateral_factor(lg_param_float(int(lg.extra[2])), 1.0, 1.0);
    float factor = bilateral_factor(lg_param_float(int(lg.extra[3])), 3.0, 255.0);
    for (int k = int(gl_LocalInvocationIndex); k <= RADIUS * RADIUS; k += THREADS) {
        precise float t = lg_from_uint(uint(k)) * decay;
        space[k] = bilateral_weight(t);
    }
    barrier();
    for (int k = int(gl_LocalInvocationIndex); k < 511; k += THREADS) {
        uint d = uint(abs(k - 255));
        precise float t = lg_from_uint(d * d) * factor;
        precise float w = bilateral_weight(t);
        // Lanes begin with different copies, so that each writes to its own bank of 32.
        [[unroll]] for (int copy = 0; copy < COPIES; copy++)
            weights_of[k * COPIES + (copy + k * COPIES / 32) % COPIES] = w;
    }
}

// Bytes of the tile from column x on, a multiple of four: with WHOLE, and as floats.
void fetch(int x, int line, out uint whole[BYTES], out float value[BYTES])
{
    [[unroll]] for (int i = 0; i < BYTES; i++) {
        uint w = tile[line * PITCH + (x >> 2) + (i >> 2)];
        whole[i] = bitfieldExtract(w, 8 * (i & 3), 8) | WHOLE;
        precise float v = uintBitsToFloat(whole[i]) - 8388608.0;
        value[i] = v;
    }
}

void run(int x, int y, int height, uint z)
{
    int column = HALO + PIXELS * int(gl_LocalInvocationID.x), line = RADIUS + int(gl_LocalInvocationID.y);
    uint whole[BYTES], base[PIXELS];
    float value[BYTES];
    precise float sum[PIXELS], weights[PIXELS];
    fetch(column, line, whole, value);
    uint lane = gl_LocalInvocationIndex % COPIES;
    [[unroll]] for (int j = 0; j < PIXELS; j++) {
        sum[j] = value[j];
        weights[j] = 1.0;
        base[j] = (255u - whole[j]) * COPIES + lane; // WHOLE cancels with that of a neighbour
    }
    UNROLL for (int dy = 0; dy <= RADIUS; dy++)
        UNROLL for (int from = dy == 0 ? 0 : -HALO; from <= RADIUS; from += STEP) {
            int nearest = from > 0 ? from : from + STEP - 1 < 0 ? from + STEP - 1 : 0;
            if (nearest * nearest + dy * dy > RADIUS * RADIUS)
                continue;
            uint other[BYTES];
            float other_value[BYTES];
            fetch(column + from, line + dy, whole, value);
            fetch(column - from - STEP, line - dy, other, other_value);
            [[unroll]] for (int k = 0; k < STEP; k++) {
                int dx = from + k, square = dx * dx + dy * dy;
                if (square > RADIUS * RADIUS || (dy == 0 && dx <= 0))
                    continue;
                float weight = space[square];
                [[unroll]] for (int j = 0; j < PIXELS; j++) {
                    precise float below = weights_of[whole[k + j] * COPIES + base[j]] * weight;
                    precise float above = weights_of[other[STEP - k + j] * COPIES + base[j]] * weight;
                    precise float product = value[k + j] * below;
                    sum[j] = sum[j] + product;
                    weights[j] = weights[j] + below;
                    product = other_value[STEP - k + j] * above;
                    sum[j] = sum[j] + product;
                    weights[j] = weights[j] + above;
                }
            }
        }
    x += PIXELS * int(gl_LocalInvocationID.x), y += int(gl_LocalInvocationID.y);
    if (y >= height)
        return;
    lg_words row = lg_words(lg_row(lg.views[1], uint(y), z));
    [[unroll]] for (int i = 0; i < PIXELS / 4; i++) {
        uint w = 0u;
        [[unroll]] for (int j = 0; j < 4; j++) {
            precise float q = lg_div(sum[4 * i + j], weights[4 * i + j]) + 0.5;
            w |= uint(int(q)) << (8 * j);
        }
        if (uint(x + 4 * i) < lg.width)
            row.at[(x >> 2) + i] = w;
    }
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]);
    int x = int(gl_WorkGroupID.x) * WIDE;
    make_tables();
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * LG_GROUP_Y; y < height;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            barrier();
            for (int i = int(gl_LocalInvocationIndex); i < PITCH * TILE_HEIGHT; i += THREADS)
                tile[i] = word_at(x - HALO + i % PITCH * 4, y - RADIUS + i / PITCH, z);
            barrier();
            run(x, y, height, z);
        }
}
