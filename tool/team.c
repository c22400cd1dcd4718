// The ranks of one command: how they begin and end, and the rows of each.
#include "team_messages.h"

#include "option_checks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool lg_team_leads(const lg_options *options)
{
    return !options->team || options->team->rank == 0;
}

void lg_team_rows(const lg_team *team, int64_t height, int64_t step, int64_t *first, int64_t *end)
{
    const int64_t steps = (height + step - 1) / step, n = team->count, i = n - 1 - team->rank;
    *first = steps * i / n * step;
    *end = i + 1 < n ? steps * (i + 1) / n * step : height;
}

// ---- life -----------------------------------------------------------------------------------------

// Of the arguments: a journal is taken up by the same command.
static uint64_t command_digest;

static void digest_command(int argc, char **argv)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < argc; i++)
        for (const char *at = argv[i];; at++) {
            hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
            if (!*at)
                break;
        }
    command_digest = hash;
}

void lg_team_foresee(int argc, char **argv)
{
    digest_command(argc, argv);
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    const char *rank = NULL;
    bool asked = false;
    for (int i = 0; i < argc; i++)
        asked |= strncmp(argv[i], "--mpi", 5) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !rank; i++)
        rank = getenv(names[i]);
    if (asked && rank && strcmp(rank, "0") != 0)
        lg_complain_nowhere();
}

// What the leader prints as well is printed once.
static bool silence(void)
{
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool done = fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0;
    if (fd >= 0)
        close(fd);
    lg_complain_nowhere();
    return done;
}

int lg_team_begin(lg_options *options)
{
    lg_error error = {0};
    if (!options->mpi || options->help)
        return LG_EXIT_DONE;
    lg_team *team = calloc(1, sizeof *team);
    const lg_status status = team
                                 ? lg_ranks_open((lg_mpi)(options->mpi - 1), &team->ranks, &error)
                                 : lg_set_error(&error, LG_ERROR_MEMORY, "no memory for the ranks");
    if (status) {
        free(team);
        lg_complain_again(); // it may be of this machine alone
        lg_complain("--mpi: %s", error.message);
        return lg_exit_of(status);
    }
    team->rank = lg_ranks_rank(team->ranks);
    team->count = lg_ranks_count(team->ranks);
    options->team = team;
    if (team->rank == 0)
        lg_complain_again();
    if (team->rank != 0 && !silence()) {
        lg_set_error(&error, LG_ERROR_IO, "/dev/null cannot be opened");
        lg_team_give_up(team, &error);
    }
    lg_status begun = lg_team_take_device(team, options, &error);
    if (!begun && options->link_limit)
        begun = lg_team_link_open(team, (int)options->link_limit, &error);
    if (!begun && options->resume)
        begun = lg_journal_open(team, options->journal, command_digest, &team->journal, &error);
    if (!begun)
        return LG_EXIT_DONE;
    lg_complain("--mpi: %s", error.message);
    return lg_team_end(options, lg_exit_of(error.status));
}

lg_journal *lg_team_journal(const lg_team *team)
{
    return team ? team->journal : NULL;
}

int lg_team_end(lg_options *options, int status)
{
    lg_team *team = options->team;
    if (!team)
        return status;
    team->apart = false;
    if (!team->over) {
        lg_team_verdict v = {.rank = team->rank, .exit = status, .over = true};
        const char *why = lg_last_complaint();
        if (status)
            lg_set_error(&v.error, LG_ERROR_IO, "%s", *why ? why : "failed");
        lg_team_meet(team, &v);
        status = v.error.status && v.exit ? v.exit : status;
    }
    lg_team_link_close(team);
    lg_journal_close(team->journal, status == LG_EXIT_DONE);
    lg_ranks_close(&team->ranks);
    free(team);
    options->team = NULL;
    return status;
}
