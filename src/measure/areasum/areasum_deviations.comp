// Squared deviations of the nodes of a ripmap of floats from their own means: a block from the one below it
// along an axis, and from the sums and counts of the nodes there.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shader/memory.glsl"

layout(constant_id = 1) const uint COUNTED = 0; // 1: samples are left out

layout(push_constant, scalar) uniform parameters {
    uvec2 to, from;    // addresses of blocks
    uvec2 sums, counts; // of the same nodes as `from`
    uint inner, nodes;  // words before the axis, nodes along it
    uint below;         // nodes along it of `from`
    uint words;         // in all
    uint first;         // of the first workgroup
    float half_of_one;  // 1 / (2 samples of a child)
} p;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer float_memory {
    float at;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer word_memory {
    uint at;
};

uvec2 address_of(uvec2 block, uint word)
{
    return lg_add64(block, lg_mul64(4u, uvec2(word, 0u)));
}

// a / b, rounded to nearest even; b > 0 is normal. No device promises that of its own division.
float quotient(float a, float b)
{
    const uint bits = floatBitsToUint(a), magnitude = bits & 0x7fffffffu;
    if (magnitude == 0u || magnitude >= 0x7f800000u)
        return a;
    const uint up = magnitude < 0x800000u ? 23u - uint(findMSB(magnitude)) : 0u;
    uint rest = magnitude < 0x800000u ? magnitude << up : magnitude & 0x7fffffu | 0x800000u;
    const int field = magnitude < 0x800000u ? 1 - int(up) : int(magnitude >> 23);
    const uint divisor = floatBitsToUint(b) & 0x7fffffu | 0x800000u;
    uint q = 0u;
    for (uint i = 0u; i < 27u; i++) {
        const bool fits = rest >= divisor;
        q = q << 1 | uint(fits);
        rest = (fits ? rest - divisor : rest) << 1;
    }
    const int top = findMSB(q); // 25 or 26; that bit is worth 2^(exponent - 127)
    const int exponent = field - int(floatBitsToUint(b) >> 23) + 101 + top;
    if (exponent >= 255)
        return uintBitsToFloat(bits & 0x80000000u | 0x7f800000u);
    const uint by = uint(min(top - 23 + max(1 - exponent, 0), 31));
    const uint sticky = rest != 0u ? 1u : q >> by & 1u;
    const uint rounded = (q + (1u << (by - 1u)) - 1u + sticky) >> by;
    return uintBitsToFloat(bits & 0x80000000u | (uint(max(exponent - 1, 0)) << 23) + rounded);
}

void main()
{
    const uint word = p.first + gl_GlobalInvocationID.x;
    if (word >= p.words)
        return;
    const uint line = word / p.inner;
    const uint first =
        (line / p.nodes * p.below + 2u * (line % p.nodes)) * p.inner + word % p.inner;
    const uint second = first + p.inner;
    precise float m2 = float_memory(address_of(p.from, first)).at +
                       float_memory(address_of(p.from, second)).at;
    const float a = float_memory(address_of(p.sums, first)).at;
    const float b = float_memory(address_of(p.sums, second)).at;
    if (COUNTED == 0u) {
        precise float d = a - b;
        m2 = m2 + d * d * p.half_of_one;
    } else {
        const uint first_count = word_memory(address_of(p.counts, first)).at;
        const uint second_count = word_memory(address_of(p.counts, second)).at;
        if (first_count != 0u && second_count != 0u) {
            const float na = float(first_count), nb = float(second_count);
            precise float d = nb * a - na * b;
            precise float product = quotient(d, na) * quotient(d, nb);
            precise float count = na + nb;
            m2 = m2 + quotient(product, count);
        }
    }
    float_memory(address_of(p.to, word)).at = m2;
}
