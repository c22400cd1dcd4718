// The median of boxes: a thread counts what it needs to know of a bit in all pixels of a box. Defined before:
// RADIUS, RADIUS_Z, BORDER. Words: height, layers.
#include "filter/native/median_3d/median_3d_rule.h"

color in_box(int x, int y, int z, int layers)
{
    int layer = lg_border_index(z, layers, BORDER);
    color c = lg_get_0(x, y, uint(max(layer, 0)), BORDER);
    if (layer < 0)
        return rgba(0.0, 0.0, 0.0, 0.0);
    return c;
}

color median_of(int x, int y, int z, int layers)
{
    const uint size = (2u * RADIUS + 1u) * (2u * RADIUS + 1u) * (2u * RADIUS_Z + 1u);
    uvec3 known = uvec3(0u), rank = uvec3(size / 2u);
    for (uint bit = 0x80000000u; bit != 0u; bit >>= 1) {
        uvec3 count = uvec3(0u);
        for (int dz = -RADIUS_Z; dz <= RADIUS_Z; dz++)
            for (int dy = -RADIUS; dy <= RADIUS; dy++)
                for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                    color c = in_box(x + dx, y + dy, z + dz, layers);
                    count += uvec3(median_3d_counts(median_3d_key(c.r), known.x, bit),
                                   median_3d_counts(median_3d_key(c.g), known.y, bit),
                                   median_3d_counts(median_3d_key(c.b), known.z, bit));
                }
        bvec3 one = greaterThanEqual(rank, count);
        rank -= count * uvec3(one);
        known |= bit * uvec3(one);
    }
    return rgba(lg_key_float(known.x), lg_key_float(known.y), lg_key_float(known.z),
                lg_load_0(x, y, uint(z)).a);
}

void main()
{
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, median_of(min(x0 + j, width - 1), y, int(z), layers));
        lg_flush(result, x0, y, z);
    }
}
