// States inside the library: inputs with their accumulators, found by name. Their bytes: state_file.c.
#ifndef LG_STATE_ENTRIES_H
#define LG_STATE_ENTRIES_H

#include "core/core.h"
#include <lumagraph/state.h>

// The inputs that one command had.
typedef struct lg_state_run {
    uint64_t count, digest; // of their names
    char *first;            // the first of them, "" of none
} lg_state_run;

typedef struct lg_state_entry {
    lg_state_input input;    // its texts and arrays belong to the entry
    const lg_state_run *run; // of the state
} lg_state_entry;

// Places of items by the hash of their keys; 0: free, else the index of the item plus 1.
typedef struct lg_state_index {
    size_t *slots;
    size_t capacity; // a power of two, 0: none yet
} lg_state_index;

struct lg_state {
    char *definition;
    lg_state_run **runs;
    lg_state_entry **entries;
    size_t run_count, run_capacity, count, capacity;
    lg_state_index by_name, by_run;
    bool sorted; // entries and runs are in their order
};

lg_status lg_state_create_empty(const char *definition, lg_state **out, lg_error *error);
// The run with these inputs, which is added if need be. NULL: no memory.
const lg_state_run *lg_state_take_run(lg_state *state, const lg_state_run *like, lg_error *error);
// lg_state_add for an input of any run of the state.
lg_status lg_state_add_entry(lg_state *state, const lg_state_run *run, const lg_state_input *input,
                             lg_error *error);
// LG_ERROR_ARGUMENT: it contradicts itself.
lg_status lg_state_check_input(const lg_state_run *run, const lg_state_input *input,
                               lg_error *error);
int lg_state_compare_runs(const lg_state_run *a, const lg_state_run *b);
int lg_state_compare_entries(const lg_state_entry *a, const lg_state_entry *b);
lg_status lg_state_sort(lg_state *state, lg_error *error);

// What is saved in two accumulators of one kind, merged; the data of *out is the caller's. state_saved.c.
lg_status lg_state_merge_saved(const lg_state_bytes *a, const lg_state_bytes *b,
                               lg_state_bytes *out, lg_error *error);

#endif
