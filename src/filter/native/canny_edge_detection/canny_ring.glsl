// GPUImage's hysteresis: values of kept pixels, summed over 3 x 3.
// Words: height, layers.
float value_at(int x, int y, uint z)
{
    int column = lg_border_index(x, lg_param_int(5), int(lg_param_float(LG_STAGE_HEADER + 4)));
    int row = lg_border_index(y, lg_param_int(6), int(lg_param_float(LG_STAGE_HEADER + 4)));
    if (column < 0 || row < 0)
        return 0.0;
    return uintBitsToFloat(lg_words(lg_row(lg.views[0], uint(row), z)).at[column]);
}

void main()
{
    int x = int(gl_GlobalInvocationID.x) * LG_SPAN, height = int(lg.extra[0]);
    if (x >= int(lg.width))
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[1]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_GlobalInvocationID.y); y < height;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            uvec4 w[LG_VECTORS_OUT];
            [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
                w[k] = uvec4(0u);
            [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
                precise float sum = 0.0;
                [[unroll]] for (int v = -1; v <= 1; v++) {
                    precise float row = (value_at(x + j - 1, y + v, z) + value_at(x + j, y + v, z)) +
                                        value_at(x + j + 1, y + v, z);
                    sum = sum + row;
                }
                float edge = sum >= 1.5 && value_at(x + j, y, z) >= 0.01 ? 1.0 : 0.0;
                lg_pack(w, j, rgba(edge, edge, edge, 1.0));
            }
            lg_flush(w, x, y, z);
        }
}
