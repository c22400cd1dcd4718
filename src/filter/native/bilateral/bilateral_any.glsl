// The bilateral filter, any type: four pixels of a row per thread, taps in the order of the
// definition. Shared memory holds the samples of all windows of a workgroup. Every fourth column is
// adjacent there, so that neighbouring threads read neighbouring words.
//
// Defined before: the macros of bilateral_pixels.glsl, RADIUS, DISTANCE (planes in the difference),
// FIRST (factor of the first of two planes), SCALE and UNIT of bilateral_factor, SHARED (0: samples
// are decoded where they are needed). Words: height, layers, indices of sigma_space and sigma_color
// among the numbers.
#include "filter/native/bilateral/bilateral_weight.h"

#define WIDE (4 * LG_GROUP_X)
#define FOURTH ((WIDE + 2 * RADIUS + 3) / 4)
#define TILE_WIDTH (4 * FOURTH)
#define TILE_HEIGHT (LG_GROUP_Y + 2 * RADIUS)

shared float space[RADIUS * RADIUS + 1];
#if SHARED
shared float tile[PLANES * TILE_WIDTH * TILE_HEIGHT];
#endif

#if SHARED
void load_tile(int x, int y, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < TILE_WIDTH * TILE_HEIGHT;
         i += LG_GROUP_X * LG_GROUP_Y) {
        int column = i % TILE_WIDTH, line = i / TILE_WIDTH;
        vec4 v = bilateral_pixel(x - RADIUS + column, y - RADIUS + line, z);
        int at = line * TILE_WIDTH + (column & 3) * FOURTH + (column >> 2);
        [[unroll]] for (int p = 0; p < PLANES; p++)
            tile[p * TILE_WIDTH * TILE_HEIGHT + at] = v[p];
    }
}
#endif

// The sample at a position in the tile.
vec4 sample_at(ivec2 first, int column, int line, uint z)
{
#if SHARED
    column = clamp(column, 0, TILE_WIDTH - 1);
    int at = line * TILE_WIDTH + (column & 3) * FOURTH + (column >> 2);
    vec4 v = vec4(0.0);
    [[unroll]] for (int p = 0; p < PLANES; p++)
        v[p] = tile[p * TILE_WIDTH * TILE_HEIGHT + at];
    return v;
#else
    return bilateral_pixel(first.x - RADIUS + column, first.y - RADIUS + line, z);
#endif
}

void add_tap(vec4 centre, vec4 v, float factor, float weight, inout vec4 sum, inout float weights)
{
    precise float d = centre.x - v.x;
    precise float square = d * d;
#if DISTANCE == 2
    square = square * FIRST;
#endif
    [[unroll]] for (int p = 1; p < DISTANCE; p++) {
        d = centre[p] - v[p];
        square = square + d * d;
    }
    precise float t = square * factor;
    precise float w = bilateral_weight(t) * weight;
    [[unroll]] for (int p = 0; p < PLANES; p++) {
        precise float product = v[p] * w;
        sum[p] = sum[p] + product;
    }
    weights = weights + w;
}

void run(ivec2 first, int height, uint z, float factor)
{
    int column = RADIUS + 4 * int(gl_LocalInvocationID.x), line = RADIUS + int(gl_LocalInvocationID.y);
    vec4 centre[4], sum[4];
    precise float weights[4];
    [[unroll]] for (int j = 0; j < 4; j++) {
        centre[j] = sample_at(first, column + j, line, z);
        sum[j] = centre[j];
        weights[j] = 1.0;
    }
    int reach = RADIUS;
    for (int dy = 0; dy <= RADIUS; dy++) {
        while (reach * reach + dy * dy > RADIUS * RADIUS)
            reach--;
        int from = dy == 0 ? 1 : -reach;
        vec4 below[4], above[4];
        [[unroll]] for (int j = 0; j < 4; j++) {
            below[j] = sample_at(first, column + from + j, line + dy, z);
            above[j] = sample_at(first, column - from + j, line - dy, z);
        }
        for (int dx = from; dx <= reach; dx++) {
            float weight = space[dx * dx + dy * dy];
            [[unroll]] for (int j = 0; j < 4; j++) {
                add_tap(centre[j], below[j], factor, weight, sum[j], weights[j]);
                add_tap(centre[j], above[j], factor, weight, sum[j], weights[j]);
            }
            below[0] = below[1], below[1] = below[2], below[2] = below[3];
            above[3] = above[2], above[2] = above[1], above[1] = above[0];
            below[3] = sample_at(first, column + dx + 4, line + dy, z);
            above[0] = sample_at(first, column - dx - 1, line - dy, z);
        }
    }
    int x = first.x + 4 * int(gl_LocalInvocationID.x), y = first.y + int(gl_LocalInvocationID.y);
    if (uint(x) < lg.width && y < height)
        bilateral_store(sum, weights, x, y, z);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]);
    int x = int(gl_WorkGroupID.x) * WIDE;
    float decay = bilateral_factor(lg_param_float(int(lg.extra[2])), 1.0, 1.0);
    float factor = bilateral_factor(lg_param_float(int(lg.extra[3])), SCALE, UNIT);
    for (int k = int(gl_LocalInvocationIndex); k <= RADIUS * RADIUS; k += LG_GROUP_X * LG_GROUP_Y) {
        precise float t = lg_from_uint(uint(k)) * decay;
        space[k] = bilateral_weight(t);
    }
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y) * LG_GROUP_Y; y < height;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            barrier();
#if SHARED
            load_tile(x, y, z);
            barrier();
#endif
            run(ivec2(x, y), height, z, factor);
        }
}
