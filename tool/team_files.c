// Files that all ranks write: the leader begins and completes them, each rank puts its rows at their place.
#include "team.h"

#include <string.h>

lg_status lg_team_share(lg_team *team, lg_team_writer *out, int64_t first, lg_status status,
                        lg_error *error)
{
    lg_row_share share;
    if (!team)
        return status;
    memset(&share, 0, sizeof share);
    out->file = out->rows;
    out->rows = NULL;
    if (!status && out->file)
        status = lg_row_writer_share(out->file, &share, error);
    status = lg_team_agree(team, status, error);
    if (status)
        return status;
    lg_team_broadcast(team, &share, sizeof share);
    return lg_row_writer_join(&share, first, &out->rows, error);
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
}
