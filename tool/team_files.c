// Files that all ranks write: the leader begins and completes them, each rank puts its rows at their place.
// With --resume what is written has a second name, so that it outlives the job.
#include "team_messages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- rows that an earlier job has written ---------------------------------------------------------

static lg_status fail_file(const char *name, const char *what, lg_error *error)
{
    const int why = errno;
    return lg_set_error(error, LG_ERROR_IO, "%s: cannot be %s: %s", name, what, strerror(why));
}

// Up to the next row that is not written.
static int64_t find_end(const lg_journal *journal, int64_t y, int64_t end, lg_status *status,
                        lg_error *error)
{
    int64_t done = y;
    for (bool more = true; more && y < end && !*status; y = done) {
        *status = lg_journal_find(journal, LG_JOURNAL_WRITE, 0, y, &done, NULL, NULL, error);
        more = done > y;
    }
    return done < end ? done : end;
}

static lg_status copy_rows(const lg_journal *journal, const lg_row_share *share, const char *name,
                           int64_t first, int64_t end, lg_error *error)
{
    lg_status status = LG_OK;
    for (int64_t y = first, done; y < end && !status; y = done) {
        done = find_end(journal, y, end, &status, error);
        if (!status && done > y)
            status = lg_row_share_copy(share, name, y, done, error);
        else if (!status)
            done = y + lg_journal_rows(journal, LG_JOURNAL_WRITE, 0, y, end - y);
    }
    return status;
}

// The name changes files when all ranks have copied.
static lg_status keep_file(const lg_row_share *share, const char *name, lg_error *error)
{
    char next[PATH_MAX];
    if (snprintf(next, sizeof next, "%s.next", name) >= (int)sizeof next)
        return lg_set_error(error, LG_ERROR_ARGUMENT, "the name of the journal is too long");
    unlink(next);
    if (link(share->path, next) != 0)
        return lg_set_error(error, LG_ERROR_IO,
                            "%s cannot be a name of the output: %s; --journal and outputs are on "
                            "one file system with hard links",
                            next, strerror(errno));
    return rename(next, name) == 0 ? LG_OK : fail_file(name, "renamed", error);
}

static lg_status take_up(lg_team *team, const lg_row_share *share, int which,
                         const lg_input_file *file, lg_error *error)
{
    char name[PATH_MAX];
    lg_status status = LG_OK;
    if (!team->journal)
        return LG_OK;
    if (!lg_journal_rows_name(team->journal, which, name, sizeof name))
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "the name of the journal is too long");
    if (!status)
        status = copy_rows(team->journal, share, name, file->first_row, file->end_row, error);
    status = lg_team_agree(team, status, error);
    if (!status && team->rank == 0)
        status = keep_file(share, name, error);
    return lg_team_agree(team, status, error);
}

// ---- writers --------------------------------------------------------------------------------------

lg_status lg_team_share(lg_team *team, lg_team_writer *out, int which, const lg_input_file *file,
                        lg_status status, lg_error *error)
{
    if (!team)
        return status;
    out->file = out->rows;
    out->rows = NULL;
    out->share = calloc(1, sizeof *out->share);
    if (!status && !out->share)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the output");
    if (!status && out->file)
        status = lg_row_writer_share(out->file, out->share, error);
    status = lg_team_agree(team, status, error);
    if (status)
        return status;
    lg_team_broadcast(team, out->share, sizeof *out->share);
    status = take_up(team, out->share, which, file, error);
    out->next = file->first_row;
    return status ? status : lg_row_writer_join(out->share, file->first_row, &out->rows, error);
}

lg_status lg_team_at(lg_team_writer *writer, int64_t y, lg_error *error)
{
    if (!writer->share || writer->next == y)
        return LG_OK;
    const lg_status status = lg_row_writer_close(&writer->rows, error);
    writer->next = y;
    return status ? status : lg_row_writer_join(writer->share, y, &writer->rows, error);
}

lg_status lg_team_wrote(lg_team *team, lg_team_writer *writer, int64_t end, lg_error *error)
{
    writer->next = end;
    return lg_team_journal(team) ? lg_row_writer_flush(writer->rows, error) : LG_OK;
}

lg_status lg_team_close(lg_team *team, lg_team_writer *writer, lg_status status, lg_error *error)
{
    if (!status)
        status = lg_row_writer_close(&writer->rows, error);
    status = lg_team_agree(team, status, error);
    if (!status && writer->share)
        status = lg_row_share_levels(writer->share, team->rank, team->count, error);
    status = lg_team_agree(team, status, error);
    return status || !writer->file ? status : lg_row_writer_close(&writer->file, error);
}

void lg_team_discard(lg_team_writer *writer)
{
    lg_row_writer_discard(&writer->rows);
    lg_row_writer_discard(&writer->file);
    free(writer->share);
    writer->share = NULL;
}
