// The processes of an MPI job: which module is loaded, and the calls that it gets.
#include <lumagraph/ranks.h>

#include "core/core.h"
#include "core/module.h"
#include "io/mpi/mpi_module.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lg_ranks {
    const lg_mpi_table *mpi;
    int rank, count;
    char library[100];
};

static atomic_bool in_use; // MPI is of the process

// ---- which MPI ------------------------------------------------------------------------------------

// Launchers tell processes who they are by variables. Slurm's srun speaks PMIx with Open MPI, and PMI-1 or
// PMI-2 with MPICH; Hydra is MPICH's own launcher.
static lg_mpi launched_by(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        return LG_MPI_OPEN_MPI;
    if (getenv("PMI_RANK") || getenv("PMI_FD"))
        return LG_MPI_MPICH;
    return getenv("PMIX_RANK") ? LG_MPI_OPEN_MPI : LG_MPI_AUTO;
}

static lg_status load(lg_mpi mpi, const lg_mpi_table **out, lg_error *error)
{
    const bool mpich = mpi == LG_MPI_MPICH;
    const char *name = mpich ? "liblumagraph-mpich.so" : "liblumagraph-openmpi.so";
    void *module = NULL;
    lg_error why = {LG_OK, ""};
    const lg_status status = lg_module_open(LG_MODULE_OF_LUMAGRAPH, name, &module, &why);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(error, status, "%s", why.message);
    if (status)
        return lg_fail(error, status,
                       "%s cannot be loaded; install it, and %s, which it needs (%.240s)", name,
                       mpich ? "MPICH" : "Open MPI", why.message);
    *out = lg_module_symbol(module, "lg_mpi_module");
    if (!*out || strcmp((*out)->version(), lg_version()) != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s is of another version", name);
    return LG_OK;
}

// ---- life -----------------------------------------------------------------------------------------

static lg_status fail(const lg_ranks *ranks, const char *what, int code, lg_error *error)
{
    char text[200];
    ranks->mpi->explain(code, text, sizeof text);
    return lg_fail(error, LG_ERROR_IO, "MPI %s: %s", what, text);
}

static lg_status begin(lg_ranks *ranks, lg_mpi mpi, lg_error *error)
{
    const lg_status status = load(mpi, &ranks->mpi, error);
    if (status)
        return status;
    const int code = ranks->mpi->begin(&ranks->rank, &ranks->count);
    if (code == LG_MPI_ENDED)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "MPI begins once in a process, and was ended");
    if (code)
        return fail(ranks, "does not begin", code, error);
    ranks->mpi->library(ranks->library, sizeof ranks->library);
    return LG_OK;
}

lg_status lg_ranks_open(lg_mpi mpi, lg_ranks **out, lg_error *error)
{
    if (!out || (unsigned)mpi > LG_MPI_MPICH)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a place for the ranks, and MPI %d; 0 to 2 exist",
                       (int)mpi);
    const lg_mpi which = mpi == LG_MPI_AUTO ? launched_by() : mpi;
    if (which == LG_MPI_AUTO)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "no launcher of MPI has started this program; start it with mpirun -n N");
    if (atomic_exchange(&in_use, true))
        return lg_fail(error, LG_ERROR_ARGUMENT, "the ranks of this process are in use");
    lg_ranks *ranks = lg_alloc(sizeof *ranks);
    lg_status status =
        ranks ? begin(ranks, which, error) : lg_fail_memory(error, sizeof *ranks, "ranks");
    if (status) {
        lg_free(ranks);
        atomic_store(&in_use, false);
        return status;
    }
    *out = ranks;
    return LG_OK;
}

void lg_ranks_close(lg_ranks **ranks)
{
    if (!ranks || !*ranks)
        return;
    (*ranks)->mpi->end();
    lg_free(*ranks);
    *ranks = NULL;
    atomic_store(&in_use, false);
}

void lg_ranks_abort(lg_ranks *ranks, int status)
{
    if (ranks)
        ranks->mpi->abort(status);
    _exit(status);
}

// ---- messages -------------------------------------------------------------------------------------

int lg_ranks_rank(const lg_ranks *ranks)
{
    return ranks ? ranks->rank : 0;
}

int lg_ranks_count(const lg_ranks *ranks)
{
    return ranks ? ranks->count : 1;
}

const char *lg_ranks_library(const lg_ranks *ranks)
{
    return ranks ? ranks->library : "";
}

static lg_status check(const lg_ranks *ranks, int other, const void *data, size_t size,
                       lg_error *error)
{
    if (!ranks || (!data && size))
        return lg_fail_null(error, "ranks, and bytes");
    if (other < 0 || other >= ranks->count || other == ranks->rank)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a message between ranks %d and %d; there are %d, and messages go to others",
                       ranks->rank, other, ranks->count);
    return LG_OK;
}

lg_status lg_ranks_send(lg_ranks *ranks, int to, const void *data, size_t size, lg_error *error)
{
    const lg_status status = check(ranks, to, data, size, error);
    const int code = status ? 0 : ranks->mpi->send(to, data, size);
    return code ? fail(ranks, "cannot send", code, error) : status;
}

lg_status lg_ranks_receive(lg_ranks *ranks, int from, void *data, size_t size, lg_error *error)
{
    const lg_status status = check(ranks, from, data, size, error);
    const int code = status ? 0 : ranks->mpi->receive(from, data, size);
    return code ? fail(ranks, "cannot receive", code, error) : status;
}
