// Integers with the order of the colours of view 0: plane k of view 1 begins at column k times the width.
// Defined before: PLANES. Words: height, layers.
uint key_of(float v)
{
    uint bits = lg_bits(v);
    uint key = bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : key;
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = lg_param_int(5);
    int x = int(gl_GlobalInvocationID.x);
    if (x >= width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        color c = lg_load_0(x, y, z);
        float colors[3] = float[3](c.r, c.g, c.b);
        lg_words row = lg_words(lg_row(lg.views[1], uint(y), z));
        [[unroll]] for (int k = 0; k < PLANES; k++)
            row.at[x + k * width] = key_of(colors[k]);
    }
}
