// Windows along rows of column sums; a workgroup goes along a row. From pixel to pixel a window
// changes by the difference of two columns, so windows are running sums of differences. The
// differences are split at bit 16 to fit 32 bits each.
//
// Defined before: CH, ROUNDED to samples of SAMPLE_BYTES, OPAQUE, WIDE: sums may have more than 32
// bits. Words: as box_blur_columns.glsl, then the factor of a sum, the width, and from word 8
// on columns of a window before and after its pixel, and samples of a window.
#if CH == 1
#define VEC    uint
#define IVEC   int
#define TO4(v) uvec4(v, 0u, 0u, 0u)
#elif CH == 2
#define VEC    uvec2
#define IVEC   ivec2
#define TO4(v) uvec4(v, 0u, 0u)
#else
#define VEC    uvec4
#define IVEC   ivec4
#define TO4(v) (v)
#endif

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_sums {
    VEC at[];
};

struct parts {
    VEC low;
    IVEC high;
};

parts add(parts a, parts b)
{
    return parts(a.low + b.low, a.high + b.high);
}

// Without WIDE everything is modulo 2^32.
parts split(VEC v)
{
#if WIDE
    return parts(v & 65535u, IVEC(v) >> 16);
#else
    return parts(v, IVEC(0));
#endif
}

shared parts totals[LG_GROUP_X];

// The sum over the threads before this one. all: the sum over all threads.
parts before_this(parts mine, out parts all)
{
    parts sum = parts(subgroupExclusiveAdd(mine.low), IVEC(0));
    parts whole = parts(subgroupAdd(mine.low), IVEC(0));
#if WIDE
    sum.high = subgroupExclusiveAdd(mine.high);
    whole.high = subgroupAdd(mine.high);
#endif
    barrier(); // what was read of the last call
    if (subgroupElect())
        totals[gl_SubgroupID] = whole;
    barrier();
    all = parts(VEC(0u), IVEC(0));
    for (uint k = 0u; k < gl_NumSubgroups; k++) {
        if (k == gl_SubgroupID)
            sum = add(sum, all);
        all = add(all, totals[k]);
    }
    return sum;
}

// Column i of sums; it may be outside the image.
VEC column(lg_sums row, int i)
{
    i = lg_border_index(i, int(lg.extra[6]), int(lg.extra[3]));
    return i < 0 ? VEC(0u) : row.at[i];
}

struct wide {
    uvec4 low, high;
};

wide plus(wide a, parts b)
{
#if WIDE
    uvec4 carry;
    uvec4 low = uaddCarry(a.low, TO4(b.low), carry), high = a.high + carry;
    uvec4 upper = uvec4(TO4(VEC(b.high)));
    low = uaddCarry(low, upper << 16, carry);
    return wide(low, high + carry + uvec4(ivec4(upper) >> 16));
#else
    return wide(a.low + TO4(b.low), uvec4(0u));
#endif
}

#if ROUNDED
uint rounded(uint low, uint high)
{
    uint count = lg.extra[10], carry;
    low = uaddCarry(low, count >> 1, carry);
    high += carry;
    // The error of the quotient is below one before the correction.
    float about = (float(high) * 4294967296.0 + float(low)) * uintBitsToFloat(lg.extra[5]);
    uint quotient = uint(about), borrow;
    uvec2 product = lg_mul32(quotient, count);
    uint rest = usubBorrow(low, product.x, borrow);
    high -= product.y + borrow;
    if (int(high) < 0)
        return quotient - 1u;
    return high > 0u || rest >= count ? quotient + 1u : quotient;
}
#else
// An integer below 2^48, rounded to nearest even.
float float_of(uint low, uint high)
{
    if (high == 0u && low < 1u << 24)
        return float(low);
    uint top = high != 0u ? 32u + uint(findMSB(high)) : uint(findMSB(low)), shift = top - 23u;
    uint kept = low >> shift | (high != 0u ? high << (32u - shift) : 0u);
    uint rest = low & ((1u << shift) - 1u), half_way = 1u << (shift - 1u);
    kept += rest > half_way || (rest == half_way && (kept & 1u) != 0u) ? 1u : 0u;
    return float(kept) * uintBitsToFloat((127u + shift) << 23);
}
#endif

void store(wide v[4], int x0, int y, uint z)
{
#if ROUNDED
#define WORDS (CH * SAMPLE_BYTES)
    uint w[WORDS];
    [[unroll]] for (int k = 0; k < WORDS; k++)
        w[k] = 0u;
    [[unroll]] for (int i = 0; i < 4 * CH; i++) {
        uint q = OPAQUE != 0 && i % CH == CH - 1 ? (1u << (8 * SAMPLE_BYTES)) - 1u
                                                 : rounded(v[i / CH].low[i % CH], v[i / CH].high[i % CH]);
        w[i * SAMPLE_BYTES / 4] |= q << (8 * (i * SAMPLE_BYTES & 3));
    }
    lg_words row = lg_words(lg_row(lg.views[2], uint(y), z));
    [[unroll]] for (int k = 0; k < WORDS; k++)
        if (uint(x0 + 4 * k / WORDS) < lg.width)
            row.at[x0 * WORDS / 4 + k] = w[k];
#else
    uvec4 w[LG_VECTORS_OUT];
    [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
        w[k] = uvec4(0u);
    float unit = uintBitsToFloat(lg.extra[5]);
    [[unroll]] for (int j = 0; j < 4; j++) {
        vec4 c = vec4(0.0);
        [[unroll]] for (int k = 0; k < CH; k++)
            c[k] = float_of(v[j].low[k], v[j].high[k]) * unit;
        lg_pack(w, j, lg_color_0(c));
    }
    lg_flush(w, x0, y, z);
#endif
}

void main()
{
    int before = int(lg.extra[8]), after = int(lg.extra[9]);
    int thread = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_WorkGroupID.y); y < int(lg.extra[1]); y += int(gl_NumWorkGroups.y)) {
            lg_sums row = lg_sums(lg_row(lg.views[1], uint(y), z));
            parts sum = parts(VEC(0u), IVEC(0)), all;
            for (int i = thread - before - 1; i < after; i += LG_GROUP_X)
                sum = add(sum, split(column(row, i)));
            before_this(sum, all);
            wide begun = plus(wide(uvec4(0u), uvec4(0u)), all);
            for (int first = 0; first < int(lg.width); first += 4 * LG_GROUP_X) {
                int x0 = first + 4 * thread;
                parts change[4];
                sum = parts(VEC(0u), IVEC(0));
                [[unroll]] for (int j = 0; j < 4; j++) {
                    if (x0 < int(lg.width))
                        sum = add(sum, split(column(row, x0 + j + after) -
                                             column(row, x0 + j - before - 1)));
                    change[j] = sum;
                }
                parts base = before_this(sum, all);
                wide v[4];
                [[unroll]] for (int j = 0; j < 4; j++)
                    v[j] = plus(begun, add(base, change[j]));
                if (x0 < int(lg.width))
                    store(v, x0, y, z);
                begun = plus(begun, all);
            }
        }
}
