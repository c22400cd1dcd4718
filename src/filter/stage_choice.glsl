// A 3 x 3 filter of bytes that only chooses among samples: two samples in a register. They are halves,
// 1024 + the byte, which a device compares two at a time; a word of the image is two such pairs, its
// bytes 0 and 2, and 1 and 3.
//
// A thread computes LG_WINDOW_ROWS rows of four words. Defined before: LG_PIXEL 1 or 4 bytes,
// LG_KEEPS 1: byte 3 of a pixel is the centre's alpha, LG_ALPHA_MASK: bits that are set in the end,
// LG_CHOICE_BORDER; LG_CHOICE_SORT and LG_CHOICE_OF, the filter's functions of a pair.
#define LG_CHOICE_MASK 0x00ff00ffu
#define LG_CHOICE_BIAS 0x64006400u // halves have a step of 1 from 1024 on

struct lg_choice_line {
    f16vec2 even[6], odd[6]; // pairs of the four words and of one on either side
};

struct lg_choice_sorted {
    LG_CHOICE_COLUMN even[6], odd[6];
};

f16vec2 lg_pair_of(uint word)
{
    return unpackFloat2x16((word & LG_CHOICE_MASK) | LG_CHOICE_BIAS);
}

uint lg_word_of(f16vec2 even, f16vec2 odd)
{
    uint low = packFloat2x16(even), high = packFloat2x16(odd);
    return (low & LG_CHOICE_MASK) | (high & LG_CHOICE_MASK) << 8;
}

// The word of the pixels from x on, some of which may lie outside the image; the row lies inside.
uint lg_edge_word(int x, int row, uint z)
{
    lg_words words = lg_words(lg_row(lg.views[0], uint(row), z));
    uint word = 0u;
    for (int k = 0; k < 4 / LG_PIXEL; k++) {
        int i = lg_border_index(x + k, lg_param_int(5), LG_CHOICE_BORDER);
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
    int row = lg_border_index(y, lg_param_int(6), LG_CHOICE_BORDER);
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
        for (int i = 0; i < 6; i++)
            words[i] = lg_edge_word(x0 + (i - 1) * (4 / LG_PIXEL), row, z);
    }
}

// The pair beside: bytes of the same channel, one pixel to the left or to the right. Of grey, the left
// of (0, 2) is (-1, 1), which the odd pairs of two words have, and the right of (1, 3) is (2, 4).
f16vec2 lg_beside(f16vec2 before, f16vec2 here)
{
    return f16vec2(before.y, here.x);
}

LG_CHOICE_COLUMN lg_beside(LG_CHOICE_COLUMN before, LG_CHOICE_COLUMN here)
{
    return LG_CHOICE_COLUMN(lg_beside(before.low, here.low), lg_beside(before.middle, here.middle),
                            lg_beside(before.high, here.high));
}

uint lg_chosen(lg_choice_sorted s, int i, uint centre)
{
#if LG_PIXEL == 1
    f16vec2 even = LG_CHOICE_OF(lg_beside(s.odd[i - 1], s.odd[i]), s.even[i], s.odd[i]);
    f16vec2 odd = LG_CHOICE_OF(s.even[i], s.odd[i], lg_beside(s.even[i], s.even[i + 1]));
#else
    f16vec2 even = LG_CHOICE_OF(s.even[i - 1], s.even[i], s.even[i + 1]);
    f16vec2 odd = LG_CHOICE_OF(s.odd[i - 1], s.odd[i], s.odd[i + 1]);
#endif
    uint word = lg_word_of(even, odd);
#if LG_KEEPS
    word = (word & 0x00ffffffu) | (centre & 0xff000000u);
#endif
    return word | LG_ALPHA_MASK;
}

void main()
{
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    int top = int(gl_WorkGroupID.y * LG_WINDOW_ROWS + lg.first_row);
    uint z = gl_WorkGroupID.z;
    if (uint(x0) >= lg.width)
        return;
    bool inside = x0 > 0 && x0 + LG_SPAN + 4 / LG_PIXEL <= lg_param_int(5);
    lg_choice_line lines[3];
    uint words[2][6]; // of the line in the middle and the one below
    [[unroll]] for (int k = 0; k < LG_WINDOW_ROWS + 2; k++) {
        int y = top + k - 2;
        if (y >= int(lg.extra[0]))
            break;
        lg_read_line(words[k & 1], x0, y + 1, z, inside);
        [[unroll]] for (int i = 0; i < 6; i++) {
            lines[k % 3].even[i] = lg_pair_of(words[k & 1][i]);
            lines[k % 3].odd[i] = lg_pair_of(words[k & 1][i] >> 8);
        }
        if (k < 2)
            continue;
        lg_choice_sorted s;
        [[unroll]] for (int i = 0; i < 6; i++) {
            s.even[i] = LG_CHOICE_SORT(lines[(k + 1) % 3].even[i], lines[(k + 2) % 3].even[i],
                                       lines[k % 3].even[i]);
            s.odd[i] = LG_CHOICE_SORT(lines[(k + 1) % 3].odd[i], lines[(k + 2) % 3].odd[i],
                                      lines[k % 3].odd[i]);
        }
        uvec4 result[1];
        [[unroll]] for (int i = 0; i < 4; i++)
            result[0][i] = lg_chosen(s, i + 1, words[k + 1 & 1][i + 1]);
        lg_flush(result, x0, y, z);
    }
}
