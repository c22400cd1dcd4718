// One pass of a resized image. Defined before: KIND 0 along rows, 1 down columns, 2 an image as planes in
// linear light; FIRST: view 0 is the image, else planes; LAST: the result is an image; CH 1, 2 or 4
// planes; PLANES and ALPHA of the filter's input; LINEAR. Words: layers, rows begin .. end - 1 of the
// result, its width; entries and weights of each in the lists, and their address. With TILE the passes are
// those of resize_tile.glsl.
#include "filter/native/geometry/resize_light.h"

#if CH == 1
#define VEC         float
#define NARROW(v)   (v).x
#define PLANES_SIZE 4
#elif CH == 2
#define VEC         vec2
#define NARROW(v)   (v).xy
#define PLANES_SIZE 8
#else
#define VEC         vec4
#define NARROW(v)   (v)
#define PLANES_SIZE 16
#endif

layout(buffer_reference, scalar, buffer_reference_align = PLANES_SIZE) buffer lg_planes {
    VEC at[];
};

// A pixel of view 0 as planes that may be mixed.
VEC pixel_at(int x, int y, uint z)
{
#if FIRST
    color c = lg_load_0(x, y, z);
#if KIND == 2
    c = rgba(lg_linear(c.r), lg_linear(c.g), lg_linear(c.b), c.a);
#endif
#if ALPHA
    c = rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
#endif
    vec4 v = CH == 2 && ALPHA != 0 ? vec4(c.r, c.a, 0.0, 0.0) : vec4(c.r, c.g, c.b, c.a);
    return NARROW(v);
#else
    return lg_planes(lg_row(lg.views[0], uint(y), z)).at[x];
#endif
}

#if !TILE
// The weighted mean for a pixel of the result.
VEC mixed_at(int x, int y, uint z)
{
#if KIND == 2
    return pixel_at(x, y, z);
#else
    lg_words list = lg_words(uvec2(lg.extra[6], lg.extra[7]));
    lg_floats weights = lg_floats(uvec2(lg.extra[6], lg.extra[7]));
    int entries = int(lg.extra[4]), i = KIND == 0 ? x : y;
    int first = int(list.at[i]), count = int(list.at[entries + i]);
    int at = 2 * entries + i * int(lg.extra[5]);
    precise VEC sum = (KIND == 0 ? pixel_at(first, y, z) : pixel_at(x, first, z)) * weights.at[at];
    for (int k = 1; k < count; k++) {
        VEC v = KIND == 0 ? pixel_at(first + k, y, z) : pixel_at(x, first + k, z);
        sum = sum + v * weights.at[at + k];
    }
    return sum;
#endif
}
#endif

vec4 wide(float v)
{
    return vec4(v, 0.0, 0.0, 0.0);
}

vec4 wide(vec2 v)
{
    return vec4(v, 0.0, 0.0);
}

vec4 wide(vec4 v)
{
    return v;
}

// The colour of mixed planes.
color color_of(vec4 v)
{
#if ALPHA
    color c = lg_straight(PLANES == 2 ? rgba(v.x, v.x, v.x, v.y) : rgba(v.x, v.y, v.z, v.w));
#else
    color c = PLANES == 1   ? rgba(v.x, v.x, v.x, 1.0)
              : PLANES == 2 ? rgba(v.x, v.y, 0.0, 1.0)
              : PLANES == 3 ? rgba(v.x, v.y, v.z, 1.0)
                            : rgba(v.x, v.y, v.z, v.w);
#endif
#if LINEAR
    c = rgba(lg_resize_encoded(c.r), lg_resize_encoded(c.g), lg_resize_encoded(c.b), c.a);
#endif
    return c;
}

#if TILE
#define SUM             VEC
#define KEPT            VEC
#define keep(sum)       (sum)
#define kept(sum)       (sum)
#define WEIGHT(list, i) uintBitsToFloat((list).at[i])

void put_result(inout uvec4 v[LG_VECTORS_OUT], int j, VEC sum)
{
    lg_pack(v, j, color_of(wide(sum)));
}
#else
#define EACH_ROW(y, z)                                                                             \
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)                      \
        for (int y = int(lg.extra[1]) + int(gl_GlobalInvocationID.y); y < int(lg.extra[2]);        \
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y)

void main()
{
    int width = int(lg.extra[3]);
#if LAST
    int x0 = 4 * int(gl_GlobalInvocationID.x);
    if (x0 >= width)
        return;
    EACH_ROW(y, z)
    {
        uvec4 w[LG_VECTORS_OUT];
        [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
            w[k] = uvec4(0u);
        [[unroll]] for (int j = 0; j < 4; j++)
            lg_pack(w, j, color_of(wide(mixed_at(min(x0 + j, width - 1), y, z))));
        lg_flush(w, x0, y, z);
    }
#else
    int x = int(gl_GlobalInvocationID.x);
    if (x >= width)
        return;
    EACH_ROW(y, z)
    lg_planes(lg_row(lg.views[1], uint(y), z)).at[x] = mixed_at(x, y, z);
#endif
}
#endif
