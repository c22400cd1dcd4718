// Extremes along one axis, any type and window: of pixels i + offset for a few offsets, in an image
// whose pixels already are extremes. Keys have the order of samples. The largest key is found; for
// minima keys are complemented. The key LOSING is that of NaN.
//
// Defined before: AXIS 0 along rows, 1 down columns; MAXIMUM; GREY red alone; LAST the result of
// both axes. Words: outside (0 window ends, 1 wraps, 2 zero), first offset, step, taps, last
// offset, pixels of the window before and after its own (0 while windows grow), height, layers.
#define LOSING (-2147483647 - 1)

#if GREY
#define KEYS int
int keys_of(color c)
{
    int v = floatBitsToInt(c.r), k = v ^ ((v >> 31) & 0x7fffffff);
    return (v & 0x7fffffff) > 0x7f800000 ? LOSING : MAXIMUM != 0 ? k : ~k;
}
color color_of(int k)
{
    k = MAXIMUM != 0 ? k : ~k;
    float v = intBitsToFloat(k ^ ((k >> 31) & 0x7fffffff));
    return rgba(v, v, v, 1.0);
}
#else
#define KEYS ivec4
ivec4 keys_of(color c)
{
    ivec4 v = ivec4(floatBitsToInt(c.r), floatBitsToInt(c.g), floatBitsToInt(c.b), floatBitsToInt(c.a));
    ivec4 k = v ^ ((v >> 31) & ivec4(0x7fffffff));
    k = MAXIMUM != 0 ? k : ~k;
    return mix(k, ivec4(LOSING), greaterThan(v & ivec4(0x7fffffff), ivec4(0x7f800000)));
}
color color_of(ivec4 k)
{
    k = MAXIMUM != 0 ? k : ~k;
    vec4 v = intBitsToFloat(k ^ ((k >> 31) & ivec4(0x7fffffff)));
    return rgba(v.x, v.y, v.z, v.w);
}
#endif

// The pixel to read for position i of n. A window that ends at the edge has its last pixel more
// than once.
int place_of(int i, int n, int outside)
{
    if (outside != 1)
        return clamp(i, 0, n - 1);
    i = i < 0 ? i + n : i;
    return i >= n ? i % n : i;
}

void main()
{
    int outside = int(lg.extra[0]), first = int(lg.extra[1]), step = int(lg.extra[2]);
    int taps = int(lg.extra[3]), last = int(lg.extra[4]), before = int(lg.extra[5]), after = int(lg.extra[6]);
    int height = int(lg.extra[7]), width = int(lg.width), layers = int(lg.extra[8]);
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (x0 >= width)
        return;
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_GlobalInvocationID.y); y < height;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            KEYS best[LG_SPAN];
            [[unroll]] for (int j = 0; j < LG_SPAN; j++)
                best[j] = KEYS(LOSING);
            for (int t = 0; t < taps; t++) {
                int offset = first + (t == taps - 1 ? last : t * step);
#if AXIS == 1
                int row = place_of(y + offset, height, outside);
                uvec4 v[LG_VECTORS_0];
                lg_fetch_0(v, x0, row, z);
                [[unroll]] for (int j = 0; j < LG_SPAN; j++)
                    best[j] = max(best[j], keys_of(lg_unpack_0(v, j)));
#else
                [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
                    int column = place_of(min(x0 + j, width - 1) + offset, width, outside);
                    best[j] = max(best[j], keys_of(lg_load_0(column, y, z)));
                }
#endif
            }
            uvec4 w[LG_VECTORS_OUT];
            [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
                w[k] = uvec4(0u);
            [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
                int i = AXIS == 1 ? y : x0 + j, n = AXIS == 1 ? height : width;
                if (outside == 2 && (i < before || i + after >= n))
                    best[j] = max(best[j], KEYS(MAXIMUM != 0 ? 0 : -1));
                lg_pack(w, j, color_of(best[j]));
            }
            lg_flush(w, x0, y, z);
        }
}
