#include "io/mpi/mpi_module.h"

#include <lumagraph/common.h>

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Counts of MPI are ints, and some versions fail near their end: longer messages go in pieces.
#define PIECE ((size_t)1 << 28)

static MPI_Comm own; // messages of the program, if it has any, are not ours
static bool began;

static const char *version(void)
{
    return lg_version();
}

static int begin(int *rank, int *count)
{
    int is_begun = 0, is_ended = 0, level, code = MPI_Finalized(&is_ended);
    if (!code && is_ended)
        return LG_MPI_ENDED;
    if (!code)
        code = MPI_Initialized(&is_begun);
    if (!code && !is_begun) {
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
        began = code == MPI_SUCCESS;
    }
    if (!code)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &own);
    if (!code)
        code = MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if (!code)
        code = MPI_Comm_rank(own, rank);
    return code ? code : MPI_Comm_size(own, count);
}

static void library(char *out, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    snprintf(out, size, "%.*s", (int)strcspn(text, ",\n"), text);
    for (char *at = out; *at; at++) // MPICH has a tabulator
        *at = *at == '\t' ? ' ' : *at;
}

static int send(int to, const void *data, size_t size)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < size && !code; done += PIECE) {
        const size_t piece = size - done < PIECE ? size - done : PIECE;
        code = MPI_Send((const char *)data + done, (int)piece, MPI_BYTE, to, 0, own);
    }
    return code;
}

static int receive(int from, void *data, size_t size)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < size && !code; done += PIECE) {
        const size_t piece = size - done < PIECE ? size - done : PIECE;
        code = MPI_Recv((char *)data + done, (int)piece, MPI_BYTE, from, 0, own, MPI_STATUS_IGNORE);
    }
    return code;
}

static void explain(int code, char *out, size_t size)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    snprintf(out, size, "%s", text);
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void end(void)
{
    MPI_Comm_free(&own);
    if (began)
        MPI_Finalize();
}

__attribute__((visibility("default"))) const lg_mpi_table lg_mpi_module = {
    version, begin, library, send, receive, explain, abort_all, end};
