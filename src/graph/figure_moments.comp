// A measured parameter on the device: from the moments of an image to the numbers of a stage.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

const uint WORDS = 4u * 100u;

#include "graph/figure_counters.glsl"

bool is_extreme(uint word)
{
    return p.words == 16u ? word == 10u || word == 11u : word == 8u || word == 9u;
}

// Adds up copies and layers.
void add_up(uint i)
{
    uint l = 0u, h = 0u;
    for (uint copy = 0u; copy < p.copies; copy++)
        for (uint layer = 0u; layer < p.layers; layer++) {
            const uint v = lg_words_shared(p.counters).at[counter_at(copy, layer, i)];
            if (is_extreme(i % p.words)) {
                l = max(l, v);
                continue;
            }
            l += v & 0xffffu;
            h += v >> 16;
        }
    digits[i] = l;
    above[i] = h;
}

lg_u768 difference(lg_u768 a, lg_u768 b, out uint borrow)
{
    borrow = 0u;
    [[dont_unroll]] for (uint i = 0u; i < uint(LG_U768_LIMBS); i++) {
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
        s.low = float(~digits[base + 10u]);
        s.high = float(digits[base + 11u]);
    } else {
        s.n = number_of(base, 2u).at[0] - number_of(base + 2u, 2u).at[0] -
              number_of(base + 4u, 2u).at[0] - number_of(base + 6u, 2u).at[0];
        const lg_u768 plus = number_of(base + 16u, 22u), minus = number_of(base + 38u, 22u);
        uint ignored;
        s.sum = difference(plus, minus, s.negative);
        if (s.negative != 0u)
            s.sum = difference(minus, plus, ignored);
        s.squares = number_of(base + 60u, 40u);
        s.low = float_of_key(~digits[base + 8u]);
        s.high = float_of_key(digits[base + 9u]);
    }
    return lg_figure_of_sums(s, p.to.kind);
}

void main()
{
    const uint k = gl_LocalInvocationIndex;
    for (uint i = k; i < p.channels * p.words; i += gl_WorkGroupSize.x)
        add_up(i);
    barrier();
    if (k < p.channels)
        figures[k] = figure_of_channel(k);
    write_figures();
}
