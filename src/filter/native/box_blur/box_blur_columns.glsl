// Column sums of integer samples. A thread goes down four samples of a row; the image of sums has
// one word per sample. Defined before: BYTES, or 16-bit samples. Words: layers, height, rows
// of a window before its pixel, border, rows of a band; word 7: rows of a window after its pixel.
uvec4 samples_at(int x, int y, uint z)
{
    int line = lg_border_index(y, int(lg.extra[1]), int(lg.extra[3]));
    if (line < 0)
        return uvec4(0u);
    lg_words row = lg_words(lg_row(lg.views[0], uint(line), z));
#if BYTES
    return uvec4(row.at[x >> 2]) >> uvec4(0u, 8u, 16u, 24u) & 255u;
#else
    uint a = row.at[x >> 1], b = row.at[(x >> 1) + 1];
    return uvec4(a & 65535u, a >> 16, b & 65535u, b >> 16);
#endif
}

void main()
{
    int x = 4 * int(gl_GlobalInvocationID.x), height = int(lg.extra[1]), before = int(lg.extra[2]);
    int band = int(lg.extra[4]), after = int(lg.extra[7]);
    if (16u * gl_GlobalInvocationID.x >= lg.views[1].row_stride)
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int first = int(gl_WorkGroupID.y) * band; first < height;
             first += int(gl_NumWorkGroups.y) * band) {
            uvec4 sum = uvec4(0u);
            for (int y = first - before - 1; y < first + after; y++)
                sum += samples_at(x, y, z);
            for (int y = first; y < min(first + band, height); y++) {
                sum += samples_at(x, y + after, z) - samples_at(x, y - before - 1, z);
                lg_vectors(lg_row(lg.views[1], uint(y), z)).at[x >> 2] = sum;
            }
        }
}
