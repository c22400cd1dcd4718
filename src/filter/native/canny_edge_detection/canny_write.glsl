// Writes edges as pixels: those already known, and open ones whose component was joined to an edge.
// A workgroup has 128 columns of 32 rows; a thread finds the edges of one column, then writes eight
// rows of four.
//
// Defined before: OUT_BYTES of a pixel. Word 6: height.

uint resolve(uvec2 parents, uint x, uint row, uint open)
{
    uint edges = 0u;
    while (open != 0u) {
        uint run = first_run(open);
        open ^= run;
        if (find_root(parents, number_of(x, row, findLSB(run))) == 0u)
            edges |= run;
    }
    return edges;
}

shared uint columns[128];

void main()
{
    uint thread = gl_LocalInvocationIndex, row = gl_WorkGroupID.y, z = gl_WorkGroupID.z;
    uint x0 = 128u * gl_WorkGroupID.x, x = x0 + thread, edges_here = 0u;
    if (x < lg.width) {
        uint open = lg_words(map_row(0u, row, z)).at[x];
        edges_here = lg_words(map_row(1u, row, z)).at[x];
        if (open != 0u)
            edges_here |= resolve(parents_of(z), x, row, open);
    }
    columns[thread] = edges_here;
    barrier();
    uint column = 4u * (thread & 31u);
    x = x0 + column;
    if (x >= lg.width)
        return;
    uvec4 edges = uvec4(columns[column], columns[column + 1u], columns[column + 2u],
                        columns[column + 3u]);
    uvec4 one[LG_VECTORS_OUT], none[LG_VECTORS_OUT];
    [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
        one[k] = none[k] = uvec4(0u);
    [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
        lg_pack(one, j, rgba(1.0, 1.0, 1.0, 1.0));
        lg_pack(none, j, rgba(0.0, 0.0, 0.0, 1.0));
    }
    uint y0 = 32u * row, first = 8u * (thread >> 5), end = min(first + 8u, lg.extra[6] - y0);
    for (uint i = first; i < end; i++) {
        uvec4 bits = edges >> i & 1u;
        uvec4 v[LG_VECTORS_OUT];
#if OUT_BYTES == 1
        uint mask = (bits.x | bits.y << 8 | bits.z << 16 | bits.w << 24) * 255u;
        v[0] = none[0];
        v[0].x = (one[0].x & mask) | (none[0].x & ~mask);
#elif OUT_BYTES == 2
        uvec2 mask = (bits.xz | bits.yw << 16) * 65535u;
        v[0] = none[0];
        v[0].xy = (one[0].xy & mask) | (none[0].xy & ~mask);
#else
        [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++) {
            uvec4 mask = 0u - (OUT_BYTES == 4   ? bits
                               : OUT_BYTES == 8 ? (k == 0 ? bits.xxyy : bits.zzww)
                                                : uvec4(bits[k & 3]));
            v[k] = (one[k] & mask) | (none[k] & ~mask);
        }
#endif
        lg_flush(v, int(x), int(y0 + i), z);
    }
}
