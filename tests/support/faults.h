// Calls that fail on purpose. A test program whose name begins with faults_ is linked so that every
// call of the C library that takes memory, starts a thread or handles files,
// made by the library, by src/io or by the tool, comes here first
// (tests/meson.build); calls inside other libraries do not.
#ifndef LG_TEST_FAULTS_H
#define LG_TEST_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum faults_kind {
    FAULTS_MEMORY, // malloc and its like, functions that need memory inside: NULL and ENOMEM
    FAULTS_THREAD, // pthread_create: EAGAIN
    FAULTS_FILE,   // open, fsync, rename, close of what is written: EIO
    FAULTS_SCRATCH, // creating scratch files, and seeking, writing and reading in files without a name: EIO
    FAULTS_KINDS
} faults_kind;

// Makes call number `at` (from 0) of a kind fail, once; -1: none. Counts begin anew.
void faults_arm(faults_kind kind, int64_t at);
// Ends that. Returns whether a call failed.
bool faults_disarm(void);
// Calls of that kind since faults_arm.
int64_t faults_calls(faults_kind kind);
// How often fsync was called since the start, of files and of folders.
int64_t faults_syncs(void);
int64_t faults_folder_syncs(void);
// Blocks of memory that were taken and not given back, over all.
int64_t faults_live(void);
// malloc and free as they are wrapped here, for libraries that let their user choose.
void *faults_malloc(size_t size);
void faults_free(void *pointer);

#endif
