// Exact sums of float samples in integers: docs/definitions.md, section Moments.
//
// A workgroup inspects some samples and chooses a window for each channel: zero, and magnitudes
// from 2^(e - 22) to below 2^e. A sample in the window is h * 2^(e - 22) + l * 2^(e - 45). Float
// additions, which round to nearest, give the integers h and l. Lanes sum h, l and their products.
// A sample outside the window is added to the workgroup's sums alone. A lane has samples of one
// channel, so that its sums fit into few registers.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#ifdef INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel/memory.glsl"
#include "kernel/float_bits.h"

layout(constant_id = 1) const uint CHANNELS = 1; // stored: 1, 2 or 4
layout(constant_id = 2) const uint HALF = 0;     // 1: f16 samples

// ---- the workgroup's sums -----------------------------------------------------------------------
//
// Of each channel words that only grow: counters and sums as digits of 16 bits with what is to be carried.

const uint COUNT = 0u, NAN = 2u, POSITIVE = 4u, NEGATIVE = 6u; // two digits each
const uint LOW = 8u, HIGH = 9u;              // complement of the minimum's key, and the maximum's key
const uint PLUS = 16u, MINUS = 38u; // sums of magnitudes of positive and of negative samples, 2^-149
const uint SQUARES = 60u, WORDS = 100u; // 2^-298

shared uint sums[4 * 100];
shared uint largest[4]; // bits, of the inspected samples

void sums_clear()
{
    for (uint i = gl_LocalInvocationIndex; i < CHANNELS * WORDS; i += gl_WorkGroupSize.x)
        sums[i] = 0u;
    if (gl_LocalInvocationIndex < 4u)
        largest[gl_LocalInvocationIndex] = 0u;
    barrier();
}

// A word that wraps has lost 2^32, which is one in the next digit but one; that digit does not wrap
// by this. No loop: llvmpipe ends all loops of an invocation after 65535 rounds together.
void add_digit(uint place, uint value)
{
    if (value == 0u)
        return;
    const uint before = atomicAdd(sums[place], value);
    if (before + value < before)
        atomicAdd(sums[place + 2u], 1u);
}

// value * 2^bit, 32 bits of it.
void add_word(uint place, uint bit, uint value)
{
    const uint shift = bit & 15u, at = place + (bit >> 4);
    const uint low = (value & 0xffffu) << shift, high = (value >> 16) << shift;
    add_digit(at, low & 0xffffu);
    add_digit(at + 1u, (low >> 16) + (high & 0xffffu));
    add_digit(at + 2u, high >> 16);
}

void extremes_add(uint channel, float low, float high)
{
    atomicMax(sums[channel * WORDS + LOW], ~lg_float_key(lg_plus_zero(low)));
    atomicMax(sums[channel * WORDS + HIGH], lg_float_key(lg_plus_zero(high)));
}

// Any sample, from its bits, as a device may flush subnormal floats to zero.
void add_singly(uint channel, uint bits)
{
    const uint base = channel * WORDS, magnitude = bits & LG_BITS_ABS;
    if (magnitude >= LG_BITS_INF) {
        add_digit(base + (magnitude > LG_BITS_INF ? NAN : (bits >> 31) != 0u ? NEGATIVE : POSITIVE), 1u);
        return;
    }
    const uint exponent = max(magnitude >> 23, 1u), place = exponent - 1u;
    const uint m = (magnitude & 0x007fffffu) | (magnitude >= 0x00800000u ? 0x00800000u : 0u);
    uint square_low, square_high;
    umulExtended(m, m, square_high, square_low);
    add_word(base + ((bits >> 31) != 0u ? MINUS : PLUS), place, m);
    add_word(base + SQUARES, 2u * place, square_low);
    add_word(base + SQUARES, 2u * place + 32u, square_high);
    extremes_add(channel, uintBitsToFloat(bits), uintBitsToFloat(bits));
}

// Adds to the totals of the layer: the digit of every word, and its carry to the next.
void sums_publish(lg_device_totals totals, uint layer)
{
    barrier();
    lg_words_shared to = lg_own_copy(totals);
    for (uint i = gl_LocalInvocationIndex; i < CHANNELS * WORDS; i += gl_WorkGroupSize.x) {
        const uint at = layer * CHANNELS * WORDS + i, place = i % WORDS, word = sums[i];
        if (place == LOW || place == HIGH) {
            if (word != 0u)
                atomicMax(to.at[at], word);
            continue;
        }
        if ((word & 0xffffu) != 0u)
            atomicAdd(to.at[at], word & 0xffffu);
        if ((word >> 16) != 0u)
            atomicAdd(to.at[at + 1u], word >> 16);
    }
}

// ---- numbers of 64 bits, modulo 2^64 ------------------------------------------------------------

#ifdef INT64
#define wide uint64_t
const uint64_t wide_zero = 0;
void add_product(inout uint64_t sum, uint a, uint b)
{
    sum += uint64_t(a) * uint64_t(b);
}
void add_signed(inout uint64_t sum, int value)
{
    sum += uint64_t(int64_t(value));
}
uvec2 wide_words(uint64_t value)
{
    return uvec2(uint(value), uint(value >> 32));
}
#else
#define wide uvec2
const uvec2 wide_zero = uvec2(0u);
void add_product(inout uvec2 sum, uint a, uint b)
{
    sum = lg_add64(sum, lg_mul64(a, uvec2(b, 0u)));
}
void add_signed(inout uvec2 sum, int value)
{
    sum = lg_add64(sum, uvec2(uint(value), uint(value >> 31)));
}
uvec2 wide_words(uvec2 value)
{
    return value;
}
#endif

// a - factor * b.
uvec2 less_multiple(uvec2 a, uint factor, uvec2 b)
{
    const uvec2 product = lg_mul64(factor, b);
    return lg_add64(lg_add64(a, ~product), uvec2(1u, 0u));
}

// ---- a lane's sums of a window ------------------------------------------------------------------

layout(buffer_reference, scalar, buffer_reference_align = 2) readonly buffer lg_halves {
    uint16_t at[];
};

// The bits of sample i behind an address, as a float.
uint sample_bits(uvec2 address, uint i)
{
    return HALF == 0u ? lg_words(address).at[i]
                      : floatBitsToUint(unpackHalf2x16(uint(lg_halves(address).at[i])).x);
}

const int LOWEST_WINDOW = -81; // l * 2^(e - 45) is a normal float or zero
const int HIGHEST_WINDOW = 125; // no float below overflows

// Products are those of the bits of upper + h and lower + l; the known excess is subtracted once
// for all samples.
struct lane_sums {
    wide h, l;       // sums
    wide hh, hl, ll; // sums of products of bits
    uint count;      // of samples
    float low, high;
};

struct few_sums { // of the bits of up to 256 samples, modulo 2^32
    uint h, l;
};

uint lane_channel; // of all its samples
uint below;        // bits of 2^e
lane_sums lane;

// Further values of the window are computed from `below`, so that registers keep only one.
uint window_least() // bits of 2^(e - 22)
{
    return HALF != 0u ? 1u : below - (22u << 23); // all halves are multiples of 2^-24
}

uint window_upper() // of 1.5 * 2^(e + 1), whose last place is the unit of h
{
    return below + (1u << 23) + 0x00400000u;
}

uint window_lower() // of 1.5 * 2^(e - 22), whose last place is the unit of l
{
    return below - (22u << 23) + 0x00400000u;
}

// Samples by which the windows are chosen.
void look_at(uint bits)
{
    const uint magnitude = bits & LG_BITS_ABS;
    if (magnitude < LG_BITS_INF && magnitude > largest[lane_channel])
        atomicMax(largest[lane_channel], magnitude);
}

// After sums_clear and, by all lanes, look_at of some samples.
void window_choose()
{
    barrier();
    const uint most = largest[lane_channel];
    const int fitting = most == 0u ? 1 : lg_exponent(most) + 2;
    const int e = HALF != 0u ? 16 : clamp(fitting, LOWEST_WINDOW, HIGHEST_WINDOW);
    below = uint(e + 127) << 23;
    lane.h = lane.l = lane.hh = lane.hl = lane.ll = wide_zero;
    lane.count = 0u;
    lane.low = uintBitsToFloat(LG_BITS_INF);
    lane.high = -uintBitsToFloat(LG_BITS_INF);
}

bool in_window(uint bits)
{
    const uint magnitude = bits & LG_BITS_ABS;
    return magnitude < below && magnitude - 1u >= window_least() - 1u;
}

// A sample in the window as the bits of upper + h and of lower + l.
uvec2 in_parts(uint bits)
{
    const float value = uintBitsToFloat(bits);
    const float upper = uintBitsToFloat(window_upper()), lower = uintBitsToFloat(window_lower());
    precise float t = value + upper;
    precise float rounded = t - upper;
    precise float rest = value - rounded;
    precise float s = rest + lower;
    return uvec2(floatBitsToUint(t), floatBitsToUint(s));
}

void add_in_window(uint bits, inout few_sums few)
{
    const uvec2 parts = in_parts(bits);
    few.h += parts.x;
    few.l += parts.y;
    add_product(lane.hh, parts.x, parts.x);
    add_product(lane.hl, parts.x, parts.y);
    add_product(lane.ll, parts.y, parts.y);
}

// After at most 256 samples.
void take_few(few_sums few, uint count)
{
    add_signed(lane.h, int(few.h - count * window_upper()));
    add_signed(lane.l, int(few.l - count * window_lower()));
    lane.count += count;
}

// Any sample.
void add_to_lane(uint bits)
{
    if (!in_window(bits)) {
        add_singly(lane_channel, bits);
        return;
    }
    few_sums few = few_sums(0u, 0u);
    add_in_window(bits, few);
    take_few(few, 1u);
    lane.low = min(lane.low, uintBitsToFloat(bits));
    lane.high = max(lane.high, uintBitsToFloat(bits));
}

// ---- from lanes to the workgroup ----------------------------------------------------------------

uvec4 add128(uvec4 a, uvec4 b)
{
    uint carry = 0u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint first, second;
        const uint sum = uaddCarry(a[i], b[i], first);
        a[i] = uaddCarry(sum, carry, second);
        carry = first | second;
    }
    return a;
}

uvec4 shifted(uvec4 v, uint shift) // 0 < shift < 32
{
    return v << shift | uvec4(0u, v.xyz >> (32u - shift));
}

uvec4 extended(uvec2 value) // with its sign
{
    const uint sign = uint(int(value.y) >> 31);
    return uvec4(value, sign, sign);
}

// The sum over the subgroup, of digits that cannot wrap.
uvec4 subgroup_sum(uvec4 value)
{
    return add128(subgroupAdd(value & 0xffffu), shifted(subgroupAdd(value >> 16), 16u));
}

void add_words(uint place, uint bit, uvec4 value)
{
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        add_word(place, bit + 32u * i, value[i]);
}

// The sums of the lane: sum h and sum l in the units of both, and sum h h, sum h l, sum l l.
struct true_sums {
    uvec2 h, l, hh, hl, ll;
};

true_sums lane_true()
{
    const uint upper = window_upper(), lower = window_lower();
    true_sums t = true_sums(wide_words(lane.h), wide_words(lane.l), wide_words(lane.hh),
                            wide_words(lane.hl), wide_words(lane.ll));
    const uvec2 uppers = lg_mul64(lane.count, uvec2(upper, 0u));
    const uvec2 lowers = lg_mul64(lane.count, uvec2(lower, 0u));
    // (upper + h)^2 = h^2 + upper (upper + 2 h), and the like
    t.hh = less_multiple(t.hh, upper, lg_add64(uppers, lg_add64(t.h, t.h)));
    t.ll = less_multiple(t.ll, lower, lg_add64(lowers, lg_add64(t.l, t.l)));
    t.hl = less_multiple(less_multiple(t.hl, upper, lg_add64(lowers, t.l)), lower, t.h);
    return t;
}

// The samples that count, of every lane.
void counts_publish(uint count)
{
    [[dont_unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        const uint all = subgroupAdd(lane_channel == c ? count : 0u);
        if (subgroupElect())
            add_word(c * WORDS + COUNT, 0u, all);
    }
}

// By all lanes, once.
void lanes_publish()
{
    const true_sums t = lane_true();
    // h * 2^23 + l
    const uvec4 lane_sum = add128(shifted(extended(t.h), 23u), extended(t.l));
    // hh * 2^46 + 2 hl * 2^23 + ll
    const uvec4 hh = uvec4(0u, shifted(extended(t.hh), 14u).xyz), hl = shifted(extended(t.hl), 24u);
    const uvec4 lane_squares = add128(add128(hh, hl), extended(t.ll));
    // One channel at a time, to save registers.
    [[dont_unroll]] for (uint c = 0u; c < CHANNELS; c++) {
        const bool mine = lane_channel == c;
        const uvec4 none = uvec4(0u);
        const uint e = (subgroupMax(mine ? below : 0u) >> 23) - 127u, place = e - 45u + 149u; // of 2^(e - 45)
        const uvec4 sum = subgroup_sum(mine ? lane_sum : none);
        const uvec4 squares = subgroup_sum(mine ? lane_squares : none);
        const float infinity = uintBitsToFloat(LG_BITS_INF);
        const float low = subgroupMin(mine ? lane.low : infinity);
        const float high = subgroupMax(mine ? lane.high : -infinity);
        const bool negative = (sum.w >> 31) != 0u;
        if (!subgroupElect())
            continue;
        add_words(c * WORDS + (negative ? MINUS : PLUS), place,
                  negative ? add128(~sum, uvec4(1u, 0u, 0u, 0u)) : sum);
        add_words(c * WORDS + SQUARES, 2u * place, squares);
        if (low <= high)
            extremes_add(c, low, high);
    }
}
