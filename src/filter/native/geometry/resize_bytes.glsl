// One pass of a resized image of bytes. Defined before: KIND 0 along rows, 1 down columns; FIRST: view 0 is
// the image, else 16-bit integers with 6 bits behind the point; LAST: the result is the image; CH 1, 2 or
// 4; SET bits of a pixel that are 1. Words: as in resize.glsl. With TILE the passes are those of
// resize_tile.glsl.

ivec4 pixel_at(int x, int y, uint z)
{
    uvec2 row = lg_row(lg.views[0], uint(y), z);
#if FIRST && CH == 4
    uint w = lg_words(row).at[x];
    return ivec4(w & 255u, w >> 8 & 255u, w >> 16 & 255u, w >> 24);
#elif FIRST && CH == 2
    uint w = lg_words(row).at[x >> 1] >> (16 * (x & 1));
    return ivec4(w & 255u, w >> 8 & 255u, 0, 0);
#elif FIRST
    return ivec4(lg_words(row).at[x >> 2] >> (8 * (x & 3)) & 255u, 0, 0, 0);
#elif CH == 4
    int a = int(lg_words(row).at[2 * x]), b = int(lg_words(row).at[2 * x + 1]);
    return ivec4(a << 16 >> 16, a >> 16, b << 16 >> 16, b >> 16);
#elif CH == 2
    int a = int(lg_words(row).at[x]);
    return ivec4(a << 16 >> 16, a >> 16, 0, 0);
#else
    return ivec4(int(lg_words(row).at[x >> 1]) << (16 - 16 * (x & 1)) >> 16, 0, 0, 0);
#endif
}

#if !TILE
ivec4 mixed_at(int x, int y, uint z)
{
    lg_words list = lg_words(uvec2(lg.extra[6], lg.extra[7]));
    int entries = int(lg.extra[4]), i = KIND == 0 ? x : y;
    int first = int(list.at[i]), count = int(list.at[entries + i]);
    int at = 2 * entries + i;
    ivec4 sum = ivec4(1 << (SHIFT - 1));
    for (int k = 0; k < count; k++)
        sum += (KIND == 0 ? pixel_at(first + k, y, z) : pixel_at(x, first + k, z)) *
               int(list.at[at + k * entries]);
    return sum >> SHIFT;
}
#endif

void put(inout uvec4 v[LG_VECTORS_OUT], int j, ivec4 s)
{
#if LAST
    uvec4 b = uvec4(clamp(s, 0, 255));
    lg_put(v, j, (CH == 4   ? b.x | b.y << 8 | b.z << 16 | b.w << 24
                  : CH == 2 ? b.x | b.y << 8
                            : b.x) | SET);
#else
    uint low = uint(s.x) & 65535u | uint(s.y) << 16;
#if CH == 4
    v[j >> 1][2 * (j & 1)] = low;
    v[j >> 1][2 * (j & 1) + 1] = uint(s.z) & 65535u | uint(s.w) << 16;
#else
    lg_put(v, j, CH == 2 ? low : low & 65535u);
#endif
#endif
}

#if TILE
#define SUM                       ivec4
#define WEIGHT                    int
#define WEIGHT_AT(list, i)        int((list).at[i])
#define WITH(sum, product, there) ((sum) + (product)) // behind the last weight stand zeros
#if CH == 4
#define KEPT uvec2
#else
#define KEPT uint
#endif

// 16 bits each.
KEPT keep(ivec4 sum)
{
    sum = (sum + (1 << (FIRST_SHIFT - 1))) >> FIRST_SHIFT;
    uint low = uint(sum.x) & 65535u | uint(sum.y) << 16;
#if CH == 4
    return uvec2(low, uint(sum.z) & 65535u | uint(sum.w) << 16);
#else
    return low;
#endif
}

#if CH == 4
ivec4 kept(uvec2 w)
{
    int a = int(w.x), b = int(w.y);
    return ivec4(a << 16 >> 16, a >> 16, b << 16 >> 16, b >> 16);
}
#else
ivec4 kept(uint w)
{
    int a = int(w);
    return ivec4(a << 16 >> 16, a >> 16, 0, 0);
}
#endif

void put_result(inout uvec4 v[LG_VECTORS_OUT], int j, ivec4 sum)
{
    put(v, j, (sum + (1 << (SHIFT - 1))) >> SHIFT);
}
#else
void main()
{
    int x0 = LG_SPAN * int(gl_GlobalInvocationID.x), width = int(lg.extra[3]);
    if (x0 >= width)
        return;
    LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0]) {
        LG_WORDS_OUT(v);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            put(v, j, mixed_at(min(x0 + j, width - 1), y, z));
        lg_flush(v, x0, y, z);
    }
}
#endif
