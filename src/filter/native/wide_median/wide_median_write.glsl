// Puts the medians of view 1 in place of the colours of view 0. Defined before: PLANES; BYTES: view 1 has 8
// bits of a word for each colour, otherwise keys, plane after plane. Words: height, layers.
float median_at(uint z, int x, int y, int plane)
{
    lg_words row = lg_words(lg_row(lg.views[1], uint(y), z));
#if BYTES
    LG_FLOAT v = float(row.at[x] >> (8 * plane) & 255u) * LG_UNIT_U8;
    return v;
#else
    uint key = row.at[x + plane * lg_param_int(5)];
    return lg_from_bits(key >> 31 != 0u ? key & 0x7fffffffu : ~key);
#endif
}

void main()
{
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, width - 1);
            color c = lg_load_0(x, y, z);
            c.r = median_at(z, x, y, 0);
            c.g = PLANES == 1 ? c.r : median_at(z, x, y, 1);
            if (PLANES != 2)
                c.b = PLANES == 1 ? c.r : median_at(z, x, y, 2);
            lg_pack(result, j, c);
        }
        lg_flush(result, x0, y, z);
    }
}
