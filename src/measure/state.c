// States: inputs of runs and what was measured of them.
#include "measure/state_entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory -------------------------------------------------------------------------------------

static void free_input(lg_state_input *input)
{
    for (size_t i = 0; i < input->saved_count && input->saved; i++)
        lg_free((void *)input->saved[i].data);
    lg_free((void *)input->saved);
    lg_free((void *)input->rows);
    lg_free((void *)input->name);
    lg_free((void *)input->samples);
    lg_free((void *)input->notes);
    lg_free((void *)input->message);
    *input = (lg_state_input){0};
}

static bool copy_saved(const lg_state_input *from, lg_state_input *to)
{
    lg_state_bytes *saved = lg_alloc_array(LG_MAX(from->saved_count, (size_t)1), sizeof *saved);
    bool good = saved != NULL;
    for (size_t i = 0; i < from->saved_count && good; i++) {
        void *data = lg_alloc(LG_MAX(from->saved[i].size, (size_t)1));
        if ((good = data != NULL))
            memcpy(data, from->saved[i].data, from->saved[i].size);
        saved[i] = (lg_state_bytes){data, from->saved[i].size};
    }
    to->saved = saved;
    to->saved_count = saved ? from->saved_count : 0;
    return good;
}

// *out is freed by free_input also when it fails.
static bool copy_input(const lg_state_input *from, lg_state_input *out)
{
    const size_t bytes = 2 * from->row_ranges * sizeof *from->rows;
    *out = *from;
    out->saved = NULL;
    out->saved_count = 0;
    int64_t *rows = lg_alloc(LG_MAX(bytes, (size_t)1));
    if (rows && bytes)
        memcpy(rows, from->rows, bytes);
    out->rows = rows;
    out->name = lg_strdup(from->name);
    out->samples = lg_strdup(from->samples);
    out->notes = lg_strdup(from->notes);
    out->message = lg_strdup(from->message);
    return rows && out->name && out->samples && out->notes && out->message && copy_saved(from, out);
}

static lg_status no_memory(lg_error *error)
{
    return lg_fail(error, LG_ERROR_MEMORY, "there is no memory for a state");
}

// Room for one more pointer.
static bool grow(void *list, size_t count, size_t *capacity)
{
    void **old, **larger;
    memcpy(&old, list, sizeof old);
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : 16;
    larger = lg_alloc_array(wanted, sizeof *larger);
    if (!larger)
        return false;
    if (count)
        memcpy(larger, old, count * sizeof *larger);
    lg_free(old);
    memcpy(list, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}

// ---- finding ------------------------------------------------------------------------------------

static uint64_t name_hash(const lg_state *state, size_t i)
{
    const char *name = state->entries[i]->input.name;
    return lg_hash(name, strlen(name), 0);
}

static uint64_t run_hash(const lg_state *state, size_t i)
{
    return state->runs[i]->digest;
}

static bool same_name(const lg_state *state, size_t i, const void *key)
{
    return strcmp(state->entries[i]->input.name, key) == 0;
}

static bool same_run(const lg_state *state, size_t i, const void *key)
{
    return lg_state_compare_runs(state->runs[i], key) == 0;
}

// The index of the item, or SIZE_MAX with the place for it in *slot.
static size_t find(const lg_state *state, const lg_state_index *index, uint64_t hash,
                   bool (*same)(const lg_state *, size_t, const void *), const void *key,
                   size_t *slot)
{
    for (size_t at = (size_t)hash & (index->capacity - 1); index->capacity;
         at = (at + 1) & (index->capacity - 1)) {
        *slot = at;
        if (!index->slots[at])
            return SIZE_MAX;
        if (same(state, index->slots[at] - 1, key))
            return index->slots[at] - 1;
    }
    return SIZE_MAX;
}

// Makes the index anew: for twice as many items, or after they were moved.
static bool index_all(const lg_state *state, lg_state_index *index, size_t count, size_t capacity,
                      uint64_t (*hash)(const lg_state *, size_t))
{
    size_t *slots = lg_alloc_array(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)hash(state, i) & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = i + 1;
    }
    lg_free(index->slots);
    *index = (lg_state_index){slots, capacity};
    return true;
}

static bool reserve(const lg_state *state, lg_state_index *index, size_t count,
                    uint64_t (*hash)(const lg_state *, size_t))
{
    return 2 * (count + 1) <= index->capacity ||
           index_all(state, index, count, index->capacity ? 2 * index->capacity : 32, hash);
}

// ---- order --------------------------------------------------------------------------------------

int lg_state_compare_runs(const lg_state_run *a, const lg_state_run *b)
{
    const int first = strcmp(a->first, b->first);
    if (first)
        return first;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return a->digest == b->digest ? 0 : a->digest < b->digest ? -1 : 1;
}

int lg_state_compare_entries(const lg_state_entry *a, const lg_state_entry *b)
{
    const int runs = a->run == b->run ? 0 : lg_state_compare_runs(a->run, b->run);
    if (runs)
        return runs;
    if (a->input.place != b->input.place)
        return a->input.place < b->input.place ? -1 : 1;
    return strcmp(a->input.name, b->input.name);
}

static int order_runs(const void *a, const void *b)
{
    return lg_state_compare_runs(*(lg_state_run *const *)a, *(lg_state_run *const *)b);
}

static int order_entries(const void *a, const void *b)
{
    return lg_state_compare_entries(*(lg_state_entry *const *)a, *(lg_state_entry *const *)b);
}

lg_status lg_state_sort(lg_state *state, lg_error *error)
{
    if (state->sorted)
        return LG_OK;
    if (state->run_count)
        qsort(state->runs, state->run_count, sizeof(lg_state_run *), order_runs);
    if (state->count)
        qsort(state->entries, state->count, sizeof(lg_state_entry *), order_entries);
    const bool good = (!state->run_count || index_all(state, &state->by_run, state->run_count,
                                                      state->by_run.capacity, run_hash)) &&
                      (!state->count || index_all(state, &state->by_name, state->count,
                                                  state->by_name.capacity, name_hash));
    state->sorted = good;
    return good ? LG_OK : no_memory(error);
}

// ---- life ---------------------------------------------------------------------------------------

lg_status lg_state_create_empty(const char *definition, lg_state **out, lg_error *error)
{
    lg_state *state = lg_alloc(sizeof *state);
    if (!state)
        return no_memory(error);
    *state = (lg_state){.definition = lg_strdup(definition)};
    if (!state->definition) {
        lg_free(state);
        return no_memory(error);
    }
    *out = state;
    return LG_OK;
}

const lg_state_run *lg_state_take_run(lg_state *state, const lg_state_run *like, lg_error *error)
{
    size_t slot = 0;
    if (!reserve(state, &state->by_run, state->run_count, run_hash) ||
        !grow(&state->runs, state->run_count, &state->run_capacity)) {
        no_memory(error);
        return NULL;
    }
    const size_t found = find(state, &state->by_run, like->digest, same_run, like, &slot);
    if (found != SIZE_MAX)
        return state->runs[found];
    lg_state_run *run = lg_alloc(sizeof *run);
    char *first = lg_strdup(like->first);
    if (!run || !first) {
        lg_free(run);
        lg_free(first);
        no_memory(error);
        return NULL;
    }
    *run = (lg_state_run){like->count, like->digest, first};
    state->runs[state->run_count++] = run;
    state->by_run.slots[slot] = state->run_count;
    state->sorted = false;
    return run;
}

lg_status lg_state_create(const char *definition, const char *const *names, size_t count,
                          lg_state **out, lg_error *error)
{
    lg_state *state = NULL;
    if (!definition || (count && !names) || !out)
        return lg_fail_null(error, "a definition, names and a place for the state");
    lg_state_run run = {count, 0, count ? (char *)names[0] : ""};
    for (size_t i = 0; i < count; i++) {
        if (!names[i] || !*names[i])
            return lg_fail(error, LG_ERROR_ARGUMENT, "input %zu has no name", i);
        run.digest = lg_hash(names[i], strlen(names[i]) + 1, run.digest);
    }
    const lg_status status = lg_state_create_empty(definition, &state, error);
    if (status)
        return status;
    if (!lg_state_take_run(state, &run, error)) {
        lg_state_destroy(&state);
        return LG_ERROR_MEMORY;
    }
    *out = state;
    return LG_OK;
}

void lg_state_clear(lg_state *s)
{
    for (size_t i = 0; s && i < s->count; i++) {
        free_input(&s->entries[i]->input);
        lg_free(s->entries[i]);
    }
    if (s && s->by_name.capacity)
        memset(s->by_name.slots, 0, s->by_name.capacity * sizeof *s->by_name.slots);
    if (s)
        s->count = 0;
}

void lg_state_destroy(lg_state **state)
{
    if (!state || !*state)
        return;
    lg_state *s = *state;
    lg_state_clear(s);
    for (size_t i = 0; i < s->run_count; i++) {
        lg_free(s->runs[i]->first);
        lg_free(s->runs[i]);
    }
    lg_free(s->entries);
    lg_free(s->runs);
    lg_free(s->by_name.slots);
    lg_free(s->by_run.slots);
    lg_free(s->definition);
    lg_free(s);
    *state = NULL;
}

const char *lg_state_definition(const lg_state *state)
{
    return state ? state->definition : NULL;
}

// ---- what goes together -------------------------------------------------------------------------

// Copies the first lines that differ.
static void differ(const char *a, const char *b, char first[64], char second[64])
{
    for (;;) {
        const size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
        if (m != n || memcmp(a, b, m) != 0 || !a[m] || !b[n]) {
            snprintf(first, 64, "%.*s", (int)LG_MIN(m, (size_t)63), a);
            snprintf(second, 64, "%.*s", (int)LG_MIN(n, (size_t)63), b);
            return;
        }
        a += m + 1;
        b += n + 1;
    }
}

bool lg_state_whole(const lg_state_input *input)
{
    return input && input->height > 0 && input->row_ranges == 1 && input->rows[0] == 0 &&
           input->rows[1] == input->height;
}

lg_status lg_state_check_input(const lg_state_run *run, const lg_state_input *in, lg_error *error)
{
    if (!in || !in->name || !in->samples || !in->notes || !in->message ||
        (in->row_ranges && !in->rows) || (in->saved_count && !in->saved))
        return lg_fail_null(error, "an input with its texts, rows and accumulators");
    bool good = *in->name && in->place >= 0 && (uint64_t)in->place < run->count &&
                in->height >= 0 && (unsigned)in->failure <= LG_ERROR_CANCELLED;
    for (size_t i = 0; i < in->row_ranges && good; i++)
        good = in->rows[2 * i] >= 0 && in->rows[2 * i] < in->rows[2 * i + 1] &&
               in->rows[2 * i + 1] <= in->height &&
               (i == 0 || in->rows[2 * i - 1] < in->rows[2 * i]);
    if (!good)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%.80s: an input has a name, a place among those of its run, and rows that "
                       "ascend below its height",
                       in->name);
    return LG_OK;
}

static lg_status check_same(const lg_state_entry *e, const lg_state_run *run,
                            const lg_state_input *more, lg_error *error)
{
    char here[64], there[64];
    const lg_state_input *in = &e->input;
    if (e->run != run || in->place != more->place)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%.200s is an input of another run as well, or twice of one", in->name);
    const bool both = in->height && more->height;
    if (both && strcmp(in->samples, more->samples) != 0) {
        differ(in->samples, more->samples, here, there);
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%.160s is another image there: '%s', not '%s' as before", in->name, there,
                       here);
    }
    if (both && in->height != more->height)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%.160s has %lld rows there, not %lld as before",
                       in->name, (long long)more->height, (long long)in->height);
    if (in->saved_count && more->saved_count && in->saved_count != more->saved_count)
        return lg_fail(error, LG_ERROR_DATA, "%.160s has %zu accumulators there, not %zu", in->name,
                       more->saved_count, in->saved_count);
    return LG_OK;
}

// ---- adding -------------------------------------------------------------------------------------

// Both lists of ranges as one, with neighbours joined.
static lg_status join_rows(const lg_state_input *a, const lg_state_input *b, lg_state_input *out,
                           lg_error *error)
{
    const size_t most = a->row_ranges + b->row_ranges;
    int64_t *rows = lg_alloc_array(2 * most + 1, sizeof *rows);
    size_t n = 0;
    if (!rows)
        return no_memory(error);
    for (size_t i = 0, k = 0; i + k < most;) {
        const bool first =
            k == b->row_ranges || (i < a->row_ranges && a->rows[2 * i] < b->rows[2 * k]);
        const int64_t *next = first ? a->rows + 2 * i++ : b->rows + 2 * k++;
        if (n && next[0] < rows[2 * n - 1]) {
            const int64_t end = LG_MIN(next[1], rows[2 * n - 1]);
            const lg_status status =
                lg_fail(error, LG_ERROR_ARGUMENT, "rows %lld to %lld of %.200s are there already",
                        (long long)next[0], (long long)end - 1, a->name);
            lg_free(rows);
            return status;
        }
        if (n && next[0] == rows[2 * n - 1]) {
            rows[2 * n - 1] = next[1];
            continue;
        }
        rows[2 * n] = next[0];
        rows[2 * n++ + 1] = next[1];
    }
    out->rows = rows;
    out->row_ranges = n;
    return LG_OK;
}

static lg_status join_saved(const lg_state_input *a, const lg_state_input *b, lg_state_input *out,
                            lg_error *error)
{
    lg_status status = LG_OK;
    if (!a->saved_count || !b->saved_count)
        return copy_saved(a->saved_count ? a : b, out) ? LG_OK : no_memory(error);
    lg_state_bytes *saved = lg_alloc_array(a->saved_count, sizeof *saved);
    out->saved = saved;
    if (!saved)
        return no_memory(error);
    out->saved_count = a->saved_count;
    for (size_t i = 0; i < a->saved_count && !status; i++)
        status = lg_state_merge_saved(&a->saved[i], &b->saved[i], &saved[i], error);
    if (status) {
        char why[LG_ERROR_MESSAGE_SIZE];
        snprintf(why, sizeof why, "%s", error ? error->message : "");
        lg_fail(error, status, "%.120s: %.300s", a->name, why);
    }
    return status;
}

// The smaller of two texts, so that it does not matter which came first; "" is none.
static const char *either(const char *a, const char *b)
{
    if (!*a || !*b)
        return *a ? a : b;
    return strcmp(a, b) <= 0 ? a : b;
}

static bool fails_first(const lg_state_input *a, const lg_state_input *b)
{
    if (!a->failure || !b->failure)
        return a->failure != LG_OK;
    if (a->failure != b->failure)
        return a->failure < b->failure;
    return strcmp(a->message, b->message) <= 0;
}

// What both have of one input.
static lg_status join_inputs(const lg_state_input *a, const lg_state_input *b, lg_state_input *out,
                             lg_error *error)
{
    const lg_state_input *failed = fails_first(a, b) ? a : b;
    lg_state_input joined = {.place = a->place, .height = LG_MAX(a->height, b->height)};
    lg_status status = join_rows(a, b, &joined, error);
    if (!status)
        status = join_saved(a, b, &joined, error);
    const bool whole = !status && lg_state_whole(&joined);
    joined.failure = whole ? LG_OK : failed->failure;
    joined.name = lg_strdup(a->name);
    joined.samples = lg_strdup(either(a->samples, b->samples));
    joined.notes = lg_strdup(either(a->notes, b->notes));
    joined.message = lg_strdup(whole ? "" : failed->message);
    if (!status && !(joined.name && joined.samples && joined.notes && joined.message))
        status = no_memory(error);
    if (status)
        free_input(&joined);
    else
        *out = joined;
    return status;
}

static lg_status append(lg_state *state, const lg_state_run *run, const lg_state_input *input,
                        size_t slot, lg_error *error)
{
    lg_state_entry *entry = lg_alloc(sizeof *entry);
    if (!entry)
        return no_memory(error);
    *entry = (lg_state_entry){.run = run};
    if (!copy_input(input, &entry->input)) {
        free_input(&entry->input);
        lg_free(entry);
        return no_memory(error);
    }
    state->entries[state->count++] = entry;
    state->by_name.slots[slot] = state->count;
    state->sorted = false;
    return LG_OK;
}

lg_status lg_state_add_entry(lg_state *state, const lg_state_run *run, const lg_state_input *input,
                             lg_error *error)
{
    size_t slot = 0;
    lg_state_input joined;
    if (!reserve(state, &state->by_name, state->count, name_hash) ||
        !grow(&state->entries, state->count, &state->capacity))
        return no_memory(error);
    const size_t found = find(state, &state->by_name, lg_hash(input->name, strlen(input->name), 0),
                              same_name, input->name, &slot);
    if (found == SIZE_MAX)
        return append(state, run, input, slot, error);
    lg_state_entry *entry = state->entries[found];
    lg_status status = check_same(entry, run, input, error);
    if (!status)
        status = join_inputs(&entry->input, input, &joined, error);
    if (status)
        return status;
    free_input(&entry->input);
    entry->input = joined;
    return LG_OK;
}

lg_status lg_state_add(lg_state *state, const lg_state_input *input, lg_error *error)
{
    if (!state || state->run_count != 1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "inputs are added to the state of one run");
    const lg_status status = lg_state_check_input(state->runs[0], input, error);
    return status ? status : lg_state_add_entry(state, state->runs[0], input, error);
}

lg_status lg_state_merge(lg_state *into, const lg_state *from, lg_error *error)
{
    char here[64], there[64];
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two states");
    if (strcmp(into->definition, from->definition) != 0) {
        differ(into->definition, from->definition, here, there);
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "it was measured with '%s', the state before with '%s'", there, here);
    }
    for (size_t i = 0; i < from->run_count; i++)
        if (!lg_state_take_run(into, from->runs[i], error))
            return LG_ERROR_MEMORY;
    for (size_t i = 0; i < from->count; i++) {
        const lg_state_entry *e = from->entries[i];
        const lg_state_run *run = lg_state_take_run(into, e->run, error);
        const lg_status status =
            run ? lg_state_add_entry(into, run, &e->input, error) : LG_ERROR_MEMORY;
        if (status)
            return status;
    }
    return LG_OK;
}

// ---- looking ------------------------------------------------------------------------------------

size_t lg_state_count(const lg_state *state)
{
    return state ? state->count : 0;
}

lg_status lg_state_at(lg_state *state, size_t index, lg_state_input *out, lg_error *error)
{
    if (!state || !out || index >= state->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "input %zu of a state that has %zu", index,
                       lg_state_count(state));
    const lg_status status = lg_state_sort(state, error);
    if (!status)
        *out = state->entries[index]->input;
    return status;
}

bool lg_state_find(const lg_state *state, const char *name, lg_state_input *out)
{
    size_t slot;
    if (!state || !name || !out)
        return false;
    const size_t found =
        find(state, &state->by_name, lg_hash(name, strlen(name), 0), same_name, name, &slot);
    if (found == SIZE_MAX)
        return false;
    *out = state->entries[found]->input;
    return true;
}

int64_t lg_state_missing(lg_state *state, int64_t *first)
{
    int64_t missing = 0, gap = -1;
    if (!state || lg_state_sort(state, NULL))
        return 0;
    size_t at = 0;
    for (size_t i = 0; i < state->run_count; i++) {
        const lg_state_run *run = state->runs[i];
        int64_t next = 0; // the place that should come
        for (; at < state->count && state->entries[at]->run == run; at++) {
            const int64_t place = state->entries[at]->input.place;
            gap = gap < 0 && place > next ? next : gap;
            missing += place > next ? place - next : 0;
            next = place + 1;
        }
        gap = gap < 0 && next < (int64_t)run->count ? next : gap;
        missing += (int64_t)run->count - next;
    }
    if (first && gap >= 0)
        *first = gap;
    return missing;
}
