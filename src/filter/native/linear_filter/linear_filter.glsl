// A convolution with any kernel, LG_SPAN pixels of a row per thread. Defined before: BORDER. Words: address
// of the weights, columns, rows, the pixel's own place in the kernel, offset as bits, height, layers.
color convolved(lg_floats weights, int x, int y, uint z)
{
    int columns = int(lg.extra[2]), rows = int(lg.extra[3]);
    ivec2 first = ivec2(x - int(lg.extra[4]), y - int(lg.extra[5]));
    precise float r = 0.0, g = 0.0, b = 0.0;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            color c = lg_get_0(first.x + i, first.y + j, z, BORDER);
            float weight = weights.at[j * columns + i];
            precise float more_r = weight * c.r;
            precise float more_g = weight * c.g;
            precise float more_b = weight * c.b;
            r = r + more_r;
            g = g + more_g;
            b = b + more_b;
        }
    float offset = uintBitsToFloat(lg.extra[6]);
    r = r + offset;
    g = g + offset;
    b = b + offset;
    return rgba(r, g, b, lg_load_0(x, y, z).a);
}

void main()
{
    lg_floats weights = lg_floats(uvec2(lg.extra[0], lg.extra[1]));
    int height = int(lg.extra[7]), layers = int(lg.extra[8]), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (uint(x0) >= lg.width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, convolved(weights, min(x0 + j, int(lg.width) - 1), y, z));
        lg_flush(result, x0, y, z);
    }
}
