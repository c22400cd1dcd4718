// The application's first shader: a picture of bytes, four of them in a word.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) writeonly buffer Words
{
    uint at[];
};
layout(push_constant) uniform Push
{
    Words picture;
    uint words_per_row, rows;
};

void main()
{
    uint i = gl_GlobalInvocationID.x, word = 0u;
    if (i >= words_per_row * rows)
        return;
    for (uint k = 0u; k < 4u; k++)
        word |= (((4u * (i % words_per_row) + k) * 3u + (i / words_per_row) * 5u) & 255u) << (8u * k);
    picture.at[i] = word;
}
