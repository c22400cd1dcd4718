// Weighted sums under windows of boxes that are smoothed ORDER times: differences of a table of running sums.
// A thread for each channel of a window. areasum_smooth.c has the same in C.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SUM_WIDE
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 4) const uint DIMS = 2;  // 1 .. 3
layout(constant_id = 5) const uint ORDER = 1; // 1 .. 4

layout(push_constant, scalar) uniform parameters {
    lg_area_windows_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer integer_result {
    uvec2 at;
};

// Entries along an axis; those in front of the array are 0.
int entry_of(int centre, int radius, uint k)
{
    return centre + int(ORDER) * radius - int(k) * (2 * radius + 1);
}

void main()
{
    const uint number = p.first + gl_GlobalInvocationID.x;
    if (number >= p.count)
        return;
    lg_words box = lg_words(lg_add64(p.boxes, lg_mul64(number / CHANNELS, uvec2(8u * DIMS, 0u))));
    ivec3 centre = ivec3(0), radius = ivec3(0);
    [[unroll]] for (uint d = 0u; d < DIMS; d++) {
        radius[d] = (int(box.at[DIMS + d]) - int(box.at[d]) - 1) / 2;
        centre[d] = int(box.at[d]) + radius[d];
    }
    int factors[ORDER + 1u];
    factors[0] = 1;
    for (uint k = 0u; k < ORDER; k++)
        factors[k + 1u] = -factors[k] * int(ORDER - k) / int(k + 1u);
    uvec2 sum = uvec2(0u);
    const uint rows = DIMS > 1u ? ORDER : 0u, layers = DIMS > 2u ? ORDER : 0u;
    for (uint z = 0u; z <= layers; z++)
        for (uint y = 0u; y <= rows; y++)
            for (uint x = 0u; x <= ORDER; x++) {
                const ivec3 at = ivec3(entry_of(centre.x, radius.x, x),
                                       DIMS > 1u ? entry_of(centre.y, radius.y, y) : 0,
                                       DIMS > 2u ? entry_of(centre.z, radius.z, z) : 0);
                if (any(lessThan(at, ivec3(0))))
                    continue;
                const int factor = factors[x] * (DIMS > 1u ? factors[y] : 1) *
                                   (DIMS > 2u ? factors[z] : 1);
                const uvec2 line = lg_add64(lg_mul64(uint(at.z), uvec2(p.length_y, 0u)),
                                            uvec2(at.y, 0u));
                const uvec2 entry = lg_add64(lg_mul64(p.length_x, line), uvec2(at.x, 0u));
                const uvec2 word = lg_add64(lg_mul64(CHANNELS, entry), uvec2(number % CHANNELS, 0u));
                const uvec2 v = sum_entry(p.table, word).at[0];
                const uvec2 product = lg_mul64(uint(abs(factor)), v);
                sum = lg_add64(sum, factor < 0 ? negative64(product) : product);
            }
    integer_result(lg_add64(p.results, lg_mul64(number, uvec2(8u, 0u)))).at = sum;
}
