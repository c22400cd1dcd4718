// Walking a dense region in vectors of 16 bytes. A kernel defines
//   LG_PASSES             vectors that a lane loads before it uses them
//   void lg_vector(uvec4) a vector that lies inside the region
//   void lg_edge(uvec4, uint first, uint end)  one of which the bytes first .. end-1 do
// and includes this text after them.

struct lg_rows {
    uvec2 data;         // first sample of the region, aligned down to 16 bytes
    uvec2 layer_stride; // bytes
    uint row_stride;    // in vectors
    uint rows;
    uint vectors;       // of a row
    uint first_skip;    // bytes of a row's first vector that lie before the region
    uint last_keep;     // bytes of a row's last vector that lie inside, 1 .. 16
    uint unused;
};

void lg_walk_rows(lg_rows r, uint layer)
{
    lg_vectors image = lg_vectors(lg_add64(r.data, lg_mul64(layer, r.layer_stride)));
    const uint span = gl_WorkGroupSize.x * LG_PASSES;
    const uint pieces = (r.vectors + span - 1u) / span;
    const uint all = pieces * r.rows;
    // Pieces first_whole .. end_whole-1 of a row have neither edges nor gaps.
    const uint first_whole = r.first_skip != 0u ? 1u : 0u;
    const uint end_whole = (r.vectors - (r.last_keep != 16u ? 1u : 0u)) / span;
    for (uint piece = gl_WorkGroupID.x; piece < all; piece += gl_NumWorkGroups.x) {
        const uint row = r.rows == 1u ? 0u : piece / pieces;
        const uint place = piece - row * pieces;
        const uint start = place * span + gl_LocalInvocationIndex;
        const uint offset = row * r.row_stride;
        if (place >= first_whole && place < end_whole) {
            uvec4 v[LG_PASSES];
            for (uint k = 0u; k < LG_PASSES; k++)
                v[k] = image.at[offset + start + k * gl_WorkGroupSize.x];
            for (uint k = 0u; k < LG_PASSES; k++)
                lg_vector(v[k]);
            continue;
        }
        for (uint i = start; i < min(r.vectors, (place + 1u) * span); i += gl_WorkGroupSize.x) {
            const uvec4 v = image.at[offset + i];
            const bool first = i == 0u && r.first_skip != 0u;
            const bool last = i == r.vectors - 1u && r.last_keep != 16u;
            if (first || last)
                lg_edge(v, first ? r.first_skip : 0u, last ? r.last_keep : 16u);
            else
                lg_vector(v);
        }
    }
}
