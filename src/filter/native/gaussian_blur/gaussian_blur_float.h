// An integer as a float, rounded to nearest even whatever a device does.
float float_of(uint v)
{
    if (v < 1u << 24)
        return float(v);
    uint shift = uint(findMSB(v)) - 23u, rest = v & ((1u << shift) - 1u),
         half_way = 1u << (shift - 1u);
    uint kept = v >> shift;
    kept += rest > half_way || (rest == half_way && (kept & 1u) != 0u) ? 1u : 0u;
    return float(kept) * uintBitsToFloat((127u + shift) << 23);
}
