// The entries of the table (io/vips/vips_module.h), and what they are given.
#ifndef LG_VIPS_FORMATS_H
#define LG_VIPS_FORMATS_H

#include "io/vips/vips_module.h"

#include <vips/vips.h>

extern const lg_vips_host *lg_vips_library;

typedef struct lg_vips_opened {
    const char *loader;
    VipsSource *source; // NULL: by file name, or of a copy
    VipsBlob *copy;     // of the file, for decoders that would look at its name
    const char *path;
    bool pages;    // the loader knows of pages
    int64_t start; // of the image in a file that can be read at any place; -1
} lg_vips_opened;

typedef struct lg_vips_layout {
    lg_image_params shape;
    lg_rounding rounding;
    int page_height;
    bool alpha_times_255; // of floats, whose colours are multiplied by alpha
    char note[200];       // what else is to be said
} lg_vips_layout;

// A file whose header was read.
typedef struct lg_vips_file {
    lg_vips_opened from;
    VipsImage *image;
    lg_vips_layout layout;
} lg_vips_file;

// lg_vips_close is needed also when it fails.
lg_status lg_vips_open(const char *path, lg_input *input, const lg_read_params *params,
                       lg_vips_file *out, lg_error *error);
// What its pixels become, within the limits.
lg_status lg_vips_plan(lg_vips_file *file, const lg_read_params *params, lg_error *error);
lg_status lg_vips_copy_row(lg_vips_layout *plan, const void *in, void *out, lg_error *error);
void lg_vips_describe(VipsImage *in, const lg_vips_opened *from, const lg_vips_layout *plan,
                      lg_read_info *info);
void lg_vips_close(lg_vips_file *file);
void lg_vips_forget_errors(void);
// The error of what libvips said last.
lg_status lg_vips_fail(lg_error *error, lg_status status, const char *what);

lg_status lg_vips_rows_open(lg_row_reader *reader, lg_error *error);
lg_status lg_vips_rows_read(lg_row_reader *reader, int32_t layer, const lg_region *region,
                            lg_image *into, lg_error *error);
void lg_vips_rows_close(lg_row_reader *reader);

lg_status lg_vips_start(lg_error *error);
lg_status lg_vips_load(lg_context *context, const char *path, lg_input *input,
                       const lg_read_params *params, bool alone, lg_image **out, lg_read_info *info,
                       lg_error *error);
lg_status lg_vips_save(const lg_image *image, const char *suffix, const lg_metadata *metadata,
                       FILE *stream, lg_error *error);
lg_status lg_vips_save_begin(lg_row_writer *writer, const char *suffix, lg_error *error);
lg_status lg_vips_save_rows(lg_row_writer *writer, const lg_image *rows, lg_error *error);
lg_status lg_vips_save_end(lg_row_writer *writer, lg_error *error);
void lg_vips_save_drop(lg_row_writer *writer);
// Of a suffix such as ".jpg[Q=80]": LG_ERROR_ARGUMENT for an option that its encoder lacks, or a number that
// is out of range.
lg_status lg_vips_check_options(const char *suffix, lg_error *error);
void lg_vips_stop(void);

#endif
