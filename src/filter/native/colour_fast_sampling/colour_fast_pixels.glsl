// Behind colour_fast_sampling.glsl: a thread's pixel.
// Defined before: BORDER. Words: height, layers.
color sample_at(int x, int y, uint z, bool inside)
{
    int column = inside ? x : lg_border_index(x, lg_param_int(5), BORDER);
    int row = inside ? y : lg_border_index(y, lg_param_int(6), BORDER);
    if (column < 0 || row < 0)
        return lg_color_0(vec4(0.0));
    return lg_load_0(column, row, z);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x = int(gl_GlobalInvocationID.x);
    if (uint(x) >= lg.width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        bool inside = x >= 3 && x + 3 < int(lg.width) && y >= 3 && y + 3 < height;
        color_fast_ring s;
        s.a = sample_at(x + 3, y + 1, z, inside);
        s.b = sample_at(x + 1, y + 3, z, inside);
        s.c = sample_at(x - 1, y + 3, z, inside);
        s.d = sample_at(x - 3, y + 1, z, inside);
        s.e = sample_at(x - 3, y - 1, z, inside);
        s.f = sample_at(x - 1, y - 3, z, inside);
        s.g = sample_at(x + 1, y - 3, z, inside);
        s.h = sample_at(x + 3, y - 1, z, inside);
        uvec4 result[LG_VECTORS_OUT];
        result[0] = uvec4(0u);
        lg_pack(result, 0, lg_color_fast(s, lg_load_0(x, y, z)));
        lg_flush(result, x, y, z);
    }
}
