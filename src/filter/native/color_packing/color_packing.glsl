// Four reds of a 2 x 2 block in one pixel. Words: height and layers of the output.
void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    int last_column = lg_param_int(5) - 1, last_row = lg_param_int(6) - 1;
    if (uint(x0) >= lg.width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        float red[2][2 * LG_SPAN];
        [[unroll]] for (int k = 0; k < 2; k++) {
            uvec4 v[LG_VECTORS_0], w[LG_VECTORS_0];
            lg_fetch_0(v, 2 * x0, min(2 * y + k, last_row), z);
            lg_fetch_0(w, 2 * x0 + LG_SPAN, min(2 * y + k, last_row), z);
            [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
                red[k][j] = lg_unpack_0(v, j).r;
                red[k][LG_SPAN + j] = lg_unpack_0(w, j).r;
            }
        }
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            bool odd = 2 * (x0 + j) < last_column;
            lg_pack(result, j, rgba(red[0][2 * j], red[0][odd ? 2 * j + 1 : 2 * j], red[1][2 * j],
                                    red[1][odd ? 2 * j + 1 : 2 * j]));
        }
        lg_flush(result, x0, y, z);
    }
}
