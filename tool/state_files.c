#include "state_files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lg_state_files {
    lg_state *state;
    lg_state *last; // of one input, for the journal
    FILE *journal;  // NULL: there is none
    char journal_path[PATH_MAX];
};

// ---- whole files --------------------------------------------------------------------------------

// free() what *out becomes.
static lg_status read_bytes(const char *path, uint8_t **out, size_t *size, lg_error *error)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t used = 0, capacity = 0;
    bool more = file != NULL;
    while (more) {
        capacity = capacity ? 2 * capacity : 1 << 16;
        uint8_t *larger = realloc(data, capacity);
        if (!larger) {
            fclose(file);
            free(data);
            return lg_set_error(error, LG_ERROR_MEMORY, "there is no memory for the file");
        }
        data = larger;
        used += fread(data + used, 1, capacity - used, file);
        more = used == capacity;
    }
    if (!file || ferror(file)) {
        const int why = errno;
        if (file)
            fclose(file);
        free(data);
        return lg_set_error(error, LG_ERROR_IO, "cannot read: %s", strerror(why));
    }
    fclose(file);
    *out = data;
    *size = used;
    return LG_OK;
}

lg_status lg_state_read(const char *path, lg_state **out, lg_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    lg_status status = read_bytes(path, &data, &size, error);
    if (!status)
        status = lg_state_load(data, size, out, NULL, error);
    free(data);
    return status;
}

// free() what *out becomes.
static lg_status save(lg_state *state, uint8_t **out, size_t *size, lg_error *error)
{
    lg_status status = lg_state_save(state, NULL, 0, size, error);
    if (status)
        return status;
    *out = malloc(*size);
    if (!*out)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a state of %zu bytes", *size);
    status = lg_state_save(state, *out, *size, size, error);
    if (status) {
        free(*out);
        *out = NULL;
    }
    return status;
}

lg_status lg_state_write(lg_state *state, const char *path, lg_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    lg_output *output = NULL;
    lg_status status = save(state, &data, &size, error);
    if (!status)
        status = lg_output_open(path, &output, error);
    if (!status) {
        fwrite(data, 1, size, lg_output_stream(output)); // commit finds out whether it arrived
        status = lg_output_commit(&output, error);
    }
    free(data);
    return status;
}

// ---- what a killed run left -----------------------------------------------------------------------

// Of the part that is to be measured, whatever the run before had.
static bool has_part(const lg_options *o, const lg_state_input *in)
{
    const int64_t step = o->step, steps = (in->height + step - 1) / step, n = o->part_count;
    const int64_t first = n ? steps * (o->part - 1) / n * step : 0;
    const int64_t end = n && o->part < n ? steps * o->part / n * step : in->height;
    if (first >= end)
        return in->row_ranges == 0;
    return in->row_ranges == 1 && in->rows[0] == first && in->rows[1] == end;
}

// What failed is tried again.
static lg_status take_measured(const lg_session *session, lg_state_files *files, lg_state *from,
                               lg_error *error)
{
    lg_status status = LG_OK;
    lg_state_input in, there;
    for (size_t i = 0; i < lg_state_count(from) && !status; i++) {
        status = lg_state_at(from, i, &in, error);
        if (status || in.failure || lg_state_find(files->state, in.name, &there))
            continue;
        if (in.place >= session->inputs || strcmp(session->names[in.place], in.name) != 0 ||
            !has_part(session->options, &in))
            return lg_set_error(error, LG_ERROR_ARGUMENT,
                                "it is the state of other inputs, or of another part of them, and "
                                "cannot be resumed; remove it, or name another one");
        status = lg_state_add(files->state, &in, error);
    }
    return status;
}

static lg_status take_file(const lg_session *session, lg_state_files *files, const lg_state *from,
                           lg_state *loaded, lg_error *error)
{
    const char *here = lg_state_definition(from), *there = lg_state_definition(loaded);
    return strcmp(here, there) == 0
               ? take_measured(session, files, loaded, error)
               : lg_set_error(error, LG_ERROR_ARGUMENT,
                              "it was measured with other options, and cannot be resumed; remove "
                              "it, or name another one");
}

// The states of a journal up to the first that is not whole: a run that is killed may leave a part of one.
static lg_status take_journal(const lg_session *session, lg_state_files *files, lg_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0, at = 0, used = 0;
    lg_error ignored;
    lg_status status = access(files->journal_path, F_OK) == 0
                           ? read_bytes(files->journal_path, &data, &size, error)
                           : LG_OK;
    lg_state *loaded = NULL;
    while (!status && at < size &&
           lg_state_load(data + at, size - at, &loaded, &used, &ignored) == LG_OK) {
        status = take_file(session, files, files->state, loaded, error);
        lg_state_destroy(&loaded);
        at += used;
    }
    free(data);
    if (!status && at < size && truncate(files->journal_path, (off_t)at) != 0)
        status = lg_set_error(error, LG_ERROR_IO, "%s: cannot be cut: %s", files->journal_path,
                              strerror(errno));
    return status;
}

static lg_status resume(const lg_session *session, lg_state_files *files, lg_error *error)
{
    const char *path = session->options->state;
    lg_state *loaded = NULL;
    if (snprintf(files->journal_path, PATH_MAX, "%s.journal", path) >= PATH_MAX)
        return lg_set_error(error, LG_ERROR_ARGUMENT, "the name is too long for a journal");
    lg_status status = access(path, F_OK) == 0 ? lg_state_read(path, &loaded, error) : LG_OK;
    if (loaded)
        status = take_file(session, files, files->state, loaded, error);
    lg_state_destroy(&loaded);
    if (!status)
        status = take_journal(session, files, error);
    files->journal = status ? NULL : fopen(files->journal_path, "ab");
    if (!status && !files->journal)
        status = lg_set_error(error, LG_ERROR_IO, "%s: cannot be written: %s", files->journal_path,
                              strerror(errno));
    return status;
}

// ---- life -----------------------------------------------------------------------------------------

static void free_files(lg_session *session)
{
    lg_state_files *files = session->states;
    if (files->journal)
        fclose(files->journal);
    lg_state_destroy(&files->state);
    lg_state_destroy(&files->last);
    free(files);
    session->states = NULL;
}

lg_status lg_states_begin(lg_session *session, lg_error *error)
{
    const char *const *names = (const char *const *)session->names;
    char *definition = lg_state_definition_of(session);
    session->states = calloc(1, sizeof *session->states);
    if (!session->states || !definition) {
        free(session->states);
        free(definition);
        session->states = NULL;
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a state");
    }
    lg_state_files *files = session->states;
    lg_status status =
        lg_state_create(definition, names, (size_t)session->inputs, &files->state, error);
    if (!status)
        status = lg_state_create(definition, names, (size_t)session->inputs, &files->last, error);
    free(definition);
    if (!status && session->options->resume)
        status = resume(session, files, error);
    if (status)
        free_files(session);
    return status;
}

bool lg_states_has(const lg_session *session, const char *name)
{
    lg_state_input in;
    return session->states && lg_state_find(session->states->state, name, &in);
}

static void lose(lg_session *session, const char *path, const char *why, int status)
{
    if (!session->lost) {
        lg_session_progress_clear(session);
        lg_complain("%s: %s", path, why);
    }
    session->lost = status;
}

void lg_states_end(lg_session *session, bool complete)
{
    lg_state_files *files = session->states;
    const char *path = session->options->state;
    lg_error error = {0};
    if (!files)
        return;
    if (complete && !session->lost && lg_state_write(files->state, path, &error) != LG_OK)
        lose(session, path, error.message, lg_exit_of(error.status));
    else if (complete && !session->lost && files->journal)
        unlink(files->journal_path);
    free_files(session);
}

// ---- adding ---------------------------------------------------------------------------------------

static lg_status add(lg_session *session, const lg_state_input *in, lg_error *error)
{
    lg_state_files *files = session->states;
    uint8_t *data = NULL;
    size_t size = 0;
    lg_status status = lg_state_add(files->state, in, error);
    if (status || !files->journal)
        return status;
    lg_state_clear(files->last);
    status = lg_state_add(files->last, in, error);
    if (!status)
        status = save(files->last, &data, &size, error);
    if (!status && (fwrite(data, 1, size, files->journal) != size || fflush(files->journal) != 0))
        lose(session, files->journal_path, strerror(errno), LG_EXIT_IO);
    free(data);
    return status;
}

static lg_status save_all(void *const *accumulators, size_t count, lg_save_fn save_one,
                          lg_state_bytes *out, lg_error *error)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++) {
        status = save_one(accumulators[i], NULL, 0, &out[i].size, error);
        void *data = status ? NULL : malloc(out[i].size);
        out[i].data = data;
        if (!status && !data)
            status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for a state");
        if (!status)
            status = save_one(accumulators[i], data, out[i].size, &out[i].size, error);
    }
    return status;
}

lg_status lg_states_add(lg_session *session, const lg_input_file *file, const char *more,
                        void *const *accumulators, size_t count, lg_save_fn save_one,
                        lg_error *error)
{
    const int64_t rows[] = {file->first_row, file->end_row};
    char *samples = lg_state_samples_of(file, more), *notes = lg_state_notes_of(session, file);
    lg_state_bytes *saved = calloc(count, sizeof *saved);
    lg_status status = samples && notes && saved
                           ? LG_OK
                           : lg_set_error(error, LG_ERROR_MEMORY, "no memory for a state");
    if (!status)
        status = save_all(accumulators, count, save_one, saved, error);
    const lg_state_input in = {.name = file->name,
                               .place = file->place,
                               .samples = samples,
                               .notes = notes,
                               .height = file->region.height,
                               .rows = rows,
                               .row_ranges = rows[0] < rows[1],
                               .saved = saved,
                               .saved_count = count,
                               .message = ""};
    if (!status)
        status = add(session, &in, error);
    for (size_t i = 0; i < count && saved; i++)
        free((void *)saved[i].data);
    free(saved);
    free(samples);
    free(notes);
    return status;
}

void lg_states_fail(lg_session *session, const lg_input_file *file, const lg_error *failure)
{
    lg_error error = {0};
    const lg_state_input in = {.name = file->name,
                               .place = file->place,
                               .samples = "",
                               .notes = "",
                               .failure = failure->status,
                               .message = failure->message};
    // An input that stands twice among the others has failed for that reason.
    if (add(session, &in, &error) == LG_ERROR_MEMORY)
        lose(session, session->options->state, error.message, LG_EXIT_LIMIT);
}
