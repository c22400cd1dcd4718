// What the kernels of images of bytes at half and at twice their size share: sums of bytes in 16 bits, two
// in a word, none of which is above 65535. Defined before: CH 1 or 4; SHIFT, the sums' bits behind the
// point; SET, bits of a pixel that are 1. Words: height of the input, layers and width of the output, width
// of the input; rows of the output that are made, Y_FIRST to Y_END - 1; rows of the input that are there,
// Y_FROM to Y_TO - 1.
//
// Sums of a row stand in pairs: of grey those of two neighbours, of colours those of red and blue, then those
// of green and alpha.
#define SPAN    LG_SPAN         // outputs of a thread along a row: 16 bytes or 8
#define PAIRS   (SPAN * CH / 2) // that hold them
#define Y_FIRST int(lg.extra[4])
#define Y_END   int(lg.extra[5])
#define Y_FROM  int(lg.extra[6])
#define Y_TO    int(lg.extra[7])
#if LG_SPAN * CH == 16
#define LG_BYTES_OUT uvec4
#define LG_ROW_OUT   lg_vectors
#else
#define LG_BYTES_OUT uvec2
#define LG_ROW_OUT   lg_two_words
#endif

uint evens(uint word)
{
    return word & 0x00ff00ffu;
}

uint odds(uint word)
{
    return word >> 8 & 0x00ff00ffu;
}

// Words first .. first + count - 1 of a row of the input, those outside being the first and the last one.
#define LG_TAKE_WORDS(words, first, count, row)                                                            \
    [[unroll]] for (int i = 0; i < count; i++)                                                             \
        words[i] = (row).at[clamp((first) + i, 0, (int(lg.extra[3]) * CH - 1) / 4)]

// The bytes of SPAN outputs.
LG_BYTES_OUT bytes_of(uint sums[PAIRS])
{
    LG_BYTES_OUT v;
    [[unroll]] for (int i = 0; i < PAIRS / 2; i++) {
        uint a = evens((sums[2 * i] + (1u << (SHIFT - 1)) * 0x10001u) >> SHIFT);
        uint b = evens((sums[2 * i + 1] + (1u << (SHIFT - 1)) * 0x10001u) >> SHIFT);
#if CH == 4
        v[i] = a | b << 8 | SET;
#else
        v[i] = a & 255u | a >> 16 << 8 | (b & 255u) << 16 | b >> 16 << 24;
#endif
    }
    return v;
}

void put(LG_BYTES_OUT v, int x0, int y, uint z)
{
    LG_ROW_OUT(lg_row(lg.views[1], uint(y), z)).at[x0 / SPAN] = v;
}
