// For floats: the bits of the largest finite magnitude (word 0), and the number of samples that are
// not finite (words 1, 2).
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_area_largest_push p;
};

const uint VECTOR = 16u / SAMPLE_BYTES;

void main()
{
    uint largest = 0u, others = 0u;
    for (uint row = gl_WorkGroupID.x; row < p.rows; row += gl_NumWorkGroups.x) {
        const uvec2 start = lg_add64(lg_add64(p.data, lg_mul64(row / p.height, p.layer_stride)),
                                     lg_mul64(row % p.height, uvec2(p.row_stride, 0u)));
        const uint size = gl_WorkGroupSize.x * VECTOR;
        for (uint x = gl_WorkGroupID.y * size + gl_LocalInvocationIndex * VECTOR; x < p.width;
             x += gl_NumWorkGroups.y * size) {
            const uvec4 v = lg_vectors(lg_add64(start, lg_mul64(x, uvec2(SAMPLE_BYTES, 0u)))).at[0];
            for (uint i = 0u; i < VECTOR; i++) {
                const uint bits = sample_bits(v, i) & 0x7fffffffu;
                const bool inside = x + i < p.width, finite = bits < 0x7f800000u;
                if (inside && finite)
                    largest = max(largest, bits);
                others += inside && !finite ? 1u : 0u;
            }
        }
    }
    largest = subgroupMax(largest);
    others = subgroupAdd(others);
    if (!subgroupElect())
        return;
    lg_words_shared result = lg_words_shared(p.result);
    if (largest > 0u)
        atomicMax(result.at[0], largest);
    if (others > 0u && atomicAdd(result.at[1], others) > ~others)
        atomicAdd(result.at[2], 1u);
}
