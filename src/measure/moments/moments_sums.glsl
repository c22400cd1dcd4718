// Float moments above the leaves: exact sums of records, in shared memory and then in the totals.
//
// Words that records and workgroups add to modulo 2^32. Sums are digits of 16 bits that are carried
// only at the end; those of a negative sum are subtracted, so that a word is a signed number.
#include "measure/moments/moments_leaf.glsl"

const uint COUNT = 0u, NAN = 2u, POSITIVE = 4u, NEGATIVE = 6u; // counters: two digits each
const uint LOW = 8u, HIGH = 9u;                                // complement of a key, and a key
const uint MARKS = 10u;                                        // leaves left to the general kernel
const uint SUM = 16u, SQUARES = 40u, WORDS = 84u;              // of a channel

const uint COPIES = 8u / CHANNELS; // lanes that add to the same digits meet less often
shared uint sums[8 * 84];          // [copy][channel][word]

void sums_clear()
{
    for (uint i = gl_LocalInvocationIndex; i < 8u * WORDS; i += gl_WorkGroupSize.x)
        sums[i] = 0u;
    barrier();
}

void add_digit(uint place, uint value)
{
    if (value != 0u)
        atomicAdd(sums[place], value);
}

// The leaf's record, unless it is marked.
void sums_add(uint channel, lg_leaf_record r)
{
    const uint n = r.counts & 0xffffu;
    const uint base = ((invocation() / CHANNELS & (COPIES - 1u)) * CHANNELS + channel) * WORDS;
    if (r.counts == MARKED) {
        atomicAdd(sums[base + MARKS], 1u);
        return;
    }
    add_digit(base + COUNT, n);
    add_digit(base + NAN, r.counts >> 16);
    add_digit(base + POSITIVE, r.infinities & 0xffffu);
    add_digit(base + NEGATIVE, r.infinities >> 16);
    if (n == 0u)
        return;
    atomicMax(sums[base + LOW], ~lg_float_key(r.min));
    atomicMax(sums[base + HIGH], lg_float_key(r.max));
    if (r.k == LG_SCALE_ZERO)
        return;
    const lg_leaf_terms t = lg_leaf_terms_of(r);
    uint below = 0u, shift = t.place & 15u;
    for (uint i = 0u; i < 5u; i++) {
        const uint digit = i < 4u ? (t.sum[i >> 1] >> (16u * (i & 1u))) & 0xffffu : 0u;
        const uint part = ((digit << shift) | (below >> (16u - shift))) & 0xffffu;
        add_digit(base + SUM + (t.place >> 4) + i, t.negative != 0u ? 0u - part : part);
        below = digit;
    }
    const uint place = 2u * t.place;
    below = 0u;
    shift = place & 15u;
    for (uint i = 0u; i < 9u; i++) {
        const uint digit = i < 8u ? (t.squares[i >> 1] >> (16u * (i & 1u))) & 0xffffu : 0u;
        add_digit(base + SQUARES + (place >> 4) + i,
                  ((digit << shift) | (below >> (16u - shift))) & 0xffffu);
        below = digit;
    }
}

// To the totals of the layer: of every word the digit, and what is above it to the next.
void sums_publish(uint layer)
{
    barrier();
    lg_words_shared to = lg_own_copy(p.totals);
    for (uint i = gl_LocalInvocationIndex; i < CHANNELS * WORDS; i += gl_WorkGroupSize.x) {
        const uint at = layer * CHANNELS * WORDS + i, place = i % WORDS;
        uint sum = 0u, most = 0u;
        for (uint copy = 0u; copy < COPIES; copy++) {
            sum += sums[copy * CHANNELS * WORDS + i];
            most = max(most, sums[copy * CHANNELS * WORDS + i]);
        }
        if (most == 0u)
            continue;
        if (place == LOW || place == HIGH) {
            atomicMax(to.at[at], most);
            continue;
        }
        const uint above = uint(int(sum) >> 16);
        if ((sum & 0xffffu) != 0u)
            atomicAdd(to.at[at], sum & 0xffffu);
        if (above != 0u)
            atomicAdd(to.at[at + 1u], above);
    }
}
