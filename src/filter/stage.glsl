// The beginning of every kernel that is assembled at run time, behind #version and in front of the
// common texts: memory by address, views of images, decoding and encoding of samples.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#ifdef LG_INTEGER_DOT // the device has products of four bytes with four
#extension GL_EXT_spirv_intrinsics : require
#endif

#define LG_OWN_MINIMUM 1

#ifdef LG_INTEGER_DOT
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4451)
uint lg_dot(uint a, uint b, spirv_literal uint format);
#define LG_DOT(a, b) lg_dot(a, b, 0u)
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4452)
int lg_signed_dot(uint a, uint b, spirv_literal uint format);
#define LG_SIGNED_DOT(a, b) lg_signed_dot(a, b, 0u) // the bytes of a have a sign
#endif

layout(local_size_x = LG_GROUP_X, local_size_y = LG_GROUP_Y) in;

// The rows first .. end - 1 of every layer that an invocation has to do with.
#define LG_EACH_ROW(y, z, first, end, layers)                                                              \
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)                             \
        for (int y = int(first) + int(gl_GlobalInvocationID.y); y < int(end);                              \
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y)

// LG_SPAN pixels from x0 on, in the rows of a result of lg.extra[0] rows and lg.extra[1] layers. Declares
// width, height and layers.
#define LG_EACH_SPAN(x0, y, z)                                                                             \
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.width);                       \
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;                                                       \
    if (x0 >= width)                                                                                       \
        return;                                                                                            \
    LG_EACH_ROW(y, z, 0, height, layers)

// Words for LG_SPAN pixels of the result, into which lg_pack puts samples.
#define LG_WORDS_OUT(w)                                                                                    \
    uvec4 w[LG_VECTORS_OUT];                                                                               \
    [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)                                                    \
        w[i] = uvec4(0u)

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer lg_vectors {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer lg_two_words {
    uvec2 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_words {
    uint at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer lg_floats {
    float at[];
};

#include "filter/stage_push.h"

layout(push_constant, scalar) uniform parameters {
    lg_stage_push lg;
};

struct lg_table {
    uvec2 address;
    int count, width, height, layers, row;
    float low_r, low_g, low_b;
    float scale_r, scale_g, scale_b;
};
#define lg_at(t, index) (lg_floats((t).address).at[index])
#define lg_at_word(t, index) (lg_words((t).address).at[index])
#define lg_at_color(t, index) lg_color_at((t).address, index)

float lg_param_float(int i)
{
    return lg_floats(lg.values).at[i];
}

int lg_param_int(int i)
{
    return int(lg_words(lg.values).at[i]);
}

lg_table lg_table_at(int i)
{
    return lg_table(uvec2(lg_param_int(i), lg_param_int(i + 1)), lg_param_int(i + 2), lg_param_int(i + 3),
                    lg_param_int(i + 4), lg_param_int(i + 5), lg_param_int(i + 6), lg_param_float(i + 7),
                    lg_param_float(i + 8), lg_param_float(i + 9), lg_param_float(i + 10),
                    lg_param_float(i + 11), lg_param_float(i + 12));
}

uvec2 lg_add64(uvec2 a, uvec2 b)
{
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 lg_mul32(uint a, uint b)
{
    uint high, low;
    umulExtended(a, b, high, low);
    return uvec2(low, high);
}

// The address of a row of a layer.
uvec2 lg_row(lg_view v, uint y, uint z)
{
    uvec2 layer = lg_mul32(z, v.layer_stride);
    layer = uvec2(layer.x << 4, layer.y << 4 | layer.x >> 28);
    return lg_add64(lg_add64(v.data, layer), lg_mul32(y, v.row_stride));
}

// The index in 0 .. size - 1 to read in place of i; -1 for the constant. filter/stage.h has the
// same in C.
int lg_border_index(int i, int size, int border)
{
    if (border == 0) // first, and without a branch, as drivers compile it many times
        return clamp(i, 0, size - 1);
    if (i >= 0 && i < size)
        return i;
    // Not the remainder of a negative number, which GLSL leaves undefined and devices compute
    // differently.
    int beyond = i < 0 ? -1 - i : i;
    if (border == 1) {
        int folded = beyond % (2 * size);
        return folded < size ? folded : 2 * size - 1 - folded;
    }
    if (border == 2)
        return i < 0 ? size - 1 - beyond % size : beyond % size;
    return -1;
}
