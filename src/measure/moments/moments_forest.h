// Parts of the tree of float moments: the nodes that are finished and wait for their partner.
#ifndef LG_MOMENTS_FOREST_H
#define LG_MOMENTS_FOREST_H

#include "measure/moments/moments.h"

// A place in the tree. The levels halve the leaves of a row until one is left, then the rows, then
// the layers; at[] counts blocks along x, y and layer at this level.
typedef struct lg_forest_key {
    uint32_t level;
    uint64_t at[3];
} lg_forest_key;

typedef struct lg_forest_entry {
    lg_forest_key key;
    bool used;
    lg_node nodes[LG_MAX_CHANNELS];
} lg_forest_entry;

typedef struct lg_forest {
    int channels;
    uint64_t leaves[3];
    uint32_t levels[3];       // halvings along each axis
    size_t count, capacity;   // capacity: a power of two, 0 at first
    lg_forest_entry *entries; // hash table with open addresses
} lg_forest;

void lg_forest_init(lg_forest *forest, int channels, uint64_t leaves_x, uint64_t leaves_y,
                    uint64_t layers);
void lg_forest_free(lg_forest *forest);
uint32_t lg_forest_top(const lg_forest *forest);                            // level of the root
bool lg_forest_contains(const lg_forest *forest, const lg_forest_key *key); // a place of this tree
uint64_t lg_forest_leaves(const lg_forest *forest, const lg_forest_key *key); // below that place

// Room for `more` insertions; false when memory is used up.
bool lg_forest_reserve(lg_forest *forest, size_t more);

// Puts a node in its place and merges it upwards with what is there. The place must be free (see
// below) and room reserved.
void lg_forest_insert(lg_forest *forest, lg_forest_key key, const lg_node *nodes);

// Puts a saved entry back without merging; false when its place is taken. Room must be reserved.
bool lg_forest_restore(lg_forest *forest, const lg_forest_entry *entry);
bool lg_forest_disjoint(const lg_forest *forest); // no entry lies below another

// Is the place, something above it or, down to the leaves, something below it taken?
bool lg_forest_taken(const lg_forest *forest, lg_forest_key key);
bool lg_forest_overlap(const lg_forest *a, const lg_forest *b);

// The entries in order of their keys; free with lg_free. NULL when memory is used up or count is 0.
lg_forest_entry *lg_forest_sorted(const lg_forest *forest);

// The root of what is there; absent parts count as empty. False when memory is used up.
bool lg_forest_root(const lg_forest *forest, lg_node *out);

#endif
