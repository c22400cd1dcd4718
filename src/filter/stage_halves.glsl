// Bytes of a window as halves, two in a register: 1024 + the byte, which a device computes with two at a
// time; a word of the image is two such pairs, its bytes 0 and 2, and 1 and 3. Defined before: LG_PIXEL
// 1 or 4 bytes, LG_HALVES_BORDER: what lies outside.
#define LG_HALVES_MASK 0x00ff00ffu
#define LG_HALVES_BIAS 0x64006400u // halves have a step of 1 from 1024 on

struct lg_halves {
    f16vec2 even[6], odd[6]; // pairs of the four words of a thread and of one on either side
};

f16vec2 lg_pair_of(uint word)
{
    return unpackFloat2x16((word & LG_HALVES_MASK) | LG_HALVES_BIAS);
}

uint lg_word_of(f16vec2 even, f16vec2 odd)
{
    uint low = packFloat2x16(even), high = packFloat2x16(odd);
    return (low & LG_HALVES_MASK) | (high & LG_HALVES_MASK) << 8;
}

// The word of the pixels from x on, some of which may lie outside the image; the row lies inside.
uint lg_edge_word(int x, int row, uint z)
{
    lg_words words = lg_words(lg_row(lg.views[0], uint(row), z));
    uint word = 0u;
    [[dont_unroll]] for (int k = 0; k < 4 / LG_PIXEL; k++) {
        int i = lg_border_index(x + k, lg_param_int(5), LG_HALVES_BORDER);
#if LG_PIXEL == 1
        word |= i < 0 ? 0u : (words.at[i >> 2] >> (8 * (i & 3)) & 255u) << (8 * k);
#else
        word = i < 0 ? 0u : words.at[i];
#endif
    }
    return word;
}

// Row y of the image, as the border says.
void lg_read_line(out uint words[6], int x0, int y, uint z, bool inside)
{
    int row = lg_border_index(y, lg_param_int(6), LG_HALVES_BORDER);
    if (row < 0) {
        [[unroll]] for (int i = 0; i < 6; i++)
            words[i] = 0u;
    } else if (inside) {
        uvec2 address = lg_row(lg.views[0], uint(row), z);
        int at = x0 * LG_PIXEL / 4;
        uvec4 v = lg_vectors(address).at[at >> 2];
        words[0] = lg_words(address).at[at - 1];
        [[unroll]] for (int i = 0; i < 4; i++)
            words[i + 1] = v[i];
        words[5] = lg_words(address).at[at + 4];
    } else {
        // Short code rather than fast: edges only.
        [[dont_unroll]] for (int i = 0; i < 6; i++) {
            uint word = lg_edge_word(x0 + (i - 1) * (4 / LG_PIXEL), row, z);
            [[unroll]] for (int k = 0; k < 6; k++)
                if (k == i)
                    words[k] = word;
        }
    }
}

lg_halves lg_halves_of(uint words[6])
{
    lg_halves line;
    [[unroll]] for (int i = 0; i < 6; i++) {
        line.even[i] = lg_pair_of(words[i]);
        line.odd[i] = lg_pair_of(words[i] >> 8);
    }
    return line;
}

// The pair beside: bytes of the same channel, one pixel to the left or to the right. Of grey, the left
// of (0, 2) is (-1, 1), which the odd pairs of two words have, and the right of (1, 3) is (2, 4).
f16vec2 lg_beside(f16vec2 before, f16vec2 here)
{
    return f16vec2(before.y, here.x);
}
