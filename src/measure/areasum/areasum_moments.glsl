// Sums of squares around zero of nodes of floats: m2 + s s / n, in double precision out of integers, each
// operation rounded to nearest even. Doubles are not negative here, so that their bits have their order.

uint top_bit(uvec2 v)
{
    return v.y != 0u ? uint(findMSB(v.y)) + 32u : uint(findMSB(v.x));
}

// (digits + something below 1, if `sticky`) 2^exponent; digits below 2^63, and 2^53 at least if sticky.
uvec2 double_of(uvec2 digits, int exponent, bool sticky)
{
    const uint top = top_bit(digits);
    if (top > 52u) {
        const uint by = top - 52u;
        const uint odd = sticky ? 1u : shift_right(digits, by).x & 1u;
        const uvec2 half_less = lg_add64(shift_left(uvec2(1u, 0u), by - 1u), uvec2(~0u));
        digits = shift_right(lg_add64(lg_add64(digits, half_less), uvec2(odd, 0u)), by);
    } else {
        digits = shift_left(digits, 52u - top);
    }
    return uvec2(digits.x, digits.y + (uint(exponent + int(top) + 1022) << 20));
}

bool is_infinite(uvec2 v)
{
    return v.y >= 0x7ff00000u;
}

bool is_less(uvec2 a, uvec2 b)
{
    return a.y < b.y || a.y == b.y && a.x < b.x;
}

uvec2 double_add(uvec2 a, uvec2 b)
{
    const uvec2 large = is_less(a, b) ? b : a, small = is_less(a, b) ? a : b;
    if (is_infinite(large) || (small.x | small.y) == 0u)
        return large;
    const uint by = min((large.y >> 20) - (small.y >> 20), 63u);
    const uvec2 most = shift_left(uvec2(large.x, large.y & 0xfffffu | 0x100000u), 9u);
    const uvec2 least = shift_left(uvec2(small.x, small.y & 0xfffffu | 0x100000u), 9u);
    const uvec2 moved = shift_right(least, by);
    const bool sticky = any(notEqual(shift_left(moved, by), least));
    return double_of(lg_add64(most, moved), int(large.y >> 20) - 1075 - 9, sticky);
}

// digits 2^exponent of a float that is neither zero nor infinite.
uint float_digits(uint magnitude, out int exponent)
{
    exponent = int(max(magnitude >> 23, 1u)) - 150;
    return magnitude >= 0x800000u ? magnitude & 0x7fffffu | 0x800000u : magnitude;
}

uvec2 double_of_special(uint magnitude)
{
    return magnitude == 0u ? uvec2(0u) : uvec2(0u, magnitude == 0x7f800000u ? 0x7ff00000u : 0x7ff80000u);
}

uvec2 double_of_float(float v)
{
    const uint magnitude = floatBitsToUint(v) & 0x7fffffffu;
    if (magnitude == 0u || magnitude >= 0x7f800000u)
        return double_of_special(magnitude);
    int exponent;
    const uint digits = float_digits(magnitude, exponent);
    return double_of(uvec2(digits, 0u), exponent, false);
}

// digits / n 2^exponent
uvec2 double_quotient(uvec2 digits, int exponent, uint n)
{
    const uint up = 47u - top_bit(digits);
    const uint n_up = 47u - uint(findMSB(n));
    uvec2 rest = shift_left(digits, up), q = uvec2(0u);
    const uvec2 divisor = shift_left(uvec2(n, 0u), n_up), less = negative64(divisor);
    for (uint i = 0u; i < 55u; i++) {
        const bool fits = !is_less(rest, divisor);
        q = lg_add64(lg_add64(q, q), uvec2(uint(fits), 0u));
        rest = fits ? lg_add64(rest, less) : rest;
        rest = lg_add64(rest, rest);
    }
    return double_of(q, exponent - int(up) + int(n_up) - 54, any(notEqual(rest, uvec2(0u))));
}

// s s / n, n > 0.
uvec2 square_over(float s, uint n)
{
    const uint magnitude = floatBitsToUint(s) & 0x7fffffffu;
    if (magnitude == 0u || magnitude >= 0x7f800000u)
        return double_of_special(magnitude);
    int exponent;
    const uint digits = float_digits(magnitude, exponent);
    uvec2 square;
    umulExtended(digits, digits, square.y, square.x);
    if ((n & (n - 1u)) == 0u)
        return double_of(square, 2 * exponent - findMSB(n), false);
    return double_quotient(square, 2 * exponent, n);
}

uvec2 moment_of(float m2, float s, uint n)
{
    return n == 0u ? uvec2(0u) : double_add(double_of_float(m2), square_over(s, n));
}
