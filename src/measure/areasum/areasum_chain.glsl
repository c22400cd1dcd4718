// What is before a tile, in one pass over all of them.
//
// A tile says first what it adds itself, and later what is up to and with it; who looks back adds the former
// to the nearest of the latter. Tiles are numbered by a counter, so that those before one were begun before
// it. Every word of a carry has 16 bits, the number of the run and its state, hence nothing depends on the
// order in which words become visible, and nothing has to be cleared.

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
const uint OWN = 1u, WHOLE = 2u; // states: what a tile adds, what is up to and with it
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

// What is before a tile: `step` tiles back is the nearest of the `count` before it.
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

// Says what a tile adds to a line of `count` tiles before it and, if `more`, others behind; returns what is
// before.
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

// The last one to finish begins the next run; the numbers of runs come again only after all words are gone.
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
