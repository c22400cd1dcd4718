// The common part of kernels that make figures from counters. WORDS, of all channels, is defined
// before.
#include "kernel/memory.glsl"

#include "graph/figure_output.glsl"
#include "graph/figure_sums.h"

layout(push_constant, scalar) uniform parameters {
    lg_figure_push p;
};

shared uint digits[WORDS], above[WORDS]; // digits of 16 bits, and their carries
shared float figures[4];             // of each channel

uint counter_at(uint copy, uint layer, uint i)
{
    return copy * p.copy_words + layer * p.layer_words + p.first + i;
}

// A number of `count` digits.
lg_u768 number_of(uint base, uint count)
{
    lg_u768 r;
    uint carry = 0u;
    [[dont_unroll]] for (uint i = 0u; i < uint(LG_U768_LIMBS); i++)
        r.at[i] = 0u;
    [[dont_unroll]] for (uint i = 0u; i < 2u * uint(LG_U768_LIMBS); i++) {
        const uint v = carry + (i < count ? digits[base + i] : 0u) +
                       (i > 0u && i <= count ? above[base + i - 1u] : 0u);
        r.at[i >> 1] |= (v & 0xffffu) << (16u * (i & 1u));
        carry = v >> 16;
    }
    return r;
}

// All invocations write the numbers of a figure. The last one then clears the counters for the next
// count.
void write_figures()
{
    const uint k = gl_LocalInvocationIndex;
    barrier();
    if (p.clear != 0u)
        for (uint i = k; i < p.copies * p.copy_words; i += gl_WorkGroupSize.x)
            lg_words_shared(p.counters).at[i] = 0u;
    if (k >= p.to.numbers)
        return;
    const uint place = p.places >> (8u * k) & 255u;
    lg_figure_write_fitted(p.to, k, place == 255u ? 1.0 : figures[place & 3u]);
}
