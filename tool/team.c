#include "team.h"

#include "option_checks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lg_team {
    lg_ranks *ranks;
    int rank, count;
    bool apart; // something failed: ranks do not talk until the input ends
    bool over;  // a rank is at the end of the command
};

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
    if (!o->mpi || !without)
        return true;
    lg_complain("%s and --mpi exclude each other: ranks share the rows of files", without);
    return false;
}

// ---- the end of everything ------------------------------------------------------------------------

// Without an answer of another rank nothing can go on.
static void give_up(lg_team *team, const lg_error *error)
{
    lg_output_unlink_all();
    lg_complain_again();
    lg_complain("rank %d of %d: %s", team->rank, team->count, error->message);
    lg_ranks_abort(team->ranks, LG_EXIT_IO);
}

static void send_to(lg_team *team, int rank, const void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_send(team->ranks, rank, data, size, &error) != LG_OK)
        give_up(team, &error);
}

static void receive_from(lg_team *team, int rank, void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_receive(team->ranks, rank, data, size, &error) != LG_OK)
        give_up(team, &error);
}

// ---- trees ----------------------------------------------------------------------------------------

// Rank r sends to r without its lowest bit, when it has heard of all ranks that send to it: r + 1, r + 2, r +
// 4 ... below that bit. Both are loops over `bit`.
#define FOR_CHILDREN(team, bit)                                                                    \
    for (int bit = 1; ((team)->rank & bit) == 0 && (team)->rank + bit < (team)->count; bit <<= 1)

static int parent_of(const lg_team *team)
{
    return team->rank & (team->rank - 1);
}

void lg_team_broadcast(lg_team *team, void *data, size_t size)
{
    int bits = 0;
    if (!team)
        return;
    if (team->rank != 0)
        receive_from(team, parent_of(team), data, size);
    FOR_CHILDREN(team, bit)
    bits = bit;
    for (; bits; bits >>= 1) // the deepest branch first
        send_to(team, team->rank + bits, data, size);
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
    FOR_CHILDREN(team, bit)
    {
        receive_from(team, team->rank + bit, &other, sizeof other);
        const bool over = v->over || other.over;
        if (!v->error.status && other.error.status)
            *v = other;
        v->over = over;
    }
    if (team->rank != 0)
        send_to(team, parent_of(team), v, sizeof *v);
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

// ---- accumulators ---------------------------------------------------------------------------------

typedef struct bytes {
    uint8_t *data; // free() it
    size_t size;
} bytes;

static lg_status save(const lg_team_kind *kind, const void *accumulator, bytes *out,
                      lg_error *error)
{
    lg_status status = kind->save(accumulator, NULL, 0, &out->size, error);
    if (!status)
        out->data = malloc(out->size);
    if (!status && !out->data)
        status =
            lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu bytes of figures", out->size);
    return status ? status : kind->save(accumulator, out->data, out->size, &out->size, error);
}

// An accumulator to another rank, which is told first how large it is; 0: there is none, this rank failed.
static void send_saved(lg_team *team, int to, const bytes *b, lg_status status)
{
    const uint64_t size = status ? 0 : b->size;
    send_to(team, to, &size, sizeof size);
    if (size)
        send_to(team, to, b->data, size);
}

static lg_status receive_saved(lg_team *team, int from, bytes *out, lg_error *error)
{
    uint64_t size;
    receive_from(team, from, &size, sizeof size);
    *out = (bytes){.size = (size_t)size};
    if (size == 0)
        return lg_set_error(error, LG_ERROR_CANCELLED, "rank %d has sent no figures", from);
    out->data = malloc(out->size);
    if (!out->data) { // the other one sends all the same
        lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu bytes of figures", out->size);
        give_up(team, error);
    }
    receive_from(team, from, out->data, out->size);
    return LG_OK;
}

static lg_status merge_bytes(const lg_team_kind *kind, void *into, const bytes *b, lg_error *error)
{
    void *more = NULL;
    lg_status status = kind->load(b->data, b->size, &more, error);
    if (!status)
        status = kind->merge(into, more, error);
    if (more)
        kind->destroy(&more);
    return status;
}

static lg_status replace(const lg_team_kind *kind, void **accumulator, const bytes *b,
                         lg_error *error)
{
    void *all = NULL;
    const lg_status status = kind->load(b->data, b->size, &all, error);
    if (status)
        return status;
    kind->destroy(accumulator);
    *accumulator = all;
    return LG_OK;
}

static lg_status merge_tree(lg_team *team, const lg_team_kind *kind, void *accumulator,
                            lg_error *error)
{
    lg_status status = LG_OK;
    bytes b = {0};
    lg_error theirs = {0};
    FOR_CHILDREN(team, bit)
    {
        lg_status got = receive_saved(team, team->rank + bit, &b, &theirs);
        if (!got && !status)
            got = merge_bytes(kind, accumulator, &b, &theirs);
        if (!status && got) {
            status = got;
            *error = theirs;
        }
        free(b.data);
        b = (bytes){0};
    }
    if (team->rank == 0)
        return status;
    if (!status)
        status = save(kind, accumulator, &b, error);
    send_saved(team, parent_of(team), &b, status);
    free(b.data);
    return status;
}

// The leader's to all others.
static lg_status spread(lg_team *team, const lg_team_kind *kind, void **accumulator,
                        lg_error *error)
{
    bytes b = {0};
    lg_status status = team->rank == 0 ? save(kind, *accumulator, &b, error) : LG_OK;
    uint64_t size = status ? 0 : b.size;
    lg_team_broadcast(team, &size, sizeof size);
    if (team->rank != 0 && size && !(b.data = malloc(size))) {
        lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu bytes of figures",
                     (unsigned long long)size);
        give_up(team, error);
    }
    if (size)
        lg_team_broadcast(team, b.data, size);
    b.size = (size_t)size;
    if (!status && size && team->rank != 0)
        status = replace(kind, accumulator, &b, error);
    free(b.data);
    return status;
}

lg_status lg_team_merge(lg_team *team, const lg_team_kind *kind, void **accumulators, size_t count,
                        bool everywhere, lg_status status, lg_error *error)
{
    status = lg_team_agree(team, status, error);
    for (size_t i = 0; i < count && team && !status; i++) {
        status = merge_tree(team, kind, accumulators[i], error);
        status = lg_team_agree(team, status, error);
        if (!status && everywhere) {
            status = spread(team, kind, &accumulators[i], error);
            status = lg_team_agree(team, status, error);
        }
    }
    return status;
}

static lg_status merge_from(lg_team *team, const lg_team_kind *kind, int from, void *accumulator,
                            lg_error *error)
{
    bytes b = {0};
    lg_status status = receive_saved(team, from, &b, error);
    if (!status)
        status = merge_bytes(kind, accumulator, &b, error);
    free(b.data);
    return status;
}

lg_status lg_team_gather(lg_team *team, const lg_team_kind *kind, void *accumulator,
                         lg_status status, lg_error *error)
{
    bytes own = {0};
    if (!team)
        return status;
    if (!status)
        status = save(kind, accumulator, &own, error);
    status = lg_team_agree(team, status, error);
    for (int from = 0; from < team->count && !status; from++) {
        for (int to = 0; to < team->count && from == team->rank; to++)
            if (to != from)
                send_saved(team, to, &own, LG_OK);
        if (from != team->rank)
            status = merge_from(team, kind, from, accumulator, error);
        status = lg_team_agree(team, status, error);
    }
    free(own.data);
    return status;
}

lg_status lg_team_sum(lg_team *team, uint64_t *numbers, size_t count, lg_status status,
                      lg_error *error)
{
    if (!team)
        return status;
    uint64_t *more = calloc(count, sizeof *more);
    if (!status && !more)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu numbers", count);
    status = lg_team_agree(team, status, error);
    if (!status) {
        FOR_CHILDREN(team, bit)
        {
            receive_from(team, team->rank + bit, more, count * sizeof *more);
            for (size_t i = 0; i < count; i++)
                numbers[i] += more[i];
        }
        if (team->rank != 0)
            send_to(team, parent_of(team), numbers, count * sizeof *numbers);
        lg_team_broadcast(team, numbers, count * sizeof *numbers);
    }
    free(more);
    return status;
}

// ---- life -----------------------------------------------------------------------------------------

void lg_team_foresee(int argc, char **argv)
{
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
    if (team->rank == 0 || silence())
        return LG_EXIT_DONE;
    lg_set_error(&error, LG_ERROR_IO, "/dev/null cannot be opened");
    give_up(team, &error);
    return LG_EXIT_IO;
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
    lg_ranks_close(&team->ranks);
    free(team);
    options->team = NULL;
    return status;
}
