// Labels with float intensities: the bits of the largest finite magnitude among samples of
// components, from labels in memory. One workgroup clears the word first.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_scan.glsl"
#include "measure/components/label_real.glsl"

layout(constant_id = 5) const bool CLEAR = false;

// The magnitude of a sample in a row; rows count over all layers.
uint largest_of(uint v, uint row, uint x)
{
    const uint magnitude = magnitude_of(v);
    if (x >= p.width || magnitude >= INFINITE)
        return 0u;
    return plain_words(element(p.labels, row * p.width + x, 4u)).at[0] != 0u ? magnitude : 0u;
}

void main()
{
    lg_words_shared to = lg_words_shared(p.figures);
    if (CLEAR) {
        if (gl_GlobalInvocationID.x == 0u)
            to.at[0] = 0u;
        return;
    }
    const uint samples = 16u / BYTES, vectors = (p.width + samples - 1u) / samples;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint largest = 0u;
    for (uint i = gl_GlobalInvocationID.x; i < p.rows * vectors; i += step) {
        const uint row = i / vectors, x = (i - row * vectors) * samples, layer = row / p.height;
        uvec2 from = lg_add64(p.pixels, lg_mul64(layer, p.layer_stride));
        from = lg_add64(from, lg_mul64(row - layer * p.height, uvec2(p.row_stride, 0u)));
        const uvec4 v = lg_vectors(lg_add64(from, uvec2(x * BYTES, 0u))).at[0];
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            if (BYTES == 4u) {
                largest = max(largest, largest_of(v[k], row, x + k));
            } else {
                largest = max(largest, largest_of(v[k] & 0xffffu, row, x + 2u * k));
                largest = max(largest, largest_of(v[k] >> 16, row, x + 2u * k + 1u));
            }
        }
    }
    largest = subgroupMax(largest);
    if (subgroupElect() && largest != 0u)
        atomicMax(to.at[0], largest);
}
