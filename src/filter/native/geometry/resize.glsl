// One pass of a resized image. Defined before: KIND 0 along rows, 1 down columns, 2 an image as planes in
// linear light; FIRST: view 0 is the image, else planes; LAST: the result is an image; CH 1, 2 or 4
// planes; PLANES and ALPHA of the filter's input; LINEAR. Words: layers, rows begin .. end - 1 of the
// result, its width; entries of the lists, weights of each at most, their address. In the lists stand the
// first inputs of all entries, how many there are, then the first weights, the second ones and so on.
// With TILE the passes are those of resize_tile.glsl.
#include "filter/native/geometry/resize_light.h"

#define WHOLE 0
#include "filter/native/planes_glsl.h"

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
    return plane_at(lg.views[0], x, y, z);
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
    int at = 2 * entries + i;
    precise VEC sum = (KIND == 0 ? pixel_at(first, y, z) : pixel_at(x, first, z)) * weights.at[at];
    for (int k = 1; k < count; k++) {
        VEC v = KIND == 0 ? pixel_at(first + k, y, z) : pixel_at(x, first + k, z);
        sum = sum + v * weights.at[at + k * entries];
    }
    return sum;
#endif
}
#endif

// The colour of mixed planes.
color mixed_color(VEC sum)
{
    color c = color_of(wide(sum));
#if LINEAR
    c = rgba(lg_resize_encoded(c.r), lg_resize_encoded(c.g), lg_resize_encoded(c.b), c.a);
#endif
    return c;
}

#if TILE
#define SUM                VEC
#define KEPT               VEC
#define WEIGHT             float
#define WEIGHT_AT(list, i) uintBitsToFloat((list).at[i])
#define keep(sum)          (sum)
#define kept(sum)          (sum)

// A sum with one more product, where there is one.
VEC with(VEC sum, VEC product, bool there)
{
    precise VEC more = sum + product;
    return there ? more : sum;
}
#define WITH(sum, product, there) with(sum, product, there)

void put_result(inout uvec4 v[LG_VECTORS_OUT], int j, VEC sum)
{
    lg_pack(v, j, mixed_color(sum));
}
#else
#define EACH_ROW(y, z) LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0])

void main()
{
    int width = int(lg.extra[3]);
#if LAST
    int x0 = 4 * int(gl_GlobalInvocationID.x);
    if (x0 >= width)
        return;
    EACH_ROW(y, z)
    {
        LG_WORDS_OUT(w);
        [[unroll]] for (int j = 0; j < 4; j++)
            lg_pack(w, j, mixed_color(mixed_at(min(x0 + j, width - 1), y, z)));
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
