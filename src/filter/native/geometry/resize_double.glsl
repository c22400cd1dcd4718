// An image of bytes at twice its size. Output 2 i is a quarter of input i - 1 and three of i, output 2 i + 1
// three quarters of i and one of i + 1, along both axes; outside the image its edge goes on. A thread goes
// down the image and keeps the sums of three rows. Behind resize_sums.glsl. Defined before: ROWS of the
// input, of a thread.

// Of grey one byte more on either side.
uint byte_at(lg_words row, int x)
{
    x = clamp(x, 0, int(lg.extra[3]) - 1);
    return row.at[x >> 2] >> (8 * (x & 3)) & 255u;
}

// The sums of an input's row.
void sums_of(out uint sums[PAIRS], int x0, int row, uint z)
{
    lg_words from = lg_words(lg_row(lg.views[0], uint(clamp(row, Y_FROM, Y_TO - 1)), z));
    int first = x0 / 2; // input
    uint words[4];
#if CH == 4
    LG_TAKE_WORDS(words, first - 1, 4, from);
    [[unroll]] for (int j = 0; j < SPAN; j++) {
        uint near = words[(j >> 1) + 1], far = words[(j >> 1) + 2 * (j & 1)];
        sums[2 * j] = 3 * evens(near) + evens(far);
        sums[2 * j + 1] = 3 * odds(near) + odds(far);
    }
#else
    LG_TAKE_WORDS(words, first / 4 - 1, 4, from);
    if (first == 0 || first + 9 > int(lg.extra[3])) { // bytes behind the last one are anything
        [[unroll]] for (int i = 0; i < 4; i++)
            words[i] = byte_at(from, first + 4 * i - 4) | byte_at(from, first + 4 * i - 3) << 8 |
                       byte_at(from, first + 4 * i - 2) << 16 | byte_at(from, first + 4 * i - 1) << 24;
    }
    [[unroll]] for (int i = 0; i < 2; i++) {
        uint w = words[i + 1], e = evens(w), o = odds(w);
        uint near[4] = uint[](w & 255u, w >> 8 & 255u, w >> 16 & 255u, w >> 24);
        uint far[4] = uint[](o << 16 | words[i] >> 24, e, o, e >> 16 | words[i + 2] << 16 & 0xff0000u);
        [[unroll]] for (int j = 0; j < 4; j++)
            sums[4 * i + j] = near[j] * 0x30003u + far[j];
    }
#endif
}

void rows_from(int x0, int y0, uint z)
{
    uint sums[3][PAIRS];
    [[unroll]] for (int k = 0; k < ROWS + 2; k++) {
        if (y0 + k - 2 >= (Y_END + 1) / 2)
            break;
        sums_of(sums[k % 3], x0, y0 + k - 1, z);
        if (k < 2)
            continue;
        [[unroll]] for (int other = 0; other < 2; other++) {
            uint all[PAIRS];
            [[unroll]] for (int i = 0; i < PAIRS; i++)
                all[i] = 3 * sums[(k + 2) % 3][i] + sums[other == 0 ? (k + 1) % 3 : k % 3][i];
            int y = 2 * (y0 + k - 2) + other;
            if (y >= Y_FIRST && y < Y_END)
                put(bytes_of(all), x0, y, z);
        }
    }
}

void main()
{
    int x0 = int(gl_GlobalInvocationID.x) * SPAN, first = Y_FIRST / 2;
    if (x0 >= int(lg.extra[2]))
        return;
    LG_EACH_ROW(y, z, 0, ((Y_END + 1) / 2 - first + ROWS - 1) / ROWS, lg.extra[1])
        rows_from(x0, first + y * ROWS, z);
}
