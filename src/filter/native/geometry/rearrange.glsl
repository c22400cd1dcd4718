// Pixels that move without being mixed. Defined before: SAME samples are copied as they are, SWAP,
// COLORED, BYTES of an input pixel. Words: height and layers of the output, the address of the lists,
// how many words the first one takes, the colour.
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

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    lg_words list = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    if (uint(x0) >= lg.width)
        return;
    int from[LG_SPAN];
    [[unroll]] for (int j = 0; j < LG_SPAN; j++)
        from[j] = int(list.at[x0 + j]);
    color fill = rgba(uintBitsToFloat(lg.extra[5]), uintBitsToFloat(lg.extra[6]),
                      uintBitsToFloat(lg.extra[7]), uintBitsToFloat(lg.extra[8]));
    LG_EACH_ROW(y, z, 0, height, layers) {
        int other = int(list.at[int(lg.extra[4]) + y]);
        LG_WORDS_OUT(result);
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
