// Float samples as integers times a power of two. Needs label_tile.glsl.
layout(constant_id = 4) const uint BYTES = 4; // of a sample: 2 or 4

const uint FRACTION = BYTES == 2u ? 10u : 23u;              // bits
const uint INFINITE = BYTES == 2u ? 0x7c00u : 0x7f800000u;  // this magnitude and larger ones are not finite
const int LEAST_POWER = BYTES == 2u ? -24 : -149;           // of the smallest magnitude

uint magnitude_of(uint v)
{
    return v & (BYTES == 2u ? 0x7fffu : 0x7fffffffu);
}

bool is_negative(uint v)
{
    return v >> (8u * BYTES - 1u) != 0u;
}

struct real {
    uint whole; // times 2^power
    int power;
};

real real_of(uint magnitude)
{
    const uint rest = magnitude & ((1u << FRACTION) - 1u), exponent = magnitude >> FRACTION;
    return exponent == 0u ? real(rest, LEAST_POWER)
                          : real(rest | 1u << FRACTION, int(exponent) - 1 + LEAST_POWER);
}
