// A 3 x 3 filter of grey bytes whose sums are integers that halves hold: two samples in a register. A
// thread computes LG_WINDOW_ROWS rows of four words. Defined before, beside what stage_halves.glsl takes:
// LG_WHOLE_PARAMS, the type of the filter's parameters; for the length of a gradient LG_WHOLE_MIDDLE, the
// count of the middle of a side, and LG_WHOLE_DARK, 1 where the result is white less the length; for a
// weighted sum LG_WHOLE_WEIGHT(i, p). Products are exact, so that fma may or may not round
// them.
#include "filter/stage_halves.glsl"

#ifdef LG_WHOLE_MIDDLE

void lg_whole_prepare(LG_WHOLE_PARAMS p)
{
}

struct lg_whole_line {
    lg_halves all;
    f16vec2 even[4], odd[4]; // right neighbour less left one
};

void lg_whole_finish(inout lg_whole_line line)
{
    [[unroll]] for (int i = 0; i < 4; i++) {
        lg_halves a = line.all;
        line.even[i] = a.odd[i + 1] - lg_beside(a.odd[i], a.odd[i + 1]);
        line.odd[i] = lg_beside(a.even[i + 1], a.even[i + 2]) - a.even[i + 1];
    }
}

// The root, rounded to an integer. No integer is nearer to the square of k + 1/2 than 1/4, so no root up to
// 255 is nearer to k + 1/2 than 4.9e-4, and a device's own inverse root, 2 ulp off, rounds as an exact one.
// What is added to 0 keeps it finite.
uint lg_whole_root(float across, float down)
{
    float square = fma(across, across, fma(down, down, 1e-30));
    return floatBitsToUint(min(square * inversesqrt(square), 255.0) + LG_WHOLE);
}

f16vec2 lg_whole_sum(f16vec2 a, f16vec2 b, f16vec2 c)
{
    return fma(f16vec2(float16_t(LG_WHOLE_MIDDLE)), b, a + c);
}

uint lg_whole_word(lg_whole_line above, lg_whole_line here, lg_whole_line below, int i)
{
    f16vec2 across[2], down[2]; // of the even and of the odd bytes
    across[0] = lg_whole_sum(above.even[i], here.even[i], below.even[i]);
    across[1] = lg_whole_sum(above.odd[i], here.odd[i], below.odd[i]);
    f16vec2 before = below.all.odd[i] - above.all.odd[i];
    f16vec2 even = below.all.even[i + 1] - above.all.even[i + 1];
    f16vec2 odd = below.all.odd[i + 1] - above.all.odd[i + 1];
    f16vec2 behind = below.all.even[i + 2] - above.all.even[i + 2];
    down[0] = lg_whole_sum(lg_beside(before, odd), even, odd);
    down[1] = lg_whole_sum(even, odd, lg_beside(even, behind));
    uint root[4];
    [[unroll]] for (int k = 0; k < 4; k++)
        root[k] = lg_whole_root(float(across[k & 1][k >> 1]), float(down[k & 1][k >> 1]));
    uint word = root[0] + (root[1] << 8) + (root[2] << 16) + (root[3] << 24) - LG_WHOLE_BITS;
    return LG_WHOLE_DARK == 0 ? word : ~word;
}

#else

f16vec2 lg_whole_weights[9];

void lg_whole_prepare(LG_WHOLE_PARAMS p)
{
    [[unroll]] for (int i = 0; i < 9; i++)
        lg_whole_weights[i] = f16vec2(float16_t(LG_WHOLE_WEIGHT(i, p)));
}

struct lg_whole_line {
    lg_halves all;              // the bytes
    f16vec2 before[4], next[4]; // the pairs to the left of the even ones, and to the right of the odd ones
};

void lg_whole_finish(inout lg_whole_line line)
{
    [[unroll]] for (int i = 0; i < 6; i++) {
        line.all.even[i] -= f16vec2(1024.0);
        line.all.odd[i] -= f16vec2(1024.0);
    }
    [[unroll]] for (int i = 0; i < 4; i++) {
        line.before[i] = lg_beside(line.all.odd[i], line.all.odd[i + 1]);
        line.next[i] = lg_beside(line.all.even[i + 1], line.all.even[i + 2]);
    }
}

f16vec2 lg_whole_byte(f16vec2 sum)
{
    return clamp(sum, f16vec2(0.0), f16vec2(255.0)) + f16vec2(1024.0);
}

// Of the pixels before, at and behind, from the three lines.
f16vec2 lg_whole_weigh(f16vec2 v[9])
{
    f16vec2 sum = v[0] * lg_whole_weights[0];
    [[unroll]] for (int i = 1; i < 9; i++)
        sum = fma(v[i], lg_whole_weights[i], sum);
    return sum;
}

uint lg_whole_word(lg_whole_line a, lg_whole_line h, lg_whole_line b, int i)
{
    f16vec2 even[9] = f16vec2[](a.before[i], a.all.even[i + 1], a.all.odd[i + 1], h.before[i],
                                h.all.even[i + 1], h.all.odd[i + 1], b.before[i], b.all.even[i + 1],
                                b.all.odd[i + 1]);
    f16vec2 odd[9] = f16vec2[](a.all.even[i + 1], a.all.odd[i + 1], a.next[i], h.all.even[i + 1],
                               h.all.odd[i + 1], h.next[i], b.all.even[i + 1], b.all.odd[i + 1],
                               b.next[i]);
    return lg_word_of(lg_whole_byte(lg_whole_weigh(even)), lg_whole_byte(lg_whole_weigh(odd)));
}

#endif

void lg_whole_rows(int x0, int top, uint z, LG_WHOLE_PARAMS p)
{
    lg_whole_prepare(p);
    if (uint(x0) >= lg.width)
        return;
    bool inside = x0 > 0 && x0 + LG_SPAN + 4 <= lg_param_int(5);
    lg_whole_line lines[3];
    [[unroll]] for (int k = 0; k < LG_WINDOW_ROWS + 2; k++) {
        int y = top + k - 2;
        if (y >= int(lg.extra[0]))
            break;
        uint words[6];
        lg_read_line(words, x0, y + 1, z, inside);
        lines[k % 3].all = lg_halves_of(words);
        lg_whole_finish(lines[k % 3]);
        if (k < 2)
            continue;
        uvec4 result;
        [[unroll]] for (int i = 0; i < 4; i++)
            result[i] = lg_whole_word(lines[(k + 1) % 3], lines[(k + 2) % 3], lines[k % 3], i);
        lg_vectors(lg_row(lg.views[1], uint(y), z)).at[x0 / LG_SPAN] = result;
    }
}
