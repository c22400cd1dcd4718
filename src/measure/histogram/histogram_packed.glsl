// Packed counters: three of 10 bits in a word of shared memory, for tables that do not fit
// otherwise. A workgroup has SLICE of them, other workgroups the rest.
//
// Counter `own` of a slice is in field 3 * own / SLICE of its word, so that neighbouring values are
// in different words and banks. A field that is full wraps and carries one into the next field. The
// lane that sees this adds 1024 to the total and takes the carry away again. Every addition to a
// word returns what was there, so each wrap of a field is seen by exactly one lane, and totals and
// fields together are exact however lanes interleave. The bits above the last field take its
// carries, which nobody reads.
const uint FIELD_BITS = 10u, FULL = 1023u, FIELDS = 3u;
const uint APART = SLICE / 3u; // counters between the fields of a word

uint packed_field_of(uint own)
{
    return own * (0x30000u / SLICE) >> 16;
}

uint packed_field(uint word, uint field)
{
    return word >> (field * FIELD_BITS) & FULL;
}

// Counts, if the counter is in the slice; the word before, else 0.
uint packed_add(uint own)
{
    uint before = 0u;
    const uint field = packed_field_of(own);
    if (own < SLICE)
        before = atomicAdd(counters[own - field * APART], 1u << (field * FIELD_BITS));
    return before;
}

// After packed_add of a field that was full. Follows what an addition did to the fields: a carry out
// of one is 1024 for its total, and is undone in the next. What is undone may carry or borrow too.
void packed_carry(uint own, uint before)
{
    const uint field = packed_field_of(own), word = own - field * APART;
    ivec3 added = ivec3(equal(uvec3(field), uvec3(0u, 1u, 2u)));
    for (bool again = true; again;) {
        ivec3 undo;
        int carry = 0;
        for (uint j = 0u; j < FIELDS; j++) {
            undo[j] = -carry;
            carry = int(packed_field(before, j)) + added[j] + carry >> FIELD_BITS;
            const uint at = slice_base + word + j * APART;
            if (carry != 0 && at < WORDS)
                atomicAdd(totals_at.at[totals_base + at], uint(carry << FIELD_BITS));
        }
        again = undo != ivec3(0);
        if (again)
            before = atomicAdd(counters[word], uint((undo.z << 2 * FIELD_BITS) + (undo.y << FIELD_BITS)));
        added = undo;
    }
}

void packed_count(uint own)
{
    const uint before = packed_add(own);
    if (packed_field(before, packed_field_of(own)) == FULL && own < SLICE)
        packed_carry(own, before);
}

void packed_publish()
{
    for (uint i = gl_LocalInvocationIndex; i < SHARED_WORDS; i += gl_WorkGroupSize.x) {
        for (uint j = 0u; j < FIELDS; j++) {
            const uint n = packed_field(counters[i], j), at = slice_base + i + j * APART;
            if (n != 0u && at < WORDS)
                atomicAdd(totals_at.at[totals_base + at], n);
        }
    }
}
