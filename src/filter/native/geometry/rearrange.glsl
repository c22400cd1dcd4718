// Pixels that move without being mixed. Defined before: SAME samples are copied as they are, SWAP,
// COLORED, BYTES of an input pixel, LINE: the step of the first list if it is always the same, else 0.
// Words: height and layers of the output, the address of the lists, how many words the first one takes,
// the colour, the first list's first entry.
#if BYTES == 8
#define WORDS uvec2
#elif BYTES == 16
#define WORDS uvec4
#else
#define WORDS uint
#endif

WORDS words_at(int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[0], uint(y), z);
#if BYTES == 1
    return lg_words(row).at[x >> 2] >> (8 * (x & 3)) & 255u;
#elif BYTES == 2
    return lg_words(row).at[x >> 1] >> (16 * (x & 1)) & 65535u;
#elif BYTES == 4
    return lg_words(row).at[x];
#elif BYTES == 8
    return uvec2(lg_words(row).at[2 * x], lg_words(row).at[2 * x + 1]);
#else
    return lg_vectors(row).at[x];
#endif
}

void copy_words(inout uvec4 v[LG_VECTORS_OUT], int j, WORDS w)
{
#if BYTES == 8
    v[j >> 1][2 * (j & 1)] = w.x;
    v[j >> 1][2 * (j & 1) + 1] = w.y;
#elif BYTES == 16
    v[j] = w;
#elif SAME
    lg_put(v, j, w);
#endif
}

#if SAME && !SWAP && BYTES < 4
#define RUNS     1
#define PER_WORD (4 / BYTES)
#define COUNT    (LG_SPAN / PER_WORD)

uint turned(uint w)
{
#if BYTES == 1
    w = (w & 0x00ff00ffu) << 8 | (w >> 8 & 0x00ff00ffu);
#endif
    return w << 16 | w >> 16;
}

// Whole words of LG_SPAN pixels that lie side by side from column `first` on, or before it if `back`.
void copy_run(inout uvec4 v[LG_VECTORS_OUT], int first, bool back, int y, uint z)
{
    int least = back ? first - (LG_SPAN - 1) : first;
    lg_words row = lg_words(lg_row(lg.views[0], uint(y), z));
    uint shift = uint(least % PER_WORD) * 8u * BYTES;
    uint words[COUNT + 1];
    [[unroll]] for (int k = 0; k <= COUNT; k++)
        words[k] = row.at[least / PER_WORD + k];
    [[unroll]] for (int k = 0; k < COUNT; k++)
        words[k] = shift == 0u ? words[k] : words[k] >> shift | words[k + 1] << (32u - shift);
    [[unroll]] for (int k = 0; k < COUNT; k++)
        v[k >> 2][k & 3] = back ? turned(words[COUNT - 1 - k]) : words[k];
}

bool is_run(int from[LG_SPAN], int step)
{
    bool is = from[0] >= 0 && from[LG_SPAN - 1] >= 0;
    [[unroll]] for (int j = 1; j < LG_SPAN; j++)
        is = is && from[j] == from[0] + j * step;
    return is;
}
#else
#define RUNS 0
#endif

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    lg_words list = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    if (uint(x0) >= lg.width)
        return;
    int from[LG_SPAN];
    [[unroll]] for (int j = 0; j < LG_SPAN; j++)
#if LINE // of bytes, a list has four times the bytes of the pixels
        from[j] = int(lg.extra[9]) + LINE * min(x0 + j, int(lg.width) - 1);
#else
        from[j] = int(list.at[x0 + j]);
#endif
#if RUNS
    bool back = from[1] < from[0], run = is_run(from, back ? -1 : 1);
#endif
    color fill = rgba(uintBitsToFloat(lg.extra[5]), uintBitsToFloat(lg.extra[6]),
                      uintBitsToFloat(lg.extra[7]), uintBitsToFloat(lg.extra[8]));
    LG_EACH_ROW(y, z, 0, height, layers) {
        int other = int(list.at[int(lg.extra[4]) + y]);
        LG_WORDS_OUT(result);
#if RUNS
        if (run && other >= 0) {
            copy_run(result, from[0], back, other, z);
            lg_flush(result, x0, y, z);
            continue;
        }
#endif
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = SWAP != 0 ? other : from[j], row = SWAP != 0 ? from[j] : other;
#if COLORED
            if (x < 0 || row < 0) {
                lg_pack(result, j, fill);
                continue;
            }
#endif
#if SAME
            copy_words(result, j, words_at(x, row, z));
#else
            lg_pack(result, j, lg_load_0(x, row, z));
#endif
        }
        lg_flush(result, x0, y, z);
    }
}
