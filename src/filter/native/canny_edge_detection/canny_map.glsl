// The bit maps on the device that the kernels of Canny's edges share. A word is 32 rows of a
// column, the top one in bit 0; there are two maps for each layer. Before hysteresis: 0 weak, 1
// strong. After its first step: 0 open (weak pixels that may touch an edge of another tile), 1
// edges.
//
// Words: address of the maps (2), words of a row of words, rows of words.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer lg_common_words {
    uint at[];
};

uint map_rows()
{
    return lg.extra[3];
}

uvec2 map_row(uint which, uint row, uint z)
{
    uint line = (2u * z + which) * lg.extra[3] + row;
    return lg_add64(uvec2(lg.extra[0], lg.extra[1]), lg_mul32(line, 4u * lg.extra[2]));
}

// ---- parameters: sigma, upper, lower, hysteresis ------------------------------------------------

#define UPPER  (LG_STAGE_HEADER + 1)
#define LOWER  (LG_STAGE_HEADER + 2)

float lower_threshold()
{
    return lg_param_float(LOWER) < lg_param_float(UPPER) ? lg_param_float(LOWER) : lg_param_float(UPPER);
}

// (8160 threshold)^2, rounded down or up, at most 2^31 - 1, exactly: the square of 255 times the
// significand, shifted.
int square_of(uint bits, bool up)
{
    uint exponent = bits >> 23, significand = bits & 0x7fffffu;
    significand |= exponent > 0u ? 0x800000u : 0u;
    int shift = 290 - 2 * int(max(exponent, 1u));
    uint high, low;
    umulExtended(255u * significand, 255u * significand, high, low);
    if (shift < 30)
        return 2147483647;
    if (shift > 63)
        return up && significand > 0u ? 1 : 0;
    uint rest = shift < 32 ? low & ((1u << shift) - 1u)
                           : low | (high & ((1u << (shift - 32)) - 1u));
    uint over = shift < 32 ? high >> shift : 0u;
    uint whole = shift < 32 ? low >> shift | high << (32 - shift) : high >> (shift - 32);
    if (over > 0u || whole >= 0x7fffffffu)
        return 2147483647;
    return int(whole) + (up && rest > 0u ? 1 : 0);
}

// Weak: squared magnitude > x; strong: >= y.
ivec2 whole_limits()
{
    int high = square_of(floatBitsToUint(lg_param_float(UPPER)), true);
    int low = square_of(floatBitsToUint(lower_threshold()), false);
    return ivec2(min(low, high - 1), high);
}

// The same of floats. Weak includes strong, also where both thresholds are equal.
vec2 real_limits()
{
    float lower = lower_threshold(), upper = lg_param_float(UPPER);
    float low = lower * lower, high = upper * upper;
    if (low >= high)
        low = high > 0.0 ? uintBitsToFloat(floatBitsToUint(high) - 1u) : -1.0;
    return vec2(low, high);
}

// ---- runs of bits in a word ------------------------------------------------------------------------

// The lowest run.
uint first_run(uint word)
{
    return word & ~(word + (word & (~word + 1u)));
}

// The first bit of the run that bit i belongs to.
int start_of_run(uint word, int i)
{
    return findMSB(~word & ((1u << i) - 1u)) + 1;
}

// A run and its neighbours in the columns beside it.
uint widened(uint run)
{
    return run | run << 1 | run >> 1;
}
