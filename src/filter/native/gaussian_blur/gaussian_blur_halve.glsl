// 1/4, 1/2, 1/4 twice along an axis, of every second sample. Of integers, `bias` 2 rounds halves up, 1
// down.
VEC smooth3(VEC a, VEC b, VEC c, uint bias)
{
#if WHOLE
    return (a + c + 2u * b + bias) >> 2;
#else
    return ((a + c) + (b + b)) * 0.25;
#endif
}

void main()
{
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
    {
        VEC v[5];
        [[unroll]] for (int k = 0; k < 5; k++)
            v[k] = along(2 * (AXIS == 1 ? y : x) + k, x, y, z);
        lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] =
            smooth3(smooth3(v[0], v[1], v[2], 2u), smooth3(v[1], v[2], v[3], 2u),
                    smooth3(v[2], v[3], v[4], 2u), 1u);
    }
}
