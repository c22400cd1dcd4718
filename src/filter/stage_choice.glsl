// A 3 x 3 filter of bytes that only chooses among samples: two samples in a register.
//
// A thread computes LG_WINDOW_ROWS rows of four words. Defined before, beside what stage_halves.glsl takes:
// LG_KEEPS 1: byte 3 of a pixel is the centre's alpha, LG_ALPHA_MASK: bits that are set in the end;
// LG_CHOICE_SORT and LG_CHOICE_OF, the filter's functions of a pair.
#include "filter/stage_halves.glsl"

struct lg_choice_sorted {
    LG_CHOICE_COLUMN even[6], odd[6];
};

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
    lg_halves lines[3];
    uint words[2][6]; // of the line in the middle and the one below
    [[unroll]] for (int k = 0; k < LG_WINDOW_ROWS + 2; k++) {
        int y = top + k - 2;
        if (y >= int(lg.extra[0]))
            break;
        lg_read_line(words[k & 1], x0, y + 1, z, inside);
        lines[k % 3] = lg_halves_of(words[k & 1]);
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
