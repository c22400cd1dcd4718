// Labels: clears the records of all components before sums are added.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "measure/components/label_tile.glsl"

layout(constant_id = 4) const uint RECORD = 3; // vectors

void main()
{
    const uint components = min(plain_words(p.result).at[0], p.capacity);
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < components; i += step)
        for (uint k = 0u; k < RECORD; k++)
            mark_vectors(element(p.figures, i, 16u * RECORD)).at[k] = uvec4(0u);
}
