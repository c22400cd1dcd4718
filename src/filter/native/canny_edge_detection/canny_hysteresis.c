// Hysteresis on bit maps with a work list of words. A word is queued when it gains edges; taken from
// the list, it hands them on to the weak pixels around it. Whatever the order, the same pixels are
// reached.
#include "filter/native/canny_edge_detection/canny.h"

typedef struct work {
    const lg_hysteresis *h;
    uint32_t first, end; // rows
    lg_canny_word *stack;
    size_t count;
} work;

// Weak pixels of a word that are in `reached`, and those side by side with them, become strong.
static void gain(work *w, uint32_t y, uint32_t k, uint64_t reached)
{
    const lg_hysteresis *h = w->h;
    const size_t at = y * h->words + k;
    const uint64_t weak = h->weak[at], strong = h->strong[at];
    uint64_t gained = reached & weak & ~strong;
    if (!gained)
        return;
    // A carry runs through a run of ones: towards higher bits by addition, towards lower ones by
    // shifts that double their reach.
    gained |= weak & (weak ^ (weak + gained));
    uint64_t open = weak;
    for (int step = 1; step < 64; step *= 2) {
        gained |= open & (gained >> step);
        open &= open >> step;
    }
    h->strong[at] = strong | gained;
    if (h->queued[at])
        return;
    h->queued[at] = 1;
    w->stack[w->count++] = (lg_canny_word){y, k};
}

// A word reaches itself, the words above and below, and their neighbours.
static void visit(work *w, uint32_t y, uint32_t k)
{
    const lg_hysteresis *h = w->h;
    const uint64_t s = h->strong[y * h->words + k];
    const uint64_t around = s | s << 1 | s >> 1;
    const uint32_t top = y > w->first ? y - 1 : y, bottom = y + 1 < w->end ? y + 1 : y;
    for (uint32_t row = top; row <= bottom; row++) {
        gain(w, row, k, around);
        if (s & 1 && k > 0)
            gain(w, row, k - 1, (uint64_t)1 << 63);
        if (s >> 63 && k + 1 < h->words)
            gain(w, row, k + 1, 1);
    }
}

static void drain(work *w)
{
    const lg_hysteresis *h = w->h;
    while (w->count) {
        const lg_canny_word next = w->stack[--w->count];
        h->queued[next.y * h->words + next.k] = 0;
        visit(w, next.y, next.k);
    }
}

#define GROUP 32 // words that are looked at together, in vectors

// Which pixels of words k .. k+GROUP-1 of a row any of the three rows around it reaches.
static uint64_t look(const lg_hysteresis *h, const uint64_t *const *rows, size_t at, size_t k,
                     size_t count, uint64_t *restrict reached)
{
    const uint64_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];
    uint64_t all[GROUP + 2], any = 0;
    all[0] = k > 0 ? a[k - 1] | b[k - 1] | c[k - 1] : 0;
    all[count + 1] = k + count < h->words ? a[k + count] | b[k + count] | c[k + count] : 0;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = a[k + i] | b[k + i] | c[k + i];
    const uint64_t *restrict weak = h->weak + at, *restrict strong = h->strong + at;
    for (size_t i = 0; i < count; i++) {
        const uint64_t v = all[i + 1];
        const uint64_t around = v | v << 1 | v >> 1 | all[i] >> 63 | all[i + 2] << 63;
        reached[i] = around & weak[i] & ~strong[i];
        any |= reached[i];
    }
    return any;
}

// Everything that is reached from what stands around row y, and from there.
static void flood_row(work *w, uint32_t y)
{
    const lg_hysteresis *h = w->h;
    const uint64_t *here = h->strong + y * h->words;
    const uint64_t *rows[3] = {y > w->first ? here - h->words : here, here,
                               y + 1 < w->end ? here + h->words : here};
    uint64_t reached[GROUP];
    for (size_t k = 0; k < h->words; k += GROUP) {
        const size_t count = LG_MIN(GROUP, h->words - k);
        if (!look(h, rows, y * h->words + k, k, count, reached))
            continue;
        for (size_t i = 0; i < count; i++)
            if (reached[i])
                gain(w, y, (uint32_t)(k + i), reached[i]);
        drain(w);
    }
}

void lg_hysteresis_band(const lg_hysteresis *h, int32_t first, int32_t end)
{
    work w = {h, (uint32_t)first, (uint32_t)end, h->stack + (size_t)first * h->words, 0};
    for (uint32_t y = w.first; y < w.end; y++)
        flood_row(&w, y);
}

void lg_hysteresis_join(const lg_hysteresis *h, int32_t height, const int32_t *starts, int count)
{
    work w = {h, 0, (uint32_t)height, h->stack, 0};
    for (int i = 1; i < count; i++) {
        flood_row(&w, (uint32_t)starts[i] - 1);
        flood_row(&w, (uint32_t)starts[i]);
    }
}
