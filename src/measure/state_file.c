// States as bytes: little-endian words of 64 bits. Texts and accumulators are their length and their bytes,
// filled up with zeros to a whole word.
//
//   "LGSTATES", version, size of all in bytes, definition,
//   number of runs; of each: its inputs, the digest of their names, the first name,
//   number of inputs; of each: its run, place, name, samples, notes, height,
//     number of ranges of rows; of each: first, end,
//     number of accumulators; each,
//     status, message,
//   check sum of all before it (lg_hash).
//
// Runs and inputs are in their order, so that equal states are equal bytes.
#include "measure/accumulator.h"
#include "measure/state_entries.h"

#include <string.h>

#define MAGIC   "LGSTATES"
#define VERSION 1
#define HEADER  24 // bytes before the definition

// ---- save ---------------------------------------------------------------------------------------

// `at` NULL: sizes are counted, nothing is written.
typedef struct writer {
    uint8_t *at;
    size_t size;
} writer;

static void put(writer *w, uint64_t word)
{
    if (w->at)
        lg_put64(&w->at, word);
    w->size += 8;
}

static void put_bytes(writer *w, const void *data, size_t size)
{
    const size_t padded = lg_align_up(size, 8);
    put(w, size);
    if (w->at) {
        memset(w->at, 0, padded);
        if (size)
            memcpy(w->at, data, size);
        w->at += padded;
    }
    w->size += padded;
}

static void put_text(writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

static void put_entry(writer *w, const lg_state_entry *e, size_t run)
{
    const lg_state_input *in = &e->input;
    put(w, run);
    put(w, (uint64_t)in->place);
    put_text(w, in->name);
    put_text(w, in->samples);
    put_text(w, in->notes);
    put(w, (uint64_t)in->height);
    put(w, in->row_ranges);
    for (size_t i = 0; i < 2 * in->row_ranges; i++)
        put(w, (uint64_t)in->rows[i]);
    put(w, in->saved_count);
    for (size_t i = 0; i < in->saved_count; i++)
        put_bytes(w, in->saved[i].data, in->saved[i].size);
    put(w, in->failure);
    put_text(w, in->message);
}

// All but the check sum.
static void put_state(writer *w, const lg_state *state, size_t size)
{
    size_t run = 0;
    const uint8_t *magic = (const uint8_t *)MAGIC;
    put(w, lg_get64(&magic));
    put(w, VERSION);
    put(w, size);
    put_text(w, state->definition);
    put(w, state->run_count);
    for (size_t i = 0; i < state->run_count; i++) {
        put(w, state->runs[i]->count);
        put(w, state->runs[i]->digest);
        put_text(w, state->runs[i]->first);
    }
    put(w, state->count);
    for (size_t i = 0; i < state->count; i++) {
        while (state->runs[run] != state->entries[i]->run)
            run++;
        put_entry(w, state->entries[i], run);
    }
}

lg_status lg_state_save(lg_state *state, void *data, size_t capacity, size_t *size, lg_error *error)
{
    if (!state || !size)
        return lg_fail_null(error, "a state, and a size to fill");
    lg_status status = lg_state_sort(state, error);
    if (status)
        return status;
    writer count = {NULL, 0}, w = {data, 0};
    put_state(&count, state, 0);
    const size_t bytes = count.size + 8;
    status = lg_saved_fit(data, capacity, bytes, size, error);
    if (status || !data)
        return status;
    put_state(&w, state, bytes);
    lg_put64(&w.at, lg_hash(data, count.size, 0));
    return LG_OK;
}

// ---- load ---------------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *at, *end;
    bool bad;
} reader;

static uint64_t take(reader *r)
{
    if (r->bad || r->end - r->at < 8) {
        r->bad = true;
        return 0;
    }
    return lg_get64(&r->at);
}

// A number of things that take so many bytes each, at the least.
static size_t take_count(reader *r, size_t least)
{
    const uint64_t count = take(r);
    if (count > (size_t)(r->end - r->at) / least)
        r->bad = true;
    return r->bad ? 0 : (size_t)count;
}

static lg_state_bytes take_bytes(reader *r)
{
    const size_t size = take_count(r, 1), padded = lg_align_up(size, 8);
    if (r->bad || padded > (size_t)(r->end - r->at)) {
        r->bad = true;
        return (lg_state_bytes){"", 0};
    }
    const uint8_t *data = r->at;
    r->at += padded;
    for (size_t i = size; i < padded; i++)
        r->bad |= data[i] != 0;
    return (lg_state_bytes){data, size};
}

// A copy that the caller frees; NULL: there is none, and the reader is bad, or no memory.
static char *take_text(reader *r)
{
    const lg_state_bytes bytes = take_bytes(r);
    r->bad |= memchr(bytes.data, 0, bytes.size) != NULL;
    char *text = r->bad ? NULL : lg_alloc(bytes.size + 1);
    if (!text)
        return NULL;
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    return text;
}

static lg_status damaged(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_DATA, "these bytes are no state of measurements: %s", what);
}

static lg_status failed(const reader *r, lg_error *error)
{
    return r->bad ? damaged(error, "its parts do not go together")
                  : lg_fail(error, LG_ERROR_MEMORY, "there is no memory for a state");
}

static lg_status load_runs(reader *r, lg_state *state, lg_error *error)
{
    const size_t count = take_count(r, 24);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++) {
        lg_state_run run = {0};
        run.count = take(r);
        run.digest = take(r);
        run.first = take_text(r);
        if (!run.first)
            status = failed(r, error);
        else if (run.count > INT64_MAX ||
                 (i && lg_state_compare_runs(state->runs[i - 1], &run) >= 0))
            status = damaged(error, "its runs are out of order");
        else if (!lg_state_take_run(state, &run, error))
            status = LG_ERROR_MEMORY;
        lg_free(run.first);
    }
    return status;
}

// Texts of *in are the caller's, also when it fails; rows and accumulators are those of the lists.
static lg_status load_input(reader *r, lg_state_input *in, int64_t **rows, lg_state_bytes **saved)
{
    in->place = (int64_t)take(r);
    in->name = take_text(r);
    in->samples = take_text(r);
    in->notes = take_text(r);
    in->height = (int64_t)take(r);
    in->row_ranges = take_count(r, 16);
    in->rows = *rows = lg_alloc_array(2 * in->row_ranges + 1, sizeof **rows);
    for (size_t i = 0; i < 2 * in->row_ranges && *rows; i++)
        (*rows)[i] = (int64_t)take(r);
    in->saved_count = take_count(r, 8);
    in->saved = *saved = lg_alloc_array(in->saved_count + 1, sizeof **saved);
    for (size_t i = 0; i < in->saved_count && *saved; i++)
        (*saved)[i] = take_bytes(r);
    const uint64_t failure = take(r);
    r->bad |= failure > LG_ERROR_CANCELLED;
    in->failure = r->bad ? LG_OK : (lg_status)failure;
    in->message = take_text(r);
    return !r->bad && in->name && in->samples && in->notes && in->message && *rows && *saved
               ? LG_OK
               : LG_ERROR_DATA;
}

static lg_status load_entry(reader *r, lg_state *state, lg_error *error)
{
    lg_state_input in = {0};
    int64_t *rows = NULL;
    lg_state_bytes *saved = NULL;
    const uint64_t run = take(r);
    const size_t before = state->count;
    lg_status status = LG_OK;
    if (r->bad || run >= state->run_count)
        return damaged(error, "an input is of no run");
    if (load_input(r, &in, &rows, &saved))
        status = failed(r, error);
    else if (lg_state_check_input(state->runs[run], &in, NULL))
        status = damaged(error, "an input is out of range");
    else
        status = lg_state_add_entry(state, state->runs[run], &in, error);
    if (!status && (state->count == before ||
                    (before && lg_state_compare_entries(state->entries[before - 1],
                                                        state->entries[before]) >= 0)))
        status = damaged(error, "its inputs are out of order");
    else if (status == LG_ERROR_ARGUMENT)
        status = damaged(error, "an input stands there twice");
    lg_free((void *)in.name);
    lg_free((void *)in.samples);
    lg_free((void *)in.notes);
    lg_free((void *)in.message);
    lg_free(rows);
    lg_free(saved);
    return status;
}

// The part that is a state, with the header and the check sum looked at.
static lg_status open_bytes(const uint8_t *data, size_t size, bool more, reader *out,
                            lg_error *error)
{
    const uint8_t *magic = (const uint8_t *)MAGIC, *at = data;
    if (size < HEADER + 8)
        return damaged(error, "they are too few");
    if (lg_get64(&at) != lg_get64(&magic))
        return damaged(error, "the first 8 are not " MAGIC);
    const uint64_t version = lg_get64(&at), bytes = lg_get64(&at);
    if (version != VERSION)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the state was saved in version %llu of the format; this library reads "
                       "version %d",
                       (unsigned long long)version, VERSION);
    if (bytes < HEADER + 8 || bytes % 8 || bytes > size || (!more && bytes != size))
        return damaged(error, bytes > size ? "they end early" : "their number does not fit");
    const uint8_t *end = data + bytes - 8, *sum = end;
    if (lg_get64(&sum) != lg_hash(data, (size_t)bytes - 8, 0))
        return damaged(error, "the check sum is wrong");
    *out = (reader){at, end, false};
    return LG_OK;
}

lg_status lg_state_load(const void *data, size_t size, lg_state **out, size_t *used,
                        lg_error *error)
{
    reader r;
    lg_state *state = NULL;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the state");
    lg_status status = open_bytes(data, size, used != NULL, &r, error);
    if (status)
        return status;
    char *definition = take_text(&r);
    status = definition ? lg_state_create_empty(definition, &state, error) : failed(&r, error);
    lg_free(definition);
    if (!status)
        status = load_runs(&r, state, error);
    const size_t count = status ? 0 : take_count(&r, 80);
    for (size_t i = 0; i < count && !status; i++)
        status = load_entry(&r, state, error);
    if (!status && (r.bad || r.at != r.end))
        status = damaged(error, "its parts do not go together");
    if (status) {
        lg_state_destroy(&state);
        return status;
    }
    state->sorted = true;
    if (used)
        *used = (size_t)(r.end - (const uint8_t *)data) + 8;
    *out = state;
    return LG_OK;
}
