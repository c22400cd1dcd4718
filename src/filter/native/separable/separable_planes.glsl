// An image as planes to be averaged: colour times alpha if there is alpha; WHOLE: bytes times 64.
// Only planes that differ.
void main()
{
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
    {
#if WHOLE
        lg_words row = lg_words(lg_row(lg.views[0], uint(y), z));
        uvec4 v = uvec4(0u);
        [[unroll]] for (int k = 0; k < CH; k++) {
            int i = x * STORED + k;
            v[k] = (row.at[i >> 2] >> (8 * (i & 3)) & 255u) << 6;
        }
#else
        color c = lg_load_0(x, y, z);
#if ALPHA
        c = rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
#endif
        vec4 v = CH == 2 && ALPHA != 0 ? vec4(c.r, c.a, 0.0, 0.0) : vec4(c.r, c.g, c.b, c.a);
#endif
        lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] = NARROW(v);
    }
}
