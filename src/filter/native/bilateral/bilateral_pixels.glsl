// Pixels of bilateral's kernels: reading them, and storing four quotients of a row.
//
// Defined before: CHANNELS of the input, PLANES, ALPHA, BYTES (samples as integers), ROUNDED
// (stored as bytes), RESULT (factor of a result), BORDER.
#if BYTES
// The bytes of a pixel inside, the first one lowest.
uint bilateral_bytes(lg_words row, int column)
{
#if CHANNELS == 1
    return row.at[column >> 2] >> (8 * (column & 3)) & 255u;
#elif CHANNELS == 2
    return row.at[column >> 1] >> (16 * (column & 1)) & 65535u;
#else
    return row.at[column];
#endif
}
#endif

vec4 bilateral_pixel(int x, int y, uint z)
{
    int column = lg_border_index(x, lg_param_int(5), BORDER);
    int line = lg_border_index(y, lg_param_int(6), BORDER);
    if (column < 0 || line < 0)
        return vec4(0.0);
#if BYTES
    uint w = bilateral_bytes(lg_words(lg_row(lg.views[0], uint(line), z)), column);
    return vec4(lg_from_uint(w & 255u), lg_from_uint(w >> 8 & 255u), lg_from_uint(w >> 16 & 255u),
                lg_from_uint(w >> 24));
#else
    color c = lg_load_0(column, line, z);
#if ALPHA
    c = lg_premultiplied(c);
    return PLANES == 2 ? vec4(c.r, c.a, 0.0, 0.0) : vec4(c.r, c.g, c.b, c.a);
#else
    return vec4(c.r, c.g, c.b, c.a);
#endif
#endif
}

void bilateral_store(vec4 sum[4], float weights[4], int x, int y, uint z)
{
    uvec4 v[LG_VECTORS_OUT];
    [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
        v[k] = uvec4(0u);
    [[unroll]] for (int j = 0; j < 4; j++) {
        precise vec4 q = vec4(0.0);
        [[unroll]] for (int p = 0; p < PLANES; p++)
            q[p] = lg_div(sum[j][p], weights[j]) * RESULT;
#if ROUNDED
        uint bits = CHANNELS > PLANES ? 255u << (8 * (CHANNELS - 1)) : 0u;
        [[unroll]] for (int p = 0; p < PLANES; p++)
            bits |= uint(int(q[p] + 0.5)) << (8 * p);
        v[0][j * CHANNELS / 4] |= bits << (8 * (j * CHANNELS & 3));
#else
        color c = PLANES == 1          ? rgba(q.x, q.x, q.x, 1.0)
                  : PLANES == 2        ? (ALPHA != 0 ? rgba(q.x, q.x, q.x, q.y) : rgba(q.x, q.y, 0.0, 1.0))
                  : PLANES == 3        ? rgba(q.x, q.y, q.z, 1.0)
                                       : rgba(q.x, q.y, q.z, q.w);
#if ALPHA
        c = lg_straight(c);
#endif
        lg_pack(v, j, c);
#endif
    }
    lg_flush(v, x, y, z);
}
