// There is no module of MPI on Windows, so no job has ranks.
#include "team_messages.h"

lg_status lg_team_link_open(lg_team *team, int seconds, lg_error *error)
{
    return lg_set_error(error, LG_ERROR_UNSUPPORTED, "--link-limit is not there on Windows");
}

void lg_team_link_close(lg_team *team)
{
}
