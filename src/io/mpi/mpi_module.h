// What passes between liblumagraph-io and its modules liblumagraph-openmpi.so and liblumagraph-mpich.so,
// which alone are linked with MPI. Both are made of one source: the interfaces have the same names and other
// types.
#ifndef LG_MPI_MODULE_H
#define LG_MPI_MODULE_H

#include <stddef.h>

// Functions return 0, or a code that `explain` knows.
typedef struct lg_mpi_table {
    const char *(*version)(void); // of its build; the table is the same where this is
    int (*begin)(int *rank, int *count);
    void (*library)(char *out, size_t size);
    int (*send)(int to, const void *data, size_t size);
    int (*receive)(int from, void *data, size_t size);
    void (*explain)(int code, char *out, size_t size);
    void (*abort)(int status);
    void (*end)(void);
} lg_mpi_table;

#define LG_MPI_ENDED (-1) // begin: MPI was ended already, which nothing undoes

#endif
