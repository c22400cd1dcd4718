// Serial sums along lines of memory, one line per thread. EXCLUSIVE: entry k of a line becomes the
// sum of the entries before it (carries of tiles). Otherwise it becomes the sum including itself (a
// further axis of a table), in groups of 8 and blocks of 8 groups.
#version 460
//@variant areasum_lines_u32
//@variant areasum_lines_u64 -DSUM_WIDE
//@variant areasum_lines_f32 -DSUM_FLOAT
#extension GL_GOOGLE_include_directive : require
#include "measure/areasum/areasum_sums.glsl"
#include "measure/areasum/areasum_push.h"

layout(constant_id = 4) const uint EXCLUSIVE = 0;

layout(push_constant, scalar) uniform parameters {
    lg_area_lines_push p;
};

void main()
{
    const uint line = p.first + gl_GlobalInvocationID.x;
    if (line >= p.lines)
        return;
    const uvec2 start =
        lg_add64(lg_mul64(line / p.inner, p.outer_stride), uvec2(line % p.inner, 0u));
    uvec2 at = uvec2(sum_entry(p.data, start));
    const uvec2 bytes = lg_mul64(SUM_BYTES, p.step);
    SUM carry = SUM_ZERO, groups = SUM_ZERO, within = SUM_ZERO;
    for (uint k = 0u; k < p.count; k++) {
        const SUM own = sum_memory(at).at[0];
        if (EXCLUSIVE != 0u) {
            sum_memory(at).at[0] = carry;
            carry = sum_add(carry, own);
        } else {
            within = (k & 7u) == 0u ? own : sum_add(within, own);
            sum_memory(at).at[0] = sum_add(carry, sum_add(groups, within));
            if ((k & 7u) == 7u)
                groups = sum_add(groups, within);
            if ((k & 63u) == 63u) {
                carry = sum_add(carry, groups);
                groups = SUM_ZERO;
            }
        }
        at = lg_add64(at, bytes);
    }
}
