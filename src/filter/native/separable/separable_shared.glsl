// Passes along one axis over planes of floats or integers, CH of them interleaved.
//
// Defined before: CH 1, 2 or 4; WHOLE; AXIS 0 along rows, 1 down columns; FIRST: view 0 has the
// size of the image, and the border defines `radius` pixels beyond its ends; else view 0 has these
// pixels already; PLANES and ALPHA of the filter's input. Words: layers, rows begin .. end - 1 of
// the result, its width, the image's size along the axis, radius, border; then the kernel's own,
// from lg.extra[OWN] on.
#define OWN 7

#if WHOLE
#define COMPONENT uint
#define VEC2      uvec2
#define VEC4      uvec4
#else
#define COMPONENT float
#define VEC2      vec2
#define VEC4      vec4
#endif

#if CH == 1
#define VEC         COMPONENT
#define NARROW(v)   (v).x
#define PLANES_SIZE 4
#elif CH == 2
#define VEC         VEC2
#define NARROW(v)   (v).xy
#define PLANES_SIZE 8
#else
#define VEC         VEC4
#define NARROW(v)   (v)
#define PLANES_SIZE 16
#endif

layout(buffer_reference, scalar, buffer_reference_align = PLANES_SIZE) buffer lg_planes {
    VEC at[];
};

VEC plane_at(lg_view view, int x, int y, uint z)
{
    return lg_planes(lg_row(view, uint(y), z)).at[x];
}

// Position `i` along the axis of view 0, counted from `radius` before the image.
VEC along(int i, int x, int y, uint z)
{
#if FIRST
    i = lg_border_index(i - int(lg.extra[5]), int(lg.extra[4]), int(lg.extra[6]));
    if (i < 0)
        return VEC(COMPONENT(0));
#endif
    return AXIS == 1 ? plane_at(lg.views[0], x, i, z) : plane_at(lg.views[0], i, y, z);
}

// The colour of averaged planes.
color color_of(vec4 v)
{
#if ALPHA
    return lg_straight(PLANES == 2 ? rgba(v.x, v.x, v.x, v.y) : rgba(v.x, v.y, v.z, v.w));
#else
    return PLANES == 1   ? rgba(v.x, v.x, v.x, 1.0)
           : PLANES == 2 ? rgba(v.x, v.y, 0.0, 1.0)
           : PLANES == 3 ? rgba(v.x, v.y, v.z, 1.0)
                         : rgba(v.x, v.y, v.z, v.w);
#endif
}

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

uvec4 wide(uint v)
{
    return uvec4(v, 0u, 0u, 0u);
}

uvec4 wide(uvec2 v)
{
    return uvec4(v, 0u, 0u);
}

uvec4 wide(uvec4 v)
{
    return v;
}

#define EACH_ROW(y, z)                                                                             \
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)                      \
        for (int y = int(lg.extra[1]) + int(gl_GlobalInvocationID.y); y < int(lg.extra[2]);        \
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y)

#if LAST
// A pixel of the result; the kernel defines it.
color result_at(int x, int y, uint z);

// Four pixels of a row at once, which make whole words.
void write_results()
{
    int x0 = 4 * int(gl_GlobalInvocationID.x), width = int(lg.extra[3]);
    if (x0 >= width)
        return;
    EACH_ROW(y, z)
    {
        uvec4 w[LG_VECTORS_OUT];
        [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
            w[k] = uvec4(0u);
        [[unroll]] for (int j = 0; j < 4; j++)
            lg_pack(w, j, result_at(min(x0 + j, width - 1), y, z));
        lg_flush(w, x0, y, z);
    }
}
#endif
