// lumagraph: what was measured of images, or of rows of them, as bytes for files and other machines. States
// that were made apart merge into the one of a single run, in any order.
#ifndef LUMAGRAPH_STATE_H
#define LUMAGRAPH_STATE_H

#include <lumagraph/common.h>

#ifdef __cplusplus
extern "C" {
#endif

// Accumulators of many inputs, with what they are of. Lines are "key value\n" for each. Thread-safety:
// one thread at a time.
typedef struct lg_state lg_state;

typedef struct lg_state_bytes {
    const void *data;
    size_t size;
} lg_state_bytes;

// One input of a run.
typedef struct lg_state_input {
    const char *name;    // no other input of the state has it
    int64_t place;       // among the inputs of the run, from 0
    const char *samples; // lines: what was measured; equal for all parts of the input
    const char *notes;   // lines that are not compared
    int64_t height;      // rows that there are; 0: not known, as nothing was measured
    const int64_t *rows; // those that were measured: pairs of the first and the one behind the
    size_t row_ranges;   // last, ascending, apart from each other
    const lg_state_bytes *saved; // accumulators, as their save functions write them
    size_t saved_count;
    lg_status failure;   // why rows are missing; LG_OK: they were not asked for
    const char *message; // of that failure, else ""
} lg_state_input;

// A state without inputs. `definition` is lines: the measurement and its parameters, equal for all states
// that merge. `names` are the inputs of the whole run, of which this state may have some. Errors:
// LG_ERROR_ARGUMENT, LG_ERROR_MEMORY.
LG_API lg_status lg_state_create(const char *definition, const char *const *names, size_t count,
                                 lg_state **out, lg_error *error);
// NULL and pointer to NULL are fine.
LG_API void lg_state_destroy(lg_state **state);
LG_API const char *lg_state_definition(const lg_state *state);

// Adds an input, or further rows of one that is there; everything is copied. A failure is forgotten once all
// rows are there. Errors: LG_ERROR_ARGUMENT (rows that are there already, other samples, a name or a place
// that another input of the run has), LG_ERROR_DATA (damaged accumulators), LG_ERROR_MEMORY.
LG_API lg_status lg_state_add(lg_state *state, const lg_state_input *input, lg_error *error);
// Forgets the inputs; the run stays.
LG_API void lg_state_clear(lg_state *state);
// Adds the contents of `from`, which is unchanged. The result of several merges does not depend on order.
// `into` is undefined after an error. Errors: LG_ERROR_ARGUMENT (other definitions), those of lg_state_add.
LG_API lg_status lg_state_merge(lg_state *into, const lg_state *from, lg_error *error);

// The inputs that are there. Those of a run come in their order, runs by the names of their first inputs.
LG_API size_t lg_state_count(const lg_state *state);
// What *out points to is valid until the state changes. LG_ERROR_ARGUMENT: there are fewer.
LG_API lg_status lg_state_at(lg_state *state, size_t index, lg_state_input *out, lg_error *error);
// The input of that name; false: it is not there.
LG_API bool lg_state_find(const lg_state *state, const char *name, lg_state_input *out);
// Whether all rows of an input were measured.
LG_API bool lg_state_whole(const lg_state_input *input);
// The number of inputs of the runs that are not there at all. *first, unless NULL, becomes the place of the
// first of them.
LG_API int64_t lg_state_missing(lg_state *state, int64_t *first);

// Writes the state to `data`, its size to *size; data NULL: the size alone. Bytes do not depend on the
// order of merges. LG_ERROR_ARGUMENT: `capacity` is too small.
LG_API lg_status lg_state_save(lg_state *state, void *data, size_t capacity, size_t *size,
                               lg_error *error);
// Reads a state from the first bytes of `data`, and writes to *used how many they are: states may stand one
// behind the other. `used` NULL: nothing is behind it. Errors: LG_ERROR_DATA (damaged, cut, no state),
// LG_ERROR_UNSUPPORTED (another version), LG_ERROR_MEMORY.
LG_API lg_status lg_state_load(const void *data, size_t size, lg_state **out, size_t *used,
                               lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
