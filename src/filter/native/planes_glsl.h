// Planes of floats, or of integers with WHOLE, CH of them interleaved; and the colour that planes are.
//
// Defined before: CH 1, 2 or 4; WHOLE; PLANES and ALPHA of the filter's input.
#include "filter/native/planes_color_glsl.h"

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

layout(buffer_reference, scalar, buffer_reference_align = PLANES_SIZE) buffer lg_planes
{
    VEC at[];
};

VEC plane_at(lg_view view, int x, int y, uint z)
{
    return lg_planes(lg_row(view, uint(y), z)).at[x];
}

color color_of(vec4 v)
{
#if ALPHA
    return lg_straight(PLANES == 2 ? rgba(v.x, v.x, v.x, v.y) : rgba(v.x, v.y, v.z, v.w));
#else
    return color_of_components(v);
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
