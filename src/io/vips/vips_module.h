// What passes between liblumagraph-io and its module liblumagraph-vips.so, which alone is linked with
// libvips. The module has copies of the code that it shares with the library and that keeps no state.
// What keeps some, memory and images, it is given.
#ifndef LG_VIPS_MODULE_H
#define LG_VIPS_MODULE_H

#include "io/row_reader.h"
#include "io/row_writer.h"

// The library's functions of these names.
typedef struct lg_vips_host {
    __typeof__(&lg_alloc) alloc;
    __typeof__(&lg_free) free;
    __typeof__(&lg_strdup) strdup;
    __typeof__(&lg_image_create) image_create;
    __typeof__(&lg_image_destroy) image_destroy;
    __typeof__(&lg_thread_start) thread_start;
    __typeof__(&lg_thread_join) thread_join;
    // Around libvips' text of errors: no other file is opened or decoded meanwhile.
    void (*lock_errors)(void), (*unlock_errors)(void);
    void (*lock_opening)(void), (*unlock_opening)(void); // around what finds a loader
    void (*begin_decoding)(void), (*end_decoding)(void); // around what decodes; not while opening
} lg_vips_host;

// The module's one symbol is a table of this type, lg_vips_module. libvips keeps its errors, and what
// is blocked, once per process.
typedef struct lg_vips {
    const char *(*version)(void);            // of its build; structures are the same where this is
    void (*enter)(const lg_vips_host *host); // before all others
    // Before load and save; one thread at a time, as shutdown.
    lg_status (*start)(lg_error *error);
    // As lg_image_read, for files that no other reader knows. `alone`: the caller holds the lock of errors.
    // Otherwise files are decoded side by side, and the message of an error may be another file's.
    lg_status (*load)(lg_context *context, const char *path, lg_input *input,
                      const lg_read_params *params, bool alone, lg_image **out, lg_read_info *info,
                      lg_error *error);
    // As lg_row_format has them, under the lock of errors. Notes are in the reader's info.
    lg_status (*rows_open)(lg_row_reader *reader, lg_error *error);
    lg_status (*rows_read)(lg_row_reader *reader, int32_t layer, const lg_region *region,
                           lg_image *into, lg_error *error);
    void (*rows_close)(lg_row_reader *reader);
    // Encodes as libvips does for names with this suffix, such as ".jpg[Q=95]". From any thread,
    // without that lock.
    lg_status (*save)(const lg_image *image, const char *suffix, const lg_metadata *metadata,
                      FILE *stream, lg_error *error);
    // The same by rows, as lg_row_sink has them.
    lg_status (*save_begin)(lg_row_writer *writer, const char *suffix, lg_error *error);
    lg_status (*save_rows)(lg_row_writer *writer, const lg_image *rows, lg_error *error);
    lg_status (*save_end)(lg_row_writer *writer, lg_error *error);
    void (*save_drop)(lg_row_writer *writer);
    void (*shutdown)(void);
} lg_vips;

#endif
