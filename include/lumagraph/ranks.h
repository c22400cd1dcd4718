// lumagraph: the processes of an MPI job, for work that is shared among machines. The library is
// liblumagraph-io. It is not linked with MPI: a module is, one for the interface of Open MPI and one for that
// of MPICH, and is loaded here.
#ifndef LUMAGRAPH_RANKS_H
#define LUMAGRAPH_RANKS_H

#include <lumagraph/common.h>

#ifdef __cplusplus
extern "C" {
#endif

// The processes that a launcher (mpirun, srun) started together. Thread-safety: the thread that opened it.
typedef struct lg_ranks lg_ranks;

typedef enum lg_mpi {
    LG_MPI_AUTO, // that of the launcher, by the variables that it sets in the environment
    LG_MPI_OPEN_MPI,
    LG_MPI_MPICH,
} lg_mpi;

// Begins MPI, unless the program has; all processes of the job do it at the same time. A process has one
// lg_ranks at a time, and where this began MPI, one in all. Errors: LG_ERROR_ARGUMENT (LG_MPI_AUTO without a
// launcher), LG_ERROR_UNSUPPORTED (a module or its libraries are missing, or MPI was ended), LG_ERROR_IO (MPI
// does not begin).
LG_API lg_status lg_ranks_open(lg_mpi mpi, lg_ranks **out, lg_error *error);
// The number of this process, from 0.
LG_API int lg_ranks_rank(const lg_ranks *ranks);
LG_API int lg_ranks_count(const lg_ranks *ranks);
// What MPI says of itself: a line such as "Open MPI v4.1.4".
LG_API const char *lg_ranks_library(const lg_ranks *ranks);

// Bytes from one process to another, of any number; the other one asks for the same number. Messages between
// two processes arrive in their order. Errors: LG_ERROR_ARGUMENT (no such process), LG_ERROR_IO. Behind
// LG_ERROR_IO only lg_ranks_abort is useful.
LG_API lg_status lg_ranks_send(lg_ranks *ranks, int to, const void *data, size_t size,
                               lg_error *error);
LG_API lg_status lg_ranks_receive(lg_ranks *ranks, int from, void *data, size_t size,
                                  lg_error *error);

// Ends all processes of the job, this one with the exit status. NULL: ends this one.
LG_API void lg_ranks_abort(lg_ranks *ranks, int status);
// Ends MPI, if this began it; all processes do it at the same time. NULL and pointer to NULL are fine.
LG_API void lg_ranks_close(lg_ranks **ranks);

#ifdef __cplusplus
}
#endif

#endif
