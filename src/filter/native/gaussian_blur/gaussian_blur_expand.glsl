// Twice as many samples along an axis. Own words: how many samples behind position -1 the first result
// lies, and the factor of a sum. DEPTH: bits that are dropped of integers, which come in 256ths; halves
// go up along columns, down along rows. LAST: 1 the result as a colour, 2 integers as bytes.
VEC expanded(int x, int y, uint z)
{
    int i = (AXIS == 1 ? y : x) + int(lg.extra[OWN]);
    VEC a = along(i >> 1, x, y, z), b = along((i >> 1) + 1, x, y, z);
    if ((i & 1) == 0)
#if WHOLE
        return 2u * (a + b);
#else
        return (a + b) * 0.5;
#endif
    VEC c = along((i >> 1) + 2, x, y, z);
#if WHOLE
    return ((a + c + uint(AXIS)) >> 1) + 3u * b;
#else
    return ((a + c) + b * 6.0) * 0.125;
#endif
}

VEC result(int x, int y, uint z)
{
    VEC v = expanded(x, y, z);
#if WHOLE && DEPTH
    v = (v + (1u << (DEPTH - 1)) - uint(1 - AXIS)) >> DEPTH;
#endif
    return v;
}

#if LAST
color result_at(int x, int y, uint z)
{
#if WHOLE
    vec4 v = vec4(wide(result(x, y, z)));
    // Bytes converted to colours and back stay the same.
    return color_of(v * (LAST == 2 ? LG_UNIT_U8 : uintBitsToFloat(lg.extra[OWN + 1])));
#else
    return color_of(wide(result(x, y, z)));
#endif
}
#endif

void main()
{
#if LAST
    write_results();
#else
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.extra[3]))
        return;
    EACH_ROW(y, z)
        lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] = result(x, y, z);
#endif
}
