// lumagraph: status codes, errors, version. Everything else includes this.
#ifndef LUMAGRAPH_COMMON_H
#define LUMAGRAPH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(LG_EXPORTS) // the library itself
#define LG_API __attribute__((dllexport))
#elif defined(_WIN32)
#define LG_API
#else
#define LG_API __attribute__((visibility("default")))
#endif

// Parameter structures hold their own size, so that later versions can add members (docs/abi.md).
// Everything else may change until version 1: compile with the headers of the library that runs.
#define LG_VERSION_MAJOR 0
#define LG_VERSION_MINOR 1
#define LG_VERSION_PATCH 0

// What went wrong. The status tells who can act on it: the caller, the machine or the file.
typedef enum lg_status {
    LG_OK = 0,
    LG_ERROR_ARGUMENT,    // the caller asked for something that does not make sense
    LG_ERROR_LIMIT,       // refused by a named limit
    LG_ERROR_MEMORY,      // host or device memory is used up
    LG_ERROR_DEVICE,      // no such device, a missing feature, or a device that was lost
    LG_ERROR_IO,          // reading or writing failed
    LG_ERROR_DATA,        // the bytes are not a valid file of their format
    LG_ERROR_UNSUPPORTED, // valid, but this build or device cannot do it
    LG_ERROR_CANCELLED,   // the caller's progress function has ended the call
} lg_status;

#define LG_ERROR_MESSAGE_SIZE 480

// A function that fails leaves its results as they were. A constructor does not touch *out, result
// structures and arrays are not written, and a graph keeps its nodes. Exceptions are functions that
// write much into the caller's memory; their declarations say so: lg_plan_run, lg_image_download,
// lg_label_update, lg_areasum_update and the queries of area sums. A NULL argument is
// LG_ERROR_ARGUMENT unless its function accepts NULL.

// A failing call fills the error that the caller passes. It is the last argument of every function
// and may be NULL. The message is one line: what was asked, what is allowed, what to do.
typedef struct lg_error {
    lg_status status;
    char message[LG_ERROR_MESSAGE_SIZE];
} lg_error;

// The entry of `names` (NULL-terminated) that is most like `word`, for hints about misspelt names.
// NULL when no entry is similar.
LG_API const char *lg_nearest(const char *word, const char *const *names);

// "major.minor.patch" of the library that is running. Static storage.
LG_API const char *lg_version(void);

// A short name of a status ("argument", "limit" ...). Static storage, never NULL.
LG_API const char *lg_status_name(lg_status status);

#ifdef __cplusplus
}
#endif

#endif
