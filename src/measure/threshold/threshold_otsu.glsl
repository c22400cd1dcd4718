// Otsu's level of 256 counts, exact, by one workgroup.
//
// n and s are the count and the sum of value * count of values 0 .. k, N and S those of all values.
// The level is the lowest k that maximises (N s - n S)^2 / (n (N - n)), both classes non-empty. N <
// 2^32, so N s - n S needs 72 bits, its square 144, and the products that compare two fractions
// 208; of values below 2^16 (figure_ranks.comp) 80, 160 and 224: limbs of 32 bits. A score in
// floats, with an error of 1.5e-6, first rules out almost all levels; exact products decide among
// the rest. Among levels with the same n and s the lowest has a
// count of its own, and only such levels are tried.

shared uint otsu_n[256], otsu_s_low[256], otsu_s_high[256];
shared uint otsu_candidates[8], otsu_best_score;

shared uvec3 otsu_totals[64]; // of subgroups: n, s low, s high

// Inclusive prefix sums of otsu_n and otsu_s over the first 256 invocations; all invocations must
// call it.
void otsu_scan(uint k)
{
    const uint self = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    barrier();
    const bool counts = self < 256u;
    const uint own_n = counts ? otsu_n[self] : 0u;
    const uvec2 own_s = counts ? uvec2(otsu_s_low[self], otsu_s_high[self]) : uvec2(0u);
    uint n = subgroupInclusiveAdd(own_n);
    // Limbs of 16 bits cannot overflow; s takes 40 bits.
    const uint a = subgroupInclusiveAdd(own_s.x & 0xffffu);
    const uint b = subgroupInclusiveAdd(own_s.x >> 16) + (a >> 16);
    uvec2 s = uvec2((a & 0xffffu) | (b << 16), subgroupInclusiveAdd(own_s.y) + (b >> 16));
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        otsu_totals[gl_SubgroupID] = uvec3(n, s);
    barrier();
    for (uint i = 0u; i < gl_SubgroupID; i++) {
        n += otsu_totals[i].x;
        s = lg_add64(s, otsu_totals[i].yz);
    }
    if (counts) {
        otsu_n[self] = n;
        otsu_s_low[self] = s.x;
        otsu_s_high[self] = s.y;
    }
    barrier();
}

// a * b, b of 64 bits, as 96 bits.
uvec3 otsu_mul96(uint a, uvec2 b)
{
    uint h0, l0, h1, l1, carry;
    umulExtended(a, b.x, h0, l0);
    umulExtended(a, b.y, h1, l1);
    const uint middle = uaddCarry(h0, l1, carry);
    return uvec3(l0, middle, h1 + carry);
}

// What lies at or below a level: n, and s of 64 bits.
struct otsu_class {
    uint n;
    uvec2 s;
};

otsu_class otsu_class_at(uint k)
{
    return otsu_class(otsu_n[k], uvec2(otsu_s_low[k], otsu_s_high[k]));
}

// |N s - n S|, below 2^80 if values are below 2^16
uvec3 otsu_difference(otsu_class c)
{
    const uint all = otsu_n[255], n = c.n;
    const uvec3 a = otsu_mul96(all, c.s);
    const uvec3 b = otsu_mul96(n, uvec2(otsu_s_low[255], otsu_s_high[255]));
    const bool less = a.z < b.z || (a.z == b.z && (a.y < b.y || (a.y == b.y && a.x < b.x)));
    const uvec3 high = less ? b : a, low = less ? a : b;
    uint borrow0, borrow1, borrow2;
    const uint x = usubBorrow(high.x, low.x, borrow0);
    uint y = usubBorrow(high.y, low.y, borrow1);
    y = usubBorrow(y, borrow0, borrow2);
    return uvec3(x, y, high.z - low.z - borrow1 - borrow2);
}

float otsu_score(otsu_class c)
{
    const uint n = c.n, rest = otsu_n[255] - n;
    if (n == 0u || rest == 0u)
        return 0.0;
    const uvec3 d = otsu_difference(c);
    const float scaled = float(d.z) * 18446744073709551616.0 + float(d.y) * 4294967296.0 + float(d.x);
    const float f = scaled * 2.3283064e-10; // below 2^41, or 2^48
    return (f / float(n)) * (f / float(rest));
}

// Sets of eight 32-bit limbs, least significant first.
struct limbs {
    uint at[8];
};

limbs otsu_multiply(limbs a, uint size, uint b) // a of `size` limbs times b
{
    limbs r;
    uint carry = 0u;
    for (uint i = 0u; i < 8u; i++) {
        uint high = 0u, low = 0u, c;
        if (i < size)
            umulExtended(a.at[i], b, high, low);
        r.at[i] = uaddCarry(low, carry, c);
        carry = high + c;
    }
    return r;
}

limbs otsu_add_shifted(limbs a, limbs b, uint shift)
{
    uint carry = 0u;
    for (uint i = shift; i < 8u; i++) {
        uint c0, c1;
        uint sum = uaddCarry(a.at[i], b.at[i - shift], c0);
        a.at[i] = uaddCarry(sum, carry, c1);
        carry = c0 + c1;
    }
    return a;
}

limbs otsu_zero()
{
    limbs r;
    for (uint i = 0u; i < 8u; i++)
        r.at[i] = 0u;
    return r;
}

// (N s - n S)^2 of a level times n' (N - n') of another one.
limbs otsu_side(otsu_class c, otsu_class other)
{
    const uvec3 d = otsu_difference(c);
    limbs base = otsu_zero(), square = otsu_zero();
    base.at[0] = d.x;
    base.at[1] = d.y;
    base.at[2] = d.z;
    for (uint i = 0u; i < 3u; i++)
        square = otsu_add_shifted(square, otsu_multiply(base, 3u, i == 0u ? d.x : (i == 1u ? d.y : d.z)), i);
    return otsu_multiply(otsu_multiply(square, 8u, other.n), 8u, otsu_n[255] - other.n);
}

// Whether level a scores more than level b.
bool otsu_better(otsu_class a, otsu_class b)
{
    const limbs x = otsu_side(a, b), y = otsu_side(b, a);
    for (int i = 7; i >= 0; i--)
        if (x.at[i] != y.at[i])
            return x.at[i] > y.at[i];
    return false;
}

// The level from counts in otsu_n[0 .. 255]; all invocations call this and get the same result. A
// single non-empty value is its own level; without samples the level is 255.
uint otsu_level()
{
    const uint k = gl_LocalInvocationIndex;
    if (k < 8u)
        otsu_candidates[k] = 0u;
    if (k == 0u)
        otsu_best_score = 0u;
    barrier();
    uint count = 0u;
    if (k < 256u) {
        count = otsu_n[k];
        umulExtended(count, k, otsu_s_high[k], otsu_s_low[k]);
    }
    otsu_scan(k);
    const float score = k < 256u && count != 0u ? otsu_score(otsu_class_at(k)) : 0.0;
    atomicMax(otsu_best_score, floatBitsToUint(score)); // not negative: ordered like its bits
    barrier();
    const float best_score = uintBitsToFloat(otsu_best_score);
    const bool both_classes = k < 256u && count != 0u && otsu_n[k] != otsu_n[255];
    if (both_classes && score >= best_score * 0.999995)
        atomicOr(otsu_candidates[k >> 5], 1u << (k & 31u));
    // One class only: the value that has all samples.
    if (k < 256u && count != 0u && count == otsu_n[255])
        atomicOr(otsu_candidates[k >> 5], 1u << (k & 31u));
    barrier();
    uint best = 255u;
    bool any = false;
    for (uint word = 0u; word < 8u; word++) {
        for (uint bits = otsu_candidates[word]; bits != 0u; bits &= bits - 1u) {
            const uint candidate = word * 32u + uint(findLSB(bits));
            if (!any || otsu_better(otsu_class_at(candidate), otsu_class_at(best)))
                best = candidate;
            any = true;
        }
    }
    return best;
}
