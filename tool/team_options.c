// Which commands ranks can share.
#include "team.h"

#include "option_checks.h"

#include <string.h>

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
