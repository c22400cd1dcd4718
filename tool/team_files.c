// Files that all ranks write: the leader begins and completes them, each rank puts its rows at their place.
// With --resume what is written has a second name, so that it outlives the job.
#include "team_messages.h"

#include <errno.h>
#include <fcntl.h>
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

static lg_status copy_bytes(int from, int to, off_t at, off_t end, const char *name,
                            lg_error *error)
{
    char bytes[1 << 16];
    while (at < end) {
        const size_t want = end - at < (off_t)sizeof bytes ? (size_t)(end - at) : sizeof bytes;
        const ssize_t got = pread(from, bytes, want, at);
        if (got <= 0)
            return fail_file(name, "read", error);
        if (lseek(to, at, SEEK_SET) != at || write(to, bytes, (size_t)got) != got)
            return fail_file(name, "copied", error);
        at += got;
    }
    return LG_OK;
}

static lg_status copy_rows(const lg_journal *journal, const lg_row_share *share, const char *name,
                           int64_t first, int64_t end, lg_error *error)
{
    int from = -1, to = -1;
    int64_t done;
    lg_status status = LG_OK;
    for (int64_t y = first; y < end && !status; y = done > y ? done : y) {
        status = lg_journal_find(journal, LG_JOURNAL_WRITE, 0, y, &done, NULL, NULL, error);
        if (done == y) { // up to the next that are
            y += lg_journal_rows(journal, LG_JOURNAL_WRITE, 0, y, end - y);
            done = y;
            continue;
        }
        if (from < 0)
            from = open(name, O_RDONLY | O_CLOEXEC);
        if (to < 0)
            to = open(share->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        if (!status && (from < 0 || to < 0))
            status = fail_file(from < 0 ? name : share->path, "opened", error);
        if (!status)
            status = copy_bytes(from, to, (off_t)(share->offset + y * share->row_bytes),
                                (off_t)(share->offset + done * share->row_bytes), name, error);
    }
    if (!status && to >= 0 && fsync(to) != 0)
        status = fail_file(share->path, "written", error);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
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
    return status || !writer->file ? status : lg_row_writer_close(&writer->file, error);
}

void lg_team_discard(lg_team_writer *writer)
{
    lg_row_writer_discard(&writer->rows);
    lg_row_writer_discard(&writer->file);
    free(writer->share);
    writer->share = NULL;
}
