// Exact moments of float samples without gaps: vectors of 16 bytes, four floats or eight halves.
#version 460
//@variant moments_float -DINT64
//@variant moments_float_words
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "measure/moments/moments_window.glsl"

layout(constant_id = 3) const uint PASSES = 4; // 16-byte loads in flight per lane

float sample_of(uvec4 v, uint i)
{
    if (HALF == 0u)
        return uintBitsToFloat(v[i]);
    const vec2 pair = unpackHalf2x16(v[i >> 1]);
    return (i & 1u) == 0u ? pair.x : pair.y;
}

const uint SAMPLES = HALF != 0u ? 8u : 4u; // of a vector; sample i is of channel i % CHANNELS

uint pick(uvec4 v, uint i)
{
    return i < 2u ? (i == 0u ? v.x : v.y) : (i == 2u ? v.z : v.w);
}

// Samples first .. end-1 of a vector, whatever they are.
void add_each(uvec4 v, uint first, uint end)
{
    [[dont_unroll]] for (uint i = first; i < end; i++) {
        uint bits = pick(v, HALF != 0u ? i >> 1 : i);
        if (HALF != 0u)
            bits = floatBitsToUint(unpackHalf2x16(bits >> (16u * (i & 1u))).x);
        add_singly(i & (CHANNELS - 1u), bits);
    }
}

void lg_edge(uvec4 v, uint first, uint end)
{
    add_each(v, first / (16u / SAMPLES), end / (16u / SAMPLES));
}

// Vector k is begin + k * step, or one that is there again where that is not below end.
void add_span(lg_vectors image, uvec4 v[PASSES], uint begin, uint step, uint end, bool whole)
{
    bool fits = true;
    [[unroll]] for (uint k = 0u; k < PASSES; k++)
        [[unroll]] for (uint i = 0u; i < SAMPLES; i++)
            fits = fits && in_window(i & (CHANNELS - 1u), sample_of(v[k], i));
    if (!fits) {
        [[dont_unroll]] for (uint k = 0u; k < PASSES && (whole || begin + k * step < end); k++)
            add_each(image.at[begin + k * step], 0u, SAMPLES);
        return;
    }
    [[unroll]] for (uint k = 0u; k < PASSES; k++)
        [[unroll]] for (uint i = 0u; i < SAMPLES; i++)
            add_sample(i & (CHANNELS - 1u), sample_of(v[k], i), whole || begin + k * step < end);
    lane_carry();
}

#define LG_PASSES PASSES
#define LG_SPAN(image, v, begin, step, end, whole) add_span(image, v, begin, step, end, whole);
#include "shader/vectors.glsl"

layout(push_constant, scalar) uniform parameters {
    lg_rows rows;
    lg_totals totals; // words of moments_window.glsl [layer][channel]
    uint samples;     // of a channel and layer
} p;

// One vector for each lane, out of all that the workgroup will see.
void look_around()
{
    const lg_rows r = p.rows;
    const uint all = r.rows * r.segments, shares = gl_NumWorkGroups.x, mine = gl_WorkGroupID.x;
    const uint count = (all - min(mine, all - 1u) + shares - 1u) / shares, lane = gl_LocalInvocationIndex;
    const uint segment = min(mine, all - 1u) + lane % count * shares;
    const uint row = segment / r.segments, part = segment - row * r.segments;
    const uint size = max(r.vectors / r.segments, 1u);
    uint offset, unused; // anywhere in the part
    umulExtended(lane * 2654435769u, size, offset, unused);
    const uint place = min(part * size + offset, r.vectors - 1u);
    lg_vectors image = lg_vectors(lg_add64(r.data, lg_mul64(gl_WorkGroupID.y, r.layer_stride)));
    const uvec4 v = lg_vectors_from(image, row * r.row_stride).at[place];
    [[unroll]] for (uint i = 0u; i < SAMPLES; i++)
        look_at(i & (CHANNELS - 1u), floatBitsToUint(sample_of(v, i)));
}

void main()
{
    sums_clear();
    if (HALF == 0u)
        look_around();
    windows_choose();
    if (gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex < CHANNELS)
        add_word(gl_LocalInvocationIndex * WORDS + COUNT, 0u, p.samples);
    lg_walk_rows(p.rows, gl_WorkGroupID.y);
    lanes_publish();
    sums_publish(p.totals, gl_WorkGroupID.y);
}
