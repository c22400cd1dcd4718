// Foreground of an image as bytes: pixels whose red, green or blue is not 0. Tested by bits, since
// devices may flush subnormal numbers to 0. Words: height, layers.
bool is_there(float v)
{
    uint magnitude = floatBitsToUint(v) & 0x7fffffffu;
    return magnitude != 0u && magnitude <= 0x7f800000u;
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (uint(x0) >= lg.width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        uvec4 v[LG_VECTORS_0], result[LG_VECTORS_OUT];
        lg_fetch_0(v, x0, y, z);
        [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)
            result[i] = uvec4(0u);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            color c = lg_unpack_0(v, j);
            float there = is_there(c.r) || is_there(c.g) || is_there(c.b) ? 1.0 : 0.0;
            lg_pack(result, j, rgba(there, there, there, 1.0));
        }
        lg_flush(result, x0, y, z);
    }
}
