// The samples that the windows of local figures sum, CH adjacent ones per pixel.
//
// Defined before: CH; PLANES of them in use; KIND 0 components, 1 colour times alpha and alpha, 2
// luma; AS 0 floats, 1 integers of a unit, 2 bytes of integer luma; MEASURED: the unit depends on
// the largest magnitude; BITS of integers; STORED: samples of the input's pixels, 3 for red and
// green alone. Words: layers, height, address of the bits of the largest magnitude.
#include "filter/native/local/local_rule.h"

#if AS == 2
// Integer luma of the pixel that begins with these bytes.
uint luma_of(uint v)
{
#if STORED == 2
    return v & 255u;
#else
    return lg_luma_integer(v & 255u, v >> 8 & 255u, STORED == 3 ? 0u : v >> 16 & 255u, 13926u, 46885u,
                           4725u);
#endif
}

void write(uint x0, uint y, uint z)
{
    lg_words row = lg_words(lg_row(lg.views[0], y, z));
    uint w = 0u;
    [[unroll]] for (uint j = 0u; j < 4u; j++) {
        uint x = min(x0 + j, lg.width - 1u);
#if STORED == 4
        uint v = row.at[x];
#else
        uint v = row.at[x >> 1] >> (16u * (x & 1u)) & 0xffffu;
#endif
        w |= luma_of(v) << (8u * j);
    }
    lg_words(lg_row(lg.views[1], y, z)).at[x0 >> 2] = w;
}
#else
vec4 planes_of(color c)
{
#if KIND == 2
    return vec4(lg_luminance(c), 0.0, 0.0, 0.0);
#elif KIND == 1
    LG_COLOR p = rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
    return CH == 2 ? vec4(p.r, p.a, 0.0, 0.0) : vec4(p.r, p.g, p.b, p.a);
#else
    return vec4(c.r, c.g, c.b, PLANES == 3 ? 0.0 : c.a);
#endif
}

void write(uint x, uint y, uint z)
{
    vec4 v = planes_of(lg_load_0(int(x), int(y), z));
#if AS == 1
    lg_int exponent = 1;
#if MEASURED
    exponent = local_exponent(lg_words(uvec2(lg.extra[2], lg.extra[3])).at[0]);
#endif
    float scale = local_power(BITS - exponent);
#endif
    lg_words row = lg_words(lg_row(lg.views[1], y, z));
    [[unroll]] for (uint k = 0u; k < CH; k++)
#if AS == 1
        row.at[x * CH + k] = uint(local_units(v[k], scale));
#else
        row.at[x * CH + k] = floatBitsToUint(v[k]);
#endif
}
#endif

void main()
{
    uint x = gl_GlobalInvocationID.x * (AS == 2 ? 4u : 1u);
    if (x >= lg.width)
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (uint y = gl_GlobalInvocationID.y; y < lg.extra[1]; y += gl_NumWorkGroups.y * LG_GROUP_Y)
            write(x, y, z);
}
