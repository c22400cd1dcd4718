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

// ---- options --------------------------------------------------------------------------------------

bool lg_parse_mpi(const char *text, lg_options *out, char *why, size_t size)
{
    static const char *const names[] = {"", "openmpi", "mpich"}; // as of lg_mpi
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
            out->mpi = i + 1;
    snprintf(why, size, "openmpi and mpich are the interfaces of MPI that there are modules for");
    return out->mpi != 0;
}

static bool is_standard(const char *output)
{
    return output && strcmp(output, "-") == 0;
}

static bool writes_standard(const lg_options *o)
{
    bool any = is_standard(o->output) || is_standard(o->colors) || is_standard(o->plot);
    for (int i = 0; i < o->target_count; i++)
        any |= is_standard(o->targets[i]);
    return any;
}

// Rows of files are shared, as they are stored; what looks at more than that is not.
bool lg_team_check(const lg_options *o)
{
    const char *without = o->state             ? "--state"
                          : o->shard_count     ? "--shard"
                          : writes_standard(o) ? "the output -"
                          : o->overlay         ? "--overlay"
                          : o->filters         ? "--pipeline"
                          : o->report          ? "--report"
                          : o->scale > 0       ? "--scale"
                          : o->planes          ? "--planes"
                          : o->plane >= 0      ? "--plane"
                          : o->lavfi           ? "--lavfi"
                          : o->frames          ? "--frames"
                          : o->raw             ? "--raw"
                          : o->live            ? "--live"
                          : o->size            ? "--size"
                          : o->profile         ? "--profile"
                          : o->explain         ? "--explain"
                          : o->preview         ? "--preview"
                          : o->points          ? "--points"
                          : o->device_count    ? "--device with several"
                          : o->all_gpus        ? "--device gpus"
                                               : NULL;
    if (o->mpi && (o->resume != (o->journal != NULL))) {
        lg_complain(o->resume ? "--resume of --mpi keeps a journal; say where: --journal NAME"
                              : "--journal is of --resume");
        return false;
    }
    if (o->link_limit && !o->mpi) {
        lg_complain("--link-limit is of --mpi");
        return false;
    }
    if (o->journal && !o->mpi) {
        lg_complain("--journal is of --mpi; without it --resume has one beside the --state");
        return false;
    }
    if (!o->mpi || !without)
        return true;
    lg_complain("%s and --mpi exclude each other: ranks share the rows of files", without);
    return false;
}

// ---- the end of everything ------------------------------------------------------------------------

void lg_team_give_up(lg_team *team, const lg_error *error)
{
    lg_output_unlink_all();
    lg_complain_again();
    lg_complain("rank %d of %d: %s", team->rank, team->count, error->message);
    lg_ranks_abort(team->ranks, LG_EXIT_IO);
}

void lg_team_send(lg_team *team, int rank, const void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_send(team->ranks, rank, data, size, &error) != LG_OK)
        lg_team_give_up(team, &error);
}

void lg_team_receive(lg_team *team, int rank, void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_receive(team->ranks, rank, data, size, &error) != LG_OK)
        lg_team_give_up(team, &error);
}

// ---- trees ----------------------------------------------------------------------------------------

void lg_team_broadcast(lg_team *team, void *data, size_t size)
{
    int bits = 0;
    if (!team)
        return;
    if (team->rank != 0)
        lg_team_receive(team, lg_team_parent(team), data, size);
    LG_FOR_CHILDREN(team, bit)
    bits = bit;
    for (; bits; bits >>= 1) // the deepest branch first
        lg_team_send(team, team->rank + bits, data, size);
}

// ---- agreement ------------------------------------------------------------------------------------

typedef struct verdict {
    lg_error error;
    int rank; // that failed
    int exit; // its exit status, where the rank is at the end of the command
    bool over;
} verdict;

static void meet(lg_team *team, verdict *v)
{
    verdict other;
    LG_FOR_CHILDREN(team, bit)
    {
        lg_team_receive(team, team->rank + bit, &other, sizeof other);
        const bool over = v->over || other.over;
        if (!v->error.status && other.error.status)
            *v = other;
        v->over = over;
    }
    if (team->rank != 0)
        lg_team_send(team, lg_team_parent(team), v, sizeof *v);
    lg_team_broadcast(team, v, sizeof *v);
}

static lg_status agree(lg_team *team, lg_status status, bool over, lg_error *error)
{
    verdict v = {.rank = team->rank, .over = over};
    if (status)
        v.error = *error;
    v.error.status = status;
    meet(team, &v);
    team->over = v.over;
    if (v.over && !over && !v.error.status)
        lg_set_error(&v.error, LG_ERROR_CANCELLED, "another rank has ended");
    if (!v.error.status)
        return LG_OK;
    team->apart = true;
    if (status && v.rank == team->rank)
        return status;
    if (v.rank == 0)
        return lg_set_error(error, v.error.status, "%s", v.error.message);
    return lg_set_error(error, v.error.status, "on rank %d: %s", v.rank, v.error.message);
}

lg_status lg_team_agree(lg_team *team, lg_status status, lg_error *error)
{
    if (!team || team->apart)
        return status;
    if (team->over)
        return lg_set_error(error, LG_ERROR_CANCELLED, "another rank has ended");
    return agree(team, status, false, error);
}

lg_status lg_team_settle(lg_team *team, lg_status status, lg_error *error)
{
    const lg_status agreed = lg_team_agree(team, status, error);
    if (team)
        team->apart = false;
    return agreed;
}

lg_status lg_team_same(lg_team *team, const char *what, uint64_t digest, lg_status status,
                       lg_error *error)
{
    uint64_t leaders = digest;
    status = lg_team_agree(team, status, error);
    if (status || !team)
        return status;
    lg_team_broadcast(team, &leaders, sizeof leaders);
    if (leaders != digest)
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "%s are not those of rank 0", what);
    return lg_team_agree(team, status, error);
}

// ---- parts ----------------------------------------------------------------------------------------

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
    lg_status begun = LG_OK;
    if (options->link_limit)
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
        verdict v = {.rank = team->rank, .exit = status, .over = true};
        const char *why = lg_last_complaint();
        if (status)
            lg_set_error(&v.error, LG_ERROR_IO, "%s", *why ? why : "failed");
        meet(team, &v);
        status = v.error.status && v.exit ? v.exit : status;
    }
    lg_team_link_close(team);
    lg_journal_close(team->journal, status == LG_EXIT_DONE);
    lg_ranks_close(&team->ranks);
    free(team);
    options->team = NULL;
    return status;
}
