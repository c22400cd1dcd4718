// Which pixels of two rows are equal, for labels of images where only equal values join. Needs
// label_tile.glsl.

// Bits of pixels equal to the pixel at the same place in another row, to that on its left, and to
// that on its right. Next to background, or beyond the row, the bits may be anything.
struct equals {
    uint same, left, right;
};

const uint PIXELS = VALUES == 0u ? 4u : 16u / VALUES; // of a vector

uint equal_bits(uvec4 a, uvec4 b)
{
    uint bits = 0u;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        const uint v = a[i] ^ b[i];
        if (VALUES == 1u) { // the highest bit of a byte is set unless it is zero
            const uint other = v | ((v & 0x7f7f7f7fu) + 0x7f7f7f7fu);
            bits |= (((~other & 0x80808080u) >> 7) * 0x01020408u >> 24 & 15u) << (4u * i);
        } else if (VALUES == 2u) {
            bits |= ((v & 0xffffu) == 0u ? 1u << (2u * i) : 0u) | (v >> 16 == 0u ? 2u << (2u * i) : 0u);
        } else {
            bits |= v == 0u ? 1u << i : 0u;
        }
    }
    return bits;
}

// A vector moved by one pixel, taken from the word before or behind it.
uvec4 from_left(uvec4 v, uint before)
{
    const uvec4 lower = uvec4(before, v.xyz);
    return VALUES == 4u ? lower : v << (8u * VALUES) | lower >> (32u - 8u * VALUES);
}

uvec4 from_right(uvec4 v, uint behind)
{
    const uvec4 upper = uvec4(v.yzw, behind);
    return VALUES == 4u ? upper : v >> (8u * VALUES) | upper << (32u - 8u * VALUES);
}

// For the 32 pixels from column x on, which is in the image, in two rows that begin at these
// addresses.
equals equals_of(uvec2 row, uvec2 other_row, uint x)
{
    const uvec2 own = lg_add64(row, lg_mul64(x, uvec2(VALUES, 0u)));
    const uvec2 other = lg_add64(other_row, lg_mul64(x, uvec2(VALUES, 0u)));
    const uint vectors = 2u * VALUES;
    uint before = 0u, behind = 0u;
    if (x > 0u)
        before = lg_words(lg_add64(other, uvec2(0xfffffffcu, 0xffffffffu))).at[0];
    if (x + 32u < p.width)
        behind = lg_words(lg_add64(other, uvec2(16u * vectors, 0u))).at[0];
    equals e = equals(0u, 0u, 0u);
    uvec4 v = lg_vectors(other).at[0];
    for (uint i = 0u; i < vectors; i++) {
        const uvec4 of_own = lg_vectors(own).at[i];
        uvec4 next = uvec4(behind);
        if (i + 1u < vectors)
            next = lg_vectors(other).at[i + 1u];
        e.same |= equal_bits(of_own, v) << (PIXELS * i);
        e.left |= equal_bits(of_own, from_left(v, before)) << (PIXELS * i);
        e.right |= equal_bits(of_own, from_right(v, next.x)) << (PIXELS * i);
        before = v.w;
        v = next;
    }
    return e;
}

uvec2 row_address(uint layer, uint y)
{
    const uvec2 from = lg_add64(p.pixels, lg_mul64(layer, p.layer_stride));
    return lg_add64(from, lg_mul64(y, uvec2(p.row_stride, 0u)));
}

// Bits that begin runs: pixels unlike the one on their left, and the first of a word.
uint starts_of_values(uint bits, equals own)
{
    return bits & ~(bits << 1 & own.left);
}

// As links_of(). A link to a diagonal pixel, say upper left, is left out if the pixel above or the
// pixel on the left is equal too: those links join it already.
links links_of_values(surroundings s, equals own, equals other, uint corners)
{
    const uint to_left = s.bits & (s.bits << 1 | s.left) & own.left;
    const uint to_right = s.bits & (s.bits >> 1 | s.right << 31) & own.right;
    const uint above_left = s.bits & (s.above << 1 | s.above_left) & other.left;
    const uint above_right = s.bits & (s.above >> 1 | s.above_right << 31) & other.right;
    links l;
    l.vertical = s.bits & s.above & other.same;
    l.left = above_left & ~l.vertical & ~to_left & corners;
    l.right = above_right & ~l.vertical & ~to_right & corners;
    l.vertical &= ~(to_left & above_left);
    return l;
}
