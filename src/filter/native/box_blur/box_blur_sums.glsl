// Sums of floats by doubling, four levels at a time. View 0 has sums of 2^level samples; view 2
// gets sums of 2^(level + 4). View 1 (unless BEGUN is 0) has the sums for the lower bits of the
// window's size; the last view gets them with four more bits added.
//
// MORE: higher bits follow, and the words describe view 2; the last view has the size of the image.
// LAST: the last view is the result. Own words: size of the window, level, factor.
VEC one(int i, int x, int y, uint z)
{
    return along(i, x, y, z);
}

#define DOUBLED(name, half_name, halves)                                                           \
    VEC name(int i, int x, int y, uint z)                                                          \
    {                                                                                              \
        return half_name(i, x, y, z) + half_name(i + (halves << lg.extra[OWN + 1]), x, y, z);      \
    }

DOUBLED(two, one, 1)
DOUBLED(four, two, 2)
DOUBLED(eight, four, 4)
DOUBLED(sixteen, eight, 8)

VEC sum_at(int x, int y, uint z)
{
    int i = AXIS == 1 ? y : x, size = int(lg.extra[OWN]), level = int(lg.extra[OWN + 1]);
    bool begun = BEGUN != 0;
    VEC sum = VEC(0.0);
#if BEGUN
    sum = plane_at(lg.views[1], x, y, z);
#endif
    [[unroll]] for (int k = 0; k < 4; k++) {
        int bit = level + k;
        if ((size >> bit & 1) == 0)
            continue;
        int at = i + size - (size & ((2 << bit) - 1));
        VEC part = k == 0   ? one(at, x, y, z)
                   : k == 1 ? two(at, x, y, z)
                   : k == 2 ? four(at, x, y, z)
                            : eight(at, x, y, z);
        sum = begun ? sum + part : part;
        begun = true;
    }
    return sum;
}

#if LAST
color result_at(int x, int y, uint z)
{
    return color_of(wide(sum_at(x, y, z) * uintBitsToFloat(lg.extra[OWN + 2])));
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
    {
        int i = AXIS == 1 ? y : x;
        if (MORE == 0 || i < int(lg.extra[4]))
            lg_planes(lg_row(lg.views[3], uint(y), z)).at[x] = sum_at(x, y, z);
#if MORE
        lg_planes(lg_row(lg.views[2], uint(y), z)).at[x] = sixteen(i, x, y, z);
#endif
    }
#endif
}
