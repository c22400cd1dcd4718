// A measured parameter: from the moments of an image to the numbers of a stage, on the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernel/memory.glsl"

#include "graph/figure_output.glsl"
#include "graph/figure_sums.h"

layout(push_constant, scalar) uniform parameters {
    lg_figure_sums_push p;
};

const uint MOST_WORDS = 4u * 100u;
shared uint low[MOST_WORDS], high[MOST_WORDS]; // digits of 16 bits, and what is above them
shared float figures[4];

bool is_extreme(uint word)
{
    return p.words == 16u ? word == 10u || word == 11u : word == 8u || word == 9u;
}

// Adds copies and layers up.
void add_up(uint i)
{
    uint l = 0u, h = 0u;
    for (uint copy = 0u; copy < p.copies; copy++)
        for (uint layer = 0u; layer < p.layers; layer++) {
            const uint v = lg_words_shared(p.counters).at[copy * p.copy_words + layer * p.layer_words + i];
            if (is_extreme(i % p.words)) {
                l = max(l, v);
                continue;
            }
            l += v & 0xffffu;
            h += v >> 16;
        }
    low[i] = l;
    high[i] = h;
}

// A number of `count` digits.
lg_limbs number_of(uint base, uint count)
{
    lg_limbs r;
    uint carry = 0u;
    for (uint i = 0u; i < uint(LG_LIMBS); i++)
        r.at[i] = 0u;
    for (uint i = 0u; i < 2u * uint(LG_LIMBS); i++) {
        const uint v = carry + (i < count ? low[base + i] : 0u) +
                       (i > 0u && i <= count ? high[base + i - 1u] : 0u);
        r.at[i >> 1] |= (v & 0xffffu) << (16u * (i & 1u));
        carry = v >> 16;
    }
    return r;
}

lg_limbs difference(lg_limbs a, lg_limbs b, out uint borrow)
{
    borrow = 0u;
    for (uint i = 0u; i < uint(LG_LIMBS); i++) {
        const uint first = a.at[i] - b.at[i], second = first - borrow;
        borrow = (a.at[i] < b.at[i] || first < borrow) ? 1u : 0u;
        a.at[i] = second;
    }
    return a;
}

// The key of a float: kernel/float_bits.h.
float float_of_key(uint key)
{
    return uintBitsToFloat((key & 0x80000000u) != 0u ? key & 0x7fffffffu : ~key);
}

float figure_of_channel(uint channel)
{
    const uint base = channel * p.words;
    lg_figure_sums s;
    s.unit = p.unit;
    s.scale = p.scale;
    if (p.words == 16u) {
        s.n = p.samples;
        s.negative = 0u;
        s.sum = number_of(base + 2u, 4u);
        s.squares = number_of(base + 6u, 4u);
        s.low = float(~low[base + 10u]);
        s.high = float(low[base + 11u]);
    } else {
        s.n = number_of(base, 2u).at[0] - number_of(base + 2u, 2u).at[0] -
              number_of(base + 4u, 2u).at[0] - number_of(base + 6u, 2u).at[0];
        const lg_limbs plus = number_of(base + 16u, 22u), minus = number_of(base + 38u, 22u);
        uint ignored;
        s.sum = difference(plus, minus, s.negative);
        if (s.negative != 0u)
            s.sum = difference(minus, plus, ignored);
        s.squares = number_of(base + 60u, 40u);
        s.low = float_of_key(~low[base + 8u]);
        s.high = float_of_key(low[base + 9u]);
    }
    return lg_figure_of_sums(s, p.to.kind);
}

void main()
{
    const uint k = gl_LocalInvocationIndex;
    for (uint i = k; i < p.layer_words; i += gl_WorkGroupSize.x)
        add_up(i);
    barrier();
    if (k < p.layer_words / p.words)
        figures[k] = figure_of_channel(k);
    barrier();
    // The counters are zero again for the next count.
    for (uint i = k; i < p.copies * p.copy_words; i += gl_WorkGroupSize.x)
        lg_words_shared(p.counters).at[i] = 0u;
    if (k >= p.to.numbers)
        return;
    const uint place = p.places >> (8u * k) & 255u;
    lg_figure_write_fitted(p.to, k, place == 255u ? 1.0 : figures[place & 3u]);
}
