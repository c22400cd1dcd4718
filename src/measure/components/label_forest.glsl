// Components across tiles: a forest over the pixels that the components of tiles begin with. Parents are
// smaller, roots are their own.
uint parent_of(uint pixel)
{
    return lg_words_shared(element(p.labels, pixel, 4u)).at[0];
}

// Shortens the way by half.
uint find_root(uint pixel)
{
    for (;;) {
        const uint parent = parent_of(pixel);
        if (parent >= pixel)
            return pixel;
        const uint next = parent_of(parent);
        if (next >= parent)
            return parent;
        // Only ever to a smaller ancestor: a plain store could take back what another thread has found out
        // meanwhile, and in the ranking that is the root itself.
        atomicMin(lg_words_shared(element(p.labels, pixel, 4u)).at[0], next);
        pixel = next;
    }
}

// The larger root gets the smaller one as its parent. If it was no root any more, what it was joined to
// before is joined instead; numbers only fall, so that this ends.
void join(uint a, uint b)
{
    while (a != b) {
        a = find_root(a);
        b = find_root(b);
        if (a == b)
            return;
        const uint larger = max(a, b);
        b = min(a, b);
        a = atomicMin(lg_words_shared(element(p.labels, larger, 4u)).at[0], b);
        if (a >= larger)
            return;
    }
}
