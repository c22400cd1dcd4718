// Appends row << 16 | column of the edges of view 0 to the list of a layer, in any order.
// Words: height, layers, address of the lists, address of their lengths.
void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = lg_param_int(5);
    lg_words lists = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    lg_words lengths = lg_words(uvec2(lg.extra[4], lg.extra[5]));
    int x = int(gl_GlobalInvocationID.x);
    if (x >= width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers)
            if (lg_load_0(x, y, z).r > 0.0) {
                uint at = atomicAdd(lengths.at[z], 1u);
                lists.at[z * uint(width * height) + at] = uint(y) << 16 | uint(x);
            }
}
