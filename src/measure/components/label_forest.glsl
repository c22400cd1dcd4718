// Components across tiles: a forest over the first pixels of the components of tiles. A parent is
// never behind its child in raster order; a root is its own parent.
uint parent_of(uint pixel)
{
    return lg_words_shared(element(p.labels, pixel, 4u)).at[0];
}

// Path halving.
uint find_root(uint pixel)
{
    for (;;) {
        const uint parent = parent_of(pixel);
        if (parent >= pixel)
            return pixel;
        const uint next = parent_of(parent);
        if (next >= parent)
            return parent;
        // Only ever to a smaller ancestor: a plain store could undo what another thread has found
        // meanwhile, which in the ranking is the root itself.
        atomicMin(lg_words_shared(element(p.labels, pixel, 4u)).at[0], next);
        pixel = next;
    }
}

// The larger root gets the smaller one as its parent. If it was no root any more, its previous
// parent is joined instead. Numbers only fall, so this ends.
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
