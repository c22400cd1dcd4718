// Two steps with the weights 1/4, 1/2, 1/4 at one distance. Own word: the distance.
#if WHOLE
VEC smooth3(VEC a, VEC b, VEC c)
{
    return (a + c + 2u * b + 2u) >> 2;
}
#else
VEC smooth3(VEC a, VEC b, VEC c)
{
    return ((a + c) + (b + b)) * 0.25;
}
#endif

void main()
{
    int x = int(gl_GlobalInvocationID.x), apart = int(lg.extra[OWN]);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
    {
        VEC v[5];
        [[unroll]] for (int k = 0; k < 5; k++)
            v[k] = along((AXIS == 1 ? y : x) + k * apart, x, y, z);
        lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] =
            smooth3(smooth3(v[0], v[1], v[2]), smooth3(v[1], v[2], v[3]), smooth3(v[2], v[3], v[4]));
    }
}
