// Planes of Y'CbCr codes: sums of codes times coefficients, which are multiples of 2^-40 in two words.
// core/pixel_planes.h has the same in C.
uint lg_code8(uvec2 row, int x)
{
    return lg_words(row).at[x >> 2] >> (8 * (x & 3)) & 255u;
}

uint lg_code16(uvec2 row, int x)
{
    return lg_words(row).at[x >> 1] >> (16 * (x & 1)) & 65535u;
}

// v * c modulo 2^64.
uvec2 lg_code_times(int v, uvec2 c)
{
    uint high, low;
    umulExtended(uint(v), c.x, high, low);
    return uvec2(low, high + uint(v) * c.y - (v < 0 ? c.x : 0u));
}

// The whole part of a sum.
int lg_code_part(uvec2 sum, int most)
{
    return clamp(int(sum.y) >> 8, 0, most);
}
