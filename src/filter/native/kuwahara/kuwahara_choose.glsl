// The mean of the window of least variance. Defined before: PLANES, ALPHA.
// Words: layers, first row, rows, windows of a row, radius.
float window_plane(int k, int x, int y, uint z)
{
    return lg_floats(lg_row(lg.views[0], uint(y), z)).at[x + k * int(lg.extra[3])];
}

color color_of(float v[4])
{
#if ALPHA
    return lg_straight(PLANES == 2 ? rgba(v[0], v[0], v[0], v[1]) : rgba(v[0], v[1], v[2], v[3]));
#else
    return PLANES == 1   ? rgba(v[0], v[0], v[0], 1.0)
           : PLANES == 2 ? rgba(v[0], v[1], 0.0, 1.0)
           : PLANES == 3 ? rgba(v[0], v[1], v[2], 1.0)
                         : rgba(v[0], v[1], v[2], v[3]);
#endif
}

color chosen(int x, int y, uint z)
{
    int radius = int(lg.extra[4]), column = x, row = y;
    float v = window_plane(PLANES, x, y, z);
    float next = window_plane(PLANES, x + radius, y, z);
    if (next < v) {
        v = next;
        column = x + radius;
    }
    next = window_plane(PLANES, x + radius, y + radius, z);
    if (next < v) {
        v = next;
        column = x + radius;
        row = y + radius;
    }
    if (window_plane(PLANES, x, y + radius, z) < v) {
        column = x;
        row = y + radius;
    }
    float four[4] = float[4](0.0, 0.0, 0.0, 0.0);
    [[unroll]] for (int k = 0; k < PLANES; k++)
        four[k] = window_plane(k, column, row, z);
    return color_of(four);
}

void main()
{
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN, rows = int(lg.extra[2]);
    if (x0 >= int(lg.width))
        return;
    LG_EACH_ROW(y, z, 0, rows, lg.extra[0]) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, chosen(min(x0 + j, int(lg.width) - 1), y, z));
        lg_flush(result, x0, y + int(lg.extra[1]), z);
    }
}
