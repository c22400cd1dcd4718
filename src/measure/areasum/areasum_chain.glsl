// The sum before each tile, in one pass by decoupled look-back.
//
// A tile first publishes its own sum (OWN) and later its inclusive prefix (WHOLE). A tile that
// looks back adds the own sums to the nearest inclusive prefix. A counter numbers the tiles, so all
// tiles before one have started. Every word of a carry has 16 bits of data, the number of the run
// and its state. So the order in which words become visible does not matter, and nothing is
// cleared.

shared uint turn, run;

#ifdef SUM_WIDE
#define HALVES uvec4
#define HALVES_ALIGN 16
#else
#define HALVES uvec2
#define HALVES_ALIGN 8
#endif
layout(buffer_reference, scalar, buffer_reference_align = HALVES_ALIGN)
    coherent volatile buffer carry_memory {
    HALVES halves;
};
const uint OWN = 1u, WHOLE = 2u; // states: a tile's own sum, its inclusive prefix
const uint TAKEN = 0u, FINISHED = 1u, RUN = 2u; // words of the header
const uint RUNS = 1u << 14;

carry_memory carry_at(uint tile, uint index)
{
    const uvec2 record = lg_mul64(tile, uvec2(RECORD, 0u));
    const uvec2 number = lg_add64(record, uvec2(index + LG_TABLE_HEADER / (2u * SUM_WORDS), 0u));
    return carry_memory(lg_add64(p.carries, lg_mul64(8u * SUM_WORDS, number)));
}

void publish(uint tile, uint index, SUM s, uint state)
{
    carry_at(tile, index).halves = sum_halves(s) | (run << 2 | state) << 16;
}

bool is_in_state(HALVES h, uint state)
{
    return all(equal(h >> 16, HALVES(run << 2 | state)));
}

// The sum before a tile: the nearest of the `count` tiles before it is `step` tiles back.
SUM look_back(uint tile, uint step, uint count, uint index)
{
    for (uint i = 0u; i < PATIENCE; i++) {
        HALVES h[DEPTH];
        [[unroll]] for (uint k = 0u; k < DEPTH; k++)
            h[k] = k < count ? carry_at(tile - (k + 1u) * step, index).halves : HALVES(0u);
        bool found = false;
        SUM sum = SUM_ZERO;
        [[unroll]] for (int k = int(DEPTH) - 1; k >= 0; k--) {
            const SUM s = sum_of_halves(h[k] & 0xffffu);
            if (is_in_state(h[k], WHOLE)) {
                found = true;
                sum = s;
            } else {
                found = found && is_in_state(h[k], OWN);
                sum = sum_add(sum, s);
            }
        }
        if (found)
            return sum;
    }
    lg_words_shared(p.gave_up).at[0] = 1u;
    return SUM_ZERO;
}

// Publishes the sum of a tile in a line with `count` tiles before it and, if `more`, others behind
// it; returns the sum before it.
SUM chain(uint tile, uint step, uint count, bool more, uint index, SUM own)
{
    SUM before = SUM_ZERO;
    if (count > 0u) {
        if (more)
            publish(tile, index, own, OWN);
        before = look_back(tile, step, count, index);
    }
    if (more)
        publish(tile, index, sum_add(before, own), WHOLE);
    return before;
}

// ---- turns ----

uint take_turn()
{
    lg_words_shared header = lg_words_shared(p.carries);
    if (gl_LocalInvocationIndex == 0u) {
        turn = atomicAdd(header.at[TAKEN], 1u);
        run = header.at[RUN];
    }
    barrier();
    return turn;
}

// The last workgroup to finish begins the next run. Numbers of runs are reused only after all words
// are overwritten.
void finish_turn()
{
    lg_words_shared header = lg_words_shared(p.carries);
    if (gl_LocalInvocationIndex != 0u || atomicAdd(header.at[FINISHED], 1u) != p.tickets - 1u)
        return;
    header.at[TAKEN] = header.at[FINISHED] = 0u;
    header.at[RUN] = (run + 1u) % RUNS;
    if (run + 1u < RUNS)
        return;
    for (uint i = LG_TABLE_HEADER / 4u; i < p.room;)
        for (const uint end = min(i + 32768u, p.room); i < end; i++)
            word_vectors(lg_add64(p.carries, lg_mul64(16u, uvec2(i, 0u)))).at[0] = uvec4(0u);
}
