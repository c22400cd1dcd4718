// An image of bytes at half its size. An output is a sum of 4 x 4 inputs with the weights OUTER, INNER,
// INNER, OUTER along both axes. A thread goes down the image and keeps the sums of four rows. At the edges
// of the image outputs have other weights, which lists tell. Behind resize_sums.glsl. Defined before: ROWS
// of the output, of a thread; COLUMNS_FIRST; FIRST_SHIFT and LAST_SHIFT, the bits that go away behind each
// pass of listed ones. Words behind the common ones: the addresses of the lists of both axes, along rows and
// down columns; resize.glsl tells what stands in them, the second one is of the rows that are made.
struct axis {
    lg_words list;
    int entries;
};

axis axis_of(int k, int entries)
{
    return axis(lg_words(uvec2(lg.extra[8 + 2 * k], lg.extra[9 + 2 * k])), entries);
}

int byte_at(int x, int y, int channel, uint z)
{
    int i = x * CH + channel;
    return int(lg_words(lg_row(lg.views[0], uint(y), z)).at[i >> 2] >> (8 * (i & 3)) & 255u);
}

// One sample of an output by the lists.
uint listed_at(int x, int y, int channel, uint z)
{
    axis along = axis_of(0, int(lg.extra[2])), down = axis_of(1, Y_END - Y_FIRST);
    axis a = COLUMNS_FIRST != 0 ? down : along, b = COLUMNS_FIRST != 0 ? along : down;
    int i = COLUMNS_FIRST != 0 ? y - Y_FIRST : x, k = COLUMNS_FIRST != 0 ? x : y - Y_FIRST;
    int first_a = int(a.list.at[i]), first_b = int(b.list.at[k]), sum = 1 << (LAST_SHIFT - 1);
    for (int q = 0; q < int(b.list.at[b.entries + k]); q++) {
        int part = 1 << (FIRST_SHIFT - 1);
        for (int p = 0; p < int(a.list.at[a.entries + i]); p++) {
            int column = COLUMNS_FIRST != 0 ? first_b + q : first_a + p;
            int row = COLUMNS_FIRST != 0 ? first_a + p : first_b + q;
            part += byte_at(column, row, channel, z) * int(a.list.at[(2 + p) * a.entries + i]);
        }
        sum += (part >> FIRST_SHIFT) * int(b.list.at[(2 + q) * b.entries + k]);
    }
    return uint(clamp(sum >> LAST_SHIFT, 0, 255));
}

uint weigh(uint a, uint b, uint c, uint d)
{
    return OUTER * (a + d) + INNER * (b + c);
}

// The words of an input's row, and those beside them.
void read_words(out uint words[PAIRS + 2], int x0, int row, uint z, bool inside)
{
    lg_words from = lg_words(lg_row(lg.views[0], uint(clamp(row, Y_FROM, Y_TO - 1)), z));
    int first = x0 * CH / 2; // the word of the first pixel
    if (inside) {
        lg_vectors vectors = lg_vectors(from);
        [[unroll]] for (int k = 0; k < PAIRS / 4; k++) {
            uvec4 v = vectors.at[first / 4 + k];
            [[unroll]] for (int i = 0; i < 4; i++)
                words[4 * k + i + 1] = v[i];
        }
        words[0] = OUTER == 0 ? 0u : from.at[first - 1];
        words[PAIRS + 1] = OUTER == 0 ? 0u : from.at[first + PAIRS];
    } else {
        LG_TAKE_WORDS(words, first - 1, PAIRS + 2, from);
    }
}

// The sums of a row.
void sums_of(out uint sums[PAIRS], uint words[PAIRS + 2])
{
#if CH == 4
    [[unroll]] for (int j = 0; j < SPAN; j++) {
        uint e[4], o[4];
        [[unroll]] for (int k = 0; k < 4; k++) {
            e[k] = evens(words[2 * j + k]);
            o[k] = odds(words[2 * j + k]);
        }
        sums[2 * j] = weigh(e[0], e[1], e[2], e[3]);
        sums[2 * j + 1] = weigh(o[0], o[1], o[2], o[3]);
    }
#else
    [[unroll]] for (int i = 0; i < PAIRS; i++) {
        uint e = evens(words[i + 1]), o = odds(words[i + 1]);
        sums[i] = weigh(o << 16 | words[i] >> 24, e, o, e >> 16 | words[i + 2] << 16 & 0xff0000u);
    }
#endif
}

// Outputs at an edge.
void list_edges(inout LG_BYTES_OUT v, int x0, int y, uint z)
{
    int right = int(lg.extra[2]) - 1, bottom = int(lg.extra[0]) / 2 - 1;
    [[unroll]] for (int j = 0; j < SPAN; j++) {
        int x = x0 + j;
        if (x > right || x > 0 && x < right && y > 0 && y < bottom)
            continue;
        uint pixel = SET;
        for (int channel = 0; channel < CH; channel++)
            pixel |= listed_at(x, y, channel, z) << (8 * channel);
        if (CH == 4)
            v[j] = pixel;
        else
            v[j >> 2] = v[j >> 2] & ~(255u << (8 * (j & 3))) | pixel << (8 * (j & 3));
    }
}

void rows_from(int x0, int y0, uint z)
{
    int width = int(lg.extra[2]), bottom = int(lg.extra[0]) / 2 - 1;
    bool inside = x0 > 0 && x0 + SPAN + 2 < width;
    uint words[2 * ROWS + 2][PAIRS + 2], sums[4][PAIRS];
    // All rows are on their way before the first one is waited for.
    [[unroll]] for (int k = 0; k < 2 * ROWS + 2; k++)
        if (OUTER != 0 || k > 0 && k < 2 * ROWS + 1)
            read_words(words[k], x0, 2 * y0 - 1 + k, z, inside);
    [[unroll]] for (int k = 0; k < 2 * ROWS + 2; k++) {
        int y = y0 + (k - 3) / 2;
        if (k >= 3 && y >= Y_END)
            break;
        if (OUTER != 0 || k > 0 && k < 2 * ROWS + 1)
            sums_of(sums[k & 3], words[k]);
        if (k < 3 || (k & 1) == 0)
            continue;
        uint all[PAIRS];
        [[unroll]] for (int i = 0; i < PAIRS; i++)
            all[i] = weigh(sums[k + 1 & 3][i], sums[k + 2 & 3][i], sums[k + 3 & 3][i], sums[k & 3][i]);
        LG_BYTES_OUT v = bytes_of(all);
        if (OUTER != 0 && (x0 == 0 || x0 + SPAN >= width || y == 0 || y == bottom))
            list_edges(v, x0, y, z);
        put(v, x0, y, z);
    }
}

void main()
{
    int x0 = int(gl_GlobalInvocationID.x) * SPAN;
    if (x0 >= int(lg.extra[2]))
        return;
    LG_EACH_ROW(y, z, 0, (Y_END - Y_FIRST + ROWS - 1) / ROWS, lg.extra[1])
        rows_from(x0, Y_FIRST + y * ROWS, z);
}
