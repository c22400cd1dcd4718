// Folding the rows of a leaf without gaps. A lane holds 16 bytes of a row (8 for halves): four columns
// of one channel, two of two, or one of four.
#include "measure/moments/moments_sums.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer lg_half_aligned {
    uvec2 at[];
};
const uint COLUMNS = 4u / CHANNELS;       // pixels of a lane
const uint STRIP = 32u * COLUMNS;         // columns of a strip; a leaf has CHANNELS strips
const uint BYTES = HALF != 0u ? 2u : 4u;  // of a sample

// Extremes of the bits of this lane's four samples over the rows, from which those of the values follow.
// Integers keep subnormal samples, which a device may take for zero, and NaN.
ivec4 most_signed;
uvec4 most, least;

// Four samples of row `row` below `base`.
vec4 load_row(uvec2 base, uint row)
{
    if (HALF != 0u) {
        if (ALIGNED != 0u) {
            const uvec2 v = lg_half_aligned(base).at[row * (p.walk.row_stride >> 3)];
            return vec4(unpackHalf2x16(v.x), unpackHalf2x16(v.y));
        }
        const uint i = row * (p.walk.row_stride >> 1);
        lg_samples_u16 h = lg_samples_u16(base);
        return vec4(unpackHalf2x16(uint(h.at[i]) | (uint(h.at[i + 1u]) << 16)),
                    unpackHalf2x16(uint(h.at[i + 2u]) | (uint(h.at[i + 3u]) << 16)));
    }
    if (ALIGNED != 0u)
        return uintBitsToFloat(lg_vectors(base).at[row * (p.walk.row_stride >> 4)]);
    const uint i = row * (p.walk.row_stride >> 2);
    lg_floats f = lg_floats(base);
    return vec4(f.at[i], f.at[i + 1u], f.at[i + 2u], f.at[i + 3u]);
}

void extremes_clear()
{
    most_signed = ivec4(-0x7fffffff - 1);
    most = uvec4(0u);
    least = uvec4(~0u);
}

void extremes_add(vec4 v)
{
    const uvec4 bits = floatBitsToUint(v);
    most_signed = max(most_signed, ivec4(bits));
    most = max(most, bits);
    least = min(least, bits);
}

// Negative floats have the sign bit, and their bits grow with the magnitude.
float smallest_sample(uint i)
{
    return uintBitsToFloat(most[i] >= 0x80000000u ? most[i] : least[i]);
}

float largest_sample(uint i)
{
    return uintBitsToFloat(most_signed[i] >= 0 ? uint(most_signed[i]) : least[i]);
}

// The smaller and the larger of two samples.
float lower(float a, float b)
{
    return lg_float_key(b) < lg_float_key(a) ? b : a;
}

float higher(float a, float b)
{
    return lg_float_key(b) > lg_float_key(a) ? b : a;
}

// Rows row .. row+7 of the lane's four samples.
lg_leaf_node[4] fold8(uvec2 base, uint row)
{
    vec4 v[8];
    for (uint i = 0u; i < 8u; i++)
        v[i] = load_row(base, row + i);
    for (uint i = 0u; i < 8u; i++)
        extremes_add(v[i]);
    lg_leaf_node n[4];
    for (uint j = 0u; j < 4u; j++)
        n[j] = lg_leaf_merge_power(lg_leaf_four(v[0][j], v[1][j], v[2][j], v[3][j]),
                                   lg_leaf_four(v[4][j], v[5][j], v[6][j], v[7][j]), 0.125f);
    return n;
}

uvec2 leaf_corner(uint layer, uint leaf_x, uint leaf_y)
{
    return lg_add64(lg_add64(p.walk.data, lg_mul64(layer, p.walk.layer_stride)),
                    lg_add64(lg_mul64(leaf_y * LG_LEAF_HEIGHT, uvec2(p.walk.row_stride, 0u)),
                             uvec2(leaf_x * LG_LEAF_WIDTH * CHANNELS * BYTES, 0u)));
}
