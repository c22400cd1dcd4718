// Reads a dense region in vectors of 16 bytes. A kernel defines
//   LG_PASSES             vectors that a lane loads before it uses them (a constant)
//   void lg_vector(uvec4) processes a vector inside the region
//   void lg_edge(uvec4, uint first, uint end)  one of which only bytes first .. end-1 are inside
// and includes this text after them. It may also define
//   LG_SHARE, LG_SHARES   the workgroup's share of the image, and the number of shares
//   LG_ROOM(vectors)      called by all lanes before the workgroup processes so many vectors
#ifndef LG_SHARE
#define LG_SHARE gl_WorkGroupID.x
#define LG_SHARES gl_NumWorkGroups.x
#endif
#ifndef LG_ROOM
#define LG_ROOM(vectors)
#endif

// The vectors from `first` on: a device may count the bytes of an index in 32 bits.
lg_vectors lg_vectors_from(lg_vectors all, uint first)
{
    return lg_vectors(lg_add64(uvec2(all), lg_mul64(16u, uvec2(first, 0u))));
}

// Vectors begin .. end-1 of `image`, none of them an edge.
void lg_walk_inside(lg_vectors image, uint begin, uint end)
{
    const uint size = gl_WorkGroupSize.x, span = size * LG_PASSES;
    uvec4 v[LG_PASSES];
    for (; begin + span <= end; begin += span) {
        const uint i = begin + gl_LocalInvocationIndex;
        [[unroll]] for (uint k = 0u; k < LG_PASSES; k++)
            v[k] = image.at[i + k * size];
        LG_ROOM(span);
        [[unroll]] for (uint k = 0u; k < LG_PASSES; k++)
            lg_vector(v[k]);
    }
    const uint i = begin + gl_LocalInvocationIndex;
    [[unroll]] for (uint k = 0u; k < LG_PASSES; k++)
        v[k] = image.at[min(i + k * size, end - 1u)];
    LG_ROOM(end - begin);
    [[unroll]] for (uint k = 0u; k < LG_PASSES; k++)
        if (i + k * size < end)
            lg_vector(v[k]);
}

void lg_walk_rows(lg_vector_rows r, uint layer)
{
    lg_vectors image = lg_vectors(lg_add64(r.data, lg_mul64(layer, r.layer_stride)));
    const uint part_size = r.vectors / r.segments, larger = r.vectors - part_size * r.segments;
    for (uint segment = LG_SHARE; segment < r.rows * r.segments; segment += LG_SHARES) {
        const uint row = r.rows == 1u ? 0u : segment / r.segments;
        const uint part = segment - row * r.segments;
        const uint offset = row * r.row_stride;
        uint begin = part * part_size + min(part, larger);
        uint end = begin + part_size + (part < larger ? 1u : 0u);
        const bool only = r.vectors == 1u && r.last_keep != 16u;
        const bool first = begin == 0u && end > 0u && (r.first_skip != 0u || only);
        const bool last = end == r.vectors && r.last_keep != 16u && r.vectors > 1u && end > begin;
        lg_vectors there = lg_vectors_from(image, offset + begin);
        if (first || last)
            LG_ROOM(2u);
        if (first && gl_LocalInvocationIndex == 0u)
            lg_edge(there.at[0], r.first_skip, r.vectors == 1u ? r.last_keep : 16u);
        if (last && gl_LocalInvocationIndex == gl_WorkGroupSize.x - 1u)
            lg_edge(there.at[end - 1u - begin], 0u, r.last_keep);
        end -= begin + (last ? 1u : 0u);
        begin = first ? 1u : 0u;
        if (begin < end)
            lg_walk_inside(there, begin, end);
    }
}
