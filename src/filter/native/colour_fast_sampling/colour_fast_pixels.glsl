// Behind colour_fast_sampling.glsl: descriptors of LG_CHUNK pixels of a thread.
// Defined before: BORDER. Words: height, layers.
color sample_at(int x, int y, uint z, bool inside)
{
    if (inside)
        return lg_load_0(x, y, z);
    return lg_get_0(x, y, z, BORDER);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = int(lg.width);
    int x0 = int(gl_GlobalInvocationID.x) * LG_CHUNK;
    if (x0 >= width)
        return;
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y = int(gl_GlobalInvocationID.y); y < height; y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            bool inside = x0 >= 3 && x0 + LG_CHUNK + 3 <= width && y >= 3 && y + 3 < height;
            uvec4 result[LG_VECTORS_OUT];
            [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)
                result[i] = uvec4(0u);
            for (int j = 0; j < LG_CHUNK; j++) {
                int x = min(x0 + j, width - 1);
                colour_fast_ring s;
                s.a = sample_at(x + 3, y + 1, z, inside);
                s.b = sample_at(x + 1, y + 3, z, inside);
                s.c = sample_at(x - 1, y + 3, z, inside);
                s.d = sample_at(x - 3, y + 1, z, inside);
                s.e = sample_at(x - 3, y - 1, z, inside);
                s.f = sample_at(x - 1, y - 3, z, inside);
                s.g = sample_at(x + 1, y - 3, z, inside);
                s.h = sample_at(x + 3, y - 1, z, inside);
                lg_pack(result, j, lg_colour_fast(s, lg_load_0(x, y, z)));
            }
            lg_flush(result, x0, y, z);
        }
}
