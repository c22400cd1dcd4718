// Sums of boxes from the corners of a summed-area table; a thread for each channel of a box.
//
// Results: integers in 64 bits; floats in one word, corners added in the order of the definition.
#version 460
//@variant areasum_corners_u32
//@variant areasum_corners_u64 -DSUM_WIDE
//@variant areasum_corners_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 4) const uint DIMS = 2;  // 1 .. 3
layout(constant_id = 5) const uint PARTS = 0; // 1: sums of boxes of more than PART elements wrap

const uint PART = 0xffffffffu / 255u; // bytes whose sum always fits 32 bits

layout(push_constant, scalar) uniform parameters {
    lg_area_corners_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer integer_result {
    uvec2 at;
};

// For a box that is not empty. If `low` is 0, there is nothing before it.
SUM corners(uvec3 low, uvec3 end, uint channel)
{
    SUM sum = SUM_ZERO;
    [[unroll]] for (uint k = 0u; k < 1u << DIMS; k++) {
        const bvec3 lower = bvec3((k & 1u) != 0u, (k & 2u) != 0u, (k & 4u) != 0u);
        const uvec3 at = mix(end, low, lower);
        if (any(equal(at, uvec3(0u))))
            continue;
        const uvec2 row = lg_mul64(at.z - 1u, uvec2(p.height, 0u));
        const uvec2 line = lg_add64(row, uvec2(at.y - 1u, 0u));
        const uvec2 element = lg_add64(lg_mul64(p.width, line), uvec2(at.x - 1u, 0u));
        const SUM v = sum_entry(p.table, lg_add64(lg_mul64(CHANNELS, element), uvec2(channel, 0u))).at[0];
        const bool negative = (bitCount(k) & 1) != 0;
#if defined(SUM_WIDE)
        sum = sum_add(sum, negative ? negative64(v) : v);
#else
        sum = sum_add(sum, negative ? -v : v);
#endif
    }
    return sum;
}

#if !defined(SUM_WIDE) && !defined(SUM_FLOAT)
// In parts whose sums fit 32 bits.
uvec2 wide_sum(uvec3 low, uvec3 end, uint channel)
{
    uvec3 size = end - low;
    size.x = min(size.x, PART);
    size.y = min(size.y, PART / size.x);
    size.z = min(size.z, PART / (size.x * size.y));
    uvec2 sum = uvec2(0u);
    for (uint z = low.z; z < end.z; z += size.z)
        for (uint y = low.y; y < end.y; y += size.y)
            for (uint x = low.x; x < end.x; x += size.x) {
                const uvec3 from = uvec3(x, y, z);
                sum = lg_add64(sum, uvec2(corners(from, min(from + size, end), channel), 0u));
            }
    return sum;
}
#endif

void main()
{
    const uint number = p.first + gl_GlobalInvocationID.x;
    if (number >= p.count)
        return;
    lg_words box = lg_words(lg_add64(p.boxes, lg_mul64(number / CHANNELS, uvec2(8u * DIMS, 0u))));
    uvec3 low = uvec3(0u), end = uvec3(1u);
    [[unroll]] for (uint d = 0u; d < DIMS; d++) {
        low[d] = box.at[d];
        end[d] = box.at[DIMS + d];
    }
    const uint channel = number % CHANNELS;
#ifdef SUM_FLOAT
    sum_entry(p.results, uvec2(number, 0u)).at[0] = corners(low, end, channel);
#else
#ifdef SUM_WIDE
    const uvec2 sum = corners(low, end, channel);
#else
    const uvec2 sum = PARTS != 0u ? wide_sum(low, end, channel) : uvec2(corners(low, end, channel), 0u);
#endif
    integer_result(lg_add64(p.results, lg_mul64(number, uvec2(8u, 0u)))).at = sum;
#endif
}
