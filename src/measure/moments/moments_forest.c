#include "measure/moments/moments_forest.h"

#include <stdlib.h>

static uint32_t halvings(uint64_t count)
{
    uint32_t levels = 0;
    while (levels < 63 && (UINT64_C(1) << levels) < count)
        levels++;
    return levels;
}

void lg_forest_init(lg_forest *forest, int channels, uint64_t leaves_x, uint64_t leaves_y,
                    uint64_t layers)
{
    *forest = (lg_forest){.channels = channels, .leaves = {leaves_x, leaves_y, layers}};
    for (int axis = 0; axis < 3; axis++)
        forest->levels[axis] = halvings(forest->leaves[axis]);
}

void lg_forest_free(lg_forest *forest)
{
    lg_free(forest->entries);
    forest->entries = NULL;
    forest->count = forest->capacity = 0;
}

uint32_t lg_forest_top(const lg_forest *forest)
{
    return forest->levels[0] + forest->levels[1] + forest->levels[2];
}

// How often each axis was halved at `level`.
static void halved(const lg_forest *forest, uint32_t level, uint32_t done[3])
{
    for (int axis = 0; axis < 3; axis++) {
        done[axis] = LG_MIN(level, forest->levels[axis]);
        level -= done[axis];
    }
}

// The axis along which the partner of a node of `level` lies.
static int pair_axis(const lg_forest *forest, uint32_t level)
{
    if (level < forest->levels[0])
        return 0;
    return level < forest->levels[0] + forest->levels[1] ? 1 : 2;
}

static uint64_t blocks(uint64_t leaves, uint32_t level)
{
    return ((leaves - 1) >> level) + 1;
}

bool lg_forest_contains(const lg_forest *forest, const lg_forest_key *key)
{
    uint32_t done[3];
    if (key->level > lg_forest_top(forest))
        return false;
    halved(forest, key->level, done);
    for (int axis = 0; axis < 3; axis++) {
        if (key->at[axis] >= blocks(forest->leaves[axis], done[axis]))
            return false;
    }
    return true;
}

uint64_t lg_forest_leaves(const lg_forest *forest, const lg_forest_key *key)
{
    uint32_t done[3];
    uint64_t product = 1;
    halved(forest, key->level, done);
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t first = key->at[axis] << done[axis];
        product *= LG_MIN(forest->leaves[axis] - first, UINT64_C(1) << done[axis]);
    }
    return product;
}

static lg_forest_key parent(const lg_forest *forest, lg_forest_key key)
{
    key.at[pair_axis(forest, key.level)] >>= 1;
    key.level++;
    return key;
}

// ---- hash table ---------------------------------------------------------------------------------

static bool same_key(const lg_forest_key *a, const lg_forest_key *b)
{
    return a->level == b->level && a->at[0] == b->at[0] && a->at[1] == b->at[1] &&
           a->at[2] == b->at[2];
}

static size_t home(const lg_forest *forest, const lg_forest_key *key)
{
    uint64_t h = key->level;
    for (int axis = 0; axis < 3; axis++) {
        h = (h ^ key->at[axis]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h & (forest->capacity - 1);
}

static lg_forest_entry *find(const lg_forest *forest, const lg_forest_key *key)
{
    if (forest->count == 0)
        return NULL;
    size_t i = home(forest, key);
    for (; forest->entries[i].used; i = (i + 1) & (forest->capacity - 1)) {
        if (same_key(&forest->entries[i].key, key))
            return &forest->entries[i];
    }
    return NULL;
}

static void put(lg_forest *forest, const lg_forest_entry *entry)
{
    size_t i = home(forest, &entry->key);
    while (forest->entries[i].used)
        i = (i + 1) & (forest->capacity - 1);
    forest->entries[i] = *entry;
    forest->count++;
}

// Takes an entry out and moves up those behind it that would no longer be found.
static void take_out(lg_forest *forest, lg_forest_entry *entry)
{
    const size_t mask = forest->capacity - 1;
    size_t hole = (size_t)(entry - forest->entries), i = hole;
    for (;;) {
        i = (i + 1) & mask;
        if (!forest->entries[i].used)
            break;
        const size_t wish = home(forest, &forest->entries[i].key);
        if (((i - wish) & mask) >= ((i - hole) & mask)) {
            forest->entries[hole] = forest->entries[i];
            hole = i;
        }
    }
    forest->entries[hole].used = false;
    forest->count--;
}

bool lg_forest_reserve(lg_forest *forest, size_t more)
{
    size_t need, capacity = LG_MAX(forest->capacity, 16);
    if (!lg_size_add(forest->count, more, &need) || !lg_size_mul(need, 2, &need))
        return false;
    while (capacity < need && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    if (capacity == forest->capacity)
        return true;
    lg_forest_entry *entries = lg_alloc_array(capacity, sizeof *entries);
    if (!entries)
        return false;
    lg_forest old = *forest;
    forest->entries = entries;
    forest->capacity = capacity;
    forest->count = 0;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.entries[i].used)
            put(forest, &old.entries[i]);
    }
    lg_forest_free(&old);
    return true;
}

// ---- tree ---------------------------------------------------------------------------------------

void lg_forest_insert(lg_forest *forest, lg_forest_key key, const lg_node *nodes)
{
    lg_forest_entry entry = {.key = key, .used = true};
    memcpy(entry.nodes, nodes, (size_t)forest->channels * sizeof *nodes);
    while (entry.key.level < lg_forest_top(forest)) {
        const int axis = pair_axis(forest, entry.key.level);
        lg_forest_key partner = entry.key;
        partner.at[axis] ^= 1;
        if (lg_forest_contains(forest, &partner)) {
            lg_forest_entry *other = find(forest, &partner);
            if (!other)
                break;
            const bool right = entry.key.at[axis] & 1;
            for (int c = 0; c < forest->channels; c++)
                entry.nodes[c] = right ? lg_node_merge(other->nodes[c], entry.nodes[c])
                                       : lg_node_merge(entry.nodes[c], other->nodes[c]);
            take_out(forest, other);
        }
        entry.key = parent(forest, entry.key);
    }
    put(forest, &entry);
}

static bool covered(const lg_forest *forest, lg_forest_key key)
{
    for (;; key = parent(forest, key)) {
        if (find(forest, &key))
            return true;
        if (key.level >= lg_forest_top(forest))
            return false;
    }
}

bool lg_forest_restore(lg_forest *forest, const lg_forest_entry *entry)
{
    if (find(forest, &entry->key))
        return false;
    put(forest, entry);
    return true;
}

bool lg_forest_disjoint(const lg_forest *forest)
{
    for (size_t i = 0; i < forest->capacity; i++) {
        const lg_forest_key *key = &forest->entries[i].key;
        if (forest->entries[i].used && key->level < lg_forest_top(forest) &&
            covered(forest, parent(forest, *key)))
            return false;
    }
    return true;
}

static bool below(const lg_forest *forest, lg_forest_key key)
{
    if (key.level == 0 || !lg_forest_contains(forest, &key))
        return false;
    key.level--;
    const int axis = pair_axis(forest, key.level);
    for (uint64_t side = 0; side < 2; side++) {
        lg_forest_key child = key;
        child.at[axis] = key.at[axis] * 2 + side;
        if (find(forest, &child) || below(forest, child))
            return true;
    }
    return false;
}

bool lg_forest_taken(const lg_forest *forest, lg_forest_key key)
{
    return covered(forest, key) || below(forest, key);
}

bool lg_forest_overlap(const lg_forest *a, const lg_forest *b)
{
    for (size_t i = 0; i < a->capacity; i++) {
        if (a->entries[i].used && covered(b, a->entries[i].key))
            return true;
    }
    for (size_t i = 0; i < b->capacity; i++) {
        if (b->entries[i].used && covered(a, b->entries[i].key))
            return true;
    }
    return false;
}

static int compare(const void *pa, const void *pb)
{
    const lg_forest_key *a = &((const lg_forest_entry *)pa)->key;
    const lg_forest_key *b = &((const lg_forest_entry *)pb)->key;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    for (int axis = 2; axis >= 0; axis--) {
        if (a->at[axis] != b->at[axis])
            return a->at[axis] < b->at[axis] ? -1 : 1;
    }
    return 0;
}

// Lifts all entries of the lowest level by one and merges those that meet. Entries are sorted; a
// lifted one may meet a partner that waits on the level above, so they are sorted again.
static size_t lift(const lg_forest *forest, lg_forest_entry *entries, size_t count)
{
    const uint32_t level = entries[0].key.level;
    size_t out = 0;
    for (size_t i = 0; i < count; i++) {
        lg_forest_entry entry = entries[i];
        if (entry.key.level == level) {
            const int axis = pair_axis(forest, level);
            const bool pair = i + 1 < count && !(entry.key.at[axis] & 1) &&
                              entries[i + 1].key.level == level &&
                              entries[i + 1].key.at[axis] == entry.key.at[axis] + 1;
            lg_forest_key up = parent(forest, entry.key), next = up;
            if (pair)
                next = parent(forest, entries[i + 1].key);
            if (pair && same_key(&up, &next)) {
                i++;
                for (int c = 0; c < forest->channels; c++)
                    entry.nodes[c] = lg_node_merge(entry.nodes[c], entries[i].nodes[c]);
            }
            entry.key = up;
        }
        entries[out++] = entry;
    }
    qsort(entries, out, sizeof *entries, compare);
    return out;
}

lg_forest_entry *lg_forest_sorted(const lg_forest *forest)
{
    lg_forest_entry *entries =
        forest->count ? lg_alloc_array(forest->count, sizeof *entries) : NULL;
    if (!entries)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < forest->capacity; i++) {
        if (forest->entries[i].used)
            entries[count++] = forest->entries[i];
    }
    qsort(entries, count, sizeof *entries, compare);
    return entries;
}

bool lg_forest_root(const lg_forest *forest, lg_node *out)
{
    for (int c = 0; c < forest->channels; c++)
        out[c] = lg_node_empty();
    if (forest->count == 0)
        return true;
    lg_forest_entry *entries = lg_forest_sorted(forest);
    if (!entries)
        return false;
    size_t count = forest->count;
    while (entries[0].key.level < lg_forest_top(forest))
        count = lift(forest, entries, count);
    memcpy(out, entries[0].nodes, (size_t)forest->channels * sizeof *out);
    lg_free(entries);
    return true;
}
